/* The link to a controller: bytes of its protocol become samples for the floor, and words of people become commands. It
 * knows no sockets; wire.c has them. */
#ifndef CELLPIPE_LIVE_LINK_H
#define CELLPIPE_LIVE_LINK_H

#include "floor.h"

struct link {
    struct floor *floor;
    cp_context *context;
    const struct controller_protocol *protocol;
    void *state; /* the protocol's, while there is a connection; else NULL */
    struct joint_map map;
    struct name_map nodes; /* by their ids */
    double *values;        /* the controller has told these of all joints so far */
    struct outside outside;
    struct buffer commands; /* these wait to be sent */
    bool told_unknown, told_unmoved;
    uint64_t now;
    char why[WHY_SIZE]; /* the last sample has this fault; "": it has none */
};

/* Opens a link for a protocol ("jsonl", ...), and puts it into the floor. map: a file, or NULL; allow_motion: the
 * controller gets commands. CP_USAGE, reported, for a word that is none. */
cp_status link_open(struct link *link, struct floor *floor, struct arena *arena, const char *protocol, const char *map,
                    bool allow_motion);
void link_close(struct link *link);
/* A connection begins: *hello is what to send first. */
cp_status link_begin(struct link *link, const void **hello, size_t *size);
/* Takes bytes. False: they are nonsense, and the connection has to end. *answer: what to send now, or NULL. */
bool link_take(struct link *link, const void *bytes, size_t size, uint64_t now, const void **answer,
               size_t *answer_size);
/* A connection has ended. */
void link_end(struct link *link, const char *why);

#endif
