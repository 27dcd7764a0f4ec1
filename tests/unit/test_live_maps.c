/* Joint maps of odd cells and odd files: loops, joints that follow others, slides in millimetres whose sign is turned
 * around, names of any language, very many lines; and what commands become of them. */
#include <math.h>

#include "../../live/link.h"
#include "fixture.h"

/* Tells whether the buffer, which has no NUL at its end, has the words. */
static bool has_words(const struct buffer *buffer, const char *words)
{
    const size_t size = strlen(words);
    for (size_t i = 0; i + size <= buffer->size; i++)
        if (memcmp(buffer->data + i, words, size) == 0)
            return true;
    return false;
}

static struct arena *arena;
static cp_context *context;

static int set_up(void **state)
{
    int failed = make_context(state);
    context = *state;
    arena = arena_new(context);
    return failed;
}

static int tear_down(void **state)
{
    arena_free(arena);
    return free_context(state);
}

static cp_status read_map(const cp_scene *scene, const char *text, struct joint_map *map)
{
    cp_report_clear(context);
    return joint_map_read_text(context, scene, "odd.map", text, strlen(text), arena, map);
}

static void expect_refusal(const cp_scene *scene, const char *text, const char *message)
{
    struct joint_map map;
    expect_status(context, read_map(scene, text, &map), CP_INPUT);
    if (!was_said(context, message)) {
        show_report(context);
        fail_msg("not: %s", message);
    }
    cp_report_clear(context);
}

static bool take(const struct joint_map *map, const cp_scene *scene, const char *name, double value, double *values)
{
    char why[WHY_SIZE];
    const struct controller_sample sample = {.names = &name, .values = &value, .count = 1};
    return joint_map_apply(map, scene, &sample, values, why);
}

/* The joints that loops move are not for controllers; the drives are. */
static void loops(void **state)
{
    (void)state;
    cp_scene *scene = read_path(context, SAMPLES "/mechanisms/gantry_tau_rods.dcw");
    struct joint_map map;
    double values[64] = {0};
    expect_refusal(scene, "1 J1\n2 \"rod 1 x\"\n", "odd.map:2:3: error: joint \"rod 1 x\": it is not driven");
    expect_refusal(scene, "1 \"platform z\"\n", "joint \"platform z\": it is not driven");
    /* -900 .. 0 mm, seen from the other end: 0 .. 900. The limits change places. */
    assert_int_equal(read_map(scene, "1 J1 sign=-1 unit=mm\n2 J2 sign=-1 unit=mm offset=-900mm\n3 J3 unit=mm\n", &map),
                     CP_OK);
    const uint32_t first = find_joint(scene, "J1"), second = find_joint(scene, "J2");
    assert_true(take(&map, scene, "1", 300, values));
    assert_true(fabs(values[first] + 0.3) < 1e-15);
    assert_true(take(&map, scene, "1", 940, values) && take(&map, scene, "1", -40, values)); /* within 5 % */
    assert_false(take(&map, scene, "1", 950, values) || take(&map, scene, "1", -50, values));
    assert_true(fabs(values[first] - 0.04) < 1e-15);
    assert_true(take(&map, scene, "2", -900, values));
    assert_true(fabs(values[second]) < 1e-15);
    assert_true(take(&map, scene, "2", 0, values) && fabs(values[second] + 0.9) < 1e-15);
    assert_false(take(&map, scene, "2", 50, values) || take(&map, scene, "2", -950, values));
    cp_scene_free(scene);
}

/* A finger follows the other one: it is moved by it, and has no line. */
static void followers(void **state)
{
    (void)state;
    cp_scene *scene = read_path(context, SAMPLES "/demo.wu");
    struct joint_map map;
    double values[64] = {0};
    expect_refusal(scene, "# fingers\nr Arm.Gripper.Right unit=mm\n",
                   "odd.map:2:3: error: joint \"Arm.Gripper.Right\": it follows others");
    assert_int_equal(read_map(scene, "g Arm.Gripper.Left unit=mm\n", &map), CP_OK);
    assert_true(take(&map, scene, "g", 5, values));
    cp_mechanism *mechanism;
    double all[64];
    assert_int_equal(cp_mechanism_new(context, scene, &mechanism), CP_OK);
    assert_int_equal(cp_mechanism_values(mechanism, values, all), CP_OK);
    assert_true(fabs(all[find_joint(scene, "Arm.Gripper.Left")] - 0.005) < 1e-15);
    assert_true(fabs(all[find_joint(scene, "Arm.Gripper.Right")]) > 0.004);
    cp_mechanism_free(mechanism);
    cp_scene_free(scene);
}

static cp_scene *make_scene(uint32_t count, const char *const *names)
{
    cp_scene *scene = cp_scene_new(context);
    const uint32_t node = add_node_at(scene, 0, "arm", NULL);
    for (uint32_t i = 0; i < count; i++)
        (void)add_limited_joint(scene, node, CP_JOINT_REVOLUTE, names[i], -1, 2);
    expect_status(context, cp_scene_finish(scene), CP_OK);
    return scene;
}

