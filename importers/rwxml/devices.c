/* The cell and its devices as rows. Rules of parents, as RobWork's loader has them:
 *
 * - A frame of the cell hangs on the frame that it names, else on the world; the first one always on the world.
 * - The first frame of a device hangs on the last frame of the cell before the device.
 * - Further frames of a serial device hang on the one before. In other devices they hang on the frame that they name in
 *   their scope, else on the one before. */
#include "rwxml.h"

#include "base/text/text.h"

/* The body of a device, or of a chain in it. */
struct body {
    uint32_t device;
    const char *scope; /* with the dot */
};

static const char *const frame_names[] = {"Frame", "Joint", "DHJoint", NULL};
static const char *const setup_names[] = {"CollisionSetup", "ProximitySetup", NULL};
static const char *const device_names[] = {"SerialDevice", "TreeDevice", "ParallelDevice", "MobileDevice", NULL};

/* ---- frames of a device ---- */

/* Says on what a further frame of a device hangs. */
static cp_status hang(struct rwxml *rwxml, const struct body *body, uint32_t row)
{
    struct rwxml_device *device = &rwxml->devices[body->device];
    struct rwxml_frame *frame = &rwxml->frames[row];
    const char *name = xml_node_attribute(frame->element, "refframe");
    bool named = name && *name;
    if (device->kind == RWXML_MOBILE && device->count == 0) {
        if (!named)
            name = xml_node_attribute(device->element, "basename");
    } else if (device->count == 0) {
        frame->parent = rwxml->last_frame;
        if (named && strcmp(name, "WORLD") != 0)
            report_note(rwxml->context, "rwxml-first", xml_node_place(frame->element),
                        "the first frame of a device hangs on the frame of the cell before it, not on \"%.100s\"",
                        name);
        return CP_OK;
    } else if (device->kind == RWXML_SERIAL || !named) {
        frame->parent = row - 1;
        bool other = named && strcmp(rwxml->frames[row - 1].name + strlen(body->scope), name) != 0;
        if (device->kind == RWXML_SERIAL && other)
            report_note(rwxml->context, "rwxml-serial", xml_node_place(frame->element),
                        "frames of a serial device hang on the one before, not on \"%.100s\"", name);
        return CP_OK;
    }
    frame->above = arena_print(rwxml->arena, "%s%s", body->scope, name);
    return frame->above ? CP_OK : CP_LIMIT;
}

static cp_status add_device_frame(struct rwxml *rwxml, const struct body *body, const struct xml_node *element)
{
    uint32_t row;
    cp_status status = rwxml_add_frame(rwxml, element, body->scope, body->device, &row);
    if (status == CP_OK)
        status = hang(rwxml, body, row);
    rwxml->devices[body->device].count += status == CP_OK;
    return status;
}

/* ---- bodies ---- */

static cp_status keep_later(struct rwxml *rwxml, struct rwxml_list *list, const struct body *body,
                            const struct xml_node *element, const char *reference)
{
    const char *name = reference ? xml_node_attribute(element, reference) : NULL;
    struct rwxml_later later = {.element = element, .scope = body->scope, .device = body->device};
    if (name && *name && !(later.name = arena_print(rwxml->arena, "%s%s", body->scope, name)))
        return CP_LIMIT;
    return rwxml_keep(rwxml, list, &later);
}

static cp_status read_body(struct rwxml *rwxml, const struct body *body, const struct xml_node *element);

static cp_status read_chain(struct rwxml *rwxml, const struct body *body, const struct xml_node *element)
{
    const char *name = rwxml_attribute(rwxml, element, "name");
    struct body chain = {.device = body->device};
    if (!name)
        return CP_INPUT;
    chain.scope = arena_print(rwxml->arena, "%s%s.", body->scope, name);
    return chain.scope ? read_body(rwxml, &chain, element) : CP_LIMIT;
}

