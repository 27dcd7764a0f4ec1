/* Keeps the report: entries in the order of events, bounded for each code, with losses added up. */

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text/text.h"
#include "cellpipe_build.h"
#include "context.h"

/* The most entries of one code; all further ones are only counted, in the last entry. */
enum { ENTRIES_A_CODE = 100 };
/* The number of entries that there is always room for: one, and "out of memory" after it. */
enum { FEWEST_ENTRIES = 2 };

struct code_count {
    const char *code;
    uint32_t entries;
    uint32_t last; /* index of its last entry */
};

static const char *const severity_words[] = {"note", "loss", "warning", "error"};

/* Escapes what a terminal must not get from a file: line breaks and control characters in names. */
static const char *make_printable(struct arena *arena, const char *message)
{
    char character[CP_SHOWN_CHARACTER_SIZE];
    size_t size = 0, shown = 0;
    for (const char *at = message; at && (size = cp_print_shown_character(&at, character)) > 0;)
        shown += size;
    if (!message || shown == strlen(message))
        return message;
    char *text = arena_allocate(arena, shown + 1, 1), *out = text;
    for (const char *at = message; text && (size = cp_print_shown_character(&at, character)) > 0; out += size)
        memcpy(out, character, size);
    if (text)
        *out = '\0';
    return text;
}

/* Returns the message of `entry`. */
static const char *print_message(cp_context *context, const cp_entry *entry)
{
    struct arena *arena = context->report.texts;
    const char *file = entry->file && *entry->file ? entry->file : "cellpipe", *where = file;
    if (entry->line && entry->column)
        where = arena_print(arena, "%s:%llu:%llu", file, (unsigned long long)entry->line,
                            (unsigned long long)entry->column);
    else if (entry->line)
        where = arena_print(arena, "%s:%llu", file, (unsigned long long)entry->line);
    if (!where)
        return NULL;
    const char *word = severity_words[entry->severity];
    unsigned long long count = entry->count;
    const char *message;
    if (count > 1 && entry->severity == CP_LOSS)
        message = arena_print(arena, "%s: %s: %s (%llu)", where, word, entry->text, count);
    else if (count > 1)
        message = arena_print(arena, "%s: %s: %s (and %llu more like it)", where, word, entry->text, count - 1);
    else
        message = arena_print(arena, "%s: %s: %s", where, word, entry->text);
    return make_printable(arena, message);
}

static bool same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static const char *keep(cp_context *context, const char *text)
{
    return text ? arena_copy_text(context->report.texts, text, strlen(text)) : NULL;
}

static void add(cp_context *context, cp_entry entry, const struct place *place, const char *format, va_list list)
{
    struct report *report = &context->report;
    va_list again;
    va_copy(again, list);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = length < 0 ? NULL : arena_allocate(report->texts, 1, (size_t)length + 1);
    if (!text)
        return;
    (void)vsnprintf(text, (size_t)length + 1, format, list);
    entry.text = text;
    entry.file = place->file ? place->file : context->subject;
    entry.line = place->line;
    entry.column = place->column;
    entry.node = place->node;

    uint32_t number = 0; /* of its code */
    while (number < report->code_count && strcmp(report->codes[number].code, entry.code) != 0)
        number++;
    if (number == report->code_count) {
        if (!array_reserve(context, &report->codes, &report->code_room, (uint64_t)number + 1, sizeof *report->codes))
            return;
        report->codes[report->code_count++] = (struct code_count){.code = entry.code};
    }
    struct code_count *code = &report->codes[number];
    entry.code = code->code;
    /* The entry adds to an earlier loss of the same code, file and text; or, if the code has its most entries, to the
     * last of these. */
    cp_entry *old = code->entries >= ENTRIES_A_CODE ? &report->entries[code->last] : NULL;
    bool may_add = code->entries > 0 && !old && entry.severity == CP_LOSS;
    for (uint32_t i = report->entry_count; may_add && i-- > 0 && !old;) {
        cp_entry *earlier = &report->entries[i];
        if (earlier->code == code->code && same(earlier->file, entry.file) && same(earlier->text, entry.text))
            old = earlier;
    }
    if (old) {
        old->count += entry.count;
        const char *message = print_message(context, old);
        if (message)
            old->message = message;
        return;
    }
    if (!report_make_room(context))
        return;
    entry.file = keep(context, entry.file);
    entry.node = keep(context, entry.node);
    entry.message = print_message(context, &entry);
    if (!entry.message)
        return;
    code->entries++;
    code->last = report->entry_count;
    report->entries[report->entry_count++] = entry;
}

cp_status report_error(cp_context *context, cp_status status, const char *code, struct place place, const char *format,
                       ...)
{
    va_list list;
    va_start(list, format);
    add(context, (cp_entry){.severity = CP_ERROR, .code = code, .count = 1}, &place, format, list);
    va_end(list);
    return status;
}

void report_warning(cp_context *context, const char *code, struct place place, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    add(context, (cp_entry){.severity = CP_WARNING, .code = code, .count = 1}, &place, format, list);
    va_end(list);
}

void report_note(cp_context *context, const char *code, struct place place, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    add(context, (cp_entry){.severity = CP_NOTE, .code = code, .count = 1}, &place, format, list);
    va_end(list);
}

