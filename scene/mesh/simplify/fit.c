/* Fits a collapsed surface to the original. Collapses put vertices near the tangent planes of the original, that is,
 * outside where it is convex. Here each vertex of the original finds its place on the surface. Then the surface's
 * vertices move so that the squares of the distances, measured along the faces' normals, become least. */
#include <float.h>
#include <string.h>

#include "nearest.h"

enum {
    MOST_FACES = 64,          /* faces around a vertex that are used */
    SLICE_BOXES = 16 * SLICE, /* boxes of the tree that an item may open */
    SWEEPS = 4                /* over all vertices, for one set of places */
};

/* A part of the weight of a vertex' faces: this ridge holds the vertex in directions that they leave open. */
static const double ridge = 1e-2;

/* The place of an original vertex on its face: the shares of the face's corners 0 and 1. */
struct hit {
    float shares[2];
    float height; /* above the face */
};

/* Sums over the hits of a face, of products of the shares: the sweeps need no more of the hits. */
struct moments {
    double squares[3];  /* 00, 11, 22 */
    double products[3]; /* 12, 20, 01 */
    double heights[3];
    double highest; /* of the hits, either side */
};

struct fit {
    struct surface *surface;
    struct surface_samples *samples;
    struct face_map *map;
    uint32_t *faces; /* indexed by original: the nearest face of each */
    struct hit *hits;
    double (*normals)[3]; /* one for each face, unit length; 0 where there is no area */
    struct moments *moments;
    double (*steps)[3], (*next_steps)[3]; /* of vertices */
    double noise;                         /* the squared rounding of floats */
    double stiffness;                     /* weight of the collapses' planes */
};

/* ---- places ---- */

