/* The scene, its present joint values, and what is near what. */
#include "cell.h"

#include <math.h>
#include <stdio.h>

/* How far bodies may move against each other, in metres and parts of a turn, and still rest. */
static const double stillness = 1e-6;

void cell_say_error(const cp_entry *entry, char *text, size_t size)
{
    if (entry->line > 0)
        (void)snprintf(text, size, "line %llu: %s", (unsigned long long)entry->line, entry->text);
    else
        (void)snprintf(text, size, "%s", entry->text);
}

static cp_status list_shown(struct cell *cell)
{
    cell->shown = arena_allocate(cell->arena, cell->joint_count, sizeof *cell->shown);
    for (uint32_t i = 0; cell->shown && i < cell->joint_count; i++) {
        const cp_joint *joint = &cell->joints[i];
        if (joint->driven && joint->type != CP_JOINT_FIXED && !cp_joint_is_dependent(joint))
            cell->shown[cell->shown_count++] = i;
    }
    return cell->shown ? CP_OK : CP_LIMIT;
}

/* ---- what may touch ---- */

static bool is_below(const struct cell *cell, uint32_t node, uint32_t top)
{
    while (node != top && node != CP_NONE)
        node = cell->nodes[node].parent;
    return node == top;
}

static cp_pose multiply(const cp_pose *a, const cp_pose *b)
{
    cp_pose pose;
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 4; column++) {
            pose.m[4 * row + column] = column == 3 ? a->m[4 * row + 3] : 0;
            for (int k = 0; k < 3; k++)
                pose.m[4 * row + column] += a->m[4 * row + k] * b->m[4 * k + column];
        }
    return pose;
}

/* Returns the pose of one frame in another, which is not scaled. */
cp_pose cell_between(const cp_pose *a, const cp_pose *b)
{
    cp_pose pose;
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 4; column++) {
            pose.m[4 * row + column] = 0;
            for (int k = 0; k < 3; k++)
                pose.m[4 * row + column] +=
                    a->m[4 * k + row] * (b->m[4 * k + column] - (column == 3 ? a->m[4 * k + 3] : 0));
        }
    return pose;
}

bool cell_is_same(const cp_pose *a, const cp_pose *b)
{
    bool same = true;
    for (int k = 0; k < 12; k++)
        same = same && fabs(a->m[k] - b->m[k]) <= stillness;
    return same;
}

static bool rests(const struct cell *cell, const cp_pose *worlds, const cp_contact *contact)
{
    for (uint32_t i = 0; i < cell->resting_count; i++) {
        const struct resting_pair *pair = &cell->resting[i];
        if (pair->first != contact->first || pair->second != contact->second)
            continue;
        const cp_pose now = cell_between(&worlds[pair->first], &worlds[pair->second]);
        if (cell_is_same(&pair->between, &now))
            return true;
    }
    return false;
}

/* Returns the node whose joint moves this one: itself or the nearest above; 0: none does. */
static uint32_t link_of(const struct cell *cell, uint32_t node)
{
    while (node != 0 && cell->nodes[node].joint_count == 0)
        node = cell->nodes[node].parent;
    return node;
}

/* Returns the node that holds this one or what it hangs on, or CP_NONE. */
static uint32_t holder_of(const struct cell *cell, uint32_t node)
{
    while (node != 0 && cell->hosts[node] == CP_NONE)
        node = cell->nodes[node].parent;
    return cell_is_held(cell, node) ? cell->hosts[node] : cell->carried[node].carrier;
}

/* Tells whether one is held, and the other is the link that holds it, is held there, too, or is one joint away. */
static bool holds(const struct cell *cell, uint32_t held, uint32_t other)
{
    const uint32_t holder = holder_of(cell, held);
    if (holder == CP_NONE)
        return false;
    const uint32_t hand = link_of(cell, holder), link = link_of(cell, other);
    return holder_of(cell, other) == holder || link == hand ||
           (link != 0 && link_of(cell, cell->nodes[link].parent) == hand) ||
           (hand != 0 && link_of(cell, cell->nodes[hand].parent) == link);
}

static bool may_touch(const struct cell *cell, const cp_pose *worlds, const cp_contact *contact)
{
    return holds(cell, contact->first, contact->second) || holds(cell, contact->second, contact->first) ||
           rests(cell, worlds, contact);
}

