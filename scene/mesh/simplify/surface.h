/* A surface of triangles while it is being simplified: what simplify.c, fans.c, rounds.c, collapse.c and fit.c share.
 * */
#ifndef CELLPIPE_MESH_SIMPLIFY_SURFACE_H
#define CELLPIPE_MESH_SIMPLIFY_SURFACE_H

#include <float.h>
#include <math.h>

#include "mesh/mesh.h"
#include "model/model.h"

/* Quadrics (Garland and Heckbert, Surface simplification using quadric error metrics, 1997): the weighted sum of
 * squared distances from planes, about a point of its own, so that no digits are lost far from the origin. */

/* Q(x) = x'Ax + 2b'x + c */
struct quadric {
    double a00, a01, a02, a11, a12, a22, b[3], c;
};

/* Adds the plane with this unit normal, `height` above the quadric's point. */
static inline void quadric_add_plane(struct quadric *quadric, const double normal[3], double height, double weight)
{
    double scaled[3] = {weight * normal[0], weight * normal[1], weight * normal[2]};
    quadric->a00 += scaled[0] * normal[0];
    quadric->a01 += scaled[0] * normal[1];
    quadric->a02 += scaled[0] * normal[2];
    quadric->a11 += scaled[1] * normal[1];
    quadric->a12 += scaled[1] * normal[2];
    quadric->a22 += scaled[2] * normal[2];
    for (int axis = 0; axis < 3; axis++)
        quadric->b[axis] -= scaled[axis] * height;
    quadric->c += weight * height * height;
}

/* sum = a + b, about a's point; `step` leads from b's point to a's. */
static inline void quadric_sum(struct quadric *sum, const struct quadric *a, const struct quadric *b,
                               const double step[3])
{
    double moved[3] = {b->a00 * step[0] + b->a01 * step[1] + b->a02 * step[2],
                       b->a01 * step[0] + b->a11 * step[1] + b->a12 * step[2],
                       b->a02 * step[0] + b->a12 * step[1] + b->a22 * step[2]};
    sum->a00 = a->a00 + b->a00;
    sum->a01 = a->a01 + b->a01;
    sum->a02 = a->a02 + b->a02;
    sum->a11 = a->a11 + b->a11;
    sum->a12 = a->a12 + b->a12;
    sum->a22 = a->a22 + b->a22;
    sum->c = a->c + b->c + dot_product(step, moved) + 2 * dot_product(step, b->b);
    for (int axis = 0; axis < 3; axis++)
        sum->b[axis] = a->b[axis] + b->b[axis] + moved[axis];
}

/* Moves the quadric's point by `step`. */
static inline void quadric_move(struct quadric *quadric, const double step[3])
{
    struct quadric none = {0}, moved;
    quadric_sum(&moved, &none, quadric, step);
    *quadric = moved;
}

static inline void quadric_scale(struct quadric *quadric, double factor)
{
    quadric->a00 *= factor;
    quadric->a01 *= factor;
    quadric->a02 *= factor;
    quadric->a11 *= factor;
    quadric->a12 *= factor;
    quadric->a22 *= factor;
    for (int axis = 0; axis < 3; axis++)
        quadric->b[axis] *= factor;
    quadric->c *= factor;
}

/* The weight of all planes. */
static inline double quadric_weight(const struct quadric *quadric)
{
    return quadric->a00 + quadric->a11 + quadric->a22;
}

static inline double quadric_value(const struct quadric *quadric, const double x[3])
{
    double value = x[0] * (quadric->a00 * x[0] + 2 * (quadric->a01 * x[1] + quadric->a02 * x[2] + quadric->b[0])) +
                   x[1] * (quadric->a11 * x[1] + 2 * (quadric->a12 * x[2] + quadric->b[1])) +
                   x[2] * (quadric->a22 * x[2] + 2 * quadric->b[2]) + quadric->c;
    return value > 0 ? value : 0;
}

/* The inverse of A + more, as the adjugate of the symmetric matrix and one over its determinant. */
struct descent {
    double c00, c01, c02, c11, c12, c22, inverse;
};

static inline struct descent descent_of(const struct quadric *quadric, double more)
{
    double a01 = quadric->a01, a02 = quadric->a02, a12 = quadric->a12;
    double a00 = quadric->a00 + more, a11 = quadric->a11 + more, a22 = quadric->a22 + more;
    struct descent by = {.c00 = a11 * a22 - a12 * a12,
                         .c01 = a02 * a12 - a01 * a22,
                         .c02 = a01 * a12 - a02 * a11,
                         .c11 = a00 * a22 - a02 * a02,
                         .c12 = a01 * a02 - a00 * a12,
                         .c22 = a00 * a11 - a01 * a01};
    double determinant = a00 * by.c00 + a01 * by.c01 + a02 * by.c02;
    by.inverse = determinant > 0 ? 1 / determinant : 0;
    return by;
}

