/* A fuzzer for what strangers send to log in, and for the file of users: the bytes are read as the body of a login, as
 * a Cookie header and as lines of users. What is taken means the same when it is written and read again; what is
 * refused has a reason, and leaves nothing behind. */
#include "../../live/sessions.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check(bool good, const char *what)
{
    if (good)
        return;
    (void)fprintf(stderr, "fuzz_login: %s\n", what);
    abort();
}

static void try_login(cp_context *context, const char *body, size_t size)
{
    static const struct login nothing;
    struct login login, again;
    struct buffer text = {.context = context};
    cp_json json = {.out = &text};
    if (!login_read(context, body, size, &login)) {
        check(memcmp(&login, &nothing, sizeof login) == 0, "what is no login leaves something");
        return;
    }
    check(strlen(login.user) <= MOST_USER_NAME && strlen(login.password) <= MOST_PASSWORD, "a text has no end");
    cp_json_open(&json, NULL, '{');
    cp_json_text(&json, "user", login.user);
    cp_json_text(&json, "password", login.password);
    cp_json_close(&json, '}');
    check(login_read(context, text.data, text.size, &again), "what was written is no login");
    check(strcmp(login.user, again.user) == 0 && strcmp(login.password, again.password) == 0, "another login");
    buffer_free(&text);
}

static void try_cookie(const char *header)
{
    char key[SESSION_KEY_SIZE], cookie[16 + SESSION_KEY_SIZE];
    if (!session_cookie(header, key))
        return;
    check(strspn(key, "0123456789abcdef") == SESSION_KEY_SIZE - 1 && strlen(key) == SESSION_KEY_SIZE - 1, "no key");
    (void)snprintf(cookie, sizeof cookie, "cellpipe=%s", key);
    check(strstr(header, cookie), "a key that is not there");
}

static void try_users(cp_context *context, const char *lines, size_t size)
{
    size_t count;
    struct users users;
    struct buffer text = {.context = context};
    struct arena *arena = arena_new(context);
    char *copy = arena ? arena_copy(arena, lines, size + 1, 1) : NULL;
    check(copy, "no memory");
    cp_report_clear(context);
    cp_status status = users_parse(context, "users", copy, size, arena, &users);
    (void)cp_report(context, &count);
    check(status == CP_OK ? count == 0 : status == CP_INPUT && count == 1, "status of users");
    for (uint32_t i = 0; status == CP_OK && i < users.count; i++) {
        const struct user *user = &users.items[i];
        check(users_find(&users, user->name) == user, "a name stands there twice");
        buffer_print(&text, "%s:%s:%s\n", user->name, role_name(user->role), user->hash);
    }
    if (status == CP_OK) {
        check(users.count < users.room, "no room for one more");
        bool is_open = size > 0 && lines[size - 1] != '\n';
        check(text.size == size + is_open && memcmp(text.data ? text.data : "", lines, size) == 0, "other users");
    }
    buffer_free(&text);
    arena_free(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    cp_context *context = cp_context_new(NULL);
    char *text = malloc(size + 1), *body = malloc(size ? size : 1); /* reading beyond its end is seen */
    check(context && text && body, "no memory");
    memcpy(text, bytes, size);
    memcpy(body, bytes, size);
    text[size] = '\0';
    try_login(context, body, size);
    try_cookie(text);
    try_users(context, text, size);
    free(text);
    free(body);
    cp_context_free(context);
    return 0;
}
