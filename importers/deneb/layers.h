/* Attach flags: how the parts of a device hang on each other. */
#ifndef CELLPIPE_DENEB_LAYERS_H
#define CELLPIPE_DENEB_LAYERS_H

#include "../../scene/memory.h"

/* A device is a walk through its tree of parts, parents first. Each part stands in a layer of its own, and its flag, a text of bits,
 * says what follows it: "1" opens a layer within, "0" closes one; the device's own layer is open at the start and is closed by
 * the last part. So each flag but the last is zeros and then a one, the last one zeros alone, and no more layers are
 * closed than are open.
 *
 * parents[i] becomes the part on which part i hangs, an earlier one, or CP_NONE. *odd becomes the first part whose flag breaks the rules,
 * or CP_NONE: layers are closed no further than the device's, a layer of no part is none, and those that are
 * open at the end are closed. False when out of memory. */
bool deneb_read_layers(cp_context *context, const char *const *flags, uint32_t count, uint32_t *parents, uint32_t *odd);

#endif
