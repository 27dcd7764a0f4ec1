/* Points are added one after the other, in a random order (Clarkson and Shor, 1989). Each facet has a list of the
 * points that see it and are still to come. A new point removes all facets that it sees; from their rim new facets are
 * raised up to the point. The plane of a new facet lies between those of the two facets at its side of the rim, so a
 * point that sees the new one saw one of these two: only their lists need a search. */
#include "hull.h"

#include "base/base.h"
#include "mesh/box_tree.h"
#include "model/model.h"

enum { SIMPLEX = 4 }; /* the first points, which the hull begins with; some are copies or stand-ins */
static const uint32_t none = UINT32_MAX;

struct facet {
    uint32_t corners[3];    /* they turn left seen from outside; none: the facet is free */
    uint32_t neighbours[3]; /* across the sides from each corner to the next; of a free one the next free one */
    uint32_t *waiting;      /* the points that see it, in their order */
    uint32_t waiting_count;
    bool seen; /* seen by the point that is added */
};

struct facets {
    uint32_t *items, count, room;
};

struct growth {
    cp_context *context;
    double (*points)[3]; /* ordered as they are added */
    uint32_t count;
    uint32_t stand_ins; /* how many of the simplex' last points are not among those given */
    struct facet *facets;
    uint32_t facet_count, facet_room, first_free;
    uint32_t *sees;       /* one for each point a facet that it sees, or none */
    uint32_t *rim;        /* one for each point the new facet at the side of the rim that begins there */
    uint32_t *candidates; /* room for all points */
    struct facets seen, fresh;
};

static bool push(struct growth *growth, struct facets *list, uint32_t item)
{
    if (!array_reserve(growth->context, &list->items, &list->room, list->count + UINT64_C(1), sizeof *list->items))
        return false;
    list->items[list->count++] = item;
    return true;
}

/* ---- facets ---- */

static bool sees(const struct growth *growth, uint32_t point, const struct facet *facet)
{
    const double(*points)[3] = (const double(*)[3])growth->points;
    const uint32_t *corners = facet->corners;
    return side_of_plane(points[corners[0]], points[corners[1]], points[corners[2]], points[point]) > 0;
}

static bool take_facet(struct growth *growth, uint32_t *taken)
{
    *taken = growth->first_free;
    if (*taken != none) {
        growth->first_free = growth->facets[*taken].neighbours[0];
    } else {
        if (!array_reserve(growth->context, &growth->facets, &growth->facet_room, growth->facet_count + UINT64_C(1),
                           sizeof *growth->facets))
            return false;
        *taken = growth->facet_count++;
    }
    growth->facets[*taken] = (struct facet){0};
    return true;
}

/* Puts the candidates that see the facet onto its list. */
static bool let_wait(struct growth *growth, uint32_t index, uint32_t candidate_count)
{
    struct facet *facet = &growth->facets[index];
    uint32_t *candidates = growth->candidates, count = 0;
    for (uint32_t i = 0; i < candidate_count; i++)
        if (sees(growth, candidates[i], facet)) {
            growth->sees[candidates[i]] = index;
            candidates[count++] = candidates[i];
        }
    if (count == 0)
        return true;
    facet->waiting = memory_allocate(growth->context, count, sizeof *facet->waiting);
    if (!facet->waiting)
        return false;
    memcpy(facet->waiting, candidates, count * sizeof *candidates);
    facet->waiting_count = count;
    return true;
}

/* ---- the simplex ---- */

/* Returns true if the points are independent: no two are equal, no three on a line, no four in a plane. */
static bool independent(const double (*points)[3], int count)
{
    if (count == 2)
        return points[0][0] != points[1][0] || points[0][1] != points[1][1] || points[0][2] != points[1][2];
    if (count == SIMPLEX)
        return side_of_plane(points[0], points[1], points[2], points[3]) != 0;
    for (int axis = 0; axis < 3; axis++)
        if (side_of_line(points[0], points[1], points[2], (const int[]){axis, (axis + 1) % 3}) != 0)
            return true;
    return false;
}

/* Chooses the first points that are independent of those before them. A point on the line of two points adds no plane,
 * nor do later points on it. If all points lie in a plane, a stand-in above it makes a pyramid of them; the corners of
 * the pyramid's base are those of the points' own hull. */
