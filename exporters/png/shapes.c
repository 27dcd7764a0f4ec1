/* Lists what is drawn: instances with the places of their vertices in the picture, and which triangles and lines each
 * band of the picture needs. */
#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "mesh/mesh.h"
#include "picture.h"

/* ---- instances ---- */

static void place_vertices(const struct png_picture *picture, const struct shape *shape)
{
    const cp_pose map = pose_multiply(&picture->camera.picture, &shape->world);
    const double *m = map.m;
    const float *at = shape->mesh->positions;
    const double least = 1e-6 * picture->camera.nearest; /* no place is at the camera itself */
    struct place_in_picture *place = picture->places + shape->first_place;
    for (uint32_t i = 0; i < shape->mesh->vertex_count; i++, at += 3, place++) {
        double x = (double)at[0], y = (double)at[1], z = (double)at[2];
        double w = m[8] * x + m[9] * y + m[10] * z + m[11];
        w = w < least && w > -least ? least : w;
        double scale = 1 / w;
        place->x = (float)((m[0] * x + m[1] * y + m[2] * z + m[3]) * scale);
        place->y = (float)((m[4] * x + m[5] * y + m[6] * z + m[7]) * scale);
        place->w = (float)w;
    }
}

static void place_shape(void *user, uint32_t item, uint32_t worker)
{
    (void)worker;
    const struct png_picture *picture = user;
    place_vertices(picture, &picture->shapes[item]);
}

static cp_status place_shapes(struct png_picture *picture)
{
    const cp_scene *scene = picture->scene;
    const struct shown *shown = &picture->views.shown;
    uint64_t places = 0, triangles = 0;
    for (uint32_t i = 0; i < scene->instance_count; i++) {
        const cp_instance *instance = &scene->instances[i];
        const cp_mesh *mesh = &scene->meshes[instance->mesh];
        if (!(instance->use & shown->use) || mesh->corner_count == 0)
            continue;
        struct shape *shape = &picture->shapes[picture->shape_count++];
        *shape = (struct shape){.mesh = mesh,
                                .first_place = (uint32_t)places,
                                .first_triangle = (uint32_t)triangles,
                                .world = shown->worlds[i]};
        double matrix[3][3];
        mesh_normal_matrix(&shape->world, matrix);
        for (int row = 0; row < 3; row++)
            for (int k = 0; k < 3; k++)
                shape->normals[row][k] = (float)matrix[row][k];
        shape->mirrored = pose_determinant(&shape->world) < 0;
        places += mesh->vertex_count;
        triangles += mesh->kind == CP_MESH_FACES ? mesh->face_count : 0;
        if (places >= CP_NONE || triangles >= MASKED)
            return report_error(picture->context, CP_LIMIT, "png-large", NOWHERE,
                                "more than 2^31 triangles or 2^32 vertices");
    }
    picture->place_count = (uint32_t)places;
    picture->triangle_count = (uint32_t)triangles;
    picture->places = arena_allocate(picture->arena, picture->place_count, sizeof *picture->places);
    if (!picture->places)
        return CP_LIMIT;
    return parallel_for(picture->context, picture->shape_count, place_shape, picture) ? CP_OK : CP_LIMIT;
}

cp_status shapes_make(struct png_picture *picture)
{
    picture->shapes = arena_allocate(picture->arena, picture->scene->instance_count, sizeof *picture->shapes);
    return picture->shapes ? place_shapes(picture) : CP_LIMIT;
}

const struct shape *shape_of(const struct png_picture *picture, uint32_t triangle)
{
    uint32_t first = 0, end = picture->shape_count;
    while (end - first > 1) {
        uint32_t middle = first + (end - first) / 2;
        if (picture->shapes[middle].first_triangle <= triangle)
            first = middle;
        else
            end = middle;
    }
    return &picture->shapes[first];
}

/* ---- bands ---- */

