/* The reader of XML by itself: its events, what it refuses, input that breaks off, and memory that runs out, in libxml2
 * too. */
#include <libxml/xmlerror.h>
#include <libxml/xmlmemory.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/context.h"
#include "base/text/text.h"
#include "base/text/xml.h"
#include "fixture.h"
#include "model/model.h"

static const struct xml_codes codes = XML_CODES("test");

struct file {
    cp_context *context;
    struct source *source;
    struct xml xml;
};

static cp_status open_text(struct file *file, const char *text, size_t size, bool strict)
{
    assert_int_equal(source_from_memory(file->context, text, size, "test.xml", &file->source), CP_OK);
    return xml_open(&file->xml, file->source, strict, &codes);
}

static cp_status close_text(struct file *file)
{
    cp_status status = xml_close(&file->xml);
    source_close(file->source);
    return status;
}

/* All events, one a line: depth, "<" name {uri} attributes, "-" text, "!" comment or ">" name, each with its line. */
static cp_status list_events(struct file *file, struct buffer *list)
{
    struct xml *xml = &file->xml;
    for (enum xml_event event; (event = xml_next(xml)) != XML_OVER; buffer_text(list, "\n")) {
        static const char signs[] = "<-!>";
        buffer_print(list, "%u%c", (unsigned)xml->depth, signs[event]);
        if (event == XML_START || event == XML_END)
            buffer_print(list, "%s{%s}", xml->name, xml->uri);
        else
            buffer_print(list, "%.*s", (int)xml->size, xml->text);
        for (uint32_t i = 0; event == XML_START && i < xml->attribute_count; i++)
            buffer_print(list, " %s{%s}=%s", xml->attributes[i].name, xml->attributes[i].uri, xml->attributes[i].value);
        if (event == XML_START && xml->namespace_count)
            buffer_print(list, " +%u", (unsigned)xml->namespace_count);
        buffer_print(list, " :%u", (unsigned)xml->line);
    }
    return xml->status;
}

static cp_status read_events(cp_context *context, const char *text, size_t size, struct buffer *list)
{
    struct file file = {.context = context};
    *list = (struct buffer){.context = context};
    if (open_text(&file, text, size, false) == CP_OK)
        (void)list_events(&file, list);
    buffer_append(list, "", 1);
    return close_text(&file);
}

static void expect_events(const char *text, const char *expected)
{
    cp_context *context = cp_context_new(NULL);
    struct buffer list;
    if (read_events(context, text, strlen(text), &list) != CP_OK)
        show_report(context);
    assert_string_equal(list.data, expected);
    buffer_free(&list);
    cp_context_free(context);
}

/* One error, with this code at this line, after these events. */
static void expect_error(const char *text, size_t size, cp_status status, const char *code, uint64_t line)
{
    cp_context *context = cp_context_new(NULL);
    struct buffer list;
    size_t count;
    assert_int_equal(read_events(context, text, size, &list), status);
    const cp_entry *entries = cp_report(context, &count);
    assert_int_equal(count, 1);
    if (strcmp(entries[0].code, code) != 0 || entries[0].line != line)
        fail_msg("%s (%s), not %s in line %d", entries[0].message, entries[0].code, code, (int)line);
    buffer_free(&list);
    cp_context_free(context);
}

static void expect_syntax_error(const char *text, uint64_t line)
{
    expect_error(text, strlen(text), CP_INPUT, "test-xml", line);
}

/* ---- events ---- */

static void test_events(void **state)
{
    (void)state;
    expect_events(
        "<?xml version='1.0'?>\n<!-- one --><robot name='a&lt;&#233;'\n  k=\"it's\">\n<link/>t&amp;<![CDATA[<x>]]>"
        "<?pi x?></robot>\n<!--two-->",
        "0! one  :2\n1<robot{} name{}=a<\xc3\xa9 k{}=it's :3\n1-\n :4\n2<link{} :4\n2>link{} :4\n1-t :4\n1-& :4\n"
        "1-<x> :4\n1>robot{} :4\n0!two :5\n");
    expect_events("\xef\xbb\xbf<a/>\r\n", "1<a{} :1\n1>a{} :1\n");
}

