/* Triangles and vertices in an order that packs well: the best triangle next to the last few vertices is next (T.
 * Forsyth, "Linear-speed vertex cache optimisation", 2006), where a vertex scores by how lately it was used and by how
 * few triangles it has left.
 *
 * libmeshoptimizer's orders are not used: around a vertex that many triangles share they take quadratic time, and they
 * end the process when memory runs out. The better of its two orders makes files of 328 cells and parts 0.2 % larger,
 * and up to 4.3 %; it makes a torus of a million triangles 4.0 % larger in 1.56 times the CPU time. */
#include "web.h"

#include <string.h>

/* The triangles of a group, with numbers of their own for its vertices. The memory serves a whole mesh, one group after
 * the other. */
struct ordered_group {
    const uint32_t *corners; /* vertices of the mesh */
    uint32_t count;          /* of corners */
    bool creased;            /* vertices have normals */
    uint32_t *local;         /* one for each vertex of the mesh: its number here; CP_NONE between groups */
    uint32_t *first;         /* indexed by number: the begin of its corners in `lists` ... */
    uint32_t *listed;        /* ... and how many of them are still listed */
    uint32_t *lists;
    bool *taken;            /* for each triangle */
    uint32_t *left;         /* has for each number the triangles that were not taken yet */
    unsigned char *recency; /* has for each number its place in `recent` of the scores, from 1, or 0 */
    float *values;          /* for each number: its score */
    uint32_t *out;          /* corners in the new order */
    uint32_t written;
};

/* At most so many triangles at one vertex are compared; a vertex with more could as well be several. */
enum { MOST_LOOKED_AT = 32 };

static uint32_t next_corner(uint32_t corner)
{
    return corner % 3 == 2 ? corner - 2 : corner + 1;
}

static uint32_t previous_corner(uint32_t corner)
{
    return corner % 3 == 0 ? corner + 2 : corner - 1;
}

static uint32_t number_at(const struct ordered_group *group, uint32_t corner)
{
    return group->local[group->corners[corner]];
}

/* Returns how many corners at the front of the number's list must be compared; those of triangles that were taken are
 * dropped. */
static uint32_t look_at(struct ordered_group *group, uint32_t number)
{
    uint32_t *list = group->lists + group->first[number], *listed = &group->listed[number], i = 0;
    while (i < *listed && i < MOST_LOOKED_AT)
        if (group->taken[list[i] / 3])
            list[i] = list[--*listed];
        else
            i++;
    return i;
}

/* Takes the triangle as the next one, beginning with this corner. */
static void take(struct ordered_group *group, uint32_t corner)
{
    group->taken[corner / 3] = true;
    group->out[group->written++] = group->corners[corner];
    group->out[group->written++] = group->corners[next_corner(corner)];
    group->out[group->written++] = group->corners[previous_corner(corner)];
}

enum { RECENT = 16, MOST_LEFT = 8 };

/* The scores by how many vertices were used since, from 1 (0: more than are remembered), and by how many triangles are
 * left. */
struct score_table {
    float recency[RECENT + 1], left[MOST_LEFT + 1];
};

/* These were found by random steps from a guess, each kept if it packed fifty meshes of machine parts smaller; a
 * hundred other meshes then packed smaller, too. Meshes with normals are cut at their creases: for them the guess
 * itself was best, within a quarter of a per cent. */
static const struct score_table whole_scores = {
    {0.000F, 1.229F, 1.071F, 1.188F, 0.947F, 0.295F, 0.953F, 0.106F, 0.232F, 1.036F, 0.438F, 0.446F, 0.447F, 0.637F,
     0.574F, -0.710F, -0.303F},
    {0.000F, 0.851F, 0.514F, 0.636F, 0.583F, 0.411F, 0.369F, 0.229F, 0.950F}};
static const struct score_table creased_scores = {
    {0, 1, 1, 1, 0.5F, 0.5F, 0.45F, 0.45F, 0.4F, 0.4F, 0.3F, 0.3F, 0.2F, 0.2F, 0.1F, 0.1F, 0.1F},
    {0, 0.95F, 0.8F, 0.6F, 0.55F, 0.55F, 0.5F, 0.5F, 0.5F}};

struct scores {
    struct ordered_group *group;
    const struct score_table *table;
    uint32_t recent[RECENT + 3];
    uint32_t recent_count;
};

static void score_vertex(struct scores *scores, uint32_t number)
{
    struct ordered_group *group = scores->group;
    uint32_t left = group->left[number];
    group->values[number] = scores->table->recency[group->recency[number]] +
                            scores->table->left[left < MOST_LEFT ? left : (uint32_t)MOST_LEFT];
}

