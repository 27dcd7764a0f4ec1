/* Meshes: what is drawn, and how the faces are kept beside it. */
#include "writer.h"

#include <math.h>
#include <string.h>

/* The validator's limit for unit vectors is 0.00674. */
static const double unit_tolerance = 0.005;

/* ---- what the shape allows ---- */

static bool has_only_triangles(const cp_mesh *mesh)
{
    for (uint32_t face = 0; face < mesh->face_count; face++)
        if (mesh_face_size(mesh, face) != 3)
            return false;
    return true;
}

static bool normals_are_unit(const cp_mesh *mesh)
{
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        const float *n = mesh->normals + 3 * i;
        double length = sqrt((double)n[0] * n[0] + (double)n[1] * n[1] + (double)n[2] * n[2]);
        if (!(fabs(length - 1) <= unit_tolerance))
            return false;
    }
    return true;
}

static bool colours_are_clamped(const cp_mesh *mesh)
{
    for (size_t i = 0; i < (size_t)mesh->vertex_count * 4; i++)
        if (!(mesh->colours[i] >= 0 && mesh->colours[i] <= 1))
            return false;
    return true;
}

static bool colours_are_translucent(const cp_mesh *mesh)
{
    for (size_t i = 0; mesh->colours && i < mesh->vertex_count; i++)
        if (mesh->colours[4 * i + 3] < 1)
            return true;
    return false;
}

/* Seen from outside only: profile stage does not look, it would cost more than the rest. */
static bool find_single_sided(struct writer *writer, const cp_mesh *shape, bool *single)
{
    *single = false;
    return !is_deliver(writer) || mesh_bounds_solid(writer->context, shape, single) == CP_OK;
}

/* ---- shapes ---- */

/* Most shapes are the scene's meshes as they are: only others have a place of their own. */
static bool keep_shape(struct writer *writer, const cp_mesh *shape, struct mesh_plan *plan)
{
    plan->shape = arena_copy(writer->work->arena, shape, 1, sizeof *shape);
    return plan->shape != NULL;
}

static bool make_normals(struct writer *writer, struct mesh_plan *plan)
{
    cp_mesh shape = *plan->shape;
    int mode = normals_mode(writer->settings);
    if (mode == NORMALS_NONE)
        shape.normals = NULL;
    plan->made_normals =
        mode == NORMALS_SMOOTH && !shape.normals && shape.kind == CP_MESH_FACES && shape.face_count > 0;
    if (plan->made_normals && mesh_smooth_normals(writer->work, &shape, writer->settings->crease) != CP_OK)
        return false;
    bool same = !plan->made_normals && shape.normals == plan->shape->normals;
    return same || keep_shape(writer, &shape, plan);
}

static bool make_shape(struct writer *writer, const cp_mesh *mesh, struct mesh_plan *plan)
{
    bool web = writer->settings->web;
    plan->shape = mesh;
    if (mesh->kind >= CP_MESH_BOX) {
        cp_mesh shape = *mesh;
        if (mesh_tessellate(writer->work, &shape) != CP_OK || !keep_shape(writer, &shape, plan))
            return false;
    }
    if (!make_normals(writer, plan))
        return false;
    const cp_mesh *shape = plan->shape;
    plan->split = mesh->kind == CP_MESH_FACES && shape->vertex_count != mesh->vertex_count;
    plan->raw_normals = !web && shape->normals && !normals_are_unit(shape);
    plan->raw_colours = !web && shape->colours && !colours_are_clamped(shape);
    return true;
}

/* Integers take the place of the shape's floats. */
static bool make_web(struct writer *writer, uint32_t index, struct mesh_plan *plan)
{
    const cp_mesh *shape = plan->shape;
    if (!writer->settings->web || shape->corner_count == 0)
        return true;
    struct web_mesh *web = writer_allocate(writer, 1, sizeof *web);
    plan->web = web;
    if (!web || !web_quantise(writer->work, shape, &writer->web.places[index], web))
        return false;
    web->position += writer->web.rounded;
    return true;
}

/* Sizes and corners beside what is drawn, as the scene has them. */
static bool add_faces(struct writer *writer, const cp_mesh *mesh)
{
    if (mesh->face_count > 0 && add_view(&writer->binary, (struct view){.data = mesh->face_offsets,
                                                                        .count = mesh->face_count,
                                                                        .encoding = ENCODE_SIZES,
                                                                        .id = mesh->id,
                                                                        .part = ":sizes"}) == CP_NONE)
        return false;
    return mesh->corner_count == 0 || add_view(&writer->binary, (struct view){.data = mesh->corners,
                                                                              .count = mesh->corner_count,
                                                                              .id = mesh->id,
                                                                              .part = ":corners"}) != CP_NONE;
}

