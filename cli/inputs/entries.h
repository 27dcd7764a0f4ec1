/* The inputs of a batch: one sorted list from files, folders, lists and manifests. */
#ifndef CELLPIPE_CLI_ENTRIES_H
#define CELLPIPE_CLI_ENTRIES_H

#include "line.h"

/* The manifest's facts on an input's contents. */
struct scan {
    cp_hash hash;                /* zero: the file could not be read */
    const char *format;          /* the importer's name; NULL: none knew the file */
    struct record_input *inputs; /* further files that were read; their times are 0 */
    uint32_t input_count;
    const char *fault; /* NULL, or why nothing of this is so */
};

/* A root is where names of inputs begin: the folder that the user has named, that of a named file, or that of --root.
 * Records tell it by its id, so that neither the spelling of a path nor the working folder matters, and a library can
 * move. */
enum { MOST_ROOT_ID = 64 }; /* bytes */
struct input_root {
    const char *id;    /* --root-id, or a hash of `path` */
    const char *path;  /* absolute, without links */
    const char *given; /* the user has spelt it so; a normal_path */
    bool is_named;     /* the user, or a manifest, has said the id */
};

struct entry {
    const struct input_root *root;
    const char *name;        /* the path below the root */
    uint64_t size;           /* the file's, when it was listed */
    int64_t modified;        /* nanoseconds since 1970, when it was listed */
    const struct scan *scan; /* NULL if nothing is known: without a manifest, and it has no fault */
};
/* Returns NULL, or why it cannot be read or written: the message of a record that needs no worker. */
static inline const char *entry_fault(const struct entry *entry)
{
    return entry->scan ? entry->scan->fault : NULL;
}

/* A kind of files that a walk left out. */
struct passed_over {
    const char *what; /* a suffix in lower case (".pdf"), or "no suffix", "hidden", "links to folders", ... */
    uint64_t count;
};

/* A folder that was walked: an input that is not found in it is gone. */
struct walked_folder {
    const char *path; /* absolute, without links */
    uint32_t inputs;  /* how many were found below it */
};

/* The list. Start: {0}. Free with entries_free before the cli's context. A million entries take about 80 MB. */
struct entries {
    struct arena *arena; /* all texts, roots and scans */
    struct entry *items; /* sorted bytewise by path; no path twice */
    uint32_t count, room;
    struct passed_over *passed_over; /* most frequent first */
    uint32_t passed_count, passed_room;
    struct input_root **roots; /* the entries' roots, in the order of the request; no folder twice */
    uint32_t root_count, root_room;
    struct name_map root_names, root_places, root_ids; /* `given`, path and id of each -> its index */
    struct walked_folder *walked; /* all folders among the INs, those of lists too; none with a manifest */
    uint32_t walked_count, walked_room;
    const char *unread; /* NULL if all INs were read whole; else the first folder or file that was not, and why */
    cp_context *context;
};

/* The user's request. LIST_OPTIONS are the rows of a command's options that fill it, WALK_OPTIONS those without
 * --root. */
struct list_request {
    struct list in;         /* files, folders, @LIST, @0LIST; @- and @0- are standard input */
    struct list only, skip; /* --only, --skip: globs on `name` (fnmatch; * matches / too) */
    const char *root;       /* --root DIR, or NULL */
    const char *root_id;    /* --root-id NAME, or NULL */
    const char *out_dir;    /* left out of walks; NULL: none */
};
#define WALK_OPTIONS(settings, member)                                                                                 \
    {"--only",                                                                                                         \
     "of the files in folders, take those whose name matches GLOB, whatever their suffix; with a / in it, "            \
     "GLOB is for the path below the folder",                                                                          \
     CP_OPTION_STRING,                                                                                                 \
     offsetof(settings, member.only),                                                                                  \
     .value = "GLOB",                                                                                                  \
     .repeats = true},                                                                                                 \
    {                                                                                                                  \
        "--skip", "in folders, leave out files and folders whose name matches GLOB", CP_OPTION_STRING,                 \
            offsetof(settings, member.skip), .value = "GLOB", .repeats = true                                          \
    }
#define LIST_OPTIONS(settings, member)                                                                                 \
    WALK_OPTIONS(settings, member),                                                                                    \
    {                                                                                                                  \
        "--root", "name outputs by the paths of inputs below DIR", CP_OPTION_PATH, offsetof(settings, member.root),    \
            .value = "DIR"                                                                                             \
    }

/* Fills the entries, sorted. An IN that is missing or no file is an entry with a fault, so that a batch reports it as
 * failed. Files that cannot be read have none: the worker finds out. CP_USAGE, reported: "-" as an input, no input at
 * all, an input outside --root, an output folder that is itself walked. CP_INPUT, reported: a list that cannot be
 * read. */
