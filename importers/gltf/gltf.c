/* gltf: GLB and .gltf, of other tools and of cellpipe itself.
 *
 * Specification: glTF 2.0 (Khronos, ISO/IEC 12113:2022); extensions KHR_mesh_quantization, EXT_meshopt_compression,
 * KHR_texture_transform, EXT_texture_webp, KHR_texture_basisu, EXT_texture_avif, MSFT_texture_dds, AGI_articulations;
 * our own extras: docs/stage-format.md, version 1. Dialects met: exporters of Blender, three, glTF-Transform, gltfpack
 * (quantised, meshopt), Cesium models (articulations), CAD exporters (matrices, one mesh a colour). Ours: profiles
 * stage and deliver.
 *
 * Behaviour and limitations (all of it: docs/gltf.md, "Reading")
 * - One mesh a glTF mesh: its primitives of one kind (faces or lines, with or without normals) become one scene mesh
 *   with a group a primitive; each further kind is a scene mesh of its own. Strips and fans become triangles.
 * - Files of other tools are Y up: the roots' poses are turned to Z up, vertices stay. Ours are read back to what was
 *   written.
 * - Images are copied as they are, from buffers, data URIs and files.
 * - Lights are kept as metadata of their nodes. Skins, morph targets, cameras, points and other scenes are
 * losses with counts. Extras are kept as metadata. Articulations become joints where they mean the same.
 * - Everything is checked before it is used; an error names its place by a JSON pointer. */
#include "gltf.h"

#include <string.h>

#include "../importers.h"

static const cp_option gltf_options[] = {
    {"up", "the up axis of files of other tools; auto: y, as glTF says", CP_OPTION_CHOICE,
     offsetof(struct gltf_import_settings, up), "auto", .choices = "auto|y|z"},
    {"collision", "the meshes of files of other tools are for collision, too", CP_OPTION_BOOLEAN,
     offsetof(struct gltf_import_settings, collision), .initial = "no"},
    CP_OPTIONS_END,
};

/* ---- probing ---- */

static bool holds(const char *head, size_t size, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = head; at && (size_t)(head + size - at) >= length; at++) {
        at = memchr(at, word[0], (size_t)(head + size - at) - length + 1);
        if (!at)
            return false;
        if (memcmp(at, word, length) == 0)
            return true;
    }
    return false;
}

static int gltf_probe(const char *head, size_t size, uint64_t file_size)
{
    (void)file_size;
    if (size >= 4 && memcmp(head, "glTF", 4) == 0)
        return size >= 20 && memcmp(head + 16, "JSON", 4) == 0 ? 100 : 90;
    size_t start = size >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (start < size && strchr(" \t\r\n", head[start]))
        start++;
    if (start == size || head[start] != '{')
        return 0;
    static const char *const words[] = {"\"asset\"", "\"accessors\"", "\"bufferViews\"", "\"nodes\"", "\"scenes\""};
    int score = 0; /* any JSON begins so, so the words decide */
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        score += holds(head, size, words[i]) ? (i == 0 ? 50 : 10) : 0;
    return score;
}

/* ---- the document as a whole ---- */

static void read_parts(struct gltf_reading *reading)
{
    struct gltf *gltf = &reading->gltf;
    gltf_read_asset(gltf, reading->scene, &reading->extras);
    gltf->lists.buffers = gltf_items(gltf, 0, "buffers", true);
    gltf->lists.views = gltf_items(gltf, 0, "bufferViews", true);
    gltf->lists.accessors = gltf_items(gltf, 0, "accessors", true);
    gltf->lists.materials = gltf_items(gltf, 0, "materials", true);
    gltf->lists.meshes = gltf_items(gltf, 0, "meshes", true);
    gltf->lists.nodes = gltf_items(gltf, 0, "nodes", true);
    gltf->lists.animations = gltf_items(gltf, 0, "animations", true);
    gltf->lists.scenes = gltf_items(gltf, 0, "scenes", true);
    gltf->lists.lights = gltf_items(gltf, gltf_extension(gltf, 0, "KHR_lights_punctual"), "lights", true);
    reading->lights_used = gltf_allocate(gltf, gltf->lists.lights.count, sizeof *reading->lights_used);
    reading->buffers.items = gltf_allocate(gltf, gltf->lists.buffers.count, sizeof *reading->buffers.items);
    reading->buffers.views = gltf_allocate(gltf, gltf->lists.views.count, sizeof *reading->buffers.views);
    reading->buffers.accessors = gltf_allocate(gltf, gltf->lists.accessors.count, sizeof *reading->buffers.accessors);
    reading->buffers.floats = gltf_allocate(gltf, gltf->lists.accessors.count, sizeof *reading->buffers.floats);
    own_read_asset(gltf, &reading->extras);

    /* Read joints before chains are placed, as the places on a chain depend on their values. */
    gltf_read_tree(gltf, reading->scene, &reading->extras, &reading->tree);
    gltf_give_roles(gltf, &reading->extras, &reading->tree);
    own_read_source(gltf, reading->scene, &reading->extras, &reading->tree);
    own_read_joints(gltf, &reading->ids, &reading->tree, &reading->joints);
    gltf_place_chains(gltf, &reading->tree, &reading->joints);

    gltf_read_textures(gltf, reading->scene, &reading->ids, &reading->buffers, &reading->materials);
    gltf_read_materials(gltf, reading->scene, &reading->ids, &reading->materials);
    gltf_read_meshes(reading);
    gltf_place_meshes(gltf, reading->scene, &reading->ids, &reading->meshes);
    gltf_build_nodes(reading);
    gltf_build_joints(reading);
    gltf_build_instances(reading);
    own_read_lists(gltf, reading->scene, &reading->extras, &reading->ids);
    own_read_scopes(gltf, reading->scene, &reading->ids, &reading->tree);
    gltf_read_animations(reading);
    gltf_read_credits(gltf, reading->scene, &reading->extras);
    own_read_metadata(gltf, reading->scene, reading->extras.scene, CP_OWNER_SCENE, 0);
    own_count_gone(gltf, reading->scene, &reading->extras);
    for (uint32_t i = 0; i < gltf->lists.lights.count && gltf->status == CP_OK; i++)
        gltf_loss(gltf, LOSS_LIGHTS, !reading->lights_used[i]);
    gltf_report_losses(gltf);
}

