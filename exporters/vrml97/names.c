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

void *vrml_plan_room(struct vrml *v, size_t count, size_t size)
{
    void *room = arena_allocate(v->arena, count, size);
    if (room)
        memset(room, 0, count * size);
    v->failed |= !room;
    return room;
}

static bool begins_name(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Makes a name legal. The standard allows more characters, but all readers share only letters, digits and _. Others
 * become _, one for each character, not for each byte. */
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

const char *vrml_name(struct vrml *v, const char *prefix, const char *wanted)
{
    bool added = false;
    const char *base = v->failed ? NULL : legal_name(v, prefix, wanted), *name = base;
    bool fine = name && name_map_add(&v->names, name, 2, &added);
    /* Try base_2, base_3, ...: the map holds for each name the number to try next, so that equal names cost no
     * search. */
    while (fine && !added) {
        uint32_t *next = name_map_find(&v->names, base);
        name = arena_print(v->arena, "%s_%lu", base, (unsigned long)(*next)++);
        fine = name && name_map_add(&v->names, name, 2, &added);
    }
    v->failed |= !fine;
    return fine ? name : NULL;
}

/* Frames are named first, so that their names stay as near to the source's as possible. */
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
    for (uint32_t i = 0; i < 2 * scene->mesh_count; i++) {
        const char *wanted = scene->meshes[i / 2].name;
        if (v->meshes[i].uses > 1 || (v->meshes[i].uses && wanted && *wanted))
            v->meshes[i].name = vrml_name(v, i & 1 ? "mirrored_" : "mesh_", wanted);
    }
    for (uint32_t i = 0; i < 2 * scene->material_count + 2; i++)
        if (v->looks[i].used)
            v->looks[i].name = vrml_name(v, "look_", i < 2 ? "default" : scene->materials[i / 2 - 1].name);
}

/* Writes the line as a string, and empties it. */
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

/* Writes "frame NAME name=ORIGINAL"; the original comes last because it may hold blanks. Nothing if NAME is the prefix
 * and the original, or is not written. */
static void info_name(struct vrml *v, struct buffer *line, const char *kind, const char *prefix, const char *name,
                      const char *original)
{
    if (v->failed || !name || !original || (*prefix && !*original) || strcmp(name + strlen(prefix), original) == 0)
        return;
    buffer_print(line, "%s %s name=", kind, name);
    buffer_text(line, original);
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

/* Writes properties of a joint for which VRML97 has no field: limits, home and the joints that it depends on. */
static void info_joint(struct vrml *v, uint32_t index, struct buffer *line)
{
    const cp_joint *joint = &v->scene->joints[index];
    const cp_expression *expression = joint->expression;
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
        /* Write its master, or the joints of the formula in the formula's order. */
        for (uint32_t i = 0; i < (expression ? expression->input_count : 1); i++) {
            uint32_t master = expression ? expression->inputs[i] : joint->master;
            const char *own = v->joints[master].name;
            buffer_print(line, "master=%s ", own ? own : v->nodes[v->scene->joints[master].node].name);
        }
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
    info_end(v, line);
}

void vrml_write_info(struct vrml *v)
{
    const cp_scene *scene = v->scene;
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
    for (uint32_t i = 0; i < scene->node_count; i++)
        if (!(scene->nodes[i].flags & CP_NODE_PLACEHOLDER))
            info_name(v, &line, "frame", "", v->nodes[i].name, scene->nodes[i].name);
    for (uint32_t i = 0; i < scene->joint_count && !v->failed; i++)
        info_joint(v, i, &line);
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        info_name(v, &line, "mesh", "mesh_", v->meshes[2 * i].name, scene->meshes[i].name);
    for (uint32_t i = 0; i < scene->material_count; i++)
        info_name(v, &line, "look", "look_", v->looks[2 * i + 2].name, scene->materials[i].name);
    vrml_close_node(v);
    buffer_free(&line);
}
