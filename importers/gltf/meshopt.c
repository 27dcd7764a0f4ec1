/* EXT_meshopt_compression through libmeshoptimizer 0.18 or later (the extension's appendices A and B are its codecs and
 * filters). Its decoders check what they read. */
#include "gltf.h"

#ifdef HAVE_MESHOPT

#include <meshoptimizer.h>

/* clang-format off */
#define UNPACK_FUNCTIONS(X) \
    X(meshopt_decodeFilterExp) X(meshopt_decodeFilterOct) X(meshopt_decodeFilterQuat) X(meshopt_decodeIndexBuffer) \
    X(meshopt_decodeIndexSequence) X(meshopt_decodeVertexBuffer)
/* clang-format on */

LATE_FUNCTIONS(meshopt, UNPACK_FUNCTIONS);
static LATE_LIBRARY(meshopt, FILE_OF_MESHOPT, 16 << 20, UNPACK_FUNCTIONS);

enum { FILTER_NONE, FILTER_OCTAHEDRAL, FILTER_QUATERNION, FILTER_EXPONENTIAL };

static const char *const mode_words[] = {"ATTRIBUTES", "TRIANGLES", "INDICES", NULL};
static const char *const filter_words[] = {"NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL", NULL};

bool meshopt_is_built(void)
{
    return true;
}

/* Tells whether the decoders accept count and stride (the extension's "JSON schema updates"). */
static bool shape_is_legal(uint32_t mode, uint32_t filter, uint64_t count, uint64_t stride)
{
    if (mode != MESHOPT_ATTRIBUTES)
        return filter == FILTER_NONE && (stride == 2 || stride == 4) && (mode != MESHOPT_TRIANGLES || count % 3 == 0);
    if (filter == FILTER_OCTAHEDRAL)
        return stride == 4 || stride == 8;
    if (filter == FILTER_QUATERNION)
        return stride == 8;
    return stride % 4 == 0;
}

static void apply_filter(uint32_t filter, unsigned char *out, size_t count, size_t stride)
{
    if (filter == FILTER_OCTAHEDRAL)
        meshopt.meshopt_decodeFilterOct(out, count, stride);
    else if (filter == FILTER_QUATERNION)
        meshopt.meshopt_decodeFilterQuat(out, count, stride);
    else if (filter == FILTER_EXPONENTIAL)
        meshopt.meshopt_decodeFilterExp(out, count, stride);
}

bool meshopt_decode(struct gltf *gltf, uint32_t value, const unsigned char *bytes, size_t size, unsigned char *out)
{
    uint32_t mode = gltf_word(gltf, value, "mode", mode_words, CP_NONE);
    uint32_t filter = gltf_word(gltf, value, "filter", filter_words, FILTER_NONE);
    size_t count = gltf_integer(gltf, value, "count", 0), stride = gltf_integer(gltf, value, "byteStride", 0);
    if (gltf->status == CP_OK && (mode == CP_NONE || !shape_is_legal(mode, filter, count, stride)))
        gltf_error(gltf, value, "gltf-meshopt", "mode, filter, count and byteStride do not go together");
    if (gltf->status == CP_OK)
        gltf->status = library_load(gltf->context, &meshopt_library);
    if (gltf->status != CP_OK)
        return false;
    int wrong = mode == MESHOPT_ATTRIBUTES  ? meshopt.meshopt_decodeVertexBuffer(out, count, stride, bytes, size)
                : mode == MESHOPT_TRIANGLES ? meshopt.meshopt_decodeIndexBuffer(out, count, stride, bytes, size)
                                            : meshopt.meshopt_decodeIndexSequence(out, count, stride, bytes, size);
    bool newer = mode == MESHOPT_ATTRIBUTES && size > 0 && bytes[0] > 0xa0 && bytes[0] <= 0xaf; /* 0xa0 + version */
    if (wrong)
        gltf_error(gltf, value, "gltf-meshopt", "the compressed bytes are %s",
                   newer ? "of a newer version than libmeshoptimizer's" : "damaged");
    else
        apply_filter(filter, out, count, stride);
    return gltf->status == CP_OK;
}

#else

bool meshopt_is_built(void)
{
    return false;
}

bool meshopt_decode(struct gltf *gltf, uint32_t value, const unsigned char *bytes, size_t size, unsigned char *out)
{
    (void)bytes;
    (void)size;
    (void)out;
    gltf_error(gltf, value, "gltf-meshopt",
               "EXT_meshopt_compression is not built; it needs the package libmeshoptimizer-dev");
    return false;
}

#endif
