/* Keeps what is known of each output in a database of SQLite. */
#include "state.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sqlite.h"

enum { VERSION = 1 };

/* The tables beside that of outputs. `temporary` is "TEMP " for those of an overlay, which hide the ones on the disk.
 */
#define SMALL_TABLES(temporary)                                                                                        \
    "CREATE " temporary                                                                                                \
    "TABLE IF NOT EXISTS roots(number INTEGER PRIMARY KEY, id BLOB UNIQUE, path BLOB, given BLOB);"                    \
    "CREATE " temporary "TABLE IF NOT EXISTS texts(number INTEGER PRIMARY KEY, text BLOB UNIQUE);"                     \
    "CREATE " temporary "TABLE IF NOT EXISTS journals(name BLOB PRIMARY KEY, size INTEGER) WITHOUT ROWID;"             \
    "CREATE " temporary "TABLE IF NOT EXISTS nights(number INTEGER PRIMARY KEY);"                                      \
    "CREATE " temporary "TABLE IF NOT EXISTS told(kind BLOB, text BLOB, number INTEGER, night INTEGER, "               \
    "PRIMARY KEY(kind, text)) WITHOUT ROWID;"                                                                          \
    "CREATE " temporary "TABLE IF NOT EXISTS further(path BLOB, out BLOB, PRIMARY KEY(path, out)) WITHOUT ROWID;"

static const char schema[] =
    "BEGIN IMMEDIATE;" SMALL_TABLES("") "CREATE TABLE IF NOT EXISTS outputs(" COLUMNS
                                        ", PRIMARY KEY(out)) WITHOUT ROWID;"
                                        "CREATE INDEX IF NOT EXISTS failures ON outputs(state) WHERE state >= 3;"
                                        "PRAGMA user_version = 1; COMMIT;";

/* Whoever changes nothing on the disk sees the outputs of the disk with what has changed since laid over them, in
 * constant memory but for the changes. The other tables are small. */
static const char overlay[] = "BEGIN;" /* all that is read is of one moment */
    SMALL_TABLES("TEMP ") "INSERT INTO temp.roots SELECT * FROM main.roots;"
                          "INSERT INTO temp.texts SELECT * FROM main.texts;"
                          "INSERT INTO temp.journals SELECT * FROM main.journals;"
                          "INSERT INTO temp.told SELECT * FROM main.told;"
                          "INSERT INTO temp.nights SELECT * FROM main.nights;"
                          "INSERT INTO temp.further SELECT * FROM main.further;"
                          "CREATE TEMP TABLE changed(" COLUMNS ", PRIMARY KEY(out)) WITHOUT ROWID;"
                          "CREATE TEMP VIEW outputs AS SELECT " COLUMNS
                          " FROM main.outputs WHERE out NOT IN (SELECT out FROM temp.changed) UNION ALL SELECT " COLUMNS
                          " FROM temp.changed;";

/* ---- roots ---- */

cp_status state_put_root(struct state *state, const struct input_root *root)
{
    return sqlite_change(state, PUT_ROOT, "ttt", root->id, root->path, root->given);
}

/* Takes the root of a statement that was asked for its row, with that status; number may be NULL. */
static cp_status take_root(cp_status found, sqlite3_stmt *find, struct arena *arena, struct input_root *root,
                           uint64_t *number)
{
    if (found != CP_OK)
        return found;
    *root = (struct input_root){
        .id = column_text(arena, find, 0), .path = column_text(arena, find, 1), .given = column_text(arena, find, 2)};
    if (number)
        *number = column_number(find, 3);
    (void)sqlite.sqlite3_reset(find);
    return root->id && root->path && root->given ? CP_OK : CP_LIMIT;
}

cp_status state_find_root(struct state *state, struct arena *arena, const char *id, struct input_root *root)
{
    sqlite3_stmt *find;
    cp_status status = sqlite_find(state, &find, FIND_ROOT, "t", id);
    return take_root(status, find, arena, root, NULL);
}

cp_status state_find_root_at(struct state *state, struct arena *arena, const char *path, struct input_root *root)
{
    sqlite3_stmt *find;
    cp_status status = sqlite_find(state, &find, FIND_ROOT_AT, "t", path);
    return take_root(status, find, arena, root, NULL);
}

