/* Edge collapses in the order of their cost, for one part of a surface. No call here takes a context: parts run in threads. */
#include "collapse.h"

#include <string.h>

/* At most so many faces at a vertex that takes part: keeps the work for a collapse bounded on any input. */
enum { MOST_FACES = 96 };

/* Where the planes leave a direction open, the new vertex keeps to the edge's middle: small enough not to be seen in the
 * error, large enough to be solved (tuned: 1e-3 costs 1 % of the mean error, 1e-5 gains nothing). */
static const double ridge = 1e-4;
/* A new vertex farther than this from the edge's middle, of the squared length, is not taken: on a curved surface planes do not
 * tell how far it is off. */
static const double farthest = 0.5;
/* Of two edges with the same error the shorter one goes first; of the squared length. As small as this, since the errors of
 * a finely cut mechanical part are: only noise is below. */
static const double shortness = 1e-11;
/* No face turns by more than acos of this in one collapse. */
static const double least_cosine = 0.25;

/* The faces at a vertex; `left` and `right` are the other corners. */
struct star {
    uint32_t count;
    uint32_t corners[MOST_FACES], left[MOST_FACES], right[MOST_FACES];
};

/* A collapse that is looked at: b goes to a, which moves by `step`. */
struct candidate {
    uint32_t a, b;
    double step[3], cost;
};

/* False when there are too many. Dead corners are unlinked on the way: each is met once. */
static bool find_star(struct workspace *work, uint32_t vertex, struct star *star)
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

static bool has_edge(const struct star *star, uint32_t face, uint32_t other)
{
    return star->left[face] == other || star->right[face] == other;
}

/* A border, or a seam between two classes of faces. */
static bool is_feature(struct workspace *work, uint32_t a, uint32_t b)
{
    struct star star;
    uint32_t faces = 0, classes[2] = {0, 0};
    if (!find_star(work, a, &star))
        return false;
    for (uint32_t i = 0; i < star.count; i++)
        if (has_edge(&star, i, b) && faces++ < 2)
            classes[faces - 1] = tag_class(work->surface->tags[star.corners[i] / 3]);
    return faces == 1 || (faces == 2 && classes[0] != classes[1]);
}

/* Where an end must not leave its place, or its line: 0 free, 1 at a, 2 at b, 3 not at all. */
static int find_freedom(struct workspace *work, uint32_t a, uint32_t b)
{
    uint32_t kind_a = work->surface->kinds[a] & ~(uint32_t)KIND_RIM,
             kind_b = work->surface->kinds[b] & ~(uint32_t)KIND_RIM;
    if ((kind_a | kind_b) == 0)
        return 0;
    if (kind_a & kind_b & KIND_CORNER)
        return 3;
    if (kind_a && kind_b && !is_feature(work, a, b))
        return 3;
    if (kind_a == kind_b)
        return 0;
    return kind_a > kind_b ? 1 : 2; /* a corner goes before a line, a line before the rest */
}

/* A corner of the shape stays exactly where it is, since the ridge would draw it away: an end that is as good is taken. */
static double keep_end(const struct quadric *sum, const double edge[3], double off, double step[3])
{
    double at_a = sum->c > 0 ? sum->c : 0, at_b = quadric_value(sum, edge);
    if (at_a > off && at_b > off)
        return off;
    for (int axis = 0; axis < 3; axis++)
        step[axis] = at_a <= at_b ? 0 : edge[axis];
    return at_a <= at_b ? at_a : at_b;
}

