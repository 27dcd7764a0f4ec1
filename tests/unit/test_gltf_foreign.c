/* What other tools have put into a glTF file comes back where they look for it: extras, articulations, attach points,
 * the copyright. Compared by jansson with what was read. */
#include "gltf_written.h"

static const char *const document =
    "{'asset':{'version':'2.0','generator':'by hand','copyright':'somebody','extras':{'by':['me',1e-7]}},"
    "'extensionsUsed':['AGI_articulations'],'extensions':{'AGI_articulations':{'articulations':["
    "{'name':'Arm 1','stages':[{'name':'Yaw','type':'zRotate','minimumValue':-90,'maximumValue':90,'initialValue':0,"
    "'extras':{'axis':1}},{'name':'Ext','type':'xTranslate','minimumValue':0,'maximumValue':1,'initialValue':0},"
    "{'name':'Roll','type':'xRotate','minimumValue':-180,'maximumValue':180,'initialValue':0}],"
    "'pointingVector':[0,0,1],'extras':{'q':[true,null]}},"
    "{'name':'Grip','stages':[{'name':'Open','type':'yScale','minimumValue':0.5,'maximumValue':2,'initialValue':1}]}]}}"
    ","
    "'scene':0,'scenes':[{'nodes':[0,1,2,4,5],'extras':{'cell':'\\u00c4'}}],"
    "'nodes':[{'name':'a','mesh':0,'extras':{'part':'P-1','deep':{'x':[1,2.50]}},"
    "'extensions':{'AGI_articulations':{'articulationName':'Arm 1'}}},"
    "{'name':'b','mesh':1,'children':[3],'extensions':{'AGI_articulations':{'articulationName':'Arm 1'}}},"
    "{'name':'c','mesh':1,'extras':['a',{'b':1}],'extensions':{'AGI_articulations':{'articulationName':'Grip'}}},"
    "{'name':'tip','extensions':{'AGI_articulations':{'isAttachPoint':true}}},"
    "{'name':'d','mesh':2},{'name':'e','mesh':3}],"
    "'meshes':[{'extras':{'m':1},'primitives':[{'attributes':{'POSITION':0},'material':0}]},"
    "{'extras':{'m':2},'primitives':[{'attributes':{'POSITION':0},'material':0}]},"
    "{'extras':{'m':3},'primitives':[{'attributes':{'POSITION':0},'material':0}]},"
    "{'extras':{'m':4},'primitives':[{'attributes':{'POSITION':0},'material':0}]}],"
    "'materials':[{'name':'red','extras':{'ral':3000}}],"
    "'accessors':[{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3','min':[0,0,0],'max':[1,1,0]}],"
    "'bufferViews':[{'buffer':0,'byteLength':36}],"
    "'buffers':[{'byteLength':36,'uri':'data:application/octet-stream;base64,"
    "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA'}]}";

static char *with_quotes(const char *source)
{
    char *copy = strdup(source);
    assert_non_null(copy);
    for (char *at = copy; *at; at++)
        *at = *at == '\'' ? '"' : *at;
    return copy;
}

static struct written read_text(const char *source)
{
    struct written written = {.context = cp_context_new(NULL)};
    assert_non_null(written.context);
    expect_status(written.context,
                  cp_read_memory(written.context, source, strlen(source), "cell.gltf", NULL, NULL, 0, &written.scene),
                  CP_OK);
    return written;
}

static json_t *parse(const char *source)
{
    json_error_t error;
    json_t *json = json_loads(source, 0, &error);
    if (!json)
        fail_msg("%d:%d %s", error.line, error.column, error.text);
    return json;
}

/* All members but ours. */
static void assert_extras(json_t *from, json_t *to)
{
    json_t *others = json_deep_copy(get(to, "extras"));
    assert_int_equal(json_object_del(others, "cellpipe"), 0);
    if (!json_equal(get(from, "extras"), others))
        fail_msg("not %s but %s", json_dumps(get(from, "extras"), 0), json_dumps(others, 0));
    json_decref(others);
}

static json_t *articulations_of(json_t *thing)
{
    return get(get(thing, "extensions"), "AGI_articulations");
}

static void assert_all_there(json_t *read, struct written *written)
{
    assert_extras(get(read, "asset"), get(written->json, "asset"));
    assert_string_equal(text(get(written->json, "asset"), "copyright"), "somebody");
    assert_extras(at(read, "scenes", 0), at(written->json, "scenes", 0));
    assert_extras(at(read, "nodes", 0), node_of(written, "a"));
    assert_extras(at(read, "materials", 0), at(written->json, "materials", 0));
    for (size_t i = 0; i < 4; i++)
        assert_extras(at(read, "meshes", i), at(written->json, "meshes", i));
    assert_true(json_equal(articulations_of(read), articulations_of(written->json)));
    assert_true(json_is_true(get(articulations_of(node_of(written, "tip")), "isAttachPoint")));
    json_t *array = at(ours(node_of(written, "c")), "metadata", 0); /* no object: nothing can stand beside it */
    assert_string_equal(text(array, "value"), "[\"a\",{\"b\":1}]");
}

