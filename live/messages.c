/* JSON texts in and out. */
#include "messages.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "cellpipe_json.h"

/* ---- in ---- */

/* A word may need these members besides its type. */
enum { NEEDS_JOINT = 1 << 0, NEEDS_SPEED = 1 << 1, NEEDS_Q = 1 << 2, NEEDS_NAME = 1 << 3, NEEDS_TEXT = 1 << 4 };

static unsigned needs_of(enum word word)
{
    switch (word) {
    case WORD_JOG:
        return NEEDS_JOINT | NEEDS_SPEED;
    case WORD_MOVE:
        return NEEDS_Q | NEEDS_SPEED;
    case WORD_TEACH:
    case WORD_OPEN:
    case WORD_DOWNLOAD:
        return NEEDS_NAME;
    case WORD_PROGRAM:
        return NEEDS_NAME | NEEDS_TEXT;
    default:
        return 0;
    }
}

struct reading {
    struct json_document json;
    const struct cell *cell;
    struct arena *arena;
    char *why;
};

__attribute__((format(printf, 2, 3))) static bool wrong(struct reading *reading, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    size_t used = (size_t)snprintf(reading->why, MOST_WHY, "format: ");
    (void)vsnprintf(reading->why + used, MOST_WHY - used, format, list);
    va_end(list);
    return false;
}

static bool read_number(struct reading *reading, const char *key, double *number)
{
    const uint32_t value = json_member(&reading->json, 0, key);
    *number = json_to_number(&reading->json, value);
    return (json_is(&reading->json, value, JSON_NUMBER) && isfinite(*number)) ||
           wrong(reading, "\"%s\" is to be a number", key);
}

static bool read_text(struct reading *reading, const char *key, const char **text)
{
    const uint32_t value = json_member(&reading->json, 0, key);
    if (!json_is(&reading->json, value, JSON_STRING))
        return wrong(reading, "\"%s\" is to be a text", key);
    *text = json_string_text(&reading->json, reading->arena, value);
    return *text || wrong(reading, "out of memory");
}

static bool is_plain_name(const char *name)
{
    size_t size = 0;
    for (; name[size]; size++)
        if (!is_letter(name[size]) && !is_digit(name[size]) && !strchr("._-", name[size]))
            return false;
    return size > 0 && size <= MOST_PROGRAM_NAME;
}

/* A point is a variable of a program. */
static bool is_point_name(const char *name)
{
    return is_plain_name(name) && !is_digit(*name) && !strpbrk(name, ".-");
}

/* Reads values of the joints that are shown; the others keep theirs. */
static bool read_values(struct reading *reading, struct message *message)
{
    const struct cell *cell = reading->cell;
    const struct json_document *json = &reading->json;
    const uint32_t list = json_member(json, 0, "q");
    if (!json_is(json, list, JSON_ARRAY) || json_count(json, list) != cell->shown_count)
        return wrong(reading, "\"q\" is to be a list of %u numbers", (unsigned)cell->shown_count);
    double *q = arena_copy(reading->arena, cell->q, cell->joint_count, sizeof *q);
    if (!q)
        return wrong(reading, "out of memory");
    uint32_t value = json_first(json, list);
    for (uint32_t i = 0; i < cell->shown_count; i++, value = json_next(json, list, value)) {
        q[cell->shown[i]] = json_to_number(json, value);
        if (!json_is(json, value, JSON_NUMBER) || !isfinite(q[cell->shown[i]]))
            return wrong(reading, "\"q\" is to be a list of %u numbers", (unsigned)cell->shown_count);
    }
    message->q = q;
    return true;
}

static bool read_joint(struct reading *reading, struct message *message)
{
    const char *name = NULL;
    if (!read_text(reading, "joint", &name))
        return false;
    message->joint = cell_joint(reading->cell, name);
    return message->joint != CP_NONE || wrong(reading, "there is no joint \"%.100s\"", name);
}