/* ---- what is drawn ---- */

static bool allocate_primitives(struct writer *writer, struct mesh_plan *plan)
{
    uint32_t room = plan->shape->group_count ? plan->shape->group_count : 1;
    plan->primitives = writer_allocate(writer, room, sizeof *plan->primitives);
    return plan->primitives != NULL;
}

/* One primitive a group that has something to draw. starts: of face_count + 1 faces in the indices. */
static bool split_groups(struct writer *writer, struct mesh_plan *plan, const uint32_t *starts)
{
    const cp_mesh *shape = plan->shape;
    cp_group whole = {0, shape->face_count, CP_NONE};
    const cp_group *groups = shape->group_count ? shape->groups : &whole;
    uint32_t count = shape->group_count ? shape->group_count : 1;
    if (plan->web && plan->web->corners) {
        groups = plan->web->groups;
        count = plan->web->group_count;
    }
    if (!allocate_primitives(writer, plan))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t last = groups[i].first_face + groups[i].face_count;
        uint32_t begin = starts ? starts[groups[i].first_face] : 3 * groups[i].first_face;
        uint32_t end = starts ? starts[last] : 3 * last;
        if (end > begin)
            plan->primitives[plan->primitive_count++] =
                (struct primitive){.material = groups[i].material, .first_index = begin, .index_count = end - begin};
    }
    return true;
}

static bool draw_triangles(struct writer *writer, const cp_mesh *polygons, struct mesh_plan *plan)
{
    if (!has_only_triangles(polygons)) {
        cp_mesh triangles = *polygons;
        if (mesh_triangulate(writer->work, &triangles) != CP_OK || !keep_shape(writer, &triangles, plan))
            return false;
    }
    plan->indices = plan->web ? plan->web->corners : plan->shape->corners;
    plan->index_count = plan->web ? plan->web->corner_count : plan->shape->corner_count;
    if (!split_groups(writer, plan, NULL))
        return false;
    bool encode = is_deliver(writer) && writer->settings->ngons == NGONS_FB && polygons->face_offsets;
    return !encode || encode_polygons(writer, polygons, plan);
}

/* Polylines as segments. */
static bool draw_lines(struct writer *writer, struct mesh_plan *plan)
{
    const cp_mesh *shape = plan->shape;
    uint64_t total = 0;
    for (uint32_t face = 0; face < shape->face_count; face++)
        if (mesh_face_size(shape, face) > 1)
            total += UINT64_C(2) * (mesh_face_size(shape, face) - 1);
    if (total > UINT32_MAX) {
        report_error(writer->context, CP_LIMIT, "gltf-indices", NOWHERE,
                     "mesh \"%s\" has more line segments than glTF can index", shape->name);
        return false;
    }
    uint32_t *indices = scene_allocate(writer->work, total, sizeof *indices);
    uint32_t *starts = scene_allocate(writer->work, shape->face_count + (size_t)1, sizeof *starts);
    if (!indices || !starts)
        return false;
    uint32_t at = 0;
    for (uint32_t face = 0; face < shape->face_count; face++) {
        const uint32_t *corners = shape->corners + mesh_face_first(shape, face);
        starts[face] = at;
        for (uint32_t i = 0; i + 1 < mesh_face_size(shape, face); i++) {
            indices[at++] = corners[i];
            indices[at++] = corners[i + 1];
        }
    }
    starts[shape->face_count] = at;
    plan->indices = indices;
    plan->index_count = at;
    return split_groups(writer, plan, starts);
}

static void give_looks(struct writer *writer, struct mesh_plan *plan, bool single_sided)
{
    const cp_scene *scene = writer->scene;
    bool translucent = colours_are_translucent(plan->shape) && !plan->raw_colours;
    bool coloured = plan->shape->colours && !plan->raw_colours;
    for (uint32_t i = 0; i < plan->primitive_count; i++) {
        struct primitive *primitive = &plan->primitives[i];
        const cp_material *material = primitive->material == CP_NONE ? NULL : &scene->materials[primitive->material];
        if (!single_sided || (material && material->two_sided))
            primitive->look |= LOOK_DOUBLE_SIDED;
        if (translucent || (material && material->rgba[3] < 1))
            primitive->look |= LOOK_BLEND;
        if (!material && coloured)
            primitive->look |= LOOK_WHITE;
    }
}