/* Notes what touches now as resting: all, or the pairs of one node. */
static cp_status let_rest(struct cell *cell, uint32_t node)
{
    const cp_contact *contacts;
    uint32_t count = 0;
    if (!cell->collider)
        return CP_OK;
    cp_status status = cp_collide(cell->collider, cell->worlds, 0, &contacts, &count);
    for (uint32_t i = 0; i < count && status == CP_OK; i++) {
        const uint32_t first = contacts[i].first, second = contacts[i].second;
        if (node != CP_NONE && !is_below(cell, first, node) && !is_below(cell, second, node))
            continue;
        /* Of the places where a pair has been put down, the last one counts. */
        uint32_t at = cell->first_resting;
        while (at < cell->resting_count && (cell->resting[at].first != first || cell->resting[at].second != second))
            at++;
        if (at == cell->resting_count && !array_reserve(cell->context, &cell->resting, &cell->resting_room,
                                                        (uint64_t)++cell->resting_count, sizeof *cell->resting))
            return CP_LIMIT;
        cell->resting[at] =
            (struct resting_pair){first, second, cell_between(&cell->worlds[first], &cell->worlds[second])};
    }
    return status;
}

/* ---- opening and closing ---- */

static cp_status prepare(struct cell *cell)
{
    cell->joints = cp_joints(cell->scene, &cell->joint_count);
    cell->nodes = cp_nodes(cell->scene, &cell->node_count);
    cell->arena = arena_new(cell->context);
    cell->q = arena_allocate(cell->arena, cell->joint_count, sizeof *cell->q);
    cell->trial = arena_allocate(cell->arena, cell->joint_count, sizeof *cell->trial);
    cell->worlds = arena_allocate(cell->arena, cell->node_count, sizeof *cell->worlds);
    cell->trial_worlds = arena_allocate(cell->arena, cell->node_count, sizeof *cell->worlds);
    cell->by_tree = arena_allocate(cell->arena, cell->node_count, sizeof *cell->worlds);
    cell->hosts = arena_allocate(cell->arena, cell->node_count, sizeof *cell->hosts);
    cell->places = arena_allocate(cell->arena, cell->node_count, sizeof *cell->places);
    cell->carried = arena_allocate(cell->arena, cell->node_count, sizeof *cell->carried);
    if (!cell->q || !cell->trial || !cell->worlds || !cell->trial_worlds || !cell->by_tree || !cell->hosts ||
        !cell->places || !cell->carried)
        return CP_LIMIT;
    cell_forget_places(cell);
    cp_status status = list_shown(cell);
    if (status == CP_OK)
        status = cp_mechanism_new(cell->context, cell->scene, &cell->mechanism);
    if (status == CP_OK)
        status = cp_mechanism_values(cell->mechanism, NULL, cell->q);
    if (status == CP_OK)
        status = cp_mechanism_poses(cell->mechanism, NULL, cell->worlds);
    if (status != CP_OK)
        return status;
    status = cp_collider_new(cell->context, cell->scene, CP_TOUCH, false, &cell->collider);
    if (status == CP_NO) { /* there is no pair, as in a cell without shapes */
        cp_report_clear(cell->context);
        return CP_OK;
    }
    if (status == CP_OK)
        status = let_rest(cell, CP_NONE);
    cell->first_resting = cell->resting_count;
    return status;
}

cp_status cell_open(cp_context *context, cp_scene *scene, struct cell *cell)
{
    *cell = (struct cell){.context = context, .scene = scene};
    cp_status status = prepare(cell);
    if (status != CP_OK)
        cell_close(cell);
    return status;
}

void cell_close(struct cell *cell)
{
    memory_free(cell->context, cell->resting, cell->resting_room, sizeof *cell->resting);
    memory_free(cell->context, cell->near, cell->near_room, sizeof *cell->near);
    memory_free(cell->context, cell->tried, cell->tried_room, sizeof *cell->tried);
    cp_collider_free(cell->collider);
    cp_mechanism_free(cell->mechanism);
    arena_free(cell->arena);
    cp_scene_free(cell->scene);
    *cell = (struct cell){0};
}

uint32_t cell_joint(const struct cell *cell, const char *name)
{
    for (uint32_t i = 0; i < cell->shown_count; i++) {
        const cp_joint *joint = &cell->joints[cell->shown[i]];
        if (strcmp(joint->id, name) == 0 || strcmp(joint->name, name) == 0)
            return cell->shown[i];
    }
    return CP_NONE;
}

double cell_stride(const cp_joint *joint)
{
    return joint->type == CP_JOINT_REVOLUTE ? 0.0175 : 0.005;
}

/* Returns by how much a value is beyond the joint's limits. */
static double excess(const cp_joint *joint, double value)
{
    return fmax(0, fmax(joint->lower - value, value - joint->upper));
}

