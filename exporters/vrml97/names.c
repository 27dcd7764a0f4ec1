/* DEF names: legal, unique, and the originals in a WorldInfo. */
#include <math.h>
#include <string.h>

#include "vrml97.h"

/* Keywords of the grammar (ISO/IEC 14772-1, A.1). */
static const char *const keywords[] = {"DEF", "EXTERNPROTO", "IS",       "PROTO",        "ROUTE", "TO",
                                       "USE", "eventIn",     "eventOut", "exposedField", "field", NULL};
/* three's reader takes any word that begins with one of these for the value. */
static const char *const values[] = {"FALSE", "NULL", "TRUE", NULL};

static bool is_reserved(const char *name)
{
    for (const char *const *word = keywords; *word; word++)
        if (strcmp(name, *word) == 0)
            return true;
    for (const char *const *word = values; *word; word++)
        if (strncmp(name, *word, strlen(*word)) == 0)
            return true;
    return false;
}

static bool begins_name(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_plain(unsigned char c)
{
    return begins_name(c) || (c >= '0' && c <= '9');
}

/* The standard allows more characters; letters, digits and _ are what all readers share. Others become _, one for
 * each character, not for each byte. */
static char *legal_name(struct vrml *v, const char *prefix, const char *wanted)
{
    const char *text = wanted && *wanted ? wanted : "unnamed";
    size_t size = strlen(prefix), length = strlen(text);
    char *name = arena_allocate(v->arena, size + length + 3, 1);
    if (!name)
        return NULL;
    memcpy(name, prefix, size);
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)text[i];
        if ((byte & 0xc0) != 0x80)
            name[size++] = is_plain(byte) ? (char)byte : '_';
    }
    name[size] = 0;
    if (!begins_name((unsigned char)name[0]) || is_reserved(name)) {
        memmove(name + 2, name, size + 1);
        memcpy(name, "n_", 2);
    }
    return name;
}

/* base_2, base_3, ...: the map holds for each name the number to try next, so that many equal names cost no search. */
static const char *numbered_name(struct vrml *v, const char *base)
{
    for (;;) {
        uint32_t *next = name_map_find(&v->names, base);
        const char *name = arena_print(v->arena, "%s_%lu", base, (unsigned long)(*next)++);
        bool added;
        if (!name || !name_map_add(&v->names, name, 2, &added))
            return NULL;
        if (added)
            return name;
    }
}

const char *vrml_name(struct vrml *v, const char *prefix, const char *wanted)
{
    bool added;
    const char *name = v->failed ? NULL : legal_name(v, prefix, wanted);
    if (name && !name_map_add(&v->names, name, 2, &added))
        name = NULL;
    if (name && !added)
        name = numbered_name(v, name);
    v->failed |= !name;
    return name;
}

static void name_mesh(struct vrml *v, uint32_t index)
{
    const char *wanted = v->scene->meshes[index].name;
    for (uint32_t i = 2 * index; i < 2 * index + 2; i++)
        if (v->meshes[i].uses > 1 || (v->meshes[i].uses && wanted && *wanted))
            v->meshes[i].name = vrml_name(v, i & 1 ? "mirrored_" : "mesh_", wanted);
}

/* Frames first: their names stay as near to the source's as they can. */
void vrml_name_frames(struct vrml *v)
{
    const cp_scene *scene = v->scene;
    for (uint32_t i = 0; i < scene->node_count; i++)
        if (!(v->nodes[i].name = vrml_name(v, "", scene->nodes[i].name)))
            return;
    for (uint32_t i = 0; i < scene->joint_count; i++)
        if (scene->joints[i].type != CP_JOINT_FIXED)
            v->joints[i].name = vrml_name(v, "motion_", scene->joints[i].name);
}

void vrml_name_meshes(struct vrml *v)
{
    const cp_scene *scene = v->scene;
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        name_mesh(v, i);
    for (uint32_t i = 0; i < 2 * scene->material_count + 2; i++)
        if (v->looks[i].used)
            v->looks[i].name = vrml_name(v, "look_", i < 2 ? "default" : scene->materials[i / 2 - 1].name);
}

