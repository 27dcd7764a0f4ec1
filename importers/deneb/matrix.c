/* The 4x4 matrices of Deneb's world: they multiply row vectors, so the translation is the last row. */
#include "deneb.h"

#include <math.h>

#include "base/text/text.h"
#include "model/model.h"

#define TOLERANCE 1e-6

static bool is_near(double value, double target)
{
    return fabs(value - target) <= TOLERANCE;
}

cp_pose deneb_pose(struct deneb_file *file, enum deneb_matrix form, double unit)
{
    cp_context *context = file->context;
    struct place place = deneb_place(file);
    double m[16];
    for (int i = 0; i < 16; i++)
        m[i] = deneb_number(file, true);
    if (file->status != CP_OK)
        return POSE_IDENTITY;

    /* A matrix of column vectors has 0 0 0 1 as its last row, and something else in its last column. */
    bool column_fits = is_near(m[3], 0) && is_near(m[7], 0) && is_near(m[11], 0);
    bool row_fits = is_near(m[12], 0) && is_near(m[13], 0) && is_near(m[14], 0);
    bool is_guessed = form == DENEB_MATRIX_AUTO && !column_fits && row_fits;
    if (is_guessed)
        file->status = report_lenient(context, file->strict, "deneb-column-matrix", place,
                                      "the matrix is of column vectors: its translation stands in the last column");
    if (is_guessed || form == DENEB_MATRIX_COL) {
        column_fits = row_fits;
        for (int row = 0; row < 4; row++)
            for (int column = row + 1; column < 4; column++) {
                double kept = m[4 * row + column];
                m[4 * row + column] = m[4 * column + row];
                m[4 * column + row] = kept;
            }
    }

    /* The last column is 0 0 0 w. */
    double weight = m[15];
    if (file->status == CP_OK && (!column_fits || is_near(weight, 0)))
        file->status = report_error(context, CP_INPUT, "deneb-matrix", place,
                                    "the matrix is not a pose: its last column is not 0 0 0 1");
    if (file->status == CP_OK && !is_near(weight, 1)) {
        file->status = report_lenient(context, file->strict, "deneb-weight", place,
                                      "the matrix ends in %s, by which all of it is divided", show_number(weight).text);
        for (int i = 0; i < 15; i++)
            m[i] /= weight;
    }
    cp_pose pose = {{m[0], m[4], m[8], m[12] * unit, m[1], m[5], m[9], m[13] * unit, m[2], m[6], m[10], m[14] * unit}};
    if (file->status == CP_OK && !pose_is_finite(&pose))
        file->status = report_error(context, CP_INPUT, "deneb-number", place, "the matrix is out of range");
    if (file->status != CP_OK)
        return POSE_IDENTITY;
    struct trs trs;
    if (!(pose_determinant(&pose) > 0))
        report_warning(context, "deneb-mirrored", place, "the matrix mirrors or flattens; it is kept so");
    else if (!pose_to_trs(&pose, TOLERANCE, &trs))
        report_warning(context, "deneb-sheared", place, "the matrix shears; it is kept so");
    return pose;
}
