/* Draws the picture in bands of rows, each by itself: first what is solid into samples, then their colours, then lines,
 * then what is translucent from back to front. The bands follow from the picture's size alone, so that any number of
 * threads gives the same bytes. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "picture.h"
#include "view/pixels.h"

enum { SAMPLES = SUPERSAMPLES * SUPERSAMPLES };
enum { CACHED = 512, BAND_PIXELS = 1 << 13, LEAST_ROWS = 4, MOST_ROWS = 64 };

/* How far, in pixels of depth, a line may lie behind the surface on which it is drawn; its width in samples. */
static const double LINE_BIAS = 2, EDGE_WIDTH = 1.7, LINE_WIDTH = 2.4;
static const float EDGE_LIGHT = 0.012F, GROUND_SHADOW = 0.55F;

/* A band while it is drawn. */
struct band {
    const struct png_picture *picture;
    int32_t width, top, end; /* samples: of a row, the first row, the row behind the last */
    float *depths;           /* grow towards the camera; 0: nothing */
    uint32_t *triangles;     /* or CP_NONE */
    float (*colours)[4];     /* linear, times alpha; NULL: nothing is drawn over others */
    struct shading cache[CACHED];
};

struct bands {
    struct png_picture *picture;
    struct band *items;  /* of slots */
    unsigned char *rows; /* of slots: bytes as the file has them */
    size_t row_bytes, slot_bytes;
    struct pixel_writer *output;
    cp_status status;
};

static const struct shading *shading_of(struct band *band, uint32_t triangle)
{
    struct shading *shading = &band->cache[triangle % CACHED];
    if (shading->triangle != triangle)
        shading_start(band->picture, shading, triangle);
    return shading;
}

/* Puts a colour over that of a sample. */
static void cover(float sample[4], const float colour[3], float alpha)
{
    for (int k = 0; k < 3; k++)
        sample[k] = colour[k] * alpha + sample[k] * (1 - alpha);
    sample[3] = alpha + sample[3] * (1 - alpha);
}

/* ---- triangles ---- */

static bool open_triangle(const struct band *band, uint32_t triangle, struct facet *facet)
{
    const struct png_picture *picture = band->picture;
    const struct shape *shape = shape_of(picture, triangle);
    const uint32_t *corners = shape->mesh->corners + mesh_face_first(shape->mesh, triangle - shape->first_triangle);
    const struct place_in_picture *places = picture->places + shape->first_place;
    const struct place_in_picture *const at[3] = {places + corners[0], places + corners[1], places + corners[2]};
    return facet_open(facet, at, (const double[3]){1, 1, 1}, band->width, band->top, band->end);
}

/* Draws a triangle: a solid one takes the samples where it is nearest, a translucent one covers what is behind it. */
static void draw_triangle(struct band *band, uint32_t triangle, bool masked, bool glass)
{
    struct facet facet;
    const float nearest = (float)(1 / band->picture->camera.nearest);
    if (!open_triangle(band, triangle, &facet))
        return;
    for (int32_t y = facet.low[1]; y < facet.end[1]; y++) {
        struct facet_row row;
        double at_y = y + 0.5;
        facet_row(&facet, y, &row);
        size_t first = (size_t)(y - band->top) * (size_t)band->width;
        for (int32_t x = row.from; x < row.to; x++) {
            double at_x = x + 0.5;
            if (!facet_covers(&facet, &row, at_x))
                continue;
            float depth = facet_depth(&facet, &row, at_x);
            size_t sample = first + (size_t)x;
            if (!(depth > band->depths[sample]) || depth > nearest)
                continue;
            if (glass) {
                float colour[4];
                shade(band->picture, shading_of(band, triangle), at_x, at_y, colour);
                cover(band->colours[sample], colour, colour[3] > 0 ? (colour[3] < 1 ? colour[3] : 1) : 0);
                continue;
            }
            if (masked && !(shade_alpha(band->picture, shading_of(band, triangle), at_x, at_y) > 0))
                continue;
            band->depths[sample] = depth;
            band->triangles[sample] = triangle;
        }
    }
}

