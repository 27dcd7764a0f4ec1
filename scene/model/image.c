/* Finds the type and size of pictures by their first bytes. */
#include "model.h"

#include "base/bytes/bytes.h"

#include <string.h>

static const struct image_kind {
    const char *type, *suffix, *further; /* further suffixes */
    size_t at, size;                     /* of the mark that the bytes have */
    const char *mark;
} kinds[] = {
    {"image/png", ".png", "", 0, 8, "\x89PNG\r\n\x1a\n"},
    {"image/jpeg", ".jpg", ".jpeg", 0, 3, "\xff\xd8\xff"},
    {"image/gif", ".gif", "", 0, 4, "GIF8"},
    {"image/webp", ".webp", "", 8, 4, "WEBP"},
    {"image/ktx2", ".ktx2", "", 0, 8, "\xabKTX 20\xbb"},
    {"image/avif", ".avif", "", 4, 8, "ftypavif"},
    {"image/vnd-ms.dds", ".dds", "", 0, 4, "DDS "},
    {"image/bmp", ".bmp", "", 0, 2, "BM"},
    {"image/tiff", ".tif", ".tiff", 0, 4, "II*\0"},
    {"image/tiff", ".tif", ".tiff", 0, 4, "MM\0*"},
    {"image/x-tga", ".tga", "", 0, 0, NULL},
};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

/* Tells whether the path has the suffix, in upper or lower case. */
static bool path_has_suffix(const char *path, const char *suffix)
{
    size_t size = strlen(suffix), length = strlen(path), same = 0;
    while (length >= size && same < size) {
        char c = path[length - size + same];
        if ((c >= 'A' && c <= 'Z' ? c | 0x20 : c) != suffix[same])
            break;
        same++;
    }
    return size > 0 && same == size;
}

const char *image_type(const unsigned char *bytes, size_t size, const char *path)
{
    for (size_t i = 0; i < KIND_COUNT; i++)
        if (kinds[i].mark && size >= kinds[i].at + kinds[i].size &&
            memcmp(bytes + kinds[i].at, kinds[i].mark, kinds[i].size) == 0)
            return kinds[i].type;
    for (size_t i = 0; i < KIND_COUNT; i++)
        if (path_has_suffix(path, kinds[i].suffix) || path_has_suffix(path, kinds[i].further))
            return kinds[i].type;
    return "";
}

const char *image_suffix(const char *type)
{
    for (size_t i = 0; i < KIND_COUNT; i++)
        if (strcmp(kinds[i].type, type) == 0)
            return kinds[i].suffix;
    return NULL;
}

static uint32_t read_big(const unsigned char *bytes, size_t count)
{
    uint32_t value = 0;
    for (size_t i = 0; i < count; i++)
        value = value << 8 | bytes[i];
    return value;
}

/* Finds the frame header of a JPEG (ITU-T T.81, B.1.1), which is a sequence of segments, each with a marker and a
 * length. From byte 5 of this header on there are height, width and the number of components. Returns NULL if there is
 * none. */
static const unsigned char *jpeg_frame(const unsigned char *bytes, size_t count)
{
    size_t at = 2;
    while (at < count && count - at >= 10) {
        unsigned marker = bytes[at + 1];
        if (bytes[at] != 0xff)
            return NULL;
        if (marker == 0xff) { /* fill */
            at++;
            continue;
        }
        if (marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc)
            return bytes + at;
        size_t length = 2 + (size_t)read_big(bytes + at + 2, 2);
        if (length < 4 || length > count - at)
            return NULL;
        at += length;
    }
    return NULL;
}

bool image_size(const cp_image *image, uint32_t size[2])
{
    const unsigned char *bytes = image->bytes;
    const char *type = bytes ? image_type(bytes, image->size, "") : "";
    const unsigned char *frame = strcmp(type, "image/jpeg") == 0 ? jpeg_frame(bytes, image->size) : NULL;
    bool known = frame;
    if (strcmp(type, "image/png") == 0 && image->size >= 24) { /* PNG: the header is the first chunk */
        size[0] = read_big(bytes + 16, 4);
        size[1] = read_big(bytes + 20, 4);
        known = true;
    } else if (frame) {
        size[1] = read_big(frame + 5, 2);
        size[0] = read_big(frame + 7, 2);
    }
    return known && size[0] > 0 && size[1] > 0;
}

bool image_is_grey(const cp_image *image)
{
    const unsigned char *bytes = image->bytes;
    const char *type = bytes ? image_type(bytes, image->size, "") : "";
    if (strcmp(type, "image/png") == 0 && image->size >= 26) /* the two colour types without colours: grey, and grey
                                                              * with alpha */
        return bytes[25] == 0 || bytes[25] == 4;
    const unsigned char *frame = strcmp(type, "image/jpeg") == 0 ? jpeg_frame(bytes, image->size) : NULL;
    return frame && frame[9] == 1;
}

const char *image_key(struct arena *arena, const cp_image *image)
{
    cp_hash hash = cp_hash_bytes(image->bytes, image->size);
    return arena_print(arena, "%016llx%016llx %s", (unsigned long long)hash.high, (unsigned long long)hash.low,
                       image->type);
}

cp_status scene_keep_image(cp_scene *scene, const struct source *parent, struct source *source, const char *path,
                           const char *code, uint32_t *image)
{
    cp_image added = {.path = scene_text(scene, path)};
    bool is_read = source && source->size > 0 && source->size < UINT32_MAX;
    if (is_read) {
        added.bytes = arena_copy(scene->arena, source->data, source->size, 1);
        added.size = (uint32_t)source->size;
    } else {
        report_warning(scene->context, code, IN_FILE(parent->name), "the image \"%.200s\" cannot be read%s", path,
                       source ? ": it is empty, or has more than 4 GiB" : resolve_places(parent, scene->arena, path));
    }
    source_close(source);
    *image = CP_NONE;
    if (!added.path || (is_read && !added.bytes))
        return CP_LIMIT;
    added.type = image_type(added.bytes, added.size, path);
    *image = scene_add_image(scene, &added);
    return *image == CP_NONE ? CP_LIMIT : CP_OK;
}

cp_status scene_read_image(cp_scene *scene, const struct source *parent, const char *path, const char *other,
                           const char *code, uint32_t *image)
{
    struct source *source = NULL;
    cp_status status = source_open_picture(parent, path, other, &source);
    *image = CP_NONE;
    return status == CP_OK || status == CP_NO ? scene_keep_image(scene, parent, source, path, code, image) : status;
}
