/* Do two bodies have a point in common? */
#include "mesh/box_tree.h"

#include <math.h>

#include "body.h"

/* ---- inside ---- */

static const int ground[2] = {0, 1};

/* Returns true if a side of the triangle, seen from above, passes the point on its right (towards larger x) at its y.
 * If the side goes through the point, the point counts as a little to the left of it and, by less, above it. This is
 * always so; thus triangles with a common side have neither a gap nor an overlap between them. */
static bool passes_right(const double a[3], const double b[3], const double point[3])
{
    if ((a[1] > point[1]) == (b[1] > point[1]))
        return false;
    const double *low = a[1] < b[1] ? a : b, *high = a[1] < b[1] ? b : a;
    return side_of_line(low, high, point, ground) >= 0;
}

/* Returns 1 or -1 when the triangle is straight above the point, as it turns left or right seen from there; else 0. */
static int roof(const double a[3], const double b[3], const double c[3], const double point[3])
{
    if (passes_right(a, b, point) == (passes_right(b, c, point) != passes_right(c, a, point)))
        return 0;
    int turn = side_of_line(a, b, c, ground);
    return side_of_plane(a, b, c, point) * turn < 0 ? turn : 0;
}

static bool is_below(const struct bvh_box *box, const double point[3])
{
    for (int axis = 0; axis < 3; axis++) {
        double away = point[axis] - (double)box->centre[axis];
        if (away > (double)box->half[axis] || (axis < 2 && -away > (double)box->half[axis]))
            return false;
    }
    return true;
}

/* The number of the solid mesh with this vertex. */
static uint32_t mesh_of(const struct body *body, uint32_t vertex)
{
    uint32_t low = 0, high = body->solid_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (body->solid_ends[middle] <= vertex)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool holds_point(const struct body *body, const double point[3], bool certain, uint64_t *tests)
{
    enum { MOST_MESHES = 32 }; /* consecutive meshes that are tested at a time */
    const struct bvh *bvh = &body->bvh;
    for (uint32_t first = 0, next = CP_NONE; first != CP_NONE; first = next, next = CP_NONE) {
        int rounds[MOST_MESHES] = {0}; /* how often each of them goes round the point */
        uint32_t waiting[BVH_LEVELS + 2] = {0}, count = bvh->box_count > 0;
        while (count > 0) {
            const struct bvh_box *box = &bvh->boxes[waiting[--count]];
            (*tests)++;
            if (!is_below(box, point))
                continue;
            if (box->count == 0) {
                waiting[count++] = box->first + 1;
                waiting[count++] = box->first;
            }
            for (uint32_t i = box->first; i < box->first + box->count; i++) {
                const uint32_t *corners = bvh->triangles[i];
                int turn =
                    corners[0] < body->solid_vertices
                        ? roof(bvh->vertices[corners[0]], bvh->vertices[corners[1]], bvh->vertices[corners[2]], point)
                        : 0;
                uint32_t mesh = turn != 0 ? mesh_of(body, corners[0]) : 0;
                if (turn == 0 || mesh < first)
                    continue;
                if (mesh - first < MOST_MESHES)
                    rounds[mesh - first] += turn;
                else if (mesh < next)
                    next = mesh; /* the first of the further ones that have anything straight above the point */
            }
        }
        for (int i = 0; i < MOST_MESHES; i++)
            if (certain ? rounds[i] > 0 : rounds[i] != 0)
                return true;
    }
    return false;
}

bool body_holds(const struct body *body, const double point[3], bool certain)
{
    uint64_t tests = 0;
    return holds_point(body, point, certain, &tests);
}

/* Tells whether a piece of the other is inside a solid of this body. Their surfaces do not meet, so each piece is
 * inside as a whole or not at all, and one sample of it is enough. */
static bool holds_piece(const struct body *one, const struct body *other, const cp_pose *placed, uint64_t *tests)
{
    for (uint32_t i = 0; one->solid_vertices > 0 && i < other->sample_count; i++) {
        double point[3];
        pose_point(placed, other->bvh.vertices[other->samples[i]], point);
        if (holds_point(one, point, false, tests))
            return true;
    }
    return false;
}

/* ---- planes ---- */

static bool planes_meet(const struct body *one, const struct body *other, const cp_pose *placed)
{
    for (uint32_t i = 0; i < one->plane_count; i++) {
        double seen[4];
        plane_seen_from(one->planes[i], placed, seen);
        if (plane_distance(seen, &other->bvh, INFINITY) <= 0)
            return true;
    }
    return false;
}

bool bodies_contain(const struct body *one, const struct body *other, const cp_pose *placed, uint64_t *tests)
{
    cp_pose back;
    return holds_piece(one, other, placed, tests) ||
           (pose_inverse(placed, &back) && holds_piece(other, one, &back, tests));
}

bool bodies_meet(const struct body *one, const struct body *other, const cp_pose *placed, uint64_t *tests)
{
    cp_pose back;
    if (bvh_meet(&one->bvh, &other->bvh, placed, tests) || planes_meet(one, other, placed))
        return true;
    return (pose_inverse(placed, &back) && planes_meet(other, one, &back)) || bodies_contain(one, other, placed, tests);
}
