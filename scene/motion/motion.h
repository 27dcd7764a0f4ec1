/* Joints in motion: values of all joints, poses of all frames, sweeps. */
#ifndef CELLPIPE_MOTION_MOTION_H
#define CELLPIPE_MOTION_MOTION_H

#include "model/model.h"

/* The joints of a scene, compiled once: q -> values of all joints -> poses of all nodes. */

/* The law of a joint: its value is scale * (that of the joint `leader`) + offset. A joint without a master is its own
 * leader, with scale 1 and offset 0; so is one with a formula, for callers that set its values. */
struct joint_law {
    uint32_t leader;
    double scale, offset;
};
static inline struct joint_law joint_law(const cp_joint *joints, uint32_t joint)
{
    const cp_joint *it = &joints[joint];
    return it->master == CP_NONE ? (struct joint_law){joint, 1, 0}
                                 : (struct joint_law){it->master, it->scale, it->offset};
}

/* Tells whether the joint takes the value at which loops close: it is neither driven nor dependent, and equal limits do
 * not hold it. */
static inline bool joint_is_free(const cp_joint *joint)
{
    return joint->type != CP_JOINT_FIXED && !joint->driven && !cp_joint_is_dependent(joint) &&
           joint->lower < joint->upper;
}

/* A joint, compiled. One with a formula has the value scale * (that of the steps) + offset, and no leader. */
struct mechanism_joint {
    struct joint_law law;
    uint32_t first_step, step_count; /* the inputs are joints */
};

/* A loop that does not close, or cannot be followed. */
struct open_loop {
    uint32_t loop;
    double gap, angle; /* metres, radians; both 0: it closes there, perhaps in another assembly */
    uint32_t joint;    /* the driven joint that moved most, where loops could not be followed any further; or CP_NONE */
    double value;      /* of the joint there */
    bool alone;        /* no other driven joint of the loop moved */
    double way;        /* radians or sizes of the loop, if that is more than the limit; else 0 */
    bool ran_out;      /* the steps of the limit ended there */
};

struct closure;
struct cp_mechanism {
    cp_context *context;
    struct arena *arena; /* of all arrays but the steps */
    const cp_scene *scene;
    struct mechanism_joint *joints;
    struct expression_step *steps;
    double *values;          /* a value for each joint: at the q that was set last; at first the scene's own */
    double *q;               /* scratch of its user: a value for each joint; at first the scene's own */
    cp_pose *motions;        /* scratch */
    struct closure *closure; /* NULL: the scene has no loops */
    struct open_loop open;   /* the worst one, after CP_NO */
    uint32_t joint_count, step_count, step_room;
};

/* Compiles the joints. CP_LIMIT when out of memory; CP_NO, with an entry in the report, when a loop does not close near
 * the scene's own values (then all functions but those for poses can be used); CP_BUG, with an entry in the report,
 * when a joint follows none, or one that follows another, or by no formula. Call mechanism_close even on failure. The
 * scene must not change meanwhile. */
cp_status mechanism_open(cp_mechanism *mechanism, cp_context *context, const cp_scene *scene);
void mechanism_close(cp_mechanism *mechanism);

/* Sets mechanism->values to those at q[joint count], which is another array; NULL: the scene's own. With loops, free
 * joints go from the values that they have, on the same branch, to those that close the loops; their values in q count
 * only for the loops' first pose (NULL). CP_NO when a loop does not close: mechanism->open names it, the values of its
 * joints stay where it did close, and mechanism_report_open reports it. */
cp_status mechanism_values(cp_mechanism *mechanism, const double *q);
cp_status mechanism_report_open(const cp_mechanism *mechanism);
/* Returns the value of one joint at q. Reads only the values that the joint follows. */
static inline double mechanism_value(const cp_mechanism *mechanism, uint32_t joint, const double *q)
{
    const struct mechanism_joint *it = &mechanism->joints[joint];
    if (it->law.leader == joint)
        return q[joint];
    double value;
    if (it->law.leader != CP_NONE)
        value = q[it->law.leader];
    else /* 0 where it is not defined */
        (void)expression_run(mechanism->steps + it->first_step, it->step_count, q, &value);
    return it->law.scale * value + it->law.offset;
}

