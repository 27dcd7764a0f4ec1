/* How a mesh's faces hang together. Vertices of equal positions are one (-0 is 0). */
#ifndef BENCH_TOPOLOGY_H
#define BENCH_TOPOLOGY_H

#include "mesh.h"

struct topology {
    size_t vertices, edges, faces; /* faces of three different corners, and what they use */
    size_t degenerate;             /* faces of fewer, or without area */
    size_t border_edges;           /* one face */
    size_t non_manifold_edges;     /* more than two faces */
    size_t non_manifold_vertices;  /* more than one fan of faces */
    size_t misoriented_edges;      /* two faces that run through it the same way */
    size_t components;
};

/* Joins vertices; done by read_stl. */
void mesh_join_vertices(struct mesh *mesh);
/* Of a mesh whose vertices are joined. */
struct topology mesh_topology(const struct mesh *mesh);

/* Reads a binary STL, vertices joined. */
struct mesh read_stl(const char *path);

#endif
