/* Streams of the vertices and indices of all meshes and the numbers of clips, each in one view: few views to describe,
 * long runs to pack. */
#include "../writer.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* ---- filling ---- */

static const struct stream_format {
    uint8_t size; /* bytes of an element in the file; indices are words here */
    uint16_t component;
    uint8_t width;
    uint16_t target;
    bool normalized, indices;
    const char *filter;
} formats[STREAM_COUNT] = {
    [STREAM_POSITIONS] = {8, COMPONENT_U16, 3, TARGET_VERTICES, false, false, NULL},
    [STREAM_NORMALS] = {4, COMPONENT_I8, 3, TARGET_VERTICES, true, false, "OCTAHEDRAL"},
    [STREAM_TANGENTS] = {4, COMPONENT_I8, 4, TARGET_VERTICES, true, false, "OCTAHEDRAL"},
    [STREAM_COLOURS] = {4, COMPONENT_U8, 4, TARGET_VERTICES, true, false, NULL},
    [STREAM_COORDINATES] = {4, COMPONENT_U16, 2, TARGET_VERTICES, false, false, NULL},
    [STREAM_FLOAT_COORDINATES] = {8, COMPONENT_FLOAT, 2, TARGET_VERTICES, false, false, NULL},
    [STREAM_NARROW] = {2, COMPONENT_U16, 1, TARGET_INDICES, false, true, NULL},
    [STREAM_WIDE] = {4, COMPONENT_U32, 1, TARGET_INDICES, false, true, NULL},
    [STREAM_TIMES] = {4, COMPONENT_FLOAT, 1, TARGET_NONE, false, false, "EXPONENTIAL"},
    [STREAM_PLACES] = {12, COMPONENT_FLOAT, 3, TARGET_NONE, false, false, "EXPONENTIAL"},
    [STREAM_TURNS] = {16, COMPONENT_FLOAT, 4, TARGET_NONE, false, false, "EXPONENTIAL"},
};

void begin_streams(struct gltf_file *file)
{
    struct gltf_streams *streams = &file->web.streams;
    *streams = (struct gltf_streams){.context = file->context,
                                     .arena = file->work->arena,
                                     .binary = &file->binary,
                                     .packs = file->settings->web && file->settings->compression != COMPRESSION_NONE,
                                     .packed = {.context = file->context},
                                     .arrays = {.context = file->context}};
    for (int i = 0; i < STREAM_COUNT; i++)
        streams->streams[i].bytes.context = file->context;
}

/* Returns the stream's next count elements; NULL when out of memory. */
static void *extend_stream(struct gltf_streams *streams, enum stream_kind kind, uint32_t count)
{
    struct stream *stream = &streams->streams[kind];
    const struct stream_format *format = &formats[kind];
    size_t size = (size_t)count * (format->indices ? sizeof(uint32_t) : format->size);
    if (stream->count == 0)
        stream->view = add_view(streams->binary, (struct buffer_view){.target = format->target});
    if (stream->view == CP_NONE)
        return NULL;
    if (stream->count + count > UINT32_MAX) {
        report_error(streams->context, CP_LIMIT, "gltf-indices", NOWHERE,
                     "more than 4 294 967 295 vertices or indices do not fit one view");
        return NULL;
    }
    if (!buffer_reserve(&stream->bytes, size))
        return NULL;
    void *elements = stream->bytes.data + stream->bytes.size;
    stream->bytes.size += size;
    stream->count += count;
    return elements;
}

/* Returns the entry for a hash of some numbers: the place of elements in a stream, or an accessor. NULL when out of
 * memory. */
static uint32_t *find_shared(struct gltf_streams *streams, char what, enum stream_kind kind, uint32_t count,
                             uint64_t hash, bool *added)
{
    char *key =
        arena_print(streams->arena, "%c%d:%lu:%llx", what, (int)kind, (unsigned long)count, (unsigned long long)hash);
    return key ? name_map_add(&streams->arrays, key, 0, added) : NULL;
}

/* At most so many bytes of meshes are shared. Readers make vertices and indices of an accessor anew for each mesh that
 * has it, and suspect files that are small and expand to much. So not more is shared than what the mesh takes
 * otherwise. */
enum { MOST_SHARED = 4096 };

/* Finds the accessor of the stream's last count elements. If the same ones are in it before, the last ones are dropped,
 * and it is that of the first. False when out of memory. */
