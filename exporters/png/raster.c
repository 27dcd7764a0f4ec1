/* Finds the samples that a triangle covers, by homogeneous coordinates (Olano and Greer, "Triangle scan conversion
 * using 2D homogeneous coordinates", 1997): a triangle that reaches behind the camera needs no clipping. Two triangles
 * that share an edge have the same line with opposite signs, bit for bit, so that each sample is in one of them. */
#include <math.h>

#include "picture.h"

/* Finds the bounds of the samples in one direction, for corners before the camera. */
static bool bound(double a, double b, double c, int32_t low, int32_t end, int32_t *first, int32_t *behind)
{
    double least = a < b ? a : b, most = a < b ? b : a;
    least = c < least ? c : least;
    most = c > most ? c : most;
    *first = first_middle(least, low, end);
    *behind = end_of_middles(most, low, end);
    return *first < *behind;
}

bool facet_open(struct facet *facet, const struct place_in_picture *const *corners, const double c[3], int32_t width,
                int32_t top, int32_t end)
{
    const struct place_in_picture *p = corners[0], *q = corners[1], *r = corners[2];
    double at[3][3];
    facet->low[0] = 0;
    facet->end[0] = width;
    facet->low[1] = top;
    facet->end[1] = end;
    bool before = p->w > 0 && q->w > 0 && r->w > 0; /* else it may be anywhere */
    if (before && (!bound((double)p->y, (double)q->y, (double)r->y, top, end, &facet->low[1], &facet->end[1]) ||
                   !bound((double)p->x, (double)q->x, (double)r->x, 0, width, &facet->low[0], &facet->end[0])))
        return false;
    for (int i = 0; i < 3; i++)
        place_times_w(corners[i], at[i]);
    for (int i = 0; i < 3; i++)
        cross_product(at[i < 2 ? i + 1 : 0], at[i > 0 ? i - 1 : 2], facet->lines[i]);
    double volume = dot_product(at[0], facet->lines[0]);
    if (!(fabs(volume) > 0) || !isfinite(volume))
        return false;
    double scale = 1 / volume;
    for (int k = 0; k < 3; k++)
        facet->depth[k] = (c[0] * facet->lines[0][k] + c[1] * facet->lines[1][k] + c[2] * facet->lines[2][k]) * scale;
    for (int i = 0; i < 3; i++) {
        double *line = facet->lines[i];
        for (int k = 0; k < 3 && volume < 0; k++)
            line[k] = -line[k];
        facet->owns[i] = line[0] > 0 || (line[0] == 0 && line[1] > 0);
        facet->inverse[i] = facet->end[0] - facet->low[0] > NARROW ? -1 / line[0] : 0;
    }
    return true;
}
