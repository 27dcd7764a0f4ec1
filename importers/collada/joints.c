/* Joints of the scene, while its nodes are placed. A node's transforms are parted by its joints: before them, between
 * them and behind. */
#include "kinematics.h"

#include <stdlib.h>

/* A joint of a node that is placed. */
struct mount {
    uint32_t bound;
    bool turns;
    double axis[3];   /* unit length; the file's axes */
    double turned[3]; /* the same in the node's frame behind all joints */
    double value;     /* the picture's: radians or metres */
    cp_pose before;   /* this pose leads here from the joint before it, or from the node's parent */
};
struct mounts {
    struct mount *items;
    uint32_t count, room;
    bool framed;  /* the joints need frames of their own */
    cp_pose pose; /* the node's, in its parent or in the last of these frames; the file's unit and axes */
};

/* How far from a joint's axis the origin of a node may lie that turns about it, in metres. */
static const double through = 1e-12;

/* ---- the joints of a node ---- */

/* Tells whether the binding's path leads to the node here, below this place: another instance of the node may have
 * other joints. */
static bool is_here(const struct collada *collada, const struct collada_bound *bound, uint32_t above)
{
    for (uint32_t i = 1; i < bound->way_count; i++) {
        if (above == CP_NONE || collada->places[above].node != bound->way[i])
            return false;
        above = collada->places[above].parent;
    }
    return true;
}

/* Sets axis and value of a joint by its transform. The axis of a turn is that of the picture; that of a way is the
 * model's, since a translation of 0 has no direction. */
static void aim(const struct collada *collada, const struct collada_transform *transform, struct mount *mount)
{
    const struct collada_kinematics *kinematics = collada->kinematics;
    const struct collada_bound *bound = &kinematics->bounds[mount->bound];
    const double *model = bound->axis == CP_NONE ? NULL : kinematics->axes[bound->axis].axis;
    const double *numbers = transform->numbers;
    mount->turns = transform->kind == COLLADA_ROTATE;
    memcpy(mount->axis, mount->turns || !model ? numbers : model, sizeof mount->axis);
    double length = sqrt(dot_product(mount->axis, mount->axis));
    for (int i = 0; i < 3; i++)
        mount->axis[i] /= length;
    mount->value = mount->turns ? degrees_to_radians(numbers[3]) : dot_product(numbers, mount->axis) * collada->unit;
}

double collada_joint_value(const struct collada *collada, uint32_t bound, const struct collada_transform *transform)
{
    struct mount mount = {.bound = bound};
    aim(collada, transform, &mount);
    return mount.value;
}

/* Leaves what of a translation is not along the joint's axis with the pose before it. */
static void keep_rest(const struct collada_transform *transform, struct mount *mount)
{
    double along = dot_product(transform->numbers, mount->axis), rest[3];
    for (int i = 0; i < 3; i++)
        rest[i] = transform->numbers[i] - along * mount->axis[i];
    cp_pose pose = pose_translation(rest[0], rest[1], rest[2]);
    mount->before = pose_multiply(&mount->before, &pose);
}

/* Parts the node's transforms by its joints; mounts->pose is what stands behind the last one. */
static cp_status part_transforms(struct collada_document *document, uint32_t row, uint32_t above, struct mounts *mounts)
{
    struct collada *collada = document->collada;
    struct collada_kinematics *kinematics = collada->kinematics;
    bool bindable = document == collada->documents[0] && kinematics->first_bounds;
    for (uint32_t i = document->nodes[row].transforms.first; i != CP_NONE; i = document->transforms[i].next) {
        uint32_t bound = bindable ? kinematics->first_bounds[i] : CP_NONE;
        for (; bound != CP_NONE && !is_here(collada, &kinematics->bounds[bound], above); kinematics->steps++)
            bound = kinematics->bounds[bound].next;
        if (bound == CP_NONE) {
            cp_pose pose = collada_transform_pose(&document->transforms[i]);
            mounts->pose = pose_multiply(&mounts->pose, &pose);
            continue;
        }
        struct mount mount = {.bound = bound, .before = mounts->pose};
        aim(collada, &document->transforms[i], &mount);
        if (!mount.turns)
            keep_rest(&document->transforms[i], &mount);
        mounts->pose = POSE_IDENTITY;
        if (!array_add(collada->context, &mounts->items, &mounts->room, &mounts->count, &mount, sizeof mount))
            return CP_LIMIT;
    }
    return collada_check_steps(collada);
}

/* Turns the axes of all joints into the node's frame behind them. False if the node's origin is not on the axis of a
 * turn, or what stands behind is more than a movement. */
