/* Formulas over the values of joints, as device files have them: "0.5*dof(1) + sin(dof(2))". */
#ifndef CELLPIPE_EXPRESSION_H
#define CELLPIPE_EXPRESSION_H

#include "../cellpipe.h"

enum { EXPRESSION_LONGEST = 1024, EXPRESSION_DEEPEST = 64 };

/* A step of a compiled formula, for a machine with a stack. */
enum expression_operation {
    EXPRESSION_NUMBER,
    EXPRESSION_INPUT, /* number * inputs[input] */
    /* of the top of the stack */
    EXPRESSION_NEGATE,
    EXPRESSION_SIN, /* number: radians of one unit of what sin, cos, tan take and asin, acos, atan, atan2 give */
    EXPRESSION_COS,
    EXPRESSION_TAN,
    EXPRESSION_ASIN,
    EXPRESSION_ACOS,
    EXPRESSION_ATAN,
    EXPRESSION_SQRT,
    EXPRESSION_ABS,
    /* of the two on the top */
    EXPRESSION_ADD,
    EXPRESSION_SUBTRACT,
    EXPRESSION_MULTIPLY,
    EXPRESSION_DIVIDE,
    EXPRESSION_POWER,
    EXPRESSION_ATAN2,
    EXPRESSION_MIN,
    EXPRESSION_MAX
};
struct expression_step {
    enum expression_operation operation;
    uint32_t input;
    double number;
};

/* Compiles a formula over dof(1) .. dof(input_count); inputs are numbered from 0, with the factor 1. angle: as of the step. Takes no memory.
 *     expression = term { ("+" | "-") term }        term = signed { ("*" | "/") signed }
 *     signed = [ "-" | "+" ] power                  power = primary [ "^" signed ]
 *     primary = number | "dof" "(" whole number ")" | "pi" | function "(" expression { "," expression } ")" | "(" expression ")"
 *     function = sin cos tan asin acos atan atan2 sqrt abs min max
 * Names may be in capitals. NULL when all is well; else what is wrong (a literal) and where (*at), and there are no steps. */
const char *expression_compile(const char *text, double angle, uint32_t input_count,
                               struct expression_step steps[EXPRESSION_LONGEST], uint32_t *count, size_t *at);
/* What expression_compile would say. */
const char *expression_check(const char *text, uint32_t input_count, size_t *at);
/* The value of a compiled formula. NULL when all is well; else why it has none (a literal), with *value 0. */
const char *expression_run(const struct expression_step *steps, uint32_t count, const double *inputs, double *value);

/* The formula with its inputs numbered anew: dof(1), dof(2), ... for those that it uses, in their order; inputs[k] is the old index,
 * from 0, of the new dof(k + 1). It never gets longer. For formulas that expression_check has found sound. Returns how many there are. */
enum { EXPRESSION_MOST_INPUTS = EXPRESSION_LONGEST / 6 };
uint32_t expression_compact(const char *text, char compact[EXPRESSION_LONGEST + 1],
                            uint32_t inputs[EXPRESSION_MOST_INPUTS]);

#endif
