/* The header for authors of an importer: it defines one const struct, which its folder's table names. */
#ifndef CELLPIPE_PLUGINS_IMPORTER_H
#define CELLPIPE_PLUGINS_IMPORTER_H

#include "base/bytes/bytes.h"
#include "plugin.h"

/* The first member of every importer's settings; its options belong to all importers. */
struct import_settings {
    bool strict;  /* lenient reading is refused */
    bool partial; /* keep what a truncated file holds */
};

struct importer {
    struct plugin plugin;
    const struct cp_importer *host; /* NULL; or what a host has registered, in place of our functions */
    const char *suffixes;           /* ".stl .stla", lower case */
    const char *further;            /* NULL: those that it reads as a library does, without a test of ours */
    /* Returns how sure the first `size` bytes (of file_size; UINT64_MAX if unknown) make it that the file is of this
     * format: 0 not .. 100 sure. */
    int (*probe)(const char *head, size_t size, uint64_t file_size);
    /* The mark that the probe searches for, for the message about a file that nobody knows. A host's may be
     * NULL. */
    const char *sign;
    /* True if it calls code that is not ours: under CP_FLAG_ISOLATE it then reads in a process of its own. It must open
     * further files with the source that `read` was given as their parent. */
    bool third_party;
    bool is_cell; /* its frames and joints are worth having without geometry, too */
    /* True if it has pairs of frames alone, for a cell that is read beside it: nothing to convert. `read` may then get
     * the scene of a cell, with more than its world. The file's names are the cell's frames, and names without a frame
     * a warning. */
    bool lists_pairs;
    /* Loads libraries that `read` needs and a process without rights could not open; or NULL. */
    cp_status (*load)(cp_context *context);
    /* Fills the scene (made by scene_new) and ends in scene_finish. */
    cp_status (*read)(cp_context *context, struct source *source, const void *settings, cp_scene *scene);
};

/* Reports that nobody knows the file, with the marks that the probes searched for. CP_INPUT. */
cp_status report_unknown_content(const struct source *source);

/* Tells whether some importer that is built has the source's suffix, or is sure of its bytes (more than "perhaps", a
 * score of 1). */
bool source_is_known(const struct source *source);

/* Reads a further file, which source_open has opened, as a scene of its own. It uses the named importer (format) or, if
 * that is NULL, the one that its bytes and suffix ask for, with the options that the user gave for it. `usual` is an
 * option of an importer ("collada.up=z") that holds where the user gave none; NULL: none. The caller closes the source
 * and frees *scene. */
cp_status read_further(struct source *source, const char *format, const char *usual, cp_scene **scene);

/* Warns of surfaces that nobody would see, with an alpha near 0, and knows the files whose writers mean something else
 * by such an alpha. */

/* The statements that say "invisible" and that some programs write for what is opaque; visible.c has the source of
 * each. */
enum opaque_rule { OPAQUE_MTL_TR, OPAQUE_3MF_BASE, OPAQUE_COLLADA_TRANSPARENCY, OPAQUE_AMF };

/* Warns that so many materials are opaque by the rule; not for 0. */
void report_opaque(cp_context *context, enum opaque_rule rule, struct place place, uint64_t count);

/* Warns if nobody would see a drawn surface: "nothing-visible" if that is all that the scene draws, else
 * "invisible-material" with the counts. Returns false if out of memory. */
bool report_invisible(cp_context *context, const cp_scene *scene);

#endif
