/* Attach flags: how the parts of a device hang on each other. */
#ifndef CELLPIPE_DENEB_LAYERS_H
#define CELLPIPE_DENEB_LAYERS_H

#include "../../scene/memory.h"

/* A device is a walk through its tree of parts, parents first. Each part stands in a layer of its own, and its flag, a
 * text of bits, says what follows it: "1" opens a layer within, "0" closes one; the device's own layer is open at the
 * start and is closed by the last part. So each flag but the last is zeros and then a one, the last one zeros alone,
 * and no more layers are closed than are open. What breaks the rules is read so: layers are closed no further than the
 * device's, a layer of no part is none, and those that are open at the end are closed.
 *
 * Start: {.context = context}. */
struct deneb_layers {
    cp_context *context;
    uint32_t *parts; /* of the open layers, the device's first; CP_NONE while a layer has none */
    uint32_t room, count;
    uint32_t depth; /* the innermost one */
    bool over;      /* the device's own is closed */
    bool broken;    /* the rules are, first by part `odd` */
    uint32_t odd;
};

/* The next part, with its flag: *parent becomes the part on which it hangs, an earlier one, or CP_NONE; *depth how many
 * it hangs on, one through the other. False when out of memory. */
bool deneb_add_layer(struct deneb_layers *layers, const char *flag, uint32_t *parent, uint32_t *depth);
/* After the last part. The first one whose flag breaks the rules, or CP_NONE. Frees the memory. */
uint32_t deneb_end_layers(struct deneb_layers *layers);

#endif
