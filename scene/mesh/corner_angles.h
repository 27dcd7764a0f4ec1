/* Inner angles at the corners of faces, in floats, within 3e-7. */
#ifndef CELLPIPE_CORNER_ANGLES_H
#define CELLPIPE_CORNER_ANGLES_H

#include "polygon.h"

enum { LANES = 8 }; /* angles that are found at once */

/* Angles of 0 .. pi by their sines and cosines, the two of any common length; 0 where both are 0. */
void find_angles(const double sines[LANES], const double cosines[LANES], float angles[LANES]);
/* The inner angles of a face, 0 .. 2 pi. angles: room for polygon->count. */
void polygon_angles(const struct polygon *polygon, float *angles);

#endif
