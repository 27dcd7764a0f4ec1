/* Joint maps: which joint of the cell a controller's joint is, by a file and without one, and what samples may say. */
#include "fixture.h"

#include <math.h>

#include "../../live/controller.h"

/* ---- a cell ---- */

/* a: -1 .. 1 rad; b: 0 .. 0.2 m; c follows a; two joints are called d; e has no limits; f stands at 0.5; g has a limit
 * below alone; h scales; i is fixed. A device has b and a, in this order. */
enum { A, B, C, D, D_TOO, E, F, G, H, I, JOINTS };

struct cell {
    cp_context *context;
    cp_scene *scene;
    struct arena *arena;
    struct joint_map map;
    double values[JOINTS];
};

static void free_cell(struct cell *cell)
{
    arena_free(cell->arena);
    cp_scene_free(cell->scene);
    cp_context_free(cell->context);
}

static struct cell make_cell(bool with_device)
{
    static const uint32_t chain[] = {B, A};
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = cp_scene_new(context);
    assert_non_null(scene);
    const uint32_t node = add_node_at(scene, 0, "arm", NULL), end = add_node_at(scene, node, "end", NULL);
    (void)add_limited_joint(scene, node, CP_JOINT_REVOLUTE, "a", -1, 1);
    (void)add_limited_joint(scene, node, CP_JOINT_PRISMATIC, "b", 0, 0.2);
    (void)add_limited_joint(scene, node, CP_JOINT_REVOLUTE, "c", -1, 1);
    (void)add_limited_joint(scene, node, CP_JOINT_REVOLUTE, "d", -1, 1);
    (void)add_limited_joint(scene, node, CP_JOINT_REVOLUTE, "d", -1, 1);
    (void)add_limited_joint(scene, node, CP_JOINT_REVOLUTE, "e", -INFINITY, INFINITY);
    (void)add_limited_joint(scene, node, CP_JOINT_REVOLUTE, "f", 0.5, 0.5);
    (void)add_limited_joint(scene, node, CP_JOINT_REVOLUTE, "g", 2, INFINITY);
    (void)add_limited_joint(scene, node, CP_JOINT_SCALE, "two words", 0, 10);
    (void)add_limited_joint(scene, node, CP_JOINT_FIXED, "i", 0, 0);
    struct draft draft = draft_of(scene);
    draft.joints[C].driven = false;
    draft.joints[C].master = A;
    draft.joints[F].home = draft.joints[F].q = 0.5;
    draft.joints[G].home = draft.joints[G].q = 2;
    scene = built_again(&draft, context);
    if (with_device)
        (void)add_device_of(scene, "arm", node, end, 2, chain);
    expect_status(context, cp_scene_finish(scene), CP_OK);
    struct cell cell = {.context = context, .scene = scene, .arena = arena_new(context)};
    assert_non_null(cell.arena);
    return cell;
}

static cp_status read_map(struct cell *cell, const char *text)
{
    const size_t size = strlen(text);
    char *copy = malloc(size > 0 ? size : 1); /* sanitizers see reads beyond its end */
    assert_non_null(copy);
    memcpy(copy, text, size);
    cp_report_clear(cell->context);
    cp_status status = joint_map_read_text(cell->context, cell->scene, "cell.map", copy, size, cell->arena, &cell->map);
    free(copy);
    return status;
}

/* ---- files ---- */

static const struct joint_map_row *row_named(const struct joint_map *map, const char *name)
{
    for (uint32_t i = 0; i < map->count; i++)
        if (strcmp(map->rows[i].name, name) == 0)
            return &map->rows[i];
    fail_msg("no row \"%s\"", name);
    return NULL;
}

static void expect_row(const struct joint_map *map, const char *name, uint32_t joint, double scale, double offset)
{
    const struct joint_map_row *row = row_named(map, name);
    assert_int_equal(row->joint, joint);
    assert_true(fabs(row->scale - scale) < 1e-15 && fabs(row->offset - offset) < 1e-15);
}

