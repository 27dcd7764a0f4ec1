/* The measuring program against closed forms and brute force, and the shapes against what they are said to be. */
#include "shapes.h"

#include "surface.h"
#include "topology.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double pi = 3.14159265358979323846;

/* ---- a point and a triangle ---- */

static void test_triangle_distance_by_region(void **state)
{
    (void)state;
    const double corners[3][3] = {{0, 0, 0}, {4, 0, 0}, {0, 3, 0}};
    static const struct {
        double point[3], distance2;
    } cases[] = {
        {{1, 1, 2}, 4},  {{1, 1, -2}, 4},   {{-3, -4, 0}, 25}, {{6, -1, 2}, 9}, {{-1, 5, 0}, 5},   {{2, -3, 4}, 25},
        {{-2, 1, 1}, 5}, {{4, 3, 0}, 5.76}, {{4, 0, 0}, 0},    {{1, 1, 0}, 0},  {{2, 1.5, 7}, 49},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int turn = 0; turn < 3; turn++) {
            double turned[3][3];
            for (int k = 0; k < 3; k++)
                memcpy(turned[k], corners[(k + turn) % 3], sizeof turned[k]);
            double found = triangle_distance2(cases[i].point, (const double(*)[3])turned);
            assert_true(fabs(found - cases[i].distance2) < 1e-12);
        }
}

