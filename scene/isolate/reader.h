/* The process in which a third-party reader runs. */
#ifndef CELLPIPE_ISOLATE_READER_H
#define CELLPIPE_ISOLATE_READER_H

#include <stdnoreturn.h>
#include <sys/types.h>

#include "../plugin.h"

struct reader {
    const struct importer *importer;
    struct source *source;
    const void *settings;
    cp_scene *scene; /* fresh */
    uint64_t memory, seconds;
    pid_t parent;
    int channel, words; /* descriptors: the socket to the parent, and where standard error goes */
};

/* The rest of a process that has just been forked: gives up its rights, reads, and hands the scene to the parent. */
noreturn void run_reader(const struct reader *reader);

#endif