static void lines_say_what_joints_are(void **state)
{
    (void)state;
    struct cell cell = make_cell(true);
    expect_status(cell.context,
                  read_map(&cell, "\xef\xbb\xbf# of our robot\r\n"
                                  "3 a sign=-1 offset=90deg unit=deg # turned around\n"
                                  "\n  \t\n"
                                  "\"4 x\"\tb\tunit=mm offset=-5mm\r\n"
                                  "e e offset=1e-3 sign=+1\n"
                                  "j#1 \"two words\" offset=2\n"
                                  "d id:d#2 sign=1"),
                  CP_OK);
    assert_int_equal(cell.map.count, 5);
    expect_row(&cell.map, "3", A, -PI / 180, PI / 2);
    expect_row(&cell.map, "4 x", B, 0.001, -0.005);
    expect_row(&cell.map, "e", E, 1, 0.001);
    expect_row(&cell.map, "j#1", H, 1, 2);
    expect_row(&cell.map, "d", D_TOO, 1, 0);
    free_cell(&cell);
}

static void errors_have_line_and_column(void **state)
{
    (void)state;
    static const struct row {
        const char *line, *code, *message; /* behind "cell.map:2:" */
    } rows[] = {
        {"3", "map-line", "2: error: a name of the cell's joint must follow"},
        {"3 # a", "map-line", "3: error: a name of the cell's joint must follow"},
        {"3 x", "map-joint", "3: error: joint \"x\": there is no such joint"},
        {"\xc3\xa9 x", "map-joint", "3: error: joint \"x\": there is no such joint"},
        {"3 c", "map-joint", "3: error: joint \"c\": it follows others"},
        {"3 i", "map-joint", "3: error: joint \"i\": it does not move"},
        {"3 d", "map-joint", "3: error: joint \"d\": several joints have this name: use id: and the id of one"},
        {"3 id:x", "map-joint", "3: error: joint \"id:x\": there is no such joint"},
        {"3 b", "map-twice", "3: error: joint \"b\": line 1 has this joint, too"},
        {"3 id:b", "map-twice", "3: error: joint \"id:b\": line 1 has this joint, too"},
        {"\"3 a", "map-quotes", "1: error: quotes are not closed"},
        {"\"3\"a", "map-quotes", "4: error: a blank must follow the quotes"},
        {"3 a sing=-1", "map-option", "5: error: \"sing=-1\" is none of sign=-1, offset=VALUE and unit=UNIT"},
        {"3 a sign", "map-option", "5: error: \"sign\" is none of sign=-1, offset=VALUE and unit=UNIT"},
        {"3 a sign=-1 sign=-1", "map-option", "13: error: a second \"sign=-1\""},
        {"3 a sign=2", "map-sign", "5: error: the sign is \"2\"; it is 1 or -1"},
        {"3 a sign=", "map-sign", "5: error: the sign is \"\"; it is 1 or -1"},
        {"3 a unit=mm", "map-unit", "5: error: \"mm\" is no unit of this joint, which has rad or deg"},
        {"3 a unit=", "map-unit", "5: error: \"\" is no unit of this joint, which has rad or deg"},
        {"3 \"two words\" unit=rad", "map-unit", "15: error: \"rad\" is no unit of this joint, which has no unit"},
        {"3 a offset=5mm", "map-offset", "5: error: \"5mm\" is no offset of this joint"},
        {"3 a offset=", "map-offset", "5: error: \"\" is no offset of this joint"},
        {"3 a offset=1,5", "map-offset", "5: error: \"1,5\" is no offset of this joint"},
        {"3 a offset=1e999", "map-offset", "5: error: \"1e999\" is no offset of this joint"},
        {"3 a offset=nan", "map-offset", "5: error: \"nan\" is no offset of this joint"},
    };
    struct cell cell = make_cell(true);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[200], message[300];
        (void)snprintf(text, sizeof text, "x b\n%s\n", rows[i].line);
        (void)snprintf(message, sizeof message, "cell.map:2:%s", rows[i].message);
        expect_status(cell.context, read_map(&cell, text), CP_INPUT);
        if (!was_reported(cell.context, rows[i].code) || !was_said(cell.context, message)) {
            show_report(cell.context);
            fail_msg("not \"%s\" of %s", message, rows[i].line);
        }
    }
    expect_status(cell.context, read_map(&cell, "# nothing\n"), CP_INPUT);
    assert_true(was_said(cell.context, "cell.map: error: it maps no joint"));
    expect_status(cell.context, read_map(&cell, ""), CP_INPUT);
    cp_report_clear(cell.context);
    expect_status(cell.context,
                  joint_map_read_text(cell.context, cell.scene, "cell.map", "1 a\n2 \0b", 8, cell.arena, &cell.map),
                  CP_INPUT);
    assert_true(was_said(cell.context, "cell.map:2:3: error: a zero byte: it is no text"));
    free_cell(&cell);
}

