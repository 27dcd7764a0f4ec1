/* Bodies at a moment: how near are they to each other, in the world? */
#ifndef CELLPIPE_NEAR_H
#define CELLPIPE_NEAR_H

#include "body.h"

struct placed {
    const struct body *body;
    const cp_pose *world; /* of its frame; the caller's */
    cp_pose inverse;      /* where it has one */
    bool is_invertible;
    double scale; /* by which the pose stretches all alike; 0 when it does not */
};

/* world must stay as long as placed is used. */
void place_body(struct placed *placed, const struct body *body, const cp_pose *world);
/* The box along the world's axes that a box of the body is in. */
void placed_box(const struct placed *placed, const struct bvh_box *box, double centre[3], double half[3]);
/* The distance of two bodies in metres, up to rounding: 0 where they meet, or one is in a solid of the other. Above
 * `most` some value above it when it is more than that, or when nothing of theirs can be near each other, as two
 * planes. */
double bodies_distance(const struct placed *one, const struct placed *other, double most);

#endif
