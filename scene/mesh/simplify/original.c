#include "original.h"

#include <string.h>

/* The points on a face whose distance from the original is measured: its middle, and those of its edges. */
enum { POINTS_A_FACE = 4 };

bool original_keep(struct original *original, const struct surface *surface, const struct surface_samples *samples)
{
    cp_context *context = surface->context;
    uint32_t vertices = surface->vertex_count, triangles = surface->triangle_count;
    struct surface *copy = &original->surface;
    *copy = (struct surface){.context = context,
                             .vertex_count = vertices,
                             .triangle_count = triangles,
                             .triangle_room = triangles,
                             .scale = surface->scale};
    memcpy(copy->centre, surface->centre, sizeof copy->centre);
    copy->points = memory_allocate(context, vertices, sizeof *copy->points);
    copy->triangles = memory_allocate(context, triangles, sizeof *copy->triangles);
    original->point_count = samples->count;
    original->origins = memory_allocate(context, original->point_count, sizeof *original->origins);
    original->weights = memory_allocate(context, vertices, sizeof *original->weights);
    if (!copy->points || !copy->triangles || !original->origins || !original->weights)
        return false;
    memcpy(copy->points, surface->points, vertices * sizeof *copy->points);
    memcpy(copy->triangles, surface->triangles, triangles * sizeof *copy->triangles);
    memcpy(original->origins, samples->owners, original->point_count * sizeof *original->origins);
    original_forget(original);
    return face_map_make(&original->map, copy);
}

void original_free(struct original *original)
{
    cp_context *context = original->surface.context;
    if (!context)
        return;
    memory_free(context, original->origins, original->point_count, sizeof *original->origins);
    memory_free(context, original->weights, original->surface.vertex_count, sizeof *original->weights);
    face_map_free(&original->map);
    surface_free(&original->surface);
}

void original_forget(struct original *original)
{
    for (uint32_t vertex = 0; vertex < original->surface.vertex_count; vertex++)
        original->weights[vertex] = 1;
}

bool original_weigh(const struct original *original, struct surface *surface)
{
    surface->planes.weights = memory_allocate(surface->context, surface->vertex_count, sizeof *surface->planes.weights);
    if (surface->planes.weights)
        memcpy(surface->planes.weights, original->weights, surface->vertex_count * sizeof *surface->planes.weights);
    return surface->planes.weights != NULL;
}

static double mean_root(const float *squares, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += (double)squares[i];
    return count > 0 ? sqrt(sum / count) : 0;
}

double deviation_mean(const struct deviation *deviation)
{
    return mean_root(deviation->distances, deviation->distance_count) + mean_root(deviation->off, deviation->off_count);
}

void deviation_free(cp_context *context, struct deviation *deviation)
{
    memory_free(context, deviation->distances, deviation->distance_count, sizeof *deviation->distances);
    memory_free(context, deviation->off, deviation->off_count, sizeof *deviation->off);
    memory_free(context, deviation->far, deviation->far_count, sizeof *deviation->far);
}

/* Returns the first corner of a face that few other faces have. Near a vertex of very many faces, the face's own place
 * is hard to find. */
static uint32_t find_start(const struct face_map *map, const uint32_t face[3])
{
    for (int corner = 0; corner < 3; corner++) {
        uint32_t count = 0;
        for (uint32_t at = map->first[face[corner]]; at != CP_NONE && count <= CROWD; at = map->next[at])
            count++;
        if (count <= CROWD)
            return face[corner];
    }
    return face[0];
}

/* Lists the surface's vertices, and then the points on its faces. near: faces of the original at which a search begins,
 * those of an original point that is nearest to the vertex. */
