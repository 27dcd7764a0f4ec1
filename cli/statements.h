/* Statements of lists of exclusions and of cells that were judged, by the names of the frames. */
#ifndef CELLPIPE_CLI_STATEMENTS_H
#define CELLPIPE_CLI_STATEMENTS_H

#include "cli.h"

/* A statement on two frames; the name that comes first is first. */
struct statement {
    const char *names[2];
    const cp_pair *pair;
};

/* Statements by names, each pair of names once. */
struct statements {
    const char *path;
    const cp_scene *scene;
    struct statement *items;
    size_t count;
};

/* Lists the statements of a list that exclude; or all of a cell that was judged, of the pairs with the same names the
 * one that a list should exclude least. The items are in the cli's memory. */
cp_status list_statements(struct cli *cli, const cp_scene *scene, bool all, struct statements *statements);
/* Orders by names. */
int compare_names(const struct statement *one, const struct statement *other);
/* Returns the statement with the same names, or NULL. */
const struct statement *find_statement(const struct statements *statements, const struct statement *wanted);
/* Returns a rank: the larger it is, the less a list should exclude the pair. */
int statement_rank(const cp_pair *pair);
/* Prints the joint values of a collision: " at q1=0.5, q2=0". */
void print_collision(FILE *file, const cp_scene *scene, const cp_finding *collision);

/* Sorts the texts, for has_text. */
void sort_texts(struct list *texts);
bool has_text(const struct list *texts, const char *text);

#endif
