/* Interpolators of joints and frames, and their ROUTEs. */
#include <math.h>

#include "base/text/text.h"
#include "motion/clips/clips.h"
#include "vrml97.h"

/* Limits with more turns than this between them are cut off. */
enum { MOST_STEPS = 4096 };

void vrml_add_wire(struct vrml_output *output, struct vrml_motion *motion, struct wire wire)
{
    if (!output->failed && array_reserve(output->context, &motion->wires, &motion->wire_room,
                                         motion->wire_count + UINT64_C(1), sizeof wire))
        motion->wires[motion->wire_count++] = wire;
    else
        output->failed = true;
}

void vrml_write_timer(struct vrml_output *output, struct vrml_motion *motion, const char *name, double seconds,
                      bool by_itself)
{
    bool loop = by_itself && output->settings->play == VRML_PLAY_LOOP;
    vrml_define(output, name);
    sink_text(output->sink, "TimeSensor { cycleInterval ");
    vrml_number(output, seconds);
    /* A loop was stopped long ago, so that it starts at its first moment, not where a loop since 1970 would be. */
    sink_text(output->sink, loop ? " loop TRUE stopTime 1 }\n" : " }\n");
    if (by_itself && output->settings->play != VRML_PLAY_CLICK)
        vrml_add_wire(output, motion, (struct wire){motion->entry, "enterTime", name, "set_startTime"});
}

/* Returns the angle between two rotations; a quaternion and its negative are one rotation. */
static double turn_between(const double a[4], const double b[4])
{
    double near = 0, far = 0;
    for (int i = 0; i < 4; i++) {
        near += (a[i] - b[i]) * (a[i] - b[i]);
        far += (a[i] + b[i]) * (a[i] + b[i]);
    }
    return 4 * atan2(sqrt(fmin(near, far)), sqrt(fmax(near, far)));
}

/* Adds a key as it is, without steps. */
static void append_key(struct vrml_output *output, struct vrml_keys *keys, double fraction, const double *value)
{
    uint32_t width = path_width(keys->path), at = keys->count;
    if (output->failed ||
        !array_reserve(output->context, &keys->fractions, &keys->room, at + UINT64_C(1), sizeof *keys->fractions) ||
        !array_reserve(output->context, &keys->values, &keys->value_room, (at + UINT64_C(1)) * width, sizeof *value)) {
        output->failed = true;
        return;
    }
    /* Two keys at one moment are a jump; of more, the first and the last are one. Nothing is before the first
     * moment. */
    if (at > 0 && keys->fractions[at - 1] == fraction &&
        (fraction == 0 || (at > 1 && keys->fractions[at - 2] == fraction)))
        at--;
    double *row = keys->values + (size_t)at * width;
    keys->fractions[at] = fraction;
    memcpy(row, value, width * sizeof *row);
    keys->count = at + 1;
    if (at == 0 || keys->fractions[at - 1] != fraction)
        return;
    bool same = keys->path == CP_PATH_ROTATION ? turn_between(row, row - width) < 1e-12
                : keys->path == CP_PATH_JOINT  ? *row == row[-1]
                                               : memcmp(row, row - width, width * sizeof *row) == 0;
    keys->count -= same;
}

void vrml_add_key(struct vrml_output *output, const struct vrml_frames *frames, struct vrml_keys *keys, double fraction,
                  const double *value)
{
    bool rotation = keys->path == CP_PATH_ROTATION;
    bool turns = rotation || (keys->joint != CP_NONE && frames->scene->joints[keys->joint].type == CP_JOINT_REVOLUTE);
    double start = keys->count > 0 ? keys->fractions[keys->count - 1] : fraction;
    if (turns && start < fraction && !output->failed) {
        uint32_t width = path_width(keys->path);
        double before[4], between[4];
        memcpy(before, keys->values + (size_t)width * (keys->count - 1), width * sizeof *before);
        double angle = rotation ? turn_between(before, value) : fabs(*value - *before);
        double steps = ceil(angle / (PI / 2) - 1e-9);
        if (!(steps <= MOST_STEPS)) {
            steps = MOST_STEPS;
            output->losses[LOST_TURNS]++;
        }
        int count = (int)steps;
        for (int i = 1; i < count && !output->failed; i++) {
            if (rotation)
                rotation_between(before, value, (double)i / count, between);
            else
                *between = *before + (*value - *before) * i / count;
            append_key(output, keys, start + (fraction - start) * i / count, between);
        }
    }
    append_key(output, keys, fraction, value);
}

