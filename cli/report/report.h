/* The report of a batch, for people and programs. */
#ifndef CELLPIPE_CLI_REPORT_H
#define CELLPIPE_CLI_REPORT_H

#include "../state/journal.h"
#include "../state/state.h"

/* The order is that of the words of --exit; a report has no run that could end. */
enum { EXIT_ANY, EXIT_NEW, EXIT_ENDED };

enum report_form { REPORT_TEXT, REPORT_JSON, REPORT_CSV, REPORT_HTML };

/* This says what a report is about. */
struct report_scope {
    const struct entries *expected; /* the inputs that there should be; NULL: all that have a record */
    const uint32_t *run_states;     /* a run counts its inputs by their last state, and the report is of what it
                                     * did. NULL: of all that is known */
    bool is_unchanged;              /* such a run wrote no record */
    bool new_alone;                 /* other failures than new ones are none for the outcome */
    bool names_all;                 /* name all inputs that have a loss or a warning, not the first ones alone */
    const struct merged *merged;    /* the merge that came before it, or NULL */
    bool no_times;                  /* leave out what differs from run to run */
    const char *title;              /* of a page */
};

/* Prints the report. Records of inputs that are not expected are left out, and inputs without a record are missing.
 * CP_NO if any failed, or is missing. */
cp_status print_report(struct cli *cli, struct state *state, const struct report_scope *scope, enum report_form form,
                       FILE *file);

/* Tells whether the input failed in the last night, and had not failed for the same reason before. */
bool is_new_failure(const struct state_row *row);

/* Complains that there are no records there. */
cp_status complain_of_none(struct cli *cli, const char *path);

/* "7672 bytes", "10 kB". */
struct amount {
    char text[32];
};
struct amount show_bytes(uint64_t bytes);

#endif
