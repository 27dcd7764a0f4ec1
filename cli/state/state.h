/* The state of an output folder: what is known of each output, in OUT/.cellpipe/state.db, a database of SQLite. One
 * process writes it at a time, which has the lock; journals are put into it (journal.h), in any order and any number of
 * times. Whatever asks about many outputs, such as a report, is a query here.
 *
 * The record that holds of an output is the one with the greatest sequence; of two with the same one, which two hosts
 * have written at once, the one of success, and then the one whose hashes are greater. No clock decides. */
#ifndef CELLPIPE_CLI_STATE_H
#define CELLPIPE_CLI_STATE_H

#include "record.h"

/* A build without SQLite says so where a state is needed. */
#define WITHOUT_SQLITE                                                                                                 \
    "this cellpipe was built without SQLite (libsqlite3-dev), which keeps what batch knows of outputs"

struct sqlite3;
struct sqlite3_stmt;

enum { STATE_STATEMENTS = 24 };

/* How to open it: to write it; to read it, and then changes stay in memory; to look up what lies on the disk, perhaps
 * that of another host, while nobody writes it; or an empty one in memory. */
enum state_use { STATE_WRITE, STATE_READ, STATE_AS_IT_IS, STATE_EMPTY };

struct state {
    struct cli *cli;
    enum state_use use;
    struct sqlite3 *database;
    struct sqlite3_stmt *statements[STATE_STATEMENTS];
    struct arena *arena;   /* texts of the record that was found last */
    uint64_t night;        /* the last one: what a run changes bears its number */
    const char *path;      /* of the database */
    uint64_t device, file; /* which file that is */
};

/* Opens the state of the output folder, OUT/.cellpipe being `folder`. Without one, a reader gets an empty one.
 * CP_OUTPUT or CP_INPUT, reported: it cannot be opened, is no state, or is that of a later version. */
cp_status state_open(struct cli *cli, const char *folder, enum state_use use, struct state *state);
/* CP_OUTPUT, reported, if somebody has removed the database, so that what is written is lost. */
cp_status state_check_place(const struct state *state);
/* Drops what was not committed. A state that is all zero is allowed. */
void state_close(struct state *state);

/* A change is a whole one: all between begin and commit is there after a crash, or nothing. */
cp_status state_begin(struct state *state);
cp_status state_commit(struct state *state);
/* Begins a night: a run, or a merge of those of other hosts. Records that come now belong to it. */
cp_status state_begin_night(struct state *state);

/* Finds the record of an output by its path below the output folder: CP_NO if there is none. Its texts last until the
 * next call. */
cp_status state_find(struct state *state, const char *out, struct record *record);
/* Puts a record in, unless one that is there holds. */
cp_status state_put(struct state *state, const struct record *record);
/* Removes the record of an output. */
cp_status state_remove(struct state *state, const char *out);

/* Finds out whether nothing is known. */
cp_status state_is_empty(struct state *state, bool *empty);
/* Counts the outputs of which something is known. */
cp_status state_count(struct state *state, uint64_t *outputs);

/* Puts a root in, or changes where it is. */
cp_status state_put_root(struct state *state, const struct input_root *root);
/* Finds a root by its id, or by where it is: CP_NO if there is none. Its texts are in the arena. */
cp_status state_find_root(struct state *state, struct arena *arena, const char *id, struct input_root *root);
cp_status state_find_root_at(struct state *state, struct arena *arena, const char *path, struct input_root *root);
/* Gives the root at the path that id, unless another has it. */
cp_status state_name_root(struct state *state, const char *id, const char *path);

/* How much of a journal is in the state: all bytes before `offset`. */
cp_status state_find_journal(struct state *state, const char *name, uint64_t *offset);
cp_status state_put_journal(struct state *state, const char *name, uint64_t offset);
cp_status state_remove_journal(struct state *state, const char *name);

/* Runs tell more than records: kinds of files that they passed over, with the number in the last night, and the
 * restrictions of readers. */
#define TOLD_PASSED_OVER "passed over"
#define TOLD_ISOLATION "isolation"
cp_status state_put_told(struct state *state, const char *kind, const char *text, uint64_t number);
typedef cp_status state_visit_told(void *user, const char *kind, const char *text, uint64_t number);
cp_status state_each_told(struct state *state, state_visit_told *visit, void *user);

/* An output of a query. */
struct state_row {
    struct record record;
    struct input_root root;
    const char *in;        /* the path of the input, as the last run has spelt it */
    enum record_state was; /* the state before the night in which the record came; STATE_COUNT: there was none */
    bool is_of_night;      /* the record came in the last night */
    bool has_files;        /* STATE_PLACES alone sets it: it was written, and did not fail */
    bool same_reason;      /* it failed before, too, for the same reason */
};
typedef cp_status state_visit(void *user, const struct state_row *row);

enum state_query {
    STATE_ALL,      /* in the order of outputs */
    STATE_PLACES,   /* all, but only root, name and path of each, and whether it has files */
    STATE_OF_NIGHT, /* of this night alone */
    STATE_FAILURES,
    STATE_ALIKE, /* outputs of which another has the same bytes, or the same input, or nearly the same shape */
    STATE_ALIKE_OF_NIGHT, /* the same among those of this night */
    STATE_MEETING         /* outputs of which a file is one of another output, too */
};
/* Calls visit for each output of the query; stops at the first status that is not CP_OK and returns it. The row's texts
 * last until the next one. visit must not ask the same query. */
cp_status state_each(struct state *state, enum state_query query, state_visit *visit, void *user);

/* The same of all outputs of an input, by its root's id and its name. begin: what the names of its outputs begin with
 * before the dot of their suffix (output_stem). */
cp_status state_each_of_input(struct state *state, const char *root, const char *name, const char *begin,
                              state_visit *visit, void *user);

#endif
