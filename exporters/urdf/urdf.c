/* URDF, the robot description of ROS: links with their joints, shapes and masses; meshes as files beside it.
 *
 * Specification: wiki.ros.org/urdf/XML, and what urdfdom (urdf_parser/src) accepts. Version 1.0, since urdfdom refuses
 * others up to its release 5; 1.2 by an option.
 *
 * Behaviour and limitations:
 * - A frame is a link, fixed to its parent or moved by its joint. A frame without a name, shape, mass and joints is
 * only a pose. Between several joints of a frame there are links without mass, NAME.joint2, NAME.joint3 ...
 * - If several frames stand on the world, or one that is not at its origin, the world is the link `world`.
 * - Names stay; what is called like another gets _2, _3 ... Fixed joints have the name that they were read with, or the
 *   link's and _joint.
 * - Revolute joints without limits are continuous. Where URDF demands a number and there is none, a range ends at 1e6,
 *   and effort and velocity at 1e9.
 * - A joint that follows another mimics it. One that follows a formula, or a joint that URDF does not have, stands
 * still at home, and so does a scaling one.
 * - Scales of frames go into shapes and ranges of slides. A shape that is sheared has its vertices moved.
 * - Boxes, cylinders, spheres (and capsules in version 1.2) stay such; other shapes, and round ones of fewer than 12
 *   sides, are meshes.
 * - Meshes are binary STL in meshes/, each once, named after the output and the mesh. A drawn mesh of several materials
 *   is a file for each, since a visual has one. With meshes=glb it is one GLB with all its materials, Y up as glTF has
 *   it.
 * - Elements that a reader of URDF kept are written as they were. */
#include "base/text/text.h"
#include "collide/list/list.h"
#include "robot.h"

static const cp_option options[] = {
    {"package", "the ROS package of meshes: package://NAME/meshes/...; paths from the file's folder when not given",
     CP_OPTION_STRING, .offset = offsetof(struct robot_settings, package)},
    {"meshes", "format of mesh files", CP_OPTION_CHOICE, offsetof(struct robot_settings, meshes), "stl",
     .choices = "stl|glb"},
    {"movable", "what movable frames are", CP_OPTION_CHOICE, offsetof(struct robot_settings, movable), "fixed",
     .choices = "fixed|floating"},
    {"urdf-version", "1.2 has capsules and accelerations, and is refused by urdfdom before its release 6",
     CP_OPTION_CHOICE, offsetof(struct robot_settings, version), "1.0", .choices = "1.0|1.2"},
    CP_OPTIONS_END,
};

static uint32_t carries(const void *pointer)
{
    const struct robot_settings *settings = pointer;
    /* Devices, pairs, flags and metadata are reported here, since a part of them is kept. */
    uint32_t always = CP_FEATURE_HIERARCHY | CP_FEATURE_NAMES | CP_FEATURE_INSTANCES | CP_FEATURE_MESHES |
                      CP_FEATURE_PRIMITIVES | CP_FEATURE_COLOURS | CP_FEATURE_JOINTS | CP_FEATURE_DEVICES |
                      CP_FEATURE_PAIRS | CP_FEATURE_COLLISION | CP_FEATURE_FLAGS | CP_FEATURE_METADATA |
                      CP_FEATURE_INERTIA;
    uint32_t in_glb = CP_FEATURE_LINES | CP_FEATURE_NORMALS | CP_FEATURE_VERTEX_COLOURS | CP_FEATURE_COORDINATES |
                      CP_FEATURE_TEXTURES | CP_FEATURE_SURFACES | CP_FEATURE_TANGENTS;
    return settings->meshes == ROBOT_MESHES_GLB ? always | in_glb : always;
}

static uint32_t shows(const void *settings)
{
    (void)settings;
    return CP_USE_BOTH;
}

/* Tells whether a reader makes the scene's devices again: one of all joints that are driven. */
static bool is_one_robot(const cp_scene *scene)
{
    uint32_t driven = 0;
    for (uint32_t i = 0; i < scene->joint_count; i++)
        driven += scene->joints[i].driven;
    return scene->device_count == 1 && scene->devices[0].joint_count == driven;
}

static void count_losses(struct robot *robot)
{
    const cp_scene *scene = robot->scene;
    robot->losses[LOST_PAIRS] += (uint64_t)scene->pair_count + scene->exclude_static_pairs;
    if (!is_one_robot(scene))
        robot->losses[LOST_DEVICES] = scene->device_count;
    for (uint32_t i = 0; i < scene->metadata_count; i++)
        robot->losses[LOST_METADATA] += !robot->is_kept[i] && strcmp(scene->metadata[i].key, CELL_KEY) != 0;
}

