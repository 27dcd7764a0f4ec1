/* A place is a position, whatever the number of vertices there. Two places of one mesh, far from its centre and of a
 * rare kind, are tried on all pairs of places of the other mesh that have as many corners and the same distances; with
 * the centres, each gives a motion. A coarse match of all places by it makes a better one of all pairs of places, and
 * this one is what has to stand up to the tolerance.
 *
 * Without it, `instances` would miss 16 of the 732 copies that it finds in samples and the corpus, as they are and
 * split into shells: parts of an ABB IRB 120, an engine, a truck, a gripper. It would find none of 14 mirror images. */
#include "copies.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "mesh/join.h"
#include "model/model.h"

enum {
    MOST_ATTEMPTS = 64,   /* motions that are tried on all places */
    CHECKS_A_PLACE = 16,  /* pairs of places that are compared, */
    CHECKS_MORE = 100000, /* and in all */
    MOST_IN_CELL = 64
};
/* The tolerance of a coarse match. If three points are off by the tolerance each, their motion is off by this factor
 * more at the far end, for the spread that choose_seed demands. */
static const double COARSE = 32;

/* A kind of place: its number of corners, and its distance from the centre. Places are sorted by both. */
struct spot {
    uint32_t place, corners;
    double radius;
};

struct side {
    const cp_mesh *mesh;
    uint32_t *places; /* for each vertex */
    uint32_t count;   /* of places */
    float *points;    /* one a place */
    struct spot *spots;
    double centre[3], square; /* mean of the vertices, and mean squared distance from it */
};

/* Cells as in grid.c: neighbours are in a place's own cell or in one of seven cells beside it. */
struct cells {
    double width;
    uint32_t *heads, *next;
    bool *taken;
    size_t slot_count;
};

struct attempt {
    struct reorder_search *search;
    struct side from, to;
    double size; /* of `to`, in units of `from` */
    struct cells cells;
    uint32_t *map;     /* place of `to` for each of `from` */
    uint32_t *renamed; /* one for each vertex of `from`: its place in `to` */
    cp_pose motion;
    double displaced;
};

/* ---- places ---- */

static void load(const float *points, uint32_t index, double out[3])
{
    for (size_t axis = 0; axis < 3; axis++)
        out[axis] = (double)points[3 * (size_t)index + axis];
}

static double difference(const double a[3], const double b[3], double out[3])
{
    double squares = 0;
    for (int axis = 0; axis < 3; axis++) {
        out[axis] = a[axis] - b[axis];
        squares += out[axis] * out[axis];
    }
    return sqrt(squares);
}

static int compare_spots(const void *a, const void *b)
{
    const struct spot *p = a, *q = b;
    if (p->corners != q->corners)
        return p->corners < q->corners ? -1 : 1;
    if (p->radius != q->radius)
        return p->radius < q->radius ? -1 : 1;
    return (p->place > q->place) - (p->place < q->place);
}

static bool prepare_side(cp_context *context, struct arena *scratch, struct side *side, const cp_mesh *mesh)
{
    uint32_t count = mesh->vertex_count;
    double at[3], off[3];
    side->places = arena_allocate(scratch, count, sizeof *side->places);
    side->points = arena_allocate(scratch, 3 * (size_t)count, sizeof *side->points);
    side->spots = arena_allocate_zeroed(scratch, count, sizeof *side->spots);
    if (arena_failed(scratch) || !join_positions(context, mesh->positions, count, side->places))
        return false;
    side->count = join_number(side->places, count);
    for (uint32_t i = 0, next = 0; i < count; i++)
        if (side->places[i] == next)
            memcpy(side->points + 3 * (size_t)next++, mesh->positions + 3 * (size_t)i, 3 * sizeof *side->points);
    for (uint32_t i = 0; i < count; i++) {
        load(mesh->positions, i, at);
        for (int axis = 0; axis < 3; axis++)
            side->centre[axis] += at[axis] / count;
    }
    for (uint32_t i = 0; i < count; i++) {
        load(mesh->positions, i, at);
        double r = difference(at, side->centre, off);
        side->square += r * r / count;
    }
    for (uint32_t i = 0; i < mesh->corner_count; i++)
        side->spots[side->places[mesh->corners[i]]].corners++;
    for (uint32_t i = 0; i < side->count; i++) {
        load(side->points, i, at);
        side->spots[i].place = i;
        side->spots[i].radius = difference(at, side->centre, off);
    }
    qsort(side->spots, side->count, sizeof *side->spots, compare_spots);
    return true;
}

