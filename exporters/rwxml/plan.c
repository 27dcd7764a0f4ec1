/* Decides what is written as a device and what it hangs on, and gives all names. */
#include "base/text/text.h"
#include "cell.h"

static const char *unique(struct cell *cell, const char *name)
{
    return name ? unique_name(cell->arena, &cell->taken, name) : NULL;
}

bool cell_is_joint(const struct cell *cell, uint32_t node)
{
    const cp_node *row = &cell->scene->nodes[node];
    if (row->joint_count != 1)
        return false;
    const cp_joint *joint = &cell->scene->joints[row->first_joint];
    bool moves = joint->type == CP_JOINT_REVOLUTE || joint->type == CP_JOINT_PRISMATIC;
    return moves && joint->axis[2] == 1 && strcmp(joint->name, row->name) == 0;
}

/* ---- devices ---- */

static bool is_member(const struct cell *cell, uint32_t node, uint32_t device)
{
    return cell->owner[node] == device;
}

/* Lists the members of each device: the nodes that its description defines. */
static cp_status list_members(struct cell *cell)
{
    const cp_scene *scene = cell->scene;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        uint32_t scope = scene->nodes[i].scope;
        bool known = i > 0 && !(scene->nodes[i].flags & CP_NODE_PLACEHOLDER) && scope != CP_NONE &&
                     scene->devices[scope].kind != CP_DEVICE_COMPOSITE;
        cell->owner[i] = known ? scope : CP_NONE;
        if (known)
            cell->devices[scope].member_count++;
    }
    for (uint32_t i = 0; i < scene->device_count; i++) {
        struct cell_device *device = &cell->devices[i];
        device->is_written = device->member_count > 0;
        device->members = arena_allocate(cell->arena, device->member_count, sizeof *device->members);
        if (!device->members)
            return CP_LIMIT;
        device->member_count = 0;
        cell->losses[CELL_DEVICES] += !device->is_written;
    }
    for (uint32_t i = 0; i < scene->node_count; i++)
        if (cell->owner[i] != CP_NONE) {
            struct cell_device *device = &cell->devices[cell->owner[i]];
            cell->place[i] = device->member_count;
            device->members[device->member_count++] = i;
        }
    return CP_OK;
}

/* Finds what the device hangs on, and whether it needs a base of its own. */
static void find_mount(struct cell *cell, uint32_t index)
{
    const cp_scene *scene = cell->scene;
    struct cell_device *device = &cell->devices[index];
    uint32_t roots = 0;
    bool is_chain = true;
    device->mount = scene->nodes[device->members[0]].parent;
    for (uint32_t i = 0; i < device->member_count; i++) {
        uint32_t parent = scene->nodes[device->members[i]].parent;
        roots += !is_member(cell, parent, index);
        is_chain &= i == 0 || parent == device->members[i - 1];
        cell->losses[CELL_BRANCHES] += !is_member(cell, parent, index) && parent != device->mount;
    }
    const cp_device *row = &scene->devices[index];
    device->needs_base = roots > 1 || row->base != device->members[0] || scene->nodes[device->members[0]].joint_count;
    device->is_serial = row->kind == CP_DEVICE_SERIAL && is_chain && row->end_count == 1 &&
                        row->ends[0] == device->members[device->member_count - 1];
}

static cp_status name_device(struct cell *cell, uint32_t index)
{
    struct cell_device *device = &cell->devices[index];
    device->name = cell->scene->devices[index].id;
    device->prefix = arena_print(cell->arena, "%s.", device->name);
    return device->prefix ? CP_OK : CP_LIMIT;
}

/* ---- names ---- */

/* Gives a node its name, which begins with that of its device. */
static cp_status name_node(struct cell *cell, uint32_t node)
{
    const char *id = cell->scene->nodes[node].id, *name = id;
    uint32_t owner = cell->owner[node];
    if (owner != CP_NONE) {
        const char *prefix = cell->devices[owner].prefix;
        size_t size = strlen(prefix);
        if (strncmp(id, prefix, size) != 0 || !id[size])
            name = arena_print(cell->arena, "%s%s", prefix, id);
    }
    cell->names[node] = unique(cell, name);
    if (!cell->names[node])
        return CP_LIMIT;
    cell->losses[CELL_NAMES] += strcmp(cell->names[node], cell->scene->nodes[node].name) != 0;
    return CP_OK;
}

