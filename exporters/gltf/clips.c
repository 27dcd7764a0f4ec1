/* Writes clips as animations: the scene's own, and in profile deliver made ones (sweeps.c). */
#include "writer.h"

#include <float.h>
#include <math.h>

#include "base/text/text.h"

/* Slerp between keys turns at constant speed, the short way, which is the joint's way below half a turn. */
static const double largest_step = PI / 2;
/* The straight pieces of a revolute cubic between two keys, for each largest_step of its travel. */
enum { CUBIC_PIECES = 16, MOST_PIECES = 4096 };

/* ---- keys of one channel ---- */

/* Keys: count rows of doubles; a cubic's row is in-tangent, value, out-tangent. */
struct channel_keys {
    uint32_t count, row;
    cp_interpolation interpolation;
    const double *times;
    const double *values;
    double shift; /* added to times, as glTF has none below zero */
};

static float to_float(double value)
{
    return (float)fmax(-(double)FLT_MAX, fmin((double)FLT_MAX, value));
}

/* ---- channels ---- */

/* Adds numbers. Delivered files have no numbers twice, and few views. */
static uint32_t add_values(struct gltf_file *file, const float *values, uint64_t count, uint8_t width)
{
    static const enum stream_kind kinds[] = {[1] = STREAM_TIMES, [3] = STREAM_PLACES, [4] = STREAM_TURNS};
    struct accessor accessor = {.count = count, .component = COMPONENT_FLOAT, .width = width};
    bool ranged = width == 1; /* times */
    if (!values)
        return CP_NONE;
    if (is_deliver(file) && count <= UINT32_MAX)
        return stream_floats(&file->web.streams, kinds[width], values, (uint32_t)count, ranged);
    accessor.view = add_view(&file->binary, (struct buffer_view){.data = values, .count = count * width});
    if (ranged)
        set_range(&accessor, values);
    return add_accessor(&file->binary, accessor);
}

/* Returns the largest power of two up to the step; 0: the step is too small to matter. */
static double power_below(double step)
{
    return step > 1e-30 && step < 1e30 ? ldexp(1, ilogb(step)) : 0;
}

/* Rounds to multiples of the step, which is a power of two or 0. */
static float round_to(double value, double step)
{
    return step > 0 ? to_float(nearbyint(value / step) * step) : to_float(value);
}

/* Returns how far times may be off, so that the fastest way between two keys takes the other half of the channel's
 * share. A jump is no way, but its keys must stay apart. */
static double time_step(const struct channel_keys *keys, const float *values, uint8_t width, double rounding)
{
    double fastest = 1e-30, least = INFINITY;
    for (uint32_t i = 1; i < keys->count; i++) {
        double length = keys->times[i] - keys->times[i - 1], squares = 0;
        for (unsigned k = 0; k < width; k++) {
            double way = (double)values[(size_t)i * width + k] - (double)values[(size_t)(i - 1) * width + k];
            squares += way * way;
        }
        if (length < 1e-5)
            continue;
        fastest = fmax(fastest, sqrt(squares) / length);
        least = fmin(least, length);
    }
    double latest = fabs(keys->times[keys->count - 1] + keys->shift);
    double step = power_below(fmin(fmin(rounding / fastest, least / 4), 1.0 / 256));
    return fmax(step, power_below(latest / (1 << 21)));
}

/* Rounds the times, which glTF demands to ascend strictly: a jump is two keys as near as floats, or steps, can be. */
static float *round_times(const struct gltf_file *file, const struct channel_keys *keys, double step)
{
    float *times = scene_allocate(file->work, keys->count, sizeof *times);
    for (uint32_t i = 0; times && i < keys->count; i++) {
        times[i] = round_to(keys->times[i] + keys->shift, step);
        if (i > 0 && times[i] <= times[i - 1])
            times[i] = step > 0 ? times[i - 1] + (float)step : nextafterf(times[i - 1], FLT_MAX);
    }
    return times;
}

