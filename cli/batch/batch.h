/* batch: converts many inputs into a folder. batch.c tells the story; a supervisor hands tasks to workers, which are
 * processes of their own. Only the lines of the status files (record.h) and the outputs outlive a run. */
#ifndef CELLPIPE_CLI_BATCH_H
#define CELLPIPE_CLI_BATCH_H

#include "../plan.h"
#include "names.h"
#include "report.h"

/* The deed for an entry. */
enum deed {
    DEED_NONE,    /* its output is up to date */
    DEED_REPEAT,  /* it failed before and would fail again: its last record is written anew */
    DEED_PASS,    /* it is no model, and is as it was: the same */
    DEED_CHECK,   /* a worker compares contents with the last record, and converts if they differ */
    DEED_CONVERT, /* a worker converts it */
    DEED_FAULT    /* it is no input: a record says so */
};

/* The end of the message of an input that is not tried again. */
#define AS_BEFORE " (as before; --retry tries again)\n"

struct task {
    const struct record *past; /* the entry's last record with contents, from earlier runs; NULL: none */
    const char *why;           /* says for people why: "new", "options changed" */
    enum deed deed;
    uint32_t attempt; /* from 1 */
};

/* The order is that of its words. */
enum { PROGRESS_AUTO, PROGRESS_JSON, PROGRESS_NONE };

/* The limits of a run. */
struct batch_limits {
    int64_t jobs;
    double timeout;               /* seconds a file */
    uint64_t memory, most_output; /* bytes a file */
};

/* The request of the user. The options fill it. */
struct batch_request {
    struct request request; /* first: see cli.h */
    struct list_request list;
    const char *status_path, *manifest, *shard_text;
    struct shard shard;
    int progress; /* PROGRESS_... */
    bool short_names, whole_cells, force, verify, retry, prune, link_duplicates, dry_run;
    double most_pruned; /* the part of all outputs */
    struct batch_limits limits;
};

/* The place of a run. */
struct batch_site {
    struct cli *cli;
    struct arena *arena; /* lives as long as the run */
    const char *cwd;     /* the absolute path of the working directory */
    char host[256];
    const char *status_folder; /* OUT/.cellpipe/status */
};

/* The inputs, and what to do for each. */
struct batch_work {
    struct entries entries;
    struct plan plan;       /* the steps of all entries, without the names of input and output */
    cp_hash options;        /* a hash of everything that decides an output beside the contents of inputs */
    struct task *tasks;     /* by entry */
    struct records history; /* what earlier runs left */
    uint32_t threads;       /* a worker */
};

