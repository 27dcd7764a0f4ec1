/* Texture coordinates of a surface that is being simplified. */
#ifndef CELLPIPE_TEXTURE_H
#define CELLPIPE_TEXTURE_H

#include "collapse.h"

/* More than two only where an edge has more than two faces. */
enum { MOST_SIDES = 8 };

/* One side of an edge: the coordinates at both of its ends, and those of the vertex that the ends become. */
struct seam_side {
    float ends[2][COORDINATES], to[COORDINATES];
};

/* What a collapse does to the texture. */
struct carried {
    uint32_t count;
    struct seam_side sides[MOST_SIDES];
    bool stays[2]; /* an end is where the new vertex is: its coordinates stay */
    double shift;  /* texels by which the texture is off at the new vertex, about, with all collapses before */
    double slide;  /* the same of this collapse, as a length on the surface */
};

/* The edge's ends meet at `to`, with these faces at them. False when it must stay: it would close a seam. */
bool carry_texture(const struct workspace *work, const struct star stars[2], const struct candidate *edge,
                   const double to[3], struct carried *carried);
/* Gives a corner at an end (0: edge->a) the coordinates of the new vertex. */
void replace_coordinates(const struct carried *carried, int end, float coordinates[COORDINATES]);

#endif
