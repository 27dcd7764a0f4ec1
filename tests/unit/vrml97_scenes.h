/* Scenes for the tests of the VRML97 exporter, built by hand. */
#ifndef VRML97_SCENES_H
#define VRML97_SCENES_H

#include <math.h>

#include "base/text/text.h"
#include "model/model.h"

/* A box from (0, 0, 0) to (x, y, z) of 6 quads that look outwards. */
static inline uint32_t add_box(cp_scene *scene, const char *name, double x, double y, double z)
{
    static const uint32_t corners[24] = {0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4, 2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5};
    float *points = scene_allocate(scene, 24, sizeof *points);
    uint32_t *offsets = scene_allocate(scene, 7, sizeof *offsets);
    if (!points || !offsets)
        return CP_NONE;
    for (int i = 0; i < 8; i++) {
        points[3 * i] = (float)(i & 1 ? x : 0);
        points[3 * i + 1] = (float)(i & 2 ? y : 0);
        points[3 * i + 2] = (float)(i & 4 ? z : 0);
    }
    for (uint32_t i = 0; i < 7; i++)
        offsets[i] = 4 * i;
    return scene_add_mesh(scene, &(cp_mesh){.name = name,
                                            .source = "",
                                            .kind = CP_MESH_FACES,
                                            .vertex_count = 8,
                                            .face_count = 6,
                                            .corner_count = 24,
                                            .positions = points,
                                            .face_offsets = offsets,
                                            .corners = corners});
}

static inline uint32_t add_node(cp_scene *scene, uint32_t parent, const char *name, cp_pose local)
{
    uint32_t node = scene_add_node(scene, parent, name, strlen(name));
    if (node != CP_NONE)
        scene->nodes[node].local = local;
    return node;
}

static inline cp_joint *add_joint(cp_scene *scene, uint32_t node, cp_joint_type type, double lower, double upper)
{
    uint32_t joint = scene_add_joint(scene, node, type, NULL);
    if (joint == CP_NONE)
        return NULL;
    scene->joints[joint].lower = lower;
    scene->joints[joint].upper = upper;
    return &scene->joints[joint];
}

static inline void turn_axis(cp_joint *joint, double x, double y, double z)
{
    double length = sqrt(x * x + y * y + z * z);
    joint->axis[0] = x / length;
    joint->axis[1] = y / length;
    joint->axis[2] = z / length;
}

static inline void place_mesh(cp_scene *scene, uint32_t node, uint32_t mesh)
{
    static const cp_pose identity = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
    (void)scene_add_instance(scene, node, mesh, CP_USE_BOTH, &identity);
}

/* base - J1 (revolute, 170 degrees each way, now at 0.3) with a shape, a fixed frame with a shape, J2 (prismatic),
 * wrist (two joints on one part), jaws (one drives the other), a passive one, an unlimited one, a stretching one. */
static inline cp_scene *arm_scene(cp_context *context)
{
    cp_scene *scene = scene_new(context);
    if (!scene)
        return NULL;
    const double most = degrees_to_radians(170);
    uint32_t base = add_node(scene, 0, "base", pose_translation(1, 2, 0.5));
    uint32_t one = add_node(scene, base, "J1", pose_rotation_degrees(0, 90));
    uint32_t cover = add_node(scene, one, "cover", pose_translation(0, 0, 0.25));
    uint32_t two = add_node(scene, one, "J2", pose_translation(0.5, 0, 0));
    uint32_t wrist = add_node(scene, two, "wrist", pose_rotation_degrees(1, 30));
    uint32_t left = add_node(scene, wrist, "left jaw", pose_translation(0, 0.1, 0));
    uint32_t right = add_node(scene, wrist, "right jaw", pose_translation(0, -0.1, 0));
    uint32_t loose = add_node(scene, base, "loose", pose_translation(0, 0, 1));
    uint32_t spin = add_node(scene, loose, "spin", POSE_IDENTITY);
    uint32_t bellows = add_node(scene, base, "bellows", pose_translation(-1, 0, 0));
    uint32_t tip = add_node(scene, bellows, "tip", pose_translation(0, 0, 0.3));
    cp_joint *joint = add_joint(scene, one, CP_JOINT_REVOLUTE, -most, most);
    joint->q = 0.3;
    joint = add_joint(scene, two, CP_JOINT_PRISMATIC, 0, 0.4);
    turn_axis(joint, 1, 2, 2);
    joint->home = joint->q = 0.1;
    turn_axis(add_joint(scene, wrist, CP_JOINT_REVOLUTE, -1, 1), 1, 0, 0);
    turn_axis(add_joint(scene, wrist, CP_JOINT_REVOLUTE, 0, 2), 0, 1, 0);
    turn_axis(add_joint(scene, left, CP_JOINT_PRISMATIC, 0, 0.05), 0, 1, 0);
    joint = add_joint(scene, right, CP_JOINT_REVOLUTE, -INFINITY, INFINITY);
    joint->driven = false;
    joint->master = 4;
    joint->scale = -40;
    joint->offset = 0.1;
    add_joint(scene, loose, CP_JOINT_REVOLUTE, -1, 1)->driven = false;
    joint = add_joint(scene, spin, CP_JOINT_REVOLUTE, -INFINITY, INFINITY);
    turn_axis(joint, 1, 1, 0);
    joint = add_joint(scene, bellows, CP_JOINT_SCALE, 0.5, 2);
    turn_axis(joint, 1, -2, 3);
    joint->home = joint->q = 1;
    uint32_t box = add_box(scene, "box", 0.2, 0.3, 0.4);
    const uint32_t shown[] = {base, one, cover, two, wrist, left, right, loose, spin, tip};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        place_mesh(scene, shown[i], box);
    return scene;
}

