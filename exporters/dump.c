/* dump: the whole scene as canonical text, for golden files and for people.
 *
 * Specification: docs/dump.md, version 1. Dialects: none, cellpipe is the only writer and nobody reads it back.
 *
 * Behaviour and limitations
 * - Carries everything. One line a fact, in the order of the scene's tables; things are named by id, never by index
 *   (but vertices, which have no names). Equal scenes give equal text, whichever way their memory is laid out:
 *   triangles with and without a table of offsets, no group and one group without material look alike.
 * - Numbers are the shortest decimals that read back to the same bits; "-0" keeps its sign. A limit that is not there
 *   is the word none.
 * - summary=yes replaces vertices, normals, vertex colours, texture coordinates and faces by XXH64 hashes of their
 *   bytes. They are those of a little-endian machine. Images are always hashes. */
#include "exporters.h"

#include <math.h>

#define DUMP_VERSION 1

struct dump_settings {
    bool summary;
};

static const struct option dump_options[] = {
    {"summary", "geometry as counts and hashes instead of every vertex and face", OPTION_BOOLEAN,
     offsetof(struct dump_settings, summary), "no", 0, 0, NULL},
    OPTIONS_END,
};

/* ---- words ---- */

static const char *const path_words[] = {"joint", "translation", "rotation", "scale"};
static const char *const interpolation_words[] = {"step", "linear", "cubic"};
static const char *const owner_words[] = {"scene", "node", "mesh", "material", "joint"};

/* A blank and the text in quotes, as people may see it: a raw name's bytes that are no UTF-8 become \xNN. */
static void dump_string(struct sink *sink, const char *text)
{
    char character[CP_SHOWN_CHARACTER_SIZE];
    if (!text) {
        sink_text(sink, " none");
        return;
    }
    sink_text(sink, " \"");
    while (*text) {
        size_t plain = 0;
        while (text[plain] >= ' ' && text[plain] < 0x7f && text[plain] != '"' && text[plain] != '\\')
            plain++;
        sink_write(sink, text, plain);
        text += plain;
        if (*text == '"' || *text == '\\')
            sink_print(sink, "\\%c", *text++);
        else
            sink_write(sink, character, cp_print_shown_character(&text, character));
    }
    sink_text(sink, "\"");
}

static void dump_word(struct sink *sink, const char *label, const char *word)
{
    sink_print(sink, " %s %s", label, word);
}

static void dump_named_string(struct sink *sink, const char *label, const char *text)
{
    sink_print(sink, " %s", label);
    dump_string(sink, text);
}

static void dump_flag(struct sink *sink, const char *label, bool on)
{
    dump_word(sink, label, on ? "yes" : "no");
}

static void dump_doubles(struct sink *sink, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        sink_text(sink, " ");
        sink_double(sink, values[i]);
    }
}

static void dump_named_doubles(struct sink *sink, const char *label, const double *values, size_t count)
{
    sink_print(sink, " %s", label);
    dump_doubles(sink, values, count);
}

/* An infinite limit is no limit. */
static void dump_limit(struct sink *sink, const char *label, double value)
{
    if (isinf(value))
        dump_word(sink, label, "none");
    else
        dump_named_doubles(sink, label, &value, 1);
}

/* ---- references: ids, or the word none ---- */

static void dump_named_id(struct sink *sink, const char *label, const cp_scene *scene, enum scene_table table,
                          uint32_t index)
{
    dump_named_string(sink, label, scene_id(scene, table, index));
}

static void dump_ids(struct sink *sink, const char *label, const cp_scene *scene, enum scene_table table,
                     const uint32_t *indices, uint32_t count)
{
    sink_print(sink, " %s", label);
    for (uint32_t i = 0; i < count; i++)
        dump_string(sink, scene_id(scene, table, indices[i]));
}

/* ---- the tree ---- */

