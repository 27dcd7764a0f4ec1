/* Normals as points of an octahedron unfolded to a square: filter OCTAHEDRAL of EXT_meshopt_compression (appendix B), 8
 * bits. */
#include "web.h"

#include <math.h>

enum { ONE = 127 };

static uint32_t code_of(int x, int y)
{
    return ((uint32_t)x & 0xff) | ((uint32_t)y & 0xff) << 8;
}

/* Decodes as the extension's decoder does: the fold below the equator, then the length 127, rounded. */
void web_decode_normal(uint32_t code, signed char out[3])
{
    float x = (float)(signed char)(code & 0xff), y = (float)(signed char)(code >> 8 & 0xff);
    float z = (float)ONE - fabsf(x) - fabsf(y), fold = z < 0 ? z : 0;
    x += x >= 0 ? fold : -fold;
    y += y >= 0 ? fold : -fold;
    float scale = (float)ONE / sqrtf(x * x + y * y + z * z);
    const float components[3] = {x * scale, y * scale, z * scale};
    for (int i = 0; i < 3; i++)
        out[i] = (signed char)(components[i] + (components[i] >= 0 ? 0.5F : -0.5F));
}

/* Returns the cosine of the angle between the normal and the code's, times the normal's length. */
static float likeness(const float normal[3], uint32_t code)
{
    signed char n[3];
    web_decode_normal(code, n);
    float x = (float)n[0], y = (float)n[1], z = (float)n[2];
    return (normal[0] * x + normal[1] * y + normal[2] * z) / sqrtf(x * x + y * y + z * z);
}

static int clamp(float value)
{
    return value < -(float)ONE ? -ONE : value > (float)ONE ? ONE : (int)value;
}

/* Takes the best of the four codes around the point: to round each coordinate by itself errs by half as much again. */
uint32_t web_encode_normal(const float normal[3])
{
    float sum = fabsf(normal[0]) + fabsf(normal[1]) + fabsf(normal[2]);
    if (!(sum > 0) || !isfinite(sum))
        return code_of(0, 0); /* no direction: +z */
    float x = normal[0] / sum, y = normal[1] / sum;
    if (normal[2] < 0) {
        float folded = (1 - fabsf(y)) * (x < 0 ? -1.0F : 1.0F);
        y = (1 - fabsf(x)) * (y < 0 ? -1.0F : 1.0F);
        x = folded;
    }
    int left = clamp(floorf(x * ONE)), low = clamp(floorf(y * ONE));
    uint32_t best = 0;
    float most = -INFINITY;
    for (int i = 0; i < 4; i++) {
        uint32_t code = code_of(clamp((float)(left + i % 2)), clamp((float)(low + i / 2)));
        float like = likeness(normal, code);
        if (like > most) {
            most = like;
            best = code;
        }
    }
    return best;
}
