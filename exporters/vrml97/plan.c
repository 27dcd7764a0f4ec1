/* The first pass: plans the place of each frame, the joint that moves it, and how often a mesh is used. */
#include <math.h>

#include "mesh/mesh.h"
#include "model/model.h"
#include "vrml97.h"

/* Plans the sweeps: the joints of a part are played one after the other by its one TimeSensor. */
static void plan_sweeps(struct vrml_output *output, struct vrml_frames *frames)
{
    const struct followers *followers = &frames->followers;
    for (uint32_t i = 0; i < frames->scene->joint_count; i++) {
        struct vrml_joint_plan *joint = &frames->joints[i];
        struct vrml_node_plan *node = &frames->nodes[frames->scene->joints[i].node];
        joint->driver = CP_NONE;
        joint->sweeps = (!frames->clip || output->settings->clicks) &&
                        mechanism_sweep(&frames->mechanism, i, frames->diagonal, &joint->sweep);
        if (!joint->sweeps)
            continue;
        joint->start = node->cycle;
        node->cycle += joint->sweep.times[SWEEP_KEYS - 1];
        if (!node->timer)
            node->timer = vrml_name(output, "time_", frames->scene->joints[i].name);
    }
    /* A joint that sweeps moves itself and what follows it. */
    for (uint32_t i = 0; i < frames->scene->joint_count; i++) {
        if (!frames->joints[i].sweeps)
            continue;
        frames->joints[i].driver = i;
        for (uint32_t k = first_follower(followers, i); k < followers->ends[i]; k++)
            if (frames->joints[followers->joints[k]].driver == CP_NONE)
                frames->joints[followers->joints[k]].driver = i;
    }
}

static void plan_joint(struct vrml_output *output, struct vrml_frames *frames, uint32_t index,
                       struct vrml_node_plan *node)
{
    const cp_joint *joints = frames->scene->joints, *joint = &joints[index];
    struct vrml_joint_plan *plan = &frames->joints[index];
    double q = frames->mechanism.values[index];
    cp_pose moved = joint_motion(joint, q);
    struct vrml_placing placing;
    int sign = node->rest.kind == REST_MIRRORED ? -1 : 1;
    vrml_place(&node->rest, &moved, &placing);
    plan->sign = node->rest.kind == REST_FLAT || (joint->type == CP_JOINT_SCALE && q <= 0) ? 0 : sign;
    if (plan->sign == 0 && plan->driver != CP_NONE)
        output->losses[LOST_FROZEN]++;
    if (plan->sign == 0 || plan->driver == CP_NONE || !plan->name)
        return;
    /* A click moves the node, so the timers of its drivers' parts are written. */
    node->mover = index;
    frames->nodes[joints[plan->driver].node].plays = true;
    uint32_t count;
    const uint32_t *inputs = mechanism_inputs(&frames->mechanism, index, &count);
    for (uint32_t i = 0; i < count; i++)
        if (frames->joints[inputs[i]].sweeps)
            frames->nodes[joints[inputs[i]].node].plays = true;
}

/* Counts a transform that leaves a worse rest than it found. */
static void count_rest(struct vrml_output *output, enum rest_kind before, enum rest_kind after)
{
    output->losses[LOST_FLATNESS] += after == REST_FLAT && before != REST_FLAT;
    output->losses[LOST_MIRRORING] += after == REST_MIRRORED && before != REST_MIRRORED;
}

static void plan_nodes(struct vrml_output *output, struct vrml_frames *frames)
{
    for (uint32_t i = 0; i < frames->scene->node_count; i++) {
        const cp_node *source = &frames->scene->nodes[i];
        const struct vrml_node_plan *parent = source->parent == CP_NONE ? NULL : &frames->nodes[source->parent];
        struct vrml_node_plan *node = &frames->nodes[i];
        struct vrml_placing placing;
        node->rest = parent ? parent->rest : vrml_no_rest;
        node->mover = parent ? parent->mover : CP_NONE;
        enum rest_kind before = node->rest.kind;
        cp_pose pose = vrml_node_pose(frames, i);
        vrml_place(&node->rest, &pose, &placing);
        for (uint32_t j = 0; j < source->joint_count; j++)
            plan_joint(output, frames, source->first_joint + j, node);
        count_rest(output, before, node->rest.kind);
    }
}

/* Measures the diagonals of the boxes around the contents of the frames, in the world, or a little more. */
static const double *measure_frames(struct vrml_output *output, const struct vrml_frames *frames)
{
    const cp_scene *scene = frames->scene;
    cp_measures *boxes = vrml_plan_room(output, scene->node_count, sizeof *boxes);
    double *sizes = vrml_plan_room(output, scene->node_count, sizeof *sizes);
    double *stretches = vrml_plan_room(output, scene->node_count, sizeof *stretches);
    if (output->failed || measure_node_boxes(output->context, scene, true, boxes) != CP_OK) {
        output->failed = true;
        return NULL;
    }
    for (uint32_t i = 0; i < scene->node_count; i++) {
        cp_pose pose = node_pose(&frames->mechanism, i, &scene->nodes[i].local);
        stretches[i] = pose_stretch_bound(&pose) * (i > 0 ? stretches[scene->nodes[i].parent] : 1);
        sizes[i] = stretches[i] * measured_diagonal(&boxes[i]);
    }
    return sizes;
}

/* Finds small parts, such as fingers, which are hard to hit: a click on the largest shape of their device plays their
 * joints, too. */
