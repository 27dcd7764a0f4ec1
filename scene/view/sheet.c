/* Sheets of pictures with their names below. A row of pictures is in memory as pixels, all before it as PNG. */
#include <math.h>
#include <string.h>

#include "base/bytes/bytes.h"
#include "base/context.h"
#include "font.h"
#include "pixels.h"

enum { MOST_SIDE = 65500, MARGIN = 4, LARGE = 384 };
static const unsigned char ink[4] = {40, 44, 52, 255}, cross[4] = {190, 60, 50, 255};

struct cp_sheet {
    cp_context *context;
    cp_sheet_layout layout;
    uint32_t scale;   /* pixels of a pixel of a letter */
    uint32_t caption; /* rows below a picture */
    uint32_t added;
    size_t channels, row_bytes, row_count; /* of a row of pictures with their names */
    unsigned char *rows;
    struct sink *sink;
    struct pixel_writer *writer;
};

static cp_status check_layout(cp_sheet *sheet)
{
    cp_sheet_layout *layout = &sheet->layout;
    if (layout->count == 0 || layout->width == 0 || layout->height == 0 || layout->width > MOST_SIDE ||
        layout->height > MOST_SIDE)
        return report_error(sheet->context, CP_USAGE, "sheet-size", NOWHERE,
                            "a sheet needs pictures of at most %d x %d pixels", MOST_SIDE, MOST_SIDE);
    sheet->scale = layout->width >= LARGE ? 2 : 1;
    sheet->caption = (FONT_HEIGHT + FONT_DROP) * sheet->scale + 2 * MARGIN;
    double high = (double)layout->height + sheet->caption;
    if (layout->columns == 0)
        layout->columns = (uint32_t)fmax(1, round(sqrt(layout->count * high / layout->width)));
    layout->columns = layout->columns < layout->count ? layout->columns : layout->count;
    uint32_t rows = layout->count / layout->columns + (layout->count % layout->columns > 0);
    if ((double)layout->columns * layout->width > MOST_SIDE || rows * high > MOST_SIDE)
        return report_error(sheet->context, CP_USAGE, "sheet-size", NOWHERE,
                            "%lu pictures of %lu x %lu pixels make a sheet of more than %d pixels in a direction",
                            (unsigned long)layout->count, (unsigned long)layout->width, (unsigned long)layout->height,
                            MOST_SIDE);
    sheet->channels = layout->background.alpha < 255 ? 4 : 3;
    sheet->row_bytes = sheet->channels * layout->columns * layout->width;
    sheet->row_count = layout->height + sheet->caption;
    return CP_OK;
}

static void clear_rows(const cp_sheet *sheet)
{
    size_t pixels = sheet->row_count * sheet->row_bytes / sheet->channels;
    for (size_t i = 0; i < pixels; i++)
        memcpy(sheet->rows + i * sheet->channels, &sheet->layout.background, sheet->channels);
}

cp_status cp_sheet_new(cp_context *context, const cp_sheet_layout *layout, cp_sheet **made)
{
    cp_sheet *sheet = memory_allocate_zeroed(context, 1, sizeof *sheet);
    *made = NULL;
    if (!sheet)
        return context_finish(context, CP_LIMIT);
    sheet->context = context;
    sheet->layout = *layout;
    cp_status status = check_layout(sheet);
    if (status == CP_OK) {
        sheet->rows = memory_allocate(context, sheet->row_count, sheet->row_bytes);
        status = sheet->rows ? sink_open_memory(context, &sheet->sink) : CP_LIMIT;
    }
    if (status == CP_OK) {
        uint32_t rows = sheet->layout.count / sheet->layout.columns + (sheet->layout.count % sheet->layout.columns > 0);
        clear_rows(sheet);
        status = pixels_begin(context, sheet->sink, sheet->layout.columns * sheet->layout.width,
                              rows * (uint32_t)sheet->row_count, sheet->channels == 4, &sheet->writer);
    }
    if (status == CP_OK)
        *made = sheet;
    else
        cp_sheet_free(sheet);
    return context_finish(context, status);
}

/* ---- one picture ---- */

static void set_pixel(const cp_sheet *sheet, uint32_t column, uint32_t x, uint32_t y, const unsigned char colour[4])
{
    if (x < sheet->layout.width && y < sheet->row_count)
        memcpy(sheet->rows + y * sheet->row_bytes + ((size_t)column * sheet->layout.width + x) * sheet->channels,
               colour, sheet->channels);
}

static void draw_letter(const cp_sheet *sheet, uint32_t column, uint32_t x, unsigned char letter)
{
    uint32_t drop, scale = sheet->scale;
    const unsigned char *rows = font_letter(letter, &drop);
    uint32_t y = sheet->layout.height + MARGIN + drop * scale;
    for (uint32_t row = 0; row < FONT_HEIGHT * scale; row++)
        for (uint32_t i = 0; i < FONT_WIDTH * scale; i++)
            if (rows[row / scale] >> (FONT_WIDTH - 1 - i / scale) & 1)
                set_pixel(sheet, column, x + i, y + row, ink);
}

static bool begins_character(char byte)
{
    return ((unsigned char)byte & 0xC0) != 0x80;
}

