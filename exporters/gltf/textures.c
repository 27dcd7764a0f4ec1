/* Images, samplers and textures that the written materials use; profile stage writes all. Images are written with their
 * bytes unchanged. */
#include "writer.h"

#include <math.h>
#include <string.h>

/* ---- what glTF has a type for ---- */

static const struct image_extension {
    const char *type, *extension; /* NULL: of glTF itself */
} image_extensions[] = {{"image/png", NULL},
                        {"image/jpeg", NULL},
                        {"image/webp", "EXT_texture_webp"},
                        {"image/ktx2", "KHR_texture_basisu"},
                        {"image/avif", "EXT_texture_avif"},
                        {"image/vnd-ms.dds", "MSFT_texture_dds"}};
enum { EXTENSION_COUNT = sizeof image_extensions / sizeof *image_extensions };

static const struct image_extension *extension_of(const cp_image *image)
{
    for (size_t i = 0; i < EXTENSION_COUNT; i++)
        if (strcmp(image->type, image_extensions[i].type) == 0)
            return &image_extensions[i];
    return NULL;
}

/* Tells whether the path is an absolute URI. */
static bool is_absolute(const char *path)
{
    return strstr(path, "://") != NULL;
}

/* Tells whether the image is written. A delivered file holds all that it shows, as a URI into the world may be dead
 * tomorrow. A stage keeps what the scene has. */
static bool image_is_written(const struct gltf_file *file, uint32_t image)
{
    const cp_image *of = image == CP_NONE ? NULL : &file->scene->images[image];
    return of && (!is_deliver(file) || (extension_of(of) && of->bytes));
}

/* ---- plan ---- */

static bool same_sampler(const cp_texture *a, const cp_texture *b)
{
    return a->wrap[0] == b->wrap[0] && a->wrap[1] == b->wrap[1] && a->magnify == b->magnify && a->minify == b->minify;
}

/* Plans the sampler by a linear search, as there are fewer than 200. */
static void plan_sampler(struct gltf_file *file, uint32_t texture)
{
    struct texture_plan *plan = &file->textures;
    const cp_texture *textures = file->scene->textures, plain = {.magnify = CP_SAMPLE_ANY};
    plan->sampler_of[texture] = CP_NONE;
    if (same_sampler(&textures[texture], &plain))
        return;
    uint32_t at = 0;
    while (at < plan->sampler_count && !same_sampler(&textures[plan->samplers[at]], &textures[texture]))
        at++;
    if (at == plan->sampler_count)
        plan->samplers[plan->sampler_count++] = texture;
    plan->sampler_of[texture] = at;
}

/* Plans the images. Those with the same bytes are one in a delivered file. */
static bool plan_images(struct gltf_file *file)
{
    const cp_scene *scene = file->scene;
    struct texture_plan *plan = &file->textures;
    struct name_map seen = {.context = file->context};
    bool good = true;
    for (uint32_t i = 0; i < scene->image_count && good; i++) {
        const cp_image *image = &scene->images[i];
        plan->views[i] = CP_NONE;
        if (plan->images[i] == CP_NONE)
            continue;
        bool added = true;
        const uint32_t *first = &i;
        if (is_deliver(file) && image->bytes) {
            const char *key = image_key(file->work->arena, image);
            first = key ? name_map_add(&seen, key, i, &added) : NULL;
        }
        good = first != NULL;
        if (good && !added) {
            plan->images[i] = plan->images[*first];
            plan->views[i] = plan->views[*first];
            continue;
        }
        plan->images[i] = plan->image_count++;
        if (good && image->bytes) {
            struct buffer_view view = {.data = image->bytes, .count = image->size, .encoding = ENCODE_BYTES};
            plan->views[i] = add_view(&file->binary, view);
            good = plan->views[i] != CP_NONE;
        }
    }
    name_map_free(&seen);
    return good;
}

/* Notes which textures the looks of a material need. */
static void use_textures(struct gltf_file *file, uint32_t material, bool *used)
{
    struct texture_plan *plan = &file->textures;
    const cp_material *of = &file->scene->materials[material];
    bool textured = false;
    for (unsigned look = 0; look < LOOK_COUNT; look++) {
        bool written = file->looks[(size_t)material * LOOK_COUNT + look] != CP_NONE;
        textured = textured || (written && !(look & LOOK_BARE));
        plan->bare += written && (look & LOOK_BARE);
    }
    for (uint32_t i = 0; i < of->texture_count && textured; i++) {
        const cp_texture *texture = &file->scene->textures[of->textures[i].texture];
        bool shown = image_is_written(file, texture->image) || image_is_written(file, texture->fallback);
        used[of->textures[i].texture] = shown;
        plan->strange += !shown;
    }
}

