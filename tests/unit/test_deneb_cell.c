/* DCT devices and workcells: what hangs on what, against the shared oracle; formulas, limits, tags, and cells that are
 * large or deep. test_deneb_poses.c has where parts are. */
#include <jansson.h>
#include <math.h>

#include "deneb_support.h"

/* ---- the oracle's sequences ---- */

/* A part, what other devices hang on it, then its own parts: 999 opens, -999 closes. */
static void walk(const cp_scene *scene, uint32_t node, json_t *sequence)
{
    uint32_t count;
    const cp_node *nodes = cp_nodes(scene, &count);
    bool is_device = nodes[node].name[0] == 'd';
    if (!is_device && node > 0) {
        json_array_append_new(sequence, json_integer(999));
        json_array_append_new(sequence, json_integer(atoi(nodes[node].name + 1)));
    }
    for (int own = 0; own < 2; own++)
        for (uint32_t i = node + 1; i < count; i++)
            if (nodes[i].parent == node && (nodes[i].name[0] == 'd') == !own)
                walk(scene, i, sequence);
    if (!is_device && node > 0)
        json_array_append_new(sequence, json_integer(-999));
}

static void write_oracle_cell(struct text *text, const json_t *one)
{
    const json_t *devices = json_object_get(one, "devices"), *attach = json_object_get(one, "attach");
    print(text, "DCT WORKCELL 1.0\nDEVICES\n");
    for (size_t d = 0; d < json_array_size(devices); d++) {
        const json_t *device = json_array_get(devices, d);
        print(text, "DEVICE d%zu\n", d);
        for (size_t i = 0; i < json_array_size(device); i++)
            print(text, "PART p%d ATTACH %s\n", (int)json_integer_value(json_array_get(json_array_get(device, i), 0)),
                  json_string_value(json_array_get(json_array_get(device, i), 1)));
        print(text, "END\n");
    }
    print(text, "ATTACHMENTS %zu", json_array_size(attach));
    for (size_t d = 0; d < json_array_size(attach); d++)
        print(text, " %d", (int)json_integer_value(json_array_get(attach, d)));
    print(text, "\nEND\n");
}

/* A cycle of devices: all of it is taken off. */
static void check_cycle(const char *text, size_t devices)
{
    cp_scene *scene;
    uint32_t count;
    cp_context *context = cp_context_new(NULL);
    assert_int_equal(read_here(context, text, "strict=yes", &scene), CP_INPUT);
    cp_report_clear(context);
    scene = must_read(context, text, NULL);
    assert_int_equal(count_entries(context, CP_WARNING, "deneb-attachment"), devices);
    const cp_node *nodes = cp_nodes(scene, &count);
    for (uint32_t i = 1; i < count; i++)
        assert_true(nodes[i].name[0] != 'd' || nodes[i].parent == 0);
    cp_scene_free(scene);
    cp_context_free(context);
}

static void test_sequences(void **state)
{
    (void)state;
    json_t *oracle = json_load_file(SHARED "/reference/deneb_oracle.json", 0, NULL);
    if (!oracle) {
        print_message("skipped: " SHARED "/reference/deneb_oracle.json is not there\n");
        skip();
    }
    const json_t *cases = json_object_get(oracle, "layer_sequence");
    assert_int_equal(json_array_size(cases), 6);
    for (size_t i = 0; i < json_array_size(cases); i++) {
        struct text text = {0};
        const json_t *one = json_array_get(cases, i), *expected = json_object_get(one, "sequence");
        write_oracle_cell(&text, one);
        if (json_is_array(expected)) {
            json_t *sequence = json_array();
            cp_context *context = cp_context_new(NULL);
            cp_scene *scene = must_read(context, text.data, "strict=yes");
            walk(scene, 0, sequence);
            assert_true(json_equal(sequence, expected));
            cp_scene_free(scene);
            cp_context_free(context);
            json_decref(sequence);
        } else {
            check_cycle(text.data, json_array_size(json_object_get(one, "devices")));
        }
        free_text(&text);
    }
    json_decref(oracle);
}

/* ---- formulas ---- */

