/* What an author of a format or filter needs. An importer's, exporter's or filter's file includes this one header
 * of scene/, defines one const struct, and is named in its folder's table. */
#ifndef CELLPIPE_PLUGIN_H
#define CELLPIPE_PLUGIN_H

#include "build.h"
#include "bytes/resolve.h"
#include "bytes/sink.h"
#include "bytes/source.h"
#include "bytes/unpack.h"
#include "cellpipe.h"
#include "memory.h"
#include "mesh/mesh.h"
#include "models.h"
#include "motion/motion.h"
#include "pose.h"
#include "report.h"
#include "text/base64.h"
#include "text/text.h"
#include "words.h"

/* ---- options ---- */

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

/* The first member of every importer's settings; its options belong to all importers. */
struct import_settings {
    bool strict;  /* lenient reading is refused */
    bool partial; /* keep what a truncated file holds */
};

struct importer {
    struct plugin plugin;
    const char *suffixes; /* ".stl .stla", lower case */
    const char *further;  /* or NULL: those that it reads as a library does, without a test of ours */
    /* How sure the first size bytes (of file_size; UINT64_MAX when unknown) make it: 0 no .. 100 sure. */
    int (*probe)(const char *head, size_t size, uint64_t file_size);
    /* What the probe looks for, for the message about a file that nobody knows. */
    const char *sign;
    /* It calls code that is not ours: CP_FLAG_ISOLATE has it read in a process of its own. It then opens further files
     * with the source that `read` was given as their parent. */
    bool third_party;
    bool is_cell;     /* its frames and joints are worth having without geometry, too */
    bool lists_pairs; /* it has pairs of frames alone, for a cell that is read beside it: nothing to convert */
    /* Fills the scene (made by scene_new) and ends in scene_finish. */
    cp_status (*read)(cp_context *context, struct source *source, const void *settings, cp_scene *scene);
};

/* What a scene may have and a format may carry. The order is that of the table in carries.c. */
enum {
    FEATURE_HIERARCHY = 1 << 0, /* nodes below nodes, poses */
    FEATURE_NAMES = 1 << 1,     /* node names */
    FEATURE_INSTANCES = 1 << 2, /* one mesh placed more than once */
    FEATURE_NGONS = 1 << 3,
    FEATURE_LINES = 1 << 4,
    FEATURE_PRIMITIVES = 1 << 5, /* box, cylinder, ... as such */
    FEATURE_NORMALS = 1 << 6,
    FEATURE_COLOURS = 1 << 7, /* materials */
    FEATURE_VERTEX_COLOURS = 1 << 8,
    FEATURE_JOINTS = 1 << 9, /* joints with limits and homes */
    FEATURE_DEVICES = 1 << 10,
    FEATURE_PAIRS = 1 << 11,     /* exclusions, kept pairs, static flag, volatile */
    FEATURE_COLLISION = 1 << 12, /* meshes for collision only */
    FEATURE_CLIPS = 1 << 13,
    FEATURE_FLAGS = 1 << 14, /* movable, attachable, link, highlight, wire */
    FEATURE_METADATA = 1 << 15,
    FEATURE_MESHES = 1 << 16, /* meshes at all: without, what they have is not reported piece by piece */
    FEATURE_PLACEHOLDERS = 1 << 17,
    FEATURE_COORDINATES = 1 << 18, /* texture coordinates */
    FEATURE_TEXTURES = 1 << 19,    /* base colour, as an image */
    FEATURE_SURFACES = 1 << 20, /* what else materials say: metallic, roughness, emissive, cutoff, further textures */
    FEATURE_LOOPS = 1 << 21,    /* closed loops; without, motion that is written is solved */
    FEATURE_MARKS = 1 << 22,    /* of clips */
    FEATURE_TANGENTS = 1 << 23, /* of meshes with normal maps */
    FEATURE_ALL = (1 << 24) - 1
};

struct exporter {
    struct plugin plugin;
    const char *suffixes;
    /* FEATURE_... bits that the format holds with these settings. The core reports the scene's others as losses, unless
     * it is a list, and hands write a scene without n-gons or primitives where it does not carry them. */
    uint32_t (*carries)(const void *settings);
    /* CP_USE_... of the meshes that people look at in the output: without any of these, the core reports the loss
     * "nothing-drawn", unless a cell was read. NULL, or 0: it may have none. */
    uint32_t (*shows)(const void *settings);
    /* It makes faces of primitives itself where it does not carry them: write gets them all the same. */
    bool tessellates;
    /* It writes a list about the scene rather than the scene: what is not in it is not lost. */
    bool is_list;
    cp_status (*write)(cp_context *context, const cp_scene *scene, const void *settings, struct sink *sink);
};

struct filter {
    struct plugin plugin;
    /* Changes the scene; on failure the core throws the half-changed copy away. */
    cp_status (*apply)(cp_context *context, cp_scene *scene, const void *settings);
    bool is_shown; /* people look at what it makes: as a command it writes files for viewers */
};

/* Nobody knows the file: what the probes looked for. CP_INPUT. */
cp_status report_unknown_content(const struct source *source);

/* Some importer that is built has the source's suffix, or is sure of its bytes (more than "perhaps": a score of 1). */
bool source_is_known(const struct source *source);

/* Reads a further file, opened by source_open, as a scene of its own, by the importer that its bytes and suffix ask
 * for, or the named one (format, else NULL), with the options that the user gave for it. The caller closes the source
 * and frees *scene. */
cp_status read_further(struct source *source, const char *format, cp_scene **scene);

/* Writes a scene into memory by the exporter of that name ("glb", or "glb.gz" for packed bytes), for an exporter that
 * puts it into its own output, with options as a user writes them ("profile=deliver"). What that exporter does not
 * carry is reported as lost from the output that is being written: an exporter whose output holds no more than these
 * bytes carries FEATURE_ALL itself. Its messages name its own options: set these here, or offer them under the same
 * names. The profile of glb is "deliver" if none is given. CP_USAGE for an unknown name or option, and for a format of
 * several files. On success the bytes are the caller's: free them by memory_free(context, bytes, size, 1). On failure
 * *bytes is NULL. */
cp_status write_further(cp_context *context, const cp_scene *scene, const char *format, const char *const *options,
                        size_t option_count, void **bytes, size_t *size);

#endif
