/* DCT texts that tests write, and folders for the files that they name. */
#ifndef CELLPIPE_TESTS_DENEB_SUPPORT_H
#define CELLPIPE_TESTS_DENEB_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "find_support.h"
#include "plain_numbers.h"
#include "report_support.h"

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

/* What the test that runs has for files; made and removed by the group. */
static char folder[] = "/tmp/cellpipe-deneb-XXXXXX";

static inline int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : 1;
}

static inline void empty_folder(void)
{
    char command[128];
    (void)snprintf(command, sizeof command, "rm -rf '%s' && mkdir '%s'", folder, folder);
    assert_int_equal(system(command), 0);
}

static inline int remove_folder(void **state)
{
    char command[128];
    (void)state;
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

/* Writes folder/path, with the folders on the way there. */
static inline void write_text(const char *path, const char *text)
{
    char full[512];
    (void)snprintf(full, sizeof full, "%s/%s", folder, path);
    for (char *slash = full + strlen(folder) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = '\0';
        (void)mkdir(full, 0700);
    }
    FILE *file = fopen(full, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

/* Reads a text as if it lay in the folder; option may be NULL. */
static inline cp_status read_here(cp_context *context, const char *text, const char *option, cp_scene **scene)
{
    char name[64];
    (void)snprintf(name, sizeof name, "%s/cell.dct", folder);
    cp_status status =
        cp_read_memory(context, text, strlen(text), name, NULL, option ? &option : NULL, option ? 1 : 0, scene);
    if (status == CP_OK)
        assert_int_equal(cp_validate(context, *scene), CP_OK);
    return status;
}

static inline cp_scene *must_read(cp_context *context, const char *text, const char *option)
{
    cp_scene *scene;
    if (read_here(context, text, option, &scene) != CP_OK) {
        print_report(context);
        fail_msg("not read: %.2000s", text);
    }
    return scene;
}

#endif
