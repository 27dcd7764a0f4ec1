/* A program that runs: run.c carries out lines, move.c makes moves in steps, pace.c slows them down, record.c makes a
 * clip of it. */
#ifndef CELLPIPE_PROGRAM_RUN_H
#define CELLPIPE_PROGRAM_RUN_H

#include "program.h"

/* A way of the tool in the frame of the device's base, or of joints. */
enum move_kind { MOVE_NONE, MOVE_WAIT, MOVE_JOINTS, MOVE_LINE, MOVE_ARC };
struct move {
    enum move_kind kind;
    struct lptp plan;
    uint32_t step;                      /* the next one */
    double way, length;                 /* what is behind, and all of it: mm, degrees, or 1 for joints */
    cp_pose begin, end;                 /* of the tool */
    double axis[3], angle;              /* the turn from the one to the other */
    double centre[3], normal[3], sweep; /* of an arc: about the normal, radians */
};

/* From a time on a node hangs on a host, where it has this pose. */
struct holding {
    double time;
    uint32_t node, host;
    cp_pose local;
};

enum { MOST_CALLS = 256 };

struct cp_program {
    cp_context *context;
    const cp_scene *original;
    cp_scene *scene; /* a copy, whose joints have their present values */
    cp_program_options options;
    struct program_text text;
    struct arena *arena;
    cp_mechanism mechanism; /* of the copy */
    cp_inverse *inverse;    /* of the copy; NULL until a line needs it */
    uint32_t *joints;       /* that the program drives, in the device's order */
    uint32_t joint_count;
    double *q, *trial, *joint_begin, *joint_end;         /* of all joints, twice; of those that it drives, twice */
    double *numbers, *for_end, *for_step, *joint_values; /* variables; of instructions; of variables */
    cp_pose *poses;                                      /* variables */
    bool *number_set, *pose_set, *joints_set;
    cp_pose *locals;                              /* of nodes */
    uint32_t *hosts;                              /* the same: what they hang on */
    bool *grabbed;                                /* the same: the tool holds them */
    bool *told;                                   /* of instructions: that they are slowed down */
    uint32_t calls[MOST_CALLS], call_count, next; /* instructions */
    uint64_t line, steps;
    uint64_t periods; /* that have passed */
    double time;
    double speed, acceleration, deceleration; /* mm and seconds */
    double joint_part;                        /* of their limits of speed, in joint motion */
    struct move move;
    bool ended, stopping, emergency;
    cp_mark *marks;
    struct holding *holdings;
    uint32_t mark_count, mark_room, holding_count, holding_room;
};

/* move.c: the tool in the base's frame, and its moves. Each begins where the tool is. */
void place_tool(struct cp_program *program, cp_pose *tool);
cp_pose place_node(struct cp_program *program, uint32_t node);
cp_status begin_joints(struct cp_program *program, const double *values);
cp_status begin_posture(struct cp_program *program, const cp_pose *target);
/* turn: about which axis of the base it turns, and by how many radians, however many; NULL: the short way. */
cp_status begin_line(struct cp_program *program, const cp_pose *target, const double turn[3]);
/* Through a place to a pose; or full: on through both, and back to the beginning. */
cp_status begin_arc(struct cp_program *program, const double via[3], const cp_pose *end, bool full);
cp_status begin_wait(struct cp_program *program, double seconds);
/* Plans the move that was begun, in its own unit and seconds. */
cp_status plan_move(struct cp_program *program, double acceleration, double deceleration, double speed);
/* The tool when this part of the way is behind. */
cp_pose pose_on_way(const struct move *move, double part);
/* The joints get from `before` to `now`, values of all joints, in one step: within their limits, and without a jump. */
bool joints_can_step(const struct cp_program *program, const double *before, const double *now);
/* One period of the move. */
cp_status advance(struct cp_program *program);

/* pace.c: plans the line or arc that was begun once more, if joints would exceed their limits of speed. */
cp_status pace_way(struct cp_program *program);

/* run.c: an error of the line that is carried out. */
cp_status program_error(const struct cp_program *program, cp_status status, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* record.c: runs it to its end, or to a stop or an emergency at these seconds (below 0: none), and adds a clip of it.
 */
cp_status program_record(struct cp_program *program, cp_scene *scene, const char *name, double stop, double emergency);

#endif
