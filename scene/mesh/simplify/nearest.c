#include "nearest.h"
#include "../triangle.h"

#include <float.h>
#include <string.h>

enum {
    MOST_FACES = 64, /* that are looked at around a vertex */
    LEAF = 8,        /* faces in a box */
    FAN = 4          /* boxes in a box */
};

void search_face(struct search *search, uint32_t face)
{
    const struct surface *surface = search->map->surface;
    const uint32_t *at = surface->triangles[face];
    const double *const corners[3] = {surface->points[at[0]], surface->points[at[1]], surface->points[at[2]]};
    double shares[2], distance = triangle_distance(search->point, corners, shares);
    if (!(distance < search->distance))
        return;
    search->distance = distance;
    search->face = face;
    memcpy(search->shares, shares, sizeof shares);
}

static void search_star(struct search *search, uint32_t vertex)
{
    uint32_t left = MOST_FACES;
    for (uint32_t corner = search->map->first[vertex]; corner != CP_NONE && left-- > 0;
         corner = search->map->next[corner])
        search_face(search, corner / 3);
}

uint32_t search_vertex(const struct search *search)
{
    double last = 1 - search->shares[0] - search->shares[1];
    const uint32_t *face = search->map->surface->triangles[search->face];
    if (search->shares[0] >= search->shares[1])
        return face[search->shares[0] >= last ? 0 : 2];
    return face[search->shares[1] >= last ? 1 : 2];
}

struct search search_begin(const struct face_map *map, const double point[3])
{
    return (struct search){.map = map, .point = {point[0], point[1], point[2]}, .distance = DBL_MAX};
}

struct search search_original(const struct face_map *map, uint32_t original)
{
    double point[3];
    from_mesh_unit(map->surface, map->surface->originals[original], point);
    return search_begin(map, point);
}

void search_from(struct search *search, uint32_t vertex)
{
    enum { MOST_STEPS = 4 };
    for (int step = 0; step < MOST_STEPS; step++) {
        double before = search->distance;
        search_star(search, vertex);
        uint32_t nearest = search->distance < before ? search_vertex(search) : vertex;
        if (nearest == vertex)
            return;
        vertex = nearest;
    }
}

/* ---- the tree ---- */

static void empty_box(double box[6])
{
    for (int axis = 0; axis < 3; axis++) {
        box[axis] = INFINITY;
        box[3 + axis] = -INFINITY;
    }
}

static void widen_box(double box[6], const double low[3], const double high[3])
{
    for (int axis = 0; axis < 3; axis++) {
        box[axis] = low[axis] < box[axis] ? low[axis] : box[axis];
        box[3 + axis] = high[axis] > box[3 + axis] ? high[axis] : box[3 + axis];
    }
}

static uint32_t groups_of(uint32_t count, uint32_t size)
{
    return (uint32_t)(((uint64_t)count + size - 1) / size);
}

static double box_distance(const double box[6], const double point[3])
{
    double sum = 0;
    for (int axis = 0; axis < 3; axis++) {
        double below = box[axis] - point[axis], above = point[axis] - box[3 + axis];
        double away = below > above ? below : above;
        sum += away > 0 ? away * away : 0;
    }
    return sum;
}

/* Boxes that are still to be looked into. */
struct pending {
    uint32_t level, box;
};

struct tree_walk {
    uint32_t starts[34], counts[34]; /* of levels */
    struct pending stack[34 * FAN];
    uint32_t height;
};

static void search_leaf(struct search *search, uint32_t leaf)
{
    uint32_t end = search->map->surface->triangle_count - leaf * LEAF < LEAF ? search->map->surface->triangle_count
                                                                             : (leaf + 1) * LEAF;
    for (uint32_t at = leaf * LEAF; at < end; at++)
        search_face(search, search->map->order[at]);
}

