/* Mesh algorithms shared by importers, filters and exporters. */
#ifndef CELLPIPE_MESH_H
#define CELLPIPE_MESH_H

#include "../build.h"

/* Replaces n-gons by triangles, in face order: convex faces as fans from their first corner (where all of its triangles
 * have an area), others by ear clipping: n - 2 triangles for any face; faces of fewer than 3 corners vanish. Groups
 * follow, those without faces vanish. Lines and primitives are left alone. */
cp_status mesh_triangulate(cp_scene *scene, cp_mesh *mesh);
/* Replaces a primitive (box, cylinder, ...) by faces; round ones get mesh->sides, or 32 when 0 (a cylinder of 0 sides
 * is empty). Quads and caps stay n-gons. Other kinds are left alone. */
cp_status mesh_tessellate(cp_scene *scene, cp_mesh *mesh);
/* Vertex normals by crease angle (radians): corners whose faces meet at a smaller angle share a normal weighted by
 * angle; vertices are split where they do not. */
cp_status mesh_smooth_normals(cp_scene *scene, cp_mesh *mesh, double crease_angle);
/* The same, weighted by the faces' areas. */
cp_status mesh_smooth_normals_by_area(cp_scene *scene, cp_mesh *mesh, double crease_angle);
/* True when some face of more than 3 corners is not convex or not flat (to 1e-6 of its size). */
bool mesh_has_concave_faces(const cp_mesh *mesh);
/* Whether the faces bound a solid and show their fronts outside: each edge (by position, -0 is 0) is gone through as
 * often one way as the other, and the volume is positive. */
cp_status mesh_bounds_solid(cp_context *context, const cp_mesh *mesh, bool *solid);
/* The same, whichever sides the faces show outside. */
cp_status mesh_is_closed(cp_context *context, const cp_mesh *mesh, bool *closed);
/* As cp_measure, but of the box and the triangles alone, in a fraction of its time. */
cp_status measure_boxes(cp_context *context, const cp_scene *scene, uint32_t use, cp_measures *measures);
/* boxes[node count]: the box around all meshes of each node, in its own frame behind its joints; with those of the
 * nodes below it, or its own alone. */
cp_status measure_node_boxes(cp_context *context, const cp_scene *scene, bool own, cp_measures *boxes);
/* The diagonal of the box; 0 when there is none. */
double measured_diagonal(const cp_measures *measures);
/* A vertex moved in double. False when it leaves the range of floats; off, if not NULL, becomes by how much rounding to
 * floats moved it. matrix: by mesh_normal_matrix of the pose, the inverse transpose but for its length. */
bool mesh_move_position(const cp_pose *pose, const float from[3], float to[3], double off[3]);
void mesh_normal_matrix(const cp_pose *pose, double matrix[3][3]);
void mesh_move_normal(const double matrix[3][3], const float from[3], float to[3]);

/* materials[face] for each face by its group, CP_NONE without; map[material] in its place unless map is NULL. */
void mesh_face_materials(const cp_mesh *mesh, const uint32_t *map, uint32_t *materials);

/* (double)(float)value. gcc 12 at -O2 and -O3 loses this rounding where neighbours in an array of two or three doubles
 * are narrowed and widened at once: it makes one vector of two of them, and folds the way there and back to nothing.
 * clang, loops of unknown length and fours are right. */
static inline double float_round(double value)
{
    volatile float rounded = (float)value;
    return (double)rounded;
}

/* What messages call the mesh: its name, else its source; NULLs are fine. */
static inline const char *mesh_title(const cp_mesh *mesh)
{
    return mesh->name && *mesh->name ? mesh->name : mesh->source ? mesh->source : "";
}

#endif
