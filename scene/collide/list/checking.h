/* Declares what the check shares that tells whether a list still holds. */
#ifndef CELLPIPE_COLLIDE_LIST_CHECKING_H
#define CELLPIPE_COLLIDE_LIST_CHECKING_H

#include "model/model.h"

/* The evidence beside a list of exclusions (docs/exclusion.md), read again; exporters/collision_setup/evidence.c writes
 * it. */

struct listed_frame {
    const char *id, *name;
    uint64_t geometry; /* its key then, 0 when it had none */
    bool placeholder, is_volatile;
};

/* A node on the way to a frame that can collide. */
struct listed_node {
    const char *id, *parent; /* "" of the world */
    cp_pose pose;
    bool is_movable; /* it is movable, attachable or volatile, or a clip moves it */
};

struct listed_joint {
    const char *id, *type;
    double axis[3], lower, upper;
    uint64_t rule; /* joint_rule_key */
};

struct listed_value {
    const char *joint; /* its id */
    double value;
};

struct listed_pair {
    uint32_t first, second; /* frames */
    bool excluded;
    bool by_element;    /* <ExcludeStaticPairs/>, so that the list need not name it */
    uint64_t key;       /* 0 when it is not known */
    const char *status; /* the reason */
    const char *note;   /* the member "evidence"; "" without it */
    bool has_finding;
    cp_finding finding; /* its numbers, but no witness; absent ones are as in a finding without them */
    struct listed_value *witness;
    uint32_t witness_count;
};

/* A further file of the list. */
struct listed_file {
    const char *name, *prefix;
};

struct listed_evidence {
    cp_context *context;
    struct arena *arena;
    const char *format; /* of the list; "": a collision setup */
    const char *prefix; /* prefix of the names in the list's first file */
    bool exclude_static_pairs;
    struct listed_file *files;
    struct listed_frame *frames;
    struct listed_pair *pairs;
    struct listed_node *nodes; /* these and the joints: none in evidence of earlier versions */
    struct listed_joint *joints;
    uint32_t file_count, frame_count, pair_count, node_count, joint_count;
};

/* Reads the evidence. Free it even if this fails. */
cp_status evidence_read(struct listed_evidence *evidence, cp_context *context, const char *path);
void evidence_free(struct listed_evidence *evidence);

/* A list of exclusions that is compared with a scene, as the files of cp_check_list share it. */

struct checking {
    cp_context *context;
    const cp_scene *scene;
    const char *path;
    void (*tell)(void *user, const cp_list_fault *fault);
    void *user;
    bool stale;
    struct arena *arena;
    struct name_map frames; /* the scene's frames by name: the first of a name; no placeholders */
    struct listed_evidence evidence;
    uint64_t *geometry;      /* of the scene's nodes */
    uint32_t *nodes;         /* the scene's node of each listed frame, or CP_NONE */
    struct name_map numbers; /* numbers of names in lists and evidence */
    uint32_t number_count;
};

/* Tells the user that the list no longer holds. second may be "". */
void tell_list_fault(struct checking *checking, const cp_list_fault *fault);
void tell_of_list(struct checking *checking, cp_list_fault_kind kind, const char *first, const char *second);

/* by_evidence.c: by all that the evidence beside the list says. */
cp_status check_by_evidence(struct checking *checking, const cp_scene *list);
/* causes.c: what has changed in the scene since the evidence was written. NULL when out of memory. */
struct causes *causes_find(struct checking *checking);
/* Tells whether a known cause lies between two nodes, whose key has changed; such a cause counts the pair. */
bool causes_explain(struct causes *causes, uint32_t one, uint32_t other);
/* Tells each cause that has pairs, once. */
void causes_tell(struct causes *causes);

/* by_keys.c: by the keys of the pairs in the list itself. */
cp_status check_by_keys(struct checking *checking, const cp_scene *list);

#endif
