/* RobWork tag workcells (.wu, .wc, .dev, .tag): frames, joints, devices, models and exclusions of a robot cell.
 *
 * Specification: none was published beyond the manual's examples; the rules are those of RobWork's own loader
 * (src/rw/loaders/tul, 2008 to 2011: Tag.cpp for the grammar, TULLoader.cpp for the meaning). docs/tag.md has them all.
 * Dialects met: files written by hand and by scripts around RobWork from 2006 on, LF or CRLF, "TUL" files with header
 * lines (NameOfData ...) and bare "Attributes" lines, robot models with I/J/K matrices, DH tables by CraigDH.
 *
 * Behaviour and limitations:
 * - Absent limits are absent. A lower limit above the upper one is a warning, an error under strict reading.
 * - A file that includes itself is an error (RobWork does not end).
 * - Lines may end in CR alone when the file has no LF. A byte order mark is a warning.
 * - A missing collision setup or model is a warning and a loss, an error under strict reading. Models of
 *   types that nothing reads (.TRI, .IVG, .WRL) are passed over with a warning.
 * - The world tag's transform is ignored as in RobWork, with a warning when it is not the identity.
 * - Attributes that mean nothing here (JointName, Camera, Revolute without ActiveJoint, ...) become metadata of the
 *   node; header lines that of the scene, or of the device's base.
 * - The header Scale scales nothing, as in RobWork. */
#include <math.h>
#include <string.h>

#include "model/model.h"
#include "tag.h"

/* ---- probe ---- */

static const char *skip_blank_lines(const char *text, const char *end)
{
    while (text < end && (*text == ' ' || (*text >= '\t' && *text <= '\r') || *text == '!')) {
        if (*text == '!')
            while (text < end && *text != '\n' && *text != '\r')
                text++;
        else
            text++;
    }
    return text;
}

static const char *skip_blanks(const char *text, const char *end)
{
    while (text < end && (*text == ' ' || *text == '\t'))
        text++;
    return text;
}

static int probe(const char *head, size_t size, uint64_t file_size)
{
    static const char *const words[] = {"NameOfData", "DateOfData", "TypeOfData", "NrOfFrames", "Scale", "File"};
    const char *end = head + size;
    (void)file_size;
    if (size >= 3 && !memcmp(head, "\xef\xbb\xbf", 3))
        head += 3;
    const char *text = skip_blank_lines(head, end);
    if (text < end && *text == '{') {
        /* { "name" and then a line's end; JSON has a colon there. */
        text = skip_blank_lines(text + 1, end);
        const char *close = text < end && *text == '"' ? memchr(text + 1, '"', (size_t)(end - text) - 1) : NULL;
        text = close ? skip_blanks(close + 1, end) : end;
        if (text == end || *text == ':')
            return 0;
        return *text == '\n' || *text == '\r' || *text == '!' ? 90 : 50;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i]);
        if ((size_t)(end - text) <= length || memcmp(text, words[i], length))
            continue;
        text = skip_blanks(text + length, end);
        return text < end && (*text == '"' || *text == '-' || (*text >= '0' && *text <= '9')) ? 80 : 0;
    }
    return 0;
}

/* ---- loads ---- */

/* Enters a file's load; takes over the source (closed on failure too). */
static cp_status push_load(struct tag_reader *reader, struct source *source, const struct tag_load *given)
{
    bool top = reader->load_count == 0;
    if (!array_reserve(reader->context, &reader->loads, &reader->load_room, reader->load_count + UINT64_C(1),
                       sizeof *given)) {
        if (!top)
            source_close(source);
        return CP_LIMIT;
    }
    struct tag_load *load = &reader->loads[reader->load_count++];
    struct tag_list *list = &load->list;
    *load = *given;
    load->source = source;
    load->device = CP_NONE;
    *list = (struct tag_list){.context = reader->context,
                              .names = reader->arena,
                              .bytes = &reader->bytes,
                              .file = source->name,
                              .strict = reader->strict};
    cp_status status = tag_parse(list, source);
    if (status != CP_OK)
        return status;
    load->next_tag = top && list->count && !strcmp(list->tags[0].name.text, "WORLD");
    status = tag_keep_headers(reader, list, load->root ? CP_OWNER_NODE : CP_OWNER_SCENE, load->root);
    if (status != CP_OK)
        return status;

    /* A file with an active joint is a device. */
    uint32_t i = load->next_tag;
    while (i < list->count && !tag_find(&list->tags[i], "ActiveJoint"))
        i++;
    if (i == list->count)
        return CP_OK;
    cp_scene *scene = reader->scene;
    const char *name = scene->nodes[load->root].name;
    uint32_t device = scene_add_device(scene, name, load->root);
    if (device == CP_NONE || !name_map_add(&reader->devices, name, device, NULL))
        return CP_LIMIT;
    scene->devices[device].scope = load->scope;
    load->device = load->scope = device;
    return CP_OK;
}

static void pop_load(struct tag_reader *reader)
{
    struct tag_load *load = &reader->loads[--reader->load_count];
    tag_list_free(&load->list);
    if (reader->load_count)
        source_close(load->source);
}

