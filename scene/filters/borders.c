#include "shared.h"

uint64_t count_planes(const cp_scene *scene)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < scene->instance_count; i++) {
        const cp_instance *instance = &scene->instances[i];
        count += instance->use & CP_USE_COLLISION && scene->meshes[instance->mesh].kind == CP_MESH_PLANE;
    }
    return count;
}

void report_borders(cp_context *context, const cp_scene *scene, uint64_t planes)
{
    uint64_t left = count_planes(scene);
    if (left < planes)
        report_loss(context, "plane-borders", NOWHERE, planes - left,
                    "collision planes become faces, which end where they are drawn");
}
