/* The exporter of URDF: what each thing of a scene becomes, as the text has it and as the reader has it again. */
#include <math.h>

#include "urdf_written.h"

/* ---- what is written ---- */

static uint32_t count_parts(const char *text, const char *part)
{
    uint32_t count = 0;
    for (; (text = strstr(text, part)) != NULL; text++)
        count++;
    return count;
}

/* Writes the scene into the test's folder, and returns the text; for the caller to free. */
static char *file_of(const char *name, const char *option)
{
    cp_report_clear(context);
    finish_scene();
    expect_status(context, cp_write(context, scene, path_of(name), NULL, &option, option ? 1 : 0), CP_OK);
    char *text = read_whole(path_of(name), NULL);
    assert_non_null(text);
    return text;
}

/* Reads what was written last in place of the scene. */
static void read_again(const char *name)
{
    cp_context *reader = cp_context_new(NULL);
    cp_scene *again = read_path(reader, path_of(name));
    (void)tear_down(NULL);
    context = reader;
    scene = again;
}

/* ---- scenes ---- */

static uint32_t add_box(uint32_t node, uint32_t use, const cp_pose *transform)
{
    cp_mesh box = {.kind = CP_MESH_BOX, .size = {1, 2, 3}};
    return add_instance_of(scene, node, add_mesh_of(scene, &box), use, transform);
}

