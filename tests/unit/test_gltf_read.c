/* Reading glTF of other tools: the tree, axes, clips, metadata, losses, limits, memory. */
#include "gltf_support.h"

#include <math.h>

/* ---- the tree and the axes ---- */

/* A point in the file, Y up, and where it must be in the scene: (x, -z, y). */
static void assert_world_origin(const cp_scene *scene, const char *name, double x, double y, double z)
{
    cp_pose pose = world_of(scene, node_called(scene, name));
    const double at[] = {pose.m[3], pose.m[7], pose.m[11]};
    assert_doubles(at, (double[]){x, y, z}, 3, 1e-12);
}

static void test_roots_are_turned(void **state)
{
    (void)state;
    const char *json = "'nodes':[{'name':'root','translation':[1,2,3],'children':[1]},{'name':'child',"
                       "'matrix':[0,1,0,0,-1,0,0,0,0,0,1,0,10,20,30,1]}]";
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_glb(context, json, NULL);
    assert_int_equal(cp_scene_source(scene)->up, CP_UP_Y);
    assert_string_equal(cp_scene_source(scene)->format, "gltf");
    assert_world_origin(scene, "root", 1, -3, 2);
    assert_world_origin(scene, "child", 11, -33, 22);
    /* exact: zeros and ones of the turn leave no noise */
    assert_doubles(node_called(scene, "root")->local.m, (double[]){1, 0, 0, 1, 0, 0, -1, -3, 0, 1, 0, 2}, 12, 0);
    assert_doubles(node_called(scene, "child")->local.m, (double[]){0, -1, 0, 10, 1, 0, 0, 20, 0, 0, 1, 30}, 12, 0);
    cp_scene_free(scene);
    scene = read_with(context, json, NULL, "up=z", CP_OK);
    assert_int_equal(cp_scene_source(scene)->up, CP_UP_Z);
    assert_world_origin(scene, "child", 11, 22, 33);
    cp_scene_free(scene);
    cp_context_free(context);
}

static void test_trs(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    /* 90 degrees about Z, then scaled; the quaternion is only as good as a float and is made unit */
    cp_scene *scene = read_with(context,
                                "'nodes':[{'name':'n','translation':[1,2,3],'rotation':[0,0,0.7071068,0.7071068],"
                                "'scale':[2,3,0]}]",
                                NULL, "up=z", CP_OK);
    assert_doubles(node_called(scene, "n")->local.m, (double[]){0, -3, 0, 1, 2, 0, 0, 2, 0, 0, 0, 3}, 12, 1e-15);
    cp_scene_free(scene);
    cp_context_free(context);
}

static void test_children_may_come_first(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_glb(
        context,
        "'nodes':[{'name':'leaf'},{'name':'middle','children':[0]},{'name':'other'},{'name':'top','children':[1,2]}]",
        NULL);
    static const char *const names[] = {"WORLD", "top", "middle", "leaf", "other"};
    static const uint32_t parents[] = {CP_NONE, 0, 1, 2, 1};
    uint32_t count;
    const cp_node *nodes = cp_nodes(scene, &count);
    assert_int_equal(count, 5);
    for (uint32_t i = 0; i < count; i++) {
        assert_string_equal(nodes[i].name, names[i]);
        assert_int_equal(nodes[i].parent, parents[i]);
    }
    cp_scene_free(scene);
    cp_context_free(context);
}

static void test_scenes(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_glb(
        context,
        "'scene':1,'scenes':[{'nodes':[0]},{'nodes':[2]}],'nodes':[{'name':'a','children':[1]},{},{'name':'b'}]", NULL);
    assert_int_equal(count_nodes(scene), 2);
    (void)node_called(scene, "b");
    assert_int_equal(count_of(context, "gltf-scenes"), 2);
    cp_scene_free(scene);
    cp_report_clear(context);
    /* without a default the first; without scenes all */
    scene = read_glb(context, "'scenes':[{'nodes':[0]},{'nodes':[1]}],'nodes':[{'name':'a'},{'name':'b'}]", NULL);
    assert_int_equal(count_nodes(scene), 2);
    (void)node_called(scene, "a");
    cp_scene_free(scene);
    cp_report_clear(context);
    scene = read_glb(context, "'nodes':[{'name':'a'},{'name':'b'}]", NULL);
    assert_int_equal(count_nodes(scene), 3);
    assert_int_equal(count_of(context, "gltf-scenes"), 0);
    cp_scene_free(scene);
    cp_context_free(context);
}

