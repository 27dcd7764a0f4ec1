/* Writes a mesh once, then by USE: in the file or as an Inline, as faces, lines or a node of its own kind. */
#include <math.h>
#include <string.h>

#include "mesh/mesh.h"
#include "vrml97.h"

/* ---- appearance ---- */

/* VRML97 does not mention colour spaces; its readers show the numbers unchanged, that is, as sRGB. */
static double shown_colour(struct vrml *v, double linear)
{
    v->clamped += !(linear >= 0 && linear <= 1);
    return srgb_from_linear(within_unit(linear));
}

static bool material_has_texture(const cp_material *material)
{
    return material && material->texture_count > 0 && material->textures[0].role == CP_TEXTURE_BASE_COLOUR;
}

/* Writes a look once in a file, then by USE; without the material's texture each time. use: of that texture, NULL: it
 * is not shown. */
static void write_look(struct vrml *v, uint32_t index, bool lines, const cp_texture_use *use)
{
    struct look_plan *look = &v->looks[(index == CP_NONE ? 0 : 2 * (size_t)index + 2) + lines];
    const cp_material *material = index == CP_NONE ? NULL : &v->scene->materials[index];
    double rgb[3] = {PLAIN_GREY, PLAIN_GREY, PLAIN_GREY};
    vrml_indent(v);
    sink_text(v->out, "appearance ");
    bool bare = !lines && !use && material_has_texture(material);
    if (look->file == v->file && !bare) {
        vrml_use(v, look->name);
        return;
    }
    if (!bare) {
        look->file = v->file;
        vrml_define(v, look->name);
    }
    for (int i = 0; i < 3 && material; i++) {
        double value = material->rgba[i];
        rgb[i] = material->srgb && value >= 0 && value <= 1 ? value : shown_colour(v, value);
    }
    sink_text(v->out, "Appearance { material Material { ");
    vrml_vector(v, lines ? "emissiveColor" : "diffuseColor", rgb); /* lines are not lit */
    if (!lines)
        sink_text(v->out, " specularColor 0.12 0.12 0.12 shininess 0.3"); /* matt paint, as in our glTF */
    if (material && material->rgba[3] < 1) {
        sink_text(v->out, " transparency ");
        vrml_number(v, material->rgba[3] > 0 ? 1 - material->rgba[3] : 1);
    }
    sink_text(v->out, use ? " }\n" : " } }\n");
    if (!use)
        return;
    v->depth++;
    vrml_write_texture(v, use);
    vrml_close(v, "}");
}

/* ---- faces and lines: a Shape a group ---- */

/* A list of the mesh's vertices. If several Shapes share it, the first one defines it and the others use it. */
struct vertex_list {
    const char *field, *type, *list, *prefix; /* the last: of its DEF name */
    const float *vectors;
    const char *name; /* DEF name once written, or NULL */
};

struct part {
    const cp_mesh *mesh;
    const struct rest *rest;
    bool lines, concave, closed;
    bool shared;                         /* several Shapes on the same points */
    bool tinted;                         /* groups multiply the vertex colours by different colours, and then: */
    uint32_t *places, *listed, *corners; /* a vertex' place in the list of a group, that list, its corners */
    struct vertex_list points, normals, colours;
};

/* Writes "field DEF name Type { list [", or "field USE name" and returns false. */
static bool open_vertices(struct vrml *v, const struct part *part, struct vertex_list *list)
{
    vrml_indent(v);
    sink_text(v->out, list->field);
    sink_text(v->out, " ");
    if (list->name) {
        vrml_use(v, list->name);
        return false;
    }
    if (part->shared)
        list->name = vrml_name(v, list->prefix, part->mesh->name);
    vrml_define(v, list->name);
    sink_text(v->out, list->type);
    sink_text(v->out, " { ");
    sink_text(v->out, list->list);
    sink_text(v->out, " [\n");
    return true;
}

static void write_vertices(struct vrml *v, const struct part *part, struct vertex_list *list)
{
    if (!open_vertices(v, part, list))
        return;
    vrml_write_vectors(v, part->rest, list->vectors, part->mesh->vertex_count);
    vrml_line(v, "] }");
}

/* ---- vertex colours ---- */

/* Finds the colour that multiplies a group's vertex colours. glTF multiplies them by the material's (glTF 2.0, section
 * 3.9.2), but VRML97's Color replaces diffuseColor. So the products are written. Without a material they are the
 * vertices' own. */
