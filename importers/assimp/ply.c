/* Whether a PLY file holds what its header declares, and what of that assimp passes over without a word. assimp's
 * reader does not look: it repeats the last line of a file that is cut off, and never returns from a header without
 * end.
 *
 * PLY 1.0 (Greg Turk, "The PLY Polygon File Format"): a header of lines, then for each element its properties, a list
 * as its length and its values; blanks between numbers (ascii) or nothing (binary). */
#include "assimp.h"

#ifdef HAVE_ASSIMP

#include <string.h>

enum { MOST_ELEMENTS = 32, MOST_PROPERTIES = 256 };

struct word {
    const char *text;
    size_t size;
};
struct property {
    struct word name;
    unsigned length_size; /* bytes of a list's length; 0: no list */
    unsigned value_size;
};
struct element {
    struct word name;
    uint64_t count;
    unsigned first_property, property_count;
};
struct ply {
    const struct source *source;
    const char *at, *end;
    bool ascii, big_endian;
    struct element elements[MOST_ELEMENTS];
    struct property properties[MOST_PROPERTIES];
    unsigned element_count, property_count;
};

static cp_status cut_off(const struct ply *ply, const char *where)
{
    return report_error(ply->source->context, CP_INPUT, "assimp-truncated",
                        AT_LINE(ply->source->name, source_line(ply->source, (size_t)(ply->at - ply->source->data))),
                        "the file ends in its %s", where);
}

static cp_status bad_header(const struct ply *ply, const char *why)
{
    return report_error(ply->source->context, CP_INPUT, "assimp-ply-header",
                        AT_LINE(ply->source->name, source_line(ply->source, (size_t)(ply->at - ply->source->data))),
                        "%s", why);
}

/* ---- the header ---- */

/* The next word of [*at, end); an empty one at the end. */
static struct word next_word(const char **at, const char *end)
{
    while (*at < end && is_blank(**at))
        (*at)++;
    struct word word = {*at, 0};
    while (*at < end && !is_blank(**at))
        (*at)++;
    word.size = (size_t)(*at - word.text);
    return word;
}

static bool word_is(struct word word, const char *text)
{
    return word.size == strlen(text) && memcmp(word.text, text, word.size) == 0;
}

