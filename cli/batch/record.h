/* The record of one input of a batch: one line of JSON in a status file.
 *
 *     {"in":"parts/a.stl","out":"web/a.stl.glb","cwd":"/home/cell","also":["/home/b/parts/a.stl"],
 *      "key":"<32 hex digits>","out_hash":"<32>","state":"ok","code":"","message":"","time":1700000000000,
 *      "ms":3.5,"cpu_ms":2,"max_rss":9400320,"bytes_in":684,"bytes_out":1020,
 *      "triangles_in":12,"triangles_out":12,"shape":[KIND,1e-6,...],"losses":[],"warnings":[],
 *      "checks":["step-checked: ..."],"host":"cell7","attempt":1,"formats":["stl"],
 *      "inputs":[{"path":"parts/a.stl","size":684,"mtime_ns":1700000000000000000,"hash":"<32>"},
 *                {"path":"parts/a.mtl","missing":true}],
 *      "outputs":[{"path":"web/a.stl.glb","size":1020,"mtime_ns":1700000000000000001,"hash":"<32>"}]}
 *
 * A byte of a text that is not UTF-8 is written as \udcXX. Members may have any order; unknown ones are ignored. A hash
 * of zero is "". The first of the inputs is the file itself. */
#ifndef CELLPIPE_CLI_RECORD_H
#define CELLPIPE_CLI_RECORD_H

#include "entries.h"

/* States from STATE_FAILED on are failures. STATE_MACROS says that the input is no model, but macros for others to
 * include.
 */
enum state {
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
    const char *in, *out;       /* paths as the list of inputs and the output folder give them */
    const char *cwd;            /* the absolute path of the working directory then; "" in old records */
    struct list also;           /* absolute paths of further inputs with this output, by runs in other folders */
    cp_hash key, out_hash;      /* zero: none */
    const char *code, *message; /* they tell the first error, without the file's name (cp_entry.text); or "" */
    uint64_t time;              /* milliseconds since 1970 at its end; orders records of several files */
    double ms, cpu_ms;
    uint64_t max_rss, bytes_in, bytes_out, triangles_in, triangles_out;
    cp_shape shape; /* that of the scene as it was read: kind, tolerance, values; kind 0, which is not written: none */
    struct list losses, warnings; /* "code: text", at most MOST_TOLD of each; the last may be "and 12 more" */
    struct list checks;           /* the same of notes with an importer's figures: their codes end in "-checked" */
    const char *host;
    struct list formats;                   /* names of the importers of the inputs; none: any may have read them */
    struct record_input *inputs, *outputs; /* all files that were read or looked for; all that were written */
    uint32_t input_count, output_count;
    uint32_t attempt; /* the number of attempts with this key, from 1 */
    enum state state;
};

/* Appends the record as one line with its newline, to be written by one write(2). Failure is sticky in the buffer.
 * Memory of a cancelled context fails, so its context must have no cancel callback. */
void record_print(const struct record *record, struct buffer *out);
/* Reads one line (without its newline; its memory may be freed afterwards) into the reader's arena. CP_INPUT if it is
 * no record: the caller knows the file and the line. CP_LIMIT if out of memory. */
cp_status record_parse(cp_field_reader *reader, const char *line, size_t size, struct record *record);

/* The note of a run: a line before its records.
 *
 *     {"run":"cell7","isolation":"rlimits, seccomp","passed_over":[{"what":".pdf","count":3}]} */
struct run_note {
    const char *host;
    const char *isolation; /* the restrictions of third-party readers, for people; "" if none */
    const struct passed_over *passed_over;
    uint32_t passed_count;
};
void run_note_print(const struct run_note *note, struct buffer *out);
/* Takes a note from the line that was parsed last, if record_parse did not take it. CP_INPUT if it is no such note
 * either. */
cp_status run_note_take(cp_field_reader *reader, struct run_note *note);

#endif
