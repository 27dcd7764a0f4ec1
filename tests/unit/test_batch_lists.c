/* Lists of inputs and their outputs, records of what became of them, and the state that journals are put into. */
#include <dirent.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../cli/batch/batch.h"
#include "base/text/text.h"
#include "fixture.h"
#include "model/model.h"

static struct cli cli;
static char folder[] = "/tmp/cellpipe-lists-XXXXXX", path[64];

static unsigned calls_left; /* until calloc fails; 0: never */

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size)
{
    return calls_left > 0 && --calls_left == 0 ? NULL : __real_calloc(count, size);
}

static const char *words[] = {"batch"};

static int begin(void **state)
{
    (void)state;
    cli = (struct cli){.messages = fopen("/dev/null", "w"), .context = cp_context_new(NULL), .threads = 2};
    cli.words = (struct list){words, 1, 1};
    return cli.messages && cli.context ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    cp_context_free(cli.context);
    cli_free(&cli);
    return fclose(cli.messages);
}

static uint32_t seed = 1;
static uint32_t random_below(uint32_t count)
{
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)seed * count >> 32);
}

static uint64_t random_bits(void)
{
    uint64_t bits = 0;
    for (int i = 0; i < 4; i++)
        bits = bits << 16 | random_below(65536);
    return bits >> random_below(64);
}

/* Any bytes but NUL, often what JSON or UTF-8 has a use for. */
static const char *random_text(void)
{
    static const char *const pieces[] = {"a",
                                         "\"",
                                         "\\",
                                         "\n",
                                         "\x1b",
                                         "\x7f",
                                         "\xff",
                                         "\xc3\xa4",
                                         "\xc3",
                                         "\xed\xb2\x80",
                                         "\xf0\x9f\x94\xa7",
                                         "/",
                                         "\\udc80",
                                         "\xe2\x80\xae",
                                         "\x01"};
    uint32_t count = random_below(12);
    char *text = cli_allocate(&cli, 64);
    assert_non_null(text);
    while (count-- > 0)
        strcat(text, pieces[random_below(sizeof pieces / sizeof *pieces)]);
    return text;
}

static cp_hash random_hash(void)
{
    return random_below(4) ? (cp_hash){random_bits(), random_bits()} : (cp_hash){0};
}

static struct list random_list(void)
{
    struct list list = {0};
    for (uint32_t count = random_below(4); count-- > 0;)
        assert_true(list_add(&cli, &list, random_text()));
    return list;
}

static struct record_input *random_files(uint32_t *count)
{
    *count = random_below(4);
    struct record_input *files = cli_allocate(&cli, (*count + 1) * sizeof *files);
    for (uint32_t i = 0; i < *count; i++)
        files[i] = random_below(3) ? (struct record_input){random_text(), random_bits(), (int64_t)random_bits(),
                                                           random_hash(), false}
                                   : (struct record_input){.path = random_text(), .missing = true};
    return files;
}

static struct record random_record(void)
{
    struct record record = {.root = cli_print(&cli, "r%s", random_text()),
                            .name = cli_print(&cli, "i%s", random_text()),
                            .out = cli_print(&cli, "o%s", random_text()),
                            .sequence = 1 + (random_bits() >> 2),
                            .key = random_hash(),
                            .out_hash = random_hash(),
                            .code = random_text(),
                            .message = random_text(),
                            .time = random_bits(),
                            .ms = (double)random_bits() / 7,
                            .cpu_ms = (double)random_bits() / 3,
                            .max_rss = random_bits(),
                            .bytes_in = random_bits(),
                            .bytes_out = random_bits(),
                            .triangles_in = random_bits(),
                            .triangles_out = random_bits(),
                            .losses = random_list(),
                            .warnings = random_list(),
                            .formats = random_list(),
                            .host = random_text(),
                            .attempt = random_below(5),
                            .state = (enum record_state)random_below(STATE_COUNT)};
    for (int i = 0; random_below(3) && i < CP_SHAPE_VALUES; i++)
        record.shape.values[i] = ((double)random_bits() - 1e18) / 7e12;
    record.shape.kind = random_bits() >> 11;
    if (record.shape.kind == 0)
        record.shape = (cp_shape){0};
    record.inputs = random_files(&record.input_count);
    record.outputs = random_files(&record.output_count);
    return record;
}

/* ---- one record ---- */

static void assert_same_list(const struct list *a, const struct list *b)
{
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++)
        assert_string_equal(a->items[i], b->items[i]);
}

