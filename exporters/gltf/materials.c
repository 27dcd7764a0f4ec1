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

bool plan_materials(struct gltf_file *file)
{
    const cp_scene *scene = file->scene;
    size_t count = ((size_t)scene->material_count + 1) * LOOK_COUNT;
    file->looks = scene_allocate(file->work, count, sizeof *file->looks);
    if (!file->looks)
        return false;
    memset(file->looks, 0xff, count * sizeof *file->looks);
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        for (uint32_t k = 0; k < file->meshes[i].primitive_count; k++) {
            const struct drawn_primitive *primitive = &file->meshes[i].primitives[k];
            uint32_t row = primitive->material == CP_NONE ? scene->material_count : primitive->material;
            file->looks[(size_t)row * LOOK_COUNT + primitive->look] = 0;
        }
    /* A material that no mesh has gets its usual look. */
    for (uint32_t i = 0; i < scene->material_count; i++) {
        const cp_material *material = &scene->materials[i];
        uint32_t *row = file->looks + (size_t)i * LOOK_COUNT;
        if (!has_look(row))
            row[(material->two_sided ? LOOK_DOUBLE_SIDED : 0) | (material_blends(material, false) ? LOOK_BLEND : 0)] =
                0;
        /* A reader of a stage searches the textures in the first entry. */
        for (unsigned look = LOOK_BARE; look < LOOK_COUNT && !is_deliver(file); look++)
            if (row[look] != CP_NONE)
                row[look - LOOK_BARE] = 0;
    }
    uint32_t next = 0;
    for (size_t i = 0; i < count; i++)
        if (file->looks[i] != CP_NONE)
            file->looks[i] = next++;
    return true;
}

/* ---- extensions, which the scene holds as text: written unchanged, except textures ---- */

/* Writes the members of one extension; those that name a texture get it back, or are dropped with it. */
static void write_extension(const struct gltf_file *file, const struct json_document *from, uint32_t name,
                            const cp_material *textured, struct buffer *text)
{
    char *word = json_string_text(from, file->work->arena, name);
    json_compact(from, name, text);
    buffer_text(text, ":{");
    bool any = false;
    for (uint32_t at = json_first(from, name + 1); at != JSON_NONE && word; at = json_next(from, name + 1, at)) {
        const cp_texture_use *use = NULL;
        if (json_is(from, at + 1, JSON_NULL)) {
            char *key = json_string_text(from, file->work->arena, at);
            const char *place = key ? arena_print(file->work->arena, "%s/%s", word, key) : NULL;
            text->failed = text->failed || !place;
            use = place ? find_texture_use(file, textured, CP_TEXTURE_EXTENSION, place) : NULL;
            if (!use)
                continue;
        }
        buffer_text(text, any ? "," : "");
        any = true;
        json_compact(from, at, text);
        buffer_text(text, ":");
        struct json_writer json = {.out = text};
        if (use)
            write_texture_info(file, &json, use);
        else
            json_compact(from, at + 1, text);
    }
    text->failed = text->failed || !word;
    buffer_text(text, "}");
}

/* Parses the extensions. CP_NO without any. Call json_free even on failure. */
static cp_status parse_extensions(const struct gltf_file *file, const cp_material *material, struct json_document *json)
{
    const uint64_t nesting = 64;
    *json = (struct json_document){.context = file->context};
    if (!material->extensions || strlen(material->extensions) >= UINT32_MAX)
        return CP_NO;
    json->text = material->extensions;
    json->size = (uint32_t)strlen(material->extensions);
    cp_status status = json_parse(json, NULL, nesting, NULL);
    return status == CP_OK && !json_is(json, 0, JSON_OBJECT) ? CP_NO : status;
}

static void write_material_extensions(struct json_writer *json, const struct gltf_file *file,
                                      const cp_material *material, const cp_material *textured)
{
    struct json_document document;
    struct buffer text = {.context = file->context};
    cp_status status = parse_extensions(file, material, &document);
    for (uint32_t at = status == CP_OK ? json_first(&document, 0) : JSON_NONE; at != JSON_NONE;
         at = json_next(&document, 0, at)) {
        buffer_text(&text, text.size > 0 ? "," : "{");
        write_extension(file, &document, at, textured, &text);
    }
    json_free(&document);
    bool any = text.size > 0;
    buffer_append(&text, "}", sizeof "}");
    if (!text.failed && any) {
        json_key(json, "extensions");
        json_word(json, text.data);
    }
    json->out->failed = json->out->failed || text.failed || status == CP_LIMIT;
    buffer_free(&text);
}

