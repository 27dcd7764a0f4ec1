/* Joint maps: which joint of the scene a controller's joint is, and what its values are there. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cellpipe_build.h"
#include "controller.h"

enum { MOST_FILE = 1 << 20 };

static const double pi = 3.14159265358979323846;

/* ---- joints of the scene ---- */

static const char *why_not(const cp_joint *joint)
{
    return cp_joint_is_dependent(joint)    ? "it follows others"
           : joint->type == CP_JOINT_FIXED ? "it does not move"
           : !joint->driven                ? "it is not driven"
                                           : NULL;
}

/* Lists joints by name, and by id:ID after all names, since a joint may be called "id:x"; CP_NONE if several have the
 * name. False if out of memory. */
static bool list_names(struct name_map *names, const cp_scene *scene, struct arena *arena)
{
    uint32_t count;
    const cp_joint *joints = cp_joints(scene, &count);
    bool good = true;
    for (uint32_t i = 0; i < count && good; i++) {
        bool added = true;
        uint32_t *place = name_map_add(names, joints[i].name, i, &added);
        good = place != NULL;
        if (good && !added)
            *place = CP_NONE;
    }
    for (uint32_t i = 0; i < count && good; i++) {
        const char *id = arena_print(arena, "id:%s", joints[i].id);
        good = id && name_map_add(names, id, i, NULL);
    }
    return good;
}

/* ---- the order of rows ---- */

static int compare_rows(const void *a, const void *b)
{
    const struct joint_map_row *first = a, *second = b;
    const int order = strcmp(first->name, second->name);
    return order != 0 ? order : (first->joint > second->joint) - (first->joint < second->joint);
}

static void sort_rows(struct joint_map *map)
{
    if (map->count > 0)
        qsort(map->rows, map->count, sizeof *map->rows, compare_rows);
}

/* Returns the index of the first row of that name; map->count if there is none. */
static uint32_t find_row(const struct joint_map *map, const char *name)
{
    uint32_t first = 0, last = map->count;
    while (first < last) {
        const uint32_t middle = first + (last - first) / 2;
        if (strcmp(map->rows[middle].name, name) < 0)
            first = middle + 1;
        else
            last = middle;
    }
    return first < map->count && strcmp(map->rows[first].name, name) == 0 ? first : map->count;
}

/* ---- the file ---- */

/* A word of a line, NUL-ended. A name in quotes may hold blanks. */
struct word {
    const char *text;
    uint64_t column;
};

struct reader {
    cp_context *context;
    const cp_scene *scene;
    const char *file;
    struct arena *arena;
    struct joint_map *map;
    struct name_map names; /* the scene's joints have them */
    uint64_t *lines;       /* each joint's line so far; 0: none */
    uint64_t line;
    const char *begin, *at, *end; /* the line's */
};

static cp_status refuse(const struct reader *reader, uint64_t column, const char *code, const char *format,
                        const char *first, const char *second)
{
    char text[400];
    (void)snprintf(text, sizeof text, format, first, second);
    const cp_entry entry = {
        .severity = CP_ERROR, .code = code, .file = reader->file, .line = reader->line, .column = column, .count = 1};
    cp_report_entry(reader->context, &entry, "%s", text);
    return CP_INPUT;
}

