/* Third-party readers in processes of their own: what they read comes through as it is, whatever they do to themselves
 * is told in bounded time, and nothing else happens. */
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../exporters/exporters.h"
#include "../../importers/importers.h"
#include "../tools/planted.h"
#include "base/context.h"
#include "fixture.h"
#include "model/model.h"
#include "plugins/registry.h"

#if defined(HAS_ADDRESS_SANITIZER) || defined(HAS_THREAD_SANITIZER)
enum { IS_SANITIZED = true };
#else
enum { IS_SANITIZED = false };
#endif

/* ---- plug-ins ---- */

static uint32_t carries(const void *settings)
{
    (void)settings;
    return CP_FEATURE_ALL;
}

static cp_status write_nothing(cp_context *context, const cp_scene *scene, const void *settings, struct sink *sink)
{
    (void)scene, (void)settings, (void)sink;
    return report_error(context, CP_LIMIT, "broken-size", NOWHERE, "is too large");
}

static const struct exporter broken_exporter = {
    .plugin = {.name = "broken", .title = "writes nothing", .settings_size = 1},
    .suffixes = ".broken",
    .carries = carries,
    .write = write_nothing,
};

static const struct importer *const importers[] = {&planted_importer, &gltf_importer, NULL};
static const struct exporter *const exporters[] = {&glb_exporter, &broken_exporter, NULL};
static const struct filter *const filters[] = {NULL};
static const struct plugins plugins = {importers, exporters, filters, {"glb", "profile=stage", &gltf_importer}};
static const struct plugins without_carrier = {importers, exporters, filters, {NULL, NULL, NULL}};
static const struct plugins with_broken = {importers, exporters, filters, {"broken", NULL, &gltf_importer}};

static int make_isolated(void **state)
{
    cp_context *context = context_new(NULL, &plugins);
    *state = context;
    if (context)
        cp_set_flag(context, CP_FLAG_ISOLATE, true);
    return context ? 0 : -1;
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, make_isolated, free_context)

static cp_status read_text(cp_context *context, const char *text, cp_scene **scene)
{
    return cp_read_memory(context, text, strlen(text), "plant.planted", NULL, NULL, 0, scene);
}

/* It fails with the status and one error of that code, which says `text`. */
static void assert_fails(cp_context *context, const char *deed, cp_status status, const char *code, const char *text)
{
    cp_scene *scene;
    cp_report_clear(context);
    cp_status got = read_text(context, deed, &scene);
    const cp_entry *entry = find_last_entry(context, code);
    if (got != status || !entry || !strstr(entry->message, text))
        show_report(context);
    assert_int_equal(got, status);
    assert_null(scene);
    assert_non_null(entry);
    assert_non_null(strstr(entry->message, text));
    assert_string_equal(entry->file, "plant.planted");
}

/* And the context is as good as before. */
static void assert_goes_on(cp_context *context)
{
    cp_scene *scene;
    cp_report_clear(context);
    assert_int_equal(read_text(context, "planted scene", &scene), CP_OK);
    cp_scene_free(scene);
}

/* ---- what comes through ---- */

/* A stage of what is read, and the report as lines. */
static char *read_all(const char *text, bool isolate, size_t *size)
{
    cp_context *context = context_new(NULL, &plugins);
    cp_scene *scene;
    const char *options[] = {"profile=stage"};
    void *bytes = NULL;
    size_t count, stage_size = 0;
    assert_non_null(context);
    cp_set_flag(context, CP_FLAG_ISOLATE, isolate);
    cp_status status = read_text(context, text, &scene);
    char *all = NULL;
    FILE *file = open_memstream(&all, size);
    assert_non_null(file);
    const cp_entry *entries = cp_report(context, &count);
    fprintf(file, "%d\n", (int)status);
    for (size_t i = 0; i < count; i++)
        fprintf(file, "%d %s %s %llu %llu %s %llu %s %s\n", (int)entries[i].severity, entries[i].code,
                entries[i].file ? entries[i].file : "-", (unsigned long long)entries[i].line,
                (unsigned long long)entries[i].column, entries[i].node ? entries[i].node : "-",
                (unsigned long long)entries[i].count, entries[i].text, entries[i].message);
    if (status == CP_OK) {
        const cp_source *source = cp_scene_source(scene);
        fprintf(file, "%s %s %.17g %d %u\n", source->format, source->file, source->unit, (int)source->up,
                scene->inputs.count);
        for (uint32_t i = 0; i < scene->inputs.count; i++)
            fprintf(file, "%s %s %llu\n", scene->inputs.items[i].label, scene->inputs.items[i].path,
                    (unsigned long long)scene->inputs.items[i].size);
        for (uint32_t i = 0; i < scene->node_count; i++)
            fprintf(file, "%s %s %s\n", scene->nodes[i].id, scene->nodes[i].name,
                    scene->nodes[i].raw_name ? scene->nodes[i].raw_name : "-");
        assert_int_equal(cp_write_memory(context, scene, "glb", options, 1, &bytes, &stage_size), CP_OK);
        fwrite(bytes, 1, stage_size, file);
        cp_free(context, bytes, stage_size);
    }
    cp_scene_free(scene);
    cp_context_free(context);
    assert_int_equal(fclose(file), 0);
    return all;
}

