/* Pages: the parts of them that the build embeds, and what fills them. */
#ifndef CELLPIPE_EXPORTERS_HTML_PAGE_H
#define CELLPIPE_EXPORTERS_HTML_PAGE_H

#include <stddef.h>

#include "base/base.h"

/* The build embeds page/ and three.js by these: cmake/embed.cmake makes the source that defines them. */
struct page_part {
    const unsigned char *bytes;
    size_t size;
    const unsigned char *hash; /* SHA-256 of the text: 32 bytes; NULL for markup, which is no script or style */
};

extern const struct page_part page_code, page_live; /* packed by xz; their hashes are those of the texts */
extern const struct page_part page_boot, page_style, page_markup;
extern const struct page_part batch_script, batch_style, batch_markup;

enum page_kind {
    PAGE_OF_CELL,
    PAGE_LIVE,    /* gets the cell from the server that it comes from */
    PAGE_OF_PART, /* gets it from a script beside it, whose name stands in the page's address: ?KEY */
    PAGE_OF_BATCH /* has data in place of a cell, and may show pictures and a page of parts that lie below it */
};

struct page {
    enum page_kind kind;
    struct sink *sink;
    const char *title;
    const void *cell; /* the GLB, or the data; packed by gzip */
    size_t cell_size;
    const void *picture; /* a PNG, or NULL */
    size_t picture_size;
    bool edges; /* are drawn at first */
};

/* Writes the page; the sink keeps the first error. */
void page_write(struct page *page);
/* Writes packed bytes as text for a page, or for a string in a script. */
void page_write_packed(struct sink *sink, const void *bytes, size_t size, bool in_script);

#endif
