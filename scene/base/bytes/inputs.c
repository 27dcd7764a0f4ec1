/* A file is hashed only when the hash is needed, so that reading costs nothing more. */
#include "bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/context.h"
#include "disk.h"

/* Hashes a whole open file of so many bytes. It reads rather than maps, so that a fault of the disk is an errno. */
static bool hash_file(cp_context *context, int file, uint64_t size, cp_hash *hash, int *error)
{
    enum { PIECE = 1 << 18 };
    char *piece = memory_allocate(context, PIECE, 1);
    struct hash_stream *stream = piece ? hash_stream_new(context) : NULL;
    uint64_t done = 0;
    ssize_t got = 1;
    *error = stream ? 0 : ENOMEM;
    while (stream && got > 0 && !context_is_cancelled(context)) {
        do
            got = read(file, piece, PIECE);
        while (got < 0 && errno == EINTR);
        if (got < 0)
            *error = errno;
        if (got > 0)
            hash_stream_add(stream, piece, (size_t)got);
        done += got > 0 ? (uint64_t)got : 0;
    }
    if (stream)
        *hash = hash_stream_end(stream);
    hash_stream_free(context, stream);
    memory_free(context, piece, PIECE, 1);
    return *error == 0 && done == size;
}

bool input_hash(cp_context *context, const struct input *input, cp_hash *hash, int *error)
{
    struct stat now;
    *error = 0;
    *hash = input->hash;
    if (hash->low || hash->high || !*input->path)
        return hash->low || hash->high;
    int file = context_open_file(context, input->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0 || fstat(file, &now) != 0) {
        *error = errno;
    } else if (S_ISREG(now.st_mode) && (uint64_t)now.st_size == input->size && time_of_change(&now) == input->changed &&
               hash_file(context, file, input->size, hash, error)) {
        (void)close(file);
        return true;
    }
    if (file >= 0)
        (void)close(file);
    return false;
}