/* Columns count characters from 1. */
static uint64_t column_of(const struct reader *reader, const char *at)
{
    uint64_t column = 1;
    for (const char *c = reader->begin; c < at; c++)
        column += ((unsigned char)*c & 0xc0) != 0x80;
    return column;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Reads the next word; text NULL: there is none. */
static cp_status read_word(struct reader *reader, struct word *word)
{
    while (reader->at < reader->end && is_blank(*reader->at))
        reader->at++;
    *word = (struct word){NULL, column_of(reader, reader->at)};
    if (reader->at == reader->end || *reader->at == '#')
        return CP_OK;
    const bool quoted = *reader->at == '"';
    const char *from = reader->at + quoted, *to = from;
    while (to < reader->end && (quoted ? *to != '"' : !is_blank(*to)))
        to++;
    if (quoted && to == reader->end)
        return refuse(reader, word->column, "map-quotes", "%s%s", "quotes are not closed", "");
    reader->at = to + quoted;
    if (reader->at < reader->end && !is_blank(*reader->at))
        return refuse(reader, column_of(reader, reader->at), "map-quotes", "%s%s", "a blank must follow the quotes",
                      "");
    word->text = arena_copy_text(reader->arena, from, (size_t)(to - from));
    return word->text ? CP_OK : CP_LIMIT;
}

/* Returns the size of a unit for this joint, in radians or metres; 0: it is none. */
static double size_of(const cp_joint *joint, const char *unit)
{
    static const struct unit {
        const char *name;
        cp_joint_type type;
        double size;
    } units[] = {{"rad", CP_JOINT_REVOLUTE, 1},
                 {"deg", CP_JOINT_REVOLUTE, pi / 180},
                 {"m", CP_JOINT_PRISMATIC, 1},
                 {"mm", CP_JOINT_PRISMATIC, 0.001}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (units[i].type == joint->type && strcmp(units[i].name, unit) == 0)
            return units[i].size;
    return 0;
}

static const char *units_of(const cp_joint *joint)
{
    return joint->type == CP_JOINT_REVOLUTE ? "rad or deg" : joint->type == CP_JOINT_PRISMATIC ? "m or mm" : "no unit";
}

/* The options of a line; each of them comes once at most. */
struct settings {
    double sign, unit, offset;
    bool has_sign, has_unit, has_offset;
};

/* Takes a number, perhaps with a unit behind it. */
static cp_status read_offset(struct reader *reader, const struct word *word, const char *text, const cp_joint *joint,
                             double *offset)
{
    const char *rest = cp_parse_number(text, text + strlen(text), offset);
    const double size = !rest ? 0 : *rest ? size_of(joint, rest) : 1;
    if (!rest || !(size > 0) || !isfinite(*offset))
        return refuse(reader, word->column, "map-offset",
                      "\"%.60s\" is no offset of this joint: a number, perhaps with a unit (%s)", text,
                      units_of(joint));
    *offset *= size;
    return CP_OK;
}

static cp_status read_setting(struct reader *reader, const struct word *word, const cp_joint *joint,
                              struct settings *settings)
{
    const char *equals = strchr(word->text, '='), *value = equals ? equals + 1 : "";
    const size_t size = equals ? (size_t)(equals - word->text) : 0;
    bool *seen = size == 4 && memcmp(word->text, "sign", 4) == 0     ? &settings->has_sign
                 : size == 4 && memcmp(word->text, "unit", 4) == 0   ? &settings->has_unit
                 : size == 6 && memcmp(word->text, "offset", 6) == 0 ? &settings->has_offset
                                                                     : NULL;
    if (!seen)
        return refuse(reader, word->column, "map-option", "\"%.60s\" is none of sign=-1, offset=VALUE and unit=UNIT%s",
                      word->text, "");
    if (*seen)
        return refuse(reader, word->column, "map-option", "a second \"%.60s\"%s", word->text, "");
    *seen = true;
    if (seen == &settings->has_offset)
        return read_offset(reader, word, value, joint, &settings->offset);
    if (seen == &settings->has_unit) {
        settings->unit = size_of(joint, value);
        return settings->unit > 0 ? CP_OK
                                  : refuse(reader, word->column, "map-unit",
                                           "\"%.60s\" is no unit of this joint, which has %s", value, units_of(joint));
    }
    settings->sign = strcmp(value, "-1") == 0 ? -1 : 1;
    if (settings->sign < 0 || strcmp(value, "1") == 0 || strcmp(value, "+1") == 0)
        return CP_OK;
    return refuse(reader, word->column, "map-sign", "the sign is \"%.60s\"; it is 1 or -1%s", value, "");
}

static cp_status find_joint(struct reader *reader, const struct word *word, uint32_t *joint)
{
    const uint32_t *found = name_map_find(&reader->names, word->text);
    const char *why = !found              ? "there is no such joint"
                      : *found == CP_NONE ? "several joints have this name: use id: and the id of one"
                                          : why_not(&cp_joints(reader->scene, &(uint32_t){0})[*found]);
    if (why)
        return refuse(reader, word->column, "map-joint", "joint \"%.100s\": %s", word->text, why);
    *joint = *found;
    if (reader->lines[*joint] > 0) {
        char line[60];
        (void)snprintf(line, sizeof line, "line %llu has this joint, too", (unsigned long long)reader->lines[*joint]);
        return refuse(reader, word->column, "map-twice", "joint \"%.100s\": %s", word->text, line);
    }
    reader->lines[*joint] = reader->line;
    return CP_OK;
}

static cp_status read_row(struct reader *reader)
{
    struct word name, scene_name, option;
    cp_status status = read_word(reader, &name);
    if (status != CP_OK || !name.text)
        return status;
    status = read_word(reader, &scene_name);
    if (status == CP_OK && !scene_name.text)
        return refuse(reader, scene_name.column, "map-line", "%s%s",
                      "a name of the cell's joint must follow: CONTROLLER CELL [sign=-1] [offset=VALUE] [unit=UNIT]",
                      "");
    struct joint_map_row row = {.name = name.text};
    if (status == CP_OK)
        status = find_joint(reader, &scene_name, &row.joint);
    struct settings settings = {.sign = 1, .unit = 1};
    while (status == CP_OK) {
        status = read_word(reader, &option);
        if (status != CP_OK || !option.text)
            break;
        status = read_setting(reader, &option, &cp_joints(reader->scene, &(uint32_t){0})[row.joint], &settings);
    }
    row.scale = settings.sign * settings.unit;
    row.offset = settings.offset;
    if (status == CP_OK) /* no joint comes twice, so there is room */
        reader->map->rows[reader->map->count++] = row;
    return status;
}

static cp_status read_rows(struct reader *reader, const char *text, size_t size)
{
    const char *end = text + size;
    const bool has_mark = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0;
    cp_status status = CP_OK;
    for (const char *at = text + (has_mark ? 3 : 0); at < end && status == CP_OK;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        reader->line++;
        reader->begin = reader->at = at;
        reader->end = stop ? stop : end;
        at = stop ? stop + 1 : end;
        if (reader->end > reader->begin && reader->end[-1] == '\r')
            reader->end--;
        const char *zero = memchr(reader->begin, '\0', (size_t)(reader->end - reader->begin));
        status = zero ? refuse(reader, column_of(reader, zero), "map-zero", "%s%s", "a zero byte: it is no text", "")
                      : read_row(reader);
    }
    reader->line = 0;
    if (status == CP_OK && reader->map->count == 0)
        status = refuse(reader, 0, "map-empty", "%s%s", "it maps no joint", "");
    return status;
}

cp_status joint_map_read_text(cp_context *context, const cp_scene *scene, const char *file, const char *text,
                              size_t size, struct arena *arena, struct joint_map *map)
{
    uint32_t count;
    (void)cp_joints(scene, &count);
    struct reader reader = {.context = context,
                            .scene = scene,
                            .file = file,
                            .arena = arena,
                            .map = map,
                            .names = {.context = context},
                            .lines = memory_allocate_zeroed(context, count, sizeof *reader.lines)};
    *map = (struct joint_map){.rows = arena_allocate(arena, count, sizeof *map->rows), .room = count};
    cp_status status = reader.lines && map->rows && list_names(&reader.names, scene, arena) ? CP_OK : CP_LIMIT;
    if (status == CP_OK)
        status = read_rows(&reader, text, size);
    sort_rows(map);
    name_map_free(&reader.names);
    memory_free(context, reader.lines, count, sizeof *reader.lines);
    return status;
}

/* Reads a file of at most `room` bytes; false with errno. *size is room + 1 if there are more. */
static bool read_file(const char *path, char *bytes, size_t room, size_t *size)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat about;
    bool good = file >= 0 && fstat(file, &about) == 0;
    if (good && !S_ISREG(about.st_mode)) {
        errno = S_ISDIR(about.st_mode) ? EISDIR : EINVAL;
        good = false;
    }
    *size = 0;
    while (good && *size <= room) {
        const ssize_t more = read(file, bytes + *size, room + 1 - *size);
        if (more == 0)
            break;
        good = more > 0 || errno == EINTR;
        *size += more > 0 ? (size_t)more : 0;
    }
    const int error = errno;
    if (file >= 0)
        (void)close(file);
    errno = error;
    return good;
}

cp_status joint_map_read(cp_context *context, const cp_scene *scene, const char *path, struct arena *arena,
                         struct joint_map *map)
{
    size_t size;
    char *bytes = memory_allocate(context, MOST_FILE + 1, 1);
    cp_status status = CP_LIMIT;
    if (bytes && !read_file(path, bytes, MOST_FILE, &size))
        status = cp_report_error(context, CP_INPUT, "map-file", path, 0, "cannot read it: %s", strerror(errno));
    else if (bytes && size > MOST_FILE)
        status = cp_report_error(context, CP_INPUT, "map-large", path, 0, "it has more than %d bytes", (int)MOST_FILE);
    else if (bytes)
        status = joint_map_read_text(context, scene, path, bytes, size, arena, map);
    memory_free(context, bytes, MOST_FILE + 1, 1);
    return status;
}

/* ---- the map without a file ---- */

static void add_row(struct joint_map *map, const char *name, uint32_t joint, bool other_name)
{
    map->rows[map->count++] = (struct joint_map_row){name, joint, 1, 0, other_name};
}

/* Joints "1", "2", ... unless a joint has this name. */
static bool add_numbers(struct joint_map *map, const cp_scene *scene, const struct name_map *names, struct arena *arena)
{
    uint32_t device_count, count, number = 0;
    const cp_device *devices = cp_devices(scene, &device_count);
    const cp_joint *joints = cp_joints(scene, &count);
    const uint32_t *chain = device_count > 0 ? devices[0].joints : NULL;
    for (uint32_t i = 0; i < (chain ? devices[0].joint_count : count); i++) {
        const uint32_t joint = chain ? chain[i] : i;
        if (why_not(&joints[joint]))
            continue;
        const char *name = arena_print(arena, "%u", ++number);
        if (!name)
            return false;
        if (!name_map_find(names, name))
            add_row(map, name, joint, true);
    }
    return true;
}

cp_status joint_map_default(cp_context *context, const cp_scene *scene, struct arena *arena, struct joint_map *map)
{
    uint32_t count;
    const cp_joint *joints = cp_joints(scene, &count);
    if (count > UINT32_MAX / 3)
        return CP_LIMIT;
    struct name_map names = {.context = context};
    /* Each joint has a name, an id and a number at most. */
    *map = (struct joint_map){.rows = arena_allocate(arena, count, 3 * sizeof *map->rows), .room = 3 * count};
    bool good = map->rows && list_names(&names, scene, arena);
    for (uint32_t i = 0; i < count && good; i++) {
        if (why_not(&joints[i]))
            continue;
        const bool has_name = cp_joint_is_named_alone(scene, i);
        const char *id = arena_print(arena, "id:%s", joints[i].id);
        good = id != NULL;
        if (has_name)
            add_row(map, joints[i].name, i, false);
        if (good && *name_map_find(&names, id) == i)
            add_row(map, id, i, has_name);
    }
    good = good && add_numbers(map, scene, &names, arena);
    sort_rows(map);
    name_map_free(&names);
    return good ? CP_OK : CP_LIMIT;
}

/* ---- samples ---- */

/* How far beyond a limit a value may be: sensors and rounding are no faults. */
static double slack_of(const cp_joint *joint)
{
    const double range = joint->upper - joint->lower;
    return !isfinite(range) ? 0.05 : fmax(0.05 * range, 0.001);
}

static bool is_within(const cp_joint *joint, double value)
{
    const double slack = slack_of(joint);
    return isfinite(value) && value >= joint->lower - slack && value <= joint->upper + slack;
}

/* joint: NULL for a value that is no finite number. */
static bool refuse_value(const cp_joint *joint, const char *name, double value, char why[WHY_SIZE])
{
    if (!isfinite(value)) {
        (void)snprintf(why, WHY_SIZE, "the value of \"%.60s\" is no finite number", name);
        return false;
    }
    const double numbers[3] = {value, joint->lower, joint->upper};
    char shown[3][CP_NUMBER_SIZE];
    for (int i = 0; i < 3; i++)
        if (isfinite(numbers[i]))
            (void)cp_print_double(round(numbers[i] * 1e6) / 1e6, shown[i]);
        else
            (void)snprintf(shown[i], sizeof shown[i], "%s", numbers[i] < 0 ? "-infinity" : "infinity");
    (void)snprintf(why, WHY_SIZE, "joint \"%.40s\" is %.24s, far beyond its limits %.24s to %.24s", joint->name,
                   shown[0], shown[1], shown[2]);
    return false;
}

/* Tells whether all rows of a name can take the value. */
static bool fits(const struct joint_map *map, const cp_scene *scene, uint32_t row, const char *name, double value,
                 char why[WHY_SIZE])
{
    const cp_joint *joints = cp_joints(scene, &(uint32_t){0});
    if (!isfinite(value))
        return refuse_value(NULL, name, value, why);
    for (; row < map->count && strcmp(map->rows[row].name, name) == 0; row++) {
        const cp_joint *joint = &joints[map->rows[row].joint];
        const double placed = map->rows[row].scale * value + map->rows[row].offset;
        if (!is_within(joint, placed))
            return refuse_value(joint, name, placed, why);
    }
    return true;
}

bool joint_map_apply(const struct joint_map *map, const cp_scene *scene, const struct controller_sample *sample,
                     double *values, char why[WHY_SIZE])
{
    uint32_t rows[MOST_CONTROLLER_JOINTS];
    bool known = sample->count == 0;
    if (sample->count > MOST_CONTROLLER_JOINTS) {
        (void)snprintf(why, WHY_SIZE, "more than %d joints", (int)MOST_CONTROLLER_JOINTS);
        return false;
    }
    for (uint32_t i = 0; i < sample->count; i++) {
        rows[i] = find_row(map, sample->names[i]);
        known = known || rows[i] < map->count;
        if (!fits(map, scene, rows[i], sample->names[i], sample->values[i], why))
            return false;
    }
    if (!known) {
        (void)snprintf(why, WHY_SIZE, "none of its joints is known here, such as \"%.60s\"", sample->names[0]);
        return false;
    }
    for (uint32_t i = 0; i < sample->count; i++)
        for (uint32_t row = rows[i]; row < map->count && strcmp(map->rows[row].name, sample->names[i]) == 0; row++)
            values[map->rows[row].joint] = map->rows[row].scale * sample->values[i] + map->rows[row].offset;
    return true;
}

const char *joint_map_unknown(const struct joint_map *map, const struct controller_sample *sample)
{
    for (uint32_t i = 0; i < sample->count; i++)
        if (sample->values[i] != 0 && find_row(map, sample->names[i]) == map->count)
            return sample->names[i];
    return NULL;
}

/* ---- commands ---- */

const struct joint_map_row *joint_map_row_of(const struct joint_map *map, uint32_t joint)
{
    for (uint32_t i = 0; i < map->count; i++)
        if (map->rows[i].joint == joint && !map->rows[i].other_name)
            return &map->rows[i];
    return NULL;
}

uint32_t joint_map_invert(const struct joint_map *map, const double *values, const char **names, double *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < map->count; i++) {
        const struct joint_map_row *row = &map->rows[i];
        if (row->other_name || (count > 0 && strcmp(names[count - 1], row->name) == 0))
            continue;
        names[count] = row->name;
        out[count++] = (values[row->joint] - row->offset) / row->scale;
    }
    return count;
}
