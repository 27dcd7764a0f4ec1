/* make_stl_samples FOLDER: writes the binary STL samples; `gzip -n` the two large ones after it.
 *     cc -o make_stl_samples tests/make_stl_samples.c && ./make_stl_samples samples && gzip -nf9
 * samples/stl_6553?.stl */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_integer(FILE *file, uint32_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        fputc((int)(value >> 8 * i & 0xff), file);
}

static void put_facet(FILE *file, const float values[12], uint32_t attributes)
{
    for (int i = 0; i < 12; i++) {
        uint32_t bits;
        memcpy(&bits, values + i, sizeof bits);
        put_integer(file, bits, 4);
    }
    put_integer(file, attributes, 2);
}

static FILE *begin(const char *folder, const char *name, const char header[80], uint32_t count)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (!file) {
        perror(path);
        exit(1);
    }
    fwrite(header, 1, 80, file);
    put_integer(file, count, 4);
    return file;
}

/* Triangles beside each other in the plane z = 0; each has three vertices of its own, but the last one, which has
 * only so many new ones that all together are `vertices`. */
static void write_triangles(const char *folder, const char *name, uint32_t vertices)
{
    char header[80] = "separate triangles";
    uint32_t count = (vertices + 2) / 3;
    FILE *file = begin(folder, name, header, count);
    for (uint32_t i = 0; i < count; i++) {
        float x = (float)(i % 256 * 2), y = (float)(i / 256 * 2);
        float facet[12] = {0, 0, 1, x, y, 0, x + 1, y, 0, x, y + 1, 0};
        if (3 * i + 3 > vertices) {
            const float seen[6] = {0, 0, 0, 1, 0, 0};
            memcpy(facet + 3, seen, (3 * i + 3 - vertices) * 3 * sizeof(float));
        }
        put_facet(file, facet, 0);
    }
    fclose(file);
}

/* A cube of 12 facets, two a side, outside by the right-hand rule. */
static void write_cube(FILE *file, const uint32_t attributes[6])
{
    static const int sides[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    static const float normals[6][3] = {{0, 0, -1}, {0, 0, 1}, {0, -1, 0}, {0, 1, 0}, {-1, 0, 0}, {1, 0, 0}};
    for (int i = 0; i < 12; i++) {
        const int *side = sides[i / 2];
        const int corners[3] = {side[0], side[1 + i % 2], side[2 + i % 2]};
        float facet[12];
        memcpy(facet, normals[i / 2], sizeof normals[0]);
        for (int k = 0; k < 9; k++)
            facet[3 + k] = (float)(corners[k / 3] >> (k % 3) & 1);
        put_facet(file, facet, attributes[i / 2]);
    }
}

int main(int count, char **arguments)
{
    if (count != 2)
        return 2;
    const char *folder = arguments[1];
    write_triangles(folder, "stl_65535.stl", 65535);
    write_triangles(folder, "stl_65536.stl", 65536);

    /* red, green, blue, red again, no colour, grey: red is in the high bits */
    char viscam[80] = "cube with VisCAM colours";
    FILE *file = begin(folder, "stl_viscam.stl", viscam, 12);
    write_cube(file, (const uint32_t[]){0xfc00, 0x83e0, 0x801f, 0xfc00, 0x0000, 0xc210});
    fclose(file);

    /* the same sides, red in the low bits; "no colour" is the part's orange at half opacity */
    char materialise[80] = "cube COLOR=\xff\x80\x01\x80";
    file = begin(folder, "stl_materialise.stl", materialise, 12);
    write_cube(file, (const uint32_t[]){0x001f, 0x03e0, 0x7c00, 0x001f, 0x8000, 0x4210});
    fclose(file);

    char solid[80] = "solid cube, says the header of this binary file";
    file = begin(folder, "stl_solid_header.stl", solid, 12);
    write_cube(file, (const uint32_t[6]){0});
    fclose(file);
    return 0;
}
