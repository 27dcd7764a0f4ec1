/* One fuzzer for the protocols of controllers, which has a name for each: fuzz_rtde, fuzz_simple, fuzz_json_lines. What
 * is heard must not depend on the pieces in which bytes come, and what a map lets through must be finite. A bug shows
 * as a crash, a leak, a sanitizer's finding or a difference. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../live/controller.h"
#include "cellpipe_build.h"
#include "input.h"

int LLVMFuzzerInitialize(int *count, char ***words);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { JOINTS = 6 };

static const struct controller_protocol *protocol;
static cp_context *cell_context;
static cp_scene *cell;
static struct arena *arena;
static struct joint_map map;

struct heard {
    cp_status status;
    char why[WHY_SIZE];
    uint64_t samples, hash, answers; /* hashes of both ways */
    double values[JOINTS];
};

static void check(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "fuzz_controllers: %s\n", what);
    abort();
}

/* A cell with an arm of six joints, named as JSON lines may name them. */
static void make_cell(void)
{
    uint32_t joints[JOINTS];
    cell_context = cp_context_new(NULL);
    cell = cp_scene_new(cell_context);
    cp_node arm = cp_new_node();
    arm.name = "arm";
    arm.parent = 0;
    const uint32_t node = cp_add_node(cell, &arm);
    for (uint32_t i = 0; i < JOINTS; i++) {
        const char name[] = {'j', (char)('1' + i), '\0'};
        cp_joint joint = cp_new_joint();
        joint.name = name;
        joint.node = node;
        joint.type = CP_JOINT_REVOLUTE;
        joint.driven = true;
        joint.lower = i == 5 ? -INFINITY : -3;
        joint.upper = i == 4 ? INFINITY : 3;
        joints[i] = cp_add_joint(cell, &joint);
        check(joints[i] != CP_NONE, "a joint");
    }
    check(cp_scene_finish(cell) == CP_OK, "the cell");
    arena = arena_new(cell_context);
    check(joint_map_default(cell_context, cell, arena, &map) == CP_OK, "the map");
}

int LLVMFuzzerInitialize(int *count, char ***words)
{
    const char *slash = *count > 0 ? strrchr(**words, '/') : NULL, *name = slash ? slash + 1 : **words;
    protocol = strcmp(name, "fuzz_rtde") == 0         ? &rtde_protocol
               : strcmp(name, "fuzz_simple") == 0     ? &simple_protocol
               : strcmp(name, "fuzz_json_lines") == 0 ? &json_lines_protocol
                                                      : NULL;
    if (!protocol) {
        fprintf(stderr, "fuzz_controllers: call it by the name fuzz_rtde, fuzz_simple or fuzz_json_lines\n");
        exit(2);
    }
    mutates_numbers = protocol == &json_lines_protocol;
    make_cell();
    return 0;
}

static void hash_bytes(uint64_t *hash, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        *hash = (*hash ^ ((const unsigned char *)bytes)[i]) * 1099511628211U;
}

static void hear(void *user, const struct controller_sample *sample)
{
    struct heard *heard = user;
    char why[WHY_SIZE] = "";
    heard->samples++;
    check(sample->count <= MOST_CONTROLLER_JOINTS, "too many joints");
    check((int)sample->mode >= CONTROLLER_SILENT && sample->mode <= CONTROLLER_EMERGENCY, "no mode");
    check(isfinite(sample->time) || isnan(sample->time), "an infinite time");
    hash_bytes(&heard->hash, &sample->time, sizeof sample->time);
    hash_bytes(&heard->hash, &sample->mode, sizeof sample->mode);
    hash_bytes(&heard->hash, &sample->line, sizeof sample->line);
    hash_bytes(&heard->hash, sample->program ? sample->program : "", sample->program ? strlen(sample->program) : 0);
    for (uint32_t i = 0; i < sample->count; i++) {
        hash_bytes(&heard->hash, sample->names[i], strlen(sample->names[i]) + 1);
        hash_bytes(&heard->hash, &sample->values[i], sizeof sample->values[i]);
    }
    check(sample->part_count <= MOST_CONTROLLER_PARTS, "too many parts");
    for (uint32_t i = 0; i < sample->part_count; i++) {
        const struct controller_part *part = &sample->parts[i];
        hash_bytes(&heard->hash, part->id, strlen(part->id) + 1);
        for (int k = 0; k < 12 && !part->is_back; k++) {
            check(isfinite(part->world.m[k]), "a pose that is not finite");
            hash_bytes(&heard->hash, &part->world.m[k], sizeof part->world.m[k]);
        }
    }
    const bool good = joint_map_apply(&map, cell, sample, heard->values, why);
    check(good == (why[0] == '\0'), "a refusal and its reason");
    (void)joint_map_unknown(&map, sample);
    for (int i = 0; i < JOINTS; i++)
        check(isfinite(heard->values[i]), "a value that is not finite");
}

static void listen_to(const uint8_t *bytes, size_t size, size_t piece, struct heard *heard)
{
    cp_context *context = cp_context_new(NULL);
    void *state = calloc(1, protocol->state_size);
    const struct controller_listener listener = {hear, heard};
    const void *answer;
    size_t answer_size;
    memset(heard, 0, sizeof *heard);
    check(context && state, "no memory");
    heard->status = protocol->begin(context, state, &answer, &answer_size);
    for (size_t done = 0; done < size && heard->status == CP_OK; done += piece) {
        const size_t now = piece < size - done ? piece : size - done;
        uint8_t *copy = malloc(now); /* reading beyond its end is seen */
        check(copy != NULL, "no memory");
        memcpy(copy, bytes + done, now);
        heard->status = protocol->take(context, state, copy, now, &listener, &answer, &answer_size, heard->why);
        free(copy);
        if (heard->status == CP_OK && answer)
            hash_bytes(&heard->answers, answer, answer_size);
    }
    if (heard->status == CP_OK)
        heard->status = protocol->end(context, state, &listener, heard->why);
    check(heard->status == CP_OK || heard->status == CP_INPUT, "the status");
    check((heard->status == CP_INPUT) == (heard->why[0] != '\0'), "nonsense and its reason");
    size_t entries;
    (void)cp_report(context, &entries);
    check(entries == 0, "a report that grows");
    protocol->free(context, state);
    free(state);
    cp_context_free(context);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static struct heard whole, pieces;
    listen_to(bytes, size, size > 0 ? size : 1, &whole);
    listen_to(bytes, size, 1 + size % 13, &pieces);
    check(whole.status == pieces.status && strcmp(whole.why, pieces.why) == 0, "another end in pieces");
    check(whole.samples == pieces.samples, "other samples in pieces");
    check(whole.status != CP_OK || (whole.hash == pieces.hash && whole.answers == pieces.answers),
          "other words in pieces");
    return 0;
}
