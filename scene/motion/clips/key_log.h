/* The keys of very many tracks that grow together: kept in the order in which they come, and packed, so that no track's
 * array grows. Dealt out in the end, they hardly need more memory at any moment than the tracks themselves. */
#ifndef CELLPIPE_KEY_LOG_H
#define CELLPIPE_KEY_LOG_H

#include "../../build.h"

struct key_block;

/* A key is told by how its track and its moment differ from those of the key before. */
struct key_name {
    uint32_t track, moment;
};

struct key_log {
    cp_context *context;
    struct key_block *first, *last;
    double *moments; /* times of keys; each once, but for a few */
    uint32_t moment_count, moment_room;
    struct key_name latest;
};

/* A key of a track, whose number is the caller's. False when out of memory. */
bool key_log_add(struct key_log *log, uint32_t track, double time, const double *value, uint32_t width);

/* Where the keys of a track go; times NULL: they are dropped. */
struct key_target {
    double *times, *values;
    uint32_t width;
};
/* Gives all keys, in their order, to the targets of their tracks (whose pointers run along), and forgets them. */
void key_log_deal(struct key_log *log, struct key_target *targets);
void key_log_free(struct key_log *log);

#endif
