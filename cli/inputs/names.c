/* Names the outputs, and refuses those that cannot all be written. */
#include "names.h"

#include <limits.h>
#include <stdlib.h>

enum { MOST_SHOWN = 20, LONGEST_NAME = 255 };
#ifndef PATH_MAX
#define PATH_MAX 4096
#endif

/* Returns the bytes of the name without its suffix, if that is one of a format. */
static size_t short_size(const char *name)
{
    size_t size = strlen(name), end = size, shorter = size;
    if (end > 3 && text_ends_nocase(name, ".gz"))
        end -= 3;
    int dots = 0; /* a suffix has one or two, as .wc.xml */
    for (size_t at = end; at-- > 1 && name[at] != '/' && dots < 2;)
        if (name[at] == '.') {
            char suffix[16];
            if (end - at >= sizeof suffix || name[at - 1] == '/')
                break;
            memcpy(suffix, name + at, end - at);
            suffix[end - at] = '\0';
            shorter = importer_named(suffix) ? at : shorter;
            dots++;
        }
    return shorter;
}

static size_t named_size(const struct naming *naming, const char *name)
{
    return naming->is_short ? short_size(name) : strlen(name);
}

const char *output_name(struct arena *arena, const struct naming *naming, const struct entry *entry)
{
    if (naming->by_key)
        return arena_print(arena, "%016llx%016llx%s", (unsigned long long)entry->scan->hash.high,
                           (unsigned long long)entry->scan->hash.low, naming->suffix);
    size_t size = named_size(naming, entry->name), suffix_size = strlen(naming->suffix);
    char *out = arena_allocate(arena, size + suffix_size + 1, 1);
    if (!out)
        return NULL;
    memcpy(out, entry->name, size);
    memcpy(out + size, naming->suffix, suffix_size + 1);
    return out;
}

const char *output_path(struct arena *arena, const struct naming *naming, const struct entry *entry)
{
    const char *name = output_name(arena, naming, entry);
    return name ? join_path(arena, naming->folder, name) : NULL;
}

const char *output_stem(struct arena *arena, const struct entry *entry)
{
    return arena_copy_text(arena, entry->name, short_size(entry->name));
}

/* ---- names that meet ---- */

/* An output, before it has a suffix: the first bytes of the name. */
struct named {
    const struct entry *entry;
    size_t size;
};

