/* Closed loops: which joints move them, how far they are from closed, and the values at which they are. */
#include "closure.h"

#include <math.h>
#include <string.h>

#include "../../pose.h"
#include "../../vector.h"

/* Loops close within this: of a group's length for places, radians for directions. */
static const double closed = 1e-6;
/* Smaller parts of a matrix of derivatives are geometry that is given in few digits. */
static const double dependent = 1e-6;
/* So far from closed a motion of joints leaves all loops nearly where they are. */
static const double still = 1e-2;
/* The longest step of a driven joint, in radians or group lengths, from one closed pose to the next. */
static const double longest_step = 0.25;

/* ---- residuals ---- */

void closure_ends(const struct closure *closure, const cp_loop *loop, struct loop_ends *ends)
{
    for (int side = 0; side < 2; side++) {
        cp_pose world;
        pose_multiply_into(&closure->worlds[loop->nodes[side]], &loop->poses[side], &world);
        for (int i = 0; i < 3; i++) {
            ends->x[side][i] = world.m[4 * i];
            if (side == 0)
                ends->y[i] = world.m[4 * i + 1];
            ends->z[side][i] = world.m[4 * i + 2];
            ends->origins[side][i] = world.m[4 * i + 3];
        }
    }
}

/* How a frame moves with a joint. */
struct motion {
    double origin[3], x[3], y[3], z[3]; /* velocities */
};

static void set_motion(const struct closure *closure, uint32_t joint, const struct loop_ends *ends, int side,
                       struct motion *motion)
{
    const double *axis = closure->axes[joint];
    double arm[3];
    *motion = (struct motion){0};
    if (closure->mechanism->scene->joints[joint].type == CP_JOINT_PRISMATIC) {
        memcpy(motion->origin, axis, sizeof motion->origin);
        return;
    }
    subtract(ends->origins[side], closure->origins[joint], arm);
    cross_product(axis, arm, motion->origin);
    cross_product(axis, ends->x[side], motion->x);
    cross_product(axis, ends->z[side], motion->z);
    if (side == 0)
        cross_product(axis, ends->y, motion->y);
}

/* Rows of a loop: what differs, places in units of `length`. Directions differ by the chord between them, which is zero
 * nowhere but where they are equal. motion: NULL for the values, else their derivatives when `side` moves so. */
static uint32_t loop_rows(const cp_loop *loop, const struct loop_ends *ends, double length, const struct motion *motion,
                          int side, double *rows)
{
    const double sign = side == 0 ? 1 : -1;
    double apart[3], chord_x[3], chord_z[3];
    uint32_t count = 0;
    subtract(ends->origins[0], ends->origins[1], apart);
    for (int i = 0; i < 3; i++) {
        chord_x[i] = motion ? sign * motion->x[i] : ends->x[0][i] - ends->x[1][i];
        chord_z[i] = motion ? sign * motion->z[i] : ends->z[0][i] - ends->z[1][i];
    }
    switch (loop->type) {
    case CP_LOOP_DISTANCE: {
        double distance = sqrt(dot_product(apart, apart));
        if (!motion)
            rows[count++] = (distance - loop->length) / length;
        else
            rows[count++] = distance > 0 ? sign * dot_product(motion->origin, apart) / (distance * length) : 0;
        return count;
    }
    case CP_LOOP_CYLINDRICAL:
    case CP_LOOP_PRISMATIC: /* across the first frame's Z */
        for (int i = 0; i < 2; i++) {
            const double *across = i == 0 ? ends->x[0] : ends->y;
            double value = dot_product(apart, across);
            if (motion)
                value = sign * dot_product(motion->origin, across) +
                        (side == 0 ? dot_product(apart, i == 0 ? motion->x : motion->y) : 0);
            rows[count++] = value / length;
        }
        break;
    case CP_LOOP_SPHERICAL:
    case CP_LOOP_REVOLUTE:
    case CP_LOOP_UNIVERSAL:
    case CP_LOOP_FIXED:
        for (int i = 0; i < 3; i++)
            rows[count++] = (motion ? sign * motion->origin[i] : apart[i]) / length;
        break;
    }
    if (loop->type == CP_LOOP_UNIVERSAL)
        rows[count++] = motion ? dot_product(motion->z, ends->z[1 - side]) : dot_product(ends->z[0], ends->z[1]);
    else if (loop->type != CP_LOOP_SPHERICAL)
        for (int i = 0; i < 3; i++)
            rows[count++] = chord_z[i];
    if (loop->type == CP_LOOP_PRISMATIC || loop->type == CP_LOOP_FIXED)
        for (int i = 0; i < 3; i++)
            rows[count++] = chord_x[i];
    return count;
}

