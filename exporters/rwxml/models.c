/* Models: shapes that RobWork has, and files of meshes, as STL in metres. */
#include "../part_file.h"
#include "base/text/text.h"
#include "cell.h"

/* The shapes of RobWork's XML, with the sizes that are their attributes. */
static const struct {
    cp_mesh_kind kind;
    const char *name, *attributes[3];
    int first; /* of the sizes */
    uint32_t sides;
} shapes[] = {
    {CP_MESH_BOX, "Box", {"x", "y", "z"}, 0, 0},
    {CP_MESH_SPHERE, "Sphere", {"radius", NULL, NULL}, 0, 32},
    {CP_MESH_CYLINDER, "Cylinder", {"radius", "z", NULL}, 0, 20},
    {CP_MESH_CONE, "Cone", {"radius", "z", NULL}, 1, 32},
    {CP_MESH_TUBE, "Tube", {"radius", "thickness", "z"}, 0, 32},
    {CP_MESH_PLANE, "Plane", {NULL, NULL, NULL}, 0, 0},
};

/* Returns the shape that the mesh is, or -1: a file. */
static int find_shape(const cp_mesh *mesh)
{
    for (int i = 0; i < (int)(sizeof shapes / sizeof *shapes); i++)
        if (shapes[i].kind == mesh->kind)
            return (mesh->kind == CP_MESH_CONE && mesh->size[0] != 0) ||
                           (mesh->kind == CP_MESH_PLANE && (mesh->size[0] != 100 || mesh->size[1] != 100))
                       ? -1
                       : i;
    return -1;
}

static bool is_shown(const struct cell *cell, const cp_instance *instance)
{
    const cp_mesh *mesh = &cell->scene->meshes[instance->mesh];
    return (instance->use & CP_USE_BOTH) && mesh->kind != CP_MESH_LINES && cell->names[instance->node] &&
           (mesh->kind >= CP_MESH_BOX || mesh_triangle_count(mesh) > 0);
}

static bool is_file(const struct cell *cell, const cp_instance *instance)
{
    return find_shape(&cell->scene->meshes[instance->mesh]) < 0 || !pose_is_rigid(&instance->transform, 1e-9);
}

/* Returns a text that instances with the same file share: a pose that is no rotation is in the vertices. */
static const char *file_key(struct cell *cell, const cp_instance *instance)
{
    const double *m = instance->transform.m;
    if (pose_is_rigid(&instance->transform, 1e-9))
        return arena_print(cell->arena, "%u", instance->mesh);
    return arena_print(cell->arena, "%u %a %a %a %a %a %a %a %a %a %a %a %a", instance->mesh, m[0], m[1], m[2], m[3],
                       m[4], m[5], m[6], m[7], m[8], m[9], m[10], m[11]);
}

/* ---- files ---- */

static const char *name_file(struct cell *cell, const cp_instance *instance)
{
    const cp_mesh *mesh = &cell->scene->meshes[instance->mesh];
    size_t size;
    const char *name = mesh->name, *stem = text_stem(mesh->source, &size);
    if (!*name)
        name =
            size > 0 && *mesh->source != '#' ? arena_copy_text(cell->arena, stem, size) : cell->names[instance->node];
    size_t begin = strlen(cell->stem); /* an earlier output has put it before the name */
    if (name && strncmp(name, cell->stem, begin) == 0 && name[begin] == '_' && name[begin + 1])
        name += begin + 1;
    const char *whole = name ? arena_print(cell->arena, "%s_%s", cell->stem, name) : NULL;
    const char *safe = whole ? sink_safe_name(cell->sink, whole, ".stl") : NULL;
    return safe ? arena_print(cell->arena, "geometry/%s", safe) : NULL;
}

static cp_status write_file(struct cell *cell, const cp_instance *instance, const char *path)
{
    static const char *const options[] = {"use=both", "unit=m", "up=z"};
    cp_scene *file = scene_new(cell->context);
    cp_mesh mesh = cell->scene->meshes[instance->mesh];
    cp_pose pose = pose_is_rigid(&instance->transform, 1e-9) ? POSE_IDENTITY : instance->transform;
    part_strip(&mesh);
    cp_status status = file ? part_finish(file, &mesh, &pose) : CP_LIMIT;
    if (status == CP_OK)
        status = part_write(cell->sink, path, file, "stl", options, sizeof options / sizeof *options);
    cp_scene_free(file);
    return status;
}

cp_status cell_write_meshes(struct cell *cell)
{
    const cp_scene *scene = cell->scene;
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < scene->instance_count && status == CP_OK; i++) {
        const cp_instance *instance = &scene->instances[i];
        bool added;
        if (!is_shown(cell, instance) || !is_file(cell, instance))
            continue;
        const char *key = file_key(cell, instance);
        if (!key || !name_map_add(&cell->files, key, cell->path_count, &added))
            return CP_LIMIT;
        if (!added)
            continue;
        const char *path = name_file(cell, instance);
        if (!path || !array_add(cell->context, &cell->paths, &cell->path_room, &cell->path_count, &path, sizeof path))
            return CP_LIMIT;
        cell->losses[CELL_SHAPES] += scene->meshes[instance->mesh].kind >= CP_MESH_BOX;
        status = write_file(cell, instance, path);
    }
    return status;
}

/* ---- text ---- */

static void write_shape(struct cell *cell, const cp_mesh *mesh)
{
    int shape = find_shape(mesh);
    sink_print(cell->sink, "<%s", shapes[shape].name);
    for (int i = 0; i < 3 && shapes[shape].attributes[i]; i++) {
        sink_print(cell->sink, " %s=\"", shapes[shape].attributes[i]);
        sink_double(cell->sink, mesh->size[shapes[shape].first + i]);
        sink_text(cell->sink, "\"");
    }
    sink_text(cell->sink, "/>");
    cell->losses[CELL_SIDES] += shapes[shape].sides > 0 && mesh->sides != shapes[shape].sides;
}

void cell_write_models(struct cell *cell, uint32_t node, const cp_pose *rest, int indent)
{
    const cp_scene *scene = cell->scene;
    const cp_node *row = &scene->nodes[node];
    for (uint32_t i = row->first_instance; i < row->first_instance + row->instance_count; i++) {
        const cp_instance *instance = &scene->instances[i];
        if (!is_shown(cell, instance))
            continue;
        bool rigid = pose_is_rigid(&instance->transform, 1e-9);
        cp_pose pose = rigid ? pose_multiply(rest, &instance->transform) : *rest;
        const char *tag = instance->use == CP_USE_COLLISION ? "CollisionModel" : "Drawable";
        sink_print(cell->sink, "%*s<%s name=\"Geo%u\"%s>", indent, "", tag, i - row->first_instance + 1,
                   instance->use == CP_USE_DRAWN ? " colmodel=\"Disabled\"" : "");
        cell_write_pose(cell, &pose, 0);
        if (is_file(cell, instance)) {
            const char *key = file_key(cell, instance);
            const uint32_t *path = key ? name_map_find(&cell->files, key) : NULL;
            sink_text(cell->sink, "<Polytope");
            cell_write_attribute(cell, "file", path ? cell->paths[*path] : "");
            sink_text(cell->sink, "/>");
        } else {
            write_shape(cell, &scene->meshes[instance->mesh]);
        }
        sink_print(cell->sink, "</%s>\n", tag);
    }
}
