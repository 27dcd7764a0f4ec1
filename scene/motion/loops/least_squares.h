/* Nonlinear least squares by Levenberg and Marquardt, and the rank of a matrix: both by QR with column pivoting. */
#ifndef CELLPIPE_LEAST_SQUARES_H
#define CELLPIPE_LEAST_SQUARES_H

#include "../../build.h"

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

#endif
