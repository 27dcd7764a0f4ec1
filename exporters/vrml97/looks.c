/* Colours, and materials as Appearance: written once in a file, then by USE. */
#include <math.h>

#include "vrml97.h"

/* VRML97 says nothing of colour spaces; its readers show the numbers as they are, that is as sRGB. */
double vrml_shown_colour(struct vrml *v, double linear)
{
    if (!(linear >= 0 && linear <= 1)) {
        v->clamped++;
        linear = linear > 1 ? 1 : 0;
    }
    return linear <= 0.0031308 ? 12.92 * linear : fmin(1, 1.055 * pow(linear, 1 / 2.4) - 0.055);
}

static void material_colour(struct vrml *v, const cp_material *material, double rgb[3])
{
    for (int i = 0; i < 3; i++) {
        double value = material->rgba[i];
        if (material->srgb && value >= 0 && value <= 1)
            rgb[i] = value;
        else
            rgb[i] = vrml_shown_colour(v, value);
    }
}

static void write_material(struct vrml *v, uint32_t index, bool lines)
{
    double rgb[3] = {0.8, 0.8, 0.8}, alpha = 1; /* Material's own default */
    if (index != CP_NONE) {
        material_colour(v, &v->scene->materials[index], rgb);
        alpha = v->scene->materials[index].rgba[3];
    }
    sink_text(v->out, "Appearance { material Material { ");
    vrml_vector(v, lines ? "emissiveColor" : "diffuseColor", rgb); /* lines are not lit */
    if (alpha < 1) {
        sink_text(v->out, " transparency ");
        vrml_number(v, alpha > 0 ? 1 - alpha : 1);
    }
    sink_text(v->out, " } }\n");
}

void vrml_write_look(struct vrml *v, uint32_t material, bool lines)
{
    struct look_plan *look = &v->looks[(material == CP_NONE ? 0 : 2 * (size_t)material + 2) + lines];
    vrml_indent(v);
    sink_text(v->out, "appearance ");
    if (look->file == v->file) {
        sink_text(v->out, "USE ");
        sink_text(v->out, look->name);
        sink_text(v->out, "\n");
        return;
    }
    look->file = v->file;
    vrml_define(v, look->name);
    write_material(v, material, lines);
}
