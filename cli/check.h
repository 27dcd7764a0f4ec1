/* The declarations that the files of check share. */
#ifndef CELLPIPE_CLI_CHECK_H
#define CELLPIPE_CLI_CHECK_H

#include "batch/many.h"
#include "parts.h"

struct wanted {
    struct request request;
    const char *path, *list;                                      /* the list of exclusions, or NULL */
    bool closed, manifold, oriented, clean, solid, scene, motion; /* the words that were given */
    double period;                                                /* of motion, seconds */
    double least_size, most_size;                                 /* metres; 0 and infinity if not given */
    bool json;
    struct many_request many;
};

/* A check under way. */
struct check {
    struct cli *cli;
    struct wanted wanted;
    cp_json *json; /* takes the faults in place of standard output, or NULL */
    FILE *table;   /* takes them as rows, if there are many files and no json; or NULL */
};

/* A fault as --json has it; members without a meaning here are NULL and 0. */
struct fault {
    const char *code, *file, *text;
    uint64_t line, column;
    const cp_mesh *mesh;
    const struct property *property; /* of the mesh */
    /* A finding about a list says what has changed, the frames or the joint, the attribute, and how many pairs it
     * concerns. */
    const char *change, *first, *second, *attribute;
    uint64_t pairs;
    const double *size; /* of a scene that is too large or too small: three sides in metres */
};

/* A property that the user may ask of a mesh, and the faults that prevent it. */
struct property {
    bool asked;
    const char *code, *what;
    struct {
        uint64_t count;
        const char *key, *what;
    } faults[3];
};

/* Tells a fault by a line on standard output or an object of the answer, and an entry of the report. CP_NO; CP_LIMIT if
 * memory for the text ran out. */
cp_status tell(struct check *check, const struct fault *fault);
/* Adds an outcome. A failure that ends the check counts more than CP_NO. */
void add_outcome(cp_status *status, cp_status outcome);

/* Checks the scene, and tells what is wrong with it. */
cp_status check_scene(struct check *check, const cp_scene *scene);
/* Tells the errors of the context's report as faults, with --json or many files: else they are printed as all errors
 * are. Returns whether there are any. */
bool tell_errors(struct check *check);
/* Writes a fault as a member of `faults`. */
void put_fault(cp_json *json, const struct fault *fault);
/* The same of a file in `files`. */
void put_file(cp_json *json, const char *path, bool ok);

/* check_size.c: whether what the scene shows is as large as the user asks for. */
cp_status check_size(struct check *check, const cp_scene *scene);

/* check_many.c: checks many files, each in a worker. */
cp_status check_many(struct check *check);

/* check_list.c: checks whether the list holds in the scene, which the check may change. An SRDF is compared with what
 * the filter exclude finds. */
cp_status check_list(struct check *check, cp_scene *scene);

#endif