cp_status state_name_root(struct state *state, const char *id, const char *path)
{
    return sqlite_change(state, RENAME_ROOT, "tt", id, path);
}

cp_status number_of_root(struct state *state, const char *id, uint64_t *number)
{
    struct input_root root;
    sqlite3_stmt *find;
    cp_status status = sqlite_find(state, &find, FIND_ROOT, "t", id);
    if (status == CP_NO) { /* the journal's begin was lost */
        status = state_put_root(state, &(struct input_root){.id = id, .path = "", .given = ""});
        if (status == CP_OK)
            status = sqlite_find(state, &find, FIND_ROOT, "t", id);
    }
    return take_root(status, find, state->arena, &root, number);
}

cp_status root_of_number(struct state *state, uint64_t number, struct input_root *root)
{
    sqlite3_stmt *find;
    cp_status status = sqlite_find(state, &find, FIND_ROOT_BY_NUMBER, "n", number);
    if (status != CP_NO)
        return take_root(status, find, state->arena, root, NULL);
    *root = (struct input_root){.id = "", .path = "", .given = ""};
    return CP_OK;
}

/* ---- records in ---- */

/* The facts on an output that decide which record holds. */
struct known {
    bool is_there;
    uint64_t sequence, reason, night, was;
    enum record_state state;
    cp_hash key, out_hash;
};

static cp_status find_known(struct state *state, const char *out, struct known *known)
{
    sqlite3_stmt *find;
    cp_status status = sqlite_find(state, &find, FIND_BRIEFLY, "t", out);
    *known = (struct known){0};
    if (status != CP_OK)
        return status == CP_NO ? CP_OK : status;
    *known = (struct known){.is_there = true,
                            .sequence = column_number(find, 0),
                            .state = (enum record_state)column_number(find, 1),
                            .reason = column_number(find, 2),
                            .night = column_number(find, 3),
                            .was = column_number(find, 4),
                            .key = column_hash(find, 5),
                            .out_hash = column_hash(find, 6)};
    (void)sqlite.sqlite3_reset(find);
    return CP_OK;
}

static int compare_hashes(cp_hash a, cp_hash b)
{
    return a.high != b.high ? (a.high < b.high ? -1 : 1) : a.low != b.low ? (a.low < b.low ? -1 : 1) : 0;
}

/* Tells whether the record holds, and not what is known: see the head of state.h. */
static bool does_hold(const struct record *record, const struct known *known)
{
    if (!known->is_there || record->sequence != known->sequence)
        return !known->is_there || record->sequence > known->sequence;
    bool failed = record_is_failure(record), had_failed = known->state >= STATE_FAILED;
    if (failed != had_failed)
        return had_failed;
    int order = compare_hashes(record->key, known->key);
    return (order ? order : compare_hashes(record->out_hash, known->out_hash)) > 0;
}

/* The state and the reason before this night, in one number; 0: there was no record. */
static uint64_t put_was(const struct known *known, uint64_t night)
{
    if (!known->is_there || known->night == night)
        return known->was;
    return 1 + (uint64_t)known->state + STATE_COUNT * known->reason;
}

/* Puts in or removes the files of an output beside the first one, of which another output may be, too. */
static cp_status change_further(struct state *state, const struct record *record, int which)
{
    cp_status status = CP_OK;
    for (uint32_t i = 0; record->output_count > 1 && i < record->output_count && status == CP_OK; i++)
        if (strcmp(record->outputs[i].path, record->out) != 0)
            status = sqlite_change(state, which, "tt", record->outputs[i].path, record->out);
    return status;
}

cp_status state_remove(struct state *state, const char *out)
{
    struct record record;
    cp_status status = state_find(state, out, &record);
    if (status != CP_OK)
        return status == CP_NO ? CP_OK : status;
    status = change_further(state, &record, REMOVE_FURTHER);
    return status == CP_OK ? sqlite_change(state, REMOVE, "t", out) : status;
}

