/* Inside of the STL exporter: what its files share. */
#ifndef CELLPIPE_STL_EXPORTER_H
#define CELLPIPE_STL_EXPORTER_H

#include "../../scene/plugin.h"

enum { FORMAT_BINARY, FORMAT_ASCII };
enum { USE_DRAWN, USE_COLLISION, USE_BOTH };
enum { UNIT_SOURCE = 5, UP_SOURCE = 2 };

struct stl_settings {
    int format, use, unit, up;
    bool split, colours;
};

struct writer {
    cp_context *context;
    const cp_scene *scene;
    const struct stl_settings *settings;
    struct sink *sink;
    cp_pose *worlds;
    double unit;
    bool up_y;
    uint64_t renamed; /* solids whose name could not be kept */
};

/* A mesh instance on its way out. */
struct part {
    const cp_mesh *mesh;
    const float *positions;
    bool mirrored;
};

/* ascii.c */
/* The line of a vertex, for the further facets that it is a corner of. */
struct vertex_text {
    uint32_t vertex; /* or CP_NONE */
    uint8_t size;
    char text[3 * (1 + LONGEST_FLOAT) + 1];
};
/* What one thread at a time prints with: the lines last used, each at its vertex' number modulo count, a power of two. */
struct vertex_texts {
    struct vertex_text *texts;
    uint32_t count;
};
struct facet {
    uint32_t vertices[3];
    float normal[3];
};
enum { ASCII_FACET = 96 + 12 * NUMBER_SIZE }; /* at most: words and line ends; numbers, each with a blank */
char *stl_put_ascii_facet(char *out, const struct facet *facet, const float *positions, struct vertex_texts texts);

/* facets.c */
cp_status stl_write_facets(struct writer *writer, const struct part *part);

/* part.c */
cp_status stl_write_part(struct writer *writer, const cp_instance *instance);

/* colours.c */
/* The attribute bytes of facets of that material, or of CP_NONE. */
uint32_t stl_attributes(const struct writer *writer, uint32_t material);
void stl_report_colours(const struct writer *writer);

/* Little-endian. */
static inline void stl_put_integer(char *out, uint32_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        out[i] = (char)(unsigned char)(value >> (8 * i) & 0xff);
}

#endif
