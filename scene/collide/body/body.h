/* Bodies: the collision geometry of frames, and whether and how near two meet. */
#ifndef CELLPIPE_COLLIDE_BODY_BODY_H
#define CELLPIPE_COLLIDE_BODY_BODY_H

#include "collide/hull/hull.h"
#include "collide/surface/surface.h"
#include "model/model.h"

/* What can collide: the collision geometry of a frame, as triangles in that frame. */

struct body {
    uint32_t node;
    struct bvh bvh; /* of all meshes of the frame that collide; primitives as they are tessellated, without rounding */
    uint32_t solid_vertices; /* the first ones: of meshes that are closed and wound alike, and so have an inside */
    uint32_t *solid_ends;    /* of each of these meshes in turn: where its vertices end */
    uint32_t solid_count, solid_room;
    uint32_t vertex_room, triangle_room;
    uint32_t open_meshes; /* that are not: only their surface is there */
    struct hull hull;     /* once bodies_find_hulls has found it */
    bool convex;          /* the hull is no more than the body */
    double (*planes)[4];  /* planes without bounds: normal and distance */
    uint32_t plane_count, plane_room;
    uint32_t *samples; /* a vertex of each piece of the surface that hangs together */
    uint32_t sample_count, sample_room;
};

struct bodies {
    cp_context *context;
    const cp_scene *scene;
    struct body *items;
    uint32_t count, room;
};

/* Whether it is part of a body. */
bool instance_collides(const cp_scene *scene, const cp_instance *instance);
/* All frames with collision geometry, placeholders aside, in their order. Call bodies_free even on failure. */
cp_status bodies_find(struct bodies *bodies, cp_context *context, const cp_scene *scene);
void bodies_free(struct bodies *bodies);

/* Finds the hulls of all of them, which proofs need. CP_LIMIT without memory. */
cp_status bodies_find_hulls(struct bodies *bodies);

static inline struct convex body_hull(const struct body *body)
{
    return hull_convex(&body->hull);
}

/* Coordinates in a body's frame, and numbers of the pose of one body seen from another: so that products of both are
 * lengths for which predicates are exact. */
#define MOST_REACH 1e45
/* False for numbers that are none, too. */
bool are_within_reach(const double *values, int count);

/* Without any face. */
static inline bool body_is_empty(const struct body *body)
{
    return body->bvh.triangle_count == 0 && body->plane_count == 0;
}

/* Nothing is known of a body without faces, nor of two that are nothing but planes. */
static inline bool bodies_incomparable(const struct body *const bodies[2])
{
    return body_is_empty(bodies[0]) || body_is_empty(bodies[1]) ||
           (bodies[0]->bvh.triangle_count == 0 && bodies[1]->bvh.triangle_count == 0);
}

/* False where vertices or planes are no numbers, or larger than MOST_REACH. */
bool body_is_within_reach(const struct body *body);
/* False when all its faces are lines and points. */
bool body_has_area(const struct body *body);

/* True when the point, which lies on none of its surfaces, is inside of a solid of the body. certain: not where a mesh
 * that crosses itself goes round it the wrong way, which may be inside or not. */
bool body_holds(const struct body *body, const double point[3], bool certain);
/* True when the bodies have a point in common, `placed` taking the other's frame to the first one's: surfaces that
 * meet, or a piece within a solid of the other. Two planes have none by themselves. tests: boxes that were compared are
 * added. */
bool bodies_meet(const struct body *one, const struct body *other, const cp_pose *placed, uint64_t *tests);
/* Whether a piece of one, whose surfaces do not meet the other's, is inside of a solid of the other. tests: as
 * above. */
bool bodies_contain(const struct body *one, const struct body *other, const cp_pose *placed, uint64_t *tests);

/* Bodies at a moment: how near are they to each other, in the world? */

struct placed {
    const struct body *body;
    const cp_pose *world; /* of its frame; the caller's */
    cp_pose inverse;      /* where it has one */
    bool is_invertible;
    double scale; /* by which the pose stretches all alike; 0 when it does not */
};

/* world must stay as long as placed is used. */
void place_body(struct placed *placed, const struct body *body, const cp_pose *world);
/* The box along the world's axes that a box of the body is in. */
void placed_box(const struct placed *placed, const struct bvh_box *box, double centre[3], double half[3]);
/* The distance of two bodies in metres, up to rounding: 0 where they meet, or one is in a solid of the other. Above
 * `most` some value above it when it is more than that, or when nothing of theirs can be near each other, as two
 * planes. */
double bodies_distance(const struct placed *one, const struct placed *other, double most);

/* Has what a mesh bounds an inside? */

enum solidity { UNKNOWN, SOLID, OPEN };

/* SOLID: closed and wound alike throughout, cavities against what they are in, so that what is inside of one of its
 * shells is gone round by the faces as a whole. */
cp_status find_solidity(cp_context *context, const cp_mesh *mesh, enum solidity *solidity);

#endif
