/* Reads VRML97 text for the tests. It was written from ISO/IEC 14772-1 and knows nothing of the exporter. It is strict
 * about nodes, fields, types and counts, and about rules that real readers do not check. It ends the test on the first
 * fault. Everything lives until reader_free. */
#ifndef VRML97_READER_H
#define VRML97_READER_H

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plain_numbers.h"

/* ---- what the standard says of the nodes we expect ---- */

enum field_type {
    SFBOOL,
    SFINT32,
    SFFLOAT,
    SFTIME,
    SFSTRING,
    SFNODE,
    SFVEC3F,
    SFROTATION,
    SFCOLOR,
    MFINT32,
    MFFLOAT,
    MFSTRING,
    MFNODE,
    MFVEC2F,
    MFVEC3F,
    MFROTATION,
    MFCOLOR
};

static const struct field_rule {
    const char *node, *field;
    enum field_type type;
} field_rules[] = {
    {"WorldInfo", "title", SFSTRING},
    {"WorldInfo", "info", MFSTRING},
    {"NavigationInfo", "type", MFSTRING},
    {"NavigationInfo", "avatarSize", MFFLOAT},
    {"NavigationInfo", "speed", SFFLOAT},
    {"NavigationInfo", "headlight", SFBOOL},
    {"Background", "skyAngle", MFFLOAT},
    {"Background", "skyColor", MFCOLOR},
    {"Background", "groundAngle", MFFLOAT},
    {"Background", "groundColor", MFCOLOR},
    {"DirectionalLight", "direction", SFVEC3F},
    {"DirectionalLight", "intensity", SFFLOAT},
    {"DirectionalLight", "ambientIntensity", SFFLOAT},
    {"Viewpoint", "description", SFSTRING},
    {"Viewpoint", "position", SFVEC3F},
    {"Viewpoint", "orientation", SFROTATION},
    {"Transform", "translation", SFVEC3F},
    {"Transform", "rotation", SFROTATION},
    {"Transform", "scale", SFVEC3F},
    {"Transform", "scaleOrientation", SFROTATION},
    {"Transform", "children", MFNODE},
    {"Group", "children", MFNODE},
    {"Collision", "collide", SFBOOL},
    {"Collision", "children", MFNODE},
    {"Collision", "proxy", SFNODE},
    {"TouchSensor", "enabled", SFBOOL},
    {"TimeSensor", "cycleInterval", SFTIME},
    {"TimeSensor", "loop", SFBOOL},
    {"TimeSensor", "stopTime", SFTIME},
    {"ProximitySensor", "size", SFVEC3F},
    {"OrientationInterpolator", "key", MFFLOAT},
    {"OrientationInterpolator", "keyValue", MFROTATION},
    {"PositionInterpolator", "key", MFFLOAT},
    {"PositionInterpolator", "keyValue", MFVEC3F},
    {"ScalarInterpolator", "key", MFFLOAT},
    {"ScalarInterpolator", "keyValue", MFFLOAT},
    {"Shape", "appearance", SFNODE},
    {"Shape", "geometry", SFNODE},
    {"Appearance", "material", SFNODE},
    {"Appearance", "texture", SFNODE},
    {"ImageTexture", "url", MFSTRING},
    {"ImageTexture", "repeatS", SFBOOL},
    {"ImageTexture", "repeatT", SFBOOL},
    {"Material", "diffuseColor", SFCOLOR},
    {"Material", "emissiveColor", SFCOLOR},
    {"Material", "specularColor", SFCOLOR},
    {"Material", "shininess", SFFLOAT},
    {"Material", "transparency", SFFLOAT},
    {"IndexedFaceSet", "solid", SFBOOL},
    {"IndexedFaceSet", "convex", SFBOOL},
    {"IndexedFaceSet", "creaseAngle", SFFLOAT},
    {"IndexedFaceSet", "coord", SFNODE},
    {"IndexedFaceSet", "normal", SFNODE},
    {"IndexedFaceSet", "color", SFNODE},
    {"IndexedFaceSet", "texCoord", SFNODE},
    {"IndexedFaceSet", "coordIndex", MFINT32},
    {"IndexedFaceSet", "colorIndex", MFINT32},
    {"IndexedFaceSet", "normalIndex", MFINT32},
    {"IndexedLineSet", "coord", SFNODE},
    {"IndexedLineSet", "color", SFNODE},
    {"IndexedLineSet", "coordIndex", MFINT32},
    {"IndexedLineSet", "colorIndex", MFINT32},
    {"Coordinate", "point", MFVEC3F},
    {"Normal", "vector", MFVEC3F},
    {"Color", "color", MFCOLOR},
    {"TextureCoordinate", "point", MFVEC2F},
    {"Box", "size", SFVEC3F},
    {"Sphere", "radius", SFFLOAT},
    {"Cylinder", "radius", SFFLOAT},
    {"Cylinder", "height", SFFLOAT},
    {"Cone", "bottomRadius", SFFLOAT},
    {"Cone", "height", SFFLOAT},
    {"Inline", "url", MFSTRING},
};

