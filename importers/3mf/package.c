/* The package: a ZIP archive (libzip) by the rules of OPC (ECMA-376, part 2): "_rels/.rels" names the model. */
#include "3mf.h"

#ifdef HAVE_3MF

#include <zip.h>

/* clang-format off */
#define ZIP_FUNCTIONS(X) \
    X(zip_discard) X(zip_error_code_zip) X(zip_error_fini) X(zip_error_init) X(zip_error_strerror) X(zip_fclose) \
    X(zip_file_get_error) X(zip_fopen_index) X(zip_fread) X(zip_get_error) X(zip_get_name) X(zip_get_num_entries) \
    X(zip_open_from_source) X(zip_source_buffer_create) X(zip_source_free) X(zip_stat_index)
/* clang-format on */

LATE_FUNCTIONS(libzip, ZIP_FUNCTIONS);
static LATE_LIBRARY(libzip, FILE_OF_LIBZIP, 0, ZIP_FUNCTIONS);

struct package {
    zip_t *archive;
    struct name_map entries; /* names in lower case to their numbers */
    uint64_t unpacked;       /* bytes so far, of all parts */
};

static const char relations[] = "_rels/.rels", standard_model[] = "3D/3dmodel.model";

bool is_package(const struct source *source)
{
    return source->size >= 2 && memcmp(source->data, "PK", 2) == 0;
}

static cp_status report_zip(const struct threemf *file, zip_error_t *error, const char *part)
{
    const struct source *source = file->source;
    if (libzip.zip_error_code_zip(error) == ZIP_ER_MEMORY)
        return report_error(file->context, CP_LIMIT, "3mf-memory", IN_FILE(source->name), "libzip ran out of memory");
    return report_error(file->context, CP_INPUT, "3mf-package", IN_FILE(source->name), "%s%s%scannot be unpacked: %s",
                        part ? "the part \"" : "", part ? part : "", part ? "\" " : "",
                        libzip.zip_error_strerror(error));
}

/* Returns the key of a part's name: names ignore case (OPC), a '\\' is a '/', and a first '/' is dropped. NULL when out
 * of memory. */
static const char *key_of_name(struct arena *arena, const char *name)
{
    char *copy = arena_copy_text(arena, name, strlen(name));
    for (char *at = copy; at && *at; at++)
        *at = (char)(*at >= 'A' && *at <= 'Z' ? *at | 0x20 : *at == '\\' ? '/' : *at);
    return copy ? copy + (*copy == '/') : NULL;
}

static uint32_t find_entry(const struct threemf *file, const char *name)
{
    const char *key = key_of_name(file->arena, name);
    const uint32_t *entry = key ? name_map_find(&file->package->entries, key) : NULL;
    return entry ? *entry : CP_NONE;
}

/* Returns the size that the directory tells of an entry. */
static uint64_t size_of_entry(const struct package *package, zip_uint64_t entry)
{
    zip_stat_t facts;
    bool is_told = libzip.zip_stat_index(package->archive, entry, 0, &facts) == 0 && (facts.valid & ZIP_STAT_SIZE) != 0;
    return is_told ? facts.size : 0;
}

static cp_status list_entries(struct threemf *file)
{
    struct package *package = file->package;
    zip_int64_t count = libzip.zip_get_num_entries(package->archive, 0);
    uint64_t odd = 0, expanded = 0;
    for (zip_int64_t i = 0; i < count && i < CP_NONE; i++) {
        const char *name = libzip.zip_get_name(package->archive, (zip_uint64_t)i, 0);
        const char *key = name ? key_of_name(file->arena, name) : "";
        const uint64_t size = size_of_entry(package, (zip_uint64_t)i);
        expanded = size < UINT64_MAX - expanded ? expanded + size : UINT64_MAX;
        odd += name && (*name == '/' || strchr(name, '\\'));
        if (!key || (name && !name_map_add(&package->entries, key, (uint32_t)i, NULL)))
            return CP_LIMIT;
    }
    cp_status status = unpack_check_expanded(file->source, "the package ", file->source->size, expanded);
    if (odd == 0 || status != CP_OK)
        return status;
    return report_lenient(file->context, file->settings->common.strict, "3mf-names", IN_FILE(file->source->name),
                          "names of parts with a \"\\\" for \"/\", or a \"/\" in front: %llu", (unsigned long long)odd);
}

