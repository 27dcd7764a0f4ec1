/* The scene of a cell: nodes with their joints and models, each after its parent. */
#include "rwxml.h"

#include <math.h>

/* Lists the rows, each after its parent, else in the order of the document. */
static cp_status find_order(struct rwxml *rwxml, uint32_t *order)
{
    uint32_t count = 0, *stack = arena_allocate(rwxml->arena, rwxml->frame_count, sizeof *stack);
    if (!stack)
        return CP_LIMIT;
    for (uint32_t i = 0; i < rwxml->frame_count; i++) {
        uint32_t depth = 0;
        for (uint32_t at = i; at != CP_NONE && rwxml->frames[at].state != RWXML_DONE; at = rwxml->frames[at].parent) {
            struct rwxml_frame *frame = &rwxml->frames[at];
            if (frame->state == RWXML_OPEN)
                return report_error(rwxml->context, CP_INPUT, "rwxml-parent", xml_node_place(frame->element),
                                    "the frame \"%.200s\" hangs on itself", frame->name);
            frame->state = RWXML_OPEN;
            stack[depth++] = at;
        }
        while (depth-- > 0) {
            rwxml->frames[stack[depth]].state = RWXML_DONE;
            order[count++] = stack[depth];
        }
    }
    return CP_OK;
}

static cp_status add_joint(struct rwxml *rwxml, struct rwxml_frame *frame)
{
    cp_scene *scene = rwxml->scene;
    cp_joint_type type = frame->kind == RWXML_REVOLUTE ? CP_JOINT_REVOLUTE : CP_JOINT_PRISMATIC;
    if (frame->kind != RWXML_REVOLUTE && frame->kind != RWXML_PRISMATIC)
        return CP_OK;
    frame->joint = scene_add_joint(scene, frame->node, type, NULL);
    if (frame->joint == CP_NONE)
        return CP_LIMIT;
    cp_joint *joint = &scene->joints[frame->joint];
    joint->lower = frame->lower;
    joint->upper = frame->upper;
    joint->velocity = frame->velocity;
    joint->acceleration = frame->acceleration;
    joint->driven = frame->active;
    return CP_OK;
}

static cp_status add_node(struct rwxml *rwxml, struct rwxml_frame *frame)
{
    cp_scene *scene = rwxml->scene;
    uint32_t parent = frame->parent == CP_NONE ? 0 : rwxml->frames[frame->parent].node;
    frame->node = scene_add_node(scene, parent, frame->name, strlen(frame->name));
    if (frame->node == CP_NONE || !name_map_add(&rwxml->nodes, frame->name, frame->node, NULL))
        return CP_LIMIT;
    cp_node *node = &scene->nodes[frame->node];
    node->local = frame->pose;
    if (frame->kind == RWXML_MOVABLE)
        node->flags |= CP_NODE_MOVABLE;
    if (frame->attachable)
        node->flags |= CP_NODE_ATTACHABLE;
    cp_status status = add_joint(rwxml, frame);
    return status == CP_OK ? rwxml_place_models(rwxml, frame) : status;
}

/* Lets dependent joints follow, once all joints are there. */
static void follow(struct rwxml *rwxml)
{
    for (uint32_t i = 0; i < rwxml->frame_count; i++) {
        const struct rwxml_frame *frame = &rwxml->frames[i];
        if (frame->joint == CP_NONE || frame->master == CP_NONE)
            continue;
        cp_joint *joint = &rwxml->scene->joints[frame->joint];
        joint->driven = false;
        joint->master = rwxml->frames[frame->master].joint;
        joint->scale = frame->gain;
        joint->offset = frame->offset;
    }
}

/* Keeps a property as metadata of its frame, of the base of its device, or of the scene. */
static cp_status keep_property(struct rwxml *rwxml, const struct rwxml_later *later)
{
    const char *name = rwxml_attribute(rwxml, later->element, "name"), *text = rwxml_text(rwxml, later->element);
    const char *note = xml_node_attribute(later->element, "desc");
    if (!name)
        return CP_INPUT;
    const uint32_t *row = later->name ? name_map_find(&rwxml->names, later->name) : NULL;
    uint32_t node = 0;
    if (row)
        node = rwxml->frames[*row].node;
    else if (later->device != CP_NONE)
        node = rwxml->frames[rwxml->devices[later->device].first].node;
    cp_owner owner = node ? CP_OWNER_NODE : CP_OWNER_SCENE;
    bool done = text && scene_add_metadata(rwxml->scene, owner, node, name, CP_VALUE_STRING, text);
    if (done && note && *note) {
        const char *key = arena_print(rwxml->arena, "%s.desc", name);
        done = key && scene_add_metadata(rwxml->scene, owner, node, key, CP_VALUE_STRING, note);
    }
    return done ? CP_OK : CP_LIMIT;
}

cp_status rwxml_build(struct rwxml *rwxml)
{
    uint32_t *order = arena_allocate(rwxml->arena, rwxml->frame_count, sizeof *order);
    cp_status status = order ? find_order(rwxml, order) : CP_LIMIT;
    for (uint32_t i = 0; i < rwxml->frame_count && status == CP_OK; i++)
        status = add_node(rwxml, &rwxml->frames[order[i]]);
    if (status == CP_OK)
        follow(rwxml);
    for (uint32_t i = 0; i < rwxml->properties.count && status == CP_OK; i++)
        status = keep_property(rwxml, &rwxml->properties.items[i]);
    return status;
}
