/* dump: the whole scene as canonical text, for golden files and for people.
 *
 * Specification: docs/dump.md, version 1. Dialects: none, cellpipe is the only writer and nobody reads it back.
 *
 * Behaviour and limitations
 * - Carries everything. One line a fact, in the order of the scene's tables; things are named by id, never by index
 *   (but vertices, which have no names). Equal scenes give equal text, whichever way their memory is laid out:
 *   triangles with and without a table of offsets, no group and one group without material look alike.
 * - Numbers are the shortest decimals that read back to the same bits; "-0" keeps its sign. A limit that is not there
 *   is the word none.
 * - summary=yes replaces vertices, normals, vertex colours, texture coordinates and faces by XXH64 hashes of their
 *   bytes. They are those of a little-endian machine. Images are always hashes. */
#include "exporters.h"

#include <math.h>

#include "model/tables.h"

#define DUMP_VERSION 1

struct dump_settings {
    bool summary;
};

static const cp_option dump_options[] = {
    {"summary", "geometry as counts and hashes instead of every vertex and face", CP_OPTION_BOOLEAN,
     offsetof(struct dump_settings, summary), .initial = "no"},
    CP_OPTIONS_END,
};

/* ---- words ---- */

/* Writes a blank and the text in quotes, so that people can read it: a raw name's bytes that are no UTF-8 become
 * \xNN. */
static void dump_string(struct sink *sink, const char *text)
{
    char character[CP_SHOWN_CHARACTER_SIZE];
    if (!text) {
        sink_text(sink, " none");
        return;
    }
    sink_text(sink, " \"");
    while (*text) {
        size_t plain = 0;
        while (text[plain] >= ' ' && text[plain] < 0x7f && text[plain] != '"' && text[plain] != '\\')
            plain++;
        sink_write(sink, text, plain);
        text += plain;
        if (*text == '"' || *text == '\\')
            sink_print(sink, "\\%c", *text++);
        else
            sink_write(sink, character, cp_print_shown_character(&text, character));
    }
    sink_text(sink, "\"");
}

static void dump_doubles(struct sink *sink, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        sink_text(sink, " ");
        sink_double(sink, values[i]);
    }
}

/* ---- members ---- */

static const char *label_of(const struct member *member)
{
    return member->dump ? member->dump : member->name ? member->name : "";
}

static void dump_members(const cp_scene *scene, const struct layout *layout, const void *row, struct sink *sink);

/* Writes rows into the line of the row that has them. */
static void dump_array(const cp_scene *scene, const struct member *member, const void *row, struct sink *sink)
{
    if (member->may_lack && !row_pointer(row, member->at))
        sink_text(sink, " none");
    else
        for (uint32_t i = 0; i < member_count(member, row); i++)
            dump_members(scene, member->layout, member_row(member, row, i), sink);
}

static void dump_value(const cp_scene *scene, const struct member *member, const void *row, struct sink *sink)
{
    const uint64_t whole = member_whole(member, row);
    const double *numbers = member_numbers(member, row);
    switch (member->kind) {
    case MEMBER_NUMBERS:
        dump_doubles(sink, numbers, member->length);
        break;
    case MEMBER_LIMIT:
        if (isinf(*numbers))
            sink_text(sink, " none");
        else
            dump_doubles(sink, numbers, 1);
        break;
    case MEMBER_COUNT:
    case MEMBER_LONG_COUNT:
        sink_print(sink, " %llu", (unsigned long long)whole);
        break;
    case MEMBER_HASH:
        sink_print(sink, " %016llx", (unsigned long long)whole);
        break;
    case MEMBER_FLAG:
        sink_print(sink, " %s", member->words ? member->words[whole] : whole ? "yes" : "no");
        break;
    case MEMBER_FLAGS:
        for (size_t i = 0; member->words[i]; i++)
            if (whole & 1u << i)
                sink_print(sink, " %s", member->words[i]);
        if (whole == 0)
            sink_text(sink, " none");
        break;
    case MEMBER_WORD:
        sink_print(sink, " %s", member_text(scene, member, row));
        break;
    case MEMBER_ARRAY:
        if (member->line)
            sink_print(sink, " %lu", (unsigned long)member_count(member, row));
        else
            dump_array(scene, member, row, sink);
        break;
    case MEMBER_RECORD:
        dump_members(scene, member->layout, row_pointer(row, member->at), sink);
        break;
    default:
        dump_string(sink, member_text(scene, member, row));
    }
}

