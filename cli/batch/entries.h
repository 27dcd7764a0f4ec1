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
};

struct entry {
    const char *in;          /* the path to open: never "-", never with "//" or "/./" in it */
    const char *name;        /* relative to the IN under which it was found, or to --root; the end of `in` */
    const char *out;         /* the output's path, below the output folder; NULL until name_outputs */
    uint64_t size;           /* the file's, when it was listed */
    int64_t modified;        /* nanoseconds since 1970, when it was listed */
    const char *fault;       /* NULL; or why it cannot be read or written: the message of a record that needs no
                              * worker */
    const struct scan *scan; /* NULL without a manifest */
};

/* A kind of files that a walk left out. */
struct passed_over {
    const char *what; /* a suffix in lower case (".pdf"), or "no suffix", "hidden", "links to folders", ... */
    uint64_t count;
};

/* A folder that the user has named. */
struct input_root {
    const char *path; /* as a normal_path */
    uint32_t inputs;  /* how many were found below it */
};

/* The list. Start: {0}. Free with entries_free before the cli's context. A million entries take about 200 MB. */
struct entries {
    struct arena *arena; /* all texts and scans */
    struct entry *items; /* sorted bytewise by `in`; no `in` twice */
    uint32_t count, room;
    struct passed_over *passed_over; /* most frequent first */
    uint32_t passed_count, passed_room;
    struct input_root *roots; /* all folders among the INs, those of lists too; none with a manifest */
    uint32_t root_count, root_room;
    const char *unread; /* NULL if all INs were read whole; else the first folder or file that was not, and why */
    cp_context *context;
};

/* The user's request. LIST_OPTIONS are the rows of a command's options that fill it. */
struct list_request {
    struct list in;         /* files, folders, @LIST, @0LIST; @- and @0- are standard input */
    struct list only, skip; /* --only, --skip: globs on `name` (fnmatch; * matches / too) */
    const char *root;       /* --root DIR, or NULL */
    const char *out_dir;    /* left out of walks; NULL: none */
};
#define LIST_OPTIONS(settings, member)                                                                                 \
    {"--only",                                                                                                         \
     "of the files in folders, take those whose name matches GLOB, whatever their suffix; with a / in it, "            \
     "GLOB is for the path below the folder",                                                                          \
     CP_OPTION_STRING,                                                                                                 \
     offsetof(settings, member.only),                                                                                  \
     .value = "GLOB",                                                                                                  \
     .repeats = true},                                                                                                 \
        {"--skip",         "in folders, leave out files and folders whose name matches GLOB",                          \
         CP_OPTION_STRING, offsetof(settings, member.skip),                                                            \
         .value = "GLOB",  .repeats = true},                                                                           \
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
/* Returns the entry of that path, or NULL. */
const struct entry *entries_find(const struct entries *entries, const char *in);
/* Prints the files that walks left out: "passed over: 3 .pdf, 1 no suffix"; nothing if there are none. */
void print_passed_over(const struct passed_over *items, uint32_t count, FILE *file);

/* ---- for the files of this folder ---- */

/* Lets the entry's file name any file below the folder that the user has named. */
cp_status allow_library(struct cli *cli, const struct entry *entry);

/* Makes the arena. */
bool entries_open(struct cli *cli, struct entries *entries);
/* Adds an entry of these texts, which must stay; NULL when out of memory. */
struct entry *entries_add(struct entries *entries, const char *in, const char *name);
/* Sorts by `in` and drops doubles: of two with one path, the one with the longer name stays. */
void entries_sort(struct entries *entries);
/* Sorts by counts, then by what. */
void sort_passed_over(struct passed_over *items, uint32_t count);
/* Returns "a/b" for "a//b/./": one path has one text. In the arena; NULL when out of memory. */
char *normal_path(struct arena *arena, const char *path, size_t size);
/* Returns the same for "FOLDER/PATH", or for PATH alone if that is absolute. */
char *whole_path(struct arena *arena, const char *folder, const char *path);
/* Removes "FOLDER/.." from a normal absolute path, so that two spellings of one place are one text. */
void resolve_dots(char *path);
/* Finds the absolute path of the working directory, in the arena. CP_INPUT, reported, if it has none. */
cp_status current_folder(struct cli *cli, struct arena *arena, const char **folder);
/* Returns true if the path stays below the folder that it is joined to. */
bool is_plain_name(const char *path);
/* Prints "FILE:LINE: warning: TEXT" unless --quiet, and adds it to the report; line 0: none. */
void warn(struct cli *cli, const char *code, const char *file, uint64_t line, const char *text);

/* ---- manifest.c ---- */

/* Reads a manifest: entries with scans; sorted. CP_INPUT, reported, with file and line. */
cp_status manifest_read(struct cli *cli, const char *path, struct entries *entries);
/* --whole-cells: drops entries that another entry names as a further file. Of a cycle, the first by path stays.
 * Needs scans: call manifest_scan before, if there is no manifest. */
cp_status keep_whole_cells(struct cli *cli, struct entries *entries);
/* Reads all files and fills the scans: cli->threads at a time. The batch handles those that cannot be read. */
cp_status manifest_scan(struct cli *cli, struct entries *entries);

enum balance { BALANCE_SIZE, BALANCE_HASH };
struct shard {
    uint32_t index, count; /* 0 <= index < count; count 0: everything */
    int balance;
};
/* Reads "3/64" of --shard, or leaves the shard as it is (NULL). CP_USAGE, said. */
cp_status shard_parse(struct cli *cli, const char *shard, struct shard *result);
/* Keeps the entries of one shard: a pure function of the manifest's paths, sizes and further inputs (BALANCE_SIZE), or
 * of each path alone (BALANCE_HASH). */
cp_status select_shard(struct cli *cli, struct entries *entries, struct shard shard);

#endif
