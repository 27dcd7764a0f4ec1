/* Reading glTF of other tools: bytes to vertices and faces. All expectations are worked out by hand from the
 * specification. */
#include "gltf_support.h"

#include <math.h>
#include <meshoptimizer.h>

/* One mesh on one node, from the primitives' text. */
#define ONE_MESH(primitives)                                                                                           \
    "'scene':0,'scenes':[{'nodes':[0]}],'nodes':[{'mesh':0}],'meshes':[{'name':'part','primitives':[" primitives "]}]"
/* View 0 is the whole buffer. */
#define WHOLE "'bufferViews':[{'buffer':0,'byteLength':%zu}],"

static void assert_corners(const cp_mesh *mesh, const uint32_t *expected, uint32_t count)
{
    assert_int_equal(mesh->corner_count, count);
    assert_memory_equal(mesh->corners, expected, count * sizeof *expected);
}
#define ASSERT_CORNERS(mesh, ...)                                                                                      \
    do {                                                                                                               \
        const uint32_t corners_[] = {__VA_ARGS__};                                                                     \
        assert_corners(mesh, corners_, sizeof corners_ / sizeof *corners_);                                            \
    } while (0)

#define ASSERT_FLOATS(values, ...)                                                                                     \
    do {                                                                                                               \
        const float floats_[] = {__VA_ARGS__};                                                                         \
        assert_memory_equal(values, floats_, sizeof floats_);                                                          \
    } while (0)

/* ---- floats, bit for bit ---- */

static void test_floats_keep_their_bits(void **state)
{
    (void)state;
    struct bin bin = {.size = 0};
    const float denormal = 1e-40F;
    PUT(&bin, float, -0.0F, 0, denormal, 0.1F, 3e38F, -1, 1, 2, 3);
    PUT(&bin, uint8_t, 2, 1, 0);
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene =
        read_glb(context,
                 "'bufferViews':[{'buffer':0,'byteLength':36},{'buffer':0,'byteOffset':36,'byteLength':3}],"
                 "'accessors':[{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'},"
                 "{'bufferView':1,'componentType':5121,'count':3,'type':'SCALAR'}]," ONE_MESH(
                     "{'attributes':{'POSITION':0},'indices':1}"),
                 &bin);
    const cp_mesh *mesh = mesh_at(scene, 0);
    assert_string_equal(mesh->name, "part");
    assert_int_equal(mesh->vertex_count, 3);
    assert_memory_equal(mesh->positions, bin.bytes, 36);
    ASSERT_CORNERS(mesh, 2, 1, 0);
    assert_null(mesh->normals);
    assert_null(mesh->colours);
    assert_int_equal(mesh->group_count, 0);
    size_t entries;
    (void)cp_report(context, &entries);
    assert_int_equal(entries, 0);
    cp_scene_free(scene);
    cp_context_free(context);
}

/* ---- component types ---- */

/* Three equal vertices of the given type; their first vertex as floats. */
static void check_type(const struct bin *bin, unsigned type, bool normalized, size_t stride, const float expected[3])
{
    char json[600];
    snprintf(json, sizeof json,
             "'extensionsUsed':['KHR_mesh_quantization'],'extensionsRequired':['KHR_mesh_quantization'],"
             "'bufferViews':[{'buffer':0,'byteLength':%zu,'byteStride':%zu}],'accessors':[{'bufferView':0,"
             "'componentType':%u,'normalized':%s,'count':3,'type':'VEC3'}]," ONE_MESH("{'attributes':{'POSITION':0}}"),
             bin->size, stride, type, normalized ? "true" : "false");
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_glb(context, json, bin);
    for (int i = 0; i < 3; i++)
        assert_memory_equal(mesh_at(scene, 0)->positions + 3 * i, expected, 3 * sizeof(float));
    ASSERT_CORNERS(mesh_at(scene, 0), 0, 1, 2);
    cp_scene_free(scene);
    cp_context_free(context);
}

