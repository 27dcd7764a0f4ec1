/* The writer of URDF. urdf.c tells the story; a file each is for the tree of links (links.c) and their joints
 * (joints.c), shapes and the files of their meshes (shapes.c, meshes.c), elements that a reader kept (kept.c), and the
 * text (text.c). */
#ifndef CELLPIPE_EXPORTERS_URDF_ROBOT_H
#define CELLPIPE_EXPORTERS_URDF_ROBOT_H

#include "../exporters.h"
#include "mesh/mesh.h"
#include "model/model.h"

/* Scales and shears of frames up to this are what texts of few digits leave of a rotation: shapes and joints do not
 * have them, but the places of further frames do. */
#define ROBOT_COARSE 1e-6

enum { ROBOT_VERSION_10, ROBOT_VERSION_12 };
enum { ROBOT_MESHES_STL, ROBOT_MESHES_GLB };

struct robot_settings {
    int version, meshes;
    int movable;         /* 1: movable frames float */
    const char *package; /* or NULL */
};

/* A joint of the scene as it is written. */
struct robot_joint {
    const char *name;    /* NULL: not written */
    const char *between; /* the massless link that it leads to, if its node has further joints; else NULL */
    cp_pose origin;      /* its place in the link above: a rotation and a translation */
    double axis[3];
    double factor;   /* a value in the file is this times the value in the scene: by a scale above a sliding joint */
    bool frozen;     /* written as a fixed joint, where it is at home */
    uint32_t master; /* the joint that it mimics, or CP_NONE: its value is multiplier * that of the master + offset */
    double multiplier, offset;
};

/* A node of the scene as it is written. */
struct robot_link {
    const char *name;       /* NULL: no link, and its pose is in `rest` */
    uint32_t above;         /* the node of the link that it hangs on; CP_NONE for the world and a root link */
    cp_pose rest;           /* world(node) = world(link) * rest, where the link of a node without one is that above */
    cp_pose origin;         /* the place in the link above of a node without joints */
    const char *joint_name; /* the name of the joint to a node without joints; NULL: there is none */
    bool is_planar;         /* its three joints are one */
};

enum { ROBOT_SIDES = 32 }; /* round shapes that are read have so many, as they do not say how many */

enum robot_shape_kind { ROBOT_NOTHING, ROBOT_BOX, ROBOT_CYLINDER, ROBOT_SPHERE, ROBOT_CAPSULE, ROBOT_MESH };

/* An instance as it is written. */
struct robot_shape {
    enum robot_shape_kind kind;
    cp_pose origin;
    double size[3];                  /* of a mesh: its scale */
    uint32_t material;               /* the one of all of it, or CP_NONE */
    uint32_t first_part, part_count; /* the files of a mesh, one for each material */
};

/* A material as it is written. */
struct robot_material {
    const char *name; /* NULL: no visual has it */
    double rgba[4];   /* as displayed */
    bool is_copy;     /* an earlier one has this name and this colour */
};

/* A mesh, or the faces of one material in it, as a file. */
struct robot_part {
    uint32_t mesh;
    uint32_t material; /* CP_NONE: those without one */
    bool is_whole;     /* all faces, whatever material they have */
    cp_pose baked;     /* the scale and shear that are in its vertices */
    const char *file;
};

/* Names what the file does not hold; each is counted. */
enum robot_loss {
    LOST_PAIRS,
    LOST_DEVICES,
    LOST_MOVABLE,
    LOST_FLAGS,
    LOST_METADATA,
    LOST_HOMES,
    LOST_FIXED,
    LOST_SCALING,
    LOST_DEPENDENCE,
    LOST_SCALED_JOINTS,
    LOST_SCALED_INERTIA,
    LOST_RANGES,
    LOST_ACCELERATION,
    LOST_SHAPES,
    LOST_BAKED,
    LOST_NAMES,
    ROBOT_LOSS_COUNT
};

struct robot {
    cp_context *context;
    const cp_scene *scene;
    const struct robot_settings *settings;
    struct sink *sink;
    struct arena *arena;
    const char *name;
    struct robot_link *links;         /* a node each */
    struct robot_joint *joints;       /* a joint each */
    struct robot_shape *shapes;       /* an instance each */
    struct robot_material *materials; /* a material each */
    struct robot_part *parts;
    uint32_t part_count, part_room;
    struct name_map part_keys; /* the first part of a mesh */
    const char **faces_keys;   /* a mesh each; NULL: not asked for so far */
    /* A material each, and one place for none: the round in which it was met, and what it was copied to then. */
    uint32_t *seen, *copies, round;
    struct name_map link_names, joint_names;
    bool has_world; /* the world is a link, too */
    /* Entries of metadata, by their owners: the first of each, and the next one of the same owner; CP_NONE ends. */
    uint32_t first_of_scene, *first_of_node, *first_of_joint, *next;
    bool *is_kept;        /* an entry each: it is in the file */
    uint32_t other_sides; /* counts round shapes that are read again with another number of sides */
    bool unlimited;       /* an unlimited effort or velocity was written as a number */
    uint64_t losses[ROBOT_LOSS_COUNT];
};

/* ---- links.c ---- */

/* Decides which nodes are links, where their joints are, and what all are called. */
cp_status robot_plan_links(struct robot *robot);
/* Splits a pose into the rotation and translation nearest to it, and what is left: pose = rigid * rest. */
void robot_split(const cp_pose *pose, cp_pose *rigid, cp_pose *rest);
/* Tells whether what is left is no scale or shear. */
bool robot_is_unscaled(const cp_pose *rest);

/* ---- joints.c ---- */

/* Places a joint in the link above it. *rest: the pose since that link; after the call, what is left behind the joint.
 */
void robot_place_joint(struct robot *robot, uint32_t index, cp_pose *rest);
/* Tells whether the node's three joints are those that a reader makes of a planar one. is_master: of each joint,
 * whether others follow it. */
bool robot_is_planar(const cp_scene *scene, const bool *is_master, const cp_node *node);

/* ---- shapes.c, meshes.c ---- */

/* Decides what the instances are written as, and what the files of meshes are called. */
cp_status robot_plan_shapes(struct robot *robot);
/* Finds the files of an instance's mesh: one, or with several materials one for each, since a visual has one. baked:
 * the scale and shear that the vertices get. */
bool robot_find_parts(struct robot *robot, const cp_instance *instance, const cp_pose *baked,
                      struct robot_shape *shape);
cp_status robot_write_meshes(struct robot *robot);

/* ---- kept.c ---- */

/* Sorts metadata by its owners, and finds what can be written. */
cp_status robot_plan_metadata(struct robot *robot);
/* Returns the value of the owner's first entry of that key that is plain text; NULL if there is none. */
const char *robot_metadata(const struct robot *robot, uint32_t first, const char *key, uint32_t *entry);
/* The place where an element that a reader kept is written. */
enum robot_place { IN_ROBOT, IN_LINK, IN_JOINT };
void robot_write_kept(struct robot *robot, uint32_t first, enum robot_place place);

/* ---- text.c ---- */

void robot_write_text(struct robot *robot);

#endif
