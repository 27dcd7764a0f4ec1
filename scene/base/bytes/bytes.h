/* Bytes in and out. */
#ifndef CELLPIPE_BASE_BYTES_BYTES_H
#define CELLPIPE_BASE_BYTES_BYTES_H

#include "base/base.h"

/* Reads bytes: a file, gzip'd or not, standard input or memory, whole as memory (large files are mapped). */

struct source {
    cp_context *context;
    const char *name; /* its name in messages: relative to the top file's folder, or as given for the top file */
    const char *path; /* on disk; "" for memory and standard input */
    const char *folder, *name_folder; /* those of path and of name, "" or with a '/' at the end; the top file's name has
                                       * "" as its folder */
    const char *label; /* the name in outputs, whatever folder the file was found in: the top file's own name, and the
                        * names in its text, relative to it */
    const char *data;  /* size bytes, NUL after the last */
    size_t size;
    uint32_t depth;  /* 0 for the top file */
    bool ends_early; /* a gzip stream broke off (whoever needs the rest reports it) */
    const struct source *parent;
    struct archive *archive;    /* NULL, or the archive that it was unpacked from, where the files that it names are,
                                 * too */
    struct source_state *state; /* private */
};

/* Opens a further file that `parent` names by a path or a URI: the first existing one of the files that the name may
 * mean (resolve.h). CP_NO, unreported, when none exists. Errors are reported: "source-cycle" for a file that is one of
 * its own parents, "source-confined" for one outside the folders that confinement allows. The caller closes the source,
 * and has replaced backslashes. */
cp_status source_open(const struct source *parent, const char *name, struct source **opened);
/* Does the same for a file that formats of other systems name. It tries in this order: `name` as it is; `other`, by
 * which the format may mean the file as well (NULL: the name with %XX decoded); and the file beside `parent` that the
 * name, or else the other, means on another system (beside.h), with the warning "source-beside". Backslashes need not
 * be replaced. */
cp_status source_open_near(const struct source *parent, const char *name, const char *other, struct source **opened);
/* Opens a further file as source_open does. If there is none, it opens one whose path differs by upper and lower case
 * alone, with the warning "source-case". */
cp_status source_open_any_case(const struct source *parent, const char *name, struct source **opened);
/* Does the same as source_open_near for a picture, which a scene can do without: CP_NO, with a warning, when it is not
 * allowed or cannot be read. */
cp_status source_open_picture(const struct source *parent, const char *name, const char *other, struct source **opened);
/* Does the same for a file that the user names in an option, from the folder of `parent` or else the current one. It
 * may lie anywhere, and the files that it names may lie below its folder. */
cp_status source_open_option(const struct source *parent, const char *path, struct source **opened);
void source_close(struct source *source);
/* Converts bytes that are UTF-16 text, by its byte order mark, to UTF-8: for formats of text. Other bytes stay. */
cp_status source_decode(struct source *source);
/* Frees the memory of a mapped file before `at`, which will not be read soon. It may still be read. */
void source_forget(const struct source *source, const char *at);
/* Checks after reading: CP_INPUT when somebody has changed the file meanwhile, or, for the top file, one below it that
 * is closed by now. A file that is not mapped was read at once. */
cp_status source_check(const struct source *source);
/* Returns the line of a byte offset, from 1 (linear, so for messages only). */
uint64_t source_line(const struct source *source, size_t offset);

/* Used by plugins/isolate/: a file that another process has opened under these names, of the bytes in the buffer, which
 * it takes over even on failure. A NUL follows the last one. parent NULL: a top file. It is not recorded as read. */
cp_status source_of_bytes(const struct source *parent, const char *path, const char *name, const char *label,
                          struct buffer *bytes, struct source **opened);
/* Open the top file ("-": standard input), or memory, for read.c. */
cp_status source_open_top(cp_context *context, const char *path, struct source **opened);
cp_status source_from_memory(cp_context *context, const void *bytes, size_t size, const char *name,
                             struct source **opened);
/* Returns the files that were read so far for the top file `source`, itself included. */
struct inputs;
const struct inputs *source_inputs(const struct source *source);

/* The files that a scene was made of. */

struct input {
    const char *label; /* as outputs name it (source.h) */
    const char *path;  /* on the disk; "" for a source that cannot be read again: standard input, memory, a FIFO */
    uint64_t size;     /* size of the file on the disk */
    uint64_t changed;  /* the time of its last change, in nanoseconds */
    cp_hash hash;      /* hash of its bytes, from when they were read; zero: none was taken */
};

struct inputs {
    struct input *items;
    uint32_t count, room;
};

