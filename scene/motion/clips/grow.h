/* Tracks that grow key by key, and are thinned as they grow. */
#ifndef CELLPIPE_GROW_H
#define CELLPIPE_GROW_H

#include "key_log.h"
#include "play.h"

/* Keys are samples that were given. In between, the straight way from one key to the next (for rotations the turn at
 * constant speed) is at most `tolerance` off each sample that was left out; 0 keeps all samples.
 *
 * One key, the pivot, is the last one kept. Each further sample allows a cone of ways through the pivot: a later sample
 * may end a straight piece when its way is in the cones of all samples between. So one sample costs the same however
 * long the piece. */
struct growing_track {
    cp_path path;
    double tolerance;    /* in the values' unit; radians for rotations */
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
/* The last sample becomes a key: what follows has nothing to do with it. */
bool track_cut(cp_context *context, struct growing_track *track);
/* The latest sample; NULL when there is none. */
const double *track_latest(const struct growing_track *track, double *time);
/* The keys, which are not in a log, as a track of the scene, whose memory they become. */
bool track_finish(cp_scene *scene, struct growing_track *track, uint32_t target, cp_track *made);
void track_free(cp_context *context, struct growing_track *track);

#endif
