/* A fuzzer for the reader of XML by itself, which formats stop early: whatever the bytes are, elements end in the order
 * in which they began, texts are UTF-8, lines never go back, and what is no XML is an error with a reason. The other
 * ways around in the document (children, texts) see what the events say. */
#include "base/text/xml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const struct xml_codes codes = XML_CODES("fuzz");

static void check(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "fuzz_xml: %s\n", what);
    abort();
}

static bool is_text(const char *text)
{
    return utf8_valid(text, strlen(text));
}

/* By events; returns how many elements the root has. */
static uint32_t read_events(struct xml *xml)
{
    enum { MOST_OPEN = 256 };
    const char *open[MOST_OPEN];
    uint32_t depth = 0, children = 0;
    uint64_t line = 1;
    for (enum xml_event event; (event = xml_next(xml)) != XML_OVER;) {
        check(xml->line >= line, "a line before the last one");
        line = xml->line;
        if (event == XML_START) {
            check(depth < MOST_OPEN, "too deep");
            open[depth++] = xml->name;
            children += depth == 2;
            for (uint32_t i = 0; i < xml->attribute_count; i++)
                check(is_text(xml->attributes[i].name) && is_text(xml->attributes[i].value),
                      "an attribute is not UTF-8");
        }
        check(xml->depth == depth, "another depth");
        if (event == XML_END)
            check(depth > 0 && strcmp(open[--depth], xml->name) == 0, "an element ends that is not open");
        if (event == XML_TEXT || event == XML_COMMENT)
            check(!memchr(xml->text, 0, xml->size) && utf8_valid(xml->text, xml->size), "a text is not UTF-8");
        if (event == XML_TEXT)
            check(xml->text[xml->size] == 0 || xml->text[xml->size] == '<', "a text that goes on behind its end");
    }
    check(xml->status != CP_OK || depth == 0, "the document ends within an element");
    return children;
}

/* By children and texts. */
static uint32_t read_children(struct xml *xml)
{
    uint32_t children = 0;
    if (!xml_child(xml, 0))
        return 0;
    while (xml_child(xml, 1)) {
        const char *text = children++ % 2 ? xml_text(xml) : "";
        check(text ? is_text(text) : xml->status != CP_OK, "a text is missing");
    }
    check(!xml_child(xml, 0), "a second root");
    return children;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    cp_context *context = cp_context_new(NULL);
    uint32_t children[2];
    cp_status statuses[2];
    for (int round = 0; context && round < 2; round++) {
        struct source *source = NULL;
        struct xml xml;
        size_t told;
        if (source_from_memory(context, bytes, size, "fuzz.xml", &source) != CP_OK)
            break;
        children[round] = 0;
        if (xml_open(&xml, source, false, &codes) == CP_OK)
            children[round] = round ? read_children(&xml) : read_events(&xml);
        statuses[round] = xml_close(&xml);
        source_close(source);
        const cp_entry *entries = cp_report(context, &told);
        check(statuses[round] == CP_OK || (told > 0 && entries[told - 1].severity == CP_ERROR), "no reason is told");
        check(statuses[round] != CP_BUG, "a bug");
        check(round == 0 || (statuses[0] == statuses[1] && children[0] == children[1]), "children are not the events");
    }
    cp_context_free(context);
    return 0;
}
