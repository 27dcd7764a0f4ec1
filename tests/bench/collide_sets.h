/* What time_collide measures with: bodies, and the pairs of them in many places. Lengths are metres. */
#ifndef BENCH_COLLIDE_SETS_H
#define BENCH_COLLIDE_SETS_H

#include "collide/surface/surface.h"

struct fcl_body;

/* A body for each engine. */
struct collide_body {
    struct bvh bvh;
    struct fcl_body *peer; /* NULL without FCL */
    char name[32];         /* empty where it has none */
};

struct collide_query {
    uint32_t one, other; /* bodies */
    cp_pose placed;      /* takes the other's frame to the first one's */
};

struct collide_set {
    char name[32];
    struct collide_body *bodies;
    struct collide_query *queries;
    size_t body_count, query_count;
    size_t
        pair_count; /* so many pairs of bodies have as many queries each, one pair after the other; 0: they are mixed */
};

/* No bodies and queries yet, but room for them. Call collide_set_free. */
void collide_set_begin(struct collide_set *set, const char *name, size_t body_count, size_t query_count);

/* Two tori of about 20,000 triangles with detail, or of fewer: `count` random places, in about 79 of 100 of which they
 * meet. */
void make_torus_pairs(struct collide_set *set, size_t triangles, size_t count);
/* An arm of 7 joints and 8 bodies of 2,048 triangles each: the 21 pairs of bodies that are no neighbours, in `count`
 * random states. */
void make_arm_pairs(struct collide_set *set, size_t count);
/* The same links above a plate of 4 m x 4 m, whose 12 triangles are larger than they: `count` random places of each. */
void make_plate_pairs(struct collide_set *set, size_t count);
/* The bodies of a cell in a file: the pairs with two joints and more between them, each in `states` random states of
 * these. */
void make_cell_pairs(struct collide_set *set, cp_context *context, const char *file, size_t states);
void collide_set_free(struct collide_set *set);

#endif
