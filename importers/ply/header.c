/* The header: lines of words from "ply" to "end_header".
 *
 *     format ascii|binary_little_endian|binary_big_endian 1.0
 *     comment ... | obj_info ...
 *     element NAME COUNT
 *     property TYPE NAME | property list TYPE TYPE NAME
 *
 * Lines end in LF, CR LF or CR; which of them, the first line says, since the first byte of data may look like an LF.
 */
#include "ply.h"

struct header {
    struct ply *ply;
    const char *at, *end; /* the words of the line that are left */
    uint64_t line;
};

static cp_status fail(const struct header *header, const char *why)
{
    const struct face_reader *faces = &header->ply->faces;
    return report_error(faces->context, CP_INPUT, "ply-header", AT_LINE(faces->source->name, header->line), "%s", why);
}

static struct ply_word next_word(struct header *header)
{
    while (header->at < header->end && is_space(*header->at))
        header->at++;
    struct ply_word word = {header->at, 0};
    while (header->at < header->end && !is_space(*header->at))
        header->at++;
    word.size = (size_t)(header->at - word.text);
    return word;
}

static bool word_is(struct ply_word word, const char *text)
{
    return word.size == strlen(text) && memcmp(word.text, text, word.size) == 0;
}

static enum ply_type find_type(struct ply_word word)
{
    static const char *const names[][2] = {{"char", "int8"},     {"uchar", "uint8"},   {"short", "int16"},
                                           {"ushort", "uint16"}, {"int", "int32"},     {"uint", "uint32"},
                                           {"float", "float32"}, {"double", "float64"}};
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++)
        if (word_is(word, names[i][0]) || word_is(word, names[i][1]))
            return (enum ply_type)(i + 1);
    return PLY_NO_TYPE;
}

/* ---- the lines ---- */

static cp_status read_format(struct header *header)
{
    struct ply *ply = header->ply;
    struct ply_word word = next_word(header);
    if (ply->form != PLY_NO_FORM)
        return fail(header, "a second format");
    ply->form = word_is(word, "ascii")                  ? PLY_ASCII
                : word_is(word, "binary_little_endian") ? PLY_LITTLE_ENDIAN
                : word_is(word, "binary_big_endian")    ? PLY_BIG_ENDIAN
                                                        : PLY_NO_FORM;
    if (ply->form == PLY_NO_FORM)
        return fail(header, "the format is neither ascii nor binary_little_endian nor binary_big_endian");
    if (!word_is(next_word(header), "1.0"))
        return report_lenient(ply->faces.context, ply->strict, "ply-version",
                              AT_LINE(ply->faces.source->name, header->line), "the format's version is not 1.0");
    return CP_OK;
}

static cp_status read_element(struct header *header)
{
    struct ply *ply = header->ply;
    struct ply_word name = next_word(header), number = next_word(header);
    uint64_t count = 0;
    size_t digits = 0;
    for (; digits < number.size && is_digit(number.text[digits]); digits++)
        if (count <= UINT32_MAX)
            count = 10 * count + (uint64_t)(number.text[digits] - '0');
    if (digits == 0 || digits < number.size)
        return fail(header, "an element without a count");
    if (count >= CP_NONE)
        return fail(header, "an element of more than 4294967294 rows");
    if (ply->element_count == PLY_MOST_ELEMENTS)
        return fail(header, "more kinds of elements than 32");
    ply->elements[ply->element_count++] = (struct ply_element){
        .name = name, .count = (uint32_t)count, .properties = ply->properties + ply->property_count};
    return CP_OK;
}

static cp_status read_property(struct header *header)
{
    struct ply *ply = header->ply;
    struct ply_property property = {0};
    struct ply_word type = next_word(header);
    if (ply->element_count == 0)
        return fail(header, "a property before the first element");
    if (ply->property_count == PLY_MOST_PROPERTIES)
        return fail(header, "more properties than 256");
    bool list = word_is(type, "list");
    if (list) {
        property.length = find_type(next_word(header));
        type = next_word(header);
    }
    property.type = find_type(type);
    property.name = next_word(header);
    if (!property.type || (list && !property.length))
        return fail(header, "a property of unknown type");
    if (list && property.length >= PLY_FLOAT)
        return fail(header, "a list whose length is no integer");
    ply->properties[ply->property_count++] = property;
    ply->elements[ply->element_count - 1].property_count++;
    return CP_OK;
}

static void take_comment(struct header *header, bool comment)
{
    struct ply *ply = header->ply;
    while (header->at < header->end && is_space(*header->at))
        header->at++;
    struct ply_word text = {header->at, (size_t)(header->end - header->at)};
    ply->textures += comment && word_is(next_word(header), "TextureFile");
    if (text.size > 0 && ply->comments++ == 0)
        ply->comment = text;
}

static cp_status read_line(struct header *header, bool *done)
{
    struct ply *ply = header->ply;
    struct ply_word key = next_word(header);
    if (word_is(key, "element"))
        return read_element(header);
    if (word_is(key, "property"))
        return read_property(header);
    if (word_is(key, "format"))
        return read_format(header);
    *done = word_is(key, "end_header");
    if (word_is(key, "comment") || word_is(key, "obj_info"))
        take_comment(header, word_is(key, "comment"));
    else if (!*done && key.size > 0)
        return report_lenient(ply->faces.context, ply->strict, "ply-keyword",
                              AT_LINE(ply->faces.source->name, header->line), "the unknown word \"%s\" is skipped",
                              faces_find_word(key.text, key.text + key.size).text);
    return CP_OK;
}

