/* recording: adds a clip of joint values that another program has recorded: CSV or JSON lines (docs/recordings.md). */
#include <math.h>
#include <stdio.h>

#include "base/bytes/bytes.h"
#include "base/context.h"
#include "base/text/json.h"
#include "base/text/text.h"
#include "filters.h"
#include "motion/clips/clips.h"
#include "moved_nodes.h"

struct recording_settings {
    const char *file, *name;
    double rate;
};

static const cp_option options[] = {{"file", "required: CSV with a line of names, or JSON lines", CP_OPTION_PATH,
                                     .offset = offsetof(struct recording_settings, file)},
                                    {"name", "of the clip; the file's name without its suffix unless said",
                                     CP_OPTION_STRING, .offset = offsetof(struct recording_settings, name)},
                                    {"rate", "lines a second, of a file without times", CP_OPTION_NUMBER,
                                     offsetof(struct recording_settings, rate), "0", .maximum = 1e6},
                                    CP_OPTIONS_END};

/* The value of a joint at a time. */
struct sample {
    double time, value;
    uint32_t joint;
};

struct reader {
    cp_context *context;
    cp_scene *scene;
    const struct source *source;
    double rate;
    struct arena *arena;            /* of the present line */
    struct arena *kept;             /* of names */
    struct name_map names, unknown; /* indices of joints by name; CP_NONE if several have the name */
    struct sample *samples;
    uint32_t sample_count, sample_room, row_count;
    bool timed; /* the file has a column of times */
    bool has_points;
    uint64_t commas;               /* numbers with a decimal comma */
    double last_time, time_before; /* of the present row, and of the one before */
    struct moved_nodes moved;
    uint64_t line;
};

static cp_status refuse(const struct reader *reader, uint64_t column, const char *code, const char *format,
                        const char *what)
{
    struct place place = {.file = reader->source->name, .line = reader->line, .column = column};
    return report_error(reader->context, CP_INPUT, code, place, format, what);
}

/* ---- joints ---- */

static bool list_names(struct reader *reader)
{
    const cp_scene *scene = reader->scene;
    bool good = true;
    for (uint32_t i = 0; i < scene->joint_count && good; i++) {
        bool added;
        uint32_t *place = name_map_add(&reader->names, scene->joints[i].name, i, &added);
        const char *id = arena_print(reader->kept, "id:%s", scene->joints[i].id);
        good = place && id && name_map_add(&reader->names, id, i, NULL);
        if (good && !added)
            *place = CP_NONE;
    }
    return good;
}

/* Warns of a name for the first time. */
static cp_status leave_out(struct reader *reader, const char *name, const char *why)
{
    bool added = false;
    if (name_map_find(&reader->unknown, name))
        return CP_OK;
    const char *kept = arena_copy_text(reader->kept, name, strlen(name));
    if (!kept || !name_map_add(&reader->unknown, kept, 1, &added))
        return CP_LIMIT;
    if (added)
        report_warning(reader->context, "recording-unknown", AT_LINE(reader->source->name, reader->line),
                       "\"%.100s\" is left out: %s", kept, why);
    return CP_OK;
}

/* Finds the joint of that name; CP_NONE, with a warning for the first time, if it cannot be set. */
static cp_status find_joint(struct reader *reader, const char *name, uint32_t *joint)
{
    const uint32_t *found = name_map_find(&reader->names, name);
    const char *why = !found                                                  ? "there is no such joint"
                      : *found == CP_NONE                                     ? "several joints have this name"
                      : cp_joint_is_dependent(&reader->scene->joints[*found]) ? "it follows others"
                      : reader->scene->joints[*found].type == CP_JOINT_FIXED  ? "it does not move"
                                                                              : NULL;
    *joint = why ? CP_NONE : *found;
    return why ? leave_out(reader, name, why) : CP_OK;
}

