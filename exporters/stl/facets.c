/* Writes a mesh instance as facets: its vertices as the scene places them, then chunks of facets, made in several
 * threads and written in order. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/bytes/bytes.h"
#include "mesh/mesh.h"
#include "model/model.h"
#include "stl.h"

enum {
    CHUNK_FACETS = 2048,
    BINARY_FACET = 50,
    ASCII_FACET = 96 + 12 * NUMBER_SIZE, /* at most: words and line ends; numbers, each with a blank */
    MOST_TEXTS = 1024,
    COLOUR_VALID = 0x8000
};

/* The line of a vertex, kept for the further facets of which it is a corner. */
struct vertex_text {
    uint32_t vertex; /* or CP_NONE */
    uint8_t size;
    char text[3 * NUMBER_SIZE];
};

struct stl_part {
    const struct stl_writer *writer;
    const cp_mesh *mesh;
    const float *positions;
    const double *places; /* NULL, or the written places; then positions are near the part, for normals alone */
    bool mirrored;
    /* The lines that a slot used last (ASCII), each at its vertex' number modulo text_count, a power of two. */
    struct vertex_text *texts; /* text_count a slot */
    uint32_t text_count;
};

/* ---- colours ---- */

static double srgb_of(const cp_material *material, int channel)
{
    double value = within_unit(material->rgba[channel]);
    return material->srgb ? value : srgb_from_linear(value);
}

/* Returns the attribute bytes of facets of that material, or of CP_NONE. */
static uint32_t attributes_of(const struct stl_writer *writer, uint32_t material)
{
    if (!writer->settings->colours || material == CP_NONE)
        return 0;
    uint32_t attributes = COLOUR_VALID;
    for (int i = 0; i < 3; i++)
        attributes |= (uint32_t)lround(srgb_of(&writer->scene->materials[material], i) * 31) << (10 - 5 * i);
    return attributes;
}

uint64_t stl_count_changed_colours(const cp_scene *scene)
{
    uint64_t changed = 0;
    for (uint32_t i = 0; i < scene->material_count; i++) {
        bool kept = scene->materials[i].rgba[3] >= 1;
        for (int channel = 0; kept && channel < 3; channel++) {
            double value = srgb_of(&scene->materials[i], channel) * 31;
            kept = !(fabs(value - round(value)) > 1e-6);
        }
        changed += !kept;
    }
    return changed;
}

/* ---- one facet ---- */

static char *put_vector(char *out, const float vector[3])
{
    for (int i = 0; i < 3; i++) {
        uint32_t bits;
        memcpy(&bits, vector + i, sizeof bits);
        stl_put_integer(out + 4 * i, bits, 4);
    }
    return out + 12;
}

static inline char *put_words(char *out, const char *words)
{
    size_t size = strlen(words);
    memcpy(out, words, size);
    return out + size;
}

static char *put_numbers(char *out, const float vector[3])
{
    for (int i = 0; i < 3; i++) {
        *out++ = ' ';
        out += print_float(vector[i], out);
    }
    *out++ = '\n';
    return out;
}

static char *put_vertex(char *out, const struct stl_part *part, size_t vertex)
{
    if (!part->places)
        return put_numbers(out, part->positions + 3 * vertex);
    for (size_t i = 0; i < 3; i++) {
        *out++ = ' ';
        out += print_double(part->places[3 * vertex + i], out);
    }
    *out++ = '\n';
    return out;
}

static char *put_ascii_facet(char *out, const struct stl_part *part, struct vertex_text *texts,
                             const uint32_t vertices[3], const float normal[3])
{
    out = put_numbers(put_words(out, "  facet normal"), normal);
    out = put_words(out, "    outer loop\n");
    for (int i = 0; i < 3; i++) {
        /* A vertex is a corner of several facets, most of them near each other, so its printed line is kept for
         * those. */
        uint32_t vertex = vertices[i];
        struct vertex_text *known = &texts[vertex & (part->text_count - 1)];
        out = put_words(out, "      vertex");
        if (known->vertex == vertex) {
            memcpy(out, known->text, sizeof known->text);
        } else {
            known->vertex = vertex;
            known->size = (uint8_t)(put_vertex(out, part, vertex) - out);
            memcpy(known->text, out, sizeof known->text);
        }
        out += known->size;
    }
    return put_words(out, "    endloop\n  endfacet\n");
}

