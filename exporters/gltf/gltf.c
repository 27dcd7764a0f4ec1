/* glb, gltf: glTF 2.0, binary and as JSON with a sibling .bin.
 *
 * Specification: Khronos glTF 2.0 (ISO/IEC 12113:2022), with AGI_articulations for joints. What else we keep, and how,
 * is docs/stage-format.md, version 1.0.
 *
 * Dialects: profile stage is what cellpipe's stages hand each other and changes nothing; profile deliver is for
 * viewers: three.js, model-viewer, X_ITE, Blender, assimp and f3d read it (docs/gltf.md has who shows what).
 *
 * Behaviour and limitations
 * - Plain float geometry, indexed; 16-bit indices where they reach. One glTF mesh for all instances of a mesh.
 * - No normals unless the scene has them or normals=smooth asks for them; viewers then shade flat, as the specification
 *   says.
 * - Materials: metallic 0, roughness 0.8. Profile deliver draws closed, outward meshes single-sided; stage does not
 *   look.
 * - A joint's motion is a node of its own. Cubic tracks of turning joints are played through 16 straight pieces a key
 *   (the exact keys are in extras); all other tracks are what they are, as floats.
 * - A GLB ends at 4 GiB, by its format.
 * - web=yes (folder web/): merged meshes, positions as integers (KHR_mesh_quantization), EXT_meshopt_compression. */
#include "../exporters.h"

#include "mesh/mesh.h"
#include "mesh/simplify/simplify.h"
#include "writer.h"

/* clang-format off */
#define AT(member) offsetof(struct gltf_export_settings, member)
#define SHARED_OPTIONS                                                                                                 \
    {"profile", "stage: exactly the scene, for other stages; deliver: for viewers", CP_OPTION_CHOICE, AT(profile),     \
     "deliver", .choices = "stage|deliver"},                                                                           \
    {"normals",                                                                                                        \
     "keep: those of the scene; smooth: make them where there are none (deliver); none: leave them out; auto: keep "   \
     "for stages, else smooth where something is curved", CP_OPTION_CHOICE, AT(normals), "auto",                       \
     .choices = "auto|keep|smooth|none"},                                                                              \
    {"crease", "normals=smooth: faces that meet at this angle or more keep their edge", CP_OPTION_ANGLE, AT(crease),   \
     CREASE_TEXT, .maximum = PI},                                                                                      \
    {"clips", "auto: made clips of all joints and of each (deliver); none: only the scene's own clips", CP_OPTION_CHOICE, \
     AT(clips), "auto", .choices = "auto|none"},                                                                       \
    {"tolerance",                                                                                                      \
     "clips: how far grabbed devices and joints with formulas may be off between keys; 0: 0.1 mm for the web, else "   \
     "as near as floats tell", CP_OPTION_LENGTH, AT(tolerance), "0", .maximum = 1e9},                                  \
    {"collision", "deliver: keep the meshes that are for collision only", CP_OPTION_BOOLEAN, AT(collision),            \
     .initial = "no"},                                                                                                 \
    {"extras", "deliver: no leaves out what only cellpipe reads: devices, pairs, ids, exact tracks", CP_OPTION_BOOLEAN, \
     AT(extras), .initial = "yes"},                                                                                    \
    {"up", "deliver: y adds a root that turns Z up into glTF's Y up; z leaves it out", CP_OPTION_CHOICE, AT(up), "y",  \
     .choices = "y|z"},                                                                                                \
    {"colours", "deliver, of a cell whose source has none: by robot, tool, workpiece, floor and fence, or all grey",   \
     CP_OPTION_CHOICE, AT(colours), "auto", .choices = "auto|none"},                                                   \
    {"planes", "deliver: planes without borders are drawn at most twice as large as the rest, or as they are",         \
     CP_OPTION_CHOICE, AT(planes), "limit", .choices = "limit|keep"},                                                  \
    {"cameras", "deliver: views of the whole and of each robot; auto: of a cell with devices, but not for the web",    \
     CP_OPTION_CHOICE, AT(cameras), "auto", .choices = "auto|yes|no"},                                                 \
    {"web", "deliver: few draw calls, small numbers, packed: KHR_mesh_quantization, EXT_meshopt_compression",          \
     CP_OPTION_BOOLEAN, AT(web), .initial = "no"},                                                                     \
    {"merge", "web: link: the meshes of frames that never move against each other become one; frame: of each frame",   \
     CP_OPTION_CHOICE, AT(merge), "link", .choices = "link|frame"},                                                    \
    {"bits", "web: of a position's coordinate; 14 unless said", CP_OPTION_INTEGER, AT(bits), .minimum = 8,             \
     .maximum = 16},                                                                                                   \
    {"compression", "web: EXT_meshopt_compression (auto), or integers as they are", CP_OPTION_CHOICE, AT(compression), \
     "auto", .choices = "auto|meshopt|none"},                                                                          \
    {"budget", "web: simplified as little as makes the file at most this large", CP_OPTION_SIZE, AT(budget),           \
     .minimum = 1, .maximum = 1e15},                                                                                   \
    {"error", "web: simplified as far as neither surface is farther than this from the other", CP_OPTION_LENGTH,       \
     AT(error), .minimum = 1e-9, .maximum = 1e9},                                                                      \
    {"quality", "web: of simplification; auto is best", CP_OPTION_CHOICE, AT(quality), "auto",                         \
     .choices = "auto|best|fast"},                                                                                     \
    {"topology", "web: of simplification: holes may close and shells vanish (auto, free), or not (keep)",              \
     CP_OPTION_CHOICE, AT(topology), "auto", .choices = TOPOLOGY_CHOICES},                                             \
    {"texels", "web: of simplification: a texture is off by no more, about; with budget= by what it takes",            \
     CP_OPTION_NUMBER, AT(texels), "1", .minimum = 0.001, .maximum = 1e9}
