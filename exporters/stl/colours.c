/* Colours of facets in their two attribute bytes. */
#include <math.h>

#include "stl.h"

enum { COLOUR_VALID = 0x8000 };

static double srgb_of(const cp_material *material, int channel)
{
    double value = material->rgba[channel];
    value = value > 0 ? value < 1 ? value : 1 : 0;
    if (material->srgb)
        return value;
    return value <= 0.0031308 ? 12.92 * value : 1.055 * pow(value, 1 / 2.4) - 0.055; /* IEC 61966-2-1 */
}

uint32_t stl_attributes(const struct writer *writer, uint32_t material)
{
    if (!writer->settings->colours || material == CP_NONE)
        return 0;
    uint32_t attributes = COLOUR_VALID;
    for (int i = 0; i < 3; i++)
        attributes |= (uint32_t)lround(srgb_of(&writer->scene->materials[material], i) * 31) << (10 - 5 * i);
    return attributes;
}

static bool colour_is_kept(const cp_material *material)
{
    for (int i = 0; i < 3; i++) {
        double value = srgb_of(material, i) * 31;
        if (fabs(value - round(value)) > 1e-6)
            return false;
    }
    return material->rgba[3] >= 1;
}

void stl_report_colours(const struct writer *writer)
{
    uint64_t changed = 0;
    for (uint32_t i = 0; i < writer->scene->material_count; i++)
        changed += !colour_is_kept(&writer->scene->materials[i]);
    if (changed)
        report_loss(writer->context, "stl-colours", NOWHERE, changed,
                    "materials rounded to 5 bits a channel, without transparency");
}
