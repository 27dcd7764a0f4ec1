/* The AC3D importer on small files whose content is worked out by hand, and on files of robots beside what assimp reads
 * of them. */
#include "assimp_support.h"

#define PALETTE "MATERIAL \"m\" rgb 1 0 0 amb 0 0 0 emis 0 0 0 spec 0 0 0 shi 0 trans 0\n"
#define WORLD "OBJECT world\nkids 1\n"
#define TRIANGLE "numvert 3\n0 0 0\n1 0 0\n0 1 0\nnumsurf 1\nSURF 0x20\nmat 0\nrefs 3\n0 0 0\n1 0 0\n2 0 0\n"

static void test_desk(void **state)
{
    static const float top[] = {-1, -0.5f, 0, 1, -0.5f, 0, 1.25f, 0, 0, 1, 0.5f, 0, -1, 0.5f, 0};
    static const double place[12] = {1, 0, 0, 0.5, 0, 1, 0, 0, 0, 0, 1, 0.75}; /* the lamp's loc */
    static const double lamp[4] = {1, 1, 0.5, 0.5};
    uint32_t count;
    cp_measures measures = {.size = sizeof measures};
    cp_scene *scene = read_path(*state, SAMPLES "/ac3d_desk.ac");
    const cp_node *nodes = cp_nodes(scene, &count);
    assert_int_equal(count, 4);
    assert_string_equal(nodes[1].name, "desk");
    assert_string_equal(nodes[2].name, "top");
    assert_string_equal(nodes[3].name, "lamp");
    assert_int_equal(nodes[2].parent, 1);
    assert_int_equal(nodes[3].parent, 1);
    expect_pose(&nodes[3].local, place, 0);
    const cp_mesh *meshes = cp_meshes(scene, &count);
    assert_int_equal(count, 2);
    assert_positions(&meshes[0], top, 5);
    assert_int_equal(meshes[0].face_count, 1);
    assert_int_equal(meshes[1].vertex_count, 4);
    assert_int_equal(meshes[1].face_count, 4);
    const cp_material *materials = cp_materials(scene, &count);
    assert_int_equal(count, 2);
    assert_true(materials[0].two_sided && !materials[1].two_sided);
    assert_memory_equal(materials[1].rgba, lamp, sizeof lamp);
    assert_true(materials[1].emissive[0] == 1 && fabs(materials[1].emissive[2] - 0.21404114) < 1e-8);
    assert_string_equal(cp_scene_source(scene)->format, "ac3d");
    assert_int_equal(cp_measure(*state, scene, CP_USE_BOTH, &measures), CP_OK);
    assert_int_equal(measures.triangles, 3 + 4);
    assert_true(measures.lower[0] == -1 && measures.upper[0] == 1.25 && measures.upper[2] == 1.25);
    assert_int_equal(count_all(*state), 0);
    cp_scene_free(scene);
}

/* loc comes after rot, for polygons, lines and kids; text in a data block is no line of the file. */
static void test_places(void **state)
{
    static const char text[] =
        "AC3Db\n" PALETTE WORLD "OBJECT poly\nname \"turned\"\ndata 11\nloc 9 9 9\nx\nloc 0.1 2 -3\r\n"
        "rot 0 -1 0 1 0 0 0 0 1\nurl \"a b\"\nnumvert 3\n0.1 0 0\n1 0 0\n0 1 0\nnumsurf 1\nSURF 0x00\nmat 0\nrefs 3\n"
        "0 0 0\n1 0 0\n2 0 0\nkids 1\nOBJECT poly\nname \"line\"\nloc 0 0 5\nnumvert 3\n0 0 0\n1 0 0\n1 1 0\nnumsurf "
        "2\n"
        "SURF 0x02\nmat 0\nrefs 2\n0 0 0\n1 0 0\nSURF 0x01\nmat 0\nrefs 3\n0 0 0\n1 0 0\n2 0 0\nkids 0\n";
    static const double turned[12] = {0, -1, 0, 0.1, 1, 0, 0, 2, 0, 0, 1, -3};
    static const double up_y[12] = {0, 0, -1, 0.0001, 0, 1, 0, 0.003, 1, 0, 0, 0.002};
    static const double line[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 5};
    static const double inches[12] = {0.001, 0, 0, 0, 0, 0, -0.001, 0, 0, 0.001, 0, 0};
    static const float corners[] = {0.1f, 0, 0, 1, 0, 0, 0, 1, 0};
    static const uint32_t lines[] = {0, 1, 0, 1, 2, 0};
    uint32_t count;
    cp_scene *scene = read_scene(*state, text, "part.ac", NULL);
    expect_pose(&node_called(scene, "turned")->local, turned, 0);
    expect_pose(&node_called(scene, "line")->local, line, 0);
    assert_int_equal(node_called(scene, "line")->parent, 1);
    const cp_mesh *meshes = cp_meshes(scene, &count);
    assert_int_equal(count, 2);
    assert_positions(&meshes[0], corners, 3);
    assert_int_equal(meshes[1].kind, CP_MESH_LINES);
    assert_int_equal(meshes[1].face_count, 2);
    assert_corners(&meshes[1], lines, 6); /* a closed line ends where it began */
    const cp_metadata_entry *metadata = cp_metadata(scene, &count);
    assert_int_equal(count, 2);
    assert_string_equal(metadata[0].key, "data");
    assert_string_equal(metadata[0].value, "loc 9 9 9\nx");
    assert_string_equal(metadata[1].value, "a b");
    cp_scene_free(scene);
    const char *const options[] = {"up=y", "unit=mm"};
    assert_int_equal(cp_read_memory(*state, text, sizeof text - 1, "part.ac", NULL, options, 2, &scene), CP_OK);
    expect_pose(&node_called(scene, "turned")->local, up_y, 1e-15);
    expect_pose(&cp_instances(scene, &count)[0].transform, inches, 0);
    cp_scene_free(scene);
}

