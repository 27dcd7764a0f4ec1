/* The link to a controller: bytes of its protocol become samples for the floor, and words of people become commands. It
 * knows no sockets; wire.c has them. */
#ifndef CELLPIPE_LIVE_LINK_H
#define CELLPIPE_LIVE_LINK_H

#include "floor.h"

struct link {
    struct floor *floor;
    cp_context *context;
    const struct controller_protocol *protocol;
    void *state; /* of the present connection; NULL: there is none */
    struct joint_map map;
    struct name_map nodes; /* by their ids */
    double *values;        /* of all joints, as the controller has told them so far */
    struct outside outside;
    struct buffer commands; /* that wait to be sent */
    bool told_unknown, told_unmoved;
    uint64_t now;
    char why[WHY_SIZE]; /* what is wrong with the last sample; "": nothing */
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
