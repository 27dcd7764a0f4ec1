/* Between merge.c, which decides what is joined, and merge_build.c, which does it. */
#ifndef CELLPIPE_MESH_MERGE_BUILD_H
#define CELLPIPE_MESH_MERGE_BUILD_H

#include "merge.h"

/* One group of one instance. Parts stand in the order of their buckets, then of instances. */
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
    uint32_t *heads, *anchors; /* for each node: its link, and where its meshes would go */
    cp_pose *relative;         /* for each node: from its anchor (its link's head, the world) */
    cp_pose *worlds;
    cp_mesh *faces; /* for each mesh: itself, primitives as faces */
    bool *joined;   /* for each instance */
    struct merge_part *parts;
    struct merge_bucket *buckets;
    uint32_t part_count, part_room, bucket_count;
    uint64_t vertices; /* made so far */
};

/* The faces of one part. */
cp_group merge_part_group(const cp_mesh *mesh, uint32_t group);
/* Gives the part's pose in the frame that its mesh goes to. */
cp_pose merge_part_pose(const struct merge_job *job, const struct merge_part *part);
/* True if a joined mesh can stand where its first part does; else it stands at the frame. */
bool merge_can_stand(const cp_pose *pose);
/* Makes the meshes of all buckets. */
cp_status merge_build(struct merge_job *job);

#endif
