/* The tag importer on small cells whose numbers are worked out here, by hand or by other formulas. */
#include "tag_support.h"

/* ---- the grammar ---- */

static const char grammar_cell[] =
    "\n  NameOfData \"cell\" ! a comment\n\nTypeOfData\t\"frames\"\n!\n{\n\n \"A\" ! comment\n\n"
    "Position(1,2,.5)\nRPY ( 0 , -90. , +1e1 )\t\n\n! Position (9, 9, 9)\nAttributes\n Link\n\n}\n{ \"B!\"\n"
    "JointName \"two words ! no comment\"\nReferenceFrame \"A\"\n} { \"C\"\n}";

static void test_grammar(void **state)
{
    (void)state;
    read_text(grammar_cell);
    assert_int_equal(count_nodes(scene), 4);
    assert_true(node("A")->flags & CP_NODE_LINK);
    assert_true(node("A")->local.m[3] == 1 && node("A")->local.m[7] == 2 && node("A")->local.m[11] == 0.5);
    expect_parent("B!", "A");
    expect_parent("C", "WORLD");
    expect_metadata("B!", "JointName", CP_VALUE_STRING, "two words ! no comment");
    assert_string_equal(metadata(CP_OWNER_SCENE, 0, "NameOfData")->value, "cell");
    assert_string_equal(metadata(CP_OWNER_SCENE, 0, "TypeOfData")->value, "frames");
    assert_int_equal(count_metadata(scene), 3); /* a bare "Attributes" is nothing */
}

static void replace_line_ends(const char *text, const char *end, char *out)
{
    for (; *text; text++)
        if (*text == '\n')
            out += sprintf(out, "%s", end);
        else
            *out++ = *text;
    *out = '\0';
}

/* CRLF and lone CR mean what LF does. */
static void test_line_ends(void **state)
{
    char other[2 * sizeof grammar_cell];
    (void)state;
    read_text(grammar_cell);
    char *expected = dump_of(context, scene);
    for (int i = 0; i < 2; i++) {
        replace_line_ends(grammar_cell, i ? "\r" : "\r\n", other);
        read_text(other);
        char *got = dump_of(context, scene);
        assert_string_equal(got, expected);
        free(got);
    }
    free(expected);
    read_sample("tag_joints.wu");
    expected = dump_of(context, scene);
    read_sample("tag_crlf.wu");
    char *got = dump_of(context, scene);
    assert_string_equal(got, expected);
    free(got);
    free(expected);
}

/* Where an error is, to the column. */
static void test_error_places(void **state)
{
    (void)state;
    expect_error("{ \"x\" Position (0,0,0)\n}\n", "tag-syntax", 1, 7);
    expect_error("\n{ \"x\"\n  ActiveJoint Revolute\n}", "tag-syntax", 3, 15);
    expect_error("{ \"x\"\n Position (0,\n0,0)\n}", "tag-syntax", 2, 14);
    expect_error("{ \"x\"\n Position ()\n}", "tag-syntax", 2, 12);
    expect_error("{ \"x\"\n Position (1 2 3)\n}", "tag-syntax", 2, 14);
    expect_error("{ \"x\"\n}\nNameOfData \"late\"\n", "tag-syntax", 3, 1);
    expect_error("{ \"x\n\"\n Position (0, 0, 0", "tag-end", 3, 19);
    expect_error("{ \"a\"\n}\n{ \"x\n\"\n Name \"open\n\n", "tag-string", 5, 7);
    expect_error("{ \"x\"\n Position (0, 0, 1e999)\n}", "tag-number", 2, 18);
    expect_error("{ \"x\"\n Position [0]\n}", "tag-character", 2, 11);
    expect_error("{ \"x\"\r\n ReferenceFrame \"J9\"\r\n}", "tag-reference", 2, 2);
    expect_error("{ \"x\"\n}\n{ \"x\"\n}", "tag-duplicate", 3, 3);
    expect_error("NameOfData 5\n", "tag-header", 1, 1);
    expect_error("Scale \"x\"\n", "tag-header", 1, 1);
}

/* Of equal keys the last with values holds. */
static void test_repeated_keys(void **state)
{
    (void)state;
    read_text("{ \"A\"\nPosition (1,0,0)\nNote 1\nPosition (2,0,0)\nPosition\nNote \"x\" 2\n}\n");
    assert_true(node("A")->local.m[3] == 2);
    expect_metadata("A", "Note", CP_VALUE_JSON, "[\"x\",2]");
    assert_int_equal(count_metadata(scene), 1);
}

