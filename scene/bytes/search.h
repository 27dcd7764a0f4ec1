/* Further files that a format spells in several ways, or looks for in folders of its own. */
#ifndef CELLPIPE_SEARCH_H
#define CELLPIPE_SEARCH_H

#include "source.h"

/* The rules of a format. */
struct file_search {
    const char *const *suffixes; /* tried in this order, ended by NULL; "" is the name as it is */
    bool any_case;               /* then all again, the path's last part in lower case; then in upper case */
    bool stays;                  /* a path that leaves its folder by ".." means no file */
    const struct source *base;   /* names the folders */
    const char **folders;        /* tried for relative paths, after the include folders */
    uint32_t folder_count, folder_room;
};

/* Writes the next spelling, NUL-ended; *attempt starts at 0. False after the last, for a name that means no file, and
 * when out of memory (spelled->failed). */
bool search_spell(const struct file_search *search, const char *name, uint32_t *attempt, struct buffer *spelled);
/* Opens the file of one spelling by source_open, or else in the folders. CP_NO when there is none. */
cp_status search_open(const struct file_search *search, const struct source *from, const char *spelled,
                      struct source **opened);
/* Opens the first file that any spelling finds. CP_NO when there is none. */
cp_status search_find(const struct file_search *search, const struct source *from, const char *name,
                      struct source **opened);
/* The path leads out of its folder by "..". */
bool path_leaves_folder(const char *path);

#endif
