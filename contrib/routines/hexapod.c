/* Inverse kinematics of samples/mechanisms/hexapod.dcd, as users of older systems write such routines.
 *
 *     gcc -std=gnu89 -shared -fPIC -I contrib/routines contrib/routines/hexapod.c -lm -o hexapod.so
 *     cellpipe ik samples/mechanisms/hexapod.dcw pose=0,0,450mm,5deg,0,0 \
 *         routine=hexapod.so:kin_hexapod lengths=376.5mm,376.5mm,376.5mm,376.5mm,376.5mm,376.5mm
 *
 * A joint is the length of its leg less link_lengths. */
#include <math.h>
#include <string.h>

#include "shlibdefs.h"

#define NUM_SOLUTIONS 1
#define NUM_DOFS 6

/* The ends of the legs: the feet on the base, the tops on the platform (mm). */
static const double feet[6][3] = {{31, 118.156, 40.205},      {-31, 118.156, 40.205},    {-117.826, -32.231, 40.205},
                                  {-86.826, -85.925, 40.205}, {86.826, -85.925, 40.205}, {117.826, -32.231, 40.205}};
static const double tops[6][3] = {{31, 48.799, -31.45},       {-31, 48.799, -31.45},     {-57.761, 2.447, -31.45},
                                  {-26.761, -51.246, -31.45}, {26.761, -51.246, -31.45}, {57.761, 2.447, -31.45}};

DllExport int get_kin_config(char *kin_routine, int *kin_dof, int *solution_count, int *usrKinDataHint)
{
    if (strcmp(kin_routine, "kin_hexapod") != 0)
        return 1;
    *kin_dof = NUM_DOFS;
    *solution_count = NUM_SOLUTIONS;
    *usrKinDataHint = USR_KIN_DATA_KINSTAT;
    return 0;
}

DllExport int kin_hexapod(link_lengths, link_offsets, T6, solutions, warnings, pData)
double T6[4][4], link_lengths[], link_offsets[], solutions[][NUM_SOLUTIONS];
int warnings[];
void *pData;
{
    int leg, i, k;
    (void)link_offsets;
    (void)pData;
    if (kin_check_definition(NUM_DOFS, NUM_SOLUTIONS) == 0)
        return 1;
    for (leg = 0; leg < NUM_DOFS; leg++) {
        double square = 0;
        for (i = 0; i < 3; i++) {
            double end = T6[3][i] - feet[leg][i];
            for (k = 0; k < 3; k++)
                end += tops[leg][k] * T6[k][i];
            square += end * end;
        }
        solutions[leg][0] = sqrt(square) - link_lengths[leg];
    }
    warnings[0] = WARN_GOOD_SOLUTION;
    return 0;
}
