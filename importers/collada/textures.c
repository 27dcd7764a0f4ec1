/* Images and samplers as textures of the scene. */
#include "collada.h"

/* Reads the file of an image, once. */
static cp_status read_image(struct collada_document *document, uint32_t row, uint32_t *target)
{
    struct collada_image *image = &document->images[row];
    struct collada *collada = document->collada;
    cp_status status = CP_OK;
    collada->counts[COLLADA_TOLD_PATHLESS] += !*image->path && !image->is_read;
    if (*image->path && !image->is_read)
        status = scene_read_image(collada->scene, document->source, image->path, NULL, "collada-image", &image->target);
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
    status = read_image(owner, row, &image);
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
