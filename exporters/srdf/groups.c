/* Groups, homes, ends and roots of devices, for a robot that had no SRDF. */
#include <string.h>

#include "base/bytes/bytes.h"
#include "writer.h"

/* Tells whether the device's joint is named in a group: joints of one frame are one to SRDF, named by the first. */
static bool is_named(const cp_scene *scene, uint32_t joint)
{
    const cp_joint *row = &scene->joints[joint];
    return row->type != CP_JOINT_FIXED && scene->nodes[row->node].first_joint == joint;
}

static void open_group(struct srdf_writer *writer, const char *name)
{
    sink_text(writer->sink, "  <group");
    srdf_write_attribute(writer, "name", name);
    sink_text(writer->sink, ">\n");
}

/* Writes a line of a group: its element, and one or two attributes. */
static void write_member(struct srdf_writer *writer, const char *element, const char *const attributes[4])
{
    sink_print(writer->sink, "    <%s", element);
    for (int i = 0; i < 4 && attributes[i]; i += 2)
        srdf_write_attribute(writer, attributes[i], attributes[i + 1]);
    sink_text(writer->sink, "/>\n");
}

static void write_group(struct srdf_writer *writer, const cp_device *device, const char *name)
{
    const cp_scene *scene = writer->scene;
    open_group(writer, name);
    if (device->kind == CP_DEVICE_SERIAL && device->end_count == 1 && device->ends[0] != device->base) {
        write_member(writer, "chain",
                     (const char *const[4]){"base_link", writer->pairs->links[device->base], "tip_link",
                                            writer->pairs->links[device->ends[0]]});
    } else {
        for (uint32_t i = 0; i < device->joint_count; i++)
            if (is_named(scene, device->joints[i]))
                write_member(writer, "joint",
                             (const char *const[4]){"name", scene->joints[device->joints[i]].name, NULL, NULL});
    }
    sink_text(writer->sink, "  </group>\n");
}

/* Writes the home of a device. A joint of several values is followed by its others. */
static void write_home(struct srdf_writer *writer, const cp_device *device, const char *group)
{
    const cp_scene *scene = writer->scene;
    sink_text(writer->sink, "  <group_state name=\"home\"");
    srdf_write_attribute(writer, "group", group);
    sink_text(writer->sink, ">\n");
    bool open = false;
    for (uint32_t i = 0; i < device->joint_count; i++) {
        const cp_joint *joint = &scene->joints[device->joints[i]];
        if (joint->type == CP_JOINT_FIXED)
            continue;
        bool first = is_named(scene, device->joints[i]) || !open;
        if (first) {
            sink_text(writer->sink, open ? "\"/>\n    <joint" : "    <joint");
            srdf_write_attribute(writer, "name", joint->name);
            sink_text(writer->sink, " value=\"");
            open = true;
        } else {
            sink_text(writer->sink, " ");
        }
        sink_double(writer->sink, device->home ? device->home[i] : joint->home);
    }
    sink_text(writer->sink, open ? "\"/>\n  </group_state>\n" : "  </group_state>\n");
}

/* Writes the ends of a device, each with a group of its own, since MoveIt knows an end effector by its group. */
static cp_status write_ends(struct srdf_writer *writer, const cp_device *device, const char *group)
{
    for (uint32_t i = 0; i < device->end_count; i++) {
        const char *link = writer->pairs->links[device->ends[i]];
        const char *wanted = arena_print(writer->arena, "%s_%s", group, link);
        const char *name = wanted ? unique_name(writer->arena, &writer->groups, wanted) : NULL;
        if (!name)
            return CP_LIMIT;
        open_group(writer, name);
        write_member(writer, "link", (const char *const[4]){"name", link, NULL, NULL});
        sink_text(writer->sink, "  </group>\n  <end_effector");
        srdf_write_attribute(writer, "name", name);
        srdf_write_attribute(writer, "parent_link", link);
        srdf_write_attribute(writer, "group", name);
        srdf_write_attribute(writer, "parent_group", group);
        sink_text(writer->sink, "/>\n");
    }
    return CP_OK;
}

/* Writes how a robot stands in the world, if its device hangs on no other. */
static cp_status write_root(struct srdf_writer *writer, const cp_device *device)
{
    const cp_scene *scene = writer->scene;
    uint32_t above = scene->nodes[device->base].parent;
    bool moves = scene->nodes[device->base].flags & CP_NODE_MOVABLE;
    while (above != CP_NONE && above != 0) {
        if (scene->nodes[above].scope != CP_NONE)
            return CP_OK;
        moves = moves || scene->nodes[above].flags & CP_NODE_MOVABLE;
        above = scene->nodes[above].parent;
    }
    const char *wanted = arena_print(writer->arena, "world_%s", writer->pairs->links[device->base]);
    const char *name = wanted ? unique_name(writer->arena, &writer->groups, wanted) : NULL;
    if (!name)
        return CP_LIMIT;
    sink_text(writer->sink, "  <virtual_joint");
    srdf_write_attribute(writer, "name", name);
    srdf_write_attribute(writer, "type", moves ? "floating" : "fixed");
    srdf_write_attribute(writer, "parent_frame", "world");
    srdf_write_attribute(writer, "child_link", writer->pairs->links[device->base]);
    sink_text(writer->sink, "/>\n");
    return CP_OK;
}

static void write_passive(struct srdf_writer *writer)
{
    const cp_scene *scene = writer->scene;
    for (uint32_t i = 0; i < scene->joint_count; i++) {
        const cp_joint *joint = &scene->joints[i];
        if (joint->driven || cp_joint_is_dependent(joint) || !is_named(scene, i))
            continue;
        sink_text(writer->sink, "  <passive_joint");
        srdf_write_attribute(writer, "name", joint->name);
        sink_text(writer->sink, "/>\n");
    }
}

cp_status srdf_write_devices(struct srdf_writer *writer)
{
    const cp_scene *scene = writer->scene;
    const char **names = arena_allocate(writer->arena, scene->device_count, sizeof *names);
    cp_status status = names ? CP_OK : CP_LIMIT;
    for (uint32_t i = 0; i < scene->device_count && status == CP_OK; i++) {
        names[i] = unique_name(writer->arena, &writer->groups, scene->devices[i].name);
        status = names[i] ? CP_OK : CP_LIMIT;
    }
    for (uint32_t i = 0; i < scene->device_count && status == CP_OK; i++)
        write_group(writer, &scene->devices[i], names[i]);
    for (uint32_t i = 0; i < scene->device_count && status == CP_OK; i++)
        write_home(writer, &scene->devices[i], names[i]);
    for (uint32_t i = 0; i < scene->device_count && status == CP_OK; i++)
        status = write_ends(writer, &scene->devices[i], names[i]);
    for (uint32_t i = 0; i < scene->device_count && status == CP_OK; i++)
        status = write_root(writer, &scene->devices[i]);
    if (status == CP_OK)
        write_passive(writer);
    return status;
}
