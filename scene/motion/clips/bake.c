/* Samples clips so finely that they need no attachments and formulas. */
#include "clips.h"

#include <math.h>
#include <stdlib.h>

#include "mesh/mesh.h"

/* A piece is halved at most so often; so a way that is not smooth ends. */
enum { MOST_HALVINGS = 12, CORNERS = 8, LOOKS = 4 };
/* The places at which a piece is tested. Four whole turns look like none at the quarters, so the last place is 1 -
 * 0.618, by the golden ratio. */
static const double looks[LOOKS] = {0.5, 0.25, 0.75, 0.38196601125010515};

/* A node that hangs elsewhere for a time. */
struct guest {
    uint32_t node;
    bool curved;                /* its own tracks are not straight, wherever it hangs */
    bool stretched;             /* its scale is not always the one that it has in the scene */
    double scale[3];            /* that */
    double corners[CORNERS][3]; /* corners of the box around what is below it, in its frame */
    struct growing_track tracks[3];
};

/* A joint with an expression, or one that loops determine. */
struct formula {
    uint32_t joint;
    double reach; /* metres by which a unit of its value moves some point */
    struct growing_track track;
};

/* A guest, or a formula, at a moment. */
struct moment {
    double time;
    int halvings; /* of the way to it */
    struct trs pose;
    bool held; /* elsewhere, from this moment on */
    double value;
};

/* Guests and formulas are baked one by one, each by the keys of what moves it. */
struct baker {
    cp_context *context;
    cp_scene *work;
    const cp_scene *scene;
    const cp_clip *clip;
    double tolerance;
    double first; /* when the clip begins */
    struct clip_lookup lookup;
    struct guest *guests;
    struct formula *formulas;
    uint32_t guest_count, formula_count, formula_room;
    struct guest *guest; /* the one being baked; NULL: formula is */
    struct formula *formula;
    uint32_t *seen, seen_stamp, *queue; /* nodes that may carry the guest */
    double *times;
    uint32_t time_count, time_room;
    struct moment moments[1 + LOOKS + MOST_HALVINGS + 1];
    struct baked_clip *baked;
};

/* ---- what is baked ---- */

static bool find_guests(struct baker *baker)
{
    const cp_clip *clip = baker->clip;
    struct seen {
        bool listed, curved;
    } *seen = memory_allocate_zeroed(baker->context, baker->scene->node_count, sizeof *seen);
    baker->guests = memory_allocate_zeroed(baker->context, clip->attachment_count, sizeof *baker->guests);
    for (uint32_t i = 0; seen && i < clip->track_count; i++)
        if (clip->tracks[i].path != CP_PATH_JOINT && clip->tracks[i].interpolation == CP_CUBIC)
            seen[clip->tracks[i].target].curved = true;
    for (uint32_t i = 0; seen && baker->guests && i < clip->attachment_count; i++) {
        uint32_t node = clip->attachments[i].node;
        if (!seen[node].listed)
            baker->guests[baker->guest_count++] = (struct guest){.node = node, .curved = seen[node].curved};
        seen[node].listed = true;
    }
    bool fine = seen && baker->guests;
    memory_free(baker->context, seen, baker->scene->node_count, sizeof *seen);
    return fine;
}

/* Lists the joints that follow what the clip moves by an expression or by loops. */
static bool find_formulas(struct baker *baker, double size)
{
    const cp_scene *scene = baker->scene;
    bool *moved = memory_allocate_zeroed(baker->context, scene->joint_count, sizeof *moved);
    const cp_mechanism *mechanism = &baker->lookup.mechanism;
    for (uint32_t i = 0; i < scene->joint_count; i++)
        baker->formula_room += mechanism_samples(mechanism, i) && scene->joints[i].type != CP_JOINT_FIXED;
    baker->formulas = memory_allocate_zeroed(baker->context, baker->formula_room, sizeof *baker->formulas);
    bool fine = moved && baker->formulas;
    for (uint32_t i = 0; i < baker->clip->track_count && fine; i++)
        if (baker->clip->tracks[i].path == CP_PATH_JOINT)
            moved[baker->clip->tracks[i].target] = true;
    for (uint32_t i = 0; i < scene->joint_count && fine; i++) {
        const cp_joint *joint = &scene->joints[i];
        bool follows = false;
        uint32_t count;
        const uint32_t *inputs = mechanism_inputs(mechanism, i, &count);
        for (uint32_t k = 0; k < count; k++)
            follows = follows || moved[inputs[k]];
        if (!follows || joint->type == CP_JOINT_FIXED || !mechanism_samples(mechanism, i))
            continue;
        struct formula *formula = &baker->formulas[baker->formula_count++];
        formula->joint = i;
        formula->reach = joint->type == CP_JOINT_PRISMATIC || !(size > 0) ? 1 : size;
        formula->track =
            (struct growing_track){.path = CP_PATH_JOINT, .tolerance = baker->tolerance / 2 / formula->reach};
    }
    memory_free(baker->context, moved, scene->joint_count, sizeof *moved);
    return fine;
}

