/* RobWork's CollisionSetup.xml: the exclusions of a scene.
 *
 * Specification: see importers/collision_setup/collision_setup.c; the evidence beside it: docs/exclusion.md.
 *
 * Behaviour and limitations:
 * - A list belongs to a cell and is no copy: the rest of the scene is no loss, unless there is nothing to list. A pair
 *   that is not in the list is to be checked: kept pairs are lost only where the list excludes them all the same.
 * - How a pair's reason was found stands in attributes of FramePair, which RobWork ignores, and in a comment, since
 *   RobWork refuses attributes elsewhere; `plain=yes` writes names alone. What attributes cannot hold, and all that is
 *   known of kept pairs, `evidence=yes` writes as JSON beside the list.
 * - Names are those of the whole cell. `relative=yes` makes them relative to a device ("J0" for "Device.J0") where all
 *   of them are inside it, as a setup beside a device file needs them; a comment says so and our importer reads it.
 *   `split=device` gives each device a file of its own for the pairs that are inside, with such names.
 * - Where all static pairs are excluded, <ExcludeStaticPairs/> takes the place of those that are in the list for that
 *   reason alone; not in a list of plain names, in one for a device and in a device's own file, which other cells may
 *   name. The element means frames, not names, so it holds for frames of the same name and for names that
 *   are patterns, too.
 * - Frames are named only. Where several have the same names, a pair is listed when all theirs are excluded; else none
 *   of them is, and they are checked: a loss.
 * - A name with * or ?, or with REGEX, is a pattern to RobWork, which may fit other frames: its pairs are left out and
 *   so checked, a loss.
 * - Characters that XML 1.0 cannot hold are written as U+FFFD: a loss. */
#include <string.h>

#include "../evidence.h"
#include "../exporters.h"
#include "../link_pairs.h"
#include "collide/list/list.h"
#include "writer.h"

static const cp_option options[] = {
    {"relative", "names relative to the device that all of them are inside", CP_OPTION_BOOLEAN,
     offsetof(struct setup_settings, relative), .initial = "no"},
    {"plain", "names alone, without reasons and comments", CP_OPTION_BOOLEAN, offsetof(struct setup_settings, plain),
     .initial = "no"},
    {"split", "device: pairs inside a device in a further file DEVICECollisionSetup.xml", CP_OPTION_CHOICE,
     offsetof(struct setup_settings, split), "no", .choices = "no|device"},
    {"static", "element: <ExcludeStaticPairs/> in place of the static pairs where it says the same; names: never",
     CP_OPTION_CHOICE, offsetof(struct setup_settings, static_pairs), "element", .choices = "element|names"},
    EVIDENCE_OPTION(offsetof(struct setup_settings, evidence)),
    CP_OPTIONS_END};

/* ---- losses ---- */

static void report_evidence(const struct setup_writer *writer)
{
    const cp_scene *scene = writer->scene;
    uint64_t noted = 0, seen = 0, kept = 0;
    if (writer->settings->evidence)
        return;
    for (uint32_t i = 0; i < scene->pair_count; i++) {
        const cp_pair *pair = &scene->pairs[i];
        const cp_finding *finding = pair->finding;
        kept += !writer->listed[i];
        noted += writer->listed[i] && (strcmp(pair->reason, "given") != 0 || *pair->evidence || finding);
        /* any configuration is a witness of a pair that always collides */
        seen += writer->listed[i] && finding && finding->witness_count > 0 && strncmp(pair->reason, "always", 6) != 0;
    }
    if (noted && writer->settings->plain)
        report_loss(writer->context, "collision-setup-evidence", NOWHERE, noted, "reasons of excluded pairs");
    if (seen)
        report_loss(writer->context, "collision-setup-witness", NOWHERE, seen,
                    "joint values at which an excluded pair collides (evidence=yes writes them)");
    if (kept)
        report_note(writer->context, "collision-setup-not-listed", NOWHERE,
                    "%llu pairs are to be checked, as all that are not listed; evidence=yes writes why",
                    (unsigned long long)kept);
}

/* Reports an empty list, such as that of a part: the whole scene is lost in it. */
static void report_empty(const struct setup_writer *writer)
{
    const cp_scene *scene = writer->scene;
    bool any = scene->pair_count > 0 || scene->exclude_static_pairs;
    for (uint32_t i = 0; i < scene->node_count && !any; i++)
        any = scene->nodes[i].flags & CP_NODE_VOLATILE;
    if (!any && scene->node_count > 1)
        report_loss(writer->context, "collision-setup-empty", NOWHERE, 1,
                    "all of the scene: it says nothing about pairs, and so the list is empty");
}

/* Tells whether a checker that obeys the list looks at any pair of the scene's frames. */
static bool leaves_pairs(const struct setup_writer *writer, const struct pair_rules *rules)
{
    const cp_scene *scene = writer->scene;
    bool any = rules->checked > 0 || count_without_geometry(scene) > 0;
    for (uint32_t i = 0; i < scene->pair_count && !any; i++)
        any = pair_is_excluded(writer, i) && !writer->listed[i];
    return any;
}

/* Warns that no pair is left. That may be right, but more often the limits, the margin or the collision geometry of the
 * cell are wrong. */
