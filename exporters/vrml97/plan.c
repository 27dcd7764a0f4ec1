/* The first pass: plans the place of each frame, the joint that moves it, and how often a mesh is used. */
#include <math.h>

#include "mesh/mesh.h"
#include "model/model.h"
#include "vrml97.h"

/* Plans the sweeps: the joints of a part are played one after the other by its one TimeSensor. */
static void plan_sweeps(struct vrml *v)
{
    const struct followers *followers = &v->followers;
    for (uint32_t i = 0; i < v->scene->joint_count; i++) {
        struct joint_plan *joint = &v->joints[i];
        struct node_plan *node = &v->nodes[v->scene->joints[i].node];
        joint->driver = CP_NONE;
        joint->sweeps =
            (!v->recording || v->settings->clicks) && mechanism_sweep(&v->mechanism, i, v->diagonal, &joint->sweep);
        if (!joint->sweeps)
            continue;
        joint->start = node->cycle;
        node->cycle += joint->sweep.times[SWEEP_KEYS - 1];
        if (!node->timer)
            node->timer = vrml_name(v, "time_", v->scene->joints[i].name);
    }
    /* A joint that sweeps moves itself and what follows it. */
    for (uint32_t i = 0; i < v->scene->joint_count; i++) {
        if (!v->joints[i].sweeps)
            continue;
        v->joints[i].driver = i;
        for (uint32_t k = first_follower(followers, i); k < followers->ends[i]; k++)
            if (v->joints[followers->joints[k]].driver == CP_NONE)
                v->joints[followers->joints[k]].driver = i;
    }
}

static void plan_joint(struct vrml *v, uint32_t index, struct node_plan *node)
{
    const cp_joint *joints = v->scene->joints, *joint = &joints[index];
    struct joint_plan *plan = &v->joints[index];
    double q = v->mechanism.values[index];
    cp_pose motion = joint_motion(joint, q);
    struct placing placing;
    int sign = node->rest.kind == REST_MIRRORED ? -1 : 1;
    vrml_place(&node->rest, &motion, &placing);
    plan->sign = node->rest.kind == REST_FLAT || (joint->type == CP_JOINT_SCALE && q <= 0) ? 0 : sign;
    if (plan->sign == 0 && plan->driver != CP_NONE)
        v->frozen++;
    if (plan->sign == 0 || plan->driver == CP_NONE || !plan->name)
        return;
    /* A click moves the node, so the timers of its drivers' parts are written. */
    node->mover = index;
    v->nodes[joints[plan->driver].node].plays = true;
    uint32_t count;
    const uint32_t *inputs = mechanism_inputs(&v->mechanism, index, &count);
    for (uint32_t i = 0; i < count; i++)
        if (v->joints[inputs[i]].sweeps)
            v->nodes[joints[inputs[i]].node].plays = true;
}

/* Counts a transform that leaves a worse rest than it found. */
static void count_rest(struct vrml *v, enum rest_kind before, enum rest_kind after)
{
    v->flat += after == REST_FLAT && before != REST_FLAT;
    v->mirrored += after == REST_MIRRORED && before != REST_MIRRORED;
}

static void plan_nodes(struct vrml *v)
{
    for (uint32_t i = 0; i < v->scene->node_count; i++) {
        const cp_node *source = &v->scene->nodes[i];
        const struct node_plan *parent = source->parent == CP_NONE ? NULL : &v->nodes[source->parent];
        struct node_plan *node = &v->nodes[i];
        struct placing placing;
        node->rest = parent ? parent->rest : vrml_no_rest;
        node->mover = parent ? parent->mover : CP_NONE;
        enum rest_kind before = node->rest.kind;
        cp_pose pose = vrml_node_pose(v, i);
        vrml_place(&node->rest, &pose, &placing);
        for (uint32_t j = 0; j < source->joint_count; j++)
            plan_joint(v, source->first_joint + j, node);
        count_rest(v, before, node->rest.kind);
    }
}

/* Measures the diagonals of the boxes around the contents of the frames, in the world, or a little more. */
static const double *measure_frames(struct vrml *v)
{
    const cp_scene *scene = v->scene;
    cp_measures *boxes = vrml_plan_room(v, scene->node_count, sizeof *boxes);
    double *sizes = vrml_plan_room(v, scene->node_count, sizeof *sizes);
    double *stretches = vrml_plan_room(v, scene->node_count, sizeof *stretches);
    if (v->failed || measure_node_boxes(v->context, scene, true, boxes) != CP_OK) {
        v->failed = true;
        return NULL;
    }
    for (uint32_t i = 0; i < scene->node_count; i++) {
        cp_pose pose = node_pose(&v->mechanism, i, &scene->nodes[i].local);
        stretches[i] = pose_stretch_bound(&pose) * (i > 0 ? stretches[scene->nodes[i].parent] : 1);
        sizes[i] = stretches[i] * measured_diagonal(&boxes[i]);
    }
    return sizes;
}

/* Finds small parts, such as fingers, which are hard to hit: a click on the largest shape of their device plays their
 * joints, too. */