static bool last_elements(struct gltf_streams *streams, enum stream_kind kind, uint32_t count,
                          struct accessor *accessor)
{
    struct stream *stream = &streams->streams[kind];
    const struct stream_format *format = &formats[kind];
    size_t held = format->indices ? sizeof(uint32_t) : format->size, size = count * held;
    char *bytes = stream->bytes.data, *last = bytes + stream->bytes.size - size;
    uint64_t first = stream->count - count;
    if (format->target == TARGET_NONE || size <= MOST_SHARED) {
        bool added = false;
        uint32_t *known = find_shared(streams, 'e', kind, count, hash_content(last, size), &added);
        if (!known)
            return false;
        if (added)
            *known = (uint32_t)first;
        if (!added && memcmp(bytes + *known * held, last, size) == 0) {
            first = *known;
            stream->bytes.size -= size;
            stream->count -= count;
        }
    }
    *accessor = (struct accessor){.view = stream->view,
                                  .offset = first * format->size,
                                  .count = count,
                                  .component = format->component,
                                  .width = format->width,
                                  .normalized = format->normalized};
    return true;
}

/* Returns a new accessor, or the one of the same elements. CP_NONE when out of memory. */
static uint32_t share_accessor(struct gltf_streams *streams, enum stream_kind kind, struct accessor accessor)
{
    bool added = false;
    uint32_t *known = find_shared(streams, 'a', kind, (uint32_t)accessor.count, accessor.offset, &added);
    if (known && added)
        *known = add_accessor(streams->binary, accessor);
    return known ? *known : CP_NONE;
}

static void put_word(unsigned char *out, uint32_t word)
{
    for (int i = 0; i < 4; i++)
        out[i] = (unsigned char)(word >> 8 * i & 0xff);
}

static bool stream_coordinates(struct gltf_streams *streams, bool integers, struct mesh_plan *plan, size_t set)
{
    enum stream_kind kind = integers ? STREAM_COORDINATES : STREAM_FLOAT_COORDINATES;
    uint32_t count = plan->web->vertex_count;
    size_t words = integers ? 1 : 2;
    unsigned char *out = extend_stream(streams, kind, count);
    for (size_t i = 0; out && i < count; i++)
        for (size_t word = 0; word < words; word++)
            put_word(out + 4 * (words * i + word), web_vertex(plan->web, i)[WEB_COORDINATES + 2 * set + word]);
    struct accessor accessor;
    if (!out || !last_elements(streams, kind, count, &accessor))
        return false;
    plan->attributes[ARRAY_COORDINATES + set] = share_accessor(streams, kind, accessor);
    return plan->attributes[ARRAY_COORDINATES + set] != CP_NONE;
}

/* Returns the word of a direction. packed: x and y of the octahedron and the length 127, for the filter; else the
 * filter's result. rest: the highest byte, which the filter leaves alone. */
static uint32_t direction_word(uint32_t code, uint32_t rest, bool packed)
{
    signed char n[3];
    if (packed)
        return code | 127U << 16 | rest << 24;
    web_decode_normal(code, n);
    return ((uint32_t)n[0] & 0xff) | ((uint32_t)n[1] & 0xff) << 8 | ((uint32_t)n[2] & 0xff) << 16 | rest << 24;
}

/* Adds an attribute of one word for each vertex. */
static bool stream_words(struct gltf_streams *streams, struct mesh_plan *plan, enum stream_kind kind, size_t array)
{
    uint32_t count = plan->web->vertex_count;
    unsigned char *out = extend_stream(streams, kind, count);
    for (size_t i = 0; out && i < count; i++) {
        const uint32_t *words = web_vertex(plan->web, i);
        uint32_t word = kind == STREAM_NORMALS ? direction_word(words[1] >> 16, 0, streams->packs)
                        : kind == STREAM_TANGENTS
                            ? direction_word(words[WEB_TANGENT] & 0xffff, words[WEB_TANGENT] >> 24, streams->packs)
                            : words[2];
        put_word(out + 4 * i, word);
    }
    struct accessor accessor;
    if (!out || !last_elements(streams, kind, count, &accessor))
        return false;
    plan->attributes[array] = share_accessor(streams, kind, accessor);
    return plan->attributes[array] != CP_NONE;
}