/* Outputs whose input is gone. */
struct batch_removal {
    const struct record **gone; /* records of the history whose input is gone and whose output is not */
    uint32_t gone_count;
    uint32_t old_count;     /* records without the folder of their input */
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

struct journal;

/* history.c: the records of earlier runs */

/* Reads the status files: gives each task its past, and calls find_gone. */
cp_status read_history(const struct batch_request *asked, const struct batch_site *site, struct batch_work *work,
                       struct batch_removal *removal);
/* Reads the present records, of this run and those before. */
cp_status read_status(const struct batch_request *asked, const struct batch_site *site, struct records *records);
bool is_regular(const char *path);
/* Records failures of inputs whose outputs have replaced each other's, or those of an earlier run, whichever came
 * first. */
cp_status record_clashes(const struct batch_request *asked, const struct batch_site *site,
                         const struct batch_work *work, struct journal *journal);

/* ---- prune.c: outputs whose input is gone ---- */

/* Finds what is gone, and whether it may be removed. */
cp_status find_gone(const struct batch_request *asked, const struct batch_site *site, const struct batch_work *work,
                    struct batch_removal *removal);
/* Lists outputs whose input is gone, and removes them if the user wants that and there is no doubt: else CP_NO,
 * reported. */
cp_status prune(const struct batch_request *asked, const struct batch_site *site, const struct batch_removal *removal);

/* ---- key.c: whether an output is up to date ---- */

/* Fills work->options. */
cp_status hash_options(const struct batch_site *site, struct batch_work *work);
/* Computes the key of the record's output: options, versions of the importers that read the inputs, and all inputs'
 * names below the folder of `in` with their contents. False when out of memory. */
bool key_of(const struct batch_site *site, const struct batch_work *work, const struct record *record, cp_hash *key);
/* Completes a record without inputs, which took down a worker or all memory: makes `input` the only one, the present
 * file itself (a large one by size and time alone), and then the key. False when out of memory. */
bool take_input(const struct batch_site *site, const struct batch_work *work, struct record *record,
                struct record_input *input);
/* Returns the number of the attempt: 1 if the file itself has other bytes than in the task's past. */
uint32_t attempt_at(const struct task *task, const struct record *record);
/* Decides from the past and the files' sizes and times what to do for an entry. */
cp_status decide(const struct batch_request *asked, const struct batch_site *site, struct batch_work *work,
                 uint32_t entry);
/* Compares all inputs and outputs that have other times than in the record, with --verify all of them, by their
 * contents. The record gets the present times. */
bool is_same_content(const struct batch_request *asked, struct record *record);
/* Tells whether the outputs of the record exist in their sizes; *touched: one has another time. */
bool has_outputs(const struct record *record, bool *touched);
/* Hashes a file's bytes on the disk; sets its size and time, too. False when it cannot be read. */
bool hash_file(const char *path, struct record_input *file);

/* ---- links.c ---- */

/* Makes all files of outputs of this run's inputs that are equal byte for byte hard links of one. */
cp_status link_outputs(const struct batch_request *asked, const struct batch_site *site, const struct batch_work *work,
                       struct batch_links *links);

/* ---- supervisor.c, worker.c ---- */

/* Carries out all tasks that need a worker; each gets its record. CP_CANCELLED: a signal came. */
cp_status supervise(const struct batch_request *asked, const struct batch_site *site, struct batch_work *work,
                    struct journal *journal);

/* The answer of a worker, followed by the record's line and by messages for people. */
struct worker_answer {
    uint32_t entry;
    enum state state;
    uint64_t bytes_in;
    uint32_t line_size, messages_size;
    bool cancelled;     /* a signal came: there is no record */
    bool has_further;   /* there are several outputs */
    char isolation[64]; /* the restrictions of a third-party reader; "" if none */
};
/* The life of a worker: takes numbers of entries from the channel, sends answers, ends with the channel. */
void worker_life(const struct batch_request *asked, const struct batch_site *site, const struct batch_work *work,
                 int channel);

/* journal.c: the status file of this run, and its messages */

struct journal {
    const struct batch_request *asked;
    const struct batch_site *site;
    const struct entries *entries;
    const char *path;
    int file;
    bool is_regular; /* a file that can be read again */
    struct buffer line;
    uint32_t states[STATE_COUNT]; /* the number of records of each */
    uint64_t bytes_in;
    uint64_t begun, shown; /* by milliseconds() */
    uint64_t start;        /* bytes that the file had before */
    bool line_is_visible;  /* on the terminal */
    bool has_further;      /* some input has several outputs */
    char isolation[64];    /* from a worker; "" at first */
};

cp_status journal_open(const struct batch_request *asked, const struct batch_site *site, const struct batch_work *work,
                       struct journal *journal);
/* Appends a record's line by one write. */
cp_status journal_append(struct journal *journal, enum state state, uint64_t bytes_in, const char *line, size_t size);
cp_status journal_record(struct journal *journal, const struct record *record);
/* Appends the note of the run, if there is any. */
cp_status journal_note(struct journal *journal);
void journal_close(struct journal *journal);
/* Shows the progress, if it is time to. */
void journal_show(struct journal *journal);
/* Prints messages above the line of progress. */
void journal_say(struct journal *journal, const char *text, size_t size);
/* Prints an error of an input; `end` has the line's end. */
void journal_complain(struct journal *journal, const char *in, const char *message, const char *end);
/* Makes the folder and those above it; NULL is CP_LIMIT. */
cp_status make_folder(struct cli *cli, char *folder);
uint64_t time_of_record(void); /* milliseconds since 1970 */

#endif
