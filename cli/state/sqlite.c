/* Calls SQLite, and reports what it says. */
#include "sqlite.h"

#include <stdarg.h>

/* The functions that SQLITE_FUNCTIONS names. */
LATE_LIBRARY(sqlite, FILE_OF_SQLITE, 0, SQLITE_FUNCTIONS);

#define PLACES_10 "?, ?, ?, ?, ?, ?, ?, ?, ?, ?"
static const char *const texts_of_statements[] = {
    [FIND] = "SELECT " COLUMNS " FROM outputs WHERE out = ?",
    [FIND_OF_INPUT] = "SELECT " COLUMNS " FROM outputs WHERE out >= CAST(?1 || '.' AS BLOB) AND out < "
                      "CAST(?1 || '/' AS BLOB) ORDER BY out", /* '/' follows '.' */
    [FIND_BRIEFLY] = "SELECT sequence, state, reason, night, was, key, out_hash FROM outputs WHERE out = ?",
    [PUT] = "INSERT OR REPLACE INTO outputs VALUES(" PLACES_10 ", " PLACES_10 ", " PLACES_10 ")",
    [PUT_OVER] = "INSERT OR REPLACE INTO changed VALUES(" PLACES_10 ", " PLACES_10 ", " PLACES_10 ")",
    [REMOVE] = "DELETE FROM outputs WHERE out = ?",
    [PUT_FURTHER] = "INSERT OR REPLACE INTO further VALUES(?, ?)",
    [REMOVE_FURTHER] = "DELETE FROM further WHERE path = ? AND out = ?",
    [PUT_ROOT] = "INSERT INTO roots(id, path, given) VALUES(?, ?, ?) "
                 "ON CONFLICT(id) DO UPDATE SET path = excluded.path, given = excluded.given",
    [FIND_ROOT] = "SELECT id, path, given, number FROM roots WHERE id = ?",
    [FIND_ROOT_BY_NUMBER] = "SELECT id, path, given, number FROM roots WHERE number = ?",
    [FIND_ROOT_AT] = "SELECT id, path, given, number FROM roots WHERE path = ? ORDER BY number LIMIT 1",
    [RENAME_ROOT] = "UPDATE roots SET id = ?1 WHERE number = (SELECT min(number) FROM roots WHERE path = ?2) AND NOT "
                    "EXISTS(SELECT 1 FROM roots WHERE id = ?1)",
    [PUT_TEXT] = "INSERT INTO texts(text) VALUES(?)",
    [FIND_TEXT] = "SELECT number FROM texts WHERE text = ?",
    [FIND_TEXT_BY_NUMBER] = "SELECT text FROM texts WHERE number = ?",
    [PUT_JOURNAL] = "INSERT OR REPLACE INTO journals VALUES(?, ?)",
    [FIND_JOURNAL] = "SELECT size FROM journals WHERE name = ?",
    [REMOVE_JOURNAL] = "DELETE FROM journals WHERE name = ?",
    [PUT_TOLD] = "INSERT INTO told VALUES(?, ?, ?, ?) ON CONFLICT(kind, text) DO UPDATE SET number = CASE WHEN night = "
                 "excluded.night THEN max(number, excluded.number) ELSE excluded.number END, night = excluded.night"};

/* ---- calls of SQLite ---- */

/* Reports what SQLite says. A full disk, a disk that fails and a folder that cannot be written are no fault of the
 * state. */
static cp_status fail(struct state *state, int code)
{
    int kind = code & 0xff;
    if (kind == SQLITE_NOMEM)
        return complain(state->cli, CP_LIMIT, "out of memory");
    if (kind == SQLITE_CORRUPT || kind == SQLITE_NOTADB)
        return complain(state->cli, CP_INPUT,
                        "the state of earlier runs is damaged: %s; move that folder's state.db away, and all is "
                        "converted anew",
                        sqlite.sqlite3_errmsg(state->database));
    return complain(state->cli, CP_OUTPUT, "the state of earlier runs cannot be used: %s",
                    sqlite.sqlite3_errmsg(state->database));
}

