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

static unsigned char lower(char c)
{
    return (unsigned char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static int compare_nocase(const char *a, const char *b)
{
    while (*a && lower(*a) == lower(*b)) {
        a++;
        b++;
    }
    return (int)lower(*a) - (int)lower(*b);
}

/* Orders outputs so that equal paths are neighbours, and those that differ in letter case are near. */
static int compare_outputs(const void *a, const void *b)
{
    const struct entry *first = *(const struct entry *const *)a, *second = *(const struct entry *const *)b;
    int order = compare_nocase(first->out, second->out);
    if (order == 0)
        order = strcmp(first->out, second->out);
    return order ? order : strcmp(first->in, second->in);
}

/* Returns the first entry, in the order of compare_outputs, with that output; NULL: none has it. */
static const struct entry *find_output(const struct entry *const *sorted, uint32_t count, const char *out)
{
    const struct entry key = {.in = "", .out = out}, *wanted = &key;
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (compare_outputs(&sorted[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && strcmp(sorted[low]->out, out) == 0 ? sorted[low] : NULL;
}

/* Reports two inputs with one output, and one whose output is another's input. */
static uint32_t tell_equal_outputs(struct cli *cli, const struct entries *entries, const struct entry *const *sorted,
                                   uint32_t count, const char *advice)
{
    uint32_t clashes = 0;
    for (uint32_t i = 1; i < count; i++)
        if (strcmp(sorted[i]->out, sorted[i - 1]->out) == 0 && clashes++ < MOST_SHOWN)
            (void)complain(cli, CP_USAGE, "%s and %s would both be written to %s%s", sorted[i - 1]->in, sorted[i]->in,
                           sorted[i]->out, advice);
    for (uint32_t i = 0; i < entries->count; i++) {
        const struct entry *other = find_output(sorted, count, entries->items[i].in);
        if (other && clashes++ < MOST_SHOWN)
            (void)complain(cli, CP_USAGE, "the output of %s would replace the input %s", other->in, other->out);
    }
    return clashes;
}

/* Reports an output that has the name of a folder of other outputs. */
static uint32_t tell_folders(struct cli *cli, const struct entry *const *sorted, uint32_t count, const char *out_dir,
                             const char *suffix)
{
    uint32_t clashes = 0;
    size_t top = strlen(out_dir), suffix_size = strlen(suffix);
    char folder[PATH_MAX] = "";
    for (uint32_t i = 0; i < count; i++) {
        const char *out = sorted[i]->out, *last = strrchr(out, '/');
        size_t size = last ? (size_t)(last - out) : 0, same = strlen(folder);
        if (size <= top || size >= sizeof folder || (same == size && memcmp(folder, out, size) == 0))
            continue; /* its folders were checked with the output before */
        memcpy(folder, out, size);
        for (size_t at = size; at > top; at--) {
            if (out[at] != '/' || at < suffix_size || memcmp(out + at - suffix_size, suffix, suffix_size) != 0)
                continue;
            folder[at] = '\0';
            const struct entry *other = find_output(sorted, count, folder);
            if (other && clashes++ < MOST_SHOWN)
                (void)complain(cli, CP_USAGE, "the output of %s would be %s, which is a folder of the output of %s",
                               other->in, folder, sorted[i]->in);
        }
        memcpy(folder, out, size);
        folder[size] = '\0';
    }
    return clashes;
}

static void warn_of_case(struct cli *cli, const struct entry *const *sorted, uint32_t count)
{
    uint32_t pairs = 0, first = 0;
    for (uint32_t i = 1; i < count; i++)
        if (strcmp(sorted[i]->out, sorted[i - 1]->out) != 0 && compare_nocase(sorted[i]->out, sorted[i - 1]->out) == 0)
            first = pairs++ == 0 ? i : first;
    const char *text = pairs ? cli_print(cli,
                                         "%s and %s%s differ in letter case alone: a disk that ignores it cannot "
                                         "hold both",
                                         sorted[first - 1]->out, sorted[first]->out, pairs > 1 ? " and others" : "")
                             : NULL;
    if (text)
        warn(cli, "batch-case", NULL, 0, text);
}

static cp_status check_outputs(struct cli *cli, const struct entries *entries, const char *out_dir, const char *suffix,
                               bool short_names)
{
    const struct entry **sorted = memory_allocate(cli->context, entries->count, sizeof *sorted);
    uint32_t count = 0;
    if (!sorted)
        return CP_LIMIT;
    for (uint32_t i = 0; i < entries->count; i++)
        if (!entries->items[i].fault)
            sorted[count++] = &entries->items[i];
    if (count > 1)
        qsort(sorted, count, sizeof *sorted, compare_outputs);
    uint32_t clashes = tell_equal_outputs(cli, entries, sorted, count,
                                          short_names ? "; without --short-names they differ"
                                                      : "; --root DIR keeps their folders apart") +
                       tell_folders(cli, sorted, count, out_dir, suffix);
    if (clashes == 0)
        warn_of_case(cli, sorted, count);
    memory_free(cli->context, sorted, entries->count, sizeof *sorted);
    return clashes == 0 ? CP_OK
                        : complain(cli, CP_USAGE, "%lu outputs have no name of their own: nothing was written",
                                   (unsigned long)clashes);
}

cp_status name_outputs(struct cli *cli, struct entries *entries, const char *out_dir, const char *suffix,
                       bool short_names)
{
    const char *folder = normal_path(entries->arena, out_dir, strlen(out_dir));
    if (!folder)
        return CP_LIMIT;
    bool here = strcmp(folder, ".") == 0;
    size_t top = here ? 0 : strlen(folder), suffix_size = strlen(suffix);
    bool slash = !here && folder[top - 1] != '/';
    for (uint32_t i = 0; i < entries->count; i++) {
        struct entry *entry = &entries->items[i];
        size_t size = short_names ? short_size(entry->name) : strlen(entry->name);
        char *out = arena_allocate(entries->arena, top + slash + size + suffix_size + 1, 1);
        if (!out)
            return CP_LIMIT;
        memcpy(out, folder, top);
        out[top] = '/';
        memcpy(out + top + slash, entry->name, size);
        memcpy(out + top + slash + size, suffix, suffix_size + 1);
        entry->out = out;
        const char *last = strrchr(out, '/');
        if (entry->fault)
            continue;
        if (strlen(last ? last + 1 : out) > LONGEST_NAME)
            entry->fault = "the output's name would be longer than 255 bytes";
        else if (strlen(out) >= PATH_MAX)
            entry->fault = "the output's path would be too long";
    }
    return check_outputs(cli, entries, here ? "" : folder, suffix, short_names);
}
