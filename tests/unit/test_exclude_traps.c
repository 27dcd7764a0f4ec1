/* Cells that tempt to a proof that is none: numbers at the end of what doubles hold, frames that stretch, faces that
 * cancel. */
#include <math.h>

#include "mesh_builder.h"

#include "exclude_support.h" /* behind those whose arguments have its names */

#define BOX "GeoID \"#Box 0.2 0.2 0.2\"; "

/* The range of a joint is all of it: neither end is rounded away, nor a turn somewhere else taken for the one that
 * there is. */
static void test_wide_ranges(void **unused)
{
    (void)unused;
    static const char *const limits[] = {"0 1e19", "-1e19 0", "-1e12 1e13", "30 1e4", "-1e4 -30"};
    char cell[600];
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        plain_snprintf(cell, sizeof cell,
                       "{ \"Post\"; Position (1, 0, 0); %s}\n{ \"J\"; ActiveJoint; Revolute; JointPosLimit %s; }\n"
                       "{ \"Arm\"; ReferenceFrame \"J\"; Position (0.5, 0, 0); GeoID \"#Box 1 0.1 0.1\"; }\n",
                       BOX, limits[i]);
        judge(cell, "");
        assert_reason("Arm", "Post", "sometimes");
    }
    /* Angles without a digit left behind the point: whatever is found is no proof. */
    judge("{ \"Post\"; Position (1, 0, 0); " BOX "}\n{ \"J\"; ActiveJoint; Revolute; JointPosLimit 1e19 2e19; }\n"
          "{ \"Arm\"; ReferenceFrame \"J\"; Position (0.5, 0, 0); GeoID \"#Box 1 0.1 0.1\"; }\n",
          "");
    assert_int_equal(pair_of("Arm", "Post")->verdict, CP_PAIR_KEPT);
}

static void test_lopsided_ranges(void **unused)
{
    (void)unused;
    static const struct {
        const char *limits;
        double post, value;
    } slides[] = {{"-1 1e17", -0.7, -0.7},          {"-1e17 1", 0.7, 0.7},
                  {"-1 1e16", -0.7, -0.7},          {"-1 1e15", -0.7, -0.7},
                  {"-0.001 5e13", -0.2005, -0.001}, {"-5e13 0.001", 0.2005, 0.001},
                  {"0.3 1e17", 0.25, 0.3},          {"-3 1e30", -3.15, -3}};
    char cell[600];
    for (size_t i = 0; i < sizeof slides / sizeof *slides; i++) {
        plain_snprintf(cell, sizeof cell,
                       "{ \"Post\"; Position (0, 0, %.17g); %s}\n{ \"J\"; ActiveJoint; Prismatic; JointPosLimit %s; }\n"
                       "{ \"Arm\"; ReferenceFrame \"J\"; %s}\n",
                       slides[i].post, BOX, slides[i].limits, BOX);
        read_cell(cell);
        assert_true(slides[i].value >= cp_joints(scene, NULL)[0].lower &&
                    slides[i].value <= cp_joints(scene, NULL)[0].upper);
        assert_true(fabs(slides[i].value - slides[i].post) <= 0.2); /* they touch there */
        assert_int_equal(exclude_with(""), CP_OK);
        assert_int_equal(pair_of("Arm", "Post")->verdict, CP_PAIR_KEPT);
    }
}

