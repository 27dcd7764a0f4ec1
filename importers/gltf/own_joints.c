/* Joints of our stages: the values are those of the extras, unless another tool moved the joint's node. */
#include "gltf.h"

#include <math.h>

#include "base/text/text.h"
#include "model/model.h"
#include "motion/motion.h"

/* ---- reading ---- */

static void read_joint(struct gltf *gltf, struct gltf_ids *ids, struct gltf_tree *tree, struct gltf_joints *joints,
                       uint32_t link)
{
    struct gltf_node *node = &tree->nodes[link];
    uint32_t value = gltf_object(gltf, node->own, "joint");
    struct gltf_joint *entry = &joints->items[joints->count];
    cp_joint *joint = &entry->joint;
    *entry = (struct gltf_joint){.link = link, .target = CP_NONE};
    row_start(&tables[TABLE_JOINTS].layout, joint);
    joint->name = gltf_node_name(gltf, node);
    joint->home = joint->q = NAN;
    (void)own_read_row(gltf, ids, value, TABLE_JOINTS, joint);
    if (isnan(joint->home))
        joint->home = joint->type == CP_JOINT_SCALE ? 1 : 0;
    if (isnan(joint->q))
        joint->q = joint->home;

    double *axis = joint->axis, square = axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2];
    if (!(fabs(square - 1) < 1e-6))
        gltf_error(gltf, value, "gltf-joint", "the axis is not a unit vector");
    double length = fabs(square - 1) > 1e-12 ? sqrt(square) : 1; /* axes of few digits */
    for (int i = 0; i < 3; i++)
        axis[i] /= length;
    node->joint = joints->count++;
    if (joint->id)
        own_name(gltf, &ids->of[TABLE_JOINTS], joint->id, node->joint);
}

/* Reads an expression over joints, by their places in gltf->joints. */
static void read_expression(struct gltf *gltf, const struct gltf_ids *ids, const struct gltf_tree *tree,
                            struct gltf_joint *entry)
{
    uint32_t joint = json_member(&gltf->json, tree->nodes[entry->link].own, "joint");
    uint32_t value = gltf_object(gltf, joint, "expression");
    if (value == JSON_NONE || entry->joint.master != CP_NONE)
        return;
    const char *text = gltf_text(gltf, value, "text");
    double angle = gltf_number(gltf, value, "angle", 1);
    uint32_t list = gltf_array(gltf, value, "inputs"), count = json_count(&gltf->json, list);
    cp_expression *expression = gltf_scene_array(gltf, 1, sizeof *expression);
    uint32_t *inputs = gltf_scene_array(gltf, count, sizeof *inputs);
    double *factors = gltf_scene_array(gltf, count, sizeof *factors);
    if (!expression || !inputs || !factors)
        return;
    size_t at;
    bool good = count == 0 || gltf_numbers(gltf, value, "factors", count, factors);
    for (uint32_t i = 0, item = json_first(&gltf->json, list); i < count && good; i++) {
        inputs[i] = own_find(gltf, ids, TABLE_JOINTS, item);
        good = inputs[i] != CP_NONE;
        item = json_next(&gltf->json, list, item);
    }
    *expression =
        (cp_expression){.text = text, .angle = angle, .input_count = count, .inputs = inputs, .factors = factors};
    entry->joint.driven = false;
    if (good && gltf->status == CP_OK && text && angle > 0 && !expression_check(text, count, &at))
        entry->joint.expression = expression;
    else
        gltf_warning(gltf, value, "gltf-joint", "is no expression over joints; the joint is free now");
}

/* Checks that a joint depends only on free ones; a chain of them is cut. */
static void check_dependence(struct gltf *gltf, const struct gltf_tree *tree, struct gltf_joints *joints,
                             struct gltf_joint *entry)
{
    const cp_joint *joint = &entry->joint;
    const cp_expression *expression = joint->expression;
    bool good = expression || joint->master == CP_NONE || !cp_joint_is_dependent(&joints->items[joint->master].joint);
    for (uint32_t i = 0; expression && i < expression->input_count; i++)
        good = good && !cp_joint_is_dependent(&joints->items[expression->inputs[i]].joint);
    if (good)
        return;
    gltf_warning(gltf, tree->nodes[entry->link].own, "gltf-joint",
                 "depends on a joint that is itself dependent; it is free now");
    entry->joint.master = CP_NONE;
    entry->joint.expression = NULL;
}