cp_status state_put(struct state *state, const struct record *record)
{
    struct known known;
    struct record past;
    sqlite3_stmt *put = sqlite_statement(state, state->use == STATE_READ ? PUT_OVER : PUT);
    cp_status status = put ? find_known(state, record->out, &known) : CP_OUTPUT;
    if (status != CP_OK || !does_hold(record, &known))
        return status;
    if (known.is_there) {
        status = state_find(state, record->out, &past);
        if (status == CP_OK)
            status = change_further(state, &past, REMOVE_FURTHER);
    }
    arena_clear(state->arena);
    if (status == CP_OK)
        status = row_put(state, put, record, put_was(&known, state->night));
    return status == CP_OK ? change_further(state, record, PUT_FURTHER) : status;
}

cp_status state_find(struct state *state, const char *out, struct record *record)
{
    struct input_root root = {0};
    sqlite3_stmt *find;
    arena_clear(state->arena);
    cp_status status = sqlite_find(state, &find, FIND, "t", out);
    if (status != CP_OK)
        return status;
    status = row_take(state, find, record, &root);
    (void)sqlite.sqlite3_reset(find);
    return status;
}

/* ---- journals, and what runs have told ---- */

cp_status state_find_journal(struct state *state, const char *name, uint64_t *offset)
{
    sqlite3_stmt *find;
    cp_status status = sqlite_find(state, &find, FIND_JOURNAL, "t", name);
    *offset = status == CP_OK ? column_number(find, 0) : 0;
    if (status == CP_OK)
        (void)sqlite.sqlite3_reset(find);
    return status == CP_NO ? CP_OK : status;
}

cp_status state_put_journal(struct state *state, const char *name, uint64_t offset)
{
    return sqlite_change(state, PUT_JOURNAL, "tn", name, offset);
}

cp_status state_remove_journal(struct state *state, const char *name)
{
    return sqlite_change(state, REMOVE_JOURNAL, "t", name);
}

cp_status state_put_told(struct state *state, const char *kind, const char *text, uint64_t number)
{
    return sqlite_change(state, PUT_TOLD, "ttnn", kind, text, number, state->night);
}

cp_status state_each_told(struct state *state, state_visit_told *visit, void *user)
{
    sqlite3_stmt *made = NULL;
    cp_status status = sqlite_prepare(state,
                                      "SELECT kind, text, number FROM told WHERE night = (SELECT max(night) FROM told) "
                                      "OR kind = CAST('" TOLD_ISOLATION "' AS BLOB) ORDER BY kind, text",
                                      &made);
    while (status == CP_OK && (status = sqlite_next(state, made)) == CP_OK) {
        arena_clear(state->arena);
        const char *kind = column_text(state->arena, made, 0), *text = column_text(state->arena, made, 1);
        status = kind && text ? visit(user, kind, text, column_number(made, 2)) : CP_LIMIT;
    }
    (void)sqlite.sqlite3_finalize(made);
    return status == CP_NO ? CP_OK : status;
}

/* ---- queries ---- */

/* The outputs among which some may be alike. */
#define SOME " FROM outputs WHERE out_size > 0"
#define SOME_OF_NIGHT SOME " AND night = (SELECT max(number) FROM nights)"

static const char *const queries[] = {
    [STATE_ALL] = "SELECT " COLUMNS " FROM outputs ORDER BY out",
    [STATE_PLACES] = "SELECT " COLUMNS " FROM outputs ORDER BY out",
    [STATE_OF_NIGHT] = "SELECT " COLUMNS " FROM outputs WHERE night = (SELECT max(number) FROM nights) ORDER BY out",
    [STATE_FAILURES] = "SELECT " COLUMNS " FROM outputs WHERE state >= 3 ORDER BY state, reason, out",
    [STATE_ALIKE] = "SELECT " COLUMNS SOME " ORDER BY out",
    [STATE_ALIKE_OF_NIGHT] = "SELECT " COLUMNS SOME_OF_NIGHT " ORDER BY out",
    [STATE_MEETING] =
        "SELECT " COLUMNS " FROM outputs WHERE out IN (SELECT out FROM further WHERE path IN (SELECT path "
        "FROM further GROUP BY path HAVING count(*) > 1) UNION SELECT f.out FROM further f JOIN outputs o "
        "ON o.out = f.path WHERE o.out_size > 0 UNION SELECT f.path FROM further f JOIN outputs o ON "
        "o.out = f.path WHERE o.out_size > 0) ORDER BY out"};
