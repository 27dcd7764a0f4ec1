/* Inside plugins/: the tables that a context is given, what scenes have, formats that are known. */
#ifndef CELLPIPE_PLUGINS_REGISTRY_H
#define CELLPIPE_PLUGINS_REGISTRY_H

#include <stddef.h>

#include "exporter.h"
#include "filter.h"
#include "importer.h"

/* The tables of plug-ins that a context is given: for scene/ and the file that fills them. */

/* The texts of options as a user wrote them. */
struct texts {
    const char *const *items;
    size_t count;
};

/* The format in which a scene passes from one process to another: the arguments of write_further, and the importer that
 * reads the scene back as it was. */
struct carrier {
    const char *format, *option;
    const struct importer *importer;
};

/* Each table ends with NULL; the order is the priority. */
struct plugins {
    const struct importer *const *importers;
    const struct exporter *const *exporters;
    const struct filter *const *filters;
    struct carrier carrier; /* without, CP_FLAG_ISOLATE reads nothing by third-party importers */
};

size_t plugin_count(const struct plugins *plugins, cp_plugin_kind kind);
/* Returns the index in the kind's table; SIZE_MAX if there is none of that name. */
size_t plugin_find(const struct plugins *plugins, cp_plugin_kind kind, const char *name);
/* Reports that the context has no plug-in of that name, and names the nearest one: CP_USAGE. */
cp_status plugin_unknown(cp_context *context, cp_plugin_kind kind, const char *name);

/* These answer the public functions cp_plugin_at, cp_plugin_version, cp_plugin_option and cp_exporter_of. */
bool plugin_info(const struct plugins *plugins, cp_plugin_kind kind, size_t index, cp_plugin_info *info);
const char *plugin_version(const struct plugins *plugins, cp_plugin_kind kind, size_t index);
bool plugin_option(const struct plugins *plugins, cp_plugin_kind kind, size_t index, size_t option,
                   cp_option_info *info);
size_t exporter_of(const struct plugins *plugins, const char *path);

/* These call a plug-in's functions, whether it is ours or a host's, and finish the scenes of hosts. */

int importer_probe(const struct importer *importer, const struct source *source);
cp_status importer_read(const struct importer *importer, struct source *source, const void *settings, cp_scene *scene);
uint32_t exporter_carries(const struct exporter *exporter, const void *settings);
uint32_t exporter_shows(const struct exporter *exporter, const void *settings);
cp_status exporter_write(const struct exporter *exporter, cp_context *context, const cp_scene *scene,
                         const void *settings, struct sink *sink);
/* Finishes the scene in any case. */
cp_status filter_apply(const struct filter *filter, cp_context *context, cp_scene *scene, const void *settings);

/* A host's importer is given this. Its own settings come behind those of every importer. */
struct cp_input {
    struct source *source;
    const struct import_settings *settings;
};
struct host_settings {
    struct import_settings common;
    max_align_t own;
};

/* Returns true if name ends in one of the suffixes (".a .b"); a ".gz" at its end is ignored. */
bool plugin_suffix_matches(const char *suffixes, const char *name);
/* Returns the size of the longest suffix of the importer in which the name ends; 0: in none. */
size_t importer_suffix_size(const struct importer *importer, const char *name);
/* Tells whether the name ends in one of them. */
bool importer_suffix_matches(const struct importer *importer, const char *name);
/* Returns CP_LOSSY if losses are reported and CP_FLAG_STRICT is set. */
cp_status check_strict(cp_context *context);

/* Compares what a scene has with what a format carries; for scene/ only. */

/* Reports each feature that the scene has and `carries` lacks, once, with its count. */
void features_report_losses(cp_context *context, const cp_scene *scene, uint32_t carries, const char *output);

/* Makes the scene as the exporter wants it, with primitives tessellated and n-gons triangulated if the format does not
 * carry them. *prepared is NULL if the scene can be taken as it is; else the caller frees it (before the scene). */
cp_status scene_prepare(const cp_scene *scene, uint32_t carries, cp_scene **prepared);

/* Recognises formats that cellpipe does not read, to say what to do with them. */

/* Returns what the file is and what to do with it, as the end of a sentence that begins with its name; NULL if nobody
 * knows. It names no file that an importer reads. */
const char *known_format(const struct source *source);
/* These two return the same for kinds of which some files are read: for an archive that no reader knows, and for a
 * .blend file that its reader has refused. */
const char *known_archive(const struct source *source);
const char *known_refusal(const struct source *source);

/* Models in ZIP archives. */

/* Opens the model in a top file that is a ZIP archive: its one file whose suffix an importer has, or the importer of
 * that format (not NULL). CP_NO, unreported, if the source is no such archive, is of a format of its own by its bytes
 * or suffix, or holds no model. CP_INPUT, reported, if it holds several, one that cannot be unpacked, or is truncated.
 * The caller closes the model, then the archive. */
cp_status zipped_open(const struct source *source, const char *format, struct archive **archive, struct source **model);

/* Makes settings from option tables and texts; for scene/ only. */

/* Makes a plug-in's settings, from the context's allocator: the defaults, changed by the texts "KEY=VALUE". Returns
 * NULL after reporting (CP_USAGE in *status). Free them by options_free. `common` is a table before the plug-in's, or
 * NULL. */
void *options_parse(cp_context *context, const struct plugin *plugin, const cp_option *common, const char *const *texts,
                    size_t count, cp_status *status);
/* Applies one more text to settings. */
cp_status options_set(cp_context *context, const struct plugin *plugin, const cp_option *common, const char *text,
                      void *settings);
void options_free(cp_context *context, const struct plugin *plugin, void *settings);

/* The options that all importers have. */
extern const cp_option import_options[];
/* Splits "stl.unit=mm": returns the context's importer of that name, or NULL; *text is what follows the point. */
const struct importer *importer_of_option(const cp_context *context, const char *setting, const char **text);
cp_status check_importer_option(cp_context *context, const char *setting);

#endif
