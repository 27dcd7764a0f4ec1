/* The binary form, little-endian: 80 bytes of header, a 32-bit facet count, and facets of 50 bytes: normal, three
 * vertices (float32), 16 bits of attributes.
 *
 * The number of facets is the count if the file has so many bytes (more bytes are trailing). If all bytes are whole
 * facets and the count is smaller or 0xFFFFFFFF, it is that of the bytes: so write programs that cannot go back to the
 * header.
 *
 * After a power loss, blocks of a file may hold zero bytes alone: the whole file, its end, or some in between. Such
 * facets would be read as points at the origin. */
#include "stl.h"

#include <math.h>

#include "base/text/text.h"

enum {
    BATCH_FACETS = 1 << 14,
    DISK_BLOCK = 512 /* bytes: the smallest there is */
};

struct binary {
    struct stl_reader *reader;
    uint32_t facet_count;
    cp_status status;
};

/* Returns the first coordinate of a facet that is not finite, or 9. */
static int find_not_finite(const char *record)
{
    int value = 0;
    while (value < 9 && isfinite(stl_number(record + 12 + 4 * value)))
        value++;
    return value;
}

/* Reads a batch into its slot, up to a facet that is not finite. */
static void read_batch(void *user, uint32_t item, uint32_t slot)
{
    const struct binary *binary = user;
    struct stl_batch *batch = &binary->reader->batches[slot];
    uint32_t first = item * BATCH_FACETS, left = binary->facet_count - first;
    uint32_t end = first + (left < BATCH_FACETS ? left : BATCH_FACETS);
    stl_clear_batch(batch);
    batch->stop = STL_AT_LIMIT;
    for (uint32_t facet = first; facet < end; facet++) {
        const char *record = batch->at = stl_record(binary->reader, facet);
        if (find_not_finite(record) < 9) {
            batch->stop = STL_NOT_FINITE;
            return;
        }
        float values[12];
        for (int i = 0; i < 12; i++)
            values[i] = stl_number(record + 4 * i);
        for (int corner = 1; corner <= 3; corner++)
            stl_add_corner(batch, values + 3 * corner);
        batch->attributes |= stl_attributes(record);
        stl_end_facet(batch, batch->corner_count - 3, values);
    }
}

static bool take_batch(void *user, uint32_t item, uint32_t slot)
{
    (void)item;
    struct binary *binary = user;
    struct stl_reader *reader = binary->reader;
    const struct stl_batch *batch = &reader->batches[slot];
    if (batch->stop == STL_NOT_FINITE) {
        size_t facet = (size_t)(batch->at - stl_record(reader, 0)) / STL_FACET_SIZE;
        int value = find_not_finite(batch->at);
        binary->status = report_error(reader->context, CP_INPUT, "stl-not-finite", IN_FILE(reader->source->name),
                                      "facet %llu has a coordinate that is not a finite float: %c of vertex %d",
                                      (unsigned long long)facet + 1, "xyz"[value % 3], value / 3 + 1);
    } else if (!stl_take_batch(reader, batch)) {
        binary->status = CP_LIMIT;
    }
    return binary->status == CP_OK;
}

/* Tells whether the suffix is STL's, or there is none. */
static bool has_fitting_suffix(const char *name)
{
    size_t size;
    const char *stem = text_stem(name, &size), *suffix = stem + size;
    char four[5] = ""; /* of .stl, .stla, .stlb, each also with .gz */
    (void)strncat(four, suffix, sizeof four - 1);
    return !*suffix || text_equal_nocase(suffix, ".gz") || text_equal_nocase(four, ".stl");
}

