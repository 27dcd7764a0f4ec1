/* AMF: parts to print, as XML, mostly in a ZIP archive.
 *
 * Specification: ISO/ASTM 52915:2020, "Additive manufacturing file format (AMF)" 1.2. Dialects: archives with other
 * files beside the document; scales, mirrors and angles in radians of PrusaSlicer's instances; volumes before the
 * vertices; <a> of a colour as an opacity.
 *
 * Behaviour and limitations
 * - Each object and constellation that no instance shows is a node below the world, and each instance one below its
 *   constellation's; the mesh of an object is shared.
 * - Vertices stay as the file has them; the unit is in the instances' transforms, nodes are in metres. Z up.
 * - A triangle has its own colour, else those of its vertices, else its volume's, its object's, its material's. Colours
 *   become materials, and groups of triangles. In a mesh with a triangle that goes from one colour to another, all
 *   colours are those of vertices.
 * - Curved triangles stay flat: their edges are a loss. Normals of vertices are kept if all have one, else a loss.
 * - Textures, composites of materials, colours by formula, metadata of volumes: losses, with counts.
 * - Triangles that name a vertex twice are kept, with a warning.
 * - The whole document is in memory while it is read. */
#include "amf.h"

#include <stddef.h>

#include "base/bytes/archive.h"
#include "base/text/text.h"

/* ---- the archive ---- */

/* Finds the document: the one file that ends in .amf. */
static cp_status find_document(const struct source *source, const struct archive *archive, uint32_t *index)
{
    const char *name;
    uint32_t documents = 0;
    for (uint32_t i = 0; (name = archive_name(archive, i)); i++)
        if (text_ends_nocase(name, ".amf") && strncmp(name, "__MACOSX/", 9) != 0) {
            documents++;
            *index = i;
        }
    if (documents == 1)
        return CP_OK;
    return report_error(source->context, CP_INPUT, "amf-archive", IN_FILE(source->name),
                        "the archive has %u files that end in .amf, and one is expected", documents);
}

/* Opens the document in the archive; it is the source itself if that is no archive. */
static cp_status open_document(const struct source *source, struct archive **archive, struct source **document)
{
    uint32_t index = 0;
    *document = NULL;
    cp_status status = is_archive(source) ? archive_open(source, archive) : CP_OK;
    if (status == CP_NO)
        return report_error(source->context, CP_INPUT, "amf-archive", IN_FILE(source->name),
                            "the ZIP archive breaks off, is damaged, or has more than 4 GiB");
    if (status == CP_OK && *archive)
        status = find_document(source, *archive, &index);
    return status == CP_OK && *archive ? archive_unpack(*archive, index, document) : status;
}

/* ---- the report ---- */

static void report_losses(const struct amf *file)
{
    static const struct {
        const char *code, *text;
    } losses[LOSS_COUNT] = {
        [LOSS_CURVES] = {"amf-curves", "edges that are curved; their triangles are flat"},
        [LOSS_NORMALS] = {"amf-normals", "normals of vertices, since others of the mesh have none"},
        [LOSS_TEXTURES] = {"amf-texture", "textures"},
        [LOSS_TEXTURE_MAPS] = {"amf-texture", "textures of triangles"},
        [LOSS_COMPOSITES] = {"amf-composite", "materials in mixtures of them"},
        [LOSS_FORMULAS] = {"amf-formula", "colours by formula"},
        [LOSS_VOLUME_METADATA] = {"amf-volume-metadata", "metadata of volumes"},
        [LOSS_VOLUME_TYPES] = {"amf-volume-type", "types of volumes other than \"solid\", which are solid here"},
    };
    for (int i = 0; i < LOSS_COUNT; i++)
        if (file->losses[i])
            report_loss(file->context, losses[i].code, IN_FILE(file->source->name), file->losses[i], "%s",
                        losses[i].text);
}

