/* COLLADA's kinematics: joints move nodes as a number in the file would. Poses are compared with those of the same file
 * with other numbers in its transforms, which no joint then moves. */
#include "assimp_support.h"

#define GEOMETRY                                                                                                       \
    "<library_geometries><geometry id='g'><mesh><source id='p'><float_array id='pa' count='9'>0 0 0 1 0 0 0 1 "        \
    "0</float_array><technique_common><accessor source='#pa' count='3' stride='3'><param name='X' type='float'/>"      \
    "<param name='Y' type='float'/><param name='Z' type='float'/></accessor></technique_common></source>"              \
    "<vertices id='v'><input semantic='POSITION' source='#p'/></vertices><triangles count='1'>"                        \
    "<input semantic='VERTEX' source='#v' offset='0'/><p>0 1 2</p></triangles></mesh></geometry></library_geometries>"
#define SHAPE "<instance_geometry url='#g'/>"
#define REVOLUTE(name, sid, axis, lower, upper)                                                                        \
    "<joint name='" name "' sid='" sid "'><revolute sid='axis0'><axis>" axis "</axis><limits><min>" lower              \
    "</min><max>" upper "</max></limits></revolute></joint>"
#define PRISMATIC(name, sid, axis, lower, upper)                                                                       \
    "<joint name='" name "' sid='" sid "'><prismatic sid='axis0'><axis>" axis "</axis><limits><min>" lower             \
    "</min><max>" upper "</max></limits></prismatic></joint>"
#define BIND(target, param)                                                                                            \
    "<bind_joint_axis target='" target "'><axis><param>" param "</param></axis></bind_joint_axis>"
/* Two joints by the chain of params that exporters write. */
#define MODEL(joints)                                                                                                  \
    "<library_kinematics_models><kinematics_model id='km'><technique_common>" joints                                   \
    "</technique_common></kinematics_model></library_kinematics_models><library_articulated_systems>"                  \
    "<articulated_system id='as' name='arm'><kinematics><instance_kinematics_model url='#km' sid='kmi'>"               \
    "<newparam sid='as0'><SIDREF>as/kmi/joint0/axis0</SIDREF></newparam>"                                              \
    "<newparam sid='as1'><SIDREF>as/kmi/joint1/axis0</SIDREF></newparam></instance_kinematics_model></kinematics>"     \
    "</articulated_system><articulated_system id='ms'><motion><instance_articulated_system url='#as' sid='asi'>"       \
    "<newparam sid='ms0'><SIDREF>as/as0</SIDREF></newparam><newparam sid='ms1'><SIDREF>as/as1</SIDREF></newparam>"     \
    "</instance_articulated_system></motion></articulated_system></library_articulated_systems>"                       \
    "<library_kinematics_scenes><kinematics_scene id='ks'><instance_articulated_system url='#ms' sid='msi' "           \
    "name='robot'><newparam sid='ks0'><SIDREF>ms/ms0</SIDREF></newparam>"                                              \
    "<newparam sid='ks1'><SIDREF>ms/ms1</SIDREF></newparam></instance_articulated_system></kinematics_scene>"          \
    "</library_kinematics_scenes>"
#define BOTH BIND("top/a", "ks0") BIND("top/b", "ks1")

/* Writes a document. nodes: of the visual scene. */
static void write_document(char *text, size_t size, const char *asset, const char *libraries, const char *nodes,
                           const char *bindings)
{
    int length = snprintf(text, size,
                          "<COLLADA xmlns='http://www.collada.org/2008/03/COLLADASchema' version='1.5.0'>"
                          "<asset>%s</asset>" GEOMETRY "%s<library_visual_scenes><visual_scene id='s'>%s"
                          "</visual_scene></library_visual_scenes><scene><instance_visual_scene url='#s'/>"
                          "<instance_kinematics_scene url='#ks'>%s</instance_kinematics_scene></scene></COLLADA>",
                          asset, libraries, nodes, bindings);
    assert_true(length > 0 && (size_t)length < size);
}