static void test_deep_and_wide(void **state)
{
    (void)state;
    enum { DEPTH = 3000 };
    static char json[DEPTH * 40];
    size_t at = (size_t)snprintf(json, sizeof json, "'nodes':[");
    for (int i = 0; i < DEPTH; i++)
        at += (size_t)snprintf(json + at, sizeof json - at, i + 1 < DEPTH ? "{'children':[%d]}," : "{}", i + 1);
    snprintf(json + at, sizeof json - at, "]");
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_glb(context, json, NULL);
    assert_int_equal(count_nodes(scene), DEPTH + 1);
    cp_scene_free(scene);
    assert_int_equal(cp_set_limit(context, "depth=100"), CP_OK);
    (void)read_with(context, json, NULL, NULL, CP_LIMIT);
    cp_context_free(context);
}

/* ---- names, metadata ---- */

static void test_names_and_extras(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_glb(
        context,
        "'nodes':[{'name':'\\u00e9\\ud83d\\ude00\\\\\\/\\t\\ud800\\u0000x','extras':{ 'a' : [1.50, -0.0, 1e2 , null] ,"
        " 'b b':' c  d ' }}],'scenes':[{'nodes':[0],'extras':7}],'materials':[{'name':'m','extras':{'k':true}}]",
        NULL);
    uint32_t count;
    const cp_node *nodes = cp_nodes(scene, &count);
    assert_string_equal(nodes[1].name, "\xc3\xa9\xf0\x9f\x98\x80\\/\t\xef\xbf\xbd\xef\xbf\xbdx");
    assert_string_equal(metadata_value(scene, CP_OWNER_NODE, 1, "extras"),
                        "{\"a\":[1.50,-0.0,1e2,null],\"b b\":\" c  d \"}");
    assert_string_equal(metadata_value(scene, CP_OWNER_SCENE, 0, "extras"), "7");
    assert_string_equal(metadata_value(scene, CP_OWNER_MATERIAL, 0, "extras"), "{\"k\":true}");
    cp_scene_free(scene);
    cp_context_free(context);
}

/* ---- clips ---- */

