/* Pixels: PNG and JPEG images decoded, for exporters that cannot hand the files on, and PNG images written. */
#ifndef CELLPIPE_VIEW_PIXELS_H
#define CELLPIPE_VIEW_PIXELS_H

#include "base/bytes/bytes.h"
#include "model/model.h"

struct pixels {
    uint32_t width, height, channels; /* grey, grey and alpha, RGB, RGBA */
    unsigned char *bytes;             /* the upper row first; the arena's. NULL: none */
};

/* Decodes an image of at most 2^24 pixels. No bytes if it is larger, of another type or damaged. CP_LIMIT when out of
 * memory, or if the library that decodes it cannot be loaded. */
cp_status pixels_decode(cp_context *context, struct arena *arena, const cp_image *image, struct pixels *pixels);

/* The package without which PNG images cannot be written; NULL: it is there. */
#ifdef HAVE_PNG
#define PNG_PACKAGE NULL
#else
#define PNG_PACKAGE "libpng-dev"
#endif

/* Writes a PNG image row by row: 8 bits, sRGB, RGB or RGBA. */
struct pixel_writer;
/* CP_LIMIT when out of memory; then there is no writer. */
cp_status pixels_begin(cp_context *context, struct sink *sink, uint32_t width, uint32_t height, bool alpha,
                       struct pixel_writer **writer);
/* Writes rows, the upper one first. */
cp_status pixels_rows(struct pixel_writer *writer, const unsigned char *bytes, uint32_t rows);
/* Frees the writer; NULL is allowed. complete: all rows have been written, and the image is ended before. */
cp_status pixels_end(struct pixel_writer *writer, bool complete);

#endif