static cp_status open_archive(struct threemf *file)
{
    zip_error_t error;
    if (library_load(file->context, &libzip_library) != CP_OK)
        return CP_LIMIT;
    libzip.zip_error_init(&error);
    zip_source_t *bytes = libzip.zip_source_buffer_create(file->source->data, file->source->size, 0, &error);
    struct package *package = file->package;
    package->archive = bytes ? libzip.zip_open_from_source(bytes, ZIP_RDONLY, &error) : NULL;
    cp_status status = package->archive ? CP_OK : report_zip(file, &error, NULL);
    if (bytes && !package->archive)
        libzip.zip_source_free(bytes);
    libzip.zip_error_fini(&error);
    return status;
}

/* Finds the target of the first relation to a model; NULL when there is none, or no memory (arena_failed). */
static cp_status read_relations(struct threemf *file, const struct source *source, const char **target)
{
    static const struct xml_codes codes = XML_CODES("3mf");
    static const char model[] = "http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel";
    struct xml xml;
    (void)xml_open(&xml, source, file->settings->common.strict, &codes);
    while (xml_child(&xml, 0))
        while (xml_child(&xml, 1)) {
            const char *type = xml_attribute(&xml, "Type"), *value = xml_attribute(&xml, "Target");
            if (!*target && type && value && strcmp(type, model) == 0)
                *target = arena_copy_text(file->arena, value + (*value == '/'), strlen(value + (*value == '/')));
        }
    return xml_close(&xml);
}

cp_status package_open(struct threemf *file, const char **name)
{
    *name = NULL;
    struct package *package = file->package = arena_allocate_zeroed(file->arena, 1, sizeof *package);
    if (!package)
        return CP_LIMIT;
    package->entries.context = file->context;
    cp_status status = open_archive(file);
    if (status == CP_OK)
        status = list_entries(file);
    if (status == CP_OK && package_has(file, relations)) {
        struct buffer bytes = {.context = file->context};
        struct source source = *file->source;
        status = package_unpack(file, relations, &bytes);
        source.name = arena_print(file->arena, "%s/%s", file->source->name, relations);
        source.data = bytes.data;
        source.size = bytes.size;
        if (status == CP_OK)
            status = source.name ? read_relations(file, &source, name) : CP_LIMIT;
        buffer_free(&bytes);
    }
    if (status != CP_OK || arena_failed(file->arena))
        return status == CP_OK ? CP_LIMIT : status;
    bool named = *name && package_has(file, *name), standard = package_has(file, standard_model);
    if (named || arena_failed(file->arena))
        return named ? CP_OK : CP_LIMIT;
    if (!standard)
        return report_error(file->context, CP_INPUT, "3mf-model", IN_FILE(file->source->name), "%s%.100s%s",
                            *name ? "the package has no part \"" : "the package names no model", *name ? *name : "",
                            *name ? "\", which its relations name as the model" : " in _rels/.rels");
    status = report_lenient(file->context, file->settings->common.strict, "3mf-relations", IN_FILE(file->source->name),
                            "_rels/.rels names no model that is there; %s is taken", standard_model);
    *name = standard_model;
    return status;
}

void package_close(struct threemf *file)
{
    if (!file->package)
        return;
    if (file->package->archive)
        libzip.zip_discard(file->package->archive);
    name_map_free(&file->package->entries);
}

bool package_has(const struct threemf *file, const char *name)
{
    return file->package && find_entry(file, name) != CP_NONE;
}

cp_status package_unpack(struct threemf *file, const char *name, struct buffer *bytes)
{
    enum { PIECE = 1 << 16 };
    struct package *package = file->package;
    uint32_t entry = find_entry(file, name);
    if (arena_failed(file->arena))
        return CP_LIMIT;
    zip_file_t *part = libzip.zip_fopen_index(package->archive, entry, 0);
    if (!part)
        return report_zip(file, libzip.zip_get_error(package->archive), name);
    cp_status status = CP_OK;
    const uint64_t most = size_of_entry(package, entry);
    for (zip_int64_t got = 1; status == CP_OK && got > 0;) {
        if (!buffer_reserve(bytes, PIECE + 1)) {
            status = CP_LIMIT;
            break;
        }
        got = libzip.zip_fread(part, bytes->data + bytes->size, bytes->capacity - bytes->size - 1);
        bytes->size += got > 0 ? (size_t)got : 0;
        package->unpacked += got > 0 ? (uint64_t)got : 0;
        status = got < 0 ? report_zip(file, libzip.zip_file_get_error(part), name)
                         : unpack_check_expanded(file->source, "the package ", file->source->size, package->unpacked);
        if (status == CP_OK && bytes->size > most)
            status = report_error(file->context, CP_INPUT, "3mf-package", IN_FILE(file->source->name),
                                  "the part \"%.100s\" is larger than the directory of the archive tells", name);
    }
    (void)libzip.zip_fclose(part);
    if (status == CP_OK)
        bytes->data[bytes->size] = '\0';
    return status;
}

#endif
