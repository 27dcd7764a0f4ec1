/* The text of the cell: its own frames and the devices, in an order that gives each device the frame that it hangs on.
 *
 * A device hangs on the last frame of the cell before it. So devices on the world come first, and others directly
 * behind their frame. The first frame of the cell is one that hangs on the world. */
#include <math.h>

#include "base/text/text.h"
#include "cell.h"
#include "collide/list/list.h"

void cell_write_attribute(struct cell *cell, const char *name, const char *value)
{
    sink_print(cell->sink, " %s=\"", name);
    cell->losses[CELL_NAMES] += sink_markup(cell->sink, value) > 0;
    sink_text(cell->sink, "\"");
}

static void write_number(struct cell *cell, const char *name, double value)
{
    sink_print(cell->sink, " %s=\"", name);
    sink_double(cell->sink, value);
    sink_text(cell->sink, "\"");
}

void cell_write_pose(struct cell *cell, const cp_pose *pose, int indent)
{
    if (pose_is_identity(pose))
        return;
    sink_print(cell->sink, "%*s<Transform>", indent, "");
    for (int i = 0; i < 12; i++) {
        sink_text(cell->sink, i ? " " : "");
        sink_double(cell->sink, pose->m[i]);
    }
    sink_print(cell->sink, "</Transform>%s", indent ? "\n" : "");
}

/* ---- frames ---- */

/* An element on its way: where it hangs. */
struct slot {
    uint32_t device;   /* or CP_NONE */
    const char *above; /* the whole name of what it hangs on; NULL: the world */
};

/* Returns the number of blanks before the element. */
static int indent_of(const struct slot *slot)
{
    return slot->device == CP_NONE ? 2 : 4;
}

static void begin_element(struct cell *cell, const char *tag, const char *name, const struct slot *slot)
{
    bool is_serial = slot->device != CP_NONE && cell->devices[slot->device].is_serial;
    sink_print(cell->sink, "%*s<%s", indent_of(slot), "", tag);
    cell_write_attribute(cell, "name", cell_local(cell, slot->device, name));
    if (slot->device == CP_NONE)
        cell_write_attribute(cell, "refframe", slot->above ? slot->above : "WORLD");
    else if (slot->above && !is_serial)
        cell_write_attribute(cell, "refframe", cell_local(cell, slot->device, slot->above));
}

/* Returns the rotation that takes Z to the axis. */
static cp_pose turn_to(const double axis[3])
{
    cp_pose turn = POSE_IDENTITY;
    if (axis[2] == 1)
        return turn;
    int least = fabs(axis[0]) <= fabs(axis[1]) ? 0 : 1;
    double side[3] = {0, 0, 0}, x[3], y[3];
    side[least] = 1;
    cross_product(side, axis, y);
    double length = sqrt(dot_product(y, y));
    for (int i = 0; i < 3; i++)
        y[i] /= length;
    cross_product(y, axis, x);
    for (int i = 0; i < 3; i++) {
        turn.m[4 * i] = x[i];
        turn.m[4 * i + 1] = y[i];
        turn.m[4 * i + 2] = axis[i];
    }
    return turn;
}

static void write_limits(struct cell *cell, const cp_joint *joint, int indent)
{
    bool revolute = joint->type == CP_JOINT_REVOLUTE;
    const struct {
        const char *tag;
        double value;
    } others[] = {{"VelLimit", joint->velocity}, {"AccLimit", joint->acceleration}};
    bool both = isfinite(joint->lower) && isfinite(joint->upper);
    cell->losses[CELL_LIMITS] += !both && (isfinite(joint->lower) || isfinite(joint->upper));
    if (both) {
        sink_print(cell->sink, "%*s<PosLimit", indent, "");
        write_number(cell, "min", revolute ? radians_to_degrees(joint->lower) : joint->lower);
        write_number(cell, "max", revolute ? radians_to_degrees(joint->upper) : joint->upper);
        sink_text(cell->sink, "/>\n");
    }
    for (int i = 0; i < 2; i++)
        if (isfinite(others[i].value)) {
            sink_print(cell->sink, "%*s<%s", indent, "", others[i].tag);
            write_number(cell, "max", revolute ? radians_to_degrees(others[i].value) : others[i].value);
            sink_text(cell->sink, "/>\n");
        }
    cell->losses[CELL_DYNAMICS] += isfinite(joint->effort) || joint->damping > 0 || joint->friction > 0;
}

