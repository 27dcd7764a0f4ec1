/* The members of the context, for scene/ only. */
#ifndef CELLPIPE_BASE_CONTEXT_H
#define CELLPIPE_BASE_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base.h"

struct limits {
    uint64_t bytes;          /* of one input file */
    uint64_t expanded_bytes; /* bytes of one input file after decompression */
    uint64_t nesting;        /* of a parser (XML, JSON) */
    uint64_t depth;          /* of the scene's tree */
    uint64_t primitive_triangles, pairs, pair_joints;
    uint64_t loop_way;   /* the way of driven joints at once, in radians or sizes of their loop */
    uint64_t loop_steps; /* a group of loops takes at most so many from one pose to another, vain ones counted */
    uint64_t nodes, vertices, includes, files, name;
    double reader_seconds;  /* of a reader's process; 0: no end */
    uint64_t reader_memory; /* of the same */
    uint64_t steps;         /* instructions that a program may carry out */
    double clip;            /* seconds of what a program does */
    uint64_t keys;          /* keys and marks of the same */
    uint64_t memory;        /* of the context's blocks */
    uint64_t ratio;         /* ratio of unpacked to packed bytes, after the first 16 MiB */
    uint64_t expansion;     /* nodes for each byte that is read, after the first ones */
};

#define NO_READ UINT64_MAX

struct cp_opener;
struct file_entry;
struct file_list;
struct plugins;
struct source;

struct file_book {
    struct file_entry **chains; /* indexed by hash: chain_count by path, then as many by place on the disk */
    size_t chain_count, count;
};

/* Callbacks; each may be NULL. */
struct callbacks {
    bool (*is_cancelled)(void *user);
    void *cancel_user;
    bool (*ends_early)(void *user);
    void *end_user;
    void (*show_progress)(void *user, const cp_progress *progress);
    void *progress_user;
};

/* Texts in order, each added by context_append_text. */
struct text_list {
    const char **items;
    uint32_t count, room;
};

struct report {
    cp_entry *entries;
    uint32_t entry_count, entry_room;
    struct code_count *codes; /* the number of entries of each code, so that no file floods the report */
    uint32_t code_count, code_room;
    struct arena *texts;
    bool out_of_memory;
    char memory_message[96]; /* of the limit of memory */
};

struct cp_context {
    cp_allocator allocator;
    const struct plugins *plugins;
    struct limits limits;
    bool flags[8];       /* by cp_flag */
    uint64_t seed;       /* seed of hashes, another one in each run, so that nobody can prepare keys that collide;
                          * results never depend on it */
    const char *subject; /* the thing that is read, written or filtered now: the place of entries without a file */
    struct arena *arena; /* importer options, folders, plug-ins of the host */
    struct report report;
    bool cancelled; /* the callback has said so during this call */
    struct callbacks callbacks;
    const struct cp_opener *opener; /* the context's; NULL: files are read from the disk */
    uint32_t threads;
    struct text_list importer_options, include_folders, allowed_folders;
    struct text_list package_folders; /* NAME=FOLDER */
    struct file_book files;           /* everything read and written */
    const char *kept_path;            /* for cp_write_file; or NULL */
    struct file_list *list;           /* the answer of cp_files; NULL so far */
    uint64_t read_bytes;  /* size of the files of the read that goes on, unpacked, each file counted once; NO_READ */
    uint64_t held;        /* bytes of memory */
    cp_written written;   /* by the last cp_write */
    unsigned isolation;   /* SANDBOX_...: what restrained the last reader's process */
    uint64_t reader_most; /* bytes of memory that a reader's process has had resident */
    /* Opens further files in place of source_open; NULL: source_open does (plugins/isolate/). */
    cp_status (*open_further)(const struct source *parent, const char *name, bool is_picture, struct source **opened);
};

/* Makes a context like cp_context_new, with these plug-ins, which must outlive the context. */
cp_context *context_new(const cp_allocator *allocator, const struct plugins *plugins);
/* Appends a copy of the text, which lives as long as the context. */
cp_status context_append_text(cp_context *context, struct text_list *list, const char *text);
/* Sets all limits to their defaults. */
void limits_start(cp_context *context);
/* Returns random bits; from the time and the salt's address if the system has none. */
uint64_t context_random(const void *salt);
/* Asks the callback. Its first "true" holds until context_finish. */
bool context_is_cancelled(cp_context *context);
/* Opens a file like open(2), and tries again if a signal interrupts it. */
int context_open_file(cp_context *context, const char *path, int flags);
/* Returns the status for a public function to return: CP_CANCELLED in place of the failure that a cancelled call
 * caused. */
cp_status context_finish(cp_context *context, cp_status status);
void context_progress(const cp_context *context, cp_progress progress);

/* The machine: for context.c. */

/* Returns the bytes of memory that this process can have: the machine's, or less if a control group or RLIMIT_AS allows
 * less. UINT64_MAX if nobody knows. */
uint64_t machine_memory(void);

#endif
