/* DCT PART: the geometry of one part, as objects of points, lines and polygons. legacy_part.c reads legacy geometry.
 *
 * Specification: docs/deneb.md (this project's own dialect, from what NISTIR 6076 says such files hold).
 *
 * Behaviour and limitations:
 * - An object is a frame with a mesh of its polygons and a mesh of its lines; points that neither uses are a loss.
 * - Polygons stay as they are: concave and bent ones are triangulated by who needs triangles.
 * - Indices count from 0; from 1 when none is 0 and the largest is the number of points (lenient). A polygon or line
 *   with another index is left out, a corner that repeats the one before it too, and what has too few corners then. */
#include "legacy.h"

#include <string.h>

#include "mesh/mesh.h"
#include "model/model.h"

/* The numbers of points, record after record. */
struct part_records {
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
    double *points;   /* as the text has them */
    double origin[3]; /* the mesh's: not 0 if it is far from the object's */
    uint32_t point_count, point_room;
    struct part_records lines, polygons;
    struct place place;
};

struct part_reader {
    struct deneb_file file;
    cp_scene *scene;
    const struct deneb_settings *settings;
    double unit;
    bool has_objects, has_colour;
    double rgba[4];
    uint32_t root; /* the node of the part */
};

/* Returns how many records the rest of the file can hold, each of at least so many characters. */
static uint32_t most_records(const struct deneb_file *file, size_t characters)
{
    size_t most = (size_t)(file->end - file->token.start) / characters + 1;
    return most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
}

static uint32_t count_in_line(struct deneb_file *file, const char *what, size_t characters)
{
    return deneb_in_line(file, what) ? deneb_count(file, what, most_records(file, characters)) : 0;
}

/* Returns the index as it is written, or -1 if it is beyond all counts. */
static int64_t read_index(struct deneb_file *file)
{
    struct place place = deneb_place(file);
    double value = deneb_number(file, false);
    if (file->status == CP_OK && value != (double)(int64_t)(value < -1e15 || value > 1e15 ? 0.5 : value))
        file->status =
            report_error(file->context, CP_INPUT, "deneb-index", place, "the number of a point is a whole number");
    return file->status == CP_OK && value < 4294967296.0 ? (int64_t)value : -1;
}

/* Reads one record of `size` indices. */
static void read_record(struct deneb_file *file, struct part_records *records, uint32_t size)
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

/* Begins a statement that may be there once: skips its keyword; false after an error. */
static bool first_time(struct deneb_file *file, struct place *place, const char *word)
{
    if (file->status == CP_OK && place->line > 0)
        file->status =
            report_error(file->context, CP_INPUT, "deneb-twice", deneb_place(file),
                         "%s stands twice; the first time in line %llu", word, (unsigned long long)place->line);
    *place = deneb_place(file);
    if (file->status == CP_OK)
        deneb_next(file);
    return file->status == CP_OK;
}

/* ---- an object in the scene ---- */

/* Tells whether indices count from 1: none is 0 or less, and the largest is the number of points. */
static bool counts_from_one(const struct object *object)
{
    const struct part_records *const lists[] = {&object->lines, &object->polygons};
    int64_t largest = 0;
    for (int list = 0; list < 2; list++)
        for (uint32_t i = 0; i < lists[list]->index_count; i++) {
            if (lists[list]->indices[i] < 1)
                return false;
            largest = lists[list]->indices[i] > largest ? lists[list]->indices[i] : largest;
        }
    return largest == object->point_count && largest > 0;
}

/* Makes faces of the polygons (`what`; of 3 corners and more) or lines that can be drawn. first: the number of the
 * first point. */
