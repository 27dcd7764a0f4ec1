/* Declares what the files of expressions share. expression.c reads and evaluates them, tokens.c cuts them into words,
 * operators.c and functions.c compute. Methods of texts and dicts are in methods.c, the module math in mathematics.c,
 * the module xacro in modules.c. */
#ifndef CELLPIPE_IMPORTERS_XACRO_EVALUATION_H
#define CELLPIPE_IMPORTERS_XACRO_EVALUATION_H

#include "expression.h"

enum token_kind {
    TOKEN_END,
    TOKEN_NAME,    /* words such as `and`, too */
    TOKEN_LITERAL, /* a number or a text */
    TOKEN_SIGN     /* an operator or a bracket */
};

struct token {
    enum token_kind kind;
    const char *start; /* `size` bytes of the expression */
    size_t size;
    struct value value; /* of a literal */
};

/* One expression. It is evaluated while it is read; operands that Python does not evaluate are read with `skips` set.
 */
struct evaluation {
    struct expression_world *world;
    const char *text, *end;
    const char *at; /* behind the token */
    struct token token;
    uint32_t brackets; /* open ones: in them, a line may end */
    uint32_t skips;
    bool may_choose; /* `if` is somewhere in the text */
};

/* Bounds of all expressions of a document. */
enum { MOST_STEPS = 200 * 1000 * 1000, DEEPEST_EXPRESSION = 250 };

/* Reports what is wrong with the expression, and returns CP_INPUT. */
cp_status evaluation_fail(struct evaluation *evaluation, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Counts work before it is done: values or bytes. CP_LIMIT, reported, if that is too much. */
cp_status evaluation_spend(struct evaluation *evaluation, uint64_t steps);
/* Makes room for the bytes of a text, with a NUL behind them. NULL, with *status set and reported, if they are too
 * many. */
char *evaluation_text(struct evaluation *evaluation, uint64_t size, cp_status *status);
/* Makes a text of a copy of the bytes. */
cp_status evaluation_copy(struct evaluation *evaluation, const char *bytes, size_t size, struct value *value);
/* Makes room for items, and keys if it shall be a dict. NULL, with *status set, as above. */
struct value_items *evaluation_items(struct evaluation *evaluation, uint64_t count, bool has_keys, cp_status *status);
/* Makes a list, tuple or dict of them. An error if it is too deep or too large. */
cp_status evaluation_finish(struct evaluation *evaluation, enum value_kind kind, struct value_items *items,
                            struct value *value);

/* ---- tokens.c ---- */

/* Goes to the next token. */
cp_status token_next(struct evaluation *evaluation);
/* Tell whether the token is this word, or this sign. */
bool token_is_word(const struct evaluation *evaluation, const char *word);
bool token_is_sign(const struct evaluation *evaluation, const char *sign);

/* ---- operators.c ---- */

/* Computes a + b and the like; sign: "+", "-", "*", "/", "//", "%" or "**". */
cp_status operator_compute(struct evaluation *evaluation, const char *sign, const struct value *a,
                           const struct value *b, struct value *result);
cp_status operator_negate(struct evaluation *evaluation, const struct value *value, struct value *result);
/* Tells whether a < b. */
cp_status operator_less(struct evaluation *evaluation, const struct value *a, const struct value *b, bool *result);
/* Tells whether a == b. */
cp_status operator_equal(struct evaluation *evaluation, const struct value *a, const struct value *b, bool *result);
/* Tells whether `a < b` and the like hold; word: a sign, or "in", "not in", "is", "is not". */
cp_status operator_compare(struct evaluation *evaluation, const char *word, const struct value *a,
                           const struct value *b, bool *result);
/* Computes object[index]. */
cp_status operator_index(struct evaluation *evaluation, const struct value *object, const struct value *index,
                         struct value *result);
/* Finds the value of a key of a dict. *found is NULL if there is none. */
cp_status operator_find(struct evaluation *evaluation, const struct value *dict, const struct value *key,
                        const struct value **found);

/* ---- functions.c: calls, and what Python has built in ---- */

struct call {
    struct evaluation *evaluation;
    const struct value_function *function;
    const struct value *object; /* of a method, else NULL */
    const struct value *values; /* arguments */
    const struct value *names;  /* the names of the last `named` of them, as texts */
    uint32_t count, named;
};

struct value_function {
    const char *name;
    uint32_t least, most; /* arguments */
    cp_status (*call)(const struct call *call, struct value *result);
    double (*of_one)(double); /* `call` hands the numbers over */
    double (*of_two)(double, double);
};

enum { ANY_COUNT = INT32_MAX };

/* Finds what a name means that is no property. */
cp_status function_find_global(struct evaluation *evaluation, const char *name, size_t size, struct value *result);
/* Finds object.name, of a module or any other value. */
cp_status function_find_member(struct evaluation *evaluation, const struct value *object, const char *name, size_t size,
                               struct value *result);
/* Calls it with the arguments of `given`. */
cp_status function_call(struct evaluation *evaluation, const struct value *called, const struct call *given,
                        struct value *result);
/* Finds a function in a table that ends with one without a name. NULL if it has none. */
const struct value_function *function_named(const struct value_function *functions, const char *name, size_t size);
/* Makes an integer of a float without a fraction. */
cp_status function_whole(struct evaluation *evaluation, double number, struct value *result);

/* ---- methods.c, mathematics.c, modules.c ---- */

extern const struct value_function text_methods[], dict_methods[]; /* methods.c */
extern const struct value_function xacro_functions[];              /* modules.c */

/* Makes a list of the pieces of a text between white space. */
cp_status text_split_blanks(struct evaluation *evaluation, const struct value *text, struct value *result);
/* Finds math.name: a function or a constant. False if there is none. */
bool mathematics_find(const char *name, size_t size, struct value *result);
/* Returns round(number, digits), to so many decimal places; infinite if that is beyond floats. */
double mathematics_round(double number, int64_t digits);

#endif
