/* Recordings of live cells: what is written, that the filter `recording` reads it, and what a full disk leaves. */
#include "fixture.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../live/record.h"

struct cell {
    cp_context *context;
    cp_scene *scene;
    struct arena *arena;
    struct joint_map map;
    double values[8]; /* of demo.wu's joints */
};

static struct cell make_cell(void)
{
    struct cell cell = {.context = cp_context_new(NULL)};
    cell.scene = read_path(cell.context, SAMPLES "/demo.wu");
    cell.arena = arena_new(cell.context);
    assert_int_equal(count_joints(cell.scene), 8);
    assert_int_equal(joint_map_default(cell.context, cell.scene, cell.arena, &cell.map), CP_OK);
    empty_folder();
    return cell;
}

static void free_cell(struct cell *cell)
{
    arena_free(cell->arena);
    cp_scene_free(cell->scene);
    cp_context_free(cell->context);
}

/* Maps the arm's first joint alone. */
static void map_one(struct cell *cell)
{
    static const char text[] = "1 Arm.J1\n";
    assert_int_equal(
        joint_map_read_text(cell->context, cell->scene, "map", text, strlen(text), cell->arena, &cell->map), CP_OK);
}

static void expect_file(const char *name, const char *expected)
{
    char *text = read_whole(path_of(name), NULL);
    assert_non_null(text);
    assert_string_equal(text, expected);
    free(text);
}

static void all_joints_of_the_map_are_written(void **state)
{
    (void)state;
    struct cell cell = make_cell();
    struct live_recording *recording;
    assert_int_equal(recording_new(cell.context, cell.scene, &cell.map, path_of("a.jsonl"), &recording), CP_OK);
    for (int i = 0; i < 8; i++)
        cell.values[i] = 0.001 * i;
    assert_true(recording_add(recording, 100.5, 7, cell.values, (struct recorded_places){0}));
    cell.values[0] = 0.1 + 0.2;
    assert_true(recording_add(recording, 100.75, 7.3, cell.values, (struct recorded_places){0}));
    assert_int_equal(recording_free(recording), CP_OK);
    /* Not the finger that follows the other. Times are the controller's, and shortest digits read back exactly. */
    expect_file("a.jsonl", "{\"t\":0,\"q\":{\"Arm.J1\":0,\"Arm.J2\":0.001,\"Arm.J3\":0.002,\"Arm.J4\":0.003,"
                           "\"Arm.J5\":0.004,\"Arm.J6\":0.005,\"Arm.Gripper.Left\":0.006}}\n"
                           "{\"t\":0.25,\"q\":{\"Arm.J1\":0.30000000000000004,\"Arm.J2\":0.001,\"Arm.J3\":0.002,"
                           "\"Arm.J4\":0.003,\"Arm.J5\":0.004,\"Arm.J6\":0.005,\"Arm.Gripper.Left\":0.006}}\n");
    free_cell(&cell);
}

/* The clip that the filter makes of it has each value at its time. */
static void the_filter_reads_it(void **state)
{
    (void)state;
    struct cell cell = make_cell();
    struct live_recording *recording;
    char option[300];
    uint32_t clips;
    assert_int_equal(recording_new(cell.context, cell.scene, &cell.map, path_of("b.jsonl"), &recording), CP_OK);
    for (int i = 0; i < 200; i++) {
        for (int joint = 0; joint < 8; joint++)
            cell.values[joint] = joint < 6 ? sin(0.1 * i + joint) : 0.01;
        assert_true(recording_add(recording, 40 + 0.008 * i, 3 + 0.0081 * i, cell.values, (struct recorded_places){0}));
    }
    assert_int_equal(recording_free(recording), CP_OK);
    (void)snprintf(option, sizeof option, "file=%s", path_of("b.jsonl"));
    expect_status(cell.context, apply_filter(cell.context, cell.scene, "recording", option, NULL, NULL), CP_OK);
    const cp_clip *clip = cp_clips(cell.scene, &clips);
    assert_int_equal(clips, 1);
    assert_int_equal(clip->track_count, 7);
    for (uint32_t t = 0; t < clip->track_count; t++) {
        const cp_track *track = &clip->tracks[t];
        if (track->target > 5)
            continue;
        assert_int_equal(track->key_count, 200);
        for (uint32_t i = 0; i < track->key_count; i++) {
            assert_true(track->values[i] == sin(0.1 * i + track->target));
            assert_true(fabs(track->times[i] - 0.008 * i) < 1e-12);
        }
    }
    free_cell(&cell);
}

