/* What a context promises to its owner: to stop when asked, to tell how far it is, to keep what is its own apart from
 * what is another's, and to write the owner's bytes as carefully as its own. By the public header alone. */
#include <dirent.h>
#include <pthread.h>
#include <unistd.h>

#include "cellpipe_tool.h"
#include "fixture.h"

#define CELL SAMPLES "/tag_arm.wu"
#define PART SAMPLES "/stl_solids.stl"

/* Removes all files; returns how many there were. */
static int count_removed(void)
{
    int count = 0;
    DIR *listing = opendir(folder_path());
    assert_non_null(listing);
    for (const struct dirent *entry; (entry = readdir(listing));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            count += unlink(path_of(entry->d_name)) == 0;
    (void)closedir(listing);
    return count;
}

/* ---- cancelling ---- */

struct owner {
    size_t blocks, bytes;   /* of memory */
    size_t asked, patience; /* how often the owner was asked, and bears it */
};

static void *resize(void *user, void *block, size_t old_size, size_t size)
{
    struct owner *owner = user;
    owner->bytes += size - old_size;
    owner->blocks += !block && size > 0;
    owner->blocks -= block && size == 0;
    if (size > 0)
        return realloc(block, size);
    free(block);
    return NULL;
}

static bool is_cancelled(void *user)
{
    struct owner *owner = user;
    return ++owner->asked > owner->patience;
}

/* All kinds of work on a scene, until the first call that does not succeed. */
static cp_status work_on(cp_context *context, cp_scene **scene)
{
    cp_measures measures = {.size = sizeof measures};
    cp_pair_counts counts = {.size = sizeof counts};
    cp_topology topology = {.size = sizeof topology};
    cp_scene *other = NULL;
    cp_status status = cp_read(context, CELL, NULL, NULL, 0, scene);
    if (status == CP_OK)
        status = cp_read(context, PART, NULL, NULL, 0, &other);
    if (status == CP_OK)
        status = cp_merge(context, *scene, other, "part");
    if (status == CP_OK)
        status = cp_apply(context, *scene, "normals", NULL, 0);
    if (status == CP_OK)
        status = cp_validate(context, *scene);
    if (status == CP_OK)
        status = cp_measure(context, *scene, CP_USE_BOTH, &measures);
    if (status == CP_OK)
        status = cp_count_pairs(context, *scene, &counts);
    if (status == CP_OK)
        status = cp_mesh_topology(context, cp_meshes(*scene, &(uint32_t){0}), &topology);
    if (status == CP_OK)
        status = cp_write(context, *scene, path_of("cell.gltf"), NULL, NULL, 0);
    cp_scene_free(other);
    return status;
}

/* Cancelled when asked for the N-th time, for every N (in steps, unless CELLPIPE_LONG is set). */
static void test_cancelled_anywhere(void **state)
{
    (void)state;
    cp_status status = CP_CANCELLED;
    size_t step = usual_or_long(7, 1), rounds = 0;
    for (size_t patience = 0; status == CP_CANCELLED; patience += step, rounds++) {
        struct owner owner = {.patience = patience};
        cp_scene *scene = NULL;
        cp_context *context = cp_context_new(&(cp_allocator){resize, &owner});
        assert_non_null(context);
        cp_set_cancel(context, is_cancelled, &owner);
        status = work_on(context, &scene);
        assert_true(status == CP_OK || status == CP_CANCELLED);
        assert_int_equal(was_reported(context, "cancelled"), status == CP_CANCELLED);
        assert_int_equal(count_removed(), status == CP_OK ? 2 : 0); /* cell.gltf and cell.bin, or nothing */
        cp_set_cancel(context, NULL, NULL);
        cp_report_clear(context);
        if (scene)
            assert_int_equal(cp_validate(context, scene), CP_OK);
        cp_scene_free(scene);
        cp_context_free(context);
        assert_int_equal(owner.blocks, 0);
    }
    assert_true(rounds > 20);
}

static bool always(void *user)
{
    (void)user;
    return true;
}

static void test_goes_on_after_cancelling(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = NULL;
    cp_set_cancel(context, always, NULL);
    assert_int_equal(cp_read(context, PART, NULL, NULL, 0, &scene), CP_CANCELLED);
    assert_null(scene);
    assert_int_equal(cp_read_memory(context, "solid", 5, "a.stl", NULL, NULL, 0, &scene), CP_CANCELLED);
    cp_set_cancel(context, NULL, NULL);
    assert_int_equal(cp_read(context, PART, NULL, NULL, 0, &scene), CP_OK);
    cp_scene_free(scene);
    cp_context_free(context);
}

/* Requests that make no sense are over as well: what comes after is asked anew. */
static cp_status ask_nonsense(cp_context *context, cp_scene *scene, int kind)
{
    switch (kind) {
    case 0:
        return cp_set_limit(context, "none=1");
    case 1:
        return cp_set_limit(context, "nodes= -1");
    case 2:
        return cp_set_threads(context, 0);
    case 3:
        return cp_check_options(context, CP_EXPORTER, "none", NULL, 0);
    case 4:
        return cp_apply(context, scene, "none", NULL, 0);
    default:
        return cp_merge(context, scene, scene, "itself");
    }
}

static void test_cancelled_nonsense(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene, *other;
    assert_int_equal(cp_read(context, PART, NULL, NULL, 0, &scene), CP_OK);
    for (int kind = 0; kind < 6; kind++) {
        assert_int_equal(ask_nonsense(context, scene, kind), CP_USAGE);
        cp_set_cancel(context, always, NULL);
        (void)ask_nonsense(context, scene, kind); /* CP_CANCELLED when it needs memory for its message */
        cp_set_cancel(context, NULL, NULL);
        assert_int_equal(cp_read(context, PART, NULL, NULL, 0, &other), CP_OK);
        cp_scene_free(other);
    }
    cp_scene_free(scene);
    cp_context_free(context);
}

/* ---- progress ---- */

struct seen {
    uint64_t read, size, written;
    unsigned filters, others;
};

static void see(void *user, const cp_progress *progress)
{
    struct seen *seen = user;
    if (strcmp(progress->work, "reading") == 0) {
        assert_string_equal(progress->file, PART);
        assert_true(progress->done >= seen->read);
        seen->read = progress->done;
        seen->size = progress->total;
    } else if (strcmp(progress->work, "writing") == 0) {
        assert_non_null(strstr(progress->file, "part.dump"));
        assert_true(progress->done >= seen->written && progress->total == 0);
        seen->written = progress->done;
    } else if (strcmp(progress->work, "weld") == 0 && !progress->file) {
        seen->filters++;
    } else {
        seen->others++;
    }
}

static void test_progress(void **state)
{
    (void)state;
    struct seen seen = {0};
    cp_scene *scene;
    cp_context *context = cp_context_new(NULL);
    size_t size;
    free(read_whole(PART, &size));
    cp_set_progress(context, see, &seen);
    assert_int_equal(cp_read(context, PART, NULL, NULL, 0, &scene), CP_OK);
    assert_int_equal(seen.read, size);
    assert_int_equal(seen.size, size);
    assert_int_equal(cp_apply(context, scene, "weld", NULL, 0), CP_OK);
    const char *options[] = {"tolerance=0"};
    for (int i = 0; i < 2; i++)
        assert_int_equal(cp_apply(context, scene, "weld", options, 1), CP_OK);
    assert_int_equal(cp_write(context, scene, path_of("part.dump"), NULL, NULL, 0), CP_OK);
    assert_int_equal(seen.filters, 3);
    assert_int_equal(seen.others, 0);
    cp_set_progress(context, NULL, NULL);
    assert_int_equal(cp_apply(context, scene, "weld", NULL, 0), CP_OK);
    assert_int_equal(seen.filters, 3);
    cp_scene_free(scene);
    cp_context_free(context);
}

/* ---- threads ---- */

static void test_number_of_threads(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    assert_int_equal(cp_set_threads(context, 0), CP_USAGE);
    assert_int_equal(cp_set_threads(context, CP_MOST_THREADS + 1), CP_USAGE);
    assert_true(was_reported(context, "threads"));
    static const uint32_t counts[] = {1, 2, CP_MOST_THREADS};
    void *bytes[3];
    size_t sizes[3];
    for (int i = 0; i < 3; i++) {
        cp_scene *scene;
        assert_int_equal(cp_set_threads(context, counts[i]), CP_OK);
        assert_int_equal(cp_read(context, CELL, NULL, NULL, 0, &scene), CP_OK);
        assert_int_equal(cp_write_memory(context, scene, "glb", NULL, 0, &bytes[i], &sizes[i]), CP_OK);
        cp_scene_free(scene);
        assert_int_equal(sizes[i], sizes[0]);
        assert_memory_equal(bytes[i], bytes[0], sizes[0]);
    }
    for (int i = 0; i < 3; i++)
        cp_free(context, bytes[i], sizes[i]);
    cp_context_free(context);
}

struct output {
    void *bytes;
    size_t size;
    cp_context *context;
    bool good;
};

/* One thread's work, with a context of its own; every format's importer takes part. (Built with -fsanitize=thread, this
 * tells of races.) */
static void *convert_all(void *user)
{
    static const char *const files[] = {CELL, PART, SAMPLES "/exclusions.xml", SAMPLES "/joints.gltf",
                                        SAMPLES "/collada_arm.dae"};
    struct output *output = user;
    output->context = cp_context_new(NULL);
    cp_scene *whole = NULL;
    output->good = output->context != NULL;
    for (size_t i = 0; i < sizeof files / sizeof *files && output->good; i++) {
        cp_scene *scene = NULL;
        output->good = cp_read(output->context, files[i], NULL, NULL, 0, &scene) == CP_OK;
        if (output->good && whole)
            output->good = cp_merge(output->context, whole, scene, "added") == CP_OK;
        if (whole)
            cp_scene_free(scene);
        else
            whole = scene;
    }
    output->good = output->good &&
                   cp_write_memory(output->context, whole, "dump", NULL, 0, &output->bytes, &output->size) == CP_OK;
    cp_scene_free(whole);
    return NULL;
}

static void test_contexts_are_independent(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    struct output outputs[THREADS] = {{0}};
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, convert_all, &outputs[i]), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < THREADS; i++) {
        assert_true(outputs[i].good);
        assert_int_equal(outputs[i].size, outputs[0].size);
        assert_memory_equal(outputs[i].bytes, outputs[0].bytes, outputs[0].size);
    }
    for (int i = 0; i < THREADS; i++) {
        cp_free(outputs[i].context, outputs[i].bytes, outputs[i].size);
        cp_context_free(outputs[i].context);
    }
}