/* Adds a channel with its sampler, of a scene's node. values: rows of its width, three for each key when cubic. */
static bool add_channel(struct gltf_file *file, uint32_t node, struct channel channel, const struct channel_keys *keys,
                        float *values)
{
    struct motion_plan *motion = &file->motion;
    uint8_t width = channel.path == CP_PATH_ROTATION ? 4 : 3;
    uint64_t rows = (uint64_t)keys->count * (keys->interpolation == CP_CUBIC ? 3 : 1);
    double rounding = keys->interpolation == CP_CUBIC ? 0 : rounding_of(motion, node, channel.path);
    float *times = values ? round_times(file, keys, rounding > 0 ? time_step(keys, values, width, rounding) : 0) : NULL;
    for (uint64_t i = 0; times && i < rows * width; i++)
        values[i] = round_to((double)values[i], power_below(rounding));
    channel.interpolation = keys->count == 1 ? CP_STEP : keys->interpolation;
    channel.input = add_values(file, times, keys->count, 1);
    channel.output = channel.input == CP_NONE ? CP_NONE : add_values(file, values, rows, width);
    if (channel.output == CP_NONE)
        return false;
    channel.exact = channel.exact && channel.interpolation == keys->interpolation && keys->count > 1;
    for (uint32_t i = 0; i < keys->count; i++)
        channel.exact = channel.exact && (double)times[i] == keys->times[i];
    if (!array_reserve(file->context, &motion->channels, &motion->channel_room, motion->channel_count + UINT64_C(1),
                       sizeof channel))
        return false;
    motion->channels[motion->channel_count++] = channel;
    return true;
}

/* ---- revolute joints: turns in steps that slerp cannot mistake ---- */

/* Returns the number of straight pieces between a key and the next. factor: how much faster the joint turns than the
 * keys. *limited: there should be more. */
static uint32_t count_pieces(const struct channel_keys *keys, uint32_t key, double factor, bool *limited)
{
    const double *a = keys->values + (size_t)key * keys->row, *b = a + keys->row;
    bool cubic = keys->interpolation == CP_CUBIC;
    double length = keys->times[key + 1] - keys->times[key], pieces = 1;
    double travel = cubic ? fabs(b[1] - a[1]) + length * (fabs(a[2]) + fabs(b[0])) : fabs(b[0] - a[0]);
    if (keys->interpolation != CP_STEP && length != 0)
        pieces = fmax(1, ceil(travel * fabs(factor) / largest_step)) * (cubic ? CUBIC_PIECES : 1);
    *limited = !(pieces <= MOST_PIECES);
    return pieces < MOST_PIECES ? (uint32_t)pieces : MOST_PIECES; /* NaN: the most */
}

/* glTF 2.0 appendix C.5 */
static double value_at(const struct channel_keys *keys, uint32_t key, double t)
{
    const double *a = keys->values + (size_t)key * keys->row, *b = a + keys->row;
    if (keys->interpolation != CP_CUBIC)
        return t == 0 ? a[0] : a[0] + (b[0] - a[0]) * t;
    double length = keys->times[key + 1] - keys->times[key], t2 = t * t, t3 = t2 * t;
    return (2 * t3 - 3 * t2 + 1) * a[1] + length * (t3 - 2 * t2 + t) * a[2] + (3 * t2 - 2 * t3) * b[1] +
           length * (t3 - t2) * b[0];
}

/* Makes the same way with more keys, none of them cubic. */
static bool refine(struct gltf_file *file, const struct channel_keys *keys, double factor, struct channel_keys *fine)
{
    uint64_t total = 1;
    uint32_t at = 0;
    bool limited;
    for (uint32_t key = 0; key + 1 < keys->count; key++) {
        total += count_pieces(keys, key, factor, &limited);
        file->motion.turns += limited;
    }
    if (total > UINT32_MAX) {
        report_error(file->context, CP_LIMIT, "gltf-keys", NOWHERE, "a track needs more keys than glTF can count");
        return false;
    }
    double *times = scene_allocate(file->work, total, sizeof *times);
    double *values = scene_allocate(file->work, total, sizeof *values);
    if (!times || !values)
        return false;
    for (uint32_t key = 0; key + 1 < keys->count; key++) {
        uint32_t pieces = count_pieces(keys, key, factor, &limited);
        for (uint32_t i = 0; i < pieces; i++, at++) {
            double t = (double)i / pieces;
            times[at] = keys->times[key] + (keys->times[key + 1] - keys->times[key]) * t;
            values[at] = value_at(keys, key, t);
        }
    }
    bool cubic = keys->interpolation == CP_CUBIC;
    times[at] = keys->times[keys->count - 1];
    values[at++] = keys->values[(size_t)(keys->count - 1) * keys->row + cubic];
    *fine = (struct channel_keys){at, 1, cubic ? CP_LINEAR : keys->interpolation, times, values, keys->shift};
    return true;
}

