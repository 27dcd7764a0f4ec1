/* Users: names, roles and hashes of passwords, in a text file that its owner alone may read and write. */
#ifndef CELLPIPE_LIVE_USERS_H
#define CELLPIPE_LIVE_USERS_H

#include "live.h"

/* ---- users.c: who there is ---- */

/* Each role may do what those before it may. A guest has not logged in. */
enum role { ROLE_GUEST, ROLE_VIEWER, ROLE_OPERATOR, ROLE_TEACHER };
/* "viewer", "operator", "teacher"; "guest". */
const char *role_name(enum role role);
/* False if the word is no role that a user may have. */
bool role_named(const char *word, enum role *role);

enum { MOST_USERS = 1000, MOST_USER_NAME = 64 }; /* users; bytes */
struct user {
    const char *name; /* user_name_fault finds none */
    enum role role;
    const char *hash; /* password_hash has made it */
};
struct users {
    struct user *items;
    uint32_t count, room;
};

/* Says what is wrong with a name, as the rest of a sentence; NULL: nothing. It is UTF-8 of 1 to MOST_USER_NAME bytes,
 * without a colon, control characters, and blanks at its ends. */
const char *user_name_fault(const char *name);
/* Reads lines NAME:ROLE:HASH, which are changed: size bytes and a NUL. The users point into them; their array is in the
 * arena, with room for one more. CP_INPUT with file, line and reason in the report. */
cp_status users_parse(cp_context *context, const char *path, char *text, size_t size, struct arena *arena,
                      struct users *users);
/* Reads the file, or the one that a link leads to. It must belong to this process's user, and others may neither read
 * nor write it. CP_INPUT as above. */
cp_status users_read(cp_context *context, const char *path, struct arena *arena, struct users *users);
/* Returns the user, or NULL. */
struct user *users_find(const struct users *users, const char *name);
/* Tells whether a user is there before and at present, with the same role and password. */
bool user_is_same(const struct users *before, const struct users *present, const char *name);

/* ---- users_file.c: the file as it changes ---- */

/* A change of the file, which one process at a time makes. */
struct users_change {
    const char *path;      /* the file itself, even if a link leads to it */
    const char *temporary; /* PATH.lock. Who has locked it may change the file, by writing it here and renaming it. */
    int file;              /* the locked one; -1: none */
};
/* Waits until nobody else changes the file. CP_OUTPUT, reported; CP_CANCELLED if a signal came. Call users_unlock even
 * on failure. */
cp_status users_lock(cp_context *context, const char *path, struct arena *arena, struct users_change *change);
/* Replaces the file, with mode 600: at any moment it is the old or the new one. */
cp_status users_write(cp_context *context, struct users_change *change, const struct users *users);
void users_unlock(struct users_change *change);

/* ---- password.c ---- */

enum { MOST_PASSWORD = 511, FEWEST_PASSWORD = 8 }; /* bytes, which libcrypt takes; characters */
/* Says what is wrong with a new password, as the rest of a sentence; NULL: nothing. */
const char *password_fault(const char *password, size_t size);
/* Makes a hash of a new password (yescrypt, cost 7, salt from the system). False with errno. It takes some 100 ms, and
 * 64 MiB. */
enum { HASH_SIZE = 384 };
bool password_hash(const char *password, char hash[HASH_SIZE]);
/* Tells whether a text has the form of these hashes. */
bool password_is_hash(const char *text);
/* Tells whether it is the password; hash NULL: of no user, which takes as long as for one, and is false. */
bool password_matches(const char *password, const char *hash);
/* Compares size bytes, in a time that does not depend on them. */
bool same_secret(const char *one, const char *other, size_t size);
/* Overwrites a secret. A compiler may leave out a memset of what nobody reads again, but not this. */
void forget_secret(void *bytes, size_t size);

/* ---- password_ask.c ---- */

/* Gets a new password: from the terminal, without echo and asked twice, or as the first line of standard input if that
 * is no terminal; no byte behind that line is read. CP_USAGE, reported, if it is against the rules; CP_CANCELLED if a
 * signal came, before which the terminal is as it was. The caller forgets it. */
cp_status password_ask(cp_context *context, char password[MOST_PASSWORD + 1]);

/* ---- change_users.c ---- */

/* The command `users`: what to do with which file. */
struct users_request {
    const char *file, *action, *name, *role; /* NULL: it was not given */
};
cp_status change_users(cp_context *context, const struct users_request *request);

#endif
