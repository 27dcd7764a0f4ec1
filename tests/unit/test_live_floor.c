/* What people say to a live cell and what they hear, without a network: the order of messages, refusals, programs,
 * rates, and what happens as time goes on. The answers are read with jansson. */
#include <jansson.h>
#include <math.h>
#include <pthread.h>
#include <time.h>

#include "../../live/floor.h"
#include "fixture.h"

static cp_context *context;
static struct floor *floor_;
static struct person tina, otto, vera, guest;
static uint64_t now;

static int set_up(void **state)
{
    int failed = make_context(state);
    cp_scene *scene;
    context = *state;
    now = 100000;
    floor_ = calloc(1, sizeof *floor_);
    assert_int_equal(cp_read(context, SAMPLES "/demo.wu", NULL, NULL, 0, &scene), CP_OK);
    assert_int_equal(floor_open(floor_, context, scene, NULL, NULL), CP_OK);
    assert_int_equal(floor_enter(floor_, &tina, "tina", ROLE_TEACHER), CP_OK);
    assert_int_equal(floor_enter(floor_, &otto, "otto", ROLE_OPERATOR), CP_OK);
    assert_int_equal(floor_enter(floor_, &vera, "vera", ROLE_VIEWER), CP_OK);
    assert_int_equal(floor_enter(floor_, &guest, "", ROLE_GUEST), CP_OK);
    return failed;
}

static int tear_down(void **state)
{
    struct person *people[] = {&tina, &otto, &vera, &guest};
    for (size_t i = 0; i < 4; i++)
        floor_leave(floor_, people[i]);
    checker_free(floor_->checker);
    floor_close(floor_);
    free(floor_);
    return free_context(state);
}

/* The next message of a type for a person; others before it are passed over. NULL: there is none. */
static json_t *next(struct person *person, const char *type)
{
    size_t size;
    for (const char *text; (text = floor_next(floor_, person, &size));) {
        json_error_t error;
        json_t *json = json_loadb(text, size, 0, &error);
        if (!json)
            fail_msg("%s: %.*s", error.text, (int)size, text);
        if (strcmp(json_string_value(json_object_get(json, "type")), type) == 0)
            return json;
        json_decref(json);
    }
    return NULL;
}

static void drain(struct person *person)
{
    size_t size;
    while (floor_next(floor_, person, &size))
        ;
}

static void say(struct person *person, const char *text)
{
    drain(person);
    now += 20;
    assert_true(floor_hear(floor_, person, text, strlen(text), now));
}

static void expect_done(struct person *person, const char *text)
{
    size_t size = 0;
    say(person, text);
    const char *answer = floor_next(floor_, person, &size);
    char words[200]; /* a message has no end of its own */
    (void)snprintf(words, sizeof words, "%.*s", (int)size, answer ? answer : "");
    if (!strstr(words, "\"done\""))
        fail_msg("not done: %s: %s", text, words);
}

static void expect_refused(struct person *person, const char *text, const char *why)
{
    say(person, text);
    json_t *answer = next(person, "refused");
    if (!answer)
        fail_msg("not refused: %s", text);
    const char *got = json_string_value(json_object_get(answer, "why"));
    if (!strstr(got, why))
        fail_msg("%s: refused because of \"%s\"", text, got);
    json_decref(answer);
}

static void let_pass(uint64_t milliseconds)
{
    for (const uint64_t end = now + milliseconds; now < end; now += STEP_TIME)
        (void)floor_tick(floor_, now);
}

static const char *mode(void)
{
    return mode_name(floor_->authority.mode);
}

