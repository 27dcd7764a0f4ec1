/* Who may do what: each word for each role in each mode, with and without the lease, by a table that is written as
 * docs/live.md has it; then the lease, the dead man's switch and the ways from mode to mode. */
#include "fixture.h"

#include "../../live/authority.h"

static const struct client tina = {1, ROLE_TEACHER, "tina"}, otto = {2, ROLE_OPERATOR, "otto"},
                           vera = {3, ROLE_VIEWER, "vera"};

/* A line a word: the least role (v, o, t), whether the lease is needed (L), and a character a mode in the order ready,
 * running, jogging, moving, stopped, emergency, offline: y may be said, - may not. */
static const char table[][24] = {
    "take      o . yyyyyyy", "give      o L yyyyyyy", "alive     o L yyyyyyy", "stop      o . yyyyyy-",
    "emergency v . yyyyyy-", "reset     o L ----yy-", "run       o L y------", "step      o L y---y--",
    "continue  o L ----y--", "jog       t L y-y----", "move      t L y------", "teach     t L y---y--",
    "program   t L yyyyyyy", "open      t . yyyyyyy", "download  t L y---y--",
};

enum holder { NOBODY, SELF, OTHER, SELF_TOO_LATE };

static const char *expected(const char *line, enum role role, enum mode mode, enum holder holder)
{
    const bool takes = strncmp(line, "take ", 5) == 0;
    const enum role least = line[10] == 't' ? ROLE_TEACHER : line[10] == 'o' ? ROLE_OPERATOR : ROLE_VIEWER;
    if (role < least)
        return "rights";
    if ((line[12] == 'L' && holder != SELF) || (takes && holder == OTHER))
        return "lease";
    if (line[14 + mode] == 'y')
        return NULL;
    return mode == MODE_OFFLINE ? "offline" : "mode";
}

static void test_table(void **state)
{
    (void)state;
    unsigned checked = 0;
    assert_int_equal(sizeof table / sizeof *table, WORD_COUNT);
    for (unsigned i = 0; i < WORD_COUNT; i++) {
        char name[11] = "";
        enum word word;
        assert_int_equal(sscanf(table[i], "%10s", name), 1);
        assert_true(word_named(name, &word));
        assert_string_equal(word_name(word), name);
        for (unsigned role = ROLE_GUEST; role <= ROLE_TEACHER; role++)
            for (unsigned mode = 0; mode < MODE_COUNT; mode++)
                for (unsigned holder = NOBODY; holder <= SELF_TOO_LATE; holder++) {
                    const struct client client = {7, (enum role)role, "someone"};
                    const struct authority authority = {
                        .mode = (enum mode)mode,
                        .holder = holder == NOBODY  ? 0
                                  : holder == OTHER ? 8
                                                    : 7,
                        .renewed = 10000,
                    };
                    const uint64_t now = holder == SELF_TOO_LATE ? 12001 : 12000;
                    const char *want = expected(table[i], client.role, authority.mode, (enum holder)holder);
                    const char *got = authority_refuses(&authority, &client, word, now);
                    if (!want || !got)
                        assert_true(want == got);
                    else
                        assert_string_equal(got, want);
                    checked++;
                }
    }
    assert_int_equal(checked, 15 * 4 * 7 * 4);
    enum word word;
    assert_false(word_named("fly", &word));
    assert_false(word_named("", &word));
}

/* Says a word that must be allowed. */
static void say(struct authority *authority, const struct client *client, enum word word, uint64_t now)
{
    assert_null(authority_refuses(authority, client, word, now));
    authority_obey(authority, client, word, now);
}

static void test_lease(void **state)
{
    (void)state;
    struct authority a = {0};
    say(&a, &tina, WORD_TAKE, 1000);
    assert_string_equal(a.name, "tina");
    assert_string_equal(authority_refuses(&a, &otto, WORD_TAKE, 2900), "lease");
    say(&a, &tina, WORD_ALIVE, 2900);
    assert_false(authority_lapse(&a, 4900));
    assert_string_equal(authority_refuses(&a, &otto, WORD_TAKE, 4900), "lease");
    assert_true(authority_lapse(&a, 4901));
    assert_string_equal(a.name, "");
    assert_string_equal(authority_refuses(&a, &tina, WORD_ALIVE, 4901), "lease");
    say(&a, &otto, WORD_TAKE, 4901);
    say(&a, &otto, WORD_TAKE, 5000); /* once more is nothing new */
    assert_false(authority_leave(&a, tina.number));
    assert_true(authority_leave(&a, otto.number));
    assert_false(authority_leave(&a, otto.number));
    say(&a, &tina, WORD_TAKE, 5001);
    say(&a, &tina, WORD_GIVE, 5002);
    assert_int_equal(a.holder, 0);
}

