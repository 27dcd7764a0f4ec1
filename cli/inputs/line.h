/* Files of a record, and lines of files. */
#ifndef CELLPIPE_CLI_LINE_H
#define CELLPIPE_CLI_LINE_H

#include "../cli.h"

/* A file that was read for an input, or looked for and not found. */
struct record_input {
    const char *path;
    uint64_t size;
    int64_t modified; /* nanoseconds since 1970 */
    cp_hash hash;     /* zero: not known */
    bool missing;
};

extern const cp_field file_fields[];
/* The row of an array of such files in the table of a struct. */
#define FILE_ROWS(name, type, files, count)                                                                            \
    {                                                                                                                  \
        name, CP_FIELD_ROWS, .offset = offsetof(type, files), .rows = file_fields,                                     \
                             .row_size = sizeof(struct record_input), .count_offset = offsetof(type, count)            \
    }

bool hash_is_zero(cp_hash hash);
bool hash_equals(cp_hash a, cp_hash b);

/* Calls `take` with each line of the file (a descriptor), without its end: '\n' or NUL. whole: false for a last line
 * that has no end. Stops at the first status that is not CP_OK and returns it. CP_INPUT with errno set and *line 0 if
 * the file cannot be read; else *line is the number of the last line, from 1. */
typedef cp_status take_line_of_file(void *user, uint64_t line, const char *text, size_t size, bool whole);
cp_status read_lines(cp_context *context, int file, char end, take_line_of_file *take, void *user, uint64_t *line);

#endif