static void test_first_words(void **state)
{
    (void)state;
    json_t *hello = next(&otto, "hello"), *it = next(&otto, "state");
    assert_string_equal(json_string_value(json_object_get(hello, "user")), "otto");
    assert_string_equal(json_string_value(json_object_get(hello, "role")), "operator");
    assert_string_equal(json_string_value(json_object_get(hello, "name")), "demo.wu");
    assert_int_equal(json_integer_value(json_object_get(hello, "version")), 1);
    assert_string_equal(json_string_value(json_array_get(json_object_get(hello, "joints"), 0)), "Arm.J1");
    assert_int_equal(json_array_size(json_object_get(it, "q")), json_array_size(json_object_get(hello, "joints")));
    assert_true(fabs(json_number_value(json_array_get(json_object_get(it, "q"), 0)) - floor_->cell.q[0]) < 1e-15);
    json_decref(it);
    json_decref(hello);
    it = next(&otto, "mode"); /* behind the state: who hears that a motion has ended knows where */
    assert_string_equal(json_string_value(json_object_get(it, "mode")), "ready");
    json_decref(it);
    it = next(&otto, "near");
    assert_int_equal(json_array_size(json_array_get(json_object_get(it, "pairs"), 0)), 5); /* names, distance, ids */
    assert_true(json_array_size(json_object_get(it, "pairs")) > 0); /* the gripper is about a part */
    json_decref(it);
    assert_null(next(&otto, "state"));
    assert_false(floor_is_due(floor_, &otto));
}

static void test_refusals(void **state)
{
    (void)state;
    expect_refused(&guest, "{\"type\":\"emergency\"}", "rights");
    expect_refused(&vera, "{\"type\":\"stop\"}", "rights");
    expect_refused(&otto, "{\"type\":\"jog\",\"joint\":\"Arm.J1\",\"speed\":0.1}", "rights");
    expect_refused(&tina, "{\"type\":\"jog\",\"joint\":\"Arm.J1\",\"speed\":0.1}", "lease");
    expect_done(&tina, "{\"type\":\"take\",\"id\":1}");
    expect_refused(&otto, "{\"type\":\"take\"}", "lease");
    expect_refused(&tina, "{\"type\":\"run\"}", "no program");
    expect_refused(&tina, "{\"type\":\"reset\"}", "mode");
    static const char *const nonsense[] = {
        "",
        "x",
        "[]",
        "{}",
        "{\"type\":1}",
        "{\"type\":\"fly\"}",
        "{\"type\":\"take\"} x",
        "{\"type\":\"take\"",
        "[[[[[[[[[[[[[[[[[[[[",
    };
    for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; i++)
        assert_false(floor_hear(floor_, &tina, nonsense[i], strlen(nonsense[i]), now));
    static const char *const bad[] = {
        "{\"type\":\"take\",\"id\":0}",
        "{\"type\":\"jog\"}",
        "{\"type\":\"jog\",\"joint\":\"Arm.J1\"}",
        "{\"type\":\"jog\",\"joint\":\"Arm.J9\",\"speed\":0.1}",
        "{\"type\":\"jog\",\"joint\":\"Arm.J1\",\"speed\":\"fast\"}",
        "{\"type\":\"move\",\"q\":[0],\"speed\":1}",
        "{\"type\":\"move\",\"q\":{},\"speed\":1}",
        "{\"type\":\"teach\",\"name\":\"\"}",
        "{\"type\":\"program\",\"name\":\"../x\",\"text\":\"END\"}",
        "{\"type\":\"program\",\"name\":\"a\"}",
        "{\"type\":\"take\",\"id\":-1}",
        "{\"type\":\"take\",\"id\":1.5}",
        "{\"type\":\"take\",\"id\":1e300}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        expect_refused(&tina, bad[i], "format: ");
    expect_refused(&tina, "{\"type\":\"teach\",\"name\":\"1P\"}", "format: ");
    expect_refused(&tina, "{\"type\":\"download\",\"name\":\"none\"}", "there is no program");
    assert_string_equal(mode(), "ready");
}

/* The answer repeats the number of the question. */
static void test_numbers(void **state)
{
    (void)state;
    say(&otto, "{\"type\":\"take\",\"id\":4711}");
    json_t *answer = next(&otto, "done");
    assert_int_equal(json_integer_value(json_object_get(answer, "id")), 4711);
    json_decref(answer);
    say(&otto, "{\"type\":\"jog\",\"id\":9007199254740991}");
    answer = next(&otto, "refused");
    assert_true(json_integer_value(json_object_get(answer, "id")) == 9007199254740991);
    json_decref(answer);
}

