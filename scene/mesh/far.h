/* Meshes far from their origin. Single precision has 24 bits: at 1e7 m, floats are 1 m apart. A reader whose file says
 * more gives such a mesh an origin of its own, and the instance's transform, in double, takes that. */
#ifndef CELLPIPE_FAR_H
#define CELLPIPE_FAR_H

#include "../pose.h"

/* A mesh is far if it is more than so many times its size (the diagonal of its box) away from its origin. Nearer,
 * single precision moves no vertex by more than 1e-4 of the size. */
enum { FAR_SIZES = 1000 };

/* A coordinate as the mesh has it. */
static inline float near_origin(double coordinate, double origin)
{
    return (float)(coordinate - origin);
}

/* A box in that relation to the origin. */
bool box_is_far(const double lower[3], const double upper[3]);

/* True if the vertices are far from the origin; those that are not finite do not count. origin: the first one's place;
 * zeros if they are near. Vertices of ordinary meshes are looked at only until they cannot be far any more. */
bool find_far_origin(const float *positions, uint32_t count, double origin[3]);

/* The places as positions, from the origin that find_far_origin has for them. */
void place_near_origin(const double *places, uint32_t count, float *positions, double origin[3]);

/* The pose of an instance whose mesh got the origin; the same bits if that is zero. */
cp_pose pose_from_origin(const cp_pose *pose, const double origin[3]);

#endif