/* Computes the unit normal of a triangle, 0 0 0 if it has no area. Doubles hold the squares of all float areas. */
static void compute_normal(const float *positions, const uint32_t vertices[3], float normal[3])
{
    double a[3], b[3];
    const float *corners[3];
    for (int i = 0; i < 3; i++)
        corners[i] = positions + 3 * (size_t)vertices[i];
    for (int i = 0; i < 3; i++) {
        a[i] = (double)corners[1][i] - (double)corners[0][i];
        b[i] = (double)corners[2][i] - (double)corners[0][i];
    }
    double area[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    double length = sqrt(area[0] * area[0] + area[1] * area[1] + area[2] * area[2]);
    for (int i = 0; i < 3; i++)
        normal[i] = length > 0 ? (float)(area[i] / length) + 0.0f : 0.0f; /* + 0: no -0 */
}

/* ---- all of them ---- */

/* Returns the group that the face is in; groups follow each other. */
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

/* Writes the facets of a chunk. All faces are triangles, since the core has made them so. */
static char *make_chunk(void *user, uint32_t chunk, uint32_t slot, char *out)
{
    const struct stl_part *part = user;
    const cp_mesh *mesh = part->mesh;
    struct vertex_text *texts = part->texts ? part->texts + (size_t)slot * part->text_count : NULL;
    const cp_group whole = {0, mesh->face_count, CP_NONE};
    uint32_t face = chunk * CHUNK_FACETS, left = mesh->face_count - face;
    uint32_t end = face + (left < CHUNK_FACETS ? left : CHUNK_FACETS);
    for (uint32_t i = find_group(mesh, face); face < end; i++) {
        const cp_group *group = i < mesh->group_count ? &mesh->groups[i] : &whole;
        uint32_t attributes = attributes_of(part->writer, group->material);
        for (; face < end && face - group->first_face < group->face_count; face++) {
            const uint32_t *corners = mesh->corners + mesh_face_first(mesh, face);
            uint32_t vertices[3] = {corners[0], corners[part->mirrored ? 2 : 1], corners[part->mirrored ? 1 : 2]};
            float normal[3];
            compute_normal(part->positions, vertices, normal);
            if (texts) {
                out = put_ascii_facet(out, part, texts, vertices, normal);
                continue;
            }
            char *start = out;
            out = put_vector(out, normal);
            for (int k = 0; k < 3; k++)
                out = put_vector(out, part->positions + 3 * (size_t)vertices[k]);
            stl_put_integer(out, attributes, 2);
            out += 2;
            if (bytes_are_zero(start, (size_t)(out - start))) /* as those are which a power loss leaves */
                (void)put_vector(start, (const float[3]){0, 0, 1});
        }
    }
    return out;
}

/* The box of a part in the output, and the largest error of single precision there. */
struct extent_of_part {
    double lower[3], upper[3], error;
};

static void extend(struct extent_of_part *extent, const double at[3])
{
    double square = 0;
    for (int k = 0; k < 3; k++) {
        double off = (double)(float)at[k] - at[k];
        square += off * off;
        extent->lower[k] = fmin(extent->lower[k], at[k]);
        extent->upper[k] = fmax(extent->upper[k], at[k]);
    }
    extent->error = fmax(extent->error, sqrt(square));
}

/* Tells whether single precision deforms the part; one without any size keeps it. */
static bool is_far(const struct extent_of_part *extent)
{
    bool has_size = memcmp(extent->lower, extent->upper, sizeof extent->lower) != 0;
    return has_size && extent->error > 0 && box_is_far(extent->lower, extent->upper);
}

/* Makes a copy of the mesh's vertices at their place in the output. */
static cp_status place_vertices(const struct stl_writer *writer, const cp_instance *instance, const cp_pose *pose,
                                float *placed, struct extent_of_part *extent)
{
    const cp_mesh *mesh = &writer->scene->meshes[instance->mesh];
    *extent = (struct extent_of_part){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, 0};
    for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i += 3) {
        const float *from = mesh->positions + i;
        double point[3] = {(double)from[0], (double)from[1], (double)from[2]}, at[3];
        pose_point(pose, point, at);
        extend(extent, at);
        for (int k = 0; k < 3; k++) {
            if (!(fabs(at[k]) <= (double)FLT_MAX))
                return report_error(writer->context, CP_OUTPUT, "stl-range",
                                    (struct place){.node = writer->scene->nodes[instance->node].name},
                                    "a coordinate of %s is beyond single precision", show_number(at[k]).text);
            placed[i + (size_t)k] = (float)at[k];
        }
    }
    return CP_OK;
}

