/* EXT_mesh_gpu_instancing: the places of copies, against T R S worked out by hand: a copy stands at
 * node * translation * rotation * scale. */
#include <math.h>

#include "gltf_support.h"

/* Bytes 0: a triangle; 36: translations; 72: rotations as normalised shorts; 96: scales; 132: three numbers;
 * 144: rotations as normalised bytes. */
#define SHORT(x) (int16_t)((x)*32767)
static void put_attributes(struct bin *bin)
{
    PUT(bin, float, 0, 0, 0, 1, 0, 0, 0, 1, 0);
    PUT(bin, float, 0, 0, 0, 5, 0, 0, 0, 7, 0);
    PUT(bin, int16_t, 0, 0, 0, SHORT(1), 0, 0, SHORT(0.70710678), SHORT(0.70710678), SHORT(1), 0, 0, 0);
    PUT(bin, float, 1, 1, 1, 2, 3, 4, -1, 1, 1);
    PUT(bin, float, 1, 2, 3);
    PUT(bin, int8_t, 0, 0, 0, 127, 90, 0, 0, 90, 127, 0, 0, 0);
}

#define VIEWS                                                                                                          \
    "'extensionsUsed':['EXT_mesh_gpu_instancing'],'bufferViews':[{'buffer':0,'byteLength':36},"                        \
    "{'buffer':0,'byteOffset':36,'byteLength':36},{'buffer':0,'byteOffset':72,'byteLength':24},"                       \
    "{'buffer':0,'byteOffset':96,'byteLength':36},{'buffer':0,'byteOffset':132,'byteLength':12},{'buffer':0,'"         \
    "byteOffset':144,'byteLength':12}],'accessors':["                                                                  \
    "{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'},"                                                   \
    "{'bufferView':1,'componentType':5126,'count':3,'type':'VEC3'},"                                                   \
    "{'bufferView':2,'componentType':5122,'normalized':true,'count':3,'type':'VEC4'},"                                 \
    "{'bufferView':3,'componentType':5126,'count':3,'type':'VEC3'},"                                                   \
    "{'bufferView':4,'componentType':5126,'count':3,'type':'SCALAR'},"                                                 \
    "{'bufferView':1,'componentType':5126,'count':2,'type':'VEC3'},"                                                   \
    "{'componentType':5126,'count':4000000000,'type':'VEC3'},"                                                         \
    "{'bufferView':2,'componentType':5122,'count':3,'type':'VEC4'},"                                                   \
    "{'bufferView':2,'componentType':5123,'normalized':true,'count':3,'type':'VEC4'},"                                 \
    "{'bufferView':5,'componentType':5120,'normalized':true,'count':3,'type':'VEC4'},"                                 \
    "{'bufferView':1,'componentType':5122,'count':3,'type':'VEC3'},"                                                   \
    "{'bufferView':1,'componentType':5120,'normalized':true,'count':3,'type':'VEC3'},"                                 \
    "{'bufferView':1,'componentType':5125,'count':3,'type':'VEC3'},"                                                   \
    "{'bufferView':1,'componentType':5126,'count':0,'type':'VEC3'},"                                                   \
    "{'bufferView':2,'componentType':5126,'count':0,'type':'VEC4'}],"
#define MESHES "'meshes':[{'primitives':[{'attributes':{'POSITION':0}},{'mode':2,'attributes':{'POSITION':0}}]}],"
#define COPIES(attributes) "'extensions':{'EXT_mesh_gpu_instancing':{'attributes':{" attributes "}}}"

/* Where an instance of the node has the point (1, 0, 0) of its mesh, in the world. */
static void assert_point(cp_context *context, const cp_scene *scene, uint32_t instance, double x, double y, double z)
{
    uint32_t count;
    const cp_instance *at = &cp_instances(scene, &count)[instance];
    cp_pose worlds[8];
    assert_true(instance < count);
    cp_nodes(scene, &count);
    assert_true(count <= 8);
    assert_int_equal(cp_world_poses(context, scene, NULL, worlds), CP_OK);
    const double *w = worlds[at->node].m, *t = at->transform.m, local[3] = {t[0] + t[3], t[4] + t[7], t[8] + t[11]},
                 wanted[3] = {x, y, z};
    for (int i = 0; i < 3; i++) {
        double value = w[4 * i] * local[0] + w[4 * i + 1] * local[1] + w[4 * i + 2] * local[2] + w[4 * i + 3];
        if (!(fabs(value - wanted[i]) < 1e-3)) /* rotations in 15 bits, over 10 m */
            fail_msg("instance %u, coordinate %d: %g, not %g", (unsigned)instance, i, value, wanted[i]);
    }
}

