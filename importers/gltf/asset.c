/* asset and extensions: whether the file can be read, and which parts of it cannot. */
#include "gltf.h"

#include <string.h>

static void check_version(struct gltf *gltf, uint32_t asset, const char *key, const char *highest)
{
    const char *version = gltf_text(gltf, asset, key);
    bool minimum = strcmp(key, "minVersion") == 0;
    bool fits = version ? strncmp(version, "2.", 2) == 0 && (!minimum || strcmp(version, highest) == 0) : minimum;
    if (!fits)
        gltf_error(gltf, asset, "gltf-version", "%s \"%.20s\" is not supported, only glTF %s", key,
                   version ? version : "", highest);
}

/* ---- extensions ---- */

/* The extensions that this reader handles; the last ones by leaving out their contents, which are counted as losses. */
static const char *const known_extensions[] = {"KHR_mesh_quantization",   "AGI_articulations",     "FB_ngon_encoding",
                                               "KHR_lights_punctual",     "KHR_texture_transform", "KHR_texture_basisu",
                                               "EXT_texture_webp",        "EXT_texture_avif",      "MSFT_texture_dds",
                                               "EXT_mesh_gpu_instancing", "KHR_animation_pointer", NULL};

static bool is_known(struct gltf *gltf, uint32_t name)
{
    for (size_t i = 0; known_extensions[i]; i++)
        if (json_string_equals(&gltf->json, name, known_extensions[i]))
            return true;
    for (size_t i = 0; i < 2; i++)
        if (json_string_equals(&gltf->json, name, meshopt_extensions[i]))
            return meshopt_is_built();
    static const char materials[] = "\"KHR_materials_";
    uint32_t start = gltf->json.values[name].start;
    return json_end(&gltf->json, name) - start > sizeof materials &&
           memcmp(gltf->json.text + start, materials, sizeof materials - 1) == 0;
}

static void check_extensions(struct gltf *gltf, const char *key, bool required)
{
    struct gltf_list list = gltf_items(gltf, 0, key, false);
    for (uint32_t i = 0; i < list.count && gltf->status == CP_OK; i++) {
        if (!json_is(&gltf->json, list.items[i], JSON_STRING)) {
            gltf_error(gltf, list.items[i], "gltf-type", "an extension's name is not a string");
            return;
        }
        if (is_known(gltf, list.items[i]))
            continue;
        if (!required && json_string_equals(&gltf->json, list.items[i], "KHR_draco_mesh_compression"))
            continue; /* each primitive may also be there uncompressed, which is found out later */
        const char *name = json_string_text(&gltf->json, gltf->arena, list.items[i]);
        if (!name)
            gltf_no_memory(gltf);
        else if (required)
            gltf_error(gltf, list.items[i], "gltf-extension-required",
                       "the required extension \"%.100s\" is not supported%s", name,
                       !strstr(name, "_meshopt_compression") ? "" : " by a build without libmeshoptimizer-dev");
        else
            report_loss(gltf->context, "gltf-extension", IN_FILE(gltf->source->name), 1,
                        "the extension \"%.100s\" is not read", name);
    }
}

void gltf_read_asset(struct gltf *gltf, cp_scene *scene, struct gltf_extras *extras)
{
    const struct json_document *json = &gltf->json;
    uint32_t asset = gltf_object(gltf, 0, "asset");
    if (asset == JSON_NONE)
        gltf_error(gltf, 0, "gltf-missing", "no asset: not a glTF document");
    if (gltf->status != CP_OK)
        return;
    check_version(gltf, asset, "version", "2.0");
    check_version(gltf, asset, "minVersion", "2.0");
    check_extensions(gltf, "extensionsRequired", true);
    check_extensions(gltf, "extensionsUsed", false);
    uint32_t variants = gltf_array(gltf, gltf_extension(gltf, 0, "KHR_materials_variants"), "variants");
    gltf_loss(gltf, LOSS_VARIANTS, json_count(json, variants));
    gltf_loss(gltf, LOSS_SKINS, json_count(json, gltf_array(gltf, 0, "skins")));
    extras->asset = gltf_own(gltf, asset);
    gltf_keep_extras(gltf, scene, asset, CP_OWNER_SCENE, 0, "asset.extras");
}

void gltf_read_credits(struct gltf *gltf, cp_scene *scene, const struct gltf_extras *extras)
{
    static const char *const keys[][2] = {{"generator", "asset.generator"}, {"copyright", "asset.copyright"}};
    uint32_t asset = gltf_object(gltf, 0, "asset");
    for (size_t i = 0; i < 2 && extras->asset == JSON_NONE && gltf->status == CP_OK; i++) {
        const char *text = gltf_text(gltf, asset, keys[i][0]);
        if (text && !scene_add_metadata(scene, CP_OWNER_SCENE, 0, keys[i][1], CP_VALUE_STRING, text))
            gltf_no_memory(gltf);
    }
}
