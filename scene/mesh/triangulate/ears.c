/* Ear clipping. A corner is an ear when it is convex and its triangle holds no reflex corner. Corners wait in a queue.
 * One that fails is tried again when a neighbour has been cut off, as nothing else can make it an ear. Neighbours of a
 * cut go to the end, which keeps triangles small and each search in the tree short: n log n for the outlines that parts
 * have. Polygons that take more work are cut along a sweep line: it has no bad shapes, but makes long triangles. If the
 * polygon crosses itself, the queue gets empty; then all corners wait again, at a level that allows more. */
#include "triangulate.h"

/* The corners that may be cut off. Each level is tried when the queue of the one before got empty. */
enum level {
    LEVEL_EAR,    /* proper ears, and corners that turn back on themselves */
    LEVEL_FLAT,   /* also corners on a straight line: exact, but a triangle without area */
    LEVEL_CONVEX, /* also convex corners whose triangle holds others: overlaps */
    LEVEL_ANY
};

/* Steps for each corner. Smooth and toothed outlines up to a million corners take 20 to 200. Spikes round a centre, of
 * random lengths, take 400 for 40,000 corners and more for more: for a million, a sweep line takes a quarter of the
 * time of 500 steps a corner. A polygon that the sweep line refuses, as it touches itself, may still have ears. */
enum { STEPS_TO_SWEEP = 200, STEPS_TO_GIVE_UP = 500 };

bool ears_reserve(struct ears *ears, cp_context *context, uint32_t room)
{
    *ears = (struct ears){.context = context, .room = room};
    ears->points = memory_allocate(context, room, sizeof *ears->points);
    ears->links = memory_allocate(context, room, sizeof *ears->links);
    return ears->points && ears->links && reflex_reserve(&ears->reflex, context, room);
}

void ears_free(struct ears *ears)
{
    memory_free(ears->context, ears->points, ears->room, sizeof *ears->points);
    memory_free(ears->context, ears->links, ears->room, sizeof *ears->links);
    reflex_free(&ears->reflex, ears->context);
}

struct triangle {
    uint32_t corners[3]; /* the middle one is the ear's tip */
    const float *a, *b, *c;
};

static struct triangle triangle_at(const struct ears *ears, uint32_t corner)
{
    uint32_t before = ears->links[corner].previous, after = ears->links[corner].next;
    const float(*points)[2] = (const float(*)[2])ears->points;
    return (struct triangle){{before, corner, after}, points[before], points[corner], points[after]};
}

static double area_at(const struct ears *ears, uint32_t corner)
{
    struct triangle triangle = triangle_at(ears, corner);
    return triangle_area(triangle.a, triangle.b, triangle.c);
}

static bool same_point(const float a[2], const float b[2])
{
    return a[0] == b[0] && a[1] == b[1];
}

/* Returns true if the whole box is right of the line from a to b. The corner farthest to the left decides; rounding is
 * monotonic, so no point of the box can be judged otherwise by triangle_area. */
static bool box_is_right(const struct box *box, const double a[3], const double b[3])
{
    double x = b[1] > a[1] ? box->low[0] : box->high[0], y = b[0] > a[0] ? box->high[1] : box->low[1];
    return (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]) < 0;
}

/* Tells whether a reflex corner lies in the triangle. Corners on the base's ends do not block: a boundary that starts
 * there and runs inside has a reflex corner inside. A corner on the tip blocks if the boundary runs from it into the
 * tip's angle. */
static bool corner_blocks(const struct ears *ears, const struct triangle *triangle, uint32_t corner)
{
    for (int i = 0; i < 3; i++)
        if (corner == triangle->corners[i])
            return false;
    const float *point = ears->points[corner];
    if (triangle_area(triangle->a, triangle->b, point) < 0 || triangle_area(triangle->b, triangle->c, point) < 0 ||
        triangle_area(triangle->c, triangle->a, point) < 0)
        return false;
    if (same_point(point, triangle->a) || same_point(point, triangle->c))
        return false;
    if (!same_point(point, triangle->b))
        return true;
    const uint32_t neighbours[2] = {ears->links[corner].previous, ears->links[corner].next};
    for (int side = 0; side < 2; side++) {
        point = ears->points[neighbours[side]];
        if (triangle_area(triangle->a, triangle->b, point) > 0 && triangle_area(triangle->b, triangle->c, point) > 0)
            return true;
    }
    return false;
}

/* Returns true if the triangle, itself not empty, holds a reflex corner. */
static bool is_blocked(struct ears *ears, const struct triangle *triangle)
{
    const struct reflex_tree *reflex = &ears->reflex;
    uint32_t stack[64] = {0}; /* one box a level of the tree, and its sibling */
    uint32_t depth = 1;
    const double a[] = {(double)triangle->a[0], (double)triangle->a[1], 0};
    const double b[] = {(double)triangle->b[0], (double)triangle->b[1], 0};
    const double c[] = {(double)triangle->c[0], (double)triangle->c[1], 0};
    struct box around = {{a[0], a[1], 0}, {a[0], a[1], 0}}; /* the triangle */
    box_add(&around, b, b);
    box_add(&around, c, c);
    while (depth > 0) {
        uint32_t at = stack[--depth];
        const struct box *box = &reflex->tree.boxes[at];
        ears->steps++;
        if (reflex->live[at] == 0 || !box_meets(box, &around) || box_is_right(box, a, b) || box_is_right(box, b, c) ||
            box_is_right(box, c, a))
            continue;
        if (at < reflex->tree.first_leaf) {
            stack[depth++] = 2 * at + 1;
            stack[depth++] = 2 * at + 2;
            continue;
        }
        uint32_t end;
        for (uint32_t i = box_tree_items(&reflex->tree, at, &end); i < end; i++) {
            uint32_t corner = reflex_at(reflex, i);
            ears->steps++;
            if (reflex->place[corner] != CP_NONE && corner_blocks(ears, triangle, corner))
                return true;
        }
    }
    return false;
}

