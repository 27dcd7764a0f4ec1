/* COLLADA's animations as clips. Expected poses are computed by hand from the curves' definitions. */
#include "assimp_support.h"

#define SHAPE                                                                                                          \
    "<library_geometries><geometry id='g'><mesh><source id='p'><float_array id='pa' count='9'>0 0 0 1 0 0 0 1 "        \
    "0</float_array><technique_common><accessor source='#pa' count='3' stride='3'><param name='X' type='float'/>"      \
    "<param name='Y' type='float'/><param name='Z' type='float'/></accessor></technique_common></source>"              \
    "<vertices id='v'><input semantic='POSITION' source='#p'/></vertices><triangles count='1'>"                        \
    "<input semantic='VERTEX' source='#v' offset='0'/><p>0 1 2</p></triangles></mesh></geometry></library_geometries>"

/* A source of `width` numbers an element, or of words. */
static void add_source(char *text, size_t size, const char *id, const char *values, unsigned count, unsigned width)
{
    size_t at = strlen(text);
    (void)snprintf(text + at, size - at,
                   "<source id='%s'><%s id='%s-a' count='%u'>%s</%s><technique_common><accessor source='#%s-a' "
                   "count='%u' stride='%u'>%s</accessor></technique_common></source>",
                   id, width ? "float_array" : "Name_array", id, width ? count * width : count, values,
                   width ? "float_array" : "Name_array", id, count, width ? width : 1,
                   width == 16  ? "<param name='TRANSFORM' type='float4x4'/>"
                   : width == 3 ? "<param name='X' type='float'/><param name='Y' type='float'/>"
                                  "<param name='Z' type='float'/>"
                   : width == 2 ? "<param name='X' type='float'/><param name='Y' type='float'/>"
                                : "<param name='V' type='float'/>");
}

/* A channel: keys as the text has them. */
struct channel {
    const char *target, *times, *values, *ways, *in, *out;
    unsigned count, width, tangent_width;
};

/* Adds an <animation> of a channel; its ids end in the number. */
static void add_animation(char *text, size_t size, unsigned number, const struct channel *channel)
{
    static const char *const inputs[] = {"INPUT", "OUTPUT", "INTERPOLATION", "IN_TANGENT", "OUT_TANGENT"};
    const char *const values[] = {channel->times, channel->values, channel->ways, channel->in, channel->out};
    const unsigned widths[] = {1, channel->width, 0, channel->tangent_width, channel->tangent_width};
    char id[16], sampler[1024] = "";
    size_t at = strlen(text);
    (void)snprintf(text + at, size - at, "<animation id='an%u'>", number);
    for (unsigned i = 0; i < 5; i++) {
        if (!values[i])
            continue;
        (void)snprintf(id, sizeof id, "s%u-%u", i, number);
        add_source(text, size, id, values[i], channel->count, widths[i]);
        at = strlen(sampler);
        (void)snprintf(sampler + at, sizeof sampler - at, "<input semantic='%s' source='#%s'/>", inputs[i], id);
    }
    at = strlen(text);
    (void)snprintf(text + at, size - at,
                   "<sampler id='sa%u'>%s</sampler><channel source='#sa%u' target='%s'/></animation>", number, sampler,
                   number, channel->target);
}

static cp_scene *read_channels(cp_context *context, const char *asset, const char *nodes, const char *clips,
                               const struct channel *channels, unsigned count)
{
    static char text[1 << 15];
    (void)snprintf(
        text, sizeof text,
        "<COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'><asset>%s</asset>" SHAPE
        "<library_animations>",
        asset);
    for (unsigned i = 0; i < count; i++)
        add_animation(text, sizeof text, i, &channels[i]);
    size_t at = strlen(text);
    (void)snprintf(text + at, sizeof text - at,
                   "</library_animations>%s<library_visual_scenes><visual_scene id='s'>%s</visual_scene>"
                   "</library_visual_scenes><scene><instance_visual_scene url='#s'/></scene></COLLADA>",
                   clips, nodes);
    return read_scene(context, text, "move.dae", NULL);
}

