/* JSON out, as a stream: commas and escapes are kept right, numbers are exact. Failure is sticky in the buffer. The
 * program's own answers, which are laid out in another way, escape by the same cp_print_json_character. */
#ifndef CELLPIPE_JSON_WRITE_H
#define CELLPIPE_JSON_WRITE_H

#include "../plugin.h"

struct json_writer {
    struct buffer *out; /* the end of the text */
    struct sink *sink;  /* where the text before it went; NULL: nowhere, it was only measured */
    uint64_t passed;    /* its size */
    bool comma;         /* the next key or value needs one before it */
    bool dense;         /* without lines */

    /* Our extras may be left out: they are written here, and what is here is dropped. NULL: they are not. */
    struct buffer *aside;
    struct json_place {
        struct buffer *out;
        struct sink *sink;
        uint64_t passed;
        bool comma;
    } kept; /* private: where the text goes on behind them */
};

/* Of the text so far. */
uint64_t json_size(const struct json_writer *json);

/* '{' or '[', and its end. */
void json_open(struct json_writer *json, char bracket);
void json_close(struct json_writer *json, char bracket);
/* The next value of an array begins a line, for people who look at the file. The text so far is passed on once it is
 * long. */
void json_line(struct json_writer *json);
/* The keys are ours: nothing in them needs an escape. */
void json_key(struct json_writer *json, const char *key);
/* A member that is an object or an array. */
void json_key_open(struct json_writer *json, const char *key, char bracket);

void json_text(struct json_writer *json, const char *value);
/* One string made of two. */
void json_text_of_two(struct json_writer *json, const char *first, const char *second);
/* Not finite: null. */
void json_number(struct json_writer *json, double value);
void json_float(struct json_writer *json, float value);
void json_whole(struct json_writer *json, uint64_t value);
void json_word(struct json_writer *json, const char *word); /* true, false, null */
void json_numbers(struct json_writer *json, const double *values, size_t count);

void json_key_text(struct json_writer *json, const char *key, const char *value);
void json_key_number(struct json_writer *json, const char *key, double value);
void json_key_integer(struct json_writer *json, const char *key, uint64_t value);
void json_key_true(struct json_writer *json, const char *key);
void json_key_numbers(struct json_writer *json, const char *key, const double *values, size_t count);

/* The members of an object that is given as text, which must be one and have some. */
void json_members(struct json_writer *json, const char *object);

/* "extras": {"cellpipe": { ... }}, with the members of another object before, which is given as text (NULL: none).
 * Where our extras are left out, there are the other members alone. */
void json_extras_open_with(struct json_writer *json, const char *members);
void json_extras_open(struct json_writer *json);
void json_extras_close(struct json_writer *json);

#endif
