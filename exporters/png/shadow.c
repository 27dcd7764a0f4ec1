/* The sun's shadow, soft: a map of heights along its rays says what is above a point. */
#include <math.h>

#include "base/context.h"
#include "mesh/mesh.h"
#include "picture.h"

/* Cells of the map in each direction, half of the pixels within these bounds; the part of the size over which a shadow
 * fades with the height of what casts it; heights, in cells, that cast no shadow on surfaces, as the map is coarse. */
enum { LEAST_SIDE = 64, MOST_MAP_SIDE = 160, RADIUS = 2, TAPS = 2 * RADIUS + 1 };
static const double FADE = 0.5, BIAS = 3;

/* Raises the heights of a shape. */
static void cast(const struct png_picture *picture, const struct shape *shape, struct place_in_picture *places,
                 float *heights)
{
    const struct shadow *shadow = &picture->shadow;
    const cp_mesh *mesh = shape->mesh;
    const double *m = shape->world.m;
    double rows[3][4];
    for (int k = 0; k < 4; k++) {
        double height = m[8 + k] - (k == 3 ? shadow->ground : 0);
        for (int row = 0; row < 2; row++)
            rows[row][k] =
                shadow->scale * (m[4 * row + k] - shadow->slope[row] * height - (k == 3 ? shadow->origin[row] : 0));
        rows[2][k] = height;
    }
    for (uint32_t i = 0; i < mesh->vertex_count; i++) {
        const float *at = mesh->positions + 3 * (size_t)i;
        double to[3];
        for (int row = 0; row < 3; row++)
            to[row] = rows[row][0] * (double)at[0] + rows[row][1] * (double)at[1] + rows[row][2] * (double)at[2] +
                      rows[row][3];
        places[i] = (struct place_in_picture){(float)to[0], (float)to[1], 1};
        heights[i] = (float)to[2];
    }
    for (uint32_t face = 0; face < mesh->face_count; face++) {
        const uint32_t *corners = mesh->corners + mesh_face_first(mesh, face);
        struct facet facet;
        if (!facet_open(&facet,
                        (const struct place_in_picture *const[3]){&places[corners[0]], &places[corners[1]],
                                                                  &places[corners[2]]},
                        (const double[3]){(double)heights[corners[0]], (double)heights[corners[1]],
                                          (double)heights[corners[2]]},
                        shadow->side, 0, shadow->side))
            continue;
        for (int32_t y = facet.low[1]; y < facet.end[1]; y++) {
            struct facet_row row;
            facet_row(&facet, y, &row);
            for (int32_t x = row.from; x < row.to; x++) {
                if (!facet_covers(&facet, &row, x + 0.5))
                    continue;
                float height = facet_depth(&facet, &row, x + 0.5);
                float *cell = &shadow->heights[y * shadow->side + x];
                *cell = height > *cell ? height : *cell;
            }
        }
    }
}

static bool casts(const struct png_picture *picture, const struct shape *shape)
{
    const cp_mesh *mesh = shape->mesh;
    if (mesh->kind != CP_MESH_FACES || mesh->face_count == 0)
        return false;
    const struct look *look = &picture->looks[look_of_face(picture, mesh, 0)];
    return look->alpha != CP_ALPHA_BLEND || look->rgba[3] > 0.5F;
}

/* Finds the highest of the cells that a soft shadow looks at, around each cell. rows: room for as many. */
static void find_roofs(struct shadow *shadow, float *rows)
{
    int32_t side = shadow->side;
    for (int pass = 0; pass < 2; pass++) {
        const float *from = pass == 0 ? shadow->heights : rows;
        float *to = pass == 0 ? rows : shadow->roofs;
        int32_t step = pass == 0 ? 1 : side;
        for (int32_t y = 0; y < side; y++)
            for (int32_t x = 0; x < side; x++) {
                int32_t place = pass == 0 ? x : y, at = y * side + x;
                float most = -INFINITY;
                for (int32_t k = place < RADIUS ? -place : -RADIUS; k <= RADIUS + 1 && place + k < side; k++)
                    most = from[at + k * step] > most ? from[at + k * step] : most;
                to[at] = most;
            }
    }
}