enum { TEXT_SIZE = 16384 };

static cp_scene *read_document(cp_context *context, const char *asset, const char *libraries, const char *nodes,
                               const char *bindings)
{
    static char text[TEXT_SIZE];
    write_document(text, sizeof text, asset, libraries, nodes, bindings);
    return read_scene(context, text, "robot.dae", NULL);
}

#define METRES "<unit meter='1'/><up_axis>Z_UP</up_axis>"

/* Transforms of the first node's joint and of the second's; %s: their numbers. */
static const struct arm {
    const char *what, *asset, *first, *second;
    const char *axes; /* joints of the model */
    uint32_t frames;  /* nodes that are added for joints */
} arms[] = {
    {"a joint between two pieces of a rotation", METRES,
     "<translate>0 0 3</translate><rotate>-1 0 0 90</rotate><rotate sid='a'>0 0 1 %s</rotate><rotate>1 0 0 90</rotate>",
     "<translate>1 0 0</translate><rotate sid='b'>0.6 0 0.8 %s</rotate>",
     REVOLUTE("J0", "joint0", "0 0 1", "-170", "165") REVOLUTE("J1", "joint1", "0.6 0 0.8", "-10", "10"), 0},
    {"an axis beside the node's origin", METRES, "<rotate sid='a'>0 0 1 %s</rotate><translate>0.5 0 0</translate>",
     "<scale>2 2 2</scale><rotate sid='b'>1 0 0 %s</rotate><translate>3 0 1</translate><scale>1 2 3</scale>",
     REVOLUTE("J0", "joint0", "0 0 1", "-170", "165") REVOLUTE("J1", "joint1", "1 0 0", "-10", "10"), 2},
    {"inches and Y up", "<unit meter='0.0254'/><up_axis>Y_UP</up_axis>",
     "<translate>0 7 3</translate><rotate>0 1 0 30</rotate><rotate sid='a'>0 0 2 %s</rotate><rotate>1 2 0 20</rotate>",
     "<matrix>0 1 0 5 1 0 0 6 0 0 -1 7 0 0 0 1</matrix><rotate sid='b'>0 -1 0 %s</rotate><translate>0 4 0</translate>",
     REVOLUTE("J0", "joint0", "0 0 1", "-170", "165") REVOLUTE("J1", "joint1", "0 -1 0", "-10", "10"), 0},
    {"a scale behind a joint", METRES, "<rotate sid='a'>0 0 1 %s</rotate><scale>1 2 3</scale>",
     "<translate>1 0 0</translate><rotate sid='b'>1 0 0 %s</rotate>",
     REVOLUTE("J0", "joint0", "0 0 1", "-170", "165") REVOLUTE("J1", "joint1", "1 0 0", "-10", "10"), 1},
    {"a joint after a mirror and X up", "<unit meter='0.001'/><up_axis>X_UP</up_axis>",
     "<scale>1 -1 1</scale><rotate sid='a'>0 0 1 %s</rotate>",
     "<translate>5 0 0</translate><rotate sid='b'>1 0 0 %s</rotate><rotate>0 1 0 90</rotate>",
     REVOLUTE("J0", "joint0", "0 0 1", "-170", "165") REVOLUTE("J1", "joint1", "1 0 0", "-10", "10"), 0},
};

static void write_arm(char *text, size_t size, const struct arm *arm, const char *first, const char *second, bool bound)
{
    char transforms[2][512], nodes[2048];
    (void)snprintf(transforms[0], sizeof transforms[0], arm->first, first);
    (void)snprintf(transforms[1], sizeof transforms[1], arm->second, second);
    (void)snprintf(nodes, sizeof nodes,
                   "<node id='top' name='Base'>" SHAPE "<node name='Arm'>%s" SHAPE "<node name='Hand'>%s" SHAPE
                   "</node></node></node>",
                   transforms[0], transforms[1]);
    char model[8192];
    (void)snprintf(model, sizeof model, MODEL("%s"), arm->axes);
    write_document(text, size, arm->asset, bound ? model : "", nodes, bound ? BOTH : "");
}

