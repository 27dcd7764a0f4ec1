/* XML as a tree, and the mending of what other readers accept. */
#include "xml_tree.h"

#include <string.h>

#include "text.h"

/* ---- mending ---- */

enum fault { FAULT_BEFORE, FAULT_DECLARATION, FAULT_VERSION, FAULT_HYPHENS, FAULT_COUNT };
static const char *const fault_words[] = {
    [FAULT_BEFORE] = "text before the first element is passed over",
    [FAULT_DECLARATION] = "an XML declaration that does not come first is passed over",
    [FAULT_VERSION] = "the XML declaration has no version, or one that is not 1.0",
    [FAULT_HYPHENS] = "comments with two hyphens in them",
};

struct mending {
    const char *data, *start; /* the file's text, and where it begins after a byte order mark */
    struct arena *arena;
    char *copy; /* the mended text, made when the first fault is found */
    size_t size;
    uint64_t counts[FAULT_COUNT];
    const char *first[FAULT_COUNT]; /* where each fault is found first */
};

/* Blanks bytes of the copy out; lines stay. False when out of memory. */
static bool blank(struct mending *mending, enum fault fault, const char *from, const char *end)
{
    if (mending->counts[fault]++ == 0)
        mending->first[fault] = from;
    if (!mending->copy)
        mending->copy = arena_copy_text(mending->arena, mending->data, mending->size);
    for (const char *at = from; mending->copy && at < end; at++)
        if (!is_line_end(*at))
            mending->copy[at - mending->data] = ' ';
    return mending->copy;
}

static bool mend_declaration(struct mending *mending, const char *at, const char *end)
{
    if (at != mending->start)
        return blank(mending, FAULT_DECLARATION, at, end + 2);
    const char *version = strstr(at, "version"), *quote = version ? strpbrk(version, "\"'") : NULL;
    bool sound = quote && quote < end && quote[1] == '1';
    return sound || blank(mending, FAULT_VERSION, at, end + 2);
}

/* Goes over the markup that is no element, to the first piece of it that does not end. False when out of memory. */
static bool mend(struct mending *mending)
{
    static const struct {
        const char *open, *close;
    } marks[] = {{"<!--", "-->"}, {"<?xml", "?>"}, {"<![CDATA[", "]]>"}, {"<", ""}};
    const char *text = mending->start + strspn(mending->start, " \t\r\n");
    const char *at = strchr(text, '<');
    bool good = !at || at == text || blank(mending, FAULT_BEFORE, text, at);
    while (at && good) {
        size_t kind = 0, size;
        while (size = strlen(marks[kind].open), strncmp(at, marks[kind].open, size) != 0)
            kind++;
        const char *end = *marks[kind].close ? strstr(at + size, marks[kind].close) : at + size;
        if (!end)
            break;
        if (kind == 0 && strstr(at + size, "--") != end)
            good = blank(mending, FAULT_HYPHENS, at + size, end);
        else if (kind == 1 && (is_blank(at[size]) || at[size] == '?'))
            good = mend_declaration(mending, at, end);
        at = strchr(end, '<');
    }
    return good;
}

static cp_status report_faults(const struct mending *mending, const struct source *source, bool strict,
                               const struct xml_codes *codes)
{
    cp_status status = CP_OK;
    for (size_t i = 0; i < FAULT_COUNT && status == CP_OK; i++)
        if (mending->counts[i] > 0)
            status =
                report_lenient(source->context, strict, codes->syntax,
                               AT_LINE(source->name, source_line(source, (size_t)(mending->first[i] - mending->data))),
                               "%s", fault_words[i]);
    return status;
}

/* ---- the tree ---- */

struct tree {
    struct xml xml;
    const struct source *source;
    const char *file;   /* its name, which lives as long as the tree */
    struct buffer text; /* the begin of a text whose end has not come */
    uint64_t text_line;
    bool text_is_cdata;
    struct arena *arena;
    struct xml_node **open; /* the open elements */
    uint32_t depth, room;
};

static const char *full_name(struct arena *arena, const char *prefix, const char *name)
{
    return *prefix ? arena_print(arena, "%s:%s", prefix, name) : arena_copy_text(arena, name, strlen(name));
}

static bool copy_attributes(struct tree *tree, struct xml_node *node)
{
    const struct xml *xml = &tree->xml;
    node->attribute_count = xml->namespace_count + xml->attribute_count;
    struct xml_item *item = node->attributes =
        arena_allocate(tree->arena, node->attribute_count, sizeof *node->attributes);
    bool good = item;
    for (uint32_t i = 0; i < xml->namespace_count && good; i++, item++) {
        const struct xml_namespace *from = &xml->namespaces[i];
        item->name = *from->prefix ? full_name(tree->arena, "xmlns", from->prefix) : "xmlns";
        item->value = arena_copy_text(tree->arena, from->uri, strlen(from->uri));
        good = item->name && item->value;
    }
    for (uint32_t i = 0; i < xml->attribute_count && good; i++, item++) {
        const struct xml_attribute *from = &xml->attributes[i];
        item->name = full_name(tree->arena, from->prefix, from->name);
        item->value = arena_copy_text(tree->arena, from->value, strlen(from->value));
        good = item->name && item->value;
    }
    return good;
}

/* Adds an element or a text below the innermost open element. NULL when out of memory. */
static struct xml_node *add_node(struct tree *tree, uint64_t line)
{
    struct xml_node *node = arena_allocate_zeroed(tree->arena, 1, sizeof *node);
    if (!node)
        return NULL;
    node->file = tree->file;
    node->line = line;
    if (tree->depth > 0)
        xml_node_append(tree->open[tree->depth - 1], node);
    return node;
}

