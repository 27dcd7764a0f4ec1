/* Sessions, cookies, bodies of logins, failures, and the thread that checks passwords. The linker hands the calls for
 * random bits to this test, which refuses them, and what frees memory, where it looks for passwords; and the end of the
 * thread, which it waits for. */
#include "../../live/sessions.h"
#include "fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <sys/types.h>

/* Made by perl's crypt. */
#define OF_HORSE "$y$jBT$abcdefghijklmnop$LA5SwbXOWV6NGakmZQom2eQu354yi09.Fdb35EPMpA/"
#define HORSE "correct horse"

/* ---- what the linker hands over ---- */

static bool has_call = true, has_device = true;
static int device_calls;
static uint32_t found_secrets;

ssize_t __real_getrandom(void *bytes, size_t size, unsigned flags);
ssize_t __wrap_getrandom(void *bytes, size_t size, unsigned flags);
ssize_t __wrap_getrandom(void *bytes, size_t size, unsigned flags)
{
    errno = ENOSYS;
    return has_call ? __real_getrandom(bytes, size > 5 ? 5 : size, flags) : -1; /* in pieces */
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, mode_t mode);
int __wrap_open(const char *path, int flags, mode_t mode)
{
    device_calls++;
    return has_device ? __real_open(path, flags, mode) : -1;
}

static void look_for_secret(const char *bytes, size_t size)
{
    for (size_t i = 0; i + sizeof HORSE - 1 <= size; i++)
        found_secrets += memcmp(bytes + i, HORSE, sizeof HORSE - 1) == 0;
}

void __real_free(void *block);
void __wrap_free(void *block);
void __wrap_free(void *block)
{
    if (block)
        look_for_secret(block, malloc_usable_size(block));
    __real_free(block);
}

/* Serves cp_allocator. */
static void *watching_resize(void *user, void *block, size_t old_size, size_t size)
{
    (void)user;
    if (block)
        look_for_secret(block, old_size);
    if (size > 0)
        return realloc(block, size);
    __real_free(block);
    return NULL;
}

/* ---- sessions ---- */

static struct sessions sessions;
static const struct user tina = {"tina", ROLE_TEACHER, OF_HORSE}, otto = {"otto", ROLE_VIEWER, OF_HORSE};

static int begin(void **state)
{
    (void)state;
    memset(&sessions, 0, sizeof sessions);
    has_call = has_device = true;
    device_calls = 0;
    return 0;
}

static void test_session(void **state)
{
    (void)state;
    char key[SESSION_KEY_SIZE], other[SESSION_KEY_SIZE];
    assert_null(session_find(&sessions, "", 0));
    assert_null(session_find(&sessions, "00000000000000000000000000000000", 0));
    const struct session *session = session_begin(&sessions, &tina, 1000);
    assert_non_null(session);
    strcpy(key, session->key);
    assert_int_equal(strlen(key), 32);
    assert_int_equal(strspn(key, "0123456789abcdef"), 32);
    assert_string_equal(session->name, "tina");
    assert_int_equal(session->role, ROLE_TEACHER);
    session = session_begin(&sessions, &otto, 2000);
    strcpy(other, session->key);
    assert_string_equal(session_find(&sessions, key, 3000)->name, "tina");
    assert_string_equal(session_find(&sessions, other, 3000)->name, "otto");
    assert_int_equal(session_find(&sessions, other, 3000)->role, ROLE_VIEWER);

    /* Each digit counts, and there are as many as that. */
    for (int i = 0; i < 32; i++) {
        char wrong[SESSION_KEY_SIZE + 1];
        strcpy(wrong, key);
        wrong[i] = key[i] == '0' ? '1' : '0';
        assert_null(session_find(&sessions, wrong, 3000));
    }
    char longer[SESSION_KEY_SIZE + 1], shorter[SESSION_KEY_SIZE];
    (void)snprintf(longer, sizeof longer, "%s0", key);
    (void)snprintf(shorter, sizeof shorter, "%.31s", key);
    assert_null(session_find(&sessions, longer, 3000));
    assert_null(session_find(&sessions, shorter, 3000));
    assert_null(session_find(&sessions, "", 3000));

    session_end(&sessions, "nonsense");
    session_end(&sessions, key);
    assert_null(session_find(&sessions, key, 3000));
    assert_non_null(session_find(&sessions, other, 3000));
}

