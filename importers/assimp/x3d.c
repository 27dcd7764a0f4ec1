/* X3D as assimp can read it. assimp 5.2.5 leaves out without a word, refuses the whole file for, or wrongly nests what
 * it does not know. So it is shown a text that holds only what it reads as the standard means it; all else is counted,
 * and told with the line of the first.
 *
 * ISO/IEC 19776-1 (XML encoding) and 19775-1 of X3D 3.3. What was seen of assimp 5.2.5, and is mended here:
 * - It leaves a group twice that is empty, and one that is a USE: what comes next lands in another group, or it
 * crashes. Groups get a comment, and a USE becomes a copy of what it means.
 * - Several of its readers fail on the quotes of lists of texts (Inline, ImageTexture, metadata).
 * - Lines of more than two points become polygons, and numbers with a comma and no blank between are passed over.
 * - Normals and colours of faces spread to all corners that share a vertex.
 * - It winds caps of cylinders and extrusions inwards: these become sets of faces (x3d_shapes.c).
 * - A light without a name gets an address in memory for one. */
#include "base/text/xml.h"

#include "assimp.h"
#include "base/text/text.h"

#ifdef HAVE_ASSIMP

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The kinds of contents of an element. */
enum content { NOTHING, DOCUMENT, HEAD, CHILDREN, SHAPE, APPEARANCE, GEOMETRY };

struct element {
    const char *name;
    enum content parent, holds;
    const char *shown; /* the name for assimp; NULL: the same */
    const char *lost;  /* the loss of an element that is read in part; NULL: it is read as a whole */
};

/* The elements that assimp reads as the standard means them, perhaps under another name. */
static const struct element elements[] = {
    {"X3D", NOTHING, DOCUMENT, NULL, NULL},
    {"head", DOCUMENT, HEAD, NULL, NULL},
    {"meta", HEAD, NOTHING, NULL, NULL},
    {"Scene", DOCUMENT, CHILDREN, NULL, NULL},
    {"Group", CHILDREN, CHILDREN, NULL, NULL},
    {"StaticGroup", CHILDREN, CHILDREN, NULL, NULL},
    {"Switch", CHILDREN, CHILDREN, NULL, NULL},
    {"Transform", CHILDREN, CHILDREN, NULL, NULL},
    {"CADAssembly", CHILDREN, CHILDREN, "Group", NULL},
    {"CADLayer", CHILDREN, CHILDREN, "Group", NULL},
    {"CADPart", CHILDREN, CHILDREN, "Transform", NULL},
    {"CADFace", CHILDREN, CHILDREN, "Group", NULL},
    {"Anchor", CHILDREN, CHILDREN, "Group", "what an <Anchor> links to"},
    {"Billboard", CHILDREN, CHILDREN, "Group", "that a <Billboard> turns to the viewer"},
    {"Collision", CHILDREN, CHILDREN, "Group", "whether a <Collision> is on"},
    {"LOD", CHILDREN, CHILDREN, "Switch", "levels of an <LOD> after the first"},
    {"Shape", CHILDREN, SHAPE, NULL, NULL},
    {"Appearance", SHAPE, APPEARANCE, NULL, NULL},
    {"Material", APPEARANCE, NOTHING, NULL, NULL},
    {"Arc2D", SHAPE, GEOMETRY, NULL, NULL},
    {"ArcClose2D", SHAPE, GEOMETRY, NULL, NULL},
    {"Circle2D", SHAPE, GEOMETRY, NULL, NULL},
    {"Disk2D", SHAPE, GEOMETRY, NULL, NULL},
    {"Polyline2D", SHAPE, GEOMETRY, NULL, NULL},
    {"Polypoint2D", SHAPE, GEOMETRY, NULL, NULL},
    {"Rectangle2D", SHAPE, GEOMETRY, NULL, NULL},
    {"TriangleSet2D", SHAPE, GEOMETRY, NULL, NULL},
    {"Box", SHAPE, GEOMETRY, NULL, NULL},
    {"Cone", SHAPE, GEOMETRY, "IndexedFaceSet", NULL},
    {"Cylinder", SHAPE, GEOMETRY, "IndexedFaceSet", NULL},
    {"Sphere", SHAPE, GEOMETRY, NULL, NULL},
    {"ElevationGrid", SHAPE, GEOMETRY, NULL, NULL},
    {"Extrusion", SHAPE, GEOMETRY, "IndexedFaceSet", NULL},
    {"IndexedFaceSet", SHAPE, GEOMETRY, NULL, NULL},
    {"IndexedLineSet", SHAPE, GEOMETRY, NULL, NULL},
    {"LineSet", SHAPE, GEOMETRY, "IndexedLineSet", NULL},
    {"PointSet", SHAPE, GEOMETRY, NULL, NULL},
    {"IndexedTriangleFanSet", SHAPE, GEOMETRY, NULL, NULL},
    {"IndexedTriangleSet", SHAPE, GEOMETRY, NULL, NULL},
    {"IndexedTriangleStripSet", SHAPE, GEOMETRY, NULL, NULL},
    {"TriangleFanSet", SHAPE, GEOMETRY, NULL, NULL},
    {"TriangleSet", SHAPE, GEOMETRY, NULL, NULL},
    {"Coordinate", GEOMETRY, NOTHING, NULL, NULL},
    {"Color", GEOMETRY, NOTHING, NULL, NULL},
    {"ColorRGBA", GEOMETRY, NOTHING, NULL, NULL},
    {"Normal", GEOMETRY, NOTHING, NULL, NULL},
    {"TextureCoordinate", GEOMETRY, NOTHING, NULL, NULL},
};

