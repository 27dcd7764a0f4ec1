/* Frames and joints as rows: kinds, poses, limits; their parents and masters, once all are known. */
#include "rwxml.h"

#include <math.h>

#include "base/text/text.h"

cp_status rwxml_keep(struct rwxml *rwxml, struct rwxml_list *list, const struct rwxml_later *later)
{
    return array_add(rwxml->context, &list->items, &list->room, &list->count, later, sizeof *later) ? CP_OK : CP_LIMIT;
}

cp_status rwxml_add_model(struct rwxml *rwxml, const struct xml_node *element, uint32_t frame)
{
    struct rwxml_model model = {.element = element, .next = CP_NONE};
    uint32_t index = rwxml->placed_count;
    if (!array_add(rwxml->context, &rwxml->placed, &rwxml->placed_room, &rwxml->placed_count, &model, sizeof model))
        return CP_LIMIT;
    struct rwxml_frame *row = &rwxml->frames[frame];
    if (row->last_model == CP_NONE)
        row->first_model = index;
    else
        rwxml->placed[row->last_model].next = index;
    row->last_model = index;
    return CP_OK;
}

/* ---- limits ---- */

/* Reads a number of a limit as the scene has it. */
static cp_status read_limit(struct rwxml *rwxml, const struct xml_node *element, const char *name,
                            const struct rwxml_frame *frame, double *limit)
{
    cp_status status = rwxml_number(rwxml, element, name, limit);
    if (status == CP_OK && frame->kind == RWXML_REVOLUTE)
        *limit = degrees_to_radians(*limit);
    return status;
}

cp_status rwxml_take_limit(struct rwxml *rwxml, const struct xml_node *element, struct rwxml_frame *frame)
{
    if (frame->kind != RWXML_REVOLUTE && frame->kind != RWXML_PRISMATIC)
        return rwxml_lenient(rwxml, "rwxml-limit", element, "\"%.100s\" is no joint that has limits", frame->name);
    double lower, upper;
    bool is_position = rwxml_is(element, "PosLimit");
    cp_status status = is_position ? read_limit(rwxml, element, "min", frame, &lower) : CP_OK;
    if (status == CP_OK)
        status = read_limit(rwxml, element, "max", frame, &upper);
    if (status != CP_OK)
        return status;
    if (!is_position && upper < 0)
        return rwxml_lenient(rwxml, "rwxml-limit", element, "a limit of \"%.100s\" is negative; the joint gets none",
                             frame->name);
    if (!is_position) {
        *(rwxml_is(element, "VelLimit") ? &frame->velocity : &frame->acceleration) = upper;
        return CP_OK;
    }
    if (lower > upper)
        return rwxml_lenient(rwxml, "rwxml-limit", element,
                             "the lower limit of \"%.100s\" is above the upper one; the joint gets neither",
                             frame->name);
    frame->lower = lower;
    frame->upper = upper;
    return CP_OK;
}

/* ---- frames ---- */

/* Reads the type that a Frame or Joint names. */
static cp_status read_type(struct rwxml *rwxml, const struct xml_node *element, struct rwxml_frame *frame)
{
    static const struct {
        const char *word;
        enum rwxml_kind kind;
    } types[] = {{"Fixed", RWXML_FIXED},
                 {"Movable", RWXML_MOVABLE},
                 {"EndEffector", RWXML_END},
                 {"Revolute", RWXML_REVOLUTE},
                 {"Prismatic", RWXML_PRISMATIC}};
    bool is_joint = rwxml_is(element, "Joint");
    const char *type = xml_node_attribute(element, "type");
    if (!type && !is_joint)
        return CP_OK;
    for (size_t i = 0; type && i < sizeof types / sizeof *types; i++)
        if (strcmp(type, types[i].word) == 0 && (!is_joint || i > 2)) {
            frame->kind = types[i].kind;
            return CP_OK;
        }
    if (!type)
        return report_error(rwxml->context, CP_INPUT, "rwxml-attribute", xml_node_place(element),
                            "<Joint> has no attribute type");
    static const char *const many[] = {"Spherical", "PrismaticSpherical", "Universal", "PrismaticUniversal"};
    for (size_t i = 0; i < 4; i++)
        if (strcmp(type, many[i]) == 0)
            return report_error(rwxml->context, CP_INPUT, "rwxml-joint", xml_node_place(element),
                                "the joint \"%.100s\" is %s, of several degrees of freedom, which is not read",
                                frame->name, type);
    return report_error(rwxml->context, CP_INPUT, "rwxml-joint", xml_node_place(element),
                        "\"%.100s\" is of the type \"%.100s\", which is none of Fixed, Movable, EndEffector, Revolute "
                        "and Prismatic",
                        frame->name, type);
}