/* x += (A + more)^-1 r */
static inline void descent_apply(const struct descent *by, const double r[3], double x[3])
{
    double scaled[3] = {by->inverse * r[0], by->inverse * r[1], by->inverse * r[2]};
    x[0] += by->c00 * scaled[0] + by->c01 * scaled[1] + by->c02 * scaled[2];
    x[1] += by->c01 * scaled[0] + by->c11 * scaled[1] + by->c12 * scaled[2];
    x[2] += by->c02 * scaled[0] + by->c12 * scaled[1] + by->c22 * scaled[2];
}

/* x goes to where Q is least, as far as `more` lets it. */
static inline void descend(const struct quadric *quadric, const struct descent *by, double x[3])
{
    const double r[3] = {-(quadric->a00 * x[0] + quadric->a01 * x[1] + quadric->a02 * x[2] + quadric->b[0]),
                         -(quadric->a01 * x[0] + quadric->a11 * x[1] + quadric->a12 * x[2] + quadric->b[1]),
                         -(quadric->a02 * x[0] + quadric->a12 * x[1] + quadric->a22 * x[2] + quadric->b[2])};
    descent_apply(by, r, x);
}

/* The x that makes Q least, drawn to where it begins by a ridge of this part of the weight: where the planes leave a
 * direction open, x stays. The second step takes nearly all of the rest where they do not: creases and corners are met.
 * */
static inline void quadric_minimum(const struct quadric *quadric, double ridge, double x[3])
{
    struct descent by = descent_of(quadric, ridge * quadric_weight(quadric));
    descend(quadric, &by, x);
    descend(quadric, &by, x);
}

/* What a vertex lies on. */
enum {
    KIND_LINE = 1,   /* a border, a seam between two classes of faces, or a fold: it moves along it only */
    KIND_CORNER = 2, /* where lines end or meet: it stays */
    KIND_EDGE = 8    /* of a free surface: at a border, a seam or a fold, but it moves as others do */
};

/* A corner's texture coordinates: both sets. */
enum { COORDINATES = 2 * CP_COORDINATE_SETS };

/* Feature bit k of a tag: the edge from corner k to the next is a border, a seam or a fold; above them the face's
 * class. */
enum { TAG_BITS = 3 };

struct surface {
    cp_context *context;
    bool free;                             /* the topology may change: see simplify_goal */
    uint32_t vertex_count, triangle_count; /* rows; dead ones among them */
    uint32_t triangle_room;                /* rows allocated */
    uint32_t live;                         /* triangles that are left */
    double centre[3], scale;               /* a point of the mesh is centre + scale * point */
    double (*points)[3];
    struct quadric *quadrics; /* about the vertex's point; NULL before the first round */
    /* Of the original's faces that the vertex has come from: the sums of the area vectors, and of the areas. NULL as
     * the quadrics. */
    float (*ups)[4];
    /* How much more the planes at a vertex of the original count than by their areas, from the first round on their
     * weight by these alone. NULL: all count as much. */
    float *weights;
    bool strict;         /* heavier planes are nearer to the bound of the collapses */
    float (*colours)[4]; /* or NULL */
    uint8_t *kinds;
    uint32_t (*triangles)[3]; /* [0] == CP_NONE: gone */
    uint32_t *tags;           /* of triangles */
    /* Of triangles' corners, or NULL: where two faces at a vertex have others there is a seam between them. */
    float (*coordinates)[3][COORDINATES];
    float *shifts; /* of vertices: by how many texels the texture is off there, about; NULL without coordinates */
    const float (*texels)[CP_COORDINATE_SETS]; /* of classes, or NULL: see simplify_goal */
    double shift;                              /* no vertex may have more; 0: however much */
    uint32_t lines;    /* borders and seams count as if so many triangles were to be left; 0: as many as shall be */
    uint32_t dearest;  /* no collapse costs more than this bucket of collapse.h; at first UINT32_MAX */
    uint32_t spent;    /* after surface_collapse: the dearest bucket that a collapse was in */
    double shifted;    /* and the largest shift of any vertex, before the fit */
    uint32_t *parents; /* of vertices, during rounds: the vertex that each has become, itself while it lives */
    uint32_t original_count, original_room;
    float (*originals)[3]; /* points of the original, its vertices among them, in the mesh's unit */
    uint32_t *owners;      /* for each of them a vertex near by */
    uint32_t (*original_faces)[3], original_face_count; /* or NULL, 0: only the points are measured */
    const bool *fixed; /* points, and then faces, that stay as they are; the caller's, or NULL */
    /* What had to be cut, left out and mixed to make the surface: see simplify.h. */
    uint32_t cut_edges, cut_vertices, flat_faces, mixed_colours;
};

static inline uint32_t tag_class(uint32_t tag)
{
    return tag >> TAG_BITS;
}

/* Where the faces looked that a vertex has come from, or two; 0 where they looked in many directions. */
static inline void find_way_up(const float a[4], const float b[4], double up[3])
{
    const double least = 0.75; /* the length of the mean of unit normals */
    double area = (double)a[3] + (double)b[3];
    for (int axis = 0; axis < 3; axis++)
        up[axis] = (double)a[axis] + (double)b[axis];
    if (dot_product(up, up) < least * least * area * area)
        up[0] = up[1] = up[2] = 0;
}