static void times_go_on_after_a_restart(void **state)
{
    (void)state;
    static const struct row {
        double time, now, value;
        const char *line; /* "": none */
    } rows[] = {
        {NAN, 50, 0, "{\"t\":0,\"q\":{\"Arm.J1\":0}}\n"},
        {NAN, 50.25, 1, "{\"t\":0.25,\"q\":{\"Arm.J1\":1}}\n"},
        {7, 50.5, 2, "{\"t\":0.5,\"q\":{\"Arm.J1\":2}}\n"},     /* the controller's clock comes */
        {7.125, 51, 3, "{\"t\":0.625,\"q\":{\"Arm.J1\":3}}\n"}, /* and counts, whenever its words arrive */
        {7.125, 51, 3, ""},                                     /* said twice */
        {7.125, 51, 4, "{\"t\":0.6250000000000001,\"q\":{\"Arm.J1\":4}}\n"},
        {0.5, 52, 5, "{\"t\":2,\"q\":{\"Arm.J1\":5}}\n"}, /* it goes back */
        {0.75, 52.25, 6, "{\"t\":2.25,\"q\":{\"Arm.J1\":6}}\n"},
        {1e9, 53, 7, "{\"t\":3,\"q\":{\"Arm.J1\":7}}\n"}, /* it leaps */
        {1e9 + 1, 53.5, 8, "{\"t\":4,\"q\":{\"Arm.J1\":8}}\n"},
        {NAN, 53.75, 9, "{\"t\":4.000000000000001,\"q\":{\"Arm.J1\":9}}\n"}, /* times never go back */
        {1e9 + 2, 54.9, 10, "{\"t\":5,\"q\":{\"Arm.J1\":10}}\n"},
    };
    char expected[2000] = "";
    struct cell cell = make_cell();
    struct live_recording *recording;
    map_one(&cell);
    assert_int_equal(recording_new(cell.context, cell.scene, &cell.map, path_of("c.jsonl"), &recording), CP_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cell.values[find_joint(cell.scene, "Arm.J1")] = rows[i].value;
        assert_true(recording_add(recording, rows[i].time, rows[i].now, cell.values, (struct recorded_places){0}));
        (void)snprintf(expected + strlen(expected), sizeof expected - strlen(expected), "%s", rows[i].line);
    }
    assert_int_equal(recording_free(recording), CP_OK);
    expect_file("c.jsonl", expected);
    free_cell(&cell);
}

static void lines_are_there_after_a_second(void **state)
{
    (void)state;
    static const char first[] = "{\"t\":0,\"q\":{\"Arm.J1\":0}}\n";
    struct cell cell = make_cell();
    struct live_recording *recording;
    map_one(&cell);
    assert_int_equal(recording_new(cell.context, cell.scene, &cell.map, path_of("d.jsonl"), &recording), CP_OK);
    expect_file("d.jsonl", "");
    assert_true(recording_add(recording, NAN, 10, cell.values, (struct recorded_places){0}));
    assert_true(recording_flush(recording, 10.9));
    expect_file("d.jsonl", "");
    assert_true(recording_flush(recording, 11));
    expect_file("d.jsonl", first);
    cell.values[find_joint(cell.scene, "Arm.J1")] = 1;
    assert_true(recording_add(recording, NAN, 20, cell.values, (struct recorded_places){0}));
    expect_file("d.jsonl", first);
    assert_true(recording_add(recording, NAN, 21, cell.values, (struct recorded_places){0}));
    expect_file("d.jsonl", "{\"t\":0,\"q\":{\"Arm.J1\":0}}\n{\"t\":10,\"q\":{\"Arm.J1\":1}}\n"
                           "{\"t\":11,\"q\":{\"Arm.J1\":1}}\n");
    assert_int_equal(recording_free(recording), CP_OK);
    free_cell(&cell);
}

static void it_replaces_no_file(void **state)
{
    (void)state;
    struct cell cell = make_cell();
    struct live_recording *recording;
    struct stat about;
    write_file("e.jsonl", "precious");
    assert_int_equal(symlink("nowhere", path_of("link.jsonl")), 0);
    const char *const taken[] = {path_of("e.jsonl"), path_of("link.jsonl"), folder_path(), "/dev/null"};
    for (int i = 0; i < 4; i++) {
        cp_report_clear(cell.context);
        assert_int_equal(recording_new(cell.context, cell.scene, &cell.map, taken[i], &recording), CP_OUTPUT);
        assert_null(recording);
        assert_true(was_reported(cell.context, "record-file"));
        assert_true(was_said(cell.context, "it is there already: a recording goes into a new file"));
    }
    expect_file("e.jsonl", "precious");
    assert_int_equal(stat(path_of("nowhere"), &about), -1);
    assert_int_equal(recording_new(cell.context, cell.scene, &cell.map, path_of("no/folder.jsonl"), &recording),
                     CP_OUTPUT);
    assert_true(was_said(cell.context, "cannot make it: No such file"));
    /* Programs that are started later do not inherit it. */
    assert_int_equal(recording_new(cell.context, cell.scene, &cell.map, path_of("f.jsonl"), &recording), CP_OK);
    struct stat made;
    int open_files = 0;
    assert_int_equal(stat(path_of("f.jsonl"), &made), 0);
    for (int file = 0; file < 256; file++)
        if (fstat(file, &about) == 0 && about.st_ino == made.st_ino && about.st_dev == made.st_dev) {
            open_files++;
            assert_true(fcntl(file, F_GETFD) & FD_CLOEXEC);
        }
    assert_int_equal(open_files, 1);
    assert_int_equal(recording_free(recording), CP_OK);
    free_cell(&cell);
}

