/* libxml2's push parser behind xml.h: it gets the bytes piece by piece, and its callbacks queue events. */
#include "xml.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/context.h"
#include "text.h"

#ifdef HAVE_XML2
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <pthread.h>

/* The handler's argument became const in 2.12. */
#if LIBXML_VERSION >= 21200
typedef const xmlError *error_pointer;
#else
typedef xmlErrorPtr error_pointer;
#endif

enum { MOST_ATTRIBUTES = 256, DEEPEST = 256 };

/* Bytes at a time. Under the address sanitizer they are few, so that it finds texts that are kept too long, and words
 * that the end of a piece cuts. */
#ifdef HAS_ADDRESS_SANITIZER
enum { PIECE_SIZE = 256, LONG_TEXT = 48 };
#else
enum { PIECE_SIZE = 1 << 16, LONG_TEXT = 4096 };
#endif

/* clang-format off */
#define XML_FUNCTIONS(X) \
    X(xmlCreatePushParserCtxt) X(xmlCtxtUseOptions) X(xmlFreeParserCtxt) X(xmlInitParser) X(xmlParseChunk) \
    X(xmlStopParser)
/* clang-format on */

LATE_FUNCTIONS(libxml, XML_FUNCTIONS);
static LATE_LIBRARY(libxml, FILE_OF_XML2, 16 << 20, XML_FUNCTIONS);

struct queued {
    enum xml_event event;
    struct xml xml; /* as xml.h returns it: names and URIs are libxml2's own, texts are in `piece` */
};

/* A text between two tags whose bytes all mean themselves. */
struct plain_text {
    size_t begin, end, lines;
};

struct xml_parser {
    cp_context *context;
    const struct source *source;
    const struct xml_codes *codes;
    xmlParserCtxtPtr libxml;
    const char *bytes; /* the source's, or as UTF-8 in `arena` */
    size_t size, fed;
    struct plain_text *plain; /* those that are long: libxml2 never gets them */
    uint32_t plain_count, plain_room, plain_taken;
    struct arena *arena;
    const char *root; /* the root's name, once it has started */
    uint32_t depth, most_depth;
    struct queued *queue; /* the events of the last piece of bytes */
    uint32_t count, room, taken;
    struct arena *piece;
    struct buffer element_text;
    bool strict, allows_prefixes;
    uint64_t undeclared, undeclared_line; /* prefixes; the line of the first */
    /* the end: the error is reported after all events that are before it in the document */
    bool over;
    cp_status status;
    const char *code; /* NULL: reported already */
    uint64_t error_line;
    char message[400];
};

static const char no_memory[] = "out of memory in the XML parser";

/* ---- what is refused ---- */

static uint64_t line_of(const struct xml_parser *parser)
{
    const xmlParserInput *input = parser->libxml->input;
    return input && input->line > 0 ? (uint64_t)input->line : 0;
}

/* Ends the events. The error is reported after those before it have been taken. code NULL: out of memory, reported
 * already. */
