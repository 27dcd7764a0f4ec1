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
/* Does the same; cylinders, spheres, cones and tubes get the exact normals of their surfaces, and vertices for each. */
cp_status mesh_tessellate_round(cp_scene *scene, cp_mesh *mesh);
/* The crease angle if none is given, in degrees: cylinders of 10 sides are round, chamfers of 45 degrees have edges. */
#define CREASE_TEXT "38"
#define CREASE_RADIANS (38 * PI / 180)
/* Makes vertex normals by crease angle (radians): corners whose faces meet at a smaller angle share a normal weighted
 * by angle; vertices are split where they do not. */
cp_status mesh_smooth_normals(cp_scene *scene, cp_mesh *mesh, double crease_angle);
/* Does the same, but a mesh without any edge that is bent and soft gets no normals: it is flat all over. */
cp_status mesh_smooth_curved(cp_scene *scene, cp_mesh *mesh, double crease_angle);
/* Does the same for a crease angle that a file says: normals are made also where an edge is sharp by it, but soft by
 * the angle that is taken if none is given. */
cp_status mesh_smooth_as_said(cp_scene *scene, cp_mesh *mesh, double crease_angle);
/* Does the same as mesh_smooth_normals, weighted by the faces' areas. */
cp_status mesh_smooth_normals_by_area(cp_scene *scene, cp_mesh *mesh, double crease_angle);
/* Scales normals[3 * vertex count], as a file has them, to unit length. *mended: how many have no direction, or are not
 * finite; they become the mean of the faces at their vertex by area, or Z where none has an area. */
cp_status mesh_mend_normals(cp_context *context, const cp_mesh *mesh, float *normals, uint64_t *mended);
/* Returns the number of triangles: the sum of (corners - 2) over all faces, 0 for lines, and by formula for
 * primitives. */
uint64_t mesh_triangle_count(const cp_mesh *mesh);
/* Returns true if some face of more than 3 corners is not convex or not flat (to 1e-6 of its size). */
bool mesh_has_concave_faces(const cp_mesh *mesh);
/* Tells whether the faces bound a solid and show their fronts outside: each edge (by position, -0 is 0) is passed as
 * often one way as the other, and the volume is positive. */
cp_status mesh_bounds_solid(cp_context *context, const cp_mesh *mesh, bool *solid);
/* Tells the same, but the faces may show either side outside. */
cp_status mesh_is_closed(cp_context *context, const cp_mesh *mesh, bool *closed);
/* Measures the box and the triangles alone, in a fraction of the time of cp_measure. */
cp_status measure_boxes(cp_context *context, const cp_scene *scene, uint32_t use, cp_measures *measures);
/* Warns (unit-guess) if a top file was read in metres because its format names no unit and the user gave none (`unit`
 * is 0), but its meshes, in their own coordinates, are more than 5 m or less than 1 mm across. */
void report_size_without_unit(const struct source *source, const cp_scene *scene, double unit);
/* Measures boxes[node count]: the box around all meshes of each node, in its own frame behind its joints; with those of
 * the nodes below it, or its own alone. */
cp_status measure_node_boxes(cp_context *context, const cp_scene *scene, bool own, cp_measures *boxes);
/* Returns the diagonal of the box; 0 when there is none. */
double measured_diagonal(const cp_measures *measures);
/* Moves a vertex in double. False when it leaves the range of floats; off, if not NULL, becomes the distance by which
 * rounding to floats moved it. matrix: by mesh_normal_matrix of the pose, the inverse transpose but for its length; the
 * same for the functions below. */
bool mesh_move_position(const cp_pose *pose, const float from[3], float to[3], double off[3]);
void mesh_normal_matrix(const cp_pose *pose, double matrix[3][3]);
void mesh_move_normal(const double matrix[3][3], const float from[3], float to[3]);
/* Moves the tangent beside the moved normal: its direction moves with the pose itself, and its sign changes if the pose
 * mirrors. One that the pose flattens becomes square to the normal. */
void mesh_move_tangent(const cp_pose *pose, const float normal[3], const float from[4], float to[4]);
/* Moves the normal and the tangent that a vertex of `from` has, if any, to one of `to`, which has the same arrays. */
void mesh_move_directions(const cp_pose *pose, const double matrix[3][3], const cp_mesh *from, size_t source,
                          cp_mesh *to, size_t vertex);
/* Returns true if a's vertex p, moved, has normal and tangent of b's vertex q, to 1e-3 of unit vectors (0.06 degrees).
 * Both meshes have the same arrays. */
bool mesh_directions_agree(const cp_pose *pose, const double matrix[3][3], const cp_mesh *a, size_t p, const cp_mesh *b,
                           size_t q);
/* Finds the part of the direction that is square to the normal, at unit length; any such vector if there is no such
 * part. */
