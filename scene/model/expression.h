/* Formulas over the values of joints, as device files have them: "0.5*dof(1) + sin(dof(2))". */
#ifndef CELLPIPE_MODEL_EXPRESSION_H
#define CELLPIPE_MODEL_EXPRESSION_H

#include "cellpipe.h"

enum { EXPRESSION_LONGEST = 1024, EXPRESSION_DEEPEST = 64 };

/* What a step does to a stack of values: it puts one there, changes the top, or takes two and puts one back. */
enum expression_operation {
    EXPRESSION_NUMBER,
    EXPRESSION_INPUT, /* number * inputs[input] */
    EXPRESSION_NEGATE,
    EXPRESSION_SIN, /* angles are in units of `number` radians */
    EXPRESSION_COS,
    EXPRESSION_TAN,
    EXPRESSION_ASIN,
    EXPRESSION_ACOS,
    EXPRESSION_ATAN,
    EXPRESSION_SQRT,
    EXPRESSION_ABS,
    EXPRESSION_ADD, /* from here on of two */
    EXPRESSION_SUBTRACT,
    EXPRESSION_MULTIPLY,
    EXPRESSION_DIVIDE,
    EXPRESSION_POWER,
    EXPRESSION_ATAN2,
    EXPRESSION_MIN,
    EXPRESSION_MAX
};
/* A step of a compiled formula. */
struct expression_step {
    enum expression_operation operation;
    uint32_t input;
    double number;
};

/* Compiles a formula over dof(1) .. dof(input_count), which are inputs from 0 with the factor 1. angle: radians of one
 * unit of what the trigonometric functions take and give. Takes no memory.
 *     expression = term { ("+" | "-") term }        term = signed { ("*" | "/") signed }
 *     signed = [ "-" | "+" ] power                  power = primary [ "^" signed ]
 *     primary = number | "dof" "(" whole number ")" | "pi" | "(" expression ")"
 *             | function "(" expression { "," expression } ")"
 *     function = sin cos tan asin acos atan atan2 sqrt abs min max
 * Names may be in capitals. NULL when all is well; else what is wrong (a literal), and where (*at), without steps. */
const char *expression_compile(const char *text, double angle, uint32_t input_count,
                               struct expression_step steps[EXPRESSION_LONGEST], uint32_t *count, size_t *at);
/* What expression_compile would say. */
const char *expression_check(const char *text, uint32_t input_count, size_t *at);
/* The value of a compiled formula. NULL when all is well; else why it has none (a literal), with *value 0. */
const char *expression_run(const struct expression_step *steps, uint32_t count, const double *inputs, double *value);

/* The formula with its inputs numbered anew: dof(1), dof(2), ... for those that it uses, in their order; inputs[k] is
 * the old index, from 0, of the new dof(k + 1). It never gets longer. For formulas that expression_check has found
 * sound. Returns how many there are. */
enum { EXPRESSION_MOST_INPUTS = EXPRESSION_LONGEST / 6 };
uint32_t expression_compact(const char *text, char compact[EXPRESSION_LONGEST + 1],
                            uint32_t inputs[EXPRESSION_MOST_INPUTS]);

#endif
