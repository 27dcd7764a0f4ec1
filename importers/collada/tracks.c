/* Clips and their tracks, of the channels. */
#include <math.h>
#include <stdlib.h>

#include "animation.h"
#include "kinematics.h"

struct tracks {
    struct collada *collada;
    cp_track *items;
    uint32_t count, room;
};

/* ---- tracks ---- */

/* Returns the numbers of a part of a pose. */
static const double *part_of(const struct trs *parts, cp_path path)
{
    return path == CP_PATH_ROTATION ? parts->rotation : path == CP_PATH_SCALE ? parts->scale : parts->translation;
}

/* Tells whether a part stays what it is in the node's pose. Rotations may have the other sign. */
static bool is_still(const struct collada_moving *moving, cp_path path, uint32_t width, const struct trs *rest)
{
    bool still = true;
    const double *first = part_of(rest, path);
    for (uint32_t i = 0; still && i < moving->count; i++) {
        const double *own = part_of(&moving->keys[i].parts, path);
        double same = 0, other = 0;
        for (uint32_t k = 0; k < width; k++) {
            same = fmax(same, fabs(own[k] - first[k]));
            other = fmax(other, fabs(own[k] + first[k]));
        }
        still = same <= 1e-12 || (path == CP_PATH_ROTATION && other <= 1e-12);
    }
    return still;
}

/* Adds a track of one part of all keys. */
static cp_status add_track(struct tracks *tracks, const struct collada_moving *moving, uint32_t target, cp_path path,
                           uint32_t width)
{
    struct collada *collada = tracks->collada;
    double *times = scene_allocate(collada->scene, moving->count, sizeof *times);
    double *values = scene_allocate(collada->scene, moving->count, width * sizeof *values);
    if (!times || !values)
        return CP_LIMIT;
    for (uint32_t i = 0; i < moving->count; i++) {
        times[i] = moving->keys[i].time;
        memcpy(values + (size_t)i * width, part_of(&moving->keys[i].parts, path), width * sizeof *values);
    }
    cp_track track = {.target = target,
                      .path = path,
                      .interpolation = moving->steps ? CP_STEP : CP_LINEAR,
                      .key_count = moving->count,
                      .times = times,
                      .values = values};
    return array_add(collada->context, &tracks->items, &tracks->room, &tracks->count, &track, sizeof track) ? CP_OK
                                                                                                            : CP_LIMIT;
}

/* Adds the track that a part needs at all places of the node. */
static cp_status add_part(struct tracks *tracks, const struct collada_moving *moving, cp_path path, uint32_t width)
{
    struct collada *collada = tracks->collada;
    const struct collada_node *node = &moving->document->nodes[moving->node];
    struct trs rest;
    (void)pose_to_trs(&collada->scene->nodes[collada->places[node->first_place].target].local, 1e-6, &rest);
    if (is_still(moving, path, width, &rest))
        return CP_OK;
    uint32_t first = tracks->count;
    cp_status status = add_track(tracks, moving, collada->places[node->first_place].target, path, width);
    uint32_t place = collada->places[node->first_place].next_same;
    for (; status == CP_OK && place != CP_NONE; place = collada->places[place].next_same) {
        cp_track track = tracks->items[first];
        track.target = collada->places[place].target;
        if (!array_add(collada->context, &tracks->items, &tracks->room, &tracks->count, &track, sizeof track))
            status = CP_LIMIT;
    }
    return status;
}

static cp_status add_node_tracks(struct tracks *tracks, struct collada_moving *moving)
{
    cp_status status = collada_find_keys(moving);
    if (status == CP_OK)
        status = add_part(tracks, moving, CP_PATH_TRANSLATION, 3);
    if (status == CP_OK)
        status = add_part(tracks, moving, CP_PATH_ROTATION, 4);
    if (status == CP_OK)
        status = add_part(tracks, moving, CP_PATH_SCALE, 3);
    tracks->collada->counts[COLLADA_TOLD_SHEARS] += moving->sheared;
    memory_free(tracks->collada->context, moving->keys, moving->room, sizeof *moving->keys);
    return status;
}

