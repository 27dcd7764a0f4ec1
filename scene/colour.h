/* Colours as they are displayed (sRGB) and as light (linear), by IEC 61966-2-1. */
#ifndef CELLPIPE_COLOUR_H
#define CELLPIPE_COLOUR_H

#include <math.h>

#include "cellpipe.h"

/* What is drawn where the source has no colour, as displayed: between the white of a page and the black of a viewer. */
#define PLAIN_GREY 0.6

static inline double linear_from_srgb(double value)
{
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

static inline double srgb_from_linear(double value)
{
    return value <= 0.0031308 ? 12.92 * value : fmin(1, 1.055 * pow(value, 1 / 2.4) - 0.055);
}

/* 0 .. 1; what is no number is 0. */
static inline double within_unit(double value)
{
    return value > 0 ? fmin(value, 1) : 0;
}

/* Of a material: its light, with channels that are out of range cut. */
static inline double linear_channel(const cp_material *material, int channel)
{
    double value = within_unit(material->rgba[channel]);
    return material->srgb ? linear_from_srgb(value) : value;
}

#endif
