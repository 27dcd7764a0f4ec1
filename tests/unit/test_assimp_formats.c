/* One box in each format that docs/assimp.md calls confirmed, written here: its triangles, size, volume, area and
 * colour must come through. The axes are the file's: Z up, but Y up for X3D and FBX. */
#include "assimp_support.h"

#include "zip_writer.h"

enum { CORNERS = 8, TRIANGLES = 12 };

/* A box of 2 x 3 x 4, wound outwards. */
static const unsigned char places[CORNERS][3] = {{0, 0, 0}, {2, 0, 0}, {2, 3, 0}, {0, 3, 0},
                                                 {0, 0, 4}, {2, 0, 4}, {2, 3, 4}, {0, 3, 4}};
static const unsigned char triangles[TRIANGLES][3] = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7}, {0, 1, 5}, {0, 5, 4},
                                                      {1, 2, 6}, {1, 6, 5}, {2, 3, 7}, {2, 7, 6}, {3, 0, 4}, {3, 4, 7}};

/* The box and its colour, 51 102 204 of 255, as the scene has them. */
static void expect_scene(cp_context *context, cp_scene *scene, const char *name, const double size[3])
{
    static const double colour[3] = {0.2, 0.4, 0.8};
    cp_measures measures = {.size = sizeof measures};
    uint32_t count;
    assert_string_equal(cp_scene_source(scene)->format, "assimp");
    assert_int_equal(cp_measure(context, scene, CP_USE_BOTH, &measures), CP_OK);
    if (measures.triangles != TRIANGLES || fabs(measures.volume - 24) > 1e-4 || fabs(measures.area - 52) > 1e-4)
        fail_msg("%s: %llu triangles, volume %g, area %g", name, (unsigned long long)measures.triangles,
                 measures.volume, measures.area);
    for (int axis = 0; axis < 3; axis++)
        if (fabs(measures.upper[axis] - measures.lower[axis] - size[axis]) > 1e-5)
            fail_msg("%s: %g along axis %d, not %g", name, measures.upper[axis] - measures.lower[axis], axis,
                     size[axis]);
    const cp_material *materials = cp_materials(scene, &count);
    assert_true(count > 0 && materials[0].srgb);
    for (int channel = 0; channel < 3; channel++)
        if (fabs(materials[0].rgba[channel] - colour[channel]) > 1e-3)
            fail_msg("%s: channel %d of the colour is %g, not %g", name, channel, materials[0].rgba[channel],
                     colour[channel]);
    assert_true(materials[0].rgba[3] == 1);
    cp_scene_free(scene);
}

static void expect_box(cp_context *context, const struct bytes *file, const char *name, const double size[3])
{
    cp_scene *scene;
    expect_status(context, cp_read_memory(context, file->data, file->size, name, NULL, NULL, 0, &scene), CP_OK);
    expect_scene(context, scene, name, size);
}

static const double z_up[3] = {2, 3, 4}, y_up[3] = {2, 4, 3};

