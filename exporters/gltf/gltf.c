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
 * - A GLB ends at 4 GiB, by its format. No compression and no quantisation yet. */
#include "../exporters.h"
#include "writer.h"

#include <string.h>

/* clang-format off */
#define SHARED_OPTIONS                                                                                                 \
    {"profile", "stage: exactly the scene, for other stages; deliver: for viewers", OPTION_CHOICE,                     \
     offsetof(struct gltf_settings, profile), "deliver", 0, 0, "stage|deliver"},                                       \
    {"normals", "keep: those of the scene; smooth: make them where there are none (deliver); none: leave them out",    \
     OPTION_CHOICE, offsetof(struct gltf_settings, normals), "keep", 0, 0, "keep|smooth|none"},                        \
    {"crease", "normals=smooth: faces that meet at a greater angle keep their edge", OPTION_ANGLE,                     \
     offsetof(struct gltf_settings, crease), "30", 0, PI, NULL},                                                       \
    {"clips", "auto: a made clip a driven joint (deliver); none: only the scene's own clips", OPTION_CHOICE,           \
     offsetof(struct gltf_settings, clips), "auto", 0, 0, "auto|none"},                                                \
    {"collision", "deliver: keep the meshes that are for collision only", OPTION_BOOLEAN,                              \
     offsetof(struct gltf_settings, collision), "no", 0, 0, NULL},                                                     \
    {"ngons", "deliver: plain triangles, or FB_ngon_encoding", OPTION_CHOICE,                                          \
     offsetof(struct gltf_settings, ngons), "plain", 0, 0, "plain|fb"},                                                \
    {"up", "deliver: y adds a root that turns Z up into glTF's Y up; z leaves it out", OPTION_CHOICE,                  \
     offsetof(struct gltf_settings, up), "y", 0, 0, "y|z"}
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

static void report_turns(struct writer *writer)
{
    if (writer->turns > 0)
        report_warning(writer->context, "gltf-turns", NOWHERE,
                       "a joint turns too often between two keys of a clip to be shown turn by turn (%llu times)",
                       (unsigned long long)writer->turns);
}

static bool plan_all(struct writer *writer)
{
    return plan_meshes(writer) && plan_materials(writer) && plan_nodes(writer) && plan_joints(writer) &&
           plan_diagonal(writer) && plan_clips(writer) && plan_metadata(writer);
}

static void free_writer(struct writer *writer)
{
    cp_context *context = writer->context;
    memory_free(context, writer->views, writer->view_room, sizeof *writer->views);
    memory_free(context, writer->accessors, writer->accessor_room, sizeof *writer->accessors);
    memory_free(context, writer->channels, writer->channel_room, sizeof *writer->channels);
    memory_free(context, writer->clips, writer->clip_room, sizeof *writer->clips);
    cp_scene_free(writer->work);
    buffer_free(writer->json.out);
}

static cp_status write_any(struct writer *writer, struct sink *sink,
                           cp_status (*finish)(struct writer *, struct sink *))
{
    struct buffer text = {.context = writer->context};
    writer->json.out = &text;
    if (!is_deliver(writer) && writer->settings->normals == NORMALS_SMOOTH)
        return report_error(writer->context, CP_USAGE, "gltf-profile", NOWHERE,
                            "normals=smooth changes the scene: it needs profile=deliver");
    writer->work = scene_copy(writer->scene);
    report_left_out(writer);
    cp_status status = writer->work && plan_all(writer) ? finish(writer, sink) : CP_LIMIT;
    if (status == CP_OK)
        report_turns(writer);
    free_writer(writer);
    return status;
}

static cp_status glb_write(cp_context *context, const cp_scene *scene, const void *settings, struct sink *sink)
{
    struct writer writer = {.context = context, .scene = scene, .settings = settings};
    return write_any(&writer, sink, write_glb);
}

static cp_status gltf_write(cp_context *context, const cp_scene *scene, const void *settings, struct sink *sink)
{
    struct writer writer = {.context = context, .scene = scene, .settings = settings};
    return write_any(&writer, sink, write_gltf);
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
