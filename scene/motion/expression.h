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

/* Calls use(user, index) for each dof(index + 1) of a formula that expression_check has found sound, in order. */
void expression_inputs(const char *text, void (*use)(void *user, uint32_t index), void *user);

#endif
