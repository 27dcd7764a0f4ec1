/* Writes meshes, in the form that the published numbers were measured with. */
#ifndef BENCH_WRITE_MESH_H
#define BENCH_WRITE_MESH_H

#include "mesh.h"

void write_binary_stl(const struct mesh *mesh, const char *path);
/* Numbers as printf's %e, a facet on seven lines. */
void write_ascii_stl(const struct mesh *mesh, const char *path);
/* The same words with blanks between them: the whole file is one line. */
void write_one_line_stl(const struct mesh *mesh, const char *path);
/* A solid for each triangle. */
void write_many_solids(const struct mesh *mesh, const char *path);

/* Indexed triangles. */
void write_obj(const struct mesh *mesh, const char *path);
/* The same, as COLLADA. */
void write_dae(const struct mesh *mesh, const char *path);
/* The same, deflated. */
void write_3mf(const struct mesh *mesh, const char *path);

/* Indexed triangles, as most programs write them: floats, a byte for a face's length, 32-bit indices. */
void write_binary_ply(const struct mesh *mesh, const char *path);
void write_ascii_ply(const struct mesh *mesh, const char *path);
void write_off(const struct mesh *mesh, const char *path);

/* Indexed triangles: one mesh, one node. */
void write_glb(const struct mesh *mesh, const char *path);
/* All vertices in order are one polygon, by FB_ngon_encoding. */
void write_polygon_glb(const struct mesh *mesh, const char *path);
/* A mesh and a node for each triangle. */
void write_many_meshes_glb(const struct mesh *mesh, const char *path);

#endif