static void tint_of(const struct vrml *v, const cp_group *group, double tint[3])
{
    for (int i = 0; i < 3; i++)
        tint[i] = group->material == CP_NONE ? 1 : linear_channel(&v->scene->materials[group->material], i);
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

static void write_colour(struct vrml *v, const float *colour, const double tint[3])
{
    for (int k = 0; k < 3; k++) {
        sink_text(v->out, k ? " " : "");
        vrml_float(v, (float)shown_colour(v, tint[k] * (double)colour[k]));
    }
    sink_text(v->out, "\n");
}

/* Writes the colours of all vertices, in their order: the Shapes of the mesh share them. */
static void write_colours(struct vrml *v, struct part *part, const cp_group *group)
{
    double tint[3];
    tint_of(v, group, tint);
    if (!open_vertices(v, part, &part->colours))
        return;
    for (size_t i = 0; i < part->mesh->vertex_count; i++)
        write_colour(v, part->mesh->colours + 4 * i, tint);
    vrml_line(v, "] }");
}

/* Writes the colours of the group's vertices alone, with a colorIndex: a list of all vertices for each group would grow
 * with both. */
static void write_own_colours(struct vrml *v, const struct part *part, const cp_group *group, bool reversed)
{
    cp_mesh mesh = *part->mesh;
    uint32_t begin = mesh_face_first(&mesh, group->first_face), count = 0;
    uint32_t end = mesh_face_first(&mesh, group->first_face + group->face_count);
    uint32_t *places = part->places, *listed = part->listed;
    double tint[3];
    tint_of(v, group, tint);
    vrml_line(v, "color Color { color [");
    for (uint32_t i = begin; i < end; i++) {
        uint32_t vertex = mesh.corners[i];
        if (places[vertex] >= count || listed[places[vertex]] != vertex) {
            write_colour(v, mesh.colours + 4 * (size_t)vertex, tint);
            listed[count] = vertex;
            places[vertex] = count++;
        }
        part->corners[i] = places[vertex];
    }
    vrml_line(v, "] }");
    mesh.corners = part->corners;
    vrml_line(v, "colorIndex [");
    vrml_write_corners(v, &mesh, group, reversed);
    vrml_line(v, "]");
}

/* Decides how the colours of a mesh are written, and reports what is lost of them. */
static cp_status plan_colours(struct vrml *v, struct part *part, const cp_group *groups, uint32_t count)
{
    const cp_mesh *mesh = part->mesh;
    double first[3], tint[3];
    bool any = false;
    for (uint32_t i = 0; i < count && mesh->colours; i++) {
        if (!is_coloured(mesh, &groups[i]))
            continue;
        tint_of(v, &groups[i], any ? tint : first);
        part->tinted |= any && memcmp(first, tint, sizeof first) != 0;
        any = true;
    }
    for (size_t i = 0; i < mesh->vertex_count && mesh->colours; i++)
        v->alphas += mesh->colours[4 * i + 3] < 1;
    if (!part->tinted)
        return CP_OK;
    part->places = memory_allocate_zeroed(v->context, mesh->vertex_count, sizeof *part->places);
    part->listed = memory_allocate(v->context, mesh->vertex_count, sizeof *part->listed);
    part->corners = memory_allocate(v->context, mesh->corner_count, sizeof *part->corners);
    return part->places && part->listed && part->corners ? CP_OK : CP_LIMIT;
}

static void free_colours(struct vrml *v, struct part *part)
{
    memory_free(v->context, part->places, part->mesh->vertex_count, sizeof *part->places);
    memory_free(v->context, part->listed, part->mesh->vertex_count, sizeof *part->listed);
    memory_free(v->context, part->corners, part->mesh->corner_count, sizeof *part->corners);
}

/* ---- Shapes ---- */

static void write_shape(struct vrml *v, struct part *part, const cp_group *group, const char *name)
{
    const cp_mesh *mesh = part->mesh;
    bool two_sided = group->material != CP_NONE && v->scene->materials[group->material].two_sided;
    bool normals = mesh->normals && !part->lines && part->rest->kind != REST_FLAT;
    bool reversed = part->rest->kind == REST_MIRRORED && !part->lines, coloured = is_coloured(mesh, group);
    vrml_open(v, name, "Shape {");
    const cp_texture_use *use = part->lines ? NULL : vrml_texture_use(v, group->material, mesh);
    write_look(v, group->material, part->lines, use);
    vrml_indent(v);
    sink_text(v->out, part->lines ? "geometry IndexedLineSet {\n" : "geometry IndexedFaceSet {\n");
    v->depth++;
    if (!part->lines && (!part->closed || two_sided))
        vrml_line(v, "solid FALSE");
    if (!part->lines && part->concave)
        vrml_line(v, "convex FALSE");
    if (!part->lines && !normals && v->settings->crease > 0) {
        vrml_indent(v);
        sink_text(v->out, "creaseAngle ");
        vrml_number(v, v->settings->crease);
        sink_text(v->out, "\n");
    }
    write_vertices(v, part, &part->points);
    if (normals)
        write_vertices(v, part, &part->normals);
    if (coloured && part->tinted)
        write_own_colours(v, part, group, reversed);
    else if (coloured)
        write_colours(v, part, group);
    if (use)
        vrml_write_coordinates(v, mesh, use);
    vrml_line(v, "coordIndex [");
    vrml_write_corners(v, mesh, group, reversed);
    vrml_line(v, "]");
    vrml_close(v, "}");
    vrml_close(v, "}");
}

static cp_status write_faces(struct vrml *v, const cp_mesh *mesh, const struct rest *rest, const char *name)
{
    struct part part = {.mesh = mesh,
                        .rest = rest,
                        .lines = mesh->kind == CP_MESH_LINES,
                        .points = {"coord", "Coordinate", "point", "points_", mesh->positions, NULL},
                        .normals = {"normal", "Normal", "vector", "normals_", mesh->normals, NULL},
                        .colours = {"color", "Color", "color", "colours_", NULL, NULL}};
    part.concave = !part.lines && mesh_has_concave_faces(mesh);
    if (!part.lines && rest->kind != REST_FLAT) {
        cp_status status = mesh_bounds_solid(v->context, mesh, &part.closed);
        if (status != CP_OK)
            return status;
    }
    const cp_group whole = {0, mesh->face_count, CP_NONE};
    const cp_group *groups = mesh->group_count ? mesh->groups : &whole;
    uint32_t count = mesh->group_count ? mesh->group_count : 1, shapes = 0;
    for (uint32_t i = 0; i < count; i++)
        shapes += groups[i].face_count > 0;
    part.shared = shapes > 1;
    cp_status status = plan_colours(v, &part, groups, count);
    if (status == CP_OK && shapes != 1)
        vrml_open_group(v, name);
    for (uint32_t i = 0; i < count && status == CP_OK && !v->failed; i++)
        if (groups[i].face_count > 0)
            write_shape(v, &part, &groups[i], shapes == 1 ? name : NULL);
    if (status == CP_OK && shapes != 1)
        vrml_close_node(v);
    free_colours(v, &part);
    return status;
}

/* ---- primitives ---- */

/* Returns VRML97's own kind of a primitive: with sizes above zero, and also mirrored at its centre, except the cone.
 * NULL if it must be written as faces. */
static const char *own_kind(const struct vrml *v, const cp_mesh *mesh, const struct rest *rest)
{
    const double *size = mesh->size;
    if (!v->settings->primitives || rest->kind == REST_FLAT || !(size[0] > 0))
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

static void write_own_kind(struct vrml *v, const cp_mesh *mesh, const char *kind, const char *name)
{
    static const struct placing upright = {.rotation = {{1, 0, 0}, PI / 2}, .scale = {1, 1, 1}};
    bool cone = mesh->kind == CP_MESH_CONE, turned = cone || mesh->kind == CP_MESH_CYLINDER; /* they stand on Y */
    if (turned)
        vrml_open_transform(v, name, &upright);
    vrml_open(v, turned ? NULL : name, "Shape {");
    write_look(v, mesh->group_count ? mesh->groups[0].material : CP_NONE, false, NULL);
    vrml_indent(v);
    sink_text(v->out, "geometry ");
    sink_text(v->out, kind);
    if (mesh->kind == CP_MESH_BOX) {
        vrml_vector(v, " { size", mesh->size);
    } else {
        sink_text(v->out, cone ? " { bottomRadius " : " { radius ");
        vrml_number(v, mesh->size[0]);
    }
    if (turned) {
        sink_text(v->out, " height ");
        vrml_number(v, mesh->size[cone ? 2 : 1]);
    }
    sink_text(v->out, " }\n");
    vrml_close(v, "}");
    if (turned)
        vrml_close_node(v);
}

static cp_status write_geometry(struct vrml *v, const cp_mesh *mesh, const struct rest *rest, const char *name)
{
    if (mesh->kind < CP_MESH_BOX)
        return write_faces(v, mesh, rest, name);
    const char *kind = own_kind(v, mesh, rest);
    if (kind) {
        write_own_kind(v, mesh, kind, name);
        return CP_OK;
    }
    cp_scene *scratch = scene_new(v->context);
    if (!scratch)
        return CP_LIMIT;
    cp_mesh faces = *mesh;
    cp_status status = (v->settings->crease > 0 ? mesh_tessellate_round : mesh_tessellate)(scratch, &faces);
    if (status == CP_OK)
        status = write_faces(v, &faces, rest, name);
    cp_scene_free(scratch);
    return status;
}

/* ---- files ---- */

/* Writes an Inline, and begins its file "d_DEVICE/STEM_WANTED.wrl" ("d_cell" if it belongs to no device). With the
 * stem, worlds in one folder keep their parts apart. name: DEF name of the Inline, or NULL. */
static cp_status open_file(struct vrml *v, uint32_t node, const char *wanted, const char *name, struct vrml_part *part)
{
    uint32_t device = v->scene->nodes[node].scope;
    const char **folder = &v->folders[device == CP_NONE ? v->scene->device_count : device];
    if (!*folder) {
        const char *safe = sink_safe_name(v->top, device == CP_NONE ? "cell" : v->scene->devices[device].name, "");
        *folder = safe ? arena_print(v->arena, "d_%s", safe) : NULL;
        v->failed |= !*folder;
    }
    const char *stem_and_name = arena_print(v->arena, "%s_%s", sink_stem(v->top), wanted);
    const char *file = *folder && stem_and_name ? sink_safe_name(v->top, stem_and_name, ".wrl") : NULL;
    const char *path = file ? arena_print(v->arena, "%s/%s", *folder, file) : NULL;
    if (!path)
        return CP_LIMIT;
    vrml_indent(v);
    vrml_define(v, name);
    sink_text(v->out, "Inline { url ");
    vrml_string(v, path);
    sink_text(v->out, " }\n");
    part->depth = v->depth;
    cp_status status = sink_open(v->top, path, &part->sink);
    if (status != CP_OK)
        return status;
    v->out = part->sink;
    v->depth = 0;
    v->file++;
    sink_text(v->out, "#VRML V2.0 utf8\n");
    return CP_OK;
}

cp_status vrml_open_part(struct vrml *v, uint32_t node, struct vrml_part *part)
{
    return open_file(v, node, v->scene->nodes[node].name, NULL, part);
}

cp_status vrml_close_part(struct vrml *v, const struct vrml_part *part)
{
    v->out = v->top;
    v->depth = part->depth;
    return sink_close_further(part->sink);
}

cp_status vrml_write_mesh(struct vrml *v, const cp_instance *instance, const struct rest *rest)
{
    const cp_mesh *mesh = &v->scene->meshes[instance->mesh];
    struct mesh_plan *plan =
        rest->kind == REST_FLAT ? NULL : &v->meshes[2 * (size_t)instance->mesh + (rest->kind == REST_MIRRORED)];
    bool one_file = v->settings->layout != VRML_PARTS; /* all meshes are in one file, or all Inlines */
    if (plan && plan->file > 0 && (one_file || plan->file == v->file)) {
        vrml_indent(v);
        vrml_use(v, plan->name);
        return CP_OK;
    }
    const char *name = plan ? plan->name : NULL;
    if (plan)
        plan->file = v->file;
    if (v->settings->layout != VRML_INLINE)
        return write_geometry(v, mesh, rest, name);
    struct vrml_part part;
    const char *wanted = mesh->name && *mesh->name ? mesh->name : v->scene->nodes[instance->node].name;
    cp_status status = open_file(v, instance->node, wanted, name, &part);
    if (status != CP_OK)
        return status;
    status = write_geometry(v, mesh, rest, NULL);
    cp_status closed = vrml_close_part(v, &part);
    return status == CP_OK ? closed : status;
}
