/* The tag importer on small cells whose numbers are worked out here, by hand or by other formulas. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../scene/build.h"
#include "../../scene/text.h"

/* ---- reading ---- */

static cp_context *context;
static cp_scene *scene;

static int set_up(void **state)
{
    (void)state;
    context = cp_context_new(NULL);
    scene = NULL;
    return context ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    cp_scene_free(scene);
    cp_context_free(context);
    return 0;
}

static void print_report(void)
{
    size_t count;
    const cp_entry *entries = cp_report(context, &count);
    for (size_t i = 0; i < count; i++)
        print_message("%s\n", entries[i].message);
}

/* Further files are found beside the samples. */
static void read_text(const char *text)
{
    cp_scene_free(scene);
    cp_report_clear(context);
    if (cp_read_memory(context, text, strlen(text), SAMPLES "/memory.wu", "tag", NULL, 0, &scene) != CP_OK) {
        print_report();
        fail();
    }
    assert_int_equal(cp_validate(context, scene), CP_OK);
}

static void read_sample(const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", SAMPLES, name);
    cp_scene_free(scene);
    cp_report_clear(context);
    if (cp_read(context, path, NULL, NULL, 0, &scene) != CP_OK) {
        print_report();
        fail();
    }
    assert_int_equal(cp_validate(context, scene), CP_OK);
}

static void expect_error(const char *text, const char *code, uint64_t line, uint64_t column)
{
    cp_scene *none;
    cp_report_clear(context);
    assert_int_equal(cp_read_memory(context, text, strlen(text), "bad.wu", "tag", NULL, 0, &none), CP_INPUT);
    assert_null(none);
    size_t count;
    const cp_entry *entries = cp_report(context, &count);
    assert_true(count > 0);
    const cp_entry *last = &entries[count - 1];
    if (strcmp(last->code, code) || last->line != line || last->column != column)
        fail_msg("%s, not %s:%d:%d", last->message, code, (int)line, (int)column);
}

static size_t count_entries(cp_severity severity, const char *code)
{
    size_t count, found = 0;
    const cp_entry *entries = cp_report(context, &count);
    for (size_t i = 0; i < count; i++)
        found += entries[i].severity == severity && !strcmp(entries[i].code, code);
    return found;
}

/* ---- looking ---- */

static uint32_t node_of(const char *name)
{
    for (uint32_t i = 0; i < scene->node_count; i++)
        if (!strcmp(scene->nodes[i].name, name))
            return i;
    fail_msg("no frame %s", name);
    return 0;
}

static const cp_node *node(const char *name)
{
    return &scene->nodes[node_of(name)];
}

static const cp_joint *joint(const char *name)
{
    const cp_node *it = node(name);
    assert_int_equal(it->joint_count, 1);
    assert_string_equal(scene->joints[it->first_joint].name, name);
    return &scene->joints[it->first_joint];
}

static const cp_device *device(const char *name)
{
    for (uint32_t i = 0; i < scene->device_count; i++)
        if (!strcmp(scene->devices[i].name, name))
            return &scene->devices[i];
    fail_msg("no device %s", name);
    return NULL;
}

static void expect_parent(const char *name, const char *parent)
{
    assert_string_equal(scene->nodes[node(name)->parent].name, parent);
}

static void expect_device(const char *name, const char *end, const char *joints)
{
    const cp_device *it = device(name);
    char text[1000] = "";
    for (uint32_t i = 0; i < it->joint_count; i++) {
        strcat(text, i ? " " : "");
        strcat(text, scene->joints[it->joints[i]].name);
    }
    assert_string_equal(text, joints);
    assert_int_equal(it->end_count, 1);
    assert_string_equal(scene->nodes[it->ends[0]].name, end);
}

static cp_pose world(const char *name)
{
    cp_pose *worlds = calloc(scene->node_count, sizeof *worlds);
    cp_world_poses(scene, NULL, worlds);
    cp_pose pose = worlds[node_of(name)];
    free(worlds);
    return pose;
}

static void expect_pose(const cp_pose *pose, const double expected[12], double tolerance)
{
    for (int i = 0; i < 12; i++)
        if (!(fabs(pose->m[i] - expected[i]) <= tolerance))
            fail_msg("entry %d is %.17g, not %.17g", i, pose->m[i], expected[i]);
}

static const cp_metadata *metadata(cp_owner owner, uint32_t index, const char *key)
{
    for (uint32_t i = 0; i < scene->metadata_count; i++) {
        const cp_metadata *it = &scene->metadata[i];
        if (it->owner == owner && it->index == index && !strcmp(it->key, key))
            return it;
    }
    return NULL;
}

