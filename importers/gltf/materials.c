/* Materials (glTF 2.0, section 3.9). */
#include "gltf.h"

#include <math.h>
#include <string.h>

#include "model/model.h"

/* rgba of our extras when it is the factor, as in docs/stage-format.md, "Materials". */
static void own_colour(struct gltf *gltf, uint32_t own, cp_material *material)
{
    double rgba[4];
    const bool srgb = material->srgb;
    material->srgb = false;
    if (!gltf_numbers(gltf, own, "rgba", 4, rgba))
        return;
    for (int i = 0; i < 4; i++) {
        double linear = fmin(fmax(rgba[i], 0), 1);
        if (srgb && i < 3)
            linear = linear_from_srgb(linear);
        if (!(fabs(linear - material->rgba[i]) <= 1e-6))
            return;
    }
    memcpy(material->rgba, rgba, sizeof rgba);
    material->srgb = srgb;
}

static const char *const alpha_modes[] = {"BLEND", "MASK", "OPAQUE", NULL}; /* as cp_alpha_mode */

/* Reads a number of 0 to 1. */
static double unit_number(struct gltf *gltf, uint32_t object, const char *key, double fallback)
{
    return gltf_clamp(gltf, object, gltf_number(gltf, object, key, fallback), 0, 1);
}

/* Reads metallic, roughness, emission and alpha. */
static void read_surface(struct gltf *gltf, uint32_t value, uint32_t pbr, cp_material *material)
{
    material->metallic = unit_number(gltf, pbr, "metallicFactor", 1);
    material->roughness = unit_number(gltf, pbr, "roughnessFactor", 1);
    (void)gltf_numbers(gltf, value, "emissiveFactor", 3, material->emissive);
    for (int i = 0; i < 3; i++)
        material->emissive[i] = gltf_clamp(gltf, value, material->emissive[i], 0, 1);
    material->alpha = (cp_alpha_mode)gltf_word(gltf, value, "alphaMode", alpha_modes, CP_ALPHA_OPAQUE);
    material->cutoff = gltf_clamp(gltf, value, gltf_number(gltf, value, "alphaCutoff", 0.5), 0, HUGE_VAL);
}

/* A list of uses that grows. */
struct uses {
    cp_texture_use *items;
    uint32_t count, room;
};

static cp_texture_use *add_use(struct gltf *gltf, struct uses *uses)
{
    if (gltf->status != CP_OK)
        return NULL;
    if (!array_reserve(gltf->context, &uses->items, &uses->room, (uint64_t)uses->count + 1, sizeof *uses->items)) {
        gltf_no_memory(gltf);
        return NULL;
    }
    return &uses->items[uses->count];
}

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Copies an extension's members unchanged, except textures, which become null and uses. */
static void read_extension(struct gltf *gltf, const struct gltf_materials *materials, uint32_t extension,
                           const char *name, struct buffer *text, struct uses *uses)
{
    const struct json_document *json = &gltf->json;
    buffer_print(text, "%s\"%s\":{", text->size > 1 ? "," : "", name);
    bool any = false;
    for (uint32_t at = json_first(json, extension); at != JSON_NONE && gltf->status == CP_OK;
         at = json_next(json, extension, at)) {
        uint32_t value = at + 1;
        bool texture = json_is(json, json_member(json, value, "index"), JSON_NUMBER);
        buffer_text(text, any ? "," : "");
        any = true;
        json_compact(json, at, text);
        buffer_text(text, ":");
        if (!texture) {
            gltf_write_factor(gltf, name, at, text);
            continue;
        }
        buffer_text(text, "null");
        char *key = json_string_text(json, gltf->arena, at);
        const char *place = key ? arena_print(gltf->kept, "%s/%s", name, key) : NULL;
        cp_texture_use *use = add_use(gltf, uses);
        if (!place)
            gltf_no_memory(gltf);
        else if (use && gltf_texture_use(gltf, materials, extension, key, CP_TEXTURE_EXTENSION, use)) {
            use->place = place;
            uses->count++;
        }
    }
    buffer_text(text, "}");
}

/* Copies Khronos' extensions of materials; the others are losses. */
static void read_extensions(struct gltf *gltf, const struct gltf_materials *materials, uint32_t value,
                            cp_material *material, struct uses *uses)
{
    struct buffer text = {.context = gltf->context};
    uint32_t extensions = gltf_object(gltf, value, "extensions");
    buffer_text(&text, "{");
    for (uint32_t at = json_first(&gltf->json, extensions); at != JSON_NONE && gltf->status == CP_OK;
         at = json_next(&gltf->json, extensions, at)) {
        const char *name = json_string_text(&gltf->json, gltf->arena, at);
        if (!name)
            gltf_no_memory(gltf);
        else if (begins_with(name, "KHR_materials_") && !strpbrk(name, "\"\\/") &&
                 json_is(&gltf->json, at + 1, JSON_OBJECT))
            read_extension(gltf, materials, at + 1, name, &text, uses);
        else
            report_loss(gltf->context, "gltf-material-extension", IN_FILE(gltf->source->name), 1,
                        "%.100s of materials is not read", name);
    }
    buffer_text(&text, "}");
    bool any = text.size > 2;
    buffer_append(&text, "", 1);
    if (gltf->status == CP_OK && any)
        material->extensions = text.failed ? NULL : arena_copy_text(gltf->kept, text.data, strlen(text.data));
    if (text.failed || (any && !material->extensions))
        gltf_no_memory(gltf);
    buffer_free(&text);
}