/* Adds keys at 0 and 1 if they are missing: some readers rely on keys from 0 to 1. */
static void complete_keys(struct vrml_output *output, struct vrml_keys *keys)
{
    uint32_t width = path_width(keys->path), count = keys->count;
    double last[4];
    if (count == 0 || output->failed)
        return;
    memcpy(last, keys->values + (size_t)(count - 1) * width, width * sizeof *last);
    if (keys->fractions[count - 1] < 1)
        append_key(output, keys, 1, last);
    if (keys->fractions[0] == 0 || output->failed)
        return;
    count = keys->count;
    append_key(output, keys, INFINITY, last); /* for its room */
    if (output->failed)
        return;
    memmove(keys->fractions + 1, keys->fractions, count * sizeof *keys->fractions);
    memmove(keys->values + width, keys->values, (size_t)count * width * sizeof *keys->values);
    keys->fractions[0] = 0;
}

static void write_fractions(struct vrml_output *output, const struct vrml_keys *keys)
{
    vrml_indent(output);
    sink_text(output->sink, "key [");
    for (uint32_t i = 0; i < keys->count; i++) {
        sink_text(output->sink, " ");
        vrml_number(output, keys->fractions[i]);
    }
    sink_text(output->sink, " ]\n");
}

static void write_joint_value(struct vrml_output *output, const struct vrml_frames *frames, uint32_t index,
                              double value)
{
    const cp_joint *joint = &frames->scene->joints[index];
    const double *a = joint->axis;
    if (joint->type == CP_JOINT_REVOLUTE) {
        vrml_turn_line(output, "", &(struct rotation){{a[0], a[1], a[2]}, value});
    } else if (joint->type == CP_JOINT_PRISMATIC) {
        double way = value * frames->joints[index].sign;
        vrml_vector_line(output, "", (double[]){a[0] * way + 0.0, a[1] * way + 0.0, a[2] * way + 0.0});
    } else {
        struct vrml_placing placing;
        output->losses[LOST_SHRUNK] += value < LEAST_SCALE;
        vrml_stretch_placing(joint, fmax(value, LEAST_SCALE), &placing);
        vrml_vector_line(output, "", placing.scale);
    }
}

static void write_frame_value(struct vrml_output *output, const struct vrml_keys *keys, const double *value)
{
    if (keys->path == CP_PATH_ROTATION) {
        struct rotation rotation = vrml_quaternion_turn(value);
        vrml_turn_line(output, "", &rotation);
        return;
    }
    double shown[3], least = fmin(value[0], fmin(value[1], value[2])), most = fmax(value[0], fmax(value[1], value[2]));
    bool scale = keys->path == CP_PATH_SCALE;
    for (int i = 0; i < 3; i++)
        shown[i] = scale ? fmax(fabs(value[i]), LEAST_SCALE) : value[i];
    /* If the frame mirrors at rest, the meshes mirror in all three directions instead. */
    output->losses[LOST_CLIP_SCALE] += scale && !(keys->mirrored ? most <= -LEAST_SCALE : least >= LEAST_SCALE);
    vrml_vector_line(output, "", shown);
}

void vrml_write_keys(struct vrml_output *output, const struct vrml_frames *frames, struct vrml_motion *motion,
                     struct vrml_keys *keys, const char *timer, const char *wanted, const char *transform)
{
    static const char *const prefixes[] = {"", "move_", "turn_", "stretch_"}; /* by path */
    static const char *const fields[] = {"", "set_translation", "set_rotation", "set_scale"};
    static const cp_path paths[] = {CP_PATH_JOINT, CP_PATH_ROTATION, CP_PATH_TRANSLATION, CP_PATH_SCALE};
    bool joint = keys->joint != CP_NONE;
    cp_path path = joint ? paths[frames->scene->joints[keys->joint].type] : keys->path; /* the part of the Transform
                                                                                         * that is set */
    complete_keys(output, keys);
    const char *prefix = joint && path == CP_PATH_TRANSLATION ? "slide_" : prefixes[path];
    const char *name = output->failed ? NULL : vrml_name(output, prefix, wanted);
    if (name) {
        vrml_open(output, name, path == CP_PATH_ROTATION ? "OrientationInterpolator {" : "PositionInterpolator {");
        write_fractions(output, keys);
        vrml_open(output, NULL, "keyValue [");
        for (uint32_t i = 0; i < keys->count; i++)
            if (joint)
                write_joint_value(output, frames, keys->joint, keys->values[i]);
            else
                write_frame_value(output, keys, keys->values + (size_t)i * path_width(path));
        vrml_close_node(output);
        vrml_add_wire(output, motion, (struct wire){timer, "fraction_changed", name, "set_fraction"});
        vrml_add_wire(output, motion, (struct wire){name, "value_changed", transform, fields[path]});
    }
    memory_free(output->context, keys->fractions, keys->room, sizeof *keys->fractions);
    memory_free(output->context, keys->values, keys->value_room, sizeof *keys->values);
}
