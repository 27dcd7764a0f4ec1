/* A vertical line moves from left to right over the polygon's corners (Hertel and Mehlhorn, "Fast triangulation of
 * simple polygons", 1983). Where it is inside of the polygon it lies between a lower and an upper edge. To the left of
 * it, between the two, what has not been cut into triangles yet is bounded by a chain of corners, from the left end of
 * the lower edge to that of the upper. Each new corner goes to an end of a chain, and cuts off what it sees of it. Of
 * corners above each other the lower comes first, as if the line leaned a little. What does not fit tells that the
 * polygon crosses or touches itself.
 *
 * It is here for outlines that nobody draws: 265 concave faces of samples and real parts take ears.c at most 19 steps a
 * corner, and the line comes at 200. Spikes of random lengths round a centre take ears alone a time that grows with the
 * power 1.5 of their number: 640,000 corners take 7.3 s, and 1.5 s with the line. */
#include "triangulate.h"

#include <string.h>

enum end { LOW, HIGH };

struct link {
    uint32_t corner;  /* of the ring */
    uint32_t next[2]; /* towards each end of the chain */
};

/* The part between a lower edge and the one above it. */
struct gap {
    uint32_t ends[2]; /* of its chain */
    uint32_t last;    /* the link that came last: the rightmost */
};

struct sweep_line {
    const float (*points)[2]; /* of the ring */
    const uint32_t *corners;
    uint32_t count;
    uint32_t *rank;  /* the place of a corner in the order of the sweep */
    uint32_t *place; /* the place of the edge that begins at a corner, in the order of edges */
    struct edge_order order;
    struct gap *gaps; /* indexed by the place of the lower edge */
    struct link *links;
    uint32_t edge_count, link_count;
    uint32_t *triangles;
    uint32_t triangle_count;
};

/* ---- chains ---- */

static uint32_t new_link(struct sweep_line *sweep, uint32_t corner)
{
    sweep->links[sweep->link_count] = (struct link){corner, {CP_NONE, CP_NONE}};
    return sweep->link_count++;
}

/* Writes a triangle of corners of the ring, counter-clockwise; false when there are too many triangles. */
static bool emit(struct sweep_line *sweep, uint32_t a, uint32_t b, uint32_t c)
{
    if (sweep->triangle_count == sweep->count - 2)
        return false;
    uint32_t *triangle = sweep->triangles + 3 * (size_t)sweep->triangle_count++;
    triangle[0] = sweep->corners[a];
    triangle[1] = sweep->corners[b];
    triangle[2] = sweep->corners[c];
    return true;
}

/* Adds a corner to an end of a gap's chain, and cuts off the triangles that it sees of it. */
static bool extend(struct sweep_line *sweep, struct gap *gap, uint32_t corner, enum end end)
{
    enum end inward = end == LOW ? HIGH : LOW;
    struct link *links = sweep->links;
    uint32_t link = new_link(sweep, corner), middle = gap->ends[end], far;
    gap->ends[end] = gap->last = link;
    for (;; middle = far) {
        links[link].next[inward] = middle;
        links[middle].next[end] = link;
        far = links[middle].next[inward];
        if (far == CP_NONE)
            return true;
        uint32_t a = links[end == LOW ? far : link].corner, c = links[end == LOW ? link : far].corner;
        uint32_t b = links[middle].corner;
        if (side_of_points(sweep->points[a], sweep->points[b], sweep->points[c]) <= 0)
            return true;
        if (!emit(sweep, a, b, c))
            return false;
    }
}

/* ---- edges ---- */

static uint32_t corner_after(const struct sweep_line *sweep, uint32_t corner)
{
    return corner + 1 < sweep->count ? corner + 1 : 0;
}

static uint32_t corner_before(const struct sweep_line *sweep, uint32_t corner)
{
    return corner > 0 ? corner - 1 : sweep->count - 1;
}

/* Sets the edge at a place: the one that begins at a corner of the ring. Lower edges run from left to right. */
static void set_edge(struct sweep_line *sweep, uint32_t place, uint32_t corner)
{
    uint32_t next = corner_after(sweep, corner);
    bool lower = sweep->rank[corner] < sweep->rank[next];
    struct ordered_edge *edge = &sweep->order.edges[place];
    edge->from = lower ? corner : next;
    edge->to = lower ? next : corner;
    sweep->place[corner] = place;
}

static bool is_lower(const struct sweep_line *sweep, uint32_t place)
{
    const struct ordered_edge *edge = &sweep->order.edges[place];
    return corner_after(sweep, edge->from) == edge->to;
}

/* Adds the edge that begins at a corner to the order, above another. Returns its place. */
static uint32_t add_edge(struct sweep_line *sweep, uint32_t corner, uint32_t below)
{
    uint32_t place = sweep->edge_count++;
    set_edge(sweep, place, corner);
    edge_order_insert(&sweep->order, place, below);
    return place;
}

/* ---- corners ---- */

/* Handles a corner where the boundary comes from the right and turns back. */
static bool start_at(struct sweep_line *sweep, uint32_t corner)
{
    uint32_t below = edge_order_find(&sweep->order, corner), before = corner_before(sweep, corner);
    if (below == CP_NONE || !is_lower(sweep, below)) {
        /* Outside all gaps a new piece begins. */
        uint32_t lower = add_edge(sweep, corner, below), link = new_link(sweep, corner);
        add_edge(sweep, before, lower);
        sweep->gaps[lower] = (struct gap){{link, link}, link};
        return true;
    }
    /* A gap around it becomes two, parted at its rightmost link. */
    uint32_t upper = add_edge(sweep, before, below), lower = add_edge(sweep, corner, upper);
    struct gap *first = &sweep->gaps[below], *second = &sweep->gaps[lower];
    uint32_t last = first->last, copy = new_link(sweep, sweep->links[last].corner);
    uint32_t higher = sweep->links[last].next[HIGH];
    *second = (struct gap){{copy, higher == CP_NONE ? copy : first->ends[HIGH]}, copy};
    sweep->links[copy].next[HIGH] = higher;
    if (higher != CP_NONE)
        sweep->links[higher].next[LOW] = copy;
    sweep->links[last].next[HIGH] = CP_NONE;
    first->ends[HIGH] = last;
    return extend(sweep, first, corner, HIGH) && extend(sweep, second, corner, LOW);
}

