/* Facets that one thread reads: it touches nothing but its batch. */
#include "stl.h"

static bool grow(cp_context *context, struct stl_batch *batch, uint32_t corners)
{
    uint32_t **arrays[] = {&batch->corners, &batch->ends};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        memory_free(context, *arrays[i], batch->room, sizeof(uint32_t));
        *arrays[i] = NULL;
    }
    batch->room = corners;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        if (!(*arrays[i] = memory_allocate(context, corners, sizeof(uint32_t))))
            return false;
    return true;
}

bool stl_begin_batch(cp_context *context, struct stl_batch *batch, uint32_t corners)
{
    batch->points.context = context;
    batch->corner_count = batch->facet_count = 0;
    batch->has_polygons = false;
    batch->attributes = 0;
    batch->oddities = (struct stl_oddities){0};
    if (corners > batch->room && !grow(context, batch, corners))
        return false;
    points_clear(&batch->points);
    return points_reserve(&batch->points, corners);
}

void stl_free_batch(cp_context *context, struct stl_batch *batch)
{
    points_free(&batch->points);
    memory_free(context, batch->corners, batch->room, sizeof *batch->corners);
    memory_free(context, batch->ends, batch->room, sizeof *batch->ends);
}

/* Twice the area vector of a facet, exact enough that collinear corners give zero. */
static void facet_area(const struct stl_batch *batch, uint32_t first, double area[3])
{
    const float *items = batch->points.items;
    const float *origin = items + 3 * (size_t)batch->corners[first];
    area[0] = area[1] = area[2] = 0;
    for (uint32_t i = first + 1; i + 1 < batch->corner_count; i++) {
        const float *p = items + 3 * (size_t)batch->corners[i], *q = items + 3 * (size_t)batch->corners[i + 1];
        double a[3], b[3];
        for (int k = 0; k < 3; k++) {
            a[k] = (double)p[k] - (double)origin[k];
            b[k] = (double)q[k] - (double)origin[k];
        }
        area[0] += a[1] * b[2] - a[2] * b[1];
        area[1] += a[2] * b[0] - a[0] * b[2];
        area[2] += a[0] * b[1] - a[1] * b[0];
    }
}

static void count_oddities(struct stl_batch *batch, uint32_t first, const float *normal)
{
    double area[3];
    facet_area(batch, first, area);
    if (area[0] == 0 && area[1] == 0 && area[2] == 0)
        batch->oddities.degenerate++;
    else if (normal && area[0] * (double)normal[0] + area[1] * (double)normal[1] + area[2] * (double)normal[2] < 0)
        batch->oddities.opposed++;
    batch->oddities.without_normal += normal == NULL;
}

/* Keeps where the facet ends, from the first facet that is no triangle on; those before it follow from their number. */
static void add_end(struct stl_batch *batch)
{
    for (uint32_t i = 0; !batch->has_polygons && i < batch->facet_count; i++)
        batch->ends[i] = 3 * (i + 1);
    batch->has_polygons = true;
    batch->ends[batch->facet_count] = batch->corner_count;
}

void stl_end_facet(struct stl_batch *batch, uint32_t first, const float *normal)
{
    bool is_polygon = batch->corner_count - first != 3;
    if (is_polygon || batch->has_polygons)
        add_end(batch);
    count_oddities(batch, first, normal);
    batch->oddities.polygons += is_polygon;
    batch->facet_count++;
}
