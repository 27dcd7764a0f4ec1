/* Joints that a click plays: one TimeSensor a part with joints, one interpolator a moving joint, and the ROUTEs. */
#include <math.h>

#include "../../scene/motion/grow.h"
#include "vrml97.h"

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

/* The joint and what follows it: by the timer of the part whose click plays it. */
static void write_sweep(struct vrml *v, uint32_t driver, uint32_t index, struct vrml_keys *keys)
{
    if (v->joints[index].sign == 0 || !v->joints[index].name)
        return;
    make_keys(v, driver, index, keys);
    if (!v->failed)
        vrml_write_joint_keys(v, index, keys, v->nodes[v->scene->joints[driver].node].timer);
}

/* In the order of the joints; one that follows a formula has an interpolator for each joint that the formula is
 * over. */
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
