/* The clip that a user means, and the moments at which it is looked at. */
#ifndef CELLPIPE_MOMENTS_H
#define CELLPIPE_MOMENTS_H

#include "../../build.h"

/* The clip of the name; NULL: the only one, or *clip NULL if there is none. CP_USAGE, reported, if there is no such
 * clip or more than one to choose from. */
cp_status choose_clip(cp_context *context, const cp_scene *scene, const char *name, const cp_clip **clip);
/* The times of all keys and attachments, ascending, each once; or, with a period above 0, so far apart from the first
 * to the last of them, which is there, too. One time, 0, for a clip without any, or NULL. The array is the arena's. */
cp_status list_moments(cp_context *context, struct arena *arena, const cp_clip *clip, double period, double **times,
                       size_t *count);
/* A loss of those that go straight between keys: of joints; with frames, of these, too. */
void report_curves(cp_context *context, const cp_clip *clip, bool frames);
/* Straight ways between moments do not tell of a jump: adds those of all jumps, and the latest one before each. They
 * are where a step of a joint's values changes them; with frames, where one of a frame's does, or it hangs elsewhere.
 */
cp_status add_jumps(struct arena *arena, const cp_clip *clip, bool frames, double **times, size_t *count);

#endif