/* Gives the joints of a node names, if the node's frame does not stand for its joint. */
static cp_status name_joints(struct cell *cell, uint32_t node)
{
    const cp_scene *scene = cell->scene;
    const cp_node *row = &scene->nodes[node];
    uint32_t owner = cell->owner[node];
    for (uint32_t i = row->first_joint; i < row->first_joint + row->joint_count && !cell_is_joint(cell, node); i++) {
        const cp_joint *joint = &scene->joints[i];
        if (joint->type != CP_JOINT_REVOLUTE && joint->type != CP_JOINT_PRISMATIC)
            continue;
        const char *prefix = owner == CP_NONE ? "" : cell->devices[owner].prefix;
        bool has_prefix = strncmp(joint->id, prefix, strlen(prefix)) == 0;
        cell->joint_names[i] = unique(cell, arena_print(cell->arena, "%s%s", has_prefix ? "" : prefix, joint->id));
        if (!cell->joint_names[i])
            return CP_LIMIT;
        cell->losses[CELL_HELPERS]++;
        cell->losses[CELL_NAMES] += strcmp(cell->joint_names[i], joint->name) != 0;
    }
    return CP_OK;
}

/* Names the frames that are put before a device. */
static cp_status name_helpers(struct cell *cell, struct cell_device *device)
{
    bool is_mounted = device->mount != 0 && cell->owner[device->mount] != CP_NONE;
    if (device->needs_base && !(device->base = unique(cell, arena_print(cell->arena, "%sBase", device->prefix))))
        return CP_LIMIT;
    if (is_mounted && !(device->mounted = unique(cell, arena_print(cell->arena, "%s_mount", device->name))))
        return CP_LIMIT;
    cell->losses[CELL_HELPERS] += (uint64_t)device->needs_base + is_mounted;
    return CP_OK;
}

/* ---- loops ---- */

static bool is_plain_loop(const struct cell *cell, const cp_loop *loop)
{
    uint32_t owner = cell->owner[loop->nodes[0]];
    return loop->type == CP_LOOP_FIXED && owner != CP_NONE && owner == cell->owner[loop->nodes[1]] &&
           pose_is_identity(&loop->poses[0]) && pose_is_identity(&loop->poses[1]);
}

/* Finds the chain that ends with the member: it begins where a member does not hang on the one before. A joint in the
 * way is a row of its own, and does not break the chain. NULL if the chain goes on behind the member. */
static const char *find_chain(const struct cell *cell, uint32_t node)
{
    const struct cell_device *device = &cell->devices[cell->owner[node]];
    const cp_node *nodes = cell->scene->nodes;
    uint32_t at = cell->place[node];
    if (at + 1 < device->member_count && nodes[device->members[at + 1]].parent == node)
        return NULL;
    uint32_t first = device->needs_base ? 0 : 1;
    while (at > first && nodes[device->members[at]].parent == device->members[at - 1])
        at--;
    uint32_t start = device->members[at], joint = nodes[start].first_joint;
    bool has_joints = nodes[start].joint_count > 0 && cell->joint_names[joint];
    return cell_local(cell, cell->owner[node], has_joints ? cell->joint_names[joint] : cell->names[start]);
}

static void find_chains(struct cell *cell)
{
    for (uint32_t i = 0; i < cell->scene->loop_count; i++) {
        const cp_loop *loop = &cell->scene->loops[i];
        bool plain = is_plain_loop(cell, loop);
        for (int k = 0; k < 2 && plain; k++) {
            cell->chains[loop->nodes[k]] = find_chain(cell, loop->nodes[k]);
            plain = cell->chains[loop->nodes[k]] != NULL;
        }
        if (plain)
            cell->devices[cell->owner[loop->nodes[0]]].junctions++;
        cell->losses[CELL_LOOPS] += !plain;
    }
}

/* ---- all ---- */

