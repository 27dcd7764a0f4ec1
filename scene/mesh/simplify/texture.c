/* The texture coordinates of a surface while it is simplified: their new values when vertices meet and move, and how
 * far the texture is off there. */
#include "collapse.h"

#include <string.h>

#include "nearest.h"

static bool is_same(const float a[COORDINATES], const float b[COORDINATES])
{
    return memcmp(a, b, COORDINATES * sizeof *a) == 0;
}

bool same_coordinates(const struct surface_texture *texture, uint32_t a, uint32_t b)
{
    return !texture->coordinates || is_same(texture->coordinates[a / 3][a % 3], texture->coordinates[b / 3][b % 3]);
}

/* A face in space and in the textures. */
struct patch {
    const double *points[3];
    const float *coordinates[3];
    double normal[3], square; /* of a length that is twice the area */
};

static void patch_measure(struct patch *patch)
{
    triangle_normal(patch->points[0], patch->points[1], patch->points[2], patch->normal);
    patch->square = dot_product(patch->normal, patch->normal);
}

/* Finds the shares of the corners in the point below `at` in the face's plane. */
static void find_shares(const struct patch *patch, const double at[3], double shares[3])
{
    for (int corner = 0; corner < 3; corner++) {
        double part[3];
        triangle_normal(at, patch->points[(corner + 1) % 3], patch->points[(corner + 2) % 3], part);
        shares[corner] = dot_product(part, patch->normal) / patch->square;
    }
}

/* Adds the coordinates that the patch has at that point, weighted by its area. */
static void add_coordinates(const struct patch *patch, const double at[3], double sum[COORDINATES], double *weight)
{
    double shares[3], area = sqrt(patch->square);
    if (!(area > 0))
        return;
    find_shares(patch, at, shares);
    for (int i = 0; i < COORDINATES; i++)
        sum[i] += area * (shares[0] * (double)patch->coordinates[0][i] + shares[1] * (double)patch->coordinates[1][i] +
                          shares[2] * (double)patch->coordinates[2][i]);
    *weight += area;
}

/* Returns how far apart two coordinates of a class are, in texels, if the numbers of texels are known. */
static double find_shift(const struct surface_texture *texture, uint32_t class, const double a[COORDINATES],
                         const float b[COORDINATES])
{
    double most = 0;
    for (size_t set = 0; texture->texels && set < CP_COORDINATE_SETS; set++) {
        double across = a[2 * set] - (double)b[2 * set], up = a[2 * set + 1] - (double)b[2 * set + 1];
        most = fmax(most, (double)texture->texels[class][set] * sqrt(across * across + up * up));
    }
    return most;
}

/* Returns the number of texels in a length on the patch. */
static double find_density(const struct surface_texture *texture, uint32_t class, const struct patch *patch)
{
    double most = 0;
    for (size_t set = 0; texture->texels && set < CP_COORDINATE_SETS && patch->square > 0; set++) {
        double sides[2][2];
        for (size_t side = 0; side < 2; side++)
            for (size_t axis = 0; axis < 2; axis++)
                sides[side][axis] = (double)patch->coordinates[side + 1][2 * set + axis] -
                                    (double)patch->coordinates[0][2 * set + axis];
        double area = fabs(sides[0][0] * sides[1][1] - sides[0][1] * sides[1][0]);
        most = fmax(most, (double)texture->texels[class][set] * sqrt(area / sqrt(patch->square)));
    }
    return most;
}

/* ---- a collapse ---- */

static struct patch patch_of_face(const struct workspace *work, uint32_t triangle)
{
    const struct surface *surface = work->surface;
    struct patch patch;
    for (int corner = 0; corner < 3; corner++) {
        patch.points[corner] = surface->points[work->faces[triangle].vertices[corner]];
        patch.coordinates[corner] = surface->texture.coordinates[triangle][corner];
    }
    patch_measure(&patch);
    return patch;
}

/* Returns the side of the edge that has these coordinates at the end `end`; NULL when no face at the edge has them. */
static const struct seam_side *find_side(const struct carried *carried, int end, const float coordinates[COORDINATES])
{
    for (uint32_t i = 0; i < carried->count; i++)
        if (is_same(carried->sides[i].ends[end], coordinates))
            return &carried->sides[i];
    return NULL;
}

