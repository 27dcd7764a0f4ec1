/* A look at the elements of an XML file without a parser's promises: for lists of files, not for reading them. */
#ifndef CELLPIPE_CLI_MARKUP_H
#define CELLPIPE_CLI_MARKUP_H

#include <stdbool.h>
#include <stddef.h>

/* A part of the text. */
struct piece {
    const char *at;
    size_t size;
};

/* The walk over the tags of a text; start with {.at = text, .end = its end}. */
struct markup {
    const char *at, *end;
    struct piece name, attributes; /* belong to the element that has just begun */
    unsigned depth;                /* is 1 for the first element, 2 for those right below it */
    unsigned open;                 /* elements around `at` */
};

/* Goes on to the next element that begins. False at the end, and where no tag can be made out. */
bool markup_next(struct markup *markup);
/* Returns the value of an attribute of that element; at NULL without it. */
struct piece markup_attribute(const struct markup *markup, const char *name);
/* Returns the text from there to the next tag, without blanks around it. */
struct piece markup_text(const struct markup *markup);
/* Writes the text that a piece means, with "&amp;" and the like as characters, and a NUL; `out` has room for the piece
 * and the NUL. What is no entity of XML or no character stays. Returns its size. */
size_t markup_decode(struct piece piece, char *out);
bool piece_is(struct piece piece, const char *text);

#endif
