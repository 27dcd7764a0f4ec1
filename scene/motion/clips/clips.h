/* Clips: positions at a time, keys that are thinned, clips that are baked. */
#ifndef CELLPIPE_MOTION_CLIPS_CLIPS_H
#define CELLPIPE_MOTION_CLIPS_CLIPS_H

#include "model/model.h"
#include "motion/motion.h"

/* A whole scene at a moment of a clip: the joints' values, what each node hangs on, and all poses. */

/* A clip that is played. The first of several tracks of one thing counts. The scene must not change meanwhile. */
struct player {
    cp_context *context;
    const cp_scene *scene;
    const cp_clip *clip;
    cp_mechanism mechanism;  /* its values are those of all joints at the present time */
    uint32_t *parents;       /* of each node, now */
    struct trs *parts;       /* private: of nodes with tracks, their locals */
    cp_pose *locals;         /* the pose of each node in its parent's frame, without its joints, at the present time */
    cp_pose *worlds;         /* of each node, now */
    uint32_t next;           /* the first attachment after the present time */
    double time, joint_time; /* joint_time: private, of the last pose in which loops closed */
    bool is_baked;           /* tracks of joints with an expression hold, in its place; may be set after the start */
    bool *known;             /* private: worlds that are computed */
    uint32_t *way;
    struct arena *arena; /* private: of these arrays */
};

/* Prepares the player. Call player_free even on failure. */
cp_status player_start(struct player *player, cp_context *context, const cp_scene *scene, const cp_clip *clip);
/* Sets values, parents, locals and worlds to those of a time. Ascending times cost least. Loops are followed from key
 * to key, so that their assembly at a time does not depend on earlier calls. */
cp_status player_seek(struct player *player, double time);
void player_free(struct player *player);

/* Finds the values of a track at a time, `width` of them; before its first and after its last key those of that key.
 * Rotations turn at a constant speed between keys (slerp, the shorter way round), and are unit quaternions. */
void track_value(const cp_track *track, double time, double *value);
/* Returns the first key's time on the way from one time to another, or `to`. */
double track_stop(const cp_track *track, double from, double to);
/* Returns the number of numbers in a value of the path. */
static inline uint32_t path_width(cp_path path)
{
    static const uint32_t widths[] = {1, 3, 4, 3};
    return widths[path];
}
/* a to b by t = 0 .. 1 */
void rotation_between(const double a[4], const double b[4], double t, double out[4]);

/* Finds the first and the last time of a clip's keys and attachments; both 0 when it has none. */
void clip_range(const cp_clip *clip, double *first, double *last);

/* Sorts times and drops repeats. Returns how many are left. */
size_t sort_times(double *times, size_t count);

/* Poses of single nodes and values of joints at moments of a clip, in any order of time. The cost depends only on what
 * is above a node, not on the size of the scene. For a whole scene at a time see play.h. */

/* Indices of tracks or attachments by their targets: those of i are items[ends[i - 1]] .. items[ends[i] - 1], in the
 * clip's order; those of 0 begin at 0. */
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
    double *group_times; /* the present time of each group of loops; NAN before the first */
};

/* Prepares the lookup. Call lookup_free even on failure. The scene must not change meanwhile. */
cp_status lookup_start(struct clip_lookup *lookup, cp_context *context, const cp_scene *scene, const cp_clip *clip);
void lookup_free(struct clip_lookup *lookup);

/* Tells whether loops can be followed from the clip's first moment to its last: CP_NO, without an entry in the report,
 * if they cannot. */
cp_status clip_closes(cp_context *context, const cp_scene *scene, const cp_clip *clip);

/* Returns the value of any joint, also of one that follows others or that loops determine. */
double lookup_joint(struct clip_lookup *lookup, uint32_t joint, double time);
uint32_t lookup_parent(const struct clip_lookup *lookup, uint32_t node, double time);
/* Returns the node's pose in its parent's frame, without its joints. */
cp_pose lookup_local(const struct clip_lookup *lookup, uint32_t node, double time);
/* Returns the same with its joints. */
cp_pose lookup_pose(struct clip_lookup *lookup, uint32_t node, double time);
cp_pose lookup_world(struct clip_lookup *lookup, uint32_t node, double time);

/* The clip that a user means, and the moments at which it is sampled. */

/* Finds the clip of the name; NULL: the only one, or *clip NULL if there is none. CP_USAGE, reported, if there is no
 * such clip or more than one to choose from. */
cp_status choose_clip(cp_context *context, const cp_scene *scene, const char *name, const cp_clip **clip);
/* Lists the times of all keys and attachments, ascending, each once; or, with a period above 0, times at that distance
 * from the first to the last of them, and the last. One time, 0, for a clip without any, or NULL. The array is the
 * arena's. */
cp_status list_moments(cp_context *context, struct arena *arena, const cp_clip *clip, double period, double **times,
                       size_t *count);
/* Reports a loss of joints' curves, which become straight between moments; with frames, also of frames' curves. */
void report_curves(cp_context *context, const cp_clip *clip, bool frames);
/* Adds the times of all jumps, and the latest time before each, as straight lines between moments would hide them. A
 * jump is a step of a joint's values; with frames, also a step of a frame's values, or a frame that is hung
 * elsewhere. */
cp_status add_jumps(struct arena *arena, const cp_clip *clip, bool frames, double **times, size_t *count);

/* The keys of very many tracks that grow together. They are kept in the order in which they come, and packed, so that
 * no track's array grows. At the end they are dealt out, and hardly ever need more memory than the tracks
 * themselves. */

struct key_block;

/* The name of a key, which is stored as its difference to that of the key before. */
struct key_name {
    uint32_t track, moment;
};

