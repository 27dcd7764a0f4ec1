/* The ground: memory that is counted, the report, limits, hashes, threads, time. Everything includes it. */
#ifndef CELLPIPE_BASE_BASE_H
#define CELLPIPE_BASE_BASE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "cellpipe.h"

/* Memory: the context's allocator, arenas, and arrays that grow. Every function that can fail reports
 * out-of-memory itself and returns NULL or false; the caller returns CP_LIMIT. */

/* The allocator of a context that was given none. */
void *memory_resize_by_library(void *user, void *block, size_t old_size, size_t size);
/* As cp_allocator.resize, through the context's allocator. Fails without losing the block. */
void *memory_resize(cp_context *context, void *block, size_t old_size, size_t size);
/* count x size uninitialised bytes, the product checked. count or size 0 gives a valid block of 1 byte. */
void *memory_allocate(cp_context *context, size_t count, size_t size);
void *memory_allocate_zeroed(cp_context *context, size_t count, size_t size);
/* Frees a block of memory_allocate(context, count, size). NULL is fine. */
void memory_free(cp_context *context, void *block, size_t count, size_t size);

/* An arena: many blocks, freed together. Arrays of one job come from one: arena_new, the arrays, arena_failed, the job,
 * arena_free. Where arena_new has failed (NULL), so do they. */
struct arena;
struct arena *arena_new(cp_context *context);
void arena_free(struct arena *arena);
/* Gives its blocks back: the arena is as it was when it was new. */
void arena_clear(struct arena *arena);
/* count x size uninitialised bytes, aligned for any type. */
void *arena_allocate(struct arena *arena, size_t count, size_t size);
void *arena_allocate_zeroed(struct arena *arena, size_t count, size_t size);
/* True once any allocation has failed. */
bool arena_failed(const struct arena *arena);
/* A NUL-ended copy of size bytes (which may hold no NUL). */
char *arena_copy_text(struct arena *arena, const char *bytes, size_t size);
/* A copy of count x size bytes. */
void *arena_copy(struct arena *arena, const void *bytes, size_t count, size_t size);
/* The arena takes over a block of memory_allocate: of count x size bytes. False when out of memory: it is the caller's
 * still. */
