/* Recordings as VRML97 plays them: random scenes against the scene's own player, by the tests' own reader; and what is
 * at the edges. */
#include "clip_support.h"
#include "vrml97_compare.h"
#include "vrml97_scenes.h"

#include "scene_fixture.h" /* behind those whose arguments have its names */

static int tear_down_all(void **unused)
{
    reader_free();
    return tear_down(unused);
}

static void next_scene(void)
{
    reader_free();
    fresh_scene();
}

/* ---- written, and played ---- */

static char *write_text(const char *const *options, size_t count)
{
    size_t size;
    return export_text(context, scene, "vrml97", options, count, &size);
}

static double scene_size(void)
{
    cp_measures measures = {.size = sizeof measures};
    assert_int_equal(cp_measure(context, scene, CP_USE_DRAWN, &measures), CP_OK);
    double size = 0;
    for (int i = 0; i < 3 && measures.any; i++)
        size = hypot(size, measures.upper[i] - measures.lower[i]);
    return size;
}

/* Whether something jumps at the time, or so near that fractions do not tell. */
static bool is_change(const cp_clip *clip, double time, double near)
{
    for (uint32_t i = 0; i < clip->attachment_count; i++)
        if (fabs(clip->attachments[i].time - time) < near)
            return true;
    for (uint32_t i = 0; i < clip->track_count; i++)
        for (uint32_t k = 0; k < clip->tracks[i].key_count; k++)
            if (fabs(clip->tracks[i].times[k] - time) < near)
                return true;
    return false;
}

static struct vnode *clip_timer(struct vrml_file *file)
{
    struct vnode *timer = NULL;
    for (size_t i = 0; i < file->root_count; i++)
        if (strncmp(file->roots[i]->def, "play_", 5) == 0) {
            assert_null(timer);
            timer = file->roots[i];
        }
    assert_non_null(timer);
    return timer;
}

/* The text at rest, then at moments of the first clip. Without a tolerance, what is not straight is off by a
 * two-millionth of the size, each thing that holds another by its own. A tolerance is kept at recorded times and half
 * way between them, and nearly so elsewhere. */
static void expect_played_files(const char *text, const char *folder, double tolerance, const char *what)
{
    const cp_clip *clip = cp_clips(scene, NULL);
    struct looking looking = {.scene = scene, .file = vrml_read(text), .folder = folder};
    double first, last, size = scene_size(), within = 2 * tolerance + (tolerance > 0 ? 1e-6 : 1e-5) * fmax(size, 1);
    cp_pose *worlds = reader_allocate(count_nodes(scene) * sizeof *worlds);
    looking.sights = reader_allocate(count_nodes(scene) * sizeof *looking.sights);
    vrml_check(looking.file);
    pose_scene(scene, NULL, worlds);
    compare_sights(&looking, worlds, 1e-6 * fmax(size, 1), what);
    struct vnode *timer = clip_timer(looking.file);
    find_range(clip, &first, &last);
    for (int i = 0; i < 100; i++) {
        double fraction = chance_between(0, 1), time = first + (last - first) * fraction;
        char when[400];
        if (last > first && is_change(clip, time, 1e-6 * (last - first)))
            continue;
        (void)snprintf(when, sizeof when, "%s at %.17g s (%.9g)", what, time, fraction);
        assert_int_equal(cp_clip_poses(context, scene, 0, time, worlds), CP_OK);
        play(looking.file, timer, fraction);
        compare_sights(&looking, worlds, within, when);
    }
}

static void expect_played(const char *text, double tolerance, const char *what)
{
    expect_played_files(text, NULL, tolerance, what);
}

/* With both tolerances. */
static void expect_all_ways(const char *what)
{
    static const char *const tolerances[] = {"tolerance=0", "tolerance=0.1mm"};
    for (int thin = 0; thin < 2; thin++) {
        const char *const options[] = {tolerances[thin], chance(2) == 0 ? "up=z" : "up=y"};
        char words[200];
        (void)snprintf(words, sizeof words, "%s, %s", what, tolerances[thin]);
        expect_played(write_text(options, 2), thin == 0 ? 0 : 1e-4, words);
        reader_free();
    }
}

/* ---- random scenes ---- */

static void show_boxes(void)
{
    uint32_t box = add_box(scene, "box", 0.2, 0.3, 0.1);
    for (uint32_t node = 1; node < count_nodes(scene); node++)
        if (chance(4) > 0)
            place_mesh(scene, node, box);
}

