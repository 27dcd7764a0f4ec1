/* Samples the original: its vertices, and points on its faces where these are large. A simplified surface is fitted to
 * these points and measured against them. */
#include <string.h>

#include "surface.h"

/* The most points on faces, evenly over the area. If all faces are smaller than such a point's share, the vertices
 * describe the surface well enough, and hardly any points are added. */
enum { MOST_POINTS = 32768, POINTS_A_FACE = 16 };

bool surface_sample(struct surface *surface, bool draft, bool whole, const bool *fixed, struct surface_samples *samples)
{
    *samples = (struct surface_samples){.count = 0};
    const uint32_t many = 131072, step = draft && !whole && surface->vertex_count >= many ? 8 : 1;
    uint32_t faces = surface->triangle_count, vertices = (surface->vertex_count + step - 1) / step;
    /* Find how many points all faces get, and the area of each. */
    double area = 0;
    for (uint32_t triangle = 0; triangle < faces; triangle++)
        area += double_area(surface, triangle);
    uint32_t most = faces < MOST_POINTS / POINTS_A_FACE ? POINTS_A_FACE * faces : (uint32_t)MOST_POINTS;
    double share = most > 0 ? area / most : 0;
    bool dense = faces >= (uint32_t)4 * MOST_POINTS;
    uint32_t points = dense || !(area > 0) || most > UINT32_MAX - 1 - vertices ? 0 : most, at = 0;
    samples->room = vertices + points;
    samples->points = memory_allocate(surface->context, samples->room, sizeof *samples->points);
    samples->owners = memory_allocate(surface->context, samples->room, sizeof *samples->owners);
    if (!samples->points || !samples->owners)
        return false;
    for (; at < vertices; at++) {
        to_mesh_unit(surface, surface->points[at * step], samples->points[at]);
        samples->owners[at] = at * step;
        if (fixed && fixed[at])
            surface->kinds[at * step] = KIND_CORNER;
    }
    /* A vertex at which very many faces meet is a bad start for a search, so points then use another corner. */
    uint32_t counted = points > 0 ? surface->vertex_count : 0;
    uint32_t *uses = memory_allocate_zeroed(surface->context, counted, sizeof *uses);
    if (!uses)
        return false;
    for (uint32_t i = 0; points > 0 && i < 3 * faces; i++)
        uses[surface->triangles[i / 3][i % 3]]++;
    double owed = 0.5; /* points, for the faces so far */
    for (uint32_t triangle = 0; points > 0 && triangle < faces; triangle++)
        for (owed += double_area(surface, triangle) / share; owed >= 1 && at < samples->room; owed--) {
            /* Take point `at` of a sequence that fills a triangle evenly: multiples of the powers of the root of x^3 =
             * x + 1 (Roberts, The unreasonable effectiveness of quasirandom sequences, 2018). */
            double u = at * 0.7548776662466927, v = at * 0.5698402909980532, point[3];
            u -= floor(u);
            v -= floor(v);
            if (u + v > 1) {
                u = 1 - u;
                v = 1 - v;
            }
            const double shares[3] = {1 - u - v, u, v};
            const uint32_t *face = surface->triangles[triangle];
            for (int axis = 0; axis < 3; axis++)
                point[axis] = shares[0] * surface->points[face[0]][axis] + shares[1] * surface->points[face[1]][axis] +
                              shares[2] * surface->points[face[2]][axis];
            to_mesh_unit(surface, point, samples->points[at]);
            int largest = shares[1] > shares[0] ? 1 : 0;
            largest = shares[2] > shares[largest] ? 2 : largest;
            for (int corner = 0; corner < 3; corner++)
                if (uses[face[largest]] > CROWD && uses[face[corner]] < uses[face[largest]])
                    largest = corner;
            samples->owners[at++] = face[largest];
        }
    memory_free(surface->context, uses, counted, sizeof *uses);
    samples->count = at;
    /* Marks count rows of points and faces together. */
    if (!whole || faces > UINT32_MAX - at)
        return true;
    samples->faces = memory_allocate(surface->context, faces, sizeof *samples->faces);
    if (!samples->faces)
        return false;
    samples->face_count = faces;
    memcpy(samples->faces, surface->triangles, faces * sizeof *surface->triangles);
    for (uint32_t face = 0; face < faces; face++)
        for (int corner = 0; corner < 3 && fixed && fixed[at + face]; corner++)
            surface->kinds[surface->triangles[face][corner]] = KIND_CORNER;
    return true;
}

void samples_free(cp_context *context, struct surface_samples *samples)
{
    memory_free(context, samples->owners, samples->room, sizeof *samples->owners);
    memory_free(context, samples->faces, samples->face_count, sizeof *samples->faces);
    memory_free(context, samples->points, samples->room, sizeof *samples->points);
}
