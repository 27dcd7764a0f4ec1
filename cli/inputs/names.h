/* Names of outputs. */
#ifndef CELLPIPE_CLI_NAMES_H
#define CELLPIPE_CLI_NAMES_H

#include "entries.h"

/* How outputs are named. */
struct naming {
    const char *folder; /* the output folder, as a normal_path */
    const char *suffix; /* behind each name: ".glb" */
    bool is_short;      /* drop the input's suffix, if it is one of a format */
    bool by_key;        /* the name is the hash of the entry's scan */
};

/* Returns the path of an entry's output below the output folder, and with that; NULL when out of memory. */
const char *output_name(struct arena *arena, const struct naming *naming, const struct entry *entry);
const char *output_path(struct arena *arena, const struct naming *naming, const struct entry *entry);
/* Returns what all names of its outputs begin with, short or not; NULL when out of memory. */
const char *output_stem(struct arena *arena, const struct entry *entry);
/* Checks that each output has a name of its own, which is no name of an input. Sets the fault of entries whose output
 * can have no such name. CP_USAGE, reported, if two outputs would be one. */
cp_status check_names(struct cli *cli, struct entries *entries, const struct naming *naming);

#endif