enum { DEEPEST = 256, MOST_LOSSES = 100, MOST_COPIED = 1 << 24 };

/* A named element (DEF) that is passed to assimp. */
struct definition {
    const struct element *element;
    size_t start, end; /* begin and end of its text; end 0: it is open */
};

struct unread {
    const char *words;
    uint64_t count, line; /* of the first */
};

struct x3d {
    cp_context *context;
    const struct source *source;
    struct arena *arena;
    struct xml xml;
    struct buffer *out;
    double unit;
    const struct element *open[DEEPEST + 1]; /* by depth */
    uint32_t opened[DEEPEST + 1];            /* their definitions, or CP_NONE */
    uint32_t skipped;                        /* the depth of the element that is passed over; 0: none */
    bool face_normals, face_colours;         /* set if those of the open geometry cannot be read */
    size_t copied;                           /* bytes, for USE */
    struct name_map names;                   /* DEF to definitions */
    struct definition *definitions;
    uint32_t definition_count, definition_room;
    struct name_map lost; /* words to losses */
    struct unread *losses;
    uint32_t loss_count, loss_room;
};

/* ---- what is lost ---- */

static cp_status count_loss(struct x3d *x3d, const char *format, ...) __attribute__((format(printf, 2, 3)));

static cp_status count_loss(struct x3d *x3d, const char *format, ...)
{
    char text[200];
    va_list list;
    va_start(list, format);
    (void)vsnprintf(text, sizeof text, format, list);
    va_end(list);
    const char *words = x3d->loss_count < MOST_LOSSES || name_map_find(&x3d->lost, text) ? text : "other elements";
    uint32_t *row = name_map_find(&x3d->lost, words);
    if (row) {
        x3d->losses[*row].count++;
        return CP_OK;
    }
    words = arena_copy_text(x3d->arena, words, strlen(words));
    if (!words ||
        !array_reserve(x3d->context, &x3d->losses, &x3d->loss_room, x3d->loss_count + UINT64_C(1), sizeof *x3d->losses))
        return CP_LIMIT;
    if (!name_map_add(&x3d->lost, words, x3d->loss_count, NULL))
        return CP_LIMIT;
    x3d->losses[x3d->loss_count++] = (struct unread){words, 1, x3d->xml.line};
    return CP_OK;
}

static cp_status x3d_error(struct x3d *x3d, const char *format, ...) __attribute__((format(printf, 2, 3)));

static cp_status x3d_error(struct x3d *x3d, const char *format, ...)
{
    char text[300];
    va_list list;
    va_start(list, format);
    (void)vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return report_error(x3d->context, CP_INPUT, "assimp-x3d", AT_LINE(x3d->source->name, x3d->xml.line), "%s", text);
}

