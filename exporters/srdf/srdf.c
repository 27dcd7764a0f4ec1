/* SRDF: the excluded pairs of a robot for MoveIt, with groups, states and ends.
 *
 * Specification: see importers/srdf/srdf.c.
 *
 * Behaviour and limitations:
 * - A list belongs to a robot and is no copy: the rest of the scene is no loss.
 * - If an SRDF was read beside the robot, or named by keep= of exclude, its groups, states, ends and joints are written
 *   as they were. Else each device gives a group (a chain, if the device is one), a state home and its ends, and the
 *   root of each robot a virtual joint.
 * - Reasons are MoveIt's five words, as its assistant knows no others. What was found of a pair stands in a comment
 *   before it: srdfdom passes over attributes that it does not know, but other readers may not.
 * - There is no enable_collisions, which old readers do not know: what is not disabled is checked. But an SRDF alone
 * may have disable_default_collisions, whose pairs are not known without the robot: both are written as they were.
 * - Links are known by their names. Several frames of one link are one; a pair is disabled if all theirs are.
 * - Characters that XML 1.0 cannot hold are written as U+FFFD: a loss. */
#include <math.h>
#include <string.h>

#include "../exporters.h"
#include "base/text/text.h"
#include "collide/list/list.h"
#include "writer.h"

/* ---- text ---- */

void srdf_write_attribute(struct srdf_writer *writer, const char *name, const char *value)
{
    writer->bad_characters += sink_attribute(writer->sink, name, value);
}

/* ---- reasons ---- */

/* Returns the word that an SRDF gave as the reason, or NULL. */
static const char *word_of(const cp_pair *pair)
{
    static const char *const words[] = {"Adjacent", "Never", "Always", "Default", "User", NULL};
    size_t size = sizeof SRDF_REASON - 1, word = 0;
    if (strncmp(pair->evidence, SRDF_REASON, size) != 0)
        return NULL;
    while (words[word] && !text_equal_nocase(words[word], pair->evidence + size))
        word++;
    return words[word];
}

static const char *reason_of(const cp_scene *scene, const cp_pair *pair)
{
    const char *word = word_of(pair);
    bool neighbours =
        scene->nodes[pair->first].parent == pair->second || scene->nodes[pair->second].parent == pair->first;
    if (word && (strcmp(pair->reason, "given") == 0 || strcmp(pair->reason, "user") == 0))
        return word;
    if (strcmp(pair->reason, "adjacent") == 0 || (strcmp(pair->reason, "static") == 0 && neighbours))
        return "Adjacent";
    if (strcmp(pair->reason, "static") == 0 || strncmp(pair->reason, "never", 5) == 0)
        return "Never";
    return strncmp(pair->reason, "always", 6) == 0 ? "Always" : "User";
}

/* Adds the joint values at which the pair collides. */
static void add_witness(const cp_scene *scene, const cp_finding *finding, struct buffer *text)
{
    for (uint32_t i = 0; i < finding->witness_count; i++) {
        buffer_print(text, "%s%s=", i > 0 ? ", " : ", collides at ", scene->joints[finding->witness[i].joint].name);
        buffer_double(text, finding->witness[i].value);
    }
}

/* Writes what was found of a pair as a comment. */
static cp_status write_finding(struct srdf_writer *writer, const cp_pair *pair)
{
    const cp_finding *finding = pair->finding;
    struct buffer text = {.context = writer->context};
    if (!finding)
        return CP_OK;
    buffer_text(&text, pair->reason);
    if (isfinite(finding->clearance) && finding->clearance > 0)
        buffer_print(&text, ", clearance %.6g mm", 1000 * finding->clearance);
    if (finding->margin > 0)
        buffer_print(&text, ", margin %.6g mm", 1000 * finding->margin);
    if (finding->samples > 0)
        buffer_print(&text, ", %u of %u samples collide", (unsigned)finding->hits, (unsigned)finding->samples);
    if (strncmp(pair->reason, "always", 6) != 0) /* else any values are a witness */
        add_witness(writer->scene, finding, &text);
    buffer_append(&text, "", 1);
    bool failed = text.failed;
    if (!failed && comment_holds(text.data, text.size - 1)) {
        sink_text(writer->sink, "  <!-- ");
        sink_text(writer->sink, text.data);
        sink_text(writer->sink, " -->\n");
    }
    buffer_free(&text);
    return failed ? CP_LIMIT : CP_OK;
}

