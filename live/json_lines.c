/* JSON lines of a controller, both ways. Lines of a controller: {"t":1.25,"q":{"Arm.J1":0.5},"mode":"running",
 * "program":"a.prg","line":3,"moved":{"Part":[1,0,0,0.5,0,1,0,0,0,0,1,0]}}, where every member may be absent and others
 * are ignored. Values are in radians and metres. Commands for it are lines with a "type". */
#include <math.h>
#include <stdio.h>

#include "bytes.h"
#include "cellpipe_json.h"
#include "controller.h"

enum { MOST_LINE = 65536, MOST_NESTING = 16 };

struct json_lines {
    uint64_t line;        /* the one that is under way, from 1 */
    struct pieces pieces; /* its bytes so far, if it does not stand in one piece */
    struct arena *arena;  /* it holds the present line */
};
_Static_assert(sizeof((struct pieces *)0)->bytes >= MOST_LINE, "a line fits into the pieces");

static cp_status begin(cp_context *context, void *state, const void **hello, size_t *size)
{
    struct json_lines *lines = state;
    *hello = NULL;
    *size = 0;
    lines->line = 1;
    lines->arena = arena_new(context);
    return lines->arena ? CP_OK : CP_LIMIT;
}

/* ---- one line ---- */

/* The line, its values, and the sample that it makes. */
struct reading {
    struct json_lines *lines;
    struct json_document json;
    struct controller_sample sample;
    const char *names[MOST_CONTROLLER_JOINTS];
    double values[MOST_CONTROLLER_JOINTS];
    char *why;
};

static cp_status refuse(struct reading *reading, const char *format, const char *what)
{
    const int size = snprintf(reading->why, WHY_SIZE, "line %llu: ", (unsigned long long)reading->lines->line);
    (void)snprintf(reading->why + size, WHY_SIZE - (size_t)size, format, what);
    return CP_INPUT;
}

/* Returns the value of a member of the line; JSON_NONE if it is absent or null. */
static uint32_t member_of(const struct reading *reading, const char *key)
{
    const uint32_t value = json_member(&reading->json, 0, key);
    return json_is(&reading->json, value, JSON_NULL) ? JSON_NONE : value;
}

static cp_status read_time(struct reading *reading, uint32_t time)
{
    if (time == JSON_NONE)
        return CP_OK;
    reading->sample.time = json_to_number(&reading->json, time);
    const bool good = json_is(&reading->json, time, JSON_NUMBER) && isfinite(reading->sample.time);
    return good ? CP_OK : refuse(reading, "%s", "\"t\" is no finite number");
}

static cp_status read_joints(struct reading *reading, uint32_t joints)
{
    const struct json_document *json = &reading->json;
    if (joints == JSON_NONE)
        return CP_OK;
    if (!json_is(json, joints, JSON_OBJECT))
        return refuse(reading, "%s", "\"q\" is no object");
    for (uint32_t key = json_first(json, joints); key != JSON_NONE; key = json_next(json, joints, key)) {
        const uint32_t at = reading->sample.count++;
        if (at == MOST_CONTROLLER_JOINTS)
            return refuse(reading, "%s", "\"q\" has more than 256 joints");
        reading->names[at] = json_string_text(json, reading->lines->arena, key);
        if (!reading->names[at])
            return CP_LIMIT;
        if (!json_is(json, key + 1, JSON_NUMBER))
            return refuse(reading, "the value of \"%.60s\" is no number", reading->names[at]);
        reading->values[at] = json_to_number(json, key + 1);
    }
    return CP_OK;
}

static cp_status read_mode(struct reading *reading, uint32_t mode)
{
    static const struct word {
        const char *text;
        enum controller_mode mode;
    } words[] = {{"ready", CONTROLLER_READY},   {"running", CONTROLLER_RUNNING}, {"jogging", CONTROLLER_JOGGING},
                 {"moving", CONTROLLER_MOVING}, {"stopped", CONTROLLER_STOPPED}, {"emergency", CONTROLLER_EMERGENCY}};
    if (mode == JSON_NONE)
        return CP_OK;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (json_string_equals(&reading->json, mode, words[i].text)) {
            reading->sample.mode = words[i].mode;
            return CP_OK;
        }
    return refuse(reading, "%s", "\"mode\" is none of ready, running, jogging, moving, stopped, emergency");
}

static cp_status read_program(struct reading *reading, uint32_t program, uint32_t line)
{
    const struct json_document *json = &reading->json;
    if (program != JSON_NONE) {
        if (!json_is(json, program, JSON_STRING))
            return refuse(reading, "%s", "\"program\" is no text");
        reading->sample.program = json_string_text(json, reading->lines->arena, program);
        if (!reading->sample.program)
            return CP_LIMIT;
    }
    if (line == JSON_NONE)
        return CP_OK;
    const double number = json_to_number(json, line);
    if (!json_is(json, line, JSON_NUMBER) || !(number >= 0 && number <= 1e9) || number != floor(number))
        return refuse(reading, "%s", "\"line\" is no line of a program");
    reading->sample.line = (uint64_t)number;
    return CP_OK;
}

