/* Expressions of xacro: what stands in ${...}. A part of Python, evaluated as Python does. */
#ifndef CELLPIPE_IMPORTERS_XACRO_EXPRESSION_H
#define CELLPIPE_IMPORTERS_XACRO_EXPRESSION_H

#include "values.h"

/* The surroundings of an expression. */
struct expression_world {
    cp_context *context;
    struct arena *arena;
    struct place place; /* the expression's, for errors */
    uint64_t steps;     /* operations, and bytes that they made, of all expressions of a document so far; bounded */
    uint32_t depth;     /* operators that are nested now, with those of properties that they use; bounded */
    unsigned old_names; /* names without their module that have been warned of */
    void *user;
    /* Any of these functions may be NULL: then there is nothing of the kind. */
    /* Finds a property. Sets *found to false, and returns CP_OK, for a name that is none. */
    cp_status (*find)(void *user, const char *name, size_t size, struct value *value, bool *found);
    /* The same for a member of a module that the expressions do not know: "prefix.name". */
    cp_status (*find_member)(void *user, const char *module, const char *name, size_t size, struct value *value,
                             bool *found);
    /* Reads the file of load_yaml(path). */
    cp_status (*load_yaml)(void *user, const char *path, struct value *value);
    /* The value of xacro.arg(name), always a text. */
    cp_status (*argument)(void *user, const char *name, struct value *value);
};

/* Evaluates the text. An error is reported with the place, the expression and the name that is at fault. */
cp_status expression_evaluate(struct expression_world *world, const char *text, size_t size, struct value *value);
/* Tells whether the expressions know a function, number or module of this name, wherever they stand. */
bool expression_has_global(const char *name);

#endif
