/* AMF: what becomes of units, constellations, volumes, colours, normals and metadata; archives with any byte changed.
 * Places and colours are computed by hand from ISO/ASTM 52915. */
#include "assimp_support.h"

#include "zip_writer.h"

#define VERTEX(x, y, z, more) "<vertex><coordinates><x>" x "</x><y>" y "</y><z>" z "</z></coordinates>" more "</vertex>"
#define VERTICES                                                                                                       \
    "<vertices>" VERTEX("0", "0", "0", "") VERTEX("1", "0", "0", "") VERTEX("0", "1", "0", "")                         \
        VERTEX("0", "0", "1", "") "</vertices>"
#define TRIANGLE(a, b, c, more) "<triangle>" more "<v1>" a "</v1><v2>" b "</v2><v3>" c "</v3></triangle>"
#define MESH "<mesh>" VERTICES "<volume>" TRIANGLE("0", "1", "2", "") "</volume></mesh>"
#define COLOUR(r, g, b) "<color><r>" r "</r><g>" g "</g><b>" b "</b></color>"

static void test_units(void **state)
{
    static const char *const attributes[] = {"",
                                             " unit='millimeter'",
                                             " unit='inch'",
                                             " unit='feet'",
                                             " unit='meter'",
                                             " unit='micron'",
                                             " version='1.2' unit = 'micrometer'",
                                             " unit='ell'"};
    static const double units[] = {0.001, 0.001, 0.0254, 0.3048, 1, 1e-6, 1e-6, 0.001};
    for (int i = 0; i < 8; i++) {
        char text[2048];
        uint32_t count;
        (void)snprintf(text, sizeof text,
                       "<amf%s><object id=\"1\">" MESH "</object><constellation id=\"2\"><instance objectid=\"1\">"
                       "<deltaz>2</deltaz></instance></constellation></amf>",
                       attributes[i]);
        cp_scene *scene = read_scene(*state, text, "part.amf", i == 7 ? "unit=in" : NULL);
        double unit = i == 7 ? 0.0254 : units[i];
        const double scaled[12] = {unit, 0, 0, 0, 0, unit, 0, 0, 0, 0, unit, 0},
                     moved[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 2 * unit};
        assert_true(cp_scene_source(scene)->unit == unit && cp_scene_source(scene)->up == CP_UP_Z);
        expect_pose(&cp_instances(scene, &count)[0].transform, scaled, 0);
        expect_pose(&cp_nodes(scene, &count)[2].local, moved, 1e-15);
        assert_true(cp_meshes(scene, &count)[0].positions[3] == 1);
        cp_scene_free(scene);
    }
    assert_int_equal(count_entries(*state, CP_WARNING, "amf-unit"), 1);
}

/* Objects, constellations of them, and constellations of those; only what no instance shows is below the world. */
static void test_tree(void **state)
{
    cp_scene *scene = read_scene(
        *state,
        "<amf unit=\"meter\"><constellation id=\"9\"><metadata type=\"name\">cell</metadata>"
        "<metadata type=\"company\">ours</metadata>"
        "<instance objectid=\"5\"><deltax>10</deltax></instance><instance objectid=\"5\"/>"
        "</constellation><constellation id=\"5\"><instance objectid=\"1\"/><instance objectid=\"2\"/></constellation>"
        "<object id=\"1\"><metadata type=\"name\">block</metadata>" MESH "</object><object id=\"2\">" MESH "</object>"
        "<object id=\"3\">" MESH "</object></amf>",
        "part.amf", NULL);
    uint32_t count;
    const cp_node *nodes = cp_nodes(scene, &count);
    static const struct {
        const char *name;
        uint32_t parent;
    } expected[] = {{"cell", 0},  {"constellation 5", 1}, {"block", 2},   {"object 2", 2}, {"constellation 5", 1},
                    {"block", 5}, {"object 2", 5},        {"object 3", 0}};
    assert_int_equal(count, 9);
    for (uint32_t i = 1; i < count; i++) {
        assert_string_equal(nodes[i].name, expected[i - 1].name);
        assert_int_equal(nodes[i].parent, expected[i - 1].parent);
    }
    assert_true(nodes[2].local.m[3] == 10 && nodes[5].local.m[3] == 0);
    assert_int_equal(count_meshes(scene), 3);
    assert_int_equal(count_instances(scene), 5);
    const cp_metadata_entry *metadata = cp_metadata(scene, &count);
    assert_int_equal(count, 1);
    assert_string_equal(metadata[0].key, "company");
    assert_true(metadata[0].owner == CP_OWNER_NODE && metadata[0].index == 1);
    cp_scene_free(scene);
}

