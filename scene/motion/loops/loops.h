/* Loops: where they close, and the way from one closed pose to another. */
#ifndef CELLPIPE_MOTION_LOOPS_LOOPS_H
#define CELLPIPE_MOTION_LOOPS_LOOPS_H

#include "motion/motion.h"

/* Nonlinear least squares by Levenberg and Marquardt, and the rank of a matrix: both by QR with column pivoting. */

/* A problem: residuals r[rows] and their derivatives jacobian[column * rows + row] at x[columns]. All are numbers
 * without a unit, near 1 if x is far from a solution. */
struct least_squares {
    uint32_t rows, columns;
    void (*evaluate)(void *user, const double *x, double *residuals, double *jacobian);
    void *user;
};

/* Returns the number of doubles that least_squares_solve and find_rank work in; SIZE_MAX if no memory is that large. */
size_t least_squares_room(uint32_t rows, uint32_t columns);
/* Moves x[columns] to the place nearby where the sum of squares is least. Near a solution the convergence is quadratic,
 * even if the solution is not isolated (damping by the square of the residuals; Yamashita and Fukushima 2001, Fan and
 * Yuan 2005). Returns the length of the residuals there. work: least_squares_room doubles. */
double least_squares_solve(const struct least_squares *problem, double *x, double *work);

/* Returns the rank of matrix[column * rows + row], which is overwritten: the number of diagonal elements of R above
 * `tolerance` times the first one, or times a thousandth, if that is larger. order[columns]: the columns as they were
 * chosen; those from the rank on depend on the ones before. work: least_squares_room doubles. */
uint32_t find_rank(double *matrix, uint32_t rows, uint32_t columns, double tolerance, uint32_t *order, double *work);
/* Finds a null vector after find_rank: x[columns], so that columns by x is nearly 0. The dependent column number
 * `which`, of columns - rank, has 1 in it. */
void find_null(const double *matrix, uint32_t rows, uint32_t columns, uint32_t rank, uint32_t which,
               const uint32_t *order, const double *work, double *x);
/* Finds values[columns]: the singular values of a matrix, which is overwritten, from the largest to the smallest, by
 * Jacobi's rotations of the columns of R (one-sided; Golub and Van Loan, 8.6.3). square: columns * columns doubles. */
void find_singular_values(double *matrix, uint32_t rows, uint32_t columns, uint32_t *order, double *square,
                          double *work, double *values);
/* Finds x[columns] of least length, so that columns by x is as near to right[rows] as the rank allows. Returns the
 * rank. Matrix and right are overwritten; work begins with the diagonal of R. square: columns * columns doubles. */
uint32_t solve_linear(double *matrix, uint32_t rows, uint32_t columns, double tolerance, uint32_t *order, double *right,
                      double *x, double *square, double *work);

/* Closed loops: the values of free joints at which the loops of a scene close. */

/* A joint that moves one of a loop's nodes against the other. It follows `column`, an independent joint of the group:
 * its value changes `slope` times as fast (NAN: a formula, whose slope changes). */
struct closure_term {
    uint32_t joint, column;
    double sign, slope; /* sign: 1 if it moves the loop's first node, -1 if the second */
};

struct closure_loop {
    uint32_t loop, first_row, first_term, term_count;
};

/* Loops that share joints, with these joints: they are solved together. Columns are independent joints, free ones
 * first. */
struct closure_group {
    uint32_t first_loop, loop_count;
    uint32_t first_column, free_count, column_count;
    uint32_t first_node, node_count; /* the nodes to be placed, ancestors first */
    uint32_t row_count;
    uint32_t rank;  /* the highest of its derivatives by free joints so far */
    bool is_probed; /* the rank beside the first pose is known */
    double length;  /* the metres that weigh as much as a radian */
};

/* Poses that were solved for before: recall.c. */
struct closed_poses {
    struct closed_pose {
        double number;
        uint32_t group, driver; /* group CP_NONE: an empty place */
        uint32_t first;         /* in values */
    } * places;
    double *values; /* as closure_get_group tells them */
    uint32_t place_count, count, value_count, value_room;
};

