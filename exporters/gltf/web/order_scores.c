/* Triangles by the scores of their vertices, the best one next to the last few vertices being next (T. Forsyth, "Linear-speed vertex cache
 * optimisation", 2006): a vertex scores by how lately it was used and by how few triangles it has left. */
#include "order.h"

#include <string.h>

enum { RECENT = 16, MOST_LEFT = 8 };

/* By how many vertices were used since, from 1 (0: more than are remembered), and by how many triangles are left. */
struct score_table {
    float recency[RECENT + 1], left[MOST_LEFT + 1];
};

/* Found by trying: random steps from a guess, kept where they packed fifty meshes of machine parts smaller; a hundred others then packed
 * smaller, too. Meshes with normals are cut at their creases: for them the guess itself was best, to a quarter of a per cent. */
static const struct score_table whole_scores = {
    {0.000F, 1.229F, 1.071F, 1.188F, 0.947F, 0.295F, 0.953F, 0.106F, 0.232F, 1.036F, 0.438F, 0.446F, 0.447F, 0.637F,
     0.574F, -0.710F, -0.303F},
    {0.000F, 0.851F, 0.514F, 0.636F, 0.583F, 0.411F, 0.369F, 0.229F, 0.950F}};
static const struct score_table creased_scores = {
    {0, 1, 1, 1, 0.5F, 0.5F, 0.45F, 0.45F, 0.4F, 0.4F, 0.3F, 0.3F, 0.2F, 0.2F, 0.1F, 0.1F, 0.1F},
    {0, 0.95F, 0.8F, 0.6F, 0.55F, 0.55F, 0.5F, 0.5F, 0.5F}};

struct scores {
    struct order_group *group;
    const struct score_table *table;
    uint32_t *left;         /* triangles of each number */
    unsigned char *recency; /* of each number: its place in `recent`, from 1, or 0 */
    float *values;          /* of each number: its score */
    uint32_t recent[RECENT + 3];
    uint32_t recent_count;
};

static void score_vertex(struct scores *scores, uint32_t number)
{
    uint32_t left = scores->left[number];
    scores->values[number] = scores->table->recency[scores->recency[number]] +
                             scores->table->left[left < MOST_LEFT ? left : (uint32_t)MOST_LEFT];
}

static float score_triangle(const struct scores *scores, uint32_t corner)
{
    const struct order_group *group = scores->group;
    return scores->values[order_number(group, corner)] + scores->values[order_number(group, next_corner(corner))] +
           scores->values[order_number(group, previous_corner(corner))];
}

/* The corners of the triangle come to the front; what falls off the end is forgotten. */
static void remember(struct scores *scores, const uint32_t numbers[3])
{
    uint32_t old[RECENT + 3], count = 0;
    memcpy(old, scores->recent, sizeof old);
    for (int i = 0; i < 3; i++)
        scores->recent[count++] = numbers[i];
    for (uint32_t i = 0; i < scores->recent_count; i++)
        if (old[i] != numbers[0] && old[i] != numbers[1] && old[i] != numbers[2])
            scores->recent[count++] = old[i];
    for (uint32_t i = 0; i < count; i++) {
        scores->recency[scores->recent[i]] = (unsigned char)(i < RECENT ? i + 1 : 0);
        score_vertex(scores, scores->recent[i]);
    }
    scores->recent_count = count < RECENT ? count : (uint32_t)RECENT;
}

static void take(struct scores *scores, uint32_t corner)
{
    uint32_t begin = corner - corner % 3, numbers[3];
    order_take(scores->group, begin);
    for (uint32_t i = 0; i < 3; i++) {
        numbers[i] = order_number(scores->group, begin + i);
        scores->left[numbers[i]]--;
        (void)order_look_at(scores->group, numbers[i]); /* no other list has the triangle */
    }
    remember(scores, numbers);
}

/* The best triangle at a vertex that is remembered, or CP_NONE. */
static uint32_t find_best(struct scores *scores)
{
    struct order_group *group = scores->group;
    uint32_t best = CP_NONE;
    float most = 0;
    for (uint32_t i = 0; i < scores->recent_count; i++) {
        uint32_t number = scores->recent[i];
        uint32_t count = group->listed[number];
        for (uint32_t k = 0; k < count && k < MOST_LOOKED_AT; k++) {
            uint32_t corner = group->lists[group->first[number] + k];
            float score = score_triangle(scores, corner);
            if (score > most) {
                most = score;
                best = corner;
            }
        }
    }
    return best;
}

void order_scores(struct order_group *group)
{
    const struct score_table *table = group->creased ? &creased_scores : &whole_scores;
    struct scores scores = {
        .group = group, .table = table, .left = group->words, .recency = group->bytes, .values = group->floats};
    for (uint32_t i = 0; i < group->count; i++)
        scores.left[order_number(group, i)]++;
    for (uint32_t i = 0; i < group->count; i++)
        score_vertex(&scores, order_number(group, i));
    for (uint32_t corner = 0; corner < group->count; corner += 3) {
        if (group->taken[corner / 3])
            continue;
        for (uint32_t best = corner; best != CP_NONE; best = find_best(&scores))
            take(&scores, best);
    }
}