/* Finds the boxes around the guests, and the tolerances of their tracks. */
static bool measure_guests(struct baker *baker, double size)
{
    static const cp_path paths[] = {CP_PATH_TRANSLATION, CP_PATH_ROTATION, CP_PATH_SCALE};
    uint32_t nodes = baker->scene->node_count;
    cp_measures *boxes = memory_allocate(baker->context, nodes, sizeof *boxes);
    bool fine =
        boxes && (baker->guest_count == 0 || measure_node_boxes(baker->context, baker->scene, false, boxes) == CP_OK);
    for (uint32_t i = 0; fine && i < baker->guest_count; i++) {
        struct guest *guest = &baker->guests[i];
        cp_measures *box = &boxes[guest->node];
        double reach = 1e-9; /* of the farthest corner */
        struct trs rest;
        /* A guest without geometry gets a box of a twentieth of the cell, as points near it may matter to the user. */
        for (int k = 0; k < 3 && !box->any; k++) {
            box->upper[k] = size > 0 ? size / 40 : 0.01;
            box->lower[k] = -box->upper[k];
        }
        for (int corner = 0; corner < CORNERS; corner++) {
            double *at = guest->corners[corner];
            for (int k = 0; k < 3; k++)
                at[k] = corner >> k & 1 ? box->upper[k] : box->lower[k];
            reach = fmax(reach, sqrt(at[0] * at[0] + at[1] * at[1] + at[2] * at[2]));
        }
        (void)pose_to_trs(&baker->scene->nodes[guest->node].local, 1e-6, &rest);
        memcpy(guest->scale, rest.scale, sizeof guest->scale);
        for (int k = 0; k < 3; k++)
            guest->tracks[k] = (struct growing_track){
                .path = paths[k], .tolerance = k == 0 ? baker->tolerance / 6 : baker->tolerance / 6 / reach};
    }
    memory_free(baker->context, boxes, nodes, sizeof *boxes);
    return fine;
}

/* ---- moments ---- */

static bool add_time(struct baker *baker, double time)
{
    if (!array_reserve(baker->context, &baker->times, &baker->time_room, baker->time_count + UINT64_C(1),
                       sizeof *baker->times))
        return false;
    baker->times[baker->time_count++] = time;
    return true;
}

/* Adds all keys of a list's tracks, and the moments just before jumps. */
static bool add_keys_of(struct baker *baker, const struct by_target *list, uint32_t target)
{
    for (uint32_t i = first_of(list, target); i < list->ends[target]; i++) {
        const cp_track *track = &baker->clip->tracks[list->items[i]];
        for (uint32_t k = 0; k < track->key_count; k++)
            if (!add_time(baker, track->times[k]) ||
                (track->interpolation == CP_STEP && k > 0 && !add_time(baker, nextafter(track->times[k], -INFINITY))))
                return false;
    }
    return true;
}

/* Adds the keys of all joints that determine this one's value. */
static bool add_keys_of_joint(struct baker *baker, uint32_t index)
{
    uint32_t count;
    const uint32_t *inputs = mechanism_inputs(&baker->lookup.mechanism, index, &count);
    for (uint32_t i = 0; i < count; i++)
        if (!add_keys_of(baker, &baker->lookup.joint_tracks, inputs[i]))
            return false;
    return true;
}

static void see(struct baker *baker, uint32_t node, uint32_t *count)
{
    if (node == CP_NONE || baker->seen[node] == baker->seen_stamp)
        return;
    baker->seen[node] = baker->seen_stamp;
    baker->queue[(*count)++] = node;
}

/* Lists the times at which anything changes that moves the guest, that is any node on which it may ever hang, or the
 * formula. */
