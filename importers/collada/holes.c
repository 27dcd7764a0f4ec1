/* Polygons with holes: each hole is joined to the outline by a bridge, two edges that run to it and back, so that one
 * ring goes round all (after D. Eberly, "Triangulation by Ear Clipping", section 3). The polygon is seen along the
 * largest component of its normal. */
#include <stdlib.h>

#include "collada.h"

enum { MOST_HOLES = 500 }; /* the work is that of holes times corners */

struct ring {
    const struct collada_texts *texts;
    int u, v; /* the axes that are left; the outline runs counter-clockwise */
    uint32_t *corners;
    uint32_t count;
};

struct hole {
    const uint32_t *corners;
    uint32_t count, rightmost;
    double right; /* its u */
    bool turned;  /* it runs counter-clockwise, too */
};

static const double *place_of(const struct collada_texts *texts, uint32_t corner, double place[3])
{
    const struct collada_view *view = &texts->positions;
    uint32_t index = texts->primitive->indices.items[(size_t)corner * texts->stride + texts->vertex];
    for (int axis = 0; axis < 3; axis++)
        place[axis] = view->numbers[(size_t)index * view->stride + view->columns[axis]];
    return place;
}

static void point_of(const struct ring *ring, uint32_t corner, double point[2])
{
    double place[3];
    (void)place_of(ring->texts, corner, place);
    point[0] = place[ring->u];
    point[1] = place[ring->v];
}

/* Returns twice the area of the triangle a, b, c; above 0 if it runs counter-clockwise. */
static double area_of(const double a[2], const double b[2], const double c[2])
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* Chooses the plane in which the outline is seen. */
static void find_plane(struct ring *ring)
{
    double normal[3] = {0}, a[3], b[3];
    for (uint32_t i = 0; i < ring->count; i++) {
        (void)place_of(ring->texts, ring->corners[i], a);
        (void)place_of(ring->texts, ring->corners[(i + 1) % ring->count], b);
        for (int axis = 0; axis < 3; axis++)
            normal[axis] += (a[(axis + 1) % 3] - b[(axis + 1) % 3]) * (a[(axis + 2) % 3] + b[(axis + 2) % 3]);
    }
    int largest = 0;
    for (int axis = 1; axis < 3; axis++)
        largest = fabs(normal[axis]) > fabs(normal[largest]) ? axis : largest;
    bool positive = normal[largest] > 0;
    ring->u = (largest + (positive ? 1 : 2)) % 3;
    ring->v = (largest + (positive ? 2 : 1)) % 3;
}

static struct hole look_at_hole(const struct ring *ring, const uint32_t *corners, uint32_t count)
{
    struct hole hole = {.corners = corners, .count = count, .right = -INFINITY};
    double first[2], a[2], b[2], area = 0;
    point_of(ring, corners[0], first);
    for (uint32_t i = 0; i < count; i++) {
        point_of(ring, corners[i], a);
        point_of(ring, corners[(i + 1) % count], b);
        area += area_of(first, a, b);
        if (a[0] > hole.right) {
            hole.right = a[0];
            hole.rightmost = i;
        }
    }
    hole.turned = area > 0;
    return hole;
}

static int compare_holes(const void *first, const void *second)
{
    const struct hole *a = first, *b = second;
    return a->right != b->right ? (a->right < b->right) - (a->right > b->right)
                                : (a->corners > b->corners) - (a->corners < b->corners);
}

/* Finds the edge of the ring that a ray from the point to the right meets first: *end is its right end, and hit is
 * where the ray meets it. False if it meets none. */
static bool find_edge(const struct ring *ring, const double point[2], uint32_t *end, double hit[2])
{
    double a[2], b[2];
    hit[0] = INFINITY;
    hit[1] = point[1];
    point_of(ring, ring->corners[ring->count - 1], a);
    for (uint32_t i = 0; i < ring->count; i++, memcpy(a, b, sizeof a)) {
        point_of(ring, ring->corners[i], b);
        if (!(a[1] <= point[1] && b[1] >= point[1]) || a[1] == b[1]) /* the inside is left of an edge that goes up */
            continue;
        double at = a[0] + (b[0] - a[0]) * ((point[1] - a[1]) / (b[1] - a[1]));
        if (at < point[0] || at >= hit[0])
            continue;
        hit[0] = at;
        *end = a[0] > b[0] ? (i + ring->count - 1) % ring->count : i;
    }
    return hit[0] < INFINITY;
}

/* Tells whether the ring turns right at a corner, or goes straight on. */
static bool is_reflex(const struct ring *ring, uint32_t at)
{
    double a[2], b[2], c[2];
    point_of(ring, ring->corners[(at + ring->count - 1) % ring->count], a);
    point_of(ring, ring->corners[at], b);
    point_of(ring, ring->corners[(at + 1) % ring->count], c);
    return area_of(a, b, c) <= 0;
}