/* Finds the bands that a thing of a few corners may touch, with so many samples around it; false for none. */
static bool find_bands(const struct png_picture *picture, const struct place_in_picture *const *corners, int count,
                       double around, uint32_t *first, uint32_t *last)
{
    float left = INFINITY, right = -INFINITY, low = INFINITY, high = -INFINITY;
    const float nearest = (float)picture->camera.nearest;
    const int32_t width = (int32_t)(SUPERSAMPLES * picture->width), height = (int32_t)(SUPERSAMPLES * picture->height);
    int before = 0;
    for (int i = 0; i < count; i++) {
        const struct place_in_picture *at = corners[i];
        before += at->w >= nearest;
        left = at->x < left ? at->x : left;
        right = at->x > right ? at->x : right;
        low = at->y < low ? at->y : low;
        high = at->y > high ? at->y : high;
    }
    *first = 0;
    *last = picture->band_count - 1;
    if (before < count) /* it reaches behind the camera: if not all of it is there, it may be anywhere */
        return before > 0;
    if (first_middle((double)left - around, 0, width) >= end_of_middles((double)right + around, 0, width))
        return false;
    int32_t top = first_middle((double)low - around, 0, height);
    int32_t end = end_of_middles((double)high + around, 0, height);
    if (top >= end)
        return false;
    *first = (uint32_t)top / (SUPERSAMPLES * picture->band_rows);
    *last = (uint32_t)(end - 1) / (SUPERSAMPLES * picture->band_rows);
    return true;
}

/* Adds an item to the bands; the first time, only counts it: items NULL. */
static void add_to_bands(struct band_list *list, uint32_t item, uint32_t first, uint32_t last)
{
    for (uint32_t band = first; band <= last; band++) {
        if (list->items)
            list->items[list->first[band]] = item;
        list->first[band]++;
    }
}

static bool start_list(struct png_picture *picture, struct band_list *list)
{
    list->first = arena_allocate_zeroed(picture->arena, picture->band_count + (size_t)1, sizeof *list->first);
    return list->first != NULL;
}

/* Makes room after counting: from then on, first[i] is where the next item of the band goes. */
static cp_status end_count(struct png_picture *picture, struct band_list *list)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i <= picture->band_count; i++) {
        uint64_t count = list->first[i];
        list->first[i] = (uint32_t)sum;
        sum += count;
    }
    if (sum > UINT32_MAX)
        return report_error(picture->context, CP_LIMIT, "png-large", NOWHERE,
                            "too many triangles for a picture of this height");
    list->items = arena_allocate(picture->arena, (size_t)sum, sizeof *list->items);
    return list->items ? CP_OK : CP_LIMIT;
}

/* Moves the ends of the bands back to their begins. */
static void end_list(const struct png_picture *picture, struct band_list *list)
{
    for (uint32_t i = picture->band_count; i > 0; i--)
        list->first[i] = list->first[i - 1];
    list->first[0] = 0;
}

/* A translucent triangle, and its distance. */
struct pane {
    uint32_t triangle;
    float w;
};

static int compare_panes(const void *a, const void *b)
{
    const struct pane *one = a, *other = b;
    if (one->w != other->w)
        return one->w > other->w ? -1 : 1; /* they are finite */
    return one->triangle < other->triangle ? -1 : one->triangle > other->triangle;
}

struct sorter {
    struct png_picture *picture;
    struct pane *panes;
    uint32_t pane_count;
    uint32_t *spans; /* of triangles: their first band and, in the upper half, their last one; or CP_NONE */
    bool counting;
};

static bool is_translucent(const struct look *look, const cp_mesh *mesh, const uint32_t *corners)
{
    if (look->alpha != CP_ALPHA_BLEND)
        return false;
    bool any = look->rgba[3] < 1 || (look->texels && look->texels->translucent && mesh->coordinates[look->set]);
    for (int i = 0; i < 3 && mesh->colours; i++)
        any = any || mesh->colours[4 * (size_t)corners[i] + 3] < 1;
    return any;
}

/* Tells whether the triangle shows its back: its corners run clockwise in the picture. */
static bool shows_back(const struct shape *shape, const struct place_in_picture *const *corners)
{
    double at[3][3], line[3];
    for (int i = 0; i < 3; i++)
        place_times_w(corners[i], at[i]);
    cross_product(at[1], at[2], line);
    return (dot_product(at[0], line) > 0) != shape->mirrored; /* y counts down */
}

