/* Writes a mesh once, then by USE: in the file or as an Inline, as faces, lines or a node of its own kind. */
#include <math.h>
#include <string.h>

#include "mesh/mesh.h"
#include "vrml97.h"

/* ---- appearance ---- */

/* VRML97 does not mention colour spaces; its readers show the numbers unchanged, that is, as sRGB. */
static double shown_colour(struct vrml_output *output, double linear)
{
    output->losses[LOST_CLAMPED] += !(linear >= 0 && linear <= 1);
    return srgb_from_linear(within_unit(linear));
}

static bool material_has_texture(const cp_material *material)
{
    return material && material->texture_count > 0 && material->textures[0].role == CP_TEXTURE_BASE_COLOUR;
}

/* Writes a look once in a file, then by USE; without the material's texture each time. use: of that texture, NULL: it
 * is not shown. */
static void write_look(struct vrml_output *output, struct vrml_shapes *shapes, uint32_t index, bool lines,
                       const cp_texture_use *use)
{
    struct vrml_look_plan *look = &shapes->looks[(index == CP_NONE ? 0 : 2 * (size_t)index + 2) + lines];
    const cp_material *material = index == CP_NONE ? NULL : &shapes->scene->materials[index];
    double rgb[3] = {PLAIN_GREY, PLAIN_GREY, PLAIN_GREY}, glow[3] = {0, 0, 0};
    vrml_indent(output);
    sink_text(output->sink, "appearance ");
    bool bare = !lines && !use && material_has_texture(material);
    if (look->file == output->file && !bare) {
        vrml_use(output, look->name);
        return;
    }
    if (!bare) {
        look->file = output->file;
        vrml_define(output, look->name);
    }
    for (int i = 0; i < 3 && material; i++) {
        double value = material->rgba[i];
        rgb[i] = material->srgb && value >= 0 && value <= 1 ? value : shown_colour(output, value);
        glow[i] = srgb_from_linear(emissive_channel(material, i));
    }
    sink_text(output->sink, "Appearance { material Material { ");
    vrml_vector(output, lines ? "emissiveColor" : "diffuseColor", rgb); /* lines are not lit */
    if (!lines)
        sink_text(output->sink, " specularColor 0.12 0.12 0.12 shininess 0.3"); /* matt paint, as in our glTF */
    if (!lines && (glow[0] > 0 || glow[1] > 0 || glow[2] > 0))
        vrml_vector(output, " emissiveColor", glow);
    if (material && material->rgba[3] < 1) {
        sink_text(output->sink, " transparency ");
        vrml_number(output, material->rgba[3] > 0 ? 1 - material->rgba[3] : 1);
    }
    sink_text(output->sink, use ? " }\n" : " } }\n");
    if (!use)
        return;
    output->depth++;
    vrml_write_texture(output, shapes, use);
    vrml_close(output, "}");
}

/* ---- faces and lines: a Shape a group ---- */

/* A list of the mesh's vertices. If several Shapes share it, the first one defines it and the others use it. */
struct vertex_list {
    const char *field, *type, *list, *prefix; /* the last: of its DEF name */
    const float *vectors;
    uint32_t count;
    const char *name; /* DEF name once written, or NULL */
};

struct drawn_mesh {
    const cp_mesh *mesh;
    const struct vrml_rest *rest;
    bool lines, concave, closed;
    bool shared;                         /* several Shapes on the same points */
    bool tinted;                         /* groups multiply the vertex colours by different colours, and then: */
    uint32_t *places, *listed, *corners; /* a vertex' place in the list of a group, that list, its corners */
    const cp_mesh *smooth;               /* the mesh with normals of our own, and a vertex for each; or NULL */
    struct vertex_list points, normals, colours;
};

/* Writes "field DEF name Type { list [", or "field USE name" and returns false. */
static bool open_vertices(struct vrml_output *output, const struct drawn_mesh *part, struct vertex_list *list)
{
    vrml_indent(output);
    sink_print(output->sink, "%s ", list->field);
    if (list->name) {
        vrml_use(output, list->name);
        return false;
    }
    if (part->shared)
        list->name = vrml_name(output, list->prefix, part->mesh->name);
    vrml_define(output, list->name);
    sink_print(output->sink, "%s { %s [\n", list->type, list->list);
    return true;
}

