/* Orders of triangles: several are tried, and the one that packs best is taken. libmeshoptimizer's are not among them: around a
 * vertex that many triangles share they take quadratic time, and on pressed sheets they pack up to 5 % larger. */
#ifndef CELLPIPE_GLTF_ORDER_H
#define CELLPIPE_GLTF_ORDER_H

#include "web.h"

/* The triangles of a group, with its vertices numbered for themselves. Memory is the mesh's whole, used for one group after the
 * other. */
struct order_group {
    const uint32_t *corners; /* vertices of the mesh */
    uint32_t count;          /* of corners */
    bool creased;            /* vertices have normals */
    uint32_t *local;         /* for each vertex of the mesh: its number here; CP_NONE between groups */
    uint32_t *first;         /* for each number: where its corners begin in `lists` ... */
    uint32_t *listed;        /* ... and how many are listed yet */
    uint32_t *lists;
    bool *taken; /* for each triangle */
    /* for the order itself: a word, a float and a byte for each number */
    uint32_t *words;
    float *floats;
    unsigned char *bytes;
    uint32_t *out; /* corners in the new order */
    uint32_t written;
};

/* Triangles at one vertex that are looked at: what has more of them is as good as several vertices. */
enum { MOST_LOOKED_AT = 32 };

static inline uint32_t next_corner(uint32_t corner)
{
    return corner % 3 == 2 ? corner - 2 : corner + 1;
}

static inline uint32_t previous_corner(uint32_t corner)
{
    return corner % 3 == 0 ? corner + 2 : corner - 1;
}

static inline uint32_t order_number(const struct order_group *group, uint32_t corner)
{
    return group->local[group->corners[corner]];
}

/* How many corners at the front of the number's list are to be looked at; those of triangles that were taken go. */
uint32_t order_look_at(struct order_group *group, uint32_t number);
/* The triangle comes next, beginning with this corner. */
void order_take(struct order_group *group, uint32_t corner);

/* Ring by ring around the first vertex: best for what has grown, where vertices have few and many neighbours. */
void order_rings(struct order_group *group);
/* By scores, next to what came just before: best for strips and fans, which machines make. */
void order_scores(struct order_group *group);

#endif
