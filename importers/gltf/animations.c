/* Animations as clips (glTF 2.0, section 3.11). Channels of our joint nodes, when another tool has changed the
 * animation, become tracks of the joints. */
#include "gltf.h"

#include <math.h>

#include "../../scene/motion/play.h"

static const char *const path_words[] = {"", "translation", "rotation", "scale", "weights", NULL};
static const char *const interpolation_words[] = {"STEP", "LINEAR", "CUBICSPLINE", NULL};
enum { PATH_WEIGHTS = 4 };

/* ---- tracks ---- */

static double *new_values(struct gltf *gltf, uint64_t rows, uint32_t width)
{
    if (!gltf_take_room(gltf, JSON_NONE, rows * width))
        return NULL;
    double *values = scene_allocate(gltf->scene, rows * width, sizeof *values);
    if (!values)
        gltf_no_memory(gltf);
    return values;
}

/* A root of a file that is Y up: its tracks are turned as its pose is. Scales are not: they act before. */
static const double *turn_values(struct gltf *gltf, const struct gltf_channel *channel, uint64_t rows)
{
    static const double half = 0.70710678118654752440; /* cos 45 degrees: the quaternion of 90 degrees about X */
    uint32_t width = path_width(channel->path);
    if (channel->path == CP_PATH_SCALE)
        return channel->values;
    double *values = new_values(gltf, rows, width);
    for (uint64_t i = 0; values && i < rows; i++) {
        const double *in = channel->values + i * width;
        double *out = values + i * width;
        if (channel->path == CP_PATH_TRANSLATION) {
            out[0] = in[0];
            out[1] = 0 - in[2]; /* no -0 */
            out[2] = in[1];
            continue;
        }
        out[0] = half * (in[0] + in[3]);
        out[1] = half * (in[1] - in[2]);
        out[2] = half * (in[2] + in[1]);
        out[3] = half * (in[3] - in[0]);
    }
    return values;
}

/* The value of a joint from a row of the channel; the axis is the joint's in its own node. */
static double joint_row(const cp_joint *joint, const struct gltf_channel *channel, const double *row, double near)
{
    struct trs trs = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    double *parts[] = {NULL, trs.translation, trs.rotation, trs.scale};
    for (uint32_t i = 0; i < path_width(channel->path); i++)
        parts[channel->path][i] = row[i];
    cp_pose motion = pose_from_trs(&trs);
    return own_joint_value(joint, &motion, near);
}

static bool joint_track(struct gltf *gltf, const struct gltf_node *link, const struct gltf_channel *channel,
                        cp_track *track)
{
    static const cp_path paths[] = {CP_PATH_JOINT, CP_PATH_ROTATION, CP_PATH_TRANSLATION, CP_PATH_SCALE};
    const struct gltf_node *before = &gltf->nodes[link->parent];
    uint32_t target = gltf->joints[link->joint].target;
    cp_joint joint = gltf->scene->joints[target];
    bool cubic = channel->interpolation == CP_CUBIC;
    if (cp_joint_is_dependent(&joint) || joint.type == CP_JOINT_FIXED || paths[joint.type] != channel->path)
        return false;
    if (cubic && joint.type == CP_JOINT_REVOLUTE)
        return false;
    cp_pose back;
    if (before->role == ROLE_LINK && before->made == MADE_AXIS && pose_inverse(before->pose, &back)) {
        const double axis[3] = {joint.axis[0], joint.axis[1], joint.axis[2]};
        pose_point(&back, axis, joint.axis);
    }
    uint32_t width = path_width(channel->path);
    uint64_t rows = (uint64_t)channel->key_count * (cubic ? 3 : 1);
    double *values = new_values(gltf, rows, 1), near = joint.q;
    for (uint64_t i = 0; values && i < rows; i++)
        near = values[i] = joint_row(&joint, channel, channel->values + i * width, near);
    *track = (cp_track){target, CP_PATH_JOINT, channel->interpolation, channel->key_count, channel->times, values};
    return values != NULL;
}