static void test_animations(void **state)
{
    (void)state;
    struct bin bin = {.size = 0};
    PUT(&bin, float, 0, 0.5F, 2);                                        /* 0: times */
    PUT(&bin, float, 1, 2, 3, 4, 5, 6, 7, 8, 9);                         /* 12: translations */
    PUT(&bin, float, 0, 0, 0, 1, 0, 0, 0.6F, 0.8F, 0, 1, 0, 0);          /* 48: rotations */
    PUT(&bin, float, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 2, 2, 2, 0, 0); /* 96: scales, cubic, of 3 keys ... */
    PUT(&bin, float, 0, 0, 0, 0, 3, 3, 3, 0, 0, 0);
    PUT(&bin, float, 0, 0, 1); /* 204: times that do not ascend */
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_glb(
        context,
        "'bufferViews':[{'buffer':0,'byteLength':216}],'accessors':["
        "{'bufferView':0,'componentType':5126,'count':3,'type':'SCALAR'},"
        "{'bufferView':0,'byteOffset':12,'componentType':5126,'count':3,'type':'VEC3'},"
        "{'bufferView':0,'byteOffset':48,'componentType':5126,'count':3,'type':'VEC4'},"
        "{'bufferView':0,'byteOffset':96,'componentType':5126,'count':9,'type':'VEC3'},"
        "{'bufferView':0,'byteOffset':204,'componentType':5126,'count':3,'type':'SCALAR'}],"
        "'extensionsUsed':['KHR_animation_pointer'],'extensionsRequired':['KHR_animation_pointer'],"
        "'nodes':[{'name':'root','children':[1]},{'name':'child'}],"
        "'animations':[{'name':'wave','channels':[{'sampler':0,'target':{'node':0,'path':'translation'}},"
        "{'sampler':1,'target':{'node':0,'path':'rotation'}},{'sampler':2,'target':{'node':0,'path':'scale'}},"
        "{'sampler':0,'target':{'node':1,'path':'translation'}},{'sampler':0,'target':{'node':1,'path':'weights'}},"
        "{'sampler':0,'target':{'path':'translation'}},{'sampler':0,'target':{'path':'pointer','extensions':"
        "{'KHR_animation_pointer':{'pointer':'/materials/0/"
        "alphaCutoff'}}}},{'sampler':3,'target':{'node':1,'path':'translation'}}],"
        "'samplers':[{'input':0,'output':1,'interpolation':'STEP'},{'input':0,'output':2},"
        "{'input':0,'output':3,'interpolation':'CUBICSPLINE'},{'input':4,'output':1}]}]",
        &bin);
    uint32_t count;
    const cp_clip *clips = cp_clips(scene, &count);
    assert_int_equal(count, 1);
    assert_string_equal(clips[0].name, "wave");
    assert_int_equal(clips[0].track_count, 4);
    const cp_track *tracks = clips[0].tracks;
    assert_doubles(tracks[0].times, (double[]){0, 0.5, 2}, 3, 0);
    assert_int_equal(tracks[0].interpolation, CP_STEP);
    assert_doubles(tracks[0].values, (double[]){1, -3, 2, 4, -6, 5, 7, -9, 8}, 9, 0); /* (x, -z, y) */
    assert_int_equal(tracks[1].interpolation, CP_LINEAR);
    /* the turn about X by 90 degrees, then the key: (h 0 0 h) * (0 0 0.6 0.8) = (0.8 h, -0.6 h, 0.6 h, 0.8 h) */
    double h = sqrt(0.5);
    assert_doubles(tracks[1].values, (double[]){h, 0, 0, h, 0.8 * h, -0.6 * h, 0.6 * h, 0.8 * h, 0, h, h, 0}, 12, 1e-7);
    assert_int_equal(tracks[2].interpolation, CP_CUBIC);
    assert_doubles(tracks[2].values + 3, (double[]){1, 1, 1}, 3, 0);
    assert_doubles(tracks[3].values, (double[]){1, 2, 3, 4, 5, 6, 7, 8, 9}, 9, 0); /* no root: not turned */
    assert_int_equal(tracks[3].target, (uint32_t)(node_called(scene, "child") - cp_nodes(scene, &count)));
    assert_int_equal(count_of(context, "gltf-weights"), 1);
    assert_int_equal(count_of(context, "gltf-channel"), 2); /* no node, and a pointer */
    assert_int_equal(count_of(context, "gltf-extension"), 0);
    assert_int_equal(count_of(context, "gltf-times"), 1);
    cp_scene_free(scene);
    cp_context_free(context);
}

/* ---- articulations ---- */

