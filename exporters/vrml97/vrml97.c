/* VRML97 (ISO/IEC 14772-1:1997, "#VRML V2.0 utf8"): the cell as people can open it in a browser, with joints to click.
 *
 * Readers met: X_ITE, Castle (view3dscene, tovrmlx3d), Coin, three's VRMLLoader, VTK. What they share decides the form:
 * no Script, no PROTO, all ROUTEs behind all nodes (three), names of letters, digits and _ only, nothing but ASCII
 * outside of strings.
 *
 * Behaviour and limitations
 * - Metres. Y is up by one root Transform; up=z leaves it out.
 * - A frame is a Transform with a DEF name, and its joints are Transforms in it ("motion_..."). Original names, joint
 *   limits, homes and masters, and devices stand in the WorldInfo's strings.
 * - A click on a shape plays the joint that moves it, with the joints that follow it, through home, lower, upper and
 *   home. There is one TimeSensor a part with joints; several joints on one part play one after the other. No Script,
 *   so a click while it plays does nothing.
 * - A scale must be above zero here: mirroring goes into mirrored copies of the meshes, and what is flat (zero scale,
 *   or thinner than 1e-7 of its length) into flat copies whose joints stand still. Both are reported.
 * - Meshes used more than once are written once (USE). Vertices are exact; readers hold single precision.
 * - Colours by material, or by vertex (times the material's colour, without alpha). Normals where the source
 *   has them, else a crease angle.
 * - One clip is played, by a click on a device's base, or by itself (play=); a click on a joint stops it. Keys are left
 *   out where nothing moves farther than the tolerance. Devices that are grabbed stay in the frame where they stand in
 *   the scene, and their keys move them along.
 * - Exclusions, frame flags and metadata are not written. */
#include <stddef.h>

#include "../exporters.h"
#include "mesh/mesh.h"
#include "view/view.h"
#include "vrml97.h"

static const cp_option options[] = {
    {"up", "which axis is up: y by a root Transform, or z as in the scene", CP_OPTION_CHOICE,
     offsetof(struct vrml_settings, up), "y", .choices = "y|z"},
    {"layout", "all in one file, or each mesh, or each frame's meshes together, in a file of their own by Inline",
     CP_OPTION_CHOICE, offsetof(struct vrml_settings, layout), "single", .choices = "single|inline|parts"},
    {"crease", "faces that meet at less than this angle are shaded smoothly", CP_OPTION_ANGLE,
     offsetof(struct vrml_settings, crease), CREASE_TEXT, .maximum = PI},
    {"primitives", "boxes, cylinders, cones and spheres as such, not as faces", CP_OPTION_BOOLEAN,
     offsetof(struct vrml_settings, primitives), .initial = "no"},
    {"clip", "the clip that a click on a device's base plays: its name, or none; the first when not said",
     CP_OPTION_CLIP, .offset = offsetof(struct vrml_settings, clip)},
    {"cycle", "seconds that the clip takes; as long as it was recorded when not said", CP_OPTION_TIME,
     offsetof(struct vrml_settings, cycle), .minimum = 1e-3, .maximum = 1e9},
    {"tolerance", "keys of the clip are left out where nothing moves farther than this; 0 keeps all", CP_OPTION_LENGTH,
     offsetof(struct vrml_settings, tolerance), "0.1mm", .maximum = 1e9},
    {"play", "the clip, or without one all joints: by a click, once when the world is entered, or over and over",
     CP_OPTION_CHOICE, offsetof(struct vrml_settings, play), "click", .choices = "click|auto|loop"},
    {"clicks", "joints play on clicks in a scene with a clip, too, and stop it", CP_OPTION_BOOLEAN,
     offsetof(struct vrml_settings, clicks), .initial = "yes"},
    {"descriptions", "of sensors, which X_ITE and Castle show, and strict readers of VRML97 refuse", CP_OPTION_BOOLEAN,
     offsetof(struct vrml_settings, descriptions), .initial = "no"},
    {"scenery", "a background, lights and views; no for a world that another one inlines", CP_OPTION_BOOLEAN,
     offsetof(struct vrml_settings, scenery), .initial = "yes"},
    {"ground", "a grey one under a robot without a floor; it is geometry, which other readers take for a part",
     CP_OPTION_BOOLEAN, offsetof(struct vrml_settings, ground), .initial = "no"},
    {"colours", "of a cell whose source has none: by robot, tool, workpiece, floor and fence, or all grey",
     CP_OPTION_CHOICE, offsetof(struct vrml_settings, colours), "auto", .choices = "auto|none"},
    {"planes", "without borders: drawn at most twice as large as the rest, or as they are", CP_OPTION_CHOICE,
     offsetof(struct vrml_settings, planes), "limit", .choices = "limit|keep"},
    CP_OPTIONS_END};

