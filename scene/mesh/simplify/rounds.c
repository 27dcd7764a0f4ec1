/* The order of a simplification. In each round the vertices are sorted along a Morton curve and cut into parts of equal
 * size, which depend on the surface alone. Each part collapses the edges whose faces are all its own, in threads, while
 * all parts raise their bound on the cost together. The next round's curve has other borders; the last round has one
 * part. */
#include <string.h>

#include "base/context.h"
#include "collapse.h"
#include "mesh/join.h"

enum {
    PART_VERTICES = 7000, /* a part fits into a processor's own cache */
    MANY_PARTS = 64,      /* of a mesh that takes long */
    CHUNKS = 64           /* items of the counting sort of triangles */
};

/* The next round begins when this part of the triangles is left: the faces at the borders of parts wait until then. A
 * smaller part would save a round of ten per cent, but make the largest error of a result half as large again. */
static const double round_part = 0.4;
/* The same for the first round of a draft, and of a mesh of many parts, for which time matters most. */
static const double draft_part = 0.25, large_draft_part = 0.16;
/* The part of the goal that is left to the last round. */
static const double last_part = 0.06;

struct rounds {
    struct surface *surface;
    struct surface_samples *samples; /* or NULL */
    const struct collapse_bounds *bounds;
    struct collapse_outcome *outcome;
    struct workspace work;
    uint32_t number;
    struct curve_key *keys; /* keys of live vertices, in their new order */
    uint32_t *numbers;      /* indexed by old vertex: the new one */
    uint32_t key_count;     /* live vertices */
    uint32_t part_vertices, part_count;
    struct surface_part *parts;
    struct edge_chunk *chunks; /* of the parts' queues */
    struct listed_edge *list;  /* edges of the parts, in the first round */
    size_t chunk_count, list_count;
    double next_part;    /* number of the triangles when the next round begins */
    double border_width; /* an edge of a border or seam weighs as much as a strip of faces of this width */
    uint32_t rim_first;  /* triangles from here on belong to no part */
};

/* ---- order ---- */

/* An array with a row for each vertex: the old one, and the new one beside it. */
struct column {
    void *array; /* the address of a pointer of any type */
    size_t size;
    const char *from;
    char *to;
};

enum { COLUMNS = 7 };

struct gather {
    const struct curve_key *keys;
    uint32_t count;
    struct column columns[COLUMNS];
};

static void gather_slice(void *user, uint32_t item, uint32_t worker)
{
    (void)worker;
    const struct gather *gather = user;
    for (size_t column = 0; column < COLUMNS; column++) {
        size_t size = gather->columns[column].size;
        const char *from = gather->columns[column].from;
        char *to = gather->columns[column].to;
        for (size_t at = (size_t)item * SLICE; from && at < slice_end(item, gather->count); at++)
            memcpy(to + at * size, from + gather->keys[at].vertex * size, size);
    }
}

/* Puts the vertices into their new order, without the dead ones. */
static bool reorder_vertices(struct rounds *rounds)
{
    struct surface *surface = rounds->surface;
    cp_context *context = surface->context;
    struct gather gather = {rounds->keys,
                            rounds->key_count,
                            {{&surface->points, sizeof *surface->points, NULL, NULL},
                             {&surface->planes.quadrics, sizeof *surface->planes.quadrics, NULL, NULL},
                             {&surface->planes.ups, sizeof *surface->planes.ups, NULL, NULL},
                             {&surface->planes.weights, sizeof *surface->planes.weights, NULL, NULL},
                             {&surface->colours, sizeof *surface->colours, NULL, NULL},
                             {&surface->texture.shifts, sizeof *surface->texture.shifts, NULL, NULL},
                             {&surface->kinds, sizeof *surface->kinds, NULL, NULL}}};
    bool good = true;
    for (int column = 0; good && column < COLUMNS; column++) {
        struct column *at = &gather.columns[column];
        void *from;
        memcpy(&from, at->array, sizeof from);
        at->from = from;
        at->to = from ? memory_allocate(context, gather.count, at->size) : NULL;
        good = !from || at->to;
    }
    good = good && parallel_for(context, slices(gather.count), gather_slice, &gather);
    for (int column = 0; column < COLUMNS; column++) {
        struct column *at = &gather.columns[column];
        void *old = NULL, *to = at->to;
        memcpy(&old, at->array, sizeof old);
        if (!good) {
            memory_free(context, to, gather.count, at->size);
        } else if (old) {
            memcpy(at->array, &to, sizeof to);
            memory_free(context, old, surface->vertex_count, at->size);
        }
    }
    return good;
}