/* Returns the whole name of the element of a joint; NULL if there is none. */
static const char *joint_name(const struct cell *cell, uint32_t joint)
{
    uint32_t node = cell->scene->joints[joint].node;
    return cell_is_joint(cell, node) ? cell->names[node] : cell->joint_names[joint];
}

static void write_dependence(struct cell *cell, uint32_t index, const struct slot *slot)
{
    const cp_joint *joint = &cell->scene->joints[index];
    const char *master = joint->master == CP_NONE ? NULL : joint_name(cell, joint->master);
    cell->losses[CELL_DEPENDENCE] += joint->expression || (joint->master != CP_NONE && !master);
    if (!master)
        return;
    uint32_t owner = cell->owner[cell->scene->joints[joint->master].node];
    sink_print(cell->sink, "%*s<Depend", indent_of(slot) + 2, "");
    cell_write_attribute(cell, "on", owner == slot->device ? cell_local(cell, owner, master) : master);
    write_number(cell, "gain", joint->scale);
    write_number(cell, "offset", joint->offset);
    sink_text(cell->sink, "/>\n");
}

/* Begins the element of a joint; what is inside of it beside its limits follows. */
static void write_joint(struct cell *cell, uint32_t index, const char *name, const cp_pose *pose,
                        const struct slot *slot)
{
    const cp_joint *joint = &cell->scene->joints[index];
    bool outside = slot->device == CP_NONE; /* the cell has no joints of its own, but frames of their types */
    bool depends = joint->master != CP_NONE || joint->expression;
    begin_element(cell, outside ? "Frame" : "Joint", name, slot);
    cell_write_attribute(cell, "type", joint->type == CP_JOINT_REVOLUTE ? "Revolute" : "Prismatic");
    if (!joint->driven && !depends && !outside)
        cell_write_attribute(cell, "state", "Passive");
    sink_text(cell->sink, ">\n");
    cell->losses[CELL_OUTSIDE] += outside && joint->driven;
    cell->losses[CELL_HOMES] += (outside && joint->home != 0) || joint->q != joint->home;
    cell_write_pose(cell, pose, indent_of(slot) + 2);
    write_limits(cell, joint, indent_of(slot) + 2);
    if (depends)
        write_dependence(cell, index, slot);
}

/* Writes the texts from this entry on that have the same owner as properties. */
static void write_properties(struct cell *cell, uint32_t first, int indent)
{
    const cp_scene *scene = cell->scene;
    for (uint32_t i = first; i < scene->metadata_count; i++) {
        const cp_metadata_entry *entry = &scene->metadata[i];
        if (entry->owner != scene->metadata[first].owner || entry->index != scene->metadata[first].index)
            return;
        if (entry->type != CP_VALUE_STRING || strcmp(entry->key, CELL_KEY) == 0 || !*entry->key)
            continue;
        sink_print(cell->sink, "%*s<Property", indent, "");
        cell_write_attribute(cell, "name", entry->key);
        sink_text(cell->sink, ">");
        cell->losses[CELL_NAMES] += sink_markup(cell->sink, entry->value) > 0;
        sink_text(cell->sink, "</Property>\n");
        cell->is_kept[i] = true;
    }
}

static void end_element(struct cell *cell, uint32_t node, const char *tag, const struct slot *slot)
{
    const cp_pose here = POSE_IDENTITY;
    const int indent = indent_of(slot);
    cell_write_models(cell, node, &here, indent + 2);
    if (cell->first_metadata[node] != CP_NONE)
        write_properties(cell, cell->first_metadata[node], indent + 2);
    sink_print(cell->sink, "%*s</%s>\n", indent, "", tag);
}