/* RobWork's other suffix for the same format, that of TORCS, and no suffix that says anything. */
static void test_names(void **state)
{
    static const char text[] = "AC3Db\n" PALETTE WORLD "OBJECT poly\nname \"p\"\n" TRIANGLE "kids 0\n";
    static const char *const names[] = {"part.ac3d", "part.AC3D", "part.AC", "part.acc", "part.mdl"};
    for (size_t i = 0; i < 5; i++) {
        cp_scene *scene = read_scene(*state, text, names[i], NULL);
        assert_int_equal(only_mesh(scene)->face_count, 1);
        assert_string_equal(node_called(scene, "p")->name, "p");
        assert_string_equal(cp_scene_source(scene)->format, "ac3d");
        cp_scene_free(scene);
    }
}

/* One triangle, as files put it. Nothing is to be told about any. */
static void test_lines(void **state)
{
    static const char *const texts[] = {
        "AC3Db\n" PALETTE WORLD "OBJECT poly\n" TRIANGLE "kids 0\n",
        "AC3Dc\r\nMAT \"m\"\r\nrgb 1 0 0\r\namb 0 0 0\r\nemis 0 0 0\r\nspec 0 0 0\r\nshi 0\r\ntrans 0\r\nENDMAT\r\n"
        "OBJECT poly\r\nnumvert 3\r\n0 0 0\r\n1 0 0\r\n0 1 0\r\nnumsurf 1\r\nSURF 0X20\r\nmat 0\r\nrefs 3\r\n0 0 0\r\n"
        "1 0 0\r\n2 0 0\r\nkids 0",
        "AC3Db\rMATERIAL m rgb 1 0 0\rOBJECT poly\rnumvert 3\r0 0 0\r1 0 0\r0 1 0\rnumsurf 1\rSURF 20\rmat 0\r"
        "refs 3\r0\r1\r2\rkids 0\r",
        "\xEF\xBB\xBF"
        "AC3Db\n\n" PALETTE "\n\nOBJECT poly\n\n  " TRIANGLE "\n\tkids 0\n\n",
    };
    static const double red[4] = {1, 0, 0, 1};
    static const float corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        cp_scene *scene = read_scene(*state, texts[i], "part.ac", NULL);
        assert_positions(only_mesh(scene), corners, 3);
        assert_null(only_mesh(scene)->normals);
        assert_string_equal(node_called(scene, "part")->name, "part"); /* the file's, since the object has none */
        assert_string_equal(cp_materials(scene, NULL)->name, "m");
        assert_memory_equal(cp_materials(scene, NULL)->rgba, red, sizeof red);
        assert_int_equal(count_all(*state), 0);
        cp_scene_free(scene);
    }
}

/* A material that surfaces show from one side, from both, and under a texture is three of the scene. The texture counts
 * from below. */
