/* Mesh algorithms that importers, filters and exporters share. */
#ifndef CELLPIPE_MESH_MESH_H
#define CELLPIPE_MESH_MESH_H

#include <string.h>

#include "base/text/text.h"
#include "model/model.h"

/* Mesh algorithms shared by importers, filters and exporters. */

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
/* Polygons as triangles: sum of (corners - 2) over faces, 0 for lines; primitives by formula. */
uint64_t mesh_triangle_count(const cp_mesh *mesh);
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

/* Primitives as faces, outside of a scene: for measuring. */

/* As mesh_tessellate, with the arrays in any arena of the context. */
cp_status tessellate_in(cp_context *context, struct arena *arena, cp_mesh *mesh);
/* The same for a primitive, with the positions before they are rounded: memory_free(context, *positions,
 * mesh->vertex_count, size of one) is the caller's. The mesh's own are NULL. */
cp_status tessellate_exactly(cp_context *context, struct arena *arena, cp_mesh *mesh, double (**positions)[3]);
/* The triangles that mesh_tessellate's faces make, for primitives. */
uint64_t tessellation_triangles(const cp_mesh *mesh);

/* One face as a polygon: its normal, and its shape seen along the normal's largest component. */

/* The two coordinates that are left are the file's own floats, so the signs of areas are exact for all but
 * extreme sizes. */
struct polygon {
    const float *positions;
    const uint32_t *corners;
    uint32_t count;
    int u, v;         /* the axes that are left; counter-clockwise is positive */
    double normal[3]; /* by Newell's sum: twice the area long; zero for a face without area */
};

struct polygon polygon_of(const cp_mesh *mesh, uint32_t face);

/* The corners alone. */
static inline struct polygon polygon_view(const cp_mesh *mesh, uint32_t face)
{
    return (struct polygon){.positions = mesh->positions,
                            .corners = mesh->corners + mesh_face_first(mesh, face),
                            .count = mesh_face_size(mesh, face)};
}

static inline const float *polygon_position(const struct polygon *polygon, uint32_t corner)
{
    return polygon->positions + 3 * (size_t)polygon->corners[corner];
}

/* Twice the signed area of the triangle a, b, c. */
static inline double triangle_area(const float a[2], const float b[2], const float c[2])
{
    return ((double)b[0] - (double)a[0]) * ((double)c[1] - (double)a[1]) -
           ((double)b[1] - (double)a[1]) * ((double)c[0] - (double)a[0]);
}

static inline void polygon_point(const struct polygon *polygon, uint32_t corner, float point[2])
{
    const float *position = polygon_position(polygon, corner);
    point[0] = position[polygon->u];
    point[1] = position[polygon->v];
}

/* False when Newell's sum is zero: the corners lie on a line, or go round as often one way as the other. */
bool mesh_face_has_area(const cp_mesh *mesh, uint32_t face);
/* By how much the reflex corners lie inside the lines between their neighbours, in sum: 0 for a convex polygon,
 * infinite for one that goes round more than once. Repeated corners are skipped. */
double polygon_reflex_depth(const struct polygon *polygon);
/* True when all triangles from the first corner have a positive area and the polygon is convex. */
bool polygon_is_fan(const struct polygon *polygon);
/* The diagonal of the bounding box, and how far the corners lie from a common plane, half of the distance between
 * the outermost ones (0 for a face without area). */
double polygon_size(const struct polygon *polygon);
double polygon_bulge(const struct polygon *polygon);

/* Meshes far from their origin. Single precision has 24 bits: at 1e7 m, floats are 1 m apart. A reader whose file says
 * more gives such a mesh an origin of its own, and the instance's transform, in double, takes that. */

/* A mesh is far if it is more than so many times its size (the diagonal of its box) away from its origin. Nearer,
 * single precision moves no vertex by more than 1e-4 of the size. */
enum { FAR_SIZES = 1000 };

/* A coordinate as the mesh has it. */
static inline float near_origin(double coordinate, double origin)
{
    return (float)(coordinate - origin);
}

/* A box in that relation to the origin. */
bool box_is_far(const double lower[3], const double upper[3]);

/* True if the vertices are far from the origin; those that are not finite do not count. origin: the first one's place;
 * zeros if they are near. Vertices of ordinary meshes are looked at only until they cannot be far any more. */
bool find_far_origin(const float *positions, uint32_t count, double origin[3]);

/* The places as positions, from the origin that find_far_origin has for them. */
void place_near_origin(const double *places, uint32_t count, float *positions, double origin[3]);

/* The pose of an instance whose mesh got the origin; the same bits if that is zero. */
cp_pose pose_from_origin(const cp_pose *pose, const double origin[3]);

/* Inner angles at the corners of faces, in floats, within 3e-7. */

enum { LANES = 8 }; /* angles that are found at once */

/* Angles of 0 .. pi by their sines and cosines, the two of any common length; 0 where both are 0. */
void find_angles(const double sines[LANES], const double cosines[LANES], float angles[LANES]);
/* The inner angles of a face, 0 .. 2 pi. angles: room for polygon->count. */
void polygon_angles(const struct polygon *polygon, float *angles);

#endif
