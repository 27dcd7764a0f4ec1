/* DCT PART: the geometry of one part, as objects of points, lines and polygons. Legacy geometry is read by legacy_part.c.
 *
 * Specification: docs/deneb.md (this project's own dialect, from what NISTIR 6076 says such files hold).
 *
 * Behaviour and limitations:
 * - An object is a frame with a mesh of its polygons and a mesh of its lines; points that neither uses are a loss.
 * - Polygons stay as they are: concave and bent ones are triangulated by who needs triangles.
 * - Indices count from 0; from 1 when none is 0 and the largest is the number of points (lenient). A polygon or line with
 *   another index is left out, a corner that repeats the one before it too, and what has too few corners then. */
#include "legacy.h"

#include <string.h>

/* Numbers of points, record after record. */
struct records {
    int64_t *indices;
    uint32_t *ends; /* of each record, in indices */
    uint32_t index_count, index_room, count, room;
    struct place place;
};

struct object {
    const char *name, *raw;
    bool has_colour;
    double rgba[4];
    cp_pose pose;
    float *points;
    uint32_t point_count, point_room;
    struct records lines, polygons;
    struct place place;
};

struct part_reader {
    struct deneb_file file;
    cp_scene *scene;
    const struct deneb_settings *settings;
    struct object object; /* the one being read; its memory is used again */
    double unit;
    bool has_objects, has_colour;
    double rgba[4];
    uint32_t root; /* the node of the part */
};

/* ---- statements of an object ---- */

/* How many records the rest of the file can hold, each of at least so many characters. */
static uint32_t most_records(const struct deneb_file *file, size_t characters)
{
    size_t most = (size_t)(file->end - file->token.start) / characters + 1;
    return most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
}

static uint32_t count_in_line(struct deneb_file *file, const char *what, size_t characters)
{
    return deneb_in_line(file, what) ? deneb_count(file, what, most_records(file, characters)) : 0;
}

static void read_points(struct part_reader *reader)
{
    struct deneb_file *file = &reader->file;
    struct object *object = &reader->object;
    uint32_t count = count_in_line(file, "the number of points", 6);
    if (file->status != CP_OK)
        return;
    if (!array_reserve(file->context, &object->points, &object->point_room, count, 3 * sizeof(float))) {
        file->status = CP_LIMIT;
        return;
    }
    for (size_t i = 0; i < 3 * (size_t)count && file->status == CP_OK; i++)
        object->points[i] = deneb_coordinate(file);
    object->point_count = count;
}

/* An index as it stands, or -1 for what is beyond all counts. */
static int64_t read_index(struct deneb_file *file)
{
    struct place place = deneb_place(file);
    double value = deneb_number(file, false);
    if (file->status == CP_OK && value != (double)(int64_t)(value < -1e15 || value > 1e15 ? 0.5 : value))
        file->status =
            report_error(file->context, CP_INPUT, "deneb-index", place, "the number of a point is a whole number");
    return file->status == CP_OK && value < 4294967296.0 ? (int64_t)value : -1;
}

/* One record of `size` indices. */
static void read_record(struct deneb_file *file, struct records *records, uint32_t size)
{
    uint64_t count = (uint64_t)records->index_count + size;
    if (!array_reserve(file->context, &records->indices, &records->index_room, count, sizeof *records->indices) ||
        !array_reserve(file->context, &records->ends, &records->room, (uint64_t)records->count + 1,
                       sizeof *records->ends)) {
        file->status = CP_LIMIT;
        return;
    }
    for (uint32_t i = 0; i < size && file->status == CP_OK; i++)
        records->indices[records->index_count++] = read_index(file);
    records->ends[records->count++] = records->index_count;
}

static void read_lines(struct part_reader *reader)
{
    struct deneb_file *file = &reader->file;
    uint32_t count = count_in_line(file, "the number of lines", 4);
    for (uint32_t i = 0; i < count && file->status == CP_OK; i++)
        read_record(file, &reader->object.lines, 2);
}

static void read_polygons(struct part_reader *reader)
{
    struct deneb_file *file = &reader->file;
    uint32_t count = count_in_line(file, "the number of polygons", 2);
    for (uint32_t i = 0; i < count && file->status == CP_OK; i++) {
        uint32_t size = deneb_count(file, "the number of corners", most_records(file, 2));
        if (file->status == CP_OK)
            read_record(file, &reader->object.polygons, size);
    }
}

