/* The filter exclude: its settings, and what it states in the scene. */
#ifndef CELLPIPE_EXCLUDE_H
#define CELLPIPE_EXCLUDE_H

#include "../collide/proof/exclusions.h"
#include "filters.h"

struct exclude_settings {
    double margin, touch;
    int64_t samples, descents, work, seed;
    bool adjacent, allow_sampled;
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
