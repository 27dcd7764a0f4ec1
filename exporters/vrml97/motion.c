/* Joints that a click plays: one TimeSensor for each part with joints, one interpolator for each moving joint, and the
 * ROUTEs. */
#include <math.h>

#include "base/text/text.h"
#include "motion/clips/clips.h"
#include "vrml97.h"

/* Writes the interpolator of a joint over the cycle of the part whose click plays it, time from 0 to 1. */
static void write_sweep(struct vrml *v, uint32_t driver, uint32_t index)
{
    const cp_joint *joint = &v->scene->joints[index];
    const struct node_plan *part = &v->nodes[v->scene->joints[driver].node];
    struct joint_law law = joint_law(v->scene->joints, index);
    const struct sweep *sweep = &v->joints[driver].sweep;
    if (v->joints[index].sign == 0 || !v->joints[index].name)
        return;
    /* A formula's values during the sweep are sampled within a ten-thousandth of the scene's size. */
    bool sized = joint->type == CP_JOINT_PRISMATIC && v->diagonal > 0;
    struct growing_track track = {.path = CP_PATH_JOINT, .tolerance = sized ? 1e-4 * v->diagonal : 1e-4};
    const bool sampled = mechanism_samples(&v->mechanism, index);
    if (sampled && !(sweep_expression(&v->mechanism, driver, index, sweep, &track) && track_cut(v->context, &track)))
        v->failed = true;
    const double *times = sampled ? track.times : sweep->times;
    uint32_t count = sampled ? track.count : SWEEP_KEYS;
    struct vrml_keys keys = {.joint = index, .path = CP_PATH_JOINT};
    for (uint32_t i = 0; i < count && !v->failed; i++) {
        double value = sampled ? track.values[i] : law.scale * sweep->values[i] + law.offset;
        vrml_add_key(v, &keys, fmin((v->joints[driver].start + times[i]) / part->cycle, 1), &value);
    }
    vrml_write_keys(v, &keys, part->timer, joint->name, v->joints[index].name);
    track_free(v->context, &track);
}

static const char *timer_of(const struct vrml *v, uint32_t joint)
{
    return v->nodes[v->scene->joints[joint].node].timer;
}

/* Writes the name; with a joint also its limits: "J2: -110 to 110 deg". */
void vrml_write_description(struct vrml *v, uint32_t node)
{
    const struct node_plan *plan = &v->nodes[node];
    bool moved = plan->mover != CP_NONE && !plan->starts;
    const cp_joint *joint = moved ? &v->scene->joints[plan->mover] : NULL;
    static const char *const units[] = {
        [CP_JOINT_FIXED] = "", [CP_JOINT_REVOLUTE] = " deg", [CP_JOINT_PRISMATIC] = " m", [CP_JOINT_SCALE] = ""};
    struct buffer text = {.context = v->context};
    buffer_text(&text, moved ? joint->name : plan->starts ? v->recording->source->name : v->scene->nodes[node].name);
    if (moved && isfinite(joint->lower) && isfinite(joint->upper)) {
        double unit = joint->type == CP_JOINT_REVOLUTE ? radians_to_degrees(1) : 1;
        buffer_print(&text, ": %s to %s%s", show_number(joint->lower * unit).text,
                     show_number(joint->upper * unit).text, units[joint->type]);
    }
    buffer_append(&text, "", 1);
    sink_text(v->out, "description ");
    if (text.failed)
        v->failed = true;
    else
        vrml_string(v, text.data);
    sink_text(v->out, " ");
    buffer_free(&text);
}

/* Returns the timer that a click on the shapes of a frame starts, without small joints: the recording's, or that of the
 * joint that moves them. */
static const char *own_timer(const struct vrml *v, const struct node_plan *node)
{
    return node->starts             ? v->recording->timer
           : node->mover == CP_NONE ? NULL
                                    : timer_of(v, v->joints[node->mover].driver);
}

static void wire_clicks(struct vrml *v)
{
    const cp_scene *scene = v->scene;
    const struct node_plan **substitutes = vrml_plan_room(v, scene->device_count, sizeof *substitutes);
    for (uint32_t i = 0; i < scene->node_count && !v->failed; i++) {
        const struct node_plan *node = &v->nodes[i];
        const char *timer = own_timer(v, node);
        if (node->touch && timer)
            vrml_add_wire(v, (struct wire){node->touch, "touchTime", timer, "set_startTime"});
        if (node->touch && node->substitutes)
            substitutes[scene->nodes[i].scope] = node;
    }
    for (uint32_t i = 0; i < scene->node_count && !v->failed; i++) {
        const struct node_plan *node = v->nodes[i].small ? substitutes[scene->nodes[i].scope] : NULL;
        if (node && v->nodes[i].timer != own_timer(v, node))
            vrml_add_wire(v, (struct wire){node->touch, "touchTime", v->nodes[i].timer, "set_startTime"});
    }
}

/* Lets each timer stop the others: the recording and the joints move the same Transforms. */
static void wire_stops(struct vrml *v)
{
    for (uint32_t i = 0; i < v->scene->node_count && v->recording; i++)
        if (v->nodes[i].plays) {
            vrml_add_wire(v, (struct wire){v->nodes[i].timer, "cycleTime", v->recording->timer, "set_stopTime"});
            vrml_add_wire(v, (struct wire){v->recording->timer, "cycleTime", v->nodes[i].timer, "set_stopTime"});
        }
}

void vrml_write_motion(struct vrml *v)
{
    const cp_scene *scene = v->scene;
    if (v->settings->play != VRML_PLAY_CLICK) {
        v->entry = vrml_name(v, "", "entry");
        vrml_define(v, v->entry);
        sink_text(v->out, "ProximitySensor { size 1e9 1e9 1e9 }\n");
    }
    for (uint32_t i = 0; i < scene->node_count && !v->failed; i++)
        if (v->nodes[i].plays)
            vrml_write_timer(v, v->nodes[i].timer, v->nodes[i].cycle, !v->recording);
    wire_clicks(v);
    wire_stops(v);
    /* Write the joints in their order. One with a formula has an interpolator for each joint that the formula uses. */
    for (uint32_t i = 0; i < scene->joint_count && !v->failed; i++) {
        uint32_t count;
        const uint32_t *drivers = mechanism_inputs(&v->mechanism, i, &count);
        for (uint32_t k = 0; k < count && !v->failed; k++)
            if (v->joints[drivers[k]].sweeps)
                write_sweep(v, drivers[k], i);
    }
    if (v->recording && !v->failed)
        vrml_write_recording(v);
    /* three's reader demands all ROUTEs behind all nodes. */
    for (uint32_t i = 0; i < v->wire_count && !v->failed; i++) {
        const struct wire *wire = &v->wires[i];
        const char *const words[] = {"ROUTE ", wire->from, ".", wire->event, " TO ", wire->to, ".", wire->field, "\n"};
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            sink_text(v->out, words[k]);
    }
}
