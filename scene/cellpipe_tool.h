/* What only the program cellpipe needs of its library: beside cellpipe.h, the one header of it that cli/ includes. It is
 * not installed, and promises nothing to anybody else. */
#ifndef CELLPIPE_TOOL_H
#define CELLPIPE_TOOL_H

#include "cellpipe.h"

/* ---- options ---- */

/* ---- processes ---- */

/* ---- JSON ---- */

/* ---- memory and texts ---- */

#endif