static void plan_small_parts(struct vrml_output *output, struct vrml_frames *frames)
{
    const double least = 0.02; /* of the scene's diagonal */
    const cp_scene *scene = frames->scene;
    const double *sizes = measure_frames(output, frames);
    double *shown = vrml_plan_room(output, scene->node_count, sizeof *shown); /* by part: its largest shape */
    uint32_t *largest = vrml_plan_room(output, scene->device_count, sizeof *largest);
    if (output->failed)
        return;
    for (uint32_t i = 0; i < scene->device_count; i++)
        largest[i] = CP_NONE;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        uint32_t device = scene->nodes[i].scope, mover = frames->nodes[i].mover;
        if (!(sizes[i] > 0))
            continue;
        const cp_expression *formula = mover != CP_NONE ? scene->joints[mover].expression : NULL;
        for (uint32_t k = 0; mover != CP_NONE && k < (formula ? formula->input_count : 1); k++) {
            uint32_t part = scene->joints[formula ? formula->inputs[k] : frames->joints[mover].driver].node;
            shown[part] = fmax(shown[part], sizes[i]);
        }
        if (device != CP_NONE && !frames->nodes[i].starts &&
            (largest[device] == CP_NONE || sizes[i] > sizes[largest[device]]))
            largest[device] = i;
    }
    for (uint32_t i = 0; i < scene->node_count; i++) {
        struct vrml_node_plan *part = &frames->nodes[i];
        uint32_t device = scene->nodes[i].scope;
        part->small = part->plays && shown[i] > 0 && shown[i] < least * frames->diagonal && device != CP_NONE &&
                      largest[device] != CP_NONE;
        if (part->small)
            frames->nodes[largest[device]].substitutes = true;
    }
}

static void plan_instances(struct vrml_output *output, const struct vrml_frames *frames, struct vrml_shapes *shapes)
{
    for (uint32_t i = 0; i < frames->scene->instance_count; i++) {
        const cp_instance *instance = &frames->scene->instances[i];
        const cp_mesh *mesh = &frames->scene->meshes[instance->mesh];
        struct vrml_mesh_plan *plans = &shapes->meshes[2 * instance->mesh];
        struct vrml_rest rest = frames->nodes[instance->node].rest;
        enum rest_kind before = rest.kind;
        struct vrml_placing placing;
        vrml_place(&rest, &instance->transform, &placing);
        count_rest(output, before, rest.kind);
        bool lines = mesh->kind == CP_MESH_LINES, is_new = plans[0].uses == 0 && plans[1].uses == 0;
        for (uint32_t k = 0; k < mesh->group_count && is_new; k++) {
            uint32_t material = mesh->groups[k].material;
            shapes->looks[(material == CP_NONE ? 0 : 2 * material + 2) + lines].used = true;
        }
        if (mesh->group_count == 0)
            shapes->looks[lines].used = true;
        if (rest.kind != REST_FLAT)
            plans[rest.kind == REST_MIRRORED].uses++;
    }
}

/* Measures the box around all that is drawn, or else around all there is. */
static cp_status plan_diagonal(const struct vrml_output *output, struct vrml_frames *frames)
{
    cp_measures measures = {.size = sizeof measures};
    cp_status status = measure_boxes(output->context, frames->scene, CP_USE_DRAWN, &measures);
    if (status == CP_OK && !measures.any)
        status = measure_boxes(output->context, frames->scene, CP_USE_COLLISION, &measures);
    if (status != CP_OK)
        return status;
    frames->diagonal = measured_diagonal(&measures);
    return CP_OK;
}

/* Plans the nodes in their order; a placeholder that holds nothing is left out. */
static void plan_children(struct vrml_frames *frames)
{
    for (uint32_t i = 0; i < frames->scene->node_count; i++)
        frames->nodes[i].first_child = frames->nodes[i].next_sibling = CP_NONE;
    for (uint32_t i = frames->scene->node_count; i-- > 0;) {
        const cp_node *source = &frames->scene->nodes[i];
        struct vrml_node_plan *node = &frames->nodes[i];
        node->left_out =
            source->flags & CP_NODE_PLACEHOLDER && source->instance_count == 0 && node->first_child == CP_NONE;
        if (source->parent == CP_NONE || node->left_out)
            continue;
        node->next_sibling = frames->nodes[source->parent].first_child;
        frames->nodes[source->parent].first_child = i;
    }
}

cp_status vrml_plan(struct vrml_output *output, struct vrml_frames *frames, struct vrml_shapes *shapes,
                    struct vrml_motion *motion)
{
    cp_status status = mechanism_open(&frames->mechanism, output->context, frames->scene);
    if (status == CP_OK)
        status = plan_diagonal(output, frames);
    if (status != CP_OK)
        return status;
    if (!list_followers(&frames->mechanism, &frames->followers))
        return CP_LIMIT;
    status = vrml_plan_recording(output, frames, motion);
    if (status != CP_OK)
        return status;
    vrml_name_frames(output, frames);
    plan_sweeps(output, frames);
    plan_nodes(output, frames);
    status = motion->recording ? vrml_prepare_recording(output, frames, motion) : CP_OK;
    if (status != CP_OK)
        return status;
    plan_small_parts(output, frames);
    plan_children(frames);
    plan_instances(output, frames, shapes);
    vrml_name_meshes(output, shapes);
    return output->failed ? CP_LIMIT : CP_OK;
}
