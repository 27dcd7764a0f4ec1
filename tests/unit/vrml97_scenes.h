/* Builds scenes for the tests of the VRML97 exporter by hand. */
#ifndef VRML97_SCENES_H
#define VRML97_SCENES_H

#include <math.h>

#include "fixture.h"

/* A box from (0, 0, 0) to (x, y, z) of 6 quads that look outwards. */
static inline uint32_t add_box(cp_scene *scene, const char *name, double x, double y, double z)
{
    static const uint32_t corners[24] = {0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4, 2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5};
    static const uint32_t offsets[7] = {0, 4, 8, 12, 16, 20, 24};
    float points[24];
    for (int i = 0; i < 8; i++) {
        points[3 * i] = (float)(i & 1 ? x : 0);
        points[3 * i + 1] = (float)(i & 2 ? y : 0);
        points[3 * i + 2] = (float)(i & 4 ? z : 0);
    }
    cp_mesh mesh = cp_new_mesh();
    mesh.name = name;
    mesh.vertex_count = 8;
    mesh.face_count = 6;
    mesh.corner_count = 24;
    mesh.positions = points;
    mesh.face_offsets = offsets;
    mesh.corners = corners;
    return add_mesh_of(scene, &mesh);
}

static inline uint32_t add_node(cp_scene *scene, uint32_t parent, const char *name, cp_pose local)
{
    return add_node_at(scene, parent, name, &local);
}

static inline cp_joint joint_of(uint32_t node, cp_joint_type type, double lower, double upper)
{
    cp_joint joint = cp_new_joint();
    joint.node = node;
    joint.type = type;
    joint.lower = lower;
    joint.upper = upper;
    return joint;
}

static inline void add_joint(cp_scene *scene, cp_joint joint)
{
    assert_int_not_equal(cp_add_joint(scene, &joint), CP_NONE);
}

/* The joint with another axis. */
static inline cp_joint about(cp_joint joint, double x, double y, double z)
{
    double length = sqrt(x * x + y * y + z * z);
    joint.axis[0] = x / length;
    joint.axis[1] = y / length;
    joint.axis[2] = z / length;
    return joint;
}

/* The joint with a home, at which it is. */
static inline cp_joint at_home(cp_joint joint, double home)
{
    joint.home = joint.q = home;
    return joint;
}

/* A device without joints. */
static inline uint32_t add_bare_device(cp_scene *scene, const char *name, uint32_t base)
{
    cp_device device = cp_new_device();
    device.name = name;
    device.base = base;
    uint32_t index = cp_add_device(scene, &device);
    assert_int_not_equal(index, CP_NONE);
    return index;
}

static inline void set_scope(cp_scene *scene, uint32_t node, uint32_t device)
{
    cp_node row = cp_nodes(scene, NULL)[node];
    row.scope = device;
    assert_int_equal(cp_set_node(scene, node, &row), CP_OK);
}

static inline void place_mesh(cp_scene *scene, uint32_t node, uint32_t mesh)
{
    (void)add_instance_of(scene, node, mesh, CP_USE_BOTH, NULL);
}

/* base - J1 (revolute, 170 degrees each way, now at 0.3) with a shape, a fixed frame with a shape, J2 (prismatic),
 * wrist (two joints on one part), jaws (one drives the other), a passive one, an unlimited one, a stretching one. */
