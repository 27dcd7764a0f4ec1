#include "topology.h"
#include <string.h>

static void read_facet(struct mesh *mesh, const unsigned char facet[50])
{
    uint32_t first = (uint32_t)mesh->vertex_count;
    for (int i = 0; i < 3; i++) {
        float p[3];
        memcpy(p, facet + 12 + 12 * i, sizeof p);
        mesh_add_vertex(mesh, (double)p[0], (double)p[1], (double)p[2]);
    }
    mesh_add_triangle(mesh, first, first + 1, first + 2);
}

struct mesh read_stl(const char *path)
{
    struct mesh mesh = {0};
    unsigned char head[84], facet[50];
    uint32_t count;
    FILE *file = fopen(path, "rb");
    if (!file || fread(head, sizeof head, 1, file) != 1)
        fail("%s is no binary STL", path);
    memcpy(&count, head + 80, sizeof count);
    for (uint32_t i = 0; i < count; i++) {
        if (fread(facet, sizeof facet, 1, file) != 1)
            fail("%s: %u facets are announced, and %u there", path, (unsigned)count, (unsigned)i);
        read_facet(&mesh, facet);
    }
    if (fgetc(file) != EOF)
        fail("%s is no binary STL, or has something behind it", path);
    fclose(file);
    mesh_join_vertices(&mesh);
    return mesh;
}