static uint32_t carries(const void *settings)
{
    const struct vrml_settings *mine = settings;
    return CP_FEATURE_HIERARCHY | CP_FEATURE_NAMES | CP_FEATURE_INSTANCES | CP_FEATURE_MESHES | CP_FEATURE_NGONS |
           CP_FEATURE_LINES | CP_FEATURE_NORMALS | CP_FEATURE_COLOURS | CP_FEATURE_VERTEX_COLOURS |
           CP_FEATURE_COORDINATES | CP_FEATURE_TEXTURES | CP_FEATURE_COLLISION | CP_FEATURE_JOINTS |
           CP_FEATURE_DEVICES | CP_FEATURE_CLIPS | (mine->primitives ? CP_FEATURE_PRIMITIVES : 0);
}

static void report_losses(const struct vrml_output *output)
{
    static const struct vrml_loss_text {
        const char *code, *text;
    } losses[VRML_LOSS_COUNT] = {
        [LOST_MIRRORING] = {"vrml97-mirrored", "VRML97 has no mirroring: it is baked into copies of the meshes"},
        [LOST_FLATNESS] = {"vrml97-flat", "VRML97 has no zero scale: it is baked into copies of the meshes"},
        [LOST_FROZEN] = {"vrml97-frozen", "a joint below a zero scale stands still"},
        [LOST_ATTACHED_SHEAR] = {"vrml97-attached-shear",
                                 "in the clip, the shear of a frame that hangs on one that is scaled"},
        [LOST_ATTACHED_FLAT] = {"vrml97-attached-flat", "in the clip, the pose of a frame whose own parent is "
                                                        "flat while it hangs on another"},
        [LOST_CLIP_SCALE] = {"vrml97-clip-scale", "in the clip, keys of a scale that is zero, or mirrors where "
                                                  "the frame at rest does not"},
        [LOST_SHRUNK] = {"vrml97-shrunk", "a scale joint stops before zero"},
        [LOST_TURNS] = {"vrml97-turns", "a joint turns too often between its limits to be shown turn by turn"},
        [LOST_ALPHA] = {"vrml97-alpha", "the transparency of a vertex colour is left out"},
        [LOST_CLAMPED] = {"vrml97-colour", "a colour is brighter or darker than can be shown"},
        [LOST_REPLACED] = {"vrml97-replaced", "the colour of a material, which its texture replaces"},
        [LOST_TEXTURE] = {"vrml97-textures", "textures, whose images no PixelTexture can hold: GIF, damaged, or "
                                             "more than 16 million pixels"},
        [LOST_IMAGE_TYPE] = {"vrml97-image-type", "textures with images that are no PNG, JPEG or GIF, or not there"},
        [LOST_WRAP] = {"vrml97-wrap", "a texture that is mirrored where it repeats"}};
    for (size_t i = 0; i < VRML_LOSS_COUNT; i++)
        if (output->losses[i] > 0)
            report_loss(output->context, losses[i].code, NOWHERE, output->losses[i], "%s", losses[i].text);
}

