/* Allocates through the context; makes arenas, growing arrays and buffers. */

#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/text/digits.h"
#include "base/text/text.h"
#include "context.h"

enum {
    ARENA_BLOCK = 64 * 1024,
    LARGE_BLOCK = 4 * 1024 * 1024, /* holds large pages of any usual size */
};

/* Asks the system to use large pages for a large block, if it can: fewer pages have to be cleared and looked up. The
 * first and the last page are included, because a block of two kinds of pages would be copied when it grows. Small
 * blocks are not worth it: each block becomes a mapping of its own, and a process may have only 65,530 of these. */
static void ask_for_large_pages(void *block, size_t size)
{
#ifdef MADV_HUGEPAGE
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), before = (uintptr_t)block & (page - 1);
    (void)madvise((char *)block - before, (before + size + page - 1) & ~(page - 1), MADV_HUGEPAGE);
#else
    (void)block;
    (void)size;
#endif
}

void *memory_resize_by_library(void *user, void *block, size_t old_size, size_t size)
{
    (void)user;
    if (size == 0) {
        free(block);
        return NULL;
    }
    void *moved = realloc(block, size);
    if (moved && size >= LARGE_BLOCK && old_size < LARGE_BLOCK)
        ask_for_large_pages(moved, size);
    return moved;
}

/* Tells whether the context may hold so many bytes more; reports the limit if not. */
static bool has_room(cp_context *context, size_t more)
{
    if (more <= context->limits.memory && context->held + more <= context->limits.memory)
        return true;
    report_memory_limit(context);
    return false;
}

void *memory_resize(cp_context *context, void *block, size_t old_size, size_t size)
{
    if (size > 0 && context_is_cancelled(context)) /* Cancelling looks like a lack of memory, which every caller can
                                                    * handle. */
        return NULL;
    if (size > old_size && !has_room(context, size - old_size))
        return NULL;
    void *moved = context->allocator.resize(context->allocator.user, block, old_size, size);
    if (!moved && size > 0)
        report_out_of_memory(context);
    else
        context->held = context->held - old_size + size;
    return moved;
}

static bool product(size_t count, size_t size, size_t *bytes)
{
    if (size > 0 && count > SIZE_MAX / size)
        return false;
    *bytes = count > 0 && size > 0 ? count * size : 1;
    return true;
}

void *memory_allocate(cp_context *context, size_t count, size_t size)
{
    size_t bytes;
    if (!product(count, size, &bytes)) {
        report_out_of_memory(context);
        return NULL;
    }
    return memory_resize(context, NULL, 0, bytes);
}

/* Allocates zeroed memory. The library's own function is used if possible: the system gives large blocks as zeros, and
 * prepares a page only when it is touched. */
void *memory_allocate_zeroed(cp_context *context, size_t count, size_t size)
{
    size_t bytes;
    if (context->allocator.resize == memory_resize_by_library && product(count, size, &bytes) &&
        !context_is_cancelled(context)) {
        if (!has_room(context, bytes))
            return NULL;
        void *zeros = calloc(bytes, 1);
        if (zeros && bytes >= LARGE_BLOCK)
            ask_for_large_pages(zeros, bytes);
        if (zeros)
            context->held += bytes;
        else
            report_out_of_memory(context);
        return zeros;
    }
    void *block = memory_allocate(context, count, size);
    if (block)
        memset(block, 0, count * size);
    return block;
}

void memory_free(cp_context *context, void *block, size_t count, size_t size)
{
    size_t bytes;
    if (block && product(count, size, &bytes))
        (void)memory_resize(context, block, bytes, 0);
}

/* ---- arenas ---- */

struct block {
    struct block *next;
    size_t size; /* of the whole block */
    size_t used; /* from the block's start */
};

/* A block that was allocated elsewhere and taken over; this record is in the arena itself. */
struct taken {
    struct taken *next;
    void *block;
    size_t size;
};

struct arena {
    cp_context *context;
    struct block *blocks; /* the first one is being filled */
    struct taken *taken;
    bool failed;
};

