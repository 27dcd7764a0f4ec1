#include "web.h"

#ifdef HAVE_MESHOPT

#include <meshoptimizer.h>

bool pack_is_built(void)
{
    return true;
}

size_t pack_bound(struct pack_input input)
{
    return input.stride ? meshopt_encodeVertexBufferBound(input.count, input.stride)
                        : meshopt_encodeIndexBufferBound(input.count, input.vertex_count);
}

/* The versions are variables of the whole process whose defaults differ between releases of the library. */
size_t pack(struct pack_input input, unsigned char *out)
{
    size_t room = pack_bound(input);
    meshopt_encodeVertexVersion(0);
    meshopt_encodeIndexVersion(1);
    return input.stride ? meshopt_encodeVertexBuffer(out, room, input.elements, input.count, input.stride)
                        : meshopt_encodeIndexBuffer(out, room, input.elements, input.count);
}

#else

bool pack_is_built(void)
{
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