static cp_status add_sample(struct reader *reader, double time, uint32_t joint, double value)
{
    if (!array_reserve(reader->context, &reader->samples, &reader->sample_room, (uint64_t)reader->sample_count + 1,
                       sizeof *reader->samples))
        return CP_LIMIT;
    reader->samples[reader->sample_count++] = (struct sample){time, value, joint};
    return CP_OK;
}

/* Begins a row. Times must ascend; a file without them has a rate. */
static cp_status begin_row(struct reader *reader, bool has_time, double *time)
{
    if (!has_time && !(reader->rate > 0))
        return refuse(reader, 0, "recording-time", "%s", "it has no times: give rate=, lines a second");
    if (!has_time || reader->rate > 0)
        *time = reader->row_count / reader->rate;
    if (!isfinite(*time) || (reader->row_count > 0 && !(*time > reader->last_time)))
        return refuse(reader, 0, "recording-time", "%s", "times do not ascend");
    reader->time_before = reader->last_time;
    reader->last_time = *time;
    reader->row_count++;
    return CP_OK;
}

/* ---- lines ---- */

/* The next line, NUL-ended in the arena of the line; false at the end. */
struct lines {
    const char *next, *end;
};

static char *next_line(struct reader *reader, struct lines *lines, struct arena *arena)
{
    if (lines->next >= lines->end)
        return NULL;
    const char *stop = memchr(lines->next, '\n', (size_t)(lines->end - lines->next)), *from = lines->next;
    size_t size = (size_t)((stop ? stop : lines->end) - from);
    lines->next = stop ? stop + 1 : lines->end;
    size -= size > 0 && from[size - 1] == '\r';
    reader->line++;
    return arena_copy_text(arena, from, size);
}

/* ---- CSV ---- */

/* Cuts off the next field without quotes around it; two quotes inside become one. NULL behind the last. *open: its
 * quotes are not closed. */
static char *next_field(char **rest, char separator, bool *open)
{
    char *field = *rest, *out = field, *at = field;
    if (!field)
        return NULL;
    bool quoted = *at == '"';
    for (at += quoted; *at && (quoted || *at != separator); at++) {
        if (quoted && *at == '"' && at[1] == '"')
            at++;
        else if (quoted && *at == '"') {
            quoted = false;
            continue;
        }
        *out++ = *at;
    }
    *rest = *at ? at + 1 : NULL;
    *out = '\0';
    *open = quoted;
    return field;
}

/* Returns the size of the unit; 0: it is no unit of this type. */
static double factor_of(cp_joint_type type, const char *unit)
{
    char text[40];
    double factor = 0;
    (void)snprintf(text, sizeof text, "1%.30s", unit);
    if (*unit && !is_letter(*unit))
        return 0;
    bool good = type == CP_JOINT_REVOLUTE    ? read_angle(text, 1, &factor)
                : type == CP_JOINT_PRISMATIC ? read_length(text, &factor)
                                             : *unit == '\0';
    return !good ? 0 : type == CP_JOINT_SCALE ? 1 : factor;
}

static double seconds_of(const char *unit)
{
    return !*unit || strcmp(unit, "s") == 0 ? 1
           : strcmp(unit, "ms") == 0        ? 1e-3
           : strcmp(unit, "us") == 0        ? 1e-6
           : strcmp(unit, "min") == 0       ? 60
                                            : 0;
}

struct column {
    uint32_t joint; /* CP_NONE: left out */
    bool is_time;
    double factor;
};

/* Returns the text without white space at its ends. */
static char *trim(char *text)
{
    text += strspn(text, " \t");
    size_t size = strlen(text);
    while (size > 0 && (text[size - 1] == ' ' || text[size - 1] == '\t'))
        text[--size] = '\0';
    return text;
}

