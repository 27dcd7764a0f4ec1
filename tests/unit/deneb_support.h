/* Writes DCT texts for tests, and reads them. */
#ifndef CELLPIPE_TESTS_DENEB_SUPPORT_H
#define CELLPIPE_TESTS_DENEB_SUPPORT_H

#include "fixture.h"
#include "plain_numbers.h"

#define IDENTITY_LINE "MATRIX 1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1\n"

/* A text that grows. Starts as zeros. */
struct text {
    char *data;
    size_t size, room;
};

__attribute__((format(printf, 2, 3))) static inline void print(struct text *text, const char *format, ...)
{
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    size_t more;
    IN_PLAIN_LOCALE(more = (size_t)vsnprintf(NULL, 0, format, again));
    va_end(again);
    if (text->size + more + 1 > text->room) {
        text->room = 2 * (text->size + more + 1);
        text->data = realloc(text->data, text->room);
        assert_non_null(text->data);
    }
    IN_PLAIN_LOCALE((void)vsnprintf(text->data + text->size, more + 1, format, list));
    va_end(list);
    text->size += more;
}

static inline void free_text(struct text *text)
{
    free(text->data);
    *text = (struct text){0};
}

/* Reads a text as if it lay in the folder; option may be NULL. */
static inline cp_status read_here(cp_context *context, const char *text, const char *option, cp_scene **scene)
{
    cp_status status =
        cp_read_memory(context, text, strlen(text), path_of("cell.dct"), NULL, &option, option ? 1 : 0, scene);
    if (status == CP_OK)
        assert_int_equal(cp_validate(context, *scene), CP_OK);
    return status;
}

static inline cp_scene *must_read(cp_context *context, const char *text, const char *option)
{
    cp_scene *scene;
    if (read_here(context, text, option, &scene) != CP_OK) {
        show_report(context);
        fail_msg("not read: %.2000s", text);
    }
    return scene;
}

#endif
