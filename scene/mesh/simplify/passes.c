/* Collapses in passes: each one lists all edges with an estimate of their costs, and collapses those below a bound in the order
 * in which they come, in which neighbours are near each other in memory. While most of a fine surface is to go, this is
 * as good as the order of the costs, and takes half of the time. */
#include <string.h>

#include "collapse.h"

/* A pass takes at most this part of the edges: of those, about each second has been moved by another one before its turn. */
static const double pass_part = 1.0 / 3;

static void list_edge(struct part *part, uint32_t corner, uint32_t a, uint32_t b)
{
    double cost;
    if (part->list_count == part->list_room || !estimate_edge(part->work, a, b, &cost))
        return;
    uint32_t bucket = cost_bucket(cost);
    if (edge_is_locked(part->work->surface, a, b)) {
        part->queue.locked[bucket]++;
        return;
    }
    part->queue.counts[bucket]++;
    part->list[part->list_count++] = (struct listed_edge){corner, bucket};
}

/* Of its two faces an edge is seen in the one where it leads to the higher vertex; those of one face are in the tags. */
static void list_edges(struct part *part)
{
    const struct workspace *work = part->work;
    part->list_count = 0;
    memset(part->queue.counts, 0, sizeof part->queue.counts);
    for (uint32_t triangle = part->first_triangle; triangle < part->first_triangle + part->triangle_count; triangle++) {
        const uint32_t *face = work->faces[triangle].vertices;
        uint32_t tag = work->surface->tags[triangle];
        if (face[0] == CP_NONE)
            continue;
        for (uint32_t number = 0; number < 3; number++) {
            uint32_t a = face[number], b = face[number == 2 ? 0 : number + 1];
            if (a < b || (tag >> number & 1))
                list_edge(part, 3 * triangle + number, a, b);
        }
    }
}

void passes_start(struct part *part)
{
    part->queue.lowest = 0;
    list_edges(part);
}

/* Up to where the listed edges are twice as many as have to go, since not all of them can. */
static uint32_t find_limit(const struct part *part)
{
    uint32_t wanted = part->live - part->target, most = (uint32_t)(pass_part * part->list_count) + 1, sum = 0;
    for (uint32_t bucket = 0; bucket < part->dearest; bucket++) {
        sum += part->queue.counts[bucket];
        if (sum >= wanted || sum >= most)
            return bucket;
    }
    return part->dearest;
}

static void collapse_listed(struct part *part, const struct listed_edge *listed, uint32_t pass)
{
    struct workspace *work = part->work;
    const uint32_t *face = work->faces[listed->corner / 3].vertices;
    if (face[0] == CP_NONE)
        return;
    uint32_t one = face[listed->corner % 3], other = face[(listed->corner + 1) % 3];
    struct candidate edge;
    struct star stars[2];
    if (work->states[one].moved == pass || work->states[other].moved == pass)
        return;
    if (judge_edge(work, one, other, &edge) && collapse_edge(part, &edge, stars))
        work->states[one].moved = pass;
}

void passes_run(struct part *part)
{
    const double least = 0.01; /* of the triangles go in a pass, else the next round may do better */
    for (uint32_t pass = 1; part->live > part->target; pass++) {
        if (pass > 1)
            list_edges(part);
        uint32_t before = part->live, limit = find_limit(part);
        for (uint32_t i = 0; i < part->list_count && part->live > part->target; i++)
            if (part->list[i].bucket <= limit)
                collapse_listed(part, &part->list[i], pass);
        if (before - part->live <= least * before)
            return;
    }
}