static void test_textures(void **state)
{
    static const char text[] =
        "AC3Db\nMATERIAL \"m\" rgb 1 0 0 amb 0.2 0.2 0.2 emis 0 0 0 spec 0 0 0 shi 10 trans 0\nOBJECT world\nkids 2\n"
        "OBJECT poly\nname \"bare\"\nnumvert 3\n0 0 0\n1 0 0\n0 1 0\nnumsurf 3\nSURF 0x20\nmat 0\nrefs 3\n0 0 0\n1 0 "
        "0\n"
        "2 0 0\nSURF 0x00\nmat 0\nrefs 3\n0 0 0\n1 0 0\n2 0 0\nSURF 0x20\nmat 0\nrefs 3\n0 0 0\n1 0 0\n2 0 0\nkids 0\n"
        "OBJECT poly\nname \"mapped\"\ntexture \"a\\b.png\"\ntexrep 2 3\ntexoff 0.25 0.5\nnumvert 4\n0 0 0\n1 0 0\n"
        "1 1 0\n0 1 0\nnumsurf 2\nSURF 0x20\nmat 0\nrefs 3\n0 0 0\n1 1 0\n2 1 1\nSURF 0x20\nmat 0\nrefs 3\n0 0 0.25\n"
        "2 1 1\n3 0 1\nkids 0\n";
    static const float coordinates[] = {0, 1, 1, 1, 1, 0, 0, 0.75f, 0, 0};
    static const uint32_t corners[] = {0, 1, 2, 3, 2, 4}; /* the first vertex has two places in the texture */
    uint32_t count;
    write_file("a/b.png", "\x89PNG\r\n\x1a\nX");
    write_file("part.ac", text);
    cp_scene *scene = read_path(*state, path_of("part.ac"));
    const cp_mesh *meshes = cp_meshes(scene, &count);
    assert_int_equal(count, 2);
    assert_int_equal(meshes[0].group_count, 3);
    assert_int_equal(meshes[0].groups[0].material, meshes[0].groups[2].material);
    assert_int_equal(count_materials(scene), 3);
    const cp_material *materials = cp_materials(scene, NULL), *mapped = &materials[meshes[1].groups[0].material];
    assert_true(materials[meshes[0].groups[0].material].two_sided &&
                !materials[meshes[0].groups[1].material].two_sided);
    assert_int_equal(meshes[1].vertex_count, 5);
    assert_memory_equal(meshes[1].coordinates[0], coordinates, sizeof coordinates);
    assert_corners(&meshes[1], corners, 6);
    assert_int_equal(mapped->texture_count, 1);
    assert_true(mapped->textures[0].scale[0] == 2 && mapped->textures[0].scale[1] == 3);
    assert_true(mapped->textures[0].offset[0] == 0.25 && mapped->textures[0].offset[1] == 1 - 3 - 0.5);
    assert_int_equal(cp_images(scene, &count)[0].size, 9);
    const cp_metadata_entry *metadata = cp_metadata(scene, &count);
    assert_int_equal(count, 6); /* two for each of the materials */
    assert_string_equal(metadata[0].key, "clr.ambient");
    assert_string_equal(metadata[0].value, "[0.2,0.2,0.2]");
    assert_string_equal(metadata[1].value, "10");
    assert_int_equal(count_all(*state), 0);
    cp_scene_free(scene);
}

/* Two faces that meet at an edge: an angle above theirs makes it soft, one below sharp. Both are normals of the mesh
 * where a writer's own angle of 38 degrees would say otherwise. None is made for surfaces that are not shaded, nor
 * without an angle. */
static void test_crease(void **state)
{
    static const char upright[] = "0 0 1", bent[] = "0 -0.86602540378443865 0.5"; /* 90 and 30 degrees */
    static const struct {
        const char *crease;
        int flags;
        const char *corner; /* of the second face */
        uint32_t vertices;
        double normal; /* Y of the first vertex; 0 / 0: no normals */
    } cases[] = {{"crease 91\n", 0x10, upright, 4, 0.70710678118654752},
                 {"crease 89\n", 0x10, upright, 4, NAN},
                 {"crease 31\n", 0x10, bent, 4, 0.25881904510252074},
                 {"crease 29\n", 0x10, bent, 6, 0},
                 {"crease 0\n", 0x10, bent, 6, 0},
                 {"crease 0\n", 0x10, upright, 4, NAN},
                 {"crease 0\n", 0, bent, 4, NAN},
                 {"crease 91\n", 0, upright, 4, NAN},
                 {"", 0x10, upright, 4, NAN}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        (void)snprintf(text, sizeof text,
                       "AC3Db\n" PALETTE "OBJECT poly\n%snumvert 4\n0 0 0\n1 0 0\n0 1 0\n%s\nnumsurf 2\nSURF %#x\n"
                       "mat 0\nrefs 3\n0 0 0\n1 0 0\n2 0 0\nSURF %#x\nmat 0\nrefs 3\n1 0 0\n0 0 0\n3 0 0\nkids 0\n",
                       cases[i].crease, cases[i].corner, cases[i].flags, cases[i].flags);
        cp_scene *scene = read_scene(*state, text, "part.ac", NULL);
        const cp_mesh *mesh = only_mesh(scene);
        assert_int_equal(mesh->vertex_count, cases[i].vertices);
        assert_int_equal(mesh->normals == NULL, isnan(cases[i].normal));
        if (mesh->normals)
            assert_true(fabs(fabs((double)mesh->normals[1]) - cases[i].normal) < 1e-6);
        assert_int_equal(count_all(*state), 0);
        cp_scene_free(scene);
    }
}