_Static_assert(STATE_FAILED == 3, "the queries and the index know the first failure by its number");

/* Fills a row from where a statement is. */
static cp_status take_row(struct state *state, sqlite3_stmt *made, struct state_row *row)
{
    cp_status status = row_take(state, made, &row->record, &row->root);
    uint64_t was = column_number(made, COLUMN_WAS), reason = column_number(made, COLUMN_REASON);
    row->in = status == CP_OK ? join_path(state->arena, row->root.given, row->record.name) : "";
    row->was = was == 0 ? STATE_COUNT : (enum record_state)((was - 1) % STATE_COUNT);
    row->is_of_night = row->record.night == state->night;
    row->same_reason = was > 0 && (was - 1) / STATE_COUNT == reason;
    return status == CP_OK && !row->in ? CP_LIMIT : status;
}

static cp_status take_place(struct state *state, sqlite3_stmt *made, struct state_row *row)
{
    row->has_files = !column_is_null(made, COLUMN_OUT_SIZE);
    return row_take_place(state, made, &row->record, &row->root);
}

/* Finds out which rows of a query may be like others. Without `out` in its result, SQLite would sort all rows in
 * memory. */
static cp_status find_alike(struct state *state, enum state_query query, struct alike *alike)
{
    static const char *const texts[2][3] = {
        {"SELECT out_hash, out" SOME " ORDER BY out", "SELECT hash, out" SOME " ORDER BY out",
         "SELECT kind, shape, out" SOME " ORDER BY out"},
        {"SELECT out_hash, out" SOME_OF_NIGHT " ORDER BY out", "SELECT hash, out" SOME_OF_NIGHT " ORDER BY out",
         "SELECT kind, shape, out" SOME_OF_NIGHT " ORDER BY out"}};
    cp_status status = CP_OK;
    for (int i = 0; i < 3 && status == CP_OK; i++)
        status = alike_add(state, texts[query == STATE_ALIKE_OF_NIGHT][i], i == 2, alike);
    return status;
}

cp_status state_each(struct state *state, enum state_query query, state_visit *visit, void *user)
{
    sqlite3_stmt *made = NULL;
    struct alike alike = {0};
    bool some = query == STATE_ALIKE || query == STATE_ALIKE_OF_NIGHT;
    cp_status status = some ? find_alike(state, query, &alike) : CP_OK;
    if (status == CP_OK)
        status = sqlite_prepare(state, queries[query], &made);
    for (uint32_t i = 0; status == CP_OK; i++) {
        struct state_row row = {.in = ""};
        arena_clear(state->arena);
        status = sqlite_next(state, made);
        if (status == CP_OK && some && !alike_has(&alike, i))
            continue;
        if (status == CP_OK)
            status = query == STATE_PLACES ? take_place(state, made, &row) : take_row(state, made, &row);
        if (status == CP_OK)
            status = visit(user, &row);
    }
    (void)sqlite.sqlite3_finalize(made);
    alike_free(state, &alike);
    return status == CP_NO ? CP_OK : status;
}

cp_status state_each_of_input(struct state *state, const char *root, const char *name, const char *begin,
                              state_visit *visit, void *user)
{
    sqlite3_stmt *find = sqlite_statement(state, FIND_OF_INPUT);
    if (!find)
        return CP_OUTPUT;
    bind_text(find, 1, begin);
    cp_status status = CP_OK;
    while (status == CP_OK) {
        struct state_row row = {.in = ""};
        arena_clear(state->arena);
        status = sqlite_next(state, find);
        if (status == CP_OK)
            status = take_row(state, find, &row);
        if (status == CP_OK && strcmp(row.record.root, root) == 0 && strcmp(row.record.name, name) == 0)
            status = visit(user, &row);
    }
    (void)sqlite.sqlite3_reset(find);
    return status == CP_NO ? CP_OK : status;
}

/* ---- the database ---- */

static cp_status read_number(struct state *state, const char *text, uint64_t *number)
{
    sqlite3_stmt *made = NULL;
    cp_status status = sqlite_prepare(state, text, &made);
    if (status == CP_OK)
        status = sqlite_next(state, made);
    if (status == CP_OK)
        *number = column_number(made, 0);
    (void)sqlite.sqlite3_finalize(made);
    return status;
}

