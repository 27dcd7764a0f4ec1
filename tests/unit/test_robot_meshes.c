/* The meshes of robot simulators: tri and msh. Samples, whose content is worked out by hand, and two real files, whose
 * triangles a script counted and measured apart from our code. */
#include <unistd.h>

#include "assimp_support.h"

static cp_scene *read_sample(cp_context *context, const char *name)
{
    return read_sample_of(context, SAMPLES, name);
}

static void test_tri(void **state)
{
    static const float slope[] = {0, 0, 0.1f, 0.1f, 0, 0.2f, 0.1f, 0.1f, 0.2f};
    static const float three[] = {0, 0.1f, 0.1f, 0.1f, 0.1f, 0.2f, 0.1f, 0.1f, 0.1f};
    cp_scene *scene = read_sample(*state, "tri_wedge.tri");
    const cp_mesh *mesh = only_mesh(scene);
    assert_int_equal(mesh->vertex_count, 18);
    assert_int_equal(mesh->face_count, 6);
    assert_memory_equal(mesh->positions, slope, sizeof slope);
    assert_memory_equal(mesh->positions + 27, three, sizeof three);
    for (uint32_t i = 0; i < 18; i++)
        assert_int_equal(mesh->corners[i], i);
    assert_true(fabs((double)mesh->normals[0] + sqrt(0.5)) < 1e-7 && mesh->normals[1] == 0);
    assert_true(mesh->normals[3 * 17] == 1);
    const cp_material *materials = cp_materials(scene, &(uint32_t){0});
    assert_int_equal(count_materials(scene), 2);
    assert_int_equal(mesh->group_count, 2);
    assert_int_equal(mesh->groups[0].face_count, 2);
    assert_int_equal(mesh->groups[1].face_count, 4);
    assert_string_equal(materials[mesh->groups[0].material].name, "#cc6633"); /* 0.8 0.4 0.2 of 255 */
    assert_string_equal(materials[mesh->groups[1].material].name, "#333333");
    assert_string_equal(node_called(scene, "tri_wedge")->name, "tri_wedge");
    assert_string_equal(cp_scene_source(scene)->format, "tri");
    cp_scene_free(scene);
}

/* Lines and blanks part words alike; triangles before the first colour have none, and a colour between the points of a
 * triangle is that of the triangle. */
static void test_words(void **state)
{
    static const char text[] = "\xEF\xBB\xBFpoint 0 0 0 0 0 1\tpoint 1 0 0 0 0 1\r\npoint 0 1 0 0 0 1 !x\n"
                               "#\npoint 0 0 0 0 0 1 point 1 0 0\n0 0 2 color 1 0 0 point $ color 0 1 0\n 0 1 0 0 0 1";
    cp_scene *scene = read_scene(*state, text, "stdin", NULL);
    const cp_mesh *mesh = only_mesh(scene);
    assert_string_equal(cp_scene_source(scene)->format, "tri");
    assert_int_equal(mesh->face_count, 2);
    assert_int_equal(mesh->group_count, 2);
    assert_int_equal(mesh->groups[0].material, CP_NONE);
    assert_string_equal(cp_materials(scene, &(uint32_t){0})[mesh->groups[1].material].name, "#ff0000");
    assert_true(mesh->normals[3 * 4 + 2] == 1); /* made as long as 1 */
    cp_scene_free(scene);
    scene = read_scene(*state, text, "stdin", "unit=mm");
    assert_true(cp_instances(scene, &(uint32_t){0})->transform.m[0] == 0.001);
    cp_scene_free(scene);
}

static void test_msh(void **state)
{
    static const float corners[] = {0, 0, 0, 0.2f, 0, 0, 0, 0.3f, 0, 0, 0, 0.4f};
    static const uint32_t faces[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    cp_scene *scene = read_sample(*state, "msh_corner.msh");
    const cp_mesh *mesh = only_mesh(scene);
    cp_measures measures = {.size = sizeof measures};
    assert_positions(mesh, corners, 4);
    assert_corners(mesh, faces, 12);
    assert_true(mesh->normals[3] == 1 && mesh->normals[7] == 1 && mesh->normals[11] == 1);
    assert_true(fabs((double)mesh->normals[0] + sqrt(1 / 3.0)) < 1e-7);
    assert_int_equal(cp_measure(*state, scene, CP_USE_DRAWN, &measures), CP_OK);
    assert_true(fabs(measures.volume - 0.2 * 0.3 * 0.4 / 6) < 1e-9);
    assert_string_equal(cp_scene_source(scene)->format, "msh");
    cp_scene_free(scene);
}

/* Half a face is none, with partial=yes. */
static void test_cut_files(void **state)
{
    static const char *const partial[] = {"partial=yes"};
    cp_scene *scene = NULL;
    assert_int_equal(cp_read(*state, TEST_ROOT "/cases/msh/cut.msh", NULL, partial, 1, &scene), CP_OK);
    assert_int_equal(only_mesh(scene)->face_count, 2);
    assert_int_equal(only_mesh(scene)->vertex_count, 4);
    cp_scene_free(scene);
    assert_int_equal(cp_read(*state, TEST_ROOT "/cases/tri/two.tri", NULL, partial, 1, &scene), CP_OK);
    assert_int_equal(only_mesh(scene)->face_count, 1);
    assert_int_equal(only_mesh(scene)->vertex_count, 3);
    cp_scene_free(scene);
}

/* One face of zeros may be meant; two are a damage (cases/msh). */
static void test_zero_face(void **state)
{
    cp_scene *scene = read_path(*state, TEST_ROOT "/cases/msh/zero_face.msh");
    assert_int_equal(only_mesh(scene)->face_count, 2);
    cp_scene_free(scene);
}

static void test_real_files(void **state)
{
    static const struct {
        const char *path;
        uint32_t vertices, faces, materials;
        double area, volume;
    } files[] = {
        {"/corpus/robots/rwxml/tri/Geometry/Rob-0.tri", 3312, 1104, 3, 0.26093023553019, 0.0079513911517270},
        {"/corpus/robots/mjcf/mujoco_tests/user/testdata/cube.msh", 36, 12, 0, 5.9999960362920595, 0.9999989271167492}};
    if (access(SHARED, R_OK) != 0) {
        print_message("skipped: %s is not there\n", SHARED);
        skip();
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[4096];
        cp_measures measures = {.size = sizeof measures};
        (void)snprintf(path, sizeof path, "%s%s", SHARED, files[i].path);
        cp_scene *scene = read_path(*state, path);
        assert_int_equal(only_mesh(scene)->vertex_count, files[i].vertices);
        assert_int_equal(only_mesh(scene)->face_count, files[i].faces);
        assert_int_equal(count_materials(scene), files[i].materials);
        assert_int_equal(cp_measure(*state, scene, CP_USE_DRAWN, &measures), CP_OK);
        assert_true(fabs(measures.area - files[i].area) < 1e-7);
        assert_true(fabs(measures.volume - files[i].volume) < 1e-8);
        cp_scene_free(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_tri),       TEST(test_words),     TEST(test_msh),
                                       TEST(test_cut_files), TEST(test_zero_face), TEST(test_real_files)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
