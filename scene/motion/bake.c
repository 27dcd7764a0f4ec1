/* Clips without attachments and formulas, sampled as finely as it takes. */
#include "bake.h"

#include <math.h>

#include "../mesh/mesh.h"
#include "grow.h"
#include "lookup.h"

/* A piece is halved no more often than this; a way that is not smooth ends there. */
enum { MOST_HALVINGS = 12, CORNERS = 8, LOOKS = 4 };
/* Where a piece is looked at. At quarters alone four whole turns would look like none. */
static const double looks[LOOKS] = {0.5, 0.25, 0.75, 0.38196601125010515};

/* A node that hangs elsewhere for a time. */
struct guest {
    uint32_t node;
    bool curved;                /* its own tracks are not straight, wherever it hangs */
    bool stretched;             /* its scale is not always the one that it has in the scene */
    double scale[3];            /* that */
    double corners[CORNERS][3]; /* of the box around what is below it, in its frame */
    struct growing_track tracks[3];
};

/* A joint with an expression. */
struct formula {
    uint32_t joint;
    double reach; /* metres that a unit of its value moves something */
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
    const bool *kept; /* nodes whose attachments stay; NULL: none */
    double tolerance;
    double first; /* when the clip begins */
    struct clip_lookup lookup;
    struct guest *guests;
    struct formula *formulas;
    uint32_t guest_count, formula_count;
    struct guest *guest; /* the one that is baked; NULL: formula is */
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
        if (!seen[node].listed && !(baker->kept && baker->kept[node]))
            baker->guests[baker->guest_count++] = (struct guest){.node = node, .curved = seen[node].curved};
        seen[node].listed = true;
    }
    bool fine = seen && baker->guests;
    memory_free(baker->context, seen, baker->scene->node_count, sizeof *seen);
    return fine;
}

/* How many joints that move have an expression. */
static uint32_t count_expressions(const cp_scene *scene)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < scene->joint_count; i++)
        count += scene->joints[i].expression && scene->joints[i].type != CP_JOINT_FIXED;
    return count;
}

/* Only those that follow what the clip moves. */
static bool find_formulas(struct baker *baker, double size)
{
    const cp_scene *scene = baker->scene;
    bool *moved = memory_allocate_zeroed(baker->context, scene->joint_count, sizeof *moved);
    baker->formulas = memory_allocate_zeroed(baker->context, count_expressions(scene), sizeof *baker->formulas);
    if (!moved || !baker->formulas) {
        memory_free(baker->context, moved, scene->joint_count, sizeof *moved);
        return false;
    }
    for (uint32_t i = 0; i < baker->clip->track_count; i++)
        if (baker->clip->tracks[i].path == CP_PATH_JOINT)
            moved[baker->clip->tracks[i].target] = true;
    for (uint32_t i = 0; i < scene->joint_count; i++) {
        const cp_joint *joint = &scene->joints[i];
        bool follows = false;
        for (uint32_t k = 0; joint->expression && k < joint->expression->input_count; k++)
            follows = follows || moved[joint->expression->inputs[k]];
        if (!follows || joint->type == CP_JOINT_FIXED)
            continue;
        struct formula *formula = &baker->formulas[baker->formula_count++];
        formula->joint = i;
        formula->reach = joint->type == CP_JOINT_PRISMATIC || !(size > 0) ? 1 : size;
        formula->track =
            (struct growing_track){.path = CP_PATH_JOINT, .tolerance = baker->tolerance / 2 / formula->reach};
    }
    memory_free(baker->context, moved, scene->joint_count, sizeof *moved);
    return true;
}

static void set_corners(struct guest *guest, const double lower[3], const double upper[3])
{
    for (int corner = 0; corner < CORNERS; corner++)
        for (int i = 0; i < 3; i++)
            guest->corners[corner][i] = corner >> i & 1 ? upper[i] : lower[i];
}

static double farthest(const struct guest *guest)
{
    double most = 0;
    for (int corner = 0; corner < CORNERS; corner++) {
        const double *at = guest->corners[corner];
        most = fmax(most, sqrt(at[0] * at[0] + at[1] * at[1] + at[2] * at[2]));
    }
    return most;
}