static void assert_same_files(const struct record_input *a, const struct record_input *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        assert_string_equal(a[i].path, b[i].path);
        assert_int_equal(a[i].size, b[i].size);
        assert_int_equal(a[i].modified, b[i].modified);
        assert_true(hash_equals(a[i].hash, b[i].hash));
        assert_int_equal(a[i].missing, b[i].missing);
    }
}

static void assert_same_record(const struct record *a, const struct record *b)
{
    assert_string_equal(a->root, b->root);
    assert_string_equal(a->name, b->name);
    assert_string_equal(a->out, b->out);
    assert_int_equal(a->sequence, b->sequence);
    assert_true(hash_equals(a->key, b->key) && hash_equals(a->out_hash, b->out_hash));
    assert_string_equal(a->code, b->code);
    assert_string_equal(a->message, b->message);
    assert_int_equal(a->time, b->time);
    assert_true(a->ms == b->ms && a->cpu_ms == b->cpu_ms);
    assert_int_equal(a->max_rss, b->max_rss);
    assert_int_equal(a->bytes_in, b->bytes_in);
    assert_int_equal(a->bytes_out, b->bytes_out);
    assert_int_equal(a->triangles_in, b->triangles_in);
    assert_int_equal(a->triangles_out, b->triangles_out);
    assert_int_equal(a->shape.kind, b->shape.kind);
    assert_true(a->shape.tolerance == b->shape.tolerance);
    for (int i = 0; i < CP_SHAPE_VALUES; i++)
        assert_true(a->shape.values[i] == b->shape.values[i]);
    assert_same_list(&a->losses, &b->losses);
    assert_same_list(&a->warnings, &b->warnings);
    assert_same_list(&a->formats, &b->formats);
    assert_string_equal(a->host, b->host);
    assert_int_equal(a->attempt, b->attempt);
    assert_int_equal(a->state, b->state);
    assert_int_equal(a->input_count, b->input_count);
    assert_int_equal(a->output_count, b->output_count);
    assert_same_files(a->inputs, b->inputs, a->input_count);
    assert_same_files(a->outputs, b->outputs, a->output_count);
}

static void test_records_come_back(void **state)
{
    (void)state;
    cp_field_reader reader = {.context = cli.context, .arena = arena_new(cli.context)};
    struct buffer text = {.context = cli.context};
    for (int i = 0; i < 2000; i++) {
        struct record record = random_record(), again;
        text.size = 0;
        record_print(&record, &text);
        assert_false(text.failed);
        assert_int_equal(text.data[text.size - 1], '\n');
        assert_null(memchr(text.data, '\n', text.size - 1));
        assert_true(utf8_valid(text.data, text.size));
        assert_int_equal(record_parse(&reader, text.data, text.size - 1, &again), CP_OK);
        assert_same_record(&record, &again);
        for (size_t size = 0; i < 20 && size + 1 < text.size; size++) /* what a torn line is */
            assert_int_equal(record_parse(&reader, text.data, size, &again), CP_INPUT);
    }
    buffer_free(&text);
    cp_field_reader_free(&reader);
    arena_free(reader.arena);
}

static void test_a_line(void **state)
{
    (void)state;
    static const char expected[] =
        "{\"root\":\"r\",\"name\":\"a\\\"b\xc3\xa4\\u000a\",\"out\":\"o\",\"sequence\":7,\"key\":\"\",\"out_hash\":"
        "\"\","
        "\"state\":\"timeout\",\"code\":\"\",\"message\":\"\\u001b\\udcff\",\"time\":0,\"ms\":0.1,\"cpu_ms\":0,"
        "\"max_rss\":0,\"bytes_in\":0,\"bytes_out\":0,\"triangles_in\":0,\"triangles_out\":0,\"losses\":[\"x\"],"
        "\"warnings\":[],\"host\":\"\",\"attempt\":2,\"formats\":[],\"inputs\":["
        "{\"path\":\"a\\\"b\xc3\xa4\\u000a\",\"size\":684,\"mtime_ns\":1700000000123456789,"
        "\"hash\":\"00000000000000010000000000000002\"},{\"path\":\"m\",\"missing\":true}],\"outputs\":[]}\n";
    struct record_input inputs[] = {{"a\"b\xc3\xa4\n", 684, 1700000000123456789, {2, 1}, false},
                                    {.path = "m", .missing = true}};
    const char *losses[] = {"x"};
    struct record record = {.root = "r",
                            .name = inputs[0].path,
                            .out = "o",
                            .sequence = 7,
                            .message = "\x1b\xff",
                            .state = STATE_TIMEOUT,
                            .inputs = inputs,
                            .input_count = 2,
                            .ms = 0.1,
                            .attempt = 2,
                            .losses = {losses, 1, 1}};
    struct buffer text = {.context = cli.context};
    record_print(&record, &text);
    buffer_append(&text, "", 1);
    assert_string_equal(text.data, expected);
    buffer_free(&text);
}

