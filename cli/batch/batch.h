/* batch: converts many inputs into a folder. batch.c tells the story; a supervisor hands tasks to workers, which are
 * processes of their own. What they record goes into a journal, and at the end of the run into the state. */
#ifndef CELLPIPE_CLI_BATCH_H
#define CELLPIPE_CLI_BATCH_H

#include "../inputs/manifest.h"
#include "../inputs/names.h"
#include "../inputs/settings.h"
#include "../plan.h"
#include "../report/report.h"
#include "../state/journal.h"
#include "../state/state.h"

/* The deed for an entry. */
enum deed {
    DEED_NONE,    /* its output is up to date */
    DEED_REPEAT,  /* it failed before and would fail again */
    DEED_PASS,    /* it is no model, and is as it was */
    DEED_CHECK,   /* a worker compares contents with the last record, and converts if they differ */
    DEED_CONVERT, /* a worker converts it */
    DEED_FAULT,   /* it is no input: a record says so */
    DEED_COUNT
};

/* The end of the message of an input that is not tried again. */
#define AS_BEFORE " (as before; --retry tries again)\n"

/* The order is that of its words. */
enum { PROGRESS_AUTO, PROGRESS_JSON, PROGRESS_NONE };

/* The limits of a run. */
struct batch_limits {
    int64_t jobs;
    double timeout;               /* seconds a file */
    uint64_t memory, most_output; /* bytes a file */
    uint64_t total_memory;        /* bytes of all files that are converted at a time; 0: any */
};

/* The request of the user. The options fill it. */
struct batch_request {
    struct request request; /* first: see cli.h */
    struct list_request list;
    const char *status_path, *manifest, *shard_text;
    struct shard shard;
    int progress; /* PROGRESS_... */
    int exits;    /* EXIT_... */
    bool short_names, whole_cells, no_settings, force, verify, retry, prune, link_duplicates, dry_run, gallery;
    double most_pruned; /* the part of all outputs */
    struct batch_limits limits;
};

/* The place of a run. */
struct batch_site {
    struct cli *cli;
    struct arena *arena;   /* lives as long as the run */
    const char *cwd;       /* the absolute path of the working folder */
    const char *out_dir;   /* OUT, as a normal_path */
    const char *out_place; /* the same, absolute and without links */
    const char *folder;    /* OUT/.cellpipe */
    const char *shard;     /* "3/64", or NULL */
    struct whereabouts here;
    int lock;      /* that of the output folder; -1: a shard has none */
    int64_t begun; /* when the journal was made, by the clock of its file system: nanoseconds since 1970 */
};

/* A variant says what is done with inputs of the same settings. */
struct variant {
    struct plan plan; /* without the names of input and output */
    cp_hash options;  /* a hash of everything that decides an output beside the contents of inputs */
};

/* The inputs, and what to do for each. */
struct batch_work {
    struct entries entries;
    struct naming naming;
    struct settings settings;
    struct variant *variants; /* by group of the settings; the first is that of inputs without any */
    unsigned char *deeds;     /* by entry: enum deed */
    uint32_t counts[DEED_COUNT];
    uint64_t found;          /* entries of which something is known */
    struct name_map taken;   /* outputs of this run that were those of other inputs, which are gone */
    bool is_told;            /* the manifest told a shard what is known */
    uint32_t threads;        /* a worker */
    const struct look *look; /* looks at entries in place of the plan (many.h); NULL: they are converted */
    uint64_t memory;         /* bytes that a file may take: at present, it may be a part of those of all workers */
};

struct look;
struct gone_output;

/* Outputs whose input is gone. */
struct batch_removal {
    const struct gone_output **gone; /* inputs that are gone, of outputs that are not */
    uint32_t gone_count, gone_room;
    struct list ghosts;     /* outputs that are gone, too: only records are left of them */
    uint32_t outside_count; /* records whose input is gone, but was below no folder of this run */
    const char *outside;    /* the first of these inputs */
    const char *empty;      /* the last empty folder below a folder IN in which a gone input was; or NULL */
    const char *emptied;    /* such a folder in which several were; or NULL */
    const char *keeps;      /* the reason why --prune removes nothing; NULL: it may */
};

