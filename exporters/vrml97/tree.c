/* Frames as nested Transforms, and the shapes in them. */
#include "vrml97.h"

#include "base/text/text.h"
#include "model/model.h"

/* Opens a joint's Transform at its current value. A revolute one always has its rotation, about its own axis. */
static void open_joint(struct vrml_output *output, const struct vrml_frames *frames, uint32_t index,
                       struct vrml_rest *rest)
{
    const cp_joint *joint = &frames->scene->joints[index];
    const struct vrml_joint_plan *plan = &frames->joints[index];
    double q = frames->mechanism.values[index];
    cp_pose moved = joint_motion(joint, q);
    struct vrml_placing placing;
    vrml_place(rest, &moved, &placing);
    if (plan->sign != 0 && joint->type == CP_JOINT_REVOLUTE) {
        vrml_open(output, plan->name, "Transform {");
        vrml_turn_line(output, "rotation", &(struct rotation){{joint->axis[0], joint->axis[1], joint->axis[2]}, q});
        vrml_open(output, NULL, "children [");
        return;
    }
    if (plan->sign != 0 && joint->type == CP_JOINT_SCALE)
        vrml_stretch_placing(joint, q, &placing);
    vrml_open_transform(output, plan->name, &placing);
}

/* Writes a node's instances of one use. With layout=parts they are in a file of their own. */
static cp_status write_instances(struct vrml_output *output, const struct vrml_frames *frames,
                                 struct vrml_shapes *shapes, const cp_node *node, uint32_t use,
                                 const struct vrml_rest *node_rest)
{
    struct vrml_part part;
    bool open = false;
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < node->instance_count && status == CP_OK; i++) {
        const cp_instance *instance = &frames->scene->instances[node->first_instance + i];
        if (instance->use != use)
            continue;
        if (output->settings->layout == VRML_PARTS && !open) {
            status = vrml_open_part(output, shapes, (uint32_t)(node - frames->scene->nodes), node->name, NULL, &part);
            if (status != CP_OK)
                return status;
            open = true;
        }
        struct vrml_rest rest = *node_rest;
        struct vrml_placing placing;
        vrml_place(&rest, &instance->transform, &placing);
        bool wrap = !vrml_placing_is_identity(&placing);
        if (wrap)
            vrml_open_transform(output, NULL, &placing);
        status = vrml_write_mesh(output, shapes, instance, &rest);
        if (wrap)
            vrml_close_node(output);
    }
    cp_status closed = open ? vrml_close_part(output, &part) : CP_OK;
    return status == CP_OK ? closed : status;
}

static cp_status write_content(struct vrml_output *output, struct vrml_frames *frames, struct vrml_shapes *shapes,
                               uint32_t index, const struct vrml_rest *rest)
{
    const cp_node *node = &frames->scene->nodes[index];
    struct vrml_node_plan *plan = &frames->nodes[index];
    uint32_t drawn = 0, drawn_only = 0, collision_only = 0;
    for (uint32_t i = 0; i < node->instance_count; i++) {
        uint32_t use = frames->scene->instances[node->first_instance + i].use;
        drawn += (use & CP_USE_DRAWN) != 0;
        drawn_only += use == CP_USE_DRAWN;
        collision_only += use == CP_USE_COLLISION;
    }
    /* A TouchSensor senses all that is below its Group, so the Group holds only this node's shapes. */
    bool moved = plan->mover != CP_NONE && !plan->starts;
    bool sensitive = drawn > 0 && (moved || plan->starts || plan->substitutes);
    if (sensitive) {
        plan->touch = vrml_name(output, "touch_", moved ? frames->scene->joints[plan->mover].name : node->name);
        vrml_open_group(output, NULL);
        vrml_indent(output);
        vrml_define(output, plan->touch);
        sink_text(output->sink, "TouchSensor { ");
        if (output->settings->descriptions)
            vrml_write_description(output, frames, index);
        sink_text(output->sink, "}\n");
    }
    cp_status status = write_instances(output, frames, shapes, node, CP_USE_BOTH, rest);
    /* Instances that are only drawn do not collide: without a proxy none does, else those for collision alone do. */
    if (status == CP_OK && (collision_only > 0 || drawn_only > 0)) {
        vrml_open(output, NULL, "Collision {");
        if (collision_only == 0)
            vrml_line(output, "collide FALSE");
        if (drawn_only > 0) {
            vrml_open(output, NULL, "children [");
            status = write_instances(output, frames, shapes, node, CP_USE_DRAWN, rest);
            vrml_close(output, "]");
        }
        if (status == CP_OK && collision_only > 0) {
            vrml_line(output, "proxy");
            output->depth++;
            if (collision_only > 1)
                vrml_open_group(output, NULL);
            status = write_instances(output, frames, shapes, node, CP_USE_COLLISION, rest);
            if (collision_only > 1)
                vrml_close_node(output);
            output->depth--;
        }
        vrml_close(output, "}");
    }
    if (sensitive)
        vrml_close_node(output);
    return status;
}

/* Writes a frame's Transform, its joints' and its shapes, and leaves the Transforms open. */
static cp_status open_frame(struct vrml_output *output, struct vrml_frames *frames, struct vrml_shapes *shapes,
                            uint32_t index)
{
    const cp_node *node = &frames->scene->nodes[index];
    struct vrml_rest rest = node->parent == CP_NONE ? vrml_no_rest : frames->nodes[node->parent].rest;
    cp_pose pose = vrml_node_pose(frames, index);
    struct vrml_placing placing;
    vrml_place(&rest, &pose, &placing);
    vrml_open_transform(output, frames->nodes[index].name, &placing);
    for (uint32_t j = node->first_joint; j < node->first_joint + node->joint_count; j++)
        if (frames->joints[j].name)
            open_joint(output, frames, j, &rest);
    return write_content(output, frames, shapes, index, &rest);
}

static void close_frame(struct vrml_output *output, const struct vrml_frames *frames, uint32_t index)
{
    const cp_node *node = &frames->scene->nodes[index];
    for (uint32_t j = node->first_joint; j < node->first_joint + node->joint_count; j++)
        if (frames->joints[j].name)
            vrml_close_node(output);
    vrml_close_node(output);
}

cp_status vrml_write_tree(struct vrml_output *output, struct vrml_frames *frames, struct vrml_shapes *shapes)
{
    const struct vrml_placing y_up = {.rotation = {{1, 0, 0}, -PI / 2}, .scale = {1, 1, 1}};
    bool turned = output->settings->up == VRML_UP_Y;
    if (turned)
        vrml_open_transform(output, vrml_name(output, "", "y_up"), &y_up);
    /* The frames in the order of the text: into what was opened, else to the next one, closing what ends there. */
    cp_status status = CP_OK;
    for (uint32_t node = 0; node != CP_NONE && !output->failed;) {
        status = open_frame(output, frames, shapes, node);
        if (status != CP_OK)
            return status;
        if (frames->nodes[node].first_child != CP_NONE) {
            node = frames->nodes[node].first_child;
            continue;
        }
        close_frame(output, frames, node);
        while (node != CP_NONE && frames->nodes[node].next_sibling == CP_NONE) {
            node = frames->scene->nodes[node].parent;
            if (node != CP_NONE)
                close_frame(output, frames, node);
        }
        node = node == CP_NONE ? CP_NONE : frames->nodes[node].next_sibling;
    }
    if (turned)
        vrml_close_node(output);
    return status;
}
