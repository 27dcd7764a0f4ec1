/* Turns records into rows of the database, and rows into records. */
#include "said.h"
#include "sqlite.h"

/* ---- what a record says ---- */

/* Severities in `said`. */
enum { OF_ERROR = 'E', OF_LOSS = 'L', OF_WARNING = 'W', OF_CHECK = 'C' };

struct saying {
    struct state *state;
    struct buffer said, pattern, values;
    cp_status status;
};

/* Appends one message; returns the number of its pattern. */
static uint64_t put_message(struct saying *saying, char severity, const char *message)
{
    uint64_t number = 0;
    saying->pattern.size = saying->values.size = 0;
    split_message(message, &saying->pattern, &saying->values);
    if (saying->pattern.failed || saying->values.failed)
        saying->status = CP_LIMIT;
    if (saying->status == CP_OK)
        saying->status = number_of_text(saying->state, saying->pattern.data, saying->pattern.size - 1, &number);
    buffer_append(&saying->said, &severity, 1);
    put_count(&saying->said, number);
    buffer_append(&saying->said, saying->values.data, saying->values.size);
    return number;
}

static void put_messages(struct saying *saying, char severity, const struct list *messages)
{
    for (size_t i = 0; i < messages->count; i++)
        (void)put_message(saying, severity, messages->items[i]);
}

/* Fills saying->said; *reason: the number of the error's pattern, or 0. */
static void put_said(struct saying *saying, const struct record *record, uint64_t *reason)
{
    *reason = 0;
    if (*record->code || *record->message) {
        char *error = arena_print(saying->state->arena, "%s: %s", record->code, record->message);
        if (error)
            *reason = put_message(saying, OF_ERROR, error);
        else
            saying->status = CP_LIMIT;
    }
    put_messages(saying, OF_LOSS, &record->losses);
    put_messages(saying, OF_WARNING, &record->warnings);
    put_messages(saying, OF_CHECK, &record->checks);
    if (saying->said.failed)
        saying->status = CP_LIMIT;
}

static bool add_to_list(struct arena *arena, struct list *list, const char *text)
{
    if (list->count == list->room) {
        size_t room = list->room ? 2 * list->room : 4;
        const char **items = arena_allocate(arena, room, sizeof *items);
        if (!items)
            return false;
        if (list->count > 0)
            memcpy(items, list->items, list->count * sizeof *items);
        list->items = items;
        list->room = room;
    }
    list->items[list->count++] = text;
    return true;
}

/* Gives the record its error: "code: message". */
static void set_error(struct record *record, char *error)
{
    char *colon = strstr(error, ": ");
    record->code = error;
    if (colon) {
        *colon = '\0';
        record->message = colon + 2;
    }
}

static cp_status take_said(struct state *state, const char *at, size_t size, struct record *record)
{
    struct buffer message = {.context = state->cli->context};
    const char *end = size > 0 ? at + size : at;
    cp_status status = CP_OK;
    while (at && at < end && status == CP_OK) {
        char severity = *at++;
        uint64_t number;
        at = take_count(at, end, &number);
        const char *pattern = at ? text_of_number(state, number) : NULL;
        message.size = 0;
        at = pattern ? join_message(pattern, at, end, &message) : NULL;
        char *text = at && !message.failed ? arena_copy_text(state->arena, message.data, message.size - 1) : NULL;
        struct list *list = severity == OF_LOSS      ? &record->losses
                            : severity == OF_WARNING ? &record->warnings
                            : severity == OF_CHECK   ? &record->checks
                                                     : NULL;
        if (!text || (list && !add_to_list(state->arena, list, text)))
            status = CP_LIMIT;
        else if (!list)
            set_error(record, text);
    }
    buffer_free(&message);
    return status;
}

/* ---- files ---- */

/* The column `files` holds this. */
struct further_files {
    struct record_input *inputs, *outputs;
    uint32_t input_count, output_count;
};
static const cp_field further_fields[] = {FILE_ROWS("inputs", struct further_files, inputs, input_count),
                                          FILE_ROWS("outputs", struct further_files, outputs, output_count),
                                          {0}};

