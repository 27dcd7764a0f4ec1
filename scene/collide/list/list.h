/* Which pairs are checked, keys of findings, and whether a list still holds. */
#ifndef CELLPIPE_COLLIDE_LIST_LIST_H
#define CELLPIPE_COLLIDE_LIST_LIST_H

#include "collide/proof/chain.h"

/* Which pairs of frames does a collision checker look at? All pairs of candidates, less the excluded ones and, where
 * the scene says so, those that cannot move against each other (robwork-tag semantics, docs/collision-setup.md). */

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

/* How many kept pairs are not checked all the same: another statement excludes them, or they are static and the scene
 * leaves those out. */
cp_status pairs_count_left_out(cp_context *context, const cp_scene *scene, uint64_t *count);

/* Hashes of what the finding about a pair of frames rests on: it holds as long as they are the same. */

/* keys[node count]: of each frame's collision geometry, seen from the frame; 0 for those without. */
cp_status geometry_keys(cp_context *context, const cp_scene *scene, uint64_t *keys);
/* The key of the pair at both ends of the chain, whose geometry has the keys; the same when the chain runs the other
 * way. Never 0. numbers: room for the chain's variables. */
uint64_t pair_key(const struct chain *chain, const uint64_t geometry[2], uint32_t *numbers);
/* A hash of what a joint follows, and how: its master or formula, and whether it is driven. */
uint64_t joint_rule_key(const cp_scene *scene, uint32_t joint);
/* keys[count]: of the pairs' frames, 0 where one of them has no geometry. */
cp_status pair_keys(cp_context *context, const cp_scene *scene, const cp_pair *pairs, uint32_t count, uint64_t *keys);
/* One hash of the names and keys of all pairs of frames that have geometry, whatever their order is, and how many such
 * pairs there are. 0 without any, or if there are more than the limit of pairs. */
cp_status cell_key(cp_context *context, const cp_scene *scene, uint64_t *key, uint64_t *count);
/* The metadata of a list's scene that has this key in hexadecimal digits. */
#define CELL_KEY "collision cell key"
/* The key that the scene was read with; 0: none. */
uint64_t listed_cell_key(const cp_scene *scene);

#endif