static bool read_needs(struct reading *reading, struct message *message)
{
    const unsigned needs = needs_of(message->word);
    if ((needs & NEEDS_JOINT) && !read_joint(reading, message))
        return false;
    if ((needs & NEEDS_SPEED) && !read_number(reading, "speed", &message->speed))
        return false;
    if ((needs & NEEDS_Q) && !read_values(reading, message))
        return false;
    if ((needs & NEEDS_NAME) && !read_text(reading, "name", &message->name))
        return false;
    if ((needs & NEEDS_NAME) && !is_plain_name(message->name))
        return wrong(reading, "a name has at most %d letters, digits, \".\", \"_\" and \"-\"", MOST_PROGRAM_NAME);
    if (message->word == WORD_TEACH && !is_point_name(message->name))
        return wrong(reading, "a point has a name of letters, digits and \"_\", which begins with no digit");
    if ((needs & NEEDS_TEXT) && !read_text(reading, "text", &message->text))
        return false;
    message->text_size = message->text ? strlen(message->text) : 0;
    return true;
}

static bool read_message(struct reading *reading, struct message *message)
{
    double id = 0;
    const char *type = NULL;
    enum { DEEPEST = 8 };
    message->is_nonsense = true;
    if (json_parse(&reading->json, "message", DEEPEST, NULL) != CP_OK || !json_is(&reading->json, 0, JSON_OBJECT))
        return wrong(reading, "no JSON object");
    if (!read_text(reading, "type", &type))
        return false;
    if (!word_named(type, &message->word))
        return wrong(reading, "there is no type \"%.40s\"", type);
    message->is_nonsense = false;
    if (json_member(&reading->json, 0, "id") != JSON_NONE) {
        if (!read_number(reading, "id", &id))
            return false;
        if (!(id >= 1 && id <= 9007199254740991.0 && id == floor(id)))
            return wrong(reading, "\"id\" is to be a whole number from 1");
        message->id = (uint64_t)id;
    }
    return read_needs(reading, message);
}

bool message_read(const struct cell *cell, struct arena *arena, const char *text, size_t size, struct message *message,
                  char why[MOST_WHY])
{
    *message = (struct message){.joint = CP_NONE};
    struct reading reading = {.cell = cell, .arena = arena, .why = why};
    if (size > MOST_MESSAGE)
        return wrong(&reading, "longer than %d bytes", MOST_MESSAGE);
    reading.json = (struct json_document){.context = cell->context, .text = text, .size = (uint32_t)size};
    const bool good = read_message(&reading, message);
    json_free(&reading.json);
    return good;
}

/* ---- out ---- */

static cp_json begin(struct buffer *out, const char *type)
{
    cp_json json = {.out = out};
    cp_json_open(&json, NULL, '{');
    cp_json_text(&json, "type", type);
    return json;
}

void say_hello(struct buffer *out, const struct cell *cell, const struct client *client, const char *key,
               const char *controller)
{
    cp_json json = begin(out, "hello");
    cp_json_count(&json, "version", 1);
    cp_json_text(&json, "user", client->name);
    cp_json_text(&json, "role", role_name(client->role));
    cp_json_text(&json, "cell", key);
    cp_json_text(&json, "name", cp_scene_source(cell->scene)->file);
    cp_json_text(&json, "controller", controller);
    cp_json_open(&json, "joints", '[');
    for (uint32_t i = 0; i < cell->shown_count; i++)
        cp_json_text(&json, NULL, cell->joints[cell->shown[i]].id);
    cp_json_close(&json, ']');
    cp_json_close(&json, '}');
}

void say_state(struct buffer *out, const struct cell *cell, uint64_t n, double time)
{
    cp_json json = begin(out, "state");
    cp_json_count(&json, "n", n);
    cp_json_number(&json, "t", time);
    cp_json_open(&json, "q", '[');
    for (uint32_t i = 0; i < cell->shown_count; i++)
        cp_json_number(&json, NULL, cell->q[cell->shown[i]]);
    cp_json_close(&json, ']');
    bool any = false;
    for (uint32_t i = 1; i < cell->node_count; i++) {
        if (cell->hosts[i] == CP_NONE)
            continue;
        if (!any)
            cp_json_open(&json, "moved", '{');
        any = true;
        cp_json_numbers(&json, cell->nodes[i].id, cell->worlds[i].m, 12);
    }
    if (any)
        cp_json_close(&json, '}');
    cp_json_close(&json, '}');
}

