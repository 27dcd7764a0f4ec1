/* The build embeds page/ and three.js by these: cmake/embed.cmake makes the source that defines them. */
#ifndef CELLPIPE_EXPORTERS_HTML_PAGE_H
#define CELLPIPE_EXPORTERS_HTML_PAGE_H

#include <stddef.h>

struct page_part {
    const unsigned char *bytes;
    size_t size;
    const unsigned char *hash; /* SHA-256 of the text: 32 bytes; NULL for the markup, which is no script or style */
};

extern const struct page_part page_code, page_live; /* packed by xz; their hashes are those of the texts */
extern const struct page_part page_boot, page_style, page_markup;

#endif
