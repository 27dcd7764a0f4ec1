/* glb, gltf: glTF 2.0, binary and as JSON with a sibling .bin.
 *
 * Specification: Khronos glTF 2.0 (ISO/IEC 12113:2022), with AGI_articulations for joints and, when asked for,
 * FB_ngon_encoding (draft). What else we keep, and how, is docs/stage-format.md, version 1.0.
 *
 * Dialects: profile stage is what cellpipe's stages hand each other and changes nothing; profile deliver is for viewers:
 * three.js, model-viewer, X_ITE, Blender, assimp and f3d read it (docs/gltf.md has who shows what).
 *
 * Behaviour and limitations
 * - Plain float geometry, indexed; 16-bit indices where they reach. One glTF mesh for all instances of a mesh.
 * - No normals unless the scene has them or normals=smooth asks for them; viewers then shade flat, as the specification says.
 * - Materials: metallic 0, roughness 0.8. Profile deliver draws closed, outward meshes single-sided; stage does not look.
 * - A joint's motion is a node of its own. Cubic tracks of turning joints are played through 16 straight pieces a key (the
 *   exact keys are in extras); all other tracks are what they are, as floats.
 * - ngons=fb: polygons that are no fan from any corner we look at stay triangles for other readers (ours has them exactly).
 * - A GLB ends at 4 GiB, by its format.
 * - web=yes (folder web/): merged meshes, positions as integers (KHR_mesh_quantization), EXT_meshopt_compression. */
#include "../exporters.h"
#include "writer.h"

#include <string.h>

/* clang-format off */
#define SHARED_OPTIONS                                                                                                 \
    {"profile", "stage: exactly the scene, for other stages; deliver: for viewers", OPTION_CHOICE,                     \
     offsetof(struct gltf_settings, profile), "deliver", 0, 0, "stage|deliver"},                                       \
    {"normals",                                                                                                        \
     "keep: those of the scene; smooth: make them where there are none (deliver); none: leave them out; auto: smooth " \
     "for the web, else keep", OPTION_CHOICE, offsetof(struct gltf_settings, normals), "auto", 0, 0,                   \
     "auto|keep|smooth|none"},                                                                                         \
    {"crease", "normals=smooth: faces that meet at this angle or more keep their edge", OPTION_ANGLE,                     \
     offsetof(struct gltf_settings, crease), "30", 0, PI, NULL},                                                       \
    {"clips", "auto: a made clip a driven joint (deliver); none: only the scene's own clips", OPTION_CHOICE,           \
     offsetof(struct gltf_settings, clips), "auto", 0, 0, "auto|none"},                                                \
    {"tolerance", "clips: how far grabbed devices and joints with formulas may be off between keys; 0: as near as floats tell",  \
     OPTION_LENGTH, offsetof(struct gltf_settings, tolerance), "0", 0, 1e9, NULL},                                     \
    {"collision", "deliver: keep the meshes that are for collision only", OPTION_BOOLEAN,                              \
     offsetof(struct gltf_settings, collision), "no", 0, 0, NULL},                                                     \
    {"ngons", "deliver: plain triangles, or FB_ngon_encoding", OPTION_CHOICE,                                          \
     offsetof(struct gltf_settings, ngons), "plain", 0, 0, "plain|fb"},                                                \
    {"up", "deliver: y adds a root that turns Z up into glTF's Y up; z leaves it out", OPTION_CHOICE,                  \
     offsetof(struct gltf_settings, up), "y", 0, 0, "y|z"},                                                            \
    {"web", "deliver: few draw calls, small numbers, packed: KHR_mesh_quantization, EXT_meshopt_compression",          \
     OPTION_BOOLEAN, offsetof(struct gltf_settings, web), "no", 0, 0, NULL},                                           \
    {"bits", "web: of a position's coordinate; 14 unless said", OPTION_INTEGER,                                        \
     offsetof(struct gltf_settings, bits), NULL, 8, 16, NULL},                                                         \
    {"compression", "web: EXT_meshopt_compression (auto), or integers as they are", OPTION_CHOICE,                     \
     offsetof(struct gltf_settings, compression), "auto", 0, 0, "auto|meshopt|none"},                                  \
    {"budget", "web: simplified as little as makes the file at most this large", OPTION_SIZE,                          \
     offsetof(struct gltf_settings, budget), NULL, 1, 1e15, NULL},                                                     \
    {"error", "web: simplified as far as nothing moves farther than this", OPTION_LENGTH,                              \
     offsetof(struct gltf_settings, error), NULL, 1e-9, 1e9, NULL},                                                    \
    {"quality", "web: of simplification; auto is best", OPTION_CHOICE, offsetof(struct gltf_settings, quality),        \
     "auto", 0, 0, "auto|best|fast"}
