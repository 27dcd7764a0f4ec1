#include "write_mesh.h"

/* ---- PLY ---- */

static FILE *open_ply(const struct mesh *mesh, const char *path, const char *form)
{
    FILE *file = open_output(path);
    fprintf(file,
            "ply\nformat %s 1.0\nelement vertex %zu\nproperty float x\nproperty float y\nproperty float z\n"
            "element face %zu\nproperty list uchar int vertex_indices\nend_header\n",
            form, mesh->vertex_count, mesh->triangle_count);
    return file;
}

void write_binary_ply(const struct mesh *mesh, const char *path)
{
    FILE *file = open_ply(mesh, path, "binary_little_endian");
    fwrite(mesh->positions, 3 * sizeof(float), mesh->vertex_count, file);
    for (size_t i = 0; i < mesh->triangle_count; i++) {
        fputc(3, file);
        fwrite(mesh->corners + 3 * i, sizeof(uint32_t), 3, file);
    }
    close_output(file, path);
}

static void write_lines(const struct mesh *mesh, FILE *file)
{
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        const float *p = mesh->positions + 3 * i;
        fprintf(file, "%.9g %.9g %.9g\n", (double)p[0], (double)p[1], (double)p[2]);
    }
    for (size_t i = 0; i < mesh->triangle_count; i++) {
        const uint32_t *corners = mesh->corners + 3 * i;
        fprintf(file, "3 %u %u %u\n", corners[0], corners[1], corners[2]);
    }
}

void write_ascii_ply(const struct mesh *mesh, const char *path)
{
    FILE *file = open_ply(mesh, path, "ascii");
    write_lines(mesh, file);
    close_output(file, path);
}

/* ---- OFF ---- */

void write_off(const struct mesh *mesh, const char *path)
{
    FILE *file = open_output(path);
    fprintf(file, "OFF\n%zu %zu 0\n", mesh->vertex_count, mesh->triangle_count);
    write_lines(mesh, file);
    close_output(file, path);
}
