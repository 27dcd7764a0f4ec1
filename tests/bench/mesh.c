#include "mesh.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("bench: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

void *allocate(size_t count, size_t size)
{
    return resize(NULL, count, size);
}

void *resize(void *block, size_t count, size_t size)
{
    if (count > SIZE_MAX / size)
        fail("%zu things of %zu bytes are too many", count, size);
    size_t bytes = count * size;
    void *result = realloc(block, bytes > 0 ? bytes : 1);
    if (!result)
        fail("out of memory for %zu things of %zu bytes", count, size);
    return result;
}

FILE *open_output(const char *path)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        fail("%s cannot be written", path);
    setvbuf(file, NULL, _IOFBF, 1 << 20);
    return file;
}

void close_output(FILE *file, const char *path)
{
    int bad = ferror(file);
    if (fclose(file) || bad)
        fail("%s cannot be written", path);
}

uint32_t mesh_add_vertex(struct mesh *mesh, double x, double y, double z)
{
    if (mesh->vertex_count == mesh->vertex_room) {
        mesh->vertex_room = mesh->vertex_room ? 2 * mesh->vertex_room : 1024;
        mesh->positions = resize(mesh->positions, mesh->vertex_room, 3 * sizeof(float));
    }
    if (mesh->vertex_count == UINT32_MAX)
        fail("more than 2^32 - 1 vertices");
    float *position = mesh->positions + 3 * mesh->vertex_count;
    position[0] = (float)x;
    position[1] = (float)y;
    position[2] = (float)z;
    return (uint32_t)mesh->vertex_count++;
}

void mesh_add_triangle(struct mesh *mesh, uint32_t a, uint32_t b, uint32_t c)
{
    if (mesh->triangle_count == mesh->triangle_room) {
        mesh->triangle_room = mesh->triangle_room ? 2 * mesh->triangle_room : 1024;
        mesh->corners = resize(mesh->corners, mesh->triangle_room, 3 * sizeof(uint32_t));
    }
    uint32_t *corners = mesh->corners + 3 * mesh->triangle_count++;
    corners[0] = a;
    corners[1] = b;
    corners[2] = c;
}

void mesh_add_quad(struct mesh *mesh, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    mesh_add_triangle(mesh, a, b, c);
    mesh_add_triangle(mesh, a, c, d);
}

void mesh_free(struct mesh *mesh)
{
    free(mesh->positions);
    free(mesh->corners);
    *mesh = (struct mesh){0};
}

void mesh_triangle_normal(const struct mesh *mesh, size_t triangle, float normal[3])
{
    const float *corner[3];
    for (int k = 0; k < 3; k++)
        corner[k] = mesh->positions + 3 * (size_t)mesh->corners[3 * triangle + (size_t)k];
    double u[3], v[3];
    for (int k = 0; k < 3; k++) {
        u[k] = (double)corner[1][k] - (double)corner[0][k];
        v[k] = (double)corner[2][k] - (double)corner[0][k];
    }
    double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int k = 0; k < 3; k++)
        normal[k] = (float)(length > 0 ? n[k] / length : n[k]);
}

struct random random_begin(void)
{
    return (struct random){88172645463325252u};
}

uint64_t random_bits(struct random *random)
{
    random->state ^= random->state << 13;
    random->state ^= random->state >> 7;
    random->state ^= random->state << 17;
    return random->state;
}

double random_unit(struct random *random)
{
    return (double)(random_bits(random) >> 11) * 0x1p-53;
}

uint32_t random_below(struct random *random, uint32_t bound)
{
    return (uint32_t)(((random_bits(random) >> 32) * bound) >> 32);
}
