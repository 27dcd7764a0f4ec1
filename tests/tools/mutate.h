/* mutate.c and mutate_cad.c share these. */
#ifndef CELLPIPE_TESTS_MUTATE_H
#define CELLPIPE_TESTS_MUTATE_H

#include <stddef.h>
#include <stdint.h>

struct bytes {
    unsigned char *data;
    size_t size, room;
};

uint64_t draw(void);
size_t below(size_t limit);

/* Puts `size` bytes in the place of `gone` bytes at `at`, if there is room. */
void replace(struct bytes *bytes, size_t at, size_t gone, const void *with, size_t size);

/* Damages any file in one place. */
void damage(struct bytes *bytes);

enum cad_text { CAD_TEXT_NONE, CAD_TEXT_STEP, CAD_TEXT_IGES };

enum cad_text cad_text_of(const unsigned char *data, size_t size);

/* Damages STEP or IGES in one place, so that the text mostly stays well-formed. */
void damage_cad(struct bytes *bytes, enum cad_text kind);

#endif