static cp_status gltf_read(cp_context *context, struct source *source, const void *settings, cp_scene *scene)
{
    /* The room for each vertex: a position, a normal, a colour, coordinates, and some six corners of triangles; two
     * more for data that are used twice. */
    enum { ROOM_A_VERTEX = 16 };
    static const struct json_codes codes = JSON_CODES("gltf");
    struct gltf_reading reading = {.scene = scene, .extras = {.asset = JSON_NONE, .scene = JSON_NONE}};
    struct gltf *gltf = &reading.gltf;
    struct gltf_buffers *buffers = &reading.buffers;
    struct name_map *maps[] = {&buffers->files, &buffers->view_names, &reading.articulations.names,
                               &reading.articulations.stages, &reading.meshes.shapes};
    enum { MAPS = sizeof maps / sizeof *maps };
    for (size_t i = 0; i < MAPS; i++)
        maps[i]->context = context;
    for (size_t i = 0; i < TABLE_COUNT; i++)
        reading.ids.of[i].context = context;
    uint64_t limit = limit_vertices(context);
    *gltf = (struct gltf){.context = context,
                          .source = source,
                          .settings = settings,
                          .arena = arena_new(context),
                          .kept = scene->arena,
                          .json = {.context = context}};
    gltf->room.bytes = source->size;
    gltf->room.left = limit < UINT64_MAX / ROOM_A_VERTEX ? limit * ROOM_A_VERTEX : limit;
    if (!gltf->arena)
        return CP_LIMIT;

    const char *text;
    size_t size;
    if (gltf_open(gltf, buffers, &text, &size) == CP_OK) {
        gltf->json = (struct json_document){.context = context, .text = text, .size = (uint32_t)size};
        gltf->status = json_parse(&gltf->json, source->name, limit_nesting(context), &codes);
    }
    if (gltf->status == CP_OK && !json_is(&gltf->json, 0, JSON_OBJECT))
        gltf_error(gltf, 0, "gltf-type", "the document is not an object");
    if (gltf->status == CP_OK)
        read_parts(&reading);

    for (uint32_t i = 0; buffers->items && i < gltf->lists.buffers.count; i++)
        source_close(buffers->items[i].file);
    for (size_t i = 0; i < MAPS; i++)
        name_map_free(maps[i]);
    for (size_t i = 0; i < TABLE_COUNT; i++)
        name_map_free(&reading.ids.of[i]);
    memory_free(context, reading.meshes.items, reading.meshes.room, sizeof *reading.meshes.items);
    json_free(&gltf->json);
    arena_free(gltf->arena);
    return gltf->status == CP_OK ? scene_finish(scene) : gltf->status;
}

const struct importer gltf_importer = {
    .plugin =
        {
            .name = "gltf",
            .title = "glTF 2.0, binary and text, and cellpipe's own stages",
            .options = gltf_options,
            .settings_size = sizeof(struct gltf_import_settings),
#ifndef HAVE_MESHOPT
            .lacks = "EXT_meshopt_compression (apt-get install libmeshoptimizer-dev)",
#endif
        },
    .suffixes = ".glb .gltf",
    .probe = gltf_probe,
    .sign = "the bytes glTF, or JSON with \"asset\"",
    .read = gltf_read,
};
