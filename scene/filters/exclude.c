/* exclude: finds the pairs of frames that never need to be checked for collision, and why (docs/exclusion.md). */
#include "exclude.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/text/text.h"
#include "filters.h"
#include "plugins/tools.h"

static const cp_option options[] = {
    {"margin", "what comes nearer than this collides; 1mm is good for tessellation and calibration", CP_OPTION_LENGTH,
     offsetof(struct exclude_settings, margin), "0", .maximum = 1e6},
    {"padding",
     "further margin of the pairs of frames: Hand:5mm,Arm:2mm; a pair has the margin and the padding of both",
     CP_OPTION_STRING, .offset = offsetof(struct exclude_settings, padding)},
    {"tools",
     "files whose shapes are attached to frames, and count as part of them: hand:jaws.stl,parts.urdf; without a frame "
     "before it, those of a file belong to the frames of the same names",
     CP_OPTION_STRING, .offset = offsetof(struct exclude_settings, tools)},
    {"touch", "what is not farther apart than this touches", CP_OPTION_LENGTH, offsetof(struct exclude_settings, touch),
     "1e-6", .maximum = 1e6},
    {"samples", "random configurations that are looked at", CP_OPTION_INTEGER,
     offsetof(struct exclude_settings, samples), "100", .maximum = 1e9},
    {"descents", "searches for rare collisions", CP_OPTION_INTEGER, offsetof(struct exclude_settings, descents), "300",
     .maximum = 1e9},
    {"work", "bounds that the proof for a pair may take; 2000000 to be thorough", CP_OPTION_INTEGER,
     offsetof(struct exclude_settings, work), "200000", .maximum = 1e15},
    {"time", "seconds after which what is not decided stays so; 60s, 5min", CP_OPTION_TIME,
     offsetof(struct exclude_settings, time), .minimum = 0.001, .maximum = 1e9},
    {"seed", "of the random numbers", CP_OPTION_INTEGER, offsetof(struct exclude_settings, seed), "1", .maximum = 1e15},
    {"adjacent", "exclude neighbours too: frames with one moving joint between them", CP_OPTION_BOOLEAN,
     offsetof(struct exclude_settings, adjacent), .initial = "no"},
    {"movable",
     "frames that may be moved or hung elsewhere, with commas between, beside those that say so or that a clip moves; "
     "none: not even these",
     CP_OPTION_STRING, .offset = offsetof(struct exclude_settings, movable)},
    {"only", "judge only pairs with a frame of this device", CP_OPTION_DEVICE,
     .offset = offsetof(struct exclude_settings, only)},
    {"allow-sampled",
     "yes: exclude also what touched in all samples, or in none, without a proof; always: only what touched in all, "
     "and "
     "in 1000 at least",
     CP_OPTION_CHOICE, offsetof(struct exclude_settings, allow_sampled), "no", .choices = "no|yes|always"},
    {"keep", "a list whose pairs stay excluded, whatever is found; of an SRDF those that people wrote", CP_OPTION_PATH,
     .offset = offsetof(struct exclude_settings, keep)},
    {"keep-colliding", "whether the pairs that people wrote into the SRDF of keep= stay excluded even if they collide",
     CP_OPTION_BOOLEAN, offsetof(struct exclude_settings, keep_colliding), .initial = "yes"},
    {"keep-evidence", "evidence of an earlier run: pairs that have not changed since then are not judged again",
     CP_OPTION_PATH, .offset = offsetof(struct exclude_settings, keep_evidence)},
    CP_OPTIONS_END};

/* ---- which frames ---- */

struct movable {
    const cp_scene *scene;
    bool *marks;
};

static cp_status mark_named(void *user, char *name)
{
    const struct movable *movable = user;
    uint32_t node = 0;
    cp_status status = *name ? find_named(movable->scene, TABLE_NODES, name, &node) : CP_OK;
    if (status == CP_OK && *name)
        movable->marks[node] = true;
    return status;
}

/* Marks the movable frames. names: with commas between; NULL: those that the scene calls so; "none". */
static cp_status mark_movable(const cp_scene *scene, const char *names, bool *marks)
{
    if (names && strcmp(names, "none") == 0)
        return CP_OK;
    find_movables(scene, marks);
    return names ? each_item(scene->context, names, mark_named, &(struct movable){scene, marks}) : CP_OK;
}

/* Marks the frames that came with a device, or with another one whose joints are all of this one's (a part of a
 * composite device), and those that hang on them. */
