/* RobWork's CollisionSetup.xml, for its importer and for the workcells that name such files. */
#ifndef CELLPIPE_IMPORTERS_COLLISION_SETUP_COLLISION_SETUP_H
#define CELLPIPE_IMPORTERS_COLLISION_SETUP_COLLISION_SETUP_H

#include "model/model.h"

/* An excluded pair, or (second is NULL) a volatile frame. */
struct collision_statement {
    const char *first, *second;
    const char *reason, *evidence;
    const cp_finding *finding; /* or NULL */
    uint64_t line;
};

/* The statements of one file, with its names unchanged. */
struct collision_setup {
    cp_context *context;
    struct arena *arena;
    const char *file;
    bool strict;          /* lenient reading is refused */
    const char *prefix;   /* the prefix that our exporter took off the names, or NULL */
    const char *cell_key; /* the key of the cell that our exporter wrote, or NULL */
    struct collision_statement *statements;
    uint32_t count, room;
    bool exclude_static_pairs;
};

/* Reads the whole file. Free the setup on failure too. */
cp_status collision_setup_read(struct source *source, bool strict, struct collision_setup *setup);
void collision_setup_free(struct collision_setup *setup);

/* parse.c: reads the bytes into a setup that has its arena. */
cp_status collision_setup_parse(struct source *source, struct collision_setup *setup);

/* Adds the statements to the scene, each name with the prefix before it. nodes: the scene's nodes by name. A name that
 * is not among them becomes a placeholder and joins them, with a warning when `expected`. */
cp_status collision_setup_apply(const struct collision_setup *setup, cp_scene *scene, struct name_map *nodes,
                                const char *prefix, bool expected);

#endif