static size_t align_up(size_t size)
{
    size_t step = alignof(max_align_t);
    return (size + step - 1) / step * step;
}

struct arena *arena_new(cp_context *context)
{
    struct arena *arena = memory_allocate(context, 1, sizeof *arena);
    if (arena)
        *arena = (struct arena){.context = context};
    return arena;
}

void arena_clear(struct arena *arena)
{
    for (const struct taken *taken = arena->taken; taken; taken = taken->next)
        memory_free(arena->context, taken->block, 1, taken->size);
    for (struct block *block = arena->blocks, *next; block; block = next) {
        next = block->next;
        memory_free(arena->context, block, 1, block->size);
    }
    *arena = (struct arena){.context = arena->context};
}

void arena_free(struct arena *arena)
{
    if (!arena)
        return;
    arena_clear(arena);
    memory_free(arena->context, arena, 1, sizeof *arena);
}

static struct block *arena_grow(struct arena *arena, size_t bytes)
{
    size_t header = align_up(sizeof(struct block));
    if (bytes > SIZE_MAX / 2) {
        report_out_of_memory(arena->context);
        return NULL;
    }
    bool large = bytes > ARENA_BLOCK / 4;
    size_t size = large ? header + bytes : (size_t)ARENA_BLOCK;
    struct block *block = memory_allocate(arena->context, 1, size);
    if (!block)
        return NULL;
    *block = (struct block){.size = size, .used = header};
    /* A large block is full at once. It is put behind the first block, so that the first one continues to be filled. */
    struct block **link = large && arena->blocks ? &arena->blocks->next : &arena->blocks;
    block->next = *link;
    *link = block;
    return block;
}

void *arena_allocate(struct arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (!arena)
        return NULL;
    if (!product(count, size, &bytes) || bytes > SIZE_MAX - alignof(max_align_t)) {
        report_out_of_memory(arena->context);
        arena->failed = true;
        return NULL;
    }
    bytes = align_up(bytes);
    struct block *block = arena->blocks;
    if (!block || block->size - block->used < bytes)
        block = arena_grow(arena, bytes);
    arena->failed |= !block;
    if (!block)
        return NULL;
    char *result = (char *)block + block->used;
    block->used += bytes;
    return result;
}

void *arena_allocate_zeroed(struct arena *arena, size_t count, size_t size)
{
    bool large = arena && size > 0 && count > ARENA_BLOCK / 4 / size; /* zeros from the system */
    void *block = large ? memory_allocate_zeroed(arena->context, count, size) : arena_allocate(arena, count, size);
    if (block && !large)
        memset(block, 0, count * size);
    if (large && (!block || !arena_take(arena, block, count, size))) {
        memory_free(arena->context, block, count, size);
        arena->failed = true;
        return NULL;
    }
    return block;
}

bool arena_failed(const struct arena *arena)
{
    return !arena || arena->failed;
}

void *arena_copy(struct arena *arena, const void *bytes, size_t count, size_t size)
{
    void *copy = arena_allocate(arena, count, size);
    if (copy && count * size > 0)
        memcpy(copy, bytes, count * size);
    return copy;
}

bool arena_take(struct arena *arena, void *block, size_t count, size_t size)
{
    struct taken *taken = arena_allocate(arena, 1, sizeof *taken);
    if (!taken)
        return false;
    *taken = (struct taken){arena->taken, block, count * size};
    arena->taken = taken;
    return true;
}

char *arena_copy_text(struct arena *arena, const char *bytes, size_t size)
{
    char *copy = size < SIZE_MAX ? arena_allocate(arena, 1, size + 1) : NULL;
    if (!copy)
        return NULL;
    if (size > 0)
        memcpy(copy, bytes, size);
    copy[size] = '\0';
    return copy;
}

char *arena_number(struct arena *arena, const char *base, char between, uint32_t number)
{
    char digits[NUMBER_SIZE];
    size_t size = strlen(base), count = (size_t)(put_whole(digits, number) - digits);
    char *text = arena_allocate(arena, size + count + 2, 1);
    if (!text)
        return NULL;
    memcpy(text, base, size);
    text[size] = between;
    memcpy(text + size + 1, digits, count);
    text[size + 1 + count] = '\0';
    return text;
}