static void report_losses(const struct robot *robot)
{
    static const struct {
        const char *code, *text;
    } losses[ROBOT_LOSS_COUNT] = {
        [LOST_PAIRS] = {"urdf-pairs", "statements about collision pairs are left out; exclude writes them as SRDF"},
        [LOST_DEVICES] = {"urdf-devices", "devices become one robot of all joints"},
        [LOST_MOVABLE] = {"urdf-movable", "movable frames are fixed, or move by their joints alone (movable=floating "
                                          "lets those without joints float)"},
        [LOST_FLAGS] = {"urdf-flags", "frames that are attachable, highlighted or drawn as wires become usual ones"},
        [LOST_METADATA] = {"urdf-metadata", "entries of metadata are left out"},
        [LOST_HOMES] = {"urdf-homes", "homes of joints that are not at zero"},
        [LOST_FIXED] = {"urdf-fixed", "driven joints that move nothing are fixed"},
        [LOST_SCALING] = {"urdf-scaling", "scaling joints are fixed at home"},
        [LOST_DEPENDENCE] = {"urdf-dependence", "joints that follow a formula, or a joint that is fixed or scales, "
                                                "do not follow it"},
        [LOST_SCALED_JOINTS] = {"urdf-scaled-joints", "joints in frames that are scaled unequally move otherwise"},
        [LOST_SCALED_INERTIA] = {"urdf-scaled-inertia", "masses of scaled frames are left out"},
        [LOST_RANGES] = {"urdf-ranges", "joints without a lower or an upper limit get one of 1e6"},
        [LOST_ACCELERATION] = {"urdf-acceleration", "limits of acceleration are left out (urdf-version=1.2 has them)"},
        [LOST_SHAPES] = {"urdf-shapes", "capsules, cones, tubes, planes, pyramids and scaled round shapes become "
                                        "meshes"},
        [LOST_BAKED] = {"urdf-baked", "shapes that are sheared get meshes of their own"},
        [LOST_NAMES] = {"urdf-names", "names that several have, or with control characters, are changed"},
    };
    for (size_t i = 0; i < ROBOT_LOSS_COUNT; i++)
        if (robot->losses[i] > 0)
            report_loss(robot->context, losses[i].code, NOWHERE, robot->losses[i], "%s", losses[i].text);
    if (robot->other_sides > 0)
        report_note(robot->context, "urdf-sides", NOWHERE,
                    "%u round shapes have other than %d sides, with which they are read", (unsigned)robot->other_sides,
                    (int)ROBOT_SIDES);
    if (robot->unlimited)
        report_note(robot->context, "urdf-unlimited", NOWHERE,
                    "unlimited efforts and velocities are written as 1e9, since URDF demands numbers");
}

/* Checks the option that goes into a URI. */
static cp_status check_package(const struct robot *robot)
{
    const char *name = robot->settings->package;
    bool good = !name || *name;
    for (const char *at = name; good && at && *at; at++)
        good = is_letter(*at) || is_digit(*at) || *at == '_' || *at == '-';
    return good ? CP_OK
                : report_error(robot->context, CP_USAGE, "urdf-package", NOWHERE,
                               "package=%s is no name of a package: letters, digits, - and _", name);
}

/* Names the robot after its one device, or else after the file. */
static bool name_robot(struct robot *robot)
{
    const cp_scene *scene = robot->scene;
    const char *stem = *sink_stem(robot->sink) ? sink_stem(robot->sink) : "robot";
    robot->name = scene->device_count == 1 && *scene->devices[0].name
                      ? scene->devices[0].name
                      : utf8_from(robot->arena, stem, strlen(stem), NULL);
    return robot->name;
}

static cp_status write_robot(struct robot *robot)
{
    const cp_scene *scene = robot->scene;
    robot->arena = arena_new(robot->context);
    robot->links = arena_allocate_zeroed(robot->arena, scene->node_count, sizeof *robot->links);
    robot->joints = arena_allocate_zeroed(robot->arena, scene->joint_count, sizeof *robot->joints);
    if (!robot->links || !robot->joints || !name_robot(robot))
        return CP_LIMIT;
    cp_status status = check_package(robot);
    if (status == CP_OK)
        status = robot_plan_metadata(robot);
    if (status == CP_OK)
        status = robot_plan_links(robot);
    if (status == CP_OK)
        status = robot_plan_shapes(robot);
    if (status == CP_OK)
        status = robot_write_meshes(robot);
    if (status != CP_OK)
        return status;
    robot_write_text(robot);
    count_losses(robot);
    report_losses(robot);
    return sink_status(robot->sink);
}

static cp_status write(cp_context *context, const cp_scene *scene, const void *settings, struct sink *sink)
{
    struct robot robot = {.context = context,
                          .scene = scene,
                          .settings = settings,
                          .sink = sink,
                          .part_keys = {.context = context},
                          .link_names = {.context = context},
                          .joint_names = {.context = context}};
    cp_status status = write_robot(&robot);
    memory_free(context, robot.parts, robot.part_room, sizeof *robot.parts);
    name_map_free(&robot.part_keys);
    name_map_free(&robot.link_names);
    name_map_free(&robot.joint_names);
    arena_free(robot.arena);
    return status;
}

const struct exporter urdf_exporter = {
    .plugin = {.name = "urdf",
               .title = "URDF robot",
               .options = options,
               .settings_size = sizeof(struct robot_settings)},
    .suffixes = ".urdf",
    .carries = carries,
    .shows = shows,
    .tessellates = true,
    .write = write,
};