/* ---- accessors and views ---- */

static uint32_t add_vertex_accessor(struct writer *writer, const cp_mesh *shape, const float *values, uint8_t width)
{
    struct accessor accessor = {.count = shape->vertex_count, .component = COMPONENT_FLOAT, .width = width};
    accessor.view = add_view(&writer->binary,
                             (struct view){.data = values, .count = accessor.count * width, .target = TARGET_VERTICES});
    if (values == shape->positions)
        set_range(&accessor, values);
    return add_accessor(&writer->binary, accessor);
}

static bool add_raw(struct writer *writer, const cp_mesh *shape, const float *values, unsigned width, const char *part)
{
    return add_view(&writer->binary, (struct view){.data = values,
                                                   .count = (uint64_t)shape->vertex_count * width,
                                                   .id = shape->id,
                                                   .part = part}) != CP_NONE;
}

/* What no primitive draws stays in views of its own: all of it, or the attributes that break glTF's rules. Colours are of
 * the scene's vertices, which come first where some are split. */
static bool add_raw_attributes(struct writer *writer, const cp_mesh *mesh, struct mesh_plan *plan, bool drawn)
{
    const cp_mesh *shape = plan->shape;
    bool has_vertices = shape->vertex_count > 0;
    if (!drawn && has_vertices && !add_raw(writer, shape, shape->positions, 3, ":positions"))
        return false;
    if (shape->normals && has_vertices && (!drawn || plan->raw_normals) &&
        !add_raw(writer, shape, shape->normals, 3, ":normals"))
        return false;
    return !shape->colours || !has_vertices || !(!drawn || plan->raw_colours) ||
           add_raw(writer, mesh, shape->colours, 4, ":colours");
}

static bool add_attributes(struct writer *writer, struct mesh_plan *plan)
{
    const cp_mesh *shape = plan->shape;
    plan->positions = add_vertex_accessor(writer, shape, shape->positions, 3);
    if (plan->positions == CP_NONE)
        return false;
    if (shape->normals && !plan->raw_normals) {
        plan->normals = add_vertex_accessor(writer, shape, shape->normals, 3);
        if (plan->normals == CP_NONE)
            return false;
    }
    if (shape->colours && !plan->raw_colours) {
        plan->colours = add_vertex_accessor(writer, shape, shape->colours, 4);
        if (plan->colours == CP_NONE)
            return false;
    }
    return true;
}

static bool add_indices(struct writer *writer, struct mesh_plan *plan)
{
    bool narrow = plan->shape->vertex_count <= MOST_NARROW_VERTICES;
    uint32_t view = add_view(&writer->binary, (struct view){.data = plan->indices,
                                                            .count = plan->index_count,
                                                            .encoding = narrow ? ENCODE_NARROW : ENCODE_WORDS,
                                                            .target = TARGET_INDICES});
    for (uint32_t i = 0; i < plan->primitive_count; i++) {
        struct primitive *primitive = &plan->primitives[i];
        struct accessor accessor = {.view = view, .width = 1, .count = primitive->index_count};
        accessor.component = narrow ? COMPONENT_U16 : COMPONENT_U32;
        accessor.offset = primitive->first_index * (narrow ? UINT64_C(2) : UINT64_C(4));
        primitive->accessor = add_accessor(&writer->binary, accessor);
        if (primitive->accessor == CP_NONE)
            return false;
    }
    return view != CP_NONE;
}

/* ---- one mesh ---- */

static bool keeps_faces(const struct writer *writer, const cp_mesh *mesh)
{
    if (mesh->kind == CP_MESH_LINES)
        return true;
    bool polygons = !is_deliver(writer) || writer->settings->ngons == NGONS_FB;
    return mesh->kind == CP_MESH_FACES && polygons && !has_only_triangles(mesh);
}

static bool add_drawn(struct writer *writer, struct mesh_plan *plan)
{
    if (!plan->web)
        return add_attributes(writer, plan) && add_indices(writer, plan);
    return stream_vertices(writer, plan) &&
           (plan->web->corners ? stream_indices(writer, plan) : add_indices(writer, plan));
}

