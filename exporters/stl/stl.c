/* STL: triangles and nothing else, in an ASCII and a binary form.
 *
 * Specification: 3D Systems, "StereoLithography Interface Specification" (1989), as in importers/stl. Colours of
 * `colours=yes` follow VisCAM and SolidView: bit 15 of the attributes set, red in bits 10-14, green 5-9, blue 0-4,
 * sRGB.
 *
 * Behaviour and limitations:
 *   - The scene is written as it stands at the current joint values. A vertex is computed in double and rounded once;
 *     where the whole transform comes to the identity its bits are copied.
 *   - ASCII has as many digits as it takes where a part is far from the origin (mesh/far.h); in binary that is a loss.
 *   - Normals are recomputed from the vertices as written; a facet without area gets 0 0 0.
 *   - Instances that mirror have their facets reversed, so that the outside stays outside.
 *   - The binary header tells the unit and the axis, never begins with "solid" and holds nothing of time or place.
 *   - ASCII has a solid for each instance, named by its node, with control characters as blanks.
 *   - split=yes: the first instance goes to the output itself, each further one to a file beside it, STEM_NODE.stl. */
#include "stl.h"

#include <stdio.h>
#include <string.h>

#include "../exporters.h"
#include "mesh/mesh.h"
#include "motion/motion.h"

enum { UNIT_SOURCE = 6, UNIT_AUTO = 7, UP_SOURCE = 2 };

/* The metres of each choice of the option. */
static const double unit_metres[] = {1, 0.001, 0.01, 0.0254, 0.0254, 0.3048};

static uint32_t stl_shows(const void *pointer)
{
    static const uint32_t uses[] = {CP_USE_DRAWN, CP_USE_COLLISION, CP_USE_BOTH}; /* ordered like the choices */
    return uses[((const struct stl_export_settings *)pointer)->use];
}

static bool is_written(const struct stl_writer *writer, const cp_instance *instance)
{
    return (instance->use & stl_shows(writer->settings)) != 0 &&
           writer->scene->meshes[instance->mesh].kind == CP_MESH_FACES;
}

/* Writes the name on one line, without leading blanks, which readers drop. False when a reader gets another name. */
static bool write_name(struct stl_writer *writer, const char *keyword, const char *name)
{
    bool kept = *name != '\0' && *name != ' ';
    sink_text(writer->sink, keyword);
    sink_text(writer->sink, " ");
    while (*name == ' ')
        name++;
    for (; *name; name++) {
        bool safe = (unsigned char)*name >= 0x20 && *name != 0x7f;
        sink_write(writer->sink, safe ? name : " ", 1);
        kept = kept && safe && (*name != ' ' || name[1]);
    }
    sink_text(writer->sink, "\n");
    return kept;
}

/* Writes 80 bytes of text and the count of all facets of the file. */
static cp_status begin_binary(struct stl_writer *writer, uint32_t first, uint32_t end)
{
    uint64_t count = 0;
    for (uint32_t i = first; i < end; i++)
        if (is_written(writer, &writer->scene->instances[i]))
            count += mesh_triangle_count(&writer->scene->meshes[writer->scene->instances[i].mesh]);
    if (count > UINT32_MAX)
        return report_error(writer->context, CP_LIMIT, "stl-large", NOWHERE,
                            "%llu facets; a binary STL counts to %u: format=ascii or split=yes writes them",
                            (unsigned long long)count, UINT32_MAX);
    char header[84] = {0}, unit[NUMBER_SIZE];
    (void)print_double(writer->unit, unit);
    (void)snprintf(header, 80, "STL binary by cellpipe, unit in m: %s, up: %c", unit, writer->up_y ? 'y' : 'z');
    stl_put_integer(header + 80, (uint32_t)count, 4);
    sink_write(writer->sink, header, sizeof header);
    return CP_OK;
}

/* Writes the instances [first, end) as one file. */
static cp_status write_file(struct stl_writer *writer, struct sink *sink, uint32_t first, uint32_t end)
{
    bool ascii = writer->settings->format == FORMAT_ASCII, any = false;
    writer->sink = sink;
    cp_status status = ascii ? CP_OK : begin_binary(writer, first, end);
    for (uint32_t i = first; status == CP_OK && i < end; i++) {
        const cp_instance *instance = &writer->scene->instances[i];
        if (!is_written(writer, instance))
            continue;
        any = true;
        const char *name = writer->scene->nodes[instance->node].name;
        if (ascii)
            writer->renamed += !write_name(writer, "solid", name);
        status = stl_write_part(writer, instance);
        if (ascii)
            write_name(writer, "endsolid", name);
    }
    if (ascii && !any) {
        write_name(writer, "solid", sink_stem(sink));
        write_name(writer, "endsolid", sink_stem(sink));
    }
    return status == CP_OK ? sink_status(sink) : status;
}

