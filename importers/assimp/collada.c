/* Whether the accessors of a Collada file stay within their arrays. assimp compares an index with the accessor's count
 * alone, and reads what lies in memory behind the array.
 *
 * COLLADA 1.4.1, "accessor": element i of the array with the id `source` begins at offset + i * stride; its <param>s
 * are the numbers from there on. */
#include "assimp.h"

#ifdef HAVE_ASSIMP

#include <string.h>

struct scan {
    const struct source *source;
    struct arena *arena;
    struct name_map arrays; /* ids to numbers of values */
    const char *at, *end;   /* at: behind the name of a tag */
};

/* Goes on to the next tag; true if it has that name. At the end `at` is `end`. */
static bool next_tag(struct scan *scan, const char *name)
{
    size_t size = strlen(name);
    const char *tag = memchr(scan->at, '<', (size_t)(scan->end - scan->at));
    scan->at = tag ? tag + 1 : scan->end;
    if ((size_t)(scan->end - scan->at) <= size || memcmp(scan->at, name, size) != 0 || !is_blank(scan->at[size]))
        return false;
    scan->at += size;
    return true;
}

/* A whole number; `missing` where the tag has no such attribute, or none that is one. */
static uint64_t number_of(const struct scan *scan, const char *name, uint64_t missing)
{
    size_t size;
    double number;
    const char *text = find_attribute(scan->at, scan->end, name, &size);
    if (!text || !parse_double(text, text + size, &number) || !(number >= 0 && number <= (double)UINT32_MAX))
        return missing;
    return (uint64_t)number;
}

static bool note_arrays(struct scan *scan)
{
    scan->at = scan->source->data;
    while (scan->at < scan->end) {
        size_t size;
        if (!next_tag(scan, "float_array"))
            continue;
        const char *id = find_attribute(scan->at, scan->end, "id", &size);
        const char *key = id ? arena_copy_text(scan->arena, id, size) : NULL;
        if (id && (!key || !name_map_add(&scan->arrays, key, (uint32_t)number_of(scan, "count", 0), NULL)))
            return false;
    }
    return true;
}

/* After the tag of an accessor. */
static cp_status check_accessor(struct scan *scan)
{
    size_t size;
    const char *id = find_attribute(scan->at, scan->end, "source", &size);
    const uint32_t *known = id && size > 0 && *id == '#' ? name_map_find_sized(&scan->arrays, id + 1, size - 1) : NULL;
    uint64_t count = number_of(scan, "count", 0), stride = number_of(scan, "stride", 1), params = 0;
    uint64_t first = number_of(scan, "offset", 0) + (count > 0 ? count - 1 : 0) * stride;
    const char *tag = scan->at, *behind = tag;
    for (; next_tag(scan, "param"); behind = scan->at)
        params++;
    scan->at = behind;
    uint64_t needed = first + (params > stride ? params : stride);
    if (!known || count == 0 || needed <= *known)
        return CP_OK;
    return report_error(scan->source->context, CP_INPUT, "assimp-collada",
                        AT_LINE(scan->source->name, source_line(scan->source, (size_t)(tag - scan->source->data))),
                        "the accessor of %llu elements needs %llu numbers, and its array has %u",
                        (unsigned long long)count, (unsigned long long)needed, (unsigned)*known);
}

cp_status check_collada(const struct source *source, struct arena *arena)
{
    struct scan scan = {
        .source = source, .arena = arena, .arrays = {.context = source->context}, .end = source->data + source->size};
    if (!text_ends_nocase(source->name, ".dae"))
        return CP_OK;
    cp_status status = note_arrays(&scan) ? CP_OK : CP_LIMIT;
    for (scan.at = source->data; scan.at < scan.end && status == CP_OK;)
        if (next_tag(&scan, "accessor"))
            status = check_accessor(&scan);
    name_map_free(&scan.arrays);
    return status;
}

#endif
