/* The shapes that the benchmark measures with; all deterministic, the number of triangles as near to `count` as the
 * shape allows. Lengths are millimetres. */
#ifndef BENCH_SHAPES_H
#define BENCH_SHAPES_H

#include "mesh.h"

struct shape {
    const char *name;
    const char *title;
    void (*make)(struct mesh *mesh, size_t count);
};

/* Ended by a NULL name. */
extern const struct shape part_shapes[];    /* shapes.c: parts as people have them */
extern const struct shape hostile_shapes[]; /* hostile.c: what slows careless programs down */

/* A ring: an outer outline and a bore, both extruded in layers; closed, of 4 * sides * (layers + 1) triangles. */
enum ring_outline { RING_PLATE, RING_SHAFT, RING_GEAR, RING_OUTLINES };
struct ring {
    enum ring_outline outline;
    int sides, layers, teeth;
    double radius, height, bore;
};
void make_ring(struct mesh *mesh, const struct ring *ring);

/* sheet_metal.c: bent of sheet metal. Further shapes of part_shapes. */
void make_tray(struct mesh *mesh, size_t count);
void make_channel(struct mesh *mesh, size_t count);
void make_pan(struct mesh *mesh, size_t count);
void make_grating(struct mesh *mesh, size_t count);

/* The library of parts: part number `part` of the sequence that begins with library_begin. */
struct random library_begin(void);
void make_library_part(struct mesh *mesh, struct random *random, int part);

#endif