/* Finds the hash of the file's bytes on the disk, packed or not: the one from when they were read, else by reading them
 * again. False when that fails, for the reason *error (errno; 0: the file has changed since), or when there is no
 * path. */
bool input_hash(cp_context *context, const struct input *input, cp_hash *hash, int *error);

/* Lists the files that a name may mean: paths, and URIs of the schemes file, package and model. */

struct meant_file {
    const char *path; /* on disk */
    const char *name; /* for messages */
};

struct candidates {
    struct meant_file *items;
    uint32_t count;
};

/* Lists the files that `name`, as it stands in the file `parent`, may mean, in the order in which they are looked for.
 *
 * - /PATH and file:///PATH: that file.
 * - PATH and file://PATH: from the folder of `parent`; from each include folder.
 * - package://NAME/PATH and model://NAME/PATH: PATH from each folder of the package (cp_add_package_folder). If it has
 *   none, NAME/PATH from the folder of `parent`; from each folder above it, nearest first; from each include folder.
 *
 * In URIs %XX is decoded. A URI with a zero byte means no file, nor does one whose NAME is empty, ".", "..", or has a
 * slash. The list is in the arena. CP_LIMIT when out of memory. */
cp_status resolve_files(const struct source *parent, struct arena *arena, const char *name, struct candidates *list);
/* Tell whether the name is a URI of these schemes, or of file. */
bool uri_is_known(const char *name);
bool uri_is_file(const char *name);
/* Decodes %XX in place; *size is the new length. False when malformed: then a % is only a character. */
bool uri_decode(char *text, size_t *size);
/* Returns the name with %XX decoded, in the arena. The name itself, if that changes nothing or gives no name, and for a
 * URI of these schemes. NULL when out of memory. */
const char *uri_decoded(struct arena *arena, const char *name);
/* Returns what a name is that source_open does not find: "is not there; looked at A, B", with the option that gives a
 * package its folder; "is a folder"; or "is on the network, and cellpipe reads no network". */
const char *resolve_absence(const struct source *parent, struct arena *arena, const char *name);
/* Returns the same as an addition to another message: "; looked at A, B"; "" for a path, and when out of memory. */
const char *resolve_places(const struct source *parent, struct arena *arena, const char *name);

/* Finds the folder of a package of ROS for what the source names: the one that was given for it
 * (cp_add_package_folder), or else one whose package.xml has the name (disk.h: packages_find). NULL if there is none.
 * CP_LIMIT when out of memory. */
cp_status source_find_package(const struct source *source, const char *name, const char **folder);
/* Finds the absolute path of a file or folder ("": the current one), without links, in the arena. CP_NO if it is not
 * there. */
cp_status path_absolute(cp_context *context, struct arena *arena, const char *path, const char **absolute);
/* Lists the files whose paths match a pattern of the shell (*, ?, [...]), by name. A relative one is from the folder of
 * the source. The list is in the arena. */
cp_status source_match(const struct source *source, struct arena *arena, const char *pattern, const char ***paths,
                       uint32_t *count);

/* Finds further files that a format spells in several ways, or has in folders of its own. */

/* The rules of a format. */
struct file_search {
    const char *const *suffixes; /* tried in this order, ended by NULL; "" is the unchanged name */
    bool any_case;               /* tries all again with the path's last part in lower case; then in upper case */
    bool ignores_case;           /* at the end, all folders are tried again, by source_open_any_case */
    bool stays;                  /* a path that leaves its folder by ".." means no file */
    const struct source *base;   /* names the folders */
    const char **folders;        /* tried for relative paths, after the include folders */
    uint32_t folder_count, folder_room;
};

/* Writes the next spelling, NUL-ended; *attempt starts at 0. False after the last, for a name that means no file, and
 * when out of memory (spelled->failed). */
bool search_spell(const struct file_search *search, const char *name, uint32_t *attempt, struct buffer *spelled);
/* Opens the file of one spelling by source_open, or else in the folders. CP_NO when there is none. */
cp_status search_open(const struct file_search *search, const struct source *from, const char *spelled,
                      struct source **opened);
/* Opens the first file that any spelling finds. CP_NO when there is none. */
cp_status search_find(const struct file_search *search, const struct source *from, const char *name,
                      struct source **opened);
/* Tells whether the path leaves its folder by "..". */
bool path_leaves_folder(const char *path);
/* Tells whether no file can have this path, but a folder: "robot/", "..". */
bool path_names_folder(const char *path);

/* Unpacks compressed bytes: gzip files, and the parts of archives. */

/* Checks whether so many packed bytes may have expanded so far: CP_LIMIT, reported, for a bomb, long before it fills
 * the memory. what: "" or the words before "expands". */
