/* Finds lookalikes: sorts the meshes by one value after the other, and cuts where the ranges that their tolerances
 * leave do not overlap. */
#include "copies.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

/* Mixes the bits of a number: the finisher of splitmix64 (S. Vigna). */
static uint64_t mix(uint64_t bits)
{
    bits += UINT64_C(0x9E3779B97F4A7C15);
    bits = (bits ^ bits >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    bits = (bits ^ bits >> 27) * UINT64_C(0x94D049BB133111EB);
    return bits ^ bits >> 31;
}

/* ---- what has no order ---- */

/* Hashes the properties that a motion does not change. The hash is a sum of mixed parts, so that the order of faces and
 * vertices does not matter. */
static uint64_t find_shape(const cp_mesh *mesh, const uint32_t *material)
{
    uint64_t faces = mesh->group_count == 0 || !material ? mix(0) * mesh->face_count : 0,
             colours = mesh->normals && material ? 1 : 2;
    for (uint32_t i = 0; material && i < mesh->group_count; i++) {
        uint32_t own = mesh->groups[i].material;
        faces += mix(own == CP_NONE ? 0 : 1 + (uint64_t)material[own]) * mesh->groups[i].face_count;
    }
    for (uint32_t face = 0; mesh->face_offsets && face < mesh->face_count; face++)
        faces += mix(UINT64_C(1) << 40 | mesh_face_size(mesh, face));
    if (!mesh->face_offsets)
        faces += mix(UINT64_C(1) << 40 | 3) * mesh->face_count;
    for (size_t i = 0; mesh->colours && material && i < mesh->vertex_count; i++) {
        uint64_t bits[2];
        memcpy(bits, mesh->colours + 4 * i, sizeof bits);
        colours += mix(bits[0] ^ mix(bits[1]));
    }
    uint64_t shape = mix(mesh->kind);
    shape = mix(shape ^ mesh->vertex_count);
    shape = mix(shape ^ mesh->face_count);
    shape = mix(shape ^ mesh->corner_count);
    shape = mix(shape ^ faces);
    return mix(shape ^ (mesh->colours && material ? mix(colours) : colours));
}

/* ---- where vertices and faces are ---- */

static void load(const cp_mesh *mesh, size_t vertex, double point[3])
{
    for (size_t axis = 0; axis < 3; axis++)
        point[axis] = (double)mesh->positions[3 * vertex + axis];
}

/* Finds the sum of the positions, and the square of the largest distance from the origin. */
static void sum_positions(const cp_mesh *mesh, double sum[3], double *reach)
{
    double point[3];
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        load(mesh, i, point);
        for (int axis = 0; axis < 3; axis++)
            sum[axis] += point[axis];
        double square = dot_product(point, point);
        *reach = square > *reach ? square : *reach;
    }
}

/* Sums over vertices, with q for a position from the centre. */
struct vertex_sums {
    double products[6]; /* xx xy xz yy yz zz */
    double cubes[3];    /* q q.q */
    double fourths, largest, smallest;
};

/* Adds the vertices. `centred` is the pose of the mesh with the centre as its origin. */
static void add_vertices(struct vertex_sums *sums, const cp_mesh *mesh, const cp_pose *centred, double *squares)
{
    struct vertex_sums own = *sums; /* in registers */
    const double *m = centred->m;
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        double p[3], q[3];
        load(mesh, i, p);
        for (int row = 0; row < 3; row++) /* pose_point, without a call */
            q[row] = m[4 * row] * p[0] + m[4 * row + 1] * p[1] + m[4 * row + 2] * p[2] + m[4 * row + 3];
        double xx = q[0] * q[0], yy = q[1] * q[1], zz = q[2] * q[2], square = xx + yy + zz;
        own.products[0] += xx;
        own.products[1] += q[0] * q[1];
        own.products[2] += q[0] * q[2];
        own.products[3] += yy;
        own.products[4] += q[1] * q[2];
        own.products[5] += zz;
        own.cubes[0] += q[0] * square;
        own.cubes[1] += q[1] * square;
        own.cubes[2] += q[2] * square;
        own.fourths += square * square;
        own.largest = square > own.largest ? square : own.largest;
        own.smallest = square < own.smallest ? square : own.smallest;
        if (squares)
            squares[i] = square;
    }
    *sums = own;
}

/* Sums over faces. d are the three differences between x, y, z, the squares of consecutive corners, and m is the
 * largest |d|. The products alone would not do: (x - y)(y - z)(z - x) is a sum over the edges, of x y^2 - x^2 y, and
 * for a closed surface these cancel out. */
struct face_sums {
    double cubes, products, count; /* of m^3 and d d d m, and their number */
};

