/* Textures: images as files beside the world, or as pixels in it, and texture coordinates. VRML97's second coordinate
 * counts from the lower edge of an image, the scene's from the upper one. */
#include "vrml97.h"

#include <math.h>
#include <string.h>

#include "base/text/text.h"

/* ---- images ---- */

/* Returns the image if browsers show it (ISO/IEC 14772-1, 6.22: PNG and JPEG; GIF too, as they should), or CP_NONE. Of
 * images with the same bytes it is the first. */
static uint32_t shown_image(const struct vrml_shapes *shapes, const cp_texture_use *use)
{
    static const char *const types[] = {"image/png", "image/jpeg", "image/gif"};
    const cp_texture *texture = &shapes->scene->textures[use->texture];
    const uint32_t images[] = {texture->image, texture->fallback};
    for (size_t i = 0; i < 2; i++) {
        const cp_image *image = images[i] == CP_NONE ? NULL : &shapes->scene->images[images[i]];
        for (size_t k = 0; image && image->bytes && k < sizeof types / sizeof *types; k++)
            if (strcmp(image->type, types[k]) == 0)
                return shapes->same_images[images[i]];
    }
    return CP_NONE;
}

/* Returns the base colour; textures come in the order of their roles. */
static const cp_texture_use *base_colour(const struct vrml_shapes *shapes, uint32_t material, const cp_mesh *mesh)
{
    const cp_material *of = material == CP_NONE ? NULL : &shapes->scene->materials[material];
    bool any = of && of->texture_count > 0 && of->textures[0].role == CP_TEXTURE_BASE_COLOUR;
    return any && mesh->coordinates[of->textures[0].set] ? &of->textures[0] : NULL;
}

static cp_status write_image(struct vrml_output *output, struct vrml_shapes *shapes, uint32_t index)
{
    const cp_image *image = &shapes->scene->images[index];
    size_t size;
    const char *own = text_stem(*image->name ? image->name : *image->path ? image->path : image->id, &size);
    const char *wanted =
        arena_print(output->arena, "%s_%.*s", sink_stem(output->world), (int)(size < 200 ? size : 200), own);
    const char *name = wanted ? sink_safe_name(output->world, wanted, image_suffix(image->type)) : NULL;
    shapes->pictures[index].file = name ? arena_copy_text(output->arena, name, strlen(name)) : NULL;
    if (!shapes->pictures[index].file)
        return CP_LIMIT;
    return sink_put(output->world, shapes->pictures[index].file, image->bytes, image->size);
}

static bool find_same_images(const struct vrml_output *output, struct vrml_shapes *shapes)
{
    struct name_map seen = {.context = output->context};
    bool good = true;
    for (uint32_t i = 0; i < shapes->scene->image_count && good; i++) {
        const cp_image *image = &shapes->scene->images[i];
        shapes->same_images[i] = i;
        if (!image->bytes)
            continue;
        const char *key = image_key(output->arena, image);
        const uint32_t *first = key ? name_map_add(&seen, key, i, NULL) : NULL;
        good = first != NULL;
        shapes->same_images[i] = good ? *first : i;
    }
    name_map_free(&seen);
    return good;
}

/* Writes the image, or decodes it for a stream, once. */
static cp_status show_image(struct vrml_output *output, struct vrml_shapes *shapes, uint32_t image)
{
    struct vrml_picture *picture = &shapes->pictures[image];
    if (picture->tried)
        return CP_OK;
    picture->tried = true;
    return sink_is_stream(output->world)
               ? pixels_decode(output->context, output->arena, &shapes->scene->images[image], &picture->pixels)
               : write_image(output, shapes, image);
}

static bool has_picture(const struct vrml_shapes *shapes, uint32_t image)
{
    return image != CP_NONE && (shapes->pictures[image].file || shapes->pictures[image].pixels.bytes);
}

cp_status vrml_write_images(struct vrml_output *output, struct vrml_shapes *shapes)
{
    const cp_scene *scene = shapes->scene;
    cp_status status = find_same_images(output, shapes) ? CP_OK : CP_LIMIT;
    bool *seen = vrml_plan_room(output, scene->mesh_count, sizeof *seen);
    bool *told = vrml_plan_room(output, scene->material_count, sizeof *told);
    for (uint32_t i = 0; i < scene->instance_count && seen && told && status == CP_OK; i++) {
        const cp_mesh *mesh = &scene->meshes[scene->instances[i].mesh];
        if (!(scene->instances[i].use & CP_USE_DRAWN) || seen[scene->instances[i].mesh])
            continue;
        seen[scene->instances[i].mesh] = true;
        for (uint32_t k = 0; k < mesh->group_count && status == CP_OK; k++) {
            uint32_t material = mesh->groups[k].material;
            const cp_texture_use *use = base_colour(shapes, material, mesh);
            if (!use || told[material])
                continue;
            told[material] = true;
            const cp_material *of = &scene->materials[material];
            const cp_texture *texture = &scene->textures[use->texture];
            uint32_t image = shown_image(shapes, use);
            if (image != CP_NONE)
                status = show_image(output, shapes, image);
            bool shown = has_picture(shapes, image);
            output->losses[LOST_IMAGE_TYPE] += image == CP_NONE;
            output->losses[LOST_TEXTURE] += image != CP_NONE && !shown;
            if (!shown)
                continue;
            output->losses[LOST_REPLACED] += of->rgba[0] != 1 || of->rgba[1] != 1 || of->rgba[2] != 1;
            output->losses[LOST_WRAP] += texture->wrap[0] == CP_WRAP_MIRROR || texture->wrap[1] == CP_WRAP_MIRROR;
        }
    }
    return status == CP_OK && output->failed ? CP_LIMIT : status;
}