uint32_t closure_rows(cp_loop_type type)
{
    static const uint32_t counts[] = {
        [CP_LOOP_SPHERICAL] = 3, [CP_LOOP_REVOLUTE] = 6, [CP_LOOP_UNIVERSAL] = 4, [CP_LOOP_CYLINDRICAL] = 5,
        [CP_LOOP_PRISMATIC] = 8, [CP_LOOP_FIXED] = 9,    [CP_LOOP_DISTANCE] = 1};
    return counts[type];
}

/* ---- a group at values of its joints ---- */

/* In metres or radians for 1 of what the solver counts in. */
static double unit_of(const struct closure *closure, const struct closure_group *group, uint32_t joint)
{
    return closure->mechanism->scene->joints[joint].type == CP_JOINT_PRISMATIC ? group->length : 1;
}

void closure_place(struct closure *closure, const struct closure_group *group)
{
    cp_mechanism *mechanism = closure->mechanism;
    const cp_scene *scene = mechanism->scene;
    for (uint32_t i = 0; i < group->node_count; i++) {
        uint32_t index = closure->nodes[group->first_node + i];
        const cp_node *node = &scene->nodes[index];
        cp_pose world = node->local, motion, moved;
        if (node->parent != CP_NONE)
            pose_multiply_into(&closure->worlds[node->parent], &node->local, &world);
        for (uint32_t joint = node->first_joint; joint < node->first_joint + node->joint_count; joint++) {
            const double *axis = scene->joints[joint].axis;
            if (cp_joint_is_dependent(&scene->joints[joint]))
                mechanism->values[joint] = mechanism_value(mechanism, joint, mechanism->values);
            for (int k = 0; k < 3; k++) {
                closure->axes[joint][k] = dot_product(world.m + 4 * k, axis);
                closure->origins[joint][k] = world.m[4 * k + 3];
            }
            joint_motion_into(&scene->joints[joint], mechanism->values[joint], &motion);
            pose_multiply_into(&world, &motion, &moved);
            world = moved;
        }
        closure->worlds[index] = world;
    }
}

/* By how much a dependent joint moves for its independent one. */
static double slope_of(const struct closure *closure, const struct closure_term *term, uint32_t leader)
{
    if (!isnan(term->slope))
        return term->slope;
    cp_mechanism *mechanism = closure->mechanism;
    const double value = mechanism->values[leader], step = 1e-5;
    mechanism->values[leader] = value + step;
    double after = mechanism_value(mechanism, term->joint, mechanism->values);
    mechanism->values[leader] = value - step;
    double before = mechanism_value(mechanism, term->joint, mechanism->values);
    mechanism->values[leader] = value;
    return (after - before) / (2 * step);
}

struct evaluation {
    struct closure *closure;
    const struct closure_group *group;
    uint32_t columns; /* the free ones, or all */
};

