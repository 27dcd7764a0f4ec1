/* XML as a tree in an arena, for formats whose elements refer to each other or are copied (URDF, xacro, SRDF).
 *
 * Such files are written by hand and by many programs, and the readers of the robots' world accept what libxml2 does
 * not. So three things are mended first, each with a warning, and an error when strict: text before the first element,
 * or a declaration that does not come first; two hyphens in a comment; a declared version other than 1.0. Lines keep
 * their numbers. Nothing else is mended: a bare & or an attribute without quotes is an error with its line. */
#ifndef CELLPIPE_BASE_TEXT_XML_TREE_H
#define CELLPIPE_BASE_TEXT_XML_TREE_H

#include "xml.h"

/* An attribute, with its prefix: "xlink:href". Declarations of namespaces are among them: "xmlns:xlink". */
struct xml_item {
    const char *name, *value;
};

/* An element, or a text between two tags (name NULL). Comments are left out. */
struct xml_node {
    const char *name; /* with its prefix: "xacro:if" */
    const char *text; /* of a text; else NULL */
    const char *file; /* for messages */
    uint64_t line;
    bool is_cdata; /* the text stands in <![CDATA[ ]]> */
    struct xml_item *attributes;
    uint32_t attribute_count;
    struct xml_node *next, *first, *last; /* the next one below the same parent; the children */
};

/* Reads a document into *root, in the arena. */
cp_status xml_tree_read(const struct source *source, bool strict, const struct xml_codes *codes, struct arena *arena,
                        struct xml_node **root);

/* The value of an attribute, or NULL. */
const char *xml_node_attribute(const struct xml_node *node, const char *name);
/* The first child of this name, or NULL; and the next one after such a child. name NULL: any element. */
struct xml_node *xml_node_child(const struct xml_node *node, const char *name);
struct xml_node *xml_node_next(const struct xml_node *child, const char *name);
/* Appends a child, which hangs nowhere yet. */
void xml_node_append(struct xml_node *parent, struct xml_node *child);
/* Writes the node as XML. */
void xml_node_write(const struct xml_node *node, struct buffer *text);
/* Returns where the node stands, for the report. */
static inline struct place xml_node_place(const struct xml_node *node)
{
    return AT_LINE(node->file, node->line);
}

#endif
