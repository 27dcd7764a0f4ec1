/* XML 1.0 with namespaces as a stream of events, in the order of the document:
 *
 *     static const struct xml_codes codes = XML_CODES("urdf");
 *     struct xml xml;
 *     (void)xml_open(&xml, source, strict, &codes);
 *     while (xml_child(&xml, 0))     // <robot>, and what it holds
 *         while (xml_child(&xml, 1))
 *             if (strcmp(xml.name, "link") == 0)
 *                 read_link(&xml);   // xml_attribute(&xml, "name"), while (xml_child(&xml, 2)) ...
 *     cp_status status = xml_close(&xml); // of all that was read
 *
 * The parser is libxml2's. No DOCTYPE is read: no entities but XML's five, and nothing else is opened. Elements have at
 * most 256 attributes and are nested at most 256 deep (fewer by the context's limit); libxml2 bounds names by 50,000
 * bytes and values by 10 MB. Text comes as UTF-8. Encodings: UTF-8, ASCII, ISO-8859-1, Windows-1252; a file that
 * declares none, or UTF-8, and is not UTF-8 is read as Latin-1 with a warning, and refused when strict. */
#ifndef CELLPIPE_BASE_TEXT_XML_H
#define CELLPIPE_BASE_TEXT_XML_H

#include "base/bytes/bytes.h"

/* The members of an importer's struct plugin if it reads XML. */
#ifdef HAVE_XML2
#define XML_PACKAGE NULL
enum { XML_IS_BUILT = 1 };
#else
#define XML_PACKAGE "libxml2-dev"
enum { XML_IS_BUILT = 0 };
#endif

/* The codes of the errors, which begin with the importer's name. An importer has no errors of its own with these codes;
 * the cases of collision-setup test them for all. */
struct xml_codes {
    const char *syntax, *doctype, *encoding, *depth, *attributes, *memory, *truncated, *unbuilt;
};
#define XML_CODES(name)                                                                                                \
    {                                                                                                                  \
        name "-xml", name "-doctype", name "-encoding", name "-depth", name "-limit", name "-memory",                  \
            name "-truncated", name "-unbuilt"                                                                         \
    }

enum xml_event {
    XML_START,
    XML_TEXT, /* a piece of it: between two tags there may be several. CDATA is text */
    XML_COMMENT,
    XML_END,
    XML_OVER /* the document has ended, or an error: see status */
};

struct xml_attribute {
    const char *name;   /* without prefix */
    const char *uri;    /* of its namespace; "" without a prefix (but see xml_allow_prefixes) */
    const char *value;  /* "&amp;" is "&" already; blanks stay */
    const char *prefix; /* "" for none */
};

struct xml_namespace {
    const char *prefix; /* "" for that of names without one */
    const char *uri;
};

/* The event that xml_next returned last; members that it does not have are NULL or 0. Names and URIs live until
 * xml_close, texts and attributes until the next event. */
struct xml {
    const char *name; /* of the element that starts or ends, without prefix */
    const char *uri;  /* of its namespace; "" for none */
    const char *prefix;
    const struct xml_attribute *attributes;
    uint32_t attribute_count;
    const struct xml_namespace *namespaces; /* xmlns and xmlns:PREFIX, which are not among the attributes */
    uint32_t namespace_count;
    const char *text; /* of text or a comment: `size` bytes; behind them is a NUL or '<' */
    size_t size;
    bool is_cdata;    /* the text stands in <![CDATA[ ]]> */
    uint32_t depth;   /* open elements, the one that starts or ends included; 1 for the root */
    uint64_t line;    /* the line in which the event ends: the last one of a tag over several lines */
    cp_status status; /* CP_INPUT, CP_LIMIT: reported */
    struct xml_parser *parser;
};

/* Returns, for the probe of an importer, 95 if the head of a file looks like XML and an element of this name starts in
 * it, else 0. */
int xml_probe(const char *head, size_t size, const char *root);

/* Loads libxml2, as xml_open does; for a process that may not open files later. */
cp_status xml_load(cp_context *context);
/* Opens the bytes of the source, which must stay. The first error, here or later, ends the events. Call xml_close even
 * on failure. */
cp_status xml_open(struct xml *xml, const struct source *source, bool strict, const struct xml_codes *codes);
/* Allows prefixes that nothing declares, with one warning of the code `syntax`; with `strict` of xml_open they are an
 * error. Such a prefix is its own namespace. Call it before the first event. */
void xml_allow_prefixes(struct xml *xml);
/* Frees all, and returns the status. */
cp_status xml_close(struct xml *xml);

enum xml_event xml_next(struct xml *xml);
/* Goes to the next element right inside the open one at `depth` (0: to the root), past text, comments and whatever is
 * left of the child before. False when the open one has ended, or there is an error. */
bool xml_child(struct xml *xml, uint32_t depth);
/* Goes to the end of the element that has just started, and returns the text right inside it, joined; it lives until
 * the next call. NULL after an error. */
const char *xml_text(struct xml *xml);
/* Returns the value of an attribute without a namespace, or NULL. */
const char *xml_attribute(const struct xml *xml, const char *name);

#endif
