/* Names, units and axes that the assimp importer takes from the file itself, on files made here. */
#include "assimp_support.h"

#include "zip_writer.h"

/* ---- 3DS ---- */

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

/* A triangle; of the material, if one is named. */
static void put_object(struct bytes *bytes, const char *name, const char *material)
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
    if (material) {
        size_t group = begin_chunk(bytes, 0x4130);
        put_text(bytes, material, strlen(material) + 1);
        put_number(bytes, 1, 2);
        put_number(bytes, 0, 2);
        end_chunk(bytes, group);
    }
    end_chunk(bytes, faces);
    end_chunk(bytes, mesh);
    end_chunk(bytes, object);
}

/* Without a hierarchy in the file assimp puts "3DSMesh_0" and "0" in place of the names. */
static void test_3ds_names(void **state)
{
    struct bytes bytes = {.size = 0};
    size_t top = begin_chunk(&bytes, 0x4d4d), editor = begin_chunk(&bytes, 0x3d3d);
    put_object(&bytes, "Arm 1", NULL);
    size_t light = begin_chunk(&bytes, 0x4000); /* no mesh, and so no number */
    put_text(&bytes, "Lamp", 5);
    size_t lamp = begin_chunk(&bytes, 0x4600);
    put_text(&bytes, "\0\0\0\0\0\0\0\0\0\0\0", 12);
    end_chunk(&bytes, lamp);
    end_chunk(&bytes, light);
    put_object(&bytes, "gr\xfcn", NULL);
    end_chunk(&bytes, editor);
    end_chunk(&bytes, top);
    cp_scene *scene;
    uint32_t count;
    assert_int_equal(cp_read_memory(*state, bytes.data, bytes.size, "part.3ds", NULL, NULL, 0, &scene), CP_OK);
    const cp_mesh *meshes = cp_meshes(scene, &count);
    assert_int_equal(count, 2);
    assert_string_equal(meshes[0].name, "Arm 1");
    assert_string_equal(meshes[1].name, "gr\xc3\xbcn");
    assert_int_equal(node_called(scene, "Arm 1")->parent, 0);
    assert_int_equal(node_called(scene, "gr\xc3\xbcn")->parent, 0);
    (void)cp_materials(scene, &count);
    assert_int_equal(count, 0); /* none for assimp's own default */
    cp_scene_free(scene);
}

/* A transparency in percent, 0 where none is said: the file is believed, and what nobody sees is told. */
static void test_3ds_transparency(void **state)
{
    (void)state;
    static const unsigned percents[] = {0, 25, 75, 97, 99, 100};
    for (size_t i = 0; i < sizeof percents / sizeof *percents; i++) {
        struct bytes bytes = {.size = 0};
        size_t top = begin_chunk(&bytes, 0x4d4d), editor = begin_chunk(&bytes, 0x3d3d);
        size_t material = begin_chunk(&bytes, 0xafff), name = begin_chunk(&bytes, 0xa000);
        put_text(&bytes, "red", 4);
        end_chunk(&bytes, name);
        size_t diffuse = begin_chunk(&bytes, 0xa020), colour = begin_chunk(&bytes, 0x0011);
        put_number(&bytes, 0x0000ff, 3);
        end_chunk(&bytes, colour);
        end_chunk(&bytes, diffuse);
        if (percents[i] > 0) {
            size_t transparency = begin_chunk(&bytes, 0xa050), percent = begin_chunk(&bytes, 0x0030);
            put_number(&bytes, percents[i], 2);
            end_chunk(&bytes, percent);
            end_chunk(&bytes, transparency);
        }
        end_chunk(&bytes, material);
        put_object(&bytes, "plate", "red");
        end_chunk(&bytes, editor);
        end_chunk(&bytes, top);
        cp_context *context = cp_context_new(NULL);
        cp_scene *scene;
        uint32_t count;
        assert_int_equal(cp_read_memory(context, bytes.data, bytes.size, "part.3ds", NULL, NULL, 0, &scene), CP_OK);
        const cp_material *red = cp_materials(scene, &count);
        assert_int_equal(count, 1);
        assert_true(red->rgba[0] == 1 && red->rgba[1] == 0 && red->rgba[2] == 0);
        assert_true(fabs(red->rgba[3] - (1 - percents[i] / 100.0)) < 1e-6);
        assert_int_equal(count_entries(context, CP_WARNING, "nothing-visible"), percents[i] > 98);
        cp_scene_free(scene);
        cp_context_free(context);
    }
}