static bool node_track(struct gltf *gltf, const struct gltf_node *node, const struct gltf_channel *channel,
                       cp_track *track)
{
    uint64_t rows = (uint64_t)channel->key_count * (channel->interpolation == CP_CUBIC ? 3 : 1);
    const double *values = channel->values;
    if (node->target == 0 || node->has_matrix)
        return false;
    if (node->parent == CP_NONE && gltf->turned)
        values = turn_values(gltf, channel, rows);
    else if (node->parent != CP_NONE && !pose_is_identity(gltf->nodes[node->parent].frame))
        return false;
    *track =
        (cp_track){node->target, channel->path, channel->interpolation, channel->key_count, channel->times, values};
    return values != NULL;
}

static bool make_track(struct gltf *gltf, const struct gltf_channel *channel, cp_track *track)
{
    const struct gltf_node *node = &gltf->nodes[channel->node];
    if (!node->in_scene)
        return false;
    if (node->joint != CP_NONE)
        return joint_track(gltf, node, channel, track);
    return node->role == ROLE_NODE && node_track(gltf, node, channel, track);
}

/* ---- channels ---- */

/* Samplers are read once, however many channels name them. */
struct sampler {
    uint32_t value, input, output;
    cp_interpolation interpolation;
};

struct samplers {
    struct sampler *items;
    uint32_t count;
};

static struct samplers read_samplers(struct gltf *gltf, uint32_t animation)
{
    struct gltf_list list = gltf_items(gltf, animation, "samplers", true);
    struct samplers samplers = {gltf_allocate(gltf, list.count, sizeof *samplers.items), list.count};
    for (uint32_t i = 0; i < list.count && gltf->status == CP_OK; i++) {
        uint32_t value = list.items[i], limit = gltf->accessor_list.count;
        struct sampler *sampler = &samplers.items[i];
        sampler->value = value;
        sampler->input = gltf_index(gltf, value, "input", limit);
        sampler->output = gltf_index(gltf, value, "output", limit);
        sampler->interpolation =
            (cp_interpolation)gltf_word(gltf, value, "interpolation", interpolation_words, CP_LINEAR);
        if (sampler->input == CP_NONE || sampler->output == CP_NONE)
            gltf_error(gltf, value, "gltf-missing", "no input or output");
    }
    return samplers;
}

static void read_keys(struct gltf *gltf, const struct sampler *sampler, struct gltf_channel *channel)
{
    uint32_t values = 0;
    channel->interpolation = sampler->interpolation;
    channel->times = gltf_doubles(gltf, sampler->input, 1, &channel->key_count);
    channel->values = gltf_doubles(gltf, sampler->output, path_width(channel->path), &values);
    uint64_t rows = (uint64_t)channel->key_count * (channel->interpolation == CP_CUBIC ? 3 : 1);
    if (gltf->status == CP_OK && values != rows)
        gltf_error(gltf, sampler->value, "gltf-count", "%lu values for %lu keys", (unsigned long)values,
                   (unsigned long)channel->key_count);
}

/* False: nothing for the scene, or an error. */
static bool read_channel(struct gltf *gltf, uint32_t value, const struct samplers *samplers, cp_track *track)
{
    uint32_t target = gltf_object(gltf, value, "target");
    struct gltf_channel channel = {.node = gltf_index(gltf, target, "node", gltf->node_list.count)};
    uint32_t path = gltf_word(gltf, target, "path", path_words, 0);
    uint32_t sampler = gltf_index(gltf, value, "sampler", samplers->count);
    if (path == PATH_WEIGHTS) {
        gltf_loss(gltf, LOSS_WEIGHTS, 1);
        return false;
    }
    if (gltf->status != CP_OK || channel.node == CP_NONE || path == 0 || sampler == CP_NONE) {
        gltf_loss(gltf, LOSS_OTHER_CHANNELS, 1);
        return false;
    }
    channel.path = (cp_path)path;
    read_keys(gltf, &samplers->items[sampler], &channel);
    if (gltf->status != CP_OK)
        return false;
    bool sound = channel.key_count > 0 && numbers_ascend(channel.times, channel.key_count);
    if (sound && make_track(gltf, &channel, track))
        return true;
    gltf_loss(gltf, sound ? LOSS_CHANNELS : LOSS_TIMES, 1);
    return false;
}

