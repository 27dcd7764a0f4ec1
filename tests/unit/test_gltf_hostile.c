/* glTF files that name few bytes very often: memory stays in proportion to the file, whatever the document counts. */
#include "gltf_support.h"

/* ---- an allocator that counts ---- */

struct meter {
    size_t now, peak;
};

static void *metered(void *user, void *block, size_t old_size, size_t new_size)
{
    struct meter *meter = user;
    meter->now += new_size - old_size;
    meter->peak = meter->now > meter->peak ? meter->now : meter->peak;
    if (new_size > 0)
        return realloc(block, new_size);
    free(block);
    return NULL;
}

/* ---- documents ---- */

struct text {
    char *data;
    size_t size, room;
};

static void add(struct text *text, const char *piece)
{
    size_t size = strlen(piece);
    if (text->size + size + 1 > text->room) { /* the address sanitizer's realloc copies each time */
        text->room = (text->size + size) * 2 + 4096;
        text->data = realloc(text->data, text->room);
        assert_non_null(text->data);
    }
    memcpy(text->data + text->size, piece, size + 1);
    text->size += size;
}

/* "key":[piece, piece, ...] with each %d the number of the piece. */
static void add_list(struct text *text, const char *key, const char *piece, int count)
{
    char one[400];
    add(text, "'");
    add(text, key);
    add(text, "':[");
    for (int i = 0; i < count; i++) {
        snprintf(one, sizeof one, "%s", i > 0 ? "," : "");
        add(text, one);
        const char *mark = strstr(piece, "%d");
        snprintf(one, sizeof one, "%.*s", mark ? (int)(mark - piece) : (int)strlen(piece), piece);
        add(text, one);
        snprintf(one, sizeof one, "%d%s", i, mark ? mark + 2 : "");
        add(text, mark ? one : "");
    }
    add(text, "],");
}

enum { MEGABYTE = 1 << 20, FREE_FOR_ALL = 48 * MEGABYTE, TIMES_THE_FILE = 300 };

/* Reads and measures. expected: the code of the error, or NULL when it is fine. */
static void read_measured(struct text *text, const struct bin *bin, const char *expected)
{
    struct meter meter = {0, 0};
    const cp_allocator allocator = {metered, &meter};
    cp_context *context = cp_context_new(&allocator);
    size_t size;
    cp_scene *scene = NULL;
    add(text, "'extras':0");
    unsigned char *glb = make_glb(text->data, bin, &size);
    cp_status status = cp_read_memory(context, glb, size, "many.glb", NULL, NULL, 0, &scene);
    if ((status == CP_OK) != !expected)
        show_report(context);
    assert_true((status == CP_OK) == !expected);
    if (expected)
        assert_non_null(find_entry(context, expected));
    assert_true(meter.peak < FREE_FOR_ALL + TIMES_THE_FILE * size);
    cp_scene_free(scene);
    cp_context_free(context);
    assert_int_equal(meter.now, 0);
    free(glb);
    free(text->data);
}

/* A triangle's vertices, and 30000 indices of a byte each. */
static const struct bin *few_bytes(void)
{
    static struct bin bin;
    bin.size = 0;
    PUT(&bin, float, 0, 0, 0, 1, 0, 0, 0, 1, 0);
    for (int i = 0; i < 30000; i++)
        PUT(&bin, unsigned char, (unsigned char)(i % 3));
    return &bin;
}

static void add_views(struct text *text)
{
    add(text, "'bufferViews':[{'buffer':0,'byteLength':36},{'buffer':0,'byteOffset':36,'byteLength':30000}],");
}

#define POSITIONS "{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'}"
#define INDICES "{'bufferView':1,'componentType':5121,'count':30000,'type':'SCALAR'}"
#define PRIMITIVE "{'attributes':{'POSITION':0},'indices':1}"

/* A million corners are free; 3000 times as many are no more when they are the same. */
static void test_meshes_share_shapes(void **state)
{
    (void)state;
    struct text text = {0};
    add_views(&text);
    add(&text, "'accessors':[" POSITIONS "," INDICES "],");
    add_list(&text, "materials", "{}", 3000);
    add_list(&text, "meshes", "{'primitives':[{'attributes':{'POSITION':0},'indices':1,'material':%d}]}", 3000);
    add_list(&text, "nodes", "{'mesh':%d}", 3000);
    read_measured(&text, few_bytes(), NULL);
}

static void test_primitives_repeat_indices(void **state)
{
    (void)state;
    struct text text = {0};
    add_views(&text);
    add(&text, "'accessors':[" POSITIONS "," INDICES "],'meshes':[{");
    add_list(&text, "primitives", PRIMITIVE, 3000);
    add(&text, "'name':'m'}],");
    read_measured(&text, few_bytes(), "gltf-reuse");
}

static void test_accessors_overlap(void **state)
{
    (void)state;
    struct text text = {0};
    add_views(&text);
    add_list(&text, "accessors", "{'bufferView':1,'componentType':5126,'count':2500,'type':'VEC3','name':'%d'}", 3000);
    add_list(&text, "meshes", "{'primitives':[{'attributes':{'POSITION':%d}}]}", 3000);
    read_measured(&text, few_bytes(), "gltf-reuse");
}

static void test_accessors_of_nothing(void **state)
{
    (void)state;
    struct text text = {0};
    add_list(&text, "accessors", "{'componentType':5126,'count':30000,'type':'VEC3','name':'%d'}", 3000);
    add_list(&text, "meshes", "{'primitives':[{'attributes':{'POSITION':%d}}]}", 3000);
    read_measured(&text, few_bytes(), "gltf-reuse");
}

