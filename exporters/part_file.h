/* Files of meshes beside an output that names them, such as a robot's or a cell's. */
#ifndef CELLPIPE_EXPORTERS_PART_FILE_H
#define CELLPIPE_EXPORTERS_PART_FILE_H

#include "model/model.h"
#include "plugins/exporter.h"

/* Takes from the mesh, a copy of a row, what STL has no place for: materials, normals, colours and coordinates. */
void part_strip(cp_mesh *mesh);
/* Adds a node with the mesh, a copy of a row of another scene, at the pose, and finishes the scene. */
cp_status part_finish(cp_scene *file, cp_mesh *mesh, const cp_pose *pose);
/* Writes the scene as a file of its own beside the output; options as for write_beside. */
cp_status part_write(struct sink *output, const char *path, const cp_scene *scene, const char *format,
                     const char *const *options, size_t option_count);

#endif
