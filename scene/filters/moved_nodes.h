/* Nodes that a recording tells to be elsewhere: the tracks of the filter `recording` that are not joints'. */
#ifndef CELLPIPE_FILTERS_MOVED_NODES_H
#define CELLPIPE_FILTERS_MOVED_NODES_H

#include "model/model.h"

/* Where a node is at a time: in its parent's frame, or in the world's. */
struct moved_key {
    double time;
    uint32_t node;
    cp_pose pose;
};

/* The last line that said something of a node. */
struct moved_state {
    uint32_t row, said, key_count; /* said: one more than the last row with this node */
    double time;                   /* of its last key */
    bool is_away;
    cp_pose pose;
};

struct moved_nodes {
    cp_context *context;
    cp_scene *scene;
    struct arena *arena;
    struct name_map ids;
    cp_pose *worlds; /* where the cell has them */
    struct moved_state *states;
    uint32_t node_count; /* that have keys */
    struct moved_key *keys;
    uint32_t key_count, key_room;
    cp_attachment *attachments;
    uint32_t attachment_count, attachment_room;
};

/* Finds a node by its id; CP_NONE, with the reason, if it cannot be moved. CP_LIMIT if out of memory. */
cp_status moved_nodes_find(struct moved_nodes *nodes, const char *id, uint32_t *node, const char **why);
/* Tells whether the node could be at that pose in the world: neither stretched nor mirrored. */
bool moved_nodes_fit(const struct moved_nodes *nodes, uint32_t node, const cp_pose *world);
/* Adds where a node is in the line `row`, from 0, whose time is above that of the line before. world NULL: where the
 * cell has it. CP_NO: the line has said something of it already. */
cp_status moved_nodes_add(struct moved_nodes *nodes, uint32_t row, double time, double time_before, uint32_t node,
                          const cp_pose *world);
/* Makes three tracks of each node with keys, from `tracks` on, and gives the clip's attachments. Memory is the
 * scene's. */
cp_status moved_nodes_make(struct moved_nodes *nodes, cp_track *tracks, const cp_attachment **attachments);
void moved_nodes_free(struct moved_nodes *nodes);

#endif