static void expect_metadata(const char *name, const char *key, cp_value_type type, const char *value)
{
    const cp_metadata *it = metadata(CP_OWNER_NODE, node_of(name), key);
    assert_non_null(it);
    assert_int_equal(it->type, type);
    assert_string_equal(it->value, value);
}

/* ---- the grammar ---- */

static char *dump_text(void)
{
    void *bytes;
    size_t size;
    scene->source.file = "x";
    assert_int_equal(cp_write_memory(context, scene, "dump", NULL, 0, &bytes, &size), CP_OK);
    char *text = malloc(size + 1);
    memcpy(text, bytes, size);
    text[size] = '\0';
    cp_free(context, bytes, size);
    return text;
}

static const char grammar_cell[] =
    "\n  NameOfData \"cell\" ! a comment\n\nTypeOfData\t\"frames\"\n!\n{\n\n \"A\" ! comment\n\n"
    "Position(1,2,.5)\nRPY ( 0 , -90. , +1e1 )\t\n\n! Position (9, 9, 9)\nAttributes\n Link\n\n}\n{ \"B!\"\n"
    "JointName \"two words ! no comment\"\nReferenceFrame \"A\"\n} { \"C\"\n}";

static void test_grammar(void **state)
{
    (void)state;
    read_text(grammar_cell);
    assert_int_equal(scene->node_count, 4);
    assert_true(node("A")->flags & CP_NODE_LINK);
    assert_true(node("A")->local.m[3] == 1 && node("A")->local.m[7] == 2 && node("A")->local.m[11] == 0.5);
    expect_parent("B!", "A");
    expect_parent("C", "WORLD");
    expect_metadata("B!", "JointName", CP_VALUE_STRING, "two words ! no comment");
    assert_string_equal(metadata(CP_OWNER_SCENE, 0, "NameOfData")->value, "cell");
    assert_string_equal(metadata(CP_OWNER_SCENE, 0, "TypeOfData")->value, "frames");
    assert_int_equal(scene->metadata_count, 3); /* a bare "Attributes" is nothing */
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
    char *expected = dump_text();
    for (int i = 0; i < 2; i++) {
        replace_line_ends(grammar_cell, i ? "\r" : "\r\n", other);
        read_text(other);
        char *got = dump_text();
        assert_string_equal(got, expected);
        free(got);
    }
    free(expected);
    read_sample("tag_joints.wu");
    expected = dump_text();
    read_sample("tag_crlf.wu");
    char *got = dump_text();
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
    assert_int_equal(scene->metadata_count, 1);
}

