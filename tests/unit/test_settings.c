/* The text of settings files, and their patterns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "../../cli/inputs/settings.h"

static cp_context *context;
static struct arena *arena;
static struct settings_file file;
static struct settings_fault fault;

static int begin(void **state)
{
    (void)state;
    context = cp_context_new(NULL);
    arena = arena_new(context);
    return arena ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    arena_free(arena);
    cp_context_free(context);
    return 0;
}

static cp_status parse(const char *text)
{
    fault = (struct settings_fault){0};
    return settings_parse(arena, text, strlen(text), &file, &fault);
}

static void test_sections(void **state)
{
    (void)state;
    assert_int_equal(parse("\xef\xbb\xbf# parts\r\n"
                           "  [ a b/*.stl ]\t\r\n"
                           "unit=mm  up=y # of all\r\n"
                           "\r\n"
                           "\tsimplify ratio=0.2 lock\n"
                           "[x]]\n"
                           ";\n"
                           "[y]\n"
                           "out background=#fff web=yes;no ;web=no"),
                     CP_OK);
    assert_int_equal(file.section_count, 3);
    assert_string_equal(file.sections[0].pattern, " a b/*.stl ");
    assert_int_equal(file.sections[0].line, 2);
    assert_int_equal(file.sections[0].first, 0);
    assert_int_equal(file.sections[0].count, 2);
    assert_string_equal(file.sections[1].pattern, "x]");
    assert_int_equal(file.sections[1].count, 0);
    assert_string_equal(file.sections[2].pattern, "y");
    assert_int_equal(file.sections[2].first, 2);
    assert_int_equal(file.setting_count, 3);

    const struct setting *reading = &file.settings[0], *filter = &file.settings[1], *writing = &file.settings[2];
    assert_int_equal(reading->kind, SETTING_READ);
    assert_int_equal(reading->line, 3);
    assert_int_equal(reading->options.count, 2);
    assert_string_equal(reading->options.items[0], "unit=mm");
    assert_string_equal(reading->options.items[1], "up=y");
    assert_int_equal(reading->words[0], 1);
    assert_int_equal(reading->words[1], 10);

    assert_int_equal(filter->kind, SETTING_FILTER);
    assert_string_equal(filter->filter, "simplify");
    assert_int_equal(filter->options.count, 2);
    assert_string_equal(filter->options.items[1], "lock");
    assert_int_equal(filter->words[0], 2);
    assert_int_equal(filter->words[1], 11);

    assert_int_equal(writing->kind, SETTING_WRITE);
    assert_int_equal(writing->options.count, 2);
    assert_string_equal(writing->options.items[0], "background=#fff");
    assert_string_equal(writing->options.items[1], "web=yes;no");
}

static void test_nothing(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "\n", "\r\n\r\n", "# [a]\n", " ;unit=mm", "\xef\xbb\xbf"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_int_equal(parse(texts[i]), CP_OK);
        assert_int_equal(file.section_count + file.setting_count, 0);
    }
}

static void test_faults(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t line, column;
        const char *part;
    } rows[] = {{"unit=mm", 1, 1, "no section before it"},
                {"\n\n  weld", 3, 3, "no section before it"},
                {"[", 1, 1, "a section is"},
                {"[*", 1, 1, "a section is"},
                {"[*] x", 1, 1, "a section is"},
                {"]\n", 1, 1, "no section"},
                {"[]", 1, 1, "is empty"},
                {"[a]\n[..]", 2, 2, "leads out"},
                {"[a/../b]", 1, 2, "leads out"},
                {"[a/..]", 1, 2, "leads out"},
                {"[/a]", 1, 2, "leads out"},
                {"[a]\nunit=mm up", 2, 9, "NAME=VALUE"},
                {"[a]\nout", 2, 1, "\"out\" has"},
                {"[a]\nout # web=yes", 2, 1, "\"out\" has"},
                {"[a]\nun\x01it=mm", 2, 3, "control character"},
                {"[a]\rx", 1, 4, "control character"},
                {"[a]\x7f", 1, 4, "control character"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(parse(rows[i].text), CP_INPUT);
        assert_int_equal(fault.line, rows[i].line);
        assert_int_equal(fault.column, rows[i].column);
        assert_non_null(strstr(fault.text, rows[i].part));
    }
    assert_int_equal(parse("[..a]\n[a..]\n[a/..b/c]\n[...]"), CP_OK);
}

static void test_patterns(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *path;
        bool matches;
    } rows[] = {{"*", "a/b", true},
                {"*.stl", "a/b.stl", true},
                {"*.stl", "a/b.stl.gz", false},
                {"b.stl", "a/b.stl", true},
                {"a/*", "a/b/c", true},
                {"a/*", "b/a/c", false},
                {"*/c", "a/b/c", true},
                {"*/c", "c", false},
                {"a", "a/b", false},
                {"?", "ab", false},
                {"??", "ab", true},
                {"a?", "a", false},
                {"*a*b*", "xaxbx", true},
                {"*a*b*", "xbxax", false},
                {"*ab", "aab", true},
                {"**", "", true},
                {"", "", true},
                {"", "a", false},
                {"[ab]", "a", false},
                {"[ab]", "[ab]", true},
                {"A", "a", false},
                {"\\*", "*", false},
                {"\xff*", "\xff\xfe", true},
                {"a*a", "a", false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (settings_match(rows[i].pattern, rows[i].path) != rows[i].matches)
            fail_msg("%s and %s", rows[i].pattern, rows[i].path);
}

/* A pattern of a stranger: an exponential search would never end, a quadratic one takes milliseconds. */
static void test_hostile_pattern(void **state)
{
    (void)state;
    enum { PATTERN = 1000, PATH = 4000 };
    static char pattern[PATTERN + 1], path[PATH + 1];
    for (size_t i = 0; i < PATTERN; i++)
        pattern[i] = i % 2 ? 'a' : '*';
    pattern[PATTERN - 1] = 'b';
    memset(path, 'a', PATH);
    clock_t begun = clock();
    for (int i = 0; i < 100; i++)
        assert_false(settings_match(pattern, path));
    assert_true((double)(clock() - begun) / CLOCKS_PER_SEC < 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_sections, begin, end),
        cmocka_unit_test_setup_teardown(test_nothing, begin, end),
        cmocka_unit_test_setup_teardown(test_faults, begin, end),
        cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_hostile_pattern),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