static void evaluate(void *user, const double *x, double *residuals, double *jacobian)
{
    const struct evaluation *it = user;
    struct closure *closure = it->closure;
    const struct closure_group *group = it->group;
    cp_mechanism *mechanism = closure->mechanism;
    for (uint32_t i = 0; i < it->columns; i++) {
        uint32_t joint = closure->columns[group->first_column + i];
        mechanism->values[joint] = x[i] * unit_of(closure, group, joint);
    }
    closure_place(closure, group);
    memset(jacobian, 0, (size_t)group->row_count * it->columns * sizeof *jacobian);
    for (uint32_t i = 0; i < group->loop_count; i++) {
        const struct closure_loop *own = &closure->loops[group->first_loop + i];
        const cp_loop *loop = &mechanism->scene->loops[own->loop];
        struct loop_ends ends;
        closure_ends(closure, loop, &ends);
        (void)loop_rows(loop, &ends, group->length, NULL, 0, residuals + own->first_row);
        for (uint32_t k = 0; k < own->term_count; k++) {
            const struct closure_term *term = &closure->terms[own->first_term + k];
            uint32_t leader = closure->columns[group->first_column + term->column];
            if (term->column >= it->columns)
                continue;
            struct motion motion;
            double rows[9];
            int side = term->sign < 0;
            set_motion(closure, term->joint, &ends, side, &motion);
            uint32_t count = loop_rows(loop, &ends, group->length, &motion, side, rows);
            double scale = slope_of(closure, term, leader) * unit_of(closure, group, leader);
            double *column = jacobian + (size_t)term->column * group->row_count + own->first_row;
            for (uint32_t row = 0; row < count; row++)
                column[row] += scale * rows[row];
        }
    }
}

/* ---- solving ---- */

/* The worst loop, with what it lacks: false when all close within the tolerance. */
static bool find_gap(struct closure *closure, const struct closure_group *group, double tolerance)
{
    cp_mechanism *mechanism = closure->mechanism;
    double worst = tolerance;
    closure_place(closure, group);
    for (uint32_t i = 0; i < group->loop_count; i++) {
        const struct closure_loop *own = &closure->loops[group->first_loop + i];
        const cp_loop *loop = &mechanism->scene->loops[own->loop];
        struct loop_ends ends;
        double rows[9], square = 0, places = 0;
        closure_ends(closure, loop, &ends);
        uint32_t count = loop_rows(loop, &ends, group->length, NULL, 0, rows);
        uint32_t lengths = loop->type == CP_LOOP_DISTANCE                                         ? 1
                           : loop->type == CP_LOOP_CYLINDRICAL || loop->type == CP_LOOP_PRISMATIC ? 2
                                                                                                  : 3;
        for (uint32_t row = 0; row < count; row++) {
            square += rows[row] * rows[row];
            places += row < lengths ? rows[row] * rows[row] : 0;
        }
        if (sqrt(square) <= worst)
            continue;
        worst = sqrt(square);
        mechanism->open.other_branch = false;
        mechanism->open.loop = own->loop;
        mechanism->open.gap = group->length * sqrt(places);
        mechanism->open.angle = 2 * asin(fmin(1, sqrt(square - places) / 2));
    }
    return worst > tolerance;
}

static bool close_group(struct closure *closure, const struct closure_group *group)
{
    double *values = closure->mechanism->values;
    struct evaluation it = {closure, group, group->free_count};
    const struct least_squares problem = {group->row_count, group->free_count, evaluate, &it};
    for (uint32_t i = 0; i < group->free_count; i++) {
        uint32_t joint = closure->columns[group->first_column + i];
        closure->x[i] = values[joint] / unit_of(closure, group, joint);
    }
    if (group->free_count > 0)
        (void)least_squares_solve(&problem, closure->x, closure->work);
    for (uint32_t i = 0; i < group->free_count; i++) {
        uint32_t joint = closure->columns[group->first_column + i];
        values[joint] = closure->x[i] * unit_of(closure, group, joint);
    }
    return !find_gap(closure, group, closed);
}

static void keep_values(const struct closure *closure, const struct closure_group *group, double *kept)
{
    for (uint32_t i = 0; i < group->column_count; i++)
        kept[i] = closure->mechanism->values[closure->columns[group->first_column + i]];
}

static void give_values(const struct closure *closure, const struct closure_group *group, const double *kept)
{
    for (uint32_t i = 0; i < group->column_count; i++)
        closure->mechanism->values[closure->columns[group->first_column + i]] = kept[i];
}