/* Behind a frame that stretches by a thousand, what touches in the frame is 0.02 mm and 4 mm apart in the world. */
static void test_stretched_ends(void **unused)
{
    (void)unused;
    judge("{ \"A\"; Position (0, 0, -0.5); GeoID \"#Box 0.2 0.2 1\"; }\n"
          "{ \"J\"; ActiveJoint; Revolute; JointPosLimit -180 180; }\n"
          "{ \"Z\"; ReferenceFrame \"J\"; Position (0, 0, 0.00003); I (1, 0, 0); J (0, 1, 0); K (0, 0, 1000); GeoID "
          "\"#Box "
          "0.2 0.2 0.00000002\"; }\n",
          "");
    assert_reason("A", "Z", "never-proved");
    judge(
        "{ \"A\"; Position (0, 0, -0.5); GeoID \"#Box 0.2 0.2 1\"; }\n"
        "{ \"J\"; ActiveJoint; Revolute; JointPosLimit -180 180; }\n"
        "{ \"Z\"; ReferenceFrame \"J\"; Position (0, 0, 0.006); I (0.01, 0, 0); J (0, 0.01, 0); K (0, 0, 10000); GeoID "
        "\"#Box 20 20 0.0000004\"; }\n",
        "");
    assert_reason("A", "Z", "never-proved");
    /* and what lies in it still does */
    judge("{ \"A\"; Position (0, 0, -0.5); GeoID \"#Box 0.2 0.2 1\"; }\n"
          "{ \"J\"; ActiveJoint; Revolute; JointPosLimit -180 180; }\n"
          "{ \"Z\"; ReferenceFrame \"J\"; I (1, 0, 0); J (0, 1, 0); K (0, 0, 1000); GeoID \"#Box 0.2 0.2 0.00000002\"; "
          "}\n",
          "");
    assert_reason("A", "Z", "always-proved");
}

/* Nodes that together stretch by three, whose squares are no numbers. */
static void test_stretch_beyond_squares(void **unused)
{
    (void)unused;
    for (int sign = -1; sign <= 1; sign += 2) {
        char cell[1500];
        double large = pow(10, 80 * sign), small = 1 / large;
        plain_snprintf(cell, sizeof cell,
                       "{ \"A\"; I (%g, 0, 0); J (0, %g, 0); K (0, 0, %g); }\n"
                       "{ \"B\"; ReferenceFrame \"A\"; I (%g, 0, 0); J (0, %g, 0); K (0, 0, %g); }\n"
                       "{ \"J\"; ReferenceFrame \"B\"; ActiveJoint; Revolute; JointPosLimit -100 100; }\n"
                       "{ \"C\"; ReferenceFrame \"J\"; I (%g, 0, 0); J (0, %g, 0); K (0, 0, %g); }\n"
                       "{ \"D\"; ReferenceFrame \"C\"; I (%g, 0, 0); J (0, %g, 0); K (0, 0, %g); }\n"
                       "{ \"Arm\"; ReferenceFrame \"D\"; Position (0.5, 0, 0); GeoID \"#Box 0.1 0.1 0.1\"; }\n"
                       "{ \"Post\"; Position (0, 1.5, 0); GeoID \"#Box 0.1 0.1 0.1\"; }\n",
                       large, large, large, large, 3 * large, large, small, small, small, small, small, small);
        judge(cell, "");
        assert_int_equal(pair_of("Arm", "Post")->verdict, CP_PAIR_KEPT);
    }
}

/* What follows a joint by a large offset turns by angles without digits, in jumps. */
static void test_follower_out_of_reach(void **unused)
{
    (void)unused;
    judge("{ \"Turn\"; ActiveJoint; Revolute; JointPosLimit -343 343; }\n"
          "{ \"Follow\"; PassiveRevolute \"Turn\" 1.5 1e17; }\n"
          "{ \"Tip\"; ReferenceFrame \"Follow\"; Position (1, 0, 0); GeoID \"#Box 0.02 0.02 0.02\"; }\n"
          "{ \"Wall\"; Position (0.7143226129411997, 0.69981655070515236, 0); GeoID \"#Box 0.02 0.02 0.02\"; }\n",
          "");
    assert_int_equal(pair_of("Tip", "Wall")->verdict, CP_PAIR_KEPT);
}