/* ---- units and axes ---- */

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
        cp_scene *scene = read_scene(*state, text, "part.fbx", NULL);
        assert_true(cp_scene_source(scene)->unit == 0.025);
        expect_pose(&cp_instances(scene, &(uint32_t){0})[0].transform, expected[up], 1e-15);
        cp_scene_free(scene);
    }
}

/* ---- transforms of FBX ---- */

/* What a model's transform is made of. */
enum {
    TRANSLATION,
    ROTATION_OFFSET,
    ROTATION_PIVOT,
    PRE_ROTATION,
    ROTATION,
    POST_ROTATION,
    SCALING_OFFSET,
    SCALING_PIVOT,
    SCALING,
    GEOMETRIC_TRANSLATION,
    GEOMETRIC_ROTATION,
    GEOMETRIC_SCALING,
    FACTORS
};
static const struct {
    const char *name;
    double value[3];
} factors[FACTORS] = {
    {"Lcl Translation", {1, 2, 3}},      {"RotationOffset", {1, 0.5, 0}},     {"RotationPivot", {0.3, 0.2, 0.1}},
    {"PreRotation", {90, 0, 20}},        {"Lcl Rotation", {10, 20, 30}},      {"PostRotation", {30, 40, 50}},
    {"ScalingOffset", {0.1, 0.2, 0.3}},  {"ScalingPivot", {1, 2, 1}},         {"Lcl Scaling", {2, 1.5, 0.5}},
    {"GeometricTranslation", {3, 1, 2}}, {"GeometricRotation", {15, 25, 35}}, {"GeometricScaling", {1, 2, 3}},
};

static cp_pose moved(unsigned given, int factor, double sign)
{
    const double *v = factors[factor].value;
    return given >> factor & 1 ? plain_translation(sign * v[0], sign * v[1], sign * v[2]) : PLAIN_IDENTITY;
}

/* Euler angles: about x first, then y, then z. */
static cp_pose turned(unsigned given, int factor, bool inverse)
{
    cp_pose pose = PLAIN_IDENTITY;
    for (int axis = 0; axis < 3 && (given >> factor & 1); axis++) {
        double angle = factors[factor].value[axis];
        cp_pose turn = plain_turn(axis, inverse ? -angle : angle);
        pose = inverse ? plain_product(&pose, &turn) : plain_product(&turn, &pose);
    }
    return pose;
}

static cp_pose scaled(unsigned given, int factor)
{
    const double *v = factors[factor].value;
    return given >> factor & 1 ? plain_scaling(v[0], v[1], v[2]) : PLAIN_IDENTITY;
}

static cp_pose product(const cp_pose *poses, size_t count)
{
    cp_pose all = PLAIN_IDENTITY;
    for (size_t i = 0; i < count; i++)
        all = plain_product(&all, &poses[i]);
    return all;
}

/* FBX SDK, "Computing transformation matrices": T Roff Rp Rpre R Rpost^-1 Rp^-1 Soff Sp S Sp^-1. */
static cp_pose pose_of_model(unsigned given)
{
    const cp_pose poses[] = {
        moved(given, TRANSLATION, 1),     moved(given, ROTATION_OFFSET, 1),
        moved(given, ROTATION_PIVOT, 1),  turned(given, PRE_ROTATION, false),
        turned(given, ROTATION, false),   turned(given, POST_ROTATION, true),
        moved(given, ROTATION_PIVOT, -1), moved(given, SCALING_OFFSET, 1),
        moved(given, SCALING_PIVOT, 1),   scaled(given, SCALING),
        moved(given, SCALING_PIVOT, -1),
    };
    return product(poses, sizeof poses / sizeof *poses);
}

/* Of the model's own mesh alone. */
static cp_pose pose_of_geometry(unsigned given)
{
    const cp_pose poses[] = {moved(given, GEOMETRIC_TRANSLATION, 1), turned(given, GEOMETRIC_ROTATION, false),
                             scaled(given, GEOMETRIC_SCALING)};
    return product(poses, sizeof poses / sizeof *poses);
}