/* TORCS: normals of vertices, and strips, of which every other triangle is wound the other way. */
static void test_strips(void **state)
{
    static const char text[] =
        "AC3Db\n" PALETTE "OBJECT poly\nnumvert 5\n0 0 0 0 0 2\n1 0 0 0 0 1\n0 1 0 0 0 1\n1 1 0 0 0 1\n0 2 0 0 0 1\n"
        "numsurf 1\nSURF 0x14\nmat 0\nrefs 5\n0 0 0\n1 0 0\n2 0 0\n3 0 0\n4 0 0\nkids 0\n";
    static const uint32_t corners[] = {0, 1, 2, 1, 3, 2, 2, 3, 4};
    cp_scene *scene = read_scene(*state, text, "part.acc", NULL);
    assert_corners(only_mesh(scene), corners, 9);
    assert_non_null(only_mesh(scene)->normals);
    for (int i = 0; i < 5; i++)
        assert_true(only_mesh(scene)->normals[3 * i + 2] == 1); /* of unit length */
    assert_int_equal(count_all(*state), 0);
    cp_scene_free(scene);
}

/* Far from the origin, the digits of the file count, not those of floats. */
static void test_far(void **state)
{
    static const char text[] = "AC3Db\n" PALETTE "OBJECT poly\nnumvert 3\n10000000.25 0 0\n10000001.5 0 0\n"
                               "10000000.25 1 0\nnumsurf 1\nSURF 0x20\nmat 0\nrefs 3\n0 0 0\n1 0 0\n2 0 0\nkids 0\n";
    cp_measures measures = {.size = sizeof measures};
    cp_scene *scene = read_scene(*state, text, "part.ac", NULL);
    assert_int_equal(cp_measure(*state, scene, CP_USE_BOTH, &measures), CP_OK);
    assert_true(measures.lower[0] == 10000000.25 && measures.upper[0] == 10000001.5);
    cp_scene_free(scene);
}

/* A file that is cut off keeps what was whole with partial=yes. */
static void test_partial(void **state)
{
    static const char text[] =
        "AC3Db\n" PALETTE WORLD "OBJECT poly\n" TRIANGLE "kids 2\nOBJECT poly\nnumvert 3\n0 0 0\n"
        "1 0 0\n0 1 0\nnumsurf 3\nSURF 0x20\nmat 0\nrefs 3\n0 0 0\n1 0 0\n2 0 0\nSURF 0x20\n"
        "mat 0\nrefs 3\n0 0 0\n1 0";
    cp_scene *scene = read_scene(*state, text, "part.ac", "partial=yes");
    uint32_t count;
    const cp_mesh *meshes = cp_meshes(scene, &count);
    assert_int_equal(count, 2);
    assert_int_equal(meshes[1].face_count, 1);
    assert_int_equal(count_entries(*state, CP_WARNING, "ac3d-truncated"), 1);
    cp_scene_free(scene);
}

/* ---- files of robots, beside assimp ---- */

/* Reads triangles, the box, and the sum of the materials' colours. */
static void measure(cp_context *context, const char *path, cp_measures *measures, double colours[4])
{
    cp_scene *scene;
    uint32_t count;
    *measures = (cp_measures){.size = sizeof *measures};
    memset(colours, 0, 4 * sizeof *colours);
    expect_status(context, cp_read(context, path, NULL, NULL, 0, &scene), CP_OK);
    assert_int_equal(cp_measure(context, scene, CP_USE_BOTH, measures), CP_OK);
    const cp_material *materials = cp_materials(scene, &count);
    for (uint32_t i = 0; i < count; i++)
        for (int k = 0; k < 4; k++)
            colours[k] += materials[i].rgba[k];
    cp_scene_free(scene);
}

