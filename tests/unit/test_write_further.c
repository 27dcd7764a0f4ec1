/* An exporter that puts another's output into its own: write_further and base64. */
#include "../../exporters/exporters.h"
#include "../../importers/importers.h"
#include "base/context.h"
#include "base/text/text.h"
#include "fixture.h"
#include "model/model.h"
#include "plugins/registry.h"

/* ---- an exporter of pages, as one outside of this house would be written: a link with the scene inside ---- */

struct page_settings {
    const char *as, *with; /* the format inside, and an option of it */
};

static const cp_option page_options[] = {
    {"as", "the format inside", CP_OPTION_STRING, offsetof(struct page_settings, as), .initial = "glb"},
    {"with", "an option of it", CP_OPTION_STRING, .offset = offsetof(struct page_settings, with)},
    CP_OPTIONS_END};

static uint32_t page_carries(const void *settings)
{
    (void)settings;
    return CP_FEATURE_ALL; /* what is lost, the exporter inside tells */
}

static cp_status write_page(cp_context *context, const cp_scene *scene, const void *settings, struct sink *sink)
{
    const struct page_settings *page = settings;
    void *bytes;
    size_t size;
    cp_status status = write_further(context, scene, page->as, &page->with, page->with ? 1 : 0, &bytes, &size);
    if (status != CP_OK)
        return status;
    char *text = memory_allocate(context, base64_length(size), 1);
    if (text) {
        sink_text(sink, "<a href=\"data:application/octet-stream;base64,");
        sink_write(sink, text, base64_encode(bytes, size, text));
        sink_text(sink, "\"/>\n");
        report_note(context, "page-written", NOWHERE, "the page is written");
    }
    memory_free(context, text, base64_length(size), 1);
    memory_free(context, bytes, size, 1);
    return text ? sink_status(sink) : CP_LIMIT;
}

static const struct exporter page_exporter = {
    .plugin = {.name = "page",
               .title = "a page",
               .options = page_options,
               .settings_size = sizeof(struct page_settings)},
    .suffixes = ".page",
    .carries = page_carries,
    .write = write_page,
};

static const struct importer *const importers[] = {&tag_importer, NULL};
static const struct exporter *const exporters[] = {&page_exporter, &glb_exporter, &gltf_exporter, &stl_exporter, NULL};
static const struct filter *const filters[] = {NULL};
static const struct plugins plugins = {importers, exporters, filters, {NULL, NULL, NULL}};

/* ---- what it gets ---- */

static cp_scene *read_sample(cp_context *context)
{
    cp_scene *scene = NULL;
    assert_int_equal(cp_read(context, SAMPLES "/tag_arm.wu", NULL, NULL, 0, &scene), CP_OK);
    cp_report_clear(context);
    return scene;
}

/* The GLB in the page is the one that is written alone, with the same options. */
static void test_embedded_bytes(void **state)
{
    (void)state;
    static const char *const page_with[] = {"with=profile=deliver", "with=profile=stage"};
    static const char *const with[] = {"profile=deliver", "profile=stage"};
    size_t sizes[2];
    cp_context *context = context_new(NULL, &plugins);
    cp_scene *scene = read_sample(context);
    for (int i = 0; i < 2; i++) {
        void *page, *alone;
        size_t page_size, size;
        assert_int_equal(cp_write_memory(context, scene, "page", &page_with[i], 1, &page, &page_size), CP_OK);
        assert_int_equal(cp_write_memory(context, scene, "glb", &with[i], 1, &alone, &size), CP_OK);
        char *begin = strchr(page, ',') + 1, *end = memchr(begin, '"', page_size);
        assert_true(base64_decode(begin, (size_t)(end - begin), begin, &sizes[i]));
        assert_int_equal(sizes[i], size);
        assert_memory_equal(begin, alone, size);
        cp_free(context, alone, size);
        cp_free(context, page, page_size);
    }
    assert_int_not_equal(sizes[0], sizes[1]);
    cp_scene_free(scene);
    cp_context_free(context);
}

