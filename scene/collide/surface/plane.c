#include "plane.h"

#include <math.h>

void plane_seen_from(const double plane[4], const cp_pose *placed, double seen[4])
{
    const double *m = placed->m;
    for (int i = 0; i < 4; i++)
        seen[i] = plane[0] * m[i] + plane[1] * m[4 + i] + plane[2] * m[8 + i] + (i == 3 ? plane[3] : 0);
}

static double height(const double plane[4], const double point[3])
{
    return plane[0] * point[0] + plane[1] * point[1] + plane[2] * point[2] + plane[3];
}

/* No point of the box is lower; what rounding may do is taken off. */
static double lowest(const double plane[4], const struct bvh_box *box)
{
    double middle = plane[3], reach = 0, size = fabs(plane[3]);
    for (int axis = 0; axis < 3; axis++) {
        middle += plane[axis] * (double)box->centre[axis];
        reach += fabs(plane[axis]) * (double)box->half[axis];
        size += fabs(plane[axis]) * fabs((double)box->centre[axis]);
    }
    return middle - reach - 2e-15 * (size + reach);
}

double plane_distance(const double plane[4], const struct bvh *bvh, double most)
{
    uint32_t waiting[BVH_LEVELS + 2] = {0}, count = bvh->box_count > 0;
    double best = most, upward[4];
    bool below = count > 0 && height(plane, bvh->vertices[bvh->triangles[0][0]]) < 0;
    for (int i = 0; i < 4; i++)
        upward[i] = below ? -plane[i] : plane[i];
    while (count > 0) {
        const struct bvh_box *box = &bvh->boxes[waiting[--count]];
        if (!(lowest(upward, box) < best))
            continue;
        if (box->count == 0) { /* the lower half first */
            bool second = lowest(upward, &bvh->boxes[box->first + 1]) < lowest(upward, &bvh->boxes[box->first]);
            waiting[count++] = box->first + !second;
            waiting[count++] = box->first + second;
        }
        for (uint32_t i = box->first; i < box->first + box->count; i++)
            for (int corner = 0; corner < 3; corner++)
                best = fmin(best, height(upward, bvh->vertices[bvh->triangles[i][corner]]));
        if (best <= 0)
            return 0;
    }
    return best;
}
