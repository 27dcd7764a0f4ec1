/* A controller outside that gets commands: a jog, a move or a program that would touch is refused with the pair before
 * any of it is sent, what is free is sent, and what the controller says of itself is what the cell does. */
#include <jansson.h>
#include <math.h>
#include <pthread.h>

#include "../../live/floor.h"
#include "fixture.h"

static cp_context *context;
static struct floor *floor_;
static struct person tina;
static struct checker *checker;
static uint64_t now;
static char sent[2000]; /* the words that the controller has got */

static const char *take_command(void *user, const struct message *message, const char *text)
{
    (void)user;
    const size_t used = strlen(sent);
    (void)snprintf(sent + used, sizeof sent - used, "%s%s;", word_name(message->word), text ? "+" : "");
    return NULL;
}

static const struct outside robot = {.obeys = true, .command = take_command};

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

/* The controller says where its joints are, and what it does. */
static void tell(const double *q, enum controller_mode mode)
{
    const struct controller_sample sample = {.time = NAN, .count = q ? 1 : 0, .mode = mode};
    now += 10;
    floor_take_sample(floor_, q ? q : floor_->cell.q, &sample, now);
}

static int set_up(void **state)
{
    int failed = make_context(state);
    cp_scene *scene;
    context = *state;
    now = 100000;
    sent[0] = 0;
    floor_ = calloc(1, sizeof *floor_);
    assert_int_equal(cp_read(context, SAMPLES "/demo.wu", NULL, NULL, 0, &scene), CP_OK);
    assert_int_equal(floor_open(floor_, context, scene, NULL, NULL), CP_OK);
    floor_->outside = &robot;
    floor_->controller = "jsonl";
    assert_int_equal(checker_new(context, floor_->cell.scene, NULL, take_result, NULL, &checker), CP_OK);
    floor_->checker = checker;
    assert_int_equal(floor_enter(floor_, &tina, "tina", ROLE_TEACHER), CP_OK);
    floor_lose_controller(floor_, "it has not said anything yet");
    tell(floor_->cell.q, CONTROLLER_READY);
    return failed;
}

static int tear_down(void **state)
{
    floor_leave(floor_, &tina);
    checker_free(checker);
    floor_close(floor_);
    free(floor_);
    return free_context(state);
}

/* Says something, waits for a check if the answer needs one, and returns the answer: "done", or why not. */
/* Shows a number with a decimal point in any locale; valid until the next call. */
static const char *shown(double value)
{
    static char text[CP_NUMBER_SIZE];
    text[cp_print_double(value, text)] = 0;
    return text;
}

static const char *answer_to(const char *text)
{
    static char answer[400];
    size_t size;
    while (floor_next(floor_, &tina, &size))
        ;
    now += 10;
    assert_true(floor_hear(floor_, &tina, text, strlen(text), now));
    if (floor_->trial_count > 0) {
        pthread_mutex_lock(&lock);
        while (!last_result)
            pthread_cond_wait(&came, &lock);
        struct check_result *result = last_result;
        last_result = NULL;
        pthread_mutex_unlock(&lock);
        floor_take_result(floor_, result, now);
        check_result_free(result);
    }
    answer[0] = 0;
    for (const char *it; (it = floor_next(floor_, &tina, &size));) {
        json_t *json = json_loadb(it, size, 0, NULL);
        const char *type = json_string_value(json_object_get(json, "type"));
        const char *why = json_string_value(json_object_get(json, "why"));
        if (strcmp(type, "done") == 0 || (strcmp(type, "checked") == 0 && !why))
            (void)snprintf(answer, sizeof answer, "done");
        else if (strcmp(type, "refused") == 0 || strcmp(type, "checked") == 0)
            (void)snprintf(answer, sizeof answer, "%s", why);
        json_decref(json);
    }
    return answer;
}

static void expect(const char *text, const char *answer, const char *commands)
{
    sent[0] = 0;
    const char *got = answer_to(text);
    if (!strstr(got, answer) || strcmp(sent, commands) != 0)
        fail_msg("%s: \"%s\", sent \"%s\"", text, got, sent);
}

static uint32_t joint(const char *name)
{
    const uint32_t found = cell_joint(&floor_->cell, name);
    assert_true(found != CP_NONE);
    return found;
}

