/* The ranges of materials' factors: a validator refuses a file with others, and viewers show them in any way. */
#include "gltf.h"

#include <math.h>
#include <string.h>

/* The ranges of Khronos' extensions, by their JSON schemas. Arrays have one for all their numbers. */
static const struct range {
    const char *extension, *member;
    double least, most;
    bool zero; /* is allowed, too */
} ranges[] = {
    {"KHR_materials_anisotropy", "anisotropyStrength", 0, 1, false},
    {"KHR_materials_clearcoat", "clearcoatFactor", 0, 1, false},
    {"KHR_materials_clearcoat", "clearcoatRoughnessFactor", 0, 1, false},
    {"KHR_materials_diffuse_transmission", "diffuseTransmissionFactor", 0, 1, false},
    {"KHR_materials_dispersion", "dispersion", 0, HUGE_VAL, false},
    {"KHR_materials_emissive_strength", "emissiveStrength", 0, HUGE_VAL, false},
    {"KHR_materials_ior", "ior", 1, HUGE_VAL, true},
    {"KHR_materials_iridescence", "iridescenceFactor", 0, 1, false},
    {"KHR_materials_iridescence", "iridescenceIor", 1, HUGE_VAL, false},
    {"KHR_materials_iridescence", "iridescenceThicknessMaximum", 0, HUGE_VAL, false},
    {"KHR_materials_iridescence", "iridescenceThicknessMinimum", 0, HUGE_VAL, false},
    {"KHR_materials_pbrSpecularGlossiness", "diffuseFactor", 0, 1, false},
    {"KHR_materials_pbrSpecularGlossiness", "glossinessFactor", 0, 1, false},
    {"KHR_materials_pbrSpecularGlossiness", "specularFactor", 0, 1, false},
    {"KHR_materials_sheen", "sheenColorFactor", 0, 1, false},
    {"KHR_materials_sheen", "sheenRoughnessFactor", 0, 1, false},
    {"KHR_materials_specular", "specularColorFactor", 0, HUGE_VAL, false},
    {"KHR_materials_specular", "specularFactor", 0, 1, false},
    {"KHR_materials_transmission", "transmissionFactor", 0, 1, false},
    {"KHR_materials_volume", "attenuationColor", 0, 1, false},
    {"KHR_materials_volume", "thicknessFactor", 0, HUGE_VAL, false},
};

double gltf_clamp(struct gltf *gltf, uint32_t value, double number, double least, double most)
{
    if (number >= least && number <= most)
        return number;
    gltf_lenient(gltf, value, "gltf-range",
                 most < HUGE_VAL ? "a factor outside 0 to 1" : "a factor below the least that it may be");
    return number > most ? most : least;
}

static double clamp_to(struct gltf *gltf, uint32_t value, const struct range *range)
{
    double number = json_to_number(&gltf->json, value);
    if (range->zero && !(number > 0))
        return gltf_clamp(gltf, value, number, 0, HUGE_VAL);
    return gltf_clamp(gltf, value, number, range->least, range->most);
}

void gltf_write_factor(struct gltf *gltf, const char *extension, uint32_t key, struct buffer *text)
{
    const struct json_document *json = &gltf->json;
    const struct range *range = NULL;
    uint32_t value = key + 1;
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges && !range; i++)
        if (strcmp(ranges[i].extension, extension) == 0 && json_string_equals(json, key, ranges[i].member))
            range = &ranges[i];
    if (range && json_is(json, value, JSON_NUMBER)) {
        double number = clamp_to(gltf, value, range);
        if (number != json_to_number(json, value)) {
            buffer_double(text, number);
            return;
        }
    }
    if (!range || !json_is(json, value, JSON_ARRAY)) {
        json_compact(json, value, text);
        return;
    }
    buffer_text(text, "[");
    for (uint32_t at = json_first(json, value), first = at; at != JSON_NONE && gltf->status == CP_OK;
         at = json_next(json, value, at)) {
        buffer_text(text, at == first ? "" : ",");
        bool is_number = json_is(json, at, JSON_NUMBER);
        double number = is_number ? clamp_to(gltf, at, range) : 0;
        if (is_number && number != json_to_number(json, at))
            buffer_double(text, number);
        else
            json_compact(json, at, text);
    }
    buffer_text(text, "]");
}