/* The recursion is bounded by the nesting of the document. */
static cp_status read_body(struct rwxml *rwxml, const struct body *body, const struct xml_node *element)
{
    static const char *const read_already[] = {"AxelWidth", "LeftWheel", "RightWheel", NULL};
    bool is_mobile = rwxml->devices[body->device].kind == RWXML_MOBILE;
    cp_status status = CP_OK;
    for (const struct xml_node *child = xml_node_child(element, NULL); child && status == CP_OK;
         child = xml_node_next(child, NULL)) {
        if (rwxml_is_one_of(child, frame_names))
            status = add_device_frame(rwxml, body, child);
        else if (rwxml_is(child, "SerialChain"))
            status = read_chain(rwxml, body, child);
        else if (rwxml_is_one_of(child, rwxml_limits))
            status = keep_later(rwxml, &rwxml->limits, body, child, "refjoint");
        else if (rwxml_is_one_of(child, rwxml_models))
            status = keep_later(rwxml, &rwxml->models, body, child, "refframe");
        else if (rwxml_is_one_of(child, setup_names))
            status = keep_later(rwxml, &rwxml->setups, body, child, NULL);
        else if (rwxml_is(child, "Q"))
            status = keep_later(rwxml, &rwxml->configurations, body, child, NULL);
        else if (rwxml_is(child, "Junction"))
            status = keep_later(rwxml, &rwxml->junctions, body, child, NULL);
        else if (rwxml_is(child, "Property"))
            status = keep_later(rwxml, &rwxml->properties, body, child, NULL);
        else if (!(is_mobile && rwxml_is_one_of(child, read_already)))
            rwxml_lose(rwxml, child);
    }
    return status;
}

/* ---- devices ---- */

/* Adds the base of a mobile device, which may be moved, and its two wheels: RPY 0 0 90 at half the width along Y. */
static cp_status add_wheels(struct rwxml *rwxml, const struct body *body, const struct xml_node *element)
{
    static const char *const names[] = {"LeftWheel", "RightWheel"};
    const struct xml_node *axle = xml_node_child(element, "AxelWidth");
    const char *base_name = rwxml_attribute(rwxml, element, "basename");
    double *width;
    uint32_t count = 0, row, base = rwxml->frame_count;
    if (!base_name)
        return CP_INPUT;
    cp_status status = axle ? rwxml_numbers(rwxml, axle, &width, &count) : CP_OK;
    if (status == CP_OK && count != 1)
        return report_error(rwxml->context, CP_INPUT, "rwxml-mobile", xml_node_place(axle ? axle : element),
                            "a MobileDevice needs one number as its AxelWidth");
    struct xml_item *name = arena_copy(rwxml->arena, &(struct xml_item){"name", base_name}, 1, sizeof *name);
    struct xml_node *made = arena_allocate_zeroed(rwxml->arena, 1, sizeof *made);
    if (status != CP_OK || !name || !made)
        return status == CP_OK ? CP_LIMIT : status;
    *made = (struct xml_node){
        .name = "Frame", .file = element->file, .line = element->line, .attributes = name, .attribute_count = 1};
    status = rwxml_add_frame(rwxml, made, body->scope, body->device, &row);
    if (status != CP_OK)
        return status;
    rwxml->frames[base].kind = RWXML_MOVABLE;
    rwxml->frames[base].attachable = true;
    for (int side = 0; side < 2; side++) {
        const struct xml_node *wheel = xml_node_child(element, names[side]);
        if (!wheel)
            return report_error(rwxml->context, CP_INPUT, "rwxml-mobile", xml_node_place(element),
                                "a MobileDevice needs a %s", names[side]);
        status = rwxml_add_frame(rwxml, wheel, body->scope, body->device, &row);
        if (status != CP_OK)
            return status;
        struct rwxml_frame *frame = &rwxml->frames[row];
        cp_pose turn = pose_rotation_degrees(0, 90), place = pose_translation(0, (side ? -0.5 : 0.5) * *width, 0);
        frame->kind = RWXML_REVOLUTE;
        frame->active = true;
        frame->pose = pose_multiply(&place, &turn);
        frame->parent = base;
    }
    return CP_OK;
}

static cp_status read_device(struct rwxml *rwxml, const struct xml_node *element)
{
    struct rwxml_device device = {.element = element, .first = rwxml->frame_count, .row = CP_NONE};
    struct body body = {.device = rwxml->device_count};
    device.name = rwxml_attribute(rwxml, element, "name");
    if (!device.name)
        return CP_INPUT;
    device.prefix = body.scope = arena_print(rwxml->arena, "%s.", device.name);
    if (!device.prefix)
        return CP_LIMIT;
    bool added;
    if (!name_map_add(&rwxml->device_names, device.name, body.device, &added))
        return CP_LIMIT;
    cp_status status = CP_OK;
    if (!added)
        status = rwxml_lenient(rwxml, "rwxml-device", element, "there is another device \"%.200s\"", device.name);
    while (!rwxml_is(element, device_names[device.kind]))
        device.kind++;
    if (!array_add(rwxml->context, &rwxml->devices, &rwxml->device_room, &rwxml->device_count, &device, sizeof device))
        return CP_LIMIT;
    if (status == CP_OK && device.kind == RWXML_MOBILE)
        status = add_wheels(rwxml, &body, element);
    if (status == CP_OK)
        status = read_body(rwxml, &body, element);
    struct rwxml_device *row = &rwxml->devices[body.device];
    row->count = rwxml->frame_count - row->first;
    if (status == CP_OK && row->count == 0)
        return report_error(rwxml->context, CP_INPUT, "rwxml-device", xml_node_place(element),
                            "the device \"%.100s\" has no frame", device.name);
    return status;
}