static void test_what_is_no_record(void **state)
{
    (void)state;
#define OF "{\"root\":\"r\",\"out\":\"o\","
    static const char *const lines[] = {"",
                                        "null",
                                        "[]",
                                        "{}",
                                        "{\"root\":\"r\"}",
                                        "{\"root\":\"r\",\"state\":\"ok\"}",
                                        "{\"root\":\"\",\"out\":\"o\",\"state\":\"ok\"}",
                                        "{\"root\":\"r\",\"out\":\"\",\"state\":\"ok\"}",
                                        "{\"root\":\"r\",\"out\":1,\"state\":\"ok\"}",
                                        OF "\"state\":\"good\"}",
                                        OF "\"state\":\"ok\",\"time\":-1}",
                                        OF "\"state\":\"ok\",\"time\":1.5}",
                                        OF "\"state\":\"ok\",\"time\":18446744073709551616}",
                                        OF "\"state\":\"ok\",\"sequence\":-1}",
                                        OF "\"state\":\"ok\",\"attempt\":4294967296}",
                                        OF "\"state\":\"ok\",\"key\":\"12\"}",
                                        OF "\"state\":\"ok\",\"key\":\"0000000000000000000000000000000g\"}",
                                        OF "\"state\":\"ok\",\"losses\":[1]}",
                                        OF "\"state\":\"ok\",\"shape\":[1,1e-6,1e400,1,1,1,1,1,1,1,1,1]}",
                                        OF "\"state\":\"ok\",\"inputs\":[\"a\"]}",
                                        OF "\"state\":\"ok\",\"inputs\":{}}",
                                        OF "\"state\":\"ok\"}{}",
                                        "{\"in\":",
                                        "{\"in\":\"a\",\"state\":\"ok\"}", /* as earlier versions wrote them */
                                        "{\"run\":\"h\",\"passed_over\":[{\"what\":\"a",
                                        "{\"run\":\"h\",\"passed_over\":[1]}",
                                        "{\"run\":\"h\",\"roots\":[1]}",
                                        "{\"run\":1}",
                                        "[[[[[[[[[[[[[[[[[[[[[["};
    static const char *const good[] = {OF "\"state\":\"ok\"}",
                                       "{\"state\":\"ok\",\"new\":{\"in\":1},\"out\":\"o\",\"root\":\"r\"}",
                                       " {\"root\" : \"r\", \"out\" : \"o\", \"state\" : \"ok\", \"inputs\" : [ ] } "};
    cp_field_reader reader = {.context = cli.context, .arena = arena_new(cli.context)};
    struct record record;
    struct run_note note;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (record_parse(&reader, lines[i], strlen(lines[i]), &record) != CP_INPUT ||
            run_note_take(&reader, &note) != CP_INPUT)
            fail_msg("read as a record: %s", lines[i]);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (record_parse(&reader, good[i], strlen(good[i]), &record) != CP_OK || strcmp(record.out, "o") != 0)
            fail_msg("not read: %s", good[i]);
    cp_field_reader_free(&reader);
    arena_free(reader.arena);
}

/* ---- which record holds ---- */

static void write_lines(const char *name, const char *const *lines, size_t count)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    for (size_t i = 0; i < count; i++)
        fprintf(file, "%s\n", lines[i]);
    assert_int_equal(fclose(file), 0);
}

#define HASH "0123456789abcdef0123456789abcde"
#define LINE(state, sequence, key)                                                                                     \
    "{\"root\":\"r\",\"name\":\"a\",\"out\":\"a.glb\",\"state\":\"" state "\",\"sequence\":" #sequence                 \
    ",\"time\":" #sequence "9,\"key\":\"" key "\"}"

