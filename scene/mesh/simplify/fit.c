/* What collapses leave behind is near the tangent planes of the original, which is outside where it is convex. Here each
 * vertex of the original looks for its place on the surface, and the surface's vertices move so that the squares of the
 * distances, measured along the faces' normals, become least. Then the largest distance is measured. */
#include <float.h>
#include <string.h>

#include "../../parallel.h"
#include "surface.h"

enum {
    SLICE = 8192,    /* rows an item */
    MOST_FACES = 64, /* that are looked at around a vertex */
    SWEEPS = 4       /* over all vertices, for one set of places */
};

/* Of the weight of a vertex' faces: what holds it where they leave a direction open. */
static const double ridge = 1e-2;

/* An original vertex' place: the face, and the share of its corners 0 and 1. */
struct hit {
    uint32_t face;
    float shares[2];
    float height; /* above the face */
};

/* Sums over the hits of a face, of products of the shares: all that the sweeps need to know of them. */
struct moments {
    double squares[3];  /* 00, 11, 22 */
    double products[3]; /* 12, 20, 01 */
    double heights[3];
};

struct fit {
    struct surface *surface;
    uint32_t *first, *next; /* corners at each vertex */
    struct hit *hits;
    double (*normals)[3]; /* of faces, unit length; 0 where there is no area */
    struct moments *moments;
    double (*steps)[3], (*next_steps)[3]; /* of vertices */
    double *errors;                       /* of items: squares */
    double stiffness;                     /* weight of the collapses' planes */
};

/* ---- the nearest face ---- */

/* The squared distance of a point from a triangle; the nearest place's shares of corners 0 and 1. By regions, after Ericson,
 * Real-Time Collision Detection (2005), 5.1.5. */
static double triangle_distance(const double point[3], const double *const corners[3], double shares[2])
{
    double ab[3], ac[3], ap[3];
    subtract(corners[1], corners[0], ab);
    subtract(corners[2], corners[0], ac);
    subtract(point, corners[0], ap);
    double d1 = dot_product(ab, ap), d2 = dot_product(ac, ap), abab = dot_product(ab, ab);
    double acac = dot_product(ac, ac), abac = dot_product(ab, ac);
    double d3 = d1 - abab, d4 = d2 - abac, d5 = d1 - abac, d6 = d2 - acac;
    double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2, v = 0, w = 0;
    if (d1 <= 0 && d2 <= 0) {
    } else if (d3 >= 0 && d4 <= d3) {
        v = 1;
    } else if (d6 >= 0 && d5 <= d6) {
        w = 1;
    } else if (vc <= 0 && d1 >= 0 && d3 <= 0) {
        v = d1 / (d1 - d3);
    } else if (vb <= 0 && d2 >= 0 && d6 <= 0) {
        w = d2 / (d2 - d6);
    } else if (va <= 0 && d4 >= d3 && d5 >= d6) {
        w = d4 - d3 + d5 - d6 > 0 ? (d4 - d3) / (d4 - d3 + d5 - d6) : 0;
        v = 1 - w;
    } else {
        v = vb / (va + vb + vc);
        w = vc / (va + vb + vc);
    }
    double away[3];
    for (int axis = 0; axis < 3; axis++)
        away[axis] = ap[axis] - v * ab[axis] - w * ac[axis];
    shares[0] = 1 - v - w;
    shares[1] = v;
    return dot_product(away, away);
}

struct search {
    const struct fit *fit;
    double point[3];
    double distance; /* squared */
    uint32_t face;
    double shares[2];
};

static void try_face(struct search *search, uint32_t face)
{
    const struct surface *surface = search->fit->surface;
    const uint32_t *at = surface->triangles[face];
    const double *const corners[3] = {surface->points[at[0]], surface->points[at[1]], surface->points[at[2]]};
    double shares[2], distance = triangle_distance(search->point, corners, shares);
    if (!(distance < search->distance))
        return;
    search->distance = distance;
    search->face = face;
    memcpy(search->shares, shares, sizeof shares);
}

static void try_star(struct search *search, uint32_t vertex)
{
    uint32_t left = MOST_FACES;
    for (uint32_t corner = search->fit->first[vertex]; corner != CP_NONE && left-- > 0;
         corner = search->fit->next[corner])
        try_face(search, corner / 3);
}

