#include "hull.h"
#include "../../vector.h"
#include "corners.h"

#include <math.h>
#include <stdlib.h>

/* ---- clusters ---- */

/* Points that are next to each other in the array, to be parted. */
struct range {
    uint32_t first, count;
};

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

/* Parts the points across the longest side of their box, in the middle, until no part has more than fit into a
 * cluster. */
static void group_points(double (*points)[3], uint32_t count)
{
    static int (*const compare[])(const void *, const void *) = {compare_x, compare_y, compare_z};
    struct range waiting[64] = {{0, count}}; /* each half as large as the one before */
    uint32_t waiting_count = 1;
    while (waiting_count > 0) {
        struct range range = waiting[--waiting_count];
        if (range.count <= CLUSTER)
            continue;
        struct cluster box;
        bound((const double(*)[3])points + range.first, range.count, &box);
        int axis = box.half[0] >= box.half[1] ? 0 : 1;
        axis = box.half[2] > box.half[axis] ? 2 : axis;
        qsort(points + range.first, range.count, sizeof *points, compare[axis]);
        uint32_t low = (range.count / CLUSTER + 1) / 2 * CLUSTER;
        waiting[waiting_count++] = (struct range){range.first + low, range.count - low};
        waiting[waiting_count++] = (struct range){range.first, low};
    }
}

static cp_status make_clusters(cp_context *context, struct hull *hull)
{
    uint32_t parts = hull->count / CLUSTER + (hull->count % CLUSTER > 0);
    hull->clusters = memory_allocate(context, parts + 1, sizeof *hull->clusters);
    if (!hull->clusters)
        return CP_LIMIT;
    hull->cluster_count = parts + 1;
    group_points(hull->points, hull->count);
    const double(*points)[3] = (const double(*)[3])hull->points;
    bound(points, hull->count, &hull->clusters[0]);
    for (uint32_t i = 0; i < parts; i++) {
        uint32_t left = hull->count - i * CLUSTER;
        bound(points + (size_t)i * CLUSTER, left < CLUSTER ? left : CLUSTER, &hull->clusters[i + 1]);
    }
    return CP_OK;
}

/* ---- the hull ---- */

static cp_status keep_all(cp_context *context, const double (*points)[3], uint32_t count, struct hull *hull)
{
    hull->points = memory_allocate(context, count, sizeof *hull->points);
    if (!hull->points)
        return CP_LIMIT;
    if (count > 0)
        memcpy(hull->points, points, count * sizeof *points);
    hull->count = count;
    return CP_OK;
}

/* The largest coordinate; infinite where predicates may not be exact. */
static double find_size(const double (*points)[3], uint32_t count)
{
    double size = 0;
    for (uint32_t i = 0; i < count; i++)
        for (int axis = 0; axis < 3; axis++) {
            double value = fabs(points[i][axis]);
            if (value != 0 && !(value >= 1e-75 && value <= 1e75))
                return INFINITY;
            size = fmax(size, value);
        }
    return size;
}

cp_status hull_find(cp_context *context, const double (*points)[3], uint32_t count, struct hull *hull)
{
    *hull = (struct hull){0};
    double size = find_size(points, count);
    bool exact = count > 0 && count <= UINT32_MAX / 4 && isfinite(size);
    cp_status status = exact ? find_corners(context, points, count, size > 0 ? size : 1, hull)
                             : keep_all(context, points, count, hull);
    return status == CP_OK && exact ? make_clusters(context, hull) : status;
}

void hull_free(cp_context *context, struct hull *hull)
{
    memory_free(context, hull->points, hull->count, sizeof *hull->points);
    memory_free(context, hull->clusters, hull->cluster_count, sizeof *hull->clusters);
    *hull = (struct hull){0};
}
