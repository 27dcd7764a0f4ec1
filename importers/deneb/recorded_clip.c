/* A recording's keys as a clip of the scene. */
#include "recorder.h"

#include <math.h>

#include "base/text/text.h"

/* ---- the start ---- */

static bool make_room(struct recorder *recorder, struct recorded_poses *poses, struct recorded_step *step,
                      struct recorded_keys *keys)
{
    const struct deneb_cell *cell = recorder->cell;
    uint32_t nodes = recorder->scene->node_count;
    struct arena *arena = recorder->arena = arena_new(cell->context);
    step->devices = arena_allocate_zeroed(arena, cell->devices.count, sizeof *step->devices);
    keys->joints = arena_allocate_zeroed(arena, cell->joints.count, sizeof *keys->joints);
    step->listed = arena_allocate(arena, cell->devices.count, sizeof *step->listed);
    keys->joint_numbers = arena_allocate_zeroed(arena, recorder->scene->joint_count, sizeof *keys->joint_numbers);
    poses->parents = arena_allocate(arena, nodes, sizeof *poses->parents);
    poses->locals = arena_allocate(arena, nodes, sizeof *poses->locals);
    poses->worlds = arena_allocate(arena, nodes, sizeof *poses->worlds);
    poses->stamps = arena_allocate_zeroed(arena, nodes, sizeof *poses->stamps);
    poses->placed = arena_allocate_zeroed(arena, nodes, sizeof *poses->placed);
    poses->order = arena_allocate(arena, nodes, sizeof *poses->order);
    poses->way = arena_allocate(arena, nodes, sizeof *poses->way);
    return !arena_failed(arena);
}

/* Gives a share of the tolerance to each track that may move a point. */
static cp_status set_tolerances(const struct recorder *recorder, struct recorded_step *step, struct recorded_keys *keys,
                                double tolerance)
{
    const struct deneb_cell *cell = recorder->cell;
    struct deneb_shares shares;
    cp_status status = deneb_share_tolerance(cell, recorder->scene, tolerance, &shares);
    for (uint32_t i = 0; i < cell->devices.count && status == CP_OK; i++)
        for (int k = 0; k < 3; k++)
            step->devices[i].tracks[k].tolerance = k == 0 ? shares.move : shares.turns[cell->devices.items[i].node];
    for (uint32_t i = 0; i < cell->joints.count && status == CP_OK; i++)
        keys->joints[i].tolerance = cell->joints.items[i].motion == DENEB_TRANSLATE
                                        ? shares.move
                                        : shares.turns[recorder->scene->joints[cell->joints.items[i].joint].node];
    deneb_free_shares(cell, recorder->scene, &shares);
    return status;
}

static cp_status set_out(struct recorder *recorder, struct recorded_poses *poses, struct recorded_step *step,
                         struct recorded_keys *keys)
{
    const struct deneb_cell *cell = recorder->cell;
    const cp_scene *scene = recorder->scene;
    static const cp_path paths[] = {CP_PATH_TRANSLATION, CP_PATH_ROTATION, CP_PATH_SCALE};
    for (uint32_t i = 0; i < scene->node_count; i++) {
        poses->parents[i] = scene->nodes[i].parent;
        poses->locals[i] = scene->nodes[i].local;
    }
    for (uint32_t i = 0; i < cell->devices.count; i++) {
        step->devices[i].rest = recorder_split(recorder, &cell->devices.items[i].pose);
        for (int k = 0; k < 3; k++)
            step->devices[i].tracks[k] =
                (struct growing_track){.path = paths[k], .log = &keys->log, .number = 3 * i + (uint32_t)k};
    }
    for (uint32_t i = 0; i < cell->joints.count; i++) {
        keys->joints[i] =
            (struct growing_track){.path = CP_PATH_JOINT, .log = &keys->log, .number = 3 * cell->devices.count + i};
        keys->joint_numbers[cell->joints.items[i].joint] = i;
    }
    recorder->sheared = 0; /* of poses that stay as they are */
    poses->stamp = 1;
    return cell->settings->tolerance > 0 ? set_tolerances(recorder, step, keys, cell->settings->tolerance) : CP_OK;
}

cp_status recorder_start(struct recorder *recorder, struct recorded_poses *poses, struct recorded_step *step,
                         struct recorded_keys *keys)
{
    cp_status status = mechanism_open(&poses->mechanism, recorder->cell->context, recorder->scene);
    return status != CP_OK                          ? status
           : make_room(recorder, poses, step, keys) ? set_out(recorder, poses, step, keys)
                                                    : CP_LIMIT;
}

void recorder_free(const struct recorder *recorder, struct recorded_poses *poses, struct recorded_keys *keys)
{
    key_log_free(&keys->log);
    mechanism_close(&poses->mechanism);
    memory_free(recorder->cell->context, keys->attachments, keys->attachment_room, sizeof *keys->attachments);
    arena_free(recorder->arena);
}

/* ---- the clip ---- */

struct kept {
    cp_track *tracks;
    struct key_target *targets; /* of all tracks by number */
    uint32_t count;
    uint64_t samples, keys;
};

