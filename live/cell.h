/* The cell that is shown: its scene, where its joints are, and what is near what. It belongs to one thread and to its
 * context. */
#ifndef CELLPIPE_LIVE_CELL_H
#define CELLPIPE_LIVE_CELL_H

#include "cellpipe_tool.h"

/* Two bodies that would touch, or are near: their ids, which belong to the scene. */
struct near_pair {
    const char *first, *second;
    double distance; /* metres; 0: they touch */
};

struct cell {
    cp_context *context;
    cp_scene *scene;
    struct arena *arena;
    const cp_joint *joints;
    const cp_node *nodes;
    uint32_t joint_count, node_count;
    uint32_t *shown; /* joints that are set from outside, in the order of the scene: messages name them in this order */
    uint32_t shown_count;
    cp_mechanism *mechanism;
    cp_collider *collider; /* NULL: no pair can touch */
    double *q;             /* present values of all joints */
    cp_pose *worlds;       /* the present poses of all nodes */
    uint32_t *hosts;       /* a program has hung a node on this one, 0 being the world; CP_NONE: the scene says it */
    cp_pose *places;       /* the poses of such nodes in their hosts */
    double *trial;         /* room for values that are tried, and for poses */
    cp_pose *trial_worlds, *by_tree;
    struct resting_pair { /* pairs that rest as long as they do not move against each other */
        uint32_t first, second;
        cp_pose between; /* the second one's pose in the frame of the first one */
    } * resting;
    uint32_t resting_count, resting_room;
    struct near_pair *near; /* the list of cell_near */
    cp_contact *tried;      /* those of cell_try */
    uint32_t near_room, tried_room;
};

/* Takes over the scene, which cell_close frees, and computes where all is. */
cp_status cell_open(cp_context *context, cp_scene *scene, struct cell *cell);
void cell_close(struct cell *cell);
/* Returns the joint of that name or id that is set from outside, or CP_NONE. */
uint32_t cell_joint(const struct cell *cell, const char *name);
/* Returns the first joint that these values take beyond a limit, or CP_NONE. */
uint32_t cell_beyond(const struct cell *cell, const double *q);
/* Goes to these values of all joints. CP_NO if its loops do not close there: nothing changes then. */
cp_status cell_go(struct cell *cell, const double *q);
/* Takes values and poses from elsewhere: a program that holds parts. */
void cell_take(struct cell *cell, const double *q, const cp_pose *worlds);
/* Returns the pose of one node in the frame of another. */
cp_pose cell_relative(const struct cell *cell, uint32_t node, uint32_t other);
/* Hangs a node on a host where it is now: what moves with the host holds it, and it moves along. Host 0 is the world:
 * the node is let go, and rests where it is. */
cp_status cell_hold(struct cell *cell, uint32_t node, uint32_t host);
bool cell_is_held(const struct cell *cell, uint32_t node);
/* All nodes hang again where the scene has them. */
void cell_forget_places(struct cell *cell);
/* Lists the pairs at most `clearance` metres apart, but for those that may touch: what is held and what holds it, with
 * one joint between at most; and what rests, because it touched at first, or when it was let go, and has not moved
 * against the other since. The list is valid until the next call. */
cp_status cell_near(struct cell *cell, double clearance, const struct near_pair **pairs, uint32_t *count);
/* Tries values of all joints: CP_OK if no pair touches there that does not touch now; CP_NO if one does, and `pair`
 * says which, or if the loops do not close there, and its first name is NULL. Nothing that is held counts. */
cp_status cell_try(struct cell *cell, const double *q, struct near_pair *pair);

#endif
