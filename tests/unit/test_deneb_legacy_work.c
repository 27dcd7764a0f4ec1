/* Legacy part geometry: how sure the first bytes make that a file is one, and the work that hostile files take,
 * counted. */
#include "../../importers/deneb/legacy.h"
#include "fixture.h"
#include "model/model.h"

#define HEAD "12\n1 0 0 0\n0 1 0 0\n0 0 1 0\n250 -100 0.5 1\n"
#define POINTS "8\n0 0 0\n40 0 0\n40 30 0\n0 30 0\n0 0 20\n40 0 20\n40 30 20\n0 30 20\n"
#define BLOCK POINTS "0\n12\n0 1\n1 2\n2 3\n3 0\n4 5\n5 6\n6 7\n7 4\n0 4\n1 5\n2 6\n3 7\n"

/* ---- detection ---- */

static void test_probe(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int score;
    } cases[] = {
        {HEAD BLOCK, 70},
        {"\xef\xbb\xbf" HEAD "*\n" BLOCK, 70},
        {"12 \t\r\n" BLOCK, 70},
        {"7 *\n" BLOCK, 70},
        {"7\n" BLOCK, 1},
        {"12 20 30\n" POINTS, 1},
        {"12 20 30\n****** " POINTS, 1},
        {"12 *\n", 0},
        {"OFF\n" BLOCK, 0},
        {"12\nHEADER protein\n" BLOCK, 0},
        {"0\n" BLOCK, 0},
        {"100\n" BLOCK, 0},
        {"1.5 2 3\n" BLOCK, 0},
        {"-3\n" BLOCK, 0},
        {"1:2\n" BLOCK, 0},
        {"", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(deneb_probe_legacy(cases[i].text, strlen(cases[i].text)), cases[i].score);
    assert_int_equal(deneb_probe_legacy("12\0 1 2 3 4 5 6 7 8 9 1 2 3 4 5", 32), 0);
}

/* ---- work ---- */

static struct legacy_work count_work(const char *text, size_t size, uint64_t *tokens)
{
    cp_context *context = cp_context_new(NULL);
    struct source *source;
    assert_int_equal(source_from_memory(context, text, size, "hostile.pdb", &source), CP_OK);
    struct deneb_file file = {.context = context, .source = source};
    struct legacy legacy = {.file = &file, .explain = true};
    struct legacy_block block;
    struct legacy_polygons polygons[LEGACY_FORMS];
    enum legacy_form form;
    deneb_lexer_start(&file);
    assert_true(deneb_read_tokens(&legacy));
    if (deneb_find_block(&legacy, &block))
        assert_true(deneb_find_polygons(&legacy, &block, polygons, &form));
    struct legacy_work work = legacy.work;
    *tokens = legacy.count;
    deneb_free_tokens(&legacy);
    source_close(source);
    cp_context_free(context);
    return work;
}

/* A file of so many bytes. before: printed once; unit: printed on and on, with a number that grows where it has a
 * %u. */
static char *make_text(const char *before, const char *unit, const char *after, size_t size)
{
    char *text = malloc(size + 4000);
    size_t at = (size_t)sprintf(text, "%s", before);
    for (unsigned i = 0; at < size; i++)
        at += (size_t)sprintf(text + at, unit, 3 + i, 4 + i);
    strcpy(text + at, after);
    return text;
}

static const struct hostile {
    const char *name, *before, *unit, *after;
} hostiles[] = {
    {"threes", "12 ", "3 ", ""},
    {"fours", "12 ", "4 ", ""},
    {"sixes", "12 ", "6 ", ""},
    {"ones", "12 ", "1 ", ""},
    {"pairs", "12 ", "0 1 ", ""},
    {"nines", "12 ", "9 0 1 ", ""},
    {"lines of all lengths", "12 ", "3 0 1 2 3 4 5 6 7 8 0 %u ", ""},
    {"lines that are right for long", "12 3 1 1 1 1 1 1 1 1 1 0 15000 ", "0 1 1 0 ", ""},
    {"many places in a row", "12 ", "5000 ", ""},
    {"growing", "12 ", "%u ", ""},
    {"growing, between lines", "12 ", "%u 0 1 2 ", ""},
    {"asterisks", "12 ", "* ", ""},
    {"an asterisk each", "12 ", "* 3 ", ""},
    {"asterisks that begin much", "12 ", "* 3 1 1 1 2 2 2 0 0 0 0 2 0 1 1 2 ", ""},
    {"words", "12 ", "3 a ", ""},
    {"polygons", "12 * 3 0 0 0 1 0 0 0 1 0 0 3 0 1 1 2 2 0 100000000 ", "3 0 1 2 ", ""},
    {"a point with all lines", "12 * 4 0 0 0 1 0 0 0 1 0 0 0 1 0 10000 ", "0 1 0 2 0 3 ", ""},
};

static void test_work(void **state)
{
    (void)state;
    enum { SMALL = 200000, MOST_A_TOKEN = 40 };
    for (size_t i = 0; i < sizeof hostiles / sizeof *hostiles; i++) {
        const struct hostile *hostile = &hostiles[i];
        uint64_t visited[2], tokens[2];
        for (int large = 0; large < 2; large++) {
            char *text = make_text(hostile->before, hostile->unit, hostile->after, (size_t)SMALL << (2 * large));
            struct legacy_work work = count_work(text, strlen(text), &tokens[large]);
            visited[large] = work.visited;
            print_message("%s: %llu tokens, %llu candidates, %llu looks\n", hostile->name,
                          (unsigned long long)tokens[large], (unsigned long long)work.candidates,
                          (unsigned long long)work.visited);
            assert_true(work.candidates <= LEGACY_MOST_CANDIDATES);
            assert_true(work.visited <= MOST_A_TOKEN * tokens[large]);
            free(text);
        }
        /* as many times the tokens, and a little for the steps of a tree that is two levels higher */
        assert_true((double)visited[1] / (double)visited[0] <= 1.3 * (double)tokens[1] / (double)tokens[0]);
    }
}

static size_t repeat(char *text, const char *format, unsigned value, unsigned times)
{
    size_t size = 0;
    for (unsigned i = 0; i < times; i++)
        size += (size_t)sprintf(text + size, format, value - i % 2);
    return size;
}

static void expect_too_many(const char *text)
{
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene;
    assert_int_not_equal(cp_read_memory(context, text, strlen(text), "box.pdb", NULL, NULL, 0, &scene), CP_OK);
    assert_true(was_reported(context, "deneb-legacy-candidates"));
    cp_context_free(context);
}

/* `count` places, one behind the other, whose points and whose lines are nearly the same ones; not all points are used,
 * which takes a look at all lines to see. */
static char *make_nested(unsigned count)
{
    char *text = malloc(8 * (size_t)count * 7 + 100);
    size_t at = (size_t)sprintf(text, "12 ");
    for (unsigned i = 0; i < count; i++)
        at += (size_t)sprintf(text + at, "%u ", count);
    at += repeat(text + at, "0 ", 0, 2 * count + 2);
    for (unsigned i = 0; i < count; i++)
        at += (size_t)sprintf(text + at, "%u ", i % 2 ? count - 1 : 0);
    (void)repeat(text + at, "%u ", 1, 2 * count);
    return text;
}

static void test_nested(void **state)
{
    (void)state;
    for (unsigned count = 5000; count <= 20000; count *= 4) {
        char *text = make_nested(count);
        uint64_t tokens;
        struct legacy_work work = count_work(text, strlen(text), &tokens);
        print_message("nested: %llu tokens, %llu candidates, %llu looks\n", (unsigned long long)tokens,
                      (unsigned long long)work.candidates, (unsigned long long)work.visited);
        assert_true(work.visited >= 8 * tokens && work.visited <= 20 * tokens);
        expect_too_many(text);
        free(text);
    }
}

/* 10 MB: the candidates have an end. */
static void test_ten_megabytes(void **state)
{
    (void)state;
    char *text = make_text("12 ", "3 ", "", 10000000);
    uint64_t tokens;
    struct legacy_work work = count_work(text, strlen(text), &tokens);
    print_message("10 MB: %llu tokens, %llu candidates, %llu looks\n", (unsigned long long)tokens,
                  (unsigned long long)work.candidates, (unsigned long long)work.visited);
    assert_int_equal(work.candidates, LEGACY_MOST_CANDIDATES);
    assert_true(work.visited <= 10 * tokens);
    expect_too_many(text);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_probe), cmocka_unit_test(test_work),
                                       cmocka_unit_test(test_ten_megabytes), cmocka_unit_test(test_nested)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
