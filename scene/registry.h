/* The tables of plug-ins that a context is given: for scene/ and the file that fills them. */
#ifndef CELLPIPE_REGISTRY_H
#define CELLPIPE_REGISTRY_H

#include "plugin.h"

/* Option texts as a user wrote them. */
struct texts {
    const char *const *items;
    size_t count;
};

/* How a scene gets from one process to another: what write_further is told, and the importer that reads it back as it
 * was. */
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

/* As cp_context_new, with these plug-ins, which outlive the context. */
cp_context *context_new(const cp_allocator *allocator, const struct plugins *plugins);

size_t plugin_count(const struct plugins *plugins, cp_plugin_kind kind);
/* Index in the kind's table, SIZE_MAX when there is none of that name. */
size_t plugin_find(const struct plugins *plugins, cp_plugin_kind kind, const char *name);
/* Reports that the context has no plug-in of that name, with the nearest one: CP_USAGE. */
cp_status plugin_unknown(cp_context *context, cp_plugin_kind kind, const char *name);

/* The answers of the public functions cp_plugin_at, cp_plugin_option and cp_exporter_of. */
cp_plugin_info plugin_info(const struct plugins *plugins, cp_plugin_kind kind, size_t index);
cp_option_info plugin_option(const struct plugins *plugins, cp_plugin_kind kind, size_t index, size_t option);
size_t exporter_of(const struct plugins *plugins, const char *path);

/* True when name ends in one of the suffixes (".a .b"), ".gz" after it ignored. */
bool plugin_suffix_matches(const char *suffixes, const char *name);
/* The same for all suffixes of the importer. */
bool importer_suffix_matches(const struct importer *importer, const char *name);
/* CP_LOSSY when losses are reported and CP_FLAG_STRICT is set. */
cp_status check_strict(cp_context *context);

#endif
