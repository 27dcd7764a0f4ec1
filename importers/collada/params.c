/* Images, materials, and the params of effects and materials. */
#include "collada.h"

/* ---- images ---- */

/* Reads an <init_from>: its text, or that of the <ref> in it (1.5). Bytes in the file itself name no file. */
static cp_status read_init_from(struct collada_document *document, void *into)
{
    struct xml *xml = &document->xml;
    uint32_t depth = xml->depth;
    struct buffer text = {.context = document->collada->context};
    bool is_hex = false;
    cp_status status = CP_OK;
    for (enum xml_event event; (event = xml_next(xml)) != XML_OVER && !(event == XML_END && xml->depth == depth);) {
        is_hex |= event == XML_START && strcmp(xml->name, "hex") == 0;
        if (event == XML_TEXT && !is_hex)
            buffer_append(&text, xml->text, xml->size);
    }
    buffer_append(&text, "", 1);
    const char *path = text.failed ? NULL : collada_trim(document->collada->arena, text.data);
    if (xml->status != CP_OK || !path)
        status = xml->status != CP_OK ? xml->status : CP_LIMIT;
    else
        *(const char **)into = path;
    document->collada->counts[COLLADA_TOLD_EMBEDDED] += is_hex;
    buffer_free(&text);
    return status;
}

static cp_status count_data(struct collada_document *document, void *into)
{
    (void)into;
    document->collada->counts[COLLADA_TOLD_EMBEDDED]++;
    return CP_OK;
}

cp_status collada_read_image(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {
        {"init_from", read_init_from}, {"data", count_data}, {NULL, NULL}};
    (void)into;
    uint32_t row = document->image_count;
    struct collada_image image = {
        .id = collada_attribute(document, "id"), .path = "", .line = document->xml.line, .target = CP_NONE};
    if (!image.id)
        return CP_LIMIT;
    cp_status status = collada_read_children(document, elements, &image.path);
    if (status == CP_OK && !array_add(document->collada->context, &document->images, &document->image_room,
                                      &document->image_count, &image, sizeof image))
        return CP_LIMIT;
    return status == CP_OK ? collada_note_id(document, COLLADA_IMAGES, image.id, row) : status;
}

cp_status collada_read_images(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {{"image", collada_read_image}, {NULL, NULL}};
    return collada_read_children(document, elements, into);
}

/* ---- params ---- */

cp_status collada_read_values(struct collada_document *document, void *into)
{
    struct collada_param *param = into;
    struct collada_numbers numbers = {0};
    cp_status status = collada_read_numbers(document, &numbers, 0);
    param->count = numbers.count < 4 ? numbers.count : 4;
    for (uint32_t i = 0; i < param->count; i++)
        param->numbers[i] = numbers.items[i];
    memory_free(document->collada->context, numbers.items, numbers.room, sizeof *numbers.items);
    return status;
}

static cp_status read_surface_image(struct collada_document *document, void *into)
{
    return read_init_from(document, &((struct collada_param *)into)->reads);
}

static cp_status read_surface(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {{"init_from", read_surface_image}, {NULL, NULL}};
    ((struct collada_param *)into)->kind = COLLADA_PARAM_SURFACE;
    return collada_read_children(document, elements, into);
}

static cp_status read_sampler_source(struct collada_document *document, void *into)
{
    return collada_read_text(document, &((struct collada_param *)into)->reads);
}

static cp_status read_sampler_image(struct collada_document *document, void *into)
{
    struct collada_param *param = into;
    param->image = collada_attribute(document, "url");
    return param->image ? CP_OK : CP_LIMIT;
}

static cp_status read_sampler_word(struct collada_document *document, void *into)
{
    struct collada_sampler *sampler = &((struct collada_param *)into)->sampler;
    const char *name = document->xml.name;
    return collada_read_text(document, *name == 'w'                     ? &sampler->wrap[strcmp(name, "wrap_s") != 0]
                                       : strcmp(name, "minfilter") == 0 ? &sampler->minify
                                                                        : &sampler->magnify);
}

static cp_status read_sampler(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {
        {"source", read_sampler_source},
        {"instance_image", read_sampler_image},
        {"wrap_s", read_sampler_word},
        {"wrap_t", read_sampler_word},
        {"minfilter", read_sampler_word},
        {"magfilter", read_sampler_word},
        {NULL, NULL},
    };
    ((struct collada_param *)into)->kind = COLLADA_PARAM_SAMPLER;
    return collada_read_children(document, elements, into);
}

/* Reads a <newparam> or <setparam>, whose name is in the attribute. */
cp_status collada_read_param(struct collada_document *document, const char *attribute, enum collada_scope scope)
{
    static const struct collada_element elements[] = {
        {"float", collada_read_values},
        {"float2", collada_read_values},
        {"float3", collada_read_values},
        {"float4", collada_read_values},
        {"surface", read_surface},
        {"sampler2D", read_sampler},
        {NULL, NULL},
    };
    struct collada_param param = {
        .sid = collada_attribute(document, attribute), .scope = scope, .reads = "", .image = ""};
    cp_status status = param.sid ? collada_read_children(document, elements, &param) : CP_LIMIT;
    if (status == CP_OK && !array_add(document->collada->context, &document->params, &document->param_room,
                                      &document->param_count, &param, sizeof param))
        return CP_LIMIT;
    return status;
}

static cp_status read_setparam(struct collada_document *document, void *into)
{
    (void)into;
    return collada_read_param(document, "ref", COLLADA_IN_TECHNIQUE);
}

/* ---- materials ---- */

static cp_status read_instance_effect(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {{"setparam", read_setparam}, {NULL, NULL}};
    struct collada_material *material = into;
    material->effect = collada_attribute(document, "url");
    return material->effect ? collada_read_children(document, elements, NULL) : CP_LIMIT;
}

static cp_status read_material(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {{"instance_effect", read_instance_effect}, {NULL, NULL}};
    (void)into;
    uint32_t row = document->material_count;
    struct collada_material material = {.id = collada_attribute(document, "id"),
                                        .name = collada_attribute(document, "name"),
                                        .effect = "",
                                        .line = document->xml.line,
                                        .first_param = document->param_count,
                                        .targets = {CP_NONE, CP_NONE, CP_NONE}};
    if (!material.id || !material.name)
        return CP_LIMIT;
    cp_status status = collada_read_children(document, elements, &material);
    material.param_count = document->param_count - material.first_param;
    if (status == CP_OK && !array_add(document->collada->context, &document->materials, &document->material_room,
                                      &document->material_count, &material, sizeof material))
        return CP_LIMIT;
    return status == CP_OK ? collada_note_id(document, COLLADA_MATERIALS, material.id, row) : status;
}

cp_status collada_read_materials(struct collada_document *document, void *into)
{
    static const struct collada_element elements[] = {{"material", read_material}, {NULL, NULL}};
    return collada_read_children(document, elements, into);
}
