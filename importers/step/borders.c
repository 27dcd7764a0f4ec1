/* Triangles between the borders of a face that the kernel has lost: cones that are closed, and slivers. */
#include <math.h>

#include "model/model.h"
#include "step.h"

#ifdef HAVE_OCCT

enum { MOST_POINTS = 600 }; /* the work grows with the third power */

#define WRONG 1e9 /* mm: what a triangle that runs the wrong way costs */

/* The borders of a face as one polygon, and the best triangles between each two of its corners. */
struct border_ring {
    const struct step_model *model;
    uint32_t face;
    const double (*points)[3], (*places)[2];
    uint32_t count;
    uint32_t *corners; /* points; a bridge between two borders is passed twice */
    double *costs;     /* by first and last corner */
    uint32_t *middles; /* the third corner of the triangle beside them */
};

static double place_area(const double a[2], const double b[2], const double c[2])
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

static double distance_between(const double a[3], const double b[3])
{
    double way[3];
    subtract(a, b, way);
    return sqrt(dot_product(way, way));
}

/* ---- one polygon ---- */

/* Joins a border to the polygon by a bridge between the points of both that are nearest to each other. */
static void join_border(struct border_ring *ring, uint32_t first, uint32_t count)
{
    uint32_t *corners = ring->corners, from = 0, to = 0;
    double least = INFINITY;
    for (uint32_t i = 0; i < ring->count; i++)
        for (uint32_t k = 0; k < count; k++) {
            double length = distance_between(ring->points[corners[i]], ring->points[first + k]);
            if (length < least) {
                least = length;
                from = i;
                to = k;
            }
        }
    memmove(corners + from + count + 2, corners + from, (ring->count - from) * sizeof *corners);
    for (uint32_t k = 0; k <= count; k++)
        corners[from + 1 + k] = first + (to + k) % count;
    ring->count += count + 2;
}

/* Joins all borders of a face: the first is that with the largest area. */
static void join_borders(struct border_ring *ring, const uint32_t *borders, uint32_t border_count)
{
    uint32_t largest = 0, first_of_largest = 0, first = 0;
    double most = -1;
    for (uint32_t i = 0; i < border_count; first += borders[i++]) {
        double area = 0;
        for (uint32_t k = 2; k < borders[i]; k++)
            area += place_area(ring->places[first], ring->places[first + k - 1], ring->places[first + k]);
        if (fabs(area) > most) {
            most = fabs(area);
            largest = i;
            first_of_largest = first;
        }
    }
    for (uint32_t k = 0; k < borders[largest]; k++)
        ring->corners[k] = first_of_largest + k;
    ring->count = borders[largest];
    first = 0;
    for (uint32_t i = 0; i < border_count; first += borders[i++])
        if (i != largest && borders[i] > 0)
            join_border(ring, first, borders[i]);
}

/* ---- the triangles ---- */

