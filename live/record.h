/* Recordings: what --record writes. They are JSON lines, as the filter `recording` reads them (docs/recordings.md). */
#ifndef CELLPIPE_LIVE_RECORD_H
#define CELLPIPE_LIVE_RECORD_H

#include "controller.h"

struct live_recording;

/* Begins a recording of the map's joints in a new file. CP_OUTPUT, reported, if there is such a file already, or it
 * cannot be made. The scene and the path must stay. */
cp_status recording_new(cp_context *context, const cp_scene *scene, const struct joint_map *map, const char *path,
                        struct live_recording **recording);
/* Where nodes are that do not stand where the scene has them: hosts[node count] is CP_NONE for all others, worlds[node
 * count] are poses in the world. hosts NULL: there are none. */
struct recorded_places {
    const uint32_t *hosts;
    const cp_pose *worlds;
};
/* Adds a line: values[joint count] and places at a time of the controller's clock in seconds, or NaN. now: seconds of a
 * clock that never goes back. Lines have the time since the first one, by the controller's clock; where that is
 * missing, goes back, or leaps by more than 10 s, as after a restart, by ours. A value that differs at the same time
 * follows at the next time that a number can tell. False if the recording has ended: the reason is in the report once.
 */
bool recording_add(struct live_recording *recording, double time, double now, const double *values,
                   struct recorded_places places);
/* Writes what has waited for a second; recording_add does so, too. */
bool recording_flush(struct live_recording *recording, double now);
/* Writes all, and closes the file. NULL is allowed. CP_OUTPUT if the recording had ended before. */
cp_status recording_free(struct live_recording *recording);

#endif
