/* Edges, shells and holes of meshes. */
#ifndef CELLPIPE_MESH_TOPOLOGY_TOPOLOGY_H
#define CELLPIPE_MESH_TOPOLOGY_TOPOLOGY_H

#include "model/model.h"

/* The edges of a mesh whose vertices are joined by position: for topology and normals. */

/* Edge c runs from corner c to the next corner of its face. */
struct mesh_edges {
    cp_context *context;
    const cp_mesh *mesh;
    uint32_t *places;    /* indexed by vertex: the lowest one at the same position (-0 equals +0) */
    uint32_t (*ends)[2]; /* indexed by edge: the places of its ends, the lower first */
    uint32_t *first;     /* indexed by edge: the lowest one with the same ends */
};

/* Finds the edges of a mesh of CP_MESH_FACES. False when out of memory. Call mesh_edges_free even on failure. */
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

/* The shells of a mesh: which faces are connected, which way they are wound, and what they bound. */

/* A shell: faces that are connected over edges of exactly two faces. At an edge of more faces a shell ends, unless it
 * comes back to the edge: two cubes that share an edge are two shells, both closed. */
struct shell {
    uint32_t first_face, face_count;
    uint32_t against_count; /* faces that are wound against the first one */
    bool orientable;        /* else `against` means nothing */
    bool closed;            /* orientable; if it is wound alike, its faces run through each edge as often forth as
                             * back */
    bool solid;             /* closed, and bounds a volume */
    bool unplaced;          /* solid; to find out whether it is a cavity took too long */
    bool inner;             /* solid, and inside an odd number of the other solid shells: a cavity */
    bool turn;              /* the faces to be turned are those wound like the first one, not the others */
    double volume;          /* unit: the mesh's own; with all faces wound like the first one */
    uint32_t highest;       /* a vertex */
};

struct mesh_shells {
    /* The edges of the mesh. `first` is the lowest equal edge of a face that bounds something; for edges that are empty
     * or belong to other faces it is CP_NONE. */
    struct mesh_edges edges;
    uint32_t *ring;       /* indexed by edge: the next one with the same ends, in a ring; CP_NONE as above */
    uint32_t *faces;      /* the face of each corner; NULL for triangles */
    uint32_t *shell_of;   /* one for each face; CP_NONE for a face on fewer than three places, which bounds nothing */
    bool *against;        /* indexed by face: it is wound against the first one of its shell */
    struct shell *shells; /* sorted by their first faces */
    uint32_t count, room;
};

/* Finds the shells of CP_MESH_FACES and decides which faces must be turned, so that each shell is wound alike: solid
 * ones outward (cavities: into the cavity), others like most of their faces, or like the first one when as many are
 * wound either way. Shells that cannot be oriented stay as they are. Places that differ by the sign of a zero are one.
 * n log n time for n corners at most. False when out of memory. Call mesh_shells_free even on failure. */
bool mesh_shells_find(struct mesh_shells *shells, cp_context *context, const cp_mesh *mesh);
void mesh_shells_free(struct mesh_shells *shells);

/* Sets `inner` of solid shells, or `unplaced`; mesh_shells_find calls it. False when out of memory. */
bool shells_place(struct mesh_shells *shells);

static inline uint32_t shells_face(const struct mesh_shells *shells, uint32_t corner)
{
    return shells->faces ? shells->faces[corner] : corner / 3;
}
static inline bool shells_turns(const struct mesh_shells *shells, uint32_t face)
{
    uint32_t shell = shells->shell_of[face];
    return shell != CP_NONE && shells->shells[shell].orientable && shells->against[face] != shells->shells[shell].turn;
}
/* Returns the next corner of its face. */
static inline uint32_t shells_next(const struct mesh_shells *shells, uint32_t corner)
{
    uint32_t face = shells_face(shells, corner), first = mesh_face_first(shells->edges.mesh, face);
    return corner + 1 < first + mesh_face_size(shells->edges.mesh, face) ? corner + 1 : first;
}
/* Returns the other edge if there are exactly two, else CP_NONE. */
static inline uint32_t shells_partner(const struct mesh_shells *shells, uint32_t edge)
{
    uint32_t other = shells->ring[edge];
    return other != edge && other != CP_NONE && shells->ring[other] == edge ? other : CP_NONE;
}

/* Faces that have the same corners. */

/* Finds, for each face that bounds something, the first face that runs through the same places in the same order
 * (same), or in the same or the opposite order (either), wherever the face begins. Other faces get themselves. Both
 * arrays are the caller's, of face_count. Expected linear time. False when out of memory. */
bool mesh_duplicates_find(const struct mesh_edges *edges, uint32_t *same, uint32_t *either);

/* Removes faces and vertices. */

/* Removes the faces (or polylines) with drop[face]; groups without faces vanish. */
cp_status mesh_drop_faces(cp_scene *scene, cp_mesh *mesh, const bool *drop);
/* Removes the vertices that no corner refers to; the others keep their order. */
cp_status mesh_drop_unused_vertices(cp_scene *scene, cp_mesh *mesh, uint32_t *dropped);

/* Faces with three places or more, but no area: their corners lie on one line. */

struct cap_counts {
    uint64_t turned;  /* triangles that got an area */
    uint64_t dropped; /* faces left out */
    uint64_t left;    /* faces that stay as they are */
};

/* Repairs caps. Such a triangle and the one at its longest edge, if that is a triangle with an area, of the same group
 * and wound like it, are cut along the other diagonal: both have an area then, and cover the same. Other faces without
 * area are left out if each of their edges has an odd number of faces, so that no edge gets an odd number. Adds to the
 * counts. Linear time. */
cp_status mesh_resolve_caps(cp_scene *scene, cp_mesh *mesh, struct cap_counts *counts);

/* Holes: rings of border edges. */

struct hole_counts {
    uint64_t filled;       /* holes */
    uint64_t border_edges; /* that are left */
};

/* Fills rings of up to `most` border edges by one face each, wound against most of the faces round it, with the
 * material of one of them. Rings that touch themselves or others stay open. So do rings that would take at least half
 * of the area of the connected faces: they are the outlines of sheets. Adds to the counts. Linear but for the
 * shells. */
cp_status mesh_fill_holes(cp_scene *scene, cp_mesh *mesh, uint32_t most, struct hole_counts *counts);

#endif
