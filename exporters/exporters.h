/* The exporters of this folder, one a file. */
#ifndef CELLPIPE_EXPORTERS_EXPORTERS_H
#define CELLPIPE_EXPORTERS_EXPORTERS_H

#include "base/text/json.h"
#include "plugins/exporter.h"

extern const struct exporter glb_exporter;
extern const struct exporter gltf_exporter;
extern const struct exporter vrml97_exporter;
extern const struct exporter stl_exporter;
extern const struct exporter collision_setup_exporter;
extern const struct exporter dump_exporter;
extern const struct exporter csv_exporter;
extern const struct exporter jsonl_exporter;
extern const struct exporter deneb_recording_exporter;

/* Findings about pairs as JSON: what stages and the evidence beside a list of exclusions have in common. */

/* All members but the witness, within the open object. What was not measured or is not known is left out. */
void json_finding(struct json_writer *json, const cp_finding *finding);
/* A member of 16 hexadecimal digits: JSON's numbers are doubles, which do not hold 64 bits. */
void json_key_hash(struct json_writer *json, const char *key, uint64_t hash);

#endif
