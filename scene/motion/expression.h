/* Formulas over the values of joints, as device files have them: "0.5*dof(1) + sin(dof(2))". */
#ifndef CELLPIPE_EXPRESSION_H
#define CELLPIPE_EXPRESSION_H

#include "../cellpipe.h"

enum { EXPRESSION_LONGEST = 1024, EXPRESSION_DEEPEST = 64 };

/* What a formula is evaluated with. */
struct expression_scope {
    double angle;         /* radians of one unit of what sin, cos, tan take and asin, acos, atan, atan2 give */
    uint32_t input_count; /* dof(1) .. dof(input_count) */
    double (*input)(const void *user, uint32_t index); /* the value of dof(index + 1) */
    const void *user;
};

/* Evaluates the formula; needs no memory.
 *     expression = term { ("+" | "-") term }        term = signed { ("*" | "/") signed }
 *     signed = [ "-" | "+" ] power                  power = primary [ "^" signed ]
 *     primary = number | "dof" "(" whole number ")" | "pi" | function "(" expression { "," expression } ")" | "(" expression ")"
 *     function = sin cos tan asin acos atan atan2 sqrt abs min max
 * Names may be in capitals. NULL when all is well; else what is wrong (a literal), with *value 0. */
const char *expression_evaluate(const char *text, const struct expression_scope *scope, double *value);
/* What is wrong with the text itself, for any values, and where; or NULL. */
const char *expression_check(const char *text, uint32_t input_count, size_t *at);

/* The formula with its inputs numbered anew: dof(1), dof(2), ... for those that it uses, in their order; inputs[k] is the old index,
 * from 0, of the new dof(k + 1). It never gets longer. For formulas that expression_check has found sound. Returns how many there are. */
enum { EXPRESSION_MOST_INPUTS = EXPRESSION_LONGEST / 6 };
uint32_t expression_compact(const char *text, char compact[EXPRESSION_LONGEST + 1],
                            uint32_t inputs[EXPRESSION_MOST_INPUTS]);

#endif
