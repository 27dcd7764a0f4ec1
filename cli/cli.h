/* The program's inside. It knows the library by its public header alone; main.c dispatches, each command has a file. */
#ifndef CELLPIPE_CLI_H
#define CELLPIPE_CLI_H

#include "cellpipe.h"
#include <pthread.h>
#include <stdio.h>

/* Strings in order; the memory is the cli's. */
struct list {
    const char **items;
    size_t count, room;
};

/* What flags of any command say for all that is read and written. */
struct globals {
    bool strict, confine, no_clobber, sync;
    struct list limits, importer_options, folders, packages; /* NAME=N, IMPORTER.K=V, paths, NAME=FOLDER */
};

/* The line on the terminal. */
struct progress {
    bool wanted;
    bool visible;
    uint64_t next; /* when it may be shown again, in milliseconds */
};

/* One run of the program. */
struct cli {
    cp_context *context;
    struct block *blocks;    /* memory until the end */
    struct list words;       /* the command line without global flags: the command, then what it gets */
    size_t plain;            /* words from here on came after "--": never flags, never settings */
    FILE *messages;          /* standard error; of a job in bulk what will go there */
    uint32_t threads;        /* as the context's */
    const char *report_path; /* NULL: no report is asked for */
    bool help, version, quiet, verbose;
    bool confine_said;      /* --confine or --confine=no was given */
    struct globals globals; /* as the context's */
    FILE *log;              /* the report's entries so far as JSON, into log_text; NULL without --report */
    char *log_text;
    size_t log_size;
    bool log_comma;
    struct progress progress;
};

/* ---- cli.c: memory, messages, the report ---- */

