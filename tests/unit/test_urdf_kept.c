/* The exporter of URDF: elements and names that a reader kept as metadata, and what else metadata may hold. */
#include "urdf_written.h"

static const char kept_robot[] =
    "<robot name=\"kept\"><link name=\"base\"><visual name=\"body\"><geometry><box size=\"1 1 1\"/></geometry></visual>"
    "<sensor type=\"ray\"><range min=\"0\">a &lt; b &amp; \"c\"</range></sensor></link><link name=\"arm\"/>"
    "<link name=\"tip\"/>"
    "<joint name=\"turn\" type=\"continuous\"><parent link=\"base\"/><child link=\"arm\"/>"
    "<safety_controller k_velocity=\"1\"/></joint>"
    "<joint name=\"hold\" type=\"fixed\"><parent link=\"arm\"/><child link=\"tip\"/><calibration rising=\"1\"/></joint>"
    "<transmission name=\"t\"><joint name=\"turn\"/></transmission><gazebo reference=\"arm\"><mu1>1</mu1></gazebo>"
    "<gazebo reference=\"turn\"/></robot>";

static void what_a_reader_kept_is_written(void **state)
{
    (void)state;
    cp_scene_free(scene);
    scene = read_scene(context, kept_robot, "kept.urdf", NULL);
    const char *text = text_of(NULL);
    must_have(text, "<robot name=\"kept\">");
    must_have(text, "<visual name=\"body\">");
    must_have(text,
              "    <sensor type=\"ray\"><range min=\"0\">a &lt; b &amp; &quot;c&quot;</range></sensor>\n  </link>");
    must_have(text, "    <safety_controller k_velocity=\"1\"/>\n  </joint>");
    must_have(text, "<joint name=\"hold\" type=\"fixed\">");
    must_have(text, "    <calibration rising=\"1\"/>\n  </joint>");
    must_have(text, "\n  <transmission name=\"t\"><joint name=\"turn\"/></transmission>\n");
    must_have(text, "\n  <gazebo reference=\"arm\"><mu1>1</mu1></gazebo>\n");
    must_have(text, "\n  <gazebo reference=\"turn\"/>\n");
    assert_int_equal(count_lost(context, "urdf-metadata"), 0);
    assert_int_equal(count_lost(context, "urdf-devices"), 0);
}

/* Names of visuals belong to visuals in their order, if they are as many. */
static void names_of_visuals(void **state)
{
    (void)state;
    uint32_t base = add_node_at(scene, 0, "base", NULL);
    const cp_mesh box = {.kind = CP_MESH_BOX, .size = {1, 2, 3}};
    (void)add_instance_of(scene, base, add_mesh_of(scene, &box), CP_USE_DRAWN, NULL);
    add_metadata_of(scene, CP_OWNER_NODE, base, "visual", CP_VALUE_STRING, "one");
    must_have(text_of(NULL), "<visual name=\"one\">");
    assert_int_equal(count_lost(context, "urdf-metadata"), 0);
    add_metadata_of(scene, CP_OWNER_NODE, base, "visual", CP_VALUE_STRING, "two");
    must_have(text_of(NULL), "<visual>");
    assert_int_equal(count_lost(context, "urdf-metadata"), 2);
}

/* Metadata of stages may be anything: what is no element, or would say twice what the writer says, stays out. */
static void only_elements_are_written(void **state)
{
    static const struct {
        const char *key, *value;
        bool good;
    } entries[] = {
        {"gazebo", "<gazebo a=\"1\" b=\"&quot;\">x<b/>y</gazebo>", true},
        {"x:y", "<x:y/>", true},
        {"gazebo", "<gazebo>", false},
        {"gazebo", "<gazebo><a></gazebo></a>", false},
        {"gazebo", "<gazebo/><link name=\"x\"/>", false},
        {"gazebo", "<gazebo a=\"1\" a=\"2\"/>", false},
        {"gazebo", "<gazebo a=\"<\"/>", false},
        {"gazebo", "<gazebo a=1/>", false},
        {"gazebo", "<gazebo>&nbsp;</gazebo>", false},
        {"gazebo", "<gazebo>]]></gazebo>", false},
        {"gazebo", "<gazebo>\x01</gazebo>", false},
        {"gazebo", "<gazebo>\xef\xbf\xbf</gazebo>", false},
        {"gazebo", "<gazebo><!-- --></gazebo>", false},
        {"gazebo", "<gazebo/> ", false},
        {"gazebo", "<gazebo / >", false},
        {"gazebo", "<", false},
        {"gazebo", "<gazebo", false},
        {"gazebo", "<a/>", false},
        {"x:", "<x:/>", false},
        {"link", "<link name=\"base\"/>", false},
        {"joint", "<joint name=\"base\"/>", false},
        {"visual", "<visual/>", false},
        {"note", "text", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        fresh_scene();
        uint32_t base = add_node_at(scene, 0, "base", NULL);
        add_metadata_of(scene, i % 2 ? CP_OWNER_SCENE : CP_OWNER_NODE, i % 2 ? 0 : base, entries[i].key,
                        CP_VALUE_STRING, entries[i].value);
        const char *text = text_of(NULL);
        if ((strstr(text, entries[i].value) != NULL && strlen(entries[i].value) > 1) != entries[i].good ||
            count_lost(context, "urdf-metadata") != !entries[i].good)
            fail_msg("%s", entries[i].value);
        cp_scene_free(read_scene(context, text, "again.urdf", NULL));
    }
}

static void deep_elements_are_left_out(void **state)
{
    (void)state;
    enum { DEEP = 5000 };
    char *text = scratch(7 * DEEP + 1, 1);
    for (int i = 0; i < DEEP; i++)
        memcpy(text + 3 * i, "<a>", 3);
    for (int i = 0; i < DEEP; i++)
        memcpy(text + 3 * DEEP + 4 * i, "</a>", 4);
    (void)add_node_at(scene, 0, "base", NULL);
    add_metadata_of(scene, CP_OWNER_SCENE, 0, "a", CP_VALUE_STRING, text);
    must_lack(text_of(NULL), "<a>");
    assert_int_equal(count_lost(context, "urdf-metadata"), 1);
}

#define EACH(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {EACH(what_a_reader_kept_is_written), EACH(names_of_visuals),
                                       EACH(only_elements_are_written), EACH(deep_elements_are_left_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
