/* The palette of an AC3D file, and the scene's materials that surfaces show of it.
 *
 * A surface is seen from one side or from both, and the texture belongs to the object. So one material of the file may
 * become several of the scene, which are made when the first surface needs them. */
#include "ac3d.h"

/* Reads the rest of a line of words, each with its numbers. Numbers that are missing keep the values before. */
static cp_status read_words(struct ac3d *reader, struct ac3d_material *material)
{
    const struct {
        const char *word;
        double *numbers;
        int count;
    } words[] = {{"rgb", material->rgb, 3},        {"amb", material->ambient, 3},
                 {"emis", material->emission, 3},  {"spec", material->specular, 3},
                 {"shi", &material->shininess, 1}, {"trans", &material->transparency, 1}};
    enum { WORDS = sizeof words / sizeof *words };
    while (reader->at < reader->line_end) {
        int word = 0;
        while (word < WORDS && !ac3d_accept(reader, words[word].word))
            word++;
        if (reader->at == reader->line_end)
            return CP_OK;
        if (word == WORDS)
            return ac3d_fail(reader, "rgb, amb, emis, spec, shi or trans");
        cp_status status = ac3d_expect_numbers(reader, words[word].numbers, words[word].count, "a number");
        if (status != CP_OK || reader->cut)
            return status;
    }
    return CP_OK;
}

cp_status ac3d_read_material(struct ac3d *reader, bool spread)
{
    struct ac3d_material material = {.line = reader->line, .rgb = {1, 1, 1}, .made = {CP_NONE, CP_NONE}};
    material.name = ac3d_text(reader, !spread);
    if (!material.name)
        return CP_LIMIT;
    cp_status status = spread ? CP_OK : read_words(reader, &material);
    while (spread && status == CP_OK && !reader->cut) {
        if (!ac3d_next_line(reader))
            status = ac3d_ends_early(reader, "ENDMAT");
        else if (ac3d_accept(reader, "ENDMAT"))
            break;
        else
            status = read_words(reader, &material);
    }
    if (status != CP_OK)
        return status;
    return array_add(reader->context, &reader->materials, &reader->material_room, &reader->material_count, &material,
                     sizeof material)
               ? CP_OK
               : CP_LIMIT;
}

static double unit_range(struct ac3d *reader, const struct ac3d_material *from, double value)
{
    ac3d_count(reader, AC3D_OUTSIDE, !(value >= 0 && value <= 1), from->line);
    return within_unit(value);
}

/* Keeps numbers of the palette that are not zero as metadata, by the names that other readers give them. */
static bool keep_numbers(struct ac3d *reader, uint32_t material, const char *key, const double *numbers, int count)
{
    bool any = false;
    for (int i = 0; i < count; i++)
        any |= numbers[i] != 0;
    return !any ||
           scene_add_numbers(reader->scene, CP_OWNER_MATERIAL, material, key, numbers, (size_t)count, count > 1);
}

static cp_status make_material(struct ac3d *reader, const struct ac3d_material *from, bool two_sided, uint32_t *made)
{
    cp_scene *scene = reader->scene;
    double rgba[4];
    for (int i = 0; i < 3; i++)
        rgba[i] = unit_range(reader, from, from->rgb[i]);
    rgba[3] = 1 - unit_range(reader, from, from->transparency);
    const char *name = scene_text(scene, from->name);
    *made = name ? scene_add_material(scene, name, rgba, true) : CP_NONE;
    if (*made == CP_NONE)
        return CP_LIMIT;
    scene->materials[*made].two_sided = two_sided;
    for (int i = 0; i < 3; i++)
        scene->materials[*made].emissive[i] = linear_from_srgb(unit_range(reader, from, from->emission[i]));
    return keep_numbers(reader, *made, "clr.ambient", from->ambient, 3) &&
                   keep_numbers(reader, *made, "clr.specular", from->specular, 3) &&
                   keep_numbers(reader, *made, "mat.shininess", &from->shininess, 1)
               ? CP_OK
               : CP_LIMIT;
}

/* Gives the material the texture. AC3D counts the second coordinate from the lower edge, a scene from the upper. */
static cp_status add_texture(struct ac3d *reader, const struct ac3d_texture *texture, uint32_t material)
{
    cp_scene *scene = reader->scene;
    uint32_t *image = name_map_add(&reader->images, texture->path, CP_NONE, NULL);
    if (!image)
        return CP_LIMIT;
    if (*image == CP_NONE) { /* nobody adds to the map meanwhile */
        cp_status status = scene_read_image(scene, reader->source, texture->path, NULL, "ac3d-image", image);
        if (status != CP_OK)
            return status;
    }
    cp_texture row = {.image = *image, .fallback = CP_NONE};
    cp_texture_use use = {.role = CP_TEXTURE_BASE_COLOUR,
                          .texture = scene_add_texture(scene, &row),
                          .strength = 1,
                          .scale = {texture->repeat[0], texture->repeat[1]},
                          .offset = {texture->offset[0], 1 - texture->repeat[1] - texture->offset[1]}};
    cp_material *to = &scene->materials[material];
    to->textures = arena_copy(scene->arena, &use, 1, sizeof use);
    to->texture_count = to->textures != NULL;
    to->alpha = to->rgba[3] < 1 ? CP_ALPHA_BLEND : CP_ALPHA_OPAQUE;
    return use.texture != CP_NONE && to->textures ? CP_OK : CP_LIMIT;
}

cp_status ac3d_find_material(struct ac3d *reader, uint32_t number, bool two_sided, const struct ac3d_texture *texture,
                             uint32_t *material)
{
    struct ac3d_material *from = &reader->materials[number];
    uint32_t *made = &from->made[two_sided];
    if (texture->path) {
        char *key = arena_print(reader->arena, "%u %d %a %a %a %a %s", number, two_sided, texture->repeat[0],
                                texture->repeat[1], texture->offset[0], texture->offset[1], texture->path);
        made = key ? name_map_add(&reader->textured, key, CP_NONE, NULL) : NULL;
        if (!made)
            return CP_LIMIT;
    }
    cp_status status = CP_OK;
    if (*made == CP_NONE) {
        status = make_material(reader, from, two_sided, made);
        if (status == CP_OK && texture->path)
            status = add_texture(reader, texture, *made);
    }
    *material = *made;
    return status;
}