/* ---- joints ---- */

/* Adds tracks of the joints that the transform of the curves is. */
static cp_status add_joint_tracks(struct tracks *tracks, struct collada_moving *moving)
{
    struct collada *collada = tracks->collada;
    const struct collada_kinematics *kinematics = collada->kinematics;
    uint32_t bound = kinematics->first_bounds[moving->curves->transform];
    cp_status status = CP_OK;
    for (; status == CP_OK && bound != CP_NONE; bound = kinematics->bounds[bound].next) {
        if (kinematics->bounds[bound].joint == CP_NONE)
            continue;
        struct collada_moving joint = *moving;
        joint.bound = bound;
        status = collada_find_keys(&joint);
        if (status == CP_OK)
            status = add_track(tracks, &joint, kinematics->bounds[bound].joint, CP_PATH_JOINT, 1);
        memory_free(collada->context, joint.keys, joint.room, sizeof *joint.keys);
    }
    return status;
}

/* Tells whether joints stand among the transforms of the node. */
static bool has_joints(const struct collada_document *document, uint32_t node)
{
    const uint32_t *bounds = document->collada->kinematics->first_bounds;
    bool has = false;
    for (uint32_t i = document->nodes[node].transforms.first; bounds && i != CP_NONE; i = document->transforms[i].next)
        has |= bounds[i] != CP_NONE;
    return has;
}

/* Adds the tracks of a node with joints: of these alone, as the other transforms place them. */
static cp_status add_jointed_tracks(struct tracks *tracks, const struct collada_moving *moving)
{
    struct collada *collada = tracks->collada;
    cp_status status = CP_OK;
    for (uint32_t i = 0, end; status == CP_OK && i < moving->curve_count; i = end) {
        uint32_t transform = moving->curves[i].transform;
        for (end = i + 1; end < moving->curve_count && moving->curves[end].transform == transform;)
            end++;
        struct collada_moving joint = *moving;
        joint.curves += i;
        joint.curve_count = end - i;
        if (collada->kinematics->first_bounds[transform] != CP_NONE)
            status = add_joint_tracks(tracks, &joint);
        else
            collada->counts[COLLADA_TOLD_ANIMATIONS] += end - i;
    }
    return status;
}

/* ---- clips ---- */

/* Adds a clip of the curves, of which the list has all. */
static cp_status add_clip(struct collada *collada, const char *name, const struct collada_curve *curves, uint32_t count)
{
    struct collada_document *document = collada->documents[0];
    struct tracks tracks = {.collada = collada};
    cp_status status = CP_OK;
    for (uint32_t i = 0, end; status == CP_OK && i < count; i = end) {
        for (end = i + 1; end < count && curves[end].node == curves[i].node;)
            end++;
        struct collada_moving moving = {.document = document,
                                        .curves = curves + i,
                                        .curve_count = end - i,
                                        .node = curves[i].node,
                                        .bound = CP_NONE};
        if (document->nodes[moving.node].first_place == CP_NONE)
            collada->counts[COLLADA_TOLD_ANIMATIONS] += end - i;
        else if (has_joints(document, moving.node))
            status = add_jointed_tracks(&tracks, &moving);
        else
            status = add_node_tracks(&tracks, &moving);
    }
    cp_track *kept = status == CP_OK && tracks.count > 0
                         ? scene_keep_array(collada->scene, &tracks.items, &tracks.room, tracks.count, sizeof *kept)
                         : NULL;
    if (status == CP_OK && tracks.count > 0 &&
        (!kept || scene_add_clip(collada->scene, name, tracks.count, kept) == CP_NONE))
        status = CP_LIMIT;
    memory_free(collada->context, tracks.items, tracks.room, sizeof *tracks.items);
    return status;
}