#define DEVICE_OF_TWO                                                                                                  \
    "DCT DEVICE 1.0\nUNIT mm\nANGLE deg\nDEVICE d\nPART a ATTACH 1\nPART b ATTACH 00\n"                                \
    "JOINT turn PART 0 TYPE ROTATE_Z INIT 30\nJOINT fixed PART 0 TYPE TRANS_Y INIT 4 LOWER 4 UPPER 4\n"                \
    "JOINT slide PART 0 TYPE TRANS_X INIT 10\n"

/* What each gives, of degrees and millimetres, in the unit of the file. */
static double half_turn(double turn, double slide)
{
    (void)slide;
    return 0.5 * turn;
}

static double square(double turn, double slide)
{
    (void)turn;
    return slide * slide / 100 + 4;
}

static double wave(double turn, double slide)
{
    (void)slide;
    return 10 * sin(turn * 3.14159265358979323846 / 180);
}

static double direction(double turn, double slide)
{
    (void)turn;
    return atan2(slide, 5) * 180 / 3.14159265358979323846;
}

static double growth(double turn, double slide)
{
    return 1 + fmin(turn, slide) / 1000;
}

static double constant(double turn, double slide)
{
    (void)turn;
    (void)slide;
    return -7.5;
}

static void test_formulas(void **state)
{
    (void)state;
    static const struct {
        const char *type, *value;
        double unit;
        double (*expected)(double turn, double slide);
    } cases[] = {
        {"ROTATE_X", "\"=0.5*dof(1)\"", 3.14159265358979323846 / 180, half_turn},
        {"TRANS_X", "=0.5*dof(1)", 0.001, half_turn},
        {"TRANS_Y", "= dof(3)^2 / 100 + dof(2)   # squared", 0.001, square},
        {"TRANS_Z", "\"=10*sin(dof(1))\"", 0.001, wave},
        {"ROTATE_Y", "=atan2(dof(3), 5)", 3.14159265358979323846 / 180, direction},
        {"SCALE_ALL", "=1+min(dof(1),dof(3))/1000", 1, growth},
        {"TRANS_X", "-7.5", 0.001, constant},
        {"TRANS_X", "-0.75d+1", 0.001, constant},
    };
    static const double turns[] = {30, -120, 0, 210}, slides[] = {10, -3, 0.25, 400};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text text = {0};
        print(&text, DEVICE_OF_TWO "JOINT follows PART 1 TYPE %s VALUE %s\nEND\n", cases[i].type, cases[i].value);
        cp_context *context = cp_context_new(NULL);
        cp_scene *scene = must_read(context, text.data, "strict=yes");
        uint32_t follows = find_joint(scene, "follows"), count;
        double q[8] = {0};
        assert_true(fabs(joint_value(scene, follows, NULL) - cases[i].unit * cases[i].expected(30, 10)) < 1e-15);
        assert_true(cp_joints(scene, &count)[follows].home == joint_value(scene, follows, NULL));
        for (size_t k = 0; k < sizeof turns / sizeof *turns; k++) {
            q[find_joint(scene, "turn")] = turns[k] * 3.14159265358979323846 / 180;
            q[find_joint(scene, "slide")] = slides[k] * 0.001;
            q[find_joint(scene, "fixed")] = 0.004;
            double expected = cases[i].unit * cases[i].expected(turns[k], slides[k]);
            assert_true(fabs(joint_value(scene, follows, q) - expected) <= 1e-14 * fmax(1, fabs(expected)));
        }
        cp_scene_free(scene);
        scene = must_read(context, text.data, "dof_zero=yes");
        follows = find_joint(scene, "follows");
        assert_true(joint_value(scene, follows, NULL) == 0);
        assert_false(cp_joint_is_dependent(&cp_joints(scene, &count)[follows]));
        cp_scene_free(scene);
        cp_context_free(context);
        free_text(&text);
    }
}