static void choose_simplex(struct growth *growth, double size)
{
    double(*points)[3] = growth->points;
    const double(*chosen)[3] = (const double(*)[3])points;
    uint32_t next = SIMPLEX;
    memcpy(points[0], points[SIMPLEX], sizeof points[0]);
    for (int count = 2; count <= SIMPLEX; count++) {
        double *point = points[count - 1];
        for (; next < growth->count; next++) {
            memcpy(point, points[next], sizeof points[0]);
            if (independent(chosen, count))
                break;
        }
        if (next < growth->count)
            continue;
        growth->stand_ins++; /* off the first point, along an axis */
        for (int axis = 0; axis < 3; axis++) {
            memcpy(point, points[0], sizeof points[0]);
            point[axis] += size;
            if (independent(chosen, count))
                break;
        }
    }
}

static bool begin(struct growth *growth)
{
    static const uint32_t corners[4][3] = {{0, 1, 2}, {1, 0, 3}, {2, 1, 3}, {0, 2, 3}},
                          neighbours[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    double(*points)[3] = growth->points;
    /* they turn left seen from outside, or the first two change places */
    uint32_t turn = side_of_plane(points[0], points[1], points[2], points[3]) > 0;
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t index;
        if (!take_facet(growth, &index))
            return false;
        for (int k = 0; k < 3; k++) {
            uint32_t corner = corners[i][k];
            growth->facets[index].corners[k] = corner < 2 ? corner ^ turn : corner;
            growth->facets[index].neighbours[k] = neighbours[i][k];
        }
    }
    for (uint32_t i = SIMPLEX; i < growth->count; i++)
        growth->sees[i] = none;
    for (uint32_t i = 0; i < 4; i++) {
        for (uint32_t k = SIMPLEX; k < growth->count; k++)
            growth->candidates[k - SIMPLEX] = k;
        if (!let_wait(growth, i, growth->count - SIMPLEX))
            return false;
    }
    return true;
}

/* ---- one more point ---- */

/* Raises a facet from a side of the rim up to the point. */
static bool raise_facet(struct growth *growth, uint32_t inner, int side, uint32_t point)
{
    uint32_t raised;
    if (!take_facet(growth, &raised) || !push(growth, &growth->fresh, raised))
        return false;
    const struct facet *gone = &growth->facets[inner];
    uint32_t outer = gone->neighbours[side], from = gone->corners[side], to = gone->corners[(side + 1) % 3];
    struct facet *facet = &growth->facets[raised], *stays = &growth->facets[outer];
    const uint32_t corners[] = {from, to, point};
    memcpy(facet->corners, corners, sizeof corners);
    facet->neighbours[0] = outer;
    for (int i = 0; i < 3; i++)
        if (stays->corners[i] == to)
            stays->neighbours[i] = raised;
    growth->rim[from] = raised;
    /* Candidates for it are the points still to come that are on the list of one facet or the other, each once. */
    uint32_t i = 0, k = 0, count = 0;
    while (i < gone->waiting_count || k < stays->waiting_count) {
        uint32_t left = i < gone->waiting_count ? gone->waiting[i] : none,
                 right = k < stays->waiting_count ? stays->waiting[k] : none, next = left < right ? left : right;
        i += left == next;
        k += right == next;
        if (next > point)
            growth->candidates[count++] = next;
    }
    return let_wait(growth, raised, count);
}

static bool add_point(struct growth *growth, uint32_t point)
{
    struct facets *seen = &growth->seen, *fresh = &growth->fresh;
    if (growth->sees[point] == none)
        return true; /* inside */
    /* Find all facets that the point sees, which are connected. The points on their lists see nothing until they see a
     * new facet. */
    seen->count = fresh->count = 0;
    growth->facets[growth->sees[point]].seen = true;
    if (!push(growth, seen, growth->sees[point]))
        return false;
    for (uint32_t i = 0; i < seen->count; i++) {
        for (int side = 0; side < 3; side++) {
            uint32_t next = growth->facets[seen->items[i]].neighbours[side];
            if (growth->facets[next].seen || !sees(growth, point, &growth->facets[next]))
                continue;
            growth->facets[next].seen = true;
            if (!push(growth, seen, next))
                return false;
        }
        const struct facet *facet = &growth->facets[seen->items[i]];
        for (uint32_t k = 0; k < facet->waiting_count; k++)
            growth->sees[facet->waiting[k]] = none;
    }
    /* Raise facets from their rim, and join each with the next. */
    for (uint32_t i = 0; i < seen->count; i++)
        for (int side = 0; side < 3; side++) {
            uint32_t inner = seen->items[i];
            if (!growth->facets[growth->facets[inner].neighbours[side]].seen &&
                !raise_facet(growth, inner, side, point))
                return false;
        }
    for (uint32_t i = 0; i < fresh->count; i++) {
        uint32_t index = fresh->items[i], next = growth->rim[growth->facets[index].corners[1]];
        growth->facets[index].neighbours[1] = next;
        growth->facets[next].neighbours[2] = index;
    }
    for (uint32_t i = 0; i < seen->count; i++) {
        struct facet *facet = &growth->facets[seen->items[i]];
        memory_free(growth->context, facet->waiting, facet->waiting_count, sizeof *facet->waiting);
        *facet = (struct facet){.corners = {none, none, none}, .neighbours = {growth->first_free}};
        growth->first_free = seen->items[i];
    }
    return true;
}

