/* Writes pages: fills the words of their markup. */
#include "page.h"

#include <string.h>

#include "base/bytes/bytes.h"
#include "base/text/text.h"
#include "cellpipe.h"

/* Writes bytes as base64, in pieces of a multiple of 3 bytes. */
static void write_base64(struct page *page, const void *bytes, size_t size)
{
    enum { PIECE = 3 << 12 };
    char text[PIECE / 3 * 4];
    for (size_t at = 0; at < size && sink_status(page->sink) == CP_OK; at += PIECE) {
        size_t piece = size - at < PIECE ? size - at : PIECE;
        sink_write(page->sink, text, base64_encode((const char *)bytes + at, piece, text));
    }
}

static char digit(uint32_t value)
{
    return (char)('#' + value + (value >= '<' - '#'));
}

static size_t put_pair(char *text, uint32_t bits)
{
    text[0] = digit((bits & 8191) / 91);
    text[1] = digit((bits & 8191) % 91);
    return 2;
}

/* Writes digits; in a string of a script, a backslash is two. */
static void write_digits(struct sink *sink, const char *text, size_t size, bool in_script)
{
    const char *slash;
    while (in_script && (slash = memchr(text, '\\', size))) {
        size_t before = (size_t)(slash - text) + 1;
        sink_write(sink, text, before);
        sink_write(sink, "\\", 1);
        text += before;
        size -= before;
    }
    sink_write(sink, text, size);
}

/* The text is of 91 printable characters, '#' to '~' without '<': 13 bits, the highest first, are two of them, which is
 * 23 % more than the bytes; of base64 it is 33 %. Up to 6 bits that are left over are one. */
void page_write_packed(struct sink *sink, const void *bytes, size_t size, bool in_script)
{
    enum { ROOM = 4096 };
    char text[ROOM];
    size_t used = 0;
    uint32_t bits = 0;
    int held = 0;
    for (size_t at = 0; at < size && sink_status(sink) == CP_OK; at++) {
        bits = bits << 8 | ((const unsigned char *)bytes)[at];
        held += 8;
        if (held >= 13) {
            held -= 13;
            used += put_pair(text + used, bits >> held);
        }
        if (used > ROOM - 4) {
            write_digits(sink, text, used, in_script);
            used = 0;
        }
    }
    if (held > 6)
        used += put_pair(text + used, bits << (13 - held));
    else if (held > 0)
        text[used++] = digit(bits << (6 - held) & 63);
    write_digits(sink, text, used, in_script);
}

/* ---- the words ---- */

static const struct page_part *boot_of(const struct page *page)
{
    return page->kind == PAGE_OF_BATCH ? &batch_script : &page_boot;
}

static const struct page_part *style_of(const struct page *page)
{
    return page->kind == PAGE_OF_BATCH ? &batch_style : &page_style;
}

static void write_source(struct page *page, const struct page_part *part)
{
    sink_text(page->sink, " 'sha256-");
    write_base64(page, part->hash, 32);
    sink_text(page->sink, "'");
}

/* A script that another one makes is admitted by the hash of its text as well. Textures are blobs. */
static void write_policy(struct page *page)
{
    const bool is_batch = page->kind == PAGE_OF_BATCH;
    sink_text(page->sink, "default-src 'none'; script-src");
    write_source(page, boot_of(page));
    if (!is_batch)
        write_source(page, &page_code);
    if (page->kind == PAGE_LIVE)
        write_source(page, &page_live);
    if (page->kind == PAGE_OF_PART)
        sink_text(page->sink, " 'self'");
    sink_text(page->sink, "; style-src");
    write_source(page, style_of(page));
    if (page->kind == PAGE_LIVE)
        sink_text(page->sink, "; connect-src 'self'");
    sink_text(page->sink, is_batch ? "; img-src 'self' data:; frame-src 'self'" : "; img-src blob: data:");
    sink_text(page->sink, "; base-uri 'none'; form-action 'none'");
}

static void write_title(struct page *page)
{
    (void)sink_markup(page->sink, page->title);
}

static void write_generator(struct page *page)
{
    sink_text(page->sink, "cellpipe " CP_VERSION);
}

static void write_style(struct page *page)
{
    sink_write(page->sink, style_of(page)->bytes, style_of(page)->size);
}

static void write_boot(struct page *page)
{
    sink_write(page->sink, boot_of(page)->bytes, boot_of(page)->size);
}

static void write_code(struct page *page)
{
    page_write_packed(page->sink, page_code.bytes, page_code.size, false);
}

static void write_live(struct page *page)
{
    if (page->kind == PAGE_LIVE)
        page_write_packed(page->sink, page_live.bytes, page_live.size, false);
}

static void write_cell(struct page *page)
{
    page_write_packed(page->sink, page->cell, page->cell_size, false);
}

static void write_options(struct page *page)
{
    const char *kind = page->kind == PAGE_LIVE ? "\"live\":true" : page->kind == PAGE_OF_PART ? "\"part\":true" : "";
    sink_print(page->sink, "{%s%s%s}", page->edges ? "\"edges\":true" : "", page->edges && *kind ? "," : "", kind);
}

/* Writes a picture of the cell: it is seen while the page unpacks, and where there are no scripts or no WebGL. */
static void write_picture(struct page *page)
{
    if (!page->picture)
        return;
    sink_text(page->sink, "<img alt=\"a picture of the cell\" src=\"data:image/png;base64,");
    write_base64(page, page->picture, page->picture_size);
    sink_text(page->sink, "\">");
}

static const struct {
    const char *word;
    void (*write)(struct page *page);
} words[] = {{"policy", write_policy},   {"title", write_title}, {"generator", write_generator}, {"style", write_style},
             {"picture", write_picture}, {"code", write_code},   {"live", write_live},           {"cell", write_cell},
             {"options", write_options}, {"boot", write_boot}};

/* Words stand in {{ }}. The build has both markup and words, so an unknown word is a fault of ours. */
void page_write(struct page *page)
{
    const struct page_part *markup = page->kind == PAGE_OF_BATCH ? &batch_markup : &page_markup;
    const char *at = (const char *)markup->bytes, *end = at + markup->size;
    while (at < end) {
        const char *brace = memchr(at, '{', (size_t)(end - at));
        if (!brace || end - brace < 2 || brace[1] != '{') {
            const char *stop = brace ? brace + 1 : end;
            sink_write(page->sink, at, (size_t)(stop - at));
            at = stop;
            continue;
        }
        sink_write(page->sink, at, (size_t)(brace - at));
        at = brace + 2;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
            size_t size = strlen(words[i].word);
            if ((size_t)(end - at) >= size + 2 && memcmp(at, words[i].word, size) == 0 && at[size] == '}') {
                words[i].write(page);
                at += size + 2;
                break;
            }
        }
    }
}
