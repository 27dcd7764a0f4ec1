/* The PLY importer on small files whose content is worked out by hand. */
#include "assimp_support.h"

#define HEAD "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
#define FACE "element face 1\nproperty list uchar int vertex_indices\nend_header\n"
#define POINTS "0 0 0\n1 0 0\n0 1 0\n"

static void test_polygons(void **state)
{
    static const float positions[] = {0, 0, 0, 0, 2, 0, 1, 2, 1, 1, 0, 1, 2, 2, 0, 2, 0, 0, 7, 7, 7};
    static const uint32_t corners[] = {0, 3, 2, 1, 3, 5, 4, 2}, offsets[] = {0, 4, 8};
    uint32_t count;
    cp_scene *scene = read_path(*state, SAMPLES "/ply_roof.ply");
    const cp_mesh *mesh = only_mesh(scene);
    assert_positions(mesh, positions, 7); /* the file's own vertices, the unused one too */
    assert_corners(mesh, corners, 8);
    assert_memory_equal(mesh->face_offsets, offsets, sizeof offsets);
    (void)cp_materials(scene, &count);
    assert_int_equal(count, 0);
    assert_string_equal(node_called(scene, "ply_roof")->name, "ply_roof");
    assert_string_equal(cp_scene_source(scene)->format, "ply");
    cp_scene_free(scene);
}

/* 51, 102, 204 of 255 by the sRGB formula: ((c / 255 + 0.055) / 1.055) ^ 2.4 */
static void test_vertex_colours(void **state)
{
    cp_scene *scene = read_path(*state, SAMPLES "/ply_roof.ply");
    const float *colours = only_mesh(scene)->colours;
    assert_non_null(colours);
    assert_true(colours[0] == 1 && colours[1] == 0 && colours[2] == 0 && colours[3] == 1);
    assert_true(fabs((double)colours[16] - 0.0331047666) < 1e-8);
    assert_true(fabs((double)colours[17] - 0.1328683216) < 1e-8);
    assert_true(fabs((double)colours[18] - 0.6038273389) < 1e-7);
    cp_scene_free(scene);
}

/* The same colour as a float, as 8 and as 16 bits, with alpha, in each form of number that there is. */
static void test_colour_types(void **state)
{
    static const char *const types[] = {"uchar", "float", "ushort", "int", "double"};
    static const char *const values[] = {"51 102 204 255", "0.2 0.4 0.8 1", "13107 26214 52428 65535", "51 102 204 255",
                                         "0.2 0.4 0.8 1"};
    for (int i = 0; i < 5; i++) {
        char text[1024];
        const char *t = types[i], *v = values[i];
        (void)snprintf(text, sizeof text,
                       HEAD "property %s red\nproperty %s green\nproperty %s blue\nproperty %s alpha\n" FACE
                            "0 0 0 %s\n1 0 0 %s\n0 1 0 %s\n3 0 1 2\n",
                       t, t, t, t, v, v, v);
        cp_scene *scene = read_scene(*state, text, "part.ply", NULL);
        const float *colours = only_mesh(scene)->colours;
        assert_true(fabs((double)colours[8] - 0.0331047666) < 1e-7);
        assert_true(fabs((double)colours[10] - 0.6038273389) < 1e-7);
        assert_true(colours[11] == 1);
        cp_scene_free(scene);
    }
}

/* ---- binary ---- */

/* Appends a number of so many bytes. */
static void put(unsigned char **at, uint64_t bits, int size, bool big)
{
    for (int i = 0; i < size; i++)
        *(*at)++ = (unsigned char)(bits >> 8 * (big ? size - 1 - i : i));
}

static uint64_t bits_of(double value, int size)
{
    float narrow = (float)value;
    uint32_t narrow_bits;
    uint64_t bits;
    memcpy(&narrow_bits, &narrow, sizeof narrow);
    memcpy(&bits, &value, sizeof bits);
    return size == 4 ? narrow_bits : bits;
}