/* Takes what stands inside a frame or joint. */
static cp_status read_inside(struct rwxml *rwxml, const struct xml_node *element, uint32_t row)
{
    cp_status status = CP_OK;
    for (const struct xml_node *child = xml_node_child(element, NULL); child && status == CP_OK;
         child = xml_node_next(child, NULL)) {
        struct rwxml_frame *frame = &rwxml->frames[row];
        if (rwxml_is_one_of(child, rwxml_poses)) {
            continue;
        } else if (rwxml_is_one_of(child, rwxml_limits)) {
            status = rwxml_take_limit(rwxml, child, frame);
        } else if (rwxml_is(child, "Depend")) {
            frame->depend = child;
            frame->active = false;
        } else if (rwxml_is_one_of(child, rwxml_models)) {
            status = rwxml_add_model(rwxml, child, row);
        } else if (rwxml_is(child, "Property")) {
            struct rwxml_later later = {.element = child, .name = frame->name, .device = frame->device};
            status = rwxml_keep(rwxml, &rwxml->properties, &later);
        } else {
            rwxml_lose(rwxml, child);
        }
    }
    return status;
}

static cp_status read_kind(struct rwxml *rwxml, const struct xml_node *element, struct rwxml_frame *frame)
{
    if (rwxml_is(element, "DHJoint"))
        return rwxml_joint_pose(rwxml, element, frame);
    cp_status status = read_type(rwxml, element, frame);
    return status == CP_OK ? rwxml_pose(rwxml, element, &frame->pose) : status;
}

/* Reads whether a joint is driven, and whether a frame can be attached elsewhere. */
static cp_status read_state(struct rwxml *rwxml, const struct xml_node *element, struct rwxml_frame *frame)
{
    const char *state = xml_node_attribute(element, "state"), *attachable = xml_node_attribute(element, "daf");
    frame->attachable = attachable && strcmp(attachable, "true") == 0;
    if (attachable && !frame->attachable && strcmp(attachable, "false") != 0)
        return rwxml_lenient(rwxml, "rwxml-state", element, "daf is neither true nor false, but \"%.100s\"",
                             attachable);
    frame->active = !rwxml_is(element, "Frame") && (!state || strcmp(state, "Passive") != 0);
    if (state && frame->active && strcmp(state, "Active") != 0)
        return rwxml_lenient(rwxml, "rwxml-state", element, "state is neither Active nor Passive, but \"%.100s\"",
                             state);
    return CP_OK;
}

cp_status rwxml_add_frame(struct rwxml *rwxml, const struct xml_node *element, const char *scope, uint32_t device,
                          uint32_t *row)
{
    const char *own = rwxml_attribute(rwxml, element, "name");
    if (!own)
        return CP_INPUT;
    struct rwxml_frame frame = {.scope = scope,
                                .element = element,
                                .pose = POSE_IDENTITY,
                                .lower = -INFINITY,
                                .upper = INFINITY,
                                .velocity = INFINITY,
                                .acceleration = INFINITY,
                                .parent = CP_NONE,
                                .device = device,
                                .master = CP_NONE,
                                .first_model = CP_NONE,
                                .last_model = CP_NONE,
                                .node = CP_NONE,
                                .joint = CP_NONE};
    frame.name = arena_print(rwxml->arena, "%s%s", scope, own);
    if (!frame.name)
        return CP_LIMIT;
    frame.local = device == CP_NONE ? frame.name : frame.name + strlen(rwxml->devices[device].prefix);
    cp_status status = read_kind(rwxml, element, &frame);
    if (status == CP_OK)
        status = read_state(rwxml, element, &frame);
    if (status != CP_OK)
        return status;
    bool added;
    *row = rwxml->frame_count;
    if (!name_map_add(&rwxml->names, frame.name, *row, &added))
        return CP_LIMIT;
    if (!added || strcmp(frame.name, "WORLD") == 0)
        return report_error(rwxml->context, CP_INPUT, "rwxml-name", xml_node_place(element),
                            "there is another frame \"%.200s\"", frame.name);
    if (!array_add(rwxml->context, &rwxml->frames, &rwxml->frame_room, &rwxml->frame_count, &frame, sizeof frame))
        return CP_LIMIT;
    return read_inside(rwxml, element, *row);
}

/* ---- parents ---- */

