/* The program's inside. It knows the library by its public header alone; main.c dispatches, each command has a file. */
#ifndef CELLPIPE_CLI_H
#define CELLPIPE_CLI_H

#include "cellpipe_tool.h"
#include <stdarg.h>
#include <stdio.h>

/* A text as it is printed, in memory. Its place must not change while it is open. */
struct text {
    FILE *file; /* NULL: it is not open */
    char *bytes;
    size_t size, room;
    bool failed;
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

/* Who wants to know more of a plan that is carried out than its messages: a worker of batch. */
struct listener {
    void (*hear)(struct listener *listener, const cp_entry *entry); /* called with each entry of the report */
    void (*take_files)(struct listener *listener, const cp_file *files, size_t count); /* before the list is cleared */
    uint64_t triangles_in, triangles_out; /* of all drawn instances, before the first filter and after the last */
    cp_shape shape;                       /* of what was read */
};

/* One run of the program. */
struct cli {
    struct list said; /* names of the flags of any command that were given */
    cp_context *context;
    const struct command *const *commands; /* ended by NULL */
    struct block *blocks;                  /* memory until the end */
    struct list words;                     /* the command line without global flags: the command, then what it gets */
    size_t plain;                          /* words from here on came after "--": never flags, never settings */
    FILE *messages;                        /* standard error; in a worker of batch what may go there */
    FILE *answers;                         /* standard output, or where else the caller wants what --json asks for */
    int64_t threads;                       /* as the context's */
    bool isolate;                          /* the same */
    const char *report_path;               /* NULL: no report is asked for */
    bool help, version, quiet, verbose;
    bool untold;            /* there was no memory to say something */
    struct globals globals; /* as the context's */
    struct text log;        /* the report's entries so far as JSON; not open without --report */
    bool log_comma;
    bool told_error;           /* some error was reported */
    struct listener *listener; /* or NULL */
    struct progress progress;
};

/* ---- cli.c: memory, messages, the report ---- */

void cli_free(struct cli *cli);
/* size zeroed bytes until the end of the program; NULL when out of memory, which is then reported. */
void *cli_allocate(struct cli *cli, size_t size);
/* A text in the cli's memory; NULL when out of memory, which is then reported. */
char *cli_print(struct cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool list_add(struct cli *cli, struct list *list, const char *item);
bool list_has(const struct list *list, const char *item);
/* Six digits for people, with a decimal point in any locale. */
struct short_number {
    char text[32];
};
struct short_number short_number(double value);
/* Twelve digits. */
struct short_number long_number(double value);
/* As cli_print, shown as on a terminal: see cp_print_shown_character. */
char *cli_show(struct cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints a text of a file or the command line as a terminal may show it. */
void print_shown(FILE *file, const char *text);
/* Prints a part of a line on standard output so. Whatever may hold such a text is printed by these. */
void say(struct cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));
void say_list(struct cli *cli, const char *format, va_list list) __attribute__((format(printf, 2, 0)));
/* Says what is wrong with the request or the world outside the library; returns status. */
cp_status complain(struct cli *cli, cp_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Leaves a warning in the report; what the user sees of it, the message, is the caller's. */
void log_fault(struct cli *cli, const char *code, const char *file, const char *text, const char *message);
/* What makes a word plural: "s", but nothing behind 1. */
const char *plural(uint64_t count);
/* Complains about an unknown word and names the nearest of `known` (a list ended by NULL), if one is near. */
cp_status complain_unknown(struct cli *cli, const char *what, const char *word, const char *const *known);
/* The same for a thing of a scene; where no name is near, it names a few. */
cp_status complain_missing(struct cli *cli, const char *what, const char *word, const char *const *known);
/* Prints the library's entries on stderr, keeps them for --report and forgets them in the context. */
void flush_report(struct cli *cli, cp_status status);
/* The report must not take the place of a file that the command line names. */
cp_status check_report_path(struct cli *cli);
/* Nor that of a file that was read. */
cp_status check_report_unread(struct cli *cli);
/* Writes the file of --report; returns status, or the error that kept it from being written. */
cp_status write_report(struct cli *cli, cp_status status);
/* CP_OUTPUT when standard output did not take everything. */
cp_status finish_stdout(struct cli *cli);

/* ---- text.c ---- */

/* False when out of memory, which is not reported. text_free frees it, whether open or closed. */
bool text_open(struct text *text);
/* False where anything of it was lost for want of memory: nothing is left of the text then. Else `bytes` is the text
 * with a zero byte behind it, and never NULL. */
bool text_close(struct text *text);
void text_free(struct text *text);

/* ---- interrupt.c, progress.c ---- */

void catch_signals(void);
bool was_interrupted(void);
/* In a worker of batch: a signal is noted, and the supervisor sees to it that the worker ends. */
void obey_supervisor(void);
/* For cp_set_cancel. */
bool must_stop(void *user);
/* If wanted, Ctrl-C ends a search alone, and its results are written; else it ends the whole call. */
void want_results(bool wanted);
/* Returns, for cp_set_end, whether Ctrl-C came while results were wanted. */
bool must_end_search(void *user);
/* Somebody cut a mapped file short while it was read. */
bool were_bytes_missing(void);
void forget_missing_bytes(void);
/* Ends the program by the signal that was caught, if any. */
void end_if_interrupted(void);
uint64_t milliseconds(void); /* of a clock that only goes on */
/* From now on a line on the terminal says what goes on; none without a terminal or with --quiet. */
void start_progress(struct cli *cli);
/* To be called before anything else is printed on the terminal. */
void clear_progress(struct cli *cli);

/* ---- flags.c: what a command takes, and the command line sorted by it ---- */

/* All there is to know of a command. What a user says to it goes into its settings, a struct that begins with a
 * request. */
struct command {
    const char *name, *title;
    const char *usage;           /* the words after the name; one form a line */
    const char *help, *examples; /* paragraphs, one a line; NULL, or commands, one a line */
    /* Flags ("--clearance"), options ("touch"), and words: booleans ("closed"). Ended by OPTIONS_END; or NULL. An
     * offset is into the command's settings, of a flag of any command into struct cli; what repeats has a struct list
     * there. */
    const struct option *options;
    bool reads, writes; /* it takes --from and --in; --to and --out */
    bool any_settings;  /* K=V that is none of its options goes to the request's settings */
    cp_status (*run)(struct cli *cli);
};

/* A command's words, sorted. */
struct request {
    struct list said; /* names of options */
    struct list words, settings, in, out;
    const char *from, *to;
};

/* The flags that any command takes, as if they were those of one. */
extern const struct command any_command;

/* Splits argv into flags of any command, which are carried out, and cli->words. */
cp_status take_global_flags(struct cli *cli, int argc, char **argv);
/* Sorts the words begin .. end - 1 into the command's settings, which are zero bytes before. */
cp_status sort_words(struct cli *cli, size_t begin, size_t end, const struct command *command, void *settings);
/* An importer option: for the top importer into `in`, "stl.unit=mm" for every use of stl. */
cp_status add_input_option(struct cli *cli, struct list *in, const char *setting);
/* "touch=LENGTH", "-I, --include DIR", "closed". */
struct label {
    char text[48];
};
struct label option_label(const struct option *option);
/* The command's options in order, its own first; NULL past the last. */
const struct option *option_at(const struct command *command, size_t index);
bool is_flag(const struct option *option);
/* Adds the names of its flags, or of its options K=V; false when out of memory. */
bool add_option_names(struct cli *cli, const struct command *command, bool flags, struct list *names);
/* If `word`, a K=V that `name` does not take, is an option of some input (unless inputs is false) or of the output:
 * says how it is given there, CP_USAGE. name NULL: the word was given as a flag. exporter: the output's, SIZE_MAX for
 * any; outputs as inputs. */
struct places {
    bool inputs, outputs;
    size_t exporter;
};
cp_status check_place(struct cli *cli, struct places places, const char *name, const char *word);
/* Of a word K=V that is none of the command's options. */
cp_status complain_setting(struct cli *cli, const struct command *command, const char *word);
/* By its name, or the command FILTER by the name of a filter; NULL when there is none. */
const struct command *command_named(const struct cli *cli, const char *name);

/* ---- plan.c ---- */

/* Tells the cli's context what holds for all that is read and written. */
cp_status use_globals(struct cli *cli, const struct globals *globals);

/* ---- steps.c ---- */

/* Reads the input of info, check and diff; the report is not yet printed. */
cp_status read_input(struct cli *cli, const char *path, const struct request *request, cp_scene **scene);
/* What comes after any read; *scene is NULL when it failed. */
cp_status finish_read(struct cli *cli, cp_status status, cp_scene **scene);

/* ---- commands, each at the end of its file ---- */

extern const struct command convert_command, batch_command, run_command, filter_command, info_command, check_command,
    diff_command, collide_command, fk_command, ik_command, igrip2vrml_command, manifest_command, report_command,
    formats_command, filters_command, help_command;

void print_overview(const struct cli *cli, FILE *file);
/* Of the program, and of the libraries that a build may lack. */
void print_version(void);
cp_status print_help(struct cli *cli, const char *word);

/* ---- manual.c, schema.c, complete.c ---- */

struct exit_code {
    int code;
    const char *meaning;
};
/* Ended by a meaning of NULL. */
extern const struct exit_code exit_codes[];
/* The manual page, as roff on standard output. */
void print_manual(const struct cli *cli);
/* All options as JSON on standard output (docs/cli.md: help --json). */
void print_schema(const struct cli *cli);
/* What may take the place of the last of the words of a command line; a file's name may always. */
cp_status print_completions(struct cli *cli, const struct list *words);
/* All that help can explain. */
bool add_topics(struct cli *cli, struct list *list);

/* ---- plugins.c: names of formats, filters and files ---- */

/* Adds the names of all commands and filters, or of all plug-ins of a kind; false when out of memory. */
bool add_commands(struct cli *cli, struct list *list);
bool add_plugins(struct cli *cli, cp_plugin_kind kind, struct list *list);
/* The latter as a list ended by NULL; NULL when out of memory. */
const char *const *plugin_words(struct cli *cli, cp_plugin_kind kind);
/* The index of a plug-in, or SIZE_MAX. */
size_t plugin_named(cp_plugin_kind kind, const char *name);
/* The importer by name, or else the first that has the suffix ("glb" or ".glb"); NULL when there is none. */
const char *importer_named(const char *word);
/* The exporter by name, or else the one that has the suffix; NULL when there is none. */
const char *exporter_named(const char *word);
/* The index of the exporter for an output: by a format's name or suffix, or NULL, and a path; SIZE_MAX when there is
 * none. */
size_t exporter_for(const char *format, const char *path);
/* The exporter's name for cp_write, with ".gz" if the user's word asks for it: "wrl.gz" is "vrml97.gz", and so is
 * "wrz", the suffix of compressed VRML files. NULL when out of memory. */
const char *packed_format(struct cli *cli, const char *word, const char *name);
/* The suffix of outputs in the format of that name; a word that is itself a suffix ("wrl.gz") is kept. */
void output_suffix(const char *word, char *out, size_t size);
/* The file's name without folder and suffixes, in the cli's memory; NULL when out of memory. */
const char *path_stem(struct cli *cli, const char *path);
/* Whether it has the option of "NAME=VALUE" or "NAME", and which; plugin: SIZE_MAX has none. */
bool plugin_has(cp_plugin_kind kind, size_t plugin, const char *setting, cp_option_info *option);
bool any_plugin_has(cp_plugin_kind kind, const char *setting);

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
/* The generic class of a device of six driven joints, one after the other: its first three (R turns, T slides), a colon
 * and its wrist, "RRR:RRR (articulated)". NULL: it has none. */
const char *device_class(const cp_scene *scene, const cp_device *device);

/* Exclusions without repeats, each with first < second by index, in the order of the first statement: those between
 * real frames, and with dangling_too those that name a frame that is not there; and how many statements do. */
struct exclusions {
    cp_pair *pairs;
    size_t count, dangling;
};
cp_status list_exclusions(struct cli *cli, const cp_scene *scene, bool dangling_too, struct exclusions *exclusions);
/* Of the scene as it stands; NULL when they cannot be had. */
cp_pose *world_poses(struct cli *cli, const cp_scene *scene);
/* *joints: a copy of the joints in which q is the value that each has now, dependent ones too. */
cp_status current_joints(struct cli *cli, const cp_scene *scene, const cp_joint **joints);

/* info_json.c */
cp_status print_info_json(struct cli *cli, const cp_scene *scene);

/* ---- json.c: answers in JSON ---- */

/* The row of a command that can answer with one object; `wanted`: the struct with its bool json. */
#define JSON_FLAG(wanted)                                                                                              \
    {                                                                                                                  \
        "--json", "print one JSON object, for scripts", OPTION_BOOLEAN, .offset = offsetof(wanted, json)               \
    }

/* A writer of answers: members of the top and what they list get lines of their own; anything deeper stays on its
 * line. */
cp_json json_in_file(FILE *file);

/* One object, made in memory first: an object that breaks off is of no use to anybody. */
struct json_answer {
    cp_json json;
    struct text text;
};
/* False when out of memory, which is reported; json_answer_end need not be called then. */
bool json_answer_begin(struct cli *cli, struct json_answer *answer);
/* Prints the object if the status is an answer, CP_OK or CP_NO. Returns the status, or CP_LIMIT. */
cp_status json_answer_end(struct cli *cli, struct json_answer *answer, cp_status status);

#endif