/* The limit of this process stands for the end of a disk. */
static void a_full_disk_ends_it(void **state)
{
    (void)state;
    struct cell cell = make_cell();
    struct live_recording *recording;
    struct rlimit before, limit;
    struct stat about;
    map_one(&cell);
    assert_int_equal(recording_new(cell.context, cell.scene, &cell.map, path_of("g.jsonl"), &recording), CP_OK);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = (struct rlimit){1000, before.rlim_max};
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    int lines = 0;
    bool goes_on = true;
    for (int i = 0; i < 200 && goes_on; i++) {
        cell.values[find_joint(cell.scene, "Arm.J1")] = i;
        goes_on = recording_add(recording, 0.02 * i, 10 + 0.02 * i, cell.values, (struct recorded_places){0});
    }
    assert_false(goes_on);
    assert_false(recording_add(recording, 300, 300, cell.values, (struct recorded_places){0}) ||
                 recording_flush(recording, 301));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    (void)signal(SIGXFSZ, handler);
    assert_int_equal(count_entries(cell.context, CP_ERROR, "record-write"), 1);
    assert_true(was_said(cell.context, "bytes: File too large"));
    assert_int_equal(recording_free(recording), CP_OUTPUT);
    assert_int_equal(count_entries(cell.context, CP_ERROR, "record-write"), 1);
    /* Whole lines are left, up to the limit. */
    char *text = read_whole(path_of("g.jsonl"), NULL);
    assert_int_equal(stat(path_of("g.jsonl"), &about), 0);
    assert_true(about.st_size <= 1000 && about.st_size > 1000 - 40);
    for (const char *at = text, *end; *at; at = end + 1, lines++) {
        char line[100], time[CP_NUMBER_SIZE];
        end = strchr(at, '\n');
        assert_non_null(end);
        (void)cp_print_double(round(2 * lines) / 100, time);
        (void)snprintf(line, sizeof line, "{\"t\":%s,\"q\":{\"Arm.J1\":%d}}", time, lines);
        assert_true((size_t)(end - at) == strlen(line) && memcmp(at, line, strlen(line)) == 0);
    }
    assert_true(lines > 20);
    free(text);
    free_cell(&cell);
}

static bool is_over(void *user)
{
    return *(bool *)user;
}

/* Whoever ends the program gets no memory any more; the lines of the last second are there. */
static void an_end_keeps_what_is_whole(void **state)
{
    (void)state;
    struct cell cell = make_cell();
    struct live_recording *recording;
    bool over = false, goes_on = true;
    int lines = 0;
    map_one(&cell);
    cp_set_cancel(cell.context, is_over, &over);
    assert_int_equal(recording_new(cell.context, cell.scene, &cell.map, path_of("h.jsonl"), &recording), CP_OK);
    for (int i = 0; i < 100 && goes_on; i++) {
        over = i > 2;
        cell.values[find_joint(cell.scene, "Arm.J1")] = i;
        goes_on = recording_add(recording, 0.001 * i, 10, cell.values, (struct recorded_places){0});
    }
    assert_false(goes_on);
    assert_int_equal(recording_free(recording), CP_OUTPUT);
    char *text = read_whole(path_of("h.jsonl"), NULL);
    for (const char *at = text; *at; at = strchr(at, '\n') + 1, lines++)
        assert_non_null(strchr(at, '\n'));
    assert_true(lines >= 3);
    free(text);
    over = false;
    free_cell(&cell);
}

static void memory_may_run_out(void **state)
{
    (void)state;
    struct cell cell = make_cell();
    for (size_t limit = 1, good = 0; !good; limit++) {
        struct counter counter = {.limit = 0};
        const cp_allocator allocator = {counted_resize, &counter};
        cp_context *context = cp_context_new(&allocator);
        struct live_recording *recording = NULL;
        assert_non_null(context);
        empty_folder();
        counter.limit = counter.calls + limit;
        cp_status status = recording_new(context, cell.scene, &cell.map, path_of("h.jsonl"), &recording);
        if (status == CP_OK) {
            const bool added = recording_add(recording, 1, 1, cell.values, (struct recorded_places){0});
            status = recording_free(recording);
            good = added && status == CP_OK;
            assert_int_equal(added, good);
        }
        assert_true(good || status == CP_LIMIT || status == CP_OUTPUT);
        counter.limit = 0;
        cp_context_free(context);
        assert_int_equal(counter.blocks, 0);
    }
    free_cell(&cell);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_joints_of_the_map_are_written),
        cmocka_unit_test(the_filter_reads_it),
        cmocka_unit_test(times_go_on_after_a_restart),
        cmocka_unit_test(lines_are_there_after_a_second),
        cmocka_unit_test(it_replaces_no_file),
        cmocka_unit_test(a_full_disk_ends_it),
        cmocka_unit_test(an_end_keeps_what_is_whole),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