/* All orders of up to four lines, in one file and each in its own, and each file twice. */
static void assert_holds(const char *const *lines, size_t count, const char *expected, uint64_t sequence)
{
    static const unsigned orders[24][4] = {
        {0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 1, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {0, 3, 2, 1}, {1, 0, 2, 3}, {1, 0, 3, 2},
        {1, 2, 0, 3}, {1, 2, 3, 0}, {1, 3, 0, 2}, {1, 3, 2, 0}, {2, 0, 1, 3}, {2, 0, 3, 1}, {2, 1, 0, 3}, {2, 1, 3, 0},
        {2, 3, 0, 1}, {2, 3, 1, 0}, {3, 0, 1, 2}, {3, 0, 2, 1}, {3, 1, 0, 2}, {3, 1, 2, 0}, {3, 2, 0, 1}, {3, 2, 1, 0}};
    (void)snprintf(path, sizeof path, "%s/lines", folder);
    for (int order = 0; order < 24; order++)
        for (int apart = 0; apart < 2; apart++) {
            struct state state = {0};
            struct merged merged = {0};
            struct record record;
            const char *sorted[4];
            size_t used = 0;
            for (int i = 0; i < 4; i++)
                if (orders[order][i] < count)
                    sorted[used++] = lines[orders[order][i]];
            assert_int_equal(state_open(&cli, "", STATE_EMPTY, &state), CP_OK);
            for (size_t i = 0; i < 2 * count; i++) {
                write_lines(path, &sorted[apart ? i % count : 0], apart ? 1 : count);
                assert_int_equal(merge_file(&cli, path, &state, &merged), CP_OK);
            }
            assert_int_equal(state_find(&state, "a.glb", &record), CP_OK);
            assert_string_equal(state_names[record.state], expected);
            assert_int_equal(record.sequence, sequence);
            assert_int_equal(state_find(&state, "a", &record), CP_NO);
            state_close(&state);
        }
    (void)unlink(path);
}

/* Times stand in the lines so that the sequence disagrees with none of them: test_clocks has those that do. */
static void test_which_record_holds(void **state)
{
    (void)state;
    /* the greater number, whatever became of it */
    assert_holds((const char *[]){LINE("ok", 1, HASH "1"), LINE("failed", 2, HASH "2")}, 2, "failed", 2);
    assert_holds((const char *[]){LINE("failed", 1, HASH "1"), LINE("ok", 2, HASH "1")}, 2, "ok", 2);
    assert_holds((const char *[]){LINE("failed", 2, HASH "2"), LINE("ok", 3, HASH "2"), LINE("ok", 1, HASH "1")}, 3,
                 "ok", 3);
    assert_holds((const char *[]){LINE("ok", 9, HASH "1"), LINE("failed", 10, HASH "2"), LINE("failed", 11, HASH "1"),
                                  LINE("timeout", 12, HASH "1")},
                 4, "timeout", 12);
    /* a shard that ran twice at once */
    assert_holds((const char *[]){LINE("ok", 1, HASH "1"), LINE("failed", 1, HASH "2")}, 2, "ok", 1);
    assert_holds((const char *[]){LINE("timeout", 1, HASH "2"), LINE("ok", 1, HASH "1")}, 2, "ok", 1);
    assert_holds((const char *[]){LINE("ok", 1, HASH "1"), LINE("crashed", 1, "")}, 2, "ok", 1);
    assert_holds((const char *[]){LINE("failed", 1, HASH "1"), LINE("timeout", 1, HASH "2")}, 2, "timeout", 1);
    /* what was up to date says nothing */
    assert_holds((const char *[]){LINE("ok", 1, HASH "1"), LINE("skipped", 2, HASH "1")}, 2, "ok", 1);
}

/* Clocks that ran ahead or behind decide nothing. */
static void test_clocks(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "{\"root\":\"r\",\"out\":\"a.glb\",\"state\":\"failed\",\"sequence\":1,\"time\":4000000000000}",
        "{\"root\":\"r\",\"out\":\"a.glb\",\"state\":\"ok\",\"sequence\":2,\"time\":7}"};
    assert_holds(lines, 2, "ok", 2);
}

static const struct whereabouts here = {"here", "boot-1", "pid:[1]", 1};

