/* A font for the names below pictures. */
#ifndef CELLPIPE_VIEW_FONT_H
#define CELLPIPE_VIEW_FONT_H

#include <stdint.h>

/* A letter, and how much lower than the others those with a tail stand. */
enum { FONT_WIDTH = 5, FONT_HEIGHT = 7, FONT_DROP = 2 };

/* Returns the rows of a letter, the upper one first; bit 4 is the leftmost pixel. What is no printable ASCII is a
 * box. *drop: how many rows lower it stands. */
const unsigned char *font_letter(unsigned char letter, uint32_t *drop);

#endif
