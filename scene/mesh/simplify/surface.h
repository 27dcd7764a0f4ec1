/* A surface of triangles while it is simplified, as simplify.c, fans.c, rounds.c, collapse.c and fit.c share it. */
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

/* Adds two quadrics: sum = a + b, about a's point; `step` leads from b's point to a's. */
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

/* Returns the weight of all planes. */
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

/* Adds to x: x += (A + more)^-1 r */
static inline void descent_apply(const struct descent *by, const double r[3], double x[3])
{
    double scaled[3] = {by->inverse * r[0], by->inverse * r[1], by->inverse * r[2]};
    x[0] += by->c00 * scaled[0] + by->c01 * scaled[1] + by->c02 * scaled[2];
    x[1] += by->c01 * scaled[0] + by->c11 * scaled[1] + by->c12 * scaled[2];
    x[2] += by->c02 * scaled[0] + by->c12 * scaled[1] + by->c22 * scaled[2];
}

/* Moves x to where Q is least, as far as `more` lets it. */
static inline void descend(const struct quadric *quadric, const struct descent *by, double x[3])
{
    const double r[3] = {-(quadric->a00 * x[0] + quadric->a01 * x[1] + quadric->a02 * x[2] + quadric->b[0]),
                         -(quadric->a01 * x[0] + quadric->a11 * x[1] + quadric->a12 * x[2] + quadric->b[1]),
                         -(quadric->a02 * x[0] + quadric->a12 * x[1] + quadric->a22 * x[2] + quadric->b[2])};
    descent_apply(by, r, x);
}

/* Finds the x that makes Q least. A ridge of this part of the weight draws x to where it begins, so that x stays in
 * directions that the planes leave open. In the others the second step takes nearly all of the rest, so that creases
 * and corners are met. */
static inline void quadric_minimum(const struct quadric *quadric, double ridge, double x[3])
{
    struct descent by = descent_of(quadric, ridge * quadric_weight(quadric));
    descend(quadric, &by, x);
    descend(quadric, &by, x);
}

/* The kinds of vertices, by what they lie on. */
enum {
    KIND_LINE = 1,   /* a border, a seam between two classes of faces, or a fold: it moves only along that */
    KIND_CORNER = 2, /* the end or the meeting of lines: it stays */
    KIND_EDGE = 8    /* of a free surface: at a border, a seam or a fold, but it moves as others do */
};

/* A corner's texture coordinates: both sets. */
enum { COORDINATES = 2 * CP_COORDINATE_SETS };

/* Feature bit k of a tag: the edge from corner k to the next is a border, a seam or a fold; above them the face's
 * class. */
enum { TAG_BITS = 3 };

/* The planes that decide where a vertex goes. */
struct surface_planes {
    struct quadric *quadrics; /* about the vertex's point; NULL before the first round */
    /* The sums of the area vectors, and of the areas, of the original's faces that the vertex has come from. NULL with
     * the quadrics. */
    float (*ups)[4];
    /* The factors of the weight of the planes at the original's vertices, beside their areas; from the first round on,
     * the whole weight. NULL: all are 1. */
    float *weights;
};

struct surface_texture {
    /* The coordinates of the triangles' corners, or NULL. Where two faces at a vertex have different ones, there is a
     * seam between them. */
    float (*coordinates)[3][COORDINATES];
    float *shifts; /* indexed by vertex: about how many texels the texture is off there; NULL without coordinates */
    const float (*texels)[CP_COORDINATE_SETS]; /* one for each class, or NULL: see simplify_goal */
    double shift;                              /* the most that a vertex may have; 0: no limit */
};

/* Counts of repairs that were necessary to make the surface: see simplify.h. */
struct surface_flaws {
    uint32_t cut_edges, cut_vertices, flat_faces, mixed_colours;
};

struct surface {
    cp_context *context;
    bool free;                             /* the topology may change: see simplify_goal */
    uint32_t vertex_count, triangle_count; /* rows; dead ones among them */
    uint32_t triangle_room;                /* rows allocated */
    uint32_t live;                         /* triangles that are left */
    double centre[3], scale;               /* a point of the mesh is centre + scale * point */
    double (*points)[3];
    float (*colours)[4]; /* or NULL */
    uint8_t *kinds;
    uint32_t (*triangles)[3]; /* [0] == CP_NONE: gone */
    uint32_t *tags;           /* of triangles */
    struct surface_planes planes;
    struct surface_texture texture;
    struct surface_flaws flaws;
};

/* The original, as a surface is fitted to it and measured against it. */
struct surface_samples {
    uint32_t count, room;
    float (*points)[3];               /* its vertices among them, in the mesh's unit */
    uint32_t *owners;                 /* one for each of them a vertex near by */
    uint32_t (*faces)[3], face_count; /* NULL, 0: only the points are measured */
};

static inline uint32_t tag_class(uint32_t tag)
{
    return tag >> TAG_BITS;
}

