/* Tries programs and moves before they happen: a thread with a context and a scene of its own, so that a long program
 * holds up nobody. */
#ifndef CELLPIPE_LIVE_CHECK_H
#define CELLPIPE_LIVE_CHECK_H

#include "cellpipe_tool.h"

enum {
    MOST_CHECKS = 8,          /* questions wait at most */
    MOST_CHECKS_OF_ONE = 4,   /* a client asks no more, so that others can ask, too */
    MOST_CHECK_ERRORS = 50,   /* a result tells no more errors of a text */
    MOST_PATH = 1500,         /* a result has no more poses of the way */
    MOST_PATH_VALUES = 24000, /* and no more values in them: a message of half a megabyte */
    CHECK_WHY = 300
};

struct check_error {
    uint64_t line, column;
    char text[CHECK_WHY];
};

/* The result of a check: `why` is "" if all is well. */
struct check_result {
    uint64_t ticket;
    char why[CHECK_WHY];
    struct check_error *errors;
    uint32_t error_count;
    double seconds; /* the program takes so long */
    double *path;   /* its way: values of all joints, at equal times from the beginning to the end */
    uint32_t path_count;
    size_t joint_count;
};
void check_result_free(struct check_result *result);

/* A question says what is to be tried. All of it is copied. */
struct check_question {
    uint64_t ticket;
    const double *q;         /* all joints are here at first */
    const double *to;        /* a move takes them there; NULL: a program is tried */
    const char *name, *text; /* the program's */
    size_t size;
    cp_program_options options;
};

struct checker;
/* Begins with the cell as it is now. done is called in the thread; it takes over the result. CP_LIMIT, reported, if
 * there can be no thread. */
cp_status checker_new(cp_context *context, const cp_scene *scene, void (*done)(void *user, struct check_result *result),
                      void *user, struct checker **checker);
/* False if too many wait, or memory has run out. */
bool checker_ask(struct checker *checker, const struct check_question *question);
/* Ends a check early, or before it begins: its result comes at once, and says nothing. */
void checker_cancel(struct checker *checker, uint64_t ticket);
/* Ends the thread, in the middle of a check if need be. NULL is allowed. */
void checker_free(struct checker *checker);

#endif