static void test_component_types(void **state)
{
    (void)state;
    struct bin bin = {.size = 0};
    for (int i = 0; i < 3; i++)
        PUT(&bin, uint8_t, 255, 0, 51, 99);
    check_type(&bin, 5121, true, 4, (float[]){1, 0, 0.2F});
    check_type(&bin, 5121, false, 4, (float[]){255, 0, 51});
    check_type(&bin, 5120, true, 4, (float[]){-1.0F / 127, 0, 51.0F / 127});
    check_type(&bin, 5120, false, 4, (float[]){-1, 0, 51});
    bin.size = 0;
    for (int i = 0; i < 3; i++)
        PUT(&bin, int16_t, -32768, 32767, 13107, 99);
    check_type(&bin, 5122, true, 8, (float[]){-1, 1, (float)(13107.0 / 32767)});
    check_type(&bin, 5122, false, 8, (float[]){-32768, 32767, 13107});
    check_type(&bin, 5123, true, 8, (float[]){(float)(32768.0 / 65535), (float)(32767.0 / 65535), 0.2F});
    check_type(&bin, 5123, false, 8, (float[]){32768, 32767, 13107});
}

/* ---- strides, offsets, sparse ---- */

static void test_interleaved(void **state)
{
    (void)state;
    struct bin bin = {.size = 0};
    PUT(&bin, uint8_t, 7, 7, 7, 7);
    for (int i = 0; i < 3; i++) {
        PUT(&bin, float, (float)i, 0.5F, -1);
        PUT(&bin, float, 0, 0, 1);
        PUT(&bin, uint8_t, 255, 0, 51, 255);
    }
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_glb(context,
                               "'bufferViews':[{'buffer':0,'byteOffset':4,'byteLength':84,'byteStride':28}],"
                               "'accessors':[{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'},"
                               "{'bufferView':0,'byteOffset':12,'componentType':5126,'count':3,'type':'VEC3'},"
                               "{'bufferView':0,'byteOffset':24,'componentType':5121,'normalized':true,'count':3,"
                               "'type':'VEC4'}]," ONE_MESH("{'attributes':{'POSITION':0,'NORMAL':1,'COLOR_0':2}}"),
                               &bin);
    const cp_mesh *mesh = mesh_at(scene, 0);
    ASSERT_FLOATS(mesh->positions, 0, 0.5F, -1, 1, 0.5F, -1, 2, 0.5F, -1);
    ASSERT_FLOATS(mesh->normals, 0, 0, 1, 0, 0, 1, 0, 0, 1);
    ASSERT_FLOATS(mesh->colours, 1, 0, 0.2F, 1, 1, 0, 0.2F, 1, 1, 0, 0.2F, 1);
    cp_scene_free(scene);
    cp_context_free(context);
}

static void test_sparse(void **state)
{
    (void)state;
    struct bin bin = {.size = 0};
    PUT(&bin, float, 1, 2, 3, 4, 5, 6, 7, 8, 9); /* 0: dense */
    PUT(&bin, float, -1, -2, -3);                /* 36: values */
    PUT(&bin, uint8_t, 1);                       /* 48: indices */
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene =
        read_glb(context,
                 "'bufferViews':[{'buffer':0,'byteLength':36},{'buffer':0,'byteOffset':36,'byteLength':12},"
                 "{'buffer':0,'byteOffset':48,'byteLength':1}],"
                 "'accessors':[{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3','sparse':{'count':1,"
                 "'indices':{'bufferView':2,'componentType':5121},'values':{'bufferView':1}}},"
                 "{'componentType':5126,'count':3,'type':'VEC3','sparse':{'count':1,"
                 "'indices':{'bufferView':2,'componentType':5121},'values':{'bufferView':1}}},"
                 "{'componentType':5126,'count':0,'type':'VEC3'}],"
                 "'nodes':[{'mesh':0},{'mesh':1},{'mesh':2}],'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]},"
                 "{'primitives':[{'attributes':{'POSITION':1}}]},{'primitives':[{'attributes':{'POSITION':2}}]}]",
                 &bin);
    ASSERT_FLOATS(mesh_at(scene, 0)->positions, 1, 2, 3, -1, -2, -3, 7, 8, 9);
    ASSERT_FLOATS(mesh_at(scene, 1)->positions, 0, 0, 0, -1, -2, -3, 0, 0, 0);
    assert_int_equal(mesh_at(scene, 2)->vertex_count, 0);
    assert_int_equal(mesh_at(scene, 2)->face_count, 0);
    cp_scene_free(scene);
    cp_context_free(context);
}

