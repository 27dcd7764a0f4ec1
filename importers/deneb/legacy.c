/* Tokens of legacy part geometry, and tables over them by which each place is tried in a few steps, whatever its counts
 * say. */
#include "legacy.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/text/text.h"

enum { BLOCK = 16, LEAST_TOKENS = 15 }; /* version, 3 points, a value, a line */

/* ---- what such a file looks like ---- */

static bool is_separator(char character)
{
    return character == ' ' || character == ',' || (character >= '\t' && character <= '\r') || character == 0x1a;
}

/* Returns the version, 1 .. 99, else 0. */
static int read_version(const char *text, size_t size)
{
    if (size == 1 && is_digit(text[0]))
        return text[0] - '0';
    return size == 2 && is_digit(text[0]) && is_digit(text[1]) ? 10 * (text[0] - '0') + text[1] - '0' : 0;
}

static bool ends_line(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at == end || *at == '\n' || *at == '\r';
}

/* Sure signs are a "12" in a line of its own, which was seen in such files, and an asterisk. Other lists of numbers
 * belong to another importer if the suffix is its own: OFF files may begin with three counts, the first of them 12. */
int deneb_probe_legacy(const char *head, size_t size)
{
    const char *at = text_after_mark(head, size), *end = head + size;
    int version = 0;
    uint32_t tokens = 0;
    bool sure = false;
    while (at < end) {
        const char *start = at;
        while (at < end && *at && strchr("0123456789+-.eEdD*", *at))
            at++;
        if (at > start && tokens++ == 0) {
            version = read_version(start, (size_t)(at - start));
            sure = version == 12 && ends_line(at, end);
        }
        sure = sure || (at - start == 1 && *start == '*');
        if (version == 0 && tokens > 0)
            return 0;
        if (at < end && !is_separator(*at++))
            return 0;
    }
    return tokens < LEAST_TOKENS ? 0 : sure ? 70 : 1;
}

bool deneb_begins_legacy(const struct deneb_file *file)
{
    const struct deneb_token *token = &file->token;
    return file->status == CP_OK && token->kind == DENEB_BARE && read_version(token->start, token->size) > 0;
}

/* ---- tokens ---- */

/* Returns the value of digits, which may have a sign; LEGACY_NUMBER for other numbers. */
static uint32_t read_whole(const struct deneb_token *token)
{
    size_t i = *token->start == '+' || *token->start == '-';
    uint64_t value = 0;
    for (; i < token->size && is_digit(token->start[i]); i++)
        value = value < LEGACY_STAR ? 10 * value + (uint64_t)(token->start[i] - '0') : value;
    if (i < token->size)
        return LEGACY_NUMBER;
    return *token->start == '-' || value >= LEGACY_STAR ? LEGACY_WHOLE : (uint32_t)value;
}

static bool is_word_for_none(const struct deneb_file *file)
{
    static const char *const words[] = {"nan", "inf", "infinity"};
    struct deneb_file unsigned_one = *file;
    bool sign = file->token.size > 0 && (*file->token.start == '-' || *file->token.start == '+');
    unsigned_one.token.start += sign;
    unsigned_one.token.size -= sign;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (deneb_is(&unsigned_one, words[i]))
            return true;
    return false;
}

/* Returns the value of the current token, and moves to the next one. A token that cannot be meant as a number is a
 * word; broken numbers are errors. */
static uint32_t read_value(struct deneb_file *file)
{
    const struct deneb_token *token = &file->token;
    double number = 0;
    bool stars = token->kind == DENEB_BARE && *token->start == '*';
    uint32_t value = stars ? LEGACY_STAR : LEGACY_WORD;
    if (deneb_is_number(token, true, &number))
        value = read_whole(token);
    if (!isfinite(number) || (stars && token->size > 1) || is_word_for_none(file))
        (void)deneb_number(file, true);
    else
        deneb_next(file);
    return value;
}

static bool add_token(struct legacy *legacy, uint32_t start, uint32_t value)
{
    if (!array_reserve(legacy->file->context, &legacy->tokens, &legacy->room, legacy->count + UINT64_C(1),
                       sizeof *legacy->tokens)) {
        legacy->file->status = CP_LIMIT;
        return false;
    }
    legacy->tokens[legacy->count++] = (struct legacy_token){start, value, 0, UINT32_MAX};
    legacy->stars += value == LEGACY_STAR;
    return true;
}

/* ---- tables ---- */

static bool is_number(uint32_t value)
{
    return value != LEGACY_STAR && value != LEGACY_WORD;
}

