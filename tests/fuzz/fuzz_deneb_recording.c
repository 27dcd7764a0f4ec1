/* Recordings of one small cell, which stands in the folder where the fuzzer runs. The clip must hold all invariants,
 * can be played at any time, and comes back from a stage as it was, and from a recording within rounding. */
#include "cellpipe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *count, char ***words);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const char cell[] = "DCT WORKCELL 1.0\nHEAD\nNAME \"cell\" UNIT mm ANGLE deg\nEND\nDEVICES\n"
                           "DEVICE \"robot\"\nPART \"base\" ATTACH 1\nPART \"arm\" ATTACH 1\nPART \"hand\" ATTACH 000\n"
                           "MATRIX 1 0 0 0 0 1 0 0 0 0 1 0 400 0 0 1\n"
                           "JOINT \"turn\" PART 1 TYPE ROTATE_Z INIT 0\nJOINT \"slide\" PART 2 TYPE TRANS_X INIT 5\n"
                           "JOINT \"follow\" PART 2 TYPE ROTATE_Y VALUE \"=0.5*dof(1)+0.1*abs(dof(2))\"\nEND\n"
                           "DEVICE \"box\"\nPART \"case\" ATTACH 0\nEND\nDEVICE \"lid\"\nPART \"plate\" ATTACH "
                           "0\nEND\nATTACHMENTS 3\n-1 -1 3\nEND\n";

static void fail(cp_context *context, const char *what)
{
    size_t count;
    const cp_entry *entries = context ? cp_report(context, &count) : NULL;
    for (size_t i = 0; entries && i < count; i++)
        fprintf(stderr, "%s\n", entries[i].message);
    fprintf(stderr, "fuzz_deneb_recording: %s\n", what);
    abort();
}

int LLVMFuzzerInitialize(int *count, char ***words)
{
    (void)count;
    (void)words;
    FILE *file = fopen("fuzz.dcw", "w");
    if (!file || fwrite(cell, 1, sizeof cell - 1, file) != sizeof cell - 1 || fclose(file) != 0)
        fail(NULL, "the cell cannot be written");
    return 0;
}

static void play(cp_context *context, const cp_scene *scene)
{
    uint32_t nodes, clips;
    (void)cp_nodes(scene, &nodes);
    const cp_clip *clip = cp_clips(scene, &clips);
    cp_pose *worlds = malloc(nodes * sizeof *worlds);
    for (uint32_t i = 0; worlds && clips > 0 && i < clip->track_count; i++)
        for (uint32_t key = 0; key < clip->tracks[i].key_count && key < 20; key++)
            if (cp_clip_poses(context, scene, 0, clip->tracks[i].times[key], worlds) != CP_OK)
                fail(context, "the clip cannot be played");
    free(worlds);
}

static void *write_format(cp_context *context, const cp_scene *scene, const char *format, const char *option,
                          size_t *size)
{
    void *written = NULL;
    cp_status status = cp_write_memory(context, scene, format, &option, option ? 1 : 0, &written, size);
    if (status == CP_BUG)
        fail(context, format);
    return status == CP_OK ? written : NULL;
}

/* The texts of both scenes are equal. */
static void go_through_stage(cp_context *context, const cp_scene *scene)
{
    size_t size, first_size, second_size;
    void *stage = write_format(context, scene, "glb", "profile=stage", &size);
    cp_scene *again = NULL;
    if (!stage)
        return;
    if (cp_read_memory(context, stage, size, "stage", "gltf", NULL, 0, &again) != CP_OK)
        fail(context, "the stage is not read again");
    void *first = write_format(context, scene, "dump", NULL, &first_size);
    void *second = write_format(context, again, "dump", NULL, &second_size);
    if (!first || !second || first_size != second_size || memcmp(first, second, first_size) != 0)
        fail(context, "the stage is another scene");
    cp_free(context, first, first_size);
    cp_free(context, second, second_size);
    cp_free(context, stage, size);
    cp_scene_free(again);
}

/* At one time all is in the same place in both scenes, whose nodes are the same. */
static void compare_poses(cp_context *context, const cp_scene *scene, const cp_scene *again, double time)
{
    cp_pose worlds[2][16];
    uint32_t count;
    (void)cp_nodes(scene, &count);
    if (count > 16 || cp_clip_poses(context, scene, 0, time, worlds[0]) != CP_OK ||
        cp_clip_poses(context, again, 0, time, worlds[1]) != CP_OK)
        fail(context, "a clip cannot be played");
    double size = 1;
    for (uint32_t i = 0; i < 12 * count; i++)
        size = fmax(size, fabs(worlds[0][i / 12].m[i % 12]));
    for (uint32_t i = 0; i < 12 * count; i++)
        if (!(fabs(worlds[0][i / 12].m[i % 12] - worlds[1][i / 12].m[i % 12]) <= 1e-9 * size))
            fail(context, "the recording is of another motion");
}

/* Tells whether a recording can carry the clip's motion to 1e-9. A recorded matrix is relative to the node that carries
 * the device: what a scale of 1e19 multiplies in one key and divides out in the next keeps no digit of a double. */
static bool scales_are_moderate(const cp_clip *clip)
{
    double smallest = 1, largest = 1;
    for (uint32_t i = 0; i < clip->track_count; i++)
        for (uint32_t at = 0; clip->tracks[i].path == CP_PATH_SCALE && at < 3 * clip->tracks[i].key_count; at++) {
            double value = fabs(clip->tracks[i].values[at]);
            smallest = value > 0 ? fmin(smallest, value) : smallest;
            largest = fmax(largest, value);
        }
    return largest / smallest <= 1e3;
}

/* Writes the clip as a recording, which must be read again, and be of the same motion. */
static void go_through_recording(cp_context *context, const cp_scene *scene)
{
    static const char *const options[] = {"workcell=fuzz.dcw"};
    size_t size;
    uint32_t clips;
    const cp_clip *clip = cp_clips(scene, &clips);
    cp_scene *again = NULL;
    void *written = clips > 0 ? write_format(context, scene, "deneb-recording", NULL, &size) : NULL;
    if (!written)
        return;
    if (cp_read_memory(context, written, size, "written", "deneb-recording", options, 1, &again) != CP_OK)
        fail(context, "the recording is not read again");
    (void)cp_clips(again, &clips);
    bool comparable = clips > 0 && scales_are_moderate(clip);
    for (uint32_t i = 0; comparable && i < clip->track_count; i++)
        for (uint32_t key = 0; key < clip->tracks[i].key_count && key < 20; key++) {
            const double *times = clip->tracks[i].times + key;
            compare_poses(context, scene, again, times[0]);
            if (key + 1 < clip->tracks[i].key_count)
                compare_poses(context, scene, again, times[0] + 0.3 * (times[1] - times[0]));
        }
    cp_free(context, written, size);
    cp_scene_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const options[] = {"workcell=fuzz.dcw", "tolerance=1mm"};
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = NULL;
    if (!context)
        return 0;
    cp_status status = cp_read_memory(context, bytes, size, "fuzz", "deneb-recording", options, 1 + (size & 1), &scene);
    if (status == CP_BUG || (status == CP_OK) != (scene != NULL))
        fail(context, "read");
    if (scene) {
        size_t written_size;
        if (cp_validate(context, scene) != CP_OK)
            fail(context, "the scene is not valid");
        play(context, scene);
        go_through_stage(context, scene);
        go_through_recording(context, scene);
        void *written = write_format(context, scene, "glb", "profile=deliver", &written_size);
        if (written)
            cp_free(context, written, written_size);
        cp_scene_free(scene);
    }
    cp_context_free(context);
    return 0;
}
