/* Animations as clips (glTF 2.0, section 3.11). Channels of our joint nodes, when another tool has changed the
 * animation, become tracks of the joints. */
#include "gltf.h"

#include <math.h>
#include <string.h>

#include "motion/clips/clips.h"

static const char *const path_words[] = {"", "translation", "rotation", "scale", "weights", "pointer", NULL};
static const char *const interpolation_words[] = {"STEP", "LINEAR", "CUBICSPLINE", NULL};
enum { PATH_WEIGHTS = 4, PATH_POINTER = 5 /* of KHR_animation_pointer */ };

/* ---- tracks ---- */

static double *new_values(struct gltf *gltf, uint64_t rows, uint32_t width)
{
    if (!gltf_take_room(gltf, JSON_NONE, rows * width))
        return NULL;
    return gltf_scene_array(gltf, rows * width, sizeof(double));
}

/* Turns the tracks of a root of a file that is Y up as its pose is turned. Scales are not turned: they act before. */
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

/* Finds the values of a link's joint by the channel's poses; the joint's axis is turned into the link's own node. */
static bool joint_track(struct gltf *gltf, cp_scene *scene, const struct gltf_tree *tree,
                        const struct gltf_joints *joints, const struct gltf_node *link,
                        const struct gltf_channel *channel, cp_track *track)
{
    static const cp_path paths[] = {CP_PATH_JOINT, CP_PATH_ROTATION, CP_PATH_TRANSLATION, CP_PATH_SCALE};
    const struct gltf_node *before = &tree->nodes[link->parent];
    uint32_t target = joints->items[link->joint].target, width = path_width(channel->path);
    cp_joint joint = scene->joints[target];
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
    uint64_t rows = (uint64_t)channel->key_count * (cubic ? 3 : 1);
    double *values = new_values(gltf, rows, 1), near = joint.q;
    for (uint64_t i = 0; values && i < rows; i++) {
        struct trs trs = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
        double *parts[] = {NULL, trs.translation, trs.rotation, trs.scale};
        memcpy(parts[channel->path], channel->values + i * width, width * sizeof(double));
        cp_pose motion = pose_from_trs(&trs);
        near = values[i] = own_joint_value(&joint, &motion, near);
    }
    *track = (cp_track){.target = target,
                        .path = CP_PATH_JOINT,
                        .interpolation = channel->interpolation,
                        .key_count = channel->key_count,
                        .times = channel->times,
                        .values = values};
    return values != NULL;
}

/* ---- channels ---- */

/* Samplers are read once, however many channels name them. */
struct sampler {
    uint32_t value, input, output;
    cp_interpolation interpolation;
};

