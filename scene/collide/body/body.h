/* Bodies: the collision geometry of frames, and whether and how near two meet. */
#ifndef CELLPIPE_COLLIDE_BODY_BODY_H
#define CELLPIPE_COLLIDE_BODY_BODY_H

#include "collide/hull/hull.h"
#include "collide/surface/surface.h"
#include "model/model.h"

/* Bodies: the collision geometry of each frame, as triangles in that frame. */

struct body {
    uint32_t node;
    struct bvh bvh; /* the triangles of all meshes of the frame that collide; primitives as they are tessellated,
                       without rounding */
    uint32_t solid_vertices; /* the first ones: of meshes that are closed and wound alike, and so have an inside */
    uint32_t *solid_ends;    /* the end of each of these meshes among the vertices */
    uint32_t solid_count, solid_room;
    uint32_t vertex_room, triangle_room;
    uint32_t open_meshes; /* meshes that are not solid: only their surface collides */
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

/* Tells whether the instance is part of a body. */
bool instance_collides(const cp_scene *scene, const cp_instance *instance);
/* Finds all frames with collision geometry, without placeholders, in their order. Call bodies_free even on failure. */
cp_status bodies_find(struct bodies *bodies, cp_context *context, const cp_scene *scene);
void bodies_free(struct bodies *bodies);

/* Finds the hulls of all bodies, which proofs need. CP_LIMIT without memory. */
cp_status bodies_find_hulls(struct bodies *bodies);

static inline struct convex body_hull(const struct body *body)
{
    return hull_convex(&body->hull);
}

/* The largest coordinate in a body's frame, and the largest number of a pose of one body seen from another. Products of
 * two such numbers are lengths for which the predicates are exact. */
#define MOST_REACH 1e45
/* Tells whether all values are at most MOST_REACH in size: NaN and infinity are not. */
bool are_within_reach(const double *values, int count);

/* Returns true if the body has no face at all. */
static inline bool body_is_empty(const struct body *body)
{
    return body->bvh.triangle_count == 0 && body->plane_count == 0;
}

/* Tells whether two bodies cannot be compared: one has no faces, or both consist of planes only. */
static inline bool bodies_incomparable(const struct body *const bodies[2])
{
    return body_is_empty(bodies[0]) || body_is_empty(bodies[1]) ||
           (bodies[0]->bvh.triangle_count == 0 && bodies[1]->bvh.triangle_count == 0);
}

/* Returns false if a coordinate of a vertex or plane is NaN or larger than MOST_REACH. */
bool body_is_within_reach(const struct body *body);
/* Returns false if all its faces are lines and points. */
bool body_has_area(const struct body *body);

/* Returns true if the point, which lies on none of its surfaces, is inside a solid of the body. A mesh that crosses
 * itself may go round the point the wrong way, so that nobody knows; with `certain` that counts as outside. */
bool body_holds(const struct body *body, const double point[3], bool certain);
/* Returns true if the bodies have a point in common: surfaces that meet, or a piece within a solid of the other.
 * `placed` takes the other's frame to the first one's. Two planes alone never meet. tests: grows by the boxes that were
 * compared. */
bool bodies_meet(const struct body *one, const struct body *other, const cp_pose *placed, uint64_t *tests);
/* Tells whether a piece of one, whose surfaces do not meet the other's, is inside a solid of the other. tests: as
 * above. */
bool bodies_contain(const struct body *one, const struct body *other, const cp_pose *placed, uint64_t *tests);

/* Bodies at a moment, and how near they are to each other in the world. */

struct placed {
    const struct body *body;
    const cp_pose *world; /* of its frame; the caller's */
    cp_pose inverse;      /* where it has one */
    bool is_invertible;
    double scale; /* the factor by which the pose stretches all directions alike; 0 when it does not */
};

/* Places a body by a pose, `world`, which must exist as long as `placed` is used. */
void place_body(struct placed *placed, const struct body *body, const cp_pose *world);
/* Finds the box along the world's axes that holds a box of the body. */
void placed_box(const struct placed *placed, const struct bvh_box *box, double centre[3], double half[3]);
/* Returns the distance of two bodies in metres, up to rounding: 0 if they meet, or one is in a solid of the other. If
 * it is more than `most`, or the bodies cannot be compared (as two planes), some value above `most`. */
double bodies_distance(const struct placed *one, const struct placed *other, double most);

/* Has what a mesh bounds an inside? */

enum solidity { UNKNOWN, SOLID, OPEN };

/* SOLID: closed, and wound alike throughout, with cavities wound against the shells around them. So the faces as a
 * whole go once round each point inside. */
cp_status find_solidity(cp_context *context, const cp_mesh *mesh, enum solidity *solidity);

#endif