struct key_log {
    cp_context *context;
    struct key_block *first, *last;
    double *moments; /* times of keys; each once, but for a few */
    uint32_t moment_count, moment_room;
    struct key_name latest;
};

/* Adds a key of a track, whose number is the caller's. False when out of memory. */
bool key_log_add(struct key_log *log, uint32_t track, double time, const double *value, uint32_t width);

/* The arrays for the keys of a track; times NULL: they are dropped. */
struct key_target {
    double *times, *values;
    uint32_t width;
};
/* Gives all keys, in their order, to the targets of their tracks (whose pointers run along), and forgets them. */
void key_log_deal(struct key_log *log, struct key_target *targets);
void key_log_free(struct key_log *log);

/* Tracks that grow key by key, and are thinned as they grow. */

/* Keys are samples that were given. In between, the straight way from one key to the next (for rotations the turn at
 * constant speed) is at most `tolerance` off each sample that was left out; 0 keeps all samples.
 *
 * One key, the pivot, is the last one kept. Each further sample allows a cone of ways through the pivot: a later sample
 * may end a straight piece when its way is in the cones of all samples between. So one sample costs the same however
 * long the piece. */
struct growing_track {
    cp_path path;
    double tolerance;    /* unit: that of the values; radians for rotations */
    struct key_log *log; /* where the keys are kept, as those of track `number`; NULL: in times and values */
    uint32_t number;
    double *times, *values;
    uint32_t count, room, value_room; /* count: kept keys */
    double first[4], pivot_time, pivot[4];
    uint64_t samples;
    bool has_last; /* a sample behind the pivot that may become a key */
    double last_time, last[4];
    double low[3], high[3]; /* the cone: values a second, of each of up to 3 numbers */
    bool moves;             /* some sample differs from the first */
};

/* Adds a sample at a time after all others. False when out of memory. */
bool track_add(cp_context *context, struct growing_track *track, double time, const double *value);
/* Makes the last sample a key, from which the track goes on independently. */
bool track_cut(cp_context *context, struct growing_track *track);
/* Returns the latest sample; NULL when there is none. */
const double *track_latest(const struct growing_track *track, double *time);
/* Makes the keys, which are not in a log, a track of the scene, which then owns their memory. */
bool track_finish(cp_scene *scene, struct growing_track *track, uint32_t target, cp_track *made);
void track_free(cp_context *context, struct growing_track *track);

/* Clips for formats that know neither attachments nor formulas. */

struct baked_clip {
    cp_clip clip;           /* its memory is that of the scene `work` */
    uint64_t sheared, flat; /* poses with shear, and poses that a flat frame cannot hold */
};

struct bake_limits {
    double tolerance;    /* metres, above 0 */
    double size;         /* metres: of the scene, for joints that turn or stretch */
    const bool *sampled; /* made by mark_sampled, so that one clip of many costs no more than itself; or NULL */
};

/* Marks sampled[joint count]: joints whose own tracks, or those of a follower, are baked. False when out of memory. */
bool mark_sampled(const cp_mechanism *mechanism, bool *sampled);

/* The clip without attachments and formulas. A node that hangs elsewhere for a time has tracks in the frame of its own
 * parent, along the same way through the world (none of its scale when that stays). Joints with an expression have
 * tracks of their own (CP_PATH_JOINT, though they are dependent); joints with a master have none. The clip's own tracks
 * stay, but for those that say nothing: on joints that follow others, and all but the first of one thing. Between its
 * keys nothing that is baked is farther off than the tolerance: of a node the corners of the box around what is below
 * it, of a joint what is `size` away, looked at in four places between moments. A joint that loops determine has a
 * track in place of its own. CP_LIMIT when out of memory; CP_NO, with an entry in the report, when a loop does not
 * close at some time. */
cp_status clip_bake(cp_scene *work, const cp_scene *scene, const cp_clip *clip, const struct bake_limits *limits,
                    struct baked_clip *baked);

/* Clips with fewer keys. */

/* The sizes by which a scene's clips are compared, the same for all clips. */
struct clip_shape {
    cp_measures *boxes; /* of each node's own meshes */
    double *reaches;    /* indexed by node: the largest distance from its origin of anything that it moves */
    bool *alone;        /* joints that move what hangs on their node and nothing else, and that no scale enlarges */
};
/* Memory is that of `work`. */
cp_status clip_shape_find(cp_scene *work, const cp_scene *scene, struct clip_shape *shape);

/* Makes *thin of `like`, with straight tracks only and as few keys as keep all within the tolerance.
 *
 * `like` is a clip of the scene that moves all as `clip` does: itself, or what clip_bake made of it (then tracks of
 * joints with an expression count). The tolerance, in metres, holds for the corners of the box around each node's
 * meshes, in the world, at all times of the clip's keys and attachments and half way between them (at quarters and at
 * the baked keys too if something is baked, at eighths if some track is cubic). Keys at the moments of like's
 * attachments stay. Tolerance 0 keeps all keys. Cubic tracks become 16 to 1024 straight pieces a key, by the tolerance
 * (0: as if a two-millionth of the scene's reach). Memory is that of `work`. CP_LIMIT when out of memory. */
cp_status clip_thin(cp_scene *work, const cp_scene *scene, const struct clip_shape *shape, const cp_clip *clip,
                    const cp_clip *like, double tolerance, cp_clip *thin);

/* Drops keys of a number (linear between them) in the middle of a rest: exactly equal to the keys before and behind.
 * Returns how many are left; one if it rests all the time, with the last key behind it. */
uint32_t drop_rests(double *times, double *values, uint32_t count);

#endif
