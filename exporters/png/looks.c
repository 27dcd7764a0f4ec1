/* Materials and their images as they are drawn: linear light, and images at halved sizes for what is small. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "picture.h"
#include "view/pixels.h"

/* ---- images ---- */

static unsigned char encode(const struct png_picture *picture, float light)
{
    return picture->encoded[(int)(light * ENCODED_STEPS + 0.5F)];
}

/* Makes the image at half its size: each pixel is the mean of the light of four, or fewer at the border. */
static cp_status halve(struct png_picture *picture, struct texels *texels)
{
    uint32_t from = texels->level_count - 1, wide = texels->width[from], high = texels->height[from];
    uint32_t width = wide > 1 ? wide / 2 : 1, height = high > 1 ? high / 2 : 1;
    unsigned char *made = arena_allocate(picture->arena, (size_t)width * height, 4);
    if (!made)
        return CP_LIMIT;
    const unsigned char *bytes = texels->levels[from];
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            size_t right = 2 * x + 1 < wide ? 2 * x + 1 : 2 * x, below = 2 * y + 1 < high ? 2 * y + 1 : 2 * y;
            const size_t four[4] = {2 * y * wide + 2 * x, 2 * y * wide + right, below * wide + 2 * x,
                                    below * wide + right};
            unsigned alpha = 0;
            for (int i = 0; i < 4; i++)
                alpha += bytes[4 * four[i] + 3];
            for (size_t k = 0; k < 3; k++) {
                float sum = 0;
                for (int i = 0; i < 4; i++)
                    sum += picture->linear[bytes[4 * four[i] + k]];
                made[4 * (y * width + x) + k] = encode(picture, sum / 4);
            }
            made[4 * (y * width + x) + 3] = (unsigned char)((alpha + 2) / 4);
        }
    texels->width[texels->level_count] = width;
    texels->height[texels->level_count] = height;
    texels->levels[texels->level_count++] = made;
    return CP_OK;
}

/* Makes RGBA of pixels of 1 to 4 channels. */
static cp_status widen(struct png_picture *picture, struct texels *texels, const struct pixels *pixels)
{
    size_t count = (size_t)pixels->width * pixels->height, channels = pixels->channels;
    unsigned char *made = arena_allocate(picture->arena, count, 4);
    if (!made)
        return CP_LIMIT;
    for (size_t i = 0; i < count; i++) {
        const unsigned char *from = pixels->bytes + i * channels;
        bool grey = channels < 3, alpha = channels % 2 == 0;
        made[4 * i] = from[0];
        made[4 * i + 1] = from[grey ? 0 : 1];
        made[4 * i + 2] = from[grey ? 0 : 2];
        made[4 * i + 3] = alpha ? from[channels - 1] : 255;
        texels->translucent |= made[4 * i + 3] < 255;
    }
    texels->width[0] = pixels->width;
    texels->height[0] = pixels->height;
    texels->levels[0] = made;
    texels->level_count = 1;
    return CP_OK;
}

static cp_status decode(struct png_picture *picture, uint32_t image)
{
    struct texels *texels = &picture->images[image];
    struct pixels pixels;
    texels->tried = true;
    struct arena *arena = arena_new(picture->context);
    cp_status status =
        arena ? pixels_decode(picture->context, arena, &picture->scene->images[image], &pixels) : CP_LIMIT;
    if (status == CP_OK && pixels.bytes)
        status = widen(picture, texels, &pixels);
    arena_free(arena);
    while (status == CP_OK && texels->level_count > 0 && texels->level_count < MOST_LEVELS &&
           (texels->width[texels->level_count - 1] > 1 || texels->height[texels->level_count - 1] > 1))
        status = halve(picture, texels);
    return status;
}

/* Finds the image of a base colour, or its fallback. *lost: neither can be decoded. */
static cp_status find_image(struct png_picture *picture, const cp_texture *texture, const struct texels **found,
                            bool *lost)
{
    const uint32_t images[] = {texture->image, texture->fallback};
    cp_status status = CP_OK;
    for (size_t i = 0; i < 2 && status == CP_OK && !*found; i++) {
        if (images[i] == CP_NONE)
            continue;
        if (!picture->images[images[i]].tried)
            status = decode(picture, images[i]);
        if (picture->images[images[i]].level_count > 0)
            *found = &picture->images[images[i]];
    }
    *lost = !*found;
    return status;
}

