/* Collapses in passes: each one lists all edges with an estimate of their costs, and collapses those below a bound in
 * the order in which they come, in which neighbours are near each other in memory. While most of a fine surface is to
 * go, this is as good as the order of the costs, and takes half of the time. If the first round used the queue, too,
 * one thread would take 8 % longer for a torus of 1,000,000 triangles to a tenth, 23 % to a hundredth, and 11 to 19 %
 * for a gear and a block of 200,000. */
#include <string.h>

#include "collapse.h"

/* A pass takes at most this part of the edges. About half of those are moved by another collapse before their turn. */
static const double pass_part = 1.0 / 3;

/* Lists the edges. An edge of two faces is listed by the one in which it leads to the higher vertex; bits in the tags
 * mark edges of one face. */
void passes_start(struct surface_part *part)
{
    const struct workspace *work = part->work;
    part->queue.lowest = 0;
    part->list_count = 0;
    memset(part->queue.counts, 0, sizeof part->queue.counts);
    for (uint32_t triangle = part->first_triangle; triangle < part->first_triangle + part->triangle_count; triangle++) {
        const uint32_t *face = work->faces[triangle].vertices;
        uint32_t tag = work->surface->tags[triangle];
        if (face[0] == CP_NONE)
            continue;
        for (uint32_t number = 0; number < 3; number++) {
            uint32_t a = face[number], b = face[number == 2 ? 0 : number + 1];
            double cost;
            if ((a >= b && !(tag >> number & 1)) || part->list_count == part->list_room ||
                !estimate_edge(part->work, a, b, &cost))
                continue;
            uint32_t bucket = cost_bucket(cost);
            if (edge_is_locked(work->surface, a, b)) {
                part->queue.locked[bucket]++;
                continue;
            }
            part->queue.counts[bucket]++;
            part->list[part->list_count++] = (struct listed_edge){3 * triangle + number, bucket};
        }
    }
}

void passes_run(struct surface_part *part)
{
    const double least = 0.01; /* a part of the triangles: a pass that removes fewer ends the round, as the next may do
                                * better */
    struct workspace *work = part->work;
    struct collapse_candidate edge;
    struct vertex_star stars[2];
    for (uint32_t pass = 1; part->live > part->target; pass++) {
        if (pass > 1)
            passes_start(part);
        /* Find the bound up to which the listed edges are as many as must go, or as a pass takes. */
        uint32_t before = part->live, wanted = before - part->target, sum = 0, limit = 0;
        uint32_t most = (uint32_t)(pass_part * part->list_count) + 1;
        for (; limit < part->dearest; limit++) {
            sum += part->queue.counts[limit];
            if (sum >= wanted || sum >= most)
                break;
        }
        for (uint32_t i = 0; i < part->list_count && part->live > part->target; i++) {
            uint32_t corner = part->list[i].corner;
            const uint32_t *face = work->faces[corner / 3].vertices;
            if (part->list[i].bucket > limit || face[0] == CP_NONE)
                continue;
            uint32_t one = face[corner % 3], other = face[(corner + 1) % 3];
            if (work->states[one].moved != pass && work->states[other].moved != pass &&
                judge_edge(work, one, other, &edge) &&
                (!work->surface->texture.coordinates ||
                 (judge_texture(work, &edge) && cost_bucket(edge.cost) <= limit)) &&
                collapse_edge(part, &edge, stars)) {
                work->states[one].moved = pass;
                part->spent = limit > part->spent ? limit : part->spent;
            }
        }
        if (before - part->live <= least * before)
            return;
    }
}