/* The joints that move each loop, and the groups of loops that are solved together: closure_groups.c finds them. The
 * values of joints are the mechanism's. */
struct closure_chains {
    cp_mechanism *mechanism;
    struct closure_group *groups;
    struct closure_loop *loops;     /* by group */
    struct closure_term *terms;     /* by loop */
    uint32_t *columns, *nodes;      /* joints and nodes, by group */
    uint32_t *column_of, *group_of; /* indexed by joint: its group and place in it, or CP_NONE */
    bool *held;                     /* indexed by joint: it is in a loop, and equal limits hold it */
    bool *repeats;                  /* indexed by column: a whole turn of the joint changes nothing that it moves */
    uint32_t group_count, term_count, term_room, node_count, node_room;
    /* Places of the nodes and joints of groups in the world; closure_place finds them. */
    cp_pose *worlds;                  /* indexed by node */
    double (*axes)[3], (*origins)[3]; /* indexed by joint */
};

/* The solver's memory, enough for the largest group. */
struct closure_solver {
    double *x;       /* columns */
    double *matrix;  /* rows by columns + 1 */
    double *square;  /* free columns by free columns */
    double *work;    /* least_squares_room */
    uint32_t *order; /* columns */
};

/* The assembly that each group keeps to. */
struct closure_branch {
    /* Indexed by column: the last values at which the group closed, and those from which its next way begins. They
     * differ where two assemblies meet, as the last pose may belong to either. */
    double *closed_at, *regular_at, *first_at; /* first_at: those where the scene's own values close it */
    bool failed;                               /* some pose since the closure was opened did not close */
    /* If a way does not lead to its end, the group stays at the last regular pose on it, near where the way ends. */
    bool goes_partly;
};

/* The state of a group on the way to other values of its driven joints. */
struct stand {
    double at;        /* part of the way */
    double *values;   /* of columns */
    double *jacobian; /* rows by columns */
    double *tangent;  /* speeds of free columns along the whole way, in the solver's units */
    double least;     /* the least diagonal element of R */
    double regular;   /* the least one as a part of the first: 0 in a singular pose */
    uint32_t *order;  /* free columns as R has them, of which `rank` count */
    uint32_t rank;
};

/* The memory of a walk (walk.c). Its values are those of one group's columns. */
struct closure_walk {
    struct stand *stands;   /* the present stand of a group, and the one that it tries next */
    uint32_t stand_group;   /* the group whose derivatives stands[0] has; or CP_NONE */
    uint64_t steps;         /* that were tried since closure_solve_group began */
    struct loop_ends *ends; /* of loops, by group */
    double *begin, *start, *goal, *turns, *near_tangent, *near_values, *passed[2];
};

/* The memory of a way of many turns (turns.c): values of one group's columns. */
struct closure_turns {
    double *begin, *end, *goal, *gained, *kept; /* kept: twice */
};

struct closure {
    struct closure_chains chains;
    struct closure_solver solver;
    struct closure_branch branch;
    struct closure_walk walk;
    struct closure_turns turns;
    struct closed_poses closed_poses;
};

/* Finds the groups. The arrays belong to the mechanism's arena, but not terms and nodes: call closure_close even on
 * failure. CP_INPUT, with an entry in the report, when a loop joins what a joint scales. */
cp_status closure_open(struct closure *closure, cp_mechanism *mechanism);
void closure_close(struct closure *closure);

/* Finds a closed pose near mechanism->values, which may be a guess: it changes the values of free joints, and of those
 * that follow them. CP_NO if a loop does not close: then mechanism->open names the worst one, and the values are the
 * nearest. */
cp_status closure_begin(struct closure *closure);
/* Does the same for one group. */
cp_status closure_begin_group(struct closure *closure, uint32_t group);
/* Goes from the closed pose of mechanism->values to the one at q[joint count], on the same branch: driven joints take
 * their values from q, free ones are found. CP_NO if some loop does not close: its group stays where it closed last. */