static void test_places(void **state)
{
    (void)state;
    struct bin bin = {.size = 0};
    put_attributes(&bin);
    cp_context *context = cp_context_new(NULL);
    uint32_t count;
    /* The node stands at (0, 0, 10), turned by 90 degrees about Z; its child is not repeated. */
    cp_scene *scene = read_with(
        context,
        VIEWS "'nodes':[{'mesh':0,'translation':[0,0,10],'rotation':[0,0,0.70710678118654752,0.70710678118654752],"
              "'children':[1]," COPIES("'TRANSLATION':1,'ROTATION':2,'SCALE':3") "},{'mesh':0}]," MESHES "'scene':0,"
                                                                                 "'scenes':[{'nodes':[0]}]",
        &bin, "up=z", CP_OK);
    cp_nodes(scene, &count);
    assert_int_equal(count, 3);
    const cp_instance *instances = cp_instances(scene, &count);
    assert_int_equal(count, 8); /* faces and lines of three copies and of the child */
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(instances[i].node, i < 6 ? 1 : 2);
        assert_int_equal(instances[i].mesh, i % 2);
    }
    /* In the node: (1,0,0); (5,0,0) + 2 (0,1,0); (0,7,0) + half a turn about X of (-1,0,0). Then (x, y) is (-y, x). */
    static const double points[4][3] = {{0, 1, 10}, {-2, 5, 10}, {-7, -1, 10}, {0, 1, 10}};
    for (uint32_t i = 0; i < 8; i++)
        assert_point(context, scene, i, points[i / 2][0], points[i / 2][1], points[i / 2][2]);
    assert_int_equal(count_lost(context, "gltf-extension"), 0);
    cp_scene_free(scene);
    cp_context_free(context);
}

static void test_kinds(void **state)
{
    (void)state;
    static const struct {
        const char *nodes;
        uint32_t instances;
        uint64_t lost;
        cp_status status;
    } cases[] = {
        {"{'mesh':0," COPIES("'TRANSLATION':1") "}", 6, 0, CP_OK},
        {"{'mesh':0," COPIES("'ROTATION':2") "}", 6, 0, CP_OK},
        {"{'mesh':0," COPIES("'SCALE':3,'_ID':4") "}", 6, 1, CP_OK},
        {"{'mesh':0," COPIES("'_ID':4") "}", 2, 1, CP_OK},
        {"{'mesh':0," COPIES("") "}", 2, 0, CP_OK},
        {"{" COPIES("'TRANSLATION':1") "}", 0, 0, CP_OK},
        {"{'mesh':0," COPIES("'TRANSLATION':1,'SCALE':5") "}", 0, 0, CP_INPUT}, /* 3 rows, and 2 */
        {"{'mesh':0," COPIES("'TRANSLATION':2") "}", 0, 0, CP_INPUT},           /* four components */
        {"{'mesh':0," COPIES("'ROTATION':1") "}", 0, 0, CP_INPUT},
        {"{'mesh':0," COPIES("'TRANSLATION':99") "}", 0, 0, CP_INPUT},
        {"{'mesh':0," COPIES("'TRANSLATION':6") "}", 0, 0, CP_LIMIT}, /* four billion without bytes */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bin bin = {.size = 0};
        char json[4096];
        uint32_t count = 0;
        put_attributes(&bin);
        (void)snprintf(json, sizeof json, "%s%s'nodes':[%s],'scene':0,'scenes':[{'nodes':[0]}]", VIEWS, MESHES,
                       cases[i].nodes);
        cp_context *context = cp_context_new(NULL);
        cp_scene *scene = read_with(context, json, &bin, NULL, cases[i].status);
        if (scene)
            cp_instances(scene, &count);
        assert_int_equal(count, cases[i].instances);
        assert_int_equal(count_lost(context, "gltf-copies"), cases[i].lost);
        cp_scene_free(scene);
        cp_context_free(context);
    }
}

/* The types that the extension lists are read in silence. A rotation of another type is read with a warning, since its
 * length does not matter; a length in metres is not guessed from integers. Copies that nobody placed are told. */