bool arena_take(struct arena *arena, void *block, size_t count, size_t size);
/* "base#12" with # for the character between, without printf: there may be a million of them. */
char *arena_number(struct arena *arena, const char *base, char between, uint32_t number);
/* printf into the arena. */
char *arena_print(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Moves all blocks of `other` into `target`; `other` is freed. */
void arena_adopt(struct arena *target, struct arena *other);

/* Makes room for count items of item_size in *items, which has room for *capacity (both start NULL and 0); items is the
 * address of a pointer of any type. The room at least doubles. Free with memory_free(context, *items, *capacity,
 * item_size). */
bool array_reserve(cp_context *context, void *items, uint32_t *capacity, uint64_t count, size_t item_size);

/* Bytes that grow. Start: {.context = context}. Failure is sticky in `failed`. */
struct buffer {
    cp_context *context;
    char *data;
    size_t size, capacity;
    bool failed;
};
bool buffer_reserve(struct buffer *buffer, size_t more);
/* Here, since JSON and lists are made of pieces of a few bytes. */
static inline void buffer_append(struct buffer *buffer, const void *bytes, size_t size)
{
    if (size == 0 || (size > buffer->capacity - buffer->size && !buffer_reserve(buffer, size)))
        return;
    memcpy(buffer->data + buffer->size, bytes, size);
    buffer->size += size;
}
void buffer_text(struct buffer *buffer, const char *text);
void buffer_print(struct buffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Shortest text that reads back to the same value. */
void buffer_double(struct buffer *buffer, double value);
void buffer_float(struct buffer *buffer, float value);
void buffer_free(struct buffer *buffer);

/* A map from strings to numbers whose cost hostile keys cannot raise. Keys are not copied. */
struct name_slot {
    const char *key;
    uint32_t hash, value;
};
struct name_map {
    cp_context *context;
    struct name_slot *slots;
    uint32_t slot_count, used;
};
/* The value's place for key, or NULL. */
uint32_t *name_map_find(const struct name_map *map, const char *key);
uint32_t *name_map_find_sized(const struct name_map *map, const char *key, size_t size);
/* The value's place for key, made with `value` when absent (*added tells; may be NULL). NULL when out of memory. */
uint32_t *name_map_add(struct name_map *map, const char *key, uint32_t value, bool *added);
void name_map_free(struct name_map *map);

/* XXH64 of the bytes: the same everywhere, for results. */
uint64_t hash_content(const void *bytes, size_t size);
/* 64-bit hash of bytes with the context's random seed: for tables. */
uint64_t hash_bytes(const cp_context *context, const void *bytes, size_t size);
/* cp_hash_bytes of bytes that come piece by piece. NULL when out of memory; NULL may be freed. */
struct hash_stream;
struct hash_stream *hash_stream_new(cp_context *context);
void hash_stream_add(struct hash_stream *stream, const void *bytes, size_t size);
cp_hash hash_stream_end(const struct hash_stream *stream);
void hash_stream_free(cp_context *context, struct hash_stream *stream);

/* The report: what happened, for people and for scripts. */

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

/* The limits that a reader minds itself: nesting of its parser, vertices (and corners) it makes, nodes (and
 * instances) that a small file multiplies. */
uint64_t limit_nesting(const cp_context *context);
uint64_t limit_vertices(const cp_context *context);
uint64_t limit_nodes(const cp_context *context);
/* The limit that this comes from, for a message: "--limit nodes=". */
const char *limit_of_nodes(const cp_context *context);

/* Sets of 64-bit numbers, as sorted arrays. */

/* Two numbers as one, the same in either order: the lower in the upper half. */
static inline uint64_t unordered_pair(uint32_t one, uint32_t other)
{
    return one < other ? (uint64_t)one << 32 | other : (uint64_t)other << 32 | one;
}

void sort_numbers(uint64_t *numbers, uint32_t count);
/* Sorts them and leaves each once; how many are left. */
uint32_t make_set(uint64_t *numbers, uint32_t count);
bool set_has(const uint64_t *numbers, uint32_t count, uint64_t number);

/* Work in several threads. */

/* One of many pieces of work. worker tells the threads apart (0 .. parallel_workers - 1): for scratch memory. It
 * touches its own item's and worker's memory alone, and makes no call that takes a context: allocate before, report
 * after. */
typedef void parallel_work(void *user, uint32_t item, uint32_t worker);

/* How many threads parallel_for takes for so many items: at least 1, at most cp_set_threads' number. */
uint32_t parallel_workers(const cp_context *context, uint32_t item_count);

/* Calls work once for each item 0 .. item_count - 1 (at most 2^31), in any order; the calling thread takes its share.
 * False when the job was cancelled: then some items have not been worked on, and the caller returns CP_LIMIT. */
bool parallel_for(cp_context *context, uint32_t item_count, parallel_work *work, void *user);

/* Takes item's result over, in the calling thread, which may use the context. False ends the job. */
typedef bool parallel_consume(void *user, uint32_t item, uint32_t slot);

/* How many results parallel_in_order keeps at a time: 1 .. MOST_SLOTS. */
enum { MOST_SLOTS = 32 };
uint32_t parallel_slots(const cp_context *context, uint32_t item_count);

/* Makes the items in several threads and hands their results to the calling thread in order, meanwhile. make is as for
 * parallel_for, but what it gets is the slot that its result belongs into, 0 .. parallel_slots - 1: no other item has
 * it until the result is consumed. False when consume was false or the job was cancelled. */
bool parallel_in_order(cp_context *context, uint32_t item_count, parallel_work *make, parallel_consume *consume,
                       void *user);

/* Time that only goes on. */

/* Since some moment before the program began. */
uint64_t milliseconds_now(void);

#endif