/* ---- what is left ---- */

static cp_status keep_corners(const struct growth *growth, struct hull *hull)
{
    const double(*points)[3] = (const double(*)[3])growth->points;
    /* Count the edges with an angle at each point: three or more end at a corner, two within an edge, none within a
     * face. */
    uint32_t *edges = growth->rim, count = 0;
    double volume = 0;
    memset(edges, 0, growth->count * sizeof *edges);
    for (uint32_t i = 0; i < growth->facet_count; i++) {
        const uint32_t *corners = growth->facets[i].corners;
        if (corners[0] == none)
            continue;
        double from_origin[3], normal[3];
        subtract(points[corners[0]], points[0], from_origin);
        triangle_normal(points[corners[0]], points[corners[1]], points[corners[2]], normal);
        volume += dot_product(from_origin, normal) / 6;
        for (int side = 0; side < 3; side++) {
            uint32_t from = corners[side], to = corners[(side + 1) % 3];
            const uint32_t *others = growth->facets[growth->facets[i].neighbours[side]].corners;
            int behind = others[0] == to ? 2 : others[1] == to ? 0 : 1;
            if (from < to && side_of_plane(points[corners[0]], points[corners[1]], points[corners[2]],
                                           points[others[behind]]) != 0) {
                edges[from]++;
                edges[to]++;
            }
        }
    }
    for (uint32_t i = SIMPLEX - growth->stand_ins; i < SIMPLEX; i++)
        edges[i] = 0;
    for (uint32_t i = 0; i < growth->count; i++)
        count += edges[i] >= 3;
    hull->points = memory_allocate(growth->context, count, sizeof *hull->points);
    if (!hull->points)
        return CP_LIMIT;
    for (uint32_t i = 0; i < growth->count; i++)
        if (edges[i] >= 3)
            memcpy(hull->points[hull->count++], points[i], sizeof *hull->points);
    hull->volume = growth->stand_ins > 0 ? 0 : volume;
    return CP_OK;
}

/* ---- all ---- */

cp_status find_corners(cp_context *context, const double (*points)[3], uint32_t count, double size, struct hull *hull)
{
    uint32_t all = count + SIMPLEX;
    struct arena *scratch = arena_new(context);
    struct growth growth = {.context = context,
                            .count = all,
                            .first_free = none,
                            .points = arena_allocate(scratch, all, sizeof *growth.points),
                            .sees = arena_allocate(scratch, all, sizeof *growth.sees),
                            .rim = arena_allocate(scratch, all, sizeof *growth.rim),
                            .candidates = arena_allocate(scratch, all, sizeof *growth.candidates)};
    bool good = !arena_failed(scratch);
    /* Shuffle the points behind the simplex', so that their order does not matter (Fisher and Yates; Knuth's
     * generator). */
    uint64_t state = 1;
    for (uint32_t i = SIMPLEX; i < all && good; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint32_t other = SIMPLEX + (uint32_t)((state >> 32) * (i - SIMPLEX + UINT64_C(1)) >> 32);
        if (other != i)
            memcpy(growth.points[i], growth.points[other], sizeof *points);
        memcpy(growth.points[other], points[i - SIMPLEX], sizeof *points);
    }
    if (good) {
        choose_simplex(&growth, size);
        good = begin(&growth);
    }
    for (uint32_t i = SIMPLEX; i < all && good; i++)
        good = add_point(&growth, i);
    cp_status status = good ? keep_corners(&growth, hull) : CP_LIMIT;
    for (uint32_t i = 0; i < growth.facet_count; i++)
        memory_free(context, growth.facets[i].waiting, growth.facets[i].waiting_count, sizeof *growth.facets->waiting);
    memory_free(context, growth.facets, growth.facet_room, sizeof *growth.facets);
    memory_free(context, growth.seen.items, growth.seen.room, sizeof *growth.seen.items);
    memory_free(context, growth.fresh.items, growth.fresh.room, sizeof *growth.fresh.items);
    arena_free(scratch);
    return status;
}
