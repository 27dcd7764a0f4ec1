/* Joining meshes that stand still against each other into one: for the filter merge-meshes, and for formats that are
 * drawn faster so. */
#ifndef CELLPIPE_MESH_MERGE_H
#define CELLPIPE_MESH_MERGE_H

#include "../../build.h"

enum merge_scope {
    MERGE_LINK, /* frames that never move against each other (scene_find_links); the mesh goes to the topmost */
    MERGE_NODE, /* each frame for itself */
    MERGE_SCENE /* everything as it stands now; the mesh goes to the world */
};

struct merge_settings {
    enum merge_scope scope;
    bool groups;      /* all materials in one mesh, a group each; else a mesh for each material */
    bool primitives;  /* boxes, cylinders and the like become faces and are joined too; else they are left alone */
    bool shared;      /* meshes with several instances too; else they are left alone */
    bool grid;        /* positions will be put on one grid: parts have to be near each other, even at equal poses */
    const bool *keep; /* for each mesh: leave it alone, whatever the rest says; NULL: none */
};

struct merge_result {
    uint32_t instances; /* so many placed meshes were joined ... */
    uint32_t made;      /* ... into so many */
    uint32_t names;     /* meshes that are gone, with a name that no frame had that showed them */
    uint32_t metadata;  /* entries about meshes that are gone */
    uint32_t pairs;     /* statements about pairs with a frame whose geometry for collision went to another frame */
    uint32_t frozen;    /* MERGE_SCENE: of `instances`, those that could move against the world */
    uint64_t unused;    /* vertices left out because no face uses them */
    double rounded;     /* metres of the world at the current joint values by which a vertex moved at most */
};

/* Joins all instances of faces, and all of lines, that have the same place to go, use and material, agree in having
 * normals and colours, and are so near each other that floats keep their shapes; what would stay alone is not touched.
 * Frames stay, without the instances. Of a frame that is drawn highlighted or as wires, unlike the one the mesh would
 * go to, the meshes stay with it.
 *
 * A joined mesh stands in the coordinates of its first part (the frame's when its pose is no rotation with a uniform
 * scale), so that parts with equal poses keep their vertices bit for bit; others are moved in double and rounded. Faces
 * come in the order of the instances (by material in the order of first use, for groups), reversed where a pose
 * mirrors; vertices in the order of first use by these. Reports errors alone: CP_LIMIT for a mesh too large. The caller
 * reports *result. Ids of new meshes are left to scene_finish; indices of meshes and instances change. */
cp_status scene_merge_meshes(cp_scene *scene, const struct merge_settings *settings, struct merge_result *result);
/* Its losses and notes. */
void merge_report(cp_context *context, const struct merge_result *result);

#endif