/* 0, one warning that names the joint; under strict reading an error. */
static void test_bad_formulas(void **state)
{
    (void)state;
    char longest[2000];
    memset(longest, '1', sizeof longest - 1);
    longest[0] = '=';
    longest[sizeof longest - 1] = '\0';
    const char *const bad[] = {"=0.5*foo(1)",     "=dof(4)",   "=dof(0)", "=dof(1.5)", "\"=1/0\"", "=5/(dof(3)-10)",
                               "=sqrt(0-dof(1))", "=10^10^10", "=",       "=1+",       "=(1",      longest};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct text text = {0};
        cp_scene *scene;
        print(&text, DEVICE_OF_TWO "JOINT follows PART 1 TYPE TRANS_X VALUE %s\nEND\n", bad[i]);
        cp_context *context = cp_context_new(NULL);
        assert_int_equal(read_here(context, text.data, "strict=yes", &scene), CP_INPUT);
        assert_non_null(strstr(find_entry(context, "deneb-formula")->message, "cell.dct:10:7: error:"));
        cp_report_clear(context);
        scene = must_read(context, text.data, NULL);
        assert_int_equal(count_entries(context, CP_WARNING, "deneb-formula"), 1);
        const char *message = find_entry(context, "deneb-formula")->message;
        assert_non_null(strstr(message, "\"follows\""));
        assert_true(strlen(message) < 400);
        assert_true(joint_value(scene, find_joint(scene, "follows"), NULL) == 0);
        cp_scene_free(scene);
        cp_context_free(context);
        free_text(&text);
    }
}

/* No joint without a value: there is no dof(1). Told once, however many devices come of the file. */
static void test_formulas_alone(void **state)
{
    (void)state;
    empty_folder();
    write_file("all.dcd", "DCT DEVICE 1.0\nDEVICE d\nPART a ATTACH 0\nJOINT one PART 0 TYPE TRANS_X VALUE =dof(1)\n"
                          "JOINT two PART 0 TYPE TRANS_X VALUE =3\nEND\n");
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = must_read(
        context,
        "DCT WORKCELL 1.0\nDEVICES\nDEVICE a FILE all\nEND\nDEVICE b FILE all\nEND\nDEVICE c FILE all\nEND\nEND", NULL);
    uint32_t count;
    const cp_joint *joints = cp_joints(scene, &count);
    assert_int_equal(count, 6);
    for (uint32_t i = 0; i < count; i++)
        assert_true(joints[i].home == (strcmp(joints[i].name, "two") == 0 ? 0.003 : 0));
    assert_int_equal(count_of(context, "deneb-formula"), 1);
    assert_int_equal(count_entries(context, CP_WARNING, "deneb-formula"), 1);
    cp_scene_free(scene);
    cp_context_free(context);
}

/* ---- what else a cell says ---- */

static void test_head_and_tags(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = must_read(context,
                                "DCT WORKCELL 1.0\nHEAD\nNAME \"cell 7\" VERSION \"of june\"\nUNIT in\nEND\nDEVICES\n"
                                "DEVICE d\nMATRIX 1 0 0 0 0 1 0 0 0 0 1 0 10 0 0 1\nPART p ATTACH 0\nEND\nEND\n"
                                "PATHS\nPATH free\nTAG t1 MATRIX 1 0 0 0 0 1 0 0 0 0 1 0 1 2 3 1\nTAG t2\n"
                                "PATH own DEVICE d\nTAG t3\nMATRIX 1 0 0 0 0 1 0 0 0 0 1 0 0 1 0 1\nEND\n",
                                "strict=yes");
    cp_pose worlds[16];
    uint32_t count;
    assert_int_equal(cp_world_poses(context, scene, NULL, worlds), CP_OK);
    assert_true(worlds[find_node(scene, "t1")].m[7] == 2 * 0.0254);
    assert_int_equal(cp_nodes(scene, &count)[find_node(scene, "t2")].parent, find_node(scene, "free"));
    assert_int_equal(cp_nodes(scene, &count)[find_node(scene, "own")].parent, find_node(scene, "d"));
    assert_true(worlds[find_node(scene, "t3")].m[3] == 10 * 0.0254);
    assert_true(worlds[find_node(scene, "t3")].m[7] == 0.0254);
    assert_true(cp_scene_source(scene)->unit == 0.0254);
    const cp_metadata_entry *metadata = cp_metadata(scene, &count);
    assert_int_equal(count, 4);
    assert_string_equal(metadata[0].key, "name");
    assert_string_equal(metadata[0].value, "cell 7");
    assert_string_equal(metadata[1].value, "of june");
    assert_string_equal(metadata[2].key, "deneb-device");
    assert_string_equal(metadata[2].value, "0");
    assert_int_equal(metadata[2].index, find_node(scene, "d"));
    assert_string_equal(metadata[3].key, "deneb-part");
    assert_int_equal(metadata[3].owner, CP_OWNER_NODE);
    cp_scene_free(scene);
    cp_context_free(context);
}