/* Tells whether the first input is the record's own file, and was there. */
static bool has_own_input(const struct record *record)
{
    return record->input_count > 0 && !record->inputs[0].missing && strcmp(record->inputs[0].path, record->name) == 0;
}

static bool has_own_output(const struct record *record)
{
    return record->output_count > 0 && strcmp(record->outputs[0].path, record->out) == 0;
}

static void bind_files(sqlite3_stmt *made, const struct record *record, struct buffer *json)
{
    uint32_t in = has_own_input(record), out = has_own_output(record);
    struct further_files further = {in ? record->inputs + in : record->inputs,
                                    out ? record->outputs + out : record->outputs, record->input_count - in,
                                    record->output_count - out};
    const struct record_input none = {0}, *input = in ? record->inputs : &none, *output = out ? record->outputs : &none;
    if (in) {
        bind_hash(made, COLUMN_HASH + 1, input->hash);
        bind_number(made, COLUMN_SIZE + 1, input->size);
        bind_number(made, COLUMN_MODIFIED + 1, (uint64_t)input->modified);
    }
    if (out) {
        bind_number(made, COLUMN_OUT_SIZE + 1, output->size);
        bind_number(made, COLUMN_OUT_MODIFIED + 1, (uint64_t)output->modified);
    }
    bind_number(made, COLUMN_FURTHER_IN + 1, record->bytes_in - input->size);
    bind_number(made, COLUMN_FURTHER_OUT + 1, record->bytes_out - output->size);
    bind_hash(made, COLUMN_OUT_HASH + 1, out ? output->hash : record->out_hash);
    if (further.input_count + further.output_count > 0) {
        cp_fields_print(json, further_fields, &further);
        bind_bytes(made, COLUMN_FILES + 1, json->data, json->size);
    }
}

/* Puts one file before those of `further`. */
static struct record_input *join_files(struct arena *arena, const struct record_input *own,
                                       const struct record_input *further, uint32_t count)
{
    struct record_input *files = arena_allocate(arena, (size_t)count + 1, sizeof *files);
    if (files && own)
        *files = *own;
    if (files && count > 0)
        memcpy(files + (own != NULL), further, count * sizeof *files);
    return files;
}

static cp_status take_files(struct state *state, sqlite3_stmt *made, struct record *record)
{
    struct further_files further = {0};
    bool in = !column_is_null(made, COLUMN_SIZE), out = !column_is_null(made, COLUMN_OUT_SIZE);
    const struct record_input input = {.path = record->name,
                                       .size = column_number(made, COLUMN_SIZE),
                                       .modified = (int64_t)column_number(made, COLUMN_MODIFIED),
                                       .hash = column_hash(made, COLUMN_HASH)},
                              output = {.path = record->out,
                                        .size = column_number(made, COLUMN_OUT_SIZE),
                                        .modified = (int64_t)column_number(made, COLUMN_OUT_MODIFIED),
                                        .hash = column_hash(made, COLUMN_OUT_HASH)};
    if (!column_is_null(made, COLUMN_FILES)) {
        cp_field_reader reader = {.context = state->cli->context, .arena = state->arena};
        cp_status status = cp_fields_parse(&reader, sqlite.sqlite3_column_blob(made, COLUMN_FILES),
                                           (size_t)sqlite.sqlite3_column_bytes(made, COLUMN_FILES));
        if (status == CP_OK)
            status = cp_fields_take(&reader, further_fields, &further);
        cp_field_reader_free(&reader);
        if (status != CP_OK)
            return status;
    }
    record->inputs = join_files(state->arena, in ? &input : NULL, further.inputs, further.input_count);
    record->outputs = join_files(state->arena, out ? &output : NULL, further.outputs, further.output_count);
    record->input_count = further.input_count + in;
    record->output_count = further.output_count + out;
    record->bytes_in = column_number(made, COLUMN_FURTHER_IN) + (in ? input.size : 0);
    record->bytes_out = column_number(made, COLUMN_FURTHER_OUT) + (out ? output.size : 0);
    record->out_hash = column_hash(made, COLUMN_OUT_HASH);
    return record->inputs && record->outputs ? CP_OK : CP_LIMIT;
}

