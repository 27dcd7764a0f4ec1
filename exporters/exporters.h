/* The exporters of this folder, one a file. */
#ifndef CELLPIPE_EXPORTERS_H
#define CELLPIPE_EXPORTERS_H

#include "../scene/plugin.h"

extern const struct exporter glb_exporter;
extern const struct exporter gltf_exporter;
extern const struct exporter vrml97_exporter;
extern const struct exporter stl_exporter;
extern const struct exporter collision_setup_exporter;
extern const struct exporter dump_exporter;
extern const struct exporter csv_exporter;
extern const struct exporter jsonl_exporter;
extern const struct exporter deneb_recording_exporter;

#endif
