/* The document of a cell: files that include each other, and texts that are defined once and used often.
 *
 * RobWork's pre-processor works on the text: the text of an included file takes the place of <Include/>. So such a file
 * may have no root, or many. Each file is read here as the content of an element of its own, and what <Define> has is
 * copied to where <Use> stands. Elements keep the names and lines of the files in which they were written. */
#include "rwxml.h"

#include "base/text/text.h"

static const struct xml_codes codes = XML_CODES("rwxml");

/* A file's texts for <Use>: names to elements <Define>. */
struct definitions {
    struct name_map names;
    struct xml_node **items;
    uint32_t count, room;
    uint32_t depth; /* of <Use> in <Define> */
};

const struct source *rwxml_source_of(const struct rwxml *rwxml, const struct xml_node *element)
{
    const uint32_t *found = name_map_find(&rwxml->document.files, element->file);
    return found ? rwxml->document.sources[*found] : rwxml->source;
}

cp_status rwxml_open(struct rwxml *rwxml, const struct xml_node *element, const char *name, struct source **opened)
{
    char *path = arena_copy_text(rwxml->arena, name, strlen(name));
    text_turn_slashes(path);
    return path ? source_open(rwxml_source_of(rwxml, element), path, opened) : CP_LIMIT;
}

/* Blanks out the declaration at the begin of the text. Tells whether it names an encoding. */
static bool take_declaration(char *text)
{
    char *end = strncmp(text, "<?", 2) == 0 ? strstr(text, "?>") : NULL;
    bool declares = false;
    for (char *at = text; end && at < end + 2; at++) {
        declares |= strncmp(at, "encoding", 8) == 0;
        if (!is_line_end(*at))
            *at = ' ';
    }
    return declares;
}

/* Reads a file as the content of an element, so that it may have any number of roots. Its lines keep their numbers. */
static cp_status read_file(struct rwxml *rwxml, const struct source *source, struct xml_node **content)
{
    const char *data = text_after_mark(source->data, source->size);
    size_t size = source->size - (size_t)(data - source->data);
    const char *zero = memchr(data, '\0', size);
    if (zero)
        return report_error(rwxml->context, CP_INPUT, "rwxml-zeros",
                            AT_LINE(source->name, source_line(source, (size_t)(zero - source->data))),
                            "the file holds a zero byte; UTF-16 is not read");
    char *body = arena_copy_text(rwxml->arena, data, size);
    bool declares = body && take_declaration(body);
    const char *text = declares ? utf8_from(rwxml->arena, body, size, NULL) : body;
    /* Errors of the XML parser name this element where the file closes too few. */
    char *wrapped = text ? arena_print(rwxml->arena, "<end-of-file>%s</end-of-file>", text) : NULL;
    if (!wrapped)
        return CP_LIMIT;
    struct source shown = *source;
    shown.data = wrapped;
    shown.size = strlen(wrapped);
    return xml_tree_read(&shown, rwxml->settings->common.strict, &codes, rwxml->arena, content);
}

static cp_status expand_file(struct rwxml *rwxml, struct source *source, struct xml_node *into, uint32_t depth);
static cp_status expand(struct rwxml *rwxml, struct definitions *known, const struct xml_node *from,
                        struct xml_node *into, uint32_t depth);

/* Keeps a source open, since its elements may name further files. */
static cp_status keep_source(struct rwxml *rwxml, struct source *source)
{
    uint32_t index = rwxml->document.source_count;
    const char *name = arena_copy_text(rwxml->arena, source->name, strlen(source->name));
    if (!name || !array_add(rwxml->context, &rwxml->document.sources, &rwxml->document.source_room,
                            &rwxml->document.source_count, &source, sizeof(struct source *)))
        return CP_LIMIT;
    return name_map_add(&rwxml->document.files, name, index, NULL) ? CP_OK : CP_LIMIT;
}

static cp_status include(struct rwxml *rwxml, const struct xml_node *element, struct xml_node *into, uint32_t depth)
{
    const char *name = rwxml_attribute(rwxml, element, "file");
    struct source *source = NULL;
    if (!name)
        return CP_INPUT;
    cp_status status = rwxml_open(rwxml, element, name, &source);
    if (status == CP_NO)
        return report_error(rwxml->context, CP_INPUT, "rwxml-include", xml_node_place(element),
                            "cannot open the file \"%.200s\"", name);
    if (status != CP_OK)
        return status;
    status = keep_source(rwxml, source);
    if (status != CP_OK) {
        if (rwxml->document.source_count == 0 || rwxml->document.sources[rwxml->document.source_count - 1] != source)
            source_close(source);
        return status;
    }
    return expand_file(rwxml, source, into, depth);
}

