/* ZAE: a ZIP archive whose manifest.xml names the document. Further files are sought in the archive. */
#include "base/bytes/archive.h"

#include "base/text/text.h"
#include "collada.h"

/* Returns the number of a file in the archive; CP_NONE: none has that name. */
static uint32_t find_manifest(const struct archive *archive)
{
    const char *name;
    for (uint32_t i = 0; (name = archive_name(archive, i)) != NULL; i++)
        if (strcmp(text_file_name(name), "manifest.xml") == 0)
            return i;
    return CP_NONE;
}

/* Reads the path in <dae_root>, without what selects a part of the document; NULL if there is none, with CP_OK. */
static cp_status read_manifest(const struct collada *collada, const struct source *source, const char **path)
{
    static const struct xml_codes codes = XML_CODES("collada");
    struct xml xml;
    *path = NULL;
    (void)xml_open(&xml, source, collada->settings->common.strict, &codes);
    const char *text = xml_child(&xml, 0) && strcmp(xml.name, "dae_root") == 0 ? xml_text(&xml) : NULL;
    *path = text ? collada_trim(collada->arena, text) : NULL;
    cp_status status = xml_close(&xml);
    if (status != CP_OK || !text)
        return status;
    if (!*path)
        return CP_LIMIT;
    const char *hash = strchr(*path, '#');
    *path = hash ? arena_copy_text(collada->arena, *path, (size_t)(hash - *path)) : *path;
    return *path ? CP_OK : CP_LIMIT;
}

/* Opens the document that the manifest names. CP_NO, unreported, if it names none that is there. */
static cp_status open_named(struct collada *collada, uint32_t manifest, struct source **document)
{
    const char *path;
    cp_status status = archive_unpack(collada->archive, manifest, &collada->manifest);
    if (status == CP_OK)
        status = read_manifest(collada, collada->manifest, &path);
    if (status != CP_OK)
        return status;
    return path && *path ? source_open_near(collada->manifest, path, NULL, document) : CP_NO;
}

/* Opens the only document of the archive. */
static cp_status open_only(struct collada *collada, const struct source *source, bool has_manifest,
                           struct source **document)
{
    const char *name;
    uint32_t count = 0, only = 0;
    for (uint32_t i = 0; (name = archive_name(collada->archive, i)) != NULL; i++)
        if (text_ends_nocase(name, ".dae") && *text_file_name(name) != '.') {
            count++;
            only = i;
        }
    if (count == 0 && !has_manifest)
        return report_unknown_content(source);
    if (count != 1)
        return report_error(collada->context, CP_INPUT, "collada-archive", IN_FILE(source->name),
                            "the archive has %u .dae files, and %s", (unsigned)count,
                            has_manifest ? "its manifest.xml names none of them" : "no manifest.xml");
    cp_status status =
        report_lenient(collada->context, collada->settings->common.strict, "collada-manifest", IN_FILE(source->name),
                       "the archive has no manifest.xml that names its document; "
                       "its only .dae file is taken");
    return status == CP_OK ? archive_unpack(collada->archive, only, document) : status;
}

cp_status collada_open_archive(struct collada *collada, const struct source *source, struct source **document)
{
    cp_status status = archive_open(source, &collada->archive);
    if (status == CP_NO)
        return report_error(collada->context, CP_INPUT, "collada-archive", IN_FILE(source->name),
                            "the ZIP archive breaks off or is damaged");
    uint32_t manifest = status == CP_OK ? find_manifest(collada->archive) : CP_NONE;
    if (status == CP_OK)
        status = manifest != CP_NONE ? open_named(collada, manifest, document) : CP_NO;
    return status == CP_NO ? open_only(collada, source, manifest != CP_NONE, document) : status;
}
