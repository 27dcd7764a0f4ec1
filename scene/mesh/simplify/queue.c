/* Collapses edges in the order of their costs; they wait in buckets. */
#include <string.h>

#include "collapse.h"

/* ---- buckets ---- */

/* Tells whether the corner's edge is still queued there. */
static bool is_queued(const struct workspace *work, uint32_t corner)
{
    const struct linked_face *face = &work->faces[corner / 3];
    return face->vertices[0] != CP_NONE && (face->queued >> corner % 3 & 1);
}

static void give_chunk(struct queue *queue, uint32_t at)
{
    queue->chunks[at].next = queue->unused;
    queue->unused = at;
}

/* Puts an edge into a bucket; returns false if there is no chunk left. */
static bool put_edge(struct queue *queue, uint32_t bucket, uint32_t corner)
{
    uint32_t at = queue->heads[bucket];
    if (at == CP_NONE || queue->chunks[at].count == CHUNK_EDGES) {
        uint32_t fresh = queue->unused;
        if (fresh != CP_NONE)
            queue->unused = queue->chunks[fresh].next;
        else if (queue->used < queue->room)
            fresh = queue->used++;
        else
            return false;
        queue->chunks[fresh].next = at;
        queue->chunks[fresh].count = 0;
        queue->heads[bucket] = at = fresh;
    }
    queue->chunks[at].edges[queue->chunks[at].count++] = corner;
    queue->counts[bucket]++;
    return true;
}

static void drop_dead(struct surface_part *part)
{
    struct queue *queue = &part->queue;
    for (uint32_t bucket = queue->lowest; bucket < BUCKET_COUNT; bucket++) {
        uint32_t list = queue->heads[bucket];
        queue->heads[bucket] = CP_NONE;
        queue->counts[bucket] = 0;
        while (list != CP_NONE) {
            struct edge_chunk chunk = queue->chunks[list];
            give_chunk(queue, list);
            list = chunk.next;
            for (uint32_t i = 0; i < chunk.count; i++)
                if (is_queued(part->work, chunk.edges[i]))
                    (void)put_edge(queue, bucket, chunk.edges[i]);
        }
    }
}

/* Queues an edge. One that finds no room is left out, which cannot happen while there are at most three a triangle. */
static void push(struct surface_part *part, uint32_t corner, double cost)
{
    struct queue *queue = &part->queue;
    uint32_t bucket = cost_bucket(cost);
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

/* Fetches the data of the next edges into the cache, since no processor foresees their order. */
static void fetch_ahead(const struct surface_part *part, const struct edge_chunk *chunk)
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
        __builtin_prefetch(&work->surface->planes.quadrics[ends[end]]);
        __builtin_prefetch((const char *)&work->surface->planes.quadrics[ends[end]] + 64);
    }
}

/* Takes an edge; false when none is left that is cheap enough. */
static bool pop(struct surface_part *part, uint32_t *corner)
{
    struct queue *queue = &part->queue;
    while (queue->lowest <= part->dearest) {
        uint32_t at = queue->heads[queue->lowest];
        if (at == CP_NONE) {
            queue->lowest++;
            continue;
        }
        struct edge_chunk *chunk = &queue->chunks[at];
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

/* ---- edges ---- */

static uint32_t corner_before(uint32_t corner)
{
    return corner % 3 == 0 ? corner + 2 : corner - 1;
}

/* Renews the edge from the corner to the next one, at the new vertex after a collapse. If it waits, it goes on waiting;
 * but if two edges have become this one, one entry is enough (`again` false). If it does not wait, since it was refused
 * or its face has gone, it gets another chance (`again` true). other: the edge's other end, marked when it has been
 * met. */
static void renew_edge(struct surface_part *part, uint32_t corner, uint32_t other, bool again)
{
    struct workspace *work = part->work;
    struct linked_face *face = &work->faces[corner / 3];
    bool met = work->states[other].mark == part->stamp;
    if (!again) {
        if (!is_queued(work, corner))
            return;
        if (met)
            face->queued &= ~(1u << corner % 3);
    } else if (!met) {
        struct collapse_candidate candidate;
        uint32_t a = face->vertices[corner % 3], b = face->vertices[(corner + 1) % 3];
        if (!edge_is_locked(work->surface, a, b) && judge_edge(work, a, b, &candidate))
            push(part, corner, candidate.cost);
    }
    work->states[other].mark = part->stamp;
}

void queue_run(struct surface_part *part)
{
    uint32_t corner;
    while (part->live > part->target && pop(part, &corner)) {
        const uint32_t *face = part->work->faces[corner / 3].vertices;
        uint32_t ends[2] = {face[corner % 3], face[(corner + 1) % 3]};
        struct collapse_candidate edge;
        struct vertex_star stars[2]; /* as they were before the collapse */
        if (!judge_edge(part->work, ends[0], ends[1], &edge) ||
            (part->work->surface->texture.coordinates && !judge_texture(part->work, &edge)))
            continue;
        if (cost_bucket(edge.cost) > part->queue.lowest) {
            push(part, corner, edge.cost);
            continue;
        }
        if (!collapse_edge(part, &edge, stars))
            continue;
        part->spent = part->queue.lowest > part->spent ? part->queue.lowest : part->spent;
        part->stamp += 2;
        for (int step = 0; step < 4; step++) {
            const struct vertex_star *star = &stars[step % 2];
            for (uint32_t i = 0; i < star->count; i++) {
                if (has_edge(star, i, ends[1 - step % 2]))
                    continue;
                renew_edge(part, star->corners[i], star->left[i], step >= 2);
                renew_edge(part, corner_before(star->corners[i]), star->right[i], step >= 2);
            }
        }
    }
}

/* Queues the edge from the corner to the next one, unless a mark of `other` shows that it was met: it waits, or is
 * counted as one that must wait for another round. */
static void queue_edge(struct surface_part *part, uint32_t corner, uint32_t other)
{
    const uint32_t *face = part->work->faces[corner / 3].vertices;
    uint32_t a = face[corner % 3], b = face[(corner + 1) % 3];
    struct collapse_candidate candidate;
    if (part->work->states[other].mark == part->stamp)
        return;
    part->work->states[other].mark = part->stamp;
    if (!judge_edge(part->work, a, b, &candidate))
        return;
    if (edge_is_locked(part->work->surface, a, b))
        part->queue.locked[cost_bucket(candidate.cost)]++;
    else
        push(part, corner, candidate.cost);
}

void queue_start(struct surface_part *part)
{
    struct workspace *work = part->work;
    struct queue *queue = &part->queue;
    memset(queue->heads, 0xff, sizeof queue->heads);
    queue->used = 0;
    queue->unused = CP_NONE;
    queue->lowest = BUCKET_COUNT;
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
