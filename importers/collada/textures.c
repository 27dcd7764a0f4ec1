/* Images and samplers as textures of the scene. */
#include "collada.h"

/* Opens the file of an image: as its path is written, or else of its last part, beside the document. *source NULL:
 * it is not there, which is reported. */
static cp_status open_image(struct collada_document *document, const char **path, struct source **source)
{
    struct collada *collada = document->collada;
    struct place place = IN_FILE(document->source->name);
    const char *written = *path, *last = written + strlen(written);
    while (last > written && last[-1] != '/' && last[-1] != '\\')
        last--;
    *source = NULL;
    cp_status status = source_open_picture(document->source, written, NULL, source);
    if (status != CP_NO)
        return status;
    if (last > written && *last && !strstr(written, "://"))
        status = source_open_picture(document->source, last, NULL, source);
    if (status == CP_NO) {
        report_warning(collada->context, "collada-image", place, "the image \"%.200s\" cannot be read", written);
        return CP_OK;
    }
    *path = last;
    return status != CP_OK ? status
                           : report_lenient(collada->context, collada->settings->common.strict, "collada-beside", place,
                                            "there is no image \"%.200s\"; \"%.200s\" is read", written, last);
}

/* Reads the file of an image; without one it has its path alone. */
static cp_status read_file(struct collada_document *document, struct collada_image *image)
{
    cp_scene *scene = document->collada->scene;
    struct source *source;
    const char *path = image->path;
    cp_status status = open_image(document, &path, &source);
    const char *decoded = status == CP_OK ? uri_decoded(document->collada->arena, path) : NULL;
    cp_image added = {.path = decoded ? scene_text(scene, decoded) : NULL};
    bool has_bytes = status == CP_OK && source && source->size > 0 && source->size < UINT32_MAX;
    added.bytes = has_bytes ? arena_copy(scene->arena, source->data, source->size, 1) : NULL;
    added.size = has_bytes ? (uint32_t)source->size : 0;
    added.type = image_type(added.bytes, added.size, path);
    if (status == CP_OK && (!added.path || (has_bytes && !added.bytes)))
        status = CP_LIMIT;
    source_close(source);
    if (status == CP_OK)
        image->target = scene_add_image(scene, &added);
    return status == CP_OK && image->target == CP_NONE ? CP_LIMIT : status;
}

/* Finds the scene's image; CP_NONE if it names no file. */
static cp_status find_image(struct collada_document *document, uint32_t row, uint32_t *target)
{
    struct collada_image *image = &document->images[row];
    cp_status status = CP_OK;
    if (!image->is_read && *image->path)
        status = read_file(document, image);
    document->collada->counts[COLLADA_TOLD_PATHLESS] += !image->is_read && !*image->path;
    image->is_read = true;
    *target = image->target;
    return status;
}

static cp_wrap wrap_of(struct collada *collada, const char *word)
{
    if (!word || strcmp(word, "WRAP") == 0)
        return CP_WRAP_REPEAT;
    collada->counts[COLLADA_TOLD_BORDERS] += strcmp(word, "MIRROR") != 0 && strcmp(word, "CLAMP") != 0;
    return strcmp(word, "MIRROR") == 0 ? CP_WRAP_MIRROR : CP_WRAP_CLAMP;
}

static cp_sampling sampling_of(const char *word)
{
    static const struct {
        const char *word;
        cp_sampling sampling;
    } words[] = {
        {"NEAREST", CP_SAMPLE_NEAREST},
        {"LINEAR", CP_SAMPLE_LINEAR},
        {"NEAREST_MIPMAP_NEAREST", CP_SAMPLE_NEAREST_NEAREST},
        {"LINEAR_MIPMAP_NEAREST", CP_SAMPLE_LINEAR_NEAREST},
        {"NEAREST_MIPMAP_LINEAR", CP_SAMPLE_NEAREST_LINEAR},
        {"LINEAR_MIPMAP_LINEAR", CP_SAMPLE_LINEAR_LINEAR},
    };
    for (size_t i = 0; word && i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i].word) == 0)
            return words[i].sampling;
    return CP_SAMPLE_ANY;
}

cp_status collada_find_texture(struct collada_document *document, const struct collada_channel *channel,
                               uint32_t *texture)
{
    struct collada *collada = document->collada;
    struct collada_document *owner;
    uint32_t row, image;
    *texture = CP_NONE;
    cp_status status = collada_find(document, COLLADA_IMAGES, channel->image, &owner, &row);
    if (status != CP_OK || row == CP_NONE)
        return status;
    collada->counts[COLLADA_TOLD_SHORT] += channel->is_short;
    status = find_image(owner, row, &image);
    if (status != CP_OK || image == CP_NONE)
        return status;
    const struct collada_sampler *sampler = &channel->sampler;
    cp_texture added = {.image = image,
                        .fallback = CP_NONE,
                        .wrap = {wrap_of(collada, sampler->wrap[0]), wrap_of(collada, sampler->wrap[1])},
                        .magnify = sampling_of(sampler->magnify),
                        .minify = sampling_of(sampler->minify)};
    if (added.magnify > CP_SAMPLE_LINEAR) /* mipmaps are for minifying alone */
        added.magnify = CP_SAMPLE_LINEAR;
    const char *key = arena_print(collada->arena, "%u %d %d %d %d", image, (int)added.wrap[0], (int)added.wrap[1],
                                  (int)added.magnify, (int)added.minify);
    bool is_new;
    uint32_t *known = key ? name_map_add(&collada->textures, key, CP_NONE, &is_new) : NULL;
    if (!known)
        return CP_LIMIT;
    if (is_new)
        *known = scene_add_texture(collada->scene, &added);
    *texture = *known;
    return *texture == CP_NONE ? CP_LIMIT : CP_OK;
}
