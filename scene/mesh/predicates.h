/* Signs of determinants, exact for any doubles whose products neither overflow nor come near the smallest ones (lengths
 * of 1e-90 to 1e90 are far from both); 0 where they overflow. */
#ifndef CELLPIPE_MESH_PREDICATES_H
#define CELLPIPE_MESH_PREDICATES_H

/* 1 when a, b, c turn left seen along the two axes, from the first to the second; -1 when right; 0 on one line. */
int side_of_line(const double a[3], const double b[3], const double c[3], const int axes[2]);
/* 1 when d is on the side of the plane from which a, b, c turn left; -1 on the other; 0 in the plane, or where there is
 * none. */
int side_of_plane(const double a[3], const double b[3], const double c[3], const double d[3]);

#endif
