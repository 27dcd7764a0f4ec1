#include "surface.h"
#include <math.h>
#include <stdlib.h>

/* Bounds are rounded outwards, so that a box is never farther than what is in it. */
struct box_node {
    float low[3], high[3];
    uint32_t first, count; /* a leaf's triangles; count 0: the children are first and first + 1 */
};

enum { LEAF_TRIANGLES = 4, STACK_SIZE = 128 };

/* ---- vectors ---- */

double dot_product(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

void cross_product(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static void subtract(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = a[k] - b[k];
}

void mesh_triangle_corners(const struct mesh *mesh, size_t triangle, double corners[3][3])
{
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 3; k++)
            corners[i][k] = (double)mesh->positions[3 * (size_t)mesh->corners[3 * triangle + i] + k];
}

/* ---- point and triangle ---- */

static double segment_distance2(const double point[3], const double a[3], const double b[3])
{
    double along[3], to_point[3], away[3];
    subtract(b, a, along);
    subtract(point, a, to_point);
    double length2 = dot_product(along, along);
    double t = length2 > 0 ? dot_product(to_point, along) / length2 : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    for (int k = 0; k < 3; k++)
        away[k] = to_point[k] - t * along[k];
    return dot_product(away, away);
}

/* True when the point lies in the prism that stands on the triangle. */
static int is_above(const double point[3], const double corners[3][3], const double normal[3])
{
    for (int i = 0; i < 3; i++) {
        double edge[3], to_point[3], inwards[3];
        subtract(corners[(i + 1) % 3], corners[i], edge);
        subtract(point, corners[i], to_point);
        cross_product(normal, edge, inwards);
        if (dot_product(inwards, to_point) < 0)
            return 0;
    }
    return 1;
}

double triangle_distance2(const double point[3], const double corners[3][3])
{
    double u[3], v[3], normal[3], to_point[3];
    subtract(corners[1], corners[0], u);
    subtract(corners[2], corners[0], v);
    cross_product(u, v, normal);
    double length2 = dot_product(normal, normal);
    /* Below an angle of 1e-8 a normal is noise, and the triangle its edges. */
    if (length2 > 1e-16 * dot_product(u, u) * dot_product(v, v) && is_above(point, corners, normal)) {
        subtract(point, corners[0], to_point);
        double height = dot_product(to_point, normal);
        return height * height / length2;
    }
    double best = segment_distance2(point, corners[2], corners[0]);
    for (int i = 0; i < 2; i++)
        best = fmin(best, segment_distance2(point, corners[i], corners[i + 1]));
    return best;
}

/* ---- building the tree ---- */

struct range {
    uint32_t node, begin, end;
};

/* Each triangle's box and centre (the box's, doubled), as long as the tree is built. */
struct triangle_box {
    float low[3], high[3], centre[3];
};

static struct triangle_box *triangle_boxes(const struct mesh *mesh)
{
    struct triangle_box *boxes = allocate(mesh->triangle_count, sizeof *boxes);
    for (size_t i = 0; i < mesh->triangle_count; i++)
        for (size_t k = 0; k < 3; k++) {
            float a = mesh->positions[3 * (size_t)mesh->corners[3 * i] + k];
            float b = mesh->positions[3 * (size_t)mesh->corners[3 * i + 1] + k];
            float c = mesh->positions[3 * (size_t)mesh->corners[3 * i + 2] + k];
            boxes[i].low[k] = fminf(a, fminf(b, c));
            boxes[i].high[k] = fmaxf(a, fmaxf(b, c));
            boxes[i].centre[k] = boxes[i].low[k] / 2 + boxes[i].high[k] / 2;
        }
    return boxes;
}

/* Bounds the range's triangles in *node; returns the axis along which their centres are spread most. */
static int bound_range(const struct triangle_box *boxes, const uint32_t *triangles, const struct range *range,
                       struct box_node *node)
{
    float low[3], high[3];
    for (int k = 0; k < 3; k++) {
        node->low[k] = low[k] = INFINITY;
        node->high[k] = high[k] = -INFINITY;
    }
    for (uint32_t i = range->begin; i < range->end; i++)
        for (int k = 0; k < 3; k++) {
            const struct triangle_box *box = boxes + triangles[i];
            node->low[k] = fminf(node->low[k], box->low[k]);
            node->high[k] = fmaxf(node->high[k], box->high[k]);
            low[k] = fminf(low[k], box->centre[k]);
            high[k] = fmaxf(high[k], box->centre[k]);
        }
    int axis = 0;
    for (int k = 1; k < 3; k++)
        if (high[k] - low[k] > high[axis] - low[axis])
            axis = k;
    return axis;
}

/* Orders the range so that no centre before its middle is beyond one after it (Hoare's selection). */
static void split_range(const struct triangle_box *boxes, uint32_t *triangles, const struct range *range, int axis)
{
    uint32_t middle = range->begin + (range->end - range->begin) / 2;
    int64_t low = range->begin, high = (int64_t)range->end - 1;
    while (low < high) {
        float pivot = boxes[triangles[low + (high - low) / 2]].centre[axis];
        int64_t i = low, j = high;
        while (i <= j) {
            while (boxes[triangles[i]].centre[axis] < pivot)
                i++;
            while (boxes[triangles[j]].centre[axis] > pivot)
                j--;
            if (i > j)
                break;
            uint32_t swapped = triangles[i];
            triangles[i++] = triangles[j];
            triangles[j--] = swapped;
        }
        if (middle <= j)
            high = j;
        else if (middle >= i)
            low = i;
        else
            return;
    }
}

static void build_nodes(struct surface *surface, const struct triangle_box *boxes)
{
    struct range stack[STACK_SIZE];
    size_t depth = 0;
    uint32_t used = 1;
    stack[depth++] = (struct range){0, 0, (uint32_t)surface->mesh->triangle_count};
    while (depth > 0) {
        struct range range = stack[--depth];
        struct box_node *node = surface->nodes + range.node;
        int axis = bound_range(boxes, surface->triangles, &range, node);
        node->first = range.begin;
        node->count = range.end - range.begin;
        if (node->count <= LEAF_TRIANGLES)
            continue;
        split_range(boxes, surface->triangles, &range, axis);
        uint32_t middle = range.begin + node->count / 2;
        node->count = 0;
        node->first = used;
        stack[depth++] = (struct range){used++, range.begin, middle};
        stack[depth++] = (struct range){used++, middle, range.end};
    }
}

static void compute_normals(struct surface *surface)
{
    for (size_t i = 0; i < surface->mesh->triangle_count; i++) {
        float normal[3];
        mesh_triangle_normal(surface->mesh, i, normal);
        for (int k = 0; k < 3; k++)
            surface->normals[i][k] = (double)normal[k];
    }
}

struct surface surface_build(const struct mesh *mesh)
{
    size_t count = mesh->triangle_count;
    if (count == 0 || count > UINT32_MAX / 2)
        fail("a surface has 1 to 2^31 triangles, not %zu", count);
    struct surface surface = {mesh, allocate(count, sizeof *surface.nodes), allocate(count, sizeof *surface.triangles),
                              allocate(count, sizeof *surface.normals)};
    for (size_t i = 0; i < count; i++)
        surface.triangles[i] = (uint32_t)i;
    struct triangle_box *boxes = triangle_boxes(mesh);
    build_nodes(&surface, boxes);
    compute_normals(&surface);
    free(boxes);
    return surface;
}

void surface_free(struct surface *surface)
{
    free(surface->nodes);
    free(surface->triangles);
    free(surface->normals);
}

/* ---- asking ---- */

static double box_distance2(const struct box_node *node, const double point[3])
{
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        double outside = fmax(0, fmax((double)node->low[k] - point[k], point[k] - (double)node->high[k]));
        sum += outside * outside;
    }
    return sum;
}

