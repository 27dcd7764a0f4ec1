/* Where an output goes: a file that appears whole or not at all, or what is written in place. For sink.c. */
#ifndef CELLPIPE_TARGET_H
#define CELLPIPE_TARGET_H

#include <sys/stat.h>

#include "../memory.h"
#include "../report.h"

struct target {
    const char *path;      /* symbolic links resolved; NULL for standard output and memory */
    const char *temporary; /* the file's name until it is put in place, else NULL */
    bool is_nameless;      /* it has not got that name yet: it is open, and nowhere else */
    int file;              /* the descriptor; -1: none, or memory */
    bool through;          /* written in place: a device, FIFO, socket or standard output */
    enum {
        PLACED_NOT,
        PLACED_NEW,     /* there was no file */
        PLACED_FOR_OLD, /* the old file has the temporary name */
        PLACED_FOR_GOOD /* the old file is gone */
    } placed;
};

/* Opens what the path names, or a temporary file for it: without a name where the system has such files. Its strings
 * are in the arena. CP_USAGE when a file that was read would be replaced, or one that was written where that is not
 * allowed. */
cp_status target_open(cp_context *context, struct arena *arena, const char *path, struct target *target);
/* CP_OUTPUT when it can be seen already, before there is anything to write, that the path cannot be opened. */
cp_status target_expect(cp_context *context, const char *path);
/* False for what is written in place. */
bool target_stat(const struct target *target, struct stat *info);
/* Gives a file without a name its temporary one, and closes it. */
cp_status target_name(cp_context *context, struct target *target);
/* Records the temporary file as one that was written, before it is put in place: what comes after must not fail. */
cp_status target_record(cp_context *context, const struct target *target);
/* Gives the temporary file its name. The permissions of a replaced file stay. keeps_old: the replaced file stays under
 * the temporary name, where the file system can do that, until target_remove. */
cp_status target_put_in_place(cp_context *context, struct target *target, bool keeps_old);
/* Undoes that, unless the old file is gone for good. */
void target_take_back(struct target *target);
/* Takes a temporary file away that is still there. */
void target_remove(struct target *target);

#endif