static cp_pose world_of(cp_context *context, const cp_scene *scene, const char *name, const double *q)
{
    uint32_t count;
    (void)cp_nodes(scene, &count);
    cp_pose *worlds = malloc(count * sizeof *worlds);
    assert_int_equal(cp_world_poses(context, scene, q, worlds), CP_OK);
    cp_pose world = worlds[find_node(scene, name)];
    free(worlds);
    return world;
}

/* Node by node, the poses are those of the file in which somebody has turned the numbers. */
static void test_moves_as_the_file(void **state)
{
    static const double values[][2] = {{0, 0}, {90, 0}, {0, -60}, {37.25, 123.5}, {-200, 17}};
    static char text[TEXT_SIZE];
    for (size_t i = 0; i < sizeof arms / sizeof *arms; i++)
        for (size_t home = 0; home < 2; home++) { /* the picture's own numbers: 0, or others */
            write_arm(text, sizeof text, &arms[i], home ? "20" : "0", home ? "-5.5" : "0", true);
            cp_scene *scene = read_scene(*state, text, "robot.dae", NULL);
            assert_int_equal(count_joints(scene), 2);
            assert_int_equal(count_nodes(scene), 4 + arms[i].frames);
            assert_true(fabs(joint_called(scene, "J0")->home - (home ? 20 : 0) * PI / 180) < 1e-12);
            for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
                const double q[2] = {values[k][0] * PI / 180, values[k][1] * PI / 180};
                char numbers[2][32];
                (void)snprintf(numbers[0], sizeof numbers[0], "%.17g", values[k][0]);
                (void)snprintf(numbers[1], sizeof numbers[1], "%.17g", values[k][1]);
                write_arm(text, sizeof text, &arms[i], numbers[0], numbers[1], false);
                cp_scene *turned = read_scene(*state, text, "robot.dae", NULL);
                static const char *const names[] = {"Base", "Arm", "Hand"};
                for (int n = 0; n < 3; n++) {
                    cp_pose moved = world_of(*state, scene, names[n], q);
                    cp_pose wanted = world_of(*state, turned, names[n], NULL);
                    expect_pose(&moved, wanted.m, 1e-9);
                }
                cp_scene_free(turned);
            }
            cp_scene_free(scene);
        }
}

static void expect_joint(const cp_scene *scene, const char *name, const char *node, cp_joint_type type, double lower,
                         double upper, double home)
{
    uint32_t count;
    const cp_joint *joint = joint_called(scene, name);
    assert_string_equal(cp_nodes(scene, &count)[joint->node].name, node);
    assert_int_equal(joint->type, type);
    assert_true(fabs(joint->lower - lower) < 1e-12 || joint->lower == lower);
    assert_true(fabs(joint->upper - upper) < 1e-12 || joint->upper == upper);
    assert_true(fabs(joint->home - home) < 1e-12);
}

/* Names, limits, homes and the device, in millimetres. */
static void test_limits(void **state)
{
    uint32_t count;
    cp_scene *scene = read_document(
        *state, "<unit meter='0.001'/><up_axis>Z_UP</up_axis>",
        MODEL(REVOLUTE("turn", "joint0", "0 0 1", "-170", "165") PRISMATIC("slide", "joint1", "2 0 0", "0", "500")),
        "<node id='top' name='Base'><node name='Arm'><rotate sid='a'>0 0 1 30</rotate>"
        "<node name='Hand'><translate sid='b'>40 3 0</translate>" SHAPE "</node></node></node>",
        BOTH);
    expect_joint(scene, "turn", "Arm", CP_JOINT_REVOLUTE, -170 * PI / 180, 165 * PI / 180, PI / 6);
    expect_joint(scene, "slide", "Hand", CP_JOINT_PRISMATIC, 0, 0.5, 0.04);
    const cp_joint *slide = joint_called(scene, "slide");
    const cp_device *device = cp_devices(scene, &count);
    assert_true(slide->axis[0] == 1 && slide->driven && slide->master == CP_NONE);
    const double rest[12] = {1, 0, 0, 0, 0, 1, 0, 0.003, 0, 0, 1, 0};
    expect_pose(&cp_nodes(scene, &count)[slide->node].local, rest, 1e-15);
    assert_int_equal(count_devices(scene), 1);
    assert_string_equal(device->name, "robot");
    assert_true(device->kind == CP_DEVICE_SERIAL && device->joint_count == 2 && device->end_count == 1);
    assert_int_equal(device->base, find_node(scene, "Base"));
    assert_int_equal(device->ends[0], find_node(scene, "Hand"));
    cp_scene_free(scene);
}

