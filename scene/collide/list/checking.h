/* A list of exclusions that is compared with a scene: what the files of cp_check_list share. */
#ifndef CELLPIPE_CHECKING_H
#define CELLPIPE_CHECKING_H

#include "evidence.h"

struct checking {
    cp_context *context;
    const cp_scene *scene;
    const char *path;
    void (*tell)(void *user, const cp_list_fault *fault);
    void *user;
    bool stale;
    struct arena *arena;
    struct name_map frames; /* of the scene, by name: the first of a name; no placeholders */
    struct evidence evidence;
    uint64_t *geometry;      /* of the scene's nodes */
    uint32_t *nodes;         /* the scene's node of each listed frame, or CP_NONE */
    struct name_map numbers; /* of names in lists and evidence */
    uint32_t number_count;
};

/* Tells the user that the list no longer holds. second may be "". */
void tell_list_fault(struct checking *checking, const cp_list_fault *fault);
void tell_of_list(struct checking *checking, cp_list_fault_kind kind, const char *first, const char *second);

/* by_evidence.c: by all that the evidence beside the list says. */
cp_status check_by_evidence(struct checking *checking, const cp_scene *list);
/* causes.c: what has changed in the scene since the evidence was written. NULL when out of memory. */
struct causes *causes_find(struct checking *checking);
/* Whether something of that lies between two nodes, whose key has changed; it counts the pair. */
bool causes_explain(struct causes *causes, uint32_t one, uint32_t other);
/* Tells each cause that has pairs, once. */
void causes_tell(struct causes *causes);

/* by_keys.c: by the keys of the pairs in the list itself. */
cp_status check_by_keys(struct checking *checking, const cp_scene *list);

#endif
