/* Clips as animations: the scene's own, and in profile deliver a made one a driven joint. */
#include "writer.h"

#include <float.h>
#include <math.h>

#include "../../scene/motion/bake.h"
#include "../../scene/motion/grow.h"
#include "../../scene/motion/play.h"

/* Slerp between keys is a turn at constant speed, the short way: that is the joint's way below half a turn. */
static const double largest_step = PI / 2;
/* Straight pieces of a revolute cubic between two keys, per largest_step of its travel. */
enum { CUBIC_PIECES = 16, MOST_PIECES = 4096 };

/* ---- keys of one channel ---- */

/* count rows of doubles; a cubic's row is in-tangent, value, out-tangent. */
struct keys {
    uint32_t count, row;
    cp_interpolation interpolation;
    const double *times;
    const double *values;
    double shift; /* added to times: glTF has none below zero */
};

static float to_float(double value)
{
    return (float)fmax(-(double)FLT_MAX, fmin((double)FLT_MAX, value));
}

static uint32_t add_values(struct writer *writer, const float *values, uint64_t count, uint8_t width, bool ranged)
{
    struct accessor accessor = {.count = count, .component = COMPONENT_FLOAT, .width = width};
    if (!values)
        return CP_NONE;
    accessor.view = add_view(&writer->binary, (struct view){.data = values, .count = count * width});
    if (ranged)
        set_range(&accessor, values);
    return add_accessor(&writer->binary, accessor);
}

/* ---- revolute joints: turns in steps that slerp cannot mistake ---- */

/* A channel with its sampler. values: rows of its width, three a key when cubic. */
static bool add_channel(struct writer *writer, struct channel channel, const struct keys *keys, const float *values)
{
    struct motion_plan *motion = &writer->motion;
    uint8_t width = channel.path == CP_PATH_ROTATION ? 4 : 3;
    uint64_t rows = (uint64_t)keys->count * (keys->interpolation == CP_CUBIC ? 3 : 1);
    /* Times ascend strictly, as glTF wants it: a jump is two keys as near as floats can be. */
    float *times = scene_allocate(writer->work, keys->count, sizeof *times);
    for (uint32_t i = 0; times && i < keys->count; i++) {
        times[i] = to_float(keys->times[i] + keys->shift);
        if (i > 0 && times[i] <= times[i - 1])
            times[i] = nextafterf(times[i - 1], FLT_MAX);
    }
    channel.interpolation = keys->count == 1 ? CP_STEP : keys->interpolation;
    channel.input = add_values(writer, times, keys->count, 1, true);
    channel.output = channel.input == CP_NONE ? CP_NONE : add_values(writer, values, rows, width, false);
    if (channel.output == CP_NONE)
        return false;
    void *channels = motion->channels;
    bool room = array_reserve(writer->context, &channels, &motion->channel_room, motion->channel_count + UINT64_C(1),
                              sizeof channel);
    motion->channels = channels;
    if (room)
        motion->channels[motion->channel_count++] = channel;
    return room;
}

/* The straight pieces between a key and the next. factor: how much faster the joint turns than the keys say. *limited:
 * whether there should be more. */
static uint32_t count_pieces(const struct keys *keys, uint32_t key, double factor, bool *limited)
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
static double value_at(const struct keys *keys, uint32_t key, double t)
{
    const double *a = keys->values + (size_t)key * keys->row, *b = a + keys->row;
    if (keys->interpolation != CP_CUBIC)
        return t == 0 ? a[0] : a[0] + (b[0] - a[0]) * t;
    double length = keys->times[key + 1] - keys->times[key], t2 = t * t, t3 = t2 * t;
    return (2 * t3 - 3 * t2 + 1) * a[1] + length * (t3 - 2 * t2 + t) * a[2] + (3 * t2 - 2 * t3) * b[1] +
           length * (t3 - t2) * b[0];
}