static void test_life(void **state)
{
    (void)state;
    char key[SESSION_KEY_SIZE], first[SESSION_KEY_SIZE];
    strcpy(first, session_begin(&sessions, &tina, 0)->key); /* at the clock's beginning */
    strcpy(key, session_begin(&sessions, &otto, 0)->key);
    assert_string_equal(session_find(&sessions, first, 1)->name, "tina");
    assert_string_equal(session_find(&sessions, key, 1)->name, "otto");
    const uint64_t hours = 8ULL * 3600 * 1000;
    strcpy(key, session_begin(&sessions, &tina, 5)->key);
    assert_non_null(session_find(&sessions, key, 5));
    assert_non_null(session_find(&sessions, key, 5 + hours - 1));
    assert_null(session_find(&sessions, key, 5 + hours));
    assert_null(session_find(&sessions, key, 6)); /* it has ended, whatever time it is */
}

static void test_most_sessions(void **state)
{
    (void)state;
    static char keys[MOST_SESSIONS + 2][SESSION_KEY_SIZE];
    for (uint32_t i = 0; i < MOST_SESSIONS; i++) { /* of many users */
        char name[20];
        (void)snprintf(name, sizeof name, "user %u", (unsigned)i / MOST_SESSIONS_OF_ONE);
        const struct user user = {.name = name, .role = ROLE_VIEWER};
        strcpy(keys[i], session_begin(&sessions, &user, i == 7 ? 1 : 100 + i)->key);
    }
    strcpy(keys[MOST_SESSIONS], session_begin(&sessions, &otto, 5000)->key);
    assert_null(session_find(&sessions, keys[7], 5000)); /* the oldest */
    assert_non_null(session_find(&sessions, keys[0], 5000));
    strcpy(keys[MOST_SESSIONS + 1], session_begin(&sessions, &otto, 5001)->key);
    assert_null(session_find(&sessions, keys[0], 5001));
    for (uint32_t i = 0; i < MOST_SESSIONS + 2; i++)
        assert_true((i == 0 || i == 7) == !session_find(&sessions, keys[i], 5001));
    /* A place that is free goes before an old one. */
    session_end(&sessions, keys[100]);
    strcpy(keys[100], session_begin(&sessions, &tina, 5002)->key);
    assert_non_null(session_find(&sessions, keys[1], 5002));
    for (uint32_t i = 0; i < MOST_SESSIONS + 2; i++)
        for (uint32_t k = 0; k < i; k++)
            assert_string_not_equal(keys[i], keys[k]);
}

/* Who logs in again and again ends sessions of their own, the oldest first, and nobody else's. */
static void test_sessions_of_one(void **state)
{
    (void)state;
    char first[SESSION_KEY_SIZE], keys[2 * MOST_SESSIONS_OF_ONE][SESSION_KEY_SIZE];
    strcpy(first, session_begin(&sessions, &otto, 1)->key);
    for (uint32_t i = 0; i < 2 * MOST_SESSIONS_OF_ONE; i++) {
        strcpy(keys[i], session_begin(&sessions, &tina, 100 + i)->key);
        for (uint32_t k = 0; k <= i; k++)
            assert_true((k + MOST_SESSIONS_OF_ONE > i) == (session_find(&sessions, keys[k], 500) != NULL));
    }
    assert_non_null(session_find(&sessions, first, 500));
}

/* A place in the table is another session's after its own has ended. */
static void test_places(void **state)
{
    (void)state;
    char key[SESSION_KEY_SIZE], other[SESSION_KEY_SIZE];
    const struct session *session = session_begin(&sessions, &tina, 1000);
    strcpy(key, session->key);
    assert_true(session_goes_on(session, key, 2000));
    assert_false(session_goes_on(session, key, 1000 + SESSION_LIFE));
    session_end(&sessions, key);
    assert_false(session_goes_on(session, key, 2000));
    assert_ptr_equal(session_begin(&sessions, &otto, 2000), session);
    strcpy(other, session->key);
    assert_false(session_goes_on(session, key, 2000));
    assert_true(session_goes_on(session, other, 2000));
}

