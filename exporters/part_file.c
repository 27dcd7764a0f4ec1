/* Files of meshes beside an output. */
#include "part_file.h"

#include <string.h>

void part_strip(cp_mesh *mesh)
{
    mesh->groups = NULL;
    mesh->group_count = 0;
    mesh->normals = mesh->tangents = mesh->colours = NULL;
    memset(mesh->coordinates, 0, sizeof mesh->coordinates);
}

cp_status part_finish(cp_scene *file, cp_mesh *mesh, const cp_pose *pose)
{
    const char *name = mesh->name && *mesh->name ? mesh->name : "mesh";
    mesh->id = NULL;
    uint32_t node = scene_add_node(file, 0, name, strlen(name)), index = scene_add_mesh(file, mesh);
    if (node == CP_NONE || index == CP_NONE || scene_add_instance(file, node, index, CP_USE_BOTH, pose) == CP_NONE)
        return CP_LIMIT;
    return scene_finish(file);
}

cp_status part_write(struct sink *output, const char *path, const cp_scene *scene, const char *format,
                     const char *const *options, size_t option_count)
{
    void *bytes = NULL;
    size_t size = 0;
    cp_status status = write_beside(scene->context, scene, format, options, option_count, &bytes, &size);
    if (status == CP_OK)
        status = sink_put(output, path, bytes, size);
    memory_free(scene->context, bytes, size, 1);
    return status;
}
