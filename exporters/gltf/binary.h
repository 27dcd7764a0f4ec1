/* The binary part of a file: views of bytes, and accessors that tell which numbers are in them. */
#ifndef CELLPIPE_EXPORTERS_GLTF_BINARY_H
#define CELLPIPE_EXPORTERS_GLTF_BINARY_H

#include "base/text/json.h"

/* The ways in which data become the bytes of a view. */
enum encoding {
    ENCODE_WORDS,  /* 32-bit words as they are */
    ENCODE_NARROW, /* uint32_t as uint16_t */
    ENCODE_SIZES,  /* differences of count + 1 uint32_t */
    ENCODE_BYTES
};

/* glTF 2.0 section 5.11.5: bufferView.target */
enum { TARGET_NONE = 0, TARGET_VERTICES = 34962, TARGET_INDICES = 34963 };

/* The members of EXT_meshopt_compression for a view whose data is packed. */
struct packing {
    const char *mode, *filter; /* filter NULL: none */
    uint64_t count, offset;    /* in elements; and in the buffer that represents the unpacked bytes */
    unsigned stride;
};

struct buffer_view {
    const void *data;
    uint64_t count;          /* of values */
    uint64_t offset;         /* in the buffer */
    struct packing *packing; /* NULL: not packed */
    const char *id, *part;   /* the name is "id:part"; NULL for none */
    uint16_t target;
    uint8_t encoding; /* enum encoding */
    uint8_t stride;   /* bytes from one vertex to the next, if not packed tightly */
};

/* glTF 2.0 section 3.6.2.2 */
enum { COMPONENT_I8 = 5120, COMPONENT_U8 = 5121, COMPONENT_U16 = 5123, COMPONENT_U32 = 5125, COMPONENT_FLOAT = 5126 };

struct accessor {
    uint64_t offset, count;
    uint32_t view;
    uint16_t component;
    uint8_t width;
    bool normalized;
    bool ranged; /* minimum and maximum are written */
    float minimum[3], maximum[3];
};

struct gltf_binary {
    cp_context *context;
    struct buffer_view *views;
    struct accessor *accessors;
    uint32_t view_count, accessor_count, view_room, accessor_room;
    uint64_t size;          /* of the buffer */
    uint64_t fallback_size; /* size of the buffer without bytes, in which packed views have their unpacked places */
};

/* Add a new view or accessor; CP_NONE when out of memory. */
uint32_t add_view(struct gltf_binary *binary, struct buffer_view view);
uint32_t add_accessor(struct gltf_binary *binary, struct accessor accessor);
/* Fills minimum and maximum from values. */
void set_range(struct accessor *accessor, const float *values);
/* Gives all views their places in the buffer. */
void place_views(struct gltf_binary *binary);
/* Writes the bytes of all views, one behind the other, unchanged or in base64. */
void write_binary(const struct gltf_binary *binary, struct sink *sink, bool base64);
/* Words, little-endian. */
void write_words(struct sink *sink, const uint32_t *words, size_t count);
/* Write members of the top object. */
void write_accessors(struct json_writer *json, const struct gltf_binary *binary);
void write_views(struct json_writer *json, const struct gltf_binary *binary);
void free_binary(struct gltf_binary *binary);

#endif