static void dump_head(const cp_scene *scene, struct sink *sink)
{
    sink_print(sink, "dump %d\nsource", DUMP_VERSION);
    dump_string(sink, scene->source.format);
    dump_named_string(sink, "file", scene->source.file);
    dump_named_doubles(sink, "unit", &scene->source.unit, 1);
    dump_word(sink, "up", scene->source.up == CP_UP_Y ? "y" : "z");
    sink_print(sink, "\nexclude_static_pairs %s\n", scene->exclude_static_pairs ? "yes" : "no");
}

static void dump_nodes(const cp_scene *scene, struct sink *sink)
{
    for (uint32_t i = 0; i < scene->node_count; i++) {
        const cp_node *node = &scene->nodes[i];
        sink_text(sink, "node");
        dump_string(sink, node->id);
        dump_named_string(sink, "name", node->name);
        if (node->raw_name)
            dump_named_string(sink, "raw", node->raw_name);
        dump_named_id(sink, "parent", scene, TABLE_NODES, node->parent);
        dump_named_id(sink, "scope", scene, TABLE_DEVICES, node->scope);
        sink_text(sink, node->flags ? " flags" : " flags none");
        for (size_t k = 0; node_flag_words[k]; k++)
            if (node->flags & 1u << k)
                sink_print(sink, " %s", node_flag_words[k]);
        dump_named_doubles(sink, "local", node->local.m, 12);
        sink_text(sink, "\n");
    }
}

static void dump_instances(const cp_scene *scene, struct sink *sink)
{
    for (uint32_t i = 0; i < scene->instance_count; i++) {
        const cp_instance *instance = &scene->instances[i];
        sink_text(sink, "instance node");
        dump_string(sink, scene_id(scene, TABLE_NODES, instance->node));
        dump_named_id(sink, "mesh", scene, TABLE_MESHES, instance->mesh);
        dump_word(sink, "use", use_words[instance->use & CP_USE_BOTH]);
        dump_named_doubles(sink, "transform", instance->transform.m, 12);
        sink_text(sink, "\n");
    }
}

/* ---- geometry ---- */

static void dump_hash(struct sink *sink, const char *label, const void *bytes, size_t size)
{
    if (bytes)
        sink_print(sink, "%s %016llx\n", label, (unsigned long long)hash_content(bytes, size));
}

static void dump_mesh_hashes(const cp_mesh *mesh, struct sink *sink)
{
    size_t vertices = mesh->vertex_count, word = sizeof(uint32_t);
    if (mesh->kind >= CP_MESH_BOX)
        return;
    dump_hash(sink, "vertices_hash", mesh->positions, vertices * 3 * sizeof(float));
    dump_hash(sink, "normals_hash", mesh->normals, vertices * 3 * sizeof(float));
    dump_hash(sink, "tangents_hash", mesh->tangents, vertices * 4 * sizeof(float));
    dump_hash(sink, "colours_hash", mesh->colours, vertices * 4 * sizeof(float));
    dump_hash(sink, "coordinates_hash", mesh->coordinates[0], vertices * 2 * sizeof(float));
    dump_hash(sink, "coordinates_2_hash", mesh->coordinates[1], vertices * 2 * sizeof(float));
    dump_hash(sink, "corners_hash", mesh->corners, mesh->corner_count * word);
    uint32_t face = 0;
    while (face < mesh->face_count && mesh_face_size(mesh, face) == 3)
        face++;
    if (face < mesh->face_count)
        dump_hash(sink, "face_offsets_hash", mesh->face_offsets, (mesh->face_count + (size_t)1) * word);
}

static void dump_vertex_rows(struct sink *sink, const char *label, const float *values, size_t width, uint32_t count)
{
    for (size_t i = 0; values && i < count; i++) {
        sink_text(sink, label);
        for (size_t k = 0; k < width; k++) {
            sink_text(sink, " ");
            sink_float(sink, values[i * width + k]);
        }
        sink_text(sink, "\n");
    }
}