/* False when the edge must stay. */
static bool judge(struct workspace *work, uint32_t a, uint32_t b, struct candidate *candidate)
{
    const struct surface *surface = work->surface;
    int freedom = find_freedom(work, a, b);
    if (freedom == 3)
        return false;
    double edge[3], *step = candidate->step;
    subtract(surface->points[b], surface->points[a], edge);
    double back[3] = {-edge[0], -edge[1], -edge[2]};
    struct quadric sum;
    quadric_sum(&sum, &surface->quadrics[a], &surface->quadrics[b], back);
    for (int axis = 0; axis < 3; axis++)
        step[axis] = freedom == 1 ? 0 : freedom == 2 ? edge[axis] : 0.5 * edge[axis];
    if (freedom == 0)
        quadric_minimum(&sum, ridge, step);
    double away[3] = {step[0] - 0.5 * edge[0], step[1] - 0.5 * edge[1], step[2] - 0.5 * edge[2]};
    if (freedom == 0 && dot_product(away, away) > farthest * dot_product(edge, edge))
        for (int axis = 0; axis < 3; axis++)
            step[axis] = 0.5 * edge[axis];
    double off = quadric_value(&sum, step), weight = quadric_weight(&sum);
    if (freedom == 0)
        off = keep_end(&sum, edge, off, step);
    candidate->a = a;
    candidate->b = b;
    candidate->cost = off + shortness * weight * dot_product(edge, edge);
    return off <= work->error * work->error * weight;
}

/* ---- the queue ---- */

/* By the exponent and the highest bits of the cost. */
static uint32_t bucket_of(double cost)
{
    const uint64_t base = (uint64_t)(1023 - 176) << BUCKET_BITS; /* 1023: the exponent's bias */
    uint64_t bits;
    memcpy(&bits, &cost, sizeof bits);
    bits >>= 52 - BUCKET_BITS;
    if (bits < base)
        return 0;
    return bits - base < BUCKET_COUNT ? (uint32_t)(bits - base) : BUCKET_COUNT - 1;
}

/* Whether the corner's edge is still queued there. */
static bool is_queued(const struct workspace *work, uint32_t corner)
{
    const struct linked_face *face = &work->faces[corner / 3];
    return face->vertices[0] != CP_NONE && (face->queued >> corner % 3 & 1);
}

static uint32_t take_chunk(struct queue *queue)
{
    uint32_t at = queue->unused;
    if (at != CP_NONE)
        queue->unused = queue->chunks[at].next;
    else if (queue->used < queue->room)
        at = queue->used++;
    return at;
}

static void give_chunk(struct queue *queue, uint32_t at)
{
    queue->chunks[at].next = queue->unused;
    queue->unused = at;
}

/* False when there is no chunk left. */
static bool put_edge(struct queue *queue, uint32_t bucket, uint32_t corner)
{
    uint32_t at = queue->heads[bucket];
    if (at == CP_NONE || queue->chunks[at].count == CHUNK_EDGES) {
        uint32_t fresh = take_chunk(queue);
        if (fresh == CP_NONE)
            return false;
        queue->chunks[fresh].next = at;
        queue->chunks[fresh].count = 0;
        queue->heads[bucket] = at = fresh;
    }
    queue->chunks[at].edges[queue->chunks[at].count++] = corner;
    queue->counts[bucket]++;
    return true;
}

static void drop_dead(struct part *part)
{
    struct queue *queue = &part->queue;
    for (uint32_t bucket = queue->lowest; bucket < BUCKET_COUNT; bucket++) {
        uint32_t list = queue->heads[bucket];
        queue->heads[bucket] = CP_NONE;
        queue->counts[bucket] = 0;
        while (list != CP_NONE) {
            struct chunk chunk = queue->chunks[list];
            give_chunk(queue, list);
            list = chunk.next;
            for (uint32_t i = 0; i < chunk.count; i++)
                if (is_queued(part->work, chunk.edges[i]))
                    (void)put_edge(queue, bucket, chunk.edges[i]);
        }
    }
}

/* An edge that finds no room is left out: that cannot be while there are at most three a triangle. */
static void push(struct part *part, uint32_t corner, double cost)
{
    struct queue *queue = &part->queue;
    uint32_t bucket = bucket_of(cost);
    part->work->faces[corner / 3].queued |= 1u << corner % 3;
    if (bucket > part->dearest)
        return;
    if (!put_edge(queue, bucket, corner)) {
        drop_dead(part);
        (void)put_edge(queue, bucket, corner);
    }
    if (bucket < queue->lowest)
        queue->lowest = bucket;
}

