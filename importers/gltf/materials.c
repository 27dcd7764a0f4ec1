/* Materials: the base colour; everything else is counted as lost (glTF 2.0, section 3.9). */
#include "gltf.h"

#include <math.h>
#include <string.h>

/* rgba of our extras when it stands for the factor, as in docs/stage-format.md, "Materials". */
static void own_colour(struct gltf *gltf, uint32_t own, cp_material *material)
{
    double rgba[4];
    bool srgb = own_flag(gltf, own, "srgb");
    if (!gltf_numbers(gltf, own, "rgba", 4, rgba))
        return;
    for (int i = 0; i < 4; i++) {
        double linear = fmin(fmax(rgba[i], 0), 1);
        if (srgb && i < 3)
            linear = linear <= 0.04045 ? linear / 12.92 : pow((linear + 0.055) / 1.055, 2.4);
        if (!(fabs(linear - material->rgba[i]) <= 1e-6))
            return;
    }
    memcpy(material->rgba, rgba, sizeof rgba);
    material->srgb = srgb;
}

/* The alpha mode: colours of opaque materials have no alpha (section 3.9.4). What else the surface says is lost. */
static void read_surface(struct gltf *gltf, uint32_t value, uint32_t pbr, cp_material *material)
{
    static const char *const modes[] = {"OPAQUE", "MASK", "BLEND", NULL};
    double glow[3] = {0, 0, 0};
    uint32_t mode = gltf_word(gltf, value, "alphaMode", modes, 0);
    if (mode == 0)
        material->rgba[3] = 1;
    gltf_loss(gltf, LOSS_MASKS, mode == 1);
    (void)gltf_numbers(gltf, value, "emissiveFactor", 3, glow);
    bool surface = gltf_number(gltf, pbr, "metallicFactor", 0) > 0 ||
                   gltf_number(gltf, pbr, "roughnessFactor", 1) < 1 || glow[0] > 0 || glow[1] > 0 || glow[2] > 0;
    gltf_loss(gltf, LOSS_SURFACES, surface);
    uint32_t extensions = gltf_object(gltf, value, "extensions");
    for (uint32_t at = json_first(&gltf->json, extensions); at != JSON_NONE && gltf->status == CP_OK;
         at = json_next(&gltf->json, extensions, at)) {
        const char *name = json_string_text(&gltf->json, gltf->arena, at);
        if (!name)
            gltf_no_memory(gltf);
        else
            report_loss(gltf->context, "gltf-material-extension", IN_FILE(gltf->source->name), 1,
                        "%.100s of materials is not read", name);
    }
}

/* The scene's material of a glTF one, CP_NONE for the writer's default, or after an error. */
static uint32_t read_material(struct gltf *gltf, uint32_t value)
{
    uint32_t own = gltf_own(gltf, value);
    if (gltf_made(gltf, own, "default"))
        return CP_NONE;
    const char *id = own_id(gltf, own);
    bool variant = id && gltf_made(gltf, own, "variant");
    uint32_t index = variant ? own_lookup(gltf, MAP_MATERIALS, id) : CP_NONE;
    if (index != CP_NONE)
        return index;

    cp_material material = {.rgba = {1, 1, 1, 1}};
    uint32_t pbr = gltf_object(gltf, value, "pbrMetallicRoughness");
    double factor[4];
    if (gltf_numbers(gltf, pbr, "baseColorFactor", 4, factor))
        memcpy(material.rgba, factor, sizeof factor);
    material.two_sided = gltf_flag(gltf, value, "doubleSided");
    if (own != JSON_NONE) {
        material.two_sided = own_flag(gltf, own, "two_sided");
        own_colour(gltf, own, &material);
    } else {
        read_surface(gltf, value, pbr, &material);
    }
    const char *name = gltf_text(gltf, value, "name");
    if (gltf->status != CP_OK)
        return CP_NONE;
    index = scene_add_material(gltf->scene, name, material.rgba, material.srgb);
    if (index == CP_NONE) {
        gltf_no_memory(gltf);
        return CP_NONE;
    }
    gltf->scene->materials[index].two_sided = material.two_sided;
    gltf->scene->materials[index].id = id;
    if (id)
        own_name(gltf, MAP_MATERIALS, id, index);
    own_read_metadata(gltf, own, CP_OWNER_MATERIAL, index);
    gltf_keep_extras(gltf, value, CP_OWNER_MATERIAL, index, "extras");
    return index;
}

void gltf_read_materials(struct gltf *gltf)
{
    gltf->materials = gltf_allocate(gltf, gltf->material_list.count, sizeof *gltf->materials);
    for (uint32_t i = 0; i < gltf->material_list.count && gltf->status == CP_OK; i++)
        gltf->materials[i] = read_material(gltf, gltf->material_list.items[i]);
}
