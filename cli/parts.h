/* The facts that info and check tell of the meshes of a file. */
#ifndef CELLPIPE_CLI_PARTS_H
#define CELLPIPE_CLI_PARTS_H

#include "cli.h"

struct mesh_facts {
    const cp_mesh *mesh;
    cp_topology topology;
    cp_measures measures; /* at its first place */
    uint32_t placed;      /* instances */
    uint32_t same_as;     /* the first mesh that is equal, or itself */
};

/* The parts, one for each mesh, in order; in the cli's memory. */
struct parts {
    struct mesh_facts *items;
    uint32_t count;
};

/* Tells whether the scene is a cell: it comes from a cell's format (tag), or has joints, devices, clips, statements
 * about pairs, or frames that may move or be attached elsewhere. All others are parts. */
bool is_cell(const cp_scene *scene);
/* Lists the parts with all facts (for info), or with meshes and topologies alone. */
cp_status list_parts(struct cli *cli, const cp_scene *scene, bool all, struct parts *parts);
/* Prints the parts. `measures` are those of everything that is placed. */
void print_parts(struct cli *cli, const struct parts *parts, const cp_measures *measures);

#endif
