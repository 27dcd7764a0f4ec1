/* A point so deep in both of two bodies that it stays in them whatever the joints do within a box. */
#ifndef CELLPIPE_INSIDE_H
#define CELLPIPE_INSIDE_H

#include "prove.h"

struct depth {
    bool common;  /* a common point was found, within half of the touch distance of each */
    double share; /* of what the joints can move at the best one, how much is within the depth; from 1 on they always
                     touch in the box */
};

/* Of the box whose middle the prover's poses and ends are at, and whose halves it has; the terms become what each
 * variable moves at the best point. touch: in units of the common ancestor's frame. work: points that are looked at are
 * added. */
struct depth look_inside(struct prover *prover, double touch, uint64_t *work);

#endif