static void test_articulations(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_with(
        context,
        "'extensionsUsed':['AGI_articulations'],'extensions':{'AGI_articulations':{'articulations':["
        "{'name':'arm','stages':[{'name':'turn','type':'zRotate','minimumValue':-90,'maximumValue':180,"
        "'initialValue':90},{'name':'slide','type':'xTranslate','minimumValue':0,'maximumValue':2,'initialValue':0},"
        "{'name':'grow','type':'uniformScale','minimumValue':0,'maximumValue':1,'initialValue':1}]},"
        "{'name':'grip','stages':[{'name':'s','type':'yScale','minimumValue':0.5,'maximumValue':2,'initialValue':1}]}]}"
        "},"
        "'nodes':[{'name':'a','translation':[0,0,5],'children':[1,2],'extensions':{'AGI_articulations':"
        "{'articulationName':'arm'}}},{'name':'b','translation':[1,0,0],'extensions':{'AGI_articulations':"
        "{'articulationName':'arm','isAttachPoint':true}}},{'name':'c','extensions':{'AGI_articulations':"
        "{'articulationName':'grip'}}},{'name':'d','extensions':{'AGI_articulations':{'articulationName':'none'}}}]",
        NULL, "up=z", CP_OK);
    uint32_t count;
    const cp_joint *joints = cp_joints(scene, &count);
    assert_int_equal(count, 5);
    assert_string_equal(joints[0].name, "arm.turn");
    assert_int_equal(joints[0].type, CP_JOINT_REVOLUTE);
    assert_doubles(joints[0].axis, (double[]){0, 0, 1}, 3, 0);
    assert_doubles(&joints[0].lower, (double[]){-acos(0), 2 * acos(0)}, 2, 1e-15);
    assert_doubles(&joints[0].home, (double[]){acos(0), acos(0)}, 2, 1e-15);
    assert_true(joints[0].driven);
    assert_int_equal(joints[1].type, CP_JOINT_PRISMATIC);
    assert_doubles(joints[1].axis, (double[]){1, 0, 0}, 3, 0);
    assert_int_equal(joints[2].master, 0); /* the same articulation once more */
    assert_int_equal(joints[3].master, 1);
    assert_false(joints[2].driven || joints[3].driven);
    assert_string_equal(joints[4].name, "grip");
    assert_int_equal(joints[4].type, CP_JOINT_SCALE);
    /* a turns by 90 degrees about Z after its transform, b sits at 1 along its X: at (0, 1, 5) */
    assert_world_origin(scene, "b", 0, 1, 5);
    assert_int_equal(count_of(context, "gltf-articulation"), 2);
    assert_non_null(find_entry(context, "gltf-articulation-missing"));
    assert_string_equal(metadata_value(scene, CP_OWNER_NODE, 2, "isAttachPoint"), "true");
    cp_scene_free(scene);
    cp_context_free(context);
}

/* ---- losses ---- */

static void test_losses_are_counted(void **state)
{
    (void)state;
    struct bin bin = {.size = 0};
    PUT(&bin, float, 0, 0, 0, 1, 0, 0, 0, 1, 0);
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_glb(
        context,
        "'extensionsUsed':['KHR_materials_clearcoat','KHR_lights_punctual','ACME_magic','KHR_materials_unlit'],"
        "'extensions':{'KHR_lights_punctual':{'lights':[{},{},{}]}},'textures':[{},{}],'skins':[{}],'cameras':[{},{}],"
        "'materials':[{'extensions':{'ACME_paint':{}}},{'emissiveFactor':[0,0,1],'alphaMode':'MASK',"
        "'extensions':{'ACME_paint':{},'KHR_materials_unlit':{}}},"
        "{'pbrMetallicRoughness':{'metallicFactor':1}}],"
        "'bufferViews':[{'buffer':0,'byteLength':36}],'accessors':[{'bufferView':0,'componentType':5126,'count':3,"
        "'type':'VEC3'}],'nodes':[{'mesh':0}],'meshes':[{'primitives':[{'attributes':{'POSITION':0,'COLOR_1':0},"
        "'targets':[{'POSITION':0}],'extras':1}]}],'animations':[{'channels':[],'samplers':[],'extras':{}}]",
        &bin);
    static const struct {
        const char *code;
        uint64_t count;
    } expected[] = {{"gltf-textures", 2}, {"gltf-skins", 1},
                    {"gltf-cameras", 2},  {"gltf-lights", 3},
                    {"gltf-targets", 1},  {"gltf-primitive-extras", 1},
                    {"gltf-colours", 1},  {"gltf-animation-extras", 1},
                    {"gltf-extension", 1}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        if (count_of(context, expected[i].code) != expected[i].count)
            fail_msg("%s is %llu", expected[i].code, (unsigned long long)count_of(context, expected[i].code));
    const cp_entry *entry = find_entry(context, "gltf-material-extension");
    assert_non_null(entry);
    assert_string_equal(entry->text, "ACME_paint of materials is not read");
    assert_int_equal(entry->count, 2);
    assert_non_null(strstr(find_entry(context, "gltf-extension")->text, "ACME_magic"));
    size_t entries;
    (void)cp_report(context, &entries);
    assert_int_equal(entries, 10);
    cp_scene_free(scene);
    cp_context_free(context);
}

/* ---- the text form ---- */

static cp_scene *read_text(cp_context *context, const char *text, const char *option, cp_status expected)
{
    cp_scene *scene;
    cp_status status = cp_read_memory(context, text, strlen(text), "cell.gltf", NULL, &option, option ? 1 : 0, &scene);
    if (status != expected)
        show_report(context);
    assert_int_equal(status, expected);
    return scene;
}

static void test_data_uris(void **state)
{
    (void)state;
    /* 0 0 0, 1 0 0, 0 1 0 as floats; and the same percent-encoded */
    static const char *const uris[] = {
        "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA",
        "data:;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA",
        ("DATA:,%00%00%00%00%00%00%00%00%00%00%00%00%00%00%80%3F%00%00%00%00%00%00%00%00%00%00%00%00%00%00%80?%00%00%"
         "00%"
         "00")};
    for (size_t i = 0; i < sizeof uris / sizeof *uris; i++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "\xef\xbb\xbf{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":36,\"uri\":\"%s\"}],"
                 "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],\"accessors\":[{\"bufferView\":0,"
                 "\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}],\"nodes\":[{\"mesh\":0}],"
                 "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]}",
                 uris[i]);
        cp_context *context = cp_context_new(NULL);
        cp_scene *scene = read_text(context, text, NULL, CP_OK);
        assert_memory_equal(mesh_at(scene, 0)->positions, ((float[]){0, 0, 0, 1, 0, 0, 0, 1, 0}), 36);
        cp_scene_free(scene);
        cp_context_free(context);
    }
}

