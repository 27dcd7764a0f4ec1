/* xacro, the language of macros in which robots are written for ROS: a document is expanded to plain XML. */
#ifndef CELLPIPE_IMPORTERS_XACRO_H
#define CELLPIPE_IMPORTERS_XACRO_H

#include "base/bytes/bytes.h"
#include "base/text/xml_tree.h"

/* The settings of an importer whose files may be xacro. */
struct xacro_settings {
    cp_texts arguments; /* NAME:=VALUE */
    bool environment;   /* $(env) and $(optenv) read the environment */
};

/* Their rows in the importer's table of options. */
#define XACRO_OPTIONS(type, member)                                                                                    \
    {"arg",                                                                                                            \
     "value of an argument of xacro; may be repeated",                                                                 \
     CP_OPTION_STRING,                                                                                                 \
     .offset = offsetof(type, member.arguments),                                                                       \
     .value = "NAME:=VALUE",                                                                                           \
     .repeats = true},                                                                                                 \
    {                                                                                                                  \
        "env", "whether $(env) and $(optenv) of xacro read the environment", CP_OPTION_BOOLEAN,                        \
            .offset = offsetof(type, member.environment), .initial = "no"                                              \
    }

/* Warns, for a document that is not xacro, that arguments were given. */
void xacro_warn_of_settings(const struct source *source, const struct xacro_settings *settings);
/* Tells whether the document is xacro: some element or attribute has the prefix, or declares it. */
bool xacro_is_meant(const struct xml_node *root);
/* Replaces *root, which was read from the source, by its expansion, in the arena. Files that it includes are opened as
 * further files of the source. Each error has the line at which the fault stands. */
cp_status xacro_expand(const struct source *source, const struct xacro_settings *settings, bool strict,
                       struct arena *arena, struct xml_node **root);

#endif
