/* The exact tracks of our stages' clips. */
#include "gltf.h"

#include <math.h>

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
    uint64_t wanted = (uint64_t)track->key_count * gltf_path_width(track->path);
    wanted *= track->interpolation == CP_CUBIC ? 3 : 1;
    if (gltf->status == CP_OK &&
        (track->key_count == 0 || values != wanted || !gltf_times_ascend(track->times, track->key_count)))
        gltf_error(gltf, value, "gltf-track", "times must ascend, and values be as many as the keys ask for");
    return gltf->status == CP_OK;
}

void own_read_clip(struct gltf *gltf, uint32_t own, struct gltf_clip *clip)
{
    struct gltf_list list = gltf_items(gltf, own, "tracks", true);
    cp_track *tracks = scene_allocate(gltf->scene, list.count, sizeof *tracks);
    if (!tracks)
        gltf_no_memory(gltf);
    for (uint32_t i = 0; i < list.count && gltf->status == CP_OK; i++)
        clip->track_count += read_track(gltf, list.items[i], &tracks[clip->track_count]);
    clip->tracks = tracks;
}
