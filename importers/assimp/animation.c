/* Makes clips of the animations of nodes; those that move vertices (bones, morphs) are counted as lost. */
#include "assimp.h"

#ifdef HAVE_ASSIMP

#include <math.h>

/* assimp: "0 if not specified", and its viewers then take 25. */
#define DEFAULT_TICKS_PER_SECOND 25

/* The keys of one kind of one channel. */
struct keys {
    cp_path path;
    unsigned count;
    const struct aiVectorKey *vectors; /* NULL for rotations */
    const struct aiQuatKey *rotations;
};

struct track_list {
    cp_track *tracks;
    uint32_t count;
    uint64_t lost;
};

static void turn_vector(const cp_pose *turn, const double in[3], double out[3])
{
    for (int row = 0; row < 3; row++)
        out[row] = turn->m[4 * row] * in[0] + turn->m[4 * row + 1] * in[1] + turn->m[4 * row + 2] * in[2];
}

/* Copies the keys of one kind of one channel as a track. *good: the times ascend, and all is finite. */
static cp_status copy_track(struct assimp_import *import, const struct keys *keys, double ticks, cp_track *track,
                            bool *good)
{
    size_t width = keys->vectors ? 3 : 4;
    double *times = scene_allocate(import->scene, keys->count, sizeof *times);
    double *values = scene_allocate(import->scene, keys->count, width * sizeof *values);
    if (!times || !values)
        return CP_LIMIT;
    *good = true;
    for (unsigned i = 0; i < keys->count && *good; i++) {
        double *value = values + i * width;
        if (keys->vectors) {
            const struct aiVector3D *from = &keys->vectors[i].mValue;
            const double in[3] = {(double)from->x, (double)from->y, (double)from->z};
            cp_pose turn = import->turn;
            for (int k = 0; k < 12; k++)
                turn.m[k] = keys->path == CP_PATH_SCALE ? fabs(turn.m[k]) : turn.m[k] * import->unit;
            turn_vector(&turn, in, value);
            times[i] = keys->vectors[i].mTime / ticks;
        } else { /* a turned rotation is a rotation about the turned axis */
            const struct aiQuaternion *from = &keys->rotations[i].mValue;
            const double axis[3] = {(double)from->x, (double)from->y, (double)from->z};
            double w = (double)from->w;
            double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2] + w * w);
            turn_vector(&import->turn, axis, value);
            value[3] = w;
            for (int k = 0; k < 4; k++)
                value[k] /= length;
            times[i] = keys->rotations[i].mTime / ticks;
        }
        *good = isfinite(times[i]) && (!i || times[i] > times[i - 1]);
        for (size_t k = 0; k < width; k++)
            *good = *good && isfinite(value[k]);
    }
    *track = (cp_track){.target = track->target,
                        .path = keys->path,
                        .interpolation = CP_LINEAR,
                        .key_count = keys->count,
                        .times = times,
                        .values = values};
    return CP_OK;
}

/* Adds the tracks of one channel to those at tracks; *lost counts those that are not good. */
static cp_status copy_channel(struct assimp_import *import, const struct aiNodeAnim *channel, double ticks,
                              struct track_list *out)
{
    const uint32_t *node = name_map_find(&import->nodes, channel->mNodeName.data);
    const struct keys all[] = {
        {CP_PATH_TRANSLATION, channel->mNumPositionKeys, channel->mPositionKeys, NULL},
        {CP_PATH_ROTATION, channel->mNumRotationKeys, NULL, channel->mRotationKeys},
        {CP_PATH_SCALE, channel->mNumScalingKeys, channel->mScalingKeys, NULL},
    };
    for (int i = 0; i < 3; i++) {
        bool good = false;
        cp_track *track = &out->tracks[out->count];
        if (!all[i].count)
            continue;
        track->target = node ? *node : 0;
        if (copy_track(import, &all[i], ticks, track, &good) != CP_OK)
            return CP_LIMIT;
        if (good && track->target)
            out->count++;
        else
            out->lost++;
    }
    return CP_OK;
}

cp_status copy_animations(struct assimp_import *import)
{
    for (unsigned i = 0; i < import->from->mNumAnimations; i++) {
        const struct aiAnimation *from = import->from->mAnimations[i];
        struct track_list list = {0};
        double ticks = from->mTicksPerSecond > 0 ? from->mTicksPerSecond : DEFAULT_TICKS_PER_SECOND;
        const char *name = copy_text(import, &from->mName);
        list.tracks = scene_allocate(import->scene, 3 * (size_t)from->mNumChannels, sizeof *list.tracks);
        if (!name || !list.tracks)
            return CP_LIMIT;
        for (unsigned k = 0; k < from->mNumChannels; k++)
            if (copy_channel(import, from->mChannels[k], ticks, &list) != CP_OK)
                return CP_LIMIT;
        list.lost += (uint64_t)from->mNumMeshChannels + from->mNumMorphMeshChannels;
        if (list.lost)
            report_loss(import->context, "assimp-animation", IN_FILE(import->file), list.lost,
                        "animation channels of vertices, unknown nodes or senseless keys");
        if (list.count && scene_add_clip(import->scene, name, list.count, list.tracks) == CP_NONE)
            return CP_LIMIT;
    }
    return CP_OK;
}

#endif
