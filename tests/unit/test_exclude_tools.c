/* tools= of exclude: shapes that are attached to links, against a robot whose own file has the same shapes, and against
 * random states of it. */
#include "scene_fixture.h"

/* A sliding base and two links that turn, beside a post. `held` is what the last link has beside its own shape. */
static void write_robot(const char *name, const char *held)
{
    char text[4096];
    (void)snprintf(
        text, sizeof text,
        "<robot name=\"r\"><link name=\"root\"/>\n"
        "<link name=\"post\"><collision><origin xyz=\"0.9 0 0.4\"/><geometry><cylinder radius=\"0.05\" "
        "length=\"0.8\"/></geometry></collision></link>\n"
        "<link name=\"slide\"><collision><geometry><box size=\"0.2 0.2 0.1\"/></geometry></collision></link>\n"
        "<link name=\"arm\"><collision><origin xyz=\"0.2 0 0\"/><geometry><box size=\"0.4 0.06 0.06\"/></geometry>"
        "</collision></link>\n"
        "<link name=\"hand\"><collision><origin xyz=\"0.05 0 0\"/><geometry><box size=\"0.1 0.08 0.04\"/></geometry>"
        "</collision>%s</link>\n"
        "<joint name=\"p\" type=\"fixed\"><parent link=\"root\"/><child link=\"post\"/></joint>\n"
        "<joint name=\"s\" type=\"prismatic\"><parent link=\"root\"/><child link=\"slide\"/><axis xyz=\"0 1 0\"/>"
        "<limit lower=\"-0.3\" upper=\"0.3\" effort=\"1\" velocity=\"1\"/></joint>\n"
        "<joint name=\"a\" type=\"revolute\"><parent link=\"slide\"/><child link=\"arm\"/><origin xyz=\"0 0 0.2\"/>"
        "<axis xyz=\"0 0 1\"/><limit lower=\"-2\" upper=\"2\" effort=\"1\" velocity=\"1\"/></joint>\n"
        "<joint name=\"b\" type=\"revolute\"><parent link=\"arm\"/><child link=\"hand\"/><origin xyz=\"0.4 0 0\"/>"
        "<axis xyz=\"0 1 0\"/><limit lower=\"-1.5\" upper=\"1.5\" effort=\"1\" velocity=\"1\"/></joint></robot>\n",
        held);
    write_file(name, text);
}

static void read_robot(const char *name)
{
    cp_scene_free(scene);
    scene = NULL;
    expect_status(context, cp_read(context, path_of(name), NULL, NULL, 0, &scene), CP_OK);
}

static const cp_pair *pair_of(const char *one, const char *other)
{
    const cp_node *nodes = cp_nodes(scene, NULL);
    for (uint32_t i = 0; i < count_pairs(scene); i++) {
        const cp_pair *pair = &cp_pairs(scene, NULL)[i];
        const char *first = nodes[pair->first].name, *second = nodes[pair->second].name;
        if ((!strcmp(first, one) && !strcmp(second, other)) || (!strcmp(first, other) && !strcmp(second, one)))
            return pair;
    }
    fail_msg("no pair %s %s", one, other);
    return NULL;
}

/* The name of the pairs' status, one a line, and their keys. */
static char *list_findings(void)
{
    static char texts[2][4096];
    static int turn;
    char *text = texts[turn++ % 2], *at = text;
    *at = '\0';
    for (uint32_t i = 0; i < count_pairs(scene); i++) {
        const cp_pair *pair = &cp_pairs(scene, NULL)[i];
        at += snprintf(at, (size_t)(text + sizeof texts[0] - at), "%s %s %s %llx\n",
                       cp_nodes(scene, NULL)[pair->first].name, cp_nodes(scene, NULL)[pair->second].name, pair->reason,
                       (unsigned long long)pair->finding->key);
    }
    return text;
}

static void exclude(const char *tools)
{
    char option[512];
    const char *options[] = {option};
    (void)snprintf(option, sizeof option, "tools=%s", tools);
    expect_status(context, cp_apply(context, scene, "exclude", options, *tools ? 1 : 0), CP_OK);
}

/* Looks at random states of the robot in that file: no pair of the scene that is proved never to collide collides
 * there, and the witness of each that does collide holds. */
static void try_states(const char *name)
{
    cp_scene *whole;
    cp_collider *collider;
    expect_status(context, cp_read(context, path_of(name), NULL, NULL, 0, &whole), CP_OK);
    expect_status(context, cp_collider_new(context, whole, 1e-6, true, &collider), CP_OK);
    cp_pose worlds[32];
    uint32_t nodes, joints, count, met = 0;
    (void)cp_nodes(whole, &nodes);
    const cp_joint *rows = cp_joints(whole, &joints);
    assert_true(nodes <= 32 && joints == 3);
    for (uint32_t state = 0; state < 3000; state++) {
        double q[3];
        const cp_contact *contacts;
        for (uint32_t i = 0; i < joints; i++)
            q[i] = random_number(rows[i].lower, rows[i].upper);
        expect_status(context, cp_world_poses(context, whole, q, worlds), CP_OK);
        expect_status(context, cp_collide(collider, worlds, 0, &contacts, &count), CP_OK);
        for (uint32_t i = 0; i < count; i++) {
            const cp_node *names = cp_nodes(whole, NULL);
            const cp_pair *pair = pair_of(names[contacts[i].first].name, names[contacts[i].second].name);
            met += strcmp(pair->reason, "sometimes") == 0;
            assert_string_not_equal(pair->reason, "never-proved");
        }
    }
    assert_true(met > 0);
    for (uint32_t k = 0; k < count_pairs(scene); k++) {
        const cp_pair *pair = &cp_pairs(scene, NULL)[k];
        const cp_contact *contacts;
        double q[3] = {0};
        bool meets = false;
        if (strcmp(pair->reason, "sometimes") != 0)
            continue;
        for (uint32_t i = 0; i < pair->finding->witness_count; i++)
            q[pair->finding->witness[i].joint] = pair->finding->witness[i].value;
        expect_status(context, cp_world_poses(context, whole, q, worlds), CP_OK);
        expect_status(context, cp_collide(collider, worlds, 0, &contacts, &count), CP_OK);
        for (uint32_t i = 0; i < count; i++)
            meets = meets || (contacts[i].first == pair->first && contacts[i].second == pair->second) ||
                    (contacts[i].first == pair->second && contacts[i].second == pair->first);
        assert_true(meets);
    }
    cp_collider_free(collider);
    cp_scene_free(whole);
}

