/* The shells of a mesh: which faces hang together, which way they are wound, and what they bound. */
#ifndef CELLPIPE_SHELLS_H
#define CELLPIPE_SHELLS_H

#include "edges.h"

/* Faces that hang together over edges of exactly two faces. At an edge of more faces a shell ends, unless it comes back
 * to the edge: two cubes that share an edge are two shells, both closed. */
struct shell {
    uint32_t first_face, face_count;
    uint32_t against_count; /* faces that are wound against the first one */
    bool orientable;        /* else `against` means nothing */
    bool closed;            /* orientable; wound alike, its faces run through each edge as often forth as back */
    bool solid;             /* closed, and bounds a volume */
    bool unplaced;          /* solid, but it could not be told whether it is a cavity */
    bool inner;             /* solid, and inside an odd number of the other solid shells: a cavity */
    bool turn;              /* the faces that are to be turned are those wound like the first one, not the others */
    double volume;          /* with all faces wound like the first one; in the mesh's own unit */
    uint32_t highest;       /* a vertex */
};

struct mesh_shells {
    /* Its `first` is the lowest equal edge of a face that bounds something; of edges that are empty or belong to other
     * faces it is CP_NONE. */
    struct mesh_edges edges;
    uint32_t *ring;       /* for each edge: the next one with the same ends, and round; CP_NONE as above */
    uint32_t *faces;      /* the face of each corner; NULL for triangles */
    uint32_t *shell_of;   /* for each face: CP_NONE on fewer than three places, where a face bounds nothing */
    bool *against;        /* for each face: wound against the first one of its shell */
    struct shell *shells; /* in the order of their first faces */
    uint32_t count, room;
};

/* Finds the shells of CP_MESH_FACES and decides which faces are to be turned, so that each shell is wound alike, solid
 * ones outward (cavities: into the cavity), others like most of their faces, or like the first one when as many are
 * wound either way; shells that cannot be oriented stay as they are. Places that differ by the sign of a zero are one.
 * n log n time for n corners at most. False when out of memory. Call mesh_shells_free even on failure. */
bool mesh_shells_find(struct mesh_shells *shells, cp_context *context, const cp_mesh *mesh);
void mesh_shells_free(struct mesh_shells *shells);

/* Sets `inner` of solid shells, or `unplaced`: for mesh_shells_find. False when out of memory. */
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
/* The next corner of its face. */
static inline uint32_t shells_next(const struct mesh_shells *shells, uint32_t corner)
{
    uint32_t face = shells_face(shells, corner), first = mesh_face_first(shells->edges.mesh, face);
    return corner + 1 < first + mesh_face_size(shells->edges.mesh, face) ? corner + 1 : first;
}
/* The other edge where there are exactly two, else CP_NONE. */
static inline uint32_t shells_partner(const struct mesh_shells *shells, uint32_t edge)
{
    uint32_t other = shells->ring[edge];
    return other != edge && other != CP_NONE && shells->ring[other] == edge ? other : CP_NONE;
}

#endif
