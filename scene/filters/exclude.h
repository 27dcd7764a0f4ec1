/* The filter exclude: its settings, and what it states in the scene. */
#ifndef CELLPIPE_FILTERS_EXCLUDE_H
#define CELLPIPE_FILTERS_EXCLUDE_H

#include "collide/proof/proof.h"

/* The pairs that are excluded without a proof. */
enum allow_sampled { ALLOW_NO_SAMPLED, ALLOW_SAMPLED, ALLOW_ALWAYS_SAMPLED };

/* The least number of samples by which a pair that touched in all of them is excluded as always touching. */
enum { ALWAYS_SAMPLES = 1000 };

struct exclude_settings {
    double margin, touch;
    double time; /* seconds; 0: no limit */
    int64_t samples, descents, work, seed;
    bool adjacent;
    int allow_sampled; /* enum allow_sampled */
    const char *movable, *only, *keep, *padding, *tools, *keep_evidence;
    bool keep_colliding;
};

/* Checks the settings before anything is read: CP_USAGE if they contradict each other, or a text is no list. */
cp_status exclude_check_options(cp_context *context, const void *settings);
/* Checks the scene. Limits that are none, and numbers too large to be multiplied, are errors; joints outside their
 * limits a warning. */
cp_status exclude_check(cp_context *context, const cp_scene *scene);
/* Reads the option padding, which was checked before: metres of each node. CP_USAGE for a frame that is not there. */
cp_status exclude_read_padding(const cp_scene *scene, const char *text, double *padding);
/* Checks the bodies. CP_NO if fewer than two have faces; bodies that are not solid are a warning. */
cp_status exclude_check_bodies(cp_context *context, const struct bodies *bodies);

/* Says how far a pair of the list of keep= is believed. */
enum user_claim {
    CLAIM_KEPT,     /* it stays excluded, whatever is found */
    CLAIM_BY_HAND,  /* people wrote it into an SRDF: it stays excluded unless it is found to collide */
    CLAIM_COMPUTED, /* MoveIt's assistant wrote it into an SRDF: it is compared with what is found */
};

/* Two nodes whose statement is the user's. */
struct user_pair {
    uint64_t key;   /* the lower node's index in the upper half */
    uint32_t place; /* in the user's list */
    enum user_claim claim;
    const char *reason, *evidence; /* the list's, in the scene's memory */
};

/* The user's pairs in the order of their keys, each once. */
struct user_pairs {
    cp_context *context;
    struct user_pair *items;
    uint32_t count, room;
    bool all_static;  /* all pairs that cannot move against each other, too */
    const char *file; /* the list's name, in the scene's memory */
};

/* Reads the file of keep=. Pairs of frames that the scene does not have, or has several of, are a loss. Elements of an
 * SRDF become metadata of the scene, unless it has such. Call user_pairs_free even on failure. */
cp_status user_pairs_read(struct user_pairs *pairs, cp_scene *scene, const char *path);
/* Returns what the list says of the pair, or NULL. */
const struct user_pair *user_pairs_find(const struct user_pairs *pairs, uint32_t one, uint32_t other);
void user_pairs_free(struct user_pairs *pairs);

/* Reads the findings of keep-evidence= that still hold. rules: the margins. Call known_pairs_free even on failure. */
cp_status known_pairs_read(struct known_pairs *known, cp_context *context, const cp_scene *scene,
                           const struct judge_rules *rules, const char *path);
void known_pairs_free(struct known_pairs *known);

/* Replaces the scene's statements by the pairs that were judged, and the user's; a note counts each kind. */
cp_status state_pairs(cp_scene *scene, const struct exclude_settings *own, const struct exclusion_rules *rules,
                      const struct exclusion_list *found, const struct user_pairs *users);

#endif
