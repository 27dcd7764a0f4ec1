/* Simplifying the meshes of a scene: what the filters simplify and lod share. */
#ifndef CELLPIPE_FILTERS_REDUCE_H
#define CELLPIPE_FILTERS_REDUCE_H

#include "mesh/simplify/simplify.h"
#include "plugins/plugin.h"

enum { MOST_LEVELS = 16 };

/* What has become of all meshes. */
struct reduction_outcome {
    uint64_t before, after; /* triangles */
    double worst;           /* error in metres of the world */
    const char *worst_mesh;
    enum { MEASURED_ALL, MEASURED_POINTS, MEASURED_ONE_WAY } measured; /* of the mesh that was measured least */
};

/* What was met in all meshes. */
struct reduction {
    cp_scene *scene;
    double *stretches; /* of the scene's meshes as it was at first */
    uint32_t mesh_count;
    bool fast;
    int topology;
    uint32_t *uses; /* of the scene's meshes: CP_USE_... of all places */
    uint32_t level; /* 0, or that of a filter that makes several; each has an outcome */
    struct reduction_outcome outcomes[MOST_LEVELS + 1];
    uint64_t missed, missed_meshes; /* triangles beyond the number asked for */
    uint64_t shells_gone, holes_closed, cut_edges, cut_vertices, flat_faces, mixed_colours, polygons, others;
    double texels, shift;                          /* of textures: that many may be off, that many are at most */
    struct simplify_offer offers[SIMPLIFY_OFFERS]; /* of all meshes: the most texels, the sum of triangles */
};

/* False when out of memory. Call reduction_end even on failure. */
bool reduction_begin(struct reduction *reduction, cp_scene *scene, bool fast, int topology, double texels);
void reduction_end(struct reduction *reduction);
/* Simplifies a mesh (the scene's, or a copy of one) that is the scene's mesh `number`. error: in metres or as a part of
 * the diagonal of the mesh's box; when both are 0, as much as leaves a shape to recognise. Normals are those of the
 * original near by. */
cp_status reduce_mesh(struct reduction *reduction, uint32_t number, cp_mesh *mesh, uint64_t triangles,
                      const struct extent *error);
/* Tells what was met. */
void reduction_report(const struct reduction *reduction);

#endif