/* ---- lines ---- */

struct end_of_line {
    double x, y, depth;
};

/* Moves an end that is not before the camera to where the line meets the nearest plane. */
static struct end_of_line clip_end(const struct place_in_picture *a, const struct place_in_picture *b, double nearest)
{
    if ((double)a->w >= nearest)
        return (struct end_of_line){(double)a->x, (double)a->y, 1 / (double)a->w};
    double from[3], to[3];
    place_times_w(a, from);
    place_times_w(b, to);
    double part = (nearest - from[2]) / (to[2] - from[2]);
    return (struct end_of_line){(from[0] + part * (to[0] - from[0])) / nearest,
                                (from[1] + part * (to[1] - from[1])) / nearest, 1 / nearest};
}

static void draw_line(const struct band *band, const struct stroke *stroke)
{
    const struct png_picture *picture = band->picture;
    const struct place_in_picture *a = picture->places + stroke->ends[0], *b = picture->places + stroke->ends[1];
    const double nearest = picture->camera.nearest;
    if ((double)a->w < nearest && (double)b->w < nearest)
        return;
    const struct end_of_line p = clip_end(a, b, nearest), q = clip_end(b, a, nearest);
    const float edge[3] = {EDGE_LIGHT, EDGE_LIGHT, EDGE_LIGHT};
    const float *colour = stroke->look == CP_NONE ? edge : picture->looks[stroke->look].rgba;
    double half = (stroke->look == CP_NONE ? EDGE_WIDTH : LINE_WIDTH) / 2, dx = q.x - p.x, dy = q.y - p.y;
    double square = dx * dx + dy * dy, length = sqrt(square);
    if (!isfinite(square))
        return;
    const float slack = (float)(1 + LINE_BIAS * SUPERSAMPLES / picture->camera.focal);
    int32_t y = (int32_t)fmax(band->top, fmin(band->end, ceil(fmin(p.y, q.y) - half - 0.5)));
    int32_t end = (int32_t)fmax(band->top, fmin(band->end, floor(fmax(p.y, q.y) + half - 0.5) + 1));
    for (; y < end; y++) {
        double low = fmin(p.x, q.x) - half, high = fmax(p.x, q.x) + half, at_y = y + 0.5;
        if (fabs(dy) > 1e-9 * length) { /* the row's part of the strip around the line */
            double middle = p.x + dx * (at_y - p.y) / dy, reach = half * length / fabs(dy);
            low = fmax(low, middle - reach);
            high = fmin(high, middle + reach);
        }
        int32_t x = (int32_t)fmax(0, fmin(band->width, ceil(low - 0.5)));
        int32_t last = (int32_t)fmax(0, fmin(band->width, floor(high - 0.5) + 1));
        for (; x < last; x++) {
            double along = square > 0 ? ((x + 0.5 - p.x) * dx + (at_y - p.y) * dy) / square : 0;
            along = fmax(0, fmin(1, along));
            double off_x = x + 0.5 - p.x - along * dx, off_y = at_y - p.y - along * dy;
            if (off_x * off_x + off_y * off_y > half * half)
                continue;
            float depth = (float)(p.depth + along * (q.depth - p.depth));
            size_t sample = (size_t)(y - band->top) * (size_t)band->width + (size_t)x;
            if (depth * slack < band->depths[sample])
                continue;
            cover(band->colours[sample], colour, 1);
            if (depth > band->depths[sample])
                band->depths[sample] = depth;
        }
    }
}

/* ---- colours ---- */

/* Returns how dark the ground is at a place of the picture. */
static float find_ground(const struct png_picture *picture, double x, double y)
{
    const struct png_camera *camera = &picture->camera;
    double ray[3], point[3];
    for (int i = 0; i < 3; i++)
        ray[i] = camera->axes[0][i] * (x - camera->middle[0]) / camera->focal -
                 camera->axes[1][i] * (y - camera->middle[1]) / camera->focal - camera->axes[2][i];
    double length = (picture->shadow.ground - camera->at[2]) / ray[2];
    if (!(length > 0) || !isfinite(length))
        return 0;
    for (int i = 0; i < 2; i++)
        point[i] = camera->at[i] + length * ray[i];
    point[2] = picture->shadow.ground; /* exactly: what lies flat on the ground casts no shadow there */
    return GROUND_SHADOW * shadow_at(&picture->shadow, point, true);
}

