/* Joints: which axis of which node moves, and AGI_articulations (Vendor extension, complete). */
#include "writer.h"

#include <math.h>
#include <string.h>

/* The joint's axis as one of the node's own, where it is one: exactly, since a reader would see the difference. */
static bool find_own_axis(const double axis[3], struct joint_plan *plan)
{
    for (int i = 0; i < 3; i++) {
        if (axis[i] != 1 || axis[(i + 1) % 3] != 0 || axis[(i + 2) % 3] != 0)
            continue;
        plan->axis = i;
        return true;
    }
    return false;
}

/* Another axis: Z is turned into it. */
static void align(const double axis[3], struct joint_plan *plan)
{
    plan->aligned = true;
    plan->axis = 2;
    /* The rotation between two unit vectors: (Z x axis, 1 + Z . axis), normalised. That has no digits left near -Z: below the
     * horizon it is the rotation from -Z, after half a turn about X. */
    double level = 1 + fabs(axis[2]);
    double above[4] = {-axis[1], axis[0], 0, level}, below[4] = {level, 0, axis[0], -axis[1]};
    const double *turn = axis[2] < 0 ? below : above;
    double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + level * level);
    for (int i = 0; i < 4; i++)
        plan->alignment[i] = turn[i] / length + 0.0; /* no -0 */
}

/* ---- names of articulations ---- */

/* Blanks and controls as '_': the extension's names stand in scripts between blanks. */
static char *name_without_blanks(struct writer *writer, const char *id)
{
    size_t size = strlen(id);
    char *name = scene_allocate(writer->work, size + 1, 1);
    for (size_t i = 0; name && i <= size; i++)
        name[i] = id[i] && ((unsigned char)id[i] <= ' ' || id[i] == 0x7f) ? '_' : id[i];
    return name;
}

static const char *numbered_name(struct writer *writer, const char *name, uint32_t number)
{
    struct buffer text = {.context = writer->context};
    buffer_text(&text, name);
    buffer_print(&text, "_%u", (unsigned)number);
    buffer_append(&text, "", 1);
    const char *unique = text.failed ? NULL : scene_text(writer->work, text.data);
    buffer_free(&text);
    return unique;
}

static bool name_articulation(struct writer *writer, struct name_map *taken, uint32_t joint, const char *base)
{
    const char *name = base;
    bool added = false;
    while (name && name_map_add(taken, name, 1, &added) && !added)
        name = numbered_name(writer, base, ++*name_map_find(taken, base));
    writer->joints[joint].articulation = name;
    return name && added;
}

/* A factor relative to zero says nothing. */
static bool has_articulation(const struct writer *writer, uint32_t joint)
{
    cp_joint_type type = writer->scene->joints[joint].type;
    return type != CP_JOINT_FIXED && (type != CP_JOINT_SCALE || writer->mechanism.values[joint] != 0);
}

/* ---- articulations of several stages ---- */

/* The articulation that a joint was a stage of, in a file of another tool. */
static const char *find_origin(const struct writer *writer, uint32_t joint)
{
    uint32_t at = find_metadata(writer, CP_OWNER_JOINT, joint, "articulation");
    bool whole = at != CP_NONE && has_articulation(writer, joint) && !writer->joints[joint].aligned;
    return whole ? writer->scene->metadata[at].value : NULL;
}

static bool is_neutral(const struct writer *writer, uint32_t joint)
{
    double neutral = writer->scene->joints[joint].type == CP_JOINT_SCALE ? 1 : 0;
    return writer->mechanism.values[joint] == neutral;
}

/* How many joints of the node, from this one on, were one articulation. */
static uint32_t count_stages(const struct writer *writer, uint32_t first, uint32_t end)
{
    const char *origin = find_origin(writer, first);
    uint32_t joint = first;
    for (; origin && joint < end; joint++) {
        const char *other = find_origin(writer, joint);
        if (!other || strcmp(other, origin) != 0)
            break;
    }
    return joint - first;
}

