/* Levenberg-Marquardt and QR with column pivoting (Golub and Van Loan, Matrix Computations, 5.1, 5.4 and 6.1). */
#include "loops.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* ---- QR ---- */

static double column_square(const double *column, uint32_t from, uint32_t rows)
{
    double sum = 0;
    for (uint32_t i = from; i < rows; i++)
        sum += column[i] * column[i];
    return sum;
}

/* Reflects a column, from a row on: column -= direction * (2 direction.column / direction.direction). */
static void reflect(const double *direction, double square, uint32_t from, uint32_t rows, double *column)
{
    double dot = 0;
    for (uint32_t i = from; i < rows; i++)
        dot += direction[i] * column[i];
    double twice = 2 * dot / square;
    for (uint32_t i = from; i < rows; i++)
        column[i] -= twice * direction[i];
}

/* Factorises the matrix into Q R. The diagonal of R goes to diagonal[], the rest of it into the columns above, in the
 * order of order[]; vector[rows] (or NULL) is multiplied by Q^T. squares[columns] is scratch. */
static void factorise(double *matrix, uint32_t rows, uint32_t columns, uint32_t *order, double *diagonal,
                      double *squares, double *vector)
{
    for (uint32_t k = 0; k < columns; k++) {
        order[k] = k;
        diagonal[k] = 0;
    }
    for (uint32_t k = 0; k < columns && k < rows; k++) {
        uint32_t best = k;
        for (uint32_t c = k; c < columns; c++) {
            squares[order[c]] = column_square(matrix + (size_t)order[c] * rows, k, rows);
            if (squares[order[c]] > squares[order[best]])
                best = c;
        }
        uint32_t chosen = order[best];
        order[best] = order[k];
        order[k] = chosen;
        double *column = matrix + (size_t)chosen * rows, length = sqrt(squares[chosen]);
        if (!(length > 0))
            return;
        double head = column[k] > 0 ? -length : length;
        column[k] -= head;
        double square = column_square(column, k, rows);
        for (uint32_t c = k + 1; c < columns; c++)
            reflect(column, square, k, rows, matrix + (size_t)order[c] * rows);
        if (vector)
            reflect(column, square, k, rows, vector);
        diagonal[k] = head;
    }
}

static uint32_t count_rank(const double *diagonal, uint32_t rows, uint32_t columns, double tolerance)
{
    uint32_t rank = 0;
    while (rank < columns && rank < rows && fabs(diagonal[rank]) > tolerance * fmax(fabs(diagonal[0]), 1e-3))
        rank++;
    return rank;
}

uint32_t find_rank(double *matrix, uint32_t rows, uint32_t columns, double tolerance, uint32_t *order, double *work)
{
    double *diagonal = work, *squares = work + columns;
    factorise(matrix, rows, columns, order, diagonal, squares, NULL);
    return count_rank(diagonal, rows, columns, tolerance);
}

void find_null(const double *matrix, uint32_t rows, uint32_t columns, uint32_t rank, uint32_t which,
               const uint32_t *order, const double *work, double *x)
{
    const double *diagonal = work;
    for (uint32_t i = 0; i < columns; i++)
        x[i] = 0;
    x[order[rank + which]] = 1;
    for (uint32_t i = rank; i-- > 0;) {
        double sum = matrix[(size_t)order[rank + which] * rows + i];
        for (uint32_t c = i + 1; c < rank; c++)
            sum += matrix[(size_t)order[c] * rows + i] * x[order[c]];
        x[order[i]] = -sum / diagonal[i];
    }
}

/* Turns two columns in their plane until they are at a right angle. False if they are. */
static bool turn_columns(double *a, double *b, uint32_t rows)
{
    double aa = 0, ab = 0, bb = 0;
    for (uint32_t i = 0; i < rows; i++) {
        aa += a[i] * a[i];
        ab += a[i] * b[i];
        bb += b[i] * b[i];
    }
    if (!(fabs(ab) > 1e-15 * sqrt(aa * bb)))
        return false;
    const double zeta = (bb - aa) / (2 * ab), tangent = copysign(1, zeta) / (fabs(zeta) + hypot(1, zeta)),
                 cosine = 1 / hypot(1, tangent), sine = cosine * tangent;
    for (uint32_t i = 0; i < rows; i++) {
        const double before = a[i];
        a[i] = cosine * before - sine * b[i];
        b[i] = sine * before + cosine * b[i];
    }
    return true;
}

static int compare_descending(const void *a, const void *b)
{
    const double one = *(const double *)a, other = *(const double *)b;
    return (one < other) - (one > other);
}