static unsigned char lower(char c)
{
    return (unsigned char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static int compare_bytes(const struct named *a, const struct named *b, bool in_case)
{
    const char *first = a->entry->name, *second = b->entry->name;
    size_t size = a->size < b->size ? a->size : b->size;
    for (size_t i = 0; i < size; i++)
        if (in_case ? first[i] != second[i] : lower(first[i]) != lower(second[i]))
            return in_case ? (unsigned char)first[i] - (unsigned char)second[i]
                           : (int)lower(first[i]) - (int)lower(second[i]);
    return a->size != b->size ? (a->size < b->size ? -1 : 1) : 0;
}

/* Orders outputs so that equal names are neighbours, and those that differ in letter case are near. */
static int compare_named(const void *a, const void *b)
{
    int order = compare_bytes(a, b, false);
    return order ? order : compare_bytes(a, b, true);
}

struct meeting {
    struct cli *cli;
    const struct naming *naming;
    struct named *items; /* sorted */
    uint32_t count, clashes;
    struct arena *arena; /* for messages and searches */
};

/* Returns the first with that name, which has a suffix; NULL: none has it. */
static const struct named *find_named(const struct meeting *meeting, const char *name)
{
    size_t size = strlen(name), suffix_size = strlen(meeting->naming->suffix);
    if (size < suffix_size || strcmp(name + size - suffix_size, meeting->naming->suffix) != 0)
        return NULL;
    const struct entry entry = {.name = name};
    const struct named key = {&entry, size - suffix_size};
    uint32_t low = 0, high = meeting->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (compare_named(&meeting->items[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < meeting->count && compare_named(&meeting->items[low], &key) == 0 ? &meeting->items[low] : NULL;
}

static bool may_tell(struct meeting *meeting)
{
    return meeting->clashes++ < MOST_SHOWN;
}

static const char *shown_path(struct meeting *meeting, const struct entry *entry)
{
    const char *path = entry_path(meeting->arena, entry);
    return path ? path : entry->name;
}

static const char *shown_output(struct meeting *meeting, const struct entry *entry)
{
    const char *path = output_path(meeting->arena, meeting->naming, entry);
    return path ? path : entry->name;
}

/* Reports two inputs with one output. */
static void tell_equal_outputs(struct meeting *meeting)
{
    const char *advice =
        meeting->naming->is_short ? "; without --short-names they differ" : "; --root DIR keeps their folders apart";
    for (uint32_t i = 1; i < meeting->count; i++) {
        const struct named *first = &meeting->items[i - 1], *second = &meeting->items[i];
        if (compare_named(first, second) == 0 && may_tell(meeting))
            (void)complain(meeting->cli, CP_USAGE, "%s and %s would both be written to %s%s",
                           shown_path(meeting, first->entry), shown_path(meeting, second->entry),
                           shown_output(meeting, second->entry), advice);
    }
}

/* Reports outputs that are other inputs: those are below the output folder. */
static cp_status tell_replaced_inputs(struct meeting *meeting, const struct entries *entries)
{
    for (uint32_t i = 0; i < entries->count; i++) {
        arena_clear(meeting->arena);
        const char *path = entry_path(meeting->arena, &entries->items[i]);
        if (!path)
            return CP_LIMIT;
        const char *name = path_below(path, meeting->naming->folder);
        const struct named *other = name ? find_named(meeting, name) : NULL;
        if (other && may_tell(meeting))
            (void)complain(meeting->cli, CP_USAGE, "the output of %s would replace the input %s",
                           shown_path(meeting, other->entry), path);
    }
    return CP_OK;
}

/* Reports an output that has the name of a folder of other outputs. */
static void tell_folders(struct meeting *meeting)
{
    size_t suffix_size = strlen(meeting->naming->suffix);
    char folder[PATH_MAX] = "";
    for (uint32_t i = 0; i < meeting->count; i++) {
        const struct entry *entry = meeting->items[i].entry;
        const char *last = strrchr(entry->name, '/');
        size_t size = last ? (size_t)(last - entry->name) : 0;
        if (size == 0 || size >= sizeof folder || (strlen(folder) == size && memcmp(folder, entry->name, size) == 0))
            continue; /* its folders were checked with the output before */
        memcpy(folder, entry->name, size);
        folder[size] = '\0';
        for (size_t at = size; at > 0; at--) {
            if (at < size && entry->name[at] != '/')
                continue;
            folder[at] = '\0';
            const struct named *other = at > suffix_size ? find_named(meeting, folder) : NULL;
            if (other && may_tell(meeting))
                (void)complain(
                    meeting->cli, CP_USAGE, "the output of %s would be %s, which is a folder of the output of %s",
                    shown_path(meeting, other->entry), shown_output(meeting, other->entry), shown_path(meeting, entry));
        }
        memcpy(folder, entry->name, size);
    }
}

static void warn_of_case(struct meeting *meeting)
{
    uint32_t pairs = 0, first = 0;
    for (uint32_t i = 1; i < meeting->count; i++)
        if (compare_bytes(&meeting->items[i - 1], &meeting->items[i], false) == 0)
            first = pairs++ == 0 ? i : first;
    const char *text =
        pairs ? cli_print(meeting->cli,
                          "%s and %s%s differ in letter case alone: a disk that ignores it cannot "
                          "hold both",
                          shown_output(meeting, meeting->items[first - 1].entry),
                          shown_output(meeting, meeting->items[first].entry), pairs > 1 ? " and others" : "")
              : NULL;
    if (text)
        warn(meeting->cli, "batch-case", NULL, 0, text);
}

/* Tells whether the names are sorted already, as those of one folder mostly are: sorting takes as much memory again. */
static bool is_sorted(const struct meeting *meeting)
{
    for (uint32_t i = 1; i < meeting->count; i++)
        if (compare_named(&meeting->items[i - 1], &meeting->items[i]) > 0)
            return false;
    return true;
}

/* Sets the fault of an entry whose output's name the system would refuse. False when out of memory. */
static bool check_length(struct entries *entries, struct entry *entry, const struct naming *naming, size_t size)
{
    const char *fault = NULL;
    const char *slash = strrchr(entry->name, '/');
    size_t folder = slash ? (size_t)(slash - entry->name) + 1 : 0, suffix_size = strlen(naming->suffix);
    if (size - folder + suffix_size > LONGEST_NAME)
        fault = "the output's name would be longer than 255 bytes";
    else if (strlen(naming->folder) + 1 + size + suffix_size >= PATH_MAX)
        fault = "the output's path would be too long";
    return !fault || entries_set_fault(entries, entry, fault);
}

cp_status check_names(struct cli *cli, struct entries *entries, const struct naming *naming)
{
    struct meeting meeting = {.cli = cli, .naming = naming, .arena = arena_new(cli->context)};
    meeting.items = memory_allocate(cli->context, entries->count, sizeof *meeting.items);
    cp_status status = meeting.items && meeting.arena ? CP_OK : CP_LIMIT;
    for (uint32_t i = 0; i < entries->count && status == CP_OK; i++) {
        struct entry *entry = &entries->items[i];
        size_t size = named_size(naming, entry->name);
        if (!entry_fault(entry) && !check_length(entries, entry, naming, size))
            status = CP_LIMIT;
        if (!entry_fault(entry))
            meeting.items[meeting.count++] = (struct named){entry, size};
    }
    if (!is_sorted(&meeting))
        qsort(meeting.items, meeting.count, sizeof *meeting.items, compare_named);
    if (status == CP_OK) {
        tell_equal_outputs(&meeting);
        status = tell_replaced_inputs(&meeting, entries);
        tell_folders(&meeting);
        if (meeting.clashes == 0)
            warn_of_case(&meeting);
    }
    arena_free(meeting.arena);
    memory_free(cli->context, meeting.items, entries->count, sizeof *meeting.items);
    if (status == CP_OK && meeting.clashes > 0)
        status = complain(cli, CP_USAGE, "%lu outputs have no name of their own: nothing was written",
                          (unsigned long)meeting.clashes);
    return status;
}
