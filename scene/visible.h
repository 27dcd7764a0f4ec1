/* What nobody would see: surfaces of an alpha near 0, and the files whose writers mean something else by it. */
#ifndef CELLPIPE_VISIBLE_H
#define CELLPIPE_VISIBLE_H

#include "report.h"

/* Statements that say "not to be seen" and are written for what is opaque; visible.c has the source of each. */
enum opaque_rule { OPAQUE_MTL_TR, OPAQUE_3MF_BASE, OPAQUE_COLLADA_TRANSPARENCY };

/* The warning that so many materials are opaque by the rule; none for 0. */
void report_opaque(cp_context *context, enum opaque_rule rule, struct place place, uint64_t count);

/* Warns if nobody would see a drawn surface: "nothing-visible" if that is all the scene draws, else
 * "invisible-material" with the counts. False when out of memory. */
bool report_invisible(cp_context *context, const cp_scene *scene);

#endif