cp_status sqlite_execute(struct state *state, const char *text)
{
    int code = sqlite.sqlite3_exec(state->database, text, NULL, NULL, NULL);
    return code == SQLITE_OK ? CP_OK : fail(state, code);
}

/* Returns a statement that was prepared once; NULL, reported, if that fails. */
sqlite3_stmt *sqlite_statement(struct state *state, int which)
{
    sqlite3_stmt **prepared = &state->statements[which];
    if (!*prepared) {
        int code = sqlite.sqlite3_prepare_v2(state->database, texts_of_statements[which], -1, prepared, NULL);
        if (code != SQLITE_OK)
            (void)fail(state, code);
    }
    return *prepared;
}

/* The binding of values is checked by sqlite3_step, which fails for want of memory as it does. */
void bind_bytes(sqlite3_stmt *made, int place, const void *bytes, size_t size)
{
    (void)sqlite.sqlite3_bind_blob(made, place, size > 0 ? bytes : "", (int)size, SQLITE_STATIC);
}

void bind_text(sqlite3_stmt *made, int place, const char *text)
{
    bind_bytes(made, place, text, strlen(text));
}

void bind_number(sqlite3_stmt *made, int place, uint64_t number)
{
    (void)sqlite.sqlite3_bind_int64(made, place, (int64_t)number);
}

void bind_hash(sqlite3_stmt *made, int place, cp_hash hash)
{
    if (hash_is_zero(hash))
        (void)sqlite.sqlite3_bind_null(made, place);
    else
        (void)sqlite.sqlite3_bind_blob(made, place, &hash, sizeof hash, SQLITE_TRANSIENT);
}

uint64_t column_number(sqlite3_stmt *made, int column)
{
    return (uint64_t)sqlite.sqlite3_column_int64(made, column);
}

cp_hash column_hash(sqlite3_stmt *made, int column)
{
    cp_hash hash = {0};
    const void *bytes = sqlite.sqlite3_column_blob(made, column);
    if (bytes && sqlite.sqlite3_column_bytes(made, column) == (int)sizeof hash)
        memcpy(&hash, bytes, sizeof hash);
    return hash;
}

char *column_text(struct arena *arena, sqlite3_stmt *made, int column)
{
    const char *bytes = sqlite.sqlite3_column_blob(made, column);
    return arena_copy_text(arena, bytes ? bytes : "", (size_t)sqlite.sqlite3_column_bytes(made, column));
}

bool column_is_null(sqlite3_stmt *made, int column)
{
    return sqlite.sqlite3_column_type(made, column) == SQLITE_NULL;
}

/* Takes the next row of a statement whose values are bound: CP_NO if there is none, and then it is ready for the next
 * ones. */
cp_status sqlite_next(struct state *state, sqlite3_stmt *made)
{
    int code = sqlite.sqlite3_step(made);
    if (code == SQLITE_ROW)
        return CP_OK;
    (void)sqlite.sqlite3_reset(made);
    return code == SQLITE_DONE ? CP_NO : fail(state, code);
}

/* Carries out a statement that has no rows. */
cp_status sqlite_run(struct state *state, sqlite3_stmt *made)
{
    cp_status status = sqlite_next(state, made);
    return status == CP_NO ? CP_OK : status;
}

/* Binds values by their kinds: a text, a number of 64 bits, or bytes with their size. NULL, reported, if that fails. */
static sqlite3_stmt *bind_all(struct state *state, int which, const char *kinds, va_list values)
{
    sqlite3_stmt *made = sqlite_statement(state, which);
    for (int place = 1; made && *kinds; kinds++, place++) {
        if (*kinds == 't') {
            bind_text(made, place, va_arg(values, const char *));
        } else if (*kinds == 'n') {
            bind_number(made, place, va_arg(values, uint64_t));
        } else {
            const void *bytes = va_arg(values, const void *);
            bind_bytes(made, place, bytes, va_arg(values, size_t));
        }
    }
    return made;
}

