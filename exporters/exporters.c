/* The exporters; the first whose suffix fits a path is taken. */
#include "exporters.h"

const struct exporter *const exporters[] = {
    &glb_exporter, &gltf_exporter, &vrml97_exporter, &stl_exporter, &collision_setup_exporter, &dump_exporter, NULL};
