/* The ground: memory that is counted, the report, limits, hashes, threads, time. Everything includes it. */
#ifndef CELLPIPE_BASE_BASE_H
#define CELLPIPE_BASE_BASE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "cellpipe_tool.h"

/* Returns XXH64 of the bytes: the same in every run, and therefore for results. */
uint64_t hash_content(const void *bytes, size_t size);
/* Returns a 64-bit hash of bytes with the context's random seed: for tables in memory alone. */
uint64_t hash_bytes(const cp_context *context, const void *bytes, size_t size);
/* Computes cp_hash_bytes of bytes that come piece by piece. The stream is NULL if out of memory; NULL may be freed. */
struct hash_stream;
struct hash_stream *hash_stream_new(cp_context *context);
void hash_stream_add(struct hash_stream *stream, const void *bytes, size_t size);
cp_hash hash_stream_end(const struct hash_stream *stream);
void hash_stream_free(cp_context *context, struct hash_stream *stream);

/* Structs of the public header that begin with their caller's size. */

/* Tells whether a caller's size is one of such a struct. */
bool struct_has_size(const void *given);
/* CP_USAGE, reported, if a caller's size is not one of such a struct. */
cp_status struct_check(cp_context *context, const void *given);
/* Copies the caller's struct into ours of `size` bytes: what the caller's does not have is zero. */
void struct_take(void *own, size_t size, const void *given);
/* Fills the caller's struct from ours of `size` bytes, as far as it goes; its own size stays. */
void struct_give(void *given, const void *own, size_t size);

/* The report: what happened, for people and for scripts. */

/* The place that an entry concerns; any part may be left out. */
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
/* Reports something that does not reach the scene or the output. Equal losses (code, file, text) add up their counts;
 * the message ends in " (COUNT)" if count > 1. The function does not know lenient reading (`strict` of the importer):
 * that is `report_lenient`. */
void report_loss(cp_context *context, const char *code, struct place place, uint64_t count, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Reports input that breaks a rule of its format but can be understood: a warning and CP_OK, or under strict reading an
 * error and CP_INPUT. */
cp_status report_lenient(cp_context *context, bool strict, const char *code, struct place place, const char *format,
                         ...) __attribute__((format(printf, 5, 6)));
/* Reports the error "out of memory"; needs no memory itself. Only memory.h calls it. */
/* Turns the errors among the entries from this one on into warnings, where the caller goes on without what failed. */
void report_soften(cp_context *context, size_t from);
void report_out_of_memory(cp_context *context);
/* Reports that the limit of memory is exceeded, in the same way. */
void report_memory_limit(cp_context *context);
/* Reports that the call is cancelled, in the same way. */
void report_cancelled(cp_context *context);
/* Makes room for an entry and for "out of memory" after it. report_free frees what the report holds apart from entries.
 * Only the context calls these two. */
bool report_make_room(cp_context *context);
void report_free(cp_context *context);
/* Drops all entries and frees their memory. */
void report_clear(cp_context *context);
/* Reports a usage error: a word (size bytes) is none of `known` (NULL-ended). It names the nearest. */
cp_status report_unknown(cp_context *context, const char *code, const char *what, const char *word, size_t size,
                         const char *const *known);
/* Returns the number of losses so far (for --strict). */
size_t report_loss_count(const cp_context *context);

/* Returns the limits that a reader checks itself: the nesting of its parser, the vertices (and corners) that it makes,
 * and the nodes (and instances) that a small file multiplies. */
uint64_t limit_nesting(const cp_context *context);
uint64_t limit_vertices(const cp_context *context);
uint64_t limit_nodes(const cp_context *context);
/* Returns the limit that the number comes from, for a message: "--limit nodes=". */
const char *limit_of_nodes(const cp_context *context);

/* Returns the name, or NAME_2, NAME_3, ..., whichever no other call with the map returned. The map keeps, but does not
 * copy, the names, with the number that was tried last behind each. NULL when out of memory. */
const char *unique_name(struct arena *arena, struct name_map *taken, const char *name);

/* Sets of 64-bit numbers, as sorted arrays. */

/* Combines two numbers into one, the same in either order: the lower one in the upper half. */
static inline uint64_t unordered_pair(uint32_t one, uint32_t other)
{
    return one < other ? (uint64_t)one << 32 | other : (uint64_t)other << 32 | one;
}

void sort_numbers(uint64_t *numbers, uint32_t count);
/* Sorts the numbers, keeps each once, and returns how many are left. */
uint32_t make_set(uint64_t *numbers, uint32_t count);
bool set_has(const uint64_t *numbers, uint32_t count, uint64_t number);

/* Work in several threads. */

/* Does one of many pieces of work. `worker` is the number of the thread (0 .. parallel_workers - 1), which selects
 * scratch memory. The function writes its own item's and worker's memory alone and makes no call that takes a context:
 * allocate before, report after. */
typedef void parallel_work(void *user, uint32_t item, uint32_t worker);

/* Returns how many threads parallel_for takes for so many items: from 1 to the number of cp_set_threads. */
uint32_t parallel_workers(const cp_context *context, uint32_t item_count);

/* Calls `work` once for each item 0 .. item_count - 1 (at most 2^31), in any order; the calling thread takes its share.
 * Returns false if the job was cancelled: then some items have not been worked on, and the caller returns CP_LIMIT. */
bool parallel_for(cp_context *context, uint32_t item_count, parallel_work *work, void *user);

/* Takes over an item's result, in the calling thread, which may use the context. Returning false ends the job. */
typedef bool parallel_consume(void *user, uint32_t item, uint32_t slot);

/* Returns how many results parallel_in_order keeps at a time: 1 .. MOST_SLOTS. */
enum { MOST_SLOTS = 32 };
uint32_t parallel_slots(const cp_context *context, uint32_t item_count);

/* Makes the items in several threads, and meanwhile hands their results to the calling thread in order. `make` is as
 * for parallel_for, but instead of the worker it gets the slot that its result belongs into, 0 .. parallel_slots - 1:
 * no other item has that slot until the result is consumed. Returns false if `consume` did, or if the job was
 * cancelled. */
bool parallel_in_order(cp_context *context, uint32_t item_count, parallel_work *make, parallel_consume *consume,
                       void *user);

/* Sets the functions of a library as library_load does, without a report: false if that fails. */
bool library_is_there(struct late_library *library);

/* A clock that never goes back. */

/* Returns the milliseconds since some moment before the program began. */
uint64_t milliseconds_now(void);

/* Angles. */

#define PI 3.14159265358979323846
/* Converts degrees to radians; multiples of 90 and 180 give the double nearest to the true angle. */
double degrees_to_radians(double degrees);
double radians_to_degrees(double radians);

#endif