static double leaf_distance2(const struct surface *surface, const struct box_node *leaf, const double point[3],
                             double best, size_t *nearest)
{
    for (uint32_t i = leaf->first; i < leaf->first + leaf->count; i++) {
        double corners[3][3];
        mesh_triangle_corners(surface->mesh, surface->triangles[i], corners);
        double distance2 = triangle_distance2(point, (const double(*)[3])corners);
        if (distance2 < best) {
            best = distance2;
            *nearest = surface->triangles[i];
        }
    }
    return best;
}

double surface_distance(const struct surface *surface, const double point[3], size_t *nearest)
{
    struct waiting {
        double distance2;
        uint32_t node;
    } stack[STACK_SIZE];
    size_t depth = 0;
    double best = INFINITY;
    *nearest = 0;
    stack[depth++] = (struct waiting){box_distance2(surface->nodes, point), 0};
    while (depth > 0) {
        struct waiting top = stack[--depth];
        const struct box_node *node = surface->nodes + top.node;
        if (top.distance2 >= best)
            continue;
        if (node->count > 0) {
            best = leaf_distance2(surface, node, point, best, nearest);
            continue;
        }
        struct waiting a = {box_distance2(surface->nodes + node->first, point), node->first};
        struct waiting b = {box_distance2(surface->nodes + node->first + 1, point), node->first + 1};
        stack[depth++] = a.distance2 < b.distance2 ? b : a;
        stack[depth++] = a.distance2 < b.distance2 ? a : b;
    }
    return sqrt(best);
}

/* ---- sampling ---- */

struct sampler sampler_begin(const struct mesh *mesh)
{
    struct sampler sampler = {mesh, allocate(mesh->triangle_count, sizeof(double)), random_begin()};
    double sum = 0;
    for (size_t i = 0; i < mesh->triangle_count; i++) {
        double corners[3][3], u[3], v[3], normal[3];
        mesh_triangle_corners(mesh, i, corners);
        subtract(corners[1], corners[0], u);
        subtract(corners[2], corners[0], v);
        cross_product(u, v, normal);
        sum += sqrt(dot_product(normal, normal));
        sampler.areas[i] = sum;
    }
    return sampler;
}

void sampler_free(struct sampler *sampler)
{
    free(sampler->areas);
}

/* The first triangle whose running sum is above `area`. */
static size_t find_area(const struct sampler *sampler, double area)
{
    size_t low = 0, high = sampler->mesh->triangle_count - 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sampler->areas[middle] > area)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

void sampler_next(struct sampler *sampler, double point[3], size_t *triangle)
{
    double corners[3][3];
    double total = sampler->areas[sampler->mesh->triangle_count - 1];
    *triangle = find_area(sampler, random_unit(&sampler->random) * total);
    mesh_triangle_corners(sampler->mesh, *triangle, corners);
    double u = sqrt(random_unit(&sampler->random)), v = random_unit(&sampler->random);
    for (int k = 0; k < 3; k++)
        point[k] = (1 - u) * corners[0][k] + u * (1 - v) * corners[1][k] + u * v * corners[2][k];
}
