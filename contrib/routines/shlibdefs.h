/* The header of a routine of inverse kinematics: see README.md. The names are those of published routines. The values
 * and the order of members are cellpipe's, so that routines have to be compiled anew. */
#ifndef CELLPIPE_SHLIBDEFS_H
#define CELLPIPE_SHLIBDEFS_H

#define DllExport

/* This value of *usrKinDataHint says that the routine takes a pointer to DLM_Data_KinStat as its last argument. */
#define USR_KIN_DATA_KINSTAT 1

/* These are values of warnings[]. A posture counts if its warning is the first of them. */
#define WARN_GOOD_SOLUTION 1
#define WARN_UNREACHABLE 2

/* The present state of the device. Angles are in degrees, lengths in millimetres. An absent limit is infinite. */
typedef struct DLM_Data_KinStat {
    int dof_count;
    int *joint_types;         /* 0 rotational, 1 translational */
    int kin_mode;             /* 0 Normal, 1 TrackTCP */
    double *joint_values;     /* present ones */
    double *jnt_trvl_lmts[2]; /* [0] lower, [1] upper */
} DLM_Data_KinStat;

/* Returns 0 if no device has so many degrees of freedom, or no routine so many postures. */
#ifdef __GNUC__
__attribute__((unused))
#endif
static int
kin_check_definition(int dofs, int postures)
{
    return dofs > 0 && dofs <= 64 && postures > 0 && postures <= 64;
}

#endif