static void write_vertices(struct vrml_output *output, const struct drawn_mesh *part, struct vertex_list *list)
{
    if (!open_vertices(output, part, list))
        return;
    vrml_write_vectors(output, part->rest, list->vectors, list->count);
    vrml_line(output, "] }");
}

/* Writes the corners of a group by another list of indices than the points have. */
static void write_index(struct vrml_output *output, const char *field, const struct drawn_mesh *part,
                        const uint32_t *corners, const cp_group *group, bool reversed)
{
    cp_mesh mesh = *part->mesh;
    mesh.corners = corners;
    vrml_indent(output);
    sink_print(output->sink, "%s [\n", field);
    vrml_write_corners(output, &mesh, group, reversed);
    vrml_line(output, "]");
}

/* ---- vertex colours ---- */

/* Finds the colour that multiplies a group's vertex colours. glTF multiplies them by the material's (glTF 2.0, section
 * 3.9.2), but VRML97's Color replaces diffuseColor. So the products are written. Without a material they are the
 * vertices' own. */
static void tint_of(const struct vrml_shapes *shapes, const cp_group *group, double tint[3])
{
    for (int i = 0; i < 3; i++)
        tint[i] = group->material == CP_NONE ? 1 : linear_channel(&shapes->scene->materials[group->material], i);
}

/* Tells whether the group has colours of its own beside that of its material. */
static bool is_coloured(const cp_mesh *mesh, const cp_group *group)
{
    if (!mesh->colours || group->face_count == 0 || group->material == CP_NONE)
        return mesh->colours && group->face_count > 0;
    uint32_t end = mesh_face_first(mesh, group->first_face + group->face_count);
    for (uint32_t i = mesh_face_first(mesh, group->first_face); i < end; i++) {
        const float *colour = mesh->colours + 4 * (size_t)mesh->corners[i];
        if (!(colour[0] == 1 && colour[1] == 1 && colour[2] == 1))
            return true;
    }
    return false;
}

static void write_colour(struct vrml_output *output, const float *colour, const double tint[3])
{
    for (int k = 0; k < 3; k++) {
        sink_text(output->sink, k ? " " : "");
        vrml_float(output, (float)shown_colour(output, tint[k] * (double)colour[k]));
    }
    sink_text(output->sink, "\n");
}

/* Writes the colours of all vertices, in their order: the Shapes of the mesh share them. */
static void write_colours(struct vrml_output *output, const struct vrml_shapes *shapes, struct drawn_mesh *part,
                          const cp_group *group)
{
    double tint[3];
    tint_of(shapes, group, tint);
    if (!open_vertices(output, part, &part->colours))
        return;
    for (size_t i = 0; i < part->mesh->vertex_count; i++)
        write_colour(output, part->mesh->colours + 4 * i, tint);
    vrml_line(output, "] }");
}

/* Writes the colours of the group's vertices alone, with a colorIndex: a list of all vertices for each group would grow
 * with both. */
static void write_own_colours(struct vrml_output *output, const struct vrml_shapes *shapes,
                              const struct drawn_mesh *part, const cp_group *group, bool reversed)
{
    cp_mesh mesh = *part->mesh;
    uint32_t begin = mesh_face_first(&mesh, group->first_face), count = 0;
    uint32_t end = mesh_face_first(&mesh, group->first_face + group->face_count);
    uint32_t *places = part->places, *listed = part->listed;
    double tint[3];
    tint_of(shapes, group, tint);
    vrml_line(output, "color Color { color [");
    for (uint32_t i = begin; i < end; i++) {
        uint32_t vertex = mesh.corners[i];
        if (places[vertex] >= count || listed[places[vertex]] != vertex) {
            write_colour(output, mesh.colours + 4 * (size_t)vertex, tint);
            listed[count] = vertex;
            places[vertex] = count++;
        }
        part->corners[i] = places[vertex];
    }
    vrml_line(output, "] }");
    write_index(output, "colorIndex", part, part->corners, group, reversed);
}

