/* What stands where in the course of a recording: planned by slots.c, written by slot_text.c. */
#ifndef CELLPIPE_VRML97_SLOTS_H
#define CELLPIPE_VRML97_SLOTS_H

#include "vrml97.h"

struct slot {
    uint32_t guest, host; /* nodes */
    bool at_first;        /* shown before the recording begins */
    const char *name;     /* DEF name of what shows it */
    const char *grip;     /* DEF name of the Transform in it */
    uint32_t first_stay, stay_count;
};

/* A guest on a host, from one attachment to the next. */
struct stay {
    uint32_t guest, host, slot;
    uint32_t order;
    double from, until;
    bool begins; /* before any attachment */
};

struct slots {
    bool *kept; /* nodes in slots */
    struct slot *items;
    struct stay *stays;  /* by slot, then by time */
    const char **bodies; /* DEF name of what is in a node's slots, NULL until it is written */
    uint32_t count, stay_count, stay_room;
    const cp_track *(*tracks)[3]; /* of nodes: translation, rotation, scale */
    uint64_t cyclic, mirrored;    /* guests that are baked instead */
};

#endif