/* ---- joints ---- */

/* Moves one joint of a track: q = scale * value + offset, as TRS. A tangent has no offset and no rest. */
static bool move_joint(struct gltf_file *file, uint32_t index, struct channel_keys keys)
{
    static const cp_path paths[] = {[CP_JOINT_REVOLUTE] = CP_PATH_ROTATION,
                                    [CP_JOINT_PRISMATIC] = CP_PATH_TRANSLATION,
                                    [CP_JOINT_SCALE] = CP_PATH_SCALE};
    const cp_joint *joint = &file->scene->joints[index];
    const struct joint_plan *plan = &file->joints[index];
    struct joint_law law = joint_law(file->scene->joints, index);
    if (joint->type == CP_JOINT_FIXED)
        return true;
    if (joint->type == CP_JOINT_REVOLUTE && !refine(file, &keys, law.scale, &keys))
        return false;
    struct channel channel = {.node = plan->node, .path = paths[joint->type]};
    unsigned width = path_width(channel.path);
    size_t rows = (size_t)keys.count * keys.row;
    float *values = scene_allocate(file->work, rows, width * sizeof *values);
    for (size_t i = 0; values && i < rows; i++) {
        bool tangent = keys.row == 3 && i % 3 != 1;
        struct trs trs = joint_trs(plan, joint, law.scale * keys.values[i] + (tangent ? 0 : law.offset));
        const double *from = joint->type == CP_JOINT_REVOLUTE ? trs.rotation
                             : joint->type == CP_JOINT_SCALE  ? trs.scale
                                                              : trs.translation;
        for (unsigned k = 0; k < width; k++)
            values[i * width + k] = tangent && k != (unsigned)plan->axis ? 0 : to_float(from[k]);
    }
    return add_channel(file, joint->node, channel, &keys, values);
}

/* Moves the joint and all that have it as master. */
static bool move_joints(struct gltf_file *file, uint32_t index, const struct channel_keys *keys)
{
    const struct followers *followers = &file->motion.followers;
    if (!move_joint(file, index, *keys))
        return false;
    for (uint32_t i = first_follower(followers, index); i < followers->ends[index]; i++)
        if (file->scene->joints[followers->joints[i]].master == index && !move_joint(file, followers->joints[i], *keys))
            return false;
    return true;
}

/* ---- nodes ---- */

/* Makes a rotation a unit quaternion; a tangent is none. */
static void make_unit(float *out, const double *q)
{
    double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], length = sqrt(square);
    bool good = length > 0 && isfinite(length);
    for (unsigned k = 0; k < 4; k++)
        out[k] = good ? (float)(q[k] / length) : (float)(k == 3);
}

static bool move_node(struct gltf_file *file, const cp_track *track, const struct channel_keys *keys)
{
    unsigned width = path_width(track->path);
    size_t count = (size_t)keys->count * keys->row;
    float *values = scene_allocate(file->work, count, sizeof *values);
    for (size_t i = 0; values && i < count; i++)
        values[i] = to_float(keys->values[i]);
    for (size_t row = 0; values && track->path == CP_PATH_ROTATION && row < count / width; row++)
        if (keys->interpolation != CP_CUBIC || row % 3 == 1)
            make_unit(values + row * width, keys->values + row * width);
    struct channel channel = {.node = file->nodes[track->target].first, .path = track->path, .exact = true};
    for (size_t i = 0; values && i < count; i++)
        channel.exact = channel.exact && (double)values[i] == keys->values[i];
    return add_channel(file, track->target, channel, keys, values);
}

/* ---- the scene's clips ---- */

static bool add_clip(struct gltf_file *file, struct clip_plan plan)
{
    struct motion_plan *motion = &file->motion;
    if (!array_reserve(file->context, &motion->clips, &motion->clip_room, motion->clip_count + UINT64_C(1),
                       sizeof plan))
        return false;
    motion->clips[motion->clip_count++] = plan;
    return true;
}