/* Vertices that are no numbers, or too large to be multiplied; the same of a plane. */
static void test_not_finite(void **unused)
{
    (void)unused;
    static const char *const shapes[] = {"#Box 4 4 1", "#Plane"};
    for (int round = 0; round < 4; round++) {
        char cell[300];
        plain_snprintf(cell, sizeof cell,
                       "{ \"J\"; ActiveJoint; Revolute; JointPosLimit -90 90; }\n"
                       "{ \"A\"; ReferenceFrame \"J\"; GeoID \"%s\"; }\n{ \"B\"; GeoID \"#Box 1 1 1\"; }\n",
                       shapes[round % 2]);
        read_cell(cell);
        struct draft draft = draft_of(scene);
        cp_pose *pose = &draft.instances[draft.nodes[node_of("A")].first_instance].transform;
        *pose = round % 2 ? plain_scaling(1e-60, 1e-60, 1e-60) : plain_scaling(1e50, 1, 1);
        if (round == 0)
            pose->m[0] = pose->m[1] = 1.7e308; /* 2 of it less 2 of it */
        if (round == 3)
            pose->m[3] = 1e200;
        change_scene(&draft);
        assert_int_equal(exclude_with(""), CP_INPUT);
        assert_int_equal(count_entries(context, CP_ERROR, "exclude-not-finite"), 1);
        cp_report_clear(context);
    }
}

/* A turn about an axis that is no unit vector takes what is on it along, 1.6 mm here. */
static void test_axis_that_stretches(void **unused)
{
    (void)unused;
    read_cell("{ \"A\"; Position (0, 0, 999.5); GeoID \"#Box 0.2 0.2 1\"; }\n"
              "{ \"J\"; ActiveJoint; Revolute; JointPosLimit -180 180; }\n"
              "{ \"Z\"; ReferenceFrame \"J\"; Position (0, 0, 1000.5); GeoID \"#Box 0.2 0.2 1\"; }\n");
    struct draft draft = draft_of(scene);
    draft.joints[0].axis[2] = 1.0000004;
    change_scene(&draft);
    assert_int_equal(exclude_with(""), CP_OK);
    assert_int_equal(pair_of("A", "Z")->verdict, CP_PAIR_KEPT);
}

/* A joint above both that makes a gap of 0.9e-6 a thousand times as large. */
static void test_scale_above(void **unused)
{
    (void)unused;
    for (int wide = 0; wide < 2; wide++) {
        read_cell("{ \"K\"; ActiveJoint; Prismatic; JointPosLimit 0.5 1000; }\n"
                  "{ \"A\"; ReferenceFrame \"K\"; Position (0, 0, -0.5); GeoID \"#Box 0.2 0.2 1\"; }\n"
                  "{ \"J\"; ReferenceFrame \"K\"; ActiveJoint; Revolute; JointPosLimit -180 180; }\n"
                  "{ \"Z\"; ReferenceFrame \"J\"; Position (0, 0, 0.5000009); GeoID \"#Box 0.2 0.2 1\"; }\n");
        struct draft draft = draft_of(scene);
        draft.joints[0].type = CP_JOINT_SCALE;
        draft.joints[0].q = 1;
        change_scene(&draft);
        assert_int_equal(exclude_with(wide ? "margin=1mm" : ""), CP_OK);
        assert_reason("A", "Z", "undecided"); /* no witness either: the gap is 0.9e-6 of what they are large */
    }
}

/* A witness counts in the world: 10.0 mm in a frame that is a tenth high are 11 mm to the side. */
static void test_witness_above_a_stretch(void **unused)
{
    (void)unused;
    judge("{ \"S\"; I (1, 0, 0); J (0, 1, 0); K (0, 0, 0.01); }\n"
          "{ \"A\"; ReferenceFrame \"S\"; GeoID \"#Box 0.2 0.2 0.2\"; }\n"
          "{ \"J\"; ReferenceFrame \"S\"; Position (0.211, 0, 0); ActiveJoint; Prismatic; JointPosLimit 0 0.5; }\n"
          "{ \"Z\"; ReferenceFrame \"J\"; GeoID \"#Box 0.2 0.2 0.2\"; }\n",
          "margin=10mm allow-sampled=yes");
    assert_reason("A", "Z", "undecided");
}

