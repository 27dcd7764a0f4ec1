/* From XML to statements, with libxml2's push parser. What is read and what is refused: see collision_setup.c. */
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "collision_setup.h"

#ifdef HAVE_XML2
#include <libxml/parser.h>
#include <libxml/parserInternals.h>

/* The handler's argument became const in 2.12. */
#if LIBXML_VERSION >= 21200
typedef const xmlError *error_pointer;
#else
typedef xmlErrorPtr error_pointer;
#endif

enum { CHUNK_SIZE = 1 << 16, MOST_ATTRIBUTES = 256, DEEPEST = 256 };

enum element { ELEMENT_NONE, ELEMENT_SETUP, ELEMENT_EXCLUDE, ELEMENT_PAIR, ELEMENT_VOLATILE, ELEMENT_STATIC };

struct reading {
    struct source *source;
    const char *bytes; /* the source's, or as UTF-8 */
    size_t size;
    struct collision_setup *setup;
    xmlParserCtxtPtr parser;
    enum element element; /* the innermost known one */
    uint64_t ignored;     /* unknown ones inside it, which RobWork does not look at */
    bool root_closed;
    struct buffer text; /* of Volatile */
    cp_status status;   /* sticky */
};

static struct place here(const struct reading *reading)
{
    const xmlParserInput *input = reading->parser ? reading->parser->input : NULL;
    return AT_LINE(reading->source->name, input && input->line > 0 ? (uint64_t)input->line : 0);
}

static void stop(struct reading *reading, cp_status status)
{
    reading->status = status;
    if (reading->parser)
        xmlStopParser(reading->parser);
}

/* ---- statements ---- */

static const char *copy_text(struct reading *reading, const char *bytes, size_t size)
{
    return arena_copy_text(reading->setup->arena, bytes, size);
}

/* Its texts are copies already. */
static void add_statement(struct reading *reading, const struct collision_statement *statement)
{
    struct collision_setup *setup = reading->setup;
    if (!array_reserve(setup->context, &setup->statements, &setup->room, setup->count + UINT64_C(1),
                       sizeof *setup->statements)) {
        stop(reading, CP_LIMIT);
        return;
    }
    setup->statements[setup->count] = *statement;
    setup->statements[setup->count++].line = here(reading).line;
}

/* libxml2's attributes: name, prefix, URI, the value's begin and its end. */
struct attributes {
    int count, namespace_count;
    const char **fields;
};

static void lose_attribute(struct reading *reading, const char *name)
{
    report_loss(reading->setup->context, "collision-setup-attribute", IN_FILE(reading->source->name), 1,
                "the attribute %.100s of FramePair", name);
}

static void add_pair(struct reading *reading, struct collision_pair *pair)
{
    if (pair->finding.hits > pair->finding.samples) {
        lose_attribute(reading, "hits");
        pair->finding.hits = 0;
    }
    bool found = pair->statement.finding;
    if (found)
        pair->statement.finding = arena_copy(reading->setup->arena, &pair->finding, 1, sizeof pair->finding);
    if (found && !pair->statement.finding)
        stop(reading, CP_LIMIT);
    else
        add_statement(reading, &pair->statement);
}

/* False when out of memory. */
static bool read_attribute(struct reading *reading, const char *const *field, struct collision_pair *pair)
{
    const char *value = copy_text(reading, field[3], (size_t)(field[4] - field[3]));
    if (!value)
        stop(reading, CP_LIMIT);
    else if (field[1] || !collision_pair_take(pair, field[0], value))
        lose_attribute(reading, field[0]);
    return value;
}

static void read_pair(struct reading *reading, const struct attributes *attributes)
{
    struct collision_pair pair = {.statement = {.reason = "given", .evidence = ""},
                                  .finding = {.touch = CP_TOUCH, .clearance = INFINITY}};
    for (int others = 0; others < 2; others++)
        for (int i = 0; i < attributes->count; i++) {
            const char *const *field = &attributes->fields[5 * i];
            if (others == (strcmp(field[0], "reason") != 0) && !read_attribute(reading, field, &pair))
                return;
        }
    if (pair.statement.first && pair.statement.second)
        add_pair(reading, &pair);
    else
        stop(reading, report_error(reading->setup->context, CP_INPUT, "collision-setup-pair", here(reading),
                                   "FramePair has no attribute %s", pair.statement.first ? "second" : "first"));
}

/* ---- elements ---- */