static void plan_small_parts(struct vrml *v)
{
    const double least = 0.02; /* of the scene's diagonal */
    const cp_scene *scene = v->scene;
    const double *sizes = measure_frames(v);
    double *shown = vrml_plan_room(v, scene->node_count, sizeof *shown); /* by part: its largest shape */
    uint32_t *largest = vrml_plan_room(v, scene->device_count, sizeof *largest);
    if (v->failed)
        return;
    for (uint32_t i = 0; i < scene->device_count; i++)
        largest[i] = CP_NONE;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        uint32_t device = scene->nodes[i].scope, mover = v->nodes[i].mover;
        if (!(sizes[i] > 0))
            continue;
        const cp_expression *formula = mover != CP_NONE ? scene->joints[mover].expression : NULL;
        for (uint32_t k = 0; mover != CP_NONE && k < (formula ? formula->input_count : 1); k++) {
            uint32_t part = scene->joints[formula ? formula->inputs[k] : v->joints[mover].driver].node;
            shown[part] = fmax(shown[part], sizes[i]);
        }
        if (device != CP_NONE && !v->nodes[i].starts &&
            (largest[device] == CP_NONE || sizes[i] > sizes[largest[device]]))
            largest[device] = i;
    }
    for (uint32_t i = 0; i < scene->node_count; i++) {
        struct node_plan *part = &v->nodes[i];
        uint32_t device = scene->nodes[i].scope;
        part->small = part->plays && shown[i] > 0 && shown[i] < least * v->diagonal && device != CP_NONE &&
                      largest[device] != CP_NONE;
        if (part->small)
            v->nodes[largest[device]].substitutes = true;
    }
}

static void plan_instances(struct vrml *v)
{
    for (uint32_t i = 0; i < v->scene->instance_count; i++) {
        const cp_instance *instance = &v->scene->instances[i];
        const cp_mesh *mesh = &v->scene->meshes[instance->mesh];
        struct mesh_plan *plans = &v->meshes[2 * instance->mesh];
        struct rest rest = v->nodes[instance->node].rest;
        enum rest_kind before = rest.kind;
        struct placing placing;
        vrml_place(&rest, &instance->transform, &placing);
        count_rest(v, before, rest.kind);
        bool lines = mesh->kind == CP_MESH_LINES, is_new = plans[0].uses == 0 && plans[1].uses == 0;
        for (uint32_t k = 0; k < mesh->group_count && is_new; k++) {
            uint32_t material = mesh->groups[k].material;
            v->looks[(material == CP_NONE ? 0 : 2 * material + 2) + lines].used = true;
        }
        if (mesh->group_count == 0)
            v->looks[lines].used = true;
        if (rest.kind != REST_FLAT)
            plans[rest.kind == REST_MIRRORED].uses++;
    }
}

/* Finds the box around all that is drawn, or else around all there is. */
static cp_status plan_bounds(struct vrml *v)
{
    cp_measures measures = {.size = sizeof measures};
    cp_status status = measure_boxes(v->context, v->scene, CP_USE_DRAWN, &measures);
    if (status == CP_OK && !measures.any)
        status = measure_boxes(v->context, v->scene, CP_USE_COLLISION, &measures);
    if (status != CP_OK)
        return status;
    for (int i = 0; i < 3; i++) {
        v->lower[i] = measures.any ? measures.lower[i] : 0;
        v->upper[i] = measures.any ? measures.upper[i] : 0;
    }
    v->diagonal = measured_diagonal(&measures);
    return CP_OK;
}

/* Plans the nodes in their order; a placeholder that holds nothing is left out. */
static void plan_children(struct vrml *v)
{
    for (uint32_t i = 0; i < v->scene->node_count; i++)
        v->nodes[i].first_child = v->nodes[i].next_sibling = CP_NONE;
    for (uint32_t i = v->scene->node_count; i-- > 0;) {
        const cp_node *source = &v->scene->nodes[i];
        struct node_plan *node = &v->nodes[i];
        node->left_out =
            source->flags & CP_NODE_PLACEHOLDER && source->instance_count == 0 && node->first_child == CP_NONE;
        if (source->parent == CP_NONE || node->left_out)
            continue;
        node->next_sibling = v->nodes[source->parent].first_child;
        v->nodes[source->parent].first_child = i;
    }
}

cp_status vrml_plan(struct vrml *v)
{
    cp_status status = mechanism_open(&v->mechanism, v->context, v->scene);
    if (status == CP_OK)
        status = plan_bounds(v);
    if (status != CP_OK)
        return status;
    if (!list_followers(&v->mechanism, &v->followers))
        return CP_LIMIT;
    status = vrml_plan_recording(v);
    if (status != CP_OK)
        return status;
    vrml_name_frames(v);
    plan_sweeps(v);
    plan_nodes(v);
    status = v->recording ? vrml_prepare_recording(v) : CP_OK;
    if (status != CP_OK)
        return status;
    plan_small_parts(v);
    plan_children(v);
    plan_instances(v);
    vrml_name_meshes(v);
    return v->failed ? CP_LIMIT : CP_OK;
}