/* ---- triangles to parts ---- */

struct deal {
    const struct rounds *rounds;
    uint32_t (*triangles)[3];
    uint32_t *tags;
    float (*coordinates)[3][COORDINATES]; /* or NULL */
    uint32_t *starts; /* indexed by chunk: for each part, and the rim, the place for the chunk's next triangle */
    bool counting;    /* the first walk: starts are only counts then */
};

/* Gives each triangle to the part that has all three corners, or to the rim. */
static void deal_chunk(void *user, uint32_t chunk, uint32_t worker)
{
    (void)worker;
    const struct deal *deal = user;
    const struct rounds *rounds = deal->rounds;
    const struct surface *surface = rounds->surface;
    uint32_t *starts = deal->starts + (size_t)chunk * (rounds->part_count + 1), numbers[3];
    uint32_t triangle = (uint32_t)((uint64_t)surface->triangle_count * chunk / CHUNKS);
    uint32_t end = (uint32_t)((uint64_t)surface->triangle_count * (chunk + 1) / CHUNKS);
    for (; triangle < end; triangle++) {
        const uint32_t *face = surface->triangles[triangle];
        if (face[0] == CP_NONE)
            continue;
        for (int corner = 0; corner < 3; corner++)
            numbers[corner] = rounds->numbers[face[corner]];
        uint32_t part = numbers[0] / rounds->part_vertices;
        bool inner = part == numbers[1] / rounds->part_vertices && part == numbers[2] / rounds->part_vertices;
        uint32_t at = starts[inner ? part : rounds->part_count]++;
        if (deal->counting)
            continue;
        memcpy(deal->triangles[at], numbers, sizeof numbers);
        deal->tags[at] = surface->tags[triangle];
        if (deal->coordinates)
            memcpy(deal->coordinates[at], surface->texture.coordinates[triangle], sizeof deal->coordinates[at]);
    }
}

static bool deal_triangles(struct rounds *rounds)
{
    struct surface *surface = rounds->surface;
    cp_context *context = surface->context;
    size_t columns = (size_t)rounds->part_count + 1;
    uint32_t live = surface->live, total = 0;
    struct deal deal = {.rounds = rounds, .counting = true};
    deal.triangles = memory_allocate(context, live, sizeof *deal.triangles);
    deal.tags = memory_allocate(context, live, sizeof *deal.tags);
    deal.starts = memory_allocate_zeroed(context, CHUNKS * columns, sizeof *deal.starts);
    if (surface->texture.coordinates)
        deal.coordinates = memory_allocate(context, live, sizeof *deal.coordinates);
    bool good = deal.triangles && deal.tags && (deal.coordinates || !surface->texture.coordinates) && deal.starts &&
                parallel_for(context, CHUNKS, deal_chunk, &deal);
    deal.counting = false;
    /* Counts become starts. */
    for (uint32_t part = 0; good && part < columns; part++) {
        uint32_t before = total;
        for (uint32_t chunk = 0; chunk < CHUNKS; chunk++) {
            uint32_t *at = &deal.starts[chunk * columns + part], count = *at;
            *at = total;
            total += count;
        }
        if (part == rounds->part_count) {
            rounds->rim_first = before;
        } else {
            rounds->parts[part].first_triangle = before;
            rounds->parts[part].triangle_count = total - before;
        }
    }
    good = good && parallel_for(context, CHUNKS, deal_chunk, &deal);
    memory_free(context, deal.starts, CHUNKS * columns, sizeof *deal.starts);
    if (!good) {
        memory_free(context, deal.triangles, live, sizeof *deal.triangles);
        memory_free(context, deal.tags, live, sizeof *deal.tags);
        memory_free(context, deal.coordinates, live, sizeof *deal.coordinates);
        return false;
    }
    memory_free(context, surface->triangles, surface->triangle_room, sizeof *surface->triangles);
    memory_free(context, surface->tags, surface->triangle_room, sizeof *surface->tags);
    memory_free(context, surface->texture.coordinates, surface->triangle_room, sizeof *surface->texture.coordinates);
    surface->texture.coordinates = deal.coordinates;
    surface->triangles = deal.triangles;
    surface->tags = deal.tags;
    surface->triangle_count = surface->triangle_room = live;
    return true;
}