/* clang-format on */

static const struct option glb_options[] = {SHARED_OPTIONS, OPTIONS_END};

static const struct option gltf_options[] = {
    SHARED_OPTIONS,
    {"embed", "the binary part as a data URI instead of a sibling .bin", OPTION_BOOLEAN,
     offsetof(struct gltf_settings, embed), "no", 0, 0, NULL},
    OPTIONS_END,
};

static uint32_t gltf_carries(const void *settings)
{
    const struct gltf_settings *gltf = settings;
    uint32_t lost = gltf->normals == NORMALS_NONE ? FEATURE_NORMALS : 0;
    if (gltf->profile == PROFILE_DELIVER && gltf->ngons == NGONS_PLAIN)
        lost |= FEATURE_NGONS;
    if (gltf->web)
        lost |= FEATURE_PRIMITIVES;
    return FEATURE_ALL & ~lost;
}

/* ---- shared ---- */

void *writer_allocate(struct writer *writer, size_t count, size_t size)
{
    void *block = scene_allocate(writer->work, count, size);
    if (block)
        memset(block, 0, count * size);
    return block;
}

bool is_deliver(const struct writer *writer)
{
    return writer->settings->profile == PROFILE_DELIVER;
}

bool has_up_root(const struct writer *writer)
{
    return is_deliver(writer) && writer->settings->up == UP_Y;
}

int normals_mode(const struct gltf_settings *settings)
{
    if (settings->normals != NORMALS_AUTO)
        return settings->normals;
    return settings->web ? NORMALS_SMOOTH : NORMALS_KEEP;
}

bool has_compression(const struct gltf_settings *settings)
{
    return settings->compression != COMPRESSION_NONE;
}

const char *node_id(const struct writer *writer, uint32_t node)
{
    return writer->scene->nodes[node].id;
}

const char *joint_id(const struct writer *writer, uint32_t joint)
{
    return writer->scene->joints[joint].id;
}

/* ---- the whole ---- */

/* Said here, not by `carries`: which meshes are for what is kept, only those that nobody draws go. */
static void report_left_out(struct writer *writer)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < writer->scene->instance_count; i++)
        count += instance_is_left_out(writer, &writer->scene->instances[i]);
    if (count > 0)
        report_loss(writer->context, "gltf-collision", NOWHERE, count,
                    "meshes for collision only are left out (collision=yes keeps them)");
}

static void report_split(struct writer *writer)
{
    if (writer->split_articulations > 0 && is_deliver(writer))
        report_loss(writer->context, "gltf-articulations", NOWHERE, writer->split_articulations,
                    "articulations of several stages become one for each joint, since joints between the first and the "
                    "last are not at zero");
}

static void report_attached(struct writer *writer)
{
    if (writer->sheared > 0 && is_deliver(writer))
        report_loss(writer->context, "gltf-attached-shear", NOWHERE, writer->sheared,
                    "in clips, the shear of a node that hangs on one that is scaled");
    if (writer->flat > 0 && is_deliver(writer))
        report_loss(writer->context, "gltf-attached-flat", NOWHERE, writer->flat,
                    "in clips, the pose of a node whose own parent is flat while it hangs on another");
}

static void report_turns(struct writer *writer)
{
    if (writer->turns > 0)
        report_warning(writer->context, "gltf-turns", NOWHERE,
                       "a joint turns too often between two keys of a clip to be shown turn by turn (%llu times)",
                       (unsigned long long)writer->turns);
}

static bool plan_all(struct writer *writer)
{
    bool good = plan_meshes(writer) && plan_materials(writer) && plan_nodes(writer) && plan_metadata(writer) &&
                plan_joints(writer) && plan_diagonal(writer) && plan_clips(writer);
    if (good)
        place_views(writer);
    return good;
}

