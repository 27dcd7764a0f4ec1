/* The binary form, little-endian: 80 bytes of header, a 32-bit facet count, and facets of 50 bytes: normal, three
 * vertices (float32), 16 bits of attributes.
 *
 * How many facets there are: the count where the bytes are there (more bytes are trailing); all bytes where they are
 * whole facets and the count is smaller or 0xFFFFFFFF: so write programs that cannot go back to the header. */
#include "stl.h"

#include <math.h>

enum { BATCH_FACETS = 1 << 14 };

/* Text before the header's colours is somebody's comment. */
static void note_comment(const struct stl_reader *reader)
{
    const char *header = reader->source->data, *colour = stl_find_in_header(header, "COLOR=");
    int size = 0, most = colour ? (int)(colour - header) - (int)strlen("COLOR=") : 80;
    while (size < most && header[size] >= ' ' && header[size] <= '~')
        size++;
    while (size > 0 && header[size - 1] == ' ')
        size--;
    if (size > 0)
        report_note(reader->context, "stl-header", IN_FILE(reader->source->name),
                    "the header's text is not kept: \"%.*s\"", size, header);
}

/* ---- facets ---- */

struct wave {
    struct stl_reader *reader;
    uint32_t first, end; /* facets */
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

static void read_facet(struct stl_batch *batch, const char *record)
{
    uint32_t first = batch->corner_count;
    float normal[3], position[3];
    for (int i = 0; i < 3; i++)
        normal[i] = stl_number(record + 4 * i);
    for (int corner = 0; corner < 3; corner++) {
        for (int i = 0; i < 3; i++)
            position[i] = stl_number(record + 12 * (corner + 1) + 4 * i);
        stl_add_corner(batch, position);
    }
    batch->attributes |= stl_attributes(record);
    stl_end_facet(batch, first, normal);
}

static uint32_t batch_end(const struct wave *wave, uint32_t first)
{
    return wave->end - first < BATCH_FACETS ? wave->end : first + BATCH_FACETS;
}

static void read_batch(void *user, uint32_t item, uint32_t slot)
{
    (void)slot;
    const struct wave *wave = user;
    struct stl_batch *batch = &wave->reader->batches[item];
    uint32_t first = wave->first + item * BATCH_FACETS, end = batch_end(wave, first);
    batch->stop = STL_AT_LIMIT;
    for (uint32_t facet = first; facet < end && batch->stop == STL_AT_LIMIT; facet++) {
        batch->at = stl_record(wave->reader, facet);
        if (find_not_finite(batch->at) < 9)
            batch->stop = STL_NOT_FINITE;
        else
            read_facet(batch, batch->at);
    }
}

static cp_status check_batch(const struct stl_reader *reader, const struct stl_batch *batch)
{
    if (batch->stop != STL_NOT_FINITE)
        return CP_OK;
    size_t facet = (size_t)(batch->at - stl_record(reader, 0)) / STL_FACET_SIZE;
    int value = find_not_finite(batch->at);
    return report_error(reader->context, CP_INPUT, "stl-not-finite", IN_FILE(reader->source->name),
                        "facet %llu has a coordinate that is no finite float: %c of vertex %d",
                        (unsigned long long)facet + 1, "xyz"[value % 3], value / 3 + 1);
}

static bool take_batch(void *user, uint32_t item, uint32_t slot)
{
    (void)slot;
    struct wave *wave = user;
    const struct stl_batch *batch = &wave->reader->batches[item];
    wave->status = check_batch(wave->reader, batch);
    if (wave->status == CP_OK && !stl_take_batch(wave->reader, batch))
        wave->status = CP_LIMIT;
    return wave->status == CP_OK;
}

/* Reads as many facets as can be read at the same time. */
static cp_status read_wave(struct wave *wave)
{
    struct stl_reader *reader = wave->reader;
    uint64_t left = ((uint64_t)wave->end - wave->first + BATCH_FACETS - 1) / BATCH_FACETS;
    uint32_t count = left < reader->batch_count ? (uint32_t)left : reader->batch_count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t first = wave->first + i * BATCH_FACETS;
        if (!stl_begin_batch(reader->context, &reader->batches[i], 3 * (batch_end(wave, first) - first)))
            return CP_LIMIT;
    }
    wave->status = CP_OK;
    if (!parallel_in_order(reader->context, count, read_batch, take_batch, wave))
        return wave->status != CP_OK ? wave->status : CP_LIMIT;
    wave->first = batch_end(wave, wave->first + (count - 1) * BATCH_FACETS);
    return CP_OK;
}

/* ---- the file ---- */

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
    if (reader->source->size < STL_HEADER_SIZE)
        return report_error(reader->context, CP_INPUT, "stl-truncated", IN_FILE(reader->source->name),
                            "the file ends in the header, after %zu bytes of %d", reader->source->size,
                            STL_HEADER_SIZE);
    uint32_t facets = 0;
    cp_status status = settle_count(reader, &facets);
    struct wave wave = {.reader = reader, .end = facets};
    while (status == CP_OK && wave.first < facets)
        status = read_wave(&wave);
    if (status == CP_OK) {
        note_comment(reader);
        status = stl_read_colours(reader);
    }
    return status == CP_OK ? stl_add_solid(reader, NULL, 0) : status;
}
