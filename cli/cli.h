/* The declarations that the files of the program share. It knows the library by its public header alone; main.c
 * dispatches, each command has a file. */
#ifndef CELLPIPE_CLI_H
#define CELLPIPE_CLI_H

#include "cellpipe_tool.h"
#include <stdarg.h>
#include <stdio.h>

/* A text that is printed into memory. It must not move while it is open. */
struct printed_text {
    FILE *file; /* NULL: it is not open */
    char *bytes;
    size_t size, room;
    bool failed;
};

/* The flags of any command that affect everything that is read and written. */
struct globals {
    bool strict, confine, no_clobber, sync;
    struct list limits, importer_options, folders, packages; /* NAME=N, IMPORTER.K=V, paths, NAME=FOLDER */
};

/* The line of progress on the terminal. */
struct progress {
    bool wanted;
    bool visible;
    uint64_t next; /* the next time at which it may be shown, in milliseconds */
};

/* A listener, such as a worker of batch, that wants to know more of a plan's run than its messages. */
struct cli_listener {
    void (*hear)(struct cli_listener *listener, const cp_entry *entry); /* called with each entry of the report */
    void (*take_files)(struct cli_listener *listener, const cp_file *files,
                       size_t count);     /* before the list is cleared */
    uint64_t triangles_in, triangles_out; /* counts of all drawn instances, before the first filter and after the
                                           * last */
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
    FILE *messages;                        /* standard error; in a worker of batch, its messages */
    FILE *answers;                         /* standard output, or the caller's file for answers of --json */
    int64_t threads;                       /* as the context's */
    bool isolate;                          /* the same */
    const char *report_path;               /* NULL: no report is wanted */
    bool help, version, quiet, verbose;
    bool untold;             /* memory ran out for a message */
    struct globals globals;  /* as the context's */
    struct printed_text log; /* the report's entries so far as JSON; not open without --report */
    bool log_comma;
    bool told_error;               /* some error was reported */
    struct cli_listener *listener; /* or NULL */
    struct progress progress;
};

/* ---- cli.c: memory, messages, the report ---- */