/* A tetrahedron, with a group for each of so many materials: the first faces one each, the last one the rest. */
static uint32_t add_tetrahedron(const uint32_t *materials, uint32_t count)
{
    static const float positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const uint32_t corners[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    cp_group *groups = scratch(count, sizeof *groups);
    for (uint32_t i = 0; i < count; i++)
        groups[i] = (cp_group){i, i + 1 < count ? 1 : 4 - i, materials[i]};
    cp_mesh mesh = {.name = "tetra", .vertex_count = 4, .face_count = 4, .corner_count = 12, .group_count = count};
    mesh.positions = positions;
    mesh.corners = corners;
    mesh.groups = groups;
    return add_mesh_of(scene, &mesh);
}

/* ---- links ---- */

static void a_root_at_the_origin_needs_no_world(void **state)
{
    (void)state;
    (void)add_node_at(scene, 0, "base", NULL);
    const char *text = text_of(NULL);
    must_have(text, "<robot name=\"out\">\n  <link name=\"base\">");
    must_lack(text, "<joint");
    must_lack(text, "world");
}

static void a_root_elsewhere_hangs_on_the_world(void **state)
{
    (void)state;
    const cp_pose aside = plain_translation(1, 0, 0);
    (void)add_node_at(scene, 0, "base", &aside);
    const char *text = text_of(NULL);
    must_have(text, "<link name=\"world\">");
    must_have(text,
              "<joint name=\"base_joint\" type=\"fixed\">\n    <origin xyz=\"1 0 0\"/>\n    <parent link=\"world\"/>\n"
              "    <child link=\"base\"/>");
}

static void several_roots_hang_on_the_world(void **state)
{
    (void)state;
    (void)add_node_at(scene, 0, "world", NULL);
    (void)add_node_at(scene, 0, "b", NULL);
    const char *text = text_of(NULL);
    must_have(text, "<link name=\"world_2\">");
    must_have(text, "<parent link=\"world_2\"/>\n    <child link=\"world\"/>");
    must_have(text, "<parent link=\"world_2\"/>\n    <child link=\"b\"/>");
}

static void a_pose_alone_is_no_link(void **state)
{
    (void)state;
    const cp_pose up = plain_translation(0, 0, 1), turn = plain_turn(2, 90);
    uint32_t base = add_node_at(scene, 0, "base", NULL), helper = add_node_at(scene, base, "", &up);
    (void)add_node_at(scene, helper, "tip", &turn);
    const char *text = text_of(NULL);
    assert_int_equal(count_parts(text, "<link "), 2);
    must_have(text, "<origin xyz=\"0 0 1\" rpy=\"0 0 1.5707963267948966\"/>\n    <parent link=\"base\"/>");
}

static void names_are_made_unique(void **state)
{
    (void)state;
    uint32_t base = add_node_at(scene, 0, "a", NULL);
    for (int i = 0; i < 2; i++)
        (void)add_joint_of(scene, add_node_at(scene, base, "a", NULL), CP_JOINT_REVOLUTE, "j");
    (void)add_node_at(scene, base, "a_2", NULL);
    const char *text = text_of(NULL);
    const char *const links[] = {"\"a\">", "\"a_2\">", "\"a_3\">", "\"a_4\">"};
    for (size_t i = 0; i < 2; i++)
        must_have(text, links[i]);
    assert_int_equal(count_parts(text, "<link name=\"a_2\">"), 1);
    assert_int_equal(count_parts(text, "<link name="), 4);
    must_have(text, "<joint name=\"j\" ");
    must_have(text, "<joint name=\"j_2\" ");
    assert_int_equal(count_lost(context, "urdf-names"), 3);
}

/* urdfdom refuses empty names. */
static void nothing_is_without_a_name(void **state)
{
    (void)state;
    uint32_t base = add_node_at(scene, 0, "", NULL), joint = add_joint_of(scene, base, CP_JOINT_REVOLUTE, "");
    const double red[4] = {1, 0, 0, 1};
    cp_group group = {.material = add_colour(scene, "", red, true)};
    cp_mesh box = {.kind = CP_MESH_BOX, .size = {1, 2, 3}, .group_count = 1};
    box.groups = &group;
    (void)add_instance_of(scene, base, add_mesh_of(scene, &box), CP_USE_DRAWN, NULL);
    (void)add_device_of(scene, "", base, base, 1, &joint);
    free(file_of(".urdf", NULL));
    must_lack(text_of(NULL), "name=\"\"");
    must_have(text_of(NULL), "<material name=");
}

static void names_may_have_any_character(void **state)
{
    (void)state;
    uint32_t base = add_node_at(scene, 0, "<a&\"b'> é", NULL);
    (void)add_joint_of(scene, add_node_at(scene, base, "\xe2\x82\xac\tx", NULL), CP_JOINT_REVOLUTE, "<&\">");
    (void)add_node_at(scene, base, "\x01", NULL);
    free(file_of("names.urdf", NULL));
    assert_int_equal(count_lost(context, "urdf-names"), 3); /* the link in it, in its joint and that joint's name */
    read_again("names.urdf");
    (void)find_node(scene, "<a&\"b'> é");
    (void)find_node(scene, "\xe2\x82\xac\tx");
    (void)find_joint(scene, "<&\">");
}

/* ---- joints ---- */

static void several_joints_of_a_frame_have_links_between(void **state)
{
    (void)state;
    const cp_pose up = plain_translation(0, 0, 1);
    uint32_t base = add_node_at(scene, 0, "base", NULL), arm = add_node_at(scene, base, "arm", &up);
    for (int i = 0; i < 3; i++)
        (void)add_limited_joint(scene, arm, i == 1 ? CP_JOINT_PRISMATIC : CP_JOINT_REVOLUTE, NULL, -1, 1 + i);
    const char *text = text_of(NULL);
    must_have(text,
              "<joint name=\"arm\" type=\"revolute\">\n    <origin xyz=\"0 0 1\"/>\n    <parent link=\"base\"/>\n    "
              "<child link=\"arm.joint2\"/>\n    <axis xyz=\"0 0 1\"/>\n    <limit lower=\"-1\" upper=\"1\"");
    must_have(text, "<link name=\"arm.joint2\"/>");
    must_have(text, "<joint name=\"arm_2\" type=\"prismatic\">\n    <parent link=\"arm.joint2\"/>\n    "
                    "<child link=\"arm.joint3\"/>");
    must_have(text, "<joint name=\"arm_3\" type=\"revolute\">\n    <parent link=\"arm.joint3\"/>\n    "
                    "<child link=\"arm\"/>\n    <axis xyz=\"0 0 1\"/>\n    <limit lower=\"-1\" upper=\"3\"");
}

static void limits_that_are_not_there(void **state)
{
    (void)state;
    uint32_t base = add_node_at(scene, 0, "base", NULL);
    (void)add_joint_of(scene, add_node_at(scene, base, "turn", NULL), CP_JOINT_REVOLUTE, NULL);
    (void)add_joint_of(scene, add_node_at(scene, base, "slide", NULL), CP_JOINT_PRISMATIC, NULL);
    (void)add_limited_joint(scene, add_node_at(scene, base, "half", NULL), CP_JOINT_REVOLUTE, NULL, -1, INFINITY);
    struct draft draft = draft_of(scene);
    draft.joints[2].velocity = 2;
    draft.joints[2].damping = 0.5;
    change_scene(&draft);
    const char *text = text_of(NULL);
    must_have(text, "type=\"continuous\">\n    <parent link=\"base\"/>\n    <child link=\"turn\"/>\n    "
                    "<axis xyz=\"0 0 1\"/>\n  </joint>");
    must_have(text, "<limit lower=\"-1000000\" upper=\"1000000\" effort=\"1000000000\" velocity=\"1000000000\"/>");
    must_have(text, "<limit lower=\"-1\" upper=\"1000000\" effort=\"1000000000\" velocity=\"2\"/>\n    "
                    "<dynamics damping=\"0.5\" friction=\"0\"/>");
    assert_int_equal(count_lost(context, "urdf-ranges"), 2);
    assert_int_equal(count_entries(context, CP_NOTE, "urdf-unlimited"), 1);
}

static void accelerations_need_a_version(void **state)
{
    (void)state;
    uint32_t base = add_node_at(scene, 0, "base", NULL);
    (void)add_joint_of(scene, add_node_at(scene, base, "turn", NULL), CP_JOINT_REVOLUTE, NULL);
    struct draft draft = draft_of(scene);
    draft.joints[0].acceleration = 3;
    change_scene(&draft);
    must_lack(text_of(NULL), "acceleration");
    assert_int_equal(count_lost(context, "urdf-acceleration"), 1);
    const char *text = text_of("urdf-version=1.2");
    must_have(text, "version=\"1.2\"");
    must_have(text, " acceleration=\"3\"/>");
    assert_int_equal(count_lost(context, "urdf-acceleration"), 0);
}

/* A joint that others follow, and three that do. */
static void add_followers(void)
{
    uint32_t base = add_node_at(scene, 0, "base", NULL);
    (void)add_limited_joint(scene, add_node_at(scene, base, "lead", NULL), CP_JOINT_REVOLUTE, NULL, -1, 1);
    (void)add_joint_of(scene, add_node_at(scene, base, "mimic", NULL), CP_JOINT_REVOLUTE, NULL);
    (void)add_joint_of(scene, add_node_at(scene, base, "line", NULL), CP_JOINT_REVOLUTE, NULL);
    (void)add_joint_of(scene, add_node_at(scene, base, "curve", NULL), CP_JOINT_PRISMATIC, NULL);
    struct draft draft = draft_of(scene);
    static const uint32_t lead[] = {0};
    static const double factor[] = {2};
    static const cp_expression line = {"1 - sqrt(4) * (dof(1) - 4) / 16 * 2", 1, 1, lead, factor},
                               curve = {"dof(1) ^ 2", 1, 1, lead, factor};
    for (int i = 1; i < 4; i++)
        draft.joints[i].driven = false;
    draft.joints[0].home = draft.joints[0].q = 0.5;
    draft.joints[1].master = 0;
    draft.joints[1].scale = -2;
    draft.joints[1].offset = 0.25;
    draft.joints[2].expression = &line;
    draft.joints[2].scale = 3;
    draft.joints[2].offset = 1;
    draft.joints[3].expression = &curve;
    draft.joints[3].scale = 2;
    draft.joints[3].offset = 0.125;
    change_scene(&draft);
}

static void followers_mimic(void **state)
{
    (void)state;
    add_followers();
    const char *text = text_of(NULL);
    must_have(text, "<joint name=\"mimic\" type=\"continuous\">");
    must_have(text, "<mimic joint=\"lead\" multiplier=\"-2\" offset=\"0.25\"/>");
    /* 3 (1 - (2 q - 4) / 4) + 1 = -1.5 q + 7 */
    must_have(text, "<mimic joint=\"lead\" multiplier=\"-1.5\" offset=\"7\"/>");
    /* at home 2 (2 0.5)^2 + 0.125 */
    must_have(text, "<joint name=\"curve\" type=\"fixed\">\n    <origin xyz=\"0 0 2.125\"/>");
    assert_int_equal(count_lost(context, "urdf-dependence"), 1);
    assert_int_equal(count_lost(context, "urdf-homes"), 1);
}

static void what_urdf_does_not_move_is_fixed(void **state)
{
    (void)state;
    uint32_t base = add_node_at(scene, 0, "base", NULL), last = add_node_at(scene, base, "scale", NULL);
    (void)add_joint_of(scene, last, CP_JOINT_SCALE, NULL);
    (void)add_joint_of(scene, add_node_at(scene, base, "dof", NULL), CP_JOINT_FIXED, NULL);
    (void)add_joint_of(scene, add_node_at(scene, base, "follower", NULL), CP_JOINT_PRISMATIC, NULL);
    (void)add_box(last, CP_USE_DRAWN, NULL);
    struct draft draft = draft_of(scene);
    draft.joints[0].home = draft.joints[0].q = 2;
    draft.joints[1].home = draft.joints[1].q = 3;
    draft.joints[2].driven = false;
    draft.joints[2].master = 1;
    draft.joints[2].scale = 2;
    draft.joints[2].offset = 1;
    change_scene(&draft);
    const char *text = text_of(NULL);
    must_have(text, "<box size=\"1 2 6\"/>");
    must_have(text, "<joint name=\"scale\" type=\"fixed\">");
    must_have(text, "<joint name=\"dof\" type=\"fixed\">");
    must_have(text, "<joint name=\"follower\" type=\"fixed\">\n    <origin xyz=\"0 0 7\"/>");
    assert_int_equal(count_lost(context, "urdf-scaling"), 1);
    assert_int_equal(count_lost(context, "urdf-fixed"), 1);
    assert_int_equal(count_lost(context, "urdf-dependence"), 1);
}

static const char planar_robot[] =
    "<robot name=\"cart\"><link name=\"base\"/><link name=\"cart\"/><link name=\"ball\"/>"
    "<joint name=\"drive\" type=\"planar\"><parent link=\"base\"/><child link=\"cart\"/>"
    "<axis xyz=\"0 1 0\"/></joint>"
    "<joint name=\"roll\" type=\"floating\"><parent link=\"cart\"/><child link=\"ball\"/></joint></robot>";

static void planar_and_floating_joints_come_back(void **state)
{
    (void)state;
    cp_scene_free(scene);
    scene = read_scene(context, planar_robot, "cart.urdf", NULL);
    assert_int_equal(count_joints(scene), 3);
    const char *text = text_of("movable=floating");
    must_have(text,
              "<joint name=\"drive\" type=\"planar\">\n    <parent link=\"base\"/>\n    <child link=\"cart\"/>\n    "
              "<axis xyz=\"0 1 0\"/>\n  </joint>");
    must_have(text, "<joint name=\"roll\" type=\"floating\">");
    assert_int_equal(count_lost(context, "urdf-movable"), 0);
    must_have(text_of(NULL), "<joint name=\"roll\" type=\"fixed\">");
    assert_int_equal(count_lost(context, "urdf-movable"), 1);
    /* If another joint follows one of the three, or one of them differs, they are three. */
    (void)add_joint_of(scene, find_node(scene, "ball"), CP_JOINT_REVOLUTE, "follower");
    struct draft draft = draft_of(scene);
    draft.joints[3].driven = false;
    draft.joints[3].master = 1;
    change_scene(&draft);
    const char *three = text_of(NULL);
    must_have(three, "<joint name=\"drive.2\" type=\"prismatic\">");
    must_have(three, "<mimic joint=\"drive.2\"");
    draft = draft_of(scene);
    draft.joints[3].driven = true;
    draft.joints[3].master = CP_NONE;
    change_scene(&draft);
    must_have(text_of(NULL), "type=\"planar\"");
    draft = draft_of(scene);
    draft.joints[1].upper = 1;
    change_scene(&draft);
    must_have(text_of(NULL), "<joint name=\"drive.2\" type=\"prismatic\">");
}

static void devices_name_the_robot(void **state)
{
    (void)state;
    uint32_t base = add_node_at(scene, 0, "base", NULL);
    uint32_t joints[2];
    for (uint32_t i = 0; i < 2; i++)
        joints[i] = add_joint_of(scene, add_node_at(scene, base, i ? "b" : "a", NULL), CP_JOINT_REVOLUTE, NULL);
    (void)add_device_of(scene, "arm", base, base + 1, 1, joints);
    must_have(text_of(NULL), "<robot name=\"arm\">");
    assert_int_equal(count_lost(context, "urdf-devices"), 1); /* the other joint is in none */
    (void)add_device_of(scene, "hand", base, base + 2, 1, joints + 1);
    must_have(text_of(NULL), "<robot name=\"out\">");
    assert_int_equal(count_lost(context, "urdf-devices"), 2);
    struct draft draft = draft_of(scene);
    draft.devices[0].joint_count = 2; /* all of them, but one of them in the other device, too */
    draft.devices[0].joints = joints;
    change_scene(&draft);
    (void)text_of(NULL);
    assert_int_equal(count_lost(context, "urdf-devices"), 2);
}

/* ---- poses ---- */

/* Turns about three axes near and at a pitch of 90 degrees come back within 1e-12. */
static void angles_come_back(void **state)
{
    (void)state;
    static const double pitches[] = {
        0, 1, -1.2, PI / 2, -PI / 2, PI / 2 - 1e-13, PI / 2 - 1e-10, PI / 2 - 1e-7, 1e-9 - PI / 2};
    for (size_t i = 0; i < sizeof pitches / sizeof *pitches; i++)
        for (int k = 0; k < 50; k++) {
            static const double axes[3][3] = {{0, 0, 1}, {0, 1, 0}, {1, 0, 0}};
            cp_pose yaw = plain_rotation(axes[0], random_number(-PI, PI)), pitch = plain_rotation(axes[1], pitches[i]),
                    roll = plain_rotation(axes[2], random_number(-PI, PI)), pose = plain_product(&pitch, &roll);
            pose = plain_product(&yaw, &pose);
            fresh_scene();
            (void)add_node_at(scene, add_node_at(scene, 0, "base", NULL), "tip", &pose);
            cp_scene *again = read_scene(context, text_of(NULL), "tip.urdf", NULL);
            expect_pose(&node_called(again, "tip")->local, pose.m, 1e-12);
            cp_scene_free(again);
        }
    /* At 90 degrees, all turns about x are turns about z. */
    fresh_scene();
    static const double axes[3][3] = {{0, 0, 1}, {0, 1, 0}, {1, 0, 0}};
    cp_pose yaw = plain_rotation(axes[0], 0.3), pitch = plain_rotation(axes[1], PI / 2),
            roll = plain_rotation(axes[2], 0.2), pose = plain_product(&pitch, &roll);
    pose = plain_product(&yaw, &pose);
    (void)add_node_at(scene, add_node_at(scene, 0, "base", NULL), "tip", &pose);
    must_have(text_of(NULL), " rpy=\"0 1.57");
}

/* Numbers below those that a usual double holds stop readers. */
static void tiny_numbers_are_zero(void **state)
{
    (void)state;
    const cp_pose aside = plain_translation(1, 5e-324, -1e-310);
    (void)add_node_at(scene, add_node_at(scene, 0, "base", NULL), "tip", &aside);
    must_have(text_of(NULL), "<origin xyz=\"1 0 0\"/>");
}

static void scales_go_into_shapes_and_slides(void **state)
{
    (void)state;
    const cp_pose half = plain_scaling(0.5, 0.5, 0.5), mirror = plain_scaling(-1, 1, 1),
                  up = plain_translation(0, 0, 2);
    uint32_t base = add_node_at(scene, 0, "base", NULL), scaled = add_node_at(scene, base, "scaled", &half);
    uint32_t slide = add_node_at(scene, scaled, "slide", &up), turn = add_node_at(scene, slide, "turn", &mirror);
    (void)add_box(scaled, CP_USE_BOTH, NULL);
    (void)add_box(turn, CP_USE_COLLISION, &up);
    (void)add_limited_joint(scene, slide, CP_JOINT_PRISMATIC, NULL, -1, 3);
    (void)add_limited_joint(scene, turn, CP_JOINT_REVOLUTE, NULL, -1, 3);
    (void)add_limited_joint(scene, turn, CP_JOINT_PRISMATIC, "second", -1, 3);
    struct draft draft = draft_of(scene);
    draft.joints[1].driven = false;
    draft.joints[1].master = 0;
    draft.joints[1].scale = 3;
    draft.joints[0].velocity = 4;
    draft.joints[0].effort = 8;
    draft.joints[0].damping = 1;
    draft.joints[0].friction = 1;
    draft.joints[2].driven = false;
    draft.joints[2].master = 0;
    draft.joints[2].scale = 2;
    draft.joints[2].offset = 0.5;
    change_scene(&draft);
    const char *text = text_of(NULL);
    assert_int_equal(count_parts(text, "<box size=\"0.5 1 1.5\"/>"), 3);
    must_have(text, "<origin xyz=\"0 0 1\"/>\n    <parent link=\"scaled\"/>");
    must_have(text, "<limit lower=\"-0.5\" upper=\"1.5\" effort=\"16\" velocity=\"2\"/>\n    "
                    "<dynamics damping=\"4\" friction=\"2\"/>");
    must_have(text, "<mimic joint=\"slide\" multiplier=\"6\" offset=\"0\"/>");
    must_have(text, "<mimic joint=\"slide\" multiplier=\"2\" offset=\"0.25\"/>");
    assert_int_equal(count_lost(context, "urdf-scaled-joints"), 0);

    /* Below an unequal scale a turn is none any more. */
    fresh_scene();
    const cp_pose flat = plain_scaling(1, 1, 0.5);
    base = add_node_at(scene, 0, "base", NULL);
    turn = add_node_at(scene, add_node_at(scene, base, "flat", &flat), "turn", NULL);
    (void)add_limited_joint(scene, turn, CP_JOINT_REVOLUTE, NULL, -1, 3);
    (void)text_of(NULL);
    assert_int_equal(count_lost(context, "urdf-scaled-joints"), 1);
}

/* ---- shapes ---- */

static void primitives_stay_such(void **state)
{
    (void)state;
    uint32_t base = add_node_at(scene, 0, "base", NULL);
    const cp_mesh meshes[] = {{.kind = CP_MESH_CYLINDER, .sides = 24, .size = {1, 2}},
                              {.kind = CP_MESH_SPHERE, .sides = 24, .size = {3}},
                              {.kind = CP_MESH_CAPSULE, .sides = 24, .size = {4, 5}},
                              {.kind = CP_MESH_CYLINDER, .sides = 6, .size = {1, 2}},
                              {.kind = CP_MESH_CONE, .sides = 24, .size = {1, 0, 2}}};
    const cp_pose tall = plain_scaling(2, 2, 3), wide = plain_scaling(2, 1, 1);
    (void)add_box(base, CP_USE_DRAWN, NULL);
    for (size_t i = 0; i < 5; i++)
        (void)add_instance_of(scene, base, add_mesh_of(scene, &meshes[i]), CP_USE_DRAWN, NULL);
    (void)add_instance_of(scene, base, add_mesh_of(scene, &meshes[0]), CP_USE_DRAWN, &tall);
    (void)add_instance_of(scene, base, add_mesh_of(scene, &meshes[0]), CP_USE_DRAWN, &wide);
    char *text = file_of("shapes.urdf", NULL);
    must_have(text, "<box size=\"1 2 3\"/>");
    must_have(text, "<cylinder radius=\"1\" length=\"2\"/>");
    must_have(text, "<sphere radius=\"3\"/>");
    must_have(text, "<cylinder radius=\"2\" length=\"6\"/>");
    must_have(text, " scale=\"2 1 1\"/>");
    assert_int_equal(count_parts(text, "<mesh "), 4);
    assert_int_equal(count_lost(context, "urdf-shapes"), 4);
    free(text);
    text = file_of("shapes.urdf", "urdf-version=1.2");
    must_have(text, "<capsule radius=\"4\" length=\"5\"/>");
    assert_int_equal(count_lost(context, "urdf-shapes"), 3);
    free(text);
}

static void a_mesh_is_written_once(void **state)
{
    (void)state;
    const double red[4] = {1, 0, 0, 1}, half[4] = {0.25, 0.25, 0.25, 0.5};
    const uint32_t materials[] = {add_colour(scene, "red", red, true), add_colour(scene, "red", half, false),
                                  add_colour(scene, "red", red, true)};
    const cp_pose millimetres = plain_scaling(0.001, 0.001, 0.001);
    uint32_t base = add_node_at(scene, 0, "base", NULL), tip = add_node_at(scene, base, "tip", NULL);
    for (uint32_t i = 0; i < 3; i++)
        (void)add_instance_of(scene, base, add_tetrahedron(&materials[i], 1), CP_USE_BOTH, &millimetres);
    (void)add_instance_of(scene, tip, 0, CP_USE_COLLISION, NULL);
    struct draft draft = draft_of(scene);
    draft.materials[0].alpha = CP_ALPHA_OPAQUE; /* then alpha means nothing */
    draft.materials[0].rgba[3] = 0.25;
    change_scene(&draft);
    char *text = file_of("once.urdf", NULL);
    assert_int_equal(count_parts(text, "<mesh filename=\"meshes/once_tetra.stl\""), 7);
    assert_int_equal(count_parts(text, " scale=\"0.001 0.001 0.001\"/>"), 6);
    assert_int_equal(count_parts(text, "<material name=\"red\"/>"), 2);
    must_have(text, "<material name=\"red\">\n    <color rgba=\"1 0 0 1\"/>");
    must_have(text, "<material name=\"red_2\">\n    <color rgba=\"0.537098730483194");
    assert_int_equal(count_parts(text, "<material name=\"red_2\"/>"), 1);
    free(text);
    char *mesh = read_whole(path_of("meshes/once_tetra.stl"), NULL);
    assert_non_null(mesh);
    assert_int_equal(mesh[80], 4); /* facets */
    free(mesh);
    assert_null(read_whole(path_of("meshes/once_tetra_2.stl"), NULL));
}

static void several_materials_are_several_visuals(void **state)
{
    (void)state;
    const double red[4] = {1, 0, 0, 1};
    const uint32_t materials[] = {add_colour(scene, "red", red, true), CP_NONE, 0};
    uint32_t base = add_node_at(scene, 0, "base", NULL);
    uint32_t mesh = add_tetrahedron(materials, 3);
    (void)add_instance_of(scene, base, mesh, CP_USE_BOTH, NULL);
    (void)add_instance_of(scene, add_node_at(scene, base, "tip", NULL), mesh, CP_USE_COLLISION, NULL);
    char *text = file_of("parts.urdf", NULL);
    assert_int_equal(count_parts(text, "<visual>"), 2);
    assert_int_equal(count_parts(text, "meshes/parts_tetra_red.stl"), 2);
    assert_int_equal(count_parts(text, "meshes/parts_tetra_plain.stl"), 2);
    assert_int_equal(count_parts(text, "meshes/parts_tetra.stl"), 1);
    free(text);
    read_again("parts.urdf");
    cp_measures measures = {.size = sizeof measures};
    assert_int_equal(cp_measure(context, scene, CP_USE_DRAWN, &measures), CP_OK);
    assert_int_equal(measures.triangles, 4);
    assert_int_equal(count_instances(scene), 3); /* two that are both, and one */
    const cp_instance *instances = cp_instances(scene, NULL);
    assert_int_equal(instances[0].use, CP_USE_BOTH);
    const cp_mesh *red_part = &cp_meshes(scene, NULL)[instances[0].mesh];
    assert_int_equal(red_part->face_count, 3);
    assert_string_equal(cp_materials(scene, NULL)[red_part->groups[0].material].name, "red");
}

static void meshes_may_be_glb(void **state)
{
    (void)state;
    const double red[4] = {1, 0, 0, 1}, green[4] = {0, 1, 0, 1};
    const uint32_t materials[] = {add_colour(scene, "red", red, true), add_colour(scene, "green", green, true), 0};
    uint32_t base = add_node_at(scene, 0, "base", NULL);
    (void)add_instance_of(scene, base, add_tetrahedron(materials, 3), CP_USE_BOTH, NULL);
    char *text = file_of("glb.urdf", "meshes=glb");
    assert_int_equal(count_parts(text, "<mesh filename=\"meshes/glb_tetra.glb\"/>"), 2);
    must_lack(text, "<material");
    free(text);
    read_again("glb.urdf");
    assert_int_equal(count_instances(scene), 1);
    assert_int_equal(count_materials(scene), 2);
    cp_measures measures = {.size = sizeof measures};
    assert_int_equal(cp_measure(context, scene, CP_USE_COLLISION, &measures), CP_OK);
    assert_int_equal(measures.triangles, 4);
    for (int i = 0; i < 3; i++) /* Z is up again */
        assert_true(fabs(measures.lower[i]) < 1e-6 && fabs(measures.upper[i] - 1) < 1e-6);
}

static void mirrored_and_sheared_shapes(void **state)
{
    (void)state;
    const uint32_t none[] = {CP_NONE};
    cp_pose mirror = plain_scaling(1, -2, 1), shear = PLAIN_IDENTITY;
    shear.m[1] = 0.5;
    uint32_t base = add_node_at(scene, 0, "base", NULL), mesh = add_tetrahedron(none, 1);
    (void)add_instance_of(scene, base, mesh, CP_USE_BOTH, &mirror);
    (void)add_instance_of(scene, base, mesh, CP_USE_DRAWN, &shear);
    char *text = file_of("odd.urdf", NULL);
    must_have(text, "<mesh filename=\"meshes/odd_tetra.stl\" scale=\"1 -2 1\"/>");
    must_have(text, "<mesh filename=\"meshes/odd_tetra_2.stl\"/>");
    assert_int_equal(count_lost(context, "urdf-baked"), 1);
    free(text);
    cp_measures was = {.size = sizeof was}, is = {.size = sizeof is};
    assert_int_equal(cp_measure(context, scene, CP_USE_DRAWN, &was), CP_OK);
    read_again("odd.urdf");
    assert_int_equal(cp_measure(context, scene, CP_USE_DRAWN, &is), CP_OK);
    assert_true(fabs(was.volume - is.volume) < 1e-6 && fabs(was.area - is.area) < 1e-6);
    for (int i = 0; i < 3; i++)
        assert_true(fabs(was.lower[i] - is.lower[i]) < 1e-6 && fabs(was.upper[i] - is.upper[i]) < 1e-6);
}

static void packages_have_names(void **state)
{
    (void)state;
    const uint32_t none[] = {CP_NONE};
    uint32_t base = add_node_at(scene, 0, "base", NULL);
    (void)add_instance_of(scene, base, add_tetrahedron(none, 1), CP_USE_BOTH, NULL);
    char *text = file_of("in.urdf", "package=my-cell_2");
    assert_int_equal(count_parts(text, "<mesh filename=\"package://my-cell_2/meshes/in_tetra.stl\"/>"), 2);
    free(text);
    const char *bad = "package=a/b";
    assert_int_equal(cp_write(context, scene, path_of("bad.urdf"), NULL, &bad, 1), CP_USAGE);
    assert_true(was_reported(context, "urdf-package"));
    assert_null(read_whole(path_of("bad.urdf"), NULL));
}

static void meshes_need_a_place(void **state)
{
    (void)state;
    const uint32_t none[] = {CP_NONE};
    (void)add_instance_of(scene, add_node_at(scene, 0, "base", NULL), add_tetrahedron(none, 1), CP_USE_BOTH, NULL);
    finish_scene();
    void *bytes;
    size_t size;
    assert_int_equal(cp_write_memory(context, scene, "urdf", NULL, 0, &bytes, &size), CP_USAGE);
    assert_true(was_reported(context, "sink-stream"));
}

static void shapes_beyond_numbers(void **state)
{
    (void)state;
    const cp_pose far = plain_scaling(1e200, 1e200, 1e200);
    uint32_t outer = add_node_at(scene, 0, "outer", &far);
    (void)add_box(outer, CP_USE_DRAWN, &far);
    finish_scene();
    void *bytes;
    size_t size;
    assert_int_equal(cp_write_memory(context, scene, "urdf", NULL, 0, &bytes, &size), CP_OUTPUT);
    assert_true(was_reported(context, "urdf-range") && was_said(context, "a shape is out of the range"));
    fresh_scene();
    (void)add_node_at(scene, add_node_at(scene, 0, "outer", &far), "inner", &far);
    finish_scene();
    assert_int_equal(cp_write_memory(context, scene, "urdf", NULL, 0, &bytes, &size), CP_OUTPUT);
    assert_true(was_said(context, "the frame is out of the range"));
}

/* ---- masses, pairs, flags ---- */

static void masses_of_scaled_frames(void **state)
{
    (void)state;
    static const cp_inertia inertia = {2, {0.1, 0, 0}, {1, 0.1, 0.2, 2, 0.3, 3}};
    const cp_pose half = plain_scaling(0.5, 0.5, 0.5);
    uint32_t base = add_node_at(scene, 0, "base", NULL);
    (void)add_node_at(scene, base, "scaled", &half);
    struct draft draft = draft_of(scene);
    draft.nodes[1].inertia = draft.nodes[2].inertia = &inertia;
    change_scene(&draft);
    const char *text = text_of(NULL);
    must_have(text, "<origin xyz=\"0.1 0 0\"/>\n      <mass value=\"2\"/>\n      "
                    "<inertia ixx=\"1\" ixy=\"0.1\" ixz=\"0.2\" iyy=\"2\" iyz=\"0.3\" izz=\"3\"/>");
    assert_int_equal(count_parts(text, "<inertial>"), 1);
    assert_int_equal(count_lost(context, "urdf-scaled-inertia"), 1);
}

static void pairs_and_flags_are_losses(void **state)
{
    (void)state;
    uint32_t base = add_node_at(scene, 0, "base", NULL), tip = add_node_at(scene, base, "tip", NULL);
    (void)add_pair_of(scene, base, tip, "given");
    struct draft draft = draft_of(scene);
    draft.nodes[1].flags = CP_NODE_MOVABLE | CP_NODE_LINK;
    draft.nodes[2].flags = CP_NODE_ATTACHABLE | CP_NODE_VOLATILE;
    change_scene(&draft);
    must_lack(text_of(NULL), "floating");
    assert_int_equal(count_lost(context, "urdf-pairs"), 2);
    assert_true(was_said(context, "exclude writes them as SRDF"));
    assert_int_equal(count_lost(context, "urdf-movable"), 1);
    assert_int_equal(count_lost(context, "urdf-flags"), 1);
    must_have(text_of("movable=floating"),
              "<joint name=\"base_joint\" type=\"floating\">\n    <parent link=\"world\"/>");
    assert_int_equal(count_lost(context, "urdf-movable"), 0);
}

#define EACH(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {EACH(a_root_at_the_origin_needs_no_world),
                                       EACH(a_root_elsewhere_hangs_on_the_world),
                                       EACH(several_roots_hang_on_the_world),
                                       EACH(a_pose_alone_is_no_link),
                                       EACH(names_are_made_unique),
                                       EACH(nothing_is_without_a_name),
                                       EACH(names_may_have_any_character),
                                       EACH(several_joints_of_a_frame_have_links_between),
                                       EACH(limits_that_are_not_there),
                                       EACH(accelerations_need_a_version),
                                       EACH(followers_mimic),
                                       EACH(what_urdf_does_not_move_is_fixed),
                                       EACH(planar_and_floating_joints_come_back),
                                       EACH(devices_name_the_robot),
                                       EACH(angles_come_back),
                                       EACH(tiny_numbers_are_zero),
                                       EACH(scales_go_into_shapes_and_slides),
                                       EACH(primitives_stay_such),
                                       EACH(a_mesh_is_written_once),
                                       EACH(several_materials_are_several_visuals),
                                       EACH(meshes_may_be_glb),
                                       EACH(mirrored_and_sheared_shapes),
                                       EACH(packages_have_names),
                                       EACH(meshes_need_a_place),
                                       EACH(shapes_beyond_numbers),
                                       EACH(masses_of_scaled_frames),
                                       EACH(pairs_and_flags_are_losses)};
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
