/* Records of inputs, and notes of runs, as lines of JSON. */
#include "record.h"

const char *const state_names[STATE_COUNT + 1] = {"ok", "skipped", "failed", "timeout", "memory", "crashed", NULL};

#define FIELD(member) offsetof(struct record, member)
static const struct field record_fields[] = {{"in", FIELD_PATH, FIELD(in), 0, NULL},
                                             {"out", FIELD_TEXT, FIELD(out), 0, NULL},
                                             {"cwd", FIELD_FOLDER, FIELD(cwd), 0, NULL},
                                             {"also", FIELD_MORE, FIELD(also), 0, NULL},
                                             {"key", FIELD_HASH, FIELD(key), 0, NULL},
                                             {"out_hash", FIELD_HASH, FIELD(out_hash), 0, NULL},
                                             {"state", FIELD_WORD, FIELD(state), 0, state_names},
                                             {"code", FIELD_TEXT, FIELD(code), 0, NULL},
                                             {"message", FIELD_TEXT, FIELD(message), 0, NULL},
                                             {"time", FIELD_COUNT, FIELD(time), 0, NULL},
                                             {"ms", FIELD_NUMBER, FIELD(ms), 0, NULL},
                                             {"cpu_ms", FIELD_NUMBER, FIELD(cpu_ms), 0, NULL},
                                             {"max_rss", FIELD_COUNT, FIELD(max_rss), 0, NULL},
                                             {"bytes_in", FIELD_COUNT, FIELD(bytes_in), 0, NULL},
                                             {"bytes_out", FIELD_COUNT, FIELD(bytes_out), 0, NULL},
                                             {"triangles_in", FIELD_COUNT, FIELD(triangles_in), 0, NULL},
                                             {"triangles_out", FIELD_COUNT, FIELD(triangles_out), 0, NULL},
                                             {"shape", FIELD_SHAPE, FIELD(shape), 0, NULL},
                                             {"losses", FIELD_TEXTS, FIELD(losses), 0, NULL},
                                             {"warnings", FIELD_TEXTS, FIELD(warnings), 0, NULL},
                                             {"host", FIELD_HOST, FIELD(host), 0, NULL},
                                             {"attempt", FIELD_SMALL, FIELD(attempt), 0, NULL},
                                             {"formats", FIELD_TEXTS, FIELD(formats), 0, NULL},
                                             {"inputs", FIELD_FILES, FIELD(inputs), FIELD(input_count), NULL},
                                             {"outputs", FIELD_FILES, FIELD(outputs), FIELD(output_count), NULL},
                                             {0}};
static const struct field run_fields[] = {{"run", FIELD_TEXT, offsetof(struct run_note, host), 0, NULL},
                                          {"isolation", FIELD_TEXT, offsetof(struct run_note, isolation), 0, NULL},
                                          {0}};
static const struct field passed_fields[] = {{"what", FIELD_TEXT, offsetof(struct passed_over, what), 0, NULL},
                                             {"count", FIELD_COUNT, offsetof(struct passed_over, count), 0, NULL},
                                             {0}};

void record_print(const struct record *record, struct buffer *out)
{
    print_line(out, record_fields, record);
    buffer_append(out, "\n", 1);
}

cp_status record_parse(struct record_reader *reader, const char *line, size_t size, struct record *record)
{
    cp_status status = parse_line(reader, line, size);
    *record =
        (struct record){.in = "", .out = "", .cwd = "", .code = "", .message = "", .host = "", .state = STATE_COUNT};
    if (status == CP_OK)
        status = take_line(reader, 0, record_fields, record);
    return status != CP_OK ? status : *record->in && record->state != STATE_COUNT ? CP_OK : CP_INPUT;
}

void run_note_print(const struct run_note *note, struct buffer *out)
{
    print_line(out, run_fields, note);
    if (!out->failed)
        out->size--; /* goes on before the bracket */
    buffer_text(out, ",\"passed_over\":[");
    for (uint32_t i = 0; i < note->passed_count; i++) {
        buffer_append(out, ",", i > 0);
        print_line(out, passed_fields, &note->passed_over[i]);
    }
    buffer_text(out, "]}\n");
}

cp_status run_note_take(struct record_reader *reader, struct run_note *note)
{
    const struct json_document *json = &reader->json;
    *note = (struct run_note){.isolation = ""};
    uint32_t array = json->count ? json_member(json, 0, "passed_over") : JSON_NONE;
    uint32_t count = array == JSON_NONE ? 0 : json_count(json, array);
    struct passed_over *items = arena_allocate(reader->arena, count, sizeof *items);
    cp_status status = !items ? CP_LIMIT : json->count ? take_line(reader, 0, run_fields, note) : CP_INPUT;
    for (uint32_t i = 0, at = json_first(json, array); i < count && status == CP_OK; at = json_next(json, array, at)) {
        items[i] = (struct passed_over){.what = ""};
        status = json_is(json, at, JSON_OBJECT) ? take_line(reader, at, passed_fields, &items[i++]) : CP_INPUT;
    }
    note->passed_over = items;
    note->passed_count = count;
    return status != CP_OK ? status : note->host ? CP_OK : CP_INPUT;
}