/* Only an emergency ends a move: one that nobody would wait for is none. */
static void test_endless_moves(void **state)
{
    (void)state;
    static const char *const speeds[] = {"1e-9", "1e-300", "5e-324", "0.00001", "0", "-1", "1.1"};
    char list[400] = "", message[600];
    for (uint32_t i = 0; i < floor_->cell.shown_count; i++) {
        char number[CP_NUMBER_SIZE]; /* with a decimal point in any locale */
        number[cp_print_double(floor_->cell.q[floor_->cell.shown[i]] + (i == 0 ? 0.1 : 0), number)] = 0;
        (void)snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? "," : "", number);
    }
    expect_done(&tina, "{\"type\":\"take\"}");
    for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++) {
        (void)snprintf(message, sizeof message, "{\"type\":\"move\",\"q\":[%s],\"speed\":%s}", list, speeds[i]);
        expect_refused(&tina, message, "limits");
        assert_string_equal(mode(), "ready");
    }
    (void)snprintf(message, sizeof message, "{\"type\":\"move\",\"q\":[%s],\"speed\":0.01}", list);
    expect_done(&tina, message);
}

static void test_program(void **state)
{
    (void)state;
    expect_done(&tina, "{\"type\":\"take\"}");
    say(&tina, "{\"type\":\"teach\",\"id\":3,\"name\":\"P1\"}");
    json_t *answer = next(&tina, "done");
    const char *line = json_string_value(json_object_get(answer, "text"));
    assert_memory_equal(line, "P1 = POSE(", 10);
    char text[1000];
    (void)snprintf(
        text, sizeof text,
        "{\"type\":\"program\",\"name\":\"a.prg\",\"text\":\"%s\\nIMOV 0,0,50\\nIMOV 0,0,50\\nLPTP P1\\nEND\\n\"}",
        line);
    json_decref(answer);
    const double first = floor_->cell.q[1];
    expect_done(&tina, text);
    expect_done(&tina, "{\"type\":\"download\",\"name\":\"a.prg\"}");
    expect_done(&tina, "{\"type\":\"run\"}");
    assert_string_equal(mode(), "running");
    let_pass(100);
    expect_done(&tina, "{\"type\":\"alive\"}");
    expect_done(&otto, "{\"type\":\"stop\"}");
    let_pass(1500);
    assert_string_equal(mode(), "stopped");
    const double before = floor_->cell.q[1];
    expect_done(&tina, "{\"type\":\"step\"}");
    let_pass(1500);
    assert_string_equal(mode(), "stopped");
    assert_true(fabs(floor_->cell.q[1] - before) > 1e-3);
    expect_done(&tina, "{\"type\":\"continue\"}");
    let_pass(1500);
    assert_string_equal(mode(), "ready");
    assert_true(fabs(floor_->cell.q[1] - first) < 1e-5); /* back where it was taught, as far as the line says it */
}

/* A lost page ends a jog at once, and a program at the end of its move. */
static void test_lost_page(void **state)
{
    (void)state;
    expect_done(&tina, "{\"type\":\"take\"}");
    expect_done(&tina, "{\"type\":\"program\",\"name\":\"a\",\"text\":\"IMOV 0,0,50\\nIMOV 0,0,50\\nEND\\n\"}");
    expect_done(&tina, "{\"type\":\"download\",\"name\":\"a\"}");
    expect_done(&tina, "{\"type\":\"run\"}");
    let_pass(50);
    floor_leave(floor_, &tina);
    assert_true(floor_->authority.stopping);
    let_pass(1500);
    assert_string_equal(mode(), "stopped");
    assert_int_equal(floor_enter(floor_, &tina, "tina", ROLE_TEACHER), CP_OK);
    expect_done(&tina, "{\"type\":\"take\"}");
    expect_done(&tina, "{\"type\":\"reset\"}");
    expect_done(&tina, "{\"type\":\"jog\",\"joint\":\"Arm.J2\",\"speed\":-0.1}");
    let_pass(100);
    const double there = floor_->cell.q[1];
    floor_leave(floor_, &tina);
    let_pass(100);
    assert_string_equal(mode(), "ready");
    assert_true(floor_->cell.q[1] == there);
    assert_int_equal(floor_enter(floor_, &tina, "tina", ROLE_TEACHER), CP_OK);
}

