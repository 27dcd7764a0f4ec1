/* The declarations that the files of the STL exporter share. */
#ifndef CELLPIPE_EXPORTERS_STL_STL_H
#define CELLPIPE_EXPORTERS_STL_STL_H

#include "model/model.h"

enum { FORMAT_BINARY, FORMAT_ASCII };

struct stl_export_settings {
    int format, use, unit, up;
    bool split, colours;
};

struct stl_writer {
    cp_context *context;
    const cp_scene *scene;
    const struct stl_export_settings *settings;
    struct sink *sink;
    cp_pose *worlds;
    double unit;
    bool up_y;
    uint64_t renamed; /* solids whose name could not be kept */
    uint64_t far;     /* instances that single precision deforms, and the largest error in the output's unit */
    double far_error;
};

/* Writes the facets of a mesh instance to the writer's sink. CP_OUTPUT if a coordinate is no float. */
cp_status stl_write_part(struct stl_writer *writer, const cp_instance *instance);
/* Counts the materials that lose something in the attribute bytes. */
uint64_t stl_count_changed_colours(const cp_scene *scene);

/* Little-endian. */
static inline void stl_put_integer(char *out, uint32_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        out[i] = (char)(unsigned char)(value >> (8 * i) & 0xff);
}

#endif
