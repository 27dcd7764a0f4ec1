/* Arms of six joints in closed form: the first three place the point where the last three meet, which then turn the
 * hand. Products of exponentials (Brockett, 1984) and subproblems of rotations about given axes (Paden, 1986; Kahan,
 * 1983): axes may stand at any angle, as long as the second and the third are parallel. The arms of Brandstoetter's
 * seven parameters (OPW, 2014) are among them. */
#include "inverse.h"

#include <math.h>

#include "model/model.h"

/* Axes and points of an arm with all joints at zero, in the world. */
struct arm {
    double axes[6][3], origins[6][3];
    double wrist[3];
    cp_pose hand;      /* the frame */
    const double *now; /* values of the joints as they are */
};

/* Parts of the arm's size, and radians. Geometry in files has few digits; the solver of loops then makes the result
 * exact. */
static const double nearly = 1e-6;

static void read_arm(const struct cp_inverse *inverse, struct arm *arm)
{
    const cp_mechanism *mechanism = &inverse->mechanism;
    const struct closure_chains *chains = &mechanism->closure->chains;
    memcpy(mechanism->values, inverse->start, inverse->closed->joint_count * sizeof *inverse->start);
    for (int i = 0; i < 6; i++)
        mechanism->values[inverse->unknown[i]] = 0;
    closure_place(chains, &chains->groups[inverse->group]);
    for (int i = 0; i < 6; i++)
        for (int axis = 0; axis < 3; axis++) {
            arm->axes[i][axis] = chains->axes[inverse->unknown[i]][axis];
            arm->origins[i][axis] = chains->origins[inverse->unknown[i]][axis];
        }
    arm->hand = chains->worlds[inverse->reach.frame];
}

/* Finds the point of axis a that is nearest to axis b. Returns its distance; INFINITY if they are parallel. */
static double nearest_point(const struct arm *arm, int a, int b, double point[3])
{
    double apart[3], across[3], along[3];
    subtract(arm->origins[b], arm->origins[a], apart);
    cross_product(arm->axes[a], arm->axes[b], across);
    double square = dot_product(across, across);
    if (square < nearly * nearly)
        return INFINITY;
    cross_product(apart, arm->axes[b], along);
    double way = dot_product(along, across) / square;
    for (int i = 0; i < 3; i++)
        point[i] = arm->origins[a][i] + way * arm->axes[a][i];
    return fabs(dot_product(apart, across)) / sqrt(square);
}

static double distance_to_axis(const double point[3], const double origin[3], const double axis[3])
{
    double apart[3], across[3];
    subtract(point, origin, apart);
    cross_product(apart, axis, across);
    return sqrt(dot_product(across, across));
}

static bool find_wrist(struct arm *arm, double length)
{
    return nearest_point(arm, 4, 3, arm->wrist) < nearly * length &&
           distance_to_axis(arm->wrist, arm->origins[5], arm->axes[5]) < nearly * length;
}

bool is_arm(const struct cp_inverse *inverse)
{
    const cp_scene *closed = inverse->closed;
    const struct closure_chains *chains = &inverse->mechanism.closure->chains;
    const struct closure_group *group = &chains->groups[inverse->group];
    const struct closure_loop *loop = &chains->loops[group->first_loop];
    if (inverse->unknown_count != 6 || group->loop_count != 1 || group->free_count != 6)
        return false;
    for (uint32_t i = 0; i < loop->term_count; i++) { /* each moves the frame, and none follows another joint */
        const struct closure_term *term = &chains->terms[loop->first_term + i];
        if (term->column < group->free_count &&
            (term->sign < 0 || cp_joint_is_dependent(&closed->joints[term->joint]) ||
             closed->joints[term->joint].type != CP_JOINT_REVOLUTE))
            return false;
    }
    for (uint32_t i = 1; i < 6; i++) /* joints are in the order of their nodes, and those from the root on */
        if (inverse->unknown[i] < inverse->unknown[i - 1])
            return false;
    struct arm arm;
    double across[3], along[3];
    read_arm(inverse, &arm);
    cross_product(arm.axes[1], arm.axes[2], across);
    cross_product(arm.axes[4], arm.axes[5], along);
    return sqrt(dot_product(across, across)) < nearly && sqrt(dot_product(along, along)) > nearly &&
           find_wrist(&arm, group->length);
}

/* ---- one joint after the other ---- */

static void rotate(const double origin[3], const double axis[3], double angle, const double point[3], double out[3])
{
    cp_pose turn = pose_rotation(axis, angle);
    double from[3];
    subtract(point, origin, from);
    pose_point(&turn, from, out);
    for (int i = 0; i < 3; i++)
        out[i] += origin[i];
}

/* a . rotated(b) about the axis = cosine cos(q) + sine sin(q) + constant. */
struct turning {
    double cosine, sine, constant;
};

static struct turning turning(const double a[3], const double axis[3], const double b[3])
{
    double across[3];
    cross_product(axis, b, across);
    double along = dot_product(a, axis) * dot_product(b, axis);
    return (struct turning){dot_product(a, b) - along, dot_product(a, across), along};
}

/* Returns the angle about the axis from one vector to another, seen along it. */
static double angle_between(const double axis[3], const double from[3], const double to[3], double kept)
{
    struct turning turn = turning(to, axis, from);
    return hypot(turn.sine, turn.cosine) > 1e-12 ? atan2(turn.sine, turn.cosine) : kept;
}

/* Returns the side that a bit means: 0 is the side on which the angle is when all joints are at zero, 1 the other one.
 * If zero is just between them, 0 is the side of positive angles. */
