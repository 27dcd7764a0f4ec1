/* The filter exclude, on cells that are small enough to know the answer. */
#include <math.h>

#include "exclude_support.h"

/* ---- arms whose reach is known ---- */

/* An arm of length 1, 0.1 wide, that turns about z; a post at x = 0 .. whose face is `at` away from the axis, in the
 * direction 90 degrees. */
static const char *sweep_cell(double limit, double at)
{
    static char text[600];
    plain_snprintf(text, sizeof text,
                   "{ \"WORLD\"; }\n{ \"J\"; ActiveJoint; Revolute; JointPosLimit %g %g; }\n"
                   "{ \"Arm\"; ReferenceFrame \"J\"; Position (0.5, 0, 0); GeoID \"#Box 1 0.1 0.1\"; }\n"
                   "{ \"Post\"; Position (0, %.12g, 0); GeoID \"#Box 4 0.2 0.1\"; }\n",
                   -limit, limit, at + 0.1);
    return text;
}

/* A box that slides to within 0.1 mm of another, for the most part far from it: no more clearance is stated. */
static void test_clearance(void **unused)
{
    (void)unused;
    judge("{ \"Slide\"\n ActiveJoint\n Prismatic\n JointPosLimit 0 0.9999\n GeoID \"#Box 0.1 0.1 0.1\"\n}\n"
          "{ \"Wall\"\n Position (0, 0, 1.1)\n GeoID \"#Box 0.1 0.1 0.1\"\n}\n",
          "");
    assert_reason("Slide", "Wall", "never-proved");
    double clearance = pair_of("Slide", "Wall")->finding->clearance;
    assert_true(clearance >= 1e-6 && clearance <= 1e-4 + 1e-12);
}

static void test_reach(void **unused)
{
    (void)unused;
    double reach = hypot(1, 0.05); /* of the arm's corners */
    judge(sweep_cell(180, reach + 2e-6), "");
    assert_reason("Arm", "Post", "never-proved");
    judge(sweep_cell(180, reach - 1e-6), "");
    assert_reason("Arm", "Post", "sometimes");
    judge(sweep_cell(180, reach + 0.5e-6), ""); /* nearer than touch */
    assert_reason("Arm", "Post", "sometimes");
    judge(sweep_cell(180, reach + 0.9e-3), "margin=1mm");
    assert_reason("Arm", "Post", "sometimes");
    assert_true(pair_of("Arm", "Post")->finding->clearance > 0.89e-3);
    judge(sweep_cell(180, reach + 1.1e-3), "margin=1mm");
    assert_reason("Arm", "Post", "never-proved");
    double clearance = pair_of("Arm", "Post")->finding->clearance;
    assert_true(clearance >= 1e-3 && clearance <= 1.1e-3 + 1e-9);
    double turned = PI / 6, height = sin(turned) + 0.05 * cos(turned); /* of the corner at 30 degrees */
    judge(sweep_cell(30, height + 1e-5), "");
    assert_reason("Arm", "Post", "never-proved");
    judge(sweep_cell(30, height - 1e-5), "");
    assert_reason("Arm", "Post", "sometimes");
}

static void test_witness(void **unused)
{
    (void)unused;
    judge(sweep_cell(180, 0.9), "");
    const cp_finding *finding = pair_of("Arm", "Post")->finding;
    assert_int_equal(finding->witness_count, 1);
    double turned = finding->witness[0].value;
    assert_string_equal(cp_joints(scene, NULL)[finding->witness[0].joint].name, "J");
    assert_true(sin(turned) + 0.05 * fabs(cos(turned)) >= 0.9 - 1e-6);
}

/* ---- statuses ---- */

static void test_neighbours(void **unused)
{
    (void)unused;
    const char *cell = "{ \"WORLD\"; }\n{ \"Base\"; GeoID \"#Cylinder 0.1 0.4 12\"; }\n"
                       "{ \"J\"; Position (0, 0, 0.2); ActiveJoint; Revolute; JointPosLimit -90 90; }\n"
                       "{ \"Link\"; ReferenceFrame \"J\"; Position (0, 0, 0.1); GeoID \"#Cylinder 0.1 0.3 12\"; }\n"
                       "{ \"Side\"; ReferenceFrame \"J\"; Position (0.3, 0, 0); GeoID \"#Box 0.1 0.1 0.1\"; }\n"
                       "{ \"Stop\"; Position (0, 0.3, 0.2); GeoID \"#Box 0.1 0.1 0.1\"; }\n";
    judge(cell, "");
    assert_reason("Base", "Link", "always-proved");
    assert_reason("Base", "Side", "never-proved");
    assert_reason("Side", "Stop", "sometimes");
    assert_reason("Base", "Stop", "static");
    assert_reason("Link", "Side", "static");
    judge(cell, "adjacent=yes");
    assert_reason("Side", "Stop", "adjacent");
    assert_reason("Base", "Link", "always-proved");
}

/* An arm of two links inside a block. Its second link always touches the block, and the first link lies between them.
 * Neighbours are no surprise, nor are those between which nothing can collide. */
