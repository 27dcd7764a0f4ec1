/* Answers in JSON. */
#ifndef CELLPIPE_JSON_H
#define CELLPIPE_JSON_H

#include "cli.h"

/* The row of a command that can answer with one object; `wanted`: the struct with its bool json. */
#define JSON_FLAG(wanted)                                                                                              \
    {                                                                                                                  \
        "--json", "print one JSON object, for scripts", OPTION_BOOLEAN, .offset = offsetof(wanted, json)               \
    }

/* A writer of answers: members of the top and what they list get lines of their own; anything deeper stays on its
 * line. */
cp_json json_in_file(FILE *file);

/* One object, made in memory first: an object that breaks off is of no use to anybody. */
struct json_answer {
    cp_json json;
    struct text text;
};
/* False when out of memory, which is reported; json_answer_end need not be called then. */
bool json_answer_begin(struct cli *cli, struct json_answer *answer);
/* Prints the object if the status is an answer, CP_OK or CP_NO. Returns the status, or CP_LIMIT. */
cp_status json_answer_end(struct cli *cli, struct json_answer *answer, cp_status status);

#endif
