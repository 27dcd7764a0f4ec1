/* Tests of xacro share this: documents are expanded, and compared as trees. Blanks around texts, comments and the order
 * of attributes do not count. */
#ifndef XACRO_SUPPORT_H
#define XACRO_SUPPORT_H

#include "../../importers/xacro/xacro.h"
#include "fixture.h"

static const struct xml_codes codes = XML_CODES("test");

static const char blanks[] = " \t\r\n";

/* Appends the tree in a form that is the same for equal ones. */
static void describe(const struct xml_node *node, struct buffer *text)
{
    if (!node->name) {
        const char *begin = node->text + strspn(node->text, blanks);
        size_t size = strlen(begin);
        while (size > 0 && strchr(blanks, begin[size - 1]))
            size--;
        buffer_append(text, begin, size);
        return;
    }
    buffer_print(text, "\n<%s", node->name);
    const char *last = "";
    for (uint32_t i = 0; i < node->attribute_count; i++) {
        const struct xml_item *next = NULL;
        for (uint32_t j = 0; j < node->attribute_count; j++) {
            const struct xml_item *item = &node->attributes[j];
            if (strcmp(item->name, last) > 0 && (!next || strcmp(item->name, next->name) < 0))
                next = item;
        }
        if (!next)
            break;
        last = next->name;
        if (strcmp(last, "xmlns:xacro") != 0)
            buffer_print(text, " %s='%s'", next->name, next->value);
    }
    buffer_text(text, ">");
    for (const struct xml_node *child = node->first; child; child = child->next)
        describe(child, text);
    buffer_text(text, "</>");
}

static char *described(cp_context *context, const struct xml_node *root)
{
    struct buffer text = {.context = context};
    describe(root, &text);
    buffer_append(&text, "", 1);
    assert_false(text.failed);
    char *copy = strdup(text.data);
    buffer_free(&text);
    return copy;
}

/* Expands a file. NULL, with the report in the context, on an error. */
static char *expanded(cp_context *context, const char *path, const struct xacro_settings *settings)
{
    struct arena *arena = arena_new(context);
    struct source *source;
    struct xml_node *root;
    char *text = NULL;
    assert_int_equal(source_open_top(context, path, &source), CP_OK);
    if (xml_tree_read(source, false, &codes, arena, &root) == CP_OK &&
        xacro_expand(source, settings, false, arena, &root) == CP_OK)
        text = described(context, root);
    source_close(source);
    arena_free(arena);
    return text;
}

/* The same form of a text that is expanded already. */
static char *plain(cp_context *context, const char *bytes)
{
    struct arena *arena = arena_new(context);
    struct source *source;
    struct xml_node *root;
    assert_int_equal(source_from_memory(context, bytes, strlen(bytes), "expected", &source), CP_OK);
    expect_status(context, xml_tree_read(source, false, &codes, arena, &root), CP_OK);
    char *text = described(context, root);
    source_close(source);
    arena_free(arena);
    return text;
}

static void expect_same(const char *name, const char *got, const char *expected)
{
    if (strcmp(got, expected) == 0)
        return;
    size_t at = 0;
    while (got[at] == expected[at])
        at++;
    at = at > 60 ? at - 60 : 0;
    fail_msg("%s:\n...%.200s\nis not\n...%.200s", name, got + at, expected + at);
}

#endif
