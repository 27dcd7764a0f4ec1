/* The renderer of pages, three.js r111, knows fewer members of materials than glTF: those that it leaves out are
 * losses, though the GLB inside has them. page/cell.js makes up for some, and the GLB's exporter reports what that
 * lacks. */
#include "losses.h"

#include <string.h>

#include "../exporters.h"
#include "base/base.h"

/* The extensions that pages show. */
static const char *const shown_extensions[] = {"KHR_materials_unlit", "KHR_materials_emissive_strength",
                                               "KHR_materials_pbrSpecularGlossiness"};

static const char *name_of(const cp_material *material)
{
    return *material->name ? material->name : material->id;
}

static bool is_shown(const struct json_document *json, uint32_t extension)
{
    for (size_t i = 0; i < sizeof shown_extensions / sizeof *shown_extensions; i++)
        if (json_string_equals(json, extension, shown_extensions[i]))
            return true;
    return json_count(json, extension + 1) == 0; /* an extension without members does nothing, by Khronos' defaults */
}

/* Reports the extensions of a material; equal losses add up. first: for each extension, the first material with it. */
static cp_status report_extensions(cp_context *context, const cp_scene *scene, uint32_t index, struct arena *arena,
                                   struct name_map *first)
{
    const cp_material *material = &scene->materials[index];
    struct json_document json = {.context = context, .text = material->extensions};
    if (!material->extensions || strlen(material->extensions) >= UINT32_MAX)
        return CP_OK;
    json.size = (uint32_t)strlen(material->extensions);
    cp_status status = json_parse(&json, NULL, limit_nesting(context), NULL);
    for (uint32_t at = status == CP_OK ? json_first(&json, 0) : JSON_NONE; at != JSON_NONE && status == CP_OK;
         at = json_next(&json, 0, at)) {
        if (is_shown(&json, at))
            continue;
        bool added;
        const char *name = json_string_text(&json, arena, at);
        const uint32_t *of = name ? name_map_add(first, name, index, &added) : NULL;
        if (of)
            report_loss(context, "html-extension", NOWHERE, 1,
                        "%.100s of materials is in the GLB, and not shown; the first is \"%.100s\"", name,
                        name_of(&scene->materials[*of]));
        else
            status = CP_LIMIT;
    }
    json_free(&json);
    return status == CP_LIMIT ? CP_LIMIT : CP_OK; /* what is no JSON is in no GLB */
}

static bool same_transform(const cp_texture_use *a, const cp_texture_use *b)
{
    return a->offset[0] == b->offset[0] && a->offset[1] == b->offset[1] && a->rotation == b->rotation &&
           a->scale[0] == b->scale[0] && a->scale[1] == b->scale[1];
}

/* All textures of a material have the transform of the first of these; that of occlusion has none. */
static bool has_other_transforms(const cp_scene *scene, const cp_material *material)
{
    (void)scene;
    static const cp_texture_role order[] = {CP_TEXTURE_BASE_COLOUR, CP_TEXTURE_NORMAL, CP_TEXTURE_METALLIC_ROUGHNESS,
                                            CP_TEXTURE_EMISSIVE};
    static const cp_texture_use none = {.scale = {1, 1}};
    const cp_texture_use *leader = NULL;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        for (uint32_t k = 0; k < material->texture_count; k++) {
            const cp_texture_use *use = &material->textures[k];
            if (use->role != order[i])
                continue;
            if (leader && !same_transform(leader, use))
                return true;
            leader = leader ? leader : use;
        }
    for (uint32_t k = 0; k < material->texture_count; k++)
        if (material->textures[k].role == CP_TEXTURE_OCCLUSION && !same_transform(&none, &material->textures[k]))
            return true;
    return false;
}

/* Textures use one set of coordinates; that of occlusion may use the other. */
static bool has_both_sets(const cp_scene *scene, const cp_material *material)
{
    (void)scene;
    bool has[2] = {false, false};
    for (uint32_t k = 0; k < material->texture_count; k++) {
        const cp_texture_use *use = &material->textures[k];
        if (use->role != CP_TEXTURE_OCCLUSION && use->role != CP_TEXTURE_EXTENSION)
            has[use->set > 0] = true;
    }
    return has[0] && has[1];
}

/* Tells whether the GLB has the image, and no browser reads it. */
static bool is_unreadable(const cp_scene *scene, uint32_t index)
{
    const cp_image *image = index == CP_NONE ? NULL : &scene->images[index];
    return image && image->bytes &&
           (strcmp(image->type, "image/ktx2") == 0 || strcmp(image->type, "image/vnd-ms.dds") == 0);
}

/* page/images.js removes such textures. Textures of extensions are lost with the extension. */
static bool has_unreadable_images(const cp_scene *scene, const cp_material *material)
{
    bool found = false;
    for (uint32_t k = 0; k < material->texture_count; k++) {
        const cp_texture *texture = &scene->textures[material->textures[k].texture];
        bool replaced = texture->fallback != CP_NONE && scene->images[texture->fallback].bytes &&
                        !is_unreadable(scene, texture->fallback);
        found = found || (material->textures[k].role != CP_TEXTURE_EXTENSION && !replaced &&
                          is_unreadable(scene, texture->image));
    }
    return found;
}

static const struct {
    const char *code, *text;
    bool (*has)(const cp_scene *scene, const cp_material *material);
} kinds[] = {
    {"html-transforms", "materials whose textures have several transforms are shown with one", has_other_transforms},
    {"html-coordinates", "materials whose textures use both sets of coordinates are shown with the first",
     has_both_sets},
    {"html-images", "materials whose images no browser reads (KTX2, DDS) are shown without them",
     has_unreadable_images},
};

/* Returns which materials are drawn; NULL: out of memory. */
static const bool *find_drawn(const cp_scene *scene, struct arena *arena)
{
    bool *drawn = arena_allocate_zeroed(arena, (size_t)scene->material_count + 1, sizeof *drawn);
    for (uint32_t i = 0; i < scene->instance_count && drawn; i++) {
        const cp_mesh *mesh = &scene->meshes[scene->instances[i].mesh];
        for (uint32_t k = 0; k < mesh->group_count && (scene->instances[i].use & CP_USE_DRAWN); k++)
            if (mesh->groups[k].material != CP_NONE)
                drawn[mesh->groups[k].material] = true;
    }
    return drawn;
}

cp_status html_report_losses(cp_context *context, const cp_scene *scene)
{
    struct name_map first = {.context = context};
    struct arena *arena = arena_new(context);
    const bool *drawn = arena ? find_drawn(scene, arena) : NULL;
    cp_status status = drawn ? CP_OK : CP_LIMIT;
    for (uint32_t i = 0; i < scene->material_count && status == CP_OK; i++)
        if (drawn[i])
            status = report_extensions(context, scene, i, arena, &first);
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds && status == CP_OK; kind++) {
        const cp_material *found = NULL;
        uint64_t count = 0;
        for (uint32_t i = 0; i < scene->material_count; i++)
            if (drawn[i] && kinds[kind].has(scene, &scene->materials[i])) {
                found = found ? found : &scene->materials[i];
                count++;
            }
        if (found)
            report_loss(context, kinds[kind].code, NOWHERE, count, "%s; the first is \"%.100s\"", kinds[kind].text,
                        name_of(found));
    }
    name_map_free(&first);
    arena_free(arena);
    return status;
}
