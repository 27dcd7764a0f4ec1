/* Pixels of images: libpng decodes and writes PNG, libjpeg-turbo decodes JPEG. */
#include "pixels.h"

#include <setjmp.h>
#include <stddef.h>
#include <string.h>

#ifdef HAVE_PNG
#include <png.h>

/* clang-format off */
#define PNG_FUNCTIONS(X) \
    X(png_create_info_struct) X(png_create_write_struct_2) X(png_destroy_write_struct) X(png_get_io_ptr) \
    X(png_get_mem_ptr) X(png_image_begin_read_from_memory) X(png_image_finish_read) X(png_image_free) \
    X(png_longjmp) X(png_set_IHDR) X(png_set_filter) X(png_set_longjmp_fn) X(png_set_sRGB) X(png_set_write_fn) \
    X(png_write_end) X(png_write_info) X(png_write_row)
/* clang-format on */

LATE_FUNCTIONS(libpng, PNG_FUNCTIONS);
static LATE_LIBRARY(libpng, FILE_OF_PNG, 0, PNG_FUNCTIONS);
#endif
#ifdef HAVE_TURBOJPEG
#include <turbojpeg.h>

/* clang-format off */
#define JPEG_FUNCTIONS(X) \
    X(tjDecompress2) X(tjDecompressHeader3) X(tjDestroy) X(tjGetErrorStr2) X(tjInitDecompress)
/* clang-format on */

LATE_FUNCTIONS(libturbojpeg, JPEG_FUNCTIONS);
static LATE_LIBRARY(libturbojpeg, FILE_OF_TURBOJPEG, 0, JPEG_FUNCTIONS);
#endif

#if defined(HAVE_PNG) || defined(HAVE_TURBOJPEG)
/* A VRML97 world has up to 11 bytes of text for each of them. */
static const uint64_t most_pixels = UINT64_C(1) << 24;

static cp_status make_room(struct arena *arena, uint32_t channels, struct pixels *pixels)
{
    pixels->channels = channels;
    pixels->bytes = arena_allocate(arena, (size_t)pixels->width * pixels->height, channels);
    return pixels->bytes ? CP_OK : CP_LIMIT;
}

/* Tells a lack of memory from a damaged image by what the library says: "out of memory", "Insufficient memory". */
static cp_status failed(const char *message)
{
    return strstr(message, "memory") ? CP_LIMIT : CP_OK;
}

static bool set_size(struct pixels *pixels, uint64_t width, uint64_t height)
{
    if (width == 0 || height == 0 || width > most_pixels || height > most_pixels / width)
        return false;
    pixels->width = (uint32_t)width;
    pixels->height = (uint32_t)height;
    return true;
}
#endif

static cp_status decode_png(cp_context *context, struct arena *arena, const cp_image *image, struct pixels *pixels)
{
#ifdef HAVE_PNG
    cp_status status = library_load(context, &libpng_library);
    if (status != CP_OK)
        return status;
    png_image png = {.version = PNG_IMAGE_VERSION};
    if (libpng.png_image_begin_read_from_memory(&png, image->bytes, image->size) &&
        set_size(pixels, png.width, png.height)) {
        png.format &= PNG_FORMAT_FLAG_COLOR | PNG_FORMAT_FLAG_ALPHA; /* 8 bits, sRGB */
        status = make_room(arena, PNG_IMAGE_PIXEL_CHANNELS(png.format), pixels);
        if (status == CP_OK && !libpng.png_image_finish_read(&png, NULL, pixels->bytes, 0, NULL))
            pixels->bytes = NULL;
    }
    if (status == CP_OK && !pixels->bytes)
        status = failed(png.message);
    libpng.png_image_free(&png);
    return status;
#else
    (void)context, (void)arena, (void)image, (void)pixels;
    return CP_OK;
#endif
}

static cp_status decode_jpeg(cp_context *context, struct arena *arena, const cp_image *image, struct pixels *pixels)
{
#ifdef HAVE_TURBOJPEG
    cp_status status = library_load(context, &libturbojpeg_library);
    if (status != CP_OK)
        return status;
    tjhandle decoder = libturbojpeg.tjInitDecompress();
    int width, height, sampling, space;
    if (!decoder)
        return CP_LIMIT;
    if (libturbojpeg.tjDecompressHeader3(decoder, image->bytes, image->size, &width, &height, &sampling, &space) == 0 &&
        width > 0 && height > 0 && set_size(pixels, (uint64_t)width, (uint64_t)height)) {
        bool grey = space == TJCS_GRAY;
        status = make_room(arena, grey ? 1 : 3, pixels);
        if (status == CP_OK && libturbojpeg.tjDecompress2(decoder, image->bytes, image->size, pixels->bytes, width, 0,
                                                          height, grey ? TJPF_GRAY : TJPF_RGB, 0) != 0)
            pixels->bytes = NULL;
    }
    if (status == CP_OK && !pixels->bytes)
        status = failed(libturbojpeg.tjGetErrorStr2(decoder));
    (void)libturbojpeg.tjDestroy(decoder);
    return status;
#else
    (void)context, (void)arena, (void)image, (void)pixels;
    return CP_OK;
#endif
}

