/* Loops: where they close, and the way from one closed pose to another. */
#ifndef CELLPIPE_MOTION_LOOPS_LOOPS_H
#define CELLPIPE_MOTION_LOOPS_LOOPS_H

#include "motion/motion.h"

/* Nonlinear least squares by Levenberg and Marquardt, and the rank of a matrix: both by QR with column pivoting. */

/* Residuals r[rows] and their derivatives jacobian[column * rows + row] at x[columns]. All are numbers without a unit,
 * near 1 where the problem is far from solved. */
struct least_squares {
    uint32_t rows, columns;
    void (*evaluate)(void *user, const double *x, double *residuals, double *jacobian);
    void *user;
};

/* The doubles that least_squares_solve and find_rank work in; SIZE_MAX if no memory is that large. */
size_t least_squares_room(uint32_t rows, uint32_t columns);
/* Changes x[columns] into the place nearby where the sum of squares is least: near a solution with quadratic
 * convergence, whether or not it is the only one near (damping by the square of the residuals; Yamashita and Fukushima
 * 2001, Fan and Yuan 2005). Returns the length of the residuals there. work: least_squares_room doubles. */
double least_squares_solve(const struct least_squares *problem, double *x, double *work);

/* The rank of matrix[column * rows + row], which is overwritten: diagonal elements of R above `tolerance` of the first
 * one, or of a thousandth, if that is larger. order[columns]: the columns as they were chosen; those from the rank on
 * depend on the ones before. work: least_squares_room doubles. */
uint32_t find_rank(double *matrix, uint32_t rows, uint32_t columns, double tolerance, uint32_t *order, double *work);
/* After find_rank: x[columns], so that columns by x is nearly 0, in which the dependent column number `which`, of
 * columns - rank, has 1. */
void find_null(const double *matrix, uint32_t rows, uint32_t columns, uint32_t rank, uint32_t which,
               const uint32_t *order, const double *work, double *x);
/* values[columns]: the singular values of a matrix, which is overwritten, from the largest to the smallest, by Jacobi's
 * rotations of the columns of R (one-sided; Golub and Van Loan, 8.6.3). square: columns * columns doubles. */
void find_singular_values(double *matrix, uint32_t rows, uint32_t columns, uint32_t *order, double *square,
                          double *work, double *values);
/* x[columns] of least length, so that columns by x is as near to right[rows] as the rank allows, which is returned.
 * Matrix and right are overwritten; work begins with the diagonal of R. square: columns * columns doubles. */
uint32_t solve_linear(double *matrix, uint32_t rows, uint32_t columns, double tolerance, uint32_t *order, double *right,
                      double *x, double *square, double *work);

/* Closed loops: the values of free joints at which the loops of a scene close. */

/* A joint between a loop's two nodes that moves one of them against the other: by `column`, an independent joint of the
 * group, of whose value its own is `slope` times (NAN: a formula, whose slope changes). */
struct closure_term {
    uint32_t joint, column;
    double sign, slope; /* sign: 1 if it moves the loop's first node, -1 if the second */
};

struct closure_loop {
    uint32_t loop, first_row, first_term, term_count;
};

/* Loops that share joints, with those: they are solved together. Columns are independent joints, free ones first. */
struct closure_group {
    uint32_t first_loop, loop_count;
    uint32_t first_column, free_count, column_count;
    uint32_t first_node, node_count; /* what has to be placed, ancestors first */
    uint32_t row_count;
    uint32_t rank;  /* the highest of its derivatives by free joints so far */
    bool is_probed; /* the rank beside the first pose was looked at */
    double length;  /* metres that a radian counts as much as */
};

/* What was solved for before: recall.c. */
struct closed_poses {
    struct closed_pose {
        double number;
        uint32_t group, driver; /* group CP_NONE: an empty place */
        uint32_t first;         /* in values */
    } * places;
    double *values; /* as closure_get_group tells them */
    uint32_t place_count, count, value_count, value_room;
};

struct closure {
    cp_mechanism *mechanism;
    struct closure_group *groups;
    struct closure_loop *loops;       /* by group */
    struct closure_term *terms;       /* by loop */
    uint32_t *columns, *nodes;        /* joints and nodes, by group */
    uint32_t *column_of, *group_of;   /* of joints: their group and place in it, or CP_NONE */
    bool *held;                       /* of joints: it is in a loop, and equal limits hold it where it is */
    cp_pose *worlds;                  /* of nodes; those of groups alone are set */
    double (*axes)[3], (*origins)[3]; /* of joints, in the world; the same */
    uint32_t group_count, term_count, term_room, node_count, node_room;
    bool failed; /* some pose since it was opened did not close */
    /* Where a way does not lead to its end, the group stays at the last regular pose on it, near where it ends. */
    bool goes_partly;
    /* Of columns: the last values at which their group closed, and those from which its next way begins. They differ
     * where two assemblies meet, and the last pose does not tell which of them it is of. */
    double *closed_at, *regular_at, *first_at; /* first_at: those where the scene's own values close it */
    struct closed_poses closed_poses;
    struct stand *stands;      /* walk.c: where a group is, and where it tries to be next */
    uint32_t stand_group;      /* the group whose derivatives stands[0] has; or CP_NONE */
    double *x, *matrix, *work; /* scratch for the largest group: columns; rows by columns + 1 */
    double *square;            /* free columns by free columns */
    double *begin, *start, *goal, *turns, *near_tangent, *near_values, *passed[2];
    double *far_begin, *far_end, *far_goal, *far_gained, *far_kept; /* turns.c */
    bool *repeats;          /* of columns: what the joint moves is the same after a whole turn of it */
    struct loop_ends *ends; /* of loops, by group */
    uint32_t *order;
};

