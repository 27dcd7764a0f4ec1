/* YAML 1.1, as PyYAML's safe loader reads it, by libyaml's events. */
#ifndef CELLPIPE_IMPORTERS_XACRO_YAML_H
#define CELLPIPE_IMPORTERS_XACRO_YAML_H

#include "base/bytes/bytes.h"
#include "expression.h"

/* Reads the only document of a file into *value, in the world's arena. Scalars with the tags !degrees and !radians are
 * expressions. An error names the file and the line. */
cp_status yaml_read(struct expression_world *world, const struct source *source, struct value *value);

#endif
