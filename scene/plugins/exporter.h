/* The header for authors of an exporter: it defines one const struct, which its folder's table names. */
#ifndef CELLPIPE_PLUGINS_EXPORTER_H
#define CELLPIPE_PLUGINS_EXPORTER_H

#include "base/bytes/bytes.h"
#include "plugin.h"

struct exporter {
    struct plugin plugin;
    const struct cp_exporter *host; /* as in struct importer */
    const char *suffixes;
    /* Returns the FEATURE_... bits that the format holds with these settings. The core reports the scene's other
     * features as losses, unless the output is a list. It gives `write` a scene without n-gons or primitives if the
     * format does not carry them. */
    uint32_t (*carries)(const void *settings);
    /* Returns the CP_USE_... bits of the meshes that people see in the output. If the scene has none of these, the core
     * reports the loss "nothing-drawn", unless a cell was read. NULL, or 0: the output may have none. */
    uint32_t (*shows)(const void *settings);
    /* True if it makes faces from primitives itself: `write` gets primitives even if the format does not carry them. */
    bool tessellates;
    /* True if it writes a list about the scene rather than the scene: what is not in it is not lost. */
    bool is_list;
    cp_status (*write)(cp_context *context, const cp_scene *scene, const void *settings, struct sink *sink);
};

/* Writes a scene into memory by the exporter of that name ("glb", or "glb.gz" for packed bytes), for an exporter that
 * puts it into its own output. The options are as a user writes them ("profile=deliver"). The profile of glb is
 * "deliver" if none is given.
 *
 * What that exporter does not carry is reported as lost from the output that is being written: an exporter whose output
 * holds no more than these bytes carries CP_FEATURE_ALL itself. Messages of that exporter name its own options: set
 * these here, or offer them under the same names.
 *
 * CP_USAGE for an unknown name or option, and for a format of several files. On success the bytes belong to the caller:
 * free them by memory_free(context, bytes, size, 1). On failure *bytes is NULL. */
cp_status write_further(cp_context *context, const cp_scene *scene, const char *format, const char *const *options,
                        size_t option_count, void **bytes, size_t *size);
/* Does the same for bytes beside the scene in an output that has all of it, such as a picture: nothing is lost by them.
 */
cp_status write_beside(cp_context *context, const cp_scene *scene, const char *format, const char *const *options,
                       size_t option_count, void **bytes, size_t *size);

#endif