static uint32_t nearest_corner(const struct search *search)
{
    double last = 1 - search->shares[0] - search->shares[1];
    const uint32_t *face = search->fit->surface->triangles[search->face];
    if (search->shares[0] >= search->shares[1])
        return face[search->shares[0] >= last ? 0 : 2];
    return face[search->shares[1] >= last ? 1 : 2];
}

/* From vertex to vertex, while it gets nearer. */
static void walk(struct search *search, uint32_t vertex)
{
    enum { MOST_STEPS = 4 };
    for (int step = 0; step < MOST_STEPS; step++) {
        double before = search->distance;
        try_star(search, vertex);
        uint32_t nearest = search->distance < before ? nearest_corner(search) : vertex;
        if (nearest == vertex)
            return;
        vertex = nearest;
    }
}

/* From the best face to all around it, while it gets nearer. */
static void look_around(struct search *search)
{
    enum { MOST_STEPS = 32 };
    for (int step = 0; step < MOST_STEPS; step++) {
        uint32_t from = search->face;
        for (int corner = 0; corner < 3; corner++)
            try_star(search, search->fit->surface->triangles[from][corner]);
        if (search->face == from)
            return;
    }
}

static uint32_t slice_end(uint32_t item, uint32_t count)
{
    return count - item * SLICE < SLICE ? count : (item + 1) * SLICE;
}

static struct search search_of(const struct fit *fit, uint32_t original)
{
    struct search search = {.fit = fit, .distance = DBL_MAX};
    from_mesh_unit(fit->surface, fit->surface->originals[original], search.point);
    return search;
}

static void find_hits(void *user, uint32_t item, uint32_t worker)
{
    (void)worker;
    const struct fit *fit = user;
    struct surface *surface = fit->surface;
    for (uint32_t at = item * SLICE; at < slice_end(item, surface->original_count); at++) {
        struct search search = search_of(fit, at);
        walk(&search, surface->owners[at]);
        surface->owners[at] = nearest_corner(&search);
        const uint32_t *face = surface->triangles[search.face];
        double away[3];
        subtract(search.point, surface->points[face[2]], away);
        double height = dot_product(away, fit->normals[search.face]);
        for (int corner = 0; corner < 2; corner++) {
            subtract(surface->points[face[corner]], surface->points[face[2]], away);
            height -= search.shares[corner] * dot_product(away, fit->normals[search.face]);
        }
        fit->hits[at] = (struct hit){search.face, {(float)search.shares[0], (float)search.shares[1]}, (float)height};
    }
}

/* ---- the fit ---- */

static void find_normals(void *user, uint32_t item, uint32_t worker)
{
    (void)worker;
    const struct fit *fit = user;
    const struct surface *surface = fit->surface;
    for (uint32_t face = item * SLICE; face < slice_end(item, surface->triangle_count); face++) {
        const uint32_t *at = surface->triangles[face];
        double *normal = fit->normals[face];
        triangle_normal(surface->points[at[0]], surface->points[at[1]], surface->points[at[2]], normal);
        double length = sqrt(dot_product(normal, normal));
        for (int axis = 0; axis < 3; axis++)
            normal[axis] = length > 0 ? normal[axis] / length : 0;
    }
}

static void sum_moments(struct fit *fit)
{
    const struct surface *surface = fit->surface;
    memset(fit->moments, 0, surface->triangle_count * sizeof *fit->moments);
    for (uint32_t i = 0; i < surface->original_count; i++) {
        const struct hit *hit = &fit->hits[i];
        struct moments *moments = &fit->moments[hit->face];
        double shares[3] = {(double)hit->shares[0], (double)hit->shares[1], 0}, height = (double)hit->height;
        shares[2] = 1 - shares[0] - shares[1];
        for (int corner = 0; corner < 3; corner++) {
            moments->squares[corner] += shares[corner] * shares[corner];
            moments->products[corner] += shares[(corner + 1) % 3] * shares[(corner + 2) % 3];
            moments->heights[corner] += shares[corner] * height;
        }
    }
}

