/* Triangle meshes of the benchmark: made by shapes.c and hostile.c, written by write_*.c, read back by read_stl.c. */
#ifndef BENCH_MESH_H
#define BENCH_MESH_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct mesh {
    float *positions;  /* vertex_count x 3 */
    uint32_t *corners; /* triangle_count x 3 */
    size_t vertex_count, triangle_count;
    size_t vertex_room, triangle_room;
};

/* Ends the program with a message: these are tools, not the library. */
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* As malloc and realloc, but ends the program when out of memory. */
void *allocate(size_t count, size_t size);
void *resize(void *block, size_t count, size_t size);
FILE *open_output(const char *path);
void close_output(FILE *file, const char *path);

/* Returns the new vertex's index. */
uint32_t mesh_add_vertex(struct mesh *mesh, double x, double y, double z);
void mesh_add_triangle(struct mesh *mesh, uint32_t a, uint32_t b, uint32_t c);
/* The triangles a b c and a c d. */
void mesh_add_quad(struct mesh *mesh, uint32_t a, uint32_t b, uint32_t c, uint32_t d);
void mesh_free(struct mesh *mesh);
/* The unit normal, zero without an area; computed in double from the corners as stored. */
void mesh_triangle_normal(const struct mesh *mesh, size_t triangle, float normal[3]);

/* Marsaglia's xorshift64: the same numbers everywhere. */
struct random {
    uint64_t state;
};
struct random random_begin(void);
uint64_t random_bits(struct random *random);
/* 0 <= value < 1, 53 bits. */
double random_unit(struct random *random);
uint32_t random_below(struct random *random, uint32_t bound);

#endif
