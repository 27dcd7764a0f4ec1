/* 3MF: what becomes of units, items, components, colours and parts, and archives with any byte changed. */
#include "assimp_support.h"

#include "zip_writer.h"

#define MODEL                                                                                                          \
    "<model xmlns=\"http://schemas.microsoft.com/3dmanufacturing/core/2015/02\""                                       \
    " xmlns:m=\"http://schemas.microsoft.com/3dmanufacturing/material/2015/02\""                                       \
    " xmlns:p=\"http://schemas.microsoft.com/3dmanufacturing/production/2015/06\""
#define VERTICES                                                                                                       \
    "<vertices><vertex x=\"0\" y=\"0\" z=\"0\"/><vertex x=\"1\" y=\"0\" z=\"0\"/><vertex x=\"0\" y=\"1\" z=\"0\"/>"    \
    "<vertex x=\"0\" y=\"0\" z=\"1\"/></vertices>"
#define MESH "<mesh>" VERTICES "<triangles><triangle v1=\"0\" v2=\"1\" v3=\"2\"/></triangles></mesh>"
#define RELATIONS                                                                                                      \
    "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"><Relationship Id=\"r\" "    \
    "Target=\"/3d/Root.Model\" "                                                                                       \
    "Type=\"http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel\"/></Relationships>"

static void test_units(void **state)
{
    static const char *const attributes[] = {"",
                                             " unit='micron'",
                                             " unit='millimeter'",
                                             " unit='centimeter'",
                                             " unit='inch'",
                                             " unit='foot'",
                                             " unit='meter'",
                                             " unit='ell'"};
    static const double units[] = {0.001, 1e-6, 0.001, 0.01, 0.0254, 0.3048, 1, 0.001};
    for (int i = 0; i < 8; i++) {
        char text[2048];
        uint32_t count;
        (void)snprintf(text, sizeof text,
                       MODEL "%s><resources><object id=\"1\">" MESH "</object></resources>"
                             "<build><item objectid=\"1\" transform=\"1 0 0 0 1 0 0 0 1 0 0 2\"/></build></model>",
                       attributes[i]);
        cp_scene *scene = read_scene(*state, text, "part.model", i == 7 ? "unit=in" : NULL);
        double unit = i == 7 ? 0.0254 : units[i];
        const double scaled[12] = {unit, 0, 0, 0, 0, unit, 0, 0, 0, 0, unit, 0},
                     moved[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 2 * unit};
        assert_true(cp_scene_source(scene)->unit == unit);
        expect_pose(&cp_instances(scene, &count)[0].transform, scaled, 0);
        expect_pose(&cp_nodes(scene, &count)[1].local, moved, 1e-15);
        assert_true(cp_meshes(scene, &count)[0].positions[3] == 1);
        cp_scene_free(scene);
    }
    assert_int_equal(count_entries(*state, CP_WARNING, "3mf-unit"), 1);
}

/* An object may come before those that it is made of. */
static void test_tree(void **state)
{
    cp_scene *scene =
        read_scene(*state,
                   MODEL "><resources><object id=\"3\" name=\"pair\"><components>"
                         "<component objectid=\"1\" transform=\"0 1 0 -1 0 0 0 0 1 10 20 30\"/>"
                         "<component objectid=\"1\"/></components></object>"
                         "<object id=\"1\" partnumber=\"P-1\" type=\"support\">" MESH "</object></resources>"
                         "<build><item objectid=\"3\"/><item objectid=\"3\" partnumber=\"Q\"/></build></model>",
                   "part.model", NULL);
    uint32_t count;
    const cp_node *nodes = cp_nodes(scene, &count);
    assert_int_equal(count, 7);
    assert_string_equal(nodes[1].name, "pair");
    assert_string_equal(nodes[2].name, "P-1");
    assert_int_equal(nodes[2].parent, 1);
    assert_int_equal(nodes[5].parent, 4);
    const double turned[12] = {0, -1, 0, 0.01, 1, 0, 0, 0.02, 0, 0, 1, 0.03};
    expect_pose(&nodes[2].local, turned, 1e-15);
    (void)cp_meshes(scene, &count);
    assert_int_equal(count, 1);
    (void)cp_instances(scene, &count);
    assert_int_equal(count, 4);
    const cp_metadata_entry *metadata = cp_metadata(scene, &count);
    assert_int_equal(count, 9); /* of each of the four P-1 and its type, and Q */
    assert_string_equal(metadata[0].key, "partnumber");
    assert_string_equal(metadata[1].value, "support");
    cp_scene_free(scene);
}