/* Limits, in the scene's units; what the initial value is where none is said. */
static void test_limits(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = must_read(context,
                                "DCT DEVICE 1.0\nUNIT m\nANGLE rad\nDEVICE d\nPART p ATTACH 0\n"
                                "JOINT free PART 0 TYPE ROTATE_X\nJOINT above PART 0 TYPE TRANS_X LOWER 2 UPPER 3\n"
                                "JOINT below PART 0 TYPE TRANS_X UPPER -1\nJOINT wide PART 0 TYPE SCALE_X\n"
                                "JOINT held PART 0 TYPE TRANS_X LOWER 5 UPPER 5\nEND\n",
                                "strict=yes");
    static const struct {
        const char *name;
        double lower, upper, home;
        bool driven;
    } expected[] = {{"free", -INFINITY, INFINITY, 0, true},
                    {"above", 2, 3, 2, true},
                    {"below", -INFINITY, -1, -1, true},
                    {"wide", -INFINITY, INFINITY, 1, true},
                    {"held", 5, 5, 5, false}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        uint32_t count;
        const cp_joint *joint = &cp_joints(scene, &count)[find_joint(scene, expected[i].name)];
        assert_true(joint->lower == expected[i].lower && joint->upper == expected[i].upper);
        assert_true(joint->home == expected[i].home && joint->q == joint->home);
        assert_int_equal(joint->driven, expected[i].driven);
    }
    cp_scene_free(scene);
    cp_context_free(context);
}

/* ---- large and deep ---- */

static struct counter read_large(uint32_t n)
{
    struct text text = {0};
    struct counter account = {0};
    cp_allocator allocator = {counted_resize, &account};
    uint32_t count;
    print(&text, "DCT DEVICE 1.0\nANGLE deg\nDEVICE d\n");
    for (uint32_t i = 0; i < n; i++)
        print(&text, "PART p ATTACH %s\n", i + 1 == n ? "00" : i > 0 ? "01" : "1");
    for (uint32_t i = 0; i < n; i++)
        if (i % 5 == 0)
            print(&text, "JOINT j PART %u TYPE TRANS_X VALUE =dof(%u)*2\n", i, n / 5);
        else
            print(&text, "JOINT j PART %u TYPE ROTATE_X\n", i);
    print(&text, "END\n");
    cp_context *context = cp_context_new(&allocator);
    cp_scene *scene = must_read(context, text.data, "strict=yes");
    (void)cp_joints(scene, &count);
    assert_int_equal(count, n);
    cp_scene_free(scene);
    cp_context_free(context);
    free_text(&text);
    return account;
}

static void test_large(void **state)
{
    (void)state;
    struct counter small = read_large(10000), large = read_large(100000);
    assert_true(large.largest < 12 * small.largest);
    assert_true(large.calls < 12 * small.calls);
}

/* A chain: the flags of all parts but the last are "1". */
static void write_chain(struct text *text, uint32_t count)
{
    print(text, "DCT DEVICE 1.0\nDEVICE d\n");
    for (uint32_t i = 1; i < count; i++)
        print(text, "PART p ATTACH 1\n");
    print(text, "PART p ATTACH ");
    for (uint32_t i = 0; i < count; i++)
        print(text, "0");
    print(text, "\nEND\n");
}

