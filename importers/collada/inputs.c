/* The inputs of primitives. */
#include "inputs.h"

/* Adds coordinates in the order of their sets. <vertices> may repeat a source of the primitive. */
static void add_set(struct collada_document *document, struct picked *picked, uint32_t set,
                    const struct channel *channel)
{
    struct channel *channels = picked->layout.channels + CHANNEL_COORDINATES;
    uint32_t at = picked->set_count;
    for (uint32_t i = 0; i < picked->set_count; i++)
        if (picked->sets[i] == set || (picked->in_vertices && channels[i].source == channel->source)) {
            document->collada->counts[COLLADA_TOLD_SETS] += channels[i].source != channel->source;
            return;
        }
    while (at > 0 && picked->sets[at - 1] > set)
        at--;
    document->collada->counts[COLLADA_TOLD_SETS] += picked->set_count == CP_COORDINATE_SETS;
    if (at == CP_COORDINATE_SETS)
        return;
    uint32_t moved = CP_COORDINATE_SETS - at - 1;
    memmove(channels + at + 1, channels + at, moved * sizeof *channels);
    memmove(picked->sets + at + 1, picked->sets + at, moved * sizeof *picked->sets);
    channels[at] = *channel;
    picked->sets[at] = set;
    picked->set_count += picked->set_count < CP_COORDINATE_SETS;
}

/* Takes an input, of the primitive or its <vertices>, that is read. */
static cp_status take_input(struct collada_document *document, const struct collada_input *input, uint32_t offset,
                            struct picked *picked)
{
    static const struct {
        const char *semantic;
        uint32_t least; /* columns */
    } read[] = {{"POSITION", 3}, {"NORMAL", 3}, {"TEXCOORD", 2}, {"COLOR", 3}};
    size_t kind = 0;
    while (kind < 4 && strcmp(input->semantic, read[kind].semantic) != 0)
        kind++;
    if (kind == 4)
        return CP_OK;
    struct channel channel = {.offset = offset};
    if (kind > 0 && input->source == CP_NONE && collada_find_source(document, input->reference) == CP_NONE) {
        document->collada->counts[COLLADA_TOLD_SOURCES]++;
        return CP_OK;
    }
    cp_status status = collada_view_input(document, input, &channel.view, &channel.source);
    if (status == CP_OK && channel.view.column_count < read[kind].least && channel.view.count > 0)
        return collada_error(document, "collada-source", input->line,
                             "the source of the input %s has %u numbers an element, not %u", input->semantic,
                             (unsigned)channel.view.column_count, (unsigned)read[kind].least);
    if (status != CP_OK || kind == 2) {
        if (status == CP_OK)
            add_set(document, picked, input->set, &channel);
        return status;
    }
    struct channel *to = kind == 0   ? &picked->position
                         : kind == 1 ? &picked->layout.channels[CHANNEL_NORMAL]
                                     : &picked->layout.channels[CHANNEL_COLOUR];
    if (to->offset == CP_NONE)
        *to = channel;
    return CP_OK;
}

/* The input VERTEX names the mesh's <vertices>, whose inputs have its offset. */
static cp_status take_vertices(struct collada_document *document, const struct collada_geometry *geometry,
                               uint32_t offset, struct picked *picked)
{
    cp_status status = CP_OK;
    picked->in_vertices = true;
    for (uint32_t i = 0; status == CP_OK && i < geometry->input_count; i++)
        status = take_input(document, &document->inputs[geometry->first_input + i], offset, picked);
    return status;
}

static cp_status find_inputs(struct collada_document *document, const struct collada_geometry *geometry,
                             const struct collada_primitive *primitive, struct picked *picked)
{
    cp_status status = CP_OK;
    *picked = (struct picked){.primitive = primitive, .position = {.offset = CP_NONE}};
    for (int i = 0; i < CHANNELS; i++)
        picked->layout.channels[i].offset = CP_NONE;
    for (uint32_t i = 0; i < primitive->input_count; i++) {
        uint32_t offset = document->inputs[primitive->first_input + i].offset;
        picked->stride = offset + 1 > picked->stride ? offset + 1 : picked->stride;
    }
    for (uint32_t i = 0; status == CP_OK && i < primitive->input_count; i++) {
        const struct collada_input *input = &document->inputs[primitive->first_input + i];
        if (strcmp(input->semantic, "VERTEX") != 0)
            status = take_input(document, input, input->offset, picked);
    }
    for (uint32_t i = 0; status == CP_OK && i < primitive->input_count; i++) {
        const struct collada_input *input = &document->inputs[primitive->first_input + i];
        if (strcmp(input->semantic, "VERTEX") == 0)
            status = take_vertices(document, geometry, input->offset, picked);
    }
    if (status == CP_OK && picked->position.offset == CP_NONE)
        return collada_error(document, "collada-input", primitive->line, "a primitive without positions");
    return status;
}

/* Refuses indices beyond what their source has. */
static cp_status check_indices(const struct collada_document *document, const struct picked *picked,
                               const struct channel *channel)
{
    const struct collada_indices *indices = &picked->primitive->indices;
    if (channel->offset == CP_NONE)
        return CP_OK;
    uint32_t highest = 0;
    for (size_t i = channel->offset; i < indices->count; i += picked->stride)
        highest = indices->items[i] > highest ? indices->items[i] : highest;
    if (highest < channel->view.count || indices->count <= channel->offset)
        return CP_OK;
    return collada_error(document, "collada-index", picked->primitive->line, "<p> names element %u of a source with %u",
                         (unsigned)highest, (unsigned)channel->view.count);
}

cp_status collada_find_inputs(struct collada_document *document, const struct collada_geometry *geometry,
                              const struct collada_primitive *primitive, struct picked *picked)
{
    cp_status status = find_inputs(document, geometry, primitive, picked);
    if (status == CP_OK)
        status = check_indices(document, picked, &picked->position);
    for (int i = 0; status == CP_OK && i < CHANNELS; i++)
        status = check_indices(document, picked, &picked->layout.channels[i]);
    return status;
}