/* Does the same, but with loops: a joint that loops determine is solved for, on the branch where its group of loops
 * closed last. If that fails, the joint stays, and mechanism_failed is true from then on. */
double mechanism_find_value(const cp_mechanism *mechanism, uint32_t joint, const double *q);
/* Returns the group of loops that determines the joint, or what it follows; CP_NONE: none does. */
uint32_t mechanism_group(const cp_mechanism *mechanism, uint32_t joint);
/* Tells whether loops determine the joint's value. */
bool mechanism_closes(const cp_mechanism *mechanism, uint32_t joint);
bool mechanism_failed(const cp_mechanism *mechanism);
/* Returns the joints that determine the joint's value: the driven joints of its loops, if it follows a free joint; else
 * the inputs of its formula, its master, or itself. */
const uint32_t *mechanism_inputs(const cp_mechanism *mechanism, uint32_t joint, uint32_t *count);
/* Tells whether the joint's value is no linear function of another's: it has a formula, or loops determine it. */
bool mechanism_samples(const cp_mechanism *mechanism, uint32_t joint);

/* Does the same as cp_world_poses, but within a call that has begun. */
cp_status scene_world_poses(cp_context *context, const cp_scene *scene, const double *q, cp_pose *worlds);
/* Returns the pose of a node in its parent's frame: `local`, then its joints at mechanism->values. */
cp_pose node_pose(const cp_mechanism *mechanism, uint32_t node, const cp_pose *local);

/* The joints that follow another, free ones of loops included. The followers of joint i, in their order, are
 * joints[ends[i - 1]] .. joints[ends[i] - 1]; those of the first one begin at 0. */
struct followers {
    cp_context *context;
    uint32_t *ends, *joints, joint_count, count;
};
/* Returns false if out of memory. Call free_followers even on failure. */
bool list_followers(const cp_mechanism *mechanism, struct followers *followers);
void free_followers(struct followers *followers);
static inline uint32_t first_follower(const struct followers *followers, uint32_t joint)
{
    return joint > 0 ? followers->ends[joint - 1] : 0;
}

/* Joints in motion: what exporters and clips need beyond cp_world_poses. */

/* A joint's way through its limits: home -> lower -> upper -> home, at constant speed, in about 4 seconds.
 * Unlimited revolute joints go through +-180 degrees around home, unlimited prismatic ones through half of `diagonal`
 * (the scene's, metres) each way; scale joints without limits through half and double size. */
enum { SWEEP_KEYS = 4 };
struct sweep {
    double times[SWEEP_KEYS]; /* seconds, strictly ascending from 0 */
    double values[SWEEP_KEYS];
};
/* Finds a joint's sweep. False when it has none: fixed, not driven, dependent, or lower = home = upper. Equal
 * neighbours (home at a limit) are kept apart in time by at least 0.5 s, so the keys always ascend. */
bool joint_sweep(const cp_joint *joint, double diagonal, struct sweep *sweep);

/* Does the same for a joint of a mechanism, but goes no farther than loops close. */
bool mechanism_sweep(cp_mechanism *mechanism, uint32_t joint, double diagonal, struct sweep *sweep);

struct growing_track;
/* Adds the keys (CP_PATH_JOINT) of a joint that follows a swept one by an expression or by loops, while the others stay
 * as they are. Between the keys a straight line is nowhere farther off than the track's tolerance, which must be above
 * 0; four places of each piece are tested. mechanism->q stays the same. False when out of memory. */
bool sweep_expression(cp_mechanism *mechanism, uint32_t driver, uint32_t joint, const struct sweep *sweep,
                      struct growing_track *track);

/* Keeps the nodes with keep[node] (the world always), and what depends on them alone. A kept node whose parent is
 * removed becomes a child of the nearest kept one; its local is multiplied by the current poses of those between. */
cp_status scene_keep(cp_scene *scene, const bool *keep);

#endif