/* Writes a journal of 50 records of 100 outputs, as a run on that system leaves it. */
static void write_journal(int number, const char *boot, bool has_ended, bool is_torn)
{
    const struct passed_over passed[] = {{".pdf", 3}, {".txt", (uint64_t)number}};
    const struct input_root root = {.id = "r", .path = "/lib", .given = "lib"};
    struct buffer text = {.context = cli.context};
    run_note_print(&(struct run_note){.host = "here",
                                      .boot = boot,
                                      .namespace = "pid:[1]",
                                      .isolation = number % 2 ? "seccomp" : "none",
                                      .roots = &root,
                                      .root_count = 1,
                                      .passed_over = passed,
                                      .passed_count = 2},
                   &text);
    for (int i = 0; i < 50; i++) {
        struct record record = random_record();
        record.root = "r";
        record.name = cli_print(&cli, "part%u\xff", random_below(100));
        record.out = cli_print(&cli, "%s.glb", record.name);
        record.sequence = 1 + random_below(10);
        record_print(&record, &text);
    }
    if (has_ended)
        run_note_print(&(struct run_note){.host = "here", .ended = true, .up_to_date = 2}, &text);
    buffer_append(&text, "{\"in\":", is_torn ? 6 : 0);
    (void)snprintf(path, sizeof path, "%s/journals/%d.jsonl", folder, number);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text.data, 1, text.size, file), text.size);
    assert_int_equal(fclose(file), 0);
    buffer_free(&text);
}

/* Returns what a state says of its outputs, for people and for programs. */
static char *report_text(struct state *state)
{
    const struct report_scope scope = {0};
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_int_not_equal(print_report(&cli, state, &scope, REPORT_JSON, file), CP_LIMIT);
    assert_int_not_equal(print_report(&cli, state, &scope, REPORT_CSV, file), CP_LIMIT);
    assert_int_equal(fclose(file), 0);
    return text;
}

static struct merged merge_now(struct state *state, enum state_use use)
{
    struct merged merged = {0};
    assert_int_equal(state_open(&cli, folder, use, state), CP_OK);
    assert_int_equal(merge_journals(&cli, folder, NULL, &here, use == STATE_WRITE, state, &merged), CP_OK);
    return merged;
}

/* A copy in memory says the same as the state; journals whose run may go on stay, and are taken again without harm. */
static void test_merging_journals(void **state)
{
    (void)state;
    struct state copy = {0}, kept = {0};
    (void)snprintf(path, sizeof path, "%s/journals", folder);
    assert_int_equal(mkdir(path, 0777), 0);
    for (int i = 0; i < 9; i++)
        write_journal(i, i < 6 ? "boot-1" : "boot-2", i % 3 == 0, i % 3 == 1);
    struct merged merged = merge_now(&copy, STATE_READ);
    assert_int_equal(merged.journals, 9);
    assert_int_equal(merged.torn, 3);
    assert_int_equal(merged.running, 2); /* of another boot, and without an end */
    assert_int_equal(merged.up_to_date, 6);
    char *before = report_text(&copy);
    state_close(&copy);
    merged = merge_now(&kept, STATE_WRITE);
    assert_int_equal(merged.journals, 9);
    char *after = report_text(&kept);
    assert_string_equal(before, after);
    free(after);
    state_close(&kept);
    for (int i = 0; i < 9; i++) {
        (void)snprintf(path, sizeof path, "%s/journals/%d.jsonl", folder, i);
        assert_int_equal(access(path, F_OK) == 0, i >= 6 && i % 3 != 0);
    }
    merged = merge_now(&kept, STATE_WRITE);
    assert_int_equal(merged.journals, 2);
    after = report_text(&kept);
    assert_string_equal(before, after);
    free(before);
    free(after);
    state_close(&kept);
    (void)snprintf(path, sizeof path, "rm -r %s/*", folder);
    assert_int_equal(system(path), 0); /* NOLINT: the folder is ours */
}

/* ---- lists ---- */

static void open_list(struct entries *entries, const char *const *names, uint32_t count)
{
    assert_true(entries_open(&cli, entries));
    const struct input_root *root = entries_root(&cli, entries, ".");
    for (uint32_t i = 0; i < count; i++)
        assert_non_null(entries_add(entries, root, names[i]));
    entries_sort(entries);
}

