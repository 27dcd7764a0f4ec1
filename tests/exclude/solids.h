/* The collision geometry of frames, and how far apart it is: made without scene/collide, whose answers are checked
 * against this. Plain, and in double; without memory the program ends. */
#ifndef SOLIDS_H
#define SOLIDS_H

#include "model/model.h"

struct part { /* what came of one mesh */
    uint32_t first, count;
    bool closed;
};

struct box {
    double low[3], high[3];
    uint32_t first, count; /* of the order of triangles; or count 0, and the halves are the boxes first and first + 1 */
};

struct solid {
    double (*triangles)[3][3]; /* in the frame; part by part */
    struct part *parts;
    double (*pieces)[3]; /* a corner of each piece of surface that hangs together */
    uint32_t *order;     /* triangles as the boxes have them */
    struct box *boxes;   /* the first one holds all */
    uint32_t triangle_count, part_count, piece_count, box_count;
};

/* As fmin and fmax, which are calls. */
static inline double smaller(double a, double b)
{
    return a < b ? a : b;
}
static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

/* calloc that ends the program when out of memory. */
void *allocate(size_t count, size_t size);
/* What collides of a frame, of a scene whose faces are all triangles. Without any: triangle_count 0. solid_free is due
 * in any case. */
cp_status solid_make(struct solid *solid, cp_context *context, const cp_scene *scene, uint32_t node);
void solid_free(struct solid *solid);

/* The distance of two triangles; 0 when they meet. */
double triangle_gap(const double one[3][3], const double other[3][3]);
/* Solids that are nearer meet: vertices are float32. */
#define CONTACT 1e-7

/* The distance of two solids, `placed` taking the other's frame to the first one's: 0 when they meet or one is inside
 * the other; most when they are farther apart than that, or less than CONTACT. */
double solids_distance(const struct solid *one, const struct solid *other, const cp_pose *placed, double most);
/* The same by every pair of triangles and every corner. */
double solids_distance_plainly(const struct solid *one, const struct solid *other, const cp_pose *placed);

#endif