static void put_model(struct bytes *bytes, int number, const char *name, unsigned given)
{
    char text[256];
    int size = snprintf(text, sizeof text,
                        " Model: %d, \"Model::%s\", \"Mesh\" {\n  Version: 232\n  Properties70:  {\n", number, name);
    put_text(bytes, text, (size_t)size);
    for (int i = 0; i < FACTORS; i++) {
        const double *v = factors[i].value;
        size = plain_snprintf(text, sizeof text, "   P: \"%s\", \"Vector3D\", \"Vector\", \"\",%g,%g,%g\n",
                              factors[i].name, v[0], v[1], v[2]);
        if (given >> i & 1)
            put_text(bytes, text, (size_t)size);
    }
    put_text(bytes, "  }\n }\n", 7);
}

/* A model and its child, each with a mesh. */
static cp_scene *read_models(cp_context *context, unsigned model, unsigned child, const char *objects,
                             const char *connections)
{
    static const char head[] =
        "; FBX 7.3.0 project file\nFBXHeaderExtension:  {\n FBXHeaderVersion: 1003\n FBXVersion: 7300\n}\n"
        "GlobalSettings:  {\n Version: 1000\n Properties70:  {\n  P: \"UpAxis\", \"int\", \"Integer\", \"\",2\n"
        "  P: \"UnitScaleFactor\", \"double\", \"Number\", \"\",100\n }\n}\nObjects:  {\n";
    static const char mesh[] = "\"Geometry::\", \"Mesh\" {\n  Vertices: *9 {\n   a: 0,0,0,1,0,0,0,1,0\n  }\n"
                               "  PolygonVertexIndex: *3 {\n   a: 0,1,-3\n  }\n  GeometryVersion: 124\n }\n";
    static const char links[] = "}\nConnections:  {\n C: \"OO\",2,0\n C: \"OO\",1,2\n C: \"OO\",4,2\n C: \"OO\",3,4\n";
    struct bytes bytes = {0};
    put_text(&bytes, head, sizeof head - 1);
    put_text(&bytes, " Geometry: 1, ", 14);
    put_text(&bytes, mesh, sizeof mesh - 1);
    put_text(&bytes, " Geometry: 3, ", 14);
    put_text(&bytes, mesh, sizeof mesh - 1);
    put_model(&bytes, 2, "model", model);
    put_model(&bytes, 4, "child", child);
    put_text(&bytes, objects, strlen(objects));
    put_text(&bytes, links, sizeof links - 1);
    put_text(&bytes, connections, strlen(connections));
    put_text(&bytes, "}\n", 3);
    return read_scene(context, (const char *)bytes.data, "models.fbx", NULL);
}

static void check_models(cp_context *context, unsigned model, unsigned child)
{
    cp_scene *scene = read_models(context, model, child, "", "");
    uint32_t count;
    const cp_instance *instances = cp_instances(scene, &count);
    assert_int_equal(count, 2);
    (void)cp_nodes(scene, &count);
    assert_int_equal(count, 3);
    cp_pose worlds[3], expected = pose_of_model(model), local = pose_of_model(child);
    assert_int_equal(cp_world_poses(context, scene, NULL, worlds), CP_OK);
    for (uint32_t i = 0; i < 2; i++) {
        cp_pose geometry = pose_of_geometry(i ? child : model);
        if (i)
            expected = plain_product(&expected, &local);
        assert_string_equal(cp_nodes(scene, &count)[instances[i].node].name, i ? "child" : "model");
        expect_pose(&worlds[instances[i].node], expected.m, 3e-5);
        cp_pose drawn = plain_product(&worlds[instances[i].node], &instances[i].transform);
        expect_pose(&drawn, plain_product(&expected, &geometry).m, 3e-5);
    }
    cp_scene_free(scene);
}

static void test_fbx_transforms(void **state)
{
    const unsigned base = 1u << TRANSLATION | 1u << ROTATION | 1u << SCALING, all = (1u << FACTORS) - 1;
    check_models(*state, 0, 0);
    check_models(*state, base, base);
    check_models(*state, all, all);
    for (int i = 0; i < FACTORS; i++) {
        check_models(*state, 1u << i, 0);
        check_models(*state, base | 1u << i, 1u << TRANSLATION);
        check_models(*state, base, base | 1u << i);
        check_models(*state, all & ~(1u << i), all);
    }
}

