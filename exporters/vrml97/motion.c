/* Joints that a click plays: one TimeSensor a part with joints, one interpolator a moving joint, and the ROUTEs. */
#include <math.h>

#include "../../scene/motion/grow.h"
#include "vrml97.h"

#define LARGEST_STEP (PI / 2)
/* More turns than this between two limits show nothing. */
enum { MOST_STEPS = 4096 };
/* A scale must be above zero (ISO/IEC 14772-1, 6.52). */
#define LEAST_SCALE 1e-6

const char *const vrml_joint_prefixes[] = {"", "turn_", "slide_", "stretch_"};
const char *const vrml_joint_fields[] = {"", "set_rotation", "set_translation", "set_scale"};

void vrml_add_wire(struct vrml *v, struct wire wire)
{
    if (!v->failed && array_reserve(v->context, &v->wires, &v->wire_room, v->wire_count + UINT64_C(1), sizeof wire))
        v->wires[v->wire_count++] = wire;
    else
        v->failed = true;
}

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

/* What a formula makes of a sweep, within a ten-thousandth of the scene's size. */
static bool follow(struct vrml *v, uint32_t driver, uint32_t index, const struct sweep *sweep,
                   struct growing_track *track)
{
    bool slides = v->scene->joints[index].type == CP_JOINT_PRISMATIC;
    *track = (struct growing_track){.path = CP_PATH_JOINT,
                                    .tolerance = slides && v->diagonal > 0 ? 1e-4 * v->diagonal : 1e-4};
    return sweep_expression(&v->mechanism, driver, index, sweep, track) && track_cut(v->context, track);
}

/* A joint's keys over the cycle of the part that drives it, time from 0 to 1. */
static void make_keys(struct vrml *v, uint32_t driver, uint32_t index, struct vrml_keys *keys)
{
    const cp_joint *joint = &v->scene->joints[index];
    const struct node_plan *part = &v->nodes[v->scene->joints[driver].node];
    struct growing_track track = {0};
    struct sweep sweep;
    if (!vrml_sweep(v, driver, &sweep))
        return;
    if (joint->expression && !follow(v, driver, index, &sweep, &track))
        v->failed = true;
    uint32_t count = joint->expression ? track.count : SWEEP_KEYS;
    keys->count = 0;
    for (uint32_t i = 0; i < count && !v->failed; i++) {
        double value = joint->expression ? track.values[i]
                       : driver == index ? sweep.values[i]
                                         : joint->scale * sweep.values[i] + joint->offset;
        double time = (v->joints[driver].start + (joint->expression ? track.times[i] : sweep.times[i])) / part->cycle;
        if (i == 0)
            vrml_add_key(v, keys, 0, value);
        if (!v->failed && (i > 0 || time > 0))
            vrml_add_leg(v, keys, joint->type == CP_JOINT_REVOLUTE, (struct vrml_key){fmin(time, 1), value});
    }
    if (!v->failed && keys->items[keys->count - 1].time < 1)
        vrml_add_key(v, keys, 1, keys->items[keys->count - 1].value);
    track_free(v->context, &track);
}

/* The stretch by q > 0 along the joint's axis. */
void vrml_stretch_placing(const cp_joint *joint, double q, struct placing *placing)
{
    const double *a = joint->axis;
    *placing = (struct placing){.rotation = {{0, 0, 1}, 0}, .scale = {1, 1, 1}, .scale_orientation = {{0, 0, 1}, 0}};
    for (int i = 0; i < 3; i++)
        if (fabs(a[i]) == 1) {
            placing->scale[i] = q;
            return;
        }
    double across = hypot(a[0], a[1]);
    placing->scale[2] = q;
    placing->scale_orientation = (struct rotation){{-a[1] / across, a[0] / across, 0}, atan2(across, a[2])};
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
    const cp_joint *joint = &v->scene->joints[index];
    const char *name = vrml_name(v, vrml_joint_prefixes[joint->type], joint->name);
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
    vrml_add_wire(v, (struct wire){name, "value_changed", v->joints[index].name, vrml_joint_fields[joint->type]});
}

/* The joint and what follows it: by the timer of the part whose click plays it. */
static void write_sweep(struct vrml *v, uint32_t driver, uint32_t index, struct vrml_keys *keys)
{
    if (v->joints[index].sign == 0 || !v->joints[index].name)
        return;
    make_keys(v, driver, index, keys);
    if (!v->failed)
        vrml_write_joint_keys(v, index, keys, v->nodes[v->scene->joints[driver].node].timer);
}

/* In the order of the joints; one that follows a formula has an interpolator for each joint that the formula is over. */
static void write_sweeps(struct vrml *v)
{
    struct vrml_keys keys = {0};
    for (uint32_t i = 0; i < v->scene->joint_count && !v->failed; i++) {
        const cp_joint *joint = &v->scene->joints[i];
        uint32_t count = joint->expression ? joint->expression->input_count : 1;
        for (uint32_t k = 0; k < count && !v->failed; k++) {
            uint32_t driver = joint->expression          ? joint->expression->inputs[k]
                              : joint->master != CP_NONE ? joint->master
                                                         : i;
            if (v->joints[driver].sweeps)
                write_sweep(v, driver, i, &keys);
        }
    }
    memory_free(v->context, keys.items, keys.room, sizeof *keys.items);
}

/* three's reader wants all ROUTEs behind all nodes. */
static void write_routes(struct vrml *v)
{
    for (uint32_t i = 0; i < v->wire_count; i++) {
        const struct wire *wire = &v->wires[i];
        const char *const words[] = {"ROUTE ", wire->from, ".", wire->event, " TO ", wire->to, ".", wire->field, "\n"};
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            sink_text(v->out, words[k]);
    }
}

static void add_touches(struct vrml *v)
{
    for (uint32_t i = 0; i < v->scene->node_count; i++) {
        const struct node_plan *node = &v->nodes[i];
        if (!node->touch)
            continue;
        const char *timer =
            node->starts ? v->recording->timer : v->nodes[v->scene->joints[v->joints[node->mover].driver].node].timer;
        vrml_add_wire(v, (struct wire){node->touch, "touchTime", timer, "set_startTime"});
    }
}

void vrml_write_motion(struct vrml *v)
{
    for (uint32_t i = 0; i < v->scene->node_count && !v->failed; i++)
        if (v->nodes[i].plays) {
            vrml_define(v, v->nodes[i].timer);
            sink_text(v->out, "TimeSensor { cycleInterval ");
            vrml_number(v, v->nodes[i].cycle);
            sink_text(v->out, " }\n");
        }
    add_touches(v);
    write_sweeps(v);
    if (v->recording && !v->failed)
        vrml_write_recording(v);
    if (!v->failed)
        write_routes(v);
}
