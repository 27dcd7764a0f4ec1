#include "surface.h"

#include <math.h>

void plane_seen_from(const double plane[4], const cp_pose *placed, double seen[4])
{
    const double *m = placed->m;
    for (int i = 0; i < 4; i++)
        seen[i] = plane[0] * m[i] + plane[1] * m[4 + i] + plane[2] * m[8 + i] + (i == 3 ? plane[3] : 0);
}

/* Returns a lower bound of the distance of the box from the plane; rounding is taken off. */
static double box_away(const double plane[4], const struct bvh_box *box)
{
    double middle = plane[3], reach = 0, size = fabs(plane[3]);
    for (int axis = 0; axis < 3; axis++) {
        middle += plane[axis] * (double)box->centre[axis];
        reach += fabs(plane[axis]) * (double)box->half[axis];
        size += fabs(plane[axis]) * fabs((double)box->centre[axis]);
    }
    return fabs(middle) - reach - 2e-15 * (size + reach);
}

double plane_distance(const double plane[4], const struct bvh *bvh, double most)
{
    uint32_t waiting[BVH_LEVELS + 2] = {0}, count = bvh->box_count > 0;
    double best = most;
    while (count > 0 && best > 0) {
        const struct bvh_box *box = &bvh->boxes[waiting[--count]];
        if (box_away(plane, box) >= best)
            continue;
        if (box->count == 0) { /* the nearer half first */
            bool second = box_away(plane, &bvh->boxes[box->first + 1]) < box_away(plane, &bvh->boxes[box->first]);
            waiting[count++] = box->first + !second;
            waiting[count++] = box->first + second;
        }
        for (uint32_t i = box->first; i < box->first + box->count; i++) {
            double low = INFINITY, high = -INFINITY; /* of its corners; on both sides: it is at 0 */
            for (int corner = 0; corner < 3; corner++) {
                double height = dot_product(plane, bvh->vertices[bvh->triangles[i][corner]]) + plane[3];
                low = fmin(low, height);
                high = fmax(high, height);
            }
            best = fmin(best, fmax(0, fmax(low, -high)));
        }
    }
    return best;
}