/* The file of users has changed: sessions of those who are as they were go on. */
static void test_users_change(void **state)
{
    (void)state;
    struct user old[] = {{"tina", ROLE_TEACHER, "a"}, {"otto", ROLE_VIEWER, "b"}, {"vera", ROLE_VIEWER, "c"}},
                new[] = {{"vera", ROLE_VIEWER, "c"}, {"tina", ROLE_TEACHER, "a"}, {"otto", ROLE_VIEWER, "b"}};
    const struct users before = {.items = old, .count = 3};
    for (int change = 0; change < 5; change++) {
        struct user present[3];
        struct users after = {.items = present, .count = 3};
        char keys[3][SESSION_KEY_SIZE];
        memcpy(present, new, sizeof present);
        memset(&sessions, 0, sizeof sessions);
        for (int i = 0; i < 3; i++)
            strcpy(keys[i], session_begin(&sessions, &old[i], 1)->key);
        if (change == 1)
            after.count = 2; /* otto is gone */
        else if (change == 2)
            present[2].role = ROLE_TEACHER;
        else if (change == 3)
            present[2].hash = "d";
        else if (change == 4)
            present[2].name = "Otto";
        sessions_follow(&sessions, &before, &after);
        assert_non_null(session_find(&sessions, keys[0], 2));
        assert_true((change == 0) == (session_find(&sessions, keys[1], 2) != NULL));
        assert_non_null(session_find(&sessions, keys[2], 2));
    }
}

/* Each digit of a key takes each value. */
static void test_keys(void **state)
{
    (void)state;
    static unsigned seen[32];
    for (int i = 0; i < 1000; i++) {
        const char *key = session_begin(&sessions, &tina, 1)->key;
        for (int k = 0; k < 32; k++)
            seen[k] |= 1u << (strchr("0123456789abcdef", key[k]) - "0123456789abcdef");
    }
    for (int k = 0; k < 32; k++)
        assert_int_equal(seen[k], 0xffff);
    assert_int_equal(device_calls, 0);
}

static void test_random_bits(void **state)
{
    (void)state;
    char key[SESSION_KEY_SIZE];
    has_call = false;
    strcpy(key, session_begin(&sessions, &tina, 1)->key);
    assert_string_not_equal(session_begin(&sessions, &tina, 1)->key, key);
    assert_int_equal(device_calls, 2);
    has_device = false;
    assert_null(session_begin(&sessions, &tina, 1));
    assert_non_null(session_find(&sessions, key, 2));
    has_call = true;
    assert_non_null(session_begin(&sessions, &tina, 1));
}

#define KEY "0123456789abcdef0123456789abcdef"