const cp_texture_use *vrml_texture_use(const struct vrml_shapes *shapes, uint32_t material, const cp_mesh *mesh)
{
    const cp_texture_use *use = base_colour(shapes, material, mesh);
    uint32_t image = use ? shown_image(shapes, use) : CP_NONE;
    return has_picture(shapes, image) ? use : NULL;
}

/* ---- nodes ---- */

/* Writes "image WIDTH HEIGHT CHANNELS" and a number for each pixel, the lowest row first (ISO/IEC 14772-1, 5.5). */
static void write_pixels(struct vrml_output *output, const struct pixels *pixels)
{
    static const char digits[] = "0123456789abcdef";
    char number[] = "0x00000000\n";
    size_t end = 2 + 2 * (size_t)pixels->channels;
    number[end] = '\n';
    const double sizes[3] = {pixels->width, pixels->height, pixels->channels};
    sink_text(output->sink, " ");
    vrml_vector(output, "image", sizes);
    sink_text(output->sink, "\n");
    for (size_t row = pixels->height; row-- > 0;) {
        const unsigned char *byte = pixels->bytes + row * pixels->width * pixels->channels;
        for (size_t i = 0; i < pixels->width; i++) {
            for (size_t at = 2; at < end; at += 2, byte++) {
                number[at] = digits[*byte >> 4];
                number[at + 1] = digits[*byte & 15];
            }
            sink_write(output->sink, number, end + 1);
        }
    }
}

void vrml_write_texture(struct vrml_output *output, struct vrml_shapes *shapes, const cp_texture_use *use)
{
    const cp_texture *texture = &shapes->scene->textures[use->texture];
    struct vrml_picture *picture = &shapes->pictures[shown_image(shapes, use)];
    bool clamped[2] = {texture->wrap[0] == CP_WRAP_CLAMP, texture->wrap[1] == CP_WRAP_CLAMP};
    struct picture_name *name = &picture->names[clamped[0]][clamped[1]];
    vrml_indent(output);
    sink_text(output->sink, "texture ");
    if (name->name && name->file == output->file) {
        vrml_use(output, name->name);
        return;
    }
    if (!name->name)
        name->name = vrml_name(output, picture->file ? "image_" : "pixels_", texture->id);
    name->file = output->file;
    vrml_define(output, name->name);
    if (picture->file) {
        /* Files of parts are in a folder of their own. */
        const char *url =
            output->sink == output->world ? picture->file : arena_print(output->arena, "../%s", picture->file);
        output->failed |= !url;
        sink_text(output->sink, "ImageTexture { url ");
        vrml_string(output, url ? url : "");
    } else {
        sink_text(output->sink, "PixelTexture {");
        write_pixels(output, &picture->pixels);
    }
    sink_text(output->sink, clamped[0] ? " repeatS FALSE" : "");
    sink_text(output->sink, clamped[1] ? " repeatT FALSE" : "");
    sink_text(output->sink, " }\n");
}

void vrml_write_coordinates(struct vrml_output *output, const cp_mesh *mesh, const cp_texture_use *use)
{
    const float *values = mesh->coordinates[use->set];
    double cosine = cos(use->rotation), sine = sin(use->rotation);
    bool plain =
        use->offset[0] == 0 && use->offset[1] == 0 && use->rotation == 0 && use->scale[0] == 1 && use->scale[1] == 1;
    vrml_line(output, "texCoord TextureCoordinate { point [");
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        double x = use->scale[0] * (double)values[2 * i], y = use->scale[1] * (double)values[2 * i + 1];
        double s = plain ? x : use->offset[0] + cosine * x + sine * y;
        double t = plain ? y : use->offset[1] + cosine * y - sine * x;
        vrml_float(output, (float)s);
        sink_text(output->sink, " ");
        vrml_float(output, (float)(1 - t));
        sink_text(output->sink, "\n");
    }
    vrml_line(output, "] }");
}
