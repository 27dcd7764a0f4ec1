/* STL: triangles and nothing else, in an ASCII and a binary form.
 *
 * Specification: 3D Systems, "StereoLithography Interface Specification" (1989), as in importers/stl. Colours of
 * `colours=yes` follow VisCAM and SolidView: bit 15 of the attributes set, red in bits 10-14, green 5-9, blue 0-4, sRGB.
 *
 * Behaviour and limitations:
 *   - The scene is written as it stands at the current joint values. A vertex is computed in double and rounded once;
 *     where the whole transform comes to the identity its bits are copied.
 *   - Normals are recomputed from the vertices as written; a facet without area gets 0 0 0.
 *   - Instances that mirror have their facets reversed, so that the outside stays outside.
 *   - The binary header tells the unit and the axis, never begins with "solid" and holds nothing of time or place.
 *   - ASCII has a solid for each instance, named by its node, with control characters as blanks.
 *   - split=yes: the first instance goes to the output itself, each further one to a file beside it, STEM_NODE.stl. */
#include "stl.h"

#include <string.h>

#include "../../scene/motion/mechanism.h"
#include "../exporters.h"

/* In the order of the option's choices. */
static const double unit_metres[] = {1, 0.001, 0.01, 0.0254, 0.3048};

/* ---- one file ---- */

static bool is_face_mesh(const struct writer *writer, const cp_instance *instance)
{
    return writer->scene->meshes[instance->mesh].kind == CP_MESH_FACES;
}

static bool is_written(const struct writer *writer, const cp_instance *instance)
{
    static const uint32_t uses[] = {CP_USE_DRAWN, CP_USE_COLLISION, CP_USE_BOTH};
    return (instance->use & uses[writer->settings->use]) != 0 && is_face_mesh(writer, instance);
}

/* 80 bytes of text and the count. */
static void write_header(struct writer *writer, uint32_t facet_count)
{
    char header[84] = "STL binary by cellpipe";
    char unit[NUMBER_SIZE];
    size_t used = strlen(header), length = print_double(writer->unit, unit);
    static const char unit_is[] = ", unit in m: ";
    memcpy(header + used, unit_is, strlen(unit_is));
    used += strlen(unit_is);
    memcpy(header + used, unit, length);
    used += length;
    memcpy(header + used, writer->up_y ? ", up: y" : ", up: z", 7);
    stl_put_integer(header + 80, facet_count, 4);
    sink_write(writer->sink, header, sizeof header);
}

/* The name on one line, without the blanks around it that a reader takes away. */
static void write_name(struct writer *writer, const char *keyword, const char *name)
{
    sink_text(writer->sink, keyword);
    sink_text(writer->sink, " ");
    while (*name == ' ')
        name++;
    for (; *name; name++) {
        bool safe = (unsigned char)*name >= 0x20 && *name != 0x7f;
        sink_write(writer->sink, safe ? name : " ", 1);
    }
    sink_text(writer->sink, "\n");
}

static bool name_is_kept(const char *name)
{
    size_t size = strlen(name);
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)name[i] < 0x20 || name[i] == 0x7f)
            return false;
    return size > 0 && name[0] != ' ' && name[size - 1] != ' ';
}

static cp_status write_solid(struct writer *writer, const cp_instance *instance)
{
    const char *name = writer->scene->nodes[instance->node].name;
    writer->renamed += !name_is_kept(name);
    write_name(writer, "solid", name);
    cp_status status = stl_write_part(writer, instance);
    write_name(writer, "endsolid", name);
    return status;
}

/* Binary: all facets of the file are counted in its header. */
static cp_status begin_binary(struct writer *writer, uint32_t first, uint32_t end)
{
    uint64_t count = 0;
    for (uint32_t i = first; i < end; i++)
        if (is_written(writer, &writer->scene->instances[i]))
            count += mesh_triangle_count(&writer->scene->meshes[writer->scene->instances[i].mesh]);
    if (count > UINT32_MAX)
        return report_error(writer->context, CP_LIMIT, "stl-large", NOWHERE,
                            "%llu facets; a binary STL counts to %u: format=ascii or split=yes writes them",
                            (unsigned long long)count, UINT32_MAX);
    write_header(writer, (uint32_t)count);
    return CP_OK;
}

/* The instances [first, end) as one file. */
static cp_status write_file(struct writer *writer, struct sink *sink, uint32_t first, uint32_t end)
{
    bool ascii = writer->settings->format == FORMAT_ASCII, any = false;
    writer->sink = sink;
    cp_status status = ascii ? CP_OK : begin_binary(writer, first, end);
    for (uint32_t i = first; status == CP_OK && i < end; i++) {
        const cp_instance *instance = &writer->scene->instances[i];
        if (!is_written(writer, instance))
            continue;
        any = true;
        status = ascii ? write_solid(writer, instance) : stl_write_part(writer, instance);
    }
    if (ascii && !any) {
        write_name(writer, "solid", sink_stem(sink));
        write_name(writer, "endsolid", sink_stem(sink));
    }
    return status == CP_OK ? sink_status(sink) : status;
}

/* ---- the output ---- */

