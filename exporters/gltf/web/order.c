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
    uint32_t *corners;    /* of the mesh, in the new order, with the new numbers of vertices */
    uint32_t *names;      /* the vertices of the mesh in the new order */
    uint32_t *by_number;  /* memory of `group` */
    uint32_t vertices;    /* that are used */
    unsigned char *piece; /* of packed vertices */
    size_t size;          /* packed */
};

enum { BY_NUMBER = 4, PIECE_ELEMENTS = 256 };

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
            *number = trial->vertices;
            trial->names[trial->vertices++] = trial->corners[i];
        }
        trial->corners[i] = *number;
    }
}

/* The vertices are measured as they are, all words of one in one piece: the bytes are those of the streams, and zeros. */
static size_t measure_vertices(const struct trial *trial)
{
    web_vertex elements[PIECE_ELEMENTS + 1];
    size_t size = 0;
    for (uint32_t at = 0; at < trial->vertices; at += PIECE_ELEMENTS) {
        uint32_t count = trial->vertices - at < PIECE_ELEMENTS ? trial->vertices - at : (uint32_t)PIECE_ELEMENTS;
        for (uint32_t i = 0; i <= count; i++) /* the one before, too */
            memcpy(elements[i], trial->web->vertices[trial->names[at + i > 0 ? at + i - 1 : 0]], sizeof *elements);
        size += pack_blocks((const unsigned char *)elements, sizeof *elements, 1, count, trial->piece);
    }
    return size;
}

static void run_trial(void *user, uint32_t item, uint32_t worker)
{
    struct trial *trial = &((struct trial *)user)[item];
    (void)worker;
    order_groups(trial);
    number_vertices(trial);
    trial->size = measure_vertices(trial) + pack_triangles(trial->corners, trial->web->corner_count, NULL);
}

/* ---- the mesh ---- */

static bool open_trial(cp_context *context, const struct web_mesh *web, order_function *order, struct trial *trial)
{
    struct order_group *group = &trial->group;
    size_t vertices = web->vertex_count;
    *trial = (struct trial){.web = web, .order = order, .group.creased = web->has_normals};
    trial->corners = memory_allocate(context, web->corner_count, sizeof *trial->corners);
    trial->names = memory_allocate(context, vertices, sizeof *trial->names);
    trial->by_number = memory_allocate(context, vertices, BY_NUMBER * sizeof *trial->by_number);
    trial->piece = memory_allocate(context, 1, pack_blocks_bound(PIECE_ELEMENTS, sizeof(web_vertex)));
    group->lists = memory_allocate(context, web->corner_count, sizeof *group->lists);
    group->taken = memory_allocate(context, web->corner_count / 3, sizeof *group->taken);
    group->bytes = memory_allocate(context, vertices, 1);
    if (!trial->corners || !trial->names || !trial->by_number || !trial->piece || !group->lists || !group->taken ||
        !group->bytes)
        return false;
    group->floats = memory_allocate(context, vertices, sizeof *group->floats);
    if (!group->floats)
        return false;
    uint32_t **tables[BY_NUMBER] = {&group->local, &group->first, &group->listed, &group->words};
    for (size_t i = 0; i < BY_NUMBER; i++)
        *tables[i] = trial->by_number + i * vertices;
    memset(group->local, 0xff, vertices * sizeof *group->local);
    return true;
}

static void close_trial(cp_context *context, struct trial *trial)
{
    const struct web_mesh *web = trial->web;
    if (!web)
        return;
    memory_free(context, trial->corners, web->corner_count, sizeof *trial->corners);
    memory_free(context, trial->names, web->vertex_count, sizeof *trial->names);
    memory_free(context, trial->by_number, web->vertex_count, BY_NUMBER * sizeof *trial->by_number);
    memory_free(context, trial->piece, 1, pack_blocks_bound(PIECE_ELEMENTS, sizeof(web_vertex)));
    memory_free(context, trial->group.lists, web->corner_count, sizeof *trial->group.lists);
    memory_free(context, trial->group.taken, web->corner_count / 3, sizeof *trial->group.taken);
    memory_free(context, trial->group.bytes, web->vertex_count, 1);
    memory_free(context, trial->group.floats, web->vertex_count, sizeof *trial->group.floats);
}

static bool take_trial(cp_context *context, const struct trial *trial, struct web_mesh *web)
{
    uint32_t count = web->vertex_count;
    web_vertex *old = memory_allocate(context, count, sizeof *old);
    if (!old)
        return false;
    memcpy(old, web->vertices, count * sizeof *old);
    for (uint32_t i = 0; i < trial->vertices; i++)
        memcpy(web->vertices[i], old[trial->names[i]], sizeof *old);
    memcpy(web->corners, trial->corners, web->corner_count * sizeof *web->corners);
    memory_free(context, old, count, sizeof *old);
    web->vertex_count = trial->vertices;
    return true;
}

bool web_order(cp_context *context, struct web_mesh *web)
{
    struct web_mesh before = *web; /* trials keep its counts */
    struct trial trials[ORDERS] = {{0}};
    bool good = true;
    for (size_t i = 0; i < ORDERS && good; i++)
        good = open_trial(context, &before, orders[i], &trials[i]);
    good = good && parallel_for(context, ORDERS, run_trial, trials);
    struct trial *best = &trials[0];
    for (size_t i = 1; i < ORDERS; i++)
        best = trials[i].size < best->size ? &trials[i] : best;
    good = good && take_trial(context, best, web);
    for (size_t i = 0; i < ORDERS; i++)
        close_trial(context, &trials[i]);
    return good;
}
