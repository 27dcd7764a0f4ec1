/* A struct as a line of JSON and back, by a table of its members. A byte of a text that is not UTF-8 is written as
 * \udcXX, so that paths come back as they were. */
#ifndef CELLPIPE_CLI_LINE_H
#define CELLPIPE_CLI_LINE_H

#include "../cli.h"
#include "base/text/json.h"

enum field_kind {
    FIELD_TEXT,   /* const char *; NULL is "" */
    FIELD_PATH,   /* the same, of which the line is: it may come again in the line */
    FIELD_SAID,   /* the same; an empty one is not written */
    FIELD_HOST,   /* the same, as in the line before, most likely */
    FIELD_FOLDER, /* the same */
    FIELD_TEXTS,  /* struct list */
    FIELD_MORE,   /* the same; an empty one is not written */
    FIELD_HASH,   /* cp_hash; zero is "" */
    FIELD_COUNT,  /* uint64_t */
    FIELD_SMALL,  /* uint32_t */
    FIELD_TIME,   /* int64_t; 0 is not written */
    FIELD_NUMBER, /* double; what is not finite is 0 */
    FIELD_SHAPE,  /* cp_shape, as an array of numbers; of kind 0 is not written */
    FIELD_WORD,   /* an enum, by its words */
    FIELD_TRUE,   /* bool; false is not written */
    FIELD_FILES   /* struct record_input *, and its count as uint32_t */
};

struct field {
    const char *name;
    enum field_kind kind;
    size_t offset;
    size_t count_offset;      /* of FIELD_FILES */
    const char *const *words; /* of FIELD_WORD, ended by NULL */
};

/* A file that was read for an input, or looked for and not found. */
struct record_input {
    const char *path;
    uint64_t size;
    int64_t modified; /* nanoseconds since 1970 */
    cp_hash hash;     /* zero: not known */
    bool missing;
};

/* Reads lines one after the other. Start: {.context = context, .arena = arena}; texts and arrays go to the arena. Who
 * clears the arena sets host and folder to NULL. */
struct record_reader {
    cp_context *context;
    struct arena *arena;
    struct json_document json;
    const char *host, *folder, *path; /* texts that may come again, to be kept once */
};

bool hash_is_zero(cp_hash hash);
bool hash_equals(cp_hash a, cp_hash b);

/* Appends the object. Failure is sticky in the buffer. */
void print_line(struct buffer *out, const struct field *fields, const void *value);

/* Parses one line, whose memory may go afterwards: use what is needed of reader->json before. CP_INPUT if it is no JSON
 * object, CP_LIMIT if out of memory. */
cp_status parse_line(struct record_reader *reader, const char *line, size_t size);
/* Fills the struct from an object of the line, by default the line itself (value 0); members that it does not have stay
 * as they are, and unknown ones are ignored. CP_INPUT if one has another type. */
cp_status take_line(struct record_reader *reader, uint32_t object, const struct field *fields, void *value);
void record_reader_free(struct record_reader *reader);

/* Calls `take` with each line of the file (a descriptor), without its end: '\n' or NUL. whole: false for a last line
 * that has no end. Stops at the first status that is not CP_OK and returns it. CP_INPUT with errno set and *line 0 if
 * the file cannot be read; else *line is the number of the last line, from 1. */
typedef cp_status take_line_of_file(void *user, uint64_t line, const char *text, size_t size, bool whole);
cp_status read_lines(cp_context *context, int file, char end, take_line_of_file *take, void *user, uint64_t *line);

#endif
