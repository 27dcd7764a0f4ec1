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
     offsetof(struct gltf_settings, up), "auto", .choices = "auto|y|z"},
    {"collision", "the meshes of files of other tools are for collision, too", CP_OPTION_BOOLEAN,
     offsetof(struct gltf_settings, collision), .initial = "no"},
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

static void read_parts(struct gltf *gltf)
{
    gltf_read_asset(gltf);
    gltf->buffer_list = gltf_items(gltf, 0, "buffers", true);
    gltf->view_list = gltf_items(gltf, 0, "bufferViews", true);
    gltf->accessor_list = gltf_items(gltf, 0, "accessors", true);
    gltf->material_list = gltf_items(gltf, 0, "materials", true);
    gltf->mesh_list = gltf_items(gltf, 0, "meshes", true);
    gltf->node_list = gltf_items(gltf, 0, "nodes", true);
    gltf->animation_list = gltf_items(gltf, 0, "animations", true);
    gltf->scene_list = gltf_items(gltf, 0, "scenes", true);
    gltf->light_list = gltf_items(gltf, gltf_extension(gltf, 0, "KHR_lights_punctual"), "lights", true);
    gltf->lights_used = gltf_allocate(gltf, gltf->light_list.count, sizeof *gltf->lights_used);
    gltf->buffers = gltf_allocate(gltf, gltf->buffer_list.count, sizeof *gltf->buffers);
    gltf->views = gltf_allocate(gltf, gltf->view_list.count, sizeof *gltf->views);
    gltf->accessors = gltf_allocate(gltf, gltf->accessor_list.count, sizeof *gltf->accessors);
    gltf->floats = gltf_allocate(gltf, gltf->accessor_list.count, sizeof *gltf->floats);
    own_read_asset(gltf);

    /* Read joints before chains are placed, as the places on a chain depend on their values. */
    gltf_read_tree(gltf);
    gltf_give_roles(gltf);
    own_read_source(gltf);
    own_read_joints(gltf);
    gltf_place_chains(gltf);

    gltf_read_textures(gltf);
    gltf_read_materials(gltf);
    gltf_read_meshes(gltf);
    gltf_place_meshes(gltf);
    gltf_build_nodes(gltf);
    gltf_build_joints(gltf);
    gltf_build_instances(gltf);
    own_read_lists(gltf);
    own_read_scopes(gltf);
    gltf_read_animations(gltf);
    gltf_read_credits(gltf);
    own_read_metadata(gltf, gltf->scene_own, CP_OWNER_SCENE, 0);
    own_count_gone(gltf);
    for (uint32_t i = 0; i < gltf->light_list.count && gltf->status == CP_OK; i++)
        gltf_loss(gltf, LOSS_LIGHTS, !gltf->lights_used[i]);
    gltf_report_losses(gltf);
}

static cp_status gltf_read(cp_context *context, struct source *source, const void *settings, cp_scene *scene)
{
    /* The room for each vertex: a position, a normal, a colour, coordinates, and some six corners of triangles; two
     * more for data that are used twice. */
    enum { ROOM_A_VERTEX = 16 };
    static const struct json_codes codes = JSON_CODES("gltf");
    struct gltf reading = {.context = context, .source = source, .scene = scene, .settings = settings};
    struct gltf *gltf = &reading;
    for (size_t i = 0; i < MAP_COUNT; i++)
        gltf->maps[i].context = context;
    gltf->json.context = context;
    gltf->scene_own = gltf->asset_own = gltf->scene_value = JSON_NONE;
    gltf->bytes = source->size;
    uint64_t limit = limit_vertices(context);
    gltf->room = limit < UINT64_MAX / ROOM_A_VERTEX ? limit * ROOM_A_VERTEX : limit;
    gltf->arena = arena_new(context);
    if (!gltf->arena)
        return CP_LIMIT;

    const char *text;
    size_t size;
    if (gltf_open(gltf, &text, &size) == CP_OK) {
        gltf->json = (struct json_document){.context = context, .text = text, .size = (uint32_t)size};
        gltf->status = json_parse(&gltf->json, source->name, limit_nesting(context), &codes);
    }
    if (gltf->status == CP_OK && !json_is(&gltf->json, 0, JSON_OBJECT))
        gltf_error(gltf, 0, "gltf-type", "the document is not an object");
    if (gltf->status == CP_OK)
        read_parts(gltf);

    for (uint32_t i = 0; gltf->buffers && i < gltf->buffer_list.count; i++)
        source_close(gltf->buffers[i].file);
    for (size_t i = 0; i < MAP_COUNT; i++)
        name_map_free(&gltf->maps[i]);
    memory_free(context, gltf->meshes, gltf->meshes_room, sizeof *gltf->meshes);
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
            .settings_size = sizeof(struct gltf_settings),
#ifndef HAVE_MESHOPT
            .lacks = "EXT_meshopt_compression (apt-get install libmeshoptimizer-dev)",
#endif
        },
    .suffixes = ".glb .gltf",
    .probe = gltf_probe,
    .sign = "the bytes glTF, or JSON with \"asset\"",
    .read = gltf_read,
};
