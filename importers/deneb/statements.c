/* Statements: a keyword begins a line, and all up to the next keyword belongs to it. END closes sections. */
#include "deneb.h"

#include <string.h>

#include "base/text/text.h"

enum { MAJOR = 1, MINOR = 1 };

const char *const deneb_kind_words[] = {"PART", "DEVICE", "WORKCELL", "RECORDING", "PATHS", NULL};

/* ---- the first line ---- */

/* Skips the next word of a text, in any case; NULL when it is another. */
static const char *skip_word(const char *text, const char *end, const char *word)
{
    size_t size = strlen(word);
    while (text < end && is_space(*text))
        text++;
    if ((size_t)(end - text) < size)
        return NULL;
    for (size_t i = 0; i < size; i++)
        if ((text[i] | 0x20) != (word[i] | 0x20))
            return NULL;
    return text + size == end || is_space(text[size]) ? text + size : NULL;
}

enum deneb_kind deneb_find_kind(const char *head, size_t size)
{
    const char *end = head + size, *after = skip_word(text_after_mark(head, size), end, "DCT");
    int kind = 0;
    while (after && deneb_kind_words[kind] && !skip_word(after, end, deneb_kind_words[kind]))
        kind++;
    return after ? (enum deneb_kind)kind : DENEB_KIND_COUNT;
}

/* Reads digits "." digits; the numbers stop growing long before they overflow. */
static bool read_version(const struct deneb_token *token, uint32_t *major, uint32_t *minor)
{
    uint32_t numbers[2] = {0, 0};
    size_t at = 0, digits = 0;
    for (int i = 0; i < 2; i++) {
        for (digits = 0; at < token->size && is_digit(token->start[at]); at++, digits++)
            numbers[i] = numbers[i] < 100000 ? 10 * numbers[i] + (uint32_t)(token->start[at] - '0') : numbers[i];
        if (digits == 0 || (i == 0 && (at == token->size || token->start[at++] != '.')))
            return false;
    }
    *major = numbers[0];
    *minor = numbers[1];
    return at == token->size;
}

void deneb_magic(struct deneb_file *file, enum deneb_kind kind)
{
    uint32_t major = 0, minor = 0;
    char shown[48];
    file->kind = kind;
    if (file->status == CP_OK && (!deneb_accept(file, "DCT") || !deneb_accept(file, deneb_kind_words[kind]))) {
        file->status = report_error(file->context, CP_INPUT, "deneb-magic", deneb_place(file),
                                    "the file does not begin with DCT %s 1.0", deneb_kind_words[kind]);
        return;
    }
    if (file->status == CP_OK && (file->token.kind != DENEB_BARE || !read_version(&file->token, &major, &minor))) {
        deneb_expected(file, "a version such as 1.0");
        return;
    }
    struct place place = deneb_place(file);
    deneb_shown(file, shown);
    if (file->status != CP_OK)
        return;
    deneb_next(file);
    if (major != MAJOR)
        file->status = report_error(file->context, CP_INPUT, "deneb-version", place,
                                    "version %s of the dialect: version %d.%d is what is read", shown, MAJOR, MINOR);
    else if (minor > MINOR)
        report_warning(file->context, "deneb-version", place, "version %s of the dialect may hold more than %d.%d",
                       shown, MAJOR, MINOR);
    if (file->status == CP_OK)
        deneb_end_statement(file);
}

/* ---- statements ---- */

bool deneb_statement(struct deneb_file *file, const char *word)
{
    if (!deneb_at_keyword(file) || !deneb_is(file, word))
        return false;
    deneb_next(file);
    return true;
}

void deneb_end_statement(struct deneb_file *file)
{
    if (file->status != CP_OK || file->token.kind == DENEB_END || deneb_at_keyword(file))
        return;
    char shown[48];
    file->status =
        report_lenient(file->context, file->strict, "deneb-more", deneb_place(file),
                       "more than the statement takes, from \"%s\" on: passed over", deneb_shown(file, shown));
    while (file->token.kind != DENEB_END && !deneb_at_keyword(file))
        deneb_next(file);
}

/* ---- what is not known ---- */

/* Tells whether the word opens a section; in a recording, DEVICES is followed by a number instead. */
static bool opens_section(const struct deneb_file *file)
{
    static const char *const words[] = {"OBJECT", "DEVICE", "HEAD", "DEVICES", "PATHS"};
    for (size_t i = 0; i < sizeof words / sizeof *words && file->kind != DENEB_RECORDING; i++)
        if (deneb_is(file, words[i]))
            return true;
    return false;
}

/* Skips the current keyword and all up to the next one. */
static void skip_statement(struct deneb_file *file)
{
    do
        deneb_next(file);
    while (file->token.kind != DENEB_END && !deneb_at_keyword(file));
}

/* Counts the ENDs that follow and close nothing that is known: each belongs to the section of an unknown word. */
static int64_t count_surplus(const struct deneb_file *file, uint32_t open)
{
    struct deneb_file ahead = *file;
    int64_t surplus = -(int64_t)open;
    for (; ahead.token.kind != DENEB_END; skip_statement(&ahead))
        surplus += deneb_is(&ahead, "END") ? 1 : opens_section(&ahead) ? -1 : 0;
    return surplus;
}

static void skip_section(struct deneb_file *file)
{
    uint64_t depth = 1;
    while (depth > 0 && file->token.kind != DENEB_END) {
        depth += opens_section(file);
        depth -= deneb_is(file, "END");
        skip_statement(file);
    }
    file->surplus--;
}

/* Warns of an unknown word, once for each word. */
static void warn_of_unknown(struct deneb_file *file)
{
    char shown[48];
    if (name_map_find(&file->unknown, deneb_shown(file, shown)))
        return;
    const char *word = arena_copy_text(file->arena, shown, strlen(shown));
    if (!word || !name_map_add(&file->unknown, word, 0, NULL))
        file->status = CP_LIMIT;
    else
        file->status = report_lenient(file->context, file->strict, "deneb-unknown", deneb_place(file),
                                      "\"%s\" is no statement that is known here; it is passed over", word);
}

void deneb_skip_unknown(struct deneb_file *file, uint32_t open)
{
    if (file->status != CP_OK || file->token.kind == DENEB_END)
        return;
    warn_of_unknown(file);
    if (file->surplus == INT64_MIN)
        file->surplus = count_surplus(file, open);
    skip_statement(file);
    if (file->surplus > 0)
        skip_section(file);
}

/* ---- sections ---- */

bool deneb_section_ends(struct deneb_file *file, const char *section)
{
    if (file->status != CP_OK)
        return true;
    if (file->token.kind == DENEB_END) {
        file->status = report_lenient(file->context, file->strict, "deneb-no-end", deneb_place(file),
                                      "the file ends without the END of %s", section);
        return true;
    }
    if (!deneb_statement(file, "END"))
        return false;
    deneb_end_statement(file);
    return true;
}

void deneb_close(struct deneb_file *file)
{
    name_map_free(&file->unknown);
}
