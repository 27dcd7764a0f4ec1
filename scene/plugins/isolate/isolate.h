/* Third-party readers in processes of their own (CP_FLAG_ISOLATE).
 *
 * read.c calls isolate_read in place of such an importer's `read`. The process is forked (reader.c) and gives up its
 * rights (sandbox.c). It hands back its report and the scene (messages.h), in the format that the context's plug-ins
 * name (registry.h: struct carrier), which the parent reads again (listen.c). However the process ends, the parent goes
 * on. */
#ifndef CELLPIPE_PLUGINS_ISOLATE_ISOLATE_H
#define CELLPIPE_PLUGINS_ISOLATE_ISOLATE_H

#include "base/process/process.h"
#include "plugins/importer.h"

/* Fills the scene (made by scene_new) as importer->read does. Fails with CP_INPUT "read-crashed" if the process dies
 * without an answer or sends nonsense, with CP_LIMIT "read-timeout" or "read-memory" beyond the limits reader-seconds
 * and reader-memory, with CP_LIMIT "read-killed" if somebody else has killed it, and with CP_LIMIT "read-fork" if no process can be made. */
cp_status isolate_read(const struct importer *importer, struct source *source, const void *settings, cp_scene *scene);

/* The parent's side of the talk with a reader's process. */

struct reader_listener {
    cp_context *context;
    struct source *source; /* the file that is read; it opens further ones */
    struct process process;
    uint64_t deadline; /* in milliseconds_now; 0: none */
    uint64_t most;     /* bytes that a scene may have */
    uint64_t own;      /* private bytes that this process had when it made the other one */

    struct buffer payload;         /* of a message */
    uint64_t spent, longest_entry; /* bytes that entries may take, and the longest one's */
    unsigned means;                /* SANDBOX_... */
    cp_status status;              /* the answer's */
    uint32_t lack;                 /* LACK_OF_... */
    struct buffer scene;           /* size bytes and a NUL, if the status is CP_OK; the caller frees it */
};

/* Listens until the answer has come or cannot come. Meanwhile it adds the reader's entries to the report, opens the
 * files that the reader asks for by source_open, and sends it their bytes. It trusts nothing that comes, and takes at
 * most until the deadline. */
enum hearing listen_to_reader(struct reader_listener *listener);

/* The process in which a third-party reader runs. */

struct reader_process {
    const struct importer *importer;
    struct source *source;
    const void *settings;
    cp_scene *scene; /* fresh */
    uint64_t memory, seconds;
};

/* The work of the process, for a struct reader_process: gives up its rights, reads, and hands the scene to the parent.
 */
void run_reader(void *reader, int channel);

#endif
