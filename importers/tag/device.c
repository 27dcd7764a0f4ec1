/* Devices: the serial one of every file with an active joint, and composites of them. */
#include <string.h>

#include "tag.h"

/* Composites may name each other, so a short file could ask for joint lists without end. */
static const uint64_t most_device_joints = 1 << 24;

uint32_t tag_driven_joint(const cp_scene *scene, uint32_t node)
{
    uint32_t joint = scene->nodes[node].first_joint;
    return scene->nodes[node].joint_count && scene->joints[joint].driven ? joint : CP_NONE;
}

static cp_status count_device_joints(struct tag_reader *reader, uint64_t count, const char *name)
{
    reader->device_joints += count;
    if (reader->device_joints <= most_device_joints)
        return CP_OK;
    return report_error(reader->context, CP_LIMIT, "tag-limit", NOWHERE,
                        "the devices up to \"%s\" have more than %d joints in all", name, (int)most_device_joints);
}

cp_status tag_device_home(struct tag_reader *reader, const struct tag *tag, struct tag_home *home)
{
    const struct tag_attribute *attribute = tag_use(tag, "DeviceHomePos");
    *home = (struct tag_home){0};
    if (!attribute)
        return CP_OK;
    const struct tag_value *list = tag_value(reader, tag, attribute, 0, TAG_VALUE_LIST);
    if (!list)
        return CP_INPUT;
    home->values = arena_copy(reader->arena, list->list, list->list_count, sizeof *home->values);
    home->count = list->list_count;
    return home->values ? CP_OK : CP_LIMIT;
}

/* Sets the end and the home of a device that has its joints; all their JointHomePos are known. The home is in radians
 * and metres, whatever the joints' limits. */
static cp_status set_end_and_home(struct tag_reader *reader, cp_device *device, uint32_t end,
                                  const struct tag_home *home, struct place place)
{
    cp_scene *scene = reader->scene;
    uint32_t *ends = scene_allocate(scene, 1, sizeof *ends);
    if (!ends)
        return CP_LIMIT;
    *ends = end;
    device->ends = ends;
    device->end_count = 1;
    if (!home->values)
        return CP_OK;
    if (home->count != device->joint_count)
        return report_error(reader->context, CP_INPUT, "tag-home", place,
                            "DeviceHomePos has %u values, but the device \"%s\" has %u joints", home->count,
                            device->name, device->joint_count);
    double *values = scene_allocate(scene, home->count, sizeof *values);
    if (!values)
        return CP_LIMIT;
    memcpy(values, home->values, home->count * sizeof *values);
    device->home = values;
    for (uint32_t i = 0; i < home->count; i++) {
        cp_joint *joint = &scene->joints[device->joints[i]];
        joint->home = joint->q = values[i];
    }
    return CP_OK;
}

cp_status tag_finish_device(struct tag_reader *reader, const struct tag_load *load)
{
    cp_scene *scene = reader->scene;
    if (load->device == CP_NONE) {
        if (load->home.values)
            report_warning(reader->context, "tag-home", load->opener,
                           "DeviceHomePos is not used: the device file has no active joint");
        return CP_OK;
    }

    /* Its joints are the driven ones from base to end, both included, base first. */
    cp_device *device = &scene->devices[load->device];
    uint32_t end = reader->last_link, node = end, count = 0;
    for (; node != CP_NONE; node = scene->nodes[node].parent) {
        count += tag_driven_joint(scene, node) != CP_NONE;
        if (node == device->base)
            break;
    }
    if (node == CP_NONE)
        return report_error(reader->context, CP_INPUT, "tag-device", load->opener,
                            "the end \"%s\" of the device \"%s\" is not below its base", scene->nodes[end].name,
                            device->name);
    cp_status status = count_device_joints(reader, count, device->name);
    if (status != CP_OK)
        return status;
    uint32_t *joints = scene_allocate(scene, count, sizeof *joints);
    if (!joints)
        return CP_LIMIT;
    device->joints = joints;
    device->joint_count = count;
    for (node = end; count > 0; node = scene->nodes[node].parent)
        if (tag_driven_joint(scene, node) != CP_NONE)
            joints[--count] = tag_driven_joint(scene, node);
    return set_end_and_home(reader, device, end, &load->home, load->opener);
}