/* Skips the element that has just started. */
static cp_status skip_element(struct x3d *x3d)
{
    x3d->skipped = x3d->xml.depth;
    return count_loss(x3d, "the element <%.100s>", x3d->xml.name);
}

/* ---- what assimp is shown ---- */

/* Writes a value as XML; commas, which are white space between numbers, as blanks. */
static void write_value(struct x3d *x3d, const char *value, bool numbers)
{
    static const char special[] = "&<\"\t\n\r,";
    static const char *const written[] = {"&amp;", "&lt;", "&quot;", " ", " ", " "};
    while (*value) {
        size_t plain = strcspn(value, special);
        buffer_append(x3d->out, value, plain);
        value += plain;
        if (!*value)
            return;
        size_t which = (size_t)(strchr(special, *value) - special);
        buffer_text(x3d->out, *value != ',' ? written[which] : numbers ? " " : ",");
        value++;
    }
}

/* Writes segments of two points each from "0 1 2 -1", or from the numbers of points of each line, which follow one
 * another. */
static cp_status write_segments(struct x3d *x3d, const char *text, bool counts)
{
    const char *end = text + strlen(text);
    double number, last = -1;
    uint64_t used = 0;
    buffer_text(x3d->out, " coordIndex=\"");
    for (;; last = number) {
        while (is_space(*text) || *text == ',')
            text++;
        if (text == end)
            break;
        text = parse_double(text, end, &number);
        if (!text || (*text && !is_space(*text) && *text != ',') || number != floor(number) || number < -1 ||
            number > INT32_MAX || (counts && number > (double)(x3d->source->size - used)))
            return x3d_error(x3d, "%s holds what is no %s", counts ? "vertexCount" : "coordIndex",
                             counts ? "count of points" : "index");
        if (!counts && last >= 0 && number >= 0)
            buffer_print(x3d->out, "%.0f %.0f -1 ", last, number);
        for (double i = 1; counts && i < number; i++)
            buffer_print(x3d->out, "%.0f %.0f -1 ", (double)used + i - 1, (double)used + i);
        used += counts && number > 0 ? (uint64_t)number : 0;
    }
    buffer_text(x3d->out, "\"");
    return CP_OK;
}

static bool is_false(const struct xml *xml, const char *name)
{
    const char *value = xml_attribute(xml, name);
    return value && text_equal_nocase(value, "false");
}

static cp_status write_attributes(struct x3d *x3d, const struct element *element)
{
    static const char *const texts[] = {"DEF", "USE", "name", "content"};
    bool lines = strstr(element->name, "LineSet") != NULL, levels = strcmp(element->name, "LOD") == 0;
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < x3d->xml.attribute_count && status == CP_OK; i++) {
        const struct xml_attribute *attribute = &x3d->xml.attributes[i];
        bool numbers = true, index = lines && strcmp(attribute->name, "coordIndex") == 0,
             counts = lines && strcmp(attribute->name, "vertexCount") == 0;
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
            numbers = numbers && strcmp(texts[k], attribute->name) != 0;
        if (*attribute->uri || (levels && strcmp(attribute->name, "whichChoice") == 0))
            continue;
        if (index || counts) {
            status = write_segments(x3d, attribute->value, counts);
            continue;
        }
        buffer_text(x3d->out, " ");
        buffer_text(x3d->out, attribute->name);
        buffer_text(x3d->out, "=\"");
        write_value(x3d, attribute->value, numbers);
        buffer_text(x3d->out, "\"");
    }
    if (levels)
        buffer_text(x3d->out, " whichChoice=\"0\"");
    return status;
}

/* ---- DEF and USE ---- */

static cp_status define(struct x3d *x3d, const struct element *element, size_t start)
{
    const char *name = xml_attribute(&x3d->xml, "DEF");
    x3d->opened[x3d->xml.depth] = CP_NONE;
    if (!name)
        return CP_OK;
    if (!array_reserve(x3d->context, &x3d->definitions, &x3d->definition_room, x3d->definition_count + UINT64_C(1),
                       sizeof *x3d->definitions))
        return CP_LIMIT;
    name = arena_copy_text(x3d->arena, name, strlen(name));
    uint32_t *row = name ? name_map_add(&x3d->names, name, 0, NULL) : NULL;
    if (!row)
        return CP_LIMIT;
    x3d->opened[x3d->xml.depth] = *row = x3d->definition_count;
    x3d->definitions[x3d->definition_count++] = (struct definition){element, start, 0};
    return CP_OK;
}