/* The same way with more keys, none of them cubic. */
static bool refine(struct writer *writer, const struct keys *keys, double factor, struct keys *fine)
{
    uint64_t total = 1;
    uint32_t at = 0;
    bool limited;
    for (uint32_t key = 0; key + 1 < keys->count; key++) {
        total += count_pieces(keys, key, factor, &limited);
        writer->motion.turns += limited;
    }
    if (total > UINT32_MAX) {
        report_error(writer->context, CP_LIMIT, "gltf-keys", NOWHERE, "a track needs more keys than glTF can count");
        return false;
    }
    double *times = scene_allocate(writer->work, total, sizeof *times);
    double *values = scene_allocate(writer->work, total, sizeof *values);
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
    *fine = (struct keys){at, 1, cubic ? CP_LINEAR : keys->interpolation, times, values, keys->shift};
    return true;
}

/* ---- joints ---- */

/* One joint of those that a track moves: q = scale * value + offset, as TRS. A tangent has no offset and no rest. */
static bool move_joint(struct writer *writer, uint32_t index, struct keys keys)
{
    static const cp_path paths[] = {[CP_JOINT_REVOLUTE] = CP_PATH_ROTATION,
                                    [CP_JOINT_PRISMATIC] = CP_PATH_TRANSLATION,
                                    [CP_JOINT_SCALE] = CP_PATH_SCALE};
    const cp_joint *joint = &writer->scene->joints[index];
    const struct joint_plan *plan = &writer->joints[index];
    struct joint_law law = joint_law(writer->scene->joints, index);
    if (joint->type == CP_JOINT_FIXED)
        return true;
    if (joint->type == CP_JOINT_REVOLUTE && !refine(writer, &keys, law.scale, &keys))
        return false;
    struct channel channel = {.node = plan->node, .path = paths[joint->type]};
    unsigned width = path_width(channel.path);
    size_t rows = (size_t)keys.count * keys.row;
    float *values = scene_allocate(writer->work, rows, width * sizeof *values);
    for (size_t i = 0; values && i < rows; i++) {
        bool tangent = keys.row == 3 && i % 3 != 1;
        struct trs trs = joint_trs(plan, joint, law.scale * keys.values[i] + (tangent ? 0 : law.offset));
        const double *from = joint->type == CP_JOINT_REVOLUTE ? trs.rotation
                             : joint->type == CP_JOINT_SCALE  ? trs.scale
                                                              : trs.translation;
        for (unsigned k = 0; k < width; k++)
            values[i * width + k] = tangent && k != (unsigned)plan->axis ? 0 : to_float(from[k]);
    }
    return add_channel(writer, channel, &keys, values);
}

/* The joint and all that have it for a master. */
static bool move_joints(struct writer *writer, uint32_t index, const struct keys *keys)
{
    const struct followers *followers = &writer->motion.followers;
    if (!move_joint(writer, index, *keys))
        return false;
    for (uint32_t i = first_follower(followers, index); i < followers->ends[index]; i++)
        if (writer->scene->joints[followers->joints[i]].master == index &&
            !move_joint(writer, followers->joints[i], *keys))
            return false;
    return true;
}

/* ---- nodes ---- */

static bool move_node(struct writer *writer, const cp_track *track, const struct keys *keys)
{
    unsigned width = path_width(track->path);
    size_t count = (size_t)keys->count * keys->row;
    float *values = scene_allocate(writer->work, count, sizeof *values);
    for (size_t i = 0; values && i < count; i++)
        values[i] = to_float(keys->values[i]);
    /* Rotations are unit quaternions, tangents are not. */
    for (size_t row = 0; values && track->path == CP_PATH_ROTATION && row < count / width; row++) {
        const double *q = keys->values + row * width;
        double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        bool good = length > 0 && isfinite(length), tangent = keys->interpolation == CP_CUBIC && row % 3 != 1;
        for (unsigned k = 0; k < 4 && !tangent; k++)
            values[row * width + k] = good ? (float)(q[k] / length) : (float)(k == 3);
    }
    struct channel channel = {.node = writer->nodes[track->target].first, .path = track->path};
    return add_channel(writer, channel, keys, values);
}

/* ---- the scene's clips ---- */

static bool add_clip(struct writer *writer, struct clip_plan plan)
{
    void *clips = writer->motion.clips;
    bool room = array_reserve(writer->context, &clips, &writer->motion.clip_room,
                              writer->motion.clip_count + UINT64_C(1), sizeof plan);
    writer->motion.clips = clips;
    plan.first_channel = writer->motion.channel_count;
    if (room)
        writer->motion.clips[writer->motion.clip_count++] = plan;
    return room;
}