/* A key for a whole node is a clip's; where the model has what assimp multiplies wrongly, keys are a loss. */
static void test_fbx_keys(void **state)
{
    static const char keys[] =
        " AnimationStack: 10, \"AnimStack::Take\", \"\" {\n }\n AnimationLayer: 11, \"AnimLayer::L\", \"\" {\n }\n"
        " AnimationCurveNode: 12, \"AnimCurveNode::R\", \"\" {\n  Properties70:  {\n"
        "   P: \"d|X\", \"Number\", \"\", \"A\",0\n   P: \"d|Y\", \"Number\", \"\", \"A\",0\n"
        "   P: \"d|Z\", \"Number\", \"\", \"A\",0\n  }\n }\n"
        " AnimationCurve: 13, \"AnimCurve::\", \"\" {\n  Default: 0\n  KeyVer: 4008\n"
        "  KeyTime: *2 {\n   a: 0,46186158000\n  }\n  KeyValueFloat: *2 {\n   a: 0,60\n  }\n }\n";
    static const char links[] = " C: \"OO\",11,10\n C: \"OO\",12,11\n C: \"OP\",12,2, \"Lcl Rotation\"\n"
                                " C: \"OP\",13,12, \"d|Z\"\n";
    const unsigned given[] = {0, 1u << PRE_ROTATION, 1u << POST_ROTATION, 1u << GEOMETRIC_TRANSLATION};
    for (int i = 0; i < 4; i++) {
        bool wrong = i >= 2;
        cp_report_clear(*state);
        cp_scene *scene = read_models(*state, given[i], 0, keys, links);
        uint32_t count;
        (void)cp_clips(scene, &count);
        assert_int_equal(count, !wrong);
        assert_int_equal(was_reported(*state, "assimp-animation"), wrong);
        (void)cp_nodes(scene, &count);
        assert_int_equal(count, 3);
        cp_scene_free(scene);
    }
}

/* For the leak checker: assimp's readers lose memory when they give up. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libassimp";
}

/* ---- archives ---- */

static void put_archive(struct bytes *zip, bool deflate)
{
    struct bytes directory = {.size = 0};
    zip->size = 0;
    put_zipped(zip, &directory, "readme.txt", "an archive that no reader knows, and that is whole", deflate);
    put_zipped(zip, &directory, "parts/first.bin", "bytes of a file that is long enough to be packed", deflate);
    end_zip(zip, &directory, 2);
}

static bool is_refused(cp_context *context, const struct bytes *zip)
{
    cp_scene *scene;
    cp_report_clear(context);
    cp_status status = cp_read_memory(context, zip->data, zip->size, "part.3ds", "assimp", NULL, 0, &scene);
    assert_true(status == CP_OK || status == CP_INPUT);
    cp_scene_free(scene);
    return count_entries(context, CP_ERROR, "assimp-archive") > 0;
}

/* A byte of a file is not what its checksum says, or a byte of the records is another: assimp would end the process. */
static void test_archives(void **state)
{
    struct bytes zip;
    unsigned refused = 0;
    for (int deflate = 0; deflate < 2; deflate++) {
        put_archive(&zip, deflate);
        assert_false(is_refused(*state, &zip));
        for (size_t i = 0; i < zip.size; i++) {
            zip.data[i] ^= 1;
            refused += is_refused(*state, &zip);
            zip.data[i] ^= 1;
        }
        zip.size -= 30; /* without its end record */
        assert_true(is_refused(*state, &zip));
    }
    assert_true(refused > 300);
    struct bytes directory = {.size = 0};
    zip.size = 0;
    put_zipped(&zip, &directory, "3D/3dmodel.model", "<model/>", false);
    end_zip(&zip, &directory, 1);
    assert_true(is_refused(*state, &zip));
}

int main(void)
{
#ifndef HAVE_ASSIMP
    print_message("skipped: assimp is not built\n");
    return 77;
#else
    const struct CMUnitTest tests[] = {
        TEST(test_3ds_names),      TEST(test_3ds_transparency), TEST(test_fbx),
        TEST(test_fbx_transforms), TEST(test_fbx_keys),         TEST(test_archives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
#endif
}