static const struct event_rule {
    const char *node, *event;
    bool out;
    enum field_type type;
} event_rules[] = {
    {"TouchSensor", "touchTime", true, SFTIME},
    {"TimeSensor", "set_startTime", false, SFTIME},
    {"TimeSensor", "set_stopTime", false, SFTIME},
    {"TimeSensor", "cycleTime", true, SFTIME},
    {"ProximitySensor", "enterTime", true, SFTIME},
    {"TimeSensor", "fraction_changed", true, SFFLOAT},
    {"OrientationInterpolator", "set_fraction", false, SFFLOAT},
    {"OrientationInterpolator", "value_changed", true, SFROTATION},
    {"PositionInterpolator", "set_fraction", false, SFFLOAT},
    {"PositionInterpolator", "value_changed", true, SFVEC3F},
    {"ScalarInterpolator", "set_fraction", false, SFFLOAT},
    {"ScalarInterpolator", "value_changed", true, SFFLOAT},
    {"Transform", "set_translation", false, SFVEC3F},
    {"Transform", "set_rotation", false, SFROTATION},
    {"Transform", "set_scale", false, SFVEC3F},
};

/* ---- the tree ---- */

struct vnode;

struct vfield {
    const char *name;
    enum field_type type;
    double *numbers;
    size_t number_count;
    char **strings;
    size_t string_count;
    struct vnode **nodes;
    size_t node_count;
};

struct vnode {
    const char *type, *def; /* def "" when none */
    struct vfield fields[8];
    size_t field_count;
};

struct vroute {
    struct vnode *from, *to;
    char from_event[32], to_event[32];
};

struct vrml_file {
    const char *at, *text;
    struct vnode **roots;
    size_t root_count;
    struct vnode **defined; /* those with a DEF, in the order of the file */
    size_t defined_count;
    struct vroute *routes;
    size_t route_count;
    size_t uses;
};

/* Tests that want to see a fault set it: the fault goes there. */
static jmp_buf *reader_trap;
static char reader_message[400];