char *arena_print(struct arena *arena, const char *format, ...)
{
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    int length = vsnprintf(NULL, 0, format, list);
    va_end(list);
    char *text = length < 0 ? NULL : arena_allocate(arena, 1, (size_t)length + 1);
    if (text)
        (void)vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

/* Splices the other's blocks in behind the target's first block. It walks only the other's blocks, so that many small
 * scenes are adopted in linear time. */
void arena_adopt(struct arena *target, struct arena *other)
{
    if (!other)
        return;
    struct block **last = &other->blocks;
    while (*last)
        last = &(*last)->next;
    struct block **place = target->blocks ? &target->blocks->next : &target->blocks;
    *last = *place;
    *place = other->blocks;
    struct taken **last_taken = &other->taken;
    while (*last_taken)
        last_taken = &(*last_taken)->next;
    *last_taken = target->taken;
    target->taken = other->taken;
    other->blocks = NULL;
    other->taken = NULL;
    arena_free(other);
}

/* ---- growing ---- */

bool array_add(cp_context *context, void *items, uint32_t *capacity, uint32_t *count, const void *item,
               size_t item_size)
{
    char *block;
    if (!array_reserve(context, items, capacity, (uint64_t)*count + 1, item_size))
        return false;
    memcpy(&block, items, sizeof block); /* whatever it points to */
    memcpy(block + (size_t)(*count)++ * item_size, item, item_size);
    return true;
}

bool array_reserve(cp_context *context, void *items, uint32_t *capacity, uint64_t count, size_t item_size)
{
    if (count <= *capacity)
        return true;
    uint64_t room = *capacity ? 2 * (uint64_t)*capacity : 16;
    if (room < count)
        room = count;
    if (room > UINT32_MAX)
        room = UINT32_MAX;
    if (room < count || room > SIZE_MAX / item_size) {
        report_out_of_memory(context);
        return false;
    }
    void *block;
    memcpy(&block, items, sizeof block); /* whatever it points to */
    block = memory_resize(context, block, *capacity * item_size, (size_t)room * item_size);
    if (!block)
        return false;
    memcpy(items, &block, sizeof block);
    *capacity = (uint32_t)room;
    return true;
}

bool buffer_reserve(struct buffer *buffer, size_t more)
{
    if (buffer->failed)
        return false;
    if (more <= buffer->capacity - buffer->size)
        return true;
    size_t room = buffer->capacity ? buffer->capacity : 256;
    while (room - buffer->size < more && room <= SIZE_MAX / 4)
        room *= 2;
    char *moved = NULL;
    if (room - buffer->size >= more)
        moved = memory_resize(buffer->context, buffer->data, buffer->capacity, room);
    else
        report_out_of_memory(buffer->context);
    if (!moved) {
        buffer->failed = true;
        return false;
    }
    buffer->data = moved;
    buffer->capacity = room;
    return true;
}

void buffer_text(struct buffer *buffer, const char *text)
{
    buffer_append(buffer, text, strlen(text));
}

void buffer_print(struct buffer *buffer, const char *format, ...)
{
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    int length = vsnprintf(NULL, 0, format, list);
    va_end(list);
    if (length >= 0 && buffer_reserve(buffer, (size_t)length + 1)) {
        (void)vsnprintf(buffer->data + buffer->size, (size_t)length + 1, format, again);
        buffer->size += (size_t)length;
    }
    va_end(again);
}

void buffer_double(struct buffer *buffer, double value)
{
    char text[NUMBER_SIZE];
    buffer_append(buffer, text, print_double(value, text));
}

void buffer_float(struct buffer *buffer, float value)
{
    char text[NUMBER_SIZE];
    buffer_append(buffer, text, print_float(value, text));
}

void buffer_free(struct buffer *buffer)
{
    if (buffer->data)
        (void)memory_resize(buffer->context, buffer->data, buffer->capacity, 0);
    *buffer = (struct buffer){.context = buffer->context};
}