/* ---- current values ---- */

static double along(const double axis[3], const cp_pose *pose, int column)
{
    return axis[0] * pose->m[column] + axis[1] * pose->m[4 + column] + axis[2] * pose->m[8 + column];
}

/* Returns the turn about the axis that brings a vector across it nearest to where the pose brings it; of all equal
 * angles the one nearest to `near`. */
static double turn_about(const double axis[3], const cp_pose *pose, double near)
{
    int least = fabs(axis[0]) < fabs(axis[1]) ? 0 : 1;
    least = fabs(axis[2]) < fabs(axis[least]) ? 2 : least;
    double across[3] = {0, 0, 0}, other[3], turned[3];
    across[least] = 1;
    for (int i = 0; i < 3; i++)
        across[i] -= axis[least] * axis[i];
    for (int i = 0; i < 3; i++)
        other[i] = axis[(i + 1) % 3] * across[(i + 2) % 3] - axis[(i + 2) % 3] * across[(i + 1) % 3];
    for (int i = 0; i < 3; i++)
        turned[i] = pose->m[4 * i] * across[0] + pose->m[4 * i + 1] * across[1] + pose->m[4 * i + 2] * across[2];
    double angle = atan2(other[0] * turned[0] + other[1] * turned[1] + other[2] * turned[2],
                         across[0] * turned[0] + across[1] * turned[1] + across[2] * turned[2]);
    return angle + 2 * PI * round((near - angle) / (2 * PI));
}

double own_joint_value(const cp_joint *joint, const cp_pose *motion, double near)
{
    switch (joint->type) {
    case CP_JOINT_REVOLUTE:
        return turn_about(joint->axis, motion, near);
    case CP_JOINT_PRISMATIC:
        return along(joint->axis, motion, 3);
    case CP_JOINT_SCALE:
        return along(joint->axis, motion, 0) * joint->axis[0] + along(joint->axis, motion, 1) * joint->axis[1] +
               along(joint->axis, motion, 2) * joint->axis[2];
    case CP_JOINT_FIXED:
        break;
    }
    return near;
}

/* Checks the value against the joint's node. If another tool moved that, the value becomes the nearest one. The rest of
 * the motion stays below the chain (roles.c), so that nothing that is drawn moves. */
static void check_value(struct gltf *gltf, const struct gltf_tree *tree, struct gltf_joint *entry)
{
    cp_joint *joint = &entry->joint;
    const struct gltf_node *link = &tree->nodes[entry->link], *before = &tree->nodes[link->parent];
    const struct gltf_node *after = link->link == CP_NONE ? NULL : &tree->nodes[link->link];
    cp_pose motion = *link->pose, expected = joint_motion(joint, entry->now);
    if (before->role == ROLE_LINK && before->made == MADE_AXIS && after && after->made == MADE_AXIS) {
        motion = pose_multiply(before->pose, &motion);
        motion = pose_multiply(&motion, after->pose);
    }
    if (gltf_poses_agree(&expected, &motion))
        return;
    if (cp_joint_is_dependent(joint) || joint->type == CP_JOINT_FIXED) {
        gltf_warning(gltf, link->own, "gltf-moved-joint", "another tool moved a joint that cannot move by itself");
        return;
    }
    entry->now = joint->q = own_joint_value(joint, &motion, joint->q);
    gltf_warning(gltf, link->own, "gltf-moved-joint", "another tool moved the joint: it is at %s now",
                 show_number(joint->q).text);
}

