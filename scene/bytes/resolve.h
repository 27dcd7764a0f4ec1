/* Which files a name may mean: paths, and URIs of the schemes file, package and model. */
#ifndef CELLPIPE_RESOLVE_H
#define CELLPIPE_RESOLVE_H

#include "source.h"

struct candidate {
    const char *path; /* on disk */
    const char *name; /* for messages */
};

struct candidates {
    struct candidate *items;
    uint32_t count;
};

/* Lists the files that `name`, as it stands in the file `parent`, may mean, in the order in which they are looked for.
 *
 * - /PATH and file:///PATH: that file.
 * - PATH and file://PATH: from the folder of `parent`; from each include folder.
 * - package://NAME/PATH and model://NAME/PATH: PATH from each folder of the package (cp_add_package_folder). If it has
 *   none, NAME/PATH from the folder of `parent`; from each folder above it, nearest first; from each include folder.
 *
 * In URIs %XX is decoded. A URI with a zero byte means no file, nor does one whose NAME is empty, ".", "..", or has a
 * slash. The list is in the arena. CP_LIMIT when out of memory. */
cp_status resolve(const struct source *parent, struct arena *arena, const char *name, struct candidates *list);
/* The name is a URI of these schemes. */
bool uri_is_known(const char *name);
bool uri_is_file(const char *name);
/* Decodes %XX in place; *size is the new length. False when malformed: another % stands for itself. */
bool uri_decode(char *text, size_t *size);
/* The name with %XX decoded, in the arena; the name itself where that changes nothing or makes no name, and a URI of
 * these schemes. NULL when out of memory. */
const char *uri_decoded(struct arena *arena, const char *name);
/* What a message adds about a URI whose file is missing: "; looked at A, B", and the option that gives its package a
 * folder. "" for a path, and when out of memory. */
const char *resolve_places(const struct source *parent, struct arena *arena, const char *name);

#endif
