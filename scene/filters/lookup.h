/* One thing of a scene by the name that a user gives. */
#ifndef CELLPIPE_FILTERS_LOOKUP_H
#define CELLPIPE_FILTERS_LOOKUP_H

#include "../plugin.h"

/* The index of the one row with that name, in a table with ids; where no name fits, with that id; "id:X" is the id X
 * only. No match (the error names the nearest name) and several (it names their ids) are CP_USAGE. */
cp_status find_named(const cp_scene *scene, enum scene_table table, const char *name, uint32_t *index);

#endif
