/* The cell that is shown: its scene, where its joints are, and what is near what. It belongs to one thread and to its
 * context. */
#ifndef CELLPIPE_LIVE_CELL_H
#define CELLPIPE_LIVE_CELL_H

#include "cellpipe_tool.h"

/* Two bodies that would touch, or are near. Names and ids belong to the scene. */
struct near_pair {
    const char *first, *second, *first_id, *second_id;
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
    uint32_t away_count;   /* nodes that somebody else tells to be elsewhere: cell_put */
    struct carried {
        uint32_t carrier;   /* what seems to hold it; CP_NONE: nothing */
        cp_pose grip, tool; /* the place in the tool that it keeps, and where the tool was when it began to */
    } * carried;            /* one for each node */
    double *trial;          /* room for values that are tried, and for poses */
    cp_pose *trial_worlds, *by_tree;
    struct resting_pair { /* pairs that rest as long as they do not move against each other */
        uint32_t first, second;
        cp_pose between; /* the second one's pose in the frame of the first one */
    } * resting;
    uint32_t resting_count, resting_room, first_resting; /* the first ones rest as the cell has them */
    struct near_pair *near;                              /* the list of cell_near */
    cp_contact *tried;                                   /* those of cell_try */
    uint32_t near_room, tried_room;
};

/* Returns the pose of one frame in another, which is not scaled. */
cp_pose cell_between(const cp_pose *a, const cp_pose *b);
/* Tells whether two poses are the same, but for rounding. */
bool cell_is_same(const cp_pose *a, const cp_pose *b);
/* Writes an error of a program with its line, if it has one. */
void cell_say_error(const cp_entry *entry, char *text, size_t size);

/* Takes over the scene, which cell_close frees, and computes where all is. */
cp_status cell_open(cp_context *context, cp_scene *scene, struct cell *cell);
void cell_close(struct cell *cell);
/* Returns the joint of that name or id that is set from outside, or CP_NONE. */
uint32_t cell_joint(const struct cell *cell, const char *name);
/* Returns how far a joint goes at most between two looks at whether anything touches, in radians or metres. */
double cell_stride(const cp_joint *joint);
/* Returns the first joint that these values take beyond a limit, or CP_NONE. Those that follow others do not count, nor
 * does one that is beyond already, as in some models, and comes no farther. */
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
/* Somebody else tells where a node is in the world; NULL: where the scene has it. It is there once the cell goes
 * somewhere, and stays until more is told. */
void cell_put(struct cell *cell, uint32_t node, const cp_pose *world);
/* Like cell_go, of a cell that others move. What was put elsewhere and keeps its place in the tool while that moves is
 * held by it: it moves along in all that is tried. */
cp_status cell_follow(struct cell *cell, const double *q, uint32_t tool);
/* The nodes that are not where the scene has them, and what each hangs on; for a cell of the same scene. */
struct placed {
    uint32_t node, host;
    cp_pose place; /* in the host */
};
uint32_t cell_list_placed(const struct cell *cell, struct placed *list);
cp_status cell_set_placed(struct cell *cell, const struct placed *list, uint32_t count);
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