static void test_jog_ends_by_itself(void **state)
{
    (void)state;
    struct authority a = {0};
    say(&a, &tina, WORD_TAKE, 1000);
    say(&a, &tina, WORD_JOG, 1000);
    assert_int_equal(a.mode, MODE_JOGGING);
    assert_string_equal(a.by, "tina");
    assert_false(authority_lapse(&a, 1250));
    say(&a, &tina, WORD_JOG, 1200);
    assert_false(authority_lapse(&a, 1450));
    assert_true(authority_lapse(&a, 1451));
    assert_int_equal(a.mode, MODE_READY);
    assert_string_equal(a.by, "");
    /* alive renews the lease, but no jog */
    say(&a, &tina, WORD_JOG, 2000);
    say(&a, &tina, WORD_ALIVE, 2240);
    assert_true(authority_lapse(&a, 2251));
    assert_int_equal(a.mode, MODE_READY);
    /* any word of the holder renews the lease */
    assert_false(authority_lapse(&a, 4240));
    assert_true(authority_lapse(&a, 4241));
}

static void test_lost_lease_in_motion(void **state)
{
    (void)state;
    struct authority a = {0};
    say(&a, &tina, WORD_TAKE, 0);
    say(&a, &tina, WORD_RUN, 0);
    assert_true(authority_lapse(&a, 2001));
    assert_int_equal(a.mode, MODE_RUNNING);
    assert_true(a.stopping);
    authority_end(&a, true);
    assert_int_equal(a.mode, MODE_STOPPED);
    assert_false(a.stopping);
    say(&a, &tina, WORD_TAKE, 3000);
    say(&a, &tina, WORD_CONTINUE, 3000);
    assert_int_equal(a.mode, MODE_RUNNING);
    assert_false(a.stopping);
    assert_true(authority_leave(&a, tina.number)); /* the network is lost */
    assert_true(a.stopping);
    authority_end(&a, true);
    say(&a, &tina, WORD_TAKE, 4000);
    say(&a, &tina, WORD_RESET, 4000);
    say(&a, &tina, WORD_RUN, 4000);
    say(&a, &otto, WORD_TAKE, 6001); /* before anybody notices that the lease has lapsed */
    assert_true(a.stopping);
    assert_string_equal(a.name, "otto");
    authority_end(&a, false);
    assert_true(authority_leave(&a, otto.number));
    say(&a, &tina, WORD_TAKE, 6001);
    say(&a, &tina, WORD_JOG, 6001);
    assert_true(authority_leave(&a, tina.number));
    assert_int_equal(a.mode, MODE_READY);
}

static void test_stop_step_and_emergency(void **state)
{
    (void)state;
    struct authority a = {0};
    say(&a, &otto, WORD_TAKE, 0);
    say(&a, &otto, WORD_STEP, 0);
    assert_int_equal(a.mode, MODE_RUNNING);
    assert_true(a.stopping);
    authority_end(&a, true);
    assert_int_equal(a.mode, MODE_STOPPED);
    say(&a, &otto, WORD_STEP, 10);
    authority_end(&a, false); /* it was the last line */
    assert_int_equal(a.mode, MODE_READY);
    say(&a, &otto, WORD_RUN, 20);
    say(&a, &tina, WORD_STOP, 20); /* without the lease */
    assert_true(a.stopping);
    assert_string_equal(a.by, "otto");
    say(&a, &vera, WORD_EMERGENCY, 30);
    assert_int_equal(a.mode, MODE_EMERGENCY);
    assert_string_equal(a.by, "vera");
    authority_end(&a, true); /* of the move that was cut off: nothing changes */
    assert_int_equal(a.mode, MODE_EMERGENCY);
    assert_string_equal(authority_refuses(&a, &otto, WORD_RUN, 30), "mode");
    say(&a, &otto, WORD_RESET, 40);
    assert_int_equal(a.mode, MODE_READY);
    say(&a, &tina, WORD_STOP, 50); /* of nothing */
    assert_int_equal(a.mode, MODE_READY);
    assert_false(a.stopping);
}

static void test_move_and_offline(void **state)
{
    (void)state;
    struct authority a = {0};
    say(&a, &tina, WORD_TAKE, 0);
    say(&a, &tina, WORD_MOVE, 0);
    say(&a, &otto, WORD_STOP, 10);
    assert_true(a.stopping);
    authority_end(&a, true); /* a move has nothing that could go on */
    assert_int_equal(a.mode, MODE_READY);
    say(&a, &tina, WORD_RUN, 20);
    assert_true(authority_offline(&a, true));
    assert_false(authority_offline(&a, true));
    assert_int_equal(a.mode, MODE_OFFLINE);
    assert_string_equal(authority_refuses(&a, &vera, WORD_EMERGENCY, 30), "offline");
    assert_string_equal(authority_refuses(&a, &tina, WORD_RUN, 30), "offline");
    assert_true(authority_offline(&a, false));
    assert_int_equal(a.mode, MODE_READY);
    assert_string_equal(mode_name(a.mode), "ready");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_lease),
        cmocka_unit_test(test_jog_ends_by_itself),
        cmocka_unit_test(test_lost_lease_in_motion),
        cmocka_unit_test(test_stop_step_and_emergency),
        cmocka_unit_test(test_move_and_offline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
