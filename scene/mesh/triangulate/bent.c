/* Triangles of the least area. For few corners, dynamic programming over the diagonals finds them (Klincsek 1980), n^3.
 * For many, one diagonal after the other is turned, which may end in a minimum that is not the least. */
#include "triangulate.h"

#include <math.h>
#include <stdlib.h>

static double area_in_space(const struct polygon *polygon, uint32_t a, uint32_t b, uint32_t c)
{
    const float *p = polygon_position(polygon, a), *q = polygon_position(polygon, b), *r = polygon_position(polygon, c);
    double u[3], v[3];
    for (int i = 0; i < 3; i++) {
        u[i] = (double)q[i] - (double)p[i];
        v[i] = (double)r[i] - (double)p[i];
    }
    double x = u[1] * v[2] - u[2] * v[1], y = u[2] * v[0] - u[0] * v[2], z = u[0] * v[1] - u[1] * v[0];
    return sqrt(x * x + y * y + z * z) / 2;
}

/* Tells whether a triangle is counter-clockwise. If all are, and they end at the outline, they cover a polygon that
 * does not cross itself exactly once. */
static bool is_counter_clockwise(const struct polygon *polygon, uint32_t a, uint32_t b, uint32_t c)
{
    float points[3][2];
    polygon_point(polygon, a, points[0]);
    polygon_point(polygon, b, points[1]);
    polygon_point(polygon, c, points[2]);
    return triangle_area(points[0], points[1], points[2]) > 0;
}

bool polygon_is_bent(const struct polygon *polygon)
{
    return polygon_bulge(polygon) > 1e-3 * polygon_size(polygon);
}

cp_status bent_cut(const struct polygon *polygon, uint32_t *triangles)
{
    /* least: the least area on the side of the diagonal from i to j that has the corners between them; with the corner
     * that its triangle has there. */
    double least[BENT_MOST_EXACT][BENT_MOST_EXACT];
    uint32_t middle[BENT_MOST_EXACT][BENT_MOST_EXACT], count = polygon->count;
    if (count < 3 || count > BENT_MOST_EXACT)
        return CP_NO;
    for (uint32_t length = 1; length < count; length++)
        for (uint32_t i = 0; i + length < count; i++) {
            uint32_t j = i + length;
            least[i][j] = length == 1 ? 0 : INFINITY;
            for (uint32_t k = i + 1; k < j; k++) {
                double both = least[i][k] + least[k][j];
                if (!(both < least[i][j]) || !is_counter_clockwise(polygon, i, k, j))
                    continue;
                both += area_in_space(polygon, i, k, j);
                if (both < least[i][j]) {
                    least[i][j] = both;
                    middle[i][j] = k;
                }
            }
        }
    if (!isfinite(least[0][count - 1]))
        return CP_NO;

    /* Write the triangles from the last edge inwards. */
    uint32_t stack[BENT_MOST_EXACT][2] = {{0, count - 1}};
    for (uint32_t depth = 1; depth > 0;) {
        uint32_t i = stack[--depth][0], j = stack[depth][1];
        if (j - i < 2)
            continue;
        uint32_t k = middle[i][j];
        *triangles++ = i;
        *triangles++ = k;
        *triangles++ = j;
        stack[depth][0] = k;
        stack[depth++][1] = j;
        stack[depth][0] = i;
        stack[depth++][1] = k;
    }
    return CP_OK;
}

/* ---- many corners ---- */

/* Returns the next edge of a triangle. Edge e runs from triangles[e] to the next corner of triangle e / 3. */
static uint32_t next_edge(uint32_t edge)
{
    return edge % 3 == 2 ? edge - 2 : edge + 1;
}

struct sided_edge {
    uint32_t low, high, edge;
};

static int compare_edges(const void *first, const void *second)
{
    const struct sided_edge *a = first, *b = second;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    return a->edge < b->edge ? -1 : a->edge > b->edge;
}