#define METRES "<unit meter='1'/><up_axis>Z_UP</up_axis>"
#define NODE(transforms) "<node id='n' name='n'>" transforms "<instance_geometry url='#g'/></node>"

static cp_pose pose_at(cp_context *context, const cp_scene *scene, uint32_t clip, const char *name, double time)
{
    cp_pose worlds[16];
    assert_in_range(count_nodes(scene), 1, 16);
    assert_int_equal(cp_clip_poses(context, scene, clip, time, worlds), CP_OK);
    return worlds[find_node(scene, name)];
}

static void expect_turn(const cp_pose *pose, double degrees, double tolerance)
{
    double c = cos(degrees * PI / 180), s = sin(degrees * PI / 180);
    const double wanted[12] = {c, -s, 0, pose->m[3], s, c, 0, pose->m[7], 0, 0, 1, pose->m[11]};
    expect_pose(pose, wanted, tolerance);
}

/* Turns of 180 degrees and more stay such turns, also of 720. */
static void test_turns(void **state)
{
    static const struct channel channel = {
        "n/r.ANGLE", "0 1 2 3", "0 90 360 1080", "LINEAR LINEAR LINEAR LINEAR", NULL, NULL, 4, 1, 0};
    cp_scene *scene = read_channels(*state, METRES, NODE("<rotate sid='r'>0 0 1 0</rotate>"), "", &channel, 1);
    static const double angles[][2] = {{0, 0},   {0.5, 45},   {1, 90},    {1.5, 225},
                                       {2, 360}, {2.25, 540}, {2.1, 432}, {3, 0}};
    uint32_t count;
    const cp_clip *clip = cp_clips(scene, &count);
    assert_true(count == 1 && clip->track_count == 1 && clip->tracks[0].path == CP_PATH_ROTATION);
    assert_string_equal(clip->name, "an0");
    for (size_t i = 0; i < sizeof angles / sizeof *angles; i++) {
        cp_pose pose = pose_at(*state, scene, 0, "n", angles[i][0]);
        expect_turn(&pose, angles[i][1], 1e-9);
    }
    for (uint32_t i = 1; i < clip->tracks[0].key_count; i++) { /* no step turns by 180 degrees */
        const double *a = clip->tracks[0].values + 4 * (size_t)(i - 1), *b = a + 4;
        assert_true(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] > 0.1);
    }
    cp_scene_free(scene);
}

/* Members of a vector, a rotate, and a matrix by row and column; the rest stays. */
static void test_members(void **state)
{
    static const struct channel channels[] = {
        {"n/t.X", "0 2", "0 4", "LINEAR LINEAR", NULL, NULL, 2, 1, 0},
        {"n/t(2)", "0 1", "0 -3", "LINEAR LINEAR", NULL, NULL, 2, 1, 0},
        {"n/s.Y", "0 1", "1 3", "LINEAR LINEAR", NULL, NULL, 2, 1, 0},
        {"m/mat(1)(3)", "0 1", "0 7", "LINEAR LINEAR", NULL, NULL, 2, 1, 0},
    };
    cp_scene *scene = read_channels(
        *state, METRES,
        NODE("<translate sid='t'>1 5 2</translate><scale sid='s'>1 1 2</scale>") "<node id='m' name='m'><matrix "
                                                                                 "sid='mat'>1 0 0 1 0 1 0 2 0 0 1 3 0 "
                                                                                 "0 0 1</matrix></node>",
        "", channels, 4);
    const double moved[12] = {1, 0, 0, 2, 0, 3, 0, 5, 0, 0, 2, -3}, row[12] = {1, 0, 0, 1, 0, 1, 0, 7, 0, 0, 1, 3};
    cp_pose pose = pose_at(*state, scene, 0, "n", 1);
    expect_pose(&pose, moved, 1e-12);
    pose = pose_at(*state, scene, 0, "m", 1);
    expect_pose(&pose, row, 1e-12);
    assert_string_equal(cp_clips(scene, &(uint32_t){0})->name, "animation");
    cp_scene_free(scene);
}