/* Returns the lowest level at which the corner may be cut off. */
static enum level level_of(struct ears *ears, uint32_t corner, enum level allowed)
{
    struct triangle triangle = triangle_at(ears, corner);
    double area = triangle_area(triangle.a, triangle.b, triangle.c), dot = 0;
    if (area == 0) {
        for (int axis = 0; axis < 2; axis++)
            dot += ((double)triangle.a[axis] - (double)triangle.b[axis]) *
                   ((double)triangle.c[axis] - (double)triangle.b[axis]);
        return dot >= 0 ? LEVEL_EAR : LEVEL_FLAT; /* the tip of a spike or slit, or a repeated corner, is cut at once */
    }
    if (area < 0)
        return LEVEL_ANY;
    return allowed < LEVEL_ANY && !is_blocked(ears, &triangle) ? LEVEL_EAR : LEVEL_CONVEX;
}

static void stop_waiting(struct ears *ears, uint32_t corner)
{
    struct corner_link *link = &ears->links[corner];
    if (link->waiting_next == corner)
        return;
    if (link->waiting_previous == CP_NONE)
        ears->first_waiting = link->waiting_next;
    else
        ears->links[link->waiting_previous].waiting_next = link->waiting_next;
    if (link->waiting_next == CP_NONE)
        ears->last_waiting = link->waiting_previous;
    else
        ears->links[link->waiting_next].waiting_previous = link->waiting_previous;
    link->waiting_next = corner;
}

static void wait_last(struct ears *ears, uint32_t corner)
{
    stop_waiting(ears, corner);
    struct corner_link *link = &ears->links[corner];
    link->waiting_previous = ears->last_waiting;
    link->waiting_next = CP_NONE;
    if (ears->last_waiting == CP_NONE)
        ears->first_waiting = corner;
    else
        ears->links[ears->last_waiting].waiting_next = corner;
    ears->last_waiting = corner;
}

cp_status ears_clip(struct ears *ears, uint32_t count, uint32_t *triangles)
{
    const float(*points)[2] = (const float(*)[2])ears->points;
    struct corner_link *links = ears->links;
    struct reflex_tree *reflex = &ears->reflex;
    bool proper = true, swept = false;
    enum level allowed = LEVEL_EAR;
    uint32_t corner = 0;
    ears->steps = 0;
    /* Let all corners wait; those that are not convex go to the tree. */
    ears->first_waiting = ears->last_waiting = CP_NONE;
    for (uint32_t i = 0; i < count; i++)
        links[i] = (struct corner_link){i > 0 ? i - 1 : count - 1, i + 1 < count ? i + 1 : 0, CP_NONE, i};
    reflex_clear(reflex, points, count);
    for (uint32_t i = 0; i < count; i++) {
        wait_last(ears, i);
        if (!(area_at(ears, i) > 0))
            reflex_add(reflex, i);
    }
    reflex_build(reflex);
    for (uint32_t left = count; left > 3;) {
        if (ears->first_waiting == CP_NONE) {
            /* The queue is empty: let all that are left wait again, and allow more. */
            allowed++;
            for (uint32_t i = 0; i < left; i++, corner = links[corner].next)
                wait_last(ears, corner);
            ears->steps += left;
        }
        corner = ears->first_waiting;
        stop_waiting(ears, corner);
        if (++ears->steps > (uint64_t)STEPS_TO_SWEEP * count && proper && !swept) {
            /* Cut the rest by a sweep line, which may find crossings. */
            uint32_t *corners = memory_allocate(ears->context, left, sizeof *corners);
            if (!corners)
                return CP_LIMIT;
            for (uint32_t i = 0, at = corner; i < left; i++, at = links[at].next)
                corners[i] = at;
            cp_status status = sweep_line_cut(ears->context, points, corners, left, triangles);
            memory_free(ears->context, corners, left, sizeof *corners);
            if (status != CP_NO)
                return status;
            swept = true;
        }
        if (ears->steps > (uint64_t)STEPS_TO_GIVE_UP * count)
            allowed = LEVEL_ANY;
        enum level level = level_of(ears, corner, allowed);
        if (level > allowed)
            continue;
        const uint32_t neighbours[2] = {links[corner].previous, links[corner].next};
        *triangles++ = neighbours[0];
        *triangles++ = corner;
        *triangles++ = neighbours[1];
        links[neighbours[0]].next = neighbours[1];
        links[neighbours[1]].previous = neighbours[0];
        reflex_remove(reflex, corner);
        for (int side = 0; side < 2; side++) {
            if (area_at(ears, neighbours[side]) > 0)
                reflex_remove(reflex, neighbours[side]);
            wait_last(ears, neighbours[side]);
        }
        corner = neighbours[1];
        left--;
        proper = proper && level <= LEVEL_FLAT;
        allowed = level == LEVEL_FLAT ? allowed : LEVEL_EAR;
    }
    *triangles++ = links[corner].previous;
    *triangles++ = corner;
    *triangles++ = links[corner].next;
    return proper && area_at(ears, corner) >= 0 ? CP_OK : CP_NO;
}
