/* The calls of SQLite for the state, each with its report. SQLite is loaded when a command first needs a state. */
#ifndef CELLPIPE_CLI_SQLITE_H
#define CELLPIPE_CLI_SQLITE_H

#include <sqlite3.h>

#include "state.h"

/* clang-format off */
#define SQLITE_FUNCTIONS(X) \
    X(sqlite3_bind_blob) X(sqlite3_bind_int64) X(sqlite3_bind_null) X(sqlite3_busy_timeout) X(sqlite3_clear_bindings) X(sqlite3_close_v2) \
    X(sqlite3_column_blob) X(sqlite3_column_bytes) X(sqlite3_column_int64) X(sqlite3_column_type) X(sqlite3_errmsg) \
    X(sqlite3_exec) X(sqlite3_finalize) X(sqlite3_open_v2) X(sqlite3_prepare_v2) X(sqlite3_reset) X(sqlite3_step)
/* clang-format on */

LATE_FUNCTIONS(sqlite, SQLITE_FUNCTIONS);
extern struct sqlite_functions sqlite;

/* The statements by their places. */
enum {
    FIND,
    FIND_OF_INPUT,
    FIND_BRIEFLY,
    PUT,
    PUT_OVER, /* in an overlay */
    REMOVE,
    PUT_FURTHER,
    REMOVE_FURTHER,
    PUT_ROOT,
    FIND_ROOT,
    FIND_ROOT_BY_NUMBER,
    FIND_ROOT_AT,
    RENAME_ROOT,
    PUT_TEXT,
    FIND_TEXT,
    FIND_TEXT_BY_NUMBER,
    PUT_JOURNAL,
    FIND_JOURNAL,
    REMOVE_JOURNAL,
    PUT_TOLD,
    STATEMENT_COUNT
};

/* The columns of an output. Texts and paths are blobs, since a path need not be UTF-8. Names that `out` begins with,
 * as nearly all do, are its first so many bytes. Numbers that are mostly those of the first file are stored as the
 * difference. What most outputs lack is in `files`, as JSON: all files but the input itself and the one output. */
enum column {
    COLUMN_OUT,
    COLUMN_ROOT,
    COLUMN_NAME,
    COLUMN_SEQUENCE,
    COLUMN_STATE,
    COLUMN_ATTEMPT,
    COLUMN_KEY,
    COLUMN_OUT_HASH,
    COLUMN_HASH,
    COLUMN_SIZE,
    COLUMN_MODIFIED,
    COLUMN_OUT_SIZE,
    COLUMN_OUT_MODIFIED,
    COLUMN_TIME,
    COLUMN_MICROSECONDS,
    COLUMN_CPU_MICROSECONDS,
    COLUMN_MAX_RSS,
    COLUMN_FURTHER_IN,
    COLUMN_FURTHER_OUT,
    COLUMN_TRIANGLES_IN,
    COLUMN_TRIANGLES_OUT,
    COLUMN_KIND,
    COLUMN_SHAPE,
    COLUMN_FORMATS,
    COLUMN_HOST,
    COLUMN_REASON,
    COLUMN_SAID,
    COLUMN_FILES,
    COLUMN_NIGHT,
    COLUMN_WAS,
    COLUMN_COUNT
};
#define COLUMNS                                                                                                        \
    "out, root, name, sequence, state, attempt, key, out_hash, hash, size, modified, out_size, out_modified, time, "   \
    "microseconds, cpu_microseconds, max_rss, further_in, further_out, triangles_in, triangles_out, kind, shape, "     \
    "formats, host, reason, said, files, night, was"

/* Opens the database. is_fixed: nobody writes it, and SQLite can make no file beside it. CP_LIMIT, reported, if SQLite
 * cannot be loaded; CP_INPUT or CP_OUTPUT, reported, as SQLite says. */
cp_status sqlite_open(struct state *state, const char *path, bool is_fixed);
void sqlite_close(struct state *state);
/* Carries out texts without rows. */
cp_status sqlite_execute(struct state *state, const char *text);
/* Returns a statement, which is prepared once; NULL, reported, if that fails. */
sqlite3_stmt *sqlite_statement(struct state *state, int which);
/* Prepares a statement, which the caller finalizes. */
cp_status sqlite_prepare(struct state *state, const char *text, sqlite3_stmt **made);
/* Takes the next row of a statement whose values are bound: CP_NO if there is none, and then it is ready for the next
 * ones. */
cp_status sqlite_next(struct state *state, sqlite3_stmt *made);
/* Carries out a statement that has no rows. */
cp_status sqlite_run(struct state *state, sqlite3_stmt *made);

/* Finds the row of a statement of this place by its values, of which `kinds` has a letter each: t is a text, n a number
 * of 64 bits (uint64_t), b bytes and then their size. Reset it after CP_OK. CP_NO if there is none. */
cp_status sqlite_find(struct state *state, sqlite3_stmt **found, int which, const char *kinds, ...);
/* Carries out one that has no rows, by such values. */
cp_status sqlite_change(struct state *state, int which, const char *kinds, ...);

/* Bind values, which must stay until the statement was carried out. sqlite_next fails if memory ran out for one. */
void bind_bytes(sqlite3_stmt *made, int place, const void *bytes, size_t size);
void bind_text(sqlite3_stmt *made, int place, const char *text);
void bind_number(sqlite3_stmt *made, int place, uint64_t number);
void bind_hash(sqlite3_stmt *made, int place, cp_hash hash); /* zero: NULL */

uint64_t column_number(sqlite3_stmt *made, int column);
cp_hash column_hash(sqlite3_stmt *made, int column);
char *column_text(struct arena *arena, sqlite3_stmt *made, int column);
bool column_is_null(sqlite3_stmt *made, int column);

/* Finds the number of a text that many outputs have, and puts a new one in. */
cp_status number_of_text(struct state *state, const char *text, size_t size, uint64_t *number);
/* Finds the text of a number, in the state's arena: "" if there is none; NULL, reported, if that fails. */
const char *text_of_number(struct state *state, uint64_t number);

/* ---- state.c ---- */

/* The same of roots. */
cp_status number_of_root(struct state *state, const char *id, uint64_t *number);
cp_status root_of_number(struct state *state, uint64_t number, struct input_root *root);

/* ---- rows.c ---- */

/* Puts an output in, or in place of its row. was: the state and the reason before this night. */
cp_status row_put(struct state *state, sqlite3_stmt *put, const struct record *record, uint64_t was);
/* Reads the row at which the statement is, whose columns are COLUMNS, into the state's arena. */
cp_status row_take(struct state *state, sqlite3_stmt *made, struct record *record, struct input_root *root);
/* Reads the shape from its two columns, of which `kind` is the first; a shape that is not known stays as it is. */
void column_shape(sqlite3_stmt *made, int kind, cp_shape *shape);
/* Reads its root, name and path alone. */
cp_status row_take_place(struct state *state, sqlite3_stmt *made, struct record *record, struct input_root *root);

/* ---- alike.c ---- */

/* Which rows of a query may be like others, by their place in its order. */
struct alike {
    unsigned char *bits;
    size_t size;
};
/* Adds those that are alike by what another query, of the same rows, says of each: kind and shape, or a hash. Free it in
 * any case. */
cp_status alike_add(struct state *state, const char *text, bool is_shape, struct alike *alike);
bool alike_has(const struct alike *alike, uint32_t row);
void alike_free(struct state *state, struct alike *alike);

#endif
