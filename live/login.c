/* The body of a login, as JSON. */
#include "sessions.h"

#include "cellpipe_json.h"

/* Returns the code of \uXXXX. */
static uint32_t read_code(const char *at)
{
    uint32_t code = 0;
    for (int i = 2; i < 6; i++)
        code = code << 4 | (uint32_t)hex_digit(at[i]);
    return code;
}

/* Tells whether a string's escapes all stand for characters: the reader of JSON replaces NUL and halves of surrogate
 * pairs, but no password is to be another one than was sent. */
static bool is_exact(const char *at)
{
    while (*++at != '"') {
        if (*at != '\\')
            continue;
        uint32_t code = at[1] == 'u' ? read_code(at) : 1;
        bool is_high = code >= 0xd800 && code < 0xdc00;
        if (code == 0 || (code >= 0xdc00 && code < 0xe000))
            return false;
        at += at[1] == 'u' ? 5 : 1;
        if (!is_high)
            continue;
        if (at[1] != '\\' || at[2] != 'u')
            return false;
        code = read_code(at + 1);
        if (code < 0xdc00 || code >= 0xe000)
            return false;
        at += 6;
    }
    return true;
}

static bool is_utf8(const char *text)
{
    size_t size = strlen(text), more;
    for (; size > 0; text += more, size -= more)
        if ((more = utf8_length(text, size)) == 0)
            return false;
    return true;
}

/* Copies a string into `room` bytes. */
static bool copy_string(const struct json_document *json, struct arena *arena, uint32_t value, char *out, size_t room)
{
    if (!json_is(json, value, JSON_STRING) || !is_exact(json->text + json->values[value].start))
        return false;
    char *text = json_string_text(json, arena, value);
    size_t size = text ? strlen(text) : 0;
    bool good = text && size < room && is_utf8(text);
    if (good)
        memcpy(out, text, size + 1);
    if (text)
        forget_secret(text, size);
    return good;
}

/* Finds the value of a member that stands there once. */
static uint32_t find_once(const struct json_document *json, const char *name)
{
    uint32_t found = JSON_NONE, count = 0;
    for (uint32_t key = json_first(json, 0); key != JSON_NONE; key = json_next(json, 0, key))
        if (json_string_equals(json, key, name)) {
            found = key + 1;
            count++;
        }
    return count == 1 ? found : JSON_NONE;
}

bool login_read(cp_context *context, const char *body, size_t size, struct login *login)
{
    *login = (struct login){.user = ""};
    if (size > MOST_LOGIN)
        return false;
    struct arena *arena = arena_new(context);
    struct json_document json = {.context = context, .text = body, .size = (uint32_t)size};
    bool good = arena && json_parse(&json, "", 8, NULL) == CP_OK && json_is(&json, 0, JSON_OBJECT) &&
                copy_string(&json, arena, find_once(&json, "user"), login->user, sizeof login->user) &&
                copy_string(&json, arena, find_once(&json, "password"), login->password, sizeof login->password);
    if (!good)
        forget_secret(login, sizeof *login);
    json_free(&json);
    arena_free(arena);
    return good;
}
