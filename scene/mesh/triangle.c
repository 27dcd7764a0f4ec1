#include "box_tree.h"

#include "model/model.h"

/* The point's region decides, after Ericson, Real-Time Collision Detection (2005), 5.1.5. */
double triangle_distance(const double point[3], const double *const corners[3], double shares[2])
{
    double ab[3], ac[3], ap[3];
    subtract(corners[1], corners[0], ab);
    subtract(corners[2], corners[0], ac);
    subtract(point, corners[0], ap);
    double d1 = dot_product(ab, ap), d2 = dot_product(ac, ap), abab = dot_product(ab, ab);
    double acac = dot_product(ac, ac), abac = dot_product(ab, ac);
    double d3 = d1 - abab, d4 = d2 - abac, d5 = d1 - abac, d6 = d2 - acac;
    double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2, v = 0, w = 0;
    if (d1 <= 0 && d2 <= 0) {
    } else if (d3 >= 0 && d4 <= d3) {
        v = 1;
    } else if (d6 >= 0 && d5 <= d6) {
        w = 1;
    } else if (vc <= 0 && d1 >= 0 && d3 <= 0) {
        v = d1 / (d1 - d3);
    } else if (vb <= 0 && d2 >= 0 && d6 <= 0) {
        w = d2 / (d2 - d6);
    } else if (va <= 0 && d4 >= d3 && d5 >= d6) {
        w = d4 - d3 + d5 - d6 > 0 ? (d4 - d3) / (d4 - d3 + d5 - d6) : 0;
        v = 1 - w;
    } else {
        v = vb / (va + vb + vc);
        w = vc / (va + vb + vc);
    }
    double away[3];
    for (int axis = 0; axis < 3; axis++)
        away[axis] = ap[axis] - v * ab[axis] - w * ac[axis];
    shares[0] = 1 - v - w;
    shares[1] = v;
    return dot_product(away, away);
}