bool plan_textures(struct gltf_file *file)
{
    const cp_scene *scene = file->scene;
    struct texture_plan *plan = &file->textures;
    uint32_t textures = scene->texture_count, images = scene->image_count;
    bool *used = file_allocate(file, textures, sizeof *used);
    plan->textures = scene_allocate(file->work, textures, sizeof *plan->textures);
    plan->sampler_of = scene_allocate(file->work, textures, sizeof *plan->sampler_of);
    plan->samplers = scene_allocate(file->work, textures, sizeof *plan->samplers);
    plan->images = scene_allocate(file->work, images, sizeof *plan->images);
    plan->views = scene_allocate(file->work, images, sizeof *plan->views);
    if (!used || !plan->textures || !plan->sampler_of || !plan->samplers || !plan->images || !plan->views)
        return false;
    if (is_deliver(file))
        for (uint32_t i = 0; i < scene->material_count; i++)
            use_textures(file, i, used);
    for (uint32_t i = 0; i < images; i++)
        plan->images[i] = is_deliver(file) ? CP_NONE : 0;
    for (uint32_t i = 0; i < textures; i++) {
        const cp_texture *texture = &scene->textures[i];
        bool written = used[i] || !is_deliver(file);
        plan->textures[i] = written ? plan->texture_count++ : CP_NONE;
        if (!written)
            continue;
        plan_sampler(file, i);
        if (image_is_written(file, texture->image))
            plan->images[texture->image] = 0;
        if (image_is_written(file, texture->fallback))
            plan->images[texture->fallback] = 0;
    }
    for (uint32_t i = 0; i < images; i++)
        plan->idle += plan->images[i] == CP_NONE;
    return plan_images(file);
}

void report_textures(const struct gltf_file *file)
{
    const struct texture_plan *plan = &file->textures;
    if (plan->bare > 0)
        report_loss(file->context, "gltf-bare", NOWHERE, plan->bare,
                    "textures of materials on meshes without texture coordinates");
    if (plan->strange > 0)
        report_loss(file->context, "gltf-image-type", NOWHERE, plan->strange,
                    "textures whose image glTF has no type for, or which was not there");
    if (plan->idle > 0)
        report_note(file->context, "gltf-images", NOWHERE, "%llu images that nothing shows are left out",
                    (unsigned long long)plan->idle);
}

/* ---- extensions ---- */

/* Chooses the image that every reader can show, if there is one, and the one that an extension shows. */
static void choose_images(const struct gltf_file *file, const cp_texture *texture, uint32_t *plain, uint32_t *further,
                          const char **extension)
{
    const uint32_t images[] = {texture->image, texture->fallback};
    *plain = *further = CP_NONE;
    *extension = NULL;
    for (size_t i = 0; i < 2; i++) {
        uint32_t index = images[i] == CP_NONE ? CP_NONE : file->textures.images[images[i]];
        if (index == CP_NONE)
            continue;
        const struct image_extension *of = extension_of(&file->scene->images[images[i]]);
        if (of && of->extension && *further == CP_NONE) {
            *further = index;
            *extension = of->extension;
        } else if (*plain == CP_NONE) {
            *plain = index;
        }
    }
}

static bool needs_extension(const struct gltf_file *file, const char *name, bool required)
{
    for (uint32_t i = 0; i < file->scene->texture_count; i++) {
        uint32_t plain, further;
        const char *extension;
        if (file->textures.textures[i] == CP_NONE)
            continue;
        choose_images(file, &file->scene->textures[i], &plain, &further, &extension);
        if (extension && strcmp(extension, name) == 0 && (!required || plain == CP_NONE))
            return true;
    }
    return false;
}

