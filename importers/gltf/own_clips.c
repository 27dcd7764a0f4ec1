/* The exact tracks of our stages' clips. */
#include "gltf.h"

#include <math.h>

#include "../../scene/motion/play.h"

static const char *const path_words[] = {"joint", "translation", "rotation", "scale", NULL};
static const char *const interpolation_words[] = {"STEP", "LINEAR", "CUBICSPLINE", NULL};

/* False with a warning when the target is not there, and with an error when the keys are unsound. */
static bool read_track(struct gltf *gltf, uint32_t value, cp_track *track)
{
    uint32_t joint = json_member(&gltf->json, value, "joint"), values = 0;
    *track = (cp_track){.path = (cp_path)gltf_word(gltf, value, "path", path_words, CP_PATH_JOINT)};
    track->interpolation = (cp_interpolation)gltf_word(gltf, value, "interpolation", interpolation_words, CP_LINEAR);
    if (joint != JSON_NONE)
        track->path = CP_PATH_JOINT;
    track->target = track->path == CP_PATH_JOINT ? own_find(gltf, MAP_JOINTS, joint)
                                                 : own_find(gltf, MAP_NODES, json_member(&gltf->json, value, "node"));
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

/* False with a warning when a node is not there, and with an error when the time is unsound. */
static bool read_attachment(struct gltf *gltf, uint32_t value, cp_attachment *attachment)
{
    attachment->time = gltf_number(gltf, value, "time", NAN);
    attachment->node = own_find(gltf, MAP_NODES, json_member(&gltf->json, value, "node"));
    attachment->host = own_find(gltf, MAP_NODES, json_member(&gltf->json, value, "host"));
    if (gltf->status == CP_OK && !isfinite(attachment->time))
        gltf_error(gltf, value, "gltf-attachment", "an attachment has a time");
    return gltf->status == CP_OK && attachment->node != CP_NONE && attachment->host != CP_NONE;
}

/* In the order of time, and at no time in a circle. */
static void check_attachments(struct gltf *gltf, uint32_t value, const struct gltf_clip *clip)
{
    uint32_t *parents = gltf_allocate(gltf, gltf->scene->node_count, sizeof *parents);
    for (uint32_t i = 0; parents && i < gltf->scene->node_count; i++)
        parents[i] = gltf->scene->nodes[i].parent;
    for (uint32_t i = 0; parents && i < clip->attachment_count && gltf->status == CP_OK; i++) {
        const cp_attachment *attachment = &clip->attachments[i];
        if (!attach_node(gltf->context, parents, attachment->node, attachment->host) ||
            (i > 0 && attachment->time < attachment[-1].time))
            gltf_error(gltf, value, "gltf-attachment",
                       "attachments are in the order of time, and no node hangs on itself");
    }
}

/* False when something is hung on what is not there. */
static bool read_attachments(struct gltf *gltf, uint32_t own, struct gltf_clip *clip)
{
    struct gltf_list list = gltf_items(gltf, own, "attachments", true);
    cp_attachment *attachments = scene_allocate(gltf->scene, list.count, sizeof *attachments);
    if (!attachments)
        gltf_no_memory(gltf);
    for (uint32_t i = 0; i < list.count && gltf->status == CP_OK; i++)
        clip->attachment_count += read_attachment(gltf, list.items[i], &attachments[clip->attachment_count]);
    clip->attachments = attachments;
    if (gltf->status == CP_OK && clip->attachment_count > 0)
        check_attachments(gltf, own, clip);
    return clip->attachment_count == list.count;
}

bool own_read_clip(struct gltf *gltf, uint32_t own, struct gltf_clip *clip)
{
    struct gltf_list list = gltf_items(gltf, own, "tracks", true);
    cp_track *tracks = scene_allocate(gltf->scene, list.count, sizeof *tracks);
    if (!tracks)
        gltf_no_memory(gltf);
    for (uint32_t i = 0; i < list.count && gltf->status == CP_OK; i++)
        clip->track_count += read_track(gltf, list.items[i], &tracks[clip->track_count]);
    clip->tracks = tracks;
    return gltf->status == CP_OK && read_attachments(gltf, own, clip);
}