/* One robot of the library twice, each with joints of its own. */
static void test_two_instances(void **state)
{
    uint32_t count;
    cp_scene *scene = read_document(
        *state, METRES,
        MODEL(REVOLUTE("J0", "joint0", "0 0 1", "-1", "1") REVOLUTE(
            "J1", "joint1", "0 0 1", "-2",
            "2")) "<library_nodes><node id='l' name='Link' sid='link'><rotate sid='a'>0 0 1 0</rotate>" SHAPE "</node>"
                  "</library_nodes>",
        "<node id='left' name='Left'><translate>1 0 0</translate><instance_node url='#l'/></node>"
        "<node id='right' name='Right'><translate>5 0 0</translate><instance_node url='#l'/></node>",
        BIND("left/a", "ks0") BIND("right/link/a", "ks1"));
    const cp_node *nodes = cp_nodes(scene, &count);
    assert_int_equal(count_joints(scene), 2);
    assert_string_equal(nodes[nodes[joint_called(scene, "J0")->node].parent].name, "Left");
    assert_string_equal(nodes[nodes[joint_called(scene, "J1")->node].parent].name, "Right");
    const cp_device *device = cp_devices(scene, &count);
    assert_int_equal(count, 1);
    assert_true(device->kind == CP_DEVICE_TREE && device->base == 0 && device->end_count == 2);
    cp_scene_free(scene);
}

/* One axis that moves two places: the second joint follows the first. */
static void test_shared_axis(void **state)
{
    cp_scene *scene = read_document(
        *state, METRES,
        MODEL(REVOLUTE("J0", "joint0", "0 0 1", "-1",
                       "1")) "<library_nodes><node id='l' name='Link'><rotate sid='a'>0 0 1 0</rotate>" SHAPE
                             "</node></library_nodes>",
        "<node name='Left'><instance_node url='#l'/></node><node name='Right'><instance_node url='#l'/></node>",
        BIND("l/a", "ks0"));
    uint32_t count;
    const cp_joint *joints = cp_joints(scene, &count);
    assert_int_equal(count, 2);
    assert_true(joints[0].master == CP_NONE && joints[1].master == 0 && joints[1].scale == 1 && !joints[1].driven);
    assert_int_equal(cp_devices(scene, &count)->joint_count, 1);
    cp_scene_free(scene);
}

/* Joints of the library, by instance_joint; two axes of one joint in one node. */
static void test_library_of_joints(void **state)
{
    uint32_t count;
    cp_scene *scene = read_document(
        *state, METRES,
        "<library_joints><joint id='j' name='wrist'><revolute sid='x'><axis>1 0 0</axis></revolute>"
        "<revolute sid='y'><axis>0 1 0</axis><limits><min>-5</min><max>5</max></limits></revolute></joint>"
        "</library_joints><library_kinematics_models><kinematics_model id='km'><technique_common>"
        "<instance_joint url='#j' sid='ij'/></technique_common></kinematics_model></library_kinematics_models>",
        "<node id='top' name='Hand'><rotate sid='a'>1 0 0 0</rotate><rotate sid='b'>0 1 0 0</rotate>" SHAPE "</node>",
        "<bind_joint_axis target='top/a'><axis><SIDREF>km/ij/x</SIDREF></axis></bind_joint_axis>"
        "<bind_joint_axis target='top/b'><axis><SIDREF>km/ij/y</SIDREF></axis></bind_joint_axis>");
    expect_joint(scene, "wrist.x", "Hand", CP_JOINT_REVOLUTE, -INFINITY, INFINITY, 0);
    expect_joint(scene, "wrist.y", "Hand", CP_JOINT_REVOLUTE, -5 * PI / 180, 5 * PI / 180, 0);
    assert_int_equal(cp_devices(scene, &count)->end_count, 1);
    cp_scene_free(scene);
}

