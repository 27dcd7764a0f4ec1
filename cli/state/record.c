/* Writes and reads records of inputs, and notes of runs, as lines of JSON. */
#include "record.h"

const char *const state_names[STATE_COUNT + 1] = {"ok",      "skipped", "macros",  "failed",
                                                  "timeout", "memory",  "crashed", NULL};

#define FIELD(member) .offset = offsetof(struct record, member)
static const cp_field record_fields[] = {{"root", CP_FIELD_FOLDER, FIELD(root)},
                                         {"name", CP_FIELD_PATH, FIELD(name)},
                                         {"out", CP_FIELD_TEXT, FIELD(out)},
                                         {"sequence", CP_FIELD_COUNT, FIELD(sequence)},
                                         {"key", CP_FIELD_HASH, FIELD(key)},
                                         {"out_hash", CP_FIELD_HASH, FIELD(out_hash)},
                                         {"state", CP_FIELD_WORD, FIELD(state), .words = state_names},
                                         {"code", CP_FIELD_TEXT, FIELD(code)},
                                         {"message", CP_FIELD_TEXT, FIELD(message)},
                                         {"time", CP_FIELD_COUNT, FIELD(time)},
                                         {"ms", CP_FIELD_NUMBER, FIELD(ms)},
                                         {"cpu_ms", CP_FIELD_NUMBER, FIELD(cpu_ms)},
                                         {"max_rss", CP_FIELD_COUNT, FIELD(max_rss)},
                                         {"bytes_in", CP_FIELD_COUNT, FIELD(bytes_in)},
                                         {"bytes_out", CP_FIELD_COUNT, FIELD(bytes_out)},
                                         {"triangles_in", CP_FIELD_COUNT, FIELD(triangles_in)},
                                         {"triangles_out", CP_FIELD_COUNT, FIELD(triangles_out)},
                                         {"shape", CP_FIELD_SHAPE, FIELD(shape)},
                                         {"losses", CP_FIELD_TEXTS, FIELD(losses)},
                                         {"warnings", CP_FIELD_TEXTS, FIELD(warnings)},
                                         {"checks", CP_FIELD_MORE, FIELD(checks)},
                                         {"host", CP_FIELD_HOST, FIELD(host)},
                                         {"attempt", CP_FIELD_SMALL, FIELD(attempt)},
                                         {"formats", CP_FIELD_TEXTS, FIELD(formats)},
                                         FILE_ROWS("inputs", struct record, inputs, input_count),
                                         FILE_ROWS("outputs", struct record, outputs, output_count),
                                         {0}};
static const cp_field passed_fields[] = {{"what", CP_FIELD_TEXT, .offset = offsetof(struct passed_over, what)},
                                         {"count", CP_FIELD_COUNT, .offset = offsetof(struct passed_over, count)},
                                         {0}};
#undef FIELD
#define FIELD(member) .offset = offsetof(struct input_root, member)
static const cp_field root_fields[] = {{"id", CP_FIELD_TEXT, FIELD(id)},
                                       {"path", CP_FIELD_TEXT, FIELD(path)},
                                       {"given", CP_FIELD_TEXT, FIELD(given)},
                                       {0}};
#undef FIELD
#define FIELD(member) .offset = offsetof(struct run_note, member)
#define ROWS(table, type, member, count)                                                                               \
    FIELD(member), .rows = table, .row_size = sizeof(struct type), .count_offset = offsetof(struct run_note, count)
static const cp_field run_fields[] = {
    {"run", CP_FIELD_TEXT, FIELD(host)},
    {"boot", CP_FIELD_SAID, FIELD(boot)},
    {"namespace", CP_FIELD_SAID, FIELD(namespace)},
    {"process", CP_FIELD_COUNT, FIELD(process)},
    {"time", CP_FIELD_COUNT, FIELD(time)},
    {"shard", CP_FIELD_SAID, FIELD(shard)},
    {"isolation", CP_FIELD_SAID, FIELD(isolation)},
    {"roots", CP_FIELD_ROWS, ROWS(root_fields, input_root, roots, root_count)},
    {"passed_over", CP_FIELD_ROWS, ROWS(passed_fields, passed_over, passed_over, passed_count)},
    {"ended", CP_FIELD_TRUE, FIELD(ended)},
    {"up_to_date", CP_FIELD_COUNT, FIELD(up_to_date)},
    {0}};

bool record_is_failure(const struct record *record)
{
    return record->state >= STATE_FAILED;
}

void record_print(const struct record *record, struct buffer *out)
{
    cp_fields_print(out, record_fields, record);
}

cp_status record_take(cp_field_reader *reader, struct record *record)
{
    *record =
        (struct record){.root = "", .name = "", .out = "", .code = "", .message = "", .host = "", .state = STATE_COUNT};
    cp_status status = cp_fields_take(reader, record_fields, record);
    return status != CP_OK ? status : *record->root && *record->out && record->state != STATE_COUNT ? CP_OK : CP_INPUT;
}

cp_status record_parse(cp_field_reader *reader, const char *line, size_t size, struct record *record)
{
    cp_status status = cp_fields_parse(reader, line, size);
    return status == CP_OK ? record_take(reader, record) : status;
}

void run_note_print(const struct run_note *note, struct buffer *out)
{
    cp_fields_print(out, run_fields, note);
}

cp_status run_note_take(cp_field_reader *reader, struct run_note *note)
{
    *note = (struct run_note){.boot = "", .namespace = "", .shard = "", .isolation = ""};
    cp_status status = cp_fields_take(reader, run_fields, note);
    return status != CP_OK ? status : note->host ? CP_OK : CP_INPUT;
}