static inline cp_scene *arm_scene(cp_context *context)
{
    cp_scene *scene = cp_scene_new(context);
    const double most = 170 * PI / 180;
    uint32_t base = add_node(scene, 0, "base", plain_translation(1, 2, 0.5));
    uint32_t one = add_node(scene, base, "J1", plain_turn(0, 90));
    uint32_t cover = add_node(scene, one, "cover", plain_translation(0, 0, 0.25));
    uint32_t two = add_node(scene, one, "J2", plain_translation(0.5, 0, 0));
    uint32_t wrist = add_node(scene, two, "wrist", plain_turn(1, 30));
    uint32_t left = add_node(scene, wrist, "left jaw", plain_translation(0, 0.1, 0));
    uint32_t right = add_node(scene, wrist, "right jaw", plain_translation(0, -0.1, 0));
    uint32_t loose = add_node(scene, base, "loose", plain_translation(0, 0, 1));
    uint32_t spin = add_node(scene, loose, "spin", PLAIN_IDENTITY);
    uint32_t bellows = add_node(scene, base, "bellows", plain_translation(-1, 0, 0));
    uint32_t tip = add_node(scene, bellows, "tip", plain_translation(0, 0, 0.3));
    cp_joint joint = joint_of(one, CP_JOINT_REVOLUTE, -most, most);
    joint.q = 0.3;
    add_joint(scene, joint);
    add_joint(scene, at_home(about(joint_of(two, CP_JOINT_PRISMATIC, 0, 0.4), 1, 2, 2), 0.1));
    add_joint(scene, about(joint_of(wrist, CP_JOINT_REVOLUTE, -1, 1), 1, 0, 0));
    joint = about(joint_of(wrist, CP_JOINT_REVOLUTE, 0, 2), 0, 1, 0);
    joint.name = "wrist.2";
    add_joint(scene, joint);
    add_joint(scene, about(joint_of(left, CP_JOINT_PRISMATIC, 0, 0.05), 0, 1, 0));
    joint = joint_of(right, CP_JOINT_REVOLUTE, -INFINITY, INFINITY);
    joint.driven = false;
    joint.master = 4;
    joint.scale = -40;
    joint.offset = 0.1;
    add_joint(scene, joint);
    joint = joint_of(loose, CP_JOINT_REVOLUTE, -1, 1);
    joint.driven = false;
    add_joint(scene, joint);
    add_joint(scene, about(joint_of(spin, CP_JOINT_REVOLUTE, -INFINITY, INFINITY), 1, 1, 0));
    add_joint(scene, at_home(about(joint_of(bellows, CP_JOINT_SCALE, 0.5, 2), 1, -2, 3), 1));
    uint32_t box = add_box(scene, "box", 0.2, 0.3, 0.4);
    const uint32_t shown[] = {base, one, cover, two, wrist, left, right, loose, spin, tip};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        place_mesh(scene, shown[i], box);
    return scene;
}

/* A hand of 0.2 m with a finger of a millimetre that slides, in a cell with a wall of 3 m. */
static inline cp_scene *hand_scene(cp_context *context)
{
    cp_scene *scene = cp_scene_new(context);
    uint32_t wall = add_node(scene, 0, "wall", PLAIN_IDENTITY);
    uint32_t hand = add_node(scene, 0, "hand", plain_translation(1, 1, 1));
    uint32_t finger = add_node(scene, hand, "finger", plain_translation(0.2, 0, 0));
    add_joint(scene, about(joint_of(finger, CP_JOINT_PRISMATIC, 0, 0.001), 1, 0, 0));
    uint32_t device = add_bare_device(scene, "hand", hand);
    set_scope(scene, hand, device);
    set_scope(scene, finger, device);
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
    cp_scene *scene = cp_scene_new(context);
    uint32_t askew = add_node(scene, 0, "askew", shear);
    uint32_t under_askew = add_node(scene, askew, "under askew", plain_turn(2, 40));
    uint32_t glass = add_node(scene, 0, "glass", mirror);
    uint32_t turned = add_node(scene, glass, "turned", plain_turn(1, 25));
    uint32_t slide = add_node(scene, turned, "slide", plain_translation(0.1, 0.2, 0.3));
    uint32_t back = add_node(scene, slide, "back", mirror);
    uint32_t sheet = add_node(scene, 0, "sheet", flat);
    uint32_t still = add_node(scene, sheet, "still", plain_translation(0, 0, 1));
    uint32_t stretched = add_node(scene, 0, "stretched", uneven);
    uint32_t small = add_node(scene, 0, "small", plain_scaling(1e-3, 1e-3, 1e-3));
    add_joint(scene, about(joint_of(under_askew, CP_JOINT_REVOLUTE, -1, 2), 0, 1, 1));
    add_joint(scene, about(joint_of(turned, CP_JOINT_REVOLUTE, -2, 2), 1, 2, 0));
    add_joint(scene, about(joint_of(slide, CP_JOINT_PRISMATIC, -0.1, 0.1), 1, 0, 0));
    add_joint(scene, joint_of(still, CP_JOINT_REVOLUTE, -1, 1));
    uint32_t box = add_box(scene, "box", 0.2, 0.3, 0.4);
    const uint32_t shown[] = {askew, under_askew, glass, turned, slide, back, sheet, still, stretched, small};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        place_mesh(scene, shown[i], box);
    (void)add_instance_of(scene, small, box, CP_USE_COLLISION, &mirror);
    (void)add_instance_of(scene, small, box, CP_USE_COLLISION, &uneven);
    (void)add_instance_of(scene, small, box, CP_USE_DRAWN, &shear);
    return scene;
}

#endif
