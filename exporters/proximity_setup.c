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

static uint32_t carries(const void *settings)
{
    (void)settings;
    return CP_FEATURE_PAIRS | CP_FEATURE_PLACEHOLDERS | CP_FEATURE_NAMES;
}

static cp_status write(cp_context *context, const cp_scene *scene, const void *settings, struct sink *sink)
{
    (void)settings;
    struct link_pairs pairs;
    uint64_t patterns = 0, bad = 0;
    cp_status status = link_pairs_find(&pairs, context, scene, FRAME_NAMES, NULL);
    if (status == CP_OK) {
        report_volatile(context, scene);
        sink_print(sink, "<ProximitySetup UseIncludeAll=\"true\" UseExcludeStaticPairs=\"%s\">\n",
                   scene->exclude_static_pairs ? "true" : "false");
    }
    for (uint32_t i = 0; i < pairs.count && status == CP_OK; i++) {
        const struct link_pair *item = &pairs.items[i];
        if (is_pattern(item->names[0]) || is_pattern(item->names[1])) {
            patterns++;
            continue;
        }
        sink_text(sink, "  <Exclude");
        bad += sink_attribute(sink, "PatternA", item->names[0]);
        bad += sink_attribute(sink, "PatternB", item->names[1]);
        sink_text(sink, "/>\n");
    }
    if (status == CP_OK)
        sink_text(sink, "</ProximitySetup>\n");
    if (patterns > 0)
        report_loss(context, "proximity-pattern", NOWHERE, patterns,
                    "excluded pairs whose names RobWork would take for patterns of other frames (*, ?, REGEX)");
    if (bad > 0)
        report_loss(context, "proximity-characters", NOWHERE, bad, "characters in names that XML cannot hold");
    link_pairs_free(&pairs);
    return status;
}

const struct exporter proximity_setup_exporter = {
    .plugin = {.name = "proximity-setup", .title = "RobWork proximity setup"},
    .suffixes = ".prox.xml",
    .is_list = true,
    .carries = carries,
    .write = write,
};