/* ---- the cell ---- */

static cp_status add_cell_frame(struct rwxml *rwxml, const struct xml_node *element)
{
    uint32_t row;
    cp_status status = rwxml_add_frame(rwxml, element, "", CP_NONE, &row);
    if (status != CP_OK)
        return status;
    struct rwxml_frame *frame = &rwxml->frames[row];
    const char *name = xml_node_attribute(element, "refframe");
    bool hangs = name && *name && strcmp(name, "WORLD") != 0;
    if (hangs && rwxml->last_frame == CP_NONE)
        status = rwxml_lenient(rwxml, "rwxml-first", element,
                               "RobWork hangs the first frame of a cell on the world, not on \"%.100s\"", name);
    else if (hangs)
        frame->above = name;
    rwxml->last_frame = row;
    return status;
}

static cp_status read_cell(struct rwxml *rwxml, const struct xml_node *element)
{
    const struct body cell = {.device = CP_NONE, .scope = ""};
    cp_status status = CP_OK;
    for (const struct xml_node *child = xml_node_child(element, NULL); child && status == CP_OK;
         child = xml_node_next(child, NULL)) {
        if (rwxml_is_one_of(child, frame_names))
            status = add_cell_frame(rwxml, child);
        else if (rwxml_is_one_of(child, device_names))
            status = read_device(rwxml, child);
        else if (rwxml_is_one_of(child, rwxml_models))
            status = keep_later(rwxml, &rwxml->models, &cell, child, "refframe");
        else if (rwxml_is_one_of(child, setup_names))
            status = keep_later(rwxml, &rwxml->setups, &cell, child, NULL);
        else if (rwxml_is(child, "Property"))
            status = keep_later(rwxml, &rwxml->properties, &cell, child, NULL);
        else if (rwxml_is(child, "CompositeDevice"))
            status = report_error(rwxml->context, CP_INPUT, "rwxml-device", xml_node_place(child),
                                  "a CompositeDevice is not read; RobWork refuses it, too");
        else
            rwxml_lose(rwxml, child);
    }
    return status;
}

/* ---- what names a frame that may come later ---- */

/* Finds the row; CP_NONE, and a warning, if there is none. */
static cp_status find_later(struct rwxml *rwxml, const struct rwxml_later *later, const char *code, const char *what,
                            uint32_t *row)
{
    const uint32_t *found = later->name ? name_map_find(&rwxml->names, later->name) : NULL;
    *row = found ? *found : CP_NONE;
    if (found)
        return CP_OK;
    const char *text = later->name ? arena_print(rwxml->arena, "%s of \"%.100s\", which is no frame", what, later->name)
                                   : arena_print(rwxml->arena, "%s that names no frame", what);
    return text ? rwxml_lenient(rwxml, code, later->element, "%s", text) : CP_LIMIT;
}

static cp_status take_later(struct rwxml *rwxml)
{
    cp_status status = CP_OK;
    uint32_t row;
    for (uint32_t i = 0; i < rwxml->limits.count && status == CP_OK; i++) {
        const struct rwxml_later *later = &rwxml->limits.items[i];
        status = find_later(rwxml, later, "rwxml-limit", "a limit", &row);
        if (row != CP_NONE)
            status = rwxml_take_limit(rwxml, later->element, &rwxml->frames[row]);
    }
    for (uint32_t i = 0; i < rwxml->models.count && status == CP_OK; i++) {
        const struct rwxml_later *later = &rwxml->models.items[i];
        status = find_later(rwxml, later, "rwxml-model", "a model", &row);
        if (row != CP_NONE)
            status = rwxml_add_model(rwxml, later->element, row);
        else
            report_loss(rwxml->context, "rwxml-model", xml_node_place(later->element), 1, "a model without a frame");
    }
    return status;
}

cp_status rwxml_read_rows(struct rwxml *rwxml, const struct xml_node *top)
{
    cp_status status = rwxml_is(top, "WorkCell") ? read_cell(rwxml, top) : read_device(rwxml, top);
    return status == CP_OK ? take_later(rwxml) : status;
}
