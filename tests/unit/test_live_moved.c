/* Parts that a live cell's program, or a controller outside, has moved: what is recorded of them, the clip that the
 * filter makes of it, and how it is played again. The oracle is where the interpreter has them. */
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

static cp_context *context;
static struct floor *floor_;
static struct link link_;
static struct arena *arena;
static uint32_t part, tool;
static uint64_t now;

static const char pick[] = "LMOV 463.2, 223.7, 490\nLMOV 463.2, 223.7, 410\nHANDLE CLOSE Part\nIMOV 0, 0, 80\n"
                           "CMOV 450, 0, 520,  463.2, -50, 490\nIMOV 0, 0, -80\nHANDLE OPEN\nIMOV 0, 0, 80\nEND\n";

static uint32_t node_named(const char *name)
{
    for (uint32_t i = 0; i < floor_->cell.node_count; i++)
        if (strcmp(floor_->cell.nodes[i].name, name) == 0)
            return i;
    fail_msg("no node %s", name);
    return 0;
}

static int set_up(void **state)
{
    int failed = make_context(state);
    context = *state;
    now = 100000;
    arena = arena_new(context);
    floor_ = calloc(1, sizeof *floor_);
    assert_int_equal(floor_open(floor_, context, read_path(context, SAMPLES "/demo.wu"), NULL, NULL), CP_OK);
    part = node_named("Part");
    tool = floor_->simulator.options.frame;
    empty_folder();
    return failed;
}

static int tear_down(void **state)
{
    (void)recording_free(floor_->recording);
    link_close(&link_);
    floor_close(floor_);
    free(floor_);
    arena_free(arena);
    return free_context(state);
}

static double distance(const cp_pose *a, const cp_pose *b)
{
    double most = 0;
    for (int k = 0; k < 12; k++)
        most = fmax(most, fabs(a->m[k] - b->m[k]));
    return most;
}

/* ---- what the simulated controller moves ---- */

enum { MOST_MOMENTS = 4000 };
static cp_pose moments[MOST_MOMENTS]; /* of the part, at each line of the recording */
static uint32_t moment_count;

/* Lets it go on until it rests, and notes where the part is at each step. */
static void let_pass(uint64_t most)
{
    for (const uint64_t end = now + most; now < end && simulator_moves(&floor_->simulator); now += STEP_TIME) {
        (void)floor_tick(floor_, now);
        assert_true(moment_count < MOST_MOMENTS);
        moments[moment_count++] = floor_->cell.worlds[part];
    }
}

static void begin_recording(const char *name)
{
    struct joint_map map = {0};
    assert_int_equal(joint_map_default(context, floor_->cell.scene, arena, &map), CP_OK);
    assert_int_equal(recording_new(context, floor_->cell.scene, &map, path_of(name), &floor_->recording), CP_OK);
    moment_count = 0;
}

static cp_scene *read_recording(const char *name)
{
    char option[300];
    cp_scene *scene = read_path(context, SAMPLES "/demo.wu");
    (void)snprintf(option, sizeof option, "file=%s", path_of(name));
    cp_status status = apply_filter(context, scene, "recording", option, NULL, NULL);
    if (status != CP_OK)
        show_report(context);
    assert_int_equal(status, CP_OK);
    return scene;
}

/* Compares the clip with what was noted: a line every 10 ms. */
static void compare(const cp_scene *scene, double most)
{
    uint32_t count, at = 0;
    const cp_node *nodes = cp_nodes(scene, &count);
    cp_pose *worlds = calloc(count, sizeof *worlds);
    while (at < count && strcmp(nodes[at].name, "Part") != 0)
        at++;
    assert_true(at < count && moment_count > 100);
    for (uint32_t i = 0; i < moment_count; i++) {
        assert_int_equal(cp_clip_poses(context, scene, 0, 0.01 * i, worlds), CP_OK);
        const double off = distance(&worlds[at], &moments[i]);
        if (!(off <= most))
            fail_msg("at %g s the part is %g off", 0.01 * i, off);
    }
    free(worlds);
}

static cp_scene *through(const cp_scene *scene, const char *format, const char *option)
{
    void *bytes;
    size_t size;
    cp_scene *again;
    assert_int_equal(cp_write_memory(context, scene, format, &option, option != NULL, &bytes, &size), CP_OK);
    assert_int_equal(cp_read_memory(context, bytes, size, "again", NULL, NULL, 0, &again), CP_OK);
    cp_free(context, bytes, size);
    cp_report_clear(context);
    return again;
}