static cp_status mark_device(const cp_scene *scene, const char *name, bool *marks)
{
    uint32_t wanted = 0;
    bool *joints = memory_allocate_zeroed(scene->context, scene->joint_count, sizeof *joints);
    bool *devices = memory_allocate_zeroed(scene->context, scene->device_count, sizeof *devices);
    cp_status status = joints && devices ? find_named(scene, TABLE_DEVICES, name, &wanted) : CP_LIMIT;
    for (uint32_t i = 0; status == CP_OK && i < scene->devices[wanted].joint_count; i++)
        joints[scene->devices[wanted].joints[i]] = true;
    for (uint32_t i = 0; status == CP_OK && i < scene->device_count; i++) {
        const cp_device *device = &scene->devices[i];
        bool part = device->joint_count > 0;
        for (uint32_t k = 0; k < device->joint_count; k++)
            part = part && joints[device->joints[k]];
        devices[i] = i == wanted || part;
        if (devices[i])
            marks[device->base] = true;
    }
    for (uint32_t i = 0; status == CP_OK && i < scene->node_count; i++) {
        const cp_node *node = &scene->nodes[i];
        marks[i] = marks[i] || (node->scope != CP_NONE && devices[node->scope]) ||
                   (node->parent != CP_NONE && marks[node->parent]);
    }
    memory_free(scene->context, joints, scene->joint_count, sizeof *joints);
    memory_free(scene->context, devices, scene->device_count, sizeof *devices);
    return status;
}

/* ---- all ---- */

/* Notes how many findings of keep-evidence= were taken. Others hold too, but are of pairs that take no search, or of
 * pairs in loops, which are judged again. */
static void report_known(cp_context *context, const char *path, const struct known_pairs *known,
                         const struct exclusion_list *found)
{
    uint32_t taken = 0;
    for (uint32_t i = 0; i < found->count; i++)
        taken += found->items[i].judgement.known != NULL;
    report_note(context, "exclude-known", IN_FILE(path),
                "%u of %u findings are taken over: they were judged by the same margin and with as much work, and "
                "nothing has changed; all other pairs are judged",
                (unsigned)taken, (unsigned)known->listed);
}

static cp_status judge_scene(cp_context *context, cp_scene *scene, const struct exclude_settings *own,
                             struct exclusion_rules *rules)
{
    struct exclusion_list found;
    struct user_pairs users = {.context = context};
    struct known_pairs known = {0};
    cp_status status = exclusions_open(&found, context, scene);
    if (status == CP_OK)
        status = exclude_check_bodies(context, &found.bodies);
    if (status == CP_OK && own->keep) /* read it before the long work, as it may be wrong */
        status = user_pairs_read(&users, scene, own->keep);
    if (status == CP_OK && own->keep_evidence)
        status = known_pairs_read(&known, context, scene, &rules->judge, own->keep_evidence);
    rules->known = &known;
    if (status == CP_OK)
        status = exclusions_find(&found, context, rules);
    if (status == CP_OK && own->keep_evidence)
        report_known(context, own->keep_evidence, &known, &found);
    if (status == CP_OK && found.count == 0)
        status = report_error(
            context, CP_NO, "exclude-no-pairs", NOWHERE,
            "no frame of the device \"%s\" (only=) has collision geometry: there are no pairs to judge", own->only);
    if (status == CP_OK)
        status = state_pairs(scene, own, rules, &found, &users);
    user_pairs_free(&users);
    known_pairs_free(&known);
    exclusions_free(&found, context);
    return status;
}

static cp_status apply(cp_context *context, cp_scene *scene, const void *settings)
{
    const struct exclude_settings *own = settings;
    bool *movable = memory_allocate_zeroed(context, scene->node_count, sizeof *movable);
    bool *wanted = memory_allocate_zeroed(context, scene->node_count, sizeof *wanted);
    double *padding = memory_allocate_zeroed(context, scene->node_count, sizeof *padding);
    struct exclusion_rules rules = {
        .judge = {.margin = own->margin,
                  .touch = own->touch,
                  .padding = padding,
                  .samples = (uint32_t)own->samples,
                  .always_samples = own->allow_sampled == ALLOW_ALWAYS_SAMPLED ? ALWAYS_SAMPLES : 0,
                  .descents = (uint32_t)own->descents,
                  .work = (uint64_t)own->work,
                  .ending = {own->time > 0 ? milliseconds_now() + (uint64_t)ceil(own->time * 1000) : 0,
                             context->callbacks.ends_early, context->callbacks.end_user},
                  .movable = movable},
        .seed = (uint64_t)own->seed,
        .wanted = own->only ? wanted : NULL};
    cp_status status = movable && wanted && padding ? CP_OK : CP_LIMIT;
    if (status == CP_OK && own->tools)
        status = tools_attach(context, scene, own->tools);
    if (status == CP_OK)
        status = exclude_check(context, scene);
    if (status == CP_OK && own->padding)
        status = exclude_read_padding(scene, own->padding, padding);
    if (status == CP_OK)
        status = mark_movable(scene, own->movable, movable);
    if (status == CP_OK && own->only)
        status = mark_device(scene, own->only, wanted);
    if (status == CP_OK)
        status = judge_scene(context, scene, own, &rules);
    memory_free(context, movable, scene->node_count, sizeof *movable);
    memory_free(context, wanted, scene->node_count, sizeof *wanted);
    memory_free(context, padding, scene->node_count, sizeof *padding);
    return status;
}

const struct filter exclude_filter = {.plugin = {.name = "exclude",
                                                 .title = "Find the pairs of frames that never need a collision check",
                                                 .options = options,
                                                 .settings_size = sizeof(struct exclude_settings),
                                                 .check = exclude_check_options},
                                      .apply = apply};