static void test_groups(void **state)
{
    cp_scene *scene = read_scene(
        *state,
        MODEL "><resources><basematerials id=\"5\"><base name=\"steel\" displaycolor=\"#FF8000\"/></basematerials>"
              "<m:colorgroup id=\"6\"><m:color color=\"#000000\"/><m:color color=\"#0000ff80\"/></m:colorgroup>"
              "<object id=\"1\" pid=\"6\" pindex=\"1\"><mesh>" VERTICES "<triangles>"
              "<triangle v1=\"0\" v2=\"1\" v3=\"2\"/><triangle v1=\"0\" v2=\"1\" v3=\"2\" p1=\"1\"/>"
              "<triangle v1=\"0\" v2=\"1\" v3=\"2\" pid=\"5\" p1=\"0\" p2=\"0\" p3=\"0\"/>"
              "<triangle v1=\"0\" v2=\"1\" v3=\"2\" pid=\"7\" p1=\"0\"/>"
              "</triangles></mesh></object></resources><build><item objectid=\"1\"/></build></model>",
        "part.model", NULL);
    uint32_t count;
    const cp_mesh *mesh = &cp_meshes(scene, &count)[0];
    const cp_material *materials = cp_materials(scene, &count);
    assert_int_equal(count, 2); /* black is not used */
    assert_int_equal(mesh->group_count, 3);
    assert_int_equal(mesh->groups[0].face_count, 2);
    assert_string_equal(materials[mesh->groups[0].material].name, "#0000ff80");
    assert_true(fabs(materials[mesh->groups[0].material].rgba[3] - 128 / 255.0) < 1e-12);
    assert_string_equal(materials[mesh->groups[1].material].name, "steel");
    assert_true(mesh->groups[2].material == CP_NONE && materials[0].srgb);
    assert_int_equal(count_entries(*state, CP_WARNING, "3mf-property"), 1);
    cp_scene_free(scene);
}

/* One triangle from black to white: colours of vertices, of which the shared ones become two. */
static void test_vertex_colours(void **state)
{
    cp_scene *scene = read_scene(
        *state,
        MODEL
        "><resources><m:colorgroup id=\"6\"><m:color color=\"#000000\"/><m:color color=\"#bcbcbc\"/></m:colorgroup>"
        "<object id=\"1\"><mesh>" VERTICES "<triangles><triangle v1=\"0\" v2=\"1\" v3=\"2\"/>"
        "<triangle v1=\"0\" v2=\"3\" v3=\"1\" pid=\"6\" p1=\"0\"/>"
        "<triangle v1=\"3\" v2=\"2\" v3=\"1\" pid=\"6\" p1=\"0\" p2=\"1\" p3=\"0\"/>"
        "</triangles></mesh></object></resources><build><item objectid=\"1\"/></build></model>",
        "part.model", NULL);
    uint32_t count;
    const cp_mesh *mesh = &cp_meshes(scene, &count)[0];
    assert_int_equal(mesh->vertex_count, 7);
    assert_int_equal(mesh->group_count, 0);
    const float *grey = mesh->colours + 4 * (size_t)mesh->corners[7];
    assert_true(fabs((double)grey[0] - 0.5) < 0.01 && grey[3] == 1);
    const float *plain = mesh->colours + 4 * (size_t)mesh->corners[0]; /* sRGB 0.6, as faces without colours anywhere */
    assert_true(fabs((double)plain[0] - 0.31854678) < 1e-6 && plain[3] == 1);
    assert_true(mesh->colours[4 * (size_t)mesh->corners[3]] == 0);
    assert_int_equal(mesh->corners[3 + 1], mesh->corners[6]);
    assert_true(mesh->positions[3 * (size_t)mesh->corners[7] + 1] == 1);
    cp_scene_free(scene);
}

static void put_package(struct bytes *zip, bool deflate)
{
    struct bytes directory = {.size = 0};
    zip->size = 0;
    put_zipped(zip, &directory, "_rels/.rels", RELATIONS, deflate);
    put_zipped(zip, &directory, "3D/root.model",
               MODEL " unit=\"meter\"><metadata name=\"Title\">a &amp; b</metadata><resources/><build>"
                     "<item objectid=\"1\" p:path=\"/3D/Part.model\" transform=\"1 0 0 0 1 0 0 0 1 0 0 2\"/>"
                     "</build></model>",
               deflate);
    put_zipped(zip, &directory, "3D/Part.model",
               MODEL " unit=\"inch\"><resources><object id=\"1\">" MESH "</object></resources>"
                     "<build><item objectid=\"1\"/></build></model>",
               deflate);
    end_zip(zip, &directory, 3);
}

