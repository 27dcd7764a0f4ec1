/* The declarations that the files of check share. */
#ifndef CELLPIPE_CLI_CHECK_H
#define CELLPIPE_CLI_CHECK_H

#include "parts.h"

struct wanted {
    struct request request;
    const char *path, *list;                                      /* the list of exclusions, or NULL */
    bool closed, manifold, oriented, clean, solid, scene, motion; /* the words that were given */
    double period;                                                /* of motion, seconds */
    bool json;
};

/* A check under way. */
struct check {
    struct cli *cli;
    struct wanted wanted;
    cp_json *json; /* takes the faults in place of standard output, or NULL */
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

/* check_list.c: checks whether the list holds in the scene, which the check may change. An SRDF is compared with what
 * the filter exclude finds. */
cp_status check_list(struct check *check, cp_scene *scene);

#endif
