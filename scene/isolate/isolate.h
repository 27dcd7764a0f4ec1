/* Third-party readers in processes of their own (CP_FLAG_ISOLATE).
 *
 * read.c calls isolate_read in place of such an importer's `read`. The process is forked (reader.c) and gives up its
 * rights (sandbox.c). It hands back its report and the scene (messages.h), in the format that the context's plug-ins
 * name (registry.h: struct carrier), which the parent reads again (listen.c). However the process ends, the parent goes
 * on. */
#ifndef CELLPIPE_ISOLATE_H
#define CELLPIPE_ISOLATE_H

#include "../plugin.h"

/* As importer->read: fills the scene (made by scene_new). CP_INPUT "read-crashed" if the process dies without an answer
 * or sends nonsense; CP_LIMIT "read-timeout" and "read-memory" beyond the limits reader-seconds and reader-memory, and
 * "read-fork" if there can be no process. */
cp_status isolate_read(const struct importer *importer, struct source *source, const void *settings, cp_scene *scene);

#endif
