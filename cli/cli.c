/* Memory, messages and the report of one run. */
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct block {
    struct block *next;
    max_align_t bytes[];
};

void *cli_allocate(struct cli *cli, size_t size)
{
    struct block *block = size > SIZE_MAX / 2 ? NULL : calloc(1, sizeof *block + size);
    if (!block) {
        (void)complain(cli, CP_LIMIT, "out of memory");
        return NULL;
    }
    block->next = cli->blocks;
    cli->blocks = block;
    return block->bytes;
}

void cli_free(struct cli *cli)
{
    while (cli->blocks) {
        struct block *next = cli->blocks->next;
        free(cli->blocks);
        cli->blocks = next;
    }
}

/* Writes the text for a terminal to `out`, which has room for CP_SHOWN_CHARACTER_SIZE bytes for each byte of the text,
 * and the end. */
static char *show_text(const char *text, char *out)
{
    char *end = out;
    for (size_t size; (size = cp_print_shown_character(&text, end)) > 0;)
        end += size;
    *end = '\0';
    return out;
}

char *cli_print(struct cli *cli, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int size = vsnprintf(NULL, 0, format, list);
    va_end(list);
    char *text = size < 0 ? NULL : cli_allocate(cli, (size_t)size + 1);
    va_start(list, format);
    if (text)
        (void)vsnprintf(text, (size_t)size + 1, format, list);
    va_end(list);
    return text;
}

char *cli_show(struct cli *cli, const char *format, ...)
{
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    int size = vsnprintf(NULL, 0, format, list);
    char *text = size < 0 ? NULL : cli_allocate(cli, (size_t)size + 1);
    char *shown = text ? cli_allocate(cli, CP_SHOWN_CHARACTER_SIZE * (size_t)size + 1) : NULL;
    if (shown)
        (void)vsnprintf(text, (size_t)size + 1, format, again);
    va_end(again);
    va_end(list);
    return shown ? show_text(text, shown) : NULL;
}

void print_shown(FILE *file, const char *text)
{
    char character[CP_SHOWN_CHARACTER_SIZE];
    size_t size;
    do {
        size_t plain = 0;
        while (text[plain] >= ' ' && text[plain] < 0x7f)
            plain++;
        (void)fwrite(text, 1, plain, file);
        text += plain;
        size = cp_print_shown_character(&text, character);
        (void)fwrite(character, 1, size, file);
    } while (size > 0);
}

void say(struct cli *cli, const char *format, ...)
{
    char room[512], *text = room;
    va_list list;
    va_start(list, format);
    int size = vsnprintf(room, sizeof room, format, list);
    va_end(list);
    va_start(list, format);
    if (size >= (int)sizeof room && (text = malloc((size_t)size + 1)))
        (void)vsnprintf(text, (size_t)size + 1, format, list);
    va_end(list);
    if (text)
        print_shown(stdout, text);
    else
        cli->untold = true;
    if (text != room)
        free(text);
}

/* A grown list keeps its old array until the end, as command lines are short. */
bool list_add(struct cli *cli, struct list *list, const char *item)
{
    if (list->count == list->room) {
        size_t room = list->room ? 2 * list->room : 8;
        const char **items = cli_allocate(cli, room * sizeof *items);
        if (!items)
            return false;
        if (list->count)
            memcpy(items, list->items, list->count * sizeof *items);
        list->items = items;
        list->room = room;
    }
    list->items[list->count++] = item;
    return true;
}

bool list_has(const struct list *list, const char *item)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i], item) == 0)
            return true;
    return false;
}

static struct short_number rounded_number(double value, int digits)
{
    struct short_number number;
    (void)snprintf(number.text, sizeof number.text, "%.*g", digits, value);
    char *comma = strchr(number.text, ',');
    if (comma)
        *comma = '.';
    return number;
}

struct short_number short_number(double value)
{
    return rounded_number(value, 6);
}

struct short_number long_number(double value)
{
    return rounded_number(value, 12);
}

/* ---- the report ---- */

static const char *const severity_words[] = {"note", "loss", "warning", "error"};

static void log_entry(struct cli *cli, const cp_entry *entry)
{
    if (cli->listener)
        cli->listener->hear(cli->listener, entry);
    cli->told_error |= entry->severity == CP_ERROR;
    if (strcmp(entry->code, "sink-kept") == 0) /* the report would replace an output */
        cli->report_path = NULL;
    if (!cli->log.file)
        return;
    cp_json json = json_in_file(cli->log.file);
    json.depth = 2;
    json.comma = cli->log_comma;
    cp_json_open(&json, NULL, '{');
    cp_json_text(&json, "severity", severity_words[entry->severity]);
    cp_json_text(&json, "code", entry->code);
    cp_json_text(&json, "file", entry->file);
    cp_json_count_or_null(&json, "line", entry->line);
    cp_json_count_or_null(&json, "column", entry->column);
    cp_json_text(&json, "node", entry->node);
    cp_json_count(&json, "count", entry->count);
    cp_json_text(&json, "text", entry->text);
    cp_json_text(&json, "message", entry->message);
    cp_json_close(&json, '}');
    cli->log_comma = true;
}

