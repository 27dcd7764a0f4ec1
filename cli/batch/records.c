/* Reads status files into one table, and merges many of them into one. */
#include "records.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_WARNED = 20, MOST_TRIES = 10, WRITE_FROM = 1 << 20 };

/* ---- which record holds ---- */

static bool is_good(const struct record *record)
{
    return record->state < STATE_FAILED;
}

static bool is_same_version(const struct record *a, const struct record *b)
{
    if (!hash_is_zero(a->key) && !hash_is_zero(b->key))
        return hash_equals(a->key, b->key);
    return a->input_count > 0 && b->input_count > 0 && !a->inputs[0].missing && !b->inputs[0].missing &&
           a->inputs[0].size == b->inputs[0].size && a->inputs[0].modified == b->inputs[0].modified;
}

/* Returns the record that counts of two of one input, the later one given second. */
static struct record *later_record(struct record *before, struct record *after)
{
    if (after->state == STATE_SKIPPED && before->state == STATE_OK) {
        if (hash_equals(before->key, after->key)) /* the same text may name another file in another folder */
            before->cwd = after->cwd;
        if (after->input_count > 0 && hash_equals(before->key, after->key)) { /* touched: takes the newer sizes and
                                                                               * times */
            before->inputs = after->inputs;
            before->input_count = after->input_count;
            before->outputs = after->outputs;
            before->output_count = after->output_count;
        }
        return before;
    }
    return !is_good(after) && is_good(before) && is_same_version(before, after) ? before : after;
}

/* Orders records by input, time and text. */
static int compare_records(const void *a, const void *b)
{
    const struct record *first = *(const struct record *const *)a, *second = *(const struct record *const *)b;
    int order = strcmp(first->in, second->in);
    if (order != 0 || first->time != second->time)
        return order ? order : first->time < second->time ? -1 : 1;
    /* Such ties are rare, but the result must not depend on the order of files. */
    if (first->state != second->state)
        return first->state < second->state ? -1 : 1;
    const uint64_t keys[2][4] = {{first->key.high, first->key.low, first->out_hash.high, first->out_hash.low},
                                 {second->key.high, second->key.low, second->out_hash.high, second->out_hash.low}};
    for (int i = 0; i < 4; i++)
        if (keys[0][i] != keys[1][i])
            return keys[0][i] < keys[1][i] ? -1 : 1;
    order = strcmp(first->host, second->host);
    if (order == 0)
        order = strcmp(first->message, second->message);
    if (order == 0 && first->ms != second->ms)
        order = first->ms < second->ms ? -1 : 1;
    return order ? order : first->attempt != second->attempt ? (first->attempt < second->attempt ? -1 : 1) : 0;
}

/* ---- one text, two folders ---- */

/* Finds the absolute paths at which the record's run has found its input and output. False when out of memory. */
static bool find_places(const struct records *records, const struct record *record, char *places[2])
{
    const char *const paths[2] = {record->in, record->out};
    for (int i = 0; i < 2; i++) {
        places[i] = whole_path(records->arena, record->cwd, paths[i]);
        if (!places[i])
            return false;
        resolve_dots(places[i]);
    }
    return true;
}

static bool add_text(struct records *records, struct list *list, const char *text)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i], text) == 0)
            return true;
    const char **items = arena_allocate(records->arena, list->count + 1, sizeof *items);
    if (!items)
        return false;
    for (size_t i = 0; i < list->count; i++)
        items[i] = list->items[i];
    items[list->count] = text;
    *list = (struct list){.items = items, .count = list->count + 1, .room = list->count + 1};
    return true;
}

/* Chooses as later_record does. In two folders a text may name two files: if both have one output, the chosen record
 * names both. Returns NULL when out of memory. */