/* "Arm.J1[deg]" */
static cp_status read_column(struct reader *reader, char *name, struct column *column)
{
    name = trim(name);
    size_t size = strlen(name);
    char *open = size > 0 && name[size - 1] == ']' ? strrchr(name, '[') : NULL;
    const char *unit = "";
    if (open) {
        name[size - 1] = *open = '\0';
        unit = open + 1;
        name = trim(name);
    }
    *column = (struct column){CP_NONE, false, 1};
    if (!reader->timed &&
        (text_equal_nocase(name, "time") || text_equal_nocase(name, "t") || text_equal_nocase(name, "Zeit"))) {
        column->is_time = reader->timed = true;
        column->factor = seconds_of(unit);
        return column->factor > 0 ? CP_OK : refuse(reader, 0, "recording-unit", "no unit of times: %.30s", unit);
    }
    cp_status status = find_joint(reader, name, &column->joint);
    if (status != CP_OK || column->joint == CP_NONE)
        return status;
    column->factor = factor_of(reader->scene->joints[column->joint].type, unit);
    return column->factor > 0 ? CP_OK : refuse(reader, 0, "recording-unit", "no unit of this joint: %.30s", unit);
}

/* Reads a number. If commas are not the separators, it may have a decimal comma, as spreadsheets of many countries
 * write. A number with a comma and a point would be a guess, so it is refused. */
static bool read_number(struct reader *reader, char *field, char separator, double *value)
{
    char *comma = separator == ',' ? NULL : strchr(field, ',');
    if (comma && (strchr(field, '.') || strchr(comma + 1, ',')))
        return false;
    reader->has_points |= strchr(field, '.') != NULL;
    reader->commas += comma != NULL;
    if (comma)
        *comma = '.';
    bool good = text_is_number(field, value);
    if (comma)
        *comma = ',';
    return good && !(reader->commas > 0 && reader->has_points);
}

static cp_status read_csv_row(struct reader *reader, char *line, char separator, const struct column *columns,
                              uint32_t count)
{
    double *values = arena_allocate(reader->arena, count, sizeof *values), time = 0;
    bool has_time = false, open;
    uint32_t given = 0;
    if (!values)
        return CP_LIMIT;
    for (char *rest = line, *field; (field = next_field(&rest, separator, &open)) != NULL; given++) {
        if (open)
            return refuse(reader, 0, "recording-quotes", "%s", "quotes are not closed");
        if (given == count)
            return refuse(reader, 0, "recording-columns", "%s", "more values than names");
        values[given] = NAN; /* an empty field gives no value */
        const bool left_out = columns[given].joint == CP_NONE && !columns[given].is_time;
        if (left_out || field[strspn(field, " \t")] == '\0')
            continue;
        if (!read_number(reader, field, separator, &values[given]) || !isfinite(values[given] *= columns[given].factor))
            return refuse(reader, 0, "recording-number",
                          reader->commas > 0 && reader->has_points
                              ? "no number: \"%.60s\", where points and commas are both decimal (use one of them)"
                          : strchr(field, ',') ? "no number: \"%.60s\" (decimal commas are read between ; or tabs)"
                                               : "no number: \"%.60s\"",
                          field);
        if (columns[given].is_time) {
            has_time = true;
            time = values[given];
        }
    }
    if (given < count)
        return refuse(reader, 0, "recording-columns", "%s", "fewer values than names");
    cp_status status = begin_row(reader, has_time, &time);
    for (uint32_t i = 0; i < count && status == CP_OK; i++)
        if (columns[i].joint != CP_NONE && !isnan(values[i]))
            status = add_sample(reader, time, columns[i].joint, values[i]);
    return status;
}

/* Warns of two columns of one joint, of which the last one counts. */
static cp_status warn_of_twins(struct reader *reader, const struct column *columns, uint32_t count)
{
    bool *seen = arena_allocate_zeroed(reader->arena, reader->scene->joint_count, sizeof *seen);
    for (uint32_t i = 0; i < count && seen; i++) {
        const uint32_t joint = columns[i].joint;
        if (joint != CP_NONE && seen[joint])
            report_warning(reader->context, "recording-twice", AT_LINE(reader->source->name, reader->line),
                           "joint \"%.100s\" has two columns: the last one counts", reader->scene->joints[joint].name);
        if (joint != CP_NONE)
            seen[joint] = true;
    }
    return seen ? CP_OK : CP_LIMIT;
}

