/* Simplifying the meshes of a scene: what the filters simplify and lod share. */
#ifndef CELLPIPE_FILTERS_REDUCE_H
#define CELLPIPE_FILTERS_REDUCE_H

#include "mesh/simplify/simplify.h"
#include "plugins/plugin.h"

enum { MOST_LEVELS = 16 };

/* The outcome of all meshes. */
struct reduction_outcome {
    uint64_t before, after; /* triangles */
    double worst;           /* error in metres of the world */
    const char *worst_mesh;
    enum { MEASURED_ALL, MEASURED_POINTS, MEASURED_ONE_WAY } measured; /* for the mesh that was measured least */
};

/* The settings of a reduction, and the sums over all meshes. */
struct reduction {
    cp_scene *scene;
    double *stretches; /* indexed by mesh of the scene as it was at first */
    uint32_t mesh_count;
    bool fast;
    int topology;
    uint32_t *uses; /* indexed by mesh of the scene: CP_USE_... of all instances */
    uint32_t level; /* 0, or the level of a filter that makes several; each has an outcome */
    struct reduction_outcome outcomes[MOST_LEVELS + 1];
    uint64_t missed, missed_meshes; /* triangles beyond the number asked for */
    uint64_t shells_gone, holes_closed, cut_edges, cut_vertices, flat_faces, mixed_colours, polygons, others;
    double texels, shift;                          /* of textures: how far they may be off, and how far they are at
                                                    * most */
    struct simplify_offer offers[SIMPLIFY_OFFERS]; /* sums over all meshes: the most texels, the sum of triangles */
};

/* Returns false if out of memory. Call reduction_end even on failure. */
bool reduction_begin(struct reduction *reduction, cp_scene *scene, bool fast, int topology, double texels);
void reduction_end(struct reduction *reduction);
/* Simplifies a mesh (the scene's, or a copy of one) that is the scene's mesh `number`. error: in metres, or as a part
 * of the diagonal of the mesh's box; if both are 0, so much that the shape can still be recognised. Normals are those
 * of the original near by. */
cp_status reduce_mesh(struct reduction *reduction, uint32_t number, cp_mesh *mesh, uint64_t triangles,
                      const cp_extent *error);
/* Tells what was met. */
void reduction_report(const struct reduction *reduction);

#endif
