/* The 4x4 matrices of Deneb's world: row vectors, so that the translation stands in the last row. */
#include "deneb.h"

#include <math.h>

#define TOLERANCE 1e-6

static bool is_near(double value, double target)
{
    return fabs(value - target) <= TOLERANCE;
}

static bool last_column_fits(const double m[16])
{
    return is_near(m[3], 0) && is_near(m[7], 0) && is_near(m[11], 0);
}

static bool last_row_fits(const double m[16])
{
    return is_near(m[12], 0) && is_near(m[13], 0) && is_near(m[14], 0);
}

static void transpose(double m[16])
{
    for (int row = 0; row < 4; row++)
        for (int column = row + 1; column < 4; column++) {
            double kept = m[4 * row + column];
            m[4 * row + column] = m[4 * column + row];
            m[4 * column + row] = kept;
        }
}

/* A matrix of column vectors has 0 0 0 1 as its last row, and something else in its last column. */
static void make_row_form(struct deneb_file *file, struct place place, enum deneb_matrix form, double m[16])
{
    bool column_form = form == DENEB_MATRIX_COL;
    if (form == DENEB_MATRIX_AUTO && !last_column_fits(m) && last_row_fits(m)) {
        column_form = true;
        file->status = report_lenient(file->context, file->strict, "deneb-column-matrix", place,
                                      "the matrix is of column vectors: its translation stands in the last column");
    }
    if (column_form)
        transpose(m);
}

/* The last column is 0 0 0 w. */
static void divide_by_weight(struct deneb_file *file, struct place place, double m[16])
{
    double weight = m[15];
    if (!last_column_fits(m) || is_near(weight, 0)) {
        file->status = report_error(file->context, CP_INPUT, "deneb-matrix", place,
                                    "the matrix is no pose: its last column is not 0 0 0 1");
        return;
    }
    if (is_near(weight, 1))
        return;
    file->status = report_lenient(file->context, file->strict, "deneb-weight", place,
                                  "the matrix ends in %s, by which all of it is divided", show_number(weight).text);
    for (int i = 0; i < 15; i++)
        m[i] /= weight;
}

static void check_shape(struct deneb_file *file, struct place place, const cp_pose *pose)
{
    struct trs trs;
    if (!(pose_determinant(pose) > 0))
        report_warning(file->context, "deneb-mirrored", place, "the matrix mirrors or flattens; it is kept so");
    else if (!pose_to_trs(pose, TOLERANCE, &trs))
        report_warning(file->context, "deneb-sheared", place, "the matrix shears; it is kept so");
}

cp_pose deneb_pose(struct deneb_file *file, enum deneb_matrix form, double unit)
{
    struct place place = deneb_place(file);
    double m[16];
    for (int i = 0; i < 16; i++)
        m[i] = deneb_number(file, true);
    if (file->status == CP_OK)
        make_row_form(file, place, form, m);
    if (file->status == CP_OK)
        divide_by_weight(file, place, m);
    if (file->status != CP_OK)
        return POSE_IDENTITY;
    cp_pose pose = {{m[0], m[4], m[8], m[12] * unit, m[1], m[5], m[9], m[13] * unit, m[2], m[6], m[10], m[14] * unit}};
    if (!pose_is_finite(&pose)) {
        file->status = report_error(file->context, CP_INPUT, "deneb-number", place, "the matrix is out of range");
        return POSE_IDENTITY;
    }
    check_shape(file, place, &pose);
    return pose;
}