/* ---- quadrics ---- */

/* Adds the planes of a triangle. They go through the vertices to which they are added, so only the matrices are not
 * zero. */
static void add_planes(struct surface *surface, uint32_t triangle, double border_width)
{
    const uint32_t *face = surface->triangles[triangle];
    const double(*points)[3] = (const double(*)[3])surface->points;
    double normal[3], side[3], edge[3], zero[3] = {0, 0, 0};
    triangle_normal(points[face[0]], points[face[1]], points[face[2]], normal);
    double area = sqrt(dot_product(normal, normal));
    if (!(area > 0))
        return;
    for (int axis = 0; axis < 3; axis++)
        normal[axis] /= area;
    for (int corner = 0; corner < 3; corner++) {
        uint32_t from = face[corner], to = face[(corner + 1) % 3];
        double weight = surface->planes.weights ? (double)surface->planes.weights[from] : 1;
        for (int axis = 0; axis < 3; axis++)
            surface->planes.ups[from][axis] += (float)(area * normal[axis]);
        surface->planes.ups[from][3] += (float)area;
        quadric_add_plane(&surface->planes.quadrics[from], normal, 0, 0.5 * weight * area);
        if (!(surface->tags[triangle] >> corner & 1))
            continue;
        subtract(points[to], points[from], edge);
        double length = sqrt(dot_product(edge, edge));
        triangle_normal(zero, edge, normal, side);
        for (int axis = 0; axis < 3; axis++)
            side[axis] /= length > 0 ? length : 1;
        quadric_add_plane(&surface->planes.quadrics[from], side, 0, weight * border_width * length);
        quadric_add_plane(&surface->planes.quadrics[to], side, 0, weight * border_width * length);
    }
}

static void add_part_planes(void *user, uint32_t item, uint32_t worker)
{
    (void)worker;
    const struct rounds *rounds = user;
    const struct surface_part *part = &rounds->parts[item];
    for (uint32_t i = 0; i < part->triangle_count; i++)
        add_planes(rounds->surface, part->first_triangle + i, rounds->border_width);
}

/* ---- a round ---- */

static uint32_t dearest_bucket(const struct collapse_bounds *bounds)
{
    return bounds->dearest < BUCKET_COUNT - 1 ? bounds->dearest : BUCKET_COUNT - 1;
}

/* Links the part's triangles and queues, or lists, its edges. */
static void start_part(void *user, uint32_t item, uint32_t worker)
{
    (void)worker;
    struct rounds *rounds = user;
    struct surface_part *part = &rounds->parts[item];
    struct workspace *work = part->work;
    part->live = part->triangle_count;
    part->dearest = dearest_bucket(rounds->bounds);
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
    if (work->in_passes)
        passes_start(part);
    else
        queue_start(part);
}

/* Collapses edges; then copies the triangles that are left to the surface. */
static void run_part(void *user, uint32_t item, uint32_t worker)
{
    (void)worker;
    struct surface_part *part = &((struct rounds *)user)->parts[item];
    struct workspace *work = part->work;
    if (work->in_passes)
        passes_run(part);
    else
        queue_run(part);
    for (uint32_t triangle = part->first_triangle; triangle < part->first_triangle + part->triangle_count; triangle++)
        memcpy(work->surface->triangles[triangle], work->faces[triangle].vertices,
               sizeof work->faces[triangle].vertices);
}

static void free_round(struct rounds *rounds)
{
    struct surface *surface = rounds->surface;
    cp_context *context = surface->context;
    struct workspace *work = &rounds->work;
    memory_free(context, work->states, surface->vertex_count, sizeof *work->states);
    memory_free(context, work->faces, surface->triangle_count, sizeof *work->faces);
    memory_free(context, rounds->chunks, rounds->chunk_count, sizeof *rounds->chunks);
    memory_free(context, rounds->list, rounds->list_count, sizeof *rounds->list);
    memory_free(context, rounds->parts, rounds->part_count, sizeof *rounds->parts);
    rounds->chunks = NULL;
    rounds->list = NULL;
    rounds->parts = NULL;
    work->states = NULL;
    work->faces = NULL;
}

