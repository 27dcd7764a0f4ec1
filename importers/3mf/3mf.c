/* 3MF: parts to print, as XML in a ZIP archive.
 *
 * Specification: 3MF Consortium, "3D Manufacturing Format, Core Specification" 1.3; "Materials and Properties
 * Extension" 1.2, of which colour groups are read; "Production Extension" 1.1, of which paths of parts are. Dialects:
 * archives by other rules than OPC's (a package without relations), materials with an alpha of 0, and a model part on
 * its own, as unzip leaves it.
 *
 * Behaviour and limitations
 * - Each <item> of the build is a node, and each <component> one below it; the mesh of an object is shared. Objects
 * that no item shows are left out, which is a loss.
 * - Vertices stay as the file has them; the unit is in the instances' transforms, nodes are in metres. Z up.
 * - Colours of base materials and colour groups become materials, and groups of triangles. In a mesh with a triangle
 *   that goes from one colour to another, all colours are those of vertices.
 * - Textures, composites, multi-properties, display properties, slices, beam lattices: losses, with counts. A required
 *   extension that is not known is an error, with partial=yes a loss.
 * - Triangles that name a vertex twice are kept, with a warning.
 * - UUIDs, thumbnails, print tickets and what programs keep in the archive for themselves are ignored.
 * - All of a part is in memory while it is read. */
#include "3mf.h"

#include "base/text/text.h"

#ifdef HAVE_3MF

#include <stddef.h>

static cp_status read_part(struct threemf *file, uint32_t part)
{
    struct source source = *file->source;
    struct buffer bytes = {.context = file->context};
    if (!file->package)
        return model_read(file, part, &source);
    const char *name = file->parts[part].name;
    cp_status status = package_unpack(file, name, &bytes);
    source.name = arena_print(file->arena, "%s/%s", file->source->name, name);
    source.data = bytes.data;
    source.size = bytes.size;
    if (status == CP_OK)
        status = source.name ? model_read(file, part, &source) : CP_LIMIT;
    buffer_free(&bytes);
    return status;
}

static void close_file(struct threemf *file)
{
    cp_context *context = file->context;
    package_close(file);
    for (uint32_t i = 0; i < file->part_count; i++)
        name_map_free(&file->parts[i].names);
    name_map_free(&file->part_names);
    memory_free(context, file->parts, file->part_room, sizeof *file->parts);
    memory_free(context, file->resources, file->resource_room, sizeof *file->resources);
    memory_free(context, file->colours, file->colour_room, sizeof *file->colours);
    memory_free(context, file->objects, file->object_room, sizeof *file->objects);
    memory_free(context, file->components, file->component_room, sizeof *file->components);
    memory_free(context, file->items, file->item_room, sizeof *file->items);
    arena_free(file->arena);
}

static cp_status read(cp_context *context, struct source *source, const void *settings, cp_scene *scene)
{
    struct threemf file = {.context = context,
                           .source = source,
                           .settings = settings,
                           .scene = scene,
                           .arena = arena_new(context),
                           .part_names = {.context = context}};
    const char *name = "";
    cp_status status = !file.arena ? CP_LIMIT : is_package(source) ? package_open(&file, &name) : CP_OK;
    if (status == CP_OK && model_add_part(&file, name) == CP_NONE)
        status = CP_LIMIT;
    for (uint32_t i = 0; i < file.part_count && status == CP_OK; i++)
        status = read_part(&file, i);
    if (status == CP_OK)
        status = place_items(&file);
    close_file(&file);
    return status == CP_OK ? scene_finish(scene) : status;
}

#endif

/* Knows a ZIP archive in whose first 64 KiB a model part begins, or perhaps another part of a package; or a model
 * part. */
static int probe(const char *head, size_t size, uint64_t file_size)
{
    (void)file_size;
    if (size >= 4 && memcmp(head, "PK\3\4", 4) == 0)
        return bytes_have_word(head, size, "3d/3dmodel.model") || bytes_have_word(head, size, "3d\\3dmodel.model")
                   ? 95
                   : bytes_have_word(head, size, "_rels/.rels") || bytes_have_word(head, size, "_rels\\.rels");
    return bytes_have_word(head, size < 4096 ? size : 4096, "schemas.microsoft.com/3dmanufacturing/core/")
               ? xml_probe(head, size, "model")
               : 0;
}

#ifdef HAVE_3MF
static const cp_option options[] = {
    {"unit", "length of the file's unit, instead of what it says", CP_OPTION_UNIT,
     .offset = offsetof(struct threemf_settings, unit)},
    CP_OPTIONS_END,
};
#endif

const struct importer threemf_importer = {
    .plugin = {.name = "3mf",
               .title = "3MF, parts to print",
#ifdef HAVE_3MF
               .options = options,
#elif defined(HAVE_LIBZIP)
               .package = "libxml2-dev",
#else
               .package = "libzip-dev",
#endif
               .settings_size = sizeof(struct threemf_settings)},
    .suffixes = ".3mf",
    .probe = probe,
    .sign = "a ZIP archive with 3D/3dmodel.model",
#ifdef HAVE_3MF
    .read = read,
#endif
};