/* The numbers are those of assimp 5.2.5: its triangles, its box, and the sums of its materials' colours. */
static void test_corpus(void **state)
{
    static const struct {
        const char *name;
        uint64_t triangles;
        double lower[3], upper[3], colours[4];
    } files[] = {{"fanuc_lrm200i/Fanuc-LRM200i/Geometry/BaseLR200i-1",
                  698,
                  {-0.165, -0.095, -0.35},
                  {0.085, 0.095, -0.063},
                  {1.776471, 1.678431, 0.823529, 2}},
                 {"fanuc_lrm200i/Fanuc-LRM200i/Geometry/JT1-LR200i-1",
                  1208,
                  {-0.083, -0.0975, -0.063},
                  {0.213, 0.0975, 0.087},
                  {1.776471, 1.678431, 0.823529, 2}},
                 {"fanuc_lrm200i/Fanuc-LRM200i/Geometry/JT2-LR200i-1",
                  2098,
                  {0.078187, -0.162, -0.07178},
                  {0.221813, 0.147, 0.304},
                  {1.776471, 1.678431, 0.823529, 2}},
                 {"fanuc_lrm200i/Fanuc-LRM200i/Geometry/JT3-LR200i-1",
                  564,
                  {0.04, -0.0975, 0.19},
                  {0.2345, 0.0975, 0.385},
                  {1.776471, 1.678431, 0.823529, 2}},
                 {"fanuc_lrm200i/Fanuc-LRM200i/Geometry/JT4-LR200i-1",
                  2752,
                  {0.2345, -0.095, 0.2675},
                  {0.49, 0.095, 0.3825},
                  {1.776471, 1.678431, 0.823529, 2}},
                 {"fanuc_lrm200i/Fanuc-LRM200i/Geometry/JT5-LR200i-1",
                  466,
                  {0.359, -0.046, 0.2475},
                  {0.497, 0.053, 0.3895},
                  {1.776471, 1.678431, 0.823529, 2}},
                 {"fanuc_lrm200i/Fanuc-LRM200i/Geometry/JT6-LR200i-1",
                  994,
                  {0.497, -0.035, 0.29},
                  {0.52, 0.035, 0.36},
                  {0.752941, 0.752941, 0.752941, 1}},
                 {"parallel/Robotiq-2-finger-85/geometry/inner_link",
                  1256,
                  {0.0038838, 0.0398968, -0.006477},
                  {0.0567241, 0.0977085, 0.028702},
                  {0.266667, 0.266667, 0.266667, 1}},
                 {"pg70/PG70/Geometry/basejaw",
                  12,
                  {-0.015, -0.0044999, 0.0000001},
                  {0.015, 0.0045001, 0.0105001},
                  {0.533333, 0.533333, 0.533333, 1}},
                 {"tri/Geometry/basejaw",
                  12,
                  {-0.015, -0.0044999, 0.0000001},
                  {0.015, 0.0045001, 0.0105001},
                  {0.533333, 0.533333, 0.533333, 1}},
                 {"pg70/PG70/Geometry/cube",
                  1744,
                  {-0.04165, -0.056, 0},
                  {0.04165, 0.0925, 0.0935},
                  {1.266667, 1.266667, 0.266667, 2}}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[1024];
        cp_measures own;
        double colours[4];
        (void)snprintf(path, sizeof path, "%s/corpus/robots/rwxml/%s.ac", SHARED, files[i].name);
        FILE *file = fopen(path, "r");
        if (!file) {
            print_message("skipped: no %s\n", path);
            skip();
        }
        fclose(file);
        measure(*state, path, &own, colours);
        assert_int_equal(own.triangles, files[i].triangles);
        for (int k = 0; k < 3; k++) {
            assert_true(fabs(own.lower[k] - files[i].lower[k]) < 1e-6);
            assert_true(fabs(own.upper[k] - files[i].upper[k]) < 1e-6);
        }
        for (int k = 0; k < 4; k++)
            assert_true(fabs(colours[k] - files[i].colours[k]) < 1e-6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_desk),   TEST(test_places), TEST(test_names), TEST(test_lines),   TEST(test_textures),
        TEST(test_crease), TEST(test_strips), TEST(test_far),   TEST(test_partial), TEST(test_corpus),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
