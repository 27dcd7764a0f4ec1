/* measure_surface [--samples N] REFERENCE.stl FILE.stl...
 *
 * Compares each file with the reference, both binary STL, and prints a line of numbers for it, between tabs:
 *   mean, rms, max symmetric distance between the surfaces, N samples each way (default 200000), % of the reference's
 *   diagonal off, missed the largest distance of the file from the reference, and of the reference from the file turned
 *   % of the file's samples that face away (by more than 120 degrees) from the reference's nearest triangle volume
 *   change of the signed volume, %; - when the reference is open
 * and the counts of topology.h. Samples are the same in every run. */
#include "surface.h"
#include "topology.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct distances {
    double sum, sum2, most;
    size_t turned;
};

/* From samples of one mesh to the surface of the other. */
static struct distances measure_distances(const struct mesh *from, const struct surface *to, size_t samples)
{
    struct distances distances = {0};
    struct sampler sampler = sampler_begin(from);
    for (size_t i = 0; i < samples; i++) {
        double point[3];
        float normal[3];
        size_t triangle, nearest;
        sampler_next(&sampler, point, &triangle);
        double distance = surface_distance(to, point, &nearest);
        distances.sum += distance;
        distances.sum2 += distance * distance;
        distances.most = fmax(distances.most, distance);
        mesh_triangle_normal(from, triangle, normal);
        const double wide[3] = {(double)normal[0], (double)normal[1], (double)normal[2]};
        distances.turned += dot_product(wide, to->normals[nearest]) < -0.5;
    }
    sampler_free(&sampler);
    return distances;
}

struct box {
    double low[3], high[3];
};

static struct box bounding_box(const struct mesh *mesh)
{
    struct box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t i = 0; i < 3 * mesh->vertex_count; i++) {
        box.low[i % 3] = fmin(box.low[i % 3], (double)mesh->positions[i]);
        box.high[i % 3] = fmax(box.high[i % 3], (double)mesh->positions[i]);
    }
    return box;
}

static double box_diagonal(const struct box *box)
{
    double sum = 0;
    for (int k = 0; k < 3; k++)
        sum += (box->high[k] - box->low[k]) * (box->high[k] - box->low[k]);
    return sqrt(sum);
}

/* Signed, from the box's centre: far from the origin the terms would cancel. */
static double mesh_volume(const struct mesh *mesh, const struct box *box)
{
    double sum = 0;
    for (size_t i = 0; i < mesh->triangle_count; i++) {
        double corners[3][3], normal[3];
        mesh_triangle_corners(mesh, i, corners);
        for (int k = 0; k < 9; k++)
            corners[k / 3][k % 3] -= (box->low[k % 3] + box->high[k % 3]) / 2;
        cross_product(corners[1], corners[2], normal);
        sum += dot_product(corners[0], normal);
    }
    return sum / 6;
}

static const char columns[] =
    "file\ttriangles\tvertices\tmean\trms\tmax\toff\tmissed\tturned\tvolume\tborder\tnon_manifold_edges\t"
    "non_manifold_vertices\tmisoriented\tdegenerate\tcomponents\teuler";

static void print_topology(const struct mesh *mesh)
{
    struct topology t = mesh_topology(mesh);
    long euler = (long)t.vertices - (long)t.edges + (long)t.faces;
    printf("\t%zu\t%zu\t%zu\t%zu\t%zu\t%zu\t%ld\n", t.border_edges, t.non_manifold_edges, t.non_manifold_vertices,
           t.misoriented_edges, t.degenerate, t.components, euler);
}

static void print_volume(const struct mesh *mesh, const struct mesh *reference)
{
    struct box box = bounding_box(reference);
    if (mesh_topology(reference).border_edges > 0)
        fputs("\t-", stdout);
    else
        printf("\t%+.4f", (mesh_volume(mesh, &box) / mesh_volume(reference, &box) - 1) * 100);
}

static void compare_file(const char *path, const struct surface *reference, size_t samples)
{
    struct mesh mesh = read_stl(path);
    if (mesh.triangle_count == 0) {
        printf("%s\t0\n", path);
        return;
    }
    struct surface surface = surface_build(&mesh);
    struct box box = bounding_box(reference->mesh);
    double percent = 100 / box_diagonal(&box);
    struct distances off = measure_distances(&mesh, reference, samples);
    struct distances missed = measure_distances(reference->mesh, &surface, samples);
    double mean = (off.sum + missed.sum) / (2.0 * (double)samples),
           rms = sqrt((off.sum2 + missed.sum2) / (2.0 * (double)samples));
    printf("%s\t%zu\t%zu\t%.5f\t%.5f\t%.4f\t%.4f\t%.4f\t%.3f", path, mesh.triangle_count, mesh.vertex_count,
           mean * percent, rms * percent, fmax(off.most, missed.most) * percent, off.most * percent,
           missed.most * percent, 100 * (double)off.turned / (double)samples);
    print_volume(&mesh, reference->mesh);
    print_topology(&mesh);
    surface_free(&surface);
    mesh_free(&mesh);
}

int main(int count, char **arguments)
{
    size_t samples = 200000;
    int first = 1;
    if (count > 2 && strcmp(arguments[1], "--samples") == 0) {
        samples = (size_t)strtoull(arguments[2], NULL, 10);
        first = 3;
    }
    if (count - first < 2 || samples == 0)
        fail("usage: measure_surface [--samples N] REFERENCE.stl FILE.stl...");
    struct mesh mesh = read_stl(arguments[first]);
    struct surface reference = surface_build(&mesh);
    puts(columns);
    for (int i = first + 1; i < count; i++) {
        compare_file(arguments[i], &reference, samples);
        fflush(stdout);
    }
    surface_free(&reference);
    mesh_free(&mesh);
    return 0;
}