/* clang-format on */

static const cp_option glb_options[] = {SHARED_OPTIONS, CP_OPTIONS_END};

static const cp_option gltf_options[] = {
    SHARED_OPTIONS,
    {"embed", "the binary part as a data URI instead of a sibling .bin", CP_OPTION_BOOLEAN,
     offsetof(struct gltf_export_settings, embed), .initial = "no"},
    CP_OPTIONS_END,
};

static uint32_t gltf_carries(const void *settings)
{
    const struct gltf_export_settings *gltf = settings;
    uint32_t lost = gltf->normals == NORMALS_NONE ? CP_FEATURE_NORMALS | CP_FEATURE_TANGENTS : 0;
    if (gltf->profile == PROFILE_DELIVER)
        lost |= CP_FEATURE_NGONS;
    if (gltf->web)
        lost |= CP_FEATURE_PRIMITIVES;
    if (!gltf->extras)
        lost |= CP_FEATURE_PRIMITIVES | CP_FEATURE_LOOPS | CP_FEATURE_DEVICES | CP_FEATURE_PAIRS |
                CP_FEATURE_COLLISION | CP_FEATURE_MARKS | CP_FEATURE_FLAGS | CP_FEATURE_PLACEHOLDERS;
    return CP_FEATURE_ALL & ~lost;
}

static uint32_t gltf_shows(const void *settings)
{
    const struct gltf_export_settings *gltf = settings;
    if (gltf->profile == PROFILE_STAGE)
        return 0;
    return gltf->collision ? CP_USE_BOTH : CP_USE_DRAWN;
}

/* ---- options that do not go together ---- */

static cp_status refuse(cp_context *context, const char *code, const char *text)
{
    return report_error(context, CP_USAGE, code, NOWHERE, "%s", text);
}

