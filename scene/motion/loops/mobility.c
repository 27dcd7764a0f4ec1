/* Degrees of freedom, by the rank of the loops' conditions. Kutzbach's count of joints and conditions is wrong if
 * conditions follow from one another: it gives an Exechon 1 degree of freedom instead of 3. */
#include "base/context.h"

#include "loops.h"

static cp_status measure(cp_mechanism *mechanism, cp_mobility *mobility)
{
    const cp_scene *scene = mechanism->scene;
    bool *lacks = arena_allocate_zeroed(mechanism->arena, scene->joint_count, sizeof *lacks);
    uint32_t rank = 0, free_rank = 0, free_count = 0;
    if (!lacks)
        return CP_LIMIT;
    *mobility = (cp_mobility){.loops = scene->loop_count, .lacking = CP_NONE};
    for (uint32_t i = 0; i < scene->joint_count; i++) {
        const cp_joint *joint = &scene->joints[i];
        bool moves = joint->type != CP_JOINT_FIXED ||
                     (mechanism->closure && mechanism->closure->chains.column_of[i] != CP_NONE); /* what follows it */
        bool driven = moves && joint->driven;
        lacks[i] = joint_is_free(joint);
        free_count += lacks[i];
        mobility->driven += driven;
        mobility->joints += driven || lacks[i];
    }
    if (mechanism->closure)
        closure_count(mechanism->closure, &rank, &free_rank, &mobility->redundant, lacks);
    mobility->degrees = mobility->joints - rank;
    mobility->dangling = free_count - free_rank;
    mobility->commanded = mobility->degrees > mobility->dangling ? mobility->degrees - mobility->dangling : 0;
    for (uint32_t i = scene->joint_count; i-- > 0;)
        if (lacks[i])
            mobility->lacking = i;
    return CP_OK;
}

cp_status cp_measure_mobility(cp_context *context, const cp_scene *scene, cp_mobility *mobility)
{
    cp_mechanism mechanism;
    cp_mobility found = {.size = sizeof found, .lacking = CP_NONE};
    if (struct_check(context, mobility) != CP_OK)
        return context_finish(context, CP_USAGE);
    cp_status status = mechanism_open(&mechanism, context, scene);
    if (status == CP_OK)
        status = measure(&mechanism, &found);
    mechanism_close(&mechanism);
    struct_give(mobility, &found, sizeof found);
    return context_finish(context, status);
}
