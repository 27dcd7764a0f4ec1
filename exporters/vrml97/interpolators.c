/* Interpolators: keys of a joint's value, rows of a frame's translation, rotation or scale, and their ROUTEs. */
#include <math.h>

#include "vrml97.h"

#define LARGEST_STEP (PI / 2)
/* More turns than this between two limits show nothing. */
enum { MOST_STEPS = 4096 };
/* Fractions are whole numbers of this, so both moments of a jump are one, as in the single precision of readers. */
#define MOMENTS 1e9

void vrml_add_wire(struct vrml *v, struct wire wire)
{
    if (!v->failed && array_reserve(v->context, &v->wires, &v->wire_room, v->wire_count + UINT64_C(1), sizeof wire))
        v->wires[v->wire_count++] = wire;
    else
        v->failed = true;
}

/* ---- keys of a joint ---- */

void vrml_add_key(struct vrml *v, struct vrml_keys *keys, double time, double value)
{
    if (!array_reserve(v->context, &keys->items, &keys->room, (uint64_t)keys->count + 1, sizeof *keys->items)) {
        v->failed = true;
        return;
    }
    keys->items[keys->count++] = (struct vrml_key){time, value};
}

void vrml_add_leg(struct vrml *v, struct vrml_keys *keys, bool turns, struct vrml_key end)
{
    struct vrml_key start = keys->items[keys->count - 1];
    double steps = turns ? ceil(fabs(end.value - start.value) / LARGEST_STEP - 1e-9) : 1;
    if (!(steps <= MOST_STEPS)) {
        steps = MOST_STEPS;
        v->turns++;
    }
    int count = steps < 1 ? 1 : (int)steps;
    for (int i = 1; i < count && !v->failed; i++)
        vrml_add_key(v, keys, start.time + (end.time - start.time) * i / count,
                     start.value + (end.value - start.value) * i / count);
    if (!v->failed)
        vrml_add_key(v, keys, end.time, end.value);
}

static void write_value(struct vrml *v, uint32_t index, double value)
{
    const cp_joint *joint = &v->scene->joints[index];
    const double *a = joint->axis;
    if (joint->type == CP_JOINT_REVOLUTE) {
        vrml_turn(v, "", &(struct rotation){{a[0], a[1], a[2]}, value});
    } else if (joint->type == CP_JOINT_PRISMATIC) {
        double way = value * v->joints[index].sign;
        vrml_vector(v, "", (double[]){a[0] * way + 0.0, a[1] * way + 0.0, a[2] * way + 0.0});
    } else {
        struct placing placing;
        v->shrunk += value < LEAST_SCALE;
        vrml_stretch_placing(joint, fmax(value, LEAST_SCALE), &placing);
        vrml_vector(v, "", placing.scale);
    }
}

void vrml_write_key_times(struct vrml *v, const struct vrml_keys *keys)
{
    vrml_indent(v);
    sink_text(v->out, "key [");
    for (uint32_t i = 0; i < keys->count; i++) {
        sink_text(v->out, " ");
        vrml_number(v, keys->items[i].time);
    }
    sink_text(v->out, " ]\n");
}

void vrml_write_joint_keys(struct vrml *v, uint32_t index, const struct vrml_keys *keys, const char *timer)
{
    static const char *const prefixes[] = {"", "turn_", "slide_", "stretch_"};
    static const char *const fields[] = {"", "set_rotation", "set_translation", "set_scale"};
    const cp_joint *joint = &v->scene->joints[index];
    const char *name = vrml_name(v, prefixes[joint->type], joint->name);
    if (v->failed)
        return;
    vrml_open(v, name, joint->type == CP_JOINT_REVOLUTE ? "OrientationInterpolator {" : "PositionInterpolator {");
    vrml_write_key_times(v, keys);
    vrml_open(v, NULL, "keyValue [");
    for (uint32_t i = 0; i < keys->count; i++) {
        vrml_indent(v);
        write_value(v, index, keys->items[i].value);
        sink_text(v->out, "\n");
    }
    vrml_close(v, "]");
    vrml_close(v, "}");
    vrml_add_wire(v, (struct wire){timer, "fraction_changed", name, "set_fraction"});
    vrml_add_wire(v, (struct wire){name, "value_changed", v->joints[index].name, fields[joint->type]});
}

/* ---- rows of a frame ---- */

double vrml_fraction(const struct vrml *v, double time)
{
    const struct recording *recording = v->recording;
    double length = recording->last - recording->first;
    return length > 0 ? fmax(0, fmin(1, round((time - recording->first) / length * MOMENTS) / MOMENTS)) : 0;
}

/* The angle between two rotations. */
static double turn_between(const double a[4], const double b[4])
{
    double near = 0, far = 0;
    for (int i = 0; i < 4; i++) {
        near += (a[i] - b[i]) * (a[i] - b[i]);
        far += (a[i] + b[i]) * (a[i] + b[i]);
    }
    return 4 * atan2(sqrt(fmin(near, far)), sqrt(fmax(near, far)));
}

/* A quaternion and its negative are one rotation. */
static bool same_row(const struct vrml_rows *rows, uint32_t a, uint32_t b)
{
    uint32_t width = path_width(rows->path);
    const double *first = rows->values + (size_t)a * width, *second = rows->values + (size_t)b * width;
    bool same = rows->path == CP_PATH_ROTATION ? turn_between(first, second) < 1e-12
                                               : memcmp(first, second, width * sizeof *first) == 0;
    return same && rows->fractions[a] == rows->fractions[b];
}