static void test_triangle_without_area(void **state)
{
    (void)state;
    const double point[3] = {1, 2, 2};
    const double spot[3][3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    const double line[3][3] = {{0, 0, 0}, {1, 0, 0}, {3, 0, 0}};
    const double needle[3][3] = {{-5, 0, 0}, {5, 0, 0}, {0, 1e-12, 0}};
    assert_true(triangle_distance2(point, spot) == 9);
    assert_true(triangle_distance2(point, line) == 8);
    assert_true(fabs(triangle_distance2(point, needle) - 8) < 1e-9);
}

/* The least distance to the points of a fine grid on the triangle: from above, by at most the grid's step. */
static double sampled_distance(const double point[3], const double corners[3][3], int steps)
{
    double best = INFINITY;
    for (int i = 0; i <= steps; i++)
        for (int j = 0; i + j <= steps; j++) {
            double sum = 0;
            for (int k = 0; k < 3; k++) {
                double u = (double)i / steps, v = (double)j / steps;
                double at = (1 - u - v) * corners[0][k] + u * corners[1][k] + v * corners[2][k];
                sum += (at - point[k]) * (at - point[k]);
            }
            best = fmin(best, sum);
        }
    return sqrt(best);
}

static void test_triangle_distance_by_sampling(void **state)
{
    (void)state;
    struct random random = random_begin();
    for (int i = 0; i < 300; i++) {
        double corners[3][3], point[3];
        for (int k = 0; k < 9; k++)
            corners[k / 3][k % 3] = random_unit(&random);
        for (int k = 0; k < 3; k++)
            point[k] = 3 * random_unit(&random) - 1;
        double exact = sqrt(triangle_distance2(point, (const double(*)[3])corners));
        double sampled = sampled_distance(point, (const double(*)[3])corners, 100);
        assert_true(exact <= sampled + 1e-12);
        assert_true(exact >= sampled - 2 * sqrt(3) / 100);
    }
}

/* ---- surfaces ---- */

static const struct shape *find_shape(const char *name)
{
    const struct shape *shape = part_shapes;
    while (strcmp(shape->name, name) != 0)
        shape++;
    return shape;
}

static struct mesh joined_shape(const char *name, size_t count)
{
    struct mesh mesh = {0};
    find_shape(name)->make(&mesh, count);
    mesh_join_vertices(&mesh);
    return mesh;
}

static void test_tree_against_all_triangles(void **state)
{
    (void)state;
    struct mesh mesh = joined_shape("crumbs", 2000);
    struct surface surface = surface_build(&mesh);
    struct random random = random_begin();
    for (int i = 0; i < 500; i++) {
        double point[3], best = INFINITY;
        size_t nearest;
        for (int k = 0; k < 3; k++)
            point[k] = 120 * random_unit(&random) - 10;
        for (size_t t = 0; t < mesh.triangle_count; t++) {
            double corners[3][3];
            mesh_triangle_corners(&mesh, t, corners);
            best = fmin(best, triangle_distance2(point, (const double(*)[3])corners));
        }
        assert_true(surface_distance(&surface, point, &nearest) == sqrt(best));
    }
    surface_free(&surface);
    mesh_free(&mesh);
}

/* A sphere of quads between circles of latitude, the poles collapsed. */
static struct mesh make_sphere(double radius, uint32_t sides)
{
    struct mesh mesh = {0};
    for (uint32_t i = 0; i <= sides; i++)
        for (uint32_t j = 0; j < 2 * sides; j++) {
            double polar = pi * i / sides, around = pi * j / sides, ring = i == 0 || i == sides ? 0 : sin(polar);
            mesh_add_vertex(&mesh, radius * ring * cos(around), radius * ring * sin(around), radius * cos(polar));
        }
    for (uint32_t i = 0; i < sides; i++)
        for (uint32_t j = 0; j < 2 * sides; j++) {
            uint32_t a = i * 2 * sides + j, b = i * 2 * sides + (j + 1) % (2 * sides);
            if (i > 0)
                mesh_add_triangle(&mesh, a, a + 2 * sides, b);
            if (i + 1 < sides)
                mesh_add_triangle(&mesh, b, a + 2 * sides, b + 2 * sides);
        }
    mesh_join_vertices(&mesh);
    return mesh;
}

/* Samples of a sphere of 1.25 are 0.25 from the unit sphere, less what the facets fall short: 1 - cos(pi / 2 sides),
 * twice. */
static void test_spheres(void **state)
{
    (void)state;
    struct mesh inner = make_sphere(1, 100), outer = make_sphere(1.25, 100);
    struct topology topology = mesh_topology(&inner);
    assert_true(topology.border_edges == 0 && topology.vertices + topology.faces == topology.edges + 2);
    struct surface surface = surface_build(&inner);
    struct sampler sampler = sampler_begin(&outer);
    double sum = 0;
    for (int i = 0; i < 2000; i++) {
        double point[3];
        size_t triangle, nearest;
        sampler_next(&sampler, point, &triangle);
        double distance = surface_distance(&surface, point, &nearest);
        assert_true(fabs(distance - 0.25) < 0.001);
        assert_true(dot_product(surface.normals[triangle], surface.normals[nearest]) > 0.99);
        sum += distance;
    }
    assert_true(fabs(sum / 2000 - 0.25) < 0.0005);
    sampler_free(&sampler);
    surface_free(&surface);
    mesh_free(&inner);
    mesh_free(&outer);
}

/* Of a right triangle beside one of three times its area a quarter of the samples fall on the first, in its middle on
 * average. */
static void test_samples_are_spread_by_area(void **state)
{
    (void)state;
    struct mesh mesh = {0};
    for (int i = 0; i < 2; i++) {
        uint32_t first = mesh_add_vertex(&mesh, 10 * i, 0, 0);
        mesh_add_vertex(&mesh, 10 * i + 3, 0, 0);
        mesh_add_vertex(&mesh, 10 * i, i ? 9 : 3, 0);
        mesh_add_triangle(&mesh, first, first + 1, first + 2);
    }
    struct sampler sampler = sampler_begin(&mesh);
    double first = 0, x = 0, y = 0;
    for (int i = 0; i < 100000; i++) {
        double point[3];
        size_t triangle;
        sampler_next(&sampler, point, &triangle);
        if (triangle == 0) {
            first++;
            x += point[0];
            y += point[1];
        }
    }
    assert_true(fabs(first / 100000 - 0.25) < 0.01);
    assert_true(fabs(x / first - 1) < 0.02 && fabs(y / first - 1) < 0.02);
    sampler_free(&sampler);
    mesh_free(&mesh);
}

/* ---- topology ---- */

static void add_tetrahedron(struct mesh *mesh, const uint32_t v[4])
{
    mesh_add_triangle(mesh, v[0], v[2], v[1]);
    mesh_add_triangle(mesh, v[0], v[1], v[3]);
    mesh_add_triangle(mesh, v[1], v[2], v[3]);
    mesh_add_triangle(mesh, v[2], v[0], v[3]);
}

/* Two tetrahedra that share so many vertices. */
static struct topology touching_tetrahedra(uint32_t shared)
{
    struct mesh mesh = {0};
    uint32_t second[4];
    const double places[8][3] = {{0, 0, 0}, {0, 0, 1},  {1, 0, 0},  {0, 1, 0},
                                 {5, 5, 5}, {-5, 5, 5}, {-1, 0, 0}, {0, -1, 0}};
    for (int i = 0; i < 8; i++)
        mesh_add_vertex(&mesh, places[i][0], places[i][1], places[i][2]);
    add_tetrahedron(&mesh, (const uint32_t[4]){0, 1, 2, 3});
    for (uint32_t i = 0; i < 4; i++)
        second[i] = i < shared ? i : 4 + i;
    add_tetrahedron(&mesh, second);
    struct topology topology = mesh_topology(&mesh);
    mesh_free(&mesh);
    return topology;
}

static void test_topology_of_touching_parts(void **state)
{
    (void)state;
    struct topology apart = touching_tetrahedra(0), at_vertex = touching_tetrahedra(1),
                    at_edge = touching_tetrahedra(2);
    assert_true(apart.vertices == 8 && apart.edges == 12 && apart.faces == 8 && apart.components == 2);
    assert_true(apart.border_edges + apart.non_manifold_edges + apart.non_manifold_vertices + apart.misoriented_edges ==
                0);
    assert_true(at_vertex.components == 1 && at_vertex.non_manifold_vertices == 1 && at_vertex.non_manifold_edges == 0);
    assert_true(at_edge.components == 1 && at_edge.non_manifold_edges == 1 && at_edge.border_edges == 0);
}

static void test_topology_of_faults(void **state)
{
    (void)state;
    struct mesh mesh = {0};
    for (int i = 0; i < 4; i++)
        mesh_add_vertex(&mesh, i == 1, i == 2, i == 3);
    add_tetrahedron(&mesh, (const uint32_t[4]){0, 1, 2, 3});
    mesh.corners[1] = 1; /* the first face turned over: against its three neighbours */
    mesh.corners[2] = 2;
    assert_true(mesh_topology(&mesh).misoriented_edges == 3);
    mesh.corners[2] = 1;
    struct topology topology = mesh_topology(&mesh);
    assert_true(topology.degenerate == 1 && topology.border_edges == 3 && topology.faces == 3);
    mesh_free(&mesh);
}

static void test_vertices_are_joined_by_value(void **state)
{
    (void)state;
    struct mesh mesh = {0};
    mesh_add_vertex(&mesh, 0.0, 1, 2);
    mesh_add_vertex(&mesh, 5, 1, 2);
    mesh_add_vertex(&mesh, -0.0, 1, 2);
    mesh_add_triangle(&mesh, 0, 1, 2);
    mesh_join_vertices(&mesh);
    assert_true(mesh.vertex_count == 2 && mesh.corners[0] == mesh.corners[2] && mesh.corners[0] != mesh.corners[1]);
    mesh_free(&mesh);
}

/* ---- shapes ---- */

static double signed_volume(const struct mesh *mesh)
{
    double sum = 0;
    for (size_t i = 0; i < mesh->triangle_count; i++) {
        double corners[3][3], normal[3];
        mesh_triangle_corners(mesh, i, corners);
        cross_product(corners[1], corners[2], normal);
        sum += dot_product(corners[0], normal);
    }
    return sum / 6;
}

static void test_parts_are_sound(void **state)
{
    (void)state;
    for (const struct shape *shape = part_shapes; shape->name; shape++) {
        struct mesh mesh = joined_shape(shape->name, 20000);
        struct topology t = mesh_topology(&mesh);
        assert_true(mesh.triangle_count > 18000 && mesh.triangle_count < 22000);
        assert_true(t.non_manifold_edges + t.non_manifold_vertices + t.misoriented_edges + t.degenerate == 0);
        if (strcmp(shape->name, "sheet") == 0) {
            assert_true(t.border_edges == 400 && t.components == 1);
        } else {
            assert_true(t.border_edges == 0);
            assert_true(signed_volume(&mesh) > 0);
        }
        mesh_free(&mesh);
    }
}

/* V - E + F = 2 - 2 holes for each component. */
static void test_parts_have_their_holes(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        long euler;
    } cases[] = {{"torus", 0}, {"gear", 0}, {"panel", 2}, {"crumbs", 0}, {"sheet", 1}, {"block", 2 - 2 * 25}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mesh mesh = joined_shape(cases[i].name, 20000);
        struct topology t = mesh_topology(&mesh);
        assert_int_equal((long)t.vertices - (long)t.edges + (long)t.faces, cases[i].euler);
        mesh_free(&mesh);
    }
}

