/* The files that a context lists under CP_FLAG_LIST_FILES: for scene/ only. */
#ifndef CELLPIPE_LISTING_H
#define CELLPIPE_LISTING_H

#include "../memory.h"

struct file_list;

/* Lists a file, whose path is copied, unless it is listed with this use and hash already. Nothing without the flag.
 * CP_LIMIT when out of memory. */
cp_status list_file(cp_context *context, cp_file file);
/* The same for a file that was looked for and cannot be opened. */
cp_status list_missing(cp_context *context, const char *path);
/* cp_file.format, which must stay, of a file that was read; nothing if it is not listed. */
void list_format(cp_context *context, const char *path, const char *format);
/* Drops what was listed after the first `count` files. */
void list_cut(cp_context *context, size_t count);
void list_free(cp_context *context);

#endif
