/* Triangles ring by ring around a first vertex. A triangle then nearly always shares an edge with one just before it, and its third
 * vertex is new or the next one of the ring before: the codec takes a byte for it. */
#include "order.h"

#include <string.h>

struct rings {
    struct order_group *group;
    uint32_t *queue; /* numbers whose fans come next */
    uint32_t queued;
    unsigned char *seen;
};

static void see(struct rings *rings, uint32_t number)
{
    if (rings->seen[number])
        return;
    rings->seen[number] = 1;
    rings->queue[rings->queued++] = number;
}

/* The corner at the vertex whose triangle ends with the edge from `edge`, or CP_NONE. */
static uint32_t find_following(const struct rings *rings, uint32_t number, uint32_t count, uint32_t edge)
{
    const uint32_t *list = rings->group->lists + rings->group->first[number];
    for (uint32_t i = 0; i < count; i++)
        if (order_number(rings->group, previous_corner(list[i])) == edge)
            return list[i];
    return CP_NONE;
}

static bool has_preceding(const struct rings *rings, uint32_t number, uint32_t count, uint32_t edge)
{
    const uint32_t *list = rings->group->lists + rings->group->first[number];
    for (uint32_t i = 0; i < count; i++)
        if (order_number(rings->group, next_corner(list[i])) == edge)
            return true;
    return false;
}

/* Where a fan begins: with no triangle before it if there is such a place, else at an edge to a vertex seen before. */
static uint32_t find_start(const struct rings *rings, uint32_t number, uint32_t count)
{
    const uint32_t *list = rings->group->lists + rings->group->first[number];
    uint32_t best = list[0];
    int most = -1;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t edge = order_number(rings->group, previous_corner(list[i]));
        int worth = (has_preceding(rings, number, count, edge) ? 0 : 2) + rings->seen[edge];
        if (worth > most) {
            most = worth;
            best = list[i];
        }
    }
    return best;
}

static void take_fans(struct rings *rings, uint32_t number)
{
    struct order_group *group = rings->group;
    uint32_t corner = CP_NONE, count;
    while ((count = order_look_at(group, number)) > 0) {
        if (corner != CP_NONE)
            corner = find_following(rings, number, count, order_number(group, next_corner(corner)));
        if (corner == CP_NONE)
            corner = find_start(rings, number, count);
        order_take(group, corner);
        see(rings, order_number(group, previous_corner(corner)));
        see(rings, order_number(group, next_corner(corner)));
    }
}

void order_rings(struct order_group *group)
{
    struct rings rings = {.group = group, .queue = group->words, .seen = group->bytes};
    uint32_t done = 0;
    for (uint32_t corner = 0; corner < group->count; corner++) {
        if (group->taken[corner / 3])
            continue;
        see(&rings, order_number(group, corner));
        while (done < rings.queued)
            take_fans(&rings, rings.queue[done++]);
    }
}
