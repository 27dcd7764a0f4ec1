/* Collapsing edges in one part of a surface: vertices and triangles in a row that no other part touches. */
#ifndef CELLPIPE_MESH_SIMPLIFY_COLLAPSE_H
#define CELLPIPE_MESH_SIMPLIFY_COLLAPSE_H

#include "surface.h"

/* A vertex that faces of several parts share: no part touches it. Beside the kinds of surface.h. */
enum { KIND_RIM = 4 };

/* A vertex in a round. */
struct vertex_state {
    uint32_t first; /* corner (3 x triangle + number) of the part's faces; dead ones among them */
    uint32_t mark;  /* the part's last stamp that met it */
    uint32_t moved; /* the last pass in which it got another edge's end */
};

/* A face in a round: its vertices, and the next corner at each. Bit k of `queued`: the edge from corner k to the next
 * one is queued, or too dear to be; of the two corners that an edge has, one at most has the bit. */
struct linked_face {
    uint32_t vertices[3], next[3], queued;
};

/* What a round has beside the surface. */
struct workspace {
    struct surface *surface;
    struct vertex_state *states;
    struct linked_face *faces; /* copies of the surface's triangles, with links */
    double error;              /* no collapse farther off than this */
    bool in_passes;            /* edges collapse in passes.c, not in queue.c */
};

enum {
    /* Costs lie in buckets of 2^(1/16): binary exponents from -176 to 15, and 4 bits more. */
    BUCKET_BITS = 4,
    BUCKET_COUNT = 192 << BUCKET_BITS,
    CHUNK_EDGES = 30 /* a chunk is two lines of a cache */
};

/* A bucket is a list of chunks; all but the first are full. An edge is a corner, from which it leads to the next one of
 * the face. It waits where it was put while its cost rises: that is looked at when its turn comes. */
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

/* An edge that is listed for a pass. */
struct listed_edge {
    uint32_t corner, bucket;
};

/* Edges of triangles at most: one and a half for each where the surface is closed. */
static inline size_t list_room(uint32_t triangle_count)
{
    return 2 * (size_t)triangle_count;
}

struct part {
    struct workspace *work;
    uint32_t first_vertex, vertex_count, first_triangle, triangle_count;
    uint32_t live;            /* triangles */
    uint32_t target, dearest; /* stop at so many triangles, or at a dearer bucket */
    uint32_t spent;           /* the dearest bucket that a collapse was in */
    uint32_t stamp;
    struct queue queue; /* its chunks are the caller's, as is the list; one of the two is there */
    struct listed_edge *list;
    uint32_t list_room, list_count;
};

/* At most so many faces at a vertex that takes part: keeps the work for a collapse bounded on any input. */
enum { MOST_FACES = 96 };

/* The faces at a vertex; `left` and `right` are the other corners. */
struct star {
    uint32_t count;
    uint32_t corners[MOST_FACES], left[MOST_FACES], right[MOST_FACES];
};

static inline bool has_edge(const struct star *star, uint32_t face, uint32_t other)
{
    return star->left[face] == other || star->right[face] == other;
}

/* A collapse that is looked at: b goes to a, which moves by `step`. */
struct candidate {
    uint32_t a, b;
    double step[3], cost;
    struct quadric sum; /* about a */
};

/* collapse.c. The best collapse of the edge; false when it must stay. */
bool judge_edge(struct workspace *work, uint32_t a, uint32_t b, struct candidate *candidate);
/* Of a surface with coordinates, after that: adds what it costs that the texture moves; false when it may not. */
bool judge_texture(struct workspace *work, struct candidate *candidate);
/* What it would cost to collapse the edge to one of its ends or its middle: never less than the best, for much less
 * work. */
bool estimate_edge(struct workspace *work, uint32_t a, uint32_t b, double *cost);
/* Whether an end is in several parts. */
bool edge_is_locked(const struct surface *surface, uint32_t a, uint32_t b);
/* By the exponent and the highest bits of the cost. */
uint32_t cost_bucket(double cost);
/* False when it would break the surface, or turn a face. The step is mended so that the volume stays. The stars of both
 * ends come out as they were before. */
bool collapse_edge(struct part *part, struct candidate *edge, struct star stars[2]);

/* queue.c, passes.c: to queue, or list, the edges of the part's linked faces; and to collapse them, the cheapest first
 * or about so, until part->target or part->dearest is reached, or none is left. */
void queue_start(struct part *part);
void queue_run(struct part *part);
void passes_start(struct part *part);
void passes_run(struct part *part);

/* Texture coordinates of a surface that is being simplified. */

/* More than two only where an edge has more than two faces. */
enum { MOST_SIDES = 8 };

/* One side of an edge: the coordinates at both of its ends, and those of the vertex that the ends become. */
struct seam_side {
    float ends[2][COORDINATES], to[COORDINATES];
};

/* What a collapse does to the texture. */
struct carried {
    uint32_t count;
    struct seam_side sides[MOST_SIDES];
    bool stays[2]; /* an end is where the new vertex is: its coordinates stay */
    double shift;  /* texels by which the texture is off at the new vertex, about, with all collapses before */
    double slide;  /* the same of this collapse, as a length on the surface */
};

/* The edge's ends meet at `to`, with these faces at them. False when it must stay: it would close a seam. */
bool carry_texture(const struct workspace *work, const struct star stars[2], const struct candidate *edge,
                   const double to[3], struct carried *carried);
/* Gives a corner at an end (0: edge->a) the coordinates of the new vertex. */
void replace_coordinates(const struct carried *carried, int end, float coordinates[COORDINATES]);

#endif
