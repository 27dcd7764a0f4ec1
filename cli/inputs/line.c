/* Lines of files. */
#include "line.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK = 1 << 20 };

#define FIELD(member) .offset = offsetof(struct record_input, member)
const cp_field file_fields[] = {
    {"path", CP_FIELD_TEXT, FIELD(path)},
    {"size", CP_FIELD_COUNT, FIELD(size), .unless = offsetof(struct record_input, missing)},
    {"mtime_ns", CP_FIELD_TIME, FIELD(modified), .unless = offsetof(struct record_input, missing)},
    {"hash", CP_FIELD_HASH, FIELD(hash), .unless = offsetof(struct record_input, missing)},
    {"missing", CP_FIELD_TRUE, FIELD(missing)},
    {0}};

bool hash_is_zero(cp_hash hash)
{
    return (hash.high | hash.low) == 0;
}

bool hash_equals(cp_hash a, cp_hash b)
{
    return a.high == b.high && a.low == b.low;
}

cp_status read_lines(cp_context *context, int file, char end, take_line_of_file *take, void *user, uint64_t *line)
{
    struct buffer buffer = {.context = context};
    cp_status status = CP_OK;
    ssize_t more = 1;
    *line = 0;
    while (status == CP_OK && more > 0) {
        if (!buffer_reserve(&buffer, CHUNK)) {
            status = CP_LIMIT;
            break;
        }
        do
            more = read(file, buffer.data + buffer.size, CHUNK);
        while (more < 0 && errno == EINTR && !was_interrupted());
        if (more < 0) {
            *line = 0;
            status = CP_INPUT;
        } else if (more == 0 && buffer.size > 0) {
            status = take(user, ++*line, buffer.data, buffer.size, false);
        } else if (more > 0) {
            char *begin = buffer.data, *at = buffer.data + buffer.size, *behind = at + more, *found;
            while (status == CP_OK && (found = memchr(at, end, (size_t)(behind - at)))) {
                status = take(user, ++*line, begin, (size_t)(found - begin), true);
                begin = at = found + 1;
            }
            buffer.size = (size_t)(behind - begin);
            memmove(buffer.data, begin, buffer.size);
        }
    }
    int error = errno;
    buffer_free(&buffer);
    errno = error;
    return status;
}
