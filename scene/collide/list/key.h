/* Hashes of what the finding about a pair of frames rests on: it holds as long as they are the same. */
#ifndef CELLPIPE_KEY_H
#define CELLPIPE_KEY_H

#include "../proof/chain.h"

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
