/* Plans meshes: the drawn triangles, and the faces that are kept beside them. */
#include "writer.h"

#include <math.h>
#include <string.h>

#include "mesh/mesh.h"

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

/* Tells whether all normals or tangents, of width numbers each, are unit vectors. */
static bool are_unit(const float *directions, size_t width, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const float *n = directions + width * i;
        double length = sqrt((double)n[0] * n[0] + (double)n[1] * n[1] + (double)n[2] * n[2]);
        if (!(fabs(length - 1) <= unit_tolerance))
            return false;
    }
    return true;
}

static bool signs_are_one(const cp_mesh *mesh)
{
    for (size_t i = 0; i < mesh->vertex_count; i++)
        if (fabsf(mesh->tangents[4 * i + 3]) != 1)
            return false;
    return true;
}

static bool colours_are_clamped(const cp_mesh *mesh)
{
    for (size_t i = 0; i < (size_t)mesh->vertex_count * 4; i++)
        if (!(mesh->colours[i] >= 0 && mesh->colours[i] <= 1))
            return false;
    return true;
}

/* ---- shapes ---- */

/* Keeps the shape. Most shapes are the scene's meshes as they are, so only others get memory of their own. */
static bool keep_shape(const struct gltf_file *file, const cp_mesh *shape, struct mesh_plan *plan)
{
    plan->shape = arena_copy(file->work->arena, shape, 1, sizeof *shape);
    return plan->shape != NULL;
}

/* Makes the shape that is written: the scene's mesh as it is, or tessellated, with normals made or left out. */
static bool make_shape(const struct gltf_file *file, const cp_mesh *mesh, struct mesh_plan *plan)
{
    cp_mesh shape = *mesh;
    int mode = normals_mode(file->settings);
    bool web = file->settings->web, primitive = mesh->kind >= CP_MESH_BOX, smooth = mode == NORMALS_SMOOTH;
    if (primitive && (smooth ? mesh_tessellate_round : mesh_tessellate)(file->work, &shape) != CP_OK)
        return false;
    const float *normals = shape.normals;
    if (mode == NORMALS_NONE)
        shape.normals = shape.tangents = NULL;
    if (smooth && !shape.normals && shape.kind == CP_MESH_FACES && shape.face_count > 0) {
        bool all = web || file->settings->normals == NORMALS_SMOOTH;
        cp_status status = (all ? mesh_smooth_normals : mesh_smooth_curved)(file->work, &shape, file->settings->crease);
        if (status != CP_OK)
            return false;
        plan->made_normals = shape.normals != NULL;
    }
    plan->shape = mesh;
    if ((primitive || plan->made_normals || shape.normals != normals) && !keep_shape(file, &shape, plan))
        return false;
    plan->split = mesh->kind == CP_MESH_FACES && shape.vertex_count != mesh->vertex_count;
    plan->raw[ARRAY_NORMALS] = !web && shape.normals && !are_unit(shape.normals, 3, shape.vertex_count);
    plan->raw[ARRAY_TANGENTS] =
        !web && shape.tangents &&
        (plan->raw[ARRAY_NORMALS] || !are_unit(shape.tangents, 4, shape.vertex_count) || !signs_are_one(&shape));
    plan->raw[ARRAY_COLOURS] = !web && shape.colours && !colours_are_clamped(&shape);
    return true;
}

/* ---- what is drawn ---- */

/* Makes a primitive of each group that has something to draw. starts: of face_count + 1 faces in the indices. */
static bool split_groups(const struct gltf_file *file, struct mesh_plan *plan, const uint32_t *starts)
{
    const cp_mesh *shape = plan->shape;
    cp_group whole = {0, shape->face_count, CP_NONE};
    const cp_group *groups = shape->group_count ? shape->groups : &whole;
    uint32_t count = shape->group_count ? shape->group_count : 1;
    plan->primitives = file_allocate(file, count, sizeof *plan->primitives);
    if (!plan->primitives)
        return false;
    if (plan->web && plan->web->corners) { /* which has joined groups of one material */
        groups = plan->web->groups;
        count = plan->web->group_count;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t last = groups[i].first_face + groups[i].face_count;
        uint32_t begin = starts ? starts[groups[i].first_face] : 3 * groups[i].first_face;
        uint32_t end = starts ? starts[last] : 3 * last;
        if (end > begin)
            plan->primitives[plan->primitive_count++] = (struct drawn_primitive){
                .material = groups[i].material, .first_index = begin, .index_count = end - begin};
    }
    return true;
}

