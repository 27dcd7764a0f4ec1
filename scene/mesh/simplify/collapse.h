/* Collapsing edges in one part of a surface: vertices and triangles in a row that no other part touches. */
#ifndef CELLPIPE_COLLAPSE_H
#define CELLPIPE_COLLAPSE_H

#include "surface.h"

/* A vertex that faces of several parts share: no part touches it. Beside the kinds of surface.h. */
enum { KIND_RIM = 4 };

/* A vertex in a round. */
struct vertex_state {
    uint32_t first; /* corner (3 x triangle + number) of the part's faces; dead ones among them */
    uint32_t mark;  /* the part's last stamp that met it */
};

/* A face in a round: its vertices, and the next corner at each. Bit k of `queued`: the edge from corner k to the next one is
 * queued, or too dear to be; of the two corners that an edge has, one at most has the bit. */
struct linked_face {
    uint32_t vertices[3], next[3], queued;
};

/* What a round has beside the surface. */
struct workspace {
    struct surface *surface;
    struct vertex_state *states;
    struct linked_face *faces; /* copies of the surface's triangles, with links */
    double error;              /* no collapse farther off than this */
};

enum {
    /* Costs lie in buckets of 2^(1/16): binary exponents from -176 to 15, and 4 bits more. */
    BUCKET_BITS = 4,
    BUCKET_COUNT = 192 << BUCKET_BITS,
    CHUNK_EDGES = 30 /* a chunk is two lines of a cache */
};

/* A bucket is a list of chunks; all but the first are full. An edge is a corner, from which it leads to the next one of the
 * face. It waits where it was put while its cost rises: that is looked at when its turn comes. */
struct chunk {
    uint32_t next, count;
    uint32_t edges[CHUNK_EDGES];
};

struct queue {
    struct chunk *chunks;
    uint32_t room, used, unused; /* chunks, chunks ever used, list of those given back */
    uint32_t lowest;             /* no bucket below has edges */
    uint32_t heads[BUCKET_COUNT], counts[BUCKET_COUNT];
    uint32_t locked[BUCKET_COUNT]; /* edges that do not wait since they end at the rim: what they would cost */
};

/* Chunks that are enough for so many triangles: three edges for each, were it alone. */
static inline size_t queue_room(uint32_t triangle_count)
{
    return (3 * (size_t)triangle_count) / CHUNK_EDGES + BUCKET_COUNT + 1;
}

struct part {
    struct workspace *work;
    uint32_t first_vertex, vertex_count, first_triangle, triangle_count;
    uint32_t live;            /* triangles */
    uint32_t target, dearest; /* stop at so many triangles, or at a dearer bucket */
    uint32_t stamp;
    struct queue queue; /* its chunks are the caller's */
};

/* Links the part's triangles and queues its edges. */
void part_start(struct part *part);
/* Collapses edges, the cheapest first, until part->target or part->dearest is reached, or none is left; then the surface
 * has what has become of the triangles. */
void part_run(struct part *part);

#endif
