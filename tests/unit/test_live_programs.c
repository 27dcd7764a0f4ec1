/* Programs of a live cell as people get them back: each kind of error with its line and column, limits, speeds, what
 * touches and in which line, which device is meant, and limits of the command line. The answers are read with jansson.
 */
#include <jansson.h>
#include <math.h>
#include <pthread.h>

#include "../../live/floor.h"
#include "fixture.h"

static cp_context *context;
static struct floor *floor_;
static struct person tina;
static uint64_t now;

/* ---- the checker, which answers in a thread of its own ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t came = PTHREAD_COND_INITIALIZER;
static struct check_result *last_result;

static void take_result(void *user, struct check_result *result)
{
    (void)user;
    pthread_mutex_lock(&lock);
    last_result = result;
    pthread_cond_signal(&came);
    pthread_mutex_unlock(&lock);
}

static void wait_for_check(void)
{
    pthread_mutex_lock(&lock);
    while (!last_result)
        pthread_cond_wait(&came, &lock);
    struct check_result *result = last_result;
    last_result = NULL;
    pthread_mutex_unlock(&lock);
    floor_take_result(floor_, result, now);
    check_result_free(result);
}

/* ---- a floor ---- */

static json_t *next(const char *type)
{
    size_t size;
    for (const char *text; (text = floor_next(floor_, &tina, &size));) {
        json_t *json = json_loadb(text, size, 0, NULL);
        assert_non_null(json);
        if (strcmp(json_string_value(json_object_get(json, "type")), type) == 0)
            return json;
        json_decref(json);
    }
    return NULL;
}

static void say(const char *text)
{
    size_t size;
    while (floor_next(floor_, &tina, &size))
        ;
    now += 20;
    assert_true(floor_hear(floor_, &tina, text, strlen(text), now));
}

static void expect_done(const char *text)
{
    say(text);
    json_t *answer = next("done");
    if (!answer)
        fail_msg("not done: %s", text);
    json_decref(answer);
}

static void open_cell(const char *name, const char *device, const char *frame, const struct list *limits)
{
    char path[500];
    cp_scene *scene;
    (void)snprintf(path, sizeof path, SAMPLES "/%s", name);
    now = 100000;
    floor_ = calloc(1, sizeof *floor_);
    assert_int_equal(cp_read(context, path, NULL, NULL, 0, &scene), CP_OK);
    assert_int_equal(floor_open(floor_, context, scene, device, frame), CP_OK);
    assert_int_equal(floor_enter(floor_, &tina, "tina", ROLE_TEACHER), CP_OK);
    assert_int_equal(checker_new(context, floor_->cell.scene, limits, take_result, NULL, &floor_->checker), CP_OK);
    expect_done("{\"type\":\"take\"}");
}

static void close_cell(void)
{
    if (!floor_)
        return;
    floor_leave(floor_, &tina);
    checker_free(floor_->checker);
    floor_close(floor_);
    free(floor_);
    floor_ = NULL;
}

static int set_up(void **state)
{
    int failed = make_context(state);
    context = *state;
    return failed;
}

static int tear_down(void **state)
{
    close_cell();
    return free_context(state);
}