/* All types of numbers, in both orders: a square, whose corners are small whole numbers. */
static void test_every_type(void **state)
{
    static const struct {
        const char *names[2];
        int size;
        bool real;
    } types[] = {{{"char", "int8"}, 1, false},     {{"uchar", "uint8"}, 1, false},  {{"short", "int16"}, 2, false},
                 {{"ushort", "uint16"}, 2, false}, {{"int", "int32"}, 4, false},    {{"uint", "uint32"}, 4, false},
                 {{"float", "float32"}, 4, true},  {{"double", "float64"}, 8, true}};
    static const float square[] = {0, 0, 5, 2, 0, 5, 2, 3, 5, 0, 3, 5};
    static const uint32_t corners[] = {0, 1, 2, 0, 1, 2, 3};
    for (int run = 0; run < 8 * 2 * 2 * 6; run++) {
        int type = run % 8, list = run / 32;
        bool big = run / 8 % 2, named = run / 16 % 2;
        const char *name = types[type].names[named];
        unsigned char file[1024], *at = file;
        at += snprintf((char *)file, sizeof file,
                       "ply\r\nformat binary_%s_endian 1.0\r\nobj_info by hand\r\nelement vertex 4\r\n"
                       "property %s x\r\nproperty %s y\r\nproperty uchar skipped\r\nproperty %s z\r\n"
                       "element face 2\r\nproperty list %s %s vertex_index\r\nend_header\r\n",
                       big ? "big" : "little", name, name, name, types[list].names[named], name);
        for (int i = 0; i < 12; i++) {
            int size = types[type].size;
            if (i % 3 == 2)
                put(&at, 9, 1, big);
            put(&at, types[type].real ? bits_of((double)square[i], size) : (uint64_t)square[i], size, big);
        }
        for (int i = 0, face = 0; face < 2; face++) {
            put(&at, face ? 4 : 3, types[list].size, big);
            for (int end = i + (face ? 4 : 3); i < end; i++)
                put(&at, types[type].real ? bits_of(corners[i], types[type].size) : corners[i], types[type].size, big);
        }
        cp_scene *scene;
        size_t size = (size_t)(at - file);
        expect_status(*state, cp_read_memory(*state, file, size, "part.ply", NULL, NULL, 0, &scene), CP_OK);
        assert_positions(only_mesh(scene), square, 4);
        assert_corners(only_mesh(scene), corners, 7);
        cp_scene_free(scene);
        assert_int_equal(cp_read_memory(*state, file, size - 1, "part.ply", NULL, NULL, 0, &scene), CP_INPUT);
        assert_true(count_entries(*state, CP_ERROR, "ply-truncated") > 0);
        cp_report_clear(*state);
    }
}