/* Whole matrices, in inches and with Y up: the pose at a key is the file's, turned. */
static void test_matrices(void **state)
{
    static const struct channel channel = {"n/m",
                                           "0 1",
                                           "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 0 -1 0 3 1 0 0 4 0 0 1 5 0 0 0 1",
                                           "LINEAR LINEAR",
                                           NULL,
                                           NULL,
                                           2,
                                           16,
                                           0};
    cp_scene *scene = read_channels(*state, "<unit meter='0.0254'/><up_axis>Y_UP</up_axis>",
                                    NODE("<matrix sid='m'>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</matrix>"), "", &channel, 1);
    /* x y z of the file are x, -z, y: its turn about z, from x to y, is one from x to our z */
    const double wanted[12] = {0, 0, -1, 3 * 0.0254, 0, 1, 0, -5 * 0.0254, 1, 0, 0, 4 * 0.0254};
    cp_pose pose = pose_at(*state, scene, 0, "n", 1);
    expect_pose(&pose, wanted, 1e-12);
    assert_int_equal(cp_clips(scene, &(uint32_t){0})->tracks[0].key_count, 2);
    cp_scene_free(scene);
}

static double x_at(cp_context *context, const cp_scene *scene, double time)
{
    return pose_at(context, scene, 0, "n", time).m[3];
}