/* Whether a face with the normal `after` looks too far away from `up`: by more than 60 degrees; or, if it did so with
 * the normal `before`, much farther than that. One that was upright may lean by 64 degrees: the walls of a hole in thin
 * sheet lean so while the hole has become smaller on one side of it alone. */
static inline bool looks_away(const double before[3], const double after[3], const double up[3])
{
    const double least = 0.5, slack = 0.5, rounding = 0.05, upright = 0.3, leaning = 0.9; /* cosines */
    double off = dot_product(after, up), length = dot_product(after, after) * dot_product(up, up);
    if ((off > 0 && off * off >= least * least * length) || !(length > 0))
        return false;
    double length_before = dot_product(before, before) * dot_product(up, up);
    double was = length_before > 0 ? dot_product(before, up) / sqrt(length_before) : least;
    double bound = was >= least ? fmin(least, was - rounding) : was - slack;
    return off < (was <= upright ? fmin(bound, -leaning) : bound) * sqrt(length);
}

/* Whether two faces with these normals and a common edge lie on each other: their planes alone would let the edge
 * wander. */
static inline bool is_fold(const double a[3], const double b[3])
{
    const double least = 0.9999; /* of the cosine of the angle that they leave open: 0.8 degrees */
    double product = dot_product(a, b);
    return product < 0 && product * product > least * least * dot_product(a, a) * dot_product(b, b);
}

static inline void to_mesh_unit(const struct surface *surface, const double point[3], float out[3])
{
    for (int axis = 0; axis < 3; axis++)
        out[axis] = (float)(surface->centre[axis] + surface->scale * point[axis]);
}

static inline void from_mesh_unit(const struct surface *surface, const float point[3], double out[3])
{
    for (int axis = 0; axis < 3; axis++)
        out[axis] = ((double)point[axis] - surface->centre[axis]) / surface->scale;
}

static inline double double_area(const struct surface *surface, uint32_t triangle)
{
    const uint32_t *face = surface->triangles[triangle];
    double normal[3];
    triangle_normal(surface->points[face[0]], surface->points[face[1]], surface->points[face[2]], normal);
    return sqrt(dot_product(normal, normal));
}

/* What floats of the mesh's unit leave open. */
static inline double surface_noise(const struct surface *surface)
{
    double largest = 1;
    for (int axis = 0; axis < 3; axis++)
        largest = fmax(largest, 1 + fabs(surface->centre[axis]) / surface->scale);
    return largest * FLT_EPSILON;
}

/* Where a float of the mesh's unit is: nothing is made that the result cannot hold. */
static inline void round_point(const struct surface *surface, double point[3])
{
    for (int axis = 0; axis < 3; axis++) {
        double rounded = float_round(surface->centre[axis] + surface->scale * point[axis]);
        point[axis] = (rounded - surface->centre[axis]) / surface->scale;
    }
}

/* More faces at a vertex are a crowd: points on them are looked for from elsewhere. */
enum { CROWD = 64 };

/* So many rows of points, faces and vertices are one item of parallel_for. */
enum { SLICE = 8192 };

static inline uint32_t slices(uint32_t count)
{
    return (count + SLICE - 1) / SLICE;
}

static inline uint32_t slice_end(uint32_t item, uint32_t count)
{
    return count - item * SLICE < SLICE ? count : (item + 1) * SLICE;
}

/* fans.c: the surface of a mesh of triangles. classes: of each triangle. False when out of memory. Call surface_free
 * even on failure. */
bool surface_make(struct surface *surface, cp_context *context, const cp_mesh *mesh, const uint32_t *classes,
                  bool free);
void surface_free(struct surface *surface);

/* texture.c: whether two corners (3 x triangle + number) at one vertex have the same coordinates. */
bool same_coordinates(const struct surface *surface, uint32_t a, uint32_t b);

/* counts.c: how a surface hangs together. */
struct surface_counts {
    uint32_t shells; /* sets of faces that share vertices */
    uint32_t holes;  /* rings of border edges; and tunnels, unless crossed */
    bool crossed;    /* some edge has three faces or more: then nobody can count tunnels */
};

/* Linear time. False when out of memory. */
bool surface_count(const struct surface *surface, struct surface_counts *counts);

/* samples.c: sets the originals, of the surface as it is: faces when `whole`; else, for a draft, not all vertices of a
 * large one. What is fixed stays where it is. */
bool surface_sample(struct surface *surface, bool draft, bool whole);

/* rounds.c: collapses edges, cheapest first, until `triangles` are left or each further one would be off by more than
 * `error` (in units of the surface); fast: with longer rounds. */
bool surface_collapse(struct surface *surface, uint32_t triangles, double error, bool fast);

/* order.c: a vertex on the Morton curve. */
struct key {
    uint64_t code;
    uint32_t vertex;
};

/* The vertices that live, which are their own parents, along the Morton curve of this round: those that follow each
 * other are near each other. keys: of all vertices; *count of them are set. False when out of memory. */
bool order_vertices(const struct surface *surface, uint32_t round, struct key *keys, uint32_t *count);

#endif