cp_status sqlite_find(struct state *state, sqlite3_stmt **found, int which, const char *kinds, ...)
{
    va_list values;
    va_start(values, kinds);
    *found = bind_all(state, which, kinds, values);
    va_end(values);
    return *found ? sqlite_next(state, *found) : CP_OUTPUT;
}

cp_status sqlite_change(struct state *state, int which, const char *kinds, ...)
{
    va_list values;
    va_start(values, kinds);
    sqlite3_stmt *made = bind_all(state, which, kinds, values);
    va_end(values);
    return made ? sqlite_run(state, made) : CP_OUTPUT;
}

/* ---- texts that many outputs have ---- */

cp_status number_of_text(struct state *state, const char *text, size_t size, uint64_t *number)
{
    cp_status status = CP_NO;
    for (int tries = 0; tries < 2 && status == CP_NO; tries++) {
        sqlite3_stmt *find;
        status = tries == 0 ? CP_OK : sqlite_change(state, PUT_TEXT, "b", text, size);
        if (status == CP_OK)
            status = sqlite_find(state, &find, FIND_TEXT, "b", text, size);
        if (status == CP_OK) {
            *number = column_number(find, 0);
            (void)sqlite.sqlite3_reset(find);
        }
    }
    return status == CP_NO ? CP_BUG : status;
}

const char *text_of_number(struct state *state, uint64_t number)
{
    sqlite3_stmt *find;
    cp_status status = sqlite_find(state, &find, FIND_TEXT_BY_NUMBER, "n", number);
    if (status != CP_OK)
        return status == CP_NO ? "" : NULL;
    const char *text = column_text(state->arena, find, 0);
    (void)sqlite.sqlite3_reset(find);
    return text;
}

cp_status sqlite_prepare(struct state *state, const char *text, sqlite3_stmt **made)
{
    int code = sqlite.sqlite3_prepare_v2(state->database, text, -1, made, NULL);
    return code == SQLITE_OK ? CP_OK : fail(state, code);
}

/* Returns the address of a file that SQLite takes as it is; NULL when out of memory. */
static const char *fixed_address(struct arena *arena, const char *path)
{
    static const char digits[] = "0123456789abcdef", end[] = "?immutable=1";
    const size_t size = strlen(path);
    char *address = arena_allocate(arena, sizeof "file:" + 3 * size + sizeof end, 1), *to = address;
    if (!address)
        return NULL;
    to = stpcpy(to, "file:");
    for (const char *at = path; *at; at++) {
        bool is_plain = *at != '%' && *at != '?' && *at != '#';
        *to++ = is_plain ? *at : '%';
        if (!is_plain) {
            *to++ = digits[(unsigned char)*at >> 4];
            *to++ = digits[(unsigned char)*at & 15];
        }
    }
    memcpy(to, end, sizeof end);
    return address;
}

cp_status sqlite_open(struct state *state, const char *path, bool is_fixed)
{
    const char *name = is_fixed ? fixed_address(state->arena, path) : path;
    cp_status status = name ? library_load(state->cli->context, &sqlite_library) : CP_LIMIT;
    if (status != CP_OK)
        return status;
    const int flags = is_fixed ? SQLITE_OPEN_READONLY | SQLITE_OPEN_URI : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    int code = sqlite.sqlite3_open_v2(name, &state->database, flags | SQLITE_OPEN_NOMUTEX, NULL);
    return code == SQLITE_OK ? CP_OK : fail(state, code);
}

_Static_assert((int)STATEMENT_COUNT <= (int)STATE_STATEMENTS, "a state has room for each statement");

void sqlite_close(struct state *state)
{
    for (int i = 0; i < STATEMENT_COUNT && state->database; i++)
        (void)sqlite.sqlite3_finalize(state->statements[i]);
    if (state->database)
        (void)sqlite.sqlite3_close_v2(state->database);
    state->database = NULL;
}