/* ---- scenes of others ---- */

static void test_merge_wants_two_scenes_of_one_context(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL), *foreign = cp_context_new(NULL);
    cp_scene *scene, *other;
    assert_int_equal(cp_read(context, PART, NULL, NULL, 0, &scene), CP_OK);
    assert_int_equal(cp_read(foreign, PART, NULL, NULL, 0, &other), CP_OK);
    assert_int_equal(cp_merge(context, scene, other, "part"), CP_USAGE);
    assert_true(was_reported(context, "merge-scenes"));
    assert_int_equal(cp_merge(foreign, scene, other, "part"), CP_USAGE);
    assert_int_equal(cp_merge(context, scene, scene, "part"), CP_USAGE);
    assert_int_equal(cp_validate(context, scene), CP_OK);
    assert_int_equal(cp_validate(foreign, other), CP_OK);
    cp_scene_free(scene);
    cp_scene_free(other);
    cp_context_free(context);
    cp_context_free(foreign);
}

/* ---- bytes of the owner's ---- */

static void assert_content(const char *path, const char *content)
{
    char *bytes = read_whole(path, NULL);
    assert_non_null(bytes);
    assert_string_equal(bytes, content);
    free(bytes);
}

static void test_write_file(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene;
    assert_int_equal(cp_write_file(context, path_of("notes"), "one", 3), CP_OK);
    assert_content(path_of("notes"), "one");
    assert_int_equal(cp_write_file(context, path_of("./notes"), "two", 3), CP_USAGE);
    assert_true(was_reported(context, "write-taken"));
    cp_context *later = cp_context_new(NULL);
    assert_int_equal(cp_write_file(later, path_of("notes"), "", 0), CP_OK);
    assert_content(path_of("notes"), "");
    cp_set_flag(later, CP_FLAG_NO_CLOBBER, true);
    assert_int_equal(cp_write_file(later, path_of("other"), "three", 5), CP_OK);
    cp_context_free(later);

    assert_int_equal(cp_read(context, PART, NULL, NULL, 0, &scene), CP_OK);
    assert_int_equal(cp_write_file(context, PART, "gone", 4), CP_USAGE);
    assert_int_equal(cp_write(context, scene, path_of("part.gltf"), NULL, NULL, 0), CP_OK);
    cp_set_flag(context, CP_FLAG_NO_CLOBBER, false);
    assert_int_equal(cp_write_file(context, path_of("part.bin"), "gone", 4), CP_USAGE);
    assert_int_equal(cp_write_file(context, path_of("part.gltf"), "gone", 4), CP_USAGE);
    cp_set_flag(context, CP_FLAG_WRITE_ONCE, true);
    assert_int_equal(cp_write(context, scene, path_of("part.gltf"), NULL, NULL, 0), CP_USAGE);
    assert_true(was_reported(context, "sink-twice"));
    cp_set_flag(context, CP_FLAG_WRITE_ONCE, false);
    assert_int_equal(cp_keep_path(context, path_of("kept.bin")), CP_OK);
    assert_int_equal(cp_write(context, scene, path_of("kept.gltf"), NULL, NULL, 0), CP_USAGE);
    assert_true(was_reported(context, "sink-kept"));
    assert_int_equal(access(path_of("kept.gltf"), F_OK), -1);
    assert_int_equal(cp_write_file(context, path_of("kept.bin"), "log", 3), CP_OK);
    assert_int_equal(cp_keep_path(context, NULL), CP_OK);
    assert_int_equal(cp_write(context, scene, path_of("kept.gltf"), NULL, NULL, 0), CP_OK);
    assert_int_equal(cp_write(context, scene, path_of("part.gltf"), NULL, NULL, 0), CP_OK);
    assert_int_equal(cp_write_file(context, path_of("none/notes"), "one", 3), CP_OUTPUT);
    cp_set_flag(context, CP_FLAG_NO_CLOBBER, true);
    assert_int_equal(cp_write_file(context, path_of("other"), "gone", 4), CP_OUTPUT);
    assert_content(path_of("other"), "three");
    cp_scene_free(scene);
    cp_context_free(context);
}