/* ---- whole rows ---- */

static void bind_name(sqlite3_stmt *made, const struct record *record)
{
    size_t size = strlen(record->name);
    if (strncmp(record->out, record->name, size) == 0)
        bind_number(made, COLUMN_NAME + 1, size);
    else
        bind_bytes(made, COLUMN_NAME + 1, record->name, size);
}

static cp_status put_formats(struct state *state, const struct record *record, struct buffer *text, uint64_t *number)
{
    text->size = 0;
    for (size_t i = 0; i < record->formats.count; i++) {
        buffer_append(text, " ", i > 0);
        buffer_text(text, record->formats.items[i]);
    }
    return text->failed ? CP_LIMIT : number_of_text(state, text->data, text->size, number);
}

static uint64_t microseconds(double ms)
{
    return ms > 0 && ms < 1e15 ? (uint64_t)(1e3 * ms + 0.5) : 0;
}

cp_status row_put(struct state *state, sqlite3_stmt *put, const struct record *record, uint64_t was)
{
    cp_context *context = state->cli->context;
    struct saying saying = {.state = state,
                            .said.context = context,
                            .pattern.context = context,
                            .values.context = context,
                            .status = CP_OK};
    struct buffer json = {.context = context};
    double shape[1 + CP_SHAPE_VALUES] = {record->shape.tolerance};
    uint64_t reason, root = 0, formats = 0, host = 0;
    memcpy(shape + 1, record->shape.values, sizeof record->shape.values);
    put_said(&saying, record, &reason);
    cp_status status = saying.status;
    if (status == CP_OK)
        status = number_of_root(state, record->root, &root);
    if (status == CP_OK)
        status = put_formats(state, record, &saying.pattern, &formats);
    if (status == CP_OK)
        status = number_of_text(state, record->host, strlen(record->host), &host);
    if (status == CP_OK) {
        const struct {
            enum column column;
            uint64_t value;
        } numbers[] = {{COLUMN_ROOT, root},
                       {COLUMN_SEQUENCE, record->sequence},
                       {COLUMN_STATE, record->state},
                       {COLUMN_ATTEMPT, record->attempt},
                       {COLUMN_TIME, record->time},
                       {COLUMN_MICROSECONDS, microseconds(record->ms)},
                       {COLUMN_CPU_MICROSECONDS, microseconds(record->cpu_ms)},
                       {COLUMN_MAX_RSS, record->max_rss},
                       {COLUMN_TRIANGLES_IN, record->triangles_in},
                       {COLUMN_TRIANGLES_OUT, record->triangles_out},
                       {COLUMN_FORMATS, formats},
                       {COLUMN_HOST, host},
                       {COLUMN_REASON, reason},
                       {COLUMN_NIGHT, state->night},
                       {COLUMN_WAS, was}};
        (void)sqlite.sqlite3_clear_bindings(put);
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
            bind_number(put, (int)numbers[i].column + 1, numbers[i].value);
        bind_text(put, COLUMN_OUT + 1, record->out);
        bind_name(put, record);
        bind_hash(put, COLUMN_KEY + 1, record->key);
        bind_files(put, record, &json);
        if (record->shape.kind != 0) {
            bind_number(put, COLUMN_KIND + 1, record->shape.kind);
            bind_bytes(put, COLUMN_SHAPE + 1, shape, sizeof shape);
        }
        if (saying.said.size > 0)
            bind_bytes(put, COLUMN_SAID + 1, saying.said.data, saying.said.size);
        status = json.failed ? CP_LIMIT : sqlite_run(state, put);
    }
    buffer_free(&json);
    buffer_free(&saying.said);
    buffer_free(&saying.pattern);
    buffer_free(&saying.values);
    return status;
}

/* ---- records out ---- */