/* All messages are about the output that the user named, those after the exporter inside has ended too. */
static void test_losses(void **state)
{
    (void)state;
    static const char *const as_stl = "as=stl";
    cp_context *context = context_new(NULL, &plugins);
    cp_scene *scene = read_sample(context);
    void *bytes;
    size_t size, count;
    assert_int_equal(cp_write_memory(context, scene, "page", &as_stl, 1, &bytes, &size), CP_OK);
    cp_free(context, bytes, size);
    const cp_entry *entries = cp_report(context, &count);
    assert_true(count > 1);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(entries[i].severity, i + 1 < count ? CP_LOSS : CP_NOTE);
        assert_string_equal(entries[i].file, "page");
    }
    cp_set_flag(context, CP_FLAG_STRICT, true);
    assert_int_equal(cp_write_memory(context, scene, "page", &as_stl, 1, &bytes, &size), CP_LOSSY);
    assert_null(bytes);
    cp_scene_free(scene);
    cp_context_free(context);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *options[2], *code;
    } cases[] = {{{"as=glb", "with=profil=stage"}, "option-unknown"},
                 {{"as=html", "with=a=b"}, "plugin-unknown"},
                 {{"as=gltf", "with=profile=stage"}, "sink-stream"}};
    cp_context *context = context_new(NULL, &plugins);
    cp_scene *scene = read_sample(context);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        void *bytes;
        size_t size;
        assert_int_equal(cp_write_memory(context, scene, "page", cases[i].options, 2, &bytes, &size), CP_USAGE);
        assert_null(bytes);
        assert_true(was_reported(context, cases[i].code));
    }
    cp_scene_free(scene);
    cp_context_free(context);
}

/* ---- memory ---- */

/* The N-th allocation fails, for every N: CP_LIMIT, and all that was taken is given back. */
static void test_failed_allocations(void **state)
{
    (void)state;
    struct counter counter = {0};
    cp_context *context = context_new(&(cp_allocator){counted_resize, &counter}, &plugins);
    cp_scene *scene = read_sample(context);
    cp_status status = CP_LIMIT;
    for (size_t n = 1; status != CP_OK; n++) {
        void *page;
        size_t size, blocks = counter.blocks, bytes = counter.bytes;
        counter.limit = counter.calls + n;
        status = cp_write_memory(context, scene, "page", NULL, 0, &page, &size);
        bool reached = counter.calls >= counter.limit;
        counter.limit = 0;
        assert_int_equal(status, reached ? CP_LIMIT : CP_OK);
        cp_free(context, page, size);
        cp_report_clear(context);
        assert_true(counter.blocks <= blocks + 1 && counter.bytes <= bytes + 4096);
    }
    cp_scene_free(scene);
    cp_context_free(context);
    assert_int_equal(counter.blocks, 0);
    assert_int_equal(counter.bytes, 0);
}

/* ---- base64 ---- */

/* RFC 4648, section 10. */
static void test_base64(void **state)
{
    (void)state;
    static const char *const cases[][2] = {{"", ""},
                                           {"f", "Zg=="},
                                           {"fo", "Zm8="},
                                           {"foo", "Zm9v"},
                                           {"foob", "Zm9vYg=="},
                                           {"fooba", "Zm9vYmE="},
                                           {"foobar", "Zm9vYmFy"},
                                           {"\xff\xef\xbe", "/+++"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *plain = cases[i][0], *coded = cases[i][1];
        char text[16], bytes[16];
        size_t size, length = strcspn(coded, "=");
        assert_int_equal(base64_encode(plain, strlen(plain), text), strlen(coded));
        assert_int_equal(base64_length(strlen(plain)), strlen(coded));
        assert_memory_equal(text, coded, strlen(coded));
        for (int padded = 0; padded < 2; padded++) {
            assert_true(base64_decode(coded, padded ? strlen(coded) : length, bytes, &size));
            assert_int_equal(size, strlen(plain));
            assert_memory_equal(bytes, plain, size);
        }
    }
}

static void test_base64_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"Z", "Zm9vY", "Zm 9", "Zg===", "Zg=x", "Zm9v\n", "Z\xc3\xa9"};
    char bytes[16];
    size_t size;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(base64_decode(bad[i], strlen(bad[i]), bytes, &size));
    assert_true(base64_decode("_-_-", 4, bytes, &size)); /* the URL-safe alphabet */
    assert_memory_equal(bytes, "\xff\xef\xfe", 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_embedded_bytes),     cmocka_unit_test(test_losses), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_failed_allocations), cmocka_unit_test(test_base64), cmocka_unit_test(test_base64_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
