/* Has what a mesh bounds an inside? */
#ifndef CELLPIPE_SOLIDITY_H
#define CELLPIPE_SOLIDITY_H

#include "../../build.h"

enum solidity { UNKNOWN, SOLID, OPEN };

/* SOLID: closed and wound alike throughout, cavities against what they are in, so that what is inside of one of its
 * shells is gone round by the faces as a whole. */
cp_status find_solidity(cp_context *context, const cp_mesh *mesh, enum solidity *solidity);

#endif
