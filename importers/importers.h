/* The importers of this folder, one a file. */
#ifndef CELLPIPE_IMPORTERS_H
#define CELLPIPE_IMPORTERS_H

#include "../scene/plugin.h"

extern const importer stl_importer;
extern const importer tag_importer;
extern const importer collision_setup_importer;
extern const importer gltf_importer;
extern const importer assimp_importer;

#endif