static void assert_same_either_way(const char *text)
{
    size_t size, isolated_size;
    char *plain = read_all(text, false, &size), *isolated = read_all(text, true, &isolated_size);
    if (size != isolated_size || memcmp(plain, isolated, size) != 0)
        print_message("not alike:\n%s\n%s\n", plain, isolated);
    assert_int_equal(size, isolated_size);
    assert_memory_equal(plain, isolated, size);
    free(plain);
    free(isolated);
}

static void test_same_either_way(void **state)
{
    (void)state;
    static const char *const texts[] = {"planted scene",
                                        "planted error",
                                        "planted ",
                                        "planted bug",
                                        "planted file near.txt none.txt below/far.txt ../outside.txt packed.txt.gz",
                                        "planted file below near.txt",
                                        "planted file /etc/passwd"};
    char folder[] = "/tmp/cellpipe-isolate-XXXXXX", before[4096], command[8192];
    assert_non_null(getcwd(before, sizeof before));
    assert_non_null(mkdtemp(folder));
    (void)snprintf(command, sizeof command,
                   "cd %s && mkdir top top/below && echo near >top/near.txt && echo far >top/below/far.txt &&"
                   " echo outside >outside.txt && echo packed | gzip >top/packed.txt.gz",
                   folder);
    assert_int_equal(system(command), 0);
    (void)snprintf(command, sizeof command, "%s/top", folder);
    assert_int_equal(chdir(command), 0);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_same_either_way(texts[i]);
    assert_int_equal(chdir(before), 0);
    (void)snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

/* Under --strict losses fail the read, and confinement is the parent's. */
static void test_rules_hold(void **state)
{
    cp_context *context = *state;
    cp_scene *scene;
    cp_set_flag(context, CP_FLAG_STRICT, true);
    assert_int_equal(read_text(context, "planted scene", &scene), CP_LOSSY);
    assert_null(scene);
    cp_report_clear(context);
    cp_set_flag(context, CP_FLAG_STRICT, false);
    cp_set_flag(context, CP_FLAG_CONFINE, true);
    assert_int_equal(read_text(context, "planted file /etc/passwd", &scene), CP_INPUT);
    assert_true(was_reported(context, "source-confined"));
    assert_goes_on(context);
}

/* ---- what it may not do ---- */

static void test_escapes(void **state)
{
    cp_context *context = *state;
    cp_scene *scene;
    assert_int_equal(read_text(context, "planted escape", &scene), CP_OK);
    cp_scene_free(scene);
    assert_true(was_reported(context, "planted-refused"));
    assert_non_null(strstr(cp_isolation(context), "rlimits"));
    if (!strstr(cp_isolation(context), "seccomp")) {
        print_message("skipped: escapes, without seccomp (in force: %s)\n", cp_isolation(context));
        return;
    }
    if (was_reported(context, "planted-escaped"))
        show_report(context);
    assert_false(was_reported(context, "planted-escaped"));
    assert_int_equal(count_entries(context, CP_NOTE, "planted-refused"), 13);
}

/* ---- how it ends ---- */

static void test_deaths(void **state)
{
    cp_context *context = *state;
    assert_fails(context, "planted crash", CP_INPUT, "read-crashed", "planted crashed (signal 11, Segmentation fault)");
    assert_fails(context, "planted abort", CP_INPUT, "read-crashed", "planted crashed (signal 6, Aborted)");
    assert_fails(context, "planted recurse", CP_INPUT, "read-crashed", "(signal 11, ");
    assert_fails(context, "planted words", CP_INPUT, "read-crashed",
                 "while it read the file; its last words: the ?[31mlast words? of many");
    assert_fails(context, "planted throw", CP_LIMIT, "read-memory", "planted needed more than ");
    assert_fails(context, "planted exit", CP_INPUT, "read-crashed", "planted ended its process (exit 0)");
    assert_fails(context, "planted nonsense", CP_INPUT, "read-crashed", "planted sent a damaged answer");
    assert_fails(context, "planted mute", CP_INPUT, "read-crashed", "planted gave no answer");
    assert_fails(context, "planted kill", CP_LIMIT, "read-killed", "planted was killed (signal 9)");
    assert_goes_on(context);
}

/* Whatever it prints goes nowhere, and does not block it. */
static void test_chatter(void **state)
{
    cp_context *context = *state;
    cp_scene *scene;
    assert_int_equal(read_text(context, "planted chatter", &scene), CP_OK);
    cp_scene_free(scene);
    size_t count;
    (void)cp_report(context, &count);
    assert_int_equal(count, 0);
}

/* A scene of the reader's names files that only the reader's question may open. */
static void test_false_scene(void **state)
{
    cp_context *context = *state;
    FILE *file = fopen("secret.bin", "wb");
    assert_non_null(file);
    assert_int_equal(fwrite("secretsecret", 1, 12, file), 12);
    assert_int_equal(fclose(file), 0);
    assert_fails(context, "planted false", CP_INPUT, "read-crashed", "planted sent a damaged scene");
    assert_true(was_reported(context, "gltf-buffer-missing"));
    assert_false(cp_was_read(context, "secret.bin"));
    (void)remove("secret.bin");
    assert_goes_on(context);
}

static double seconds_now(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void test_time(void **state)
{
    cp_context *context = *state;
    static const char *const deeds[] = {"planted loop", "planted sleep"};
    assert_int_equal(cp_set_limit(context, "reader-seconds=1"), CP_OK);
    for (size_t i = 0; i < 2; i++) /* these never end by themselves */
        assert_fails(context, deeds[i], CP_LIMIT, "read-timeout", "planted took longer than 1 s");
    assert_goes_on(context);
}

static void test_memory(void **state)
{
    cp_context *context = *state;
    assert_int_equal(cp_set_limit(context, "reader-memory=268435456"), CP_OK);
    if (IS_SANITIZED) { /* their allocators end the process themselves */
        cp_scene *scene;
        assert_int_not_equal(read_text(context, "planted memory", &scene), CP_OK);
    } else {
        assert_fails(context, "planted memory", CP_LIMIT, "read-memory", "planted needed more than 256 MiB");
        assert_false(was_reported(context, "out-of-memory"));
    }
    assert_goes_on(context);
    assert_int_equal(cp_set_limit(context, "memory=10000000"), CP_OK);
    cp_scene *scene;
    assert_int_equal(read_text(context, "planted memory", &scene), CP_LIMIT);
    assert_non_null(strstr(find_entry(context, "out-of-memory")->message, "--limit memory="));
    assert_goes_on(context);
}

/* One sum has what the reader takes, what this process holds, and what both have of a file or a scene on its way. */
static void test_common_memory(void **state)
{
    enum { HELD = 40 << 20 };
    cp_context *context = *state;
    cp_scene *scene;
    if (IS_SANITIZED) /* their allocators take memory without measure */
        return;
    static const struct {
        const char *text;
        const char *least, *too_little; /* memory of both */
    } sums[] = {{"planted keep 40", "48MiB", "39MiB"},
                {"planted keep 40 mesh", "88MiB", "70MiB"},               /* the mesh, and the scene for both */
                {"planted keep 40 file large.bin.gz", "76MiB", "62MiB"}}; /* 10 MiB for one, 16 for the other */
    assert_int_equal(system("head -c 10485760 /dev/zero | gzip >large.bin.gz"), 0);
    assert_int_equal(cp_set_limit(context, "ratio=2000"), CP_OK);
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
        char limit[32];
        (void)snprintf(limit, sizeof limit, "memory=%s", sums[i].too_little);
        assert_int_equal(cp_set_limit(context, limit), CP_OK);
        assert_fails(context, sums[i].text, CP_LIMIT, "read-memory", "(--limit reader-memory= or memory=)");
        (void)snprintf(limit, sizeof limit, "memory=%s", sums[i].least);
        assert_int_equal(cp_set_limit(context, limit), CP_OK);
        cp_status status = read_text(context, sums[i].text, &scene);
        if (status != CP_OK)
            show_report(context);
        assert_int_equal(status, CP_OK);
        cp_scene_free(scene);
    }
    assert_int_equal(cp_set_limit(context, "memory=64MiB"), CP_OK);
    void *held = memory_allocate(context, HELD, 1);
    assert_non_null(held);
    assert_fails(context, "planted keep 40", CP_LIMIT, "read-memory", "planted needed more than 23 MiB");
    memory_free(context, held, HELD, 1);
    assert_int_equal(read_text(context, "planted keep 40", &scene), CP_OK);
    cp_scene_free(scene);
    (void)remove("large.bin.gz");
    assert_in_range(cp_reader_memory(context), 40 << 20, 96 << 20);
}

static bool is_late(void *user)
{
    return seconds_now() > *(double *)user;
}

static void test_cancel(void **state)
{
    cp_context *context = *state;
    cp_scene *scene;
    double until = seconds_now() + 0.2;
    cp_set_cancel(context, is_late, &until);
    assert_int_equal(read_text(context, "planted loop", &scene), CP_CANCELLED);
    assert_null(scene);
    cp_set_cancel(context, NULL, NULL);
    assert_goes_on(context);
}

/* ---- where there can be no process, and no scene ---- */

static void test_no_process(void **state)
{
    cp_context *context = *state;
    struct rlimit before, few;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few = before;
    few.rlim_cur = 3;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    cp_scene *scene;
    cp_status status = read_text(context, "planted scene", &scene);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(status, CP_LIMIT);
    assert_true(was_reported(context, "read-fork"));
    assert_goes_on(context);
}

static void test_no_carrier(void **state)
{
    (void)state;
    static const struct plugins *const both[] = {&without_carrier, &with_broken};
    static const cp_status statuses[] = {CP_BUG, CP_LIMIT};
    static const char *const codes[] = {"read-carrier", "read-handover"};
    for (size_t i = 0; i < 2; i++) {
        cp_context *context = context_new(NULL, both[i]);
        assert_non_null(context);
        cp_set_flag(context, CP_FLAG_ISOLATE, true);
        cp_scene *scene;
        assert_int_equal(read_text(context, "planted scene", &scene), statuses[i]);
        assert_true(was_reported(context, codes[i]));
        cp_context_free(context);
    }
}

/* A host that lets its processes vanish. */
static void test_ignored_children(void **state)
{
    cp_context *context = *state;
    void (*before)(int) = signal(SIGCHLD, SIG_IGN);
    assert_goes_on(context);
    assert_fails(context, "planted crash", CP_INPUT, "read-crashed", "planted gave no answer");
    (void)signal(SIGCHLD, before);
}

/* ---- memory of the parent ---- */

struct allowance {
    pid_t process;
    long left;
};

static void *resize_in_parent(void *user, void *block, size_t old_size, size_t size)
{
    static long plenty = -1;
    struct allowance *allowance = user;
    return failing_resize(getpid() == allowance->process ? &allowance->left : &plenty, block, old_size, size);
}

static void test_memory_of_parent(void **state)
{
    (void)state;
    static const char *const texts[] = {"planted scene", "planted file none.txt", "planted words"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct allowance allowance = {.process = getpid()};
        cp_allocator allocator = {resize_in_parent, &allowance};
        long most = 0;
        for (bool starved = true; starved && most < 2000; most++) {
            allowance.left = -1;
            cp_context *context = context_new(&allocator, &plugins);
            assert_non_null(context);
            cp_set_flag(context, CP_FLAG_ISOLATE, true);
            allowance.left = most;
            cp_scene *scene;
            cp_status status = read_text(context, texts[i], &scene);
            starved = allowance.left == 0;
            allowance.left = -1;
            assert_true(status == (i == 2 ? CP_INPUT : CP_OK) || (starved && status == CP_LIMIT));
            cp_scene_free(scene);
            cp_context_free(context);
        }
        assert_in_range(most, 5, 1999);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_same_either_way),  TEST(test_rules_hold),       TEST(test_escapes),    TEST(test_deaths),
        TEST(test_chatter),          TEST(test_false_scene),      TEST(test_time),       TEST(test_memory),
        TEST(test_common_memory),    TEST(test_cancel),           TEST(test_no_process), TEST(test_no_carrier),
        TEST(test_ignored_children), TEST(test_memory_of_parent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
