/* Inner angles at corners, several at a time and without branches. */
#include "mesh.h"

#include <math.h>
#include <string.h>

#include "model/model.h"

enum { QUAD = 4 }; /* floats in a register of 16 bytes */
typedef float quad __attribute__((vector_size(QUAD * sizeof(float))));
typedef int32_t quad_bits __attribute__((vector_size(QUAD * sizeof(int32_t))));

static quad choose(quad_bits which, quad yes, quad no)
{
    return (quad)(((quad_bits)yes & which) | ((quad_bits)no & ~which));
}

/* Finds angles by a Chebyshev fit of atan(t) / t in t * t, for a tangent t of at most 1. */
static quad angles_of(quad sines, quad cosines)
{
    static const float terms[] = {0.999999984f,  -0.333330668f, 0.199924836f,  -0.142025705f, 0.106367541f,
                                  -0.074954454f, 0.042587607f,  -0.016005031f, 0.002834064f};
    quad_bits obtuse = cosines < 0;
    quad sizes = choose(obtuse, -cosines, cosines), angles = {0};
    quad_bits steep = sines > sizes;
    quad tangents = choose(steep, sizes, sines) / choose(steep, sines, sizes), squares = tangents * tangents;
    for (size_t term = sizeof terms / sizeof *terms; term-- > 0;)
        angles = angles * squares + terms[term];
    angles *= tangents;
    angles = choose(steep, (float)(PI / 2) - angles, angles);
    return choose(obtuse, (float)PI - angles, angles);
}

void find_angles(const double sines[LANES], const double cosines[LANES], float angles[LANES])
{
    for (int first = 0; first < LANES; first += QUAD) {
        quad sine, cosine;
        for (int i = 0; i < QUAD; i++) { /* Scale both first, as squares of floats can be too large for floats. */
            double size = sines[first + i] + fabs(cosines[first + i]), scale = 1 / (size > 0 ? size : 1);
            sine[i] = (float)(sines[first + i] * scale);
            cosine[i] = size > 0 ? (float)(cosines[first + i] * scale) : 1;
        }
        quad found = angles_of(sine, cosine);
        memcpy(angles + first, &found, sizeof found);
    }
}

void polygon_angles(const struct polygon *polygon, float *angles)
{
    if (polygon->count == 0)
        return;
    double last[3], edge[3] = {0};
    const float *before = polygon_position(polygon, polygon->count - 1), *at = polygon_position(polygon, 0);
    for (int axis = 0; axis < 3; axis++)
        last[axis] = (double)before[axis] - (double)at[axis]; /* backwards along the edge that ends at this corner */
    for (uint32_t start = 0; start < polygon->count; start += LANES) {
        double sines[LANES] = {0}, cosines[LANES] = {0};
        bool reflex[LANES] = {false};
        uint32_t count = polygon->count - start < LANES ? polygon->count - start : LANES;
        for (uint32_t i = 0; i < count; i++) {
            const float *after = polygon_position(polygon, start + i + 1 < polygon->count ? start + i + 1 : 0);
            double across[3];
            for (int axis = 0; axis < 3; axis++)
                edge[axis] = (double)after[axis] - (double)at[axis];
            cross_product(edge, last, across);
            sines[i] = sqrt(dot_product(across, across));
            cosines[i] = dot_product(edge, last);
            reflex[i] = dot_product(across, polygon->normal) < 0;
            for (int axis = 0; axis < 3; axis++)
                last[axis] = -edge[axis];
            at = after;
        }
        float found[LANES];
        find_angles(sines, cosines, found);
        for (uint32_t i = 0; i < count; i++)
            angles[start + i] = reflex[i] ? (float)(2 * PI) - found[i] : found[i];
    }
}
