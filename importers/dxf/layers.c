/* Layers, colours and the materials that they become. */
#include "dxf.h"

#include <stdio.h>

/* Returns the colour of a number 1 .. 255 of AutoCAD's colour index (ACI). From 10 on, tens are 24 hues of 15 degrees
 * each, and units are five values, each in full and in half saturation; from 250 on, greys. */
static uint32_t find_indexed(int32_t index)
{
    static const uint32_t first[] = {0,        0xff0000, 0xffff00, 0x00ff00, 0x00ffff,
                                     0x0000ff, 0xff00ff, 0xffffff, 0x808080, 0xc0c0c0};
    static const double values[] = {1, 0.65, 0.5, 0.3, 0.15};
    if (index < 10)
        return first[index];
    double hue = index < 250 ? (index / 10 - 1) / 4.0 : 0; /* in sixths of a turn */
    double value = index < 250 ? values[index % 10 / 2] : 0.2 + 0.16 * (index - 250);
    double saturation = index >= 250 ? 0 : index % 2 ? 0.5 : 1;
    uint32_t rgb = 0;
    for (int channel = 0; channel < 3; channel++) {
        double from = fmod(hue + 5 - 2 * channel, 6); /* the usual conversion of hue, saturation, value */
        double part = fmax(0, fmin(1, fmin(from, 4 - from)));
        rgb = rgb << 8 | (uint32_t)(255 * value * (1 - saturation * part) + 1e-9);
    }
    return rgb;
}

/* ---- layers ---- */

cp_status dxf_find_layer(struct dxf *dxf, struct dxf_text name, uint32_t *layer)
{
    bool added;
    if (name.size == 0)
        name = (struct dxf_text){"0", 1};
    const uint32_t *found = dxf_find_name(dxf, &dxf->layer_names, name, dxf->layer_count, &added);
    if (!found)
        return CP_LIMIT;
    *layer = *found;
    if (!added)
        return CP_OK;
    struct dxf_layer row = {.rgb = find_indexed(7), .alpha = 255, .name = dxf_decode(dxf, name)};
    return row.name && array_add(dxf->context, &dxf->layers, &dxf->layer_room, &dxf->layer_count, &row, sizeof row)
               ? CP_OK
               : CP_LIMIT;
}

cp_status dxf_read_layer(struct dxf *dxf)
{
    const struct dxf_entity *entity = &dxf->entity;
    uint32_t number;
    cp_status status = dxf_read_entity(dxf, false);
    if (status == CP_OK)
        status = dxf_find_layer(dxf, entity->name, &number);
    if (status != CP_OK)
        return status;
    struct dxf_layer *layer = &dxf->layers[number];
    int32_t index = dxf_integer(entity, 62, 7);
    int64_t size = index < 0 ? -(int64_t)index : index;
    layer->is_off = index < 0;
    layer->is_frozen = dxf_integer(entity, 70, 0) & 1;
    if (size >= 1 && size <= 255)
        layer->rgb = find_indexed((int32_t)size);
    else
        dxf->odd_colours++;
    if (entity->true_colour != CP_NONE)
        layer->rgb = entity->true_colour & 0xffffff;
    if (entity->alpha != CP_NONE && entity->alpha >> 24 == 2)
        layer->alpha = (unsigned char)(entity->alpha & 0xff);
    return CP_OK;
}

/* ---- looks ---- */

static struct dxf_look look_of(struct dxf *dxf, const struct dxf_entity *entity)
{
    struct dxf_look look = {0, DXF_BY_LAYER, DXF_BY_LAYER};
    int32_t index = dxf_integer(entity, 62, 256);
    if (entity->true_colour != CP_NONE)
        look.colour = entity->true_colour & 0xffffff;
    else if (index == 0)
        look.colour = DXF_BY_BLOCK;
    else if (index >= 1 && index <= 255)
        look.colour = find_indexed(index);
    else
        dxf->odd_colours += index < 0 || index > 257; /* 257: as the object says, which means its layer here */
    if (entity->alpha != CP_NONE && entity->alpha >> 24 == 1)
        look.alpha = DXF_BY_BLOCK;
    else if (entity->alpha != CP_NONE && entity->alpha >> 24 == 2)
        look.alpha = entity->alpha & 0xff;
    return look;
}

static bool is_same(const struct dxf_look *a, const struct dxf_look *b)
{
    return a->layer == b->layer && a->colour == b->colour && a->alpha == b->alpha;
}

cp_status dxf_find_look(struct dxf *dxf, const struct dxf_entity *entity, uint32_t *number)
{
    struct dxf_look look = look_of(dxf, entity);
    cp_status status = dxf_find_layer(dxf, entity->layer, &look.layer);
    *number = dxf->last_look;
    if (status != CP_OK || (dxf->look_count > 0 && is_same(&look, &dxf->looks[dxf->last_look])))
        return status;
    char key[32];
    bool added;
    int size = snprintf(key, sizeof key, "%x %x %x", look.layer, look.colour, look.alpha);
    const uint32_t *found =
        dxf_find_name(dxf, &dxf->look_names, (struct dxf_text){key, (size_t)size}, dxf->look_count, &added);
    if (!found)
        return CP_LIMIT;
    *number = dxf->last_look = *found;
    if (!added)
        return CP_OK;
    return array_add(dxf->context, &dxf->looks, &dxf->look_room, &dxf->look_count, &look, sizeof look) ? CP_OK
                                                                                                       : CP_LIMIT;
}

struct dxf_paint dxf_resolve(const struct dxf *dxf, uint32_t number, const struct dxf_paint *inherited)
{
    const struct dxf_look *look = &dxf->looks[number];
    struct dxf_paint paint = {.layer = look->layer == 0 ? inherited->layer : look->layer};
    const struct dxf_layer *layer = &dxf->layers[paint.layer];
    paint.rgb = look->colour == DXF_BY_LAYER   ? layer->rgb
                : look->colour == DXF_BY_BLOCK ? inherited->rgb
                                               : look->colour;
    paint.alpha = look->alpha == DXF_BY_LAYER   ? layer->alpha
                  : look->alpha == DXF_BY_BLOCK ? inherited->alpha
                                                : look->alpha;
    return paint;
}

/* ---- materials ---- */

uint32_t dxf_find_material(struct dxf *dxf, const struct dxf_paint *paint)
{
    char key[32];
    bool added;
    int size = snprintf(key, sizeof key, "%x %x %x", paint->layer, paint->rgb, paint->alpha);
    const uint32_t *found = dxf_find_name(dxf, &dxf->material_names, (struct dxf_text){key, (size_t)size},
                                          dxf->scene->material_count, &added);
    if (!found || !added)
        return found ? *found : CP_NONE;
    double rgba[4];
    for (int channel = 0; channel < 3; channel++)
        rgba[channel] = (paint->rgb >> (16 - 8 * channel) & 0xff) / 255.0;
    rgba[3] = paint->alpha / 255.0;
    uint32_t material = scene_add_material(dxf->scene, dxf->layers[paint->layer].name, rgba, true);
    if (material != CP_NONE)
        dxf->scene->materials[material].two_sided = true; /* faces of drawings are wound either way */
    return material;
}
