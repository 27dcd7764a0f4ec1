/* Lookalikes: meshes are sorted by one value after the other, and cut where the ranges that their tolerances leave do
 * not meet. */
#include "fingerprint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The finisher of splitmix64 (S. Vigna). */
static uint64_t mix(uint64_t bits)
{
    bits += UINT64_C(0x9E3779B97F4A7C15);
    bits = (bits ^ bits >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    bits = (bits ^ bits >> 27) * UINT64_C(0x94D049BB133111EB);
    return bits ^ bits >> 31;
}

/* ---- what has no order ---- */

/* Of what has no order the sum of the mixed parts. */
static uint64_t find_shape(const cp_mesh *mesh, const uint32_t *material)
{
    uint64_t faces = mesh->group_count == 0 ? mix(0) * mesh->face_count : 0, colours = mesh->normals ? 1 : 2;
    for (uint32_t i = 0; i < mesh->group_count; i++) {
        uint32_t own = mesh->groups[i].material;
        faces += mix(own == CP_NONE ? 0 : 1 + (uint64_t)material[own]) * mesh->groups[i].face_count;
    }
    for (uint32_t face = 0; mesh->face_offsets && face < mesh->face_count; face++)
        faces += mix(UINT64_C(1) << 40 | mesh_face_size(mesh, face));
    if (!mesh->face_offsets)
        faces += mix(UINT64_C(1) << 40 | 3) * mesh->face_count;
    for (size_t i = 0; mesh->colours && i < mesh->vertex_count; i++) {
        uint64_t bits[2];
        memcpy(bits, mesh->colours + 4 * i, sizeof bits);
        colours += mix(bits[0] ^ mix(bits[1]));
    }
    uint64_t shape = mix(mesh->kind);
    shape = mix(shape ^ mesh->vertex_count);
    shape = mix(shape ^ mesh->face_count);
    shape = mix(shape ^ mesh->corner_count);
    shape = mix(shape ^ faces);
    return mix(shape ^ (mesh->colours ? mix(colours) : colours));
}

static double distance(const float *position, const double from[3])
{
    double x = (double)position[0] - from[0], y = (double)position[1] - from[1], z = (double)position[2] - from[2];
    return sqrt(x * x + y * y + z * z);
}

static double mean_edge(const cp_mesh *mesh)
{
    double sum = 0;
    for (uint32_t face = 0; face < mesh->face_count; face++) {
        uint32_t first = mesh_face_first(mesh, face), last = first + mesh_face_size(mesh, face) - 1;
        for (uint32_t corner = first; corner <= last; corner++) {
            const float *a = mesh->positions + 3 * (size_t)mesh->corners[corner];
            uint32_t next = corner < last ? corner + 1 : mesh->kind == CP_MESH_LINES ? last : first;
            const double b[3] = {(double)a[0], (double)a[1], (double)a[2]};
            sum += distance(mesh->positions + 3 * (size_t)mesh->corners[next], b);
        }
    }
    return mesh->corner_count > 0 ? sum / mesh->corner_count : 0;
}

struct fingerprint fingerprint_find(const cp_mesh *mesh, const uint32_t *material)
{
    struct fingerprint print = {.shape = find_shape(mesh, material)};
    const double origin[3] = {0, 0, 0};
    double centre[3] = {0, 0, 0}, count = mesh->vertex_count, squares = 0, fourths = 0, sum = 0;
    for (size_t i = 0; i < mesh->vertex_count; i++)
        for (size_t axis = 0; axis < 3; axis++)
            centre[axis] += (double)mesh->positions[3 * i + axis] / count;
    print.values[1] = INFINITY;
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        const float *position = mesh->positions + 3 * i;
        double r = distance(position, centre);
        print.reach = fmax(print.reach, distance(position, origin));
        print.values[0] = fmax(print.values[0], r);
        print.values[1] = fmin(print.values[1], r);
        sum += r;
        squares += r * r;
        fourths += r * r * r * r;
    }
    print.radius = sqrt(squares / count);
    print.values[2] = sum / count;
    print.values[3] = sqrt(sqrt(fourths / count));
    print.values[4] = mean_edge(mesh);
    return print;
}

/* ---- clusters ---- */

struct range {
    double low, high;
    uint64_t cluster;
    uint32_t print;
};

static int compare_ranges(const void *a, const void *b)
{
    const struct range *p = a, *q = b;
    if (p->cluster != q->cluster)
        return p->cluster < q->cluster ? -1 : 1;
    if (p->low != q->low)
        return p->low < q->low ? -1 : 1;
    return (p->print > q->print) - (p->print < q->print);
}

/* Where the value of a true copy may lie. The sums' own rounding is far below 1e-9 of the size. */
static struct range value_range(const struct fingerprint *print, int index, bool scaled)
{
    bool radius = index == FINGERPRINT_VALUES;
    double value = radius ? print->radius : print->values[index];
    double slack = 1e-9 * print->values[0], half = (radius ? 1 : 2) * print->tolerance + slack;
    if (scaled && print->radius > 0) {
        double ratio = value / print->radius;
        half = (half + ratio * (print->tolerance + slack)) / print->radius;
        value = radius ? 0 : ratio; /* all have the radius 1 */
    }
    return (struct range){.low = value - half, .high = value + half};
}

static int compare_prints(const void *a, const void *b)
{
    const struct fingerprint *p = a, *q = b;
    if (p->cluster != q->cluster)
        return p->cluster < q->cluster ? -1 : 1;
    return (p->mesh > q->mesh) - (p->mesh < q->mesh);
}

bool fingerprint_cluster(cp_context *context, struct fingerprint *prints, uint32_t count, bool scaled)
{
    struct range *ranges = memory_allocate(context, count, sizeof *ranges);
    if (!ranges)
        return false;
    for (int index = -1; index <= FINGERPRINT_VALUES; index++) {
        for (uint32_t i = 0; i < count; i++) {
            ranges[i] = index < 0 ? (struct range){0} : value_range(&prints[i], index, scaled);
            ranges[i].cluster = index < 0 ? prints[i].shape : prints[i].cluster;
            ranges[i].print = i;
        }
        qsort(ranges, count, sizeof *ranges, compare_ranges);
        /* Numbers the runs of equal clusters whose ranges hang together. */
        uint32_t cluster = 0;
        double high = 0;
        for (uint32_t i = 0; i < count; i++) {
            bool apart = i == 0 || ranges[i].cluster != ranges[i - 1].cluster || ranges[i].low > high;
            cluster += apart && i > 0;
            high = apart ? ranges[i].high : fmax(high, ranges[i].high);
            prints[ranges[i].print].cluster = cluster;
        }
    }
    memory_free(context, ranges, count, sizeof *ranges);
    qsort(prints, count, sizeof *prints, compare_prints);
    return true;
}
