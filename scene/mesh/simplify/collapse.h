/* Collapses edges in one part of a surface: consecutive vertices and triangles that no other part touches. */
#ifndef CELLPIPE_MESH_SIMPLIFY_COLLAPSE_H
#define CELLPIPE_MESH_SIMPLIFY_COLLAPSE_H

#include "surface.h"

/* A vertex that faces of several parts share: no part touches it. This kind adds to those of surface.h. */
enum { KIND_RIM = 4 };

/* The state of a vertex in a round. */
struct vertex_state {
    uint32_t first; /* a corner (3 x triangle + number) of the part's faces, which begins the list of all; dead ones
                     * among them */
    uint32_t mark;  /* the last stamp with which the part marked it */
    uint32_t moved; /* the last pass in which the vertex took another one in */
};

/* A face in a round: its vertices, and the next corner at each. Bit k of `queued`: the edge from corner k to the next
 * one is queued, or too dear for that. Of the two corners that an edge has, at most one has the bit. */
struct linked_face {
    uint32_t vertices[3], next[3], queued;
};

/* The arrays of a round beside the surface. */
struct workspace {
    struct surface *surface;
    uint32_t *parents; /* indexed by vertex: the vertex that each has become, itself while it lives */
    struct vertex_state *states;
    struct linked_face *faces; /* copies of the surface's triangles, with links */
    double error;              /* of collapse_bounds */
    bool strict;               /* the same */
    bool in_passes;            /* edges collapse in passes.c, not in queue.c */
};

enum {
    /* Costs are sorted into buckets by a factor of 2^(1/16): binary exponents from -176 to 15, and 4 more bits. */
    BUCKET_BITS = 4,
    BUCKET_COUNT = 192 << BUCKET_BITS,
    CHUNK_EDGES = 30 /* makes a chunk as long as two lines of a cache */
};

/* A bucket is a list of chunks; all but the first are full. An edge is given by a corner: it leads from there to the
 * next corner of the face. If its cost rises while it waits, it stays in its bucket until its turn, and is only then
 * sorted anew. */
struct edge_chunk {
    uint32_t next, count;
    uint32_t edges[CHUNK_EDGES];
};

struct queue {
    struct edge_chunk *chunks;
    uint32_t room, used, unused; /* chunks, chunks ever used, the list of free ones */
    uint32_t lowest;             /* no bucket below has edges */
    uint32_t heads[BUCKET_COUNT], counts[BUCKET_COUNT];
    uint32_t locked[BUCKET_COUNT]; /* the costs of the edges that cannot be queued, since they end at the rim */
};

/* Returns how many chunks are enough for so many triangles: each has three edges if it is alone. */
static inline size_t queue_room(uint32_t triangle_count)
{
    return (3 * (size_t)triangle_count) / CHUNK_EDGES + BUCKET_COUNT + 1;
}

/* An edge that is listed for a pass. */
struct listed_edge {
    uint32_t corner, bucket;
};

/* Returns the room of a pass's list: a closed surface has one and a half edges for each triangle. */
static inline size_t list_room(uint32_t triangle_count)
{
    return 2 * (size_t)triangle_count;
}

struct surface_part {
    struct workspace *work;
    uint32_t first_vertex, vertex_count, first_triangle, triangle_count;
    uint32_t live;            /* triangles */
    uint32_t target, dearest; /* stop at so many triangles, or at a dearer bucket */
    uint32_t spent;           /* the dearest bucket that a collapse was in */
    uint32_t stamp;
    struct queue queue; /* its chunks are the caller's, as is the list; a part has one of the two */
    struct listed_edge *list;
    uint32_t list_room, list_count;
};

/* At most so many faces at a vertex that takes part. So a collapse takes bounded time on any input. */
enum { MOST_FACES = 96 };

/* The faces at a vertex; `left` and `right` are the other corners. */
struct vertex_star {
    uint32_t count;
    uint32_t corners[MOST_FACES], left[MOST_FACES], right[MOST_FACES];
};

static inline bool has_edge(const struct vertex_star *star, uint32_t face, uint32_t other)
{
    return star->left[face] == other || star->right[face] == other;
}

/* A collapse that is tried: b goes to a, which moves by `step`. */
struct collapse_candidate {
    uint32_t a, b;
    double step[3], cost;
    struct quadric sum; /* about a */
};

/* collapse.c. Finds the best collapse of the edge; false when it must stay. */
bool judge_edge(struct workspace *work, uint32_t a, uint32_t b, struct collapse_candidate *candidate);
/* Adds the cost of the texture's motion, for a surface with coordinates, after judge_edge; false when the edge must
 * stay. */
bool judge_texture(struct workspace *work, struct collapse_candidate *candidate);
/* Estimates the cost by a collapse to one of the edge's ends or its middle. It is never less than the best, and takes
 * much less work. */
bool estimate_edge(struct workspace *work, uint32_t a, uint32_t b, double *cost);
/* Tells whether an end is in several parts. */
bool edge_is_locked(const struct surface *surface, uint32_t a, uint32_t b);
/* Returns the bucket by the exponent and the highest bits of the cost. */
uint32_t cost_bucket(double cost);
/* Collapses the edge. False when that would break the surface, or turn a face. The step is corrected so that the volume
 * stays. The stars of both ends are set to what they were before. */
bool collapse_edge(struct surface_part *part, struct collapse_candidate *edge, struct vertex_star stars[2]);

/* queue.c, passes.c: queue, or list, the edges of the part's linked faces; then collapse them, the cheapest first or
 * about so, until part->target or part->dearest is reached, or none is left. */
void queue_start(struct surface_part *part);
void queue_run(struct surface_part *part);
void passes_start(struct surface_part *part);
void passes_run(struct surface_part *part);

/* The texture coordinates of a surface while it is simplified. */

/* The most sides of an edge; more than two only if it has more than two faces. */
enum { MOST_SIDES = 8 };

/* One side of an edge: the coordinates at both of its ends, and those of the vertex that the ends become. */
struct seam_side {
    float ends[2][COORDINATES], to[COORDINATES];
};

/* The effect of a collapse on the texture. */
struct carried {
    uint32_t count;
    struct seam_side sides[MOST_SIDES];
    bool stays[2]; /* an end is where the new vertex is: its coordinates stay */
    double shift;  /* about how many texels the texture is off at the new vertex, with all collapses before */
    double slide;  /* the same of this collapse, as a length on the surface */
};

/* Finds the new coordinates when the edge's ends meet at `to`, with these faces at them. False when the edge must stay:
 * the collapse would close a seam. */
bool carry_texture(const struct workspace *work, const struct vertex_star stars[2],
                   const struct collapse_candidate *edge, const double to[3], struct carried *carried);
/* Gives a corner at an end (0: edge->a) the coordinates of the new vertex. */
void replace_coordinates(const struct carried *carried, int end, float coordinates[COORDINATES]);

#endif
