/* JSON out, as it is made: commas and line ends are kept track of here. */
#ifndef CELLPIPE_JSON_H
#define CELLPIPE_JSON_H

#include "cli.h"

/* The row of a command that can answer with one object; `wanted`: the struct with its bool json. */
#define JSON_FLAG(wanted)                                                                                              \
    {                                                                                                                  \
        "--json", NULL, OPTION_SWITCH, offsetof(wanted, json), .help = "print one JSON object, for scripts"            \
    }

struct json {
    FILE *file;
    int depth;  /* open brackets */
    bool comma; /* the next value needs one before it */
};

/* key NULL: an element of an array, or the top. bracket: '{' or '['. */
void print_json_begin(struct json *json, const char *key, char bracket);
void print_json_end(struct json *json, char bracket);
/* NULL is null. Bytes that are not UTF-8 are written as the Latin-1 characters they may be. */
void print_json_text(struct json *json, const char *key, const char *value);
/* What is not finite is null. */
void print_json_number(struct json *json, const char *key, double value);
void print_json_numbers(struct json *json, const char *key, const double *values, size_t count); /* an array */
void print_json_count(struct json *json, const char *key, uint64_t value);
void print_json_count_or_null(struct json *json, const char *key, uint64_t value); /* 0 is null */
void print_json_boolean(struct json *json, const char *key, bool value);

/* One object, made in memory first: an object that breaks off is of no use to anybody. */
struct json_answer {
    struct json json;
    struct text text;
};
/* False when out of memory, which is reported; json_answer_end need not be called then. */
bool json_answer_begin(struct cli *cli, struct json_answer *answer);
/* Prints the object if the status is an answer, CP_OK or CP_NO. Returns the status, or CP_LIMIT. */
cp_status json_answer_end(struct cli *cli, struct json_answer *answer, cp_status status);

#endif