/* Planes do not collide with each other, wherever an axis goes through both; with boxes in both frames, these
 * decide. */
static void test_two_planes(void **unused)
{
    (void)unused;
    judge("{ \"Low\"; GeoID \"#Plane\"; }\n{ \"J\"; ActiveJoint; Revolute; JointPosLimit -180 180; }\n"
          "{ \"Tilt\"; ReferenceFrame \"J\"; RPY (0, 0, 45); GeoID \"#Plane\"; }\n",
          "");
    assert_reason("Low", "Tilt", "undecided");
    assert_int_equal(pair_of("Low", "Tilt")->finding->samples, 0);
    judge("{ \"Low\"; GeoID \"#Plane\" \"#Box 0.1 0.1 0.1\"; }\n{ \"J\"; ActiveJoint; Revolute; JointPosLimit -180 "
          "180; }\n"
          "{ \"Tilt\"; ReferenceFrame \"J\"; Position (0, 0, 5); RPY (0, 0, 89); GeoID \"#Plane\" \"#Box 0.1 0.1 "
          "0.1\"; }\n",
          "");
    assert_int_equal(pair_of("Low", "Tilt")->verdict, CP_PAIR_KEPT);
}

/* A hundred million kilometres out and back again leave an error of hundredths of a millimetre. */
static void test_long_way(void **unused)
{
    (void)unused;
    judge("{ \"Out\"; Position (1e11, 0, 0); }\n{ \"Back\"; ReferenceFrame \"Out\"; Position (-1e11, 0, 0); }\n"
          "{ \"J\"; ReferenceFrame \"Back\"; ActiveJoint; Revolute; JointPosLimit -90 90; }\n"
          "{ \"Arm\"; ReferenceFrame \"J\"; " BOX "}\n{ \"Post\"; Position (3, 0, 0); " BOX "}\n",
          "");
    assert_reason("Arm", "Post", "undecided");
    judge("{ \"Out\"; Position (1e11, 0, 0); }\n{ \"Post\"; ReferenceFrame \"Out\"; Position (3, 0, 0); " BOX "}\n"
          "{ \"J\"; ReferenceFrame \"Out\"; ActiveJoint; Revolute; JointPosLimit -90 90; }\n"
          "{ \"Arm\"; ReferenceFrame \"J\"; " BOX "}\n",
          ""); /* what lies above both does not matter */
    assert_reason("Arm", "Post", "never-proved");
}

static void turn_face(uint32_t *corners, uint32_t count)
{
    for (uint32_t i = 0, k = count - 1; i < k; i++, k--) {
        uint32_t corner = corners[i];
        corners[i] = corners[k];
        corners[k] = corner;
    }
}

static void add_cavity(struct builder *builder, const double low[3], const double high[3])
{
    uint32_t first = builder->faces;
    add_box(builder, low, high);
    for (uint32_t face = first; face < builder->faces; face++)
        turn_face(builder->corners + builder->offsets[face], 4);
}

/* The mesh as one more body of a frame "Body", which is the last one. */
static void add_to_body(uint32_t node, struct builder *builder)
{
    cp_mesh mesh = mesh_of(builder);
    mesh.name = mesh.source = "";
    uint32_t index = add_mesh_of(scene, &mesh);
    assert_true(index != CP_NONE && add_instance_of(scene, node, index, CP_USE_BOTH, &PLAIN_IDENTITY) != CP_NONE);
}

