/* Attach flags, which tell how the parts of a device hang on each other. */
#ifndef CELLPIPE_IMPORTERS_DENEB_CELL_H
#define CELLPIPE_IMPORTERS_DENEB_CELL_H

#include "deneb.h"

/* The state of the layers. A device is a walk through its tree of parts, parents first. Each part is in a layer of its
 * own, and its flag, a text of bits, tells what follows it: "1" opens a layer within, "0" closes one; the device's own
 * layer is open at the start and is closed by the last part. So each flag but the last is zeros and then a one, the
 * last one zeros alone, and no more layers are closed than are open. Flags that break the rules are read so: layers are
 * closed no further than the device's, a layer of no part is none, and those that are open at the end are closed.
 *
 * Start: {.context = context}. */
struct deneb_layers {
    cp_context *context;
    uint32_t *parts; /* parts of the open layers, the device's first; CP_NONE while a layer has none */
    uint32_t room, count;
    uint32_t depth; /* the innermost one */
    bool over;      /* the device's own is closed */
    bool broken;    /* the rules are broken, first by part `odd` */
    uint32_t odd;
};

/* Adds the next part, with its flag. *parent becomes the part on which it hangs, an earlier one, or CP_NONE; *depth how
 * many it hangs on, one through the other. False when out of memory. */
bool deneb_add_layer(struct deneb_layers *layers, const char *flag, uint32_t *parent, uint32_t *depth);
/* Ends after the last part. Returns the first one whose flag breaks the rules, or CP_NONE. Frees the memory. */
uint32_t deneb_end_layers(struct deneb_layers *layers);

/* A cell as its files have it: devices with their parts and joints, numbered through the whole cell. Filled by device.c
 * and workcell.c, made into a scene by build.c and models.c. */

/* The units of the lengths and angles in files. */
struct deneb_units {
    double length; /* metres */
    double angle;  /* radians; 0: not said */
};

struct deneb_part {
    const char *name, *raw;
    const char *file;     /* NULL: no geometry */
    const char *file_raw; /* its bytes, if they are no UTF-8 */
    const char *flag;     /* the bits of ATTACH: "0" and "1" */
    cp_pose pose;         /* pose in the frame of the part that it hangs on, or of its device */
    bool has_colour;
    double rgba[4];
    struct place place;
    uint32_t device;
    uint32_t parent; /* part of the cell, or CP_NONE: hangs on the device */
    uint32_t node;
};

enum deneb_motion { DENEB_TRANSLATE, DENEB_ROTATE, DENEB_SCALE };
enum { DENEB_ALL_AXES = 3 };

/* A joint, whose values are in the unit of the file. */
struct deneb_joint {
    const char *name, *raw;
    uint32_t part; /* of the device */
    enum deneb_motion motion;
    int axis; /* 0, 1, 2: x, y, z; DENEB_ALL_AXES of a scale */
    double initial, lower, upper;
    const char *formula; /* NULL: it has a value of its own */
    bool is_free;        /* that loops determine */
    struct place place;
    uint32_t joint; /* the scene's; the first of three for DENEB_ALL_AXES */
};

/* A joint beside the tree, between two parts. */
struct deneb_loop {
    const char *name, *raw;
    cp_loop_type type;
    uint32_t parts[2]; /* parts of the device, or of the cell */
    cp_pose poses[2];
    double length; /* metres */
    struct place place;
};

/* A named frame on a part: that of a device's tool, which is its end; or of its mount or reference. */
struct deneb_frame {
    const char *name, *raw;
    cp_pose pose;
    uint32_t part; /* of the device */
    bool is_tool;
    struct place place;
};

struct deneb_device {
    const char *name, *raw;
    const char *file_name, *file_raw; /* its name in its own file */
    cp_pose file_pose;                /* its pose in its own file, used if the workcell gives none */
    struct deneb_units units;
    cp_pose pose; /* pose in the frame of its host, or of the world */
    uint32_t first_part, part_count, first_joint, joint_count;
    uint32_t first_loop, loop_count, first_frame, frame_count;
    double attachment; /* as written; -1: none */
    struct place attachment_place;
    uint32_t host;               /* part of the cell, or CP_NONE */
    const struct source *source; /* the source whose folder has the part files */
    struct place place;
    bool is_copy; /* a copy of an earlier one, from the same file */
    uint32_t node;
};

/* A named tag point, or with is_path the frame of those that follow. */
struct deneb_tag {
    const char *name, *raw;
    cp_pose pose;
    bool is_path;
    uint32_t device; /* the device of a path: CP_NONE for the world */
};

/* Rows that grow. */
#define DENEB_TABLE(row)                                                                                               \
    struct {                                                                                                           \
        struct row *items;                                                                                             \
        uint32_t count, room;                                                                                          \
    }

struct deneb_cell {
    cp_context *context;
    const struct deneb_settings *settings;
    const char *name;         /* the workcell's; NULL: not given */
    struct deneb_units units; /* units of the workcell's own statements */
    DENEB_TABLE(deneb_part) parts;
    DENEB_TABLE(deneb_joint) joints;
    DENEB_TABLE(deneb_loop) loops; /* loops of devices, then of the workcell */
    DENEB_TABLE(deneb_frame) frames;
    DENEB_TABLE(deneb_device) devices;
    DENEB_TABLE(deneb_tag) tags;
    struct place attachments; /* their place; line 0: none yet */
};

