/* Pictures: their type and size by their first bytes. Nobody decodes them. */
#ifndef CELLPIPE_IMAGE_H
#define CELLPIPE_IMAGE_H

#include "build.h"
#include "bytes/source.h"

/* The media type by the first bytes, else by the suffix of the path ("": none). "" when unknown. A literal. */
const char *image_type(const unsigned char *bytes, size_t size, const char *path);
/* The suffix of files of a media type, with its dot; NULL when unknown. */
const char *image_suffix(const char *type);
/* Width and height of a PNG or JPEG image in pixels. False for others, and when there is no such number. */
bool image_size(const cp_image *image, uint32_t size[2]);
/* Whether a PNG or JPEG image has no colours. */
bool image_is_grey(const cp_image *image);
/* A text that images of equal bytes and type share; in the arena, NULL when out of memory. */
const char *image_key(struct arena *arena, const cp_image *image);
/* Adds the image in a file that `parent` names by a path or URI, or by `other` (as in source_open_picture). Without
 * such a file, the image has its path alone, and a warning with this code says why. *image CP_NONE after an error. */
cp_status scene_read_image(cp_scene *scene, const struct source *parent, const char *path, const char *other,
                           const char *code, uint32_t *image);

#endif
