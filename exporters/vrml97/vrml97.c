/* VRML97 (ISO/IEC 14772-1:1997, "#VRML V2.0 utf8"): the cell as people can open it in a browser, with joints to click.
 *
 * Readers met: X_ITE, Castle (view3dscene, tovrmlx3d), Coin, three's VRMLLoader, VTK. What they share decides the form:
 * no Script, no PROTO, all ROUTEs behind all nodes (three), names of letters, digits and _ only, nothing but ASCII
 * outside of strings.
 *
 * Behaviour and limitations
 * - Metres. Y is up by one root Transform; up=z leaves it out.
 * - A frame is a Transform with a DEF name, and its joints are Transforms in it ("motion_..."). Original names, joint
 *   limits, homes and masters stand in the WorldInfo's strings.
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
 * - Devices, exclusions, frame flags and metadata are not written. */
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
    {"colours", "of a cell whose source has none: by robot, tool, workpiece, floor and fence, or all grey",
     CP_OPTION_CHOICE, offsetof(struct vrml_settings, colours), "auto", .choices = "auto|none"},
    {"planes", "without borders: drawn at most twice as large as the rest, or as they are", CP_OPTION_CHOICE,
     offsetof(struct vrml_settings, planes), "limit", .choices = "limit|keep"},
    CP_OPTIONS_END};

static uint32_t carries(const void *settings)
{
    const struct vrml_settings *mine = settings;
    uint32_t lost = CP_FEATURE_LOOPS | CP_FEATURE_MARKS | CP_FEATURE_DEVICES | CP_FEATURE_PAIRS | CP_FEATURE_FLAGS |
                    CP_FEATURE_METADATA | CP_FEATURE_PLACEHOLDERS | CP_FEATURE_SURFACES | CP_FEATURE_TANGENTS |
                    (mine->primitives ? 0 : CP_FEATURE_PRIMITIVES);
    return CP_FEATURE_ALL & ~lost;
}

static void report_losses(struct vrml *v)
{
    const struct recording none = {0}, *recording = v->recording ? v->recording : &none;
    const struct {
        const char *code;
        uint64_t count;
        const char *text;
    } losses[] = {{"vrml97-mirrored", v->mirrored, "VRML97 has no mirroring: it is baked into copies of the meshes"},
                  {"vrml97-flat", v->flat, "VRML97 has no zero scale: it is baked into copies of the meshes"},
                  {"vrml97-frozen", v->frozen, "a joint below a zero scale stands still"},
                  {"vrml97-attached-shear", recording->sheared,
                   "in the clip, the shear of a frame that hangs on one that is scaled"},
                  {"vrml97-attached-flat", recording->flat,
                   "in the clip, the pose of a frame whose own parent is flat while it hangs on another"},
                  {"vrml97-clip-scale", v->unscaled,
                   "in the clip, keys of a scale that is zero, or mirrors where the frame at rest does not"},
                  {"vrml97-shrunk", v->shrunk, "a scale joint stops before zero"},
                  {"vrml97-turns", v->turns, "a joint turns too often between its limits to be shown turn by turn"},
                  {"vrml97-alpha", v->alphas, "the transparency of a vertex colour is left out"},
                  {"vrml97-colour", v->clamped, "a colour is brighter or darker than can be shown"},
                  {"vrml97-replaced", v->replaced, "the colour of a material, which its texture replaces"},
                  {"vrml97-textures", v->untextured,
                   "textures, whose images no PixelTexture can hold: GIF, damaged, or more than 16 million pixels"},
                  {"vrml97-image-type", v->strange, "textures with images that are no PNG, JPEG or GIF, or not there"},
                  {"vrml97-wrap", v->wrapped, "a texture that is mirrored where it repeats"}};
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++)
        if (losses[i].count > 0)
            report_loss(v->context, losses[i].code, NOWHERE, losses[i].count, "%s", losses[i].text);
}

static cp_status write_all(struct vrml *v)
{
    const cp_scene *scene = v->scene;
    v->arena = arena_new(v->context);
    if (!v->arena)
        return CP_LIMIT;
    v->nodes = vrml_plan_room(v, scene->node_count, sizeof *v->nodes);
    v->joints = vrml_plan_room(v, scene->joint_count, sizeof *v->joints);
    v->meshes = vrml_plan_room(v, 2 * (size_t)scene->mesh_count, sizeof *v->meshes);
    v->looks = vrml_plan_room(v, 2 * (size_t)scene->material_count + 2, sizeof *v->looks);
    v->pictures = vrml_plan_room(v, scene->image_count, sizeof *v->pictures);
    v->same_images = vrml_plan_room(v, scene->image_count, sizeof *v->same_images);
    v->folders = vrml_plan_room(v, (size_t)scene->device_count + 1, sizeof *v->folders);
    cp_status status = v->failed ? CP_LIMIT : vrml_plan(v);
    if (status == CP_OK && v->settings->layout != VRML_SINGLE && scene->instance_count > 0)
        status = sink_expect_further(v->top);
    if (status == CP_OK)
        status = vrml_write_images(v);
    if (status != CP_OK)
        return status;
    sink_text(v->out, "#VRML V2.0 utf8\n");
    vrml_write_info(v);
    status = v->settings->scenery ? vrml_write_scenery(v) : CP_OK;
    if (status == CP_OK)
        status = vrml_write_tree(v);
    if (status == CP_OK && !v->failed)
        vrml_write_motion(v);
    if (status != CP_OK || v->failed)
        return status == CP_OK ? CP_LIMIT : status;
    if (v->too_large)
        return report_error(v->context, CP_OUTPUT, "vrml97-range", NOWHERE,
                            "a number is beyond the single precision of VRML97");
    report_losses(v);
    return CP_OK;
}

static uint32_t shows(const void *settings)
{
    (void)settings;
    return CP_USE_DRAWN;
}

static cp_status write_scene(cp_context *context, const cp_scene *scene, const void *settings, struct sink *sink)
{
    cp_scene *changed = NULL;
    struct vrml v = {.context = context, .settings = settings, .top = sink, .out = sink, .file = 1};
    cp_status status = CP_OK;
    if (v.settings->planes == VRML_LIMIT_PLANES)
        status = view_limit_planes(context, scene, &changed);
    if (status == CP_OK && v.settings->colours == VRML_COLOURS_AUTO)
        status = view_paint(context, scene, &changed);
    v.scene = changed ? changed : scene;
    v.names.context = v.followers.context = context;
    if (status == CP_OK)
        status = write_all(&v);
    name_map_free(&v.names);
    mechanism_close(&v.mechanism);
    free_followers(&v.followers);
    vrml_free_recording(&v);
    memory_free(context, v.wires, v.wire_room, sizeof *v.wires);
    arena_free(v.arena);
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