uint32_t cell_beyond(const struct cell *cell, const double *q)
{
    for (uint32_t i = 0; i < cell->shown_count; i++) {
        const uint32_t joint = cell->shown[i];
        const double room = 1e-9, now = excess(&cell->joints[joint], cell->q[joint]);
        if (!isfinite(q[joint]) || excess(&cell->joints[joint], q[joint]) > now + room)
            return joint;
    }
    return CP_NONE;
}

/* ---- where it is ---- */

/* Makes `worlds` of the poses that nodes have by the scene's own tree: what programs have moved, and all below it, is
 * elsewhere. The host of a node is a tool or the world, which no program moves. is_trial: what seems to be held moves
 * with its carrier; else it is where it was told to be. */
static void place_moved(const struct cell *cell, const cp_pose *by_tree, cp_pose *worlds, bool is_trial)
{
    worlds[0] = by_tree[0];
    for (uint32_t i = 1; i < cell->node_count; i++) {
        const uint32_t host = cell->hosts[i], parent = cell->nodes[i].parent;
        const bool with_parent = memcmp(&worlds[parent], &by_tree[parent], sizeof *worlds) == 0;
        const uint32_t carrier = cell->carried[i].carrier;
        if (is_trial && carrier != CP_NONE) {
            const cp_pose place = cell_between(&cell->worlds[carrier], &cell->worlds[i]);
            worlds[i] = multiply(&by_tree[carrier], &place);
        } else if (host != CP_NONE)
            worlds[i] = host == 0 ? cell->places[i] : multiply(&by_tree[host], &cell->places[i]);
        else if (with_parent)
            worlds[i] = by_tree[i];
        else {
            const cp_pose inside = cell_between(&by_tree[parent], &by_tree[i]);
            worlds[i] = multiply(&worlds[parent], &inside);
        }
    }
}

/* Computes values and poses at q, in the room for what is tried. */
static cp_status place(struct cell *cell, const double *q, bool is_trial)
{
    cp_status status = cp_mechanism_values(cell->mechanism, q, cell->trial);
    if (status == CP_OK)
        status = cp_mechanism_poses(cell->mechanism, cell->trial, cell->by_tree);
    if (status == CP_OK)
        place_moved(cell, cell->by_tree, cell->trial_worlds, is_trial);
    return status;
}

cp_status cell_go(struct cell *cell, const double *q)
{
    cp_status status = place(cell, q, false);
    if (status == CP_OK)
        cell_take(cell, cell->trial, cell->trial_worlds);
    return status;
}

void cell_take(struct cell *cell, const double *q, const cp_pose *worlds)
{
    memcpy(cell->q, q, cell->joint_count * sizeof *cell->q);
    memcpy(cell->worlds, worlds, cell->node_count * sizeof *cell->worlds);
}

cp_pose cell_relative(const struct cell *cell, uint32_t node, uint32_t other)
{
    return cell_between(&cell->worlds[node], &cell->worlds[other]);
}

bool cell_is_held(const struct cell *cell, uint32_t node)
{
    return cell->hosts[node] != CP_NONE && cell->hosts[node] != 0;
}

cp_status cell_hold(struct cell *cell, uint32_t node, uint32_t host)
{
    cell->hosts[node] = host;
    cell->places[node] = cell_between(&cell->worlds[host], &cell->worlds[node]);
    return host == 0 ? let_rest(cell, node) : CP_OK;
}

void cell_forget_places(struct cell *cell)
{
    for (uint32_t i = 0; i < cell->node_count; i++)
        cell->hosts[i] = cell->carried[i].carrier = CP_NONE;
    cell->away_count = 0;
}

/* ---- what others have moved ---- */

void cell_put(struct cell *cell, uint32_t node, const cp_pose *world)
{
    const bool was_away = cell->hosts[node] != CP_NONE;
    cell->away_count += (uint32_t)(world != NULL) - (uint32_t)was_away;
    cell->hosts[node] = world ? 0 : CP_NONE;
    if (world)
        cell->places[node] = *world;
    if (!world || !was_away)
        cell->carried[node] = (struct carried){.carrier = CP_NONE};
}

static bool is_near(const cp_pose *a, const cp_pose *b)
{
    static const double noise = 1e-4; /* what others tell has it: metres, and parts of a turn */
    bool near = true;
    for (int k = 0; k < 12; k++)
        near = near && fabs(a->m[k] - b->m[k]) <= noise;
    return near;
}