/* Of the derivatives by the first `columns` joints, without those that are left out (NULL: none). */
static uint32_t group_rank(struct closure *closure, const struct closure_group *group, uint32_t columns,
                           const uint32_t *left_out, uint32_t left_out_count)
{
    struct evaluation it = {closure, group, columns};
    double *residuals = closure->matrix, *jacobian = residuals + group->row_count;
    for (uint32_t i = 0; i < columns; i++) {
        uint32_t joint = closure->columns[group->first_column + i];
        closure->x[i] = closure->mechanism->values[joint] / unit_of(closure, group, joint);
    }
    evaluate(&it, closure->x, residuals, jacobian);
    for (uint32_t i = 0; i < left_out_count; i++) {
        uint32_t column = closure->column_of[left_out[i]];
        memset(jacobian + (size_t)column * group->row_count, 0, group->row_count * sizeof *jacobian);
    }
    return find_rank(jacobian, group->row_count, columns, dependent, closure->order, closure->work);
}

/* Where joints can move while all loops stay closed, as the three turns of a ball whose second one is at 90 degrees,
 * the way on may begin with such a motion. Moves the closed pose `last` by up to a quarter turn: `number` says along
 * which motion, and which way. False if there is none. */
static bool move_aside(struct closure *closure, const struct closure_group *group, uint32_t number, double *last)
{
    const uint32_t columns = group->free_count;
    double *jacobian = closure->matrix + group->row_count, *motion = closure->x, most = 0;
    give_values(closure, group, last);
    uint32_t rank = group_rank(closure, group, columns, NULL, 0);
    if (rank == columns)
        return false;
    find_null(jacobian, group->row_count, columns, rank, number / 2 % (columns - rank), closure->order, closure->work,
              motion);
    for (uint32_t i = 0; i < columns; i++)
        most = fmax(most, fabs(motion[i]));
    for (uint32_t i = 0; i < columns; i++) {
        uint32_t joint = closure->columns[group->first_column + i];
        double way = (number % 2 == 0 ? PI / 2 : -PI / 2) * motion[i] / most;
        closure->mechanism->values[joint] += way * unit_of(closure, group, joint);
    }
    /* At the end of a machine's reach there is such a motion, too, but for the first instant alone. */
    bool closes = !find_gap(closure, group, still) && close_group(closure, group);
    if (closes)
        keep_values(closure, group, last);
    give_values(closure, group, last);
    return closes;
}

/* From closed pose to closed pose, in steps that are small enough to stay on the branch; shorter ones where that
 * fails. q: the values to reach. */
enum { MOST_ASIDES = 4 };
static bool walk(struct closure *closure, const struct closure_group *group, const double *q)
{
    double *values = closure->mechanism->values, *begin = closure->kept,
           *last = closure->closed_at + group->first_column;
    double way = 0, at = 0, step;
    memcpy(begin, last, group->column_count * sizeof *begin);
    give_values(closure, group, last);
    for (uint32_t i = group->free_count; i < group->column_count; i++) {
        uint32_t joint = closure->columns[group->first_column + i];
        way = fmax(way, fabs(q[joint] - values[joint]) / unit_of(closure, group, joint));
    }
    if (way == 0)
        return true;
    const double usual = way > longest_step ? 1 / ceil(way / longest_step) : 1;
    step = usual;
    for (uint32_t asides = 0; at < 1;) {
        double next = at + step > 1 - 1e-9 ? 1 : at + step;
        for (uint32_t i = group->free_count; i < group->column_count; i++) {
            uint32_t joint = closure->columns[group->first_column + i];
            values[joint] = next == 1 ? q[joint] : begin[i] + next * (q[joint] - begin[i]);
        }
        if (close_group(closure, group)) {
            keep_values(closure, group, last);
            at = next;
            step = fmin(usual, 2 * step);
            continue;
        }
        give_values(closure, group, last);
        step /= 4;
        if (step >= usual / 100)
            continue;
        if (asides == MOST_ASIDES || !move_aside(closure, group, asides++, last))
            break;
        step = usual;
    }
    if (at == 1)
        return true;
    /* How far from closed it is there; or, if it closes, it does so on another branch. */
    for (uint32_t i = group->free_count; i < group->column_count; i++) {
        uint32_t joint = closure->columns[group->first_column + i];
        values[joint] = q[joint];
    }
    if (close_group(closure, group))
        closure->mechanism->open =
            (struct open_loop){.loop = closure->loops[group->first_loop].loop, .other_branch = true};
    give_values(closure, group, last);
    return false;
}