/* Keeps a track unless it never leaves the value that the scene has. */
static bool choose_track(const struct recorder *recorder, const struct recorded_step *step, struct growing_track *track,
                         const double *rest, uint32_t target, struct kept *kept)
{
    cp_context *context = recorder->cell->context;
    uint32_t width = kept->targets[track->number].width = path_width(track->path);
    if (track->count == 0 || track->samples == 0 ||
        (!track->moves && memcmp(track->first, rest, width * sizeof *rest) == 0))
        return true;
    if (kept->count == 0) { /* one track has the clip's length, even if the last steps change nothing */
        double time, value[4];
        memcpy(value, track_latest(track, &time), width * sizeof *value);
        if (time < step->before && !track_add(context, track, step->before, value))
            return false;
    }
    if (!track_cut(context, track))
        return false;
    kept->tracks[kept->count++] =
        (cp_track){.target = target, .path = track->path, .interpolation = CP_LINEAR, .key_count = track->count};
    kept->samples += track->samples;
    kept->keys += track->count;
    return true;
}

static bool choose_tracks(struct recorder *recorder, struct recorded_step *step, struct recorded_keys *keys,
                          struct kept *kept)
{
    const struct deneb_cell *cell = recorder->cell;
    bool fine = true;
    for (uint32_t i = 0; i < cell->devices.count && fine; i++) {
        struct recorded_device *state = &step->devices[i];
        const double *rests[] = {state->rest.translation, state->rest.rotation, state->rest.scale};
        for (int k = 0; k < 3 && fine; k++)
            fine = choose_track(recorder, step, &state->tracks[k], rests[k], cell->devices.items[i].node, kept);
    }
    for (uint32_t i = 0; i < cell->joints.count && fine; i++)
        if (deneb_is_set(&cell->joints.items[i]))
            fine =
                choose_track(recorder, step, &keys->joints[i], &recorder->scene->joints[cell->joints.items[i].joint].q,
                             cell->joints.items[i].joint, kept);
    return fine;
}

/* Returns the number that a track has in the log. */
static uint32_t number_of(const struct recorder *recorder, const struct recorded_keys *keys, const cp_track *track)
{
    const struct deneb_cell *cell = recorder->cell;
    const cp_scene *scene = recorder->scene;
    if (track->path != CP_PATH_JOINT)
        return 3 * scene->nodes[track->target].scope + (uint32_t)track->path - CP_PATH_TRANSLATION;
    return 3 * cell->devices.count + keys->joint_numbers[track->target];
}

/* Makes memory for the kept keys only, each page of which is touched when its keys come; then deals out the log, which
 * frees its own on the way. A single block would come in large pages, all of them at once. */
static bool keep_tracks(const struct recorder *recorder, struct recorded_keys *keys, struct kept *kept)
{
    for (uint32_t i = 0; i < kept->count; i++) {
        cp_track *track = &kept->tracks[i];
        struct key_target *target = &kept->targets[number_of(recorder, keys, track)];
        double *room = scene_allocate(recorder->scene, (size_t)track->key_count * (1 + target->width), sizeof *room);
        if (!room)
            return false;
        track->times = target->times = room;
        track->values = target->values = room + track->key_count;
    }
    key_log_deal(&keys->log, kept->targets);
    return true;
}

static void report(const struct recorder *recorder, const struct kept *kept)
{
    cp_context *context = recorder->cell->context;
    struct place place = IN_FILE(recorder->file->source->name);
    if (recorder->cell->settings->tolerance > 0)
        report_note(context, "deneb-thinned", place, "%llu of %llu keys are kept, within %s mm",
                    (unsigned long long)kept->keys, (unsigned long long)kept->samples,
                    show_number(1000 * recorder->cell->settings->tolerance).text);
    if (recorder->sheared > 0)
        report_loss(context, "deneb-sheared", place, recorder->sheared, "the shear of a recorded matrix");
    if (recorder->flat > 0)
        report_loss(context, "deneb-flat", place, recorder->flat,
                    "the pose of a device on a part that is flat, in a step");
}

cp_status recorder_make_clip(struct recorder *recorder, struct recorded_step *step, struct recorded_keys *keys)
{
    const struct deneb_cell *cell = recorder->cell;
    cp_scene *scene = recorder->scene;
    struct kept kept = {0};
    size_t size;
    const char *stem = text_stem(recorder->file->source->name, &size);
    const char *name = arena_copy_text(scene->arena, stem, size), *raw;
    name = name ? utf8_from(scene->arena, name, size, &raw) : NULL;
    kept.tracks = scene_allocate(scene, 3 * (size_t)cell->devices.count + cell->joints.count, sizeof *kept.tracks);
    size_t track_count = 3 * (size_t)cell->devices.count + cell->joints.count;
    kept.targets = memory_allocate_zeroed(cell->context, track_count, sizeof *kept.targets);
    bool fine = name && kept.tracks && kept.targets && choose_tracks(recorder, step, keys, &kept) &&
                keep_tracks(recorder, keys, &kept);
    memory_free(cell->context, kept.targets, track_count, sizeof *kept.targets);
    if (!fine)
        return CP_LIMIT;
    uint32_t clip = scene_add_clip(scene, name, kept.count, kept.tracks);
    const cp_attachment *attachments = scene_keep_array(scene, &keys->attachments, &keys->attachment_room,
                                                        keys->attachment_count, sizeof *attachments);
    if (clip == CP_NONE || !attachments)
        return CP_LIMIT;
    scene->clips[clip].attachments = attachments;
    scene->clips[clip].attachment_count = keys->attachment_count;
    report(recorder, &kept);
    return CP_OK;
}
