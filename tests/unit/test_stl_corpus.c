/* STL -> scene -> STL on real files: every vertex bit for bit and in order, in both forms. */
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
    unsigned char *original = malloc(size);
    size_t got = fread(original, 1, size, file);
    fclose(file);
    if (memcmp(original, "solid ascii", 11) != 0) {
        assert_int_equal(got, size);
        for (size_t at = 84; at < size; at += 50)
            assert_memory_equal(original + at + 12, written + at + 12, 36);
    }
    free(original);
}

static void test_corpus(void **state)
{
    (void)state;
    uint64_t irb120 = 0, irb120_files = 0;
    for (size_t i = 0; i < files.count; i++) {
        cp_context *context = cp_context_new(NULL);
        cp_scene *scene = read_file(context, files.paths[i]);
        for (int ascii = 0; ascii < 2; ascii++) {
            void *bytes;
            size_t size;
            const char *option = ascii ? "format=ascii" : "format=binary";
            assert_int_equal(cp_write_memory(context, scene, "stl", &option, 1, &bytes, &size), CP_OK);
            cp_scene *back = read_bytes(context, bytes, size, NULL, CP_OK);
            assert_same_triangles(scene, back);
            if (!ascii)
                assert_same_vertices(files.paths[i], bytes, size);
            cp_scene_free(back);
            cp_free(context, bytes, size);
        }
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
