#include "write_mesh.h"

void write_obj(const struct mesh *mesh, const char *path)
{
    FILE *file = open_output(path);
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        const float *p = mesh->positions + 3 * i;
        fprintf(file, "v %.9g %.9g %.9g\n", (double)p[0], (double)p[1], (double)p[2]);
    }
    for (size_t i = 0; i < mesh->triangle_count; i++) {
        const uint32_t *corners = mesh->corners + 3 * i;
        fprintf(file, "f %u %u %u\n", corners[0] + 1, corners[1] + 1, corners[2] + 1);
    }
    close_output(file, path);
}
