/* One edge: what its collapse would cost, and the collapse. No call here takes a context: parts run in threads. */
#include "collapse.h"

#include <string.h>

/* If the planes leave a direction open, this ridge keeps the new vertex at the edge's middle. It is too small to be
 * seen in the error, and large enough to be solved (tuned: 1e-3 costs 1 % of the mean error, 1e-5 gains nothing). */
static const double ridge = 1e-4;
/* The limit of a new vertex' distance from the edge's middle, in parts of the squared length. A farther one is not
 * taken, since on a curved surface the planes do not show how far it is off. */
static const double farthest = 0.5;
/* The cost of length, in parts of its square: the shorter one of two edges with the same error goes first. The errors
 * of a finely cut mechanical part are nearly as small as this; only noise is smaller. */
static const double shortness = 1e-11;
/* The cosine of the largest angle by which a face may turn in one collapse, or away from where the original looked
 * there. */
static const double least_cosine = 0.25;

/* Collects the faces at a vertex. False when there are too many. Unlinks dead corners on the way, so that each is met
 * once. */
static bool find_star(struct workspace *work, uint32_t vertex, struct vertex_star *star)
{
    star->count = 0;
    for (uint32_t *link = &work->states[vertex].first; *link != CP_NONE;) {
        uint32_t number = *link % 3;
        struct linked_face *face = &work->faces[*link / 3];
        if (face->vertices[0] == CP_NONE) {
            *link = face->next[number];
            continue;
        }
        if (star->count == MOST_FACES)
            return false;
        star->corners[star->count] = *link;
        star->left[star->count] = face->vertices[number == 2 ? 0 : number + 1];
        star->right[star->count++] = face->vertices[number == 0 ? 2 : number - 1];
        link = &face->next[number];
    }
    return true;
}

/* Tells which end must not leave its place or its line: 0 neither, 1 a, 2 b, 3 both. */
static int find_freedom(struct workspace *work, uint32_t a, uint32_t b)
{
    const struct surface *surface = work->surface;
    const uint32_t held = KIND_LINE | KIND_CORNER;
    uint32_t kind_a = surface->kinds[a] & held, kind_b = surface->kinds[b] & held;
    if ((kind_a | kind_b) == 0)
        return 0;
    if (kind_a & kind_b & KIND_CORNER)
        return 3;
    if (kind_a && kind_b) {
        /* Both ends lie on lines. The edge must be a part of one, that is, a border, a seam between classes, or a
         * fold. */
        struct vertex_star star;
        uint32_t faces = 0, corners[2] = {0, 0}, far[2] = {0, 0};
        double normals[2][3] = {{0}};
        if (!find_star(work, a, &star))
            return 3;
        for (uint32_t i = 0; i < star.count; i++)
            if (has_edge(&star, i, b) && faces++ < 2) {
                uint32_t corner = corners[faces - 1] = star.corners[i];
                far[faces - 1] = corner - corner % 3 + (corner % 3 + (star.left[i] == b ? 1 : 2)) % 3;
                triangle_normal(surface->points[a], surface->points[star.left[i]], surface->points[star.right[i]],
                                normals[faces - 1]);
            }
        bool seam = tag_class(surface->tags[corners[0] / 3]) != tag_class(surface->tags[corners[1] / 3]) ||
                    !same_coordinates(&surface->texture, corners[0], corners[1]) ||
                    !same_coordinates(&surface->texture, far[0], far[1]);
        if (faces != 1 && (faces != 2 || !(seam || is_fold(normals[0], normals[1]))))
            return 3;
    }
    if (kind_a == kind_b)
        return 0;
    return kind_a > kind_b ? 1 : 2; /* a corner is kept rather than a line, a line rather than the rest */
}

