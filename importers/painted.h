/* Triangles whose corners may have colours, on their way into a mesh, for the readers of 3MF and AMF. */
#ifndef CELLPIPE_IMPORTERS_PAINTED_H
#define CELLPIPE_IMPORTERS_PAINTED_H

#include "plugins/importer.h"

/* A colour of the file: sRGB and alpha. */
struct colour {
    const char *name; /* "" for its number */
    double rgba[4];
    uint32_t material; /* CP_NONE: nothing has it yet */
};

/* The colours of a triangle's corners: numbers in the file's table, or CP_NONE. */
struct paint {
    uint32_t colours[3];
};
#define UNPAINTED ((struct paint){{CP_NONE, CP_NONE, CP_NONE}})

/* Start: the first three members. Call painted_free even on failure. */
struct painted {
    cp_context *context;
    const char *size_code; /* code of the error about too many vertices or triangles */
    uint64_t *vertices;    /* counts those of all meshes of the file */
    float *positions;
    double *places; /* the same as the text gives them, while they may be far from the origin */
    float *normals; /* NULL, or one for each vertex of unit length, in the scene's memory */
    uint32_t *corners;
    struct paint *paints; /* NULL as long as no triangle has a colour */
    uint32_t vertex_count, vertex_room, face_count, face_room, paint_room, place_room;
    bool is_near; /* no vertex can be far from the origin */
    uint64_t degenerate, degenerate_line;
};

/* Adds a vertex, whose position and place are the same numbers. */
cp_status painted_add_vertex(struct painted *painted, const float position[3], const double place[3], struct place at);
/* Adds a triangle without colours; the caller checks its corners before painted_finish. */
cp_status painted_add_triangle(struct painted *painted, const uint32_t corners[3], struct place at);
/* Gives a triangle colours. False when out of memory. */
bool painted_set_paint(struct painted *painted, uint32_t face, const struct paint *paint);
/* Adds the mesh, whose name, or NULL, is the scene's. Where all triangles have one colour each, colours become
 * materials, and groups of consecutive triangles. Else they become those of vertices, and white where there is none. A
 * mesh far from the origin gets the origin `origin`. Returns its index; CP_NONE when out of memory. */
uint32_t painted_finish(struct painted *painted, cp_scene *scene, struct colour *colours, const char *name,
                        double origin[3]);
void painted_free(struct painted *painted);

#endif