static cp_status take_name(struct state *state, sqlite3_stmt *made, struct record *record)
{
    if (sqlite.sqlite3_column_type(made, COLUMN_NAME) == SQLITE_INTEGER) {
        size_t size = strlen(record->out);
        uint64_t first = column_number(made, COLUMN_NAME);
        record->name = arena_copy_text(state->arena, record->out, first < size ? (size_t)first : size);
    } else {
        record->name = column_text(state->arena, made, COLUMN_NAME);
    }
    return record->name ? CP_OK : CP_LIMIT;
}

/* Gives the record the importers' names, which stand in one text. */
static cp_status take_formats(struct state *state, uint64_t number, struct record *record)
{
    const char *text = text_of_number(state, number);
    size_t size;
    for (const char *at = text; at && *at; at += size + (at[size] == ' ')) {
        size = strcspn(at, " ");
        const char *name = arena_copy_text(state->arena, at, size);
        if (!name || !add_to_list(state->arena, &record->formats, name))
            return CP_LIMIT;
    }
    return text ? CP_OK : CP_LIMIT;
}

void column_shape(sqlite3_stmt *made, int kind, cp_shape *shape)
{
    double numbers[1 + CP_SHAPE_VALUES];
    const void *bytes = column_is_null(made, kind) ? NULL : sqlite.sqlite3_column_blob(made, kind + 1);
    if (!bytes || sqlite.sqlite3_column_bytes(made, kind + 1) != (int)sizeof numbers)
        return;
    memcpy(numbers, bytes, sizeof numbers);
    shape->kind = column_number(made, kind);
    shape->tolerance = numbers[0];
    memcpy(shape->values, numbers + 1, sizeof shape->values);
}

cp_status row_take_place(struct state *state, sqlite3_stmt *made, struct record *record, struct input_root *root)
{
    *record = (struct record){.out = column_text(state->arena, made, COLUMN_OUT)};
    cp_status status = record->out ? take_name(state, made, record) : CP_LIMIT;
    return status == CP_OK ? root_of_number(state, column_number(made, COLUMN_ROOT), root) : status;
}

cp_status row_take(struct state *state, sqlite3_stmt *made, struct record *record, struct input_root *root)
{
    *record = (struct record){.code = "",
                              .message = "",
                              .out = column_text(state->arena, made, COLUMN_OUT),
                              .sequence = column_number(made, COLUMN_SEQUENCE),
                              .state = (enum record_state)(column_number(made, COLUMN_STATE) % STATE_COUNT),
                              .attempt = (uint32_t)column_number(made, COLUMN_ATTEMPT),
                              .key = column_hash(made, COLUMN_KEY),
                              .night = column_number(made, COLUMN_NIGHT),
                              .time = column_number(made, COLUMN_TIME),
                              .ms = 1e-3 * (double)column_number(made, COLUMN_MICROSECONDS),
                              .cpu_ms = 1e-3 * (double)column_number(made, COLUMN_CPU_MICROSECONDS),
                              .max_rss = column_number(made, COLUMN_MAX_RSS),
                              .triangles_in = column_number(made, COLUMN_TRIANGLES_IN),
                              .triangles_out = column_number(made, COLUMN_TRIANGLES_OUT)};
    cp_status status = record->out ? take_name(state, made, record) : CP_LIMIT;
    if (status == CP_OK)
        status = root_of_number(state, column_number(made, COLUMN_ROOT), root);
    if (status == CP_OK)
        status = take_files(state, made, record);
    if (status == CP_OK)
        status = take_formats(state, column_number(made, COLUMN_FORMATS), record);
    if (status == CP_OK)
        status = take_said(state, sqlite.sqlite3_column_blob(made, COLUMN_SAID),
                           (size_t)sqlite.sqlite3_column_bytes(made, COLUMN_SAID), record);
    record->host = status == CP_OK ? text_of_number(state, column_number(made, COLUMN_HOST)) : "";
    record->root = root->id;
    column_shape(made, COLUMN_KIND, &record->shape);
    return status == CP_OK && !record->host ? CP_LIMIT : status;
}