static bool gather(const struct collada *collada, struct mounts *mounts, cp_pose *whole)
{
    *whole = mounts->pose;
    for (uint32_t i = mounts->count; i-- > 0;) {
        struct mount *mount = &mounts->items[i];
        double way[3] = {whole->m[3], whole->m[7], whole->m[11]}, off[3];
        cp_pose inverse;
        cross_product(way, mount->axis, off);
        if (!pose_is_rigid(whole, 1e-9) || !pose_inverse(whole, &inverse) ||
            (mount->turns && !(sqrt(dot_product(off, off)) * collada->unit <= through)))
            return false;
        for (int k = 0; k < 3; k++)
            mount->turned[k] = dot_product(inverse.m + 4 * (size_t)k, mount->axis);
        *whole = pose_multiply(&mount->before, whole);
    }
    return true;
}

/* Finds the joints of the node, if it is placed below `above`. */
static cp_status find_mounts(struct collada_document *document, uint32_t row, uint32_t above, struct mounts *mounts)
{
    cp_pose whole;
    *mounts = (struct mounts){.pose = POSE_IDENTITY};
    cp_status status = part_transforms(document, row, above, mounts);
    mounts->framed = status == CP_OK && !gather(document->collada, mounts, &whole);
    if (status == CP_OK && !mounts->framed)
        mounts->pose = whole;
    return status;
}

/* ---- joints of the scene ---- */

static void set_limits(const struct collada *collada, const struct collada_bound *bound, bool turns, cp_joint *joint)
{
    const struct collada_kinematics *kinematics = collada->kinematics;
    if (bound->axis == CP_NONE)
        return;
    const struct collada_axis *axis = &kinematics->axes[bound->axis];
    joint->lower = turns ? degrees_to_radians(axis->lower) : axis->lower * collada->unit;
    joint->upper = turns ? degrees_to_radians(axis->upper) : axis->upper * collada->unit;
}

/* Adds the joint to a node of the scene. One that the same binding moves elsewhere follows the first. */
static cp_status add_joint(struct collada *collada, const struct mount *mount, const double axis[3], uint32_t node)
{
    struct collada_kinematics *kinematics = collada->kinematics;
    struct collada_bound *bound = &kinematics->bounds[mount->bound];
    uint32_t index =
        scene_add_joint(collada->scene, node, mount->turns ? CP_JOINT_REVOLUTE : CP_JOINT_PRISMATIC, bound->name);
    if (index == CP_NONE)
        return CP_LIMIT;
    cp_joint *joint = &collada->scene->joints[index];
    for (int i = 0; i < 3; i++)
        joint->axis[i] = dot_product(collada->turn.m + 4 * (size_t)i, axis);
    joint->home = joint->q = mount->value;
    set_limits(collada, bound, mount->turns, joint);
    if (bound->joint != CP_NONE) {
        joint->master = bound->joint;
        joint->driven = false;
        return CP_OK;
    }
    bound->joint = index;
    struct collada_mover mover = {index, node, bound->device};
    kinematics->devices[bound->device].joint_count++;
    return array_add(collada->context, &kinematics->movers, &kinematics->mover_room, &kinematics->mover_count, &mover,
                     sizeof mover)
               ? CP_OK
               : CP_LIMIT;
}

/* Adds frames with the joints, one below the other; *parent becomes the last. */
static cp_status add_frames(struct collada *collada, const struct mounts *mounts, const char *name, uint32_t *parent)
{
    cp_status status = CP_OK;
    for (uint32_t i = 0; status == CP_OK && i < mounts->count; i++) {
        const struct mount *mount = &mounts->items[i];
        const char *own = collada->kinematics->bounds[mount->bound].name;
        own = own ? own : name;
        *parent = scene_add_node(collada->scene, *parent, own, strlen(own));
        if (*parent == CP_NONE)
            return CP_LIMIT;
        collada->scene->nodes[*parent].local = collada_turn(collada, &mount->before);
        status = add_joint(collada, mount, mount->axis, *parent);
    }
    return status;
}

/* Adds the node below its parent, and its joints, unless they have frames. *target is its number. */
static cp_status add_node(struct collada *collada, const struct mounts *mounts, const char *name, uint32_t parent,
                          uint32_t *target)
{
    uint32_t node = *target = scene_add_node(collada->scene, parent, name, strlen(name));
    if (node == CP_NONE)
        return CP_LIMIT;
    collada->scene->nodes[node].local = collada_turn(collada, &mounts->pose);
    cp_status status = CP_OK;
    for (uint32_t i = 0; status == CP_OK && !mounts->framed && i < mounts->count; i++)
        status = add_joint(collada, &mounts->items[i], mounts->items[i].turned, node);
    return status;
}