/* Names that are not found and elements that are not read are losses. */
static void test_losses(void **state)
{
    cp_scene *scene = read_document(
        *state, METRES,
        MODEL(
            REVOLUTE("J0", "joint0", "0 0 1", "5",
                     "-5") "<formula/>"
                           "<link><attachment_full joint='km/joint0'><link><attachment_start joint='km/joint9'/></link>"
                           "</attachment_full></link>") "<library_articulated_systems><articulated_system "
                                                        "id='x'><motion><technique_common>"
                                                        "<axis_info "
                                                        "axis='km/joint0/axis0'><speed><float>1</float></speed></"
                                                        "axis_info><effector_info sid='e'/>"
                                                        "</technique_common></motion><extra "
                                                        "type='attach_sensor'/><extra type='o'/></articulated_system></"
                                                        "library_articulated_systems>",
        "<node id='top' name='Arm'><rotate sid='a'>0 1 0 0</rotate>"
        "<node name='Hand'><rotate sid='b'>0 1 0 0</rotate><scale sid='c'>1 1 1</scale>" SHAPE "</node></node>",
        BIND("top/a", "ks0") BIND("top/b", "nobody") BIND("top/c", "ks0") BIND("top/d", "ks0") BIND("e/a", "ks0"));
    assert_int_equal(count_joints(scene), 2);
    expect_joint(scene, "J0", "Arm", CP_JOINT_REVOLUTE, -INFINITY, INFINITY, 0); /* limits that make no sense */
    expect_joint(scene, "Hand", "Hand", CP_JOINT_REVOLUTE, -INFINITY, INFINITY, 0);
    assert_int_equal(count_entries(*state, CP_WARNING, "collada-limits"), 1);
    assert_int_equal(count_entries(*state, CP_WARNING, "collada-joint-axis"), 1); /* 0 0 1 in the model */
    assert_int_equal(count_entries(*state, CP_WARNING, "collada-joint-model"), 1);
    assert_int_equal(count_lost(*state, "collada-joint"), 3);
    assert_int_equal(count_lost(*state, "collada-formula"), 1);
    assert_int_equal(count_lost(*state, "collada-loop"), 1);
    assert_int_equal(count_lost(*state, "collada-speed"), 1);
    assert_int_equal(count_lost(*state, "collada-effector"), 1);
    assert_int_equal(count_lost(*state, "collada-sensor"), 1);
    assert_int_equal(count_devices(scene), 2); /* the robot's, and one of the joint without a model */
    cp_scene_free(scene);
}

#define NUMBERS(id, values)                                                                                            \
    "<source id='" id "'><float_array id='" id "-a' count='2'>" values                                                 \
    "</float_array><technique_common><accessor source='#" id                                                           \
    "-a' count='2' stride='1'><param name='V' type='float'/></accessor></technique_common></source>"
#define CHANNEL(number, values, target)                                                                                \
    "<animation>" NUMBERS("t" number, "0 1")                                                                           \
        NUMBERS("v" number, values) "<sampler id='sa" number "'><input semantic='INPUT' source='#t" number             \
                                    "'/><input semantic='OUTPUT' source='#v" number                                    \
                                    "'/></sampler><channel source='#sa" number "' target='" target "'/></animation>"