/* Returns how written coordinates lead to their place in the texture: offset + R scale (origin + step * integer). */
static cp_texture_use written_use(const struct gltf_file *file, const cp_texture_use *use)
{
    const struct web_coordinates *set = &file->web.coordinates[use->set];
    cp_texture_use written = *use;
    if (!set->integers)
        return written;
    double x = use->scale[0] * set->origin[0], y = use->scale[1] * set->origin[1];
    double cosine = cos(use->rotation), sine = sin(use->rotation);
    written.offset[0] += cosine * x + sine * y;
    written.offset[1] += cosine * y - sine * x;
    written.scale[0] *= set->step;
    written.scale[1] *= set->step;
    return written;
}

static bool has_transform(const cp_texture_use *use)
{
    return use->offset[0] != 0 || use->offset[1] != 0 || use->rotation != 0 || use->scale[0] != 1 || use->scale[1] != 1;
}

static bool needs_transforms(const struct gltf_file *file)
{
    for (uint32_t i = 0; i < file->scene->material_count; i++) {
        const cp_material *material = &file->scene->materials[i];
        for (uint32_t k = 0; k < material->texture_count; k++) {
            const cp_texture_use use = written_use(file, &material->textures[k]);
            if (file->textures.textures[use.texture] != CP_NONE && has_transform(&use))
                return true;
        }
    }
    return false;
}

/* Tells whether readers need the transforms: integers show nothing right without them. */
static bool requires_transforms(const struct gltf_file *file)
{
    return (file->web.coordinates[0].integers || file->web.coordinates[1].integers) && needs_transforms(file);
}

void write_texture_extensions(struct json_writer *json, const struct gltf_file *file, bool required)
{
    for (size_t i = 0; i < EXTENSION_COUNT; i++)
        if (image_extensions[i].extension && needs_extension(file, image_extensions[i].extension, required))
            json_text(json, image_extensions[i].extension);
    if (required ? requires_transforms(file) : needs_transforms(file))
        json_text(json, "KHR_texture_transform");
    for (const struct extension_name *at = file->textures.extensions; at && !required; at = at->next)
        json_text(json, at->name);
}

bool has_texture_extensions(const struct gltf_file *file, bool required)
{
    bool any = required ? requires_transforms(file) : needs_transforms(file) || file->textures.extensions;
    for (size_t i = 0; i < EXTENSION_COUNT; i++)
        any = any || (image_extensions[i].extension && needs_extension(file, image_extensions[i].extension, required));
    return any;
}

/* ---- JSON ---- */

void write_texture_info(const struct gltf_file *file, struct json_writer *json, const cp_texture_use *of)
{
    static const char *const strengths[] = {
        [CP_TEXTURE_NORMAL] = "scale", [CP_TEXTURE_OCCLUSION] = "strength", [CP_TEXTURE_EXTENSION] = "scale"};
    const cp_texture_use written = written_use(file, of), *use = &written;
    json_open(json, '{');
    json_key_integer(json, "index", file->textures.textures[use->texture]);
    if (use->set > 0)
        json_key_integer(json, "texCoord", use->set);
    if (use->strength != 1 && strengths[use->role])
        json_key_number(json, strengths[use->role], use->strength);
    if (has_transform(use)) {
        json_key_open(json, "extensions", '{');
        json_key_open(json, "KHR_texture_transform", '{');
        json_key_numbers(json, "offset", use->offset, 2);
        if (use->rotation != 0)
            json_key_number(json, "rotation", use->rotation);
        json_key_numbers(json, "scale", use->scale, 2);
        json_close(json, '}');
        json_close(json, '}');
    }
    json_close(json, '}');
}

const cp_texture_use *find_texture_use(const struct gltf_file *file, const cp_material *material, cp_texture_role role,
                                       const char *place)
{
    for (uint32_t i = 0; i < material->texture_count; i++) {
        const cp_texture_use *use = &material->textures[i];
        if (use->role == role && (!place || strcmp(use->place, place) == 0))
            return file->textures.textures[use->texture] == CP_NONE ? NULL : use;
    }
    return NULL;
}

void write_texture_use(struct json_writer *json, const struct gltf_file *file, const cp_material *material,
                       cp_texture_role role, const char *key)
{
    const cp_texture_use *use = find_texture_use(file, material, role, NULL);
    if (!use)
        return;
    json_key(json, key);
    write_texture_info(file, json, use);
}