/* Writes the first instance to the output itself, each further one to a file beside it. */
static cp_status write_split(struct stl_writer *writer, struct sink *top)
{
    const cp_scene *scene = writer->scene;
    const char *stem = sink_stem(top), *suffix = sink_file_name(top) + strlen(stem);
    uint32_t count = 0;
    for (uint32_t i = 0; i < scene->instance_count; i++)
        count += is_written(writer, &scene->instances[i]);
    if (count == 0)
        return write_file(writer, top, 0, 0);
    cp_status status = count > 1 ? sink_expect_further(top) : CP_OK;
    bool further = false;
    for (uint32_t i = 0; status == CP_OK && i < scene->instance_count; i++) {
        if (!is_written(writer, &scene->instances[i]))
            continue;
        struct sink *sink = top;
        if (further) {
            struct buffer wanted = {.context = writer->context};
            buffer_print(&wanted, "%s_%s", stem, scene->nodes[scene->instances[i].node].name);
            buffer_append(&wanted, "", 1);
            const char *name = wanted.failed ? NULL : sink_safe_name(top, wanted.data, suffix);
            buffer_free(&wanted);
            status = name ? sink_open(top, name, &sink) : CP_LIMIT;
        }
        if (status == CP_OK)
            status = write_file(writer, sink, i, i + 1);
        if (further && status == CP_OK)
            status = sink_close_further(sink);
        further = true;
    }
    return status;
}

static void report_losses(const struct stl_writer *writer)
{
    static const char *const left_out[] = {"meshes for collision alone are left out",
                                           "meshes for drawing alone are left out", ""};
    const cp_scene *scene = writer->scene;
    uint64_t count = 0;
    for (uint32_t i = 0; i < scene->instance_count; i++)
        count +=
            scene->meshes[scene->instances[i].mesh].kind == CP_MESH_FACES && !is_written(writer, &scene->instances[i]);
    if (count)
        report_loss(writer->context, "stl-left-out", NOWHERE, count, "%s", left_out[writer->settings->use]);
    if (writer->renamed)
        report_loss(writer->context, "stl-names", NOWHERE, writer->renamed,
                    "names lose control characters or outer blanks");
    if (writer->far)
        report_loss(writer->context, "stl-far", NOWHERE, writer->far,
                    "shapes so far from the origin that single precision moves their vertices by up to %s m "
                    "(format=ascii writes more digits)",
                    show_number(writer->far_error * writer->unit).text);
    bool coloured = writer->settings->colours && writer->settings->format == FORMAT_BINARY;
    uint64_t changed = coloured ? stl_count_changed_colours(scene) : 0;
    if (changed)
        report_loss(writer->context, "stl-colours", NOWHERE, changed,
                    "materials rounded to 5 bits a channel, without transparency");
}

/* Returns the unit in metres. An STL of an STL keeps the file's unit, since STL does not have it; other scenes are in
 * metres. */
static double choose_unit(const struct stl_export_settings *settings, const cp_source *source)
{
    bool kept = settings->unit == UNIT_SOURCE || (settings->unit == UNIT_AUTO && strcmp(source->format, "stl") == 0);
    double unit = kept ? source->unit : settings->unit == UNIT_AUTO ? 1 : unit_metres[settings->unit];
    return unit > 0 ? unit : 1; /* a scene that no file gave a unit */
}

static cp_status write_stl(cp_context *context, const cp_scene *scene, const void *pointer, struct sink *sink)
{
    const struct stl_export_settings *settings = pointer;
    const cp_source *source = &scene->source;
    struct stl_writer writer = {.context = context,
                                .scene = scene,
                                .settings = settings,
                                .unit = choose_unit(settings, source),
                                .up_y = (settings->up == UP_SOURCE ? (int)source->up : settings->up) == CP_UP_Y};
    writer.worlds = memory_allocate(context, scene->node_count, sizeof(cp_pose));
    cp_status status = writer.worlds ? scene_world_poses(context, scene, NULL, writer.worlds) : CP_LIMIT;
    if (status == CP_OK)
        status = settings->split ? write_split(&writer, sink) : write_file(&writer, sink, 0, scene->instance_count);
    if (status == CP_OK)
        report_losses(&writer);
    memory_free(context, writer.worlds, scene->node_count, sizeof(cp_pose));
    return status;
}

static uint32_t stl_carries(const void *pointer)
{
    const struct stl_export_settings *settings = pointer;
    if (settings->format == FORMAT_ASCII)
        return CP_FEATURE_MESHES | CP_FEATURE_NAMES;
    return settings->colours ? CP_FEATURE_MESHES | CP_FEATURE_COLOURS : CP_FEATURE_MESHES;
}

static const cp_option stl_options[] = {
    {"format", "form of the file", CP_OPTION_CHOICE, offsetof(struct stl_export_settings, format), "binary",
     .choices = "binary|ascii"},
    {"use", "which meshes are written", CP_OPTION_CHOICE, offsetof(struct stl_export_settings, use), "drawn",
     .choices = "drawn|collision|both"},
    {"split", "a file for each mesh instance", CP_OPTION_BOOLEAN, offsetof(struct stl_export_settings, split),
     .initial = "no"},
    {"unit", "length of the file's unit; auto: that of an STL that was read, else m", CP_OPTION_CHOICE,
     offsetof(struct stl_export_settings, unit), "auto", .choices = "m|mm|cm|in|inch|ft|source|auto"},
    {"up", "axis that points up", CP_OPTION_CHOICE, offsetof(struct stl_export_settings, up), "z",
     .choices = "z|y|source"},
    {"colours", "VisCAM colours in the attribute bytes of binary files", CP_OPTION_BOOLEAN,
     offsetof(struct stl_export_settings, colours), .initial = "no"},
    CP_OPTIONS_END,
};

const struct exporter stl_exporter = {
    .plugin = {.name = "stl",
               .title = "STL (stereolithography), ASCII and binary",
               .options = stl_options,
               .settings_size = sizeof(struct stl_export_settings)},
    .suffixes = ".stl .stlb",
    .carries = stl_carries,
    .shows = stl_shows,
    .write = write_stl,
};