bool plan_material_extensions(struct gltf_file *file)
{
    struct extension_name **last = &file->textures.extensions;
    struct name_map seen = {.context = file->context};
    bool good = true;
    for (uint32_t i = 0; i < file->scene->material_count && good; i++) {
        struct json_document json;
        cp_status status = parse_extensions(file, &file->scene->materials[i], &json);
        good = status != CP_LIMIT;
        for (uint32_t at = status == CP_OK ? json_first(&json, 0) : JSON_NONE; at != JSON_NONE && good;
             at = json_next(&json, 0, at)) {
            char *name = json_string_text(&json, file->work->arena, at);
            bool added = false;
            good = name && name_map_add(&seen, name, 0, &added);
            struct extension_name *entry = good && added ? file_allocate(file, 1, sizeof *entry) : NULL;
            good = good && (entry || !added);
            if (!entry)
                continue;
            entry->name = name;
            *last = entry;
            last = &entry->next;
        }
        json_free(&json);
    }
    name_map_free(&seen);
    return good;
}

/* ---- JSON ---- */

/* Writes the factor; for the web not if it is glTF's default. */
static void write_factor(struct json_writer *json, const struct gltf_file *file, const double factor[4])
{
    bool plain = factor[0] == 1 && factor[1] == 1 && factor[2] == 1 && factor[3] == 1;
    if (!plain || !file->settings->web)
        write_numbers(json, file, "baseColorFactor", factor, 4);
}

static void write_surface(struct json_writer *json, const struct gltf_file *file, const double factor[4], unsigned look)
{
    json_key_open(json, "pbrMetallicRoughness", '{');
    write_factor(json, file, factor);
    json_key_number(json, "metallicFactor", 0);
    json_key_number(json, "roughnessFactor", plain_roughness);
    json_close(json, '}');
    if (look & LOOK_BLEND)
        json_key_text(json, "alphaMode", "BLEND");
    if (look & LOOK_DOUBLE_SIDED)
        json_key_true(json, "doubleSided");
}

/* Writes the members of a material that glTF defines. */
static void write_members(struct json_writer *json, const struct gltf_file *file, const cp_material *material,
                          const double factor[4], unsigned look)
{
    const double *glow = material->emissive;
    const cp_material bare = {.texture_count = 0}, *textured = look & LOOK_BARE ? &bare : material;
    json_key_open(json, "pbrMetallicRoughness", '{');
    write_factor(json, file, factor);
    write_texture_use(json, file, textured, CP_TEXTURE_BASE_COLOUR, "baseColorTexture");
    json_key_number(json, "metallicFactor", material->metallic);
    json_key_number(json, "roughnessFactor", material->roughness);
    write_texture_use(json, file, textured, CP_TEXTURE_METALLIC_ROUGHNESS, "metallicRoughnessTexture");
    json_close(json, '}');
    write_texture_use(json, file, textured, CP_TEXTURE_NORMAL, "normalTexture");
    write_texture_use(json, file, textured, CP_TEXTURE_OCCLUSION, "occlusionTexture");
    write_texture_use(json, file, textured, CP_TEXTURE_EMISSIVE, "emissiveTexture");
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
    write_material_extensions(json, file, material, textured);
}

static void write_material(struct json_writer *json, const struct gltf_file *file, uint32_t index, unsigned look,
                           bool variant)
{
    const cp_material *material = &file->scene->materials[index];
    double factor[4];
    for (int i = 0; i < 4; i++)
        factor[i] = i < 3 ? linear_channel(material, i) : within_unit(material->rgba[i]);
    json_open_item(json);
    json_key_text(json, "name", material->name);
    write_members(json, file, material, factor, look);
    open_extras(json, &file->metadata, CP_OWNER_MATERIAL, index, variant ? "" : "extras");
    json_key_text(json, "id", material->id);
    if (variant)
        json_key_text(json, "made", "variant");
    if (material->srgb || memcmp(factor, material->rgba, sizeof material->rgba) != 0)
        json_key_numbers(json, "rgba", material->rgba, 4); /* a reader could not get it back from the factor */
    json_row_members(json, file->scene, &tables[TABLE_MATERIALS].layout, material, IN_STAGE);
    if (material->alpha == CP_ALPHA_OPAQUE)
        json_key_true(json, "opaque");
    if (!variant)
        write_metadata(json, &file->metadata, CP_OWNER_MATERIAL, index);
    json_extras_close(json);
    json_close(json, '}');
}

static void write_default(struct json_writer *json, const struct gltf_file *file, unsigned look)
{
    double shade = look & LOOK_WHITE ? 1 : linear_from_srgb(PLAIN_GREY);
    const double factor[4] = {shade, shade, shade, 1};
    json_open_item(json);
    write_surface(json, file, factor, look);
    json_extras_open(json);
    json_key_text(json, "made", "default");
    json_extras_close(json);
    json_close(json, '}');
}

void write_materials(struct json_writer *json, const struct gltf_file *file)
{
    uint32_t none = file->scene->material_count;
    if (none == 0 && !has_look(file->looks))
        return;
    json_open_list(json, "materials");
    for (uint32_t row = 0; row <= none; row++) {
        bool variant = false;
        for (unsigned look = 0; look < LOOK_COUNT; look++) {
            if (file->looks[(size_t)row * LOOK_COUNT + look] == CP_NONE)
                continue;
            if (row == none)
                write_default(json, file, look);
            else
                write_material(json, file, row, look, variant);
            variant = true;
        }
    }
    json_close(json, ']');
}