/* Sorts everything into parts: one part when `whole`. */
static bool sort_surface(struct rounds *rounds, bool whole)
{
    struct surface *surface = rounds->surface;
    struct surface_samples *samples = rounds->samples;
    if (!order_vertices(surface, rounds->work.parents, rounds->number, rounds->keys, &rounds->key_count))
        return false;
    for (uint32_t i = 0; i < rounds->key_count; i++)
        rounds->numbers[rounds->keys[i].vertex] = i;
    for (uint32_t i = 0; samples && i < samples->count; i++)
        samples->owners[i] = rounds->numbers[set_leader(rounds->work.parents, samples->owners[i])];
    if (!reorder_vertices(rounds))
        return false;
    uint32_t count = surface->vertex_count = rounds->key_count;
    whole = whole || count == 0;
    rounds->part_vertices = whole ? UINT32_MAX : PART_VERTICES;
    rounds->part_count = whole ? 1 : (count + PART_VERTICES - 1) / PART_VERTICES;
    rounds->parts = memory_allocate_zeroed(surface->context, rounds->part_count, sizeof *rounds->parts);
    return rounds->parts && deal_triangles(rounds);
}

static bool start_round(struct rounds *rounds, bool whole)
{
    if (!sort_surface(rounds, whole))
        return false;
    struct surface *surface = rounds->surface;
    cp_context *context = surface->context;
    struct workspace *work = &rounds->work;
    /* The parts share one array for edges, in their order. */
    rounds->chunk_count = rounds->list_count = 0;
    for (uint32_t number = 0; number < rounds->part_count; number++) {
        struct surface_part *part = &rounds->parts[number];
        uint32_t first = number * rounds->part_vertices, rest = surface->vertex_count - first;
        part->work = work;
        part->first_vertex = first;
        part->vertex_count = rest < rounds->part_vertices ? rest : rounds->part_vertices;
        if (work->in_passes)
            part->list_room = (uint32_t)list_room(part->triangle_count);
        else
            part->queue.room = (uint32_t)queue_room(part->triangle_count);
        rounds->list_count += part->list_room;
        rounds->chunk_count += part->queue.room;
    }
    work->states = memory_allocate(context, surface->vertex_count, sizeof *work->states);
    work->faces = memory_allocate(context, surface->triangle_count, sizeof *work->faces);
    rounds->chunks = memory_allocate(context, rounds->chunk_count, sizeof *rounds->chunks);
    rounds->list = memory_allocate(context, rounds->list_count, sizeof *rounds->list);
    if (!work->states || !work->faces || !rounds->chunks || !rounds->list)
        return false;
    size_t chunk = 0, listed = 0;
    for (uint32_t number = 0; number < rounds->part_count; number++) {
        struct surface_part *part = &rounds->parts[number];
        part->queue.chunks = rounds->chunks + chunk;
        part->list = rounds->list + listed;
        chunk += part->queue.room;
        listed += part->list_room;
    }
    for (uint32_t vertex = 0; vertex < surface->vertex_count; vertex++) {
        surface->kinds[vertex] &= (uint8_t)~KIND_RIM;
        work->parents[vertex] = vertex;
    }
    for (uint32_t triangle = rounds->rim_first; triangle < surface->triangle_count; triangle++)
        for (int corner = 0; corner < 3; corner++)
            surface->kinds[surface->triangles[triangle][corner]] |= KIND_RIM;
    if (rounds->number == 0) {
        surface->planes.quadrics =
            memory_allocate_zeroed(context, surface->vertex_count, sizeof *surface->planes.quadrics);
        surface->planes.ups = memory_allocate_zeroed(context, surface->vertex_count, sizeof *surface->planes.ups);
        if (!surface->planes.quadrics || !surface->planes.ups ||
            !parallel_for(context, rounds->part_count, add_part_planes, rounds))
            return false;
        for (uint32_t triangle = rounds->rim_first; triangle < surface->triangle_count; triangle++)
            add_planes(surface, triangle, rounds->border_width);
        for (uint32_t vertex = 0; surface->planes.weights && vertex < surface->vertex_count; vertex++)
            surface->planes.weights[vertex] =
                (float)(quadric_weight(&surface->planes.quadrics[vertex]) / (double)surface->planes.weights[vertex]);
    }
    return parallel_for(context, rounds->part_count, start_part, rounds);
}