static void end_clip(struct writer *writer)
{
    struct clip_plan *plan = &writer->motion.clips[writer->motion.clip_count - 1];
    plan->channel_count = writer->motion.channel_count - plan->first_channel;
}

/* What moves by a track of a clip. shift: of its times. */
static bool play_track(struct writer *writer, const cp_track *track, double shift)
{
    unsigned row = path_width(track->path) * (track->interpolation == CP_CUBIC ? 3 : 1);
    struct keys keys = {track->key_count, row, track->interpolation, track->times, track->values, shift};
    if (keys.count == 1 && keys.interpolation == CP_CUBIC) { /* a lone cubic key is its value */
        keys.interpolation = CP_STEP;
        keys.values += keys.row / 3;
        keys.row /= 3;
    }
    if (track->path != CP_PATH_JOINT)
        return move_node(writer, track, &keys);
    const cp_joint *joint = &writer->scene->joints[track->target];
    if (joint->expression)
        return move_joint(writer, track->target, keys);
    bool dependent = joint->master != CP_NONE; /* its own value is ignored */
    return dependent || move_joints(writer, track->target, &keys);
}

/* What is sampled is this near, unless the user says otherwise: a millionth of the scene, about what single precision
 * tells apart. */
static double bake_tolerance(const struct writer *writer)
{
    double size = writer->diagonal > 0 && isfinite(writer->diagonal) ? writer->diagonal : 1;
    return writer->settings->tolerance > 0 ? writer->settings->tolerance : 5e-7 * size;
}

/* taken: for each target, zero; the paths of it that a track has. */
static bool plan_scene_clip(struct writer *writer, uint32_t index, char *taken)
{
    const cp_clip *clip = &writer->scene->clips[index];
    const struct bake_limits limits = {bake_tolerance(writer), writer->diagonal};
    struct baked_clip baked;
    if (!add_clip(writer, (struct clip_plan){.name = clip->name, .clip = index}) ||
        clip_bake(writer->work, writer->scene, clip, NULL, &limits, &baked) != CP_OK)
        return false;
    writer->motion.sheared += baked.sheared;
    writer->motion.flat += baked.flat;
    double first = 0;
    for (uint32_t i = 0; i < baked.clip.track_count; i++)
        if (baked.clip.tracks[i].key_count > 0)
            first = fmin(first, baked.clip.tracks[i].times[0]);
    /* Two channels of one animation may not move the same thing: the first track has it. */
    for (uint32_t i = 0; i < baked.clip.track_count; i++) {
        const cp_track *track = &baked.clip.tracks[i];
        char bit = (char)(1 << track->path);
        if (track->key_count == 0 || (taken[track->target] & bit))
            continue;
        taken[track->target] |= bit;
        if (!play_track(writer, track, 0 - first))
            return false;
    }
    for (uint32_t i = 0; i < baked.clip.track_count; i++)
        taken[baked.clip.tracks[i].target] = 0;
    end_clip(writer);
    return true;
}

/* ---- made clips ---- */

/* A joint whose formula is over the swept one. */
static bool follow_sweep(struct writer *writer, uint32_t driver, uint32_t index, const struct sweep *sweep)
{
    const cp_joint *joint = &writer->scene->joints[index];
    bool slides = joint->type == CP_JOINT_PRISMATIC || !(writer->diagonal > 0);
    struct growing_track track = {.path = CP_PATH_JOINT,
                                  .tolerance = bake_tolerance(writer) / (slides ? 1 : writer->diagonal)};
    cp_track made;
    bool fine = sweep_expression(&writer->mechanism, driver, index, sweep, &track) &&
                track_finish(writer->work, &track, index, &made);
    track_free(writer->context, &track);
    struct keys keys = {made.key_count, 1, CP_LINEAR, made.times, made.values, 0};
    return fine && move_joint(writer, index, keys);
}

