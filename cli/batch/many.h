/* Many inputs that are looked at and not converted, as check and info do: by the workers of batch, each input with the
 * limits and the isolation that it has there, but without records, keys and outputs. Results are shown in the order of
 * the inputs; those that come before their turn wait in a temporary file, so that memory grows with the list alone. */
#ifndef CELLPIPE_CLI_MANY_H
#define CELLPIPE_CLI_MANY_H

#include "batch.h"

/* The request of the user. MANY_OPTIONS are the rows of a command's options that fill it. */
struct many_request {
    struct list_request list;
    struct batch_limits limits;
    int progress; /* PROGRESS_... */
    bool no_settings;
};
#define MANY_OPTIONS(settings, member)                                                                                 \
    WALK_OPTIONS(settings, member.list),                                                                               \
        {"--jobs",          "of many files, read N at a time, by default one for each processor",                      \
         CP_OPTION_INTEGER, offsetof(settings, member.limits.jobs),                                                    \
         .minimum = 1,      .maximum = CP_MOST_THREADS},                                                               \
        {"--timeout",    "of many files, give up one after so much time",                                              \
         CP_OPTION_TIME, offsetof(settings, member.limits.timeout),                                                    \
         "120",          .minimum = 0.001,                                                                             \
         .maximum = 1e6},                                                                                              \
        {"--memory",                                                                                                   \
         "of many files, give up one that needs more memory",                                                          \
         CP_OPTION_SIZE,                                                                                               \
         offsetof(settings, member.limits.memory),                                                                     \
         "2GiB",                                                                                                       \
         .minimum = 1,                                                                                                 \
         .maximum = INFINITY},                                                                                         \
        {"--no-settings", "of many files, leave cellpipe.ini of the library out", CP_OPTION_BOOLEAN,                   \
         .offset = offsetof(settings, member.no_settings)},                                                            \
    {                                                                                                                  \
        "--progress", "of many files, json: a line of JSON each second; none: nothing until the end",                  \
            CP_OPTION_CHOICE, offsetof(settings, member.progress), "auto", .choices = "auto|json|none",                \
                                                                           .value = "MODE"                             \
    }

struct looking;

/* How a command looks at an input. */
struct look {
    void *user;
    /* Looks at an input, in a worker: with the worker's cli and its context. Prints what is shown of it. CP_NO: it has
     * printed a fault. After any other failure what it has printed is dropped, and `fail` prints in its stead. */
    cp_status (*look)(void *user, struct cli *cli, const char *in, const struct request *reading, FILE *found);
    /* Prints why an input could not be looked at, anywhere. */
    void (*fail)(void *user, struct cli *cli, const char *in, const char *code, const char *message, FILE *found);
    /* Shows what was found, in the order of the inputs. */
    void (*show)(void *user, const char *found, size_t size);
    bool is_whole;           /* show nothing until show_found */
    const char *from;        /* many.c sets it: --from */
    struct looking *looking; /* the same */
};

/* Tells whether the words ask for more than one file: several words, a folder, a list, or a flag of many files. */
bool asks_for_many(const struct request *request);
/* The inputs, when all were looked at. */
struct many {
    struct batch_work work;
    struct batch_site site;
    uint32_t states[STATE_COUNT]; /* how many inputs ended so */
    const unsigned char *ends;    /* by entry: enum record_state */
    struct looking *looking;
};
/* Looks at all inputs. CP_NO: something is wrong with one. Free with many_free even on failure. */
cp_status look_at_many(struct cli *cli, const struct many_request *asked, const struct request *request,
                       struct look *look, struct many *many);
/* Shows what waits. */
cp_status show_found(struct many *many);
void many_free(struct many *many);

/* Prints a fault as a row of a table: its code, where it is, and what it is. */
void print_fault_row(FILE *table, const cp_entry *fault);
/* Prints how many files there are, and how many of them are `good` ("ok") or not. */
void print_ends(const struct many *many, const char *good);

/* info_many.c: the command info for many files. */
cp_status info_many(struct cli *cli, const struct request *request, const struct many_request *asked, bool json);

/* ---- for the supervisor ---- */

/* Takes what a worker has found. */
cp_status take_look(const struct batch_work *work, uint32_t entry, enum record_state state, const char *found,
                    size_t size);
/* Takes the record of an input that was not looked at: of the death of a worker. */
cp_status take_death(const struct batch_work *work, uint32_t entry, const struct record *record);

#endif
