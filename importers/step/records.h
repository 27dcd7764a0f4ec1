/* The records of a file of STEP (ISO 10303-21), and their parameters. All texts end where the record or the file does,
 * and not with a 0. */
#ifndef CELLPIPE_IMPORTERS_STEP_RECORDS_H
#define CELLPIPE_IMPORTERS_STEP_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

/* A record of the data section: #id = text; */
struct step_record {
    uint64_t id;
    const char *text, *end;
};

/* Finds the next record behind *at, which it moves. */
bool step_next_record(const char **at, const char *end, struct step_record *record);
/* Finds the parameters of a type in a record, simple or complex: behind its opening parenthesis; NULL. */
const char *step_find_type(const struct step_record *record, const char *type);
/* Finds a parameter by its number, from 0, behind the opening parenthesis; NULL. */
const char *step_find_parameter(const struct step_record *record, const char *at, uint32_t number);
const char *step_skip_blanks(const char *at, const char *end);
/* Returns the end of a string, comment or single character. */
const char *step_skip_piece(const char *at, const char *end);
/* Reads the digits of an id; returns their end. */
const char *step_read_id(const char *at, const char *end, uint64_t *id);

#endif
