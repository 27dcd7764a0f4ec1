/* Sessions of people who have logged in, and the guard against those who guess. Times are milliseconds of a clock that
 * never goes back, given by the caller. One thread at a time may use a table. */
#ifndef CELLPIPE_LIVE_SESSIONS_H
#define CELLPIPE_LIVE_SESSIONS_H

#include "users.h"

/* ---- sessions.c ---- */

enum {
    SESSION_KEY_SIZE = 33,         /* 128 random bits as hexadecimal digits, and NUL */
    MOST_SESSIONS = 1024,          /* the oldest one goes for a new one */
    MOST_SESSIONS_OF_ONE = 32,     /* who logs in again and again ends sessions of their own alone */
    SESSION_LIFE = 8 * 3600 * 1000 /* milliseconds from the login */
};

struct session {
    char key[SESSION_KEY_SIZE]; /* "": free */
    char name[MOST_USER_NAME + 1];
    enum role role;
    uint64_t begin;
};
/* All zero at first. */
struct sessions {
    struct session items[MOST_SESSIONS];
};

/* Begins a session; NULL if the system gives no random bits. It lies in the table, where it may end, and another begin.
 */
const struct session *session_begin(struct sessions *sessions, const struct user *user, uint64_t now);
/* Finds one by the key, which is compared in constant time; NULL: none, or ended by its age. */
const struct session *session_find(struct sessions *sessions, const char *key, uint64_t now);
/* Tells whether that place of the table still has the session of this key. */
bool session_goes_on(const struct session *session, const char *key, uint64_t now);
void session_end(struct sessions *sessions, const char *key);
/* Ends the sessions of users who are not among the present ones, or have another role or password than before. */
void sessions_follow(struct sessions *sessions, const struct users *before, const struct users *present);
/* Finds the value of the cookie `cellpipe` in a Cookie header, and copies it; false: there is none that is a key, or
 * there are several, of which a stranger may have set one. */
bool session_cookie(const char *header, char key[SESSION_KEY_SIZE]);

/* ---- login.c ---- */

/* The body of a login: {"user":"...","password":"..."}, of at most MOST_LOGIN bytes. False: it is anything else. Texts
 * are cut nowhere: one that is too long, or has NUL, is no login. Other members are ignored. The caller forgets both
 * the login and the body. */
enum { MOST_LOGIN = 16384 };
struct login {
    char user[MOST_USER_NAME + 1], password[MOST_PASSWORD + 1];
};
bool login_read(cp_context *context, const char *body, size_t size, struct login *login);

/* ---- guard.c ---- */

/* Failures of logging in: at most MOST_FAILURES in a minute from one address. The table has a fixed size; the address
 * whose last failure is the longest ago goes for a new one. All zero at first. */
enum { MOST_FAILURES = 5, FAILURE_TIME = 60000, MOST_ADDRESSES = 4096, ADDRESS_SIZE = 64 };
struct failures {
    struct failure {
        char address[ADDRESS_SIZE];    /* the beginning of a longer one */
        uint64_t times[MOST_FAILURES]; /* the latest ones, and 1 more; 0: none */
    } items[MOST_ADDRESSES];
};
/* Writes what counts as one address: of IPv6 its first 64 bits, since whoever has one address has these 2^64. A port,
 * and the form of IPv4 in IPv6, are left out; what is no address stays as it is. */
void failures_address(const char *text, char address[ADDRESS_SIZE]);
/* Tells whether the address may try. */
bool failures_allow(const struct failures *failures, const char *address, uint64_t now);
/* Adds a failure. To count those that are still being checked, add one when a login comes in, and take it back, with
 * the same time, when the password was right. */
void failures_add(struct failures *failures, const char *address, uint64_t now);
void failures_take_back(struct failures *failures, const char *address, uint64_t then);

/* The thread that checks passwords, one after the other: at most MOST_WAITING wait. */
enum { MOST_WAITING = 8 };
struct guard;
/* done is called in that thread with the ticket of the question. NULL: no memory, or no thread. */
struct guard *guard_new(void (*done)(void *user, uint64_t ticket, bool matches), void *user);
/* Asks whether it is the user's password; false if too many wait, or the password is longer than MOST_PASSWORD. hash
 * NULL: there is no such user. Both are copied, and forgotten after the answer. */
bool guard_ask(struct guard *guard, uint64_t ticket, const char *password, const char *hash);
/* Waits for the check that goes on, and its answer; those that wait get none. NULL is allowed. */
void guard_free(struct guard *guard);

#endif
