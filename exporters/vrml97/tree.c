/* Frames as nested Transforms, and the shapes in them. */
#include <math.h>

#include "vrml97.h"

/* ---- joints ---- */

static bool has_transform(const struct vrml *v, uint32_t joint)
{
    return v->joints[joint].name != NULL;
}

/* A joint's Transform at its current value. A revolute one always has its rotation, about its own axis. */
static void open_joint(struct vrml *v, uint32_t index, struct rest *rest)
{
    const cp_joint *joint = &v->scene->joints[index];
    double q = v->mechanism.values[index];
    cp_pose motion = joint_motion(joint, q);
    struct placing placing;
    vrml_place(rest, &motion, &placing);
    vrml_open(v, v->joints[index].name, "Transform {");
    if (v->joints[index].sign != 0 && joint->type == CP_JOINT_REVOLUTE) {
        vrml_indent(v);
        vrml_turn(v, "rotation", &(struct rotation){{joint->axis[0], joint->axis[1], joint->axis[2]}, q});
        sink_text(v->out, "\n");
    } else if (v->joints[index].sign != 0 && joint->type == CP_JOINT_SCALE) {
        vrml_stretch_placing(joint, q, &placing);
        vrml_write_placing(v, &placing);
    } else {
        vrml_write_placing(v, &placing);
    }
    vrml_open(v, NULL, "children [");
}

/* ---- shapes ---- */

static void write_instance(struct vrml *v, uint32_t index, const struct rest *node_rest)
{
    const cp_instance *instance = &v->scene->instances[index];
    struct rest rest = *node_rest;
    struct placing placing;
    vrml_place(&rest, &instance->transform, &placing);
    bool wrap = !vrml_placing_is_identity(&placing);
    if (wrap) {
        vrml_open(v, NULL, "Transform {");
        vrml_write_placing(v, &placing);
        vrml_open(v, NULL, "children [");
    }
    cp_status status = vrml_write_mesh(v, instance, &rest);
    v->status = v->status == CP_OK ? status : v->status;
    if (wrap) {
        vrml_close(v, "]");
        vrml_close(v, "}");
    }
}

struct content {
    uint32_t drawn, drawn_only, collision; /* instances: drawn; of these for nothing else; for collision only */
};

static struct content count_content(const struct vrml *v, const cp_node *node)
{
    struct content content = {0, 0, 0};
    for (uint32_t i = 0; i < node->instance_count; i++) {
        uint32_t use = v->scene->instances[node->first_instance + i].use;
        content.drawn += (use & CP_USE_DRAWN) != 0;
        content.drawn_only += use == CP_USE_DRAWN;
        content.collision += use == CP_USE_COLLISION;
    }
    return content;
}

static void note_failure(struct vrml *v, cp_status status)
{
    if (v->status == CP_OK)
        v->status = status;
}

/* With layout=parts they are in a file of their own. */
static void write_instances(struct vrml *v, const cp_node *node, uint32_t use, const struct rest *rest)
{
    struct vrml_part part;
    bool open = false;
    for (uint32_t i = node->first_instance; i < node->first_instance + node->instance_count && v->status == CP_OK;
         i++) {
        if (v->scene->instances[i].use != use)
            continue;
        if (v->settings->layout == VRML_PARTS && !open) {
            cp_status status = vrml_open_part(v, (uint32_t)(node - v->scene->nodes), &part);
            open = status == CP_OK;
            note_failure(v, status);
        }
        if (v->status == CP_OK)
            write_instance(v, i, rest);
    }
    if (open)
        note_failure(v, vrml_close_part(v, &part));
}

static void write_proxy(struct vrml *v, const cp_node *node, const struct content *content, const struct rest *rest)
{
    vrml_line(v, "proxy");
    v->depth++;
    if (content->collision > 1) {
        vrml_open(v, NULL, "Group {");
        vrml_open(v, NULL, "children [");
    }
    write_instances(v, node, CP_USE_COLLISION, rest);
    if (content->collision > 1) {
        vrml_close(v, "]");
        vrml_close(v, "}");
    }
    v->depth--;
}

/* What is drawn only collides with nothing, or as what is for collision only: its proxy. */
static void write_collision(struct vrml *v, const cp_node *node, const struct content *content, const struct rest *rest)
{
    vrml_open(v, NULL, "Collision {");
    if (content->collision == 0)
        vrml_line(v, "collide FALSE");
    if (content->drawn_only > 0) {
        vrml_open(v, NULL, "children [");
        write_instances(v, node, CP_USE_DRAWN, rest);
        vrml_close(v, "]");
    }
    if (content->collision > 0)
        write_proxy(v, node, content, rest);
    vrml_close(v, "}");
}

