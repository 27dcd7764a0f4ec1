/* Which way three points turn, exactly. */
#ifndef CELLPIPE_SIDE_H
#define CELLPIPE_SIDE_H

#include "../../predicates.h"

static inline int side_of_points(const float a[2], const float b[2], const float c[2])
{
    const double p[3] = {(double)a[0], (double)a[1]}, q[3] = {(double)b[0], (double)b[1]},
                 r[3] = {(double)c[0], (double)c[1]};
    return side_of_line(p, q, r, (const int[]){0, 1});
}

#endif
