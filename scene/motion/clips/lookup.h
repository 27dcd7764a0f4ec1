/* Where single nodes and joints are at moments of a clip, in any order of time. The cost depends on what is above a
 * node alone, and not on the size of the scene. For a whole scene at a time see play.h. */
#ifndef CELLPIPE_LOOKUP_H
#define CELLPIPE_LOOKUP_H

#include "../../pose.h"
#include "../motion.h"

/* Indices of tracks or attachments by what they are of: those of i are items[ends[i - 1]] .. items[ends[i] - 1], of 0
 * from 0 on, in the clip's order. */
struct by_target {
    uint32_t *ends, *items;
    uint32_t count, target_count;
};
static inline uint32_t first_of(const struct by_target *list, uint32_t target)
{
    return target > 0 ? list->ends[target - 1] : 0;
}

struct clip_lookup {
    cp_context *context;
    const cp_scene *scene;
    const cp_clip *clip;
    struct by_target node_tracks, joint_tracks, attachments;
    cp_mechanism mechanism;
    double *group_times; /* of groups of loops: the time at which they are; NAN before the first */
};

/* Call lookup_free even on failure. The scene must not change meanwhile. */
cp_status lookup_start(struct clip_lookup *lookup, cp_context *context, const cp_scene *scene, const cp_clip *clip);
void lookup_free(struct clip_lookup *lookup);

/* Tells whether loops can be followed from the clip's first moment to its last: CP_NO, without an entry in the report,
 * if they cannot. */
cp_status clip_closes(cp_context *context, const cp_scene *scene, const cp_clip *clip);

/* Of dependent joints, and of those that loops determine, too. */
double lookup_joint(struct clip_lookup *lookup, uint32_t joint, double time);
uint32_t lookup_parent(const struct clip_lookup *lookup, uint32_t node, double time);
/* In its parent's frame, without its joints. */
cp_pose lookup_local(const struct clip_lookup *lookup, uint32_t node, double time);
/* The same with its joints. */
cp_pose lookup_pose(struct clip_lookup *lookup, uint32_t node, double time);
cp_pose lookup_world(struct clip_lookup *lookup, uint32_t node, double time);

#endif