static cp_status cast_all(struct png_picture *picture)
{
    struct shadow *shadow = &picture->shadow;
    size_t cells = (size_t)shadow->side * (size_t)shadow->side;
    uint32_t most = 0;
    for (uint32_t i = 0; i < picture->shape_count; i++)
        most = picture->shapes[i].mesh->vertex_count > most ? picture->shapes[i].mesh->vertex_count : most;
    struct arena *arena = arena_new(picture->context);
    shadow->heights = arena_allocate(picture->arena, cells, sizeof *shadow->heights);
    shadow->roofs = arena_allocate(picture->arena, cells, sizeof *shadow->roofs);
    struct place_in_picture *places = arena_allocate(arena, most, sizeof *places);
    float *heights = arena_allocate(arena, most, sizeof *heights), *rows = arena_allocate(arena, cells, sizeof *rows);
    bool good = shadow->heights && shadow->roofs && places && heights && rows;
    for (size_t i = 0; i < cells && good; i++)
        shadow->heights[i] = -INFINITY;
    for (uint32_t i = 0; i < picture->shape_count && good; i++) {
        if (casts(picture, &picture->shapes[i]))
            cast(picture, &picture->shapes[i], places, heights);
        good = !context_is_cancelled(picture->context);
    }
    if (good)
        find_roofs(shadow, rows);
    arena_free(arena);
    return good ? CP_OK : CP_LIMIT;
}

cp_status shadow_make(struct png_picture *picture)
{
    struct shadow *shadow = &picture->shadow;
    const struct views *views = &picture->views;
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY}, size = 0;
    double tall = views->upper[2] - views->lower[2];
    shadow->ground = views->lower[2];
    for (int i = 0; i < 2; i++) {
        shadow->slope[i] = picture->sun[i] / picture->sun[2];
        low[i] = views->lower[i] - fmax(0, shadow->slope[i] * tall);
        high[i] = views->upper[i] - fmin(0, shadow->slope[i] * tall);
        size = fmax(size, high[i] - low[i]);
    }
    size = fmax(size, tall);
    if (!(size > 0) || !isfinite(size))
        return CP_OK;
    uint32_t longer = picture->width > picture->height ? picture->width : picture->height;
    shadow->side = longer < 2 * LEAST_SIDE      ? LEAST_SIDE
                   : longer > 2 * MOST_MAP_SIDE ? MOST_MAP_SIDE
                                                : (int32_t)longer / 2;
    double cell = size / (shadow->side - 4 * RADIUS);
    shadow->scale = 1 / cell;
    for (int i = 0; i < 2; i++)
        shadow->origin[i] = (low[i] + high[i]) / 2 - shadow->side / 2.0 * cell;
    shadow->softness = (float)(FADE * size);
    shadow->bias = BIAS * cell;
    shadow->has_ground = picture->camera.at[2] > shadow->ground;
    return cast_all(picture);
}

float shadow_at(const struct shadow *shadow, const double point[3], bool on_ground)
{
    double height = point[2] - shadow->ground, at[2];
    float sum = 0, bias = on_ground ? 0 : (float)shadow->bias;
    for (int i = 0; i < 2; i++) {
        at[i] = (point[i] - shadow->slope[i] * height - shadow->origin[i]) * shadow->scale - 0.5;
        if (!(at[i] >= RADIUS && at[i] < shadow->side - RADIUS - 1))
            return 0;
    }
    int x = (int)at[0], y = (int)at[1];
    if (!(shadow->roofs[y * shadow->side + x] - (float)height > bias))
        return 0;
    float part[2] = {(float)(at[0] - x), (float)(at[1] - y)};
    /* The mean of a square of cells that moves with the point: its border cells count in part. */
    for (int i = -RADIUS; i <= RADIUS + 1; i++) {
        const float *row = &shadow->heights[(y + i) * shadow->side + x];
        float row_part = i == -RADIUS ? 1 - part[1] : i == RADIUS + 1 ? part[1] : 1;
        for (int k = -RADIUS; k <= RADIUS + 1; k++) {
            float above = row[k] - (float)height;
            if (!(above > bias))
                continue;
            float column_part = k == -RADIUS ? 1 - part[0] : k == RADIUS + 1 ? part[0] : 1;
            sum += row_part * column_part * shadow->softness / (shadow->softness + above);
        }
    }
    return sum / (TAPS * TAPS);
}