/* Finds the sides of the edge: its faces, those on one part of the texture together. False when there are too many. */
static bool find_sides(const struct workspace *work, const struct vertex_star stars[2],
                       const struct collapse_candidate *edge, const double to[3], struct carried *carried)
{
    const struct surface *surface = work->surface;
    double sums[MOST_SIDES][COORDINATES] = {{0}}, weights[MOST_SIDES] = {0};
    carried->count = 0;
    for (uint32_t i = 0; i < stars[0].count; i++) {
        if (!has_edge(&stars[0], i, edge->b))
            continue;
        uint32_t triangle = stars[0].corners[i] / 3, number = stars[0].corners[i] % 3;
        uint32_t far = (number + (stars[0].left[i] == edge->b ? 1 : 2)) % 3, side = 0;
        const float *ends[2] = {surface->texture.coordinates[triangle][number],
                                surface->texture.coordinates[triangle][far]};
        while (side < carried->count &&
               !(is_same(carried->sides[side].ends[0], ends[0]) && is_same(carried->sides[side].ends[1], ends[1])))
            side++;
        if (side == MOST_SIDES)
            return false;
        if (side == carried->count) {
            memcpy(carried->sides[side].ends[0], ends[0], sizeof carried->sides[side].ends[0]);
            memcpy(carried->sides[side].ends[1], ends[1], sizeof carried->sides[side].ends[1]);
            carried->count++;
        }
        struct patch patch = patch_of_face(work, triangle);
        add_coordinates(&patch, to, sums[side], &weights[side]);
    }
    for (uint32_t i = 0; i < carried->count; i++) {
        struct seam_side *side = &carried->sides[i];
        for (int k = 0; k < COORDINATES; k++)
            side->to[k] = (float)(weights[i] > 0 ? sums[i][k] / weights[i] : (double)side->ends[0][k]);
        for (int end = 0; end < 2; end++)
            if (carried->stays[end])
                memcpy(side->to, side->ends[end], sizeof side->to);
    }
    return true;
}

/* Measures how far the texture is off at the old place of an end, where the new faces show another place of it: in
 * texels, and along the surface. */
static void measure_end(const struct workspace *work, const struct vertex_star *star,
                        const struct collapse_candidate *edge, int end, const double to[3],
                        const struct seam_side *side, double *shift, double *slide)
{
    const struct surface *surface = work->surface;
    const double *from = surface->points[end ? edge->b : edge->a];
    double least = -INFINITY, shares[3], best[3] = {0};
    struct patch nearest = {.square = 0};
    uint32_t class = 0;
    for (uint32_t i = 0; i < star->count; i++) {
        uint32_t triangle = star->corners[i] / 3, number = star->corners[i] % 3;
        if (has_edge(star, i, end ? edge->a : edge->b) ||
            !is_same(surface->texture.coordinates[triangle][number], side->ends[end]))
            continue;
        struct patch patch = patch_of_face(work, triangle);
        patch.points[number] = to;
        patch.coordinates[number] = side->to;
        patch_measure(&patch);
        if (!(patch.square > 0))
            continue;
        find_shares(&patch, from, shares);
        double inside = fmin(shares[0], fmin(shares[1], shares[2]));
        if (!(inside > least))
            continue;
        least = inside;
        nearest = patch;
        class = tag_class(surface->tags[triangle]);
        memcpy(best, shares, sizeof best);
    }
    if (!(nearest.square > 0))
        return;
    /* The nearest place that is on the face. */
    double sum = 0, shown[COORDINATES];
    for (int corner = 0; corner < 3; corner++)
        sum += best[corner] = fmax(0, best[corner]);
    for (int i = 0; i < COORDINATES; i++)
        shown[i] = (best[0] * (double)nearest.coordinates[0][i] + best[1] * (double)nearest.coordinates[1][i] +
                    best[2] * (double)nearest.coordinates[2][i]) /
                   sum;
    double texels = find_shift(&surface->texture, class, shown, side->ends[end]);
    double density = find_density(&surface->texture, class, &nearest);
    *shift = fmax(*shift, texels);
    *slide = fmax(*slide, density > 0 ? texels / density : 0);
}

