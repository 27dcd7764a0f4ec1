/* Settings of single files: a file cellpipe.ini in a folder of the library.
 *
 *     # Parts that are bought are in inches, and gears may be coarse.
 *     [*.stl]
 *     unit=mm
 *     [bought/in*]
 *     unit=in strict=yes
 *     [gears/g*]
 *     simplify ratio=0.2
 *     out compress=no
 *
 * A section is for the files below the folder whose name matches; a pattern with a slash is for the path below the
 * folder. * stands for any text, with slashes too, ? for one byte. A line has options of the reader, or a filter with
 * options, or "out" with options of the writer. Of two that say the same the later one holds, and that of a nearer
 * folder: all of them hold against the command line.
 *
 * A library may be a stranger's. So a settings file can name no file and no folder, and raise no limit: it has the
 * options of readers that are listed in settings_check.c, filters that read no file, and options whose value is a
 * number, a word of a few, or a name in the scene. */
#ifndef CELLPIPE_CLI_SETTINGS_H
#define CELLPIPE_CLI_SETTINGS_H

#include "entries.h"

#define SETTINGS_NAME "cellpipe.ini"

enum setting_kind { SETTING_READ, SETTING_FILTER, SETTING_WRITE };

/* A line, or a part of one. */
struct setting {
    enum setting_kind kind;
    const char *filter;    /* its name, of a filter */
    struct list options;   /* K=V; the places of their words: */
    const uint32_t *words; /* columns, from 1; the first is that of the filter, if there is one */
    uint32_t line;
};

struct settings_section {
    const char *pattern;
    uint32_t line;
    uint32_t first, count; /* settings */
    uint32_t matches;      /* inputs */
};

struct settings_file {
    const char *path;
    struct settings_section *sections;
    struct setting *settings;
    uint32_t section_count, setting_count;
};

/* A fault of a settings file. */
struct settings_fault {
    uint32_t line, column; /* from 1 */
    const char *text;
};

enum { MOST_SETTINGS = 64 << 10, MOST_SECTIONS = 1000, MOST_PATTERN = 1024 }; /* bytes; sections; bytes */

/* ---- settings_parse.c ---- */

/* Reads the text of a settings file; all memory is the arena's. CP_INPUT: the fault says why. Linear in its size. */
cp_status settings_parse(struct arena *arena, const char *text, size_t size, struct settings_file *file,
                         struct settings_fault *fault);
/* Tells whether the path below the folder matches. Takes at most the product of both lengths. */
bool settings_match(const char *pattern, const char *path);

/* ---- settings_check.c ---- */

/* Checks that a settings file says nothing but what it may, and that all its words are known. exporter: the index of
 * that which writes; SIZE_MAX: nothing is written. CP_USAGE, reported with file, line and column. */
cp_status settings_check(struct cli *cli, const struct settings_file *file, size_t exporter);

/* ---- settings.c ---- */

/* The settings that inputs have in common. */
struct settings_group {
    const struct setting **settings; /* in order: each holds against those before */
    uint32_t count;
    const char *text; /* for people, and different for different ones: "unit=mm; simplify ratio=0.2" */
    uint32_t matches; /* inputs */
};

/* The settings of a list of inputs. Start: {0}; free with settings_free. */
struct settings {
    struct settings_group *groups; /* the first has none, and is that of all inputs without settings */
    uint32_t group_count, group_room;
    uint32_t *of; /* by entry: the index of its group; NULL: no input has settings */
    struct settings_file **files;
    uint32_t file_count, file_room;
    uint32_t entry_count;
    cp_context *context;
};

/* Finds the settings files of all inputs, by the folders that these are in, and reads them. CP_USAGE, reported: one
 * makes no sense, or is no file. `all`: the entries are all of their folders, so that patterns without a match are
 * worth a warning. */
cp_status settings_find(struct cli *cli, const struct entries *entries, size_t exporter, bool all,
                        struct settings *settings);
void settings_free(struct settings *settings);
/* Tells whether the entries are all that lie in the folders of the request. */
static inline bool is_whole_library(const struct entries *entries, const struct list_request *request)
{
    return entries->walked_count > 0 && request->only.count + request->skip.count == 0;
}
/* Returns the index of the group of an entry. */
static inline uint32_t settings_of(const struct settings *settings, uint32_t entry)
{
    return settings->of ? settings->of[entry] : 0;
}

#endif
