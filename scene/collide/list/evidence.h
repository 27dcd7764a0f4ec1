/* The evidence beside a list of exclusions (docs/exclusion.md), read again; exporters/collision_setup/evidence.c writes
 * it. */
#ifndef CELLPIPE_EVIDENCE_H
#define CELLPIPE_EVIDENCE_H

#include "../../build.h"

struct listed_frame {
    const char *id, *name;
    uint64_t geometry; /* its key then, 0 when it had none */
    bool placeholder, is_volatile;
};

struct listed_pair {
    uint32_t first, second; /* frames */
    bool excluded;
    bool by_element;    /* <ExcludeStaticPairs/>, so that the list need not name it */
    uint64_t key;       /* 0 when it is not known */
    const char *status; /* the reason */
    cp_finding finding; /* its numbers; what is absent as in a finding without it */
};

/* A further file of the list. */
struct listed_file {
    const char *name, *prefix;
};

struct evidence {
    cp_context *context;
    struct arena *arena;
    const char *prefix; /* of the names in the list's first file */
    bool exclude_static_pairs;
    struct listed_file *files;
    struct listed_frame *frames;
    struct listed_pair *pairs;
    uint32_t file_count, frame_count, pair_count;
};

/* Free it on failure, too. */
cp_status evidence_read(struct evidence *evidence, cp_context *context, const char *path);
void evidence_free(struct evidence *evidence);

#endif
