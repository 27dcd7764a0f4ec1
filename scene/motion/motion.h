/* Joints in motion: what exporters and clips need beyond cp_world_poses. */
#ifndef CELLPIPE_MOTION_H
#define CELLPIPE_MOTION_H

#include "mechanism.h"

/* A joint's way through its limits: home -> lower -> upper -> home, at constant speed, in about 4 seconds.
 * Unlimited revolute joints go through +-180 degrees around home, unlimited prismatic ones through half of `diagonal`
 * (the scene's, metres) each way; scale joints without limits through half and double size. */
enum { SWEEP_KEYS = 4 };
struct sweep {
    double times[SWEEP_KEYS]; /* seconds, strictly ascending from 0 */
    double values[SWEEP_KEYS];
};
/* False when the joint has nothing to sweep: fixed, not driven, dependent, or lower = home = upper. Equal neighbours
 * (home at a limit) are kept apart in time by at least 0.5 s, so the keys always ascend. */
bool joint_sweep(const cp_joint *joint, double diagonal, struct sweep *sweep);

/* The same for a joint of a mechanism: no farther than loops close. */
bool mechanism_sweep(cp_mechanism *mechanism, uint32_t joint, double diagonal, struct sweep *sweep);

struct growing_track;
/* What an expression, or the closing of loops, makes of the sweep of a joint that it is over, the others being as they
 * are now: keys in time (CP_PATH_JOINT), between which the straight way is nowhere further off than the track's
 * tolerance, above 0. Looked at in four places of each way. mechanism->q is as it was. False when out of memory. */
bool sweep_expression(cp_mechanism *mechanism, uint32_t driver, uint32_t joint, const struct sweep *sweep,
                      struct growing_track *track);

/* Hangs a node on a host in the tree that parents[node count] tells (CP_NONE for the world's). False, with nothing
 * done, when the host is the node, hangs on it, or lies deeper than a scene's limit of depth; or when the node is the
 * world. */
bool attach_node(const cp_context *context, uint32_t *parents, uint32_t node, uint32_t host);

/* heads[node] for each node: the topmost frame that it can never move against. A joint that moves, a movable or
 * attachable flag and a track of a clip make a frame the head of a new link; fixed joints do not. */
void scene_find_links(const cp_scene *scene, uint32_t *heads);

#endif