static cp_status report_nothing_left(const struct setup_writer *writer)
{
    struct pair_rules rules;
    const cp_scene *scene = writer->scene;
    bool *candidates = arena_allocate(writer->arena, scene->node_count, sizeof *candidates);
    for (uint32_t i = 0; candidates && i < scene->node_count; i++)
        candidates[i] = node_can_collide(scene, i);
    if (!candidates)
        return CP_LIMIT;
    bool good = pair_rules_find(&rules, writer->context, scene, candidates);
    if (good && rules.all > 0 && !leaves_pairs(writer, &rules))
        report_warning(writer->context, "collision-setup-nothing-left", NOWHERE,
                       "the list leaves nothing to check: it excludes all pairs of frames that can collide (%llu)",
                       (unsigned long long)rules.all);
    pair_rules_free(&rules);
    return good ? CP_OK : CP_LIMIT;
}

/* Finds the cell's key: if all pairs of frames with geometry were judged, and the scene has not changed since, the list
 * has a key of them all. A list that was read keeps its own. */
static cp_status find_cell_key(struct setup_writer *writer)
{
    const cp_scene *scene = writer->scene;
    uint64_t *pairs = arena_allocate(writer->arena, scene->pair_count, sizeof *pairs), count = 0;
    uint32_t judged = 0;
    if (!pairs)
        return CP_LIMIT;
    for (uint32_t i = 0; i < scene->pair_count; i++) {
        const cp_pair *pair = &scene->pairs[i];
        if (pair->finding && pair->finding->key && !writer->outdated[i] && pair->first != pair->second)
            pairs[judged++] = unordered_pair(pair->first, pair->second);
    }
    judged = make_set(pairs, judged);
    cp_status status = judged > 0 ? cell_key(writer->context, scene, &writer->cell_key, &count) : CP_OK;
    writer->cell_key = status == CP_OK && judged > 0 && judged == count ? writer->cell_key : listed_cell_key(scene);
    return status;
}

/* ---- the output ---- */

static cp_status write_evidence(struct setup_writer *writer, struct sink *top)
{
    const cp_scene *scene = writer->scene;
    struct evidence_file *files = arena_allocate(writer->arena, writer->file_count, sizeof *files);
    bool *unnamed = arena_allocate(writer->arena, scene->pair_count, sizeof *unnamed);
    if (!files || !unnamed)
        return CP_LIMIT;
    for (uint32_t i = 0; i < writer->file_count; i++)
        files[i] = (struct evidence_file){writer->files[i].name, writer->files[i].prefix};
    for (uint32_t i = 0; i < scene->pair_count; i++)
        unnamed[i] = writer->listed[i] && pair_needs_no_names(writer, i);
    return evidence_write(&(struct evidence){.context = writer->context,
                                             .scene = scene,
                                             .arena = writer->arena,
                                             .listed = writer->listed,
                                             .outdated = writer->outdated,
                                             .unnamed = unnamed,
                                             .static_element = writer->static_element,
                                             .prefix = files[0].prefix,
                                             .files = files + 1,
                                             .file_count = writer->file_count - 1},
                          top);
}

/* Writes all files but the first. */
static cp_status write_other_files(struct setup_writer *writer, struct sink *top)
{
    struct sink *sink;
    cp_status status = CP_OK;
    for (uint32_t i = 1; i < writer->file_count && status == CP_OK; i++) {
        status = sink_open(top, writer->files[i].name, &sink);
        if (status == CP_OK) {
            setup_write_file(writer, &writer->files[i], sink);
            status = sink_close_further(sink);
        }
    }
    return status == CP_OK && writer->settings->evidence ? write_evidence(writer, top) : status;
}

static cp_status write_all(struct setup_writer *writer, struct sink *top)
{
    cp_context *context = writer->context;
    uint64_t kept = 0;
    cp_status status = setup_choose_pairs(writer);
    if (status == CP_OK)
        status = setup_plan_files(writer, top);
    if (status == CP_OK)
        status = pairs_count_left_out(context, writer->scene, &kept);
    if (status != CP_OK)
        return status;
    if (kept > 0)
        report_loss(context, "collision-setup-kept", NOWHERE, kept,
                    "pairs that are to be checked, though another statement excludes them");

    report_empty(writer);
    report_evidence(writer);
    status = report_nothing_left(writer);
    if (status == CP_OK)
        status = find_cell_key(writer);
    if (status != CP_OK)
        return status;
    setup_write_file(writer, &writer->files[0], top);
    status = write_other_files(writer, top);
    report_characters(context, "collision-setup-characters", writer->bad_characters);
    return status;
}

static cp_status write(cp_context *context, const cp_scene *scene, const void *settings, struct sink *sink)
{
    const struct setup_settings *own = settings;
    struct setup_writer writer = {.context = context, .scene = scene, .settings = own};
    writer.arena = arena_new(context);
    cp_status status = writer.arena ? evidence_expect(context, writer.arena, sink, own->evidence) : CP_LIMIT;
    if (status == CP_OK && own->split == SPLIT_DEVICE)
        status = sink_expect_further(sink);
    if (status == CP_OK)
        status = write_all(&writer, sink);
    arena_free(writer.arena);
    return status;
}

const struct exporter collision_setup_exporter = {
    .plugin = {.name = "collision-setup",
               .title = "RobWork collision setup",
               .options = options,
               .settings_size = sizeof(struct setup_settings)},
    .suffixes = ".xml",
    .is_list = true,
    .carries = link_carries,
    .write = write,
};