static enum element child_of(enum element parent, const char *name)
{
    static const struct {
        enum element parent;
        const char *name;
        enum element element;
    } children[] = {{ELEMENT_NONE, "CollisionSetup", ELEMENT_SETUP},
                    {ELEMENT_SETUP, "Exclude", ELEMENT_EXCLUDE},
                    {ELEMENT_SETUP, "Volatile", ELEMENT_VOLATILE},
                    {ELEMENT_SETUP, "ExcludeStaticPairs", ELEMENT_STATIC},
                    {ELEMENT_EXCLUDE, "FramePair", ELEMENT_PAIR}};
    for (size_t i = 0; i < sizeof children / sizeof *children; i++)
        if (children[i].parent == parent && !strcmp(children[i].name, name))
            return children[i].element;
    return ELEMENT_NONE;
}

static void refuse_element(struct reading *reading, const char *name)
{
    cp_context *context = reading->setup->context;
    if (reading->element == ELEMENT_NONE)
        stop(reading, report_error(context, CP_INPUT, "collision-setup-root", here(reading),
                                   "the outermost element is <%.100s>, not <CollisionSetup>", name));
    else
        stop(reading, report_error(context, CP_INPUT, "collision-setup-element", here(reading),
                                   "unknown element <%.100s> in <%s>", name,
                                   reading->element == ELEMENT_SETUP ? "CollisionSetup" : "Exclude"));
}

static void enter_element(struct reading *reading, const char *name, const struct attributes *attributes)
{
    enum element element = child_of(reading->element, name);
    cp_context *context = reading->setup->context;
    if (element == ELEMENT_NONE) {
        refuse_element(reading, name);
        return;
    }
    reading->element = element;
    bool bare = element == ELEMENT_SETUP || element == ELEMENT_EXCLUDE;
    if (bare && attributes->count + attributes->namespace_count > 0)
        stop(reading, report_error(context, CP_INPUT, "collision-setup-attributes", here(reading),
                                   "<%s> may have no attribute, but has %.100s", name,
                                   attributes->count ? attributes->fields[0] : "xmlns"));
    else if (element == ELEMENT_PAIR)
        read_pair(reading, attributes);
    else if (element == ELEMENT_STATIC)
        reading->setup->exclude_static_pairs = true;
    reading->text.size = 0;
}

static void check_depth(struct reading *reading)
{
    static const uint64_t known[] = {
        [ELEMENT_SETUP] = 1, [ELEMENT_EXCLUDE] = 2, [ELEMENT_PAIR] = 3, [ELEMENT_VOLATILE] = 2, [ELEMENT_STATIC] = 2};
    uint64_t limit = limit_nesting(reading->setup->context);
    if (limit > DEEPEST)
        limit = DEEPEST;
    if (known[reading->element] + reading->ignored > limit)
        stop(reading, report_error(reading->setup->context, CP_LIMIT, "collision-setup-depth", here(reading),
                                   "elements are nested deeper than the limit of %llu (--limit nesting=, at most %d)",
                                   (unsigned long long)limit, DEEPEST));
}

static void on_start(void *user, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int namespace_count,
                     const xmlChar **namespaces, int count, int defaulted, const xmlChar **fields)
{
    struct reading *reading = user;
    struct attributes attributes = {count, namespace_count, (const char **)fields};
    (void)prefix;
    (void)uri;
    (void)namespaces;
    (void)defaulted;
    if (reading->status != CP_OK)
        return;
    if (reading->element < ELEMENT_PAIR)
        enter_element(reading, (const char *)name, &attributes);
    else if (!reading->ignored++)
        report_loss(reading->setup->context, "collision-setup-inner", IN_FILE(reading->source->name), 1,
                    "the element <%.100s> where no element has a meaning", (const char *)name);
    if (reading->status == CP_OK)
        check_depth(reading);
}

static enum element parent_of(enum element element)
{
    return element == ELEMENT_PAIR ? ELEMENT_EXCLUDE : element == ELEMENT_SETUP ? ELEMENT_NONE : ELEMENT_SETUP;
}

static void on_end(void *user, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
    struct reading *reading = user;
    (void)name;
    (void)prefix;
    (void)uri;
    if (reading->status != CP_OK)
        return;
    if (reading->ignored) {
        reading->ignored--;
        return;
    }
    if (reading->element == ELEMENT_VOLATILE) {
        const struct buffer *content = &reading->text;
        const char *text =
            content->failed ? NULL : copy_text(reading, content->size ? content->data : "", content->size);
        if (text)
            add_statement(reading, &(struct collision_statement){.first = text});
        else
            stop(reading, CP_LIMIT);
    }
    reading->element = parent_of(reading->element);
    reading->root_closed = reading->element == ELEMENT_NONE;
}

