/* Inverse kinematics: the joint values at which a frame is where it shall be. */
#ifndef CELLPIPE_MOTION_INVERSE_INVERSE_H
#define CELLPIPE_MOTION_INVERSE_INVERSE_H

#include "motion/loops/loops.h"

enum inverse_method { INVERSE_NUMERIC, INVERSE_ARM, INVERSE_ACTUATORS, INVERSE_ROUTINE };

/* At most so many postures are told; a closed form has no more. */
enum { MOST_POSTURES = 256 };

/* Joints that move the target: its place, and R = Rz(roll) Ry(pitch) Rx(yaw). Those of rows that are not asked for are
 * free. */
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
    bool *winds; /* of joints: whole turns change nothing, since it turns and no other joint follows it */
    enum inverse_method method;
    double *start;        /* of all joints: the pose to start from, and the target */
    double *candidate;    /* of unknown joints: scratch */
    struct arena *arena;  /* of the arrays above */
    struct arena *result; /* of what follows, until the next call */
    cp_posture *postures;
    uint32_t posture_count;
    struct open_loop nearest; /* of all that did not close */
};

/* All postures, in inverse->postures. CP_NO if there is none, with inverse->nearest; nothing is reported but by the
 * user's routine. */
cp_status inverse_find(struct cp_inverse *inverse, const cp_pose *target);

/* From now on the device is at q[joint count of the scene], a pose that closes: the target is where the frame is. */
cp_status inverse_start(struct cp_inverse *inverse, const double *q);
/* The joints follow the frame to a target near it, on the same branch: mechanism.values has them. CP_NO, and they stay,
 * if they cannot. */
cp_status inverse_follow(struct cp_inverse *inverse, const cp_pose *target);

/* Closes the target's loop from the candidate on. CP_NO if it does not close. */
cp_status inverse_close(struct cp_inverse *inverse);
/* Adds the posture of mechanism.values, unless it is there already. off: by how much its joints are off. */
cp_status inverse_add(struct cp_inverse *inverse, uint32_t number, double off);
/* Both. */
cp_status inverse_try(struct cp_inverse *inverse, uint32_t number);

/* Values of cosine * cos(q) + sine * sin(q) = constant: *q = the middle + side * an angle of 0 to 180 degrees, so that
 * the left side falls (side 1) or rises (side -1) with q there. `kept` where any q will do. False if there is none. */
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
