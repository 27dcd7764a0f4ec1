/* Vertices and indices of all meshes, a view a kind: few views to describe, long runs to pack. */
#include "../writer.h"

#include "../../../scene/parallel.h"
#include "pack.h"

#include <math.h>
#include <string.h>

/* ---- filling ---- */

static const struct stream_format {
    uint8_t size; /* of an element in the file; indices are held as words here */
    uint16_t component;
    uint8_t width;
    uint16_t target;
    bool normalized, indices;
    const char *filter;
} formats[STREAM_COUNT] = {
    [STREAM_POSITIONS] = {8, COMPONENT_U16, 3, TARGET_VERTICES, false, false, NULL},
    [STREAM_NORMALS] = {4, COMPONENT_I8, 3, TARGET_VERTICES, true, false, "OCTAHEDRAL"},
    [STREAM_COLOURS] = {4, COMPONENT_U8, 4, TARGET_VERTICES, true, false, NULL},
    [STREAM_NARROW] = {2, COMPONENT_U16, 1, TARGET_INDICES, false, true, NULL},
    [STREAM_WIDE] = {4, COMPONENT_U32, 1, TARGET_INDICES, false, true, NULL},
};

/* The stream's next count elements; NULL when out of memory. */
static void *extend_stream(struct writer *writer, enum stream_kind kind, uint32_t count)
{
    struct stream *stream = &writer->web.streams[kind];
    const struct stream_format *format = &formats[kind];
    size_t size = (size_t)count * (format->indices ? sizeof(uint32_t) : format->size);
    if (stream->count == 0)
        stream->view = add_view(&writer->binary, (struct view){.target = format->target});
    if (stream->view == CP_NONE)
        return NULL;
    if (stream->count + count > UINT32_MAX) {
        report_error(writer->context, CP_LIMIT, "gltf-indices", NOWHERE,
                     "more than 4 294 967 295 vertices or indices do not fit one view");
        return NULL;
    }
    stream->bytes.context = writer->context;
    if (!buffer_reserve(&stream->bytes, size))
        return NULL;
    void *elements = stream->bytes.data + stream->bytes.size;
    stream->bytes.size += size;
    stream->count += count;
    return elements;
}

/* The accessor of the stream's last count elements. */
static struct accessor last_elements(const struct writer *writer, enum stream_kind kind, uint32_t count)
{
    const struct stream *stream = &writer->web.streams[kind];
    const struct stream_format *format = &formats[kind];
    return (struct accessor){.view = stream->view,
                             .offset = (stream->count - count) * format->size,
                             .count = count,
                             .component = format->component,
                             .width = format->width,
                             .normalized = format->normalized};
}

static void put_word(unsigned char *out, uint32_t word)
{
    for (int i = 0; i < 4; i++)
        out[i] = (unsigned char)(word >> 8 * i & 0xff);
}

static void set_place_range(struct accessor *accessor, const struct web_mesh *web)
{
    accessor->ranged = true;
    for (int axis = 0; axis < 3; axis++) {
        accessor->minimum[axis] = (float)UINT16_MAX;
        accessor->maximum[axis] = 0;
        for (uint32_t i = 0; i < web->vertex_count; i++) {
            float place = (float)(web->vertices[i][axis / 2] >> 16 * (axis % 2) & 0xffff);
            accessor->minimum[axis] = fminf(accessor->minimum[axis], place);
            accessor->maximum[axis] = fmaxf(accessor->maximum[axis], place);
        }
    }
}

static bool stream_positions(struct writer *writer, struct mesh_plan *plan)
{
    const struct web_mesh *web = plan->web;
    unsigned char *out = extend_stream(writer, STREAM_POSITIONS, web->vertex_count);
    if (!out)
        return false;
    for (size_t i = 0; i < web->vertex_count; i++) {
        put_word(out + 8 * i, web->vertices[i][0]);
        put_word(out + 8 * i + 4, web->vertices[i][1] & 0xffff);
    }
    struct accessor accessor = last_elements(writer, STREAM_POSITIONS, web->vertex_count);
    set_place_range(&accessor, web);
    plan->positions = add_accessor(&writer->binary, accessor);
    return plan->positions != CP_NONE;
}

/* Packed: x and y of the octahedron and the length 127, for the filter; else what the filter makes of them. */
static uint32_t normal_word(uint32_t code, bool packed)
{
    signed char n[3];
    if (packed)
        return code | 127U << 16;
    web_decode_normal(code, n);
    return ((uint32_t)n[0] & 0xff) | ((uint32_t)n[1] & 0xff) << 8 | ((uint32_t)n[2] & 0xff) << 16;
}

static bool stream_normals(struct writer *writer, struct mesh_plan *plan)
{
    const struct web_mesh *web = plan->web;
    bool packed = has_compression(writer->settings);
    unsigned char *out = extend_stream(writer, STREAM_NORMALS, web->vertex_count);
    if (!out)
        return false;
    for (size_t i = 0; i < web->vertex_count; i++)
        put_word(out + 4 * i, normal_word(web->vertices[i][1] >> 16, packed));
    plan->normals = add_accessor(&writer->binary, last_elements(writer, STREAM_NORMALS, web->vertex_count));
    return plan->normals != CP_NONE;
}