static void test_cookies(void **state)
{
    (void)state;
    static const struct {
        const char *header;
        bool good;
    } cases[] = {
        {"cellpipe=" KEY, true},
        {"a=b; cellpipe=" KEY "; c=d", true},
        {"a=b;cellpipe=" KEY, true},
        {" cellpipe=" KEY " ", true},
        {"cellpipe=" KEY ";", true},
        {"; cellpipe=" KEY, true},
        {"Cellpipe=x; cellpipe=" KEY, true},
        {"xcellpipe=1; cellpipe=" KEY, true},
        {"cellpipe2=1; cellpipe=" KEY, true},
        {NULL, false},
        {"", false},
        {";", false},
        {"cellpipe", false},
        {"cellpipe=", false},
        {"cellpipe =" KEY, false},
        {"cellpipe= " KEY, false},
        {"Cellpipe=" KEY, false},
        {"xcellpipe=" KEY, false},
        {"x=cellpipe=" KEY, false},
        {"cellpipe=\"" KEY "\"", false},
        {"cellpipe=" KEY "0", false},
        {"cellpipe=0123456789abcdef0123456789abcde", false},
        {"cellpipe=0123456789ABCDEF0123456789abcdef", false},
        {"cellpipe=0123456789abcdef 123456789abcdef", false},
        {"cellpipe=" KEY "; cellpipe=" KEY, false}, /* which of the two is ours? */
        {"cellpipe=x; cellpipe=" KEY, false},
        {"cellpipe=" KEY "; cellpipe=", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char key[SESSION_KEY_SIZE] = "";
        if (session_cookie(cases[i].header, key) != cases[i].good)
            fail_msg("cookie: %s", cases[i].header ? cases[i].header : "none");
        if (cases[i].good)
            assert_string_equal(key, KEY);
    }
}

/* ---- logins ---- */

#define LONG64 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static void test_logins(void **state)
{
    static const struct {
        const char *body, *user, *password; /* user NULL: it is no login */
    } cases[] = {
        {"{\"user\":\"tina\",\"password\":\"correct horse\"}", "tina", "correct horse"},
        {" { \"password\" : \"x\" ,\n\"user\":\"\" } ", "", "x"},
        {"{\"user\":\"tina\",\"password\":\"p\",\"more\":[{\"user\":\"otto\"}],\"Password\":1}", "tina", "p"},
        {"{\"user\":\"J\\u00fcrgen \\\"\\\\\\/\\t\",\"password\":\"\\ud83e\\udd16\\ufffd\"}", "J\xc3\xbcrgen \"\\/\t",
         "\xf0\x9f\xa4\x96\xef\xbf\xbd"},
        {"{\"us\\u0065r\":\"tina\",\"password\":\"\xef\xbf\xbd\"}", "tina", "\xef\xbf\xbd"},
        {"{\"user\":\"" LONG64 "\",\"password\":\"\"}", LONG64, ""},
        {"{\"user\":\"" LONG64 "a\",\"password\":\"\"}", NULL, NULL},
        {"", NULL, NULL},
        {"null", NULL, NULL},
        {"[\"user\",\"tina\",\"password\",\"p\"]", NULL, NULL},
        {"{}", NULL, NULL},
        {"{\"user\":\"tina\"}", NULL, NULL},
        {"{\"password\":\"p\"}", NULL, NULL},
        {"{\"user\":\"tina\",\"password\":null}", NULL, NULL},
        {"{\"user\":\"tina\",\"password\":12345678}", NULL, NULL},
        {"{\"user\":[\"tina\"],\"password\":\"p\"}", NULL, NULL},
        {"{\"user\":\"tina\",\"password\":\"p\"", NULL, NULL},
        {"{\"user\":\"tina\",\"password\":\"p\"}}", NULL, NULL},
        {"{\"user\":\"tina\",\"password\":\"p\"} x", NULL, NULL},
        {"{\"user\":\"tina\",\"user\":\"otto\",\"password\":\"p\"}", NULL, NULL},
        {"{\"user\":\"tina\",\"password\":\"p\",\"password\":\"p\"}", NULL, NULL},
        {"{\"user\":\"tina\",\"password\":\"p\",\"pass\\u0077ord\":\"q\"}", NULL, NULL},
        {"{\"user\":\"tina\",\"password\":\"p\\u0000q\"}", NULL, NULL},
        {"{\"user\":\"tina\\u0000\",\"password\":\"p\"}", NULL, NULL},
        {"{\"user\":\"tina\",\"password\":\"\\ud83e\"}", NULL, NULL},
        {"{\"user\":\"tina\",\"password\":\"\\ud83ex\\udd16\"}", NULL, NULL},
        {"{\"user\":\"tina\",\"password\":\"\\udd16\"}", NULL, NULL},
        {"{\"user\":\"tina\",\"password\":\"\\ud83e\\u0041\"}", NULL, NULL},
        {"{\"user\":\"tina\",\"password\":\"\\ud83e\\ud83e\"}", NULL, NULL},
        {"{\"user\":\"tina\",\"password\":\"\xff\"}", NULL, NULL},
        {"{\"user\":\"tina\",\"password\":\"\xc3\"}", NULL, NULL},
        {"{\"user\":\"tina\",\"password\":\"p\nq\"}", NULL, NULL},
        {"user=tina&password=p", NULL, NULL},
        {"{\"user\":\"tina\",\"password\":\"p\",\"deep\":[[[[[[[[[[]]]]]]]]]]}", NULL, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct login login;
        size_t size = strlen(cases[i].body);
        char *body = malloc(size ? size : 1); /* no NUL behind it */
        assert_non_null(body);
        memcpy(body, cases[i].body, size);
        if (login_read(*state, body, size, &login) != (cases[i].user != NULL))
            fail_msg("login: %s", cases[i].body);
        assert_string_equal(login.user, cases[i].user ? cases[i].user : "");
        assert_string_equal(login.password, cases[i].user ? cases[i].password : "");
        free(body);
    }
    static const char nul[] = "{\"user\":\"tina\",\"password\":\"p\0q\"}";
    struct login login;
    assert_false(login_read(*state, nul, sizeof nul - 1, &login));
}

static void test_long_logins(void **state)
{
    struct login login;
    static char body[MOST_LOGIN + 100];
    const size_t sizes[] = {MOST_PASSWORD, MOST_PASSWORD + 1};
    for (int i = 0; i < 2; i++) {
        int size = snprintf(body, sizeof body, "{\"user\":\"tina\",\"password\":\"%0*d\"}", (int)sizes[i], 0);
        assert_int_equal(login_read(*state, body, (size_t)size, &login), i == 0);
    }
    int size = snprintf(body, sizeof body, "{\"user\":\"tina\",\"password\":\"p\"%*s}", MOST_LOGIN - 30, "");
    assert_int_equal(size, MOST_LOGIN);
    assert_true(login_read(*state, body, MOST_LOGIN, &login));
    body[MOST_LOGIN] = ' ';
    assert_false(login_read(*state, body, MOST_LOGIN + 1, &login));
}

/* No copy of the password is left in memory that is given back, whichever allocation fails. */
static void test_login_is_forgotten(void **state)
{
    (void)state;
    static const char *const bodies[] = {"{\"user\":\"tina\",\"password\":\"" HORSE "\"}",
                                         "{\"password\":\"" HORSE "\",\"user\":7}",
                                         "{\"user\":\"" HORSE "\",\"password\":\"" HORSE "\",\"password\":0}"};
    const cp_allocator allocator = {.resize = watching_resize};
    struct login login;
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        cp_context *context = cp_context_new(&allocator);
        found_secrets = 0;
        assert_int_equal(login_read(context, bodies[i], strlen(bodies[i]), &login), i == 0);
        cp_context_free(context);
        assert_int_equal(found_secrets, 0);
    }
    cp_allocator poor = {.resize = failing_resize};
    bool good = false;
    for (long most = 0; !good; most++) {
        long left = most;
        poor.user = &left;
        cp_context *context = cp_context_new(&poor);
        good = context && login_read(context, bodies[0], strlen(bodies[0]), &login);
        assert_true(!context || good || !*login.password);
        cp_context_free(context);
        assert_true(most < 1000);
    }
}

/* ---- failures ---- */

static struct failures failures;

static void test_failures(void **state)
{
    (void)state;
    memset(&failures, 0, sizeof failures);
    for (uint64_t i = 0; i < MOST_FAILURES; i++) {
        assert_true(failures_allow(&failures, "1.2.3.4", 1000 * i));
        failures_add(&failures, "1.2.3.4", 1000 * i);
    }
    assert_false(failures_allow(&failures, "1.2.3.4", 4000));
    assert_true(failures_allow(&failures, "1.2.3.5", 4000));
    assert_true(failures_allow(&failures, "1.2.3.44", 4000));
    assert_true(failures_allow(&failures, "", 4000));
    assert_false(failures_allow(&failures, "1.2.3.4", 59999));
    assert_true(failures_allow(&failures, "1.2.3.4", 60000)); /* the first is a minute ago */
    failures_add(&failures, "1.2.3.4", 60000);
    assert_false(failures_allow(&failures, "1.2.3.4", 60999));
    assert_true(failures_allow(&failures, "1.2.3.4", 61000));
    assert_true(failures_allow(&failures, "1.2.3.4", 999999));

    for (uint64_t i = 0; i < MOST_FAILURES; i++) /* an empty address is one, too */
        failures_add(&failures, "", 5000);
    assert_false(failures_allow(&failures, "", 5000));
}

static void test_addresses(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"1.2.3.4", "1.2.3.4"},
        {"1.2.3.4:567", "1.2.3.4"},
        {"::ffff:1.2.3.4", "1.2.3.4"},
        {"[::ffff:1.2.3.4]:80", "1.2.3.4"},
        {"::ffff:102:304", "1.2.3.4"},
        {"2001:db8:1:2:3:4:5:6", "2001:0db8:0001:0002::/64"},
        {"2001:DB8:1:2::", "2001:0db8:0001:0002::/64"},
        {"2001:db8:1:2:ffff:ffff:ffff:ffff", "2001:0db8:0001:0002::/64"},
        {"[2001:db8:1:2::7]:4321", "2001:0db8:0001:0002::/64"},
        {"[2001:db8:1:2::7]", "2001:0db8:0001:0002::/64"},
        {"2001:db8:1:3::7", "2001:0db8:0001:0003::/64"},
        {"fe80::1%eth0", "fe80:0000:0000:0000::/64"},
        {"::1", "0000:0000:0000:0000::/64"},
        {"unknown", "unknown"},
        {"", ""},
        {"1.2.3", "1.2.3"},
        {":", ":"},
    };
    char address[ADDRESS_SIZE], longest[300];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        failures_address(rows[i][0], address);
        assert_string_equal(address, rows[i][1]);
    }
    memset(longest, '7', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    failures_address(longest, address);
    assert_int_equal(strlen(address), ADDRESS_SIZE - 1);
    /* All of a network are one who guesses. */
    memset(&failures, 0, sizeof failures);
    for (uint64_t i = 0; i < MOST_FAILURES; i++) {
        (void)snprintf(longest, sizeof longest, "2001:db8::%x", 7 + (unsigned)i);
        failures_address(longest, address);
        failures_add(&failures, address, 10 + i);
    }
    failures_address("2001:db8::99:1", address);
    assert_false(failures_allow(&failures, address, 20));
    failures_address("2001:db8:0:1::1", address);
    assert_true(failures_allow(&failures, address, 20));
}