static bool draw_triangles(const struct gltf_file *file, const cp_mesh *polygons, struct mesh_plan *plan)
{
    if (!has_only_triangles(polygons)) {
        cp_mesh triangles = *polygons;
        if (mesh_triangulate(file->work, &triangles) != CP_OK || !keep_shape(file, &triangles, plan))
            return false;
    }
    plan->indices = plan->web ? plan->web->corners : plan->shape->corners;
    plan->index_count = plan->web ? plan->web->corner_count : plan->shape->corner_count;
    return split_groups(file, plan, NULL);
}

/* Polylines as segments. */
static bool draw_lines(const struct gltf_file *file, struct mesh_plan *plan)
{
    const cp_mesh *shape = plan->shape;
    uint64_t total = 0;
    for (uint32_t face = 0; face < shape->face_count; face++)
        if (mesh_face_size(shape, face) > 1)
            total += UINT64_C(2) * (mesh_face_size(shape, face) - 1);
    if (total > UINT32_MAX) {
        report_error(file->context, CP_LIMIT, "gltf-indices", NOWHERE,
                     "mesh \"%s\" has more line segments than glTF can index", shape->name);
        return false;
    }
    uint32_t *indices = scene_allocate(file->work, total, sizeof *indices);
    uint32_t *starts = scene_allocate(file->work, shape->face_count + (size_t)1, sizeof *starts);
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
    return split_groups(file, plan, starts);
}

bool material_blends(const cp_material *material, bool translucent)
{
    bool textured = false; /* set if a texture has an alpha that only decoders know */
    for (uint32_t i = 0; i < material->texture_count; i++)
        textured = textured || material->textures[i].role == CP_TEXTURE_BASE_COLOUR;
    return material->alpha == CP_ALPHA_BLEND && (translucent || textured || material->rgba[3] < 1);
}

static void give_looks(const struct gltf_file *file, struct mesh_plan *plan, bool single_sided)
{
    const cp_mesh *shape = plan->shape;
    bool coloured = shape->colours && !plan->raw[ARRAY_COLOURS], translucent = false;
    for (size_t i = 0; coloured && !translucent && i < shape->vertex_count; i++)
        translucent = shape->colours[4 * i + 3] < 1;
    for (uint32_t i = 0; i < plan->primitive_count; i++) {
        struct drawn_primitive *primitive = &plan->primitives[i];
        const cp_material *material =
            primitive->material == CP_NONE ? NULL : &file->scene->materials[primitive->material];
        bool one_sided = material ? material->one_sided || (single_sided && !material->two_sided) : single_sided;
        if (!one_sided)
            primitive->look |= LOOK_DOUBLE_SIDED;
        if (material ? material_blends(material, translucent) : translucent)
            primitive->look |= LOOK_BLEND;
        for (uint32_t k = 0; material && k < material->texture_count; k++)
            if (!shape->coordinates[material->textures[k].set])
                primitive->look |= LOOK_BARE;
        if (!material && coloured)
            primitive->look |= LOOK_WHITE;
    }
}

/* ---- accessors and views ---- */

/* Adds a view with a name, to which our extras refer. */
static bool add_raw(struct gltf_binary *binary, const char *id, const char *part, const void *data, uint64_t count,
                    enum encoding encoding)
{
    struct buffer_view view = {.data = data, .count = count, .encoding = (uint8_t)encoding, .id = id, .part = part};
    return add_view(binary, view) != CP_NONE;
}

/* Adds a list with the origin of each vertex that was split off, behind the mesh's own. */
static bool add_split(struct gltf_file *file, const cp_mesh *mesh, const cp_mesh *shape)
{
    uint32_t own = mesh->vertex_count, count = shape->vertex_count - own;
    uint32_t *from = scene_allocate(file->work, count, sizeof *from);
    for (uint32_t corner = 0; from && corner < mesh->corner_count; corner++)
        if (shape->corners[corner] >= own)
            from[shape->corners[corner] - own] = mesh->corners[corner];
    return from && add_raw(&file->binary, mesh->id, ":split", from, count, ENCODE_WORDS);
}