/* Gives animations the first clip that names them; others are lost. */
static void find_members(struct collada *collada)
{
    struct collada_animations *animations = collada->animations;
    for (uint32_t i = 0; i < animations->member_count; i++) {
        const struct collada_member *member = &animations->members[i];
        const uint32_t *row = name_map_find(&animations->animation_ids, member->url + (*member->url == '#'));
        if (row && animations->animations[*row].clip == CP_NONE)
            animations->animations[*row].clip = member->clip;
        else
            collada->counts[COLLADA_TOLD_MEMBERS]++;
    }
}

/* Returns the clip of an animation: its own, or that of one that it is in. */
static uint32_t clip_of(const struct collada_animations *animations, uint32_t animation)
{
    while (animation != CP_NONE && animations->animations[animation].clip == CP_NONE)
        animation = animations->animations[animation].parent;
    return animation == CP_NONE ? CP_NONE : animations->animations[animation].clip;
}

static int compare_curves(const void *a, const void *b)
{
    const struct collada_curve *x = a, *y = b;
    const uint32_t pairs[][2] = {
        {x->clip, y->clip}, {x->node, y->node}, {x->transform, y->transform}, {x->order, y->order}};
    for (int i = 0; i < 4; i++)
        if (pairs[i][0] != pairs[i][1])
            return pairs[i][0] < pairs[i][1] ? -1 : 1;
    return 0;
}

/* Returns the name of the clip of animations that no animation_clip names: that of the only one, if it has a name. */
static const char *other_name(const struct collada_animations *animations)
{
    uint32_t roots = 0, root = 0;
    for (uint32_t i = 0; i < animations->animation_count; i++)
        if (animations->animations[i].parent == CP_NONE) {
            roots++;
            root = i;
        }
    const struct collada_animation *only = roots == 1 ? &animations->animations[root] : NULL;
    return only && *only->name ? only->name : only && *only->id ? only->id : "animation";
}

/* Counts a clip that plays only a part of its animations: all of them are there. */
static void compare_times(struct collada *collada, const struct collada_clip *clip, const struct collada_curve *curves,
                          uint32_t count)
{
    double first = INFINITY, last = -INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        first = fmin(first, collada_curve_time(&curves[i], 0));
        last = fmax(last, collada_curve_time(&curves[i], curves[i].key_count - 1));
    }
    collada->counts[COLLADA_TOLD_CUTTINGS] += clip->start > first || clip->end < last;
}

static cp_status add_all(struct collada *collada, const struct collada_curve *curves, uint32_t count)
{
    const struct collada_animations *animations = collada->animations;
    cp_status status = CP_OK;
    for (uint32_t i = 0, end; status == CP_OK && i < count; i = end) {
        uint32_t clip = curves[i].clip;
        for (end = i + 1; end < count && curves[end].clip == clip;)
            end++;
        if (clip != CP_NONE)
            compare_times(collada, &animations->clips[clip], curves + i, end - i);
        status = add_clip(collada, clip == CP_NONE ? other_name(animations) : animations->clips[clip].name, curves + i,
                          end - i);
    }
    return status;
}

cp_status collada_add_clips(struct collada *collada)
{
    const struct collada_animations *animations = collada->animations;
    uint32_t room = animations->channel_count, count = 0;
    struct collada_curve *curves = memory_allocate(collada->context, room, sizeof *curves);
    cp_status status = curves ? CP_OK : CP_LIMIT;
    find_members(collada);
    for (uint32_t i = 0; status == CP_OK && i < room; i++) {
        status = collada_make_curve(collada->documents[0], &animations->channels[i], &curves[count]);
        curves[count].order = i;
        curves[count].clip = clip_of(animations, animations->channels[i].animation);
        count += status == CP_OK;
        status = status == CP_NO ? CP_OK : status;
    }
    if (status == CP_OK && count > 0) {
        qsort(curves, count, sizeof *curves, compare_curves);
        status = add_all(collada, curves, count);
    }
    memory_free(collada->context, curves, room, sizeof *curves);
    return status;
}
