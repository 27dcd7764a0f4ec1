/* Clips at a moment: what the joints' values are, what hangs on what, and where all of it is. */
#ifndef CELLPIPE_PLAY_H
#define CELLPIPE_PLAY_H

#include "../../pose.h"
#include "../motion.h"

/* A clip that is played; of several tracks of the same thing the first one holds. The scene must not change
 * meanwhile. */
struct player {
    cp_context *context;
    const cp_scene *scene;
    const cp_clip *clip;
    cp_mechanism mechanism;  /* its values are those of all joints, now */
    uint32_t *parents;       /* of each node, now */
    struct trs *parts;       /* private: of nodes with tracks, their locals */
    cp_pose *locals;         /* of each node in its parent's frame, without its joints, now */
    cp_pose *worlds;         /* of each node, now */
    uint32_t next;           /* the first attachment that is not yet */
    double time, joint_time; /* joint_time: private, of the last pose in which loops closed */
    bool is_baked;           /* tracks of joints with an expression hold, in its place; may be set after the start */
    bool *known;             /* private: worlds that are computed */
    uint32_t *way;
    struct arena *arena; /* private: of these arrays */
};

/* Call player_free even on failure. */
cp_status player_start(struct player *player, cp_context *context, const cp_scene *scene, const cp_clip *clip);
/* Sets values, parents, locals and worlds to those of a time. Times that ascend cost least. Loops are followed from key
 * to key, so that their assembly at a time is the same whatever was asked for before. */
cp_status player_seek(struct player *player, double time);
void player_free(struct player *player);

/* The values of a track at a time, `width` of them; before its first and after its last key those keys'. Rotations are
 * turned at a constant speed between keys (slerp, the shorter way round), and come out as unit quaternions. */
void track_value(const cp_track *track, double time, double *value);
/* The first key behind a time; key_count when there is none. */
uint32_t key_after(const cp_track *track, double time);
/* On the way from one time to another: the first key that comes, or `to`. */
double track_stop(const cp_track *track, double from, double to);
/* How many numbers a value of the path has. */
static inline uint32_t path_width(cp_path path)
{
    static const uint32_t widths[] = {1, 3, 4, 3};
    return widths[path];
}
/* a to b by t = 0 .. 1 */
void rotation_between(const double a[4], const double b[4], double t, double out[4]);

/* The first and the last time of a clip: of keys and attachments; both 0 when it has none. */
void clip_range(const cp_clip *clip, double *first, double *last);

/* Sorts times; the number that is left when each stands there once. */
size_t sort_times(double *times, size_t count);

#endif
