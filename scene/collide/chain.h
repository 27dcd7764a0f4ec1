/* What lies between two frames: joints, and the values that move them. */
#ifndef CELLPIPE_CHAIN_H
#define CELLPIPE_CHAIN_H

#include "../build.h"
#include "../pose.h"

/* A joint on the way, in the frame behind the one before it. */
struct motion {
    cp_pose before; /* what is fixed between the two */
    uint32_t joint, variable;
    double scale, offset; /* its value is scale * variable + offset */
};

struct variable {
    uint32_t joint; /* the driven one */
    double lower, upper;
};

/* The way from the nearest common ancestor to a frame. */
struct branch {
    struct motion *motions;
    uint32_t count;
    cp_pose end; /* what is fixed behind the last motion */
};

/* What keeps a proof from covering all that may happen between the frames. */
enum obstacle {
    OBSTACLE_NONE,
    OBSTACLE_MOVABLE,    /* a frame that may be moved, or hung elsewhere */
    OBSTACLE_EXPRESSION, /* a joint that follows a formula */
    OBSTACLE_SCALE,      /* a joint that scales */
    OBSTACLE_UNLIMITED   /* a joint that slides without limits */
};

struct chain {
    cp_context *context;
    const cp_scene *scene;
    struct branch branches[2];
    struct motion *motions; /* of both branches */
    struct variable *variables;
    uint32_t motion_count, variable_count;
    bool moves;   /* not static: a joint of any kind, a movable or attachable frame lies between */
    bool movable; /* a movable or attachable frame lies between */
    enum obstacle obstacle;
};

/* The chain between two frames, other than the ones that lie above both. Revolute joints without limits turn half a turn each way from
 * zero. False when out of memory; chain_free is due in any case. */
bool chain_find(struct chain *chain, cp_context *context, const cp_scene *scene, uint32_t one, uint32_t other);
void chain_free(struct chain *chain);

/* The pose of each motion's joint, before it moves (poses[branch count]), and that of the frame at the end, in the common ancestor's
 * frame. values: of the variables. poses may be NULL. */
void branch_poses(const struct chain *chain, int branch, const double *values, cp_pose *poses, cp_pose *end);
/* The axis of a motion's joint, a unit vector where no pose stretches, and a point on it, from its pose in the ancestor's frame. */
void motion_axis(const struct chain *chain, const struct motion *motion, const cp_pose *pose, double axis[3],
                 double origin[3]);
/* The pose of the other frame in the first one's. */
cp_pose chain_pose(const struct chain *chain, const double *values);

#endif
