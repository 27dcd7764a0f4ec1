/* One thing of a scene by the name that a user gives. */
#ifndef CELLPIPE_LOOKUP_H
#define CELLPIPE_LOOKUP_H

#include "../plugin.h"

enum named_kind { NAMED_NODE, NAMED_JOINT, NAMED_DEVICE };

/* The index of the one thing with that name; where no name fits, with that id; "id:X" is the id X only. No match
 * (the error names the nearest name) and several (it names their ids) are CP_USAGE. */
cp_status find_named(const cp_scene *scene, enum named_kind kind, const char *name, uint32_t *index);

#endif
