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
#include "exporters.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { FORMAT_BINARY, FORMAT_ASCII };
enum { USE_DRAWN, USE_COLLISION, USE_BOTH };
enum { UNIT_SOURCE = 5, UP_SOURCE = 2 };
enum { FACET_SIZE = 50, CHUNK_FACETS = 512, COLOUR_VALID = 0x8000 };

struct stl_settings {
    int format, use, unit, up;
    bool split, colours;
};

/* In the order of the option's choices. */
static const double unit_metres[] = {1, 0.001, 0.01, 0.0254, 0.3048};

struct writer {
    cp_context *context;
    const cp_scene *scene;
    const struct stl_settings *settings;
    struct sink *sink;
    cp_pose *worlds;
    double unit;
    bool up_y;
    uint64_t renamed; /* solids whose name could not be kept */
    char chunk[CHUNK_FACETS * FACET_SIZE];
    size_t chunk_size;
};

/* A mesh instance on its way out. */
struct part {
    const cp_mesh *mesh;
    const float *positions;
    bool mirrored;
};

/* ---- one facet ---- */

static void put_integer(char *out, uint32_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        out[i] = (char)(unsigned char)(value >> (8 * i) & 0xff);
}

static void put_vector(char *out, const float vector[3])
{
    for (int i = 0; i < 3; i++) {
        uint32_t bits;
        memcpy(&bits, vector + i, sizeof bits);
        put_integer(out + 4 * i, bits, 4);
    }
}

