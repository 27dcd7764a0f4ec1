/* Facts of a scene that info, check and diff need. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>

struct clip_facts clip_facts(const cp_clip *clip)
{
    struct clip_facts facts = {.first = INFINITY, .last = -INFINITY};
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const cp_track *track = &clip->tracks[i];
        facts.keys += track->key_count;
        facts.first = fmin(facts.first, track->times[0]);
        facts.last = fmax(facts.last, track->times[track->key_count - 1]);
    }
    if (clip->attachment_count > 0) {
        facts.first = fmin(facts.first, clip->attachments[0].time);
        facts.last = fmax(facts.last, clip->attachments[clip->attachment_count - 1].time);
    }
    return facts.first <= facts.last ? facts : (struct clip_facts){0};
}

const char *mesh_name(const cp_mesh *mesh)
{
    return *mesh->name ? mesh->name : mesh->source;
}

const char *frame_kind(const cp_scene *scene, uint32_t node)
{
    const cp_node *at = &cp_nodes(scene, &(uint32_t){0})[node];
    if (node == 0)
        return "world";
    if (at->joint_count > 0)
        return "joint";
    return at->flags & CP_NODE_MOVABLE ? "movable" : "fixed";
}

bool is_placeholder(const cp_scene *scene, uint32_t node)
{
    return (cp_nodes(scene, &(uint32_t){0})[node].flags & CP_NODE_PLACEHOLDER) != 0;
}

static bool is_below(const cp_node *nodes, uint32_t node, uint32_t above)
{
    while (node != above && node != CP_NONE)
        node = nodes[node].parent;
    return node == above;
}

const char *device_class(const cp_scene *scene, const cp_device *device)
{
    static const char *const words[] = {"RRR:RRR (articulated)", "RRT:RRR (spherical)", "RTR:RRR (pendulum)",
                                        "RTT:RRR (bore)",        "TRR:RRR (SCARA)",     "TRT:RRR (cylindrical)",
                                        "TTR:RRR (block)",       "TTT:RRR (Cartesian)"};
    const cp_node *nodes = cp_nodes(scene, &(uint32_t){0});
    const cp_joint *joints = cp_joints(scene, &(uint32_t){0}), *last = NULL;
    uint32_t body = 0, count = 0;
    for (uint32_t i = 0; i < device->joint_count; i++) {
        const cp_joint *joint = &joints[device->joints[i]];
        const bool slides = joint->type == CP_JOINT_PRISMATIC;
        if (joint->type == CP_JOINT_FIXED)
            continue;
        if (!joint->driven || (!slides && joint->type != CP_JOINT_REVOLUTE) || (slides && count >= 3) ||
            (last && !is_below(nodes, joint->node, last->node)))
            return NULL;
        body = count < 3 ? body << 1 | slides : body;
        last = joint;
        count++;
    }
    return count == 6 ? words[body] : NULL;
}

/* Orders by frames, then by the place in the file. */
static int compare_pairs(const void *a, const void *b)
{
    const cp_pair *const *one = a, *const *two = b;
    if ((*one)->first != (*two)->first)
        return (*one)->first < (*two)->first ? -1 : 1;
    if ((*one)->second != (*two)->second)
        return (*one)->second < (*two)->second ? -1 : 1;
    return *one < *two ? -1 : *one > *two;
}

cp_status list_exclusions(struct cli *cli, const cp_scene *scene, bool dangling_too,
                          struct distinct_exclusions *exclusions)
{
    uint32_t pair_count;
    const cp_pair *pairs = cp_pairs(scene, &pair_count);
    *exclusions = (struct distinct_exclusions){.pairs = cli_allocate(cli, pair_count * sizeof *exclusions->pairs)};
    const cp_pair **sorted = cli_allocate(cli, pair_count * sizeof *sorted);
    bool *again = cli_allocate(cli, pair_count * sizeof *again);
    if (!exclusions->pairs || !sorted || !again)
        return CP_LIMIT;
    size_t count = 0, kept = 0;
    for (uint32_t i = 0; i < pair_count; i++) {
        if (pairs[i].verdict != CP_PAIR_EXCLUDED)
            continue;
        bool dangling = is_placeholder(scene, pairs[i].first) || is_placeholder(scene, pairs[i].second);
        exclusions->dangling += dangling;
        if (dangling && !dangling_too)
            continue;
        cp_pair *pair = &exclusions->pairs[count];
        sorted[count++] = pair;
        *pair = pairs[i];
        if (pair->first > pair->second) {
            pair->first = pairs[i].second;
            pair->second = pairs[i].first;
        }
    }
    qsort(sorted, count, sizeof *sorted, compare_pairs);
    for (size_t i = 1; i < count; i++)
        if (sorted[i]->first == sorted[i - 1]->first && sorted[i]->second == sorted[i - 1]->second)
            again[sorted[i] - exclusions->pairs] = true;
    for (size_t i = 0; i < count; i++)
        if (!again[i])
            exclusions->pairs[kept++] = exclusions->pairs[i];
    exclusions->count = kept;
    return CP_OK;
}

cp_pose *world_poses(struct cli *cli, const cp_scene *scene)
{
    uint32_t count;
    (void)cp_nodes(scene, &count);
    cp_pose *worlds = cli_allocate(cli, count * sizeof *worlds);
    return worlds && cp_world_poses(cli->context, scene, NULL, worlds) == CP_OK ? worlds : NULL;
}

cp_status current_joints(struct cli *cli, const cp_scene *scene, const cp_joint **joints)
{
    uint32_t count;
    const cp_joint *from = cp_joints(scene, &count);
    double *values = cli_allocate(cli, count * sizeof *values);
    cp_joint *current = cli_allocate(cli, count * sizeof *current);
    cp_status status = values && current ? cp_joint_values(cli->context, scene, NULL, values) : CP_LIMIT;
    for (uint32_t i = 0; status == CP_OK && i < count; i++) {
        current[i] = from[i];
        current[i].q = values[i];
    }
    *joints = current;
    return status;
}