static bool plan_sweep(struct writer *writer, uint32_t index)
{
    const cp_joint *joint = &writer->scene->joints[index];
    const struct followers *followers = &writer->motion.followers;
    struct sweep *sweep = scene_allocate(writer->work, 1, sizeof *sweep);
    if (!sweep)
        return false;
    if (!joint_sweep(joint, writer->diagonal, sweep))
        return true;
    struct keys keys = {SWEEP_KEYS, 1, CP_LINEAR, sweep->times, sweep->values, 0};
    if (!add_clip(writer, (struct clip_plan){.name = joint->name, .clip = CP_NONE, .joint = index}) ||
        !move_joints(writer, index, &keys))
        return false;
    for (uint32_t i = first_follower(followers, index); i < followers->ends[index]; i++)
        if (writer->scene->joints[followers->joints[i]].expression &&
            !follow_sweep(writer, index, followers->joints[i], sweep))
            return false;
    end_clip(writer);
    return true;
}

bool plan_clips(struct writer *writer)
{
    const cp_scene *scene = writer->scene;
    uint32_t targets = scene->node_count > scene->joint_count ? scene->node_count : scene->joint_count;
    if (!list_followers(writer->context, scene, &writer->motion.followers))
        return false;
    char *taken = writer_allocate(writer, targets, 1);
    if (!taken)
        return false;
    for (uint32_t i = 0; i < scene->clip_count; i++)
        if (!plan_scene_clip(writer, i, taken))
            return false;
    if (!is_deliver(writer) || writer->settings->clips == CLIPS_NONE)
        return true;
    for (uint32_t i = 0; i < scene->joint_count; i++)
        if (!plan_sweep(writer, i))
            return false;
    return true;
}

/* ---- JSON ---- */

static const char *const interpolation_words[] = {"STEP", "LINEAR", "CUBICSPLINE"};
static const char *const path_words[] = {"weights", "translation", "rotation", "scale"};

void write_tracks(struct writer *writer, const cp_clip *clip)
{
    struct json_writer *json = &writer->json;
    json_key_open(json, "tracks", '[');
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const cp_track *track = &clip->tracks[i];
        size_t width = path_width(track->path) * (track->interpolation == CP_CUBIC ? 3 : 1);
        json_open(json, '{');
        if (track->path == CP_PATH_JOINT) {
            json_key_text(json, "joint", writer->scene->joints[track->target].id);
        } else {
            json_key_text(json, "node", writer->scene->nodes[track->target].id);
            json_key_text(json, "path", path_words[track->path]);
        }
        json_key_text(json, "interpolation", interpolation_words[track->interpolation]);
        json_key_numbers(json, "times", track->times, track->key_count);
        json_key_numbers(json, "values", track->values, track->key_count * width);
        json_close(json, '}');
    }
    json_close(json, ']');
    if (clip->attachment_count == 0)
        return;
    json_key_open(json, "attachments", '[');
    for (uint32_t i = 0; i < clip->attachment_count; i++) {
        json_open(json, '{');
        json_key_number(json, "time", clip->attachments[i].time);
        json_key_text(json, "node", writer->scene->nodes[clip->attachments[i].node].id);
        json_key_text(json, "host", writer->scene->nodes[clip->attachments[i].host].id);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void write_clip(struct writer *writer, const struct clip_plan *plan)
{
    struct json_writer *json = &writer->json;
    const struct channel *channels = writer->motion.channels + plan->first_channel;
    json_line(json);
    json_open(json, '{');
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
        json_key_text(json, "interpolation", interpolation_words[channels[i].interpolation]);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_extras_open(json);
    if (plan->clip == CP_NONE) {
        json_key_text(json, "made", "sweep");
        json_key_text(json, "joint", writer->scene->joints[plan->joint].id);
    } else {
        write_tracks(writer, &writer->scene->clips[plan->clip]);
        json_key_integer(json, "channels", plan->channel_count);
    }
    json_extras_close(json);
    json_close(json, '}');
}

void write_clips(struct writer *writer)
{
    struct json_writer *json = &writer->json;
    if (writer->motion.channel_count == 0)
        return;
    json_line(json);
    json_key_open(json, "animations", '[');
    for (uint32_t i = 0; i < writer->motion.clip_count; i++)
        if (writer->motion.clips[i].channel_count > 0)
            write_clip(writer, &writer->motion.clips[i]);
    json_close(json, ']');
}