static inline void add_corners(struct face_sums *sums, double x, double y, double z)
{
    double p = x - y, q = y - z, r = z - x;
    double most = fabs(p) > fabs(q) ? fabs(p) : fabs(q);
    most = fabs(r) > most ? fabs(r) : most;
    sums->cubes += most * most * most;
    sums->products += p * q * (r * most);
}

/* Adds the faces. squares[vertex] are the squared distances; `side` is -1 if the pose mirrors, so that the faces show
 * their other side. */
static void add_faces(struct face_sums *sums, const cp_mesh *mesh, const double *squares, double side)
{
    struct face_sums own = {0}; /* in registers */
    const uint32_t *corners = mesh->corners;
    for (size_t i = 0; !mesh->face_offsets && i < mesh->corner_count; i += 3)
        add_corners(&own, squares[corners[i]], squares[corners[i + 1]], squares[corners[i + 2]]);
    own.count = mesh->face_offsets ? 0 : mesh->face_count;
    for (uint32_t face = 0; mesh->face_offsets && face < mesh->face_count; face++) {
        uint32_t first = mesh_face_first(mesh, face), size = mesh_face_size(mesh, face);
        /* A triangle's three ways to begin give the same, so one is enough. */
        for (uint32_t i = size == 3 ? 2 : 0; i < size; i++, own.count++)
            add_corners(&own, squares[corners[first + i]], squares[corners[first + (i + 1) % size]],
                        squares[corners[first + (i + 2) % size]]);
    }
    sums->cubes += own.cubes;
    sums->products += side * own.products;
    sums->count += own.count;
}

static void multiply(const double matrix[3][3], const double in[3], double out[3])
{
    for (int row = 0; row < 3; row++)
        out[row] = dot_product(matrix[row], in);
}

/* Sets the values of the third moment u and the covariance C. With the radius, which is the root of tr(C), the first
 * two say the same as the principal moments, but lose no digits if two of these are equal or one is 0. */
static void find_moments(const struct vertex_sums *sums, double count, double values[FINGERPRINT_VALUES])
{
    const double *p = sums->products, largest = values[FINGERPRINT_LARGEST];
    const double c[3][3] = {{p[0] / count, p[1] / count, p[2] / count},
                            {p[1] / count, p[3] / count, p[4] / count},
                            {p[2] / count, p[4] / count, p[5] / count}};
    double second = 0, third = 0, size = count * largest * largest * largest;
    double u[3][3] = {{0}}, normal[3]; /* u, C u, C C u, divided by powers of the largest distance */
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            double square = dot_product(c[i], c[k]);
            second += i == k ? square : 0;
            third += square * c[i][k];
        }
    for (int i = 0; i < 3 && size > 0; i++)
        u[0][i] = sums->cubes[i] / size;
    for (int i = 1; i < 3 && size > 0; i++) {
        multiply(c, u[i - 1], u[i]);
        for (int axis = 0; axis < 3; axis++)
            u[i][axis] /= largest * largest;
    }
    cross_product(u[1], u[2], normal);
    values[FINGERPRINT_SECOND] = sqrt(sqrt(second));
    values[FINGERPRINT_THIRD] = cbrt(sqrt(fmax(third, 0)));
    values[FINGERPRINT_SKEW] = sqrt(dot_product(u[0], u[0]));
    values[FINGERPRINT_TWIST] = dot_product(u[0], normal);
}

struct fingerprint fingerprint_find(const struct placed_mesh *meshes, uint32_t count, const uint32_t *material,
                                    double *squares)
{
    struct fingerprint print = {.shape = count};
    struct vertex_sums vertices = {.smallest = INFINITY};
    struct face_sums faces = {0};
    double centre[3] = {0, 0, 0}, total = 0;
    for (uint32_t i = 0; i < count; i++)
        total += meshes[i].mesh->vertex_count;
    for (uint32_t i = 0; i < count; i++) {
        const cp_mesh *mesh = meshes[i].mesh;
        double sum[3] = {0, 0, 0}, reach = 0, share = mesh->vertex_count / total;
        print.shape += mix(find_shape(mesh, material));
        if (mesh->vertex_count == 0)
            continue;
        sum_positions(mesh, sum, &reach);
        for (int axis = 0; axis < 3; axis++)
            sum[axis] /= mesh->vertex_count;
        pose_point(&meshes[i].pose, sum, sum);
        for (int axis = 0; axis < 3; axis++)
            centre[axis] += share * sum[axis];
        print.reach = fmax(print.reach, pose_stretch_bound(&meshes[i].pose) * sqrt(reach));
    }
    for (uint32_t i = 0; i < count; i++) {
        const cp_mesh *mesh = meshes[i].mesh;
        cp_pose centred = meshes[i].pose;
        for (int axis = 0; axis < 3; axis++)
            centred.m[4 * axis + 3] -= centre[axis];
        add_vertices(&vertices, mesh, &centred, squares);
        if (squares && mesh->kind == CP_MESH_FACES)
            add_faces(&faces, mesh, squares, pose_determinant(&centred) < 0 ? -1 : 1);
    }
    print.radius = sqrt((vertices.products[0] + vertices.products[3] + vertices.products[5]) / total);
    print.values[FINGERPRINT_LARGEST] = sqrt(vertices.largest);
    print.values[FINGERPRINT_SMALLEST] = sqrt(vertices.smallest);
    print.values[FINGERPRINT_FOURTH] = sqrt(sqrt(vertices.fourths / total));
    find_moments(&vertices, total, print.values);
    print.values[FINGERPRINT_SPREAD] = faces.count > 0 ? cbrt(faces.cubes / faces.count) : 0;
    print.values[FINGERPRINT_HAND] = faces.count > 0 ? faces.products / faces.count : 0;
    return print;
}