static void files_are_read(void **state)
{
    (void)state;
    struct cell cell = make_cell(true);
    write_file("good.map", "1 a\n");
    expect_status(cell.context, joint_map_read(cell.context, cell.scene, path_of("good.map"), cell.arena, &cell.map),
                  CP_OK);
    expect_row(&cell.map, "1", A, 1, 0);
    const char *const bad[] = {path_of("none.map"), folder_path(), "/dev/null"};
    for (int i = 0; i < 3; i++) {
        cp_report_clear(cell.context);
        expect_status(cell.context, joint_map_read(cell.context, cell.scene, bad[i], cell.arena, &cell.map), CP_INPUT);
        assert_true(was_reported(cell.context, "map-file"));
    }
    const size_t size = (1 << 20) + 1;
    char *large = scratch(size, 1);
    memset(large, '#', size);
    write_bytes("large.map", large, size);
    cp_report_clear(cell.context);
    expect_status(cell.context, joint_map_read(cell.context, cell.scene, path_of("large.map"), cell.arena, &cell.map),
                  CP_INPUT);
    assert_true(was_reported(cell.context, "map-large"));
    large[size - 2] = '\n';
    write_bytes("large.map", large, size - 1); /* as large as a file may be, and without a joint */
    expect_status(cell.context, joint_map_read(cell.context, cell.scene, path_of("large.map"), cell.arena, &cell.map),
                  CP_INPUT);
    assert_true(was_reported(cell.context, "map-empty"));
    free_cell(&cell);
}

/* ---- no file ---- */

static void names_are_the_default(void **state)
{
    (void)state;
    struct cell cell = make_cell(true);
    assert_int_equal(joint_map_default(cell.context, cell.scene, cell.arena, &cell.map), CP_OK);
    expect_row(&cell.map, "a", A, 1, 0);
    expect_row(&cell.map, "id:a", A, 1, 0);
    expect_row(&cell.map, "id:d", D, 1, 0);
    expect_row(&cell.map, "id:d#2", D_TOO, 1, 0);
    expect_row(&cell.map, "1", B, 1, 0); /* the device's order */
    expect_row(&cell.map, "2", A, 1, 0);
    for (uint32_t i = 0; i < cell.map.count; i++) {
        const struct joint_map_row *row = &cell.map.rows[i];
        assert_true(row->joint != C && row->joint != I);
        assert_true(strcmp(row->name, "d") != 0 && strcmp(row->name, "3") != 0);
        assert_true(i == 0 || strcmp(row[-1].name, row->name) < 0);
    }
    assert_string_equal(joint_map_row_of(&cell.map, A)->name, "a");
    assert_string_equal(joint_map_row_of(&cell.map, D_TOO)->name, "id:d#2");
    assert_null(joint_map_row_of(&cell.map, C));
    /* Commands have each joint once: not c, which follows, and i, which is fixed. */
    const char *names[3 * JOINTS];
    double out[3 * JOINTS];
    assert_int_equal(joint_map_invert(&cell.map, cell.values, names, out), JOINTS - 2);
    free_cell(&cell);
    /* Without a device all driven joints are numbered. */
    cell = make_cell(false);
    assert_int_equal(joint_map_default(cell.context, cell.scene, cell.arena, &cell.map), CP_OK);
    expect_row(&cell.map, "1", A, 1, 0);
    expect_row(&cell.map, "2", B, 1, 0);
    expect_row(&cell.map, "3", D, 1, 0);
    free_cell(&cell);
}

