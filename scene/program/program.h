/* Robot programs: the text as instructions (parse.c, instructions.c, operands.c), and what they do (run.c).
 * docs/program.md is the language. */
#ifndef CELLPIPE_PROGRAM_H
#define CELLPIPE_PROGRAM_H

#include "../motion/inverse/inverse.h"
#include "lptp.h"

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
    OPERATION_IF, /* of several lines; target: what is done where it does not hold */
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
    OPERATION_OPEN, /* HANDLE OPEN, HANDLE CLOSE, GRAB: points[0] is what, or nothing */
    OPERATION_CLOSE,
    OPERATION_WAIT,
    OPERATION_SPEED,
    OPERATION_JOINT_SPEED,
    OPERATION_HOME,
    OPERATION_END
};

/* A compiled formula: inputs are the number variables. */
struct formula {
    uint32_t first_step, step_count;
};

/* POINT_..._HERE: of numbers that stand in the line. */
enum point_kind { POINT_NONE, POINT_POSE, POINT_JOINTS, POINT_POSE_HERE, POINT_JOINTS_HERE, POINT_FRAME };
struct point {
    enum point_kind kind;
    uint32_t index; /* of a variable of its kind, the first formula, or a node */
};

/* One comparison of a condition. Those that AND joins with the one before belong to one clause; some clause must hold.
 */
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
    struct formula sides[2];
    bool is_and;
};

/* A timer or a counter that formulas read: a number variable, which SETT or SETC of that number sets. It is 0 at first.
 */
struct reading {
    enum operation operation; /* SETT or SETC */
    uint32_t number, variable;
};

struct instruction {
    enum operation operation;
    uint64_t line;
    uint32_t first_formula, formula_count;
    uint32_t first_comparison, comparison_count; /* of IF; with another operation it is done only if they hold */
    uint32_t first_target, target_count;         /* of CASE */
    uint32_t target, variable;
    struct point points[2];
};

/* A program as its text has it. */
struct program_text {
    cp_context *context;
    const char *file; /* for messages */
    struct instruction *instructions;
    struct formula *formulas;
    struct comparison *comparisons;
    struct expression_step *steps;
    uint32_t *targets;
    struct reading *readings; /* ascending, each once */
    uint32_t instruction_count, formula_count, comparison_count, step_count, target_count, reading_count;
    uint32_t instruction_room, formula_room, comparison_room, step_room, target_room, reading_room;
    uint32_t number_count, pose_count, joints_count; /* variables */
};

/* Reads size bytes of text. Names that it does not define are frames of the scene. joint_count: how many values JOINTS
 * and MOVE take. CP_INPUT, with all errors in the report, when it cannot be read. Call program_text_free even then. */
cp_status program_parse(cp_context *context, const cp_scene *scene, const char *file, const char *text, size_t size,
                        uint32_t joint_count, struct program_text *program);
void program_text_free(struct program_text *program);
int compare_readings(const void *one, const void *other);

#endif
