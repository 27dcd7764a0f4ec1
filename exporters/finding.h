/* Findings about pairs as JSON: what stages and the evidence beside a list of exclusions have in common. */
#ifndef CELLPIPE_EXPORTERS_FINDING_H
#define CELLPIPE_EXPORTERS_FINDING_H

#include "../scene/text/json_write.h"

/* All members but the witness, within the open object. What was not measured or is not known is left out. */
void json_finding(struct json_writer *json, const cp_finding *finding);
/* A member of 16 hexadecimal digits: JSON's numbers are doubles, which do not hold 64 bits. */
void json_key_hash(struct json_writer *json, const char *key, uint64_t hash);

#endif