/* Returns the number with the fewest decimals within the tolerance. */
static double shorten(double value, double tolerance)
{
    enum { MOST_DECIMALS = 17 };
    static const double exact = 9007199254740992; /* 2^53: up to there all integers are doubles */
    double power = 1;
    for (int i = 0; i <= MOST_DECIMALS && fabs(value) * power < exact; i++, power *= 10) {
        double rounded = round(value * power) / power;
        if (fabs(rounded - value) <= tolerance)
            return rounded;
    }
    return value;
}

/* Places vertices in double, with as many digits as floats near the part have, so that the text of a file that was read
 * comes again; and near the part for the normals. */
static void place_exactly(const cp_mesh *mesh, const cp_pose *pose, const struct extent_of_part *extent, float *placed,
                          double *places)
{
    for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i += 3) {
        const float *from = mesh->positions + i;
        double point[3] = {(double)from[0], (double)from[1], (double)from[2]}, at[3];
        pose_point(pose, point, at);
        for (size_t k = 0; k < 3; k++) {
            double known = 2 * fabs(at[k]) * DBL_EPSILON; /* a bound of the pose's own rounding */
            for (size_t axis = 0; axis < 3; axis++) {
                double next = (double)nextafterf(fabsf(from[axis]), INFINITY);
                known += fabs(pose->m[4 * k + axis]) * (next - fabs(point[axis])) / 2;
            }
            places[i + k] = shorten(at[k], known);
            placed[i + k] = near_origin(places[i + k], extent->lower[k]);
        }
    }
}

cp_status stl_write_part(struct stl_writer *writer, const cp_instance *instance)
{
    cp_context *context = writer->context;
    const cp_mesh *mesh = &writer->scene->meshes[instance->mesh];

    /* Convert to the output's unit and axes. To divide by the unit, not to multiply by its inverse, undoes an
     * importer's scaling exactly. */
    cp_pose pose = pose_multiply(&writer->worlds[instance->node], &instance->transform);
    if (writer->up_y) {
        cp_pose turn = pose_y_up_from_z_up();
        pose = pose_multiply(&turn, &pose);
    }
    for (int i = 0; i < 12; i++)
        pose.m[i] /= writer->unit;

    struct stl_part part = {
        .writer = writer, .mesh = mesh, .positions = mesh->positions, .mirrored = pose_determinant(&pose) < 0};
    float *placed = NULL;
    double *places = NULL;
    bool ascii = writer->settings->format == FORMAT_ASCII;
    cp_status status = CP_OK;
    if (!pose_is_identity(&pose) && mesh->vertex_count > 0) {
        placed = memory_allocate(context, mesh->vertex_count, 3 * sizeof *placed);
        part.positions = placed;
        struct extent_of_part extent;
        status = placed ? place_vertices(writer, instance, &pose, placed, &extent) : CP_LIMIT;
        bool far = status == CP_OK && is_far(&extent);
        if (far && ascii) {
            part.places = places = memory_allocate(context, mesh->vertex_count, 3 * sizeof *places);
            status = places ? CP_OK : CP_LIMIT;
            if (places)
                place_exactly(mesh, &pose, &extent, placed, places);
        } else if (far) {
            writer->far++;
            writer->far_error = fmax(writer->far_error, extent.error);
        }
    }

    uint32_t count = mesh->face_count;
    struct chunks chunks = {.count = count / CHUNK_FACETS + (count % CHUNK_FACETS > 0),
                            .largest = (size_t)(ascii ? ASCII_FACET : BINARY_FACET) *
                                       (count < CHUNK_FACETS ? count : CHUNK_FACETS),
                            .make = make_chunk,
                            .user = &part};
    size_t text_count = 0;
    if (status == CP_OK && ascii) {
        for (part.text_count = 1; part.text_count < mesh->vertex_count && part.text_count < MOST_TEXTS;)
            part.text_count *= 2;
        text_count = (size_t)parallel_slots(context, chunks.count) * part.text_count;
        part.texts = memory_allocate(context, text_count, sizeof *part.texts);
        status = part.texts ? CP_OK : CP_LIMIT;
        for (size_t i = 0; part.texts && i < text_count; i++)
            part.texts[i].vertex = CP_NONE;
    }
    if (status == CP_OK)
        status = write_chunks(context, writer->sink, &chunks);
    memory_free(context, part.texts, text_count, sizeof *part.texts);
    memory_free(context, placed, mesh->vertex_count, 3 * sizeof *placed);
    memory_free(context, places, mesh->vertex_count, 3 * sizeof *places);
    return status;
}