/* Finds the corner of the ring that is seen from the point: the right end of the edge, or the reflex corner within the
 * triangle of point, hit and end whose direction is nearest to the ray. */
static uint32_t find_visible(const struct ring *ring, const double point[2], const double hit[2], uint32_t end)
{
    double corner[2], at[2], steepest;
    point_of(ring, ring->corners[end], corner);
    uint32_t best = end;
    steepest = corner[0] > point[0] ? fabs(corner[1] - point[1]) / (corner[0] - point[0]) : INFINITY;
    double turn = corner[1] > point[1] ? 1 : -1;
    for (uint32_t i = 0; i < ring->count; i++) {
        point_of(ring, ring->corners[i], at);
        bool inside = at[0] >= point[0] && turn * area_of(point, hit, at) >= 0 &&
                      turn * area_of(hit, corner, at) >= 0 && turn * area_of(corner, point, at) >= 0;
        if (!inside || (at[0] == point[0] && at[1] == point[1]) || !is_reflex(ring, i))
            continue;
        double slope = at[0] > point[0] ? fabs(at[1] - point[1]) / (at[0] - point[0]) : INFINITY;
        if (slope < steepest) {
            steepest = slope;
            best = i;
        }
    }
    return best;
}

/* Tells whether the point is seen from the inside of the ring at a corner. */
static bool is_in_corner(const struct ring *ring, uint32_t at, const double point[2])
{
    double a[2], b[2], c[2];
    point_of(ring, ring->corners[(at + ring->count - 1) % ring->count], a);
    point_of(ring, ring->corners[at], b);
    point_of(ring, ring->corners[(at + 1) % ring->count], c);
    bool left_of_first = area_of(a, b, point) > 0, left_of_second = area_of(b, c, point) > 0;
    return area_of(a, b, c) > 0 ? left_of_first && left_of_second : left_of_first || left_of_second;
}

/* A corner with bridges stands in the ring several times. Finds the place from whose side the point is seen. */
static uint32_t find_side(const struct ring *ring, uint32_t at, const double point[2])
{
    for (uint32_t i = 0; i < ring->count; i++)
        if (ring->corners[i] == ring->corners[at] && is_in_corner(ring, i, point))
            return i;
    return at;
}

/* Puts the hole into the ring behind the corner `at`: to the hole, round it clockwise, and back. */
static void insert_hole(struct ring *ring, const struct hole *hole, uint32_t at)
{
    uint32_t added = hole->count + 2, *to = ring->corners + at + 1;
    memmove(to + added, to, (ring->count - at - 1) * sizeof *to);
    for (uint32_t i = 0; i <= hole->count; i++) {
        uint32_t step = hole->turned ? hole->count - i % hole->count : i;
        to[i] = hole->corners[(hole->rightmost + step) % hole->count];
    }
    to[hole->count + 1] = ring->corners[at];
    ring->count += added;
}

static bool join(struct ring *ring, const struct hole *hole)
{
    double point[2], hit[2];
    uint32_t end = 0;
    point_of(ring, hole->corners[hole->rightmost], point);
    if (!find_edge(ring, point, &end, hit))
        return false;
    insert_hole(ring, hole, find_side(ring, find_visible(ring, point, hit, end), point));
    return true;
}

cp_status collada_join_holes(const struct collada_texts *texts, uint32_t *corners, const uint32_t *ends, uint32_t count,
                             uint32_t *corner_count)
{
    cp_context *context = texts->document->collada->context;
    uint32_t hole_count = count - 1, all = ends[count - 1], room = all + 2 * hole_count;
    *corner_count = ends[0];
    if (hole_count > MOST_HOLES)
        return CP_NO;
    struct hole *holes = memory_allocate(context, hole_count, sizeof *holes);
    struct ring ring = {.texts = texts, .corners = memory_allocate(context, room, sizeof *corners), .count = ends[0]};
    bool is_joined = holes && ring.corners;
    cp_status status = is_joined ? CP_OK : CP_LIMIT;
    if (is_joined) {
        memcpy(ring.corners, corners, ends[0] * sizeof *corners);
        find_plane(&ring);
        for (uint32_t i = 0; i < hole_count; i++)
            holes[i] = look_at_hole(&ring, corners + ends[i], ends[i + 1] - ends[i]);
        qsort(holes, hole_count, sizeof *holes, compare_holes);
    }
    for (uint32_t i = 0; is_joined && i < hole_count; i++)
        is_joined = join(&ring, &holes[i]);
    if (is_joined) {
        memcpy(corners, ring.corners, ring.count * sizeof *corners);
        *corner_count = ring.count;
    }
    memory_free(context, holes, hole_count, sizeof *holes);
    memory_free(context, ring.corners, room, sizeof *corners);
    return status == CP_OK && !is_joined ? CP_NO : status;
}
