/* The text of a plan, whose hash tells `batch` whether an output was made by the same plan. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../cli/plan.h"

static struct cli cli;

static int begin(void **state)
{
    (void)state;
    cli = (struct cli){.messages = fopen("/dev/null", "w")};
    return cli.messages ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    cli_free(&cli);
    return fclose(cli.messages);
}

/* The plan's text in the cli's memory. */
static char *text_of(const struct plan *plan)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    print_plan(plan, file);
    assert_int_equal(fclose(file), 0);
    char *copy = cli_allocate(&cli, size + 1);
    assert_non_null(copy);
    memcpy(copy, text, size);
    free(text);
    return copy;
}

#define LIST(...)                                                                                                      \
    {                                                                                                                  \
        (const char *[]){__VA_ARGS__}, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *), 0                       \
    }

static const char full_text[] = "cellpipe plan 1\n"
                                "strict\n"
                                "confine\n"
                                "no-clobber\n"
                                "sync\n"
                                "limit \"nodes=1000\"\n"
                                "limit \"depth=9\"\n"
                                "importer \"stl.unit=mm\"\n"
                                "include \"my models\"\n"
                                "package \"parts=p\"\n"
                                "read \"cell.wu\" as \"tag\" with \"strict=yes\" \"a b\"\n"
                                "merge \"t\\c3\\a4ble.stl\" below \"\"\n"
                                "filter \"weld\" with \"tolerance=0.01mm\"\n"
                                "write \"a\\22b\\5cc\\0ad\\ff.glb\" as \"glb.gz\"\n"
                                "write \"-\"\n";

static void test_the_text(void **state)
{
    (void)state;
    struct plan_step steps[] = {{STEP_READ, "cell.wu", "tag", NULL, LIST("strict=yes", "a b")},
                                {STEP_MERGE,
                                 "t\xc3\xa4"
                                 "ble.stl",
                                 NULL,
                                 "",
                                 {0}},
                                {STEP_FILTER, "weld", NULL, NULL, LIST("tolerance=0.01mm")},
                                {STEP_WRITE, "a\"b\\c\nd\xff.glb", "glb.gz", NULL, {0}},
                                {STEP_WRITE, "-", NULL, NULL, {0}}};
    struct globals globals = {
        true, true, true, true, LIST("nodes=1000", "depth=9"), LIST("stl.unit=mm"), LIST("my models"), LIST("parts=p")};
    struct plan plan = {globals, steps, sizeof steps / sizeof *steps, NULL};
    assert_string_equal(text_of(&plan), full_text);
}

/* Returns the string in quotes from `at` on, by the rules in plan.h. */
static char *unquoted(const char *at)
{
    char *text = cli_allocate(&cli, strlen(at) + 1), *to = text;
    assert_int_equal(*at++, '"');
    for (; *at != '"'; at++) {
        assert_in_range(*at, ' ', '~');
        *to = *at;
        if (*at == '\\') {
            char digits[] = {at[1], at[2], '\0'};
            assert_int_equal(strspn(digits, "0123456789abcdef"), 2);
            *to = (char)strtoul(digits, NULL, 16);
            at += 2;
        }
        to++;
    }
    return text;
}

/* Every byte but NUL, everywhere in a string: nothing is lost. */
static void test_all_bytes(void **state)
{
    (void)state;
    char name[3 * 255 + 1], *at = name;
    for (int byte = 1; byte < 256; byte++) {
        *at++ = (char)byte;
        *at++ = 'a';
        *at++ = (char)(256 - byte);
    }
    *at = '\0';
    struct plan_step step = {STEP_READ, name, NULL, NULL, {0}};
    char *text = text_of(&(struct plan){{0}, &step, 1, NULL});
    assert_string_equal(unquoted(strchr(text, '"')), name);
    assert_string_equal(strrchr(text, '"'), "\"\n");
    assert_ptr_equal(strchr(strchr(text, '\n') + 1, '\n'), text + strlen(text) - 1);
}

/* Plans that differ in one thing have different texts. */
static void test_different_plans(void **state)
{
    (void)state;
    struct plan_step read = {STEP_READ, "a", NULL, NULL, {0}}, as = {STEP_READ, "a", "b", NULL, {0}},
                     with = {STEP_READ, "a", NULL, NULL, LIST("b")}, two = {STEP_READ, "a", NULL, NULL, LIST("b", "")},
                     joined = {STEP_READ, "a\" as \"b", NULL, NULL, {0}}, merge = {STEP_MERGE, "a", NULL, "b", {0}},
                     unnamed = {STEP_MERGE, "a", NULL, "", {0}}, filter = {STEP_FILTER, "a", NULL, NULL, {0}},
                     write = {STEP_WRITE, "a", NULL, NULL, {0}};
    struct plan_step twice[] = {read, write};
    const struct plan plans[] = {
        {{0}, &read, 1, NULL},
        {{0}, &as, 1, NULL},
        {{0}, &with, 1, NULL},
        {{0}, &two, 1, NULL},
        {{0}, &joined, 1, NULL},
        {{0}, &merge, 1, NULL},
        {{0}, &unnamed, 1, NULL},
        {{0}, &filter, 1, NULL},
        {{0}, &write, 1, NULL},
        {{0}, twice, 2, NULL},
        {{.strict = true}, &read, 1, NULL},
        {{.confine = true}, &read, 1, NULL},
        {{.no_clobber = true}, &read, 1, NULL},
        {{.sync = true}, &read, 1, NULL},
        {{.limits = LIST("a")}, &read, 1, NULL},
        {{.limits = LIST("a", "b")}, &read, 1, NULL},
        {{.limits = LIST("b", "a")}, &read, 1, NULL},
        {{.importer_options = LIST("a")}, &read, 1, NULL},
        {{.folders = LIST("a")}, &read, 1, NULL},
        {{.packages = LIST("a")}, &read, 1, NULL},
    };
    enum { PLANS = sizeof plans / sizeof *plans };
    char *texts[PLANS];
    for (size_t i = 0; i < PLANS; i++) {
        texts[i] = text_of(&plans[i]);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(texts[i], texts[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_the_text, begin, end),
        cmocka_unit_test_setup_teardown(test_all_bytes, begin, end),
        cmocka_unit_test_setup_teardown(test_different_plans, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
