/* The filter exclude: its settings, and what it states in the scene. */
#ifndef CELLPIPE_FILTERS_EXCLUDE_H
#define CELLPIPE_FILTERS_EXCLUDE_H

#include "collide/proof/proof.h"

/* Which pairs are excluded without a proof. */
enum allow_sampled { ALLOW_NO_SAMPLED, ALLOW_SAMPLED, ALLOW_ALWAYS_SAMPLED };

/* So many samples, no less, say of a pair that it always touches, where that excludes it. */
enum { ALWAYS_SAMPLES = 1000 };

struct exclude_settings {
    double margin, touch;
    double time; /* seconds; 0: as long as it takes */
    int64_t samples, descents, work, seed;
    bool adjacent;
    int allow_sampled; /* enum allow_sampled */
    const char *movable, *only, *keep;
};

/* Limits that are none, numbers beyond what can be multiplied, and settings that contradict each other are errors;
 * joints outside their limits a warning. */
cp_status exclude_check(cp_context *context, const cp_scene *scene, const struct exclude_settings *own);
/* CP_NO when there are not two of them with faces; what is not solid is a warning. */
cp_status exclude_check_bodies(cp_context *context, const struct bodies *bodies);

/* Two nodes whose statement is the user's. */
struct user_pair {
    uint64_t key;   /* the lower node's index in the upper half */
    uint32_t place; /* in the user's list */
};

/* In the order of their keys, each once. */
struct user_pairs {
    cp_context *context;
    struct user_pair *items;
    uint32_t count, room;
    bool all_static; /* and all pairs that cannot move against each other */
};

/* Reads the file of keep=; pairs of frames that the scene does not have, or several of a name, are a loss. Call
 * user_pairs_free even on failure. */
cp_status user_pairs_read(struct user_pairs *pairs, const cp_scene *scene, const char *path);
bool user_pairs_have(const struct user_pairs *pairs, uint32_t one, uint32_t other);
void user_pairs_free(struct user_pairs *pairs);

/* The pairs that were judged, and the user's, take the place of what the scene says of them; a note tells how many of
 * each kind there are. */
cp_status state_pairs(cp_scene *scene, const struct exclude_settings *own, const struct exclusion_rules *rules,
                      const struct exclusions *found, const struct user_pairs *users);

#endif