/* A step makes one move, the first one of a program, too. */
static void test_step(void **state)
{
    (void)state;
    expect_done(&tina, "{\"type\":\"take\"}");
    expect_done(&tina, "{\"type\":\"program\",\"name\":\"a\",\"text\":\"SPEED 100\\nIMOV 0,0,50\\nIMOV 0,0,-50\\n\"}");
    expect_done(&tina, "{\"type\":\"download\",\"name\":\"a\"}");
    const double low = floor_->cell.q[1];
    expect_done(&tina, "{\"type\":\"step\"}");
    let_pass(1500);
    assert_string_equal(mode(), "stopped");
    assert_int_equal(floor_->simulator.line, 2);
    assert_true(fabs(floor_->cell.q[1] - low) > 1e-3);
    expect_done(&tina, "{\"type\":\"step\"}");
    let_pass(1500);
    assert_true(fabs(floor_->cell.q[1] - low) < 1e-5);
}

/* A stop ends a jog where it is, though its button is still held. */
static void test_stop_of_a_jog(void **state)
{
    (void)state;
    expect_done(&tina, "{\"type\":\"take\"}");
    expect_done(&tina, "{\"type\":\"jog\",\"joint\":\"Arm.J2\",\"speed\":-0.1}");
    let_pass(100);
    expect_done(&otto, "{\"type\":\"stop\"}");
    assert_string_equal(mode(), "ready");
    const double there = floor_->cell.q[1];
    let_pass(1000);
    assert_true(floor_->cell.q[1] == there);
}

/* Teachers hear which programs are kept, and get their texts. */
static void test_open(void **state)
{
    (void)state;
    expect_refused(&otto, "{\"type\":\"open\",\"name\":\"a\"}", "rights");
    expect_refused(&tina, "{\"type\":\"open\",\"name\":\"a\"}", "there is no program");
    expect_done(&tina, "{\"type\":\"take\"}");
    say(&tina, "{\"type\":\"program\",\"name\":\"a\",\"text\":\"WAIT 1\\n; \\\"\\nEND\\n\"}");
    json_t *it = next(&tina, "programs");
    assert_int_equal(json_array_size(json_object_get(it, "names")), 1);
    json_decref(it);
    assert_null(next(&otto, "programs"));
    expect_done(&tina, "{\"type\":\"give\"}");
    say(&tina, "{\"type\":\"open\",\"id\":5,\"name\":\"a\"}");
    it = next(&tina, "done");
    assert_string_equal(json_string_value(json_object_get(it, "text")), "WAIT 1\n; \"\nEND\n");
    assert_string_equal(json_string_value(json_object_get(it, "name")), "a");
    json_decref(it);
    floor_leave(floor_, &tina);
    assert_int_equal(floor_enter(floor_, &tina, "tina", ROLE_TEACHER), CP_OK);
    it = next(&tina, "programs");
    assert_string_equal(json_string_value(json_array_get(json_object_get(it, "names"), 0)), "a");
    json_decref(it);
}

/* STOP NOW: the next step is the last one. */
static void test_emergency(void **state)
{
    (void)state;
    expect_done(&tina, "{\"type\":\"take\"}");
    expect_done(&tina, "{\"type\":\"program\",\"name\":\"a\",\"text\":\"IMOV 0,0,150\\nEND\\n\"}");
    expect_done(&tina, "{\"type\":\"download\",\"name\":\"a\"}");
    expect_done(&tina, "{\"type\":\"run\"}");
    let_pass(200);
    const uint64_t n = floor_->n;
    expect_done(&vera, "{\"type\":\"emergency\"}");
    let_pass(1000);
    assert_string_equal(mode(), "emergency");
    assert_true(floor_->n <= n + 3); /* the 20 ms of the word, and the last step */
    json_t *it = next(&otto, "mode");
    assert_string_equal(json_string_value(json_object_get(it, "by")), "vera");
    json_decref(it);
}

/* A motion begins with one step, however long nothing has moved; steps that a late tick makes up for take their time.
 */
