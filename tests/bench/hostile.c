/* Meshes that slow careless programs down: nothing in common, everything in common, and positions whose bits defeat
 * hash functions that people use. */
#include "shapes.h"
#include <math.h>
#include <string.h>

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Calls next for three vertices a triangle; no vertex is shared. */
static void make_soup(struct mesh *mesh, size_t count, void next(struct mesh *, struct random *, size_t))
{
    struct random random = random_begin();
    for (size_t i = 0; i < count; i++) {
        uint32_t first = (uint32_t)mesh->vertex_count;
        for (size_t k = 0; k < 3; k++)
            next(mesh, &random, 3 * i + k);
        mesh_add_triangle(mesh, first, first + 1, first + 2);
    }
}

static void add_random(struct mesh *mesh, struct random *random, size_t index)
{
    (void)index;
    double x = random_unit(random), y = random_unit(random), z = random_unit(random);
    mesh_add_vertex(mesh, 1000 * x, 1000 * y, 1000 * z);
}

static void make_random(struct mesh *mesh, size_t count)
{
    make_soup(mesh, count, add_random);
}

static void add_same(struct mesh *mesh, struct random *random, size_t index)
{
    (void)random, (void)index;
    mesh_add_vertex(mesh, 1, 2, 3);
}

static void make_same(struct mesh *mesh, size_t count)
{
    make_soup(mesh, count, add_same);
}

/* Powers of two of either sign: positions differ in the 9 high bits of a float alone. */
static void add_high_bits(struct mesh *mesh, struct random *random, size_t index)
{
    (void)random;
    double p[3];
    for (int k = 0; k < 3; k++, index /= 256)
        p[k] = ldexp(index & 1 ? -1 : 1, (int)(index / 2 % 128) - 64);
    mesh_add_vertex(mesh, p[0], p[1], p[2]);
}

static void make_high_bits(struct mesh *mesh, size_t count)
{
    make_soup(mesh, count, add_high_bits);
}

/* The points of a cubic lattice in order: whole numbers, so that the low bits of all coordinates are 0. */
static void add_lattice(struct mesh *mesh, struct random *random, size_t index)
{
    (void)random;
    mesh_add_vertex(mesh, (double)(index % 512), (double)(index / 512 % 512), (double)(index / 262144));
}

static void make_lattice(struct mesh *mesh, size_t count)
{
    make_soup(mesh, count, add_lattice);
}

/* x ^ y ^ z of the bits is one number for all positions: x and y are free, z is what is left. The exponents stay
 * 1.0's. */
static void add_equal_xor(struct mesh *mesh, struct random *random, size_t index)
{
    (void)index;
    uint32_t x = random_below(random, 1u << 23), y = random_below(random, 1u << 23), one = 0x3f800000;
    mesh_add_vertex(mesh, float_of(one | x), float_of(one | y), float_of(one | (x ^ y)));
}

static void make_equal_xor(struct mesh *mesh, size_t count)
{
    make_soup(mesh, count, add_equal_xor);
}

static uint32_t inverse_modulo_2_32(uint32_t odd)
{
    uint32_t inverse = odd; /* right in 3 bits; each step of Newton's doubles them */
    for (int i = 0; i < 4; i++)
        inverse *= 2 - odd * inverse;
    return inverse;
}

/* The hash of Teschner et al., "Optimized Spatial Hashing" (2003), over the bits is 0 for all positions. */
static void add_equal_spatial_hash(struct mesh *mesh, struct random *random, size_t index)
{
    (void)index;
    uint32_t x, y, z;
    do {
        x = 0x3f800000 | random_below(random, 1u << 23);
        y = 0x3f800000 | random_below(random, 1u << 23);
        z = (x * 73856093u ^ y * 19349663u) * inverse_modulo_2_32(83492791u);
    } while ((z >> 23 & 0xff) == 0xff || (z >> 23 & 0xff) == 0);
    mesh_add_vertex(mesh, float_of(x), float_of(y), float_of(z));
}

static void make_equal_spatial_hash(struct mesh *mesh, size_t count)
{
    make_soup(mesh, count, add_equal_spatial_hash);
}

/* One corner that all triangles have: a vertex of `count` edges. */
static void make_fan(struct mesh *mesh, size_t count)
{
    mesh_add_vertex(mesh, 0, 0, 10);
    for (size_t i = 0; i < count; i++) {
        double angle = 6.28318530717958648 * (double)i / (double)count;
        mesh_add_vertex(mesh, 100 * cos(angle), 100 * sin(angle), 0);
    }
    for (size_t i = 0; i < count; i++)
        mesh_add_triangle(mesh, 0, (uint32_t)(i + 1), (uint32_t)((i + 1) % count + 1));
}

/* One edge that all triangles have. */
static void make_book(struct mesh *mesh, size_t count)
{
    mesh_add_vertex(mesh, 0, 0, 0);
    mesh_add_vertex(mesh, 0, 0, 100);
    for (size_t i = 0; i < count; i++) {
        double angle = 6.28318530717958648 * (double)i / (double)count;
        mesh_add_triangle(mesh, 0, 1, mesh_add_vertex(mesh, 100 * cos(angle), 100 * sin(angle), 50));
    }
}

/* ---- outlines for the format `polygon`: one face of count + 2 corners, which are the vertices in order ---- */

static void add_fan_of_all(struct mesh *mesh)
{
    for (uint32_t i = 2; i < mesh->vertex_count; i++)
        mesh_add_triangle(mesh, 0, i - 1, i);
}

static void make_circle(struct mesh *mesh, size_t count)
{
    for (size_t i = 0; i < count + 2; i++) {
        double angle = 6.28318530717958648 * (double)i / (double)(count + 2);
        mesh_add_vertex(mesh, 1000 * cos(angle), 1000 * sin(angle), 0);
    }
    add_fan_of_all(mesh);
}

/* A comb seen from its back: every second corner is concave for the fan of any corner. */
static void make_comb(struct mesh *mesh, size_t count)
{
    size_t teeth = (count + 1) / 2;
    for (size_t i = 0; i <= teeth; i++) {
        mesh_add_vertex(mesh, (double)i, 100, 0);
        if (i < teeth)
            mesh_add_vertex(mesh, (double)i + 0.5, 1, 0);
    }
    mesh_add_vertex(mesh, (double)teeth, 0, 0);
    mesh_add_vertex(mesh, 0, 0, 0);
    add_fan_of_all(mesh);
}

const struct shape hostile_shapes[] = {
    {"random", "random triangles, nothing shared", make_random},
    {"same", "all vertices equal", make_same},
    {"high-bits", "positions that differ in their high bits alone", make_high_bits},
    {"lattice", "whole numbers in order", make_lattice},
    {"equal-xor", "x ^ y ^ z is the same everywhere", make_equal_xor},
    {"equal-spatial-hash", "the usual three primes give the same hash everywhere", make_equal_spatial_hash},
    {"fan", "one vertex that all triangles share", make_fan},
    {"book", "one edge that all triangles share", make_book},
    {"circle", "an outline: convex", make_circle},
    {"comb", "an outline: every second corner concave", make_comb},
    {0},
};
