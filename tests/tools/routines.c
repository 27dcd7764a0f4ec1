/* Routines of inverse kinematics that do what none should: for tests/cli/test_routine.sh. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shlibdefs.h>

#define NUM_SOLUTIONS 2
#define NUM_DOFS 6

DllExport int get_kin_config(char *name, int *dofs, int *solutions, int *hint)
{
    if (strcmp(name, "kin_stranger") == 0)
        return 1;
    *dofs = strcmp(name, "kin_small") == 0 ? 3 : NUM_DOFS;
    *solutions = strcmp(name, "kin_many") == 0 ? 1000 : NUM_SOLUTIONS;
    *hint = USR_KIN_DATA_KINSTAT;
    return 0;
}

#define ROUTINE(name)                                                                                                  \
    DllExport int name(double lengths[], double offsets[], double t6[4][4], double solutions[][NUM_SOLUTIONS],         \
                       int warnings[], void *data)
/* The present values, as solutions of the present pose. */
#define PRESENT(which)                                                                                                 \
    for (int i = 0; i < NUM_DOFS; i++)                                                                                 \
        solutions[i][which] = ((DLM_Data_KinStat *)data)->joint_values[i];                                             \
    warnings[which] = WARN_GOOD_SOLUTION;                                                                              \
    (void)lengths, (void)offsets, (void)t6

ROUTINE(kin_good)
{
    PRESENT(0);
    PRESENT(1);
    return 0;
}

ROUTINE(kin_prints)
{
    PRESENT(0);
    for (int i = 0; i < 100000; i++)
        printf("this must not be seen\n");
    fprintf(stderr, "nor this\n");
    fflush(stdout);
    return 0;
}

ROUTINE(kin_crashes)
{
    PRESENT(0);
    *(volatile int *)(size_t)solutions[0][0] = 1;
    return 0;
}

ROUTINE(kin_aborts)
{
    PRESENT(0);
    abort();
}

ROUTINE(kin_hangs)
{
    PRESENT(0);
    for (volatile int i = 0; i >= 0; i = 0)
        ;
    return 0;
}

ROUTINE(kin_leaves)
{
    PRESENT(0);
    exit(3);
}

ROUTINE(kin_refuses)
{
    PRESENT(0);
    return 7;
}

ROUTINE(kin_writes_behind)
{
    PRESENT(0);
    double *end = &solutions[NUM_DOFS][0];
    *end = 1;
    return 0;
}

ROUTINE(kin_writes_before)
{
    PRESENT(0);
    double *begin = &solutions[0][0];
    begin[-3] = 1;
    return 0;
}

ROUTINE(kin_warns_behind)
{
    PRESENT(0);
    int *end = warnings + NUM_SOLUTIONS;
    *end = WARN_GOOD_SOLUTION;
    return 0;
}

ROUTINE(kin_is_not_a_number)
{
    PRESENT(0);
    PRESENT(1);
    solutions[2][0] = sqrt(-1.0);
    return 0;
}

ROUTINE(kin_warns)
{
    PRESENT(0);
    PRESENT(1);
    warnings[0] = WARN_UNREACHABLE;
    return 0;
}

/* One posture has values for elsewhere, of the other nothing is said. */
ROUTINE(kin_is_wrong)
{
    PRESENT(0);
    solutions[0][0] += 1;
    return 0;
}

ROUTINE(kin_opens)
{
    PRESENT(0);
    FILE *file = fopen("opened", "w");
    if (file)
        fclose(file);
    return 0;
}

ROUTINE(kin_looks)
{
    PRESENT(0);
    const DLM_Data_KinStat *stat = data;
    return stat->dof_count == 6 && stat->joint_types[0] == 1 && stat->kin_mode == 0 &&
                   stat->jnt_trvl_lmts[0][0] == -60 && stat->jnt_trvl_lmts[1][5] == 60 && lengths[0] == 376.5 &&
                   lengths[1] == 400 && lengths[2] == 0 && offsets[0] == 1 && t6[3][3] == 1 && t6[0][3] == 0
               ? 0
               : 9;
}
ROUTINE(kin_small)
{
    PRESENT(0);
    return 0;
}
ROUTINE(kin_many)
{
    PRESENT(0);
    return 0;
}