bool judge_edge(struct workspace *work, uint32_t a, uint32_t b, struct collapse_candidate *candidate)
{
    const struct surface *surface = work->surface;
    int freedom = find_freedom(work, a, b);
    if (freedom == 3)
        return false;
    double edge[3], *step = candidate->step;
    struct quadric *sum = &candidate->sum;
    subtract(surface->points[b], surface->points[a], edge);
    double back[3] = {-edge[0], -edge[1], -edge[2]};
    quadric_sum(sum, &surface->planes.quadrics[a], &surface->planes.quadrics[b], back);
    for (int axis = 0; axis < 3; axis++)
        step[axis] = freedom == 1 ? 0 : freedom == 2 ? edge[axis] : 0.5 * edge[axis];
    if (freedom == 0)
        quadric_minimum(sum, ridge, step);
    double away[3] = {step[0] - 0.5 * edge[0], step[1] - 0.5 * edge[1], step[2] - 0.5 * edge[2]};
    if (freedom == 0 && dot_product(away, away) > farthest * dot_product(edge, edge))
        for (int axis = 0; axis < 3; axis++)
            step[axis] = 0.5 * edge[axis];
    double off = quadric_value(sum, step), weight = quadric_weight(sum);
    if (freedom == 0) {
        /* The ridge would draw the vertex away from a corner of the shape. So an end that is as good is taken as it is,
         * which keeps the corner exactly. */
        double at_a = sum->c > 0 ? sum->c : 0, at_b = quadric_value(sum, edge);
        if (at_a <= off || at_b <= off) {
            for (int axis = 0; axis < 3; axis++)
                step[axis] = at_a <= at_b ? 0 : edge[axis];
            off = at_a <= at_b ? at_a : at_b;
        }
    }
    candidate->a = a;
    candidate->b = b;
    candidate->cost = off + shortness * weight * dot_product(edge, edge);
    if (surface->planes.weights && work->strict)
        weight = (double)surface->planes.weights[a] + (double)surface->planes.weights[b];
    return off <= work->error * work->error * weight;
}

bool judge_texture(struct workspace *work, struct collapse_candidate *edge)
{
    const double notable = 0.1; /* the weight of a slide's square beside that of a distance */
    const struct surface *surface = work->surface;
    struct vertex_star stars[2];
    struct carried carried;
    double to[3];
    for (int axis = 0; axis < 3; axis++)
        to[axis] = surface->points[edge->a][axis] + edge->step[axis];
    round_point(surface, to);
    if (!find_star(work, edge->a, &stars[0]) || !find_star(work, edge->b, &stars[1]) ||
        !carry_texture(work, stars, edge, to, &carried))
        return false;
    edge->cost += notable * quadric_weight(&edge->sum) * carried.slide * carried.slide;
    return !(surface->texture.shift > 0) || carried.shift <= surface->texture.shift;
}

/* x'Ax */
static double quadratic_part(const struct quadric *quadric, const double x[3])
{
    return x[0] * (quadric->a00 * x[0] + 2 * (quadric->a01 * x[1] + quadric->a02 * x[2])) +
           x[1] * (quadric->a11 * x[1] + 2 * quadric->a12 * x[2]) + x[2] * quadric->a22 * x[2];
}

bool estimate_edge(struct workspace *work, uint32_t a, uint32_t b, double *cost)
{
    const struct surface *surface = work->surface;
    int freedom = find_freedom(work, a, b);
    if (freedom == 3)
        return false;
    double edge[3];
    subtract(surface->points[b], surface->points[a], edge);
    const struct quadric *from = &surface->planes.quadrics[a], *to = &surface->planes.quadrics[b];
    double sum = from->c + to->c, square_a = quadratic_part(from, edge), square_b = quadratic_part(to, edge);
    double line_a = 2 * dot_product(from->b, edge), line_b = -2 * dot_product(to->b, edge);
    double at_a = sum + line_b + square_b, at_b = sum + line_a + square_a;
    double middle = sum + 0.5 * (line_a + line_b) + 0.25 * (square_a + square_b);
    double least = freedom == 1 || (freedom == 0 && at_a < at_b) ? at_a : at_b;
    if (freedom == 0 && middle < least)
        least = middle;
    *cost = (least > 0 ? least : 0) + shortness * (quadric_weight(from) + quadric_weight(to)) * dot_product(edge, edge);
    return true;
}

bool edge_is_locked(const struct surface *surface, uint32_t a, uint32_t b)
{
    return ((surface->kinds[a] | surface->kinds[b]) & KIND_RIM) != 0;
}

uint32_t cost_bucket(double cost)
{
    const uint64_t base = (uint64_t)(1023 - 176) << BUCKET_BITS; /* 1023: the exponent's bias */
    uint64_t bits;
    memcpy(&bits, &cost, sizeof bits);
    bits >>= 52 - BUCKET_BITS;
    if (bits < base)
        return 0;
    return bits - base < BUCKET_COUNT ? (uint32_t)(bits - base) : BUCKET_COUNT - 1;
}

