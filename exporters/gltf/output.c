/* Writes the file: the order of the plans, then GLB, or JSON with a sibling .bin or a data URI. */
#include "base/context.h"

#include "base/text/text.h"
#include "writer.h"

/* ---- the JSON ---- */

/* Composes the text. sink NULL: text that is too long to be kept is only measured. */
static cp_status compose_text(struct gltf_writer *writer, struct sink *sink)
{
    struct json_writer *json = &writer->json;
    const struct gltf_file *file = &writer->file;
    const struct gltf_binary *binary = &file->binary;
    writer->text.size = 0;
    *json = (struct json_writer){.out = &writer->text,
                                 .sink = sink,
                                 .dense = file->settings->web,
                                 .aside = file->settings->extras ? NULL : &writer->aside};
    json_open(json, '{');
    write_asset(json, file);
    write_extensions(json, file);
    write_scene(json, file);
    write_nodes(json, file);
    write_textures(json, file);
    write_cameras(json, file);
    write_materials(json, file);
    write_meshes(json, file);
    write_clips(json, file);
    write_accessors(json, binary);
    write_views(json, binary);
    if (binary->size > 0) {
        json_open_list(json, "buffers");
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
static uint64_t padded_text(const struct gltf_writer *writer)
{
    return (json_size(&writer->json) + 3) / 4 * 4;
}

static uint64_t glb_size(const struct gltf_writer *writer)
{
    uint64_t binary = writer->file.binary.size ? CHUNK_HEAD + writer->file.binary.size : 0;
    return GLB_HEAD + CHUNK_HEAD + padded_text(writer) + binary;
}

/* Writes the text. Only a short text is kept in the buffer; of a long one only the end is, and the rest is composed
 * again. */
static cp_status emit_text(struct gltf_writer *writer, struct sink *sink)
{
    return writer->json.passed > 0 ? compose_text(writer, sink) : CP_OK;
}

static cp_status emit_glb(struct gltf_writer *writer, struct sink *sink)
{
    uint64_t total = glb_size(writer);
    if (total > UINT32_MAX)
        return report_error(writer->file.context, CP_LIMIT, "glb-size", NOWHERE,
                            "%llu bytes do not fit a GLB of at most 4 GiB: write .gltf", (unsigned long long)total);
    const uint32_t head[] = {GLB_MAGIC, GLB_VERSION, (uint32_t)total, (uint32_t)padded_text(writer), CHUNK_JSON};
    const uint32_t binary_head[] = {(uint32_t)writer->file.binary.size, CHUNK_BIN};
    write_words(sink, head, 5);
    cp_status status = emit_text(writer, sink);
    if (status != CP_OK)
        return status;
    sink_write(sink, writer->text.data, writer->text.size);
    sink_write(sink, "   ", (size_t)(padded_text(writer) - json_size(&writer->json)));
    if (writer->file.binary.size) {
        write_words(sink, binary_head, 2);
        write_binary(&writer->file.binary, sink, false);
    }
    return sink_status(sink);
}

/* ---- .gltf ---- */

/* Returns the name of the sibling with the binary part; NULL when out of memory. */
static const char *name_sibling(const struct gltf_file *file, const struct sink *sink)
{
    return arena_print(file->work->arena, "%s.bin", sink_stem(sink));
}

static cp_status emit_gltf(struct gltf_writer *writer, struct sink *sink)
{
    const struct buffer *text = &writer->text;
    bool embed = writer->file.settings->embed;
    if (writer->file.binary.size && !embed) {
        struct sink *further;
        const char *name = name_sibling(&writer->file, sink);
        cp_status status = name ? sink_open(sink, name, &further) : CP_LIMIT;
        if (status != CP_OK)
            return status;
        write_binary(&writer->file.binary, further, false);
        status = sink_close_further(further);
        if (status != CP_OK)
            return status;
    }
    cp_status status = emit_text(writer, sink);
    if (status != CP_OK)
        return status;
    size_t begin = embed && writer->file.binary.size ? writer->uri_end : text->size;
    sink_write(sink, text->data, begin);
    if (embed)
        write_binary(&writer->file.binary, sink, true);
    sink_write(sink, text->data + begin, text->size - begin);
    return sink_status(sink);
}

/* ---- the whole ---- */

cp_status compose_file(struct gltf_writer *writer, struct sink *sink, uint64_t *size)
{
    struct gltf_file *file = &writer->file;
    writer->text = writer->aside = (struct buffer){.context = file->context};
    begin_streams(file);
    cp_status status = mechanism_open(&file->mechanism, file->context, file->scene);
    if (status != CP_OK)
        return status;
    if (!plan_meshes(file) || !plan_materials(file) || !plan_textures(file) || !plan_material_extensions(file) ||
        !plan_nodes(file) || (file->settings->web && !plan_rounding(file)) || !plan_names(file) ||
        !plan_metadata(file) || !plan_joints(file) || !plan_diagonal(file) || !plan_clips(file) || !plan_sweeps(file) ||
        !finish_streams(&file->web.streams))
        return file->motion.open ? CP_NO : CP_LIMIT;
    place_views(&file->binary);
    uint64_t bytes = file->binary.size;
    bool embed = file->settings->embed;
    if (!writer->glb && bytes) {
        const char *name = embed ? NULL : name_sibling(file, sink);
        writer->uri = embed ? "data:application/octet-stream;base64," : name ? encode_uri(file, name) : NULL;
        if (!writer->uri)
            return CP_LIMIT;
    }
    status = compose_text(writer, NULL);
    *size = writer->glb ? glb_size(writer) : json_size(&writer->json) + (embed ? base64_length(bytes) : bytes);
    return status;
}

/* Reports the content that extras=no leaves out, beside what `carries` reports. */
static void report_left_out(const struct gltf_file *file)
{
    const cp_scene *scene = file->scene;
    uint64_t metadata = count_own_metadata(&file->metadata), unplayed = 0;
    if (scene->joint_count > 0)
        report_loss(file->context, "gltf-joint-extras", NOWHERE, scene->joint_count,
                    "homes, speeds and dependence of joints (extras=no)");
    if (metadata > 0)
        report_loss(file->context, "gltf-own-metadata", NOWHERE, metadata, "entries of metadata (extras=no)");
    for (uint32_t i = 0; i < file->motion.clip_count; i++)
        unplayed += file->motion.clips[i].channel_count == 0;
    if (unplayed > 0)
        report_loss(file->context, "gltf-clips", NOWHERE, unplayed, "clips that move nothing (extras=no)");
}

/* Counts the output as a viewer does. */
static void count_written(const struct gltf_file *file)
{
    cp_written *written = &file->context->written;
    written->triangles = written->clips = 0;
    for (uint32_t i = 0; i < file->scene->instance_count; i++) {
        const cp_instance *instance = &file->scene->instances[i];
        const struct mesh_plan *plan = &file->meshes[instance->mesh];
        if (instance_is_drawn(file, instance) && plan->shape->kind == CP_MESH_FACES)
            written->triangles += plan->index_count / 3;
    }
    for (uint32_t i = 0; i < file->motion.clip_count; i++)
        written->clips += file->motion.clips[i].channel_count > 0;
}

cp_status finish_file(struct gltf_writer *writer, struct sink *sink)
{
    const struct gltf_file *file = &writer->file;
    const struct motion_plan *motion = &file->motion;
    count_written(file);
    cp_status status = writer->glb ? emit_glb(writer, sink) : emit_gltf(writer, sink);
    if (status != CP_OK)
        return status;
    if (motion->turns > 0)
        report_warning(file->context, "gltf-turns", NOWHERE,
                       "a joint turns too often between two keys of a clip to be shown turn by turn (%llu times)",
                       (unsigned long long)motion->turns);
    if (motion->apart)
        report_warning(file->context, "gltf-all-joints", NOWHERE,
                       "no clip of all joints: loops open where they go through their ranges together");
    if (!is_deliver(file))
        return CP_OK;
    if (!file->settings->extras)
        report_left_out(file);
    report_textures(file);
    if (file->split_articulations > 0)
        report_loss(file->context, "gltf-articulations", NOWHERE, file->split_articulations,
                    "articulations of several stages become one for each joint, since joints between the first and the "
                    "last are not at zero");
    if (motion->sheared > 0)
        report_loss(file->context, "gltf-attached-shear", NOWHERE, motion->sheared,
                    "in clips, the shear of a node below a scaled one");
    if (motion->flat > 0)
        report_loss(file->context, "gltf-attached-flat", NOWHERE, motion->flat,
                    "in clips, the pose of an attached node whose own parent is flat");
    return CP_OK;
}

void free_writer(struct gltf_writer *writer)
{
    struct gltf_file *file = &writer->file;
    cp_context *context = file->context;
    free_binary(&file->binary);
    memory_free(context, file->motion.channels, file->motion.channel_room, sizeof *file->motion.channels);
    memory_free(context, file->motion.clips, file->motion.clip_room, sizeof *file->motion.clips);
    mechanism_close(&file->mechanism);
    free_followers(&file->motion.followers);
    free_streams(&file->web.streams);
    cp_scene_free(file->work);
    buffer_free(&writer->text);
    buffer_free(&writer->aside);
}