static cp_status write_pairs(struct srdf_writer *writer)
{
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < writer->pairs->count && status == CP_OK; i++) {
        const struct link_pair *item = &writer->pairs->items[i];
        const cp_pair *pair = &writer->scene->pairs[item->pair];
        status = write_finding(writer, pair);
        sink_text(writer->sink, "  <disable_collisions");
        srdf_write_attribute(writer, "link1", item->names[0]);
        srdf_write_attribute(writer, "link2", item->names[1]);
        srdf_write_attribute(writer, "reason", reason_of(writer->scene, pair));
        sink_text(writer->sink, "/>\n");
    }
    return status;
}

/* ---- what an SRDF said before ---- */

/* Writes the pairs that an SRDF enables. They mean something only beside links whose pairs are excluded as a whole. */
static void write_enabled(struct srdf_writer *writer)
{
    const cp_scene *scene = writer->scene;
    for (uint32_t i = 0; i < scene->pair_count; i++) {
        const cp_pair *pair = &scene->pairs[i];
        if (pair->verdict != CP_PAIR_KEPT || strcmp(pair->evidence, SRDF_REASON "enable_collisions") != 0)
            continue;
        sink_text(writer->sink, "  <enable_collisions");
        srdf_write_attribute(writer, "link1", writer->pairs->links[pair->first]);
        srdf_write_attribute(writer, "link2", writer->pairs->links[pair->second]);
        sink_text(writer->sink, "/>\n");
    }
}

/* Writes the elements that were kept, in the order in which MoveIt's assistant writes them. *any: there are some. */
static void write_kept(struct srdf_writer *writer, bool *any)
{
    static const char defaults[] = "disable_default_collisions";
    static const char *const order[] = {"group",         "group_state",    "end_effector", "virtual_joint",
                                        "passive_joint", "joint_property", defaults};
    const cp_scene *scene = writer->scene;
    bool enables = false;
    *any = false;
    for (size_t kind = 0; kind < sizeof order / sizeof *order; kind++)
        for (uint32_t i = 0; i < scene->metadata_count; i++) {
            const cp_metadata_entry *entry = &scene->metadata[i];
            if (strcmp(entry->key, SRDF_ELEMENT) != 0 || !srdf_element_is(entry->value, order[kind]))
                continue;
            sink_print(writer->sink, "  ");
            sink_text(writer->sink, entry->value);
            sink_text(writer->sink, "\n");
            enables = enables || order[kind] == defaults;
            *any = true;
        }
    if (enables)
        write_enabled(writer);
}

/* ---- the file ---- */

/* Returns the name of the robot: that of its device, or the one in the SRDF that was read alone. */
static const char *robot_name(const struct srdf_writer *writer)
{
    const cp_scene *scene = writer->scene;
    if (scene->device_count > 0)
        return scene->devices[0].name;
    for (uint32_t i = 0; i < scene->metadata_count; i++)
        if (strcmp(scene->metadata[i].key, SRDF_ROBOT) == 0)
            return scene->metadata[i].value;
    size_t size;
    const char *stem = text_stem(scene->source.file, &size);
    return arena_copy_text(writer->arena, stem, size);
}

static cp_status write_list(struct link_pairs *pairs, cp_context *context, const cp_scene *scene, struct sink *sink,
                            const void *user)
{
    (void)user;
    struct srdf_writer writer = {.context = context,
                                 .scene = scene,
                                 .arena = pairs->arena,
                                 .sink = sink,
                                 .pairs = pairs,
                                 .groups = {.context = context}};
    bool any;
    const char *name = robot_name(&writer);
    if (!name)
        return CP_LIMIT;
    report_static_pairs(context, scene);
    sink_text(sink, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<robot");
    srdf_write_attribute(&writer, "name", name);
    sink_text(sink, ">\n");
    write_kept(&writer, &any);
    cp_status status = any ? CP_OK : srdf_write_devices(&writer);
    if (status == CP_OK)
        status = write_pairs(&writer);
    sink_text(sink, "</robot>\n");
    report_characters(context, "srdf-characters", writer.bad_characters);
    name_map_free(&writer.groups);
    return status;
}

static cp_status write(cp_context *context, const cp_scene *scene, const void *settings, struct sink *sink)
{
    const struct link_settings *own = settings;
    return link_list_write(&(struct link_list){.format = srdf_exporter.plugin.name,
                                               .names = LINK_NAMES,
                                               .evidence = own->evidence,
                                               .write_list = write_list},
                           context, scene, sink);
}

const struct exporter srdf_exporter = {
    .plugin = {.name = "srdf",
               .title = "SRDF groups and collision pairs",
               .options = link_options,
               .settings_size = sizeof(struct link_settings)},
    .suffixes = ".srdf",
    .is_list = true,
    .carries = link_carries,
    .write = write,
};
