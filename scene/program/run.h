/* A move in steps of one period: it speeds up, cruises and slows down in whole steps. The rest of the way is one step
 * more while it slows down. */
#ifndef CELLPIPE_PROGRAM_RUN_H
#define CELLPIPE_PROGRAM_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "motion/inverse/inverse.h"

struct lptp {
    double acceleration, deceleration, speed,
        period;  /* units are those of the way, and seconds; the speed that is reached */
    double rest; /* the way of the extra step */
    uint32_t accelerating, cruising, decelerating; /* steps */
    uint32_t count, rest_at;                       /* the number of all steps, and the extra step among them */
};

/* Plans a move. acceleration, deceleration, speed and period are above 0, the distance is at least 0. False if there
 * are too many steps to be counted. */
bool lptp_plan(double distance, double acceleration, double deceleration, double speed, double period,
               struct lptp *plan);
/* Returns the length of step 0 .. count - 1. */
double lptp_step(const struct lptp *plan, uint32_t step);

/* Robot programs: the text as instructions (parse.c, instructions.c, operands.c), and the interpreter (run.c).
 * docs/program.md describes the language. */

enum operation {
    OPERATION_ASSIGN, /* a number: target is the variable */
    OPERATION_ASSIGN_POSE,
    OPERATION_ASSIGN_JOINTS,
    OPERATION_MOVE, /* with numbers; else with points[0] */
    OPERATION_PTP,
    OPERATION_LMOV,
    OPERATION_LPTP,
    OPERATION_IMOV,
    OPERATION_IPTP,
    OPERATION_CMOV,
    OPERATION_CPTP,
    OPERATION_CIRC1,
    OPERATION_CIRC2,
    OPERATION_IF, /* an IF of several lines; target: the place to go on at if it does not hold */
    OPERATION_ELSE,
    OPERATION_ENDIF,
    OPERATION_FOR, /* variable; target: behind its NEXT */
    OPERATION_NEXT,
    OPERATION_GOTO,
    OPERATION_GOSUB,
    OPERATION_RET,
    OPERATION_CASE,
    OPERATION_OUT,
    OPERATION_SETT,
    OPERATION_SETC,
    OPERATION_APAWD,
    OPERATION_STAWD,
    OPERATION_OPEN, /* HANDLE OPEN, HANDLE CLOSE, GRAB: points[0] is the frame, or nothing */
    OPERATION_CLOSE,
    OPERATION_WAIT,
    OPERATION_SPEED,
    OPERATION_JOINT_SPEED,
    OPERATION_HOME,
    OPERATION_END
};

/* A compiled formula: inputs are the number variables. */
struct program_formula {
    uint32_t first_step, step_count;
};

/* The kind of a point; POINT_..._HERE: given by numbers in the line. */
enum point_kind { POINT_NONE, POINT_POSE, POINT_JOINTS, POINT_POSE_HERE, POINT_JOINTS_HERE, POINT_FRAME };
struct point {
    enum point_kind kind;
    uint32_t index; /* a variable of its kind, the first formula, or a node */
};

/* One comparison of a condition. Comparisons that AND joins belong to one clause; some clause must hold. */
enum comparison_kind {
    COMPARE_TRUE,
    COMPARE_EQUAL,
    COMPARE_UNEQUAL,
    COMPARE_LESS,
    COMPARE_MORE,
    COMPARE_MOST,
    COMPARE_LEAST
};
struct comparison {
    enum comparison_kind kind; /* COMPARE_MOST: <=, COMPARE_LEAST: >= */
    struct program_formula sides[2];
    bool is_and;
};

/* A timer or a counter that formulas read: a number variable, which SETT or SETC of that number sets. It is 0 at first.
 */
struct program_reading {
    enum operation operation; /* SETT or SETC */
    uint32_t number, variable;
};

struct instruction {
    enum operation operation;
    uint64_t line;
    uint32_t first_formula, formula_count;
    uint32_t first_comparison, comparison_count; /* those of IF; another operation with comparisons is done only if they
                                                  * hold */
    uint32_t first_target, target_count;         /* of CASE */
    uint32_t target, variable;
    struct point points[2];
};

/* A program as its text gives it. */
struct program_text {
    cp_context *context;
    const char *file; /* for messages */
    struct instruction *instructions;
    struct program_formula *formulas;
    struct comparison *comparisons;
    struct expression_step *steps;
    uint32_t *targets;
    struct program_reading *readings; /* ascending, each once */
    uint32_t instruction_count, formula_count, comparison_count, step_count, target_count, reading_count;
    uint32_t instruction_room, formula_room, comparison_room, step_room, target_room, reading_room;
    uint32_t number_count, pose_count, joints_count; /* variables */
};

/* Reads size bytes of text. Names that it does not define are frames of the scene. joint_count: how many values JOINTS
 * and MOVE take. CP_INPUT, with all errors in the report, when the text has any. Call program_text_free even then. */
cp_status program_parse(cp_context *context, const cp_scene *scene, const char *file, const char *text, size_t size,
                        uint32_t joint_count, struct program_text *program);
void program_text_free(struct program_text *program);
int compare_readings(const void *one, const void *other);