cp_status list_entries(struct cli *cli, const struct list_request *request, struct entries *entries);
/* Returns whether walks pass over the folder NAME; `path` leads to it from the folder that the user named. */
bool is_passed_over(const struct list_request *request, const char *path, const char *name);
void entries_free(struct entries *entries);
/* Returns the entry of that name below that root, or NULL. */
const struct entry *entries_find(const struct entries *entries, const struct input_root *root, const char *name);
/* Returns the path to open, in the arena: never "-", never with "//" or "/./" in it. NULL when out of memory. */
const char *entry_path(struct arena *arena, const struct entry *entry);
/* Prints the files that walks left out: "passed over: 3 .pdf, 1 no suffix"; nothing if there are none. */
void print_passed_over(const struct passed_over *items, uint32_t count, FILE *file);

/* ---- for the files of this folder ---- */

/* Lets the entry's file name any file below the folder that the user has named. */
cp_status allow_library(struct cli *cli, const struct entry *entry);

/* Makes the arena. */
bool entries_open(struct cli *cli, struct entries *entries);
/* Returns the root of that folder, a normal_path that stays; it is spelt as at first. NULL when out of memory, or
 * reported: the working folder has no path. */
const struct input_root *entries_root(struct cli *cli, struct entries *entries, const char *given);
/* The same of a root whose id is given; NULL: it is that of its path. */
const struct input_root *entries_root_named(struct cli *cli, struct entries *entries, const char *given,
                                            const char *id);
/* Returns the root that a run has known as `other`, by its id or its place. NULL: none. */
const struct input_root *entries_root_of(const struct entries *entries, const struct input_root *other);
/* The same, or by its spelling, as a list of inputs may be read in another folder or on another host than that of the
 * run. */
const struct input_root *entries_root_like(const struct entries *entries, const struct input_root *other);
/* Leaves this root alone, to which all entries belong. False when out of memory. */
bool entries_keep_root(struct entries *entries, const struct input_root *root);
/* Lets a run and the state call a library by one id: the one that was said, or else the one that is known. */
struct state;
cp_status entries_agree_on_ids(struct entries *entries, struct state *state);
/* Gives the only root that id. CP_USAGE, reported, if there are several. */
cp_status entries_name_root(struct cli *cli, struct entries *entries, const char *id);
/* Adds an entry of a name that stays; NULL if root is NULL, or when out of memory. */
struct entry *entries_add(struct entries *entries, const struct input_root *root, const char *name);
/* Gives an entry a fault, a text that stays. False when out of memory. */
bool entries_set_fault(struct entries *entries, struct entry *entry, const char *fault);
/* Sorts by path and drops doubles: of two with one path, the one with the longer name stays. */
void entries_sort(struct entries *entries);
/* Drops an entry whose file is one of a folder above, too, however that is spelt. They are sorted. */
cp_status entries_drop_inner(struct cli *cli, struct entries *entries);
/* Sorts by counts, then by what. */
void sort_passed_over(struct passed_over *items, uint32_t count);
/* Prints "FILE:LINE: warning: TEXT" unless --quiet, and adds it to the report; line 0: none. */
void warn(struct cli *cli, const char *code, const char *file, uint64_t line, const char *text);

/* ---- paths.c ---- */

/* Returns "a/b" for "a//b/./": one path has one text. In the arena; NULL when out of memory. */
char *normal_path(struct arena *arena, const char *path, size_t size);
/* Returns the same for "FOLDER/PATH", or for PATH alone if that is absolute. */
char *whole_path(struct arena *arena, const char *folder, const char *path);
/* Removes "FOLDER/.." from a normal absolute path, so that two spellings of one place are one text. */
void resolve_dots(char *path);
/* Returns the absolute path without links; of what is not there, that without dots. `here`: the working folder. */
char *resolve_links(struct arena *arena, const char *here, const char *path);
/* Returns the path of a name in a folder, which is a normal_path: the name itself in ".", and in "", which nobody
 * knows. */
const char *join_path(struct arena *arena, const char *folder, const char *name);
/* Returns the part of the path behind the folder; NULL when it is not below. Both are a normal_path. */
const char *path_below(const char *path, const char *folder);
/* Finds the absolute path of the working folder, in the arena. CP_INPUT, reported, if it has none. */
cp_status current_folder(struct cli *cli, struct arena *arena, const char **folder);
/* Returns true if the path stays below the folder that it is joined to. */
bool is_plain_name(const char *path);

/* Keeps the entries that are chosen, by their places. */
void entries_keep(struct entries *entries, const bool *chosen);

#endif
