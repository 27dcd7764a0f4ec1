/* Sheets of pictures: where each picture and its name are, crosses, and layouts that make no sense. libpng reads them.
 */
#include <png.h>

#include "cellpipe_tool.h"
#include "fixture.h"

enum { WIDTH = 40, HEIGHT = 30, CAPTION = 17 };

struct picture {
    uint32_t width, height;
    unsigned char *rgba;
};

/* The bytes of a PNG image of one colour; size of room in, of the image out. */
static void make_picture(const unsigned char colour[3], uint32_t width, void *bytes, size_t *size)
{
    static unsigned char rgb[3 * 100 * HEIGHT];
    for (size_t i = 0; i < (size_t)width * HEIGHT; i++)
        memcpy(rgb + 3 * i, colour, 3);
    png_image png = {.version = PNG_IMAGE_VERSION, .width = width, .height = HEIGHT, .format = PNG_FORMAT_RGB};
    png_alloc_size_t room = *size;
    assert_int_not_equal(png_image_write_to_memory(&png, bytes, &room, 0, rgb, 0, NULL), 0);
    *size = room;
}

static void add(cp_context *context, cp_sheet *sheet, int red, const char *name)
{
    unsigned char bytes[4096];
    size_t size = sizeof bytes;
    if (red >= 0)
        make_picture((const unsigned char[]){(unsigned char)red, 0, 0}, WIDTH, bytes, &size);
    expect_status(context, cp_sheet_add(sheet, red >= 0 ? bytes : NULL, size, name), CP_OK);
}

static struct picture end(cp_context *context, cp_sheet *sheet)
{
    void *bytes;
    size_t size;
    expect_status(context, cp_sheet_end(sheet, &bytes, &size), CP_OK);
    cp_sheet_free(sheet);
    png_image png = {.version = PNG_IMAGE_VERSION};
    assert_int_not_equal(png_image_begin_read_from_memory(&png, bytes, size), 0);
    png.format = PNG_FORMAT_RGBA;
    struct picture picture = {png.width, png.height, malloc(PNG_IMAGE_SIZE(png))};
    assert_non_null(picture.rgba);
    assert_int_not_equal(png_image_finish_read(&png, NULL, picture.rgba, 0, NULL), 0);
    cp_free(context, bytes, size);
    return picture;
}

static const unsigned char *pixel(const struct picture *picture, uint32_t x, uint32_t y)
{
    assert_true(x < picture->width && y < picture->height);
    return picture->rgba + 4 * ((size_t)y * picture->width + x);
}

static bool is_ink(const struct picture *picture, uint32_t x, uint32_t y)
{
    const unsigned char *at = pixel(picture, x, y);
    return at[0] < 60 && at[1] < 60 && at[3] == 255;
}

/* The pixels of a name in a cell: how many, and the first and last column. */
static uint32_t find_ink(const struct picture *picture, uint32_t column, uint32_t row, uint32_t *first, uint32_t *last)
{
    uint32_t count = 0;
    *first = WIDTH;
    *last = 0;
    for (uint32_t y = HEIGHT; y < HEIGHT + CAPTION; y++)
        for (uint32_t x = 0; x < WIDTH; x++)
            if (is_ink(picture, column * WIDTH + x, row * (HEIGHT + CAPTION) + y)) {
                count++;
                *first = x < *first ? x : *first;
                *last = x > *last ? x : *last;
            }
    return count;
}

static const cp_colour white = {255, 255, 255, 255};

static cp_sheet *open_sheet(cp_context *context, uint32_t count, uint32_t columns, cp_colour background)
{
    cp_sheet *sheet;
    const cp_sheet_layout layout = {count, columns, WIDTH, HEIGHT, background};
    expect_status(context, cp_sheet_new(context, &layout, &sheet), CP_OK);
    return sheet;
}

static void test_places(void **state)
{
    cp_context *context = *state;
    cp_sheet *sheet = open_sheet(context, 5, 2, white);
    for (int i = 0; i < 5; i++)
        add(context, sheet, 50 * i, "I");
    struct picture picture = end(context, sheet);
    assert_int_equal(picture.width, 2 * WIDTH);
    assert_int_equal(picture.height, 3 * (HEIGHT + CAPTION));
    for (uint32_t i = 0; i < 6; i++) {
        uint32_t left = i % 2 * WIDTH, top = i / 2 * (HEIGHT + CAPTION);
        const uint32_t corners[4][2] = {{0, 0}, {WIDTH - 1, 0}, {0, HEIGHT - 1}, {WIDTH - 1, HEIGHT - 1}};
        for (int k = 0; k < 4; k++)
            assert_int_equal(pixel(&picture, left + corners[k][0], top + corners[k][1])[0], i < 5 ? 50 * i : 255);
        assert_int_equal(pixel(&picture, left, top + HEIGHT)[1], 255);
    }
    free(picture.rgba);
}

