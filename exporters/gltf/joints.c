/* Joints: the node and the axis that move, and AGI_articulations (Vendor extension, complete). */
#include "writer.h"

#include <math.h>
#include <string.h>

#include "base/text/text.h"

static bool name_articulation(struct gltf_file *file, struct name_map *taken, uint32_t joint, const char *base)
{
    file->joints[joint].articulation = unique_name(file->work->arena, taken, base);
    return file->joints[joint].articulation != NULL;
}

/* Tells whether the joint can be an articulation; a factor relative to zero would not be defined. */
static bool has_articulation(const struct gltf_file *file, uint32_t joint)
{
    cp_joint_type type = file->scene->joints[joint].type;
    return type != CP_JOINT_FIXED && (type != CP_JOINT_SCALE || file->mechanism.values[joint] != 0);
}

/* ---- articulations of several stages ---- */

/* Returns the articulation of which a joint was a stage, in a file of another tool. */
static const char *find_origin(const struct gltf_file *file, uint32_t joint)
{
    uint32_t at = find_metadata(&file->metadata, CP_OWNER_JOINT, joint, "articulation");
    bool whole = at != CP_NONE && has_articulation(file, joint) && !file->joints[joint].aligned;
    return whole ? file->scene->metadata[at].value : NULL;
}

static void add_stages(struct gltf_file *file, uint32_t first, uint32_t count)
{
    for (uint32_t joint = first + 1; joint < first + count; joint++)
        file->joints[joint].in_other = true;
}

/* Joins joints of a node again that were one articulation: the first one's node gets the stages, which are relative to
 * the joints' present values. So all others between the first one's motion and the last one's must be at rest. */
static bool plan_origins(struct gltf_file *file, struct name_map *taken, const cp_node *node)
{
    uint32_t end = node->first_joint + node->joint_count;
    bool good = true;
    for (uint32_t first = node->first_joint, count; first < end && good; first += count > 0 ? count : 1) {
        const char *origin = find_origin(file, first), *other = origin;
        for (count = 0; other && strcmp(other, origin) == 0;)
            other = first + ++count < end ? find_origin(file, first + count) : NULL;
        bool one = true;
        for (uint32_t joint = first + 1; joint + 1 < first + count; joint++) {
            double neutral = file->scene->joints[joint].type == CP_JOINT_SCALE ? 1 : 0;
            one = one && file->mechanism.values[joint] == neutral;
        }
        file->split_articulations += !one;
        if (count == 0 || !one)
            continue;
        good = name_articulation(file, taken, first, origin);
        file->joints[first].stages = count;
        add_stages(file, first, count);
    }
    return good;
}

/* Tells whether a joint moves as its master does, about the same axis, and is no stage yet. */
static bool follows(const struct gltf_file *file, uint32_t joint, uint32_t master)
{
    const cp_joint *it = &file->scene->joints[joint], *other = &file->scene->joints[master];
    const struct joint_plan *plan = &file->joints[joint], *others = &file->joints[master];
    bool free = !plan->in_other && plan->stages == 0;
    return free && it->master == master && it->scale == 1 && it->offset == 0 && it->type == other->type &&
           !plan->aligned && plan->axis == others->axis;
}

/* Lets nodes share an articulation again if they did so: the joints of one follow those of the other. */
static void plan_followers(struct gltf_file *file, const cp_node *node)
{
    uint32_t end = node->first_joint + node->joint_count;
    for (uint32_t first = node->first_joint; first < end; first++) {
        uint32_t master = file->scene->joints[first].master, count = 0;
        uint32_t stages = master == CP_NONE ? 0 : file->joints[master].stages;
        while (count < stages && first + count < end && follows(file, first + count, master + count))
            count++;
        if (count == 0 || count < stages)
            continue;
        file->joints[first].articulation = file->joints[master].articulation;
        add_stages(file, first, count);
    }
}

bool plan_joints(struct gltf_file *file)
{
    const cp_scene *scene = file->scene;
    struct name_map taken = {.context = file->context};
    bool good = true;
    for (uint32_t i = 0; i < scene->node_count && good; i++)
        good = plan_origins(file, &taken, &scene->nodes[i]);
    for (uint32_t i = 0; i < scene->node_count && good; i++)
        plan_followers(file, &scene->nodes[i]);
    for (uint32_t i = 0; i < scene->joint_count && good; i++) {
        struct joint_plan *plan = &file->joints[i];
        if (!has_articulation(file, i) || plan->articulation || plan->in_other)
            continue;
        /* Write blanks and control characters as '_': scripts have the extension's names between blanks. */
        const char *id = scene->joints[i].id;
        size_t size = strlen(id);
        char *name = scene_allocate(file->work, size + 1, 1);
        for (size_t k = 0; name && k <= size; k++)
            name[k] = id[k] && ((unsigned char)id[k] <= ' ' || id[k] == 0x7f) ? '_' : id[k];
        good = name && name_articulation(file, &taken, i, name);
        plan->stages = 1;
    }
    name_map_free(&taken);
    return good;
}