/* The library that figures were published for: 2,000 parts, 2.41 million triangles. */
static void test_library(void **state)
{
    (void)state;
    struct random random = library_begin();
    size_t triangles = 0;
    for (int part = 0; part < 2000; part++) {
        struct mesh mesh = {0};
        make_library_part(&mesh, &random, part);
        triangles += mesh.triangle_count;
        mesh_free(&mesh);
    }
    assert_int_equal(triangles, 2413188);
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void test_hostile_positions(void **state)
{
    (void)state;
    for (const struct shape *shape = hostile_shapes; shape->name; shape++) {
        struct mesh mesh = {0};
        shape->make(&mesh, 1000);
        uint32_t first = 0;
        for (size_t i = 0; i < mesh.vertex_count; i++) {
            const float *p = mesh.positions + 3 * i;
            assert_true(isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]));
            uint32_t x = bits_of(p[0]), y = bits_of(p[1]), z = bits_of(p[2]);
            if (strcmp(shape->name, "equal-xor") == 0)
                assert_int_equal(x ^ y ^ z, i ? first : (first = x ^ y ^ z));
            if (strcmp(shape->name, "equal-spatial-hash") == 0)
                assert_int_equal(x * 73856093u ^ y * 19349663u ^ z * 83492791u, 0);
            if (strcmp(shape->name, "high-bits") == 0)
                assert_int_equal((x | y | z) & 0x7fffff, 0);
        }
        size_t made = mesh.vertex_count;
        mesh_join_vertices(&mesh);
        if (strcmp(shape->name, "same") == 0)
            assert_int_equal(mesh.vertex_count, 1);
        else
            assert_int_equal(mesh.vertex_count, made);
        mesh_free(&mesh);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_triangle_distance_by_region),
        cmocka_unit_test(test_triangle_without_area),
        cmocka_unit_test(test_triangle_distance_by_sampling),
        cmocka_unit_test(test_tree_against_all_triangles),
        cmocka_unit_test(test_spheres),
        cmocka_unit_test(test_samples_are_spread_by_area),
        cmocka_unit_test(test_topology_of_touching_parts),
        cmocka_unit_test(test_topology_of_faults),
        cmocka_unit_test(test_vertices_are_joined_by_value),
        cmocka_unit_test(test_parts_are_sound),
        cmocka_unit_test(test_parts_have_their_holes),
        cmocka_unit_test(test_library),
        cmocka_unit_test(test_hostile_positions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
