/* Triangles and vertices in the order that packs best: each order is tried, in a thread of its own. */
#include "order.h"

#include "../../../scene/parallel.h"
#include "pack.h"

#include <string.h>

typedef void order_function(struct order_group *group);
static order_function *const orders[] = {order_rings, order_scores};
enum { ORDERS = sizeof orders / sizeof *orders };

/* ---- what the orders share ---- */

uint32_t order_look_at(struct order_group *group, uint32_t number)
{
    uint32_t *list = group->lists + group->first[number], *listed = &group->listed[number], i = 0;
    while (i < *listed && i < MOST_LOOKED_AT)
        if (group->taken[list[i] / 3])
            list[i] = list[--*listed];
        else
            i++;
    return i;
}

void order_take(struct order_group *group, uint32_t corner)
{
    group->taken[corner / 3] = true;
    group->out[group->written++] = group->corners[corner];
    group->out[group->written++] = group->corners[next_corner(corner)];
    group->out[group->written++] = group->corners[previous_corner(corner)];
}

/* Numbers the vertices of the group, and lists the corners of each. */
static void open_group(struct order_group *group)
{
    uint32_t numbers = 0;
    group->written = 0;
    memset(group->taken, 0, group->count / 3 * sizeof *group->taken);
    for (uint32_t i = 0; i < group->count; i++) {
        uint32_t *number = &group->local[group->corners[i]];
        if (*number == CP_NONE) {
            group->listed[numbers] = group->words[numbers] = 0;
            group->bytes[numbers] = 0;
            *number = numbers++;
        }
        group->listed[*number]++;
    }
    for (uint32_t i = 0, at = 0; i < numbers; i++) {
        group->first[i] = at;
        at += group->listed[i];
        group->listed[i] = 0;
    }
    for (uint32_t i = 0; i < group->count; i++) {
        uint32_t number = order_number(group, i);
        group->lists[group->first[number] + group->listed[number]++] = i;
    }
}

static void close_group(struct order_group *group)
{
    for (uint32_t i = 0; i < group->count; i++)
        group->local[group->corners[i]] = CP_NONE;
}

/* ---- one try ---- */

struct trial {
    const struct web_mesh *web; /* as it was */
    order_function *order;
    struct order_group group;
    unsigned char *vertices; /* those that are used, in the new order: the words that may differ */
    size_t stride;           /* of them */
    uint32_t vertex_count;
    uint32_t *corners;     /* of the mesh, in the new order, with the new numbers of vertices */
    unsigned char *packed; /* room for vertices or corners */
    size_t size;           /* of both, packed */
};

static void order_groups(struct trial *trial)
{
    for (uint32_t i = 0; i < trial->web->group_count; i++) {
        const cp_group *group = &trial->web->groups[i];
        trial->group.corners = trial->web->corners + 3 * (size_t)group->first_face;
        trial->group.count = 3 * group->face_count;
        trial->group.out = trial->corners + 3 * (size_t)group->first_face;
        open_group(&trial->group);
        trial->order(&trial->group);
        close_group(&trial->group);
    }
}

/* By first use. */
static void number_vertices(struct trial *trial)
{
    uint32_t *numbers = trial->group.local; /* all CP_NONE between groups */
    for (uint32_t i = 0; i < trial->web->corner_count; i++) {
        uint32_t *number = &numbers[trial->corners[i]];
        if (*number == CP_NONE) {
            memcpy(trial->vertices + trial->stride * trial->vertex_count, trial->web->vertices[trial->corners[i]],
                   trial->stride);
            *number = trial->vertex_count++;
        }
        trial->corners[i] = *number;
    }
}

static void run_trial(void *user, uint32_t item, uint32_t worker)
{
    struct trial *trial = &((struct trial *)user)[item];
    (void)worker;
    order_groups(trial);
    number_vertices(trial);
    trial->size = pack(pack_vertices(trial->vertices, trial->vertex_count, trial->stride), trial->packed) +
                  pack(pack_corners(trial->corners, trial->web->corner_count, trial->vertex_count), trial->packed);
}

/* ---- the mesh ---- */

static bool open_trial(struct arena *arena, const struct web_mesh *web, order_function *order, struct trial *trial)
{
    struct order_group *group = &trial->group;
    size_t vertices = web->vertex_count;
    *trial = (struct trial){.web = web, .order = order, .group.creased = web->has_normals};
    trial->stride = (web->has_colours ? 3 : 2) * sizeof(uint32_t);
    size_t packed = pack_bound(pack_vertices(NULL, web->vertex_count, trial->stride)),
           packed_corners = pack_bound(pack_corners(NULL, web->corner_count, web->vertex_count));
    trial->corners = arena_allocate(arena, web->corner_count, sizeof *trial->corners);
    trial->vertices = arena_allocate(arena, vertices, trial->stride);
    trial->packed = arena_allocate(arena, 1, packed > packed_corners ? packed : packed_corners);
    group->lists = arena_allocate(arena, web->corner_count, sizeof *group->lists);
    group->taken = arena_allocate(arena, web->corner_count / 3, sizeof *group->taken);
    group->bytes = arena_allocate(arena, vertices, 1);
    group->floats = arena_allocate(arena, vertices, sizeof *group->floats);
    uint32_t *by_number = arena_allocate(arena, vertices, 4 * sizeof *by_number);
    if (!trial->corners || !trial->vertices || !trial->packed || !group->lists || !group->taken || !group->bytes ||
        !group->floats || !by_number)
        return false;
    group->local = by_number;
    group->first = by_number + vertices;
    group->listed = by_number + 2 * vertices;
    group->words = by_number + 3 * vertices;
    memset(group->local, 0xff, vertices * sizeof *group->local);
    return true;
}

bool web_order(cp_context *context, struct web_mesh *web)
{
    struct web_mesh before = *web; /* trials keep its counts */
    struct trial trials[ORDERS];
    struct arena *arena = arena_new(context);
    bool good = arena;
    for (size_t i = 0; i < ORDERS && good; i++)
        good = open_trial(arena, &before, orders[i], &trials[i]);
    good = good && parallel_for(context, ORDERS, run_trial, trials);
    if (good) {
        const struct trial *best = &trials[0];
        for (size_t i = 1; i < ORDERS; i++)
            best = trials[i].size < best->size ? &trials[i] : best;
        for (size_t i = 0; i < best->vertex_count; i++)
            memcpy(web->vertices[i], best->vertices + best->stride * i, best->stride);
        memcpy(web->corners, best->corners, web->corner_count * sizeof *web->corners);
        web->vertex_count = best->vertex_count;
    }
    arena_free(arena);
    return good;
}
