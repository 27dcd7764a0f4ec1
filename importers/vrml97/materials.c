/* Looks: a Material, perhaps with a texture, by what shows it. Numbers of colours are as displayed. */

#include "base/text/text.h"
#include "view/pixels.h"
#include "vrml97.h"

/* ---- textures ---- */

/* Writes a PixelTexture as PNG; the lowest row comes first in the file. */
static cp_status write_png(struct wrl *wrl, const struct wrl_value *image, struct sink *sink)
{
    uint32_t width = (uint32_t)image->integers[0], height = (uint32_t)image->integers[1];
    int32_t parts = image->integers[2];
    bool alpha = parts == 2 || parts == 4;
    struct pixel_writer *writer = NULL;
    unsigned char *row = memory_allocate(wrl->context, width, 4);
    cp_status status = row ? pixels_begin(wrl->context, sink, width, height, alpha, &writer) : CP_LIMIT;
    for (uint32_t y = height; y-- > 0 && status == CP_OK;) {
        unsigned char *at = row;
        for (uint32_t x = 0; x < width; x++) {
            uint32_t value;
            memcpy(&value, &image->integers[3 + (size_t)y * width + x], sizeof value);
            for (int32_t channel = 0; channel < 3; channel++) {
                int32_t shift = 8 * (parts - 1 - (parts > 2 ? channel : 0));
                *at++ = (unsigned char)(value >> shift);
            }
            if (alpha)
                *at++ = (unsigned char)value;
        }
        status = pixels_rows(writer, row, 1);
    }
    cp_status ended = pixels_end(writer, status == CP_OK);
    memory_free(wrl->context, row, width, 4);
    return status == CP_OK ? ended : status;
}

static cp_status read_pixels(struct wrl *wrl, const struct wrl_node *node, uint32_t *image)
{
    const struct wrl_value *value = wrl_value(node, "image");
    struct sink *sink = NULL;
    void *bytes = NULL;
    size_t size = 0;
    *image = CP_NONE;
    if (!value || value->store != WRL_AS_INTEGERS || value->count < 4)
        return CP_OK;
    if (PNG_PACKAGE) {
        report_loss(wrl->context, "vrml97-image", wrl_place(node), 1,
                    "PixelTextures, which need the package libpng-dev");
        return CP_OK;
    }
    cp_status status = sink_open_memory(wrl->context, &sink);
    if (status != CP_OK)
        return status;
    status = sink_close_memory(sink, write_png(wrl, value, sink), &bytes, &size);
    cp_image added = {.type = "image/png", .size = (uint32_t)size};
    added.bytes = status == CP_OK ? arena_copy(wrl->scene->arena, bytes, size, 1) : NULL;
    if (bytes)
        memory_free(wrl->context, bytes, size, 1);
    if (status == CP_OK)
        *image = added.bytes ? scene_add_image(wrl->scene, &added) : CP_NONE;
    return status == CP_OK && *image == CP_NONE ? CP_LIMIT : status;
}

/* Finds the image of an url, in the file or its folder; CP_NONE if it is not there. Each is sought once for a file. */
static cp_status find_image(struct wrl *wrl, const struct wrl_file *file, const char *url, uint32_t *image)
{
    const char *key = arena_print(wrl->arena, "i%u %s", file->index, url);
    const uint32_t *known = key ? name_map_find(&wrl->textures, key) : NULL;
    struct source *source = NULL;
    *image = known ? *known : CP_NONE;
    if (!key || known)
        return key ? CP_OK : CP_LIMIT;
    cp_status status = source_open_picture(file->source, url, NULL, &source);
    if (status == CP_OK)
        status = scene_keep_image(wrl->scene, file->source, source, url, "vrml97-image", image);
    status = status == CP_NO ? CP_OK : status;
    return status == CP_OK && !name_map_add(&wrl->textures, key, *image, NULL) ? CP_LIMIT : status;
}

/* Adds an image that is not there, once for a file. */
static cp_status add_missing(struct wrl *wrl, const struct wrl_file *file, const char *url, uint32_t *image)
{
    const char *key = arena_print(wrl->arena, "m%u %s", file->index, url);
    uint32_t *known = key ? name_map_add(&wrl->textures, key, CP_NONE, NULL) : NULL;
    if (!known)
        return CP_LIMIT;
    cp_status status = CP_OK;
    if (*known == CP_NONE) /* nobody adds to the map meanwhile */
        status = scene_keep_image(wrl->scene, file->source, NULL, url, "vrml97-image", known);
    *image = *known;
    return status;
}

/* Reads the first image of the urls that is there. */
static cp_status read_image(struct wrl *wrl, const struct wrl_node *node, uint32_t *image)
{
    const struct wrl_value *urls = wrl_value(node, "url");
    *image = CP_NONE;
    if (!urls || urls->store != WRL_AS_TEXTS || urls->count == 0)
        return CP_OK;
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < urls->count && *image == CP_NONE && status == CP_OK; i++)
        if (urls->count == 1 || !wrl_is_remote(urls->texts[i])) /* a lone one may have a copy beside the file */
            status = find_image(wrl, node->file, urls->texts[i], image);
    return status == CP_OK && *image == CP_NONE ? add_missing(wrl, node->file, urls->texts[0], image) : status;
}

