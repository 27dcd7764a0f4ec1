/* A plan: what is read, done to it and written. It never changes once it is made. Two plans are equal when their texts
 * are, so that a hash of the text tells whether an output of `batch` was made by the same plan. */
#ifndef CELLPIPE_CLI_PLAN_H
#define CELLPIPE_CLI_PLAN_H

#include "cli.h"

enum step_kind {
    STEP_READ,   /* always the first step, and only that */
    STEP_MERGE,  /* reads another file, and adds its scene below a new node; or what a list says of the frames */
    STEP_FILTER, /* changes the scene */
    STEP_WRITE   /* writes the scene as it is then */
};

struct plan_step {
    enum step_kind kind;
    const char *name;    /* a path, "-" for a standard stream; or the filter's name */
    const char *format;  /* a plug-in's name, maybe with ".gz", for a read or write; NULL: the file tells */
    const char *node;    /* the new node's name for a merge; else NULL */
    struct list options; /* K=V, of the importer, filter or exporter */
};

struct plan {
    struct globals globals; /* common to all steps; threads and isolation are left out, since they change no result */
    struct plan_step *steps;
    size_t count;
    const char *compare_by; /* NULL, or the importer that reads the output again, for convert --compare-back */
};

/* ---- plan.c: the value and its text ----
 *
 *     cellpipe plan 1
 *     strict                           then confine, no-clobber, sync, each if it is set
 *     limit "nodes=1000"               then importer "stl.unit=mm", include "models", package "parts=/srv/parts"
 *     read "cell.wu" as "tag" with "strict=yes"
 *     merge "table.stl" below "table"
 *     filter "weld" with "tolerance=0.01mm"
 *     write "out.glb" as "glb" with "profile=stage" "web=no"
 *
 * Every line ends with a newline. In a string, \ and two lower-case hexadecimal digits are a byte: quotes, \ itself,
 * and all that is not printable ASCII. Different plans have different texts. */

/* Makes a plan without steps, with room for so many. */
bool plan_open(struct cli *cli, struct plan *plan, size_t room);
/* Makes the same plan for another input and output; its steps are in the cli's memory. */
bool plan_between(struct cli *cli, const struct plan *plan, const char *in, const char *out, struct plan *moved);
void print_plan(const struct plan *plan, FILE *file);

/* ---- steps.c: made from words, and carried out ---- */

/* These check all that they can before anything is read: CP_USAGE, reported. A format is a name or suffix, or NULL. */
cp_status add_read(struct cli *cli, struct plan *plan, const char *path, const char *format, struct list options);
cp_status add_filter(struct cli *cli, struct plan *plan, const char *name, struct list options);
/* Adds the writing of a file. With `stage`, glTF is written for the next stage rather than for viewers. */
cp_status add_write(struct cli *cli, struct plan *plan, const char *path, const char *format, struct list options,
                    bool stage);
/* Adds the filter of the words begin .. end - 1: FILTER K=V... */
cp_status add_filter_words(struct cli *cli, struct plan *plan, size_t begin, size_t end);
/* Returns the index of the next "!" from the word `begin` on, or of the end. */
size_t find_bang(const struct cli *cli, size_t begin);
/* Adds the reading of lists of pairs beside what was read before. */
cp_status add_lists(struct cli *cli, struct plan *plan, const char *const *paths, size_t count);
/* Makes the plan of a conversion, with the filters from the word `bang` on (a "!", or the end). beside: lists of pairs
 * that are read after the input; NULL: none. share_error completes it. */
cp_status plan_conversion(struct cli *cli, const struct request *request, size_t bang, const char *in,
                          const struct list *beside, const char *out, struct plan *plan);
/* Gives readers of exact surfaces their part of the error that the output for the web may have, unless the user says
 * how fine they shall read. */
cp_status share_error(struct cli *cli, struct plan *plan);
/* Makes the plan in whose stead a budget for the web is met with a smaller error, if exact surfaces that are read with
 * a bound give that; else a copy. Its steps are in the cli's memory. */
cp_status fit_budget(struct cli *cli, const struct plan *plan, struct plan *fitted);
/* Carries the plan out with the cli's context, which has its globals already (use_globals), and prints the report. */
cp_status run_plan(struct cli *cli, const struct plan *plan);
/* Returns the importer of what the exporter writes, or NULL if nothing reads it, or it is a part of a cell alone
 * (compare_back.c). */
const char *importer_of_output(size_t exporter);
/* Reads the output of a step again by that importer, and compares it with the scene that was written: prints the
 * differences, CP_NO if there are any. The report of the writing is still there: what it calls lost may differ. */
cp_status compare_back(struct cli *cli, cp_scene *written, const struct plan_step *step, const char *importer);
/* Removes temporary files that killed writers have left in a folder and in the folders of further outputs below it
 * (d_NAME). CP_LIMIT when out of memory, which is reported. */
cp_status sweep_folder(struct cli *cli, const char *path);

#endif