static void make_faces(struct part_reader *reader, const struct object *object, const struct part_records *records,
                       const char *what, uint32_t least, int64_t first, cp_mesh *mesh)
{
    struct deneb_file *file = &reader->file;
    uint32_t *corners = scene_allocate(reader->scene, records->index_count, sizeof *corners);
    uint32_t *offsets = scene_allocate(reader->scene, (size_t)records->count + 1, sizeof *offsets);
    uint32_t missing = 0, small = 0;
    mesh->corners = corners;
    mesh->face_offsets = offsets;
    if (!corners || !offsets) {
        file->status = CP_LIMIT;
        return;
    }
    offsets[0] = 0;
    for (uint32_t i = 0, start = 0; i < records->count; start = records->ends[i++]) {
        /* Take all corners but those that repeat the one before them; the one before a polygon's first is its last. */
        uint32_t end = records->ends[i], size = 0, *own = corners + mesh->corner_count;
        uint32_t at = start;
        for (; at < end; at++) {
            int64_t index = records->indices[at] - first;
            if (records->indices[at] < first || index >= object->point_count)
                break;
            if (size == 0 || own[size - 1] != (uint32_t)index)
                own[size++] = (uint32_t)index;
        }
        while (least > 2 && size > 1 && own[size - 1] == own[0])
            size--;
        if (at < end) {
            missing++;
        } else if (size < least) {
            small++;
        } else {
            mesh->corner_count += size;
            offsets[++mesh->face_count] = mesh->corner_count;
        }
    }
    if (file->status == CP_OK && missing > 0)
        file->status = report_lenient(file->context, file->strict, "deneb-index", records->place,
                                      "%u of the %u %s of \"%s\" are of points that are not there; they are left out",
                                      missing, records->count, what, object->name);
    if (file->status == CP_OK && small > 0)
        file->status = report_lenient(file->context, file->strict, "deneb-corners", records->place,
                                      "%u of the %u %s of \"%s\" have too few different corners; they are left out",
                                      small, records->count, what, object->name);
}

static void add_mesh(struct part_reader *reader, const struct object *object, uint32_t node, cp_mesh *mesh,
                     uint32_t use)
{
    struct deneb_file *file = &reader->file;
    cp_scene *scene = reader->scene;
    if (file->status != CP_OK || mesh->face_count == 0)
        return;
    uint32_t material = CP_NONE;
    if (object->has_colour || reader->has_colour) {
        const double *rgba = object->has_colour ? object->rgba : reader->rgba;
        const char *name = scene->nodes[object->has_colour ? node : reader->root].name;
        uint32_t last = scene->material_count - 1; /* objects of one colour mostly follow each other */
        bool known = scene->material_count > 0 && memcmp(scene->materials[last].rgba, rgba, 4 * sizeof *rgba) == 0;
        material = known ? last : scene_add_material(scene, name, rgba, true);
        cp_group *group = material == CP_NONE ? NULL : scene_allocate(scene, 1, sizeof *group);
        if (!group) {
            file->status = CP_LIMIT;
            return;
        }
        *group = (cp_group){0, mesh->face_count, material};
        mesh->groups = group;
        mesh->group_count = 1;
    }
    mesh->name = scene->nodes[node].name;
    mesh->source = scene->source.file;
    mesh->vertex_count = object->point_count;
    cp_pose pose = pose_scaling(reader->unit, reader->unit, reader->unit);
    pose = pose_from_origin(&pose, object->origin);
    uint32_t index = scene_add_mesh(scene, mesh);
    if (index == CP_NONE || scene_add_instance(scene, node, index, use, &pose) == CP_NONE)
        file->status = CP_LIMIT;
}

static void add_object(struct part_reader *reader, struct object *object)
{
    struct deneb_file *file = &reader->file;
    cp_scene *scene = reader->scene;
    uint32_t node = scene_add_node(scene, reader->root, object->name, strlen(object->name));
    float *positions = scene_allocate(scene, object->point_count, 3 * sizeof *positions);
    if (node == CP_NONE || !positions) {
        file->status = CP_LIMIT;
        return;
    }
    place_near_origin(object->points, object->point_count, positions, object->origin);
    scene->nodes[node].raw_name = object->raw;
    scene->nodes[node].local = object->pose;
    int64_t first = counts_from_one(object);
    if (first == 1)
        file->status = report_lenient(file->context, file->strict, "deneb-one-based", object->place,
                                      "the points of \"%s\" are counted from 1", object->name);
    cp_mesh polygons = {.kind = CP_MESH_FACES, .positions = positions};
    cp_mesh lines = {.kind = CP_MESH_LINES, .positions = positions};
    make_faces(reader, object, &object->polygons, "polygons", 3, first, &polygons);
    make_faces(reader, object, &object->lines, "lines", 2, first, &lines);
    if (object->point_count > 0 && polygons.face_count + lines.face_count == 0)
        report_loss(file->context, "deneb-points", IN_FILE(file->source->name), object->point_count,
                    "points that no line and no polygon uses");
    add_mesh(reader, object, node, &polygons, CP_USE_BOTH);
    add_mesh(reader, object, node, &lines, CP_USE_DRAWN);
}