static void place_points(const struct original *original, const struct surface_samples *samples,
                         const struct face_map *map, float (*points)[3], uint32_t *near)
{
    const struct surface *surface = map->surface;
    uint32_t vertices = surface->vertex_count, count = vertices;
    memset(near, 0, vertices * sizeof *near);
    for (uint32_t at = 0; at < original->point_count; at++)
        near[samples->owners[at]] = original->map.first[original->origins[at]] / 3;
    for (uint32_t vertex = 0; vertex < vertices; vertex++)
        to_mesh_unit(surface, surface->points[vertex], points[vertex]);
    for (uint32_t face = 0; face < surface->triangle_count; face++) {
        const uint32_t *at = surface->triangles[face], start = find_start(map, at);
        for (int point = 0; point < POINTS_A_FACE; point++, count++) {
            const uint32_t from = at[point == 2], to = at[point == 1 ? 1 : 2];
            for (int axis = 0; axis < 3; axis++) {
                double sum = (double)points[from][axis] + (double)points[to][axis];
                points[count][axis] = (float)(point > 0 ? sum / 2 : (sum + (double)points[at[1]][axis]) / 3);
            }
            near[count] = near[start];
        }
    }
}

/* Starts to measure the surface from the original. */
static bool start_off(const struct original *original, const struct surface_samples *samples,
                      const struct face_map *map, struct measured *off)
{
    const struct surface *surface = map->surface;
    cp_context *context = surface->context;
    uint32_t faces = surface->triangle_count, count = surface->vertex_count + POINTS_A_FACE * faces;
    float(*points)[3] = memory_allocate(context, count, sizeof *points);
    *off = (struct measured){.points = (const float(*)[3])points,
                             .faces = (const uint32_t(*)[3])surface->triangles,
                             .point_count = count,
                             .face_count = faces};
    off->near = memory_allocate(context, count, sizeof *off->near);
    off->distances = memory_allocate(context, count, sizeof *off->distances);
    off->far = memory_allocate_zeroed(context, (size_t)count + faces, sizeof *off->far);
    if (!points || !off->near || !off->distances || !off->far)
        return false;
    place_points(original, samples, map, points, off->near);
    return true;
}

/* Marks the original where the surface is too far from it: the points that are nearest to the surface's vertices, or to
 * the corners of its faces, and the nearest face. */
static void mark_origins(const struct original *original, const struct surface *surface,
                         const struct surface_samples *samples, struct measured *off, bool *far)
{
    uint32_t vertices = surface->vertex_count;
    for (uint32_t face = 0; face < surface->triangle_count; face++) {
        bool any = off->far[off->point_count + face];
        for (uint32_t point = 0; point < POINTS_A_FACE; point++)
            any |= off->far[vertices + POINTS_A_FACE * face + point];
        for (int corner = 0; corner < 3; corner++)
            off->far[surface->triangles[face][corner]] |= any;
    }
    for (uint32_t at = 0; at < original->point_count; at++)
        far[at] |= off->far[samples->owners[at]];
    for (uint32_t point = 0; point < off->point_count; point++)
        for (int corner = 0; off->far[point] && corner < 3; corner++)
            far[original->surface.triangles[off->near[point]][corner]] = true; /* its vertices are its first points */
}

bool measure_deviation(const struct original *original, const struct surface *surface,
                       const struct surface_samples *samples, const struct face_map *map, uint32_t *near, double most,
                       struct deviation *deviation)
{
    const double near_enough = 0.5; /* a part of a bound: large faces over many small ones are costly to measure more
                                     * closely */
    cp_context *context = surface->context;
    double known = surface_noise(surface), error = 0, error_off = 0, more = 0;
    bool both_ways = original->map.surface;
    if (surface->triangle_count == 0)
        return true;
    most /= surface->scale;
    uint32_t points = deviation->distance_count = samples->count;
    deviation->far_count = points + samples->face_count;
    deviation->distances = memory_allocate(context, points, sizeof *deviation->distances);
    deviation->far = memory_allocate_zeroed(context, deviation->far_count, sizeof *deviation->far);
    struct measured from = {.points = (const float(*)[3])samples->points,
                            .faces = (const uint32_t(*)[3])samples->faces,
                            .point_count = points,
                            .face_count = samples->face_count,
                            .near = near,
                            .distances = deviation->distances,
                            .far = deviation->far},
                    off = {.points = NULL};
    bool good = deviation->distances && deviation->far && measure_points(map, &from, most, &error) &&
                (!both_ways ||
                 (start_off(original, samples, map, &off) && measure_points(&original->map, &off, most, &error_off)));
    /* Faces are costly, so they are skipped if points are too far already. */
    if (deviation->faces_off)
        known = fmax(known, near_enough * most);
    if (good && deviation->faces && error <= most && (deviation->one_way || error_off <= most)) {
        good = measure_faces(map, &from, fmax(error, known), most, &more);
        error = fmax(error, more);
    }
    if (good && deviation->faces_off && fmax(error, error_off) <= most) {
        good = measure_faces(&original->map, &off, fmax(error_off, known), most, &more);
        error_off = fmax(error_off, more);
    }
    if (good && both_ways && !deviation->one_way)
        mark_origins(original, surface, samples, &off, deviation->far);
    deviation->from = error * surface->scale;
    deviation->to = error_off * surface->scale;
    deviation->off = off.distances;
    deviation->off_count = off.point_count;
    memory_free(context, (void *)off.points, off.point_count, sizeof *off.points);
    memory_free(context, off.near, off.point_count, sizeof *off.near);
    memory_free(context, off.far, (size_t)off.point_count + off.face_count, sizeof *off.far);
    return good;
}