static void test_channels_of_a_sampler(void **state)
{
    (void)state;
    static struct bin bin;
    struct text text = {0};
    bin.size = 0;
    for (int i = 0; i < 3000; i++)
        PUT(&bin, float, (float)i);
    for (int i = 0; i < 3000; i++)
        PUT(&bin, float, 0, 0, 0, 1);
    add(&text, "'bufferViews':[{'buffer':0,'byteLength':60000}],'nodes':[{'name':'n'}],");
    add(&text, "'accessors':[{'bufferView':0,'componentType':5126,'count':3000,'type':'SCALAR'},");
    add(&text, "{'bufferView':0,'byteOffset':12000,'componentType':5126,'count':3000,'type':'VEC4'}],");
    add(&text, "'animations':[{'samplers':[{'input':0,'output':1}],");
    add_list(&text, "channels", "{'sampler':0,'target':{'node':0,'path':'rotation'}}", 3000);
    add(&text, "'name':'a'}],");
    read_measured(&text, &bin, "gltf-reuse");
}

static void test_nodes_of_an_articulation(void **state)
{
    (void)state;
    struct text text = {0};
    add(&text, "'extensions':{'AGI_articulations':{'articulations':[{");
    add_list(&text, "stages", "{'name':'%d','type':'xRotate'}", 64);
    add(&text, "'name':'a'}]}},");
    add_list(&text, "nodes", "{'extensions':{'AGI_articulations':{'articulationName':'a'}}}", 20000);
    read_measured(&text, few_bytes(), "gltf-reuse");
}

static void test_views_of_our_meshes(void **state)
{
    (void)state;
    struct text text = {0};
    add(&text, "'bufferViews':[{'buffer':0,'byteLength':30036,'name':'v'}],'scenes':[{'extras':{'cellpipe':{");
    add_list(&text, "meshes", "{'id':'%d','vertices':2503,'positions':'v','faces':{'sizes':'v','corners':'v'}}", 3000);
    add(&text, "'devices':[]}}}],");
    read_measured(&text, few_bytes(), "gltf-reuse");
}

/* The same packed bytes - nothing but zeros - unpacked by each of many views. */
static void test_packed_views_overlap(void **state)
{
    (void)state;
    static struct bin bin;
    struct text text = {0};
    bin.size = 0;
    PUT(&bin, unsigned char, 0xa0);
    for (int i = 0; i < 100 * 16 * 4;
         i++) /* 100 blocks of 256 elements of 16 bytes: 4 bytes say "zeros" for each byte */
        PUT(&bin, unsigned char, 0);
    for (int i = 0; i < 32; i++)
        PUT(&bin, unsigned char, 0);
    add_list(&text, "bufferViews",
             "{'buffer':0,'byteLength':409600,'byteStride':16,'name':'%d','extensions':{'EXT_meshopt_compression':{"
             "'buffer':0,'byteLength':6433,'byteStride':16,'count':25600,'mode':'ATTRIBUTES'}}}",
             1000);
    add_list(&text, "accessors", "{'bufferView':%d,'componentType':5126,'count':25600,'type':'VEC3'}", 1000);
    add_list(&text, "meshes", "{'primitives':[{'attributes':{'POSITION':%d}}]}", 1000);
    read_measured(&text, &bin, "gltf-meshopt");
}

/* ---- chains that hang on nothing ---- */

/* A joint moves the scene node above it. One below the shear of an instance has none, and is a node of its own. */
static void test_joints_below_an_instance(void **state)
{
    (void)state;
    static const char joint[] = "'extras':{'cellpipe':{'joint':{'id':'%c','type':'revolute','axis':[0,0,1]}}}";
    static const struct {
        const char *chain; /* from the scene node on: i(nstance), s(hear), a(xis), j(oint) */
        uint32_t joints;
    } chains[] = {{"sj", 1}, {"j", 1}, {"ij", 0}, {"isj", 0}, {"isjj", 1}, {"isaj", 1}, {"sjj", 2}};
    for (size_t c = 0; c < sizeof chains / sizeof *chains; c++) {
        struct text text = {NULL, 0, 0};
        add(&text,
            "'scenes':[{'nodes':[0]}],'nodes':[{'name':'top','extras':{'cellpipe':{'id':'top'}},'children':[1]}");
        for (const char *at = chains[c].chain; *at; at++) {
            char one[300], own[200];
            snprintf(own, sizeof own, "'extras':{'cellpipe':{'made':'%s'}}",
                     *at == 'i'   ? "instance"
                     : *at == 's' ? "shear"
                                  : "axis");
            if (*at == 'j')
                snprintf(own, sizeof own, joint, (char)('A' + (at - chains[c].chain)));
            add(&text, ",{");
            if (at[1]) {
                snprintf(one, sizeof one, "'children':[%d],", (int)(at - chains[c].chain) + 2);
                add(&text, one);
            }
            add(&text, own);
            add(&text, "}");
        }
        add(&text, "]");
        cp_context *context = cp_context_new(NULL);
        cp_scene *scene = read_glb(context, text.data, NULL);
        uint32_t count;
        (void)cp_joints(scene, &count);
        assert_int_equal(count, chains[c].joints);
        cp_scene_free(scene);
        cp_context_free(context);
        free(text.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_meshes_share_shapes),   cmocka_unit_test(test_primitives_repeat_indices),
        cmocka_unit_test(test_accessors_overlap),     cmocka_unit_test(test_accessors_of_nothing),
        cmocka_unit_test(test_channels_of_a_sampler), cmocka_unit_test(test_nodes_of_an_articulation),
        cmocka_unit_test(test_views_of_our_meshes),   cmocka_unit_test(test_joints_below_an_instance),
#ifdef HAVE_MESHOPT
        cmocka_unit_test(test_packed_views_overlap),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