/* Where a group is on the way to other values of its driven joints. */
struct stand {
    double at;        /* part of the way */
    double *values;   /* of columns */
    double *jacobian; /* rows by columns */
    double *tangent;  /* of free columns, in the solver's units: how they move for the whole way */
    double least;     /* the least diagonal element of R */
    double regular;   /* how far from singular: the least one as a part of the first */
    uint32_t *order;  /* of free columns: as R has them, of which `rank` count */
    uint32_t rank;
};

/* Finds the groups. The arrays are the mechanism's arena's, but for terms and nodes: call closure_close even on
 * failure. CP_INPUT, with an entry in the report, when a loop joins what a joint scales. */
cp_status closure_open(struct closure *closure, cp_mechanism *mechanism);
void closure_close(struct closure *closure);

/* From mechanism->values, which may be a guess, to a closed pose near it: changes the values of free joints, and of
 * what depends on them. CP_NO if a loop does not close: then mechanism->open tells the worst one, and values are the
 * nearest. */
cp_status closure_begin(struct closure *closure);
/* The same for one group. */
cp_status closure_begin_group(struct closure *closure, uint32_t group);
/* From the closed pose of mechanism->values to the one at q[joint count], on the same branch: driven joints take their
 * values from q, free ones are found. CP_NO if some loop does not close: its group stays where it closed last. */
cp_status closure_solve(struct closure *closure, const double *q);
/* As closure_solve, for the group of one joint; q is read for its driven joints alone. */
cp_status closure_solve_group(struct closure *closure, uint32_t group, const double *q);
/* The pose in which a group closed last, and the one where its next way begins: 2 * column_count values. */
void closure_get_group(const struct closure *closure, uint32_t group, double *pose);
void closure_set_group(struct closure *closure, uint32_t group, const double *pose);
/* How near the group is to a singular pose: the smallest singular value of its derivatives by free joints, lengths in
 * parts of the group's, where it closed last. Joints that nothing determines anywhere do not count. INFINITY: it has no
 * free joints that count. */
double closure_distance(struct closure *closure, uint32_t group);
/* Back to the pose that closure_begin found. */
void closure_restart(struct closure *closure, uint32_t group);
/* What is asked for several times may be kept: the pose in which a group closed last, by a number that the caller
 * chooses, such as the time of a clip, or a driver's value, and the driver or CP_NONE. closure_recall is false if none
 * was kept. */
bool closure_recall(struct closure *closure, uint32_t group, uint32_t driver, double number);
void closure_remember(struct closure *closure, uint32_t group, uint32_t driver, double number);
void closure_forget(struct closure *closure);
/* The rank of all loops' derivatives by all their joints, by the free ones, and the conditions that follow from others.
 * lacks[joint count]: set for free joints that the driven ones do not determine, false for others of the loops. */
void closure_count(struct closure *closure, uint32_t *rank, uint32_t *free_rank, uint32_t *redundant, bool *lacks);
/* True if no free joint among these, all of the group, can move while its loops stay closed. */
bool closure_determines(struct closure *closure, uint32_t group, const uint32_t *joints, uint32_t count);

/* walk.c: from the last regular pose straight to a goal, driven values of columns, which is not far away. False if it
 * cannot be followed so far: mechanism->open tells where it ends, and what is open at the driven values `end`. */
bool closure_walk(struct closure *closure, struct closure_group *group, const double *goal, const double *end);
/* turns.c: the whole turns in a value that is so large that it has few digits; a value and so many turns more. */
double turns_of(double value);
double add_turns(double value, double turns);

/* closure.c, for closure_groups.c, walk.c and turns.c */
/* Loops close within this: of a group's length for places, radians for directions. */
static const double closure_tolerance = 1e-6;
/* One loop's frames in the world; y is the first one's. */
struct loop_ends {
    double origins[2][3], x[2][3], z[2][3], y[3];
};
void closure_ends(const struct closure *closure, const cp_loop *loop, struct loop_ends *ends);
/* Places the group's nodes and joints at mechanism->values; dependent joints follow. */
void closure_place(struct closure *closure, const struct closure_group *group);
/* How many differences a loop of a type has. */
uint32_t closure_rows(cp_loop_type type);
/* In metres or radians for 1 of what the solver counts in. */
double closure_unit(const struct closure *closure, const struct closure_group *group, uint32_t joint);
/* The group's values of columns in mechanism->values. */
void closure_keep_values(const struct closure *closure, const struct closure_group *group, double *kept);
void closure_give_values(const struct closure *closure, const struct closure_group *group, const double *kept);
/* From mechanism->values to a pose nearby that is as near to closed as can be. Returns how far the worst loop is from
 * closed, in parts of the group's length and radians; above the tolerance `open` tells what it lacks. Does not place
 * the nodes. */
double closure_close_group(struct closure *closure, const struct closure_group *group, struct open_loop *open);
/* jacobian[rows x columns]: the derivatives by the first `columns` joints, at mechanism->values. */
void closure_find_derivatives(struct closure *closure, const struct closure_group *group, uint32_t columns,
                              double *jacobian);

#endif
