/* Which pairs are checked, keys of findings, and whether a list still holds. */
#ifndef CELLPIPE_COLLIDE_LIST_LIST_H
#define CELLPIPE_COLLIDE_LIST_LIST_H

#include "collide/proof/chain.h"

/* The pairs of frames that a collision checker looks at: all pairs of candidates, less the excluded ones and, if the
 * scene says so, those that cannot move against each other (robwork-tag semantics, docs/collision-setup.md). */

struct pair_rules {
    struct arena *arena; /* of the arrays */
    uint32_t *groups;    /* indexed by node: the head of its static group */
    uint64_t *excluded;  /* pairs of candidates of different groups, or of any if static pairs are checked; ascending,
                          * each once */
    uint32_t excluded_count;
    uint32_t outdated; /* excluded pairs that must be checked: pairs_find_outdated */
    bool skip_static;
    uint64_t all, checked; /* all pairs of candidates, and those that are left */
    uint64_t static_alone; /* those that are left out, though no exclusion names them */
};

/* Finds the rules for pairs of candidates (a bool for each node). Returns false if out of memory; call pair_rules_free
 * even on failure. */
bool pair_rules_find(struct pair_rules *rules, cp_context *context, const cp_scene *scene, const bool *candidates);
void pair_rules_free(struct pair_rules *rules);
/* Tells whether the pair of two different candidates is checked. */
bool pair_is_checked(const struct pair_rules *rules, uint32_t one, uint32_t other);
/* Tells whether the node has a collision mesh, or is volatile and may get one. */
bool node_can_collide(const cp_scene *scene, uint32_t node);
/* Counts the nodes that can collide since geometry may come, but have none. */
uint64_t count_without_geometry(const cp_scene *scene);
/* Marks the excluded pairs whose finding no longer fits the scene: the geometry, or what lies between the frames, has
 * changed since. Marks also the pairs that are called static, without a finding, but are not. Marked pairs must be
 * checked; a user's own exclusions hold. outdated: one for each pair; count: how many. */
cp_status pairs_find_outdated(cp_context *context, const cp_scene *scene, bool *outdated, uint32_t *count);
/* Returns the number of unordered pairs of so many. */
uint64_t pairs_of(uint64_t count);

/* Counts the kept pairs that are not checked all the same, because another statement excludes them, or because they are
 * static and the scene leaves static pairs out. */
cp_status pairs_count_left_out(cp_context *context, const cp_scene *scene, uint64_t *count);

/* Lists know frames by their names alone. Marks as partial the excluded pairs that a list cannot have, since other
 * frames with the same names are to be checked. names: of the nodes; excluded: of the pairs. heads[node count]: the
 * first frame with the node's name of those that can collide or that pairs name; CP_NONE: there is none. */
cp_status pairs_find_partial(cp_context *context, const cp_scene *scene, const char *const *names, const bool *excluded,
                             uint32_t *heads, bool *partial);

/* Hashes of what the finding about a pair of frames rests on: as long as they are the same, the finding holds. */

/* Computes keys[node count]: a hash of each frame's collision geometry, as seen from the frame; 0 if it has none. */
cp_status geometry_keys(cp_context *context, const cp_scene *scene, uint64_t *keys);
/* Returns the key of the pair at both ends of the chain, whose geometry has the keys. It is the same if the chain runs
 * the other way, and never 0. numbers: room for the chain's variables. */
uint64_t pair_key(const struct frame_chain *chain, const uint64_t geometry[2], uint32_t *numbers);
/* Hashes what a joint follows, and how: its master or formula, and whether it is driven. */
uint64_t joint_rule_key(const cp_scene *scene, uint32_t joint);
/* Computes keys[count] of the pairs; 0 if one of the frames has no geometry. */
cp_status pair_keys(cp_context *context, const cp_scene *scene, const cp_pair *pairs, uint32_t count, uint64_t *keys);
/* Finds one hash of the names and keys of all pairs of frames that have geometry, whatever their order is, and the
 * number of such pairs. 0 without any, or if there are more than the limit of pairs. */
cp_status cell_key(cp_context *context, const cp_scene *scene, uint64_t *key, uint64_t *count);
/* The metadata of a list's scene that has this key in hexadecimal digits. */
#define CELL_KEY "collision cell key"
/* Returns the key that the scene was read with; 0: none. */
uint64_t listed_cell_key(const cp_scene *scene);

/* The metadata of a scene that an SRDF was read for: each element of it but the pairs, as XML; and the robot's name, if
 * the robot itself was not read. */
#define SRDF_ELEMENT "srdf"
#define SRDF_ROBOT "srdf.robot"
/* Tells whether the XML of such an element is one of that name. */
bool srdf_element_is(const char *element, const char *name);
/* The start of a pair's evidence, before the reason that an SRDF gives. */
#define SRDF_REASON "SRDF: "

/* Adds to a draft of a scene what the evidence in a file (docs/exclusion.md) says of its pairs: verdict, reason, note,
 * finding and witness. A pair that the scene states with a finding of its own stays as it is. Frames and joints that
 * the scene lacks are losses; findings that no longer fit the scene are a warning. Call scene_finish after it. */
cp_status evidence_state(cp_context *context, cp_scene *scene, const char *path);

#endif