/* Both scale alike in all directions, so that nothing that hangs elsewhere shears. */
static void make_even(cp_track *track)
{
    size_t rows = (size_t)track->key_count * (track->interpolation == CP_CUBIC ? 3 : 1);
    double *values = scratch(3 * rows, sizeof *values);
    for (size_t i = 0; i < 3 * rows; i++)
        values[i] = track->values[i - i % 3];
    track->values = values;
}

/* Cubic turns from one key to the next by the shorter way: else they may pass near zero, where they spin. */
static void make_short(cp_track *track)
{
    double *values = scratch(12 * (size_t)track->key_count, sizeof *values);
    memcpy(values, track->values, 12 * (size_t)track->key_count * sizeof *values);
    for (uint32_t key = 1; key < track->key_count; key++) {
        double *value = values + 12 * (size_t)key + 4, dot = 0;
        for (int i = 0; i < 4; i++)
            dot += value[i] * value[i - 12];
        for (int i = 0; i < 4 && dot < 0; i++)
            value[i] = -value[i];
    }
    track->values = values;
}

/* Scales stay above zero. */
static void make_positive(cp_track *track)
{
    double *values = scratch(track->key_count, sizeof *values);
    for (uint32_t key = 0; key < track->key_count; key++)
        values[key] = 0.3 + fabs(track->values[key]);
    track->values = values;
}

static void free_scale_joints(void)
{
    for (uint32_t i = 0; i < count_joints(scene); i++) {
        cp_joint joint = cp_joints(scene, NULL)[i];
        joint.master = CP_NONE;
        joint.expression = NULL;
        if (joint.type == CP_JOINT_SCALE)
            assert_int_equal(cp_set_joint(scene, i, &joint), CP_OK);
    }
}

static void set_local(uint32_t index, cp_pose local)
{
    cp_node node = cp_nodes(scene, NULL)[index];
    node.local = local;
    assert_int_equal(cp_set_node(scene, index, &node), CP_OK);
}

static bool has_track(const cp_track *tracks, uint32_t count, uint32_t target, cp_path path)
{
    for (uint32_t i = 0; i < count; i++)
        if (tracks[i].target == target && tracks[i].path == path)
            return true;
    return false;
}

/* With mirrors, there is nothing that hangs elsewhere: a frame cannot be mirrored for a time. */
static void random_scene(bool grabs, bool mirrors)
{
    enum { TRACKS = 12, GRABS = 10 };
    uint32_t nodes = 4 + chance(10), count = 0;
    cp_track *tracks = scratch(TRACKS, sizeof *tracks);
    cp_attachment *attachments = scratch(GRABS, sizeof *attachments);
    add_random_nodes(scene, nodes, !grabs);
    add_followers(scene);
    free_scale_joints();
    show_boxes();
    for (uint32_t i = 3; i < count_nodes(scene) && grabs; i += 3) {
        cp_pose scaling = plain_scaling(0.5 + i % 2, 0.5 + i % 2, 0.5 + i % 2);
        set_local(i, plain_product(&cp_nodes(scene, NULL)[i].local, &scaling));
    }
    for (uint32_t i = 0; i < TRACKS; i++) {
        static const cp_path paths[] = {CP_PATH_JOINT, CP_PATH_TRANSLATION, CP_PATH_ROTATION, CP_PATH_SCALE};
        struct track_kind kind = {paths[chance(count_joints(scene) > 0 ? 8 : 3) % 4], (cp_interpolation)chance(3),
                                  false};
        bool joint = kind.path == CP_PATH_JOINT;
        uint32_t target = joint && count_joints(scene) > 0 ? chance(count_joints(scene)) : 1 + chance(nodes);
        if ((joint && count_joints(scene) == 0) || (!joint && has_track(tracks, count, target, kind.path)))
            continue;
        bool stretches = joint && cp_joints(scene, NULL)[target].type == CP_JOINT_SCALE;
        if (stretches)
            kind.interpolation = CP_LINEAR;
        add_random_track(&tracks[count], target, kind);
        if (stretches)
            make_positive(&tracks[count]);
        if (kind.path == CP_PATH_SCALE && grabs)
            make_even(&tracks[count]);
        if (kind.path == CP_PATH_ROTATION && kind.interpolation == CP_CUBIC)
            make_short(&tracks[count]);
        count++;
    }
    for (uint32_t i = 1; i < count_nodes(scene) && mirrors; i++) {
        cp_pose local = cp_nodes(scene, NULL)[i].local;
        for (int k = 0; k < 12 && chance(6) == 0 && !has_track(tracks, count, i, CP_PATH_SCALE); k += 4)
            local.m[k] *= -1, local.m[k + 1] *= -1, local.m[k + 2] *= -1;
        set_local(i, local);
    }
    uint32_t grab_count = grabs ? add_random_attachments(scene, attachments, 1 + chance(GRABS)) : 0;
    (void)add_moving_clip(scene, "run", count, tracks, grab_count, attachments);
    finish_scene();
}

