/* The order of a simplification. In each round the vertices are sorted along a Morton curve and cut into parts of equal size, which
 * depend on the surface alone; a part collapses the edges whose faces are all its own, in threads, while all parts raise
 * their bound on the cost together. The next round's curve has other borders; the last round has one part. */
#include <string.h>

#include "../../context.h"
#include "../../parallel.h"
#include "../sets.h"
#include "collapse.h"
#include "order.h"

enum {
    PART_VERTICES = 7000, /* so that a part stays in a processor's own cache */
    MANY_PARTS = 64,      /* of a mesh that takes long */
    SLICE = 16384         /* rows an item of simple loops */
};

/* The next round begins when this part of the triangles is left: the faces at the borders of parts wait until then. Less
 * would save a round of ten per cent, and make the largest error of a result half as large again. */
static const double round_part = 0.4;
/* The same for the first round of a draft, and where time matters most: of a mesh of many parts. */
static const double draft_part = 0.25, large_draft_part = 0.16;
/* What the last round is left to do, of the goal. */
static const double last_part = 0.06;

struct rounds {
    struct surface *surface;
    struct workspace work;
    uint32_t number;
    struct key *keys;   /* of live vertices, in their new order */
    uint32_t *numbers;  /* by old vertex: the new one */
    uint32_t key_count; /* live vertices */
    uint32_t part_vertices, part_count;
    struct part *parts;
    struct chunk *chunks;     /* of the parts' queues */
    struct listed_edge *list; /* of the parts, in the first round */
    size_t chunk_count, list_count;
    double next_part;    /* of the triangles, when the next round begins */
    double border_width; /* an edge of a border or seam counts like faces beside it this wide */
    uint32_t rim_first;  /* triangles from here on belong to no part */
};

/* ---- order ---- */

/* An array of vertices' rows, the new one beside the old. */
struct column {
    void *array; /* the address of a pointer of any type */
    size_t size;
    const char *from;
    char *to;
};

enum { COLUMNS = 5 };

struct gather {
    const struct key *keys;
    uint32_t count;
    struct column columns[COLUMNS];
};

static void gather_slice(void *user, uint32_t item, uint32_t worker)
{
    (void)worker;
    const struct gather *gather = user;
    uint32_t first = item * SLICE, end = gather->count - first < SLICE ? gather->count : first + SLICE;
    for (size_t column = 0; column < COLUMNS; column++) {
        size_t size = gather->columns[column].size;
        const char *from = gather->columns[column].from;
        char *to = gather->columns[column].to;
        for (size_t at = first; from && at < end; at++)
            memcpy(to + at * size, from + gather->keys[at].vertex * size, size);
    }
}

static uint32_t slices(uint32_t count)
{
    return (count + SLICE - 1) / SLICE;
}

static bool allocate_columns(struct gather *gather, cp_context *context)
{
    bool good = true;
    for (int column = 0; good && column < COLUMNS; column++) {
        struct column *at = &gather->columns[column];
        void *from;
        memcpy(&from, at->array, sizeof from);
        at->from = from;
        if (from)
            at->to = memory_allocate(context, gather->count, at->size);
        good = !from || at->to;
    }
    return good;
}