static void fail(struct xml_parser *parser, cp_status status, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void fail(struct xml_parser *parser, cp_status status, const char *code, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    (void)vsnprintf(parser->message, sizeof parser->message, format, list);
    va_end(list);
    parser->status = status;
    parser->code = code;
    parser->error_line = line_of(parser);
    parser->over = true;
    libxml.xmlStopParser(parser->libxml);
}

static void fail_without_memory(struct xml_parser *parser)
{
    fail(parser, CP_LIMIT, NULL, "out of memory");
}

static void on_doctype(void *user, const xmlChar *name, const xmlChar *external, const xmlChar *system)
{
    struct xml_parser *parser = user;
    (void)name;
    (void)external;
    (void)system;
    if (!parser->over)
        fail(parser, CP_INPUT, parser->codes->doctype, "DOCTYPE is not supported");
}

/* Accepts only encodings in which no harmless byte becomes markup, so that check_bytes sees what libxml2 will see. */
static void on_document(void *user)
{
    static const char *const known[] = {"UTF-8", "US-ASCII", "ASCII", "ISO-8859-1", "windows-1252", NULL};
    struct xml_parser *parser = user;
    const char *encoding = (const char *)parser->libxml->encoding;
    const char *const *name = known;
    while (encoding && *name && !text_equal_nocase(encoding, *name))
        name++;
    if (!*name)
        fail(parser, CP_INPUT, parser->codes->encoding, "the encoding %.40s is not read", encoding);
}

static void on_error(void *user, error_pointer error)
{
    struct xml_parser *parser = user;
    bool starts = !parser->libxml; /* memory ran out already, which start_parser reports */
    if (starts || parser->over || !error || error->level < XML_ERR_ERROR)
        return;
    if (error->code == XML_NS_ERR_UNDEFINED_NAMESPACE && parser->allows_prefixes && !parser->strict) {
        parser->undeclared_line = parser->undeclared++ ? parser->undeclared_line : line_of(parser);
        return;
    }
    const char *message = error->message ? error->message : "not well-formed";
    if (error->code == XML_ERR_NO_MEMORY)
        fail(parser, CP_LIMIT, parser->codes->memory, "%s", no_memory);
    else if (error->code != XML_ERR_DOCUMENT_END || (parser->root && parser->depth == 0))
        fail(parser, CP_INPUT, parser->codes->syntax, "%.*s", (int)strcspn(message, "\n"), message);
    else if (parser->root) /* libxml2 speaks of extra content at the end, here too */
        fail(parser, CP_INPUT, parser->codes->syntax, "the document ends before </%.100s>", parser->root);
    else
        fail(parser, CP_INPUT, parser->codes->syntax, "the document ends before its first element");
    if (error->line > 0)
        parser->error_line = (uint64_t)error->line;
}

/* ---- events ---- */

static void add_event(struct xml_parser *parser, enum xml_event event, struct xml xml)
{
    xml.parser = parser;
    xml.line = line_of(parser);
    if (!array_reserve(parser->context, &parser->queue, &parser->room, parser->count + UINT64_C(1),
                       sizeof *parser->queue))
        fail_without_memory(parser);
    else
        parser->queue[parser->count++] = (struct queued){event, xml};
}

static const char *text_or_none(const xmlChar *text)
{
    return text ? (const char *)text : "";
}

/* Returns the namespace, or the prefix that nothing declares. */
static const char *namespace_of(const xmlChar *prefix, const xmlChar *uri)
{
    return text_or_none(uri ? uri : prefix);
}

/* libxml2's attributes are five pointers each: name, prefix, URI, the value's begin and its end. */
static void on_start(void *user, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int namespace_count,
                     const xmlChar **namespaces, int count, int defaulted, const xmlChar **fields)
{
    struct xml_parser *parser = user;
    (void)defaulted;
    if (parser->over)
        return;
    if (parser->depth >= parser->most_depth) {
        fail(parser, CP_LIMIT, parser->codes->depth,
             "elements are nested deeper than the limit of %u (--limit nesting=, at most %d)",
             (unsigned)parser->most_depth, DEEPEST);
        return;
    }
    struct xml_attribute *attributes = arena_allocate(parser->piece, (size_t)count, sizeof *attributes);
    for (int i = 0; attributes && i < count; i++, fields += 5) {
        const char *value = arena_copy_text(parser->piece, (const char *)fields[3], (size_t)(fields[4] - fields[3]));
        attributes[i] = (struct xml_attribute){(const char *)fields[0], namespace_of(fields[1], fields[2]), value,
                                               text_or_none(fields[1])};
        attributes = value ? attributes : NULL;
    }
    struct xml_namespace *declared = arena_allocate(parser->piece, (size_t)namespace_count, sizeof *declared);
    for (int i = 0; declared && i < namespace_count; i++)
        declared[i] = (struct xml_namespace){text_or_none(namespaces[2 * i]), text_or_none(namespaces[2 * i + 1])};
    if (!attributes || !declared) {
        fail_without_memory(parser);
        return;
    }
    if (!parser->root)
        parser->root = (const char *)name;
    add_event(parser, XML_START,
              (struct xml){.name = (const char *)name,
                           .uri = namespace_of(prefix, uri),
                           .prefix = text_or_none(prefix),
                           .attributes = attributes,
                           .attribute_count = (uint32_t)count,
                           .namespaces = declared,
                           .namespace_count = (uint32_t)namespace_count,
                           .depth = ++parser->depth});
}

static void on_end(void *user, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
    struct xml_parser *parser = user;
    if (!parser->over)
        add_event(parser, XML_END,
                  (struct xml){.name = (const char *)name, .uri = namespace_of(prefix, uri), .depth = parser->depth--});
}

static void add_text(struct xml_parser *parser, enum xml_event event, const xmlChar *text, size_t size, bool is_cdata)
{
    if (parser->over)
        return;
    const char *copy = arena_copy_text(parser->piece, (const char *)text, size);
    if (copy)
        add_event(parser, event,
                  (struct xml){.text = copy, .size = size, .is_cdata = is_cdata, .depth = parser->depth});
    else
        fail_without_memory(parser);
}

static void on_text(void *user, const xmlChar *text, int size)
{
    add_text(user, XML_TEXT, text, (size_t)size, false);
}

static void on_cdata(void *user, const xmlChar *text, int size)
{
    add_text(user, XML_TEXT, text, (size_t)size, true);
}

static void on_comment(void *user, const xmlChar *text)
{
    add_text(user, XML_COMMENT, text, strlen((const char *)text), false);
}

/* ---- bytes ---- */

/* Tells whether the bytes all mean themselves: ASCII, no references, no "]]>" and no line ends but \n. Counts the
 * lines. */
static bool is_plain(const char *text, size_t size, size_t *lines)
{
    enum { BLOCK = 128 }; /* bytes at a time, for the compiler to take several at once */
    unsigned char others = 0;
    *lines = 0;
    for (const char *end = text + size; text < end && !others; text += BLOCK) {
        size_t count = end - text < BLOCK ? (size_t)(end - text) : BLOCK;
        unsigned char breaks = 0;
        for (size_t i = 0; i < count; i++) {
            signed char c = (signed char)text[i];
            others |= (unsigned char)((c < ' ' && c != '\t' && c != '\n') || c == '&' || c == ']');
            breaks = (unsigned char)(breaks + (c == '\n'));
        }
        *lines += breaks;
    }
    return !others;
}

/* Notes the text between the end of a tag and the begin of the next one, if it is long and plain. */
static bool note_plain_text(struct xml_parser *parser, const char *begin, const char *end)
{
    const char *bytes = parser->source->data;
    struct plain_text text = {.begin = (size_t)(begin - bytes), .end = (size_t)(end - bytes)};
    if (end - begin < LONG_TEXT || !is_plain(begin, (size_t)(end - begin), &text.lines))
        return true;
    return array_add(parser->context, &parser->plain, &parser->plain_room, &parser->plain_count, &text, sizeof text);
}

/* Checks the bytes before libxml2 gets them. libxml2 compares all attributes of an element with each other, so their
 * number is bounded first: a start tag has an '=' outside quotes for each. UTF-16 and the like, which hold zero bytes,
 * are refused as well. Notes plain texts. */
static cp_status check_bytes(struct xml_parser *parser)
{
    const struct source *source = parser->source;
    const struct xml_codes *codes = parser->codes;
    const char *zero = memchr(source->data, '\0', source->size);
    if (zero)
        return report_error(source->context, CP_INPUT, codes->encoding,
                            AT_LINE(source->name, source_line(source, (size_t)(zero - source->data))),
                            "the file holds a zero byte; UTF-16 is not read");
    static const char *const markup[][2] = {{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}};
    /* There is a NUL after the last byte and none before it, so strings end where the file does. */
    for (const char *at = strchr(source->data, '<'), *next; at; at = next) {
        size_t kind = 0, equal_signs = 0;
        while (kind < 3 && strncmp(at, markup[kind][0], strlen(markup[kind][0])) != 0)
            kind++;
        if (kind < 3) {
            at = strstr(at + strlen(markup[kind][0]), markup[kind][1]);
            next = at ? strchr(at, '<') : NULL;
            continue;
        }
        /* Read a tag to its end, past the values, which may hold '=' and '>'. */
        for (at++; *at && *at != '<' && *at != '>' && equal_signs <= MOST_ATTRIBUTES; at++) {
            equal_signs += *at == '=';
            if (*at == '"' || *at == '\'')
                at = strchr(at + 1, *at);
            if (!at) /* libxml2 goes no further either */
                return CP_OK;
        }
        if (equal_signs > MOST_ATTRIBUTES)
            return report_error(source->context, CP_LIMIT, codes->attributes,
                                AT_LINE(source->name, source_line(source, (size_t)(at - source->data))),
                                "an element has more than %d attributes", MOST_ATTRIBUTES);
        next = strchr(at, '<');
        if (next && !note_plain_text(parser, at + 1, next))
            return CP_LIMIT;
    }
    return CP_OK;
}

/* Tells whether the bytes are UTF-8. Plain texts are, and are passed over. */
static bool is_utf8(const struct xml_parser *parser)
{
    const char *bytes = parser->source->data;
    size_t begin = 0;
    for (uint32_t i = 0; i < parser->plain_count; begin = parser->plain[i++].end)
        if (!utf8_valid(bytes + begin, parser->plain[i].begin - begin))
            return false;
    return utf8_valid(bytes + begin, parser->source->size - begin);
}

/* Tells whether the XML declaration names an encoding that is not UTF-8. */
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

/* ---- the parser ---- */

cp_status xml_load(cp_context *context)
{
    return library_load(context, &libxml_library);
}

cp_status xml_open(struct xml *xml, const struct source *source, bool strict, const struct xml_codes *codes)
{
    xmlSAXHandler handler = {.initialized = XML_SAX2_MAGIC,
                             .startDocument = on_document,
                             .internalSubset = on_doctype,
                             .startElementNs = on_start,
                             .endElementNs = on_end,
                             .characters = on_text,
                             .ignorableWhitespace = on_text,
                             .cdataBlock = on_cdata,
                             .comment = on_comment,
                             .serror = on_error};
    cp_context *context = source->context;
    *xml = (struct xml){.status = xml_load(context)};
    if (xml->status != CP_OK)
        return xml->status;
    xml->status = CP_LIMIT;
    struct xml_parser *parser = xml->parser = memory_allocate_zeroed(context, 1, sizeof *parser);
    if (!parser)
        return CP_LIMIT;
    uint64_t nesting = limit_nesting(context);
    parser->context = parser->element_text.context = context;
    parser->source = source;
    parser->codes = codes;
    parser->strict = strict;
    parser->most_depth = nesting < DEEPEST ? (uint32_t)nesting : DEEPEST;
    parser->bytes = source->data;
    parser->size = source->size;
    /* read.c has reported already if the top file breaks off. */
    xml->status = source->depth > 0 && source->ends_early
                      ? report_error(context, CP_INPUT, codes->truncated, IN_FILE(source->name),
                                     "the file ends early, after %zu bytes", source->size)
                      : check_bytes(parser);
    bool declares = declares_encoding(source->data, source->size);
    bool is_valid = is_utf8(parser);
    if (declares || !is_valid) /* the bytes are converted */
        parser->plain_count = 0;
    if (xml->status == CP_OK && !is_valid && !declares) {
        xml->status = report_lenient(context, strict, codes->encoding, IN_FILE(source->name),
                                     "the XML is not UTF-8 and is read as Latin-1");
        if (xml->status != CP_OK)
            return xml->status;
        parser->arena = arena_new(context);
        parser->bytes = parser->arena ? utf8_from(parser->arena, source->data, source->size, NULL) : NULL;
        parser->size = parser->bytes ? strlen(parser->bytes) : 0;
        xml->status = parser->bytes ? CP_OK : CP_LIMIT;
    }
    if (xml->status != CP_OK)
        return xml->status;
    /* libxml2 sets up its tables at the first use, which is safe only in one thread. */
    static pthread_once_t tables_made = PTHREAD_ONCE_INIT;
    (void)pthread_once(&tables_made, libxml.xmlInitParser);
    parser->libxml = libxml.xmlCreatePushParserCtxt(&handler, parser, NULL, 0, NULL);
    if (!parser->libxml)
        return xml->status = report_error(context, CP_LIMIT, codes->memory, IN_FILE(source->name), "%s", no_memory);
    /* NOENT: "&amp;" in attributes becomes "&"; without a DOCTYPE there are no entities but XML's five. */
    (void)libxml.xmlCtxtUseOptions(parser->libxml, XML_PARSE_NONET | XML_PARSE_NOENT);
    return CP_OK;
}

void xml_allow_prefixes(struct xml *xml)
{
    if (xml->parser)
        xml->parser->allows_prefixes = true;
}

cp_status xml_close(struct xml *xml)
{
    struct xml_parser *parser = xml->parser;
    if (!parser)
        return xml->status;
    if (parser->undeclared > 0 && xml->status == CP_OK)
        report_warning(parser->context, parser->codes->syntax, AT_LINE(parser->source->name, parser->undeclared_line),
                       "names with a prefix that nothing declares: %llu", (unsigned long long)parser->undeclared);
    if (parser->libxml)
        libxml.xmlFreeParserCtxt(parser->libxml);
    buffer_free(&parser->element_text);
    memory_free(parser->context, parser->queue, parser->room, sizeof *parser->queue);
    memory_free(parser->context, parser->plain, parser->plain_room, sizeof *parser->plain);
    arena_free(parser->piece);
    arena_free(parser->arena);
    memory_free(parser->context, parser, 1, sizeof *parser);
    xml->parser = NULL;
    return xml->status;
}

/* Feeds libxml2 a piece of bytes, up to the next plain text. */
static void feed(struct xml_parser *parser)
{
    bool is_plain_next = parser->plain_taken < parser->plain_count;
    size_t end = is_plain_next ? parser->plain[parser->plain_taken].begin : parser->size;
    size_t left = end - parser->fed, size = left < PIECE_SIZE ? left : PIECE_SIZE;
    bool is_last = parser->fed == parser->size;
    int result = libxml.xmlParseChunk(parser->libxml, parser->bytes + parser->fed, (int)size, is_last);
    parser->fed += size;
    /* If its input buffer cannot grow, libxml2 2.9 gives up without an error. */
    bool cut = result < 0 || result == XML_ERR_NO_MEMORY || (is_last && (!parser->root || parser->depth > 0));
    if (cut && !parser->over)
        fail(parser, CP_LIMIT, parser->codes->memory, "%s", no_memory);
    parser->over = parser->over || is_last;
}

/* Queues the plain text that comes next, if one does and libxml2 is right before it. */
static bool pass_plain_text(struct xml_parser *parser)
{
    if (parser->plain_taken == parser->plain_count || parser->fed != parser->plain[parser->plain_taken].begin)
        return false;
    const struct plain_text *text = &parser->plain[parser->plain_taken++];
    xmlParserInput *input = parser->libxml->input;
    bool is_right_before = input && input->cur == input->end && parser->depth > 0;
    if (!is_right_before || text->lines > (size_t)(INT_MAX - input->line))
        return false;
    input->line += (int)text->lines;
    parser->fed = text->end;
    add_event(
        parser, XML_TEXT,
        (struct xml){.text = parser->bytes + text->begin, .size = text->end - text->begin, .depth = parser->depth});
    return true;
}

enum xml_event xml_next(struct xml *xml)
{
    struct xml_parser *parser = xml->parser;
    if (xml->status != CP_OK)
        return XML_OVER;
    while (parser->taken == parser->count && !parser->over) { /* until there are events */
        parser->count = parser->taken = 0;
        arena_free(parser->piece);
        parser->piece = arena_new(parser->context);
        if (!parser->piece || context_is_cancelled(parser->context))
            fail_without_memory(parser);
        else if (!pass_plain_text(parser))
            feed(parser);
    }
    if (parser->taken < parser->count) {
        *xml = parser->queue[parser->taken].xml;
        return parser->queue[parser->taken++].event;
    }
    xml->status = parser->status;
    if (parser->code)
        (void)report_error(parser->context, parser->status, parser->code,
                           AT_LINE(parser->source->name, parser->error_line), "%s", parser->message);
    return XML_OVER;
}

const char *xml_text(struct xml *xml)
{
    struct buffer *text = &xml->parser->element_text;
    uint32_t depth = xml->depth;
    text->size = 0;
    for (enum xml_event event; (event = xml_next(xml)) != XML_OVER;)
        if (event == XML_TEXT && xml->depth == depth) {
            buffer_append(text, xml->text, xml->size);
        } else if (event == XML_END && xml->depth == depth) {
            buffer_append(text, "", 1);
            if (text->failed)
                xml->status = CP_LIMIT;
            return text->failed ? NULL : text->data;
        }
    return NULL;
}

#else

cp_status xml_open(struct xml *xml, const struct source *source, bool strict, const struct xml_codes *codes)
{
    (void)strict;
    *xml = (struct xml){.status = report_error(source->context, CP_INPUT, codes->unbuilt, IN_FILE(source->name),
                                               "XML is not read: cellpipe was built without libxml2")};
    return xml->status;
}

void xml_allow_prefixes(struct xml *xml)
{
    (void)xml;
}

cp_status xml_close(struct xml *xml)
{
    return xml->status;
}

enum xml_event xml_next(struct xml *xml)
{
    (void)xml;
    return XML_OVER;
}

const char *xml_text(struct xml *xml)
{
    (void)xml;
    return NULL;
}

#endif

bool xml_child(struct xml *xml, uint32_t depth)
{
    for (enum xml_event event; (event = xml_next(xml)) != XML_OVER;)
        if (event == XML_START && xml->depth == depth + 1)
            return true;
        else if (event == XML_END && xml->depth == depth)
            return false;
    return false;
}

const char *xml_attribute(const struct xml *xml, const char *name)
{
    for (uint32_t i = 0; i < xml->attribute_count; i++)
        if (!*xml->attributes[i].uri && strcmp(xml->attributes[i].name, name) == 0)
            return xml->attributes[i].value;
    return NULL;
}

int xml_probe(const char *head, size_t size, const char *root)
{
    const char *end = head + size;
    size_t length = strlen(root);
    head = text_after_mark(head, size);
    while (head < end && is_space(*head))
        head++;
    if (head == end || *head != '<')
        return 0;
    while ((head = memchr(head, '<', (size_t)(end - head))) != NULL) {
        head++;
        if ((size_t)(end - head) > length && memcmp(head, root, length) == 0 &&
            (is_blank(head[length]) || head[length] == '>' || head[length] == '/'))
            return 95;
    }
    return 0;
}