static uint64_t edges_in_bucket(const struct rounds *rounds, uint32_t bucket)
{
    uint64_t count = 0;
    for (uint32_t part = 0; part < rounds->part_count; part++)
        count += rounds->parts[part].queue.counts[bucket] + rounds->parts[part].queue.locked[bucket];
    return count;
}

/* Returns the bucket up to which so many edges wait. */
static uint32_t find_bucket(const struct rounds *rounds, uint64_t edges)
{
    uint64_t count = 0;
    uint32_t bucket = 0;
    for (; bucket < BUCKET_COUNT - 1; bucket++) {
        count += edges_in_bucket(rounds, bucket);
        if (count >= edges)
            break;
    }
    return bucket;
}

static uint64_t cheap_edges(const struct surface_part *part, uint32_t dearest)
{
    uint64_t edges = 0;
    for (uint32_t bucket = part->queue.lowest; bucket <= dearest; bucket++)
        edges += part->queue.counts[bucket];
    return edges;
}

/* Divides the goal among the parts: by the edges that each has up to a bound below which as many edges lie as triangles
 * must go. Collapses make about as many edges stale or dearer, so one round does not do all of it. */
static void set_targets(struct rounds *rounds, uint32_t triangles)
{
    const double little = 0.2;
    const uint32_t thousand = 10 << BUCKET_BITS;
    uint32_t dearest = find_bucket(rounds, triangles);
    /* Measure how unevenly the cheap edges lie: the part of them that would have to be elsewhere to be spread as all
     * edges are. If the parts are alike, the bound can be higher, since they would come to it together. */
    double cheap = 0, all = 0, uneven = 0;
    for (uint32_t part = 0; part < rounds->part_count; part++) {
        cheap += (double)cheap_edges(&rounds->parts[part], dearest);
        all += (double)cheap_edges(&rounds->parts[part], BUCKET_COUNT - 1);
    }
    for (uint32_t part = 0; part < rounds->part_count; part++)
        uneven += fabs((double)cheap_edges(&rounds->parts[part], dearest) / cheap -
                       (double)cheap_edges(&rounds->parts[part], BUCKET_COUNT - 1) / all);
    if (cheap > 0 && uneven <= 2 * little)
        dearest = find_bucket(rounds, 2 * (uint64_t)triangles);
    /* Edges that cost a thousand times as much as the one in the middle are features among flat faces. No part may come
     * to them before the others do. */
    uint64_t edges = 0, shared = 0;
    for (uint32_t bucket = 0; bucket < BUCKET_COUNT; bucket++)
        edges += edges_in_bucket(rounds, bucket);
    uint32_t most = find_bucket(rounds, edges / 2) + thousand;
    dearest = dearest < most ? dearest : most;
    dearest = dearest < dearest_bucket(rounds->bounds) ? dearest : dearest_bucket(rounds->bounds);
    for (uint32_t part = 0; part < rounds->part_count; part++)
        shared += cheap_edges(&rounds->parts[part], dearest);
    for (uint32_t number = 0; number < rounds->part_count; number++) {
        struct surface_part *part = &rounds->parts[number];
        uint64_t share = shared > 0 ? (cheap_edges(part, dearest) * triangles + shared - 1) / shared : 0;
        part->dearest = dearest;
        part->target = share < part->live ? part->live - (uint32_t)share : 0;
    }
}

/* goal: triangles. If one part is the whole, it goes on until there are no more, or each further collapse is too far
 * off. */
static bool run_round(struct rounds *rounds, uint32_t goal, bool whole)
{
    struct surface *surface = rounds->surface;
    bool good = start_round(rounds, whole);
    if (good && surface->live > goal) {
        uint32_t most = (uint32_t)((1 - rounds->next_part) * rounds->rim_first), excess = surface->live - goal;
        set_targets(rounds, whole || excess < most ? excess : most);
        if (whole)
            rounds->parts[0].dearest = dearest_bucket(rounds->bounds);
        good = parallel_for(surface->context, rounds->part_count, run_part, rounds);
        surface->live = surface->triangle_count - rounds->rim_first;
        for (uint32_t part = 0; part < rounds->part_count; part++) {
            surface->live += rounds->parts[part].live;
            if (rounds->parts[part].spent > rounds->outcome->spent)
                rounds->outcome->spent = rounds->parts[part].spent;
        }
    }
    free_round(rounds);
    rounds->number++;
    return good;
}