/* ---- the seed: two places of `from` ---- */

static bool is_spread(const struct attempt *attempt, const struct spot *spot, const struct spot *first, double sine)
{
    double a[3], b[3], p[3], q[3], across[3];
    load(attempt->from.points, first->place, a);
    load(attempt->from.points, spot->place, b);
    double r = difference(a, attempt->from.centre, p) * difference(b, attempt->from.centre, q);
    cross_product(p, q, across);
    return sqrt(dot_product(across, across)) >= sine * r;
}

/* Returns the first spot of the shortest run of lookalikes that lies at least `reach` from the centre and, unless first
 * is NULL, in another direction than that; CP_NONE when there is none. */
static uint32_t rarest_spot(const struct attempt *attempt, double reach, const struct spot *first, double sine)
{
    const struct spot *spots = attempt->from.spots;
    double near = 4 * attempt->search->tolerance / attempt->size;
    uint32_t best = CP_NONE, best_length = CP_NONE;
    for (uint32_t at = 0, end; at < attempt->from.count; at = end) {
        for (end = at + 1; end < attempt->from.count && spots[end].corners == spots[at].corners &&
                           spots[end].radius - spots[end - 1].radius <= near;)
            end++;
        for (uint32_t i = at; i < end && end - at < best_length; i++)
            if (spots[i].radius >= reach && (!first || is_spread(attempt, &spots[i], first, sine))) {
                best = i;
                best_length = end - at;
            }
    }
    return best;
}

static bool choose_seed(const struct attempt *attempt, struct spot seed[2])
{
    static const double spreads[3][2] = {{0.5, 0.5}, {0.25, 0.25}, {0.1, 0.1}}; /* the radius, as a part of the largest
                                                                                 * one, and the sine */
    double largest = 0;
    for (uint32_t i = 0; i < attempt->from.count; i++)
        largest = fmax(largest, attempt->from.spots[i].radius);
    for (int i = 0; i < 3; i++) {
        uint32_t one = rarest_spot(attempt, spreads[i][0] * largest, NULL, 0);
        if (one == CP_NONE)
            continue;
        uint32_t two = rarest_spot(attempt, spreads[i][0] * largest, &attempt->from.spots[one], spreads[i][1]);
        if (two == CP_NONE)
            continue;
        seed[0] = attempt->from.spots[one];
        seed[1] = attempt->from.spots[two];
        return true;
    }
    return false;
}

/* Finds the spots of `to` that may be the seed's: [begin, end). */
static void find_partners(const struct attempt *attempt, const struct spot *seed, uint32_t range[2])
{
    const struct side *to = &attempt->to;
    double radius = seed->radius * attempt->size, near = 4 * attempt->search->tolerance;
    for (int bound = 0; bound < 2; bound++) {
        const struct spot key = {
            .place = bound ? CP_NONE : 0, .corners = seed->corners, .radius = radius + (bound ? near : -near)};
        uint32_t low = 0, high = to->count;
        while (low < high) {
            uint32_t middle = low + (high - low) / 2;
            if (compare_spots(&to->spots[middle], &key) < 0)
                low = middle + 1;
            else
                high = middle;
        }
        range[bound] = low;
    }
}

/* ---- a motion from a pair ---- */

/* Finds three axes: from the centre to one place, beside it towards the other, and across both. */
static void side_frame(const struct side *side, uint32_t first, uint32_t second, double sign, double frame[3][3])
{
    double a[3], b[3], u[3], v[3], *x = frame[0], *z = frame[2];
    load(side->points, first, a);
    load(side->points, second, b);
    (void)difference(a, side->centre, u);
    (void)difference(b, side->centre, v);
    for (int i = 0; i < 3; i++) {
        u[i] *= sign;
        v[i] *= sign;
    }
    double length = sqrt(dot_product(u, u));
    for (int i = 0; i < 3; i++)
        x[i] = u[i] / length;
    cross_product(x, v, z);
    double across = sqrt(dot_product(z, z));
    for (int i = 0; i < 3; i++)
        z[i] /= across;
    cross_product(z, x, frame[1]);
}

