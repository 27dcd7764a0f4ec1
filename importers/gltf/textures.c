/* Images, samplers and textures (glTF 2.0, sections 3.8 and 5.19, 5.26, 5.29), and how materials use them; the bytes
 * of images are copied as they are. */
#include "gltf.h"

#include <string.h>

/* ---- images ---- */

/* Returns "image/png" of "data:image/png;base64,"; NULL without such a type. */
static const char *type_of_data_uri(struct gltf *gltf, const char *uri)
{
    const char *start = uri + sizeof "data:" - 1;
    size_t size = strcspn(start, ";,");
    const char *type = size > 0 ? arena_copy_text(gltf->kept, start, size) : NULL;
    if (size > 0 && !type)
        gltf_no_memory(gltf);
    return type;
}

/* Keeps the image in the bytes of a view or of a data URI: a copy in the scene's memory. */
static void keep_bytes(struct gltf *gltf, uint32_t value, const void *bytes, uint64_t size, cp_image *image)
{
    if (size == 0 || size >= UINT32_MAX) {
        gltf_error(gltf, value, "gltf-image", "an image of %llu bytes", (unsigned long long)size);
        return;
    }
    /* The room for vertices also bounds the copies, as many images may name the same bytes. */
    unsigned char *copy =
        gltf_take_room(gltf, value, size / sizeof(float)) ? gltf_scene_array(gltf, (size_t)size, 1) : NULL;
    if (!copy)
        return;
    memcpy(copy, bytes, (size_t)size);
    image->bytes = copy;
    image->size = (uint32_t)size;
}

static void read_uri(struct gltf *gltf, cp_scene *scene, uint32_t value, cp_image *image, uint32_t *added)
{
    char *uri = json_string_text(&gltf->json, gltf->arena, value);
    const char *name, *other;
    if (!uri) {
        gltf_no_memory(gltf);
    } else if (strncmp(uri, "data:", 5) == 0) {
        struct gltf_buffer buffer = {.bytes = NULL};
        image->type = image->type ? image->type : type_of_data_uri(gltf, uri);
        gltf_data_uri(gltf, value, uri, &buffer);
        if (gltf->status == CP_OK)
            keep_bytes(gltf, value, buffer.bytes, buffer.size, image);
    } else if (gltf_file_names(gltf, value, uri, &name, &other)) {
        cp_status status = scene_read_image(scene, gltf->source, name, other, "gltf-image-missing", added);
        if (status != CP_OK)
            gltf->status = status;
    } else if (gltf->status == CP_OK) {
        image->path = arena_copy_text(gltf->kept, uri, strlen(uri));
        if (image->path)
            gltf_warning(gltf, value, "gltf-image-missing", "only files and data URIs are read");
        else
            gltf_no_memory(gltf);
    }
}

/* Reads an image. Every image has a place in the scene, in order. */
static void read_image(struct gltf *gltf, cp_scene *scene, const struct gltf_ids *ids, struct gltf_buffers *buffers,
                       uint32_t value)
{
    uint32_t own = gltf_own(gltf, value), added = CP_NONE;
    uint32_t uri = json_member(&gltf->json, value, "uri");
    cp_image image = {.name = gltf_text(gltf, value, "name"), .type = gltf_text(gltf, value, "mimeType")};
    bool is_missing = json_is(&gltf->json, uri, JSON_STRING) && json_member(&gltf->json, own, "path") != JSON_NONE;
    if (is_missing) {
        image.path = gltf_text(gltf, own, "path"); /* the writer of the extras has looked for the file */
    } else if (json_is(&gltf->json, uri, JSON_STRING)) {
        read_uri(gltf, scene, uri, &image, &added);
    } else {
        struct gltf_view view;
        uint32_t index = gltf_index(gltf, value, "bufferView", gltf->lists.views.count);
        if (index == CP_NONE)
            gltf_error(gltf, value, "gltf-missing", "an image without uri and bufferView");
        else if (gltf_view(gltf, buffers, index, &view))
            keep_bytes(gltf, value, view.bytes, view.size, &image);
    }
    if (own != JSON_NONE && json_member(&gltf->json, own, "path") != JSON_NONE)
        image.path = gltf_text(gltf, own, "path");
    if (gltf->status == CP_OK && added == CP_NONE)
        added = scene_add_image(scene, &image);
    if (gltf->status == CP_OK && added == CP_NONE)
        gltf_no_memory(gltf);
    if (gltf->status != CP_OK)
        return;
    /* The bytes decide the type, rather than the file's statement. */
    cp_image *to = &scene->images[added];
    const char *type = image_type(to->bytes, to->size, ""), *path = to->path;
    if (own != JSON_NONE)
        (void)own_read_row(gltf, ids, own, TABLE_IMAGES, to);
    to->path = path;
    to->type = *type ? type : image.type ? image.type : image_type(NULL, 0, to->path);
    to->name = image.name ? image.name : "";
    gltf_loss(gltf, LOSS_TEXTURE_EXTRAS, own == JSON_NONE && json_member(&gltf->json, value, "extras") != JSON_NONE);
}

/* ---- textures ---- */

/* Returns the index in sampling_words of OpenGL's number. */
static cp_sampling read_filter(struct gltf *gltf, uint32_t sampler, const char *key, bool minify)
{
    static const uint64_t filters[] = {0, 9728, 9729, 9984, 9985, 9986, 9987};
    uint64_t number = gltf_integer(gltf, sampler, key, 0);
    for (uint32_t i = 0; i < (minify ? 7 : 3); i++)
        if (filters[i] == number)
            return (cp_sampling)i;
    gltf_error(gltf, sampler, "gltf-sampler", "%s %llu is no filter", key, (unsigned long long)number);
    return CP_SAMPLE_ANY;
}