static void test_random(void **unused)
{
    (void)unused;
    const int count = (int)usual_or_long(30, 60);
    for (int i = 0; i < count; i++) {
        char what[40];
        (void)snprintf(what, sizeof what, "scene %d", i);
        next_scene();
        random_scene(i % 3 > 0, i % 3 == 0 && i % 2 == 0);
        const cp_clip *clip = cp_clips(scene, NULL);
        if (clip->track_count + clip->attachment_count > 0)
            expect_all_ways(what);
    }
}

/* ---- edges ---- */

/* A table and a shelf, a robot that turns on a slide, and a box on the table with a lid: nodes 1 to 5. */
enum { TABLE = 1, SHELF, ROBOT, BOX, LID };
static void small_cell_without(uint32_t shape)
{
    next_scene();
    uint32_t mesh = add_box(scene, "box", 0.2, 0.3, 0.1);
    (void)add_node(scene, 0, "table", plain_translation(1, 0, 0.5));
    (void)add_node(scene, 0, "shelf", plain_translation(0, 2, 1));
    (void)add_node(scene, 0, "robot", plain_translation(-1, 0, 0));
    (void)add_node(scene, TABLE, "crate", plain_turn(2, 30));
    (void)add_node(scene, BOX, "lid", plain_translation(0, 0, 0.1));
    add_joint(scene, joint_of(ROBOT, CP_JOINT_REVOLUTE, -3, 3));
    cp_joint follower = joint_of(ROBOT, CP_JOINT_PRISMATIC, -1, 1);
    follower.master = 0;
    follower.scale = 0.25;
    follower.driven = false;
    add_joint(scene, follower);
    for (uint32_t node = TABLE; node <= LID; node++)
        if (node != shape)
            place_mesh(scene, node, mesh);
}

static void small_cell(void)
{
    small_cell_without(CP_NONE);
}

#define COUNT(array) (uint32_t)(sizeof(array) / sizeof *(array))

static const double two_times[] = {-1, 3}, turns[] = {0, 2.5}, ways[] = {0, 0, 0, 1, 0.5, 2};
static const cp_track turning = {0, CP_PATH_JOINT, CP_LINEAR, 2, two_times, turns};

static void expect_clip(const char *what, const cp_track *tracks, uint32_t track_count,
                        const cp_attachment *attachments, uint32_t attachment_count)
{
    small_cell();
    (void)add_moving_clip(scene, what, track_count, tracks, attachment_count, attachments);
    finish_scene();
    expect_all_ways(what);
}

static void test_few_keys(void **unused)
{
    (void)unused;
    static const double late = 2.5, step[] = {1, 2, 3};
    static const cp_attachment grab = {2.5, BOX, ROBOT};
    const cp_track single = {BOX, CP_PATH_TRANSLATION, CP_LINEAR, 1, &late, step};
    const cp_track one_turn = {0, CP_PATH_JOINT, CP_STEP, 1, &late, &late};
    const cp_track both[] = {single, one_turn};
    const cp_track follower = {1, CP_PATH_JOINT, CP_LINEAR, 2, two_times, turns};
    const cp_track root = {0, CP_PATH_TRANSLATION, CP_LINEAR, 2, two_times, ways};
    const cp_track twice[] = {turning, {0, CP_PATH_JOINT, CP_STEP, 1, &late, &late}};
    expect_clip("an empty clip", NULL, 0, NULL, 0);
    expect_clip("a key", &single, 1, NULL, 0);
    expect_clip("two keys at a time", both, 2, NULL, 0);
    expect_clip("all at a time", both, 2, &grab, 1);
    expect_clip("an attachment alone", NULL, 0, &grab, 1);
    expect_clip("a follower's own track", &follower, 1, NULL, 0);
    expect_clip("the world moves", &root, 1, &grab, 1);
    expect_clip("two tracks of a joint", twice, 2, &grab, 1);
}