/* Outputs that are hard links of others. */
struct batch_links {
    uint32_t count, fresh; /* fresh: of this run */
    uint64_t saved;        /* bytes */
};

/* Returns the path of an output below the output folder, or of one elsewhere, in the site's arena; NULL when out of
 * memory. */
const char *place_of_output(const struct batch_site *site, struct arena *arena, const char *path);
/* The same of an input of a record, whose root is there. */
const char *place_of_input(struct arena *arena, const struct input_root *root, const char *path);

/* Fills the site of an output folder, whose cli is set. */
cp_status find_site(const char *out_dir, struct batch_site *site);
/* The same of the one word of a command, an output folder in which a batch has been. CP_USAGE, CP_INPUT, reported. */
cp_status find_known_site(const struct list *words, const char *command, struct batch_site *site);
/* Frees the site, and gives its lock back. */
void leave_site(struct batch_site *site);
/* Commits a change by which the state forgets files that were removed: first their removal goes to the disk, as nobody
 * would remove them again. */
cp_status commit_removals(const struct batch_site *site, struct state *state);

/* ---- variants.c: the plans of inputs, by their settings ---- */

/* Makes a variant of each group of settings from the plan of the command line, which is not yet completed by
 * share_error. */
cp_status make_variants(struct cli *cli, const struct plan *general, struct batch_work *work);
/* Returns that of an entry of the work. */
const struct variant *variant_of(const struct batch_work *work, const struct entry *entry);
/* Prints how many inputs have settings; nothing if none has. */
void print_settings(const struct batch_work *work);

/* Sets the number of jobs, if the user has not. */
void set_jobs(struct batch_request *asked);
/* The rows of a command's options for the limits of its workers. */
#define LIMIT_OPTIONS                                                                                                  \
    {"--jobs",          "convert N files at a time, by default one for each processor",                                \
     CP_OPTION_INTEGER, offsetof(struct batch_request, limits.jobs),                                                   \
     .minimum = 1,      .maximum = CP_MOST_THREADS},                                                                   \
        {"--timeout",    "give up a file after so much time",                                                          \
         CP_OPTION_TIME, offsetof(struct batch_request, limits.timeout),                                               \
         "120",          .minimum = 0.001,                                                                             \
         .maximum = 1e6},                                                                                              \
        {"--memory",                                                                                                   \
         "give up a file that needs more memory",                                                                      \
         CP_OPTION_SIZE,                                                                                               \
         offsetof(struct batch_request, limits.memory),                                                                \
         "2GiB",                                                                                                       \
         .minimum = 1,                                                                                                 \
         .maximum = INFINITY},                                                                                         \
        {"--total-memory",                                                                                             \
         "give all jobs together so much memory: each gets a part, and what needs more is tried again",                \
         CP_OPTION_SIZE,                                                                                               \
         offsetof(struct batch_request, limits.total_memory),                                                          \
         .minimum = 1,                                                                                                 \
         .maximum = INFINITY},                                                                                         \
    {                                                                                                                  \
        "--max-output", "give up a file whose output is larger", CP_OPTION_SIZE,                                       \
            offsetof(struct batch_request, limits.most_output), "4GiB", .minimum = 1, .maximum = INFINITY              \
    }

/* ---- gallery.c: a page of all outputs ---- */

/* CP_USAGE, reported, if the page would replace a file that is none of ours, or an output has its name. work: of the
 * run; NULL outside of one. */
cp_status expect_gallery(const struct batch_site *site, const struct batch_work *work);
/* Makes the page, and what is missing of pictures and models. */
cp_status make_gallery(const struct batch_request *asked, const struct batch_site *site, struct state *state);

/* ---- meetings.c ---- */

/* Outputs of which a file is one of another output, too, have failed, whichever came first; files that are as another
 * one wrote them stay. work, journal: of the run, which counts its own ones; NULL outside of a run. */
cp_status settle_meetings(const struct batch_site *site, struct state *state, const struct batch_work *work,
                          struct journal *journal);

/* ---- prune.c: outputs whose input is gone ---- */

