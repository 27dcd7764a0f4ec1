/* The pages of a batch, which have no cell: one has data of the program in its stead, the other one shows any part. */
#include "../exporters.h"
#include "base/bytes/bytes.h"
#include "base/context.h"
#include "base/text/text.h"
#include "page.h"

static cp_status pack(cp_context *context, const void *data, size_t size, void **packed, size_t *packed_size)
{
    struct sink *sink;
    cp_status status = sink_open_memory(context, &sink);
    if (status != CP_OK)
        return status;
    status = sink_pack(sink);
    sink_write(sink, data, size);
    return sink_close_memory(sink, status == CP_OK ? sink_status(sink) : status, packed, packed_size);
}

/* Writes the page into memory. */
static cp_status write_page(cp_context *context, struct page *page, void **bytes, size_t *size)
{
    cp_status status = sink_open_memory(context, &page->sink);
    if (status != CP_OK)
        return status;
    page_write(page);
    return sink_close_memory(page->sink, sink_status(page->sink), bytes, size);
}

cp_status cp_page_of_batch(cp_context *context, const char *title, const void *data, size_t data_size, void **bytes,
                           size_t *size)
{
    struct page page = {.kind = PAGE_OF_BATCH};
    void *packed = NULL;
    struct arena *arena = arena_new(context);
    *bytes = NULL;
    page.title = arena ? utf8_from(arena, title, strlen(title), NULL) : NULL;
    cp_status status = page.title ? pack(context, data, data_size, &packed, &page.cell_size) : CP_LIMIT;
    page.cell = packed;
    if (status == CP_OK)
        status = write_page(context, &page, bytes, size);
    memory_free(context, packed, page.cell_size, 1);
    arena_free(arena);
    return context_finish(context, status);
}

cp_status cp_page_of_parts(cp_context *context, void **bytes, size_t *size)
{
    struct page page = {.kind = PAGE_OF_PART, .title = "Part"};
    const char *package = html_exporter.plugin.package; /* NULL: the build has it */
    *bytes = NULL;
    cp_status status = package ? report_error(context, CP_USAGE, "write-not-built", NOWHERE,
                                              "the viewer of parts is not built; it needs the package %s", package)
                               : write_page(context, &page, bytes, size);
    return context_finish(context, status);
}