static void free_records(cp_context *context, const struct part_records *records)
{
    memory_free(context, records->indices, records->index_room, sizeof *records->indices);
    memory_free(context, records->ends, records->room, sizeof *records->ends);
}

/* Reads an object, after the word OBJECT. */
static void read_object(struct part_reader *reader)
{
    struct deneb_file *file = &reader->file;
    struct object object = {.pose = POSE_IDENTITY};
    struct part_records *lines = &object.lines, *polygons = &object.polygons;
    reader->has_objects = true;
    object.name = deneb_in_line(file, "a name") ? deneb_name(file, &object.raw) : "";
    deneb_end_statement(file);
    while (!deneb_section_ends(file, "OBJECT")) {
        if (deneb_statement(file, "COLOR")) {
            deneb_colour(file, object.rgba);
            object.has_colour = true;
        } else if (deneb_statement(file, "MATRIX")) {
            object.pose = deneb_pose(file, (enum deneb_matrix)reader->settings->matrix, reader->unit);
        } else if (deneb_is(file, "POINTS") && first_time(file, &object.place, "POINTS")) {
            uint32_t count = count_in_line(file, "the number of points", 6);
            if (!array_reserve(file->context, &object.points, &object.point_room, count, 3 * sizeof(double)))
                file->status = CP_LIMIT;
            for (size_t i = 0; i < 3 * (size_t)count && file->status == CP_OK; i++)
                object.points[i] = deneb_coordinate(file);
            object.point_count = count;
        } else if (deneb_is(file, "LINES") && first_time(file, &lines->place, "LINES")) {
            uint32_t count = count_in_line(file, "the number of lines", 4);
            for (uint32_t i = 0; i < count && file->status == CP_OK; i++)
                read_record(file, lines, 2);
        } else if (deneb_is(file, "POLYGONS") && first_time(file, &polygons->place, "POLYGONS")) {
            uint32_t count = count_in_line(file, "the number of polygons", 2);
            for (uint32_t i = 0; i < count && file->status == CP_OK; i++) {
                uint32_t size = deneb_count(file, "the number of corners", most_records(file, 2));
                if (file->status == CP_OK)
                    read_record(file, polygons, size);
            }
        } else {
            deneb_skip_unknown(file, 1);
            continue;
        }
        deneb_end_statement(file);
    }
    if (file->status == CP_OK)
        add_object(reader, &object);
    memory_free(file->context, object.points, object.point_room, 3 * sizeof(double));
    free_records(file->context, lines);
    free_records(file->context, polygons);
}

/* ---- the part ---- */

static cp_status read_part(struct part_reader *reader)
{
    struct deneb_file *file = &reader->file;
    cp_scene *scene = reader->scene;
    size_t size;
    const char *stem = text_stem(file->source->name, &size);
    uint32_t root = reader->root = scene_add_node(scene, 0, size > 0 ? stem : "part", size > 0 ? size : strlen("part"));
    if (root == CP_NONE)
        return CP_LIMIT;
    deneb_lexer_start(file);
    if (deneb_begins_legacy(file))
        return deneb_read_legacy(file, scene, root, reader->settings->unit, reader->settings->explain);
    deneb_magic(file, DENEB_PART);
    while (file->status == CP_OK && file->token.kind != DENEB_END) {
        bool unit = deneb_is(file, "UNIT");
        if (reader->has_objects && (unit || deneb_is(file, "COLOR")))
            return report_error(file->context, CP_INPUT, "deneb-order", deneb_place(file),
                                "%s stands before the objects of a part", unit ? "UNIT" : "COLOR");
        if (deneb_statement(file, "UNIT")) {
            scene->source.unit = reader->unit = deneb_unit(file);
        } else if (deneb_statement(file, "NAME")) {
            if (deneb_in_line(file, "a name"))
                scene->nodes[root].name = deneb_name(file, &scene->nodes[root].raw_name);
        } else if (deneb_statement(file, "COLOR")) {
            deneb_colour(file, reader->rgba);
            reader->has_colour = true;
        } else if (deneb_statement(file, "OBJECT")) {
            read_object(reader);
            continue;
        } else {
            deneb_skip_unknown(file, 0);
            continue;
        }
        deneb_end_statement(file);
    }
    return file->status;
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
    deneb_close(&reader.file);
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
