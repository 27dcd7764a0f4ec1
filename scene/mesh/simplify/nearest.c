#include "nearest.h"

#include <float.h>
#include <string.h>

enum {
    LEAF = 8, /* faces in a box */
    FAN = 4   /* boxes in a box */
};

void search_face(struct face_search *search, uint32_t face)
{
    const struct surface *surface = search->map->surface;
    const uint32_t *at = surface->triangles[face];
    const double *const corners[3] = {surface->points[at[0]], surface->points[at[1]], surface->points[at[2]]};
    /* Skip a face whose plane is too far off for certain: most faces whose box is near enough are so. */
    const double sure = 1 + 1e-9;
    double normal[3], away[3], shares[2];
    triangle_normal(corners[0], corners[1], corners[2], normal);
    subtract(search->point, corners[0], away);
    double height = dot_product(away, normal);
    if (height * height > (sure * search->distance + 1e-12 * dot_product(away, away)) * dot_product(normal, normal))
        return;
    double distance = triangle_distance(search->point, corners, shares);
    if (!(distance < search->distance))
        return;
    search->distance = distance;
    search->face = face;
    memcpy(search->shares, shares, sizeof shares);
}

uint32_t search_vertex(const struct face_search *search)
{
    double last = 1 - search->shares[0] - search->shares[1];
    const uint32_t *face = search->map->surface->triangles[search->face];
    if (search->shares[0] >= search->shares[1])
        return face[search->shares[0] >= last ? 0 : 2];
    return face[search->shares[1] >= last ? 1 : 2];
}

struct face_search search_begin(const struct face_map *map, const double point[3])
{
    return (struct face_search){.map = map, .point = {point[0], point[1], point[2]}, .distance = DBL_MAX};
}

struct face_search search_point(const struct face_map *map, const float point[3])
{
    double own[3];
    from_mesh_unit(map->surface, point, own);
    return search_begin(map, own);
}

void search_from(struct face_search *search, uint32_t vertex)
{
    enum { MOST_STEPS = 4 };
    const struct face_map *map = search->map;
    for (int step = 0; step < MOST_STEPS; step++) {
        double before = search->distance;
        uint32_t left = CROWD;
        for (uint32_t corner = map->first[vertex]; corner != CP_NONE && left-- > 0; corner = map->next[corner])
            search_face(search, corner / 3);
        uint32_t nearest = search->distance < before ? search_vertex(search) : vertex;
        if (nearest == vertex)
            return;
        vertex = nearest;
    }
}

/* ---- the tree ---- */

static double box_distance(const struct box *box, const double point[3])
{
    double sum = 0;
    for (int axis = 0; axis < 3; axis++) {
        double below = box->low[axis] - point[axis], above = point[axis] - box->high[axis];
        double away = below > above ? below : above;
        sum += away > 0 ? away * away : 0;
    }
    return sum;
}

void search_all(struct face_search *search, uint32_t *boxes)
{
    enum { MOST_BOXES = 512, MOST_LEVELS = 17 };
    const struct face_map *map = search->map;
    const struct box_tree *tree = &map->tree;
    struct waiting {
        double distance;
        uint32_t box;
    } waiting[MOST_LEVELS * FAN] = {{0, 0}};
    uint32_t count = 1;
    for (uint32_t seen = 0; count > 0 && seen < MOST_BOXES; seen++) {
        struct waiting next = waiting[--count];
        if (!(next.distance < search->distance))
            continue;
        if (*boxes == 0)
            return;
        --*boxes;
        uint32_t at = next.box, end, first = count;
        if (at >= tree->first_leaf) {
            for (uint32_t i = box_tree_items(tree, at, &end); i < end; i++)
                search_face(search, map->order[i]);
            continue;
        }
        /* Push its boxes that may be near enough, the nearest on top. */
        for (uint32_t part = at * FAN + 1; part <= (at + 1) * FAN; part++) {
            struct waiting one = {box_distance(&tree->boxes[part], search->point), part};
            uint32_t place = count;
            if (!(one.distance < search->distance))
                continue;
            for (; place > first && waiting[place - 1].distance < one.distance; place--)
                waiting[place] = waiting[place - 1];
            waiting[place] = one;
            count++;
        }
    }
}

/* ---- the map ---- */

void face_map_measure(struct face_map *map)
{
    const struct surface *surface = map->surface;
    box_tree_start(&map->tree, surface->triangle_count);
    for (uint32_t at = 0; at < surface->triangle_count; at++)
        for (int corner = 0; corner < 3; corner++) {
            const double *point = surface->points[surface->triangles[map->order[at]][corner]];
            box_add(box_tree_leaf(&map->tree, at), point, point);
        }
    box_tree_join(&map->tree);
}

/* Orders the faces along a z-curve of their boxes. */
static bool order_faces(const struct surface *surface, uint32_t *order)
{
    struct box *boxes = memory_allocate(surface->context, surface->triangle_count, sizeof *boxes);
    for (uint32_t face = 0; boxes && face < surface->triangle_count; face++) {
        boxes[face] = box_empty();
        for (int corner = 0; corner < 3; corner++) {
            const double *point = surface->points[surface->triangles[face][corner]];
            box_add(&boxes[face], point, point);
        }
    }
    bool good = boxes && box_order(surface->context, boxes, surface->triangle_count, order);
    memory_free(surface->context, boxes, surface->triangle_count, sizeof *boxes);
    return good;
}

bool face_map_make(struct face_map *map, const struct surface *surface)
{
    cp_context *context = surface->context;
    size_t faces = surface->triangle_count;
    *map = (struct face_map){.surface = surface, .tree = {.fan = FAN, .leaf = LEAF}};
    map->first = memory_allocate(context, surface->vertex_count, sizeof *map->first);
    map->next = memory_allocate(context, 3 * faces, sizeof *map->next);
    map->order = memory_allocate(context, faces, sizeof *map->order);
    if (!box_tree_reserve(&map->tree, context, surface->triangle_count) || !map->first || !map->next || !map->order)
        return false;
    memset(map->first, 0xff, surface->vertex_count * sizeof *map->first);
    for (uint32_t corner = 3 * surface->triangle_count; corner-- > 0;) {
        uint32_t vertex = surface->triangles[corner / 3][corner % 3];
        map->next[corner] = map->first[vertex];
        map->first[vertex] = corner;
    }
    if (!order_faces(surface, map->order))
        return false;
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
    box_tree_free(&map->tree, context);
}