static void test_always_not_neighbours(void **unused)
{
    (void)unused;
    static const struct {
        const char *first, *second; /* geometry of the first link, and how the second one is a child */
        size_t warnings;
    } cases[] = {{"GeoID \"#Box 0.1 0.1 0.1\"", "ReferenceFrame \"J1\"", 1},
                 {"Position (0, 0, 0)", "ReferenceFrame \"J1\"", 0},
                 {"}\n{ \"Skin\"; ReferenceFrame \"J1\"; GeoID \"#Box 0.1 0.1 0.1\"", "ReferenceFrame \"J1\"", 1},
                 {"}\n{ \"Plate\"; ReferenceFrame \"J1\"; RPY (0, 0, 1)", "ReferenceFrame \"Plate\"", 0},
                 /* beside each other: between the links of J1 and J2 is the block's */
                 {"GeoID \"#Box 0.1 0.1 0.1\"", "ReferenceFrame \"WORLD\"", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char cell[700];
        plain_snprintf(cell, sizeof cell,
                       "{ \"WORLD\"; }\n{ \"Block\"; GeoID \"#Box 9 9 9\"; }\n"
                       "{ \"J1\"; ActiveJoint; Revolute; JointPosLimit -90 90; %s; }\n"
                       "{ \"J2\"; %s; Position (0, 0, 0.04); ActiveJoint; Revolute; JointPosLimit -90 90; "
                       "GeoID \"#Box 0.1 0.1 0.1\"; }\n",
                       cases[i].first, cases[i].second);
        tear_down(NULL);
        set_up(NULL);
        judge(cell, "");
        assert_reason("Block", "J2", "always-proved");
        assert_int_equal(count_entries(context, CP_WARNING, "always-not-neighbours"), cases[i].warnings);
    }
}

/* Neighbours that nothing brings together, whatever it is that counts as touching. */
static void test_apart_without_touch(void **unused)
{
    (void)unused;
    static const char *const options[] = {"", "touch=0", "touch=1e-200"};
    for (int i = 0; i < 3; i++) {
        judge(sweep_cell(180, 1.5), options[i]);
        assert_reason("Arm", "Post", "never-proved");
        judge(sweep_cell(30, 0.1), options[i]);
        assert_reason("Arm", "Post", "sometimes");
    }
}

/* A slide moves a box within a block, which the surfaces do not tell: in a closed block it always is in it, until it
 * comes out, which 100 samples may not show. */
static void test_one_in_another(void **unused)
{
    (void)unused;
    static const struct {
        double limit;
        const char *reason;
    } cases[] = {{0.3, "always-proved"}, {0.54, "always-proved"}, {0.551, "always-sampled"}, {0.6, "sometimes"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char cell[400];
        plain_snprintf(cell, sizeof cell,
                       "{ \"WORLD\"; }\n{ \"Block\"; GeoID \"#Box 1 1 1\"; }\n"
                       "{ \"J\"; ActiveJoint; Prismatic; JointPosLimit %g %g; }\n"
                       "{ \"Core\"; ReferenceFrame \"J\"; GeoID \"#Box 0.1 0.1 0.1\"; }\n",
                       -cases[i].limit, cases[i].limit);
        judge(cell, "");
        assert_reason("Block", "Core", cases[i].reason);
    }
}

/* A carriage slides on a plate, face on face: no proof tells that they always touch. */
static void test_sampled_contact(void **unused)
{
    (void)unused;
    const char *cell =
        "{ \"WORLD\"; }\n{ \"Plate\"; GeoID \"#Box 1 1 0.5\"; }\n"
        "{ \"J\"; RPY (0, 90, 0); Position (0, 0, 0.5); ActiveJoint; Prismatic; JointPosLimit -0.3 0.3; }\n"
        "{ \"Carriage\"; ReferenceFrame \"J\"; GeoID \"#Box 0.5 0.25 0.5\"; }\n"
        "{ \"Ball\"; ReferenceFrame \"J\"; Position (0, 0, 3); GeoID \"#Sphere 0.1\"; }\n";
    static const struct {
        const char *options, *free_reason;
        bool excluded;
        uint32_t samples;
    } cases[] = {{"work=0 descents=0", "undecided", false, 100},
                 {"work=0 descents=0 allow-sampled=yes", "never-sampled", true, 100},
                 {"work=0 descents=0 allow-sampled=always", "undecided", true, 1000},
                 {"work=0 descents=0 allow-sampled=always samples=2000", "undecided", true, 2000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        judge(cell, cases[i].options);
        assert_string_equal(pair_of("Carriage", "Plate")->reason, "always-sampled");
        assert_string_equal(pair_of("Ball", "Plate")->reason, cases[i].free_reason);
        const cp_pair *pair = pair_of("Carriage", "Plate");
        assert_int_equal(pair->verdict, cases[i].excluded ? CP_PAIR_EXCLUDED : CP_PAIR_KEPT);
        assert_int_equal(pair->finding->samples, cases[i].samples);
        assert_int_equal(pair->finding->hits, cases[i].samples);
        assert_int_equal(pair_of("Ball", "Plate")->finding->samples, cases[i].samples == 2000 ? 2000 : 100);
        assert_non_null(find_entry(context, "exclude-sampled"));
    }
}

static void test_movable(void **unused)
{
    (void)unused;
    const char *cell = "{ \"WORLD\"; }\n{ \"Bench\"; GeoID \"#Box 1 1 0.1\"; }\n"
                       "{ \"Item\"; Position (0, 0, 5); Movable; GeoID \"#Box 0.1 0.1 0.1\"; }\n"
                       "{ \"Lid\"; ReferenceFrame \"Item\"; Position (0, 0, 1); GeoID \"#Box 0.1 0.1 0.1\"; }\n"
                       "{ \"Tool\"; ReferenceFrame \"Bench\"; Position (0, 0, 3); DAF; GeoID \"#Box 0.1 0.1 0.1\"; }\n"
                       "{ \"Tip\"; ReferenceFrame \"Tool\"; Position (0, 0, 1); GeoID \"#Box 0.1 0.1 0.1\"; }\n";
    static const char *const names[] = {"Bench", "Item", "Lid", "Tool", "Tip"};
    static const int groups[] = {0, 1, 1, 2, 2};
    judge(cell, "adjacent=yes allow-sampled=yes");
    for (int i = 0; i < 5; i++)
        for (int k = i + 1; k < 5; k++)
            assert_reason(names[i], names[k], groups[i] == groups[k] ? "static" : "movable");
    judge(cell, "movable=none");
    for (int i = 0; i < 5; i++)
        for (int k = i + 1; k < 5; k++)
            assert_reason(names[i], names[k], "static");
    judge(cell, "movable=Lid,Tip");
    assert_reason("Item", "Lid", "movable");
    assert_reason("Tool", "Tip", "movable");
    assert_reason("Bench", "Item", "movable");
}

/* ---- joints ---- */

/* A hand whose joint turns back as far as the arm turns: it stays upright, beside a rail that it would hit if it were
 * free. */
static void test_dependent_joint(void **unused)
{
    (void)unused;
    static char text[700];
    for (int follows = 0; follows < 2; follows++) {
        plain_snprintf(text, sizeof text,
                       "{ \"WORLD\"; }\n{ \"J\"; ActiveJoint; Revolute; JointPosLimit -90 90; }\n"
                       "{ \"Wrist\"; ReferenceFrame \"J\"; Position (0.5, 0, 0); %s; }\n"
                       "{ \"Hand\"; ReferenceFrame \"Wrist\"; Position (0, 0, 0); GeoID \"#Box 0.02 0.4 0.02\"; }\n"
                       "{ \"Rail\"; Position (0.6, 0, 0); GeoID \"#Box 0.1 2 0.1\"; }\n",
                       follows ? "PassiveRevolute \"J\" -1 0" : "ActiveJoint; Revolute; JointPosLimit -90 90");
        judge(text, "");
        assert_reason("Hand", "Rail", follows ? "never-proved" : "sometimes");
    }
    assert_int_equal(pair_of("Hand", "Rail")->finding->witness_count, 0);
}

static void test_unlimited(void **unused)
{
    (void)unused;
    judge("{ \"WORLD\"; }\n{ \"J\"; ActiveJoint; Prismatic; }\n"
          "{ \"Car\"; ReferenceFrame \"J\"; GeoID \"#Box 0.1 0.1 0.1\"; }\n"
          "{ \"Wall\"; Position (1, 0, 0); GeoID \"#Box 0.1 0.1 0.1\"; }\n",
          "");
    assert_reason("Car", "Wall", "undecided");
    judge("{ \"WORLD\"; }\n{ \"J\"; ActiveJoint; Revolute; }\n"
          "{ \"Hand\"; ReferenceFrame \"J\"; Position (1, 0, 0); GeoID \"#Box 0.1 0.1 0.1\"; }\n"
          "{ \"Near\"; Position (-1, 0, 0); GeoID \"#Box 0.1 0.1 0.1\"; }\n"
          "{ \"Far\"; Position (-1.2, 0, 0); GeoID \"#Box 0.1 0.1 0.1\"; }\n",
          "");
    assert_reason("Hand", "Near", "sometimes");
    assert_reason("Hand", "Far", "never-proved");
}

/* What a joint does in its second turn it has done before, but not what follows it at half its speed. */
static void test_several_turns(void **unused)
{
    (void)unused;
    for (int follows = 0; follows < 2; follows++) {
        char text[700];
        plain_snprintf(text, sizeof text,
                       "{ \"WORLD\"; }\n{ \"J\"; ActiveJoint; Revolute; JointPosLimit %s; }\n{ \"K\"; %s; }\n"
                       "{ \"Hand\"; ReferenceFrame \"K\"; Position (1, 0, 0); GeoID \"#Box 0.1 0.1 0.1\"; }\n"
                       "{ \"Near\"; Position (-1, 0.2, 0); GeoID \"#Box 0.1 0.1 0.1\"; }\n"
                       "{ \"Far\"; Position (-1.2, 0, 0); GeoID \"#Box 0.1 0.1 0.1\"; }\n",
                       follows ? "-360 360" : "300 1000",
                       follows ? "PassiveRevolute \"J\" 0.5 0" : "ReferenceFrame \"J\"");
        judge(text, "");
        assert_reason("Hand", "Near", "sometimes");
        assert_reason("Hand", "Far", "never-proved");
        double value = pair_of("Hand", "Near")->finding->witness[0].value;
        assert_true(value >= cp_joints(scene, NULL)[0].lower && value <= cp_joints(scene, NULL)[0].upper);
    }
}

/* A joint that turns by a formula may be anywhere for a proof; what it hits so is no witness. One that slides so is
 * beyond proofs. */
static void test_formula(void **unused)
{
    (void)unused;
    static const uint32_t inputs[] = {0};
    static const double factors[] = {1};
    static const cp_expression half = {
        .text = "dof(1) / 2", .angle = 1, .input_count = 1, .inputs = inputs, .factors = factors};
    for (int slides = 0; slides < 2; slides++) {
        read_cell("{ \"WORLD\"; }\n{ \"J\"; ActiveJoint; Revolute; JointPosLimit -90 90; }\n"
                  "{ \"K\"; ActiveJoint; Revolute; JointPosLimit -90 90; }\n"
                  "{ \"Hand\"; ReferenceFrame \"K\"; Position (1, 0, 0); GeoID \"#Box 0.1 0.1 0.1\"; }\n"
                  "{ \"Near\"; Position (-1, 0, 0); GeoID \"#Box 0.1 0.1 0.1\"; }\n"
                  "{ \"Far\"; Position (-1.2, 0, 0); GeoID \"#Box 0.1 0.1 0.1\"; }\n");
        assert_string_equal(cp_joints(scene, NULL)[1].name, "K");
        struct draft draft = draft_of(scene);
        draft.joints[1].expression = &half;
        draft.joints[1].driven = false;
        draft.joints[1].type = slides ? CP_JOINT_PRISMATIC : CP_JOINT_REVOLUTE;
        change_scene(&draft);
        assert_int_equal(exclude_with(""), CP_OK);
        assert_reason("Hand", "Near", "undecided");
        assert_reason("Hand", "Far", slides ? "undecided" : "never-proved");
        assert_int_equal(pair_of("Hand", "Near")->finding->witness_count, 0);
        assert_non_null(strstr(pair_of("Hand", "Near")->evidence, "by a formula"));
    }
}

/* A plane has no border, and a body may be below it. */
static void test_plane(void **unused)
{
    (void)unused;
    const char *cell =
        "{ \"WORLD\"; }\n{ \"Ground\"; GeoID \"#Plane\"; }\n"
        "{ \"J\"; Position (50, 0, 0.5); RPY (0, 90, 0); ActiveJoint; Revolute; JointPosLimit -180 180; }\n"
        "{ \"Low\"; ReferenceFrame \"J\"; Position (0.5, 0, 0); GeoID \"#Box 0.1 0.1 0.1\"; }\n"
        "{ \"High\"; ReferenceFrame \"J\"; Position (0.3, 0, 0); GeoID \"#Box 0.1 0.1 0.1\"; }\n";
    judge(cell, "");
    assert_reason("Ground", "Low", "sometimes");
    assert_reason("Ground", "High", "never-proved");
}

/* ---- frames that are scaled ---- */

/* All of the cell in a frame of millimetres: nothing changes but that touch and margin are a thousand times as large in
 * it. */
static void test_scaled(void **unused)
{
    (void)unused;
    static const double offsets[] = {2e-6, -2e-6, 0.9e-3, 1.1e-3};
    for (int i = 0; i < 4; i++) {
        char text[700];
        plain_snprintf(text, sizeof text,
                       "{ \"WORLD\"; }\n{ \"Cell\"; }\n"
                       "{ \"J\"; ReferenceFrame \"Cell\"; ActiveJoint; Revolute; JointPosLimit -180 180; }\n"
                       "{ \"Arm\"; ReferenceFrame \"J\"; Position (500, 0, 0); GeoID \"#Box 1000 100 100\"; }\n"
                       "{ \"Post\"; ReferenceFrame \"Cell\"; Position (0, %.12g, 0); GeoID \"#Box 4000 200 100\"; }\n",
                       1000 * (hypot(1, 0.05) + offsets[i] + 0.1));
        read_cell(text);
        place_frame("Cell", plain_scaling(1e-3, 1e-3, 1e-3));
        assert_int_equal(exclude_with(i < 2 ? "" : "margin=1mm"), CP_OK);
        assert_reason("Arm", "Post", i % 2 == (i < 2 ? 0 : 1) ? "never-proved" : "sometimes");
    }
    read_cell(sweep_cell(180, 3));
    place_frame("J", plain_scaling(1, 2, 1));
    assert_int_equal(exclude_with(""), CP_OK);
    assert_reason("Arm", "Post", "undecided");
}

/* ---- what looks settled and is not ---- */

/* A frame with the other's mesh in two places. */
static void add_double(const char *parent, const char *name, const char *other, const cp_pose places[2])
{
    uint32_t mesh = cp_instances(scene, NULL)[cp_nodes(scene, NULL)[node_of(other)].first_instance].mesh;
    uint32_t node = add_node_at(scene, node_of(parent), name, NULL);
    for (int i = 0; i < 2; i++)
        assert_true(add_instance_of(scene, node, mesh, CP_USE_BOTH, &places[i]) != CP_NONE);
    finish_scene();
}

/* A core that cannot leave what two blocks of one frame have in common, one of them mirrored: it is inside of both. */
static void test_mirrored_block(void **unused)
{
    (void)unused;
    for (int mirrored = 0; mirrored < 2; mirrored++) {
        cp_pose places[2] = {plain_scaling(10, 10, 10), plain_scaling(mirrored ? -20 : 20, 20, 20)};
        read_cell("{ \"WORLD\"; }\n{ \"J\"; ActiveJoint; Prismatic; JointPosLimit -0.3 0.3; }\n"
                  "{ \"Core\"; ReferenceFrame \"J\"; GeoID \"#Box 0.1 0.1 0.1\"; }\n");
        add_double("WORLD", "Blocks", "Core", places);
        assert_int_equal(exclude_with(""), CP_OK);
        assert_reason("Blocks", "Core", "always-proved");
    }
}

/* Two boxes of one frame, one above the ground and one below it, which neither reaches. */
static void test_on_both_sides(void **unused)
{
    (void)unused;
    static const cp_pose places[2] = {{{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0.4}},
                                      {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, -0.4}}};
    read_cell("{ \"WORLD\"; }\n{ \"Ground\"; GeoID \"#Plane\"; }\n{ \"Far\"; Position (9, 9, 9); GeoID \"#Box "
              "0.1 0.1 0.1\"; }\n{ \"J\"; ActiveJoint; Prismatic; JointPosLimit -0.1 0.1; }\n");
    add_double("J", "Pair", "Far", places);
    assert_int_equal(exclude_with(""), CP_OK);
    assert_reason("Ground", "Pair", "undecided");
}

/* Samples tell nothing of a slide without limits, which they leave where it is. */
static void test_unlimited_samples(void **unused)
{
    (void)unused;
    judge("{ \"WORLD\"; }\n{ \"J\"; ActiveJoint; Prismatic; }\n"
          "{ \"Car\"; ReferenceFrame \"J\"; GeoID \"#Box 0.1 0.1 0.1\"; }\n"
          "{ \"Rail\"; GeoID \"#Box 0.05 0.05 0.05\"; }\n"
          "{ \"Wall\"; Position (0, 0, 1); GeoID \"#Box 0.1 0.1 0.1\"; }\n",
          "allow-sampled=yes");
    assert_reason("Car", "Wall", "undecided");
    assert_reason("Car", "Rail", "sometimes");
}

/* A formula says where the wrist is, which samples do not know; a slide without limits comes before it. */
static void test_formula_behind_slide(void **unused)
{
    (void)unused;
    static cp_expression formula = {.text = "0", .angle = 1};
    read_cell("{ \"WORLD\"; }\n{ \"J\"; ActiveJoint; Prismatic; }\n"
              "{ \"K\"; ReferenceFrame \"J\"; ActiveJoint; Revolute; JointPosLimit -180 180; }\n"
              "{ \"Hand\"; ReferenceFrame \"K\"; Position (1, 0, 0); GeoID \"#Box 0.1 0.1 0.1\"; }\n"
              "{ \"Near\"; Position (-1, 0, 0); GeoID \"#Box 0.1 0.1 0.1\"; }\n");
    struct draft draft = draft_of(scene);
    draft.joints[1].expression = &formula;
    draft.joints[1].driven = false;
    change_scene(&draft);
    assert_int_equal(exclude_with(""), CP_OK);
    assert_reason("Hand", "Near", "undecided");
}

/* What a clip moves, or hangs elsewhere, is not where it is for good. */
static void test_moved_by_clip(void **unused)
{
    (void)unused;
    const char *cell =
        "{ \"WORLD\"; }\n{ \"Bench\"; GeoID \"#Box 1 1 0.1\"; }\n"
        "{ \"Lift\"; }\n{ \"Item\"; ReferenceFrame \"Lift\"; Position (0, 0, 5); GeoID \"#Box 1 1 1\"; }\n"
        "{ \"Lid\"; Position (0, 0, 9); GeoID \"#Box 1 1 1\"; }\n";
    static const double times[] = {0, 1}, places[] = {0, 0, 0, 0, 0, -5};
    for (int none = 0; none < 2; none++) {
        read_cell(cell);
        cp_track track = {.target = node_of("Lift"),
                          .path = CP_PATH_TRANSLATION,
                          .interpolation = CP_LINEAR,
                          .key_count = 2,
                          .times = times,
                          .values = places};
        cp_attachment hung = {.time = 1, .node = node_of("Lid"), .host = node_of("Bench")};
        const cp_clip clip = {
            .name = "lift", .track_count = 1, .tracks = &track, .attachments = &hung, .attachment_count = 1};
        assert_int_not_equal(cp_add_clip(scene, &clip), CP_NONE);
        finish_scene();
        assert_int_equal(exclude_with(none ? "movable=none" : ""), CP_OK);
        assert_reason("Bench", "Item", none ? "static" : "movable");
        assert_reason("Bench", "Lid", none ? "static" : "movable");
    }
}

/* A turn about an axis of length 1 + 4e-7 lifts what is 1000 m along it by up to 1.6 mm. */
static void test_axis_of_six_digits(void **unused)
{
    (void)unused;
    read_cell("{ \"WORLD\"; }\n{ \"J\"; ActiveJoint; Revolute; JointPosLimit -180 180; }\n"
              "{ \"Flag\"; ReferenceFrame \"J\"; Position (0, 0, 1000); GeoID \"#Box 0.1 0.1 0.1\"; }\n"
              "{ \"Roof\"; Position (0, 0, 1000.101); GeoID \"#Box 0.1 0.1 0.1\"; }\n");
    double q = PI;
    cp_pose worlds[8];
    struct draft draft = draft_of(scene);
    draft.joints[0].axis[2] = 1 + 4e-7;
    change_scene(&draft);
    pose_scene(scene, &q, worlds);
    assert_true(worlds[node_of("Flag")].m[11] > 1000.001);
    assert_int_equal(exclude_with(""), CP_OK);
    assert_reason("Flag", "Roof", "sometimes");
}

/* Axes that part by 1e-9 of the way, 1e5 m away; and that miss each other by 1e-9 of a frame's units, a thousand
 * kilometres each. */
static void test_axes_that_part(void **unused)
{
    (void)unused;
    read_cell("{ \"WORLD\"; }\n{ \"Base\"; Position (0, 0, 100000); GeoID \"#Box 1e-5 1e-5 1e-5\"; }\n"
              "{ \"J\"; ActiveJoint; Revolute; JointPosLimit -180 180; }\n"
              "{ \"K\"; ReferenceFrame \"J\"; ActiveJoint; Revolute; JointPosLimit -180 180; }\n"
              "{ \"Tip\"; ReferenceFrame \"K\"; Position (0, 0.00009, 100000); GeoID \"#Box 1e-5 1e-5 1e-5\"; }\n");
    place_frame("K", plain_rotation((const double[]){1, 0, 0}, 0.9e-9));
    assert_int_equal(exclude_with(""), CP_OK);
    assert_reason("Base", "Tip", "sometimes");
    read_cell("{ \"WORLD\"; }\n{ \"Cell\"; }\n"
              "{ \"Base\"; ReferenceFrame \"Cell\"; GeoID \"#Box 1e-10 1e-10 1e-10\"; }\n"
              "{ \"J\"; ReferenceFrame \"Cell\"; ActiveJoint; Revolute; JointPosLimit -180 180; }\n"
              "{ \"K\"; ReferenceFrame \"J\"; Position (0, 5e-10, 0); RPY (0, 90, 0); ActiveJoint; Revolute; "
              "JointPosLimit -180 180; }\n"
              "{ \"Tip\"; ReferenceFrame \"K\"; Position (0, -5e-10, 0); GeoID \"#Box 1e-10 1e-10 1e-10\"; }\n");
    place_frame("Cell", plain_scaling(1e6, 1e6, 1e6));
    assert_int_equal(exclude_with(""), CP_OK);
    assert_reason("Base", "Tip", "sometimes");
}

/* Where no square is a number any more. */
static void test_out_of_reach(void **unused)
{
    (void)unused;
    static const char *const joints[] = {"Revolute; JointPosLimit -90 90", "Prismatic; JointPosLimit -1e90 2e90"};
    for (int i = 0; i < 2; i++) {
        char text[400];
        plain_snprintf(text, sizeof text,
                       "{ \"WORLD\"; }\n{ \"Large\"; }\n{ \"J\"; ReferenceFrame \"Large\"; ActiveJoint; %s; }\n"
                       "{ \"A\"; ReferenceFrame \"J\"; Position (1e90, 0, 0); GeoID \"#Box 1 1 1\"; }\n"
                       "{ \"B\"; GeoID \"#Box 1 1 1\"; }\n",
                       joints[i]);
        read_cell(text);
        place_frame("Large", plain_scaling(1e80, 1e80, 1e80));
        assert_int_equal(exclude_with("allow-sampled=yes"), CP_OK);
        assert_string_not_equal(pair_of("A", "B")->reason, "always-sampled");
        assert_string_not_equal(pair_of("A", "B")->reason, "sometimes");
    }
}

/* ---- boxes at random, by an oracle of their own: the separating axes of two boxes ---- */

/* Twelve numbers a box: centre and three half sides. */
struct oriented {
    double centre[3], sides[3][3];
};

static struct oriented oriented_box(const cp_pose *world, const double size[3])
{
    struct oriented box;
    for (int row = 0; row < 3; row++) {
        box.centre[row] = world->m[4 * row + 3];
        for (int side = 0; side < 3; side++)
            box.sides[side][row] = world->m[4 * row + side] * size[side] / 2;
    }
    return box;
}

static double along(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* How far apart they are along the axis, which has any length; negative when they are not. */
static double gap_along(const struct oriented *a, const struct oriented *b, const double axis[3])
{
    double between[3], length = sqrt(along(axis, axis)), reach = 0;
    if (length < 1e-9)
        return -INFINITY;
    for (int i = 0; i < 3; i++)
        between[i] = b->centre[i] - a->centre[i];
    for (int side = 0; side < 3; side++)
        reach += fabs(along(a->sides[side], axis)) + fabs(along(b->sides[side], axis));
    return (fabs(along(between, axis)) - reach) / length;
}

/* The largest gap along any axis: above 0 exactly when the boxes are apart. */
static double box_gap(const struct oriented *a, const struct oriented *b)
{
    double best = -INFINITY;
    for (int i = 0; i < 3; i++) {
        best = fmax(best, fmax(gap_along(a, b, a->sides[i]), gap_along(a, b, b->sides[i])));
        for (int k = 0; k < 3; k++) {
            const double *u = a->sides[i], *v = b->sides[k];
            double unit[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
            double length = sqrt(along(unit, unit)), size = sqrt(along(u, u) * along(v, v));
            for (int axis = 0; axis < 3 && length > 1e-9 * size; axis++)
                unit[axis] /= length;
            if (length > 1e-9 * size)
                best = fmax(best, gap_along(a, b, unit));
        }
    }
    return best;
}

struct arm {
    char text[1500];
    double link[3], thing[3];
};

static double pick(double low, double high)
{
    return low + (high - low) * rand() / RAND_MAX;
}

/* Two or three joints, of which one may slide, a link behind them and a thing that stands somewhere. spread: 1, or less
 * where all is nearer together and moves less. */
static void make_arm(struct arm *arm, int joints, double spread)
{
    size_t used = (size_t)plain_snprintf(arm->text, sizeof arm->text, "{ \"WORLD\"; }\n");
    for (int i = 0; i < joints; i++) {
        bool slides = rand() % 4 == 0;
        double limit = spread * (slides ? pick(0.05, 0.3) : pick(20, 170)), far = 0.3 * spread;
        char parent[30] = "";
        if (i > 0)
            plain_snprintf(parent, sizeof parent, "ReferenceFrame \"J%d\";", i - 1);
        double place[6]; /* position and angles */
        for (int k = 6; k-- > 0;)
            place[k] = k < 3 ? pick(-far, far) : pick(0, 360);
        used += (size_t)plain_snprintf(arm->text + used, sizeof arm->text - used,
                                       "{ \"J%d\"; %s Position (%g, %g, %g); RPY (%g, %g, %g); ActiveJoint; %s; "
                                       "JointPosLimit %g %g; }\n",
                                       i, parent, place[0], place[1], place[2], place[3], place[4], place[5],
                                       slides ? "Prismatic" : "Revolute", -limit, limit);
    }
    for (int i = 0; i < 3; i++) {
        arm->link[i] = pick(0.05, 0.4);
        arm->thing[i] = pick(0.05, 0.4);
    }
    double place[6]; /* the link's, then the thing's position and angles */
    for (int k = 6; k-- > 0;)
        place[k] = k > 3 ? pick(0, 360) : spread * (k > 0 ? pick(-0.7, 0.7) : pick(0, 0.3));
    plain_snprintf(arm->text + used, sizeof arm->text - used,
                   "{ \"Link\"; ReferenceFrame \"J%d\"; Position (%g, 0, 0); GeoID \"#Box %.9g %.9g %.9g\"; }\n"
                   "{ \"Thing\"; Position (%g, %g, %g); RPY (%g, %g, 0); GeoID \"#Box %.9g %.9g %.9g\"; }\n",
                   joints - 1, place[0], arm->link[0], arm->link[1], arm->link[2], place[1], place[2], place[3],
                   place[4], place[5], arm->thing[0], arm->thing[1], arm->thing[2]);
}

static double gap_at(const struct arm *arm, const double *q)
{
    cp_pose worlds[8];
    assert_true(count_nodes(scene) <= 8);
    pose_scene(scene, q, worlds);
    struct oriented link = oriented_box(&worlds[node_of("Link")], arm->link);
    struct oriented thing = oriented_box(&worlds[node_of("Thing")], arm->thing);
    return box_gap(&link, &thing);
}

/* The smallest gap on a grid over all joints, or the largest. */
static double extreme_gap(const struct arm *arm, int steps, bool largest)
{
    double extreme = largest ? -INFINITY : INFINITY;
    uint32_t joints = count_joints(scene);
    int counts[3] = {0}, all = joints == 2 ? steps * steps : steps * steps * steps;
    for (int i = 0; i < all; i++) {
        double q[3];
        counts[0] = i % steps;
        counts[1] = i / steps % steps;
        counts[2] = i / steps / steps;
        for (uint32_t k = 0; k < joints; k++)
            q[k] =
                cp_joints(scene, NULL)[k].lower +
                (cp_joints(scene, NULL)[k].upper - cp_joints(scene, NULL)[k].lower) * counts[k] / (double)(steps - 1);
        extreme = largest ? fmax(extreme, gap_at(arm, q)) : fmin(extreme, gap_at(arm, q));
    }
    return extreme;
}

static void test_random_arms(void **unused)
{
    (void)unused;
    int never = 0, sometimes = 0, always = 0, rounds = (int)usual_or_long(150, 3000);
    srand(5);
    for (int round = 0; round < rounds; round++) {
        struct arm arm;
        make_arm(&arm, 2 + rand() % 2, 1);
        judge(arm.text, "");
        const cp_pair *pair = pair_of("Link", "Thing");
        const char *reason = pair->reason;
        double least = extreme_gap(&arm, count_joints(scene) == 2 ? 60 : 15, false);
        if (strcmp(reason, "never-proved") == 0) {
            never++;
            assert_true(least > 0);
        } else if (strcmp(reason, "sometimes") == 0) {
            double q[3] = {0};
            sometimes++;
            for (uint32_t i = 0; i < pair->finding->witness_count; i++)
                q[pair->finding->witness[i].joint] = pair->finding->witness[i].value;
            assert_true(gap_at(&arm, q) <= 1e-6);
        } else {
            always += strncmp(reason, "always", 6) == 0;
            assert_true(strncmp(reason, "always", 6) == 0); /* none is so near that it stays undecided */
        }
    }
    print_message("%d never, %d sometimes, %d always\n", never, sometimes, always);
    assert_true(never > rounds / 6 && sometimes > rounds / 6);
}

/* What is proved to touch always has no gap on the grid, nor between its points; the proof tells of most that have
 * none. */
static void test_random_depths(void **unused)
{
    (void)unused;
    int proved = 0, sampled = 0, sometimes = 0, rounds = (int)usual_or_long(150, 3000);
    srand(7);
    for (int round = 0; round < rounds; round++) {
        struct arm arm;
        make_arm(&arm, 2 + rand() % 2, 0.2);
        judge(arm.text, "");
        const char *reason = pair_of("Link", "Thing")->reason;
        proved += strcmp(reason, "always-proved") == 0;
        sampled += strcmp(reason, "always-sampled") == 0;
        sometimes += strcmp(reason, "sometimes") == 0;
        if (strcmp(reason, "always-proved") == 0)
            assert_true(extreme_gap(&arm, count_joints(scene) == 2 ? 61 : 16, true) <= 1e-6);
    }
    print_message("%d proved, %d sampled, %d sometimes\n", proved, sampled, sometimes);
    assert_true(proved > rounds / 4 && proved > 4 * sampled && sometimes > rounds / 20);
}

/* ---- what it does not depend on ---- */

static const char *const parts[] = {
    "{ \"J\"; Position (0, 0, 0.2); ActiveJoint; Revolute; JointPosLimit -90 90; }\n",
    "{ \"Link\"; ReferenceFrame \"J\"; Position (0.1, 0, 0.1); GeoID \"#Cylinder 0.1 0.3 12\"; }\n",
    "{ \"K\"; ReferenceFrame \"J\"; Position (0.4, 0, 0.2); ActiveJoint; Revolute; JointPosLimit -120 120; }\n",
    "{ \"Hand\"; ReferenceFrame \"K\"; Position (0.2, 0, 0); GeoID \"#Tube 0.2 0.1 1 8\" \"#Box 0.4 1 0.1\"; }\n",
    "{ \"Stop\"; Position (0, 0.62, 0.4); GeoID \"#Box 0.1 0.1 0.1\"; }\n",
    "{ \"Base\"; GeoID \"#Cylinder 0.1 0.4 12\"; }\n"};

static void list_findings(char *out, size_t size)
{
    size_t used = 0;
    for (uint32_t i = 0; i < count_pairs(scene); i++) {
        const cp_pair *pair = &cp_pairs(scene, NULL)[i];
        const cp_finding *finding = pair->finding;
        used += (size_t)plain_snprintf(
            out + used, size - used, "%s %s %s %a %llu %u %u %u", cp_nodes(scene, NULL)[pair->first].name,
            cp_nodes(scene, NULL)[pair->second].name, pair->reason, finding->clearance,
            (unsigned long long)finding->work, finding->samples, finding->hits, finding->descents);
        for (uint32_t k = 0; k < finding->witness_count; k++)
            used += (size_t)plain_snprintf(out + used, size - used, " %s %a",
                                           cp_joints(scene, NULL)[finding->witness[k].joint].name,
                                           finding->witness[k].value);
        used += (size_t)plain_snprintf(out + used, size - used, "\n");
    }
}

static void test_order_and_threads(void **unused)
{
    (void)unused;
    static const int orders[][6] = {{0, 1, 2, 3, 4, 5}, {5, 4, 0, 2, 3, 1}, {4, 0, 1, 5, 2, 3}};
    char lists[3][4000], text[1500];
    for (int order = 0; order < 3; order++) {
        size_t used = (size_t)plain_snprintf(text, sizeof text, "{ \"WORLD\"; }\n");
        for (int i = 0; i < 6; i++)
            used += (size_t)plain_snprintf(text + used, sizeof text - used, "%s", parts[orders[order][i]]);
        assert_int_equal(cp_set_threads(context, 1u + 2u * (uint32_t)order), CP_OK);
        judge(text, "");
        list_findings(lists[order], sizeof lists[order]);
        assert_string_equal(lists[order], lists[0]);
    }
    assert_non_null(strstr(lists[0], "sometimes"));
    assert_non_null(strstr(lists[0], "never-proved"));
}

/* A pin in the bore of a ring that turns, which has a rod in its middle: hulls tell nothing. */
static void test_pieces_in_any_order(void **unused)
{
    (void)unused;
    static const char *const pieces[] = {"\"#Tube 0.2 0.1 0.3 12\" \"#Box 0.05 0.04 2\"",
                                         "\"#Box 0.05 0.04 2\" \"#Tube 0.2 0.1 0.3 12\""};
    char lists[2][400], text[600];
    for (int i = 0; i < 2; i++) {
        plain_snprintf(text, sizeof text,
                       "{ \"WORLD\"; }\n{ \"J\"; ActiveJoint; Revolute; JointPosLimit -180 180; }\n"
                       "{ \"Ring\"; ReferenceFrame \"J\"; GeoID %s; }\n"
                       "{ \"Pin\"; Position (0.1, 0.03, 0.01); GeoID \"#Box 0.05 0.05 0.05\"; }\n",
                       pieces[i]);
        judge(text, "");
        assert_reason("Ring", "Pin", "never-proved");
        list_findings(lists[i], sizeof lists[i]);
        assert_string_equal(lists[i], lists[0]);
    }
}

static void test_poor_memory(void **unused)
{
    (void)unused;
    cp_scene_free(scene);
    cp_context_free(context);
    char text[1500];
    size_t used = (size_t)plain_snprintf(text, sizeof text, "{ \"WORLD\"; }\n");
    for (int i = 0; i < 6; i++)
        used += (size_t)plain_snprintf(text + used, sizeof text - used, "%s", parts[i]);
    cp_status status = CP_LIMIT;
    for (long allowed = 0; status != CP_OK; allowed++) {
        long left = -1;
        cp_allocator allocator = {failing_resize, &left};
        context = cp_context_new(&allocator);
        scene = NULL;
        assert_int_equal(read_text(text), CP_OK);
        left = allowed;
        status = exclude_with("samples=5 descents=2");
        assert_true(status == CP_OK || (status == CP_LIMIT && count_pairs(scene) == 0));
        left = -1;
        if (status != CP_OK) {
            cp_scene_free(scene);
            cp_context_free(context);
        }
    }
    assert_true(count_pairs(scene) > 0);
    cp_scene_free(scene);
    cp_context_free(context);
    assert_int_equal(set_up(NULL), 0);
}

/* ---- what cannot be judged ---- */

static void test_nothing_to_judge(void **unused)
{
    (void)unused;
    read_cell("{ \"WORLD\"; }\n{ \"J\"; ActiveJoint; Revolute; }\n{ \"Seen\"; ReferenceFrame \"J\"; DrawableID \"#Box "
              "1 1 1\"; }\n");
    assert_int_equal(exclude_with(""), CP_NO);
    assert_non_null(find_entry(context, "exclude-no-geometry"));
}

/* A mesh without faces collides with nothing that is known, so its pairs stay; one whose faces have no area is what
 * they are: lines. */
static void test_empty_meshes(void **unused)
{
    (void)unused;
    static const float positions[] = {0.5f, 0, 0, 1, 0, 0, 0.75f, 0, 0};
    static const uint32_t corners[] = {0, 1, 2};
    for (uint32_t faces = 0; faces < 2; faces++) {
        read_cell(sweep_cell(180, 0.9));
        cp_mesh mesh = {.name = "line",
                        .source = "",
                        .kind = CP_MESH_FACES,
                        .positions = positions,
                        .vertex_count = 3,
                        .corners = corners,
                        .corner_count = 3 * faces,
                        .face_count = faces};
        uint32_t index = add_mesh_of(scene, &mesh), node = add_node_at(scene, node_of("J"), "Line", NULL);
        cp_pose identity = PLAIN_IDENTITY;
        assert_true(add_instance_of(scene, node, index, CP_USE_BOTH, &identity) != CP_NONE);
        finish_scene();
        assert_int_equal(exclude_with(""), CP_OK);
        assert_reason("Line", "Post", faces ? "sometimes" : "undecided");
        assert_non_null(find_entry(context, faces ? "exclude-flat" : "exclude-empty"));
        cp_report_clear(context);
    }
}

/* Work that would take days ends when the time is over. Then nothing is said for which not all was done, but what was
 * proved before stays. */
static void test_time(void **unused)
{
    (void)unused;
    static const char over[] = "the time ran out before it was decided";
    static const char *const options[] = {"work=0 samples=1000000000 allow-sampled=yes time=20ms",
                                          "work=0 samples=1 descents=1000000000 time=0.02s"};
    static const char cell[] =
        "{ \"WORLD\"; }\n{ \"Plate\"; GeoID \"#Box 1 1 0.5\"; }\n"
        "{ \"J\"; RPY (0, 90, 0); Position (0, 0, 5); ActiveJoint; Prismatic; JointPosLimit -0.3 0.3; }\n"
        "{ \"Carriage\"; ReferenceFrame \"J\"; GeoID \"#Box 0.5 0.25 0.5\"; }\n"
        "{ \"Rail\"; Position (0, 3, 0); GeoID \"#Box 1 1 0.5\"; }\n";
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        judge(cell, options[i]);
        assert_reason("Plate", "Carriage", "undecided");
        assert_string_equal(pair_of("Plate", "Carriage")->evidence, over);
        assert_reason("Plate", "Rail", "static");
        assert_non_null(find_entry(context, "exclude-time"));
        cp_report_clear(context);
    }
    /* it touches in all samples so far: one of them is a witness */
    judge("{ \"WORLD\"; }\n{ \"Plate\"; GeoID \"#Box 1 1 0.5\"; }\n"
          "{ \"J\"; RPY (0, 90, 0); Position (0, 0, 0.5); ActiveJoint; Prismatic; JointPosLimit -0.3 0.3; }\n"
          "{ \"Carriage\"; ReferenceFrame \"J\"; GeoID \"#Box 0.5 0.25 0.5\"; }\n",
          "work=0 samples=1000000000 allow-sampled=always time=20ms");
    assert_reason("Plate", "Carriage", "sometimes");
    cp_report_clear(context);
    /* in time it says what it says without a limit */
    judge(cell, "work=0 descents=0 allow-sampled=yes time=1h");
    assert_string_equal(pair_of("Plate", "Carriage")->reason, "never-sampled");
    judge(sweep_cell(180, 0.9), "time=60min");
    assert_reason("Arm", "Post", "sometimes");
    assert_null(find_entry(context, "exclude-time"));
}

static _Atomic uint32_t asked;
static uint32_t patience;

static bool has_enough(void *unused)
{
    (void)unused;
    return ++asked > patience;
}

/* Whenever the search is ended, what was decided before stays, and what was not is checked. */
static void test_early_end_in_threads(void **unused)
{
    (void)unused;
    static const char cell[] =
        "{ \"WORLD\"; }\n{ \"Plate\"; GeoID \"#Box 1 1 0.5\"; }\n"
        "{ \"J\"; RPY (0, 90, 0); Position (0, 0, 5); ActiveJoint; Prismatic; JointPosLimit -0.3 0.3; }\n"
        "{ \"Carriage\"; ReferenceFrame \"J\"; GeoID \"#Box 0.5 0.25 0.5\"; }\n"
        "{ \"Rail\"; Position (0, 3, 0); GeoID \"#Box 1 1 0.5\"; }\n";
    static const uint32_t patiences[] = {0, 1, 3, 10, 1000, 50000};
    for (size_t i = 0; i < sizeof patiences / sizeof *patiences; i++)
        for (uint32_t threads = 1; threads < 4; threads += 2) {
            patience = patiences[i];
            asked = 0;
            cp_report_clear(context);
            cp_set_threads(context, threads);
            cp_set_end(context, has_enough, NULL);
            judge(cell, "work=0 samples=1000000000 descents=0 allow-sampled=yes");
            assert_reason("Plate", "Carriage", "undecided");
            assert_string_equal(pair_of("Plate", "Carriage")->evidence,
                                "the search was interrupted before it was decided");
            assert_reason("Plate", "Rail", "static");
            assert_int_equal(count_entries(context, CP_WARNING, "exclude-interrupted"), 1);
        }
    patience = UINT32_MAX;
    cp_report_clear(context);
    judge(cell, "");
    assert_reason("Plate", "Carriage", "never-proved");
    assert_int_equal(count_entries(context, CP_WARNING, "exclude-interrupted"), 0);
    cp_set_end(context, NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_clearance, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_reach, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_witness, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_neighbours, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_always_not_neighbours, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_apart_without_touch, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_one_in_another, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_sampled_contact, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_movable, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_dependent_joint, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_unlimited, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_several_turns, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_formula, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_plane, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_scaled, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_mirrored_block, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_on_both_sides, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_unlimited_samples, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_formula_behind_slide, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_moved_by_clip, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_axis_of_six_digits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_axes_that_part, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_out_of_reach, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_random_arms, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_random_depths, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_order_and_threads, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_pieces_in_any_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_poor_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_nothing_to_judge, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_empty_meshes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_early_end_in_threads, set_up, tear_down),
    };
    cmocka_set_test_filter(getenv("CMOCKA_TEST_FILTER")); /* see bootstrap */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
