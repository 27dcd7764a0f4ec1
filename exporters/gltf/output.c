/* Writes the file: the order of the plans, then GLB, or JSON with a sibling .bin or a data URI. */
#include "base/context.h"

#include <string.h>

#include "base/text/text.h"
#include "writer.h"

/* ---- the JSON ---- */

/* Composes the text. sink NULL: text that is too long to be kept is only measured. */
static cp_status compose_text(struct writer *writer, struct sink *sink)
{
    struct json_writer *json = &writer->json;
    const struct binary *binary = &writer->binary;
    writer->text.size = 0;
    *json = (struct json_writer){.out = &writer->text,
                                 .sink = sink,
                                 .dense = writer->settings->web,
                                 .aside = writer->settings->extras ? NULL : &writer->aside};
    json_open(json, '{');
    write_asset(writer);
    write_extensions(writer);
    write_scene(writer);
    write_nodes(writer);
    write_textures(writer);
    write_cameras(writer);
    write_materials(writer);
    write_meshes(writer);
    write_clips(writer);
    write_accessors(json, binary);
    write_views(json, binary);
    if (binary->size > 0) {
        json_line(json);
        json_key_open(json, "buffers", '[');
        json_open(json, '{');
        json_key_integer(json, "byteLength", binary->size);
        if (writer->uri)
            json_key_text(json, "uri", writer->uri);
        writer->uri_end = json->out->size - 1;
        json_close(json, '}');
        if (binary->fallback_size) { /* the buffer for the unpacked places of packed views has no bytes anywhere */
            json_open(json, '{');
            json_key_integer(json, "byteLength", binary->fallback_size);
            json_key_open(json, "extensions", '{');
            json_key_open(json, "EXT_meshopt_compression", '{');
            json_key_true(json, "fallback");
            json_close(json, '}');
            json_close(json, '}');
            json_close(json, '}');
        }
        json_close(json, ']');
    }
    json_close(json, '}');
    buffer_append(&writer->text, "\n", 1);
    return writer->text.failed ? CP_LIMIT : CP_OK;
}

/* ---- GLB: glTF 2.0 section 4 ---- */

enum {
    GLB_MAGIC = 0x46546c67,
    GLB_VERSION = 2,
    CHUNK_JSON = 0x4e4f534a,
    CHUNK_BIN = 0x004e4942,
    GLB_HEAD = 12,
    CHUNK_HEAD = 8
};

/* Returns the size with the blanks that fill the text to a word. */
static uint64_t padded_text(const struct writer *writer)
{
    return (json_size(&writer->json) + 3) / 4 * 4;
}

static uint64_t glb_size(const struct writer *writer)
{
    uint64_t binary = writer->binary.size ? CHUNK_HEAD + writer->binary.size : 0;
    return GLB_HEAD + CHUNK_HEAD + padded_text(writer) + binary;
}

/* Writes the text. Only a short text is kept in the buffer; of a long one only the end is, and the rest is composed
 * again. */
static cp_status emit_text(struct writer *writer, struct sink *sink)
{
    return writer->json.passed > 0 ? compose_text(writer, sink) : CP_OK;
}

static cp_status emit_glb(struct writer *writer, struct sink *sink)
{
    uint64_t total = glb_size(writer);
    if (total > UINT32_MAX)
        return report_error(writer->context, CP_LIMIT, "glb-size", NOWHERE,
                            "%llu bytes do not fit a GLB of at most 4 GiB: write .gltf", (unsigned long long)total);
    const uint32_t head[] = {GLB_MAGIC, GLB_VERSION, (uint32_t)total, (uint32_t)padded_text(writer), CHUNK_JSON};
    const uint32_t binary_head[] = {(uint32_t)writer->binary.size, CHUNK_BIN};
    write_words(sink, head, 5);
    cp_status status = emit_text(writer, sink);
    if (status != CP_OK)
        return status;
    sink_write(sink, writer->text.data, writer->text.size);
    sink_write(sink, "   ", (size_t)(padded_text(writer) - json_size(&writer->json)));
    if (writer->binary.size) {
        write_words(sink, binary_head, 2);
        write_binary(&writer->binary, sink, false);
    }
    return sink_status(sink);
}

/* ---- .gltf ---- */

/* Returns the name of the sibling with the binary part; NULL when out of memory. */
static const char *name_sibling(struct writer *writer, const struct sink *sink)
{
    struct buffer text = {.context = writer->context};
    buffer_text(&text, sink_stem(sink));
    buffer_append(&text, ".bin", sizeof ".bin");
    const char *name = text.failed ? NULL : scene_text(writer->work, text.data);
    buffer_free(&text);
    return name;
}

static cp_status emit_gltf(struct writer *writer, struct sink *sink)
{
    const struct buffer *text = &writer->text;
    bool embed = writer->settings->embed;
    if (writer->binary.size && !embed) {
        struct sink *further;
        const char *name = name_sibling(writer, sink);
        cp_status status = name ? sink_open(sink, name, &further) : CP_LIMIT;
        if (status != CP_OK)
            return status;
        write_binary(&writer->binary, further, false);
        status = sink_close_further(further);
        if (status != CP_OK)
            return status;
    }
    cp_status status = emit_text(writer, sink);
    if (status != CP_OK)
        return status;
    size_t begin = embed && writer->binary.size ? writer->uri_end : text->size;
    sink_write(sink, text->data, begin);
    if (embed)
        write_binary(&writer->binary, sink, true);
    sink_write(sink, text->data + begin, text->size - begin);
    return sink_status(sink);
}