static void dump_faces(const cp_mesh *mesh, struct sink *sink)
{
    const char *label = mesh->kind == CP_MESH_LINES ? "line" : "face";
    for (uint32_t face = 0; face < mesh->face_count; face++) {
        const uint32_t *corners = mesh->corners + mesh_face_first(mesh, face);
        uint32_t size = mesh_face_size(mesh, face);
        sink_text(sink, label);
        for (uint32_t i = 0; i < size; i++)
            sink_print(sink, " %lu", (unsigned long)corners[i]);
        sink_text(sink, "\n");
    }
}

static void dump_meshes(const cp_scene *scene, bool summary, struct sink *sink)
{
    for (uint32_t i = 0; i < scene->mesh_count; i++) {
        const cp_mesh *mesh = &scene->meshes[i];
        sink_text(sink, "mesh");
        dump_string(sink, mesh->id);
        dump_named_string(sink, "name", mesh->name);
        dump_named_string(sink, "source", mesh->source);
        dump_word(sink, "kind", mesh_kind_words[mesh->kind]);
        if (mesh->kind >= CP_MESH_BOX) {
            dump_named_doubles(sink, "size", mesh->size, 3);
            sink_print(sink, " sides %lu\n", (unsigned long)mesh->sides);
        } else {
            sink_print(sink, " vertices %lu faces %lu corners %lu\n", (unsigned long)mesh->vertex_count,
                       (unsigned long)mesh->face_count, (unsigned long)mesh->corner_count);
        }
        if (summary) {
            dump_mesh_hashes(mesh, sink);
        } else {
            dump_vertex_rows(sink, "vertex", mesh->positions, 3, mesh->vertex_count);
            dump_vertex_rows(sink, "normal", mesh->normals, 3, mesh->vertex_count);
            dump_vertex_rows(sink, "tangent", mesh->tangents, 4, mesh->vertex_count);
            dump_vertex_rows(sink, "colour", mesh->colours, 4, mesh->vertex_count);
            dump_vertex_rows(sink, "coordinates", mesh->coordinates[0], 2, mesh->vertex_count);
            dump_vertex_rows(sink, "coordinates_2", mesh->coordinates[1], 2, mesh->vertex_count);
            dump_faces(mesh, sink);
        }
        /* One group without material says nothing that no group would not say. */
        bool plain = mesh->group_count == 1 && mesh->groups[0].material == CP_NONE;
        for (uint32_t k = 0; k < mesh->group_count && !plain; k++) {
            sink_print(sink, "group faces %lu", (unsigned long)mesh->groups[k].face_count);
            dump_named_id(sink, "material", scene, TABLE_MATERIALS, mesh->groups[k].material);
            sink_text(sink, "\n");
        }
    }
}

static void dump_images(const cp_scene *scene, struct sink *sink)
{
    for (uint32_t i = 0; i < scene->image_count; i++) {
        const cp_image *image = &scene->images[i];
        sink_text(sink, "image");
        dump_string(sink, image->id);
        dump_named_string(sink, "name", image->name);
        dump_named_string(sink, "type", image->type);
        dump_named_string(sink, "path", image->path);
        sink_print(sink, " bytes %lu\n", (unsigned long)image->size);
        dump_hash(sink, "bytes_hash", image->bytes, image->size);
    }
}

static void dump_textures(const cp_scene *scene, struct sink *sink)
{
    for (uint32_t i = 0; i < scene->texture_count; i++) {
        const cp_texture *texture = &scene->textures[i];
        sink_text(sink, "texture");
        dump_string(sink, texture->id);
        dump_named_string(sink, "name", texture->name);
        dump_named_id(sink, "image", scene, TABLE_IMAGES, texture->image);
        dump_named_id(sink, "fallback", scene, TABLE_IMAGES, texture->fallback);
        sink_print(sink, " wrap %s %s magnify %s minify %s\n", wrap_words[texture->wrap[0]],
                   wrap_words[texture->wrap[1]], sampling_words[texture->magnify], sampling_words[texture->minify]);
    }
}

