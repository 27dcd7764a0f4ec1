/* What nobody sees is told, whatever the format; and what its writers mean opaque is opaque. Right values: the alpha
 * that each file states, by its format's rule. */
#include "assimp_support.h"

/* An OBJ triangle with the lines of an MTL material. */
static cp_scene *read_material(cp_context *context, const char *lines)
{
    char text[1024];
    (void)snprintf(text, sizeof text, "newmtl g\nKd 0.5 0.25 1\n%s", lines);
    write_file("a.mtl", text);
    write_file("a.obj", "mtllib a.mtl\nusemtl g\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    return read_path(context, path_of("a.obj"));
}

/* MTL: d is the opacity. Tr is 1 - d, but where Tr 1 stands alone it is meant as opacity. */
static void test_mtl(void **state)
{
    (void)state;
    static const struct {
        const char *lines;
        double alpha;
        bool meant, told;
    } cases[] = {
        {"Tr 1\n", 1, true, false},           {"Tr 1.000000\nillum 2\n", 1, true, false},
        {"illum 4\nTr 5\n", 1, true, false},  {"Tr 0\n", 1, false, false},
        {"Tr 0.75\n", 0.25, false, false},    {"d 0\n", 0, false, true},
        {"d 0.0\nTr 1.0\n", 0, false, true},  {"Tr 1\nd 0\n", 0, false, true},
        {"d 1\nTr 1\n", 1, false, false},     {"d -halo 0\n", 0, false, true},
        {"d 0.0199\n", 0.0199, false, true},  {"d 0.02\n", 0.02, false, false},
        {"Tr 0.99\n", 1 - 0.99, false, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t count;
        cp_context *context = cp_context_new(NULL);
        cp_scene *scene = read_material(context, cases[i].lines);
        assert_true(cp_materials(scene, &count)->rgba[3] == cases[i].alpha);
        assert_int_equal(count_entries(context, CP_WARNING, "obj-transparent"), cases[i].meant);
        assert_int_equal(count_entries(context, CP_WARNING, "nothing-visible"), cases[i].told);
        cp_scene_free(scene);
        cp_context_free(context);
    }
}

#define X3D(material, rest)                                                                                            \
    "<X3D profile='Interchange' version='3.2'><Scene><Shape><Appearance><Material " material                           \
    "/></Appearance><Box/></Shape>" rest "</Scene></X3D>"
#define SHAPE "<Shape><Appearance><Material/></Appearance><Sphere/></Shape>"
#define PLY(first, second)                                                                                             \
    "ply\nformat ascii 1.0\nelement vertex 6\nproperty float x\nproperty float y\nproperty float z\n"                  \
    "property uchar red\nproperty uchar green\nproperty uchar blue\nproperty uchar alpha\nelement face 2\n"            \
    "property list uchar int vertex_indices\nend_header\n0 0 0 255 0 0 " first "\n1 0 0 255 0 0 " first                \
    "\n0 1 0 255 0 0 " first "\n0 0 1 255 0 0 " second "\n1 0 1 255 0 0 " second "\n0 1 1 255 0 0 " second             \
    "\n3 0 1 2\n3 3 4 5\n"
#define GLTF(material)                                                                                                 \
    "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0}],"              \
    "\"materials\":[{\"name\":\"m\"," material "}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},"     \
    "\"material\":0}]}],\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\","        \
    "\"min\":[0,0,0],\"max\":[1,1,0]}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],\"buffers\":[{"              \
    "\"byteLength\":36,\"uri\":\"data:application/octet-stream;base64,"                                                \
    "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA\"}]}"

/* The file is believed. */
static void test_formats(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text, *code; /* NULL: seen */
    } cases[] = {
        {"a.x3d", X3D("transparency='1'", ""), "nothing-visible"},
        {"a.x3d", X3D("transparency='1'", SHAPE), "invisible-material"},
        {"a.x3d", X3D("transparency='0.5'", SHAPE), NULL},
        {"a.ply", PLY("0", "0"), "nothing-visible"},
        {"a.ply", PLY("5", "0"), "nothing-visible"}, /* 5 / 255 = 0.0196 */
        {"a.ply", PLY("6", "0"), NULL},
        {"a.off", "COFF\n3 1 0\n0 0 0 255 0 0 0\n1 0 0 255 0 0 0\n0 1 0 255 0 0 0\n3 0 1 2\n", "nothing-visible"},
        {"a.ac",
         "AC3Db\nMATERIAL \"m\" rgb 1 1 1  amb 0 0 0  emis 0 0 0  spec 0 0 0  shi 0  trans 1\nOBJECT world\nkids 1\n"
         "OBJECT poly\nname \"b\"\nnumvert 3\n0 0 0\n1 0 0\n1 1 0\nnumsurf 1\nSURF 0x0\nmat 0\nrefs 3\n0 0 0\n1 0 0\n"
         "2 0 0\nkids 0\n",
         "nothing-visible"},
        {"a.gltf", GLTF("\"alphaMode\":\"BLEND\",\"pbrMetallicRoughness\":{\"baseColorFactor\":[1,1,1,0]}"),
         "nothing-visible"},
        {"a.gltf", GLTF("\"alphaMode\":\"OPAQUE\",\"pbrMetallicRoughness\":{\"baseColorFactor\":[1,1,1,0]}"), NULL},
        {"a.gltf", GLTF("\"alphaMode\":\"MASK\",\"pbrMetallicRoughness\":{\"baseColorFactor\":[1,1,1,0.4]}"),
         "nothing-visible"},
        {"a.gltf",
         GLTF("\"alphaMode\":\"MASK\",\"alphaCutoff\":0.4,\"pbrMetallicRoughness\":{\"baseColorFactor\":[1,1,1,0.4]}"),
         NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cp_context *context = cp_context_new(NULL);
        cp_scene_free(read_scene(context, cases[i].text, cases[i].name, NULL));
        size_t told = count_entries(context, CP_WARNING, "nothing-visible") +
                      count_entries(context, CP_WARNING, "invisible-material");
        if (told != (cases[i].code != NULL) || (cases[i].code && !was_reported(context, cases[i].code)))
            fail_msg("case %zu, %s: %zu warnings, not %s", i, cases[i].name, told,
                     cases[i].code ? cases[i].code : "none");
        if (cases[i].code && strstr(cases[i].text, "MASK"))
            assert_non_null(strstr(find_entry(context, cases[i].code)->text, "cutoff"));
        cp_context_free(context);
    }
}

#define DAE(transparent)                                                                                               \
    "<?xml version='1.0'?><COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'><asset>"       \
    "<up_axis>Z_UP</up_axis></asset><library_effects><effect id='e'><profile_COMMON><technique sid='t'><phong>"        \
    "<diffuse><color>0.8 0.1 0.1 1</color></diffuse>" transparent "</phong></technique></profile_COMMON></effect>"     \
    "</library_effects><library_materials><material id='m' name='m'><instance_effect url='#e'/></material>"            \
    "</library_materials><library_geometries><geometry id='g'><mesh><source id='p'><float_array id='pa' count='9'>"    \
    "0 0 0 1 0 0 0 1 0</float_array><technique_common><accessor source='#pa' count='3' stride='3'>"                    \
    "<param name='X' type='float'/><param name='Y' type='float'/><param name='Z' type='float'/></accessor>"            \
    "</technique_common></source><vertices id='v'><input semantic='POSITION' source='#p'/></vertices>"                 \
    "<triangles count='1' material='s'><input semantic='VERTEX' source='#v' offset='0'/><p>0 1 2</p></triangles>"      \
    "</mesh></geometry></library_geometries><library_visual_scenes><visual_scene id='S'><node id='n' name='n'>"        \
    "<instance_geometry url='#g'><bind_material><technique_common><instance_material symbol='s' target='#m'/>"         \
    "</technique_common></bind_material></instance_geometry></node></visual_scene></library_visual_scenes><scene>"     \
    "<instance_visual_scene url='#S'/></scene></COLLADA>"

/* A material that its transparency makes invisible is opaque, unless the user says that the file means it. */
static void test_collada(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double alpha;
        bool meant;
    } cases[] = {
        {DAE("<transparent><color>1 1 1 1</color></transparent><transparency><float>0.0</float></transparency>"), 1,
         true},
        {DAE("<transparent opaque='A_ONE'><color>0 0 0 1</color></transparent><transparency><float> 0 </float>"
             "</transparency>"),
         1, true},
        {DAE("<transparent opaque='RGB_ZERO'><color>1 1 1 1</color></transparent><transparency><float>0</float>"
             "</transparency>"),
         1, false},
        {DAE("<transparent><color>1 1 1 1</color></transparent><transparency><float>0.25</float></transparency>"), 0.25,
         false},
        {DAE("<transparent opaque='A_ONE'><color>1 1 1 0</color></transparent><transparency><float>1</float>"
             "</transparency>"),
         1, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t count;
        cp_context *context = cp_context_new(NULL);
        cp_scene *scene = read_scene(context, cases[i].text, "a.dae", NULL);
        assert_true(cp_materials(scene, &count)->rgba[3] == cases[i].alpha);
        assert_int_equal(count_entries(context, CP_WARNING, "collada-transparent"), cases[i].meant);
        assert_int_equal(count_entries(context, CP_WARNING, "nothing-visible"), 0);
        cp_scene_free(scene);
        cp_report_clear(context);
        const char *file = "transparency=file";
        assert_int_equal(cp_read_memory(context, cases[i].text, strlen(cases[i].text), "a.dae", NULL, &file, 1, &scene),
                         CP_OK);
        assert_true(cp_materials(scene, &count)->rgba[3] == (cases[i].meant ? 0 : cases[i].alpha));
        assert_int_equal(count_entries(context, CP_WARNING, "nothing-visible"), cases[i].meant);
        cp_scene_free(scene);
        cp_context_free(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mtl),
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_collada),
    };
    cmocka_set_test_filter(getenv("CMOCKA_TEST_FILTER")); /* see bootstrap */
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