static bool plan_mesh(struct writer *writer, uint32_t index, struct mesh_plan *plan)
{
    const cp_mesh *mesh = &writer->scene->meshes[index];
    bool single_sided;
    if (!make_shape(writer, mesh, plan) || !make_web(writer, index, plan))
        return false;
    plan->has_faces = (plan->split && !plan->web) || keeps_faces(writer, mesh);
    bool lines = plan->shape->kind == CP_MESH_LINES;
    bool drawn = lines ? draw_lines(writer, plan) : draw_triangles(writer, plan->shape, plan);
    if (!drawn || !find_single_sided(writer, plan->shape, &single_sided))
        return false;
    give_looks(writer, plan, single_sided);
    bool visible = plan->primitive_count > 0;
    plan->index = visible ? writer->mesh_count++ : CP_NONE;
    if (visible && !add_drawn(writer, plan))
        return false;
    if (mesh->kind < CP_MESH_BOX && !add_raw_attributes(writer, mesh, plan, visible))
        return false;
    return !plan->has_faces || add_faces(writer, mesh);
}

/* A mesh goes when all its instances go; one without instances stays. */
static bool mark_left_out(struct writer *writer)
{
    const cp_scene *scene = writer->scene;
    bool *wanted = writer_allocate(writer, scene->mesh_count, sizeof *wanted);
    if (!wanted)
        return false;
    for (uint32_t i = 0; i < scene->instance_count; i++) {
        bool gone = instance_is_left_out(writer, &scene->instances[i]);
        wanted[scene->instances[i].mesh] |= !gone;
        writer->meshes[scene->instances[i].mesh].left_out |= gone;
    }
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        writer->meshes[i].left_out &= !wanted[i];
    return true;
}

bool plan_meshes(struct writer *writer)
{
    const cp_scene *scene = writer->scene;
    writer->meshes = writer_allocate(writer, scene->mesh_count, sizeof *writer->meshes);
    if (!writer->meshes || !mark_left_out(writer))
        return false;
    for (uint32_t i = 0; i < scene->mesh_count; i++) {
        struct mesh_plan *plan = &writer->meshes[i];
        plan->index = plan->positions = plan->normals = plan->colours = CP_NONE;
        if (!plan->left_out && !plan_mesh(writer, i, plan))
            return false;
    }
    return finish_streams(writer);
}

/* ---- JSON ---- */

static void write_primitive(struct writer *writer, const struct mesh_plan *plan, const struct primitive *primitive)
{
    struct json_writer *json = &writer->json;
    uint32_t row = primitive->material == CP_NONE ? writer->scene->material_count : primitive->material;
    json_open(json, '{');
    json_key(json, "attributes");
    json_open(json, '{');
    json_key_integer(json, "POSITION", plan->positions);
    if (plan->normals != CP_NONE)
        json_key_integer(json, "NORMAL", plan->normals);
    if (plan->colours != CP_NONE)
        json_key_integer(json, "COLOR_0", plan->colours);
    json_close(json, '}');
    json_key_integer(json, "indices", primitive->accessor);
    json_key_integer(json, "material", writer->looks[(size_t)row * LOOK_COUNT + primitive->look]);
    if (plan->shape->kind == CP_MESH_LINES)
        json_key_integer(json, "mode", 1);
    if (primitive->polygons) {
        json_key(json, "extensions");
        json_open(json, '{');
        json_key(json, "FB_ngon_encoding");
        json_open(json, '{');
        json_close(json, '}');
        json_close(json, '}');
    }
    json_close(json, '}');
}

static void write_mesh(struct writer *writer, uint32_t mesh)
{
    struct json_writer *json = &writer->json;
    const struct mesh_plan *plan = &writer->meshes[mesh];
    json_line(json);
    json_open(json, '{');
    json_key_text(json, "name", writer->scene->meshes[mesh].name);
    json_key(json, "primitives");
    json_open(json, '[');
    for (uint32_t i = 0; i < plan->primitive_count; i++)
        write_primitive(writer, plan, &plan->primitives[i]);
    json_close(json, ']');
    open_extras(writer, CP_OWNER_MESH, mesh, "extras");
    write_mesh_extras(writer, mesh);
    json_extras_close(json);
    json_close(json, '}');
}

void write_meshes(struct writer *writer)
{
    struct json_writer *json = &writer->json;
    if (writer->mesh_count == 0)
        return;
    json_line(json);
    json_key(json, "meshes");
    json_open(json, '[');
    for (uint32_t i = 0; i < writer->scene->mesh_count; i++)
        if (writer->meshes[i].index != CP_NONE)
            write_mesh(writer, i);
    json_close(json, ']');
}