static cp_status define(struct rwxml *rwxml, struct definitions *known, struct xml_node *element)
{
    const char *name = rwxml_attribute(rwxml, element, "id");
    uint32_t *place = name ? name_map_add(&known->names, name, known->count, NULL) : NULL;
    if (!name)
        return CP_INPUT;
    if (!place || !array_add(rwxml->context, &known->items, &known->room, &known->count, &element, sizeof element))
        return CP_LIMIT;
    *place = known->count - 1; /* the last one of a name counts */
    return CP_OK;
}

static cp_status use(struct rwxml *rwxml, struct definitions *known, const struct xml_node *element,
                     struct xml_node *into, uint32_t depth)
{
    enum { DEEPEST = 32 };
    const char *name = rwxml_attribute(rwxml, element, "id");
    const uint32_t *found = name ? name_map_find(&known->names, name) : NULL;
    if (!name)
        return CP_INPUT;
    if (!found)
        return report_error(rwxml->context, CP_INPUT, "rwxml-use", xml_node_place(element),
                            "nothing before this defines \"%.100s\" in this file", name);
    if (known->depth >= DEEPEST)
        return report_error(rwxml->context, CP_INPUT, "rwxml-use", xml_node_place(element),
                            "the definition of \"%.100s\" uses itself, or others more than %d deep", name,
                            (int)DEEPEST);
    known->depth++;
    cp_status status = expand(rwxml, known, known->items[*found], into, depth);
    known->depth--;
    return status;
}

/* Appends a copy of an element or text, without its children. NULL after an error. */
static struct xml_node *copy(struct rwxml *rwxml, const struct xml_node *from, struct xml_node *into)
{
    if (++rwxml->document.element_count > limit_nodes(rwxml->context)) {
        report_error(rwxml->context, CP_LIMIT, "rwxml-large", xml_node_place(from),
                     "the cell has more than %llu elements (%s)", (unsigned long long)limit_nodes(rwxml->context),
                     limit_of_nodes(rwxml->context));
        return NULL;
    }
    struct xml_node *to = arena_copy(rwxml->arena, from, 1, sizeof *from);
    if (to) {
        to->next = to->first = to->last = NULL;
        xml_node_append(into, to);
    }
    return to;
}

/* Copies the children of an element, with what they include and use. The depth is that of the whole document. */
static cp_status expand(struct rwxml *rwxml, struct definitions *known, const struct xml_node *from,
                        struct xml_node *into, uint32_t depth)
{
    if (depth > limit_nesting(rwxml->context))
        return report_error(rwxml->context, CP_LIMIT, "rwxml-deep", xml_node_place(from),
                            "elements are nested more than %llu deep, files and definitions included "
                            "(--limit nesting=)",
                            (unsigned long long)limit_nesting(rwxml->context));
    cp_status status = CP_OK;
    for (struct xml_node *child = from->first; child && status == CP_OK; child = child->next) {
        if (child->name && rwxml_is(child, "Include")) {
            status = include(rwxml, child, into, depth + 1);
        } else if (child->name && rwxml_is(child, "Define")) {
            status = define(rwxml, known, child);
        } else if (child->name && rwxml_is(child, "Use")) {
            status = use(rwxml, known, child, into, depth + 1);
        } else {
            struct xml_node *to = copy(rwxml, child, into);
            status = to ? expand(rwxml, known, child, to, depth + 1) : CP_LIMIT;
        }
    }
    return status;
}

static cp_status expand_file(struct rwxml *rwxml, struct source *source, struct xml_node *into, uint32_t depth)
{
    struct definitions known = {.names = {.context = rwxml->context}};
    struct xml_node *content = NULL;
    cp_status status = read_file(rwxml, source, &content);
    if (status == CP_OK && content)
        status = expand(rwxml, &known, content, into, depth);
    name_map_free(&known.names);
    memory_free(rwxml->context, known.items, known.room, sizeof(struct xml_node *));
    return status;
}

/* Makes an element for the top elements. False when out of memory. */
static bool make_root(struct rwxml *rwxml)
{
    rwxml->document.root = arena_allocate_zeroed(rwxml->arena, 1, sizeof *rwxml->document.root);
    if (rwxml->document.root)
        *rwxml->document.root = (struct xml_node){.name = "x", .file = rwxml->source->name, .line = 1};
    return rwxml->document.root;
}

cp_status rwxml_include(struct rwxml *rwxml, const struct xml_node *element)
{
    return make_root(rwxml) ? include(rwxml, element, rwxml->document.root, 0) : CP_LIMIT;
}

cp_status rwxml_read_document(struct rwxml *rwxml)
{
    return make_root(rwxml) ? expand_file(rwxml, rwxml->source, rwxml->document.root, 0) : CP_LIMIT;
}