static void test_failures_taken_back(void **state)
{
    (void)state;
    memset(&failures, 0, sizeof failures);
    for (uint64_t i = 0; i < MOST_FAILURES; i++)
        failures_add(&failures, "host", i);
    failures_take_back(&failures, "host", 77);
    failures_take_back(&failures, "other", 3);
    assert_false(failures_allow(&failures, "host", 5));
    failures_take_back(&failures, "host", 3);
    assert_true(failures_allow(&failures, "host", 5));
    failures_add(&failures, "host", 5);
    assert_false(failures_allow(&failures, "host", 5));
    assert_false(failures_allow(&failures, "host", 59999));
    assert_true(failures_allow(&failures, "host", 60000)); /* the first one still counts until then */
    for (uint64_t i = 0; i < 3; i++)                       /* two of the same time are two */
        failures_add(&failures, "twice", 9);
    failures_take_back(&failures, "twice", 9);
    for (uint64_t i = 0; i < 3; i++)
        failures_add(&failures, "twice", 9);
    assert_false(failures_allow(&failures, "twice", 9));
}

static void test_many_addresses(void **state)
{
    (void)state;
    memset(&failures, 0, sizeof failures);
    char address[40];
    for (uint64_t i = 0; i < MOST_FAILURES; i++) {
        failures_add(&failures, "first", 100);
        failures_add(&failures, "second", 101);
    }
    for (int i = 0; i < MOST_ADDRESSES - 2; i++) {
        (void)snprintf(address, sizeof address, "10.0.%d.%d", i / 256, i % 256);
        failures_add(&failures, address, 200);
    }
    assert_false(failures_allow(&failures, "first", 300));
    failures_add(&failures, "one more", 201);
    assert_true(failures_allow(&failures, "first", 300)); /* it had to go */
    assert_false(failures_allow(&failures, "second", 300));
    char longest[2 * ADDRESS_SIZE + 1];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    for (uint64_t i = 0; i < MOST_FAILURES; i++)
        failures_add(&failures, longest, 300);
    assert_false(failures_allow(&failures, longest, 300));
}

