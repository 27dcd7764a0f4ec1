/* The writer of RobWork's XML. rwxml.c tells the story; a file each is for what is planned before (plan.c), the text of
 * frames and devices (text.c), and models (models.c). */
#ifndef CELLPIPE_EXPORTERS_RWXML_CELL_H
#define CELLPIPE_EXPORTERS_RWXML_CELL_H

#include "../exporters.h"
#include "mesh/mesh.h"
#include "model/model.h"

/* Names what the file does not hold; each is counted. */
enum cell_loss {
    CELL_NAMES,
    CELL_HELPERS,
    CELL_BRANCHES,
    CELL_DEVICES,
    CELL_OUTSIDE,
    CELL_LIMITS,
    CELL_DYNAMICS,
    CELL_FROZEN,
    CELL_DEPENDENCE,
    CELL_HOMES,
    CELL_LOOPS,
    CELL_ENDS,
    CELL_FLAGS,
    CELL_METADATA,
    CELL_SHAPES,
    CELL_SIDES,
    CELL_SCALED,
    CELL_LOSS_COUNT
};

/* A device as it is written. */
struct cell_device {
    bool is_written;
    const char *name, *prefix; /* "Hand", "Hand." */
    uint32_t *members;         /* nodes, each after its parent */
    uint32_t member_count;
    uint32_t mount;   /* the node that its first frame hangs on */
    bool needs_base;  /* a frame is put before its members, on which those hang that hang outside of the device */
    const char *base; /* the name of this frame */
    const char
        *mounted; /* the name of a frame of the cell that is put on the mount, which is another device's; or NULL */
    bool is_serial;
    uint32_t junctions;
    uint32_t next; /* the next device on the same mount, or CP_NONE */
};

enum { CELL_DEVICES_IN_FILES, CELL_DEVICES_INLINE };

enum { CELL_COLLISION_SETUP, CELL_PROXIMITY_SETUP };

struct cell_settings {
    int devices, setup;
};

/* A kind of list of excluded pairs. */
struct cell_setup {
    const char *element; /* names it in the cell, and ends its file's name */
    const char *format, *options[1];
    const char *nothing; /* the file that excludes no pair */
};
extern const struct cell_setup cell_setups[];

struct cell {
    cp_context *context;
    const struct cell_settings *settings;
    const cp_scene *scene;
    struct sink *sink;
    struct arena *arena;
    const char *stem; /* of the output, without ".wc" */
    struct cell_device *devices;
    cp_pose *worlds;
    uint32_t *first_device;   /* the first device that hangs on each node, or CP_NONE */
    uint32_t *first_metadata; /* the first entry of each node, or CP_NONE; entries of one owner follow each other */
    bool *is_end;             /* the nodes that are ends of the devices that write them */
    uint32_t *place;          /* the place of each node among the members of its device */
    double *homes;            /* of each joint */
    uint32_t *owner;          /* the device of each node that writes it, or CP_NONE */
    const char **names;       /* the whole name of each node; NULL: not written */
    const char **joint_names; /* the whole name of each joint; NULL: it is not written, or is that of its node */
    struct name_map taken;
    const char **chains;   /* the name of the chain that each node ends, in its device; NULL: none */
    struct name_map files; /* meshes and what is in their vertices, to rows of `paths` */
    const char **paths;
    uint32_t path_count, path_room;
    bool *is_kept;    /* entries of metadata that are in the file */
    cp_status status; /* of the files of devices */
    uint64_t losses[CELL_LOSS_COUNT];
};

/* plan.c: decides what is a device, what it hangs on, and the names. */
cp_status cell_plan(struct cell *cell);
/* Tells whether the node's frame is the element of its one joint: it turns about, or slides along, its Z axis. */
bool cell_is_joint(const struct cell *cell, uint32_t node);
/* Returns a name as it is within its device. */
static inline const char *cell_local(const struct cell *cell, uint32_t device, const char *name)
{
    return device == CP_NONE ? name : name + strlen(cell->devices[device].prefix);
}

/* text.c */
cp_status cell_write_text(struct cell *cell, const char *setup);
void cell_write_attribute(struct cell *cell, const char *name, const char *value);
/* indent: blanks before the element, which then is a line; 0: it is within one. */
void cell_write_pose(struct cell *cell, const cp_pose *pose, int indent);

/* models.c: writes the files of meshes, then the models of a frame. */
cp_status cell_write_meshes(struct cell *cell);
void cell_write_models(struct cell *cell, uint32_t node, const cp_pose *rest, int indent);

#endif
