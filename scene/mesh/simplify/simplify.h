/* Fewer triangles for the same shape. */
#ifndef CELLPIPE_MESH_SIMPLIFY_SIMPLIFY_H
#define CELLPIPE_MESH_SIMPLIFY_SIMPLIFY_H

#include "model/model.h"

/* The topology option: holes may close and shells vanish everywhere but in meshes for collision alone, everywhere, or
 * nowhere. */
enum { TOPOLOGY_AUTO, TOPOLOGY_FREE, TOPOLOGY_KEEP };
#define TOPOLOGY_CHOICES "auto|free|keep"

/* The goal of a simplification, which stops at the first of the limits that is met. */
struct simplify_goal {
    uint64_t triangles; /* stop at so few; 0: as few as the other limits allow */
    double error;       /* the largest error of the result, in the mesh's own unit; INFINITY: no limit */
    bool one_way;       /* only that of the original from the new surface */
    /* A draft: no fit to the original, and up to half as much error again; only every 8th vertex of large meshes is
     * measured. */
    bool fast;
    /* The largest error of each collapse, by the planes alone; the measured one may be a few times as large. 0: no
     * limit. */
    double bound;
    /* The error holds for all of the original, however long that takes to measure; else for measured points of it if
     * that is cheaper. */
    bool whole;
    /* texels: for each group, or NULL, the texels of a texture that a coordinate of each set covers from 0 to 1. shift:
     * about how many texels a texture may be off anywhere; 0: no limit. */
    const float (*texels)[CP_COORDINATE_SETS];
    double shift;
    /* The topology may change if that costs least: holes and slits close, shells vanish. Else it stays. */
    bool free;
};

/* The triangles that a mesh would have if its texture might be off by so many texels. */
struct simplify_offer {
    double texels;
    uint64_t triangles;
};

enum { SIMPLIFY_OFFERS = 2 };

struct simplify_result {
    uint64_t before, triangles; /* after triangulation; now */
    /* The largest distance of a point of either surface from the other, in the mesh's own unit. If it is not exact, it
     * is too large, in general by a tenth at most; but if it is less than half of a given error, it may be reported as
     * half. */
    double error;
    /* All points of the original were measured; else only the vertices and some points on faces. That is so for meshes
     * of 131,072 triangles and more, and for drafts, unless an error is given. */
    bool whole;
    bool both_ways, whole_both_ways;    /* also points of the new surface from the original; all of them */
    uint64_t shells_gone, holes_closed; /* of a free topology */
    double shift;                       /* about how many texels a texture is off at most */
    /* If the bound of the textures has kept triangles: what a few times as many texels would leave, and what as many as
     * necessary, which may be fewer than that. Else the triangles, and no more texels than are given. */
    struct simplify_offer offers[SIMPLIFY_OFFERS];
    uint64_t cut_edges,
        cut_vertices;       /* edges of more than two faces; vertices more, since each fan of faces has its own */
    uint64_t flat_faces;    /* on fewer than three positions: left out */
    uint64_t mixed_colours; /* positions whose vertices had different colours: the first one's counts */
};

/* Replaces the faces of a mesh by fewer triangles; polygons are triangulated first. Lines and primitives are left
 * alone, and so is a mesh that has no more triangles than wanted: then result->triangles is result->before.
 *
 * Guarantees: positions are compared by value (-0 equals +0), so that a mesh need not be welded. A closed mesh stays
 * closed, with two faces at every edge and one fan of faces at every vertex; borders and the seams between groups stay
 * lines of the surface, within the error. No face is turned over. Triangles stay in their groups; groups that lose all
 * their triangles vanish. Edges of three faces and more, and vertices where several fans touch, are cut first. Texture
 * coordinates belong to the corners of faces: where those of two faces differ is a seam, which stays a line as those
 * between groups do. A mesh may keep more triangles than wanted, if fewer would break one of these rules. Normals and
 * tangents are those of the original near by (see mesh_shade_like); colours belong to the vertices, between which they
 * are mixed. The result is the same for any number of threads. */
cp_status mesh_simplify(cp_scene *scene, cp_mesh *mesh, const struct simplify_goal *goal,
                        struct simplify_result *result);

/* Gives a mesh of triangles the normals that another mesh of triangles has near its corners, and its tangents if it has
 * any, made square to them. A vertex is split if the normals of its faces there differ by more than 13 degrees, or
 * tangents have other signs. */
cp_status mesh_shade_like(cp_scene *scene, cp_mesh *mesh, const cp_mesh *original);

/* Texture coordinates of meshes. */

/* Returns how many texels a coordinate of the set covers from 0 to 1, of the largest image that the material shows by
 * it; 0 if no texture uses the set. An image of unknown size counts as one of 4096. */
double material_texels(const cp_scene *scene, uint32_t material, uint32_t set);

/* Simplifies as mesh_simplify, with the texels of the mesh's materials. */
cp_status simplify_textured(cp_scene *scene, cp_mesh *mesh, struct simplify_goal goal, struct simplify_result *result);

#endif