/* Makes room for the plans, zeroed; false when out of memory. */
static bool make_plans(struct vrml_output *output, struct vrml_frames *frames, struct vrml_shapes *shapes)
{
    const cp_scene *scene = frames->scene;
    output->arena = arena_new(output->context);
    if (!output->arena)
        return false;
    frames->nodes = vrml_plan_room(output, scene->node_count, sizeof *frames->nodes);
    frames->joints = vrml_plan_room(output, scene->joint_count, sizeof *frames->joints);
    shapes->meshes = vrml_plan_room(output, 2 * (size_t)scene->mesh_count, sizeof *shapes->meshes);
    shapes->looks = vrml_plan_room(output, 2 * (size_t)scene->material_count + 2, sizeof *shapes->looks);
    shapes->pictures = vrml_plan_room(output, scene->image_count, sizeof *shapes->pictures);
    shapes->same_images = vrml_plan_room(output, scene->image_count, sizeof *shapes->same_images);
    shapes->folders = vrml_plan_room(output, (size_t)scene->device_count + 1, sizeof *shapes->folders);
    return !output->failed;
}

static cp_status write_all(struct vrml_output *output, struct vrml_frames *frames, struct vrml_shapes *shapes,
                           struct vrml_motion *motion)
{
    const struct vrml_settings *settings = output->settings;
    if (!make_plans(output, frames, shapes))
        return CP_LIMIT;
    cp_status status = vrml_plan(output, frames, shapes, motion);
    if (status == CP_OK && settings->layout != VRML_SINGLE && frames->scene->instance_count > 0)
        status = sink_expect_further(output->world);
    if (status == CP_OK)
        status = vrml_write_images(output, shapes);
    if (status != CP_OK)
        return status;
    sink_text(output->sink, "#VRML V2.0 utf8\n");
    vrml_write_info(output, frames, shapes);
    if (settings->scenery)
        status = vrml_write_scenery(output, frames->scene);
    if (status == CP_OK)
        status = vrml_write_tree(output, frames, shapes);
    if (status == CP_OK && !output->failed)
        vrml_write_motion(output, frames, motion);
    if (status != CP_OK || output->failed)
        return status == CP_OK ? CP_LIMIT : status;
    if (output->too_large)
        return report_error(output->context, CP_OUTPUT, "vrml97-range", NOWHERE,
                            "a number is beyond the single precision of VRML97");
    report_losses(output);
    return CP_OK;
}

static uint32_t shows(const void *settings)
{
    (void)settings;
    return CP_USE_DRAWN;
}

static cp_status write_scene(cp_context *context, const cp_scene *scene, const void *pointer, struct sink *sink)
{
    const struct vrml_settings *settings = pointer;
    cp_scene *changed = NULL;
    cp_status status = CP_OK;
    if (settings->planes == VRML_LIMIT_PLANES)
        status = view_limit_planes(context, scene, &changed);
    if (status == CP_OK && settings->colours == VRML_COLOURS_AUTO)
        status = view_paint(context, scene, &changed);
    const cp_scene *written = changed ? changed : scene;
    struct vrml_output output = {.context = context,
                                 .settings = settings,
                                 .world = sink,
                                 .sink = sink,
                                 .names = {.context = context},
                                 .file = 1};
    struct vrml_frames frames = {.scene = written, .followers = {.context = context}};
    struct vrml_shapes shapes = {.scene = written};
    struct vrml_motion motion = {0};
    if (status == CP_OK)
        status = write_all(&output, &frames, &shapes, &motion);
    name_map_free(&output.names);
    mechanism_close(&frames.mechanism);
    free_followers(&frames.followers);
    cp_scene_free(motion.recording ? motion.recording->work : NULL);
    memory_free(context, motion.wires, motion.wire_room, sizeof *motion.wires);
    arena_free(output.arena);
    cp_scene_free(changed);
    return status;
}

const struct exporter vrml97_exporter = {.plugin = {.name = "vrml97",
                                                    .title = "VRML97 worlds with joints to click",
                                                    .options = options,
                                                    .settings_size = sizeof(struct vrml_settings)},
                                         .suffixes = ".wrl .wrz",
                                         .carries = carries,
                                         .shows = shows,
                                         .tessellates = true,
                                         .write = write_scene};
