/* Findings about pairs, where scenes are copied, joined and cut; which files a scene was made of. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <cmocka.h>
#include <xxhash.h>

#include "base/bytes/bytes.h"
#include "model/model.h"
#include "motion/motion.h"
#include "scene_fixture.h"

enum { ARM = 1, FOREARM, HAND, WALL };

static uint32_t add(uint32_t parent, const char *name)
{
    return scene_add_node(scene, parent, name, strlen(name));
}

/* world - Arm (joint 0) - Forearm (joint 1) - Hand (joint 2), Wall; the pair of Hand and Wall has a witness over all
 * joints, that of Forearm and Wall over the first two. */
static void make_cell(void)
{
    static const cp_joint_setting settings[] = {{0, 0.5}, {1, -1.5}, {2, 2.5}};
    static const cp_finding hand = {.margin = 0.001,
                                    .touch = 0.0005,
                                    .clearance = INFINITY,
                                    .work = 7,
                                    .samples = 100,
                                    .hits = 2,
                                    .witness_count = 3,
                                    .witness = settings,
                                    .key = 99};
    static const cp_finding forearm = {.clearance = 0.25, .witness_count = 2, .witness = settings};
    uint32_t parent = 0;
    for (uint32_t i = 0; i < 3; i++) {
        parent = add(parent, ((const char *[]){"Arm", "Forearm", "Hand"})[i]);
        (void)scene_add_joint(scene, parent, CP_JOINT_REVOLUTE, NULL);
    }
    (void)add(0, "Wall");
    uint32_t mesh = scene_add_mesh(scene, &(cp_mesh){.kind = CP_MESH_BOX, .size = {1, 1, 1}});
    (void)scene_add_pair(scene, HAND, WALL, "sometimes");
    (void)scene_add_pair(scene, FOREARM, WALL, "sometimes");
    (void)scene_add_pair(scene, ARM, WALL, "given");
    scene->pairs[0].finding = &hand;
    scene->pairs[1].finding = &forearm;
    assert_int_not_equal(mesh, CP_NONE);
    for (uint32_t node = ARM; node <= WALL; node++)
        (void)scene_add_instance(scene, node, mesh, CP_USE_BOTH, &POSE_IDENTITY);
}

static void expect_witness(const cp_pair *pair, const char *const *names, const double *values, uint32_t count)
{
    assert_non_null(pair->finding);
    assert_int_equal(pair->finding->witness_count, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_string_equal(scene->joints[pair->finding->witness[i].joint].name, names[i]);
        assert_true(pair->finding->witness[i].value == values[i]);
    }
}

static const char *const joint_names[] = {"Arm", "Forearm", "Hand"};
static const double joint_values[] = {0.5, -1.5, 2.5};

static void test_copy_is_apart(void **unused)
{
    (void)unused;
    make_cell();
    finish_scene();
    cp_joint_setting *witness;
    const cp_finding *original = scene->pairs[0].finding;
    cp_finding *copy = scene_copy_finding(scene, original, &witness);
    assert_non_null(copy);
    assert_ptr_not_equal(copy, original);
    assert_ptr_not_equal(copy->witness, original->witness);
    assert_ptr_equal(copy->witness, witness);
    assert_memory_equal(copy->witness, original->witness, 3 * sizeof *witness);
    assert_true(copy->margin == 0.001 && isinf(copy->clearance) && copy->work == 7 && copy->key == 99);
}

static void test_merge_moves_witnesses(void **unused)
{
    (void)unused;
    make_cell();
    finish_scene();
    cp_scene *other = scene;
    scene = scene_new(context);
    uint32_t first = add(0, "Table");
    (void)scene_add_joint(scene, first, CP_JOINT_PRISMATIC, "Lift");
    finish_scene();
    assert_int_equal(cp_merge(context, scene, other, "cell"), CP_OK);
    cp_scene_free(other);
    assert_int_equal(scene->pair_count, 3);
    expect_witness(&scene->pairs[0], joint_names, joint_values, 3);
    expect_witness(&scene->pairs[1], joint_names, joint_values, 2);
    assert_null(scene->pairs[2].finding);
    assert_true(scene->pairs[0].finding->samples == 100 && scene->pairs[0].finding->key == 99);
}