/* Opens a device. Its tags come next, in a scope of their own. DeviceHomePos is the device's, if it has one. */
static cp_status open_device(struct tag_reader *reader, const struct tag *tag, uint32_t node)
{
    const struct tag_attribute *attribute = tag_use(tag, "Device");
    const struct tag_load *outer = &reader->loads[reader->load_count - 1];
    const struct tag_text *name;
    struct tag_load load = {.root = node, .scope = outer->scope, .opener = tag_attribute_place(tag, attribute)};
    if (tag_string(reader, tag, attribute, 0, &name) != CP_OK)
        return CP_INPUT;
    const char *path = tag_path(reader->arena, name);
    const struct tag_text *before = &outer->prefix;
    load.prefix.text = load.prefix.raw = arena_print(reader->arena, "%s%s.", before->text, tag->name.text);
    if (before->raw != before->text || tag->name.raw != tag->name.text)
        load.prefix.raw = arena_print(reader->arena, "%s%s.", before->raw, tag->name.raw);
    if (!path || !load.prefix.text || !load.prefix.raw)
        return CP_LIMIT;
    cp_status status = tag_device_home(reader, tag, &load.home);
    if (status != CP_OK)
        return status;
    struct source *source;
    status = tag_open(&reader->bytes, tag->file, path, &source);
    if (status == CP_NO)
        return report_error(reader->context, CP_INPUT, "tag-open", load.opener, "cannot open the device file \"%s\"",
                            name->text);
    return status == CP_OK ? push_load(reader, source, &load) : status;
}

/* ---- tags ---- */

static cp_status read_content(struct tag_reader *reader, const struct tag *tag, uint32_t node)
{
    cp_status status = tag_place_geometry(reader, tag, node);
    return status == CP_OK ? tag_read_setup(reader, tag, node) : status;
}

/* The Device attribute comes last: it changes the stack of loads. */
static cp_status read_tag(struct tag_reader *reader, const struct tag *tag)
{
    uint32_t node;
    cp_status status = tag_make_node(reader, tag, &node);
    if (status == CP_OK)
        status = read_content(reader, tag, node);
    if (status != CP_OK)
        return status;
    bool device = tag_find(tag, "Device");
    if (device) {
        tag_use(tag, "Device");
        tag_use(tag, "DeviceHomePos");
    } else if (tag_find(tag, "CompositeDevice")) {
        status = tag_note_composite(reader, tag, node);
    }
    if (status == CP_OK)
        status = tag_keep_unused(reader, tag, node);
    return status == CP_OK && device ? open_device(reader, tag, node) : status;
}

/* ---- the importer ---- */

static cp_status read_cell(struct tag_reader *reader, struct source *source)
{
    cp_scene *scene = reader->scene;
    struct tag_load top = {.scope = CP_NONE, .prefix = {"", ""}};
    top.prefix.raw = top.prefix.text;
    if (!name_map_add(&reader->nodes, scene->nodes[0].name, 0, NULL))
        return CP_LIMIT;
    cp_status status = push_load(reader, source, &top);
    if (status == CP_OK && reader->loads[0].next_tag) {
        /* The world's tag has attributes, but neither a place nor a kind nor a device. */
        const struct tag *world = &reader->loads[0].list.tags[0];
        cp_pose pose;
        status = tag_transform(reader, world, &pose);
        if (status != CP_OK)
            return status;
        if (!pose_is_identity(&pose))
            report_warning(reader->context, "tag-world", tag_place(world), "the world's transform is ignored");
        tag_use(world, "ReferenceFrame");
        status = tag_joint_home(reader, world, 0);
        if (status == CP_OK)
            status = read_content(reader, world, 0);
        if (status == CP_OK)
            status = tag_keep_unused(reader, world, 0);
    }
    while (reader->load_count && status == CP_OK) {
        struct tag_load *load = &reader->loads[reader->load_count - 1];
        if (load->next_tag < load->list.count) {
            status = read_tag(reader, &load->list.tags[load->next_tag++]);
        } else {
            status = tag_finish_device(reader, load);
            pop_load(reader);
        }
    }
    if (status == CP_OK)
        status = tag_make_composites(reader);
    if (status == CP_OK)
        status = tag_apply_setups(reader);

    /* Set the homes of dependent joints, now that all others are known. */
    for (uint32_t i = 0; status == CP_OK && i < scene->joint_count; i++) {
        cp_joint *joint = &scene->joints[i];
        if (joint->master == CP_NONE)
            continue;
        joint->home = joint->q = joint->scale * scene->joints[joint->master].home + joint->offset;
        if (!isfinite(joint->home))
            status = report_error(reader->context, CP_INPUT, "tag-number", (struct place){.node = joint->name},
                                  "the home of the passive joint \"%s\" is out of range", joint->name);
    }
    return status;
}

static cp_status read(cp_context *context, struct source *source, const void *settings, cp_scene *scene)
{
    const struct import_settings *common = settings;
    struct name_map empty = {.context = context};
    struct tag_reader reader = {.context = context,
                                .scene = scene,
                                .strict = common->strict,
                                .arena = arena_new(context),
                                .key = {.context = context},
                                .nodes = empty,
                                .devices = empty,
                                .primitives = empty,
                                .setups = empty,
                                .last_link = CP_NONE};
    models_start(&reader.models, scene, reader.arena);
    cp_status status = reader.arena ? read_cell(&reader, source) : CP_LIMIT;
    while (reader.load_count)
        pop_load(&reader);
    tag_free_setups(&reader);
    name_map_free(&reader.nodes);
    name_map_free(&reader.devices);
    name_map_free(&reader.primitives);
    name_map_free(&reader.setups);
    buffer_free(&reader.key);
    memory_free(context, reader.loads, reader.load_room, sizeof *reader.loads);
    memory_free(context, reader.composites, reader.composite_room, sizeof *reader.composites);
    models_free(&reader.models);
    arena_free(reader.arena);
    return status == CP_OK ? scene_finish(scene) : status;
}

const struct importer tag_importer = {
    .plugin = {.name = "tag", .title = "RobWork tag workcell", .settings_size = sizeof(struct import_settings)},
    .suffixes = ".wu .wc .dev .tag",
    .is_cell = true,
    .probe = probe,
    .sign = "{ \"NAME\" or a header line",
    .read = read,
};
