/* The reader of SRDF. srdf.c tells the story; pairs.c is for the pairs of links, robot.c for what the file says of the
 * robot beside. */
#ifndef CELLPIPE_IMPORTERS_SRDF_H
#define CELLPIPE_IMPORTERS_SRDF_H

#include "../xacro/xacro.h"
#include "plugins/importer.h"

struct srdf_settings {
    struct import_settings common;
    struct xacro_settings xacro;
};

struct srdf {
    cp_context *context;
    const struct source *source;
    bool strict;
    bool beside; /* the scene is a cell, and the file's names are its frames and joints; else they are names alone */
    cp_scene *scene;
    struct arena *arena;
    struct xml_node *robot;
    struct name_map nodes;  /* nodes of the scene by name */
    struct name_map joints; /* joints of the scene by name; CP_NONE: one that does not move */
    struct name_map groups; /* the names of groups */
    struct name_map pairs;  /* keyed by both nodes: the pair of the scene that a file stated */
    struct buffer text;
};

/* An element that is understood. */
typedef cp_status srdf_read_element(struct srdf *srdf, const struct xml_node *element);

/* Returns the attribute, or NULL if it is absent or empty: a warning then, and *status. */
const char *srdf_attribute(struct srdf *srdf, const struct xml_node *element, const char *name, cp_status *status);
/* Keeps the element as metadata, as it is written, so that it can be written again. */
cp_status srdf_keep(struct srdf *srdf, cp_owner owner, uint32_t index, const struct xml_node *element);

/* ---- pairs.c ---- */

srdf_read_element srdf_disable, srdf_enable;
/* Excludes the pairs of the links that <disable_default_collisions> names; after all other pairs are read. */
cp_status srdf_disable_defaults(struct srdf *srdf);

/* ---- robot.c ---- */

srdf_read_element srdf_group, srdf_virtual_joint, srdf_joint_property;
/* Reads all states; those that are called home become the home of the joints. */
cp_status srdf_states(struct srdf *srdf);
/* Reads all end effectors; the links that they hang on become the ends of the device. */
cp_status srdf_ends(struct srdf *srdf);
/* Reads all passive joints, which are joints of no device then. */
cp_status srdf_passive_joints(struct srdf *srdf);

#endif
