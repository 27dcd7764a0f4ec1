/* Drake: the excluded pairs of links as collision filter groups in model directives.
 *
 * Specification: Drake, multibody/parsing/model_directives.h. Dialects: none.
 *
 * Behaviour and limitations:
 * - A group for each link, which ignores the groups of the links that it is excluded with.
 * - Links are MODEL::LINK. MODEL is the device's name, as add_model names it, or that of model=; links that belong to
 * no device stand without. The directives follow the add_model ones in the same file, or in a file that includes this.
 */
#include <stdlib.h>
#include <string.h>

#include "evidence.h"
#include "exporters.h"
#include "link_pairs.h"

struct drake_settings {
    const char *model;
    bool evidence;
};

/* Writes the text in a string of YAML, whose escapes are those of JSON. A group's name has no colon, which would begin
 * a scope. */
static void write_text(struct sink *sink, const char *text, bool of_group)
{
    char character[CP_JSON_CHARACTER_SIZE];
    for (size_t size; (size = cp_print_json_character(&text, character)) > 0;)
        if (of_group && (*character == ':' || *character == '%'))
            sink_text(sink, *character == ':' ? "%3a" : "%25");
        else
            sink_write(sink, character, size);
}

/* A link that pairs name. */
struct drake_link {
    const char *name;
    uint32_t node;
};

static int compare_links(const void *a, const void *b)
{
    return strcmp(((const struct drake_link *)a)->name, ((const struct drake_link *)b)->name);
}

/* Returns the size of the "MODEL::" that all links begin with: groups need it in their names only if models differ. */
static size_t common_prefix(const cp_scene *scene, const char *model, const struct drake_link *links, size_t count)
{
    for (size_t i = 1; i < count && !model; i++)
        if (scene->nodes[links[i].node].scope != scene->nodes[links[0].node].scope)
            return 0;
    return count > 0 ? model_prefix_size(scene, links[0].node, model) : 0;
}

/* Writes a group for each link, in the order of the pairs. links: room for both of each pair. */
static void write_groups(struct sink *sink, const cp_scene *scene, const char *model, const struct link_pairs *pairs,
                         struct drake_link *links)
{
    size_t count = 2 * (size_t)pairs->count, at = 0;
    for (size_t i = 0; i < count; i++)
        links[i] = (struct drake_link){pairs->items[i / 2].names[i % 2], pairs->items[i / 2].nodes[i % 2]};
    if (count > 0)
        qsort(links, count, sizeof *links, compare_links);
    size_t common = common_prefix(scene, model, links, count);
    sink_text(sink, count > 0 ? "directives:\n" : "directives: []\n");
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && strcmp(links[i].name, links[i - 1].name) == 0)
            continue;
        sink_text(sink, "- add_collision_filter_group:\n    name: \"");
        write_text(sink, links[i].name + common, true);
        sink_text(sink, "\"\n    members: [\"");
        write_text(sink, links[i].name, false);
        sink_text(sink, "\"]\n    ignored_collision_filter_groups: [");
        for (const char *before = "\""; at < pairs->count && strcmp(pairs->items[at].names[0], links[i].name) == 0;
             at++) {
            sink_text(sink, before);
            write_text(sink, pairs->items[at].names[1] + common, true);
            before = "\", \"";
        }
        sink_text(sink, at > 0 && strcmp(pairs->items[at - 1].names[0], links[i].name) == 0 ? "\"]\n" : "]\n");
    }
}

static cp_status write_list(struct link_pairs *pairs, cp_context *context, const cp_scene *scene, struct sink *sink,
                            const void *user)
{
    const struct drake_settings *own = user;
    struct drake_link *links = arena_allocate(pairs->arena, 2 * (size_t)pairs->count, sizeof *links);
    if (!links)
        return CP_LIMIT;
    report_static_pairs(context, scene);
    write_groups(sink, scene, own->model, pairs, links);
    return CP_OK;
}

static cp_status write(cp_context *context, const cp_scene *scene, const void *settings, struct sink *sink)
{
    const struct drake_settings *own = settings;
    return link_list_write(&(struct link_list){.format = drake_filters_exporter.plugin.name,
                                               .names = MODEL_NAMES,
                                               .model = own->model,
                                               .evidence = own->evidence,
                                               .write_list = write_list,
                                               .user = own},
                           context, scene, sink);
}

static const cp_option options[] = {{"model",
                                     "goes before each link, as the name that add_model gives (default: the device's)",
                                     CP_OPTION_STRING, .offset = offsetof(struct drake_settings, model)},
                                    EVIDENCE_OPTION(offsetof(struct drake_settings, evidence)),
                                    CP_OPTIONS_END};

const struct exporter drake_filters_exporter = {
    .plugin = {.name = "drake-filters",
               .title = "Drake's collision filter groups",
               .options = options,
               .settings_size = sizeof(struct drake_settings)},
    .suffixes = ".dmd.yaml",
    .is_list = true,
    .carries = link_carries,
    .write = write,
};
