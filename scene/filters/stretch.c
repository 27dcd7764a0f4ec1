/* Measures how large meshes are in the world. */
#include "shared.h"

#include <math.h>

#include "model/model.h"
#include "motion/motion.h"

static double pose_stretch(const cp_pose *pose)
{
    double longest = 0;
    for (int column = 0; column < 3; column++)
        longest = fmax(longest, hypot(hypot(pose->m[column], pose->m[4 + column]), pose->m[8 + column]));
    return longest;
}

double *find_stretches(const cp_scene *scene)
{
    cp_context *context = scene->context;
    cp_pose *worlds = memory_allocate(context, scene->node_count, sizeof *worlds);
    bool fine = worlds && scene_world_poses(context, scene, NULL, worlds) == CP_OK;
    double *stretches = fine ? memory_allocate_zeroed(context, scene->mesh_count, sizeof *stretches) : NULL;
    for (uint32_t i = 0; stretches && i < scene->instance_count; i++) {
        const cp_instance *instance = &scene->instances[i];
        cp_pose pose = pose_multiply(&worlds[instance->node], &instance->transform);
        stretches[instance->mesh] = fmax(stretches[instance->mesh], pose_stretch(&pose));
    }
    memory_free(context, worlds, scene->node_count, sizeof *worlds);
    return stretches;
}