cp_status wrl_find_texture(struct wrl *wrl, struct wrl_node *node, uint32_t *texture)
{
    bool is_pixels = wrl_is(node, "PixelTexture");
    const char *key = arena_print(wrl->arena, "t%u", node->serial);
    const uint32_t *known = key ? name_map_find(&wrl->textures, key) : NULL;
    uint32_t image;
    *texture = known ? *known : CP_NONE;
    if (!key || known)
        return key ? CP_OK : CP_LIMIT;
    cp_status status = is_pixels ? read_pixels(wrl, node, &image) : read_image(wrl, node, &image);
    if (status != CP_OK)
        return status;
    cp_texture row = {
        .image = image, .fallback = CP_NONE, .name = node->name ? scene_text(wrl->scene, node->name) : ""};
    if (!row.name)
        return CP_LIMIT;
    row.wrap[0] = wrl_truth(node, "repeatS", true) ? CP_WRAP_REPEAT : CP_WRAP_CLAMP;
    row.wrap[1] = wrl_truth(node, "repeatT", true) ? CP_WRAP_REPEAT : CP_WRAP_CLAMP;
    if (image != CP_NONE)
        *texture = scene_add_texture(wrl->scene, &row);
    if (image != CP_NONE && *texture == CP_NONE)
        return CP_LIMIT;
    return name_map_add(&wrl->textures, key, *texture, NULL) ? CP_OK : CP_LIMIT;
}

/* ---- materials ---- */

/* Counts what materials of the scene do not have. */
static void count_losses(struct wrl *wrl, const struct wrl_look *look)
{
    double shine[3] = {0};
    if (!look->material) {
        wrl_tell(wrl, WRL_TOLD_UNLIT, !look->texture, wrl_place(look->shape));
        return;
    }
    wrl_numbers(look->material, "specularColor", 3, shine);
    struct place place = wrl_place(look->material);
    wrl_tell(wrl, WRL_TOLD_SHINING, !wrl->is_own && (shine[0] > 0 || shine[1] > 0 || shine[2] > 0), place);
    wrl_tell(wrl, WRL_TOLD_AMBIENT, wrl_value(look->material, "ambientIntensity") != NULL, place);
}

/* Finds the colour. Colours of vertices, and textures with colours, take its place. */
static void find_colour(struct wrl *wrl, const struct wrl_look *look, uint32_t texture, double rgba[4])
{
    double rgb[3] = {0.8, 0.8, 0.8};
    const struct wrl_node *material = look->material;
    for (int i = 0; i < 3 && (look->lines || !material); i++)
        rgb[i] = look->lines && material ? 0 : 1;
    if (material)
        wrl_numbers(material, look->lines ? "emissiveColor" : "diffuseColor", 3, rgb);
    bool replaces = texture != CP_NONE && !image_is_grey(&wrl->scene->images[wrl->scene->textures[texture].image]);
    for (int i = 0; i < 3; i++)
        rgba[i] = look->coloured || replaces ? 1 : within_unit(rgb[i]);
    rgba[3] = material && !look->coloured ? 1 - within_unit(wrl_number(material, "transparency", 0)) : 1;
}

/* Finds the texture that the look shows; a shape without coordinates shows none. */
static cp_status find_texture(struct wrl *wrl, const struct wrl_look *look, uint32_t *texture)
{
    *texture = CP_NONE;
    if (!look->texture)
        return CP_OK;
    if (look->has_coordinates)
        return wrl_find_texture(wrl, look->texture, texture);
    wrl_tell(wrl, WRL_TOLD_PICTURES, 1, wrl_place(look->texture));
    return CP_OK;
}

static uint32_t add_material(struct wrl *wrl, const struct wrl_look *look, uint32_t texture)
{
    const struct wrl_node *named = look->appearance && look->appearance->name ? look->appearance : look->material;
    const char *name = wrl_own_name(wrl, "look", "look_", named && named->name ? named->name : "");
    double rgba[4], glow[3] = {0};
    find_colour(wrl, look, texture, rgba);
    uint32_t row = scene_add_material(wrl->scene, name, rgba, true);
    if (row == CP_NONE)
        return CP_NONE;
    cp_material *material = &wrl->scene->materials[row];
    material->two_sided = look->two_sided;
    if (look->material && !look->lines)
        wrl_numbers(look->material, "emissiveColor", 3, glow);
    for (int i = 0; i < 3; i++)
        material->emissive[i] = linear_from_srgb(within_unit(glow[i]));
    if (texture == CP_NONE)
        return row;
    const cp_texture_use use = {.role = CP_TEXTURE_BASE_COLOUR, .texture = texture, .strength = 1, .scale = {1, 1}};
    material->textures = arena_copy(wrl->scene->arena, &use, 1, sizeof use);
    material->texture_count = 1;
    return material->textures ? row : CP_NONE;
}

cp_status wrl_find_material(struct wrl *wrl, const struct wrl_look *look, uint32_t *row)
{
    uint32_t texture;
    cp_status status = find_texture(wrl, look, &texture);
    *row = CP_NONE;
    if (status != CP_OK)
        return status;
    /* Materials of one node differ by the textures beside it, and by what shows them. */
    const char *key = arena_print(wrl->arena, "%u %u %d%d%d", look->material ? look->material->serial : CP_NONE,
                                  texture, look->lines, look->two_sided, look->coloured);
    bool added;
    uint32_t *known = key ? name_map_add(&wrl->materials, key, CP_NONE, &added) : NULL;
    if (!known)
        return CP_LIMIT;
    if (added) {
        count_losses(wrl, look);
        *known = add_material(wrl, look, texture);
    }
    *row = *known;
    return *row == CP_NONE ? CP_LIMIT : CP_OK;
}
