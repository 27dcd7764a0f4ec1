/* Real files to STL again, at once and by way of GLB: every vertex bit for bit and in order. */
#include "stl_files.h"

#include "stl_support.h"

static struct files files;

static cp_scene *read_file(cp_context *context, const char *path)
{
    cp_scene *scene;
    assert_int_equal(cp_read(context, path, NULL, NULL, 0, &scene), CP_OK);
    assert_int_equal(cp_validate(context, scene), CP_OK);
    return scene;
}

static void assert_same_triangles(const cp_scene *a, const cp_scene *b)
{
    uint32_t count_a, count_b;
    const cp_mesh *mesh_a = cp_meshes(a, &count_a), *mesh_b = cp_meshes(b, &count_b);
    assert_int_equal(count_a, 1);
    assert_int_equal(count_b, 1);
    assert_int_equal(mesh_a->corner_count, mesh_b->corner_count);
    assert_int_equal(mesh_a->vertex_count, mesh_b->vertex_count);
    assert_memory_equal(mesh_a->corners, mesh_b->corners, mesh_a->corner_count * sizeof(uint32_t));
    assert_memory_equal(mesh_a->positions, mesh_b->positions, mesh_a->vertex_count * 3 * sizeof(float));
}

/* The bytes of a file read by nothing but fread: the vertices of a binary file, without the normals. */
static void assert_same_vertices(const char *path, const unsigned char *written, size_t size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    size_t length = (size_t)ftell(file);
    rewind(file);
    unsigned char *original = malloc(length);
    assert_int_equal(fread(original, 1, length, file), length);
    fclose(file);
    assert_true(length > 84);
    size_t count = original[80] | (size_t)original[81] << 8 | (size_t)original[82] << 16 | (size_t)original[83] << 24;
    if (length == 84 + 50 * count) { /* else it is an ASCII file */
        assert_int_equal(size, length);
        for (size_t at = 84; at < size; at += 50)
            assert_memory_equal(original + at + 12, written + at + 12, 36);
    }
    free(original);
}

/* Written and read back. */
static cp_scene *pass_through(cp_context *context, const cp_scene *scene, const char *format, const char *option)
{
    void *bytes;
    size_t size;
    cp_scene *back;
    assert_int_equal(cp_write_memory(context, scene, format, &option, 1, &bytes, &size), CP_OK);
    assert_int_equal(cp_read_memory(context, bytes, size, "part", NULL, NULL, 0, &back), CP_OK);
    cp_free(context, bytes, size);
    return back;
}

static void try_stl(cp_context *context, const char *path, const cp_scene *scene)
{
    static const char *const binary = "format=binary";
    void *bytes;
    size_t size;
    assert_int_equal(cp_write_memory(context, scene, "stl", &binary, 1, &bytes, &size), CP_OK);
    assert_same_vertices(path, bytes, size);
    cp_free(context, bytes, size);
}

static void try_file(cp_context *context, const char *path, const cp_scene *scene)
{
    static const char *const ways[][2] = {{"stl", "format=ascii"},
                                          {"stl", "format=binary"},
                                          {"glb", "profile=stage"},
                                          {"glb", "profile=deliver"},
                                          {"glb", "up=z"}};
    try_stl(context, path, scene);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        cp_scene *back = pass_through(context, scene, ways[i][0], ways[i][1]);
        assert_same_triangles(scene, back);
        try_stl(context, path, back);
        cp_scene_free(back);
    }
}

static void test_corpus(void **state)
{
    (void)state;
    uint64_t irb120 = 0, irb120_files = 0;
    for (size_t i = 0; i < files.count; i++) {
        cp_context *context = cp_context_new(NULL);
        cp_scene *scene = read_file(context, files.paths[i]);
        try_file(context, files.paths[i], scene);
        if (strstr(files.paths[i], "irb120")) {
            uint32_t count;
            irb120 += cp_meshes(scene, &count)->face_count;
            irb120_files++;
        }
        cp_scene_free(scene);
        cp_context_free(context);
    }
    assert_int_equal(irb120_files, 14);
    assert_int_equal(irb120, 40718);
}

int main(void)
{
    find_stl_files(SHARED "/corpus", &files);
    if (files.count == 0) {
        printf("skipped: no STL files in " SHARED "/corpus\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_corpus)};
    return cmocka_run_group_tests_name("stl corpus", tests, NULL, NULL);
}
