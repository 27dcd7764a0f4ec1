/* Meshes joined into few, and split into shells. */
#ifndef CELLPIPE_MESH_MERGE_MERGE_H
#define CELLPIPE_MESH_MERGE_MERGE_H

#include "model/model.h"

/* Joins meshes that stand still against each other into one: for the filter merge-meshes, and for formats that are
 * drawn faster then. */

enum merge_scope {
    MERGE_LINK, /* frames that never move against each other (scene_find_links); the mesh goes to the topmost */
    MERGE_NODE, /* each frame for itself */
    MERGE_SCENE /* everything at the current joint values; the mesh goes to the world */
};

struct merge_settings {
    enum merge_scope scope;
    bool groups;      /* all materials in one mesh, a group each; else a mesh for each material */
    bool primitives;  /* boxes, cylinders and other primitives become faces and are joined too; else they are left
                       * alone */
    bool shared;      /* meshes with several instances too; else they are left alone */
    bool grid;        /* positions will be put on one grid: parts have to be near each other, even at equal poses */
    const bool *keep; /* indexed by mesh: it is left alone, whatever the other settings say; NULL: none */
};

struct merge_result {
    uint32_t instances; /* so many placed meshes were joined ... */
    uint32_t made;      /* ... into so many */
    uint32_t names;     /* removed meshes with a name that no frame that showed them has */
    uint32_t metadata;  /* metadata entries of removed meshes */
    uint32_t pairs;     /* statements about pairs with a frame whose geometry for collision went to another frame */
    uint32_t frozen;    /* MERGE_SCENE: of `instances`, those that could move against the world */
    uint64_t unused;    /* vertices left out because no face uses them */
    double rounded;     /* the largest distance by which a vertex moved, in metres of the world at the current joint
                         * values */
};

/* Joins all instances of faces, and all of lines, that have the same place to go, use and material, agree in having
 * normals and colours, and are so near each other that floats keep their shapes. Meshes that would stay alone are not
 * touched. Frames stay, without the instances. If a frame is drawn highlighted or as wires, unlike the frame to which
 * its meshes would go, they stay with it.
 *
 * A joined mesh has the coordinates of its first part (the frame's when its pose is no rotation with a uniform scale),
 * so that parts with equal poses keep their vertices bit for bit; others are moved in double and rounded. Faces come in
 * the order of the instances (by material in the order of first use, for groups), reversed where a pose mirrors;
 * vertices in the order of first use by these.
 *
 * Reports only errors: CP_LIMIT for a mesh too large. The caller reports *result. scene_finish gives new meshes their
 * ids; indices of meshes and instances change. */
cp_status scene_merge_meshes(cp_scene *scene, const struct merge_settings *settings, struct merge_result *result);
/* Reports the losses and notes of the merge. */
void merge_report(cp_context *context, const struct merge_result *result);

/* Between merge.c, which decides what is joined, and merge_build.c, which does it. */

/* A part: one group of one instance. Parts are in the order of their buckets, then of instances. */
struct merge_part {
    uint32_t instance, group;
    uint32_t region; /* parts of one region are near each other */
    uint32_t bucket; /* the mesh that it goes to */
    uint32_t slot;   /* the group there; numbered through all buckets in order */
};

struct merge_bucket {
    uint32_t anchor; /* the node */
    uint32_t use;
    uint32_t first_part, part_count;
    uint32_t mesh; /* once it is built */
    cp_pose base;  /* the transform of its instance */
};

struct merge_job {
    cp_scene *scene;
    const struct merge_settings *settings;
    struct merge_result *result;
    uint32_t *heads, *anchors; /* indexed by node: its link, and the node to which its meshes would go */
    cp_pose *relative;         /* indexed by node: from its anchor (its link's head, the world) */
    cp_pose *worlds;
    cp_mesh *faces; /* indexed by mesh: itself, primitives as faces */
    bool *joined;   /* for each instance */
    struct merge_part *parts;
    struct merge_bucket *buckets;
    uint32_t part_count, part_room, bucket_count;
    uint64_t vertices; /* made so far */
};

/* Returns the faces of one part. */
cp_group merge_part_group(const cp_mesh *mesh, uint32_t group);
/* Gives the part's pose in the frame that its mesh goes to. */
cp_pose merge_part_pose(const struct merge_job *job, const struct merge_part *part);
/* Returns true if a joined mesh can have the coordinates of its first part; else it gets the frame's. */
bool merge_can_stand(const cp_pose *pose);
/* Makes the meshes of all buckets. */
cp_status merge_build(struct merge_job *job);

/* Cutting a mesh into pieces. */

enum split_by {
    SPLIT_COMPONENTS, /* faces that meet at a position (compared by value) stay together, directly or through others */
    SPLIT_MATERIALS,  /* all faces of one material stay together */
    SPLIT_BOTH        /* those that meet and have one material */
};

/* Finds pieces[face] for each face of a mesh of faces: the number of its piece, from 0 in the order of their first
 * faces. *count: how many. Near linear time for any mesh. False when out of memory. */
bool mesh_find_pieces(cp_context *context, const cp_mesh *mesh, enum split_by by, uint32_t *pieces, uint32_t *count);

/* Adds the pieces to the scene as meshes, from index *first on, without names: faces and groups in their old order,
 * vertices in the order of first use (copied for each piece that uses them). *unused: the number of vertices that no
 * face uses and no piece has. */
cp_status mesh_cut(cp_scene *scene, uint32_t mesh, const uint32_t *pieces, uint32_t count, uint32_t *first,
                   uint32_t *unused);

#endif