/* What a plain matt surface does not have. */
static void dump_surface(const cp_scene *scene, const cp_material *material, struct sink *sink)
{
    const double matt = 0.8, *glow = material->emissive;
    if (material->one_sided)
        dump_flag(sink, "one_sided", true);
    if (material->metallic != 0 || material->roughness != matt) {
        dump_named_doubles(sink, "metallic", &material->metallic, 1);
        dump_named_doubles(sink, "roughness", &material->roughness, 1);
    }
    if (glow[0] != 0 || glow[1] != 0 || glow[2] != 0)
        dump_named_doubles(sink, "emissive", glow, 3);
    if (material->alpha != CP_ALPHA_BLEND)
        dump_word(sink, "alpha", alpha_words[material->alpha]);
    if (material->alpha == CP_ALPHA_MASK)
        dump_named_doubles(sink, "cutoff", &material->cutoff, 1);
    if (material->extensions)
        dump_named_string(sink, "extensions", material->extensions);
    sink_text(sink, "\n");
    for (uint32_t i = 0; i < material->texture_count; i++) {
        const cp_texture_use *use = &material->textures[i];
        sink_print(sink, "use %s", texture_role_words[use->role]);
        if (use->place)
            dump_string(sink, use->place);
        dump_named_id(sink, "texture", scene, TABLE_TEXTURES, use->texture);
        sink_print(sink, " set %lu", (unsigned long)use->set);
        dump_named_doubles(sink, "strength", &use->strength, 1);
        dump_named_doubles(sink, "offset", use->offset, 2);
        dump_named_doubles(sink, "rotation", &use->rotation, 1);
        dump_named_doubles(sink, "scale", use->scale, 2);
        sink_text(sink, "\n");
    }
}

static void dump_materials(const cp_scene *scene, struct sink *sink)
{
    for (uint32_t i = 0; i < scene->material_count; i++) {
        const cp_material *material = &scene->materials[i];
        sink_text(sink, "material");
        dump_string(sink, material->id);
        dump_named_string(sink, "name", material->name);
        dump_named_doubles(sink, "rgba", material->rgba, 4);
        dump_word(sink, "light", material->srgb ? "srgb" : "linear");
        dump_flag(sink, "two_sided", material->two_sided);
        dump_surface(scene, material, sink);
    }
}

/* ---- kinematics ---- */

static void dump_joints(const cp_scene *scene, struct sink *sink)
{
    for (uint32_t i = 0; i < scene->joint_count; i++) {
        const cp_joint *joint = &scene->joints[i];
        sink_text(sink, "joint");
        dump_string(sink, joint->id);
        dump_named_string(sink, "name", joint->name);
        dump_named_id(sink, "node", scene, TABLE_NODES, joint->node);
        dump_word(sink, "type", joint_type_words[joint->type]);
        dump_named_doubles(sink, "axis", joint->axis, 3);
        dump_limit(sink, "lower", joint->lower);
        dump_limit(sink, "upper", joint->upper);
        dump_limit(sink, "velocity", joint->velocity);
        dump_limit(sink, "acceleration", joint->acceleration);
        dump_named_doubles(sink, "home", &joint->home, 1);
        dump_named_doubles(sink, "q", &joint->q, 1);
        dump_flag(sink, "driven", joint->driven);
        dump_named_id(sink, "master", scene, TABLE_JOINTS, joint->master);
        const cp_expression *expression = joint->expression;
        if (expression) {
            dump_named_string(sink, "expression", expression->text);
            dump_named_doubles(sink, "angle", &expression->angle, 1);
            dump_ids(sink, "inputs", scene, TABLE_JOINTS, expression->inputs, expression->input_count);
            dump_named_doubles(sink, "factors", expression->factors, expression->input_count);
        }
        if (cp_joint_is_dependent(joint)) {
            dump_named_doubles(sink, "scale", &joint->scale, 1);
            dump_named_doubles(sink, "offset", &joint->offset, 1);
        }
        sink_text(sink, "\n");
    }
}