static cp_status read_csv(struct reader *reader, struct lines lines)
{
    char *line;
    do
        line = next_line(reader, &lines, reader->arena);
    while (line && !line[strspn(line, " \t")] && lines.next < lines.end);
    if (!line)
        return CP_LIMIT;
    char *rest = line;
    bool open;
    char separator = strchr(line, ';') && !strchr(line, ',')    ? ';'
                     : strchr(line, '\t') && !strchr(line, ',') ? '\t'
                                                                : ',';
    uint32_t count = 0, room = 1;
    for (const char *c = line; *c; c++)
        room += *c == separator;
    struct column *columns = arena_allocate(reader->arena, room, sizeof *columns);
    if (!columns)
        return CP_LIMIT;
    cp_status status = CP_OK;
    for (char *name; status == CP_OK && (name = next_field(&rest, separator, &open)) != NULL; count++)
        status = open ? refuse(reader, 0, "recording-quotes", "%s", "quotes are not closed")
                      : read_column(reader, name, &columns[count]);
    if (status == CP_OK)
        status = warn_of_twins(reader, columns, count);
    struct arena *names = reader->arena, *row = arena_new(reader->context);
    status = status == CP_OK && !row ? CP_LIMIT : status;
    while (status == CP_OK && lines.next < lines.end) {
        arena_clear(row);
        reader->arena = row;
        line = next_line(reader, &lines, row);
        status = !line                       ? CP_LIMIT
                 : line[strspn(line, " \t")] ? read_csv_row(reader, line, separator, columns, count)
                                             : CP_OK;
    }
    reader->arena = names;
    arena_free(row);
    if (status == CP_OK && reader->commas > 0)
        report_warning(reader->context, "recording-comma", IN_FILE(reader->source->name),
                       "numbers with a decimal comma: %llu", (unsigned long long)reader->commas);
    return status;
}

/* ---- JSON lines ---- */

/* One node of "moved": its pose in the world, or null, where the cell has it. */
static cp_status read_moved(struct reader *reader, const struct json_document *json, uint32_t key, double time)
{
    const uint32_t row = reader->row_count - 1, value = key + 1;
    const char *id = json_string_text(json, reader->arena, key), *why = NULL;
    const bool is_back = json_is(json, value, JSON_NULL);
    uint32_t node = CP_NONE;
    cp_pose pose;
    cp_status status = id ? moved_nodes_find(&reader->moved, id, &node, &why) : CP_LIMIT;
    if (status == CP_OK && !is_back && !json_take_numbers(json, value, pose.m, 12))
        status = refuse(reader, 0, "recording-moved", "the place of \"%.60s\" is to be 12 finite numbers", id);
    if (status == CP_OK && node == CP_NONE)
        return leave_out(reader, id, why);
    if (status == CP_OK && !is_back && !moved_nodes_fit(&reader->moved, node, &pose))
        status = refuse(reader, 0, "recording-moved", "the place of \"%.60s\" stretches or mirrors it", id);
    if (status == CP_OK)
        status = moved_nodes_add(&reader->moved, row, time, reader->time_before, node, is_back ? NULL : &pose);
    return status == CP_NO ? refuse(reader, 0, "recording-moved", "\"%.60s\" comes twice", id) : status;
}