static bool add_attribute(struct gltf_file *file, const cp_mesh *shape, size_t array, uint32_t *added)
{
    const float *values = mesh_array(shape, array);
    const uint8_t width = (uint8_t)vertex_arrays[array].width;
    struct accessor accessor = {.count = shape->vertex_count, .component = COMPONENT_FLOAT, .width = width};
    accessor.view =
        add_view(&file->binary,
                 (struct buffer_view){.data = values, .count = accessor.count * width, .target = TARGET_VERTICES});
    if (array == ARRAY_POSITIONS)
        set_range(&accessor, values);
    *added = add_accessor(&file->binary, accessor);
    return *added != CP_NONE;
}

static bool add_indices(struct gltf_file *file, struct mesh_plan *plan)
{
    bool narrow = plan->shape->vertex_count <= MOST_NARROW_VERTICES;
    uint32_t view = add_view(&file->binary, (struct buffer_view){.data = plan->indices,
                                                                 .count = plan->index_count,
                                                                 .encoding = narrow ? ENCODE_NARROW : ENCODE_WORDS,
                                                                 .target = TARGET_INDICES});
    for (uint32_t i = 0; i < plan->primitive_count; i++) {
        struct drawn_primitive *primitive = &plan->primitives[i];
        struct accessor accessor = {.view = view, .width = 1, .count = primitive->index_count};
        accessor.component = narrow ? COMPONENT_U16 : COMPONENT_U32;
        accessor.offset = primitive->first_index * (narrow ? UINT64_C(2) : UINT64_C(4));
        primitive->accessor = add_accessor(&file->binary, accessor);
        if (primitive->accessor == CP_NONE)
            return false;
    }
    return view != CP_NONE;
}

/* ---- one mesh ---- */

/* Adds views and accessors of the drawn triangles. */
static bool add_drawn(struct gltf_file *file, struct mesh_plan *plan)
{
    const cp_mesh *shape = plan->shape;
    if (plan->web)
        return stream_vertices(&file->web.streams, file->web.coordinates, plan) &&
               (plan->web->corners ? stream_indices(&file->web.streams, plan) : add_indices(file, plan));
    for (size_t i = 0; i < ARRAY_COUNT; i++)
        if (mesh_array(shape, i) && !plan->raw[i] && !add_attribute(file, shape, i, &plan->attributes[i]))
            return false;
    return add_indices(file, plan);
}

static bool plan_mesh(struct gltf_file *file, uint32_t index, struct mesh_plan *plan)
{
    const cp_mesh *mesh = &file->scene->meshes[index];
    if (!make_shape(file, mesh, plan))
        return false;
    /* web=yes replaces the shape's floats by integers. */
    if (file->settings->web && plan->shape->corner_count > 0) {
        struct web_mesh *web = file_allocate(file, 1, sizeof *web);
        plan->web = web;
        if (!web || !web_quantise(file->work, plan->shape, &file->web.places[index], file->web.coordinates, web))
            return false;
        web->position += file->web.rounded;
    }
    /* Faces that are no triangles are kept beside the drawn ones if a reader can use them. */
    bool polygons = !is_deliver(file), told = file->settings->extras;
    plan->has_split = told && plan->split && !plan->web && has_only_triangles(mesh);
    plan->has_faces = told && (mesh->kind == CP_MESH_LINES || (plan->split && !plan->web && !plan->has_split) ||
                               (mesh->kind == CP_MESH_FACES && polygons && !has_only_triangles(mesh)));
    bool lines = plan->shape->kind == CP_MESH_LINES, single_sided = false;
    if (!(lines ? draw_lines(file, plan) : draw_triangles(file, plan->shape, plan)))
        return false;
    /* Only profile deliver looks whether a mesh is seen from outside only, as that costs more than the rest. */
    if (is_deliver(file) && mesh_bounds_solid(file->context, plan->shape, &single_sided) != CP_OK)
        return false;
    give_looks(file, plan, single_sided);
    bool drawn = plan->primitive_count > 0;
    plan->index = drawn ? file->mesh_count++ : CP_NONE;
    if (drawn && !add_drawn(file, plan))
        return false;

    /* Data that no primitive draws get views of their own: all of them, or the attributes that break glTF's rules.
     * Colours are of the scene's vertices, which come first if some are split. */
    const cp_mesh *shape = plan->shape;
    bool vertices = told && mesh->kind < CP_MESH_BOX && shape->vertex_count > 0, good = true;
    for (size_t i = 0; i < ARRAY_COUNT && vertices && good; i++)
        if (array_is_loose(plan, i))
            good = add_raw(&file->binary, mesh->id, loose_part(i), mesh_array(shape, i),
                           (uint64_t)vertex_arrays[i].width *
                               (i == ARRAY_COLOURS ? mesh->vertex_count : shape->vertex_count),
                           ENCODE_WORDS);
    if (good && plan->has_split)
        good = add_split(file, mesh, shape);
    if (good && plan->has_faces && mesh->face_count > 0)
        good = add_raw(&file->binary, mesh->id, ":sizes", mesh->face_offsets, mesh->face_count, ENCODE_SIZES);
    if (good && plan->has_faces && mesh->corner_count > 0)
        good = add_raw(&file->binary, mesh->id, ":corners", mesh->corners, mesh->corner_count, ENCODE_WORDS);
    return good;
}