static cp_pose coarse_motion(const struct attempt *attempt, const struct spot seed[2], uint32_t first, uint32_t second)
{
    double from[3][3], to[3][3], sign = attempt->search->mirrored ? -1 : 1;
    cp_pose pose;
    side_frame(&attempt->from, seed[0].place, seed[1].place, sign, from);
    side_frame(&attempt->to, first, second, 1, to);
    for (int row = 0; row < 3; row++) {
        double moved = 0;
        for (int column = 0; column < 3; column++) {
            double sum = 0;
            for (int k = 0; k < 3; k++)
                sum += to[k][row] * from[k][column];
            pose.m[4 * row + column] = sign * attempt->size * sum;
            moved += pose.m[4 * row + column] * attempt->from.centre[column];
        }
        pose.m[4 * row + 3] = attempt->to.centre[row] - moved;
    }
    return pose;
}

/* ---- matching all places ---- */

/* Computes the cell of a point: whole numbers in doubles, without -0. */
static void cell_of(const struct attempt *attempt, const double point[3], double cell[3])
{
    for (int axis = 0; axis < 3; axis++)
        cell[axis] = floor(point[axis] / attempt->cells.width) + 0.0;
}

static uint32_t *cell_head(const struct attempt *attempt, const double cell[3])
{
    uint64_t hash = hash_words(attempt->search->context->seed, cell, 6);
    return &attempt->cells.heads[(size_t)hash & (attempt->cells.slot_count - 1)];
}

/* Makes a hash table of the places by their cells. */
static bool prepare_cells(struct arena *scratch, struct attempt *attempt)
{
    struct cells *cells = &attempt->cells;
    const struct side *to = &attempt->to;
    cells->width = fmax(2 * COARSE * attempt->search->tolerance, 1e-60);
    for (cells->slot_count = 64; cells->slot_count < 2 * (uint64_t)to->count;)
        cells->slot_count *= 2;
    cells->heads = arena_allocate(scratch, cells->slot_count, sizeof *cells->heads);
    cells->next = arena_allocate(scratch, to->count, sizeof *cells->next);
    cells->taken = arena_allocate(scratch, to->count, sizeof *cells->taken);
    if (arena_failed(scratch))
        return false;
    memset(cells->heads, 0xff, cells->slot_count * sizeof *cells->heads);
    for (uint32_t i = to->count; i-- > 0;) {
        double at[3], cell[3];
        load(to->points, i, at);
        cell_of(attempt, at, cell);
        uint32_t *head = cell_head(attempt, cell);
        cells->next[i] = *head;
        *head = i;
    }
    return true;
}

/* Returns the nearest place to the point that is not taken; CP_NONE when there is none. In a crowded cell only the
 * first places are compared. */
static uint32_t nearest_place(const struct attempt *attempt, const double point[3])
{
    const struct cells *cells = &attempt->cells;
    double own[3], side[3], near = COARSE * attempt->search->tolerance * (1 + 1e-9) + 1e-300;
    uint32_t best = CP_NONE;
    cell_of(attempt, point, own);
    for (int axis = 0; axis < 3; axis++)
        side[axis] = point[axis] / cells->width - own[axis] < 0.5 ? -1 : 1;
    for (int corner = 0; corner < 8; corner++) {
        double cell[3], at[3], off[3], other[3];
        int seen = 0;
        for (int axis = 0; axis < 3; axis++)
            cell[axis] = own[axis] + (corner >> axis & 1 ? side[axis] : 0) + 0.0;
        for (uint32_t i = *cell_head(attempt, cell); i != CP_NONE && seen < MOST_IN_CELL; i = cells->next[i]) {
            load(attempt->to.points, i, at);
            cell_of(attempt, at, other);
            if (other[0] != cell[0] || other[1] != cell[1] || other[2] != cell[2])
                continue;
            seen++;
            double apart = difference(at, point, off);
            if (!cells->taken[i] && apart < near) {
                near = apart;
                best = i;
            }
        }
    }
    return best;
}