static cp_status read_json_row(struct reader *reader, struct json_document *json)
{
    uint32_t values = json_member(json, 0, "q"), given = json_member(json, 0, "t"),
             moved = json_member(json, 0, "moved");
    double time = json_to_number(json, given);
    if (json_is(json, moved, JSON_NULL))
        moved = JSON_NONE;
    if (moved != JSON_NONE && !json_is(json, moved, JSON_OBJECT))
        return refuse(reader, 0, "recording-moved", "%s", "\"moved\" is no object");
    if (!json_is(json, 0, JSON_OBJECT) ||
        !(json_is(json, values, JSON_OBJECT) || (values == JSON_NONE && moved != JSON_NONE)))
        return refuse(reader, 0, "recording-line", "%s", "expected an object with \"t\" and \"q\"");
    if (given != JSON_NONE && (!json_is(json, given, JSON_NUMBER) || !isfinite(time)))
        return refuse(reader, 0, "recording-number", "no number: the value of \"%.60s\"", "t");
    cp_status status = begin_row(reader, given != JSON_NONE, &time);
    for (uint32_t key = json_first(json, values); key != JSON_NONE && status == CP_OK;) {
        uint32_t value = key + 1, joint;
        char *name = json_string_text(json, reader->arena, key);
        status = name ? find_joint(reader, name, &joint) : CP_LIMIT;
        const bool good = json_is(json, value, JSON_NUMBER) && isfinite(json_to_number(json, value));
        if (status == CP_OK && joint != CP_NONE && !good)
            status = refuse(reader, 0, "recording-number", "no number: the value of \"%.60s\"", name);
        if (status == CP_OK && joint != CP_NONE)
            status = add_sample(reader, time, joint, json_to_number(json, value));
        key = json_next(json, values, key);
    }
    for (uint32_t key = json_first(json, moved); key != JSON_NONE && status == CP_OK; key = json_next(json, moved, key))
        status = read_moved(reader, json, key, time);
    return status;
}

static cp_status read_json_lines(struct reader *reader, struct lines lines)
{
    static const struct json_codes codes = JSON_CODES("recording");
    struct arena *names = reader->arena, *row = arena_new(reader->context);
    cp_status status = row ? CP_OK : CP_LIMIT;
    while (status == CP_OK && lines.next < lines.end) {
        arena_clear(row);
        reader->arena = row;
        char *line = next_line(reader, &lines, row);
        if (!line)
            status = CP_LIMIT;
        else if (line[strspn(line, " \t")]) {
            struct json_document json = {.context = reader->context, .text = line, .size = (uint32_t)strlen(line)};
            status = json_parse(&json, NULL, limit_nesting(reader->context), NULL);
            status = status == CP_OK      ? read_json_row(reader, &json)
                     : status == CP_INPUT ? refuse(reader, 0, codes.syntax, "%s", "this line is no JSON")
                                          : status;
            json_free(&json);
        }
    }
    reader->arena = names;
    arena_free(row);
    return status;
}

/* ---- the clip ---- */