/* The vertices in their new order, without the dead. */
static bool reorder_vertices(struct rounds *rounds)
{
    struct surface *surface = rounds->surface;
    cp_context *context = surface->context;
    struct gather gather = {rounds->keys,
                            rounds->key_count,
                            {{&surface->points, sizeof *surface->points, NULL, NULL},
                             {&surface->quadrics, sizeof *surface->quadrics, NULL, NULL},
                             {&surface->ups, sizeof *surface->ups, NULL, NULL},
                             {&surface->colours, sizeof *surface->colours, NULL, NULL},
                             {&surface->kinds, sizeof *surface->kinds, NULL, NULL}}};
    bool good =
        allocate_columns(&gather, context) && parallel_for(context, slices(gather.count), gather_slice, &gather);
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

static void renumber_owners(struct rounds *rounds)
{
    struct surface *surface = rounds->surface;
    for (uint32_t i = 0; i < rounds->key_count; i++)
        rounds->numbers[rounds->keys[i].vertex] = i;
    for (uint32_t i = 0; i < surface->original_count; i++)
        surface->owners[i] = rounds->numbers[set_leader(surface->parents, surface->owners[i])];
}

/* ---- triangles to parts ---- */

enum { CHUNKS = 64 }; /* items of the counting sort */

struct deal {
    const struct rounds *rounds;
    uint32_t (*triangles)[3];
    uint32_t *tags;
    uint32_t *starts; /* of chunks: for each part, and the rim, where the chunk's next triangle goes */
};

static uint32_t chunk_begin(const struct surface *surface, uint32_t chunk)
{
    return (uint32_t)((uint64_t)surface->triangle_count * chunk / CHUNKS);
}

/* The part of all three corners, or part_count. face: in old numbers; the new ones come out. */
static uint32_t part_of(const struct rounds *rounds, const uint32_t *face, uint32_t numbers[3])
{
    for (int corner = 0; corner < 3; corner++)
        numbers[corner] = rounds->numbers[face[corner]];
    uint32_t part = numbers[0] / rounds->part_vertices;
    bool inner = part == numbers[1] / rounds->part_vertices && part == numbers[2] / rounds->part_vertices;
    return inner ? part : rounds->part_count;
}

static void count_chunk(void *user, uint32_t chunk, uint32_t worker)
{
    (void)worker;
    const struct deal *deal = user;
    const struct surface *surface = deal->rounds->surface;
    uint32_t *counts = deal->starts + (size_t)chunk * (deal->rounds->part_count + 1), numbers[3];
    for (uint32_t triangle = chunk_begin(surface, chunk); triangle < chunk_begin(surface, chunk + 1); triangle++)
        if (surface->triangles[triangle][0] != CP_NONE)
            counts[part_of(deal->rounds, surface->triangles[triangle], numbers)]++;
}

static void deal_chunk(void *user, uint32_t chunk, uint32_t worker)
{
    (void)worker;
    const struct deal *deal = user;
    const struct surface *surface = deal->rounds->surface;
    uint32_t *starts = deal->starts + (size_t)chunk * (deal->rounds->part_count + 1), numbers[3];
    for (uint32_t triangle = chunk_begin(surface, chunk); triangle < chunk_begin(surface, chunk + 1); triangle++) {
        if (surface->triangles[triangle][0] == CP_NONE)
            continue;
        uint32_t at = starts[part_of(deal->rounds, surface->triangles[triangle], numbers)]++;
        memcpy(deal->triangles[at], numbers, sizeof numbers);
        deal->tags[at] = surface->tags[triangle];
    }
}

/* Counts become starts; the parts hear of their triangles. */
static void sum_counts(struct rounds *rounds, struct deal *deal)
{
    uint32_t total = 0, columns = rounds->part_count + 1;
    for (uint32_t part = 0; part < columns; part++) {
        uint32_t before = total;
        for (uint32_t chunk = 0; chunk < CHUNKS; chunk++) {
            uint32_t *at = &deal->starts[(size_t)chunk * columns + part], count = *at;
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
}

static bool deal_triangles(struct rounds *rounds)
{
    struct surface *surface = rounds->surface;
    cp_context *context = surface->context;
    size_t columns = (size_t)rounds->part_count + 1;
    uint32_t live = surface->live;
    struct deal deal = {.rounds = rounds};
    deal.triangles = memory_allocate(context, live, sizeof *deal.triangles);
    deal.tags = memory_allocate(context, live, sizeof *deal.tags);
    deal.starts = memory_allocate_zeroed(context, CHUNKS * columns, sizeof *deal.starts);
    bool good = deal.triangles && deal.tags && deal.starts && parallel_for(context, CHUNKS, count_chunk, &deal);
    if (good) {
        sum_counts(rounds, &deal);
        good = parallel_for(context, CHUNKS, deal_chunk, &deal);
    }
    memory_free(context, deal.starts, CHUNKS * columns, sizeof *deal.starts);
    if (!good) {
        memory_free(context, deal.triangles, live, sizeof *deal.triangles);
        memory_free(context, deal.tags, live, sizeof *deal.tags);
        return false;
    }
    memory_free(context, surface->triangles, surface->triangle_room, sizeof *surface->triangles);
    memory_free(context, surface->tags, surface->triangle_room, sizeof *surface->tags);
    surface->triangles = deal.triangles;
    surface->tags = deal.tags;
    surface->triangle_count = surface->triangle_room = live;
    return true;
}

/* ---- quadrics ---- */

/* All planes go through the vertices that they are added to: only the matrices are not zero. */
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
        for (int axis = 0; axis < 3; axis++)
            surface->ups[from][axis] += (float)(area * normal[axis]);
        surface->ups[from][3] += (float)area;
        quadric_add_plane(&surface->quadrics[from], normal, 0, 0.5 * area);
        if (!(surface->tags[triangle] >> corner & 1))
            continue;
        subtract(points[to], points[from], edge);
        double length = sqrt(dot_product(edge, edge));
        triangle_normal(zero, edge, normal, side);
        for (int axis = 0; axis < 3; axis++)
            side[axis] /= length > 0 ? length : 1;
        quadric_add_plane(&surface->quadrics[from], side, 0, border_width * length);
        quadric_add_plane(&surface->quadrics[to], side, 0, border_width * length);
    }
}

static void add_part_planes(void *user, uint32_t item, uint32_t worker)
{
    (void)worker;
    const struct rounds *rounds = user;
    const struct part *part = &rounds->parts[item];
    for (uint32_t i = 0; i < part->triangle_count; i++)
        add_planes(rounds->surface, part->first_triangle + i, rounds->border_width);
}

static bool begin_quadrics(struct rounds *rounds)
{
    struct surface *surface = rounds->surface;
    surface->quadrics = memory_allocate_zeroed(surface->context, surface->vertex_count, sizeof *surface->quadrics);
    surface->ups = memory_allocate_zeroed(surface->context, surface->vertex_count, sizeof *surface->ups);
    if (!surface->quadrics || !surface->ups ||
        !parallel_for(surface->context, rounds->part_count, add_part_planes, rounds))
        return false;
    for (uint32_t triangle = rounds->rim_first; triangle < surface->triangle_count; triangle++)
        add_planes(surface, triangle, rounds->border_width);
    return true;
}

/* ---- a round ---- */

static void start_part(void *user, uint32_t item, uint32_t worker)
{
    (void)worker;
    struct rounds *rounds = user;
    part_start(&rounds->parts[item]);
}

static void run_part(void *user, uint32_t item, uint32_t worker)
{
    (void)worker;
    part_run(&((struct rounds *)user)->parts[item]);
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

static bool allocate_work(struct rounds *rounds)
{
    struct surface *surface = rounds->surface;
    cp_context *context = surface->context;
    struct workspace *work = &rounds->work;
    work->states = memory_allocate(context, surface->vertex_count, sizeof *work->states);
    work->faces = memory_allocate(context, surface->triangle_count, sizeof *work->faces);
    rounds->chunk_count = rounds->list_count = 0;
    for (uint32_t part = 0; part < rounds->part_count; part++)
        if (work->in_passes)
            rounds->list_count += list_room(rounds->parts[part].triangle_count);
        else
            rounds->chunk_count += queue_room(rounds->parts[part].triangle_count);
    rounds->chunks = memory_allocate(context, rounds->chunk_count, sizeof *rounds->chunks);
    rounds->list = memory_allocate(context, rounds->list_count, sizeof *rounds->list);
    return work->states && work->faces && rounds->chunks && rounds->list;
}

/* What the part has of the room for edges, which was made for all parts in order. */
static void set_room(struct part *part, struct chunk **chunks, struct listed_edge **list)
{
    if (part->work->in_passes) {
        part->list = *list;
        part->list_room = (uint32_t)list_room(part->triangle_count);
        *list += part->list_room;
    } else {
        part->queue.chunks = *chunks;
        part->queue.room = (uint32_t)queue_room(part->triangle_count);
        *chunks += part->queue.room;
    }
}

static void set_parts(struct rounds *rounds)
{
    struct surface *surface = rounds->surface;
    struct chunk *chunks = rounds->chunks;
    struct listed_edge *list = rounds->list;
    for (uint32_t number = 0; number < rounds->part_count; number++) {
        struct part *part = &rounds->parts[number];
        uint32_t first = number * rounds->part_vertices, rest = surface->vertex_count - first;
        part->work = &rounds->work;
        part->first_vertex = first;
        part->vertex_count = rest < rounds->part_vertices ? rest : rounds->part_vertices;
        set_room(part, &chunks, &list);
    }
    for (uint32_t vertex = 0; vertex < surface->vertex_count; vertex++) {
        surface->kinds[vertex] &= (uint8_t)~KIND_RIM;
        surface->parents[vertex] = vertex;
    }
    for (uint32_t triangle = rounds->rim_first; triangle < surface->triangle_count; triangle++)
        for (int corner = 0; corner < 3; corner++)
            surface->kinds[surface->triangles[triangle][corner]] |= KIND_RIM;
}

/* Sorts everything into parts: one part when `whole`. */
static bool sort_surface(struct rounds *rounds, bool whole)
{
    struct surface *surface = rounds->surface;
    if (!order_vertices(surface, rounds->number, rounds->keys, &rounds->key_count))
        return false;
    renumber_owners(rounds);
    if (!reorder_vertices(rounds))
        return false;
    uint32_t count = surface->vertex_count = rounds->key_count;
    rounds->part_vertices = whole || count == 0 ? UINT32_MAX : PART_VERTICES;
    rounds->part_count = whole || count == 0 ? 1 : (count + PART_VERTICES - 1) / PART_VERTICES;
    rounds->parts = memory_allocate_zeroed(surface->context, rounds->part_count, sizeof *rounds->parts);
    return rounds->parts && deal_triangles(rounds);
}

static bool start_round(struct rounds *rounds, bool whole)
{
    if (!sort_surface(rounds, whole) || !allocate_work(rounds))
        return false;
    set_parts(rounds);
    if (rounds->number == 0 && !begin_quadrics(rounds))
        return false;
    return parallel_for(rounds->surface->context, rounds->part_count, start_part, rounds);
}

static uint64_t edges_in_bucket(const struct rounds *rounds, uint32_t bucket)
{
    uint64_t count = 0;
    for (uint32_t part = 0; part < rounds->part_count; part++)
        count += rounds->parts[part].queue.counts[bucket] + rounds->parts[part].queue.locked[bucket];
    return count;
}

/* The bucket up to which so many edges wait. */
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

static uint64_t cheap_edges(const struct part *part, uint32_t dearest)
{
    uint64_t edges = 0;
    for (uint32_t bucket = part->queue.lowest; bucket <= dearest; bucket++)
        edges += part->queue.counts[bucket];
    return edges;
}

/* The dearest bucket before a round ends: edges that cost a thousand times as much as the one in the middle are features among flat
 * faces, and no part may come to them while others have not. */
static uint32_t find_dearest(const struct rounds *rounds)
{
    const uint32_t thousand = 10 << BUCKET_BITS;
    uint64_t edges = 0;
    for (uint32_t bucket = 0; bucket < BUCKET_COUNT; bucket++)
        edges += edges_in_bucket(rounds, bucket);
    return find_bucket(rounds, edges / 2) + thousand;
}

/* Whether the parts are alike: how much of the edges up to a bucket would have to be in other parts to be spread as all edges
 * are. */
static bool parts_are_even(const struct rounds *rounds, uint32_t bucket)
{
    const double little = 0.2;
    double cheap = 0, all = 0, uneven = 0;
    for (uint32_t part = 0; part < rounds->part_count; part++) {
        cheap += (double)cheap_edges(&rounds->parts[part], bucket);
        all += (double)cheap_edges(&rounds->parts[part], BUCKET_COUNT - 1);
    }
    for (uint32_t part = 0; part < rounds->part_count; part++)
        uneven += fabs((double)cheap_edges(&rounds->parts[part], bucket) / cheap -
                       (double)cheap_edges(&rounds->parts[part], BUCKET_COUNT - 1) / all);
    return cheap > 0 && uneven <= 2 * little;
}

/* Shares among the parts what is to go, by the edges that each has up to a bound, of which there are as many as triangles are to
 * go: collapses make as many again stale or dearer, so that not all of it is done in one round. Where the parts are alike
 * the bound can be higher, since they would come to it together. */
static void set_targets(struct rounds *rounds, uint32_t triangles)
{
    uint32_t dearest = find_bucket(rounds, triangles);
    if (parts_are_even(rounds, dearest))
        dearest = find_bucket(rounds, 2 * (uint64_t)triangles);
    uint32_t most = find_dearest(rounds);
    dearest = dearest < most ? dearest : most;
    uint64_t all = 0;
    for (uint32_t part = 0; part < rounds->part_count; part++)
        all += cheap_edges(&rounds->parts[part], dearest);
    for (uint32_t number = 0; number < rounds->part_count; number++) {
        struct part *part = &rounds->parts[number];
        uint64_t share = all > 0 ? (cheap_edges(part, dearest) * triangles + all - 1) / all : 0;
        part->dearest = dearest;
        part->target = share < part->live ? part->live - (uint32_t)share : 0;
    }
}

static uint32_t count_live(const struct rounds *rounds)
{
    uint32_t live = rounds->surface->triangle_count - rounds->rim_first;
    for (uint32_t part = 0; part < rounds->part_count; part++)
        live += rounds->parts[part].live;
    return live;
}

/* goal: triangles. One part goes on until there are no more of them, or each further collapse is too far off. */
static bool run_round(struct rounds *rounds, uint32_t goal, bool whole)
{
    struct surface *surface = rounds->surface;
    bool good = start_round(rounds, whole);
    if (good && surface->live > goal) {
        uint32_t most = (uint32_t)((1 - rounds->next_part) * rounds->rim_first), excess = surface->live - goal;
        set_targets(rounds, whole || excess < most ? excess : most);
        if (whole)
            rounds->parts[0].dearest = BUCKET_COUNT - 1;
        good = parallel_for(surface->context, rounds->part_count, run_part, rounds);
        surface->live = count_live(rounds);
    }
    free_round(rounds);
    rounds->number++;
    return good;
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
    return run_round(rounds, goal, true) && sort_surface(rounds, true);
}

/* About as long as edges will be in the end: then borders count as much as faces, however finely they are cut. */
static double find_border_width(const struct surface *surface, uint32_t triangles)
{
    const double weight = 2, least = 256; /* triangles */
    double area = 0;
    for (uint32_t triangle = 0; triangle < surface->triangle_count; triangle++)
        area += double_area(surface, triangle) / 2;
    return weight * sqrt(area / fmax(triangles, least));
}

static bool has_borders(const struct surface *surface)
{
    for (uint32_t vertex = 0; vertex < surface->vertex_count; vertex++)
        if (surface->kinds[vertex])
            return true;
    return false;
}

static double first_round_part(const struct surface *surface, bool fast)
{
    bool large = surface->vertex_count > MANY_PARTS * PART_VERTICES;
    return !fast ? round_part : large ? large_draft_part : draft_part;
}

bool surface_collapse(struct surface *surface, uint32_t triangles, double error, bool fast)
{
    cp_context *context = surface->context;
    uint32_t count = surface->vertex_count;
    struct rounds rounds = {.surface = surface,
                            .work = {.surface = surface, .error = error, .in_passes = true},
                            .next_part = first_round_part(surface, fast)};
    if (has_borders(surface))
        rounds.border_width = find_border_width(surface, triangles);
    surface->parents = memory_allocate(context, count, sizeof *surface->parents);
    rounds.keys = memory_allocate(context, count, sizeof *rounds.keys);
    rounds.numbers = memory_allocate(context, count, sizeof *rounds.numbers);
    for (uint32_t vertex = 0; surface->parents && vertex < count; vertex++)
        surface->parents[vertex] = vertex;
    bool good = surface->parents && rounds.keys && rounds.numbers && run_rounds(&rounds, triangles);
    free_round(&rounds);
    memory_free(context, rounds.keys, count, sizeof *rounds.keys);
    memory_free(context, rounds.numbers, count, sizeof *rounds.numbers);
    memory_free(context, surface->parents, count, sizeof *surface->parents);
    surface->parents = NULL;
    return good;
}