static int side_of(double slope_at_zero, double size, uint32_t bit)
{
    int side = slope_at_zero > nearly * size ? -1 : 1;
    return bit ? -side : side;
}

/* Finds q[0] so that the point's distance along axis 2 is the wrist's. */
static bool turn_shoulder(const struct arm *arm, const double point[3], uint32_t bit, double *q)
{
    const double *axis = arm->axes[0], *along = arm->axes[1];
    double from[3], zero[3];
    subtract(point, arm->origins[0], from);
    subtract(arm->wrist, arm->origins[0], zero);
    struct turning turn = turning(from, axis, along), at_zero = turning(zero, axis, along);
    double size = hypot(at_zero.cosine, at_zero.sine);
    /* (R(-q) point) . along = point . R(q) along */
    return solve_turn(turn.cosine, turn.sine, dot_product(zero, along) - turn.constant,
                      side_of(at_zero.sine, size, bit), arm->now[0], q);
}

/* Finds q[2] so that the wrist is as far from axis 2 as the point. */
static bool turn_elbow(const struct arm *arm, const double point[3], uint32_t bit, double *q)
{
    const double *axis = arm->axes[2];
    double upper[3], fore[3], reach = distance_to_axis(point, arm->origins[1], arm->axes[1]);
    subtract(arm->origins[2], arm->origins[1], upper);
    subtract(arm->wrist, arm->origins[2], fore);
    /* |upper + R(q) fore| across the axis */
    struct turning turn = turning(upper, axis, fore);
    double along = dot_product(upper, axis), fore_along = dot_product(fore, axis);
    double squares = dot_product(upper, upper) - along * along + dot_product(fore, fore) - fore_along * fore_along;
    double size = hypot(turn.cosine, turn.sine);
    return solve_turn(turn.cosine, turn.sine, (reach * reach - squares) / 2, side_of(turn.sine, size, bit), arm->now[2],
                      q);
}

/* Finds q[3] to q[5] so that the hand turns by the rotation. */
static bool turn_hand(const struct arm *arm, const cp_pose *rotation, uint32_t bit, double q[6])
{
    const double *a4 = arm->axes[3], *a5 = arm->axes[4], *a6 = arm->axes[5];
    cp_pose only = *rotation;
    double wanted[3], bent[3], side[3], turned[3], origin[3] = {0};
    only.m[3] = only.m[7] = only.m[11] = 0;
    pose_point(&only, a6, wanted);
    struct turning turn = turning(a4, a5, a6);
    double size = hypot(turn.cosine, turn.sine);
    if (!solve_turn(turn.cosine, turn.sine, dot_product(a4, wanted) - turn.constant, side_of(turn.sine, size, bit),
                    arm->now[4], &q[4]))
        return false;
    rotate(origin, a5, q[4], a6, bent);
    double along = dot_product(bent, a4);
    for (int i = 0; i < 3; i++)
        side[i] = bent[i] - along * a4[i];
    /* If the hand is in line with axis 4, joint 4 keeps its value, and joint 6 does the rest. */
    q[3] = sqrt(dot_product(side, side)) > 1e-9 ? angle_between(a4, bent, wanted, arm->now[3]) : arm->now[3];
    /* R(-q5) R(-q4) rotation = R(q6), by the image of a direction across axis 6. */
    double across[3] = {0};
    across[fabs(a6[0]) > 0.6] = 1;
    pose_point(&only, across, turned);
    rotate(origin, a4, -q[3], turned, side);
    rotate(origin, a5, -q[4], side, turned);
    q[5] = angle_between(a6, across, turned, arm->now[5]);
    return true;
}

/* The number's bits: 4 shoulder, 2 elbow, 1 wrist. */
static bool turn_arm(const struct arm *arm, const cp_pose *motion, uint32_t number, double q[6])
{
    double point[3], back[3], reached[3], from[3], to[3];
    pose_point(motion, arm->wrist, point);
    if (!turn_shoulder(arm, point, number >> 2 & 1, &q[0]))
        return false;
    rotate(arm->origins[0], arm->axes[0], -q[0], point, back);
    if (!turn_elbow(arm, back, number >> 1 & 1, &q[2]))
        return false;
    rotate(arm->origins[2], arm->axes[2], q[2], arm->wrist, reached);
    subtract(reached, arm->origins[1], from);
    subtract(back, arm->origins[1], to);
    q[1] = angle_between(arm->axes[1], from, to, arm->now[1]);
    cp_pose rotation = *motion;
    for (int i = 0; i < 3; i++) {
        cp_pose turn = pose_rotation(arm->axes[i], -q[i]);
        rotation = pose_multiply(&turn, &rotation);
    }
    return turn_hand(arm, &rotation, number & 1, q);
}

cp_status try_arm(struct cp_inverse *inverse)
{
    const struct closure_chains *chains = &inverse->mechanism.closure->chains;
    struct arm arm;
    double now[6];
    cp_pose back, motion;
    for (int i = 0; i < 6; i++)
        now[i] = inverse->start[inverse->unknown[i]];
    arm.now = now;
    read_arm(inverse, &arm);
    (void)find_wrist(&arm, INFINITY);
    (void)pose_inverse(&arm.hand, &back);
    motion = pose_multiply(&chains->worlds[inverse->closed->node_count - 1], &back);
    cp_status status = CP_OK;
    for (uint32_t number = 0; number < 8 && status != CP_LIMIT; number++)
        if (turn_arm(&arm, &motion, number, inverse->candidate))
            status = inverse_try(inverse, number);
    return status;
}
