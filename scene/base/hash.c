/* Computes hashes by xxHash: of content, the same everywhere, and of keys in tables, different in every run. */
#include <stdint.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base.h"
#include "context.h"

uint64_t hash_content(const void *bytes, size_t size)
{
    return XXH64(bytes, size, 0);
}

uint64_t hash_bytes(const cp_context *context, const void *bytes, size_t size)
{
    return XXH3_64bits_withSeed(bytes, size, context->seed);
}

cp_hash cp_hash_bytes(const void *bytes, size_t size)
{
    XXH128_hash_t hash = XXH3_128bits(bytes, size);
    return (cp_hash){hash.low64, hash.high64};
}

/* The room is larger than the state, since xxHash wants an alignment (64) that no allocator promises. */
struct hash_stream {
    XXH3_state_t *state;
    char room[sizeof(XXH3_state_t) + 64];
};

struct hash_stream *hash_stream_new(cp_context *context)
{
    struct hash_stream *stream = memory_allocate_zeroed(context, 1, sizeof *stream);
    if (!stream)
        return NULL;
    stream->state = (XXH3_state_t *)(((uintptr_t)stream->room + 63) & ~(uintptr_t)63);
    (void)XXH3_128bits_reset(stream->state);
    return stream;
}

void hash_stream_add(struct hash_stream *stream, const void *bytes, size_t size)
{
    (void)XXH3_128bits_update(stream->state, bytes, size);
}

cp_hash hash_stream_end(const struct hash_stream *stream)
{
    XXH128_hash_t hash = XXH3_128bits_digest(stream->state);
    return (cp_hash){hash.low64, hash.high64};
}

void hash_stream_free(cp_context *context, struct hash_stream *stream)
{
    memory_free(context, stream, 1, sizeof *stream);
}
