/* Objects that are made of others, on their way into a tree of nodes, for the readers of 3MF and AMF. */
#ifndef CELLPIPE_IMPORTERS_ASSEMBLY_H
#define CELLPIPE_IMPORTERS_ASSEMBLY_H

#include "plugins/importer.h"

/* An object, with its row of parts. */
struct assembled {
    uint32_t first_part, part_count;
    uint64_t node_count; /* nodes of its parts, theirs included; UINT64_MAX: too many */
    enum { ASSEMBLED_NEW, ASSEMBLED_OPEN, ASSEMBLED_DONE } state;
};

/* All objects and parts of a file. */
struct assembly {
    struct arena *arena;       /* memory of the arrays */
    cp_context *context;       /* memory of the steps */
    struct assembled *objects; /* made by assembly_start; the caller fills in the parts */
    uint32_t *parts;           /* the object of each part, from the caller */
    struct assembly_step *steps;
    uint32_t step_count, step_room;
};

/* Makes the arrays, zeroed. Call assembly_end even on failure. */
cp_status assembly_start(struct assembly *assembly, struct arena *arena, cp_context *context, uint32_t objects,
                         uint32_t parts);
void assembly_end(struct assembly *assembly);
/* Adds the nodes that the object takes to *count, before any is made: a few objects that double each other need more
 * than there is memory. CP_INPUT, unreported, if an object contains itself: *ring. */
cp_status assembly_count(struct assembly *assembly, uint32_t object, uint64_t *count, uint32_t *ring);
/* Adds a node for a part below its parent; CP_NONE when out of memory. */
typedef uint32_t assembly_add(void *user, uint32_t parent, uint32_t part);
/* Adds the nodes of all parts below the object's node. */
cp_status assembly_place(struct assembly *assembly, uint32_t object, uint32_t node, assembly_add *add, void *user);

#endif