static void vrml_fault(const struct vrml_file *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void vrml_fault(const struct vrml_file *file, const char *format, ...)
{
    char message[300];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    size_t line = 1;
    for (const char *c = file->text; c < file->at; c++)
        line += *c == '\n';
    if (reader_trap) {
        (void)snprintf(reader_message, sizeof reader_message, "line %zu: %s", line, message);
        longjmp(*reader_trap, 1);
    }
    fail_msg("line %zu: %s", line, message);
}

/* Blocks are chained so that leak checkers see them. */
static void *reader_blocks;
static void *reader_allocate(size_t size)
{
    void **block = calloc(1, size + 2 * sizeof(void *));
    assert_non_null(block);
    *block = reader_blocks;
    reader_blocks = block;
    return block + 2;
}

/* Everything read so far goes. */
static void reader_free(void)
{
    while (reader_blocks) {
        void *next = *(void **)reader_blocks;
        free(reader_blocks);
        reader_blocks = next;
    }
}

/* Room for one more: doubles at powers of two. */
static void *reader_grow(void *items, size_t count, size_t size)
{
    if (count & (count - 1))
        return items;
    void *grown = reader_allocate((count ? 2 * count : 1) * size);
    if (count)
        memcpy(grown, items, count * size);
    return grown;
}

/* ---- words ---- */

static void skip_blanks(struct vrml_file *file)
{
    for (;;) {
        file->at += strspn(file->at, " \t\r\n,");
        if (*file->at != '#')
            return;
        file->at += strcspn(file->at, "\n");
    }
}

static bool next_is(struct vrml_file *file, const char *word)
{
    skip_blanks(file);
    size_t size = strlen(word);
    if (strncmp(file->at, word, size) != 0)
        return false;
    if (size == 1 && strchr("[]{}.", *word))
        return true;
    return strchr(" \t\r\n,[]{}\".", file->at[size]) != NULL;
}

static bool accept_word(struct vrml_file *file, const char *word)
{
    if (!next_is(file, word))
        return false;
    file->at += strlen(word);
    return true;
}

static void expect_word(struct vrml_file *file, const char *word)
{
    if (!accept_word(file, word))
        vrml_fault(file, "\"%s\" is missing at \"%.20s\"", word, file->at);
}

static bool letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static const char *read_name(struct vrml_file *file)
{
    skip_blanks(file);
    size_t size = 0;
    while (letter(file->at[size]) || (size && file->at[size] >= '0' && file->at[size] <= '9'))
        size++;
    if (size == 0)
        vrml_fault(file, "no name at \"%.20s\"", file->at);
    char *name = reader_allocate(size + 1);
    memcpy(name, file->at, size);
    file->at += size;
    return name;
}

static double read_number(struct vrml_file *file)
{
    skip_blanks(file);
    size_t size = strspn(file->at, "+-0123456789.eE");
    char *end;
    double value = plain_strtod(file->at, &end);
    if (size == 0 || end != file->at + size || !isfinite((float)value))
        vrml_fault(file, "no number that a float holds at \"%.20s\"", file->at);
    file->at = end;
    return value;
}

static char *read_string(struct vrml_file *file)
{
    skip_blanks(file);
    if (*file->at != '"')
        vrml_fault(file, "no string at \"%.20s\"", file->at);
    char *text = reader_allocate(strlen(file->at)), *to = text;
    for (file->at++; *file->at != '"'; file->at++) {
        if ((unsigned char)*file->at < 0x20)
            vrml_fault(file, "a control character in a string");
        if (*file->at == '\\' && *++file->at != '"' && *file->at != '\\')
            vrml_fault(file, "an escape that is none");
        *to++ = *file->at;
    }
    file->at++;
    return text;
}

/* ---- nodes ---- */

static struct vnode *find_def(const struct vrml_file *file, const char *name)
{
    for (size_t i = 0; i < file->defined_count; i++)
        if (strcmp(file->defined[i]->def, name) == 0)
            return file->defined[i];
    return NULL;
}

static struct vnode *read_node(struct vrml_file *file);

static size_t numbers_per_value(enum field_type type)
{
    switch (type) {
    case MFVEC2F:
        return 2;
    case SFVEC3F:
    case MFVEC3F:
    case SFCOLOR:
    case MFCOLOR:
        return 3;
    case SFROTATION:
    case MFROTATION:
        return 4;
    default:
        return 1;
    }
}

static void read_value(struct vrml_file *file, struct vfield *field)
{
    switch (field->type) {
    case SFSTRING:
    case MFSTRING:
        field->strings = reader_grow(field->strings, field->string_count, sizeof *field->strings);
        field->strings[field->string_count++] = read_string(file);
        return;
    case SFNODE:
    case MFNODE:
        field->nodes = reader_grow(field->nodes, field->node_count, sizeof *field->nodes);
        field->nodes[field->node_count++] = read_node(file);
        return;
    case SFBOOL:
        field->numbers = reader_allocate(sizeof(double));
        field->numbers[field->number_count++] = accept_word(file, "TRUE");
        if (field->numbers[0] == 0)
            expect_word(file, "FALSE");
        return;
    default:
        for (size_t i = 0; i < numbers_per_value(field->type); i++) {
            field->numbers = reader_grow(field->numbers, field->number_count, sizeof *field->numbers);
            field->numbers[field->number_count++] = read_number(file);
        }
    }
}

static void read_field(struct vrml_file *file, struct vnode *node)
{
    const char *name = read_name(file);
    for (size_t i = 0; i < node->field_count; i++)
        if (strcmp(node->fields[i].name, name) == 0)
            vrml_fault(file, "%s twice", name);
    for (size_t i = 0; i < sizeof field_rules / sizeof *field_rules; i++)
        if (strcmp(field_rules[i].node, node->type) == 0 && strcmp(field_rules[i].field, name) == 0) {
            struct vfield *field = &node->fields[node->field_count++];
            *field = (struct vfield){.name = name, .type = field_rules[i].type};
            if (field->type < MFINT32 || !accept_word(file, "["))
                read_value(file, field);
            else
                while (!accept_word(file, "]"))
                    read_value(file, field);
            return;
        }
    vrml_fault(file, "%s has no field %s (that we write)", node->type, name);
}

static struct vnode *read_node(struct vrml_file *file)
{
    if (accept_word(file, "USE")) {
        const char *name = read_name(file);
        struct vnode *used = find_def(file, name);
        if (!used)
            vrml_fault(file, "USE of %s before its DEF", name);
        file->uses++;
        return used;
    }
    struct vnode *node = reader_allocate(sizeof *node);
    node->def = "";
    if (accept_word(file, "DEF")) {
        node->def = read_name(file);
        if (find_def(file, node->def))
            vrml_fault(file, "DEF %s twice", node->def);
    }
    node->type = read_name(file);
    bool known = false;
    for (size_t i = 0; i < sizeof field_rules / sizeof *field_rules; i++)
        known |= strcmp(field_rules[i].node, node->type) == 0;
    if (!known)
        vrml_fault(file, "%s is no node (that we write)", node->type);
    expect_word(file, "{");
    while (!accept_word(file, "}"))
        read_field(file, node);
    /* A name may be used once its node is complete. */
    if (*node->def) {
        file->defined = reader_grow(file->defined, file->defined_count, sizeof *file->defined);
        file->defined[file->defined_count++] = node;
    }
    return node;
}

/* ---- routes ---- */

static enum field_type event_type(struct vrml_file *file, const struct vnode *node, const char *event, bool out)
{
    for (size_t i = 0; i < sizeof event_rules / sizeof *event_rules; i++)
        if (strcmp(event_rules[i].node, node->type) == 0 && strcmp(event_rules[i].event, event) == 0 &&
            event_rules[i].out == out)
            return event_rules[i].type;
    vrml_fault(file, "%s has no event %s in this direction", node->type, event);
    return MFNODE;
}

static struct vnode *read_end(struct vrml_file *file, char event[32])
{
    const char *name = read_name(file);
    struct vnode *node = find_def(file, name);
    if (!node)
        vrml_fault(file, "ROUTE names %s, which is not defined", name);
    expect_word(file, ".");
    (void)snprintf(event, 32, "%s", read_name(file));
    return node;
}

static void read_route(struct vrml_file *file)
{
    file->routes = reader_grow(file->routes, file->route_count, sizeof *file->routes);
    struct vroute *route = &file->routes[file->route_count++];
    route->from = read_end(file, route->from_event);
    expect_word(file, "TO");
    route->to = read_end(file, route->to_event);
    if (event_type(file, route->from, route->from_event, true) != event_type(file, route->to, route->to_event, false))
        vrml_fault(file, "ROUTE between different types");
}

static struct vrml_file *vrml_read(const char *text)
{
    struct vrml_file *file = reader_allocate(sizeof *file);
    file->text = file->at = text;
    if (strncmp(text, "#VRML V2.0 utf8\n", 16) != 0)
        vrml_fault(file, "the header is missing");
    for (skip_blanks(file); *file->at; skip_blanks(file))
        if (accept_word(file, "ROUTE")) {
            read_route(file);
        } else {
            if (file->route_count)
                vrml_fault(file, "a node behind a ROUTE");
            file->roots = reader_grow(file->roots, file->root_count, sizeof *file->roots);
            file->roots[file->root_count++] = read_node(file);
        }
    return file;
}

/* ---- fields ---- */

static struct vfield *vfield_of(struct vnode *node, const char *name)
{
    for (size_t i = 0; i < node->field_count; i++)
        if (strcmp(node->fields[i].name, name) == 0)
            return &node->fields[i];
    return NULL;
}

static struct vnode *child_of(struct vnode *node, const char *field)
{
    struct vfield *found = vfield_of(node, field);
    return found && found->node_count == 1 ? found->nodes[0] : NULL;
}

static double number_of(struct vnode *node, const char *field, size_t index, double absent)
{
    struct vfield *found = vfield_of(node, field);
    return found && index < found->number_count ? found->numbers[index] : absent;
}

/* ---- rules that readers let pass ---- */

/* Checks the set's list of normals or colours: one for each point, or an index of its own with an entry for each of
 * coordIndex. */
static void check_list(const struct vrml_file *file, struct vnode *set, const char *field, const char *values,
                       const char *index)
{
    struct vnode *list = child_of(set, field);
    struct vfield *own = vfield_of(set, index), *indices = vfield_of(set, "coordIndex");
    size_t points = vfield_of(child_of(set, "coord"), "point")->number_count;
    size_t count = list ? vfield_of(list, values)->number_count : 0;
    if (list && !own && count != points)
        vrml_fault(file, "normals or colours and points differ in number");
    if (own && (!list || own->number_count != indices->number_count))
        vrml_fault(file, "%s and coordIndex differ in number", index);
    for (size_t i = 0; own && i < own->number_count; i++)
        if ((own->numbers[i] < 0) != (indices->numbers[i] < 0) || own->numbers[i] >= (double)count / 3)
            vrml_fault(file, "%s %g", index, own->numbers[i]);
}

static void check_indices(const struct vrml_file *file, struct vnode *set)
{
    struct vnode *coordinate = child_of(set, "coord");
    struct vfield *indices = vfield_of(set, "coordIndex"), *points = vfield_of(coordinate, "point");
    size_t count = points->number_count / 3, corners = 0, least = strcmp(set->type, "IndexedFaceSet") == 0 ? 3 : 2;
    for (size_t i = 0; i < indices->number_count; i++) {
        double index = indices->numbers[i];
        if (index != floor(index) || index < -1 || index >= (double)count)
            vrml_fault(file, "coordIndex %g of %zu points", index, count);
        if (index < 0 && corners < least)
            vrml_fault(file, "a face of %zu corners", corners);
        corners = index < 0 ? 0 : corners + 1;
    }
    if (corners != 0 || indices->number_count == 0)
        vrml_fault(file, "coordIndex does not end a face, or is empty");
    check_list(file, set, "normal", "vector", "normalIndex");
    check_list(file, set, "color", "color", "colorIndex");
}

/* The angle between two rotations, the shorter way round. */
static double turned_angle(const double a[4], const double b[4])
{
    double p[4], q[4], dot = 0;
    for (int i = 0; i < 3; i++) {
        p[i] = a[i] * sin(a[3] / 2);
        q[i] = b[i] * sin(b[3] / 2);
        dot += p[i] * q[i];
    }
    dot += cos(a[3] / 2) * cos(b[3] / 2);
    return 2 * acos(fmin(1, fabs(dot)));
}

/* Steps of one axis count by the angle itself, so that none goes the longer way round unnoticed. A jump is two equal
 * keys. */
static bool is_large_step(const double *a, const double *b)
{
    bool one_axis = a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
    double angle = one_axis || a[3] == 0 || b[3] == 0 ? fabs(b[3] - a[3]) : turned_angle(a, b);
    return angle > acos(-1) / 2 + 1e-6;
}

static void check_keys(const struct vrml_file *file, struct vnode *node)
{
    bool turns = strcmp(node->type, "OrientationInterpolator") == 0;
    struct vfield *keys = vfield_of(node, "key"), *values = vfield_of(node, "keyValue");
    size_t width = turns ? 4 : strcmp(node->type, "ScalarInterpolator") == 0 ? 1 : 3;
    if (!keys || !values || keys->number_count < 2 || keys->number_count * width != values->number_count)
        vrml_fault(file, "%s: key and keyValue differ in number", node->def);
    if (keys->numbers[0] != 0 || keys->numbers[keys->number_count - 1] != 1)
        vrml_fault(file, "%s: keys are not from 0 to 1", node->def);
    for (size_t i = 1; i < keys->number_count; i++) {
        const double *a = values->numbers + width * (i - 1), *b = a + width;
        bool jump = keys->numbers[i] == keys->numbers[i - 1] && memcmp(a, b, width * sizeof *a) != 0;
        if (!jump && !((float)keys->numbers[i] > (float)keys->numbers[i - 1]))
            vrml_fault(file, "%s: keys do not ascend", node->def);
        if (turns && !jump && is_large_step(a, b))
            vrml_fault(file, "%s: a step of more than 90 degrees", node->def);
    }
}

static void check_rotation(const struct vrml_file *file, const double *r)
{
    if (fabs(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] - 1) > 1e-9)
        vrml_fault(file, "a rotation axis that is not of length 1");
    if (r[3] == 0 && (r[0] != 0 || r[1] != 0 || r[2] != 1))
        vrml_fault(file, "a zero rotation that is not 0 0 1 0");
}