/* Finds how many facets there are. */
static cp_status settle_count(const struct stl_reader *reader, uint32_t *facets)
{
    const struct source *source = reader->source;
    bool strict = reader->settings->import.strict;
    uint32_t count = stl_integer(source->data + 80);
    uint64_t bytes = source->size - STL_HEADER_SIZE, whole = bytes / STL_FACET_SIZE, rest = bytes % STL_FACET_SIZE;
    *facets = count;
    if (bytes == 0 && bytes_are_zero(source->data, source->size) && !has_fitting_suffix(source->name))
        return report_error(reader->context, CP_INPUT, "stl-zeros", IN_FILE(source->name),
                            "the file is %zu zero bytes, and its suffix is not that of an empty STL", source->size);
    if (count == whole && rest == 0)
        return CP_OK;
    if (count == 0 && (rest != 0 || bytes_are_zero(source->data + STL_HEADER_SIZE, (size_t)bytes)))
        return report_error(reader->context, CP_INPUT, "stl-zeros", IN_FILE(source->name),
                            "the header counts 0 facets, and the %llu bytes after it are none: the file is damaged, or "
                            "no STL",
                            (unsigned long long)bytes);
    if (rest == 0 && whole < UINT32_MAX && (count < whole || count == UINT32_MAX)) {
        *facets = (uint32_t)whole;
        return report_lenient(reader->context, strict, "stl-count", IN_FILE(source->name),
                              "the header counts %u facets, the file holds %llu, which are taken", count,
                              (unsigned long long)whole);
    }
    if (count <= whole)
        return report_lenient(reader->context, strict, "stl-trailing", IN_FILE(source->name),
                              "%llu bytes after the %u facets that the header counts",
                              (unsigned long long)(bytes - STL_FACET_SIZE * (uint64_t)count), count);
    *facets = (uint32_t)whole;
    return report_lenient(reader->context, !reader->settings->import.partial, "stl-truncated", IN_FILE(source->name),
                          "the file ends after %llu whole facets of the %u that it counts", (unsigned long long)whole,
                          count);
}

static bool is_zero_facet(const struct stl_reader *reader, uint64_t facet)
{
    return bytes_are_zero(stl_record(reader, (uint32_t)facet), STL_FACET_SIZE);
}

/* Looks for a block of zero bytes among the facets. With partial=yes such facets are kept, except those at the end. */
static cp_status check_zeros(const struct stl_reader *reader, uint32_t *facets)
{
    enum { FEWEST = DISK_BLOCK / STL_FACET_SIZE - 1 }; /* the fewest whole facets in a block */
    uint64_t first = *facets, end = first;
    while (first > 0 && is_zero_facet(reader, first - 1))
        first--;
    /* The last block of the file may be short. */
    size_t last_block = (reader->source->size - 1) / DISK_BLOCK * DISK_BLOCK;
    bool at_end = end - first >= FEWEST || (end - first >= 2 && STL_HEADER_SIZE + STL_FACET_SIZE * first <= last_block);
    bool found = at_end;
    for (uint64_t i = FEWEST - 1, last = first; !found && i < last; i += FEWEST) { /* each block holds one of these
                                                                                    * facets */
        for (first = end = i; end < last && is_zero_facet(reader, end);)
            end++;
        while (end > i && first > 0 && is_zero_facet(reader, first - 1))
            first--;
        found = end - first >= FEWEST;
    }
    if (!found)
        return CP_OK;
    if (at_end)
        *facets = (uint32_t)first;
    return report_lenient(reader->context, !reader->settings->import.partial, "stl-zeros",
                          IN_FILE(reader->source->name),
                          "%llu facets from facet %llu on are zero bytes, as a power loss leaves them",
                          (unsigned long long)(end - first), (unsigned long long)first + 1);
}

cp_status stl_read_binary(struct stl_reader *reader)
{
    cp_context *context = reader->context;
    if (reader->source->size < STL_HEADER_SIZE)
        return report_error(context, CP_INPUT, "stl-truncated", IN_FILE(reader->source->name),
                            "the file ends in the header, after %zu bytes of %d", reader->source->size,
                            STL_HEADER_SIZE);
    struct binary binary = {.reader = reader};
    cp_status status = settle_count(reader, &binary.facet_count);
    if (status == CP_OK)
        status = check_zeros(reader, &binary.facet_count);
    if (status != CP_OK)
        return status;
    uint32_t facets = binary.facet_count, batches = facets / BATCH_FACETS + (facets % BATCH_FACETS > 0);
    for (uint32_t i = 0, slots = batches ? parallel_slots(context, batches) : 0; i < slots; i++)
        if (!stl_begin_batch(context, &reader->batches[i], 3 * (facets < BATCH_FACETS ? facets : BATCH_FACETS)))
            return CP_LIMIT;
    if (!parallel_in_order(context, batches, read_batch, take_batch, &binary))
        return binary.status != CP_OK ? binary.status : CP_LIMIT;
    status = stl_read_colours(reader);
    return status == CP_OK ? stl_add_solid(reader, NULL, 0) : status;
}