void mesh_square_tangent(const float normal[3], const double direction[3], float tangent[3]);
/* Returns true if a material of the mesh needs tangents, as normal maps do; extensions of glTF may. */
bool mesh_shows_tangents(const cp_scene *scene, const cp_mesh *mesh);

/* Finds materials[face] for each face by its group, CP_NONE without; map[material] in its place unless map is NULL. */
void mesh_face_materials(const cp_mesh *mesh, const uint32_t *map, uint32_t *materials);

/* Returns (double)(float)value. gcc 12 at -O2 and -O3 loses this rounding where neighbours in an array of two or three
 * doubles are narrowed and widened at once: it makes one vector of two of them, and removes both conversions. clang,
 * loops of unknown length and fours are right. */
static inline double float_round(double value)
{
    volatile float rounded = (float)value;
    return (double)rounded;
}

/* Returns the mesh's name for messages: its name, else its source; NULLs are fine. */
static inline const char *mesh_title(const cp_mesh *mesh)
{
    return mesh->name && *mesh->name ? mesh->name : mesh->source ? mesh->source : "";
}

/* Primitives as faces, outside of a scene: for measuring. */

/* Tessellates as mesh_tessellate does, with the arrays in any arena of the context. */
cp_status tessellate_in(cp_context *context, struct arena *arena, cp_mesh *mesh);
/* Does the same for a primitive, but gives the positions before they are rounded: memory_free(context, *positions,
 * mesh->vertex_count, size of one) is the caller's. The mesh's own positions are NULL. */
cp_status tessellate_exactly(cp_context *context, struct arena *arena, cp_mesh *mesh, double (**positions)[3]);
/* Returns the number of triangles that mesh_tessellate's faces make, for primitives. */
uint64_t tessellation_triangles(const cp_mesh *mesh);

/* One face as a polygon: its normal, and its shape seen along the normal's largest component. */

/* A polygon. The two coordinates that are left are the file's own floats, so the signs of areas are exact for all but
 * extreme sizes. */
struct polygon {
    const float *positions;
    const uint32_t *corners;
    uint32_t count;
    int u, v;         /* the axes that are left; counter-clockwise is positive */
    double normal[3]; /* Newell's sum: twice the area long; zero for a face without area */
};

struct polygon polygon_of(const cp_mesh *mesh, uint32_t face);

/* Returns a polygon that has the corners alone. */
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

/* Returns twice the signed area of the triangle a, b, c. */
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

/* Returns false if Newell's sum is zero: the corners lie on a line, or go round as often one way as the other. */
bool mesh_face_has_area(const cp_mesh *mesh, uint32_t face);
/* Returns the sum of the depths by which the reflex corners lie inside the lines between their neighbours: 0 for a
 * convex polygon, infinite for one that goes round more than once. Repeated corners are skipped. */
double polygon_reflex_depth(const struct polygon *polygon);
/* Returns true if all triangles from the first corner have a positive area and the polygon is convex. */
bool polygon_is_fan(const struct polygon *polygon);
/* Find the diagonal of the bounding box, and how far the corners lie from a common plane: half of the distance between
 * the outermost ones (0 for a face without area). */
double polygon_size(const struct polygon *polygon);
double polygon_bulge(const struct polygon *polygon);

/* Meshes far from their origin. Single precision has 24 bits: at 1e7 m, floats are 1 m apart. A reader whose file has
 * more digits gives such a mesh an origin of its own; the instance's transform, in double, takes this origin. */

/* A mesh is far if it is more than so many times its size (the diagonal of its box) away from its origin. Nearer,
 * single precision moves no vertex by more than 1e-4 of the size. */
enum { FAR_SIZES = 1000 };

/* Returns a coordinate as the mesh has it. */
static inline float near_origin(double coordinate, double origin)
{
    return (float)(coordinate - origin);
}

/* Tells whether the box is that far from the origin. */
bool box_is_far(const double lower[3], const double upper[3]);

/* Returns true if the vertices are far from the origin; those that are not finite do not count. origin: the first
 * vertex's place; zeros if they are near. Vertices of ordinary meshes are read only until the mesh cannot be far any
 * more. */
bool find_far_origin(const float *positions, uint32_t count, double origin[3]);

/* Writes the places as positions, from the origin that find_far_origin finds for them. */
void place_near_origin(const double *places, uint32_t count, float *positions, double origin[3]);

/* Returns the pose of an instance whose mesh got the origin; the same bits if the origin is zero. */
cp_pose pose_from_origin(const cp_pose *pose, const double origin[3]);

/* Inner angles at the corners of faces, in floats, within 3e-7. */

enum { LANES = 8 }; /* angles that are found at once */

/* Finds angles of 0 .. pi by their sines and cosines, the two of any common length; 0 where both are 0. */
void find_angles(const double sines[LANES], const double cosines[LANES], float angles[LANES]);
/* Finds the inner angles of a face, 0 .. 2 pi. angles: room for polygon->count. */
void polygon_angles(const struct polygon *polygon, float *angles);

#endif
