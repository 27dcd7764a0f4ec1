/* Polygons as triangles. */
#ifndef CELLPIPE_MESH_TRIANGULATE_TRIANGULATE_H
#define CELLPIPE_MESH_TRIANGULATE_TRIANGULATE_H

#include "mesh/box_tree.h"
#include "mesh/mesh.h"

/* Tells exactly which way three points turn. */

static inline int side_of_points(const float a[2], const float b[2], const float c[2])
{
    const double p[3] = {(double)a[0], (double)a[1]}, q[3] = {(double)b[0], (double)b[1]},
                 r[3] = {(double)c[0], (double)c[1]};
    return side_of_line(p, q, r, (const int[]){0, 1});
}

/* The edges that a vertical line meets, from the lowest to the highest: a list, and a tree over it for searches. */

struct ordered_edge {
    uint32_t below, above; /* neighbours in the list; CP_NONE at its ends */
    uint32_t parent, children[2];
    uint32_t from, to; /* points, from left to right */
    uint8_t height;    /* height of the part of the tree below it, itself counted */
};

/* An AVL tree (Adelson-Velsky and Landis, 1962): the heights of two children differ by 1 at most. */
struct edge_order {
    const float (*points)[2];
    struct ordered_edge *edges;
    uint32_t root, lowest;
};

/* Returns the highest edge below the point, or CP_NONE. */
uint32_t edge_order_find(const struct edge_order *order, uint32_t point);
/* Puts edges[place], whose from and to are set, above another, or below all (CP_NONE). */
void edge_order_insert(struct edge_order *order, uint32_t place, uint32_t below);
void edge_order_remove(struct edge_order *order, uint32_t place);

/* Triangulates any polygon that does not cross itself in n log n, however contorted it is. */

/* Cuts the polygon of `count` >= 3 corners, points[corners[0 .. count)], counter-clockwise, into count - 2 triangles of
 * three corner numbers each, none of negative area. CP_NO, with anything in triangles, when it finds that the polygon
 * crosses or touches itself; CP_LIMIT without memory. */
cp_status sweep_line_cut(cp_context *context, const float (*points)[2], const uint32_t *corners, uint32_t count,
                         uint32_t *triangles);

/* The reflex corners of a polygon in a tree of boxes, which tells whether a triangle holds one. */

enum { REFLEX_FAN = 2, REFLEX_LEAF = 8 };
struct reflex_tree {
    const float (*points)[2]; /* the polygon's */
    uint32_t room, count;     /* the most corners of a polygon; those in the tree */
    uint64_t *order;          /* room entries; the corner in the low half */
    uint64_t *spare;          /* room entries for sorting */
    uint32_t *place;          /* one for each corner of the polygon: where it is in order, or CP_NONE when not in the
                               * tree */
    uint32_t *live;           /* indexed by box: the number of corners that are left in it */
    struct box_tree tree;     /* over order; flat, 0 on the third axis */
};

/* Makes room for polygons of up to `room` corners. Returns false if out of memory. Call reflex_free even on failure. */
bool reflex_reserve(struct reflex_tree *reflex, cp_context *context, uint32_t room);
void reflex_free(struct reflex_tree *reflex, cp_context *context);
/* Empties the tree for another polygon; then reflex_add each reflex corner, then reflex_build. */
void reflex_clear(struct reflex_tree *reflex, const float (*points)[2], uint32_t corner_count);
void reflex_add(struct reflex_tree *reflex, uint32_t corner);
void reflex_build(struct reflex_tree *reflex);
/* Takes the corner out; it need not be in. */
void reflex_remove(struct reflex_tree *reflex, uint32_t corner);

static inline uint32_t reflex_at(const struct reflex_tree *reflex, uint32_t place)
{
    return (uint32_t)reflex->order[place];
}

static inline void box_add_flat(struct box *box, const float corner[2])
{
    const double point[3] = {(double)corner[0], (double)corner[1], 0};
    box_add(box, point, point);
}

/* Triangles of concave polygons by ear clipping. */

/* A corner in two rings: the boundary that is left, and the corners that wait to be tried. */
struct corner_link {
    uint32_t previous, next;
    uint32_t waiting_previous, waiting_next; /* CP_NONE at the ends; next is the corner itself while it does not wait */
};

/* Room for polygons of up to `room` corners: made once for a mesh, used for face after face. */
struct ears {
    cp_context *context;
    uint32_t room;
    float (*points)[2]; /* counter-clockwise; set by the caller */
    struct corner_link *links;
    uint32_t first_waiting, last_waiting;
    struct reflex_tree reflex;
    uint64_t steps; /* the work on the present polygon */
};

bool ears_reserve(struct ears *ears, cp_context *context, uint32_t room);
void ears_free(struct ears *ears);

/* Cuts the polygon points[0 .. count) into count - 2 triangles: triangles gets 3 corner numbers each. They cover a
 * polygon that does not cross itself exactly once, also with touching edges and repeated corners (holes joined by a
 * bridge). CP_NO when triangles overlap because the polygon crosses itself, or because it touches itself and is so
 * contorted that the work would exceed a fixed multiple of count. CP_LIMIT without memory. count >= 3. */
cp_status ears_clip(struct ears *ears, uint32_t count, uint32_t *triangles);

/* Triangles of polygons whose corners lie in no plane. They have the least area, so that they bend where the outline
 * bends and nowhere else. */

/* Tells whether the corners lie farther from a plane than rounding explains: by a thousandth of the polygon's size. */
bool polygon_is_bent(const struct polygon *polygon);
/* Finds the triangles with the least sum of areas, among all that cover the polygon once as it is seen along its
 * normal's largest component: 3 corner numbers each. CP_NO, and nothing is written, for polygons of more than
 * BENT_MOST_EXACT corners, and for those that no such triangles cover, as they cross or touch themselves. */
enum { BENT_MOST_EXACT = 32 };
cp_status bent_cut(const struct polygon *polygon, uint32_t *triangles);
/* Turns diagonals of triangles that cover the polygon once, as long as that makes their area less and they still cover
 * it once. n log n. CP_LIMIT without memory. */
cp_status bent_turn_diagonals(cp_context *context, const struct polygon *polygon, uint32_t *triangles);

#endif