cp_status collada_add_node(struct collada_document *document, uint32_t row, uint32_t above, const char *name,
                           uint32_t *target)
{
    struct collada *collada = document->collada;
    struct collada_kinematics *kinematics = collada->kinematics;
    struct mounts mounts;
    uint32_t parent = above == CP_NONE ? 0 : collada->places[above].target, first = kinematics->mover_count;
    uint32_t made = collada->scene->node_count;
    cp_status status = find_mounts(document, row, above, &mounts);
    if (status == CP_OK && mounts.framed)
        status = add_frames(collada, &mounts, name, &parent);
    if (status == CP_OK)
        status = add_node(collada, &mounts, name, parent, target);
    for (uint32_t i = first; status == CP_OK && i < kinematics->mover_count; i++)
        kinematics->movers[i].end = *target;
    for (; status == CP_OK && made < collada->scene->node_count; made++)
        if (!pose_is_finite(&collada->scene->nodes[made].local))
            status = collada_error(document, "collada-number", document->nodes[row].line,
                                   "the transforms of node \"%.100s\" exceed all numbers", name);
    memory_free(collada->context, mounts.items, mounts.room, sizeof *mounts.items);
    return status;
}

/* ---- devices ---- */

static bool is_below(const cp_scene *scene, uint32_t node, uint32_t above)
{
    while (node > above)
        node = scene->nodes[node].parent;
    return node == above;
}

/* Returns the nearest node that is above both: parents come before children. */
static uint32_t find_above(const cp_scene *scene, uint32_t a, uint32_t b)
{
    while (a != b)
        if (a > b)
            a = scene->nodes[a].parent;
        else
            b = scene->nodes[b].parent;
    return a;
}

/* Tells whether what the joint moves is an end: no other joint of the device is below it. Joints come in the order of
 * their nodes, which is that of a walk through the tree. */
static bool is_end(const cp_scene *scene, const struct collada_mover *movers, uint32_t index, uint32_t count)
{
    return index + 1 == count ||
           !is_below(scene, scene->joints[movers[index + 1].joint].node, scene->joints[movers[index].joint].node);
}

/* Fills a device with its movers. */
static cp_status fill_device(cp_scene *scene, uint32_t device, const struct collada_mover *movers, uint32_t count)
{
    uint32_t *joints = scene_allocate(scene, count, sizeof *joints);
    uint32_t *ends = scene_allocate(scene, count, sizeof *ends), end_count = 0;
    if (!joints || !ends)
        return CP_LIMIT;
    for (uint32_t i = 0; i < count; i++) {
        joints[i] = movers[i].joint;
        if (is_end(scene, movers, i, count))
            ends[end_count++] = movers[i].end;
    }
    cp_device *made = &scene->devices[device];
    made->joints = joints;
    made->joint_count = count;
    made->ends = ends;
    made->end_count = end_count;
    made->kind = end_count > 1 ? CP_DEVICE_TREE : CP_DEVICE_SERIAL;
    return CP_OK;
}

/* Returns the name of a device: that of the instance, of the system, or its id. */
static const char *device_name(const struct collada_kinematics *kinematics, const struct collada_device *device)
{
    const char *id = device->url + (*device->url == '#');
    const uint32_t *system = name_map_find(&kinematics->system_ids, id);
    const char *name = system ? kinematics->systems[*system] : "";
    return *device->name ? device->name : *name ? name : *id ? id : "robot";
}

static int compare_movers(const void *a, const void *b)
{
    const struct collada_mover *x = a, *y = b;
    return x->device != y->device ? (x->device > y->device) - (x->device < y->device)
                                  : (x->joint > y->joint) - (x->joint < y->joint);
}

cp_status collada_add_devices(struct collada *collada)
{
    struct collada_kinematics *kinematics = collada->kinematics;
    cp_scene *scene = collada->scene;
    cp_status status = CP_OK;
    if (kinematics->mover_count > 0)
        qsort(kinematics->movers, kinematics->mover_count, sizeof *kinematics->movers, compare_movers);
    for (uint32_t i = 0; i < kinematics->mover_count && status == CP_OK;) {
        const struct collada_mover *movers = &kinematics->movers[i];
        const struct collada_device *device = &kinematics->devices[movers->device];
        uint32_t count = device->joint_count, first = scene->joints[movers[0].joint].node;
        uint32_t base = find_above(scene, scene->nodes[first].parent, scene->joints[movers[count - 1].joint].node);
        uint32_t row = scene_add_device(scene, device_name(kinematics, device), base);
        status = row == CP_NONE ? CP_LIMIT : fill_device(scene, row, movers, count);
        i += count;
    }
    return status;
}