/* ---- modes ---- */

#define FIVE_POINTS                                                                                                    \
    "'bufferViews':[{'buffer':0,'byteLength':60},{'buffer':0,'byteOffset':60,'byteLength':12}],"                       \
    "'accessors':[{'bufferView':0,'componentType':5126,'count':5,'type':'VEC3'},"                                      \
    "{'bufferView':1,'componentType':5123,'count':6,'type':'SCALAR'}],"

static void put_five_points(struct bin *bin)
{
    PUT(bin, float, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 2, 0);
    PUT(bin, uint16_t, 4, 3, 2, 2, 1, 0);
}

static cp_scene *read_mode(cp_context *context, const char *primitive)
{
    struct bin bin = {.size = 0};
    put_five_points(&bin);
    char json[900];
    snprintf(json, sizeof json, FIVE_POINTS ONE_MESH("%s"), primitive);
    return read_glb(context, json, &bin);
}

static void test_lines(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_mode(context, "{'mode':1,'attributes':{'POSITION':0},'indices':1}");
    const cp_mesh *mesh = mesh_at(scene, 0);
    assert_int_equal(mesh->kind, CP_MESH_LINES);
    assert_int_equal(mesh->face_count, 3);
    ASSERT_CORNERS(mesh, 4, 3, 2, 2, 1, 0);
    assert_int_equal(mesh->face_offsets[1], 2);
    cp_scene_free(scene);
    scene = read_mode(context, "{'mode':2,'attributes':{'POSITION':0}}");
    assert_int_equal(mesh_at(scene, 0)->face_count, 1);
    ASSERT_CORNERS(mesh_at(scene, 0), 0, 1, 2, 3, 4, 0);
    cp_scene_free(scene);
    scene = read_mode(context, "{'mode':3,'attributes':{'POSITION':0}}");
    assert_int_equal(mesh_at(scene, 0)->face_count, 1);
    ASSERT_CORNERS(mesh_at(scene, 0), 0, 1, 2, 3, 4);
    cp_scene_free(scene);
    assert_null(find_entry(context, "gltf-remainder"));
    /* five points are two segments and one point too many */
    scene = read_mode(context, "{'mode':1,'attributes':{'POSITION':0}}");
    ASSERT_CORNERS(mesh_at(scene, 0), 0, 1, 2, 3);
    assert_non_null(find_entry(context, "gltf-remainder"));
    cp_scene_free(scene);
    cp_context_free(context);
}

static void test_triangles(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_mode(context, "{'mode':4,'attributes':{'POSITION':0},'indices':1}");
    /* the degenerate second one too: nothing is cleaned here */
    ASSERT_CORNERS(mesh_at(scene, 0), 4, 3, 2, 2, 1, 0);
    assert_null(mesh_at(scene, 0)->face_offsets);
    cp_scene_free(scene);
    /* {vi, vi+(1+i%2), vi+(2-i%2)}: every second one is turned back */
    scene = read_mode(context, "{'mode':5,'attributes':{'POSITION':0}}");
    ASSERT_CORNERS(mesh_at(scene, 0), 0, 1, 2, 1, 3, 2, 2, 3, 4);
    cp_scene_free(scene);
    /* 4 3 2 2 1 0: two stitches vanish; the last triangle keeps the sense of an odd one */
    scene = read_mode(context, "{'mode':5,'attributes':{'POSITION':0},'indices':1}");
    ASSERT_CORNERS(mesh_at(scene, 0), 4, 3, 2, 2, 0, 1);
    cp_scene_free(scene);
    /* {vi+1, vi+2, v0} */
    scene = read_mode(context, "{'mode':6,'attributes':{'POSITION':0}}");
    ASSERT_CORNERS(mesh_at(scene, 0), 1, 2, 0, 2, 3, 0, 3, 4, 0);
    cp_scene_free(scene);
    cp_context_free(context);
}

