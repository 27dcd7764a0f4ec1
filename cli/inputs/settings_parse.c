/* Reads the text of a settings file. */
#include "settings.h"

#include <string.h>

struct parsing {
    struct arena *arena;
    struct settings_file *file;
    struct settings_fault *fault;
    const char *at, *end; /* the line; the end is that of the text */
    const char *line_begin;
    uint32_t line;
};

/* A word of a line. */
struct word {
    const char *at;
    size_t size;
};

static cp_status fault_at(struct parsing *parsing, const char *at, const char *text)
{
    *parsing->fault = (struct settings_fault){
        .line = parsing->line, .column = (uint32_t)(at - parsing->line_begin) + 1, .text = text};
    return text ? CP_INPUT : CP_LIMIT;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Takes the next word of the line, up to `stop`; false at its end, or at a comment. */
static bool next_word(const char **at, const char *stop, struct word *word)
{
    while (*at < stop && is_blank(**at))
        (*at)++;
    if (*at == stop || **at == '#' || **at == ';')
        return false;
    word->at = *at;
    while (*at < stop && !is_blank(**at))
        (*at)++;
    word->size = (size_t)(*at - word->at);
    return true;
}

/* ---- sections ---- */

/* Tells whether a pattern leads out of the folder: "/x", "../x", "a/../../x". */
static bool leads_out(const char *pattern)
{
    if (*pattern == '/')
        return true;
    for (const char *at = pattern; at; at = strchr(at, '/')) {
        at += *at == '/';
        if (at[0] == '.' && at[1] == '.' && (at[2] == '/' || !at[2]))
            return true;
    }
    return false;
}

/* Takes "[PATTERN]". A ] in the pattern is one, unless it is the last. */
static cp_status take_section(struct parsing *parsing, const char *stop)
{
    const char *open = parsing->at, *close = stop;
    while (close > open && is_blank(close[-1]))
        close--;
    if (close[-1] != ']' || close - 1 == open)
        return fault_at(parsing, open, "a section is a pattern between [ and ], and nothing behind them");
    size_t size = (size_t)(close - open) - 2;
    struct settings_file *file = parsing->file;
    if (size == 0)
        return fault_at(parsing, open, "the pattern is empty; for all files say [*]");
    if (size > MOST_PATTERN)
        return fault_at(parsing, open, "the pattern has more than 1,024 bytes");
    if (file->section_count == MOST_SECTIONS)
        return fault_at(parsing, open, "there are more than 1,000 sections");
    char *pattern = arena_copy_text(parsing->arena, open + 1, size);
    if (!pattern)
        return CP_LIMIT;
    if (leads_out(pattern))
        return fault_at(parsing, open + 1, "the pattern leads out of the folder; patterns are for paths below it");
    file->sections[file->section_count++] =
        (struct settings_section){.pattern = pattern, .line = parsing->line, .first = file->setting_count};
    return CP_OK;
}

/* ---- settings ---- */

/* Counts the words of a line. */
static uint32_t count_words(const char *at, const char *stop)
{
    struct word word;
    uint32_t count = 0;
    while (next_word(&at, stop, &word))
        count++;
    return count;
}

static bool is_setting(const struct word *word)
{
    const char *equals = memchr(word->at, '=', word->size);
    return equals && equals > word->at;
}

/* Takes a line of options: "unit=mm up=y", "simplify ratio=0.2", "out web=yes". */
static cp_status take_setting(struct parsing *parsing, const char *stop)
{
    struct settings_file *file = parsing->file;
    struct setting setting = {.kind = SETTING_READ, .line = parsing->line};
    const uint32_t room = count_words(parsing->at, stop);
    uint32_t *columns = arena_allocate(parsing->arena, room, sizeof *columns), count = 0;
    const char **options = arena_allocate(parsing->arena, room, sizeof *options);
    struct word word;
    if (!columns || !options)
        return CP_LIMIT;
    for (const char *at = parsing->at; next_word(&at, stop, &word); count++) {
        char *text = arena_copy_text(parsing->arena, word.at, word.size);
        if (!text)
            return CP_LIMIT;
        columns[count] = (uint32_t)(word.at - parsing->line_begin) + 1;
        bool is_name = count == 0 && !is_setting(&word);
        if (is_name && strcmp(text, "out") == 0)
            setting.kind = SETTING_WRITE;
        else if (is_name)
            setting.kind = SETTING_FILTER;
        else if (setting.kind == SETTING_READ && !is_setting(&word))
            return fault_at(parsing, word.at, "an option of a reader is NAME=VALUE");
        if (is_name)
            setting.filter = text;
        else
            options[setting.options.count++] = text;
    }
    if (setting.kind == SETTING_WRITE && setting.options.count == 0)
        return fault_at(parsing, parsing->at, "\"out\" has options of the output's format behind it: out NAME=VALUE");
    if (file->section_count == 0)
        return fault_at(parsing, parsing->at, "there is no section before it; for all files say [*]");
    setting.options.items = options;
    setting.words = columns;
    file->settings[file->setting_count++] = setting;
    file->sections[file->section_count - 1].count++;
    return CP_OK;
}

/* ---- lines ---- */

static cp_status take_line(struct parsing *parsing, const char *stop)
{
    for (const char *at = parsing->at; at < stop; at++)
        if (((unsigned char)*at < ' ' && *at != '\t') || *at == 0x7f)
            return fault_at(parsing, at, "is no text: a control character");
    while (parsing->at < stop && is_blank(*parsing->at))
        parsing->at++;
    if (parsing->at == stop || *parsing->at == '#' || *parsing->at == ';')
        return CP_OK;
    return *parsing->at == '[' ? take_section(parsing, stop) : take_setting(parsing, stop);
}

cp_status settings_parse(struct arena *arena, const char *text, size_t size, struct settings_file *file,
                         struct settings_fault *fault)
{
    static const char mark[] = "\xef\xbb\xbf"; /* of UTF-8 */
    struct parsing parsing = {.arena = arena, .file = file, .fault = fault, .at = text, .end = text + size};
    size_t lines = 1;
    for (const char *at = text; size > 0 && (at = memchr(at, '\n', (size_t)(parsing.end - at))); at++)
        lines++;
    *file = (struct settings_file){.path = file->path,
                                   .sections = arena_allocate(arena, lines, sizeof *file->sections),
                                   .settings = arena_allocate(arena, lines, sizeof *file->settings)};
    if (!file->sections || !file->settings)
        return CP_LIMIT;
    parsing.line_begin = text;
    parsing.line = 1;
    if (size > MOST_SETTINGS)
        return fault_at(&parsing, text, "the file has more than 64 KiB");
    if (size >= 3 && memcmp(text, mark, 3) == 0)
        parsing.at += 3;
    cp_status status = CP_OK;
    for (; parsing.at < parsing.end && status == CP_OK; parsing.line++) {
        parsing.line_begin = parsing.at;
        const char *stop = memchr(parsing.at, '\n', (size_t)(parsing.end - parsing.at)), *next = stop ? stop + 1 : NULL;
        stop = stop ? stop : parsing.end;
        stop -= stop > parsing.at && stop[-1] == '\r';
        status = take_line(&parsing, stop);
        parsing.at = next ? next : parsing.end;
    }
    return status;
}

/* ---- patterns ---- */

bool settings_match(const char *pattern, const char *path)
{
    const char *text = path, *star = NULL, *retry = NULL;
    if (!strchr(pattern, '/')) {
        const char *slash = strrchr(path, '/');
        text = slash ? slash + 1 : path;
    }
    while (*text)
        if (*pattern == '*') {
            star = ++pattern; /* an earlier * need not be tried again: this one can take what it would */
            retry = text;
        } else if (*pattern == *text || *pattern == '?') {
            pattern++;
            text++;
        } else if (star) {
            pattern = star;
            text = ++retry;
        } else {
            return false;
        }
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}
