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
#include "collada.h"

#include <stddef.h>

#include "base/text/text.h"

static void close_all(struct collada *collada)
{
    cp_context *context = collada->context;
    for (uint32_t i = 0; i < collada->document_count; i++) {
        struct source *source = collada->documents[i]->source;
        collada_close(collada->documents[i]);
        if (i > 0)
            source_close(source);
    }
    memory_free(context, collada->documents, collada->document_room, sizeof(struct collada_document *));
    memory_free(context, collada->places, collada->place_room, sizeof *collada->places);
    name_map_free(&collada->known);
    arena_free(collada->arena);
}

/* ---- what is told ---- */

static cp_status report_findings(const struct collada *collada)
{
    struct place place = IN_FILE(collada->documents[0]->source->name);
    uint64_t views = collada->counts[COLLADA_TOLD_CAMERAS] + collada->counts[COLLADA_TOLD_LIGHTS];
    if (views > 0)
        report_loss(collada->context, "collada-camera", place, views, "cameras and lights");
    return CP_OK;
}

static cp_status read(cp_context *context, struct source *source, const void *settings, cp_scene *scene)
{
    struct collada collada = {.context = context,
                              .settings = settings,
                              .scene = scene,
                              .arena = arena_new(context),
                              .known = {.context = context}};
    struct collada_document *document;
    cp_status status = collada.arena ? collada_open(&collada, source, &document) : CP_LIMIT;
    if (status == CP_OK)
        status = collada_place_nodes(&collada);
    if (status == CP_OK)
        status = report_findings(&collada);
    close_all(&collada);
    return status == CP_OK ? scene_finish(scene) : status;
}

static int probe(const char *head, size_t size, uint64_t file_size)
{
    (void)file_size;
    return xml_probe(head, size, "COLLADA");
}

static const cp_option options[] = {
    {"unit", "length of the file's unit, instead of what it says", CP_OPTION_UNIT,
     .offset = offsetof(struct collada_settings, unit)},
    {"up", "the file's axis that points up, instead of what it says", CP_OPTION_CHOICE,
     offsetof(struct collada_settings, up), "file", .choices = "file|z|y|x"},
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
    .load = xml_load,
    .read = read,
};
