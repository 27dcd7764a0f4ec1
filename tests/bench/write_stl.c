#include "write_mesh.h"
#include <string.h>

/* Little-endian, as the format is: these tools run on such machines alone (make_shape.c asks). */
void write_binary_stl(const struct mesh *mesh, const char *path)
{
    if (mesh->triangle_count > UINT32_MAX)
        fail("%s: too many triangles for STL", path);
    FILE *file = open_output(path);
    char header[80] = "binary STL, made by cellpipe's benchmark";
    uint32_t count = (uint32_t)mesh->triangle_count;
    fwrite(header, sizeof header, 1, file);
    fwrite(&count, sizeof count, 1, file);
    for (size_t i = 0; i < mesh->triangle_count; i++) {
        unsigned char facet[50] = {0};
        float normal[3];
        mesh_triangle_normal(mesh, i, normal);
        memcpy(facet, normal, 12);
        for (size_t k = 0; k < 3; k++)
            memcpy(facet + 12 + 12 * k, mesh->positions + 3 * (size_t)mesh->corners[3 * i + k], 12);
        fwrite(facet, sizeof facet, 1, file);
    }
    close_output(file, path);
}

static void print_triangle(FILE *file, const struct mesh *mesh, size_t triangle, const char *const words[4])
{
    float normal[3];
    mesh_triangle_normal(mesh, triangle, normal);
    fprintf(file, "%s%e %e %e%s", words[0], (double)normal[0], (double)normal[1], (double)normal[2], words[1]);
    for (size_t k = 0; k < 3; k++) {
        const float *p = mesh->positions + 3 * (size_t)mesh->corners[3 * triangle + k];
        fprintf(file, "%s%e %e %e", words[2], (double)p[0], (double)p[1], (double)p[2]);
    }
    fputs(words[3], file);
}

static const char *const lines[4] = {"  facet normal ", "\n    outer loop", "\n      vertex ",
                                     "\n    endloop\n  endfacet\n"};
static const char *const blanks[4] = {"facet normal ", " outer loop", " vertex ", " endloop endfacet "};

void write_ascii_stl(const struct mesh *mesh, const char *path)
{
    FILE *file = open_output(path);
    fputs("solid part\n", file);
    for (size_t i = 0; i < mesh->triangle_count; i++)
        print_triangle(file, mesh, i, lines);
    fputs("endsolid part\n", file);
    close_output(file, path);
}

void write_one_line_stl(const struct mesh *mesh, const char *path)
{
    FILE *file = open_output(path);
    fputs("solid ", file);
    for (size_t i = 0; i < mesh->triangle_count; i++)
        print_triangle(file, mesh, i, blanks);
    fputs("endsolid\n", file);
    close_output(file, path);
}

void write_many_solids(const struct mesh *mesh, const char *path)
{
    FILE *file = open_output(path);
    for (size_t i = 0; i < mesh->triangle_count; i++) {
        fprintf(file, "solid s%zu\n", i);
        print_triangle(file, mesh, i, lines);
        fprintf(file, "endsolid s%zu\n", i);
    }
    close_output(file, path);
}
