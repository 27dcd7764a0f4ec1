/* The list of files that a context keeps: what was read, looked for and written, with the bytes' hashes. By the public
 * header alone. */
#include "cellpipe_tool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <xxhash.h>
#include <zlib.h>

#define PART                                                                                                           \
    "solid a\nfacet normal 0 0 1 outer loop vertex 0 0 0 vertex 1 0 0 vertex 0 1 0 endloop endfacet\nendsolid\n"

static char start[512];
static cp_context *context;
static cp_scene *scene;

/* Each test works in an empty folder of its own, with relative paths. */
static int set_up(void **state)
{
    (void)state;
    char folder[] = "/tmp/cellpipe-listed-XXXXXX";
    context = cp_context_new(NULL);
    cp_set_flag(context, CP_FLAG_LIST_FILES, true);
    scene = NULL;
    return getcwd(start, sizeof start) && context && mkdtemp(folder) && chdir(folder) == 0 ? 0 : 1;
}

static int tear_down(void **state)
{
    (void)state;
    char folder[512], command[600];
    cp_scene_free(scene);
    cp_context_free(context);
    if (!getcwd(folder, sizeof folder) || chdir(start) != 0)
        return 1;
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void read_again(const char *path, cp_status expected)
{
    cp_scene_free(scene);
    assert_int_equal(cp_read(context, path, NULL, NULL, 0, &scene), expected);
}

/* Exactly these, in this order: "r PATH", "m PATH" or "w PATH" each, and what is there has the size, time and hash that
 * the file on the disk has. */
static void expect_files(const char *const *expected)
{
    static const char letters[] = {[CP_FILE_READ] = 'r', [CP_FILE_MISSING] = 'm', [CP_FILE_WRITTEN] = 'w'};
    size_t count;
    const cp_file *files = cp_files(context, &count);
    for (size_t i = 0; i < count; i++) {
        struct stat info;
        char found[512];
        static char bytes[1 << 20];
        (void)snprintf(found, sizeof found, "%c %s", letters[files[i].use], files[i].path);
        assert_non_null(expected[i]);
        assert_string_equal(found, expected[i]);
        if (files[i].use == CP_FILE_MISSING) {
            assert_true(files[i].size == 0 && files[i].modified == 0 && !files[i].hash.low && !files[i].hash.high);
            continue;
        }
        FILE *file = fopen(files[i].path, "rb");
        assert_non_null(file);
        size_t size = fread(bytes, 1, sizeof bytes, file);
        assert_int_equal(fstat(fileno(file), &info), 0);
        assert_int_equal(fclose(file), 0);
        XXH128_hash_t hash = XXH3_128bits(bytes, size);
        assert_int_equal(files[i].size, size);
        assert_true(files[i].modified == (int64_t)info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec);
        assert_true(files[i].hash.low == hash.low64 && files[i].hash.high == hash.high64);
        cp_hash again = cp_hash_bytes(bytes, size);
        assert_true(again.low == hash.low64 && again.high == hash.high64);
    }
    assert_null(expected[count]);
}
#define EXPECT_FILES(...) expect_files((const char *const[]){__VA_ARGS__, NULL})

static void test_nothing_without_the_flag(void **unused)
{
    size_t count;
    (void)unused;
    cp_set_flag(context, CP_FLAG_LIST_FILES, false);
    write_text("a.stl", PART);
    read_again("a.stl", CP_OK);
    (void)cp_files(context, &count);
    assert_int_equal(count, 0);
}

/* A model that is named twice is looked for once in each place. */
static void test_files_of_a_cell(void **unused)
{
    (void)unused;
    assert_int_equal(mkdir("cells", 0777) | mkdir("lib", 0777) | mkdir("cells/part.stl", 0777), 0);
    write_text("lib/part.stl", PART);
    write_text("cells/cell.wu", "{ \"X\"\n  DrawableID \"part.stl\"\n}\n{ \"Y\"\n  DrawableID \"none.stl\"\n}\n"
                                "{ \"Z\"\n  DrawableID \"none.stl\"\n}\n");
    assert_int_equal(cp_add_include_folder(context, "lib"), CP_OK);
    read_again("cells/cell.wu", CP_OK);
    size_t count;
    const cp_file *files = cp_files(context, &count);
    assert_true(count >= 5);
    assert_string_equal(files[0].path, "cells/cell.wu");
    assert_true(files[0].use == CP_FILE_READ);
    assert_string_equal(files[0].format, "tag");
    unsigned folder = 0, part = 0, none[2] = {0};
    for (size_t i = 0; i < count; i++) {
        folder += files[i].use == CP_FILE_MISSING && strcmp(files[i].path, "cells/part.stl") == 0;
        part += files[i].use == CP_FILE_READ && strcmp(files[i].path, "lib/part.stl") == 0 &&
                strcmp(files[i].format, "stl") == 0;
        none[0] += files[i].use == CP_FILE_MISSING && strcmp(files[i].path, "cells/none.stl") == 0;
        none[1] += files[i].use == CP_FILE_MISSING && strcmp(files[i].path, "lib/none.stl") == 0;
    }
    assert_true(folder == 1 && part == 1 && none[0] == 1 && none[1] == 1);
}

static void test_the_input_itself(void **unused)
{
    (void)unused;
    write_text("bytes", "\x01\x02");
    read_again("bytes", CP_INPUT);
    size_t count;
    assert_string_equal(cp_files(context, &count)->format, "");
    cp_report_clear(context);
    read_again("none.stl", CP_INPUT);
    write_text("a.stl", PART);
    read_again("a.stl", CP_OK);
    read_again("a.stl", CP_OK);
    write_text("bad.stl", "solid a\nfacet normal 0 0 1 outer loop vertex 0 0 x\n");
    read_again("bad.stl", CP_INPUT); /* no scene */
    assert_int_equal(cp_read_memory(context, PART, sizeof PART - 1, "b.stl", NULL, NULL, 0, &scene), CP_OK);
    EXPECT_FILES("m none.stl", "r a.stl", "r bad.stl");
    cp_report_clear(context);
    EXPECT_FILES(NULL);
    read_again("a.stl", CP_OK);
    EXPECT_FILES("r a.stl");
    write_text("a.stl", PART PART); /* other bytes: listed once more */
    read_again("a.stl", CP_OK);
    const cp_file *files = cp_files(context, &count);
    assert_int_equal(count, 2);
    assert_string_equal(files[1].path, "a.stl");
    assert_int_equal(files[1].size, 2 * (sizeof PART - 1));
}

/* Mapped, packed, and both: the bytes of the file. */
static void test_bytes_as_they_lie_there(void **unused)
{
    enum { TIMES = 4000 };
    (void)unused;
    FILE *file = fopen("large.stl", "w");
    gzFile packed = gzopen("large.stl.gz", "wb");
    assert_true(file && packed);
    for (int i = 0; i < TIMES; i++)
        assert_true(fputs(PART, file) >= 0 && gzputs(packed, PART) > 0);
    assert_int_equal(fclose(file) | gzclose(packed), 0);
    read_again("large.stl", CP_OK);
    read_again("large.stl.gz", CP_OK);
    assert_int_equal(cp_write(context, scene, "out.stl.gz", NULL, NULL, 0), CP_OK);
    EXPECT_FILES("r large.stl", "r large.stl.gz", "w out.stl.gz");
}

static void test_a_stream(void **unused)
{
    (void)unused;
    assert_int_equal(mkfifo("pipe.stl", 0600), 0);
    pid_t child = fork();
    if (child == 0) {
        FILE *file = fopen("pipe.stl", "w");
        _exit(!file || fputs(PART, file) < 0 || fclose(file) != 0);
    }
    read_again("pipe.stl", CP_OK);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    size_t count;
    const cp_file *files = cp_files(context, &count);
    cp_hash hash = cp_hash_bytes(PART, sizeof PART - 1);
    assert_int_equal(count, 1);
    assert_string_equal(files[0].path, "pipe.stl");
    assert_true(files[0].size == sizeof PART - 1 && files[0].modified == 0);
    assert_true(files[0].hash.low == hash.low && files[0].hash.high == hash.high);
}

/* The top output is the last one of its cp_write, and what failed is not listed. */
static void test_outputs(void **unused)
{
    (void)unused;
    write_text("a.stl", PART);
    read_again("a.stl", CP_OK);
    assert_int_equal(cp_write(context, scene, "a.gltf", NULL, NULL, 0), CP_OK);
    assert_int_equal(cp_write(context, scene, "none/b.gltf", NULL, NULL, 0), CP_OUTPUT);
    assert_int_equal(cp_write(context, scene, "a.stl", NULL, NULL, 0), CP_USAGE);
    assert_int_equal(cp_write_file(context, "notes", "text", 4), CP_OK);
    EXPECT_FILES("r a.stl", "w a.bin", "w a.gltf", "w notes");
    cp_scene *again;
    assert_int_equal(cp_read(context, "a.gltf", NULL, NULL, 0, &again), CP_OK);
    cp_scene_free(again);
    EXPECT_FILES("r a.stl", "w a.bin", "w a.gltf", "w notes", "r a.gltf", "r a.bin");
}

static void test_versions_of_plugins(void **unused)
{
    (void)unused;
    for (cp_plugin_kind kind = CP_IMPORTER; kind <= CP_FILTER; kind++)
        for (size_t i = 0; i < cp_plugin_count(NULL, kind); i++) {
            cp_plugin_info info = {.size = sizeof info};
            assert_true(cp_plugin_at(NULL, kind, i, &info));
            bool is_assimp = strcmp(info.name, "assimp") == 0;
            const char *const versions[] = {info.version, cp_plugin_version(NULL, kind, i)};
            for (int k = 0; k < 2; k++) {
                assert_non_null(versions[k]);
                assert_true(*versions[k] != '\0' && (strstr(versions[k], "assimp 5.") != NULL) == is_assimp);
            }
        }
    assert_string_equal(cp_plugin_version(NULL, CP_FILTER, cp_plugin_count(NULL, CP_FILTER)), "");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_nothing_without_the_flag), TEST(test_files_of_a_cell), TEST(test_the_input_itself),
        TEST(test_bytes_as_they_lie_there),  TEST(test_a_stream),        TEST(test_outputs),
        TEST(test_versions_of_plugins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