/* A TouchSensor feels all that is below its Group, so the Group holds this node's shapes alone. */
static void write_content(struct vrml *v, uint32_t index, const struct rest *rest)
{
    const cp_node *node = &v->scene->nodes[index];
    struct content content = count_content(v, node);
    const struct node_plan *plan = &v->nodes[index];
    bool sensitive = content.drawn > 0 && (plan->mover != CP_NONE || plan->starts);
    if (sensitive) {
        const char *played = plan->starts ? node->name : v->scene->joints[plan->mover].name;
        v->nodes[index].touch = vrml_name(v, "touch_", played);
        vrml_open(v, NULL, "Group {");
        vrml_open(v, NULL, "children [");
        vrml_indent(v);
        vrml_define(v, v->nodes[index].touch);
        sink_text(v->out, "TouchSensor { }\n");
    }
    write_instances(v, node, CP_USE_BOTH, rest);
    if (content.collision > 0 || content.drawn_only > 0)
        write_collision(v, node, &content, rest);
    if (sensitive) {
        vrml_close(v, "]");
        vrml_close(v, "}");
    }
}

/* ---- nodes ---- */

/* The frame in which the node is written, and what it is written as: in a slot that is the pose that it has there. */
static void open_frame(struct vrml *v, uint32_t index)
{
    const cp_node *node = &v->scene->nodes[index];
    uint32_t parent = node->parent;
    struct rest rest = parent == CP_NONE ? vrml_no_rest : v->nodes[parent].rest;
    cp_pose pose = vrml_node_pose(v, index);
    struct placing placing;
    vrml_place(&rest, &pose, &placing);
    vrml_open(v, v->nodes[index].name, "Transform {");
    vrml_write_placing(v, &placing);
    vrml_open(v, NULL, "children [");
}

static void open_node(struct vrml *v, uint32_t index)
{
    const cp_node *node = &v->scene->nodes[index];
    struct rest rest = node->parent == CP_NONE ? vrml_no_rest : v->nodes[node->parent].rest;
    cp_pose pose = vrml_node_pose(v, index);
    struct placing placing;
    vrml_place(&rest, &pose, &placing);
    for (uint32_t j = node->first_joint; j < node->first_joint + node->joint_count; j++)
        if (has_transform(v, j))
            open_joint(v, j, &rest);
    write_content(v, index, &rest);
}

static void close_node(struct vrml *v, uint32_t index)
{
    const cp_node *node = &v->scene->nodes[index];
    for (uint32_t j = node->first_joint; j < node->first_joint + node->joint_count; j++)
        if (has_transform(v, j)) {
            vrml_close(v, "]");
            vrml_close(v, "}");
        }
}

/* Writes what begins at a place; true when what stands in it comes next. */
static bool open_place(struct vrml *v, uint32_t place)
{
    const struct child *child = &v->children[place];
    if (child->slot == CP_NONE)
        open_frame(v, child->node);
    else if (!vrml_open_slot(v, child->slot))
        return false;
    v->nodes[child->node].place = place;
    open_node(v, child->node);
    return true;
}

static void close_place(struct vrml *v, uint32_t place)
{
    const struct child *child = &v->children[place];
    close_node(v, child->node);
    if (child->slot != CP_NONE) {
        vrml_close_slot(v);
        return;
    }
    vrml_close(v, "]");
    vrml_close(v, "}");
}

/* The places in the order of the text: into what was opened, else to the next one, closing what ends there. */
static void write_places(struct vrml *v)
{
    uint32_t place = 0;
    while (place != CP_NONE && v->status == CP_OK && !v->failed) {
        uint32_t node = v->children[place].node;
        bool opened = open_place(v, place);
        if (opened && v->nodes[node].first_child != CP_NONE) {
            place = v->nodes[node].first_child;
            continue;
        }
        if (opened)
            close_place(v, place);
        while (place != CP_NONE && v->children[place].next == CP_NONE) {
            uint32_t owner = v->children[place].owner;
            place = owner == CP_NONE ? CP_NONE : v->nodes[owner].place;
            if (place != CP_NONE)
                close_place(v, place);
        }
        place = place == CP_NONE ? CP_NONE : v->children[place].next;
    }
}

cp_status vrml_write_tree(struct vrml *v)
{
    bool turned = v->settings->up == VRML_UP_Y;
    if (turned) {
        vrml_open(v, vrml_name(v, "", "y_up"), "Transform {");
        vrml_indent(v);
        vrml_turn(v, "rotation", &(struct rotation){{1, 0, 0}, -PI / 2});
        sink_text(v->out, "\n");
        vrml_open(v, NULL, "children [");
    }
    write_places(v);
    if (turned) {
        vrml_close(v, "]");
        vrml_close(v, "}");
    }
    return v->status;
}
