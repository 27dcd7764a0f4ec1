/* The exporters of this folder, one a file. */
#ifndef CELLPIPE_EXPORTERS_H
#define CELLPIPE_EXPORTERS_H

#include "../scene/plugin.h"

extern const exporter glb_exporter;
extern const exporter gltf_exporter;
extern const exporter vrml97_exporter;
extern const exporter stl_exporter;
extern const exporter collision_setup_exporter;
extern const exporter dump_exporter;

#endif