static void print(struct bytes *bytes, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void print(struct bytes *bytes, const char *format, ...)
{
    char text[2048];
    va_list list;
    va_start(list, format);
    int size = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    assert_true(size >= 0 && size < (int)sizeof text);
    put_text(bytes, text, (size_t)size);
}

/* Prints all corners or triangles; format has a %d for each number. */
static void print_rows(struct bytes *bytes, const unsigned char (*rows)[3], int count, const char *before,
                       const char *between, const char *after, bool numbered)
{
    for (int i = 0; i < count; i++) {
        if (numbered)
            print(bytes, before, i);
        else
            put_text(bytes, before, strlen(before));
        print(bytes, "%d%s%d%s%d", rows[i][0], between, rows[i][1], between, rows[i][2]);
        if (i + 1 < count || *after != ',')
            put_text(bytes, after, strlen(after));
    }
}

/* ---- binary formats ---- */

static void put_big(struct bytes *bytes, uint32_t number, int size)
{
    for (int i = size - 1; i >= 0; i--)
        put_number(bytes, number >> 8 * i & 0xff, 1);
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

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

static void test_3ds(void **state)
{
    struct bytes bytes = {.size = 0};
    size_t top = begin_chunk(&bytes, 0x4d4d), editor = begin_chunk(&bytes, 0x3d3d);
    size_t material = begin_chunk(&bytes, 0xafff), name = begin_chunk(&bytes, 0xa000);
    put_text(&bytes, "blue", 5);
    end_chunk(&bytes, name);
    size_t diffuse = begin_chunk(&bytes, 0xa020), colour = begin_chunk(&bytes, 0x0011);
    put_number(&bytes, 0xcc6633, 3);
    end_chunk(&bytes, colour);
    end_chunk(&bytes, diffuse);
    end_chunk(&bytes, material);
    size_t object = begin_chunk(&bytes, 0x4000);
    put_text(&bytes, "box", 4);
    size_t mesh = begin_chunk(&bytes, 0x4100), vertices = begin_chunk(&bytes, 0x4110);
    put_number(&bytes, CORNERS, 2);
    for (int i = 0; i < 3 * CORNERS; i++)
        put_number(&bytes, bits_of(places[i / 3][i % 3]), 4);
    end_chunk(&bytes, vertices);
    size_t faces = begin_chunk(&bytes, 0x4120);
    put_number(&bytes, TRIANGLES, 2);
    for (int i = 0; i < TRIANGLES; i++) {
        for (int k = 0; k < 3; k++)
            put_number(&bytes, triangles[i][k], 2);
        put_number(&bytes, 7, 2);
    }
    size_t group = begin_chunk(&bytes, 0x4130);
    put_text(&bytes, "blue", 5);
    put_number(&bytes, TRIANGLES, 2);
    for (int i = 0; i < TRIANGLES; i++)
        put_number(&bytes, (uint32_t)i, 2);
    end_chunk(&bytes, group);
    end_chunk(&bytes, faces);
    end_chunk(&bytes, mesh);
    end_chunk(&bytes, object);
    end_chunk(&bytes, editor);
    end_chunk(&bytes, top);
    expect_box(*state, &bytes, "box.3ds", z_up);
}

/* LightWave's second format (LWO2): its polygons are clockwise and its system left-handed, so that both go together. */
static void put_lightwave(struct bytes *out)
{
    struct bytes bytes = {.size = 0};
    enum { POINTS = 12 * CORNERS, POLYGONS = 4 + 8 * TRIANGLES, TAGS = 4 + 4 * TRIANGLES, SURFACE = 6 + 2 + 6 + 14 };
    put_text(&bytes, "FORM", 4);
    put_big(&bytes, 4 + 14 + (8 + 18) + (8 + POINTS) + (8 + POLYGONS) + (8 + TAGS) + (8 + SURFACE), 4);
    put_text(&bytes, "LWO2TAGS\0\0\0\6blue\0\0LAYR\0\0\0\22", 4 + 14 + 8);
    for (int i = 0; i < 18; i++) /* number, flags, pivot, name */
        put_number(&bytes, 0, 1);
    put_text(&bytes, "PNTS", 4);
    put_big(&bytes, POINTS, 4);
    for (int i = 0; i < 3 * CORNERS; i++)
        put_big(&bytes, bits_of(places[i / 3][i % 3]), 4);
    put_text(&bytes, "POLS", 4);
    put_big(&bytes, POLYGONS, 4);
    put_text(&bytes, "FACE", 4);
    for (int i = 0; i < TRIANGLES; i++) {
        put_big(&bytes, 3, 2);
        for (int k = 0; k < 3; k++)
            put_big(&bytes, triangles[i][k], 2);
    }
    put_text(&bytes, "PTAG", 4);
    put_big(&bytes, TAGS, 4);
    put_text(&bytes, "SURF", 4);
    for (int i = 0; i < TRIANGLES; i++) {
        put_big(&bytes, (uint32_t)i, 2);
        put_big(&bytes, 0, 2);
    }
    put_text(&bytes, "SURF", 4);
    put_big(&bytes, SURFACE, 4);
    put_text(&bytes, "blue\0\0\0\0COLR\0\16", 14);
    for (int i = 0; i < 3; i++)
        put_big(&bytes, bits_of(0.2f * (float)(1 << i)), 4);
    put_big(&bytes, 0, 2);
    put_text(out, (const char *)bytes.data, bytes.size);
}

static void test_lwo(void **state)
{
    struct bytes bytes = {.size = 0};
    put_lightwave(&bytes);
    expect_box(*state, &bytes, "box.lwo", z_up);
}

/* A LightWave scene shows an object of another file. */
static void test_lws(void **state)
{
    static const char text[] = "LWSC\n3\n\nFirstFrame 1\nLastFrame 2\nFrameStep 1\nFramesPerSecond 25\n\n"
                               "LoadObject box.lwo\nShowObject 8 8\nObjectMotion (unnamed)\n";
    struct bytes bytes = {.size = 0};
    put_lightwave(&bytes);
    write_bytes("box.lwo", bytes.data, bytes.size);
    write_file("box.lws", text);
    expect_scene(*state, read_path(*state, path_of("box.lws")), "box.lws", z_up);
}

/* ---- formats of text ---- */

static void test_x3d(void **state)
{
    struct bytes bytes = {.size = 0};
    print(&bytes, "<X3D><Scene><Shape><Appearance><Material diffuseColor=\"0.2 0.4 0.8\"/></Appearance>"
                  "<IndexedFaceSet coordIndex=\"");
    print_rows(&bytes, triangles, TRIANGLES, "", " ", " -1 ", false);
    print(&bytes, "\"><Coordinate point=\"");
    print_rows(&bytes, places, CORNERS, "", " ", " ", false);
    print(&bytes, "\"/></IndexedFaceSet></Shape></Scene></X3D>\n");
    expect_box(*state, &bytes, "box.x3d", y_up);
}

/* Centimetres, if nothing else is said. */
static void test_fbx(void **state)
{
    struct bytes bytes = {.size = 0};
    print(&bytes,
          "; FBX 7.3.0 project file\nFBXHeaderExtension:  {\n FBXHeaderVersion: 1003\n FBXVersion: 7300\n}\n"
          "GlobalSettings:  {\n Version: 1000\n Properties70:  {\n  P: \"UpAxis\", \"int\", \"Integer\", \"\",1\n"
          "  P: \"UnitScaleFactor\", \"double\", \"Number\", \"\",100\n }\n}\n");
    print(&bytes, "Objects:  {\n Geometry: 1, \"Geometry::\", \"Mesh\" {\n  Vertices: *24 {\n   a: ");
    print_rows(&bytes, places, CORNERS, "", ",", ",", false);
    print(&bytes, "\n  }\n  PolygonVertexIndex: *36 {\n   a: ");
    for (int i = 0; i < TRIANGLES; i++) /* the last corner is -1 - its number */
        print(&bytes, "%d,%d,%d%s", triangles[i][0], triangles[i][1], -1 - triangles[i][2], i < 11 ? "," : "\n");
    print(&bytes, "  }\n  GeometryVersion: 124\n  LayerElementMaterial: 0 {\n   Version: 101\n   Name: \"\"\n"
                  "   MappingInformationType: \"AllSame\"\n   ReferenceInformationType: \"IndexToDirect\"\n"
                  "   Materials: *1 {\n    a: 0\n   }\n  }\n  Layer: 0 {\n   Version: 100\n   LayerElement:  {\n"
                  "    Type: \"LayerElementMaterial\"\n    TypedIndex: 0\n   }\n  }\n }\n Model: 2, \"Model::box\", "
                  "\"Mesh\" {\n  Version: 232\n }\n"
                  " Material: 3, \"Material::blue\", \"\" {\n  Version: 102\n  ShadingModel: \"lambert\"\n"
                  "  Properties70:  {\n   P: \"DiffuseColor\", \"Color\", \"\", \"A\",0.2,0.4,0.8\n  }\n }\n}\n");
    print(&bytes, "Connections:  {\n C: \"OO\",2,0\n C: \"OO\",1,2\n C: \"OO\",3,2\n}\n");
    expect_box(*state, &bytes, "box.fbx", y_up);
}

static void test_ase(void **state)
{
    struct bytes bytes = {.size = 0};
    print(&bytes,
          "*3DSMAX_ASCIIEXPORT 200\n*MATERIAL_LIST {\n *MATERIAL_COUNT 1\n *MATERIAL 0 {\n"
          "  *MATERIAL_NAME \"blue\"\n  *MATERIAL_CLASS \"Standard\"\n  *MATERIAL_DIFFUSE 0.2 0.4 0.8\n }\n}\n");
    print(&bytes, "*GEOMOBJECT {\n *NODE_NAME \"box\"\n *NODE_TM {\n  *NODE_NAME \"box\"\n  *TM_ROW0 1 0 0\n"
                  "  *TM_ROW1 0 1 0\n  *TM_ROW2 0 0 1\n  *TM_ROW3 0 0 0\n }\n *MESH {\n  *MESH_NUMVERTEX 8\n"
                  "  *MESH_NUMFACES 12\n  *MESH_VERTEX_LIST {\n");
    print_rows(&bytes, places, CORNERS, "   *MESH_VERTEX %d ", " ", "\n", true);
    print(&bytes, "  }\n  *MESH_FACE_LIST {\n");
    for (int i = 0; i < TRIANGLES; i++)
        print(&bytes, "   *MESH_FACE %d: A: %d B: %d C: %d AB: 1 BC: 1 CA: 1 *MESH_SMOOTHING 0 *MESH_MTLID 0\n", i,
              triangles[i][0], triangles[i][1], triangles[i][2]);
    print(&bytes, "  }\n }\n *MATERIAL_REF 0\n}\n");
    expect_box(*state, &bytes, "box.ase", z_up);
}

/* DirectX: a left-handed system, so the file's triangles are clockwise. */
static void test_x(void **state)
{
    struct bytes bytes = {.size = 0};
    print(&bytes, "xof 0303txt 0032\nMesh box {\n 8;\n ");
    print_rows(&bytes, places, CORNERS, "", ";", ";,", false);
    bytes.size--;
    print(&bytes, ";\n 12;\n ");
    print_rows(&bytes, triangles, TRIANGLES, "3;", ",", ";,", false);
    bytes.size--;
    print(&bytes, ";\n MeshMaterialList {\n  1;\n  12;\n  0,0,0,0,0,0,0,0,0,0,0,0;\n  Material blue {\n"
                  "   0.2;0.4;0.8;1.0;;\n   0.0;\n   0.0;0.0;0.0;;\n   0.0;0.0;0.0;;\n  }\n }\n}\n");
    expect_box(*state, &bytes, "box.x", z_up);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_3ds), TEST(test_lwo), TEST(test_lws), TEST(test_x3d), TEST(test_fbx), TEST(test_ase), TEST(test_x),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
