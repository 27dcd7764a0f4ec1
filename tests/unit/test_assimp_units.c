/* Names, units and axes that the assimp importer takes from the file itself, on files made here. */
#include "assimp_support.h"

/* ---- 3DS ---- */

struct bytes {
    unsigned char data[4096];
    size_t size;
};

static void put_number(struct bytes *bytes, uint32_t number, int size)
{
    for (int i = 0; i < size; i++)
        bytes->data[bytes->size++] = (unsigned char)(number >> 8 * i);
}

static void put_text(struct bytes *bytes, const char *text, size_t size)
{
    memcpy(bytes->data + bytes->size, text, size);
    bytes->size += size;
}

/* Begins a chunk; its size is put in by end_chunk. */
static size_t begin_chunk(struct bytes *bytes, unsigned id)
{
    put_number(bytes, id, 2);
    put_number(bytes, 0, 4);
    return bytes->size - 6;
}

static void end_chunk(struct bytes *bytes, size_t start)
{
    size_t end = bytes->size;
    bytes->size = start + 2;
    put_number(bytes, (uint32_t)(end - start), 4);
    bytes->size = end;
}

static void put_object(struct bytes *bytes, const char *name)
{
    static const uint32_t floats[9] = {0, 0, 0, 0x3f800000, 0, 0, 0, 0x3f800000, 0};
    size_t object = begin_chunk(bytes, 0x4000);
    put_text(bytes, name, strlen(name) + 1);
    size_t mesh = begin_chunk(bytes, 0x4100);
    size_t vertices = begin_chunk(bytes, 0x4110);
    put_number(bytes, 3, 2);
    for (int i = 0; i < 9; i++)
        put_number(bytes, floats[i], 4);
    end_chunk(bytes, vertices);
    size_t faces = begin_chunk(bytes, 0x4120);
    put_number(bytes, 1, 2);
    put_number(bytes, 0x00010000, 4); /* corners 0, 1 */
    put_number(bytes, 0x00070002, 4); /* corner 2, flags */
    end_chunk(bytes, faces);
    end_chunk(bytes, mesh);
    end_chunk(bytes, object);
}

/* Without a hierarchy in the file assimp puts "3DSMesh_0" and "0" in place of the names. */
static void test_3ds_names(void **state)
{
    struct bytes bytes = {.size = 0};
    size_t top = begin_chunk(&bytes, 0x4d4d), editor = begin_chunk(&bytes, 0x3d3d);
    put_object(&bytes, "Arm 1");
    size_t light = begin_chunk(&bytes, 0x4000); /* no mesh, and so no number */
    put_text(&bytes, "Lamp", 5);
    size_t lamp = begin_chunk(&bytes, 0x4600);
    put_text(&bytes, "\0\0\0\0\0\0\0\0\0\0\0", 12);
    end_chunk(&bytes, lamp);
    end_chunk(&bytes, light);
    put_object(&bytes, "gr\xfcn");
    end_chunk(&bytes, editor);
    end_chunk(&bytes, top);
    cp_scene *scene;
    uint32_t count;
    assert_int_equal(cp_read_memory(*state, bytes.data, bytes.size, "part.3ds", NULL, NULL, 0, &scene), CP_OK);
    const cp_mesh *meshes = cp_meshes(scene, &count);
    assert_int_equal(count, 2);
    assert_string_equal(meshes[0].name, "Arm 1");
    assert_string_equal(meshes[1].name, "gr\xc3\xbcn");
    assert_int_equal(find_node(scene, "Arm 1")->parent, 0);
    assert_int_equal(find_node(scene, "gr\xc3\xbcn")->parent, 0);
    (void)cp_materials(scene, &count);
    assert_int_equal(count, 0); /* none for assimp's own default */
    cp_scene_free(scene);
}

/* ---- units and axes ---- */

/* Z is up in a DXF file: the numbers are the scene's. */
static void test_dxf(void **state)
{
    static const char text[] = "0\nSECTION\n2\nENTITIES\n0\n3DFACE\n8\nlayer\n10\n0\n20\n0\n30\n0\n11\n1\n21\n0\n"
                               "31\n0\n12\n1\n22\n2\n32\n0\n13\n0\n23\n2\n33\n3\n0\nENDSEC\n0\nEOF\n";
    static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    uint32_t count;
    cp_scene *scene = read_text(*state, text, "part.dxf", NULL);
    const cp_instance *instances = cp_instances(scene, &count);
    assert_int_equal(count, 1);
    assert_pose(&instances[0].transform, identity, 0);
    assert_pose(&cp_nodes(scene, &count)[instances[0].node].local, identity, 0);
    cp_scene_free(scene);
}