bool plan_meshes(struct gltf_file *file)
{
    const cp_scene *scene = file->scene;
    file->meshes = file_allocate(file, scene->mesh_count, sizeof *file->meshes);
    bool *wanted = file_allocate(file, scene->mesh_count, sizeof *wanted);
    if (!file->meshes || !wanted)
        return false;
    /* A mesh is left out with all its instances; one without instances stays. */
    for (uint32_t i = 0; i < scene->instance_count; i++) {
        bool gone = instance_is_left_out(file, &scene->instances[i]);
        wanted[scene->instances[i].mesh] |= !gone;
        file->meshes[scene->instances[i].mesh].left_out |= gone;
    }
    for (uint32_t i = 0; i < scene->mesh_count; i++) {
        struct mesh_plan *plan = &file->meshes[i];
        plan->left_out &= !wanted[i];
        plan->index = CP_NONE;
        memset(plan->attributes, 0xff, sizeof plan->attributes);
        if (!plan->left_out && !plan_mesh(file, i, plan))
            return false;
    }
    return true;
}

/* ---- JSON ---- */

static void write_primitive(struct json_writer *json, const struct gltf_file *file, const struct mesh_plan *plan,
                            const struct drawn_primitive *primitive)
{
    static const char *const words[ARRAY_COUNT] = {"POSITION", "NORMAL",     "TANGENT",
                                                   "COLOR_0",  "TEXCOORD_0", "TEXCOORD_1"};
    uint32_t row = primitive->material == CP_NONE ? file->scene->material_count : primitive->material;
    json_open(json, '{');
    json_key_open(json, "attributes", '{');
    for (size_t i = 0; i < ARRAY_COUNT; i++)
        if (plan->attributes[i] != CP_NONE)
            json_key_integer(json, words[i], plan->attributes[i]);
    json_close(json, '}');
    json_key_integer(json, "indices", primitive->accessor);
    json_key_integer(json, "material", file->looks[(size_t)row * LOOK_COUNT + primitive->look]);
    if (plan->shape->kind == CP_MESH_LINES)
        json_key_integer(json, "mode", 1);
    json_close(json, '}');
}

void write_meshes(struct json_writer *json, const struct gltf_file *file)
{
    if (file->mesh_count == 0)
        return;
    json_open_list(json, "meshes");
    for (uint32_t i = 0; i < file->scene->mesh_count; i++) {
        const struct mesh_plan *plan = &file->meshes[i];
        if (plan->index == CP_NONE)
            continue;
        json_open_item(json);
        write_name(json, file, plan->name);
        json_key_open(json, "primitives", '[');
        for (uint32_t k = 0; k < plan->primitive_count; k++)
            write_primitive(json, file, plan, &plan->primitives[k]);
        json_close(json, ']');
        open_extras(json, &file->metadata, CP_OWNER_MESH, i, "extras");
        if (plan->name != file->scene->meshes[i].name)
            json_key_text(json, "name", file->scene->meshes[i].name);
        write_mesh_extras(json, file, i);
        json_extras_close(json);
        json_close(json, '}');
    }
    json_close(json, ']');
}
