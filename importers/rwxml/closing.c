/* Devices of the scene: their joints, ends and configurations; and loops where the legs of a parallel one meet. */
#include "rwxml.h"

#include <math.h>

#include "base/text/text.h"

/* ---- devices ---- */

/* Lists the ends: of a serial device its last frame, else the end effectors, and the frames of which none hangs. */
static uint32_t list_ends(const struct rwxml *rwxml, const struct rwxml_device *device, bool *has_child, uint32_t *ends)
{
    uint32_t count = 0, last = device->first + device->count - 1;
    if (device->kind == RWXML_SERIAL) {
        ends[count++] = rwxml->frames[last].node;
        return count;
    }
    for (uint32_t i = device->first; i <= last; i++)
        has_child[i - device->first] = false;
    for (uint32_t i = device->first; i <= last; i++) {
        uint32_t parent = rwxml->frames[i].parent;
        if (parent != CP_NONE && parent >= device->first && parent <= last)
            has_child[parent - device->first] = true;
    }
    for (uint32_t i = device->first; i <= last; i++)
        if (rwxml->frames[i].kind == RWXML_END || !has_child[i - device->first])
            ends[count++] = rwxml->frames[i].node;
    return count;
}

static cp_status add_device(struct rwxml *rwxml, struct rwxml_device *device)
{
    cp_scene *scene = rwxml->scene;
    bool *has_child = arena_allocate(rwxml->arena, device->count, sizeof *has_child);
    uint32_t *ends = scene_allocate(scene, device->count, sizeof *ends);
    uint32_t *joints = scene_allocate(scene, device->count, sizeof *joints);
    device->row = scene_add_device(scene, device->name, rwxml->frames[device->first].node);
    if (!has_child || !ends || !joints || device->row == CP_NONE)
        return CP_LIMIT;
    cp_device *row = &scene->devices[device->row];
    row->kind = device->kind == RWXML_SERIAL ? CP_DEVICE_SERIAL : CP_DEVICE_TREE;
    row->ends = ends;
    row->end_count = list_ends(rwxml, device, has_child, ends);
    row->joints = joints;
    for (uint32_t i = device->first; i < device->first + device->count; i++) {
        const struct rwxml_frame *frame = &rwxml->frames[i];
        scene->nodes[frame->node].scope = device->row;
        if (frame->joint != CP_NONE && scene->joints[frame->joint].driven)
            joints[row->joint_count++] = frame->joint;
    }
    return CP_OK;
}

/* ---- configurations ---- */

static cp_status take_home(struct rwxml *rwxml, const struct rwxml_device *device, const double *values)
{
    cp_scene *scene = rwxml->scene;
    cp_device *row = &scene->devices[device->row];
    double *home = arena_copy(scene->arena, values, row->joint_count, sizeof *home);
    if (!home)
        return CP_LIMIT;
    row->home = home;
    for (uint32_t i = 0; i < row->joint_count; i++)
        scene->joints[row->joints[i]].home = scene->joints[row->joints[i]].q = home[i];
    return CP_OK;
}

/* Keeps a configuration as metadata of the device's base: "q.NAME", a list of numbers. */
static cp_status keep_values(struct rwxml *rwxml, const struct rwxml_device *device, const char *name,
                             const double *values, uint32_t count)
{
    const char *key = arena_print(rwxml->arena, "q.%s", name);
    uint32_t base = rwxml->frames[device->first].node;
    return key && scene_add_numbers(rwxml->scene, CP_OWNER_NODE, base, key, values, count, true) ? CP_OK : CP_LIMIT;
}

/* The numbers are radians and metres, one for each driven joint. */
static cp_status take_configuration(struct rwxml *rwxml, const struct rwxml_later *later)
{
    const struct rwxml_device *device = &rwxml->devices[later->device];
    uint32_t wanted = rwxml->scene->devices[device->row].joint_count, count;
    const char *name = rwxml_attribute(rwxml, later->element, "name");
    double *values;
    cp_status status = name ? rwxml_numbers(rwxml, later->element, &values, &count) : CP_INPUT;
    if (status != CP_OK)
        return status;
    if (count != wanted)
        return report_error(rwxml->context, CP_INPUT, "rwxml-configuration", xml_node_place(later->element),
                            "the configuration \"%.100s\" has %u numbers, and the device \"%.100s\" %u driven joints",
                            name, count, device->name, wanted);
    if (strcmp(name, "Home") != 0)
        return keep_values(rwxml, device, name, values, count);
    if (rwxml->scene->devices[device->row].home)
        status = rwxml_lenient(rwxml, "rwxml-configuration", later->element,
                               "the device \"%.100s\" has another Home; the last one counts", device->name);
    return status == CP_OK ? take_home(rwxml, device, values) : status;
}