void cli_free(struct cli *cli);
/* size zeroed bytes until the end of the program; NULL when out of memory, which is then reported. */
void *cli_allocate(struct cli *cli, size_t size);
bool list_add(struct cli *cli, struct list *list, const char *item);
/* Says what is wrong with the request or the world outside the library; returns status. */
cp_status complain(struct cli *cli, cp_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Leaves a warning in the report; what the user sees of it is the caller's. The text begins at `start` of the message. */
void log_fault(struct cli *cli, const char *code, const char *file, const char *message, size_t start);
/* Complains about an unknown word and names the nearest of `known` (a list ended by NULL), if one is near. */
cp_status complain_unknown(struct cli *cli, const char *what, const char *word, const char *const *known);
/* Prints the library's entries on stderr, keeps them for --report and forgets them in the context. */
void flush_report(struct cli *cli, cp_status status);
bool open_log(struct cli *cli);
/* Adds the report's entries of a job. */
void join_log(struct cli *cli, struct cli *job);
/* The report must not take the place of a file that the command line names. */
cp_status check_report_path(struct cli *cli);
/* Nor that of a file that was read. */
cp_status check_report_unread(struct cli *cli);
/* Writes the file of --report; returns status, or the error that kept it from being written. */
cp_status write_report(struct cli *cli, cp_status status);
/* CP_OUTPUT when standard output did not take everything. */
cp_status finish_stdout(struct cli *cli);

/* ---- interrupt.c, progress.c ---- */

void catch_signals(void);
bool was_interrupted(void);
/* Interrupts what the thread waits for in the kernel. */
void wake_thread(pthread_t thread);
/* For cp_set_cancel. */
bool must_stop(void *user);
/* CP_INPUT, said, when bytes of a mapped file were missing; else the status as it is. */
cp_status check_bytes(struct cli *cli, cp_status status);
/* Ends the program by the signal that was caught, if any. */
void end_if_interrupted(void);
/* From now on a line on the terminal says what goes on; none without a terminal or with --quiet. */
void start_progress(struct cli *cli);
/* So many inputs are done, the last one being `file`. */
void show_input(struct cli *cli, size_t done, size_t count, const char *file);
/* To be called before anything else is printed on the terminal. */
void clear_progress(struct cli *cli);

/* ---- flags.c ---- */

enum {
    FLAG_FROM = 1 << 0,
    FLAG_TO = 1 << 1,
    FLAG_IN = 1 << 2,
    FLAG_OUT = 1 << 3,
    FLAG_OUT_DIR = 1 << 4,
    FLAG_JSON = 1 << 5,
    FLAG_DUMP = 1 << 6,
    FLAG_MARKDOWN = 1 << 7,
    FLAG_EXPLAIN = 1 << 8,
    FLAG_CLEARANCE = 1 << 10,
    FLAG_SETTINGS = 1 << 9, /* not a flag: words like K=V are settings, not files */
    FLAG_READING = FLAG_FROM | FLAG_IN
};

/* A command's words, sorted. */
struct request {
    struct list words, settings, in, out;
    const char *from, *to, *out_dir, *clearance;
    bool json, dump, explain, markdown;
    size_t taken; /* words of the last flag, for sort_words */
};

/* Puts all of it in force in the cli's context. */
cp_status use_globals(struct cli *cli, const struct globals *globals);
/* Splits argv into global flags, which are carried out, and cli->words. */
cp_status take_global_flags(struct cli *cli, int argc, char **argv);
/* Sorts the words begin .. end - 1; flags outside `allowed` (FLAG_...) are complained about. */
cp_status sort_words(struct cli *cli, size_t begin, size_t end, unsigned allowed, struct request *request);
/* An importer option: for the top importer into `in`, "stl.unit=mm" for every use of stl. */
cp_status add_input_option(struct cli *cli, struct list *in, const char *setting);
/* All flags, one a line, with what they do: those that hold for all commands, or the others. */
void print_flags(FILE *file, bool global);

/* ---- steps.c: reading, names of formats and files ---- */

/* Reads the input of info, check and diff; the report is not yet printed. */
cp_status read_input(struct cli *cli, const char *path, const struct request *request, cp_scene **scene);
/* What comes after any read; *scene is NULL when it failed. */
cp_status finish_read(struct cli *cli, cp_status status, cp_scene **scene);
/* The exporter by name, or else the one that has the suffix; NULL when there is none. */
const char *exporter_named(const char *word);
/* The index of the exporter for an output: by a format's name or suffix, or NULL, and a path; SIZE_MAX when there is none. */
size_t exporter_for(const char *format, const char *path);
/* The suffix of outputs in the format of that name; a word that is itself a suffix ("wrl.gz") is kept. */
void output_suffix(const char *word, char *out, size_t size);
/* The file's name without folder and suffixes, in the cli's memory; NULL when out of memory. */
const char *path_stem(struct cli *cli, const char *path);

/* ---- commands ---- */

struct command {
    const char *name, *usage, *title, *help;
    cp_status (*run)(struct cli *cli);
};
/* Ended by a name of NULL. */
extern const struct command commands[];

cp_status command_convert(struct cli *cli);
cp_status command_run(struct cli *cli);
cp_status command_filter(struct cli *cli); /* the first word is a filter's name */
cp_status command_info(struct cli *cli);
cp_status command_check(struct cli *cli);
cp_status command_diff(struct cli *cli);
cp_status command_collide(struct cli *cli);
cp_status command_igrip2vrml(struct cli *cli);
cp_status command_formats(struct cli *cli);
cp_status command_filters(struct cli *cli);
cp_status command_help(struct cli *cli);

void print_overview(FILE *file);
cp_status print_help(struct cli *cli, const char *word);
/* Names of all commands and filters, and of all plug-ins of a kind; ended by NULL. NULL when out of memory. */
const char *const *known_commands(struct cli *cli);
const char *const *plugin_words(struct cli *cli, cp_plugin_kind kind);
/* The index of a plug-in, or SIZE_MAX. */
size_t plugin_named(cp_plugin_kind kind, const char *name);

/* Six digits for people, with a decimal point in any locale. */
struct short_number {
    char text[32];
};
struct short_number short_number(double value);

/* ---- facts.c: what info, check and diff tell about a scene ---- */

struct clip_facts {
    double first, last; /* seconds: of keys and attachments; both 0 when it has none */
    uint64_t keys;
};
struct clip_facts clip_facts(const cp_clip *clip);

/* A mesh without a name goes by where it came from, such as "#Box 1 2 3". */
const char *mesh_name(const cp_mesh *mesh);
/* "world", "joint", "movable" or "fixed". */
const char *frame_kind(const cp_scene *scene, uint32_t node);
bool is_placeholder(const cp_scene *scene, uint32_t node);

/* Exclusions without repeats, each with first < second by index, in the order of the first statement: those between real frames, and
 * with dangling_too those that name a frame that is not there; and how many statements do. */
struct exclusions {
    cp_pair *pairs;
    size_t count, dangling;
};
cp_status list_exclusions(struct cli *cli, const cp_scene *scene, bool dangling_too, struct exclusions *exclusions);
cp_pose *world_poses(struct cli *cli, const cp_scene *scene, const double *q);

/* info_json.c */
cp_status print_info_json(struct cli *cli, const cp_scene *scene);

#endif