/* Where nothing is drawn, a box of a twentieth of the cell stands for what may be looked at. */
static bool measure_guests(struct baker *baker, double size)
{
    static const cp_path paths[] = {CP_PATH_TRANSLATION, CP_PATH_ROTATION, CP_PATH_SCALE};
    uint32_t nodes = baker->scene->node_count;
    cp_measures *boxes = memory_allocate(baker->context, nodes, sizeof *boxes);
    bool fine =
        boxes && (baker->guest_count == 0 || measure_node_boxes(baker->context, baker->scene, false, boxes) == CP_OK);
    for (uint32_t i = 0; fine && i < baker->guest_count; i++) {
        struct guest *guest = &baker->guests[i];
        const cp_measures *box = &boxes[guest->node];
        double half = size > 0 ? size / 40 : 0.01;
        if (box->any)
            set_corners(guest, box->lower, box->upper);
        else
            set_corners(guest, (double[]){-half, -half, -half}, (double[]){half, half, half});
        double reach = fmax(farthest(guest), 1e-9);
        struct trs rest;
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

/* All keys of a list's tracks, and the moments just before what happens at once. */
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

/* Of the joint, and of those that it follows. */
static bool add_keys_of_joint(struct baker *baker, uint32_t index)
{
    const cp_joint *joint = &baker->scene->joints[index];
    const struct by_target *list = &baker->lookup.joint_tracks;
    for (uint32_t i = 0; joint->expression && i < joint->expression->input_count; i++)
        if (!add_keys_of(baker, list, joint->expression->inputs[i]))
            return false;
    return joint->expression || add_keys_of(baker, list, joint->master == CP_NONE ? index : joint->master);
}

static bool see(struct baker *baker, uint32_t node, uint32_t *count)
{
    bool is_new = node != CP_NONE && baker->seen[node] != baker->seen_stamp;
    if (is_new) {
        baker->seen[node] = baker->seen_stamp;
        baker->queue[(*count)++] = node;
    }
    return is_new;
}

/* What happens as the clip begins has nothing before it. */
static bool add_attachments_of(struct baker *baker, uint32_t node, uint32_t *count)
{
    const struct by_target *list = &baker->lookup.attachments;
    for (uint32_t i = first_of(list, node); i < list->ends[node]; i++) {
        const cp_attachment *attachment = &baker->clip->attachments[list->items[i]];
        if (!add_time(baker, attachment->time) ||
            (attachment->time > baker->first && !add_time(baker, nextafter(attachment->time, -INFINITY))))
            return false;
        (void)see(baker, attachment->host, count);
    }
    return true;
}

/* Of the guest and of all that it may ever hang on, by any ways. */
static bool add_times_of_guest(struct baker *baker)
{
    uint32_t count = 0;
    baker->seen_stamp++;
    (void)see(baker, baker->guest->node, &count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = baker->queue[i];
        const cp_node *it = &baker->scene->nodes[node];
        (void)see(baker, it->parent, &count);
        if (!add_attachments_of(baker, node, &count) || !add_keys_of(baker, &baker->lookup.node_tracks, node))
            return false;
        for (uint32_t k = it->first_joint; k < it->first_joint + it->joint_count; k++)
            if (!add_keys_of_joint(baker, k))
                return false;
    }
    return true;
}

static bool list_times(struct baker *baker)
{
    baker->time_count = 0;
    if (!(baker->guest ? add_times_of_guest(baker) : add_keys_of_joint(baker, baker->formula->joint)))
        return false;
    baker->time_count = sort_times(baker->times, baker->time_count);
    return true;
}

/* The pose of a guest in its own parent's frame. */
static void take_pose(struct baker *baker, struct moment *moment)
{
    uint32_t node = baker->guest->node, parent = baker->scene->nodes[node].parent;
    uint32_t host = lookup_parent(&baker->lookup, node, moment->time);
    cp_pose pose = lookup_local(&baker->lookup, node, moment->time), back;
    moment->held = host != parent;
    if (moment->held) {
        cp_pose below = lookup_world(&baker->lookup, parent, moment->time);
        cp_pose above = lookup_world(&baker->lookup, host, moment->time), carried = pose_multiply(&above, &pose);
        bool fine = pose_inverse(&below, &back);
        pose = fine ? pose_multiply(&back, &carried) : baker->scene->nodes[node].local;
        baker->baked->flat += !fine;
    }
    baker->baked->sheared += !pose_to_trs(&pose, 1e-6, &moment->pose);
    for (int i = 0; i < 3; i++)
        if (fabs(moment->pose.scale[i] - baker->guest->scale[i]) > 1e-9 * fabs(baker->guest->scale[i]))
            baker->guest->stretched = true;
}

static void take_moment(struct baker *baker, double time, struct moment *moment)
{
    *moment = (struct moment){.time = time};
    if (baker->guest)
        take_pose(baker, moment);
    else
        moment->value = lookup_joint(&baker->lookup, baker->formula->joint, time);
}

/* ---- how far off the straight way is ---- */

static struct trs pose_between(const struct trs *a, const struct trs *b, double t)
{
    struct trs between;
    for (int i = 0; i < 3; i++) {
        between.translation[i] = a->translation[i] + (b->translation[i] - a->translation[i]) * t;
        between.scale[i] = a->scale[i] + (b->scale[i] - a->scale[i]) * t;
    }
    rotation_between(a->rotation, b->rotation, t, between.rotation);
    return between;
}

static double farthest_corner(const struct guest *guest, const struct trs *a, const struct trs *b)
{
    cp_pose first = pose_from_trs(a), second = pose_from_trs(b);
    double most = 0;
    for (int corner = 0; corner < CORNERS; corner++) {
        double x[3], y[3];
        pose_point(&first, guest->corners[corner], x);
        pose_point(&second, guest->corners[corner], y);
        most = fmax(
            most, sqrt((x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) + (x[2] - y[2]) * (x[2] - y[2])));
    }
    return most;
}

/* Whether what is at the moment between the two is near the straight way between them. */
static bool is_straight(const struct baker *baker, const struct moment *a, const struct moment *b,
                        const struct moment *moment)
{
    double t = (moment->time - a->time) / (b->time - a->time);
    if (baker->formula)
        return fabs(a->value + (b->value - a->value) * t - moment->value) * baker->formula->reach <=
               baker->tolerance / 2;
    struct trs between = pose_between(&a->pose, &b->pose, t);
    return farthest_corner(baker->guest, &between, &moment->pose) <= baker->tolerance / 2;
}

/* Where nothing carries it, a guest moves as its own tracks do. */
static bool bends(const struct baker *baker, const struct moment *at)
{
    return baker->formula || at->held || baker->guest->curved;
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

/* The moments from the first of the stack (which is in) to its second: halves, the nearer one first. moments[0]: where the way is;
 * then LOOKS between; then where it goes, the farthest first. */
static bool add_piece(struct baker *baker)
{
    struct moment *at = &baker->moments[0], *between = &baker->moments[1], *goals = &baker->moments[1 + LOOKS];
    uint32_t depth = 1;
    bool fine = true;
    while (depth > 0 && fine) {
        struct moment *goal = &goals[depth - 1];
        double length = goal->time - at->time;
        bool looked_at = bends(baker, at) && nextafter(at->time, INFINITY) < goal->time;
        bool straight = true;
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
    return fine;
}

static bool sample(struct baker *baker)
{
    if (!list_times(baker))
        return false;
    if (baker->time_count == 0)
        return true;
    take_moment(baker, baker->times[0], &baker->moments[0]);
    bool fine = add_keys(baker, &baker->moments[0]);
    for (uint32_t i = 1; i < baker->time_count && fine; i++) {
        take_moment(baker, baker->times[i], &baker->moments[1 + LOOKS]);
        fine = add_piece(baker);
    }
    return fine;
}

static bool sample_all(struct baker *baker)
{
    double last;
    uint32_t nodes = baker->scene->node_count;
    clip_range(baker->clip, &baker->first, &last);
    baker->seen = memory_allocate_zeroed(baker->context, nodes, sizeof *baker->seen);
    baker->queue = memory_allocate(baker->context, nodes, sizeof *baker->queue);
    bool fine = baker->seen && baker->queue;
    for (uint32_t i = 0; i < baker->guest_count && fine; i++) {
        baker->guest = &baker->guests[i];
        fine = sample(baker);
    }
    baker->guest = NULL;
    for (uint32_t i = 0; i < baker->formula_count && fine; i++) {
        baker->formula = &baker->formulas[i];
        fine = sample(baker);
    }
    return fine;
}

/* ---- the clip ---- */

static bool keep_attachments(struct baker *baker)
{
    const cp_clip *clip = baker->clip;
    cp_attachment *attachments = scene_allocate(baker->work, clip->attachment_count, sizeof *attachments);
    uint32_t count = 0;
    for (uint32_t i = 0; attachments && i < clip->attachment_count; i++)
        if (baker->kept && baker->kept[clip->attachments[i].node])
            attachments[count++] = clip->attachments[i];
    baker->baked->clip.attachments = attachments;
    baker->baked->clip.attachment_count = count;
    return attachments;
}

/* The clip's own tracks that say something: the first of each joint that nothing else drives, and of each part of the pose of a node that
 * is no guest. */
static bool keep_tracks(const struct baker *baker, cp_track *tracks, uint32_t *count)
{
    enum { PATHS = 4 };
    const cp_scene *scene = baker->scene;
    size_t most = scene->node_count > scene->joint_count ? scene->node_count : scene->joint_count;
    bool(*told)[PATHS] = memory_allocate_zeroed(baker->context, most, sizeof *told);
    for (uint32_t i = 0; told && i < baker->guest_count; i++)
        for (int path = CP_PATH_TRANSLATION; path < PATHS; path++)
            told[baker->guests[i].node][path] = true;
    for (uint32_t i = 0; told && i < scene->joint_count; i++)
        told[i][CP_PATH_JOINT] = cp_joint_is_dependent(&scene->joints[i]);
    for (uint32_t i = 0; told && i < baker->clip->track_count; i++) {
        const cp_track *track = &baker->clip->tracks[i];
        if (!told[track->target][track->path])
            tracks[(*count)++] = *track;
        told[track->target][track->path] = true;
    }
    bool fine = told != NULL;
    memory_free(baker->context, told, most, sizeof *told);
    return fine;
}

static bool finish(struct baker *baker)
{
    const cp_clip *clip = baker->clip;
    size_t most = (size_t)clip->track_count + 3 * (size_t)baker->guest_count + baker->formula_count;
    cp_track *tracks = scene_allocate(baker->work, most, sizeof *tracks);
    uint32_t count = 0;
    bool fine = tracks && keep_tracks(baker, tracks, &count);
    for (uint32_t i = 0; fine && i < baker->guest_count; i++)
        for (int k = 0; k < (baker->guests[i].stretched ? 3 : 2) && fine; k++)
            fine = track_finish(baker->work, &baker->guests[i].tracks[k], baker->guests[i].node, &tracks[count++]);
    for (uint32_t i = 0; fine && i < baker->formula_count; i++)
        fine = track_finish(baker->work, &baker->formulas[i].track, baker->formulas[i].joint, &tracks[count++]);
    baker->baked->clip.track_count = count;
    baker->baked->clip.tracks = tracks;
    return fine && keep_attachments(baker);
}

static void free_baker(struct baker *baker)
{
    cp_context *context = baker->context;
    for (uint32_t i = 0; i < baker->guest_count; i++)
        for (int k = 0; k < 3; k++)
            track_free(context, &baker->guests[i].tracks[k]);
    for (uint32_t i = 0; i < baker->formula_count; i++)
        track_free(context, &baker->formulas[i].track);
    memory_free(context, baker->guests, baker->clip->attachment_count, sizeof *baker->guests);
    memory_free(context, baker->formulas, count_expressions(baker->scene), sizeof *baker->formulas);
    memory_free(context, baker->times, baker->time_room, sizeof *baker->times);
    memory_free(context, baker->seen, baker->scene->node_count, sizeof *baker->seen);
    memory_free(context, baker->queue, baker->scene->node_count, sizeof *baker->queue);
    lookup_free(&baker->lookup);
}

cp_status clip_bake(cp_scene *work, const cp_scene *scene, const cp_clip *clip, const bool *kept,
                    const struct bake_limits *limits, struct baked_clip *baked)
{
    *baked = (struct baked_clip){.clip = *clip};
    struct baker baker = {.context = work->context,
                          .work = work,
                          .scene = scene,
                          .clip = clip,
                          .kept = kept,
                          .tolerance = limits->tolerance,
                          .lookup = {.context = work->context},
                          .baked = baked};
    bool fine = find_guests(&baker) && find_formulas(&baker, limits->size);
    if (fine && baker.guest_count + baker.formula_count > 0)
        fine = lookup_start(&baker.lookup, work->context, scene, clip) == CP_OK &&
               measure_guests(&baker, limits->size) && sample_all(&baker);
    fine = fine && finish(&baker);
    free_baker(&baker);
    return fine ? CP_OK : CP_LIMIT;
}