/* The files of a cell, and where they are looked for. */
struct deneb_files {
    struct arena *arena;     /* the scene's, for paths */
    struct source **sources; /* sources of device files, which stay open until all is read */
    uint32_t source_count, source_room;
    struct name_map device_requests;                 /* names of device files as written: the first device of each */
    struct name_map device_files;                    /* paths: the same */
    struct file_search searches[DENEB_WORKCELL + 1]; /* indexed by kind: how its files are searched */
    struct source *paths;                            /* the paths file, or NULL */
};

struct deneb_names {
    struct name_map devices; /* the first device of each name, among those that are listed */
    uint32_t listed_count;
};

/* All of a reading. Most functions take the parts that they need. */
struct deneb_reading {
    struct deneb_cell cell;
    struct deneb_files files;
    struct deneb_layers layers; /* those of the device that is read */
    struct deneb_names names;
    cp_scene *scene;
};

/* ---- cell.c ---- */

/* Keeps a further source open as long as the cell; closes it on failure. */
cp_status deneb_keep_source(const struct deneb_cell *cell, struct deneb_files *files, struct source *source);

/* ---- device.c ---- */

/* Reads the statements of a device up to END, after the word DEVICE and its name. open: the number of open sections, it
 * included. */
void deneb_read_device(struct deneb_file *file, struct deneb_cell *cell, struct deneb_layers *layers, uint32_t device,
                       uint32_t open);
/* Tells whether the joint is set from outside; dof(n) and values of recordings count these. */
static inline bool deneb_is_set(const struct deneb_joint *joint)
{
    return !joint->formula && !joint->is_free;
}
/* Reads a loop between two parts of `part_count`, after the word LOOP; units: of its matrices. */
void deneb_read_loop(struct deneb_file *file, struct deneb_cell *cell, struct deneb_units units);
/* Makes room for so many more parts and joints; false, with an error, beyond the limit of nodes or memory. */
bool deneb_make_room(struct deneb_file *file, struct deneb_cell *cell, uint32_t parts, uint32_t joints);
/* Adds a device of that name; returns its index, or CP_NONE. */
uint32_t deneb_add_device(struct deneb_file *file, struct deneb_cell *cell, struct deneb_units units);
/* Gives a device without a name that of its file. */
void deneb_name_by_file(struct deneb_device *device);
/* Reads the one device of a file "DCT DEVICE". It becomes the body of `device`. */
void deneb_read_device_file(struct deneb_file *file, struct deneb_cell *cell, struct deneb_layers *layers,
                            uint32_t device);
/* Reads a unit of angles, deg or rad, and returns its radians. */
double deneb_angle(struct deneb_file *file);
/* Returns the metres or radians of a unit of the joint's values. */
double deneb_joint_unit(const struct deneb_joint *joint, struct deneb_units units);

/* ---- workcell.c ---- */

/* Reads a file "DCT WORKCELL". */
cp_status deneb_read_workcell(struct deneb_file *file, struct deneb_reading *reading);

/* ---- build.c ---- */

cp_status deneb_build(struct deneb_cell *cell, cp_scene *scene, bool strict);

/* ---- models.c ---- */

/* Places the geometry of all parts at their nodes, in the order of the nodes. */
cp_status deneb_place_models(const struct deneb_cell *cell, const struct deneb_files *files, cp_scene *scene,
                             bool strict);

/* ---- recording.c ---- */

struct deneb_recording_head {
    const char *workcell;     /* its name; NULL: none given */
    uint32_t device_count;    /* CP_NONE: not said */
    struct deneb_units units; /* 0: not said */
    bool frame_is_parent;
};
void deneb_read_recording_head(struct deneb_file *file, struct deneb_recording_head *head);
/* Reads a file "DCT RECORDING" as a clip of the scene that the cell has become. */
cp_status deneb_read_recording(struct deneb_file *file, struct deneb_cell *cell, cp_scene *scene);

/* ---- shares.c ---- */

/* The shares of a tolerance: tracks that keep them are together within the tolerance. */
struct deneb_shares {
    double move;   /* metres, of what slides */
    double *turns; /* indexed by node: radians, or parts of 1, of a turn or a stretch there */
};
/* Finds the shares. CP_LIMIT when out of memory; free them in any case. */
cp_status deneb_share_tolerance(const struct deneb_cell *cell, const cp_scene *scene, double tolerance,
                                struct deneb_shares *shares);
void deneb_free_shares(const struct deneb_cell *cell, const cp_scene *scene, struct deneb_shares *shares);

/* ---- search.c ---- */

/* Sets the searches by the rules of docs/deneb.md, then adds the folders of the paths file, if there is one. */
void deneb_start_search(const struct deneb_cell *cell, struct deneb_files *files);
cp_status deneb_read_folders(const struct deneb_cell *cell, struct deneb_files *files, const struct source *source,
                             bool strict);
void deneb_end_search(const struct deneb_cell *cell, const struct deneb_files *files);
/* Returns a path that another system wrote: without its drive, and with '/' for '\'. NULL when out of memory. */
char *deneb_path(struct arena *arena, const char *text);
/* Opens the file of a device or workcell, `bytes` in the file, `name` in messages. CP_NO when there is none. */
cp_status deneb_search(const struct deneb_cell *cell, const struct deneb_files *files, const struct source *from,
                       const char *bytes, const char *name, enum deneb_kind kind, struct source **opened);
/* Warns when a path (of deneb_path) was not followed because it leads out of the folder. */
void deneb_tell_outside(const struct deneb_cell *cell, const struct source *from, const char *path, const char *name);

#endif