/* Bezier and Hermite curves, with tangents as points and as values alone. */
static void test_curves(void **state)
{
    static const struct {
        const char *ways, *in, *out;
        unsigned width;
        double times[3], values[3]; /* on the curve */
    } cases[] = {
        /* P0 (0 0), C (0.3 0), C (0.7 10), P3 (1 10): s = 1/4 is at 0.240625 and 1.5625 */
        {"BEZIER BEZIER", "0 0 0.7 10", "0.3 0 9 9", 2, {0.240625, 0.5, 0.759375}, {1.5625, 5, 8.4375}},
        /* values alone: s is the time; C 6 and 10 */
        {"BEZIER BEZIER", "0 10", "6 0", 1, {0.25, 0.5, 0.75}, {4.09375, 7.25, 9.28125}},
        /* Hermite: directions 12 and 0 are Bezier's 4 and 10 */
        {"HERMITE HERMITE", "0 0", "12 0", 1, {0.25, 0.5, 0.75}, {3.25, 6.5, 9}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct channel channel = {"n/t.X",      "0 1", "0 10", cases[i].ways, cases[i].in,
                                        cases[i].out, 2,     1,      cases[i].width};
        cp_scene *scene = read_channels(*state, METRES, NODE("<translate sid='t'>0 0 0</translate>"), "", &channel, 1);
        for (int k = 0; k < 3; k++)
            assert_true(fabs(x_at(*state, scene, cases[i].times[k]) - cases[i].values[k]) < 2e-4);
        cp_scene_free(scene);
    }
}

/* Steps alone are a track of steps; among others they are short ways. What is before and after all keys stays. */
static void test_steps(void **state)
{
    static const struct channel channels[] = {{"n/t.X", "1 2 3", "1 5 2", "STEP STEP STEP", NULL, NULL, 3, 1, 0},
                                              {"n/t.Y", "1 3", "0 8", "LINEAR LINEAR", NULL, NULL, 2, 1, 0}};
    for (unsigned count = 1; count <= 2; count++) {
        cp_scene *scene =
            read_channels(*state, METRES, NODE("<translate sid='t'>0 0 0</translate>"), "", channels, count);
        assert_int_equal(cp_clips(scene, &(uint32_t){0})->tracks[0].interpolation, count == 1 ? CP_STEP : CP_LINEAR);
        static const double values[][2] = {{0, 1}, {1, 1}, {1.9, 1}, {1.9999, 1}, {2, 5}, {2.5, 5}, {3, 2}, {9, 2}};
        for (size_t i = 0; i < sizeof values / sizeof *values; i++)
            assert_true(fabs(x_at(*state, scene, values[i][0]) - values[i][1]) < 1e-9);
        if (count == 2)
            assert_true(fabs(pose_at(*state, scene, 0, "n", 2).m[7] - 4) < 1e-9);
        cp_scene_free(scene);
    }
}

/* Turns about two axes at once are no turn about one: keys are added until 0.02 degrees are left. */
static void test_two_turns(void **state)
{
    static const struct channel channels[] = {{"n/a.ANGLE", "0 1", "0 90", "LINEAR LINEAR", NULL, NULL, 2, 1, 0},
                                              {"n/b.ANGLE", "0 1", "0 170", "LINEAR LINEAR", NULL, NULL, 2, 1, 0}};
    cp_scene *scene = read_channels(
        *state, METRES, NODE("<rotate sid='a'>0 0 1 0</rotate><rotate sid='b'>1 0 0 0</rotate>"), "", channels, 2);
    for (int i = 0; i <= 100; i++) {
        double t = i / 100.0, a = t * PI / 2, b = t * 170 * PI / 180;
        const double wanted[12] = {cos(a), -sin(a) * cos(b), sin(a) * sin(b),  0,
                                   sin(a), cos(a) * cos(b),  -cos(a) * sin(b), 0,
                                   0,      sin(b),           cos(b),           0};
        cp_pose pose = pose_at(*state, scene, 0, "n", t);
        expect_pose(&pose, wanted, 5e-4);
    }
    assert_in_range(cp_clips(scene, &(uint32_t){0})->tracks[0].key_count, 5, 200);
    cp_scene_free(scene);
}

/* Clips have their names and their channels; others are a clip of their own. A part of a clip's time is a loss. */
static void test_clips(void **state)
{
    static const struct channel channels[] = {{"n/t.X", "0 1", "0 4", "LINEAR LINEAR", NULL, NULL, 2, 1, 0},
                                              {"n/t.X", "0 1", "0 8", "LINEAR LINEAR", NULL, NULL, 2, 1, 0},
                                              {"n/t.Y", "0 1", "0 2", "LINEAR LINEAR", NULL, NULL, 2, 1, 0}};
    uint32_t count;
    cp_scene *scene = read_channels(
        *state, METRES, NODE("<translate sid='t'>0 0 0</translate>"),
        "<library_animation_clips><animation_clip id='c' name='walk' start='0' end='1'><instance_animation url='#an0'/>"
        "</animation_clip><animation_clip id='run' start='0.5'><instance_animation url='#an1'/>"
        "<instance_animation url='#an0'/><instance_animation url='#nobody'/></animation_clip>"
        "</library_animation_clips>",
        channels, 3);
    const cp_clip *clips = cp_clips(scene, &count);
    assert_int_equal(count, 3);
    assert_string_equal(clips[0].name, "walk");
    assert_string_equal(clips[1].name, "run");
    assert_string_equal(clips[2].name, "animation");
    assert_true(pose_at(*state, scene, 0, "n", 1).m[3] == 4 && pose_at(*state, scene, 1, "n", 1).m[3] == 8);
    assert_true(pose_at(*state, scene, 2, "n", 1).m[7] == 2 && pose_at(*state, scene, 2, "n", 1).m[3] == 0);
    assert_int_equal(count_lost(*state, "collada-clip"), 3);
    cp_scene_free(scene);
}

/* A node that is shown twice moves at both places. */
static void test_places(void **state)
{
    static const struct channel channel = {"n/t.X", "0 1", "0 4", "LINEAR LINEAR", NULL, NULL, 2, 1, 0};
    uint32_t count;
    cp_scene *scene =
        read_channels(*state, METRES,
                      NODE("<translate sid='t'>0 0 0</translate>") "<node name='copy'><translate>0 9 "
                                                                   "0</translate><instance_node url='#n'/></node>",
                      "", &channel, 1);
    cp_pose worlds[8];
    assert_int_equal(cp_clip_poses(*state, scene, 0, 1, worlds), CP_OK);
    (void)cp_nodes(scene, &count);
    assert_int_equal(count, 4);
    assert_true(worlds[1].m[3] == 4 && worlds[3].m[3] == 4 && worlds[3].m[7] == 9);
    assert_int_equal(cp_clips(scene, &count)->track_count, 2);
    cp_scene_free(scene);
}

/* Channels that move nothing, make no sense, or are no curves that are read are losses. */
static void test_losses(void **state)
{
    static const struct channel channels[] = {
        {"nobody/t.X", "0 1", "0 4", "LINEAR LINEAR", NULL, NULL, 2, 1, 0},
        {"n/nothing", "0 1", "0 4", "LINEAR LINEAR", NULL, NULL, 2, 1, 0},
        {"n/t.ANGLE", "0 1", "0 4", "LINEAR LINEAR", NULL, NULL, 2, 1, 0},
        {"n/t(3)", "0 1", "0 4", "LINEAR LINEAR", NULL, NULL, 2, 1, 0},
        {"n/t.X", "1 0", "0 4", "LINEAR LINEAR", NULL, NULL, 2, 1, 0},
        {"n/t", "0 1", "0 4", "LINEAR LINEAR", NULL, NULL, 2, 1, 0},
        {"n/t.Y", "0 1", "0 4", "BSPLINE BSPLINE", NULL, NULL, 2, 1, 0},
        {"n/t.Z", "0 1", "0 NaN", "LINEAR LINEAR", NULL, NULL, 2, 1, 0},
    };
    cp_scene *scene = read_channels(*state, METRES, NODE("<translate sid='t'>0 0 0</translate>"), "", channels, 8);
    assert_int_equal(count_lost(*state, "collada-animation"), 4);
    assert_int_equal(count_lost(*state, "collada-keys"), 3);
    assert_int_equal(count_lost(*state, "collada-interpolation"), 1);
    assert_true(pose_at(*state, scene, 0, "n", 0.5).m[7] == 2);
    cp_scene_free(scene);
}

/* A turn of so many degrees takes more keys than the limit. */
static void test_limit(void **state)
{
    static const struct channel channel = {"n/r.ANGLE", "0 1", "0 1e12", "LINEAR LINEAR", NULL, NULL, 2, 1, 0};
    char text[4096] = "<COLLADA version='1.4.1'><library_animations>";
    cp_scene *scene;
    add_animation(text, sizeof text, 0, &channel);
    size_t at = strlen(text);
    (void)snprintf(text + at, sizeof text - at,
                   "</library_animations><library_visual_scenes><visual_scene id='s'>" NODE(
                       "<rotate sid='r'>0 0 1 0</rotate>") "</visual_scene></library_visual_scenes></COLLADA>");
    assert_int_equal(cp_read_memory(*state, text, strlen(text), "a.dae", NULL, NULL, 0, &scene), CP_LIMIT);
    assert_int_equal(count_entries(*state, CP_ERROR, "collada-keys"), 1);
}

/* Some thousand channels of one transform, each with keys of its own. */
static void test_work(void **state)
{
    enum { CHANNELS = 4000, SIZE = 1 << 22 };
    char *text = malloc(SIZE);
    cp_scene *scene;
    size_t at = (size_t)snprintf(text, SIZE, "<COLLADA version='1.4.1'><library_animations><animation>");
    for (int i = 0; i < CHANNELS; i++)
        at += (size_t)snprintf(
            text + at, SIZE - at,
            "<source id='t%d'><float_array id='a%d' count='3'>%d.25 %d.5 "
            "%d.75</float_array><technique_common><accessor "
            "source='#a%d' count='3' stride='1'><param name='T' type='float'/></accessor></technique_common></source>"
            "<sampler id='s%d'><input semantic='INPUT' source='#t%d'/><input semantic='OUTPUT' "
            "source='#t%d'/></sampler>"
            "<channel source='#s%d' target='n/t.X'/>",
            i, i, i, i, i, i, i, i, i, i);
    at += (size_t)snprintf(text + at, SIZE - at,
                           "</animation></library_animations><library_visual_scenes><visual_scene id='s'>"
                           "<node id='n'><translate sid='t'>0 0 0</translate></node></visual_scene>"
                           "</library_visual_scenes></COLLADA>");
    assert_int_equal(cp_read_memory(*state, text, at, "a.dae", NULL, NULL, 0, &scene), CP_LIMIT);
    assert_int_equal(count_entries(*state, CP_ERROR, "collada-keys"), 1);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_turns),  TEST(test_members),   TEST(test_matrices), TEST(test_curves),
                                       TEST(test_steps),  TEST(test_two_turns), TEST(test_clips),    TEST(test_places),
                                       TEST(test_losses), TEST(test_limit),     TEST(test_work)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