/* ---- one collapse ---- */

/* Tells whether the surface may collapse the edge. The link condition keeps its topology (Dey, Edelsbrunner, Guha,
 * Nekhayev, Topology preserving edge contraction, 1999), for an edge of one face or two: the ends share no neighbours
 * but those faces' third corners, and more than a face turned on itself is left. A free surface may break it: a ring of
 * three edges round a hole becomes one edge; a shell of four faces becomes two that lie on each other, and then
 * nothing. The surface's last faces stay. A collapse moves the boundary of a set of faces along, so a closed surface
 * stays closed. */
static bool may_collapse(struct surface_part *part, const struct vertex_star *a, const struct vertex_star *b,
                         const struct collapse_candidate *edge)
{
    struct vertex_state *states = part->work->states;
    uint32_t shared = 0, common = 0;
    uint32_t met = part->stamp += 2;
    for (uint32_t i = 0; i < a->count; i++)
        states[a->left[i]].mark = states[a->right[i]].mark = met;
    for (uint32_t i = 0; i < b->count; i++) {
        shared += has_edge(b, i, edge->a);
        uint32_t ends[2] = {b->left[i], b->right[i]};
        for (int end = 0; end < 2; end++)
            if (ends[end] != edge->a && states[ends[end]].mark == met) {
                states[ends[end]].mark = met + 1; /* counted */
                common++;
            }
    }
    uint32_t left = a->count + b->count - 2 * shared;
    bool keeps = (shared == 1 || shared == 2) && common == shared && left >= (shared == 2 ? 3 : 1);
    return left <= MOST_FACES && (keeps || (part->work->surface->free && part->live > shared));
}

/* Tells whether a face that stays would turn over, or away from where the original looked, when the edge's ends meet at
 * `to`. */
static bool turns_face(const struct surface *surface, const struct vertex_star stars[2],
                       const struct collapse_candidate *edge, const double to[3])
{
    const double flat = 1e-20; /* of the squares of the sine: a face without area has no side to be turned */
    const double(*points)[3] = (const double(*)[3])surface->points;
    double up[3], before[3], after[3], p[3], q[3];
    find_way_up(surface->planes.ups[edge->a], surface->planes.ups[edge->b], up);
    for (int end = 0; end < 2; end++)
        for (uint32_t i = 0; i < stars[end].count; i++) {
            if (has_edge(&stars[end], i, end ? edge->a : edge->b))
                continue;
            const double *from = points[end ? edge->b : edge->a];
            const double *left = points[stars[end].left[i]], *right = points[stars[end].right[i]];
            triangle_normal(from, left, right, before);
            triangle_normal(to, left, right, after);
            if (looks_away(before, after, up))
                return true;
            double product = dot_product(before, after), square = dot_product(before, before);
            if (product > 0 && product * product >= least_cosine * least_cosine * square * dot_product(after, after))
                continue;
            subtract(left, from, p);
            subtract(right, from, q);
            if (square > flat * dot_product(p, p) * dot_product(q, q))
                return true;
        }
    return false;
}

/* Moves the new vertex to a place that keeps the volume, in the direction in which the planes change least, if that
 * place is neither far nor dear (after Lindstrom and Turk, Fast and memory efficient polygonal simplification,
 * 1998). */
