/* Nodes and joints by their names. */
#ifndef FIND_SUPPORT_H
#define FIND_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/model.h"

static inline uint32_t find_node(const cp_scene *scene, const char *name)
{
    uint32_t count;
    const cp_node *nodes = cp_nodes(scene, &count);
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(nodes[i].name, name) == 0)
            return i;
    fail_msg("no node %s", name);
    return CP_NONE;
}

static inline uint32_t find_joint(const cp_scene *scene, const char *name)
{
    uint32_t count;
    const cp_joint *joints = cp_joints(scene, &count);
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(joints[i].name, name) == 0)
            return i;
    fail_msg("no joint %s", name);
    return CP_NONE;
}

#endif
