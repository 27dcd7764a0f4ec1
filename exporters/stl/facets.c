/* The facets of a part: chunks of them, made in several threads and written in order. */
#include <math.h>
#include <string.h>

#include "../../scene/text/chunks.h"
#include "stl.h"

enum { CHUNK_FACETS = 2048, BINARY_FACET = 50, MOST_TEXTS = 1024 };

struct facets {
    const struct writer *writer;
    const struct part *part;
    struct vertex_text *texts; /* text_count a slot; for ASCII */
    uint32_t text_count;
};

/* ---- one facet ---- */

static void put_vector(char *out, const float vector[3])
{
    for (int i = 0; i < 3; i++) {
        uint32_t bits;
        memcpy(&bits, vector + i, sizeof bits);
        stl_put_integer(out + 4 * i, bits, 4);
    }
}

static char *put_binary_facet(char *out, const struct facet *facet, const float *positions, uint32_t attributes)
{
    put_vector(out, facet->normal);
    for (int i = 0; i < 3; i++)
        put_vector(out + 12 + 12 * i, positions + 3 * (size_t)facet->vertices[i]);
    stl_put_integer(out + 48, attributes, 2);
    return out + BINARY_FACET;
}

/* Unit normal of a triangle, 0 0 0 where it has no area. Doubles hold the squares of all float areas. */
static void compute_normal(const float *positions, struct facet *facet)
{
    double a[3], b[3];
    const float *corners[3];
    for (int i = 0; i < 3; i++)
        corners[i] = positions + 3 * (size_t)facet->vertices[i];
    for (int i = 0; i < 3; i++) {
        a[i] = (double)corners[1][i] - (double)corners[0][i];
        b[i] = (double)corners[2][i] - (double)corners[0][i];
    }
    double area[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    double length = sqrt(area[0] * area[0] + area[1] * area[1] + area[2] * area[2]);
    for (int i = 0; i < 3; i++)
        facet->normal[i] = length > 0 ? (float)(area[i] / length) + 0.0f : 0.0f; /* + 0: no -0 */
}

/* ---- a chunk of them ---- */

static struct vertex_texts texts_of(const struct facets *facets, uint32_t slot)
{
    return (struct vertex_texts){facets->texts + (size_t)slot * facets->text_count, facets->text_count};
}

/* A triangle: the core has made all faces such. */
static char *put_face(char *out, const struct facets *facets, uint32_t slot, uint32_t face, uint32_t attributes)
{
    const struct part *part = facets->part;
    const uint32_t *corners = part->mesh->corners + mesh_face_first(part->mesh, face);
    struct facet facet = {.vertices = {corners[0], corners[part->mirrored ? 2 : 1], corners[part->mirrored ? 1 : 2]}};
    compute_normal(part->positions, &facet);
    return facets->texts ? stl_put_ascii_facet(out, &facet, part->positions, texts_of(facets, slot))
                         : put_binary_facet(out, &facet, part->positions, attributes);
}

/* The group that the face is in; groups follow each other. */
static uint32_t find_group(const cp_mesh *mesh, uint32_t face)
{
    uint32_t first = 0, end = mesh->group_count;
    while (end - first > 1) {
        uint32_t middle = first + (end - first) / 2;
        if (mesh->groups[middle].first_face <= face)
            first = middle;
        else
            end = middle;
    }
    return first;
}

static char *make_chunk(void *user, uint32_t chunk, uint32_t slot, char *out)
{
    const struct facets *facets = user;
    const cp_mesh *mesh = facets->part->mesh;
    const cp_group whole = {0, mesh->face_count, CP_NONE};
    uint32_t face = chunk * CHUNK_FACETS, left = mesh->face_count - face;
    uint32_t end = face + (left < CHUNK_FACETS ? left : CHUNK_FACETS);
    for (uint32_t i = find_group(mesh, face); face < end; i++) {
        const cp_group *group = i < mesh->group_count ? &mesh->groups[i] : &whole;
        uint32_t attributes = stl_attributes(facets->writer, group->material);
        for (; face < end && face - group->first_face < group->face_count; face++)
            out = put_face(out, facets, slot, face, attributes);
    }
    return out;
}

/* ---- all of them ---- */

static bool allocate_texts(cp_context *context, struct facets *facets, uint32_t slots)
{
    uint32_t vertices = facets->part->mesh->vertex_count;
    for (facets->text_count = 1; facets->text_count < vertices && facets->text_count < MOST_TEXTS;)
        facets->text_count *= 2;
    size_t count = (size_t)slots * facets->text_count;
    facets->texts = memory_allocate(context, count, sizeof *facets->texts);
    for (size_t i = 0; facets->texts && i < count; i++)
        facets->texts[i].vertex = CP_NONE;
    return facets->texts;
}

cp_status stl_write_facets(struct writer *writer, const struct part *part)
{
    cp_context *context = writer->context;
    bool ascii = writer->settings->format == FORMAT_ASCII;
    struct facets facets = {.writer = writer, .part = part};
    uint32_t count = part->mesh->face_count;
    struct chunks chunks = {.count = count / CHUNK_FACETS + (count % CHUNK_FACETS > 0),
                            .largest = (size_t)(ascii ? ASCII_FACET : BINARY_FACET) *
                                       (count < CHUNK_FACETS ? count : CHUNK_FACETS),
                            .make = make_chunk,
                            .user = &facets};
    uint32_t slots = parallel_slots(context, chunks.count);
    if (ascii && !allocate_texts(context, &facets, slots))
        return CP_LIMIT;
    cp_status status = write_chunks(context, writer->sink, &chunks);
    memory_free(context, facets.texts, (size_t)slots * facets.text_count, sizeof *facets.texts);
    return status;
}
