/* The record of one output of a batch: a line of JSON in a journal, and a row of the state (state.h).
 *
 *     {"root":"9c1d0e5f7a3b2468","name":"arm/a.stl","out":"arm/a.stl.glb","sequence":4,"state":"ok",
 *      "key":"<32 hex digits>","out_hash":"<32>","code":"","message":"","time":1700000000000,
 *      "ms":3.5,"cpu_ms":2,"max_rss":9400320,"bytes_in":684,"bytes_out":1020,
 *      "triangles_in":12,"triangles_out":12,"shape":[KIND,1e-6,...],"losses":[],"warnings":[],
 *      "checks":["step-checked: ..."],"host":"cell7","attempt":1,"formats":["stl"],
 *      "inputs":[{"path":"arm/a.stl","size":684,"mtime_ns":1700000000000000000,"hash":"<32>"},
 *                {"path":"arm/a.mtl","missing":true}],
 *      "outputs":[{"path":"arm/a.stl.glb","size":1020,"mtime_ns":1700000000000000001,"hash":"<32>"}]}
 *
 * Paths of inputs lead from the root, those of outputs from the output folder; what lies elsewhere has an absolute
 * path. A byte of a text that is not UTF-8 is written as \udcXX. Members may have any order; unknown ones are ignored.
 * A hash of zero is "". The first of the inputs is the file itself. */
#ifndef CELLPIPE_CLI_RECORD_H
#define CELLPIPE_CLI_RECORD_H

#include "../inputs/entries.h"

/* States from STATE_FAILED on are failures. STATE_SKIPPED is in logs alone: the output is up to date. STATE_MACROS says
 * that the input is no model, but macros for others to include. */
enum record_state {
    STATE_OK,
    STATE_SKIPPED,
    STATE_MACROS,
    STATE_FAILED,
    STATE_TIMEOUT,
    STATE_MEMORY,
    STATE_CRASHED,
    STATE_COUNT
};
extern const char *const state_names[STATE_COUNT + 1];

enum { MOST_TOLD = 20 };

struct record {
    const char *root;           /* the id of its root */
    const char *name;           /* the path of the input below the root */
    const char *out;            /* the path of the output below the output folder */
    uint64_t sequence;          /* counts the records of this output, from 1: the greater one holds */
    cp_hash key, out_hash;      /* zero: none */
    const char *code, *message; /* they tell the first error, without the file's name (cp_entry.text); or "" */
    uint64_t time;              /* milliseconds since 1970 at its end, for people: clocks decide nothing */
    double ms, cpu_ms;
    uint64_t max_rss, bytes_in, bytes_out, triangles_in, triangles_out;
    cp_shape shape; /* that of the scene as it was read: kind, tolerance, values; kind 0, which is not written: none */
    struct list losses, warnings; /* "code: text", at most MOST_TOLD of each; the last may be "and 12 more" */
    struct list checks;           /* the same of notes with an importer's figures: their codes end in "-checked" */
    const char *host;
    struct list formats;                   /* names of the importers of the inputs; none: any may have read them */
    struct record_input *inputs, *outputs; /* all files that were read or looked for; all that were written */
    uint32_t input_count, output_count;
    uint64_t night;   /* the number of the run that brought it into the state; 0 elsewhere */
    uint32_t attempt; /* the number of attempts with this key, from 1 */
    enum record_state state;
};

/* Appends the record as one line with its newline, to be written by one write(2). Failure is sticky in the buffer.
 * Memory of a cancelled context fails, so its context must have no cancel callback. */
void record_print(const struct record *record, struct buffer *out);
/* Reads one line (without its newline; its memory may be freed afterwards) into the reader's arena. CP_INPUT if it is
 * no record: the caller knows the file and the line. CP_LIMIT if out of memory. */
cp_status record_parse(cp_field_reader *reader, const char *line, size_t size, struct record *record);
/* The same of a line that the reader has parsed. */
cp_status record_take(cp_field_reader *reader, struct record *record);
bool record_is_failure(const struct record *record);

/* A journal tells this of its run: a line at its begin, and one at its end.
 *
 *     {"run":"cell7","boot":"<uuid>","namespace":"pid:[4026531836]","process":1234,"time":1700000000000,"shard":"3/64",
 *      "roots":[{"id":"9c1d0e5f7a3b2468","path":"/home/cell/parts","given":"parts"}],
 *      "passed_over":[{"what":".pdf","count":3}]}
 *     {"run":"cell7","isolation":"rlimits, seccomp","ended":true,"up_to_date":12} */
struct run_note {
    const char *host;
    const char *boot, *namespace; /* they tell with the host's name where the run is: the system, its processes */
    uint64_t process, time;
    const char *shard;
    const char *isolation; /* the restrictions of third-party readers, for people; "" if none */
    const struct input_root *roots;
    uint32_t root_count;
    const struct passed_over *passed_over;
    uint32_t passed_count;
    bool ended;          /* the run wrote all that it was to write, and its outputs are on the disk */
    uint64_t up_to_date; /* the number of inputs that needed no record */
};
void run_note_print(const struct run_note *note, struct buffer *out);
/* Takes a note from the line that was parsed last, if record_parse did not take it. CP_INPUT if it is no such note
 * either. */
cp_status run_note_take(cp_field_reader *reader, struct run_note *note);

#endif