static cp_status refuse_size(const struct x3d *x3d)
{
    return report_error(x3d->context, CP_LIMIT, "assimp-x3d-copies", AT_LINE(x3d->source->name, x3d->xml.line),
                        "groups that are used again (USE), and extrusions, make more than %d bytes of text",
                        MOST_COPIED);
}

/* Writes an element that means an earlier one: assimp finds shapes and their contents by name, groups are copied. */
static cp_status use(struct x3d *x3d, const struct element *element, const char *name)
{
    const uint32_t *row = name_map_find(&x3d->names, name);
    const struct definition *definition = row ? &x3d->definitions[*row] : NULL;
    x3d->skipped = x3d->xml.depth;
    if (!definition || !definition->end || strcmp(definition->element->name, element->name) != 0)
        return count_loss(x3d, "a <%.100s> that is defined nowhere before it (USE)", element->name);
    if (element->holds != CHILDREN) {
        buffer_text(x3d->out, "<");
        buffer_text(x3d->out, element->shown ? element->shown : element->name);
        buffer_text(x3d->out, " USE=\"");
        write_value(x3d, name, false);
        buffer_text(x3d->out, "\"/>");
        return CP_OK;
    }
    size_t size = definition->end - definition->start;
    x3d->copied += size;
    if (x3d->copied > MOST_COPIED)
        return refuse_size(x3d);
    if (!buffer_reserve(x3d->out, size))
        return CP_LIMIT;
    buffer_append(x3d->out, x3d->out->data + definition->start, size);
    return CP_OK;
}

/* ---- the walk ---- */

static const struct element *find_element(const char *name, enum content parent)
{
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        if (elements[i].parent == parent && strcmp(elements[i].name, name) == 0)
            return &elements[i];
    return NULL;
}

/* <unit category="length" conversionFactor=""> of X3D 3.3: metres. */
static cp_status read_unit(struct x3d *x3d)
{
    const char *category = xml_attribute(&x3d->xml, "category"), *text = xml_attribute(&x3d->xml, "conversionFactor");
    if (!category || strcmp(category, "length") != 0)
        return skip_element(x3d);
    x3d->skipped = x3d->xml.depth;
    if (!text || !text_is_number(text, &x3d->unit) || !(x3d->unit > 0))
        return x3d_error(x3d, "a <unit> of length without a conversionFactor above 0");
    return CP_OK;
}

/* Notes parts of a geometry that starts, or of its contents, which assimp cannot pass on. */
static cp_status look_at_geometry(struct x3d *x3d, const struct element *element, bool *drop)
{
    const struct xml *xml = &x3d->xml;
    if (element->holds == GEOMETRY) {
        bool lines = strstr(element->name, "LineSet") != NULL;
        x3d->face_normals = is_false(xml, "normalPerVertex");
        x3d->face_colours = is_false(xml, "colorPerVertex") || (lines && xml_attribute(xml, "colorIndex"));
        return is_false(xml, "ccw") ? count_loss(x3d, "that faces are wound clockwise (ccw)") : CP_OK;
    }
    if (strcmp(element->name, "Normal") == 0)
        *drop = x3d->face_normals;
    else if (strncmp(element->name, "Color", 5) == 0)
        *drop = x3d->face_colours;
    if (!*drop)
        return CP_OK;
    x3d->skipped = xml->depth;
    return count_loss(x3d, *element->name == 'N' ? "normals of faces" : "colours of faces and lines");
}

