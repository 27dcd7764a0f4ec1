/* Users: names, roles and hashes of passwords, in a file that people may read, and nobody else. */
#ifndef CELLPIPE_LIVE_USERS_H
#define CELLPIPE_LIVE_USERS_H

#include "live.h"

/* In the order of what they may: each may what those before it may. A guest has not logged in. */
enum role { ROLE_GUEST, ROLE_VIEWER, ROLE_OPERATOR, ROLE_TEACHER };
/* "viewer", "operator", "teacher"; "guest". */
const char *role_name(enum role role);
/* False if the word is no role that a user may have. */
bool role_named(const char *word, enum role *role);

enum { MOST_USERS = 1000, MOST_USER_NAME = 64, MOST_PASSWORD = 512 };
struct user {
    const char *name; /* UTF-8 without control characters, at most MOST_USER_NAME bytes */
    enum role role;
    const char *hash; /* of libcrypt: yescrypt for new ones */
};
struct users {
    struct user *items;
    uint32_t count, room;
};

/* Reads a file of lines NAME:ROLE:HASH. It must belong to this user, and others may not read it. CP_INPUT with file,
 * line and reason in the report. */
cp_status users_read(cp_context *context, const char *path, struct arena *arena, struct users *users);
/* Writes it whole, with mode 600, by a temporary in its folder. */
cp_status users_write(cp_context *context, const char *path, const struct users *users);
/* Returns the user, or NULL. */
const struct user *users_find(const struct users *users, const char *name);

/* Makes a hash of a new password (yescrypt, cost 7, salt from the system). False with errno. It takes some 100 ms. */
enum { HASH_SIZE = 384 };
bool password_hash(const char *password, char hash[HASH_SIZE]);
/* Tells whether it is the password; hash NULL: of no user, which takes as long as for one, and is false. */
bool password_matches(const char *password, const char *hash);

/* The command `users`: what to do with which file. A password comes from the terminal without echo, asked twice, or is
 * the first line of standard input if that is no terminal. */
struct users_request {
    const char *file, *action, *name, *role;
};
cp_status change_users(cp_context *context, const struct users_request *request);

#endif