/* ---- materials ---- */

static void take_texture(struct look *look, const cp_texture_use *use, const cp_texture *texture)
{
    double cosine = cos(use->rotation), sine = sin(use->rotation);
    const double map[2][3] = {{cosine * use->scale[0], sine * use->scale[1], use->offset[0]},
                              {-sine * use->scale[0], cosine * use->scale[1], use->offset[1]}};
    for (int row = 0; row < 2; row++)
        for (int k = 0; k < 3; k++)
            look->map[row][k] = (float)map[row][k];
    memcpy(look->wrap, texture->wrap, sizeof look->wrap);
    look->nearest = texture->magnify == CP_SAMPLE_NEAREST;
    look->set = use->set;
}

static cp_status make_look(struct png_picture *picture, const cp_material *material, struct look *look, bool *lost)
{
    cp_status status = CP_OK;
    for (int i = 0; i < 3; i++) {
        look->rgba[i] = (float)linear_channel(material, i);
        look->emissive[i] = (float)emissive_channel(material, i);
    }
    look->rgba[3] = (float)within_unit(material->rgba[3]);
    look->alpha = material->alpha;
    look->cutoff = (float)material->cutoff;
    look->one_sided = material->one_sided;
    look->plain = material->extensions && strstr(material->extensions, "\"KHR_materials_unlit\"");
    if (material->texture_count > 0 && material->textures[0].role == CP_TEXTURE_BASE_COLOUR) {
        const cp_texture *texture = &picture->scene->textures[material->textures[0].texture];
        take_texture(look, &material->textures[0], texture);
        status = find_image(picture, texture, &look->texels, lost);
    }
    return status;
}

cp_status looks_make(struct png_picture *picture)
{
    const cp_scene *scene = picture->scene;
    picture->looks = arena_allocate_zeroed(picture->arena, scene->material_count + (size_t)1, sizeof(struct look));
    picture->images = arena_allocate_zeroed(picture->arena, scene->image_count, sizeof *picture->images);
    bool *used = arena_allocate_zeroed(picture->arena, scene->material_count + (size_t)1, sizeof *used);
    if (!picture->looks || !picture->images || !used)
        return CP_LIMIT;
    for (uint32_t i = 0; i < picture->shape_count; i++)
        for (uint32_t k = 0; k < picture->shapes[i].mesh->group_count; k++)
            if (picture->shapes[i].mesh->groups[k].material != CP_NONE)
                used[picture->shapes[i].mesh->groups[k].material] = true;
    cp_status status = CP_OK;
    uint64_t lost_count = 0;
    for (uint32_t i = 0; i < scene->material_count && status == CP_OK; i++) {
        bool lost = false;
        if (used[i])
            status = make_look(picture, &scene->materials[i], &picture->looks[i], &lost);
        lost_count += lost;
    }
    float grey = (float)linear_from_srgb(PLAIN_GREY);
    picture->looks[scene->material_count] = (struct look){.rgba = {grey, grey, grey, 1}};
    if (lost_count > 0 && status == CP_OK)
        report_loss(picture->context, "png-textures", NOWHERE, lost_count,
                    "textures whose images are no PNG or JPEG, damaged, not there, or larger than 16 million pixels");
    return status;
}

uint32_t look_of_face(const struct png_picture *picture, const cp_mesh *mesh, uint32_t face)
{
    uint32_t first = 0, end = mesh->group_count;
    if (end == 0)
        return picture->scene->material_count;
    while (end - first > 1) {
        uint32_t middle = first + (end - first) / 2;
        if (mesh->groups[middle].first_face <= face)
            first = middle;
        else
            end = middle;
    }
    return mesh->groups[first].material == CP_NONE ? picture->scene->material_count : mesh->groups[first].material;
}