/* Values of all joints where the gripper is above the part at first, so that the arm may turn. */
static void lift(double *q)
{
    memcpy(q, floor_->cell.q, floor_->cell.joint_count * sizeof *q);
    q[joint("Arm.J2")] -= 0.25;
    tell(q, CONTROLLER_READY);
}

/* The gripper is about a part: turning would touch it. A jog is looked at as far as the joint may come before it ends
 * without a further word. */
static void test_jog(void **state)
{
    (void)state;
    double q[64];
    expect("{\"type\":\"take\"}", "done", "");
    expect("{\"type\":\"jog\",\"joint\":\"Arm.J1\",\"speed\":0.2}",
           "near: Arm.Gripper.RightFinger and Part would touch", "");
    expect("{\"type\":\"jog\",\"joint\":\"Arm.J1\",\"speed\":5}", "limits", "");
    /* so slowly that it does not come there within the time */
    expect("{\"type\":\"jog\",\"joint\":\"Arm.J1\",\"speed\":0.002}", "done", "jog;");
    lift(q);
    expect("{\"type\":\"jog\",\"joint\":\"Arm.J1\",\"speed\":0.2}", "done", "jog;");
    expect("{\"type\":\"jog\",\"joint\":\"Arm.J2\",\"speed\":-0.2}", "done", "jog;");
    /* down again: as far as 0.25 s of this speed, at least, is free */
    double nearest = 0;
    for (; nearest < 0.4; nearest += 0.002, q[joint("Arm.J2")] += 0.002) {
        tell(q, CONTROLLER_READY);
        if (strcmp(answer_to("{\"type\":\"jog\",\"joint\":\"Arm.J2\",\"speed\":0.4}"), "done") != 0)
            break;
    }
    assert_true(nearest < 0.4);
    const double there = q[joint("Arm.J2")];
    struct near_pair pair;
    while (cell_try(&floor_->cell, q, &pair) == CP_OK)
        q[joint("Arm.J2")] += 0.001;
    assert_true(q[joint("Arm.J2")] - there > 0.4 * JOG_TIME / 1000 - 0.01);
    assert_true(q[joint("Arm.J2")] - there < 0.4 * 1);
}

/* A sample that is old says less of where the joint is by now: the look is as much longer. */
static void test_old_sample(void **state)
{
    (void)state;
    static const char text[] = "{\"type\":\"jog\",\"joint\":\"Arm.J1\",\"speed\":0.002}";
    expect("{\"type\":\"take\"}", "done", "");
    expect(text, "done", "jog;");
    double speed = 0.02;
    char words[200];
    do {
        speed *= 0.9;
        tell(floor_->cell.q, CONTROLLER_READY);
        (void)snprintf(words, sizeof words, "{\"type\":\"jog\",\"joint\":\"Arm.J1\",\"speed\":%s}", shown(speed));
    } while (strcmp(answer_to(words), "done") != 0 && speed > 0.0001);
    assert_true(speed > 0.0001);
    now += 900;
    expect(words, "near: ", "");
}

/* While it jogs the controller says so, and further words of the jog are heard; one that would touch stops it. */
static void test_jogging(void **state)
{
    (void)state;
    static const char text[] = "{\"type\":\"jog\",\"joint\":\"Arm.J2\",\"speed\":0.2}";
    double q[64];
    expect("{\"type\":\"take\"}", "done", "");
    lift(q);
    expect("{\"type\":\"jog\",\"joint\":\"Arm.J1\",\"speed\":0.2}", "done", "jog;");
    tell(q, CONTROLLER_JOGGING);
    assert_string_equal(mode_name(floor_->authority.mode), "jogging");
    expect("{\"type\":\"jog\",\"joint\":\"Arm.J1\",\"speed\":0.2}", "done", "jog;");
    sent[0] = 0;
    for (int i = 0; i < 40; i++) { /* as long as it says so, it is not our clock that ends it */
        tell(q, CONTROLLER_JOGGING);
        (void)floor_tick(floor_, now);
    }
    assert_string_equal(sent, "");
    assert_string_equal(mode_name(floor_->authority.mode), "jogging");
    expect("{\"type\":\"run\"}", "mode", "");
    q[joint("Arm.J2")] += 0.25;
    tell(q, CONTROLLER_JOGGING);
    expect("{\"type\":\"jog\",\"joint\":\"Arm.J1\",\"speed\":0.2}", "near: ", "stop;");
    tell(q, CONTROLLER_READY);
    assert_string_equal(mode_name(floor_->authority.mode), "ready");
    tell(q, CONTROLLER_MOVING);
    assert_string_equal(mode_name(floor_->authority.mode), "moving");
    expect(text, "mode", "");
    /* who holds the lease is gone: whatever moves is told to stop */
    sent[0] = 0;
    now += LEASE_TIME + 1;
    tell(q, CONTROLLER_MOVING);
    (void)floor_tick(floor_, now);
    assert_string_equal(sent, "stop;");
}

