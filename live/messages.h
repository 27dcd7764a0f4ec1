/* Messages: what browsers say, and what they hear. JSON texts by the tables of docs/live.md; no network. */
#ifndef CELLPIPE_LIVE_MESSAGES_H
#define CELLPIPE_LIVE_MESSAGES_H

#include "authority.h"
#include "cell.h"
#include "check.h"

enum {
    MOST_MESSAGE = 256 << 10, /* bytes */
    MOST_PROGRAM_NAME = 64,   /* a program or a point has at most so many letters, digits, . _ - */
    MOST_WHY = 300
};

/* A client has said this. Texts and values lie in the arena. */
struct message {
    enum word word;
    uint64_t id; /* 0: none; answers repeat it */
    uint32_t joint;
    double speed;
    const double *q; /* a move goes to these values of all joints of the scene */
    const char *name, *text;
    size_t text_size;
    bool is_nonsense; /* no object with a type that there is: no page of ours says this */
};

/* Reads a message. False: it is none, and `why` says it ("format: ..."); the id is read as far as it is there. */
bool message_read(const struct cell *cell, struct arena *arena, const char *text, size_t size, struct message *message,
                  char why[MOST_WHY]);

/* The following append a message to a buffer; failure is sticky in it. */
void say_hello(struct buffer *out, const struct cell *cell, const struct client *client, const char *key,
               const char *controller);
/* n: the number of the state; time: seconds of the controller's clock. */
void say_state(struct buffer *out, const struct cell *cell, uint64_t n, double time);
struct mode_facts {
    const struct authority *authority;
    const char *program; /* NULL: none is loaded */
    uint64_t line, lines;
    const char *why; /* why the last motion ended early; NULL or "": it did not */
};
void say_mode(struct buffer *out, const struct mode_facts *facts);
void say_near(struct buffer *out, const struct near_pair *pairs, uint32_t count);
/* The programs that are kept. */
void say_programs(struct buffer *out, const char *const *names, uint32_t count);
void say_done(struct buffer *out, uint64_t id);
/* An answer with a text: the line that a teach has made, or a program. */
void say_text(struct buffer *out, uint64_t id, const char *name, const char *text);
/* Tells what a check of a program has come to. The program is saved in any case. */
void say_checked(struct buffer *out, const struct cell *cell, uint64_t id, const char *name,
                 const struct check_result *result);
/* Errors in the text of a program, from the report, stand beside the reason. */
void say_refused(struct buffer *out, uint64_t id, const char *why, const cp_entry *errors, size_t count);

#endif