static cp_status read_parts(struct reading *reading, uint32_t moved)
{
    const struct json_document *json = &reading->json;
    if (moved == JSON_NONE)
        return CP_OK;
    if (!json_is(json, moved, JSON_OBJECT))
        return refuse(reading, "%s", "\"moved\" is no object");
    const uint32_t count = json_count(json, moved);
    if (count > MOST_CONTROLLER_PARTS)
        return refuse(reading, "%s", "\"moved\" has more than 256 frames");
    struct controller_part *parts = arena_allocate(reading->lines->arena, count, sizeof *parts);
    if (!parts)
        return CP_LIMIT;
    reading->sample.parts = parts;
    for (uint32_t key = json_first(json, moved); key != JSON_NONE; key = json_next(json, moved, key)) {
        struct controller_part *part = &parts[reading->sample.part_count++];
        part->id = json_string_text(json, reading->lines->arena, key);
        if (!part->id)
            return CP_LIMIT;
        part->is_back = json_is(json, key + 1, JSON_NULL);
        if (!part->is_back && !json_take_numbers(json, key + 1, part->world.m, 12))
            return refuse(reading, "the place of \"%.60s\" is to be 12 finite numbers", part->id);
    }
    return CP_OK;
}

static cp_status read_line(struct reading *reading)
{
    const struct json_document *json = &reading->json;
    cp_status status = json_parse(&reading->json, NULL, MOST_NESTING, NULL);
    if (status != CP_OK)
        return status == CP_INPUT ? refuse(reading, "%s", "it is no JSON") : status;
    if (!json_is(json, 0, JSON_OBJECT))
        return refuse(reading, "%s", "it is no object");
    status = read_time(reading, member_of(reading, "t"));
    if (status == CP_OK)
        status = read_joints(reading, member_of(reading, "q"));
    if (status == CP_OK)
        status = read_parts(reading, member_of(reading, "moved"));
    if (status == CP_OK)
        status = read_mode(reading, member_of(reading, "mode"));
    if (status == CP_OK)
        status = read_program(reading, member_of(reading, "program"), member_of(reading, "line"));
    return status;
}

static cp_status take_line(cp_context *context, struct json_lines *lines, const char *text, size_t size,
                           const struct controller_listener *listener, char why[WHY_SIZE])
{
    size_t blanks = 0;
    while (blanks < size && (text[blanks] == ' ' || text[blanks] == '\t' || text[blanks] == '\r'))
        blanks++;
    if (blanks == size)
        return CP_OK;
    struct reading reading = {.lines = lines,
                              .json = {.context = context, .text = text, .size = (uint32_t)size},
                              .sample = {.time = NAN, .names = reading.names, .values = reading.values},
                              .why = why};
    arena_clear(lines->arena);
    cp_status status = read_line(&reading);
    const struct controller_sample *sample = &reading.sample;
    if (status == CP_OK && (sample->count > 0 || sample->part_count > 0 || sample->mode != CONTROLLER_SILENT ||
                            sample->program || sample->line))
        listener->take(listener->user, sample);
    json_free(&reading.json);
    return status;
}

/* ---- all lines ---- */

static cp_status take(cp_context *context, void *state, const void *bytes, size_t size,
                      const struct controller_listener *listener, const void **answer, size_t *answer_size,
                      char why[WHY_SIZE])
{
    struct json_lines *lines = state;
    struct pieces *pieces = &lines->pieces;
    const unsigned char *input = bytes;
    cp_status status = CP_OK;
    *answer = NULL;
    *answer_size = 0;
    while (size > 0 && status == CP_OK) {
        const unsigned char *end = memchr(input, '\n', size);
        const size_t more = end ? (size_t)(end - input) : size;
        if (more > MOST_LINE - pieces->size) {
            (void)snprintf(why, WHY_SIZE, "line %llu: it has more than %d bytes", (unsigned long long)lines->line,
                           (int)MOST_LINE);
            return CP_INPUT;
        }
        (void)pieces_fill(pieces, &input, &size, pieces->size + more);
        if (!end)
            break;
        status = take_line(context, lines, (const char *)pieces->bytes, pieces->size, listener, why);
        pieces->size = 0;
        lines->line++;
        input++;
        size--;
    }
    return status;
}

static cp_status end(cp_context *context, void *state, const struct controller_listener *listener, char why[WHY_SIZE])
{
    struct json_lines *lines = state;
    return take_line(context, lines, (const char *)lines->pieces.bytes, lines->pieces.size, listener, why);
}

static void free_state(cp_context *context, void *state)
{
    (void)context;
    arena_free(((struct json_lines *)state)->arena);
}

const struct controller_protocol json_lines_protocol = {.name = "jsonl",
                                                        .state_size = sizeof(struct json_lines),
                                                        .begin = begin,
                                                        .take = take,
                                                        .end = end,
                                                        .free = free_state};

/* ---- commands ---- */

static cp_json open_command(struct buffer *out, const char *type)
{
    cp_json json = {.out = out};
    cp_json_open(&json, NULL, '{');
    cp_json_text(&json, "type", type);
    return json;
}

static void close_command(cp_json *json)
{
    cp_json_close(json, '}');
    buffer_text(json->out, "\n");
}

void command_print(struct buffer *out, const char *type)
{
    cp_json json = open_command(out, type);
    close_command(&json);
}

void command_print_jog(struct buffer *out, const char *joint, double speed)
{
    cp_json json = open_command(out, "jog");
    cp_json_text(&json, "joint", joint);
    cp_json_number(&json, "speed", speed);
    close_command(&json);
}

void command_print_move(struct buffer *out, const char *const *names, const double *values, uint32_t count,
                        double speed)
{
    cp_json json = open_command(out, "move");
    cp_json_open(&json, "q", '{');
    for (uint32_t i = 0; i < count; i++)
        cp_json_number(&json, names[i], values[i]);
    cp_json_close(&json, '}');
    cp_json_number(&json, "speed", speed);
    close_command(&json);
}

void command_print_program(struct buffer *out, const char *name, const char *text)
{
    cp_json json = open_command(out, "program");
    cp_json_text(&json, "name", name);
    cp_json_text(&json, "text", text);
    close_command(&json);
}