/* Puts the textures into the scene's memory, in the order of their roles, and the extensions. */
static void read_textures(struct gltf *gltf, const struct gltf_materials *materials, uint32_t value, uint32_t pbr,
                          cp_material *material)
{
    static const char *const keys[] = {"baseColorTexture", "metallicRoughnessTexture", "normalTexture",
                                       "occlusionTexture", "emissiveTexture"};
    enum { ROLES = sizeof keys / sizeof *keys };
    struct uses uses = {.count = 0};
    for (uint32_t role = 0; role < ROLES; role++) {
        cp_texture_use *use = add_use(gltf, &uses);
        uses.count += use && gltf_texture_use(gltf, materials, role <= CP_TEXTURE_METALLIC_ROUGHNESS ? pbr : value,
                                              keys[role], (cp_texture_role)role, use);
    }
    read_extensions(gltf, materials, value, material, &uses);
    if (uses.count > 0 && gltf->status == CP_OK) {
        material->textures = arena_copy(gltf->kept, uses.items, uses.count, sizeof *uses.items);
        material->texture_count = uses.count;
        if (!material->textures)
            gltf_no_memory(gltf);
    }
    memory_free(gltf->context, uses.items, uses.room, sizeof *uses.items);
}

/* Returns the scene's material of a glTF one, CP_NONE for the writer's default, or after an error. */
static uint32_t read_material(struct gltf *gltf, cp_scene *scene, struct gltf_ids *ids,
                              const struct gltf_materials *materials, uint32_t value)
{
    uint32_t own = gltf_own(gltf, value);
    if (gltf_made(gltf, own, "default"))
        return CP_NONE;
    const char *id = own_id(gltf, own);
    bool variant = id && gltf_made(gltf, own, "variant");
    uint32_t index = variant ? own_lookup(&ids->of[TABLE_MATERIALS], id) : CP_NONE;
    if (index != CP_NONE)
        return index;

    cp_material material = {.rgba = {1, 1, 1, 1}};
    bool two_sided = gltf_flag(gltf, value, "doubleSided");
    uint32_t pbr = gltf_object(gltf, value, "pbrMetallicRoughness");
    double factor[4];
    if (gltf_numbers(gltf, pbr, "baseColorFactor", 4, factor))
        for (int i = 0; i < 4; i++)
            material.rgba[i] = gltf_clamp(gltf, pbr, factor[i], 0, 1);
    read_surface(gltf, value, pbr, &material);
    read_textures(gltf, materials, value, pbr, &material);
    material.two_sided = two_sided;
    material.one_sided = !two_sided;
    if (own != JSON_NONE) { /* our writer marks an unused alpha by "opaque"; OPAQUE without it is not meant so */
        (void)own_read_row(gltf, ids, own, TABLE_MATERIALS, &material);
        material.one_sided = material.one_sided && !material.two_sided;
        if (material.alpha == CP_ALPHA_OPAQUE && !own_flag(gltf, own, "opaque"))
            material.alpha = CP_ALPHA_BLEND;
        own_colour(gltf, own, &material);
    } else if (material.alpha == CP_ALPHA_OPAQUE) {
        material.rgba[3] = 1;
    }
    const char *name = gltf_text(gltf, value, "name");
    if (gltf->status != CP_OK)
        return CP_NONE;
    material.name = name ? name : "";
    material.id = id;
    index = scene_add_row(scene, TABLE_MATERIALS, &material);
    if (index == CP_NONE) {
        gltf_no_memory(gltf);
        return CP_NONE;
    }
    if (id)
        own_name(gltf, &ids->of[TABLE_MATERIALS], id, index);
    own_read_metadata(gltf, scene, own, CP_OWNER_MATERIAL, index);
    gltf_keep_extras(gltf, scene, value, CP_OWNER_MATERIAL, index, "extras");
    return index;
}

uint32_t gltf_opaque_material(struct gltf *gltf, cp_scene *scene, struct gltf_materials *materials)
{
    static const double white[4] = {1, 1, 1, 1};
    if (materials->opaque != CP_NONE)
        return materials->opaque;
    materials->opaque = scene_add_material(scene, "", white, false);
    if (materials->opaque == CP_NONE)
        gltf_no_memory(gltf);
    else
        scene->materials[materials->opaque].alpha = CP_ALPHA_OPAQUE;
    return materials->opaque;
}

void gltf_read_materials(struct gltf *gltf, cp_scene *scene, struct gltf_ids *ids, struct gltf_materials *materials)
{
    materials->opaque = CP_NONE;
    materials->items = gltf_allocate(gltf, gltf->lists.materials.count, sizeof *materials->items);
    for (uint32_t i = 0; i < gltf->lists.materials.count && gltf->status == CP_OK; i++)
        materials->items[i] = read_material(gltf, scene, ids, materials, gltf->lists.materials.items[i]);
}