/* Finds what is gone, and whether it may be removed. */
cp_status find_gone(const struct batch_request *asked, const struct batch_site *site, struct state *state,
                    const struct batch_work *work, struct batch_removal *removal);
/* Prints one as a line of a dry run. */
void print_gone(const struct batch_site *site, const struct batch_removal *removal, uint32_t index, const char *word);
/* Lists outputs whose input is gone, and removes them if the user wants that and there is no doubt: else CP_NO,
 * reported. */
cp_status prune(const struct batch_request *asked, const struct batch_site *site, struct state *state,
                const struct batch_removal *removal);

/* ---- key.c: whether an output is up to date ---- */

/* Fills the variant's options. */
cp_status hash_options(const struct batch_site *site, struct variant *variant);
/* Computes the key of the record's output: options, versions of the importers that read the inputs, and all inputs'
 * names with their contents. False when out of memory. */
bool key_of(const struct batch_site *site, const struct variant *variant, const struct record *record, cp_hash *key);
/* Completes a record without inputs, which took down a worker or all memory: makes `input` the only one, the present
 * file itself (a large one by size and time alone), and then the key. False when out of memory. */
bool take_input(const struct batch_site *site, const struct batch_work *work, const struct entry *entry,
                struct record *record, struct record_input *input);
/* Makes a task of an entry, whose past record may be NULL, and gives the record that comes of it its place: sequence,
 * and attempt, which is 1 if the file itself has other bytes. */
struct worker_task;
void fill_task(struct worker_task *task, const struct record *past);
void follow_task(const struct worker_task *task, struct record *record);
/* Decides from the past (NULL: none) and the files' sizes and times what to do for an entry; *why, in the arena, says
 * it for people. */
cp_status decide(const struct batch_request *asked, const struct batch_site *site, const struct batch_work *work,
                 struct arena *arena, const struct entry *entry, const struct record *past, enum deed *deed,
                 const char **why);
/* Compares all inputs and outputs that have other times than in the record, with --verify all of them, by their
 * contents. The record gets the present times. */
bool is_same_content(const struct batch_request *asked, const struct batch_site *site, const struct entry *entry,
                     struct record *record);
/* Tells whether the outputs of the record exist in their sizes; *touched: one has another time. */
bool has_outputs(const struct batch_site *site, struct arena *arena, const struct record *record, bool *touched);
/* Hashes a file's bytes on the disk; sets its size and time, too. False when it cannot be read. */
bool hash_file(const char *path, struct record_input *file);

/* ---- links.c ---- */

/* Makes all files of outputs of this run's inputs that are equal byte for byte hard links of one. */
cp_status link_outputs(const struct batch_site *site, struct state *state, const struct batch_work *work,
                       struct batch_links *links);

/* ---- supervisor.c, worker.c ---- */

/* Carries out all tasks that need a worker; each gets its record. CP_CANCELLED: a signal came. state: NULL if nothing
 * is known of any entry. */
cp_status supervise(const struct batch_request *asked, const struct batch_site *site, struct state *state,
                    struct batch_work *work, struct journal *journal);

/* The task of a worker: to convert an entry, or to check it, and then the line of its record follows. */
struct worker_task {
    uint32_t entry, line_size;
    uint64_t sequence; /* the past record has it; 0: there is none */
    uint32_t attempt;  /* likewise, if it failed; else 0 */
    cp_hash input;     /* of the file itself then */
};
/* The answer of a worker, followed by the record's line and by messages for people. */
struct worker_answer {
    uint32_t entry;
    enum record_state state;
    uint64_t bytes_in;
    uint32_t line_size, messages_size;
    bool cancelled;     /* a signal came: there is no record */
    bool has_no_room;   /* the disk is full: likewise */
    bool was_checked;   /* nothing but times of files has changed: the record has the new ones */
    bool was_killed;    /* somebody else has killed the process of a third-party reader */
    char isolation[64]; /* the restrictions of a third-party reader; "" if none */
};
/* The life of a worker: takes tasks from the channel, sends answers, ends with the channel. */
void worker_life(const struct batch_request *asked, const struct batch_site *site, const struct batch_work *work,
                 int channel);

#endif
