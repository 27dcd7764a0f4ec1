/* scene/ alone: this test is linked with no importer, no exporter and no filter but its own. That it links is half of
 * what it shows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/context.h"
#include "plugins/registry.h"

static int probe(const char *head, size_t size, uint64_t file_size)
{
    (void)file_size;
    return size >= 5 && memcmp(head, "frame", 5) == 0 ? 100 : 0;
}

static cp_status read_frame(cp_context *context, struct source *source, const void *settings, cp_scene *scene)
{
    (void)context;
    (void)settings;
    return scene_add_node(scene, 0, source->data, source->size) == CP_NONE ? CP_LIMIT : scene_finish(scene);
}

static cp_status name_it(cp_context *context, cp_scene *scene, const void *settings)
{
    (void)context;
    (void)settings;
    scene->nodes[1].name = scene_text(scene, "named");
    return scene->nodes[1].name ? CP_OK : CP_LIMIT;
}

static uint32_t carries(const void *settings)
{
    (void)settings;
    return CP_FEATURE_ALL;
}

static cp_status write_name(cp_context *context, const cp_scene *scene, const void *settings, struct sink *sink)
{
    (void)context;
    (void)settings;
    sink_write(sink, scene->nodes[1].name, strlen(scene->nodes[1].name));
    return CP_OK;
}

static const struct importer own_importer = {
    .plugin = {.name = "frame", .title = "a frame", .settings_size = sizeof(struct import_settings)},
    .suffixes = ".frame",
    .probe = probe,
    .sign = "the word frame",
    .read = read_frame,
};
static const struct exporter own_exporter = {
    .plugin = {.name = "name", .title = "a name", .settings_size = 1},
    .suffixes = ".name",
    .carries = carries,
    .write = write_name,
};
static const struct filter own_filter = {
    .plugin = {.name = "rename", .title = "a new name", .settings_size = 1},
    .apply = name_it,
};
static const struct plugins own = {
    (const struct importer *const[]){&own_importer, NULL},
    (const struct exporter *const[]){&own_exporter, NULL},
    (const struct filter *const[]){&own_filter, NULL},
    {NULL, NULL, NULL},
};

static void test_read_filter_write(void **state)
{
    (void)state;
    cp_context *context = context_new(NULL, &own);
    assert_non_null(context);
    cp_scene *scene;
    assert_int_equal(cp_read_memory(context, "frame 1", 7, "one.frame", NULL, NULL, 0, &scene), CP_OK);
    assert_string_equal(scene->nodes[1].name, "frame 1");
    assert_int_equal(cp_apply(context, scene, "rename", NULL, 0), CP_OK);
    void *bytes;
    size_t size;
    assert_int_equal(cp_write_memory(context, scene, "name", NULL, 0, &bytes, &size), CP_OK);
    assert_int_equal(size, 5);
    assert_memory_equal(bytes, "named", 5);
    cp_free(context, bytes, size);
    cp_scene_free(scene);
    cp_context_free(context);
}

static void test_others_are_unknown(void **state)
{
    (void)state;
    cp_context *context = context_new(NULL, &own);
    assert_non_null(context);
    cp_scene *scene;
    assert_int_equal(cp_read_memory(context, "solid a", 7, "a.stl", NULL, NULL, 0, &scene), CP_INPUT);
    assert_null(scene);
    assert_int_equal(cp_read_memory(context, "frame", 5, "a.frame", "stl", NULL, 0, &scene), CP_USAGE);
    assert_int_equal(cp_set_importer_option(context, "stl.unit=mm"), CP_USAGE);
    assert_int_equal(cp_set_importer_option(context, "frame.strict=yes"), CP_OK);
    cp_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_read_filter_write),
                                       cmocka_unit_test(test_others_are_unknown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