/* Adds what the hits on a face ask of the vertex at one of its corners, where the vertices have come to by now. */
static void add_face(const struct fit *fit, uint32_t corner, struct quadric *quadric)
{
    uint32_t face = corner / 3, number = corner % 3, after = (number + 1) % 3, before = (number + 2) % 3;
    const uint32_t *at = fit->surface->triangles[face];
    const struct moments *moments = &fit->moments[face];
    const double *normal = fit->normals[face];
    double square = moments->squares[number], product = moments->products[before], other = moments->products[after];
    double weight = square + product + other; /* as the shares' sum is 1, the sum of this corner's */
    double height = moments->heights[number] - square * dot_product(normal, fit->steps[at[number]]) -
                    product * dot_product(normal, fit->steps[at[after]]) -
                    other * dot_product(normal, fit->steps[at[before]]);
    quadric_add_plane(quadric, normal, 0, weight);
    for (int axis = 0; axis < 3; axis++)
        quadric->b[axis] -= height * normal[axis];
}

/* Adds what the planes of the faces that the vertex has come from ask for, where it has come to by now. */
static void add_planes(const struct fit *fit, uint32_t vertex, struct quadric *quadric)
{
    struct quadric planes = fit->surface->quadrics[vertex];
    quadric_move(&planes, fit->steps[vertex]);
    quadric_scale(&planes, fit->stiffness);
    quadric_sum(quadric, quadric, &planes, (double[3]){0, 0, 0});
}

static void sweep(void *user, uint32_t item, uint32_t worker)
{
    (void)worker;
    const struct fit *fit = user;
    const struct surface *surface = fit->surface;
    for (uint32_t vertex = item * SLICE; vertex < slice_end(item, surface->vertex_count); vertex++) {
        struct quadric quadric = {0};
        double more[3] = {0, 0, 0};
        uint32_t left = MOST_FACES;
        for (uint32_t corner = fit->first[vertex]; corner != CP_NONE && left-- > 0; corner = fit->next[corner])
            add_face(fit, corner, &quadric);
        if (!(surface->kinds[vertex] & KIND_CORNER)) {
            add_planes(fit, vertex, &quadric);
            const struct descent by = descent_of(&quadric, ridge * quadric_weight(&quadric));
            descend(&quadric, &by, more);
        }
        for (int axis = 0; axis < 3; axis++)
            fit->next_steps[vertex][axis] = fit->steps[vertex][axis] + more[axis];
    }
}

static bool turns_face(const struct fit *fit, uint32_t vertex, const double to[3])
{
    const double least_cosine = 0.5; /* of the angle by which a face may turn */
    const struct surface *surface = fit->surface;
    for (uint32_t corner = fit->first[vertex]; corner != CP_NONE; corner = fit->next[corner]) {
        const uint32_t *face = surface->triangles[corner / 3];
        double after[3];
        triangle_normal(to, surface->points[face[(corner + 1) % 3]], surface->points[face[(corner + 2) % 3]], after);
        double product = dot_product(fit->normals[corner / 3], after);
        if (!(product > 0) || product * product < least_cosine * least_cosine * dot_product(after, after))
            return true;
    }
    return false;
}

/* One after the other: a face sees the corners that have moved before. Faces may turn against what they were at first. */
static void move_vertices(struct fit *fit)
{
    struct surface *surface = fit->surface;
    for (uint32_t vertex = 0; vertex < surface->vertex_count; vertex++) {
        double to[3];
        const double *step = fit->steps[vertex];
        if (step[0] == 0 && step[1] == 0 && step[2] == 0)
            continue;
        for (int axis = 0; axis < 3; axis++)
            to[axis] = surface->points[vertex][axis] + step[axis];
        round_point(surface, to);
        if (!turns_face(fit, vertex, to))
            memcpy(surface->points[vertex], to, sizeof to);
    }
}

static uint32_t slices(uint32_t count)
{
    return (count + SLICE - 1) / SLICE;
}

static bool place_originals(struct fit *fit)
{
    struct surface *surface = fit->surface;
    return parallel_for(surface->context, slices(surface->triangle_count), find_normals, fit) &&
           parallel_for(surface->context, slices(surface->original_count), find_hits, fit);
}

/* Planes count, as a whole, for a part of all hits. Without them a vertex whose faces have few hits goes far for these; with
 * more of them the surface stays too far outside. */
static double find_stiffness(const struct surface *surface)
{
    const double part = 0.1;
    double weight = 0;
    for (uint32_t vertex = 0; vertex < surface->vertex_count; vertex++)
        weight += quadric_weight(&surface->quadrics[vertex]);
    return weight > 0 ? part * surface->original_count / weight : 0;
}