void flush_report(struct cli *cli, cp_status status)
{
    size_t count;
    const cp_entry *entries = cp_report(cli->context, &count);
    clear_progress(cli);
    bool follows_error = false; /* notes right behind an error belong to it */
    for (size_t i = 0; i < count; i++) {
        cp_severity severity = entries[i].severity;
        follows_error = severity == CP_ERROR || (severity == CP_NOTE && follows_error);
        /* Losses that ended the program under --strict are shown even with --quiet. */
        bool chatter = severity == CP_WARNING || (severity == CP_LOSS && status != CP_LOSSY);
        bool shown = severity == CP_NOTE ? cli->verbose || follows_error : !chatter || !cli->quiet;
        /* A cancelled call needs no message. Other endings have one, even if bytes of the file were missing. */
        bool hidden = must_stop(NULL) && (was_interrupted() || status == CP_CANCELLED);
        if (shown && !hidden)
            fprintf(cli->messages, "%s\n", entries[i].message);
        log_entry(cli, &entries[i]);
    }
    if (cli->listener) {
        const cp_file *files = cp_files(cli->context, &count);
        cli->listener->take_files(cli->listener, files, count);
    }
    cp_report_clear(cli->context);
}

cp_status complain(struct cli *cli, cp_status status, const char *format, ...)
{
    char text[2048] = "", message[32 + CP_SHOWN_CHARACTER_SIZE * sizeof text] = "cellpipe: error: ";
    va_list list;
    va_start(list, format);
    (void)vsnprintf(text, sizeof text, format, list);
    va_end(list);
    (void)show_text(text, message + strlen(message));
    clear_progress(cli);
    if (!was_interrupted())
        fprintf(cli->messages, "%s\n", message);
    log_entry(cli, &(cp_entry){.severity = CP_ERROR, .code = "cli", .count = 1, .text = text, .message = message});
    return status;
}

void log_fault(struct cli *cli, const char *code, const char *file, const char *text, const char *message)
{
    cp_entry entry = {.severity = CP_WARNING, .code = code, .file = file, .count = 1, .text = text, .message = message};
    log_entry(cli, &entry);
}

const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

cp_status complain_unknown(struct cli *cli, const char *what, const char *word, const char *const *known)
{
    const char *nearest = known ? cp_nearest_word(word, known) : NULL;
    if (nearest)
        return complain(cli, CP_USAGE, "unknown %s \"%s\"; did you mean %s?", what, word, nearest);
    return complain(cli, CP_USAGE, "unknown %s \"%s\"", what, word);
}

cp_status complain_missing(struct cli *cli, const char *what, const char *word, const char *const *known)
{
    enum { HANDFUL = 5 };
    const char *list = "";
    size_t named = 0;
    if (cp_nearest_word(word, known))
        return complain_unknown(cli, what, word, known);
    for (; named < HANDFUL && known[named] && list; named++)
        list = cli_print(cli, "%s%s\"%.100s\"", list, named > 0 ? ", " : "", known[named]);
    if (!list)
        return CP_LIMIT;
    return complain(cli, CP_USAGE, "unknown %s \"%s\"; there are %s%s%s", what, word, named > 0 ? "" : "none", list,
                    named > 0 && known[named] ? ", ..." : "");
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat in_a, in_b;
    if (strcmp(a, b) == 0)
        return true;
    return stat(a, &in_a) == 0 && stat(b, &in_b) == 0 && S_ISREG(in_a.st_mode) && in_a.st_dev == in_b.st_dev &&
           in_a.st_ino == in_b.st_ino;
}

cp_status check_report_path(struct cli *cli)
{
    const char *path = cli->report_path;
    if (path && strcmp(path, "-") == 0) {
        cli->report_path = NULL;
        return complain(cli, CP_USAGE, "--report needs a file: standard output carries the result");
    }
    for (size_t i = 0; path && i < cli->words.count; i++)
        if (is_same_file(path, cli->words.items[i])) {
            cli->report_path = NULL;
            return complain(cli, CP_USAGE, "--report %s: the command names that file too", path);
        }
    return path ? cp_keep_path(cli->context, path) : CP_OK;
}

cp_status check_report_unread(struct cli *cli)
{
    const char *path = cli->report_path;
    if (!path || !cp_was_read(cli->context, path))
        return CP_OK;
    cli->report_path = NULL;
    return complain(cli, CP_USAGE, "--report %s: is an input", path);
}

/* Prints the whole report; false when out of memory. */
static bool print_report(struct cli *cli, cp_status status, struct printed_text *report)
{
    if (!text_close(&cli->log) || !text_open(report))
        return false;
    cp_json json = json_in_file(report->file);
    cp_json_open(&json, NULL, '{');
    cp_json_text(&json, "cellpipe", CP_VERSION);
    cp_json_text(&json, "command", cli->words.count ? cli->words.items[0] : NULL);
    cp_json_count(&json, "status", (uint64_t)status);
    cp_json_open(&json, "entries", '[');
    fputs(cli->log.bytes, report->file);
    json.comma = cli->log_comma;
    cp_json_close(&json, ']');
    cp_json_close(&json, '}');
    fputs("\n", report->file);
    return text_close(report);
}

cp_status write_report(struct cli *cli, cp_status status)
{
    struct printed_text report = {0};
    cp_status written = CP_OK;
    if (cli->log.file && cli->report_path) {
        /* The report is written as all outputs are: whole or not at all, and over no file of this run. */
        written = print_report(cli, status, &report)
                      ? cp_write_file(cli->context, cli->report_path, report.bytes, report.size)
                      : complain(cli, CP_LIMIT, "out of memory");
        flush_report(cli, written);
    }
    text_free(&report);
    text_free(&cli->log);
    bool answered = status == CP_OK || status == CP_NO;
    return answered && written != CP_OK ? written : status;
}

cp_status finish_stdout(struct cli *cli)
{
    if (cli->untold)
        return complain(cli, CP_LIMIT, "out of memory");
    if (fflush(stdout) == 0 && !ferror(stdout))
        return CP_OK;
    return complain(cli, CP_OUTPUT, "standard output cannot be written: %s", strerror(errno));
}
