/* The header for authors of a filter: it defines one const struct, which filters.h names. */
#ifndef CELLPIPE_PLUGINS_FILTER_H
#define CELLPIPE_PLUGINS_FILTER_H

#include "plugin.h"

struct filter {
    struct plugin plugin;
    const struct cp_filter *host; /* as in struct importer */
    /* Changes the scene. If it fails, the core throws the half-changed copy away. */
    cp_status (*apply)(cp_context *context, cp_scene *scene, const void *settings);
    bool is_shown; /* people look at what it makes: as a command it writes files for viewers */
};

#endif