static void test_polygons(void **state)
{
    (void)state;
    struct bin bin = {.size = 0};
    PUT(&bin, float, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 2, 0);
    PUT(&bin, uint8_t, 0, 1, 2, 0, 2, 3, 3, 2, 4, 3, 4, 1);
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_glb(context,
                               "'extensionsUsed':['FB_ngon_encoding'],'bufferViews':[{'buffer':0,'byteLength':60},"
                               "{'buffer':0,'byteOffset':60,'byteLength':12}],"
                               "'accessors':[{'bufferView':0,'componentType':5126,'count':5,'type':'VEC3'},"
                               "{'bufferView':1,'componentType':5121,'count':12,'type':'SCALAR'}]," ONE_MESH(
                                   "{'attributes':{'POSITION':0},'indices':1,'extensions':{'FB_ngon_encoding':{}}},"
                                   "{'attributes':{'POSITION':0},'mode':6}"),
                               &bin);
    const cp_mesh *mesh = mesh_at(scene, 0);
    assert_int_equal(mesh->face_count, 5);
    assert_memory_equal(mesh->face_offsets, ((uint32_t[]){0, 4, 8, 11, 14, 17}), 24);
    ASSERT_CORNERS(mesh, 0, 1, 2, 3, 3, 2, 4, 1, 1, 2, 0, 2, 3, 0, 3, 4, 0);
    assert_int_equal(mesh->group_count, 2);
    assert_int_equal(mesh->groups[1].first_face, 2);
    cp_scene_free(scene);
    cp_context_free(context);
}

static void test_points_are_counted(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_mode(context, "{'mode':0,'attributes':{'POSITION':0}},{'mode':0,'attributes':{'POSITION':0},"
                                         "'indices':1},{'attributes':{'NORMAL':0}}");
    uint32_t count;
    (void)cp_meshes(scene, &count);
    assert_int_equal(count, 0);
    (void)cp_instances(scene, &count);
    assert_int_equal(count, 0);
    assert_int_equal(count_of(context, "gltf-points"), 11);
    assert_int_equal(count_of(context, "gltf-positions"), 1);
    cp_scene_free(scene);
    cp_context_free(context);
}

/* ---- several primitives ---- */

static void test_primitives_become_groups(void **state)
{
    (void)state;
    struct bin bin = {.size = 0};
    put_five_points(&bin);
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_glb(
        context,
        FIVE_POINTS
        "'materials':[{'name':'red','pbrMetallicRoughness':{'baseColorFactor':[1,0,0,0.5]}},"
        "{'doubleSided':true,'alphaMode':'BLEND','pbrMetallicRoughness':{'baseColorFactor':[0,0.25,1,0.5]}}]," ONE_MESH(
            "{'attributes':{'POSITION':0},'indices':1,'material':1},{'mode':6,'attributes':{'POSITION':0},"
            "'material':0},{'mode':3,'attributes':{'POSITION':0}}"),
        &bin);
    const cp_mesh *faces = mesh_at(scene, 0), *lines = mesh_at(scene, 1);
    assert_int_equal(faces->vertex_count, 5); /* shared, not twice */
    ASSERT_CORNERS(faces, 4, 3, 2, 2, 1, 0, 1, 2, 0, 2, 3, 0, 3, 4, 0);
    assert_int_equal(faces->group_count, 2);
    assert_memory_equal(&faces->groups[0], (&(cp_group){0, 2, 1}), sizeof(cp_group));
    assert_memory_equal(&faces->groups[1], (&(cp_group){2, 3, 0}), sizeof(cp_group));
    assert_int_equal(lines->kind, CP_MESH_LINES);
    assert_int_equal(lines->group_count, 0);
    assert_ptr_equal(lines->positions, faces->positions); /* the same accessor is decoded once */
    uint32_t count;
    const cp_material *materials = cp_materials(scene, &count);
    assert_int_equal(count, 2);
    assert_string_equal(materials[0].name, "red");
    assert_doubles(materials[0].rgba, (double[]){1, 0, 0, 1}, 4, 0); /* opaque: alpha says nothing */
    assert_doubles(materials[1].rgba, (double[]){0, 0.25, 1, 0.5}, 4, 0);
    assert_false(materials[0].two_sided || materials[0].srgb || materials[1].srgb);
    assert_true(materials[1].two_sided);
    (void)cp_instances(scene, &count);
    assert_int_equal(count, 2);
    cp_scene_free(scene);
    cp_context_free(context);
}

