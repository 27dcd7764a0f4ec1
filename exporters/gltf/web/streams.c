/* Vertices and indices of all meshes, a view a kind: few views to describe, long runs to pack. */
#include "../writer.h"

#include "../../../scene/parallel.h"

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

/* Positions: x and y in one word, z in the next. Normals, packed: x and y of the octahedron and the length 127, for the
 * filter; else what the filter makes of them. */
bool stream_vertices(struct writer *writer, struct mesh_plan *plan)
{
    const struct web_mesh *web = plan->web;
    uint32_t count = web->vertex_count;
    unsigned char *out = extend_stream(writer, STREAM_POSITIONS, count);
    if (!out)
        return false;
    struct accessor positions = last_elements(writer, STREAM_POSITIONS, count);
    positions.ranged = true;
    for (int axis = 0; axis < 3; axis++) {
        float low = (float)UINT16_MAX, high = 0;
        for (uint32_t i = 0; i < count; i++) {
            float place = (float)(web->vertices[i][axis / 2] >> 16 * (axis % 2) & 0xffff);
            low = fminf(low, place);
            high = fmaxf(high, place);
        }
        positions.minimum[axis] = low;
        positions.maximum[axis] = high;
    }
    for (size_t i = 0; i < count; i++) {
        put_word(out + 8 * i, web->vertices[i][0]);
        put_word(out + 8 * i + 4, web->vertices[i][1] & 0xffff);
    }
    plan->positions = add_accessor(&writer->binary, positions);
    if (plan->positions == CP_NONE)
        return false;

    if (plan->shape->normals) {
        bool packed = writer->settings->compression != COMPRESSION_NONE;
        out = extend_stream(writer, STREAM_NORMALS, count);
        for (size_t i = 0; out && i < count; i++) {
            uint32_t code = web->vertices[i][1] >> 16, word = code | 127U << 16;
            if (!packed) {
                signed char n[3];
                web_decode_normal(code, n);
                word = ((uint32_t)n[0] & 0xff) | ((uint32_t)n[1] & 0xff) << 8 | ((uint32_t)n[2] & 0xff) << 16;
            }
            put_word(out + 4 * i, word);
        }
        if (out)
            plan->normals = add_accessor(&writer->binary, last_elements(writer, STREAM_NORMALS, count));
        if (plan->normals == CP_NONE)
            return false;
    }
    if (plan->shape->colours) {
        out = extend_stream(writer, STREAM_COLOURS, count);
        for (size_t i = 0; out && i < count; i++)
            put_word(out + 4 * i, web->vertices[i][2]);
        if (out)
            plan->colours = add_accessor(&writer->binary, last_elements(writer, STREAM_COLOURS, count));
        if (plan->colours == CP_NONE)
            return false;
    }
    return true;
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
        bool indices = formats[kind].indices;
        if (stream->count == 0)
            continue;
        struct job *job = &jobs[count++];
        *job = (struct job){.kind = (enum stream_kind)kind,
                            .input = {stream->bytes.data, stream->count, indices ? 0 : formats[kind].size,
                                      indices ? writer->web.streams[STREAM_POSITIONS].count : 0}};
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

bool finish_streams(struct writer *writer)
{
    if (writer->settings->compression != COMPRESSION_NONE)
        return pack_streams(writer);
    for (int kind = 0; kind < STREAM_COUNT; kind++) {
        const struct stream *stream = &writer->web.streams[kind];
        const struct stream_format *format = &formats[kind];
        if (stream->count == 0)
            continue;
        struct view *view = &writer->binary.views[stream->view];
        view->data = stream->bytes.data;
        view->encoding = kind == STREAM_NARROW ? ENCODE_NARROW : kind == STREAM_WIDE ? ENCODE_WORDS : ENCODE_BYTES;
        view->count = format->indices ? stream->count : stream->count * format->size;
        view->stride = format->indices ? 0 : format->size;
    }
    return true;
}