static void test_namespaces(void **state)
{
    (void)state;
    expect_events("<a xmlns='urn:a' xmlns:g='urn:g' g:k='1' k='2' xml:lang='en'><g:b xmlns='' ><c/></g:b></a>",
                  "1<a{urn:a} k{urn:g}=1 k{}=2 lang{http://www.w3.org/XML/1998/namespace}=en +2 :1\n"
                  "2<b{urn:g} +1 :1\n3<c{} :1\n3>c{} :1\n2>b{urn:g} :1\n1>a{urn:a} :1\n");
    expect_syntax_error("<a>\n<g:b/></a>", 2); /* a prefix without a namespace */
    expect_syntax_error("<a>\n<b k='1' k='2'/></a>", 2);
}

/* The ways around in the events: children, texts, attributes by name. */
static void test_children(void **state)
{
    (void)state;
    static const char text[] =
        "<!-- c --><robot xmlns:g='urn:g'><link g:name='no' name='base'><visual/><mass> 1<x>9</x> 2"
        "<!-- c -->3</mass></link><joint/><link name='tip'/></robot><!-- end -->";
    struct file file = {.context = cp_context_new(NULL)};
    struct xml *xml = &file.xml;
    char seen[200] = "";
    assert_int_equal(open_text(&file, text, strlen(text), false), CP_OK);
    assert_true(xml_child(xml, 0));
    assert_string_equal(xml->name, "robot");
    assert_null(xml_attribute(xml, "name"));
    while (xml_child(xml, 1)) {
        bool link = strcmp(xml->name, "link") == 0; /* joints are passed over */
        if (link)
            (void)strcat(strcat(seen, xml_attribute(xml, "name")), ":");
        while (link && xml_child(xml, 2))
            if (strcmp(xml->name, "mass") == 0)
                (void)strcat(seen, xml_text(xml));
        (void)strcat(seen, ";");
    }
    assert_string_equal(seen, "base: 1 23;;tip:;");
    assert_false(xml_child(xml, 0));
    assert_int_equal(close_text(&file), CP_OK);
    cp_context_free(file.context);
}

/* Far behind the first piece of bytes, and behind line 65,535, which libxml2's trees do not count past. */
static void test_long_input(void **state)
{
    (void)state;
    enum { LINES = 200000 };
    struct file file = {.context = cp_context_new(NULL)};
    struct buffer text = {.context = file.context};
    uint64_t sum = 0;
    buffer_text(&text, "<list>\n<text>");
    for (int i = 0; i < 40000; i++)
        buffer_print(&text, "%d &lt; ", i);
    buffer_text(&text, "</text>\n");
    for (int i = 0; i < LINES; i++)
        buffer_print(&text, "<item value='%d'/>\n", i);
    buffer_text(&text, "</list>");
    assert_int_equal(open_text(&file, text.data, text.size, false), CP_OK);
    assert_true(xml_child(&file.xml, 0) && xml_child(&file.xml, 1));
    const char *numbers = xml_text(&file.xml);
    for (int i = 0; i < 40000; i++) {
        char expected[20];
        size_t size = (size_t)snprintf(expected, sizeof expected, "%d < ", i);
        assert_memory_equal(numbers, expected, size);
        numbers += size;
    }
    assert_int_equal(*numbers, 0);
    for (uint64_t i = 0; i < LINES; i++) {
        double value;
        assert_true(xml_child(&file.xml, 1));
        assert_int_equal(file.xml.line, i + 3);
        assert_true(text_is_number(xml_attribute(&file.xml, "value"), &value));
        sum += (uint64_t)value;
    }
    assert_int_equal(sum, (uint64_t)LINES * (LINES - 1) / 2);
    assert_false(xml_child(&file.xml, 1));
    assert_int_equal(close_text(&file), CP_OK);
    buffer_free(&text);
    cp_context_free(file.context);
}

