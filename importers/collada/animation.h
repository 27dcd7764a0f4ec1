/* Clips. animation.c reads channels; curves.c gives their values at a time; tracks.c makes clips of them. */
#ifndef CELLPIPE_IMPORTERS_COLLADA_ANIMATION_H
#define CELLPIPE_IMPORTERS_COLLADA_ANIMATION_H

#include "collada.h"

/* An <animation>, with those that it is in. */
struct collada_animation {
    const char *id, *name;
    uint32_t parent; /* CP_NONE */
    uint32_t clip;   /* CP_NONE: no animation_clip names it */
};
/* An <animation_clip>. */
struct collada_clip {
    const char *name;
    double start, end; /* NaN where not given */
};
/* An <instance_animation> of a clip. */
struct collada_member {
    const char *url;
    uint32_t clip;
};
enum collada_curve_input {
    COLLADA_TIMES,
    COLLADA_VALUES,
    COLLADA_WAYS, /* of interpolation */
    COLLADA_IN,   /* tangents */
    COLLADA_OUT,
    COLLADA_CURVE_INPUTS
};
struct collada_sampler_inputs {
    uint32_t inputs[COLLADA_CURVE_INPUTS]; /* rows of inputs; CP_NONE */
};
struct collada_channel_row {
    const char *sampler, *target;
    uint64_t line;
    uint32_t animation;
};

struct collada_animations {
    struct collada_animation *animations;
    struct collada_clip *clips;
    struct collada_member *members;
    struct collada_sampler_inputs *samplers;
    struct collada_channel_row *channels;
    struct name_map animation_ids, sampler_ids;
    uint32_t animation_count, animation_room, clip_count, clip_room, member_count, member_room, sampler_count,
        sampler_room, channel_count, channel_room;
    uint32_t animation; /* the one that is read; CP_NONE */
};

/* ---- animation.c ---- */

cp_status collada_read_animations(struct collada_document *document, void *into); /* <library_animations> */
cp_status collada_read_clips(struct collada_document *document, void *into);      /* <library_animation_clips> */
cp_status collada_start_animations(struct collada *collada);
void collada_free_animations(struct collada *collada);

/* ---- curves.c ---- */

enum collada_way { COLLADA_WAY_STEP, COLLADA_WAY_LINEAR, COLLADA_WAY_BEZIER, COLLADA_WAY_HERMITE };
/* The values of some numbers of a transform over time. */
struct collada_curve {
    uint32_t clip, node, transform;
    uint32_t order;        /* of its channel */
    uint32_t first, width; /* the numbers of the transform */
    struct collada_view times, values, in, out;
    uint32_t in_width, out_width; /* values of a tangent; 0: none */
    const struct collada_words *ways;
    uint32_t key_count;
};
/* Makes the curve of a channel, whose clip the caller sets. CP_NO, counted as a loss, for one that moves nothing or
 * makes no sense. */
cp_status collada_make_curve(struct collada_document *document, const struct collada_channel_row *channel,
                             struct collada_curve *curve);
double collada_curve_time(const struct collada_curve *curve, uint32_t key);
/* Returns the way from this key to the next one; *unread is raised for one that is no way here, and is linear. */
enum collada_way collada_curve_way(const struct collada_curve *curve, uint32_t key, uint64_t *unread);
/* Writes the curve's values at a time into the numbers of a transform; before and after all keys, those of the first
 * and last one. */
void collada_curve_values(const struct collada_curve *curve, double time, double *numbers);
/* Returns in how many pieces the way from this key is seen whole: of curves in some; with `turns`, none turns by 180
 * degrees. */
double collada_curve_pieces(const struct collada_curve *curve, uint32_t key, bool turns);

/* ---- keys.c ---- */

/* A pose at a time; of a joint, its value is translation[0]. */
struct collada_key {
    double time;
    struct trs parts;
};
/* A node, or a joint, that curves move. */
struct collada_moving {
    struct collada_document *document;
    const struct collada_curve *curves; /* they stand in the order of the node's transforms */
    uint32_t curve_count, node, bound;  /* bound: the joint's, or CP_NONE */
    bool steps;                         /* it stays between keys */
    bool sheared;                       /* at some time; the pose is then the nearest */
    struct collada_key *keys;           /* memory_free(context, keys, room, sizeof *keys) is the caller's */
    uint32_t count, room;
};
/* Finds all keys. */
cp_status collada_find_keys(struct collada_moving *moving);

/* ---- tracks.c ---- */

/* Makes clips of the channels, once all nodes are placed. */
cp_status collada_add_clips(struct collada *collada);

#endif
