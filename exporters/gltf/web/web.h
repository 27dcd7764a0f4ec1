/* Meshes for the web, as `web=yes` prepares a scene before it is written. First the scene is arranged (fewer draw
 * calls, fewer triangles, normals), then each mesh becomes integers in an order that packs well; the writer takes those
 * in place of the mesh's floats. */
#ifndef CELLPIPE_EXPORTERS_GLTF_WEB_WEB_H
#define CELLPIPE_EXPORTERS_GLTF_WEB_WEB_H

#include "mesh/merge/merge.h"

/* A vertex as words: positions x and y, position z and normal, colour; each 16 bits or a byte, the first in the lowest.
 * Then two words for each set of texture coordinates: both as 16 bits in the first, or each as a float. Then the
 * tangent: its direction as normals, and 127 or -127 in the highest byte. */
enum { WEB_COORDINATES = 3, WEB_TANGENT = WEB_COORDINATES + 2 * CP_COORDINATE_SETS, WEB_WORDS };

struct web_mesh {
    uint32_t vertex_count, corner_count, group_count;
    bool has_normals;   /* if not, the vertices have zeros there */
    uint32_t words;     /* size of a vertex: the last ones are left out if they are zeros in all */
    uint32_t *vertices; /* words each */
    uint32_t *corners;  /* holds those of triangles; NULL for lines, whose vertices keep their places */
    cp_group *groups;
    cp_pose grid;       /* leads from the integers to the mesh's own coordinates: one scale and a translation */
    double position;    /* the largest distance of a vertex from its place in the world, in metres */
    double normal;      /* the largest turn of a normal or tangent, in radians; 0 without normals */
    uint64_t collapsed; /* triangles that two vertices on one grid point left without area: left out */
};

static inline uint32_t *web_vertex(const struct web_mesh *web, size_t vertex)
{
    return web->vertices + vertex * web->words;
}

/* Keeps what is drawn, with copies of large meshes as places of one; meshes without a place are reported. *displaced:
 * how far that moved a vertex, in metres of the world. */
cp_status web_keep_drawn(cp_scene *scene, double *displaced);
/* Joins the meshes of each link, or of each frame; finishes the scene. */
cp_status web_merge(cp_scene *scene, enum merge_scope scope, struct merge_result *result);

/* Gives meshes of unevenly scaled and sheared instances coordinates in which the world stretches all directions alike.
 * *displaced grows to the farthest that rounding moved a vertex of the world. Meshes stay as they are if joints or
 * clips change how they are stretched, or if the world flattens them. */
cp_status web_even_out(cp_scene *scene, double *displaced);
/* Tells whether the pose is not a rotation with one scale. */
bool web_is_uneven(const cp_pose *pose);

/* The way in which the positions of a mesh are kept. stretch: the largest factor by which the world stretches a length
 * in its own unit, at the current joint values; 0 without instances. uneven: the poses in the world of all instances
 * that are no rotation with one scale; even_stretch: of all others. */
struct web_place {
    double stretch, even_stretch;
    const cp_pose *uneven;
    uint32_t uneven_count;
    double cell;   /* the most that a position moves, in its own unit */
    uint32_t bits; /* of each axis */
};

/* Finds the places of all meshes; in the scene's memory, NULL when out of memory. bits 0: WEB_BITS, but as many more
 * (up to WEB_MOST_BITS) as are needed to move nothing by more than `most` in the world (0: no limit). */
enum { WEB_BITS = 14, WEB_MOST_BITS = 16 };
struct web_place *web_place_meshes(cp_scene *scene, uint32_t bits, double most);

/* The way in which a set of texture coordinates is kept in all meshes: as integers, coordinates = origin + step *
 * integer, or, if 16 bits are too few, as floats. */
struct web_coordinates {
    bool used, integers;
    double origin[2], step; /* a power of two */
};
/* Leaves out the coordinates for which no material of their mesh has a texture, and tangents that no material needs.
 * Returns how many meshes had such coordinates. */
uint32_t web_drop_coordinates(cp_scene *scene);
/* Places each set, so that no coordinate moves by more than half a texel of the images that are shown with it, or by
 * 1/8192 if the size of an image is not known. */
void web_place_coordinates(const cp_scene *scene, struct web_coordinates sets[CP_COORDINATE_SETS]);

/* Turns a mesh of triangles or lines into integers, with vertices joined, triangles and vertices in order. sets: NULL
 * if the mesh has no coordinates. Memory is the scene's. False when out of memory. */
bool web_quantise(cp_scene *scene, const cp_mesh *mesh, const struct web_place *place,
                  const struct web_coordinates *sets, struct web_mesh *web);

/* Orders the triangles of each group so that they pack well, and the vertices by their first use; unused ones are
 * dropped. */
bool web_order(cp_context *context, struct web_mesh *web);

/* Encode unit vectors on the octahedron (EXT_meshopt_compression, appendix B): two signed bytes, x in the low one; and
 * decode them as decoders do, to three signed bytes. */
uint32_t web_encode_normal(const float normal[3]);
void web_decode_normal(uint32_t code, signed char out[3]);

/* The input of the codecs of EXT_meshopt_compression (Khronos vendor extension, appendix A), by libmeshoptimizer:
 * vertices as version 0 of mode ATTRIBUTES, triangles as version 1 of mode TRIANGLES. They allocate nothing. What is
 * packed is vertices, or corners of triangles. */
struct pack_input {
    const void *elements;
    size_t count;
    size_t stride;       /* bytes of a vertex, a multiple of 4, at most 256; 0: corners, each a uint32_t */
    size_t vertex_count; /* a bound for corners alone: each is below it */
};
/* False in a build without the library: then the others must not be called. */
bool pack_is_built(void);
/* Loads the library that packs: before the calls below. False if that fails, which is reported. */
bool pack_load(cp_context *context);
/* Returns the most bytes that the packed elements take. */
size_t pack_bound(struct pack_input input);
/* Packs into out, which has room for pack_bound bytes; returns how many it took. Triangles may begin at another of
 * their corners afterwards. */
size_t pack(struct pack_input input, unsigned char *out);

#endif