void find_singular_values(double *matrix, uint32_t rows, uint32_t columns, uint32_t *order, double *square,
                          double *work, double *values)
{
    enum { MOST_ROUNDS = 40 };
    double *diagonal = work, *squares = work + columns;
    factorise(matrix, rows, columns, order, diagonal, squares, NULL);
    for (uint32_t k = 0; k < columns; k++)
        for (uint32_t i = 0; i < columns; i++)
            square[(size_t)k * columns + i] = i > k || i >= rows ? 0
                                              : i == k           ? diagonal[k]
                                                                 : matrix[(size_t)order[k] * rows + i];
    bool turned = true;
    for (int round = 0; round < MOST_ROUNDS && turned; round++) {
        turned = false;
        for (uint32_t a = 0; a < columns; a++)
            for (uint32_t b = a + 1; b < columns; b++)
                turned = turn_columns(square + (size_t)a * columns, square + (size_t)b * columns, columns) || turned;
    }
    for (uint32_t k = 0; k < columns; k++)
        values[k] = sqrt(column_square(square + (size_t)k * columns, 0, columns));
    qsort(values, columns, sizeof *values, compare_descending);
}

/* Subtracts from x its part in the null space, whose vectors find_null gives and Gram and Schmidt's method makes
 * orthogonal. */
static void make_least(const double *matrix, uint32_t rows, uint32_t columns, uint32_t rank, const uint32_t *order,
                       const double *work, double *square, double *x)
{
    for (uint32_t k = 0; k < columns - rank; k++) {
        double *null = square + (size_t)k * columns;
        find_null(matrix, rows, columns, rank, k, order, work, null);
        for (uint32_t other = 0; other <= k; other++) {
            const double *direction = square + (size_t)other * columns;
            double *from = other < k ? null : x, dot = 0;
            double length = column_square(direction, 0, columns);
            for (uint32_t i = 0; i < columns; i++)
                dot += direction[i] * from[i];
            for (uint32_t i = 0; i < columns; i++)
                from[i] -= dot / length * direction[i];
        }
    }
}

uint32_t solve_linear(double *matrix, uint32_t rows, uint32_t columns, double tolerance, uint32_t *order, double *right,
                      double *x, double *square, double *work)
{
    double *diagonal = work, *squares = work + columns;
    factorise(matrix, rows, columns, order, diagonal, squares, right);
    const uint32_t rank = count_rank(diagonal, rows, columns, tolerance);
    for (uint32_t i = 0; i < columns; i++)
        x[i] = 0;
    for (uint32_t i = rank; i-- > 0;) {
        double sum = right[i];
        for (uint32_t c = i + 1; c < rank; c++)
            sum -= matrix[(size_t)order[c] * rows + i] * x[order[c]];
        x[order[i]] = sum / diagonal[i];
    }
    make_least(matrix, rows, columns, rank, order, work, square, x);
    return rank;
}

/* ---- steps ---- */

struct arrays {
    double *residuals, *next_residuals; /* rows */
    double *jacobian, *next_jacobian;   /* rows x columns */
    double *diagonal, *squares, *step, *row, *next;
    double *triangle, *right; /* columns x columns, row by row; columns */
    uint32_t *order;
};

/* Finds the step of least |J step + r|^2 + damping |step|^2: adds the row sqrt(damping) e_j of each unknown to R by
 * plane rotations, in the order of the columns of R, and solves. */
static void damped_step(const struct least_squares *problem, struct arrays *a, double damping)
{
    const uint32_t n = problem->columns, rows = problem->rows, known = n < rows ? n : rows;
    for (uint32_t i = 0; i < n; i++) {
        a->right[i] = i < known ? -a->residuals[i] : 0;
        for (uint32_t c = i; c < n; c++)
            a->triangle[(size_t)i * n + c] = i >= known ? 0
                                             : c == i   ? a->diagonal[i]
                                                        : a->jacobian[(size_t)a->order[c] * rows + i];
    }
    for (uint32_t j = 0; j < n && damping > 0; j++) {
        double right = 0;
        for (uint32_t c = j; c < n; c++)
            a->row[c] = 0;
        a->row[j] = sqrt(damping);
        for (uint32_t i = j; i < n; i++) {
            double *line = a->triangle + (size_t)i * n, length = sqrt(line[i] * line[i] + a->row[i] * a->row[i]);
            if (a->row[i] == 0)
                continue;
            double cosine = line[i] / length, sine = a->row[i] / length;
            for (uint32_t c = i; c < n; c++) {
                double upper = line[c];
                line[c] = cosine * upper + sine * a->row[c];
                a->row[c] = cosine * a->row[c] - sine * upper;
            }
            double upper = a->right[i];
            a->right[i] = cosine * upper + sine * right;
            right = cosine * right - sine * upper;
        }
    }
    for (uint32_t i = n; i-- > 0;) {
        const double *line = a->triangle + (size_t)i * n;
        double sum = a->right[i];
        for (uint32_t c = i + 1; c < n; c++)
            sum -= line[c] * a->step[a->order[c]];
        a->step[a->order[i]] = line[i] != 0 ? sum / line[i] : 0;
    }
}

