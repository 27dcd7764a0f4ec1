/* Makes small bodies of the kinds that trees of boxes find hard, turned any way. */
#ifndef RANDOM_BODIES_H
#define RANDOM_BODIES_H

#include "collide_support.h"

enum { MOST_FACES = 64 };

struct random_body {
    double vertices[3 * MOST_FACES][3];
    uint32_t triangles[MOST_FACES][3];
    struct bvh bvh;
};

enum body_kind {
    SOUP,    /* triangles anywhere */
    CRUMBS,  /* small ones anywhere */
    PLATE,   /* two sheets of many triangles, close to each other */
    NEEDLES, /* long and thin triangles side by side */
    LINE,    /* triangles without area, on one line */
    ALL_EQUAL,
    BODY_KINDS
};

static inline void fill_triangle(enum body_kind kind, struct random *random, uint32_t index, uint32_t count,
                                 double points[3][3])
{
    double share = (double)index / count, middle[3];
    for (int axis = 0; axis < 3; axis++)
        middle[axis] = random_unit(random);
    for (int i = 0; i < 3; i++)
        for (int axis = 0; axis < 3; axis++) {
            double any = random_unit(random);
            const double sheet[3] = {any, any, index % 2 * 0.01}, needle[3] = {3 * any, share + 0.01 * any, 0.1 * any};
            points[i][axis] = kind == SOUP      ? any
                              : kind == CRUMBS  ? middle[axis] + 0.05 * any
                              : kind == PLATE   ? sheet[axis]
                              : kind == NEEDLES ? needle[axis]
                              : kind == LINE    ? (axis == 0 ? any : 0)
                                                : 0.3 * (i == axis);
        }
}

/* Makes a body of a size of about 1. offset: how far it is from its frame's origin. Call bvh_free. */
static inline void make_body(struct random_body *body, enum body_kind kind, struct random *random, uint32_t count,
                             double offset)
{
    cp_pose placed = random_pose(random, offset);
    for (uint32_t triangle = 0; triangle < count; triangle++) {
        double points[3][3];
        fill_triangle(kind, random, triangle, count, points);
        for (uint32_t i = 0; i < 3; i++) {
            pose_point(&placed, points[i], body->vertices[3 * triangle + i]);
            body->triangles[triangle][i] = 3 * triangle + i;
        }
    }
    body->bvh = tree_of(body->vertices, 3 * count, body->triangles, count);
}

#endif