static cp_status open_sibling(struct writer *writer, struct sink *top, const char *part, struct sink **opened)
{
    const char *stem = sink_stem(top), *suffix = sink_file_name(top) + strlen(stem);
    struct buffer wanted = {.context = writer->context};
    buffer_print(&wanted, "%s_%s", stem, part);
    buffer_append(&wanted, "", 1);
    const char *name = wanted.failed ? NULL : sink_safe_name(top, wanted.data, suffix);
    buffer_free(&wanted);
    return name ? sink_open(top, name, opened) : CP_LIMIT;
}

static uint32_t count_written(const struct writer *writer)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < writer->scene->instance_count; i++)
        count += is_written(writer, &writer->scene->instances[i]);
    return count;
}

static cp_status write_split(struct writer *writer, struct sink *top)
{
    const cp_scene *scene = writer->scene;
    cp_status status = count_written(writer) > 1 ? sink_expect_further(top) : CP_OK;
    bool any = false;
    for (uint32_t i = 0; status == CP_OK && i < scene->instance_count; i++) {
        if (!is_written(writer, &scene->instances[i]))
            continue;
        struct sink *sink = top;
        if (any)
            status = open_sibling(writer, top, scene->nodes[scene->instances[i].node].name, &sink);
        if (status == CP_OK)
            status = write_file(writer, sink, i, i + 1);
        if (any && status == CP_OK)
            status = sink_close_further(sink);
        any = true;
    }
    return any || status != CP_OK ? status : write_file(writer, top, 0, 0);
}

static void report_losses(const struct writer *writer)
{
    static const char *const left_out[] = {"meshes for collision alone are left out",
                                           "meshes for drawing alone are left out", ""};
    uint64_t count = 0;
    for (uint32_t i = 0; i < writer->scene->instance_count; i++)
        count +=
            is_face_mesh(writer, &writer->scene->instances[i]) && !is_written(writer, &writer->scene->instances[i]);
    if (count)
        report_loss(writer->context, "stl-left-out", NOWHERE, count, "%s", left_out[writer->settings->use]);
    if (writer->renamed)
        report_loss(writer->context, "stl-names", NOWHERE, writer->renamed,
                    "names lose control characters or outer blanks");
    if (writer->settings->colours && writer->settings->format == FORMAT_BINARY)
        stl_report_colours(writer);
}

static void settle_frame(struct writer *writer)
{
    const struct stl_settings *settings = writer->settings;
    const cp_source *source = &writer->scene->source;
    writer->unit = settings->unit == UNIT_SOURCE ? source->unit : unit_metres[settings->unit];
    if (!(writer->unit > 0))
        writer->unit = 1; /* a scene that no file gave a unit */
    writer->up_y = settings->up == UP_SOURCE ? source->up == CP_UP_Y : settings->up == CP_UP_Y;
}

static cp_status write_stl(cp_context *context, const cp_scene *scene, const void *settings, struct sink *sink)
{
    struct writer *writer = memory_allocate(context, 1, sizeof *writer);
    if (!writer)
        return CP_LIMIT;
    *writer = (struct writer){.context = context, .scene = scene, .settings = settings};
    writer->worlds = memory_allocate(context, scene->node_count, sizeof(cp_pose));
    cp_status status = writer->worlds ? CP_OK : CP_LIMIT;
    if (status == CP_OK)
        status = scene_world_poses(context, scene, NULL, writer->worlds);
    if (status == CP_OK) {
        settle_frame(writer);
        status =
            writer->settings->split ? write_split(writer, sink) : write_file(writer, sink, 0, scene->instance_count);
    }
    if (status == CP_OK)
        report_losses(writer);
    memory_free(context, writer->worlds, scene->node_count, sizeof(cp_pose));
    memory_free(context, writer, 1, sizeof *writer);
    return status;
}

static uint32_t stl_carries(const void *pointer)
{
    const struct stl_settings *settings = pointer;
    if (settings->format == FORMAT_ASCII)
        return FEATURE_MESHES | FEATURE_NAMES;
    return settings->colours ? FEATURE_MESHES | FEATURE_COLOURS : FEATURE_MESHES;
}

static const struct option stl_options[] = {
    {"format", "form of the file", OPTION_CHOICE, offsetof(struct stl_settings, format), "binary", 0, 0,
     "binary|ascii"},
    {"use", "which meshes are written", OPTION_CHOICE, offsetof(struct stl_settings, use), "drawn", 0, 0,
     "drawn|collision|both"},
    {"split", "a file for each mesh instance", OPTION_BOOLEAN, offsetof(struct stl_settings, split), "no", 0, 0, NULL},
    {"unit", "length of the file's unit", OPTION_CHOICE, offsetof(struct stl_settings, unit), "m", 0, 0,
     "m|mm|cm|in|ft|source"},
    {"up", "axis that points up", OPTION_CHOICE, offsetof(struct stl_settings, up), "z", 0, 0, "z|y|source"},
    {"colours", "VisCAM colours in the attribute bytes of binary files", OPTION_BOOLEAN,
     offsetof(struct stl_settings, colours), "no", 0, 0, NULL},
    OPTIONS_END,
};

const struct exporter stl_exporter = {
    .plugin = {.name = "stl",
               .title = "STL (stereolithography), ASCII and binary",
               .options = stl_options,
               .settings_size = sizeof(struct stl_settings)},
    .suffixes = ".stl .stlb",
    .carries = stl_carries,
    .write = write_stl,
};
