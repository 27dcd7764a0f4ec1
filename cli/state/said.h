/* Messages about inputs, without what belongs to one input: its numbers, paths and quoted words. Messages of one
 * pattern are one reason, whatever the values are, and a pattern is stored once for thousands of inputs. */
#ifndef CELLPIPE_CLI_SAID_H
#define CELLPIPE_CLI_SAID_H

#include "../cli.h"

/* Splits "code: text" into its pattern, in which a mark stands for each value, and the values, each with a NUL behind
 * it. The pattern has a NUL at its end, too. Failure is sticky in the buffers. */
void split_message(const char *message, struct buffer *pattern, struct buffer *values);
/* Appends the message of a pattern and its values, with a NUL behind it. Returns the place behind the values, or NULL
 * if they do not reach. */
const char *join_message(const char *pattern, const char *values, const char *end, struct buffer *message);

/* Appends a number in as few bytes as it needs, and reads it back; NULL at a number that does not end. */
void put_count(struct buffer *out, uint64_t count);
const char *take_count(const char *at, const char *end, uint64_t *count);

#endif