static struct record *settle_two(struct records *records, struct record *before, struct record *after)
{
    char *places[2][2];
    const char *cwd = before->cwd;
    if (strcmp(cwd, after->cwd) == 0 && before->also.count + after->also.count == 0)
        return later_record(before, after);
    bool good = true, known = *cwd == '/' && *after->cwd == '/';
    if (known)
        good = find_places(records, before, places[0]) && find_places(records, after, places[1]);
    struct record *left = later_record(before, after), *other = left == before ? after : before;
    if (!good || !known || strcmp(places[0][1], places[1][1]) != 0)
        return good ? left : NULL;
    for (size_t i = 0; i < other->also.count && good; i++)
        good = add_text(records, &left->also, other->also.items[i]);
    if (good && strcmp(places[0][0], places[1][0]) != 0)
        good = add_text(records, &left->also, places[strcmp(left->cwd, cwd) == 0][0]);
    return good ? left : NULL;
}

static cp_status settle(struct records *records)
{
    uint32_t kept = 0;
    if (records->count > 1)
        qsort(records->items, records->count, sizeof *records->items, compare_records);
    for (uint32_t i = 0; i < records->count; i++) {
        struct record *record = records->items[i], **last = kept ? &records->items[kept - 1] : NULL;
        if (!last || strcmp((*last)->in, record->in) != 0)
            records->items[kept++] = record;
        else if (!(*last = settle_two(records, *last, record)))
            return CP_LIMIT;
    }
    records->count = kept;
    return CP_OK;
}

static int compare_path(const void *path, const void *record)
{
    return strcmp(path, (*(const struct record *const *)record)->in);
}

const struct record *records_find(const struct records *records, const char *in)
{
    struct record *const *found =
        records->count ? bsearch(in, records->items, records->count, sizeof *records->items, compare_path) : NULL;
    return found ? *found : NULL;
}

/* ---- reading ---- */

struct reading {
    struct cli *cli;
    struct records *records;
    cp_field_reader reader;
    struct name_map passed;
    const char *file;
    uint32_t broken; /* in this file */
};

static cp_status take_note(struct reading *reading, const struct run_note *note)
{
    struct records *records = reading->records;
    bool told = !*note->isolation || list_has(&records->isolations, note->isolation);
    if (!told && !list_add(reading->cli, &records->isolations, note->isolation))
        return CP_LIMIT;
    for (uint32_t i = 0; i < note->passed_count; i++) {
        bool added;
        const struct passed_over *passed = &note->passed_over[i];
        uint32_t *place = name_map_add(&reading->passed, passed->what, records->passed_count, &added);
        if (!place || !array_reserve(records->context, &records->passed_over, &records->passed_room,
                                     (uint64_t)records->passed_count + 1, sizeof *records->passed_over))
            return CP_LIMIT;
        if (added)
            records->passed_over[records->passed_count++] = *passed;
        else if (records->passed_over[*place].count < passed->count)
            records->passed_over[*place].count = passed->count;
    }
    return CP_OK;
}

static void warn_of_line(struct reading *reading, uint64_t line)
{
    reading->records->broken++;
    if (++reading->broken <= MOST_WARNED)
        warn(reading->cli, "status-line", reading->file, line,
             reading->broken == MOST_WARNED ? "is no record, and is left out; further ones are not told"
                                            : "is no record, and is left out");
}

/* Tells by the start of the line, as batch writes it, whether it is an input of another shard, whose lines are
 * skipped. */
static bool is_of_others(const struct entries *only, const char *text, size_t size)
{
    static const char start[] = "{\"in\":\"";
    const size_t begin = sizeof start - 1;
    char path[4096];
    const char *end =
        only && size > begin && memcmp(text, start, begin) == 0 ? memchr(text + begin, '"', size - begin) : NULL;
    size_t length = end ? (size_t)(end - text) - begin : 0;
    if (!end || length >= sizeof path || memchr(text + begin, '\\', length))
        return false;
    memcpy(path, text + begin, length);
    path[length] = '\0';
    return !entries_find(only, path);
}

static cp_status take_status_line(void *user, uint64_t line, const char *text, size_t size, bool whole)
{
    struct reading *reading = user;
    struct records *records = reading->records;
    struct record record;
    struct run_note note;
    records->torn += !whole;
    if (!whole || is_of_others(records->only, text, size))
        return CP_OK;
    cp_status status = record_parse(&reading->reader, text, size, &record);
    if (status == CP_OK && records->only && !entries_find(records->only, record.in))
        return CP_OK;
    if (status == CP_OK) {
        struct record *copy = arena_copy(records->arena, &record, 1, sizeof record);
        if (!copy || !array_reserve(records->context, &records->items, &records->room, (uint64_t)records->count + 1,
                                    sizeof *records->items))
            return CP_LIMIT;
        records->items[records->count++] = copy;
        return CP_OK;
    }
    if (status == CP_INPUT)
        status = run_note_take(&reading->reader, &note);
    if (status == CP_OK)
        return take_note(reading, &note);
    if (status == CP_INPUT)
        warn_of_line(reading, line);
    return status == CP_INPUT ? CP_OK : status;
}