/* Writes all that a track of a clip moves. shift: of its times. */
static bool play_track(struct gltf_file *file, const cp_track *track, double shift)
{
    unsigned row = path_width(track->path) * (track->interpolation == CP_CUBIC ? 3 : 1);
    struct channel_keys keys = {track->key_count, row, track->interpolation, track->times, track->values, shift};
    if (keys.count == 1 && keys.interpolation == CP_CUBIC) { /* a lone cubic key is its value */
        keys.interpolation = CP_STEP;
        keys.values += keys.row / 3;
        keys.row /= 3;
    }
    if (track->path != CP_PATH_JOINT)
        return move_node(file, track, &keys);
    const cp_joint *joint = &file->scene->joints[track->target];
    if (joint->expression)
        return move_joint(file, track->target, keys);
    bool dependent = joint->master != CP_NONE; /* its own value is ignored */
    return dependent || move_joints(file, track->target, &keys);
}

static const struct channel *channels_of(const struct motion_plan *motion, const struct clip_plan *plan)
{
    return plan->channel_count ? motion->channels + plan->first_channel : NULL;
}

/* Lists the channels of a scene's clip that hold all of a track or, for the web, the rest of it, so that nothing is
 * written twice. */
static bool list_channels(const struct gltf_file *file, struct clip_plan *plan)
{
    const cp_clip *clip = &file->scene->clips[plan->clip];
    const struct channel *channels = channels_of(&file->motion, plan);
    uint32_t *taken = file->motion.taken;
    plan->channel_of = scene_allocate(file->work, clip->track_count, sizeof *plan->channel_of);
    if (!plan->channel_of)
        return false;
    /* keys in the frame of a host differ from the track's */
    for (uint32_t i = 0; i < clip->attachment_count; i++)
        memset(taken + (size_t)PATHS * clip->attachments[i].node + CP_PATH_TRANSLATION, 0, 3 * sizeof *taken);
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const cp_track *track = &clip->tracks[i];
        uint32_t *number = &taken[(size_t)PATHS * track->target + track->path];
        bool thinned = file->settings->tolerance > 0, said = *number > 0 && *number != CP_NONE;
        said = said && (file->settings->web || (channels[*number - 1].exact && !thinned));
        plan->channel_of[i] = said && (track->path == CP_PATH_JOINT || track->target > 0) ? *number - 1 : CP_NONE;
        *number = 0; /* the first of several tracks of one thing counts */
    }
    return true;
}

/* Tells whether a reader of the channel gets the joint's own values: turns are counted from the current one. */
static bool is_readable(const struct gltf_file *file, const cp_track *track, double shift)
{
    const cp_joint *joint = track->path == CP_PATH_JOINT ? &file->scene->joints[track->target] : NULL;
    bool turns = joint && joint->type == CP_JOINT_REVOLUTE;
    return shift == 0 && !(joint && cp_joint_is_dependent(joint)) &&
           (!turns || fabs(track->values[0] - joint->q) < 0.9 * PI);
}

bool plan_clip(struct gltf_file *file, struct clip_plan plan, const struct played_clip *played)
{
    const cp_clip *clip = &played->clip;
    uint32_t *taken = file->motion.taken;
    plan.first_channel = file->motion.channel_count;
    file->motion.sheared += played->sheared;
    file->motion.flat += played->flat;
    double first = 0;
    bool good = true;
    for (uint32_t i = 0; i < clip->track_count; i++)
        if (clip->tracks[i].key_count > 0)
            first = fmin(first, clip->tracks[i].times[0]);
    /* Two channels of one animation may not move the same thing, so the first track gets it. */
    for (uint32_t i = 0; i < clip->track_count && good; i++) {
        const cp_track *track = &clip->tracks[i];
        uint32_t *number = &taken[(size_t)PATHS * track->target + track->path], turns = (uint32_t)file->motion.turns;
        uint32_t channel = file->motion.channel_count;
        if (track->key_count == 0 || *number > 0)
            continue;
        good = play_track(file, track, 0 - first);
        bool made = file->motion.channel_count > channel && (uint32_t)file->motion.turns == turns;
        *number = made && is_readable(file, track, first) ? channel - plan.first_channel + 1 : CP_NONE;
    }
    plan.channel_count = file->motion.channel_count - plan.first_channel;
    good = good && (plan.clip == CP_NONE || !is_deliver(file) || list_channels(file, &plan));
    for (uint32_t i = 0; i < clip->track_count; i++)
        taken[(size_t)PATHS * clip->tracks[i].target + clip->tracks[i].path] = 0;
    return good && add_clip(file, plan);
}