/* Whether they can be one again: the first one's node gets the stages, which are relative to where the joints are now. Before them may be
 * the first joint's motion, behind them the last one's. */
static bool can_be_one(const struct writer *writer, uint32_t first, uint32_t count)
{
    bool good = true;
    for (uint32_t joint = first + 1; joint + 1 < first + count; joint++)
        good = good && is_neutral(writer, joint);
    return good;
}

static void add_stages(struct writer *writer, uint32_t first, uint32_t count)
{
    for (uint32_t joint = first + 1; joint < first + count; joint++)
        writer->joints[joint].in_other = true;
}

static bool plan_origins(struct writer *writer, struct name_map *taken, const cp_node *node)
{
    uint32_t end = node->first_joint + node->joint_count;
    bool good = true;
    for (uint32_t first = node->first_joint, count; first < end && good; first += count > 0 ? count : 1) {
        count = count_stages(writer, first, end);
        bool one = can_be_one(writer, first, count);
        writer->split_articulations += !one;
        if (count == 0 || !one)
            continue;
        good = name_articulation(writer, taken, first, find_origin(writer, first));
        writer->joints[first].stages = count;
        add_stages(writer, first, count);
    }
    return good;
}

/* Whether a joint does as its master does, about the same axis, and is no stage yet. */
static bool follows(const struct writer *writer, uint32_t joint, uint32_t master)
{
    const cp_joint *it = &writer->scene->joints[joint], *other = &writer->scene->joints[master];
    const struct joint_plan *plan = &writer->joints[joint], *others = &writer->joints[master];
    bool free = !plan->in_other && plan->stages == 0;
    return free && it->master == master && it->scale == 1 && it->offset == 0 && it->type == other->type &&
           !plan->aligned && plan->axis == others->axis;
}

/* Nodes that shared an articulation do so again: the joints of one follow those of the other. */
static void plan_followers(struct writer *writer, const cp_node *node)
{
    uint32_t end = node->first_joint + node->joint_count;
    for (uint32_t first = node->first_joint; first < end; first++) {
        uint32_t master = writer->scene->joints[first].master, count = 0;
        uint32_t stages = master == CP_NONE ? 0 : writer->joints[master].stages;
        while (count < stages && first + count < end && follows(writer, first + count, master + count))
            count++;
        if (count == 0 || count < stages)
            continue;
        writer->joints[first].articulation = writer->joints[master].articulation;
        add_stages(writer, first, count);
    }
}

bool plan_joints(struct writer *writer)
{
    const cp_scene *scene = writer->scene;
    struct name_map taken = {.context = writer->context};
    bool good = true;
    for (uint32_t i = 0; i < scene->node_count && good; i++)
        good = plan_origins(writer, &taken, &scene->nodes[i]);
    for (uint32_t i = 0; i < scene->node_count && good; i++)
        plan_followers(writer, &scene->nodes[i]);
    for (uint32_t i = 0; i < scene->joint_count && good; i++) {
        struct joint_plan *plan = &writer->joints[i];
        if (!has_articulation(writer, i) || plan->articulation || plan->in_other)
            continue;
        const char *name = name_without_blanks(writer, joint_id(writer, i));
        good = name && name_articulation(writer, &taken, i, name);
        plan->stages = 1;
    }
    name_map_free(&taken);
    return good;
}

void plan_joint(const cp_joint *joint, struct joint_plan *plan)
{
    if (joint->type != CP_JOINT_FIXED && !find_own_axis(joint->axis, plan))
        align(joint->axis, plan);
}

/* ---- JSON ---- */

/* The value of a stage, relative to the joint's current value. */
static double stage_value(const cp_joint *joint, double q, double value)
{
    switch (joint->type) {
    case CP_JOINT_REVOLUTE:
        return radians_to_degrees(value - q);
    case CP_JOINT_SCALE:
        return value / q;
    case CP_JOINT_PRISMATIC:
    case CP_JOINT_FIXED:
        break;
    }
    return value - q;
}