static void test_external_buffer(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene;
    assert_int_equal(cp_read(context, SAMPLES "/gltf_external.gltf", NULL, NULL, 0, &scene), CP_OK);
    assert_memory_equal(mesh_at(scene, 0)->positions, ((float[]){0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0}), 48);
    cp_scene_free(scene);
    cp_context_free(context);
}

static void test_latin1_is_read(void **state)
{
    (void)state;
    const char *text = "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"name\":\"caf\xe9\"}]}";
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_text(context, text, NULL, CP_OK);
    (void)node_called(scene, "caf\xc3\xa9");
    assert_non_null(find_entry(context, "gltf-encoding"));
    cp_scene_free(scene);
    (void)read_text(context, text, "strict=yes", CP_INPUT);
    cp_context_free(context);
}

static void test_json_is_strict(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "{\"asset\":}",     "{\"asset\" 1}", "{asset:1}",    "{\"a\":01}",  "{\"a\":1.}",      "{\"a\":.5}",
        "{\"a\":+1}",       "{\"a\":1e}",    "{\"a\":[1,]}", "{\"a\":1,}",  "{\"a\":\"\\x\"}", "{\"a\":\"\\u12g4\"}",
        "{\"a\":\"b\nc\"}", "{\"a\":tru}",   "{\"a\":1}}",   "{\"a\":1} x", "{\"a\":\"b",      "{\"a\":[1",
        "{\"a\":-}",        "{\"a\":NaN}",   "{\"a\":'b'}",  "{",           "{\"a\"",          "{\"a\":[}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cp_context *context = cp_context_new(NULL);
        cp_scene *scene;
        assert_int_equal(cp_read_memory(context, bad[i], strlen(bad[i]), "x.gltf", "gltf", NULL, 0, &scene), CP_INPUT);
        const cp_entry *entry = find_entry(context, "gltf-json");
        if (!entry)
            fail_msg("%s is read", bad[i]);
        assert_true(entry->line >= 1 && entry->column >= 1);
        cp_context_free(context);
    }
}