const char *encode_uri(const struct gltf_file *file, const char *name)
{
    static const char digits[] = "0123456789ABCDEF";
    static const char safe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    char *uri = scene_allocate(file->work, strlen(name) + 1, 3);
    size_t size = 0;
    for (size_t i = 0; uri && name[i]; i++) {
        unsigned char byte = (unsigned char)name[i];
        if (strchr(safe, byte)) {
            uri[size++] = name[i];
            continue;
        }
        uri[size++] = '%';
        uri[size++] = digits[byte >> 4];
        uri[size++] = digits[byte & 15];
    }
    if (uri)
        uri[size] = 0;
    return uri;
}

static void write_images(struct json_writer *json, const struct gltf_file *file)
{
    const struct texture_plan *plan = &file->textures;
    uint32_t next = 0;
    json_open_list(json, "images");
    for (uint32_t i = 0; i < file->scene->image_count; i++) {
        const cp_image *image = &file->scene->images[i];
        if (plan->images[i] != next) /* left out, or one that is written already */
            continue;
        next++;
        json_open_item(json);
        if (*image->name)
            json_key_text(json, "name", image->name);
        if (plan->views[i] != CP_NONE) {
            json_key_text(json, "mimeType", *image->type ? image->type : "application/octet-stream");
            json_key_integer(json, "bufferView", plan->views[i]);
        } else {
            const char *uri = is_absolute(image->path) ? image->path : encode_uri(file, image->path);
            json->out->failed = json->out->failed || !uri;
            if (*image->type)
                json_key_text(json, "mimeType", image->type);
            json_key_text(json, "uri", uri ? uri : "");
        }
        json_extras_open(json);
        json_row_members(json, file->scene, &tables[TABLE_IMAGES].layout, image, IN_STAGE);
        json_extras_close(json);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void write_samplers(struct json_writer *json, const struct gltf_file *file)
{
    static const unsigned wraps[] = {[CP_WRAP_REPEAT] = 10497, [CP_WRAP_MIRROR] = 33648, [CP_WRAP_CLAMP] = 33071};
    static const unsigned filters[] = {0, 9728, 9729, 9984, 9985, 9986, 9987}; /* as cp_sampling */
    json_open_list(json, "samplers");
    for (uint32_t i = 0; i < file->textures.sampler_count; i++) {
        const cp_texture *texture = &file->scene->textures[file->textures.samplers[i]];
        json_open(json, '{');
        if (texture->magnify != CP_SAMPLE_ANY)
            json_key_integer(json, "magFilter", filters[texture->magnify]);
        if (texture->minify != CP_SAMPLE_ANY)
            json_key_integer(json, "minFilter", filters[texture->minify]);
        if (texture->wrap[0] != CP_WRAP_REPEAT)
            json_key_integer(json, "wrapS", wraps[texture->wrap[0]]);
        if (texture->wrap[1] != CP_WRAP_REPEAT)
            json_key_integer(json, "wrapT", wraps[texture->wrap[1]]);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void write_texture(struct json_writer *json, const struct gltf_file *file, uint32_t index)
{
    const cp_texture *texture = &file->scene->textures[index];
    uint32_t plain, further;
    const char *extension;
    choose_images(file, texture, &plain, &further, &extension);
    json_open_item(json);
    if (*texture->name)
        json_key_text(json, "name", texture->name);
    if (plain != CP_NONE)
        json_key_integer(json, "source", plain);
    if (file->textures.sampler_of[index] != CP_NONE)
        json_key_integer(json, "sampler", file->textures.sampler_of[index]);
    if (extension) {
        json_key_open(json, "extensions", '{');
        json_key_open(json, extension, '{');
        json_key_integer(json, "source", further);
        json_close(json, '}');
        json_close(json, '}');
    }
    json_extras_open(json);
    json_row_members(json, file->scene, &tables[TABLE_TEXTURES].layout, texture, IN_STAGE);
    json_extras_close(json);
    json_close(json, '}');
}

void write_textures(struct json_writer *json, const struct gltf_file *file)
{
    const struct texture_plan *plan = &file->textures;
    if (plan->image_count > 0)
        write_images(json, file);
    if (plan->sampler_count > 0)
        write_samplers(json, file);
    if (plan->texture_count == 0)
        return;
    json_open_list(json, "textures");
    for (uint32_t i = 0; i < file->scene->texture_count; i++)
        if (plan->textures[i] != CP_NONE)
            write_texture(json, file, i);
    json_close(json, ']');
}