static void test_vertices_follow_one_another(void **state)
{
    (void)state;
    struct bin bin = {.size = 0};
    PUT(&bin, float, 0, 0, 0, 1, 0, 0, 0, 1, 0, 5, 5, 5, 6, 5, 5, 5, 6, 5); /* 0, 36: positions */
    PUT(&bin, float, 0, 0, 1, 0, 0, 1, 0, 0, 1);                            /* 72: normals */
    PUT(&bin, uint8_t, 255, 0, 0, 0, 0, 255, 0, 0, 0, 0, 255, 0);           /* 108: colours */
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_glb(
        context,
        "'bufferViews':[{'buffer':0,'byteLength':108},{'buffer':0,'byteOffset':108,'byteLength':12,'byteStride':4}],"
        "'accessors':[{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'},"
        "{'bufferView':0,'byteOffset':36,'componentType':5126,'count':3,'type':'VEC3'},"
        "{'bufferView':0,'byteOffset':72,'componentType':5126,'count':3,'type':'VEC3'},"
        "{'bufferView':1,'componentType':5121,'normalized':true,'count':3,'type':'VEC3'}]," ONE_MESH(
            "{'attributes':{'POSITION':0}},{'attributes':{'POSITION':1,'COLOR_0':3}},"
            "{'attributes':{'POSITION':0,'NORMAL':2}}"),
        &bin);
    const cp_mesh *flat = mesh_at(scene, 0), *smooth = mesh_at(scene, 1);
    assert_int_equal(flat->vertex_count, 6);
    assert_memory_equal(flat->positions, bin.bytes, 72);
    ASSERT_CORNERS(flat, 0, 1, 2, 3, 4, 5);
    ASSERT_FLOATS(flat->colours, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1);
    assert_int_equal(flat->group_count, 2);
    assert_null(flat->normals);
    assert_int_equal(smooth->vertex_count, 3); /* with normals: a mesh of its own */
    ASSERT_FLOATS(smooth->normals, 0, 0, 1, 0, 0, 1, 0, 0, 1);
    cp_scene_free(scene);
    cp_context_free(context);
}

/* The vertex without normal gets that of its face, one that is too long its own; the others, nearly unit, their bits.
 */
static void test_poor_normals_are_mended(void **state)
{
    (void)state;
    struct bin bin = {.size = 0};
    PUT(&bin, float, 0, 0, 0, 2, 0, 0, 0, 0, 3, 2, 0, 3);      /* 0: positions, a square across -y */
    PUT(&bin, float, 0.999F, 0, 0, 0, 0, 0, 0, 4, 3, 0, 0, 0); /* 48: normals */
    PUT(&bin, uint8_t, 0, 1, 2);                               /* 96: a triangle that leaves out the last vertex */
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene =
        read_glb(context,
                 "'bufferViews':[{'buffer':0,'byteLength':96},{'buffer':0,'byteOffset':96,'byteLength':3}],"
                 "'accessors':[{'bufferView':0,'componentType':5126,'count':4,'type':'VEC3'},"
                 "{'bufferView':0,'byteOffset':48,'componentType':5126,'count':4,'type':'VEC3'},"
                 "{'bufferView':1,'componentType':5121,'count':3,'type':'SCALAR'}]," ONE_MESH(
                     "{'attributes':{'POSITION':0,'NORMAL':1},'indices':2}"),
                 &bin);
    ASSERT_FLOATS(mesh_at(scene, 0)->normals, 0.999F, 0, 0, 0, -1, 0, 0, 0.8F, 0.6F, 0, 0, 1);
    const cp_entry *zero = find_entry(context, "gltf-normal-zero"), *length = find_entry(context, "gltf-normal-length");
    assert_true(zero && strncmp(zero->text, "2 normals", 9) == 0);
    assert_true(length && strncmp(length->text, "1 normals", 9) == 0);
    cp_scene_free(scene);
    cp_context_free(context);
}