/* ---- the guard ---- */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint32_t done, may; /* answers that have come, and that may go on */
    uint64_t tickets[32];
    bool matches[32], has_signals;
} answers = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void note_answer(void *user, uint64_t ticket, bool matches)
{
    sigset_t mask;
    (void)pthread_sigmask(SIG_SETMASK, NULL, &mask);
    (void)pthread_mutex_lock(&answers.lock);
    assert_ptr_equal(user, &answers);
    answers.has_signals |= !sigismember(&mask, SIGINT) || !sigismember(&mask, SIGTERM);
    answers.tickets[answers.done] = ticket;
    answers.matches[answers.done++] = matches;
    (void)pthread_cond_broadcast(&answers.changed);
    while (answers.done > answers.may)
        (void)pthread_cond_wait(&answers.changed, &answers.lock);
    (void)pthread_mutex_unlock(&answers.lock);
}

/* Lets so many answers go on in all, and waits until so many have come. */
static void wait_for_answers(uint32_t may, uint32_t done)
{
    (void)pthread_mutex_lock(&answers.lock);
    answers.may = may;
    (void)pthread_cond_broadcast(&answers.changed);
    while (answers.done < done)
        (void)pthread_cond_wait(&answers.changed, &answers.lock);
    (void)pthread_mutex_unlock(&answers.lock);
}

