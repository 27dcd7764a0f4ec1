/* The records of all status files in one table: the valid record of each input.
 *
 * The valid record of an input: in the order of their times, each record replaces the one before. But a failure does
 * not replace an `ok` or `skipped` record of the same version; and `skipped` after `ok` leaves the `ok` record, with
 * the files as `skipped` has found them. Two records are of the same version if their keys are equal; or if one has no
 * key, and both have found the input's own file with the same size and time. So a shard that runs twice at once leaves
 * `ok`, and the failure of a changed file does not hide behind the `ok` of its old version. Equal times are ordered by
 * the text of the records: the order of files and lines does not matter. */
#ifndef CELLPIPE_CLI_RECORDS_H
#define CELLPIPE_CLI_RECORDS_H

#include "record.h"

/* The table. Start: {0}. Free with records_free before the cli's context. */
struct records {
    cp_context *context;
    struct arena *arena;
    uint64_t from;              /* bytes at the start of each file that are left out */
    const struct entries *only; /* records of other inputs are left out while reading; NULL: none are */
    struct record **items;      /* sorted bytewise by `in`, each input once */
    uint32_t count, room;
    struct passed_over *passed_over; /* the most that one run left out of each kind */
    uint32_t passed_count, passed_room;
    struct list isolations;       /* of the runs, each once */
    uint32_t files, torn, broken; /* files read; last lines without an end; other lines that are no record, with a
                                   * warning */
};

/* Reads status files and folders (all *.jsonl in them; of an output folder those in its .cellpipe/status). CP_INPUT,
 * reported, if a path is missing or cannot be read. */
cp_status records_read(struct cli *cli, const char *const *paths, size_t count, struct records *records);
/* Returns the valid record of the input, or NULL. */
const struct record *records_find(const struct records *records, const char *in);
/* Sets everything that differs from run to run to 0 and "": times, memory, hosts, attempts, isolation, torn lines. */
void records_forget_times(struct records *records);
void records_free(struct records *records);

/* Replaces the status files of a folder by one, FOLDER/NAME-merged.jsonl with a name of HOST-PID, if there are more
 * than `most` and is_dead(file name) is true of all of them. records_read finds the same afterwards. Nothing is lost,
 * even if it is killed at any instant. */
cp_status records_merge(struct cli *cli, const char *folder, uint32_t most, const char *name,
                        bool (*is_dead)(const void *user, const char *file), const void *user);

#endif