/* Lists the events, texts side by side as one, and the error at the end, without a text before it: of that libxml2
 * gives a part. '%' in the document becomes a long text. */
static void list_long_texts(cp_context *context, const char *encoding, const char *document, struct buffer *list)
{
    enum { LINES = 400 };
    struct buffer text = {.context = context};
    struct file file = {.context = context};
    bool in_text = false;
    size_t count, whole = 0;
    cp_report_clear(context);
    buffer_print(&text, "<?xml version='1.0' encoding='%s'?>\n", encoding);
    for (; *document; document++)
        if (*document != '%')
            buffer_append(&text, document, 1);
        else
            for (int i = 0; i < LINES; i++)
                buffer_print(&text, "%d -0.%d\t%de-3 >~\n", i, i, i);
    list->size = 0;
    if (open_text(&file, text.data, text.size, false) == CP_OK)
        for (enum xml_event event; (event = xml_next(&file.xml)) != XML_OVER; in_text = event == XML_TEXT) {
            if (in_text && event != XML_TEXT)
                buffer_print(list, ":%u", (unsigned)file.xml.line);
            if (event == XML_START || event == XML_END)
                buffer_print(list, "\n%u%s :%u\n", (unsigned)file.xml.depth, file.xml.name, (unsigned)file.xml.line);
            else
                buffer_append(list, file.xml.text, file.xml.size);
            whole = event == XML_TEXT ? whole : list->size;
        }
    cp_status status = close_text(&file);
    if (status != CP_OK)
        list->size = whole;
    const cp_entry *entries = cp_report(context, &count);
    buffer_print(list, "%d", (int)status);
    for (size_t i = 0; i < count; i++)
        if (entries[i].severity == CP_ERROR)
            buffer_print(list, " %s %u %s", entries[i].code, (unsigned)entries[i].line, entries[i].message);
    buffer_append(list, "", 1);
    buffer_free(&text);
}

/* libxml2 never gets long texts without markup, unless a document declares an encoding: nobody may see the difference.
 */
static void test_long_texts(void **state)
{
    (void)state;
    static const char *const documents[] = {
        "<a>%</a>",
        "<a k='>'>%<b>%</b>%<c/>%<!-- c -->%<d/></a>",
        "<a>%<![CDATA[<x>%]]>%<!-- <y>%-->%<?p <z>%?>%</a>",
        "<a k='%'>%<b/></a>",
        "<a>%&amp;%&#10;%</a>",
        "<a>%]]%<b/></a>",
        "<a>%\r\n%\r%<b/></a>",
        "<a>%<b>%</c></a>",
        "<a>%\n&x;%</a>",
        "<a>%\x01</a>",
        "<a>%]]></a>",
        "<a>%",
        "<a>%</a",
        "<a>%<b>%</b>",
        "<a/>%",
        "<a></a>%<b/>",
        "%<a/>",
        "<!-- c -->%<a/>",
        "<!DOCTYPE a>%<a/>",
        "<a>%<g:b>%</g:b></a>",
        "<a>\xe9\xe9\xe9\xe9<c/><c/>%<b/></a>",
    };
    cp_context *context = cp_context_new(NULL);
    struct buffer ours = {.context = context}, libxml2 = {.context = context};
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
        list_long_texts(context, "UTF-8", documents[i], &ours);
        list_long_texts(context, "ISO-8859-1", documents[i], &libxml2);
        size_t same = 0;
        while (ours.data[same] && ours.data[same] == libxml2.data[same])
            same++;
        if (ours.data[same] || libxml2.data[same])
            fail_msg("%s: \"%.60s\" in place of \"%.60s\"", documents[i], ours.data + same, libxml2.data + same);
    }
    buffer_free(&ours);
    buffer_free(&libxml2);
    cp_context_free(context);
}

