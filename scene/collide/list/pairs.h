/* Which pairs of frames does a collision checker look at? All pairs of candidates, less the excluded ones and, where
 * the scene says so, those that cannot move against each other (robwork-tag semantics, docs/collision-setup.md). */
#ifndef CELLPIPE_PAIRS_H
#define CELLPIPE_PAIRS_H

#include "../../build.h"

struct pair_rules {
    struct arena *arena; /* of the arrays */
    uint32_t *groups;    /* of each node the head of its static group */
    uint64_t *excluded;  /* pairs of candidates of different groups, or of any where static pairs are looked at;
                            ascending, each once */
    uint32_t excluded_count;
    uint32_t outdated; /* excluded pairs that are to be checked: pairs_find_outdated */
    bool skip_static;
    uint64_t all, checked; /* how many pairs of candidates there are, and are left */
};

/* candidates: of each node. False when out of memory; call pair_rules_free even on failure. */
bool pair_rules_find(struct pair_rules *rules, cp_context *context, const cp_scene *scene, const bool *candidates);
void pair_rules_free(struct pair_rules *rules);
/* Of two different candidates. */
bool pair_is_checked(const struct pair_rules *rules, uint32_t one, uint32_t other);
/* Has a collision mesh, or a volatile one may come. */
bool node_can_collide(const cp_scene *scene, uint32_t node);
/* Nodes that can collide since geometry may come, and have none. */
uint64_t count_without_geometry(const cp_scene *scene);
/* Marks the excluded pairs whose finding was about something else than what the scene is now: the geometry has changed
 * since, or what lies between the frames; and of those that are said to be static, without a finding, the ones that are
 * not. Such pairs are to be checked. What a user says of a pair holds. outdated: of the pairs; count: how many. */
cp_status pairs_find_outdated(cp_context *context, const cp_scene *scene, bool *outdated, uint32_t *count);
/* Unordered pairs of so many. */
uint64_t pairs_of(uint64_t count);

#endif