static void test_byte_order_mark(void **state)
{
    const char *strict = "strict=yes";
    const char text[] = "\xef\xbb\xbf{ \"A\"\n}\n";
    cp_scene *none;
    (void)state;
    read_text(text);
    assert_int_equal(count_entries(context, CP_WARNING, "tag-bom"), 1);
    assert_int_equal(cp_read_memory(context, text, sizeof text - 1, "a.wu", NULL, &strict, 1, &none), CP_INPUT);
}

/* ---- transforms ---- */

/* Rz(r) Ry(p) Rx(y) multiplied out. */
static void rpy_formula(double r, double p, double y, double out[12])
{
    double a = cos(r), b = sin(r), c = cos(p), d = sin(p), e = cos(y), f = sin(y);
    double rotation[9] = {
        a * c, a * d * f - b * e, a * d * e + b * f, b * c, b * d * f + a * e, b * d * e - a * f, -d, c * f, c * e};
    for (int i = 0; i < 9; i++)
        out[i / 3 * 4 + i % 3] = rotation[i];
    out[3] = out[7] = out[11] = 0;
}

static void test_rotations(void **state)
{
    static const double degree = 3.14159265358979323846 / 180;
    double expected[12];
    (void)state;
    read_text("{ \"A\"\nRPY (30, -50, 110)\nI (9, 9, 9)\n}\n{ \"Q\"\nRPY (90, -90, 180)\n}\n"
              "{ \"M\"\nI (1, 2, 3)\nJ (4, 5, 6)\nK (7, 8, 9.5)\n Position (-1, -2, -3)\n}\n");
    rpy_formula(30 * degree, -50 * degree, 110 * degree, expected);
    expect_pose(&node("A")->local, expected, 1e-15);
    expect_metadata("A", "I", CP_VALUE_JSON, "[9,9,9]"); /* RPY wins */
    /* Rz(90) Ry(-90) Rx(180): x -> z, y -> x, z -> y, all exact. */
    static const double quarter[12] = {0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0};
    rpy_formula(90 * degree, -90 * degree, 180 * degree, expected);
    for (int i = 0; i < 12; i++)
        assert_true(fabs(expected[i] - quarter[i]) < 1e-15);
    expect_pose(&node("Q")->local, quarter, 0);
    static const double columns[12] = {1, 4, 7, -1, 2, 5, 8, -2, 3, 6, 9.5, -3};
    expect_pose(&node("M")->local, columns, 0);
}

/* Craig's modified DH, written out as in his book: rows of the link transform. */
static void test_craig(void **state)
{
    static const double degree = 3.14159265358979323846 / 180;
    double alpha = 25 * degree, a = 0.3, d = -0.2, theta = 70 * degree;
    double ct = cos(theta), st = sin(theta), ca = cos(alpha), sa = sin(alpha);
    double expected[12] = {ct, -st, 0, a, st * ca, ct * ca, -sa, -sa * d, st * sa, ct * sa, ca, ca * d};
    (void)state;
    read_text("{ \"A\"\nCraigDH 25 0.3 -0.2 70\n}\n");
    expect_pose(&node("A")->local, expected, 1e-15);
    expect_metadata("A", "CraigDH", CP_VALUE_JSON, "[25,0.3,-0.2,70]");
}

/* ---- the arm sample: nested devices, DH, passive joints, homes, exclusions ---- */

static void test_arm_structure(void **state)
{
    (void)state;
    read_sample("tag_arm.wu");
    expect_parent("Arm", "WORLD");
    expect_parent("Arm.J1", "Arm");
    expect_parent("Arm.J2", "Arm.J1");
    expect_parent("Arm.Grip", "Arm.J2");
    expect_parent("Arm.Grip.Drive", "Arm.Grip");
    expect_parent("Arm.Grip.Mirror", "Arm.Grip");
    expect_parent("Arm.J3", "Arm.J2");
    expect_parent("Lamp", "Room");
    /* The end is Tip, the last Link, and the chain leaves the joint Side out. */
    expect_device("Arm", "Arm.Tip", "Arm.J1 Arm.J2 Arm.J3");
    expect_device("Arm.Grip", "Arm.Grip.Drive", "Arm.Grip.Drive");
    assert_int_equal(count_devices(scene), 2);
    uint32_t arm = (uint32_t)(device("Arm") - cp_devices(scene, NULL)),
             grip = (uint32_t)(device("Arm.Grip") - cp_devices(scene, NULL));
    assert_int_equal(device("Arm")->scope, CP_NONE);
    assert_int_equal(device("Arm.Grip")->scope, arm);
    assert_int_equal(node("Arm")->scope, CP_NONE);
    assert_int_equal(node("Arm.Grip")->scope, arm);
    assert_int_equal(node("Arm.J3")->scope, arm);
    assert_int_equal(node("Arm.Grip.Slide")->scope, grip);
}

