#include "cell.h"

static void note_odd(struct deneb_layers *layers, uint32_t part)
{
    if (!layers->broken)
        layers->odd = part;
    layers->broken = true;
}

static uint32_t enter(struct deneb_layers *layers, uint32_t part)
{
    if (layers->over || layers->parts[layers->depth] != CP_NONE)
        note_odd(layers, part > 0 ? part - 1 : part);
    layers->over = false;
    layers->parts[layers->depth] = part;
    return layers->depth > 0 ? layers->parts[layers->depth - 1] : CP_NONE;
}

static void open_layer(struct deneb_layers *layers, uint32_t part)
{
    if (layers->over || layers->parts[layers->depth] == CP_NONE)
        note_odd(layers, part);
    else
        layers->parts[++layers->depth] = CP_NONE;
}

static void close_layer(struct deneb_layers *layers, uint32_t part)
{
    if (layers->over || layers->parts[layers->depth] == CP_NONE)
        note_odd(layers, part);
    if (layers->depth > 0)
        layers->depth--;
    else
        layers->over = true;
}

bool deneb_add_layer(struct deneb_layers *layers, const char *flag, uint32_t *parent, uint32_t *depth)
{
    uint32_t part = layers->count++;
    /* A part opens one layer at most, since a second one would have no part around it. */
    if (!array_reserve(layers->context, &layers->parts, &layers->room, layers->depth + UINT64_C(2),
                       sizeof *layers->parts))
        return false;
    if (part == 0)
        layers->parts[0] = CP_NONE;
    *parent = enter(layers, part);
    *depth = layers->depth;
    for (const char *bit = flag; *bit; bit++)
        if (*bit == '1')
            open_layer(layers, part);
        else
            close_layer(layers, part);
    return true;
}

uint32_t deneb_end_layers(struct deneb_layers *layers)
{
    if (layers->count > 0 && !layers->over)
        note_odd(layers, layers->count - 1);
    memory_free(layers->context, layers->parts, layers->room, sizeof *layers->parts);
    layers->parts = NULL;
    return layers->broken ? layers->odd : CP_NONE;
}
