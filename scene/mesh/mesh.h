/* Mesh algorithms shared by importers, filters and exporters. */
#ifndef CELLPIPE_MESH_H
#define CELLPIPE_MESH_H

#include "../build.h"
#include "../bytes/source.h"

#include <string.h>

/* The arrays of numbers that a mesh has, or may have, for its vertices, as data: code that treats all alike walks this
 * list. */
enum {
    ARRAY_POSITIONS,
    ARRAY_NORMALS,
    ARRAY_TANGENTS,
    ARRAY_COLOURS,
    ARRAY_COORDINATES,
    ARRAY_COUNT = ARRAY_COORDINATES + CP_COORDINATE_SETS
};
struct vertex_array {
    size_t at;         /* offset in cp_mesh */
    size_t width;      /* floats a vertex */
    const char *wrong; /* message if one is not finite */
};
extern const struct vertex_array vertex_arrays[ARRAY_COUNT];
/* The array with that number; NULL if the mesh has none. */
static inline const float *mesh_array(const cp_mesh *mesh, size_t number)
{
    const float *values;
    memcpy(&values, (const char *)mesh + vertex_arrays[number].at, sizeof values);
    return values;
}
static inline void mesh_set_array(cp_mesh *mesh, size_t number, const float *values)
{
    memcpy((char *)mesh + vertex_arrays[number].at, &values, sizeof values);
}
/* Gives `to` arrays like those of `from`: new ones of count vertices in the scene's memory, for the caller to fill.
 * False when out of memory. */
bool mesh_make_arrays(cp_scene *scene, cp_mesh *to, const cp_mesh *from, size_t count);
/* Copies all that a vertex has. `to` has the arrays of `from`, made by mesh_make_arrays. */
void mesh_copy_vertex(cp_mesh *to, size_t vertex, const cp_mesh *from, size_t source);
/* Gives `mesh` other arrays: of count vertices, each a copy of the one in sources. It then has that many. False when
 * out of memory. */
bool mesh_take_vertices(cp_scene *scene, cp_mesh *mesh, const uint32_t *sources, uint32_t count);

/* Replaces n-gons by triangles, in face order: convex faces as fans from their first corner (where all of its triangles
 * have an area), others by ear clipping: n - 2 triangles for any face; faces of fewer than 3 corners vanish. Groups
 * follow, those without faces vanish. Lines and primitives are left alone. */
cp_status mesh_triangulate(cp_scene *scene, cp_mesh *mesh);
/* Replaces a primitive (box, cylinder, ...) by faces; round ones get mesh->sides, or 32 when 0 (a cylinder of 0 sides
 * is empty). Quads and caps stay n-gons. Other kinds are left alone. */
cp_status mesh_tessellate(cp_scene *scene, cp_mesh *mesh);
/* The same; cylinders, spheres, cones and tubes get the exact normals of their surfaces, and vertices for each. */
cp_status mesh_tessellate_round(cp_scene *scene, cp_mesh *mesh);
/* The crease angle if none is given, in degrees: cylinders of 10 sides are round, chamfers of 45 degrees have edges. */
#define CREASE_TEXT "38"
#define CREASE_RADIANS (38 * PI / 180)
/* Vertex normals by crease angle (radians): corners whose faces meet at a smaller angle share a normal weighted by
 * angle; vertices are split where they do not. */
cp_status mesh_smooth_normals(cp_scene *scene, cp_mesh *mesh, double crease_angle);
/* The same, but a mesh without any edge that is bent and soft stays without normals: it is flat all over. */
cp_status mesh_smooth_curved(cp_scene *scene, cp_mesh *mesh, double crease_angle);
/* As mesh_smooth_normals, weighted by the faces' areas. */
cp_status mesh_smooth_normals_by_area(cp_scene *scene, cp_mesh *mesh, double crease_angle);
/* normals[3 * vertex count], as a file has them: makes each a unit long. *mended: how many have no direction, or are
 * not finite; they become the mean of the faces at their vertex by area, or Z where none has an area. */
cp_status mesh_mend_normals(cp_context *context, const cp_mesh *mesh, float *normals, uint64_t *mended);
/* True when some face of more than 3 corners is not convex or not flat (to 1e-6 of its size). */
bool mesh_has_concave_faces(const cp_mesh *mesh);
/* Whether the faces bound a solid and show their fronts outside: each edge (by position, -0 is 0) is gone through as
 * often one way as the other, and the volume is positive. */
cp_status mesh_bounds_solid(cp_context *context, const cp_mesh *mesh, bool *solid);
/* The same, whichever sides the faces show outside. */
cp_status mesh_is_closed(cp_context *context, const cp_mesh *mesh, bool *closed);
/* As cp_measure, but of the box and the triangles alone, in a fraction of its time. */
cp_status measure_boxes(cp_context *context, const cp_scene *scene, uint32_t use, cp_measures *measures);
/* Of a top file in a format that names no unit, read in metres if `unit`, which the user gives, is 0: warns
 * (unit-guess) if its meshes, in their own coordinates, are more than 5 m or less than 1 mm across. */
void report_size_without_unit(const struct source *source, const cp_scene *scene, double unit);
/* boxes[node count]: the box around all meshes of each node, in its own frame behind its joints; with those of the
 * nodes below it, or its own alone. */
cp_status measure_node_boxes(cp_context *context, const cp_scene *scene, bool own, cp_measures *boxes);
/* The diagonal of the box; 0 when there is none. */
double measured_diagonal(const cp_measures *measures);
/* A vertex moved in double. False when it leaves the range of floats; off, if not NULL, becomes by how much rounding to
 * floats moved it. matrix: by mesh_normal_matrix of the pose, the inverse transpose but for its length; the same for
 * the functions below. */
bool mesh_move_position(const cp_pose *pose, const float from[3], float to[3], double off[3]);
void mesh_normal_matrix(const cp_pose *pose, double matrix[3][3]);
void mesh_move_normal(const double matrix[3][3], const float from[3], float to[3]);
/* The tangent beside the moved normal: its direction goes with the pose itself, and its sign turns where the pose
 * mirrors. One that the pose flattens becomes square to the normal. */
void mesh_move_tangent(const cp_pose *pose, const float normal[3], const float from[4], float to[4]);
/* Moves the normal and the tangent that a vertex of `from` has, if any, to one of `to`, which has the same arrays. */
void mesh_move_directions(const cp_pose *pose, const double matrix[3][3], const cp_mesh *from, size_t source,
                          cp_mesh *to, size_t vertex);
/* True if a's vertex p, moved, has normal and tangent of b's vertex q, to 1e-3 of unit vectors (0.06 degrees). Both
 * meshes have the same arrays. */
bool mesh_directions_agree(const cp_pose *pose, const double matrix[3][3], const cp_mesh *a, size_t p, const cp_mesh *b,
                           size_t q);
/* The part of the direction that is square to the normal, made a unit long; any such vector where there is no such
 * part. */
void mesh_square_tangent(const float normal[3], const double direction[3], float tangent[3]);
/* True if a material of the mesh looks at tangents, as normal maps do; extensions of glTF may. */
bool mesh_shows_tangents(const cp_scene *scene, const cp_mesh *mesh);

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
