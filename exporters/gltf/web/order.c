/* Triangles ring by ring around a first vertex. A triangle then nearly always shares an edge with one just before it, and its third
 * vertex is new or the next one of the ring before: the codec takes a byte for it. Vertices are numbered by their first use. */
#include "web.h"

#include <string.h>

/* Triangles at one vertex that are looked at for the next one of a fan; what has more of them is cut into several fans. */
enum { MOST_LOOKED_AT = 32 };

/* A group with its vertices numbered for itself, by their first corner. */
struct fans {
    uint32_t count;     /* corners */
    uint32_t *local;    /* for each vertex of the mesh: its number here, or CP_NONE */
    uint32_t *names;    /* the vertex of each number */
    uint32_t *vertices; /* the number at each corner */
    uint32_t *first;    /* for each number: where its corners begin in `corners` ... */
    uint32_t *live;     /* ... and how many may be left */
    uint32_t *corners;
    bool *taken; /* for each triangle */
    bool *seen;  /* for each number */
    uint32_t *queue;
    uint32_t queued;
    uint32_t *out;
    uint32_t written;
};

static uint32_t next_corner(uint32_t corner)
{
    return corner % 3 == 2 ? corner - 2 : corner + 1;
}

static uint32_t previous_corner(uint32_t corner)
{
    return corner % 3 == 0 ? corner + 2 : corner - 1;
}

static void see(struct fans *fans, uint32_t vertex)
{
    if (fans->seen[vertex])
        return;
    fans->seen[vertex] = true;
    fans->queue[fans->queued++] = vertex;
}

static void take_triangle(struct fans *fans, uint32_t corner)
{
    const uint32_t corners[3] = {corner, next_corner(corner), previous_corner(corner)};
    fans->taken[corner / 3] = true;
    for (int i = 0; i < 3; i++)
        fans->out[fans->written++] = fans->names[fans->vertices[corners[i]]];
    see(fans, fans->vertices[corners[2]]);
    see(fans, fans->vertices[corners[1]]);
}

/* How many corners at the front of the vertex's list are to be looked at; those of triangles that were taken go. */
static uint32_t look_at(struct fans *fans, uint32_t vertex)
{
    uint32_t *corners = fans->corners + fans->first[vertex], *live = &fans->live[vertex], i = 0;
    while (i < *live && i < MOST_LOOKED_AT)
        if (fans->taken[corners[i] / 3])
            corners[i] = corners[--*live];
        else
            i++;
    return i;
}

/* The corner at the vertex whose triangle ends with the edge from `edge`, or CP_NONE. */
static uint32_t find_following(const struct fans *fans, uint32_t vertex, uint32_t count, uint32_t edge)
{
    const uint32_t *corners = fans->corners + fans->first[vertex];
    for (uint32_t i = 0; i < count; i++)
        if (fans->vertices[previous_corner(corners[i])] == edge)
            return corners[i];
    return CP_NONE;
}

static bool has_preceding(const struct fans *fans, uint32_t vertex, uint32_t count, uint32_t edge)
{
    const uint32_t *corners = fans->corners + fans->first[vertex];
    for (uint32_t i = 0; i < count; i++)
        if (fans->vertices[next_corner(corners[i])] == edge)
            return true;
    return false;
}

/* Where a fan begins: with no triangle before it if there is such a place, else at an edge to a vertex seen before. */
static uint32_t find_start(const struct fans *fans, uint32_t vertex, uint32_t count)
{
    const uint32_t *corners = fans->corners + fans->first[vertex];
    uint32_t best = corners[0];
    int most = -1;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t edge = fans->vertices[previous_corner(corners[i])];
        int worth = (has_preceding(fans, vertex, count, edge) ? 0 : 2) + (fans->seen[edge] ? 1 : 0);
        if (worth > most) {
            most = worth;
            best = corners[i];
        }
    }
    return best;
}

static void take_fans(struct fans *fans, uint32_t vertex)
{
    uint32_t corner = CP_NONE, count;
    while ((count = look_at(fans, vertex)) > 0) {
        if (corner != CP_NONE)
            corner = find_following(fans, vertex, count, fans->vertices[next_corner(corner)]);
        if (corner == CP_NONE)
            corner = find_start(fans, vertex, count);
        take_triangle(fans, corner);
    }
}

static void take_rings(struct fans *fans)
{
    uint32_t done = 0;
    for (uint32_t corner = 0; corner < fans->count; corner++) {
        if (fans->taken[corner / 3])
            continue;
        see(fans, fans->vertices[corner]);
        while (done < fans->queued)
            take_fans(fans, fans->queue[done++]);
    }
}

