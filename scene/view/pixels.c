/* Pixels of images: libpng decodes PNG, libjpeg-turbo JPEG. */
#include "pixels.h"

#include <string.h>

#ifdef HAVE_PNG
#include <png.h>
#endif
#ifdef HAVE_TURBOJPEG
#include <turbojpeg.h>
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

static bool set_size(struct pixels *pixels, uint64_t width, uint64_t height)
{
    if (width == 0 || height == 0 || width > most_pixels || height > most_pixels / width)
        return false;
    pixels->width = (uint32_t)width;
    pixels->height = (uint32_t)height;
    return true;
}
#endif

static cp_status decode_png(struct arena *arena, const cp_image *image, struct pixels *pixels)
{
    cp_status status = CP_OK;
#ifdef HAVE_PNG
    png_image png = {.version = PNG_IMAGE_VERSION};
    if (png_image_begin_read_from_memory(&png, image->bytes, image->size) && set_size(pixels, png.width, png.height)) {
        png.format &= PNG_FORMAT_FLAG_COLOR | PNG_FORMAT_FLAG_ALPHA; /* 8 bits, sRGB */
        status = make_room(arena, PNG_IMAGE_PIXEL_CHANNELS(png.format), pixels);
        if (status == CP_OK && !png_image_finish_read(&png, NULL, pixels->bytes, 0, NULL))
            pixels->bytes = NULL;
    }
    png_image_free(&png);
#else
    (void)arena, (void)image, (void)pixels;
#endif
    return status;
}

static cp_status decode_jpeg(struct arena *arena, const cp_image *image, struct pixels *pixels)
{
    cp_status status = CP_OK;
#ifdef HAVE_TURBOJPEG
    tjhandle decoder = tjInitDecompress();
    int width, height, sampling, space;
    if (!decoder)
        return CP_LIMIT;
    if (tjDecompressHeader3(decoder, image->bytes, image->size, &width, &height, &sampling, &space) == 0 && width > 0 &&
        height > 0 && set_size(pixels, (uint64_t)width, (uint64_t)height)) {
        bool grey = space == TJCS_GRAY;
        status = make_room(arena, grey ? 1 : 3, pixels);
        if (status == CP_OK && tjDecompress2(decoder, image->bytes, image->size, pixels->bytes, width, 0, height,
                                             grey ? TJPF_GRAY : TJPF_RGB, 0) != 0)
            pixels->bytes = NULL;
    }
    (void)tjDestroy(decoder);
#else
    (void)arena, (void)image, (void)pixels;
#endif
    return status;
}

cp_status pixels_decode(struct arena *arena, const cp_image *image, struct pixels *pixels)
{
    *pixels = (struct pixels){0};
    if (!image->bytes)
        return CP_OK;
    if (strcmp(image->type, "image/png") == 0)
        return decode_png(arena, image, pixels);
    if (strcmp(image->type, "image/jpeg") == 0)
        return decode_jpeg(arena, image, pixels);
    return CP_OK;
}