/* Finds the colour of a triangle, or of the background, at a place of the picture: light times alpha. */
static void find_colour(struct band *band, uint32_t triangle, double x, double y, float colour[4])
{
    static const float black[3] = {0, 0, 0};
    if (triangle != CP_NONE) {
        shade(band->picture, shading_of(band, triangle), x, y, colour);
        colour[3] = 1;
        return;
    }
    memcpy(colour, band->picture->background, 4 * sizeof *colour);
    if (band->picture->shadow.has_ground)
        cover(colour, black, find_ground(band->picture, x, y));
}

/* Finds the colours of a pixel's samples. Samples of the same triangle share one, at their mean place. */
static void colour_pixel(struct band *band, size_t first, int32_t column, int32_t row, float *const colours[SAMPLES])
{
    const uint32_t *upper = band->triangles + first, *lower = upper + band->width;
    const uint32_t triangles[SAMPLES] = {upper[0], upper[1], lower[0], lower[1]};
    unsigned left = (1U << SAMPLES) - 1;
    for (int i = 0; left != 0; i++) {
        int count = 0, x = 0, y = 0;
        if (!(left & 1U << i))
            continue;
        for (int k = i; k < SAMPLES; k++)
            if (triangles[k] == triangles[i]) {
                x += k % SUPERSAMPLES;
                y += k / SUPERSAMPLES;
                count++;
                left &= ~(1U << k);
            }
        find_colour(band, triangles[i], column + 0.5 + (double)x / count, row + 0.5 + (double)y / count, colours[i]);
        for (int k = i + 1; k < SAMPLES; k++)
            if (triangles[k] == triangles[i])
                memcpy(colours[k], colours[i], 4 * sizeof *colours[k]);
    }
}

/* Writes a pixel, the mean of its samples; returns where the next one goes. */
static unsigned char *write_pixel(const struct png_picture *picture, float *const colours[SAMPLES],
                                  unsigned char *bytes)
{
    float sum[4] = {0, 0, 0, 0};
    for (int i = 0; i < SAMPLES; i++)
        for (int k = 0; k < 4; k++)
            sum[k] += colours[i][k];
    float scale = sum[3] > 0 ? 1 / sum[3] : 0;
    for (int k = 0; k < 3; k++) {
        float light = sum[k] * scale;
        *bytes++ = picture->encoded[(int)((light < 1 ? light : 1) * ENCODED_STEPS + 0.5F)];
    }
    if (picture->background[3] < 1)
        *bytes++ = (unsigned char)(sum[3] / SAMPLES * 255 + 0.5F);
    return bytes;
}

/* Finds the colours of all samples, or writes all pixels, or does both at once, without keeping colours. */
static void each_pixel(struct band *band, bool find, unsigned char *bytes)
{
    float own[SAMPLES][4], *colours[SAMPLES] = {own[0], own[1], own[2], own[3]};
    for (int32_t y = band->top; y < band->end; y += SUPERSAMPLES)
        for (int32_t x = 0; x < band->width; x += SUPERSAMPLES) {
            size_t first = (size_t)(y - band->top) * (size_t)band->width + (size_t)x;
            for (int i = 0; i < SAMPLES && !(find && bytes); i++)
                colours[i] = band->colours[first + (size_t)(i / SUPERSAMPLES * band->width + i % SUPERSAMPLES)];
            if (find)
                colour_pixel(band, first, x, y, colours);
            if (bytes)
                bytes = write_pixel(band->picture, colours, bytes);
        }
}

/* ---- bands ---- */