static void dump_loops(const cp_scene *scene, struct sink *sink)
{
    for (uint32_t i = 0; i < scene->loop_count; i++) {
        const cp_loop *loop = &scene->loops[i];
        sink_text(sink, "loop");
        dump_string(sink, loop->id);
        dump_named_string(sink, "name", loop->name);
        dump_word(sink, "type", loop_type_words[loop->type]);
        dump_ids(sink, "nodes", scene, TABLE_NODES, loop->nodes, 2);
        dump_named_doubles(sink, "first", loop->poses[0].m, 12);
        dump_named_doubles(sink, "second", loop->poses[1].m, 12);
        dump_named_doubles(sink, "length", &loop->length, 1);
        sink_text(sink, "\n");
    }
}

static void dump_devices(const cp_scene *scene, struct sink *sink)
{
    for (uint32_t i = 0; i < scene->device_count; i++) {
        const cp_device *device = &scene->devices[i];
        sink_text(sink, "device");
        dump_string(sink, device->id);
        dump_named_string(sink, "name", device->name);
        dump_word(sink, "kind", device_kind_words[device->kind]);
        dump_named_id(sink, "base", scene, TABLE_NODES, device->base);
        dump_named_id(sink, "scope", scene, TABLE_DEVICES, device->scope);
        dump_ids(sink, "ends", scene, TABLE_NODES, device->ends, device->end_count);
        dump_ids(sink, "joints", scene, TABLE_JOINTS, device->joints, device->joint_count);
        if (device->home)
            dump_named_doubles(sink, "home", device->home, device->joint_count);
        else
            dump_word(sink, "home", "none");
        sink_text(sink, "\n");
    }
}

static void dump_finding(const cp_scene *scene, const cp_finding *finding, struct sink *sink)
{
    dump_named_doubles(sink, "finding margin", &finding->margin, 1);
    dump_named_doubles(sink, "touch", &finding->touch, 1);
    dump_limit(sink, "clearance", finding->clearance);
    sink_print(sink, " work %llu samples %lu descents %lu hits %lu key %016llx", (unsigned long long)finding->work,
               (unsigned long)finding->samples, (unsigned long)finding->descents, (unsigned long)finding->hits,
               (unsigned long long)finding->key);
    if (finding->witness_count > 0)
        sink_text(sink, " witness");
    for (uint32_t i = 0; i < finding->witness_count; i++) {
        dump_string(sink, scene_id(scene, TABLE_JOINTS, finding->witness[i].joint));
        dump_doubles(sink, &finding->witness[i].value, 1);
    }
}

static void dump_pairs(const cp_scene *scene, struct sink *sink)
{
    for (uint32_t i = 0; i < scene->pair_count; i++) {
        const cp_pair *pair = &scene->pairs[i];
        sink_text(sink, "pair");
        dump_string(sink, scene_id(scene, TABLE_NODES, pair->first));
        dump_string(sink, scene_id(scene, TABLE_NODES, pair->second));
        dump_word(sink, "verdict", verdict_words[pair->verdict]);
        dump_named_string(sink, "reason", pair->reason);
        dump_named_string(sink, "evidence", pair->evidence);
        if (pair->finding)
            dump_finding(scene, pair->finding, sink);
        sink_text(sink, "\n");
    }
}

/* ---- clips and metadata ---- */

