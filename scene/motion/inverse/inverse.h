/* Inverse kinematics: finds the joint values at which a frame has a wanted pose. */
#ifndef CELLPIPE_MOTION_INVERSE_INVERSE_H
#define CELLPIPE_MOTION_INVERSE_INVERSE_H

#include "motion/loops/loops.h"

enum inverse_method { INVERSE_NUMERIC, INVERSE_ARM, INVERSE_ACTUATORS, INVERSE_ROUTINE };

/* At most so many postures are returned; a closed form has no more. */
enum { MOST_POSTURES = 256 };

/* The joints that move the target: its place, and R = Rz(roll) Ry(pitch) Rx(yaw). Joints of rows that are not asked for
 * are free. */
enum { TARGET_JOINTS = 6 };

struct cp_inverse {
    cp_context *context;
    const cp_scene *scene;
    cp_reach reach;
    cp_scene *closed; /* a copy of the scene: the device's joints are free, and a loop joins the frame with a target */
    cp_mechanism mechanism; /* of that */
    cp_pose
        reference_from_in; /* for a routine: it sees the target from the frame `in`, or else from the device's base */
    uint32_t target;       /* the first of the target's joints */
    uint32_t group;        /* of the closure: of the target's loop */
    uint32_t *unknown;     /* the device's joints in it, in its order */
    uint32_t unknown_count;
    bool *winds; /* indexed by joint: whole turns change nothing, since it turns and no other joint follows it */
    enum inverse_method method;
    double *start;        /* indexed by joint: the pose to start from, and the target */
    double *candidate;    /* of unknown joints: scratch */
    struct arena *arena;  /* of the arrays above */
    struct arena *result; /* of what follows, until the next call */
    cp_posture *postures;
    uint32_t posture_count;
    struct open_loop nearest; /* the loop that came nearest, if none closed */
};

/* Finds all postures: inverse->postures. CP_NO if there is none, with inverse->nearest; only the user's routine reports
 * something. */
cp_status inverse_find(struct cp_inverse *inverse, const cp_pose *target);

/* Sets the device to q[joint count of the scene], a pose that closes, and the target to where the frame is then. */
cp_status inverse_start(struct cp_inverse *inverse, const double *q);
/* Moves the joints so that the frame gets to a target near it, on the same branch: mechanism.values has them. CP_NO if
 * they cannot; then they stay. */
cp_status inverse_follow(struct cp_inverse *inverse, const cp_pose *target);

/* Closes the target's loop, starting from the candidate. CP_NO if it does not close. */
cp_status inverse_close(struct cp_inverse *inverse);
/* Adds the posture of mechanism.values, unless it is there already. off: the error of its joints. */
cp_status inverse_add(struct cp_inverse *inverse, uint32_t number, double off);
/* Both. */
cp_status inverse_try(struct cp_inverse *inverse, uint32_t number);

/* Solves cosine * cos(q) + sine * sin(q) = constant: *q = the middle + side * an angle of 0 to 180 degrees, so that the
 * left side falls (side 1) or rises (side -1) with q there. If any q is a solution, *q becomes `kept`. False if there
 * is none. */
bool solve_turn(double cosine, double sine, double constant, int side, double kept, double *q);

/* arm.c: six joints that turn, of which the second and the third are parallel and the last three meet in a point. */
bool is_arm(const struct cp_inverse *inverse);
cp_status try_arm(struct cp_inverse *inverse);
/* actuators.c: joints that each carry one end of a link of fixed length, whose other end is on the frame's body. */
bool has_actuators(const struct cp_inverse *inverse);
cp_status try_actuators(struct cp_inverse *inverse);
/* routine.c: a function of the user's. Reports why there is no posture. */
cp_status try_routine(struct cp_inverse *inverse, const cp_pose *target);

#endif
