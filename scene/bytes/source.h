/* Bytes in: a file, gzip'd or not, standard input or memory, whole as memory (large files are mapped). */
#ifndef CELLPIPE_SOURCE_H
#define CELLPIPE_SOURCE_H

#include "../memory.h"
#include "../report.h"

struct source {
    cp_context *context;
    const char *name; /* for messages: relative to the top file's folder, or as given for the top file */
    const char *path; /* on disk; "" for memory and standard input */
    const char *folder, *name_folder; /* of path and of name, "" or with a '/' at the end; the top file's name has "" */
    const char *label; /* as outputs name it, whatever folder it was found in: the top file's own name, and what its
                        * text names, relative to it */
    const char *data;  /* size bytes, NUL after the last */
    size_t size;
    uint32_t depth;  /* 0 for the top file */
    bool ends_early; /* a gzip stream broke off (reported by the one who needs the rest) */
    const struct source *parent;
    struct archive *archive;    /* NULL, or the one that it was unpacked from: the files that it names are there, too */
    struct source_state *state; /* private */
};

/* Opens a further file that `parent` names by a path or a URI: of the files that the name may mean (resolve.h), the
 * first that exists. CP_NO, unreported, when none does. Errors are reported: "source-cycle" for a file that is one of
 * its own parents, "source-confined" for one outside the folders that confinement allows. The caller closes the source,
 * and has replaced backslashes. */
cp_status source_open(const struct source *parent, const char *name, struct source **opened);
/* The same for a file that formats of other systems name. Looked for are, in this order: `name` as it is; `other`, by
 * which the format may mean the file as well (NULL: the name with %XX decoded); and the file beside `parent` that the
 * name, or else the other, means on another system (beside.h), with the warning "source-beside". Backslashes need not
 * be replaced. */
cp_status source_open_near(const struct source *parent, const char *name, const char *other, struct source **opened);
/* As source_open_near, for a picture, which a scene can do without: CP_NO, with a warning, when it may not be read or
 * cannot be. */
cp_status source_open_picture(const struct source *parent, const char *name, const char *other, struct source **opened);
/* The same for a file that the user names in an option, from the folder of `parent` or else the current one: it may lie
 * anywhere, and what it names may lie below its folder. */
cp_status source_open_option(const struct source *parent, const char *path, struct source **opened);
void source_close(struct source *source);
/* For formats of text: bytes that are UTF-16 text, by its byte order mark, become UTF-8. Other bytes stay. */
cp_status source_decode(struct source *source);
/* The bytes before `at` have been read for good: memory of a mapped file may go. They may still be looked at. */
void source_forget(const struct source *source, const char *at);
/* After reading: CP_INPUT when somebody has changed the file meanwhile, or, of the top file, one below it that is
 * closed by now. A file that is not mapped was read at once. */
cp_status source_check(const struct source *source);
/* The line of a byte offset, from 1 (linear: for messages only). */
uint64_t source_line(const struct source *source, size_t offset);

/* For isolate/: a file that another process has opened under these names, of the bytes in the buffer, which it takes
 * over even on failure. A NUL follows the last one. parent NULL: a top file. It is not recorded as read. */
cp_status source_of_bytes(const struct source *parent, const char *path, const char *name, const char *label,
                          struct buffer *bytes, struct source **opened);
/* For read.c: the top file ("-": standard input), or memory. */
cp_status source_open_top(cp_context *context, const char *path, struct source **opened);
cp_status source_from_memory(cp_context *context, const void *bytes, size_t size, const char *name,
                             struct source **opened);
/* The files that were read so far for the top file `source`, itself included. */
struct inputs;
const struct inputs *source_inputs(const struct source *source);

#endif