static void names_of_any_language(void **state)
{
    (void)state;
    static const char *const names[] = {"L\xc3\xa4nge 1", "\xe8\xbb\xb8", "#1", "a\tb", "e\xcc\x81"};
    cp_scene *scene = make_scene(5, names);
    struct joint_map map;
    double values[8] = {0};
    assert_int_equal(read_map(scene,
                              "\"\xd0\xbe\xd1\x81\xd1\x8c 1\" \"L\xc3\xa4nge 1\" sign=-1 # minus\r\n"
                              "\t\xe8\xbb\xb8\t\xe8\xbb\xb8\tunit=deg\t# of the wrist\r\n"
                              "#\r\n# 5 \"#1\"\r\n"
                              "\"#\" \"#1\"\r\n"
                              "\"a\tb\" \"a\tb\"\r\n"
                              "\"\" e\xcc\x81",
                              &map),
                     CP_OK);
    assert_int_equal(map.count, 5);
    assert_true(take(&map, scene, "\xd0\xbe\xd1\x81\xd1\x8c 1", 1.05, values) && values[0] == -1.05);
    assert_false(
        take(&map, scene, "\xd0\xbe\xd1\x81\xd1\x8c 1", 1.2, values)); /* the lower limit, -1, is the upper one here */
    assert_true(take(&map, scene, "\xd0\xbe\xd1\x81\xd1\x8c 1", -2.1, values));
    assert_true(take(&map, scene, "\xe8\xbb\xb8", 90, values) && fabs(values[1] - 1.5707963267948966) < 1e-15);
    assert_true(take(&map, scene, "#", 0.25, values) && values[2] == 0.25);
    assert_true(take(&map, scene, "a\tb", 0.5, values) && values[3] == 0.5);
    assert_true(take(&map, scene, "", 0.75, values) && values[4] == 0.75);
    assert_false(take(&map, scene, "\xc3\xa9", 0, values)); /* the same to the eye is another name */
    expect_refusal(scene, "1 \xc3\xa9\n", "odd.map:1:3: error: joint \"\xc3\xa9\": there is no such joint");
    expect_refusal(scene, "\xe8\xbb\xb8 \xe8\xbb\xb8 unit=\xc2\xb0\n", "odd.map:1:5: error: ");
    cp_scene_free(scene);
}

/* 100,000 lines, and half as many joints: the time grows with their number. */
static void very_many_lines(void **state)
{
    (void)state;
    enum { COUNT = 50000 };
    static char texts[COUNT][8];
    static const char *names[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        (void)snprintf(texts[i], sizeof *texts, "%x", (unsigned)i);
        names[i] = texts[i];
    }
    cp_scene *scene = make_scene(COUNT, names);
    struct buffer text = {.context = context};
    for (uint32_t i = 0; i < COUNT; i++) /* backwards, with a comment after each */
        buffer_print(&text, "%x %x\n#\n", (unsigned)i, (unsigned)(COUNT - 1 - i));
    buffer_append(&text, "", 1);
    struct joint_map map;
    assert_true(text.size < 1 << 20);
    assert_int_equal(read_map(scene, text.data, &map), CP_OK);
    assert_int_equal(map.count, COUNT);
    double *values = calloc(COUNT, sizeof *values);
    assert_true(take(&map, scene, "c34f", 0.5, values) && values[0] == 0.5);
    assert_true(take(&map, scene, "0", 0.25, values) && values[COUNT - 1] == 0.25);
    free(values);
    /* the last line names a joint again */
    text.size--;
    buffer_print(&text, "x %x\n", 7u);
    buffer_append(&text, "", 1);
    expect_refusal(scene, text.data, "odd.map:100001:3: error: joint \"7\": line 99985 has this joint, too");
    buffer_free(&text);
    cp_scene_free(scene);
}

/* Commands are in the controller's own values. */
static void commands_go_the_way_back(void **state)
{
    (void)state;
    static struct floor floor;
    static struct link link;
    const void *hello, *answer;
    size_t size;
    write_file("odd.map", "J9 Arm.J1 sign=-1 unit=deg offset=90deg\n\"jaw\" Arm.Gripper.Left unit=mm offset=-5mm\n");
    assert_int_equal(floor_open(&floor, context, read_path(context, SAMPLES "/demo.wu"), NULL, NULL), CP_OK);
    assert_int_equal(link_open(&link, &floor, arena, "jsonl", path_of("odd.map"), true), CP_OK);
    assert_int_equal(link_begin(&link, &hello, &size), CP_OK);
    static const char line[] = "{\"q\":{\"J9\":64.2169,\"jaw\":5},\"mode\":\"ready\"}\n";
    assert_true(link_take(&link, line, sizeof line - 1, 1000, &answer, &size));
    assert_true(fabs(floor.cell.q[cell_joint(&floor.cell, "Arm.J1")] - 0.45) < 1e-5);
    const struct message jog = {.word = WORD_JOG, .joint = cell_joint(&floor.cell, "Arm.J1"), .speed = 0.5};
    assert_null(floor.outside->command(floor.outside->user, &jog, NULL));
    const struct message other = {.word = WORD_JOG, .joint = cell_joint(&floor.cell, "Arm.J2"), .speed = 0.5};
    assert_non_null(floor.outside->command(floor.outside->user, &other, NULL));
    double q[64];
    memcpy(q, floor.cell.q, floor.cell.joint_count * sizeof *q);
    q[cell_joint(&floor.cell, "Arm.J1")] = 0;
    q[cell_joint(&floor.cell, "Arm.Gripper.Left")] = 0.01;
    const struct message move = {.word = WORD_MOVE, .q = q, .speed = 0.25};
    assert_null(floor.outside->command(floor.outside->user, &move, NULL));
    buffer_append(&link.commands, "", 1);
    assert_true(has_words(&link.commands, "{\"type\":\"jog\",\"joint\":\"J9\",\"speed\":-28.64"));
    assert_true(has_words(&link.commands, "{\"type\":\"move\",\"q\":{\"J9\":90,\"jaw\":15},\"speed\":0.25}"));
    link_close(&link);
    floor_close(&floor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(loops, set_up, tear_down),
        cmocka_unit_test_setup_teardown(followers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(names_of_any_language, set_up, tear_down),
        cmocka_unit_test_setup_teardown(very_many_lines, set_up, tear_down),
        cmocka_unit_test_setup_teardown(commands_go_the_way_back, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
