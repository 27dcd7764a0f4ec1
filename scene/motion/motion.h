/* Joints in motion: what exporters and clips need beyond cp_world_poses. */
#ifndef CELLPIPE_MOTION_H
#define CELLPIPE_MOTION_H

#include "../build.h"

/* A joint's way through its limits: home -> lower -> upper -> home, at constant speed, in about 4 seconds.
 * Unlimited revolute joints go through +-180 degrees around home, unlimited prismatic ones through half of `diagonal` (the
 * scene's, metres) each way; scale joints without limits through half and double size. */
enum { SWEEP_KEYS = 4 };
struct sweep {
    double times[SWEEP_KEYS]; /* seconds, strictly ascending from 0 */
    double values[SWEEP_KEYS];
};
/* False when the joint has nothing to sweep: fixed, not driven, dependent, or lower = home = upper. Equal neighbours
 * (home at a limit) are kept apart in time by at least 0.5 s, so the keys always ascend. */
bool joint_sweep(const cp_joint *joint, double diagonal, struct sweep *sweep);

/* The value of a joint's expression, from those of the joints that it is over; 0 where it is not defined. */
typedef double joint_value(const void *user, uint32_t joint);
double expression_value(const cp_expression *expression, joint_value *value, const void *user);

/* How many joints that move have an expression. */
uint32_t count_expressions(const cp_scene *scene);

/* The local pose of a node at joint values q (NULL: current): local, then its joints. */
cp_pose node_pose(const cp_scene *scene, uint32_t node, const double *q);
/* The joints whose value the driven joint decides, itself first: indices into `joints` (room for all joints of the
 * scene); returns how many. */
uint32_t joint_followers(const cp_scene *scene, uint32_t joint, uint32_t *joints);

/* heads[node] for each node: the topmost frame that it can never move against. A joint that moves, a movable or attachable
 * flag and a track of a clip make a frame the head of a new link; fixed joints do not. */
void scene_find_links(const cp_scene *scene, uint32_t *heads);

#endif