/* Numbers the vertices of the group, and lists the corners of each. */
static void open_group(struct fans *fans, const uint32_t *corners, uint32_t count)
{
    uint32_t names = 0;
    fans->count = count;
    fans->queued = fans->written = 0;
    memset(fans->taken, 0, count / 3 * sizeof *fans->taken);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *number = &fans->local[corners[i]];
        if (*number == CP_NONE) {
            *number = names;
            fans->live[names] = 0;
            fans->seen[names] = false;
            fans->names[names++] = corners[i];
        }
        fans->vertices[i] = *number;
        fans->live[*number]++;
    }
    for (uint32_t i = 0, at = 0; i < names; i++) {
        fans->first[i] = at;
        at += fans->live[i];
        fans->live[i] = 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t vertex = fans->vertices[i];
        fans->corners[fans->first[vertex] + fans->live[vertex]++] = i;
    }
    for (uint32_t i = 0; i < names; i++)
        fans->local[fans->names[i]] = CP_NONE;
}

static void order_group(struct fans *fans, uint32_t *corners, uint32_t count)
{
    open_group(fans, corners, count);
    take_rings(fans);
    memcpy(corners, fans->out, count * sizeof *corners);
}

/* ---- vertices ---- */

static void number_vertices(struct web_mesh *web, const uint32_t *numbers)
{
    for (uint32_t i = 0; i < web->corner_count; i++)
        web->corners[i] = numbers[web->corners[i]];
}

static bool order_vertices(cp_context *context, struct web_mesh *web)
{
    uint32_t *numbers = memory_allocate(context, web->vertex_count, sizeof *numbers), used = 0;
    web_vertex *old = memory_allocate(context, web->vertex_count, sizeof *old);
    bool good = numbers && old;
    if (good) {
        memset(numbers, 0xff, web->vertex_count * sizeof *numbers);
        memcpy(old, web->vertices, web->vertex_count * sizeof *old);
        for (uint32_t i = 0; i < web->corner_count; i++) {
            uint32_t vertex = web->corners[i];
            if (numbers[vertex] != CP_NONE)
                continue;
            memcpy(web->vertices[used], old[vertex], sizeof *old);
            numbers[vertex] = used++;
        }
        number_vertices(web, numbers);
    }
    memory_free(context, numbers, web->vertex_count, sizeof *numbers);
    memory_free(context, old, web->vertex_count, sizeof *old);
    if (good)
        web->vertex_count = used;
    return good;
}

/* ---- the mesh ---- */

enum { TABLES_BY_NUMBER = 4, TABLES_BY_CORNER = 3 };

struct tables {
    size_t numbers, corners; /* most of a group */
    uint32_t *by_number, *by_corner;
    bool *flags;
};

static bool allocate_fans(cp_context *context, const struct web_mesh *web, struct tables *tables, struct fans *fans)
{
    tables->corners = web->corner_count;
    tables->numbers = web->vertex_count < web->corner_count ? web->vertex_count : web->corner_count;
    tables->by_number = memory_allocate(context, tables->numbers, TABLES_BY_NUMBER * sizeof(uint32_t));
    tables->by_corner = memory_allocate(context, tables->corners, TABLES_BY_CORNER * sizeof(uint32_t));
    tables->flags = memory_allocate(context, tables->numbers + tables->corners / 3, sizeof(bool));
    fans->local = memory_allocate(context, web->vertex_count, sizeof *fans->local);
    if (!tables->by_number || !tables->by_corner || !tables->flags || !fans->local)
        return false;
    fans->names = tables->by_number;
    fans->first = tables->by_number + tables->numbers;
    fans->live = tables->by_number + 2 * tables->numbers;
    fans->queue = tables->by_number + 3 * tables->numbers;
    fans->vertices = tables->by_corner;
    fans->corners = tables->by_corner + tables->corners;
    fans->out = tables->by_corner + 2 * tables->corners;
    fans->seen = tables->flags;
    fans->taken = tables->flags + tables->numbers;
    memset(fans->local, 0xff, web->vertex_count * sizeof *fans->local);
    return true;
}

static void free_fans(cp_context *context, const struct web_mesh *web, const struct tables *tables,
                      const struct fans *fans)
{
    memory_free(context, tables->by_number, tables->numbers, TABLES_BY_NUMBER * sizeof(uint32_t));
    memory_free(context, tables->by_corner, tables->corners, TABLES_BY_CORNER * sizeof(uint32_t));
    memory_free(context, tables->flags, tables->numbers + tables->corners / 3, sizeof(bool));
    memory_free(context, fans->local, web->vertex_count, sizeof *fans->local);
}

bool web_order(cp_context *context, struct web_mesh *web)
{
    struct fans fans = {0};
    struct tables tables;
    bool good = allocate_fans(context, web, &tables, &fans);
    for (uint32_t i = 0; i < web->group_count && good; i++)
        order_group(&fans, web->corners + 3 * (size_t)web->groups[i].first_face, 3 * web->groups[i].face_count);
    free_fans(context, web, &tables, &fans);
    return good && order_vertices(context, web);
}
