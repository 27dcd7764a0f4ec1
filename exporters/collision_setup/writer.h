/* The declarations that the files of the exporter of collision setups share. */
#ifndef CELLPIPE_EXPORTERS_COLLISION_SETUP_WRITER_H
#define CELLPIPE_EXPORTERS_COLLISION_SETUP_WRITER_H

#include "model/model.h"

enum setup_split { SPLIT_NO, SPLIT_DEVICE };
enum setup_static { STATIC_ELEMENT, STATIC_NAMES };

struct setup_settings {
    bool relative, plain, evidence;
    int split;        /* enum setup_split */
    int static_pairs; /* enum setup_static */
};

/* One file and its excluded pairs. */
struct setup_file {
    const char *name;   /* name of a further file; the first one is the output itself */
    const char *prefix; /* what each name loses */
    size_t prefix_size;
    const uint32_t *pairs;
    uint32_t pair_count;
};

struct setup_writer {
    cp_context *context;
    const cp_scene *scene;
    const struct setup_settings *settings;
    struct arena *arena;
    bool *outdated;       /* set for pairs of the scene whose finding no longer holds */
    bool *listed;         /* set for pairs that the list excludes: by their names, or as static ones by an element */
    bool *named;          /* set for pairs whose names no other pair has */
    bool *by_element;     /* set for pairs that <ExcludeStaticPairs/> excludes without names */
    bool static_element;  /* it is written */
    bool *in_device_file; /* pairs of a further file */
    struct setup_file *files;
    uint32_t file_count;
    uint64_t bad_characters;
    uint64_t cell_key; /* 0: unless all pairs were judged */
};

/* Tells whether a statement that still holds excludes the pair. */
static inline bool pair_is_excluded(const struct setup_writer *writer, uint32_t pair)
{
    return writer->scene->pairs[pair].verdict == CP_PAIR_EXCLUDED && !writer->outdated[pair];
}

/* Tells whether the first file leaves it to <ExcludeStaticPairs/> to exclude the pair; a further one does not. */
static inline bool pair_needs_no_names(const struct setup_writer *writer, uint32_t pair)
{
    return writer->by_element[pair] && !writer->in_device_file[pair];
}

/* static.c: finds whether <ExcludeStaticPairs/> says the same as names, and of which pairs. */
cp_status setup_find_static(struct setup_writer *writer);
/* names.c: chooses the pairs that are listed. */
cp_status setup_choose_pairs(struct setup_writer *writer);
/* files.c: plans which file has which pairs, and the prefix of its names. top: gives safe names. */
cp_status setup_plan_files(struct setup_writer *writer, struct sink *top);
/* xml.c. */
void setup_write_file(struct setup_writer *writer, const struct setup_file *file, struct sink *sink);

#endif