/* A witness of which a joint goes is none; the finding stays. */
static void test_subset_drops_witnesses(void **unused)
{
    (void)unused;
    for (uint32_t gone = ARM; gone <= WALL; gone++) {
        fresh_scene();
        make_cell();
        finish_scene();
        bool keep[5] = {true, true, true, true, true};
        keep[gone] = false;
        assert_int_equal(scene_keep(scene, keep), CP_OK);
        assert_int_equal(cp_validate(context, scene), CP_OK);
        switch (gone) {
        case ARM: /* the pair of Hand and that of Forearm are left, without their witnesses */
            assert_int_equal(scene->pair_count, 2);
            expect_witness(&scene->pairs[0], NULL, NULL, 0);
            expect_witness(&scene->pairs[1], NULL, NULL, 0);
            assert_true(scene->pairs[0].finding->hits == 2 && scene->pairs[1].finding->clearance == 0.25);
            break;
        case FOREARM:
            assert_int_equal(scene->pair_count, 2);
            expect_witness(&scene->pairs[0], NULL, NULL, 0);
            break;
        case HAND:
            assert_int_equal(scene->pair_count, 2);
            expect_witness(&scene->pairs[0], joint_names, joint_values, 2);
            break;
        default:
            assert_int_equal(scene->pair_count, 0);
        }
    }
}

static void test_flatten_ends_witnesses(void **unused)
{
    (void)unused;
    make_cell();
    finish_scene();
    assert_int_equal(cp_apply(context, scene, "flatten", NULL, 0), CP_OK);
    assert_int_equal(cp_validate(context, scene), CP_OK);
    assert_int_equal(scene->pair_count, 3);
    expect_witness(&scene->pairs[0], NULL, NULL, 0);
    assert_int_equal(scene->pairs[0].finding->key, 99);
}

static void expect_broken(const cp_finding *finding, const char *why)
{
    scene->pairs[2].finding = finding;
    cp_report_clear(context);
    assert_int_equal(cp_validate(context, scene), why ? CP_BUG : CP_OK);
    size_t count;
    const cp_entry *entries = cp_report(context, &count);
    if (why)
        assert_string_equal(entries[0].text, why);
}

static void test_what_is_not_sound(void **unused)
{
    static const char number[] = "pair 2 has a finding with a number that cannot be";
    static const char witness[] = "pair 2 has a witness without its joint, or with a value that is not finite";
    (void)unused;
    make_cell();
    finish_scene();
    const cp_finding good = {.clearance = INFINITY, .work = UINT64_C(1) << 53, .samples = 3, .hits = 3, .key = 1};
    cp_finding bad = good;
    expect_broken(&good, NULL);
    bad.hits = 4;
    expect_broken(&bad, number);
    bad = good, bad.margin = -1e-300;
    expect_broken(&bad, number);
    bad = good, bad.margin = INFINITY;
    expect_broken(&bad, number);
    bad = good, bad.touch = -1;
    expect_broken(&bad, number);
    bad = good, bad.clearance = NAN;
    expect_broken(&bad, number);
    bad = good, bad.work++;
    expect_broken(&bad, number);
    cp_joint_setting setting = {2, 1};
    bad = good, bad.witness_count = 1, bad.witness = &setting;
    expect_broken(&bad, NULL);
    setting.joint = 3;
    expect_broken(&bad, witness);
    setting = (cp_joint_setting){0, INFINITY};
    expect_broken(&bad, witness);
}

/* ---- the files of a scene ---- */

static const struct input *input_named(const char *label)
{
    for (uint32_t i = 0; i < scene->inputs.count; i++)
        if (strcmp(scene->inputs.items[i].label, label) == 0)
            return &scene->inputs.items[i];
    fail_msg("%s is not among %u inputs", label, scene->inputs.count);
    return NULL;
}

static void read_again(const char *path)
{
    cp_scene_free(scene);
    assert_int_equal(cp_read(context, path, NULL, NULL, 0, &scene), CP_OK);
}