static bool list_times(struct baker *baker)
{
    const struct by_target *list = &baker->lookup.attachments;
    uint32_t count = 0;
    baker->time_count = 0;
    if (!baker->guest && !add_keys_of_joint(baker, baker->formula->joint))
        return false;
    baker->seen_stamp++;
    if (baker->guest)
        see(baker, baker->guest->node, &count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = baker->queue[i];
        const cp_node *it = &baker->scene->nodes[node];
        see(baker, it->parent, &count);
        for (uint32_t k = first_of(list, node); k < list->ends[node]; k++) {
            const cp_attachment *attachment = &baker->clip->attachments[list->items[k]];
            /* The moment just before it counts, too, unless the clip begins with it. */
            if (!add_time(baker, attachment->time) ||
                (attachment->time > baker->first && !add_time(baker, nextafter(attachment->time, -INFINITY))))
                return false;
            see(baker, attachment->host, &count);
        }
        if (!add_keys_of(baker, &baker->lookup.node_tracks, node))
            return false;
        for (uint32_t k = it->first_joint; k < it->first_joint + it->joint_count; k++)
            if (!add_keys_of_joint(baker, k))
                return false;
    }
    baker->time_count = (uint32_t)sort_times(baker->times, baker->time_count);
    return true;
}

/* Finds the guest's pose in its own parent's frame, or the value of the formula. */
static void take_moment(struct baker *baker, double time, struct moment *moment)
{
    *moment = (struct moment){.time = time};
    if (!baker->guest) {
        moment->value = lookup_joint(&baker->lookup, baker->formula->joint, time);
        return;
    }
    struct guest *guest = baker->guest;
    uint32_t node = guest->node, parent = baker->scene->nodes[node].parent;
    uint32_t host = lookup_parent(&baker->lookup, node, time);
    cp_pose pose = lookup_local(&baker->lookup, node, time), back;
    moment->held = host != parent;
    if (moment->held) {
        cp_pose below = lookup_world(&baker->lookup, parent, time);
        cp_pose above = lookup_world(&baker->lookup, host, time), carried = pose_multiply(&above, &pose);
        bool fine = pose_inverse(&below, &back);
        pose = fine ? pose_multiply(&back, &carried) : baker->scene->nodes[node].local;
        baker->baked->flat += !fine;
    }
    baker->baked->sheared += !pose_to_trs(&pose, 1e-6, &moment->pose);
    for (int i = 0; i < 3; i++)
        if (fabs(moment->pose.scale[i] - guest->scale[i]) > 1e-9 * fabs(guest->scale[i]))
            guest->stretched = true;
}

/* Tells whether the moment between the two is near the straight line between them. */
static bool is_straight(const struct baker *baker, const struct moment *a, const struct moment *b,
                        const struct moment *moment)
{
    double t = (moment->time - a->time) / (b->time - a->time), most = 0;
    if (baker->formula)
        return fabs(a->value + (b->value - a->value) * t - moment->value) * baker->formula->reach <=
               baker->tolerance / 2;
    struct trs between;
    for (int i = 0; i < 3; i++) {
        between.translation[i] = a->pose.translation[i] + (b->pose.translation[i] - a->pose.translation[i]) * t;
        between.scale[i] = a->pose.scale[i] + (b->pose.scale[i] - a->pose.scale[i]) * t;
    }
    rotation_between(a->pose.rotation, b->pose.rotation, t, between.rotation);
    cp_pose first = pose_from_trs(&between), second = pose_from_trs(&moment->pose);
    for (int corner = 0; corner < CORNERS; corner++) {
        double x[3], y[3];
        pose_point(&first, baker->guest->corners[corner], x);
        pose_point(&second, baker->guest->corners[corner], y);
        most = fmax(
            most, sqrt((x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) + (x[2] - y[2]) * (x[2] - y[2])));
    }
    return most <= baker->tolerance / 2;
}

/* ---- keys ---- */

static bool add_keys(struct baker *baker, const struct moment *moment)
{
    const struct trs *pose = &moment->pose;
    const double *const values[] = {pose->translation, pose->rotation, pose->scale};
    if (baker->formula)
        return track_add(baker->context, &baker->formula->track, moment->time, &moment->value);
    for (int k = 0; k < 3; k++)
        if (!track_add(baker->context, &baker->guest->tracks[k], moment->time, values[k]))
            return false;
    return true;
}

/* Adds the keys of the guest or formula. From one time to the next the way is straight, or its nearer half comes first.
 * moments[0]: the end of the way so far; then LOOKS moments between; then the goals, the farthest first. */
