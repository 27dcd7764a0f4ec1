/* Nodes that a recording tells to be elsewhere. A node that is away hangs on the world, and its keys are poses there;
 * before and after that it hangs where the scene has it. A line that says nothing of a node leaves it where it was, so
 * that the node moves evenly between two lines that follow each other, and rests otherwise. */
#include "moved_nodes.h"

#include "base/context.h"
#include "motion/motion.h"

/* ---- what can be moved ---- */

static cp_status prepare(struct moved_nodes *nodes)
{
    const cp_scene *scene = nodes->scene;
    nodes->ids.context = nodes->context;
    nodes->arena = arena_new(nodes->context);
    nodes->worlds = arena_allocate(nodes->arena, scene->node_count, sizeof *nodes->worlds);
    nodes->states = arena_allocate_zeroed(nodes->arena, scene->node_count, sizeof *nodes->states);
    if (!nodes->worlds || !nodes->states)
        return CP_LIMIT;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        nodes->states[i].pose = scene->nodes[i].local;
        if (!name_map_add(&nodes->ids, scene->nodes[i].id, i, NULL))
            return CP_LIMIT;
    }
    return scene_world_poses(nodes->context, scene, NULL, nodes->worlds);
}

cp_status moved_nodes_find(struct moved_nodes *nodes, const char *id, uint32_t *node, const char **why)
{
    struct trs trs;
    cp_status status = nodes->states ? CP_OK : prepare(nodes);
    if (status != CP_OK)
        return status;
    const uint32_t *found = name_map_find(&nodes->ids, id);
    *why = !found                                                      ? "there is no frame with this id"
           : *found == 0                                               ? "it is the world"
           : nodes->scene->nodes[*found].joint_count > 0               ? "joints move it"
           : !pose_to_trs(&nodes->worlds[*found], 1e-6, &trs)          ? "it is sheared"
           : !(fabs(pose_determinant(&nodes->worlds[*found])) > 1e-30) ? "it is flat"
                                                                       : NULL;
    *node = *why ? CP_NONE : *found;
    return CP_OK;
}

bool moved_nodes_fit(const struct moved_nodes *nodes, uint32_t node, const cp_pose *world)
{
    return cp_pose_moves_rigidly(&nodes->worlds[node], world);
}

/* ---- keys ---- */

static bool add_key(struct moved_nodes *nodes, uint32_t node, double time, const cp_pose *pose)
{
    struct moved_state *state = &nodes->states[node];
    if (state->key_count > 0 && !(time > state->time))
        return true;
    if (!array_reserve(nodes->context, &nodes->keys, &nodes->key_room, (uint64_t)nodes->key_count + 1,
                       sizeof *nodes->keys))
        return false;
    nodes->keys[nodes->key_count++] = (struct moved_key){time, node, *pose};
    nodes->node_count += state->key_count == 0;
    state->key_count++;
    state->time = time;
    return true;
}

static bool hang(struct moved_nodes *nodes, uint32_t node, double time, uint32_t host)
{
    if (nodes->scene->nodes[node].parent == 0) /* it hangs on the world anyway */
        return true;
    if (!array_reserve(nodes->context, &nodes->attachments, &nodes->attachment_room,
                       (uint64_t)nodes->attachment_count + 1, sizeof *nodes->attachments))
        return false;
    nodes->attachments[nodes->attachment_count++] = (cp_attachment){time, node, host};
    return true;
}

cp_status moved_nodes_add(struct moved_nodes *nodes, uint32_t row, double time, double time_before, uint32_t node,
                          const cp_pose *world)
{
    const cp_scene *scene = nodes->scene;
    struct moved_state *state = &nodes->states[node];
    const bool was_away = state->is_away;
    cp_pose pose = scene->nodes[node].local, inverse;
    if (state->said == row + 1)
        return CP_NO;
    state->said = row + 1;
    if (!world && !was_away)
        return CP_OK;
    if (world && pose_inverse(&scene->nodes[0].local, &inverse))
        pose = pose_multiply(&inverse, world);
    bool good = true;
    if (was_away != (world != NULL)) { /* a jump: it was elsewhere until now */
        good = (row == 0 || add_key(nodes, node, nextafter(time, -INFINITY), &state->pose)) &&
               hang(nodes, node, time, world ? 0 : scene->nodes[node].parent);
    } else if (state->row + 1 < row)
        good = add_key(nodes, node, time_before, &state->pose);
    good = good && add_key(nodes, node, time, &pose);
    state->is_away = world != NULL;
    state->pose = pose;
    state->row = row;
    return good ? CP_OK : CP_LIMIT;
}