static const char *text_of(json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* Saves a program; its answer. */
static json_t *save(const char *text)
{
    json_t *message = json_pack("{s:s, s:i, s:s, s:s}", "type", "program", "id", 5, "name", "a", "text", text);
    char *said = json_dumps(message, 0);
    say(said);
    free(said);
    json_decref(message);
    json_t *refused = floor_->trial_count == 0 ? next("refused") : NULL;
    if (refused)
        fail_msg("%s: %s", text, text_of(refused, "why"));
    wait_for_check();
    return next("checked");
}

/* The first error stands at this line and column (0: the column is not told), and says these words. */
static void expect_error(const char *text, int line, int column, const char *words)
{
    json_t *answer = save(text);
    assert_non_null(answer);
    json_t *error = json_array_get(json_object_get(answer, "errors"), 0);
    if (!json_is_false(json_object_get(answer, "good")) || json_integer_value(json_object_get(error, "line")) != line ||
        json_integer_value(json_object_get(error, "column")) != column || !strstr(text_of(error, "text"), words))
        fail_msg("%s: %s", text, json_dumps(answer, 0));
    json_decref(answer);
}

/* It is not good, and this is why. */
static void expect_bad(const char *text, const char *why)
{
    json_t *answer = save(text);
    assert_non_null(answer);
    if (!json_is_false(json_object_get(answer, "good")) || !strstr(text_of(answer, "why"), why))
        fail_msg("%s: %s", text, json_dumps(answer, 0));
    json_decref(answer);
}

static void expect_good(const char *text)
{
    json_t *answer = save(text);
    assert_non_null(answer);
    if (!json_is_true(json_object_get(answer, "good")))
        fail_msg("%s: %s", text, text_of(answer, "why"));
    json_decref(answer);
}

static void expect_refused(const char *text, const char *why)
{
    say(text);
    json_t *answer = next("refused");
    if (!answer || !strstr(text_of(answer, "why"), why))
        fail_msg("%s: %s", text, answer ? text_of(answer, "why") : "not refused");
    json_decref(answer);
}

/* ---- cases ---- */

static void test_errors(void **state)
{
    (void)state;
    open_cell("demo.wu", NULL, NULL, NULL);
    static const struct {
        const char *text;
        int line, column;
        const char *words;
    } cases[] = {
        {"LMVO 1,2,3", 1, 1, "did you mean LMOV?"},
        {"HOME\n  cmove 1,2,3", 2, 3, "did you mean CMOV?"},
        {"pi = 3", 1, 1, "\"pi\" is a constant"},
        {"LMOV 1,2", 1, 1, "it takes 3 or 6 numbers, not 2"},
        {"MOVE 1", 1, 1, "it takes 6 numbers, not 1"},
        {"LMOV 1,,3", 1, 8, "a number or formula"},
        {"LMOV 1,2,a", 1, 10, "nobody gives a number to \"a\""},
        {"PTP POSE(1,2,3,4,5,6", 1, 9, "the bracket is not closed"},
        {"PTP POSE(1,2,3,4,5,6) 7", 1, 23, "expected the end of the line"},
        {"LPTP JOINTS(1,2,3,4,5,6)", 1, 6, "JOINTS are no point in space"},
        {"GOTO heer\nhere:", 1, 6, "there is no label \"heer\"; did you mean here?"},
        {"PTP nowhere", 1, 5, "there is no point or frame \"nowhere\""},
        {"PTP Prat", 1, 5, "did you mean Part?"},
        {"a=1\nPTP a", 2, 5, "\"a\" is a number, no point"},
        {"a: HOME\na: HOME", 2, 1, "the label \"a\" stands twice"},
        {"IF 1\nENDIF", 1, 5, "expected THEN"},
        {"IF 1 THEN\nHOME", 1, 0, "IF without ENDIF"},
        {"NEXT", 1, 1, "NEXT without FOR"},
        {"FOR i=1,2", 1, 0, "FOR without NEXT"},
        {"HANDLE", 1, 7, "expected OPEN or CLOSE"},
        {"CASE 1", 1, 7, "expected a comma and a label"},
        {"LMOV 1,TIMER(a),3", 1, 8, "TIMER takes a whole number"},
        {"HOME\nWAIT -1", 2, 0, "a wait is not below 0 s"},
        {"IMOV 0,0,20\nCMOV 450,220,430, 450,220,430", 2, 0, "two of the three places"},
        {"RET", 1, 0, "RET without GOSUB"},
        {"FOR i=1,2,0\nNEXT", 1, 0, "not 0"},
        {"a: GOSUB a", 1, 0, "nested more than 256 times"},
        {"SPEED 0", 1, 0, "above 0"},
        {"SPEED 101%", 1, 0, "up to 100 %"},
        {"SETC 0.5,3", 1, 0, "SETC takes a whole number"},
        {"WAIT 0.1\nGRAB Part", 2, 0, "beyond reach=10 mm"},
        {"a: GOTO a", 1, 0, "an endless loop?"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_error(cases[i].text, cases[i].line, cases[i].column, cases[i].words);
    /* all errors of a text are told */
    json_t *answer = save("FLY 1\nHOME\nSWIM 2\n");
    json_t *errors = json_object_get(answer, "errors");
    assert_int_equal(json_array_size(errors), 2);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(errors, 1), "line")), 3);
    json_decref(answer);
}