/* A statement that may stand once. */
static bool first_time(struct deneb_file *file, struct place *place, const char *word)
{
    if (file->status == CP_OK && place->line > 0)
        file->status =
            report_error(file->context, CP_INPUT, "deneb-twice", deneb_place(file),
                         "%s stands twice; the first time in line %llu", word, (unsigned long long)place->line);
    *place = deneb_place(file);
    return file->status == CP_OK;
}

static bool read_object_statement(struct part_reader *reader)
{
    struct deneb_file *file = &reader->file;
    struct object *object = &reader->object;
    if (deneb_statement(file, "COLOR")) {
        deneb_colour(file, object->rgba);
        object->has_colour = true;
    } else if (deneb_statement(file, "MATRIX")) {
        object->pose = deneb_pose(file, (enum deneb_matrix)reader->settings->matrix, reader->unit);
    } else if (deneb_is(file, "POINTS") && first_time(file, &object->place, "POINTS")) {
        deneb_next(file);
        read_points(reader);
    } else if (deneb_is(file, "LINES") && first_time(file, &object->lines.place, "LINES")) {
        deneb_next(file);
        read_lines(reader);
    } else if (deneb_is(file, "POLYGONS") && first_time(file, &object->polygons.place, "POLYGONS")) {
        deneb_next(file);
        read_polygons(reader);
    } else {
        return false;
    }
    deneb_end_statement(file);
    return true;
}

/* ---- what indices mean ---- */

/* Counted from 1: none is 0 or less, and the largest is the number of points. */
static bool counts_from_one(const struct object *object)
{
    const struct records *const lists[] = {&object->lines, &object->polygons};
    int64_t largest = 0;
    for (int list = 0; list < 2; list++)
        for (uint32_t i = 0; i < lists[list]->index_count; i++) {
            if (lists[list]->indices[i] < 1)
                return false;
            largest = lists[list]->indices[i] > largest ? lists[list]->indices[i] : largest;
        }
    return largest == object->point_count && largest > 0;
}

/* Corners of what can be drawn: `corners` and `offsets` (the scene's) have room for all. */
struct faces {
    uint32_t *corners, *offsets;
    uint32_t count, corner_count;
    uint32_t missing, small; /* records that are left out */
};

static bool are_points(const int64_t *indices, uint32_t count, int64_t first, uint32_t point_count)
{
    for (uint32_t i = 0; i < count; i++)
        if (indices[i] < first || indices[i] - first >= point_count)
            return false;
    return true;
}

/* Adds the corners but those that repeat the one before them; around: the first stands behind the last. */
static uint32_t add_corners(uint32_t *corners, const int64_t *indices, uint32_t count, int64_t first, bool around)
{
    uint32_t size = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t corner = (uint32_t)(indices[i] - first);
        if (size == 0 || corners[size - 1] != corner)
            corners[size++] = corner;
    }
    while (around && size > 1 && corners[size - 1] == corners[0])
        size--;
    return size;
}

static bool make_faces(struct part_reader *reader, const struct records *records, uint32_t least, struct faces *faces)
{
    cp_scene *scene = reader->scene;
    const struct object *object = &reader->object;
    int64_t first = counts_from_one(object) ? 1 : 0;
    *faces = (struct faces){.corners = scene_allocate(scene, records->index_count, sizeof(uint32_t)),
                            .offsets = scene_allocate(scene, (size_t)records->count + 1, sizeof(uint32_t))};
    if (!faces->corners || !faces->offsets)
        return false;
    faces->offsets[0] = 0;
    for (uint32_t i = 0; i < records->count; i++) {
        uint32_t start = i > 0 ? records->ends[i - 1] : 0, count = records->ends[i] - start;
        const int64_t *indices = count > 0 ? records->indices + start : NULL;
        if (!are_points(indices, count, first, object->point_count)) {
            faces->missing++;
            continue;
        }
        uint32_t size = add_corners(faces->corners + faces->corner_count, indices, count, first, least > 2);
        if (size < least) {
            faces->small++;
            continue;
        }
        faces->corner_count += size;
        faces->offsets[++faces->count] = faces->corner_count;
    }
    return true;
}

static void report_faces(struct part_reader *reader, const struct records *records, const struct faces *faces,
                         const char *what)
{
    struct deneb_file *file = &reader->file;
    if (faces->missing > 0)
        file->status = report_lenient(file->context, file->strict, "deneb-index", records->place,
                                      "%u of the %u %s of \"%s\" are of points that are not there; they are left out",
                                      faces->missing, records->count, what, reader->object.name);
    if (file->status == CP_OK && faces->small > 0)
        file->status = report_lenient(file->context, file->strict, "deneb-corners", records->place,
                                      "%u of the %u %s of \"%s\" have too few different corners; they are left out",
                                      faces->small, records->count, what, reader->object.name);
}

