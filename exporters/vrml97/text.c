/* Words of a VRML97 file. */
#include <float.h>
#include <math.h>

#include "vrml97.h"

/* deeper lines would be mostly blanks */
enum { INDENT_MOST = 20 };

void vrml_indent(struct vrml *v)
{
    static const char blanks[] = "                                        ";
    sink_write(v->out, blanks, 2 * (v->depth < INDENT_MOST ? v->depth : INDENT_MOST));
}

void vrml_line(struct vrml *v, const char *text)
{
    vrml_indent(v);
    sink_text(v->out, text);
    sink_text(v->out, "\n");
}

void vrml_define(struct vrml *v, const char *name)
{
    if (name) {
        sink_text(v->out, "DEF ");
        sink_text(v->out, name);
        sink_text(v->out, " ");
    }
}

void vrml_use(struct vrml *v, const char *name)
{
    sink_text(v->out, "USE ");
    sink_text(v->out, name);
    sink_text(v->out, "\n");
}

void vrml_open(struct vrml *v, const char *name, const char *type)
{
    vrml_indent(v);
    vrml_define(v, name);
    sink_text(v->out, type);
    sink_text(v->out, "\n");
    v->depth++;
}

void vrml_close(struct vrml *v, const char *brackets)
{
    v->depth--;
    vrml_line(v, brackets);
}

void vrml_open_group(struct vrml *v, const char *name)
{
    vrml_open(v, name, "Group {");
    vrml_open(v, NULL, "children [");
}

void vrml_close_node(struct vrml *v)
{
    vrml_close(v, "]");
    vrml_close(v, "}");
}

void vrml_number(struct vrml *v, double value)
{
    if (!(fabs(value) <= (double)FLT_MAX))
        v->too_large = true;
    sink_double(v->out, value);
}

void vrml_float(struct vrml *v, float value)
{
    if (!isfinite(value))
        v->too_large = true;
    sink_float(v->out, value);
}

void vrml_vector(struct vrml *v, const char *field, const double value[3])
{
    sink_text(v->out, field);
    for (int i = 0; i < 3; i++) {
        sink_text(v->out, " ");
        vrml_number(v, value[i]);
    }
}

/* Writes a string. Strings know only the escapes \" and \\ (ISO/IEC 14772-1, 5.9), and some readers demand them on one
 * line: control characters become their Unicode pictures. */
void vrml_string(struct vrml *v, const char *text)
{
    sink_text(v->out, "\"");
    for (const char *at = text; *at; at++) {
        unsigned char byte = (unsigned char)*at;
        if (byte == '"' || byte == '\\')
            sink_text(v->out, "\\");
        if (byte < 0x20 || byte == 0x7f) {
            char picture[3] = {(char)0xe2, (char)0x90, (char)(byte == 0x7f ? 0xa1 : 0x80 + byte)};
            sink_write(v->out, picture, sizeof picture);
        } else {
            sink_write(v->out, at, 1);
        }
    }
    sink_text(v->out, "\"");
}

void vrml_vector_line(struct vrml *v, const char *field, const double value[3])
{
    vrml_indent(v);
    vrml_vector(v, field, value);
    sink_text(v->out, "\n");
}

void vrml_turn_line(struct vrml *v, const char *field, const struct rotation *rotation)
{
    static const struct rotation none = {{0, 0, 1}, 0};
    const struct rotation *r = rotation->angle == 0 ? &none : rotation;
    vrml_indent(v);
    vrml_vector(v, field, r->axis);
    sink_text(v->out, " ");
    vrml_number(v, r->angle);
    sink_text(v->out, "\n");
}

void vrml_open_transform(struct vrml *v, const char *name, const struct placing *placing)
{
    const double *t = placing->translation, *s = placing->scale;
    vrml_open(v, name, "Transform {");
    if (t[0] != 0 || t[1] != 0 || t[2] != 0)
        vrml_vector_line(v, "translation", t);
    if (placing->rotation.angle != 0)
        vrml_turn_line(v, "rotation", &placing->rotation);
    if (s[0] != 1 || s[1] != 1 || s[2] != 1)
        vrml_vector_line(v, "scale", s);
    if (placing->scale_orientation.angle != 0)
        vrml_turn_line(v, "scaleOrientation", &placing->scale_orientation);
    vrml_open(v, NULL, "children [");
}
