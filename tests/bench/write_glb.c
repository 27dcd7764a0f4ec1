/* GLB with a binary chunk of all positions followed by all corners. */
#include "write_mesh.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* JSON text that grows. */
struct text {
    char *bytes;
    size_t size, room;
};

static void put(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(struct text *text, const char *format, ...)
{
    if (text->room - text->size < 1024) {
        text->room = 2 * text->room + 4096;
        text->bytes = resize(text->bytes, text->room, 1);
    }
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text->bytes + text->size, text->room - text->size, format, arguments);
    va_end(arguments);
    if (length < 0 || length >= 1024)
        fail("a piece of JSON is too long");
    text->size += (size_t)length;
}

/* Positions are finite. */
static void put_bounds(struct text *text, const float *positions, size_t count)
{
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < 3 * count; i++) {
        low[i % 3] = fminf(low[i % 3], positions[i]);
        high[i % 3] = fmaxf(high[i % 3], positions[i]);
    }
    put(text, "\"min\":[%.9g,%.9g,%.9g],\"max\":[%.9g,%.9g,%.9g]", (double)low[0], (double)low[1], (double)low[2],
        (double)high[0], (double)high[1], (double)high[2]);
}

static void put_positions(struct text *text, const struct mesh *mesh, size_t first, size_t count)
{
    put(text, "{\"bufferView\":0,\"byteOffset\":%zu,\"componentType\":5126,\"count\":%zu,\"type\":\"VEC3\",",
        12 * first, count);
    put_bounds(text, mesh->positions + 3 * first, count);
    put(text, "}");
}

static void put_corners(struct text *text, size_t count)
{
    put(text, ",{\"bufferView\":1,\"componentType\":5125,\"count\":%zu,\"type\":\"SCALAR\"}]", count);
}

static void put_head(struct text *text, const struct mesh *mesh)
{
    size_t positions = 12 * mesh->vertex_count, corners = 12 * mesh->triangle_count;
    put(text,
        "{\"asset\":{\"version\":\"2.0\",\"generator\":\"cellpipe's benchmark\"},\"buffers\":[{\"byteLength\":%zu}]",
        positions + corners);
    put(text, ",\"bufferViews\":[{\"buffer\":0,\"byteLength\":%zu,\"target\":34962}", positions);
    put(text, ",{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu,\"target\":34963}]", positions, corners);
}

static void write_words(FILE *file, size_t a, size_t b)
{
    uint32_t words[2] = {(uint32_t)a, (uint32_t)b};
    fwrite(words, sizeof words, 1, file);
}

static void write_chunks(const struct mesh *mesh, struct text *json, const char *path)
{
    while (json->size % 4)
        put(json, " ");
    size_t positions = 12 * mesh->vertex_count, corners = 12 * mesh->triangle_count;
    size_t size = 12 + 8 + json->size + 8 + positions + corners;
    if (size > UINT32_MAX)
        fail("%s: too large for GLB", path);
    FILE *file = open_output(path);
    fputs("glTF", file);
    write_words(file, 2, size);
    write_words(file, json->size, 0x4e4f534a);
    fwrite(json->bytes, json->size, 1, file);
    write_words(file, positions + corners, 0x004e4942);
    fwrite(mesh->positions, positions, 1, file);
    if (corners)
        fwrite(mesh->corners, corners, 1, file);
    close_output(file, path);
    free(json->bytes);
}

static void write_one_mesh(const struct mesh *mesh, const char *path, const char *used, const char *extension)
{
    struct text json = {0};
    put_head(&json, mesh);
    put(&json, "%s,\"accessors\":[", used);
    put_positions(&json, mesh, 0, mesh->vertex_count);
    put_corners(&json, 3 * mesh->triangle_count);
    put(&json, ",\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1%s}]}]", extension);
    put(&json, ",\"nodes\":[{\"mesh\":0}],\"scenes\":[{\"nodes\":[0]}],\"scene\":0}");
    write_chunks(mesh, &json, path);
}

void write_glb(const struct mesh *mesh, const char *path)
{
    write_one_mesh(mesh, path, "", "");
}

/* The triangles are a fan of vertex 0: that is what the extension asks for. */
void write_polygon_glb(const struct mesh *mesh, const char *path)
{
    write_one_mesh(mesh, path, ",\"extensionsUsed\":[\"FB_ngon_encoding\"]",
                   ",\"extensions\":{\"FB_ngon_encoding\":{}}");
}

/* Each triangle's vertices are its own here, three in a row, and need no indices. */
static void spread_vertices(const struct mesh *mesh, struct mesh *spread)
{
    for (size_t i = 0; i < 3 * mesh->triangle_count; i++) {
        const float *p = mesh->positions + 3 * (size_t)mesh->corners[i];
        mesh_add_vertex(spread, (double)p[0], (double)p[1], (double)p[2]);
    }
}

void write_many_meshes_glb(const struct mesh *mesh, const char *path)
{
    struct mesh spread = {0};
    spread_vertices(mesh, &spread);
    struct text json = {0};
    size_t count = mesh->triangle_count;
    put(&json,
        "{\"asset\":{\"version\":\"2.0\",\"generator\":\"cellpipe's benchmark\"},\"buffers\":[{\"byteLength\":%zu}]",
        36 * count);
    put(&json, ",\"bufferViews\":[{\"buffer\":0,\"byteLength\":%zu,\"target\":34962}]", 36 * count);
    put(&json, ",\"accessors\":[");
    for (size_t i = 0; i < count; i++) {
        put(&json, "%s", i ? "," : "");
        put_positions(&json, &spread, 3 * i, 3);
    }
    put(&json, "],\"meshes\":[");
    for (size_t i = 0; i < count; i++)
        put(&json, "%s{\"primitives\":[{\"attributes\":{\"POSITION\":%zu}}]}", i ? "," : "", i);
    put(&json, "],\"nodes\":[");
    for (size_t i = 0; i < count; i++)
        put(&json, "%s{\"mesh\":%zu}", i ? "," : "", i);
    put(&json, "],\"scenes\":[{\"nodes\":[");
    for (size_t i = 0; i < count; i++)
        put(&json, "%s%zu", i ? "," : "", i);
    put(&json, "]}],\"scene\":0}");
    write_chunks(&spread, &json, path);
    mesh_free(&spread);
}