/* Finds for each edge the one on its other side, or CP_NONE at the outline. */
static bool pair_edges(cp_context *context, const uint32_t *triangles, uint32_t edge_count, uint32_t *others)
{
    struct sided_edge *sorted = memory_allocate(context, edge_count, sizeof *sorted);
    for (uint32_t edge = 0; sorted && edge < edge_count; edge++) {
        uint32_t from = triangles[edge], to = triangles[next_edge(edge)];
        sorted[edge] = (struct sided_edge){from < to ? from : to, from < to ? to : from, edge};
        others[edge] = CP_NONE;
    }
    if (sorted)
        qsort(sorted, edge_count, sizeof *sorted, compare_edges);
    for (uint32_t i = 1; sorted && i < edge_count; i++)
        if (sorted[i].low == sorted[i - 1].low && sorted[i].high == sorted[i - 1].high) {
            others[sorted[i].edge] = sorted[i - 1].edge;
            others[sorted[i - 1].edge] = sorted[i].edge;
        }
    memory_free(context, sorted, edge_count, sizeof *sorted);
    return sorted != NULL;
}

static void join_edges(uint32_t *others, uint32_t edge, uint32_t other)
{
    others[edge] = other;
    if (other != CP_NONE)
        others[other] = edge;
}

/* Turns the diagonal, if that makes the area of its two triangles less and leaves both counter-clockwise. */
static bool turn_diagonal(const struct polygon *polygon, uint32_t *triangles, uint32_t *others, uint32_t edge)
{
    /* The triangles are a b c and b a d, and become d b c and c a d. */
    uint32_t bc = next_edge(edge), ca = next_edge(bc), other = others[edge];
    if (other == CP_NONE)
        return false;
    uint32_t ad = next_edge(other), db = next_edge(ad);
    uint32_t a = triangles[edge], b = triangles[bc], c = triangles[ca], d = triangles[db];
    if (!is_counter_clockwise(polygon, d, b, c) || !is_counter_clockwise(polygon, c, a, d))
        return false;
    double before = area_in_space(polygon, a, b, c) + area_in_space(polygon, b, a, d);
    if (!(area_in_space(polygon, d, b, c) + area_in_space(polygon, c, a, d) < before * (1 - 1e-9)))
        return false;
    uint32_t beyond_ca = others[ca], beyond_db = others[db];
    triangles[edge] = d;  /* d b, b c, c d */
    triangles[other] = c; /* c a, a d, d c */
    join_edges(others, edge, beyond_db);
    join_edges(others, other, beyond_ca);
    join_edges(others, ca, db);
    return true;
}

cp_status bent_turn_diagonals(cp_context *context, const struct polygon *polygon, uint32_t *triangles)
{
    enum { MOST_TURNS = 64 }; /* for each corner; smooth outlines take 20 */
    uint32_t edge_count = 3 * (polygon->count - 2), waiting = 0;
    uint64_t turns = 0, most = (uint64_t)MOST_TURNS * polygon->count;
    uint32_t *others = memory_allocate(context, edge_count, sizeof *others),
             *stack = memory_allocate(context, edge_count, sizeof *stack);
    bool *waits = memory_allocate(context, edge_count, sizeof *waits);
    bool good = others && stack && waits && pair_edges(context, triangles, edge_count, others);
    for (uint32_t edge = edge_count; good && edge-- > 0;) {
        waits[edge] = true;
        stack[waiting++] = edge;
    }
    while (waiting > 0 && turns < most) {
        uint32_t edge = stack[--waiting], other = others[edge];
        waits[edge] = false;
        if (!turn_diagonal(polygon, triangles, others, edge))
            continue;
        turns++;
        const uint32_t around[4] = {edge, next_edge(edge), other, next_edge(other)};
        for (int i = 0; i < 4; i++)
            if (!waits[around[i]]) {
                waits[around[i]] = true;
                stack[waiting++] = around[i];
            }
    }
    memory_free(context, others, edge_count, sizeof *others);
    memory_free(context, stack, edge_count, sizeof *stack);
    memory_free(context, waits, edge_count, sizeof *waits);
    return good ? CP_OK : CP_LIMIT;
}
