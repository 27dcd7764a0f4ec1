/* The parts of the expansion share this: expand.c goes over the elements, macro.c defines and calls macros, include.c
 * opens further files, scope.c holds properties, text.c evaluates texts with ${} and $(). */
#ifndef CELLPIPE_IMPORTERS_XACRO_EXPAND_H
#define CELLPIPE_IMPORTERS_XACRO_EXPAND_H

#include "expression.h"
#include "xacro.h"

enum {
    MOST_CALLS = 256,         /* macros, files and properties within each other */
    MOST_NESTING = 1000,      /* open elements, including those of macros within macros */
    MOST_ELEMENTS = 1000000,  /* that are looked at */
    MOST_ATTRIBUTES = 4000000 /* bounds those of all copies of elements, with the parameters of all calls */
};
#define MOST_TEXT ((uint64_t)64 << 20) /* bytes that texts are evaluated to, all together */

/* A property of a scope. */
struct property {
    const char *name; /* "name"; a block has "*name" or "**name" */
    enum {
        PROPERTY_LAZY, /* its text is evaluated when it is first used */
        PROPERTY_OPEN, /* that is going on */
        PROPERTY_DONE, /* its value is known */
        PROPERTY_BLOCK,
        PROPERTY_SPACE, /* the properties and macros of a file that was included with a namespace */
        PROPERTY_REMOVED
    } state;
    const char *text;
    struct value value;
    const struct xml_node *element; /* the block; of other properties the element that sets it, for messages */
    struct scope *space;
};

struct scope {
    struct scope *parent; /* NULL: the global one */
    bool is_space;        /* of a file that was included with a namespace */
    struct property *properties;
    uint32_t property_count, property_room;
    struct name_map property_names, macro_names;
    struct scope *next_space; /* in a list of spaces, which live as long as the expansion */
};

struct parameter {
    const char *name; /* begins with '*' or '**' if it is a block */
    bool forwards;    /* takes the caller's property of the same name, if there is one */
    const char *initial;
};

struct macro {
    const char *name;
    const struct xml_node *element;
    struct parameter *parameters;
    uint32_t parameter_count;
};

struct argument {
    const char *name, *value;
    bool is_known; /* the document declares it, or asks for it */
};

struct xacro {
    cp_context *context;
    struct arena *arena;
    const struct xacro_settings *settings;
    bool strict;
    const struct source *file; /* the one that is being expanded: paths are relative to it */
    struct scope *scope;
    struct scope *spaces;
    struct macro *macros; /* of all scopes */
    uint32_t macro_count, macro_room;
    struct argument *arguments;
    uint32_t argument_count, argument_room;
    struct name_map argument_names;
    struct value *yaml; /* has one for each file that load_yaml() has read */
    uint32_t yaml_count, yaml_room;
    struct name_map yaml_names; /* keyed by folder and name, and by path */
    struct expression_world world;
    const struct xml_node *at; /* the element whose texts are evaluated, for messages */
    uint64_t elements, attributes, text_size;
    uint32_t calls, nesting;
    bool warned_of_environment;
    bool sees_arguments; /* names in an expression are those of arguments first: in $(eval) */
};

/* ---- expand.c ---- */

/* Appends the expansion of the children of `from` to `to`. */
cp_status xacro_expand_children(struct xacro *xacro, const struct xml_node *from, struct xml_node *to);
/* Appends the expansion of an element to `to`. */
cp_status xacro_expand_element(struct xacro *xacro, const struct xml_node *element, struct xml_node *to);
/* Checks the attributes of an element of xacro against NULL-ended names; the first `required` ones must be there.
 * values[i] is that of names[i], or NULL. */
cp_status xacro_attributes(struct xacro *xacro, const struct xml_node *element, const char *const *names,
                           size_t required, const char **values);
/* Counts attributes that an element becomes, or parameters of a call, before they are made. CP_LIMIT, reported, if they
 * are too many. */
cp_status xacro_count_attributes(struct xacro *xacro, const struct xml_node *element, uint64_t count);
/* Copies those declarations of namespaces that the element does not have. */
cp_status xacro_lift_namespaces(struct xacro *xacro, const struct xml_node *from, struct xml_node *to);
/* Begins and ends a call of something within the expansion. CP_LIMIT, reported, if there are too many within each
 * other. */
cp_status xacro_begin_call(struct xacro *xacro, const struct xml_node *element);
void xacro_end_call(struct xacro *xacro);

/* ---- macro.c ---- */

cp_status xacro_define_macro(struct xacro *xacro, const struct xml_node *element);
/* Calls the macro of that name ("m", or "space.m"), with the attributes and children of the element. */
cp_status xacro_call_macro(struct xacro *xacro, const char *name, const struct xml_node *element, struct xml_node *to);

/* ---- include.c ---- */

cp_status xacro_include(struct xacro *xacro, const struct xml_node *element, struct xml_node *to);
cp_status xacro_load_yaml(void *xacro, const char *path, struct value *value);
/* Finds the folder of a package. An error if there is none. */
cp_status xacro_find_package(struct xacro *xacro, const char *name, const char **folder);
/* Finds the absolute path of a folder ("": the current one). An error if it is not there. */
cp_status xacro_find_folder(struct xacro *xacro, const char *path, const char **folder);

/* ---- scope.c ---- */

void scope_start(struct xacro *xacro, struct scope *scope, struct scope *parent);
void scope_free(struct xacro *xacro, struct scope *scope);
/* Sets a property of the scope. A text becomes a number or a truth value if it reads as one; else, if the property is
 * lazy, it is evaluated when it is used. */
cp_status scope_set(struct xacro *xacro, struct scope *scope, const char *name, const struct value *value, bool lazy);
cp_status scope_set_block(struct xacro *xacro, struct scope *scope, const char *name, const struct xml_node *block);
cp_status scope_set_space(struct xacro *xacro, struct scope *scope, const char *name, struct scope *space);
/* Finds a property in the scope or those around it, and the scope that has it: NULL if there is none. */
struct property *scope_find(struct scope **scope, const char *name, size_t size);
/* Finds the value of a property, which is evaluated if need be, for expressions. */
cp_status scope_value(void *xacro, const char *name, size_t size, struct value *value, bool *found);
cp_status scope_member(void *xacro, const char *module, const char *name, size_t size, struct value *value,
                       bool *found);
/* Carries out <xacro:property>. */
cp_status xacro_set_property(struct xacro *xacro, const struct xml_node *element);

/* ---- text.c ---- */

/* Evaluates a text with ${...} and $(...). A single one of them keeps its type. */
cp_status xacro_evaluate(struct xacro *xacro, const char *text, struct value *value);
/* Evaluates a text, and prints its value; NUL-ended, in the arena. */
cp_status xacro_evaluate_text(struct xacro *xacro, const char *text, const char **result);
/* Evaluates a text to true or false, which may be words; text NULL: `absent`. */
cp_status xacro_evaluate_truth(struct xacro *xacro, const char *text, bool absent, bool *truth);
/* The value of an argument, for expressions. */
cp_status xacro_argument(void *xacro, const char *name, struct value *value);
/* Takes the arguments that are given from outside. */
cp_status xacro_take_arguments(struct xacro *xacro);
/* Warns of those that the document does not know. */
void xacro_warn_of_arguments(struct xacro *xacro);
/* Carries out <xacro:arg>. */
cp_status xacro_declare_argument(struct xacro *xacro, const struct xml_node *element);

#endif