/* A part that turns in the hole that two cavities have in common: the faces go round it once the wrong way. */
static void test_common_cavities(void **unused)
{
    (void)unused;
    struct builder builder = {0};
    add_box(&builder, (const double[]){0, 0, 0}, (const double[]){1, 1, 1});
    add_cavity(&builder, (const double[]){0.2, 0.2, 0.2}, (const double[]){0.6, 0.6, 0.6});
    add_cavity(&builder, (const double[]){0.4, 0.4, 0.4}, (const double[]){0.8, 0.8, 0.8});
    read_cell("{ \"J\"; Position (0.5, 0.5, 0.5); ActiveJoint; Revolute; }\n"
              "{ \"Part\"; ReferenceFrame \"J\"; GeoID \"#Box 0.02 0.01 0.01\"; }\n");
    add_to_body(add_node_at(scene, 0, "Body", NULL), &builder);
    finish_scene();
    assert_int_equal(exclude_with(""), CP_OK);
    assert_int_equal(pair_of("Body", "Part")->verdict, CP_PAIR_KEPT);
    free_builder(&builder);
}

/* An hourglass that crosses itself goes round its upper half the wrong way; with a cube of the same frame there, the
 * two do not cancel. */
static void test_hourglass_in_a_cube(void **unused)
{
    (void)unused;
    static const double points[8][3] = {{0, 0, 0},     {1, 0, 0},     {1, 1, 0},     {0, 1, 0},
                                        {0.7, 0, 1.5}, {0.3, 0, 1.5}, {0.3, 1, 1.5}, {0.7, 1, 1.5}};
    static const uint32_t quads[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                         {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
    struct builder hourglass = {0}, cube = {0};
    for (int i = 0; i < 8; i++)
        (void)add_vertex(&hourglass, points[i][0], points[i][1], points[i][2]);
    for (int i = 0; i < 6; i++)
        add_face(&hourglass, quads[i], 4);
    add_box(&cube, (const double[]){0, 0, 1.2}, (const double[]){1, 1, 2});
    read_cell("{ \"J\"; Position (0.5, 0.5, 1.4); ActiveJoint; Revolute; }\n"
              "{ \"Part\"; ReferenceFrame \"J\"; GeoID \"#Box 0.02 0.01 0.01\"; }\n");
    uint32_t body = add_node_at(scene, 0, "Body", NULL);
    add_to_body(body, &hourglass);
    add_to_body(body, &cube);
    finish_scene();
    assert_int_equal(exclude_with(""), CP_OK);
    assert_reason("Body", "Part", "always-proved");
    free_builder(&hourglass);
    free_builder(&cube);
}

/* Where static pairs are left out, what a clip moves is none of them. */
static void test_moved_by_a_clip(void **unused)
{
    (void)unused;
    static const double times[] = {0, 1}, places[] = {0, 1, 0, 0, -1, 0};
    cp_pair_counts counts = {.size = sizeof counts};
    read_cell("{ \"Table\"; " BOX "}\n{ \"Crate\"; Position (0, 1, 0); " BOX "}\n");
    cp_exclude_static_pairs(scene, true);
    assert_int_equal(cp_count_pairs(context, scene, &counts), CP_OK);
    assert_int_equal(counts.all, 1);
    assert_int_equal(counts.checked, 0);
    const cp_track tracks[] = {{.target = node_of("Crate"),
                                .path = CP_PATH_TRANSLATION,
                                .interpolation = CP_LINEAR,
                                .key_count = 2,
                                .times = times,
                                .values = places}};
    assert_true(add_clip_of(scene, "go", 1, tracks) != CP_NONE);
    finish_scene();
    assert_int_equal(cp_count_pairs(context, scene, &counts), CP_OK);
    assert_int_equal(counts.checked, 1);
}

/* A list holds within the limits: where the cell stands beyond them, or a clip goes, is a warning. */
static void test_outside(void **unused)
{
    (void)unused;
    static const double times[] = {0, 1, 2}, within[] = {-1.5, 0, 1.5}, beyond[] = {0, 1, 1.6};
    static const double curve[] = {0, 0, 10, -10, 0, 0, 0, 0, 0}; /* 2.5 in the middle of its first piece */
    for (int round = 0; round < 5; round++) {
        read_cell("{ \"Post\"; Position (5, 0, 0); " BOX "}\n"
                  "{ \"J\"; ActiveJoint; Revolute; JointPosLimit -90 90; }\n{ \"Arm\"; ReferenceFrame \"J\"; " BOX
                  "}\n");
        const cp_track tracks[] = {{.target = 0,
                                    .path = CP_PATH_JOINT,
                                    .interpolation = round == 3 ? CP_CUBIC : CP_LINEAR,
                                    .key_count = 3,
                                    .times = times,
                                    .values = round == 1   ? beyond
                                              : round == 3 ? curve
                                                           : within}};
        assert_true(add_clip_of(scene, "go", 1, tracks) != CP_NONE);
        struct draft draft = draft_of(scene);
        draft.joints[0].q = round == 2 ? -1.6 : 0;
        if (round == 4) { /* nothing drives it but the clip */
            draft.joints[0].driven = false;
            draft.joints[0].lower = draft.joints[0].upper = 0;
        }
        change_scene(&draft);
        cp_report_clear(context);
        assert_int_equal(exclude_with(""), CP_OK);
        assert_int_equal(find_entry(context, "exclude-outside") != NULL, round > 0);
    }
}

/* What nothing drives is where it stands, whatever its limits say. */
static void test_locked(void **unused)
{
    (void)unused;
    for (int round = 0; round < 4; round++) {
        read_cell("{ \"Post\"; Position (0, 1, 0); " BOX "}\n"
                  "{ \"J\"; ActiveJoint; Revolute; JointPosLimit 0 0; }\n"
                  "{ \"Arm\"; ReferenceFrame \"J\"; Position (1, 0, 0); " BOX "}\n");
        struct draft draft = draft_of(scene);
        draft.joints[0].driven = false;
        draft.joints[0].q = round % 2 ? PI / 2 : 0;
        draft.joints[0].upper = round < 2 ? 0 : 0.1;
        change_scene(&draft);
        assert_int_equal(exclude_with(""), CP_OK);
        assert_reason("Arm", "Post", round == 1 ? "always-proved" : round == 3 ? "sometimes" : "never-proved");
        assert_int_equal(find_entry(context, "exclude-outside") != NULL, false);
    }
}

/* Where other geometry may come, what is there says nothing: neither of it nor of what cannot move against it. */
static void test_volatile(void **unused)
{
    (void)unused;
    uint64_t keys[2];
    for (int round = 0; round < 2; round++) {
        read_cell("{ \"Post\"; Position (5, 0, 0); " BOX "}\n{ \"Wall\"; Position (6, 0, 0); " BOX "}\n"
                  "{ \"J\"; ActiveJoint; Revolute; JointPosLimit -90 90; }\n{ \"Arm\"; ReferenceFrame \"J\"; " BOX
                  "}\n");
        struct draft draft = draft_of(scene);
        if (round == 1)
            draft.nodes[node_of("Post")].flags |= CP_NODE_VOLATILE;
        change_scene(&draft);
        assert_int_equal(exclude_with("movable=none"), CP_OK);
        assert_reason("Arm", "Post", round == 1 ? "movable" : "never-proved");
        assert_reason("Post", "Wall", round == 1 ? "movable" : "static");
        assert_reason("Arm", "Wall", "never-proved");
        keys[round] = pair_of("Arm", "Post")->finding->key;
    }
    assert_int_not_equal(keys[0], keys[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_wide_ranges, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_lopsided_ranges, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_stretched_ends, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_stretch_beyond_squares, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_follower_out_of_reach, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_not_finite, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_axis_that_stretches, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_scale_above, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_witness_above_a_stretch, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_two_planes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_long_way, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_common_cavities, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_hourglass_in_a_cube, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_moved_by_a_clip, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_outside, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_locked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_volatile, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