/* ---- what the properties mean ---- */

static enum ply_role find_role(struct ply_word name, enum ply_kind kind)
{
    static const struct {
        const char *name;
        enum ply_role role;
    } roles[] = {{"x", PLY_X},
                 {"y", PLY_Y},
                 {"z", PLY_Z},
                 {"nx", PLY_NX},
                 {"ny", PLY_NY},
                 {"nz", PLY_NZ},
                 {"red", PLY_RED},
                 {"green", PLY_GREEN},
                 {"blue", PLY_BLUE},
                 {"alpha", PLY_ALPHA},
                 {"r", PLY_RED},
                 {"g", PLY_GREEN},
                 {"b", PLY_BLUE},
                 {"a", PLY_ALPHA},
                 {"diffuse_red", PLY_RED},
                 {"diffuse_green", PLY_GREEN},
                 {"diffuse_blue", PLY_BLUE},
                 {"diffuse_alpha", PLY_ALPHA}};
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
        if ((kind == PLY_VERTICES || roles[i].role >= PLY_RED) && word_is(name, roles[i].name))
            return roles[i].role;
    return PLY_OTHER;
}

/* Drops three roles that only have a meaning together, if one of them is missing. */
static void need_three(struct ply_element *element, enum ply_role first, enum ply_role last)
{
    if (element->types[first] && element->types[first + 1] && element->types[first + 2])
        return;
    for (uint32_t i = 0; i < element->property_count; i++)
        if (element->properties[i].role >= first && element->properties[i].role <= last)
            element->properties[i].role = PLY_OTHER;
    for (enum ply_role role = first; role <= last; role++)
        element->types[role] = PLY_NO_TYPE;
}

static void find_roles(struct ply_element *element, bool colours)
{
    for (uint32_t i = 0; i < element->property_count; i++) {
        struct ply_property *property = &element->properties[i];
        bool indices = word_is(property->name, "vertex_indices") || word_is(property->name, "vertex_index");
        enum ply_role role = PLY_OTHER;
        if (property->length)
            role = indices && element->kind != PLY_VERTICES ? PLY_INDICES : PLY_OTHER;
        else if (element->kind != PLY_STRIPS)
            role = find_role(property->name, element->kind);
        if (element->types[role] || (role >= PLY_RED && role <= PLY_ALPHA && !colours))
            role = PLY_OTHER; /* the first of two holds */
        property->role = role;
        if (role != PLY_OTHER)
            element->types[role] = property->type;
    }
    need_three(element, PLY_X, PLY_Z);
    need_three(element, PLY_NX, PLY_NZ);
    need_three(element, PLY_RED, PLY_ALPHA);
}

/* Settles the meaning of each element. Colours of faces count if vertices have none. */
static cp_status settle_elements(struct header *header)
{
    struct ply *ply = header->ply;
    struct ply_element *vertices = NULL;
    for (uint32_t i = 0; i < ply->element_count && !vertices; i++)
        if (word_is(ply->elements[i].name, "vertex"))
            vertices = &ply->elements[i];
    if (!vertices)
        return fail(header, "no element \"vertex\"");
    vertices->kind = PLY_VERTICES;
    find_roles(vertices, true);
    if (!vertices->types[PLY_X])
        return fail(header, "vertices without x, y and z");
    for (uint32_t i = 0; i < ply->element_count; i++) {
        struct ply_element *element = &ply->elements[i];
        if (word_is(element->name, "face"))
            element->kind = PLY_FACES;
        else if (word_is(element->name, "tristrips"))
            element->kind = PLY_STRIPS;
        if (element->kind != PLY_FACES && element->kind != PLY_STRIPS)
            continue;
        find_roles(element, !vertices->types[PLY_RED]);
        if (!element->types[PLY_INDICES] && element->count > 0)
            return fail(header, "faces without a list \"vertex_indices\" or \"vertex_index\"");
    }
    return CP_OK;
}

cp_status ply_read_header(struct ply *ply)
{
    struct header header = {.ply = ply, .line = 1};
    const struct source *source = ply->faces.source;
    const char *start = source->data;
    bool lone_cr = source->size > 4 && start[3] == '\r' && start[4] != '\n', done = false;
    if (source->size < 4 || (memcmp(start, "ply", 3) != 0 && memcmp(start, "PLY", 3) != 0) || !is_space(start[3]))
        return fail(&header, "a PLY file begins with a line \"ply\"");
    cp_status status = CP_OK;
    for (const char *at = start; status == CP_OK && !done; header.line++) {
        const char *end = at;
        while (end < ply->end && *end != (lone_cr ? '\r' : '\n'))
            end++;
        if (end == ply->end)
            return report_error(ply->faces.context, CP_INPUT, "ply-truncated", AT_LINE(source->name, header.line),
                                "the file ends in its header");
        header.at = at == start ? at + 3 : at;
        header.end = end > header.at && end[-1] == '\r' ? end - 1 : end;
        status = read_line(&header, &done);
        at = ply->at = end + 1;
    }
    header.line--;
    if (status == CP_OK && ply->form == PLY_NO_FORM)
        status = fail(&header, "no line \"format\"");
    return status == CP_OK ? settle_elements(&header) : status;
}
