/* The codecs of EXT_meshopt_compression (Khronos vendor extension, appendix A), by libmeshoptimizer: vertices as version 0 of mode
 * ATTRIBUTES, triangles as version 1 of mode TRIANGLES. Nothing here allocates. */
#ifndef CELLPIPE_GLTF_PACK_H
#define CELLPIPE_GLTF_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Vertices, or corners of triangles. */
struct pack_input {
    const void *elements;
    size_t count;
    size_t stride;       /* bytes of a vertex, a multiple of 4, at most 256; 0: corners, each a uint32_t */
    size_t vertex_count; /* of corners alone: each is below it */
};

static inline struct pack_input pack_vertices(const void *vertices, size_t count, size_t stride)
{
    return (struct pack_input){vertices, count, stride, 0};
}

static inline struct pack_input pack_corners(const uint32_t *corners, size_t count, size_t vertex_count)
{
    return (struct pack_input){corners, count, 0, vertex_count};
}

/* False in a build without the library: then nothing else here may be called. */
bool pack_is_built(void);
/* The most bytes that the packed elements take. */
size_t pack_bound(struct pack_input input);
/* Packs into out, which has room for pack_bound bytes; returns how many it took. Triangles may begin at another of their corners
 * afterwards. */
size_t pack(struct pack_input input, unsigned char *out);

#endif
