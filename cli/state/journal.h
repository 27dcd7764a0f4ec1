/* The journal of a run: what it has changed, a line for each record (record.h), in OUT/.cellpipe/journals. A run
 * appends to its own one alone, so that any number of hosts can work at once. journals.c puts them into the state. */
#ifndef CELLPIPE_CLI_JOURNAL_H
#define CELLPIPE_CLI_JOURNAL_H

#include "record.h"

/* The place of a process. Two processes see each other if all but `process` are equal. */
struct whereabouts {
    const char *host;
    const char *boot;      /* changes when the host is started anew; "" if the system does not tell */
    const char *namespace; /* of numbers of processes; "" likewise */
    uint64_t process;
};
/* Fills it, with texts in the arena. False when out of memory. */
bool find_whereabouts(struct arena *arena, struct whereabouts *here);

/* How a run is shown while it goes on. */
struct run_show {
    bool quiet, json;      /* neither: a line on the terminal, or now and then elsewhere */
    uint64_t begun, shown; /* by milliseconds() */
    bool line_is_visible;
};

struct journal {
    struct cli *cli;
    const struct entries *entries;
    const char *path;
    int file;                      /* locked as long as the run goes on; -1: there is none */
    const char *log_path;          /* of --status, or NULL */
    int log;                       /* it has all records, also of what was up to date */
    struct buffer line, *failures; /* failures: takes the lines of failures; or NULL */
    uint32_t states[STATE_COUNT];  /* how many inputs ended so */
    uint32_t records;              /* written */
    uint64_t bytes_in;
    struct run_show show;
    char isolation[64]; /* from a worker; "" at first */
    bool has_failed;    /* a line could not be written, and that was told */
};

/* Begins the journal in the folder, OUT/.cellpipe. shard: "3/64", or "". CP_OUTPUT, reported: it cannot be written. */
cp_status journal_open(struct cli *cli, const struct entries *entries, const char *folder, const char *log_path,
                       const struct whereabouts *here, const char *shard, struct journal *journal);
/* Returns what names of journals of that shard end with; NULL: those of all. NULL when out of memory. */
const char *journal_end_of_name(struct cli *cli, const char *shard);
/* Appends a record's line by one write. is_new: it goes into the journal, and not into the log alone. */
cp_status journal_append(struct journal *journal, enum record_state state, uint64_t bytes_in, bool is_new,
                         const char *line, size_t size);
cp_status journal_record(struct journal *journal, const struct record *record, bool is_new);
/* Ends a run that has done all: flushes the outputs and the journal to the disk, and then says that it has ended. From
 * then on, only the log of --status gets records. CP_OUTPUT, reported: also if somebody has removed the journal. */
cp_status journal_end(struct journal *journal, const struct whereabouts *here);
void journal_close(struct journal *journal);
/* Flushes what was written to the file system of that file, such as outputs beside a journal, to the disk. */
bool flush_file_system(int file);
/* Shows the progress, if it is time to; at the end, clears its line, or prints the last one of --progress json. */
void journal_show(struct journal *journal, bool at_end);
/* Prints messages above the line of progress. */
void journal_say(struct journal *journal, const char *text, size_t size);
/* Prints an error of an input; `end` has the line's end. */
void journal_complain(struct journal *journal, const char *in, const char *message, const char *end);

/* Makes the folder and those above it; NULL is CP_LIMIT. CP_OUTPUT, reported, with errno. */
cp_status make_folder(struct cli *cli, char *folder);
uint64_t time_of_record(void); /* milliseconds since 1970 */

/* ---- journals.c ---- */

/* Takes the lock of an output folder, which at most one run has. CP_OUTPUT, reported, with whoever has it. */
cp_status lock_output(struct cli *cli, const char *folder, const struct whereabouts *here, int *lock);

/* The same for one that reads what others may not write meanwhile; of several, each may have it. lock: -1 where no run
 * has been, or locks do not work. */
cp_status share_output(struct cli *cli, const char *folder, int *lock);

struct state;

/* This says what a merge has found. */
struct merged {
    uint32_t journals, running; /* read; and those among them whose run may go on */
    uint32_t torn, broken;      /* last lines without an end; other lines that are no record, with a warning */
    uint64_t records, up_to_date;
};
/* Puts the journals in the folder into the state, and then removes those whose run has ended, if the state is on the
 * disk (`removes`). Whenever it is killed, it can be done again. shard: take those of that one alone; NULL: all. here:
 * of this process. */
cp_status merge_journals(struct cli *cli, const char *folder, const char *shard, const struct whereabouts *here,
                         bool removes, struct state *state, struct merged *merged);
/* Opens the state to read it, with what the journals add, as both are at one moment. */
cp_status read_state(struct cli *cli, const char *folder, const struct whereabouts *here, struct state *state,
                     struct merged *merged);
/* Puts one file of records, such as that of --status, into a state in memory. */
cp_status merge_file(struct cli *cli, const char *path, struct state *state, struct merged *merged);

#endif