/* A primitive that Draco compressed is read from the accessors beside it. */
static void test_draco_falls_back(void **state)
{
    (void)state;
    struct bin bin = {.size = 0};
    PUT(&bin, float, 0, 0, 0, 2, 0, 0, 0, 0, 3);
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene =
        read_glb(context,
                 "'extensionsUsed':['KHR_draco_mesh_compression'],'bufferViews':[{'buffer':0,'byteLength':36}],"
                 "'accessors':[{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'}]," ONE_MESH(
                     "{'attributes':{'POSITION':0},'extensions':{'KHR_draco_mesh_compression':{'bufferView':0,"
                     "'attributes':{'POSITION':0}}}}"),
                 &bin);
    assert_memory_equal(mesh_at(scene, 0)->positions, bin.bytes, 36);
    size_t entries;
    (void)cp_report(context, &entries);
    assert_int_equal(entries, 0);
    cp_scene_free(scene);
    cp_context_free(context);
}

static void test_quantised_normals_are_unit(void **state)
{
    (void)state;
    struct bin bin = {.size = 0};
    for (int i = 0; i < 3; i++) {
        PUT(&bin, float, (float)i, (float)(i * i), 0);
        PUT(&bin, int8_t, 76, 0, 101, 0);
    }
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_glb(context,
                               "'bufferViews':[{'buffer':0,'byteLength':48,'byteStride':16}],"
                               "'accessors':[{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'},"
                               "{'bufferView':0,'byteOffset':12,'componentType':5120,'normalized':true,'count':3,"
                               "'type':'VEC3'}]," ONE_MESH("{'attributes':{'POSITION':0,'NORMAL':1}}"),
                               &bin);
    const float *normal = mesh_at(scene, 0)->normals;
    double length = sqrt(76.0 * 76 + 101.0 * 101);
    assert_true(fabs((double)normal[0] - 76 / length) < 1e-7 && normal[1] == 0 &&
                fabs((double)normal[2] - 101 / length) < 1e-7);
    cp_scene_free(scene);
    cp_context_free(context);
}

/* ---- meshopt ---- */

static const char *extension; /* the one of the two that is written */

/* Appends what the encoder made of the data; returns its JSON object of the extension. */
static char *add_stream(struct bin *bin, size_t count, size_t stride, const char *mode, const char *filter,
                        const unsigned char *encoded, size_t size)
{
    char *text = malloc(400), stride_text[40] = "";
    if (strcmp(mode, "ATTRIBUTES") == 0)
        snprintf(stride_text, sizeof stride_text, "'byteStride':%zu,", stride);
    assert_non_null(text);
    assert_true(size > 0);
    snprintf(text, 400,
             "{'buffer':1,'byteLength':%zu,%s'extensions':{'%s_meshopt_compression':{'buffer':0,'byteOffset':%zu,"
             "'byteLength':%zu,'byteStride':%zu,'count':%zu,'mode':'%s','filter':'%s'}}}",
             count * stride, stride_text, extension, bin->size, size, stride, count, mode, filter);
    put(bin, encoded, size);
    while (bin->size % 4)
        PUT(bin, uint8_t, 0);
    return text;
}

static char *add_vertices(struct bin *bin, const void *data, size_t count, size_t stride, const char *filter)
{
    unsigned char encoded[4096];
    size_t size = meshopt_encodeVertexBuffer(encoded, sizeof encoded, data, count, stride);
    return add_stream(bin, count, stride, "ATTRIBUTES", filter, encoded, size);
}

enum { POINTS = 40 };