/* Writes a frame with its joints before it. pose: its place before the joints. */
static void write_node(struct cell *cell, uint32_t node, const cp_pose *pose, struct slot slot)
{
    const cp_scene *scene = cell->scene;
    const cp_node *row = &scene->nodes[node];
    cell->losses[CELL_SCALED] += !pose_is_rigid(pose, 1e-9);
    cell->losses[CELL_FLAGS] += (row->flags & (CP_NODE_HIGHLIGHT | CP_NODE_WIRE | CP_NODE_LINK)) != 0;
    if (cell_is_joint(cell, node)) {
        cell->losses[CELL_FLAGS] += (row->flags & (CP_NODE_MOVABLE | CP_NODE_ATTACHABLE)) != 0;
        write_joint(cell, row->first_joint, cell->names[node], pose, &slot);
        end_element(cell, node, slot.device == CP_NONE ? "Frame" : "Joint", &slot);
        return;
    }
    cp_pose place = *pose;
    for (uint32_t i = row->first_joint; i < row->first_joint + row->joint_count; i++) {
        const cp_joint *joint = &scene->joints[i];
        if (!cell->joint_names[i]) {
            cp_pose motion = joint_motion(joint, joint->q);
            place = pose_multiply(&place, &motion);
            cell->losses[CELL_FROZEN]++;
            continue;
        }
        cp_pose turn = turn_to(joint->axis);
        place = pose_multiply(&place, &turn);
        write_joint(cell, i, cell->joint_names[i], &place, &slot);
        sink_print(cell->sink, "%*s</%s>\n", indent_of(&slot), "", slot.device == CP_NONE ? "Frame" : "Joint");
        (void)pose_inverse(&turn, &place);
        slot.above = cell->joint_names[i];
    }
    begin_element(cell, "Frame", cell->names[node], &slot);
    bool movable = row->flags & CP_NODE_MOVABLE;
    if (movable || cell->is_end[node])
        cell_write_attribute(cell, "type", movable ? "Movable" : "EndEffector");
    if (row->flags & CP_NODE_ATTACHABLE)
        cell_write_attribute(cell, "daf", "true");
    sink_text(cell->sink, ">\n");
    cell_write_pose(cell, &place, indent_of(&slot) + 2);
    end_element(cell, node, "Frame", &slot);
}

/* ---- devices ---- */

/* Returns the place of a member in what it hangs on: the mount, if that is outside of the device. */
static cp_pose place_member(const struct cell *cell, uint32_t device, uint32_t node)
{
    const cp_node *row = &cell->scene->nodes[node];
    uint32_t mount = cell->devices[device].mount;
    cp_pose back;
    if (cell->owner[row->parent] == device || row->parent == mount || !pose_inverse(&cell->worlds[mount], &back))
        return row->local;
    cp_pose place = pose_multiply(&back, &cell->worlds[row->parent]);
    return pose_multiply(&place, &row->local);
}

/* Writes the start: a number for each driven joint, in the order of the elements. */
static void write_home(struct cell *cell, uint32_t index)
{
    const cp_scene *scene = cell->scene;
    const struct cell_device *device = &cell->devices[index];
    bool any = scene->devices[index].home != NULL, first = true;
    for (int round = 0; round < 2; round++) {
        if (round == 1 && any)
            sink_text(cell->sink, "    <Q name=\"Home\">");
        for (uint32_t i = 0; i < device->member_count; i++) {
            const cp_node *row = &scene->nodes[device->members[i]];
            for (uint32_t k = row->first_joint; k < row->first_joint + row->joint_count; k++) {
                if (!scene->joints[k].driven || !joint_name(cell, k))
                    continue;
                double home = cell->homes[k];
                any |= home != 0;
                if (round == 1 && any) {
                    sink_text(cell->sink, first ? "" : " ");
                    sink_double(cell->sink, home);
                    first = false;
                }
            }
        }
    }
    if (any)
        sink_text(cell->sink, "</Q>\n");
}