static void test_byte_order_mark(void **state)
{
    const char *strict = "strict=yes";
    const char text[] = "\xef\xbb\xbf{ \"A\"\n}\n";
    cp_scene *none;
    (void)state;
    read_text(text);
    assert_int_equal(count_entries(CP_WARNING, "tag-bom"), 1);
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
    assert_int_equal(scene->device_count, 2);
    uint32_t arm = (uint32_t)(device("Arm") - scene->devices), grip = (uint32_t)(device("Arm.Grip") - scene->devices);
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
    assert_string_equal(scene->joints[mirror->master].name, "Arm.Grip.Drive");
    assert_true(mirror->scale == -2 && mirror->offset == 0.1 && fabs(mirror->home - -0.4) < 1e-15);
    /* "J1" is not in the gripper's scope but in the arm's. */
    assert_int_equal(slide->type, CP_JOINT_PRISMATIC);
    assert_string_equal(scene->joints[slide->master].name, "Arm.J1");
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

static bool has_pair(const char *first, const char *second)
{
    for (uint32_t i = 0; i < scene->pair_count; i++)
        if (scene->pairs[i].first == node_of(first) && scene->pairs[i].second == node_of(second))
            return true;
    return false;
}

static void test_arm_exclusions(void **state)
{
    cp_pair_counts counts;
    (void)state;
    read_sample("tag_arm.wu");
    assert_int_equal(scene->pair_count, 5);
    assert_true(has_pair("Arm.Tip", "Arm.Tip"));
    assert_true(has_pair("Arm.Grip.Mirror", "Arm.Grip.Drive"));
    assert_true(has_pair("Arm.Tip", "Arm.Grip.Drive"));
    assert_true(has_pair("Arm.Tip", "Arm.Missing"));
    assert_true(node("Arm.Missing")->flags & CP_NODE_PLACEHOLDER);
    assert_true(node("Arm.J3")->flags & CP_NODE_VOLATILE);
    assert_true(scene->exclude_static_pairs);
    assert_int_equal(count_entries(CP_WARNING, "collision-setup-dangling"), 1);
    /* Candidates: Drive, Mirror, Tip and the volatile J3. Of their 6 pairs Mirror-Drive and Tip-Drive are excluded,
     * and Tip is fixed to J3. */
    assert_int_equal(cp_count_pairs(context, scene, &counts), CP_OK);
    assert_int_equal(counts.candidates, 4);
    assert_int_equal(counts.all, 6);
    assert_int_equal(counts.checked, 3);
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
    assert_int_equal(count_entries(CP_WARNING, "tag-world"), 1);
    assert_int_equal(scene->node_count, 2);
    assert_int_equal(scene->device_count, 0);
    assert_int_equal(scene->nodes[0].instance_count, 1);
    read_text("{ \"WORLD\"\n Position (0, 0, 0)\n RPY (0, 0, 0)\n}\n");
    assert_int_equal(count_entries(CP_WARNING, "tag-world"), 0);
    expect_error("{ \"A\"\n}\n{ \"WORLD\"\n}\n", "tag-duplicate", 3, 3);
}

static void test_top_level_device(void **state)
{
    (void)state;
    read_sample("tag_joints.wu");
    assert_int_equal(scene->device_count, 1);
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
    assert_int_equal(scene->mesh_count, 2);
    struct matrix right = multiply(move(0.5, 0, 0.75), turn_z(3.14159265358979323846 + 0.3));
    expect_world("Right.B", multiply(right, move(0.3, 0, 0.4)));
}

static void test_movable_frames(void **state)
{
    cp_pair_counts counts;
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

/* ---- models ---- */

static const cp_instance *instance(const char *name, uint32_t which)
{
    const cp_node *it = node(name);
    assert_true(which < it->instance_count);
    return &scene->instances[it->first_instance + which];
}

static void expect_instance(const char *name, uint32_t which, const char *source, uint32_t use)
{
    const cp_instance *it = instance(name, which);
    assert_string_equal(scene->meshes[it->mesh].source, source);
    assert_int_equal(it->use, use);
}

static void expect_sizes(const char *name, cp_mesh_kind kind, uint32_t sides, double a, double b, double c)
{
    const cp_mesh *mesh = &scene->meshes[instance(name, 0)->mesh];
    assert_int_equal(mesh->kind, kind);
    assert_int_equal(mesh->sides, sides);
    assert_true(mesh->size[0] == a && mesh->size[1] == b && mesh->size[2] == c);
}

static void test_primitives(void **state)
{
    (void)state;
    read_sample("tag_primitives.wu");
    expect_sizes("Box", CP_MESH_BOX, 0, 0.1, 0.2, 0.3);
    expect_sizes("Cylinder", CP_MESH_CYLINDER, 6, 0.1, 0.4, 0);
    expect_sizes("Empty", CP_MESH_CYLINDER, 0, 0.1, 0.4, 0);
    expect_sizes("Sphere", CP_MESH_SPHERE, 32, 0.125, 0, 0);
    expect_sizes("Cone", CP_MESH_CONE, 32, 0, 0.1, 0.3); /* the tip is down */
    expect_sizes("Tube", CP_MESH_TUBE, 24, 0.1, 0.02, 0.5);
    expect_sizes("Plane", CP_MESH_PLANE, 0, 100, 100, 0);
    expect_sizes("Pyramid", CP_MESH_PYRAMID, 0, 0.2, 0.3, 0.4);
    expect_instance("Box", 0, "#Box 0.1 0.2 0.3", CP_USE_BOTH);
    expect_instance("Plane", 0, "#Plane", CP_USE_DRAWN);
    assert_int_equal(node("Sphere")->flags, CP_NODE_HIGHLIGHT);
    assert_int_equal(node("Tube")->flags, CP_NODE_WIRE);
    assert_int_equal(scene->mesh_count, 8); /* the same words are the same mesh */
    assert_int_equal(instance("Twice", 0)->mesh, instance("Box", 0)->mesh);
    assert_true(instance("Twice", 0)->transform.m[5] == 2.5 && instance("Nothing", 0)->transform.m[5] == 0);
}

static void test_bad_primitives(void **state)
{
    static const char *const bad[] = {"#Ball 1",     "#Box 1 2",    "#Cylinder 1 1",   "#Cylinder 1 1 -3",
                                      "#Line 1",     "#",           "#cylinder 1 1 9", "#Sphere -1",
                                      "#Cone 1 1 2", "#Custom x 1", "#Box a b",        "#Cylinder 1 1 1e9"};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[200];
        const char *strict = "strict=yes";
        cp_scene *none;
        snprintf(text, sizeof text, "{ \"A\"\n GeoID \"%s\"\n}\n{ \"B\"\n DrawableID \"%s\"\n}\n", bad[i], bad[i]);
        read_text(text);
        assert_int_equal(scene->instance_count, 0);
        assert_int_equal(count_entries(CP_WARNING, "tag-primitive"), 1);
        assert_int_equal(count_entries(CP_LOSS, "tag-model"), 2); /* drawn and collision */
        assert_int_equal(cp_read_memory(context, text, strlen(text), "a.wu", "tag", &strict, 1, &none), CP_INPUT);
    }
}

static void test_models(void **state)
{
    (void)state;
    read_sample("tag_models.wu");
    assert_int_equal(scene->mesh_count, 4); /* part, hull, lamp, box */
    assert_int_equal(node("Same")->instance_count, 1);
    expect_instance("Same", 0, "tag/part.stl", CP_USE_BOTH);
    assert_int_equal(node("Apart")->instance_count, 2);
    expect_instance("Apart", 0, "tag/part.stl", CP_USE_DRAWN);
    expect_instance("Apart", 1, "tag/hull.STLA", CP_USE_COLLISION);
    expect_instance("Drawn", 0, "tag/part.stl", CP_USE_DRAWN);
    expect_instance("Drawn", 1, "tag/lamp.STL", CP_USE_DRAWN);
    assert_int_equal(instance("Hull", 0)->mesh, instance("Apart", 1)->mesh);
    expect_instance("Hull", 0, "tag/hull.STLA", CP_USE_COLLISION);
    assert_int_equal(node("Mixed")->instance_count, 3);
    expect_instance("Mixed", 0, "#Box 0.1 0.1 0.1", CP_USE_DRAWN);
    expect_instance("Mixed", 1, "tag/part.stl", CP_USE_COLLISION);
    expect_instance("Mixed", 2, "tag/hull.STLA", CP_USE_BOTH);
    for (uint32_t i = 0; i < 3; i++)
        assert_true(instance("Mixed", i)->transform.m[0] == 0.5);
    assert_true(instance("Same", 0)->transform.m[0] == 1);
    assert_int_equal(count_entries(CP_WARNING, "tag-model"), 0);
}

/* The scale of the first frame that shows a model is not that of the next. */
static void test_scale_of_shared_models(void **state)
{
    (void)state;
    read_text("{ \"A\"\n GeoID \"tag/part\"\n GeoScale 0\n}\n{ \"B\"\n DrawableID \"tag/part\" \"tag/part\"\n"
              " GeoScale 2\n}\n");
    assert_int_equal(scene->mesh_count, 1);
    assert_true(instance("A", 0)->transform.m[0] == 0 && instance("B", 0)->transform.m[0] == 2);
    assert_int_equal(node("B")->instance_count, 2);
}

static void test_missing_models(void **state)
{
    (void)state;
    read_text("{ \"A\"\n GeoID \"tag/nothing\"\n}\n{ \"B\"\n GeoID \"tag/nothing\"\n}\n{ \"C\"\n GeoID \"tag\"\n}\n");
    assert_int_equal(scene->instance_count, 0);
    assert_int_equal(count_entries(CP_WARNING, "tag-model"), 4); /* two names, for both uses */
    size_t count;
    const cp_entry *entries = cp_report(context, &count);
    for (size_t i = 0; i < count; i++)
        if (entries[i].severity == CP_LOSS && strstr(entries[i].text, "nothing"))
            assert_int_equal(entries[i].count, 2);
}

/* ---- large and odd ---- */

static void test_chain(void **state)
{
    (void)state;
    read_sample("tag_chain.wu");
    assert_int_equal(scene->node_count, 301);
    /* Four steps of 90 degrees go round a square: after 300 = 4 x 75 frames the last is where it began, exactly. */
    cp_pose last = world("F299");
    assert_true(last.m[0] == 1 && last.m[1] == 0 && last.m[4] == 0 && last.m[5] == 1);
    assert_true(fabs(last.m[3]) < 1e-12 && fabs(last.m[7]) < 1e-12 && last.m[11] == 0);
}

static void test_names(void **state)
{
    (void)state;
    read_sample("tag_names.wu");
    assert_int_equal(scene->node_count, 16);
    assert_int_equal(count_entries(CP_WARNING, "collision-setup-dangling"), 0);
    assert_int_equal(scene->pair_count, 14);
    assert_true(has_pair("per%cent & <angle>", "it's"));
    assert_true(has_pair("it's", "line\nbreak"));
    expect_parent("caf\xc3\xa9", "dot.inside");
    assert_true(node("  blanks  ")->flags & CP_NODE_VOLATILE);
    assert_int_equal(strlen(scene->nodes[13].name), 300);
}

static void test_latin1_names(void **state)
{
    (void)state;
    read_sample("tag_latin1.wu");
    assert_string_equal(node("T\xc3\xbcr")->raw_name, "T\xfcr");
    assert_null(node("Griff")->raw_name);
    expect_parent("Griff", "T\xc3\xbcr");
}

/* Work is linear: a hundred thousand frames, each looked up by the next. */
static void test_many_frames(void **state)
{
    enum { COUNT = 100000 };
    struct buffer text = {.context = context};
    (void)state;
    for (int i = 0; i < COUNT; i++)
        buffer_print(&text, "{ \"F%d\"\nReferenceFrame \"%s%d\"\nGeoID \"#Box 1 1 1\"\nNote 1\n}\n", i,
                     i % 100 ? "F" : "", i % 100 ? i - 1 : 0);
    for (char *at = text.data; (at = strstr(at, "\"0\"")) != NULL; at += 3)
        memcpy(at, "\"\" ", 3);
    buffer_append(&text, "", 1);
    read_text(text.data);
    assert_int_equal(scene->node_count, COUNT + 1);
    assert_int_equal(scene->mesh_count, 1);
    buffer_free(&text);
}

static void test_probe(void **state)
{
    static const char *const tags[] = {"! only\n\n{ \"A\"\n}\n", "{\n\"A\"  ! x\n}", "File \"tag/room.wu\"\n",
                                       "NameOfData \"x\"\n", "\xef\xbb\xbf{ \"A\"\r\n}\r\n"};
    static const char json[] = "{ \"asset\": {}\n}";
    cp_scene *other;
    (void)state;
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
        cp_scene_free(scene);
        assert_int_equal(cp_read_memory(context, tags[i], strlen(tags[i]), SAMPLES "/noname", NULL, NULL, 0, &scene),
                         CP_OK);
        assert_string_equal(scene->source.format, "tag");
    }
    if (cp_read_memory(context, json, sizeof json - 1, "noname", NULL, NULL, 0, &other) == CP_OK) {
        assert_string_not_equal(other->source.format, "tag");
        cp_scene_free(other);
    }
}

