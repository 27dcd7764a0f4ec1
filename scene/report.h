/* The report: what happened, for people and for scripts. */
#ifndef CELLPIPE_REPORT_H
#define CELLPIPE_REPORT_H

#include "cellpipe.h"

/* Where something is: any part may be left out. */
struct place {
    const char *file;
    uint64_t line, column;
    const char *node;
};
#define NOWHERE ((struct place){0}) /* the file is what is being read or written, or the filter */
#define IN_FILE(name) ((struct place){.file = (name)})
#define AT_LINE(name, at) ((struct place){.file = (name), .line = (at)})

/* Adds an error and returns status, so that `return report_error(...)` reads well. code: lower-case words with hyphens,
 * beginning with the plug-in's name or a room of scene/ ("stl-truncated", "option-unknown"); always a literal. */
cp_status report_error(cp_context *context, cp_status status, const char *code, struct place place, const char *format,
                       ...) __attribute__((format(printf, 5, 6)));
void report_warning(cp_context *context, const char *code, struct place place, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void report_note(cp_context *context, const char *code, struct place place, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Something that does not reach the scene or the output. Equal losses (code, file, text) add up their counts;
 * the message ends in " (COUNT)" when count > 1. Lenient reading (`strict` of the importer) is the caller's
 * business: use `report_lenient`. */
void report_loss(cp_context *context, const char *code, struct place place, uint64_t count, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* For input that breaks its format's rule but can be understood: a warning and CP_OK, or under strict reading
 * an error and CP_INPUT. */
cp_status report_lenient(cp_context *context, bool strict, const char *code, struct place place, const char *format,
                         ...) __attribute__((format(printf, 5, 6)));
/* Adds an entry that another process has reported; its strings are copied. */
void report_repeat(cp_context *context, const cp_entry *entry);
/* The error "out of memory"; needs no memory itself. Called by memory.h only. */
void report_out_of_memory(cp_context *context);
/* The same for the limit of memory. */
void report_memory_limit(cp_context *context);
/* The same for a call that is cancelled. */
void report_cancelled(cp_context *context);
/* For the context: room for an entry and for that error after it; what the report holds apart from entries. */
bool report_make_room(cp_context *context);
void report_free(cp_context *context);
/* The usage error for a word (size bytes) that is none of `known` (NULL-ended), naming the nearest. */
cp_status report_unknown(cp_context *context, const char *code, const char *what, const char *word, size_t size,
                         const char *const *known);
/* The number of losses so far (for --strict). */
size_t report_loss_count(const cp_context *context);

#endif