static void test_deep(void **state)
{
    (void)state;
    cp_scene *scene;
    struct text text = {0};
    cp_context *context = cp_context_new(NULL);
    write_chain(&text, 4095); /* the device takes one of the 4096 */
    cp_scene_free(must_read(context, text.data, "strict=yes"));
    free_text(&text);
    write_chain(&text, 4096);
    assert_int_equal(read_here(context, text.data, NULL, &scene), CP_LIMIT);
    assert_non_null(strstr(find_entry(context, "scene-depth")->message, "limit of 4096 (--limit depth=)"));
    free_text(&text);
    cp_context_free(context);
    struct counter account = {0};
    cp_allocator allocator = {counted_resize, &account};
    context = cp_context_new(&allocator);
    write_chain(&text, 1000000);
    assert_int_equal(read_here(context, text.data, NULL, &scene), CP_LIMIT);
    assert_true(was_reported(context, "scene-depth"));
    assert_true(account.largest < (64U << 20)); /* of which the text takes half */
    free_text(&text);
    cp_context_free(context);
}

/* Devices that hang on each other are as deep. */
static void test_deep_hosts(void **state)
{
    (void)state;
    enum { DEVICES = 5000 };
    cp_scene *scene;
    struct text text = {0};
    print(&text, "DCT WORKCELL 1.0\nDEVICES\n");
    for (int i = 0; i < DEVICES; i++)
        print(&text, "DEVICE d\nPART p ATTACH 0\nEND\n");
    print(&text, "ATTACHMENTS %d\n", DEVICES);
    for (int i = 0; i < DEVICES; i++)
        print(&text, " %d", i + 1 < DEVICES ? i + 1 : -1);
    print(&text, "\nEND\n");
    cp_context *context = cp_context_new(NULL);
    assert_int_equal(read_here(context, text.data, NULL, &scene), CP_LIMIT);
    assert_true(was_reported(context, "scene-depth"));
    cp_context_free(context);
    free_text(&text);
}

/* A small file, named often, makes no more nodes than the limit allows; the list of parts does not grow far beyond. */
static void test_many_copies(void **state)
{
    (void)state;
    struct counter account = {0};
    cp_allocator allocator = {counted_resize, &account};
    struct text text = {0};
    cp_scene *scene;
    empty_folder();
    print(&text, "DCT DEVICE 1.0\nDEVICE d\n");
    for (int i = 0; i < 500; i++)
        print(&text, "PART p ATTACH %s\nJOINT j TYPE 13 PART %d\n", i == 0 ? "1" : i < 499 ? "01" : "00", i);
    print(&text, "END\n");
    write_file("many.dcd", text.data);
    free_text(&text);
    print(&text, "DCT WORKCELL 1.0\nDEVICES\n");
    for (int i = 0; i < 20000; i++)
        print(&text, "DEVICE d FILE many\nEND\n");
    print(&text, "END\n");
    cp_context *context = cp_context_new(&allocator);
    assert_int_equal(cp_set_limit(context, "nodes=20000"), CP_OK);
    assert_int_equal(read_here(context, text.data, NULL, &scene), CP_LIMIT);
    assert_true(was_reported(context, "scene-nodes"));
    assert_true(account.largest < (32U << 20));
    cp_context_free(context);
    free_text(&text);
}

/* Paths of devices that all have one name are found at once. */
static void test_equal_names(void **state)
{
    (void)state;
    enum { COUNT = 30000 };
    struct text text = {0};
    uint32_t count;
    print(&text, "DCT WORKCELL 1.0\nDEVICES\n");
    for (int i = 0; i < COUNT; i++)
        print(&text, "DEVICE d\nPART p ATTACH 0\nEND\n");
    print(&text, "END\nPATHS\n");
    for (int i = 0; i < COUNT; i++)
        print(&text, "PATH t DEVICE d\n");
    print(&text, "END\n");
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = must_read(context, text.data, "strict=yes");
    assert_int_equal(cp_nodes(scene, &count)[find_node(scene, "t")].parent, find_node(scene, "d"));
    cp_scene_free(scene);
    cp_context_free(context);
    free_text(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sequences),     cmocka_unit_test(test_formulas),
        cmocka_unit_test(test_bad_formulas),  cmocka_unit_test(test_formulas_alone),
        cmocka_unit_test(test_head_and_tags), cmocka_unit_test(test_limits),
        cmocka_unit_test(test_large),         cmocka_unit_test(test_deep),
        cmocka_unit_test(test_deep_hosts),    cmocka_unit_test(test_many_copies),
        cmocka_unit_test(test_equal_names),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
