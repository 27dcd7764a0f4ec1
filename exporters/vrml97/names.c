/* Memory until the file is written, and DEF names: legal, unique, with the originals in a WorldInfo. */
#include <math.h>
#include <string.h>

#include "base/text/text.h"
#include "vrml97.h"

/* Keywords of the grammar (ISO/IEC 14772-1, A.1). */
static const char *const keywords[] = {"DEF", "EXTERNPROTO", "IS",       "PROTO",        "ROUTE", "TO",
                                       "USE", "eventIn",     "eventOut", "exposedField", "field", NULL};
/* three's reader takes any word that begins with one of these as that value. */
static const char *const values[] = {"FALSE", "NULL", "TRUE", NULL};

void *vrml_plan_room(struct vrml_output *output, size_t count, size_t size)
{
    void *room = arena_allocate_zeroed(output->arena, count, size);
    output->failed |= !room;
    return room;
}

static bool begins_name(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Makes a name legal. The standard allows more characters, but all readers share only letters, digits and _. Others
 * become _, one for each character, not for each byte. */
static char *legal_name(const struct vrml_output *output, const char *prefix, const char *wanted)
{
    const char *text = wanted && *wanted ? wanted : "unnamed";
    size_t size = strlen(prefix), length = strlen(text);
    char *name = arena_allocate(output->arena, size + length + 3, 1);
    if (!name)
        return NULL;
    memcpy(name, prefix, size);
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)text[i];
        if ((byte & 0xc0) != 0x80)
            name[size++] = begins_name(byte) || (byte >= '0' && byte <= '9') ? (char)byte : '_';
    }
    name[size] = 0;
    bool legal = begins_name((unsigned char)name[0]);
    for (const char *const *word = keywords; *word && legal; word++)
        legal = strcmp(name, *word) != 0;
    for (const char *const *word = values; *word && legal; word++)
        legal = strncmp(name, *word, strlen(*word)) != 0;
    if (!legal) {
        memmove(name + 2, name, size + 1);
        memcpy(name, "n_", 2);
    }
    return name;
}

const char *vrml_name(struct vrml_output *output, const char *prefix, const char *wanted)
{
    const char *base = output->failed ? NULL : legal_name(output, prefix, wanted);
    const char *name = base ? unique_name(output->arena, &output->names, base) : NULL;
    output->failed |= !name;
    return name;
}

/* Frames are named first, so that their names stay as near to the source's as possible. */
void vrml_name_frames(struct vrml_output *output, struct vrml_frames *frames)
{
    const cp_scene *scene = frames->scene;
    for (uint32_t i = 0; i < scene->node_count; i++)
        if (!(frames->nodes[i].name = vrml_name(output, "", scene->nodes[i].name)))
            return;
    for (uint32_t i = 0; i < scene->joint_count; i++)
        if (scene->joints[i].type != CP_JOINT_FIXED)
            frames->joints[i].name = vrml_name(output, "motion_", scene->joints[i].name);
}

void vrml_name_meshes(struct vrml_output *output, struct vrml_shapes *shapes)
{
    const cp_scene *scene = shapes->scene;
    for (uint32_t i = 0; i < 2 * scene->mesh_count; i++) {
        const char *wanted = scene->meshes[i / 2].name;
        if (shapes->meshes[i].uses > 1 || (shapes->meshes[i].uses && wanted && *wanted))
            shapes->meshes[i].name = vrml_name(output, i & 1 ? "mirrored_" : "mesh_", wanted);
    }
    for (uint32_t i = 0; i < 2 * scene->material_count + 2; i++)
        if (shapes->looks[i].used)
            shapes->looks[i].name = vrml_name(output, "look_", i < 2 ? "default" : scene->materials[i / 2 - 1].name);
}

/* Writes the line as a string, and empties it. */
static void info_end(struct vrml_output *output, struct buffer *line)
{
    buffer_append(line, "", 1);
    output->failed |= line->failed;
    if (output->failed)
        return;
    vrml_indent(output);
    vrml_string(output, line->data);
    sink_text(output->sink, "\n");
    line->size = 0;
}

/* Writes "frame NAME name=ORIGINAL"; the original comes last because it may hold blanks. Nothing if NAME is the prefix
 * and the original, or is not written. */
static void info_name(struct vrml_output *output, struct buffer *line, const char *kind, const char *prefix,
                      const char *name, const char *original)
{
    if (output->failed || !name || !original || (*prefix && !*original) || strcmp(name + strlen(prefix), original) == 0)
        return;
    buffer_print(line, "%s %s name=", kind, name);
    buffer_text(line, original);
    info_end(output, line);
}

static void info_limit(struct buffer *line, const char *key, double value)
{
    if (!isfinite(value))
        return;
    buffer_print(line, "%s=", key);
    buffer_double(line, value);
    buffer_text(line, " ");
}