void report_loss(cp_context *context, const char *code, struct place place, uint64_t count, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    add(context, (cp_entry){.severity = CP_LOSS, .code = code, .count = count}, &place, format, list);
    va_end(list);
}

cp_status report_lenient(cp_context *context, bool strict, const char *code, struct place place, const char *format,
                         ...)
{
    va_list list;
    va_start(list, format);
    cp_severity severity = strict ? CP_ERROR : CP_WARNING;
    add(context, (cp_entry){.severity = severity, .code = code, .count = 1}, &place, format, list);
    va_end(list);
    return strict ? CP_INPUT : CP_OK;
}

void report_soften(cp_context *context, size_t from)
{
    struct report *report = &context->report;
    for (size_t i = from; i < report->entry_count; i++) {
        cp_entry *entry = &report->entries[i];
        if (entry->severity != CP_ERROR)
            continue;
        entry->severity = CP_WARNING;
        const char *message = print_message(context, entry);
        if (message)
            entry->message = message;
    }
}

/* Adds an entry of the caller's, whose strings are copied. */
static void add_copy(cp_context *context, const cp_entry *entry, const char *format, va_list list)
{
    struct place place = {.file = entry->file, .line = entry->line, .column = entry->column, .node = entry->node};
    cp_entry own = {.severity = entry->severity < CP_ERROR ? entry->severity : CP_ERROR,
                    .code = keep(context, entry->code), /* lives as long as the counts of codes */
                    .count = entry->count ? entry->count : 1};
    if (own.code)
        add(context, own, &place, format, list);
}

cp_status cp_report_error(cp_context *context, cp_status status, const char *code, const char *file, uint64_t line,
                          const char *format, ...)
{
    va_list list;
    va_start(list, format);
    add_copy(context, &(cp_entry){.severity = CP_ERROR, .code = code, .file = file, .line = line, .count = 1}, format,
             list);
    va_end(list);
    return status;
}

void cp_report_entry(cp_context *context, const cp_entry *entry, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    add_copy(context, entry, format, list);
    va_end(list);
}

cp_status report_unknown(cp_context *context, const char *code, const char *what, const char *word, size_t size,
                         const char *const *known)
{
    struct buffer text = {.context = context};
    buffer_append(&text, word, size);
    buffer_append(&text, "", 1);
    const char *unknown = text.failed ? "" : text.data;
    const char *nearest = nearest_word(unknown, known);
    cp_status status = nearest ? report_error(context, CP_USAGE, code, NOWHERE, "unknown %s \"%s\"; did you mean %s?",
                                              what, unknown, nearest)
                               : report_error(context, CP_USAGE, code, NOWHERE, "unknown %s \"%s\"", what, unknown);
    buffer_free(&text);
    return status;
}

bool report_make_room(cp_context *context)
{
    struct report *report = &context->report;
    return array_reserve(context, &report->entries, &report->entry_room, (uint64_t)report->entry_count + FEWEST_ENTRIES,
                         sizeof *report->entries);
}

/* Adds an error without taking memory: report_make_room keeps a place free for it. The entry's text is the part of
 * `message` after "error: ". */
static void add_last_entry(cp_context *context, const char *code, const char *message)
{
    struct report *report = &context->report;
    if (report->out_of_memory || report->entry_count >= report->entry_room)
        return;
    report->out_of_memory = true;
    report->entries[report->entry_count++] = (cp_entry){
        .severity = CP_ERROR, .code = code, .count = 1, .text = strstr(message, "error: ") + 7, .message = message};
}

void report_out_of_memory(cp_context *context)
{
    add_last_entry(context, "out-of-memory", "cellpipe: error: out of memory");
}

void report_memory_limit(cp_context *context)
{
    struct report *report = &context->report;
    if (!report->out_of_memory)
        (void)snprintf(report->memory_message, sizeof report->memory_message,
                       "cellpipe: error: out of memory: more than %llu bytes (--limit memory=)",
                       (unsigned long long)context->limits.memory);
    add_last_entry(context, "out-of-memory", report->memory_message);
}

void report_cancelled(cp_context *context)
{
    add_last_entry(context, "cancelled", "cellpipe: error: cancelled");
}

size_t report_loss_count(const cp_context *context)
{
    const struct report *report = &context->report;
    size_t losses = 0;
    for (uint32_t i = 0; i < report->entry_count; i++)
        losses += report->entries[i].severity == CP_LOSS;
    return losses;
}

void report_free(cp_context *context)
{
    struct report *report = &context->report;
    memory_free(context, report->entries, report->entry_room, sizeof *report->entries);
    memory_free(context, report->codes, report->code_room, sizeof *report->codes);
    arena_free(report->texts);
}

const cp_entry *cp_report(const cp_context *context, size_t *count)
{
    if (count)
        *count = context->report.entry_count;
    return context->report.entries;
}

void report_clear(cp_context *context)
{
    struct report *report = &context->report;
    size_t room = report->entry_room * sizeof *report->entries, least = FEWEST_ENTRIES * sizeof *report->entries;
    void *fewer = room > least ? memory_resize(context, report->entries, room, least) : NULL;
    if (fewer) {
        report->entries = fewer;
        report->entry_room = FEWEST_ENTRIES;
    }
    memory_free(context, report->codes, report->code_room, sizeof *report->codes);
    report->codes = NULL;
    arena_clear(report->texts);
    report->entry_count = report->code_count = report->code_room = 0;
    report->out_of_memory = false;
}