/* Replaces the vertices of vanished shells, to which no triangle leads any more, by a vertex that is still in use. */
static void drop_vanished(struct rounds *rounds)
{
    struct surface *surface = rounds->surface;
    uint32_t *uses = rounds->numbers, *parents = rounds->work.parents, used = CP_NONE;
    memset(uses, 0, surface->vertex_count * sizeof *uses);
    for (uint32_t triangle = 0; triangle < surface->triangle_count; triangle++)
        for (int corner = 0; surface->triangles[triangle][0] != CP_NONE && corner < 3; corner++) {
            used = surface->triangles[triangle][corner];
            uses[used]++;
        }
    for (uint32_t vertex = 0; vertex < surface->vertex_count; vertex++)
        if (parents[vertex] == vertex && uses[vertex] == 0 && used != CP_NONE)
            parents[vertex] = used;
}

static bool run_rounds(struct rounds *rounds, uint32_t goal)
{
    enum { MOST_ROUNDS = 64 };
    struct surface *surface = rounds->surface;
    double last = goal * (1 + last_part);
    for (uint32_t before = UINT32_MAX; rounds->number < MOST_ROUNDS;) {
        double next = fmax(surface->live * rounds->next_part, last);
        bool stuck = surface->live > 0.9 * before;
        if (surface->live <= last + 1 || stuck || surface->vertex_count <= 2 * PART_VERTICES)
            break;
        before = surface->live;
        if (!run_round(rounds, next < UINT32_MAX ? (uint32_t)next : UINT32_MAX, false))
            return false;
        rounds->work.in_passes = false;
        rounds->next_part = round_part;
    }
    rounds->work.in_passes = false;
    if (!run_round(rounds, goal, true))
        return false;
    for (uint32_t vertex = 0; surface->texture.shifts && vertex < surface->vertex_count; vertex++)
        rounds->outcome->shifted = fmax(rounds->outcome->shifted, (double)surface->texture.shifts[vertex]);
    if (surface->free)
        drop_vanished(rounds);
    return sort_surface(rounds, true);
}

bool surface_collapse(struct surface *surface, struct surface_samples *samples, const struct collapse_bounds *bounds,
                      struct collapse_outcome *outcome)
{
    cp_context *context = surface->context;
    uint32_t count = surface->vertex_count;
    struct rounds rounds = {
        .surface = surface,
        .samples = samples,
        .bounds = bounds,
        .outcome = outcome,
        .work = {.surface = surface, .error = bounds->error, .strict = bounds->strict, .in_passes = true}};
    *outcome = (struct collapse_outcome){.spent = 0};
    bool large = count > MANY_PARTS * PART_VERTICES, has_borders = false;
    rounds.next_part = !bounds->fast ? round_part : large ? large_draft_part : draft_part;
    for (uint32_t vertex = 0; !has_borders && vertex < count; vertex++)
        has_borders = surface->kinds[vertex] != 0;
    if (has_borders) {
        /* Take about the length that edges will have in the end: borders then weigh as much as faces, however finely
         * they are cut. */
        const double weight = 2, least = 256; /* triangles */
        double area = 0;
        for (uint32_t triangle = 0; triangle < surface->triangle_count; triangle++)
            area += double_area(surface, triangle) / 2;
        rounds.border_width = weight * sqrt(area / fmax(bounds->lines > 0 ? bounds->lines : bounds->triangles, least));
    }
    uint32_t *parents = rounds.work.parents = memory_allocate(context, count, sizeof *parents);
    rounds.keys = memory_allocate(context, count, sizeof *rounds.keys);
    rounds.numbers = memory_allocate(context, count, sizeof *rounds.numbers);
    for (uint32_t vertex = 0; parents && vertex < count; vertex++)
        parents[vertex] = vertex;
    bool good = parents && rounds.keys && rounds.numbers && run_rounds(&rounds, bounds->triangles);
    free_round(&rounds);
    memory_free(context, rounds.keys, count, sizeof *rounds.keys);
    memory_free(context, rounds.numbers, count, sizeof *rounds.numbers);
    memory_free(context, parents, count, sizeof *parents);
    return good;
}