/* Writes properties of a joint for which VRML97 has no field: limits, home and the joints that it depends on. */
static void info_joint(struct vrml_output *output, const struct vrml_frames *frames, uint32_t index,
                       struct buffer *line)
{
    const cp_joint *joint = &frames->scene->joints[index];
    const cp_expression *expression = joint->expression;
    const char *name = frames->joints[index].name;
    buffer_print(line, "joint %s %s ", name ? name : frames->nodes[joint->node].name, joint_type_words[joint->type]);
    if (!joint->driven)
        buffer_text(line, "passive ");
    if (joint->type != CP_JOINT_FIXED) { /* a Transform at rest does not show it */
        /* Below a mirroring, translations change their signs. */
        bool turned = joint->type == CP_JOINT_PRISMATIC && frames->joints[index].sign < 0;
        buffer_text(line, "axis=");
        for (int i = 0; i < 3; i++) {
            buffer_double(line, turned ? 0 - joint->axis[i] : joint->axis[i]);
            buffer_text(line, i < 2 ? "," : " ");
        }
    }
    info_limit(line, "lower", joint->lower);
    info_limit(line, "upper", joint->upper);
    info_limit(line, "velocity", joint->velocity);
    info_limit(line, "acceleration", joint->acceleration);
    info_limit(line, "effort", joint->effort);
    if (joint->damping > 0)
        info_limit(line, "damping", joint->damping);
    if (joint->friction > 0)
        info_limit(line, "friction", joint->friction);
    info_limit(line, "home", joint->home);
    if (cp_joint_is_dependent(joint)) {
        /* Write its master, or the joints of the formula in the formula's order. */
        for (uint32_t i = 0; i < (expression ? expression->input_count : 1); i++) {
            uint32_t master = expression ? expression->inputs[i] : joint->master;
            const char *own = frames->joints[master].name;
            buffer_print(line, "master=%s ", own ? own : frames->nodes[frames->scene->joints[master].node].name);
            if (expression && expression->factors[i] != 1)
                info_limit(line, "factor", expression->factors[i]); /* it multiplies the joint's value in the formula */
        }
        if (expression && expression->angle != 1)
            info_limit(line, "angle", expression->angle);
        buffer_text(line, expression ? "expression=" : "");
        for (const char *at = expression ? expression->text : ""; *at; at++)
            if (*at != ' ' && *at != '\t')
                buffer_append(line, at, 1);
        buffer_text(line, expression ? " " : "");
        info_limit(line, "scale", joint->scale);
        info_limit(line, "offset", joint->offset);
    }
    buffer_text(line, "name=");
    buffer_text(line, joint->name);
    info_end(output, line);
}

/* Writes "KEY=A,B,C " of numbers that are whole, or not. */
static void info_list(struct buffer *line, const char *key, const uint32_t *whole, const double *numbers,
                      uint32_t count)
{
    if (count > 0)
        buffer_print(line, "%s=", key);
    for (uint32_t i = 0; i < count; i++) {
        if (whole)
            buffer_print(line, "%u", whole[i]);
        else
            buffer_double(line, numbers[i]);
        buffer_text(line, i + 1 < count ? "," : " ");
    }
}

/* Returns the DEF name of the frame, or of the one around it where it is left out. */
static const char *shown_name(const struct vrml_frames *frames, uint32_t index)
{
    while (frames->nodes[index].left_out)
        index = frames->scene->nodes[index].parent;
    return frames->nodes[index].name;
}

/* Writes a device, which counts in the order of these strings. Joints are numbers of theirs, frames are DEF names. */
static void info_device(struct vrml_output *output, const struct vrml_frames *frames, const cp_device *device,
                        struct buffer *line)
{
    buffer_print(line, "device %s base=%s ", device_kind_words[device->kind], shown_name(frames, device->base));
    if (device->scope != CP_NONE)
        info_list(line, "scope", &device->scope, NULL, 1);
    info_list(line, "joints", device->joints, NULL, device->joint_count);
    info_list(line, "home", NULL, device->home, device->home ? device->joint_count : 0);
    for (uint32_t i = 0; i < device->end_count; i++)
        buffer_print(line, "end=%s ", shown_name(frames, device->ends[i]));
    buffer_text(line, "name=");
    buffer_text(line, device->name);
    info_end(output, line);
}

/* Writes the device that a frame belongs to, where it is not that of the frame around it. */
static void info_scope(struct vrml_output *output, const struct vrml_frames *frames, uint32_t index,
                       struct buffer *line)
{
    const cp_node *node = &frames->scene->nodes[index];
    uint32_t around = node->parent == CP_NONE ? CP_NONE : frames->scene->nodes[node->parent].scope;
    if (node->scope == around || frames->nodes[index].left_out)
        return;
    buffer_print(line, "scope %s", frames->nodes[index].name);
    if (node->scope != CP_NONE)
        buffer_print(line, " %u", node->scope);
    info_end(output, line);
}

void vrml_write_info(struct vrml_output *output, const struct vrml_frames *frames, const struct vrml_shapes *shapes)
{
    const cp_scene *scene = frames->scene;
    struct buffer line = {.context = output->context};
    vrml_open(output, NULL, "WorldInfo {");
    const char *title = sink_stem(output->world);
    if (utf8_valid(title, strlen(title))) {
        vrml_indent(output);
        sink_text(output->sink, "title ");
        vrml_string(output, title);
        sink_text(output->sink, "\n");
    }
    vrml_open(output, NULL, "info [");
    for (uint32_t i = 0; i < scene->node_count; i++)
        if (!(scene->nodes[i].flags & CP_NODE_PLACEHOLDER))
            info_name(output, &line, "frame", "", frames->nodes[i].name, scene->nodes[i].name);
    for (uint32_t i = 0; i < scene->joint_count && !output->failed; i++)
        info_joint(output, frames, i, &line);
    for (uint32_t i = 0; i < scene->device_count && !output->failed; i++)
        info_device(output, frames, &scene->devices[i], &line);
    for (uint32_t i = 0; i < scene->node_count && scene->device_count > 0 && !output->failed; i++)
        info_scope(output, frames, i, &line);
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        info_name(output, &line, "mesh", "mesh_", shapes->meshes[2 * i].name, scene->meshes[i].name);
    for (uint32_t i = 0; i < scene->material_count; i++)
        info_name(output, &line, "look", "look_", shapes->looks[2 * i + 2].name, scene->materials[i].name);
    vrml_close_node(output);
    buffer_free(&line);
}
