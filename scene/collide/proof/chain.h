/* The joints between two frames, and values of joints at random. */
#ifndef CELLPIPE_COLLIDE_PROOF_CHAIN_H
#define CELLPIPE_COLLIDE_PROOF_CHAIN_H

#include <stdint.h>

#include "model/model.h"

/* The way between two frames: its joints, and the values that move them. */

/* A joint on the way, in the frame behind the joint before it. */
struct chain_motion {
    cp_pose before; /* the fixed pose between the two */
    uint32_t joint, variable;
    double scale, offset; /* its value is scale * variable + offset */
};

struct variable {
    uint32_t joint; /* the driven one */
    double lower, upper;
    bool repeats; /* after a whole turn all that it moves is at the same place */
};

/* The way from the nearest common ancestor to a frame. */
struct branch {
    struct chain_motion *motions;
    uint32_t count;
    cp_pose end; /* the fixed pose behind the last motion */
};

/* Reasons why a proof does not cover all that may happen between the frames; several may hold. */
enum obstacle {
    OBSTACLE_MOVABLE = 1,    /* a frame that may be moved, or hung elsewhere; an end that is volatile */
    OBSTACLE_EXPRESSION = 2, /* a joint that slides by a formula */
    OBSTACLE_SCALE = 4,      /* a joint that scales */
    OBSTACLE_UNLIMITED =
        8, /* a joint that slides without limits, or turns too far: samples do not cover all that it does either */
    OBSTACLE_STRETCHED =
        16,           /* a frame that is scaled or sheared, with joints behind it, or an axis that is no unit vector */
    OBSTACLE_FAR = 32 /* a way that is longer than MOST_WAY */
};

/* Metres. Rounding on a way of this length stays below a hundredth of the usual touch; on longer ways digits are
 * lost. */
#define MOST_WAY 1e7

/* Six digits of a number in a file leave a stretch of about 1e-6, so a stretch above this is meant. */
#define MOST_STRETCH 1e-4

/* The sum of what the frames from the root down to a node, the node among them, do to all below it. */
struct frame {
    double size;    /* metres per unit of the node's own frame */
    double stretch; /* as in struct frame_chain */
    bool scales;    /* by a joint */
    uint32_t joints, levels;
};

struct frame_chain {
    struct arena *arena; /* of all arrays but movables */
    const cp_scene *scene;
    struct frame *frames; /* of the nodes */
    const bool *movables; /* of the nodes: see find_movables */
    struct branch branches[2];
    struct chain_motion *motions; /* motions of both branches; there is room for `most` */
    struct variable *variables;
    uint32_t *numbers; /* indexed by joint: that of the variable, or CP_NONE */
    uint32_t *nodes;   /* on the way to a frame; there is room for `levels` */
    uint32_t most, levels;
    uint32_t motion_count, variable_count;
    bool moves;    /* not static: a joint of any kind, a movable or attachable frame lies between */
    bool movable;  /* a movable or attachable frame does */
    bool is_loose; /* a variable is a joint that turns by a formula, which may never take some of the values */
    uint32_t obstacles;
    double way;              /* metres: the way from one frame to the other past all joints is at most as long */
    double unit, first_unit; /* metres per unit of the common ancestor's frame, and of the first frame's */
    double stretch; /* a step in the frame of any of the motions is at most 1 + stretch times as long in the common
                     * ancestor's, and turned by less than `stretch`: 0, but for rounding in files */
};

/* The similarity (a turn, a move and one scale for all directions) that is next to a pose. stretch: the largest entry
 * of R' R / size^2 - 1, which is 0 for a similarity; infinite where sizes are no usual numbers. */
struct similarity {
    double size, stretch;
};
struct similarity similarity_of(const cp_pose *pose);
/* False for an axis that is a little longer or shorter than 1: a turn about it stretches. */
bool has_unit_axis(const cp_joint *joint);

/* Finds the values that a joint may have: those within its limits. A joint that nothing drives, and that follows
 * nothing, may also stay at its present value; if its limits leave it no room, it has that value alone. */
void joint_reach(const cp_joint *joint, double *lower, double *upper);
/* Marks the nodes that may be moved, or hung elsewhere: movable and attachable ones, and those that a clip moves
 * without a joint. marks: one for each node. */
void find_movables(const cp_scene *scene, bool *marks);

/* Makes room for the chain between any two frames of the scene. False when out of memory; call chain_close even on
 * failure. */
bool chain_open(struct frame_chain *chain, cp_context *context, const cp_scene *scene, const bool *movables);
void chain_close(struct frame_chain *chain);
/* Finds the chain between two frames, without what lies above both. A revolute joint without limits turns half a turn
 * each way from zero. One with more than a turn between its limits is cut to the turn nearest to zero, unless what
 * follows it is elsewhere after a turn. */
void chain_find(struct frame_chain *chain, uint32_t one, uint32_t other);

/* Returns the motion at a place of the way from the first frame to the second: the first branch from its end, then the
 * second from its start. */
static inline uint32_t motion_on_way(const struct frame_chain *chain, uint32_t place)
{
    uint32_t first = chain->branches[0].count;
    return place < first ? first - 1 - place : place;
}

/* Finds the pose of each motion's joint before the joint moves (poses[branch count]), and that of the frame at the end,
 * all in the common ancestor's frame. values: one for each variable. poses may be NULL. */
void branch_poses(const struct frame_chain *chain, int branch, const double *values, cp_pose *poses, cp_pose *end);
/* Finds the axis of a motion's joint, and a point on it, by its pose in the ancestor's frame. The axis is as long as a
 * step of 1 along it is there. */
void motion_axis(const struct frame_chain *chain, const struct chain_motion *motion, const cp_pose *pose,
                 double axis[3], double origin[3]);

/* Joints that stand, or are moved by a clip, where no proof looks. */

/* Warns ("exclude-outside") of each joint outside its limits, as it stands and in the course of each clip. */
void report_outside(cp_context *context, const cp_scene *scene);

/* Random numbers that depend on nothing but a key and a place. */

/* The number at a place of the key's sequence, 0 .. 1: splitmix64 (Steele, Lea and Flood, 2014) of a counter. */
static inline double random_at(uint64_t key, uint64_t place)
{
    uint64_t bits = key + (place + 1) * UINT64_C(0x9e3779b97f4a7c15);
    bits = (bits ^ bits >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    bits = (bits ^ bits >> 27) * UINT64_C(0x94d049bb133111eb);
    return (double)((bits ^ bits >> 31) >> 11) * 0x1p-53;
}

#endif
