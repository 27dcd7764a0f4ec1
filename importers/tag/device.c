/* Devices: the serial one of every file with an active joint, and composites of them. */
#include <string.h>

#include "tag.h"

/* Composites may name each other, so a short file could ask for joint lists without end. */
static const uint64_t most_device_joints = 1 << 24;

/* The driven joint of a node or CP_NONE; a tag makes at most one joint. */
static uint32_t driven_joint(const cp_scene *scene, uint32_t node)
{
    if (!scene->nodes[node].joint_count)
        return CP_NONE;
    uint32_t joint = scene->nodes[node].first_joint;
    return scene->joints[joint].driven ? joint : CP_NONE;
}

static cp_status count_device_joints(struct tag_reader *reader, uint64_t count, const char *name)
{
    reader->device_joints += count;
    if (reader->device_joints <= most_device_joints)
        return CP_OK;
    return report_error(reader->context, CP_LIMIT, "tag-limit", NOWHERE,
                        "the devices up to \"%s\" have more than %d joints in all", name, (int)most_device_joints);
}

static cp_status set_end(struct tag_reader *reader, cp_device *device, uint32_t end)
{
    uint32_t *ends = scene_allocate(reader->scene, 1, sizeof *ends);
    if (!ends)
        return CP_LIMIT;
    *ends = end;
    device->ends = ends;
    device->end_count = 1;
    return CP_OK;
}

/* ---- homes ---- */

cp_status tag_device_home(struct tag_reader *reader, const struct tag *tag, const double **home, uint32_t *count)
{
    const struct tag_attribute *attribute = tag_use(tag, "DeviceHomePos");
    const struct tag_value *list;
    *home = NULL;
    *count = 0;
    if (!attribute)
        return CP_OK;
    if (tag_list_value(reader, tag, attribute, &list) != CP_OK)
        return CP_INPUT;
    *home = arena_copy(reader->arena, list->list, list->list_count, sizeof **home);
    *count = list->list_count;
    return *home ? CP_OK : CP_LIMIT;
}

/* In radians and metres, whatever the joints' limits. Comes after all JointHomePos of the device's joints. */
static cp_status apply_home(struct tag_reader *reader, cp_device *device, const double *home, uint32_t count,
                            struct place place)
{
    if (!home)
        return CP_OK;
    if (count != device->joint_count)
        return report_error(reader->context, CP_INPUT, "tag-home", place,
                            "DeviceHomePos has %u values, but the device \"%s\" has %u joints", count, device->name,
                            device->joint_count);
    double *values = scene_allocate(reader->scene, count, sizeof *values);
    if (!values)
        return CP_LIMIT;
    memcpy(values, home, count * sizeof *values);
    device->home = values;
    for (uint32_t i = 0; i < count; i++) {
        cp_joint *joint = &reader->scene->joints[device->joints[i]];
        joint->home = joint->q = home[i];
    }
    return CP_OK;
}

/* ---- serial devices ---- */

/* The driven joints from base to end, both included, base first. CP_NONE when the end is not below the base. */
static uint32_t count_chain(const cp_scene *scene, uint32_t base, uint32_t end)
{
    uint32_t count = 0;
    for (uint32_t node = end; node != CP_NONE; node = scene->nodes[node].parent) {
        count += driven_joint(scene, node) != CP_NONE;
        if (node == base)
            return count;
    }
    return CP_NONE;
}

static void fill_chain(const cp_scene *scene, uint32_t end, uint32_t *joints, uint32_t count)
{
    for (uint32_t node = end; count; node = scene->nodes[node].parent)
        if (driven_joint(scene, node) != CP_NONE)
            joints[--count] = driven_joint(scene, node);
}

cp_status tag_finish_device(struct tag_reader *reader, const struct tag_load *load)
{
    cp_scene *scene = reader->scene;
    if (load->device == CP_NONE) {
        if (load->home)
            report_warning(reader->context, "tag-home", load->opener,
                           "DeviceHomePos is not used: the device file has no active joint");
        return CP_OK;
    }
    cp_device *device = &scene->devices[load->device];
    uint32_t end = reader->last_link;
    uint32_t count = count_chain(scene, device->base, end);
    if (count == CP_NONE)
        return report_error(reader->context, CP_INPUT, "tag-device", load->opener,
                            "the end \"%s\" of the device \"%s\" is not below its base", scene->nodes[end].name,
                            device->name);
    cp_status status = count_device_joints(reader, count, device->name);
    if (status != CP_OK)
        return status;
    uint32_t *joints = scene_allocate(scene, count, sizeof *joints);
    if (!joints)
        return CP_LIMIT;
    fill_chain(scene, end, joints, count);
    device->joints = joints;
    device->joint_count = count;
    status = set_end(reader, device, end);
    return status == CP_OK ? apply_home(reader, device, load->home, load->home_count, load->opener) : status;
}

/* ---- composite devices ---- */

