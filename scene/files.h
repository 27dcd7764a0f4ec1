/* The record of everything read: for scene/ only. */
#ifndef CELLPIPE_FILES_H
#define CELLPIPE_FILES_H

#include <sys/types.h>

#include "memory.h"

struct file_record {
    const char *path; /* as opened */
    bool missing;     /* it was looked for and not there */
    dev_t device;
    ino_t inode;
    uint64_t hash; /* of the content, unseeded: the same in every run */
};

#endif
