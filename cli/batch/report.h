/* The report of a batch, for people and programs. */
#ifndef CELLPIPE_CLI_REPORT_H
#define CELLPIPE_CLI_REPORT_H

#include "records.h"

enum report_form { REPORT_TEXT, REPORT_JSON, REPORT_CSV };

/* Prints the records. `expected` lists the inputs (NULL: all that have a record): records of others are left out, and
 * inputs without a record are missing. CP_NO if any failed or is missing. */
cp_status print_report(struct cli *cli, const struct records *records, const struct entries *expected,
                       enum report_form form, FILE *file);

/* "7672 bytes", "10 kB". */
struct amount {
    char text[32];
};
struct amount show_bytes(uint64_t bytes);

#endif