void free_writer(struct writer *writer)
{
    cp_context *context = writer->context;
    memory_free(context, writer->views, writer->view_room, sizeof *writer->views);
    memory_free(context, writer->accessors, writer->accessor_room, sizeof *writer->accessors);
    memory_free(context, writer->channels, writer->channel_room, sizeof *writer->channels);
    memory_free(context, writer->clips, writer->clip_room, sizeof *writer->clips);
    for (int i = 0; i < STREAM_COUNT; i++)
        buffer_free(&writer->streams[i].bytes);
    buffer_free(&writer->packed);
    free_followers(&writer->followers);
    cp_scene_free(writer->work);
    buffer_free(&writer->text);
}

cp_status compose_file(struct writer *writer, struct sink *sink, uint64_t *size)
{
    writer->text = (struct buffer){.context = writer->context};
    return plan_all(writer) ? writer->container->compose(writer, sink, size) : CP_LIMIT;
}

cp_status finish_file(struct writer *writer, struct sink *sink)
{
    cp_status status = writer->container->emit(writer, sink);
    if (status == CP_OK) {
        report_turns(writer);
        report_split(writer);
        report_attached(writer);
    }
    return status;
}

static cp_status write_plain(struct writer *writer, struct sink *sink)
{
    uint64_t size;
    writer->work = scene_new(writer->context);
    cp_status status = writer->work ? compose_file(writer, sink, &size) : CP_LIMIT;
    if (status == CP_OK)
        status = finish_file(writer, sink);
    free_writer(writer);
    return status;
}

/* ---- options that do not go together ---- */

static cp_status refuse(cp_context *context, const char *code, const char *text)
{
    return report_error(context, CP_USAGE, code, NOWHERE, "%s", text);
}

static cp_status check_web(cp_context *context, const struct gltf_settings *settings)
{
    if (settings->profile == PROFILE_STAGE)
        return refuse(context, "gltf-profile", "web=yes changes the scene: it needs profile=deliver");
    if (settings->ngons == NGONS_FB)
        return refuse(context, "gltf-web", "web=yes keeps triangles alone: it does not go with ngons=fb");
    if (settings->collision)
        return refuse(context, "gltf-web", "web=yes keeps what is drawn: it does not go with collision=yes");
    if (settings->budget > 0 && settings->error > 0)
        return refuse(context, "gltf-web", "budget= and error= both choose the simplification: give one");
    return CP_OK;
}

static cp_status check_settings(cp_context *context, const struct gltf_settings *settings)
{
    if (settings->web)
        return check_web(context, settings);
    if (settings->profile == PROFILE_STAGE && settings->normals == NORMALS_SMOOTH)
        return refuse(context, "gltf-profile", "normals=smooth changes the scene: it needs profile=deliver");
    if (settings->bits || settings->compression || settings->quality || settings->budget > 0 || settings->error > 0)
        return refuse(context, "gltf-web", "bits=, compression=, quality=, budget= and error= need web=yes");
    return CP_OK;
}

static cp_status write_any(struct writer *writer, struct sink *sink)
{
    cp_status status = check_settings(writer->context, writer->settings);
    if (status != CP_OK)
        return status;
    report_left_out(writer);
    return writer->settings->web ? write_web(writer, sink) : write_plain(writer, sink);
}

static cp_status glb_write(cp_context *context, const cp_scene *scene, const void *settings, struct sink *sink)
{
    struct writer writer = {.context = context, .scene = scene, .settings = settings, .container = &glb_container};
    return write_any(&writer, sink);
}

static cp_status gltf_write(cp_context *context, const cp_scene *scene, const void *settings, struct sink *sink)
{
    struct writer writer = {.context = context, .scene = scene, .settings = settings, .container = &gltf_container};
    return write_any(&writer, sink);
}

const struct exporter glb_exporter = {
    .plugin = {.name = "glb",
               .title = "glTF 2.0 in one binary file; the stage format",
               .options = glb_options,
               .settings_size = sizeof(struct gltf_settings)},
    .suffixes = ".glb",
    .carries = gltf_carries,
    .write = glb_write,
};

const struct exporter gltf_exporter = {
    .plugin = {.name = "gltf",
               .title = "glTF 2.0 as JSON and a .bin",
               .options = gltf_options,
               .settings_size = sizeof(struct gltf_settings)},
    .suffixes = ".gltf",
    .carries = gltf_carries,
    .write = gltf_write,
};
