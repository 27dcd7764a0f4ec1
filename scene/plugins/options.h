/* Option tables -> settings: for scene/ only. */
#ifndef CELLPIPE_PLUGINS_OPTIONS_H
#define CELLPIPE_PLUGINS_OPTIONS_H

#include "importer.h"

/* A plug-in's settings with defaults and then the texts "KEY=VALUE" applied, from the context's allocator; NULL
 * after reporting (CP_USAGE in *status). Free with options_free. common: a table before the plug-in's, or NULL. */
void *options_parse(cp_context *context, const struct plugin *plugin, const struct option *common,
                    const char *const *texts, size_t count, cp_status *status);
/* Applies one more text to settings. */
cp_status options_set(cp_context *context, const struct plugin *plugin, const struct option *common, const char *text,
                      void *settings);
void options_free(cp_context *context, const struct plugin *plugin, void *settings);

/* The options that all importers have. */
extern const struct option import_options[];
/* "stl.unit=mm": the context's importer of that name, or NULL; *text is what follows the point. */
const struct importer *importer_of_option(const cp_context *context, const char *setting, const char **text);
cp_status check_importer_option(cp_context *context, const char *setting);

#endif