/* Names come before ids, and both before numbers. */
static void names_that_look_like_others(void **state)
{
    (void)state;
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = cp_scene_new(context);
    const uint32_t node = add_node_at(scene, 0, "arm", NULL);
    (void)add_limited_joint(scene, node, CP_JOINT_REVOLUTE, "x", -1, 1);
    (void)add_limited_joint(scene, node, CP_JOINT_REVOLUTE, "id:x", -1, 1);
    (void)add_limited_joint(scene, node, CP_JOINT_REVOLUTE, "1", -1, 1);
    expect_status(context, cp_scene_finish(scene), CP_OK);
    struct cell cell = {.context = context, .scene = scene, .arena = arena_new(context)};
    static const char *const names[] = {"id:x", "1", "2", "3", "x", "id:id:x", "id:1"};
    static const uint32_t joints[] = {1, 2, 1, 2, 0, 1, 2};
    assert_int_equal(joint_map_default(context, scene, cell.arena, &cell.map), CP_OK);
    assert_int_equal(cell.map.count, 7);
    for (int i = 0; i < 7; i++)
        assert_int_equal(row_named(&cell.map, names[i])->joint, joints[i]);
    expect_status(context, read_map(&cell, "a id:x\nb id:id:x\n"), CP_INPUT);
    assert_true(was_reported(context, "map-twice"));
    free_cell(&cell);
}

/* The map of docs/live.md. */
static void the_page_has_a_good_map(void **state)
{
    (void)state;
    static const char text[] = "# controller  cell                 what differs\n"
                               "1             Arm.J1\n"
                               "2             Arm.J2               sign=-1 offset=90deg\n"
                               "3             Arm.J3               unit=deg\n"
                               "\"axis 7\"      id:Arm.Gripper.Left  unit=mm offset=-5mm\n";
    struct cell cell = {.context = cp_context_new(NULL)};
    cell.scene = read_path(cell.context, SAMPLES "/demo.wu");
    cell.arena = arena_new(cell.context);
    expect_status(cell.context, read_map(&cell, text), CP_OK);
    expect_row(&cell.map, "axis 7", find_joint(cell.scene, "Arm.Gripper.Left"), 0.001, -0.005);
    free_cell(&cell);
}

/* ---- samples ---- */

static bool apply(struct cell *cell, uint32_t count, const char *const *names, const double *values, char *why)
{
    const struct controller_sample sample = {.names = names, .values = values, .count = count};
    why[0] = '\0';
    return joint_map_apply(&cell->map, cell->scene, &sample, cell->values, why);
}

static bool apply_one(struct cell *cell, const char *name, double value)
{
    char why[WHY_SIZE];
    return apply(cell, 1, &name, &value, why);
}