/* Two rows at one moment are a jump; of more the first and the last are one. As all begins there is nothing before. */
static void append_row(struct vrml *v, struct vrml_rows *rows, double fraction, const double *value)
{
    uint32_t width = path_width(rows->path), at = rows->count;
    if (v->failed ||
        !array_reserve(v->context, &rows->fractions, &rows->room, at + UINT64_C(1), sizeof *rows->fractions) ||
        !array_reserve(v->context, &rows->values, &rows->value_room, (at + UINT64_C(1)) * width, sizeof *value)) {
        v->failed = true;
        return;
    }
    if (at > 0 && rows->fractions[at - 1] == fraction &&
        (fraction == 0 || (at > 1 && rows->fractions[at - 2] == fraction)))
        at--;
    rows->fractions[at] = fraction;
    memcpy(rows->values + (size_t)at * width, value, width * sizeof *value);
    rows->count = at > 0 && same_row(rows, at, at - 1) ? at : at + 1;
}

void vrml_add_row(struct vrml *v, struct vrml_rows *rows, double time, const double *value)
{
    double fraction = vrml_fraction(v, time), start = rows->count > 0 ? rows->fractions[rows->count - 1] : fraction;
    if (rows->path == CP_PATH_ROTATION && start < fraction) {
        double before[4], between[4];
        memcpy(before, rows->values + 4 * (size_t)(rows->count - 1), sizeof before);
        int steps = (int)ceil(turn_between(before, value) / (PI / 2) - 1e-9);
        for (int i = 1; i < steps; i++) {
            double t = (double)i / steps;
            rotation_between(before, value, t, between);
            append_row(v, rows, start + (fraction - start) * t, between);
        }
    }
    append_row(v, rows, fraction, value);
}

/* Mirroring in all three directions is in the meshes, where the frame mirrors at rest. */
static bool is_scale_shown(const double value[3], bool mirrored)
{
    double least = fmin(value[0], fmin(value[1], value[2])), most = fmax(value[0], fmax(value[1], value[2]));
    return mirrored ? most <= -LEAST_SCALE : least >= LEAST_SCALE;
}

static void write_row(struct vrml *v, const struct vrml_rows *rows, uint32_t row)
{
    const double *value = rows->values + (size_t)row * path_width(rows->path);
    vrml_indent(v);
    if (rows->path == CP_PATH_ROTATION) {
        struct rotation rotation = vrml_quaternion_turn(value);
        vrml_turn(v, "", &rotation);
    } else {
        double shown[3];
        for (int i = 0; i < 3; i++)
            shown[i] = rows->path == CP_PATH_SCALE ? fmax(fabs(value[i]), LEAST_SCALE) : value[i];
        v->unscaled += rows->path == CP_PATH_SCALE && !is_scale_shown(value, rows->mirrored);
        vrml_vector(v, "", shown);
    }
    sink_text(v->out, "\n");
}

/* From the first moment to the last one: some readers take keys from 0 to 1 for granted. */
static void complete_rows(struct vrml *v, struct vrml_rows *rows)
{
    uint32_t width = path_width(rows->path);
    double value[4];
    if (rows->count == 0 || v->failed)
        return;
    memcpy(value, rows->values + (size_t)(rows->count - 1) * width, width * sizeof *value);
    if (rows->fractions[rows->count - 1] < 1)
        append_row(v, rows, 1, value);
    if (rows->fractions[0] == 0 || v->failed)
        return;
    uint32_t count = rows->count;
    append_row(v, rows, INFINITY, value); /* for its room */
    if (v->failed)
        return;
    memmove(rows->fractions + 1, rows->fractions, count * sizeof *rows->fractions);
    memmove(rows->values + width, rows->values, (size_t)count * width * sizeof *rows->values);
    rows->fractions[0] = 0;
}

static void write_fractions(struct vrml *v, const struct vrml_rows *rows)
{
    vrml_indent(v);
    sink_text(v->out, "key [");
    for (uint32_t i = 0; i < rows->count; i++) {
        sink_text(v->out, " ");
        vrml_number(v, rows->fractions[i]);
    }
    sink_text(v->out, " ]\n");
}

void vrml_write_rows(struct vrml *v, struct vrml_rows *rows, const char *wanted, const char *transform)
{
    static const char *const prefixes[] = {"", "move_", "turn_", "stretch_"};
    static const char *const fields[] = {"", "set_translation", "set_rotation", "set_scale"};
    complete_rows(v, rows);
    const char *name = v->failed ? NULL : vrml_name(v, prefixes[rows->path], wanted);
    if (v->failed)
        return;
    vrml_open(v, name, rows->path == CP_PATH_ROTATION ? "OrientationInterpolator {" : "PositionInterpolator {");
    write_fractions(v, rows);
    vrml_open(v, NULL, "keyValue [");
    for (uint32_t i = 0; i < rows->count; i++)
        write_row(v, rows, i);
    vrml_close(v, "]");
    vrml_close(v, "}");
    vrml_add_wire(v, (struct wire){v->recording->timer, "fraction_changed", name, "set_fraction"});
    vrml_add_wire(v, (struct wire){name, "value_changed", transform, fields[rows->path]});
}

void vrml_free_rows(struct vrml *v, struct vrml_rows *rows)
{
    memory_free(v->context, rows->fractions, rows->room, sizeof *rows->fractions);
    memory_free(v->context, rows->values, rows->value_room, sizeof *rows->values);
}