/* Positions have x and y in one word, z in the next. */
bool stream_vertices(struct gltf_streams *streams, const struct web_coordinates *sets, struct mesh_plan *plan)
{
    const struct web_mesh *web = plan->web;
    uint32_t count = web->vertex_count;
    unsigned char *out = extend_stream(streams, STREAM_POSITIONS, count);
    if (!out)
        return false;
    struct accessor positions = {.ranged = true}, accessor;
    for (int axis = 0; axis < 3; axis++) {
        float low = (float)UINT16_MAX, high = 0;
        for (uint32_t i = 0; i < count; i++) {
            float place = (float)(web_vertex(web, i)[axis / 2] >> 16 * (axis % 2) & 0xffff);
            low = fminf(low, place);
            high = fmaxf(high, place);
        }
        positions.minimum[axis] = low;
        positions.maximum[axis] = high;
    }
    for (size_t i = 0; i < count; i++) {
        put_word(out + 8 * i, web_vertex(web, i)[0]);
        put_word(out + 8 * i + 4, web_vertex(web, i)[1] & 0xffff);
    }
    if (!last_elements(streams, STREAM_POSITIONS, count, &accessor))
        return false;
    accessor.ranged = true;
    memcpy(accessor.minimum, positions.minimum, sizeof accessor.minimum);
    memcpy(accessor.maximum, positions.maximum, sizeof accessor.maximum);
    plan->attributes[ARRAY_POSITIONS] = share_accessor(streams, STREAM_POSITIONS, accessor);
    if (plan->attributes[ARRAY_POSITIONS] == CP_NONE)
        return false;

    const cp_mesh *shape = plan->shape;
    bool good = (!shape->normals || stream_words(streams, plan, STREAM_NORMALS, ARRAY_NORMALS)) &&
                (!shape->tangents || stream_words(streams, plan, STREAM_TANGENTS, ARRAY_TANGENTS)) &&
                (!shape->colours || stream_words(streams, plan, STREAM_COLOURS, ARRAY_COLOURS));
    for (size_t set = 0; set < CP_COORDINATE_SETS && good; set++)
        good = !plan->shape->coordinates[set] || stream_coordinates(streams, sets[set].integers, plan, set);
    return good;
}

bool stream_indices(struct gltf_streams *streams, struct mesh_plan *plan)
{
    enum stream_kind kind = plan->web->vertex_count <= MOST_NARROW_VERTICES ? STREAM_NARROW : STREAM_WIDE;
    void *out = extend_stream(streams, kind, plan->index_count);
    if (!out)
        return false;
    memcpy(out, plan->indices, plan->index_count * sizeof *plan->indices);
    struct accessor whole;
    if (!last_elements(streams, kind, plan->index_count, &whole))
        return false;
    for (uint32_t i = 0; i < plan->primitive_count; i++) {
        struct drawn_primitive *primitive = &plan->primitives[i];
        struct accessor accessor = whole;
        accessor.offset += (uint64_t)primitive->first_index * formats[kind].size;
        accessor.count = primitive->index_count;
        primitive->accessor = share_accessor(streams, kind, accessor);
        if (primitive->accessor == CP_NONE)
            return false;
    }
    return true;
}

/* ---- numbers of clips ---- */

/* Returns the exponent of the smallest power of two of which all numbers are multiples, but none so small that a number
 * of the component would need more than 23 bits. */
static int common_exponent(const float *values, uint32_t count, unsigned width)
{
    int least = INT_MAX, most = -100;
    for (uint32_t i = 0; i < count; i++) {
        int exponent;
        float value = values[(size_t)i * width];
        uint32_t digits = (uint32_t)ldexpf(frexpf(fabsf(value), &exponent), 24);
        if (digits == 0 || exponent < -100)
            continue;
        int zeros = 0;
        for (; !(digits & 1); digits >>= 1)
            zeros++;
        least = exponent - 24 + zeros < least ? exponent - 24 + zeros : least;
        most = exponent > most ? exponent : most;
    }
    return least == INT_MAX ? 0 : least < most - 23 ? most - 23 : least;
}

/* Encodes as EXPONENTIAL of EXT_meshopt_compression (appendix B): 24 bits of a whole number with a sign, 8 of its
 * exponent of two. The values become those of a decoder. A float whose 24 digits are all ones would be rounded up to
 * 2^23, which those bits mean as -2^23; the largest whole number below is as near. */