/* ---- an object in the scene ---- */

static uint32_t find_material(struct part_reader *reader, uint32_t node)
{
    const struct object *object = &reader->object;
    const double *rgba = object->has_colour ? object->rgba : reader->rgba;
    cp_scene *scene = reader->scene;
    if (!object->has_colour && !reader->has_colour)
        return CP_NONE;
    uint32_t last = scene->material_count - 1; /* objects of one colour mostly follow each other */
    if (scene->material_count > 0 && memcmp(scene->materials[last].rgba, rgba, sizeof scene->materials[last].rgba) == 0)
        return last;
    uint32_t material =
        scene_add_material(scene, scene->nodes[object->has_colour ? node : reader->root].name, rgba, true);
    if (material == CP_NONE)
        reader->file.status = CP_LIMIT;
    return material;
}

static void add_mesh(struct part_reader *reader, uint32_t node, const float *positions, const struct faces *faces,
                     cp_mesh_kind kind)
{
    cp_scene *scene = reader->scene;
    uint32_t material = faces->count > 0 ? find_material(reader, node) : CP_NONE;
    if (faces->count == 0 || reader->file.status != CP_OK)
        return;
    cp_group *group = material == CP_NONE ? NULL : scene_allocate(scene, 1, sizeof *group);
    if (group)
        *group = (cp_group){0, faces->count, material};
    cp_mesh mesh = {.name = scene->nodes[node].name,
                    .source = scene->source.file,
                    .kind = kind,
                    .vertex_count = reader->object.point_count,
                    .face_count = faces->count,
                    .corner_count = faces->corner_count,
                    .group_count = group != NULL,
                    .positions = positions,
                    .face_offsets = faces->offsets,
                    .corners = faces->corners,
                    .groups = group};
    cp_pose pose = pose_scaling(reader->unit, reader->unit, reader->unit);
    uint32_t index = material == CP_NONE || group ? scene_add_mesh(scene, &mesh) : CP_NONE;
    uint32_t use = kind == CP_MESH_LINES ? CP_USE_DRAWN : CP_USE_BOTH;
    if (index == CP_NONE || scene_add_instance(scene, node, index, use, &pose) == CP_NONE)
        reader->file.status = CP_LIMIT;
}

static void add_object(struct part_reader *reader)
{
    struct deneb_file *file = &reader->file;
    struct object *object = &reader->object;
    cp_scene *scene = reader->scene;
    struct faces polygons, lines;
    uint32_t node = scene_add_node(scene, reader->root, object->name, strlen(object->name));
    const float *positions =
        scene_keep_array(scene, &object->points, &object->point_room, object->point_count, 3 * sizeof(float));
    if (node == CP_NONE || !positions || !make_faces(reader, &object->polygons, 3, &polygons) ||
        !make_faces(reader, &object->lines, 2, &lines)) {
        file->status = CP_LIMIT;
        return;
    }
    scene->nodes[node].raw_name = object->raw;
    scene->nodes[node].local = object->pose;
    if (counts_from_one(object))
        file->status = report_lenient(file->context, file->strict, "deneb-one-based", object->place,
                                      "the points of \"%s\" are counted from 1", object->name);
    if (file->status == CP_OK)
        report_faces(reader, &object->polygons, &polygons, "polygons");
    if (file->status == CP_OK)
        report_faces(reader, &object->lines, &lines, "lines");
    if (object->point_count > 0 && polygons.count + lines.count == 0)
        report_loss(file->context, "deneb-points", IN_FILE(file->source->name), object->point_count,
                    "points that no line and no polygon uses");
    add_mesh(reader, node, positions, &polygons, CP_MESH_FACES);
    add_mesh(reader, node, positions, &lines, CP_MESH_LINES);
}

static void begin_object(struct object *object)
{
    *object = (struct object){.points = object->points,
                              .point_room = object->point_room,
                              .lines = {.indices = object->lines.indices,
                                        .index_room = object->lines.index_room,
                                        .ends = object->lines.ends,
                                        .room = object->lines.room},
                              .polygons = {.indices = object->polygons.indices,
                                           .index_room = object->polygons.index_room,
                                           .ends = object->polygons.ends,
                                           .room = object->polygons.room},
                              .pose = POSE_IDENTITY};
}