/* GlobalSettings hold the axis that is up and the unit in centimetres; assimp applies neither. */
static void test_fbx(void **state)
{
    static const double expected[3][12] = {
        {0, -0.025, 0, 0, 0, 0, -0.025, 0, 0.025, 0, 0, 0}, /* X up: Y is to the left, Z to the front */
        {0.025, 0, 0, 0, 0, 0, -0.025, 0, 0, 0.025, 0, 0},
        {0.025, 0, 0, 0, 0, 0.025, 0, 0, 0, 0, 0.025, 0},
    };
    for (int up = 0; up < 3; up++) {
        char text[1024];
        (void)snprintf(
            text, sizeof text,
            "; FBX 7.3.0 project file\nFBXHeaderExtension:  {\n FBXHeaderVersion: 1003\n FBXVersion: 7300\n}\n"
            "GlobalSettings:  {\n Version: 1000\n Properties70:  {\n  P: \"UpAxis\", \"int\", \"Integer\", \"\",%d\n"
            "  P: \"UnitScaleFactor\", \"double\", \"Number\", \"\",2.5\n }\n}\n"
            "Objects:  {\n Geometry: 1, \"Geometry::\", \"Mesh\" {\n  Vertices: *9 {\n   a: 0,0,0,1,0,0,0,1,0\n  }\n"
            "  PolygonVertexIndex: *3 {\n   a: 0,1,-3\n  }\n  GeometryVersion: 124\n }\n"
            " Model: 2, \"Model::part\", \"Mesh\" {\n  Version: 232\n }\n}\n"
            "Connections:  {\n C: \"OO\",2,0\n C: \"OO\",1,2\n}\n",
            up);
        cp_scene *scene = read_text(*state, text, "part.fbx", NULL);
        assert_true(cp_scene_source(scene)->unit == 0.025);
        assert_pose(&cp_instances(scene, &(uint32_t){0})[0].transform, expected[up], 1e-15);
        cp_scene_free(scene);
    }
}

static void assert_unit(cp_context *context, const void *file, size_t size, const char *name, double unit)
{
    cp_scene *scene;
    uint32_t count;
    assert_int_equal(cp_read_memory(context, file, size, name, NULL, NULL, 0, &scene), CP_OK);
    assert_true(fabs(cp_scene_source(scene)->unit - unit) <= 1e-15);
    const double scaled[12] = {unit, 0, 0, 0, 0, unit, 0, 0, 0, 0, unit, 0};
    assert_pose(&cp_instances(scene, &count)[0].transform, scaled, 1e-15);
    cp_scene_free(scene);
}

static void test_amf_units(void **state)
{
    static const char *const attributes[] = {"", " unit=\"inch\"", " version='1.1' unit = 'micron'", " unit='feet'"};
    static const double units[] = {0.001, 0.0254, 1e-6, 0.3048};
    for (int i = 0; i < 4; i++) {
        char text[1024];
        int size = snprintf(text, sizeof text,
                            "<?xml version=\"1.0\"?><amf%s><object id=\"0\"><mesh><vertices>"
                            "<vertex><coordinates><x>0</x><y>0</y><z>0</z></coordinates></vertex>"
                            "<vertex><coordinates><x>1</x><y>0</y><z>0</z></coordinates></vertex>"
                            "<vertex><coordinates><x>0</x><y>1</y><z>0</z></coordinates></vertex></vertices><volume>"
                            "<triangle><v1>0</v1><v2>1</v2><v3>2</v3></triangle></volume></mesh></object></amf>",
                            attributes[i]);
        assert_unit(*state, text, (size_t)size, "part.amf", units[i]);
    }
}

