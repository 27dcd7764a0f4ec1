/* Made clips: one that moves all joints, then one for each joint. Viewers play the first animation of a file by
 * themselves: a recording if the scene has one, else all joints. */
#include "writer.h"

#include <math.h>
#include <string.h>

#define ALL_JOINTS "all joints"

struct sweeps {
    const uint32_t *devices; /* of each joint, or CP_NONE */
    struct name_map names;   /* names of all clips: the last number that was tried behind each */
    cp_track *tracks;        /* of the joints that sweep */
    uint32_t track_count;
};

/* ---- names ---- */

/* Finds the device of each joint: the first one, but a composite device only if there is no other. */
static const uint32_t *list_devices(const struct gltf_file *file)
{
    const cp_scene *scene = file->scene;
    uint32_t *devices = scene_allocate(file->work, scene->joint_count, sizeof *devices);
    if (!devices)
        return NULL;
    memset(devices, 0xff, scene->joint_count * sizeof *devices);
    for (int composite = 0; composite < 2; composite++)
        for (uint32_t i = 0; i < scene->device_count; i++) {
            const cp_device *device = &scene->devices[i];
            for (uint32_t k = 0; k < device->joint_count && (device->kind == CP_DEVICE_COMPOSITE) == composite; k++)
                if (devices[device->joints[k]] == CP_NONE)
                    devices[device->joints[k]] = i;
        }
    return devices;
}

/* Returns DEVICE/JOINT, since joints of several devices often have the same name; also for a joint DEVICE.JOINT. */
static const char *name_sweep(const struct gltf_file *file, struct sweeps *sweeps, uint32_t joint)
{
    const char *name = file->scene->joints[joint].name;
    if (sweeps->devices[joint] == CP_NONE)
        return unique_name(file->work->arena, &sweeps->names, name);
    const char *device = file->scene->devices[sweeps->devices[joint]].name;
    size_t size = strlen(device);
    if (strncmp(name, device, size) == 0 && name[size] == '.' && name[size + 1])
        name += size + 1;
    char *whole = scene_allocate(file->work, size + strlen(name) + 2, 1);
    if (!whole)
        return NULL;
    memcpy(whole, device, size);
    whole[size] = '/';
    memcpy(whole + size + 1, name, strlen(name) + 1);
    return unique_name(file->work->arena, &sweeps->names, size > 0 ? whole : name);
}

/* ---- clips ---- */

static bool list_tracks(struct gltf_file *file, struct sweeps *sweeps)
{
    const cp_scene *scene = file->scene;
    sweeps->tracks = scene_allocate(file->work, scene->joint_count, sizeof *sweeps->tracks);
    for (uint32_t i = 0; sweeps->tracks && i < scene->joint_count; i++) {
        struct sweep sweep, *kept;
        if (!mechanism_sweep(&file->mechanism, i, file->diagonal, &sweep))
            continue;
        kept = arena_copy(file->work->arena, &sweep, 1, sizeof sweep);
        if (!kept)
            return false;
        sweeps->tracks[sweeps->track_count++] = (cp_track){.target = i,
                                                           .path = CP_PATH_JOINT,
                                                           .interpolation = CP_LINEAR,
                                                           .key_count = SWEEP_KEYS,
                                                           .times = kept->times,
                                                           .values = kept->values};
    }
    return sweeps->tracks != NULL;
}

/* Widens the ranges of joints with formulas to their values in a made clip. */
static void widen_ranges(const struct gltf_file *file, const cp_clip *clip)
{
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const cp_track *track = &clip->tracks[i];
        if (track->path != CP_PATH_JOINT || !file->scene->joints[track->target].expression)
            continue;
        double *range = file->motion.formula_ranges[track->target];
        for (uint32_t key = 0; key < track->key_count; key++) {
            range[0] = fmin(range[0], track->values[key]);
            range[1] = fmax(range[1], track->values[key]);
        }
    }
}

static bool plan_made_clip(struct gltf_file *file, const char *name, uint32_t joint, const cp_track *tracks,
                           uint32_t count)
{
    const struct clip_plan plan = {.name = name, .clip = CP_NONE, .joint = joint};
    const cp_clip clip = {.name = name, .tracks = tracks, .track_count = count};
    struct played_clip played;
    if (!name || !bake_played(file, &clip, &played))
        return false;
    widen_ranges(file, &played.clip);
    return plan_clip(file, plan, &played);
}

/* Plans the clip of all joints. Joints of a loop may reach their ends one by one, but not together. */
static bool plan_all_joints(struct gltf_file *file, struct sweeps *sweeps)
{
    const cp_clip clip = {.name = ALL_JOINTS, .tracks = sweeps->tracks, .track_count = sweeps->track_count};
    const cp_status status = clip_closes(file->context, file->scene, &clip);
    file->motion.apart = status == CP_NO;
    return status == CP_NO ||
           (status == CP_OK && plan_made_clip(file, unique_name(file->work->arena, &sweeps->names, ALL_JOINTS), CP_NONE,
                                              clip.tracks, clip.track_count));
}

bool plan_sweeps(struct gltf_file *file)
{
    const cp_scene *scene = file->scene;
    if (!is_deliver(file) || file->settings->clips == CLIPS_NONE)
        return true;
    struct sweeps sweeps = {.devices = list_devices(file), .names = {.context = file->context}};
    file->motion.formula_ranges = scene_allocate(file->work, scene->joint_count, sizeof *file->motion.formula_ranges);
    bool good = sweeps.devices && file->motion.formula_ranges && list_tracks(file, &sweeps);
    for (uint32_t i = 0; i < scene->joint_count && good; i++)
        file->motion.formula_ranges[i][0] = INFINITY, file->motion.formula_ranges[i][1] = -INFINITY;
    for (uint32_t i = 0; i < scene->clip_count && good; i++)
        good = name_map_add(&sweeps.names, scene->clips[i].name, 1, NULL) != NULL;
    if (good && sweeps.track_count > 1)
        good = plan_all_joints(file, &sweeps);
    for (uint32_t i = 0; i < sweeps.track_count && good; i++) {
        uint32_t joint = sweeps.tracks[i].target;
        good = plan_made_clip(file, name_sweep(file, &sweeps, joint), joint, &sweeps.tracks[i], 1);
    }
    name_map_free(&sweeps.names);
    return good;
}