static void sort_shape(struct sorter *sorter, const struct shape *shape)
{
    struct png_picture *picture = sorter->picture;
    const cp_mesh *mesh = shape->mesh;
    const struct place_in_picture *places = picture->places + shape->first_place;
    const struct look *look = NULL;
    uint32_t group = 0, first, last;
    for (uint32_t face = 0; face < mesh->face_count; face++) {
        const uint32_t *corners = mesh->corners + mesh_face_first(mesh, face);
        const struct place_in_picture *const p[3] = {places + corners[0], places + corners[1], places + corners[2]};
        uint32_t *span = &sorter->spans[shape->first_triangle + face];
        if (sorter->counting)
            *span = find_bands(picture, p, 3, 0, &first, &last) ? first | last << 16 : CP_NONE;
        if (*span == CP_NONE)
            continue;
        first = *span & UINT16_MAX;
        last = *span >> 16;
        while (group + 1 < mesh->group_count && face >= mesh->groups[group + 1].first_face) {
            group++;
            look = NULL;
        }
        look = look ? look : &picture->looks[look_of_face(picture, mesh, face)];
        if (look->one_sided && shows_back(shape, p))
            continue;
        uint32_t triangle = shape->first_triangle + face;
        if (is_translucent(look, mesh, corners)) {
            if (!sorter->counting)
                sorter->panes[sorter->pane_count] = (struct pane){triangle, p[0]->w + p[1]->w + p[2]->w};
            sorter->pane_count++;
        } else {
            add_to_bands(&picture->solid, look->alpha == CP_ALPHA_MASK ? triangle | MASKED : triangle, first, last);
        }
    }
}

static void add_panes(struct sorter *sorter)
{
    struct png_picture *picture = sorter->picture;
    for (uint32_t i = 0; i < sorter->pane_count; i++) {
        uint32_t triangle = sorter->panes[i].triangle;
        add_to_bands(&picture->glass, triangle, sorter->spans[triangle] & UINT16_MAX, sorter->spans[triangle] >> 16);
    }
}

static void add_strokes(struct png_picture *picture)
{
    uint32_t first, last;
    for (uint32_t i = 0; i < picture->stroke_count; i++) {
        const struct stroke *stroke = &picture->strokes[i];
        const struct place_in_picture *const p[2] = {picture->places + stroke->ends[0],
                                                     picture->places + stroke->ends[1]};
        if (find_bands(picture, p, 2, SUPERSAMPLES, &first, &last))
            add_to_bands(&picture->lines, i, first, last);
    }
}

static void sort_shapes(struct sorter *sorter, bool counting)
{
    sorter->counting = counting;
    sorter->pane_count = 0;
    for (uint32_t i = 0; i < sorter->picture->shape_count; i++)
        if (sorter->picture->shapes[i].mesh->kind == CP_MESH_FACES)
            sort_shape(sorter, &sorter->picture->shapes[i]);
}

cp_status bands_make(struct png_picture *picture)
{
    struct sorter sorter = {.picture = picture};
    if (!start_list(picture, &picture->solid) || !start_list(picture, &picture->glass) ||
        !start_list(picture, &picture->lines))
        return CP_LIMIT;
    sorter.spans = arena_allocate(picture->arena, picture->triangle_count, sizeof *sorter.spans);
    if (!sorter.spans)
        return CP_LIMIT;
    sort_shapes(&sorter, true);
    sorter.panes = arena_allocate(picture->arena, sorter.pane_count, sizeof *sorter.panes);
    cp_status status = sorter.panes ? end_count(picture, &picture->solid) : CP_LIMIT;
    if (status != CP_OK)
        return status;
    sort_shapes(&sorter, false);
    qsort(sorter.panes, sorter.pane_count, sizeof *sorter.panes, compare_panes);
    add_panes(&sorter);
    add_strokes(picture);
    status = end_count(picture, &picture->glass);
    if (status == CP_OK)
        status = end_count(picture, &picture->lines);
    if (status != CP_OK)
        return status;
    add_panes(&sorter);
    add_strokes(picture);
    end_list(picture, &picture->solid);
    end_list(picture, &picture->glass);
    end_list(picture, &picture->lines);
    return CP_OK;
}