/* Decides how the colours of a mesh are written, and reports what is lost of them. */
static cp_status plan_colours(struct vrml_output *output, const struct vrml_shapes *shapes, struct drawn_mesh *part,
                              const cp_group *groups, uint32_t count)
{
    const cp_mesh *mesh = part->mesh;
    double first[3], tint[3];
    bool any = false;
    for (uint32_t i = 0; i < count && mesh->colours; i++) {
        if (!is_coloured(mesh, &groups[i]))
            continue;
        tint_of(shapes, &groups[i], any ? tint : first);
        part->tinted |= any && memcmp(first, tint, sizeof first) != 0;
        any = true;
    }
    for (size_t i = 0; i < mesh->vertex_count && mesh->colours; i++)
        output->losses[LOST_ALPHA] += mesh->colours[4 * i + 3] < 1;
    if (!part->tinted)
        return CP_OK;
    part->places = memory_allocate_zeroed(output->context, mesh->vertex_count, sizeof *part->places);
    part->listed = memory_allocate(output->context, mesh->vertex_count, sizeof *part->listed);
    part->corners = memory_allocate(output->context, mesh->corner_count, sizeof *part->corners);
    return part->places && part->listed && part->corners ? CP_OK : CP_LIMIT;
}

static void free_colours(const struct vrml_output *output, struct drawn_mesh *part)
{
    memory_free(output->context, part->places, part->mesh->vertex_count, sizeof *part->places);
    memory_free(output->context, part->listed, part->mesh->vertex_count, sizeof *part->listed);
    memory_free(output->context, part->corners, part->mesh->corner_count, sizeof *part->corners);
}

/* ---- Shapes ---- */

static void write_shape(struct vrml_output *output, struct vrml_shapes *shapes, struct drawn_mesh *part,
                        const cp_group *group, const char *name)
{
    const cp_mesh *mesh = part->mesh;
    bool two_sided = group->material != CP_NONE && shapes->scene->materials[group->material].two_sided;
    bool normals = part->normals.vectors && !part->lines && part->rest->kind != REST_FLAT;
    bool reversed = part->rest->kind == REST_MIRRORED && !part->lines, coloured = is_coloured(mesh, group);
    vrml_open(output, name, "Shape {");
    const cp_texture_use *use = part->lines ? NULL : vrml_texture_use(shapes, group->material, mesh);
    write_look(output, shapes, group->material, part->lines, use);
    vrml_indent(output);
    sink_text(output->sink, part->lines ? "geometry IndexedLineSet {\n" : "geometry IndexedFaceSet {\n");
    output->depth++;
    if (!part->lines && (!part->closed || two_sided))
        vrml_line(output, "solid FALSE");
    if (!part->lines && part->concave)
        vrml_line(output, "convex FALSE");
    if (!part->lines && !normals && output->settings->crease > 0) {
        vrml_indent(output);
        sink_text(output->sink, "creaseAngle ");
        vrml_number(output, output->settings->crease);
        sink_text(output->sink, "\n");
    }
    write_vertices(output, part, &part->points);
    if (normals)
        write_vertices(output, part, &part->normals);
    if (normals && part->smooth && part->smooth->vertex_count > mesh->vertex_count)
        write_index(output, "normalIndex", part, part->smooth->corners, group, reversed);
    if (coloured && part->tinted)
        write_own_colours(output, shapes, part, group, reversed);
    else if (coloured)
        write_colours(output, shapes, part, group);
    if (use)
        vrml_write_coordinates(output, mesh, use);
    vrml_line(output, "coordIndex [");
    vrml_write_corners(output, mesh, group, reversed);
    vrml_line(output, "]");
    vrml_close(output, "}");
    vrml_close(output, "}");
}

/* Makes normals for a mesh that has none and is curved somewhere, in the scratch scene. Viewers make their own by
 * creaseAngle without weights, and long thin triangles then show as streaks. */
static cp_status smooth_faces(const struct vrml_output *output, cp_scene *scratch, struct drawn_mesh *part)
{
    enum { STEPS = 10000 }; /* a tenth of a thousandth: 0.006 degrees, and short texts */
    const cp_mesh *mesh = part->mesh;
    if (part->lines || mesh->normals || part->rest->kind == REST_FLAT || !(output->settings->crease > 0))
        return CP_OK;
    cp_mesh *smooth = arena_copy(scratch->arena, mesh, 1, sizeof *mesh);
    if (!smooth)
        return CP_LIMIT;
    cp_status status = mesh_smooth_curved(scratch, smooth, output->settings->crease);
    if (status != CP_OK || !smooth->normals)
        return status;
    size_t count = 3 * (size_t)smooth->vertex_count;
    float *rounded = scene_allocate(scratch, count, sizeof *rounded);
    if (!rounded)
        return CP_LIMIT;
    for (size_t i = 0; i < count; i++)
        rounded[i] = rintf(smooth->normals[i] * STEPS) / STEPS + 0.0F; /* no -0 */
    part->smooth = smooth;
    part->normals.vectors = rounded;
    part->normals.count = smooth->vertex_count;
    return CP_OK;
}

