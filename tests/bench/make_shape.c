/* make_shape SHAPE TRIANGLES FORMAT FILE    writes one shape
 * make_shape library PARTS FOLDER           writes part_0000.stl ..., every second one ASCII
 * make_shape library PARTS FOLDER FORMAT    writes the same parts as part_0000.FORMAT ...: obj, 3mf or glb
 * make_shape list                           names the shapes */
#include "shapes.h"

#include "write_mesh.h"
#include <stdlib.h>
#include <string.h>

struct format {
    const char *name;
    void (*write)(const struct mesh *mesh, const char *path);
};

static const struct format formats[] = {
    {"binary", write_binary_stl},
    {"ascii", write_ascii_stl},
    {"line", write_one_line_stl},
    {"solids", write_many_solids},
    {"glb", write_glb},
    {"polygon", write_polygon_glb},
    {"meshes", write_many_meshes_glb},
    {"obj", write_obj},
    {"ply", write_binary_ply},
    {"ascii-ply", write_ascii_ply},
    {"off", write_off},
    {"3mf", write_3mf},
    {"dae", write_dae},
};

static const struct shape *find_shape(const char *name)
{
    const struct shape *const tables[] = {part_shapes, hostile_shapes};
    for (int i = 0; i < 2; i++)
        for (const struct shape *shape = tables[i]; shape->name; shape++)
            if (strcmp(shape->name, name) == 0)
                return shape;
    fail("there is no shape %s", name);
}

static const struct format *find_format(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i].name, name) == 0)
            return formats + i;
    fail("there is no format %s", name);
}

static size_t parse_count(const char *text)
{
    char *end;
    unsigned long long count = strtoull(text, &end, 10);
    if (end == text || *end || count < 1 || count > 100000000)
        fail("%s is no count from 1 to 100000000", text);
    return (size_t)count;
}

/* `format` is the suffix, too; NULL: STL. */
static void write_library(size_t parts, const char *folder, const struct format *format)
{
    struct random random = library_begin();
    for (size_t part = 0; part < parts; part++) {
        struct mesh mesh = {0};
        char path[4096];
        make_library_part(&mesh, &random, (int)part);
        if (snprintf(path, sizeof path, "%s/part_%04zu.%s", folder, part, format ? format->name : "stl") >=
            (int)sizeof path)
            fail("%s is too long", folder);
        (format ? format->write : part % 2 ? write_ascii_stl : write_binary_stl)(&mesh, path);
        mesh_free(&mesh);
    }
}

static void list_shapes(const struct shape *shapes)
{
    for (; shapes->name; shapes++)
        printf("%s\t%s\n", shapes->name, shapes->title);
}

static void require_little_endian(void)
{
    const uint32_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    if (first != 1)
        fail("the benchmark's files are written on little-endian machines alone");
}

int main(int count, char **arguments)
{
    require_little_endian();
    if (count == 2 && strcmp(arguments[1], "list") == 0) {
        list_shapes(part_shapes);
        list_shapes(hostile_shapes);
    } else if (count == 4 && strcmp(arguments[1], "library") == 0) {
        write_library(parse_count(arguments[2]), arguments[3], NULL);
    } else if (count == 5 && strcmp(arguments[1], "library") == 0) {
        write_library(parse_count(arguments[2]), arguments[3], find_format(arguments[4]));
    } else if (count == 5) {
        struct mesh mesh = {0};
        find_shape(arguments[1])->make(&mesh, parse_count(arguments[2]));
        find_format(arguments[3])->write(&mesh, arguments[4]);
        mesh_free(&mesh);
    } else {
        fail("usage: make_shape SHAPE TRIANGLES FORMAT FILE | make_shape library PARTS FOLDER [FORMAT] | make_shape "
             "list");
    }
    return 0;
}