/* Judges a diagonal by how far its middle is from the surface; among equal ones the shorter is better. */
static double cost_of_diagonal(const struct border_ring *ring, uint32_t first, uint32_t last)
{
    const double *a = ring->points[ring->corners[first]], *b = ring->points[ring->corners[last]];
    const double *at = ring->places[ring->corners[first]], *to = ring->places[ring->corners[last]];
    const double middle[3] = {(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2};
    const double place[2] = {(at[0] + to[0]) / 2, (at[1] + to[1]) / 2};
    return fmin(step_distance(ring->model, ring->face, middle, place, 0) + 1e-6 * distance_between(a, b), WRONG);
}

/* Finds the triangles with the least sum of costs, from short pieces of the polygon to long ones (Gilbert, Klincsek).
 * One that runs the wrong way by its places is taken where there is no other: slivers cross themselves. */
static void find_triangles(struct border_ring *ring)
{
    uint32_t count = ring->count;
    for (uint32_t first = 0; first + 1 < count; first++)
        ring->costs[first * count + first + 1] = 0;
    for (uint32_t length = 2; length < count; length++)
        for (uint32_t first = 0; first + length < count; first++) {
            uint32_t last = first + length;
            const double *a = ring->places[ring->corners[first]], *c = ring->places[ring->corners[last]];
            double least = INFINITY;
            for (uint32_t k = first + 1; k < last; k++) {
                double cost = ring->costs[first * count + k] + ring->costs[k * count + last];
                if (cost < least && !(place_area(a, ring->places[ring->corners[k]], c) > 1e-14))
                    cost += WRONG;
                if (cost < least) {
                    least = cost;
                    ring->middles[first * count + last] = k;
                }
            }
            ring->costs[first * count + last] = least + (length + 1 < count ? cost_of_diagonal(ring, first, last) : 0);
        }
}

/* Writes the triangles between two corners: the room for them holds the pieces that are still to be written, too. */
static uint32_t write_triangles(const struct border_ring *ring, uint32_t (*triangles)[3])
{
    uint32_t count = ring->count, written = 0, waiting[MOST_POINTS][2], waiting_count = 1;
    waiting[0][0] = 0;
    waiting[0][1] = count - 1;
    while (waiting_count > 0) {
        uint32_t first = waiting[--waiting_count][0], last = waiting[waiting_count][1];
        if (last - first < 2)
            continue;
        uint32_t middle = ring->middles[first * count + last];
        uint32_t *triangle = triangles[written++];
        triangle[0] = ring->corners[first];
        triangle[1] = ring->corners[middle];
        triangle[2] = ring->corners[last];
        memcpy(waiting[waiting_count++], (uint32_t[2]){first, middle}, sizeof *waiting);
        memcpy(waiting[waiting_count++], (uint32_t[2]){middle, last}, sizeof *waiting);
    }
    return written;
}

static bool are_near(const double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!(fabs(numbers[i]) <= STEP_FARTHEST))
            return false;
    return true;
}

uint32_t step_most_triangles(const struct cad_face *face)
{
    uint64_t most = face->point_count + 2 * (uint64_t)face->border_count;
    return most <= MOST_POINTS ? (uint32_t)most : 0;
}

cp_status step_cut_face(cp_context *context, const struct step_model *model, const struct cad_mesh *mesh,
                        uint32_t index, uint32_t (*triangles)[3], uint32_t *count)
{
    const struct cad_face *face = &mesh->faces[index];
    uint32_t room = step_most_triangles(face);
    *count = 0;
    if (face->border_count == 0 || face->point_count < 3 || room == 0 ||
        !are_near(mesh->points[face->first_point], 3 * (size_t)face->point_count) ||
        !are_near(mesh->places[face->first_point], 2 * (size_t)face->point_count))
        return CP_OK;
    struct border_ring ring = {.model = model,
                               .face = index,
                               .points = mesh->points + face->first_point,
                               .places = mesh->places + face->first_point,
                               .corners = memory_allocate(context, room, sizeof(uint32_t)),
                               .costs = memory_allocate(context, (size_t)room * room, sizeof(double)),
                               .middles = memory_allocate_zeroed(context, (size_t)room * room, sizeof(uint32_t))};
    bool done = ring.corners && ring.costs && ring.middles;
    if (done) {
        join_borders(&ring, mesh->borders + face->first_border, face->border_count);
        find_triangles(&ring);
        *count = write_triangles(&ring, triangles);
    }
    for (uint32_t i = 0; i < *count; i++)
        for (int k = 0; k < 3; k++)
            triangles[i][k] += face->first_point;
    memory_free(context, ring.corners, room, sizeof(uint32_t));
    memory_free(context, ring.costs, (size_t)room * room, sizeof(double));
    memory_free(context, ring.middles, (size_t)room * room, sizeof(uint32_t));
    return done ? CP_OK : CP_LIMIT;
}

#else
/* ISO C wants a declaration in every file. */
extern const struct importer step_importer;
#endif