/* Handles a corner where the boundary comes from the left and turns back. */
static bool end_at(struct sweep_line *sweep, uint32_t corner)
{
    const struct ordered_edge *edges = sweep->order.edges;
    struct link *links = sweep->links;
    uint32_t lower = sweep->place[corner_before(sweep, corner)], upper = sweep->place[corner];
    bool fits = false;
    if (edges[lower].above == upper) {
        /* A piece ends: the corner sees its whole chain. */
        uint32_t link = sweep->gaps[lower].ends[LOW];
        for (fits = true; fits && links[link].next[HIGH] != CP_NONE;) {
            uint32_t low = links[link].corner;
            link = links[link].next[HIGH];
            uint32_t high = links[link].corner;
            fits = side_of_points(sweep->points[corner], sweep->points[high], sweep->points[low]) >= 0 &&
                   emit(sweep, corner, high, low);
        }
    } else if (edges[upper].above == lower && edges[upper].below != CP_NONE && is_lower(sweep, edges[upper].below)) {
        /* The part between two gaps ends, so they become one. */
        struct gap *first = &sweep->gaps[edges[upper].below], *second = &sweep->gaps[lower];
        fits = extend(sweep, first, corner, HIGH) && extend(sweep, second, corner, LOW);
        if (fits) {
            uint32_t link = first->ends[HIGH], higher = links[second->ends[LOW]].next[HIGH];
            links[link].next[HIGH] = higher;
            links[higher].next[LOW] = link;
            first->ends[HIGH] = second->ends[HIGH];
        }
    }
    edge_order_remove(&sweep->order, lower);
    edge_order_remove(&sweep->order, upper);
    return fits;
}

static bool take_corner(struct sweep_line *sweep, uint32_t corner)
{
    const uint32_t *rank = sweep->rank;
    uint32_t before = corner_before(sweep, corner);
    bool from_left = rank[before] < rank[corner], to_left = rank[corner_after(sweep, corner)] < rank[corner];
    if (from_left == to_left)
        return from_left ? end_at(sweep, corner) : start_at(sweep, corner);
    /* The edge on the right takes the place of the one on the left, a lower one if the boundary comes from there. */
    uint32_t place = sweep->place[from_left ? before : corner];
    uint32_t gap = from_left ? place : sweep->order.edges[place].below;
    set_edge(sweep, place, from_left ? corner : before);
    return gap != CP_NONE && is_lower(sweep, gap) && extend(sweep, &sweep->gaps[gap], corner, from_left ? LOW : HIGH);
}

/* ---- the sweep ---- */

/* Returns bits whose order is that of the numbers. */
static uint64_t ordered_bits(float value)
{
    uint32_t bits;
    value += 0.0f; /* no -0 */
    memcpy(&bits, &value, sizeof bits);
    return bits ^ (bits >> 31 ? UINT32_MAX : UINT32_C(1) << 31);
}

cp_status sweep_line_cut(cp_context *context, const float (*points)[2], const uint32_t *corners, uint32_t count,
                         uint32_t *triangles)
{
    struct arena *scratch = arena_new(context);
    float(*ring)[2] = arena_allocate(scratch, count, sizeof *ring);
    uint64_t *sorted = arena_allocate(scratch, count, sizeof *sorted);
    uint64_t *spare = arena_allocate(scratch, count, sizeof *spare);
    struct sweep_line sweep = {.points = (const float(*)[2])ring,
                               .corners = corners,
                               .count = count,
                               .triangles = triangles,
                               .rank = arena_allocate(scratch, count, sizeof *sweep.rank),
                               .place = arena_allocate(scratch, count, sizeof *sweep.place),
                               .gaps = arena_allocate(scratch, count, sizeof *sweep.gaps),
                               .links = arena_allocate(scratch, 3 * (size_t)count, sizeof *sweep.links),
                               .order = {(const float(*)[2])ring,
                                         arena_allocate(scratch, count, sizeof *sweep.order.edges), CP_NONE, CP_NONE}};
    bool room = !arena_failed(scratch), fits = room;
    if (room) {
        /* Sort from left to right, then from below, then by number. */
        for (uint32_t i = 0; i < count; i++) {
            memcpy(ring[i], points[corners[i]], sizeof *ring);
            sorted[i] = ordered_bits(ring[i][1]) << 32 | i;
        }
        radix_sort(sorted, spare, count);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t corner = (uint32_t)sorted[i];
            sorted[i] = ordered_bits(ring[corner][0]) << 32 | corner;
        }
        radix_sort(sorted, spare, count);
        for (uint32_t i = 0; i < count; i++)
            sweep.rank[(uint32_t)sorted[i]] = i;
        for (uint32_t i = 0; fits && i < count; i++)
            fits = take_corner(&sweep, (uint32_t)sorted[i]);
        fits = fits && sweep.triangle_count == count - 2;
    }
    arena_free(scratch);
    return room ? fits ? CP_OK : CP_NO : CP_LIMIT;
}