void own_read_joints(struct gltf *gltf, struct gltf_ids *ids, struct gltf_tree *tree, struct gltf_joints *joints)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < tree->order_count; i++)
        count += tree->nodes[tree->order[i]].role == ROLE_LINK;
    joints->items = gltf_allocate(gltf, count, sizeof *joints->items);
    for (uint32_t i = 0; i < tree->order_count && gltf->status == CP_OK; i++) {
        const struct gltf_node *node = &tree->nodes[tree->order[i]];
        if (node->role == ROLE_LINK && node->moves)
            read_joint(gltf, ids, tree, joints, tree->order[i]);
    }
    /* Set the dependence, once all ids are known. */
    count = joints->count;
    for (uint32_t i = 0; i < count && gltf->status == CP_OK; i++) {
        cp_joint *joint = &joints->items[i].joint;
        uint32_t value = json_member(&gltf->json, tree->nodes[joints->items[i].link].own, "joint");
        own_read_later(gltf, ids, value, TABLE_JOINTS, joint);
        if (json_member(&gltf->json, value, "master") != JSON_NONE)
            joint->driven = false;
    }
    for (uint32_t i = 0; i < count && gltf->status == CP_OK; i++)
        read_expression(gltf, ids, tree, &joints->items[i]);
    for (uint32_t i = 0; i < count && gltf->status == CP_OK; i++)
        check_dependence(gltf, tree, joints, &joints->items[i]);

    /* Find the present values: first of the joints that move by themselves, then of their followers. */
    cp_joint *present = gltf_allocate(gltf, count, sizeof *present);
    for (uint32_t i = 0; i < count && gltf->status == CP_OK; i++) {
        struct gltf_joint *entry = &joints->items[i];
        entry->now = entry->joint.q;
        if (!cp_joint_is_dependent(&entry->joint))
            check_value(gltf, tree, entry);
        present[i] = entry->joint;
    }
    if (gltf->status != CP_OK)
        return;
    const cp_scene view = {.context = gltf->context, .joints = present, .joint_count = count};
    cp_mechanism mechanism;
    gltf->status = mechanism_open(&mechanism, gltf->context, &view);
    for (uint32_t i = 0; i < count && gltf->status == CP_OK; i++) {
        joints->items[i].now = mechanism.values[i];
        if (cp_joint_is_dependent(&present[i]))
            check_value(gltf, tree, &joints->items[i]);
    }
    mechanism_close(&mechanism);
}

/* ---- building ---- */

void own_build_joint(struct gltf *gltf, cp_scene *scene, struct gltf_joints *joints, const struct gltf_node *link)
{
    struct gltf_joint *entry = &joints->items[link->joint];
    uint32_t index = scene_add_joint(scene, link->target, entry->joint.type, entry->joint.name);
    if (index == CP_NONE) {
        gltf_no_memory(gltf);
        return;
    }
    cp_joint *joint = &scene->joints[index];
    const char *name = joint->name;
    *joint = entry->joint;
    joint->name = name;
    joint->node = link->target;
    entry->target = index;
    own_read_metadata(gltf, scene, link->own, CP_OWNER_JOINT, index);
    gltf_keep_extras(gltf, scene, link->value, CP_OWNER_JOINT, index, "extras");
}

void own_finish_joints(struct gltf *gltf, cp_scene *scene, struct gltf_ids *ids, const struct gltf_joints *joints)
{
    for (uint32_t i = 0; i < joints->count && gltf->status == CP_OK; i++) {
        cp_joint *joint = &scene->joints[joints->items[i].target];
        if (joint->master != CP_NONE)
            joint->master = joints->items[joint->master].target;
        if (!joint->expression)
            continue;
        uint32_t *inputs;
        joint->expression = scene_copy_expression(scene, joint->expression, &inputs);
        if (!joint->expression)
            gltf_no_memory(gltf);
        for (uint32_t k = 0; joint->expression && k < joint->expression->input_count; k++)
            inputs[k] = joints->items[inputs[k]].target;
    }
    /* The ids name joints of the scene from now on. If several have the same id, it names the first. */
    for (uint32_t i = joints->count; i-- > 0;) {
        const char *id = joints->items[i].joint.id;
        uint32_t *named = id ? name_map_find(&ids->of[TABLE_JOINTS], id) : NULL;
        if (named)
            *named = joints->items[i].target;
    }
}