static void a_picked_part_is_recorded(void **state)
{
    (void)state;
    struct simulator *simulator = &floor_->simulator;
    const cp_pose first = floor_->cell.worlds[part];
    begin_recording("pick.jsonl");
    assert_int_equal(simulator_load(simulator, "pick.prg", pick, sizeof pick - 1), CP_OK);
    assert_int_equal(simulator_run(simulator), CP_OK);
    let_pass(60000);
    assert_true(distance(&first, &floor_->cell.worlds[part]) > 0.2);
    /* held, an emergency, and a jog with the part */
    assert_int_equal(simulator_run(simulator), CP_OK);
    let_pass(1500);
    assert_true(distance(&first, &floor_->cell.worlds[part]) < 0.01); /* again where the cell has it */
    while (!cell_is_held(&floor_->cell, part))
        let_pass(10);
    let_pass(400);
    simulator_emergency(simulator);
    let_pass(1000);
    simulator_reset(simulator);
    assert_int_equal(simulator_jog(simulator, cell_joint(&floor_->cell, "Arm.J2"), -0.2), CP_OK);
    let_pass(300);
    simulator_halt(simulator);
    assert_int_equal(recording_free(floor_->recording), CP_OK);
    floor_->recording = NULL;

    char *text = read_whole(path_of("pick.jsonl"), NULL);
    uint32_t lines = 0, said = 0, back = 0;
    for (const char *line = text; *line; line = strchr(line, '\n') + 1, lines++) {
        const char *end = strchr(line, '\n'), *moved = strstr(line, "\"moved\"");
        said += moved && moved < end;
        back += moved && moved < end && strstr(moved, "{\"Part\":null}") == moved + 8;
    }
    assert_int_equal(lines, moment_count);
    assert_int_equal(back, 1);
    assert_true(said > 200 && said < lines - 200); /* changes alone */
    free(text);

    cp_scene *scene = read_recording("pick.jsonl");
    compare(scene, 1e-9);
    cp_scene *glb = through(scene, "glb", "tolerance=0");
    compare(glb, 1e-6);
    cp_scene_free(glb);
    cp_scene_free(scene);
}

/* ---- what a controller outside tells ---- */

static void open_link(void)
{
    const void *hello;
    size_t size;
    assert_int_equal(link_open(&link_, floor_, arena, "jsonl", NULL, true), CP_OK);
    assert_int_equal(link_begin(&link_, &hello, &size), CP_OK);
}

static bool tell(const char *line)
{
    const void *answer;
    size_t size;
    now += 10;
    const bool good = link_take(&link_, line, strlen(line), now, &answer, &size);
    (void)floor_tick(floor_, now);
    return good;
}

/* Shows a number with a decimal point in any locale. */
struct shown {
    char text[CP_NUMBER_SIZE];
};
static struct shown shown(double value)
{
    struct shown shown = {""};
    shown.text[cp_print_double(value, shown.text)] = 0;
    return shown;
}

/* A line with the part at a place beside where the cell has it, and Arm.J1 at a value. */
static bool tell_part(double joint, const cp_pose *world)
{
    char line[1000];
    int size = snprintf(line, sizeof line, "{\"q\":{\"Arm.J1\":%s},\"mode\":\"ready\"", shown(joint).text);
    size += snprintf(line + size, sizeof line - (size_t)size, ",\"moved\":{\"%s\":%s", floor_->cell.nodes[part].id,
                     world ? "[" : "null");
    for (int k = 0; k < 12 && world; k++)
        size += snprintf(line + size, sizeof line - (size_t)size, "%s%s", k > 0 ? "," : "", shown(world->m[k]).text);
    (void)snprintf(line + size, sizeof line - (size_t)size, "%s}}\n", world ? "]" : "");
    return tell(line);
}

