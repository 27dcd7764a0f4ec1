/* Checks ZIP archives. assimp ends the process if a file's checksum is wrong, so the archives that
 * its unzip code would fail on are refused here. Encrypted files and those of other methods are left to it. */
#include "base/bytes/archive.h"

#include "assimp.h"
#include "base/text/text.h"

#ifdef HAVE_ASSIMP

#include <string.h>

static bool has_end(const struct archive_file *file, const char *end)
{
    size_t size = strlen(end);
    return file->name_size >= size && !memcmp(file->name + file->name_size - size, end, size);
}

const char *find_attribute(const char *at, const char *end, const char *name, size_t *size)
{
    size_t length = strlen(name);
    for (; at < end && *at != '>'; at++) {
        if (!is_blank(*at) || (size_t)(end - at) < length + 2 || memcmp(at + 1, name, length) != 0)
            continue;
        const char *value = at + 1 + length;
        while (value < end && (is_blank(*value) || *value == '='))
            value++;
        const char *close = value < end ? memchr(value + 1, *value, (size_t)(end - value) - 1) : NULL;
        if (!close || (*value != '"' && *value != '\''))
            return NULL;
        *size = (size_t)(close - value) - 1;
        return value + 1;
    }
    return NULL;
}

static cp_status refuse(const struct source *source, const char *why)
{
    return report_error(source->context, CP_INPUT, "assimp-archive", IN_FILE(source->name), "%s", why);
}

cp_status check_archive(const struct source *source)
{
    if (!is_archive(source))
        return CP_OK;
    struct archive_walk walk = archive_walk(source);
    struct archive_file file;
    size_t left = source->size;
    while (archive_next(&walk, &file)) {
        if (file.packed.size > left) /* else a small archive could ask for endless work */
            return refuse(source, "files in the archive overlap");
        left -= file.packed.size;
        bool whole = file.whole;
        cp_status status = file.readable ? unpack_check(source, &file.packed, &whole) : CP_OK;
        if (status != CP_OK)
            return status;
        if (!whole)
            return report_error(source->context, CP_INPUT, "assimp-archive", IN_FILE(source->name),
                                "the file \"%.*s\" in the archive is damaged",
                                (int)(file.name_size < 100 ? file.name_size : 100), file.name);
        if (has_end(&file, "3dmodel.model"))
            return refuse(source, "3MF is not read through assimp; the importer 3mf reads it");
        if (has_end(&file, ".dae"))
            return refuse(source, "COLLADA is not read through assimp; the importer collada reads it");
        if (has_end(&file, ".amf"))
            return refuse(source, "AMF is not read through assimp; the importer amf reads it");
    }
    return walk.left == 0 ? CP_OK : refuse(source, "the archive's directory is damaged");
}

#endif