/* Each part has its unit; only the root's build counts; names of parts have no case. */
static void test_parts(void **state)
{
    struct bytes zip;
    for (int deflate = 0; deflate < 2; deflate++) {
        cp_scene *scene;
        uint32_t count;
        put_package(&zip, deflate);
        assert_int_equal(cp_read_memory(*state, zip.data, zip.size, "part.3MF", NULL, NULL, 0, &scene), CP_OK);
        const double inches[12] = {0.0254, 0, 0, 0, 0, 0.0254, 0, 0, 0, 0, 0.0254, 0};
        const double moved[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 2};
        expect_pose(&cp_instances(scene, &count)[0].transform, inches, 0);
        assert_int_equal(count, 1);
        expect_pose(&cp_nodes(scene, &count)[1].local, moved, 0);
        assert_int_equal(count, 2);
        assert_string_equal(cp_metadata(scene, &count)[0].value, "a & b");
        assert_int_equal(count, 1);
        cp_scene_free(scene);
    }
}

#define MARKED "\xef\xbb\xbf<?xml version=\"1.0\" encoding=\"UTF-8\"?>"

/* Names as .NET on Windows once wrote them, and with a slash in front; its texts begin with a byte order mark. */
static void test_names_of_parts(void **state)
{
    (void)state;
    static const char *const names[][3] = {{"_rels\\.rels", "3D\\Root.model", "3D\\part.model"},
                                           {"/_rels/.rels", "/3D/root.model", "/3D/part.model"},
                                           {"_rels/.rels", "3D/root.model", "3D\\Part.model"}};
    static const char *const paths[] = {"/3D/Part.model", "\\3D\\part.model", "3d\\part.model"};
    static const char *strict = "strict=yes";
    for (int i = 0; i < 9; i++) {
        struct bytes zip = {.size = 0}, directory = {.size = 0};
        cp_scene *scene;
        uint32_t count;
        char root[1024];
        (void)snprintf(root, sizeof root,
                       "%s" MODEL "><resources/><build><item objectid=\"1\" p:path=\"%s\"/></build></model>",
                       i % 2 ? MARKED : "", paths[i / 3]);
        put_zipped(&zip, &directory, names[i % 3][0], i % 2 ? MARKED RELATIONS : RELATIONS, false);
        put_zipped(&zip, &directory, names[i % 3][1], root, false);
        put_zipped(&zip, &directory, names[i % 3][2],
                   MODEL "><resources><object id=\"1\">" MESH "</object></resources><build/></model>", false);
        end_zip(&zip, &directory, 3);
        cp_context *context = cp_context_new(NULL);
        assert_int_equal(cp_read_memory(context, zip.data, zip.size, "part.3mf", NULL, NULL, 0, &scene), CP_OK);
        assert_int_equal(cp_meshes(scene, &count)->face_count, 1);
        assert_int_equal(count_entries(context, CP_WARNING, "3mf-names"), 1);
        cp_scene_free(scene);
        assert_int_equal(cp_read_memory(context, zip.data, zip.size, "part.3mf", NULL, &strict, 1, &scene), CP_INPUT);
        cp_context_free(context);
    }
}

#define BARE "<model xmlns=\"http://schemas.microsoft.com/3dmanufacturing/core/2015/02\""

/* A prefix that nothing declares: an extension's own, or one whose words mean nothing to us. */
static void test_undeclared_prefixes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned told;
        float red; /* of the triangle's corners */
    } cases[] = {
        {BARE "><resources><object id=\"1\" slic3rpe:x=\"1\">" MESH "</object></resources><build p:UUID=\"u\">"
              "<item objectid=\"1\" x:objectid=\"7\"/></build></model>",
         3, 0},
        {BARE "><resources><m:colorgroup id=\"2\"><m:color color=\"#ff0000\"/></m:colorgroup><object id=\"1\" "
              "pid=\"2\" pindex=\"0\">" MESH "</object></resources><build><item objectid=\"1\"/></build></model>",
         2, 1},
        {BARE "><resources><x:colorgroup id=\"3\"/><object id=\"1\">" MESH "<x:mesh/></object></resources><build>"
              "<item objectid=\"1\"/><x:item objectid=\"9\"/></build></model>",
         3, 0},
        {BARE " requiredextensions=\"p\"><resources><object id=\"1\" p:UUID=\"u\">" MESH "</object></resources>"
              "<build><item objectid=\"1\"/></build></model>",
         1, 0},
    };
    static const char *strict = "strict=yes";
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cp_context *context = cp_context_new(NULL);
        cp_scene *scene = read_scene(context, cases[i].text, "part.model", NULL);
        uint32_t count;
        char told[64];
        const cp_mesh *mesh = cp_meshes(scene, &count);
        assert_int_equal(count, 1);
        assert_int_equal(mesh->face_count, 1);
        if (cases[i].red > 0) {
            uint32_t materials;
            const cp_material *material = cp_materials(scene, &materials);
            assert_true(mesh->colours ? mesh->colours[0] == 1 : materials == 1 && material->rgba[0] == 1);
        }
        (void)snprintf(told, sizeof told, "declares: %u", cases[i].told);
        assert_int_equal(count_entries(context, CP_WARNING, "3mf-xml"), 1);
        assert_non_null(strstr(find_entry(context, "3mf-xml")->text, told));
        cp_scene_free(scene);
        assert_int_equal(
            cp_read_memory(context, cases[i].text, strlen(cases[i].text), "part.model", NULL, &strict, 1, &scene),
            CP_INPUT);
        cp_context_free(context);
    }
}