static void test_arm_joints(void **state)
{
    static const double pi = 3.14159265358979323846;
    (void)state;
    read_sample("tag_arm.wu");
    const cp_joint *first = joint("Arm.J1");
    assert_int_equal(first->type, CP_JOINT_REVOLUTE);
    assert_true(fabs(first->lower + 170 * pi / 180) < 1e-15 && fabs(first->upper - 170 * pi / 180) < 1e-15);
    assert_true(first->velocity == pi / 2 && first->acceleration == pi);
    assert_true(joint("Arm.J2")->lower == -INFINITY && joint("Arm.J2")->upper == INFINITY);
    const cp_joint *third = joint("Arm.J3");
    assert_int_equal(third->type, CP_JOINT_PRISMATIC);
    assert_true(third->lower == 0 && third->upper == 1.5 && third->velocity == 0.5 && third->acceleration == INFINITY);
    /* DeviceHomePos (0.5, -0.25, 1) overrides JointHomePos 3; Side and Drive are on no arm's chain. */
    assert_true(first->home == 0.5 && first->q == 0.5 && joint("Arm.J2")->home == -0.25 && third->home == 1);
    assert_true(joint("Arm.Side")->home == 0.05 && joint("Arm.Grip.Drive")->home == 0.25);
    const cp_joint *mirror = joint("Arm.Grip.Mirror"), *slide = joint("Arm.Grip.Slide");
    assert_false(mirror->driven);
    assert_string_equal(cp_joints(scene, NULL)[mirror->master].name, "Arm.Grip.Drive");
    assert_true(mirror->scale == -2 && mirror->offset == 0.1 && fabs(mirror->home - -0.4) < 1e-15);
    /* "J1" is not in the gripper's scope but in the arm's. */
    assert_int_equal(slide->type, CP_JOINT_PRISMATIC);
    assert_string_equal(cp_joints(scene, NULL)[slide->master].name, "Arm.J1");
}

/* Homogeneous 4x4 matrices of this test's own. */
struct matrix {
    double m[4][4];
};

static struct matrix multiply(struct matrix a, struct matrix b)
{
    struct matrix out = {{{0}}};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < 4; k++)
                out.m[i][j] += a.m[i][k] * b.m[k][j];
    return out;
}

static struct matrix move(double x, double y, double z)
{
    return (struct matrix){{{1, 0, 0, x}, {0, 1, 0, y}, {0, 0, 1, z}, {0, 0, 0, 1}}};
}