/* ---- what is refused ---- */

static void test_doctype(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "<?xml version='1.0'?>\n<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>",
        "<!-- c -->\n<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a/>",
        "\n<!DOCTYPE a PUBLIC '-//A//B' 'http://localhost/a.dtd'><a/>",
        "\n<!DOCTYPE a [<!ENTITY x0 'ha'><!ENTITY x1 '&x0;&x0;&x0;&x0;'><!ENTITY x2 '&x1;&x1;&x1;&x1;'>]><a>&x2;</a>",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect_error(texts[i], strlen(texts[i]), CP_INPUT, "test-doctype", 2);
    expect_syntax_error("<a>\n&other;</a>", 2);
}

static void test_depth(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    for (int depth = 255; depth < 258; depth++) {
        struct buffer text = {.context = context}, list;
        for (int i = 0; i < depth; i++)
            buffer_text(&text, "<x>\n");
        for (int i = 0; i < depth; i++)
            buffer_text(&text, "</x>");
        if (depth > 256) {
            expect_error(text.data, text.size, CP_LIMIT, "test-depth", 257);
        } else {
            assert_int_equal(read_events(context, text.data, text.size, &list), CP_OK);
            buffer_free(&list);
        }
        buffer_free(&text);
    }
    struct buffer list;
    assert_int_equal(cp_set_limit(context, "nesting=3"), CP_OK);
    assert_int_equal(read_events(context, "<a><b><c/></b></a>", 18, &list), CP_OK);
    buffer_free(&list);
    assert_int_equal(read_events(context, "<a><b><c><d/></c></b></a>", 25, &list), CP_LIMIT);
    assert_string_equal(list.data, "1<a{} :1\n2<b{} :1\n3<c{} :1\n"); /* all before the error */
    buffer_free(&list);
    cp_context_free(context);
}

/* By the thousand they would cost libxml2 a square. What else has '=' is not meant. */
static void test_attributes(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    for (int count = 256; count < 258; count++) {
        struct buffer text = {.context = context}, list;
        buffer_text(&text, "<!-- <a \n='--><a>\n<b");
        for (int i = 0; i < count; i++)
            buffer_print(&text, " k%d=\"a=b>'=\"", i);
        buffer_text(&text, ">");
        for (int i = 0; i < 1000; i++)
            buffer_text(&text, "= a=\"");
        buffer_text(&text, "<![CDATA[");
        for (int i = 0; i < 1000; i++)
            buffer_text(&text, "< a=");
        buffer_text(&text, "]]></b></a>");
        if (count > 256) {
            expect_error(text.data, text.size, CP_LIMIT, "test-limit", 3);
        } else {
            assert_int_equal(read_events(context, text.data, text.size, &list), CP_OK);
            buffer_free(&list);
        }
        buffer_free(&text);
    }
    cp_context_free(context);
}

static void test_encodings(void **state)
{
    (void)state;
    expect_events("<?xml version='1.0' encoding='ISO-8859-1'?><a>\xe9</a>", "1<a{} :1\n1-\xc3\xa9 :1\n1>a{} :1\n");
    expect_events("<?xml version='1.0' encoding='utf-8'?><a>\xe9</a>", "1<a{} :1\n1-\xc3\xa9 :1\n1>a{} :1\n");
    static const char other[] = "<?xml version='1.0' encoding='UTF-7'?><a/>", wide[] = "<\0a\0/\0>";
    expect_error(other, strlen(other), CP_INPUT, "test-encoding", 1);
    expect_error(wide, sizeof wide, CP_INPUT, "test-encoding", 1);
    struct file file = {.context = cp_context_new(NULL)};
    assert_int_equal(open_text(&file, "<a>\xe9</a>", 8, true), CP_INPUT);
    assert_int_equal(xml_next(&file.xml), XML_OVER);
    assert_int_equal(close_text(&file), CP_INPUT);
    cp_context_free(file.context);
}

