/* Shapes that are attached to frames: a tool on the flange, a workpiece in the hand. */
#ifndef CELLPIPE_PLUGINS_TOOLS_H
#define CELLPIPE_PLUGINS_TOOLS_H

#include "model/model.h"

/* Checks the text of cp_attach_tools, before anything is read: CP_USAGE if an item lacks a file or a frame. */
cp_status tools_check(cp_context *context, const char *tools);
/* Does what cp_attach_tools does, to a scene that the caller throws away on failure. */
cp_status tools_attach(cp_context *context, cp_scene *scene, const char *tools);

#endif