/* The devices' names are relative to the scope of the tag alone, without a search outwards. */
static cp_status copy_names(struct tag_reader *reader, const struct tag *tag, const struct tag_attribute *attribute,
                            struct tag_composite *composite)
{
    const char *prefix = reader->loads[reader->load_count - 1].prefix.text;
    composite->name_count = attribute->value_count;
    composite->names = arena_allocate(reader->arena, attribute->value_count, sizeof *composite->names);
    if (!composite->names)
        return CP_LIMIT;
    for (uint32_t i = 0; i < attribute->value_count; i++) {
        const struct tag_text *name;
        if (tag_string(reader, tag, attribute, i, &name) != CP_OK)
            return CP_INPUT;
        composite->names[i] = arena_print(reader->arena, "%s%s", prefix, name->text);
        if (!composite->names[i])
            return CP_LIMIT;
    }
    return CP_OK;
}

cp_status tag_note_composite(struct tag_reader *reader, const struct tag *tag, uint32_t node)
{
    const struct tag_attribute *attribute = tag_use(tag, "CompositeDevice");
    struct tag_composite composite = {.node = node, .place = tag_attribute_place(tag, attribute)};
    composite.scope = reader->loads[reader->load_count - 1].scope;
    if (!attribute->value_count)
        return report_error(reader->context, CP_INPUT, "tag-composite", composite.place,
                            "the composite device \"%s\" names no device", tag->name.text);
    cp_status status = copy_names(reader, tag, attribute, &composite);
    if (status == CP_OK)
        status = tag_device_home(reader, tag, &composite.home, &composite.home_count);
    if (status != CP_OK)
        return status;
    if (!array_reserve(reader->context, &reader->composites, &reader->composite_room,
                       reader->composite_count + UINT64_C(1), sizeof composite))
        return CP_LIMIT;
    reader->composites[reader->composite_count++] = composite;
    return CP_OK;
}

static cp_status find_devices(struct tag_reader *reader, const struct tag_composite *composite, uint32_t *found,
                              uint64_t *joint_count)
{
    const cp_scene *scene = reader->scene;
    *joint_count = 0;
    for (uint32_t i = 0; i < composite->name_count; i++) {
        const uint32_t *device = name_map_find(&reader->devices, composite->names[i]);
        if (!device)
            return report_error(reader->context, CP_INPUT, "tag-composite", composite->place,
                                "the composite device \"%s\" names \"%s\", which is not a device",
                                scene->nodes[composite->node].name, composite->names[i]);
        found[i] = *device;
        *joint_count += scene->devices[*device].joint_count;
    }
    return CP_OK;
}

/* The devices' joints one after the other; each joint once. last_use[j]: the last composite that has joint j. */
static uint32_t gather_joints(const cp_scene *scene, const struct tag_composite *composite, const uint32_t *found,
                              uint32_t *last_use, uint32_t *joints)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < composite->name_count; i++) {
        const cp_device *part = &scene->devices[found[i]];
        for (uint32_t j = 0; j < part->joint_count; j++) {
            uint32_t *use = &last_use[part->joints[j]];
            if (*use == composite->node)
                continue;
            *use = composite->node;
            joints[count++] = part->joints[j];
        }
    }
    return count;
}

static cp_status fill_composite(struct tag_reader *reader, const struct tag_composite *composite, const uint32_t *found,
                                uint32_t *joints, uint32_t joint_count)
{
    cp_scene *scene = reader->scene;
    uint32_t end = scene->devices[found[0]].ends[0];
    uint32_t index = scene_add_device(scene, scene->nodes[composite->node].name, composite->node);
    if (index == CP_NONE)
        return CP_LIMIT;
    cp_device *device = &scene->devices[index];
    device->kind = CP_DEVICE_COMPOSITE;
    device->scope = composite->scope;
    device->joints = joints;
    device->joint_count = joint_count;
    if (!name_map_add(&reader->devices, scene->nodes[composite->node].name, index, NULL))
        return CP_LIMIT;
    cp_status status = set_end(reader, device, end);
    return status == CP_OK ? apply_home(reader, device, composite->home, composite->home_count, composite->place)
                           : status;
}

static cp_status make_composite(struct tag_reader *reader, const struct tag_composite *composite, uint32_t *last_use)
{
    cp_scene *scene = reader->scene;
    uint32_t *found = memory_allocate(reader->context, composite->name_count, sizeof *found);
    uint64_t room = 0;
    cp_status status = found ? find_devices(reader, composite, found, &room) : CP_LIMIT;
    if (status == CP_OK)
        status = count_device_joints(reader, room, scene->nodes[composite->node].name);
    uint32_t *joints = status == CP_OK ? scene_allocate(scene, room, sizeof *joints) : NULL;
    if (status == CP_OK && !joints)
        status = CP_LIMIT;
    if (status == CP_OK)
        status =
            fill_composite(reader, composite, found, joints, gather_joints(scene, composite, found, last_use, joints));
    memory_free(reader->context, found, composite->name_count, sizeof *found);
    return status;
}

cp_status tag_make_composites(struct tag_reader *reader)
{
    uint32_t joint_count = reader->scene->joint_count;
    if (!reader->composite_count)
        return CP_OK;
    uint32_t *last_use = memory_allocate_zeroed(reader->context, joint_count, sizeof *last_use);
    cp_status status = last_use ? CP_OK : CP_LIMIT;
    for (uint32_t i = 0; i < reader->composite_count && status == CP_OK; i++)
        status = make_composite(reader, &reader->composites[i], last_use);
    memory_free(reader->context, last_use, joint_count, sizeof *last_use);
    return status;
}
