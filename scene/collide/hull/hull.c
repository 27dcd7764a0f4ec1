#include "hull.h"

#include <math.h>
#include <stdlib.h>

#include "base/base.h"

/* ---- clusters ---- */

static void bound(const double (*points)[3], uint32_t count, struct cluster *cluster)
{
    for (int axis = 0; axis < 3; axis++) {
        double low = INFINITY, high = -INFINITY;
        for (uint32_t i = 0; i < count; i++) {
            low = points[i][axis] < low ? points[i][axis] : low;
            high = points[i][axis] > high ? points[i][axis] : high;
        }
        cluster->centre[axis] = low / 2 + high / 2;
        cluster->half[axis] = fmax(high - cluster->centre[axis], cluster->centre[axis] - low);
    }
}

static int compare_from(const double *one, const double *other, int axis)
{
    for (int i = 0; i < 3; i++) {
        int k = (axis + i) % 3;
        if (one[k] != other[k])
            return one[k] < other[k] ? -1 : 1;
    }
    return 0;
}

static int compare_x(const void *one, const void *other)
{
    return compare_from(one, other, 0);
}

static int compare_y(const void *one, const void *other)
{
    return compare_from(one, other, 1);
}

static int compare_z(const void *one, const void *other)
{
    return compare_from(one, other, 2);
}

/* ---- the hull ---- */

/* Splits the points across the longest side of their box, in the middle, until each part fits into a cluster; then
 * bounds the clusters. */
static cp_status make_clusters(cp_context *context, struct hull *hull)
{
    static int (*const compare[])(const void *, const void *) = {compare_x, compare_y, compare_z};
    struct {
        uint32_t first, count;
    } waiting[64] = {{0, hull->count}}; /* each half as large as the one before */
    uint32_t waiting_count = 1, parts = hull->count / CLUSTER + (hull->count % CLUSTER > 0);
    const double(*points)[3] = (const double(*)[3])hull->points;
    hull->clusters = memory_allocate(context, parts + 1, sizeof *hull->clusters);
    if (!hull->clusters)
        return CP_LIMIT;
    hull->cluster_count = parts + 1;
    while (waiting_count > 0) {
        uint32_t first = waiting[--waiting_count].first, count = waiting[waiting_count].count;
        if (count <= CLUSTER)
            continue;
        struct cluster box;
        bound(points + first, count, &box);
        int axis = box.half[0] >= box.half[1] ? 0 : 1;
        axis = box.half[2] > box.half[axis] ? 2 : axis;
        qsort(hull->points + first, count, sizeof *hull->points, compare[axis]);
        uint32_t low = (count / CLUSTER + 1) / 2 * CLUSTER;
        waiting[waiting_count].first = first + low;
        waiting[waiting_count++].count = count - low;
        waiting[waiting_count].first = first;
        waiting[waiting_count++].count = low;
    }
    bound(points, hull->count, &hull->clusters[0]);
    for (uint32_t i = 0; i < parts; i++) {
        uint32_t left = hull->count - i * CLUSTER;
        bound(points + (size_t)i * CLUSTER, left < CLUSTER ? left : CLUSTER, &hull->clusters[i + 1]);
    }
    return CP_OK;
}

cp_status hull_find(cp_context *context, const double (*points)[3], uint32_t count, struct hull *hull)
{
    *hull = (struct hull){0};
    double size = 0; /* the largest coordinate */
    bool exact = count > 0 && count <= UINT32_MAX / 4;
    for (uint32_t i = 0; i < count && exact; i++)
        for (int axis = 0; axis < 3; axis++) {
            double value = fabs(points[i][axis]);
            exact = exact && (value == 0 || (value >= 1e-75 && value <= 1e75)); /* else predicates may not be exact */
            size = fmax(size, value);
        }
    if (exact) {
        cp_status status = find_corners(context, points, count, size > 0 ? size : 1, hull);
        return status == CP_OK ? make_clusters(context, hull) : status;
    }
    hull->points = memory_allocate(context, count, sizeof *hull->points);
    if (!hull->points)
        return CP_LIMIT;
    if (count > 0)
        memcpy(hull->points, points, count * sizeof *points);
    hull->count = count;
    return CP_OK;
}

void hull_free(cp_context *context, struct hull *hull)
{
    memory_free(context, hull->points, hull->count, sizeof *hull->points);
    memory_free(context, hull->clusters, hull->cluster_count, sizeof *hull->clusters);
    *hull = (struct hull){0};
}
