/* Frames as nested Transforms, and the shapes in them. */
#include "vrml97.h"

#include "base/text/text.h"
#include "model/model.h"

/* Opens a joint's Transform at its current value. A revolute one always has its rotation, about its own axis. */
static void open_joint(struct vrml *v, uint32_t index, struct rest *rest)
{
    const cp_joint *joint = &v->scene->joints[index];
    const struct joint_plan *plan = &v->joints[index];
    double q = v->mechanism.values[index];
    cp_pose motion = joint_motion(joint, q);
    struct placing placing;
    vrml_place(rest, &motion, &placing);
    if (plan->sign != 0 && joint->type == CP_JOINT_REVOLUTE) {
        vrml_open(v, plan->name, "Transform {");
        vrml_turn_line(v, "rotation", &(struct rotation){{joint->axis[0], joint->axis[1], joint->axis[2]}, q});
        vrml_open(v, NULL, "children [");
        return;
    }
    if (plan->sign != 0 && joint->type == CP_JOINT_SCALE)
        vrml_stretch_placing(joint, q, &placing);
    vrml_open_transform(v, plan->name, &placing);
}

/* Writes a node's instances of one use. With layout=parts they are in a file of their own. */
static void write_instances(struct vrml *v, const cp_node *node, uint32_t use, const struct rest *node_rest)
{
    struct vrml_part part;
    bool open = false;
    for (uint32_t i = 0; i < node->instance_count && v->status == CP_OK; i++) {
        const cp_instance *instance = &v->scene->instances[node->first_instance + i];
        if (instance->use != use)
            continue;
        if (v->settings->layout == VRML_PARTS && !open) {
            v->status = vrml_open_part(v, (uint32_t)(node - v->scene->nodes), &part);
            if (v->status != CP_OK)
                return;
            open = true;
        }
        struct rest rest = *node_rest;
        struct placing placing;
        vrml_place(&rest, &instance->transform, &placing);
        bool wrap = !vrml_placing_is_identity(&placing);
        if (wrap)
            vrml_open_transform(v, NULL, &placing);
        v->status = vrml_write_mesh(v, instance, &rest);
        if (wrap)
            vrml_close_node(v);
    }
    cp_status closed = open ? vrml_close_part(v, &part) : CP_OK;
    if (v->status == CP_OK)
        v->status = closed;
}

static void write_content(struct vrml *v, uint32_t index, const struct rest *rest)
{
    const cp_node *node = &v->scene->nodes[index];
    struct node_plan *plan = &v->nodes[index];
    uint32_t drawn = 0, drawn_only = 0, collision_only = 0;
    for (uint32_t i = 0; i < node->instance_count; i++) {
        uint32_t use = v->scene->instances[node->first_instance + i].use;
        drawn += (use & CP_USE_DRAWN) != 0;
        drawn_only += use == CP_USE_DRAWN;
        collision_only += use == CP_USE_COLLISION;
    }
    /* A TouchSensor senses all that is below its Group, so the Group holds only this node's shapes. */
    bool moved = plan->mover != CP_NONE && !plan->starts;
    bool sensitive = drawn > 0 && (moved || plan->starts || plan->substitutes);
    if (sensitive) {
        plan->touch = vrml_name(v, "touch_", moved ? v->scene->joints[plan->mover].name : node->name);
        vrml_open_group(v, NULL);
        vrml_indent(v);
        vrml_define(v, plan->touch);
        sink_text(v->out, "TouchSensor { ");
        if (v->settings->descriptions)
            vrml_write_description(v, index);
        sink_text(v->out, "}\n");
    }
    write_instances(v, node, CP_USE_BOTH, rest);
    /* Instances that are only drawn do not collide: without a proxy none does, else those for collision alone do. */
    if (collision_only > 0 || drawn_only > 0) {
        vrml_open(v, NULL, "Collision {");
        if (collision_only == 0)
            vrml_line(v, "collide FALSE");
        if (drawn_only > 0) {
            vrml_open(v, NULL, "children [");
            write_instances(v, node, CP_USE_DRAWN, rest);
            vrml_close(v, "]");
        }
        if (collision_only > 0) {
            vrml_line(v, "proxy");
            v->depth++;
            if (collision_only > 1)
                vrml_open_group(v, NULL);
            write_instances(v, node, CP_USE_COLLISION, rest);
            if (collision_only > 1)
                vrml_close_node(v);
            v->depth--;
        }
        vrml_close(v, "}");
    }
    if (sensitive)
        vrml_close_node(v);
}

/* Writes a frame's Transform, its joints' and its shapes, and leaves the Transforms open. */
static void open_frame(struct vrml *v, uint32_t index)
{
    const cp_node *node = &v->scene->nodes[index];
    struct rest rest = node->parent == CP_NONE ? vrml_no_rest : v->nodes[node->parent].rest;
    cp_pose pose = vrml_node_pose(v, index);
    struct placing placing;
    vrml_place(&rest, &pose, &placing);
    vrml_open_transform(v, v->nodes[index].name, &placing);
    for (uint32_t j = node->first_joint; j < node->first_joint + node->joint_count; j++)
        if (v->joints[j].name)
            open_joint(v, j, &rest);
    write_content(v, index, &rest);
}

static void close_frame(struct vrml *v, uint32_t index)
{
    const cp_node *node = &v->scene->nodes[index];
    for (uint32_t j = node->first_joint; j < node->first_joint + node->joint_count; j++)
        if (v->joints[j].name)
            vrml_close_node(v);
    vrml_close_node(v);
}

cp_status vrml_write_tree(struct vrml *v)
{
    const struct placing y_up = {.rotation = {{1, 0, 0}, -PI / 2}, .scale = {1, 1, 1}};
    bool turned = v->settings->up == VRML_UP_Y;
    if (turned)
        vrml_open_transform(v, vrml_name(v, "", "y_up"), &y_up);
    /* The frames in the order of the text: into what was opened, else to the next one, closing what ends there. */
    for (uint32_t node = 0; node != CP_NONE && v->status == CP_OK && !v->failed;) {
        open_frame(v, node);
        if (v->nodes[node].first_child != CP_NONE) {
            node = v->nodes[node].first_child;
            continue;
        }
        close_frame(v, node);
        while (node != CP_NONE && v->nodes[node].next_sibling == CP_NONE) {
            node = v->scene->nodes[node].parent;
            if (node != CP_NONE)
                close_frame(v, node);
        }
        node = node == CP_NONE ? CP_NONE : v->nodes[node].next_sibling;
    }
    if (turned)
        vrml_close_node(v);
    return v->status;
}
