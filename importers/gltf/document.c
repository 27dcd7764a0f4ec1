/* Members of the JSON document with their types checked, and errors that name their place by a JSON pointer. */
#include "gltf.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- errors ---- */

/* Only the first of a million warnings have a place, as to find one takes as long as the value has siblings. */
enum { MESSAGE_SIZE = 512, WARNINGS_WITH_PLACE = 300 };

/* Returns "/meshes/0: text" in the reading's arena. */
static const char *at_pointer(struct gltf *gltf, uint32_t value, const char *text)
{
    struct buffer pointer = {.context = gltf->context};
    if (value != JSON_NONE)
        json_pointer(&gltf->json, value, &pointer);
    buffer_append(&pointer, "", 1);
    const char *whole = pointer.failed  ? NULL
                        : *pointer.data ? arena_print(gltf->arena, "%s: %s", pointer.data, text)
                                        : arena_print(gltf->arena, "%s", text);
    buffer_free(&pointer);
    return whole ? whole : "";
}

/* Notes the first error only; later ones often follow from it. */
static bool fail(struct gltf *gltf, cp_status status, uint32_t value, const char *code, const char *format,
                 va_list arguments)
{
    char text[MESSAGE_SIZE];
    (void)vsnprintf(text, sizeof text, format, arguments);
    if (gltf->status == CP_OK)
        gltf->status =
            report_error(gltf->context, status, code, IN_FILE(gltf->source->name), "%s", at_pointer(gltf, value, text));
    return false;
}

bool gltf_error(struct gltf *gltf, uint32_t value, const char *code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    bool result = fail(gltf, CP_INPUT, value, code, format, arguments);
    va_end(arguments);
    return result;
}

bool gltf_limit(struct gltf *gltf, uint32_t value, const char *code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    bool result = fail(gltf, CP_LIMIT, value, code, format, arguments);
    va_end(arguments);
    return result;
}

bool gltf_no_memory(struct gltf *gltf)
{
    if (gltf->status == CP_OK)
        gltf->status = CP_LIMIT;
    return false;
}