static void test_grabs(void **unused)
{
    (void)unused;
    static const cp_attachment ends[] = {{-1, BOX, ROBOT}, {3, BOX, SHELF}};
    static const cp_attachment both[] = {{0, BOX, SHELF}, {0, BOX, ROBOT}, {1, BOX, ROBOT}, {2, BOX, SHELF}};
    static const cp_attachment back[] = {{0, BOX, ROBOT}, {1, BOX, 0}, {1.5, BOX, TABLE}, {2, BOX, 0}};
    static const cp_attachment own[] = {{0, BOX, TABLE}, {1, LID, BOX}, {2, LID, ROBOT}, {2.5, LID, BOX}};
    static const cp_attachment circle[] = {{0, BOX, SHELF}, {1, BOX, TABLE}, {2, SHELF, BOX}};
    static const cp_attachment swap[] = {{0, BOX, ROBOT}, {0.5, BOX, TABLE}, {1, ROBOT, LID}, {2, ROBOT, 0}};
    expect_clip("first and last", &turning, 1, ends, COUNT(ends));
    expect_clip("two at a time", &turning, 1, both, COUNT(both));
    expect_clip("to the world", &turning, 1, back, COUNT(back));
    expect_clip("to its own parent", &turning, 1, own, COUNT(own));
    expect_clip("a circle", &turning, 1, circle, COUNT(circle));
    expect_clip("a circle by a part", &turning, 1, swap, COUNT(swap));
}

/* What a clip moves is told as translation, rotation and scale where the clip sets one of the last two, and only
 * there. */
static void test_poses(void **unused)
{
    (void)unused;
    static const cp_pose shear = {{1, 0.7, 0.1, 1, 0.2, 2, 0, 0, 0, -0.4, 0.5, 0}};
    static const double growing[] = {0, 0, 0, 1, 2, 1}, mirrored[] = {-1, -1, -1, -2, -1, -1.5},
                        mixed[] = {1, 1, 1, -2, 1, 1.5}, turned[] = {0, 0, 0, 1, 0, 0.6, 0, 0.8};
    const cp_track moves = {BOX, CP_PATH_TRANSLATION, CP_LINEAR, 2, two_times, ways};
    const cp_track grows[] = {{BOX, CP_PATH_SCALE, CP_LINEAR, 2, two_times, growing}, moves};
    const cp_track mirrors[] = {{BOX, CP_PATH_SCALE, CP_LINEAR, 2, two_times, mirrored},
                                {BOX, CP_PATH_ROTATION, CP_LINEAR, 2, two_times, turned}};
    static const cp_attachment grab = {1, BOX, ROBOT};
    small_cell();
    set_local(BOX, shear);
    (void)add_moving_clip(scene, "a sheared box", 1, &moves, 0, NULL);
    finish_scene();
    expect_all_ways("a sheared box");
    small_cell();
    set_local(BOX, shear);
    (void)add_moving_clip(scene, "a sheared guest", 1, &turning, 1, &grab);
    finish_scene();
    (void)write_text(NULL, 0);
    assert_true(was_reported(context, "vrml97-attached-shear"));
    small_cell();
    set_local(BOX, plain_scaling(0, 0, 0));
    (void)add_moving_clip(scene, "a box that grows", 2, grows, 0, NULL);
    finish_scene();
    expect_all_ways("a box that grows");
    small_cell();
    set_local(BOX, plain_scaling(-1, 1, 1));
    (void)add_moving_clip(scene, "a mirrored box", 2, mirrors, 0, NULL);
    finish_scene();
    expect_all_ways("a mirrored box");
    const cp_track turns_over = {BOX, CP_PATH_SCALE, CP_LINEAR, 2, two_times, mixed};
    small_cell();
    (void)add_moving_clip(scene, "a box that is mirrored", 1, &turns_over, 0, NULL);
    finish_scene();
    (void)write_text(NULL, 0);
    assert_true(was_reported(context, "vrml97-clip-scale"));
}