/* Reads a status file. CP_INPUT with errno ENOENT: it is gone; any other error is reported. */
static cp_status read_status_file(struct reading *reading, const char *path)
{
    uint64_t line;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 && errno == ENOENT)
        return CP_INPUT;
    reading->file = path;
    reading->broken = 0;
    if (file >= 0 && reading->records->from > 0)
        (void)lseek(file, (off_t)reading->records->from, SEEK_SET);
    cp_status status =
        file < 0 ? CP_INPUT : read_lines(reading->cli->context, file, '\n', take_status_line, reading, &line);
    if (status == CP_INPUT) {
        status = complain(reading->cli, CP_INPUT, "%s cannot be read: %s", path, strerror(errno));
        errno = 0;
    }
    if (file >= 0)
        (void)close(file);
    reading->records->files++;
    return status;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Lists the names of the folder's status files, sorted. CP_INPUT: errno tells why. */
static cp_status list_status_files(struct cli *cli, const char *folder, struct list *names)
{
    DIR *members = opendir(folder);
    const struct dirent *member;
    *names = (struct list){0};
    if (!members)
        return CP_INPUT;
    bool good = true;
    while (good && (errno = 0, member = readdir(members))) {
        size_t size = strlen(member->d_name);
        if (size <= 6 || strcmp(member->d_name + size - 6, ".jsonl") != 0)
            continue;
        const char *name = cli_print(cli, "%s", member->d_name);
        good = name && list_add(cli, names, name);
    }
    int error = good ? errno : 0;
    (void)closedir(members);
    if (error != 0) {
        errno = error;
        return CP_INPUT;
    }
    if (names->count > 1)
        qsort(names->items, names->count, sizeof *names->items, compare_names);
    return good ? CP_OK : CP_LIMIT;
}

/* Reads the folder's status files. Other processes may merge them meanwhile: if one is gone, its records are in a new
 * one. */
static cp_status read_status_folder(struct reading *reading, const char *folder)
{
    struct cli *cli = reading->cli;
    struct list names;
    for (int tries = 0; tries < MOST_TRIES; tries++) {
        cp_status status = list_status_files(cli, folder, &names);
        if (status == CP_INPUT)
            return complain(cli, CP_INPUT, "the folder %s cannot be read: %s", folder, strerror(errno));
        for (size_t i = 0; i < names.count && status == CP_OK; i++) {
            const char *path = cli_print(cli, "%s/%s", folder, names.items[i]);
            status = path ? read_status_file(reading, path) : CP_LIMIT;
        }
        if (status != CP_INPUT || errno != ENOENT)
            return status;
    }
    return complain(cli, CP_INPUT, "the files in %s change all the time", folder);
}

cp_status records_read(struct cli *cli, const char *const *paths, size_t count, struct records *records)
{
    if (!records->context)
        records->context = cli->context;
    if (!records->arena && !(records->arena = arena_new(cli->context)))
        return CP_LIMIT;
    struct reading reading = {.cli = cli,
                              .records = records,
                              .reader = {.context = cli->context, .arena = records->arena},
                              .passed.context = cli->context};
    cp_status status = CP_OK;
    for (size_t i = 0; i < count && status == CP_OK; i++) {
        struct stat facts;
        const char *inside = cli_print(cli, "%s/.cellpipe/status", paths[i]);
        if (!inside)
            status = CP_LIMIT;
        else if (stat(paths[i], &facts) != 0)
            status = complain(cli, CP_INPUT, "%s cannot be read: %s", paths[i], strerror(errno));
        else if (S_ISDIR(facts.st_mode)) /* a folder without that one is itself a folder of status files */
            status = read_status_folder(&reading, stat(inside, &facts) != 0 && errno == ENOENT ? paths[i] : inside);
        else if ((status = read_status_file(&reading, paths[i])) == CP_INPUT && errno == ENOENT)
            status = complain(cli, CP_INPUT, "%s cannot be read: %s", paths[i], strerror(errno));
    }
    if (status == CP_OK)
        status = settle(records);
    sort_passed_over(records->passed_over, records->passed_count);
    if (records->isolations.count > 1)
        qsort(records->isolations.items, records->isolations.count, sizeof *records->isolations.items, compare_names);
    name_map_free(&reading.passed);
    cp_field_reader_free(&reading.reader);
    return status;
}

