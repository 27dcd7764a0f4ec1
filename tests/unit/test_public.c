/* Tests what holds for all of the public header: structs that grow, counts that nobody asks for, the version; and files
 * from a host's own store. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cellpipe_build.h"

static cp_context *context;
static cp_scene *scene;

/* A tetrahedron with edges of 1 along the axes: 4 triangles, a volume of 1/6. */
static int set_up(void **unused)
{
    (void)unused;
    static const char part[] = "OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 0 3 2\n";
    static const char *const metres[] = {"unit=m"};
    context = cp_context_new(NULL);
    return cp_read_memory(context, part, sizeof part - 1, "part.off", "off", metres, 1, &scene) == CP_OK ? 0 : -1;
}

static int tear_down(void **unused)
{
    (void)unused;
    cp_scene_free(scene);
    cp_context_free(context);
    return 0;
}

/* A host that was compiled when the struct ended behind `triangles`: nothing behind that is touched. */
static void test_older_host(void **unused)
{
    (void)unused;
    cp_measures measures;
    memset(&measures, 0x5a, sizeof measures);
    measures.size = offsetof(cp_measures, triangles) + sizeof measures.triangles;
    const cp_measures before = measures;
    assert_int_equal(cp_measure(context, scene, CP_USE_BOTH, &measures), CP_OK);
    assert_int_equal(measures.triangles, 4);
    assert_int_equal(measures.size, before.size);
    assert_memory_equal((char *)&measures + measures.size, (const char *)&before + before.size,
                        sizeof measures - measures.size);
}

/* A host whose struct is longer than the library's: what the library does not know is zero. */
static void test_newer_host(void **unused)
{
    (void)unused;
    struct {
        cp_topology topology;
        uint64_t more[2];
    } found[2];
    memset(found, 0x5a, sizeof found);
    found[0].topology.size = sizeof found[0];
    assert_int_equal(cp_mesh_topology(context, cp_meshes(scene, NULL), &found[0].topology), CP_OK);
    assert_true(found[0].topology.closed);
    assert_int_equal(found[0].topology.edges, 6);
    assert_int_equal(found[0].more[0] | found[0].more[1], 0);
    assert_int_equal(found[1].more[0], 0x5a5a5a5a5a5a5a5a);

    struct {
        cp_measures measures;
        uint64_t more;
    } each[1] = {{{.size = sizeof *each}, 7}};
    assert_int_equal(cp_measure_meshes(context, scene, &each[0].measures), CP_OK);
    assert_true(each[0].measures.volume > 0.1666 && each[0].measures.volume < 0.1667);
    assert_int_equal(each[0].more, 0);
}

static void expect_refusal(cp_status status)
{
    size_t count;
    assert_int_equal(status, CP_USAGE);
    const cp_entry *entries = cp_report(context, &count);
    assert_int_equal(count, 1);
    assert_string_equal(entries[0].code, "struct-size");
    cp_report_clear(context);
}

static void test_no_size(void **unused)
{
    (void)unused;
    cp_measures measures = {0};
    cp_topology topology = {0};
    cp_pair_counts counts = {0};
    cp_mobility mobility = {0};
    cp_singularity singularity = {0};
    expect_refusal(cp_measure(context, scene, CP_USE_BOTH, &measures));
    expect_refusal(cp_measure_meshes(context, scene, &measures));
    expect_refusal(cp_mesh_topology(context, cp_meshes(scene, NULL), &topology));
    expect_refusal(cp_count_pairs(context, scene, &counts));
    expect_refusal(cp_measure_mobility(context, scene, &mobility));
    expect_refusal(cp_measure_singularity(context, scene, CP_NONE, 0, &singularity));
    cp_reach reach = {.device = 0};
    cp_inverse *inverse;
    expect_refusal(cp_inverse_new(context, scene, &reach, &inverse));
    assert_null(inverse);
    cp_program_options options = {.period = 0.01};
    cp_program *program;
    expect_refusal(cp_program_new(context, scene, "p", "END\n", 4, &options, &program));
    assert_null(program);
}