/* ---- the whole ---- */

cp_status compose_file(struct writer *writer, struct sink *sink, uint64_t *size)
{
    writer->text = writer->aside = (struct buffer){.context = writer->context};
    cp_status status = mechanism_open(&writer->mechanism, writer->context, writer->scene);
    if (status != CP_OK)
        return status;
    if (!plan_meshes(writer) || !plan_materials(writer) || !plan_textures(writer) ||
        !plan_material_extensions(writer) || !plan_nodes(writer) || (writer->settings->web && !plan_rounding(writer)) ||
        !plan_names(writer) || !plan_metadata(writer) || !plan_joints(writer) || !plan_diagonal(writer) ||
        !plan_clips(writer) || !finish_streams(writer))
        return writer->motion.open ? CP_NO : CP_LIMIT;
    place_views(&writer->binary);
    uint64_t bytes = writer->binary.size;
    bool embed = writer->settings->embed;
    if (!writer->glb && bytes) {
        const char *name = embed ? NULL : name_sibling(writer, sink);
        writer->uri = embed ? "data:application/octet-stream;base64," : name ? encode_uri(writer, name) : NULL;
        if (!writer->uri)
            return CP_LIMIT;
    }
    status = compose_text(writer, NULL);
    *size = writer->glb ? glb_size(writer) : json_size(&writer->json) + (embed ? base64_length(bytes) : bytes);
    return status;
}

/* Reports the content that extras=no leaves out, beside what `carries` reports. */
static void report_left_out(const struct writer *writer)
{
    const cp_scene *scene = writer->scene;
    uint64_t metadata = count_own_metadata(writer), unplayed = 0;
    if (scene->joint_count > 0)
        report_loss(writer->context, "gltf-joint-extras", NOWHERE, scene->joint_count,
                    "homes, speeds and dependence of joints (extras=no)");
    if (metadata > 0)
        report_loss(writer->context, "gltf-own-metadata", NOWHERE, metadata, "entries of metadata (extras=no)");
    for (uint32_t i = 0; i < writer->motion.clip_count; i++)
        unplayed += writer->motion.clips[i].channel_count == 0;
    if (unplayed > 0)
        report_loss(writer->context, "gltf-clips", NOWHERE, unplayed, "clips that move nothing (extras=no)");
}

/* Counts the output as a viewer does. */
static void count_written(const struct writer *writer)
{
    cp_written *written = &writer->context->written;
    written->triangles = written->clips = 0;
    for (uint32_t i = 0; i < writer->scene->instance_count; i++) {
        const cp_instance *instance = &writer->scene->instances[i];
        const struct mesh_plan *plan = &writer->meshes[instance->mesh];
        if (instance_is_drawn(writer, instance) && plan->shape->kind == CP_MESH_FACES)
            written->triangles += plan->index_count / 3;
    }
    for (uint32_t i = 0; i < writer->motion.clip_count; i++)
        written->clips += writer->motion.clips[i].channel_count > 0;
}

cp_status finish_file(struct writer *writer, struct sink *sink)
{
    const struct motion_plan *motion = &writer->motion;
    count_written(writer);
    cp_status status = writer->glb ? emit_glb(writer, sink) : emit_gltf(writer, sink);
    if (status != CP_OK)
        return status;
    if (motion->turns > 0)
        report_warning(writer->context, "gltf-turns", NOWHERE,
                       "a joint turns too often between two keys of a clip to be shown turn by turn (%llu times)",
                       (unsigned long long)motion->turns);
    if (motion->apart)
        report_warning(writer->context, "gltf-all-joints", NOWHERE,
                       "no clip of all joints: loops open where they go through their ranges together");
    if (!is_deliver(writer))
        return CP_OK;
    if (!writer->settings->extras)
        report_left_out(writer);
    report_textures(writer);
    if (writer->split_articulations > 0)
        report_loss(writer->context, "gltf-articulations", NOWHERE, writer->split_articulations,
                    "articulations of several stages become one for each joint, since joints between the first and the "
                    "last are not at zero");
    if (motion->sheared > 0)
        report_loss(writer->context, "gltf-attached-shear", NOWHERE, motion->sheared,
                    "in clips, the shear of a node below a scaled one");
    if (motion->flat > 0)
        report_loss(writer->context, "gltf-attached-flat", NOWHERE, motion->flat,
                    "in clips, the pose of an attached node whose own parent is flat");
    return CP_OK;
}

void free_writer(struct writer *writer)
{
    cp_context *context = writer->context;
    free_binary(&writer->binary);
    memory_free(context, writer->motion.channels, writer->motion.channel_room, sizeof *writer->motion.channels);
    memory_free(context, writer->motion.clips, writer->motion.clip_room, sizeof *writer->motion.clips);
    name_map_free(&writer->motion.arrays);
    mechanism_close(&writer->mechanism);
    free_followers(&writer->motion.followers);
    for (int i = 0; i < STREAM_COUNT; i++)
        buffer_free(&writer->web.streams[i].bytes);
    buffer_free(&writer->web.packed);
    cp_scene_free(writer->work);
    buffer_free(&writer->text);
    buffer_free(&writer->aside);
}
