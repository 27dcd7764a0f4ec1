/* The binary form, little-endian: 80 bytes of header, a 32-bit facet count, and facets of 50 bytes: normal, three
 * vertices (float32), 16 bits of attributes.
 *
 * How many facets there are: the count where the bytes are there (more bytes are trailing); all bytes where they are
 * whole facets and the count is smaller or 0xFFFFFFFF: so write programs that cannot go back to the header. */
#include "stl.h"

#include <math.h>

enum { BATCH_FACETS = 1 << 14 };

struct binary {
    struct stl_reader *reader;
    uint32_t facet_count;
    cp_status status;
};

/* The first coordinate of a facet that is not finite, or 9. */
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

/* How many facets there are. */
static cp_status settle_count(const struct stl_reader *reader, uint32_t *facets)
{
    const struct source *source = reader->source;
    bool strict = reader->settings->import.strict;
    uint32_t count = stl_integer(source->data + 80);
    uint64_t bytes = source->size - STL_HEADER_SIZE, whole = bytes / STL_FACET_SIZE, rest = bytes % STL_FACET_SIZE;
    *facets = count;
    if (count == whole && rest == 0)
        return CP_OK;
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

cp_status stl_read_binary(struct stl_reader *reader)
{
    cp_context *context = reader->context;
    if (reader->source->size < STL_HEADER_SIZE)
        return report_error(context, CP_INPUT, "stl-truncated", IN_FILE(reader->source->name),
                            "the file ends in the header, after %zu bytes of %d", reader->source->size,
                            STL_HEADER_SIZE);
    struct binary binary = {.reader = reader};
    cp_status status = settle_count(reader, &binary.facet_count);
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
