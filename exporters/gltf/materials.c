/* Materials: one entry a material and look. doubleSided and alphaMode belong to glTF's material, but depend on the mesh. */
#include "writer.h"

#include <math.h>
#include <string.h>

/* As chosen for matt painted metal: robots are rarely chrome. */
static const double roughness = 0.8;
static const double plain_grey = 0.8;

/* IEC 61966-2-1 */
static double linear_from_srgb(double value)
{
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

/* Looks that the material has on any mesh. */
static unsigned own_look(const cp_material *material)
{
    return (material->two_sided ? LOOK_DOUBLE_SIDED : 0u) | (material->rgba[3] < 1 ? LOOK_BLEND : 0u);
}

static void mark_used_looks(struct writer *writer)
{
    uint32_t none = writer->scene->material_count;
    for (uint32_t i = 0; i < writer->scene->mesh_count; i++) {
        const struct mesh_plan *plan = &writer->meshes[i];
        for (uint32_t k = 0; k < plan->primitive_count; k++) {
            const struct primitive *primitive = &plan->primitives[k];
            uint32_t row = primitive->material == CP_NONE ? none : primitive->material;
            writer->looks[(size_t)row * LOOK_COUNT + primitive->look] = 0;
        }
    }
}

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
    mark_used_looks(writer);
    for (uint32_t i = 0; i < scene->material_count; i++)
        if (!has_look(writer->looks + (size_t)i * LOOK_COUNT))
            writer->looks[(size_t)i * LOOK_COUNT + own_look(&scene->materials[i])] = 0;
    uint32_t next = 0;
    for (size_t i = 0; i < count; i++)
        if (writer->looks[i] != CP_NONE)
            writer->looks[i] = next++;
    return true;
}

/* Returns false when a reader could not get the colour back from the factor. */
static bool factor_of(const cp_material *material, double factor[4])
{
    for (int i = 0; i < 4; i++) {
        double value = material->rgba[i] > 0 ? fmin(material->rgba[i], 1) : 0;
        factor[i] = material->srgb && i < 3 ? linear_from_srgb(value) : value;
    }
    return !material->srgb && memcmp(factor, material->rgba, sizeof material->rgba) == 0;
}

static void write_surface(struct json_writer *json, const double factor[4], unsigned look)
{
    json_key(json, "pbrMetallicRoughness");
    json_open(json, '{');
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
    bool exact = factor_of(material, factor);
    json_line(json);
    json_open(json, '{');
    json_key_text(json, "name", material->name);
    write_surface(json, factor, look);
    open_extras(writer, CP_OWNER_MATERIAL, index, variant ? "" : "extras");
    json_key_text(json, "id", material->id);
    if (variant)
        json_key_text(json, "made", "variant");
    if (!exact)
        json_key_numbers(json, "rgba", material->rgba, 4);
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

static void write_looks(struct writer *writer, uint32_t row)
{
    bool variant = false;
    for (unsigned look = 0; look < LOOK_COUNT; look++) {
        if (writer->looks[(size_t)row * LOOK_COUNT + look] == CP_NONE)
            continue;
        if (row == writer->scene->material_count)
            write_default(writer, look);
        else
            write_material(writer, row, look, variant);
        variant = true;
    }
}

void write_materials(struct writer *writer)
{
    struct json_writer *json = &writer->json;
    uint32_t rows = writer->scene->material_count + 1;
    if (writer->scene->material_count == 0 && !has_look(writer->looks))
        return;
    json_line(json);
    json_key(json, "materials");
    json_open(json, '[');
    for (uint32_t row = 0; row < rows; row++)
        write_looks(writer, row);
    json_close(json, ']');
}
