/* COLLADA: scenes as XML, by modelling programs and in packages of robots.
 *
 * Specification: Khronos, "COLLADA - Digital Asset Schema Release 1.4.1" and "1.5.0". Dialects: docs/collada.md lists
 * what programs write and how it is read.
 *
 * Behaviour and limitations
 * - Vertices stay as the file has them; its unit and axes are in the instances' transforms. Nodes are turned and scaled
 *   to Z up and metres.
 * - Geometry of a node is shared by all instances with the same materials.
 * - Skins and morphs are shown as they were bound. */
#include "animation.h"
#include "kinematics.h"

#include <stddef.h>

#include "base/bytes/archive.h"

static bool is_zipped(const char *head, size_t size)
{
    return size >= 4 && memcmp(head, "PK\3\4", 4) == 0;
}

static void close_all(struct collada *collada)
{
    cp_context *context = collada->context;
    for (uint32_t i = collada->document_count; i-- > 0;) /* documents that others opened come first */
        collada_close(collada->documents[i]);
    collada_free_animations(collada);
    collada_free_kinematics(collada);
    source_close(collada->manifest);
    archive_close(collada->archive);
    memory_free(context, collada->documents, collada->document_room, sizeof(struct collada_document *));
    memory_free(context, collada->places, collada->place_room, sizeof *collada->places);
    name_map_free(&collada->known);
    name_map_free(&collada->textures);
    arena_free(collada->arena);
}

static cp_status read(cp_context *context, struct source *source, const void *settings, cp_scene *scene)
{
    struct collada collada = {.context = context,
                              .settings = settings,
                              .scene = scene,
                              .top = source,
                              .arena = arena_new(context),
                              .known = {.context = context},
                              .textures = {.context = context}};
    struct collada_document *document;
    struct source *text = source;
    cp_status status = collada.arena ? collada_start_kinematics(&collada) : CP_LIMIT;
    if (status == CP_OK)
        status = collada_start_animations(&collada);
    if (status == CP_OK && is_zipped(source->data, source->size))
        status = collada_open_archive(&collada, source, &text);
    if (status == CP_OK)
        status = collada_open(&collada, text, &document);
    if (status == CP_OK)
        status = collada_resolve_joints(&collada);
    if (status == CP_OK)
        status = collada_place_nodes(&collada);
    if (status == CP_OK)
        status = collada_add_devices(&collada);
    if (status == CP_OK)
        status = collada_add_clips(&collada);
    if (status == CP_OK)
        status = collada_report_findings(&collada);
    close_all(&collada);
    return status == CP_OK ? scene_finish(scene) : status;
}

/* An archive may hold anything: another importer may know it better. */
static int probe(const char *head, size_t size, uint64_t file_size)
{
    (void)file_size;
    return is_zipped(head, size) ? 1 : xml_probe(head, size, "COLLADA");
}

static const cp_option options[] = {
    {"unit", "length of the file's unit, instead of what it says", CP_OPTION_UNIT,
     .offset = offsetof(struct collada_settings, unit)},
    {"up", "the file's axis that points up, instead of what it says", CP_OPTION_CHOICE,
     offsetof(struct collada_settings, up), "file", .choices = "file|z|y|x"},
    {"transparency", "what an alpha of exactly 0 means: opaque, or what the file says", CP_OPTION_CHOICE,
     offsetof(struct collada_settings, transparency), "opaque", .choices = "opaque|file"},
    CP_OPTIONS_END,
};

const struct importer collada_importer = {
    .plugin = {.name = "collada",
               .title = "COLLADA, scenes of modelling programs and robots",
               .options = options,
               .package = XML_PACKAGE,
               .settings_size = sizeof(struct collada_settings)},
    .suffixes = ".dae .zae",
    .probe = probe,
    .sign = "XML with <COLLADA>",
    .read = read,
};
