/* What a simplified surface is fitted to and measured against: the original's vertices, and points on its faces where these
 * are large. */
#include <string.h>

#include "surface.h"

/* So many points on faces, evenly over the area; a surface whose faces are all smaller than such a point's share
 * is told well enough by its vertices, and gets hardly any. */
enum { MOST_POINTS = 32768, POINTS_A_FACE = 16 };

/* How many points the faces get in all, and the area of each. */
static uint32_t count_points(const struct surface *surface, double *share)
{
    double area = 0;
    for (uint32_t triangle = 0; triangle < surface->triangle_count; triangle++)
        area += double_area(surface, triangle);
    uint32_t most = surface->triangle_count < MOST_POINTS / POINTS_A_FACE ? POINTS_A_FACE * surface->triangle_count
                                                                          : (uint32_t)MOST_POINTS;
    *share = most > 0 ? area / most : 0;
    bool dense = surface->triangle_count >= (uint32_t)4 * MOST_POINTS;
    return dense || !(area > 0) ? 0 : most;
}

/* Point `number` of a sequence that fills a triangle evenly: multiples of the powers of the root of x^3 = x + 1 (Roberts, The
 * unreasonable effectiveness of quasirandom sequences, 2018). */
static void point_shares(uint32_t number, double shares[3])
{
    double u = number * 0.7548776662466927, v = number * 0.5698402909980532;
    u -= floor(u);
    v -= floor(v);
    if (u + v > 1) {
        u = 1 - u;
        v = 1 - v;
    }
    shares[0] = 1 - u - v;
    shares[1] = u;
    shares[2] = v;
}

static bool was_far(const struct surface *surface, uint32_t at)
{
    return surface->far && surface->far[at] > 0;
}

static void add_point(struct surface *surface, uint32_t at, const uint32_t face[3])
{
    double shares[3], point[3];
    point_shares(at, shares);
    for (int axis = 0; axis < 3; axis++)
        point[axis] = shares[0] * surface->points[face[0]][axis] + shares[1] * surface->points[face[1]][axis] +
                      shares[2] * surface->points[face[2]][axis];
    to_mesh_unit(surface, point, surface->originals[at]);
    int most = shares[1] > shares[0] ? 1 : 0;
    surface->owners[at] = face[shares[2] > shares[most] ? 2 : most];
}

static uint32_t add_points(struct surface *surface, uint32_t at, uint32_t end, double share)
{
    double owed = 0.5; /* points, for the faces so far */
    for (uint32_t triangle = 0; triangle < surface->triangle_count; triangle++)
        for (owed += double_area(surface, triangle) / share; owed >= 1 && at < end; owed--)
            add_point(surface, at++, surface->triangles[triangle]);
    return at;
}

/* Rows of points and faces are counted together where they are marked. */
static bool keep_faces(struct surface *surface)
{
    uint32_t count = surface->triangle_count;
    if (count > UINT32_MAX - surface->original_count)
        return true;
    surface->original_faces = memory_allocate(surface->context, count, sizeof *surface->original_faces);
    if (!surface->original_faces)
        return false;
    surface->original_face_count = count;
    memcpy(surface->original_faces, surface->triangles, count * sizeof *surface->triangles);
    for (uint32_t face = 0; face < count; face++)
        for (int corner = 0; corner < 3 && was_far(surface, surface->original_count + face); corner++)
            surface->kinds[surface->triangles[face][corner]] = KIND_CORNER;
    return true;
}

bool surface_sample(struct surface *surface, bool draft, bool whole)
{
    const uint32_t many = 131072, step = draft && !whole && surface->vertex_count >= many ? 8 : 1;
    double share;
    uint32_t count = (surface->vertex_count + step - 1) / step, points = count_points(surface, &share);
    if (points > UINT32_MAX - 1 - count)
        points = 0;
    surface->original_room = count + points;
    surface->originals = memory_allocate(surface->context, surface->original_room, sizeof *surface->originals);
    surface->owners = memory_allocate(surface->context, surface->original_room, sizeof *surface->owners);
    if (!surface->originals || !surface->owners)
        return false;
    for (uint32_t at = 0; at < count; at++) {
        to_mesh_unit(surface, surface->points[at * step], surface->originals[at]);
        surface->owners[at] = at * step;
        if (was_far(surface, at))
            surface->kinds[at * step] = KIND_CORNER;
    }
    surface->original_count = points > 0 ? add_points(surface, count, count + points, share) : count;
    return !whole || keep_faces(surface);
}