static void put_exponential(unsigned char *out, float *values, uint32_t count, unsigned width)
{
    const float largest = 0x7fffff;
    for (unsigned k = 0; k < width; k++) {
        int exponent = common_exponent(values + k, count, width);
        for (uint32_t i = 0; i < count; i++) {
            float *value = &values[(size_t)i * width + k];
            long whole = lrintf(fmaxf(-largest, fminf(largest, ldexpf(*value, -exponent))));
            put_word(out + ((size_t)i * width + k) * 4, ((uint32_t)whole & 0xffffff) | (uint32_t)exponent << 24);
            *value = ldexpf((float)whole, exponent);
        }
    }
}

uint32_t stream_floats(struct gltf_streams *streams, enum stream_kind kind, const float *values, uint32_t count,
                       bool ranged)
{
    const struct stream_format *format = &formats[kind];
    size_t numbers = (size_t)count * format->width;
    float *read = arena_copy(streams->arena, values, numbers, sizeof *values);
    unsigned char *out = read ? extend_stream(streams, kind, count) : NULL;
    if (!out)
        return CP_NONE;
    if (streams->packs)
        put_exponential(out, read, count, format->width);
    else
        for (size_t i = 0; i < numbers; i++) {
            uint32_t word;
            memcpy(&word, &values[i], sizeof word);
            put_word(out + 4 * i, word);
        }
    struct accessor accessor;
    if (!last_elements(streams, kind, count, &accessor))
        return CP_NONE;
    if (ranged)
        set_range(&accessor, read);
    return share_accessor(streams, kind, accessor);
}

/* ---- packing ---- */

struct packing_job {
    enum stream_kind kind;
    struct pack_input input;
    unsigned char *out;
    size_t bound, size;
};

static void run_job(void *user, uint32_t item, uint32_t worker)
{
    struct packing_job *job = &((struct packing_job *)user)[item];
    (void)worker;
    job->size = pack(job->input, job->out);
}

/* Packs the streams, each in a thread. */
static bool pack_streams(struct gltf_streams *streams)
{
    struct packing_job jobs[STREAM_COUNT];
    uint32_t count = 0;
    size_t bound = 0;
    if (!pack_load(streams->context))
        return false;
    for (int kind = 0; kind < STREAM_COUNT; kind++) {
        const struct stream *stream = &streams->streams[kind];
        bool indices = formats[kind].indices;
        if (stream->count == 0)
            continue;
        struct packing_job *job = &jobs[count++];
        *job = (struct packing_job){.kind = (enum stream_kind)kind,
                                    .input = {stream->bytes.data, stream->count, indices ? 0 : formats[kind].size,
                                              indices ? streams->streams[STREAM_POSITIONS].count : 0}};
        job->bound = pack_bound(job->input);
        bound += job->bound;
    }
    if (!buffer_reserve(&streams->packed, bound))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        jobs[i].out = (unsigned char *)streams->packed.data + streams->packed.size;
        streams->packed.size += jobs[i].bound;
    }
    if (!parallel_for(streams->context, count, run_job, jobs))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const struct stream_format *format = &formats[jobs[i].kind];
        struct buffer_view *view = &streams->binary->views[streams->streams[jobs[i].kind].view];
        struct packing packing = {format->indices ? "TRIANGLES" : "ATTRIBUTES", format->filter, jobs[i].input.count, 0,
                                  format->size};
        view->data = jobs[i].out;
        view->count = jobs[i].size;
        view->encoding = ENCODE_BYTES;
        view->stride = format->target == TARGET_VERTICES ? format->size : 0;
        view->packing = arena_copy(streams->arena, &packing, 1, sizeof packing);
        if (!view->packing)
            return false;
    }
    return true;
}

bool finish_streams(struct gltf_streams *streams)
{
    if (streams->packs)
        return pack_streams(streams);
    for (int kind = 0; kind < STREAM_COUNT; kind++) {
        const struct stream *stream = &streams->streams[kind];
        const struct stream_format *format = &formats[kind];
        if (stream->count == 0)
            continue;
        struct buffer_view *view = &streams->binary->views[stream->view];
        view->data = stream->bytes.data;
        view->encoding = kind == STREAM_NARROW ? ENCODE_NARROW : kind == STREAM_WIDE ? ENCODE_WORDS : ENCODE_BYTES;
        view->count = format->indices ? stream->count : stream->count * format->size;
        view->stride = format->target == TARGET_VERTICES ? format->size : 0;
    }
    return true;
}

void free_streams(struct gltf_streams *streams)
{
    for (int i = 0; i < STREAM_COUNT; i++)
        buffer_free(&streams->streams[i].bytes);
    buffer_free(&streams->packed);
    name_map_free(&streams->arrays);
}
