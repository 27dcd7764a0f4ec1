/* What only the program cellpipe needs of its library: beside cellpipe.h, the one header of it that cli/ includes. It is
 * not installed, and promises nothing to anybody else. */
#ifndef CELLPIPE_TOOL_H
#define CELLPIPE_TOOL_H

#include <string.h>

#include "cellpipe.h"

/* ---- options ---- */

/* ---- processes ---- */

/* ---- JSON ---- */

/* ---- memory and texts ---- */

/* Memory: the context's allocator, arenas, and arrays that grow. Every function that can fail reports
 * out-of-memory itself and returns NULL or false; the caller returns CP_LIMIT. */

/* The allocator of a context that was given none. */
void *memory_resize_by_library(void *user, void *block, size_t old_size, size_t size);
/* As cp_allocator.resize, through the context's allocator. Fails without losing the block. */
void *memory_resize(cp_context *context, void *block, size_t old_size, size_t size);
/* count x size uninitialised bytes, the product checked. count or size 0 gives a valid block of 1 byte. */
CP_API void *memory_allocate(cp_context *context, size_t count, size_t size);
CP_API void *memory_allocate_zeroed(cp_context *context, size_t count, size_t size);
/* Frees a block of memory_allocate(context, count, size). NULL is fine. */
CP_API void memory_free(cp_context *context, void *block, size_t count, size_t size);

/* An arena: many blocks, freed together. Arrays of one job come from one: arena_new, the arrays, arena_failed, the job,
 * arena_free. Where arena_new has failed (NULL), so do they. */
struct arena;
CP_API struct arena *arena_new(cp_context *context);
CP_API void arena_free(struct arena *arena);
/* Gives its blocks back: the arena is as it was when it was new. */
void arena_clear(struct arena *arena);
/* count x size uninitialised bytes, aligned for any type. */
CP_API void *arena_allocate(struct arena *arena, size_t count, size_t size);
void *arena_allocate_zeroed(struct arena *arena, size_t count, size_t size);
/* True once any allocation has failed. */
bool arena_failed(const struct arena *arena);
/* A NUL-ended copy of size bytes (which may hold no NUL). */
CP_API char *arena_copy_text(struct arena *arena, const char *bytes, size_t size);
/* A copy of count x size bytes. */
CP_API void *arena_copy(struct arena *arena, const void *bytes, size_t count, size_t size);
/* The arena takes over a block of memory_allocate: of count x size bytes. False when out of memory: it is the caller's
 * still. */
bool arena_take(struct arena *arena, void *block, size_t count, size_t size);
/* "base#12" with # for the character between, without printf: there may be a million of them. */
char *arena_number(struct arena *arena, const char *base, char between, uint32_t number);
/* printf into the arena. */
CP_API char *arena_print(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Moves all blocks of `other` into `target`; `other` is freed. */
void arena_adopt(struct arena *target, struct arena *other);

/* Makes room for count items of item_size in *items, which has room for *capacity (both start NULL and 0); items is the
 * address of a pointer of any type. The room at least doubles. Free with memory_free(context, *items, *capacity,
 * item_size). */
CP_API bool array_reserve(cp_context *context, void *items, uint32_t *capacity, uint64_t count, size_t item_size);

/* Bytes that grow. Start: {.context = context}. Failure is sticky in `failed`. */
struct buffer {
    cp_context *context;
    char *data;
    size_t size, capacity;
    bool failed;
};
CP_API bool buffer_reserve(struct buffer *buffer, size_t more);
/* Here, since JSON and lists are made of pieces of a few bytes. */
static inline void buffer_append(struct buffer *buffer, const void *bytes, size_t size)
{
    if (size == 0 || (size > buffer->capacity - buffer->size && !buffer_reserve(buffer, size)))
        return;
    memcpy(buffer->data + buffer->size, bytes, size);
    buffer->size += size;
}
CP_API void buffer_text(struct buffer *buffer, const char *text);
CP_API void buffer_print(struct buffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Shortest text that reads back to the same value. */
CP_API void buffer_double(struct buffer *buffer, double value);
void buffer_float(struct buffer *buffer, float value);
CP_API void buffer_free(struct buffer *buffer);

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
CP_API uint32_t *name_map_find(const struct name_map *map, const char *key);
uint32_t *name_map_find_sized(const struct name_map *map, const char *key, size_t size);
/* The value's place for key, made with `value` when absent (*added tells; may be NULL). NULL when out of memory. */
CP_API uint32_t *name_map_add(struct name_map *map, const char *key, uint32_t value, bool *added);
CP_API void name_map_free(struct name_map *map);

static inline bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The value of a hexadecimal digit, or -1. */
static inline int hex_digit(char c)
{
    return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static inline bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Whether the text ends in the suffix, in any case. */
CP_API bool text_ends_nocase(const char *text, const char *suffix);
/* The length of the UTF-8 character at the start of size bytes (at least 1); 0 when it is not well-formed, or NUL. */
CP_API size_t utf8_length(const char *bytes, size_t size);

#endif
