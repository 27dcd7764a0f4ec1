/* The outputs of a batch: an output's path from an input's name. */
#ifndef CELLPIPE_CLI_NAMES_H
#define CELLPIPE_CLI_NAMES_H

#include "entries.h"

/* Sets each entry's `out`: OUT/name and the new suffix (".glb"), as part.stl.glb; short_names drops the input's suffix,
 * as part.glb. A name longer than 255 bytes is a fault of its entry. CP_USAGE, reported, before anything is written:
 * two inputs with one output, an output that is an input, an output that another needs as a folder. The first 20 are
 * listed, then how many there are. Outputs that differ in letter case alone are a warning. */
cp_status name_outputs(struct cli *cli, struct entries *entries, const char *out_dir, const char *suffix,
                       bool short_names);

#endif