/* Unit normal of a triangle, 0 0 0 where it has no area. Doubles hold the squares of all float areas. */
static void compute_normal(const float *const corners[3], float normal[3])
{
    double a[3], b[3];
    for (int i = 0; i < 3; i++) {
        a[i] = (double)corners[1][i] - (double)corners[0][i];
        b[i] = (double)corners[2][i] - (double)corners[0][i];
    }
    double area[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    double length = sqrt(area[0] * area[0] + area[1] * area[1] + area[2] * area[2]);
    for (int i = 0; i < 3; i++)
        normal[i] = length > 0 ? (float)(area[i] / length) + 0.0f : 0.0f; /* + 0: no -0 */
}

static void flush_chunk(struct writer *writer)
{
    sink_write(writer->sink, writer->chunk, writer->chunk_size);
    writer->chunk_size = 0;
}

static void write_binary_facet(struct writer *writer, const float *const corners[3], uint32_t attributes)
{
    float normal[3];
    compute_normal(corners, normal);
    char *out = writer->chunk + writer->chunk_size;
    put_vector(out, normal);
    for (int i = 0; i < 3; i++)
        put_vector(out + 12 + 12 * i, corners[i]);
    put_integer(out + 48, attributes, 2);
    writer->chunk_size += FACET_SIZE;
    if (writer->chunk_size == sizeof writer->chunk)
        flush_chunk(writer);
}

static void write_vector(struct sink *sink, const char *before, const float vector[3])
{
    sink_text(sink, before);
    for (int i = 0; i < 3; i++) {
        sink_text(sink, " ");
        sink_float(sink, vector[i]);
    }
    sink_text(sink, "\n");
}

static void write_ascii_facet(struct writer *writer, const float *const corners[3])
{
    float normal[3];
    compute_normal(corners, normal);
    write_vector(writer->sink, "  facet normal", normal);
    sink_text(writer->sink, "    outer loop\n");
    for (int i = 0; i < 3; i++)
        write_vector(writer->sink, "      vertex", corners[i]);
    sink_text(writer->sink, "    endloop\n  endfacet\n");
}

/* ---- colours ---- */

static double srgb_of(const cp_material *material, int channel)
{
    double value = material->rgba[channel];
    value = value > 0 ? value < 1 ? value : 1 : 0;
    if (material->srgb)
        return value;
    return value <= 0.0031308 ? 12.92 * value : 1.055 * pow(value, 1 / 2.4) - 0.055; /* IEC 61966-2-1 */
}

static uint32_t attributes_of(const struct writer *writer, uint32_t material)
{
    if (!writer->settings->colours || material == CP_NONE)
        return 0;
    uint32_t attributes = COLOUR_VALID;
    for (int i = 0; i < 3; i++)
        attributes |= (uint32_t)lround(srgb_of(&writer->scene->materials[material], i) * 31) << (10 - 5 * i);
    return attributes;
}

static bool colour_is_kept(const cp_material *material)
{
    for (int i = 0; i < 3; i++) {
        double value = srgb_of(material, i) * 31;
        if (fabs(value - round(value)) > 1e-6)
            return false;
    }
    return material->rgba[3] >= 1;
}

static void report_colours(const struct writer *writer)
{
    uint64_t changed = 0;
    for (uint32_t i = 0; i < writer->scene->material_count; i++)
        changed += !colour_is_kept(&writer->scene->materials[i]);
    if (changed)
        report_loss(writer->context, "stl-colours", NOWHERE, changed,
                    "materials rounded to 5 bits a channel, without transparency");
}

/* ---- one instance ---- */

/* What takes the mesh's vertices to the output's unit and axes. Dividing by the unit, not multiplying by its inverse, undoes
 * an importer's scaling exactly. */
static cp_pose part_pose(const struct writer *writer, const cp_instance *instance)
{
    cp_pose pose = pose_multiply(&writer->worlds[instance->node], &instance->transform);
    if (writer->up_y) {
        cp_pose turn = pose_y_up_from_z_up();
        pose = pose_multiply(&turn, &pose);
    }
    for (int i = 0; i < 12; i++)
        pose.m[i] /= writer->unit;
    return pose;
}

static cp_status place_vertex(const struct writer *writer, const cp_instance *instance, const cp_pose *pose,
                              float *vertex)
{
    double point[3] = {(double)vertex[0], (double)vertex[1], (double)vertex[2]}, placed[3];
    pose_point(pose, point, placed);
    for (int i = 0; i < 3; i++) {
        if (!(fabs(placed[i]) <= (double)FLT_MAX))
            return report_error(writer->context, CP_OUTPUT, "stl-range",
                                (struct place){.node = writer->scene->nodes[instance->node].name},
                                "a coordinate of %g is beyond single precision", placed[i]);
        vertex[i] = (float)placed[i];
    }
    return CP_OK;
}

/* A triangle; the core has made all faces such, so the fan is of one. */
static void write_face(struct writer *writer, const struct part *part, uint32_t face, uint32_t attributes)
{
    const uint32_t *index = part->mesh->corners + mesh_face_first(part->mesh, face);
    for (uint32_t i = 1; i + 1 < mesh_face_size(part->mesh, face); i++) {
        const float *corners[3] = {part->positions + 3 * (size_t)index[0],
                                   part->positions + 3 * (size_t)index[part->mirrored ? i + 1 : i],
                                   part->positions + 3 * (size_t)index[part->mirrored ? i : i + 1]};
        if (writer->settings->format == FORMAT_ASCII)
            write_ascii_facet(writer, corners);
        else
            write_binary_facet(writer, corners, attributes);
    }
}

static cp_status write_faces(struct writer *writer, const struct part *part)
{
    const cp_mesh *mesh = part->mesh;
    cp_group whole = {.first_face = 0, .face_count = mesh->face_count, .material = CP_NONE};
    const cp_group *groups = mesh->group_count ? mesh->groups : &whole;
    uint32_t group_count = mesh->group_count ? mesh->group_count : 1;
    for (uint32_t g = 0; g < group_count; g++) {
        uint32_t attributes = attributes_of(writer, groups[g].material);
        for (uint32_t i = 0; i < groups[g].face_count; i++)
            write_face(writer, part, groups[g].first_face + i, attributes);
    }
    return sink_status(writer->sink);
}

static cp_status write_part(struct writer *writer, const cp_instance *instance)
{
    const cp_mesh *mesh = &writer->scene->meshes[instance->mesh];
    cp_pose pose = part_pose(writer, instance);
    struct part part = {mesh, mesh->positions, pose_determinant(&pose) < 0};
    if (pose_is_identity(&pose) || mesh->vertex_count == 0)
        return write_faces(writer, &part);
    float *placed = memory_allocate(writer->context, mesh->vertex_count, 3 * sizeof(float));
    if (!placed)
        return CP_LIMIT;
    memcpy(placed, mesh->positions, mesh->vertex_count * 3 * sizeof(float));
    cp_status status = CP_OK;
    for (uint32_t i = 0; status == CP_OK && i < mesh->vertex_count; i++)
        status = place_vertex(writer, instance, &pose, placed + 3 * (size_t)i);
    part.positions = placed;
    if (status == CP_OK)
        status = write_faces(writer, &part);
    memory_free(writer->context, placed, mesh->vertex_count, 3 * sizeof(float));
    return status;
}

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
    put_integer(header + 80, facet_count, 4);
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
    cp_status status = write_part(writer, instance);
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
        status = ascii ? write_solid(writer, instance) : write_part(writer, instance);
    }
    if (ascii && !any) {
        write_name(writer, "solid", sink_stem(sink));
        write_name(writer, "endsolid", sink_stem(sink));
    }
    flush_chunk(writer);
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
        report_colours(writer);
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
    if (status == CP_OK) {
        settle_frame(writer);
        cp_world_poses(scene, NULL, writer->worlds);
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