static void test_types(void **state)
{
    (void)state;
    static const struct {
        const char *attributes, *code; /* of the error or warning; NULL: none */
        uint32_t instances;
        cp_status status, strict;
    } cases[] = {
        {"'TRANSLATION':1,'ROTATION':2,'SCALE':3", NULL, 6, CP_OK, CP_OK},
        {"'ROTATION':9", NULL, 6, CP_OK, CP_OK},                  /* normalised bytes */
        {"'ROTATION':7", "gltf-copies-type", 6, CP_OK, CP_INPUT}, /* shorts that are not normalised */
        {"'ROTATION':8", "gltf-copies-type", 6, CP_OK, CP_INPUT}, /* unsigned */
        {"'TRANSLATION':10", "gltf-copies-type", 0, CP_INPUT, CP_INPUT},
        {"'TRANSLATION':11", "gltf-copies-type", 0, CP_INPUT, CP_INPUT},
        {"'SCALE':12", "gltf-copies-type", 0, CP_INPUT, CP_INPUT},
        {"'SCALE':10", "gltf-copies-type", 0, CP_INPUT, CP_INPUT},
        {"'TRANSLATION':13", "gltf-copies-none", 0, CP_OK, CP_INPUT},
        {"'TRANSLATION':13,'ROTATION':14,'SCALE':13", "gltf-copies-none", 0, CP_OK, CP_INPUT},
        {"'TRANSLATION':13,'SCALE':3", "gltf-count", 0, CP_INPUT, CP_INPUT},
        {"'TRANSLATION':1,'ROTATION':14", "gltf-count", 0, CP_INPUT, CP_INPUT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int strict = 0; strict < 2; strict++) {
            struct bin bin = {.size = 0};
            char json[4096];
            uint32_t count = 0, said = 0;
            put_attributes(&bin);
            (void)snprintf(json, sizeof json,
                           "%s%s'nodes':[{'mesh':0," COPIES("%s") "}],'scene':0,'scenes':[{'nodes':[0]}]", VIEWS,
                           MESHES, cases[i].attributes);
            cp_context *context = cp_context_new(NULL);
            cp_scene *scene = read_with(context, json, &bin, strict ? "strict=yes" : NULL,
                                        strict ? cases[i].strict : cases[i].status);
            if (scene)
                cp_instances(scene, &count);
            size_t entries;
            const cp_entry *report = cp_report(context, &entries);
            for (size_t k = 0; k < entries; k++)
                said += report[k].severity >= CP_WARNING;
            if (said != (cases[i].code ? 1U : 0U)) {
                show_report(context);
                fail_msg("%s, strict %d: %u messages", cases[i].attributes, strict, (unsigned)said);
            }
            if (cases[i].code)
                assert_non_null(find_last_entry(context, cases[i].code));
            if (scene)
                assert_int_equal(count, cases[i].instances);
            cp_scene_free(scene);
            cp_context_free(context);
        }
}

/* A small file does not fill the memory by naming the same places again and again. */
static void test_reuse(void **state)
{
    (void)state;
    enum { NODES = 4000, COUNT = 40000 };
    struct bin bin = {.size = 0};
    put_attributes(&bin);
    char *json = malloc(100 * NODES + 4000);
    assert_non_null(json);
    int size = sprintf(json,
                       "'bufferViews':[{'buffer':0,'byteLength':36}],'accessors':[{'bufferView':0,'componentType':5126,"
                       "'count':3,'type':'VEC3'},{'componentType':5126,'count':%d,'type':'VEC3'}]," MESHES
                       "'extensionsRequired':['EXT_mesh_gpu_instancing'],'nodes':[{}",
                       COUNT);
    for (int i = 0; i < NODES; i++)
        size += sprintf(json + size, ",{'mesh':0," COPIES("'TRANSLATION':1") "}");
    (void)sprintf(json + size, "]");
    cp_context *context = cp_context_new(NULL);
    assert_null(read_with(context, json, &bin, NULL, CP_LIMIT));
    assert_true(find_last_entry(context, "gltf-reuse") || find_last_entry(context, "gltf-vertices"));
    cp_context_free(context);
    free(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_reuse),
    };
    cmocka_set_test_filter(getenv("CMOCKA_TEST_FILTER")); /* see bootstrap */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