static uint32_t crc_of(const char *text, size_t size)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < size; i++) {
        crc ^= (unsigned char)text[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return ~crc;
}

/* One file of a ZIP archive, stored, or "deflated" as one stored block; its directory record goes to the other
 * bytes. */
static void put_zipped(struct bytes *zip, struct bytes *directory, const char *name, const char *text, bool deflate)
{
    size_t size = strlen(text), name_size = strlen(name), packed = size + (deflate ? 5 : 0), offset = zip->size;
    struct bytes *const both[] = {zip, directory};
    put_text(zip, "PK\3\4", 4);
    put_text(directory, "PK\1\2\24", 6);
    for (int i = 0; i < 2; i++) {
        put_number(both[i], 20, 4);
        put_number(both[i], deflate ? 8 : 0, 2);
        put_number(both[i], 0x00210000, 4); /* the first of January 1980 */
        put_number(both[i], crc_of(text, size), 4);
        put_number(both[i], (uint32_t)packed, 4);
        put_number(both[i], (uint32_t)size, 4);
        put_number(both[i], (uint32_t)name_size, 4);
    }
    put_text(directory, "\0\0\0\0\0\0\0\0\0", 10);
    put_number(directory, (uint32_t)offset, 4);
    put_text(zip, name, name_size);
    put_text(directory, name, name_size);
    if (deflate) {
        put_number(zip, 1, 1);
        put_number(zip, (uint32_t)size, 2);
        put_number(zip, ~(uint32_t)size, 2);
    }
    put_text(zip, text, size);
}

/* A package with one triangle. target: the model that its relations name. */
static void put_package(struct bytes *zip, const char *attribute, const char *target, bool deflate)
{
    static const char *const head = "<?xml version=\"1.0\"?>";
    char relations[512], types[512], model[1024];
    (void)snprintf(relations, sizeof relations,
                   "%s<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">"
                   "<Relationship Target=\"/3D/%s\" Id=\"r\" "
                   "Type=\"http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel\"/></Relationships>",
                   head, target);
    (void)snprintf(types, sizeof types,
                   "%s<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"/>", head);
    (void)snprintf(model, sizeof model,
                   "%s<model %s xmlns=\"http://schemas.microsoft.com/3dmanufacturing/core/2015/02\"><resources>"
                   "<object id=\"1\"><mesh><vertices><vertex x=\"0\" y=\"0\" z=\"0\"/><vertex x=\"1\" y=\"0\" "
                   "z=\"0\"/><vertex x=\"0\" y=\"1\" z=\"0\"/></vertices><triangles><triangle v1=\"0\" v2=\"1\" "
                   "v3=\"2\"/></triangles></mesh></object></resources><build><item objectid=\"1\"/></build></model>",
                   head, attribute);
    struct bytes directory = {.size = 0};
    zip->size = 0;
    put_zipped(zip, &directory, "[Content_Types].xml", types, deflate);
    put_zipped(zip, &directory, "_rels/.rels", relations, deflate);
    put_zipped(zip, &directory, "3D/3dmodel.model", model, deflate);
    size_t offset = zip->size;
    put_text(zip, (const char *)directory.data, directory.size);
    put_text(zip, "PK\5\6\0\0\0", 8);
    put_number(zip, 0x00030003, 4);
    put_number(zip, (uint32_t)directory.size, 4);
    put_number(zip, (uint32_t)offset, 4);
    put_number(zip, 0, 2);
}

static void test_3mf_units(void **state)
{
    static const char *const attributes[] = {"", "unit=\"inch\"", "xml:lang=\"en\" unit=\"meter\"", "unit=\"foot\"",
                                             "unit=\"ell\""};
    static const double units[] = {0.001, 0.0254, 1, 0.3048, 0.001};
    struct bytes zip;
    for (int i = 0; i < 10; i++) {
        put_package(&zip, attributes[i / 2], "3dmodel.model", i % 2);
        assert_unit(*state, zip.data, zip.size, "part.3mf", units[i / 2]);
        assert_true((count_entries(*state, CP_WARNING, "assimp-unit") > 0) == (i >= 8));
    }
}

static void assert_damaged(cp_context *context, const struct bytes *zip)
{
    cp_scene *scene;
    cp_report_clear(context);
    assert_int_equal(cp_read_memory(context, zip->data, zip->size, "part.3mf", NULL, NULL, 0, &scene), CP_INPUT);
    assert_true(count_entries(context, CP_ERROR, "assimp-archive") > 0);
}

/* assimp would end the process. */
static void test_3mf_damage(void **state)
{
    struct bytes zip;
    put_package(&zip, "", "other.model", false);
    assert_damaged(*state, &zip);
    for (int deflate = 0; deflate < 2; deflate++) {
        put_package(&zip, "", "3dmodel.model", deflate);
        for (size_t i = 0; i + 8 < zip.size; i++)
            if (!memcmp(zip.data + i, "<object", 7))
                zip.data[i] = '!';
        assert_damaged(*state, &zip);
    }
}

/* For the leak checker: assimp's readers lose memory when they give up. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libassimp";
}

static void try_package(cp_context *context, const struct bytes *zip)
{
    cp_scene *scene;
    cp_report_clear(context);
    cp_status status = cp_read_memory(context, zip->data, zip->size, "part.3mf", NULL, NULL, 0, &scene);
    assert_true(status == CP_OK || status == CP_INPUT);
    cp_scene_free(scene);
}

/* No byte of the archive's records ends the process. */
static void test_3mf_records(void **state)
{
    struct bytes zip;
    put_package(&zip, "", "3dmodel.model", false);
    unsigned tried = 0;
    for (size_t at = 0, record = 0; at < zip.size; at++) {
        if (zip.data[at] == 'P' && zip.data[at + 1] == 'K')
            record = at;
        if (at - record >= 46)
            continue;
        static const unsigned char changes[] = {1, 0xff};
        for (int i = 0; i < 2; i++, tried++) {
            zip.data[at] ^= changes[i];
            try_package(*state, &zip);
            zip.data[at] ^= changes[i];
        }
    }
    assert_true(tried > 400);
    put_package(&zip, "", "3dmodel.model", false);
    zip.size -= 30; /* without its end record */
    assert_damaged(*state, &zip);
}

int main(void)
{
#ifndef HAVE_ASSIMP
    print_message("skipped: assimp is not built\n");
    return 77;
#else
    const struct CMUnitTest tests[] = {
        TEST(test_3ds_names), TEST(test_dxf),        TEST(test_fbx),         TEST(test_amf_units),
        TEST(test_3mf_units), TEST(test_3mf_damage), TEST(test_3mf_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
#endif
}