static void take_scored(struct scores *scores, uint32_t corner)
{
    uint32_t begin = corner - corner % 3, numbers[3], old[RECENT + 3], count = 0;
    take(scores->group, begin);
    for (uint32_t i = 0; i < 3; i++) {
        numbers[i] = number_at(scores->group, begin + i);
        scores->group->left[numbers[i]]--;
        (void)look_at(scores->group, numbers[i]); /* no other list has the triangle */
    }
    /* Move its corners to the front of the recent ones; those at the end are forgotten. */
    memcpy(old, scores->recent, sizeof old);
    for (int i = 0; i < 3; i++)
        scores->recent[count++] = numbers[i];
    for (uint32_t i = 0; i < scores->recent_count; i++)
        if (old[i] != numbers[0] && old[i] != numbers[1] && old[i] != numbers[2])
            scores->recent[count++] = old[i];
    for (uint32_t i = 0; i < count; i++) {
        scores->group->recency[scores->recent[i]] = (unsigned char)(i < RECENT ? i + 1 : 0);
        score_vertex(scores, scores->recent[i]);
    }
    scores->recent_count = count < RECENT ? count : (uint32_t)RECENT;
}

/* Returns the best triangle at a vertex that is remembered, or CP_NONE. */
static uint32_t find_best(struct scores *scores)
{
    const struct ordered_group *group = scores->group;
    const float *values = group->values;
    uint32_t best = CP_NONE;
    float most = 0;
    for (uint32_t i = 0; i < scores->recent_count; i++) {
        uint32_t number = scores->recent[i];
        uint32_t count = group->listed[number];
        for (uint32_t k = 0; k < count && k < MOST_LOOKED_AT; k++) {
            uint32_t corner = group->lists[group->first[number] + k];
            float score = values[number_at(group, corner)] + values[number_at(group, next_corner(corner))] +
                          values[number_at(group, previous_corner(corner))];
            if (score > most) {
                most = score;
                best = corner;
            }
        }
    }
    return best;
}

static void order_group(struct ordered_group *group)
{
    struct scores scores = {.group = group, .table = group->creased ? &creased_scores : &whole_scores};
    for (uint32_t i = 0; i < group->count; i++)
        score_vertex(&scores, number_at(group, i));
    for (uint32_t corner = 0; corner < group->count; corner += 3) {
        if (group->taken[corner / 3])
            continue;
        for (uint32_t best = corner; best != CP_NONE; best = find_best(&scores))
            take_scored(&scores, best);
    }
}

/* ---- all groups ---- */

/* Numbers the vertices of the group, and lists the corners of each. */
static void open_group(struct ordered_group *group)
{
    uint32_t numbers = 0;
    group->written = 0;
    memset(group->taken, 0, group->count / 3 * sizeof *group->taken);
    for (uint32_t i = 0; i < group->count; i++) {
        uint32_t *number = &group->local[group->corners[i]];
        if (*number == CP_NONE) {
            group->listed[numbers] = group->left[numbers] = 0;
            group->recency[numbers] = 0;
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
        uint32_t number = number_at(group, i);
        group->lists[group->first[number] + group->listed[number]++] = i;
        group->left[number]++;
    }
}

static bool reserve_group(struct arena *arena, const struct web_mesh *web, struct ordered_group *group)
{
    size_t vertices = web->vertex_count;
    group->lists = arena_allocate(arena, web->corner_count, sizeof *group->lists);
    group->taken = arena_allocate(arena, web->corner_count / 3, sizeof *group->taken);
    group->local = arena_allocate(arena, vertices, sizeof *group->local);
    group->first = arena_allocate(arena, vertices, sizeof *group->first);
    group->listed = arena_allocate(arena, vertices, sizeof *group->listed);
    group->left = arena_allocate(arena, vertices, sizeof *group->left);
    group->recency = arena_allocate(arena, vertices, sizeof *group->recency);
    group->values = arena_allocate(arena, vertices, sizeof *group->values);
    if (arena_failed(arena))
        return false;
    memset(group->local, 0xff, vertices * sizeof *group->local);
    return true;
}

/* Numbers the vertices by their first use; before: as they were. */
static void order_vertices(struct web_mesh *web, const uint32_t *before, uint32_t *local)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < web->corner_count; i++) {
        uint32_t vertex = web->corners[i], *number = &local[vertex];
        if (*number == CP_NONE) {
            memcpy(web_vertex(web, count), before + (size_t)vertex * web->words, web->words * sizeof *before);
            *number = count++;
        }
        web->corners[i] = *number;
    }
    web->vertex_count = count;
}

bool web_order(cp_context *context, struct web_mesh *web)
{
    struct ordered_group group = {.creased = web->has_normals};
    struct arena *arena = arena_new(context);
    const uint32_t *corners = arena_copy(arena, web->corners, web->corner_count, sizeof *corners);
    const uint32_t *vertices = arena_copy(arena, web->vertices, web->vertex_count, web->words * sizeof *vertices);
    bool good = corners && vertices && reserve_group(arena, web, &group);
    for (uint32_t i = 0; i < web->group_count && good; i++) {
        size_t begin = 3 * (size_t)web->groups[i].first_face;
        group.corners = corners + begin;
        group.count = 3 * web->groups[i].face_count;
        group.out = web->corners + begin;
        open_group(&group);
        order_group(&group);
        for (uint32_t k = 0; k < group.count; k++)
            group.local[group.corners[k]] = CP_NONE;
    }
    if (good)
        order_vertices(web, vertices, group.local);
    arena_free(arena);
    return good;
}