bool raise_farthest(struct original *original, const struct surface *surface, const struct surface_samples *samples,
                    const struct deviation *deviation)
{
    const float gain = 3, notable = 0.25F; /* of the largest square */
    cp_context *context = surface->context;
    uint32_t vertices = surface->vertex_count, count = original->surface.vertex_count;
    double error = fmax(deviation->from, deviation->to) / surface->scale;
    float *off = memory_allocate(context, vertices, sizeof *off);
    float *worst = memory_allocate_zeroed(context, count, sizeof *worst);
    float *around = memory_allocate_zeroed(context, count, sizeof *around);
    bool good = off && worst && around;
    if (good) {
        /* Take the largest distance: at the surface's vertices, of the faces at them, */
        memcpy(off, deviation->off, vertices * sizeof *off);
        for (uint32_t point = 0; point < POINTS_A_FACE * surface->triangle_count; point++)
            for (int corner = 0; corner < 3; corner++) {
                float *at = &off[surface->triangles[point / POINTS_A_FACE][corner]];
                *at = fmaxf(*at, deviation->off[vertices + point]);
            }
        /* at the original's vertices, of the points near them, */
        for (uint32_t at = 0; at < original->point_count; at++) {
            float *here = &worst[original->origins[at]];
            *here = fmaxf(*here, fmaxf(deviation->distances[at], off[samples->owners[at]]));
        }
        /* and of their neighbours. */
        for (uint32_t face = 0; face < original->surface.triangle_count; face++) {
            const uint32_t *at = original->surface.triangles[face];
            float most = fmaxf(worst[at[0]], fmaxf(worst[at[1]], worst[at[2]]));
            for (int corner = 0; corner < 3; corner++)
                around[at[corner]] = fmaxf(around[at[corner]], most);
        }
        float least = (float)(error * error);
        for (uint32_t vertex = 0; vertex < count; vertex++)
            if (least > 0 && around[vertex] > notable * least)
                original->weights[vertex] *= 1 + gain * around[vertex] / least;
    }
    memory_free(context, off, vertices, sizeof *off);
    memory_free(context, worst, count, sizeof *worst);
    memory_free(context, around, count, sizeof *around);
    return good;
}

bool raise_far(struct original *original, const struct deviation *deviation)
{
    const float gain = 4;
    const struct surface *surface = &original->surface;
    bool *far = memory_allocate_zeroed(surface->context, surface->vertex_count, sizeof *far);
    for (uint32_t row = 0; far && row < deviation->far_count; row++) {
        if (!deviation->far[row])
            continue;
        if (row < original->point_count)
            far[original->origins[row]] = true;
        else
            for (int corner = 0; corner < 3; corner++)
                far[surface->triangles[row - original->point_count][corner]] = true;
    }
    for (uint32_t vertex = 0; far && vertex < surface->vertex_count; vertex++)
        if (far[vertex])
            original->weights[vertex] *= gain;
    memory_free(surface->context, far, surface->vertex_count, sizeof *far);
    return far != NULL;
}
