/* The record of all files that went through a context and those beside it: for scene/ only. */
#ifndef CELLPIPE_FILES_H
#define CELLPIPE_FILES_H

#include <sys/types.h>

#include "../memory.h"

enum file_use { FILE_READ = 1, FILE_WRITTEN = 2 };

struct file_record {
    const char *path; /* as opened; "" for standard input */
    unsigned use;     /* FILE_... */
    dev_t device;
    ino_t inode; /* 0 when it is no regular file */
};

/* A record of no files yet, whose memory is the context's. NULL when out of memory. */
struct file_book *files_new(cp_context *context);
void files_free(struct file_book *book);

/* These may be called by several threads, each with its own context. */

/* Keeps a copy. A file whose path or whose place on the disk is on record already takes no more memory. */
cp_status files_record(cp_context *context, struct file_record file);
/* True when path, by whatever name, is a file that was read or written (any of the bits `uses`), and still is that
 * file. */
bool files_known(const cp_context *context, const char *path, unsigned uses);
/* Keeps a path for a top output, CP_NO: it is kept already; and whether one is kept. */
cp_status files_reserve(cp_context *context, const char *path);
bool files_reserved(const cp_context *context, const char *path);
/* Between these calls one thread alone puts files in place, of all contexts beside each other. */
void files_begin_placing(cp_context *context);
void files_end_placing(cp_context *context);

#endif