static void test_nesting_is_bounded(void **state)
{
    (void)state;
    static char text[100000];
    memset(text, '[', sizeof text - 1);
    memcpy(text, "{\"a\":", 5);
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene;
    assert_int_equal(cp_read_memory(context, text, sizeof text - 1, "x.gltf", "gltf", NULL, 0, &scene), CP_LIMIT);
    assert_non_null(find_entry(context, "gltf-nesting"));
    cp_context_free(context);
}

/* ---- memory ---- */

struct failing {
    uint64_t calls, fail_at;
    int64_t alive;
};

static void *resize_or_fail(void *user, void *block, size_t old_size, size_t size)
{
    struct failing *failing = user;
    (void)old_size;
    if (size == 0) {
        failing->alive -= block != NULL;
        free(block);
        return NULL;
    }
    if (++failing->calls == failing->fail_at)
        return NULL;
    void *result = realloc(block, size);
    failing->alive += result && !block;
    return result;
}

/* Reads the file with the N-th allocation failing; true when that was never reached. */
static bool read_failing(const char *path, uint64_t fail_at)
{
    struct failing failing = {.fail_at = fail_at};
    cp_context *context = cp_context_new(&(cp_allocator){resize_or_fail, &failing});
    if (context) {
        cp_scene *scene = NULL;
        cp_status status = cp_read(context, path, NULL, NULL, 0, &scene);
        bool reached = failing.calls >= fail_at;
        /* a report that could not grow is no failure of the reading */
        if (reached ? status != CP_LIMIT && status != CP_OK : status != CP_OK) {
            show_report(context);
            fail_msg("%s: status %d at allocation %llu", path, (int)status, (unsigned long long)fail_at);
        }
        cp_scene_free(scene);
        cp_context_free(context);
    }
    assert_int_equal(failing.alive, 0);
    return failing.calls < fail_at;
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    static const char *const files[] = {SAMPLES "/gltf_features.gltf", SAMPLES "/gltf_stage.gltf",
                                        SAMPLES "/gltf_external.gltf"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        for (uint64_t at = 1; !read_failing(files[i], at); at++)
            ;
}

/* Mistakes of exporters in the tree: a child that is listed as a root, too, stays a child; where its parent is not in
 * the scene it is a root; a node that is its own child is a leaf. */
static void test_odd_trees_are_read(void **state)
{
    (void)state;
    struct bin bin = {.size = 0};
    PUT(&bin, float, 0);
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_glb(context,
                               "'scene':0,'scenes':[{'nodes':[0,1,4]}],'nodes':["
                               "{'name':'a','children':[1,0,2,2],'translation':[1,0,0]},"
                               "{'name':'b','translation':[2,0,0]},{'name':'c'},"
                               "{'name':'out','children':[4,5],'translation':[4,0,0]},"
                               "{'name':'d','translation':[8,0,0]},{'name':'also out'}]",
                               &bin);
    uint32_t count;
    (void)cp_nodes(scene, &count);
    assert_int_equal(count, 5);
    assert_true(world_of(scene, node_called(scene, "b")).m[3] == 3);
    assert_true(world_of(scene, node_called(scene, "c")).m[3] == 1);
    assert_true(world_of(scene, node_called(scene, "d")).m[3] == 8);
    assert_non_null(find_entry(context, "gltf-tree-root"));
    assert_non_null(find_entry(context, "gltf-tree-twice"));
    cp_scene_free(scene);
    cp_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_roots_are_turned),
        cmocka_unit_test(test_trs),
        cmocka_unit_test(test_children_may_come_first),
        cmocka_unit_test(test_scenes),
        cmocka_unit_test(test_deep_and_wide),
        cmocka_unit_test(test_names_and_extras),
        cmocka_unit_test(test_animations),
        cmocka_unit_test(test_articulations),
        cmocka_unit_test(test_losses_are_counted),
        cmocka_unit_test(test_data_uris),
        cmocka_unit_test(test_external_buffer),
        cmocka_unit_test(test_latin1_is_read),
        cmocka_unit_test(test_json_is_strict),
        cmocka_unit_test(test_nesting_is_bounded),
        cmocka_unit_test(test_every_allocation_may_fail),
        cmocka_unit_test(test_odd_trees_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