static void test_time(void **state)
{
    (void)state;
    expect_done(&tina, "{\"type\":\"take\"}");
    (void)floor_tick(floor_, now);
    now += 70; /* expect_done adds 20 */
    const double first = floor_->cell.q[1];
    expect_done(&tina, "{\"type\":\"jog\",\"joint\":\"Arm.J2\",\"speed\":-0.1}");
    (void)floor_tick(floor_, now);
    assert_true(fabs(floor_->cell.q[1] - first + 0.001) < 1e-12);
    const double time = floor_->time;
    const uint64_t n = floor_->n;
    now += 50;
    (void)floor_tick(floor_, now);
    assert_true(fabs(floor_->cell.q[1] - first + 0.006) < 1e-12);
    assert_true(fabs(floor_->time - time - 0.05) < 1e-12);
    assert_int_equal(floor_->n, n + 1); /* the newest alone */
}

/* In a cell where a look at what is near takes long, looks become rarer, and states come in between. */
static void test_slow_looks(void **state)
{
    (void)state;
    expect_done(&tina, "{\"type\":\"take\"}");
    (void)floor_tick(floor_, now += STEP_TIME);
    for (unsigned slow = 0; slow < 2; slow++) {
        unsigned looks = 0, states = 0;
        for (int i = 0; i < 60; i++) {
            if (i % 10 == 0)
                expect_done(&tina, "{\"type\":\"alive\"}");
            if (i % 10 == 0)
                expect_done(&tina, "{\"type\":\"jog\",\"joint\":\"Arm.J2\",\"speed\":-0.001}");
            const uint64_t n = floor_->n;
            (void)floor_tick(floor_, now);
            states += floor_->n > n;
            looks += floor_->last_look == now;
            now += floor_->last_look == now && slow ? 60 : STEP_TIME;
        }
        assert_true(states > 50);
        assert_true(slow ? looks >= 5 && looks <= 8 : looks >= 12 && looks <= 20);
        (void)floor_tick(floor_, now += 1000);
    }
}

/* 100 messages a second may be said, and no more. */
static void test_rate(void **state)
{
    (void)state;
    static const char text[] = "{\"type\":\"alive\"}";
    for (int second = 0; second < 2; second++) {
        for (int i = 0; i < MOST_A_SECOND; i++)
            assert_true(floor_hear(floor_, &vera, text, sizeof text - 1, 5000 + 1000 * (uint64_t)second + (uint64_t)i));
        drain(&vera);
    }
    assert_false(floor_hear(floor_, &vera, text, sizeof text - 1, 6999));
    assert_true(floor_hear(floor_, &otto, text, sizeof text - 1, 6999));
}

