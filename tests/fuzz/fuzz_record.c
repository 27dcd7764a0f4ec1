/* A fuzzer for lines of journals. A line that reads as a record, or as the note of a run, is printed, read and printed
 * again: both texts must be equal. A bug shows as a crash, a leak, a sanitizer's finding or a difference. */
#include "../../cli/state/record.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "fuzz_record: %s\n", what);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    cp_context *context = cp_context_new(NULL);
    cp_field_reader reader = {.context = context, .arena = arena_new(context)};
    struct buffer text = {.context = context}, again = {.context = context};
    struct record record;
    struct run_note note;
    char *line = malloc(size ? size : 1); /* reading beyond its end is seen */
    check(context && reader.arena && line, "no memory");
    memcpy(line, bytes, size);
    cp_status status = record_parse(&reader, line, size, &record);
    check(status == CP_OK || status == CP_INPUT, "status of a record");
    if (status == CP_OK) {
        check(*record.root && *record.out && record.name && record.state < STATE_COUNT, "half a record");
        record_print(&record, &text);
        check(record_parse(&reader, text.data, text.size - 1, &record) == CP_OK, "what was printed is no record");
        record_print(&record, &again);
    } else {
        status = run_note_take(&reader, &note);
        check(status == CP_OK || status == CP_INPUT, "status of a note");
        if (status == CP_OK) {
            run_note_print(&note, &text);
            check(record_parse(&reader, text.data, text.size - 1, &record) == CP_INPUT, "a note is a record");
            check(run_note_take(&reader, &note) == CP_OK, "what was printed is no note");
            run_note_print(&note, &again);
        }
    }
    check(text.size == again.size && (text.size == 0 || memcmp(text.data, again.data, text.size) == 0), "another line");
    free(line);
    buffer_free(&text);
    buffer_free(&again);
    cp_field_reader_free(&reader);
    arena_free(reader.arena);
    cp_context_free(context);
    return 0;
}