static void info_end(struct vrml *v, struct buffer *line)
{
    buffer_append(line, "", 1);
    v->failed |= line->failed;
    if (v->failed)
        return;
    vrml_indent(v);
    vrml_string(v, line->data);
    sink_text(v->out, "\n");
    line->size = 0;
}

/* "frame NAME name=ORIGINAL": the original comes last because it may hold blanks. Nothing when the name says it. */
static void info_name(struct vrml *v, struct buffer *line, const char *kind, const char *const names[2])
{
    bool frame = strcmp(kind, "frame") == 0;
    if (v->failed || !names[0] || !names[1] || (!frame && !*names[1]))
        return;
    size_t prefix = frame ? 0 : strlen(kind) + 1; /* as in "mesh_" */
    if (strcmp(names[0] + prefix, names[1]) == 0)
        return;
    buffer_print(line, "%s %s name=", kind, names[0]);
    buffer_text(line, names[1]);
    info_end(v, line);
}

static void info_limit(struct buffer *line, const char *key, double value)
{
    if (!isfinite(value))
        return;
    buffer_print(line, "%s=", key);
    buffer_double(line, value);
    buffer_text(line, " ");
}

static void info_master(struct vrml *v, uint32_t joint, struct buffer *line)
{
    const char *name = v->joints[joint].name;
    buffer_print(line, "master=%s ", name ? name : v->nodes[v->scene->joints[joint].node].name);
}

/* The joints that it depends on, in the order that an expression counts them. */
static void info_masters(struct vrml *v, const cp_joint *joint, struct buffer *line)
{
    if (!joint->expression) {
        info_master(v, joint->master, line);
        return;
    }
    for (uint32_t i = 0; i < joint->expression->input_count; i++)
        info_master(v, joint->expression->inputs[i], line);
    buffer_text(line, "expression=");
    for (const char *at = joint->expression->text; *at; at++)
        if (*at != ' ' && *at != '\t')
            buffer_append(line, at, 1);
    buffer_text(line, " ");
}

/* What no node of VRML97 has a field for: limits, home and what it depends on. */
static void info_joint(struct vrml *v, uint32_t index, struct buffer *line)
{
    const cp_joint *joint = &v->scene->joints[index];
    const char *name = v->joints[index].name;
    buffer_print(line, "joint %s %s ", name ? name : v->nodes[joint->node].name, joint_type_words[joint->type]);
    if (!joint->driven)
        buffer_text(line, "passive ");
    info_limit(line, "lower", joint->lower);
    info_limit(line, "upper", joint->upper);
    info_limit(line, "velocity", joint->velocity);
    info_limit(line, "acceleration", joint->acceleration);
    info_limit(line, "home", joint->home);
    if (cp_joint_is_dependent(joint)) {
        info_masters(v, joint, line);
        info_limit(line, "scale", joint->scale);
        info_limit(line, "offset", joint->offset);
    }
    buffer_text(line, "name=");
    buffer_text(line, joint->name);
    info_end(v, line);
}

static void info_lines(struct vrml *v, struct buffer *line)
{
    const cp_scene *scene = v->scene;
    for (uint32_t i = 0; i < scene->node_count; i++)
        if (!(scene->nodes[i].flags & CP_NODE_PLACEHOLDER))
            info_name(v, line, "frame", (const char *[]){v->nodes[i].name, scene->nodes[i].name});
    for (uint32_t i = 0; i < scene->joint_count && !v->failed; i++)
        info_joint(v, i, line);
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        info_name(v, line, "mesh", (const char *[]){v->meshes[2 * i].name, scene->meshes[i].name});
    for (uint32_t i = 0; i < scene->material_count; i++)
        info_name(v, line, "look", (const char *[]){v->looks[2 * i + 2].name, scene->materials[i].name});
}

void vrml_write_info(struct vrml *v)
{
    struct buffer line = {.context = v->context};
    vrml_open(v, NULL, "WorldInfo {");
    const char *title = sink_stem(v->top);
    if (utf8_valid(title, strlen(title))) {
        vrml_indent(v);
        sink_text(v->out, "title ");
        vrml_string(v, title);
        sink_text(v->out, "\n");
    }
    vrml_open(v, NULL, "info [");
    info_lines(v, &line);
    vrml_close(v, "]");
    vrml_close(v, "}");
    buffer_free(&line);
}
