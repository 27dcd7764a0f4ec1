/* Splits messages into patterns and values. */
#include "said.h"

enum { MARK = 1 };

/* Returns the size of the path at the start of the text, which is a word with a '/', or of several with commas between:
 * places that were searched are one value, however many they were. 0: there is none. */
static size_t paths_size(const char *text)
{
    size_t size = 0;
    for (const char *word = text;; word += strlen(", ")) {
        size_t length = strcspn(word, " \t\n\"");
        if (!memchr(word, '/', length))
            return size;
        while (length > 0 && strchr(",;:.)", word[length - 1]))
            length--;
        word += length;
        size = (size_t)(word - text);
        if (length == 0 || strncmp(word, ", ", 2) != 0)
            return size;
    }
}

/* Returns the size of the value at the start of the text; 0: there is none. A mark in the text itself is a value,
 * too. */
static size_t value_size(const char *text, bool begins_word)
{
    if (*text == '"' && strchr(text + 1, '"'))
        return (size_t)(strchr(text + 1, '"') - text) + 1;
    if (*text == MARK)
        return 1;
    size_t size = begins_word ? paths_size(text) : 0;
    if (size > 0)
        return size;
    while (is_digit(text[size]) || (size > 0 && text[size] == '.' && is_digit(text[size + 1])))
        size++;
    return size;
}

void split_message(const char *message, struct buffer *pattern, struct buffer *values)
{
    static const char mark = MARK;
    for (const char *at = message; *at;) {
        size_t size = value_size(at, at == message || at[-1] == ' ');
        if (size > 0) {
            buffer_append(pattern, &mark, 1);
            buffer_append(values, at, size);
            buffer_append(values, "", 1);
        } else {
            buffer_append(pattern, at, size = 1);
        }
        at += size;
    }
    buffer_append(pattern, "", 1);
}

const char *join_message(const char *pattern, const char *values, const char *end, struct buffer *message)
{
    for (; *pattern; pattern++) {
        if (*pattern != MARK) {
            buffer_append(message, pattern, 1);
            continue;
        }
        const char *behind = values < end ? memchr(values, '\0', (size_t)(end - values)) : NULL;
        if (!behind)
            return NULL;
        buffer_append(message, values, (size_t)(behind - values));
        values = behind + 1;
    }
    buffer_append(message, "", 1);
    return values;
}

void put_count(struct buffer *out, uint64_t count)
{
    unsigned char bytes[10];
    size_t size = 0;
    for (; count >= 128; count >>= 7)
        bytes[size++] = (unsigned char)(count | 128);
    bytes[size++] = (unsigned char)count;
    buffer_append(out, bytes, size);
}

const char *take_count(const char *at, const char *end, uint64_t *count)
{
    *count = 0;
    for (unsigned shift = 0; at < end && shift < 64; shift += 7) {
        unsigned char byte = (unsigned char)*at++;
        *count |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return at;
    }
    return NULL;
}