/* Writes the lists of numbers that are kept with the base as configurations. */
static void write_configurations(struct cell *cell, uint32_t index)
{
    const cp_scene *scene = cell->scene;
    uint32_t base = scene->devices[index].base;
    for (uint32_t i = cell->first_metadata[base]; i < scene->metadata_count; i++) {
        const cp_metadata_entry *entry = &scene->metadata[i];
        if (entry->owner != CP_OWNER_NODE || entry->index != base)
            break;
        if (entry->type != CP_VALUE_JSON || strncmp(entry->key, "q.", 2) != 0 || strpbrk(entry->value, "\"{"))
            continue;
        sink_text(cell->sink, "    <Q");
        cell_write_attribute(cell, "name", entry->key + 2);
        sink_text(cell->sink, ">");
        for (const char *at = entry->value; *at; at++)
            if (!strchr("[]", *at))
                sink_write(cell->sink, *at == ',' ? " " : at, 1);
        sink_text(cell->sink, "</Q>\n");
        cell->is_kept[i] = true;
    }
}

static void write_junctions(struct cell *cell, uint32_t index)
{
    const cp_scene *scene = cell->scene;
    for (uint32_t i = 0; i < scene->loop_count; i++) {
        const cp_loop *loop = &scene->loops[i];
        if (cell->owner[loop->nodes[0]] != index || !cell->chains[loop->nodes[0]] || !cell->chains[loop->nodes[1]])
            continue;
        sink_text(cell->sink, "    <Junction>");
        for (int k = 0; k < 2; k++) {
            sink_text(cell->sink, "<Chains>");
            (void)sink_markup(cell->sink, cell->chains[loop->nodes[k]]);
            sink_text(cell->sink, "</Chains>");
        }
        sink_text(cell->sink, "</Junction>\n");
    }
}

/* Counts the ends that a reader finds and the device does not have: frames of which none hangs. */
static void count_ends(struct cell *cell, uint32_t index)
{
    const struct cell_device *device = &cell->devices[index];
    const cp_node *nodes = cell->scene->nodes;
    for (uint32_t i = 0; i < device->member_count && !device->is_serial; i++) {
        uint32_t node = device->members[i];
        bool leaf = i + 1 == device->member_count || nodes[device->members[i + 1]].parent != node;
        bool end = cell->is_end[node], joint = cell_is_joint(cell, node);
        cell->losses[CELL_ENDS] += (leaf && !end) || (end && !leaf && joint);
    }
}

/* Writes the element of a device. */
static void write_body(struct cell *cell, uint32_t index)
{
    const struct cell_device *device = &cell->devices[index];
    const char *tag = device->junctions > 0 ? "ParallelDevice" : device->is_serial ? "SerialDevice" : "TreeDevice";
    struct slot slot = {.device = index};
    sink_print(cell->sink, "  <%s", tag);
    cell_write_attribute(cell, "name", device->name);
    sink_text(cell->sink, ">\n");
    if (device->needs_base) {
        begin_element(cell, "Frame", device->base, &slot);
        sink_print(cell->sink, ">\n%*s</Frame>\n", indent_of(&slot), "");
    }
    for (uint32_t i = 0; i < device->member_count; i++) {
        uint32_t node = device->members[i], parent = cell->scene->nodes[node].parent;
        cp_pose place = place_member(cell, index, node);
        slot.above = cell->owner[parent] == index ? cell->names[parent] : device->base;
        write_node(cell, node, &place, slot);
    }
    write_junctions(cell, index);
    write_home(cell, index);
    write_configurations(cell, index);
    count_ends(cell, index);
    sink_print(cell->sink, "  </%s>\n", tag);
}

