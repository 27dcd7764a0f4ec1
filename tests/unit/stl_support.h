/* Reads STL files from memory, looks at their scenes and builds binary files by hand, for the STL tests. */
#ifndef STL_SUPPORT_H
#define STL_SUPPORT_H

#include "fixture.h"

/* Up to four options "KEY=VALUE", NULL-ended. */
typedef const char *const options[5];

static inline size_t count_options(const char *const *list)
{
    size_t count = 0;
    while (list && list[count])
        count++;
    return count;
}

static inline cp_scene *read_bytes(cp_context *context, const void *bytes, size_t size, const char *const *list,
                                   cp_status expected)
{
    cp_scene *scene;
    cp_status status =
        cp_read_memory(context, bytes, size, "folder/part.one.stl", NULL, list, count_options(list), &scene);
    if (status != expected)
        show_report(context);
    assert_int_equal(status, expected);
    assert_true((scene != NULL) == (status == CP_OK));
    return scene;
}

/* The corners of all faces of a mesh as floats, three a corner; the caller frees. */
static inline float *list_corners(const cp_mesh *mesh)
{
    float *corners = malloc(3 * sizeof(float) * ((size_t)mesh->corner_count + 1));
    for (uint32_t i = 0; i < mesh->corner_count; i++)
        memcpy(corners + 3 * (size_t)i, mesh->positions + 3 * (size_t)mesh->corners[i], 3 * sizeof(float));
    return corners;
}

/* ---- binary files ---- */

struct bytes {
    unsigned char *data;
    size_t size;
};

static inline void put(struct bytes *file, const void *data, size_t size)
{
    file->data = realloc(file->data, file->size + size + 1);
    memcpy(file->data + file->size, data, size);
    file->size += size;
}

static inline struct bytes begin_binary(const char *header, uint32_t count)
{
    struct bytes file = {NULL, 0};
    char padded[80] = "";
    memcpy(padded, header, strlen(header));
    unsigned char little[4];
    for (int i = 0; i < 4; i++)
        little[i] = (unsigned char)(count >> (8 * i) & 0xff);
    put(&file, padded, sizeof padded);
    put(&file, little, sizeof little);
    return file;
}

/* values: normal and three vertices. The tests run on little-endian machines. */
static inline void put_facet(struct bytes *file, const float values[12], unsigned attributes)
{
    unsigned char little[2] = {attributes & 0xff, attributes >> 8 & 0xff};
    put(file, values, 12 * sizeof(float));
    put(file, little, sizeof little);
}

static const float plain_facet[12] = {0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0};

#endif