static void test_guard(void **state)
{
    (void)state;
    static const struct {
        const char *password, *hash;
        bool matches;
    } questions[] = {{HORSE, OF_HORSE, true}, {"wrong horse", OF_HORSE, false}, {HORSE, NULL, false},
                     {"", OF_HORSE, false},   {HORSE, "no hash", false},        {HORSE, OF_HORSE, true},
                     {"x", NULL, false},      {"y", OF_HORSE, false},           {HORSE, OF_HORSE, true}};
    answers.done = answers.may = 0;
    struct guard *guard = guard_new(note_answer, &answers);
    assert_non_null(guard);
    assert_true(guard_ask(guard, 100, questions[0].password, questions[0].hash));
    wait_for_answers(0, 1); /* the thread is in the first answer */
    for (uint64_t i = 1; i <= MOST_WAITING; i++)
        assert_true(guard_ask(guard, 100 + i, questions[i].password, questions[i].hash));
    assert_false(guard_ask(guard, 200, HORSE, OF_HORSE));
    assert_false(guard_ask(guard, 201, HORSE, NULL));
    wait_for_answers(2, 3);
    assert_true(guard_ask(guard, 109, HORSE, OF_HORSE)); /* there is room again */
    wait_for_answers(32, 10);
    for (uint32_t i = 0; i < 10; i++) {
        assert_int_equal(answers.tickets[i], 100 + i);
        assert_int_equal(answers.matches[i], i < 9 ? questions[i].matches : true);
    }
    static char longest[MOST_PASSWORD + 2];
    memset(longest, 'p', MOST_PASSWORD + 1);
    assert_false(guard_ask(guard, 300, longest, OF_HORSE));
    guard_free(guard);
    assert_false(answers.has_signals);
    assert_int_equal(answers.done, 10);
    guard_free(NULL);
}

int __real_pthread_join(pthread_t thread, void **result);
int __wrap_pthread_join(pthread_t thread, void **result);
int __wrap_pthread_join(pthread_t thread, void **result)
{
    wait_for_answers(1000, 0); /* the guard has said that it ends, and its thread may go on */
    return __real_pthread_join(thread, result);
}

/* The end waits for the answer that is given, and for no more; no password is left in memory. */
static void test_end_of_guard(void **state)
{
    (void)state;
    answers.done = answers.may = 0;
    struct guard *guard = guard_new(note_answer, &answers);
    assert_true(guard_ask(guard, 1, HORSE, OF_HORSE));
    wait_for_answers(0, 1);
    for (uint64_t i = 2; i < 2 + MOST_WAITING; i++)
        assert_true(guard_ask(guard, i, HORSE, OF_HORSE));
    found_secrets = 0;
    guard_free(guard);
    assert_int_equal(found_secrets, 0);
    assert_int_equal(answers.done, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_session, begin),
        cmocka_unit_test_setup(test_life, begin),
        cmocka_unit_test_setup(test_most_sessions, begin),
        cmocka_unit_test_setup(test_sessions_of_one, begin),
        cmocka_unit_test_setup(test_places, begin),
        cmocka_unit_test_setup(test_users_change, begin),
        cmocka_unit_test_setup(test_keys, begin),
        cmocka_unit_test_setup(test_random_bits, begin),
        cmocka_unit_test(test_cookies),
        cmocka_unit_test_setup_teardown(test_logins, make_context, free_context),
        cmocka_unit_test_setup_teardown(test_long_logins, make_context, free_context),
        cmocka_unit_test(test_login_is_forgotten),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_failures_taken_back),
        cmocka_unit_test(test_many_addresses),
        cmocka_unit_test(test_guard),
        cmocka_unit_test(test_end_of_guard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