/* A hand of 0.2 m with a finger of a millimetre that slides, in a cell with a wall of 3 m. */
static inline cp_scene *hand_scene(cp_context *context)
{
    cp_scene *scene = scene_new(context);
    if (!scene)
        return NULL;
    uint32_t wall = add_node(scene, 0, "wall", POSE_IDENTITY);
    uint32_t hand = add_node(scene, 0, "hand", pose_translation(1, 1, 1));
    uint32_t finger = add_node(scene, hand, "finger", pose_translation(0.2, 0, 0));
    turn_axis(add_joint(scene, finger, CP_JOINT_PRISMATIC, 0, 0.001), 1, 0, 0);
    uint32_t device = scene_add_device(scene, "hand", hand);
    scene->nodes[hand].scope = scene->nodes[finger].scope = device;
    place_mesh(scene, wall, add_box(scene, "wall", 3, 0.1, 2));
    place_mesh(scene, hand, add_box(scene, "palm", 0.2, 0.2, 0.2));
    place_mesh(scene, finger, add_box(scene, "finger", 0.001, 0.001, 0.001));
    return scene;
}

/* Frames and instances that are mirrored, sheared, thin and flat, with joints below them. */
static inline cp_scene *poses_scene(cp_context *context)
{
    static const cp_pose shear = {{1, 0.7, 0.1, 1, 0.2, 2, 0, 0, 0, -0.4, 0.5, 0}};
    static const cp_pose mirror = {{-1, 0, 0, 2, 0, 1, 0, 0, 0, 0, 1, 0}};
    static const cp_pose flat = {{1, 0, 0, 3, 0, 1, 0, 0, 0.5, 0, 0, 0}};
    static const cp_pose uneven = {{0, -2, 0, 0, 3, 0, 0, 0, 0, 0, 0.25, -1}};
    cp_scene *scene = scene_new(context);
    if (!scene)
        return NULL;
    uint32_t askew = add_node(scene, 0, "askew", shear);
    uint32_t under_askew = add_node(scene, askew, "under askew", pose_rotation_degrees(2, 40));
    uint32_t glass = add_node(scene, 0, "glass", mirror);
    uint32_t turned = add_node(scene, glass, "turned", pose_rotation_degrees(1, 25));
    uint32_t slide = add_node(scene, turned, "slide", pose_translation(0.1, 0.2, 0.3));
    uint32_t back = add_node(scene, slide, "back", mirror);
    uint32_t sheet = add_node(scene, 0, "sheet", flat);
    uint32_t still = add_node(scene, sheet, "still", pose_translation(0, 0, 1));
    uint32_t stretched = add_node(scene, 0, "stretched", uneven);
    uint32_t small = add_node(scene, 0, "small", pose_scaling(1e-3, 1e-3, 1e-3));
    turn_axis(add_joint(scene, under_askew, CP_JOINT_REVOLUTE, -1, 2), 0, 1, 1);
    turn_axis(add_joint(scene, turned, CP_JOINT_REVOLUTE, -2, 2), 1, 2, 0);
    turn_axis(add_joint(scene, slide, CP_JOINT_PRISMATIC, -0.1, 0.1), 1, 0, 0);
    (void)add_joint(scene, still, CP_JOINT_REVOLUTE, -1, 1);
    uint32_t box = add_box(scene, "box", 0.2, 0.3, 0.4);
    const uint32_t shown[] = {askew, under_askew, glass, turned, slide, back, sheet, still, stretched, small};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        place_mesh(scene, shown[i], box);
    (void)scene_add_instance(scene, small, box, CP_USE_COLLISION, &mirror);
    (void)scene_add_instance(scene, small, box, CP_USE_COLLISION, &uneven);
    (void)scene_add_instance(scene, small, box, CP_USE_DRAWN, &shear);
    return scene;
}

#endif
