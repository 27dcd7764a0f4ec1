/* Words of a VRML97 file. */
#include <float.h>
#include <math.h>

#include "base/text/text.h"
#include "vrml97.h"

/* deeper lines would be mostly blanks */
enum { INDENT_MOST = 20 };

void vrml_indent(struct vrml_output *output)
{
    static const char blanks[] = "                                        ";
    sink_write(output->sink, blanks, 2 * (output->depth < INDENT_MOST ? output->depth : INDENT_MOST));
}

void vrml_line(struct vrml_output *output, const char *text)
{
    vrml_indent(output);
    sink_text(output->sink, text);
    sink_text(output->sink, "\n");
}

void vrml_define(struct vrml_output *output, const char *name)
{
    if (name)
        sink_print(output->sink, "DEF %s ", name);
}

void vrml_use(struct vrml_output *output, const char *name)
{
    sink_print(output->sink, "USE %s\n", name);
}

void vrml_open(struct vrml_output *output, const char *name, const char *type)
{
    vrml_indent(output);
    vrml_define(output, name);
    sink_text(output->sink, type);
    sink_text(output->sink, "\n");
    output->depth++;
}

void vrml_close(struct vrml_output *output, const char *brackets)
{
    output->depth--;
    vrml_line(output, brackets);
}

void vrml_open_group(struct vrml_output *output, const char *name)
{
    vrml_open(output, name, "Group {");
    vrml_open(output, NULL, "children [");
}

void vrml_close_node(struct vrml_output *output)
{
    vrml_close(output, "]");
    vrml_close(output, "}");
}

/* Returns the number of 15 decimal digits next to the value if its text is much shorter: 4 for 3.9999999999999996, the
 * tail of a computation. VRML97's numbers have 7 digits (ISO/IEC 14772-1, 5.1), though some readers keep 16. */
static double without_tail(double value)
{
    enum { DIGITS = 15, MUCH = 4, MOST_POWER = 22 }; /* powers of ten up to 22 are exact */
    char exact[NUMBER_SIZE], rounded[NUMBER_SIZE];
    if (value == 0 || !isfinite(value))
        return value;
    int power = DIGITS - 1 - (int)floor(log10(fabs(value)));
    if (power < 0 || power > MOST_POWER)
        return value;
    double scale = pow(10, power), other = nearbyint(value * scale) / scale;
    return print_double(other, rounded) + MUCH <= print_double(value, exact) ? other : value;
}

void vrml_number(struct vrml_output *output, double value)
{
    if (!(fabs(value) <= (double)FLT_MAX))
        output->too_large = true;
    sink_double(output->sink, without_tail(value));
}

void vrml_float(struct vrml_output *output, float value)
{
    if (!isfinite(value))
        output->too_large = true;
    sink_float(output->sink, value);
}

void vrml_vector(struct vrml_output *output, const char *field, const double value[3])
{
    sink_text(output->sink, field);
    for (int i = 0; i < 3; i++) {
        sink_text(output->sink, " ");
        vrml_number(output, value[i]);
    }
}

/* Writes a string. Strings know only the escapes \" and \\ (ISO/IEC 14772-1, 5.9), and some readers demand them on one
 * line: control characters become their Unicode pictures. */
void vrml_string(struct vrml_output *output, const char *text)
{
    sink_text(output->sink, "\"");
    for (const char *at = text; *at; at++) {
        unsigned char byte = (unsigned char)*at;
        if (byte == '"' || byte == '\\')
            sink_text(output->sink, "\\");
        if (byte < 0x20 || byte == 0x7f) {
            char picture[3] = {(char)0xe2, (char)0x90, (char)(byte == 0x7f ? 0xa1 : 0x80 + byte)};
            sink_write(output->sink, picture, sizeof picture);
        } else {
            sink_write(output->sink, at, 1);
        }
    }
    sink_text(output->sink, "\"");
}

void vrml_vector_line(struct vrml_output *output, const char *field, const double value[3])
{
    vrml_indent(output);
    vrml_vector(output, field, value);
    sink_text(output->sink, "\n");
}

void vrml_turn_line(struct vrml_output *output, const char *field, const struct rotation *rotation)
{
    static const struct rotation none = {{0, 0, 1}, 0};
    const struct rotation *r = rotation->angle == 0 ? &none : rotation;
    vrml_indent(output);
    vrml_vector(output, field, r->axis);
    sink_text(output->sink, " ");
    vrml_number(output, r->angle);
    sink_text(output->sink, "\n");
}

void vrml_open_transform(struct vrml_output *output, const char *name, const struct vrml_placing *placing)
{
    const double *t = placing->translation, *s = placing->scale;
    vrml_open(output, name, "Transform {");
    if (t[0] != 0 || t[1] != 0 || t[2] != 0)
        vrml_vector_line(output, "translation", t);
    if (placing->rotation.angle != 0)
        vrml_turn_line(output, "rotation", &placing->rotation);
    if (s[0] != 1 || s[1] != 1 || s[2] != 1)
        vrml_vector_line(output, "scale", s);
    if (placing->scale_orientation.angle != 0)
        vrml_turn_line(output, "scaleOrientation", &placing->scale_orientation);
    vrml_open(output, NULL, "children [");
}
