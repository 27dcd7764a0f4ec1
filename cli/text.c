/* Streams into memory. They replace open_memstream, as glibc's reports neither a write that found no memory nor, at
 * fclose, a text that it has lost. */
#define _GNU_SOURCE /* fopencookie */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

#ifdef __linux__
/* Takes bytes; the memory doubles as needed, and has a zero byte behind the text. */
static ssize_t take_bytes(void *user, const char *bytes, size_t size)
{
    struct printed_text *text = user;
    size_t needed = text->size + size + 1, room = text->room ? text->room : 256;
    while (room < needed && room <= SIZE_MAX / 2)
        room *= 2;
    char *grown = room < needed || text->failed ? NULL : realloc(text->bytes, room);
    if (!grown) {
        text->failed = true;
        return 0;
    }
    text->bytes = grown;
    text->room = room;
    memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
    text->bytes[text->size] = '\0';
    return (ssize_t)size;
}

bool text_open(struct printed_text *text)
{
    *text = (struct printed_text){0};
    text->file = fopencookie(text, "w", (cookie_io_functions_t){.write = take_bytes});
    return text->file != NULL;
}
#else
bool text_open(struct printed_text *text)
{
    *text = (struct printed_text){0};
    text->file = open_memstream(&text->bytes, &text->size);
    return text->file != NULL;
}
#endif

bool text_close(struct printed_text *text)
{
    bool whole = text->file && !ferror(text->file);
    whole = text->file && fclose(text->file) == 0 && whole && !text->failed;
    text->file = NULL;
    if (whole && !text->bytes) /* nothing was written */
        text->bytes = calloc(1, 1);
    if (whole && text->bytes)
        return true;
    text_free(text);
    return false;
}

void text_free(struct printed_text *text)
{
    if (text->file)
        (void)fclose(text->file);
    free(text->bytes);
    *text = (struct printed_text){0};
}