static void check_field(const struct vrml_file *file, struct vnode *node, const struct vfield *field)
{
    for (size_t i = 0; i < field->number_count; i++) {
        if ((field->type == SFROTATION || field->type == MFROTATION) && i % 4 == 0)
            check_rotation(file, field->numbers + i);
        if (strcmp(field->name, "scale") == 0 && !((float)field->numbers[i] > 0))
            vrml_fault(file, "a scale of %g", field->numbers[i]);
        if ((field->type == SFCOLOR || field->type == MFCOLOR) && !(field->numbers[i] >= 0 && field->numbers[i] <= 1))
            vrml_fault(file, "%s: a colour of %g", node->type, field->numbers[i]);
    }
}

static void check_node(const struct vrml_file *file, struct vnode *node)
{
    for (size_t i = 0; i < node->field_count; i++) {
        check_field(file, node, &node->fields[i]);
        for (size_t n = 0; n < node->fields[i].node_count; n++)
            check_node(file, node->fields[i].nodes[n]);
    }
    if (strncmp(node->type, "Indexed", 7) == 0)
        check_indices(file, node);
    if (strstr(node->type, "Interpolator"))
        check_keys(file, node);
}

static void check_scale_keys(const struct vrml_file *file)
{
    for (size_t i = 0; i < file->route_count; i++)
        if (strcmp(file->routes[i].to_event, "set_scale") == 0) {
            struct vfield *values = vfield_of(file->routes[i].from, "keyValue");
            for (size_t n = 0; n < values->number_count; n++)
                if (!((float)values->numbers[n] > 0))
                    vrml_fault(file, "%s: a scale of %g", file->routes[i].from->def, values->numbers[n]);
        }
}

static void vrml_check(const struct vrml_file *file)
{
    for (size_t i = 0; i < file->root_count; i++)
        check_node(file, file->roots[i]);
    check_scale_keys(file);
}

#endif