/* The number on the disk of a file that is gone goes to the next one. */
static void test_number_of_a_gone_file(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene;
    assert_int_equal(cp_write_file(context, path_of("a.stl"), "solid a\nendsolid a\n", 19), CP_OK);
    assert_int_equal(cp_read(context, path_of("a.stl"), NULL, NULL, 0, &scene), CP_OK);
    assert_true(cp_was_read(context, path_of("a.stl")));
    assert_int_equal(unlink(path_of("a.stl")), 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(cp_write(context, scene, path_of("b.dump"), NULL, NULL, 0), CP_OK);
    assert_false(cp_was_read(context, path_of("b.dump")));
    cp_scene_free(scene);
    cp_context_free(context);
}

/* ---- long sessions ---- */

/* A read with a warning, one that fails, a filter that fails, and an output that replaces the last one. */
static void work_once(cp_context *context)
{
    static const char broken[] = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 x\n";
    static const char *const nobody[] = {"node=nobody"};
    cp_scene *scene, *none;
    assert_int_equal(cp_read(context, SAMPLES "/stl_dialects.stl", NULL, NULL, 0, &scene), CP_OK);
    assert_true(was_reported(context, "stl-no-normal"));
    assert_int_equal(cp_read_memory(context, broken, sizeof broken - 1, "broken.stl", NULL, NULL, 0, &none), CP_INPUT);
    assert_int_equal(cp_read(context, path_of("none.stl"), NULL, NULL, 0, &none), CP_INPUT);
    assert_int_equal(cp_apply(context, scene, "select", nobody, 1), CP_USAGE);
    assert_int_equal(cp_write(context, scene, path_of("part.glb"), NULL, NULL, 0), CP_OK);
    cp_scene_free(scene);
    cp_report_clear(context);
}

/* What a context has is the same after so many rounds as after one. */
static void test_sessions_do_not_grow(void **state)
{
    (void)state;
    struct owner owner = {0};
    cp_context *context = cp_context_new(&(cp_allocator){resize, &owner});
    work_once(context);
    size_t blocks = owner.blocks, bytes = owner.bytes;
    for (uint32_t i = 0; i < usual_or_long(500, 200000); i++)
        work_once(context);
    assert_int_equal(owner.blocks, blocks);
    assert_int_equal(owner.bytes, bytes);
    cp_context_free(context);
    assert_int_equal(owner.bytes, 0);
    (void)count_removed();
}

/* A file is known by each of its names as long as one that it was read by is its own. */
static void test_names_of_files_read(void **state)
{
    enum { FILES = 200 };
    static const char part[] = "solid a\nendsolid a\n";
    (void)state;
    struct owner owner = {0};
    cp_context *context = cp_context_new(&(cp_allocator){resize, &owner}), *writer = cp_context_new(NULL);
    char name[32], old[512];
    cp_scene *scene;
    size_t bytes = owner.bytes;
    (void)count_removed();
    for (int i = 0; i < FILES; i++) {
        (void)snprintf(name, sizeof name, "%d.stl", i);
        assert_int_equal(cp_write_file(writer, path_of(name), part, sizeof part - 1), CP_OK);
        assert_int_equal(cp_read(context, path_of(name), NULL, NULL, 0, &scene), CP_OK);
        cp_scene_free(scene);
    }
    cp_report_clear(context);
    assert_true(owner.bytes - bytes < FILES * (size_t)256);
    (void)snprintf(old, sizeof old, "%s", path_of("7.stl"));
    assert_int_equal(link(old, path_of("link.stl")), 0);
    assert_true(cp_was_read(context, path_of("./199.stl")) && cp_was_read(context, path_of("link.stl")));
    assert_int_equal(rename(path_of("8.stl"), old), 0); /* another file, whose own name is gone */
    assert_false(cp_was_read(context, old) || cp_was_read(context, path_of("link.stl")));
    assert_int_equal(cp_read(context, path_of("link.stl"), NULL, NULL, 0, &scene), CP_OK);
    assert_true(cp_was_read(context, path_of("link.stl")) && !cp_was_read(context, old));
    cp_scene_free(scene);
    cp_context_free(context);
    cp_context_free(writer);
    assert_int_equal(owner.bytes, 0);
    assert_int_equal(count_removed(), FILES);
}

/* ---- memory ---- */

/* The limit counts what is held, not what was: a thousand reads fit where one does. */
static void test_limit_of_memory(void **state)
{
    (void)state;
    struct owner owner = {0};
    size_t count;
    char limit[64], text[128];
    cp_scene *scene, *other;
    for (int own = 0; own < 2; own++) { /* the library's allocator has its own way for zeros */
        const cp_allocator *allocator = own ? &(cp_allocator){resize, &owner} : NULL;
        cp_context *context = cp_context_new(allocator);
        cp_status status = CP_LIMIT;
        for (size_t most = 1000; status == CP_LIMIT; most += most / 8) { /* what one read just fits in */
            cp_report_clear(context);
            (void)snprintf(limit, sizeof limit, "memory=%zu", most);
            (void)snprintf(text, sizeof text, "out of memory: more than %zu bytes (--limit memory=)", most);
            assert_int_equal(cp_set_limit(context, limit), CP_OK);
            status = cp_read(context, PART, NULL, NULL, 0, &scene);
            if (status != CP_OK)
                assert_string_equal(cp_report(context, &count)->text, text);
        }
        assert_int_equal(status, CP_OK);
        for (int i = 0; i < 1000; i++) {
            cp_scene_free(scene);
            cp_report_clear(context);
            assert_int_equal(cp_read(context, PART, NULL, NULL, 0, &scene), CP_OK);
        }
        assert_int_equal(cp_read(context, PART, NULL, NULL, 0, &other), CP_LIMIT); /* `scene` takes the room */
        cp_scene_free(scene);
        cp_report_clear(context);
        assert_int_equal(cp_read(context, PART, NULL, NULL, 0, &scene), CP_OK);
        cp_scene_free(scene);
        cp_context_free(context);
        assert_int_equal(owner.bytes, 0);
    }
}

/* ---- no mapping ---- */

static size_t asked, cut_at;

static bool cut_short(void *user)
{
    (void)user;
    if (++asked == cut_at)
        assert_int_equal(truncate(path_of("large.stl"), 100), 0);
    return false;
}

/* A file that is cut short at any moment: a host that does not handle SIGBUS goes on. */
static void test_no_mapping(void **state)
{
    enum { SIZE = 84 + 50 * 20000 };
    (void)state;
    static unsigned char bytes[SIZE] = {[80] = 20000 & 255, [81] = 20000 >> 8};
    for (cut_at = 1; cut_at < 60; cut_at++) {
        cp_scene *scene = NULL;
        cp_context *context = cp_context_new(NULL), *writer = cp_context_new(NULL);
        assert_int_equal(cp_write_file(writer, path_of("large.stl"), bytes, SIZE), CP_OK);
        cp_context_free(writer);
        cp_set_flag(context, CP_FLAG_NO_MAPPING, true);
        asked = 0;
        cp_set_cancel(context, cut_short, NULL);
        cp_status status = cp_read(context, path_of("large.stl"), NULL, NULL, 0, &scene);
        assert_true(status == CP_OK || status == CP_INPUT);
        cp_scene_free(scene);
        cp_context_free(context);
    }
    (void)count_removed();
}

/* ---- the report ---- */

static void test_losses_add_up_and_floods_are_bounded(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    const cp_entry loss = {.severity = CP_LOSS, .code = "test-loss", .file = "a.stl", .count = 2};
    for (int i = 0; i < 3; i++)
        cp_report_entry(context, &loss, "things are left out");
    size_t count;
    const cp_entry *entries = cp_report(context, &count);
    assert_int_equal(count, 1);
    assert_string_equal(entries[0].message, "a.stl: loss: things are left out (6)");
    for (int i = 0; i < 5000; i++) {
        const cp_entry warning = {
            .severity = CP_WARNING, .code = "test-flood", .file = "a.stl", .line = (uint64_t)i + 1, .count = 1};
        cp_report_entry(context, &warning, "line %d", i);
    }
    entries = cp_report(context, &count);
    assert_int_equal(count, 101);
    assert_string_equal(entries[1].message, "a.stl:1: warning: line 0");
    assert_string_equal(entries[100].message, "a.stl:100: warning: line 99 (and 4900 more like it)");
    cp_report_clear(context);
    (void)cp_report(context, &count);
    assert_int_equal(count, 0);
    cp_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cancelled_anywhere),
        cmocka_unit_test(test_goes_on_after_cancelling),
        cmocka_unit_test(test_cancelled_nonsense),
        cmocka_unit_test(test_progress),
        cmocka_unit_test(test_number_of_threads),
        cmocka_unit_test(test_contexts_are_independent),
        cmocka_unit_test(test_merge_wants_two_scenes_of_one_context),
        cmocka_unit_test(test_write_file),
        cmocka_unit_test(test_number_of_a_gone_file),
        cmocka_unit_test(test_sessions_do_not_grow),
        cmocka_unit_test(test_names_of_files_read),
        cmocka_unit_test(test_limit_of_memory),
        cmocka_unit_test(test_no_mapping),
        cmocka_unit_test(test_losses_add_up_and_floods_are_bounded),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