/* An "I" is in the middle: three pixels, five times one, three pixels. A "p" stands two rows lower. */
static void test_letters(void **state)
{
    cp_context *context = *state;
    cp_sheet *sheet = open_sheet(context, 3, 3, white);
    add(context, sheet, 0, "I");
    add(context, sheet, 0, "p");
    add(context, sheet, 0, "\xc3\xa9"); /* one character, a box */
    struct picture picture = end(context, sheet);
    uint32_t first, last, left = (WIDTH - 5) / 2;
    assert_int_equal(find_ink(&picture, 0, 0, &first, &last), 3 + 5 + 3);
    assert_true(first == left + 1 && last == left + 3);
    for (uint32_t y = 0; y < 7; y++)
        assert_true(is_ink(&picture, left + 2, HEIGHT + 4 + y));
    assert_false(is_ink(&picture, left + 2, HEIGHT + 3) || is_ink(&picture, left + 2, HEIGHT + 4 + 7));
    assert_int_equal(find_ink(&picture, 1, 0, &first, &last), 4 + 2 + 2 + 2 + 4 + 1 + 1);
    assert_true(is_ink(&picture, WIDTH + left, HEIGHT + 4 + 2) && is_ink(&picture, WIDTH + left, HEIGHT + 4 + 8));
    assert_int_equal(find_ink(&picture, 2, 0, &first, &last), 20);
    free(picture.rgba);
}

/* A name that is too long stays in its cell, with its begin and its end. */
static void test_long_names(void **state)
{
    cp_context *context = *state;
    cp_sheet *sheet = open_sheet(context, 3, 3, (cp_colour){0});
    add(context, sheet, -1, "IIII");
    add(context, sheet, -1, "II                                   III");
    add(context, sheet, -1, "");
    struct picture picture = end(context, sheet);
    uint32_t first, last;
    assert_int_equal(find_ink(&picture, 0, 0, &first, &last), 4 * 11);
    assert_int_equal(find_ink(&picture, 1, 0, &first, &last), 4 * 11 + 2); /* two of each end, and two dots */
    assert_true(first < 6 && last > WIDTH - 6);
    assert_int_equal(find_ink(&picture, 2, 0, &first, &last), 0);
    /* Crosses, on nothing. */
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(pixel(&picture, i * WIDTH + WIDTH / 2, HEIGHT / 2)[0] > 150);
        assert_int_equal(pixel(&picture, i * WIDTH + WIDTH / 2, HEIGHT / 2)[3], 255);
        assert_int_equal(pixel(&picture, i * WIDTH, 0)[3], 0);
        assert_int_equal(pixel(&picture, i * WIDTH + WIDTH / 2, 1)[3], 0);
    }
    free(picture.rgba);
}

static void test_columns(void **state)
{
    static const struct {
        uint32_t count, asked, columns;
    } cases[] = {{1, 0, 1}, {9, 0, 3}, {100, 0, 11}, {2, 7, 2}, {7, 1, 1}};
    cp_context *context = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct picture picture = end(context, open_sheet(context, cases[i].count, cases[i].asked, white));
        assert_int_equal(picture.width, cases[i].columns * WIDTH);
        uint32_t rows = (cases[i].count + cases[i].columns - 1) / cases[i].columns;
        assert_int_equal(picture.height, rows * (HEIGHT + CAPTION));
        free(picture.rgba);
    }
}

static void test_refused(void **state)
{
    cp_context *context = *state;
    static const cp_sheet_layout layouts[] = {{0, 1, 10, 10, {0}},
                                              {1, 1, 0, 10, {0}},
                                              {1, 1, 10, 70000, {0}},
                                              {1000, 1000, 66, 10, {0}},
                                              {1000, 1, 10, 60, {0}},
                                              {UINT32_MAX, 0, 60000, 60000, {0}},
                                              {UINT32_MAX, UINT32_MAX, 60000, 60000, {0}}};
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        cp_sheet *sheet;
        cp_report_clear(context);
        assert_int_equal(cp_sheet_new(context, &layouts[i], &sheet), CP_USAGE);
        assert_null(sheet);
        assert_true(was_reported(context, "sheet-size"));
    }
    /* A picture of another size, and one too many. A sheet may be freed before its end. */
    unsigned char bytes[4096];
    size_t size = sizeof bytes;
    cp_sheet *sheet = open_sheet(context, 1, 1, white);
    make_picture((const unsigned char[]){1, 2, 3}, WIDTH + 1, bytes, &size);
    assert_int_equal(cp_sheet_add(sheet, bytes, size, "wide"), CP_USAGE);
    assert_true(was_reported(context, "sheet-picture"));
    assert_int_equal(cp_sheet_add(sheet, NULL, 0, "more"), CP_USAGE);
    assert_true(was_reported(context, "sheet-full"));
    cp_sheet_free(sheet);
    cp_sheet_free(NULL);
}

/* Memory runs out at each allocation; all is given back. */
static void test_memory(void **state)
{
    (void)state;
    for (size_t limit = 1;; limit++) {
        struct counter counter = {.limit = limit};
        const cp_allocator allocator = {counted_resize, &counter};
        cp_context *context = cp_context_new(&allocator);
        cp_sheet *sheet = NULL;
        void *bytes = NULL;
        size_t size = 0;
        cp_status status = context ? CP_OK : CP_LIMIT;
        if (status == CP_OK)
            status = cp_sheet_new(context, &(cp_sheet_layout){2, 1, WIDTH, HEIGHT, {0}}, &sheet);
        for (int i = 0; i < 2 && status == CP_OK; i++)
            status = cp_sheet_add(sheet, NULL, 0, "name");
        if (status == CP_OK)
            status = cp_sheet_end(sheet, &bytes, &size);
        cp_sheet_free(sheet);
        if (context)
            cp_free(context, bytes, size);
        cp_context_free(context);
        assert_int_equal(counter.blocks, 0);
        assert_int_equal(counter.bytes, 0);
        if (status == CP_OK) {
            assert_true(limit > 10);
            return;
        }
        assert_int_equal(status, CP_LIMIT);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_context, free_context)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_places),  TEST(test_letters), TEST(test_long_names),
                                       TEST(test_columns), TEST(test_refused), cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