/* Edges come in an order that no processor foresees: fetches what the next ones will be looked at for. */
static void fetch_ahead(const struct part *part, const struct chunk *chunk)
{
    const struct workspace *work = part->work;
    if (chunk->count == 0)
        return;
    __builtin_prefetch(&work->faces[chunk->edges[chunk->count > 3 ? chunk->count - 4 : 0] / 3]);
    if (chunk->next != CP_NONE && chunk->count < 4)
        __builtin_prefetch(&part->queue.chunks[chunk->next].edges[CHUNK_EDGES - 1]);
    uint32_t next = chunk->edges[chunk->count - 1];
    if (!is_queued(work, next))
        return;
    const uint32_t *face = work->faces[next / 3].vertices;
    uint32_t ends[2] = {face[next % 3], face[(next + 1) % 3]};
    for (int end = 0; end < 2; end++) {
        __builtin_prefetch(&work->states[ends[end]]);
        __builtin_prefetch(&work->surface->points[ends[end]]);
        __builtin_prefetch(&work->surface->quadrics[ends[end]]);
        __builtin_prefetch((const char *)&work->surface->quadrics[ends[end]] + 64);
    }
}

/* Takes an edge; false when none is left that is cheap enough. */
static bool pop(struct part *part, uint32_t *corner)
{
    struct queue *queue = &part->queue;
    while (queue->lowest <= part->dearest) {
        uint32_t at = queue->heads[queue->lowest];
        if (at == CP_NONE) {
            queue->lowest++;
            continue;
        }
        struct chunk *chunk = &queue->chunks[at];
        *corner = chunk->edges[--chunk->count];
        queue->counts[queue->lowest]--;
        fetch_ahead(part, chunk);
        if (chunk->count == 0) {
            queue->heads[queue->lowest] = chunk->next;
            give_chunk(queue, at);
        }
        if (!is_queued(part->work, *corner))
            continue;
        part->work->faces[*corner / 3].queued &= ~(1u << *corner % 3);
        return true;
    }
    return false;
}

/* ---- one collapse ---- */

/* The link condition (Dey, Edelsbrunner, Guha, Nekhayev, Topology preserving edge contraction, 1999), for an edge of one face
 * or two: the ends share no neighbours but those faces' third corners, and more than a face turned on itself is left. */
static bool keeps_topology(struct part *part, const struct star *a, const struct star *b, const struct candidate *edge)
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
    return (shared == 1 || shared == 2) && common == shared && left >= (shared == 2 ? 3 : 1) && left <= MOST_FACES;
}

/* A face without an area has no side that could be turned. */
static bool has_area(const double from[3], const double left[3], const double right[3], const double normal[3])
{
    const double flat = 1e-20; /* of the squares of the sine */
    double p[3], q[3];
    subtract(left, from, p);
    subtract(right, from, q);
    return dot_product(normal, normal) > flat * dot_product(p, p) * dot_product(q, q);
}

static bool turns_face(const struct workspace *work, const struct star *star, const uint32_t ends[2],
                       const double to[3])
{
    const double(*points)[3] = (const double(*)[3])work->surface->points;
    for (uint32_t i = 0; i < star->count; i++) {
        if (has_edge(star, i, ends[1]))
            continue;
        const double *from = points[ends[0]], *left = points[star->left[i]], *right = points[star->right[i]];
        double before[3], after[3];
        triangle_normal(from, left, right, before);
        triangle_normal(to, left, right, after);
        double product = dot_product(before, after);
        if (product > 0 &&
            product * product >= least_cosine * least_cosine * dot_product(before, before) * dot_product(after, after))
            continue;
        if (has_area(from, left, right, before))
            return true;
    }
    return false;
}

static void mix_colours(struct surface *surface, const struct candidate *edge)
{
    double along[3];
    subtract(surface->points[edge->b], surface->points[edge->a], along);
    double length = dot_product(along, along);
    double part = length > 0 ? dot_product(along, edge->step) / length : 0;
    part = part < 0 ? 0 : part > 1 ? 1 : part;
    for (int channel = 0; channel < 4; channel++) {
        double from = (double)surface->colours[edge->a][channel], to = (double)surface->colours[edge->b][channel];
        surface->colours[edge->a][channel] = (float)(from + part * (to - from));
    }
}

