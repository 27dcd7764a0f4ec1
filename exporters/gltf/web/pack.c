#include "web.h"

#ifdef HAVE_MESHOPT

#include <meshoptimizer.h>

/* clang-format off */
#define PACK_FUNCTIONS(X) \
    X(meshopt_encodeIndexBuffer) X(meshopt_encodeIndexBufferBound) X(meshopt_encodeIndexVersion) \
    X(meshopt_encodeVertexBuffer) X(meshopt_encodeVertexBufferBound) X(meshopt_encodeVertexVersion)
/* clang-format on */

LATE_FUNCTIONS(meshopt, PACK_FUNCTIONS);
static LATE_LIBRARY(meshopt, FILE_OF_MESHOPT, 16 << 20, PACK_FUNCTIONS);

bool pack_is_built(void)
{
    return true;
}

bool pack_load(cp_context *context)
{
    return library_load(context, &meshopt_library) == CP_OK;
}

size_t pack_bound(struct pack_input input)
{
    return input.stride ? meshopt.meshopt_encodeVertexBufferBound(input.count, input.stride)
                        : meshopt.meshopt_encodeIndexBufferBound(input.count, input.vertex_count);
}

/* The versions are variables of the whole process whose defaults differ between releases of the library. */
size_t pack(struct pack_input input, unsigned char *out)
{
    size_t room = pack_bound(input);
    meshopt.meshopt_encodeVertexVersion(0);
    meshopt.meshopt_encodeIndexVersion(1);
    return input.stride ? meshopt.meshopt_encodeVertexBuffer(out, room, input.elements, input.count, input.stride)
                        : meshopt.meshopt_encodeIndexBuffer(out, room, input.elements, input.count);
}

#else

bool pack_is_built(void)
{
    return false;
}

bool pack_load(cp_context *context)
{
    (void)context;
    return false;
}

size_t pack_bound(struct pack_input input)
{
    (void)input;
    return 0;
}

size_t pack(struct pack_input input, unsigned char *out)
{
    (void)input;
    (void)out;
    return 0;
}

#endif