static void on_text(void *user, const xmlChar *text, int size)
{
    struct reading *reading = user;
    if (reading->status != CP_OK || reading->ignored)
        return;
    if (reading->element == ELEMENT_VOLATILE) {
        buffer_append(&reading->text, text, (size_t)size);
        return;
    }
    for (int i = 0; i < size; i++)
        if (!strchr(" \t\r\n", text[i])) {
            report_loss(reading->setup->context, "collision-setup-text", IN_FILE(reading->source->name), 1,
                        "text where no text has a meaning");
            return;
        }
}

/* The exporter's note: names are relative to "Device." */
static void on_comment(void *user, const xmlChar *comment)
{
    static const char start[] = " names are relative to \"";
    struct reading *reading = user;
    const char *text = (const char *)comment;
    if (reading->status != CP_OK || reading->setup->prefix || strncmp(text, start, sizeof start - 1))
        return;
    text += sizeof start - 1;
    const char *end = strrchr(text, '"');
    if (!end || strcmp(end, "\" "))
        return;
    reading->setup->prefix = arena_copy_text(reading->setup->arena, text, (size_t)(end - text));
    if (!reading->setup->prefix)
        stop(reading, CP_LIMIT);
}

/* ---- what is refused ---- */

static void on_doctype(void *user, const xmlChar *name, const xmlChar *external, const xmlChar *system)
{
    struct reading *reading = user;
    (void)name;
    (void)external;
    (void)system;
    if (reading->status == CP_OK)
        stop(reading, report_error(reading->setup->context, CP_INPUT, "collision-setup-doctype", here(reading),
                                   "a DOCTYPE is not read"));
}

/* Encodings in which no harmless byte becomes markup, so that check_attributes sees what the parser will see. */
static void on_document(void *user)
{
    static const char *const known[] = {"UTF-8", "US-ASCII", "ASCII", "ISO-8859-1", "windows-1252", NULL};
    struct reading *reading = user;
    const char *encoding = (const char *)reading->parser->encoding;
    if (!encoding)
        return;
    for (const char *const *name = known; *name; name++)
        if (text_equal_nocase(encoding, *name))
            return;
    stop(reading, report_error(reading->setup->context, CP_INPUT, "collision-setup-encoding", here(reading),
                               "the encoding %.40s is not read", encoding));
}

static void on_error(void *user, error_pointer error)
{
    struct reading *reading = user;
    if (reading->status != CP_OK || !error || error->level < XML_ERR_ERROR)
        return;
    if (error->code == XML_ERR_NO_MEMORY) {
        stop(reading, report_error(reading->setup->context, CP_LIMIT, "collision-setup-memory", here(reading),
                                   "out of memory in the XML parser"));
        return;
    }
    const char *message = error->message ? error->message : "not well-formed";
    if (error->code == XML_ERR_DOCUMENT_END && !reading->root_closed) /* libxml2 speaks of extra content here, too */
        message = "the document ends before </CollisionSetup>";
    struct place place = here(reading);
    place.line = error->line > 0 ? (uint64_t)error->line : place.line;
    stop(reading, report_error(reading->setup->context, CP_INPUT, "collision-setup-xml", place, "%.*s",
                               (int)strcspn(message, "\n"), message));
}

/* libxml2 compares all attributes of an element with each other, so their number is bounded before it sees them.
 * UTF-16 and its like, which hold zero bytes, are refused as well. */
static cp_status check_attributes(const struct source *source)
{
    cp_context *context = source->context;
    const char *end = source->data + source->size;
    bool inside = false;
    unsigned equal_signs = 0;
    for (const char *at = source->data; at < end; at++) {
        if (*at == '<') {
            inside = at + 1 < end && at[1] != '!' && at[1] != '?';
            equal_signs = 0;
        } else if (*at == '\0') {
            return report_error(context, CP_INPUT, "collision-setup-encoding",
                                AT_LINE(source->name, source_line(source, (size_t)(at - source->data))),
                                "the file holds a zero byte; UTF-16 is not read");
        } else if (*at == '=' && inside && ++equal_signs > MOST_ATTRIBUTES) {
            return report_error(context, CP_LIMIT, "collision-setup-limit",
                                AT_LINE(source->name, source_line(source, (size_t)(at - source->data))),
                                "an element has more than %d attributes", MOST_ATTRIBUTES);
        }
    }
    return CP_OK;
}