/* Matches all places by a coarse motion. The best motion for these pairs must be good enough, and match the faces. */
static bool try_motion(struct attempt *attempt, const cp_pose *pose, cp_status *status)
{
    const struct reorder_search *search = attempt->search;
    memset(attempt->cells.taken, 0, attempt->to.count * sizeof *attempt->cells.taken);
    for (uint32_t i = 0; i < attempt->from.count; i++) {
        double point[3];
        load(attempt->from.points, i, point);
        pose_point(pose, point, point);
        uint32_t place = nearest_place(attempt, point);
        if (place == CP_NONE)
            return false;
        attempt->cells.taken[place] = true;
        attempt->map[i] = place;
    }
    const struct point_pairs pairs = {attempt->from.points, attempt->to.points, attempt->map, attempt->from.count};
    if (!align_points(&pairs, search->mirrored, search->scaled, search->tolerance, &attempt->motion,
                      &attempt->displaced))
        return false;
    for (uint32_t i = 0; i < search->from->vertex_count; i++)
        attempt->renamed[i] = attempt->map[attempt->from.places[i]];
    return reorder_faces_match(search, attempt->renamed, attempt->to.places, &attempt->motion, status);
}

/* ---- all pairs ---- */

static bool try_pairs(struct attempt *attempt, const struct spot seed[2], cp_status *status)
{
    uint32_t one[2], two[2], attempts = 0;
    uint64_t checks = 0, most = CHECKS_MORE + CHECKS_A_PLACE * (uint64_t)attempt->to.count;
    double a[3], b[3], off[3];
    load(attempt->from.points, seed[0].place, a);
    load(attempt->from.points, seed[1].place, b);
    double distance = attempt->size * difference(a, b, off);
    find_partners(attempt, &seed[0], one);
    find_partners(attempt, &seed[1], two);
    for (uint32_t i = one[0]; i < one[1]; i++)
        for (uint32_t k = two[0]; k < two[1]; k++) {
            uint32_t first = attempt->to.spots[i].place, second = attempt->to.spots[k].place;
            if (++checks > most || attempts >= MOST_ATTEMPTS) {
                attempt->search->given_up = true;
                return false;
            }
            load(attempt->to.points, first, a);
            load(attempt->to.points, second, b);
            if (first == second || !(fabs(distance - difference(a, b, off)) <= 4 * attempt->search->tolerance))
                continue;
            attempts++;
            cp_pose pose = coarse_motion(attempt, seed, first, second);
            if (try_motion(attempt, &pose, status) || *status != CP_OK)
                return *status == CP_OK;
        }
    return false;
}

cp_status reorder_match(struct reorder_search *search, cp_pose *motion, double *displaced, bool *found)
{
    const cp_mesh *a = search->from, *b = search->to;
    *found = false;
    if (a->kind != CP_MESH_FACES || b->kind != CP_MESH_FACES || a->vertex_count != b->vertex_count ||
        a->face_count != b->face_count || a->corner_count != b->corner_count || !a->normals != !b->normals)
        return CP_OK;
    for (size_t i = ARRAY_TANGENTS; i < ARRAY_COUNT; i++)
        if (!mesh_array(a, i) != !mesh_array(b, i))
            return CP_OK;
    cp_context *context = search->context;
    size_t vertices = a->vertex_count;
    struct attempt attempt = {.search = search, .from.mesh = a, .to.mesh = b};
    struct side *from = &attempt.from, *to = &attempt.to;
    struct spot seed[2];
    struct arena *scratch = arena_new(context);
    attempt.map = arena_allocate(scratch, vertices, sizeof *attempt.map);
    attempt.renamed = arena_allocate(scratch, vertices, sizeof *attempt.renamed);
    bool good = prepare_side(context, scratch, from, a) && prepare_side(context, scratch, to, b) &&
                prepare_cells(scratch, &attempt);
    attempt.size = search->scaled && from->square > 0 ? sqrt(to->square / from->square) : 1;
    cp_status status = good ? CP_OK : CP_LIMIT;
    if (good && from->count == to->count && attempt.size > 0 && choose_seed(&attempt, seed))
        *found = try_pairs(&attempt, seed, &status);
    *motion = attempt.motion;
    *displaced = attempt.displaced;
    arena_free(scratch);
    return status;
}
