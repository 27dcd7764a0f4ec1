/* Fewer triangles for the same shape. */
#ifndef CELLPIPE_SIMPLIFY_H
#define CELLPIPE_SIMPLIFY_H

#include "../build.h"

/* When to stop: at the first of the two that is met. */
struct simplify_goal {
    uint64_t triangles; /* as few as these; 0: as few as the error allows */
    double error;       /* no farther from the original than this, in the mesh's own unit; INFINITY: however far */
    bool fast;          /* a draft, in less time */
};

struct simplify_result {
    uint64_t before, triangles; /* after triangulation; now */
    /* The largest distance of a vertex of the original from the new surface, measured, in the mesh's own unit: never less
     * than the true one at the vertices. At most goal.error. */
    double error;
};

/* Replaces the faces of a mesh by fewer triangles; polygons are triangulated first. Lines and primitives are left alone,
 * and so is a mesh that has no more triangles than wanted: result says so by before == triangles.
 * What holds: positions are compared by value (-0 equals +0), so that a mesh need not be welded. What was closed stays closed, with two
 * faces at every edge and one fan of faces at every vertex; borders and the seams between groups stay lines of the
 * surface, within the error. No face is turned over. Triangles stay in groups, in their order; groups that lose all
 * their triangles vanish. Edges of three faces and more, and vertices where several fans touch, are cut first.
 * Normals are dropped, colours go with the vertices. The same result for any number of threads. */
cp_status mesh_simplify(cp_scene *scene, cp_mesh *mesh, const struct simplify_goal *goal,
                        struct simplify_result *result);

#endif
