/* MuJoCo: the excluded pairs of bodies, as MJCF that a model includes.
 *
 * Specification: mujoco.readthedocs.io, XML reference, contact/exclude. Dialects: none.
 *
 * Behaviour and limitations:
 * - Bodies are known by their names; a body that is included must have those of the scene's links. The world is
 * "world".
 * - MuJoCo checks no body with its parent, unless <flag filterparent="disable"/> says so: kept pairs of these are a
 *   loss. */
#include <string.h>

#include "exporters.h"
#include "link_pairs.h"

static void report_parents(cp_context *context, const cp_scene *scene)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < scene->pair_count; i++) {
        const cp_pair *pair = &scene->pairs[i];
        uint32_t one = pair->first, other = pair->second;
        bool parent =
            (one != 0 && scene->nodes[other].parent == one) || (other != 0 && scene->nodes[one].parent == other);
        count += pair->verdict == CP_PAIR_KEPT && parent;
    }
    if (count > 0)
        report_loss(
            context, "mujoco-parent", NOWHERE, count,
            "pairs of a body and its parent that are to be checked: MuJoCo does so with filterparent=\"disable\" "
            "only");
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
    uint64_t bad = 0;
    cp_status status = link_pairs_find(&pairs, context, scene, LINK_NAMES, NULL);
    if (status == CP_OK) {
        report_static_pairs(context, scene);
        report_parents(context, scene);
        sink_text(sink, "<mujoco>\n  <contact>\n");
    }
    for (uint32_t i = 0; i < pairs.count && status == CP_OK; i++) {
        sink_text(sink, "    <exclude");
        for (int k = 0; k < 2; k++)
            bad += sink_attribute(sink, k == 0 ? "body1" : "body2",
                                  pairs.items[i].nodes[k] == 0 ? "world" : pairs.items[i].names[k]);
        sink_text(sink, "/>\n");
    }
    if (status == CP_OK)
        sink_text(sink, "  </contact>\n</mujoco>\n");
    if (bad > 0)
        report_loss(context, "mujoco-characters", NOWHERE, bad, "characters in names that XML cannot hold");
    link_pairs_free(&pairs);
    return status;
}

const struct exporter mujoco_contacts_exporter = {
    .plugin = {.name = "mujoco-contacts", .title = "MuJoCo's excluded pairs of bodies"},
    .suffixes = ".contact.xml",
    .is_list = true,
    .carries = carries,
    .write = write,
};