double fingerprint_tolerance(const struct fingerprint *print)
{
    return fmin(1e-6 * print->reach, 2e-3 * print->values[FINGERPRINT_LARGEST]);
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

/* Returns the range in which the value of a true copy may lie; index -1 is the radius. The rounding of the sums is far
 * below 1e-9 of the size. */
static struct range value_range(const struct fingerprint *print, int index, bool scaled)
{
    bool radius = index < 0;
    double value = radius ? print->radius : print->values[index];
    double slack = 1e-9 * print->values[FINGERPRINT_LARGEST], half = (radius ? 1 : 2) * print->tolerance + slack;
    if (index >= FINGERPRINT_LENGTHS) { /* as the header says */
        /* The share of the bounds that these values may use, which tell mirror images of nearly symmetric shapes apart.
         * Only if all roundings pulled in the worst direction would a value reach its bound; those of 160 real parts,
         * turned, stayed below 5e-5 of it. */
        const double share = 1e-3;
        const double *values = print->values;
        double largest = values[FINGERPRINT_LARGEST], off = print->tolerance + slack;
        double change = 8 * (largest + off) * off, spread = values[FINGERPRINT_SPREAD] + change;
        double part = largest > 0 ? off / largest : 0, skew = values[FINGERPRINT_SKEW] + 12 * part;
        double ratio = largest > 0 ? values[FINGERPRINT_SECOND] / largest : 0, norm = ratio * ratio + 8 * part;
        half = index == FINGERPRINT_SPREAD ? change
               : index == FINGERPRINT_HAND ? share * 2 * change * spread * spread * spread
               : index == FINGERPRINT_SKEW ? 12 * part
                                           : share * part * skew * skew * norm * norm * (36 * norm + 24 * skew);
    }
    if (scaled && print->radius > 0) {
        double ratio = value / print->radius;
        half = (half + ratio * (print->tolerance + slack)) / print->radius;
        value = radius ? 0 : ratio; /* all have the radius 1 */
    }
    return (struct range){.low = value - half, .high = value + half};
}

void fingerprint_radius_range(const struct fingerprint *print, double *low, double *high)
{
    struct range range = value_range(print, -1, false);
    *low = range.low;
    *high = range.high;
}

double fingerprint_difference(const struct fingerprint *a, const struct fingerprint *b)
{
    double worst = 0;
    for (int index = -1; index < FINGERPRINT_VALUES; index++) {
        struct range p = value_range(a, index, false), q = value_range(b, index, false);
        double apart = fabs(p.low + p.high - q.low - q.high), allowed = p.high - p.low + (q.high - q.low);
        if (apart > 0)
            worst = fmax(worst, apart / allowed);
    }
    return worst;
}

static int compare_prints(const void *a, const void *b)
{
    const struct fingerprint *p = a, *q = b;
    if (p->cluster != q->cluster)
        return p->cluster < q->cluster ? -1 : 1;
    return (p->mesh > q->mesh) - (p->mesh < q->mesh);
}

bool fingerprint_cluster(cp_context *context, struct fingerprint *prints, uint32_t count, int values, bool scaled)
{
    struct range *ranges = memory_allocate(context, count, sizeof *ranges);
    if (!ranges)
        return false;
    for (int index = -2; index < values; index++) {
        for (uint32_t i = 0; i < count; i++) {
            ranges[i] = index == -2 ? (struct range){0} : value_range(&prints[i], index, scaled);
            ranges[i].cluster = index == -2 ? prints[i].shape : prints[i].cluster;
            ranges[i].print = i;
        }
        qsort(ranges, count, sizeof *ranges, compare_ranges);
        /* Number the runs of equal clusters whose ranges overlap, each with the next. */
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