bool carry_texture(const struct workspace *work, const struct vertex_star stars[2],
                   const struct collapse_candidate *edge, const double to[3], struct carried *carried)
{
    const struct surface *surface = work->surface;
    const uint32_t ends[2] = {edge->a, edge->b};
    for (int end = 0; end < 2; end++)
        carried->stays[end] = memcmp(to, surface->points[ends[end]], sizeof surface->points[0]) == 0;
    if (!find_sides(work, stars, edge, to, carried))
        return false;
    carried->shift = carried->slide = 0;
    for (int end = 0; end < 2; end++) {
        double shift = 0;
        for (uint32_t i = 0; i < stars[end].count; i++) {
            const float *here = surface->texture.coordinates[stars[end].corners[i] / 3][stars[end].corners[i] % 3];
            const struct seam_side *side = find_side(carried, end, here);
            if (!side && !carried->stays[end])
                return false;
            /* Refuse one part of the texture that meets two others at the other end. */
            for (uint32_t k = 0; k < carried->count; k++)
                if (side && is_same(carried->sides[k].ends[end], here) && !is_same(carried->sides[k].to, side->to))
                    return false;
        }
        for (uint32_t i = 0; i < carried->count && !carried->stays[end]; i++)
            measure_end(work, &stars[end], edge, end, to, &carried->sides[i], &shift, &carried->slide);
        carried->shift = fmax(carried->shift, (double)surface->texture.shifts[ends[end]] + shift);
    }
    return true;
}

void replace_coordinates(const struct carried *carried, int end, float coordinates[COORDINATES])
{
    const struct seam_side *side = find_side(carried, end, coordinates);
    if (side)
        memcpy(coordinates, side->to, sizeof side->to);
}

/* ---- a vertex that moves ---- */

bool move_texture(struct surface *surface, const struct face_map *map, uint32_t vertex, const double to[3])
{
    struct carried carried = {.count = 0};
    double sums[MOST_SIDES][COORDINATES] = {{0}}, weights[MOST_SIDES] = {0}, shift = 0;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t corner = map->first[vertex]; corner != CP_NONE; corner = map->next[corner]) {
            struct patch patch;
            for (int k = 0; k < 3; k++) {
                patch.points[k] = surface->points[surface->triangles[corner / 3][k]];
                patch.coordinates[k] = surface->texture.coordinates[corner / 3][k];
            }
            patch_measure(&patch);
            const float *here = patch.coordinates[corner % 3];
            struct seam_side *side = carried.sides;
            while (side < carried.sides + carried.count && !is_same(side->ends[0], here))
                side++;
            if (side == carried.sides + MOST_SIDES)
                return false;
            if (side == carried.sides + carried.count) {
                memcpy(side->ends[0], here, sizeof side->ends[0]);
                carried.count++;
            }
            size_t number = (size_t)(side - carried.sides);
            double own[COORDINATES] = {0}, weight = 0;
            add_coordinates(&patch, to, pass == 0 ? sums[number] : own, pass == 0 ? &weights[number] : &weight);
            if (pass == 0 || !(weight > 0))
                continue;
            for (int i = 0; i < COORDINATES; i++) {
                own[i] /= weight;
                side->to[i] = (float)(sums[number][i] / weights[number]);
            }
            shift = fmax(shift, find_shift(&surface->texture, tag_class(surface->tags[corner / 3]), own, side->to));
        }
    shift += (double)surface->texture.shifts[vertex];
    if (surface->texture.shift > 0 && shift > surface->texture.shift)
        return false;
    for (uint32_t corner = map->first[vertex]; corner != CP_NONE; corner = map->next[corner]) {
        float *here = surface->texture.coordinates[corner / 3][corner % 3];
        for (uint32_t i = 0; i < carried.count; i++)
            if (weights[i] > 0 && is_same(carried.sides[i].ends[0], here)) {
                memcpy(here, carried.sides[i].to, sizeof carried.sides[i].to);
                break;
            }
    }
    surface->texture.shifts[vertex] = (float)shift;
    return true;
}