/* ---- memory ---- */

struct failing {
    long left; /* allocations that succeed */
    long live; /* bytes */
};

static void *failing_resize(void *user, void *block, size_t old_size, size_t size)
{
    struct failing *failing = user;
    if (size == 0) {
        failing->live -= (long)old_size;
        free(block);
        return NULL;
    }
    if (failing->left-- <= 0)
        return NULL;
    void *moved = realloc(block, size);
    failing->live += moved ? (long)size - (long)old_size : 0;
    return moved;
}

/* Reads the file with only so many allocations; true when it came through. */
static bool read_failing(const char *name, long allocations)
{
    struct failing failing = {.left = allocations};
    cp_allocator allocator = {failing_resize, &failing};
    char path[4096];
    cp_scene *result = NULL;
    snprintf(path, sizeof path, "%s/%s", SAMPLES, name);
    cp_context *own = cp_context_new(&allocator);
    cp_status status = own ? cp_read(own, path, NULL, NULL, 0, &result) : CP_LIMIT;
    assert_true(status == CP_OK || status == CP_LIMIT);
    assert_int_equal(status == CP_OK, result != NULL);
    cp_scene_free(result);
    cp_context_free(own);
    if (failing.live != 0)
        fail_msg("%s: %ld bytes left after %ld allocations", name, failing.live, allocations);
    return status == CP_OK;
}

static void test_failing_allocator(void **state)
{
    static const char *const names[] = {"tag_arm.wu", "tag_robots.wu", "tag_models.wu", "exclusions.xml"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        long allocations = 0;
        while (!read_failing(names[i], allocations))
            allocations++;
        assert_true(allocations > 20);
    }
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

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
        TEST(test_world_tag),
        TEST(test_top_level_device),
        TEST(test_two_robots),
        TEST(test_movable_frames),
        TEST(test_primitives),
        TEST(test_bad_primitives),
        TEST(test_models),
        TEST(test_scale_of_shared_models),
        TEST(test_missing_models),
        TEST(test_chain),
        TEST(test_names),
        TEST(test_latin1_names),
        TEST(test_many_frames),
        TEST(test_probe),
        TEST(test_failing_allocator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
