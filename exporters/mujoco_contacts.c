/* MuJoCo: the excluded pairs of bodies, as MJCF that a model includes.
 *
 * Specification: mujoco.readthedocs.io, XML reference, contact/exclude; engine_collision_driver.c, filterBodyPair.
 * Dialects: none.
 *
 * Behaviour and limitations:
 * - Bodies are known by their names; a body that is included must have those of the scene's links. The world is
 * "world".
 * - MuJoCo checks no body with its parent, unless <flag filterparent="disable"/> says so, and never bodies that are
 * fixed to each other: kept pairs of these are a loss. */
#include <string.h>

#include "exporters.h"
#include "link_pairs.h"

/* Reports the kept pairs that MuJoCo does not check: of bodies that are fixed to each other, and of a body and its
 * parent, where bodies that are fixed to each other are one. The world is no parent in this sense. */
static cp_status report_unchecked(cp_context *context, const cp_scene *scene)
{
    uint64_t parents = 0, fixed = 0;
    uint32_t *heads = memory_allocate(context, scene->node_count, sizeof *heads);
    if (!heads)
        return CP_LIMIT;
    scene_find_links(scene, heads);
    for (uint32_t i = 0; i < scene->pair_count; i++) {
        const cp_pair *pair = &scene->pairs[i];
        uint32_t one = heads[pair->first], other = heads[pair->second];
        if (pair->verdict != CP_PAIR_KEPT)
            continue;
        fixed += one == other;
        parents += one != other && one != 0 && other != 0 &&
                   (heads[scene->nodes[other].parent] == one || heads[scene->nodes[one].parent] == other);
    }
    memory_free(context, heads, scene->node_count, sizeof *heads);
    if (parents > 0)
        report_loss(
            context, "mujoco-parent", NOWHERE, parents,
            "pairs of a body and its parent that are to be checked: MuJoCo does so with filterparent=\"disable\" "
            "only");
    if (fixed > 0)
        report_loss(context, "mujoco-fixed", NOWHERE, fixed,
                    "pairs of bodies that are fixed to each other and are to be checked, which MuJoCo never does");
    return CP_OK;
}

static cp_status write_list(struct link_pairs *pairs, cp_context *context, const cp_scene *scene, struct sink *sink,
                            const void *user)
{
    (void)user;
    uint64_t bad = 0;
    report_static_pairs(context, scene);
    cp_status status = report_unchecked(context, scene);
    sink_text(sink, "<mujoco>\n  <contact>\n");
    for (uint32_t i = 0; i < pairs->count; i++) {
        const struct link_pair *item = &pairs->items[i];
        const char *const names[2] = {item->nodes[0] == 0 ? "world" : item->names[0],
                                      item->nodes[1] == 0 ? "world" : item->names[1]};
        sink_text(sink, "    ");
        bad += sink_pair(sink, "exclude", (const char *const[2]){"body1", "body2"}, names);
    }
    sink_text(sink, "  </contact>\n</mujoco>\n");
    report_characters(context, "mujoco-characters", bad);
    return status;
}

static cp_status write(cp_context *context, const cp_scene *scene, const void *settings, struct sink *sink)
{
    const struct link_settings *own = settings;
    return link_list_write(&(struct link_list){.format = mujoco_contacts_exporter.plugin.name,
                                               .names = LINK_NAMES,
                                               .evidence = own->evidence,
                                               .write_list = write_list},
                           context, scene, sink);
}

const struct exporter mujoco_contacts_exporter = {
    .plugin = {.name = "mujoco-contacts",
               .title = "MuJoCo's excluded pairs of bodies",
               .options = link_options,
               .settings_size = sizeof(struct link_settings)},
    .suffixes = ".contact.xml",
    .is_list = true,
    .carries = link_carries,
    .write = write,
};
