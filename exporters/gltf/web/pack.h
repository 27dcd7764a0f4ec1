/* The codecs of EXT_meshopt_compression (Khronos vendor extension, appendix A): vertices as version 0 of mode ATTRIBUTES,
 * indices as version 1 of mode TRIANGLES. Written here rather than called: the library's encoders take the version from a
 * variable of the whole process, and its default changes between releases. Nothing here allocates. */
#ifndef CELLPIPE_GLTF_PACK_H
#define CELLPIPE_GLTF_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- vertices: `count` elements of `stride` bytes (a multiple of 4, at most 256) ---- */

/* Elements of a block; each block but the last has as many. */
uint32_t pack_block_elements(uint32_t stride);
/* The most bytes that `count` elements in whole blocks need. */
size_t pack_blocks_bound(uint32_t count, uint32_t stride);
/* Packs elements `first` .. `first + count - 1` of `elements`, whole blocks (the last may be short): so runs of blocks can be packed
 * apart and put one behind the other. Returns the size. */
size_t pack_blocks(const unsigned char *elements, uint32_t stride, uint32_t first, uint32_t count, unsigned char *out);
/* What comes before the first block and behind the last one; the sizes. */
enum { PACK_HEAD = 1 };
unsigned char pack_vertex_head(void);
size_t pack_vertex_tail(const unsigned char *elements, uint32_t stride, unsigned char *out);
size_t pack_tail_bound(uint32_t stride);

/* ---- triangles ---- */

/* `most` is the largest index. */
size_t pack_triangles_bound(uint32_t count, uint32_t most);
/* count indices, three a triangle. Triangles may begin at another of their corners afterwards. Returns the size; out NULL: that
 * alone. */
size_t pack_triangles(const uint32_t *indices, uint32_t count, unsigned char *out);

#endif