static bool bake_one(struct baker *baker)
{
    struct moment *at = &baker->moments[0], *between = &baker->moments[1], *goals = &baker->moments[1 + LOOKS];
    if (!list_times(baker))
        return false;
    if (baker->time_count == 0)
        return true;
    take_moment(baker, baker->times[0], at);
    bool fine = add_keys(baker, at);
    for (uint32_t next = 1; next < baker->time_count && fine; next++) {
        take_moment(baker, baker->times[next], &goals[0]);
        for (uint32_t depth = 1; depth > 0 && fine;) {
            struct moment *goal = &goals[depth - 1];
            double length = goal->time - at->time;
            /* A guest on its own parent moves as its own tracks do, so only curved tracks need a test there. */
            bool bends = baker->formula || at->held || baker->guest->curved, straight = true;
            bool looked_at = bends && nextafter(at->time, INFINITY) < goal->time;
            for (int i = 0; i < LOOKS && looked_at && straight; i++) {
                double time = at->time + length * looks[i];
                if (!(time > at->time && time < goal->time))
                    continue;
                take_moment(baker, time, &between[i]);
                straight = is_straight(baker, at, goal, &between[i]);
            }
            if (straight || goal->halvings == MOST_HALVINGS) {
                fine = add_keys(baker, goal);
                *at = *goal;
                depth--;
            } else {
                between[0].halvings = ++goal->halvings;
                goals[depth++] = between[0];
            }
        }
    }
    return fine;
}

/* ---- the clip ---- */

/* The clip's own tracks that say something, then those that were baked. */
static bool finish(struct baker *baker)
{
    enum { PATHS = 4 };
    const cp_clip *clip = baker->clip;
    const cp_scene *scene = baker->scene;
    cp_clip *made = &baker->baked->clip;
    size_t things = scene->node_count > scene->joint_count ? scene->node_count : scene->joint_count;
    size_t most = (size_t)clip->track_count + 3 * (size_t)baker->guest_count + baker->formula_count;
    cp_track *tracks = scene_allocate(baker->work, most, sizeof *tracks);
    bool(*told)[PATHS] = memory_allocate_zeroed(baker->context, things, sizeof *told);
    bool fine = tracks && told;
    made->track_count = made->attachment_count = 0;
    made->tracks = tracks;
    made->attachments = NULL;
    /* Keep the first track of each joint that nothing else drives, and of each part of the pose of a node that is no
     * guest. */
    for (uint32_t i = 0; fine && i < baker->guest_count; i++)
        for (int path = CP_PATH_TRANSLATION; path < PATHS; path++)
            told[baker->guests[i].node][path] = true;
    for (uint32_t i = 0; fine && i < scene->joint_count; i++)
        told[i][CP_PATH_JOINT] =
            cp_joint_is_dependent(&scene->joints[i]) || mechanism_samples(&baker->lookup.mechanism, i);
    for (uint32_t i = 0; fine && i < clip->track_count; i++) {
        const cp_track *track = &clip->tracks[i];
        if (!told[track->target][track->path])
            tracks[made->track_count++] = *track;
        told[track->target][track->path] = true;
    }
    memory_free(baker->context, told, things, sizeof *told);
    for (uint32_t i = 0; fine && i < baker->guest_count; i++) {
        struct guest *guest = &baker->guests[i];
        for (int k = 0; k < (guest->stretched ? 3 : 2) && fine; k++)
            fine = track_finish(baker->work, &guest->tracks[k], guest->node, &tracks[made->track_count++]);
    }
    for (uint32_t i = 0; fine && i < baker->formula_count; i++) {
        struct formula *formula = &baker->formulas[i];
        fine = track_finish(baker->work, &formula->track, formula->joint, &tracks[made->track_count++]);
    }
    return fine;
}

/* ---- clips in which nothing is baked ---- */

/* A track for sorting: tracks of one target and path come together, the first one first. */
struct track_of {
    uint32_t target, track;
    cp_path path;
};

static int compare_targets(const void *a, const void *b)
{
    const struct track_of *left = a, *right = b;
    if (left->target != right->target)
        return left->target < right->target ? -1 : 1;
    if (left->path != right->path)
        return left->path < right->path ? -1 : 1;
    return left->track < right->track ? -1 : 1;
}

static bool is_plain(const cp_clip *clip, const bool *sampled)
{
    bool plain = clip->attachment_count == 0;
    for (uint32_t i = 0; i < clip->track_count && plain; i++)
        plain = clip->tracks[i].path != CP_PATH_JOINT || !sampled[clip->tracks[i].target];
    return plain;
}

/* Keeps the tracks of a plain clip that `finish` would keep. The cost depends on the clip alone, not on the scene,
 * which may have as many clips as joints. */
