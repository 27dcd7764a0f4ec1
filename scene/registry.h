/* The tables of plug-ins, looked at by name: for scene/ only. */
#ifndef CELLPIPE_REGISTRY_H
#define CELLPIPE_REGISTRY_H

#include "plugin.h"

/* Option texts as a user wrote them. */
struct texts {
    const char *const *items;
    size_t count;
};

/* Index in the kind's table, SIZE_MAX when there is none of that name. */
size_t plugin_find(cp_plugin_kind kind, const char *name);
cp_status plugin_unknown(cp_context *context, cp_plugin_kind kind, const char *name);
/* True when name ends in one of the suffixes (".a .b"), ".gz" after it ignored. */
bool plugin_suffix_matches(const char *suffixes, const char *name);
/* CP_LOSSY when losses are reported and CP_FLAG_STRICT is set. */
cp_status check_strict(cp_context *context);

#endif
