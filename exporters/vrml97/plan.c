/* The first pass: what is where, what moves it, and how often a mesh is used. */
#include <string.h>

#include "slots.h"

bool vrml_sweep(const struct vrml *v, uint32_t joint, struct sweep *sweep)
{
    return joint_sweep(&v->scene->joints[joint], v->diagonal, sweep);
}

/* The joint has a Transform of its own that a click moves. */
static bool moves(const struct vrml *v, uint32_t joint)
{
    return v->joints[joint].sign != 0 && v->joints[joint].name && v->joints[joint].driver != CP_NONE;
}

/* A joint that sweeps moves itself and what follows it. */
static void lead(struct vrml *v, uint32_t driver)
{
    v->joints[driver].driver = driver;
    for (uint32_t i = first_follower(&v->followers, driver); i < v->followers.ends[driver]; i++)
        if (v->joints[v->followers.joints[i]].driver == CP_NONE)
            v->joints[v->followers.joints[i]].driver = driver;
}

/* Their parts' timers are written. */
static void mark_playing(struct vrml *v, uint32_t index)
{
    const cp_joint *joint = &v->scene->joints[index];
    v->nodes[v->scene->joints[v->joints[index].driver].node].plays = true;
    for (uint32_t i = 0; joint->expression && i < joint->expression->input_count; i++)
        if (v->joints[joint->expression->inputs[i]].sweeps)
            v->nodes[v->scene->joints[joint->expression->inputs[i]].node].plays = true;
}

/* The joints of a part are played one after the other by its one TimeSensor. */
static void plan_sweeps(struct vrml *v)
{
    for (uint32_t i = 0; i < v->scene->joint_count; i++) {
        struct sweep sweep;
        v->joints[i].driver = CP_NONE;
        if (v->recording && !v->settings->clicks)
            continue;
        struct node_plan *node = &v->nodes[v->scene->joints[i].node];
        struct joint_plan *joint = &v->joints[i];
        joint->sweeps = vrml_sweep(v, i, &sweep);
        if (!joint->sweeps)
            continue;
        joint->start = node->cycle;
        node->cycle += sweep.times[SWEEP_KEYS - 1];
        if (!node->timer)
            node->timer = vrml_name(v, "time_", v->scene->joints[i].name);
    }
    for (uint32_t i = 0; i < v->scene->joint_count; i++)
        if (v->joints[i].sweeps)
            lead(v, i);
}

static void plan_joint(struct vrml *v, uint32_t index, struct node_plan *node)
{
    const cp_joint *joint = &v->scene->joints[index];
    double q = v->mechanism.values[index];
    cp_pose motion = joint_motion(joint, q);
    struct placing placing;
    int sign = node->rest.kind == REST_MIRRORED ? -1 : 1;
    vrml_place(&node->rest, &motion, &placing);
    v->joints[index].sign = node->rest.kind == REST_FLAT || (joint->type == CP_JOINT_SCALE && q <= 0) ? 0 : sign;
    if (v->joints[index].sign == 0 && v->joints[index].driver != CP_NONE)
        v->frozen++;
    if (!moves(v, index))
        return;
    node->mover = index;
    mark_playing(v, index);
}

/* Counts a transform that leaves more behind it than it found. */
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

static void plan_looks(struct vrml *v, const cp_mesh *mesh)
{
    bool lines = mesh->kind == CP_MESH_LINES;
    for (uint32_t i = 0; i < mesh->group_count; i++) {
        uint32_t material = mesh->groups[i].material;
        v->looks[(material == CP_NONE ? 0 : 2 * material + 2) + lines].used = true;
    }
    if (mesh->group_count == 0)
        v->looks[lines].used = true;
}

static void plan_instances(struct vrml *v)
{
    for (uint32_t i = 0; i < v->scene->instance_count; i++) {
        const cp_instance *instance = &v->scene->instances[i];
        struct rest rest = v->nodes[instance->node].rest;
        enum rest_kind before = rest.kind;
        struct placing placing;
        vrml_place(&rest, &instance->transform, &placing);
        count_rest(v, before, rest.kind);
        struct mesh_plan *plans = &v->meshes[2 * instance->mesh];
        if (plans[0].uses == 0 && plans[1].uses == 0)
            plan_looks(v, &v->scene->meshes[instance->mesh]);
        if (rest.kind != REST_FLAT)
            plans[rest.kind == REST_MIRRORED].uses++;
    }
}

/* The box around all that is drawn, or else around all there is. */
static cp_status plan_bounds(struct vrml *v)
{
    cp_measures measures;
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

/* In the order of the scene's nodes, then slots; a placeholder that holds nothing is left out. */
static void plan_children(struct vrml *v)
{
    const struct slots *slots = v->recording ? v->recording->slots : NULL;
    uint32_t nodes = v->scene->node_count, count = slots ? slots->count : 0;
    v->children = arena_allocate(v->arena, (size_t)nodes + count, sizeof *v->children);
    v->failed |= !v->children;
    for (uint32_t i = 0; i < nodes; i++)
        v->nodes[i].first_child = v->nodes[i].place = CP_NONE;
    for (uint32_t i = nodes + count; i-- > 0 && !v->failed;) {
        const struct slot *slot = i >= nodes ? &slots->items[i - nodes] : NULL;
        uint32_t node = slot ? slot->guest : i;
        const cp_node *source = &v->scene->nodes[node];
        uint32_t owner = slot ? slot->host : source->parent;
        v->children[i] = (struct child){node, owner, CP_NONE, slot ? i - nodes : CP_NONE};
        bool bare = !slot && source->flags & CP_NODE_PLACEHOLDER && source->instance_count == 0 &&
                    v->nodes[node].first_child == CP_NONE;
        if (owner == CP_NONE || bare || (!slot && slots && slots->kept[node]))
            continue;
        v->children[i].next = v->nodes[owner].first_child;
        v->nodes[owner].first_child = i;
    }
}

cp_status vrml_plan(struct vrml *v)
{
    cp_status status = mechanism_open(&v->mechanism, v->context, v->scene);
    if (status == CP_OK)
        status = plan_bounds(v);
    if (status != CP_OK)
        return status;
    if (!list_followers(v->context, v->scene, &v->followers))
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
    plan_children(v);
    plan_instances(v);
    vrml_name_meshes(v);
    return v->failed ? CP_LIMIT : CP_OK;
}