static cp_status write_faces(struct vrml_output *output, struct vrml_shapes *shapes, cp_scene *scratch,
                             const cp_mesh *mesh, const struct vrml_rest *rest, const char *name)
{
    struct drawn_mesh part = {
        .mesh = mesh,
        .rest = rest,
        .lines = mesh->kind == CP_MESH_LINES,
        .points = {"coord", "Coordinate", "point", "points_", mesh->positions, mesh->vertex_count, NULL},
        .normals = {"normal", "Normal", "vector", "normals_", mesh->normals, mesh->vertex_count, NULL},
        .colours = {"color", "Color", "color", "colours_", NULL, 0, NULL}};
    part.concave = !part.lines && mesh_has_concave_faces(mesh);
    if (!part.lines && rest->kind != REST_FLAT) {
        cp_status status = mesh_bounds_solid(output->context, mesh, &part.closed);
        if (status != CP_OK)
            return status;
    }
    cp_status smoothed = smooth_faces(output, scratch, &part);
    if (smoothed != CP_OK)
        return smoothed;
    const cp_group whole = {0, mesh->face_count, CP_NONE};
    const cp_group *groups = mesh->group_count ? mesh->groups : &whole;
    uint32_t count = mesh->group_count ? mesh->group_count : 1, shape_count = 0;
    for (uint32_t i = 0; i < count; i++)
        shape_count += groups[i].face_count > 0;
    part.shared = shape_count > 1;
    cp_status status = plan_colours(output, shapes, &part, groups, count);
    if (status == CP_OK && shape_count != 1)
        vrml_open_group(output, name);
    for (uint32_t i = 0; i < count && status == CP_OK && !output->failed; i++)
        if (groups[i].face_count > 0)
            write_shape(output, shapes, &part, &groups[i], shape_count == 1 ? name : NULL);
    if (status == CP_OK && shape_count != 1)
        vrml_close_node(output);
    free_colours(output, &part);
    return status;
}

/* ---- primitives ---- */

/* Returns VRML97's own kind of a primitive: with sizes above zero, and also mirrored at its centre, except the cone.
 * NULL if it must be written as faces. */
static const char *own_kind(const struct vrml_settings *settings, const cp_mesh *mesh, const struct vrml_rest *rest)
{
    const double *size = mesh->size;
    if (!settings->primitives || rest->kind == REST_FLAT || !(size[0] > 0))
        return NULL;
    switch (mesh->kind) {
    case CP_MESH_BOX:
        return size[1] > 0 && size[2] > 0 ? "Box" : NULL;
    case CP_MESH_SPHERE:
        return "Sphere";
    case CP_MESH_CYLINDER:
        return size[1] > 0 ? "Cylinder" : NULL;
    case CP_MESH_CONE:
        return size[1] == 0 && size[2] > 0 && rest->kind == REST_NONE ? "Cone" : NULL;
    default:
        return NULL;
    }
}

static void write_own_kind(struct vrml_output *output, struct vrml_shapes *shapes, const cp_mesh *mesh,
                           const char *kind, const char *name)
{
    static const struct vrml_placing upright = {.rotation = {{1, 0, 0}, PI / 2}, .scale = {1, 1, 1}};
    bool cone = mesh->kind == CP_MESH_CONE, turned = cone || mesh->kind == CP_MESH_CYLINDER; /* they stand on Y */
    if (turned)
        vrml_open_transform(output, name, &upright);
    vrml_open(output, turned ? NULL : name, "Shape {");
    write_look(output, shapes, mesh->group_count ? mesh->groups[0].material : CP_NONE, false, NULL);
    vrml_indent(output);
    sink_print(output->sink, "geometry %s", kind);
    if (mesh->kind == CP_MESH_BOX) {
        vrml_vector(output, " { size", mesh->size);
    } else {
        sink_text(output->sink, cone ? " { bottomRadius " : " { radius ");
        vrml_number(output, mesh->size[0]);
    }
    if (turned) {
        sink_text(output->sink, " height ");
        vrml_number(output, mesh->size[cone ? 2 : 1]);
    }
    sink_text(output->sink, " }\n");
    vrml_close(output, "}");
    if (turned)
        vrml_close_node(output);
}

