/* What time_collide measures with: bodies, and the pairs of them in many places. Lengths are metres. */
#ifndef BENCH_COLLIDE_SETS_H
#define BENCH_COLLIDE_SETS_H

#include "collide/surface/bvh.h"

struct fcl_body;

/* A body for each engine. */
struct collide_body {
    struct bvh bvh;
    struct fcl_body *peer; /* NULL without FCL */
};

struct collide_query {
    uint32_t one, other; /* bodies */
    cp_pose placed;      /* takes the other's frame to the first one's */
};

struct collide_set {
    const char *name;
    struct collide_body *bodies;
    struct collide_query *queries;
    size_t body_count, query_count;
};

/* Two tori of about 20,000 triangles with detail, or of fewer: `count` random places, in about 79 of 100 of which they
 * meet. */
void make_torus_pairs(struct collide_set *set, size_t triangles, size_t count);
/* An arm of 7 joints and 8 bodies of 2,048 triangles each: the 21 pairs of bodies that are no neighbours, in `count`
 * random states. */
void make_arm_pairs(struct collide_set *set, size_t count);
void collide_set_free(struct collide_set *set);

#endif
