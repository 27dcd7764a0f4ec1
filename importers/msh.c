/* msh: meshes of MuJoCo in its binary form.
 *
 * Specification: MuJoCo's XML reference, asset/mesh. Little-endian, without padding:
 *     int32    the numbers of vertices, normals, texture coordinates and faces
 *     float32  vertices (3 each), normals (3), texture coordinates (2)
 *     int32    faces: three vertices each
 * There are no normals, or one for each vertex; the same holds for texture coordinates.
 *
 * Behaviour and limitations:
 * - A node and a mesh, named by the file. Vertices stay as they are and in order.
 * - MuJoCo makes the convex hull of a mesh without faces. Here its points are a loss.
 * - Texture coordinates are a loss: nothing says of which picture.
 * - Unit and axes are not known: options say them, and they go into the instance's transform. */
#include "faces.h"

#include <string.h>

enum { HEADER_SIZE = 16, TRIPLE_SIZE = 12, PAIR_SIZE = 8 };

struct msh_counts {
    int32_t vertices, normals, pairs, faces;
};

static int32_t integer_at(const char *at)
{
    const unsigned char *bytes = (const unsigned char *)at;
    return (int32_t)(bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24);
}

static struct msh_counts read_counts(const char *head)
{
    return (struct msh_counts){integer_at(head), integer_at(head + 4), integer_at(head + 8), integer_at(head + 12)};
}

static bool counts_fit(const struct msh_counts *counts)
{
    return counts->vertices > 0 && counts->faces >= 0 &&
           (counts->normals == 0 || counts->normals == counts->vertices) &&
           (counts->pairs == 0 || counts->pairs == counts->vertices);
}

/* Returns the size of the file up to the faces; the counts fit. */
static uint64_t size_of_vertices(const struct msh_counts *counts)
{
    return HEADER_SIZE + TRIPLE_SIZE * ((uint64_t)counts->vertices + (uint64_t)counts->normals) +
           PAIR_SIZE * (uint64_t)counts->pairs;
}

/* There is no sign but sizes that agree. */
static int probe_msh(const char *head, size_t size, uint64_t file_size)
{
    if (size < HEADER_SIZE)
        return 0;
    const struct msh_counts counts = read_counts(head);
    if (!counts_fit(&counts))
        return 0;
    uint64_t whole = size_of_vertices(&counts) + TRIPLE_SIZE * (uint64_t)counts.faces;
    return whole == file_size ? 90 : 0;
}

/* Finds how many faces there are. */
static cp_status check_size(const struct face_reader *faces, struct msh_counts *counts)
{
    const struct source *source = faces->source;
    const struct import_settings *import = &faces->settings->import;
    const struct place place = IN_FILE(source->name);
    if (source->size < HEADER_SIZE)
        return report_error(faces->context, CP_INPUT, "msh-truncated", place, "%zu bytes are no header of 16 bytes",
                            source->size);
    *counts = read_counts(source->data);
    if (!counts_fit(counts))
        return report_error(faces->context, CP_INPUT, "msh-counts", place,
                            "the header says %d vertices, %d normals, %d texture coordinates and %d faces",
                            counts->vertices, counts->normals, counts->pairs, counts->faces);
    uint64_t vertices = size_of_vertices(counts), whole = vertices + TRIPLE_SIZE * (uint64_t)counts->faces;
    if (source->size > whole)
        return report_lenient(faces->context, import->strict, "msh-trailing", place, "%llu bytes after the last face",
                              (unsigned long long)(source->size - whole));
    if (source->size == whole)
        return CP_OK;
    bool keeps = import->partial && source->size >= vertices;
    if (keeps)
        counts->faces = (int32_t)((source->size - vertices) / TRIPLE_SIZE);
    return report_lenient(faces->context, !keeps, "msh-truncated", place,
                          "the file has %zu bytes of %llu that the header counts", source->size,
                          (unsigned long long)whole);
}

/* Looks for what a power loss leaves: blocks of zero bytes among vertices and normals, and faces of zeros. */
static cp_status check_zeros(const struct face_reader *faces, const struct msh_counts *counts)
{
    enum { DISK_BLOCK = 512 }; /* bytes: the smallest there is */
    const char *data = faces->source->data, *face = data + size_of_vertices(counts);
    size_t end = HEADER_SIZE + TRIPLE_SIZE * ((size_t)counts->vertices + (size_t)counts->normals);
    bool found = false;
    for (size_t at = DISK_BLOCK; at + DISK_BLOCK <= end && !found; at += DISK_BLOCK)
        found = bytes_are_zero(data + at, DISK_BLOCK);
    for (int32_t i = 1; i < counts->faces && !found; i++, face += TRIPLE_SIZE)
        found = bytes_are_zero(face, 2 * (size_t)TRIPLE_SIZE);
    if (!found)
        return CP_OK;
    return report_lenient(faces->context, !faces->settings->import.partial, "msh-zeros", IN_FILE(faces->source->name),
                          "some faces or vertices are zero bytes, as a power loss leaves them");
}

static const char *read_floats(float *values, size_t count, const char *at)
{
    for (size_t i = 0; i < count; i++, at += 4) {
        int32_t bits = integer_at(at);
        memcpy(&values[i], &bits, sizeof bits);
    }
    return at;
}

static cp_status read_mesh(struct face_reader *faces)
{
    struct msh_counts counts = {0};
    cp_status status = check_size(faces, &counts);
    if (status == CP_OK)
        status = check_zeros(faces, &counts);
    if (status == CP_OK)
        status = faces_make_vertices(faces, (uint32_t)counts.vertices, counts.normals > 0, false);
    if (status != CP_OK)
        return status;
    const char *at = read_floats(faces->positions, 3 * (size_t)counts.vertices, faces->source->data + HEADER_SIZE);
    if (counts.normals > 0)
        at = read_floats(faces->normals, 3 * (size_t)counts.normals, at);
    at += PAIR_SIZE * (size_t)counts.pairs;
    if (counts.pairs > 0)
        report_loss(faces->context, "msh-texture-coordinates", IN_FILE(faces->source->name), (uint64_t)counts.pairs,
                    "texture coordinates");
    if (counts.faces == 0)
        report_warning(faces->context, "msh-hull", IN_FILE(faces->source->name),
                       "there are no faces: MuJoCo takes the convex hull of the points, which cellpipe does not make");
    status = faces_make_room(faces, (uint32_t)counts.faces, 3);
    for (int32_t i = 0; i < counts.faces && status == CP_OK; i++) {
        for (int k = 0; k < 3; k++, at += 4)
            faces->corners[faces->corner_count + (uint32_t)k] = (uint32_t)integer_at(at);
        status = faces_end_face(faces, 3, NULL);
    }
    return status;
}

static cp_status read_msh(cp_context *context, struct source *source, const void *settings, cp_scene *scene)
{
    static const struct faces_codes codes = FACES_CODES("msh");
    struct face_reader faces;
    faces_start(&faces, context, source, scene, settings, &codes);
    cp_status status = read_mesh(&faces);
    if (status == CP_OK)
        status = faces_finish(&faces);
    faces_free(&faces);
    return status;
}

const struct importer msh_importer = {
    .plugin = {.name = "msh",
               .title = "MuJoCo's meshes, binary",
               .options = mesh_file_options,
               .settings_size = sizeof(struct mesh_file_settings)},
    .suffixes = ".msh",
    .probe = probe_msh,
    .sign = "four counts that the file's size fits",
    .read = read_msh,
};