/* Each node that had the articulation has it again: at its first joint. */
static void assert_moved_by(struct written *written, const char *node, const char *name)
{
    json_t *joint = child(written, node_of(written, node), 0);
    assert_string_equal(text(articulations_of(joint), "articulationName"), name);
}

static void test_all_comes_back(void **unused)
{
    (void)unused;
    static const char *const options[] = {NULL, "web=yes"};
    char *source = with_quotes(document);
    json_t *read = parse(source);
    for (int i = 0; i < 2; i++) {
        struct written written = read_text(source);
        write_with(&written, options[i], NULL);
        assert_all_there(read, &written);
        assert_moved_by(&written, "a", "Arm 1");
        assert_moved_by(&written, "b", "Arm 1");
        assert_moved_by(&written, "c", "Grip");
        assert_null(find_entry(written.context, "gltf-articulations"));
        cp_scene_free(written.scene);
        written.scene = NULL;
        cp_status status =
            cp_read_memory(written.context, written.bytes, written.size, "once.glb", NULL, NULL, 0, &written.scene);
        assert_int_equal(status, CP_OK);
        drop_file(&written);
        write_with(&written, options[i], NULL); /* and from our own file once more */
        assert_all_there(read, &written);
        finish(&written);
    }
    json_decref(read);
    free(source);
}

/* Where joints stand between the first and the last stage's, no one node can move as all of them do. */
static void test_moved_stages_are_split(void **unused)
{
    (void)unused;
    static const char *const names[] = {"Arm 1.Yaw", "Arm 1.Roll", "Arm 1.Ext"};
    char *source = with_quotes(document);
    for (int i = 0; i < 3; i++) {
        struct written written = read_text(source);
        struct draft draft = draft_of(written.scene);
        for (uint32_t k = 0; k < count_joints(written.scene); k++)
            if (strcmp(draft.joints[k].name, names[i]) == 0 && draft.joints[k].driven)
                draft.joints[k].q = 0.25;
        written.scene = built_again(&draft, written.context);
        complete(&written);
        write_with(&written, NULL, NULL);
        const cp_entry *loss = find_entry(written.context, "gltf-articulations");
        assert_int_equal(json_array_size(get(articulations_of(written.json), "articulations")), i < 2 ? 2 : 7);
        assert_int_equal(loss ? loss->count : 0, i < 2 ? 0 : 1);
        if (i == 0) {
            json_t *stage = at(at(articulations_of(written.json), "articulations", 0), "stages", 0);
            assert_near(number(stage, "minimumValue"), -90 - 0.25 * 90 / acos(0), 1e-9); /* relative to 0.25 rad */
        }
        finish(&written);
    }
    free(source);
}

/* Joints that follow others may have been an articulation of their own: then they stay one, with a name of its own. */
static void test_names_are_unique(void **unused)
{
    (void)unused;
    char *source = with_quotes(document);
    struct written written = read_text(source);
    uint32_t followers = 0;
    for (uint32_t i = 0; i < count_joints(written.scene); i++)
        if (cp_joints(written.scene, NULL)[i].master != CP_NONE) {
            add_metadata_of(written.scene, CP_OWNER_JOINT, i, "articulation", CP_VALUE_STRING, "Arm 1");
            followers++;
        }
    assert_int_equal(followers, 3);
    write_with(&written, NULL, NULL);
    json_t *articulations = get(articulations_of(written.json), "articulations");
    assert_int_equal(json_array_size(articulations), 3);
    for (size_t i = 1; i < 3; i++)
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(text(json_array_get(articulations, i), "name"),
                                    text(json_array_get(articulations, k), "name"));
    assert_moved_by(&written, "a", "Arm 1");
    assert_moved_by(&written, "b", "Arm 1_2");
    finish(&written);
    free(source);
}

/* Anybody may call anything extras. What is no JSON, or speaks of what is ours, stays among our metadata. */
static void test_no_json(void **unused)
{
    (void)unused;
    static const char *const values[] = {"{\"a\":1}",
                                         "{\"a\":",
                                         "",
                                         "{}",
                                         "17",
                                         "{\"a\":1}}",
                                         "{\"cellpipe\":1}",
                                         "{\"name\":\"x\"}",
                                         "\xff",
                                         "{\"\xff\":1}",
                                         "{\"\\u006eame\":2}",
                                         "{a:1}"};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct written written = start();
        add_metadata_of(written.scene, CP_OWNER_NODE, 0, "extras", CP_VALUE_JSON, values[i]);
        assert_int_equal(cp_scene_finish(written.scene), CP_OK);
        write_with(&written, NULL, NULL);
        json_t *world = at(written.json, "nodes", 0);
        assert_int_equal(json_object_size(get(world, "extras")), i == 0 ? 2 : 1);
        assert_int_equal(json_array_size(json_object_get(ours(world), "metadata")), i == 0 ? 0 : 1);
        finish(&written);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_comes_back),
        cmocka_unit_test(test_moved_stages_are_split),
        cmocka_unit_test(test_names_are_unique),
        cmocka_unit_test(test_no_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