/* ---- with checks ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t came = PTHREAD_COND_INITIALIZER;
static struct check_result *results[MOST_CHECKS];
static int result_count;

static void take_result(void *user, struct check_result *result)
{
    (void)user;
    pthread_mutex_lock(&lock);
    results[result_count++] = result;
    pthread_cond_signal(&came);
    pthread_mutex_unlock(&lock);
}

static void wait_for_check(void)
{
    pthread_mutex_lock(&lock);
    while (result_count == 0)
        pthread_cond_wait(&came, &lock);
    struct check_result *result = results[--result_count];
    pthread_mutex_unlock(&lock);
    floor_take_result(floor_, result, now);
    check_result_free(result);
}

static json_t *save(const char *text)
{
    char message[2000];
    (void)snprintf(message, sizeof message, "{\"type\":\"program\",\"id\":5,\"name\":\"a\",\"text\":\"%s\"}", text);
    say(&tina, message);
    wait_for_check();
    json_t *checked = next(&tina, "checked");
    assert_non_null(checked);
    return checked;
}

static void expect_bad(const char *text, const char *why)
{
    json_t *checked = save(text);
    if (!json_is_false(json_object_get(checked, "good")))
        fail_msg("%s is good", text);
    const char *got = json_string_value(json_object_get(checked, "why"));
    if (!strstr(got, why))
        fail_msg("%s: \"%s\"", text, got);
    json_decref(checked);
    expect_refused(&tina, "{\"type\":\"download\",\"name\":\"a\"}", "has not passed its check");
}

static void test_checks(void **state)
{
    (void)state;
    assert_int_equal(checker_new(context, floor_->cell.scene, NULL, take_result, NULL, &floor_->checker), CP_OK);
    expect_done(&tina, "{\"type\":\"take\"}");
    expect_bad("IMOV 0,0,50\\nFLY 3\\n", "line 2: ");
    expect_bad("LMOV 463.2, 223.7, 4100\\nEND\\n", "line 1: ");
    expect_bad("A = 1\\nagain: A = A + 1\\nGOTO again\\n", "endless loop");
    expect_bad("IMOV 0,0,-300\\nEND\\n", "near: ");
    expect_bad("IMOV 0,0,100\\nIMOV 0,0,-100\\nIMOV 60,0,0\\nEND\\n",
               "near: Arm.Gripper.LeftFinger and Part would touch at 1.38 s, in line 3");
    json_t *checked = save("IMOV 0,0,100\\nIMOV 0,50,0\\nEND\\n");
    assert_true(json_is_true(json_object_get(checked, "good")));
    assert_true(json_real_value(json_object_get(checked, "seconds")) > 0.5);
    assert_true(json_array_size(json_object_get(checked, "path")) > 10);
    json_decref(checked);
    expect_done(&tina, "{\"type\":\"download\",\"name\":\"a\"}");
    say(&tina, "{\"type\":\"run\",\"id\":8}");
    assert_string_equal(mode(), "ready");
    wait_for_check();
    json_t *done = next(&tina, "done");
    assert_int_equal(json_integer_value(json_object_get(done, "id")), 8);
    json_decref(done);
    assert_string_equal(mode(), "running");
    let_pass(1900);
    assert_string_equal(mode(), "ready");
    /* the lease is lost before the check has ended: nothing moves */
    expect_done(&tina, "{\"type\":\"take\"}");
    say(&tina, "{\"type\":\"run\"}");
    now += LEASE_TIME + 1;
    wait_for_check();
    json_t *refused = next(&tina, "refused");
    assert_string_equal(json_string_value(json_object_get(refused, "why")), "lease");
    json_decref(refused);
    assert_string_equal(mode(), "ready");
}

static double used_since(clock_t begin)
{
    return (double)(clock() - begin) / CLOCKS_PER_SEC;
}

/* Processor time of one check of a program that goes slowly: whole, or of a teacher who leaves at this time in it. The
 * others that they had asked for do not begin. */
static double check_slowly(bool leaves, double when)
{
    static const char slow[] = "SPEED 1\\nIMOV 0,0,50\\nIMOV 0,0,-50\\nIMOV 0,0,50\\nEND\\n";
    const int most = leaves ? MOST_CHECKS_OF_ONE : 1;
    char message[300];
    const clock_t begin = clock();
    expect_done(&tina, "{\"type\":\"take\"}");
    for (int i = 0; i < most; i++) {
        (void)snprintf(message, sizeof message, "{\"type\":\"program\",\"name\":\"%d\",\"text\":\"%s\"}", i, slow);
        say(&tina, message);
    }
    if (leaves) {
        expect_refused(&tina, message, "rate");
        while (used_since(begin) < when)
            (void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        floor_leave(floor_, &tina);
    }
    while (floor_->trial_count > 0)
        wait_for_check();
    return used_since(begin);
}

static void test_teacher_leaves(void **state)
{
    (void)state;
    assert_int_equal(checker_new(context, floor_->cell.scene, NULL, take_result, NULL, &floor_->checker), CP_OK);
    const double whole = check_slowly(false, 0), cut = check_slowly(true, 0.2 * whole);
    if (!(cut < 0.7 * whole))
        fail_msg("four checks of one who has left took %g s, a whole one %g s", cut, whole);
    assert_int_equal(floor_enter(floor_, &tina, "tina", ROLE_TEACHER), CP_OK); /* the slots are free */
    expect_done(&tina, "{\"type\":\"take\"}");
    json_t *checked = save("END\\n");
    assert_true(json_is_true(json_object_get(checked, "good")));
    json_decref(checked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_first_words, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_refusals, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_numbers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_endless_moves, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_program, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_lost_page, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_step, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_stop_of_a_jog, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_open, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_emergency, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_slow_looks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_rate, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_checks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_teacher_leaves, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
