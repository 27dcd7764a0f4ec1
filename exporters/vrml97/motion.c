/* Joints that a click plays: one TimeSensor a part with joints, one interpolator a moving joint, and the ROUTEs. */
#include <math.h>

#include "vrml97.h"

#define LARGEST_STEP (PI / 2)
/* More turns than this between two limits show nothing. */
enum { MOST_STEPS = 4096 };
/* A scale must be above zero (ISO/IEC 14772-1, 6.52). */
#define LEAST_SCALE 1e-6

struct key {
    double time, value;
};

struct keys {
    struct key *items;
    uint32_t count, room;
};

static void add_key(struct vrml *v, struct keys *keys, double time, double value)
{
    if (!array_reserve(v->context, &keys->items, &keys->room, (uint64_t)keys->count + 1, sizeof(struct key))) {
        v->failed = true;
        return;
    }
    keys->items[keys->count++] = (struct key){time, value};
}

/* Keys up to `end`. Interpolation takes the shorter way round, so rotations come in steps of at most a quarter turn. */
static void add_leg(struct vrml *v, struct keys *keys, bool turns, struct key end)
{
    struct key start = keys->items[keys->count - 1];
    double steps = turns ? ceil(fabs(end.value - start.value) / LARGEST_STEP - 1e-9) : 1;
    if (!(steps <= MOST_STEPS)) {
        steps = MOST_STEPS;
        v->turns++;
    }
    int count = steps < 1 ? 1 : (int)steps;
    for (int i = 1; i < count && !v->failed; i++)
        add_key(v, keys, start.time + (end.time - start.time) * i / count,
                start.value + (end.value - start.value) * i / count);
    add_key(v, keys, end.time, end.value);
}

/* A joint's keys over the cycle of the part that drives it, time from 0 to 1. */
static void make_keys(struct vrml *v, uint32_t index, struct keys *keys)
{
    const cp_joint *joint = &v->scene->joints[index];
    uint32_t driver = vrml_driver(v->scene, index);
    const struct node_plan *part = &v->nodes[v->scene->joints[driver].node];
    struct sweep sweep;
    if (!vrml_sweep(v, driver, &sweep))
        return;
    keys->count = 0;
    for (int i = 0; i < SWEEP_KEYS && !v->failed; i++) {
        double value = driver == index ? sweep.values[i] : joint->scale * sweep.values[i] + joint->offset;
        double time = (v->joints[driver].start + sweep.times[i]) / part->cycle;
        if (i == 0)
            add_key(v, keys, 0, value);
        if (!v->failed && (i > 0 || time > 0))
            add_leg(v, keys, joint->type == CP_JOINT_REVOLUTE, (struct key){fmin(time, 1), value});
    }
    if (!v->failed && keys->items[keys->count - 1].time < 1)
        add_key(v, keys, 1, keys->items[keys->count - 1].value);
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

static void write_interpolator(struct vrml *v, uint32_t index, struct keys *keys)
{
    static const char *const prefixes[] = {"", "turn_", "slide_", "stretch_"};
    const cp_joint *joint = &v->scene->joints[index];
    make_keys(v, index, keys);
    v->joints[index].interpolator = vrml_name(v, prefixes[joint->type], joint->name);
    if (v->failed)
        return;
    vrml_open(v, v->joints[index].interpolator,
              joint->type == CP_JOINT_REVOLUTE ? "OrientationInterpolator {" : "PositionInterpolator {");
    vrml_indent(v);
    sink_text(v->out, "key [");
    for (uint32_t i = 0; i < keys->count; i++) {
        sink_text(v->out, " ");
        vrml_number(v, keys->items[i].time);
    }
    sink_text(v->out, " ]\n");
    vrml_open(v, NULL, "keyValue [");
    for (uint32_t i = 0; i < keys->count; i++) {
        vrml_indent(v);
        write_value(v, index, keys->items[i].value);
        sink_text(v->out, "\n");
    }
    vrml_close(v, "]");
    vrml_close(v, "}");
}

static void write_route(struct vrml *v, const char *const from[2], const char *const to[2])
{
    const char *const words[] = {"ROUTE ", from[0], ".", from[1], " TO ", to[0], ".", to[1], "\n"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        sink_text(v->out, words[i]);
}

static const char *timer_of(const struct vrml *v, uint32_t joint)
{
    return v->nodes[v->scene->joints[vrml_driver(v->scene, joint)].node].timer;
}

/* three's reader wants all ROUTEs behind all nodes. */
static void write_routes(struct vrml *v)
{
    static const char *const fields[] = {"", "set_rotation", "set_translation", "set_scale"};
    for (uint32_t i = 0; i < v->scene->node_count; i++)
        if (v->nodes[i].touch)
            write_route(v, (const char *[]){v->nodes[i].touch, "touchTime"},
                        (const char *[]){timer_of(v, v->nodes[i].mover), "set_startTime"});
    for (uint32_t i = 0; i < v->scene->joint_count; i++) {
        const struct joint_plan *joint = &v->joints[i];
        if (!joint->interpolator)
            continue;
        write_route(v, (const char *[]){timer_of(v, i), "fraction_changed"},
                    (const char *[]){joint->interpolator, "set_fraction"});
        write_route(v, (const char *[]){joint->interpolator, "value_changed"},
                    (const char *[]){joint->name, fields[v->scene->joints[i].type]});
    }
}

void vrml_write_motion(struct vrml *v)
{
    struct keys keys = {0};
    for (uint32_t i = 0; i < v->scene->node_count && !v->failed; i++)
        if (v->nodes[i].plays) {
            vrml_define(v, v->nodes[i].timer);
            sink_text(v->out, "TimeSensor { cycleInterval ");
            vrml_number(v, v->nodes[i].cycle);
            sink_text(v->out, " }\n");
        }
    for (uint32_t i = 0; i < v->scene->joint_count && !v->failed; i++)
        if (vrml_moves(v, i))
            write_interpolator(v, i, &keys);
    if (!v->failed)
        write_routes(v);
    memory_free(v->context, keys.items, keys.room, sizeof(struct key));
}