/* ---- bytes that are not UTF-8 ---- */

/* The XML declaration names an encoding that is not UTF-8. */
static bool declares_encoding(const char *text, size_t size)
{
    static const char word[] = "encoding";
    if (size < 5 || memcmp(text, "<?xml", 5) != 0)
        return false;
    const char *end = memchr(text, '>', size);
    for (; end && (size_t)(end - text) > sizeof word + 6; text++) {
        if (memcmp(text, word, sizeof word - 1) != 0)
            continue;
        text += sizeof word - 1;
        text += strspn(text, " \t\r\n=\"'");
        char name[6] = "";
        (void)strncpy(name, text, 5);
        return !text_equal_nocase(name, "UTF-8");
    }
    return false;
}

static cp_status take_bytes(struct reading *reading)
{
    const struct source *source = reading->source;
    struct collision_setup *setup = reading->setup;
    reading->bytes = source->data;
    reading->size = source->size;
    if (utf8_valid(source->data, source->size) || declares_encoding(source->data, source->size))
        return CP_OK;
    cp_status status = report_lenient(setup->context, setup->strict, "collision-setup-encoding", IN_FILE(source->name),
                                      "the XML is not UTF-8 and is read as Latin-1");
    if (status != CP_OK)
        return status;
    reading->bytes = utf8_from(setup->arena, source->data, source->size, NULL);
    reading->size = reading->bytes ? strlen(reading->bytes) : 0;
    return reading->bytes ? CP_OK : CP_LIMIT;
}

/* ---- the parser ---- */

static void feed_parser(struct reading *reading)
{
    for (size_t at = 0; at < reading->size && reading->status == CP_OK; at += CHUNK_SIZE) {
        size_t size = reading->size - at < CHUNK_SIZE ? reading->size - at : CHUNK_SIZE;
        xmlParseChunk(reading->parser, reading->bytes + at, (int)size, 0);
    }
    if (reading->status == CP_OK)
        xmlParseChunk(reading->parser, NULL, 0, 1);
}

static cp_status run_parser(struct reading *reading)
{
    xmlSAXHandler handler = {.initialized = XML_SAX2_MAGIC,
                             .startDocument = on_document,
                             .internalSubset = on_doctype,
                             .startElementNs = on_start,
                             .endElementNs = on_end,
                             .characters = on_text,
                             .ignorableWhitespace = on_text,
                             .cdataBlock = on_text,
                             .comment = on_comment,
                             .serror = on_error};
    /* libxml2 sets up its tables at the first use, which is safe only when one thread alone comes first. */
    static pthread_once_t tables_made = PTHREAD_ONCE_INIT;
    (void)pthread_once(&tables_made, xmlInitParser);
    reading->parser = xmlCreatePushParserCtxt(&handler, reading, NULL, 0, NULL);
    if (!reading->parser)
        return report_error(reading->setup->context, CP_LIMIT, "collision-setup-memory", here(reading),
                            "out of memory in the XML parser");
    /* NOENT: "&amp;" in attributes becomes "&"; without a DOCTYPE there are no entities but XML's five. */
    (void)xmlCtxtUseOptions(reading->parser, XML_PARSE_NONET | XML_PARSE_NOENT);
    feed_parser(reading);
    xmlFreeParserCtxt(reading->parser);
    buffer_free(&reading->text);
    return reading->status;
}

cp_status collision_setup_parse(struct source *source, struct collision_setup *setup)
{
    struct reading reading = {.source = source, .setup = setup, .text = {.context = setup->context}};
    if (source->depth && source->ends_early)
        return report_error(setup->context, CP_INPUT, "collision-setup-truncated", IN_FILE(source->name),
                            "the file breaks off after %zu bytes", source->size);
    cp_status status = check_attributes(source);
    if (status == CP_OK)
        status = take_bytes(&reading);
    return status == CP_OK ? run_parser(&reading) : status;
}

#else

/* A workcell can be read without its exclusions; the importer itself is listed as not built. */
cp_status collision_setup_parse(struct source *source, struct collision_setup *setup)
{
    report_loss(setup->context, "collision-setup-unbuilt", IN_FILE(source->name), 1,
                "the exclusions: cellpipe was built without libxml2");
    return CP_OK;
}

#endif