/* Writes the device into a file of its own, which the cell includes. */
static void write_device_file(struct cell *cell, uint32_t index)
{
    struct sink *top = cell->sink, *sink = NULL;
    const char *whole = arena_print(cell->arena, "%s_%s", cell->stem, cell->devices[index].name);
    const char *path = whole ? sink_safe_name(top, whole, ".dev.xml") : NULL;
    cell->status = path ? sink_open(top, path, &sink) : CP_LIMIT;
    if (cell->status != CP_OK)
        return;
    cell->sink = sink;
    sink_text(sink, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    write_body(cell, index);
    cell->sink = top;
    cell->status = sink_close_further(sink);
    sink_text(top, "  <Include");
    cell_write_attribute(cell, "file", path);
    sink_text(top, "/>\n");
}

static void write_device(struct cell *cell, uint32_t index)
{
    const struct cell_device *device = &cell->devices[index];
    if (cell->status != CP_OK)
        return;
    if (device->mounted) {
        sink_text(cell->sink, "  <Frame");
        cell_write_attribute(cell, "name", device->mounted);
        cell_write_attribute(cell, "refframe", cell->names[device->mount]);
        sink_text(cell->sink, "/>\n");
    }
    if (cell->settings->devices == CELL_DEVICES_INLINE)
        write_body(cell, index);
    else
        write_device_file(cell, index);
}

/* Writes the devices that hang on a node. */
static void write_devices_on(struct cell *cell, uint32_t node)
{
    for (uint32_t i = cell->first_device[node]; i != CP_NONE; i = cell->devices[i].next)
        write_device(cell, i);
}

/* ---- the cell ---- */

static void write_cell_frame(struct cell *cell, uint32_t node)
{
    uint32_t parent = cell->scene->nodes[node].parent;
    struct slot slot = {.device = CP_NONE, .above = parent ? cell->names[parent] : NULL};
    write_node(cell, node, &cell->scene->nodes[node].local, slot);
    write_devices_on(cell, node);
}

/* Finds the frame of the cell that comes first; CP_NONE if it has none that hangs on the world. */
static uint32_t find_first(const struct cell *cell)
{
    const cp_node *nodes = cell->scene->nodes;
    for (uint32_t i = 1; i < cell->scene->node_count; i++)
        if (cell->names[i] && cell->owner[i] == CP_NONE && nodes[i].parent == 0)
            return i;
    return CP_NONE;
}

/* Tells whether the cell has frames at all, mounts of devices among them. */
static bool has_cell_frame(const struct cell *cell)
{
    for (uint32_t i = 1; i < cell->scene->node_count; i++)
        if (cell->names[i] && cell->owner[i] == CP_NONE)
            return true;
    for (uint32_t i = 0; i < cell->scene->device_count; i++)
        if (cell->devices[i].is_written && cell->devices[i].mounted)
            return true;
    return false;
}

cp_status cell_write_text(struct cell *cell, const char *setup)
{
    const cp_scene *scene = cell->scene;
    sink_text(cell->sink, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<WorkCell");
    cell_write_attribute(cell, "name", cell->stem);
    sink_text(cell->sink, ">\n");
    if (scene->metadata_count > 0 && scene->metadata[0].owner == CP_OWNER_SCENE)
        write_properties(cell, 0, 2);
    write_devices_on(cell, 0);
    uint32_t first = find_first(cell);
    if (first != CP_NONE) {
        write_cell_frame(cell, first);
    } else if (has_cell_frame(cell)) {
        sink_text(cell->sink, "  <Frame name=\"cell_origin\"/>\n");
        cell->losses[CELL_HELPERS]++;
    }
    for (uint32_t i = 1; i < scene->node_count; i++)
        if (cell->names[i] && cell->owner[i] == CP_NONE && i != first)
            write_cell_frame(cell, i);
    for (uint32_t i = 0; i < scene->device_count; i++)
        if (cell->devices[i].is_written && cell->devices[i].mounted)
            write_device(cell, i);
    sink_print(cell->sink, "  <%s", cell_setups[cell->settings->setup].element);
    cell_write_attribute(cell, "file", setup);
    sink_text(cell->sink, "/>\n</WorkCell>\n");
    return cell->status;
}
