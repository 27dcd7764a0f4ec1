/* Reads recordings: recording.c reads steps, recorder.c makes keys of them, recorded_clip.c a clip of the keys. */
#ifndef CELLPIPE_IMPORTERS_DENEB_RECORDER_H
#define CELLPIPE_IMPORTERS_DENEB_RECORDER_H

#include "cell.h"
#include "motion/clips/clips.h"

struct recorded_device {
    struct growing_track tracks[3]; /* translation, rotation, scale */
    struct trs rest;
    /* These are of the step that is read. */
    bool listed, has_matrix, has_joints, has_host, changes;
    cp_pose matrix;
    uint32_t host;     /* part of the cell, or CP_NONE */
    uint32_t old_host; /* node; and the pose on it */
    cp_pose old_local;
    struct place place;
};

/* A recording, the cell that it moves, and what was found on the way. */
struct recorder {
    struct deneb_file *file;
    struct deneb_cell *cell;
    cp_scene *scene;
    struct arena *arena; /* all arrays but the attachments */
    struct deneb_units units;
    bool frame_is_parent;
    uint64_t sheared, flat;
};

/* The present poses and values. */
struct recorded_poses {
    cp_mechanism mechanism;   /* its q: of the scene's joints */
    uint32_t *parents;        /* of the scene's nodes */
    cp_pose *locals, *worlds; /* the same; a world is of this step if its stamp is */
    uint32_t *stamps, stamp, *way;
    uint32_t *placed, *order; /* nodes that are placed in this step, by its stamp; the way up from a node */
};

/* The step that is read, and the times of those before. */
struct recorded_step {
    struct recorded_device *devices;
    uint32_t *listed, listed_count; /* devices of this step */
    double raw_time, time;          /* time of this step as written, and as used */
    double before, last;            /* the last moment of the step before, and of this one */
    double first;                   /* the time of the first step */
    bool jumps;                     /* this step has the time of the one before */
    uint64_t steps;
};

/* The clip on its way, beside the tracks of devices. */
struct recorded_keys {
    struct growing_track *joints; /* joints of the cell; those of formulas are unused */
    struct key_log log;           /* keys of tracks by number: 3 for each device, then one for each joint */
    uint32_t *joint_numbers;      /* indexed by the scene's joint: its number in the cell */
    cp_attachment *attachments;
    uint32_t attachment_count, attachment_room;
};

/* recorder.c: makes keys and attachments of a step. */
void recorder_end_step(struct recorder *recorder, struct recorded_poses *poses, struct recorded_step *step,
                       struct recorded_keys *keys);
/* Returns a pose as a track has it; one with shear counts as sheared. */
struct trs recorder_split(struct recorder *recorder, const cp_pose *pose);

/* recorded_clip.c */
/* Starts at the scene's own poses and values. CP_LIMIT when out of memory; free it in any case. */
cp_status recorder_start(struct recorder *recorder, struct recorded_poses *poses, struct recorded_step *step,
                         struct recorded_keys *keys);
/* Makes a clip of all keys in the scene, named after the file. */
cp_status recorder_make_clip(struct recorder *recorder, struct recorded_step *step, struct recorded_keys *keys);
void recorder_free(const struct recorder *recorder, struct recorded_poses *poses, struct recorded_keys *keys);

#endif