/* After the word OBJECT. */
static void read_object(struct part_reader *reader)
{
    struct deneb_file *file = &reader->file;
    reader->has_objects = true;
    begin_object(&reader->object);
    reader->object.name = deneb_in_line(file, "a name") ? deneb_name(file, &reader->object.raw) : "";
    deneb_end_statement(file);
    while (!deneb_section_ends(file, "OBJECT"))
        if (!read_object_statement(reader))
            deneb_skip_unknown(file, 1);
    if (file->status == CP_OK)
        add_object(reader);
}

/* ---- the part ---- */

static void check_order(struct part_reader *reader, const char *word)
{
    struct deneb_file *file = &reader->file;
    if (reader->has_objects && deneb_is(file, word))
        file->status = report_error(file->context, CP_INPUT, "deneb-order", deneb_place(file),
                                    "%s stands before the objects of a part", word);
}

static bool read_part_statement(struct part_reader *reader)
{
    struct deneb_file *file = &reader->file;
    check_order(reader, "UNIT");
    check_order(reader, "COLOR");
    if (deneb_statement(file, "UNIT")) {
        reader->scene->source.unit = reader->unit = deneb_unit(file);
    } else if (deneb_statement(file, "NAME")) {
        cp_node *root = &reader->scene->nodes[reader->root];
        if (deneb_in_line(file, "a name"))
            root->name = deneb_name(file, &root->raw_name);
    } else if (deneb_statement(file, "COLOR")) {
        deneb_colour(file, reader->rgba);
        reader->has_colour = true;
    } else if (deneb_statement(file, "OBJECT")) {
        read_object(reader);
        return true;
    } else {
        return false;
    }
    deneb_end_statement(file);
    return true;
}

static void read_statements(struct part_reader *reader)
{
    struct deneb_file *file = &reader->file;
    deneb_magic(file, DENEB_PART);
    while (file->status == CP_OK && file->token.kind != DENEB_END)
        if (!read_part_statement(reader))
            deneb_skip_unknown(file, 0);
}

static cp_status read_part(struct part_reader *reader)
{
    struct deneb_file *file = &reader->file;
    size_t size;
    const char *stem = text_stem(file->source->name, &size);
    reader->root = scene_add_node(reader->scene, 0, size > 0 ? stem : "part", size > 0 ? size : strlen("part"));
    if (reader->root == CP_NONE)
        return CP_LIMIT;
    deneb_lexer_start(file);
    if (deneb_begins_legacy(file))
        return deneb_read_legacy(file, reader->scene, reader->root, reader->settings->unit, reader->settings->explain);
    read_statements(reader);
    return file->status;
}

static void free_records(cp_context *context, const struct records *records)
{
    memory_free(context, records->indices, records->index_room, sizeof *records->indices);
    memory_free(context, records->ends, records->room, sizeof *records->ends);
}

static void free_reader(struct part_reader *reader)
{
    struct object *object = &reader->object;
    cp_context *context = reader->file.context;
    memory_free(context, object->points, object->point_room, 3 * sizeof(float));
    free_records(context, &object->lines);
    free_records(context, &object->polygons);
    deneb_close(&reader->file);
}

/* ---- the importer ---- */

static int probe(const char *head, size_t size, uint64_t file_size)
{
    (void)file_size;
    return deneb_find_kind(head, size) == DENEB_PART ? 95 : deneb_probe_legacy(head, size);
}

static cp_status read(cp_context *context, struct source *source, const void *settings, cp_scene *scene)
{
    const struct deneb_settings *deneb = settings;
    struct part_reader reader = {
        .file = {.context = context, .source = source, .arena = scene->arena, .strict = deneb->import.strict},
        .scene = scene,
        .settings = deneb,
        .unit = 0.001};
    scene->source.unit = reader.unit;
    cp_status status = read_part(&reader);
    free_reader(&reader);
    return status == CP_OK ? scene_finish(scene) : status;
}

const struct importer deneb_part_importer = {
    .plugin = {.name = "deneb-part",
               .title = "Deneb-style part (DCT), legacy part geometry",
               .options = deneb_part_options,
               .settings_size = sizeof(struct deneb_settings)},
    .suffixes = ".dcp",
    .probe = probe,
    .sign = "DCT PART, or a number of 1 .. 99 and numbers to the end",
    .read = read,
};