void search_all(struct search *search, uint32_t *boxes)
{
    enum { MOST_BOXES = 512 };
    const struct face_map *map = search->map;
    struct tree_walk walk;
    uint32_t count = groups_of(map->surface->triangle_count, LEAF), start = 0, levels = 0;
    for (;; levels++) {
        walk.starts[levels] = start;
        walk.counts[levels] = count;
        start += count;
        if (count == 1)
            break;
        count = groups_of(count, FAN);
    }
    walk.height = 0;
    walk.stack[walk.height++] = (struct pending){levels, 0};
    for (uint32_t seen = 0; walk.height > 0 && seen < MOST_BOXES; seen++) {
        if (*boxes == 0)
            return;
        --*boxes;
        struct pending at = walk.stack[--walk.height];
        if (!(box_distance(map->boxes[walk.starts[at.level] + at.box], search->point) < search->distance))
            continue;
        if (at.level == 0) {
            search_leaf(search, at.box);
            continue;
        }
        for (uint32_t child = at.box * FAN; child < (at.box + 1) * FAN && child < walk.counts[at.level - 1]; child++)
            walk.stack[walk.height++] = (struct pending){at.level - 1, child};
    }
}

/* ---- the map ---- */

static void link_corners(struct face_map *map)
{
    const struct surface *surface = map->surface;
    memset(map->first, 0xff, surface->vertex_count * sizeof *map->first);
    for (uint32_t corner = 3 * surface->triangle_count; corner-- > 0;) {
        uint32_t vertex = surface->triangles[corner / 3][corner % 3];
        map->next[corner] = map->first[vertex];
        map->first[vertex] = corner;
    }
}

/* Each face where its first vertex along the curve is. */
static void order_faces(struct face_map *map)
{
    const struct surface *surface = map->surface;
    uint32_t count = 0;
    for (uint32_t vertex = 0; vertex < surface->vertex_count; vertex++)
        for (uint32_t corner = map->first[vertex]; corner != CP_NONE; corner = map->next[corner]) {
            const uint32_t *face = surface->triangles[corner / 3];
            if (face[(corner + 1) % 3] > vertex && face[(corner + 2) % 3] > vertex)
                map->order[count++] = corner / 3;
        }
}

void face_map_measure(struct face_map *map)
{
    const struct surface *surface = map->surface;
    uint32_t leaves = groups_of(surface->triangle_count, LEAF);
    for (uint32_t leaf = 0; leaf < leaves; leaf++)
        empty_box(map->boxes[leaf]);
    for (uint32_t at = 0; at < surface->triangle_count; at++)
        for (int corner = 0; corner < 3; corner++) {
            const double *point = surface->points[surface->triangles[map->order[at]][corner]];
            widen_box(map->boxes[at / LEAF], point, point);
        }
    for (uint32_t first = 0, count = leaves; count > 1;) {
        uint32_t above = groups_of(count, FAN);
        for (uint32_t box = 0; box < above; box++)
            empty_box(map->boxes[first + count + box]);
        for (uint32_t box = 0; box < count; box++)
            widen_box(map->boxes[first + count + box / FAN], map->boxes[first + box], map->boxes[first + box] + 3);
        first += count;
        count = above;
    }
}

static uint32_t count_boxes(uint32_t faces)
{
    uint32_t count = groups_of(faces, LEAF), all = count;
    while (count > 1) {
        count = groups_of(count, FAN);
        all += count;
    }
    return all;
}

bool face_map_make(struct face_map *map, struct surface *surface)
{
    cp_context *context = surface->context;
    size_t faces = surface->triangle_count;
    *map = (struct face_map){.surface = surface, .box_room = count_boxes(surface->triangle_count)};
    map->first = memory_allocate(context, surface->vertex_count, sizeof *map->first);
    map->next = memory_allocate(context, 3 * faces, sizeof *map->next);
    map->order = memory_allocate(context, faces, sizeof *map->order);
    map->boxes = memory_allocate(context, map->box_room, sizeof *map->boxes);
    if (!map->first || !map->next || !map->order || !map->boxes)
        return false;
    link_corners(map);
    order_faces(map);
    face_map_measure(map);
    return true;
}

void face_map_free(struct face_map *map)
{
    if (!map->surface)
        return;
    cp_context *context = map->surface->context;
    size_t faces = map->surface->triangle_count;
    memory_free(context, map->first, map->surface->vertex_count, sizeof *map->first);
    memory_free(context, map->next, 3 * faces, sizeof *map->next);
    memory_free(context, map->order, faces, sizeof *map->order);
    memory_free(context, map->boxes, map->box_room, sizeof *map->boxes);
}
