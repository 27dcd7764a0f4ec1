/* The importers of this folder, one a file. */
#ifndef CELLPIPE_IMPORTERS_IMPORTERS_H
#define CELLPIPE_IMPORTERS_IMPORTERS_H

#include "plugins/importer.h"

extern const struct importer stl_importer;
extern const struct importer obj_importer;
extern const struct importer tag_importer;
extern const struct importer deneb_part_importer;
extern const struct importer deneb_device_importer;
extern const struct importer deneb_workcell_importer;
extern const struct importer deneb_recording_importer;
extern const struct importer urdf_importer;
extern const struct importer rwxml_importer;
extern const struct importer vrml97_importer;
extern const struct importer srdf_importer;
extern const struct importer collision_setup_importer;
extern const struct importer gltf_importer;
extern const struct importer ply_importer;
extern const struct importer off_importer;
extern const struct importer tri_importer;
extern const struct importer msh_importer;
extern const struct importer dxf_importer;
extern const struct importer threemf_importer;
extern const struct importer amf_importer;
extern const struct importer step_importer;
extern const struct importer ac3d_importer;
extern const struct importer collada_importer;
extern const struct importer assimp_importer;

#endif
