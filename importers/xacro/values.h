/* Values of xacro's expressions: those of Python that xacro files use. They live in an arena and are never changed. */
#ifndef CELLPIPE_IMPORTERS_XACRO_VALUES_H
#define CELLPIPE_IMPORTERS_XACRO_VALUES_H

#include "base/base.h"

enum value_kind {
    VALUE_NONE,
    VALUE_BOOL,
    VALUE_INT,
    VALUE_FLOAT,
    VALUE_TEXT,
    VALUE_LIST,
    VALUE_TUPLE,
    VALUE_DICT,
    VALUE_FUNCTION, /* a function, or a method of an object: it can be called, and nothing else */
    VALUE_MODULE    /* it has members alone: math, python, xacro, and properties of a file that has been included with a
                     * namespace */
};

/* The items of a list or a tuple, or the values of a dict; its keys are beside them, in the order of the text. */
struct value_items {
    struct value *values, *keys; /* keys NULL: a list or a tuple */
    uint32_t count;
    uint32_t depth;  /* how deep lists, tuples and dicts are nested in it, itself included */
    uint64_t weight; /* values and bytes of texts in it; what it holds twice counts twice */
    bool is_dotted;  /* `d.key` is d['key'], in the dicts in it, too: those of YAML and xacro.dotify */
};

/* Bounds of one value: nested lists, and values and bytes, so that printing it stays cheap. */
enum { DEEPEST_VALUE = 100, HEAVIEST_VALUE = 1 << 22 };

struct value {
    enum value_kind kind;
    union {
        bool truth;
        int64_t integer;
        double number;
        struct {
            const char *bytes; /* UTF-8, NUL-ended; no NUL inside */
            size_t size;
        } text;
        const struct value_items *items;
        struct {
            const struct value_function *function; /* functions.c */
            const struct value *object;            /* of a method; else NULL */
        } call;
        struct {
            const char *name;
        } module;
    };
};

#define NONE_VALUE ((struct value){.kind = VALUE_NONE})

static inline struct value value_of_bool(bool truth)
{
    return (struct value){.kind = VALUE_BOOL, .truth = truth};
}
static inline struct value value_of_int(int64_t integer)
{
    return (struct value){.kind = VALUE_INT, .integer = integer};
}
static inline struct value value_of_float(double number)
{
    return (struct value){.kind = VALUE_FLOAT, .number = number};
}
/* The text is not copied. */
static inline struct value value_of_text(const char *bytes, size_t size)
{
    return (struct value){.kind = VALUE_TEXT, .text = {bytes, size}};
}

/* Returns the values and bytes of texts in a value: at least 1. */
uint64_t value_weight(const struct value *value);
/* Makes a list, tuple or dict of the items, and sets their depth and weight. False if one is beyond its bound. */
bool value_of_items(enum value_kind kind, struct value_items *items, struct value *value);
/* Returns the name of the kind, as Python has it: "int", "NoneType". */
const char *value_kind_name(const struct value *value);
/* Appends str(value), as Python prints it. */
void value_print(const struct value *value, struct buffer *text);
/* bool(value) of Python. */
bool value_is_true(const struct value *value);
/* Tells whether Python's == holds. */
bool value_equal(const struct value *a, const struct value *b);
/* Tells whether it is a bool, an int or a float. */
bool value_is_number(const struct value *value);
/* Compares two numbers exactly: below 0, 0 or above 0. False if one is nan. */
bool value_compare_numbers(const struct value *a, const struct value *b, int *order);
/* Return the number as the nearest double, and a bool or an int as an integer. */
double value_number(const struct value *value);
int64_t value_integer(const struct value *value);
/* Read a whole text as Python's int() does, decimal alone, and as its float() does. */
enum reading { READ_NUMBER, READ_NOTHING, READ_TOO_LARGE };
enum reading value_read_integer(const char *text, size_t size, int64_t *integer);
bool value_read_float(const char *text, size_t size, double *number);
/* Reads a whole text as Python's int() or float() would, if that gives back what xacro takes for a number: not with
 * an underscore. Else, true, True, false and False are booleans. False, if it is none of them. */
bool value_from_literal(const char *text, size_t size, struct value *value);

#endif