static void write_stage(struct writer *writer, uint32_t index)
{
    static const char *const types[4][3] = {{"", "", ""},
                                            {"xRotate", "yRotate", "zRotate"},
                                            {"xTranslate", "yTranslate", "zTranslate"},
                                            {"xScale", "yScale", "zScale"}};
    struct json_writer *json = &writer->json;
    const cp_joint *joint = &writer->scene->joints[index];
    double q = writer->mechanism.values[index], range[2];
    joint_range(writer, index, range);
    double initial = joint->type == CP_JOINT_SCALE ? 1 : 0;
    double a = stage_value(joint, q, range[0]), b = stage_value(joint, q, range[1]);
    uint32_t name = find_metadata(writer, CP_OWNER_JOINT, index, "stage");
    json_open(json, '{');
    json_key_text(json, "name", name == CP_NONE ? "value" : writer->scene->metadata[name].value);
    json_key_text(json, "type", types[joint->type][writer->joints[index].axis]);
    json_key_number(json, "minimumValue", fmin(initial, fmin(a, b)));
    json_key_number(json, "maximumValue", fmax(initial, fmax(a, b)));
    json_key_number(json, "initialValue", initial);
    write_metadata_value(writer, index, "stage.extras", "extras");
    json_close(json, '}');
}

static bool has_articulations(const struct writer *writer)
{
    for (uint32_t i = 0; i < writer->scene->joint_count; i++)
        if (writer->joints[i].stages > 0)
            return true;
    return false;
}

static bool has_attach_points(const struct writer *writer)
{
    for (uint32_t i = 0; i < writer->scene->node_count; i++)
        if (has_attach_point(writer, i))
            return true;
    return false;
}

static void write_articulation(struct writer *writer, uint32_t first)
{
    struct json_writer *json = &writer->json;
    json_line(json);
    json_open(json, '{');
    json_key_text(json, "name", writer->joints[first].articulation);
    json_key(json, "stages");
    json_open(json, '[');
    for (uint32_t joint = first; joint < first + writer->joints[first].stages; joint++)
        write_stage(writer, joint);
    json_close(json, ']');
    write_metadata_value(writer, first, "articulation.pointingVector", "pointingVector");
    write_metadata_value(writer, first, "articulation.extras", "extras");
    json_close(json, '}');
}

static void write_articulations(struct writer *writer)
{
    struct json_writer *json = &writer->json;
    json_line(json);
    json_key(json, "extensions");
    json_open(json, '{');
    json_key(json, "AGI_articulations");
    json_open(json, '{');
    json_key(json, "articulations");
    json_open(json, '[');
    for (uint32_t i = 0; i < writer->scene->joint_count; i++)
        if (writer->joints[i].stages > 0)
            write_articulation(writer, i);
    json_close(json, ']');
    json_close(json, '}');
    json_close(json, '}');
}

/* Positions as integers are what no reader without the extension can show. */
static bool is_quantised(const struct writer *writer)
{
    return writer->web.streams[STREAM_POSITIONS].count > 0;
}

static void write_needed(struct writer *writer)
{
    if (is_quantised(writer))
        json_text(&writer->json, "KHR_mesh_quantization");
    if (writer->binary.fallback_size > 0)
        json_text(&writer->json, "EXT_meshopt_compression");
}

void write_extensions(struct writer *writer)
{
    struct json_writer *json = &writer->json;
    bool articulations = has_articulations(writer), articulated = articulations || has_attach_points(writer);
    if (!articulated && !writer->has_polygons && !is_quantised(writer))
        return;
    json_line(json);
    json_key(json, "extensionsUsed");
    json_open(json, '[');
    if (articulated)
        json_text(json, "AGI_articulations");
    if (writer->has_polygons)
        json_text(json, "FB_ngon_encoding");
    write_needed(writer);
    json_close(json, ']');
    if (is_quantised(writer)) {
        json_key(json, "extensionsRequired");
        json_open(json, '[');
        write_needed(writer);
        json_close(json, ']');
    }
    if (articulations)
        write_articulations(writer);
}