cp_status closure_solve_group(struct closure *closure, uint32_t group, const double *q)
{
    if (walk(closure, &closure->groups[group], q))
        return CP_OK;
    closure->failed = true;
    return CP_NO;
}

void closure_set_group(struct closure *closure, uint32_t group, const double *closed_at)
{
    const struct closure_group *it = &closure->groups[group];
    memcpy(closure->closed_at + it->first_column, closed_at, it->column_count * sizeof *closed_at);
    give_values(closure, it, closed_at);
}

cp_status closure_solve(struct closure *closure, const double *q)
{
    cp_mechanism *mechanism = closure->mechanism;
    const cp_scene *scene = mechanism->scene;
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < scene->joint_count; i++)
        if (closure->column_of[i] == CP_NONE && !closure->held[i] && !cp_joint_is_dependent(&scene->joints[i]))
            mechanism->values[i] = q[i];
    for (uint32_t i = 0; i < closure->group_count; i++)
        if (closure_solve_group(closure, i, q) != CP_OK)
            status = CP_NO;
    for (uint32_t i = 0; i < scene->joint_count; i++)
        if (cp_joint_is_dependent(&scene->joints[i]))
            mechanism->values[i] = mechanism_value(mechanism, i, mechanism->values);
    return status;
}

cp_status closure_begin_group(struct closure *closure, uint32_t group)
{
    const struct closure_group *it = &closure->groups[group];
    bool closes = close_group(closure, it);
    keep_values(closure, it, closure->closed_at + it->first_column);
    return closes ? CP_OK : CP_NO;
}

cp_status closure_begin(struct closure *closure)
{
    cp_status status = CP_OK;
    for (uint32_t i = 0; i < closure->group_count; i++)
        if (closure_begin_group(closure, i) != CP_OK)
            status = CP_NO;
    return status;
}

/* ---- degrees of freedom ---- */

bool closure_determines(struct closure *closure, uint32_t group, const uint32_t *joints, uint32_t count)
{
    const struct closure_group *it = &closure->groups[group];
    uint32_t all = group_rank(closure, it, it->free_count, NULL, 0);
    return all == group_rank(closure, it, it->free_count, joints, count) + count;
}

void closure_count(struct closure *closure, uint32_t *rank, uint32_t *free_rank, uint32_t *redundant, bool *lacks)
{
    static const uint32_t taken[] = {
        [CP_LOOP_SPHERICAL] = 3, [CP_LOOP_REVOLUTE] = 5, [CP_LOOP_UNIVERSAL] = 4, [CP_LOOP_CYLINDRICAL] = 4,
        [CP_LOOP_PRISMATIC] = 5, [CP_LOOP_FIXED] = 6,    [CP_LOOP_DISTANCE] = 1};
    *rank = *free_rank = *redundant = 0;
    for (uint32_t i = 0; i < closure->group_count; i++) {
        const struct closure_group *group = &closure->groups[i];
        uint32_t all = group_rank(closure, group, group->column_count, NULL, 0), rows = 0;
        uint32_t own = group_rank(closure, group, group->free_count, NULL, 0);
        for (uint32_t k = 0; k < group->free_count; k++)
            lacks[closure->columns[group->first_column + closure->order[k]]] = k >= own;
        for (uint32_t k = 0; k < group->loop_count; k++)
            rows += taken[closure->mechanism->scene->loops[closure->loops[group->first_loop + k].loop].type];
        *rank += all;
        *free_rank += own;
        *redundant += rows - all;
    }
}
