/* Settings, nodes and places of meshes in files without a unit. */
#include "mesh_file.h"

#include <stddef.h>
#include <string.h>

#include "mesh/mesh.h"
#include "model/model.h"

const cp_option mesh_file_options[] = {
    {"unit", "length of the file's unit; m if none is given", CP_OPTION_UNIT,
     .offset = offsetof(struct mesh_file_settings, unit)},
    {"up", "the file's axis that points up", CP_OPTION_CHOICE, offsetof(struct mesh_file_settings, up), "z",
     .choices = "z|y"},
    CP_OPTIONS_END,
};

void mesh_file_start(cp_scene *scene, const struct mesh_file_settings *settings)
{
    scene->source.unit = settings->unit > 0 ? settings->unit : 1;
    scene->source.up = (cp_up)settings->up;
}

uint32_t mesh_file_add_node(cp_scene *scene, uint32_t parent, const char *name, size_t size, const char *other)
{
    return size > 0 ? scene_add_node(scene, parent, name, size) : scene_add_node(scene, parent, other, strlen(other));
}

bool mesh_file_place(cp_scene *scene, uint32_t node, uint32_t mesh, const double origin[3])
{
    double unit = scene->source.unit;
    cp_pose pose = pose_scaling(unit, unit, unit), turn = pose_z_up_from_y_up();
    if (scene->source.up == CP_UP_Y)
        pose = pose_multiply(&pose, &turn);
    pose = pose_from_origin(&pose, origin);
    return mesh != CP_NONE && scene_add_instance(scene, node, mesh, CP_USE_BOTH, &pose) != CP_NONE;
}