cp_status pixels_decode(cp_context *context, struct arena *arena, const cp_image *image, struct pixels *pixels)
{
    *pixels = (struct pixels){0};
    if (!image->bytes)
        return CP_OK;
    if (strcmp(image->type, "image/png") == 0)
        return decode_png(context, arena, image, pixels);
    if (strcmp(image->type, "image/jpeg") == 0)
        return decode_jpeg(context, arena, image, pixels);
    return CP_OK;
}

/* ---- writing ---- */

#ifdef HAVE_PNG
struct pixel_writer {
    cp_context *context;
    struct sink *sink;
    png_struct *png;
    png_info *info;
    size_t row_bytes;
};

/* A block of libpng's begins with its size, which the context's allocator wants back. */
union block_head {
    size_t size;
    max_align_t align;
};

static void *allocate(png_struct *png, png_alloc_size_t size)
{
    const struct pixel_writer *writer = libpng.png_get_mem_ptr(png);
    union block_head *head =
        size <= SIZE_MAX - sizeof *head ? memory_allocate(writer->context, size + sizeof *head, 1) : NULL;
    if (!head)
        return NULL;
    head->size = size;
    return head + 1;
}

static void release(png_struct *png, void *block)
{
    const struct pixel_writer *writer = libpng.png_get_mem_ptr(png);
    union block_head *head = block;
    if (head)
        memory_free(writer->context, head - 1, head[-1].size + sizeof *head, 1);
}

/* libpng has no errors here but that memory is short, which is reported. */
static void fail(png_struct *png, const char *message)
{
    (void)message;
    libpng.png_longjmp(png, 1);
}

static void ignore(png_struct *png, const char *message)
{
    (void)png, (void)message;
}

static void put(png_struct *png, unsigned char *bytes, size_t size)
{
    sink_write(libpng.png_get_io_ptr(png), bytes, size);
}

static void flush(png_struct *png)
{
    (void)png;
}

cp_status pixels_begin(cp_context *context, struct sink *sink, uint32_t width, uint32_t height, bool alpha,
                       struct pixel_writer **begun)
{
    *begun = NULL;
    cp_status status = library_load(context, &libpng_library);
    struct pixel_writer *writer = status == CP_OK ? memory_allocate_zeroed(context, 1, sizeof *writer) : NULL;
    if (!writer)
        return CP_LIMIT;
    writer->context = context;
    writer->sink = sink;
    writer->row_bytes = (size_t)width * (alpha ? 4 : 3);
    writer->png =
        libpng.png_create_write_struct_2(PNG_LIBPNG_VER_STRING, NULL, fail, ignore, writer, allocate, release);
    writer->info = writer->png ? libpng.png_create_info_struct(writer->png) : NULL;
    if (!writer->info || setjmp(*libpng.png_set_longjmp_fn(writer->png, longjmp, sizeof(jmp_buf)))) {
        (void)pixels_end(writer, false);
        return CP_LIMIT;
    }
    libpng.png_set_write_fn(writer->png, sink, put, flush);
    libpng.png_set_IHDR(writer->png, writer->info, width, height, 8,
                        alpha ? PNG_COLOR_TYPE_RGB_ALPHA : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                        PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    libpng.png_set_sRGB(writer->png, writer->info, PNG_sRGB_INTENT_PERCEPTUAL);
    libpng.png_set_filter(writer->png, PNG_FILTER_TYPE_BASE, PNG_FILTER_SUB | PNG_FILTER_UP);
    libpng.png_write_info(writer->png, writer->info);
    *begun = writer;
    return sink_status(sink);
}

cp_status pixels_rows(struct pixel_writer *writer, const unsigned char *bytes, uint32_t rows)
{
    if (setjmp(*libpng.png_set_longjmp_fn(writer->png, longjmp, sizeof(jmp_buf))))
        return CP_LIMIT;
    for (uint32_t i = 0; i < rows; i++)
        libpng.png_write_row(writer->png, bytes + i * writer->row_bytes);
    return sink_status(writer->sink);
}

static cp_status complete_image(struct pixel_writer *writer)
{
    if (setjmp(*libpng.png_set_longjmp_fn(writer->png, longjmp, sizeof(jmp_buf))))
        return CP_LIMIT;
    libpng.png_write_end(writer->png, NULL);
    return sink_status(writer->sink);
}

cp_status pixels_end(struct pixel_writer *writer, bool complete)
{
    if (!writer)
        return CP_OK;
    cp_status status = complete ? complete_image(writer) : CP_OK;
    libpng.png_destroy_write_struct(&writer->png, &writer->info);
    memory_free(writer->context, writer, 1, sizeof *writer);
    return status;
}
#else
cp_status pixels_begin(cp_context *context, struct sink *sink, uint32_t width, uint32_t height, bool alpha,
                       struct pixel_writer **begun)
{
    (void)sink, (void)width, (void)height, (void)alpha;
    *begun = NULL;
    return report_error(context, CP_USAGE, "write-not-built", NOWHERE, "PNG images need the package " PNG_PACKAGE);
}

cp_status pixels_rows(struct pixel_writer *writer, const unsigned char *bytes, uint32_t rows)
{
    (void)writer, (void)bytes, (void)rows;
    return CP_BUG;
}

cp_status pixels_end(struct pixel_writer *writer, bool complete)
{
    (void)writer, (void)complete;
    return CP_OK;
}
#endif
