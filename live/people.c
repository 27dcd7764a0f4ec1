/* The people who may log in: their file is read again when it changes. */
#include <stdio.h>

#include "server.h"

enum { LOOK_TIME = 1000 }; /* milliseconds between two looks at the file, and at the ages of sessions */

static bool is_same_file(const struct stat *one, const struct stat *other)
{
    return one->st_dev == other->st_dev && one->st_ino == other->st_ino && one->st_size == other->st_size &&
           one->st_mode == other->st_mode && one->st_uid == other->st_uid &&
           one->st_mtim.tv_sec == other->st_mtim.tv_sec && one->st_mtim.tv_nsec == other->st_mtim.tv_nsec &&
           one->st_ctim.tv_sec == other->st_ctim.tv_sec && one->st_ctim.tv_nsec == other->st_ctim.tv_nsec;
}

/* Reads the file into an arena of its own. */
static cp_status read_users(struct server *server, struct arena **arena, struct users *users)
{
    *arena = arena_new(server->context);
    cp_status status = *arena ? users_read(server->context, server->request->users, *arena, users) : CP_LIMIT;
    if (status != CP_OK) {
        arena_free(*arena);
        *arena = NULL;
    }
    return status;
}

cp_status open_users(struct server *server)
{
    if (!server->request->users)
        return CP_OK;
    server->sessions = memory_allocate_zeroed(server->context, 1, sizeof *server->sessions);
    server->failures = memory_allocate_zeroed(server->context, 1, sizeof *server->failures);
    if (!server->sessions || !server->failures)
        return CP_LIMIT;
    (void)stat(server->request->users, &server->users_file); /* before: what changes meanwhile is read again */
    return read_users(server, &server->users_arena, &server->users);
}

/* A login that is being checked is none any more if its user has changed. */
static void forget_logins(struct server *server, const struct users *before)
{
    for (struct visit *visit = server->asking; visit; visit = visit->next)
        if (!user_is_same(before, &server->users, visit->user))
            visit->user[0] = 0;
}

/* Says that the file cannot be used, and why. */
static void complain(struct server *server)
{
    char line[700];
    size_t count;
    const cp_entry *entries = cp_report(server->context, &count);
    const cp_entry *last = count > 0 ? &entries[count - 1] : NULL;
    (void)snprintf(line, sizeof line, "the users stay as they were: %.250s%s%.300s", server->request->users,
                   last ? " " : "", last ? last->text : "");
    server->request->tell(server->request->user, line);
    cp_report_clear(server->context);
}

void follow_users(struct server *server)
{
    struct stat facts = {0};
    struct users users;
    struct arena *arena;
    (void)stat(server->request->users, &facts); /* one that is gone has changed, too */
    if (is_same_file(&facts, &server->users_file))
        return;
    const cp_status status = read_users(server, &arena, &users);
    if (status != CP_LIMIT) /* without memory it is tried again */
        server->users_file = facts;
    if (status != CP_OK) {
        complain(server);
        return;
    }
    const struct users before = server->users;
    server->users = users;
    sessions_follow(server->sessions, &before, &server->users);
    forget_logins(server, &before);
    arena_free(server->users_arena);
    server->users_arena = arena;
    follow_sessions(server);
}

void follow_people(struct server *server)
{
    const uint64_t now = server_now();
    if (!server->request->users || now - server->people_seen < LOOK_TIME)
        return;
    server->people_seen = now;
    follow_users(server);
    follow_sessions(server);
}

void close_users(struct server *server)
{
    memory_free(server->context, server->sessions, 1, sizeof *server->sessions);
    memory_free(server->context, server->failures, 1, sizeof *server->failures);
    arena_free(server->users_arena);
}