void records_forget_times(struct records *records)
{
    for (uint32_t i = 0; i < records->count; i++) {
        struct record *record = records->items[i];
        record->ms = record->cpu_ms = 0;
        record->time = record->max_rss = record->attempt = 0;
        record->host = "";
    }
    records->isolations.count = records->torn = 0;
}

void records_free(struct records *records)
{
    if (!records->context)
        return;
    memory_free(records->context, records->items, records->room, sizeof *records->items);
    memory_free(records->context, records->passed_over, records->passed_room, sizeof *records->passed_over);
    arena_free(records->arena);
    *records = (struct records){0};
}

/* ---- merging ---- */

static bool write_all(int file, struct buffer *text)
{
    size_t done = 0;
    while (done < text->size) {
        ssize_t more = write(file, text->data + done, text->size - done);
        if (more < 0 && errno == EINTR && !was_interrupted())
            continue;
        if (more <= 0)
            return false;
        done += (size_t)more;
    }
    text->size = 0;
    return !text->failed;
}

static bool write_records(struct cli *cli, int file, const struct records *records)
{
    struct buffer text = {.context = cli->context};
    struct run_note note = {.host = "", .isolation = ""};
    bool good = true;
    for (size_t i = 0; i < records->isolations.count || i == 0; i++) {
        note.isolation = i < records->isolations.count ? records->isolations.items[i] : "";
        note.passed_over = records->passed_over;
        note.passed_count = i == 0 ? records->passed_count : 0;
        run_note_print(&note, &text);
    }
    for (uint32_t i = 0; i < records->count && good; i++) {
        record_print(records->items[i], &text);
        good = !text.failed && (text.size < WRITE_FROM || write_all(file, &text));
    }
    good = good && write_all(file, &text) && fsync(file) == 0;
    buffer_free(&text);
    return good;
}

cp_status records_merge(struct cli *cli, const char *folder, uint32_t most, const char *name,
                        bool (*is_dead)(const void *user, const char *file), const void *user)
{
    struct list names;
    cp_status status = list_status_files(cli, folder, &names);
    if (status != CP_OK || names.count <= most || names.count < 2)
        return status == CP_INPUT ? CP_OK : status; /* nothing to merge if there is no folder */
    /* Merge nothing while a run goes on: a record that loses here might still win among those that it writes. */
    for (size_t i = 0; i < names.count; i++)
        if (!is_dead(user, names.items[i]))
            return CP_OK;
    struct records records = {0};
    struct list paths = {0};
    for (size_t i = 0; i < names.count && status == CP_OK; i++) {
        const char *path = cli_print(cli, "%s/%s", folder, names.items[i]);
        status = path && list_add(cli, &paths, path) ? CP_OK : CP_LIMIT;
    }
    const char *temporary = cli_print(cli, "%s/.cellpipe-%s-%016u", folder, name, 0u), /* as cp_sweep knows them */
        *merged = cli_print(cli, "%s/%s-merged.jsonl", folder, name);
    if (status == CP_OK && temporary && merged)
        status = records_read(cli, paths.items, paths.count, &records);
    int file =
        status == CP_OK && temporary && merged ? open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;
    bool good = file >= 0 && write_records(cli, file, &records);
    good = file >= 0 && close(file) == 0 && good && rename(temporary, merged) == 0;
    if (file >= 0 && !good)
        (void)unlink(temporary);
    for (size_t i = 0; i < paths.count && good; i++)
        (void)unlink(paths.items[i]);
    records_free(&records);
    return status;
}