/* Writes the name below the picture, in its middle; of a long one the begin and the end, with ".." between them. */
static void draw_name(const cp_sheet *sheet, uint32_t column, const char *name)
{
    uint32_t step = (FONT_WIDTH + 1) * sheet->scale, count = 0, number = 0;
    uint32_t room = (sheet->layout.width + sheet->scale) / step;
    for (const char *at = name; *at; at++)
        count += begins_character(*at);
    bool cut = count > room;
    uint32_t shown = cut ? room : count, head = cut && room > 2 ? (room - 2) / 2 : shown;
    uint32_t tail = cut && room > 2 ? room - 2 - head : 0;
    uint32_t x = (sheet->layout.width + sheet->scale - shown * step) / 2;
    for (const char *at = name; *at; at++) {
        if (!begins_character(*at))
            continue;
        if (number < head || number >= count - tail) {
            draw_letter(sheet, column, x, (unsigned char)*at);
            x += step;
        } else if (number == head && tail > 0) {
            draw_letter(sheet, column, x, '.');
            draw_letter(sheet, column, x + step, '.');
            x += 2 * step;
        }
        number++;
    }
}

static void draw_cross(const cp_sheet *sheet, uint32_t column)
{
    uint32_t width = sheet->layout.width, height = sheet->layout.height, most = width > height ? width : height;
    for (uint32_t i = most / 10; i < most - most / 10; i++)
        for (uint32_t thick = 0; thick < 2; thick++) {
            uint32_t x = (uint32_t)((uint64_t)i * width / most), y = (uint32_t)((uint64_t)i * height / most);
            set_pixel(sheet, column, x + thick, y, cross);
            set_pixel(sheet, column, width - 1 - x + thick, y, cross);
        }
}

static cp_status draw_picture(const cp_sheet *sheet, uint32_t column, const void *png, size_t size)
{
    struct pixels pixels = {0};
    struct arena *arena = arena_new(sheet->context);
    const cp_image image = {.type = "image/png", .bytes = png, .size = (uint32_t)size};
    cp_status status = arena && size <= UINT32_MAX ? pixels_decode(sheet->context, arena, &image, &pixels) : CP_LIMIT;
    if (status == CP_OK && (pixels.width != sheet->layout.width || pixels.height != sheet->layout.height ||
                            pixels.channels != sheet->channels))
        status = report_error(sheet->context, CP_USAGE, "sheet-picture", NOWHERE,
                              "a picture of a sheet has not the size or the background of the others");
    size_t bytes = (size_t)sheet->layout.width * sheet->channels;
    for (uint32_t y = 0; y < sheet->layout.height && status == CP_OK; y++)
        memcpy(sheet->rows + y * sheet->row_bytes + column * bytes, pixels.bytes + y * bytes, bytes);
    arena_free(arena);
    return status;
}

/* Writes the row of pictures, and begins another one. */
static cp_status end_row(cp_sheet *sheet)
{
    cp_status status = pixels_rows(sheet->writer, sheet->rows, (uint32_t)sheet->row_count);
    clear_rows(sheet);
    return status;
}

cp_status cp_sheet_add(cp_sheet *sheet, const void *png, size_t size, const char *name)
{
    uint32_t column = sheet->added % sheet->layout.columns;
    cp_status status = CP_OK;
    if (sheet->added == sheet->layout.count)
        return context_finish(sheet->context, report_error(sheet->context, CP_USAGE, "sheet-full", NOWHERE,
                                                           "a sheet gets more pictures than it was made for"));
    if (png)
        status = draw_picture(sheet, column, png, size);
    else
        draw_cross(sheet, column);
    draw_name(sheet, column, name);
    sheet->added++;
    if (status == CP_OK && sheet->added % sheet->layout.columns == 0)
        status = end_row(sheet);
    return context_finish(sheet->context, status);
}

cp_status cp_sheet_end(cp_sheet *sheet, void **bytes, size_t *size)
{
    cp_status status = CP_OK;
    *bytes = NULL;
    *size = 0;
    while (status == CP_OK && sheet->added < sheet->layout.count) {
        sheet->added++;
        if (sheet->added % sheet->layout.columns == 0)
            status = end_row(sheet);
    }
    if (status == CP_OK && sheet->added % sheet->layout.columns != 0)
        status = end_row(sheet);
    cp_status ended = pixels_end(sheet->writer, status == CP_OK);
    sheet->writer = NULL;
    status = sink_close_memory(sheet->sink, status == CP_OK ? ended : status, bytes, size);
    sheet->sink = NULL;
    return context_finish(sheet->context, status);
}

void cp_sheet_free(cp_sheet *sheet)
{
    void *bytes;
    size_t size;
    if (!sheet)
        return;
    (void)pixels_end(sheet->writer, false);
    if (sheet->sink) /* not ended: its bytes are dropped */
        (void)sink_close_memory(sheet->sink, CP_NO, &bytes, &size);
    memory_free(sheet->context, sheet->rows, sheet->row_count, sheet->row_bytes);
    memory_free(sheet->context, sheet, 1, sizeof *sheet);
}