static cp_status open_element(struct tree *tree, struct xml_node **root)
{
    struct xml_node *node = add_node(tree, tree->xml.line);
    if (!node || !copy_attributes(tree, node) ||
        !array_add(tree->source->context, &tree->open, &tree->room, &tree->depth, &node, sizeof node))
        return CP_LIMIT;
    node->name = full_name(tree->arena, tree->xml.prefix, tree->xml.name);
    if (tree->depth == 1)
        *root = node;
    return node->name ? CP_OK : CP_LIMIT;
}

/* Adds the text that has come since the last tag, if there is any. */
static cp_status end_text(struct tree *tree)
{
    if (tree->text.size == 0)
        return CP_OK;
    struct xml_node *node = add_node(tree, tree->text_line);
    if (node)
        node->text = arena_copy_text(tree->arena, tree->text.data, tree->text.size);
    if (!node || !node->text)
        return CP_LIMIT;
    node->is_cdata = tree->text_is_cdata;
    tree->text.size = 0;
    return CP_OK;
}

/* Keeps a piece of a text, which may come in several. */
static cp_status keep_text(struct tree *tree)
{
    cp_status status = tree->xml.is_cdata != tree->text_is_cdata ? end_text(tree) : CP_OK;
    if (tree->text.size == 0)
        tree->text_line = tree->xml.line;
    tree->text_is_cdata = tree->xml.is_cdata;
    buffer_append(&tree->text, tree->xml.text, tree->xml.size);
    return tree->text.failed ? CP_LIMIT : status;
}

static cp_status read_events(struct tree *tree, struct xml_node **root)
{
    cp_status status = CP_OK;
    while (status == CP_OK) {
        enum xml_event event = xml_next(&tree->xml);
        if (event == XML_START || event == XML_END)
            status = end_text(tree);
        if (status != CP_OK)
            break;
        switch (event) {
        case XML_START:
            status = open_element(tree, root);
            break;
        case XML_TEXT:
            status = keep_text(tree);
            break;
        case XML_END:
            tree->depth--;
            break;
        case XML_COMMENT:
            break;
        case XML_OVER:
            return CP_OK;
        }
    }
    return status;
}

cp_status xml_tree_read(const struct source *source, bool strict, const struct xml_codes *codes, struct arena *arena,
                        struct xml_node **root)
{
    struct mending mending = {.data = source->data,
                              .start = text_after_mark(source->data, source->size),
                              .arena = arena,
                              .size = source->size};
    struct tree tree = {.source = source,
                        .file = arena_copy_text(arena, source->name, strlen(source->name)),
                        .text = {.context = source->context},
                        .arena = arena};
    *root = NULL;
    if (!tree.file)
        return CP_LIMIT;
    /* Bytes behind a zero byte are not looked at: xml_open refuses the file. */
    cp_status status = mend(&mending) ? report_faults(&mending, source, strict, codes) : CP_LIMIT;
    if (status != CP_OK)
        return status;
    struct source mended = *source;
    if (mending.copy)
        mended.data = mending.copy;
    (void)xml_open(&tree.xml, &mended, strict, codes);
    xml_allow_prefixes(&tree.xml);
    status = read_events(&tree, root);
    cp_status closed = xml_close(&tree.xml);
    buffer_free(&tree.text);
    memory_free(source->context, tree.open, tree.room, sizeof *tree.open);
    return closed != CP_OK ? closed : status;
}

/* ---- its nodes ---- */

const char *xml_node_attribute(const struct xml_node *node, const char *name)
{
    for (uint32_t i = 0; i < node->attribute_count; i++)
        if (strcmp(node->attributes[i].name, name) == 0)
            return node->attributes[i].value;
    return NULL;
}

static struct xml_node *find(struct xml_node *from, const char *name)
{
    while (from && (!from->name || (name && strcmp(from->name, name) != 0)))
        from = from->next;
    return from;
}

struct xml_node *xml_node_child(const struct xml_node *node, const char *name)
{
    return find(node->first, name);
}

struct xml_node *xml_node_next(const struct xml_node *child, const char *name)
{
    return find(child->next, name);
}

void xml_node_append(struct xml_node *parent, struct xml_node *child)
{
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
}

static void write_escaped(struct buffer *out, const char *text)
{
    for (; *text; text++)
        if (*text == '&')
            buffer_text(out, "&amp;");
        else if (*text == '<')
            buffer_text(out, "&lt;");
        else if (*text == '"')
            buffer_text(out, "&quot;");
        else
            buffer_append(out, text, 1);
}

/* The recursion is bounded: elements are nested 256 deep in a file, and 1000 deep in what xacro makes of it. */
void xml_node_write(const struct xml_node *node, struct buffer *text)
{
    if (!node->name) {
        write_escaped(text, node->text);
        return;
    }
    buffer_print(text, "<%s", node->name);
    for (uint32_t i = 0; i < node->attribute_count; i++) {
        buffer_print(text, " %s=\"", node->attributes[i].name);
        write_escaped(text, node->attributes[i].value);
        buffer_text(text, "\"");
    }
    buffer_text(text, node->first ? ">" : "/>");
    for (const struct xml_node *child = node->first; child; child = child->next)
        xml_node_write(child, text);
    if (node->first)
        buffer_print(text, "</%s>", node->name);
}