/* No byte of the archive does more than end the reading. */
static void test_damage(void **state)
{
    struct bytes zip;
    unsigned refused = 0;
    for (int deflate = 0; deflate < 2; deflate++) {
        put_package(&zip, deflate);
        for (size_t i = 0; i < zip.size; i++) {
            cp_scene *scene;
            cp_report_clear(*state);
            zip.data[i] ^= (unsigned char)(i % 2 ? 0xff : 1);
            cp_status status = cp_read_memory(*state, zip.data, zip.size, "part.3mf", "3mf", NULL, 0, &scene);
            zip.data[i] ^= (unsigned char)(i % 2 ? 0xff : 1);
            bool is_bomb = status == CP_LIMIT && count_entries(*state, CP_ERROR, "source-ratio") == 1;
            assert_true(status == CP_OK || status == CP_INPUT || is_bomb); /* by the size that it tells */
            refused += status != CP_OK;
            cp_scene_free(scene);
        }
    }
    assert_true(refused > zip.size); /* of twice as many */
}

/* A part ends where it is larger than the directory tells, so that a bomb cannot hide in it. */
static void test_size_that_lies(void **state)
{
    static const struct {
        const char *mark;
        size_t at;
    } headers[] = {{"PK\3\4", 22}, {"PK\1\2", 24}};
    struct bytes zip;
    cp_scene *scene;
    put_package(&zip, true);
    for (int i = 0; i < 2; i++) {
        size_t last = 0;
        for (size_t at = 0; at + 4 <= zip.size; at++)
            last = memcmp(zip.data + at, headers[i].mark, 4) == 0 ? at : last;
        memcpy(zip.data + last + headers[i].at, "\12\0\0", 4);
    }
    assert_int_equal(cp_read_memory(*state, zip.data, zip.size, "part.3mf", "3mf", NULL, 0, &scene), CP_INPUT);
    const cp_entry *entry = find_entry(*state, "3mf-package");
    assert_non_null(strstr(entry->text, "the part \"3D/Part.model\" is larger than the directory"));
}

/* The files of tests that other projects have, where they are there: triangles as a zip and XML reader counts them. */
static void test_real_files(void **state)
{
    static const struct {
        const char *name;
        uint64_t triangles;
    } files[] = {{"P_XPM_0331_01.3mf", 6},          {"counterX.3MF", 8080},
                 {"counterXP.3MF", 83750},          {"cube_and_sphere_same_name.3mf", 5132},
                 {"featuretype.3MF", 2208},         {"pyramids.3mf", 3276},
                 {"cube_gears_prod_req.3mf", 25692}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[1024];
        cp_scene *scene;
        (void)snprintf(path, sizeof path, "%s/corpus/realfiles/%s", SHARED, files[i].name);
        FILE *file = fopen(path, "rb");
        if (!file) {
            print_message("skipped: %s is not there\n", path);
            continue;
        }
        (void)fclose(file);
        assert_int_equal(cp_read(*state, path, NULL, NULL, 0, &scene), CP_OK);
        assert_string_equal(cp_scene_source(scene)->format, "3mf");
        uint64_t triangles = 0;
        uint32_t count, mesh_count;
        const cp_mesh *meshes = cp_meshes(scene, &mesh_count);
        const cp_instance *instances = cp_instances(scene, &count);
        for (uint32_t k = 0; k < count; k++)
            triangles += meshes[instances[k].mesh].face_count;
        assert_int_equal(triangles, files[i].triangles);
        cp_scene_free(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_units),
        TEST(test_tree),
        TEST(test_groups),
        TEST(test_vertex_colours),
        TEST(test_parts),
        TEST(test_names_of_parts),
        TEST(test_undeclared_prefixes),
        TEST(test_size_that_lies),
        TEST(test_damage),
        TEST(test_real_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