static void move_vertex(struct surface *surface, const struct candidate *edge, const double to[3])
{
    double back[3], moved[3];
    subtract(surface->points[edge->a], surface->points[edge->b], back);
    subtract(to, surface->points[edge->a], moved);
    struct quadric sum;
    quadric_sum(&sum, &surface->quadrics[edge->a], &surface->quadrics[edge->b], back);
    quadric_move(&sum, moved);
    if (surface->colours)
        mix_colours(surface, edge);
    surface->quadrics[edge->a] = sum;
    memcpy(surface->points[edge->a], to, sizeof surface->points[0]);
    surface->kinds[edge->a] |= surface->kinds[edge->b]; /* of a corner and a line, both: */
    if (surface->kinds[edge->a] & KIND_CORNER)
        surface->kinds[edge->a] = KIND_CORNER;
}

/* Links the star's faces that stay behind *end; those at the edge die. */
static uint32_t *relink(struct part *part, const struct star *star, const struct candidate *edge, uint32_t other,
                        uint32_t *end)
{
    struct workspace *work = part->work;
    for (uint32_t i = 0; i < star->count; i++) {
        uint32_t corner = star->corners[i];
        struct linked_face *face = &work->faces[corner / 3];
        if (has_edge(star, i, other)) {
            part->live -= face->vertices[0] != CP_NONE;
            face->vertices[0] = CP_NONE;
            continue;
        }
        face->vertices[corner % 3] = edge->a;
        *end = corner;
        end = &face->next[corner % 3];
    }
    return end;
}

static void collapse(struct part *part, const struct star *a, const struct star *b, const struct candidate *edge)
{
    struct workspace *work = part->work;
    uint32_t *end = relink(part, a, edge, edge->b, &work->states[edge->a].first);
    *relink(part, b, edge, edge->a, end) = CP_NONE;
    work->surface->parents[edge->b] = edge->a;
    work->states[edge->b].first = CP_NONE;
}

static bool is_locked(const struct surface *surface, uint32_t a, uint32_t b)
{
    return ((surface->kinds[a] | surface->kinds[b]) & KIND_RIM) != 0;
}

/* The edge from the corner to the next one of its face. */
static void push_edge(struct part *part, uint32_t corner)
{
    const uint32_t *face = part->work->faces[corner / 3].vertices;
    struct candidate candidate;
    uint32_t a = face[corner % 3], b = face[(corner + 1) % 3];
    if (!is_locked(part->work->surface, a, b) && judge(part->work, a, b, &candidate))
        push(part, corner, candidate.cost);
}

static uint32_t corner_before(uint32_t corner)
{
    return corner % 3 == 0 ? corner + 2 : corner - 1;
}

/* Of an edge that two edges have become one entry is enough. */
static void merge_entries(struct part *part, uint32_t corner, uint32_t other)
{
    struct vertex_state *state = &part->work->states[other];
    if (!is_queued(part->work, corner))
        return;
    if (state->mark == part->stamp)
        part->work->faces[corner / 3].queued &= ~(1u << corner % 3);
    state->mark = part->stamp;
}

static void push_missing(struct part *part, uint32_t corner, uint32_t other)
{
    struct vertex_state *state = &part->work->states[other];
    if (state->mark != part->stamp)
        push_edge(part, corner);
    state->mark = part->stamp;
}

/* After a collapse: edges at the new vertex that wait go on waiting, those that do not, since they were refused or their face has
 * gone, get another chance. The star: as it was before, `gone` the other end. */
static void merge_star(struct part *part, const struct star *star, uint32_t gone)
{
    for (uint32_t i = 0; i < star->count; i++) {
        if (has_edge(star, i, gone))
            continue;
        merge_entries(part, star->corners[i], star->left[i]);
        merge_entries(part, corner_before(star->corners[i]), star->right[i]);
    }
}

static void push_star(struct part *part, const struct star *star, uint32_t gone)
{
    for (uint32_t i = 0; i < star->count; i++) {
        if (has_edge(star, i, gone))
            continue;
        push_missing(part, star->corners[i], star->left[i]);
        push_missing(part, corner_before(star->corners[i]), star->right[i]);
    }
}