static cp_status check_settings(cp_context *context, const struct gltf_export_settings *settings)
{
    bool stage = settings->profile == PROFILE_STAGE, budget = settings->budget > 0, error = settings->error > 0;
    if (settings->web && !pack_is_built())
        return refuse(context, "gltf-not-built", "web=yes is not built; it needs the package libmeshoptimizer-dev");
    if (settings->web && stage)
        return refuse(context, "gltf-profile", "web=yes changes the scene: it needs profile=deliver");
    if (!settings->extras && stage)
        return refuse(context, "gltf-profile", "extras=no leaves out what stages keep: it needs profile=deliver");
    if (!settings->extras && settings->collision)
        return refuse(context, "gltf-extras", "collision=yes keeps meshes in extras: it does not go with extras=no");
    if (settings->web && settings->collision)
        return refuse(context, "gltf-web", "web=yes keeps what is drawn: it does not go with collision=yes");
    if (settings->web && budget && error)
        return refuse(context, "gltf-web", "budget= and error= both choose the simplification: give one");
    if (!settings->web && stage && settings->normals == NORMALS_SMOOTH)
        return refuse(context, "gltf-profile", "normals=smooth changes the scene: it needs profile=deliver");
    if (stage && settings->cameras == CAMERAS_YES)
        return refuse(context, "gltf-profile", "cameras=yes adds to the scene: it needs profile=deliver");
    if (!settings->web && (settings->merge || settings->bits || settings->compression || settings->quality ||
                           settings->topology || budget || error))
        return refuse(context, "gltf-web",
                      "merge=, bits=, compression=, quality=, topology=, budget= and error= need web=yes");
    return CP_OK;
}

/* ---- the whole ---- */

static cp_status write_as(cp_context *context, const cp_scene *scene, const struct gltf_export_settings *settings,
                          bool glb, struct arena *arena, struct sink *sink)
{
    struct gltf_writer writer = {
        .file = {.context = context, .scene = scene, .settings = settings, .binary = {.context = context}}, .glb = glb};
    struct gltf_file *file = &writer.file;
    /* Report it here, not by `carries`: only meshes that nobody draws are left out, if they are not kept for another
     * use. */
    uint64_t left_out = 0, size;
    for (uint32_t i = 0; i < scene->instance_count; i++)
        left_out += instance_is_left_out(file, &scene->instances[i]);
    if (left_out > 0)
        report_loss(context, "gltf-collision", NOWHERE, left_out,
                    "meshes for collision only are left out (collision=yes keeps them)");
    cp_status status = plan_cameras(file, arena);
    if (status != CP_OK || settings->web)
        return status == CP_OK ? write_web(&writer, sink) : status;
    file->work = scene_new(context);
    status = file->work ? compose_file(&writer, sink, &size) : CP_LIMIT;
    if (status == CP_OK)
        status = finish_file(&writer, sink);
    free_writer(&writer);
    return status;
}

static cp_status write_any(cp_context *context, const cp_scene *scene, const struct gltf_export_settings *settings,
                           bool glb, struct sink *sink)
{
    cp_scene *changed = NULL;
    bool deliver = settings->profile == PROFILE_DELIVER;
    cp_status status = check_settings(context, settings);
    if (status == CP_OK && deliver && settings->planes == PLANES_LIMIT)
        status = view_limit_planes(context, scene, &changed);
    if (status == CP_OK && deliver && settings->colours == COLOURS_AUTO)
        status = view_paint(context, scene, &changed);
    struct arena *arena = arena_new(context);
    if (status == CP_OK)
        status = arena ? write_as(context, changed ? changed : scene, settings, glb, arena, sink) : CP_LIMIT;
    arena_free(arena);
    cp_scene_free(changed);
    return status;
}

static cp_status glb_write(cp_context *context, const cp_scene *scene, const void *settings, struct sink *sink)
{
    return write_any(context, scene, settings, true, sink);
}

static cp_status gltf_write(cp_context *context, const cp_scene *scene, const void *settings, struct sink *sink)
{
    return write_any(context, scene, settings, false, sink);
}

#ifdef HAVE_MESHOPT
#define LACKS NULL
#else
#define LACKS "web=yes (apt-get install libmeshoptimizer-dev)"
#endif

const struct exporter glb_exporter = {
    .plugin = {.name = "glb",
               .title = "glTF 2.0 in one binary file; the stage format",
               .options = glb_options,
               .settings_size = sizeof(struct gltf_export_settings),
               .lacks = LACKS},
    .suffixes = ".glb",
    .carries = gltf_carries,
    .shows = gltf_shows,
    .tessellates = true,
    .write = glb_write,
};

const struct exporter gltf_exporter = {
    .plugin = {.name = "gltf",
               .title = "glTF 2.0 as JSON and a .bin",
               .options = gltf_options,
               .settings_size = sizeof(struct gltf_export_settings),
               .lacks = LACKS},
    .suffixes = ".gltf",
    .carries = gltf_carries,
    .shows = gltf_shows,
    .tessellates = true,
    .write = gltf_write,
};