/* Keys of a joint's transform are keys of the joint; others of its node are lost. */
static void test_moving_joints(void **state)
{
    uint32_t count;
    cp_scene *scene = read_document(
        *state, "<unit meter='0.001'/><up_axis>Z_UP</up_axis>",
        MODEL(REVOLUTE("turn", "joint0", "0 0 1", "-170", "165") PRISMATIC(
            "slide", "joint1", "1 0 0", "0", "500")) "<library_animations>" CHANNEL("0", "0 540", "top/a.ANGLE")
            CHANNEL("1", "20 40", "top/b.X") CHANNEL("2", "0 7", "top/c.X") "</library_animations>",
        "<node id='top' name='Base'><node name='Arm'><translate sid='c'>0 0 0</translate><rotate sid='a'>0 0 1 "
        "0</rotate>"
        "<node name='Hand'><translate sid='b'>0 0 0</translate>" SHAPE "</node></node></node>",
        BOTH);
    const cp_clip *clip = cp_clips(scene, &count);
    assert_true(count == 1 && clip->track_count == 2);
    for (int i = 0; i < 2; i++) {
        const cp_track *track = &clip->tracks[i];
        const char *name = cp_joints(scene, &count)[track->target].name;
        bool turns = strcmp(name, "turn") == 0;
        assert_true(track->path == CP_PATH_JOINT && track->key_count == 2);
        assert_true(fabs(track->values[0] - (turns ? 0 : 0.02)) < 1e-12);
        assert_true(fabs(track->values[1] - (turns ? 3 * PI : 0.04)) < 1e-12);
    }
    assert_int_equal(count_lost(*state, "collada-animation"), 1);
    cp_scene_free(scene);
}

/* Params that lead in a circle, and nodes that show each other, end. */
static void test_rings(void **state)
{
    static char text[TEXT_SIZE];
    cp_scene *scene;
    write_document(text, sizeof text, METRES,
                   "<library_kinematics_scenes><kinematics_scene id='ks'><newparam sid='p'><SIDREF>ks/q</SIDREF>"
                   "</newparam><newparam sid='q'><SIDREF>ks/p</SIDREF></newparam></kinematics_scene>"
                   "</library_kinematics_scenes><library_nodes><node id='x'><instance_node url='#y'/></node>"
                   "<node id='y'><instance_node url='#x'/></node></library_nodes>",
                   "<node id='top' name='Arm'><rotate sid='a'>0 0 1 0</rotate>" SHAPE "</node>",
                   BIND("top/a", "p") BIND("x/nobody", "q"));
    assert_int_equal(cp_read_memory(*state, text, strlen(text), "a.dae", NULL, NULL, 0, &scene), CP_OK);
    assert_int_equal(count_joints(scene), 1);
    assert_int_equal(count_lost(*state, "collada-joint"), 1);
    cp_scene_free(scene);
}

/* Searches for sids end: 2,500 paths to what is not there, among 2,000 nodes. */
static void test_long_searches(void **state)
{
    enum { NODES = 2000, PATHS = 2500, SIZE = 1 << 18 };
    char *text = malloc(SIZE);
    cp_scene *scene;
    size_t at = (size_t)snprintf(text, SIZE,
                                 "<COLLADA version='1.4.1'><library_visual_scenes><visual_scene id='s'>"
                                 "<node id='n'>");
    for (int i = 0; i < NODES; i++)
        at += (size_t)snprintf(text + at, SIZE - at, "<node sid='m'/>");
    at += (size_t)snprintf(text + at, SIZE - at,
                           "</node></visual_scene></library_visual_scenes><library_animations>"
                           "<animation>");
    for (int i = 0; i < PATHS; i++)
        at += (size_t)snprintf(text + at, SIZE - at, "<channel source='#x' target='n/o'/>");
    at += (size_t)snprintf(text + at, SIZE - at, "</animation></library_animations></COLLADA>");
    assert_int_equal(cp_read_memory(*state, text, at, "a.dae", NULL, NULL, 0, &scene), CP_LIMIT);
    assert_true(was_reported(*state, "collada-path"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_moves_as_the_file), TEST(test_limits), TEST(test_two_instances), TEST(test_shared_axis),
        TEST(test_library_of_joints), TEST(test_losses), TEST(test_moving_joints), TEST(test_rings),
        TEST(test_long_searches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
