/* Clips with fewer keys. */
#ifndef CELLPIPE_THIN_H
#define CELLPIPE_THIN_H

#include "play.h"

/* `like`, a clip of the scene that moves all as `clip` does (itself, or what clip_bake made of it: tracks of joints with an expression hold),
 * with straight tracks alone and as few of their keys as keep all within the tolerance (metres): of the corners of the box around each
 * node's meshes, in the world, at all times of the clip's keys and attachments and half way between them (at quarters and at the baked
 * keys too where something is baked, at eighths where some track is cubic). Keys at the moments of like's attachments stay. Tolerance 0
 * keeps all keys. Cubic tracks become 16 to 1024 straight pieces a key, by the tolerance (0: as if a two-millionth of the scene's reach).
 * Memory is that of `work`. *error: the largest distance found. CP_LIMIT when out of memory. */
cp_status clip_thin(cp_scene *work, const cp_scene *scene, const cp_clip *clip, const cp_clip *like, double tolerance,
                    cp_clip *thin, double *error);

/* All times of keys and attachments, ascending, each once; with those just before what happens at once. Free with memory_free(context,
 * *times, *room, sizeof **times). False when out of memory. */
bool clip_times(cp_context *context, const cp_clip *clip, double **times, uint32_t *count, uint32_t *room);

#endif