cp_status unpack_check_expanded(const struct source *source, const char *what, uint64_t packed, uint64_t expanded);

bool is_gzip(const char *data, size_t size);
/* Appends the contents of the source's gzip'd bytes, with a NUL after the last byte. A stream that breaks off gives its
 * first part, and *ends_early. */
cp_status unpack_gzip(const struct source *source, struct buffer *plain, bool *ends_early);

/* A part of a source as ZIP archives have it: stored or deflated. */
struct packed {
    const char *data;
    size_t size;
    bool deflated;
    uint32_t full_size, checksum; /* expanded */
};
/* Checks whether size and checksum are right. It expands the part piece by piece, up to the limit. */
cp_status unpack_check(const struct source *source, const struct packed *packed, bool *whole);
/* Does the same, and puts the bytes into the buffer, which is empty before; a NUL follows the last one. *expanded: the
 * bytes to which all parts of the source have expanded; the limit bounds them. */
cp_status unpack_part(const struct source *source, const struct packed *packed, struct buffer *plain,
                      uint64_t *expanded, bool *whole);

/* Writes bytes: to a file that appears whole or not at all, a pipe, standard output or memory; gzip by suffix. */

struct sink;

/* Writes bytes. It never fails at once: the first error is kept, and sink_status and sink_close return it. */
void sink_write(struct sink *sink, const void *bytes, size_t size);
void sink_text(struct sink *sink, const char *text);
void sink_print(struct sink *sink, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sink_float(struct sink *sink, float value);   /* shortest exact text */
void sink_double(struct sink *sink, double value); /* shortest exact text */
/* Writes text between tags or in quotes of XML or HTML, escaped. Returns how many characters became U+FFFD, as XML does
 * not have them: control characters, U+FFFE, U+FFFF. */
size_t sink_markup(struct sink *sink, const char *text);
cp_status sink_status(const struct sink *sink);

/* Returns the output's name without folders and suffixes ("out/cell.wrl.gz" -> "cell"); "out" for standard output and
 * memory. Its bytes are the system's, perhaps not UTF-8. */
const char *sink_stem(const struct sink *sink);
/* Returns the output's file name without folders ("cell.gltf"). */
const char *sink_file_name(const struct sink *sink);
/* Tells whether no further file can lie beside the output. */
bool sink_is_stream(const struct sink *top);
/* Reports CP_USAGE if the top output is a stream, beside which no file can be. Call it before anything is written. */
cp_status sink_expect_further(const struct sink *top);
/* Tells whether a file of this name lies beside the top output already. */
bool sink_has_beside(const struct sink *top, const char *name);
/* Opens a further output beside the top one; relative may hold one folder ("d_Robot/part.wrl"), made as needed, and
 * must be safe already. CP_USAGE when the top output is a stream. The top sink owns it: sink_close_further ends it. */
cp_status sink_open(struct sink *top, const char *relative, struct sink **opened);
/* Returns a safe, unused name for a further output: letters, digits, - and _ of `wanted`, cut at 200; it differs from
 * all others by more than case. "_2", "_3" are appended if needed, then the suffix. In the context's memory as long as
 * the sink. */
const char *sink_safe_name(struct sink *top, const char *wanted, const char *suffix);
cp_status sink_close_further(struct sink *sink);
/* Writes a whole further output. */
cp_status sink_put(struct sink *top, const char *relative, const void *bytes, size_t size);

/* Packs by gzip, unless the name has demanded it already. Call it before anything is written. */
cp_status sink_pack(struct sink *sink);

/* Opens the top output, for write.c. path "-": standard output. */
cp_status sink_open_top(cp_context *context, const char *path, struct sink **opened);
cp_status sink_open_memory(cp_context *context, struct sink **opened);
/* Ends the whole output: puts all files in place when status is CP_OK and nothing failed, else removes all traces. */
cp_status sink_close(struct sink *sink, cp_status status);
/* Does the same as sink_close for memory; the bytes become the caller's. */
cp_status sink_close_memory(struct sink *sink, cp_status status, void **bytes, size_t *size);

/* Large outputs: chunks of bytes, made in several threads and written in order. */

struct chunks {
    uint32_t count;
    size_t largest; /* the most bytes of a chunk */
    /* Writes a chunk's bytes to out and returns their end. parallel_in_order calls it: it may use no context, and what
     * it keeps from call to call belongs to its slot. */
    char *(*make)(void *user, uint32_t chunk, uint32_t slot, char *out);
    void *user;
};

/* Writes all chunks. It takes memory only for a few chunks in each thread. */
cp_status write_chunks(cp_context *context, struct sink *sink, const struct chunks *chunks);

#endif