static void dump_track(const cp_scene *scene, const cp_track *track, struct sink *sink)
{
    static const size_t widths[] = {1, 3, 4, 3}; /* by path */
    bool on_joint = track->path == CP_PATH_JOINT;
    size_t width = widths[track->path] * (track->interpolation == CP_CUBIC ? 3 : 1);
    sink_text(sink, "track");
    dump_string(sink, scene_id(scene, on_joint ? TABLE_JOINTS : TABLE_NODES, track->target));
    dump_word(sink, "path", path_words[track->path]);
    dump_word(sink, "interpolation", interpolation_words[track->interpolation]);
    sink_print(sink, " keys %lu\n", (unsigned long)track->key_count);
    for (size_t i = 0; i < track->key_count; i++) {
        sink_text(sink, "key");
        dump_doubles(sink, &track->times[i], 1);
        dump_named_doubles(sink, ":", track->values + i * width, width);
        sink_text(sink, "\n");
    }
}

static void dump_clips(const cp_scene *scene, struct sink *sink)
{
    for (uint32_t i = 0; i < scene->clip_count; i++) {
        const cp_clip *clip = &scene->clips[i];
        sink_text(sink, "clip");
        dump_string(sink, clip->name);
        sink_print(sink, " tracks %lu", (unsigned long)clip->track_count);
        if (clip->attachment_count > 0)
            sink_print(sink, " attachments %lu", (unsigned long)clip->attachment_count);
        if (clip->mark_count > 0)
            sink_print(sink, " marks %lu", (unsigned long)clip->mark_count);
        sink_text(sink, "\n");
        for (uint32_t k = 0; k < clip->track_count; k++)
            dump_track(scene, &clip->tracks[k], sink);
        for (uint32_t k = 0; k < clip->attachment_count; k++) {
            const cp_attachment *attachment = &clip->attachments[k];
            sink_text(sink, "attach");
            dump_string(sink, scene_id(scene, TABLE_NODES, attachment->node));
            dump_named_id(sink, "to", scene, TABLE_NODES, attachment->host);
            dump_named_doubles(sink, "at", &attachment->time, 1);
            sink_text(sink, "\n");
        }
        for (uint32_t k = 0; k < clip->mark_count; k++) {
            sink_text(sink, "mark");
            dump_string(sink, clip->marks[k].name);
            dump_named_doubles(sink, "value", &clip->marks[k].value, 1);
            dump_named_doubles(sink, "at", &clip->marks[k].time, 1);
            sink_text(sink, "\n");
        }
    }
}

static void dump_metadata(const cp_scene *scene, struct sink *sink)
{
    for (uint32_t i = 0; i < scene->metadata_count; i++) {
        const cp_metadata_entry *metadata = &scene->metadata[i];
        sink_print(sink, "metadata %s", owner_words[metadata->owner]);
        if (metadata->owner != CP_OWNER_SCENE)
            dump_string(sink, scene_id(scene, metadata_table(metadata), metadata->index));
        dump_named_string(sink, "key", metadata->key);
        dump_word(sink, "type", value_type_words[metadata->type]);
        dump_named_string(sink, "value", metadata->value);
        sink_text(sink, "\n");
    }
}

/* ---- the plug-in ---- */

static uint32_t dump_carries(const void *settings)
{
    (void)settings;
    return FEATURE_ALL;
}

static cp_status dump_write(cp_context *context, const cp_scene *scene, const void *settings, struct sink *sink)
{
    const struct dump_settings *dump = settings;
    (void)context;
    dump_head(scene, sink);
    dump_nodes(scene, sink);
    dump_instances(scene, sink);
    dump_meshes(scene, dump->summary, sink);
    dump_images(scene, sink);
    dump_textures(scene, sink);
    dump_materials(scene, sink);
    dump_joints(scene, sink);
    dump_loops(scene, sink);
    dump_devices(scene, sink);
    dump_pairs(scene, sink);
    dump_clips(scene, sink);
    dump_metadata(scene, sink);
    return sink_status(sink);
}

const struct exporter dump_exporter = {
    .plugin = {.name = "dump",
               .title = "canonical text of the whole scene",
               .options = dump_options,
               .settings_size = sizeof(struct dump_settings)},
    .suffixes = ".dump",
    .carries = dump_carries,
    .write = dump_write,
};
