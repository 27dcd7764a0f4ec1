/* A proof that two bodies touch however the joints between them turn. */
#ifndef CELLPIPE_ALWAYS_H
#define CELLPIPE_ALWAYS_H

#include "../body/body.h"
#include "chain.h"

/* True when a point that no joint between the bodies moves lies in both of them, or within touch / 2 (metres) of both:
 * a point on the axis of the one joint, or the point that is common to the axes of several. False tells nothing. */
cp_status prove_touching(cp_context *context, const struct chain *chain, const struct body *const bodies[2],
                         double touch, bool *touching);

#endif
