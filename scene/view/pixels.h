/* Pixels of PNG and JPEG images, for exporters that cannot hand the files on. */
#ifndef CELLPIPE_VIEW_PIXELS_H
#define CELLPIPE_VIEW_PIXELS_H

#include "model/model.h"

struct pixels {
    uint32_t width, height, channels; /* grey, grey and alpha, RGB, RGBA */
    unsigned char *bytes;             /* the upper row first; the arena's. NULL: none */
};

/* Decodes an image of at most 2^24 pixels. No bytes if it is larger, of another type or damaged. CP_LIMIT when out of
 * memory. */
cp_status pixels_decode(struct arena *arena, const cp_image *image, struct pixels *pixels);

#endif