static void draw_band(void *user, uint32_t item, uint32_t slot)
{
    const struct bands *bands = user;
    const struct png_picture *picture = bands->picture;
    struct band *band = &bands->items[slot];
    uint32_t rows = picture->height - item * picture->band_rows;
    rows = rows < picture->band_rows ? rows : picture->band_rows;
    band->top = (int32_t)(SUPERSAMPLES * item * picture->band_rows);
    band->end = band->top + (int32_t)(SUPERSAMPLES * rows);
    size_t count = (size_t)band->width * (size_t)(band->end - band->top);
    for (size_t i = 0; i < count; i++) {
        band->depths[i] = 0;
        band->triangles[i] = CP_NONE;
    }
    const struct band_list *solid = &picture->solid, *lines = &picture->lines, *glass = &picture->glass;
    for (uint32_t i = solid->first[item]; i < solid->first[item + 1]; i++)
        draw_triangle(band, solid->items[i] & ~MASKED, solid->items[i] & MASKED, false);
    unsigned char *rows_of_band = bands->rows + slot * bands->slot_bytes;
    bool plain = lines->first[item] == lines->first[item + 1] && glass->first[item] == glass->first[item + 1];
    each_pixel(band, true, plain ? rows_of_band : NULL);
    if (plain)
        return;
    for (uint32_t i = lines->first[item]; i < lines->first[item + 1]; i++)
        draw_line(band, &picture->strokes[lines->items[i]]);
    for (uint32_t i = glass->first[item]; i < glass->first[item + 1]; i++)
        draw_triangle(band, glass->items[i], false, true);
    each_pixel(band, false, rows_of_band);
}

static bool write_band(void *user, uint32_t item, uint32_t slot)
{
    struct bands *bands = user;
    uint32_t rows = bands->picture->height - item * bands->picture->band_rows;
    rows = rows < bands->picture->band_rows ? rows : bands->picture->band_rows;
    bands->status = pixels_rows(bands->output, bands->rows + slot * bands->slot_bytes, rows);
    return bands->status == CP_OK;
}

void bands_choose(struct png_picture *picture)
{
    uint32_t rows = BAND_PIXELS / picture->width;
    rows = rows < LEAST_ROWS ? LEAST_ROWS : rows > MOST_ROWS ? MOST_ROWS : rows;
    picture->band_rows = rows;
    picture->band_count = picture->height / rows + (picture->height % rows > 0);
}

cp_status bands_write(struct png_picture *picture, struct sink *sink)
{
    cp_context *context = picture->context;
    uint32_t slots = parallel_slots(context, picture->band_count);
    size_t samples = (size_t)SUPERSAMPLES * SUPERSAMPLES * picture->width * picture->band_rows;
    bool alpha = picture->background[3] < 1;
    bool covers = picture->lines.first[picture->band_count] > 0 || picture->glass.first[picture->band_count] > 0;
    struct bands bands = {.picture = picture, .row_bytes = (size_t)(alpha ? 4 : 3) * picture->width};
    bands.slot_bytes = bands.row_bytes * picture->band_rows;
    bands.items = arena_allocate(picture->arena, slots, sizeof *bands.items);
    bands.rows = arena_allocate(picture->arena, slots, bands.slot_bytes);
    bool good = bands.items && bands.rows;
    for (uint32_t i = 0; i < slots && good; i++) {
        struct band *band = &bands.items[i];
        *band = (struct band){.picture = picture, .width = (int32_t)(SUPERSAMPLES * picture->width)};
        for (int k = 0; k < CACHED; k++)
            band->cache[k].triangle = CP_NONE;
        band->depths = arena_allocate(picture->arena, samples, sizeof *band->depths);
        band->triangles = arena_allocate(picture->arena, samples, sizeof *band->triangles);
        band->colours = covers ? arena_allocate(picture->arena, samples, sizeof *band->colours) : NULL;
        good = band->depths && band->triangles && (band->colours || !covers);
    }
    if (!good)
        return CP_LIMIT;
    cp_status status = pixels_begin(context, sink, picture->width, picture->height, alpha, &bands.output);
    if (status == CP_OK && !parallel_in_order(context, picture->band_count, draw_band, write_band, &bands))
        status = bands.status == CP_OK ? CP_LIMIT : bands.status;
    cp_status ended = pixels_end(bands.output, status == CP_OK);
    return status == CP_OK ? ended : status;
}