/* The layouts that are read many rows at a time give what the text gives, in both orders. */
static void test_common_layouts(void **state)
{
    static const char *const properties[] = {
        "", "property float nx\nproperty float ny\nproperty float nz\n",
        "property uchar red\nproperty uchar green\nproperty uchar blue\n",
        ("property float nx\nproperty float ny\nproperty float nz\nproperty uchar red\nproperty uchar green\n"
         "property uchar blue\nproperty uchar alpha\nproperty float quality\n")};
    static const char *const forms[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    for (int layout = 0; layout < 4; layout++) {
        float colours[12] = {0};
        for (int form = 0; form < 3; form++) {
            unsigned char file[2048], *at = file;
            bool big = form == 2, normals = layout % 2, coloured = layout > 1, all = layout == 3;
            at += snprintf((char *)file, sizeof file,
                           "ply\nformat %s 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
                           "property float z\n%selement face 2\nproperty list uchar int vertex_indices\nend_header\n",
                           forms[form], properties[layout]);
            for (int i = 0; i < 3; i++) {
                if (form == 0) {
                    at += sprintf((char *)at, "%d %d 0.5%s%s%s\n", i == 1, i == 2, normals ? " 0 0 1" : "",
                                  coloured ? " 10 100 200" : "", all ? " 128 7.5" : "");
                    continue;
                }
                const double values[] = {i == 1, i == 2, 0.5, 0, 0, 1};
                for (int k = 0; k < (normals ? 6 : 3); k++)
                    put(&at, bits_of(values[k], 4), 4, big);
                for (int k = 0; k < (all ? 4 : coloured ? 3 : 0); k++)
                    put(&at, (const unsigned char[]){10, 100, 200, 128}[k], 1, big);
                if (all)
                    put(&at, bits_of(7.5, 4), 4, big);
            }
            for (int face = 0; face < 2; face++) {
                if (form == 0)
                    at += sprintf((char *)at, "3 0 %d %d\n", face ? 2 : 1, face ? 1 : 2);
                for (int k = 0; form > 0 && k < 4; k++)
                    put(&at, (const unsigned char[]){3, 0, face ? 2 : 1, face ? 1 : 2}[k], k > 0 ? 4 : 1, big);
            }
            cp_scene *scene;
            static const float positions[] = {0, 0, 0.5f, 1, 0, 0.5f, 0, 1, 0.5f};
            static const float up[] = {0, 0, 1, 0, 0, 1, 0, 0, 1};
            static const uint32_t corners[] = {0, 1, 2, 0, 2, 1};
            assert_int_equal(cp_read_memory(*state, file, (size_t)(at - file), "part", NULL, NULL, 0, &scene), CP_OK);
            const cp_mesh *mesh = only_mesh(scene);
            assert_positions(mesh, positions, 3);
            assert_corners(mesh, corners, 6);
            assert_null(mesh->face_offsets);
            assert_true((mesh->normals != NULL) == normals && (mesh->colours != NULL) == coloured);
            if (normals)
                assert_memory_equal(mesh->normals, up, sizeof up);
            if (coloured && form == 0)
                memcpy(colours, mesh->colours, sizeof colours);
            else if (coloured)
                assert_memory_equal(mesh->colours, colours, sizeof colours);
            cp_scene_free(scene);
        }
        cp_report_clear(*state);
    }
}

/* Triangles in the common layout before, between and after polygons, lines and dots. */
static void test_mixed_sizes(void **state)
{
    static const unsigned char faces[][5] = {{3, 0, 1, 2}, {3, 1, 2, 3}, {4, 0, 1, 2, 3}, {3, 2, 1, 0},
                                             {2, 0, 1},    {0},          {3, 3, 2, 1}};
    static const uint32_t offsets[] = {0, 3, 6, 10, 13, 16},
                          corners[] = {0, 1, 2, 1, 2, 3, 0, 1, 2, 3, 2, 1, 0, 3, 2, 1};
    unsigned char file[1024], *at = file;
    at += snprintf((char *)file, sizeof file,
                   "ply\nformat binary_little_endian 1.0\nelement face 7\nproperty list uchar int vertex_indices\n"
                   "element vertex 4\nproperty uchar x\nproperty uchar y\nproperty uchar z\nend_header\n");
    for (size_t i = 0; i < 7; i++)
        for (int k = 0; k <= faces[i][0]; k++)
            put(&at, faces[i][k], k ? 4 : 1, false);
    memset(at, 1, 12);
    cp_scene *scene;
    assert_int_equal(cp_read_memory(*state, file, (size_t)(at + 12 - file), "part", NULL, NULL, 0, &scene), CP_OK);
    assert_corners(only_mesh(scene), corners, 16);
    assert_memory_equal(only_mesh(scene)->face_offsets, offsets, sizeof offsets);
    assert_int_equal(count_entries(*state, CP_LOSS, "ply-edges"), 2);
    cp_scene_free(scene);
}

/* ---- strips, colours of faces, normals ---- */

/* Each triangle shows the side that the first one shows; those that name a vertex twice are left out. */
static void test_strips(void **state)
{
    static const char text[] =
        "ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nproperty float y\nproperty float z\n"
        "element tristrips 1\nproperty list int int vertex_indices\nend_header\n"
        "0 0 0\n0 1 0\n1 0 0\n1 1 0\n2 0 0\n13 0 2 1 3 3 4 -1 2 4 3 -1 1 0\n";
    static const uint32_t corners[] = {0, 2, 1, 1, 2, 3, 2, 4, 3};
    cp_scene *scene = read_scene(*state, text, "part.ply", NULL);
    assert_corners(only_mesh(scene), corners, 9);
    cp_scene_free(scene);
}

static void test_face_colours(void **state)
{
    static const char text[] =
        HEAD "element face 4\nproperty list uchar int vertex_indices\nproperty uchar red\nproperty uchar green\n"
             "property uchar blue\nproperty uchar alpha\nend_header\n" POINTS
             "3 0 1 2 255 0 0 255\n3 0 1 2 255 0 0 255\n3 0 1 2 0 0 255 128\n3 0 1 2 255 0 0 255\n";
    static const uint32_t first[] = {0, 2, 3}, material[] = {0, 1, 0};
    uint32_t count;
    cp_scene *scene = read_scene(*state, text, "part.ply", NULL);
    const cp_mesh *mesh = only_mesh(scene);
    const cp_material *materials = cp_materials(scene, &count);
    assert_int_equal(count, 2);
    assert_string_equal(materials[0].name, "#ff0000");
    assert_string_equal(materials[1].name, "#0000ff80");
    assert_true(materials[1].srgb && materials[1].rgba[2] == 1 && materials[1].rgba[3] == 128 / 255.0);
    assert_int_equal(mesh->group_count, 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(mesh->groups[i].first_face, first[i]);
        assert_int_equal(mesh->groups[i].material, material[i]);
    }
    cp_scene_free(scene);
}

/* More colours than materials make sense for: each corner has a vertex with its face's colour. */
static void test_many_face_colours(void **state)
{
    char text[16384], *at = text;
    at += sprintf(at, "%s%s", HEAD "element face 300\nproperty list uchar int vertex_indices\nproperty uchar red\n",
                  "property uchar green\nproperty uchar blue\nend_header\n" POINTS);
    for (int i = 0; i < 300; i++)
        at += sprintf(at, "3 0 1 2 %d %d 0\n", i % 256, i / 256);
    cp_scene *scene = read_scene(*state, text, "part.ply", NULL);
    const cp_mesh *mesh = only_mesh(scene);
    uint32_t count;
    (void)cp_materials(scene, &count);
    assert_int_equal(count, 0);
    assert_int_equal(mesh->vertex_count, 900);
    assert_int_equal(mesh->corners[899], 899);
    assert_true(mesh->colours[4 * 3 * 255] == 1 && mesh->colours[4 * 3 * 255 + 1] == 0 && mesh->colours[3] == 1);
    assert_true(mesh->positions[3 * 898] == 1 && mesh->positions[3 * 899 + 1] == 1);
    cp_scene_free(scene);
}

/* Normals get unit length; one without direction becomes that of the faces around, or upwards. */
static void test_normals(void **state)
{
    static const char text[] =
        "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
        "property float nx\nproperty float ny\nproperty float nz\n" FACE
        "0 0 0 0 0 -2\n0 1 0 0 0 0\n1 0 0 nan 0 1\n5 5 5 0 0 0\n3 0 1 2\n";
    static const float normals[] = {0, 0, -1, 0, 0, -1, 0, 0, -1, 0, 0, 1};
    cp_scene *scene = read_scene(*state, text, "part.ply", NULL);
    assert_memory_equal(only_mesh(scene)->normals, normals, sizeof normals);
    assert_string_equal(find_entry(*state, "ply-normals")->message,
                        "part.ply: warning: 3 of 4 normals have no direction; they are made of the faces around");
    cp_scene_free(scene);
}

/* ---- what is told ---- */

static void test_losses(void **state)
{
    static const char text[] =
        HEAD "property float quality\nelement face 1\nproperty list uchar int vertex_indices\nproperty uchar \033red\n"
             "element edge 2\nproperty int vertex1\nproperty int vertex2\nend_header\n"
             "0 0 0 9\n1 0 0 9\n0 1 0 9\n3 0 1 2 255\n0 1\n1 2\n";
    static const char *const messages[] = {"part.ply: loss: values \"quality\" of elements \"vertex\" (3)",
                                           "part.ply: loss: values \"\\x1bred\" of elements \"face\"",
                                           "part.ply: loss: elements \"edge\" (2)"};
    cp_scene_free(read_scene(*state, text, "part.ply", NULL));
    size_t count;
    const cp_entry *entries = cp_report(*state, &count);
    assert_int_equal(count, 3);
    for (int i = 0; i < 3; i++)
        assert_string_equal(entries[i].message, messages[i]);
}

static void test_comments(void **state)
{
    static const char text[] = "ply\rformat ascii 1.0\rcomment made by hand\robj_info none\relement vertex 1\r"
                               "property float x\rproperty float y\rproperty float z\rend_header\r1 2 3\r";
    cp_scene_free(read_scene(*state, text, "part.ply", NULL));
    assert_string_equal(find_entry(*state, "ply-comment")->message,
                        "part.ply: note: 2 comments are not kept; the first: \"made by hand\"");
    assert_string_equal(find_entry(*state, "ply-points")->message, "part.ply: loss: points; there are no faces");
}

static void test_unit(void **state)
{
    static const double pose[12] = {0.001, 0, 0, 0, 0, 0, -0.001, 0, 0, 0.001, 0, 0};
    static const char *const options[] = {"unit=mm", "up=y"};
    cp_scene *scene;
    uint32_t count;
    assert_int_equal(cp_read_memory(*state, HEAD FACE POINTS "3 0 1 2", sizeof HEAD FACE POINTS "3 0 1 2" - 1, "part",
                                    NULL, options, 2, &scene),
                     CP_OK);
    expect_pose(&cp_instances(scene, &count)->transform, pose, 0);
    assert_true(cp_scene_source(scene)->unit == 0.001 && cp_scene_source(scene)->up == CP_UP_Y);
    cp_scene_free(scene);
}

/* No prefix of a file is read as a smaller scene; only the last line's end may be missing. */
static void test_prefixes(void **state)
{
    static const char text[] = HEAD FACE POINTS "3 0 1 2\n";
    for (size_t size = 3; size < sizeof text - 2; size++) {
        cp_scene *scene;
        assert_int_equal(cp_read_memory(*state, text, size, "part.ply", NULL, NULL, 0, &scene), CP_INPUT);
        assert_null(scene);
    }
    cp_scene_free(read_scene(*state, text, "part.ply", NULL));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, make_context, free_context)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_polygons),   TEST(test_vertex_colours),    TEST(test_colour_types),
        TEST(test_every_type), TEST(test_common_layouts),    TEST(test_mixed_sizes),
        TEST(test_strips),     TEST(test_face_colours),      TEST(test_normals),
        TEST(test_losses),     TEST(test_many_face_colours), TEST(test_comments),
        TEST(test_unit),       TEST(test_prefixes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