#define BOX "<collision><origin xyz=\"0.3 0 0\"/><geometry><box size=\"0.5 0.05 0.05\"/></geometry></collision>"
#define BALL "<collision><origin xyz=\"0.5 0 0.1\"/><geometry><sphere radius=\"0.04\"/></geometry></collision>"

/* A file whose link has the name of the robot's. */
static void test_by_name(void **unused)
{
    (void)unused;
    write_file("tool.urdf", "<robot name=\"tool\"><link name=\"hand\">" BOX BALL "</link></robot>\n");
    write_robot("bare.urdf", "");
    write_robot("whole.urdf", BOX BALL);
    read_robot("bare.urdf");
    exclude("");
    assert_string_equal(pair_of("hand", "post")->reason, "never-proved");
    assert_string_equal(pair_of("hand", "slide")->reason, "never-proved");
    read_robot("bare.urdf");
    exclude(path_of("tool.urdf"));
    assert_string_equal(pair_of("hand", "post")->reason, "sometimes");
    assert_string_equal(pair_of("hand", "slide")->reason, "never-proved");
    assert_string_equal(pair_of("arm", "post")->reason, "never-proved");
    try_states("whole.urdf");
    const char *with_tool = list_findings();
    read_robot("whole.urdf");
    exclude("");
    assert_string_equal(with_tool, list_findings());
}

/* Links of the file that are fixed below the one with the name, whose own pose does not count; and a link that the file
 * is given to. */
static void test_poses(void **unused)
{
    (void)unused;
    static const char tree[] =
        "<robot name=\"tool\"><link name=\"stand\"/><link name=\"%s\"/><link name=\"jaw\"><collision><geometry><box "
        "size=\"0.5 0.05 0.05\"/></geometry></collision><visual><geometry><sphere radius=\"9\"/></geometry></visual>"
        "</link><joint name=\"up\" type=\"fixed\"><parent link=\"stand\"/><child link=\"%s\"/><origin xyz=\"%s\" "
        "rpy=\"0 0 1.5707963267948966\"/></joint><joint name=\"on\" type=\"fixed\"><parent link=\"%s\"/><child "
        "link=\"jaw\"/><origin xyz=\"%s\" rpy=\"0 0 %s\"/></joint></robot>\n";
    write_robot("bare.urdf", "");
    write_robot("whole.urdf", BOX);
    for (int given = 0; given < 2; given++) {
        const char *link = given ? "plate" : "hand";
        char tools[256], text[2048];
        (void)snprintf(text, sizeof text, tree, link, link, given ? "0.3 0 0" : "7 8 9", link,
                       given ? "0 0 0" : "0.3 0 0", given ? "-1.5707963267948966" : "0");
        write_file("tool.urdf", text);
        (void)snprintf(tools, sizeof tools, "%s%s", given ? "hand:" : "", path_of("tool.urdf"));
        read_robot("bare.urdf");
        exclude(tools);
        assert_string_equal(pair_of("hand", "post")->reason, "sometimes");
        try_states("whole.urdf");
    }
}

/* The function for hosts leaves the scene alone on failure. */
static void test_failure(void **unused)
{
    (void)unused;
    write_robot("bare.urdf", "");
    read_robot("bare.urdf");
    uint32_t before, after;
    char tools[512];
    const int size = snprintf(tools, sizeof tools, "hand:%s", TEST_ROOT "/../samples/stl_one_facet.stl");
    (void)cp_instances(scene, &before);
    (void)snprintf(tools + size, sizeof tools - (size_t)size, ",nowhere:%s", TEST_ROOT "/../samples/stl_one_facet.stl");
    expect_status(context, cp_attach_tools(context, scene, tools), CP_USAGE);
    (void)cp_instances(scene, &after);
    assert_int_equal(before, after);
    tools[size] = '\0';
    expect_status(context, cp_attach_tools(context, scene, tools), CP_OK);
    (void)cp_instances(scene, &after);
    assert_int_equal(before + 1, after);
    expect_status(context, cp_attach_tools(context, scene, ""), CP_USAGE);
    assert_true(was_reported(context, "tools-item"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(test_by_name, set_up, tear_down),
                                       cmocka_unit_test_setup_teardown(test_poses, set_up, tear_down),
                                       cmocka_unit_test_setup_teardown(test_failure, set_up, tear_down)};
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
