/* The simulated controller: programs by the library's interpreter, jogs and moves, a step of 10 ms at a time. It knows
 * no network, no clock and no rights. */
#ifndef CELLPIPE_LIVE_SIMULATOR_H
#define CELLPIPE_LIVE_SIMULATOR_H

#include "cell.h"

#define SIMULATOR_PERIOD 0.01 /* seconds of a step */

enum { SIMULATOR_WHY = 300, SIMULATOR_LONGEST = 600 /* seconds of a move: only an emergency ends it before */ };

/* What a step came to. */
enum simulator_end {
    SIMULATOR_GOES_ON,
    SIMULATOR_ENDED,
    SIMULATOR_STOPPED, /* a program, which can be continued */
    SIMULATOR_FAILED   /* `why` says it */
};

struct simulator {
    struct cell *cell;
    cp_program_options options; /* the device that programs move, and its tool; device CP_NONE: there is none */
    char lacks[SIMULATOR_WHY];  /* why there is none */
    /* The program that was downloaded, and what runs of it. */
    char *name, *text;
    size_t name_room, text_room, text_size;
    cp_scene *posed; /* the cell as it was when the program began */
    cp_program *program;
    uint32_t marks_seen;
    uint64_t line;
    bool waits;    /* a stopped program, to be continued */
    bool one_move; /* the next move is the last one */
    /* A jog, or a move. */
    uint32_t jog_joint;
    double jog_speed;
    struct looked { /* a jog of a cell that somebody else moves: how far it was looked at */
        uint32_t joint;
        bool is_known, goes_up;
        double from, to; /* values of the joint */
        double *q;       /* has a value for each joint */
    } looked;
    double *from, *to, *now; /* values of all joints */
    cp_pose *worlds;
    double way, duration; /* seconds of the move that have passed, and all of them */
    enum { SIMULATOR_RESTS, SIMULATOR_PROGRAM, SIMULATOR_JOG, SIMULATOR_MOVE } task;
    char why[SIMULATOR_WHY];
};

/* device, frame: names, or NULL for the device with the most joints, and its end. CP_USAGE if a name is unknown; a cell
 * whose device is not clear runs no programs. */
cp_status simulator_open(struct simulator *simulator, struct cell *cell, const char *device, const char *frame);
void simulator_close(struct simulator *simulator);

/* Takes a program. CP_INPUT if its text has errors, which are in the context's report. */
cp_status simulator_load(struct simulator *simulator, const char *name, const char *text, size_t size);
/* Begins the loaded program where the cell is now. CP_NO if there is none. */
cp_status simulator_run(struct simulator *simulator);
/* Goes on after a stop. */
cp_status simulator_continue(struct simulator *simulator);
/* Lets a program end with its present move. */
void simulator_stop(struct simulator *simulator);
/* Lets a program that was just begun or continued end with the next move, which it has not begun yet. */
void simulator_stop_after_next(struct simulator *simulator);
/* Ends all: a program with the next step, as the interpreter has it; a jog or a move at once. */
void simulator_emergency(struct simulator *simulator);
/* Ends a jog or a move where it is. */
void simulator_halt(struct simulator *simulator);
/* Tells whether a step would do anything. */
bool simulator_moves(const struct simulator *simulator);
/* Returns where the tool is in the frame of the device's base, as cp_pose_coordinates does. */
void simulator_tool(const struct simulator *simulator, double coordinates[6]);
/* Forgets a stopped program. */
void simulator_reset(struct simulator *simulator);
/* Jogs a joint at this speed, in radians or metres a second. CP_NO, with `why` "limits": faster than the joint may be.
 */
cp_status simulator_jog(struct simulator *simulator, uint32_t joint, double speed);
/* Tells whether a jog of so many seconds would be free on all of its way, of a cell that somebody else moves. What was
 * looked at for an earlier word of the same jog is not looked at again. CP_NO with `why`, as of simulator_jog. */
cp_status simulator_try_jog(struct simulator *simulator, uint32_t joint, double speed, double seconds);
/* Moves joints to these values of all: all begin and end together. speed: the part of their limits, above 0, at most 1.
 * CP_NO with `why` "limits" for values beyond limits. */
cp_status simulator_move(struct simulator *simulator, const double *q, double speed);
/* Makes a step. */
enum simulator_end simulator_step(struct simulator *simulator);

/* Fastest jogs, and moves of joints without a limit of speed: radians and metres a second. */
#define SIMULATOR_TURN 1.0
#define SIMULATOR_SLIDE 0.25

#endif
