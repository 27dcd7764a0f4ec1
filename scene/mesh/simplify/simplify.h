/* Fewer triangles for the same shape. */
#ifndef CELLPIPE_MESH_SIMPLIFY_SIMPLIFY_H
#define CELLPIPE_MESH_SIMPLIFY_SIMPLIFY_H

#include "model/model.h"

/* Whether holes may close and shells vanish: everywhere but in meshes for collision alone, everywhere, or nowhere. */
enum { TOPOLOGY_AUTO, TOPOLOGY_FREE, TOPOLOGY_KEEP };
#define TOPOLOGY_CHOICES "auto|free|keep"

/* When to stop: at the first of the limits that is met. */
struct simplify_goal {
    uint64_t triangles; /* as few as these; 0: as few as the others allow */
    double error; /* the result's error is not larger than this, in the mesh's own unit; INFINITY: however large */
    bool one_way; /* only that of the original from the new surface */
    /* A draft: no fit to the original, up to half as much error again; of large meshes every 8th vertex is measured. */
    bool fast;
    /* The same for each collapse, by the planes alone: what is measured may be some times as much. 0: however large. */
    double bound;
    /* The error holds for all of the original, however dear that is to find out; else for measured points of it where
     * that is cheaper. */
    bool whole;
    /* Of each group, or NULL: the texels of a texture that a coordinate of each set runs over from 0 to 1; and by how
     * many texels, about, a texture may be off anywhere; 0: however many. */
    const float (*texels)[CP_COORDINATE_SETS];
    double shift;
    /* The topology may change where that costs least: holes and slits close, shells vanish. Else it stays. */
    bool free;
};

/* What fewer triangles would ask of a texture. */
struct simplify_offer {
    double texels;
    uint64_t triangles;
};

enum { SIMPLIFY_OFFERS = 2 };

struct simplify_result {
    uint64_t before, triangles; /* after triangulation; now */
    /* The largest distance of a point of either surface from the other, in the mesh's own unit; if not exact then too
     * large, in general by a tenth at most, but less than half of a given error may be told as half. */
    double error;
    /* Of all points of the original; else of the vertices and some points on faces: of meshes of 131,072 triangles and
     * more, and of drafts, if nobody asked for more. */
    bool whole;
    bool both_ways, whole_both_ways;    /* and of points of the new surface from the original; of all of them */
    uint64_t shells_gone, holes_closed; /* of a free topology */
    double shift;                       /* by how many texels a texture is off at most, about */
    /* Where the bound of the textures has kept triangles: what some times as many texels would leave, and what as many
     * as it takes, which may be fewer than that. Else the triangles, and no more texels than are given. */
    struct simplify_offer offers[SIMPLIFY_OFFERS];
    uint64_t cut_edges,
        cut_vertices;       /* edges of more than two faces; vertices more, since each fan of faces has its own */
    uint64_t flat_faces;    /* on fewer than three positions: left out */
    uint64_t mixed_colours; /* positions whose vertices had different colours: the first one's counts */
};

/* Replaces the faces of a mesh by fewer triangles; polygons are triangulated first. Lines and primitives are left
 * alone, and so is a mesh that has no more triangles than wanted: then result->triangles is result->before. What holds:
 * positions are compared by value (-0 equals +0), so that a mesh need not be welded. What was closed stays closed, with
 * two faces at every edge and one fan of faces at every vertex; borders and the seams between groups stay lines of the
 * surface, within the error. No face is turned over. Triangles stay in their groups; groups that lose all their
 * triangles vanish. Edges of three faces and more, and vertices where several fans touch, are cut first. Texture
 * coordinates go with the corners of faces: where those of two faces are apart is a seam, which stays a line as those
 * between groups do. A mesh may keep more triangles than wanted, when fewer would break one of these rules. Normals are
 * and tangents are those of the original near by (see mesh_shade_like), colours go with the vertices, between which
 * they are mixed. The same result for any number of threads. */
cp_status mesh_simplify(cp_scene *scene, cp_mesh *mesh, const struct simplify_goal *goal,
                        struct simplify_result *result);

/* Gives a mesh of triangles the normals that another mesh of triangles, which has some, has near its corners, and its
 * tangents if it has any, made square to them. Where those of the faces at a vertex look apart by more than 13 degrees,
 * or tangents have other signs, it becomes several. */
cp_status mesh_shade_like(cp_scene *scene, cp_mesh *mesh, const cp_mesh *original);

/* Texture coordinates of meshes. */

/* How many texels a coordinate of the set runs over from 0 to 1, of the largest image that the material shows by it; 0
 * if no texture uses the set. An image of unknown size counts as one of 4096. */
double material_texels(const cp_scene *scene, uint32_t material, uint32_t set);

/* mesh_simplify, with the texels of the mesh's materials. */
cp_status simplify_textured(cp_scene *scene, cp_mesh *mesh, struct simplify_goal goal, struct simplify_result *result);

#endif
