/* A fuzzer for settings files of libraries, cellpipe.ini. What reads is within its bounds, reads again from its parts,
 * and has patterns that match as a plain search says; what is refused has a place in the text. Whatever it says, no
 * option that names a file passes. A bug shows as a crash, a leak, a sanitizer's finding or a difference. */
#include "../../cli/batch/batch.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "fuzz_settings: %s\n", what);
    abort();
}

/* Tells whether all of the text matches, by trying everything. */
static bool matches(const char *pattern, const char *text)
{
    if (!*pattern)
        return !*text;
    if (*pattern == '*')
        return matches(pattern + 1, text) || (*text && matches(pattern, text + 1));
    return *text && (*pattern == '?' || *pattern == *text) && matches(pattern + 1, text + 1);
}

/* Checks the pattern against all short texts of the letters that it has, and a slash. */
static void check_pattern(const char *pattern)
{
    enum { LONGEST = 5, MOST = 10 };
    char letters[4] = {'/', *pattern == '*' || *pattern == '?' ? 'a' : *pattern, pattern[strlen(pattern) - 1], 'b'};
    if (strlen(pattern) > MOST)
        return;
    for (unsigned number = 0; number < 1u << (2 * LONGEST); number++) {
        char path[LONGEST + 1] = {0};
        for (unsigned i = 0; i < LONGEST; i++)
            path[i] = letters[number >> (2 * i) & 3];
        const char *slash = strchr(pattern, '/') ? NULL : strrchr(path, '/');
        check(settings_match(pattern, path) == matches(pattern, slash ? slash + 1 : path), "a pattern");
    }
}

/* Prints the file again from its parts. */
static void print_file(const struct settings_file *file, struct buffer *text)
{
    for (uint32_t i = 0; i < file->section_count; i++) {
        const struct settings_section *section = &file->sections[i];
        check(section->first + section->count <= file->setting_count, "settings of a section");
        buffer_print(text, "[%s]\n", section->pattern);
        for (uint32_t k = 0; k < section->count; k++) {
            const struct setting *setting = &file->settings[section->first + k];
            if (setting->kind != SETTING_READ)
                buffer_text(text, setting->filter);
            for (size_t option = 0; option < setting->options.count; option++) {
                buffer_text(text, " ");
                buffer_text(text, setting->options.items[option]);
            }
            buffer_text(text, "\n");
        }
    }
}

/* Checks that nothing passed which may name a file or reach the environment. */
static void check_passed(const struct settings_file *file)
{
    static const char *const never[] = {"arg",      "paths", "recording", "workcell", "prefix", "env",  "outside",
                                        "evidence", "keep",  "file",      "tools",    "model",  "name", "value"};
    for (uint32_t i = 0; i < file->setting_count; i++)
        for (size_t k = 0; k < file->settings[i].options.count; k++) {
            const char *option = file->settings[i].options.items[k], *dot = strchr(option, '.');
            size_t size = strcspn(option, "=");
            if (file->settings[i].kind == SETTING_READ && dot && dot < option + size) {
                size -= (size_t)(dot + 1 - option);
                option = dot + 1;
            }
            for (size_t n = 0; n < sizeof never / sizeof *never; n++)
                check(strlen(never[n]) != size || strncmp(never[n], option, size) != 0, "an option that must not pass");
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static FILE *nowhere;
    nowhere = nowhere ? nowhere : fopen("/dev/null", "w");
    cp_context *context = cp_context_new(NULL);
    struct cli cli = {.context = context, .messages = nowhere, .answers = nowhere};
    struct arena *arena = arena_new(context);
    struct buffer text = {.context = context}, again = {.context = context};
    struct settings_file file = {.path = "cellpipe.ini"}, second = {.path = "cellpipe.ini"};
    struct settings_fault fault;
    char *copy = malloc(size ? size : 1); /* reading beyond its end is seen */
    check(context && arena && copy && nowhere, "no memory");
    memcpy(copy, bytes, size);
    cp_status status = settings_parse(arena, copy, size, &file, &fault);
    uint32_t lines = 1;
    for (size_t i = 0; i < size; i++)
        lines += copy[i] == '\n';
    free(copy);
    check(status == CP_OK || status == CP_INPUT, "the status");
    if (status == CP_INPUT)
        check(fault.line >= 1 && fault.line <= lines && fault.column >= 1 && fault.column <= size + 1 && *fault.text,
              "the place of a fault");
    if (status == CP_OK) {
        check(file.section_count <= MOST_SECTIONS && file.section_count + file.setting_count <= lines, "how many");
        for (uint32_t i = 0; i < file.section_count && i < 8; i++)
            check_pattern(file.sections[i].pattern);
        print_file(&file, &text);
        check(text.size > MOST_SETTINGS ||
                  settings_parse(arena, text.data ? text.data : "", text.size, &second, &fault) == CP_OK,
              "what was printed does not read");
        if (text.size <= MOST_SETTINGS)
            print_file(&second, &again);
        check(text.size > MOST_SETTINGS ||
                  (text.size == again.size && (text.size == 0 || memcmp(text.data, again.data, text.size) == 0)),
              "another text");
        status = settings_check(&cli, &file, exporter_for("glb", ""));
        check(status == CP_OK || status == CP_USAGE, "the status of the check");
        if (status == CP_OK)
            check_passed(&file);
    }
    buffer_free(&text);
    buffer_free(&again);
    arena_free(arena);
    cli_free(&cli);
    cp_context_free(context);
    return 0;
}
