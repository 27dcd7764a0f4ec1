/* What importers, exporters and filters have in common: a name, and options as a table. */
#ifndef CELLPIPE_PLUGINS_PLUGIN_H
#define CELLPIPE_PLUGINS_PLUGIN_H

#include "model/model.h"

enum option_type {
    OPTION_BOOLEAN, /* bool; yes|no|true|false|1|0, the name alone is yes */
    OPTION_INTEGER, /* int64_t */
    OPTION_NUMBER,  /* double */
    OPTION_LENGTH,  /* double in metres; accepts m, mm, cm, in, ft after the number, bare = metres */
    OPTION_SIZE,    /* double in bytes; accepts B, kB, MB, GB (of 1000), KiB, MiB, GiB (of 1024) after the number */
    OPTION_ANGLE,   /* double in radians; accepts rad, deg after the number, bare = degrees */
    OPTION_CHOICE,  /* int: the index in choices "a|b|c" */
    OPTION_UNIT,    /* double: metres per unit; m, mm, cm, in, ft, or a number. 0 = not given when initial is NULL */
    OPTION_STRING,  /* const char *, the caller's; NULL when not given and initial is NULL */
    OPTION_EXTENT,  /* struct extent: a length, or a part of a size with % after it */
    OPTION_TIME     /* double in seconds; accepts ms, s, min, h after the number, bare = seconds */
};

/* One of the two is not 0, or the option was not given. */
struct extent {
    double metres, part;
};

struct option {
    const char *name, *help;
    enum option_type type;
    size_t offset;           /* into the settings struct */
    const char *initial;     /* the default, as a user would write it; NULL: zero bytes */
    double minimum, maximum; /* for numbers, in the stored unit; both 0 = no bounds */
    const char *choices;
};
#define OPTIONS_END                                                                                                    \
    {                                                                                                                  \
        0                                                                                                              \
    }

struct plugin {
    const char *name, *title;
    const struct option *options; /* ended by OPTIONS_END; NULL for none */
    size_t settings_size;
    const char *package; /* NULL; or the missing package of a part that is not built */
    const char *lacks;   /* NULL; or what alone is not built, and the package in brackets */
    /* A number or text to be raised when the same input gives another result; NULL: "1". Any thread may call it. */
    const char *(*version)(void);
};

#endif