static void check_meshopt(void)
{
    struct bin bin = {.size = 0};
    float positions[POINTS][3], exact[POINTS][3], normals[POINTS][4];
    uint32_t triangles[30], sequence[31];
    signed char octahedral[POINTS][4];
    unsigned char exponential[POINTS][12], encoded[4096];
    for (int i = 0; i < POINTS; i++)
        for (int k = 0; k < 3; k++) {
            positions[i][k] = (float)(i * (k + 1)) / 8;
            normals[i][k] = k == i % 3 ? -1.0F : 0.0F;
        }
    for (int i = 0; i < POINTS; i++)
        normals[i][3] = 1;
    for (uint32_t i = 0; i < 30; i++)
        triangles[i] = i / 3 + i % 3;
    for (uint32_t i = 0; i < 31; i++)
        sequence[i] = (7 * i) % POINTS;
    meshopt_encodeFilterOct(octahedral, POINTS, 4, 8, normals[0]);
    meshopt_encodeFilterExp(exponential, POINTS, 12, 24, positions[0]);
    for (int i = 0; i < POINTS; i++)
        memcpy(exact[i], positions[i], sizeof exact[i]);
    char *views[5];
    views[0] = add_vertices(&bin, positions, POINTS, 12, "NONE");
    views[1] = add_vertices(&bin, octahedral, POINTS, 4, "OCTAHEDRAL");
    views[2] = add_vertices(&bin, exponential, POINTS, 12, "EXPONENTIAL");
    meshopt_encodeIndexVersion(1);
    views[3] = add_stream(&bin, 30, 2, "TRIANGLES", "NONE", encoded,
                          meshopt_encodeIndexBuffer(encoded, sizeof encoded, triangles, 30));
    views[4] = add_stream(&bin, 31, 4, "INDICES", "NONE", encoded,
                          meshopt_encodeIndexSequence(encoded, sizeof encoded, sequence, 31));
    char json[4000];
    snprintf(json, sizeof json,
             "'extensionsUsed':['%s_meshopt_compression'],'extensionsRequired':['%s_meshopt_compression'],"
             "'bufferViews':[%s,%s,%s,%s,%s],'accessors':["
             "{'bufferView':0,'componentType':5126,'count':40,'type':'VEC3'},"
             "{'bufferView':1,'componentType':5120,'normalized':true,'count':40,'type':'VEC3'},"
             "{'bufferView':2,'componentType':5126,'count':40,'type':'VEC3'},"
             "{'bufferView':3,'componentType':5123,'count':30,'type':'SCALAR'},"
             "{'bufferView':4,'componentType':5125,'count':31,'type':'SCALAR'}],"
             "'nodes':[{'mesh':0}],'meshes':[{'primitives':[{'attributes':{'POSITION':0,'NORMAL':1},'indices':3},"
             "{'mode':3,'attributes':{'POSITION':2},'indices':4}]}]",
             extension, extension, views[0], views[1], views[2], views[3], views[4]);
    /* buffer 1, the fallback, is not even there: it must not be looked at */
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_glb(context, json, &bin);
    const cp_mesh *faces = mesh_at(scene, 0), *lines = mesh_at(scene, 1);
    /* the decoder may turn triangles, not reverse them */
    assert_int_equal(faces->corner_count, 30);
    for (uint32_t i = 0; i < 30; i += 3) {
        uint32_t turn = 0;
        while (turn < 3 && faces->corners[i + turn] != triangles[i])
            turn++;
        for (uint32_t k = 0; k < 3; k++)
            assert_int_equal(faces->corners[i + (turn + k) % 3], triangles[i + k]);
    }
    assert_memory_equal(lines->corners, sequence, sizeof sequence);
    assert_memory_equal(faces->positions, positions, sizeof positions);
    for (int i = 0; i < POINTS; i++)
        for (int k = 0; k < 3; k++)
            assert_true(fabsf(lines->positions[3 * i + k] - exact[i][k]) < 1e-5F &&
                        fabsf(faces->normals[3 * i + k] - normals[i][k]) < 0.02F);
    for (int i = 0; i < 5; i++)
        free(views[i]);
    cp_scene_free(scene);
    cp_context_free(context);
}

static void test_meshopt(void **state)
{
    (void)state;
    extension = "KHR";
    check_meshopt();
    extension = "EXT";
    check_meshopt();
}

