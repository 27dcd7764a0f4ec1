/* The inputs of a primitive that are read: a channel for each array of a mesh. */
#ifndef CELLPIPE_IMPORTERS_COLLADA_INPUTS_H
#define CELLPIPE_IMPORTERS_COLLADA_INPUTS_H

#include "collada.h"

enum { CHANNEL_NORMAL, CHANNEL_COORDINATES, CHANNEL_COLOUR = CHANNEL_COORDINATES + CP_COORDINATE_SETS, CHANNELS };

/* The numbers of a channel, and where the indices to them are among those of a corner; view.numbers NULL: none. */
struct channel {
    struct collada_view view;
    uint32_t offset, source;
};

/* The channels of one primitive or several, which can share vertices. */
struct layout {
    struct channel channels[CHANNELS];
};

/* The inputs of a primitive, while they are looked at. */
struct picked {
    const struct collada_primitive *primitive;
    struct channel position;
    struct layout layout;
    uint32_t sets[CP_COORDINATE_SETS], set_count, stride;
    bool in_vertices; /* the inputs come from <vertices> */
};

/* Finds the inputs of a primitive, with those of <vertices>, and checks whether all indices are within their sources.
 * CP_INPUT, reported, if not. */
cp_status collada_find_inputs(struct collada_document *document, const struct collada_geometry *geometry,
                              const struct collada_primitive *primitive, struct picked *picked);

#endif
