/* Files on the disk: which were read and written, where they may lie, and how they appear whole. */
#ifndef CELLPIPE_BASE_BYTES_DISK_H
#define CELLPIPE_BASE_BYTES_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "bytes.h"

/* The record of all files that went through a context, by their identity on the disk: for scene/ only. */

enum file_use { FILE_READ = 1, FILE_WRITTEN = 2 };

struct file_record {
    const char *path; /* as opened; "" for standard input */
    unsigned use;     /* FILE_... */
    dev_t device;
    ino_t inode; /* 0 when it is no regular file */
};

/* Records a file with a copy of its path. A file whose path or place on the disk is recorded already takes no more
 * memory. */
cp_status files_record(cp_context *context, struct file_record file);
/* Returns true if the path leads, under any name, to a file that was read or written (any of the bits `uses`), and that
 * is still the same file. */
bool files_known(const cp_context *context, const char *path, unsigned uses);
void files_free(cp_context *context);

/* The files that a context lists under CP_FLAG_LIST_FILES: for scene/ only. */

struct file_list;

/* Lists a file, whose path is copied, unless it is listed with this use and hash already. Does nothing without the
 * flag. CP_LIMIT when out of memory. */
cp_status list_file(cp_context *context, cp_file file);
/* Does the same for a file that was looked for and cannot be opened. */
cp_status list_missing(cp_context *context, const char *path);
/* Sets cp_file.format, which must stay, of a file that was read; does nothing if the file is not listed. */
void list_format(cp_context *context, const char *path, const char *format);
/* Drops what was listed after the first `count` files. */
void list_cut(cp_context *context, size_t count);
void list_free(cp_context *context);

/* A file's bytes as memory, which the kernel reads on first use: for source.c. */

struct mapping {
    char *data; /* size bytes and a NUL that no change of the file can touch; NULL: not mapped */
    size_t size;
    size_t forgotten; /* bytes from the start */
};

/* Maps the first size bytes of an open file. False when it cannot be mapped or has fewer bytes; then the caller reads
 * it. If somebody cuts the file short while it is mapped, an access behind its new end raises SIGBUS. */
bool mapping_open(struct mapping *mapping, int file, size_t size);
/* Frees the memory of the first `size` bytes, which will not be needed soon. A later access reads them again. */
void mapping_forget(struct mapping *mapping, size_t size);
/* Unmaps the bytes, if any. */
void mapping_close(struct mapping *mapping);

/* Returns what realpath does, for free(), by three calls of the system however long the path is. NULL and errno. */
char *real_path(const char *path);

/* Folders below which further files may lie: for source.c. */

struct allowed_root {
    char
        *path; /* real: absolute, without links; NULL: not asked for yet, or no such folder, below which nothing lies */
    int file;  /* the folder */
};

/* Fills the root of a folder ("": the current one). Close it in any case. */
void root_open(struct allowed_root *root, const char *folder);
void root_close(struct allowed_root *root);
/* Tells whether the real path is the folder's or below it. */
bool root_holds(const struct allowed_root *root, const char *real);
/* Opens a file below the root for reading, by its real path. Even if somebody changes that path in the meantime, the
 * file lies below the folder: no link is followed from there. -1 and errno; ELOOP or ENOTDIR if there is a link now. */
int root_open_file(const struct allowed_root *root, const char *real);

/* Packages of ROS: folders with a package.xml, which says the package's name. */

/* Packages are looked for in this order. */
enum package_place { PLACE_ABOVE, PLACE_BELOW, PLACE_BESIDE, PLACE_INCLUDED, PLACE_ENVIRONMENT, PLACE_COUNT };
/* The packages that were found from a file's folder. All zero at first. */
struct packages {
    struct arena *arena;      /* NULL: nothing was looked for yet */
    enum package_place place; /* the first that was not looked at yet */
    struct name_map names;
    const char **folders;
    uint32_t count, room;
    uint32_t looked_at; /* folders; their number is bounded */
};
/* Finds the folder of a package, NULL if there is none: the folder itself and those above it; what lies right
 * below it; what lies beside the nearest package, then one level further out and in; the include folders and two levels
 * below them; the folders of ROS_PACKAGE_PATH and two levels below them; share/ of those of AMENT_PREFIX_PATH. Of
 * several of a name the first one counts. CP_LIMIT when out of memory. */
cp_status packages_find(cp_context *context, struct packages *packages, const char *folder, const char *name,
                        const char **found);