/* Every beginning of a document ends in an error, after the events that are in it. */
static void test_cut_input(void **state)
{
    (void)state;
    static const char text[] = "<?xml version='1.0'?>\n<a k='1'><!-- c --><b>t&amp;</b><![CDATA[x]]></a>";
    cp_context *context = cp_context_new(NULL);
    struct buffer whole;
    assert_int_equal(read_events(context, text, strlen(text), &whole), CP_OK);
    for (size_t size = 0; size < strlen(text); size++) {
        struct buffer list;
        cp_report_clear(context);
        assert_int_equal(read_events(context, text, size, &list), CP_INPUT);
        assert_int_equal(count_entries(context, CP_ERROR, "test-xml"), 1);
        /* All events but the last, which may be a piece of one. */
        size_t end = list.size > 1 ? list.size - 2 : 0;
        while (end > 0 && list.data[end - 1] != '\n')
            end--;
        assert_memory_equal(list.data, whole.data, end);
        buffer_free(&list);
    }
    buffer_free(&whole);
    cp_context_free(context);
}

static void test_syntax(void **state)
{
    (void)state;
    expect_syntax_error("", 1);
    expect_syntax_error("text", 1);
    expect_syntax_error("<!-- c -->\n", 2);
    expect_syntax_error("<a>\n</b>", 2);
    expect_syntax_error("<a/>\n<a/>", 2);
    expect_syntax_error("<a>\n<b k=1/></a>", 2);
    expect_syntax_error("<a>\n\x01</a>", 2);
    expect_syntax_error("<a><!-- -- -->\n</a>", 1);
}

/* ---- memory and cancelling: the first fifty steps fail one by one, then ever fewer of them ---- */

/* A document of several pieces with everything that takes memory: as Latin-1, or as UTF-8 with a long text. */
static void write_document(struct buffer *text, bool is_latin)
{
    text->size = 0;
    buffer_text(text, "<?xml version='1.0'?>\n<a xmlns:g='urn:g'>");
    if (is_latin)
        buffer_text(text, "caf\xe9");
    else
        buffer_print(text, "<l>%05000d</l>", 1);
    for (int i = 0; i < 140; i++)
        buffer_print(text, "<g:b%d k='%d' g:k='&lt;%d'><!-- %0200d -->%0300d</g:b%d>\n", i, i, i, i, i, i);
    buffer_text(text, "</a>");
}

static cp_status read_all(cp_context *context, const struct buffer *text, size_t *events)
{
    struct source *source;
    struct xml xml;
    if (source_from_memory(context, text->data, text->size, "test.xml", &source) != CP_OK) {
        source_close(source);
        return CP_LIMIT;
    }
    *events = 0;
    if (xml_open(&xml, source, false, &codes) == CP_OK)
        while (xml_next(&xml) != XML_OVER)
            ++*events;
    cp_status status = xml_close(&xml);
    source_close(source);
    return status;
}

static void fail_allocations(bool is_latin)
{
    struct buffer text = {.context = cp_context_new(NULL)};
    size_t whole, events;
    write_document(&text, is_latin);
    assert_int_equal(read_all(text.context, &text, &whole), CP_OK);
    cp_status status = CP_LIMIT;
    for (size_t n = 1; status != CP_OK; n += 1 + n / 50) {
        struct counter counter = {0};
        cp_context *context = cp_context_new(&(cp_allocator){counted_resize, &counter});
        counter.limit = counter.calls + n;
        status = read_all(context, &text, &events);
        if (counter.calls < counter.limit)
            assert_int_equal(status, CP_OK);
        else if (status == CP_OK) /* the warning alone had no memory */
            assert_int_equal(events, whole);
        else
            assert_int_equal(status, CP_LIMIT);
        if (counter.calls >= counter.limit)
            status = CP_LIMIT;
        cp_context_free(context);
        assert_int_equal(counter.blocks, 0);
    }
    cp_context *context = text.context;
    buffer_free(&text);
    cp_context_free(context);
}

