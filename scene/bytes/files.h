/* The record of all files that went through a context, by their identity on the disk: for scene/ only. */
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

/* Keeps a copy. A file whose path or whose place on the disk is on record already takes no more memory. */
cp_status files_record(cp_context *context, struct file_record file);
/* True when path, by whatever name, is a file that was read or written (any of the bits `uses`), and still is that
 * file. */
bool files_known(const cp_context *context, const char *path, unsigned uses);
void files_free(cp_context *context);

#endif