/* A guest that goes to a mirrored host cannot be mirrored for a time; on hosts that both are it stays as it is. */
static void test_mirrored_hosts(void **unused)
{
    (void)unused;
    static const cp_attachment grabs[] = {{0, BOX, ROBOT}, {1, BOX, TABLE}, {2, BOX, ROBOT}};
    small_cell();
    set_local(TABLE, plain_scaling(1, -1, 1));
    set_local(ROBOT, plain_scaling(-1, 1, 1));
    (void)add_moving_clip(scene, "mirrored hosts", 1, &turning, COUNT(grabs), grabs);
    finish_scene();
    expect_all_ways("mirrored hosts");
    assert_false(was_reported(context, "vrml97-clip-scale"));
    small_cell();
    set_local(ROBOT, plain_scaling(-1, 1, 1));
    (void)add_moving_clip(scene, "a mirrored host", 1, &turning, COUNT(grabs), grabs);
    finish_scene();
    (void)write_text(NULL, 0);
    assert_true(was_reported(context, "vrml97-clip-scale"));
}

/* The shapes in files of their own, shown from wherever they stand. */
static void test_layouts(void **unused)
{
    (void)unused;
    static const char *const layouts[] = {"layout=inline", "layout=parts"};
    static const cp_attachment attachments[] = {{0, BOX, ROBOT}, {1, BOX, SHELF}, {2, BOX, ROBOT}};
    const char *path = path_of("cell.wrl");
    small_cell();
    (void)add_moving_clip(scene, "layouts", 1, &turning, COUNT(attachments), attachments);
    finish_scene();
    for (int i = 0; i < 2; i++) {
        assert_int_equal(cp_write(context, scene, path, NULL, &layouts[i], 1), CP_OK);
        expect_played_files(read_text(path), folder_path(), 1e-4, layouts[i]);
    }
}

/* Frames without shapes of their own, that hold what has some. */
static void test_placeholders(void **unused)
{
    (void)unused;
    static const cp_attachment grabs[] = {{0, BOX, ROBOT}, {1, BOX, SHELF}};
    small_cell_without(BOX);
    cp_node lost_node = cp_new_node(), crate = cp_nodes(scene, NULL)[BOX];
    lost_node.parent = 0;
    lost_node.name = "lost";
    lost_node.flags = crate.flags = CP_NODE_PLACEHOLDER;
    uint32_t lost = cp_add_node(scene, &lost_node);
    assert_int_equal(cp_set_node(scene, BOX, &crate), CP_OK);
    const cp_track moves = {lost, CP_PATH_TRANSLATION, CP_LINEAR, 2, two_times, ways};
    (void)add_moving_clip(scene, "placeholders", 1, &moves, COUNT(grabs), grabs);
    finish_scene();
    expect_all_ways("placeholders");
}

static void test_choice(void **unused)
{
    (void)unused;
    static const char *const none[] = {"clip=none"}, *const second[] = {"clip={odd} \"name\""},
                             *const wrong[] = {"clip=x"};
    static const cp_attachment grab = {1, BOX, ROBOT};
    void *bytes;
    size_t size;
    small_cell();
    finish_scene();
    assert_int_equal(cp_write_memory(context, scene, "vrml97", wrong, 1, &bytes, &size), CP_USAGE);
    (void)add_moving_clip(scene, "{odd} \"name\"", 1, &turning, 1, &grab);
    (void)add_moving_clip(scene, "other", 0, NULL, 0, NULL);
    finish_scene();
    assert_null(strstr(write_text(none, 1), "play_"));
    assert_true(was_reported(context, "vrml97-clips"));
    expect_played(write_text(second, 1), 1e-4, "an odd name");
    assert_int_equal(cp_write_memory(context, scene, "vrml97", wrong, 1, &bytes, &size), CP_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_few_keys, set_up, tear_down_all),
        cmocka_unit_test_setup_teardown(test_grabs, set_up, tear_down_all),
        cmocka_unit_test_setup_teardown(test_poses, set_up, tear_down_all),
        cmocka_unit_test_setup_teardown(test_mirrored_hosts, set_up, tear_down_all),
        cmocka_unit_test_setup_teardown(test_layouts, set_up, tear_down_all),
        cmocka_unit_test_setup_teardown(test_placeholders, set_up, tear_down_all),
        cmocka_unit_test_setup_teardown(test_choice, set_up, tear_down_all),
        cmocka_unit_test_setup_teardown(test_random, set_up, tear_down_all),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