cp_status state_count(struct state *state, uint64_t *outputs)
{
    return read_number(state, "SELECT count(*) FROM outputs", outputs);
}

cp_status state_is_empty(struct state *state, bool *empty)
{
    uint64_t known = 0;
    cp_status status = read_number(state, "SELECT EXISTS(SELECT 1 FROM outputs)", &known);
    *empty = known == 0;
    return status;
}

/* Makes the tables, or those of an overlay. CP_NO: an overlay has nothing to lie on. */
static cp_status prepare(struct state *state)
{
    uint64_t version = 0;
    (void)sqlite.sqlite3_busy_timeout(state->database, 10000); /* a report may read meanwhile */
    cp_status status = sqlite_execute(state, "PRAGMA cache_size = -4000; PRAGMA temp_store = MEMORY;");
    if (status == CP_OK && state->use == STATE_WRITE)
        status = sqlite_execute(state, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
    if (status == CP_OK)
        status = read_number(state, "PRAGMA user_version", &version);
    if (status == CP_OK && version > VERSION)
        return complain(state->cli, CP_INPUT, "the state of earlier runs was written by a later version of cellpipe");
    if (status == CP_OK && version < VERSION && (state->use == STATE_READ || state->use == STATE_AS_IT_IS))
        return CP_NO;
    if (status == CP_OK && state->use == STATE_READ)
        status = sqlite_execute(state, overlay);
    else if (status == CP_OK && version < VERSION)
        status = sqlite_execute(state, schema);
    return status == CP_OK ? read_number(state, "SELECT ifnull(max(number), 0) FROM nights", &state->night) : status;
}

/* Tells whether the database must be read as it lies there: SQLite could make no file beside it, or hosts that share it
 * would each have their own view of those. */
static bool is_fixed(const char *folder, enum state_use use)
{
    return use == STATE_AS_IT_IS || (use == STATE_READ && access(folder, W_OK) != 0);
}

cp_status state_open(struct cli *cli, const char *folder, enum state_use use, struct state *state)
{
    struct stat facts;
    *state = (struct state){.cli = cli, .use = use, .arena = arena_new(cli->context)};
    const char *path = cli_print(cli, "%s/state.db", folder), *log = cli_print(cli, "%s-wal", path ? path : "");
    if (!state->arena || !path || !log)
        return CP_LIMIT;
    if (use != STATE_WRITE && stat(path, &facts) != 0)
        state->use = STATE_EMPTY;
    bool fixed = state->use != STATE_EMPTY && is_fixed(folder, use);
    if (fixed && stat(log, &facts) == 0 && facts.st_size > 0)
        return complain(cli, CP_OUTPUT, "%s: another run writes it, or was killed; see: cellpipe help merge", path);
    cp_status status = sqlite_open(state, state->use == STATE_EMPTY ? ":memory:" : path, fixed);
    if (status == CP_OK)
        status = prepare(state);
    state->path = path;
    if (status == CP_OK && use == STATE_WRITE && stat(path, &facts) == 0) {
        state->device = facts.st_dev;
        state->file = facts.st_ino;
    }
    if (status != CP_NO)
        return status;
    state_close(state); /* a run was killed before it made the tables */
    return state_open(cli, "", STATE_EMPTY, state);
}

cp_status state_check_place(const struct state *state)
{
    struct stat facts;
    if (stat(state->path, &facts) == 0 && facts.st_dev == state->device && facts.st_ino == state->file)
        return CP_OK;
    return complain(state->cli, CP_OUTPUT, "%s was removed meanwhile: run it again", state->path);
}

void state_close(struct state *state)
{
    sqlite_close(state);
    arena_free(state->arena);
    *state = (struct state){0};
}

cp_status state_begin(struct state *state)
{
    const char *text = state->use == STATE_WRITE ? "BEGIN IMMEDIATE" : "BEGIN";
    return state->use == STATE_READ ? CP_OK : sqlite_execute(state, text);
}

cp_status state_commit(struct state *state)
{
    return state->use == STATE_READ ? CP_OK : sqlite_execute(state, "COMMIT");
}

cp_status state_begin_night(struct state *state)
{
    state->night++;
    return sqlite_execute(state, "INSERT INTO nights DEFAULT VALUES");
}
