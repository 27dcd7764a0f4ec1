/* The edges of a mesh whose vertices are joined by position: for topology and normals. */
#ifndef CELLPIPE_EDGES_H
#define CELLPIPE_EDGES_H

#include "../../build.h"

/* Edge c runs from corner c to the next corner of its face. */
struct mesh_edges {
    cp_context *context;
    const cp_mesh *mesh;
    uint32_t *places;    /* for each vertex: the lowest one at the same position (-0 equals +0) */
    uint32_t (*ends)[2]; /* for each edge: the places of its ends, the lower first */
    uint32_t *first;     /* for each edge: the lowest one with the same ends */
};

/* For CP_MESH_FACES. False when out of memory. Call mesh_edges_free even on failure. */
bool mesh_edges_find(struct mesh_edges *edges, cp_context *context, const cp_mesh *mesh);
void mesh_edges_free(struct mesh_edges *edges);

static inline uint32_t edge_start(const struct mesh_edges *edges, uint32_t edge)
{
    return edges->places[edges->mesh->corners[edge]];
}
static inline bool edge_is_empty(const struct mesh_edges *edges, uint32_t edge)
{
    return edges->ends[edge][0] == edges->ends[edge][1];
}
/* False for a face on fewer than 3 places: it runs each of its edges forth and back, and bounds nothing. */
bool face_bounds(const struct mesh_edges *edges, uint32_t face);

#endif
