/* What info and check tell about the meshes of a file. */
#ifndef CELLPIPE_CLI_PARTS_H
#define CELLPIPE_CLI_PARTS_H

#include "cli.h"

struct part {
    const cp_mesh *mesh;
    cp_topology topology;
    cp_measures measures; /* where it is placed first */
    uint32_t placed;      /* instances */
    uint32_t same_as;     /* the first mesh that is equal, or itself */
};

/* A part for each mesh, in order; in the cli's memory. */
struct parts {
    struct part *items;
    uint32_t count;
};

/* A cell comes from a cell's format (tag), or has joints, devices, clips, statements about pairs, or frames that may
 * move or be attached elsewhere; all else is a part. */
bool is_cell(const cp_scene *scene);
/* With everything (for info), or with meshes and topologies alone. */
cp_status list_parts(struct cli *cli, const cp_scene *scene, bool all, struct parts *parts);
/* measures: of all that is placed. */
void print_parts(struct cli *cli, const struct parts *parts, const cp_measures *measures);

#endif
