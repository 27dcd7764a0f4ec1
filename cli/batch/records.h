/* The records of all status files in one table: the record that holds for each input.
 *
 * Which record of an input holds: in the order of their times, each takes the place of the one before. But a failure
 * does not take the place of an `ok` or `skipped` record of the same version; and `skipped` after `ok` leaves the `ok`
 * record, with the files as `skipped` has found them. Two records are of the same version if their keys are equal; or
 * if one has no key, and both have found the input's own file with the same size and time. So a shard that runs twice
 * at once leaves `ok`, and the failure of a changed file does not hide behind the `ok` of its old version. Equal times
 * are ordered by the text of the records: the order of files and lines does not matter. */
#ifndef CELLPIPE_CLI_RECORDS_H
#define CELLPIPE_CLI_RECORDS_H

#include "record.h"

/* Start: {0}. Free with records_free before the cli's context. */
struct records {
    cp_context *context;
    struct arena *arena;
    uint64_t from;              /* bytes at the start of each file that are left out */
    const struct entries *only; /* records of others are left out while they are read; NULL: none are */
    struct record **items;      /* sorted bytewise by `in`, each input once */
    uint32_t count, room;
    struct passed_over *passed_over; /* the most that one run left out of each kind */
    uint32_t passed_count, passed_room;
    struct list isolations;       /* what runs said, each once */
    uint32_t files, torn, broken; /* files read; last lines without an end; other lines that are no record, warned of */
};

/* Reads status files and folders (all *.jsonl in them; of an output folder those in its .cellpipe/status). CP_INPUT,
 * said, if a path is not there or cannot be read. */
cp_status records_read(struct cli *cli, const char *const *paths, size_t count, struct records *records);
/* The record that holds for the input, or NULL. */
const struct record *records_find(const struct records *records, const char *in);
/* Sets to 0 and "" what differs from run to run: times, memory, hosts, attempts, isolation, torn lines. */
void records_forget_times(struct records *records);
void records_free(struct records *records);

/* Replaces the status files of a folder by one, FOLDER/NAME-merged.jsonl with a name of HOST-PID, if there are more
 * than `most` and is_dead(file name) is true of all of them. What records_read finds stays the same. Killed at any
 * instant, nothing is lost. */
cp_status records_merge(struct cli *cli, const char *folder, uint32_t most, const char *name,
                        bool (*is_dead)(void *user, const char *file), void *user);

#endif
