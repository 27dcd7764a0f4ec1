/* Lists of inputs and their outputs, records of what became of them, and how records of several files are merged. */
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
    struct record record = {.in = cli_print(&cli, "i%s", random_text()),
                            .out = random_text(),
                            .cwd = random_text(),
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
                            .state = (enum state)random_below(STATE_COUNT)};
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
    assert_string_equal(a->in, b->in);
    assert_string_equal(a->out, b->out);
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
    assert_string_equal(a->cwd, b->cwd);
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
        "{\"in\":\"a\\\"b\xc3\xa4\\u000a\",\"out\":\"\",\"cwd\":\"/"
        "\",\"key\":\"\",\"out_hash\":\"\",\"state\":\"timeout\",\"code\":"
        "\"\","
        "\"message\":\"\\u001b\\udcff\",\"time\":0,\"ms\":0.1,\"cpu_ms\":0,\"max_rss\":0,\"bytes_in\":0,\"bytes_out\":"
        "0,"
        "\"triangles_in\":0,\"triangles_out\":0,\"losses\":[\"x\"],\"warnings\":[],\"host\":\"\",\"attempt\":2,"
        "\"formats\":[],\"inputs\":["
        "{\"path\":\"a\\\"b\xc3\xa4\\u000a\",\"size\":684,\"mtime_ns\":1700000000123456789,"
        "\"hash\":\"00000000000000010000000000000002\"},{\"path\":\"m\",\"missing\":true}],\"outputs\":[]}\n";
    struct record_input inputs[] = {{"a\"b\xc3\xa4\n", 684, 1700000000123456789, {2, 1}, false},
                                    {.path = "m", .missing = true}};
    const char *losses[] = {"x"};
    struct record record = {.in = inputs[0].path,
                            .cwd = "/",
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
    static const char *const lines[] = {"",
                                        "null",
                                        "[]",
                                        "{}",
                                        "{\"in\":\"a\"}",
                                        "{\"in\":\"\",\"state\":\"ok\"}",
                                        "{\"in\":1,\"state\":\"ok\"}",
                                        "{\"in\":\"a\",\"state\":\"good\"}",
                                        "{\"in\":\"a\",\"state\":\"ok\",\"time\":-1}",
                                        "{\"in\":\"a\",\"state\":\"ok\",\"time\":1.5}",
                                        "{\"in\":\"a\",\"state\":\"ok\",\"time\":18446744073709551616}",
                                        "{\"in\":\"a\",\"state\":\"ok\",\"attempt\":4294967296}",
                                        "{\"in\":\"a\",\"state\":\"ok\",\"key\":\"12\"}",
                                        "{\"in\":\"a\",\"state\":\"ok\",\"key\":\"0000000000000000000000000000000g\"}",
                                        "{\"in\":\"a\",\"state\":\"ok\",\"losses\":[1]}",
                                        "{\"in\":\"a\",\"state\":\"ok\",\"shape\":[1,1e-6,1e400,1,1,1,1,1,1,1,1,1]}",
                                        "{\"in\":\"a\",\"state\":\"ok\",\"inputs\":[\"a\"]}",
                                        "{\"in\":\"a\",\"state\":\"ok\",\"inputs\":{}}",
                                        "{\"in\":\"a\",\"state\":\"ok\"}{}",
                                        "{\"in\":",
                                        "{\"run\":\"h\",\"passed_over\":[{\"what\":\"a",
                                        "{\"run\":\"h\",\"passed_over\":[1]}",
                                        "{\"run\":1}",
                                        "[[[[[[[[[[[[[[[[[[[[[["};
    static const char *const good[] = {"{\"in\":\"a\",\"state\":\"ok\"}",
                                       "{\"state\":\"ok\",\"new\":{\"in\":1},\"in\":\"a\"}",
                                       " {\"in\" : \"a\", \"state\" : \"ok\", \"inputs\" : [ ] } "};
    cp_field_reader reader = {.context = cli.context, .arena = arena_new(cli.context)};
    struct record record;
    struct run_note note;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (record_parse(&reader, lines[i], strlen(lines[i]), &record) != CP_INPUT ||
            run_note_take(&reader, &note) != CP_INPUT)
            fail_msg("read as a record: %s", lines[i]);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (record_parse(&reader, good[i], strlen(good[i]), &record) != CP_OK || strcmp(record.in, "a") != 0)
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
#define LINE(state, time, key, size)                                                                                   \
    "{\"in\":\"a\",\"state\":\"" state "\",\"time\":" #time ",\"key\":\"" key                                          \
    "\",\"inputs\":[{\"path\":\"a\",\"size\":" #size ",\"mtime_ns\":7}]}"

/* All orders of up to four lines, in one file and each in its own. */
static void assert_holds(const char *const *lines, size_t count, const char *expected, uint64_t time)
{
    static const unsigned orders[24][4] = {
        {0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 1, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {0, 3, 2, 1}, {1, 0, 2, 3}, {1, 0, 3, 2},
        {1, 2, 0, 3}, {1, 2, 3, 0}, {1, 3, 0, 2}, {1, 3, 2, 0}, {2, 0, 1, 3}, {2, 0, 3, 1}, {2, 1, 0, 3}, {2, 1, 3, 0},
        {2, 3, 0, 1}, {2, 3, 1, 0}, {3, 0, 1, 2}, {3, 0, 2, 1}, {3, 1, 0, 2}, {3, 1, 2, 0}, {3, 2, 0, 1}, {3, 2, 1, 0}};
    char names[4][64];
    const char *paths[4];
    for (int order = 0; order < 24; order++)
        for (int apart = 0; apart < 2; apart++) {
            const char *sorted[4];
            size_t used = 0;
            for (int i = 0; i < 4; i++)
                if (orders[order][i] < count)
                    sorted[used++] = lines[orders[order][i]];
            for (size_t i = 0; i < count; i++) {
                (void)snprintf(names[i], sizeof names[i], "%s/%zu.jsonl", folder, i);
                paths[i] = names[i];
                write_lines(names[i], &sorted[i], apart ? 1 : i == 0 ? count : 0);
            }
            struct records records = {0};
            assert_int_equal(records_read(&cli, paths, count, &records), CP_OK);
            assert_int_equal(records.count, 1);
            assert_string_equal(state_names[records.items[0]->state], expected);
            assert_int_equal(records.items[0]->time, time);
            records_free(&records);
        }
    for (size_t i = 0; i < count; i++)
        (void)unlink(names[i]);
}

static void test_which_record_holds(void **state)
{
    (void)state;
    /* a shard that ran twice at once */
    assert_holds((const char *[]){LINE("ok", 1, HASH "1", 5), LINE("failed", 2, HASH "1", 5)}, 2, "ok", 1);
    assert_holds((const char *[]){LINE("timeout", 1, HASH "1", 5), LINE("ok", 2, HASH "1", 5)}, 2, "ok", 2);
    assert_holds((const char *[]){LINE("ok", 1, HASH "1", 5), LINE("crashed", 2, "", 5)}, 2, "ok", 1);
    /* it was changed, and fails since */
    assert_holds((const char *[]){LINE("ok", 1, HASH "1", 5), LINE("failed", 2, HASH "2", 5)}, 2, "failed", 2);
    assert_holds((const char *[]){LINE("ok", 1, HASH "1", 5), LINE("memory", 2, "", 6)}, 2, "memory", 2);
    assert_holds(
        (const char *[]){LINE("failed", 2, HASH "2", 5), LINE("ok", 3, HASH "2", 5), LINE("ok", 1, HASH "1", 5)}, 3,
        "ok", 3);
    /* nothing has changed since */
    assert_holds((const char *[]){LINE("ok", 1, HASH "1", 5), LINE("skipped", 2, HASH "1", 5),
                                  "{\"in\":\"a\",\"state\":\"skipped\",\"time\":3}"},
                 3, "ok", 1);
    assert_holds((const char *[]){LINE("failed", 1, HASH "1", 5), LINE("failed", 2, HASH "1", 5)}, 2, "failed", 2);
    assert_holds((const char *[]){LINE("skipped", 2, HASH "1", 5), LINE("failed", 1, HASH "0", 4)}, 2, "skipped", 2);
    /* there and back */
    assert_holds((const char *[]){LINE("ok", 1, HASH "1", 5), LINE("failed", 2, HASH "2", 5),
                                  LINE("failed", 3, HASH "1", 5), LINE("timeout", 4, HASH "1", 5)},
                 4, "timeout", 4);
    /* the same moment */
    assert_holds((const char *[]){LINE("ok", 1, HASH "1", 5), LINE("failed", 1, HASH "1", 5)}, 2, "ok", 1);
    assert_holds((const char *[]){LINE("ok", 1, HASH "1", 5), LINE("failed", 1, HASH "2", 5)}, 2, "failed", 1);
}

static bool everybody_is_dead(const void *user, const char *file)
{
    (void)file;
    return *(bool *)user;
}

static char *report_text(void)
{
    struct records records = {0};
    const char *paths[] = {folder};
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_int_equal(records_read(&cli, paths, 1, &records), CP_OK);
    (void)print_report(&cli, &records, NULL, REPORT_JSON, file);
    (void)print_report(&cli, &records, NULL, REPORT_CSV, file);
    assert_int_equal(fclose(file), 0);
    records_free(&records);
    return text;
}

/* Many files become one, and the report stays the same; but not while somebody writes one of them. */
static void test_merging_files(void **state)
{
    (void)state;
    bool dead = false;
    struct buffer text = {.context = cli.context};
    for (int i = 0; i < 9; i++) {
        (void)snprintf(path, sizeof path, "%s/%d.jsonl", folder, i);
        text.size = 0;
        const struct passed_over passed[] = {{".pdf", 3}, {".txt", (uint64_t)i}};
        run_note_print(&(struct run_note){"here", i % 2 ? "seccomp" : "none", passed, 2}, &text);
        for (int k = 0; k < 50; k++) {
            struct record record = random_record();
            record.in = cli_print(&cli, "part%u\xff", random_below(100));
            record.time = random_below(10);
            record_print(&record, &text);
        }
        buffer_append(&text, "{\"in\":", i % 3 ? 6 : 0); /* torn */
        FILE *file = fopen(path, "w");
        assert_int_equal(fwrite(text.data, 1, text.size, file), text.size);
        assert_int_equal(fclose(file), 0);
    }
    buffer_free(&text);
    struct records records = {0};
    const char *paths[] = {folder};
    assert_int_equal(records_read(&cli, paths, 1, &records), CP_OK);
    assert_int_equal(records.files, 9);
    assert_int_equal(records.torn, 6);
    assert_int_equal(records.passed_count, 2);
    assert_string_equal(records.passed_over[0].what, ".txt");
    assert_int_equal(records.passed_over[0].count, 8);
    records_free(&records);
    char *before = report_text(), *torn = strstr(before, "\"torn_lines\": 6");
    assert_non_null(torn);
    torn[strlen("\"torn_lines\": ")] = '0';
    assert_int_equal(records_merge(&cli, folder, 3, "here-1", everybody_is_dead, &dead), CP_OK);
    (void)snprintf(path, sizeof path, "%s/here-1-merged.jsonl", folder);
    assert_int_not_equal(access(path, F_OK), 0);
    dead = true;
    assert_int_equal(records_merge(&cli, folder, 9, "here-1", everybody_is_dead, &dead), CP_OK);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(records_merge(&cli, folder, 3, "here-1", everybody_is_dead, &dead), CP_OK);
    assert_int_equal(access(path, F_OK), 0);
    char *after = report_text();
    assert_string_equal(before, after);
    free(before);
    free(after);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0); /* nothing else is left */
    assert_non_null(strcpy(folder + strlen(folder) - 6, "XXXXXX"));
    assert_non_null(mkdtemp(folder));
}

/* ---- lists ---- */

static void open_list(struct entries *entries, const char *const *names, uint32_t count)
{
    assert_true(entries_open(&cli, entries));
    for (uint32_t i = 0; i < count; i++)
        assert_non_null(entries_add(entries, names[i], names[i]));
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
        open_list(&entries, cases[i].names, 3);
        assert_int_equal(name_outputs(&cli, &entries, "./web//", ".glb", cases[i].is_short), cases[i].status);
        for (int k = 0; k < 3 && cases[i].status == CP_OK; k++)
            assert_string_equal(entries.items[k].out, cases[i].outputs[k]);
        entries_free(&entries);
    }
    char longest[256];
    memset(longest, 'n', 255);
    longest[255] = '\0';
    struct entries entries = {0};
    open_list(&entries, (const char *[]){longest, longest + 4}, 2);
    assert_int_equal(name_outputs(&cli, &entries, "web", ".glb", false), CP_OK);
    assert_null(entries.items[0].fault);
    assert_non_null(entries.items[1].fault);
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
                for (uint32_t i = 0; i < COUNT; i++) {
                    struct entry *entry = entries_add(&shard, cli_print(&cli, "part%03u", i), "");
                    assert_non_null(entry);
                    entry->size = random_below(1000000);
                }
                uint64_t weight = 0;
                assert_int_equal(select_shard(&cli, &shard, (struct shard){index, counts[n], (int)balance}), CP_OK);
                for (uint32_t i = 0; i < shard.count; i++) {
                    assert_true(i == 0 || strcmp(shard.items[i - 1].in, shard.items[i].in) < 0);
                    first_time += !found[atoi(shard.items[i].in + 4)]++;
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
        strncat(kept, entries.items[i].in + 2, 1);
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

static cp_status do_all(const char *manifest)
{
    struct entries entries = {0};
    struct records records = {0};
    const char *in[] = {folder}, *only[] = {"*"}, *status_path[] = {manifest};
    struct list_request request = {.in = {in, 1, 1}, .only = {only, 1, 1}, .root = "/tmp"};
    FILE *file = fopen("/dev/null", "w");
    cp_status status = list_entries(&cli, &request, &entries);
    if (status == CP_OK)
        status = name_outputs(&cli, &entries, "out", ".glb", true);
    if (status == CP_OK)
        status = keep_whole_cells(&cli, &entries);
    if (status == CP_OK)
        status = select_shard(&cli, &entries, (struct shard){0, 2, BALANCE_SIZE});
    entries_free(&entries);
    if (status == CP_OK)
        status = manifest_read(&cli, status_path[0], &entries);
    if (status == CP_OK)
        status = records_read(&cli, status_path + 0, 1, &records);
    for (enum report_form form = REPORT_TEXT; form <= REPORT_CSV && status == CP_OK; form++)
        status = print_report(&cli, &records, form ? NULL : &entries, form, file);
    entries_free(&entries);
    records_free(&records);
    (void)fclose(file);
    return status;
}

/* Each allocation fails in turn, of the library and of the program. */
static void test_without_memory(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "{\"path\":\"x\",\"in\":\"x\",\"state\":\"ok\",\"losses\":[\"a\"],\"inputs\":[{\"path\":\"b\"}]}",
        "{\"path\":\"y\",\"in\":\"y\",\"state\":\"ok\",\"out_hash\":\"" HASH "1\"}"};
    cp_allocator allocator = {.resize = failing_resize};
    (void)snprintf(path, sizeof path, "%s/lines", folder);
    write_lines(path, lines, 2);
    cp_context *context = cli.context;
    long fewest = 1;
    for (bool program = false;; program = true) {
        for (long left = 1;; left++) {
            long of_library = program ? LONG_MAX : left;
            allocator.user = &of_library;
            cli.context = cp_context_new(&allocator);
            calls_left = program ? (unsigned)left : 0;
            cp_status status = cli.context ? do_all(path) : CP_LIMIT;
            calls_left = 0;
            cp_context_free(cli.context);
            fewest = left;
            if (status == CP_OK)
                break;
            assert_int_equal(status, CP_LIMIT);
        }
        assert_true(fewest > 10);
        if (program)
            break;
    }
    cli.context = context;
    (void)unlink(path);
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

/* A run with nothing to convert: lists, history, decisions and records. It ends as ever, with a record of each input,
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
        cmocka_unit_test_setup_teardown(test_merging_files, begin, end),
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
