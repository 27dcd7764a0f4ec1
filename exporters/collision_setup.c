/* RobWork's CollisionSetup.xml: the exclusions of a scene.
 *
 * Specification: see importers/collision_setup/collision_setup.c.
 *
 * Behaviour and limitations:
 * - Names are relative to a device ("J0" for "Device.J0") where all of them are inside it, as a setup beside a device
 *   file needs them; a comment says so and our importer heeds it. `relative=no` writes full names.
 * - Pairs that were found worth checking (kept), reasons and evidence have no place in the format: losses.
 * - Frames are named only: where several have the same name, the pair is all of theirs: a loss.
 * - Characters that XML 1.0 cannot hold are written as U+FFFD: a loss. */
#include <string.h>

#include "exporters.h"

struct settings {
    bool relative;
};

static const struct option options[] = {{"relative", "names relative to the device that all of them are inside",
                                         OPTION_BOOLEAN, offsetof(struct settings, relative), "yes", 0, 0, NULL},
                                        OPTIONS_END};

struct writing {
    cp_context *context;
    const cp_scene *scene;
    struct sink *sink;
    size_t prefix; /* bytes that each name loses */
    uint64_t bad_characters;
};

static bool is_excluded(const cp_pair *pair)
{
    return pair->verdict == CP_PAIR_EXCLUDED;
}

/* ---- the prefix ---- */

/* What all names so far begin with. */
struct common {
    const char *text; /* NULL before the first */
    size_t size;
};

static void join_name(struct common *common, const char *name)
{
    size_t size = 0;
    if (!common->text) {
        common->text = name;
        common->size = strlen(name);
    }
    while (size < common->size && name[size] == common->text[size])
        size++;
    common->size = size;
}

static struct common common_start(const cp_scene *scene)
{
    struct common common = {0};
    for (uint32_t i = 0; i < scene->pair_count; i++)
        if (is_excluded(&scene->pairs[i])) {
            join_name(&common, scene->nodes[scene->pairs[i].first].name);
            join_name(&common, scene->nodes[scene->pairs[i].second].name);
        }
    for (uint32_t i = 0; i < scene->node_count; i++)
        if (scene->nodes[i].flags & CP_NODE_VOLATILE)
            join_name(&common, scene->nodes[i].name);
    return common;
}

/* The longest "A.B." that all names begin with and that is a device's base and a dot; one that a comment can hold. */
static cp_status find_prefix(struct writing *writing)
{
    const cp_scene *scene = writing->scene;
    struct common common = common_start(scene);
    struct name_map bases = {.context = writing->context};
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < scene->device_count && status == CP_OK; i++)
        if (!name_map_add(&bases, scene->nodes[scene->devices[i].base].name, i, NULL))
            status = CP_LIMIT;
    for (size_t size = common.size; status == CP_OK && size > 1 && !writing->prefix; size--)
        if (common.text[size - 1] == '.' && name_map_find_sized(&bases, common.text, size - 1))
            writing->prefix = size;
    for (size_t i = 0; i + 1 < writing->prefix; i++)
        if ((unsigned char)common.text[i] < ' ' || (common.text[i] == '-' && common.text[i + 1] == '-'))
            writing->prefix = 0;
    name_map_free(&bases);
    return status;
}

/* ---- names ---- */

/* XML 1.0 has no control characters but tab and the line ends, and neither U+FFFE nor U+FFFF. */
static size_t bad_character(const char *text)
{
    unsigned char byte = (unsigned char)*text;
    if (byte < ' ' && byte != '\t' && byte != '\n' && byte != '\r')
        return 1;
    return !strncmp(text, "\xef\xbf\xbe", 3) || !strncmp(text, "\xef\xbf\xbf", 3) ? 3 : 0;
}

static const char *escape_of(char character)
{
    switch (character) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\t':
        return "&#9;";
    case '\n':
        return "&#10;";
    case '\r':
        return "&#13;";
    default:
        return NULL;
    }
}

static void write_name(struct writing *writing, uint32_t node)
{
    const char *text = writing->scene->nodes[node].name + writing->prefix;
    while (*text) {
        const char *escape = escape_of(*text);
        size_t bad = bad_character(text);
        if (bad)
            sink_text(writing->sink, "\xef\xbf\xbd");
        else if (escape)
            sink_text(writing->sink, escape);
        else
            sink_write(writing->sink, text, 1);
        writing->bad_characters += bad > 0;
        text += bad ? bad : 1;
    }
}

/* ---- losses ---- */