static void samples_go_where_the_map_says(void **state)
{
    (void)state;
    static const char *const names[] = {"one", "two", "unknown"};
    char why[WHY_SIZE];
    struct cell cell = make_cell(true);
    expect_status(cell.context, read_map(&cell, "two b unit=mm\none a sign=-1 unit=deg offset=10deg\ntwo e unit=deg"),
                  CP_OK);
    cell.values[F] = 0.5;
    assert_true(apply(&cell, 3, names, (const double[]){30, 90, 7}, why));
    assert_true(fabs(cell.values[A] + 20 * PI / 180) < 1e-15);
    assert_true(cell.values[B] == 0.09 && fabs(cell.values[E] - PI / 2) < 1e-15);
    assert_true(cell.values[F] == 0.5);
    assert_true(apply(&cell, 0, NULL, NULL, why)); /* a mode alone */
    const struct controller_sample sample = {.names = names, .values = (const double[]){1, 2, 3}, .count = 3};
    assert_string_equal(joint_map_unknown(&cell.map, &sample), "unknown");
    const struct controller_sample unused = {.names = names, .values = (const double[]){1, 2, 0}, .count = 3};
    assert_null(joint_map_unknown(&cell.map, &unused));
    /* And the way back, for commands. */
    const char *back[3];
    double out[3];
    assert_int_equal(joint_map_invert(&cell.map, cell.values, back, out), 2);
    assert_string_equal(back[0], "one");
    assert_string_equal(back[1], "two");
    assert_true(fabs(out[0] - 30) < 1e-12 && fabs(out[1] - 90) < 1e-12);
    free_cell(&cell);
}

static void faults_change_nothing(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b"};
    char why[WHY_SIZE];
    struct cell cell = make_cell(true);
    assert_int_equal(joint_map_default(cell.context, cell.scene, cell.arena, &cell.map), CP_OK);
    cell.values[A] = 0.25;
    assert_false(apply(&cell, 2, names, (const double[]){0.5, NAN}, why));
    assert_string_equal(why, "the value of \"b\" is no finite number");
    assert_false(apply(&cell, 2, names, (const double[]){0.5, -INFINITY}, why));
    assert_false(apply(&cell, 2, names, (const double[]){0.5, 0.3}, why));
    assert_string_equal(why, "joint \"b\" is 0.3, far beyond its limits 0 to 0.2");
    static const char *const foreign[] = {"x", "y"};
    assert_false(apply(&cell, 2, foreign, (const double[]){0, 0}, why));
    assert_string_equal(why, "none of its joints is known here, such as \"x\"");
    assert_false(apply(&cell, 2, (const char *const[]){"a", "x"}, (const double[]){0.5, NAN}, why));
    assert_string_equal(why, "the value of \"x\" is no finite number");
    assert_true(cell.values[A] == 0.25 && cell.values[B] == 0);
    free_cell(&cell);
}

/* 5 % of the range, at least 0.001; 0.05 where a side has no limit. */
static void limits_have_some_slack(void **state)
{
    (void)state;
    struct cell cell = make_cell(true);
    assert_int_equal(joint_map_default(cell.context, cell.scene, cell.arena, &cell.map), CP_OK);
    assert_true(apply_one(&cell, "a", 1.0999) && apply_one(&cell, "a", -1.0999));
    assert_true(cell.values[A] == -1.0999); /* it stays as it was told */
    assert_false(apply_one(&cell, "a", 1.1001) || apply_one(&cell, "a", -1.1001));
    assert_true(apply_one(&cell, "b", -0.00999) && apply_one(&cell, "b", 0.20999));
    assert_false(apply_one(&cell, "b", -0.0101) || apply_one(&cell, "b", 0.2101));
    assert_true(apply_one(&cell, "e", 1e6) && apply_one(&cell, "e", -1e6));
    assert_true(apply_one(&cell, "f", 0.4991) && apply_one(&cell, "f", 0.5009));
    assert_false(apply_one(&cell, "f", 0.4989) || apply_one(&cell, "f", 0.5011));
    assert_true(apply_one(&cell, "g", 1.951) && apply_one(&cell, "g", 1e9));
    assert_false(apply_one(&cell, "g", 1.949));
    /* Overflow in the map is no pose. */
    expect_status(cell.context, read_map(&cell, "e e unit=deg offset=1e308\n"), CP_OK);
    assert_true(apply_one(&cell, "e", 0));
    expect_status(cell.context, read_map(&cell, "e e offset=1.7e308\n"), CP_OK);
    assert_false(apply_one(&cell, "e", 1.7e308));
    free_cell(&cell);
}

