/* Models in ZIP archives. */
#include "registry.h"

#include <string.h>

#include "base/bytes/archive.h"
#include "base/context.h"
#include "base/text/text.h"

/* Tells whether the archive is a file of some format, as packages are: an importer recognises its bytes or its
 * suffix. */
static bool is_of_a_format(const struct source *source)
{
    enum { SURE = 50 };
    bool is = known_format(source);
    for (const struct importer *const *at = source->context->plugins->importers; *at && !is; at++)
        is = importer_suffix_matches(*at, source->name) ||
             (!(*at)->plugin.package && importer_probe(*at, source) >= SURE);
    return is;
}

/* Tells whether a file of the archive is a model. Lists for a cell are none, nor are the files that systems add beside
 * those of their users ("__MACOSX/._part.stl"). */
static bool is_model(const struct plugins *plugins, const struct importer *wanted, const char *name)
{
    bool is = false;
    for (const struct importer *const *at = plugins->importers; *at && !is; at++)
        is = (!wanted || *at == wanted) && !(*at)->lists_pairs && importer_suffix_matches(*at, name);
    return is && *text_file_name(name) != '.' && strncmp(name, "__MACOSX/", 9) != 0;
}

/* Reports the names of several models, as far as a message has room. */
static cp_status report_several(const struct source *source, const struct importer *wanted,
                                const struct archive *archive, uint32_t count)
{
    enum { SHOWN = 6 };
    struct buffer names = {.context = source->context};
    const char *name;
    uint32_t shown = 0;
    for (uint32_t i = 0; (name = archive_name(archive, i)) && shown < SHOWN; i++)
        if (is_model(source->context->plugins, wanted, name))
            buffer_print(&names, "%s\"%.100s\"", shown++ > 0 ? ", " : "", name);
    if (count > shown)
        buffer_print(&names, " and %u more", (unsigned)(count - shown));
    buffer_append(&names, "", 1);
    cp_status status = names.failed
                           ? CP_LIMIT
                           : report_error(source->context, CP_INPUT, "read-several", IN_FILE(source->name),
                                          "is a ZIP archive with %u models: %s; unpack it and convert them one "
                                          "by one, or name a format by --from that one of them has",
                                          (unsigned)count, names.data);
    buffer_free(&names);
    return status;
}

cp_status zipped_open(const struct source *source, const char *format, struct archive **archive, struct source **model)
{
    const struct plugins *plugins = source->context->plugins;
    size_t number = format ? plugin_find(plugins, CP_IMPORTER, format) : SIZE_MAX;
    const struct importer *wanted = number == SIZE_MAX ? NULL : plugins->importers[number];
    *archive = NULL;
    bool begins = source->size >= 4 && memcmp(source->data, "PK\3\4", 4) == 0;
    if (source->parent || !begins || (format && !wanted) || is_of_a_format(source))
        return CP_NO;
    cp_status status = archive_open(source, archive);
    if (status == CP_NO)
        return report_error(source->context, CP_INPUT, "read-zip", IN_FILE(source->name),
                            "is a ZIP archive that breaks off, is damaged, or has more than 4 GiB");
    const char *name;
    uint32_t count = 0, only = 0;
    for (uint32_t i = 0; status == CP_OK && (name = archive_name(*archive, i)); i++)
        if (is_model(plugins, wanted, name)) {
            only = i;
            count++;
        }
    if (status != CP_OK || count == 0)
        return status == CP_OK ? CP_NO : status;
    return count == 1 ? archive_unpack(*archive, only, model) : report_several(source, wanted, *archive, count);
}
