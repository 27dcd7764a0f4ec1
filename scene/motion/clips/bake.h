/* Clips for formats that know neither attachments nor formulas. */
#ifndef CELLPIPE_BAKE_H
#define CELLPIPE_BAKE_H

#include "play.h"

struct baked_clip {
    cp_clip clip;           /* its memory is that of the scene `work` */
    uint64_t sheared, flat; /* poses that are no translation, rotation and scale; that a flat frame cannot hold */
};

struct bake_limits {
    double tolerance;    /* metres, above 0 */
    double size;         /* metres: of the scene, for joints that turn or stretch */
    const bool *sampled; /* as mark_sampled says, for a clip of many to cost no more than itself; or NULL */
};

/* sampled[joint count]: joints whose tracks are baked, or those of a joint that follows. False when out of memory. */
bool mark_sampled(const cp_mechanism *mechanism, bool *sampled);

/* The clip without attachments and formulas. A node that hangs elsewhere for a time has tracks in the frame of its own
 * parent, along the same way through the world (none of its scale when that stays). Nodes with kept[node] keep their
 * attachments; kept may be NULL. Joints with an expression have tracks of their own (CP_PATH_JOINT, though they are
 * dependent); joints with a master have none. The clip's own tracks stay, but for those that say nothing: on joints
 * that follow others, and all but the first of one thing. Between its keys nothing that is baked is farther off than
 * the tolerance: of a node the corners of the box around what is below it, of a joint what is `size` away, looked at in
 * four places between moments. A joint that loops determine has a track in place of its own. CP_LIMIT when
 * out of memory; CP_NO, with an entry in the report, when a loop does not close at some time. */
cp_status clip_bake(cp_scene *work, const cp_scene *scene, const cp_clip *clip, const bool *kept,
                    const struct bake_limits *limits, struct baked_clip *baked);

#endif