/* Samplers are read once, however many channels name them. */
static struct sampler *read_samplers(struct gltf *gltf, uint32_t animation, uint32_t *count)
{
    struct gltf_list list = gltf_items(gltf, animation, "samplers", true);
    struct sampler *samplers = gltf_allocate(gltf, list.count, sizeof *samplers);
    *count = list.count;
    for (uint32_t i = 0; i < list.count && gltf->status == CP_OK; i++) {
        uint32_t value = list.items[i], limit = gltf->lists.accessors.count;
        struct sampler *sampler = &samplers[i];
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

/* Reads a channel as a track. False: nothing for the scene, or an error. */
static bool read_channel(struct gltf_reading *reading, uint32_t value, const struct sampler *samplers,
                         uint32_t sampler_count, cp_track *track)
{
    struct gltf *gltf = &reading->gltf;
    uint32_t target = gltf_object(gltf, value, "target");
    struct gltf_channel channel = {.node = gltf_index(gltf, target, "node", gltf->lists.nodes.count)};
    uint32_t path = gltf_word(gltf, target, "path", path_words, 0), values = 0;
    uint32_t index = gltf_index(gltf, value, "sampler", sampler_count);
    if (path == PATH_WEIGHTS) {
        gltf_loss(gltf, LOSS_WEIGHTS, 1);
        return false;
    }
    if (gltf->status != CP_OK || channel.node == CP_NONE || path == 0 || path == PATH_POINTER || index == CP_NONE) {
        gltf_loss(gltf, LOSS_OTHER_CHANNELS, 1);
        return false;
    }
    /* The keys. */
    const struct sampler *sampler = &samplers[index];
    channel.path = (cp_path)path;
    channel.interpolation = sampler->interpolation;
    channel.times = gltf_doubles(gltf, &reading->buffers, sampler->input, 1, &channel.key_count);
    channel.values = gltf_doubles(gltf, &reading->buffers, sampler->output, path_width(channel.path), &values);
    uint64_t rows = (uint64_t)channel.key_count * (channel.interpolation == CP_CUBIC ? 3 : 1);
    if (gltf->status == CP_OK && values != rows)
        gltf_error(gltf, sampler->value, "gltf-count", "%lu values for %lu keys", (unsigned long)values,
                   (unsigned long)channel.key_count);
    if (gltf->status != CP_OK)
        return false;

    /* The channel moves a joint, or a scene node that hangs where its glTF parent is. */
    const struct gltf_node *node = &reading->tree.nodes[channel.node];
    bool sound = channel.key_count > 0 && numbers_ascend(channel.times, channel.key_count), made = false;
    if (sound && node->in_scene && node->joint != CP_NONE) {
        made = joint_track(gltf, reading->scene, &reading->tree, &reading->joints, node, &channel, track);
    } else if (sound && node->in_scene && node->role == ROLE_NODE && node->target != 0 && !node->has_matrix) {
        bool turned = node->parent == CP_NONE && reading->tree.turned;
        if (turned)
            channel.values = turn_values(gltf, &channel, rows);
        *track = (cp_track){.target = node->target,
                            .path = channel.path,
                            .interpolation = channel.interpolation,
                            .key_count = channel.key_count,
                            .times = channel.times,
                            .values = channel.values};
        made = channel.values && (node->parent == CP_NONE || pose_is_identity(reading->tree.nodes[node->parent].frame));
    }
    if (!made)
        gltf_loss(gltf, sound ? LOSS_CHANNELS : LOSS_TIMES, 1);
    return made;
}

/* ---- the exact tracks of our own stages ---- */

/* An animation's channels and samplers. */
struct played {
    struct gltf_list channels;
    const struct sampler *samplers;
    uint32_t sampler_count;
};

/* Reads an exact track. False with a warning when the target is missing, and with an error when the keys are
 * unsound. */
static bool read_own_track(struct gltf_reading *reading, uint32_t value, const struct played *played, cp_track *track)
{
    struct gltf *gltf = &reading->gltf;
    static const char *const paths[] = {"joint", "translation", "rotation", "scale", NULL};
    uint32_t joint = json_member(&gltf->json, value, "joint"), values = 0;
    if (json_member(&gltf->json, value, "channel") != JSON_NONE) { /* which says all */
        uint32_t channel = gltf_index(gltf, value, "channel", played->channels.count);
        uint32_t target = joint != JSON_NONE
                              ? own_find(gltf, &reading->ids, TABLE_JOINTS, joint)
                              : own_find(gltf, &reading->ids, TABLE_NODES, json_member(&gltf->json, value, "node"));
        return channel != CP_NONE && target != CP_NONE &&
               read_channel(reading, played->channels.items[channel], played->samplers, played->sampler_count, track) &&
               track->target == target && (track->path == CP_PATH_JOINT) == (joint != JSON_NONE);
    }
    *track = (cp_track){.path = (cp_path)gltf_word(gltf, value, "path", paths, CP_PATH_JOINT)};
    track->interpolation = (cp_interpolation)gltf_word(gltf, value, "interpolation", interpolation_words, CP_LINEAR);
    if (joint != JSON_NONE)
        track->path = CP_PATH_JOINT;
    track->target = track->path == CP_PATH_JOINT
                        ? own_find(gltf, &reading->ids, TABLE_JOINTS, joint)
                        : own_find(gltf, &reading->ids, TABLE_NODES, json_member(&gltf->json, value, "node"));
    if (track->target == CP_NONE || gltf->status != CP_OK)
        return false;
    track->times = gltf_all_numbers(gltf, gltf_array(gltf, value, "times"), &track->key_count);
    track->values = gltf_all_numbers(gltf, gltf_array(gltf, value, "values"), &values);
    uint64_t wanted = (uint64_t)track->key_count * path_width(track->path);
    wanted *= track->interpolation == CP_CUBIC ? 3 : 1;
    if (gltf->status == CP_OK &&
        (track->key_count == 0 || values != wanted || !numbers_ascend(track->times, track->key_count)))
        gltf_error(gltf, value, "gltf-track", "times must ascend, and values be as many as the keys ask for");
    return gltf->status == CP_OK;
}

/* Reads an exact clip. False after an error, and when something is hung on a missing node. */
static bool read_own_clip(struct gltf_reading *reading, uint32_t own, const struct played *played,
                          struct gltf_clip *clip)
{
    struct gltf *gltf = &reading->gltf;
    struct gltf_list list = gltf_items(gltf, own, "tracks", true);
    cp_track *tracks = gltf_scene_array(gltf, list.count, sizeof *tracks);
    for (uint32_t i = 0; i < list.count && gltf->status == CP_OK; i++) {
        cp_track *track = &tracks[clip->track_count];
        if (read_own_track(reading, list.items[i], played, track))
            clip->track_count += own_read_members(gltf, &reading->ids, list.items[i], &track_layout, track);
    }
    clip->tracks = tracks;
    list = gltf_items(gltf, own, "attachments", true);
    cp_attachment *attachments = gltf_scene_array(gltf, list.count, sizeof *attachments);
    for (uint32_t i = 0; i < list.count && gltf->status == CP_OK; i++) {
        cp_attachment *attachment = &attachments[clip->attachment_count];
        row_start(&attachment_layout, attachment);
        attachment->time = NAN;
        bool good = own_read_members(gltf, &reading->ids, list.items[i], &attachment_layout, attachment);
        if (gltf->status == CP_OK && !isfinite(attachment->time))
            gltf_error(gltf, list.items[i], "gltf-attachment", "an attachment has a time");
        clip->attachment_count += good;
    }
    clip->attachments = attachments;

    /* Check that they are in the order of time, and make a circle at no time. */
    uint32_t count = clip->attachment_count > 0 ? reading->scene->node_count : 0;
    uint32_t *parents = gltf_allocate(gltf, count, sizeof *parents);
    for (uint32_t i = 0; parents && i < count; i++)
        parents[i] = reading->scene->nodes[i].parent;
    for (uint32_t i = 0; parents && i < clip->attachment_count && gltf->status == CP_OK; i++) {
        const cp_attachment *attachment = &attachments[i];
        if (!attach_node(gltf->context, parents, attachment->node, attachment->host) ||
            (i > 0 && attachment->time < attachment[-1].time))
            gltf_error(gltf, own, "gltf-attachment",
                       "attachments are in the order of time, and no node hangs on itself");
    }
    return gltf->status == CP_OK && clip->attachment_count == list.count;
}

/* Reads the marks, which are kept even if the tracks are not. */
static void read_marks(struct gltf *gltf, const struct gltf_ids *ids, uint32_t own, struct gltf_clip *clip)
{
    struct gltf_list list = gltf_items(gltf, own, "marks", true);
    cp_mark *marks = gltf_scene_array(gltf, list.count, sizeof *marks);
    for (uint32_t i = 0; i < list.count && gltf->status == CP_OK; i++) {
        row_start(&mark_layout, &marks[i]);
        marks[i].time = NAN;
        (void)own_read_members(gltf, ids, list.items[i], &mark_layout, &marks[i]);
        if (gltf->status == CP_OK && !(isfinite(marks[i].time) && (i == 0 || marks[i].time >= marks[i - 1].time)))
            gltf_error(gltf, list.items[i], "gltf-mark", "marks have times, and are in their order");
    }
    clip->marks = marks;
    clip->mark_count = list.count;
}

/* ---- clips ---- */

/* Reads an animation; returns false for a clip that cellpipe has made. */
static bool read_animation(struct gltf_reading *reading, uint32_t value, struct gltf_clip *clip)
{
    struct gltf *gltf = &reading->gltf;
    uint32_t own = gltf_own(gltf, value);
    bool foreign = own == JSON_NONE && json_member(&gltf->json, value, "extras") != JSON_NONE;
    bool exact = json_member(&gltf->json, own, "tracks") != JSON_NONE;
    bool whole =
        exact && gltf_integer(gltf, own, "channels", 0) == json_count(&gltf->json, gltf_array(gltf, value, "channels"));
    *clip = (struct gltf_clip){.name = gltf_text(gltf, value, "name"), .position = CP_NONE};
    if (gltf_made(gltf, own, "sweep"))
        return false;
    reading->extras.held[HELD_CLIPS] += own != JSON_NONE;
    gltf_loss(gltf, LOSS_ANIMATION_EXTRAS, foreign);
    read_marks(gltf, &reading->ids, own, clip);
    struct played played = {.channels = gltf_items(gltf, value, "channels", true)};
    played.samplers = read_samplers(gltf, value, &played.sampler_count);
    if (whole && !read_own_clip(reading, own, &played, clip)) { /* its statements on other frames are useless */
        clip->track_count = clip->attachment_count = 0;
        whole = false;
    }
    gltf_loss(gltf, LOSS_CHANGED_CLIPS, exact && !whole);
    if (whole || gltf->status != CP_OK)
        return true;
    cp_track *tracks = gltf_scene_array(gltf, played.channels.count, sizeof *tracks);
    for (uint32_t i = 0; i < played.channels.count && gltf->status == CP_OK; i++)
        clip->track_count += read_channel(reading, played.channels.items[i], played.samplers, played.sampler_count,
                                          &tracks[clip->track_count]);
    clip->tracks = tracks;
    return true;
}

void gltf_read_animations(struct gltf_reading *reading)
{
    struct gltf *gltf = &reading->gltf;
    struct gltf_list undrawn = gltf_items(gltf, reading->extras.scene, "clips", true);
    uint32_t count = 0;
    reading->extras.held[HELD_CLIPS] += undrawn.count;
    struct gltf_clip *clips = gltf_allocate(gltf, (size_t)gltf->lists.animations.count + undrawn.count, sizeof *clips);
    for (uint32_t i = 0; i < gltf->lists.animations.count && gltf->status == CP_OK; i++)
        count += read_animation(reading, gltf->lists.animations.items[i], &clips[count]);
    for (uint32_t i = 0; i < undrawn.count && gltf->status == CP_OK; i++) {
        clips[count] = (struct gltf_clip){.name = gltf_text(gltf, undrawn.items[i], "name")};
        clips[count].position = own_position(gltf, undrawn.items[i], CP_NONE);
        const struct played none = {.sampler_count = 0};
        read_marks(gltf, &reading->ids, undrawn.items[i], &clips[count]);
        (void)read_own_clip(reading, undrawn.items[i], &none, &clips[count++]);
    }
    const uint32_t *sequence = gltf_arrange(gltf, clips, offsetof(struct gltf_clip, position), sizeof *clips, count);
    for (uint32_t i = 0; i < count && gltf->status == CP_OK; i++) {
        const struct gltf_clip *clip = &clips[sequence[i]];
        uint32_t at = scene_add_clip(reading->scene, clip->name ? clip->name : "", clip->track_count, clip->tracks);
        if (at == CP_NONE) {
            gltf_no_memory(gltf);
            return;
        }
        reading->scene->clips[at].attachments = clip->attachments;
        reading->scene->clips[at].attachment_count = clip->attachment_count;
        reading->scene->clips[at].marks = clip->marks;
        reading->scene->clips[at].mark_count = clip->mark_count;
    }
}