/* Writes a label and a value for each member, the early ones first. */
static void dump_members(const cp_scene *scene, const struct layout *layout, const void *row, struct sink *sink)
{
    for (int early = 1; early >= 0; early--)
        for (const struct member *member = layout->members; member->kind != MEMBER_END; member++) {
            const char *label = label_of(member);
            if (member->early != early || !member_is_shown(member, row, IN_DUMP) || (member->line && !*label))
                continue;
            if (*label && member->kind != MEMBER_RECORD)
                sink_print(sink, " %s", label);
            dump_value(scene, member, row, sink);
        }
}

static void dump_keys(const cp_track *track, struct sink *sink)
{
    static const size_t widths[] = {1, 3, 4, 3}; /* by path */
    size_t width = widths[track->path] * (track->interpolation == CP_CUBIC ? 3 : 1);
    for (size_t i = 0; i < track->key_count; i++) {
        sink_text(sink, "key");
        dump_doubles(sink, &track->times[i], 1);
        sink_text(sink, " :");
        dump_doubles(sink, track->values + i * width, width);
        sink_text(sink, "\n");
    }
}

/* Writes the arrays whose rows have lines of their own, the early ones first. */
static void dump_lines(const cp_scene *scene, const struct layout *layout, const void *row, struct sink *sink)
{
    for (int early = 1; early >= 0; early--)
        for (const struct member *member = layout->members; member->kind != MEMBER_END; member++) {
            if (!member->line || member->early != early)
                continue;
            if (!member->layout)
                dump_keys(row, sink);
            for (uint32_t i = 0; member->layout && i < member_count(member, row); i++) {
                const void *item = member_row(member, row, i);
                sink_text(sink, member->line);
                dump_members(scene, member->layout, item, sink);
                sink_text(sink, "\n");
                dump_lines(scene, member->layout, item, sink);
            }
        }
}

/* ---- geometry ---- */

static const struct {
    const char *row, *hash;
} array_labels[ARRAY_COUNT] = {{"vertex", "vertices_hash"},         {"normal", "normals_hash"},
                               {"tangent", "tangents_hash"},        {"colour", "colours_hash"},
                               {"coordinates", "coordinates_hash"}, {"coordinates_2", "coordinates_2_hash"}};

static void dump_hash(struct sink *sink, const char *label, const void *bytes, size_t size)
{
    if (bytes)
        sink_print(sink, "%s %016llx\n", label, (unsigned long long)hash_content(bytes, size));
}

static void dump_mesh_hashes(const cp_mesh *mesh, struct sink *sink)
{
    size_t vertices = mesh->vertex_count, word = sizeof(uint32_t);
    if (mesh->kind >= CP_MESH_BOX)
        return;
    for (size_t i = 0; i < ARRAY_COUNT; i++)
        dump_hash(sink, array_labels[i].hash, mesh_array(mesh, i), vertices * vertex_arrays[i].width * sizeof(float));
    dump_hash(sink, "corners_hash", mesh->corners, mesh->corner_count * word);
    uint32_t face = 0;
    while (face < mesh->face_count && mesh_face_size(mesh, face) == 3)
        face++;
    if (face < mesh->face_count)
        dump_hash(sink, "face_offsets_hash", mesh->face_offsets, (mesh->face_count + (size_t)1) * word);
}

