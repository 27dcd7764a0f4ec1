#include "layers.h"

#include <string.h>

struct layers {
    uint32_t *parts; /* of the open layers, the device's first; CP_NONE while a layer has none */
    uint32_t depth;  /* the innermost one */
    bool over;       /* the device's own is closed */
    uint32_t odd;
};

static void note_odd(struct layers *layers, uint32_t part)
{
    if (layers->odd == CP_NONE)
        layers->odd = part;
}

static uint32_t enter(struct layers *layers, uint32_t part)
{
    if (layers->over || layers->parts[layers->depth] != CP_NONE)
        note_odd(layers, part > 0 ? part - 1 : part);
    layers->over = false;
    layers->parts[layers->depth] = part;
    return layers->depth > 0 ? layers->parts[layers->depth - 1] : CP_NONE;
}

static void open_layer(struct layers *layers, uint32_t part)
{
    if (layers->over || layers->parts[layers->depth] == CP_NONE)
        note_odd(layers, part);
    else
        layers->parts[++layers->depth] = CP_NONE;
}

static void close_layer(struct layers *layers, uint32_t part)
{
    if (layers->over || layers->parts[layers->depth] == CP_NONE)
        note_odd(layers, part);
    if (layers->depth > 0)
        layers->depth--;
    else
        layers->over = true;
}

bool deneb_read_layers(cp_context *context, const char *const *flags, uint32_t count, uint32_t *parents, uint32_t *odd)
{
    struct layers layers = {.parts = memory_allocate(context, (size_t)count + 1, sizeof *layers.parts), .odd = CP_NONE};
    if (!layers.parts)
        return false;
    layers.parts[0] = CP_NONE;
    for (uint32_t part = 0; part < count; part++) {
        parents[part] = enter(&layers, part);
        for (const char *bit = flags[part]; *bit; bit++)
            if (*bit == '1')
                open_layer(&layers, part);
            else
                close_layer(&layers, part);
    }
    if (count > 0 && !layers.over)
        note_odd(&layers, count - 1);
    memory_free(context, layers.parts, (size_t)count + 1, sizeof *layers.parts);
    *odd = layers.odd;
    return true;
}