static cp_status add_clip(struct reader *reader, const char *name)
{
    cp_scene *scene = reader->scene;
    uint32_t *counts = arena_allocate_zeroed(reader->arena, scene->joint_count, sizeof *counts), tracks = 0;
    uint32_t *track_of = arena_allocate(reader->arena, scene->joint_count, sizeof *track_of);
    if (!counts || !track_of)
        return CP_LIMIT;
    for (uint32_t i = 0; i < reader->sample_count; i++)
        counts[reader->samples[i].joint]++;
    for (uint32_t i = 0; i < scene->joint_count; i++)
        if (counts[i] > 0)
            track_of[i] = tracks++;
    const uint32_t all = tracks + 3 * reader->moved.node_count;
    if (all == 0)
        return report_error(reader->context, CP_INPUT, "recording-empty", IN_FILE(reader->source->name),
                            "it has no value of a joint of this cell");
    cp_track *made = scene_allocate(scene, all, sizeof *made);
    double **times = arena_allocate(reader->arena, tracks, sizeof *times),
           **values = arena_allocate(reader->arena, tracks, sizeof *values);
    if (!made || !times || !values)
        return CP_LIMIT;
    for (uint32_t i = 0; i < scene->joint_count; i++) {
        if (counts[i] == 0)
            continue;
        uint32_t track = track_of[i];
        times[track] = scene_allocate(scene, counts[i], sizeof **times);
        values[track] = scene_allocate(scene, counts[i], sizeof **values);
        if (!times[track] || !values[track])
            return CP_LIMIT;
        made[track] = (cp_track){.target = i,
                                 .path = CP_PATH_JOINT,
                                 .interpolation = CP_LINEAR,
                                 .times = times[track],
                                 .values = values[track]};
    }
    for (uint32_t i = 0; i < reader->sample_count; i++) {
        const struct sample *sample = &reader->samples[i];
        uint32_t track = track_of[sample->joint], at = made[track].key_count;
        if (at > 0 && times[track][at - 1] == sample->time) /* the last of two values in one line counts */
            at = --made[track].key_count;
        times[track][at] = sample->time;
        values[track][at] = sample->value;
        made[track].key_count++;
    }
    for (uint32_t i = 0; i < tracks; i++)
        made[i].key_count = drop_rests(times[i], values[i], made[i].key_count);
    const cp_attachment *attachments = NULL;
    if (all > tracks && moved_nodes_make(&reader->moved, &made[tracks], &attachments) != CP_OK)
        return CP_LIMIT;
    const char *kept = scene_text(scene, name);
    const uint32_t clip = kept ? scene_add_clip(scene, kept, all, made) : CP_NONE;
    if (clip == CP_NONE)
        return CP_LIMIT;
    scene->clips[clip].attachments = attachments;
    scene->clips[clip].attachment_count = reader->moved.attachment_count;
    return CP_OK;
}

static cp_status read_recording(struct reader *reader, const char *name)
{
    const struct source *source = reader->source;
    const char *begin = source->data, *end = source->data + source->size;
    begin += source->size >= 3 && memcmp(begin, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    if (begin == end)
        return report_error(reader->context, CP_INPUT, "recording-empty", IN_FILE(source->name), "it is empty");
    if (memchr(begin, '\0', (size_t)(end - begin)))
        return report_error(reader->context, CP_INPUT, "recording-zero", IN_FILE(source->name),
                            "it holds a zero byte: neither CSV nor JSON");
    cp_status status = list_names(reader) ? CP_OK : CP_LIMIT;
    if (status == CP_OK)
        status = begin[strspn(begin, " \t\r\n")] == '{' ? read_json_lines(reader, (struct lines){begin, end})
                                                        : read_csv(reader, (struct lines){begin, end});
    return status == CP_OK ? add_clip(reader, name) : status;
}

static cp_status apply(cp_context *context, cp_scene *scene, const void *all)
{
    const struct recording_settings *settings = all;
    struct source *source;
    if (!settings->file)
        return report_error(context, CP_USAGE, "recording-file", NOWHERE, "give file=RECORDING");
    cp_status status = source_open_top(context, settings->file, &source);
    if (status != CP_OK)
        return status;
    struct reader reader = {.context = context,
                            .scene = scene,
                            .source = source,
                            .rate = settings->rate,
                            .arena = arena_new(context),
                            .kept = arena_new(context),
                            .names = {.context = context},
                            .unknown = {.context = context},
                            .moved = {.context = context, .scene = scene}};
    size_t size;
    const char *stem = text_stem(source->name, &size);
    const char *name = settings->name ? settings->name : arena_copy_text(reader.arena, stem, size);
    status = name && reader.kept ? read_recording(&reader, name) : CP_LIMIT;
    name_map_free(&reader.names);
    name_map_free(&reader.unknown);
    moved_nodes_free(&reader.moved);
    memory_free(context, reader.samples, reader.sample_room, sizeof *reader.samples);
    arena_free(reader.arena);
    arena_free(reader.kept);
    source_close(source);
    return status;
}

const struct filter recording_filter = {.plugin = {.name = "recording",
                                                   .title = "Add a clip of recorded joint values",
                                                   .options = options,
                                                   .settings_size = sizeof(struct recording_settings)},
                                        .is_shown = true,
                                        .apply = apply};