static void dump_vertex_rows(struct sink *sink, const char *label, const float *values, size_t width, uint32_t count)
{
    for (size_t i = 0; values && i < count; i++) {
        sink_text(sink, label);
        for (size_t k = 0; k < width; k++) {
            sink_text(sink, " ");
            sink_float(sink, values[i * width + k]);
        }
        sink_text(sink, "\n");
    }
}

static void dump_faces(const cp_mesh *mesh, struct sink *sink)
{
    const char *label = mesh->kind == CP_MESH_LINES ? "line" : "face";
    for (uint32_t face = 0; face < mesh->face_count; face++) {
        const uint32_t *corners = mesh->corners + mesh_face_first(mesh, face);
        uint32_t size = mesh_face_size(mesh, face);
        sink_text(sink, label);
        for (uint32_t i = 0; i < size; i++)
            sink_print(sink, " %lu", (unsigned long)corners[i]);
        sink_text(sink, "\n");
    }
}

/* Prints what a mesh has for its vertices and faces. */
static void dump_geometry(const cp_mesh *mesh, struct sink *sink)
{
    for (size_t i = 0; i < ARRAY_COUNT; i++)
        dump_vertex_rows(sink, array_labels[i].row, mesh_array(mesh, i), vertex_arrays[i].width, mesh->vertex_count);
    dump_faces(mesh, sink);
}

/* ---- tables ---- */

static void dump_head(const cp_scene *scene, struct sink *sink)
{
    sink_print(sink, "dump %d\nsource", DUMP_VERSION);
    dump_string(sink, scene->source.format);
    sink_text(sink, " file");
    dump_string(sink, scene->source.file);
    sink_text(sink, " unit");
    dump_doubles(sink, &scene->source.unit, 1);
    sink_print(sink, " up %s", scene->source.up == CP_UP_Y ? "y" : "z");
    if (scene->source.deviation > 0) {
        sink_text(sink, " deviation");
        dump_doubles(sink, &scene->source.deviation, 1);
    }
    sink_print(sink, "\nexclude_static_pairs %s\n", scene->exclude_static_pairs ? "yes" : "no");
}

static void dump_table(const cp_scene *scene, enum scene_table table, bool summary, struct sink *sink)
{
    const struct layout *layout = &tables[table].layout;
    for (uint32_t i = 0; i < table_count(scene, table); i++) {
        const void *row = table_row(scene, table, i);
        const cp_mesh *mesh = table == TABLE_MESHES ? row : NULL;
        const cp_image *image = table == TABLE_IMAGES ? row : NULL;
        sink_text(sink, tables[table].word);
        dump_members(scene, layout, row, sink);
        sink_text(sink, "\n");
        if (mesh && summary)
            dump_mesh_hashes(mesh, sink);
        else if (mesh)
            dump_geometry(mesh, sink);
        else if (image)
            dump_hash(sink, "bytes_hash", image->bytes, image->size);
        /* a single group without material is the same as no group */
        if (!mesh || mesh->group_count != 1 || mesh->groups[0].material != CP_NONE)
            dump_lines(scene, layout, row, sink);
    }
}

/* ---- the plug-in ---- */

static uint32_t dump_carries(const void *settings)
{
    (void)settings;
    return CP_FEATURE_ALL;
}

static cp_status dump_write(cp_context *context, const cp_scene *scene, const void *settings, struct sink *sink)
{
    const struct dump_settings *dump = settings;
    (void)context;
    dump_head(scene, sink);
    dump_table(scene, TABLE_NODES, dump->summary, sink);
    dump_table(scene, TABLE_INSTANCES, dump->summary, sink);
    for (enum scene_table table = TABLE_NODES + 1; table < TABLE_COUNT; table++)
        if (table != TABLE_INSTANCES)
            dump_table(scene, table, dump->summary, sink);
    return sink_status(sink);
}

const struct exporter dump_exporter = {
    .plugin = {.name = "dump",
               .title = "canonical text of the whole scene",
               .options = dump_options,
               .settings_size = sizeof(struct dump_settings)},
    .suffixes = ".dump",
    .carries = dump_carries,
    .write = dump_write,
};
