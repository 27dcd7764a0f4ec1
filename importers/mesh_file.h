/* The readers of STL, OBJ, PLY, OFF, tri and msh share this code: their files say neither the unit nor which axis points up. */
#ifndef CELLPIPE_IMPORTERS_MESH_FILE_H
#define CELLPIPE_IMPORTERS_MESH_FILE_H

#include "plugins/importer.h"

struct mesh_file_settings {
    struct import_settings import;
    double unit; /* metres per unit of the file; 0: not given */
    int up;      /* cp_up */
};
extern const cp_option mesh_file_options[];

/* Notes the unit and the axes in the scene. */
void mesh_file_start(cp_scene *scene, const struct mesh_file_settings *settings);
/* Adds a node; without a name it gets the other one. CP_NONE when out of memory. */
uint32_t mesh_file_add_node(cp_scene *scene, uint32_t parent, const char *name, size_t size, const char *other);
/* Places a mesh at a node: the file's unit and axes, and the mesh's own origin, are in the instance's transform. False
 * when out of memory, or for the mesh CP_NONE. */
bool mesh_file_place(cp_scene *scene, uint32_t node, uint32_t mesh, const double origin[3]);

#endif
