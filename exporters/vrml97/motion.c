/* Joints that a click plays: one TimeSensor for each part with joints, one interpolator for each moving joint, and the
 * ROUTEs. */
#include <math.h>

#include "base/text/text.h"
#include "motion/clips/clips.h"
#include "vrml97.h"

/* Writes the interpolator of a joint over the cycle of the part whose click plays it, time from 0 to 1. */
static void write_sweep(struct vrml_output *output, struct vrml_frames *frames, struct vrml_motion *motion,
                        uint32_t driver, uint32_t index)
{
    const cp_joint *joint = &frames->scene->joints[index];
    const struct vrml_node_plan *part = &frames->nodes[frames->scene->joints[driver].node];
    struct joint_law law = joint_law(frames->scene->joints, index);
    const struct sweep *sweep = &frames->joints[driver].sweep;
    if (frames->joints[index].sign == 0 || !frames->joints[index].name)
        return;
    /* A formula's values during the sweep are sampled within a ten-thousandth of the scene's size. */
    bool sized = joint->type == CP_JOINT_PRISMATIC && frames->diagonal > 0;
    struct growing_track track = {.path = CP_PATH_JOINT, .tolerance = sized ? 1e-4 * frames->diagonal : 1e-4};
    const bool sampled = mechanism_samples(&frames->mechanism, index);
    if (sampled &&
        !(sweep_expression(&frames->mechanism, driver, index, sweep, &track) && track_cut(output->context, &track)))
        output->failed = true;
    const double *times = sampled ? track.times : sweep->times;
    uint32_t count = sampled ? track.count : SWEEP_KEYS;
    struct vrml_keys keys = {.joint = index, .path = CP_PATH_JOINT};
    for (uint32_t i = 0; i < count && !output->failed; i++) {
        double value = sampled ? track.values[i] : law.scale * sweep->values[i] + law.offset;
        vrml_add_key(output, frames, &keys, fmin((frames->joints[driver].start + times[i]) / part->cycle, 1), &value);
    }
    vrml_write_keys(output, frames, motion, &keys, part->timer, joint->name, frames->joints[index].name);
    track_free(output->context, &track);
}

static const char *timer_of(const struct vrml_frames *frames, uint32_t joint)
{
    return frames->nodes[frames->scene->joints[joint].node].timer;
}

/* Writes the name; with a joint also its limits: "J2: -110 to 110 deg". */
void vrml_write_description(struct vrml_output *output, const struct vrml_frames *frames, uint32_t node)
{
    const struct vrml_node_plan *plan = &frames->nodes[node];
    bool moved = plan->mover != CP_NONE && !plan->starts;
    const cp_joint *joint = moved ? &frames->scene->joints[plan->mover] : NULL;
    static const char *const units[] = {
        [CP_JOINT_FIXED] = "", [CP_JOINT_REVOLUTE] = " deg", [CP_JOINT_PRISMATIC] = " m", [CP_JOINT_SCALE] = ""};
    struct buffer text = {.context = output->context};
    buffer_text(&text, moved ? joint->name : plan->starts ? frames->clip : frames->scene->nodes[node].name);
    if (moved && isfinite(joint->lower) && isfinite(joint->upper)) {
        double unit = joint->type == CP_JOINT_REVOLUTE ? radians_to_degrees(1) : 1;
        buffer_print(&text, ": %s to %s%s", show_number(joint->lower * unit).text,
                     show_number(joint->upper * unit).text, units[joint->type]);
    }
    buffer_append(&text, "", 1);
    sink_text(output->sink, "description ");
    if (text.failed)
        output->failed = true;
    else
        vrml_string(output, text.data);
    sink_text(output->sink, " ");
    buffer_free(&text);
}

/* Returns the timer that a click on the shapes of a frame starts, without small joints: the recording's, or that of the
 * joint that moves them. */
static const char *own_timer(const struct vrml_frames *frames, const struct vrml_motion *motion,
                             const struct vrml_node_plan *node)
{
    return node->starts             ? motion->recording->timer
           : node->mover == CP_NONE ? NULL
                                    : timer_of(frames, frames->joints[node->mover].driver);
}

static void wire_clicks(struct vrml_output *output, const struct vrml_frames *frames, struct vrml_motion *motion)
{
    const cp_scene *scene = frames->scene;
    const struct vrml_node_plan **substitutes = vrml_plan_room(output, scene->device_count, sizeof *substitutes);
    for (uint32_t i = 0; i < scene->node_count && !output->failed; i++) {
        const struct vrml_node_plan *node = &frames->nodes[i];
        const char *timer = own_timer(frames, motion, node);
        if (node->touch && timer)
            vrml_add_wire(output, motion, (struct wire){node->touch, "touchTime", timer, "set_startTime"});
        if (node->touch && node->substitutes)
            substitutes[scene->nodes[i].scope] = node;
    }
    for (uint32_t i = 0; i < scene->node_count && !output->failed; i++) {
        const struct vrml_node_plan *node = frames->nodes[i].small ? substitutes[scene->nodes[i].scope] : NULL;
        if (node && frames->nodes[i].timer != own_timer(frames, motion, node))
            vrml_add_wire(output, motion,
                          (struct wire){node->touch, "touchTime", frames->nodes[i].timer, "set_startTime"});
    }
}

/* Lets each timer stop the others: the recording and the joints move the same Transforms. */
static void wire_stops(struct vrml_output *output, const struct vrml_frames *frames, struct vrml_motion *motion)
{
    for (uint32_t i = 0; i < frames->scene->node_count && motion->recording; i++)
        if (frames->nodes[i].plays) {
            vrml_add_wire(output, motion,
                          (struct wire){frames->nodes[i].timer, "cycleTime", motion->recording->timer, "set_stopTime"});
            vrml_add_wire(output, motion,
                          (struct wire){motion->recording->timer, "cycleTime", frames->nodes[i].timer, "set_stopTime"});
        }
}

void vrml_write_motion(struct vrml_output *output, struct vrml_frames *frames, struct vrml_motion *motion)
{
    const cp_scene *scene = frames->scene;
    if (output->settings->play != VRML_PLAY_CLICK) {
        motion->entry = vrml_name(output, "", "entry");
        vrml_define(output, motion->entry);
        sink_text(output->sink, "ProximitySensor { size 1e9 1e9 1e9 }\n");
    }
    for (uint32_t i = 0; i < scene->node_count && !output->failed; i++)
        if (frames->nodes[i].plays)
            vrml_write_timer(output, motion, frames->nodes[i].timer, frames->nodes[i].cycle, !motion->recording);
    wire_clicks(output, frames, motion);
    wire_stops(output, frames, motion);
    /* Write the joints in their order. One with a formula has an interpolator for each joint that the formula uses. */
    for (uint32_t i = 0; i < scene->joint_count && !output->failed; i++) {
        uint32_t count;
        const uint32_t *drivers = mechanism_inputs(&frames->mechanism, i, &count);
        for (uint32_t k = 0; k < count && !output->failed; k++)
            if (frames->joints[drivers[k]].sweeps)
                write_sweep(output, frames, motion, drivers[k], i);
    }
    if (motion->recording && !output->failed)
        vrml_write_recording(output, frames, motion);
    /* three's reader demands all ROUTEs behind all nodes. */
    for (uint32_t i = 0; i < motion->wire_count && !output->failed; i++) {
        const struct wire *wire = &motion->wires[i];
        sink_print(output->sink, "ROUTE %s.%s TO %s.%s\n", wire->from, wire->event, wire->to, wire->field);
    }
}