static void told_parts_are_shown(void **state)
{
    (void)state;
    const cp_pose first = floor_->cell.worlds[part];
    cp_pose there = first, *at = &floor_->cell.worlds[part];
    open_link();
    begin_recording("told.jsonl");
    there.m[3] += 0.5;
    assert_true(tell_part(0.45, &there));
    assert_true(distance(at, &there) < 1e-15);
    assert_true(has_words(&floor_->state, "\"moved\":{\"Part\":["));
    assert_true(tell("{\"q\":{\"Arm.J2\":0.1}}\n")); /* it stays */
    assert_true(distance(at, &there) < 1e-15);
    assert_true(tell("{\"moved\":{}}\n{\"moved\":null}\n"));
    assert_true(distance(at, &there) < 1e-15);
    there.m[7] += 0.1;
    assert_true(tell_part(0.46, &there));
    assert_true(distance(at, &there) < 1e-15);
    assert_true(tell_part(0.47, NULL));
    assert_true(distance(at, &first) < 1e-15);
    floor_->state.data[floor_->state.size] = 0;
    assert_false(has_words(&floor_->state, "\"moved\""));
    /* what is unknown, or moved by joints, is told once, and all else is shown */
    assert_true(tell("{\"q\":{\"Arm.J1\":0.48},\"moved\":{\"Nobody\":[1,0,0,0,0,1,0,0,0,0,1,0]}}\n"));
    assert_non_null(strstr(floor_->why, "no frame \"Nobody\""));
    assert_true(fabs(floor_->cell.q[cell_joint(&floor_->cell, "Arm.J1")] - 0.48) < 1e-15);
    /* mirrored, stretched, too short: a fault */
    for (int kind = 0; kind < 3; kind++) {
        there = first;
        for (int row = 0; row < 3; row++)
            there.m[4 * row + kind] *= kind == 0 ? -1 : kind == 1 ? 1.01 : 0;
        assert_false(tell_part(0.45, &there));
        assert_non_null(strstr(floor_->why, "stretches or mirrors"));
        assert_true(distance(at, &first) < 1e-15);
    }
    static const char *const faults[] = {
        "{\"moved\":[]}\n",
        "{\"moved\":{\"Part\":[1,0,0,0,0,1,0,0,0,0,1]}}\n",
        "{\"moved\":{\"Part\":[1,0,0,0,0,1,0,0,0,0,1,0,0]}}\n",
        "{\"moved\":{\"Part\":[1,0,0,\"0\",0,1,0,0,0,0,1,0]}}\n",
        "{\"moved\":{\"Part\":[1,0,0,1e999,0,1,0,0,0,0,1,0]}}\n",
        "{\"moved\":{\"Part\":7}}\n",
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        const void *hello;
        size_t size;
        assert_int_equal(link_begin(&link_, &hello, &size), CP_OK);
        assert_true(tell("{\"q\":{\"Arm.J1\":0.45}}\n"));
        if (tell(faults[i]))
            fail_msg("taken: %s", faults[i]);
        assert_string_equal(mode_name(floor_->authority.mode), "offline");
        assert_non_null(strstr(floor_->why, "line 2: "));
    }
    assert_int_equal(recording_free(floor_->recording), CP_OK);
    floor_->recording = NULL;
    cp_scene_free(read_recording("told.jsonl"));
}

/* The part moves along with the tool: it is held. A jog then looks at where it would be, and it may touch the hand. */
static void what_moves_along_is_held(void **state)
{
    (void)state;
    struct cell *cell = &floor_->cell;
    struct near_pair pair;
    double q[64];
    open_link();
    cp_pose held;
    const uint32_t joint = cell_joint(cell, "Arm.J2");
    for (int i = 0; i <= 10; i++) { /* up, the part in the gripper */
        char line[1000];
        memcpy(q, cell->q, cell->joint_count * sizeof *q);
        q[joint] = 0.2 - 0.02 * i;
        const cp_pose grip = cell_relative(cell, tool, part);
        assert_int_equal(cp_world_poses(context, cell->scene, q, cell->trial_worlds), CP_OK);
        held = cell->trial_worlds[tool];
        cp_pose place = {{0}};
        for (int row = 0; row < 3; row++)
            for (int column = 0; column < 4; column++) {
                place.m[4 * row + column] = column == 3 ? held.m[4 * row + 3] : 0;
                for (int k = 0; k < 3; k++)
                    place.m[4 * row + column] += held.m[4 * row + k] * grip.m[4 * k + column];
            }
        int size = snprintf(line, sizeof line, "{\"q\":{\"Arm.J2\":%s},\"moved\":{\"Part\":[", shown(q[joint]).text);
        for (int k = 0; k < 12; k++)
            size += snprintf(line + size, sizeof line - (size_t)size, "%s%s", k > 0 ? "," : "", shown(place.m[k]).text);
        (void)snprintf(line + size, sizeof line - (size_t)size, "]}}\n");
        assert_true(tell(line));
        assert_true(distance(&cell->worlds[part], &place) < 1e-12);
    }
    assert_int_equal(cell->carried[part].carrier, tool);
    /* turning is free, though the part is between the fingers; down is not: the part comes to the table first */
    memcpy(q, cell->q, cell->joint_count * sizeof *q);
    q[cell_joint(cell, "Arm.J1")] += 0.3;
    assert_int_equal(cell_try(cell, q, &pair), CP_OK);
    memcpy(q, cell->q, cell->joint_count * sizeof *q);
    while (cell_try(cell, q, &pair) == CP_OK)
        q[joint] += 0.002;
    assert_non_null(pair.first);
    assert_true(strcmp(pair.first, "Part") == 0 || strcmp(pair.second, "Part") == 0);
    assert_true(q[joint] < 0.22);
    /* the same of a move, in another cell of the same scene */
    struct placed list[4];
    assert_int_equal(cell_list_placed(cell, list), 1);
    assert_int_equal(list[0].host, tool);
    /* it is let go: the tool moves, and the part is told no more */
    char line[100];
    for (int i = 0; i < 5; i++) {
        (void)snprintf(line, sizeof line, "{\"q\":{\"Arm.J2\":%s}}\n", shown(-0.01 * i).text);
        const cp_pose rests = cell->worlds[part];
        assert_true(tell(line));
        assert_true(distance(&cell->worlds[part], &rests) < 1e-15);
    }
    assert_int_equal(cell->carried[part].carrier, CP_NONE);
}