bool plan_clips(struct gltf_file *file)
{
    const cp_scene *scene = file->scene;
    size_t targets = scene->node_count > scene->joint_count ? scene->node_count : scene->joint_count;
    if (!list_followers(&file->mechanism, &file->motion.followers))
        return false;
    file->motion.taken = file_allocate(file, targets, PATHS * sizeof *file->motion.taken);
    if (!file->motion.taken || (!file->motion.played && !plan_played(file)))
        return false;
    for (uint32_t i = 0; i < scene->clip_count; i++) {
        const struct clip_plan plan = {.name = scene->clips[i].name, .clip = i};
        if (!plan_clip(file, plan, &file->motion.played[i]))
            return false;
    }
    return true;
}

/* ---- JSON ---- */

static const char *const interpolation_words[] = {"STEP", "LINEAR", "CUBICSPLINE"};
static const char *const path_words[] = {"weights", "translation", "rotation", "scale"};

void write_tracks(struct json_writer *json, const struct gltf_file *file, const struct clip_plan *plan)
{
    const cp_clip *clip = &file->scene->clips[plan->clip];
    json_key_open(json, "tracks", '[');
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const cp_track *track = &clip->tracks[i];
        size_t width = path_width(track->path) * (track->interpolation == CP_CUBIC ? 3 : 1);
        json_open(json, '{');
        if (track->path == CP_PATH_JOINT) {
            json_key_text(json, "joint", file->scene->joints[track->target].id);
        } else {
            json_key_text(json, "node", file->scene->nodes[track->target].id);
            json_key_text(json, "path", path_words[track->path]);
        }
        if (plan->channel_of && plan->channel_of[i] != CP_NONE) {
            json_key_integer(json, "channel", plan->channel_of[i]);
        } else {
            json_key_text(json, "interpolation", interpolation_words[track->interpolation]);
            json_key_numbers(json, "times", track->times, track->key_count);
            json_key_numbers(json, "values", track->values, track->key_count * width);
        }
        json_row_members(json, file->scene, &track_layout, track, IN_STAGE);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_row_members(json, file->scene, &tables[TABLE_CLIPS].layout, clip, IN_STAGE);
}

static void write_clip(struct json_writer *json, const struct gltf_file *file, const struct clip_plan *plan)
{
    const struct channel *channels = channels_of(&file->motion, plan);
    json_open_item(json);
    json_key_text(json, "name", plan->name);
    json_key_open(json, "channels", '[');
    for (uint32_t i = 0; i < plan->channel_count; i++) {
        json_open(json, '{');
        json_key_integer(json, "sampler", i);
        json_key_open(json, "target", '{');
        json_key_integer(json, "node", channels[i].node);
        json_key_text(json, "path", path_words[channels[i].path]);
        json_close(json, '}');
        json_close(json, '}');
    }
    json_close(json, ']');
    json_key_open(json, "samplers", '[');
    for (uint32_t i = 0; i < plan->channel_count; i++) {
        json_open(json, '{');
        json_key_integer(json, "input", channels[i].input);
        json_key_integer(json, "output", channels[i].output);
        if (!is_deliver(file) || channels[i].interpolation != CP_LINEAR) /* which is the default */
            json_key_text(json, "interpolation", interpolation_words[channels[i].interpolation]);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_extras_open(json);
    if (plan->clip == CP_NONE) {
        json_key_text(json, "made", "sweep");
        if (plan->joint != CP_NONE)
            json_key_text(json, "joint", file->scene->joints[plan->joint].id);
    } else {
        write_tracks(json, file, plan);
        json_key_integer(json, "channels", plan->channel_count);
    }
    json_extras_close(json);
    json_close(json, '}');
}

void write_clips(struct json_writer *json, const struct gltf_file *file)
{
    if (file->motion.channel_count == 0)
        return;
    json_open_list(json, "animations");
    for (uint32_t i = 0; i < file->motion.clip_count; i++)
        if (file->motion.clips[i].channel_count > 0)
            write_clip(json, file, &file->motion.clips[i]);
    json_close(json, ']');
}
