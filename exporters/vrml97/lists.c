/* Long lists of numbers, printed in chunks by several threads. */
#include <math.h>
#include <string.h>

#include "base/bytes/bytes.h"
#include "base/text/digits.h"
#include "base/text/text.h"
#include "vrml97.h"

enum {
    CHUNK_VECTORS = 4096,
    VECTOR_SIZE = 3 * NUMBER_SIZE + 1,
    CHUNK_WORDS = 1 << 14,
    WORD_SIZE = 11, /* 4294967295 and a blank */
};

/* Writes all chunks of a list, as its lines. */
static void write_list(struct vrml_output *output, uint64_t count, uint32_t chunk_count, struct chunks chunks)
{
    chunks.count = (uint32_t)((count + chunk_count - 1) / chunk_count);
    chunks.largest = (count < chunk_count ? (size_t)count : chunk_count) * chunks.largest + NUMBER_SIZE;
    if (write_chunks(output->context, output->sink, &chunks) == CP_LIMIT)
        output->failed = true;
}

/* ---- vectors ---- */

struct vectors {
    const struct vrml_rest *rest;
    const float *values;
    uint32_t count;
    bool too_large[MOST_SLOTS];
};

/* Returns a component. Mirrored vectors are exact; flat ones are rounded once. */
static float component_of(const struct vrml_rest *rest, const float *vector, int axis)
{
    const double *row = rest->linear + 3 * axis;
    if (rest->kind == REST_NONE)
        return vector[axis];
    if (rest->kind == REST_MIRRORED)
        return -vector[axis];
    return (float)(row[0] * (double)vector[0] + row[1] * (double)vector[1] + row[2] * (double)vector[2]);
}

static char *make_vectors(void *user, uint32_t chunk, uint32_t slot, char *out)
{
    struct vectors *vectors = user;
    uint32_t first = chunk * CHUNK_VECTORS, left = vectors->count - first;
    for (uint32_t i = 0; i < left && i < CHUNK_VECTORS; i++) {
        const float *vector = vectors->values + 3 * ((size_t)first + i);
        for (int axis = 0; axis < 3; axis++) {
            float value = component_of(vectors->rest, vector, axis);
            if (!isfinite(value))
                vectors->too_large[slot] = true;
            out += print_float(value, out);
            *out++ = axis < 2 ? ' ' : '\n';
        }
    }
    return out;
}

void vrml_write_vectors(struct vrml_output *output, const struct vrml_rest *rest, const float *values, uint32_t count)
{
    struct vectors vectors = {.rest = rest, .values = values, .count = count};
    write_list(output, count, CHUNK_VECTORS,
               (struct chunks){.largest = VECTOR_SIZE, .make = make_vectors, .user = &vectors});
    for (uint32_t slot = 0; slot < MOST_SLOTS; slot++)
        output->too_large = output->too_large || vectors.too_large[slot];
}

/* ---- faces ---- */

/* The faces of a list. A face has a word for each of its corners, and -1; so one of very many corners is printed in
 * several chunks, too. */
struct printed_faces {
    const cp_mesh *mesh;
    const cp_group *group;
    bool reversed;
    uint64_t first_word, end_word;
};

/* Returns the number of the first word of a face among those of the mesh. */
static uint64_t first_word_of(const cp_mesh *mesh, uint32_t face)
{
    return (uint64_t)mesh_face_first(mesh, face) + face;
}

/* Returns the face of the word. */
static uint32_t find_face(const struct printed_faces *faces, uint64_t word)
{
    uint32_t first = faces->group->first_face, end = first + faces->group->face_count;
    while (end - first > 1) {
        uint32_t middle = first + (end - first) / 2;
        if (first_word_of(faces->mesh, middle) <= word)
            first = middle;
        else
            end = middle;
    }
    return first;
}

/* Writes the words first .. end - 1 of a face. */
static char *put_face(char *out, const struct printed_faces *faces, uint32_t face, uint32_t first, uint64_t end)
{
    const uint32_t *corners = faces->mesh->corners + mesh_face_first(faces->mesh, face);
    uint32_t size = mesh_face_size(faces->mesh, face);
    for (uint32_t i = first; i < size && i < end; i++) {
        out = put_whole(out, corners[faces->reversed && i > 0 ? size - i : i]);
        *out++ = ' ';
    }
    if (end <= size)
        return out;
    memcpy(out, "-1\n", 3);
    return out + 3;
}

static char *make_faces(void *user, uint32_t chunk, uint32_t slot, char *out)
{
    (void)slot;
    const struct printed_faces *faces = user;
    uint64_t word = faces->first_word + (uint64_t)chunk * CHUNK_WORDS;
    uint64_t end = faces->end_word - word < CHUNK_WORDS ? faces->end_word : word + CHUNK_WORDS;
    for (uint32_t face = find_face(faces, word); word < end; face++) {
        uint64_t start = first_word_of(faces->mesh, face);
        out = put_face(out, faces, face, (uint32_t)(word - start), end - start);
        word = first_word_of(faces->mesh, face + 1);
    }
    return out;
}

void vrml_write_corners(struct vrml_output *output, const cp_mesh *mesh, const cp_group *group, bool reversed)
{
    uint32_t last = group->first_face + group->face_count - 1;
    struct printed_faces faces = {.mesh = mesh,
                                  .group = group,
                                  .reversed = reversed,
                                  .first_word = first_word_of(mesh, group->first_face),
                                  .end_word = first_word_of(mesh, last) + mesh_face_size(mesh, last) + 1};
    write_list(output, faces.end_word - faces.first_word, CHUNK_WORDS,
               (struct chunks){.largest = WORD_SIZE, .make = make_faces, .user = &faces});
}
