/* Plans as text: what is printed reads back as an equal plan, and nothing else reads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../cli/plan.h"

static struct cli cli;

static unsigned calls_left; /* until calloc fails; 0: never */

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size)
{
    return calls_left > 0 && --calls_left == 0 ? NULL : __real_calloc(count, size);
}

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

static void assert_same_text(const char *a, const char *b)
{
    assert_true((a == NULL) == (b == NULL));
    if (a)
        assert_string_equal(a, b);
}

static void assert_same_list(const struct list *a, const struct list *b)
{
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++)
        assert_string_equal(a->items[i], b->items[i]);
}

static void assert_same_plan(const struct plan *a, const struct plan *b)
{
    assert_int_equal(a->globals.strict, b->globals.strict);
    assert_int_equal(a->globals.confine, b->globals.confine);
    assert_int_equal(a->globals.no_clobber, b->globals.no_clobber);
    assert_int_equal(a->globals.sync, b->globals.sync);
    assert_same_list(&a->globals.limits, &b->globals.limits);
    assert_same_list(&a->globals.importer_options, &b->globals.importer_options);
    assert_same_list(&a->globals.folders, &b->globals.folders);
    assert_same_list(&a->globals.packages, &b->globals.packages);
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        const struct step *one = &a->steps[i], *other = &b->steps[i];
        assert_int_equal(one->kind, other->kind);
        assert_string_equal(one->name, other->name);
        assert_same_text(one->format, other->format);
        assert_same_text(one->node, other->node);
        assert_same_list(&one->options, &other->options);
    }
}

static void assert_survives(const struct plan *plan)
{
    struct plan again;
    const char *text = text_of(plan);
    assert_int_equal(read_plan(&cli, text, &again), CP_OK);
    assert_same_plan(plan, &again);
    assert_string_equal(text_of(&again), text);
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
    struct step steps[] = {{STEP_READ, "cell.wu", "tag", NULL, LIST("strict=yes", "a b")},
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
    struct plan plan = {globals, steps, sizeof steps / sizeof *steps};
    assert_string_equal(text_of(&plan), full_text);
    assert_survives(&plan);
}

/* Every byte but NUL, everywhere in a string. */
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
    struct step steps[] = {{STEP_READ, name, name, NULL, LIST(name, "", name)}, {STEP_MERGE, "", name, name, LIST("")}};
    assert_survives(&(struct plan){{.folders = LIST(name, "\n", name), .packages = LIST(name)}, steps, 2});
    assert_survives(&(struct plan){{0}, steps, 1});
}

static void test_what_is_no_plan(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "cellpipe plan 1\n",
        "cellpipe plan 2\nread \"a\"\n",
        "cellpipe plan 1\nread \"a\"",
        "cellpipe plan 1\nread \"a\" \n",
        "cellpipe plan 1\nread \"a\"\n\n",
        "cellpipe plan 1\n read \"a\"\n",
        "cellpipe plan 1\nread  \"a\"\n",
        "cellpipe plan 1\nread a\n",
        "cellpipe plan 1\nread\n",
        "cellpipe plan 1\nread \"a\n",
        "cellpipe plan 1\nread \"a\" with\n",
        "cellpipe plan 1\nread \"a\" as\n",
        "cellpipe plan 1\nread \"a\" below \"n\"\n",
        "cellpipe plan 1\nread \"a\\00\"\n",
        "cellpipe plan 1\nread \"\\61\"\n",
        "cellpipe plan 1\nread \"\\C3\"\n",
        "cellpipe plan 1\nread \"\\c\"\n",
        "cellpipe plan 1\nread \"\\\"\n",
        "cellpipe plan 1\nread \"\xc3\xa4\"\n",
        "cellpipe plan 1\nread \"\t\"\n",
        "cellpipe plan 1\nread \"a\"\nread \"b\"\n",
        "cellpipe plan 1\nreadmergefilterwrite",
        "cellpipe plan 1\nfilter \"weld\"\n",
        "cellpipe plan 1\nread \"a\"\nmerge \"b\"\n",
        "cellpipe plan 1\nread \"a\"\nfilter \"weld\" as \"b\"\n",
        "cellpipe plan 1\nread \"a\"\nfilter \"weld\" below \"b\"\n",
        "cellpipe plan 1\nread \"a\"\nstrict\n",
        "cellpipe plan 1\nsync\nstrict\nread \"a\"\n",
        "cellpipe plan 1\nstrict\nstrict\nread \"a\"\n",
        "cellpipe plan 1\nstrict \"yes\"\nread \"a\"\n",
        "cellpipe plan 1\nlimit\nread \"a\"\n",
        "cellpipe plan 1\ninclude \"a\"\nlimit \"b\"\nread \"a\"\n",
    };
    struct plan plan;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (read_plan(&cli, texts[i], &plan) != CP_USAGE)
            fail_msg("read as a plan: %s", texts[i]);
}

static uint32_t random_below(uint32_t *seed, uint32_t count)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)*seed * count >> 32);
}

/* A text that is cut, changed in some bytes or has a part twice is refused, or it is the text of what was read. */
static void test_changed_texts(void **state)
{
    (void)state;
    static const char bytes[] = "\"\\ \nabcdef0129strictwithasbelow\xff\x01";
    uint32_t seed = 1, accepted = 0;
    for (int round = 0; round < 200000; round++) {
        char text[2 * sizeof full_text];
        memcpy(text, full_text, sizeof full_text);
        for (uint32_t changes = 1 + random_below(&seed, 3); changes > 0; changes--) {
            size_t size = strlen(text), at = random_below(&seed, (uint32_t)size + 1);
            size_t span = random_below(&seed, (uint32_t)(size - at) + 1);
            switch (random_below(&seed, 3)) {
            case 0:
                memmove(text + at, text + at + span, size - at - span + 1);
                break;
            case 1:
                if (size + span < sizeof text)
                    memmove(text + at + span, text + at, size - at + 1);
                break;
            default:
                if (at < size)
                    text[at] = bytes[random_below(&seed, sizeof bytes - 1)];
            }
        }
        struct plan plan;
        if (read_plan(&cli, text, &plan) == CP_OK) {
            assert_string_equal(text_of(&plan), text);
            accepted++;
        }
        cli_free(&cli);
    }
    assert_in_range(accepted, 1000, 199000);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    cp_status status = CP_LIMIT;
    unsigned calls = 0;
    while (status != CP_OK) {
        struct plan plan;
        calls_left = ++calls;
        status = read_plan(&cli, full_text, &plan);
        assert_true(status == CP_LIMIT || status == CP_OK);
        cli_free(&cli);
    }
    calls_left = 0;
    assert_in_range(calls, 20, 100); /* its strings and lists */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_the_text, begin, end),
        cmocka_unit_test_setup_teardown(test_all_bytes, begin, end),
        cmocka_unit_test_setup_teardown(test_what_is_no_plan, begin, end),
        cmocka_unit_test_setup_teardown(test_changed_texts, begin, end),
        cmocka_unit_test_setup_teardown(test_out_of_memory, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
