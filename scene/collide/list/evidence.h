/* The evidence beside a list of exclusions (docs/exclusion.md), read again; exporters/collision_setup/evidence.c writes
 * it. */
#ifndef CELLPIPE_EVIDENCE_H
#define CELLPIPE_EVIDENCE_H

#include "../../build.h"

struct listed_frame {
    const char *id, *name;
    uint64_t geometry; /* its key then, 0 when it had none */
    bool placeholder, is_volatile;
};

/* A node on the way to a frame that can collide. */
struct listed_node {
    const char *id, *parent; /* "" of the world */
    cp_pose pose;
    bool is_movable; /* or attachable, or volatile, or a clip moves it */
};

struct listed_joint {
    const char *id, *type;
    double axis[3], lower, upper;
    uint64_t rule; /* joint_rule_key */
};

struct listed_pair {
    uint32_t first, second; /* frames */
    bool excluded;
    bool by_element;    /* <ExcludeStaticPairs/>, so that the list need not name it */
    uint64_t key;       /* 0 when it is not known */
    const char *status; /* the reason */
    cp_finding finding; /* its numbers; what is absent as in a finding without it */
};

/* A further file of the list. */
struct listed_file {
    const char *name, *prefix;
};

struct evidence {
    cp_context *context;
    struct arena *arena;
    const char *prefix; /* of the names in the list's first file */
    bool exclude_static_pairs;
    struct listed_file *files;
    struct listed_frame *frames;
    struct listed_pair *pairs;
    struct listed_node *nodes; /* these and the joints: none in evidence of earlier versions */
    struct listed_joint *joints;
    uint32_t file_count, frame_count, pair_count, node_count, joint_count;
};

/* Free it on failure, too. */
cp_status evidence_read(struct evidence *evidence, cp_context *context, const char *path);
void evidence_free(struct evidence *evidence);

#endif