cp_status closure_solve(struct closure *closure, const double *q);
/* Does the same as closure_solve for one group; only its driven joints are read from q. */
cp_status closure_solve_group(struct closure *closure, uint32_t group, const double *q);
/* Gets and sets the pose in which a group closed last, and the one where its next way begins: 2 * column_count
 * values. */
void closure_get_group(const struct closure *closure, uint32_t group, double *pose);
void closure_set_group(struct closure *closure, uint32_t group, const double *pose);
/* Returns how near the group is to a singular pose where it closed last: the smallest singular value of its derivatives
 * by free joints, with lengths in parts of the group's. Joints that nothing determines anywhere do not count. INFINITY
 * if no free joints count. */
double closure_distance(struct closure *closure, uint32_t group);
/* Returns a group to the pose that closure_begin found. */
void closure_restart(struct closure *closure, uint32_t group);
/* Keep the pose in which a group closed last, for callers that ask for the same several times. Its key is a number that
 * the caller chooses, such as the time of a clip or a driver's value, and the driver or CP_NONE. closure_recall is
 * false if none was kept. */
bool closure_recall(struct closure *closure, uint32_t group, uint32_t driver, double number);
void closure_remember(struct closure *closure, uint32_t group, uint32_t driver, double number);
void closure_forget(struct closure *closure);
/* Finds the rank of all loops' derivatives by all their joints, the rank by the free ones, and the number of conditions
 * that follow from others. lacks[joint count]: set for free joints that the driven ones do not determine, false for
 * others of the loops. */
void closure_count(struct closure *closure, uint32_t *rank, uint32_t *free_rank, uint32_t *redundant, bool *lacks);
/* Returns true if no free joint among these, all of the group, can move while its loops stay closed. */
bool closure_determines(struct closure *closure, uint32_t group, const uint32_t *joints, uint32_t count);

/* walk.c: goes from the last regular pose straight to a goal, driven values of columns, which is not far away. False if
 * it cannot be followed so far: mechanism->open tells where it ends, and what is open at the driven values `end`. */
bool closure_walk(struct closure *closure, struct closure_group *group, const double *goal, const double *end);
/* turns.c: turns_of returns the whole turns in a value, which may be so large that it has few digits; the other adds so
 * many turns to a value. */
double turns_of(double value);
double add_turns(double value, double turns);

/* closure.c, for closure_groups.c, walk.c and turns.c */
/* Loops close within this: of a group's length for places, radians for directions. */
static const double closure_tolerance = 1e-6;
/* A loop's frames in the world; y is the first one's axis. */
struct loop_ends {
    double origins[2][3], x[2][3], z[2][3], y[3];
};
void closure_ends(const struct closure_chains *chains, const cp_loop *loop, struct loop_ends *ends);
/* Places the group's nodes and joints at mechanism->values; dependent joints follow. */
void closure_place(const struct closure_chains *chains, const struct closure_group *group);
/* Returns how many differences a loop of a type has. */
uint32_t closure_rows(cp_loop_type type);
/* Returns the metres or radians of one unit in which the solver counts the joint. */
double closure_unit(const struct closure_chains *chains, const struct closure_group *group, uint32_t joint);
/* Copies the values of the group's columns from mechanism->values, and back. */
void closure_keep_values(const struct closure_chains *chains, const struct closure_group *group, double *kept);
void closure_give_values(const struct closure_chains *chains, const struct closure_group *group, const double *kept);
/* Goes from mechanism->values to a nearby pose that is as near to closed as possible. Returns how far the worst loop is
 * from closed, in parts of the group's length and radians; if that is above the tolerance, `open` tells what it lacks.
 * Does not place the nodes. */
double closure_close_group(const struct closure_chains *chains, struct closure_solver *solver,
                           const struct closure_group *group, struct open_loop *open);
/* Computes jacobian[rows x columns]: the derivatives by the first `columns` joints, at mechanism->values. */
void closure_find_derivatives(const struct closure_chains *chains, struct closure_solver *solver,
                              const struct closure_group *group, uint32_t columns, double *jacobian);

#endif