static cp_wrap read_wrap(struct gltf *gltf, uint32_t sampler, const char *key)
{
    static const uint64_t wraps[] = {[CP_WRAP_REPEAT] = 10497, [CP_WRAP_MIRROR] = 33648, [CP_WRAP_CLAMP] = 33071};
    uint64_t number = gltf_integer(gltf, sampler, key, wraps[CP_WRAP_REPEAT]);
    for (uint32_t i = 0; i < 3; i++)
        if (wraps[i] == number)
            return (cp_wrap)i;
    gltf_error(gltf, sampler, "gltf-sampler", "%s %llu is no wrapping", key, (unsigned long long)number);
    return CP_WRAP_REPEAT;
}

/* Returns the scene's texture, CP_NONE for one without an image, or after an error. */
static uint32_t read_texture(struct gltf *gltf, cp_scene *scene, const struct gltf_ids *ids, uint32_t value,
                             const struct gltf_list *samplers)
{
    static const char *const extensions[] = {"EXT_texture_webp", "KHR_texture_basisu", "EXT_texture_avif",
                                             "MSFT_texture_dds"};
    uint32_t images = scene->image_count, own = gltf_own(gltf, value);
    cp_texture texture = {.name = gltf_text(gltf, value, "name"), .fallback = CP_NONE};
    if (own != JSON_NONE)
        (void)own_read_row(gltf, ids, own, TABLE_TEXTURES, &texture);
    texture.image = gltf_index(gltf, value, "source", images);
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++) {
        uint32_t further = gltf_index(gltf, gltf_extension(gltf, value, extensions[i]), "source", images);
        if (further == CP_NONE)
            continue;
        texture.fallback = texture.fallback == CP_NONE ? texture.image : texture.fallback;
        texture.image = further;
    }
    uint32_t sampler = gltf_index(gltf, value, "sampler", samplers->count);
    sampler = sampler == CP_NONE ? JSON_NONE : samplers->items[sampler];
    texture.wrap[0] = read_wrap(gltf, sampler, "wrapS");
    texture.wrap[1] = read_wrap(gltf, sampler, "wrapT");
    texture.magnify = read_filter(gltf, sampler, "magFilter", false);
    texture.minify = read_filter(gltf, sampler, "minFilter", true);
    gltf_loss(gltf, LOSS_TEXTURE_EXTRAS, own == JSON_NONE && json_member(&gltf->json, value, "extras") != JSON_NONE);
    gltf_loss(gltf, LOSS_TEXTURES, texture.image == CP_NONE);
    if (gltf->status != CP_OK || texture.image == CP_NONE)
        return CP_NONE;
    uint32_t index = scene_add_texture(scene, &texture);
    if (index == CP_NONE)
        gltf_no_memory(gltf);
    return index;
}

void gltf_read_textures(struct gltf *gltf, cp_scene *scene, const struct gltf_ids *ids, struct gltf_buffers *buffers,
                        struct gltf_materials *materials)
{
    struct gltf_list images = gltf_items(gltf, 0, "images", true);
    struct gltf_list samplers = gltf_items(gltf, 0, "samplers", true);
    gltf->lists.textures = gltf_items(gltf, 0, "textures", true);
    materials->textures = gltf_allocate(gltf, gltf->lists.textures.count, sizeof *materials->textures);
    for (uint32_t i = 0; i < images.count && gltf->status == CP_OK; i++)
        read_image(gltf, scene, ids, buffers, images.items[i]);
    for (uint32_t i = 0; i < gltf->lists.textures.count && gltf->status == CP_OK; i++)
        materials->textures[i] = read_texture(gltf, scene, ids, gltf->lists.textures.items[i], &samplers);
}

/* ---- how materials use them ---- */

bool gltf_texture_use(struct gltf *gltf, const struct gltf_materials *materials, uint32_t object, const char *key,
                      cp_texture_role role, cp_texture_use *use)
{
    static const char *const strengths[] = {
        [CP_TEXTURE_NORMAL] = "scale", [CP_TEXTURE_OCCLUSION] = "strength", [CP_TEXTURE_EXTENSION] = "scale"};
    uint32_t info = gltf_object(gltf, object, key);
    uint32_t index = gltf_index(gltf, info, "index", gltf->lists.textures.count);
    *use = (cp_texture_use){.role = role, .texture = CP_NONE, .strength = 1, .scale = {1, 1}};
    if (info == JSON_NONE || gltf->status != CP_OK)
        return false;
    if (index == CP_NONE)
        return gltf_error(gltf, info, "gltf-missing", "a texture without an index");
    uint32_t transform = gltf_extension(gltf, info, "KHR_texture_transform");
    uint64_t set = gltf_integer(gltf, transform, "texCoord", gltf_integer(gltf, info, "texCoord", 0));
    (void)gltf_numbers(gltf, transform, "offset", 2, use->offset);
    (void)gltf_numbers(gltf, transform, "scale", 2, use->scale);
    use->rotation = gltf_number(gltf, transform, "rotation", 0);
    if (strengths[role])
        use->strength = gltf_number(gltf, info, strengths[role], 1);
    if (role == CP_TEXTURE_OCCLUSION)
        use->strength = gltf_clamp(gltf, info, use->strength, 0, 1);
    use->texture = materials->textures[index];
    use->set = (uint32_t)(set < CP_COORDINATE_SETS ? set : 0);
    gltf_loss(gltf, LOSS_FURTHER_SETS, set >= CP_COORDINATE_SETS);
    return gltf->status == CP_OK && use->texture != CP_NONE && set < CP_COORDINATE_SETS;
}
