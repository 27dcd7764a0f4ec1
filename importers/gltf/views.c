/* bufferViews: slices of buffers, or bytes that EXT_ and KHR_meshopt_compression unpack. */
#include "gltf.h"

/* Both have the same syntax; Khronos' also allows vertices in codec version 1, and colours with a filter of their
 * own. */
const char *const meshopt_extensions[2] = {"EXT_meshopt_compression", "KHR_meshopt_compression"};

/* Finds the slice byteOffset, byteLength of the buffer that `object` names. */
static bool slice(struct gltf *gltf, struct gltf_buffers *buffers, uint32_t object, struct gltf_view *view)
{
    const struct gltf_buffer *buffer;
    uint32_t index = gltf_index(gltf, object, "buffer", gltf->lists.buffers.count);
    if (index == CP_NONE)
        return gltf_error(gltf, object, "gltf-missing", "no buffer");
    uint64_t offset = gltf_integer(gltf, object, "byteOffset", 0), size = gltf_integer(gltf, object, "byteLength", 0);
    if (!gltf_buffer(gltf, buffers, index, &buffer))
        return false;
    if (offset > buffer->size || size > buffer->size - offset)
        return gltf_error(gltf, object, "gltf-view", "bytes %llu to %llu of a buffer of %llu",
                          (unsigned long long)offset, (unsigned long long)(offset + size),
                          (unsigned long long)buffer->size);
    view->bytes = buffer->bytes + offset;
    view->size = size;
    return true;
}

static bool decompress(struct gltf *gltf, struct gltf_buffers *buffers, uint32_t extension, struct gltf_view *view)
{
    uint64_t count = gltf_integer(gltf, extension, "count", 0);
    uint64_t stride = gltf_integer(gltf, extension, "byteStride", 0);
    struct gltf_view packed;
    if (!slice(gltf, buffers, extension, &packed))
        return false;
    /* No codec of meshoptimizer packs better than two bits into 16 bytes, or a triangle of 4-byte indices into one. */
    if (stride == 0 || stride > 256 || count > packed.size * 64 / stride)
        return gltf_error(gltf, extension, "gltf-meshopt", "%llu elements of %llu bytes cannot come from %llu bytes",
                          (unsigned long long)count, (unsigned long long)stride, (unsigned long long)packed.size);
    gltf->room.packed += packed.size;
    if (gltf->room.packed > gltf->room.bytes)
        return gltf_error(gltf, extension, "gltf-meshopt", "compressed bufferViews overlap");
    gltf->room.unpacked += count * stride;
    unsigned char *bytes = gltf_allocate(gltf, count, stride);
    if (!bytes || !meshopt_decode(gltf, extension, packed.bytes, packed.size, bytes))
        return false;
    *view = (struct gltf_view){.bytes = bytes, .size = count * stride};
    return true;
}

bool gltf_view(struct gltf *gltf, struct gltf_buffers *buffers, uint32_t index, struct gltf_view *view)
{
    struct gltf_view *kept = &buffers->views[index];
    if (gltf->status == CP_OK && !kept->bytes) {
        uint32_t value = gltf->lists.views.items[index];
        uint32_t extension = JSON_NONE;
        for (size_t i = 0; i < 2 && extension == JSON_NONE && meshopt_is_built(); i++)
            extension = gltf_extension(gltf, value, meshopt_extensions[i]);
        uint64_t stride = gltf_integer(gltf, value, "byteStride", 0);
        bool loaded =
            extension != JSON_NONE ? decompress(gltf, buffers, extension, kept) : slice(gltf, buffers, value, kept);
        kept->stride = stride;
        if (!loaded)
            kept->bytes = NULL;
    }
    *view = *kept;
    return gltf->status == CP_OK;
}

/* ---- views by name ---- */

bool gltf_named_view(struct gltf *gltf, struct gltf_buffers *buffers, uint32_t own, const char *key,
                     struct gltf_view *view)
{
    const char *name = gltf_text(gltf, own, key);
    for (uint32_t i = 0; name && !buffers->views_named && i < gltf->lists.views.count && gltf->status == CP_OK; i++) {
        const char *other = gltf_text(gltf, gltf->lists.views.items[i], "name");
        if (other)
            own_name(gltf, &buffers->view_names, other, i);
    }
    buffers->views_named = buffers->views_named || name;
    uint32_t index = name && gltf->status == CP_OK ? own_lookup(&buffers->view_names, name) : CP_NONE;
    return index != CP_NONE && gltf_view(gltf, buffers, index, view);
}
