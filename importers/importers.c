/* The importers, in the order of their priority where probes are equally sure. */
#include "importers.h"

const struct importer *const importers[] = {&stl_importer,
                                            &tag_importer,
                                            &deneb_part_importer,
                                            &deneb_device_importer,
                                            &deneb_workcell_importer,
                                            &deneb_recording_importer,
                                            &collision_setup_importer,
                                            &gltf_importer,
                                            &assimp_importer,
                                            NULL};
