/* The declarations that the files of the exporter of SRDF share. */
#ifndef CELLPIPE_EXPORTERS_SRDF_WRITER_H
#define CELLPIPE_EXPORTERS_SRDF_WRITER_H

#include "../link_pairs.h"

struct srdf_writer {
    cp_context *context;
    const cp_scene *scene;
    struct arena *arena;
    struct sink *sink;
    const struct link_pairs *pairs;
    struct name_map groups; /* the names of those that are written */
    uint64_t bad_characters;
};

/* Writes a blank, a name and a value in quotes. */
void srdf_write_attribute(struct srdf_writer *writer, const char *name, const char *value);
/* groups.c: writes a group, the home and the ends of each device, and how the robot stands in the world. */
cp_status srdf_write_devices(struct srdf_writer *writer);

#endif