/* Returns the sum of squares that the linear model predicts after the step; Q^T r is in the residuals. */
static double model_square(const struct least_squares *problem, const struct arrays *a)
{
    const uint32_t n = problem->columns, rows = problem->rows, known = n < rows ? n : rows;
    double sum = 0;
    for (uint32_t i = 0; i < rows; i++) {
        double value = a->residuals[i];
        for (uint32_t c = i; c < n && i < known; c++)
            value += (c == i ? a->diagonal[i] : a->jacobian[(size_t)a->order[c] * rows + i]) * a->step[a->order[c]];
        sum += value * value;
    }
    return sum;
}

size_t least_squares_room(uint32_t rows, uint32_t columns)
{
    uint64_t m = rows, n = columns, count = 2 * m + 2 * m * n + n * n + 7 * n + 1;
    return m < UINT32_MAX / 4 && n < UINT32_MAX / 4 && count < SIZE_MAX / sizeof(double) ? (size_t)count : SIZE_MAX;
}

static struct arrays divide(const struct least_squares *problem, double *work)
{
    const size_t m = problem->rows, n = problem->columns;
    struct arrays a = {.residuals = work, .next_residuals = work + m};
    a.jacobian = work + 2 * m;
    a.next_jacobian = a.jacobian + m * n;
    a.triangle = a.next_jacobian + m * n;
    a.diagonal = a.triangle + n * n;
    a.squares = a.diagonal + n;
    a.step = a.squares + n;
    a.row = a.step + n;
    a.next = a.row + n;
    a.right = a.next + n;
    a.order = (uint32_t *)(void *)(a.right + n);
    return a;
}

static void swap(double **a, double **b)
{
    double *other = *a;
    *a = *b;
    *b = other;
}

double least_squares_solve(const struct least_squares *problem, double *x, double *work)
{
    enum { MOST_STEPS = 100, MOST_TRIES = 30 };
    const uint32_t n = problem->columns, m = problem->rows;
    const double longest = 0.5, exact = 1e-26 * (m + 1); /* exact: residuals of 1e-13 each, near rounding */
    const double near = 1e-2;
    struct arrays a = divide(problem, work);
    double factor_of_damping = 1e-2;
    problem->evaluate(problem->user, x, a.residuals, a.jacobian);
    double square = column_square(a.residuals, 0, m);
    for (int steps = 0; steps < MOST_STEPS && square > exact; steps++) {
        factorise(a.jacobian, m, n, a.order, a.diagonal, a.squares, a.residuals);
        bool better = false;
        for (int tries = 0; tries < MOST_TRIES && !better; tries++) {
            /* Step without damping near an isolated solution: that saves most of the work of a step. */
            bool plain = tries == 0 && square < near && m >= n && fabs(a.diagonal[n - 1]) > 1e-6 * fabs(a.diagonal[0]);
            damped_step(problem, &a, plain ? 0 : factor_of_damping * square);
            double most = 0;
            for (uint32_t i = 0; i < n; i++)
                most = fmax(most, fabs(a.step[i]));
            for (uint32_t i = 0; i < n; i++) {
                a.step[i] *= most > longest ? longest / most : 1;
                a.next[i] = x[i] + a.step[i];
            }
            double promised = square - model_square(problem, &a);
            if (!(promised > 1e-15 * square) || most < DBL_EPSILON)
                return sqrt(square); /* a minimum: nothing nearby is better */
            problem->evaluate(problem->user, a.next, a.next_residuals, a.next_jacobian);
            double next = column_square(a.next_residuals, 0, m), gain = (square - next) / promised;
            better = gain > 1e-4;
            factor_of_damping = fmax(gain < 0.25   ? 4 * factor_of_damping
                                     : gain > 0.75 ? factor_of_damping / 10
                                                   : factor_of_damping,
                                     1e-8);
            if (!better)
                continue;
            for (uint32_t i = 0; i < n; i++)
                x[i] = a.next[i];
            swap(&a.residuals, &a.next_residuals);
            swap(&a.jacobian, &a.next_jacobian);
            square = next;
        }
        if (!better)
            break;
    }
    return sqrt(square);
}