/* Turned about x, then y, then z, and then moved: x becomes z by ry, y becomes z by rx. */
static void test_turns(void **state)
{
    static const struct {
        const char *text;
        double pose[12];
    } cases[] = {
        {"<deltax>1</deltax><deltay>2</deltay><deltaz>3</deltaz>", {1, 0, 0, 1, 0, 1, 0, 2, 0, 0, 1, 3}},
        {"<rx>90</rx><deltay>2</deltay>", {1, 0, 0, 0, 0, 0, -1, 2, 0, 1, 0, 0}},
        {"<ry>90</ry>", {0, 0, 1, 0, 0, 1, 0, 0, -1, 0, 0, 0}},
        {"<rz>90</rz>", {0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0}},
        {"<rz>90</rz><rx>90</rx>", {0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0}},
        {"<ry>90</ry><rz>90</rz><rx>90</rx>", {0, 0, 1, 0, 0, 1, 0, 0, -1, 0, 0, 0}},
        {"<deltaz>3</deltaz><scalex>2</scalex><scaley>3</scaley><scalez>4</scalez><mirrorx>-1</mirrorx>"
         "<mirrory>1</mirrory><mirrorz>1</mirrorz><scale>10</scale><rz>90</rz>",
         {0, -30, 0, 0, -20, 0, 0, 0, 0, 0, 40, 3}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[2048];
        uint32_t count;
        (void)snprintf(text, sizeof text,
                       "<amf unit='meter'><object id='1'>" MESH "</object><constellation id='2'>"
                       "<instance objectid='1'>%s</instance></constellation></amf>",
                       cases[i].text);
        cp_scene *scene = read_scene(*state, text, "part.amf", NULL);
        expect_pose(&cp_nodes(scene, &count)[2].local, cases[i].pose, 1e-15);
        cp_scene_free(scene);
    }
}

/* PrusaSlicer writes radians, numbers its objects from 0, and its one constellation 1. */
static void test_prusa(void **state)
{
    uint32_t count;
    cp_scene *scene =
        read_scene(*state,
                   "<amf unit='millimeter'><metadata type='slic3rpe_amf_version'>2</metadata>"
                   "<object id='0'>" MESH "</object><object id='1'>" MESH "</object><constellation id='1'>"
                   "<instance objectid='0'><rz>1.5707963267948966</rz></instance><instance objectid='1'/>"
                   "</constellation></amf>",
                   "part.amf", NULL);
    const double turned[12] = {0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0};
    expect_pose(&cp_nodes(scene, &count)[2].local, turned, 1e-15);
    assert_int_equal(count, 4);
    assert_int_equal(cp_nodes(scene, &count)[3].parent, 1);
    cp_scene_free(scene);
}

/* Which colour counts: the triangle's, else the volume's, else the object's, else the material's. */
static void test_colours(void **state)
{
    cp_scene *scene = read_scene(
        *state,
        "<amf><object id='1'>" COLOUR("0", "1", "0") "<mesh>" VERTICES "<volume materialid='7'>" TRIANGLE(
            "0", "1", "2",
            "") TRIANGLE("0", "1", "3",
                         COLOUR("1", "0", "0")) "</volume><volume>" TRIANGLE("0", "2", "3",
                                                                             COLOUR("1", "0", "0")) TRIANGLE("1", "2",
                                                                                                             "3", "")
            COLOUR("0", "0",
                   "1") "</volume></mesh></object>"
                        "<object id='2'><mesh>" VERTICES
                        "<volume materialid='7'>" TRIANGLE(
                            "0", "1", "2",
                            "") "</volume>"
                                "<volume materialid='0'>" TRIANGLE(
                                    "0", "1", "3",
                                    "") "</volume>"
                                        "<volume materialid='8'>" TRIANGLE(
                                            "1", "2", "3",
                                            "") "</volume></mesh></object>"
                                                "<material id='7'><metadata type='name'>steel</metadata><metadata "
                                                "type='grade'>304</metadata>" COLOUR(
                                                    "0.5", "0.5", "1") "</material>"
                                                                       "<material id='8'><metadata "
                                                                       "type='name'>clay</metadata></material></amf>",
        "part.amf", NULL);
    uint32_t count;
    const cp_mesh *meshes = cp_meshes(scene, &count);
    const cp_material *materials = cp_materials(scene, &count);
    assert_int_equal(count, 5);
    const cp_group *groups = meshes[0].groups;
    assert_int_equal(meshes[0].group_count, 3);
    assert_int_equal(groups[1].face_count, 2);
    assert_string_equal(materials[groups[0].material].name, "#00ff00");
    assert_string_equal(materials[groups[1].material].name, "#ff0000");
    assert_string_equal(materials[groups[2].material].name, "#0000ff");
    assert_true(materials[groups[2].material].srgb && materials[groups[2].material].rgba[2] == 1);
    groups = meshes[1].groups;
    assert_int_equal(meshes[1].group_count, 3);
    assert_string_equal(materials[groups[0].material].name, "steel");
    assert_true(materials[groups[0].material].rgba[0] == 0.5 && materials[groups[0].material].rgba[3] == 1);
    assert_true(groups[1].material == CP_NONE);
    assert_string_equal(materials[groups[2].material].name, "clay");
    const cp_metadata_entry *metadata = cp_metadata(scene, &count);
    assert_int_equal(count, 1);
    assert_true(metadata[0].owner == CP_OWNER_MATERIAL && metadata[0].index == groups[0].material);
    assert_false(was_reported(*state, "amf-material"));
    cp_scene_free(scene);
}

/* A vertex's colour counts more than the volume's, and less than the triangle's. Volumes may come first. */
static void test_vertex_colours(void **state)
{
    cp_scene *scene = read_scene(
        *state,
        "<amf><object id='1'><mesh><volume>" COLOUR("0", "0", "1") TRIANGLE("0", "1", "2", "")
            TRIANGLE("0", "1", "3", COLOUR("1", "0", "0"))
                TRIANGLE("1", "2", "3", "") "</volume>"
                                            "<vertices>" VERTEX("0", "0", "0", "")
                                                VERTEX("1", "0", "0", COLOUR("0", "1", "0")) VERTEX("0", "1", "0", "")
                                                    VERTEX("0", "0", "1",
                                                           COLOUR("0", "1", "0")) "</vertices></mesh></object></amf>",
        "part.amf", NULL);
    uint32_t count;
    const cp_mesh *mesh = cp_meshes(scene, &count);
    static const float expected[9][3] = {{0, 0, 1}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {1, 0, 0},
                                         {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 1, 0}};
    static const uint32_t vertices[9] = {0, 1, 2, 0, 1, 3, 1, 2, 3};
    assert_int_equal(mesh->group_count, 0);
    assert_int_equal(mesh->vertex_count, 7);
    for (int i = 0; i < 9; i++) {
        assert_memory_equal(mesh->colours + 4 * (size_t)mesh->corners[i], expected[i], sizeof expected[i]);
        const float *position = mesh->positions + 3 * (size_t)mesh->corners[i];
        assert_true(vertices[i] == 0 || position[vertices[i] - 1] == 1);
    }
    cp_scene_free(scene);
}

#define NORMAL(x, y, z) "<normal><nx>" x "</nx><ny>" y "</ny><nz>" z "</nz></normal>"

/* Normals are kept if all vertices have one; with colours of vertices, too. Two at one vertex do not make up for none
 * at another. */
static void test_normals(void **state)
{
    for (int coloured = 0; coloured < 2; coloured++)
        for (int lacking = 0; lacking < 2; lacking++) {
            char text[4096];
            uint32_t count;
            (void)snprintf(text, sizeof text,
                           "<amf><object id='1'><mesh><vertices>" VERTEX("0", "0", "0", NORMAL("0", "0", "-2"))
                               VERTEX("1", "0", "0", NORMAL("3", "4", "0") "%s")
                                   VERTEX("0", "1", "0", "%s") "</vertices><volume>" TRIANGLE(
                                       "2", "1", "0", "") "</volume></mesh></object></amf>",
                           lacking    ? NORMAL("0", "1", "0")
                           : coloured ? COLOUR("1", "0", "0")
                                      : "",
                           lacking ? "" : NORMAL("0", "1", "0"));
            cp_report_clear(*state);
            cp_scene *scene = read_scene(*state, text, "part.amf", NULL);
            const cp_mesh *mesh = cp_meshes(scene, &count);
            assert_int_equal(count_lost(*state, "amf-normals"), lacking ? 3 : 0);
            assert_true((mesh->normals == NULL) == lacking && (mesh->colours != NULL) == (coloured && !lacking));
            if (!lacking) {
                const float *normal = mesh->normals + 3 * (size_t)mesh->corners[1];
                assert_true(mesh->normals[3 * (size_t)mesh->corners[2] + 2] == -1);
                assert_true(normal[0] == 0.6f && normal[1] == 0.8f);
            }
            cp_scene_free(scene);
        }
}

static void test_losses(void **state)
{
    cp_scene *scene = read_scene(
        *state,
        "<amf><texture id='1'>AA==</texture><object id='1'><mesh><vertices>" VERTEX("0", "0", "0", "")
            VERTEX("1", "0", "0", "")
                VERTEX("0", "1", "0",
                       "") "<edge><v1>0</v1><v2>1</v2></edge></vertices>"
                           "<volume type='support'><metadata type='name'>v</metadata>" TRIANGLE("0", "1", "2",
                                                                                                "<texmap rtexid='1'/>")
                               TRIANGLE("2", "1", "0",
                                        COLOUR("sin(x)", "0",
                                               "0")) "</volume></mesh><other/></object><material id='1'><composite "
                                                     "materialid='2'>1</composite></material></amf>",
        "part.amf", NULL);
    static const char *const codes[] = {"amf-curves",  "amf-composite",       "amf-formula",
                                        "amf-element", "amf-volume-metadata", "amf-volume-type"};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        assert_int_equal(count_lost(*state, codes[i]), 1);
    assert_int_equal(count_lost(*state, "amf-texture"), 2);
    assert_int_equal(count_materials(scene), 0);
    cp_scene_free(scene);
}

/* A mesh 1e7 mm from its origin keeps the digits of its text. */
static void test_far(void **state)
{
    uint32_t count;
    cp_scene *scene = read_scene(*state,
                                 "<amf><object id='1'><mesh><vertices>" VERTEX("10000000", "0", "0", "")
                                     VERTEX("10000000.25", "0", "0", "")
                                         VERTEX("10000000", "0.5", "0", "") "</vertices><volume>" TRIANGLE(
                                             "0", "1", "2", "") "</volume></mesh></object></amf>",
                                 "part.amf", NULL);
    const cp_mesh *mesh = cp_meshes(scene, &count);
    const cp_instance *instance = cp_instances(scene, &count);
    double left = (double)mesh->positions[0] * 0.001 + instance->transform.m[3],
           right = (double)mesh->positions[3] * 0.001 + instance->transform.m[3];
    assert_true(fabs(right - left - 0.00025) < 1e-9 && fabs(left - 10000) < 1e-9);
    cp_scene_free(scene);
}

static void put_archive(struct bytes *zip, const char *name, bool deflate)
{
    struct bytes directory = {.size = 0};
    zip->size = 0;
    put_zipped(zip, &directory, "__MACOSX/._part.amf", "x", deflate);
    put_zipped(zip, &directory, name, "<amf unit=\"inch\"><object id=\"1\">" MESH "</object></amf>", deflate);
    end_zip(zip, &directory, 2);
}

/* By the suffix of the archive, or by that of the document. */
static void test_archives(void **state)
{
    static const char *const names[] = {"part.amf", "part.AMF", "part.zip", "part"};
    struct bytes zip;
    for (int i = 0; i < 8; i++) {
        cp_scene *scene;
        put_archive(&zip, i % 2 ? "folder/part.amf" : "Part.AMF", i < 4);
        assert_int_equal(cp_read_memory(*state, zip.data, zip.size, names[i % 4], NULL, NULL, 0, &scene), CP_OK);
        assert_true(cp_scene_source(scene)->unit == 0.0254 && count_meshes(scene) == 1);
        cp_scene_free(scene);
    }
}

/* No byte of the archive does more than end the reading. */
static void test_damage(void **state)
{
    struct bytes zip;
    unsigned refused = 0;
    for (int deflate = 0; deflate < 2; deflate++) {
        put_archive(&zip, "part.amf", deflate);
        for (size_t i = 0; i < zip.size; i++) {
            cp_scene *scene;
            zip.data[i] ^= 1;
            cp_status status = cp_read_memory(*state, zip.data, zip.size, "part.amf", "amf", NULL, 0, &scene);
            assert_true(status == CP_OK || status == CP_INPUT || status == CP_LIMIT);
            refused += status != CP_OK;
            zip.data[i] ^= 1;
            cp_scene_free(scene);
            cp_report_clear(*state);
        }
    }
    assert_true(refused > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_units),    TEST(test_tree),    TEST(test_turns),
                                       TEST(test_prusa),    TEST(test_colours), TEST(test_vertex_colours),
                                       TEST(test_normals),  TEST(test_losses),  TEST(test_far),
                                       TEST(test_archives), TEST(test_damage)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