/* Finds the mean direction of the faces that a vertex, or two, has come from; 0 if they looked in many directions. */
static inline void find_way_up(const float a[4], const float b[4], double up[3])
{
    const double least = 0.75; /* the length of the mean of unit normals */
    double area = (double)a[3] + (double)b[3];
    for (int axis = 0; axis < 3; axis++)
        up[axis] = (double)a[axis] + (double)b[axis];
    if (dot_product(up, up) < least * least * area * area)
        up[0] = up[1] = up[2] = 0;
}

/* Tells whether a face with the normal `after` looks too far away from `up`: by more than 60 degrees; or, if it did so
 * with the normal `before`, much farther than before. A face that was upright may lean by 64 degrees: so do the walls
 * of a hole in thin sheet if the hole has become smaller on one side only. */
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

/* Tells whether two faces with these normals and a common edge lie on each other. Such an edge must be held, since the
 * planes alone would let it wander. */
static inline bool is_fold(const double a[3], const double b[3])
{
    const double least = 0.9999; /* the cosine of the angle between them: 0.8 degrees */
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

/* Returns the rounding of floats of the mesh's unit. */
static inline double surface_noise(const struct surface *surface)
{
    double largest = 1;
    for (int axis = 0; axis < 3; axis++)
        largest = fmax(largest, 1 + fabs(surface->centre[axis]) / surface->scale);
    return largest * FLT_EPSILON;
}

/* Rounds a point to floats of the mesh's unit, so that the result can hold it. */
static inline void round_point(const struct surface *surface, double point[3])
{
    for (int axis = 0; axis < 3; axis++) {
        double rounded = float_round(surface->centre[axis] + surface->scale * point[axis]);
        point[axis] = (rounded - surface->centre[axis]) / surface->scale;
    }
}

/* A vertex with more faces is a crowd: searches for points on them begin elsewhere. */
enum { CROWD = 64 };

/* The rows of points, faces and vertices in one item of parallel_for. */
enum { SLICE = 8192 };

static inline uint32_t slices(uint32_t count)
{
    return (count + SLICE - 1) / SLICE;
}

static inline uint32_t slice_end(uint32_t item, uint32_t count)
{
    return count - item * SLICE < SLICE ? count : (item + 1) * SLICE;
}

/* fans.c: makes the surface of a mesh of triangles. classes: of each triangle. False when out of memory. Call
 * surface_free even on failure. */
bool surface_make(struct surface *surface, cp_context *context, const cp_mesh *mesh, const uint32_t *classes,
                  bool free);
void surface_free(struct surface *surface);

/* texture.c: tells whether two corners (3 x triangle + number) at one vertex have the same coordinates. */
bool same_coordinates(const struct surface_texture *texture, uint32_t a, uint32_t b);

/* counts.c: the numbers that describe how a surface is connected. */
struct surface_counts {
    uint32_t shells; /* sets of faces that share vertices */
    uint32_t holes;  /* rings of border edges; and tunnels, unless crossed */
    bool crossed;    /* some edge has three faces or more: then tunnels cannot be counted */
};

/* Counts in linear time. Returns false if out of memory. */
bool surface_count(const struct surface *surface, struct surface_counts *counts);

/* samples.c: samples the surface as it is: faces when `whole`; else, for a draft, not all vertices of a large one.
 * fixed: the points, and then the faces, that stay where they are; or NULL. Call samples_free even on failure. */
bool surface_sample(struct surface *surface, bool draft, bool whole, const bool *fixed,
                    struct surface_samples *samples);
void samples_free(cp_context *context, struct surface_samples *samples);

/* The bounds at which the collapses stop. */
struct collapse_bounds {
    uint32_t triangles; /* stop at so few */
    double error;       /* no collapse may be farther off than this, in units of the surface */
    bool strict;        /* heavier planes reach that sooner */
    bool fast;          /* longer rounds */
    uint32_t lines;     /* borders and seams weigh as if so many triangles were to be left; 0: those above */
    uint32_t dearest;   /* no collapse costs more than this bucket of collapse.h; UINT32_MAX: no limit */
};

struct collapse_outcome {
    uint32_t spent; /* the dearest bucket that a collapse was in */
    double shifted; /* the largest shift of any vertex */
};

/* rounds.c: collapses edges, cheapest first, until a bound is met. The owners of the samples (or NULL) follow their
 * vertices. */
bool surface_collapse(struct surface *surface, struct surface_samples *samples, const struct collapse_bounds *bounds,
                      struct collapse_outcome *outcome);

/* order.c: a vertex on the Morton curve. */
struct curve_key {
    uint64_t code;
    uint32_t vertex;
};

/* Orders the live vertices, which are their own parents (see collapse.h), along this round's Morton curve, so that
 * consecutive ones are near each other. keys: of all vertices; *count of them are set. False when out of memory. */
bool order_vertices(const struct surface *surface, const uint32_t *parents, uint32_t round, struct curve_key *keys,
                    uint32_t *count);

#endif
