/* A triangle and a point. */
#ifndef CELLPIPE_TRIANGLE_H
#define CELLPIPE_TRIANGLE_H

/* The squared distance of a point from a triangle; the nearest place's shares of corners 0 and 1. */
double triangle_distance(const double point[3], const double *const corners[3], double shares[2]);

#endif