static struct matrix turn_z(double angle)
{
    double c = cos(angle), s = sin(angle);
    return (struct matrix){{{c, -s, 0, 0}, {s, c, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}};
}

static struct matrix turn_x(double angle)
{
    double c = cos(angle), s = sin(angle);
    return (struct matrix){{{1, 0, 0, 0}, {0, c, -s, 0}, {0, s, c, 0}, {0, 0, 0, 1}}};
}

static struct matrix craig(double alpha, double a, double d, double theta)
{
    return multiply(multiply(turn_x(alpha), move(a, 0, 0)), multiply(turn_z(theta), move(0, 0, d)));
}

static void expect_world(const char *name, struct matrix expected)
{
    cp_pose pose = world(name);
    double rows[12];
    memcpy(rows, &expected, sizeof rows);
    expect_pose(&pose, rows, 1e-12);
}

static void test_arm_poses(void **state)
{
    static const double pi = 3.14159265358979323846;
    (void)state;
    read_sample("tag_arm.wu");
    struct matrix base = multiply(move(0.5, -0.25, 0.1), turn_z(pi / 2));
    struct matrix first = multiply(multiply(base, craig(0, 0, 0.4, 0)), turn_z(0.5));
    struct matrix second = multiply(multiply(first, craig(-pi / 2, 0.1, 0, -pi / 2)), turn_z(-0.25));
    struct matrix third = multiply(multiply(second, craig(pi / 6, 0.6, 0.05, pi / 4)), move(0, 0, 1));
    struct matrix grip = multiply(second, move(0.6, 0, 0));
    expect_world("Arm.J1", first);
    expect_world("Arm.J3", third);
    expect_world("Arm.After", multiply(third, move(0, 0, 0.2)));
    expect_world("Arm.Side", multiply(second, move(0, 0.1, 0.05)));
    expect_world("Arm.Grip.Drive", multiply(grip, turn_z(0.25)));
    expect_world("Arm.Grip.Mirror", multiply(grip, turn_z(-2 * 0.25 + 0.1)));
    expect_world("Arm.Grip.Slide", multiply(grip, move(0, 0, 0.5 * 0.5 + 0.01)));
    expect_world("Switch", move(1, 2, 5));
}

static void test_arm_exclusions(void **state)
{
    cp_pair_counts counts = {.size = sizeof counts};
    (void)state;
    read_sample("tag_arm.wu");
    assert_int_equal(count_pairs(scene), 5);
    assert_true(has_pair("Arm.Tip", "Arm.Tip"));
    assert_true(has_pair("Arm.Grip.Mirror", "Arm.Grip.Drive"));
    assert_true(has_pair("Arm.Tip", "Arm.Grip.Drive"));
    assert_true(has_pair("Arm.Tip", "Arm.Missing"));
    assert_true(node("Arm.Missing")->flags & CP_NODE_PLACEHOLDER);
    assert_true(node("Arm.J3")->flags & CP_NODE_VOLATILE);
    assert_true(cp_excludes_static_pairs(scene));
    assert_int_equal(count_entries(context, CP_WARNING, "collision-setup-dangling"), 1);
    /* Candidates: Drive, Mirror, Tip and the volatile J3. Of their 6 pairs Mirror-Drive and Tip-Drive are excluded,
     * and Tip is fixed to J3. */
    assert_int_equal(cp_count_pairs(context, scene, &counts), CP_OK);
    assert_int_equal(counts.candidates, 4);
    assert_int_equal(counts.all, 6);
    assert_int_equal(counts.checked, 3);
    /* Pairs that were found worth checking are checked. */
    struct draft draft = draft_of(scene);
    for (uint32_t i = 0; i < count_pairs(scene); i++)
        draft.pairs[i].verdict = CP_PAIR_KEPT;
    scene = built_again(&draft, context);
    finish_scene();
    assert_int_equal(cp_count_pairs(context, scene, &counts), CP_OK);
    assert_int_equal(counts.checked, 5);
}

/* All of the frame's name up to its last dot goes before the setup's names. */
static void test_setup_prefix(void **state)
{
    (void)state;
    read_text("{ \"X.Y.Z\"\n CollisionSetup \"tag/arm.xml\"\n}\n{ \"X.Y.Tip\"\n}\n");
    assert_true(has_pair("X.Y.Tip", "X.Y.Missing"));
}

static void test_arm_metadata(void **state)
{
    (void)state;
    read_sample("tag_arm.wu");
    expect_metadata("Lamp", "JointName", CP_VALUE_STRING, "none");
    expect_metadata("Lamp", "Camera", CP_VALUE_JSON, "[45,640,480]");
    expect_metadata("Lamp", "Colour", CP_VALUE_JSON, "[[0.5,0.25,1],\"warm \\\\ white\"]");
    expect_metadata("Arm", "TypeOfData", CP_VALUE_STRING, "robot_model");
    assert_string_equal(metadata(CP_OWNER_SCENE, 0, "NameOfData")->value, "Serial arm");
    assert_int_equal(metadata(CP_OWNER_SCENE, 0, "Scale")->type, CP_VALUE_NUMBER);
    assert_int_equal(metadata(CP_OWNER_SCENE, 0, "NrOfFrames")->type, CP_VALUE_NUMBER);
    /* Scale scales nothing. */
    assert_true(node("Room")->local.m[3] == 1);
}

/* ---- scopes and devices ---- */

static void test_world_tag(void **state)
{
    (void)state;
    read_text("{ \"WORLD\"\n Position (1, 2, 3)\n ReferenceFrame \"nowhere\"\n ActiveJoint\n GeoID \"#Box 1 1 1\"\n}\n"
              "{ \"A\"\n}\n");
    assert_int_equal(count_entries(context, CP_WARNING, "tag-world"), 1);
    assert_int_equal(count_nodes(scene), 2);
    assert_int_equal(count_devices(scene), 0);
    assert_int_equal(cp_nodes(scene, NULL)[0].instance_count, 1);
    read_text("{ \"WORLD\"\n Position (0, 0, 0)\n RPY (0, 0, 0)\n}\n");
    assert_int_equal(count_entries(context, CP_WARNING, "tag-world"), 0);
    expect_error("{ \"A\"\n}\n{ \"WORLD\"\n}\n", "tag-duplicate", 3, 3);
}

/* "A" is a frame of the cell and of the device: inside the device its own comes first. */
static void test_inner_names_come_first(void **state)
{
    (void)state;
    read_text("{ \"A\"\n Position (5, 0, 0)\n}\n{ \"Robot\"\n Device \"tag/two-axis.dev\"\n}\n");
    assert_int_equal(node("Robot.B")->parent, node_of("Robot.A"));
}

static void test_top_level_device(void **state)
{
    (void)state;
    read_sample("tag_joints.wu");
    assert_int_equal(count_devices(scene), 1);
    expect_device("WORLD", "Shoulder", "Turn Lift Lock Shoulder");
    assert_int_equal(device("WORLD")->base, 0);
    assert_int_equal(joint("Lock")->type, CP_JOINT_FIXED);
    assert_true(joint("Lock")->driven && joint("Lock")->home == 0.5);
    assert_true(joint("Turn")->lower == -INFINITY && joint("Lift")->upper == INFINITY);
    assert_int_equal(node("NoJoint")->joint_count, 0);
    /* Shoulder turns by -0.5, Follow by 0.5 + 0.25, one metre further along. */
    struct matrix shoulder = multiply(move(1, 0, 1), turn_z(-0.5));
    expect_world("Shoulder", shoulder);
    expect_world("Rack", multiply(multiply(shoulder, move(1, 0, 0)), turn_z(0.75)));
}

static void test_two_robots(void **state)
{
    (void)state;
    read_sample("tag_robots.wu");
    expect_device("Left", "Left.B", "Left.A Left.B");
    expect_device("Right", "Right.B", "Right.A Right.B");
    expect_device("Both", "Left.B", "Left.A Left.B Right.A Right.B");
    expect_device("Twice", "Left.B", "Left.A Left.B Right.A Right.B");
    assert_int_equal(device("Both")->kind, CP_DEVICE_COMPOSITE);
    assert_int_equal(device("Both")->base, node_of("Both"));
    /* The composite's home comes last. */
    assert_true(joint("Left.A")->home == 0.1 && joint("Right.B")->home == 0.4);
    assert_true(device("Left")->home[0] == 1 && device("Both")->home[1] == 0.2);
    assert_null(device("Right")->home);
    /* One box of the file for both robots, one for the table. */
    assert_int_equal(count_meshes(scene), 2);
    struct matrix right = multiply(move(0.5, 0, 0.75), turn_z(3.14159265358979323846 + 0.3));
    expect_world("Right.B", multiply(right, move(0.3, 0, 0.4)));
}

static void test_movable_frames(void **state)
{
    cp_pair_counts counts = {.size = sizeof counts};
    (void)state;
    read_sample("tag_movable.wu");
    assert_int_equal(node("Item")->flags, CP_NODE_MOVABLE | CP_NODE_ATTACHABLE);
    assert_int_equal(node("Tray")->flags, CP_NODE_MOVABLE);
    assert_int_equal(node("Tool")->flags, CP_NODE_ATTACHABLE);
    assert_int_equal(node("Slot")->flags, CP_NODE_VOLATILE);
    assert_true(fabs(node("Item")->local.m[9] - sqrt(0.5)) < 1e-15);
    /* Candidates: Bench Vice | Tool ToolTip | Item | Tray Slot, the groups that are static. 21 pairs less the three
     * within groups less Item-Bench. */
    assert_int_equal(cp_count_pairs(context, scene, &counts), CP_OK);
    assert_int_equal(counts.candidates, 7);
    assert_int_equal(counts.all, 21);
    assert_int_equal(counts.checked, 17);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_grammar),
        TEST(test_line_ends),
        TEST(test_error_places),
        TEST(test_repeated_keys),
        TEST(test_byte_order_mark),
        TEST(test_rotations),
        TEST(test_craig),
        TEST(test_arm_structure),
        TEST(test_arm_joints),
        TEST(test_arm_poses),
        TEST(test_arm_exclusions),
        TEST(test_arm_metadata),
        TEST(test_setup_prefix),
        TEST(test_world_tag),
        TEST(test_inner_names_come_first),
        TEST(test_top_level_device),
        TEST(test_two_robots),
        TEST(test_movable_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