static void keep_volume(const struct surface *surface, const struct vertex_star stars[2],
                        struct collapse_candidate *edge)
{
    const double far = 0.25, dear = 4; /* parts of the edge's squared length, and of the error */
    const double(*points)[3] = (const double(*)[3])surface->points;
    const struct quadric *sum = &edge->sum;
    double sides[3] = {0, 0, 0}, way[3] = {0, 0, 0}, along[3], normal[3], to[3], volume = 0;
    subtract(points[edge->b], points[edge->a], along);
    /* Sum the cross products of the sides opposite the ends, seen from a. The product of this sum and the vertex is the
     * volume below the faces that stay. */
    for (int end = 0; end < 2; end++) {
        double place[3] = {end ? along[0] : 0, end ? along[1] : 0, end ? along[2] : 0}, volume_here = 0;
        for (uint32_t i = 0; i < stars[end].count; i++) {
            if (has_edge(&stars[end], i, end ? edge->a : edge->b))
                continue;
            triangle_normal(points[edge->a], points[stars[end].left[i]], points[stars[end].right[i]], normal);
            volume_here += dot_product(place, normal);
            for (int axis = 0; axis < 3; axis++)
                sides[axis] += normal[axis];
        }
        volume += volume_here;
    }
    const struct descent by = descent_of(sum, ridge * quadric_weight(sum));
    descent_apply(&by, sides, way);
    double reach = dot_product(sides, way), part = reach > 0 ? (volume - dot_product(sides, edge->step)) / reach : 0;
    double length = dot_product(along, along);
    for (int axis = 0; axis < 3; axis++)
        to[axis] = edge->step[axis] + part * way[axis];
    double most = dear * quadric_value(sum, edge->step) + shortness * quadric_weight(sum) * length;
    if (part * part * dot_product(way, way) <= far * length && quadric_value(sum, to) <= most)
        memcpy(edge->step, to, sizeof to);
}

bool collapse_edge(struct surface_part *part, struct collapse_candidate *edge, struct vertex_star stars[2])
{
    struct workspace *work = part->work;
    struct surface *surface = work->surface;
    uint32_t one = edge->a, other = edge->b;
    if (!find_star(work, one, &stars[0]) || !find_star(work, other, &stars[1]) ||
        !may_collapse(part, &stars[0], &stars[1], edge))
        return false;
    if (!surface->kinds[one] && !surface->kinds[other])
        keep_volume(surface, stars, edge);
    double to[3], moved[3];
    for (int axis = 0; axis < 3; axis++)
        to[axis] = surface->points[one][axis] + edge->step[axis];
    round_point(surface, to);
    struct carried carried;
    if (turns_face(surface, stars, edge, to) ||
        (surface->texture.coordinates && !(carry_texture(work, stars, edge, to, &carried) &&
                                           (!(surface->texture.shift > 0) || carried.shift <= surface->texture.shift))))
        return false;
    /* The faces of both stars become those of `one`, linked in this order; those at the edge die. */
    uint32_t *last = &work->states[one].first;
    for (int end = 0; end < 2; end++)
        for (uint32_t i = 0; i < stars[end].count; i++) {
            uint32_t corner = stars[end].corners[i];
            struct linked_face *face = &work->faces[corner / 3];
            if (has_edge(&stars[end], i, end ? one : other)) {
                part->live -= face->vertices[0] != CP_NONE;
                face->vertices[0] = CP_NONE;
                continue;
            }
            face->vertices[corner % 3] = one;
            if (surface->texture.coordinates)
                replace_coordinates(&carried, end, surface->texture.coordinates[corner / 3][corner % 3]);
            *last = corner;
            last = &face->next[corner % 3];
        }
    *last = CP_NONE;
    work->parents[other] = one;
    work->states[other].first = CP_NONE;
    /* Move the vertex, with the sums of the faces that it has come from. */
    if (surface->colours) {
        double along[3];
        subtract(surface->points[other], surface->points[one], along);
        double length = dot_product(along, along), share = length > 0 ? dot_product(along, edge->step) / length : 0;
        share = share < 0 ? 0 : share > 1 ? 1 : share;
        for (int channel = 0; channel < 4; channel++) {
            double colour = (double)surface->colours[one][channel], far = (double)surface->colours[other][channel];
            surface->colours[one][channel] = (float)(colour + share * (far - colour));
        }
    }
    if (surface->texture.coordinates)
        surface->texture.shifts[one] = (float)carried.shift;
    subtract(to, surface->points[one], moved);
    surface->planes.quadrics[one] = edge->sum;
    quadric_move(&surface->planes.quadrics[one], moved);
    for (int i = 0; i < 4; i++)
        surface->planes.ups[one][i] += surface->planes.ups[other][i];
    if (surface->planes.weights)
        surface->planes.weights[one] += surface->planes.weights[other];
    memcpy(surface->points[one], to, sizeof surface->points[0]);
    surface->kinds[one] |= surface->kinds[other]; /* of a corner and a line, both: */
    if (surface->kinds[one] & KIND_CORNER)
        surface->kinds[one] = KIND_CORNER;
    return true;
}