void say_mode(struct buffer *out, const struct mode_facts *facts)
{
    const struct authority *authority = facts->authority;
    cp_json json = begin(out, "mode");
    cp_json_text(&json, "mode", mode_name(authority->mode));
    cp_json_text(&json, "by", authority->by);
    cp_json_text(&json, "lease", authority->name);
    cp_json_text(&json, "program", facts->program);
    cp_json_count(&json, "line", facts->line);
    cp_json_count(&json, "lines", facts->lines);
    cp_json_boolean(&json, "stopping", authority->stopping);
    if (facts->why && *facts->why)
        cp_json_text(&json, "why", facts->why);
    cp_json_close(&json, '}');
}

void say_near(struct buffer *out, const struct near_pair *pairs, uint32_t count)
{
    cp_json json = begin(out, "near");
    cp_json_open(&json, "pairs", '[');
    for (uint32_t i = 0; i < count; i++) {
        cp_json_open(&json, NULL, '[');
        cp_json_text(&json, NULL, pairs[i].first);
        cp_json_text(&json, NULL, pairs[i].second);
        cp_json_number(&json, NULL, pairs[i].distance);
        cp_json_close(&json, ']');
    }
    cp_json_close(&json, ']');
    cp_json_close(&json, '}');
}

void say_programs(struct buffer *out, const char *const *names, uint32_t count)
{
    cp_json json = begin(out, "programs");
    cp_json_open(&json, "names", '[');
    for (uint32_t i = 0; i < count; i++)
        cp_json_text(&json, NULL, names[i]);
    cp_json_close(&json, ']');
    cp_json_close(&json, '}');
}

void say_done(struct buffer *out, uint64_t id)
{
    cp_json json = begin(out, "done");
    cp_json_count_or_null(&json, "id", id);
    cp_json_close(&json, '}');
}

void say_text(struct buffer *out, uint64_t id, const char *name, const char *text)
{
    cp_json json = begin(out, "done");
    cp_json_count_or_null(&json, "id", id);
    cp_json_text(&json, "name", name);
    cp_json_text(&json, "text", text);
    cp_json_close(&json, '}');
}

void say_checked(struct buffer *out, const struct cell *cell, uint64_t id, const char *name,
                 const struct check_result *result)
{
    cp_json json = begin(out, "checked");
    cp_json_count_or_null(&json, "id", id);
    cp_json_text(&json, "name", name);
    cp_json_boolean(&json, "good", !*result->why);
    if (*result->why)
        cp_json_text(&json, "why", result->why);
    cp_json_open(&json, "errors", '[');
    for (uint32_t i = 0; i < result->error_count; i++) {
        cp_json_open(&json, NULL, '{');
        cp_json_count(&json, "line", result->errors[i].line);
        cp_json_count(&json, "column", result->errors[i].column);
        cp_json_text(&json, "text", result->errors[i].text);
        cp_json_close(&json, '}');
    }
    cp_json_close(&json, ']');
    cp_json_number(&json, "seconds", result->seconds);
    cp_json_open(&json, "path", '[');
    for (uint32_t i = 0; i < result->path_count; i++) {
        const double *q = result->path + (size_t)i * result->joint_count;
        cp_json_open(&json, NULL, '[');
        for (uint32_t k = 0; k < cell->shown_count; k++)
            cp_json_number(&json, NULL, q[cell->shown[k]]);
        cp_json_close(&json, ']');
    }
    cp_json_close(&json, ']');
    cp_json_close(&json, '}');
}

void say_refused(struct buffer *out, uint64_t id, const char *why, const cp_entry *errors, size_t count)
{
    cp_json json = begin(out, "refused");
    cp_json_count_or_null(&json, "id", id);
    cp_json_text(&json, "why", why);
    if (count > 0) {
        cp_json_open(&json, "errors", '[');
        for (size_t i = 0; i < count; i++) {
            if (errors[i].severity != CP_ERROR)
                continue;
            cp_json_open(&json, NULL, '{');
            cp_json_count(&json, "line", errors[i].line);
            cp_json_count(&json, "column", errors[i].column);
            cp_json_text(&json, "text", errors[i].text);
            cp_json_close(&json, '}');
        }
        cp_json_close(&json, ']');
    }
    cp_json_close(&json, '}');
}