/* Notes of each node and joint what rows of other tables say. */
static cp_status note_rows(struct cell *cell)
{
    const cp_scene *scene = cell->scene;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        const cp_node *node = &scene->nodes[i];
        cell->worlds[i] = i ? pose_multiply(&cell->worlds[node->parent], &node->local) : node->local;
        cell->first_device[i] = cell->first_metadata[i] = CP_NONE;
    }
    for (uint32_t i = scene->metadata_count; i-- > 0;)
        if (scene->metadata[i].owner == CP_OWNER_NODE)
            cell->first_metadata[scene->metadata[i].index] = i;
    for (uint32_t i = 0; i < scene->joint_count; i++)
        cell->homes[i] = scene->joints[i].home;
    for (uint32_t i = 0; i < scene->device_count; i++) {
        const cp_device *device = &scene->devices[i];
        for (uint32_t k = 0; k < device->joint_count && device->home; k++)
            cell->homes[device->joints[k]] = device->home[k];
    }
    cp_status status = cp_world_poses(cell->context, scene, NULL, cell->worlds);
    return status == CP_NO ? CP_OK : status; /* loops that do not close: the poses of the tree count */
}

/* Hangs the devices on their mounts, the last one first, and marks their ends. */
static void link_devices(struct cell *cell)
{
    const cp_scene *scene = cell->scene;
    for (uint32_t i = scene->device_count; i-- > 0;) {
        struct cell_device *device = &cell->devices[i];
        device->next = CP_NONE;
        if (!device->is_written)
            continue;
        if (!device->mounted) {
            device->next = cell->first_device[device->mount];
            cell->first_device[device->mount] = i;
        }
        for (uint32_t k = 0; k < scene->devices[i].end_count && !device->is_serial; k++)
            cell->is_end[scene->devices[i].ends[k]] |= cell->owner[scene->devices[i].ends[k]] == i;
    }
}

cp_status cell_plan(struct cell *cell)
{
    const cp_scene *scene = cell->scene;
    cell->devices = arena_allocate_zeroed(cell->arena, scene->device_count, sizeof *cell->devices);
    cell->owner = arena_allocate(cell->arena, scene->node_count, sizeof *cell->owner);
    cell->worlds = arena_allocate(cell->arena, scene->node_count, sizeof *cell->worlds);
    cell->first_device = arena_allocate(cell->arena, scene->node_count, sizeof *cell->first_device);
    cell->first_metadata = arena_allocate(cell->arena, scene->node_count, sizeof *cell->first_metadata);
    cell->is_end = arena_allocate_zeroed(cell->arena, scene->node_count, sizeof *cell->is_end);
    cell->place = arena_allocate_zeroed(cell->arena, scene->node_count, sizeof *cell->place);
    cell->homes = arena_allocate(cell->arena, scene->joint_count, sizeof *cell->homes);
    cell->names = arena_allocate_zeroed(cell->arena, scene->node_count, sizeof *cell->names);
    cell->chains = arena_allocate_zeroed(cell->arena, scene->node_count, sizeof *cell->chains);
    cell->joint_names = arena_allocate_zeroed(cell->arena, scene->joint_count, sizeof *cell->joint_names);
    cell->is_kept = arena_allocate_zeroed(cell->arena, scene->metadata_count, sizeof *cell->is_kept);
    if (!cell->devices || !cell->owner || !cell->worlds || !cell->first_device || !cell->first_metadata ||
        !cell->is_end || !cell->place || !cell->homes || !cell->names || !cell->chains || !cell->joint_names ||
        !cell->is_kept || !unique(cell, "WORLD"))
        return CP_LIMIT;
    cp_status status = note_rows(cell);
    if (status == CP_OK)
        status = list_members(cell);
    for (uint32_t i = 0; i < scene->device_count && status == CP_OK; i++) {
        status = name_device(cell, i);
        if (cell->devices[i].is_written)
            find_mount(cell, i);
    }
    for (uint32_t i = 1; i < scene->node_count && status == CP_OK; i++)
        if (!(scene->nodes[i].flags & CP_NODE_PLACEHOLDER))
            status = name_node(cell, i);
    for (uint32_t i = 1; i < scene->node_count && status == CP_OK; i++)
        if (cell->names[i])
            status = name_joints(cell, i);
    for (uint32_t i = 0; i < scene->device_count && status == CP_OK; i++)
        if (cell->devices[i].is_written)
            status = name_helpers(cell, &cell->devices[i]);
    if (status == CP_OK)
        link_devices(cell);
    if (status == CP_OK)
        find_chains(cell);
    return status;
}
