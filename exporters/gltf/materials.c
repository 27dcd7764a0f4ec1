/* Materials: one entry for each material and look. doubleSided and alphaMode belong to glTF's material, but depend on
 * the mesh. */
#include "writer.h"

#include <string.h>

/* Chosen for matt painted metal: robots are rarely chrome. */
static const double plain_roughness = 0.8;

static bool has_look(const uint32_t *row)
{
    for (unsigned look = 0; look < LOOK_COUNT; look++)
        if (row[look] != CP_NONE)
            return true;
    return false;
}

bool plan_materials(struct writer *writer)
{
    const cp_scene *scene = writer->scene;
    size_t count = ((size_t)scene->material_count + 1) * LOOK_COUNT;
    writer->looks = scene_allocate(writer->work, count, sizeof *writer->looks);
    if (!writer->looks)
        return false;
    memset(writer->looks, 0xff, count * sizeof *writer->looks);
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        for (uint32_t k = 0; k < writer->meshes[i].primitive_count; k++) {
            const struct primitive *primitive = &writer->meshes[i].primitives[k];
            uint32_t row = primitive->material == CP_NONE ? scene->material_count : primitive->material;
            writer->looks[(size_t)row * LOOK_COUNT + primitive->look] = 0;
        }
    /* A material that no mesh has gets its usual look. */
    for (uint32_t i = 0; i < scene->material_count; i++) {
        const cp_material *material = &scene->materials[i];
        uint32_t *row = writer->looks + (size_t)i * LOOK_COUNT;
        if (!has_look(row))
            row[(material->two_sided ? LOOK_DOUBLE_SIDED : 0) | (material_blends(material, false) ? LOOK_BLEND : 0)] =
                0;
        /* A reader of a stage searches the textures in the first entry. */
        for (unsigned look = LOOK_BARE; look < LOOK_COUNT && !is_deliver(writer); look++)
            if (row[look] != CP_NONE)
                row[look - LOOK_BARE] = 0;
    }
    uint32_t next = 0;
    for (size_t i = 0; i < count; i++)
        if (writer->looks[i] != CP_NONE)
            writer->looks[i] = next++;
    return true;
}

/* Writes the factor; for the web not if it is glTF's default. */
static void write_factor(struct writer *writer, const double factor[4])
{
    bool plain = factor[0] == 1 && factor[1] == 1 && factor[2] == 1 && factor[3] == 1;
    if (!plain || !writer->settings->web)
        write_numbers(writer, "baseColorFactor", factor, 4);
}

static void write_surface(struct writer *writer, const double factor[4], unsigned look)
{
    struct json_writer *json = &writer->json;
    json_key_open(json, "pbrMetallicRoughness", '{');
    write_factor(writer, factor);
    json_key_number(json, "metallicFactor", 0);
    json_key_number(json, "roughnessFactor", plain_roughness);
    json_close(json, '}');
    if (look & LOOK_BLEND)
        json_key_text(json, "alphaMode", "BLEND");
    if (look & LOOK_DOUBLE_SIDED)
        json_key_true(json, "doubleSided");
}

/* Writes the members of a material that glTF defines. */
static void write_members(struct writer *writer, const cp_material *material, const double factor[4], unsigned look)
{
    struct json_writer *json = &writer->json;
    const double *glow = material->emissive;
    const cp_material bare = {.texture_count = 0}, *textured = look & LOOK_BARE ? &bare : material;
    json_key_open(json, "pbrMetallicRoughness", '{');
    write_factor(writer, factor);
    write_texture_use(writer, textured, CP_TEXTURE_BASE_COLOUR, "baseColorTexture");
    json_key_number(json, "metallicFactor", material->metallic);
    json_key_number(json, "roughnessFactor", material->roughness);
    write_texture_use(writer, textured, CP_TEXTURE_METALLIC_ROUGHNESS, "metallicRoughnessTexture");
    json_close(json, '}');
    write_texture_use(writer, textured, CP_TEXTURE_NORMAL, "normalTexture");
    write_texture_use(writer, textured, CP_TEXTURE_OCCLUSION, "occlusionTexture");
    write_texture_use(writer, textured, CP_TEXTURE_EMISSIVE, "emissiveTexture");
    if (glow[0] > 0 || glow[1] > 0 || glow[2] > 0)
        json_key_numbers(json, "emissiveFactor", glow, 3);
    if (material->alpha == CP_ALPHA_MASK) {
        json_key_text(json, "alphaMode", "MASK");
        json_key_number(json, "alphaCutoff", material->cutoff);
    } else if (look & LOOK_BLEND) {
        json_key_text(json, "alphaMode", "BLEND");
    }
    if (look & LOOK_DOUBLE_SIDED)
        json_key_true(json, "doubleSided");
    write_material_extensions(writer, material, textured);
}

static void write_material(struct writer *writer, uint32_t index, unsigned look, bool variant)
{
    struct json_writer *json = &writer->json;
    const cp_material *material = &writer->scene->materials[index];
    double factor[4];
    for (int i = 0; i < 4; i++)
        factor[i] = i < 3 ? linear_channel(material, i) : within_unit(material->rgba[i]);
    json_line(json);
    json_open(json, '{');
    json_key_text(json, "name", material->name);
    write_members(writer, material, factor, look);
    open_extras(writer, CP_OWNER_MATERIAL, index, variant ? "" : "extras");
    json_key_text(json, "id", material->id);
    if (variant)
        json_key_text(json, "made", "variant");
    if (material->srgb || memcmp(factor, material->rgba, sizeof material->rgba) != 0)
        json_key_numbers(json, "rgba", material->rgba, 4); /* a reader could not get it back from the factor */
    json_row_members(json, writer->scene, &tables[TABLE_MATERIALS].layout, material, IN_STAGE);
    if (material->alpha == CP_ALPHA_OPAQUE)
        json_key_true(json, "opaque");
    if (!variant)
        write_metadata(writer, CP_OWNER_MATERIAL, index);
    json_extras_close(json);
    json_close(json, '}');
}

static void write_default(struct writer *writer, unsigned look)
{
    struct json_writer *json = &writer->json;
    double shade = look & LOOK_WHITE ? 1 : linear_from_srgb(PLAIN_GREY);
    const double factor[4] = {shade, shade, shade, 1};
    json_line(json);
    json_open(json, '{');
    write_surface(writer, factor, look);
    json_extras_open(json);
    json_key_text(json, "made", "default");
    json_extras_close(json);
    json_close(json, '}');
}

void write_materials(struct writer *writer)
{
    struct json_writer *json = &writer->json;
    uint32_t none = writer->scene->material_count;
    if (none == 0 && !has_look(writer->looks))
        return;
    json_line(json);
    json_key_open(json, "materials", '[');
    for (uint32_t row = 0; row <= none; row++) {
        bool variant = false;
        for (unsigned look = 0; look < LOOK_COUNT; look++) {
            if (writer->looks[(size_t)row * LOOK_COUNT + look] == CP_NONE)
                continue;
            if (row == none)
                write_default(writer, look);
            else
                write_material(writer, row, look, variant);
            variant = true;
        }
    }
    json_close(json, ']');
}
