/* The reader of URDF. urdf.c tells the story; a file each is for what the elements say (robot.c), joints, links with
 * their shapes, and materials. */
#ifndef CELLPIPE_IMPORTERS_URDF_H
#define CELLPIPE_IMPORTERS_URDF_H

#include "../xacro/xacro.h"
#include "plugins/importer.h"
#include "plugins/models.h"

struct urdf_settings {
    struct import_settings common;
    struct xacro_settings xacro;
    int dae_up; /* 0: ignored, as in ROS; 1: as the file says */
};

enum urdf_joint_type {
    URDF_REVOLUTE,
    URDF_CONTINUOUS,
    URDF_PRISMATIC,
    URDF_FIXED,
    URDF_FLOATING,
    URDF_PLANAR,
    URDF_TYPE_COUNT
};

struct urdf_joint {
    struct xml_node *element;
    const char *name;
    enum urdf_joint_type type;
    uint32_t parent, child; /* links */
    uint32_t next;          /* the next joint with the same parent, or CP_NONE */
    uint32_t first;         /* its first joint in the scene, or CP_NONE */
    uint32_t master;        /* the joint that it mimics, or CP_NONE */
    double scale, offset;
    enum { URDF_MIMIC_NEW, URDF_MIMIC_OPEN, URDF_MIMIC_DONE } mimic;
};

struct urdf_link {
    struct xml_node *element;
    const char *name;
    uint32_t above;                   /* the joint that it is the child of, or CP_NONE */
    uint32_t first_joint, last_joint; /* the joints that it is the parent of, or CP_NONE */
    uint32_t node;
};

/* A material is known by its name, and is made when a visual first uses it. */
struct urdf_material {
    struct xml_node *element; /* the one with the colour or the texture; NULL: neither is known */
    uint32_t row;             /* in the scene, or CP_NONE while it is not made */
};

struct urdf {
    cp_context *context;
    const struct source *source;
    const struct urdf_settings *settings;
    cp_scene *scene;
    struct arena *arena;
    struct xml_node *robot;
    bool is_xacro; /* it is an expansion, or is called so */
    struct urdf_link *links;
    struct urdf_joint *joints;
    uint32_t link_count, joint_count;
    struct name_map link_names, joint_names;
    struct urdf_material *materials;
    uint32_t material_count, material_room;
    struct name_map material_names;
    struct models models;
    struct file_search search; /* of meshes */
    struct name_map shapes;    /* keyed by a primitive's sizes, or by a model and its material: the model */
    struct buffer text;
};

/* ---- elements: robot.c ---- */

/* Collects the links and joints of the robot, and makes sure that they are a tree. */
cp_status urdf_collect(struct urdf *urdf);
/* Lists the links, each after its parent: the branches of a link in the order of their joints. */
cp_status urdf_order(struct urdf *urdf, uint32_t **order);
/* Reads exactly `count` numbers of an attribute. False, with the numbers unchanged, if there is no such attribute; an
 * error is in *status. */
bool urdf_numbers(struct urdf *urdf, const struct xml_node *element, const char *name, uint32_t count, double *numbers,
                  cp_status *status);
/* Reads the pose of the child <origin>; the identity if there is none. */
cp_status urdf_origin(struct urdf *urdf, const struct xml_node *element, cp_pose *pose);
/* Keeps an element as metadata, as it is written. */
cp_status urdf_keep(struct urdf *urdf, cp_owner owner, uint32_t index, const struct xml_node *element);

/* ---- joints.c ---- */

/* Finds which joint each mimic follows in the end, and by what factors. */
cp_status urdf_resolve_mimics(struct urdf *urdf);
/* Adds the joints of a link's node for the joint above it. */
cp_status urdf_add_joints(struct urdf *urdf, struct urdf_joint *joint, uint32_t node);
/* Lets the mimics follow, once all joints are there; adds the device. */
cp_status urdf_finish_joints(struct urdf *urdf, const uint32_t *order);

/* ---- links.c, materials.c ---- */

/* Adds a link's inertia, shapes and metadata to its node. */
cp_status urdf_fill_link(struct urdf *urdf, const struct urdf_link *link);
/* Finds the materials of the robot, and of the visuals in it: the first of a name counts. */
cp_status urdf_collect_materials(struct urdf *urdf);
/* Finds the material of a visual, CP_NONE if it has none with a colour or a texture. */
cp_status urdf_find_material(struct urdf *urdf, const struct xml_node *visual, uint32_t *row);
/* Finds a model like this one, but with that material alone. */
cp_status urdf_paint(struct urdf *urdf, uint32_t material, uint32_t *model);

#endif