/* Chooses the axis; node and articulation are left alone. */
void plan_joint(const cp_joint *joint, struct joint_plan *plan)
{
    const double *axis = joint->axis;
    if (joint->type == CP_JOINT_FIXED)
        return;
    /* Take one of the node's own axes if it is exactly the joint's, since a reader would see a difference. */
    for (int i = 0; i < 3; i++)
        if (axis[i] == 1 && axis[(i + 1) % 3] == 0 && axis[(i + 2) % 3] == 0) {
            plan->axis = i;
            return;
        }
    /* Else turn Z into it, by the rotation between two unit vectors: (Z x axis, 1 + Z . axis), normalised. Near -Z that
     * has no digits left, so below the horizon it is the rotation from -Z, after half a turn about X. */
    plan->aligned = true;
    plan->axis = 2;
    double level = 1 + fabs(axis[2]);
    double above[4] = {-axis[1], axis[0], 0, level}, below[4] = {level, 0, axis[0], -axis[1]};
    const double *turn = axis[2] < 0 ? below : above;
    double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + level * level);
    for (int i = 0; i < 4; i++)
        plan->alignment[i] = turn[i] / length + 0.0; /* no -0 */
}

/* ---- JSON ---- */

/* Returns the value of a stage, relative to the joint's current value. */
static double stage_value(const cp_joint *joint, double q, double value)
{
    return joint->type == CP_JOINT_REVOLUTE ? radians_to_degrees(value - q)
           : joint->type == CP_JOINT_SCALE  ? value / q
                                            : value - q;
}

static void write_stage(struct json_writer *json, const struct gltf_file *file, uint32_t index)
{
    static const char *const types[4][3] = {{"", "", ""},
                                            {"xRotate", "yRotate", "zRotate"},
                                            {"xTranslate", "yTranslate", "zTranslate"},
                                            {"xScale", "yScale", "zScale"}};
    const cp_joint *joint = &file->scene->joints[index];
    double q = file->mechanism.values[index], range[2];
    joint_range(file, index, range);
    double initial = joint->type == CP_JOINT_SCALE ? 1 : 0;
    double a = stage_value(joint, q, range[0]), b = stage_value(joint, q, range[1]);
    uint32_t name = find_metadata(&file->metadata, CP_OWNER_JOINT, index, "stage");
    json_open(json, '{');
    json_key_text(json, "name", name == CP_NONE ? "value" : file->scene->metadata[name].value);
    json_key_text(json, "type", types[joint->type][file->joints[index].axis]);
    json_key_number(json, "minimumValue", fmin(initial, fmin(a, b)));
    json_key_number(json, "maximumValue", fmax(initial, fmax(a, b)));
    json_key_number(json, "initialValue", initial);
    write_metadata_value(json, &file->metadata, index, "stage.extras", "extras");
    json_close(json, '}');
}

static void write_needed(struct json_writer *json, const struct gltf_file *file, bool quantised)
{
    if (quantised)
        json_text(json, "KHR_mesh_quantization");
    if (file->binary.fallback_size > 0)
        json_text(json, "EXT_meshopt_compression");
}

static void write_articulations(struct json_writer *json, const struct gltf_file *file)
{
    const cp_scene *scene = file->scene;
    json_key_open(json, "AGI_articulations", '{');
    json_key_open(json, "articulations", '[');
    for (uint32_t i = 0; i < scene->joint_count; i++) {
        const struct joint_plan *plan = &file->joints[i];
        if (plan->stages == 0)
            continue;
        json_open_item(json);
        json_key_text(json, "name", plan->articulation);
        json_key_open(json, "stages", '[');
        for (uint32_t joint = i; joint < i + plan->stages; joint++)
            write_stage(json, file, joint);
        json_close(json, ']');
        write_metadata_value(json, &file->metadata, i, "articulation.pointingVector", "pointingVector");
        write_metadata_value(json, &file->metadata, i, "articulation.extras", "extras");
        json_close(json, '}');
    }
    json_close(json, ']');
    json_close(json, '}');
}

static void write_lights(struct json_writer *json, const struct gltf_file *file)
{
    json_key_open(json, "KHR_lights_punctual", '{');
    json_key_open(json, "lights", '[');
    for (uint32_t i = 0; i < file->scene->node_count; i++)
        if (find_light(&file->metadata, i))
            json_word(json, find_light(&file->metadata, i));
    json_close(json, ']');
    json_close(json, '}');
}

void write_extensions(struct json_writer *json, const struct gltf_file *file)
{
    const cp_scene *scene = file->scene;
    bool articulations = false, attach_points = false, lights = false;
    for (uint32_t i = 0; i < scene->joint_count; i++)
        articulations = articulations || file->joints[i].stages > 0;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        attach_points = attach_points || has_attach_point(&file->metadata, i);
        lights = lights || find_light(&file->metadata, i);
    }
    /* A reader without the extension cannot show positions as integers. */
    bool quantised = file->web.streams.streams[STREAM_POSITIONS].count > 0;
    bool needed = quantised || file->binary.fallback_size > 0;
    bool textures = has_texture_extensions(file, false), needs_textures = has_texture_extensions(file, true);
    if (!articulations && !attach_points && !needed && !textures && !lights)
        return;
    json_open_list(json, "extensionsUsed");
    if (articulations || attach_points)
        json_text(json, "AGI_articulations");
    if (lights)
        json_text(json, "KHR_lights_punctual");
    write_needed(json, file, quantised);
    write_texture_extensions(json, file, false);
    json_close(json, ']');
    if (needed || needs_textures) {
        json_key_open(json, "extensionsRequired", '[');
        write_needed(json, file, quantised);
        write_texture_extensions(json, file, true);
        json_close(json, ']');
    }
    if (!articulations && !lights)
        return;
    json_line(json);
    json_key_open(json, "extensions", '{');
    if (articulations)
        write_articulations(json, file);
    if (lights)
        write_lights(json, file);
    json_close(json, '}');
}