static cp_status keep_tracks(cp_scene *work, const cp_scene *scene, const cp_clip *clip, cp_clip *made)
{
    uint32_t count = clip->track_count;
    cp_track *tracks = scene_allocate(work, count, sizeof *tracks);
    struct track_of *order = memory_allocate(work->context, count, sizeof *order);
    bool *said = memory_allocate_zeroed(work->context, count, sizeof *said);
    bool fine = tracks && order && said;
    for (uint32_t i = 0; i < count && fine; i++)
        order[i] = (struct track_of){clip->tracks[i].target, i, clip->tracks[i].path};
    if (fine && count > 1)
        qsort(order, count, sizeof *order, compare_targets);
    for (uint32_t i = 1; i < count && fine; i++)
        said[order[i].track] = order[i].target == order[i - 1].target && order[i].path == order[i - 1].path;
    made->track_count = 0;
    made->tracks = tracks;
    for (uint32_t i = 0; i < count && fine; i++) {
        const cp_track *track = &clip->tracks[i];
        bool follows = track->path == CP_PATH_JOINT && cp_joint_is_dependent(&scene->joints[track->target]);
        if (!said[i] && !follows)
            tracks[made->track_count++] = *track;
    }
    memory_free(work->context, order, count, sizeof *order);
    memory_free(work->context, said, count, sizeof *said);
    return fine ? CP_OK : CP_LIMIT;
}

bool mark_sampled(const cp_mechanism *mechanism, bool *sampled)
{
    const cp_joint *joints = mechanism->scene->joints;
    struct followers followers;
    bool fine = list_followers(mechanism, &followers);
    for (uint32_t i = 0; i < mechanism->joint_count && fine; i++) {
        sampled[i] = mechanism_samples(mechanism, i);
        for (uint32_t k = first_follower(&followers, i); k < followers.ends[i] && !sampled[i]; k++)
            sampled[i] =
                mechanism_samples(mechanism, followers.joints[k]) && joints[followers.joints[k]].type != CP_JOINT_FIXED;
    }
    free_followers(&followers);
    return fine;
}

cp_status clip_bake(cp_scene *work, const cp_scene *scene, const cp_clip *clip, const struct bake_limits *limits,
                    struct baked_clip *baked)
{
    cp_context *context = work->context;
    double last;
    *baked = (struct baked_clip){.clip = *clip};
    if (limits->sampled && is_plain(clip, limits->sampled))
        return keep_tracks(work, scene, clip, &baked->clip);
    struct baker baker = {
        .context = context, .work = work, .scene = scene, .clip = clip, .tolerance = limits->tolerance, .baked = baked};
    cp_status status = lookup_start(&baker.lookup, context, scene, clip);
    bool fine = status == CP_OK && find_guests(&baker) && find_formulas(&baker, limits->size);
    uint32_t count = baker.guest_count + baker.formula_count;
    if (fine && count > 0) {
        baker.seen = memory_allocate_zeroed(context, scene->node_count, sizeof *baker.seen);
        baker.queue = memory_allocate(context, scene->node_count, sizeof *baker.queue);
        clip_range(clip, &baker.first, &last);
        fine = baker.seen && baker.queue && measure_guests(&baker, limits->size);
    }
    for (uint32_t i = 0; i < count && fine; i++) {
        baker.guest = i < baker.guest_count ? &baker.guests[i] : NULL;
        baker.formula = baker.guest ? NULL : &baker.formulas[i - baker.guest_count];
        fine = bake_one(&baker);
    }
    fine = fine && finish(&baker);
    if (fine && mechanism_failed(&baker.lookup.mechanism))
        status = mechanism_report_open(&baker.lookup.mechanism);
    for (uint32_t i = 0; i < baker.guest_count; i++)
        for (int k = 0; k < 3; k++)
            track_free(context, &baker.guests[i].tracks[k]);
    for (uint32_t i = 0; i < baker.formula_count; i++)
        track_free(context, &baker.formulas[i].track);
    memory_free(context, baker.guests, clip->attachment_count, sizeof *baker.guests);
    memory_free(context, baker.formulas, baker.formula_room, sizeof *baker.formulas);
    memory_free(context, baker.times, baker.time_room, sizeof *baker.times);
    memory_free(context, baker.seen, scene->node_count, sizeof *baker.seen);
    memory_free(context, baker.queue, scene->node_count, sizeof *baker.queue);
    lookup_free(&baker.lookup);
    return fine || status != CP_OK ? status : CP_LIMIT;
}
