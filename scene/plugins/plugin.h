/* Declares what importers, exporters and filters have in common: a name, and options as a table. */
#ifndef CELLPIPE_PLUGINS_PLUGIN_H
#define CELLPIPE_PLUGINS_PLUGIN_H

#include "cellpipe_tool.h"
#include "model/model.h"

struct plugin {
    const char *name, *title;
    const cp_option *options; /* ended by CP_OPTIONS_END; NULL for none */
    size_t settings_size;
    /* Checks settings beyond what the table says, before anything is read; NULL: there is nothing more to check. */
    cp_status (*check)(cp_context *context, const void *settings);
    const char *package; /* NULL; or the missing package of a part that is not built */
    const char *lacks;   /* NULL; or what alone is not built, and the package in brackets */
    /* A number or text that changes whenever the same input gives another result; NULL: "1". */
    const char *version;
    /* Returns the same with the version of a library that is loaded for it; NULL: the version says it all. Any thread
     * may call it. */
    const char *(*version_in_use)(void);
};

#endif
