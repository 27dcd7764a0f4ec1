/* Bounds what the joints of a box may take off a gap between two bodies, or between balls that hold them. Only proofs
 * use it.
 */
#ifndef CELLPIPE_COLLIDE_PROOF_BOUND_H
#define CELLPIPE_COLLIDE_PROOF_BOUND_H

#include <math.h>

#include "proof.h"

#include "base/text/text.h"

/* The axis of a motion at the prover's poses, in the common ancestor's frame. */
struct axis {
    double unit[3], origin[3];
    double length; /* of a step of 1 along it */
    bool slides;
};

struct axis axis_of(const struct prover *prover, uint32_t motion);
/* Finds where a point lies, seen from an axis: its height along it, and its distance from it. */
void seen_from_axis(const struct axis *axis, const double point[3], double *height, double *distance);

/* Returns how far apart two places of a circle of radius 1 are, or may be from an angle of PI on. */
static inline double chord_of(double angle)
{
    return angle < PI ? 2 * sin(angle / 2) : 2;
}

/* A part of the way between two bodies whose joints are followed one by one. Of the joints next to a body that it
 * leaves out, only a ball is known that holds the body whatever these joints do. */
struct part {
    uint32_t left_out[2]; /* so many joints next to each body; 0: the body has its hull, and no ball */
    double centres[2][3]; /* of the balls, in the common ancestor's frame */
    uint32_t split;       /* the joints before this place of the way move the first end, the others the second */
};

/* Returns the largest distance from the motion's axis of what is at an end of the part; of a ball, of its centre. */
double radius_at(struct prover *prover, const struct part *part, int side, uint32_t motion, const struct axis *axis);
/* Sets what each variable may take off the gap between the ends of the part. Returns their sum. normal: of the gap,
 * from the first end to the second; NULL for any direction. */
double sum_terms(struct prover *prover, const struct part *part, const double *normal, double *terms);

/* Searches a part of the way whose ends stay farther apart than the clearance, as the bodies do then. Returns the
 * distance beyond the clearance, or 0 if there is no such part. Then, if a proof by some part seems less work than by
 * the hulls, which are `gap` apart, the prover's terms become that part's. clearance: in units of the common ancestor's
 * frame. */
double find_room(struct prover *prover, double gap, double clearance);

#endif
