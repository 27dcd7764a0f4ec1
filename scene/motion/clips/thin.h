/* Clips with fewer keys. */
#ifndef CELLPIPE_THIN_H
#define CELLPIPE_THIN_H

#include "../../mesh/mesh.h"
#include "play.h"

/* What a scene's clips are compared by, the same for all: */
struct clip_shape {
    cp_measures *boxes; /* of each node's own meshes */
    double *reaches;    /* of each node: how far from its origin something is that it moves */
    bool *alone;        /* joints that move what hangs on their node and nothing else, and that no scale enlarges */
};
/* Memory is that of `work`. */
cp_status clip_shape_find(cp_scene *work, const cp_scene *scene, struct clip_shape *shape);

/* `like` is a clip of the scene that moves all as `clip` does: itself, or what clip_bake made of it (then tracks of
 * joints with an expression hold). *thin is `like` with straight tracks alone, and as few keys as keep all within the
 * tolerance (metres): the corners of the box around each node's meshes, in the world, at all times of the clip's keys
 * and attachments and half way between them (at quarters and at the baked keys too where something is baked, at eighths
 * where some track is cubic). Keys at the moments of like's attachments stay. Tolerance 0 keeps all keys. Cubic tracks
 * become 16 to 1024 straight pieces a key, by the tolerance (0: as if a two-millionth of the scene's reach). Memory is
 * that of `work`. CP_LIMIT when out of memory. */
cp_status clip_thin(cp_scene *work, const cp_scene *scene, const struct clip_shape *shape, const cp_clip *clip,
                    const cp_clip *like, double tolerance, cp_clip *thin);

/* Drops keys of a number (linear between them) in the middle of a rest: exactly equal to the keys before and behind.
 * Returns how many are left; one if it rests all the time, with the last key behind it. */
uint32_t drop_rests(double *times, double *values, uint32_t count);

#endif