/* A program that runs: run.c carries out lines, move.c makes moves in steps, pace.c slows them down, record.c records a
 * clip. */

/* A way of the tool in the frame of the device's base, or of joints. */
enum move_kind { MOVE_NONE, MOVE_WAIT, MOVE_JOINTS, MOVE_LINE, MOVE_ARC };
struct move {
    enum move_kind kind;
    struct lptp plan;
    uint32_t step;                      /* the next one */
    double way, length;                 /* the way that is done, and all of it: mm, degrees, or 1 for joints */
    cp_pose begin, end;                 /* of the tool */
    double axis[3], angle;              /* the turn from the one to the other */
    double centre[3], normal[3], sweep; /* of an arc: about the normal, radians */
};

/* A change of what a node hangs on: its host from this time on, and its pose there. */
struct holding {
    double time;
    uint32_t node, host;
    cp_pose local;
};

enum { MOST_CALLS = 256 };

/* The present time and line, for messages and marks. */
struct program_clock {
    cp_context *context;
    const char *file; /* of the text */
    uint32_t instruction;
    uint64_t line, periods; /* periods that have passed */
    double time, period;    /* seconds */
};

/* The text, its variables, and the instruction that is next. */
struct program_machine {
    struct program_text text;
    struct program_clock clock;
    double *numbers, *joint_values; /* variables; those of joints have joint_count values each */
    cp_pose *poses;
    bool *number_set, *pose_set, *joints_set;
    double *for_end, *for_step;                   /* indexed by instruction */
    uint32_t calls[MOST_CALLS], call_count, next; /* instructions */
    uint64_t steps;
    bool ended;
};

/* The device that the program drives, and the frames that its tool holds. */
struct program_robot {
    cp_program_options options;
    cp_scene *scene;        /* a copy, whose joints have their present values */
    cp_mechanism mechanism; /* of the copy */
    cp_inverse *inverse;    /* of the copy; NULL until a line needs it */
    uint32_t *joints;       /* those that the program drives, in the device's order */
    uint32_t joint_count;
    double *q;       /* values of all joints */
    cp_pose *locals; /* of nodes */
    uint32_t *hosts; /* the same: what they hang on */
    bool *grabbed;   /* the same: the tool holds them */
};

/* The present move, and how fast moves are. */
struct program_motion {
    struct move move;
    double speed, acceleration, deceleration; /* mm and seconds */
    double joint_part;                        /* the part of their limits of speed, in joint motion */
    double *joint_begin, *joint_end;          /* of the joints that the program drives */
    double *trial;                            /* values of all joints */
    bool *told;                               /* indexed by instruction: a slow-down was reported */
};

/* The marks and attachments that the clip gets. */
struct program_log {
    struct arena *arena; /* for names of marks */
    cp_mark *marks;
    struct holding *holdings;
    uint32_t mark_count, mark_room, holding_count, holding_room;
};

struct cp_program {
    struct arena *arena;
    struct program_machine machine;
    struct program_robot robot;
    struct program_motion motion;
    struct program_log log;
    bool stopping, stopped, emergency; /* stopped: ended by a stop, with lines left */
};

/* move.c: the tool in the base's frame, and its moves. Each move begins where the tool is. */
void place_tool(const struct program_robot *robot, cp_pose *tool);
cp_pose place_node(const struct program_robot *robot, uint32_t node);
cp_status begin_joints(const struct program_clock *clock, struct program_robot *robot, struct program_motion *motion,
                       const double *values);
cp_status begin_posture(const struct program_clock *clock, struct program_robot *robot, struct program_motion *motion,
                        const cp_pose *target);
/* turn: the axis of the base about which it turns, times the radians, however many; NULL: the short way. */
cp_status begin_line(const struct program_clock *clock, struct program_robot *robot, struct program_motion *motion,
                     const cp_pose *target, const double turn[3]);
/* Begins an arc through a place to a pose; or full: on through both, and back to the beginning. */
cp_status begin_arc(const struct program_clock *clock, struct program_robot *robot, struct program_motion *motion,
                    const double via[3], const cp_pose *end, bool full);
cp_status begin_wait(const struct program_clock *clock, struct program_motion *motion, double seconds);
/* Plans the move that was begun, in its own unit and seconds. */
cp_status plan_move(const struct program_clock *clock, struct move *move, double acceleration, double deceleration,
                    double speed);
/* Returns the tool's pose after this part of the way. */
cp_pose pose_on_way(const struct move *move, double part);
/* Tells whether the joints can go from `before` to `now`, values of all joints, in one step: within their limits, and
 * without a jump. */
bool joints_can_step(const struct program_clock *clock, const struct program_robot *robot, const double *before,
                     const double *now);
/* Moves by one period. stops: the move ends there. */
cp_status advance(struct program_clock *clock, struct program_robot *robot, struct program_motion *motion, bool stops);

/* pace.c: plans the line or arc that was begun once more, if joints would exceed their limits of speed. */
cp_status pace_way(const struct program_clock *clock, struct program_robot *robot, struct program_motion *motion);

/* run.c: reports an error of the present line. */
cp_status program_error(const struct program_clock *clock, cp_status status, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* record.c has program_record: cellpipe_tool.h. */
#define program_record cp_program_record

#endif