static void link_tokens(struct legacy *legacy)
{
    struct legacy_token *tokens = legacy->tokens;
    tokens[legacy->count].numbers_end = legacy->count;
    for (uint32_t i = legacy->count; i-- > 0;) {
        tokens[i].numbers_end = is_number(tokens[i].value) ? tokens[i + 1].numbers_end : i;
        tokens[i].equal_pair = tokens[i].value == tokens[i + 1].value ? i : tokens[i + 2].equal_pair;
    }
    legacy->work.visited += legacy->count;
}

/* Builds the tree with one leaf more than there are blocks. That leaf is as large as possible, so that each search
 * ends. */
static bool build_tree(struct legacy *legacy)
{
    uint32_t blocks = (legacy->count + BLOCK - 1) / BLOCK;
    uint32_t leaves = 1;
    while (leaves <= blocks)
        leaves *= 2;
    legacy->tree = memory_allocate_zeroed(legacy->file->context, 2 * (size_t)leaves, sizeof *legacy->tree);
    if (!legacy->tree) {
        legacy->file->status = CP_LIMIT;
        return false;
    }
    legacy->leaves = leaves;
    legacy->tree[leaves + blocks] = UINT32_MAX;
    for (uint32_t i = 0; i < legacy->count; i++) {
        uint32_t *largest = &legacy->tree[leaves + i / BLOCK];
        *largest = legacy->tokens[i].value > *largest ? legacy->tokens[i].value : *largest;
    }
    for (uint32_t node = leaves; node-- > 1;) {
        uint32_t left = legacy->tree[2 * (size_t)node], right = legacy->tree[2 * (size_t)node + 1];
        legacy->tree[node] = left > right ? left : right;
    }
    legacy->work.visited += legacy->count + (uint64_t)leaves;
    return true;
}

/* Returns the first leaf from this one on that is at least so large. */
static uint32_t find_block(struct legacy *legacy, uint32_t node, uint32_t least)
{
    for (;;) {
        for (; node % 2 == 0; legacy->work.visited++)
            node /= 2; /* to the largest one that begins here */
        if (legacy->tree[node] >= least)
            break;
        node++;
        legacy->work.visited++;
    }
    for (; node < legacy->leaves; legacy->work.visited++)
        node = 2 * node + (legacy->tree[2 * (size_t)node] < least);
    return node - legacy->leaves;
}

uint32_t deneb_find_value(struct legacy *legacy, uint32_t from, uint32_t least)
{
    uint32_t at = from;
    for (; at < legacy->count && at % BLOCK != 0; at++) {
        legacy->work.visited++;
        if (legacy->tokens[at].value >= least)
            return at;
    }
    if (at < legacy->count)
        at = BLOCK * find_block(legacy, legacy->leaves + at / BLOCK, least);
    for (; at < legacy->count && legacy->tokens[at].value < least; at++)
        legacy->work.visited++;
    return at < legacy->count ? at : legacy->count;
}

/* ---- the file ---- */

static bool check_size(struct legacy *legacy)
{
    struct deneb_file *file = legacy->file;
    if (file->status == CP_OK && file->source->size >= UINT32_MAX)
        file->status = report_error(file->context, CP_LIMIT, "deneb-legacy-size", IN_FILE(file->source->name),
                                    "legacy part geometry of 4 GiB and more is not read");
    return file->status == CP_OK;
}

bool deneb_read_tokens(struct legacy *legacy)
{
    struct deneb_file *file = legacy->file;
    if (!check_size(legacy))
        return false;
    while (file->token.kind != DENEB_END) {
        uint32_t start = (uint32_t)(file->token.start - file->source->data), value = read_value(file);
        if (file->status == CP_OK && !add_token(legacy, start, value))
            return false;
        legacy->work.visited++;
    }
    for (int i = 0; i < 2 && file->status == CP_OK; i++)
        (void)add_token(legacy, (uint32_t)file->source->size, LEGACY_WORD);
    if (file->status != CP_OK)
        return false;
    legacy->count -= 2;
    link_tokens(legacy);
    return build_tree(legacy);
}

void deneb_free_tokens(struct legacy *legacy)
{
    cp_context *context = legacy->file->context;
    memory_free(context, legacy->tokens, legacy->room, sizeof *legacy->tokens);
    memory_free(context, legacy->tree, 2 * (size_t)legacy->leaves, sizeof *legacy->tree);
}

void deneb_print_words(const struct legacy_words *words, uint32_t detail, char *text, size_t size)
{
    if (words->after)
        (void)snprintf(text, size, "%s%" PRIu32 "%s", words->before, detail, words->after);
    else
        (void)snprintf(text, size, "%s", words->before);
}

struct place deneb_token_place(const struct legacy *legacy, uint32_t token)
{
    const struct source *source = legacy->file->source;
    return AT_LINE(source->name, source_line(source, legacy->tokens[token].start));
}
