/* JSON in and out, as all formats share it: what the writer makes is read again, strings are escaped in one way, and
 * the errors of the reader have the codes that the caller gives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text/json.h"
#include "fixture.h"
#include "model/model.h"

static const struct json_codes codes = JSON_CODES("test");

static cp_status parse(cp_context *context, const char *text, uint64_t nesting, const struct json_codes *told)
{
    struct json_document json = {.context = context, .text = text, .size = (uint32_t)strlen(text)};
    cp_status status = json_parse(&json, "test.json", nesting, told);
    json_free(&json);
    return status;
}

static void test_codes(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    size_t count;
    assert_int_equal(parse(context, "[[1]]", 2, &codes), CP_OK);
    assert_int_equal(parse(context, "[\n [1, ]]", 2, NULL), CP_INPUT);
    assert_int_equal(parse(context, "[[[1]]]", 2, NULL), CP_INPUT);
    (void)cp_report(context, &count);
    assert_int_equal(count, 0);
    assert_int_equal(parse(context, "[\n [1, ]]", 2, &codes), CP_INPUT);
    const cp_entry *entry = find_entry(context, "test-json");
    assert_true(entry && entry->line == 2 && entry->column == 6);
    assert_string_equal(entry->file, "test.json");
    assert_int_equal(parse(context, "[[[1]]]", 2, &codes), CP_LIMIT);
    assert_true(was_reported(context, "test-nesting"));
    cp_context_free(context);
}

/* A text as cp_print_json_character gives it. */
static const char *escaped(const char *text, char out[100])
{
    size_t size = 0;
    for (size_t more; (more = cp_print_json_character(&text, out + size)) > 0; size += more)
        assert_true(more <= CP_JSON_CHARACTER_SIZE);
    out[size] = '\0';
    return out;
}

static void test_characters(void **state)
{
    (void)state;
    char out[100];
    assert_string_equal(escaped("", out), "");
    assert_string_equal(escaped("a/b \"c\\d\"", out), "a/b \\\"c\\\\d\\\"");
    assert_string_equal(escaped("\n\t\x01\x1f\x7f", out), "\\u000a\\u0009\\u0001\\u001f\\u007f");
    assert_string_equal(escaped("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", out), "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
    assert_string_equal(escaped("caf\xe9 \xc3\xa9", out), "caf\\u00e9 \xc3\xa9");                     /* Latin-1 */
    assert_string_equal(escaped("\xc0\x80\xed\xa0\x80", out), "\\u00c0\\u0080\\u00ed\\u00a0\\u0080"); /* not UTF-8 */
    assert_string_equal(escaped("\xf0\x9f\x98", out), "\\u00f0\\u009f\\u0098");                       /* breaks off */
}

/* A text as cp_print_shown_character gives it. */
static const char *shown(const char *text, char out[100])
{
    size_t size = 0;
    for (size_t more; (more = cp_print_shown_character(&text, out + size)) > 0; size += more)
        assert_true(more <= CP_SHOWN_CHARACTER_SIZE);
    out[size] = '\0';
    return out;
}

static void test_shown_characters(void **state)
{
    (void)state;
    char out[100];
    assert_string_equal(shown("", out), "");
    assert_string_equal(shown("a/b \"c\\d\" ~", out), "a/b \"c\\d\" ~");
    assert_string_equal(shown("\n\r\t\x01\x1b\x1f\x7f", out), "\\n\\r\\t\\x01\\x1b\\x1f\\x7f");
    assert_string_equal(shown("\xc2\x80\xc2\x9f\xc2\xa0", out), "\\u0080\\u009f\xc2\xa0"); /* C1 */
    assert_string_equal(shown("\xd8\x9c\xd8\x9b\xd8\x9d", out), "\\u061c\xd8\x9b\xd8\x9d");
    assert_string_equal(shown("\xe2\x80\x8d\xe2\x80\x8e\xe2\x80\x8f\xe2\x80\x90", out),
                        "\xe2\x80\x8d\\u200e\\u200f\xe2\x80\x90");
    assert_string_equal(shown("\xe2\x80\xa9\xe2\x80\xaa\xe2\x80\xae\xe2\x80\xaf", out),
                        "\xe2\x80\xa9\\u202a\\u202e\xe2\x80\xaf");
    assert_string_equal(shown("\xe2\x81\xa5\xe2\x81\xa6\xe2\x81\xa9\xe2\x81\xaa", out),
                        "\xe2\x81\xa5\\u2066\\u2069\xe2\x81\xaa");
    assert_string_equal(shown("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", out), "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
    assert_string_equal(shown("caf\xe9 \xc0\x80\xed\xa0\x80", out),
                        "caf\\xe9 \\xc0\\x80\\xed\\xa0\\x80");          /* not UTF-8 */
    assert_string_equal(shown("\xf0\x9f\x98", out), "\\xf0\\x9f\\x98"); /* breaks off */
}

/* Texts and numbers come back as they were. */
static void test_round_trip(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "plain", "\"\\/\b\f\n\r\t\x7f",
                                        "\xc3\xa9\xf0\x9f\x98\x80 x \"y\" \xe2\x82\xac"};
    static const double numbers[] = {0, -0.0, 1, -1, 0.1, 1e15, 1e22, 5e-324, 1.7976931348623157e308};
    cp_context *context = cp_context_new(NULL);
    struct arena *arena = arena_new(context);
    struct buffer out = {.context = context};
    struct json_writer json = {.out = &out};
    json_open(&json, '{');
    json_key(&json, "texts");
    json_open(&json, '[');
    for (size_t i = 0; i < 4; i++)
        json_text(&json, texts[i]);
    json_close(&json, ']');
    json_line(&json);
    json_key_numbers(&json, "numbers", numbers, 9);
    json_close(&json, '}');
    assert_false(out.failed);
    struct json_document again = {.context = context, .text = out.data, .size = (uint32_t)out.size};
    assert_int_equal(json_parse(&again, "test.json", 9, &codes), CP_OK);
    uint32_t list = json_member(&again, 0, "texts"), at = json_first(&again, list);
    for (size_t i = 0; i < 4; i++, at = json_next(&again, list, at)) {
        assert_string_equal(json_string_text(&again, arena, at), texts[i]);
        assert_true(json_string_equals(&again, at, texts[i]));
    }
    assert_int_equal(at, JSON_NONE);
    list = json_member(&again, 0, "numbers");
    at = json_first(&again, list);
    for (size_t i = 0; i < 9; i++, at = json_next(&again, list, at)) {
        double number = json_to_number(&again, at);
        assert_memory_equal(&number, &numbers[i], sizeof number);
    }
    assert_int_equal(json_count(&again, list), 9);
    json_free(&again);
    buffer_free(&out);
    arena_free(arena);
    cp_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_codes),
        cmocka_unit_test(test_characters),
        cmocka_unit_test(test_shown_characters),
        cmocka_unit_test(test_round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
