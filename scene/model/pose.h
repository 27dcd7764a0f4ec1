/* Poses: 3x4 matrices for column vectors. */
#ifndef CELLPIPE_MODEL_POSE_H
#define CELLPIPE_MODEL_POSE_H

#include "cellpipe.h"

#define POSE_IDENTITY ((cp_pose){{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}})

/* Translation, unit quaternion (x y z w), scale: the pose T * R * S. */
struct trs {
    double translation[3], rotation[4], scale[3];
};

/* a * b: first b, then a. A factor that is exactly the identity leaves the other bit for bit. */
cp_pose pose_multiply(const cp_pose *a, const cp_pose *b);
/* The same without a copy, where it counts; product is neither of them. */
void pose_multiply_into(const cp_pose *a, const cp_pose *b, cp_pose *restrict product);
/* False when singular. */
bool pose_inverse(const cp_pose *pose, cp_pose *inverse);
void pose_point(const cp_pose *pose, const double point[3], double out[3]);
double pose_determinant(const cp_pose *pose);
/* Of its matrix, without what it moves by: the largest absolute value. */
double pose_largest_entry(const cp_pose *pose);
/* At most by how much the pose makes a vector longer; exact for a rotation with a uniform scale. */
double pose_stretch_bound(const cp_pose *pose);
bool pose_equal(const cp_pose *a, const cp_pose *b); /* bit patterns, -0 equals 0 */
bool pose_is_identity(const cp_pose *pose);
/* A rotation and a translation alone; the matrix is off by no more than the tolerance. */
bool pose_is_rigid(const cp_pose *pose, double tolerance);
bool pose_is_finite(const cp_pose *pose);
cp_pose pose_translation(double x, double y, double z);
cp_pose pose_scaling(double x, double y, double z);
/* Rotation by angle about a unit axis (Rodrigues). */
cp_pose pose_rotation(const double axis[3], double angle);
/* Rotations in degrees: multiples of 90 give exact zeros and ones. axis 0, 1, 2 = x, y, z. */
cp_pose pose_rotation_degrees(int axis, double degrees);
/* Of X Y Z and R = Rz(roll) Ry(pitch) Rx(yaw): see cp_pose_coordinates. */
cp_pose pose_from_coordinates(const double coordinates[6]);
cp_pose pose_from_trs(const struct trs *trs);
/* Nearest T * R * S: mirroring gives a negative scale (all three), zero scale keeps zeros. True when
 * pose_from_trs of the result is within tolerance (per entry, relative to the largest entry) of the pose;
 * false for shear. */
bool pose_to_trs(const cp_pose *pose, double tolerance, struct trs *trs);
/* The matrix as U S V^T: the columns of U S, which are at right angles (those that are flat to rounding are 0), and of
 * the rotation V; both as [column][row]. */
void pose_singular(const cp_pose *pose, double us[3][3], double v[3][3]);
/* Y-up source to the scene's Z-up: (x, y, z) -> (x, -z, y); and back. */
cp_pose pose_z_up_from_y_up(void);
cp_pose pose_y_up_from_z_up(void);
/* The motion of a joint at value q; into: without a copy, where it counts. */
cp_pose joint_motion(const cp_joint *joint, double q);
void joint_motion_into(const cp_joint *joint, double q, cp_pose *restrict motion);

/* Three doubles. */

static inline double dot_product(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void subtract(const double a[3], const double b[3], double difference[3])
{
    for (int axis = 0; axis < 3; axis++)
        difference[axis] = a[axis] - b[axis];
}

static inline void cross_product(const double a[3], const double b[3], double product[3])
{
    product[0] = a[1] * b[2] - a[2] * b[1];
    product[1] = a[2] * b[0] - a[0] * b[2];
    product[2] = a[0] * b[1] - a[1] * b[0];
}

/* The normal of triangle o, a, b, as long as twice its area. */
static inline void triangle_normal(const double o[3], const double a[3], const double b[3], double normal[3])
{
    double p[3], q[3];
    subtract(a, o, p);
    subtract(b, o, q);
    cross_product(p, q, normal);
}

#endif
