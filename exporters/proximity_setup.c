/* RobWork's ProximitySetup: the excluded pairs of frames.
 *
 * Specification: RobWork 2018, src/rw/loaders/dom/DOMProximitySetupLoader.cpp. Dialects: none.
 *
 * Behaviour and limitations:
 * - A rule for each pair, by the names of the whole cell. Rules are patterns to RobWork: pairs with a name that has *,
 * ? or REGEX are left out, a loss.
 * - UseExcludeStaticPairs is true if the scene excludes all static pairs as a whole. Volatile frames have no place: a
 *   loss. */
#include <string.h>

#include "exporters.h"
#include "link_pairs.h"

static bool is_pattern(const char *name)
{
    return strpbrk(name, "*?") || strstr(name, "REGEX");
}

static void report_volatile(cp_context *context, const cp_scene *scene)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < scene->node_count; i++)
        count += (scene->nodes[i].flags & CP_NODE_VOLATILE) != 0;
    if (count > 0)
        report_loss(context, "proximity-volatile", NOWHERE, count, "frames that are volatile");
}

/* Leaves out the pairs with a name that is a pattern. Returns how many rules that are. */
static uint64_t leave_out_patterns(struct link_pairs *pairs, const cp_scene *scene)
{
    uint32_t kept = 0, count = pairs->count;
    for (uint32_t i = 0; i < scene->pair_count; i++)
        if (is_pattern(pairs->links[scene->pairs[i].first]) || is_pattern(pairs->links[scene->pairs[i].second]))
            pairs->listed[i] = false;
    for (uint32_t i = 0; i < count; i++)
        if (!is_pattern(pairs->items[i].names[0]) && !is_pattern(pairs->items[i].names[1]))
            pairs->items[kept++] = pairs->items[i];
    pairs->count = kept;
    return count - kept;
}

static cp_status write_list(struct link_pairs *pairs, cp_context *context, const cp_scene *scene, struct sink *sink,
                            const void *user)
{
    (void)user;
    uint64_t bad = 0, patterns = leave_out_patterns(pairs, scene);
    report_volatile(context, scene);
    sink_print(sink, "<ProximitySetup UseIncludeAll=\"true\" UseExcludeStaticPairs=\"%s\">\n",
               scene->exclude_static_pairs ? "true" : "false");
    for (uint32_t i = 0; i < pairs->count; i++) {
        sink_text(sink, "  ");
        bad += sink_pair(sink, "Exclude", (const char *const[2]){"PatternA", "PatternB"}, pairs->items[i].names);
    }
    sink_text(sink, "</ProximitySetup>\n");
    if (patterns > 0)
        report_loss(context, "proximity-pattern", NOWHERE, patterns,
                    "excluded pairs whose names RobWork would take for patterns of other frames (*, ?, REGEX)");
    report_characters(context, "proximity-characters", bad);
    return CP_OK;
}

static cp_status write(cp_context *context, const cp_scene *scene, const void *settings, struct sink *sink)
{
    const struct link_settings *own = settings;
    return link_list_write(&(struct link_list){.format = proximity_setup_exporter.plugin.name,
                                               .names = FRAME_NAMES,
                                               .evidence = own->evidence,
                                               .write_list = write_list},
                           context, scene, sink);
}

const struct exporter proximity_setup_exporter = {
    .plugin = {.name = "proximity-setup",
               .title = "RobWork proximity setup",
               .options = link_options,
               .settings_size = sizeof(struct link_settings)},
    .suffixes = ".prox.xml",
    .is_list = true,
    .carries = link_carries,
    .write = write,
};