/* Bytes of a value of the type, 0 for an unknown one. */
static unsigned type_size(struct word type)
{
    static const struct {
        const char *name;
        unsigned size;
    } types[] = {{"char", 1},   {"int8", 1},    {"uchar", 1},  {"uint8", 1},  {"short", 2}, {"int16", 2},
                 {"ushort", 2}, {"uint16", 2},  {"int", 4},    {"int32", 4},  {"uint", 4},  {"uint32", 4},
                 {"float", 4},  {"float32", 4}, {"double", 8}, {"float64", 8}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (word_is(type, types[i].name))
            return types[i].size;
    return 0;
}

static cp_status read_element(struct ply *ply, const char *at, const char *end)
{
    double count;
    struct word name = next_word(&at, end);
    struct word number = next_word(&at, end);
    if (ply->element_count == MOST_ELEMENTS)
        return bad_header(ply, "more kinds of elements than 32");
    if (parse_double(number.text, number.text + number.size, &count) != number.text + number.size ||
        !(count >= 0 && count <= (double)UINT32_MAX))
        return bad_header(ply, "an element without a count");
    ply->elements[ply->element_count++] = (struct element){name, (uint64_t)count, ply->property_count, 0};
    return CP_OK;
}

static cp_status read_property(struct ply *ply, const char *at, const char *end)
{
    struct property property = {0};
    struct word type = next_word(&at, end);
    if (!ply->element_count)
        return bad_header(ply, "a property before the first element");
    if (ply->property_count == MOST_PROPERTIES)
        return bad_header(ply, "more properties than 256");
    bool list = word_is(type, "list");
    if (list) {
        property.length_size = type_size(next_word(&at, end));
        type = next_word(&at, end);
    }
    property.value_size = type_size(type);
    if (!property.value_size || (list && !property.length_size))
        return bad_header(ply, "a property of unknown type");
    property.name = next_word(&at, end);
    ply->properties[ply->property_count++] = property;
    ply->elements[ply->element_count - 1].property_count++;
    return CP_OK;
}

/* Leaves ply->at at the first byte after the header. */
static cp_status read_header(struct ply *ply)
{
    for (;;) {
        const char *end = ply->at, *at = ply->at;
        while (end < ply->end && *end != '\n' && *end != '\r')
            end++;
        if (end == ply->end)
            return cut_off(ply, "header");
        struct word key = next_word(&at, end);
        bool done = word_is(key, "end_header");
        cp_status status = CP_OK;
        if (word_is(key, "element")) {
            status = read_element(ply, at, end);
        } else if (word_is(key, "property")) {
            status = read_property(ply, at, end);
        } else if (word_is(key, "format")) {
            struct word format = next_word(&at, end);
            ply->ascii = word_is(format, "ascii");
            ply->big_endian = word_is(format, "binary_big_endian");
        }
        if (status != CP_OK)
            return status;
        ply->at = end + (*end == '\r' && end + 1 < ply->end && end[1] == '\n' ? 2 : 1);
        if (done)
            return CP_OK;
    }
}

/* ---- what is passed over ---- */

static bool is_among(struct word word, const char *words)
{
    for (size_t size; (size = strcspn(words, " ")) > 0; words += size + (words[size] == ' '))
        if (size == word.size && memcmp(words, word.text, size) == 0)
            return true;
    return false;
}

/* Values of elements that assimp's reader passes over. */
static void report_ply_losses(const struct ply *ply)
{
    static const char vertex[] =
        "x y z nx ny nz red green blue alpha r g b diffuse_red diffuse_green diffuse_blue u v s t "
        "tx ty texture_u texture_v material_index";
    static const char face[] = "vertex_index vertex_indices texcoord material_index";
    cp_context *context = ply->source->context;
    struct place place = IN_FILE(ply->source->name);
    for (unsigned e = 0; e < ply->element_count; e++) {
        const struct element *element = &ply->elements[e];
        const char *taken = word_is(element->name, "vertex")      ? vertex
                            : word_is(element->name, "face")      ? face
                            : word_is(element->name, "tristrips") ? "vertex_index vertex_indices"
                                                                  : NULL;
        int size = (int)(element->name.size < 40 ? element->name.size : 40);
        if (!element->count || word_is(element->name, "material"))
            continue;
        if (!taken)
            report_loss(context, "assimp-ply", place, element->count, "elements \"%.*s\"", size, element->name.text);
        for (unsigned p = 0; taken && p < element->property_count; p++) {
            struct word name = ply->properties[element->first_property + p].name;
            if (!is_among(name, taken))
                report_loss(context, "assimp-ply", place, element->count, "values \"%.*s\" of elements \"%.*s\"",
                            (int)(name.size < 40 ? name.size : 40), name.text, size, element->name.text);
        }
    }
}

/* ---- the data ---- */

static bool read_length(struct ply *ply, unsigned size, uint64_t *length)
{
    *length = 0;
    if (ply->ascii) {
        double value = 0;
        struct word word = next_word(&ply->at, ply->end);
        (void)parse_double(word.text, word.text + word.size, &value);
        *length = value >= 0 && value <= (double)UINT32_MAX ? (uint64_t)value : 0;
        return word.size > 0;
    }
    if (size > (size_t)(ply->end - ply->at))
        return false;
    for (unsigned i = 0; i < size; i++)
        *length = *length << 8 | (unsigned char)ply->at[ply->big_endian ? i : size - 1 - i];
    ply->at += size;
    return true;
}

/* Passes over the values of one element; false at the end of the file. */
static bool skip_element(struct ply *ply, const struct element *element)
{
    for (unsigned i = 0; i < element->property_count; i++) {
        const struct property *property = &ply->properties[element->first_property + i];
        uint64_t count = 1;
        if (property->length_size && !read_length(ply, property->length_size, &count))
            return false;
        for (; ply->ascii && count; count--)
            if (!next_word(&ply->at, ply->end).size)
                return false;
        if (count > (uint64_t)(ply->end - ply->at) / property->value_size)
            return false;
        ply->at += count * property->value_size;
    }
    return true;
}

cp_status check_ply(const struct source *source)
{
    struct ply ply = {.source = source, .at = source->data, .end = source->data + source->size};
    if (source->size < 3 || (memcmp(source->data, "ply", 3) != 0 && memcmp(source->data, "PLY", 3) != 0))
        return CP_OK;
    cp_status status = read_header(&ply);
    if (status != CP_OK)
        return status;
    for (unsigned e = 0; e < ply.element_count; e++) {
        const struct element *element = &ply.elements[e];
        for (uint64_t i = 0; element->property_count && i < element->count; i++)
            if (!skip_element(&ply, element))
                return cut_off(&ply, "data: the header declares more");
    }
    report_ply_losses(&ply);
    return CP_OK;
}

#endif