static void test_names(void **state)
{
    (void)state;
    static const struct {
        const char *names[3], *outputs[3];
        bool is_short;
        cp_status status;
    } cases[] = {
        {{"a.stl", "b/a.stl.gz", "b/x"}, {"web/a.stl.glb", "web/b/a.stl.gz.glb", "web/b/x.glb"}, false, CP_OK},
        {{"a.stl", "b/a.STL.gz", "b/v1.2"}, {"web/a.glb", "web/b/a.glb", "web/b/v1.2.glb"}, true, CP_OK},
        {{"A.stl", "a.stl", "b"}, {"web/A.stl.glb", "web/a.stl.glb", "web/b.glb"}, false, CP_OK},
        {{"a.obj", "a.stl", "b"}, {NULL}, true, CP_USAGE},
        {{"a.obj", "a.stl", "b"}, {"web/a.obj.glb", "web/a.stl.glb", "web/b.glb"}, false, CP_OK},
        {{"a.stl", "web/a.stl.glb", "b"}, {NULL}, false, CP_USAGE},                 /* an input would be replaced */
        {{"a.stl", "a.stl.glb/b.stl", "c"}, {NULL}, false, CP_USAGE},               /* a folder would be a file */
        {{"a.stl", "a.stl-b/b.stl", "a.stl.glb/c/d.stl"}, {NULL}, false, CP_USAGE}, /* two levels down */
        {{".stl", "x/.stl", "x/a.b/c"}, {"web/.stl.glb", "web/x/.stl.glb", "web/x/a.b/c.glb"}, true, CP_OK},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct entries entries = {0};
        struct naming naming = {"web", ".glb", cases[i].is_short, false};
        open_list(&entries, cases[i].names, 3);
        assert_int_equal(check_names(&cli, &entries, &naming), cases[i].status);
        for (int k = 0; k < 3 && cases[i].status == CP_OK; k++)
            assert_string_equal(output_path(entries.arena, &naming, &entries.items[k]), cases[i].outputs[k]);
        entries_free(&entries);
    }
    char longest[256];
    memset(longest, 'n', 255);
    longest[255] = '\0';
    struct entries entries = {0};
    open_list(&entries, (const char *[]){longest, longest + 4}, 2);
    assert_int_equal(check_names(&cli, &entries, &(struct naming){"web", ".glb", false, false}), CP_OK);
    assert_null(entry_fault(&entries.items[0]));
    assert_non_null(entry_fault(&entries.items[1]));
    entries_free(&entries);
}