/* Streams of a version that the library does not know say so. */
static void test_meshopt_version(void **state)
{
    (void)state;
    struct bin bin = {.size = 0};
    const float positions[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    extension = "KHR";
    char *view = add_vertices(&bin, positions, 3, 12, "NONE"), json[1000];
    assert_int_equal(bin.bytes[0], 0xa0);
    bin.bytes[0] = 0xaf;
    snprintf(json, sizeof json,
             "'bufferViews':[%s],'accessors':[{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'}],"
             "'nodes':[{'mesh':0}],'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}]",
             view);
    cp_context *context = cp_context_new(NULL);
    assert_null(read_with(context, json, &bin, NULL, CP_INPUT));
    assert_non_null(strstr(find_entry(context, "gltf-meshopt")->message, "newer version"));
    free(view);
    cp_context_free(context);
}

/* Quaternions are compressed in animations; see that the filter is applied and normalised. */
static void test_meshopt_quaternions(void **state)
{
    (void)state;
    extension = "EXT";
    struct bin bin = {.size = 0};
    const float turns[4][4] = {{0, 0, 0, 1}, {0.6F, 0, 0, 0.8F}, {0, 0.8F, 0, 0.6F}, {0, 0, 0.70710678F, 0.70710678F}};
    const float times[4] = {0, 1, 2, 3};
    short packed[4][4];
    meshopt_encodeFilterQuat(packed, 4, 8, 16, turns[0]);
    char *view = add_vertices(&bin, packed, 4, 8, "QUATERNION");
    size_t times_at = bin.size;
    put(&bin, times, sizeof times);
    char json[1500];
    snprintf(json, sizeof json,
             "'bufferViews':[%s,{'buffer':0,'byteOffset':%zu,'byteLength':16}],'accessors':["
             "{'bufferView':0,'componentType':5122,'normalized':true,'count':4,'type':'VEC4'},"
             "{'bufferView':1,'componentType':5126,'count':4,'type':'SCALAR'}],'nodes':[{'children':[1]},{}],"
             "'animations':[{'channels':[{'sampler':0,'target':{'node':1,'path':'rotation'}}],"
             "'samplers':[{'input':1,'output':0}]}]",
             view, times_at);
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_glb(context, json, &bin);
    uint32_t count;
    const cp_clip *clips = cp_clips(scene, &count);
    assert_int_equal(count, 1);
    const cp_track *track = &clips[0].tracks[0];
    assert_int_equal(track->path, CP_PATH_ROTATION);
    assert_int_equal(track->key_count, 4);
    for (int i = 0; i < 4; i++) {
        double dot = 0;
        for (int k = 0; k < 4; k++)
            dot += track->values[4 * i + k] * (double)turns[i][k];
        assert_true(fabs(dot) > 1 - 1e-4); /* 15 bits a component */
    }
    free(view);
    cp_scene_free(scene);
    cp_context_free(context);
}

/* ---- limits ---- */

static void test_vertex_limit(void **state)
{
    (void)state;
    struct bin bin = {.size = 0};
    put_five_points(&bin);
    char json[8000] = FIVE_POINTS "'nodes':[{'mesh':0}],'meshes':[{'primitives':[";
    for (int i = 0; i < 100; i++)
        strcat(json, i ? ",{'attributes':{'POSITION':0},'mode':5}" : "{'attributes':{'POSITION':0},'mode':5}");
    strcat(json, "]}]");
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_glb(context, json, &bin);
    assert_int_equal(mesh_at(scene, 0)->vertex_count, 5);
    assert_int_equal(mesh_at(scene, 0)->face_count, 300);
    cp_scene_free(scene);
    assert_int_equal(cp_set_limit(context, "vertices=40"), CP_OK);
    (void)read_with(context, json, &bin, NULL, CP_LIMIT);
    assert_non_null(find_entry(context, "gltf-vertices"));
    cp_context_free(context);
}

static void test_zeros_without_bytes(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    (void)read_with(context,
                    "'accessors':[{'componentType':5126,'count':4000000000,'type':'VEC3'}]," ONE_MESH(
                        "{'attributes':{'POSITION':0}}"),
                    NULL, NULL, CP_LIMIT);
    assert_non_null(find_entry(context, "gltf-count"));
    cp_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_floats_keep_their_bits),
        cmocka_unit_test(test_component_types),
        cmocka_unit_test(test_interleaved),
        cmocka_unit_test(test_sparse),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_triangles),
        cmocka_unit_test(test_polygons),
        cmocka_unit_test(test_points_are_counted),
        cmocka_unit_test(test_primitives_become_groups),
        cmocka_unit_test(test_vertices_follow_one_another),
        cmocka_unit_test(test_quantised_normals_are_unit),
        cmocka_unit_test(test_poor_normals_are_mended),
        cmocka_unit_test(test_draco_falls_back),
        cmocka_unit_test(test_meshopt),
        cmocka_unit_test(test_meshopt_version),
        cmocka_unit_test(test_meshopt_quaternions),
        cmocka_unit_test(test_vertex_limit),
        cmocka_unit_test(test_zeros_without_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
