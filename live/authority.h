/* Authority: who may do what while the cell does what. Plain rules without network, cell or clock of their own: times
 * are milliseconds of a clock that never goes back, given by the caller. docs/live.md has the tables. */
#ifndef CELLPIPE_LIVE_AUTHORITY_H
#define CELLPIPE_LIVE_AUTHORITY_H

#include "users.h"

/* What the cell does. */
enum mode {
    MODE_READY,
    MODE_RUNNING, /* a program */
    MODE_JOGGING, /* a joint, as long as somebody says so again and again */
    MODE_MOVING,  /* to joint values */
    MODE_STOPPED, /* between two moves of a program that can be continued */
    MODE_EMERGENCY,
    MODE_OFFLINE, /* the controller is silent, or sends nonsense */
    MODE_COUNT
};
/* "ready", "running", ... */
const char *mode_name(enum mode mode);

/* What people ask for. */
enum word {
    WORD_TAKE, /* the lease */
    WORD_GIVE,
    WORD_ALIVE,
    WORD_STOP,
    WORD_EMERGENCY,
    WORD_RESET,
    WORD_RUN,
    WORD_STEP,
    WORD_CONTINUE,
    WORD_JOG,
    WORD_MOVE,
    WORD_TEACH,
    WORD_PROGRAM,
    WORD_OPEN,
    WORD_DOWNLOAD,
    WORD_COUNT
};
const char *word_name(enum word word);
/* False if it is none of these words. */
bool word_named(const char *text, enum word *word);

enum {
    LEASE_TIME = 2000, /* milliseconds without a word of its holder after which a lease is lost */
    JOG_TIME = 250     /* the same of a jog */
};

/* One client at a time may move the cell: it holds the lease. Clients are numbered from 1. */
struct authority {
    enum mode mode;
    bool stopping;                 /* the move that is under way is the last one */
    uint64_t holder;               /* the client that holds the lease; 0: nobody */
    uint64_t renewed;              /* when it said its last word */
    uint64_t jogged;               /* when it last asked for a jog */
    char name[MOST_USER_NAME + 1]; /* the holder's; "": nobody holds the lease */
    char by[MOST_USER_NAME + 1];   /* who began what the cell does; "": nobody */
};

struct client {
    uint64_t number;
    enum role role;
    const char *name;
};

/* Returns NULL if the client may, or why not: "rights", "lease", "offline", "mode", in this order. */
const char *authority_refuses(const struct authority *authority, const struct client *client, enum word word,
                              uint64_t now);
/* Does what authority_refuses allows, as far as modes and the lease are concerned. */
void authority_obey(struct authority *authority, const struct client *client, enum word word, uint64_t now);

/* A program, a move or a jog has come to its end, or to the point at which a stop ends it, or failed. */
void authority_end(struct authority *authority, bool can_continue);
/* Ends what has lasted too long: a lease without words, a jog without a further one. A lost lease ends a jog, and a
 * program or a move at the end of its present move. True if anything changed. */
bool authority_lapse(struct authority *authority, uint64_t now);
/* The client has left: its lease is lost. */
bool authority_leave(struct authority *authority, uint64_t client);
/* The controller is silent or talks again. It comes back to ready, never to running. True if that is new. */
bool authority_offline(struct authority *authority, bool offline);

#endif