/* ---- composite devices ---- */

cp_status tag_note_composite(struct tag_reader *reader, const struct tag *tag, uint32_t node)
{
    const struct tag_attribute *attribute = tag_use(tag, "CompositeDevice");
    const struct tag_load *load = &reader->loads[reader->load_count - 1];
    struct tag_composite composite = {.node = node,
                                      .scope = load->scope,
                                      .place = tag_attribute_place(tag, attribute),
                                      .name_count = attribute->value_count};
    if (!composite.name_count)
        return report_error(reader->context, CP_INPUT, "tag-composite", composite.place,
                            "the composite device \"%s\" names no device", tag->name.text);

    /* Search the devices' names in the scope of the tag alone, not outwards. */
    composite.names = arena_allocate(reader->arena, composite.name_count, sizeof *composite.names);
    if (!composite.names)
        return CP_LIMIT;
    for (uint32_t i = 0; i < composite.name_count; i++) {
        const struct tag_text *name;
        if (tag_string(reader, tag, attribute, i, &name) != CP_OK)
            return CP_INPUT;
        composite.names[i] = arena_print(reader->arena, "%s%s", load->prefix.text, name->text);
        if (!composite.names[i])
            return CP_LIMIT;
    }
    cp_status status = tag_device_home(reader, tag, &composite.home);
    if (status != CP_OK)
        return status;
    bool kept = array_add(reader->context, &reader->composites, &reader->composite_room, &reader->composite_count,
                          &composite, sizeof composite);
    return kept ? CP_OK : CP_LIMIT;
}

/* last_use[j]: the node of the last composite that has joint j. */
static cp_status make_composite(struct tag_reader *reader, const struct tag_composite *composite, uint32_t *last_use)
{
    cp_scene *scene = reader->scene;
    const char *name = scene->nodes[composite->node].name;
    uint64_t room = 0;
    for (uint32_t i = 0; i < composite->name_count; i++) {
        const uint32_t *found = name_map_find(&reader->devices, composite->names[i]);
        if (!found)
            return report_error(reader->context, CP_INPUT, "tag-composite", composite->place,
                                "the composite device \"%s\" names \"%s\", which is not a device", name,
                                composite->names[i]);
        room += scene->devices[*found].joint_count;
    }
    cp_status status = count_device_joints(reader, room, name);
    if (status != CP_OK)
        return status;
    uint32_t *joints = scene_allocate(scene, room, sizeof *joints);
    if (!joints)
        return CP_LIMIT;

    /* List the devices' joints one after the other, each joint once. */
    uint32_t count = 0;
    for (uint32_t i = 0; i < composite->name_count; i++) {
        const cp_device *part = &scene->devices[*name_map_find(&reader->devices, composite->names[i])];
        for (uint32_t j = 0; j < part->joint_count; j++) {
            uint32_t *use = &last_use[part->joints[j]];
            if (*use != composite->node)
                joints[count++] = part->joints[j];
            *use = composite->node;
        }
    }
    uint32_t end = scene->devices[*name_map_find(&reader->devices, composite->names[0])].ends[0];
    uint32_t index = scene_add_device(scene, name, composite->node);
    if (index == CP_NONE || !name_map_add(&reader->devices, name, index, NULL))
        return CP_LIMIT;
    cp_device *device = &scene->devices[index];
    device->kind = CP_DEVICE_COMPOSITE;
    device->scope = composite->scope;
    device->joints = joints;
    device->joint_count = count;
    return set_end_and_home(reader, device, end, &composite->home, composite->place);
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