/* Places out of reach and beyond limits, what touches and in which line, and parts that are held. */
static void test_motions(void **state)
{
    (void)state;
    open_cell("demo.wu", NULL, NULL, NULL);
    expect_bad("LMOV 463.2, 223.7, 4100\n", "line 1: at ");
    expect_bad("IMOV 0,0,100\nPTP POSE(0,0,9000,0,0,0)\n", "line 2: at ");
    expect_bad("IMOV 0,0,100\nMOVE 9000,0,0,0,0,0\n", "line 2: at ");
    expect_bad("IMOV 0,0,100\nJ = JOINTS(0,0,400,0,0,0)\nMOVE J\n", "line 3: at ");
    expect_bad("IMOV 0,0,100\nIMOV 2000,0,0\n", "line 2: at ");
    expect_bad("IMOV 0,0,-300\n", "in line 1");
    expect_bad("WAIT 1\nIMOV 50,0,0\n", "Part would touch at 1.");
    expect_bad("IMOV 0,0,100\nIMOV 0,0,-100\nIMOV 60,0,0\n",
               "near: Arm.Gripper.LeftFinger and Part would touch at 1.38 s, "
               "in line 3");
    expect_good("IMOV 0,0,100\nIMOV 0,-50,0\n");
    /* a part that is held is pressed into the table, touches another one, is put down and picked again */
    const char *const pick = "LMOV 463.2, 223.7, 490\nLMOV 463.2, 223.7, 410\nHANDLE CLOSE Part\n";
    char text[1000];
    static const struct {
        const char *rest, *why; /* NULL: good */
    } cases[] = {
        {"IMOV 0, 0, 80\nIMOV 0, -200, 0\nIMOV 0, 0, -80\nHANDLE OPEN\nIMOV 0, 0, 80\n", NULL},
        {"IMOV 0, 0, 80\nIMOV 0, -200, 0\nIMOV 0, 0, -80\nHANDLE OPEN\nWAIT 0.2\nHANDLE CLOSE Part\nIMOV 0,0,80\n",
         NULL},
        {"IMOV 0, 0, 80\nIMOV 0, 0, -90\n", "Part"},
        {"IMOV 0, 0, 80\nIMOV 0, -200, 0\nIMOV 0, 0, -95\n", "in line 6"},
        {"IMOV 0, 0, -10\n", "in line 4"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        (void)snprintf(text, sizeof text, "%s%s", pick, cases[i].rest);
        if (cases[i].why)
            expect_bad(text, cases[i].why);
        else
            expect_good(text);
    }
}

/* The links of this robot touch each other: that is no reason to refuse what moves them, nor what jogs do. */
static void test_links_that_touch(void **state)
{
    (void)state;
    open_cell("deneb/assembly/robot.dcd", NULL, NULL, NULL);
    expect_good("MOVE 10,0,0,0,0,0\n");
    char jog[200];
    (void)snprintf(jog, sizeof jog, "{\"type\":\"jog\",\"joint\":\"%s\",\"speed\":0.1}", floor_->cell.joints[2].id);
    expect_done(jog);
    for (int i = 0; i < 60; i++)
        (void)floor_tick(floor_, now += STEP_TIME);
    const struct near_pair *pairs;
    uint32_t count;
    assert_int_equal(cell_near(&floor_->cell, 0, &pairs, &count), CP_OK);
    assert_true(count > 0); /* which do not rest any more */
    expect_good("IMOV 0,0,1\n");
}

/* What a cell lacks for programs is told, and what to do about it. */
static void test_devices(void **state)
{
    (void)state;
    open_cell("deneb/welding/welding.dcw", NULL, NULL, NULL);
    expect_refused("{\"type\":\"program\",\"name\":\"a\",\"text\":\"HOME\"}",
                   "2 devices have 6 joints: serve the cell with device=NAME, such as device=\"robot left\"");
    expect_refused("{\"type\":\"teach\",\"name\":\"P1\"}", "2 devices have 6 joints");
    close_cell();
    open_cell("urdf_picker.urdf", NULL, NULL, NULL);
    expect_refused("{\"type\":\"program\",\"name\":\"a\",\"text\":\"HOME\"}",
                   "device \"picker\" has 3 ends: serve the cell with frame=NAME, such as frame=\"left_finger\"");
    close_cell();
    open_cell("tag_models.wu", NULL, NULL, NULL);
    expect_refused("{\"type\":\"program\",\"name\":\"a\",\"text\":\"HOME\"}",
                   "no device: programs move one with joints");
    close_cell();
    cp_scene *scene;
    struct floor *other = calloc(1, sizeof *other);
    assert_int_equal(cp_read(context, SAMPLES "/deneb/assembly/assembly.dcw", NULL, NULL, 0, &scene), CP_OK);
    assert_int_equal(floor_open(other, context, scene, NULL, "flange of nobody"), CP_USAGE);
    free(other);
    open_cell("deneb/welding/welding.dcw", "robot right", "flange", NULL); /* of this robot, not of the other one */
    const uint32_t frame = floor_->simulator.options.frame;
    assert_string_equal(floor_->cell.nodes[frame].id, "flange#2");
    expect_good("HOME\n");
    json_t *moved = save("MOVE 5,0,0,0,0,0\n"), *path = json_object_get(moved, "path");
    const json_t *first = json_array_get(path, 0), *last = json_array_get(path, json_array_size(path) - 1);
    for (size_t i = 0; i < json_array_size(first); i++) {
        const char *id = floor_->cell.joints[floor_->cell.shown[i]].id;
        const bool moves =
            fabs(json_number_value(json_array_get(first, i)) - json_number_value(json_array_get(last, i))) > 1e-9;
        if (moves != (*id == 'j' && strstr(id, "#2") && strcmp(id, "j4#2") != 0 && strcmp(id, "j6#2") != 0))
            fail_msg("%s %s", id, moves ? "moves" : "rests");
    }
    json_decref(moved);
}

/* Limits of the command line are those of the checks, too. */
static void test_limits(void **state)
{
    (void)state;
    const char *items[] = {"clip=1", "steps=50"};
    const struct list limits = {.items = items, .count = 2};
    open_cell("demo.wu", NULL, NULL, &limits);
    expect_good("WAIT 0.9\n");
    expect_bad("WAIT 2\n", "--limit clip=");
    expect_bad("FOR I = 1, 100\nA = I\nNEXT\n", "--limit steps=");
    close_cell();
    open_cell("demo.wu", NULL, NULL, NULL);
    expect_good("WAIT 2\nFOR I = 1, 100\nA = I\nNEXT\n");
}

/* A joint that follows another has limits of its own, which the jog of the other has passed: nothing is held up by it.
 * A value that is beyond a limit and stays there hinders no other joint, and it may come back. */
static void test_beyond(void **state)
{
    (void)state;
    open_cell("urdf_picker.urdf", NULL, NULL, NULL);
    struct cell *cell = &floor_->cell;
    double q[16];
    memcpy(q, cell->q, cell->joint_count * sizeof *q);
    q[cell_joint(cell, "grip")] = 0.025;
    assert_int_equal(cell_go(cell, q), CP_OK);
    memcpy(q, cell->q, cell->joint_count * sizeof *q);
    q[cell_joint(cell, "turn")] = 0.1;
    assert_int_equal(cell_beyond(cell, q), CP_NONE);
    const uint32_t lift = cell_joint(cell, "lift");
    cell->q[lift] = q[lift] = -0.2; /* its limits are 0 and 0.4 */
    assert_int_equal(cell_beyond(cell, q), CP_NONE);
    q[lift] = -0.1;
    assert_int_equal(cell_beyond(cell, q), CP_NONE);
    q[lift] = -0.201;
    assert_int_equal(cell_beyond(cell, q), lift);
    q[lift] = NAN;
    assert_int_equal(cell_beyond(cell, q), lift);
    q[lift] = 0.401;
    cell->q[lift] = 0.2;
    assert_int_equal(cell_beyond(cell, q), lift);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_errors, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_motions, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_links_that_touch, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_devices, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_limits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_beyond, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
