/* The exporters of this folder, one a file. */
#ifndef CELLPIPE_EXPORTERS_EXPORTERS_H
#define CELLPIPE_EXPORTERS_EXPORTERS_H

#include "base/text/json.h"
#include "model/tables.h"
#include "plugins/exporter.h"

extern const struct exporter glb_exporter;
extern const struct exporter gltf_exporter;
extern const struct exporter vrml97_exporter;
extern const struct exporter stl_exporter;
extern const struct exporter png_exporter;
extern const struct exporter collision_setup_exporter;
extern const struct exporter srdf_exporter;
extern const struct exporter mujoco_contacts_exporter;
extern const struct exporter drake_filters_exporter;
extern const struct exporter proximity_setup_exporter;
extern const struct exporter dump_exporter;
extern const struct exporter csv_exporter;
extern const struct exporter jsonl_exporter;
extern const struct exporter deneb_recording_exporter;
extern const struct exporter html_exporter;
extern const struct exporter urdf_exporter;
extern const struct exporter rwxml_exporter;

/* Members of rows as JSON, for stages and for the evidence beside a list of exclusions. */

/* json_row_members writes the members of a row that are shown in IN_... into the open object; json_row opens one. */
void json_row_members(struct json_writer *json, const cp_scene *scene, const struct layout *layout, const void *row,
                      unsigned in);
void json_row(struct json_writer *json, const cp_scene *scene, const struct layout *layout, const void *row,
              unsigned in);
/* Writes a member of 16 hexadecimal digits: JSON's numbers are doubles, which do not hold 64 bits. */
void json_key_hash(struct json_writer *json, const char *key, uint64_t hash);

#endif