static cp_status report_oddity(const struct amf *file, const struct amf_oddity *oddity, const char *code,
                               const char *text)
{
    if (oddity->count == 0)
        return CP_OK;
    return report_lenient(file->context, file->settings->common.strict, code, AT_LINE(file->source->name, oddity->line),
                          "%s: %llu", text, (unsigned long long)oddity->count);
}

static cp_status report_oddities(const struct amf *file)
{
    cp_status status = report_oddity(file, &file->clipped, "amf-colour", "colours outside 0 to 1, which are cut");
    if (status == CP_OK)
        status = report_oddity(file, &file->profiles, "amf-profile", "colours of other profiles, taken as sRGB");
    if (status == CP_OK)
        status = report_oddity(file, &file->unknown_materials, "amf-material",
                               "volumes whose material is not there, without a colour");
    report_opaque(file->context, OPAQUE_AMF, AT_LINE(file->source->name, file->transparent.line),
                  file->transparent.count);
    return status;
}

/* ---- the file ---- */

static void close_file(struct amf *file)
{
    cp_context *context = file->context;
    for (uint32_t i = 0; i < file->object_count; i++) {
        struct amf_object *object = &file->objects[i];
        painted_free(&object->painted);
        memory_free(context, object->vertex_colours, object->vertex_colour_room, sizeof *object->vertex_colours);
        memory_free(context, object->normals, object->normal_room, 3 * sizeof *object->normals);
    }
    name_map_free(&file->object_names);
    name_map_free(&file->constellation_names);
    name_map_free(&file->material_names);
    name_map_free(&file->known_colours);
    memory_free(context, file->objects, file->object_room, sizeof *file->objects);
    memory_free(context, file->instances, file->instance_room, sizeof *file->instances);
    memory_free(context, file->volumes, file->volume_room, sizeof *file->volumes);
    memory_free(context, file->materials, file->material_room, sizeof *file->materials);
    memory_free(context, file->notes, file->note_room, sizeof *file->notes);
    memory_free(context, file->colours, file->colour_room, sizeof *file->colours);
    arena_free(file->arena);
}

static cp_status read_document(cp_context *context, const struct source *document, const void *settings,
                               cp_scene *scene)
{
    struct amf file = {.context = context,
                       .source = document,
                       .settings = settings,
                       .scene = scene,
                       .arena = arena_new(context),
                       .object_names = {.context = context},
                       .constellation_names = {.context = context},
                       .material_names = {.context = context},
                       .known_colours = {.context = context}};
    cp_status status = file.arena ? amf_read_document(&file) : CP_LIMIT;
    if (status == CP_OK)
        status = amf_place_objects(&file);
    if (status == CP_OK) {
        report_losses(&file);
        status = report_oddities(&file);
    }
    close_file(&file);
    return status == CP_OK ? scene_finish(scene) : status;
}

static cp_status read(cp_context *context, struct source *source, const void *settings, cp_scene *scene)
{
    struct archive *archive = NULL;
    struct source *document = NULL;
    cp_status status = open_document(source, &archive, &document);
    if (status == CP_OK)
        status = read_document(context, document ? document : source, settings, scene);
    source_close(document);
    archive_close(archive);
    return status;
}

/* A ZIP archive with such a file may be one of AMF, if its suffix says so. */
static int probe(const char *head, size_t size, uint64_t file_size)
{
    (void)file_size;
    return size >= 4 && memcmp(head, "PK\3\4", 4) == 0 ? bytes_have_word(head, size, ".amf")
                                                       : xml_probe(head, size, "amf");
}

static const cp_option options[] = {
    {"unit", "length of the file's unit, instead of what it says", CP_OPTION_UNIT,
     .offset = offsetof(struct amf_settings, unit)},
    CP_OPTIONS_END,
};

const struct importer amf_importer = {
    .plugin = {.name = "amf",
               .title = "AMF, parts to print",
               .package = XML_PACKAGE,
               .options = options,
               .settings_size = sizeof(struct amf_settings)},
    .suffixes = ".amf",
    .probe = probe,
    .sign = "XML with <amf>",
    .read = read,
};