static void read_channels(struct gltf *gltf, uint32_t animation, struct gltf_clip *clip)
{
    struct gltf_list channels = gltf_items(gltf, animation, "channels", true);
    struct samplers samplers = read_samplers(gltf, animation);
    cp_track *tracks = scene_allocate(gltf->scene, channels.count, sizeof *tracks);
    if (!tracks)
        gltf_no_memory(gltf);
    for (uint32_t i = 0; i < channels.count && gltf->status == CP_OK; i++)
        clip->track_count += read_channel(gltf, channels.items[i], &samplers, &tracks[clip->track_count]);
    clip->tracks = tracks;
}

static uint32_t channel_count(struct gltf *gltf, uint32_t animation)
{
    return json_count(&gltf->json, gltf_array(gltf, animation, "channels"));
}

/* False: a made clip. */
static bool read_animation(struct gltf *gltf, uint32_t value, struct gltf_clip *clip)
{
    uint32_t own = gltf_own(gltf, value);
    bool foreign = own == JSON_NONE && json_member(&gltf->json, value, "extras") != JSON_NONE;
    bool exact = json_member(&gltf->json, own, "tracks") != JSON_NONE;
    bool whole = exact && gltf_integer(gltf, own, "channels", 0) == channel_count(gltf, value);
    *clip = (struct gltf_clip){.name = gltf_text(gltf, value, "name"), .position = CP_NONE};
    if (gltf_made(gltf, own, "sweep"))
        return false;
    gltf->held[HELD_CLIPS] += own != JSON_NONE;
    gltf_loss(gltf, LOSS_ANIMATION_EXTRAS, foreign);
    if (whole && !own_read_clip(gltf, own, clip)) { /* what it says of other frames is of no use */
        clip->track_count = clip->attachment_count = 0;
        whole = false;
    }
    gltf_loss(gltf, LOSS_CHANGED_CLIPS, exact && !whole);
    if (!whole && gltf->status == CP_OK)
        read_channels(gltf, value, clip);
    return true;
}

/* ---- clips in order ---- */

static void add_clips(struct gltf *gltf, const struct gltf_clip *clips, uint32_t count)
{
    uint32_t *positions = gltf_allocate(gltf, count, sizeof *positions);
    uint32_t *sequence = gltf_allocate(gltf, count, sizeof *sequence);
    for (uint32_t i = 0; sequence && i < count; i++)
        positions[i] = clips[i].position;
    if (!sequence || !gltf_arrange(gltf, positions, count, sequence))
        return;
    for (uint32_t i = 0; i < count && gltf->status == CP_OK; i++) {
        const struct gltf_clip *clip = &clips[sequence[i]];
        const char *name = clip->name ? clip->name : "";
        uint32_t at = scene_add_clip(gltf->scene, name, clip->track_count, clip->tracks);
        if (at == CP_NONE) {
            gltf_no_memory(gltf);
            return;
        }
        gltf->scene->clips[at].attachments = clip->attachments;
        gltf->scene->clips[at].attachment_count = clip->attachment_count;
    }
}

void gltf_read_animations(struct gltf *gltf)
{
    struct gltf_list undrawn = gltf_items(gltf, gltf->scene_own, "clips", true);
    uint32_t count = 0;
    gltf->held[HELD_CLIPS] += undrawn.count;
    struct gltf_clip *clips = gltf_allocate(gltf, (size_t)gltf->animation_list.count + undrawn.count, sizeof *clips);
    for (uint32_t i = 0; i < gltf->animation_list.count && gltf->status == CP_OK; i++)
        count += read_animation(gltf, gltf->animation_list.items[i], &clips[count]);
    for (uint32_t i = 0; i < undrawn.count && gltf->status == CP_OK; i++) {
        uint64_t position = gltf_integer(gltf, undrawn.items[i], "position", CP_NONE);
        clips[count] = (struct gltf_clip){.name = gltf_text(gltf, undrawn.items[i], "name")};
        clips[count].position = position < CP_NONE ? (uint32_t)position : CP_NONE;
        (void)own_read_clip(gltf, undrawn.items[i], &clips[count++]);
    }
    if (gltf->status == CP_OK)
        add_clips(gltf, clips, count);
}