/* The descriptions of plug-ins and options grow as well. */
static void test_descriptions(void **unused)
{
    (void)unused;
    struct {
        cp_plugin_info info;
        uint64_t more;
    } newer;
    memset(&newer, 0x5a, sizeof newer);
    newer.info.size = sizeof newer;
    const size_t glb = cp_exporter_of(context, "x.glb.gz"), count = cp_plugin_count(context, CP_EXPORTER);
    assert_true(cp_plugin_at(context, CP_EXPORTER, glb, &newer.info));
    assert_string_equal(newer.info.name, "glb");
    assert_true(newer.info.option_count > 0 && newer.more == 0 && newer.info.size == sizeof newer);

    cp_plugin_info older;
    memset(&older, 0x5a, sizeof older);
    older.size = offsetof(cp_plugin_info, suffixes);
    const cp_plugin_info before = older;
    assert_true(cp_plugin_at(NULL, CP_EXPORTER, glb, &older));
    assert_string_equal(older.name, "glb");
    assert_memory_equal((char *)&older + older.size, (const char *)&before + before.size, sizeof older - older.size);

    cp_plugin_info none = {0};
    assert_false(cp_plugin_at(context, CP_EXPORTER, glb, &none));
    assert_false(cp_plugin_at(context, CP_EXPORTER, count, &older));
    assert_false(cp_plugin_at(context, CP_EXPORTER, SIZE_MAX, &older));

    cp_option_info option = {.size = sizeof option}, no_size = {0};
    bool has_profile = false;
    for (size_t i = 0; i < newer.info.option_count; i++) {
        assert_true(cp_plugin_option(context, CP_EXPORTER, glb, i, &option));
        has_profile |= strcmp(option.name, "profile") == 0 && strcmp(option.type, "choice") == 0;
    }
    assert_true(has_profile);
    assert_false(cp_plugin_option(context, CP_EXPORTER, glb, newer.info.option_count, &option));
    assert_false(cp_plugin_option(context, CP_EXPORTER, count, 0, &option));
    assert_false(cp_plugin_option(context, CP_EXPORTER, glb, 0, &no_size));
}

static void test_counts_that_nobody_asks_for(void **unused)
{
    (void)unused;
    assert_non_null(cp_nodes(scene, NULL));
    assert_non_null(cp_instances(scene, NULL));
    (void)cp_metadata(scene, NULL);
    (void)cp_report(context, NULL);
    (void)cp_files(context, NULL);
}

static void test_version(void **unused)
{
    (void)unused;
    assert_string_equal(cp_version(), CP_VERSION);
}

/* ---- files from the host's own store ---- */

struct store {
    const struct stored {
        const char *path, *text;
    } * items;
    int opened, released;
    cp_status failure; /* CP_OK: none */
};

static cp_status open_stored(void *user, const char *path, const void **bytes, size_t *count)
{
    struct store *store = user;
    if (store->failure != CP_OK && strstr(path, ".mtl"))
        return store->failure;
    for (const struct stored *item = store->items; item->path; item++)
        if (strcmp(item->path, path) == 0) {
            *bytes = item->text;
            *count = strlen(item->text);
            store->opened++;
            return CP_OK;
        }
    return CP_NO;
}

static void release_stored(void *user, const void *bytes, size_t count)
{
    struct store *store = user;
    assert_int_equal(strlen(bytes), count);
    store->released++;
}

/* A part and its colours, none of which lies on the disk. */
static void test_opener(void **unused)
{
    (void)unused;
    static const struct stored items[] = {
        {"shelf/part.obj", "mtllib colours/red.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\n"},
        {"shelf/colours/red.mtl", "newmtl red\nKd 1 0.25 0\n"},
        {NULL, NULL}};
    struct store store = {.items = items};
    const cp_opener opener = {.size = sizeof opener, .open = open_stored, .release = release_stored, .user = &store};
    assert_int_equal(cp_set_opener(context, &opener), CP_OK);
    cp_scene *part;
    assert_int_equal(cp_read(context, "shelf/part.obj", NULL, NULL, 0, &part), CP_OK);
    uint32_t count;
    const cp_material *materials = cp_materials(part, &count);
    assert_int_equal(count, 1);
    assert_true(materials[0].rgba[0] == 1 && materials[0].rgba[1] == 0.25 && materials[0].rgba[2] == 0);
    cp_scene_free(part);
    assert_int_equal(store.opened, 2);
    assert_int_equal(store.released, 2);

    assert_int_equal(cp_read(context, "shelf/other.obj", NULL, NULL, 0, &part), CP_INPUT);
    assert_null(part);
    size_t said;
    assert_string_equal(cp_report(context, &said)[0].code, "source-open");
    cp_report_clear(context);
    store.failure = CP_LIMIT;
    assert_int_equal(cp_read(context, "shelf/part.obj", NULL, NULL, 0, &part), CP_LIMIT);
    assert_string_equal(cp_report(context, &said)[0].code, "source-opener");
    assert_int_equal(store.opened, store.released);
    cp_report_clear(context);

    /* From the disk again. */
    assert_int_equal(cp_set_opener(context, NULL), CP_OK);
    assert_int_equal(cp_read(context, "shelf/part.obj", NULL, NULL, 0, &part), CP_INPUT);
    cp_report_clear(context);
    const cp_opener no_size = {.open = open_stored};
    expect_refusal(cp_set_opener(context, &no_size));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_older_host, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_newer_host, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_size, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_descriptions, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_counts_that_nobody_asks_for, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_version, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_opener, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
