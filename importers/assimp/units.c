/* Units that assimp does not hand on: the attribute `unit` of 3MF's <model> and AMF's <amf>. A 3MF file is a ZIP archive
 * (APPNOTE 6.3.3: end record, central directory, local headers), an AMF file may be one.
 *
 * 3MF core specification 3.3: micron, millimeter (default), centimeter, inch, foot, meter.
 * AMF, ISO/ASTM 52915: millimeter (default), inch, feet, meter, micron. */
#include "assimp.h"

#ifdef HAVE_ASSIMP

#include <string.h>

enum { HEAD_SIZE = 1 << 16, END_RECORD = 22, DIRECTORY_RECORD = 46, LOCAL_HEADER = 30, DEFLATED = 8 };

static uint32_t number_at(const char *bytes, int size)
{
    uint32_t number = 0;
    while (size-- > 0)
        number = number << 8 | (unsigned char)bytes[size];
    return number;
}

/* ---- the archive ---- */

struct entry {
    const char *data; /* packed */
    size_t size;
    bool deflated;
};

static const char *find_end_record(const char *data, size_t size)
{
    size_t least = size > END_RECORD + 65535 ? size - END_RECORD - 65535 : 0;
    for (size_t at = size < END_RECORD ? 0 : size - END_RECORD + 1; at-- > least;)
        if (memcmp(data + at, "PK\5\6", 4) == 0)
            return data + at;
    return NULL;
}

static bool is_model(const char *name, size_t size)
{
    return (size >= 6 && memcmp(name + size - 6, ".model", 6) == 0) ||
           (size >= 4 && memcmp(name + size - 4, ".amf", 4) == 0);
}

static bool open_entry(const struct source *source, const char *record, struct entry *entry)
{
    size_t offset = number_at(record + 42, 4);
    if (source->size < LOCAL_HEADER || offset > source->size - LOCAL_HEADER)
        return false;
    const char *local = source->data + offset;
    size_t left = source->size - offset;
    size_t head = LOCAL_HEADER + (size_t)number_at(local + 26, 2) + number_at(local + 28, 2);
    size_t size = number_at(record + 20, 4);
    if (head > left)
        return false;
    *entry =
        (struct entry){local + head, size < left - head ? size : left - head, number_at(record + 10, 2) == DEFLATED};
    return true;
}

/* The first model of the archive; that of the standard's name "3D/3dmodel.model" goes before others. */
static bool find_model(const struct source *source, struct entry *entry)
{
    const char *end = source->size ? find_end_record(source->data, source->size) : NULL;
    size_t offset = end ? number_at(end + 16, 4) : 0;
    bool found = false;
    if (!end || offset > (size_t)(end - source->data))
        return false;
    for (const char *at = source->data + offset; end - at >= DIRECTORY_RECORD && !memcmp(at, "PK\1\2", 4);) {
        size_t name = number_at(at + 28, 2);
        size_t size = DIRECTORY_RECORD + name + number_at(at + 30, 2) + number_at(at + 32, 2);
        if (size > (size_t)(end - at))
            return found;
        bool standard = name == 16 && !memcmp(at + DIRECTORY_RECORD, "3D/3dmodel.model", 16);
        if (standard || (!found && is_model(at + DIRECTORY_RECORD, name)))
            found = open_entry(source, at, entry) || found;
        if (standard)
            return found;
        at += size;
    }
    return found;
}

/* The beginning of the model's text, in room for HEAD_SIZE bytes; its size. */
static size_t read_head(const struct source *source, char *head)
{
    struct entry entry = {source->data, source->size, false};
    if (source->size >= 2 && !memcmp(source->data, "PK", 2) && !find_model(source, &entry))
        return 0;
    if (entry.deflated)
        return source_inflate_start(source, entry.data, entry.size, head, HEAD_SIZE);
    size_t size = entry.size < HEAD_SIZE ? entry.size : HEAD_SIZE;
    memcpy(head, entry.data, size);
    return size;
}

/* ---- the text ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* After the name of the tag that holds the unit, or NULL. */
static const char *find_tag(const char *text, const char *end)
{
    static const char *const tags[] = {"<model", "<amf"};
    for (; (text = memchr(text, '<', (size_t)(end - text))) != NULL; text++)
        for (int i = 0; i < 2; i++) {
            size_t size = strlen(tags[i]);
            if ((size_t)(end - text) > size && !memcmp(text, tags[i], size) && is_blank(text[size]))
                return text + size;
        }
    return NULL;
}

/* The value of the attribute `unit` in the tag, *size bytes; NULL when it has none. */
static const char *find_unit(const char *at, const char *end, size_t *size)
{
    for (; at < end && *at != '>'; at++) {
        if (!is_blank(*at) || end - at < 6 || memcmp(at + 1, "unit", 4) != 0)
            continue;
        const char *value = at + 5;
        while (value < end && (is_blank(*value) || *value == '='))
            value++;
        const char *close = value < end ? memchr(value + 1, *value, (size_t)(end - value) - 1) : NULL;
        if (!close || (*value != '"' && *value != '\''))
            return NULL;
        *size = (size_t)(close - value) - 1;
        return value + 1;
    }
    return NULL;
}

static cp_status set_unit(struct assimp_import *import, const char *word, size_t size, double *unit)
{
    static const struct {
        const char *name;
        double metres;
    } units[] = {{"micron", 1e-6}, {"millimeter", 0.001}, {"centimeter", 0.01}, {"inch", 0.0254},
                 {"foot", 0.3048}, {"feet", 0.3048},      {"meter", 1}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strlen(units[i].name) == size && !memcmp(units[i].name, word, size)) {
            *unit = units[i].metres;
            return CP_OK;
        }
    const char *shown = utf8_from(import->scene->arena, word, size < 40 ? size : 40, NULL);
    if (!shown)
        return CP_LIMIT;
    return report_lenient(import->context, import->settings->common.strict, "assimp-unit", IN_FILE(import->file),
                          "the unit \"%s\" is not known; millimetres are taken", shown);
}

cp_status find_unit_in_file(struct assimp_import *import, double *unit)
{
    char *head = memory_allocate(import->context, HEAD_SIZE, 1);
    if (!head)
        return CP_LIMIT;
    size_t head_size = read_head(import->source, head), size = 0;
    const char *tag = find_tag(head, head + head_size);
    const char *word = tag ? find_unit(tag, head + head_size, &size) : NULL;
    cp_status status = word ? set_unit(import, word, size, unit) : CP_OK;
    memory_free(import->context, head, HEAD_SIZE, 1);
    return status;
}

#endif