static void many_joints_are_taken(void **state)
{
    (void)state;
    static char texts[MOST_CONTROLLER_JOINTS + 1][8];
    static const char *names[MOST_CONTROLLER_JOINTS + 1];
    static double values[MOST_CONTROLLER_JOINTS + 1];
    char why[WHY_SIZE];
    struct cell cell = make_cell(true);
    for (int i = 0; i <= MOST_CONTROLLER_JOINTS; i++) {
        (void)snprintf(texts[i], sizeof texts[i], "j%d", i);
        names[i] = i == MOST_CONTROLLER_JOINTS - 1 ? "a" : texts[i];
        values[i] = 0.75;
    }
    assert_int_equal(joint_map_default(cell.context, cell.scene, cell.arena, &cell.map), CP_OK);
    assert_true(apply(&cell, MOST_CONTROLLER_JOINTS, names, values, why));
    assert_true(cell.values[A] == 0.75);
    assert_false(apply(&cell, MOST_CONTROLLER_JOINTS + 1, names, values, why));
    free_cell(&cell);
}

/* Joints of the sample: a real controller's numbers are the arm's. */
static void demo_takes_an_arm_of_six(void **state)
{
    (void)state;
    static const char *const names[] = {"1", "2", "3", "4", "5", "6", "7", "8", "9", "10"};
    static const double values[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0, 0, 0, 0};
    const struct controller_sample sample = {.names = names, .values = values, .count = 10};
    char why[WHY_SIZE];
    cp_context *context = cp_context_new(NULL);
    cp_scene *scene = read_path(context, SAMPLES "/demo.wu");
    struct arena *arena = arena_new(context);
    struct joint_map map;
    double all[8] = {0};
    assert_int_equal(count_joints(scene), 8);
    assert_int_equal(joint_map_default(context, scene, arena, &map), CP_OK);
    assert_true(joint_map_apply(&map, scene, &sample, all, why));
    for (int i = 0; i < 6; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "Arm.J%d", i + 1);
        assert_true(all[find_joint(scene, name)] == values[i]);
    }
    assert_null(joint_map_unknown(&map, &sample));
    arena_free(arena);
    cp_scene_free(scene);
    cp_context_free(context);
}

static void memory_may_run_out(void **state)
{
    (void)state;
    static const char text[] = "3 a sign=-1 offset=90deg\n4 b\n";
    struct cell cell = make_cell(true);
    for (int file = 0; file < 2; file++) {
        cp_status status = CP_LIMIT;
        for (size_t limit = 1; status == CP_LIMIT; limit++) {
            struct counter counter = {.limit = 0};
            const cp_allocator allocator = {counted_resize, &counter};
            cp_context *context = cp_context_new(&allocator);
            struct arena *arena = arena_new(context);
            assert_non_null(arena);
            counter.limit = counter.calls + limit;
            status = file ? joint_map_read_text(context, cell.scene, "m", text, strlen(text), arena, &cell.map)
                          : joint_map_default(context, cell.scene, arena, &cell.map);
            counter.limit = 0;
            arena_free(arena);
            cp_context_free(context);
            assert_int_equal(counter.blocks, 0);
            assert_true(status == CP_LIMIT || status == CP_OK);
        }
    }
    cell.map.count = 0;
    free_cell(&cell);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_say_what_joints_are),
        cmocka_unit_test(errors_have_line_and_column),
        cmocka_unit_test(files_are_read),
        cmocka_unit_test(names_are_the_default),
        cmocka_unit_test(names_that_look_like_others),
        cmocka_unit_test(the_page_has_a_good_map),
        cmocka_unit_test(samples_go_where_the_map_says),
        cmocka_unit_test(faults_change_nothing),
        cmocka_unit_test(limits_have_some_slack),
        cmocka_unit_test(many_joints_are_taken),
        cmocka_unit_test(demo_takes_an_arm_of_six),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