/* A move along the straight way of the joints; noise of a sensor meanwhile is no motion. */
static void test_move(void **state)
{
    (void)state;
    double q[64];
    expect("{\"type\":\"take\"}", "done", "");
    expect("{\"type\":\"move\",\"q\":[0.7,0.2,0.3,0,1.07,0.45,0.005],\"speed\":0.5}", "near: ", "");
    expect("{\"type\":\"move\",\"q\":[70,0.2,0.3,0,1.07,0.45,0.005],\"speed\":0.5}", "limits", "");
    lift(q);
    char text[300];
    const double to[] = {q[0] + 0.3, q[1], q[2], q[3], q[4], q[5], q[joint("Arm.Gripper.Left")]};
    strcpy(text, "{\"type\":\"move\",\"q\":[");
    for (size_t i = 0; i < sizeof to / sizeof *to; i++)
        strcat(strcat(text, i > 0 ? "," : ""), shown(to[i]));
    strcat(text, "],\"speed\":0.5}");
    expect(text, "done", "move;");
    for (int far = 0; far < 2; far++) {
        while (floor_next(floor_, &tina, &(size_t){0}))
            ;
        sent[0] = 0;
        assert_true(floor_hear(floor_, &tina, text, strlen(text), now));
        assert_int_equal(floor_->trial_count, 1);
        q[0] += far ? 0.01 : 1e-4;
        tell(q, CONTROLLER_READY);
        pthread_mutex_lock(&lock);
        while (!last_result)
            pthread_cond_wait(&came, &lock);
        floor_take_result(floor_, last_result, now);
        check_result_free(last_result);
        last_result = NULL;
        pthread_mutex_unlock(&lock);
        assert_string_equal(sent, far ? "" : "move;");
    }
}

/* The program that was downloaded is tried once more from where the cell stands. */
static void test_program(void **state)
{
    (void)state;
    double q[64];
    expect("{\"type\":\"take\"}", "done", "");
    expect("{\"type\":\"run\"}", "done", "run;"); /* the controller's own program, of which nothing is known */
    memcpy(q, floor_->cell.q, floor_->cell.joint_count * sizeof *q);
    expect("{\"type\":\"program\",\"name\":\"a\",\"text\":\"IMOV 0,0,-300\\nEND\\n\"}", "near: ", "");
    expect("{\"type\":\"download\",\"name\":\"a\"}", "has not passed its check", "");
    lift(q);
    static const char down[] = "{\"type\":\"program\",\"name\":\"a\",\"text\":\"IMOV 0,0,-60\\nEND\\n\"}";
    expect(down, "done", "");
    expect("{\"type\":\"download\",\"name\":\"a\"}", "done", "download+;");
    expect("{\"type\":\"run\"}", "done", "run;");
    expect("{\"type\":\"step\"}", "done", "step;");
    /* nearer to the table it would touch */
    q[joint("Arm.J2")] += 0.22;
    tell(q, CONTROLLER_READY);
    expect("{\"type\":\"run\"}", "near: ", "");
    expect("{\"type\":\"step\"}", "near: ", "");
    /* in the midst of a program it is the controller that knows how to go on */
    tell(q, CONTROLLER_STOPPED);
    expect("{\"type\":\"continue\"}", "done", "continue;");
    expect("{\"type\":\"step\"}", "done", "step;");
}

/* Silence, and back: ready, whatever was before. */
static void test_silence(void **state)
{
    (void)state;
    tell(floor_->cell.q, CONTROLLER_RUNNING);
    assert_string_equal(mode_name(floor_->authority.mode), "running");
    now += SILENCE + 1;
    (void)floor_tick(floor_, now);
    assert_string_equal(mode_name(floor_->authority.mode), "offline");
    tell(floor_->cell.q, CONTROLLER_SILENT);
    assert_string_equal(mode_name(floor_->authority.mode), "ready");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_jog, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_old_sample, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_jogging, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_move, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_program, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_silence, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