/* Writes a geometry as a set of faces; its element is open then. One whose values are wrong is lost. */
static cp_status start_shape(struct x3d *x3d, const struct element *element)
{
    const char *name = xml_attribute(&x3d->xml, "DEF");
    size_t before = x3d->out->size, most = MOST_COPIED - (x3d->copied < MOST_COPIED ? x3d->copied : MOST_COPIED);
    buffer_text(x3d->out, "<IndexedFaceSet");
    if (name) {
        buffer_text(x3d->out, " DEF=\"");
        write_value(x3d, name, false);
        buffer_text(x3d->out, "\"");
    }
    if (is_false(&x3d->xml, "solid"))
        buffer_text(x3d->out, " solid=\"false\"");
    cp_status status = write_x3d_shape(x3d->context, &x3d->xml, most, x3d->out);
    if (status == CP_NO) {
        x3d->out->size = before;
        x3d->skipped = x3d->xml.depth;
        return count_loss(x3d, "a geometry <%.100s> of too few points, or with other words", x3d->xml.name);
    }
    x3d->copied += x3d->out->size - before;
    x3d->open[x3d->xml.depth] = element;
    if (status == CP_INPUT)
        return refuse_size(x3d);
    return status == CP_OK ? define(x3d, element, before) : status;
}

static cp_status start_element(struct x3d *x3d)
{
    const struct xml *xml = &x3d->xml;
    const struct element *parent = xml->depth > 1 ? x3d->open[xml->depth - 1] : NULL;
    const struct element *element = find_element(xml->name, parent ? parent->holds : NOTHING);
    const char *container = xml_attribute(xml, "containerField"), *used = xml_attribute(xml, "USE");
    bool drop = false;
    if (!parent && !element)
        return x3d_error(x3d, "<%.100s> is not <X3D>", xml->name);
    if (parent && parent->holds == HEAD && strcmp(xml->name, "unit") == 0)
        return read_unit(x3d);
    if (parent && parent->holds == HEAD && strcmp(xml->name, "component") == 0) {
        x3d->skipped = xml->depth;
        return CP_OK;
    }
    if (!element || (parent && parent->holds == NOTHING) || (container && strcmp(container, "proxy") == 0))
        return skip_element(x3d);
    if (used)
        return use(x3d, element, used);
    cp_status status = look_at_geometry(x3d, element, &drop);
    if (status != CP_OK || drop)
        return status;
    if (x3d_is_shape(element->name))
        return start_shape(x3d, element);
    status = define(x3d, element, x3d->out->size);
    if (status == CP_OK && element->lost)
        status = count_loss(x3d, "%s", element->lost);
    x3d->open[xml->depth] = element;
    buffer_text(x3d->out, "<");
    buffer_text(x3d->out, element->shown ? element->shown : element->name);
    if (status == CP_OK)
        status = write_attributes(x3d, element);
    buffer_text(x3d->out, element->holds == CHILDREN ? "><!-- -->" : ">");
    return status;
}

static void end_element(struct x3d *x3d)
{
    const struct element *element = x3d->open[x3d->xml.depth];
    uint32_t definition = x3d->opened[x3d->xml.depth];
    buffer_text(x3d->out, "</");
    buffer_text(x3d->out, element->shown ? element->shown : element->name);
    buffer_text(x3d->out, ">\n");
    if (definition != CP_NONE)
        x3d->definitions[definition].end = x3d->out->size;
}

static cp_status walk(struct x3d *x3d)
{
    cp_status status = CP_OK;
    enum xml_event event;
    while (status == CP_OK && (event = xml_next(&x3d->xml)) != XML_OVER) {
        if (event == XML_START && x3d->skipped && strcmp(x3d->xml.name, "Shape") == 0)
            status = count_loss(x3d, "shapes inside of elements that are not read");
        else if (event == XML_START && !x3d->skipped)
            status = start_element(x3d);
        else if (event == XML_END && !x3d->skipped)
            end_element(x3d);
        else if (event == XML_END && x3d->skipped == x3d->xml.depth)
            x3d->skipped = 0;
        if (x3d->out->failed)
            status = CP_LIMIT;
    }
    if (status == CP_OK)
        status = x3d->xml.status;
    for (uint32_t i = 0; i < x3d->loss_count && status == CP_OK; i++)
        report_loss(x3d->context, "assimp-x3d-unread", AT_LINE(x3d->source->name, x3d->losses[i].line),
                    x3d->losses[i].count, "%s", x3d->losses[i].words);
    return status;
}

/* ---- the file ---- */

/* Puts blanks over a DOCTYPE that names the standard's, which no program opens. One with declarations of its own stays,
 * and is refused. */