/* Every entry is in one shard; the shards' weights differ by no more than the heaviest entry. */
static void test_shards(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    static const uint32_t counts[] = {1, 2, 7, 64, 3000};
    struct entries all = {0}, shard = {0};
    for (size_t n = 0; n < sizeof counts / sizeof *counts; n++)
        for (enum balance balance = BALANCE_SIZE; balance <= BALANCE_HASH; balance++) {
            uint32_t seen = 0, first_time = 0;
            uint64_t lightest = UINT64_MAX, heaviest = 0;
            char found[COUNT] = {0};
            for (uint32_t index = 0; index < counts[n]; index++) {
                assert_true(entries_open(&cli, &shard));
                seed = 5;
                const struct input_root *root = entries_root(&cli, &shard, ".");
                for (uint32_t i = 0; i < COUNT; i++) {
                    struct entry *entry = entries_add(&shard, root, cli_print(&cli, "part%03u", i));
                    assert_non_null(entry);
                    entry->size = random_below(1000000);
                }
                uint64_t weight = 0;
                assert_int_equal(select_shard(&cli, &shard, (struct shard){index, counts[n], (int)balance}), CP_OK);
                for (uint32_t i = 0; i < shard.count; i++) {
                    assert_true(i == 0 || strcmp(shard.items[i - 1].name, shard.items[i].name) < 0);
                    first_time += !found[atoi(shard.items[i].name + 4)]++;
                    weight += 65536 + shard.items[i].size;
                }
                seen += shard.count;
                lightest = weight < lightest ? weight : lightest;
                heaviest = weight > heaviest ? weight : heaviest;
                entries_free(&shard);
            }
            assert_int_equal(seen, COUNT);
            assert_int_equal(first_time, COUNT);
            assert_true(balance == BALANCE_HASH || heaviest - lightest <= 1065536);
        }
    entries_free(&all);
    struct shard parsed = {.balance = BALANCE_SIZE};
    assert_int_equal(shard_parse(&cli, "3/64", &parsed), CP_OK);
    assert_true(parsed.index == 3 && parsed.count == 64 && parsed.balance == BALANCE_SIZE);
    assert_int_equal(shard_parse(&cli, "0/1", &parsed), CP_OK);
    static const char *const wrong[] = {"",     "1",   "/",    "1/",    "/2",  "2/2",         "3/2",
                                        "-1/2", "0/0", "0/2 ", "0/2/3", "a/b", "0/9999999999"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(shard_parse(&cli, wrong[i], &parsed), CP_USAGE);
}

/* naming: "ab" for a names b. */
static void assert_whole_cells(const char *naming, const char *expected)
{
    struct entries entries = {0};
    static const char *const names[] = {"x/a", "x/b", "x/c", "x/d", "x/e"};
    struct record_input inputs[5][8] = {0};
    struct scan scans[5] = {0};
    open_list(&entries, names, 5);
    for (const char *at = naming; *at; at += 3) {
        struct scan *scan = &scans[at[0] - 'a'];
        scan->inputs = inputs[at[0] - 'a'];
        scan->inputs[scan->input_count++].path = cli_print(&cli, "x/../x/./%c", at[1]);
    }
    for (int i = 0; i < 5; i++)
        entries.items[i].scan = &scans[i];
    assert_int_equal(keep_whole_cells(&cli, &entries), CP_OK);
    char kept[8] = "";
    for (uint32_t i = 0; i < entries.count; i++)
        strncat(kept, entries.items[i].name + 2, 1);
    assert_string_equal(kept, expected);
    entries_free(&entries);
}

static void test_whole_cells(void **state)
{
    (void)state;
    assert_whole_cells("", "abcde");
    assert_whole_cells("ab ac ", "ade");
    assert_whole_cells("ba cb ", "cde");        /* a chain against the order */
    assert_whole_cells("aa ", "abcde");         /* itself */
    assert_whole_cells("ab ba ", "acde");       /* a circle */
    assert_whole_cells("bc cb ca ", "bde");     /* behind a circle, first by path */
    assert_whole_cells("bc cb eb ", "ade");     /* in front of one */
    assert_whole_cells("ab bc ca dc de ", "d"); /* a circle that somebody names */
    assert_whole_cells("ax a/ ", "abcde");
}

/* ---- without memory ---- */

static cp_status do_all(const char *manifest, const char *lines)
{
    struct entries entries = {0};
    struct state state = {0};
    struct merged merged = {0};
    const char *in[] = {folder}, *only[] = {"*"};
    const struct naming naming = {"out", ".glb", true, false};
    struct list_request request = {.in = {in, 1, 1}, .only = {only, 1, 1}, .root = "/tmp"};
    FILE *file = fopen("/dev/null", "w");
    cp_status status = list_entries(&cli, &request, &entries);
    if (status == CP_OK)
        status = check_names(&cli, &entries, &naming);
    if (status == CP_OK)
        status = keep_whole_cells(&cli, &entries);
    if (status == CP_OK)
        status = select_shard(&cli, &entries, (struct shard){0, 2, BALANCE_SIZE});
    entries_free(&entries);
    if (status == CP_OK)
        status = manifest_read(&cli, manifest, &(struct manifest_use){0}, &entries);
    if (status == CP_OK)
        status = entries_name_root(&cli, &entries, "r");
    if (status == CP_OK)
        status = state_open(&cli, "", STATE_EMPTY, &state);
    if (status == CP_OK)
        status = merge_file(&cli, lines, &state, &merged);
    for (enum report_form form = REPORT_TEXT; form <= REPORT_CSV && status == CP_OK; form++) {
        const struct report_scope scope = {.expected = form ? NULL : &entries, .merged = &merged};
        status = print_report(&cli, &state, &scope, form, file);
    }
    state_close(&state);
    entries_free(&entries);
    (void)fclose(file);
    return status;
}

/* Each allocation fails in turn, of the library and of the program. */
static void test_without_memory(void **state)
{
    (void)state;
    static const char *const manifest[] = {"{\"path\":\"x\",\"inputs\":[{\"path\":\"b\"}]}", "{\"path\":\"y\"}"};
    static const char *const lines[] = {
        "{\"run\":\"h\",\"roots\":[{\"id\":\"r\",\"path\":\"/"
        "x\",\"given\":\"x\"}],\"passed_over\":[{\"what\":\".a\",\"count\":1}]}",
        "{\"root\":\"r\",\"name\":\"x\",\"out\":\"x.glb\",\"state\":\"ok\",\"losses\":[\"a: "
        "12\"],\"inputs\":[{\"path\":\"b\"}]}",
        "{\"root\":\"r\",\"name\":\"y\",\"out\":\"y.glb\",\"state\":\"ok\",\"out_hash\":\"" HASH "1\",\"sequence\":2}"};
    char lines_path[64];
    cp_allocator allocator = {.resize = failing_resize};
    (void)snprintf(path, sizeof path, "%s/manifest", folder);
    (void)snprintf(lines_path, sizeof lines_path, "%s/lines", folder);
    write_lines(path, manifest, 2);
    write_lines(lines_path, lines, 3);
    cp_context *context = cli.context;
    long fewest = 1;
    for (bool program = false;; program = true) {
        for (long left = 1;; left++) {
            long of_library = program ? LONG_MAX : left;
            allocator.user = &of_library;
            cli.context = cp_context_new(&allocator);
            calls_left = program ? (unsigned)left : 0;
            cp_status status = cli.context ? do_all(path, lines_path) : CP_LIMIT;
            calls_left = 0;
            cp_context_free(cli.context);
            fewest = left;
            if (status == CP_OK)
                break;
            assert_int_equal(status, CP_LIMIT);
        }
        assert_true(fewest > 4);
        if (program)
            break;
    }
    cli.context = context;
    (void)unlink(path);
    (void)unlink(lines_path);
}

/* How many bytes and records the status file has. */
static uint32_t count_records(const char *status_file, long *size)
{
    char line[1 << 16];
    uint32_t count = 0;
    FILE *file = fopen(status_file, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        count += strstr(line, "\"state\"") != NULL;
    *size = ftell(file);
    assert_int_equal(fclose(file), 0);
    return count;
}

/* Removes the journals of runs that memory ran out for: each one more needs memory in the next run. */
static void remove_journals(const char *out)
{
    char journals[300], name[600];
    (void)snprintf(journals, sizeof journals, "%s/.cellpipe/journals", out);
    DIR *members = opendir(journals);
    for (const struct dirent *member; members && (member = readdir(members));) {
        (void)snprintf(name, sizeof name, "%s/%s", journals, member->d_name);
        if (member->d_name[0] != '.')
            (void)unlink(name);
    }
    if (members)
        (void)closedir(members);
}

/* A run with nothing to convert: lists, the state, decisions and records. It ends as ever, with a record of each input,
 * or says that memory ran out. */
static void test_a_run_without_memory(void **state)
{
    (void)state;
    char in[128], out[128], status_file[128];
    long size, size_now;
    (void)snprintf(in, sizeof in, "%s/in.stl", folder);
    (void)snprintf(out, sizeof out, "%s/out", folder);
    (void)snprintf(status_file, sizeof status_file, "%s/status", folder);
    const char *const part[] = {"solid",        "facet",   "outer loop", "vertex 0 0 0", "vertex 1 0 0",
                                "vertex 0 1 0", "endloop", "endfacet",   "endsolid"};
    const char *run_words[] = {"batch", in, "none.stl", "--out-dir", out, "--status", status_file};
    write_lines(in, part, sizeof part / sizeof *part);
    cli.words = (struct list){run_words, sizeof run_words / sizeof *run_words, sizeof run_words / sizeof *run_words};
    cli.plain = SIZE_MAX;
    cli.quiet = true;
    assert_int_equal(batch_command.run(&cli), CP_NO); /* one is not there */
    assert_int_equal(count_records(status_file, &size), 2);
    cp_allocator allocator = {.resize = failing_resize};
    cp_context *context = cli.context;
    for (int program = 0; program < 2; program++) {
        bool enough = false;
        for (long left = 0; !enough; left++) {
            long of_library = program ? LONG_MAX : left;
            allocator.user = &of_library;
            cli.context = cp_context_new(&allocator);
            calls_left = program ? (unsigned)left + 1 : 0;
            cp_status status = cli.context ? batch_command.run(&cli) : CP_LIMIT;
            enough = program ? calls_left > 0 : of_library > 0;
            calls_left = 0;
            cp_context_free(cli.context);
            assert_true(status == CP_NO || (status == CP_LIMIT && !enough));
            assert_true(status == CP_LIMIT || count_records(status_file, &size_now) == 4);
            assert_int_equal(truncate(status_file, size), 0);
            remove_journals(out);
        }
    }
    cli.context = context;
    (void)snprintf(path, sizeof path, "rm -r %s/*", folder);
    assert_int_equal(system(path), 0); /* NOLINT: the folder is ours */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_records_come_back, begin, end),
        cmocka_unit_test_setup_teardown(test_a_line, begin, end),
        cmocka_unit_test_setup_teardown(test_what_is_no_record, begin, end),
        cmocka_unit_test_setup_teardown(test_which_record_holds, begin, end),
        cmocka_unit_test_setup_teardown(test_clocks, begin, end),
        cmocka_unit_test_setup_teardown(test_merging_journals, begin, end),
        cmocka_unit_test_setup_teardown(test_names, begin, end),
        cmocka_unit_test_setup_teardown(test_shards, begin, end),
        cmocka_unit_test_setup_teardown(test_whole_cells, begin, end),
        cmocka_unit_test_setup_teardown(test_without_memory, begin, end),
        cmocka_unit_test_setup_teardown(test_a_run_without_memory, begin, end),
    };
    if (!mkdtemp(folder))
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void)rmdir(folder);
    return failed;
}