static void find_hits(void *user, uint32_t item, uint32_t worker)
{
    (void)worker;
    const double far = 9; /* of the mean of squares */
    const struct fit *fit = user;
    struct surface *surface = fit->surface;
    struct surface_samples *samples = fit->samples;
    uint32_t boxes = SLICE_BOXES;
    for (uint32_t at = item * SLICE; at < slice_end(item, samples->count); at++) {
        struct face_search search = search_point(fit->map, samples->points[at]);
        search_from(&search, samples->owners[at]);
        /* Accept the place if it is as near as the planes of the collapses suggest, or as near as floats allow. */
        const struct quadric *quadric = &surface->planes.quadrics[search_vertex(&search)];
        double weight = quadric_weight(quadric), expected = weight > 0 ? far * quadric->c / weight : 0;
        if (search.distance > fmax(expected, fit->noise))
            search_all(&search, &boxes);
        samples->owners[at] = search_vertex(&search);
        const uint32_t *face = surface->triangles[search.face];
        double away[3];
        subtract(search.point, surface->points[face[2]], away);
        double height = dot_product(away, fit->normals[search.face]);
        for (int corner = 0; corner < 2; corner++) {
            subtract(surface->points[face[corner]], surface->points[face[2]], away);
            height -= search.shares[corner] * dot_product(away, fit->normals[search.face]);
        }
        fit->faces[at] = search.face;
        fit->hits[at] = (struct hit){{(float)search.shares[0], (float)search.shares[1]}, (float)height};
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

/* Finds the best place of each vertex while its neighbours stay where they are by now. */
static void sweep(void *user, uint32_t item, uint32_t worker)
{
    (void)worker;
    const struct fit *fit = user;
    const struct surface *surface = fit->surface;
    const double zero[3] = {0, 0, 0};
    for (uint32_t vertex = item * SLICE; vertex < slice_end(item, surface->vertex_count); vertex++) {
        struct quadric quadric = {0};
        double more[3] = {0, 0, 0};
        uint32_t left = MOST_FACES;
        /* Add the squares of the hits on its faces. */
        for (uint32_t corner = fit->map->first[vertex]; corner != CP_NONE && left-- > 0;
             corner = fit->map->next[corner]) {
            uint32_t face = corner / 3, number = corner % 3, after = (number + 1) % 3, before = (number + 2) % 3;
            const uint32_t *at = surface->triangles[face];
            const struct moments *moments = &fit->moments[face];
            const double *normal = fit->normals[face];
            double square = moments->squares[number], product = moments->products[before];
            double other = moments->products[after];
            double weight = square + product + other; /* the sum of this corner's products, as the shares add up to 1 */
            double height = moments->heights[number] - square * dot_product(normal, fit->steps[at[number]]) -
                            product * dot_product(normal, fit->steps[at[after]]) -
                            other * dot_product(normal, fit->steps[at[before]]);
            quadric_add_plane(&quadric, normal, 0, weight);
            for (int axis = 0; axis < 3; axis++)
                quadric.b[axis] -= height * normal[axis];
        }
        if (!(surface->kinds[vertex] & KIND_CORNER)) {
            /* Add the planes of the faces that it has come from. */
            struct quadric planes = surface->planes.quadrics[vertex];
            quadric_move(&planes, fit->steps[vertex]);
            quadric_scale(&planes, fit->stiffness);
            quadric_sum(&quadric, &quadric, &planes, zero);
            const struct descent by = descent_of(&quadric, ridge * quadric_weight(&quadric));
            descend(&quadric, &by, more);
        }
        for (int axis = 0; axis < 3; axis++)
            fit->next_steps[vertex][axis] = fit->steps[vertex][axis] + more[axis];
    }
}

/* Tells whether one of the vertex' faces turns too far, or away from `up`, when the vertex goes `to` its new place. */
static bool turns_face(const struct fit *fit, uint32_t vertex, const double up[3], const double to[3])
{
    const double least_cosine = 0.5; /* of the angle by which a face may turn */
    const struct surface *surface = fit->surface;
    for (uint32_t corner = fit->map->first[vertex]; corner != CP_NONE; corner = fit->map->next[corner]) {
        const uint32_t *face = surface->triangles[corner / 3];
        double after[3];
        triangle_normal(to, surface->points[face[(corner + 1) % 3]], surface->points[face[(corner + 2) % 3]], after);
        double product = dot_product(fit->normals[corner / 3], after);
        if (looks_away(fit->normals[corner / 3], after, up) || !(product > 0) ||
            product * product < least_cosine * least_cosine * dot_product(after, after))
            return true;
    }
    return false;
}

/* Moves the vertices one after the other, so that a face knows the corners that have moved before. A face may turn
 * relative to its first direction. */
static void move_vertices(struct fit *fit)
{
    const double at_edges = 0.75, elsewhere = 1.3;
    const float none[4] = {0};
    struct surface *surface = fit->surface;
    for (uint32_t vertex = 0; vertex < surface->vertex_count; vertex++) {
        double to[3], up[3], highest = 0, *step = fit->steps[vertex];
        find_way_up(surface->planes.ups[vertex], none, up);
        /* Bound how far the vertex may go from the planes that it has come from, by the highest of the hits on its
         * faces. If hits are far from a vertex, it would go a long way to bring them onto its faces, at an edge of the
         * shape beyond that edge. On smooth surfaces it must go as far as hits are high. A smaller bound costs volume
         * of the tiniest shapes, a larger one the largest error. */
        for (uint32_t corner = fit->map->first[vertex]; corner != CP_NONE; corner = fit->map->next[corner])
            highest = fmax(highest, fit->moments[corner / 3].highest);
        double reach = highest * (dot_product(up, up) == 0 ? at_edges : elsewhere);
        const struct quadric *planes = &surface->planes.quadrics[vertex];
        double limit = fmax(planes->c, reach * reach * quadric_weight(planes)), value = quadric_value(planes, step);
        if (value > limit) {
            double linear = dot_product(planes->b, step), square = value - 2 * linear - planes->c;
            double part = (sqrt(fmax(0, linear * linear + square * (limit - planes->c))) - linear) / square;
            for (int axis = 0; axis < 3; axis++)
                step[axis] *= fmax(0, fmin(1, part));
        }
        if (step[0] == 0 && step[1] == 0 && step[2] == 0)
            continue;
        for (int axis = 0; axis < 3; axis++)
            to[axis] = surface->points[vertex][axis] + step[axis];
        round_point(surface, to);
        if (!turns_face(fit, vertex, up, to) &&
            (!surface->texture.coordinates || move_texture(surface, fit->map, vertex, to)))
            memcpy(surface->points[vertex], to, sizeof to);
    }
}

static bool place_originals(struct fit *fit)
{
    struct surface *surface = fit->surface;
    return parallel_for(surface->context, slices(surface->triangle_count), find_normals, fit) &&
           parallel_for(surface->context, slices(fit->samples->count), find_hits, fit);
}

static bool fit_once(struct fit *fit)
{
    const double plane_part = 0.05;
    struct surface *surface = fit->surface;
    if (!place_originals(fit))
        return false;
    memset(fit->moments, 0, surface->triangle_count * sizeof *fit->moments);
    for (uint32_t i = 0; i < fit->samples->count; i++) {
        const struct hit *hit = &fit->hits[i];
        struct moments *moments = &fit->moments[fit->faces[i]];
        double shares[3] = {(double)hit->shares[0], (double)hit->shares[1], 0}, height = (double)hit->height;
        shares[2] = 1 - shares[0] - shares[1];
        moments->highest = fmax(moments->highest, fabs(height));
        for (int corner = 0; corner < 3; corner++) {
            moments->squares[corner] += shares[corner] * shares[corner];
            moments->products[corner] += shares[(corner + 1) % 3] * shares[(corner + 2) % 3];
            moments->heights[corner] += shares[corner] * height;
        }
    }
    /* Weigh all planes together as a part of all hits. Without them a vertex whose faces have few hits goes far for
     * these; with more of them the surface stays too far outside. */
    double weight = 0;
    for (uint32_t vertex = 0; vertex < surface->vertex_count; vertex++)
        weight += quadric_weight(&surface->planes.quadrics[vertex]);
    fit->stiffness = weight > 0 ? plane_part * fit->samples->count / weight : 0;
    memset(fit->steps, 0, surface->vertex_count * sizeof *fit->steps);
    for (int i = 0; i < SWEEPS; i++) {
        if (!parallel_for(surface->context, slices(surface->vertex_count), sweep, fit))
            return false;
        double(*steps)[3] = fit->steps;
        fit->steps = fit->next_steps;
        fit->next_steps = steps;
    }
    move_vertices(fit);
    face_map_measure(fit->map);
    return true;
}

bool surface_fit(struct surface *surface, struct surface_samples *samples, uint32_t passes, struct face_map *map,
                 uint32_t *near)
{
    cp_context *context = surface->context;
    uint32_t originals = samples->count, faces = surface->triangle_count, vertices = surface->vertex_count;
    struct fit fit = {.surface = surface,
                      .samples = samples,
                      .map = map,
                      .faces = near,
                      .noise = surface_noise(surface) * surface_noise(surface)};
    if (faces == 0)
        return true;
    struct arena *scratch = arena_new(context);
    fit.hits = arena_allocate(scratch, originals, sizeof *fit.hits);
    fit.normals = arena_allocate(scratch, faces, sizeof *fit.normals);
    fit.moments = arena_allocate(scratch, faces, sizeof *fit.moments);
    fit.steps = arena_allocate(scratch, vertices, sizeof *fit.steps);
    fit.next_steps = arena_allocate(scratch, vertices, sizeof *fit.next_steps);
    bool good = face_map_make(map, surface) && !arena_failed(scratch);
    for (uint32_t pass = 0; good && pass < passes; pass++)
        good = fit_once(&fit);
    if (good && passes == 0)
        good = place_originals(&fit);
    arena_free(scratch);
    return good;
}