static bool stream_colours(struct writer *writer, struct mesh_plan *plan)
{
    const struct web_mesh *web = plan->web;
    unsigned char *out = extend_stream(writer, STREAM_COLOURS, web->vertex_count);
    if (!out)
        return false;
    for (size_t i = 0; i < web->vertex_count; i++)
        put_word(out + 4 * i, web->vertices[i][2]);
    plan->colours = add_accessor(&writer->binary, last_elements(writer, STREAM_COLOURS, web->vertex_count));
    return plan->colours != CP_NONE;
}

bool stream_vertices(struct writer *writer, struct mesh_plan *plan)
{
    return stream_positions(writer, plan) && (!plan->shape->normals || stream_normals(writer, plan)) &&
           (!plan->shape->colours || stream_colours(writer, plan));
}

bool stream_indices(struct writer *writer, struct mesh_plan *plan)
{
    enum stream_kind kind = plan->web->vertex_count <= MOST_NARROW_VERTICES ? STREAM_NARROW : STREAM_WIDE;
    void *out = extend_stream(writer, kind, plan->index_count);
    if (!out)
        return false;
    memcpy(out, plan->indices, plan->index_count * sizeof *plan->indices);
    struct accessor whole = last_elements(writer, kind, plan->index_count);
    for (uint32_t i = 0; i < plan->primitive_count; i++) {
        struct primitive *primitive = &plan->primitives[i];
        struct accessor accessor = whole;
        accessor.offset += (uint64_t)primitive->first_index * formats[kind].size;
        accessor.count = primitive->index_count;
        primitive->accessor = add_accessor(&writer->binary, accessor);
        if (primitive->accessor == CP_NONE)
            return false;
    }
    return true;
}

/* ---- packing ---- */

struct job {
    enum stream_kind kind;
    struct pack_input input;
    unsigned char *out;
    size_t bound, size;
};

static void run_job(void *user, uint32_t item, uint32_t worker)
{
    struct job *job = &((struct job *)user)[item];
    (void)worker;
    job->size = pack(job->input, job->out);
}

/* Each stream is work for a thread. */
static bool pack_streams(struct writer *writer)
{
    struct job jobs[STREAM_COUNT];
    uint32_t count = 0;
    size_t bound = 0;
    for (int kind = 0; kind < STREAM_COUNT; kind++) {
        const struct stream *stream = &writer->web.streams[kind];
        if (stream->count == 0)
            continue;
        struct job *job = &jobs[count++];
        *job = (struct job){.kind = (enum stream_kind)kind};
        job->input = formats[kind].indices ? pack_corners((const uint32_t *)(const void *)stream->bytes.data,
                                                          stream->count, writer->web.streams[STREAM_POSITIONS].count)
                                           : pack_vertices(stream->bytes.data, stream->count, formats[kind].size);
        job->bound = pack_bound(job->input);
        bound += job->bound;
    }
    writer->web.packed.context = writer->context;
    if (!buffer_reserve(&writer->web.packed, bound))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        jobs[i].out = (unsigned char *)writer->web.packed.data + writer->web.packed.size;
        writer->web.packed.size += jobs[i].bound;
    }
    if (!parallel_for(writer->context, count, run_job, jobs))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const struct stream_format *format = &formats[jobs[i].kind];
        struct view *view = &writer->binary.views[writer->web.streams[jobs[i].kind].view];
        struct packing packing = {format->indices ? "TRIANGLES" : "ATTRIBUTES", format->filter, jobs[i].input.count, 0,
                                  format->size};
        view->data = jobs[i].out;
        view->count = jobs[i].size;
        view->encoding = ENCODE_BYTES;
        view->stride = format->indices ? 0 : format->size;
        view->packing = arena_copy(writer->work->arena, &packing, 1, sizeof packing);
        if (!view->packing)
            return false;
    }
    return true;
}

static void show_plain(struct writer *writer, enum stream_kind kind)
{
    const struct stream *stream = &writer->web.streams[kind];
    struct view *view = &writer->binary.views[stream->view];
    view->data = stream->bytes.data;
    view->encoding = kind == STREAM_NARROW ? ENCODE_NARROW : kind == STREAM_WIDE ? ENCODE_WORDS : ENCODE_BYTES;
    view->count = formats[kind].indices ? stream->count : stream->count * formats[kind].size;
    view->stride = formats[kind].indices ? 0 : formats[kind].size;
}

bool finish_streams(struct writer *writer)
{
    if (has_compression(writer->settings))
        return pack_streams(writer);
    for (int kind = 0; kind < STREAM_COUNT; kind++)
        if (writer->web.streams[kind].count > 0)
            show_plain(writer, (enum stream_kind)kind);
    return true;
}