void cli_free(struct cli *cli);
/* Returns size zeroed bytes until the end of the program; NULL when out of memory, which is then reported. */
void *cli_allocate(struct cli *cli, size_t size);
/* Prints a text into the cli's memory; NULL when out of memory, which is then reported. */
char *cli_print(struct cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool list_add(struct cli *cli, struct list *list, const char *item);
bool list_has(const struct list *list, const char *item);
/* Six digits for people, with a decimal point in any locale. */
struct short_number {
    char text[32];
};
struct short_number short_number(double value);
/* Prints a number with twelve digits. */
struct short_number long_number(double value);
/* Prints as cli_print does, for a terminal: see cp_print_shown_character. */
char *cli_show(struct cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints a text of a file or the command line as a terminal may show it. */
void print_shown(FILE *file, const char *text);
/* Prints a part of a line on standard output in the same way. All text from files and command lines is printed by
 * these. */
void say(struct cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Reports an error in the request or in the world outside the library; returns status. */
cp_status complain(struct cli *cli, cp_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Adds a warning to the report; the caller prints the user's message. */
void log_fault(struct cli *cli, const char *code, const char *file, const char *text, const char *message);
/* Returns the ending of a plural: "s", but "" for 1. */
const char *plural(uint64_t count);
/* Complains about an unknown word and names the nearest of `known` (a list ended by NULL), if one is near. */
cp_status complain_unknown(struct cli *cli, const char *what, const char *word, const char *const *known);
/* Does the same for a thing of a scene; if no name is near, it names a few. */
cp_status complain_missing(struct cli *cli, const char *what, const char *word, const char *const *known);
/* Prints the library's entries on stderr, keeps them for --report and forgets them in the context. */
void flush_report(struct cli *cli, cp_status status);
/* Checks that the report does not replace a file that the command line names. */
cp_status check_report_path(struct cli *cli);
/* Checks that it does not replace a file that was read. */
cp_status check_report_unread(struct cli *cli);
/* Writes the file of --report; returns status, or the error that prevented it. */
cp_status write_report(struct cli *cli, cp_status status);
/* Flushes standard output; CP_OUTPUT if it did not take everything. */
cp_status finish_stdout(struct cli *cli);

/* ---- text.c ---- */

/* Opens a text. False when out of memory, which is not reported. text_free frees it, whether open or closed. */
bool text_open(struct printed_text *text);
/* Closes a text. False if memory ran out for any part of it; then nothing is left. Else `bytes` is the text with a zero
 * byte behind it, and never NULL. */
bool text_close(struct printed_text *text);
void text_free(struct printed_text *text);

/* ---- live.c ---- */

struct live_room;
/* Loads the functions of live/. CP_USAGE if the build has none, CP_LIMIT if they cannot be loaded. */
cp_status load_live(struct cli *cli, const struct live_room **room);

/* ---- interrupt.c, progress.c ---- */

void catch_signals(void);
bool was_interrupted(void);
/* Lets a worker of batch only note signals; the supervisor makes sure that the worker ends. */
void obey_supervisor(void);
/* Returns, for cp_set_cancel, whether the call must stop. */
bool must_stop(void *user);
/* Chooses what Ctrl-C ends: if results are wanted, only a search, whose results are then written; else the whole
 * call. */
void want_results(bool wanted);
/* Returns, for cp_set_end, whether Ctrl-C came while results were wanted. */
bool must_end_search(void *user);
/* Tells whether somebody cut a mapped file short while it was read. */
bool were_bytes_missing(void);
void forget_missing_bytes(void);
/* Ends the program by the signal that was caught, if any. */
void end_if_interrupted(void);
uint64_t milliseconds(void); /* read from a clock that never goes back */
/* Shows progress on a line of the terminal from now on; not without a terminal or with --quiet. */
void start_progress(struct cli *cli);
/* Removes the line of progress. Call it before anything else is printed on the terminal. */
void clear_progress(struct cli *cli);

/* ---- flags.c: what a command takes, and the command line sorted by it ---- */

/* The description of a command. The user's words go into its settings, a struct that begins with a request. */
struct command {
    const char *name, *title;
    const char *usage;           /* the words after the name; one form in each line */
    const char *help, *examples; /* paragraphs, one in each line; NULL, or commands, one in each line */
    /* Flags ("--clearance"), options ("touch"), and words: booleans ("closed"). Ended by CP_OPTIONS_END; or NULL. An
     * offset is into the command's settings, of a flag of any command into struct cli; what repeats has a struct list
     * there. */
    const cp_option *options;
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

/* Splits argv into flags of any command, which take effect at once, and cli->words. */
cp_status take_global_flags(struct cli *cli, int argc, char **argv);
/* Sorts the words begin .. end - 1 into the command's settings, which are zero bytes before. */
cp_status sort_words(struct cli *cli, size_t begin, size_t end, const struct command *command, void *settings);
/* Adds an importer option: for the top importer to `in`, "stl.unit=mm" for every use of stl. */
cp_status add_input_option(struct cli *cli, struct list *in, const char *setting);
/* "touch=LENGTH", "-I, --include DIR", "closed". */
struct label {
    char text[48];
};
struct label option_label(const cp_option *option);
/* Returns the command's options in order, its own first; NULL past the last. */
const cp_option *option_at(const struct command *command, size_t index);
bool is_flag(const cp_option *option);
/* Adds the names of its flags, or of its options K=V; false when out of memory. */
bool add_option_names(struct cli *cli, const struct command *command, bool flags, struct list *names);
/* The places at which check_place looks for `word`, a K=V that `name` does not take. If it is an option of some input
 * (unless inputs is false) or of the output, check_place tells how to give it there, CP_USAGE. name NULL: the word was
 * given as a flag. exporter: the output's, SIZE_MAX for any; outputs as inputs. */
struct option_places {
    bool inputs, outputs;
    size_t exporter;
};
cp_status check_place(struct cli *cli, struct option_places places, const char *name, const char *word);
/* Complains about a word K=V that is none of the command's options. */
cp_status complain_setting(struct cli *cli, const struct command *command, const char *word);
/* Returns the command of that name, or the command FILTER for the name of a filter; NULL when there is none. */
const struct command *command_named(const struct cli *cli, const char *name);

/* ---- plan.c ---- */

/* Sets the globals in the cli's context. */
cp_status use_globals(struct cli *cli, const struct globals *globals);

/* ---- steps.c ---- */

/* Reads the input of info, check and diff; the report is not yet printed. */
cp_status read_input(struct cli *cli, const char *path, const struct request *request, cp_scene **scene);
/* Finishes any read: prints the report; *scene is NULL when it failed. */
cp_status finish_read(struct cli *cli, cp_status status, cp_scene **scene);

/* ---- commands, each at the end of its file ---- */

extern const struct command convert_command, batch_command, run_command, filter_command, info_command, check_command,
    diff_command, collide_command, fk_command, ik_command, igrip2vrml_command, manifest_command, merge_command,
    report_command, gallery_command, sheet_command, serve_command, users_command, formats_command, filters_command, help_command;

void print_overview(const struct cli *cli, FILE *file);
/* Prints the versions of the program, and of the libraries that a build may lack. */
void print_version(void);
cp_status print_help(struct cli *cli, const char *word);

/* ---- manual.c, schema.c, complete.c ---- */

struct exit_code {
    int code;
    const char *meaning;
};
/* Ended by a meaning of NULL. */
extern const struct exit_code exit_codes[];
/* Prints the manual page, as roff on standard output. */
void print_manual(const struct cli *cli);
/* All options as JSON on standard output (docs/cli.md: help --json). */
void print_schema(const struct cli *cli);
/* Prints the words that may replace the last one of a command line; a file's name always may. */
cp_status print_completions(struct cli *cli, const struct list *words);
/* Lists all that help can explain. */
bool add_topics(struct cli *cli, struct list *list);

/* ---- plugins.c: names of formats, filters and files ---- */

/* The plug-ins of the library: the program registers none of its own. */
static inline size_t plugin_count(cp_plugin_kind kind)
{
    return cp_plugin_count(NULL, kind);
}
static inline cp_plugin_info plugin_at(cp_plugin_kind kind, size_t index)
{
    cp_plugin_info info = {.size = sizeof info};
    (void)cp_plugin_at(NULL, kind, index, &info);
    return info;
}
static inline cp_option_info plugin_option(cp_plugin_kind kind, size_t index, size_t option)
{
    cp_option_info info = {.size = sizeof info};
    (void)cp_plugin_option(NULL, kind, index, option, &info);
    return info;
}
/* Adds the names of all commands and filters, or of all plug-ins of a kind; false when out of memory. */
bool add_commands(struct cli *cli, struct list *list);
bool add_plugins(struct cli *cli, cp_plugin_kind kind, struct list *list);
/* Returns the names of a kind of plug-ins as a list ended by NULL; NULL when out of memory. */
const char *const *plugin_words(struct cli *cli, cp_plugin_kind kind);
/* Returns the index of a plug-in, or SIZE_MAX. */
size_t plugin_named(cp_plugin_kind kind, const char *name);
/* Returns the importer by name, or else the first that has the suffix ("glb" or ".glb"); NULL when there is none. */
const char *importer_named(const char *word);
/* Tell whether the format, or that of the path's suffix, lists pairs of frames alone. */
bool is_list_format(const char *format);
bool has_list_suffix(const char *path);
/* Returns the exporter by name, or else the one that has the suffix; NULL when there is none. */
const char *exporter_named(const char *word);
/* Returns the index of the exporter for an output: by a format's name or suffix, or NULL, and a path; SIZE_MAX when
 * there is none. */
size_t exporter_for(const char *format, const char *path);
/* Returns the exporter's name for cp_write, with ".gz" if the user's word asks for it: "wrl.gz" is "vrml97.gz", and so
 * is "wrz", the suffix of compressed VRML files. NULL when out of memory. */
const char *packed_format(struct cli *cli, const char *word, const char *name);
/* Finds the suffix of outputs in the format of that name; a word that is itself a suffix ("wrl.gz") is kept. */
void output_suffix(const char *word, char *out, size_t size);
/* Returns the file's name without folder and suffixes, in the cli's memory; NULL when out of memory. */
const char *path_stem(struct cli *cli, const char *path);
/* Tells whether the plug-in has the option of "NAME=VALUE" or "NAME", and which; SIZE_MAX has none. */
bool plugin_has(cp_plugin_kind kind, size_t plugin, const char *setting, cp_option_info *option);
bool any_plugin_has(cp_plugin_kind kind, const char *setting);

/* ---- facts.c: what info, check and diff tell about a scene ---- */

struct clip_facts {
    double first, last; /* seconds: of keys and attachments; both 0 when it has none */
    uint64_t keys;
};
struct clip_facts clip_facts(const cp_clip *clip);

/* Returns the mesh's name; one without a name gets its source, such as "#Box 1 2 3". */
const char *mesh_name(const cp_mesh *mesh);
/* Returns "world", "joint", "movable" or "fixed". */
const char *frame_kind(const cp_scene *scene, uint32_t node);
bool is_placeholder(const cp_scene *scene, uint32_t node);
/* Returns the generic class of a device of six driven joints, one after the other: its first three (R turns, T slides),
 * a colon and its wrist, "RRR:RRR (articulated)". NULL: it has none. */
const char *device_class(const cp_scene *scene, const cp_device *device);

/* Exclusions without repeats, each with first < second by index, in the order of the first statement: those between
 * real frames, and with dangling_too those that name a missing frame; and how many statements do. */
struct distinct_exclusions {
    cp_pair *pairs;
    size_t count, dangling;
};
cp_status list_exclusions(struct cli *cli, const cp_scene *scene, bool dangling_too,
                          struct distinct_exclusions *exclusions);
/* Returns the world poses of the scene as it is; NULL when there are none. */
cp_pose *world_poses(struct cli *cli, const cp_scene *scene);
/* *joints: a copy of the joints in which q is the value that each has now, dependent ones too. */
cp_status current_joints(struct cli *cli, const cp_scene *scene, const cp_joint **joints);

/* info_json.c */
cp_status print_info_json(struct cli *cli, const cp_scene *scene);
/* Writes the members of that object. */
cp_status put_info(struct cli *cli, cp_json *json, const cp_scene *scene);

/* ---- json.c: answers in JSON ---- */

/* The row of a command that can answer with one object; `wanted`: the struct with its bool json. */
#define JSON_FLAG(wanted)                                                                                              \
    {                                                                                                                  \
        "--json", "print one JSON object, for scripts", CP_OPTION_BOOLEAN, .offset = offsetof(wanted, json)            \
    }

/* A writer of answers: members of the top and what they list get lines of their own; anything deeper stays on its
 * line. */
cp_json json_in_file(FILE *file);

/* One object, which is made in memory first: an incomplete object would be of no use. */
struct json_answer {
    cp_json json;
    struct printed_text text;
};
/* Returns false if out of memory, which is reported; json_answer_end need not be called then. */
bool json_answer_begin(struct cli *cli, struct json_answer *answer);
/* Prints the object if the status is an answer, CP_OK or CP_NO. Returns the status, or CP_LIMIT. */
cp_status json_answer_end(struct cli *cli, struct json_answer *answer, cp_status status);

#endif