static cp_status write_geometry(struct vrml_output *output, struct vrml_shapes *shapes, const cp_mesh *mesh,
                                const struct vrml_rest *rest, const char *name)
{
    const char *kind = mesh->kind >= CP_MESH_BOX ? own_kind(output->settings, mesh, rest) : NULL;
    if (kind) {
        write_own_kind(output, shapes, mesh, kind, name);
        return CP_OK;
    }
    cp_scene *scratch = scene_new(output->context);
    if (!scratch)
        return CP_LIMIT;
    cp_mesh faces = *mesh;
    cp_status status = CP_OK;
    if (mesh->kind >= CP_MESH_BOX)
        status = (output->settings->crease > 0 ? mesh_tessellate_round : mesh_tessellate)(scratch, &faces);
    if (status == CP_OK)
        status = write_faces(output, shapes, scratch, &faces, rest, name);
    cp_scene_free(scratch);
    return status;
}

/* ---- files ---- */

cp_status vrml_open_part(struct vrml_output *output, const struct vrml_shapes *shapes, uint32_t node,
                         const char *wanted, const char *name, struct vrml_part *part)
{
    uint32_t device = shapes->scene->nodes[node].scope;
    const char **folder = &shapes->folders[device == CP_NONE ? shapes->scene->device_count : device];
    if (!*folder) {
        const char *safe =
            sink_safe_name(output->world, device == CP_NONE ? "cell" : shapes->scene->devices[device].name, "");
        *folder = safe ? arena_print(output->arena, "d_%s", safe) : NULL;
        output->failed |= !*folder;
    }
    const char *stem_and_name = arena_print(output->arena, "%s_%s", sink_stem(output->world), wanted);
    const char *file = *folder && stem_and_name ? sink_safe_name(output->world, stem_and_name, ".wrl") : NULL;
    const char *path = file ? arena_print(output->arena, "%s/%s", *folder, file) : NULL;
    if (!path)
        return CP_LIMIT;
    vrml_indent(output);
    vrml_define(output, name);
    sink_text(output->sink, "Inline { url ");
    vrml_string(output, path);
    sink_text(output->sink, " }\n");
    part->depth = output->depth;
    cp_status status = sink_open(output->world, path, &part->sink);
    if (status != CP_OK)
        return status;
    output->sink = part->sink;
    output->depth = 0;
    output->file++;
    sink_text(output->sink, "#VRML V2.0 utf8\n");
    return CP_OK;
}

cp_status vrml_close_part(struct vrml_output *output, const struct vrml_part *part)
{
    output->sink = output->world;
    output->depth = part->depth;
    return sink_close_further(part->sink);
}

cp_status vrml_write_mesh(struct vrml_output *output, struct vrml_shapes *shapes, const cp_instance *instance,
                          const struct vrml_rest *rest)
{
    const cp_mesh *mesh = &shapes->scene->meshes[instance->mesh];
    struct vrml_mesh_plan *plan =
        rest->kind == REST_FLAT ? NULL : &shapes->meshes[2 * (size_t)instance->mesh + (rest->kind == REST_MIRRORED)];
    bool one_file = output->settings->layout != VRML_PARTS; /* all meshes are in one file, or all Inlines */
    if (plan && plan->file > 0 && (one_file || plan->file == output->file)) {
        vrml_indent(output);
        vrml_use(output, plan->name);
        return CP_OK;
    }
    const char *name = plan ? plan->name : NULL;
    if (plan)
        plan->file = output->file;
    if (output->settings->layout != VRML_INLINE)
        return write_geometry(output, shapes, mesh, rest, name);
    struct vrml_part part;
    const char *wanted = mesh->name && *mesh->name ? mesh->name : shapes->scene->nodes[instance->node].name;
    cp_status status = vrml_open_part(output, shapes, instance->node, wanted, name, &part);
    if (status != CP_OK)
        return status;
    status = write_geometry(output, shapes, mesh, rest, NULL);
    cp_status closed = vrml_close_part(output, &part);
    return status == CP_OK ? closed : status;
}
