/* An exporter that puts another's output into its own: write_further and base64. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "context.h"
#include "plugin.h"
#include "report_support.h"

static cp_scene *read_sample(cp_context *context, const char *name)
{
    char path[1024];
    cp_scene *scene = NULL;
    (void)snprintf(path, sizeof path, "%s/%s", SAMPLES, name);
    assert_int_equal(cp_read(context, path, NULL, NULL, 0, &scene), CP_OK);
    cp_report_clear(context);
    return scene;
}

/* What an exporter of pages does in its write(): a line of text with the scene as a GLB within. */
static cp_status write_page(cp_context *context, const cp_scene *scene, const char *const *options, size_t option_count,
                            struct sink *sink)
{
    void *bytes;
    size_t size;
    cp_status status = write_further(context, scene, "glb", options, option_count, &bytes, &size);
    if (status != CP_OK)
        return status;
    char *text = memory_allocate(context, base64_length(size), 1);
    if (text) {
        sink_text(sink, "<a href=\"data:model/gltf-binary;base64,");
        sink_write(sink, text, base64_encode(bytes, size, text));
        sink_text(sink, "\"/>\n");
    }
    memory_free(context, text, base64_length(size), 1);
    memory_free(context, bytes, size, 1);
    return text ? sink_status(sink) : CP_LIMIT;
}

static cp_status make_page(cp_context *context, const cp_scene *scene, const char *option, void **page, size_t *size)
{
    struct sink *sink;
    context->subject = "out.html";
    cp_status status = sink_open_memory(context, &sink);
    if (status == CP_OK)
        status = sink_close_memory(sink, write_page(context, scene, &option, option ? 1 : 0, sink), page, size);
    else
        *page = NULL;
    assert_string_equal(context->subject, "out.html");
    context->subject = NULL;
    return status;
}

/* The GLB in the page is the one that is written alone, with the same options. */
static void test_embedded_bytes(void **state)
{
    (void)state;
    static const char *const options[] = {NULL, "profile=stage"};
    size_t sizes[2];
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_sample(context, "tag_arm.wu");
    for (int i = 0; i < 2; i++) {
        void *page, *alone;
        size_t page_size, size;
        assert_int_equal(make_page(context, scene, options[i], &page, &page_size), CP_OK);
        assert_int_equal(cp_write_memory(context, scene, "glb", &options[i], options[i] ? 1 : 0, &alone, &size), CP_OK);
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

/* Messages name the output that is being written; after --strict there are no bytes. */
static void test_losses(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_sample(context, "tag_arm.wu");
    void *bytes;
    size_t size, count;
    context->subject = "out.html";
    assert_int_equal(write_further(context, scene, "stl", NULL, 0, &bytes, &size), CP_OK);
    memory_free(context, bytes, size, 1);
    const cp_entry *entries = cp_report(context, &count);
    assert_true(count > 0);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(entries[i].severity, CP_LOSS);
        assert_string_equal(entries[i].file, "out.html");
    }
    cp_set_flag(context, CP_FLAG_STRICT, true);
    assert_int_equal(write_further(context, scene, "stl", NULL, 0, &bytes, &size), CP_LOSSY);
    assert_null(bytes);
    cp_scene_free(scene);
    cp_context_free(context);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *format, *option, *code;
    } cases[] = {
        {"glb", "profil=stage", "option-unknown"}, {"html", NULL, "plugin-unknown"}, {"gltf", NULL, "sink-stream"}};
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_sample(context, "tag_arm.wu");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        void *bytes;
        size_t size;
        const char *option = cases[i].option;
        cp_status status = write_further(context, scene, cases[i].format, &option, option ? 1 : 0, &bytes, &size);
        assert_int_equal(status, CP_USAGE);
        assert_null(bytes);
        assert_true(was_reported(context, cases[i].code));
    }
    cp_scene_free(scene);
    cp_context_free(context);
}

/* ---- memory ---- */

struct counter {
    size_t calls, limit, blocks, bytes;
};

static void *counted_resize(void *user, void *block, size_t old_size, size_t size)
{
    struct counter *counter = user;
    if (size > 0 && ++counter->calls == counter->limit)
        return NULL;
    counter->bytes += size - (block ? old_size : 0);
    counter->blocks += (size_t)(size > 0) - (size_t)(block != NULL);
    if (size > 0)
        return realloc(block, size);
    free(block);
    return NULL;
}

/* The N-th allocation fails, for every N: CP_LIMIT, and all that was taken is given back. */
static void test_failed_allocations(void **state)
{
    (void)state;
    struct counter counter = {0};
    cp_context *context = cp_context_new(&(cp_allocator){counted_resize, &counter});
    cp_scene *scene = read_sample(context, "tag_arm.wu");
    cp_status status = CP_LIMIT;
    for (size_t n = 1; status != CP_OK; n++) {
        void *page;
        size_t size, blocks = counter.blocks, bytes = counter.bytes;
        counter.limit = counter.calls + n;
        status = make_page(context, scene, NULL, &page, &size);
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