static bool fit_once(struct fit *fit)
{
    struct surface *surface = fit->surface;
    if (!place_originals(fit))
        return false;
    sum_moments(fit);
    fit->stiffness = find_stiffness(surface);
    memset(fit->steps, 0, surface->vertex_count * sizeof *fit->steps);
    for (int i = 0; i < SWEEPS; i++) {
        if (!parallel_for(surface->context, slices(surface->vertex_count), sweep, fit))
            return false;
        double(*steps)[3] = fit->steps;
        fit->steps = fit->next_steps;
        fit->next_steps = steps;
    }
    move_vertices(fit);
    return true;
}

/* ---- the error ---- */

/* Only where a hit is farther than the farthest yet, the nearest face is looked for once more. */
static void measure(void *user, uint32_t item, uint32_t worker)
{
    (void)worker;
    const struct fit *fit = user;
    double largest = 0;
    for (uint32_t at = item * SLICE; at < slice_end(item, fit->surface->original_count); at++) {
        struct search search = search_of(fit, at);
        try_face(&search, fit->hits[at].face);
        if (search.distance > largest)
            look_around(&search);
        largest = fmax(largest, search.distance);
    }
    fit->errors[item] = largest;
}

static bool find_error(struct fit *fit, double *error)
{
    uint32_t items = slices(fit->surface->original_count);
    if (!parallel_for(fit->surface->context, items, measure, fit))
        return false;
    double largest = 0;
    for (uint32_t item = 0; item < items; item++)
        largest = fmax(largest, fit->errors[item]);
    *error = sqrt(largest);
    return true;
}

static void link_corners(struct fit *fit)
{
    const struct surface *surface = fit->surface;
    memset(fit->first, 0xff, surface->vertex_count * sizeof *fit->first);
    for (uint32_t corner = 3 * surface->triangle_count; corner-- > 0;) {
        uint32_t vertex = surface->triangles[corner / 3][corner % 3];
        fit->next[corner] = fit->first[vertex];
        fit->first[vertex] = corner;
    }
}

static bool allocate_fit(struct fit *fit)
{
    const struct surface *surface = fit->surface;
    cp_context *context = surface->context;
    fit->first = memory_allocate(context, surface->vertex_count, sizeof *fit->first);
    fit->next = memory_allocate(context, 3 * (size_t)surface->triangle_count, sizeof *fit->next);
    fit->hits = memory_allocate(context, surface->original_count, sizeof *fit->hits);
    fit->normals = memory_allocate(context, surface->triangle_count, sizeof *fit->normals);
    fit->moments = memory_allocate(context, surface->triangle_count, sizeof *fit->moments);
    fit->steps = memory_allocate(context, surface->vertex_count, sizeof *fit->steps);
    fit->next_steps = memory_allocate(context, surface->vertex_count, sizeof *fit->next_steps);
    fit->errors = memory_allocate(context, slices(surface->original_count), sizeof *fit->errors);
    return fit->first && fit->next && fit->hits && fit->normals && fit->moments && fit->steps && fit->next_steps &&
           fit->errors;
}

static void free_fit(struct fit *fit)
{
    const struct surface *surface = fit->surface;
    cp_context *context = surface->context;
    memory_free(context, fit->first, surface->vertex_count, sizeof *fit->first);
    memory_free(context, fit->next, 3 * (size_t)surface->triangle_count, sizeof *fit->next);
    memory_free(context, fit->hits, surface->original_count, sizeof *fit->hits);
    memory_free(context, fit->normals, surface->triangle_count, sizeof *fit->normals);
    memory_free(context, fit->moments, surface->triangle_count, sizeof *fit->moments);
    memory_free(context, fit->steps, surface->vertex_count, sizeof *fit->steps);
    memory_free(context, fit->next_steps, surface->vertex_count, sizeof *fit->next_steps);
    memory_free(context, fit->errors, slices(surface->original_count), sizeof *fit->errors);
}

bool surface_fit(struct surface *surface, uint32_t passes, double *error)
{
    struct fit fit = {.surface = surface};
    *error = 0;
    if (surface->triangle_count == 0)
        return true;
    bool good = allocate_fit(&fit);
    if (good)
        link_corners(&fit);
    for (uint32_t pass = 0; good && pass < passes; pass++)
        good = fit_once(&fit);
    if (good && passes == 0)
        good = place_originals(&fit);
    good = good && find_error(&fit, error);
    free_fit(&fit);
    return good;
}