static void blank_doctype(char *text)
{
    static const char root[] = "<X3D", word[] = "<!DOCTYPE";
    char *at = strstr(text, word), *first = strstr(text, root), *end = at, quote = 0;
    if (!at || (first && first < at))
        return;
    for (; *end && (quote || *end != '>'); end++) {
        if (!quote && *end == '[')
            return;
        if (quote == *end)
            quote = 0;
        else if (!quote && (*end == '"' || *end == '\''))
            quote = *end;
    }
    for (; *end && at <= end; at++)
        *at = is_line_end(*at) ? *at : ' ';
}

static bool is_x3d(const struct source *source)
{
    enum { HEAD_SIZE = 1 << 12 };
    size_t head = source->size < HEAD_SIZE ? source->size : HEAD_SIZE;
    return text_ends_nocase(source->name, ".x3d") || text_ends_nocase(source->name, ".x3db") ||
           text_ends_nocase(source->name, ".x3d.gz") || text_ends_nocase(source->name, ".x3db.gz") ||
           xml_probe(source->data, head, "X3D") > 0;
}

static cp_status show_text(struct x3d *x3d, const struct source *text, bool strict)
{
    static const struct xml_codes codes = XML_CODES("assimp-x3d");
    cp_status status = xml_open(&x3d->xml, text, strict, &codes);
    if (status == CP_OK)
        status = walk(x3d);
    cp_status parsed = xml_close(&x3d->xml);
    name_map_free(&x3d->names);
    name_map_free(&x3d->lost);
    memory_free(x3d->context, x3d->definitions, x3d->definition_room, sizeof *x3d->definitions);
    memory_free(x3d->context, x3d->losses, x3d->loss_room, sizeof *x3d->losses);
    return status == CP_OK ? parsed : status;
}

/* Returns an XML text without its declaration, if this names an encoding that libxml2 may not read: assimp takes all
 * for UTF-8. */
static struct source skip_declaration(const struct source *source)
{
    static const char *const read[] = {"utf-8", "ascii", "us-ascii", "iso-8859-1", "windows-1252"};
    struct source rest = *source;
    const char *end = source->size > 5 && !memcmp(source->data, "<?xml", 5) ? strstr(source->data, "?>") : NULL;
    size_t size = 0;
    const char *word = end ? find_attribute(source->data + 5, end, "encoding", &size) : NULL;
    bool known = !word;
    char name[16] = "";
    if (word)
        memcpy(name, word, size < sizeof name ? size : sizeof name - 1);
    for (size_t i = 0; i < sizeof read / sizeof *read && !known; i++)
        known = text_equal_nocase(read[i], name);
    if (known)
        return rest;
    rest.data = end + 2;
    rest.size -= (size_t)(rest.data - source->data);
    return rest;
}

cp_status show_x3d(const struct source *source, bool strict, struct arena *arena, struct buffer *shown, double *unit)
{
    cp_context *context = source->context;
    *shown = (struct buffer){.context = context};
    *unit = 0;
    if (!is_x3d(source))
        return CP_OK;
    if (source->size && (unsigned char)*source->data == 0xe0)
        return report_error(context, CP_INPUT, "assimp-x3d-binary", IN_FILE(source->name),
                            "binary X3D (Fast Infoset) is not read: save it as XML (.x3d)");
    struct x3d *x3d = memory_allocate_zeroed(context, 1, sizeof *x3d);
    char *copy = memory_allocate(context, source->size + 1, 1);
    cp_status status = x3d && copy ? CP_OK : CP_LIMIT;
    if (status == CP_OK) {
        memcpy(copy, source->data, source->size);
        copy[source->size] = '\0';
        blank_doctype(copy);
        struct source text = *source;
        text.data = copy;
        text = skip_declaration(&text);
        x3d->context = x3d->names.context = x3d->lost.context = context;
        x3d->source = source;
        x3d->arena = arena;
        x3d->out = shown;
        status = show_text(x3d, &text, strict);
        *unit = x3d->unit;
        buffer_append(shown, "", 1);
        status = status == CP_OK && shown->failed ? CP_LIMIT : status;
    }
    memory_free(context, copy, source->size + 1, 1);
    memory_free(context, x3d, 1, sizeof *x3d);
    return status;
}

#endif