/* The exporter's lines, played to the link, put the part where the clip has it. */
static void a_recording_is_played(void **state)
{
    (void)state;
    cp_scene *scene = read_path(context, SAMPLES "/demo.wu");
    char option[300];
    (void)snprintf(option, sizeof option, "file=%s", SAMPLES "/demo/pick.prg");
    assert_int_equal(apply_filter(context, scene, "program", option, "device=Arm", NULL), CP_OK);
    static const char *const period[] = {"period=0.01"};
    void *bytes;
    size_t size;
    assert_int_equal(cp_write_memory(context, scene, "jsonl", period, 1, &bytes, &size), CP_OK);
    open_link();
    cp_pose *worlds = calloc(floor_->cell.node_count, sizeof *worlds);
    uint32_t lines = 0;
    for (int round = 0; round < 2; round++) { /* the second time it begins where the cell has it */
        const char *at = bytes, *end = at + size;
        for (uint32_t i = 0; at < end; i++, lines++) {
            char line[2000];
            const size_t length = (size_t)((const char *)memchr(at, '\n', (size_t)(end - at)) + 1 - at);
            (void)snprintf(line, sizeof line, "%.*s", (int)length, at);
            at += length;
            assert_true(tell(line));
            assert_int_equal(cp_clip_poses(context, scene, 0, floor_->time, worlds), CP_OK);
            if (!(distance(&worlds[part], &floor_->cell.worlds[part]) < 1e-9))
                fail_msg("line %u: the part is elsewhere", (unsigned)i + 1);
        }
    }
    assert_true(lines > 1000);
    free(worlds);
    cp_free(context, bytes, size);
    cp_scene_free(scene);
}

/* Where the filter has the part between lines: a line that says nothing of it leaves it; it moves evenly between two
 * lines that follow each other, and jumps where it leaves its place in the cell, or comes back. */
static void lines_without_it_leave_it(void **state)
{
    (void)state;
    static const char lines[] = "{\"t\":0,\"q\":{\"Arm.J1\":0},\"moved\":{\"Part\":null}}\n"
                                "{\"t\":1,\"q\":{\"Arm.J1\":0}}\n"
                                "{\"t\":2,\"moved\":{\"Part\":[1,0,0,1,0,1,0,0,0,0,1,0]}}\n"
                                "{\"t\":3,\"q\":{\"Arm.J1\":0}}\n"
                                "{\"t\":4,\"q\":{\"Arm.J1\":0},\"moved\":null}\n"
                                "{\"t\":5,\"moved\":{\"Part\":[0,-1,0,3,1,0,0,0,0,0,1,0]}}\n"
                                "{\"t\":6,\"moved\":{\"Part\":[0,-1,0,4,1,0,0,0,0,0,1,0]}}\n"
                                "{\"t\":7,\"q\":{\"Arm.J1\":0}}\n"
                                "{\"t\":8,\"q\":{\"Arm.J1\":0},\"moved\":{\"Part\":null}}\n"
                                "{\"t\":9,\"q\":{\"Arm.J1\":0}}\n";
    static const struct row {
        double time, x, turn; /* NAN: where the cell has it; the turn in degrees */
    } rows[] = {{0, NAN, 0}, {1.99, NAN, 0}, {2, 1, 0},  {3.5, 1, 0},   {4, 1, 0},   {4.5, 2, 45},
                {5, 3, 90},  {5.5, 3.5, 90}, {6, 4, 90}, {7.99, 4, 90}, {8, NAN, 0}, {9, NAN, 0}};
    write_file("leave.jsonl", lines);
    cp_scene *scene = read_recording("leave.jsonl");
    cp_pose *worlds = calloc(floor_->cell.node_count, sizeof *worlds);
    const cp_pose first = floor_->cell.worlds[part];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(cp_clip_poses(context, scene, 0, rows[i].time, worlds), CP_OK);
        const double turn = rows[i].turn * 3.14159265358979323846 / 180;
        const cp_pose *at = &worlds[part],
                      there = {{cos(turn), -sin(turn), 0, rows[i].x, sin(turn), cos(turn), 0, 0, 0, 0, 1, 0}};
        if (!(distance(at, isnan(rows[i].x) ? &first : &there) < 1e-9))
            fail_msg("at %g s: x is %g", rows[i].time, at->m[3]);
    }
    free(worlds);
    cp_scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_picked_part_is_recorded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(lines_without_it_leave_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(told_parts_are_shown, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_moves_along_is_held, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_recording_is_played, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