/* Finds what the tool holds. What it lets go rests there. */
static cp_status find_carried(struct cell *cell, uint32_t tool)
{
    cp_status status = CP_OK;
    for (uint32_t i = 1; i < cell->node_count && status == CP_OK; i++) {
        if (cell->hosts[i] != 0)
            continue;
        struct carried *carried = &cell->carried[i];
        const cp_pose grip = cell_between(&cell->worlds[tool], &cell->worlds[i]);
        if (is_near(&grip, &carried->grip)) {
            if (!is_near(&cell->worlds[tool], &carried->tool))
                carried->carrier = tool;
        } else {
            const bool lets_go = carried->carrier != CP_NONE;
            *carried = (struct carried){CP_NONE, grip, cell->worlds[tool]};
            status = lets_go ? let_rest(cell, i) : CP_OK;
        }
    }
    return status;
}

cp_status cell_follow(struct cell *cell, const double *q, uint32_t tool)
{
    cp_status status = cell_go(cell, q);
    return status == CP_OK && cell->away_count > 0 ? find_carried(cell, tool) : status;
}

uint32_t cell_list_placed(const struct cell *cell, struct placed *list)
{
    uint32_t count = 0;
    for (uint32_t i = 1; i < cell->node_count; i++) {
        if (cell->hosts[i] == CP_NONE)
            continue;
        const uint32_t carrier = cell->carried[i].carrier, host = carrier != CP_NONE ? carrier : cell->hosts[i];
        if (list)
            list[count] = (struct placed){i, host, cell_between(&cell->worlds[host], &cell->worlds[i])};
        count++;
    }
    return count;
}

cp_status cell_set_placed(struct cell *cell, const struct placed *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        cell->hosts[list[i].node] = list[i].host;
        cell->places[list[i].node] = list[i].place;
    }
    cp_status status = count > 0 ? cell_go(cell, cell->q) : CP_OK;
    return status == CP_OK && count > 0 ? let_rest(cell, CP_NONE) : status;
}

/* ---- what is near what ---- */

static struct near_pair pair_of(const struct cell *cell, const cp_contact *contact)
{
    const cp_node *first = &cell->nodes[contact->first], *second = &cell->nodes[contact->second];
    return (struct near_pair){first->name, second->name, first->id, second->id, contact->distance};
}

cp_status cell_near(struct cell *cell, double clearance, const struct near_pair **pairs, uint32_t *count)
{
    const cp_contact *contacts;
    uint32_t all = 0;
    *count = 0;
    *pairs = NULL;
    if (!cell->collider)
        return CP_OK;
    cp_status status = cp_collide(cell->collider, cell->worlds, clearance, &contacts, &all);
    if (status != CP_OK)
        return status;
    if (!array_reserve(cell->context, &cell->near, &cell->near_room, all, sizeof *cell->near))
        return CP_LIMIT;
    for (uint32_t i = 0; i < all; i++)
        if (!may_touch(cell, cell->worlds, &contacts[i]))
            cell->near[(*count)++] = pair_of(cell, &contacts[i]);
    *pairs = cell->near;
    return CP_OK;
}

/* Returns CP_NO and the first pair of the tried ones that does not touch now. */
static cp_status find_new(struct cell *cell, uint32_t count, struct near_pair *pair)
{
    const cp_contact *present;
    uint32_t present_count = 0;
    cp_status status = cp_collide(cell->collider, cell->worlds, 0, &present, &present_count);
    for (uint32_t i = 0, k = 0; i < count && status == CP_OK; i++) { /* both are in the order of their nodes */
        const cp_contact *tried = &cell->tried[i];
        while (k < present_count && (present[k].first < tried->first ||
                                     (present[k].first == tried->first && present[k].second < tried->second)))
            k++;
        if (k < present_count && present[k].first == tried->first && present[k].second == tried->second)
            continue;
        *pair = pair_of(cell, tried);
        status = CP_NO;
    }
    return status;
}

cp_status cell_try(struct cell *cell, const double *q, struct near_pair *pair)
{
    const cp_contact *contacts;
    uint32_t count = 0, found = 0;
    *pair = (struct near_pair){0};
    cp_status status = place(cell, q, true);
    if (status != CP_OK || !cell->collider)
        return status;
    status = cp_collide(cell->collider, cell->trial_worlds, 0, &contacts, &count);
    if (status == CP_OK && !array_reserve(cell->context, &cell->tried, &cell->tried_room, count, sizeof *cell->tried))
        status = CP_LIMIT;
    for (uint32_t i = 0; i < count && status == CP_OK; i++)
        if (!may_touch(cell, cell->trial_worlds, &contacts[i]))
            cell->tried[found++] = contacts[i];
    return status == CP_OK && found > 0 ? find_new(cell, found, pair) : status;
}