/* Finds the parent of a frame that names it: in its scope, else as the whole name. */
static cp_status find_parent(struct rwxml *rwxml, struct rwxml_frame *frame)
{
    const uint32_t *found = name_map_find(&rwxml->names, frame->above);
    if (found) {
        frame->parent = *found;
        return CP_OK;
    }
    size_t scope = strlen(frame->scope);
    bool scoped = scope > 0 && strncmp(frame->above, frame->scope, scope) == 0;
    const char *whole = scoped ? frame->above + scope : frame->above;
    found = name_map_find(&rwxml->names, whole);
    if (!found && strcmp(whole, "WORLD") != 0)
        return report_error(rwxml->context, CP_INPUT, "rwxml-parent", xml_node_place(frame->element),
                            "the frame \"%.100s\" hangs on \"%.100s\", which is no frame", frame->name, frame->above);
    frame->parent = found ? *found : CP_NONE;
    return scoped ? rwxml_lenient(rwxml, "rwxml-scope", frame->element,
                                  "the parent \"%.100s\" is not in the scope of the device; the frame of the cell is "
                                  "taken",
                                  whole)
                  : CP_OK;
}

/* ---- dependent joints ---- */

/* Finds the joint that another depends on: its name in the own scope, else in the scopes around it. */
static cp_status find_master(struct rwxml *rwxml, struct rwxml_frame *frame)
{
    const char *on = rwxml_attribute(rwxml, frame->depend, "on");
    cp_status status = on ? rwxml_number(rwxml, frame->depend, "gain", &frame->gain) : CP_INPUT;
    if (status == CP_OK)
        status = rwxml_number(rwxml, frame->depend, "offset", &frame->offset);
    if (status != CP_OK)
        return status;
    const uint32_t *found = NULL;
    for (size_t size = strlen(frame->scope);; size--) {
        char *name = arena_print(rwxml->arena, "%.*s%s", (int)size, frame->scope, on);
        if (!name)
            return CP_LIMIT;
        found = name_map_find(&rwxml->names, name);
        if (found || size == 0)
            break;
        while (size > 1 && frame->scope[size - 2] != '.')
            size--;
    }
    bool is_joint = frame->kind == RWXML_REVOLUTE || frame->kind == RWXML_PRISMATIC;
    if (found && is_joint &&
        (rwxml->frames[*found].kind == RWXML_REVOLUTE || rwxml->frames[*found].kind == RWXML_PRISMATIC))
        frame->master = *found;
    else
        return rwxml_lenient(rwxml, "rwxml-depend", frame->depend,
                             is_joint ? "the joint depends on \"%.100s\", which is no joint, and is free"
                                      : "a frame that is no joint depends on \"%.100s\"",
                             on);
    return CP_OK;
}

/* Replaces a master that depends itself by the one that does not. The path of rows is in `stack`. */
static cp_status multiply_out(struct rwxml *rwxml, uint32_t start, uint32_t *stack)
{
    uint32_t depth = 0;
    for (uint32_t at = start; at != CP_NONE; at = rwxml->frames[at].master) {
        struct rwxml_frame *frame = &rwxml->frames[at];
        if (frame->dependence == RWXML_DONE)
            break;
        if (frame->dependence == RWXML_OPEN)
            return report_error(rwxml->context, CP_INPUT, "rwxml-depend", xml_node_place(frame->depend),
                                "the joint \"%.100s\" depends on itself", frame->name);
        frame->dependence = RWXML_OPEN;
        stack[depth++] = at;
    }
    while (depth-- > 0) {
        struct rwxml_frame *frame = &rwxml->frames[stack[depth]];
        const struct rwxml_frame *master = frame->master == CP_NONE ? NULL : &rwxml->frames[frame->master];
        frame->dependence = RWXML_DONE;
        if (!master || master->master == CP_NONE)
            continue;
        frame->offset += frame->gain * master->offset;
        frame->gain *= master->gain;
        frame->master = master->master;
        if (!isfinite(frame->gain) || !isfinite(frame->offset))
            return report_error(rwxml->context, CP_INPUT, "rwxml-depend", xml_node_place(frame->depend),
                                "the gain or offset of the joint \"%.100s\" is out of range", frame->name);
    }
    return CP_OK;
}

cp_status rwxml_resolve(struct rwxml *rwxml)
{
    cp_status status = CP_OK;
    uint32_t *stack = arena_allocate(rwxml->arena, rwxml->frame_count, sizeof *stack);
    if (!stack)
        return CP_LIMIT;
    for (uint32_t i = 0; i < rwxml->frame_count && status == CP_OK; i++) {
        struct rwxml_frame *frame = &rwxml->frames[i];
        if (frame->above)
            status = find_parent(rwxml, frame);
        if (status == CP_OK && frame->depend)
            status = find_master(rwxml, frame);
    }
    for (uint32_t i = 0; i < rwxml->frame_count && status == CP_OK; i++)
        status = multiply_out(rwxml, i, stack);
    return status;
}