static void try_edge(struct part *part, uint32_t corner)
{
    struct workspace *work = part->work;
    struct surface *surface = work->surface;
    const uint32_t *face = work->faces[corner / 3].vertices;
    uint32_t one = face[corner % 3], other = face[(corner + 1) % 3];
    struct candidate edge;
    struct star a, b;
    double to[3];
    if (!judge(work, one, other, &edge))
        return;
    if (bucket_of(edge.cost) > part->queue.lowest) {
        push(part, corner, edge.cost);
        return;
    }
    if (!find_star(work, one, &a) || !find_star(work, other, &b) || !keeps_topology(part, &a, &b, &edge))
        return;
    for (int axis = 0; axis < 3; axis++)
        to[axis] = surface->points[one][axis] + edge.step[axis];
    round_point(surface, to);
    if (turns_face(work, &a, (uint32_t[2]){one, other}, to) || turns_face(work, &b, (uint32_t[2]){other, one}, to))
        return;
    collapse(part, &a, &b, &edge);
    move_vertex(surface, &edge, to);
    part->stamp += 2;
    merge_star(part, &a, other);
    merge_star(part, &b, one);
    push_star(part, &a, other);
    push_star(part, &b, one);
}

void part_run(struct part *part)
{
    uint32_t corner;
    while (part->live > part->target && pop(part, &corner))
        try_edge(part, corner);
    struct workspace *work = part->work;
    for (uint32_t triangle = part->first_triangle; triangle < part->first_triangle + part->triangle_count; triangle++)
        memcpy(work->surface->triangles[triangle], work->faces[triangle].vertices,
               sizeof work->faces[triangle].vertices);
}

/* ---- the beginning ---- */

static void link_faces(struct part *part)
{
    struct workspace *work = part->work;
    for (uint32_t vertex = part->first_vertex; vertex < part->first_vertex + part->vertex_count; vertex++)
        work->states[vertex] = (struct vertex_state){.first = CP_NONE};
    for (uint32_t triangle = part->first_triangle + part->triangle_count; triangle-- > part->first_triangle;) {
        struct linked_face *face = &work->faces[triangle];
        memcpy(face->vertices, work->surface->triangles[triangle], sizeof face->vertices);
        face->queued = 0;
        for (uint32_t number = 3; number-- > 0;) {
            uint32_t *first = &work->states[face->vertices[number]].first;
            face->next[number] = *first;
            *first = 3 * triangle + number;
        }
    }
}

/* The edge from the corner to the next one, unless `other` says that it has been met: it waits, or is counted as one that must
 * wait for another round. */
static void queue_edge(struct part *part, uint32_t corner, uint32_t other)
{
    const uint32_t *face = part->work->faces[corner / 3].vertices;
    uint32_t a = face[corner % 3], b = face[(corner + 1) % 3];
    struct candidate candidate;
    if (part->work->states[other].mark == part->stamp)
        return;
    part->work->states[other].mark = part->stamp;
    if (!judge(part->work, a, b, &candidate))
        return;
    if (is_locked(part->work->surface, a, b))
        part->queue.locked[bucket_of(candidate.cost)]++;
    else
        push(part, corner, candidate.cost);
}

static void queue_edges(struct part *part)
{
    struct workspace *work = part->work;
    for (uint32_t vertex = part->first_vertex; vertex < part->first_vertex + part->vertex_count; vertex++) {
        part->stamp += 2;
        for (uint32_t corner = work->states[vertex].first, next; corner != CP_NONE; corner = next) {
            const struct linked_face *face = &work->faces[corner / 3];
            uint32_t number = corner % 3, left = face->vertices[(number + 1) % 3],
                     right = face->vertices[(number + 2) % 3];
            next = face->next[number];
            if (left > vertex)
                queue_edge(part, corner, left);
            if (right > vertex)
                queue_edge(part, corner_before(corner), right);
        }
    }
}

void part_start(struct part *part)
{
    struct queue *queue = &part->queue;
    memset(queue->heads, 0xff, sizeof queue->heads);
    memset(queue->counts, 0, sizeof queue->counts);
    memset(queue->locked, 0, sizeof queue->locked);
    queue->used = 0;
    queue->unused = CP_NONE;
    queue->lowest = BUCKET_COUNT;
    part->live = part->triangle_count;
    part->dearest = BUCKET_COUNT - 1;
    part->stamp = 0;
    link_faces(part);
    queue_edges(part);
}