static void test_failed_allocations(void **state)
{
    (void)state;
    fail_allocations(true);
    fail_allocations(false);
}

/* libxml2's own allocations, by the hooks it has for this. */
static struct counter libxml;

static void *libxml_malloc(size_t size)
{
    return counted_resize(&libxml, NULL, 0, size ? size : 1);
}

static void *libxml_realloc(void *block, size_t size)
{
    return counted_resize(&libxml, block, 0, size ? size : 1);
}

static void libxml_free(void *block)
{
    (void)counted_resize(&libxml, block, 0, 0);
}

static char *libxml_strdup(const char *text)
{
    char *copy = libxml_malloc(strlen(text) + 1);
    return copy ? strcpy(copy, text) : NULL;
}

/* libxml2 tells of its own failures on stderr. */
static void say_nothing(void *user, const char *message, ...)
{
    (void)user;
    (void)message;
}

/* Either the document is read as it is, since what failed was not needed, or there is an error; in some places libxml2
 * takes a failed allocation for a mistake in the document. */
static void test_failed_allocations_in_libxml(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    struct buffer text = {.context = context};
    size_t whole, events, told = 0;
    bool reached = true;
    write_document(&text, true);
    assert_int_equal(read_all(context, &text, &whole), CP_OK);
    for (size_t n = 1; reached; n += 1 + n / 50) {
        xmlResetLastError();
        size_t blocks = libxml.blocks;
        cp_report_clear(context);
        libxml.limit = libxml.calls + n;
        cp_status status = read_all(context, &text, &events);
        reached = libxml.calls >= libxml.limit;
        libxml.limit = 0;
        if (status == CP_OK) {
            assert_int_equal(events, whole);
        } else {
            told += was_reported(context, "test-memory");
            assert_int_equal(
                count_entries(context, CP_ERROR, "test-memory") + count_entries(context, CP_ERROR, "test-xml"), 1);
        }
        xmlResetLastError();
        assert_int_equal(libxml.blocks, blocks);
    }
    assert_true(told > 20);
    buffer_free(&text);
    cp_context_free(context);
}

static bool say_after(void *user)
{
    long *calls = user;
    return --*calls < 0;
}

static void test_cancel(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    struct buffer text = {.context = context};
    size_t whole, events = 0;
    write_document(&text, true);
    assert_int_equal(read_all(context, &text, &whole), CP_OK);
    cp_status status = CP_LIMIT;
    for (long n = 0; status != CP_OK; n += 1 + n / 50) {
        long calls = n;
        cp_report_clear(context);
        cp_set_cancel(context, say_after, &calls);
        status = context_finish(context, read_all(context, &text, &events));
        cp_set_cancel(context, NULL, NULL);
        if (calls < 0 && status != CP_OK)
            assert_int_equal(status, CP_CANCELLED);
    }
    assert_int_equal(events, whole);
    buffer_free(&text);
    cp_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_namespaces),
        cmocka_unit_test(test_children),
        cmocka_unit_test(test_long_input),
        cmocka_unit_test(test_long_texts),
        cmocka_unit_test(test_doctype),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_attributes),
        cmocka_unit_test(test_encodings),
        cmocka_unit_test(test_cut_input),
        cmocka_unit_test(test_syntax),
        cmocka_unit_test(test_failed_allocations),
        cmocka_unit_test(test_failed_allocations_in_libxml),
        cmocka_unit_test(test_cancel),
    };
    /* before its first use */
    if (xmlMemSetup(libxml_free, libxml_malloc, libxml_realloc, libxml_strdup) != 0)
        return 1;
    xmlSetGenericErrorFunc(NULL, say_nothing);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