static void expect_hash(const char *label, const char *path)
{
    size_t size;
    cp_hash hash;
    int error;
    char *bytes = read_whole(path, &size);
    assert_non_null(bytes);
    assert_true(input_hash(context, input_named(label), &hash, &error));
    XXH128_hash_t expected = XXH3_128bits(bytes, size);
    assert_true(hash.low == expected.low64 && hash.high == expected.high64);
    free(bytes);
}

static void test_inputs(void **unused)
{
    (void)unused;
    read_again(SAMPLES "/tag_arm.wu");
    expect_hash("tag_arm.wu", SAMPLES "/tag_arm.wu");
    expect_hash("tag/craig.dev", SAMPLES "/tag/craig.dev");
    /* Packed files: the bytes that lie there. */
    uint32_t before = scene->inputs.count;
    cp_scene *first = scene;
    assert_int_equal(cp_read(context, SAMPLES "/stl_65535.stl.gz", NULL, NULL, 0, &scene), CP_OK);
    assert_int_equal(scene->inputs.count, 1);
    expect_hash("stl_65535.stl.gz", SAMPLES "/stl_65535.stl.gz");
    /* Of two scenes that become one, both. */
    cp_scene *second = scene;
    scene = first;
    assert_int_equal(cp_merge(context, scene, second, "part"), CP_OK);
    cp_scene_free(second);
    assert_int_equal(scene->inputs.count, before + 1);
    expect_hash("tag_arm.wu", SAMPLES "/tag_arm.wu");
    expect_hash("stl_65535.stl.gz", SAMPLES "/stl_65535.stl.gz");
    assert_int_equal(cp_apply(context, scene, "flatten", NULL, 0), CP_OK);
    assert_int_equal(scene->inputs.count, before + 1);
}

static void write_part(const char *path, const char *name)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file,
            "solid %s\nfacet normal 0 0 0 outer loop vertex 0 0 0 vertex 1 0 0 vertex 0 1 0 endloop endfacet\n"
            "endsolid\n",
            name);
    fclose(file);
}

static void test_inputs_that_cannot_be_hashed(void **unused)
{
    static const char text[] = "solid a\nfacet normal 0 0 0 outer loop vertex 0 0 0 vertex 1 0 0 vertex 0 1 0 endloop "
                               "endfacet\nendsolid\n";
    cp_hash hash;
    int error;
    (void)unused;
    cp_scene_free(scene);
    assert_int_equal(cp_read_memory(context, text, sizeof text - 1, "deep/a.stl", NULL, NULL, 0, &scene), CP_OK);
    assert_false(input_hash(context, input_named("a.stl"), &hash, &error));
    char folder[] = "/tmp/cellpipe-inputs-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/part.stl", folder);
    write_part(path, "one");
    read_again(path);
    expect_hash("part.stl", path);
    /* For a reason of today it is not called changed. */
    struct rlimit none, old;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
    none = old;
    none.rlim_cur = 3;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    assert_false(input_hash(context, input_named("part.stl"), &hash, &error));
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
    assert_int_equal(error, EMFILE);
    write_part(path, "another");
    assert_false(input_hash(context, input_named("part.stl"), &hash, &error));
    assert_int_equal(error, 0);
    assert_int_equal(remove(path), 0);
    assert_false(input_hash(context, input_named("part.stl"), &hash, &error));
    assert_int_equal(error, ENOENT);
    /* The hash that was taken when it was read needs no file. */
    cp_set_flag(context, CP_FLAG_LIST_FILES, true);
    write_part(path, "one");
    read_again(path);
    write_part(path, "another");
    assert_true(input_hash(context, input_named("part.stl"), &hash, &error));
    write_part(path, "one");
    expect_hash("part.stl", path);
    assert_int_equal(remove(path), 0);
    assert_int_equal(remove(folder), 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_copy_is_apart),
        TEST(test_merge_moves_witnesses),
        TEST(test_subset_drops_witnesses),
        TEST(test_flatten_ends_witnesses),
        TEST(test_what_is_not_sound),
        TEST(test_inputs),
        TEST(test_inputs_that_cannot_be_hashed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