/* Sets the homes of dependent joints, now that all others are known. */
static cp_status set_followers(struct rwxml *rwxml)
{
    cp_scene *scene = rwxml->scene;
    for (uint32_t i = 0; i < scene->joint_count; i++) {
        cp_joint *joint = &scene->joints[i];
        if (joint->master == CP_NONE)
            continue;
        joint->home = joint->q = joint->scale * scene->joints[joint->master].home + joint->offset;
        if (!isfinite(joint->home))
            return report_error(rwxml->context, CP_INPUT, "rwxml-depend", (struct place){.node = joint->name},
                                "the home of the dependent joint \"%.100s\" is out of range", joint->name);
    }
    return CP_OK;
}

cp_status rwxml_add_devices(struct rwxml *rwxml)
{
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < rwxml->device_count && status == CP_OK; i++)
        status = add_device(rwxml, &rwxml->devices[i]);
    for (uint32_t i = 0; i < rwxml->configurations.count && status == CP_OK; i++)
        status = take_configuration(rwxml, &rwxml->configurations.items[i]);
    return status == CP_OK ? set_followers(rwxml) : status;
}

/* ---- legs of parallel devices ---- */

/* Finds the last frame of a leg: chains by their names, the last of which ends it. A chain begins with the frame of its
 * name, and goes on as long as the next frame hangs on the one before. CP_NONE if there is no such chain. */
static uint32_t find_end(const struct rwxml *rwxml, const struct rwxml_device *device, const char *text)
{
    const char *word = text + strlen(text);
    while (word > text && !is_space(word[-1]))
        word--;
    size_t prefix = strlen(device->prefix);
    for (uint32_t i = device->first; i < device->first + device->count; i++) {
        if (strcmp(rwxml->frames[i].name + prefix, word) != 0)
            continue;
        while (i + 1 < device->first + device->count && rwxml->frames[i + 1].parent == i)
            i++;
        return i;
    }
    return CP_NONE;
}

static cp_status close_junction(struct rwxml *rwxml, const struct rwxml_later *later)
{
    const struct rwxml_device *device = &rwxml->devices[later->device];
    uint32_t legs = 0, first = CP_NONE;
    cp_status status = CP_OK;
    for (const struct xml_node *child = xml_node_child(later->element, NULL); child && status == CP_OK;
         child = xml_node_next(child, NULL)) {
        if (!rwxml_is(child, "Chains")) {
            rwxml_lose(rwxml, child);
            continue;
        }
        const char *text = rwxml_text(rwxml, child);
        uint32_t end = text ? find_end(rwxml, device, text) : CP_NONE;
        if (!text)
            return CP_LIMIT;
        if (end == CP_NONE || end == first) {
            report_loss(rwxml->context, "rwxml-junction", xml_node_place(child), 1,
                        "a leg \"%.100s\" of a junction: no chain has that name, or it is the first leg", text);
            continue;
        }
        if (legs++ == 0) {
            first = end;
            continue;
        }
        const char *name = arena_print(rwxml->arena, "%s-%s", rwxml->frames[first].name, rwxml->frames[end].local);
        if (!name || scene_add_loop(rwxml->scene, name, CP_LOOP_FIXED, rwxml->frames[first].node,
                                    rwxml->frames[end].node) == CP_NONE)
            return CP_LIMIT;
    }
    if (status == CP_OK && legs < 2)
        status = rwxml_lenient(rwxml, "rwxml-junction", later->element,
                               "a junction of \"%.100s\" has fewer than two legs", device->name);
    return status;
}

cp_status rwxml_close_legs(struct rwxml *rwxml)
{
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < rwxml->junctions.count && status == CP_OK; i++) {
        const struct rwxml_later *later = &rwxml->junctions.items[i];
        if (rwxml->devices[later->device].kind != RWXML_PARALLEL)
            rwxml_lose(rwxml, later->element);
        else if (rwxml->settings->loops)
            status = close_junction(rwxml, later);
        else
            report_loss(rwxml->context, "rwxml-open", xml_node_place(later->element), 1,
                        "a junction of legs, which loops=no leaves open");
    }
    return status;
}
