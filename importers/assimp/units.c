/* Units that assimp does not hand on: the attribute `unit` of 3MF's <model> and AMF's <amf>, either in a ZIP archive.
 *
 * 3MF core specification 3.3: micron, millimeter (default), centimeter, inch, foot, meter.
 * AMF, ISO/ASTM 52915: millimeter (default), inch, feet, meter, micron. */
#include "assimp.h"

#ifdef HAVE_ASSIMP

#include <string.h>

enum { HEAD_SIZE = 1 << 16 };

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
    struct packed model = {.data = import->source->data, .size = import->source->size};
    bool found = !is_archive(import->source) || find_model(import->source, &model);
    size_t head_size = found ? unpack_start(import->source, &model, head, HEAD_SIZE) : 0, size = 0;
    const char *tag = find_tag(head, head + head_size);
    const char *word = tag ? find_attribute(tag, head + head_size, "unit", &size) : NULL;
    cp_status status = word ? set_unit(import, word, size, unit) : CP_OK;
    memory_free(import->context, head, HEAD_SIZE, 1);
    return status;
}

#endif
