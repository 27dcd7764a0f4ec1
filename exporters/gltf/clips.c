/* Clips as animations: the scene's own, and in profile deliver a made one a driven joint. */
#include "writer.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "../../scene/motion/bake.h"
#include "../../scene/motion/grow.h"

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

/* Strictly ascending, as glTF wants it: a jump is two keys as near as floats can be. */
static const float *float_times(struct writer *writer, const struct keys *keys)
{
    float *times = scene_allocate(writer->work, keys->count, sizeof *times);
    for (uint32_t i = 0; times && i < keys->count; i++) {
        times[i] = to_float(keys->times[i] + keys->shift);
        if (i > 0 && times[i] <= times[i - 1])
            times[i] = nextafterf(times[i - 1], FLT_MAX);
    }
    return times;
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

static bool add_channel(struct writer *writer, struct channel channel)
{
    void *channels = writer->motion.channels;
    bool room = array_reserve(writer->context, &channels, &writer->motion.channel_room,
                              writer->motion.channel_count + UINT64_C(1), sizeof channel);
    writer->motion.channels = channels;
    if (room)
        writer->motion.channels[writer->motion.channel_count++] = channel;
    return room;
}

/* values: rows of `width`, three a key when cubic. */
static bool add_sampler(struct writer *writer, struct channel channel, const struct keys *keys, const float *values)
{
    uint8_t width = channel.path == CP_PATH_ROTATION ? 4 : 3;
    uint64_t rows = (uint64_t)keys->count * (keys->interpolation == CP_CUBIC ? 3 : 1);
    channel.interpolation = keys->count == 1 ? CP_STEP : keys->interpolation;
    channel.input = add_values(writer, float_times(writer, keys), keys->count, 1, true);
    channel.output = channel.input == CP_NONE ? CP_NONE : add_values(writer, values, rows, width, false);
    return channel.output != CP_NONE && add_channel(writer, channel);
}

/* A lone cubic key is its value. */
static struct keys without_lone_tangents(struct keys keys)
{
    if (keys.count == 1 && keys.interpolation == CP_CUBIC) {
        keys.interpolation = CP_STEP;
        keys.values += keys.row / 3;
        keys.row /= 3;
    }
    return keys;
}

/* ---- revolute joints: turns in steps that slerp cannot mistake ---- */

static double cubic_value(const double *a, const double *b, double length, double t)
{
    /* glTF 2.0 appendix C.5 */
    double t2 = t * t, t3 = t2 * t;
    return (2 * t3 - 3 * t2 + 1) * a[1] + length * (t3 - 2 * t2 + t) * a[2] + (3 * t2 - 2 * t3) * b[1] +
           length * (t3 - t2) * b[0];
}

static double wanted_pieces(const struct keys *keys, uint32_t key, double factor)
{
    const double *a = keys->values + (size_t)key * keys->row, *b = a + keys->row;
    bool cubic = keys->interpolation == CP_CUBIC;
    double length = keys->times[key + 1] - keys->times[key];
    double travel = cubic ? fabs(b[1] - a[1]) + length * (fabs(a[2]) + fabs(b[0])) : fabs(b[0] - a[0]);
    if (keys->interpolation == CP_STEP || length == 0)
        return 1;
    return fmax(1, ceil(travel * fabs(factor) / largest_step)) * (cubic ? CUBIC_PIECES : 1);
}

static uint32_t count_pieces(const struct keys *keys, uint32_t key, double factor)
{
    double pieces = wanted_pieces(keys, key, factor);
    return pieces < MOST_PIECES ? (uint32_t)pieces : MOST_PIECES; /* NaN: the most */
}

static double value_at(const struct keys *keys, uint32_t key, double t)
{
    const double *a = keys->values + (size_t)key * keys->row, *b = a + keys->row;
    if (keys->interpolation != CP_CUBIC)
        return t == 0 ? a[0] : a[0] + (b[0] - a[0]) * t;
    return cubic_value(a, b, keys->times[key + 1] - keys->times[key], t);
}

/* The same way with more keys, none of them cubic. factor: how much faster the joint turns than the keys say. */
static bool refine(struct writer *writer, const struct keys *keys, double factor, struct keys *fine)
{
    uint64_t total = 1;
    uint32_t at = 0;
    for (uint32_t key = 0; key + 1 < keys->count; key++) {
        total += count_pieces(keys, key, factor);
        writer->motion.turns += !(wanted_pieces(keys, key, factor) <= MOST_PIECES);
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
        uint32_t pieces = count_pieces(keys, key, factor);
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

/* q = factor * value + offset, as TRS; a tangent has no offset and no rest. */
static void put_joint_row(const struct joint_plan *plan, const cp_joint *joint, double q, bool tangent, float *row)
{
    struct trs trs = joint_trs(plan, joint, q);
    const double *from = joint->type == CP_JOINT_REVOLUTE ? trs.rotation
                         : joint->type == CP_JOINT_SCALE  ? trs.scale
                                                          : trs.translation;
    for (int i = 0; i < (joint->type == CP_JOINT_REVOLUTE ? 4 : 3); i++)
        row[i] = tangent && i != plan->axis ? 0 : to_float(from[i]);
}

static float *joint_values(struct writer *writer, uint32_t index, const struct keys *keys)
{
    const cp_joint *joint = &writer->scene->joints[index];
    struct joint_law law = joint_law(writer->scene->joints, index);
    unsigned width = joint->type == CP_JOINT_REVOLUTE ? 4 : 3;
    size_t rows = (size_t)keys->count * keys->row;
    float *values = scene_allocate(writer->work, rows, width * sizeof *values);
    for (size_t i = 0; values && i < rows; i++) {
        bool tangent = keys->row == 3 && i % 3 != 1;
        put_joint_row(&writer->joints[index], joint, law.scale * keys->values[i] + (tangent ? 0 : law.offset), tangent,
                      values + i * width);
    }
    return values;
}

static cp_path path_of_joint(const cp_joint *joint)
{
    return joint->type == CP_JOINT_REVOLUTE ? CP_PATH_ROTATION
           : joint->type == CP_JOINT_SCALE  ? CP_PATH_SCALE
                                            : CP_PATH_TRANSLATION;
}

/* One joint of those that a track moves. */
static bool move_joint(struct writer *writer, uint32_t index, struct keys keys)
{
    const cp_joint *joint = &writer->scene->joints[index];
    if (joint->type == CP_JOINT_FIXED)
        return true;
    double factor = joint_law(writer->scene->joints, index).scale;
    if (joint->type == CP_JOINT_REVOLUTE && !refine(writer, &keys, factor, &keys))
        return false;
    struct channel channel = {.node = writer->joints[index].node, .path = path_of_joint(joint)};
    return add_sampler(writer, channel, &keys, joint_values(writer, index, &keys));
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

static void put_rotation(const double value[4], float out[4])
{
    double length = sqrt(value[0] * value[0] + value[1] * value[1] + value[2] * value[2] + value[3] * value[3]);
    bool good = length > 0 && isfinite(length);
    for (int i = 0; i < 4; i++)
        out[i] = good ? (float)(value[i] / length) : (float)(i == 3);
}

static bool move_node(struct writer *writer, const cp_track *track, const struct keys *keys)
{
    bool rotation = track->path == CP_PATH_ROTATION, cubic = keys->interpolation == CP_CUBIC;
    unsigned width = rotation ? 4 : 3;
    size_t count = (size_t)keys->count * keys->row;
    float *values = scene_allocate(writer->work, count, sizeof *values);
    for (size_t i = 0; values && i < count; i++)
        values[i] = to_float(keys->values[i]);
    for (size_t row = 0; values && rotation && row < count / width; row++)
        if (!cubic || row % 3 == 1)
            put_rotation(keys->values + row * width, values + row * width);
    struct channel channel = {.node = writer->nodes[track->target].first, .path = track->path};
    return add_sampler(writer, channel, keys, values);
}

/* ---- the scene's clips ---- */

static unsigned track_row(const cp_track *track)
{
    static const unsigned widths[] = {1, 3, 4, 3};
    return widths[track->path] * (track->interpolation == CP_CUBIC ? 3 : 1);
}

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

/* Two channels of one animation may not move the same thing: the first track has it. */
static bool claim(const cp_track *track, char *taken)
{
    char bit = (char)(1 << track->path);
    bool first = !(taken[track->target] & bit);
    taken[track->target] |= bit;
    return first;
}

static bool play_track(struct writer *writer, const cp_track *track, double shift, char *taken)
{
    const cp_scene *scene = writer->scene;
    struct keys keys = {track->key_count, track_row(track), track->interpolation, track->times, track->values, shift};
    if (track->key_count == 0 || !claim(track, taken))
        return true;
    keys = without_lone_tangents(keys);
    if (track->path != CP_PATH_JOINT)
        return move_node(writer, track, &keys);
    const cp_joint *joint = &scene->joints[track->target];
    if (joint->expression)
        return move_joint(writer, track->target, keys);
    bool dependent = joint->master != CP_NONE; /* its own value is ignored */
    return dependent || move_joints(writer, track->target, &keys);
}

static double first_time(const cp_clip *clip)
{
    double first = 0;
    for (uint32_t i = 0; i < clip->track_count; i++)
        if (clip->tracks[i].key_count > 0)
            first = fmin(first, clip->tracks[i].times[0]);
    return first;
}

/* What is sampled is this near, unless the user says otherwise: a millionth of the scene, about what single precision tells apart. */
static double bake_tolerance(const struct writer *writer)
{
    double size = writer->diagonal > 0 && isfinite(writer->diagonal) ? writer->diagonal : 1;
    return writer->settings->tolerance > 0 ? writer->settings->tolerance : 5e-7 * size;
}

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
    double shift = 0 - first_time(&baked.clip);
    for (uint32_t i = 0; i < baked.clip.track_count; i++)
        if (!play_track(writer, &baked.clip.tracks[i], shift, taken))
            return false;
    for (uint32_t i = 0; i < baked.clip.track_count; i++)
        taken[baked.clip.tracks[i].target] = 0;
    end_clip(writer);
    return true;
}

static bool plan_scene_clips(struct writer *writer)
{
    const cp_scene *scene = writer->scene;
    uint32_t targets = scene->node_count > scene->joint_count ? scene->node_count : scene->joint_count;
    char *taken = writer_allocate(writer, targets, 1);
    if (!taken)
        return false;
    for (uint32_t i = 0; i < scene->clip_count; i++)
        if (!plan_scene_clip(writer, i, taken))
            return false;
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
    if (!list_followers(writer->context, writer->scene, &writer->motion.followers) || !plan_scene_clips(writer))
        return false;
    if (!is_deliver(writer) || writer->settings->clips == CLIPS_NONE)
        return true;
    for (uint32_t i = 0; i < writer->scene->joint_count; i++)
        if (!plan_sweep(writer, i))
            return false;
    return true;
}

/* ---- JSON ---- */

static const char *const interpolation_words[] = {"STEP", "LINEAR", "CUBICSPLINE"};
static const char *const path_words[] = {"weights", "translation", "rotation", "scale"};

static void write_track(struct writer *writer, const cp_track *track)
{
    struct json_writer *json = &writer->json;
    json_open(json, '{');
    if (track->path == CP_PATH_JOINT) {
        json_key_text(json, "joint", joint_id(writer, track->target));
    } else {
        json_key_text(json, "node", node_id(writer, track->target));
        json_key_text(json, "path", path_words[track->path]);
    }
    json_key_text(json, "interpolation", interpolation_words[track->interpolation]);
    json_key_numbers(json, "times", track->times, track->key_count);
    json_key_numbers(json, "values", track->values, (size_t)track->key_count * track_row(track));
    json_close(json, '}');
}

void write_tracks(struct writer *writer, const cp_clip *clip)
{
    struct json_writer *json = &writer->json;
    json_key(json, "tracks");
    json_open(json, '[');
    for (uint32_t i = 0; i < clip->track_count; i++)
        write_track(writer, &clip->tracks[i]);
    json_close(json, ']');
    if (clip->attachment_count == 0)
        return;
    json_key(json, "attachments");
    json_open(json, '[');
    for (uint32_t i = 0; i < clip->attachment_count; i++) {
        json_open(json, '{');
        json_key_number(json, "time", clip->attachments[i].time);
        json_key_text(json, "node", node_id(writer, clip->attachments[i].node));
        json_key_text(json, "host", node_id(writer, clip->attachments[i].host));
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void write_channel(struct json_writer *json, const struct channel *channel, uint32_t sampler)
{
    json_open(json, '{');
    json_key_integer(json, "sampler", sampler);
    json_key(json, "target");
    json_open(json, '{');
    json_key_integer(json, "node", channel->node);
    json_key_text(json, "path", path_words[channel->path]);
    json_close(json, '}');
    json_close(json, '}');
}

static void write_sampler(struct json_writer *json, const struct channel *channel)
{
    json_open(json, '{');
    json_key_integer(json, "input", channel->input);
    json_key_integer(json, "output", channel->output);
    json_key_text(json, "interpolation", interpolation_words[channel->interpolation]);
    json_close(json, '}');
}

static void write_clip_extras(struct writer *writer, const struct clip_plan *plan)
{
    struct json_writer *json = &writer->json;
    json_extras_open(json);
    if (plan->clip == CP_NONE) {
        json_key_text(json, "made", "sweep");
        json_key_text(json, "joint", joint_id(writer, plan->joint));
    } else {
        write_tracks(writer, &writer->scene->clips[plan->clip]);
        json_key_integer(json, "channels", plan->channel_count);
    }
    json_extras_close(json);
}

static void write_clip(struct writer *writer, const struct clip_plan *plan)
{
    struct json_writer *json = &writer->json;
    json_line(json);
    json_open(json, '{');
    json_key_text(json, "name", plan->name);
    json_key(json, "channels");
    json_open(json, '[');
    for (uint32_t i = 0; i < plan->channel_count; i++)
        write_channel(json, &writer->motion.channels[plan->first_channel + i], i);
    json_close(json, ']');
    json_key(json, "samplers");
    json_open(json, '[');
    for (uint32_t i = 0; i < plan->channel_count; i++)
        write_sampler(json, &writer->motion.channels[plan->first_channel + i]);
    json_close(json, ']');
    write_clip_extras(writer, plan);
    json_close(json, '}');
}

void write_clips(struct writer *writer)
{
    struct json_writer *json = &writer->json;
    if (writer->motion.channel_count == 0)
        return;
    json_line(json);
    json_key(json, "animations");
    json_open(json, '[');
    for (uint32_t i = 0; i < writer->motion.clip_count; i++)
        if (writer->motion.clips[i].channel_count > 0)
            write_clip(writer, &writer->motion.clips[i]);
    json_close(json, ']');
}
