/* Materials: one entry a material and look. doubleSided and alphaMode belong to glTF's material, but depend on the
 * mesh. */
#include "writer.h"

#include <math.h>
#include <string.h>

/* As chosen for matt painted metal: robots are rarely chrome. */
static const double roughness = 0.8;
static const double plain_grey = 0.8;

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
    /* A material that no mesh has gets the look that it has on any mesh. */
    for (uint32_t i = 0; i < scene->material_count; i++) {
        const cp_material *material = &scene->materials[i];
        uint32_t *row = writer->looks + (size_t)i * LOOK_COUNT;
        if (!has_look(row))
            row[(material->two_sided ? LOOK_DOUBLE_SIDED : 0) | (material->rgba[3] < 1 ? LOOK_BLEND : 0)] = 0;
    }
    uint32_t next = 0;
    for (size_t i = 0; i < count; i++)
        if (writer->looks[i] != CP_NONE)
            writer->looks[i] = next++;
    return true;
}

static void write_surface(struct json_writer *json, const double factor[4], unsigned look)
{
    json_key_open(json, "pbrMetallicRoughness", '{');
    json_key_numbers(json, "baseColorFactor", factor, 4);
    json_key_number(json, "metallicFactor", 0);
    json_key_number(json, "roughnessFactor", roughness);
    json_close(json, '}');
    if (look & LOOK_BLEND)
        json_key_text(json, "alphaMode", "BLEND");
    if (look & LOOK_DOUBLE_SIDED)
        json_key_true(json, "doubleSided");
}

static void write_material(struct writer *writer, uint32_t index, unsigned look, bool variant)
{
    struct json_writer *json = &writer->json;
    const cp_material *material = &writer->scene->materials[index];
    double factor[4];
    for (int i = 0; i < 4; i++) {
        double value = material->rgba[i] > 0 ? fmin(material->rgba[i], 1) : 0;
        if (material->srgb && i < 3) /* IEC 61966-2-1 */
            value = value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
        factor[i] = value;
    }
    json_line(json);
    json_open(json, '{');
    json_key_text(json, "name", material->name);
    write_surface(json, factor, look);
    open_extras(writer, CP_OWNER_MATERIAL, index, variant ? "" : "extras");
    json_key_text(json, "id", material->id);
    if (variant)
        json_key_text(json, "made", "variant");
    if (material->srgb || memcmp(factor, material->rgba, sizeof material->rgba) != 0)
        json_key_numbers(json, "rgba", material->rgba, 4); /* a reader could not get it back from the factor */
    if (material->srgb)
        json_key_true(json, "srgb");
    if (material->two_sided)
        json_key_true(json, "two_sided");
    if (!variant)
        write_metadata(writer, CP_OWNER_MATERIAL, index);
    json_extras_close(json);
    json_close(json, '}');
}

static void write_default(struct writer *writer, unsigned look)
{
    struct json_writer *json = &writer->json;
    double shade = look & LOOK_WHITE ? 1 : plain_grey;
    const double factor[4] = {shade, shade, shade, 1};
    json_line(json);
    json_open(json, '{');
    write_surface(json, factor, look);
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