/* ---- tracks ---- */

/* The arrays of a node's three tracks, which have the same times. */
struct made_tracks {
    double *times, *values[3];
    uint32_t count;
};

static void make_key(struct made_tracks *made, const struct moved_key *key)
{
    struct trs trs;
    const uint32_t at = made->count++;
    (void)pose_to_trs(&key->pose, 1e-6, &trs);
    double *rotation = made->values[1] + (size_t)at * 4;
    made->times[at] = key->time;
    memcpy(made->values[0] + (size_t)at * 3, trs.translation, sizeof trs.translation);
    memcpy(rotation, trs.rotation, sizeof trs.rotation);
    memcpy(made->values[2] + (size_t)at * 3, trs.scale, sizeof trs.scale);
    double dot = 0; /* of a turn's two quaternions, the one that is nearer to the last */
    for (int k = 0; k < 4 && at > 0; k++)
        dot += rotation[k] * rotation[k - 4];
    for (int k = 0; k < 4 && dot < 0; k++)
        rotation[k] = -rotation[k];
}

static bool start_tracks(cp_scene *scene, uint32_t node, uint32_t count, struct made_tracks *made, cp_track *tracks)
{
    static const cp_path paths[3] = {CP_PATH_TRANSLATION, CP_PATH_ROTATION, CP_PATH_SCALE};
    static const uint32_t widths[3] = {3, 4, 3};
    made->times = scene_allocate(scene, count, sizeof *made->times);
    bool good = made->times != NULL;
    for (int k = 0; k < 3; k++) {
        made->values[k] = scene_allocate(scene, (size_t)count * widths[k], sizeof(double));
        good = good && made->values[k];
        tracks[k] = (cp_track){.target = node,
                               .path = paths[k],
                               .interpolation = CP_LINEAR,
                               .key_count = count,
                               .times = made->times,
                               .values = made->values[k]};
    }
    return good;
}

cp_status moved_nodes_make(struct moved_nodes *nodes, cp_track *tracks, const cp_attachment **attachments)
{
    cp_scene *scene = nodes->scene;
    struct made_tracks *made = arena_allocate_zeroed(nodes->arena, nodes->node_count, sizeof *made);
    uint32_t *made_of = arena_allocate(nodes->arena, scene->node_count, sizeof *made_of), count = 0;
    cp_attachment *hung = scene_allocate(scene, nodes->attachment_count, sizeof *hung);
    if (!made || !made_of || !hung)
        return CP_LIMIT;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        const uint32_t keys = nodes->states[i].key_count;
        made_of[i] = count;
        if (keys > 0 && !start_tracks(scene, i, keys, &made[count], &tracks[3 * count]))
            return CP_LIMIT;
        count += keys > 0;
    }
    for (uint32_t i = 0; i < nodes->key_count; i++)
        make_key(&made[made_of[nodes->keys[i].node]], &nodes->keys[i]);
    if (nodes->attachment_count > 0)
        memcpy(hung, nodes->attachments, nodes->attachment_count * sizeof *hung);
    *attachments = hung;
    return CP_OK;
}

void moved_nodes_free(struct moved_nodes *nodes)
{
    memory_free(nodes->context, nodes->keys, nodes->key_room, sizeof *nodes->keys);
    memory_free(nodes->context, nodes->attachments, nodes->attachment_room, sizeof *nodes->attachments);
    name_map_free(&nodes->ids);
    arena_free(nodes->arena);
    *nodes = (struct moved_nodes){0};
}