static void report_verdicts(const struct writing *writing)
{
    const cp_scene *scene = writing->scene;
    uint64_t kept = 0, noted = 0;
    for (uint32_t i = 0; i < scene->pair_count; i++) {
        const cp_pair *pair = &scene->pairs[i];
        kept += !is_excluded(pair);
        noted += is_excluded(pair) && (strcmp(pair->reason, "given") != 0 || *pair->evidence);
    }
    if (kept)
        report_loss(writing->context, "collision-setup-kept", NOWHERE, kept, "pairs that are to be checked");
    if (noted)
        report_loss(writing->context, "collision-setup-evidence", NOWHERE, noted, "reasons of excluded pairs");
}

static cp_status note_name(struct name_map *names, const cp_scene *scene, uint32_t node)
{
    return name_map_add(names, scene->nodes[node].name, node, NULL) ? CP_OK : CP_LIMIT;
}

/* Frames that another one is taken for because both have the same name. */
static cp_status report_equal_names(const struct writing *writing)
{
    const cp_scene *scene = writing->scene;
    struct name_map names = {.context = writing->context};
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < scene->pair_count && status == CP_OK; i++) {
        status = note_name(&names, scene, scene->pairs[i].first);
        if (status == CP_OK)
            status = note_name(&names, scene, scene->pairs[i].second);
    }
    for (uint32_t i = 0; i < scene->node_count && status == CP_OK; i++)
        if (scene->nodes[i].flags & CP_NODE_VOLATILE)
            status = note_name(&names, scene, i);
    uint64_t count = 0;
    for (uint32_t i = 0; i < scene->node_count && status == CP_OK; i++) {
        const uint32_t *first = name_map_find(&names, scene->nodes[i].name);
        count += first && *first != i;
    }
    name_map_free(&names);
    if (count)
        report_loss(writing->context, "collision-setup-names", NOWHERE, count,
                    "frames with the name of another frame, which their pairs cannot tell apart");
    return status;
}

/* ---- the file ---- */

static void write_pairs(struct writing *writing)
{
    const cp_scene *scene = writing->scene;
    bool open = false;
    for (uint32_t i = 0; i < scene->pair_count; i++) {
        if (!is_excluded(&scene->pairs[i]))
            continue;
        sink_text(writing->sink, open ? "    <FramePair first=\"" : "  <Exclude>\n    <FramePair first=\"");
        write_name(writing, scene->pairs[i].first);
        sink_text(writing->sink, "\" second=\"");
        write_name(writing, scene->pairs[i].second);
        sink_text(writing->sink, "\"/>\n");
        open = true;
    }
    if (open)
        sink_text(writing->sink, "  </Exclude>\n");
}

static void write_flags(struct writing *writing)
{
    const cp_scene *scene = writing->scene;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        if (!(scene->nodes[i].flags & CP_NODE_VOLATILE))
            continue;
        sink_text(writing->sink, "  <Volatile>");
        write_name(writing, i);
        sink_text(writing->sink, "</Volatile>\n");
    }
    if (scene->exclude_static_pairs)
        sink_text(writing->sink, "  <ExcludeStaticPairs/>\n");
}

static void write_file(struct writing *writing)
{
    sink_text(writing->sink, "<CollisionSetup>\n");
    if (writing->prefix) {
        struct common common = common_start(writing->scene);
        sink_text(writing->sink, "  <!-- names are relative to \"");
        sink_write(writing->sink, common.text, writing->prefix);
        sink_text(writing->sink, "\" -->\n");
    }
    write_pairs(writing);
    write_flags(writing);
    sink_text(writing->sink, "</CollisionSetup>\n");
}

static uint32_t carries(const void *settings)
{
    (void)settings;
    return FEATURE_PAIRS | FEATURE_PLACEHOLDERS | FEATURE_NAMES;
}

static cp_status write(cp_context *context, const cp_scene *scene, const void *settings, struct sink *sink)
{
    const struct settings *own = settings;
    struct writing writing = {.context = context, .scene = scene, .sink = sink};
    cp_status status = own->relative ? find_prefix(&writing) : CP_OK;
    if (status == CP_OK)
        status = report_equal_names(&writing);
    if (status != CP_OK)
        return status;
    report_verdicts(&writing);
    write_file(&writing);
    if (writing.bad_characters)
        report_loss(context, "collision-setup-characters", NOWHERE, writing.bad_characters,
                    "characters in names that XML cannot hold");
    return CP_OK;
}

const struct exporter collision_setup_exporter = {
    .plugin = {.name = "collision-setup",
               .title = "RobWork collision setup",
               .options = options,
               .settings_size = sizeof(struct settings)},
    .suffixes = ".xml",
    .carries = carries,
    .write = write,
};