void gltf_warning(struct gltf *gltf, uint32_t value, const char *code, const char *format, ...)
{
    char text[MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    bool place = gltf->warnings++ < WARNINGS_WITH_PLACE;
    if (gltf->status == CP_OK)
        report_warning(gltf->context, code, IN_FILE(gltf->source->name), "%s",
                       at_pointer(gltf, place ? value : JSON_NONE, text));
}

void gltf_lenient(struct gltf *gltf, uint32_t value, const char *code, const char *text)
{
    if (gltf->settings->common.strict)
        gltf_error(gltf, value, code, "%s", text);
    else
        gltf_warning(gltf, value, code, "%s", text);
}

/* ---- members ---- */

static const char *const type_words[] = {"null",     "a boolean", "a boolean", "a number",
                                         "a string", "an array",  "an object"};

/* Returns the member if it is of the type; JSON_NONE if it is absent, or with an error if it is of another type. */
static uint32_t typed_member(struct gltf *gltf, uint32_t object, const char *key, enum json_type type)
{
    if (gltf->status != CP_OK)
        return JSON_NONE;
    uint32_t value = json_member(&gltf->json, object, key);
    if (value == JSON_NONE || json_is(&gltf->json, value, type))
        return value;
    gltf_error(gltf, value, "gltf-type", "%s, not %s", type_words[json_type_of(&gltf->json, value)], type_words[type]);
    return JSON_NONE;
}

uint32_t gltf_object(struct gltf *gltf, uint32_t object, const char *key)
{
    return typed_member(gltf, object, key, JSON_OBJECT);
}

uint32_t gltf_array(struct gltf *gltf, uint32_t object, const char *key)
{
    return typed_member(gltf, object, key, JSON_ARRAY);
}

static double finite_number(struct gltf *gltf, uint32_t value)
{
    double number = json_to_number(&gltf->json, value);
    if (isfinite(number))
        return number;
    gltf_error(gltf, value, "gltf-number", "too large a number");
    return 0;
}

double gltf_number(struct gltf *gltf, uint32_t object, const char *key, double fallback)
{
    uint32_t value = typed_member(gltf, object, key, JSON_NUMBER);
    return value == JSON_NONE ? fallback : finite_number(gltf, value);
}

/* Reads a whole number; up to 2^53 they are exact in JSON's doubles. */
static uint64_t whole_number(struct gltf *gltf, uint32_t value)
{
    double number = json_to_number(&gltf->json, value);
    if (number >= 0 && number <= 9007199254740992.0 && floor(number) == number)
        return (uint64_t)number;
    gltf_error(gltf, value, "gltf-number", "not a whole number from 0");
    return 0;
}

uint64_t gltf_integer(struct gltf *gltf, uint32_t object, const char *key, uint64_t fallback)
{
    uint32_t value = typed_member(gltf, object, key, JSON_NUMBER);
    return value == JSON_NONE ? fallback : whole_number(gltf, value);
}

uint32_t gltf_index(struct gltf *gltf, uint32_t object, const char *key, uint32_t count)
{
    uint32_t value = typed_member(gltf, object, key, JSON_NUMBER);
    if (value == JSON_NONE)
        return CP_NONE;
    uint64_t index = whole_number(gltf, value);
    if (gltf->status == CP_OK && index < count)
        return (uint32_t)index;
    gltf_error(gltf, value, "gltf-index", "index %llu of %lu", (unsigned long long)index, (unsigned long)count);
    return CP_NONE;
}

bool gltf_flag(struct gltf *gltf, uint32_t object, const char *key)
{
    if (gltf->status != CP_OK)
        return false;
    uint32_t value = json_member(&gltf->json, object, key);
    bool on = json_is(&gltf->json, value, JSON_TRUE);
    if (value != JSON_NONE && !on && !json_is(&gltf->json, value, JSON_FALSE))
        gltf_error(gltf, value, "gltf-type", "%s, not a boolean", type_words[json_type_of(&gltf->json, value)]);
    return on;
}

const char *gltf_text(struct gltf *gltf, uint32_t object, const char *key)
{
    uint32_t value = typed_member(gltf, object, key, JSON_STRING);
    if (value == JSON_NONE)
        return NULL;
    const char *text = json_string_text(&gltf->json, gltf->kept, value);
    if (!text)
        gltf_no_memory(gltf);
    return text;
}

uint32_t gltf_word(struct gltf *gltf, uint32_t object, const char *key, const char *const *words, uint32_t fallback)
{
    uint32_t value = typed_member(gltf, object, key, JSON_STRING);
    if (value == JSON_NONE)
        return fallback;
    for (uint32_t i = 0; words[i]; i++)
        if (json_string_equals(&gltf->json, value, words[i]))
            return i;
    uint32_t start = gltf->json.values[value].start, size = json_end(&gltf->json, value) - start;
    gltf_error(gltf, value, "gltf-word", "unknown word %.*s", (int)(size < 100 ? size : 100), gltf->json.text + start);
    return fallback;
}

/* ---- arrays ---- */

/* Reads exactly `count` numbers of an array, which exists. */
static bool read_numbers(struct gltf *gltf, uint32_t array, double *out)
{
    for (uint32_t at = json_first(&gltf->json, array); at != JSON_NONE && gltf->status == CP_OK;
         at = json_next(&gltf->json, array, at)) {
        if (json_is(&gltf->json, at, JSON_NUMBER))
            *out++ = finite_number(gltf, at);
        else
            gltf_error(gltf, at, "gltf-type", "%s, not a number", type_words[json_type_of(&gltf->json, at)]);
    }
    return gltf->status == CP_OK;
}

bool gltf_numbers(struct gltf *gltf, uint32_t object, const char *key, uint32_t count, double *out)
{
    uint32_t array = gltf_array(gltf, object, key), found = json_count(&gltf->json, array);
    if (array != JSON_NONE && found != count)
        gltf_error(gltf, array, "gltf-count", "%lu numbers, not %lu", (unsigned long)found, (unsigned long)count);
    return array != JSON_NONE && read_numbers(gltf, array, out);
}

const double *gltf_all_numbers(struct gltf *gltf, uint32_t array, uint32_t *count)
{
    *count = json_count(&gltf->json, array);
    double *numbers = gltf_scene_array(gltf, *count, sizeof *numbers);
    return numbers && read_numbers(gltf, array, numbers) ? numbers : NULL;
}

bool numbers_ascend(const double *numbers, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (!(numbers[i] > numbers[i - 1]))
            return false;
    return true;
}

struct gltf_list gltf_items(struct gltf *gltf, uint32_t object, const char *key, bool objects)
{
    struct gltf_list none = {NULL, 0};
    uint32_t array = gltf_array(gltf, object, key);
    uint32_t count = json_count(&gltf->json, array), i = 0;
    uint32_t *items = gltf_allocate(gltf, count, sizeof *items);
    if (!items)
        return none;
    for (uint32_t at = json_first(&gltf->json, array); at != JSON_NONE; at = json_next(&gltf->json, array, at)) {
        if (objects && !json_is(&gltf->json, at, JSON_OBJECT)) {
            gltf_error(gltf, at, "gltf-type", "%s, not an object", type_words[json_type_of(&gltf->json, at)]);
            return none;
        }
        items[i++] = at;
    }
    return (struct gltf_list){items, count};
}

/* ---- extensions and extras ---- */

uint32_t gltf_extension(struct gltf *gltf, uint32_t object, const char *name)
{
    return gltf_object(gltf, gltf_object(gltf, object, "extensions"), name);
}

uint32_t gltf_own(struct gltf *gltf, uint32_t object)
{
    uint32_t own = json_member(&gltf->json, json_member(&gltf->json, object, "extras"), "cellpipe");
    return json_is(&gltf->json, own, JSON_OBJECT) ? own : JSON_NONE;
}

bool gltf_made(struct gltf *gltf, uint32_t own, const char *word)
{
    uint32_t made = json_member(&gltf->json, own, "made");
    return made != JSON_NONE && json_string_equals(&gltf->json, made, word);
}

/* ---- names ---- */

/* Tells whether `worn` is what another tool made of the name `whole`: three.js leaves out blanks, brackets, dots,
 * colons and slashes, and counts equal names, as Blender does. */
static bool is_worn_name(const char *worn, const char *whole)
{
    static const char dropped[] = " \t\n\r_[].:/";
    worn += strspn(worn, dropped);
    for (whole += strspn(whole, dropped); *whole; whole += 1 + strspn(whole + 1, dropped)) {
        if (*worn != *whole)
            return false;
        worn += 1 + strspn(worn + 1, dropped);
    }
    return worn[strspn(worn, "_.0123456789")] == '\0';
}

/* Returns the name in an object's extras if glTF's own may be a worn form of it. */
static const char *whole_name(struct gltf *gltf, uint32_t value, uint32_t place)
{
    const char *name = gltf_text(gltf, value, "name");
    if (!json_is(&gltf->json, json_member(&gltf->json, place, "name"), JSON_STRING))
        return name;
    const char *whole = gltf_text(gltf, place, "name");
    return whole && is_worn_name(name ? name : "", whole) ? whole : name;
}

/* Names in delivered files are unique, and other tools change them. So our extras have the names of joints, too, and
 * those of nodes if they were changed; three.js keeps its own in the extras. */
const char *gltf_node_name(struct gltf *gltf, const struct gltf_node *node)
{
    const struct json_document *json = &gltf->json;
    uint32_t place = node->moves ? json_member(json, node->own, "joint") : node->own;
    if (!node->moves && json_member(json, node->own, "name") == JSON_NONE && node->own != JSON_NONE)
        place = json_member(json, node->value, "extras");
    return whole_name(gltf, node->value, place);
}

const char *gltf_mesh_name(struct gltf *gltf, uint32_t mesh)
{
    return whole_name(gltf, mesh, gltf_own(gltf, mesh));
}

/* Keeps the buffer's text, if any, as metadata; empties the buffer. */
static void keep_text(struct gltf *gltf, cp_scene *scene, struct buffer *buffer, cp_owner owner, uint32_t index,
                      const char *key)
{
    bool any = buffer->size > 0;
    buffer_append(buffer, "", 1);
    if (buffer->failed || (any && !scene_add_metadata(scene, owner, index, key, CP_VALUE_JSON, buffer->data)))
        gltf_no_memory(gltf);
    buffer_free(buffer);
}

/* Leaves out the object's members that gltf_node_name and the readers of our extras take. */
void gltf_keep_extras(struct gltf *gltf, cp_scene *scene, uint32_t object, cp_owner owner, uint32_t index,
                      const char *key)
{
    const struct json_document *json = &gltf->json;
    uint32_t extras = json_member(json, object, "extras");
    if (extras == JSON_NONE || gltf->status != CP_OK)
        return;
    struct buffer buffer = {.context = gltf->context};
    bool named = gltf_own(gltf, object) != JSON_NONE && (owner == CP_OWNER_NODE || owner == CP_OWNER_JOINT);
    bool whole = !json_is(json, extras, JSON_OBJECT);
    if (whole)
        json_compact(json, extras, &buffer);
    for (uint32_t at = whole ? JSON_NONE : json_first(json, extras); at != JSON_NONE;
         at = json_next(json, extras, at)) {
        if (json_string_equals(json, at, "cellpipe") ? json_is(json, at + 1, JSON_OBJECT)
                                                     : named && json_string_equals(json, at, "name"))
            continue;
        buffer_text(&buffer, buffer.size == 0 ? "{" : ",");
        json_compact(json, at, &buffer);
        buffer_text(&buffer, ":");
        json_compact(json, at + 1, &buffer);
    }
    if (!whole && buffer.size > 0)
        buffer_text(&buffer, "}");
    keep_text(gltf, scene, &buffer, owner, index, key);
}

void gltf_keep_json(struct gltf *gltf, cp_scene *scene, uint32_t value, cp_owner owner, uint32_t index, const char *key)
{
    if (value == JSON_NONE || gltf->status != CP_OK)
        return;
    struct buffer buffer = {.context = gltf->context};
    json_compact(&gltf->json, value, &buffer);
    keep_text(gltf, scene, &buffer, owner, index, key);
}

/* ---- memory ---- */

void *gltf_allocate(struct gltf *gltf, size_t count, size_t size)
{
    void *items = gltf->status == CP_OK ? arena_allocate(gltf->arena, count, size) : NULL;
    if (items)
        memset(items, 0, count * size);
    else
        gltf_no_memory(gltf);
    return items;
}

void *gltf_scene_array(struct gltf *gltf, size_t count, size_t size)
{
    void *items = gltf->status == CP_OK ? arena_allocate(gltf->kept, count, size) : NULL;
    if (!items)
        gltf_no_memory(gltf);
    return items;
}

/* The items that a file may make for each of its bytes. A strip makes three corners of a byte, and tiles share their
 * indices. Small files are free. Unpacked data have at least two bytes for each corner and four for each vertex. */
enum { ITEMS_A_BYTE = 8, ITEMS_OF_ANY_FILE = 1 << 20 };

bool gltf_take_room(struct gltf *gltf, uint32_t value, uint64_t count)
{
    uint64_t most = gltf->room.bytes * ITEMS_A_BYTE + gltf->room.unpacked / 2 + ITEMS_OF_ANY_FILE;
    if (gltf->status != CP_OK)
        return false;
    if (count > gltf->room.left)
        return gltf_limit(gltf, value, "gltf-vertices", "more vertices and corners than the limit (--limit vertices=)");
    if (count > most - gltf->room.taken)
        return gltf_limit(gltf, value, "gltf-reuse",
                          "%llu bytes are named so often that they come to %llu vertices and corners",
                          (unsigned long long)gltf->room.bytes, (unsigned long long)(gltf->room.taken + count));
    gltf->room.left -= count;
    gltf->room.taken += count;
    return true;
}

const uint32_t *gltf_arrange(struct gltf *gltf, const void *items, size_t offset, size_t size, uint32_t count)
{
    bool *placed = gltf_allocate(gltf, count, sizeof *placed);
    uint32_t *sequence = gltf_allocate(gltf, count, sizeof *sequence), gap = 0;
    if (!sequence)
        return NULL;
    memset(sequence, 0xff, count * sizeof *sequence);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t position;
        memcpy(&position, (const char *)items + i * size + offset, sizeof position);
        if (position < count && sequence[position] == CP_NONE) {
            sequence[position] = i;
            placed[i] = true;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        if (placed[i])
            continue;
        while (sequence[gap] != CP_NONE)
            gap++;
        sequence[gap] = i;
    }
    return sequence;
}