void packages_free(cp_context *context, struct packages *packages);
/* Returns the folder that was given for a package (cp_add_package_folder), the first one; or NULL. */
const char *package_given(const cp_context *context, const char *name);
/* Returns the nearest package that the folder is or lies in: a real path for free(), or NULL. */
char *package_above(const char *folder);

/* Files beside the one that names them, under names as other systems write them. */

/* This is what was compared for one top file. It is all zero at first. */
struct comparison {
    uint64_t entries;        /* names in folders, whose number is bounded: beyond that, nothing is found */
    struct arena *arena;     /* NULL: no folder is known yet */
    struct name_map folders; /* path -> 1: it is there; 0: not in letters of any case either */
};
void comparison_free(struct comparison *comparison);

/* Finds the file that `name`, as it stands in the file `parent`, means on another system. Letters may be of another
 * case, '\' may separate folders, and only the last part of an absolute path counts ("/home/x/a.png", "C:\x\a.png",
 * "\\server\x\a.png", a file URI). *path is relative to the folder of `parent`, in the arena, and exists. CP_NO without
 * such a file, for URIs of other schemes, and for paths that leave the folder. */
cp_status find_beside(const struct source *parent, struct arena *arena, const char *name, struct comparison *comparison,
                      const char **path);
/* Finds the file `name` of the folder ("": the current one) whose parts may have letters of another case. *path: the
 * name as it is there, in the arena. CP_NO without such a file. */
cp_status find_any_case(cp_context *context, struct arena *arena, const char *folder, const char *name,
                        struct comparison *comparison, const char **path);
/* Returns the name as a path relative to the folder, whether or not it exists, in the arena; NULL if it can be no path,
 * or when out of memory (*failed). */
char *beside_path(struct arena *arena, const char *name, bool *failed);

/* Returns the code of an error of writing: "sink-full" if there is no room, as then nothing else can be written, either;
 * else `code`. */
const char *code_of_output(int error, const char *code);

/* The target of an output: a file that appears whole or not at all, or a path that is written in place. For sink.c. */

struct target {
    const char *path;      /* symbolic links resolved; NULL for standard output and memory */
    const char *temporary; /* the file's name until it is put in place, else NULL */
    bool is_nameless;      /* the file does not have that name yet: it exists only as an open descriptor */
    int file;              /* the descriptor; -1: none, or memory */
    bool through;          /* written in place: a device, FIFO, socket or standard output */
    enum {
        PLACED_NOT,
        PLACED_NEW,     /* there was no file */
        PLACED_FOR_OLD, /* the old file has the temporary name */
        PLACED_FOR_GOOD /* the old file is gone */
    } placed;
};

/* Opens the path for writing, or a temporary file for it, without a name if the system has such files. Its strings are
 * in the arena. CP_USAGE when a file that was read would be replaced, or one that was written where that is not
 * allowed. */
cp_status target_open(cp_context *context, struct arena *arena, const char *path, struct target *target);
/* Reports CP_OUTPUT if it is clear, before there is anything to write, that the path cannot be opened. */
cp_status target_expect(cp_context *context, const char *path);
/* Gets the stat of the target; false if it is written in place. */
bool target_stat(const struct target *target, struct stat *info);
/* Gives a file without a name its temporary one, and closes it. */
cp_status target_name(cp_context *context, struct target *target);
/* Records the temporary file as one that was written, before it is put in place, as nothing may fail afterwards.
 * CP_USAGE if the file that it would replace was read meanwhile. */
cp_status target_record(cp_context *context, const struct target *target);
/* Gives the temporary file its name. The permissions of a replaced file stay. keeps_old: the replaced file stays under
 * the temporary name, if the file system can do that, until target_remove. */
cp_status target_put_in_place(cp_context *context, struct target *target, bool keeps_old);
/* Undoes that, unless the old file is gone for good. */
void target_take_back(struct target *target);
/* Removes a temporary file that is still there. */
void target_remove(struct target *target);

/* Temporary files: .cellpipe-HOST-PID-RANDOM beside the output. For target.c and link.c. */

/* Opens a file without a name in the folder; it vanishes with its process. -1 if the system has none, or if the file
 * could not get a name later. */
int open_nameless(const char *folder, mode_t mode);
/* Returns a new name each time, in the path's folder. In the arena; NULL when out of memory. */
const char *temporary_name(struct arena *arena, const char *path);

/* When the file was changed for the last time, in nanoseconds. */
static inline uint64_t time_of_change(const struct stat *info)
{
    return (uint64_t)info->st_mtim.tv_sec * UINT64_C(1000000000) + (uint64_t)info->st_mtim.tv_nsec;
}

#endif
